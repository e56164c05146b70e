"""What a covariance cannot tell: whether values far from the minimum explain the data as well."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.optimise.least_squares import minimise_with_blocks
from calibration.problem.residuals import Block, Layout
from calibration.results.estimate import Determination, Estimate
from calibration.results.intervals import student_reach
from jaxcontact.laws.core.quantities import QUANTITIES

TWO_SIDED = 1.96
"""Standard deviations that exclude a value with 95 %."""

PROBED = 0.1
"""Standard deviations to which a probe is minimised, so that its rise is known to 0.01."""

LEVEL = 0.1
"""Part of a rise by which chi-squared may still rise where it is level."""


def sum_squares(blocks: tuple[Block, ...]) -> float:
    """Chi-squared, the weighted sum of squares, of residuals."""
    return float(sum(np.sum(np.asarray(block.residual) ** 2) for block in blocks))


def excluding_rise(assessment: Assessment, name: str, level: float | None = None) -> float:
    """Rise of chi-squared at the ends of the profile interval of a free shared parameter.

    ``t^2 V/F``: the square of Student's quantile for the degrees of freedom of its variance V,
    times the ratio of V to the formal F. For known, independent noise that is the quantile of
    chi-squared, 3.84 at 95 %.

    Args:
        assessment: of the fit.
        name: of the parameter.
        level: of the interval; by default that of the policy.
    """
    level = assessment.policy.level if level is None else level
    free = [assessment.layout.names[index] for index in np.flatnonzero(assessment.free)]
    position = free.index(name)
    ratio = assessment.covariance[position, position] / assessment.formal.shared[position, position]
    return float(student_reach(level, assessment.degrees[position]) ** 2 * ratio)


def exclude_flatness(assessment: Assessment, name: str) -> float:
    """Standard deviations by which the data exclude that a shared parameter has no effect: four
    times its value, the others adapting. Infinite where chi-squared rises further from there on,
    so that it has an effect.

    A local standard error cannot tell: in a regime where friction slides, the data fix the
    coefficient; in the other, where it sticks, any larger coefficient will do with another spin.
    Noise alone brings one sticking contact in forty to two standard deviations on the side of
    those that slide, and then the value is off by any number of its own. So the policy asks for
    ``flatness_excluded`` where chi-squared is level.
    """
    step = assessment.policy.probe_step
    rise = max(rise_beyond(assessment, name, step), 0.0)
    deviations = float(TWO_SIDED * np.sqrt(rise / excluding_rise(assessment, name, 0.95)))
    if not TWO_SIDED < deviations < assessment.policy.flatness_excluded:
        return deviations
    is_level = rise_beyond(assessment, name, 2 * step) - rise < LEVEL * rise
    return deviations if is_level else np.inf


def rise_beyond(assessment: Assessment, name: str, step: float) -> float:
    """Rise of chi-squared where the coordinate of a shared parameter is larger by ``step``, the
    others adapting.
    """
    index = assessment.layout.names.index(name)
    frozen = assessment.start.frozen.copy()
    frozen[index] = True
    shared = np.array(assessment.minimum.shared)
    shared[index] += step
    # From a minimum no stage has to lead there: each sees all samples.
    stages = tuple(np.broadcast_to(ends[-1:], ends.shape) for ends in assessment.start.stages)
    start = assessment.start._replace(
        shared=shared, local=assessment.minimum.local, frozen=frozen, stages=stages
    )
    layout, scene, data = assessment.layout, assessment.scene, assessment.data
    _, blocks = minimise_with_blocks(
        layout, scene, data, start, method="levenberg_marquardt", steps=100, tolerance=PROBED
    )
    return sum_squares(blocks) - assessment.chi2


def saturating(layout: Layout) -> tuple[str, ...]:
    """Names of the free material constants whose effect has an end: a friction coefficient beyond
    which contacts stick acts like any larger one, also that of static friction.
    """
    saturate = ("coefficient", "static_coefficient", "rolling_coefficient")
    labels = {QUANTITIES[name].label for name in saturate}
    return tuple(
        parameter.name for parameter in layout.scene_parameters if parameter.about.label in labels
    )


def withdraw_flat(
    assessment: Assessment, estimates: dict[str, Estimate], names: Sequence[str]
) -> dict[str, Estimate]:
    """The estimates; one of ``names`` is said to be not determined where the data do not exclude
    that it has no effect.
    """
    found = dict(estimates)
    for name in names:
        estimate = found[name]
        if estimate.status is not Determination.DETERMINED:
            continue
        deviations = exclude_flatness(assessment, name)
        if deviations < assessment.policy.flatness_excluded:
            found[name] = dataclasses.replace(
                estimate,
                sd=np.inf,
                status=Determination.NOT_DETERMINED,
                note=describe_flatness(estimate.value, deviations),
            )
    return found


def describe_flatness(value: float, deviations: float) -> str:
    """Why a value is not determined that acts like any larger one."""
    if deviations < TWO_SIDED:
        return (
            f"four times the value of {value:.3g} explains the data as well, with other values "
            "of the rest"
        )
    return (
        f"{value:.3g} explains the data best, but where all contacts stick, so that any larger "
        f"value does the same, is only {deviations:.1f} standard deviations away"
    )
