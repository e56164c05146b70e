"""Exudyn's contacts: documented and as the program has them, balance, memory, derivatives. More
forces are in the reference cases.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.systems.exudyn.compatibility import DOCUMENTED, EXUDYN_1_9_APRIL_2025, EXUDYN_1_13
from jaxcontact.systems.exudyn.data_node import DataNode
from jaxcontact.systems.exudyn.general_contact import general_contact_pair
from jaxcontact.systems.exudyn.parameters import (
    ObjectContactSphereSphere,
    ObjectContactSphereTriangle,
)
from jaxcontact.systems.exudyn.sphere_sphere import sphere_sphere_contact, sphere_sphere_data
from jaxcontact.systems.exudyn.sphere_triangle import sphere_triangle_contact, sphere_triangle_data

CONTACT = {"spheresRadii": (0.1, 0.15), "contactStiffness": 1e4, "contactStiffnessExponent": 1.5}
PLASTIC = {
    "contactPlasticityRatio": 0.4,
    "constantPullOffForce": 2.0,
    "adhesionCoefficient": 5e3,
    "adhesionExponent": 1.2,
}
FORCE = jax.jit(sphere_sphere_contact)


def body(position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0)):
    return Motion(
        *(jnp.asarray(value, dtype=float) for value in (position, velocity, angular_velocity))
    )


def moving_pair(hollow=False):
    """Overlapping by about 1e-3 m, approaching, slipping and spinning."""
    distance = 0.051 if hollow else 0.249
    direction = np.array([1.0, 2.0, -2.0]) / 3
    first = body((0.1, -0.2, 0.3), (0.2, 0.1, -0.3), (1.0, -2.0, 0.5))
    return first, body(first.position + distance * direction, (-0.1, 0.05, 0.1), (-3.0, 1.0, 2.0))


def head_on(overlap, *, approach=0.0, sliding=0.0, radius=0.125):
    """Two equal spheres along x; all numbers exact when the overlap is a power of two."""
    return body(), body((2 * radius - overlap, 0.0, 0.0), (-approach, sliding, 0.0))


def as_program(**parameters):
    return ObjectContactSphereSphere(
        **{"spheresRadii": (0.125, 0.125), "compatibility": EXUDYN_1_13, **parameters}
    )


# Balance


@pytest.mark.slow
@pytest.mark.parametrize("model", [0, 1, 2])
@pytest.mark.parametrize("hollow", [False, True])
@pytest.mark.parametrize("compatibility", [DOCUMENTED, EXUDYN_1_13])
def test_momentum_and_angular_momentum_are_conserved(model, hollow, compatibility):
    contact = ObjectContactSphereSphere(
        **CONTACT,
        **PLASTIC | {"constantPullOffForce": 0.02},
        impactModel=model,
        isHollowSphere1=hollow,
        dynamicFriction=0.3,
        restitutionCoefficient=0.6,
        contactDamping=0.05,
        compatibility=compatibility,
    )
    first, second = moving_pair(hollow)
    result = FORCE(
        contact, first, second, sphere_sphere_data(contact, first, second, DataNode(gap=1.0))
    )
    assert np.linalg.norm(result.on_0.torque) > 1e-3
    np.testing.assert_array_equal(result.on_0.force, -result.on_1.force)
    total = (
        result.on_0.torque
        + result.on_1.torque
        + jnp.cross(second.position - first.position, result.on_1.force)
    )
    np.testing.assert_allclose(total, 0.0, atol=1e-13)


def test_the_torque_on_sphere_1_is_that_on_sphere_0_times_the_documented_ratio():
    contact = ObjectContactSphereSphere(**CONTACT, dynamicFriction=0.3)
    result = FORCE(contact, *moving_pair(), DataNode())
    r0, r1 = CONTACT["spheresRadii"]
    gap = result.outputs.DisplacementLocal[2]
    np.testing.assert_allclose(
        result.on_1.torque, result.on_0.torque * (r1 + gap / 2) / (r0 + gap / 2), rtol=1e-13
    )


@pytest.mark.slow
def test_a_contact_between_sphere_and_triangle_conserves_angular_momentum():
    contact = ObjectContactSphereTriangle(
        radiusSphere=0.1,
        trianglePoints=((-1.0, 0.0, -1.0), (0.0, 0.0, 2.0), (2.0, 0.0, -1.0)),
        contactStiffness=1e4,
        dynamicFriction=0.3,
        contactDamping=3.0,
    )
    sphere = body((0.1, 0.07, 0.2), (0.3, -0.2, 0.1), (3.0, 1.0, 2.0))
    plane = body((0.0, 0.01, 0.0), (0.0, 0.1, 0.0), (0.2, 0.3, -0.1))
    result = sphere_triangle_contact(contact, sphere, plane, DataNode())
    total = (
        result.on_0.torque
        + result.on_1.torque
        + jnp.cross(plane.position - sphere.position, result.on_1.force)
    )
    np.testing.assert_allclose(total, 0.0, atol=1e-13)
    np.testing.assert_allclose(result.outputs.Director1, (0, -1, 0), atol=1e-15)


# The documented contact


def test_by_default_the_outputs_are_those_documented():
    contact = ObjectContactSphereSphere(**CONTACT, dynamicFriction=0.3)
    first, second = moving_pair()
    result = FORCE(contact, first, second, DataNode())
    outputs = result.outputs
    np.testing.assert_array_equal(outputs.Force, result.on_1.force)
    assert outputs.Force @ outputs.Director1 > 0  # on body 1, away from body 0
    np.testing.assert_array_equal(outputs.Torque, result.on_0.torque)
    np.testing.assert_array_equal(outputs.Velocity, second.velocity - first.velocity)
    np.testing.assert_allclose(outputs.DisplacementLocal, (0, 0, -1e-3), atol=1e-15)
    np.testing.assert_array_equal(outputs.Displacement, second.position - first.position)
    middle = first.position + (0.1 + 0.0995) / 2 * outputs.Director1
    np.testing.assert_allclose(outputs.Position, middle, atol=3e-4)


def test_by_default_the_present_motion_decides_on_contact_and_sticking():
    contact = ObjectContactSphereSphere(
        spheresRadii=(0.125, 0.125), contactStiffness=1e4, dynamicFriction=0.5
    )
    for data in (DataNode(gap=-1.0), DataNode(gap=1.0, tangential_velocity=9.0)):
        assert not np.any(FORCE(contact, *head_on(-1e-3), data).outputs.Force)
        np.testing.assert_allclose(
            FORCE(contact, *head_on(1e-3, sliding=5e-4), data).outputs.Force,
            (10, -2.5, 0),
            rtol=1e-10,
        )
        np.testing.assert_allclose(
            FORCE(contact, *head_on(1e-3, sliding=5.0), data).outputs.Force, (10, -5, 0), rtol=1e-10
        )


def test_an_inactive_connector_gives_kinematics_and_no_force():
    contact = ObjectContactSphereSphere(
        **CONTACT, **PLASTIC, dynamicFriction=0.3, contactDamping=1.0, activeConnector=False
    )
    result = FORCE(contact, *moving_pair(), DataNode())
    for wrench in (result.on_0, result.on_1):
        assert not np.any(wrench.force)
        assert not np.any(wrench.torque)
    np.testing.assert_allclose(result.outputs.DisplacementLocal[2], -1e-3, rtol=1e-9)


def test_a_hollow_sphere_presses_inwards():
    contact = ObjectContactSphereSphere(**CONTACT, isHollowSphere1=True)
    result = FORCE(contact, body((0.051, 0.0, 0.0)), body(), DataNode())
    np.testing.assert_allclose(result.on_0.force, (-1e4 * 1e-3**1.5, 0, 0), rtol=1e-10)


def test_coincident_centres_have_no_normal_and_no_normal_force():
    """All relative velocity counts as slip, as in the program."""
    contact = ObjectContactSphereSphere(**CONTACT, **PLASTIC, dynamicFriction=0.3)
    result = FORCE(contact, body(velocity=(0.1, 0.2, 0.3)), body(), DataNode())
    assert not np.any(result.outputs.Director1)
    assert not np.any(
        FORCE(
            contact.replace(dynamicFriction=0.0), body(velocity=(0.1, 0.2, 0.3)), body(), DataNode()
        ).on_0.force
    )
    np.testing.assert_allclose(
        jnp.cross(result.on_0.force, jnp.asarray([0.1, 0.2, 0.3])), 0.0, atol=1e-9
    )


# Memory


def test_the_plastic_overlap_is_a_running_maximum_forgotten_at_separation():
    contact = ObjectContactSphereSphere(
        spheresRadii=(0.125, 0.125), contactStiffness=1e4, contactPlasticityRatio=0.5
    )
    data, found = DataNode(gap=1.0), []
    for overlap in (1e-3, 3e-3, 2e-3, -1e-4, 1e-3):
        data = sphere_sphere_data(contact, *head_on(overlap), data)
        found.append(float(data.plastic_overlap))
    np.testing.assert_allclose(found, (0.5e-3, 1.5e-3, 1.5e-3, 0.0, 0.5e-3), rtol=1e-10)


def test_a_cycle_goes_up_the_virgin_branch_and_down_the_stiffer_one_to_adhesion():
    contact = ObjectContactSphereSphere(
        spheresRadii=(0.125, 0.125),
        contactStiffness=1e4,
        contactPlasticityRatio=0.5,
        adhesionCoefficient=5e3,
        constantPullOffForce=1.0,
    )
    data, found = DataNode(gap=1.0), []
    for overlap in (2e-3, 3e-3, 2e-3, 1e-3, 0.5e-3, 2e-3, 4e-3):
        data = sphere_sphere_data(contact, *head_on(overlap), data)
        found.append(float(FORCE(contact, *head_on(overlap), data).outputs.Force[0]) + 1.0)
    np.testing.assert_allclose(found, (20, 30, 10, -5, -2.5, 10, 40), rtol=1e-10)


# The program's deviations, with its own numbers


def program_force(contact, overlap, data, **motion):
    """Along x, on body 0: the program's output."""
    return FORCE(contact, *head_on(overlap, **motion), data).outputs.Force


