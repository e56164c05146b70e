"""Contacts and flights that the quick way does not follow say so, and outside of compiled code the
exact way is found: against integrations by scipy, which share nothing with the engine.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.core.status import succeeded
from tests.jaxcontact.simulation import in_time, scenes

TIMES = np.linspace(0.0, 0.4, 9)


def dropped(restitution, stiffness=1e5):
    law = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
    return jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.01), contact=jc.ContactModel(normal=law))


START = jc.state(position=(0.0, 0.0, 0.12))


def expected(restitution, stiffness=1e5):
    law = in_time.hunt_crossley(stiffness, restitution)
    sphere = in_time.Sphere(law, radius=0.02, mass=0.01)
    return in_time.integrate(sphere, np.array([0.0, 0.0, 0.12, *np.zeros(6)]), TIMES).states


def contacts_of(restitution, method):
    """Heights up to the last lift-off, and the status."""
    found = jc.simulate(dropped(restitution), START, TIMES, method=method, strict=False)
    last = jnp.max(jnp.where(found.contacts.happened, found.contacts.lift_off, 0.0))
    return found.position[:, 2], last >= TIMES, found.status


@pytest.mark.slow
@pytest.mark.parametrize("restitution", [0.2, 0.3, 0.4])
def test_a_plain_call_follows_what_the_quick_way_does_not(restitution):
    quick = jc.EventAligned(max_contacts=12)
    *_, status = jax.jit(contacts_of, static_argnames="method")(restitution, quick)
    assert status == jc.Status.INEXACT_CONTACT
    assert not succeeded(status)
    heights, bounces, status = contacts_of(restitution, quick)
    assert succeeded(status)
    np.testing.assert_allclose(
        heights[bounces], expected(restitution)[bounces, 2], rtol=0, atol=1e-8
    )


def test_who_chooses_how_contacts_are_solved_for_is_told_only():
    with pytest.raises(jc.SimulationError, match=r"INEXACT_CONTACT.*in_time=True"):
        jc.simulate(
            dropped(0.1), START, TIMES, method=jc.EventAligned(max_contacts=12, at_once=True)
        )


@pytest.mark.long
@pytest.mark.slow
def test_a_restitution_that_no_way_follows_is_refused():
    start = jc.state(position=(0.0, 0.0, 0.02), velocity=(0.0, 0.0, -1.0))
    weightless = dataclasses.replace(dropped(5e-4), gravity=(0.0, 0.0, 0.0))
    with pytest.raises(jc.SimulationError, match="TOO_FEW_STEPS"):
        jc.simulate(weightless, start, TIMES, method=jc.EventAligned(max_contacts=2))


@pytest.mark.long
@pytest.mark.slow
def test_a_sweep_follows_the_lanes_that_need_it():
    restitutions = jnp.array([0.9, 0.1, 0.7, 0.2])
    method = jc.EventAligned(max_contacts=12)
    found = jc.sweep(lambda e: (dropped(e), START), restitutions, TIMES, method=method)
    assert found.succeeded.all()
    for e, heights in zip(restitutions, found.position[..., 2], strict=True):
        own, *_ = contacts_of(e, method)
        np.testing.assert_allclose(heights, own, rtol=0, atol=1e-12)


LIGHT = {"mass": 1e-4, "velocity": (8.0, 0.2, 1.0), "spin": (3.0, 100.0, 2.0)}


@pytest.mark.long
@pytest.mark.slow
def test_strong_drag_takes_more_steps():
    """The derivatives by the drag, too, which the usual steps miss by 5e-5."""
    p = {**{name: jnp.asarray(value) for name, value in scenes.BASE.items()}, **LIGHT}
    p = {name: jnp.asarray(value, dtype=float) for name, value in p.items()}

    def flown(drag, method):
        found = scenes.simulated({**p, "drag": drag}, law="newton", fluid=True, method=method)
        return scenes.columns(found), found.status

    few = jc.Impulse(max_contacts=12)
    compiled = jax.jit(flown, static_argnames="method")
    assert compiled(p["drag"], few)[1] == jc.Status.INEXACT_FLIGHT
    reference, status = compiled(p["drag"], dataclasses.replace(few, flight_steps=512))
    assert succeeded(status)
    found, status = flown(p["drag"], few)
    assert succeeded(status)
    np.testing.assert_allclose(found, reference, rtol=1e-7, atol=1e-6)
    enough = dataclasses.replace(few, flight_steps=64)
    slopes = [
        jax.jit(jax.jacfwd(lambda drag, m=method: flown(drag, m)[0]))(p["drag"])
        for method in (enough, dataclasses.replace(few, flight_steps=512))
    ]
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=0, atol=1e-6 * np.max(np.abs(slopes[1])))
