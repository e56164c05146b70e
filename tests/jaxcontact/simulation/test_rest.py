"""From bouncing to rest, and what friction does before and after."""

import dataclasses

import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation import in_time, scenes


@pytest.mark.slow
def test_coming_to_rest_keeps_the_position_continuous_to_the_static_overlap():
    case = {"restitution": 0.5, "velocity": (0.0, 0.0, 0.0), "spin": (0.0, 0.0, 0.0)}
    found = scenes.run(
        [{**case, "duration": duration} for duration in (0.45, 0.46, 0.47, 0.48, 0.5, 2.0)],
        method=scenes.IN_TIME,
    )
    overlap = (scenes.BASE["mass"] * 9.81 / scenes.BASE["stiffness"]) ** (2 / 3)
    assert np.all(found.status == 1)
    height = found.position[..., 2] - scenes.BASE["radius"]
    np.testing.assert_allclose(height[:, -1], -overlap, rtol=1e-9)
    last = np.max(found.contacts.lift_off, axis=1)
    settling = found.times > last[:, None]
    # The last hop is lower than 1.7 overlap scales of its touch-down; nothing below the static
    # overlap follows it.
    assert np.all(height[settling] >= -overlap * (1 + 1e-9))
    assert np.all(height[settling] < 10 * overlap)


@pytest.mark.long
@pytest.mark.parametrize("restitution", [0.05, 0.3])
def test_a_landing_without_rebound_keeps_the_friction_of_its_impulse(restitution):
    """A soft, damped ball thrown obliquely settles at once; its rolling afterwards equals an
    integration through the contact.
    """
    case = {
        "restitution": restitution,
        "stiffness": 3e4,
        "velocity": (1.5, -0.4, -0.5),
        "spin": (20.0, 5.0, 3.0),
        "friction": 0.2,
    }
    case |= {"position": (0.0, 0.0, 0.03), "duration": 0.35}
    p = {**scenes.BASE, **case}
    law = in_time.hunt_crossley(p["stiffness"], restitution)
    sphere = in_time.Sphere(
        law,
        radius=p["radius"],
        mass=p["mass"],
        friction=p["friction"],
        slip_velocity=p["slip_velocity"],
    )
    expected = in_time.integrate(
        sphere,
        np.concatenate([p["position"], p["velocity"], p["spin"]]),
        p["duration"] * np.linspace(0, 1, 41),
    )
    # It sinks in by more than the hundredth of its radius that counts as rest by default.
    assert scenes.run([case]).status[0] == jc.Status.UNRESOLVED_CONTACT
    found = scenes.run([case], method=dataclasses.replace(scenes.IN_TIME, rest_overlap=0.5))
    assert found.status[0] == 1
    np.testing.assert_allclose(
        found.velocity[0, -1, :2], expected.states[-1, 3:5], rtol=0, atol=1e-3
    )
    np.testing.assert_allclose(found.position[0, -1], expected.states[-1, :3], rtol=0, atol=3e-3)


def test_rest_does_not_depend_on_the_stiffness():
    cases = [
        {"stiffness": k, "restitution": 0.4, "velocity": (1.0, 0.0, 0.0), "duration": 2.0}
        for k in (1e5, 1e7, 1e9, 1e12)
    ]
    found = scenes.run(cases, method=scenes.IN_TIME)
    assert np.all(found.status == 1)
    speed = (1.0 + 0.4 * scenes.BASE["radius"] * scenes.BASE["spin"][1]) / 1.4
    np.testing.assert_allclose(found.velocity[:, -1, 0], speed, rtol=1e-6)


def test_a_sphere_slides_down_an_incline_that_is_too_steep_to_roll():
    slope = np.radians(40.0)
    gravity = (9.81 * np.sin(slope), 0.0, -9.81 * np.cos(slope))
    case = {
        "position": (0.0, 0.0, 0.02),
        "velocity": (0.2, 0.0, 0.0),
        "spin": (0.0, 0.0, 0.0),
        "friction": 0.15,
        "slip_velocity": 1e-6,
    }
    found = scenes.run([{**case, "gravity": gravity}])
    acceleration = 9.81 * (np.sin(slope) - 0.15 * np.cos(slope))
    np.testing.assert_allclose(
        found.velocity[0, :, 0], 0.2 + acceleration * found.times[0], rtol=1e-6
    )
    np.testing.assert_allclose(
        found.position[0, :, 0],
        0.2 * found.times[0] + acceleration / 2 * found.times[0] ** 2,
        atol=1e-6,
    )