def test_the_adhesion_exponent_is_ignored_when_the_stiffness_exponent_is_1():
    parameters = {
        "contactStiffness": 1e5,
        "contactPlasticityRatio": 0.5,
        "adhesionCoefficient": 5e4,
        "adhesionExponent": 2.0,
    }
    data = DataNode(gap=-1e-3, plastic_overlap=1e-2)
    program, almost = (
        as_program(**parameters),
        as_program(**parameters, contactStiffnessExponent=1 + 1e-9),
    )
    np.testing.assert_allclose(program_force(program, 1e-3, data)[0], 50.0, rtol=1e-9)
    np.testing.assert_allclose(program_force(almost, 1e-3, data)[0], 0.05, rtol=1e-9)
    documented = dataclasses.replace(EXUDYN_1_13, adhesion_exponent_needs_stiffness_exponent=False)
    np.testing.assert_allclose(
        program_force(program.replace(compatibility=documented), 1e-3, data)[0], 0.05, rtol=1e-9
    )


def test_without_plasticity_pull_off_and_adhesion_are_ignored():
    parameters = {"contactStiffness": 1e5, "constantPullOffForce": 7.0, "adhesionCoefficient": 1e4}
    data = DataNode(gap=-1e-3)
    np.testing.assert_allclose(
        program_force(as_program(**parameters), 1e-3, data)[0], -100.0, rtol=1e-9
    )
    np.testing.assert_allclose(
        program_force(as_program(**parameters, contactPlasticityRatio=1e-12), 1e-3, data)[0],
        -93.0,
        rtol=1e-9,
    )
    documented = dataclasses.replace(EXUDYN_1_13, adhesion_needs_plasticity=False)
    np.testing.assert_allclose(
        program_force(as_program(**parameters, compatibility=documented), 1e-3, data)[0],
        -93.0,
        rtol=1e-9,
    )


