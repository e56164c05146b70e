"""A ball that was followed in a film, in pixels and in metres."""

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from calibration.io.atomic import write_atomically
from calibration.io.recording import Recording

SHORT = 2.0
"""Pixels of a streak that an exposure does not show in."""

MARK = "# a ball followed by jaxcontact track"
"""First line of a recording that was written here."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TrackedBall:
    """What was followed in a film.

    Attributes:
        film: the file.
        size: columns and rows of its pictures.
        recording: positions in metres, x to the right, z up, from the lower left corner of the
            picture; NaN where the ball was lost.
        pixels: column and row of the centre in each picture (n, 2), where the middle of the upper
            left pixel is at 0, 0; NaN where it was lost.
        sd: standard deviations of ``pixels`` (n, 2), estimated from the scatter along the path.
        radius: of the ball in the picture [pixels].
        radius_sd: its standard error [pixels], with that of where an edge is.
        scale: metres per pixel.
        exposure: how long the camera gathered light for a picture [s]; an estimate, poor where the
            streak is short.
        streak: how far the ball moves in that time where it is fastest [pixels].
        first: number of the first picture of the recording, counted from 0.
        lost: why the ball is missing, by the number of the picture.

    Example:
        Six pictures, of which the ball is lost in one:

        >>> time, x = np.arange(6) / 60, np.array([0.1, 0.11, 0.12, np.nan, 0.14, 0.15])
        >>> position = np.column_stack([x, np.full(6, np.nan), x])
        >>> ball = cal.films.TrackedBall(
        ...     film="drop.mp4",
        ...     size=(640, 480),
        ...     recording=cal.Recording(name="drop", time=time, position=position),
        ...     pixels=np.column_stack([x, 0.48 - x]) / 0.001 - 0.5,
        ...     sd=np.full((6, 2), 0.05),
        ...     radius=20.0,
        ...     radius_sd=0.2,
        ...     scale=0.001,
        ...     exposure=0.001,
        ...     streak=2.5,
        ...     first=0,
        ...     lost={3: "partly hidden"},
        ... )
        >>> ball.found
        5
    """

    film: str
    size: tuple[int, int]
    recording: Recording
    pixels: Annotated[NDArray[np.float64], "samples 2"] = field(repr=False)
    sd: Annotated[NDArray[np.float64], "samples 2"] = field(repr=False)
    radius: float
    radius_sd: float
    scale: float
    exposure: float
    streak: float
    first: int
    lost: dict[int, str] = field(repr=False)

    @property
    def found(self) -> int:
        """Pictures in which the ball was found."""
        return int(np.isfinite(self.pixels[:, 0]).sum())

    @property
    def noise(self) -> float:
        """Median standard deviation of a coordinate [pixels]."""
        return float(np.nanmedian(self.sd))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write t, x, z [s, m] as CSV that ``jaxcontact fit`` reads; cells are empty where the ball
        was lost. The noise stands in a comment, and a fit finds it from the data: errors of
        neighbouring pictures of a compressed film are not quite independent.

        Raises:
            InputError: a folder, or a file in a folder that does not exist.
        """
        position = self.recording.position
        columns = (self.recording.time, position[:, 0], position[:, 2])
        rows = (
            ",".join("" if np.isnan(value) else f"{value:.7f}" for value in row)
            for row in np.column_stack(columns)
        )
        head = (
            MARK,
            f"# film: {os.path.basename(self.film)}",
            f"# 1 pixel = {self.scale:.6g} m +- {100 * self.radius_sd / self.radius:.2g} %, from "
            f"the radius of the ball, {self.radius:.2f} pixels",
            f"# noise: about {1e3 * self.noise * self.scale:.2g} mm, {self.noise:.2g} pixels",
            "t [s],x [m],z [m]",
        )
        write_atomically(path, "\n".join((*head, *rows, "")).encode())

    def lines(self) -> list[str]:
        """What was found, in sentences."""
        recording, moving = self.recording, self.found
        missing = Counter(self.lost.values())
        exposure = "too short to be seen in the pictures"
        if self.streak > SHORT:
            exposure = f"about {1e3 * self.exposure:.2g} ms, streaks of {self.streak:.2g} pixels"
        said = [
            f"ball        found in {moving} of {len(recording.time)} pictures, "
            f"{recording.time[0]:.3f} to {recording.time[-1]:.3f} s",
            f"radius      {self.radius:.2f} +- {self.radius_sd:.2f} pixels",
            f"scale       {1e3 * self.scale:.4g} mm per pixel, known to "
            f"{100 * self.radius_sd / self.radius:.2g} %",
            f"noise       {self.noise:.2g} pixels, {1e3 * self.noise * self.scale:.2g} mm",
            f"exposure    {exposure}",
        ]
        said += [f"missing     {count}: {reason}" for reason, count in missing.most_common()]
        return said
