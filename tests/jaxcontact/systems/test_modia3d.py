"""Modia3D's contact force law: shapes, palettes, damping, forces of a pair, and motions that the
program itself has stored.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.systems import modia3d
from jaxcontact.systems.modia3d import ContactMemory, Solid, SolidMaterial, Sphere
from tests.reference.equations.modia3d import trajectory_bouncing_sphere
from tests.reference.latched_motion import latched_motion

STEEL_BALL = Solid(shape=Sphere(diameter=0.2), solidMaterial="Steel")
GROUND = Solid(shape=modia3d.Box(lengthX=2.0, lengthY=2.0, lengthZ=0.1), solidMaterial="Steel")


@pytest.mark.parametrize(
    ("shape", "radius", "flat"),
    [
        (modia3d.Sphere(diameter=0.5), 0.25, False),
        (modia3d.Ellipsoid(lengthX=0.5, lengthY=0.2, lengthZ=0.3), 0.1, False),
        (modia3d.Box(lengthX=0.5, lengthY=0.7, lengthZ=0.3), 0.15, True),
        (modia3d.Cylinder(diameter=0.5, length=0.2), 0.1, False),
        (modia3d.Cylinder(diameter=0.1, length=0.2), 0.05, False),
        (modia3d.Cone(diameter=0.4, length=1.0), 0.1, False),
        (modia3d.Cone(diameter=0.4, length=1.0, topDiameter=0.2), 0.15, False),
        (modia3d.Capsule(diameter=0.4, length=0.1), 0.2, False),
        (modia3d.Beam(length=1.0, width=0.2, thickness=0.06), 0.03, True),
        (modia3d.FileMesh(shortestEdge=0.02), 0.01, False),
    ],
)
def test_every_shape_has_the_radius_of_the_table(shape, radius, flat):
    for given in (None, 0.0, -1.0):
        solid = Solid(shape=shape, solidMaterial="Steel", contactSphereRadius=given)
        assert solid.contact_sphere_radius == pytest.approx(radius, rel=1e-15)
        assert solid.isFlat == flat
    assert Solid(
        shape=shape, solidMaterial="Steel", contactSphereRadius=0.7
    ).contact_sphere_radius == pytest.approx(0.7)


def test_a_flat_solid_counts_only_against_another_flat_one():
    radii = {(False, False): 0.12, (False, True): 0.2, (True, False): 0.3, (True, True): 0.12}
    for (flat1, flat2), expected in radii.items():
        factors = modia3d.geometry_factors(0.2, 0.3, flat1=flat1, flat2=flat2)
        assert factors.mu_r_geo == pytest.approx(expected, rel=1e-15)
        assert factors.c_geo == pytest.approx(4 / 3 * np.sqrt(expected), rel=1e-15)
        assert factors.n_geo == 1.5


def test_a_pair_is_found_in_either_order_and_else_is_a_mean():
    pair = modia3d.contact_pair_material("Steel", "DryWood")
    assert (
        pair.coefficientOfRestitution,
        pair.slidingFrictionCoefficient,
        pair.rotationalResistanceCoefficient,
    ) == pytest.approx((0.65, 0.4, 0.001), rel=1e-15)
    assert (pair.vsmall, pair.wsmall) == (0.01, 0.01)
    ball, table = (
        modia3d.contact_pair_material("BilliardBall", "BilliardTable"),
        modia3d.contact_pair_material("BilliardTable", "BilliardBall"),
    )
    assert ball is table
    own = {
        modia3d.pair_key("Rubber", "Steel"): modia3d.ElasticContactPairMaterial(
            coefficientOfRestitution=0.9,
            slidingFrictionCoefficient=1.0,
            rotationalResistanceCoefficient=0.0,
        )
    }
    assert (
        modia3d.contact_pair_material(
            "Steel", "Rubber", palette=modia3d.contactPairMaterialPalette | own
        ).coefficientOfRestitution
        == 0.9
    )


def test_contacts_have_the_elastic_data_of_the_contact_material():
    ball = Solid(shape=Sphere(diameter=0.02), solidMaterial="Steel", contactMaterial="BilliardBall")
    contact = modia3d.elastic_contact(ball, ball)
    assert contact.solidMaterial1.YoungsModulus == 5.4e9
    assert contact.pairMaterial.coefficientOfRestitution == 1.0
    expected = 5.4e9 / (1 - 0.34**2) / 2
    assert modia3d.response_material(contact, 0.5).c_res == pytest.approx(expected, rel=1e-15)
    softer = contact.replace(elasticContactReductionFactor=1e-4)
    assert modia3d.response_material(softer, 0.5).c_res == pytest.approx(1e-4 * expected, rel=1e-15)


STILL = jnp.zeros(3)


def motions(distance, *, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """Body 1 at rest in the origin, body 2 on the x axis."""
    return Motion(STILL, STILL, STILL), Motion(
        jnp.array([distance, 0.0, 0.0]), jnp.array(velocity), jnp.array(spin)
    )


@pytest.mark.long
def test_without_response_there_is_no_force_and_derivatives_are_finite():
    observer = Solid(shape=Sphere(diameter=0.2), solidMaterial="Steel", contactMaterial="Observer")
    steel = modia3d.elastic_contact(STEEL_BALL, STEEL_BALL)
    nothing = SolidMaterial(YoungsModulus=0.0, PoissonsRatio=0.0)
    pair = motions(0.19, velocity=(-1.0, 0.5, 0.0), spin=(1.0, 2.0, 3.0))
    for contact in (
        modia3d.elastic_contact(observer, STEEL_BALL),
        modia3d.elastic_contact(observer, observer),
        steel.replace(solidMaterial2=nothing),
        steel.replace(solidMaterial1=SolidMaterial(YoungsModulus=1e9, PoissonsRatio=0.0)),
        steel.replace(elasticContactReductionFactor=0.0),
    ):
        response, memory = modia3d.sphere_sphere_response(ContactMemory(), contact, *pair)
        assert not any(
            np.any(leaf)
            for leaf in jax.tree.leaves((response.wrench1, response.wrench2, response.normal_force))
        )
        assert memory.impact_speed == 1.0
        slopes = jax.grad(
            lambda contact: (
                modia3d.sphere_sphere_response(ContactMemory(), contact, *pair)[0].normal_force
            )
        )(contact)
        assert all(np.all(np.isfinite(leaf)) for leaf in jax.tree.leaves(slopes))


RANDOM = np.random.default_rng(3)
PAIRS = Motion(*(jnp.asarray(RANDOM.normal(size=(40, 2, 3))) for _ in range(3)))
"""Forty pairs of moving bodies, more and less deep in each other, some apart."""


def test_linear_and_angular_momentum_of_a_pair_are_conserved():
    ball = Solid(shape=Sphere(diameter=2.0), solidMaterial="Steel")
    for contact in (
        modia3d.elastic_contact(ball, ball),
        modia3d.elastic_contact(ball, ball, tension=True),
    ):

        def one(positions, velocities, spins, contact=contact):
            first, second = (Motion(positions[i], velocities[i], spins[i]) for i in (0, 1))
            response, _ = modia3d.sphere_sphere_response(ContactMemory(0.4), contact, first, second)
            moment = sum(
                jnp.cross(body.position, w.force) + w.torque
                for body, w in ((first, response.wrench1), (second, response.wrench2))
            )
            power = sum(
                body.velocity @ w.force + body.angular_velocity @ w.torque
                for body, w in ((first, response.wrench1), (second, response.wrench2))
            )
            return (
                response.wrench1.force + response.wrench2.force,
                moment,
                response.normal_force,
                power,
                response.overlap_rate,
            )

        force, moment, normal, power, rate = jax.jit(jax.vmap(one))(*PAIRS)
        scale = np.max(np.abs(normal))
        assert scale > 0.0
        assert np.max(np.abs(force)) <= 1e-15 * scale
        assert np.max(np.abs(moment)) <= 1e-14 * scale
        touching = normal > 0.0
        assert np.all(
            power[touching] + (normal * rate)[touching] <= 1e-12 * scale
        )  # friction and rolling resistance take energy


def test_solids_may_change_places():
    small, large = (
        Solid(shape=Sphere(diameter=0.2), solidMaterial="Steel"),
        Solid(shape=Sphere(diameter=0.3), solidMaterial="DryWood"),
    )
    first, second = motions(0.24, velocity=(-1.0, 0.5, 0.1), spin=(1.0, 2.0, 3.0))
    there, _ = modia3d.sphere_sphere_response(
        ContactMemory(), modia3d.elastic_contact(small, large), first, second
    )
    back, _ = modia3d.sphere_sphere_response(
        ContactMemory(), modia3d.elastic_contact(large, small), second, first
    )
    for one, other in ((there.wrench1, back.wrench2), (there.wrench2, back.wrench1)):
        np.testing.assert_allclose(one.force, other.force, rtol=1e-13)
        np.testing.assert_allclose(
            one.torque, other.torque, rtol=1e-13, atol=1e-12 * np.max(np.abs(one.torque))
        )


def test_a_sphere_on_a_flat_is_held_by_its_radius():
    contact = modia3d.elastic_contact(STEEL_BALL, GROUND)
    height, spin = 0.0999, jnp.array([0.0, 0.0, 7.0])
    ball = Motion(jnp.array([0.3, 0.1, height]), jnp.array([0.0, 0.0, -0.5]), spin)
    floor = Motion(STILL, STILL, STILL)
    response, memory = modia3d.sphere_flat_response(
        ContactMemory(), contact, ball, floor, surface_normal=(0.0, 0.0, 3.0)
    )
    stiffness = 4 / 3 * (2e11 / (1 - 0.3**2) / 2) * np.sqrt(0.1)
    force = stiffness * 1e-4**1.5 * (1 + 8 * 0.3 / (5 * 0.7 * 0.5) * 0.5)
    np.testing.assert_allclose(
        response.wrench1.force, [0, 0, force], rtol=1e-12, atol=1e-12 * force
    )
    np.testing.assert_allclose(
        response.wrench2.force, [0, 0, -force], rtol=1e-12, atol=1e-12 * force
    )
    # spinning about the normal, no slip at the contact: the torque resists the spin
    np.testing.assert_allclose(
        response.wrench1.torque, [0, 0, -0.001 * 0.1 * force], rtol=1e-12, atol=1e-12 * force
    )
    np.testing.assert_allclose(
        response.wrench2.torque, [-0.1 * force, 0.3 * force, 0.001 * 0.1 * force], rtol=1e-12
    )
    assert memory.impact_speed == 0.5


def test_the_impact_speed_is_kept_until_the_contact_ends():
    contact = modia3d.elastic_contact(STEEL_BALL, STEEL_BALL)
    memory, seen = ContactMemory(), []
    for distance, speed in (
        (0.201, -1.0),
        (0.1999, -0.9),
        (0.1998, 0.0),
        (0.1999, 0.6),
        (0.2001, 0.6),
        (0.1999, -0.3),
    ):
        response, memory = modia3d.sphere_sphere_response(
            memory, contact, *motions(distance, velocity=(speed, 0.0, 0.0))
        )
        seen.append((float(memory.impact_speed), bool(response.normal_force > 0.0)))
    assert seen == [
        (-1.0, False),
        (0.9, True),
        (0.9, True),
        (0.9, True),
        (-1.0, False),
        (0.3, True),
    ]


def test_only_the_program_pulls_and_only_while_its_contact_lasts():
    documented = modia3d.elastic_contact(STEEL_BALL, STEEL_BALL)
    program = documented.replace(tension=True, contactEpsilon=1e-13)
    leaving = motions(0.1999, velocity=(5.0, 0.4, 0.0))
    assert (
        modia3d.sphere_sphere_response(ContactMemory(0.5), documented, *leaving)[0].normal_force
        == 0.0
    )
    pulled = modia3d.sphere_sphere_response(ContactMemory(0.5), program, *leaving)[0]
    d, c = 1e-4 + 1e-13, 8 * 0.3 / (5 * 0.7 * 0.5)
    stiffness = 4 / 3 * (2e11 / (1 - 0.3**2) / 2) * np.sqrt(0.05)
    np.testing.assert_allclose(
        pulled.wrench2.force[0], stiffness * d**1.5 * (1 - 5 * c), rtol=1e-11
    )
    np.testing.assert_allclose(
        pulled.wrench2.force[1], -0.5 * pulled.wrench2.force[0], rtol=1e-12
    )  # driven by friction
    apart = motions(0.2001, velocity=(0.5, 0.0, 0.0))
    assert modia3d.sphere_sphere_response(ContactMemory(0.5), program, *apart)[0].normal_force < 0.0
    assert modia3d.sphere_sphere_response(ContactMemory(), program, *apart)[0].normal_force == 0.0


@pytest.mark.parametrize("e", [0.05, 0.3, 0.7, 1.0])
def test_the_exact_mode_gives_the_restitution_asked_for(e):
    contact = modia3d.elastic_contact(STEEL_BALL, STEEL_BALL, restitution_law="exact")
    contact = contact.replace(pairMaterial=contact.pairMaterial.replace(coefficientOfRestitution=e))
    material = modia3d.response_material(contact, 0.8)
    stiffness = float(material.c_res * material.c_geo)
    rebound = _rebound_speed(stiffness, float(material.d_res), mass=2.0, speed=0.8)
    assert rebound == pytest.approx(e * 0.8, rel=1e-8)
    nominal = modia3d.response_material(contact.replace(restitution_law="nominal"), 0.8)
    assert nominal.d_res == pytest.approx(1.6 * (1 - e) / (e * 0.8), rel=1e-14)


def _rebound_speed(stiffness, damping, *, mass, speed):
    force = jax.jit(
        lambda d, v: modia3d.normal_force(d, v, stiffness=stiffness, dissipation=damping)
    )
    length = (mass * speed**2 / stiffness) ** 0.4

    def ends(_, y):
        return y[0] if y[1] < 0.0 else 1.0

    ends.terminal = True
    found = solve_ivp(
        lambda t, y: [
            y[1],
            -float(force(y[0] * length, y[1] * speed)) * length / (mass * speed**2),
        ],
        (0.0, 100.0),
        [0.0, 1.0],
        events=ends,
        method="DOP853",
        rtol=1e-11,
        atol=1e-13,
    )
    return -found.y[1, -1] * speed


def test_the_torque_of_the_regularised_unit_vector_has_its_length():
    x = np.linspace(0.0, 0.03, 31)
    small = 0.01
    expected = np.where(x >= small, x, x**2 / small * (1 - x / (3 * small)) + small / 3)
    np.testing.assert_allclose(modia3d.reg(x, small), expected, rtol=3e-15)
    unit = modia3d.regularized_unit_vector(x[:, None] * np.array([0.6, 0.0, -0.8]), small)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=-1), x / expected, rtol=3e-15)


@pytest.mark.long
@pytest.mark.slow
def test_every_derivative_of_a_pair_with_all_options_is_right_and_finite():
    # The documented pair is in the catalogue of laws, and its derivatives are tested with those of
    # all laws.
    options = {"restitution_law": "exact", "transition_speed": 0.02, "tension": True}
    soft = {"Steel": SolidMaterial(YoungsModulus=1e6, PoissonsRatio=0.3)}
    solids = (
        Solid(shape=Sphere(diameter=0.2), solidMaterial="Steel"),
        Solid(shape=Sphere(diameter=0.3), solidMaterial="Steel"),
    )
    contact = modia3d.elastic_contact(*solids, solid_materials=soft, **options)
    leaves, tree = jax.tree.flatten(
        (
            ContactMemory(0.7),
            contact,
            *motions(0.22, velocity=(-0.5, 0.3, 0.1), spin=(1.0, 2.0, 0.5)),
        )
    )
    sizes = [np.size(leaf) for leaf in leaves]
    shapes = [np.shape(leaf) for leaf in leaves]
    start = np.concatenate([np.ravel(leaf) for leaf in leaves])

    def result(x):
        parts = [
            part.reshape(shape)
            for part, shape in zip(jnp.split(x, np.cumsum(sizes)[:-1]), shapes, strict=True)
        ]
        response, _ = modia3d.sphere_sphere_response(*jax.tree.unflatten(tree, parts))
        return jnp.concatenate([*response.wrench1, response.wrench2.torque])

    def jitted(f):
        return jax.jit(jax.vmap(f), compiler_options={"xla_backend_optimization_level": 0})

    slope = np.asarray(jitted(jax.jacfwd(result))(start[None]))[0]
    step = 1e-3 * np.where(start == 0.0, 0.1, np.abs(start))
    offsets = np.array([-3, -2, -1, 1, 2, 3])
    points = (start + (offsets[:, None, None] * np.diag(step))).reshape(-1, start.size)
    values = np.asarray(jitted(result)(points)).reshape(6, start.size, -1)
    difference = np.tensordot(np.array([-1, 9, -45, 45, -9, 1]) / 60, values, 1).T / step
    scale = np.max(np.abs(slope * step), axis=1, keepdims=True)
    np.testing.assert_array_less(
        np.abs(difference - slope) * step, 1e-7 * np.abs(slope * step) + 1e-9 * scale + 1e-13
    )

    memory = [ContactMemory(0.0), ContactMemory(), ContactMemory(0.005), ContactMemory(0.7)]
    corners = [
        jax.tree.leaves((past, contact, *motions(distance, velocity=velocity, spin=spin)))
        for past, distance, velocity, spin in itertools.product(
            memory,
            (0.0, 0.2, 0.25, 0.3),
            ((0.0, 0.0, 0.0), (-0.5, 0.0, 0.0), (0.0, 0.01, 0.0), (9.0, 0.0, 0.0)),
            ((0.0, 0.0, 0.0), (0.01, 0.0, 0.0)),
        )
    ]
    points = np.array([np.concatenate([np.ravel(leaf) for leaf in corner]) for corner in corners])
    for number in (np.float64, np.float32):
        direction = np.where(start == 0.0, 0.1, start).astype(number)

        def orders(x, direction=direction):
            first = jax.grad(lambda x: jnp.sum(result(x)))
            return result(x), *jax.jvp(first, (x,), (direction,))

        for order in jitted(orders)(points.astype(number)):
            assert order.dtype == number
            assert np.all(np.isfinite(order))


def test_palette_numbers_keep_single_precision():
    contact = modia3d.elastic_contact(STEEL_BALL, STEEL_BALL)
    single = jax.tree.map(
        lambda leaf: leaf.astype(np.float32), motions(0.199, velocity=(-0.5, 0.2, 0.0))
    )
    response, memory = modia3d.sphere_sphere_response(ContactMemory(), contact, *single)
    assert {leaf.dtype for leaf in jax.tree.leaves((response, memory))} == {np.dtype(np.float32)}


def laws_of(contact):
    with pytest.warns(UserWarning, match="contact_model leaves out: impacts slower than vsmall"):
        return modia3d.contact_model(contact)


def test_what_a_contact_model_leaves_out_is_said():
    ball = Solid(shape=Sphere(diameter=0.06), solidMaterial="Steel")
    contact = modia3d.elastic_contact(ball, ball).replace(tension=True)
    dead = contact.pairMaterial.replace(coefficientOfRestitution=0.0)
    with pytest.warns(UserWarning, match="leaves out") as said:
        modia3d.contact_model(contact.replace(pairMaterial=dead))
    (one,) = said
    for part in ("coefficientOfRestitution of 0.0 becomes 0.0008", "spinning", "tension"):
        assert part in str(one.message)


@pytest.mark.long
@pytest.mark.slow
def test_two_billiard_balls_move_through_a_scene_as_the_program_stored():
    """TwoCollidingBalls again, through ``simulate``: two materials in one scene, few steps.

    The restitution of ball and table is 8e-4: so heavily damped a contact needs a finer step.
    """
    ball = Solid(shape=Sphere(diameter=0.06), solidMaterial="BilliardBall")
    table = Solid(
        shape=modia3d.Box(lengthX=3.0, lengthY=0.5, lengthZ=0.02),
        solidMaterial="DryWood",
        contactMaterial="BilliardTable",
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=(0.03, 0.03), density=1768.0),
        contact=laws_of(modia3d.elastic_contact(ball, ball)),
        contact_on_surfaces=laws_of(modia3d.elastic_contact(ball, table)),
    )
    start = jc.state(
        position=((-1.3, 0.0, 0.03), (0.0, 0.0, 0.03)), velocity=((3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    )
    found = jc.simulate(
        scene,
        start,
        jnp.array([0.0, 1.5]),
        method=jc.EventAligned(max_contacts=12, graded_step=0.005),
        ledger=True,
    )
    (x1, _, _), (x2, _, _) = found.position[-1]
    stored = [0.448763947, 0.533370493, 17.7785003, 1.403467937, 1.438620196, 47.9542960]
    velocity, spin = found.velocity[-1, :, 0], found.spin[-1, :, 1]
    np.testing.assert_allclose(
        [x1, velocity[0], spin[0], x2, velocity[1], spin[1]], stored, rtol=1e-4
    )
    assert np.sum(np.diff(found.ledger.times) > 0) < 2000
    assert found.ledger.imbalance < 1e-6


@pytest.mark.slow
def test_a_bouncing_sphere_moves_through_a_scene_as_the_program_stored():
    """BouncingSphere, 6 bounces."""
    steel = Solid(shape=Sphere(diameter=0.2), solidMaterial="Steel")
    floor = Solid(shape=modia3d.Box(lengthX=1.0, lengthY=1.0, lengthZ=0.1), solidMaterial="Steel")
    contact = laws_of(modia3d.elastic_contact(steel, floor))
    scene = jc.Scene(bodies=jc.spheres(radius=0.1, mass=0.001), contact=contact)
    method = jc.EventAligned(max_contacts=8, sustained_steps=0)
    found = jc.simulate(
        scene, jc.state(position=(0.0, 0.0, 1.1)), jnp.array([0.0, 2.2]), method=method
    )
    np.testing.assert_allclose(
        [found.velocity[-1, 2], found.position[-1, 2] - 0.1],
        [-0.4417983315849275, 0.0003869217525311367],
        atol=5e-5,
    )


@pytest.mark.long
def test_a_bouncing_sphere_comes_to_rest_as_the_program_stored():
    """Modia3D's test model BouncingSphere2."""
    end = trajectory_bouncing_sphere(
        mass=0.001, radius=0.1, drop_height=1.0, g=9.81, material="Steel", t=2.5
    )
    np.testing.assert_allclose([end["v"], end["s"]], 0.0, atol=1e-7)