def test_damping_counts_twice_where_unloading_and_adhesion_give_the_same_force():
    contact = as_program(
        contactStiffness=1e5,
        contactPlasticityRatio=0.5,
        adhesionCoefficient=2e5,
        contactDamping=3.0,
    )
    overlap = 2.0**-10
    data = DataNode(gap=-1.0, plastic_overlap=2 * overlap)
    np.testing.assert_allclose(
        program_force(contact, overlap, data, approach=1.0)[0], -103.656, atol=5e-4
    )
    documented = dataclasses.replace(EXUDYN_1_13, damping_twice_at_equal_branches=False)
    force = program_force(contact.replace(compatibility=documented), overlap, data, approach=1.0)[0]
    np.testing.assert_allclose(force, 2e5 * overlap - 3.0, rtol=1e-12)


def test_friction_follows_the_sign_of_the_normal_force():
    contact = as_program(
        contactStiffness=1e5,
        contactPlasticityRatio=0.5,
        adhesionCoefficient=1e5,
        dynamicFriction=0.5,
        frictionProportionalZone=0.0,
    )
    pulled = DataNode(gap=-1e-3, tangential_velocity=1.0, plastic_overlap=1e-2)
    pressed = pulled._replace(plastic_overlap=0.0)
    for data, expected in ((pressed, (-100, 50, 0)), (pulled, (100, -50, 0))):
        np.testing.assert_allclose(
            program_force(contact, 1e-3, data, sliding=1.0), expected, rtol=1e-9
        )
    documented = dataclasses.replace(EXUDYN_1_13, friction_under_tension=False)
    force = program_force(contact.replace(compatibility=documented), 1e-3, pulled, sliding=1.0)
    np.testing.assert_allclose(force, (100, 0, 0), rtol=1e-9)


