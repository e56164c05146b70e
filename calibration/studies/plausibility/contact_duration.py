"""How long the impacts of a ball last: what is known of it beforehand, what the data say, and the
stiffness that follows.
"""

import math
from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.detection.bounces import DetectedBounces, duration_from_heights
from calibration.fitting.assessment import Assessment
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.shown.fitted_scene import fitted_scene
from calibration.measurements.contact_durations import LONGEST, simulate_duration
from calibration.model.prior import HeavyTailed
from calibration.problem.problem import Problem
from calibration.results.estimate import Determination, Estimate
from calibration.studies.choices.normal_laws import (
    GUESSED_DURATION,
    HERTZ_TIME,
    hertz_stiffness,
)
from calibration.studies.plausibility.results import STIFFNESS
from calibration.studies.scene import make_ball
from calibration.studies.study import Study
from jaxcontact.laws.core.rigid_impact import DURATION_EXPONENT
from jaxcontact.numerics.compilation import quick_jit

DURATION = "contact.normal.duration"

SHOWN = 3.0
"""Pictures of one contact from which on they show its duration, whatever its law."""

SOFTEST = 3e6
"""Young's modulus of the softest balls that bounce [Pa]: rubber of 30 Shore A, and what the air in
a football comes to.
"""


def duration_of_balls(study: Study, detections: Sequence[DetectedBounces]) -> HeavyTailed:
    """What is known beforehand of the duration of a contact at 1 m/s [s]: between next to nothing
    and that of the softest balls, by Hertz's law of a ball of this radius and mass on a hard plane.

    Where the heights at which flights meet look like those of a soft surface, it may be one: the
    range then reaches halfway to the duration that they show.

    Args:
        study: which ball.
        detections: of its recordings.
    """
    modulus = SOFTEST / (1 - 0.5**2)
    stiffness = 4 / 3 * modulus * math.sqrt(study.one_ball.radius)
    longest = HERTZ_TIME * (study.one_ball.mass / stiffness) ** 0.4
    # None is negative, but where a little less than nothing fits best the interval is as wide as it
    # should be.
    return HeavyTailed(
        0.25 * longest, max(0.4 * longest, 0.5 * _longest_shown(detections)), above=True
    )


def describe_long_contacts(study: Study, detections: Sequence[DetectedBounces]) -> Iterator[str]:
    """Say that contacts longer than balls on hard planes have were left open, and why.

    Args:
        study: which ball.
        detections: of its recordings.
    """
    if duration_of_balls(study, detections).scale > duration_of_balls(study, ()).scale:
        lasts = 1e3 * _longest_shown(detections)
        yield (
            f"Flights meet at heights as if contacts lasted {lasts:.2g} ms: the ball or the "
            "surface may be soft, or the surface slopes along the path. Such durations were left "
            "open, and intervals allow for them; a camera of more pictures a second, or a hard "
            "level surface, makes them narrower."
        )


def _longest_shown(detections: Sequence[DetectedBounces]) -> float:
    """The longest duration [s] that the heights of the bounces of a recording show."""
    return max((duration_from_heights(found.bounces) for found in detections), default=0.0)


def duration_seen(
    study: Study, detections: Sequence[DetectedBounces], assessment: Assessment
) -> tuple[float, float]:
    """Contact duration at 1 m/s and its standard error [s] as the data alone have it, without what
    is known of balls beforehand; infinite where they have next to no say.
    """
    estimate = estimate_shared(assessment)[DURATION]
    known = duration_of_balls(study, detections)
    residual, slope = jax.value_and_grad(known.residual)(estimate.value)
    precision = 1 / estimate.sd**2 - slope**2
    if not precision > 0.05 / known.scale**2:
        return known.centre, np.inf
    value = estimate.value + residual * slope / precision
    return float(value), float(precision**-0.5)


