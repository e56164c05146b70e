"""Drag coefficients that spheres have, and the likely cause of others."""

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.detection.bounces import pool_values
from calibration.results.estimate import Determination, Estimate
from calibration.results.numbers import value_and_sd
from calibration.studies.plausibility.finding import Finding, Reading
from calibration.studies.study import Ball, ModelOptions

DRAG = "drag.coefficient"

DRAG_ALIKE = (0.4, 2.2)
"""Drag coefficients over that of a smooth sphere: rough and spinning balls, the drag crisis."""

VISCOSITY = 1.8e-5
"""Of air [Pa s]."""

ROUGH_CRISIS, SMOOTH = 4e4, 0.7
"""Reynolds number below which not even rough spheres have less drag than this part of that of
smooth ones (Achenbach, J. Fluid Mech. 65 (1974) 113-125).
"""

DRAG_CRISIS = 1e5
"""Reynolds number from which on the drag coefficient may be as small as 0.07."""


FORMULA = 0.06
"""Relative error of the drag coefficient of a smooth sphere."""

FUZZ = 1.5
"""Drag of a tennis ball over that of a smooth sphere: no ball for play has more (Mehta, Alam and
Subic, Sports Technology 1 (2008) 7-16: 0.55 to 0.65).
"""

NOTABLE = 2.0
"""Standard deviations away from the drag of balls from which on a sentence is worth it."""

GOES_WITH = 0.7
"""Correlation of drag and restitution from which on an error of one is mostly one of the other."""

SURE = 3.0
"""Standard deviations between which the drag lies at first sight."""


def judge_drag(estimate: Estimate) -> Estimate:
    """The drag coefficient with the interval that flights give it, withdrawn where that reaches
    none.

    Flights depend on it in proportion, so that its error is normal as it is, not in its logarithm,
    whose interval never reaches none: of a heavy ball, whose flights hardly show it, what came out
    too large seemed to exclude what balls have. Where something is known of it beforehand, the
    estimate stays as it is.

    Args:
        estimate: as it was found.
    """
    known = estimate.curve is not None and estimate.curve.parameter.prior is not None
    if estimate.status is not Determination.DETERMINED or known:
        return estimate
    found = dataclasses.replace(estimate, curve=None)
    low, high = found.interval()
    if low > 0:
        return found
    return dataclasses.replace(
        found,
        sd=math.inf,
        status=Determination.NOT_DETERMINED,
        note=f"these flights hardly show it, anything up to {high:.2g} explains them",
    )


def drag_coefficient_per(ball: Ball, model: ModelOptions) -> float:
    """Drag coefficient over deceleration by drag per square of the speed, 2 m / (rho pi R^2) [m].

    Args:
        ball: of the study.
        model: with the density of the fluid.
    """
    return float(2 * ball.mass / (model.fluid_density * np.pi * ball.radius**2))


def sphere_drag(reynolds: float) -> float:
    """Drag coefficient of a smooth sphere below the drag crisis (Clift and Gauvin 1970).

    ``24/Re (1 + 0.15 Re^0.687) + 0.42/(1 + 42500 Re^-1.16)``, right within 6 % up to Re = 3e5.

    Args:
        reynolds: Reynolds number with the diameter.
    """
    return float(
        24 / reynolds * (1 + 0.15 * reynolds**0.687) + 0.42 / (1 + 42500 * reynolds**-1.16)
    )


def impact_speeds(readings: Sequence[Reading]) -> list[float]:
    """Speeds [m/s] before the impacts of recordings."""
    return [
        float(np.linalg.norm(np.nan_to_num(bounce.velocity_before)))
        for _, detected in readings
        for bounce in detected.bounces
    ]


def reynolds_number(ball: Ball, fluid_density: float, speeds: Sequence[float]) -> float:
    """Of the flights before the impacts, on average; at least 1.

    Args:
        ball: as the study has it.
        fluid_density: of what it falls in [kg/m^3].
        speeds: before the impacts [m/s].
    """
    speed = 0.6 * float(np.median(speeds))
    return max(2 * ball.radius * speed * fluid_density / VISCOSITY, 1.0)


