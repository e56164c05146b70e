"""What is implausible of a result, and what that takes away from it."""

from collections.abc import Iterator, Sequence

import numpy as np

from calibration.results.estimate import Estimate
from calibration.results.modification import Decision
from calibration.results.numbers import has_interval, listed
from calibration.results.result import Fit
from calibration.studies.asked.files import ball_of
from calibration.studies.doubts.camera import doubts_of_camera
from calibration.studies.plausibility.apparent_gravity import GRAVITY_OFF
from calibration.studies.plausibility.drag import (
    DRAG,
    NOTABLE,
    drag_beside_spheres,
    drag_coefficient_per,
    impact_speeds,
    implausible_drag,
    implausible_first_drag,
    reynolds_number,
    sphere_drag,
)
from calibration.studies.plausibility.finding import (
    Finding,
    Reading,
    is_meaningless,
    two_digits,
)
from calibration.studies.plausibility.implausible_modifications import implausible_modifications
from calibration.studies.plausibility.known_beforehand import contradicts_knowledge
from calibration.studies.plausibility.recordings import implausible_recordings, unseen_impacts
from calibration.studies.plausibility.recordings_apart import contradictions
from calibration.studies.plausibility.spins import wrong_spins
from calibration.studies.plausibility.withdrawal import with_findings
from calibration.studies.study import Ball, ModelOptions, Study

LARGEST_SPIN = 1000.0
"""Spin [rad/s] that no throw has: the fastest table-tennis serves reach 1000, golf drives 400."""

LEAST_SCALE = 0.03
"""Error of lengths that a ruler beside the flight has; more may as well be one of times."""

LARGEST_RESTITUTION = 0.98
"""Restitution above that of all published pairs that bounce in air (ceramic on glass 0.98)."""

CLEAR = 1 - 1e-6
"""Probability of the interval beyond which a drag must lie that no ball has, five standard errors,
before it makes all numbers meaningless.
"""

MODULI = (1e4, 1e12)
"""Moduli [Pa] of soft foam and beyond diamond; a stiffness outside means something else."""

FRICTION, STIFFNESS = "contact.friction.coefficient", "contact.normal.stiffness"
RESTITUTION = "contact.normal.restitution"
LIFT = "lift.coefficient"

CAMERA_FAULTS = {doubt.name for doubt in doubts_of_camera({"x", "z"}, (0.0, 0.0), 1.0, 0.01)}
"""Names of what a camera may do to flights."""


def implausible_results(fit: Fit, study: Study, readings: Sequence[Reading]) -> Iterator[Finding]:
    """Findings on what was found.

    Args:
        fit: of the recordings.
        study: what was asked.
        readings: recordings and what was detected in them.
    """
    found = {name: estimate for name, estimate in fit.parameters.items() if has_interval(estimate)}
    yield from _scale(found.get("length_scale"), study.model)
    # Where the fit took account of something else, the restitution went with the drag.
    adopted = any(item.decision is Decision.ADOPTED for item in fit.modifications)
    drags = list(_drag(found.get(DRAG), fit, study, readings))
    light = buoyant_scale(study.one_ball, study.model.fluid_density)
    drags = drags or list(_drag_of_scale(found.get("length_scale"), found.get(DRAG), light))
    for finding in drags:
        yield finding._replace(doubts=(*finding.doubts, RESTITUTION)) if adopted else finding
    yield from _restitution(found.get(RESTITUTION))
    yield from _spins(fit)
    yield from implausible_modifications(fit)
    yield from contradicts_knowledge(fit)
    if not any(recording.spin is not None for recording, _ in readings):
        yield from _lift_beside_camera(fit)
    yield from _modulus(found.get(STIFFNESS), study.one_ball)
    yield from sunken_surface(fit, study.one_ball.radius)


def believable_scale(scale: Estimate) -> bool:
    """Whether a length scale is one that cameras have."""
    return abs(1 / scale.value - 1) < GRAVITY_OFF