def slower_change(speeds: Sequence[float], speed: float) -> float:
    """By what part a contact is shorter at ``speed`` where its duration does not depend on speed at
    all, as that of a shell or of a linear spring, than it comes out where it was taken as Hertz's.

    Where pictures do not show the inside of contacts, flights before and after tell their duration,
    by how much lower they meet the faster the ball is, in proportion to ``v duration(v)``; a height
    of the surface is found beside.

    Args:
        speeds: of the impacts [m/s].
        speed: at which the duration is given [m/s].
    """
    constant = np.asarray(speeds)
    hertz = constant * (constant / speed) ** DURATION_EXPONENT
    away = hertz - np.mean(hertz)
    square = float(np.sum(away**2))
    return 1 - square / float(np.sum(away * constant)) if square > 0 else 0.0


_simulate_duration = quick_jit(simulate_duration, optimised=False)


def damped_duration(study: Study, restitution: float, speed: float) -> float:
    """How much longer an impact of Hunt and Crossley's law lasts than one of Hertz's with the same
    stiffness: it depends on the restitution alone.
    """
    undamped = GUESSED_DURATION
    stiffness = hertz_stiffness(study.one_ball.mass, speed, undamped)
    scene = jc.Scene(
        bodies=make_ball(study),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(
                stiffness=stiffness, restitution=min(max(restitution, 0.02), 0.9999)
            )
        ),
        gravity=(0.0, 0.0, 0.0),
    )
    lasts = _simulate_duration(scene, jnp.asarray(speed), jnp.asarray(LONGEST * undamped))
    return float(lasts) / undamped


def stiffness(study: Study, problem: Problem, assessment: Assessment) -> Estimate:
    """What the contact duration says of the stiffness of Hunt and Crossley's law: almost always a
    lower limit.

    ``K = m v^(-1/2) (HERTZ_TIME f(e)/duration)^(5/2)``, where damping lengthens the contact by the
    factor ``f(e)``.
    """
    at_unit_speed, sd_at_unit_speed = duration_seen(study, problem.detections, assessment)
    speeds = [
        -bounce.velocity_before[2] for reading in problem.detections for bounce in reading.bounces
    ]
    speed, mass = float(np.median(speeds)), study.one_ball.mass
    duration, sd = (one * speed**DURATION_EXPONENT for one in (at_unit_speed, sd_at_unit_speed))
    steps = np.concatenate(
        [np.diff(np.unique(time)) for data in problem.data for time in data.samples[0].times]
    )
    interval = float(np.median(steps))
    if duration < SHOWN * interval:
        sd = math.hypot(sd, 0.5 * duration * slower_change(speeds, speed))
        allowed = ", the error of which allows for one that does not depend on speed"
    else:
        allowed = ""

    def found(value: float, deviation: float, status: Determination, note: str) -> Estimate:
        return Estimate(
            STIFFNESS,
            "contact stiffness",
            "K",
            "N/m^1.5",
            value,
            deviation,
            np.nan,
            status,
            note,
        )

    longest = max(duration, 0.0) + 1.645 * sd
    # A delay shorter than the time between two pictures could be anything; a model that misses the
    # data has no say.
    if assessment.explained and duration > max(4 * sd, interval):
        law = fitted_scene(assessment).contact.normal
        restitution = float(law.restitution_at(speed, mass=mass))
        undamped = hertz_stiffness(mass, speed, duration)
        value = undamped * damped_duration(study, restitution, speed) ** 2.5
        relative = 2.5 * sd / duration
        measured = f"{1e3 * duration:.3g} +- {1e3 * sd:.2g} ms"
        note = (
            f"of Hunt and Crossley's law, from a contact duration of {measured} at {speed:.2g} "
            f"m/s{allowed}; without damping it would be {undamped:.3g}"
        )
        return found(value, value * relative, Determination.DETERMINED, note)
    note = (
        f"the camera takes a picture every {1e3 * interval:.3g} ms; a contact may last up to "
        f"{1e3 * longest:.2g} ms (95 %), that is K >"
        f" {hertz_stiffness(mass, speed, longest):.1g} N/m^1.5; a high-speed camera or a force "
        "sensor would show it"
        if np.isfinite(longest)
        else "a contact of any duration explains the data"
    )
    return found(np.nan, np.inf, Determination.NOT_DETERMINED, note)
