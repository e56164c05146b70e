"""Friction in a contact on which gravity pulls along the plane: a success is right, also where the
contact sticks and lets go while the force fades.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation import in_time, scenes
from tests.jaxcontact.simulation.test_values import reference_law


def random_case(rng: np.random.Generator) -> dict:
    """One oblique impact on a tilted plane; from sliding throughout to sticking that begins and
    ends within a thousandth of the contact.
    """
    direction = np.append(0.6 * rng.normal(size=2), 1.0)
    normal = direction / np.linalg.norm(direction)
    velocity = rng.normal(size=3) * 10 ** rng.uniform(-1.0, 0.5)
    velocity -= (velocity @ normal + 10 ** rng.uniform(-0.8, 0.6)) * normal
    return {
        "restitution": rng.choice([0.35, 0.5, 0.7, 0.9, 0.97]),
        "exponent": 1.5,
        "stiffness": 10 ** rng.uniform(4.5, 8),
        "friction": 10 ** rng.uniform(-1.5, 0.2),
        "slip_velocity": 10 ** rng.uniform(-3.5, 0.0),
        "normal": tuple(direction),
        "position": (scenes.BASE["radius"] + 1e-4) * normal,
        "velocity": velocity,
        "spin": rng.normal(size=3) * 10 ** rng.uniform(0, 2),
        "duration": 0.1,
    }


@partial(jax.jit, static_argnames=("law", "method"))
def run(p: dict, times: jax.Array, *, law: str, method: jc.EventAligned) -> jc.Trajectory:
    return jc.simulate(scenes.scene(p, law=law), scenes.initial(p), times, method=method)


@pytest.mark.long
@pytest.mark.parametrize("law", ["hunt_crossley", "tsuji_zero_force", "linear_zero_overlap"])
def test_what_is_called_a_success_is_right(law):
    rng = np.random.default_rng(3)
    worst, inexact = 0.0, 0
    for _ in range(12):
        case = {**scenes.BASE, **random_case(rng)}
        p = {name: jnp.asarray(value, dtype=float) for name, value in case.items()}
        method = jc.EventAligned(max_contacts=1)
        first = run(p, np.array([0.0, case["duration"]]), law=law, method=method).contacts
        times = np.array([0.0, first.lift_off[0] + 1e-9])
        found = run(p, times, law=law, method=method)
        if found.status == jc.Status.INEXACT_STEPS:
            inexact += 1
            method = jc.EventAligned(max_contacts=1, contact_steps=80)
            found = run(p, times, law=law, method=method)
        assert found.status == jc.Status.SUCCESS
        sphere = in_time.Sphere(
            reference_law(law, case),
            planes=((case["normal"], 0.0),),
            friction=case["friction"],
            slip_velocity=case["slip_velocity"],
            phi=scenes.REGULARIZATION.get(law, "root"),
        )
        start = np.concatenate([case["position"], case["velocity"], case["spin"]])
        expected = in_time.integrate(sphere, start, times).states[-1]
        error = np.append(
            found.velocity[-1] - expected[3:6], 0.02 * (found.spin[-1] - expected[6:])
        )
        worst = max(worst, np.max(np.abs(error)) / found.contacts.impact_speed[0])
    assert worst < 2e-6
    assert inexact <= 3
