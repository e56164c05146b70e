"""Beds of two and three spheres against SciPy's DOP853 and the engine that follows each contact."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc

pytestmark = pytest.mark.slow

HERTZ = jc.HertzMindlin(
    youngs_modulus=5e6, poisson_ratio=0.25, restitution=0.7, coefficient=0.3, zeta=0.05
)
LINEAR = jc.LinearSpringDashpot(stiffness=1e4, restitution=0.7, coefficient=0.3, zeta=0.05)
RADII, MASSES = np.array([5e-3, 3e-3]), np.array([1.3e-3, 3e-4])
END = 6e-3


def collision(contact, step):
    """An oblique collision of two unequal spheres that spin."""
    bed = jc.Bed(
        spheres=jc.spheres(radius=RADII, mass=MASSES), contact=contact, gravity=(0.0, 0.0, 0.0)
    )
    start = jc.state(
        position=[(0.0, 0.0, 0.0), (8.2e-3, 1e-3, 5e-4)],
        velocity=[(0.4, 0.0, 0.1), (-0.6, 0.2, 0.0)],
        spin=[(0.0, 20.0, 40.0), (30.0, 0.0, -10.0)],
    )
    sizes = jc.BedSizes((2, 2, 2), 3, 1, 1, 1, 1, 1e-2)
    return bed, start, jc.simulate_bed(bed, start, [0.0, END], time_step=step, sizes=sizes)


def in_numbers(contact, bed, start):
    """Velocities and spins after the collision, by DOP853 with the equations written here: the
    spring is marked on the contact plane, which turns with the line of centres and the mean spin.
    """
    radius = 1 / np.sum(1 / RADII)
    mass = 1 / np.sum(1 / MASSES)
    law = contact.of_pair(radius=radius)
    hertz = isinstance(contact, jc.HertzMindlin)
    stiffness, friction = float(law.normal.stiffness), law.friction
    damping = float(contact.damping())

    def forces(y):
        x, v, w = y[:6].reshape(2, 3), y[6:12].reshape(2, 3), y[12:18].reshape(2, 3)
        apart = x[0] - x[1]
        distance = np.linalg.norm(apart)
        n = apart / distance
        d = max(RADII.sum() - distance, 0.0)
        arms = RADII - d / 2
        rel = v[0] - v[1] - np.cross(arms[0] * w[0] + arms[1] * w[1], n)
        rate = -rel @ n
        slip = rel + rate * n
        if hertz:
            normal = stiffness * d**1.5 + damping * np.sqrt(mass * stiffness) * d**0.25 * rate
            shear = 8.0 * float(friction.effective_shear_modulus) * np.sqrt(radius * d)
        else:
            normal = stiffness * d + 2.0 * damping * np.sqrt(mass * stiffness) * rate
            shear = float(friction.tangential_stiffness)
        return n, distance, arms, slip, max(normal, 0.0), shear, v, w

    def slope(y):
        n, distance, arms, slip, normal, shear, v, w = forces(y)
        spring = y[18:]
        viscosity = 2.0 * 0.05 * np.sqrt(mass * shear)
        trial = shear * spring + viscosity * slip
        size = np.linalg.norm(trial)
        limit = 0.3 * normal
        # Backward Euler of the slider in the limit of short steps: behind it, spring and dashpot
        # in parallel carry at most the limit, and the slider takes the rest of the slip.
        if size > limit and size > 0:
            friction_force = -trial * limit / size
            stretch = (-friction_force - shear * spring) / viscosity if viscosity else 0.0 * slip
        else:
            friction_force, stretch = -trial, slip
        turn_n = np.cross(n, v[0] - v[1]) / distance  # angular velocity of the line of centres
        frame = turn_n + 0.5 * ((w[0] + w[1]) @ n) * n
        push = normal * n + friction_force
        twist = -np.cross(n, friction_force)
        inertia = 0.4 * MASSES * RADII**2
        return np.concatenate(
            [
                v.ravel(),
                push / MASSES[0],
                -push / MASSES[1],
                arms[0] * twist / inertia[0],
                arms[1] * twist / inertia[1],
                stretch + np.cross(frame, spring),
            ]
        )

    def gap(_, y):
        return np.linalg.norm(y[:3] - y[3:6]) - RADII.sum()

    y = np.concatenate([np.ravel(a) for a in (start.position, start.velocity, start.spin)])

    def fly(y, duration):
        return np.concatenate([y[:6] + duration * y[6:12], y[6:]])

    a, b = y[:3] - y[3:6], y[6:9] - y[9:12]
    roots = np.roots([b @ b, 2 * a @ b, a @ a - RADII.sum() ** 2])
    touch = float(np.min(roots.real))
    y = np.concatenate([fly(y, touch), np.zeros(3)])
    gap.terminal, gap.direction = True, 1
    found = solve_ivp(
        lambda _, y: slope(y),
        (touch, END),
        y,
        method="DOP853",
        rtol=1e-9,
        atol=1e-12,
        max_step=1e-5,
        events=gap,
    )
    return fly(found.y[:18, -1], END - found.t[-1])


@pytest.mark.parametrize("contact", [LINEAR, HERTZ], ids=["linear", "hertz"])
def test_an_oblique_collision_is_that_of_scipy_as_the_steps_grow_short(contact):
    steps = (8e-6, 4e-6, 2e-6, 1e-6)
    errors = []
    for step in steps:
        bed, start, result = collision(contact, step)
        if not errors:
            exact = in_numbers(contact, bed, start)
        errors.append(
            (
                np.max(np.abs(np.ravel(result.velocity[-1]) - exact[6:12])),
                np.max(np.abs(np.ravel(result.spin[-1]) - exact[12:18])) * RADII[0],
            )
        )
    errors = np.asarray(errors)
    # Of first order, with the steps at which the contact begins and ends in different places.
    assert np.all(errors[-1] < 2e-3), errors
    assert np.all(errors[-1] < 0.35 * errors[0]), errors


def test_momentum_and_angular_momentum_are_kept_to_rounding():
    _, _, result = collision(LINEAR, 8e-6)
    mass, inertia = MASSES[:, None], (0.4 * MASSES * RADII**2)[:, None]
    momentum = np.sum(mass * result.velocity, axis=1)
    turning = np.sum(
        mass * np.cross(result.position, result.velocity) + inertia * result.spin, axis=1
    )
    assert np.max(np.abs(momentum[1] - momentum[0])) < 1e-15 * np.sum(MASSES)
    assert np.max(np.abs(turning[1] - turning[0])) < 1e-13 * np.max(np.abs(turning[0]))


def test_a_bounce_on_a_wall_is_that_of_simulate():
    contact = LINEAR.replace(end="zero_overlap")
    bed = jc.Bed(
        spheres=jc.spheres(radius=5e-3, density=2500.0), contact=contact, walls=(jc.Plane(),)
    )
    start = jc.state(position=[(0.0, 0.0, 5.5e-3)], velocity=[(0.0, 0.0, -0.5)])
    scene = jc.Scene(
        bodies=bed.spheres,
        surfaces=bed.walls,
        contact=jc.ContactModel(normal=contact.of_pair(radius=5e-3).normal),
    )
    times = [0.0, 5e-3]
    alone = jc.state(position=start.position[0], velocity=start.velocity[0])
    exact = jc.simulate(scene, alone, times)
    sizes = jc.BedSizes((1, 1, 1), 1, 1, 1, 1, 1, 1e-3)
    errors = [
        abs(
            jc.simulate_bed(bed, start, times, time_step=step, sizes=sizes).velocity[-1, 0, 2]
            - exact.velocity[-1, 2]
        )
        for step in (4e-6, 1e-6)
    ]
    assert errors[1] < 2e-3
    assert errors[1] < 0.5 * errors[0]


def test_the_slider_is_that_of_the_law():
    from jaxcontact.beds.spring_forces import slider_step  # the one function written twice

    numbers = np.random.default_rng(3)
    spring, increment = numbers.normal(size=(2, 200, 3))
    normal = numbers.normal(1.0, 1.5, size=200)
    about = {"coefficient": 0.5, "time_step": 0.25}
    force, memory = jc.laws.cundall_strack.cundall_strack_force(
        jc.laws.tangential.SpringMemory(spring),
        increment,
        normal,
        tangential_stiffness=4.0,
        tangential_damping=0.5,
        **about,
    )
    ours = slider_step(
        tuple(jnp.asarray(spring.T)),
        tuple(jnp.asarray(increment.T)),
        jnp.asarray(normal),
        stiffness=jnp.asarray(4.0),
        damping=jnp.asarray(0.5),
        **about,
    )
    np.testing.assert_allclose(np.stack(ours[0], -1), force, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(np.stack(ours[1], -1), memory.elongation, rtol=1e-14, atol=1e-15)


def test_a_spring_at_rest_has_finite_derivatives():
    from jaxcontact.beds.spring_forces import slider_step

    def pull(spring):
        zero = jnp.zeros(1)
        force, _ = slider_step(
            (spring, zero, zero),
            (zero, zero, zero),
            jnp.ones(1),
            stiffness=jnp.asarray(1e4),
            damping=jnp.asarray(0.0),
            coefficient=jnp.asarray(0.5),
            time_step=jnp.asarray(1e-5),
        )
        return force[0][0]

    assert jax.grad(pull)(jnp.zeros(1)) == -1e4


def test_a_room_is_its_walls():
    """Spheres in edges and corners of a hollow box that moves, against the planes around it."""
    half = np.array([0.012, 0.011, 0.013])
    motion = jc.PrescribedMotion(velocity=(0.1, 0.05, 0.2), angular_velocity=(0.5, 0.3, -0.4))
    planes = tuple(
        jc.Plane(normal=tuple(side * along), offset=-reach, motion=motion)
        for along, reach in zip(np.eye(3), half, strict=True)
        for side in (1.0, -1.0)
    )
    room = (jc.Box(lengths=2 * half, hollow=True, motion=motion),)
    radius = np.array([5e-3, 4e-3, 3e-3])
    start = jc.state(
        position=[(-5e-3, 4e-3, 6e-3), (6e-3, -5e-3, 7e-3), (0.0, 7.5e-3, -8e-3)],
        velocity=[(-1.0, 0.9, 0.9), (1.1, -1.0, 1.0), (0.2, 1.0, -1.1)],
        spin=[(0.0, 20.0, 40.0), (30.0, 0.0, -10.0), (5.0, 5.0, 5.0)],
    )

    def moved(walls):
        spheres = jc.spheres(radius=radius, density=2500.0)
        bed = jc.Bed(spheres=spheres, contact=LINEAR, walls=walls)
        return jc.simulate_bed(bed, start, [0.0, 3e-3, 6e-3], time_step=1e-5, ledger=True)

    within, between = moved(room), moved(planes)
    assert np.max(np.abs(within.velocity[-1] - start.velocity)) > 1.0
    np.testing.assert_allclose(within.velocity, between.velocity, rtol=0, atol=1e-11)
    np.testing.assert_allclose(within.spin, between.spin, rtol=0, atol=1e-8)
    np.testing.assert_allclose(within.ledger.walls, between.ledger.walls, rtol=0, atol=1e-13)
    for name in ("wall_force", "wall_torque"):
        whole, parts = getattr(within, name), getattr(between, name)
        np.testing.assert_allclose(whole[:, 0], np.sum(parts, axis=1), rtol=0, atol=1e-9)
    touches = np.asarray(within.contacts.touches)
    assert np.max(np.asarray(within.contacts.wall)[touches], initial=0) == 0
