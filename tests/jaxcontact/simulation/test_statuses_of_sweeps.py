"""Simulations of a sweep that do not succeed are said once, and which they are."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.core.status import describe_failures, succeeded

TIMES = np.linspace(0.0, 4.0, 5)


def make(restitution):
    law = jc.NewtonRestitution(restitution=restitution)
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law))
    return scene, jc.state(position=(0.0, 0.0, 0.5))


RESTITUTIONS = jnp.array([0.1, 0.9, 0.05, 0.95])
FEW = jc.Impulse(max_contacts=5)


@pytest.mark.slow
def test_one_warning_tells_how_many_and_why_and_the_result_tells_which():
    with pytest.warns(jc.SimulationWarning) as said:
        results = jc.sweep(make, RESTITUTIONS, TIMES, method=FEW)
    assert len(said) == 1
    assert "2 of 4 simulations did not succeed (2 TOO_FEW_CONTACTS)" in str(said[0].message)
    assert jc.Status.TOO_FEW_CONTACTS.advice in str(said[0].message)
    assert np.flatnonzero(~results.succeeded).tolist() == [1, 3]


@pytest.mark.slow
def test_a_second_sweep_of_a_function_compiles_nothing():
    calls = []

    def counted(restitution):
        calls.append(restitution)
        return make(restitution)

    first = jc.sweep(counted, RESTITUTIONS, TIMES, method=jc.Impulse(max_contacts=40))
    traced = len(calls)
    second = jc.sweep(counted, RESTITUTIONS * 0.99, TIMES, method=jc.Impulse(max_contacts=40))
    assert len(calls) == traced
    assert not np.array_equal(first.position, second.position)


@pytest.mark.slow
def test_a_budget_that_is_not_given_is_found():
    bouncy = jnp.array([0.3, 0.999])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = jc.sweep(make, bouncy, np.linspace(0.0, 40.0, 5), method=jc.Impulse())
    assert results.succeeded.all()
    assert results.position[..., 2].min() > 0.0199
    assert results.contacts.happened.shape[1] > 50


@pytest.mark.slow
def test_inside_of_compiled_code_the_status_is_returned():
    traced = jax.jit(lambda inputs: jc.sweep(make, inputs, TIMES, method=FEW).succeeded)
    assert traced(RESTITUTIONS).tolist() == [True, False, True, False]


def test_failures_are_counted_by_code():
    ends = jc.Status
    well = [ends.SUCCESS, ends.CAME_TO_REST, ends.SIMULTANEOUS_IMPACTS]
    codes = np.array([*well, *2 * [ends.TOO_FEW_CONTACTS], ends.NOT_FINITE])
    assert succeeded(codes).tolist() == [True, True, True, False, False, False]
    said = describe_failures(codes)
    assert said.startswith("3 of 6 simulations did not succeed (2 TOO_FEW_CONTACTS, 1 NOT_FINITE).")
    assert describe_failures(codes[:3]) == ""
