"""What a fit says of the model as a whole: likelihood, number of parameters, AICc, BIC, Akaike
weights.

``-2 ln L`` is complete: it contains the standard deviations, so that fits which find these from the
residuals can be compared.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from calibration.fitting.assessment import Assessment
from calibration.fitting.scatter import least_deviance
from calibration.noise.loss import HuberLoss, Loss, StudentTLoss
from calibration.nuisances.restitution import DEVIATION
from calibration.problem.rows import count_rows
from calibration.uncertainty.resampling import find_leverages


def log_normaliser(loss: Loss | None, shape: tuple[int, ...]) -> np.ndarray:
    """Logarithm of the integral of ``exp(-rho(r)/2)``."""
    if isinstance(loss, StudentTLoss):
        degrees = np.broadcast_to(np.asarray(loss.degrees, dtype=float), shape)
        return (
            special.gammaln(degrees / 2)
            - special.gammaln((degrees + 1) / 2)
            + 0.5 * np.log(np.pi * degrees)
        )
    if isinstance(loss, HuberLoss):
        k = np.broadcast_to(np.asarray(loss.threshold, dtype=float), shape)
        return np.log(np.sqrt(2 * np.pi) * (1 - 2 * stats.norm.sf(k)) + 2 / k * np.exp(-(k**2) / 2))
    return np.full(shape, 0.5 * np.log(2 * np.pi))


def minus_two_log_likelihood(assessment: Assessment) -> float:
    """``-2 ln L`` of the data at the minimum, priors left out; a size of errors that is not known
    is at its best value.

    With ``S`` the sum of squares of ``n`` residuals in units of their weights w, a size that is
    found adds ``n ln(S/n) + n`` in place of S.
    """
    parts, counts = assessment.linearised, assessment.linearised.counts
    squares, free = np.zeros(len(parts.components)), mark_estimated_sizes(assessment)
    for pieces, block in zip(parts.batches, assessment.blocks, strict=False):
        for piece in pieces:
            residual = piece.rows.take(block.residual)
            np.add.at(squares, piece.component, np.sum(residual**2, axis=(0, 1)))
    return normalise_errors(assessment) + sum_squares(squares, counts, free)


def deviance(assessment: Assessment) -> float:
    """``-2 ln L`` of the data at the minimum; with the deviations of single impacts integrated out
    where they may deviate, up to what is the same for all laws.
    """
    posed = assessment.scattering
    if posed is None:
        return minus_two_log_likelihood(assessment)
    return normalise_errors(assessment) + least_deviance(posed)


def sum_squares(squares: np.ndarray, counts: np.ndarray, free: np.ndarray) -> float:
    """What the residuals add to ``-2 ln L``: S, or ``n ln(S/n) + n`` where their size is free.

    Args:
        squares: sums of squares S of each quantity, (C,).
        counts: numbers n of each.
        free: whether the size of each is at its best value.
    """
    found = free & (counts > 0) & (squares > 0)
    mean = np.where(found, squares, 1.0) / np.where(found, counts, 1.0)
    return float(np.sum(np.where(found, counts * (1 + np.log(mean)), squares)))


def normalise_errors(assessment: Assessment) -> float:
    """What ``-2 ln L`` has beside the residuals: the weights, and the integrals of the densities of
    the errors.
    """
    total = 0.0
    for data in assessment.data:
        for samples in data.samples:
            weight = np.asarray(samples.weight)
            used, shape = weight > 0, weight.shape
            total -= 2 * float(np.sum(np.log(weight[used])))
            total += 2 * float(np.sum(log_normaliser(samples.loss, shape)[used]))
            if samples.whitening is not None:
                total += float(
                    np.sum(np.log1p(-(np.asarray(samples.whitening.correlation) ** 2))[used])
                )
    return total


def mark_estimated_sizes(assessment: Assessment) -> np.ndarray:
    """Which measured quantities have Gaussian errors whose size is found from the residuals."""
    return np.asarray(
        [
            component.model.estimates_size(component.stated) and not component.model.robust
            for component in assessment.linearised.components
        ],
        dtype=bool,
    )


def count_noise_parameters(assessment: Assessment) -> int:
    """Sizes and correlation times of errors that are found from the residuals."""
    found = 0
    for component in assessment.linearised.components:
        found += bool(component.model.estimates_size(component.stated))
        found += bool(
            component.model.correlated and component.series and component.model.time is None
        )
    return found


def count_parameters(assessment: Assessment) -> float:
    """Number of parameters that the data spend: shared, of each trial, and of the noise.

    The trace of the hat matrix over the data: the number of parameters, where nothing is known of
    them beforehand and the data see all of them; one with a prior counts as far as the data move it
    (Vaida and Blanchard, Biometrika 92 (2005) 351-370).
    """
    if assessment.scattering is not None:
        return count_without_deviations(assessment)
    used = 0.0
    for data, leverage in zip(assessment.data, find_leverages(assessment), strict=False):
        used += float(np.sum(leverage[:, : count_rows(data.samples)]))
    return used + count_noise_parameters(assessment)


def count_without_deviations(assessment: Assessment) -> float:
    """Free parameters where single impacts may deviate: one, the size of the scatter, stands for
    all deviations, which are integrated out.
    """
    own = sum(
        local.shape[0]
        * sum(
            bool(free) and not parameter.name.startswith(DEVIATION)
            for free, parameter in zip(moves, batch.trial_parameters, strict=True)
        )
        for batch, local, moves in zip(
            assessment.layout.batches,
            assessment.start.local,
            assessment.start.free_local,
            strict=True,
        )
    )
    return float(assessment.free.sum() + own + 1 + count_noise_parameters(assessment))


def count_observations(assessment: Assessment) -> int:
    """Number of measured numbers that have a weight; padding has none."""
    return sum(
        int(np.count_nonzero(samples.weight))
        for data in assessment.data
        for samples in data.samples
    )


def aicc(minus_two_log: float, parameters: float, observations: float) -> float:
    """``-2 ln L + 2 k + 2 k (k + 1)/(n - k - 1)`` (Hurvich and Tsai 1989); infinite where there are
    too few data for k.
    """
    left = observations - parameters - 1
    return (
        minus_two_log + 2 * parameters + 2 * parameters * (parameters + 1) / left
        if left > 0
        else np.inf
    )


def bic(minus_two_log: float, parameters: float, observations: float) -> float:
    """``-2 ln L + k ln n`` (Schwarz 1978)."""
    return minus_two_log + parameters * np.log(observations)


def akaike_weights(values: ArrayLike) -> np.ndarray:
    """``exp(-Delta/2)``, normalised (Burnham and Anderson 2002)."""
    differences = np.asarray(values, dtype=float) - np.min(values)
    weights = np.exp(-differences / 2)
    return weights / np.sum(weights)