def test_damping_pulls_unless_that_is_cut_off():
    contact = ObjectContactSphereSphere(
        spheresRadii=(0.125, 0.125), contactStiffness=1e4, contactDamping=50.0
    )
    cut = contact.replace(compatibility=dataclasses.replace(DOCUMENTED, damping_pulls=False))
    np.testing.assert_allclose(
        FORCE(contact, *head_on(1e-3, approach=-1.0), DataNode()).outputs.Force[0], -40.0, rtol=1e-9
    )
    assert FORCE(cut, *head_on(1e-3, approach=-1.0), DataNode()).outputs.Force[0] == 0.0
    np.testing.assert_allclose(
        FORCE(cut, *head_on(1e-3, approach=1.0), DataNode()).outputs.Force[0], 60.0, rtol=1e-9
    )
    sticky = cut.replace(contactPlasticityRatio=0.5, constantPullOffForce=30.0)
    np.testing.assert_allclose(
        FORCE(sticky, *head_on(1e-3, approach=-1.0), DataNode()).outputs.Force[0], -20.0, rtol=1e-9
    )


def test_the_program_decides_by_its_data_node():
    """Between updates a contact stays closed over a gap, where the spring pulls, and open in
    overlap; sticking likewise.
    """
    contact = as_program(contactStiffness=1e4, contactStiffnessExponent=1.5, dynamicFriction=0.5)
    force = 1e4 * 1e-3**1.5
    np.testing.assert_allclose(
        program_force(contact, -1e-3, DataNode(gap=-1.0)), (force, 0, 0), rtol=1e-10
    )
    np.testing.assert_allclose(
        program_force(contact, 1e-3, DataNode(gap=-1.0)), (-force, 0, 0), rtol=1e-10
    )
    assert not np.any(program_force(contact, 1e-3, DataNode(gap=0.0)))
    unlimited = program_force(contact, 1e-3, DataNode(gap=-1.0), sliding=0.1)[1]
    np.testing.assert_allclose(unlimited, 0.5 * force * 0.1 / 1e-3, rtol=1e-10)


