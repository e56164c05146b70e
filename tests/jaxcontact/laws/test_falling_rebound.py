"""Coulomb friction in a rigid impact, with a tangential restitution that falls with the slip."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import jaxcontact as jc

FallingRebound = jc.laws.falling_rebound.FallingRebound
RUBBER = FallingRebound(coefficient=0.5, tangential_restitution=0.7, slip_exponent=0.4)


def test_the_log_odds_of_the_rebound_are_a_straight_line():
    slips = np.array([0.1, 1.0, 7.0])
    rebound = RUBBER.restitution_at(slips)
    odds = np.log(0.7 / 0.3) - 0.4 * np.log(slips)
    np.testing.assert_allclose(np.log(rebound / (1 - rebound)), odds, rtol=1e-6)


@pytest.mark.parametrize("impulse", [0.1, 1.0, 20.0])
def test_without_an_exponent_it_is_coulomb(impulse):
    slip = jnp.array([[1.3, -0.4, 0.0], [0.0, 0.0, 0.0]])
    constant = FallingRebound(coefficient=0.5, tangential_restitution=0.7, slip_exponent=0.0)
    coulomb = jc.Coulomb(coefficient=0.5, tangential_restitution=0.7)
    found, expected = (law.slip_after(slip, impulse) for law in (constant, coulomb))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("size", [0.0, 1e-30, 1e-6, 0.3, 50.0])
@pytest.mark.parametrize("impulse", [0.0, 1.0, 100.0])
def test_no_impact_gains_slip(size, impulse):
    slip = size * jnp.array([0.6, 0.8, 0.0])
    after = RUBBER.slip_after(slip, impulse)
    assert np.linalg.norm(after) <= np.linalg.norm(slip) * (1 + 1e-6)
    assert np.all(np.isfinite(after))


@pytest.mark.parametrize("size", [0.0, 0.3, 50.0])
@pytest.mark.parametrize("kept", [0.0, 0.7, 1.0])
def test_derivatives_are_finite_and_right(size, kept):
    with jax.enable_x64(True):

        def after(slip, coefficient, rebound, exponent):
            law = FallingRebound(
                coefficient=coefficient, tangential_restitution=rebound, slip_exponent=exponent
            )
            return law.slip_after(slip, 2.0)

        slip = size * jnp.array([0.6, 0.8, 0.0])
        point = (slip, 0.5, kept, 0.4)
        for column in jax.jacobian(after, argnums=(0, 1, 2, 3))(*point):
            assert np.all(np.isfinite(column))
        if size and 0 < kept < 1:
            check_grads(after, point, order=1, modes=("fwd", "rev"), rtol=1e-6)


def test_a_contact_that_lasts_does_not_rebound():
    assert RUBBER.in_sustained_contact() == jc.Coulomb(coefficient=0.5)
