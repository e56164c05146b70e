"""Sweeps over scenes of several bodies: the numbers of single simulations, whatever the groups."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.systems import pfc

pytestmark = pytest.mark.slow

TIMES = np.array([0.0, 0.1, 0.2])
MASSES = np.array([0.05, 0.1, 0.2, 0.4, 0.8])
RESTITUTION, SPEED = 0.7, 1.5


def collide(mass):
    """A sphere of 0.1 kg meets one at rest, 60 mm away, head on."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=jnp.stack([jnp.asarray(0.1), mass])),
        surfaces=(),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=RESTITUTION)),
        gravity=(0.0, 0.0, 0.0),
    )
    position = ((0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
    return scene, jc.state(position=position, velocity=((SPEED, 0.0, 0.0), (0.0, 0.0, 0.0)))


def speeds(motion):
    return motion.velocity[-1, :, 0], motion.status


def drop(case):
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.003),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=case["restitution"])),
    )
    return scene, jc.state(position=(0.0, 0.0, case["height"]))


def height(motion):
    return {"height": motion.position[-1, 2], "first": motion.contacts.touch_down[0]}


@pytest.mark.long
def test_two_spheres_part_as_momentum_and_restitution_say():
    expected = np.stack(
        [
            SPEED * (0.1 - RESTITUTION * MASSES) / (0.1 + MASSES),
            SPEED * 0.1 * (1 + RESTITUTION) / (0.1 + MASSES),
        ],
        axis=1,
    )
    for lanes in (2, 5):
        found, status = jc.sweep(
            collide, MASSES, TIMES, method=jc.Impulse(), keep=speeds, lanes=lanes
        )
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert not np.any(status)


@pytest.mark.long
def test_what_is_kept_is_part_of_the_motion_also_in_compiled_code():
    cases = {"restitution": np.array([0.5, 0.9, 0.7]), "height": np.array([0.5, 0.2, 0.3])}
    method = jc.Impulse(max_contacts=30)
    whole = jc.sweep(drop, cases, TIMES, method=method, lanes=2)
    kept = jc.sweep(drop, cases, TIMES, method=method, keep=height, lanes=2)
    traced = jax.jit(
        lambda cases: jc.sweep(drop, cases, TIMES, method=method, keep=height, lanes=2)
    )(cases)
    for found in (kept, traced):
        np.testing.assert_allclose(found["height"], whole.position[:, -1, 2], rtol=1e-12)
        np.testing.assert_allclose(found["first"], whole.contacts.touch_down[:, 0], rtol=1e-12)
    np.testing.assert_allclose(
        kept["first"], np.sqrt(2 * (cases["height"] - 0.02) / 9.81), rtol=1e-12
    )


@pytest.mark.long
def test_one_that_bounces_often_is_followed_in_groups_of_any_size(monkeypatch):
    """It needs more contacts than are tried at first, and than a group of that size has room for:
    it goes in a smaller one, and the others keep their numbers.
    """
    monkeypatch.setattr(sys.modules["jaxcontact.sweep"], "MOST_ENTRIES", 250)
    cases = {"restitution": np.array([0.5, 0.97, 0.7]), "height": np.array([0.5, 0.03, 0.3])}
    times = np.array([0.0, 4.0])
    found = jc.sweep(drop, cases, times, method=jc.Impulse(), lanes=3)
    assert found.succeeded.all()
    counts = np.sum(found.contacts.happened, axis=1)
    assert counts[1] > 50 > counts[0]
    for number in range(3):
        case = {name: float(values[number]) for name, values in cases.items()}
        alone = jc.simulate(*drop(case), times, method=jc.Impulse())
        np.testing.assert_allclose(found.position[number], alone.position, rtol=0, atol=1e-12)
        assert counts[number] == np.sum(alone.contacts.happened)


@pytest.mark.long
def test_the_contact_of_another_program_is_swept():
    def touch(stiffness):
        contact = pfc.Contact(
            model=pfc.Linear(kn=stiffness, dp_nratio=0.1),
            radius1=0.02,
            mass1=0.05,
            radius2=0.03,
            mass2=0.12,
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=(0.02, 0.03), mass=(0.05, 0.12)),
            surfaces=(),
            contact=contact,
            gravity=(0.0, 0.0, 0.0),
        )
        position = ((0.0, 0.0, 0.0), (0.06, 0.0, 0.0))
        return scene, jc.state(position=position, velocity=((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))

    stiffness = np.array([1e5, 4e5])
    found = jc.sweep(touch, stiffness, [0.0, 0.05])
    assert found.succeeded.all()
    lasts = (found.contacts.lift_off - found.contacts.touch_down)[:, 0]
    # Half a period of the damped oscillation, cut where the force reaches zero: as 1/sqrt(k).
    assert lasts[0] == pytest.approx(2 * lasts[1], rel=1e-6)
    alone = jc.simulate(*touch(1e5), [0.0, 0.05])
    np.testing.assert_allclose(found.velocity[0], alone.velocity, rtol=0, atol=1e-10)