def test_in_april_2025_any_slip_counted_as_sticking():
    contact = as_program(contactStiffness=1e4, dynamicFriction=0.5, frictionProportionalZone=0.01)
    old = contact.replace(compatibility=EXUDYN_1_9_APRIL_2025)
    data = DataNode(gap=-1.0, tangential_velocity=1.0)
    np.testing.assert_allclose(program_force(contact, 1e-3, data, sliding=1.0)[1], 5.0, rtol=1e-9)
    np.testing.assert_allclose(program_force(old, 1e-3, data, sliding=1.0)[1], 500.0, rtol=1e-9)


def test_outputs_have_the_programs_signs_and_meaning():
    contact = ObjectContactSphereSphere(**CONTACT, dynamicFriction=0.3, compatibility=EXUDYN_1_13)
    first, second = moving_pair()
    closed, opened = DataNode(gap=-1.0, tangential_velocity=1.0), DataNode(gap=1.0)
    result = FORCE(contact, first, second, closed)
    outputs = result.outputs
    assert outputs.Force @ outputs.Director1 < 0
    np.testing.assert_array_equal(outputs.Force, result.on_0.force)
    np.testing.assert_array_equal(outputs.Torque, -result.on_0.torque)
    assert outputs.DisplacementLocal.shape == (1,)
    centres = second.velocity - first.velocity
    assert np.linalg.norm(outputs.Velocity - centres) > 0.1
    assert not np.any(FORCE(contact, first, second, opened).outputs.Velocity)
    frictionless = FORCE(
        contact.replace(dynamicFriction=0.0), first, second, closed
    ).outputs.Velocity
    np.testing.assert_allclose(frictionless, centres, rtol=1e-14)


@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("overlap", [1e-3, -1e-3])
def test_the_remembered_slip_is_without_spin_where_there_is_no_friction(friction, overlap):
    first, second = head_on(overlap, sliding=0.25)
    second = second._replace(angular_velocity=jnp.asarray([0.0, 0.0, 8.0]))
    contact = as_program(contactStiffness=1e4, dynamicFriction=friction)
    spinning = overlap > 0 and friction > 0
    arm = 0.125 - overlap / 2
    found = sphere_sphere_data(contact, first, second, DataNode()).tangential_velocity
    np.testing.assert_allclose(found, abs(0.25 - 8 * arm) if spinning else 0.25, rtol=1e-12)
    documented = sphere_sphere_data(
        contact.replace(compatibility=DOCUMENTED), first, second, DataNode()
    ).tangential_velocity
    np.testing.assert_allclose(documented, abs(0.25 - 8 * arm), rtol=1e-12)


def test_a_contact_that_begins_in_overlap_is_not_damped_by_the_program():
    contact = ObjectContactSphereSphere(**CONTACT, impactModel=1, restitutionCoefficient=0.5)
    program = contact.replace(compatibility=EXUDYN_1_13)
    pair = moving_pair()
    assert sphere_sphere_data(program, *pair, DataNode()).impact_velocity == 0
    assert sphere_sphere_data(program, *pair, DataNode(gap=1e-9)).impact_velocity > 0
    remembered = sphere_sphere_data(contact, *pair, DataNode())
    assert remembered.impact_velocity > 0
    elastic = np.linalg.norm(FORCE(contact, *pair, DataNode()).on_1.force)
    assert np.linalg.norm(FORCE(contact, *pair, remembered).on_1.force) > 1.5 * elastic


