"""What a fit says of the model as a whole: likelihood, number of parameters, AICc, BIC, Akaike
weights.

``-2 ln L`` is complete: it contains the standard deviations, so that fits which find these from the
residuals can be compared.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from calibration.fitting.assessment import Assessment
from calibration.noise.loss import HuberLoss, Loss, StudentTLoss
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
    total, parts = 0.0, assessment.linearised
    squares, free = np.zeros(len(parts.components)), mark_estimated_sizes(assessment)
    counts = np.zeros(len(parts.components))
    for data, pieces, block in zip(assessment.data, parts.batches, assessment.blocks, strict=False):
        for samples, piece in zip(data.samples, pieces, strict=True):
            weight = np.asarray(samples.weight)
            used, shape = weight > 0, weight.shape
            residual = piece.rows.take(block.residual)
            for column, component in enumerate(piece.component):
                squares[component] += float(np.sum(residual[..., column] ** 2))
                counts[component] += np.count_nonzero(used[..., column])
            total -= 2 * float(np.sum(np.log(weight[used])))
            total += 2 * float(np.sum(log_normaliser(samples.loss, shape)[used]))
            if samples.whitening is not None:
                total += float(
                    np.sum(np.log1p(-(np.asarray(samples.whitening.correlation) ** 2))[used])
                )
    found = free & (counts > 0) & (squares > 0)
    mean = np.where(found, squares, 1.0) / np.where(found, counts, 1.0)
    return total + float(np.sum(np.where(found, counts * (1 + np.log(mean)), squares)))


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
    used = 0.0
    for data, leverage in zip(assessment.data, find_leverages(assessment), strict=False):
        used += float(np.sum(leverage[:, : count_rows(data.samples)]))
    return used + count_noise_parameters(assessment)


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
