"""The recorded tracks of two discs."""

from pathlib import Path
from typing import NamedTuple

import numpy as np


class Tracks(NamedTuple):
    """Two discs in the same frames; NaN where one of them was not found.

    Attributes:
        time: of the frames [s], ``(frames,)``.
        position: of the centres, in recorded lengths [m], ``(frames, 2, 2)``: frame, disc, axis.
        angle: of the markers [rad], counter-clockwise, ``(frames, 2)``.
    """

    time: np.ndarray
    position: np.ndarray
    angle: np.ndarray

    @property
    def meeting(self) -> int:
        """The frame in which the centres are nearest to each other."""
        return int(np.nanargmin(np.linalg.norm(self.position[:, 0] - self.position[:, 1], axis=1)))


def read_tracks(folder: Path) -> Tracks:
    """The tracks in ``csv/disc0.csv`` and ``csv/disc1.csv``; the columns are t, x, y, angle and
    others.

    Args:
        folder: of the set.
    """
    tables = [
        np.genfromtxt(folder / "csv" / f"disc{disc}.csv", delimiter=",", names=True)
        for disc in (0, 1)
    ]
    time = np.unique(np.concatenate([table["t"] for table in tables]))
    position, angle = np.full((time.size, 2, 2), np.nan), np.full((time.size, 2), np.nan)
    for disc, table in enumerate(tables):
        frame = np.searchsorted(time, table["t"])
        position[frame, disc] = np.stack([table["x"], table["y"]], axis=1)
        angle[frame, disc] = np.unwrap(table["angle"])
    return Tracks(time, position, angle)