@pytest.mark.slow
def test_two_billiard_balls_move_as_the_program_stored():
    """A ball slides, rolls and hits another one: Modia3D's test model TwoCollidingBalls."""
    ball = Solid(shape=Sphere(diameter=0.06), solidMaterial="BilliardBall")
    table = Solid(
        shape=modia3d.Box(lengthX=3.0, lengthY=0.5, lengthZ=0.02),
        solidMaterial="DryWood",
        contactMaterial="BilliardTable",
    )
    on_table, of_balls = modia3d.elastic_contact(ball, table), modia3d.elastic_contact(ball, ball)
    radius, up = 0.03, jnp.array([0.0, 0.0, 1.0])
    mass = 1768.0 * 4 / 3 * np.pi * radius**3
    inertia = 0.4 * mass * radius**2
    floor = Motion(-radius * up, STILL, STILL)

    def bodies(y):
        """Two balls in the xz plane: x, z, vx, vz and the rate of turning about y of each."""
        return [
            Motion(
                jnp.array([1.0, 0.0, 0.0]) * s[0] + up * s[1],
                jnp.array([1.0, 0.0, 0.0]) * s[2] + up * s[3],
                jnp.array([0.0, 1.0, 0.0]) * s[4],
            )
            for s in (y[:5], y[5:])
        ]

    def planes(first, second):
        flat = [
            modia3d.sphere_flat_plane(one, floor, radius1=radius, surface_normal=up)
            for one in (first, second)
        ]
        return *flat, modia3d.sphere_sphere_plane(first, second, radius1=radius, radius2=radius)

    @jax.jit
    def contacts(y):
        first, second = bodies(y)
        pairs = ((first, floor), (second, floor), (first, second))
        found = planes(first, second)
        speeds = [
            modia3d.contact_start(*pair, plane).impact_speed
            for pair, plane in zip(pairs, found, strict=True)
        ]
        return 1e-13 - jnp.stack([plane.gap for plane in found]), jnp.stack(speeds)

    def rate(y, memory):
        first, second = bodies(y)
        found = planes(first, second)
        laws = (on_table, on_table, of_balls)
        pairs = ((first, floor), (second, floor), (first, second))
        wrenches = []
        for law, pair, plane, speed in zip(laws, pairs, found, memory, strict=True):
            response, _ = modia3d.contact_response(ContactMemory(speed), law, *pair, plane)
            wrenches.append(
                jax.tree.map(lambda leaf, speed=speed: jnp.where(speed >= 0.0, leaf, 0.0), response)
            )
        on_first = jax.tree.map(jnp.add, wrenches[0].wrench1, wrenches[2].wrench1)
        on_second = jax.tree.map(jnp.add, wrenches[1].wrench1, wrenches[2].wrench2)
        return jnp.concatenate(
            [
                jnp.stack(
                    [
                        body.velocity[0],
                        body.velocity[2],
                        w.force[0] / mass,
                        w.force[2] / mass - 9.81,
                        w.torque[1] / inertia,
                    ]
                )
                for body, w in ((first, on_first), (second, on_second))
            ]
        )

    jacobian = jax.jit(jax.jacfwd(rate))
    start = np.array([-1.3, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    end = latched_motion(
        jax.jit(rate),
        contacts,
        start,
        1.5,
        jacobian=jacobian,
        method="Radau",
        rtol=1e-8,
        atol=1e-11,
        max_step=0.01,
    )
    x1, _, vx1, _, w1, x2, _, vx2, _, w2 = end.state
    stored = [0.448763947, 0.533370493, 17.7785003, 1.403467937, 1.438620196, 47.9542960]
    np.testing.assert_allclose([x1, vx1, w1, x2, vx2, w2], stored, rtol=1e-4)
    assert end.starts == 1


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: modia3d.solid_material("Stel"),
            "solid material 'Stel' is not in the palette. Did you mean 'Steel'?",
        ),
        (
            lambda: modia3d.contact_pair_material("Steel", "DryWod"),
            "nor is the pair 'DryWod', 'DryWod' to average with. Did you mean 'DryWood'?",
        ),
        (
            lambda: modia3d.contact_pair_material("Observer", "DryWood"),
            "'Observer' is an observer: no mean. Add it to the palette under pair_key",
        ),
        (
            lambda: modia3d.elastic_contact(STEEL_BALL, STEEL_BALL, restitution_law="excat"),
            "Did you mean 'exact'?",
        ),
        (
            lambda: modia3d.elastic_contact(STEEL_BALL, STEEL_BALL, maximumContactDamping=0.0),
            "maximumContactDamping = 0 s/m is outside (0, inf)",
        ),
        (
            lambda: modia3d.elastic_contact(
                STEEL_BALL, STEEL_BALL, elasticContactReductionFactor=1.2
            ),
            "= 1.2 - is outside [0, 1.1]",
        ),
        (
            lambda: modia3d.contactPairMaterialPalette["Steel", "Steel"].replace(
                coefficientOfRestitution=1.1
            ),
            "is outside [0, 1]",
        ),
        (
            lambda: SolidMaterial(YoungsModulus=-1.0, PoissonsRatio=0.3),
            "YoungsModulus = -1 Pa is outside [0, inf) (Young's modulus). 0 is no contact force.",
        ),
        (lambda: Solid(shape=Sphere(diameter=0.1)), "neither solidMaterial nor contactMaterial"),
        (lambda: Solid(shape="Sphere", solidMaterial="Steel"), "shape = 'Sphere' is not a shape"),
        (lambda: Sphere(diameter=0.0), "diameter = 0 m is outside (0, inf)"),
        (
            lambda: modia3d.sphere_sphere_response(
                ContactMemory(), modia3d.elastic_contact(STEEL_BALL, GROUND), *motions(0.1)
            ),
            "solid2.shape is a Box, but must be a Sphere here",
        ),
        (
            lambda: modia3d.damping_coefficient(0.5, -1.0),
            "impact_speed = -1 m/s is outside [0, inf)",
        ),
    ],
)
def test_a_wrong_argument_is_named_with_its_range_and_remedy(build, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        build()
    assert text in str(caught.value)