STEPS, STEP = 16_000, 2e-6


@jax.jit
def rebound(contact, gap, data_gap, approach):
    """Speed after over speed before of a head-on impact with a fixed sphere, by velocity Verlet;
    and where it ends.
    """

    def motion(position, velocity):
        return body(), Motion(
            jnp.array([0.25, 0, 0]).at[0].add(position),
            jnp.zeros(3).at[0].set(velocity),
            jnp.zeros(3),
        )

    def advance(carry, _):
        position, velocity, data = carry
        acceleration = sphere_sphere_contact(contact, *motion(position, velocity), data).on_1.force[
            0
        ]
        position = position + STEP * (velocity + STEP / 2 * acceleration)
        after = sphere_sphere_contact(
            contact, *motion(position, velocity + STEP * acceleration), data
        ).on_1.force[0]
        velocity = velocity + STEP / 2 * (acceleration + after)
        return (
            position,
            velocity,
            sphere_sphere_data(contact, *motion(position, velocity), data),
        ), None

    zero = jnp.zeros(())
    (position, velocity, _), _ = jax.lax.scan(
        advance, (gap, -approach, DataNode(data_gap, zero, zero, zero)), None, length=STEPS
    )
    return position, velocity / approach


# What the program itself gives: impact model, nominal restitution, lowest impact velocity, gap in
# the data node, gap, approach, obtained.
@pytest.mark.parametrize(
    ("model", "nominal", "minimum", "data_gap", "gap", "approach", "obtained"),
    [
        (1, 0.5, 0.0, 1e-3, 1e-3, 1.0, 0.66296),
        (1, 0.1, 0.0, 1e-3, 1e-3, 1.0, 0.51583),
        (1, 0.7, 0.5, 1e-4, 1e-4, 0.1, 0.943),
        (2, 0.5, 0.0, 1e-3, 1e-3, 1.0, 0.50017),
        (2, 0.2, 0.0, 1e-3, 1e-3, 1.0, 0.20461),
        (2, 0.5, 0.0, 0.0, -1e-9, 1.0, 1.0),
    ],
)
def test_an_impact_gives_the_restitution_that_it_gives_in_the_program(
    model, nominal, minimum, data_gap, gap, approach, obtained
):
    contact = as_program(
        contactStiffness=1e5,
        impactModel=model,
        restitutionCoefficient=nominal,
        minimumImpactVelocity=minimum,
    )
    contact = jax.tree.map(jnp.asarray, contact)
    position, ratio = rebound(contact, *map(jnp.asarray, (gap, data_gap, approach)))
    assert position > 0
    assert float(ratio) == pytest.approx(obtained, abs=1e-3 if minimum or not data_gap else 2e-5)


# GeneralContact


def test_a_pair_of_general_contact_has_springs_in_series_and_added_dashpots_and_never_pulls():
    contact = general_contact_pair(
        (0.125, 0.125), stiffness=(3e4, 6e4), damping=(10.0, 20.0), friction=0.5
    )
    np.testing.assert_allclose(
        FORCE(contact, *head_on(1e-3, approach=0.5), DataNode()).outputs.Force[0],
        20.0 + 15.0,
        rtol=1e-9,
    )
    assert FORCE(contact, *head_on(1e-3, approach=-5.0), DataNode()).outputs.Force[0] == 0.0


# Triangle


