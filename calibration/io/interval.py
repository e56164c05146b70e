"""The part of a recording between two of its times."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError

TimeInterval: TypeAlias = tuple[float, float]
"""First and last time of the samples that are used [s], as the file has them; infinite where it has
no end.
"""

EVERYTHING: TimeInterval = (-np.inf, np.inf)


def within(
    time: NDArray[np.float64], interval: TimeInterval, *, path: str | None
) -> NDArray[np.bool_]:
    """Which samples (n,) have a time inside of the interval, its ends included.

    Args:
        time: of the samples (n,) [s], NaN where there is none.
        interval: of time [s].
        path: of the file, for messages.

    Raises:
        InputError: none has.
    """
    first, last = interval
    inside = np.isfinite(time) & (time >= first) & (time <= last)
    known = time[np.isfinite(time)]
    if known.size and not inside.any():
        raise InputError(
            f"no sample lies between from = {first:g} and until = {last:g} s",
            remedy=f"The times of the file go from {known.min():g} to {known.max():g} s.",
            path=path,
        )
    return inside
