"""White noise of a recording from differences of neighbouring samples: no model of the motion is
needed, only that it is smooth.
"""

import numpy as np
from scipy import stats

TAIL_DEGREES = 4.0
"""Degrees of freedom of the heavy tails that are looked for: those that tolerate a tenth of gross
errors.
"""


def robust_deviation(values: np.ndarray) -> float:
    """Standard deviation of a normal distribution with the same median of absolute values."""
    return float(1.4826 * np.median(np.abs(values)))


def local_residuals(time: np.ndarray, values: np.ndarray, *, order: int) -> np.ndarray:
    """Divided differences of neighbouring samples, scaled so that white noise keeps its standard
    deviation.

    The difference of order ``m`` over ``m + 1`` samples is blind to polynomials of degree ``m -
    1``, at any spacing of the times.

    Returns:
        (n - order,) residuals; white noise makes neighbouring ones strongly correlated.
    """
    windows = np.lib.stride_tricks.sliding_window_view
    times = windows(time, order + 1)
    weights = np.ones(times.shape)
    for i in range(order + 1):
        for j in range(order + 1):
            if i != j:
                weights[:, i] /= times[:, i] - times[:, j]
    return np.sum(weights * windows(values, order + 1), axis=1) / np.linalg.norm(weights, axis=1)


def estimate_noise(time: np.ndarray, values: np.ndarray, *, acceleration: float) -> float:
    """Noise [m] of ``values`` that contain bounces and move with about ``acceleration`` between
    them, at least that of their rounding.

    Differences over few samples survive short flights, those of high order survive drag: the
    smallest estimate counts.
    """
    straight = values - acceleration / 2 * (time - time[0]) ** 2
    noise = [
        robust_deviation(local_residuals(time, straight, order=order))
        for order in (2, 3, 4)
        if len(time) > order
    ]
    return max(min(noise, default=0.0), rounding_step(values) / np.sqrt(12))


def rounding_step(values: np.ndarray) -> float:
    """The step of which all differences of ``values`` are multiples (whole pixels, say), 0 when
    there is none or no value repeats.
    """
    distinct = np.unique(values)
    if len(distinct) < 3 or len(distinct) == len(values):
        return 0.0
    steps = np.diff(distinct)
    counts = steps / steps.min()
    return float(steps.min()) if np.all(np.abs(counts - np.round(counts)) < 0.01) else 0.0


def estimate_white_noise(runs: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Noise [m] from smooth runs of (times, values), from differences of the highest order up to
    four for which there are three windows.
    """
    for order in (4, 3, 2):
        differences = np.concatenate(
            [
                np.zeros(0),
                *(local_residuals(*run, order=order) for run in runs if len(run[0]) > order),
            ]
        )
        if len(differences) >= 3:
            return robust_deviation(differences)
    return np.nan


def lag_one_correlation(runs: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Correlation of neighbouring values in several runs of (times, values) whose mean is zero; 0
    for white noise.
    """
    power = sum(np.sum(values**2) for _, values in runs)
    return (
        float(sum(np.sum(values[1:] * values[:-1]) for _, values in runs) / power)
        if power > 0
        else 0.0
    )


def tail_evidence(values: np.ndarray) -> float:
    """Logarithm of the likelihood of heavy tails, Student's t with ``TAIL_DEGREES`` degrees of
    freedom, over that of normal errors; 0 where most values are alike.

    Normal errors have their likeliest size, those of Student's t that of their median: the ratio is
    at most that of the best sizes. Normal errors reach a ratio of R with a chance below 1/R
    (Markov's inequality), and a thousand of them come to a logarithm of about -30.

    Args:
        values: (n,) of mean zero.
    """
    middle = float(np.median(np.abs(values))) if values.size else 0.0
    if not middle > 0:
        return 0.0
    size = middle / stats.t.ppf(0.75, TAIL_DEGREES)
    heavy = stats.t.logpdf(values, TAIL_DEGREES, scale=size)
    normal = stats.norm.logpdf(values, scale=np.sqrt(np.mean(values**2)))
    return float(np.sum(heavy - normal))
