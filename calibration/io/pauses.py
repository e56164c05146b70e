"""Stray times: a pause in which nothing was recorded, far longer than between other samples, is no
part of a motion.
"""

import numpy as np
from numpy.typing import NDArray

from calibration.io.headers import Header
from calibration.io.tables import Table

LONGEST_PAUSE = 30.0
"""Seconds; on the Earth a ball that flies as long rises a kilometre."""

UNUSUAL = 100.0
"""How many times longer than the usual one such a pause is; slow records may be sparse."""


def check_pauses(table: Table, clock: Header, seconds: NDArray[np.float64]) -> None:
    """Raise where a time lies far from all others.

    Args:
        table: rows of a file.
        clock: its column of times, for the message.
        seconds: the times (rows,), NaN where there is none.

    Raises:
        InputError: naming the line.
    """
    rows = np.flatnonzero(np.isfinite(seconds))
    pauses = np.abs(np.diff(seconds[rows]))
    if not pauses.size:
        return
    longest = int(np.argmax(pauses))
    if pauses[longest] > max(LONGEST_PAUSE, UNUSUAL * float(np.median(pauses))):
        before, row = (int(place) for place in rows[longest : longest + 2])
        raise table.error(
            f"the time jumps from {seconds[before]:g} s (line {table.lines[before]}) to "
            f"{seconds[row]:g} s",
            remedy="Delete the row if its time is wrong; if the file holds several recordings, put "
            "each into a file of its own.",
            row=row,
            header=clock,
        )