def _scale(scale: Estimate | None, model: ModelOptions) -> Iterator[Finding]:
    """A length scale that is gravity far from the stated one."""
    if scale is None or believable_scale(scale) or abs(scale.value - 1) < 2 * scale.sd:
        return
    ratio = 1 / scale.value
    apparent = two_digits(ratio * model.gravity)
    yield Finding(
        f"Gravity comes out {two_digits(ratio)} times the stated one ({apparent} m/s^2 instead of "
        f"{model.gravity:g}): lengths are wrong by this factor (--scale, the unit in the header), "
        f"or times by {two_digits(np.sqrt(ratio))} (--frame-rate), or --gravity is.",
        meaningless=True,
    )


def buoyant_scale(ball: Ball, fluid_density: float) -> float:
    """Gravity over the acceleration with which a ball falls at first in a fluid: it is lighter by
    what it displaces, and moves half of that along (Lamb, Hydrodynamics, art. 92).

    Args:
        ball: of the study.
        fluid_density: of what it falls in [kg/m^3].
    """
    fluid = 4 / 3 * np.pi * ball.radius**3 * fluid_density
    return float((ball.mass + fluid / 2) / (ball.mass - fluid))


def _drag_of_scale(
    scale: Estimate | None, drag: Estimate | None, light: float
) -> Iterator[Finding]:
    """A drag coefficient that depends on whether lengths or times are wrong."""
    if scale is None or drag is None or not believable_scale(scale):
        return
    # A ball that is light falls as if lengths were a little too short, and its drag is right.
    off = min(abs(scale.value - 1), abs(scale.value / light - 1))
    if off > max(3 * scale.sd, LEAST_SCALE) and off * drag.value > drag.sd:
        yield Finding(
            f"The drag coefficient is {two_digits(drag.value)} if the recorded lengths are wrong, "
            f"but {two_digits(drag.value * scale.value)} if the times are: say which, by --scale "
            "or --frame-rate, until both agree with gravity.",
            doubts=(DRAG,),
        )


def _drag(
    drag: Estimate | None, fit: Fit, study: Study, readings: Sequence[Reading]
) -> Iterator[Finding]:
    """A drag coefficient that no sphere has, or none whose surface is that of balls."""
    if drag is not None:
        ball, density = study.one_ball, study.model.fluid_density
        reynolds = reynolds_number(ball, density, impact_speeds(readings))
        found = list(implausible_drag(drag.value, drag.interval(), ball, reynolds))
        clear = any(implausible_drag(drag.value, drag.interval(CLEAR), ball, reynolds))
        correlation = _correlation(fit, DRAG, RESTITUTION)
        away = correlation * (drag.value - sphere_drag(reynolds)) / drag.sd
        along = (RESTITUTION,) if abs(away) > NOTABLE else ()
        for finding in found:
            # What hardly shows may be off by much and leave the rest as it is.
            hardly = finding._replace(doubts=(*finding.doubts, *along), meaningless=False)
            yield hardly if finding.meaningless and not clear else finding
        if not found and RESTITUTION in fit.names:
            restitution = fit.parameters[RESTITUTION]
            yield from drag_beside_spheres(drag, restitution, correlation, reynolds)
    elif study.model.drag:
        yield from implausible_first_drag(readings, study.one_ball, study.model)


def _correlation(fit: Fit, one: str, other: str) -> float:
    """Correlation of two parameters of a fit, 0 where it has none."""
    if not {one, other} <= set(fit.names):
        return 0.0
    return float(fit.correlation[fit.names.index(one), fit.names.index(other)])


def _restitution(restitution: Estimate | None) -> Iterator[Finding]:
    if restitution is None or restitution.value - 2 * restitution.sd < LARGEST_RESTITUTION:
        return
    yield Finding(
        f"A restitution of {restitution.value:.3g} is above that of all published pairs (ceramic "
        "on glass 0.98, steel 0.95): look whether the surface moves or the frame rate changes."
    )


