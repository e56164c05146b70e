"""Whether two recordings are of one motion: then their noise is the same, number by number.

Differences of high order do not know where the recording begins, nor the origin of the heights, nor
the motion: they are noise, which makes each stretch of them unlike any other.
"""

import numpy as np

from calibration.detection.noise import rounding_step

ORDER = 4
"""Of the differences: what is left of a smooth motion is next to nothing."""

STRETCH = 40
"""Differences that are compared: by chance no two stretches of so many agree."""

FIRST = 4
"""Differences at the beginning of a stretch that are looked at first."""

AGREE = 0.2
"""Difference of two stretches, in their own scatter, below which they are the same numbers: what
rounding leaves. Those of independent noise differ by 1.4.
"""

LEAST_NOISE = 1e-5
"""Part of the range of the samples below which differences are not noise but rounding, or what is
left of the motion.
"""


def is_same_motion(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether a part of one recording is in the other, whatever was taken away from its ends.

    Args:
        one: measured along an axis, frame by frame (n,).
        other: the same of another recording (m,).
    """
    if min(one.size, other.size) < 2 * STRETCH:
        return False
    sought, among = (_noise_of(values) for values in (one, other))
    if sought is None or among is None:
        return False
    windows = np.lib.stride_tricks.sliding_window_view(among, STRETCH)
    for start in range(0, sought.size - STRETCH + 1, STRETCH):
        stretch = sought[start : start + STRETCH]
        size = float(np.median(np.abs(stretch)))
        # Hardly any stretch begins alike by chance; those that do are compared as a whole.
        begin = np.all(np.abs(windows[:, :FIRST] - stretch[:FIRST]) < size, axis=1)
        off = np.median(np.abs(windows[begin] - stretch), axis=1)
        if np.any(off < AGREE * size):
            return True
    return False


def _noise_of(values: np.ndarray) -> np.ndarray | None:
    """Differences of the samples; ``None`` where they are hardly noise."""
    noise = np.diff(values, ORDER)
    least = max(3 * rounding_step(values), LEAST_NOISE * float(np.ptp(values)))
    return noise if np.median(np.abs(noise)) > least else None
