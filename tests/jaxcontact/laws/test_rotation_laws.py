"""Rolling and spinning models from a torque alone: against closed flows, and an independent
integration.
"""

import dataclasses
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.laws import rolling, spinning
from jaxcontact.laws.friction.continuous import smooth_continuous_friction_force
from jaxcontact.laws.friction.coulomb import TANH

pytestmark = pytest.mark.slow

Rolling = jc.rolling_law(rolling.regularized_rolling_torque)
Viscous = jc.rolling_law(rolling.viscous_rolling_torque)
Spinning = jc.spinning_law(spinning.regularized_spinning_torque)
Lever = jc.spinning_law(spinning.lever_spinning_torque)
IMPULSES = jnp.array([0.0, 1e2, 1e4, 1e5, 2.4e5, 1e7])
RATE = jnp.array([30.0, 40.0, 0.0])
SPIN = jnp.array([0.0, 0.0, -50.0])
CONTACT = {"effective_radius": 0.02, "overlap": 1e-6}


def test_rolling_is_that_of_the_closed_law():
    found = Rolling(rolling_coefficient=0.01, rolling_velocity=1e-3)
    closed = jc.RollingResistance(rolling_coefficient=0.01)
    left, expected = (
        law.rotation_after(RATE, IMPULSES, effective_radius=0.02) for law in (found, closed)
    )
    np.testing.assert_allclose(left, expected, atol=1e-12)
    assert found.limit(effective_radius=0.02) == pytest.approx(2e-4)


def test_viscous_rolling_fades_exponentially():
    law = Viscous(viscous_coefficient=0.02)
    left = law.rotation_after(RATE, IMPULSES, effective_radius=0.02)
    expected = np.exp(-0.02 * 0.02**2 * np.asarray(IMPULSES))[:, None] * np.asarray(RATE)
    np.testing.assert_allclose(left, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("pressure", spinning.PRESSURES)
def test_spinning_is_that_of_the_closed_law(pressure):
    found = Spinning(coefficient=0.3, spin_velocity=1e-3, pressure=pressure)
    closed = jc.SpinningFriction(coefficient=0.3, pressure=pressure)
    left, expected = (law.rotation_after(SPIN, IMPULSES, **CONTACT) for law in (found, closed))
    np.testing.assert_allclose(left, expected, atol=1e-12)
    torque, expected = (law.torque(SPIN, 3.0, **CONTACT) for law in (found, closed))
    np.testing.assert_allclose(torque, expected, rtol=1e-12)


def test_spin_falls_linearly_by_the_lever():
    law = Lever(spinning_lever=2e-5, spin_velocity=1e-6)
    left = law.rotation_after(SPIN, 1e6, **CONTACT)
    assert left[2] == pytest.approx(-(50.0 - 2e-5 * 1e6), rel=1e-9)


@pytest.mark.long
def test_contacts_of_several_radii_are_several_contacts():
    """Rates, impulses, radii and overlaps of each, as one by one."""
    radii, overlaps = jnp.array([0.01, 0.02]), jnp.array([1e-6, 3e-6])
    rates, impulses = jnp.stack([RATE, 2 * RATE]), jnp.array([1e4, 3e4])
    laws = Viscous(viscous_coefficient=0.02), Spinning(coefficient=0.3, spin_velocity=1e-3)
    rolled = laws[0].rotation_after(rates, impulses, effective_radius=radii)
    spun = laws[1].rotation_after(rates, impulses, effective_radius=radii, overlap=overlaps)
    for i in range(2):
        one = laws[0].rotation_after(rates[i], impulses[i], effective_radius=radii[i])
        np.testing.assert_allclose(rolled[i], one, rtol=1e-12)
        one = laws[1].rotation_after(
            rates[i], impulses[i], effective_radius=radii[i], overlap=overlaps[i]
        )
        np.testing.assert_allclose(spun[i], one, rtol=1e-12)
    assert laws[0].limit(effective_radius=radii).shape == (2,)
    assert laws[1].limit(effective_radius=radii, overlap=overlaps).shape == (2,)


def test_the_largest_torques_of_several_contacts_are_their_levers():
    radii, overlaps = jnp.array([0.01, 0.02]), jnp.array([1e-6, 3e-6])
    rolled = Rolling(rolling_coefficient=0.01, rolling_velocity=1e-3).limit(effective_radius=radii)
    np.testing.assert_allclose(rolled, [1e-4, 2e-4], rtol=1e-6)
    # a uniform pressure on a disk of radius sqrt(R d) has the mean lever 2/3 of that
    law = Spinning(coefficient=0.3, spin_velocity=1e-3)
    spun = law.limit(effective_radius=radii, overlap=overlaps)
    np.testing.assert_allclose(spun, 0.3 * np.sqrt(radii * overlaps) * 2 / 3, rtol=1e-6)


def test_what_a_model_is_not_given_is_what_its_function_takes():
    """The pressure is uniform, and not that of the example in the catalogue."""
    seen = {"coefficient": 0.3, "spin_velocity": 1e-3}
    torque = spinning.regularized_spinning_torque(
        SPIN[2], 3.0, contact_radius=np.sqrt(0.02 * 1e-6), **seen
    )
    assert Spinning(**seen).torque(SPIN, 3.0, **CONTACT)[2] == pytest.approx(float(torque))
    Capped = jc.friction_law(smooth_continuous_friction_force)
    form = {field.name: field.default for field in dataclasses.fields(Capped)}["regularization"]
    assert form == TANH


def test_derivatives_are_those_of_the_closed_law():
    """Also where everything has come to rest, and where nothing resists."""

    def left(model, values):
        coefficient, impulse, rate = values
        law = model(rolling_coefficient=coefficient, rolling_velocity=1e-3)
        return law.rotation_after(rate * RATE, impulse, effective_radius=0.02)[0]

    at = jnp.array([(0.01, 1e4, 1.0), (0.01, 1e7, 1.0), (0.01, 1e4, 0.0)])
    found, closed = (
        np.asarray(
            jax.jit(jax.vmap(jax.jacfwd(lambda values, model=model: left(model, values))))(at)
        )
        for model in (Rolling, jc.RollingResistance)
    )
    np.testing.assert_allclose(found, closed, rtol=1e-8, atol=1e-9 * np.abs(closed).max())


def test_they_keep_the_rules_of_their_kind():
    jc.testing.check_law(Viscous(viscous_coefficient=0.02))
    jc.testing.check_law(Lever(spinning_lever=1e-3, spin_velocity=1e-2))


def test_models_are_pickled_and_one_for_each_function():
    for law in (Viscous(viscous_coefficient=0.02), Lever(spinning_lever=1e-3, spin_velocity=1e-2)):
        assert pickle.loads(pickle.dumps(law)) == law
    assert jc.rolling_law(rolling.viscous_rolling_torque) is Viscous
    assert jc.spinning_law(spinning.lever_spinning_torque) is Lever


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="constant_rolling_torque jumps where nothing rolls"):
        jc.rolling_law(rolling.constant_rolling_torque)
    with pytest.raises(ValueError, match="coulomb_spinning_torque jumps where nothing spins"):
        jc.spinning_law(spinning.coulomb_spinning_torque)
    with pytest.raises(ValueError, match="not a registered law of rotation_rate and normal_force"):
        jc.rolling_law(spinning.lever_spinning_torque)
    with pytest.raises(ValueError, match="not a registered law of spin and normal_force"):
        jc.spinning_law(lambda spin, normal_force: -spin * normal_force)
    with pytest.raises(ValueError, match="without memory"):
        jc.rolling_law(rolling.epsd_rolling_torque)