def test_a_sphere_rolls_on_a_triangle_with_the_shorter_arm():
    """The slip is that at the plane, ``r - d`` below the centre; the torque has the arm ``r -
    d/2``.
    """
    contact = ObjectContactSphereTriangle(
        radiusSphere=0.125,
        trianglePoints=((-1.0, 0.0, -1.0), (0.0, 0.0, 2.0), (2.0, 0.0, -1.0)),
        contactStiffness=2.0**14,
        dynamicFriction=0.5,
    )
    overlap = 2.0**-7
    sphere = body((0.0, 0.125 - overlap, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    result = sphere_triangle_contact(contact, sphere, body(), DataNode())
    np.testing.assert_allclose(result.on_0.force, (-64.0, 128.0, 0.0), rtol=1e-12)
    np.testing.assert_allclose(
        result.on_0.torque, (0.0, 0.0, -64.0 * (0.125 - overlap / 2)), rtol=1e-12
    )
    data = sphere_triangle_data(contact, sphere, body(), DataNode())
    np.testing.assert_allclose(data.tangential_velocity, 0.125 - overlap, rtol=1e-12)


def test_edges_of_a_triangle_count_as_asked():
    points = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    beyond_edge_0 = body((0.5, -0.05, 0.0))
    for edges, touches in ((7, True), (1, True), (6, False), (0, False)):
        contact = ObjectContactSphereTriangle(
            radiusSphere=0.1, trianglePoints=points, contactStiffness=1e4, includeEdges=edges
        )
        assert (
            np.any(sphere_triangle_contact(contact, beyond_edge_0, body(), DataNode()).on_0.force)
            == touches
        )
        assert np.any(
            sphere_triangle_contact(contact, body((0.2, 0.2, 0.05)), body(), DataNode()).on_0.force
        )


def test_a_triangle_turns_with_its_body():
    contact = ObjectContactSphereTriangle(
        radiusSphere=0.1,
        trianglePoints=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        contactStiffness=1e4,
    )
    half = np.sqrt(0.5)  # a quarter turn about x takes y to z
    turned = sphere_triangle_contact(
        contact,
        body((0.2, 0.05, 0.3)),
        body(),
        DataNode(),
        orientation=jnp.asarray([half, half, 0, 0]),
    )
    np.testing.assert_allclose(turned.on_0.force, (0, 500, 0), atol=1e-9)


# Derivatives beyond those of the contract of all laws


PLACES = {"apart": 0.3, "touching": 0.25, "overlapping": 0.249, "coincident": 0.0, "far": 1e8}
NAMES = (
    *(
        "contactStiffness",
        "contactStiffnessExponent",
        "dynamicFriction",
        "restitutionCoefficient",
        "contactDamping",
    ),
    *("contactPlasticityRatio", "constantPullOffForce", "adhesionCoefficient", "adhesionExponent"),
)


def wrench(parameters, zone, position, velocity, data, *, model):
    contact = ObjectContactSphereSphere(
        spheresRadii=(0.1, 0.15),
        impactModel=model,
        frictionProportionalZone=zone,
        compatibility=EXUDYN_1_13,
        **dict(zip(NAMES, parameters, strict=True)),
    )
    still = jnp.zeros_like(position)
    result = sphere_sphere_contact(
        contact, Motion(still, still, still), Motion(position, velocity, still), DataNode(*data)
    )
    return jnp.concatenate([result.on_0.force, result.on_0.torque, result.outputs.Velocity])


@pytest.mark.long("0-float32")
@pytest.mark.slow
@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("model", [0, 2])
def test_nothing_is_ever_nan_at_rest(model, dtype):
    """As the program computes: closed and open by the data node, sticking and sliding, no slip, no
    spin, no impact velocity.
    """

    def derivatives(zone, position, data):
        parameters = jnp.asarray([1e4, 1.5, 0.3, 0.5, 1.0, 0.5, 1.0, 1e3, 1.0], dtype)
        function = lambda p, x, v: wrench(p, zone, x, v, data, model=model)  # noqa: E731
        arguments = (parameters, position, jnp.zeros(3, dtype))
        first = jax.jacfwd(function, argnums=(0, 1, 2))
        return (
            function(*arguments),
            first(*arguments),
            jax.jacrev(first, argnums=(1, 2))(*arguments),
        )

    cases = [
        (zone, (x, 0.0, 0.0), (gap, 0.0, 0.0, plastic))
        for zone in (1e-3, 0.0)
        for x in PLACES.values()
        for gap in (-1.0, 1.0)
        for plastic in (0.0, 1e-3)
    ]
    arrays = [jnp.asarray([case[k] for case in cases], dtype) for k in range(3)]
    found = jax.jit(jax.vmap(derivatives), compiler_options={"xla_backend_optimization_level": 0})(
        *arrays
    )
    for leaf in jax.tree.leaves(found):
        assert leaf.dtype == dtype
        assert bool(jnp.all(jnp.isfinite(leaf)))


# Checks


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"impactModel": 3}, "impactModel = 3 is not one of 0"),
        (
            {"restitutionCoefficient": 0.0},
            r"restitutionCoefficient = 0 - is outside \(0, 1\].*refuses 0",
        ),
        ({"restitutionCoefficient": 1.5}, r"restitutionCoefficient = 1.5 - is outside \(0, 1\]"),
        ({"spheresRadii": 0.1}, "spheresRadii has shape"),
        ({"spheresRadii": (0.1, -1.0)}, "spheresRadii = .* is outside"),
        ({"contactPlasticityRatio": 1.0}, r"contactPlasticityRatio = 1 - is outside \[0, 1\)"),
        (
            {"contactStiffnessExponent": 0.0},
            r"contactStiffnessExponent = 0 - is outside \(0, inf\)",
        ),
        ({"constantPullOffForce": -1.0}, "constantPullOffForce = -1 N is outside"),
        ({"adhesionCoefficient": -1.0}, "adhesionCoefficient = -1 "),
        ({"adhesionExponent": -1.0}, "adhesionExponent = -1 "),
        ({"dynamicFriction": -0.1}, "dynamicFriction = -0.1 "),
        ({"minimumImpactVelocity": -0.1}, "minimumImpactVelocity = -0.1 "),
        ({"frictionProportionalZone": -0.1}, "frictionProportionalZone = -0.1 "),
    ],
)
def test_what_the_program_refuses_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        ObjectContactSphereSphere(**CONTACT | changes)


