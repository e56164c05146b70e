"""What is in a file, from its header: a trajectory, a table of impacts, a force trace, or times of
impacts.
"""

import enum
import os

from calibration.io.impact_table import is_impact_table
from calibration.io.tables import read_table
from calibration.io.trajectory_columns import is_trajectory
from calibration.measurements.force_trace import NORMAL


class FileKind(enum.StrEnum):
    """Kinds of data files, in words."""

    IMPACTS = "a table of impacts"
    TRAJECTORY = "a trajectory"
    FORCE = "a force trace"
    SOUNDS = "times of impacts"


def kind_of(path: str | os.PathLike[str]) -> FileKind:
    """The kind of a file; what has no other sign is taken for a trajectory, whose reader says what
    is missing.

    Raises:
        InputError: the file is no table.
    """
    headers = [header for header in read_table(path).headers if not header.uncertainty]
    if is_trajectory(headers):
        return FileKind.TRAJECTORY
    if is_impact_table(path):
        return FileKind.IMPACTS
    if any(
        header.name in NORMAL.names
        or (header.unit is not None and header.unit.dimension == NORMAL.dimension)
        for header in headers
    ):
        return FileKind.FORCE
    timed = [header for header in headers if header.unit is None or header.unit.dimension == "time"]
    return FileKind.SOUNDS if len(headers) == 1 and timed else FileKind.TRAJECTORY
