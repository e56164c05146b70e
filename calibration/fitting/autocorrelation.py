"""Over how many samples residuals are correlated."""

import numpy as np
from numpy.typing import ArrayLike

BY_CHANCE = 3.0
"""Standard errors that a correlation of white residuals does not reach."""


def autocorrelation_time(residuals: np.ndarray, used: np.ndarray) -> float:
    """Integrated autocorrelation time of residuals in units of samples, at least 1.

    ``1 + 2 sum_k rho_k`` summed over the first positive run of autocorrelations, pooled over
    recordings and axes.

    Args:
        residuals: (R, n, A) weighted residuals.
        used: (R, n, A) whether there is a sample.
    """
    centred = np.where(used, residuals, 0.0)
    variance = np.sum(centred**2) / max(np.sum(used), 1)
    if variance == 0:
        return 1.0
    total = 1.0
    for lag in range(1, residuals.shape[1] // 4):
        pairs = used[:, lag:] & used[:, :-lag]
        if not np.any(pairs):
            break
        rho = np.sum(centred[:, lag:] * centred[:, :-lag]) / np.sum(pairs) / variance
        if rho < 2 / np.sqrt(np.sum(pairs)):
            break
        total += 2 * rho
    return float(total)


def exceeds_chance(correlation: ArrayLike, count: ArrayLike, *, least: float) -> np.ndarray:
    """Whether neighbours are correlated: by more than white residuals are by chance, and by enough
    to matter.

    Args:
        correlation: of neighbours, one or several.
        count: numbers from which each was found; a white correlation scatters by its root.
        least: correlation that matters.
    """
    by_chance = BY_CHANCE / np.sqrt(np.maximum(count, 1.0))
    return np.asarray(correlation) > np.maximum(by_chance, least)