def test_edges_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="includeEdges = 8 is not a sum"):
        ObjectContactSphereTriangle(radiusSphere=0.1, trianglePoints=np.eye(3), includeEdges=8)


def test_a_plasticity_ratio_of_zero_deactivates_the_adhesive_model():
    """As the table of parameters says, the formula alone does not."""
    contact = ObjectContactSphereSphere(
        **CONTACT, constantPullOffForce=7.0, adhesionCoefficient=5e3, contactPlasticityRatio=0.0
    )
    elastic = ObjectContactSphereSphere(**CONTACT)
    memory = DataNode(gap=-1e-3)
    force, alone = (FORCE(c, *head_on(1e-3), memory).on_1.force for c in (contact, elastic))
    np.testing.assert_array_equal(force, alone)
    formula = dataclasses.replace(contact.compatibility, adhesion_needs_plasticity=False)
    kept = FORCE(contact.replace(compatibility=formula), *head_on(1e-3), memory).on_1.force
    np.testing.assert_allclose(np.linalg.norm(alone - kept), 7.0, rtol=1e-9)


def test_a_closed_contact_without_an_impact_velocity_is_refused():
    contact = ObjectContactSphereSphere(**CONTACT, impactModel=1, restitutionCoefficient=0.5)
    pair = head_on(1e-3)
    with pytest.raises(ValueError, match=r"impact_velocity = 0.0 in a closed contact"):
        sphere_sphere_contact(contact, *pair, DataNode())
    for other in (
        contact.replace(restitutionCoefficient=1.0),
        contact.replace(minimumImpactVelocity=0.1),
        contact.replace(compatibility=EXUDYN_1_13),
        contact.replace(impactModel=0),
    ):
        sphere_sphere_contact(other, *pair, DataNode())
    sphere_sphere_contact(contact, *pair, DataNode(impact_velocity=0.5))
