"""Experiments to name when nothing on a list shows a parameter: an oblique impact on film, and the
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
from calibration.planning.planned import planned_motion, simulation_method
from calibration.uncertainty.linearisation import WorkingPoint

SAMPLES = 40
"""Samples of a force in a contact."""

NOISE = 0.01
"""Standard deviation of a force, relative to its peak."""


def wished(point: WorkingPoint) -> Iterator[Candidate]:
    """What could be wished for."""
    yield Candidate(
        instruments=(Film(rate=500.0, sigma=5e-4),),
        height=0.3,
        speed=2.0,
        angle=-30.0,
        duration=0.8,
    )
    scene = point.layout.at(point.scene, jnp.asarray(point.start.shared))[0]
    if not hasattr(scene.contact.normal, "force"):
        return
    sensor = Candidate(instruments=(ForceSensor(rate=1.0, sigma=1.0),), height=0.5, duration=0.6)
    motion = planned_motion(scene, sensor, simulation_method(point, sensor))
    if motion is None or motion.lift_off.size == 0 or not motion.lift_off[0] > motion.touch_down[0]:
        return
    lasts = float(motion.lift_off[0] - motion.touch_down[0])
    peak = (
        math.pi
        / 2
        * float(np.max(np.asarray(scene.bodies.mass)))
        * float(motion.impact_speed[0] + motion.rebound_speed[0])
        / lasts
    )
    rate, sigma = float(f"{SAMPLES / lasts:.1g}"), float(f"{NOISE * peak:.1g}")
    yield dataclasses.replace(sensor, instruments=(ForceSensor(rate=rate, sigma=sigma),), name="")


def granted(expectation: Expectation, place: int) -> tuple[Candidate, float] | None:
    """The wish that shows the parameter at ``place`` best, and its standard error in natural
    coordinates; ``None`` where none does.
    """
    suggestions = list(wished(expectation.point))
    sd, _ = expectation.covariances(suggestions)
    seen = [np.log(column[np.isfinite(column)]) for column in sd[:, :, place].T]
    found = [
        (float(np.exp(np.mean(logs))), i)
        for i, logs in enumerate(seen)
        if logs.size > sd.shape[0] / 2
    ]
    return (suggestions[min(found)[1]], min(found)[0]) if found else None
