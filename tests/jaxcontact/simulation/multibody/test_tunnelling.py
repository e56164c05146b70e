"""Nothing passes through an obstacle, however thin, fast or far away, and how long a simulation
lasts changes nothing of what happened before.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import jaxcontact as jc

RADIUS = 0.01
SPEEDS = (0.1, 5.0, 30.0, 300.0)
FARTHER = (1.5, 10.0, 300.0)
"""Horizons in units of the time to the obstacle."""

WALL = ((1.0, -1.0, -1.0), (1.0, 1.0, -1.0), (1.0, 1.0, 1.0), (1.0, -1.0, 1.0))
AWAY = jc.PrescribedMotion(velocity=(0.05, 0.0, 0.0))
OBSTACLES = {
    "thin box": (jc.Box(center=(1.0, 0.0, 0.0), lengths=(0.01, 1.0, 1.0)), 0.985),
    "facet": (jc.Facet(vertices=WALL[:3], two_sided=True), 0.99),
    "open mesh": (jc.Mesh(vertices=WALL, faces=((0, 1, 2), (0, 2, 3)), closed=False), 0.99),
    "small sphere": (jc.Sphere(center=(1.0, 0.0, 0.0), radius=0.005), 0.985),
    "thin capsule": (
        jc.Capsule(start=(1.0, 0.0, -0.3), end=(1.0, 0.0, 0.3), radius=0.002),
        0.988,
    ),
    "thin cylinder": (
        jc.Cylinder(start=(1.0, 0.0, -0.3), end=(1.0, 0.0, 0.3), radius=0.002),
        0.988,
    ),
    "hollow sphere": (jc.Sphere(center=(0.0, 0.0, 0.0), radius=1.0, hollow=True), 0.99),
    "hollow box": (jc.Box(center=(0.0, 0.0, 0.0), lengths=(2.0, 2.0, 2.0), hollow=True), 0.99),
    "hollow drum": (
        jc.Cylinder(start=(0.0, 0.0, -1.0), end=(0.0, 0.0, 1.0), radius=1.0, hollow=True),
        0.99,
    ),
    "thin box that moves away": (
        jc.Box(center=(1.0, 0.0, 0.0), lengths=(0.01, 1.0, 1.0), motion=AWAY),
        None,
    ),
}


def towards(surface, bodies=None, offset=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), max_steps=None):
    """A compiled flight along x at a speed up to a time: touch-down, position and velocity at a
    time, and the status.
    """
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=0.01) if bodies is None else bodies,
        surfaces=[surface],
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
        gravity=(0.0, 0.0, 0.0),
    )
    shape = (1, 3) if bodies is not None else (3,)

    @jax.jit
    def flight(speed, until, look):
        start = jc.state(
            position=jnp.reshape(jnp.asarray(offset), shape),
            velocity=jnp.reshape(speed * jnp.array([1.0, 0.0, 0.0]), shape),
            spin=jnp.reshape(jnp.asarray(spin), shape),
        )
        times = jnp.stack([jnp.zeros(()), look, until])
        method = jc.Impulse(max_contacts=4, max_steps=max_steps)
        return jc.simulate(scene, start, times, method=method)

    return flight


@pytest.mark.long(
    "hollow box",
    "hollow drum",
    "hollow sphere",
    "open mesh",
    "thin box that moves away",
    "thin capsule",
)
@pytest.mark.slow
@pytest.mark.parametrize("name", OBSTACLES)
def test_no_obstacle_is_missed_and_the_horizon_changes_nothing(name):
    surface, distance = OBSTACLES[name]
    flight = towards(surface)
    for speed in SPEEDS:
        expected = 0.985 / (speed - 0.05) if distance is None else distance / speed
        look = 1.2 * expected
        seen = []
        for times in FARTHER:
            found = flight(speed, times * expected, look)
            assert found.contacts.happened[0], f"{speed} m/s, {times}"
            seen.append([found.contacts.touch_down[0], *found.position[1], *found.velocity[1]])
        assert seen[0][0] == pytest.approx(expected, rel=1e-9)
        scale = [expected, 1.0, 1.0, 1.0, speed, speed, speed]
        np.testing.assert_allclose((np.array(seen) - seen[0]) / scale, 0.0, atol=1e-12)


@pytest.mark.long
def test_a_sphere_that_only_grazes_is_seen():
    """It overlaps the path by a part in 10,000 of its radius, for a moment."""
    sphere = jc.Sphere(center=(1.0, 0.0, 0.0), radius=0.02)
    for depth, hits in ((1e-4, True), (1e-6, True), (-1e-6, False)):
        flight = towards(sphere, offset=(0.0, 0.02 + RADIUS - depth * RADIUS, 0.0))
        for speed in (0.1, 300.0):
            found = flight(speed, 20.0 / speed, 2.0 / speed)
            assert bool(found.contacts.happened[0]) == hits, (depth, speed)


@pytest.mark.long
def test_a_rod_that_turns_fast_does_not_turn_through_a_wall():
    """Its end meets the wall long before its centre would."""
    rod = jc.clump(
        offset=((0.0, -0.1, 0.0), (0.0, 0.0, 0.0), (0.0, 0.1, 0.0)),
        radius=(RADIUS,) * 3,
        mass=0.03,
        inertia=(2e-4, 1e-6, 2e-4),
    )
    wall = jc.Box(center=(0.3, 0.0, 0.0), lengths=(0.001, 1.0, 1.0))
    flight = towards(wall, bodies=rod, spin=(0.0, 0.0, 200.0), max_steps=1000)
    first = None
    for until in (0.1, 3.0):
        found = flight(2.0, until, 0.05)
        assert found.contacts.happened[0]
        first = found.contacts.touch_down[0] if first is None else first
        assert found.contacts.touch_down[0] == pytest.approx(float(first), rel=1e-12)
    # An end reaches the wall where 2 t + 0.1 |sin 200 t| = 0.2895 for the first time.
    times = np.linspace(0.0, 0.2, 2_000_001)
    reach = 2.0 * times + 0.1 * np.abs(np.sin(200.0 * times)) + RADIUS
    assert float(first) == pytest.approx(times[np.argmax(reach >= 0.2995)], abs=2e-7)


MEMBERS = np.array([[0.024, -0.01, 0.006], [-0.014, 0.018, -0.01], [-0.01, -0.008, 0.004]])
INERTIA, MEMBER_RADIUS = np.array([3e-6, 5e-6, 6.5e-6]), 0.008
LONGEST = 0.3


def free_rotation(orientation, spin):
    """Where the members of a free body are about its centre, as a function of time."""

    def rates(_, y):
        turn, own = Rotation.from_quat(y[:4], scalar_first=True), y[4:]
        w = turn.apply(own)
        quaternion = 0.5 * np.r_[-w @ y[1:4], y[0] * w + np.cross(w, y[1:4])]
        return np.r_[quaternion, -np.cross(own, INERTIA * own) / INERTIA]

    own = Rotation.from_quat(orientation, scalar_first=True).inv().apply(spin)
    path = solve_ivp(
        rates,
        (0.0, LONGEST),
        np.r_[orientation, own],
        method="DOP853",
        rtol=1e-12,
        atol=1e-13,
        dense_output=True,
    ).sol

    def members(times):
        turns = Rotation.from_quat(path(times)[:4].T, scalar_first=True).as_matrix()
        return np.einsum("tij,mj->tmi", turns, MEMBERS)

    return members


def touch_of_two_that_graze(seed, depth):
    """Two turning bodies of which two members would overlap by ``depth`` at one moment: their
    start, and when they first touch, by a scan of all pairs of members.
    """
    random = np.random.default_rng(seed)
    spins = random.normal(size=(2, 3)) * random.choice([3.0, 20.0, 60.0], size=(2, 1))
    turns = random.normal(size=(2, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    velocity = random.normal(size=3) * random.choice([0.5, 1.5, 4.0])
    bodies = [free_rotation(turn, spin) for turn, spin in zip(turns, spins, strict=True)]
    moment, (one, other) = random.uniform(0.1, 0.2), random.integers(3, size=2)
    near = moment + np.array([-1e-6, 0.0, 1e-6])
    apart = bodies[1](near)[:, other] - bodies[0](near)[:, one]
    sliding = (apart[2] - apart[0]) / 2e-6 - velocity
    side = np.cross(sliding, random.normal(size=3))
    side *= (2 * MEMBER_RADIUS - depth) / np.linalg.norm(side)
    origin = side + velocity * moment - apart[1]

    def gap(time):
        times = np.atleast_1d(time)
        first = bodies[0](times) + velocity * times[:, None, None]
        second = bodies[1](times) + origin
        distance = np.linalg.norm(first[:, :, None] - second[:, None], axis=-1)
        return np.min(distance, axis=(1, 2)) - 2 * MEMBER_RADIUS

    times = np.linspace(0.0, 1.01 * moment, 30_001)
    gaps = gap(times)
    first = np.argmax(gaps < 0)
    if gaps[0] < 0.1 * MEMBER_RADIUS or first == 0:
        return None
    touch = brentq(lambda time: gap(time)[0], times[first - 1], times[first], xtol=1e-14)
    start = jc.state(
        position=np.stack([np.zeros(3), origin]),
        velocity=np.stack([velocity, np.zeros(3)]),
        spin=spins,
        orientation=turns,
    )
    return start, touch


@pytest.mark.long
@pytest.mark.slow
def test_clumps_that_graze_touch_when_they_do_however_long_the_simulation():
    body = jc.clump(offset=MEMBERS, radius=MEMBER_RADIUS, mass=0.02, inertia=INERTIA)
    scene = jc.Scene(
        bodies=jc.together(body, body),
        surfaces=(),
        contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e7, restitution=0.8)),
        gravity=(0.0, 0.0, 0.0),
    )

    @jax.jit
    def flight(start, times):
        method = jc.EventAligned(max_contacts=3, max_steps=2000)
        return jc.simulate(scene, start, times, method=method)

    cases = [
        touch_of_two_that_graze(seed, depth * MEMBER_RADIUS)
        for depth in (0.03, 1e-3, 1e-5)
        for seed in range(6)
    ]
    cases = [case for case in cases if case is not None]
    assert len(cases) >= 12
    for start, touch in cases:
        seen = []
        for until in (1.02, 2.0, 20.0):
            found = flight(start, touch * jnp.array([0.0, 1.005, until]))
            assert found.contacts.happened[0]
            assert found.contacts.touch_down[0] == pytest.approx(touch, rel=1e-5)
            seen.append(np.concatenate([found.position[1], found.velocity[1], found.spin[1]]))
        np.testing.assert_allclose(seen, [seen[0]] * 3, rtol=0, atol=1e-9)