def _spins(fit: Fit) -> Iterator[Finding]:
    """Spins that no throw has."""
    spins = [
        (abs(estimate.value), recording.name)
        for recording in fit.recordings
        for name, estimate in recording.nuisance.items()
        if name.startswith("spin_") and abs(estimate.value) > LARGEST_SPIN
    ]
    if spins:
        names = listed(list(dict.fromkeys(name for _, name in spins)))
        yield Finding(
            f"The initial spin comes out as {max(spins)[0]:.2g} rad/s ({names}), which no throw "
            "has: it takes the place of something else. Check --vertical and the axes; if the "
            "balls did not spin, give --no-spin.",
            doubts=(FRICTION,),
        )


def _lift_beside_camera(fit: Fit) -> Iterator[Finding]:
    """Lift by a spin that nobody measured, and faults of the camera beside it: each of them bends
    flights as the other does.
    """
    faults = [
        item.name
        for item in fit.modifications
        if item.decision is Decision.ADOPTED and item.name in CAMERA_FAULTS
    ]
    if faults and LIFT in fit.problem.layout.names:
        yield Finding(
            f"Spin that lifts the ball and {listed(faults)} bend flights alike, and these data ask "
            "for both: what they share is a guess. Measure the spin, throw without spin, or say "
            "what the camera does (--camera calibrated).",
            doubts=(RESTITUTION, DRAG, LIFT),
        )


def _modulus(stiffness: Estimate | None, ball: Ball) -> Iterator[Finding]:
    """A stiffness of Hertz's law, ``K = 4/3 E* sqrt(r)``, that no material has."""
    if stiffness is None:
        return
    modulus = 0.75 * stiffness.value / np.sqrt(ball.radius)
    if not MODULI[0] < modulus < MODULI[1]:
        yield Finding(
            f"The contact duration makes a modulus of {modulus:.1g} Pa, which no material has: it "
            "is a delay of something else (exposure, a clock), or the frame rate is wrong.",
            doubts=(STIFFNESS,),
        )


def sunken_surface(fit: Fit, radius: float) -> Iterator[Finding]:
    """Where every surface lies below ``z = 0`` by a good part of the radius: heights that were
    measured from the surface put it there if the radius is too large.

    Args:
        fit: of the recordings.
        radius: as given [m].
    """
    heights = np.array(
        [
            recording.nuisance["surface_height"].value
            for recording in fit.recordings
            if "surface_height" in recording.nuisance
        ]
    )
    if heights.size and np.all((heights < -0.3 * radius) & (heights > -1.1 * radius)):
        depth = -float(np.mean(heights))
        yield Finding(
            f"With a radius of {1e3 * radius:g} mm the surface lies {1e3 * depth:.1f} mm below "
            f"z = 0. Where z = 0 is the surface, the radius is {1e3 * (radius - depth):.1f} mm: is "
            "the radius that was given a diameter? Drag depends on its square."
        )


def implausible_readings(
    study: Study, readings: Sequence[Reading], *, lift: bool = False
) -> list[Finding]:
    """Findings on the recordings of a study, each for itself and together.

    Args:
        study: what was asked.
        readings: recordings and what was detected in them.
        lift: whether spin may lift the balls.
    """
    gravity, ball = study.model.gravity, study.one_ball
    found = implausible_recordings(readings, gravity=gravity)
    found += wrong_spins(readings, radius=ball.radius, shell=ball.shell) if not found else []
    if is_meaningless(found):
        return found
    factors = [
        drag_coefficient_per(ball_of(study, recording.path or recording.name), study.model)
        for recording, _ in readings
    ]
    found += contradictions(readings, gravity=gravity, drag_coefficients=factors, lift=lift)
    return found + list(unseen_impacts(readings))


def judge_plausibility(fit: Fit, study: Study, readings: Sequence[Reading]) -> Fit:
    """The fit with what is implausible of it first among its warnings, and without the standard
    errors that this takes away.

    Args:
        fit: of the recordings.
        study: what was asked.
        readings: recordings and what was detected in them.
    """
    before = implausible_readings(study, readings, lift=LIFT in fit.parameters)
    known = is_meaningless(before)
    findings = [*before, *(() if known else implausible_results(fit, study, readings))]
    return with_findings(fit, findings)
