"""What is said of impacts that do not have one restitution: that they scatter, or that restitution
depends on the speed.
"""

import numpy as np

from calibration.fitting.assessment import Assessment
from calibration.fitting.impacts.order import Deviations, Order, deviations_of
from calibration.fitting.scatter import LEAST
from calibration.nuisances.restitution import FACTOR, FIRST_GUESS
from calibration.problem.problem import Problem

ORDERED = 0.01
"""Chance below which an order of the impacts is believed."""

OF_TYPICAL = "of a typical impact: it changes with the speed"
"""What holds of a constant restitution, where single ones are in the order of their speeds."""


def describe_scatter(
    problem: Problem, assessment: Assessment, order: Order | None, *, law: str, drag: bool
) -> str:
    """How impacts deviate from the common restitution, in a sentence or two.

    Args:
        problem: in which impacts may deviate.
        assessment: of its minimum at the size of the scatter that was found.
        order: of the deviations, where they have one.
        law: of restitution that was fitted, as a study names it.
        drag: whether there was drag.
    """
    restitution = float(np.median([reading.restitution for reading in problem.detections]))
    slope = restitution * (1 - restitution)
    factor = float(np.exp(assessment.minimum.shared[assessment.layout.names.index(FACTOR)]))
    size = factor * FIRST_GUESS * slope
    if order is not None:
        deviations = deviations_of(problem, assessment)
        return describe_order(deviations, order, slope, law=law, drag=drag)
    if factor <= 1.01 * LEAST:
        return (
            "Impacts were allowed to deviate from the common restitution, one by one, but do not: "
            "what the model leaves unexplained lies elsewhere."
        )
    few = describe_uncertainty(assessment, size)
    return (
        "Impacts do not repeat exactly: the restitution of single impacts scatters by "
        f"{size:.2g} about the common value ({few}). Standard errors contain this scatter, "
        "with the degrees of freedom by which it is known."
    )


def describe_uncertainty(assessment: Assessment, size: float) -> str:
    """The interval of the size of the scatter, from the curvature of its likelihood."""
    posed = assessment.scattering
    curvature = max(posed.curvature(), 0.1) if posed is not None else 0.1
    wide = 1.96 * np.sqrt(2 / curvature)
    return f"95 %: {size * np.exp(-wide):.2g} to {size * np.exp(wide):.2g}"


def describe_order(
    deviations: Deviations, order: Order, slope: float, *, law: str, drag: bool
) -> str:
    """That restitution is in order, and which option follows it.

    Args:
        deviations: of single impacts.
        order: of them.
        slope: change of the restitution per deviation.
        law: of restitution that was fitted, as a study names it.
        drag: whether there was drag, or no flight that it could bend.
    """
    fast = deviations.speed >= np.median(deviations.speed)
    change = slope * float(np.mean(deviations.value[fast]) - np.mean(deviations.value[~fast]))
    way = "lower" if change < 0 else "higher"
    found = (
        f"The restitution of single impacts is ordered by {order.by} (rank correlation "
        f"{order.correlation:+.2f}, by chance {order.chance:.2g})"
    )
    if "speed" not in order.by:
        return f"{found}: something changes in the course of a recording; it is not scatter."
    option = (
        "--restitution-law viscoelastic (or 'power law') follows it"
        if law == "constant"
        else f"the law {law!r} does not follow it; try another --restitution-law"
    )
    or_drag = "" if drag else ", or air drag, which was left out"
    return (
        f"{found}: it is {abs(change):.2g} {way} in the faster half, from "
        f"{deviations.speed.min():.2g} to {deviations.speed.max():.2g} m/s. That is a dependence "
        f"on speed{or_drag}, not scatter: {option}. The restitution that is given is that of a "
        "typical impact."
    )
