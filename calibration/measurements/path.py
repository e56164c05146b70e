"""The path of a body: positions at times, with nothing said of bounces."""

from typing import Any

import numpy as np

from calibration.detection.detection import Detection
from calibration.detection.noise import estimate_noise
from calibration.io.recording import Recording
from calibration.measurements.base import Measurement
from calibration.measurements.positions import Positions
from calibration.measurements.validation import (
    check_deviations,
    check_increasing_times,
    check_numbers,
)
from calibration.model.apparatus import CAMERA
from calibration.model.samples import MeasuredSamples

AXES = "xyz"


class Path(Measurement):
    """Positions of the centre at times, any subset of its components: of one of several bodies, or
    of one whose flights and bounces need not be found, as its initial state is known
    (``Trial(..., initial=...)``), or known roughly (``InitialStates``).

    Args:
        times: increasing [s], (n,).
        position: [m], (n, 3), NaN where not measured.
        sigma: standard deviation [m], one or (n, 3); by default guessed from the scatter about
            smooth curves, and found from the residuals.
        clock: on which the times are, where there are several instruments.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: times that do not increase, another shape, a sigma that is not positive.

    Example:
        A puck on a table, seen from above:

        >>> nan = np.nan
        >>> seen = [[0.1, 0.2, nan], [0.11, 0.19, nan]]
        >>> puck = cal.measurements.Path([0.0, 0.01], seen, sigma=1e-4)
        >>> puck.quantities
        ('x [m]', 'y [m]')
    """

    clock: str

    def __init__(
        self,
        times: Any,
        position: Any,
        *,
        sigma: Any = None,
        clock: str = CAMERA,
        name: str = "path",
        path: str | None = None,
    ) -> None:
        self.time = check_increasing_times("Path", times)
        self.position = check_numbers("Path", "position", position, (self.time.size, 3))
        self.sigma = check_deviations("Path", sigma, self.position.shape, unit="m")
        self.clock, self.name, self.path = clock, name, path

    @classmethod
    def of(cls, recording: Recording) -> "Path":
        """All positions of a recording.

        Args:
            recording: of the centre of a body.
        """
        sigma = recording.sigma
        return cls(
            recording.time,
            recording.position,
            sigma=None if sigma is None else np.where(np.isfinite(sigma), sigma, 1.0),
            name=recording.name,
            path=recording.path,
        )

    @property
    def components(self) -> tuple[int, ...]:
        """Indices of the measured components."""
        return tuple(i for i in range(3) if np.any(np.isfinite(self.position[:, i])))

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit of each column."""
        return tuple(f"{AXES[i]} [m]" for i in self.components)

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    def observation(self) -> Positions:
        """The measured components."""
        return Positions(self.components, self.clock)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """All of them."""
        columns = list(self.components)
        measured = self.position[:, columns]
        sigma = (
            np.broadcast_to([self._scatter(i) for i in columns], measured.shape)
            if self.sigma is None
            else self.sigma[:, columns]
        )
        return MeasuredSamples(self.time, measured, np.where(np.isfinite(measured), sigma, np.inf))

    def _scatter(self, component: int) -> float:
        seen = np.isfinite(self.position[:, component])
        values = self.position[seen, component]
        guess = estimate_noise(self.time[seen], values, acceleration=0.0)
        return max(guess, 1e-9 * float(np.max(np.abs(values))), 1e-12)
