"""A simulation does not depend on where and in what units it is described, nor on where it is
interrupted.
"""

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies
from scipy.spatial.transform import Rotation

import jaxcontact as jc
from tests.jaxcontact.simulation import scenes

VECTORS = ("gravity", "normal", "position", "velocity", "spin")
CASES = (
    {},
    {"restitution": 0.95, "spin": (40.0, -20.0, 30.0)},
    {"restitution": 0.6, "velocity": (-1.0, 2.0, -1.0), "stiffness": 1e7},
    {"restitution": 0.3, "velocity": (1.0, 0.0, 0.0), "gravity": (1.0, 0.5, -9.7), "duration": 1.0},
)
number = strategies.floats(-2.0, 2.0).map(lambda x: round(x, 3))
few = hypothesis.settings(max_examples=8, deadline=None, derandomize=True, database=None)


def filled(case: dict) -> dict:
    return {**scenes.BASE, **case}


@few
@hypothesis.given(
    angles=strategies.tuples(number, number, number),
    shift=strategies.tuples(number, number, number),
    later=number,
)
@pytest.mark.slow
def test_rotating_and_moving_a_scene_rotates_and_moves_its_motion(angles, shift, later):
    rotation = Rotation.from_rotvec(angles)
    moved = []
    for case in map(filled, CASES):
        case |= {name: rotation.apply(case[name]) for name in VECTORS}
        case["position"] = case["position"] + shift
        case["offset"] = case["offset"] + case["normal"] @ shift  # unit normals
        moved.append({**case, "start": later})
    before, after = scenes.run(CASES), scenes.run(moved)
    for i in range(len(CASES)):
        np.testing.assert_allclose(
            after.position[i], rotation.apply(before.position[i]) + shift, rtol=0, atol=1e-7
        )
        np.testing.assert_allclose(
            after.velocity[i], rotation.apply(before.velocity[i]), rtol=0, atol=1e-5
        )
        np.testing.assert_allclose(after.spin[i], rotation.apply(before.spin[i]), rtol=0, atol=1e-3)


@few
@hypothesis.given(
    length=strategies.floats(0.01, 100.0),
    time=strategies.floats(0.1, 10.0),
    mass=strategies.floats(0.01, 100.0),
)
def test_other_units_give_the_same_motion(length, time, mass):
    factor = {
        "stiffness": mass * length**-0.5 / time**2,
        "slip_velocity": length / time,
        "mass": mass,
        "radius": length,
        "gravity": length / time**2,
        "offset": length,
        "position": length,
        "velocity": length / time,
        "spin": 1 / time,
        "start": time,
        "duration": time,
    }
    scaled = [
        {name: np.multiply(value, factor.get(name, 1.0)) for name, value in filled(case).items()}
        for case in CASES
    ]
    before, after = scenes.run(CASES), scenes.run(scaled)
    np.testing.assert_array_equal(after.status, before.status)
    np.testing.assert_allclose(after.position / length, before.position, rtol=0, atol=1e-8)
    np.testing.assert_allclose(after.velocity / length * time, before.velocity, rtol=0, atol=1e-7)


@few
@hypothesis.given(sample=strategies.integers(1, scenes.SAMPLES - 2))
def test_a_motion_may_be_interrupted_anywhere_in_flight(sample):
    whole = scenes.run(CASES)
    time = whole.times[:, sample]
    contacts = whole.contacts
    inside = (
        contacts.happened
        & (contacts.touch_down <= time[:, None])
        & (time[:, None] <= contacts.lift_off)
    )
    flying = (
        ~np.any(inside, axis=1)
        & (np.linalg.norm(whole.velocity[:, sample], axis=-1) > 0)
        & (whole.status == 0)
    )
    rest = [
        {
            **filled(case),
            "start": time[i],
            "duration": whole.times[i, -1] - time[i],
            "position": whole.position[i, sample],
            "velocity": whole.velocity[i, sample],
            "spin": whole.spin[i, sample],
        }
        for i, case in enumerate(CASES)
    ]
    second = scenes.run(rest)
    np.testing.assert_allclose(
        scenes.columns(second)[flying, -1], scenes.columns(whole)[flying, -1], rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("rigid", [True, False])
def test_what_else_is_asked_for_changes_nothing(rigid):
    """Many times are worked on in blocks, few at once."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.6)
        if rigid
        else jc.HuntCrossley(stiffness=1e6, restitution=0.6),
        friction=jc.Coulomb(coefficient=0.2)
        if rigid
        else jc.RegularizedCoulomb(coefficient=0.2, slip_velocity=1e-2),
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=contact,
        drag=jc.QuadraticDrag(coefficient=0.4) if rigid else None,
    )
    start = jc.state(position=(0.0, 0.0, 0.12), velocity=(0.5, 0.0, 0.0), spin=(0.0, 20.0, 0.0))
    times = np.linspace(0.0, 1.2, 3001)
    many, few = (
        jc.simulate(scene, start, chosen, method=jc.Impulse() if rigid else jc.EventAligned())
        for chosen in (times, times[::60])
    )
    assert np.sum(many.contacts.happened) > 5
    for name in ("position", "velocity", "spin"):
        found, wanted = np.asarray(getattr(many, name))[::60], np.asarray(getattr(few, name))
        size = np.max(np.abs(wanted))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * size, err_msg=name)
