"""From an assessment to what a person reads: value, standard error and status of each parameter."""

import dataclasses

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.model.parameter import Parameter
from calibration.nuisances.restitution import DEVIATION
from calibration.results.estimate import Coordinate, Determination, Estimate
from calibration.results.numbers import value_and_sd


def estimate_parameter(
    assessment: Assessment,
    parameter: Parameter,
    coordinate: float,
    *,
    variance: float,
    unseen: bool,
    acts: bool,
    began: float,
    degrees: float,
) -> Estimate:
    """Value, standard error and status of one parameter.

    Args:
        assessment: of the fit.
        parameter: what was estimated.
        coordinate: where the fit ended.
        variance: of the coordinate.
        unseen: whether neither the data see it, nor is anything known of it beforehand.
        acts: whether any number depends on it.
        began: coordinate where the fit began.
        degrees: degrees of freedom of the variance.
    """
    value, deviation = float(parameter.value(coordinate)), float(np.sqrt(max(variance, 0.0)))
    about, status, note = parameter.about, Determination.DETERMINED, ""
    loose = about.transform != "identity" and deviation > assessment.policy.largest_log_sd
    # At an end, a logistic coordinate moves the value no more, as if the data did not see it.
    ran_to_end = parameter.at_bound(value) and not parameter.at_bound(float(parameter.value(began)))
    if not assessment.simulated:
        status, deviation = Determination.NOT_SIMULATED, np.inf
    elif (unseen or loose) and _is_nothing(assessment, parameter, coordinate, began):
        status, deviation = Determination.AT_BOUND, np.inf
        note = "these data show none"
    elif (unseen or loose) and not ran_to_end:
        status, deviation = Determination.NOT_DETERMINED, np.inf
    elif parameter.at_bound(value):
        status = Determination.AT_BOUND
        note = f"at the end of {about.interval}; the standard error does not apply"
    elif coordinate == began and not acts:
        status = Determination.AT_START
    elif assessment.noise_unknown:
        believed = value_and_sd(value, deviation * abs(parameter.slope(value)))
        status, deviation = Determination.NOT_DETERMINED, np.inf
        note = (
            "nothing tells the errors of so few numbers; if those that were guessed are right, it "
            f"is {believed}: state them (--sigma)"
        )
    return Estimate(
        name=parameter.name,
        label=about.label,
        symbol=about.symbol,
        unit=about.unit,
        value=value,
        sd=deviation * abs(parameter.slope(value)) if np.isfinite(deviation) else np.inf,
        start=float(parameter.value(began)),
        status=status,
        note=note,
        degrees=float(degrees),
        curve=Coordinate(parameter, float(coordinate), deviation),
    )


def _is_nothing(
    assessment: Assessment, parameter: Parameter, coordinate: float, began: float
) -> bool:
    """Whether a coefficient that cannot be negative fell to where it acts no more: the data show
    none of it.
    """
    fallen = coordinate < began - assessment.policy.strayed
    return parameter.about.transform == "log" and bool(fallen)


def estimate_shared(assessment: Assessment) -> dict[str, Estimate]:
    """Estimates of the shared parameters that were free, by name."""
    found = {}
    for position, index in enumerate(np.flatnonzero(assessment.free)):
        parameter = assessment.layout.global_parameters[index]
        found[parameter.name] = estimate_parameter(
            assessment,
            parameter,
            assessment.minimum.shared[index],
            variance=assessment.covariance[position, position],
            unseen=bool(assessment.formal.open_shared[position]),
            acts=bool(assessment.linearised.acts[1][position]),
            began=assessment.start.shared[index],
            degrees=assessment.degrees[position],
        )
    return found


def estimate_trial(assessment: Assessment, batch: int, r: int) -> dict[str, Estimate]:
    """Estimates of the parameters of one trial, by name; an impact that it does not have has no
    deviation.

    Args:
        assessment: of the fit.
        batch: position of its batch.
        r: position of the trial in the batch.
    """
    scale = assessment.trial_error_scale_factor
    variances = np.diagonal(assessment.formal.local[batch][r]) * scale**2
    unseen, free = assessment.formal.open_local[batch][r], assessment.start.free_local[batch]
    parameters = [
        parameter
        for parameter, moved in zip(
            assessment.layout.batches[batch].trial_parameters, free, strict=True
        )
        if moved
    ]
    ended = assessment.minimum.local[batch][r][free]
    began = assessment.start.local[batch][r][free]
    acts = assessment.linearised.acts[0][batch][r]
    found_noise = np.any(assessment.variance_components.free_size)
    degrees = float(max(assessment.dof, 1)) if found_noise else np.inf
    return {
        parameter.name: estimate_parameter(
            assessment,
            parameter,
            ended[i],
            variance=variances[i],
            unseen=bool(unseen[i]),
            acts=bool(acts[i]),
            began=began[i],
            degrees=degrees,
        )
        for i, parameter in enumerate(parameters)
        if acts[i] or not parameter.name.startswith(DEVIATION)
    }


def correlate(
    assessment: Assessment, estimates: dict[str, Estimate]
) -> tuple[tuple[str, ...], np.ndarray]:
    """Names and correlations (k, k) of those free shared parameters that ``estimates`` shows as
    determined.
    """
    free = [assessment.layout.names[index] for index in np.flatnonzero(assessment.free)]
    kept = [
        i
        for i, name in enumerate(free)
        if name in estimates and np.isfinite(estimates[name].sd) and estimates[name].sd > 0
    ]
    block = assessment.covariance[np.ix_(kept, kept)]
    deviations = np.sqrt(np.diag(block))
    return tuple(free[i] for i in kept), block / np.outer(deviations, deviations)


def doubt_of(assessment: Assessment) -> Determination | None:
    """Why nothing is determined by a minimum, whatever its curvature says; the worst reason."""
    if not assessment.simulated:
        return Determination.NOT_SIMULATED
    if not assessment.minimum.converged:
        return Determination.NOT_CONVERGED
    return None if assessment.explained else Determination.NOT_EXPLAINED


def withdraw_doubted(assessment: Assessment, estimates: dict[str, Estimate]) -> dict[str, Estimate]:
    """The estimates; where the minimum as a whole is in doubt, none is determined, whatever it was
    made from.
    """
    doubt = doubt_of(assessment)
    if doubt is None:
        return estimates
    return {name: estimate.withdrawn(doubt) for name, estimate in estimates.items()}


def withdraw_prior_only(
    assessment: Assessment, estimates: dict[str, Estimate]
) -> dict[str, Estimate]:
    """The estimates; one to which the data add nothing beside its prior is said to be not
    determined by them.
    """
    found = dict(estimates)
    for parameter in assessment.layout.global_parameters:
        estimate = found.get(parameter.name)
        if (
            parameter.prior is None
            or estimate is None
            or estimate.status is not Determination.DETERMINED
        ):
            continue
        # The prior is linear in the value or in its logarithm: its residual changes by one over one
        # standard deviation.
        step = 1e-6 * estimate.value
        moved = parameter.prior.residual(estimate.value + step) - parameter.prior.residual(
            estimate.value
        )
        prior_sd = abs(step / float(moved)) if moved else np.inf
        if estimate.sd > assessment.policy.prior_only * prior_sd:
            note = "these data add nothing to what is known of it beforehand, which was used"
            found[parameter.name] = dataclasses.replace(
                estimate, sd=np.inf, status=Determination.NOT_DETERMINED, note=note
            )
    return found
