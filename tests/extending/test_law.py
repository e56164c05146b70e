"""A law written outside the packages: checked, simulated, differentiated, fitted, profiled."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from tests.extending.overlap_dashpot import (
    LogarithmicRestitution,
    OverlapDashpot,
    overlap_dashpot_force,
)

RUBBER = OverlapDashpot(stiffness=1e5, overlap_damping=4e3)
RIGID = LogarithmicRestitution(restitution=0.8, velocity_exponent=0.15)
BALL = jc.spheres(radius=0.02, mass=0.01)
TIMES = jnp.linspace(0.0, 0.9, 181)


def scene(law, gravity=(0.0, 0.0, -9.81)):
    friction = jc.RegularizedCoulomb(coefficient=0.2)
    contact = jc.ContactModel(normal=law, friction=friction)
    return jc.Scene(bodies=BALL, contact=contact, gravity=gravity)


def dropped(law, method):
    return jc.simulate(scene(law), jc.state(position=(0.0, 0.0, 0.25)), TIMES, method=method)


def test_the_function_keeps_the_contract_of_all_laws():
    jc.testing.check_law(
        overlap_dashpot_force, checks=("finite", "jvp", "vjp", "smoothness", "energy")
    )


@pytest.mark.long
@pytest.mark.parametrize("law", [RUBBER, RIGID], ids=["compliant", "rigid"])
def test_the_model_is_one_for_scenes(law):
    jc.testing.check_law(law)


def test_copies_of_the_model_are_equal():
    copy = pickle.loads(pickle.dumps(RUBBER))
    assert type(copy) is type(RUBBER)
    assert jax.tree.structure(copy) == jax.tree.structure(RUBBER)


@pytest.mark.long
def test_it_bounces_as_its_restitution_says():
    # Without gravity, which acts in the contact, too: it takes 2.4 % of this restitution.
    thrown = jc.state(position=(0.0, 0.0, 0.25), velocity=(0.0, 0.0, -2.0))
    method = jc.EventAligned(max_contacts=6)
    contacts = jc.simulate(scene(RUBBER, (0.0, 0.0, 0.0)), thrown, TIMES, method=method).contacts
    ratio = contacts.rebound_speed[0] / contacts.impact_speed[0]
    told = RUBBER.restitution_at(2.0, mass=0.01)
    assert ratio == pytest.approx(float(told), rel=1e-8)


@pytest.mark.slow
def test_the_rigid_law_is_fitted_and_profiled():
    motion = dropped(RIGID, jc.Impulse(max_contacts=10))
    noise = 1e-4 * np.random.default_rng(3).normal(size=(len(TIMES), 3))
    recording = cal.Recording(
        name="drop", time=np.asarray(TIMES), position=np.asarray(motion.position) + noise
    )
    guess = scene(LogarithmicRestitution(restitution=0.7, velocity_exponent=0.05))
    names = ["contact.normal.restitution", "contact.normal.velocity_exponent"]
    nuisance = [cal.nuisances.InitialState()]
    fit = cal.fit(cal.Problem(guess, [recording], free=names, nuisance=nuisance))
    for name, true in zip(names, (0.8, 0.15), strict=True):
        found = fit.parameters[name]
        assert abs(found.value - true) < 5 * found.sd
    profiles = cal.profile(fit, names[:1], points=3)
    assert names[0] in profiles
