"""Minimising again from a minimum that was found: what profiles, replicates and samplers share."""

from typing import Any

import numpy as np
from scipy import stats

from calibration.fitting.assessment import Judgement
from calibration.optimise.least_squares import Minimum, Start, minimise_with_blocks

STEPS = 100
"""Iterations of one minimisation, as in ``fit``, so that the same compiled code serves."""


def refit(judgement: Judgement, start: Start) -> tuple[Minimum, float]:
    """The minimum from ``start`` of the problem that was judged, and chi-squared there."""
    found, blocks = minimise_with_blocks(
        judgement.layout,
        judgement.scene,
        judgement.data,
        start,
        method="levenberg_marquardt",
        steps=STEPS,
    )
    return found, sum(float(np.sum(block.residual**2)) for block in blocks)


def position_of(judgement: Judgement, index: int) -> int:
    """Row of the covariance that belongs to the free shared coordinate ``index``."""
    return int(np.flatnonzero(judgement.free).tolist().index(index))


def widening(judgement: Judgement, *indices: int) -> float:
    """Factor by which the fit enlarges the formal standard errors of these shared coordinates, for
    misfit and correlated residuals.

    Of several: the root of the ratio of the areas (volumes) of their confidence regions, per
    coordinate.
    """
    rows = [position_of(judgement, index) for index in indices]
    if np.any(judgement.formal.open_shared[rows]):
        return judgement.inflation
    pick = np.ix_(rows, rows)
    ratio = np.linalg.det(judgement.covariance[pick]) / np.linalg.det(judgement.formal.shared[pick])
    return float(ratio ** (1 / (2 * len(rows)))) if ratio > 0 else judgement.inflation


def threshold(judgement: Judgement, level: float, *indices: int) -> float:
    """Rise of chi-squared, over the square of ``widening``, that excludes values of the shared
    coordinates ``indices`` together.

    ``p F(level; p, nu)`` for p coordinates, with the degrees of freedom nu of their variances (the
    fewest): for one coordinate the square of Student's t, for known noise (infinite nu) the
    quantile of chi-squared.
    """
    count, degrees = (
        len(indices),
        min(float(judgement.degrees[position_of(judgement, index)]) for index in indices),
    )
    return float(
        stats.chi2.ppf(level, count)
        if np.isinf(degrees)
        else count * stats.f.ppf(level, count, max(degrees, 1.0))
    )


def identity(judgement: Judgement) -> dict[str, Any]:
    """What goes into everything after a fit, by the names an error message uses."""
    return {
        "the structure of the problem": judgement.layout,
        "the scene": judgement.scene,
        "the measured data or their weights": judgement.data,
        "the minimum": (
            judgement.minimum.shared,
            judgement.minimum.local,
            judgement.start.frozen,
            judgement.start.frozen_local,
        ),
    }