def implausible_drag(
    value: float,
    interval: tuple[float, float],
    ball: Ball,
    reynolds: float,
) -> Iterator[Finding]:
    """A finding where no sphere has such a drag coefficient.

    Args:
        value: of the coefficient.
        interval: ends of its interval.
        ball: as the study has it.
        reynolds: Reynolds number of the flights.
    """
    expected = sphere_drag(reynolds)
    share = SMOOTH if reynolds < ROUGH_CRISIS else DRAG_ALIKE[0]
    least = 0.07 if reynolds > DRAG_CRISIS else share * expected
    low, high = interval
    if high >= least and low <= DRAG_ALIKE[1] * expected:
        return
    ratio = value / expected
    says = (
        f"The drag coefficient comes out as {value:.2g}; that of a sphere is about "
        f"{expected:.2g} (0.1 to 1 for any)"
    )
    if abs(np.log(4 * ratio)) < 0.4:
        yield Finding(
            f"{says}: --radius {ball.radius:g} is probably the diameter; with --radius "
            f"{ball.radius / 2:g} it is {4 * value:.2g}.",
            doubts=(DRAG,),
        )
        return
    mass, radius = ball.mass / ratio, ball.radius * np.sqrt(ratio)
    heavy, small = ("large", "small") if ratio > 1 else ("small", "large")
    other = (
        "a restitution that falls with the speed looks like drag (--restitution-law viscoelastic)"
        if ratio > 1
        else "there is hardly any air (--no-drag)"
    )
    cause = (
        f"--mass {ball.mass:g} is too {heavy} ({mass:.2g} would do), --radius {ball.radius:g} too "
        f"{small} ({radius:.2g} would do), or {other}"
    )
    # What looks like more drag than there is, is in all other numbers, too.
    yield Finding(f"{says}: {cause}.", doubts=(DRAG,), meaningless=ratio > 1)


def drag_beside_spheres(
    drag: Estimate, restitution: Estimate, correlation: float, reynolds: float
) -> Iterator[Finding]:
    """A finding where the drag is below that of a smooth sphere, which seams and spin only enlarge
    at this speed, or above that of a ball with fuzz, and the restitution goes with it: both then
    stand for what a camera does.

    Args:
        drag: its coefficient as it was found.
        restitution: found beside it.
        correlation: of both.
        reynolds: Reynolds number of the flights.
    """
    expected = sphere_drag(reynolds)
    error = math.hypot(drag.sd, FORMULA * expected)
    below = expected - drag.value > NOTABLE * error
    above = drag.value - FUZZ * expected > NOTABLE * error
    known = reynolds < ROUGH_CRISIS and abs(correlation) > GOES_WITH
    if not known or not (below or above):
        return
    there = restitution.value + correlation * restitution.sd * (expected - drag.value) / drag.sd
    cause = (
        "Seams and spin make more drag, nothing makes less."
        if below
        else "Not even fuzz makes so much, but errors of neighbouring pictures that hang together "
        "do: a small ball in a film that was compressed strongly."
    )
    yield Finding(
        f"The drag coefficient comes out as {value_and_sd(drag.value, drag.sd)}; that of a smooth "
        f"sphere is about {expected:.2g} here, and with it the restitution would be {there:.3g} "
        f"instead of {restitution.value:.3g}: these data hardly tell one from the other "
        f"(correlation {correlation:+.2f}). {cause} If mass and radius are right, and the ball is "
        f"smooth and hardly spins: --parameter '{DRAG}={expected:.2g}'.",
        doubts=(DRAG,),
    )


def implausible_first_drag(
    readings: Sequence[Reading], ball: Ball, model: ModelOptions
) -> Iterator[Finding]:
    """The same of what the flights show at first sight. A lens may have bent them, so that it does
    not make a result meaningless.

    Args:
        readings: recordings and what was detected in them.
        ball: as the study has it.
        model: with the density of the fluid.
    """
    told = [
        (detected.drag, detected.drag_sd)
        for _, detected in readings
        if detected.bounces and detected.drag != 0 and np.isfinite(detected.drag_sd)
    ]
    if told:
        factor = drag_coefficient_per(ball, model)
        value, sd = (factor * one for one in pool_values(*zip(*told, strict=True)))
        interval = (value - SURE * sd, value + SURE * sd)
        reynolds = reynolds_number(ball, model.fluid_density, impact_speeds(readings))
        for finding in implausible_drag(value, interval, ball, reynolds):
            yield finding._replace(meaningless=False)
