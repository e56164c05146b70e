"""The evidence of a model (its marginal likelihood) by Laplace's approximation.

``ln Z = ln L + ln prior + (d/2) ln 2 pi - (1/2) ln det A`` at the minimum, A the information with
the priors in it (MacKay 2003, chapter 28). It depends on the priors: each parameter of the scene
needs one, or finite bounds, between which it is then uniform (its logarithm, where that is what a
fit moves). Parameters of the measurement without a prior have the same flat one in every model,
which cancels.
"""

import math
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.model.parameter import Parameter
from calibration.model.prior import HeavyTailed
from calibration.optimise.normal_equations import UNRESOLVED, NormalEquations, scaled_eigenvectors
from calibration.problem.residuals import Block
from calibration.results.result import Fit
from calibration.selection.information_criteria import (
    mark_estimated_sizes,
    minus_two_log_likelihood,
)


def log_prior_density(parameter: Parameter, coordinate: float) -> float | None:
    """Logarithm of the prior density per unit of the coordinate; ``None`` without a prior and
    without finite bounds.
    """
    slope = float(jax.grad(lambda at: parameter.value(at))(jnp.asarray(coordinate, dtype=float)))
    if parameter.prior is not None:
        prior = parameter.prior

        def residual(at: Any) -> Any:
            return prior.residual(parameter.value(at))

        z, change = jax.value_and_grad(residual)(jnp.asarray(coordinate, dtype=float))
        if isinstance(prior, HeavyTailed):
            return -0.5 * float(z) ** 2 - math.log(prior.area) + math.log(abs(slope))
        return -0.5 * float(z) ** 2 - 0.5 * math.log(2 * math.pi) + math.log(abs(float(change)))
    low, high = parameter.about.interval.low, parameter.about.interval.high
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    if parameter.about.transform == "log" and low > 0:
        value = float(parameter.value(coordinate))
        return math.log(abs(slope) / value / math.log(high / low))
    return math.log(abs(slope) / (high - low))


def flat_parameters(fit: Fit) -> Iterator[str]:
    """Names of the parameters of the measurement that have no prior; raises ``InputError`` for a
    parameter of the scene without one.
    """
    layout, start = fit.problem.layout, fit.assessment.start
    for i, (parameter, frozen) in enumerate(
        zip(layout.global_parameters, start.frozen, strict=True)
    ):
        if (
            frozen
            or log_prior_density(parameter, float(fit.assessment.minimum.shared[i])) is not None
        ):
            continue
        if i < len(layout.scene_parameters):
            raise InputError(
                f"compare: the evidence depends on the prior of {parameter.name!r}, which has "
                "none.",
                remedy=f"Fit with --parameter '{parameter.name}: median=1, factor=2' (or mean and "
                f"sd, or from and to; in Python: Free({parameter.name!r}, prior=LogNormal(1, 2))), "
                "or give evidence=False.",
            )
        yield parameter.name
    for batch, frozen_own in zip(layout.batches, start.frozen_local, strict=True):
        yield from (
            u.name
            for u, frozen in zip(batch.trial_parameters, frozen_own, strict=True)
            if u.prior is None and not frozen
        )


def log_evidence(fit: Fit) -> float:
    """``ln Z`` of a fit, up to what flat parameters of the measurement add in every model alike;
    NaN where a direction is not seen.
    """
    assessment: Assessment = fit.assessment
    layout, minimum, start = assessment.layout, assessment.minimum, assessment.start
    total = -0.5 * minus_two_log_likelihood(assessment)
    for i, parameter in enumerate(layout.global_parameters):
        if not start.frozen[i]:
            total += log_prior_density(parameter, float(minimum.shared[i])) or 0.0
    for batch, own, frozen in zip(layout.batches, minimum.local, start.frozen_local, strict=True):
        for column, parameter in enumerate(batch.trial_parameters):
            if parameter.prior is not None and not frozen[column]:
                total += sum(
                    log_prior_density(parameter, float(at)) or 0.0
                    for at in np.asarray(own)[:, column]
                )
    dimensions, logarithm = log_determinant(scaled_blocks(assessment))
    return total + 0.5 * dimensions * math.log(2 * math.pi) - 0.5 * logarithm


def scaled_blocks(assessment: Assessment) -> tuple[Block, ...]:
    """Jacobians in units of the errors, also of those whose size was found from the residuals but
    not put into the weights.
    """
    count = len(assessment.data)
    found = mark_estimated_sizes(assessment) & ~assessment.linearised.followed
    size = float(np.median(assessment.variance_components.size[found])) if np.any(found) else 1.0
    working = assessment.linearised.working
    return (
        *(jax.tree.map(lambda part: part / size, block) for block in working[:count]),
        *working[count:],
    )


def log_determinant(blocks: tuple[Block, ...]) -> tuple[int, float]:
    """Number of parameters, and ``ln det`` of their information; NaN where a direction is not
    seen.
    """
    dimensions, logarithm = blocks[0].by_shared.shape[2], 0.0
    for block in blocks:
        own = np.einsum("rnl,rnm->rlm", block.by_local, block.by_local)
        if own.shape[1]:
            dimensions += own.shape[0] * own.shape[1]
            logarithm += float(np.sum(np.linalg.slogdet(own)[1]))
    information = NormalEquations.of(blocks).information
    scale, eigenvalues, _ = scaled_eigenvectors(information.matrix, information.before)
    if np.any(eigenvalues <= UNRESOLVED) or not math.isfinite(logarithm):
        return dimensions, math.nan
    return dimensions, logarithm + float(np.sum(np.log(eigenvalues)) + 2 * np.sum(np.log(scale)))
