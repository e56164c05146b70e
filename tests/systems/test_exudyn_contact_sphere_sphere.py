"""Exudyn's contact between spheres: balance, memory and derivatives. Its forces are compared with the program's in the reference cases."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.systems.exudyn_contact_sphere_sphere import (
    Body,
    DataNode,
    ObjectContactSphereSphere,
    sphere_sphere_contact,
    updated_data,
)

CONTACT = {"spheresRadii": (0.1, 0.15), "contactStiffness": 1e4, "contactStiffnessExponent": 1.5}


def body(position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0)):
    return Body(*(jnp.asarray(value, dtype=float) for value in (position, velocity, angular_velocity)))


def moving_pair(hollow=False):
    """Overlapping by about 1e-3 m, approaching, slipping and spinning."""
    distance = 0.051 if hollow else 0.249
    direction = np.array([1.0, 2.0, -2.0]) / 3
    first = body((0.1, -0.2, 0.3), (0.2, 0.1, -0.3), (1.0, -2.0, 0.5))
    return first, body(first.position + distance * direction, (-0.1, 0.05, 0.1), (-3.0, 1.0, 2.0))


@pytest.mark.parametrize("model", [0, 1, 2])
@pytest.mark.parametrize("hollow", [False, True])
def test_angular_momentum_is_conserved(model, hollow):
    contact = ObjectContactSphereSphere(
        **CONTACT, impactModel=model, isHollowSphere1=hollow, dynamicFriction=0.3, restitutionCoefficient=0.6, contactDamping=5.0
    )
    pair = moving_pair(hollow)
    result = sphere_sphere_contact(contact, *pair, updated_data(contact, *pair, DataNode(gap=1.0)))
    assert np.linalg.norm(result.torque_on_0) > 1e-2
    total = result.torque_on_0 + result.torque_on_1 + jnp.cross(result.displacement, result.force_on_1)
    np.testing.assert_allclose(total, 0.0, atol=1e-13)


def test_outputs_have_the_programs_signs():
    contact = ObjectContactSphereSphere(**CONTACT, dynamicFriction=0.3)
    pair = moving_pair()
    result = sphere_sphere_contact(contact, *pair, updated_data(contact, *pair, DataNode()))
    assert result.force @ result.normal < 0  # on body 0, away from body 1
    np.testing.assert_array_equal(result.torque, -result.torque_on_0)
    r0, r1 = CONTACT["spheresRadii"]
    ratio = (r1 + result.gap / 2) / (r0 + result.gap / 2)
    np.testing.assert_allclose(result.torque_on_1, -result.torque * ratio, rtol=1e-13)


def rebound(contact, data, *, approach, gap, step=2e-6, steps=10_000):
    """Speed after over speed before of a head-on impact with a heavy sphere at rest, by velocity Verlet."""

    def motion(position, velocity):
        return body(), body((0.25 + position, 0.0, 0.0), (velocity, 0.0, 0.0))

    def advance(carry, _):
        position, velocity, data = carry
        acceleration = sphere_sphere_contact(contact, *motion(position, velocity), data).force_on_1[0]
        position = position + step * (velocity + step / 2 * acceleration)
        guess = velocity + step * acceleration
        after = sphere_sphere_contact(contact, *motion(position, guess), data).force_on_1[0]
        velocity = velocity + step / 2 * (acceleration + after)
        return (position, velocity, updated_data(contact, *motion(position, velocity), data)), None

    start = (jnp.asarray(gap), jnp.asarray(-approach), jax.tree.map(jnp.asarray, data))
    (position, velocity, _), _ = jax.jit(lambda carry: jax.lax.scan(advance, carry, None, length=steps))(start)
    assert position > 0
    return float(velocity / approach)


# What the program itself gives for a nominal restitution (impact model, nominal, obtained), exponent 1.
@pytest.mark.parametrize(("model", "nominal", "obtained"), [(1, 0.5, 0.66296), (1, 0.1, 0.51583), (2, 0.5, 0.50017), (2, 0.2, 0.20461)])
def test_an_impact_gives_the_restitution_that_it_gives_in_the_program(model, nominal, obtained):
    contact = ObjectContactSphereSphere(
        **CONTACT | {"contactStiffness": 1e5, "contactStiffnessExponent": 1.0}, impactModel=model, restitutionCoefficient=nominal
    )
    assert rebound(contact, DataNode(gap=1e-3), approach=1.0, gap=1e-3, steps=14_000) == pytest.approx(obtained, abs=2e-5)


def test_a_contact_that_begins_in_overlap_has_no_impact_velocity_and_no_damping():
    contact = ObjectContactSphereSphere(**CONTACT, impactModel=1, restitutionCoefficient=0.5)
    pair = moving_pair()
    unremembered = updated_data(contact, *pair, DataNode())
    assert unremembered.impact_velocity == 0
    elastic = sphere_sphere_contact(contact.replace(restitutionCoefficient=1.0), *pair, unremembered)
    np.testing.assert_allclose(sphere_sphere_contact(contact, *pair, unremembered).force, elastic.force, rtol=1e-15)
    remembered = updated_data(contact, *pair, DataNode(gap=1e-9))
    assert remembered.impact_velocity > 0
    assert np.linalg.norm(sphere_sphere_contact(contact, *pair, remembered).force) > 1.5 * np.linalg.norm(elastic.force)


def test_a_larger_minimum_impact_velocity_damps_less():
    contact = ObjectContactSphereSphere(**CONTACT, impactModel=1, restitutionCoefficient=0.5)
    pair = moving_pair()
    data = updated_data(contact, *pair, DataNode(gap=1.0))
    forces = [
        float(np.linalg.norm(sphere_sphere_contact(contact.replace(minimumImpactVelocity=v), *pair, data).force)) for v in (0.0, 0.5, 5.0)
    ]
    assert forces == sorted(forces, reverse=True)
    assert forces[0] > forces[1]


def test_the_program_decides_by_its_data_node():
    """Between updates a contact stays closed in a gap, where the spring pulls; and stays open in overlap."""
    contact = ObjectContactSphereSphere(**CONTACT)
    apart = body(), body((0.251, 0.0, 0.0))
    overlapping = body(), body((0.249, 0.0, 0.0))
    force = 1e4 * 1e-3**1.5
    np.testing.assert_allclose(sphere_sphere_contact(contact, *apart, DataNode(gap=-1.0)).force_on_1, (-force, 0, 0), rtol=1e-10)
    np.testing.assert_allclose(sphere_sphere_contact(contact, *overlapping, DataNode(gap=-1.0)).force_on_1, (force, 0, 0), rtol=1e-10)
    assert not np.any(sphere_sphere_contact(contact, *overlapping, DataNode(gap=0.0)).force)


PLACES = {
    "apart": (0.3, 0.0, 0.0),
    "touching": (0.25, 0.0, 0.0),
    "overlapping": (0.249, 0.0, 0.0),
    "coincident": (0.0, 0.0, 0.0),
    "far": (1e8, 0.0, 0.0),
}


NAMES = ("contactStiffness", "contactStiffnessExponent", "dynamicFriction", "restitutionCoefficient", "contactDamping")


def outputs(parameters, zone, position, velocity, gap):
    """Of two spheres without spin."""
    contact = ObjectContactSphereSphere(
        spheresRadii=(0.1, 0.15), impactModel=2, frictionProportionalZone=zone, **dict(zip(NAMES, parameters, strict=True))
    )
    still = jnp.zeros_like(position)
    result = sphere_sphere_contact(contact, Body(still, still, still), Body(position, velocity, still), DataNode(gap=gap))
    return jnp.concatenate([result.force, result.torque, result.velocity])


DERIVATIVES = jax.jit(
    lambda *arguments: (
        outputs(*arguments),
        jax.jacfwd(outputs, argnums=(0, 2, 3))(*arguments),
        jax.jacrev(jax.jacfwd(outputs, argnums=(2, 3)), argnums=(0, 2, 3))(*arguments),
    )
)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("gap", [-1.0, 1.0])
@pytest.mark.parametrize("zone", [1e-3, 0.0])
@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_ever_nan_at_rest(place, zone, gap, dtype):
    """No slip, no spin, no impact velocity: values, first and second derivatives."""
    parameters, position, velocity = (jnp.asarray(x, dtype) for x in ([1e4, 1.5, 0.3, 0.5, 1.0], PLACES[place], [0.0] * 3))
    found = DERIVATIVES(parameters, jnp.asarray(zone, dtype), position, velocity, jnp.asarray(gap, dtype))
    for leaf in jax.tree.leaves(found):
        assert leaf.dtype == dtype
        assert bool(jnp.all(jnp.isfinite(leaf)))


def test_what_the_program_refuses_is_refused():
    with pytest.raises(ValueError, match="impactModel = 3 is not one of 0"):
        ObjectContactSphereSphere(**CONTACT, impactModel=3)
    with pytest.raises(ValueError, match=r"restitutionCoefficient = 0 - is outside \(0, 1\].*refuses 0"):
        ObjectContactSphereSphere(**CONTACT, restitutionCoefficient=0.0)
    with pytest.raises(ValueError, match="spheresRadii has shape"):
        ObjectContactSphereSphere(spheresRadii=0.1)
