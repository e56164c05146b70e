"""How intervals and regions follow from standard errors, degrees of freedom and draws.

One home for the quantiles of the normal, Student's t, F and chi-squared distributions: to change
how an interval is computed, change it here.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from calibration.errors import InputError

UNBOUNDED = (-math.inf, math.inf)
"""The interval of what the data do not determine."""


def check_level(level: float, *, caller: str = "") -> None:
    """Raise unless ``level`` is a probability.

    Args:
        level: probability with which an interval is to contain the truth.
        caller: what the error names first, e.g. ``"interval"``.

    Raises:
        InputError: ``level`` outside (0, 1).
    """
    if not 0 < level < 1:
        raise InputError(
            f"{caller + ': ' if caller else ''}level = {level!r} is not between 0 and 1",
            remedy="Give a probability such as 0.95.",
        )


def tails(level: float) -> tuple[float, float]:
    """Probabilities below the two ends of a central interval: ``(1 - level)/2, (1 + level)/2``."""
    return (1 - level) / 2, (1 + level) / 2


def student_reach(level: float, degrees: float) -> float:
    """Half the width of a central interval in standard errors: Student's two-sided quantile t.

    Args:
        level: of the interval, in (0, 1).
        degrees: degrees of freedom of the standard error; infinite for a normal distribution.
    """
    return float(stats.t.ppf(tails(level)[1], degrees))


def region_threshold(level: float, count: int, degrees: float) -> float:
    """Rise of chi-squared, over the square of the error scale factor, that excludes values of
    ``count`` parameters together.

    ``p F(level; p, nu)`` for p parameters, with the degrees of freedom nu of their variances: for
    one parameter the square of Student's t, for known noise (infinite nu) the quantile of
    chi-squared (Bates and Watts, Nonlinear Regression Analysis (1988), section 6.1).

    Args:
        level: of the region, in (0, 1).
        count: number of parameters p.
        degrees: degrees of freedom nu, at least 1 are taken.
    """
    if np.isinf(degrees):
        return float(stats.chi2.ppf(level, count))
    return float(count * stats.f.ppf(level, count, max(degrees, 1.0)))


def outermost_crossings(
    profile: Sequence[tuple[float, float]], reach: float
) -> tuple[float, float]:
    """The outermost values at which a profile crosses ``reach``, between its points by linear
    interpolation; its first or last value where it is below there.

    Args:
        profile: pairs of a value, in increasing order, and the root of the rise of chi-squared
            there, in standard errors.
        reach: half the width of the interval in standard errors.
    """
    values, roots = np.asarray(profile).T
    inside = np.flatnonzero(roots <= reach)
    if not inside.size:
        best = float(values[np.argmin(roots)])
        return best, best

    def crossing(inner: int, outer: int) -> float:
        if not 0 <= outer < values.size:
            return float(values[inner])
        part = (reach - roots[inner]) / (roots[outer] - roots[inner])
        return float(values[inner] + part * (values[outer] - values[inner]))

    return crossing(inside[0], inside[0] - 1), crossing(inside[-1], inside[-1] + 1)


def chance_of_more(chi2: ArrayLike, degrees: ArrayLike) -> np.ndarray:
    """Probability that noise alone gives a larger chi-squared."""
    return np.asarray(stats.chi2.sf(chi2, degrees))


def chance_of_less(chi2: ArrayLike, degrees: ArrayLike) -> np.ndarray:
    """Probability that noise alone gives a smaller chi-squared."""
    return np.asarray(stats.chi2.cdf(chi2, degrees))


def percentile_ends(draws: np.ndarray, level: float) -> tuple[float, float]:
    """Central interval of draws (B,): their quantiles at ``tails(level)``."""
    low, high = np.quantile(draws, tails(level))
    return float(low), float(high)


def bootstrap_t_ends(
    draws: np.ndarray, errors: np.ndarray, best: float, error: float, level: float
) -> tuple[float, float]:
    """Ends ``x - t*_(1+level)/2 s`` and ``x - t*_(1-level)/2 s`` of bootstrap-t, the quantile q of
    B pivots ``t* = (x* - x)/s*`` being the ``(B + 1) q``-th of them.

    Args:
        draws: replicates x* (B,) of a coordinate.
        errors: standard error s* (B,) of each.
        best: the coordinate x of the fit.
        error: its standard error s, by the same formula.
        level: of the interval, in (0, 1).
    """
    pivots = (draws - best) / errors
    low, high = np.quantile(pivots, tails(level), method="weibull")
    return best - float(high) * error, best - float(low) * error


def corrected_levels(
    draws: np.ndarray, value: float, acceleration: float, level: float
) -> tuple[float, float]:
    """Quantiles of the draws at which BCa reads its ends: ``Phi(z0 + (z0 + z)/(1 - a (z0 + z)))``.

    Args:
        draws: replicates (B,) of a coordinate.
        value: the coordinate of the fit; the part of the draws below it gives the bias z0.
        acceleration: a, the skewness of the influence of the units that were drawn, over 6.
        level: of the interval, in (0, 1).
    """
    below = (np.sum(draws < value) + np.sum(draws == value) / 2) / draws.size
    bias = stats.norm.ppf(np.clip(below, 0.5 / draws.size, 1 - 0.5 / draws.size))
    shifted = bias + stats.norm.ppf(tails(level))
    low, high = stats.norm.cdf(bias + shifted / (1 - acceleration * shifted))
    return float(low), float(high)
