"""Sets of values of all shared parameters, drawn from the covariance of a fit."""

import numpy as np

from calibration.results.result import Fit
from calibration.uncertainty.draws import Draws
from calibration.uncertainty.prediction import mark_undetermined
from calibration.uncertainty.profile import assessment_of


def draw_from_covariance(fit: Fit, count: int, *, seed: int) -> Draws:
    """Draw from the multivariate t distribution of the covariance of a fit and the degrees of
    freedom of its noise, whose intervals are those of the table.

    What the data do not determine, and what belongs to single trials, stays as fitted.

    Args:
        fit: to draw from.
        count: how many sets.
        seed: another number, other draws.

    Raises:
        InputError: a fit that carries no problem.
    """
    assessment = assessment_of(fit, caller="draw_from_covariance")
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(assessment.free)
    determined = ~mark_undetermined(fit, assessment)
    free, covariance = free[determined], assessment.covariance[np.ix_(determined, determined)]
    # A root of the correlations: coordinates have units, and the covariance may be singular.
    sd = np.sqrt(np.diag(covariance))
    scale = np.where(sd > 0, sd, 1.0)
    variances, axes = np.linalg.eigh(covariance / np.outer(scale, scale))
    root = scale[:, None] * axes * np.sqrt(np.maximum(variances, 0.0))
    steps = rng.standard_normal((count, free.size)) @ root.T
    degrees = float(np.min(assessment.degrees, initial=np.inf))
    if np.isfinite(degrees):
        steps *= np.sqrt(degrees / rng.chisquare(degrees, (count, 1)))
    minimum = assessment.minimum
    shared = np.tile(np.asarray(minimum.shared, dtype=float), (count, 1))
    shared[:, free] += steps
    local = tuple(np.broadcast_to(own, (count, *np.shape(own))) for own in minimum.local)
    return Draws(shared, local)
