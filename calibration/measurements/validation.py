"""Checks of what a person hands over: times that increase, numbers of the same length, standard
deviations that are positive.
"""

import numpy as np
from numpy.typing import ArrayLike

from calibration.errors import InputError


def check_increasing_times(owner: str, times: ArrayLike, *, least: int = 1) -> np.ndarray:
    """Times (n,) as numbers.

    Raises:
        InputError: not one-dimensional, too few, not finite or not strictly increasing.
    """
    values = np.asarray(times, dtype=float)
    if values.ndim != 1 or values.size < least:
        raise InputError(
            f"{owner}: times has shape {values.shape}.",
            remedy=f"Give at least {least} times [s], (n,).",
        )
    if not np.all(np.isfinite(values)):
        raise InputError(
            f"{owner}: a time is not finite.", remedy="Leave out what was not measured."
        )
    wrong = np.flatnonzero(np.diff(values) <= 0)
    if wrong.size:
        first, second = values[wrong[0] : wrong[0] + 2]
        raise InputError(
            f"{owner}: times go from {first:g} s to {second:g} s.",
            remedy="Sort them and leave out repetitions.",
        )
    return values


def check_numbers(owner: str, name: str, values: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of a shape, NaN where nothing was measured.

    Raises:
        InputError: another shape, infinite, or nothing measured at all.
    """
    found = np.asarray(values, dtype=float)
    if found.shape != shape:
        raise InputError(
            f"{owner}: {name} has shape {found.shape}, but the times need {shape}.",
            remedy="Give one value for each time.",
        )
    if np.any(np.isinf(found)) or not np.any(np.isfinite(found)):
        raise InputError(
            f"{owner}: {name} has "
            f"{'infinite values' if np.any(np.isinf(found)) else 'no finite value'}.",
            remedy="Write NaN.",
        )
    return found


def check_deviations(
    owner: str, sigma: ArrayLike | None, shape: tuple[int, ...], *, unit: str
) -> np.ndarray | None:
    """Standard deviations of a shape, from one number or one for each; ``None`` where not given.

    Raises:
        InputError: not positive and finite, or another shape.
    """
    if sigma is None:
        return None
    found = np.asarray(sigma, dtype=float)
    wrong = found[~(np.isfinite(found) & (found > 0))]
    if wrong.size:
        raise InputError(
            f"{owner}: sigma = {wrong.flat[0]:g} is not positive and finite.",
            remedy=f"Give it in {unit}, and leave out what was not measured.",
        )
    if found.ndim and found.shape != shape:
        raise InputError(
            f"{owner}: sigma has shape {found.shape}, not {shape}.",
            remedy="Give one number, or one for each measured one.",
        )
    return np.broadcast_to(found, shape).copy()
