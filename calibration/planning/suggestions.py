"""Experiments to suggest where no candidate shows a parameter: an oblique impact on film, and the
force of a contact.
"""

import dataclasses
import math
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from calibration.instruments import Film, ForceSensor
from calibration.planning.candidate import Candidate
from calibration.planning.expected_information import Expectation
from calibration.planning.planned import plan_motion, select_method
from calibration.uncertainty.linearisation import WorkingPoint
from jaxcontact.laws import CompliantLaw

SAMPLES = 40
"""Samples of a force in a contact."""

NOISE = 0.01
"""Standard deviation of a force, relative to its peak."""


def suggest_candidates(point: WorkingPoint) -> Iterator[Candidate]:
    """The suggestions: an oblique throw on film and, for a compliant law, the force of the first
    contact at a rate and a noise that suit it. None where there are several bodies.
    """
    if not point.problem.of_one_ball:
        return
    yield Candidate(
        instruments=(Film(rate=500.0, sigma=5e-4),),
        height=0.3,
        speed=2.0,
        angle=-30.0,
        duration=0.8,
    )
    scene = point.layout.at(point.scene, jnp.asarray(point.start.shared))[0]
    if not isinstance(scene.contact.normal, CompliantLaw):
        return
    sensor = Candidate(instruments=(ForceSensor(rate=1.0, sigma=1.0),), height=0.5, duration=0.6)
    motion = plan_motion(scene, sensor, select_method(point, sensor))
    if motion is None or motion.lift_off.size == 0 or not motion.lift_off[0] > motion.touch_down[0]:
        return
    duration = float(motion.lift_off[0] - motion.touch_down[0])
    # Half a sine of this impulse: F_max = (pi/2) m (v + v') / t_c.
    mass = float(np.max(np.asarray(scene.bodies.mass)))
    peak = math.pi / 2 * mass * float(motion.impact_speed[0] + motion.rebound_speed[0]) / duration
    rate, sigma = float(f"{SAMPLES / duration:.1g}"), float(f"{NOISE * peak:.1g}")
    yield dataclasses.replace(sensor, instruments=(ForceSensor(rate=rate, sigma=sigma),), name="")


def find_best_suggestion(expectation: Expectation, place: int) -> tuple[Candidate, float] | None:
    """The suggestion that shows a parameter best.

    Args:
        expectation: what is known at present.
        place: of the parameter among the free shared ones.

    Returns:
        The candidate and the standard error after it in natural coordinates; ``None`` where no
        suggestion shows the parameter.
    """
    suggestions = list(suggest_candidates(expectation.point))
    if not suggestions:
        return None
    sd, _ = expectation.covariances(suggestions)
    best: tuple[Candidate, float] | None = None
    for i, suggestion in enumerate(suggestions):
        after = sd[:, i, place]
        determined = after[np.isfinite(after)]
        if determined.size <= sd.shape[0] / 2:
            continue
        mean = float(np.exp(np.mean(np.log(determined))))
        if best is None or mean < best[1]:
            best = suggestion, mean
    return best
