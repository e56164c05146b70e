"""Numbers that were written with few digits, and times of pictures among them: the camera was even,
the file is not.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, spatial

COARSE = 0.01
"""Part of the time between pictures from which on it matters to what times are rounded: at less, a
body is misplaced by less than a two-hundredth of its way from picture to picture.
"""

COARSEST = 0.35
"""Part of the time between pictures from which on a missing picture is not told from rounding."""

MOST_DIGITS = 6
"""Decimals that are looked for."""

SMALL = 1e-6
"""Part of a step by which a linear program may err."""

FEWEST = 16
"""From so many times on, to be even within their rounding is no coincidence."""

DIGITS = 1e-9
"""Part of a step by which a rounded number may miss it."""


def decimal_step(values: NDArray[np.float64]) -> float:
    """The power of ten, from 1 down, of which all values are multiples, because they were written
    with so many decimals; 0 where they have more than six, or are all zero, which tells nothing.
    """
    if not np.any(values):
        return 0.0
    for digits in range(MOST_DIGITS + 1):
        steps = np.abs(values) * 10.0**digits
        if np.all(np.abs(steps - np.round(steps)) <= DIGITS + 8 * np.finfo(float).eps * steps):
            return float(10.0**-digits)
    return 0.0


def find_even_times(time: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Times (n,) [s] a whole number of frames apart from which rounding makes these; ``None`` where
    there are none, or where the rounding does not matter.

    Of the straight lines through frame number and time that pass all times within half a step, the
    one that stays nearest to all of them is taken, which is a linear program (Chebyshev's line) in
    the corners of their convex hull.

    Args:
        time: strictly increasing [s]; pictures may be missing.
    """
    if time.size < FEWEST:
        return None
    step, frame = decimal_step(time), float(np.median(np.diff(time)))
    if not COARSE * frame <= step <= COARSEST * frame:
        return None
    number = _frame_numbers(time)
    part, aim = number / number[-1], (time - time[0]) / step
    away = aim - aim[-1] * part
    if np.all(np.abs(away) <= SMALL):
        return None
    corners = spatial.ConvexHull(np.stack([part, away], axis=1)).vertices
    # Unknown are the first time, the time between frames and the largest distance, in steps.
    rows = np.stack([np.ones(len(corners)), part[corners], np.ones(len(corners))], axis=1)
    found = optimize.linprog(
        [0.0, 0.0, 1.0],
        A_ub=np.concatenate([-rows, rows * [1.0, 1.0, -1.0]]),
        b_ub=np.concatenate([-aim[corners], aim[corners]]),
        bounds=[(None, None), (None, None), (0.0, None)],
    )
    if not found.success or not SMALL < found.x[2] < 0.5 + SMALL:
        return None
    return np.asarray(time[0] + step * (found.x[0] + found.x[1] * part))


def _frame_numbers(time: NDArray[np.float64]) -> NDArray[np.float64]:
    """The number of each picture, the first one 0."""
    frame = float(np.median(np.diff(time)))
    # The time between two pictures is rounded, that between the first and the last one hardly.
    for _ in range(2):
        number = np.concatenate([[0.0], np.cumsum(np.maximum(np.round(np.diff(time) / frame), 1))])
        frame = float((time[-1] - time[0]) / number[-1])
    return number
