"""Contacts that last, in scenes of several bodies: rest, sticking, sliding, rolling, at a cost
without stiffness, and the energy of it.

Every scene of one structure shares its compiled code: stiffness, slope, coefficients and initial
state are numbers.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation.multibody.bouncing_in_time import G, heights

pytestmark = pytest.mark.slow

RADIUS, MASS = 0.02, 0.03
METHOD = jc.EventAligned(max_contacts=25)


def ball_scene(p: dict) -> jc.Scene:
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=p["stiffness"], restitution=p["restitution"]),
        friction=jc.RegularizedCoulomb(coefficient=p["friction"], slip_velocity=p["slip_velocity"]),
        rolling=jc.RollingResistance(rolling_coefficient=p["rolling"], rolling_velocity=1e-4),
    )
    gravity = G * jnp.stack([jnp.sin(p["slope"]), 0.0 * p["slope"], -jnp.cos(p["slope"])])
    return jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=gravity)


BALL = {
    "stiffness": 1e9,
    "restitution": 0.6,
    "friction": 0.3,
    "slip_velocity": 1e-4,
    "rolling": 0.0,
    "slope": 0.0,
}


@functools.cache
def ball_simulation():
    def run(p: dict, position, velocity, spin, times) -> jc.Trajectory:
        return jc.simulate(
            ball_scene(p),
            jc.state(position=position, velocity=velocity, spin=spin),
            times,
            method=METHOD,
            ledger=True,
        )

    return jax.jit(run)


def ball(
    *,
    height: float = 0.0,
    velocity=(0.0, 0.0, 0.0),
    spin=(0.0, 0.0, 0.0),
    duration: float = 2.0,
    **changes: float,
) -> jc.Trajectory:
    p = {name: jnp.asarray(value) for name, value in {**BALL, **changes}.items()}
    position = jnp.array([0.0, 0.0, RADIUS + height])
    return ball_simulation()(
        p, position, jnp.array(velocity), jnp.array(spin), jnp.linspace(0.0, duration, 9)
    )


def steps(found: jc.Trajectory) -> int:
    return int(jnp.sum(jnp.diff(found.ledger.times) > 0))


@pytest.mark.long
@pytest.mark.parametrize("stiffness", [1e7, 1e9, 1e12])
def test_a_rolling_ball_is_slowed_down_by_five_sevenths_of_its_resistance(stiffness):
    found = ball(
        stiffness=stiffness,
        slip_velocity=1e-7,
        rolling=0.01,
        velocity=(1.0, 0.0, 0.0),
        spin=(0.0, 1.0 / RADIUS, 0.0),
    )
    assert found.status == jc.Status.CAME_TO_REST
    np.testing.assert_allclose(
        found.velocity[:, 0], 1.0 - 5 / 7 * 0.01 * G * found.times, rtol=1e-6
    )
    np.testing.assert_allclose(
        found.position[:, 0], found.times - 5 / 14 * 0.01 * G * found.times**2, atol=1e-6
    )
    np.testing.assert_allclose(found.spin[:, 1], found.velocity[:, 0] / RADIUS, atol=1e-3)
    overlap = (MASS * G / stiffness) ** (2 / 3)
    np.testing.assert_allclose(found.position[1:, 2], RADIUS - overlap, atol=1e-9)


@pytest.mark.long
def test_steps_do_not_grow_with_the_stiffness():
    counts = [
        steps(ball(stiffness=k, rolling=0.01, velocity=(1.0, 0.0, 0.0))) for k in (1e7, 1e9, 1e12)
    ]
    assert max(counts) <= min(counts) + 3
    assert max(counts) < 520


def test_a_heavily_damped_contact_settles_although_its_overlap_never_turns_again():
    """It creeps towards its static overlap from one side."""
    found = ball(height=0.01, restitution=0.05, velocity=(0.5, 0.0, 0.0))
    assert found.status == jc.Status.CAME_TO_REST
    assert steps(found) < 1200
    np.testing.assert_allclose(found.velocity[-1], (5 / 7 * 0.5, 0.0, 0.0), atol=1e-6)
    assert found.ledger.imbalance < 1e-5


def test_a_ball_that_slides_begins_to_roll():
    friction, start = 0.1, 1.0
    found = ball(velocity=(start, 0.0, 0.0), friction=friction, slip_velocity=1e-7, duration=0.8)
    rolls = 2 * start / (7 * friction * G)
    slides = np.asarray(found.times) < rolls
    np.testing.assert_allclose(
        found.velocity[slides, 0], start - friction * G * found.times[slides], rtol=1e-6
    )
    np.testing.assert_allclose(found.velocity[~slides, 0], 5 / 7 * start, rtol=1e-6)
    assert np.sum(slides) > 1


def test_a_ball_on_a_slope_rolls_down_with_five_sevenths_of_the_pull():
    found = ball(slope=0.2, slip_velocity=1e-6)
    np.testing.assert_allclose(
        found.velocity[:, 0], 5 / 7 * G * np.sin(0.2) * found.times, rtol=1e-5, atol=1e-9
    )


def test_a_ball_on_a_steep_slope_slides_and_turns():
    found = ball(slope=1.0, friction=0.1, slip_velocity=1e-6)
    np.testing.assert_allclose(
        found.velocity[1:, 0], G * (np.sin(1.0) - 0.1 * np.cos(1.0)) * found.times[1:], rtol=1e-6
    )
    np.testing.assert_allclose(
        found.spin[1:, 1], 2.5 * 0.1 * G * np.cos(1.0) / RADIUS * found.times[1:], rtol=1e-6
    )


@pytest.mark.long
def test_a_ball_that_bounces_comes_to_rest_as_the_single_sphere_does():
    p = {name: jnp.asarray(value) for name, value in BALL.items()}
    found = ball(height=0.08, velocity=(1.0, 0.2, 0.0), spin=(0.0, 10.0, 3.0), duration=2.0)
    contact = ball_scene(p).contact.replace(rolling=None)
    scene = ball_scene(p).replace(contact=contact)
    start = jc.state(
        position=(0.0, 0.0, RADIUS + 0.08), velocity=(1.0, 0.2, 0.0), spin=(0.0, 10.0, 3.0)
    )
    alone = jc.simulate(scene, start, found.times, method=METHOD)
    assert found.status == alone.status == jc.Status.CAME_TO_REST
    np.testing.assert_allclose(found.position, alone.position, atol=1e-6)
    np.testing.assert_allclose(found.velocity[-1], alone.velocity[-1], atol=1e-5)


@pytest.mark.parametrize(
    "case",
    [
        {
            "height": 0.3,
            "velocity": (0.5, 0.2, 0.0),
            "spin": (10.0, -50.0, 20.0),
            "restitution": 0.93,
            "duration": 3.0,
        },
        {"height": 0.08, "velocity": (1.0, 0.2, 0.0)},
        {"rolling": 0.01, "velocity": (1.0, 0.0, 0.0)},
        {"slope": 1.0, "friction": 0.1},
        {"height": 0.02, "slope": 0.3, "rolling": 0.02, "spin": (5.0, 30.0, 10.0)},
    ],
)
def test_the_ledger_closes(case):
    found = ball(**case)
    assert found.ledger.imbalance < 1e-6
    for lost in (found.ledger.normal, found.ledger.friction, found.ledger.rolling):
        assert np.min(np.diff(lost)) > -1e-9


@pytest.mark.parametrize("restitution", [0.3, 0.6])
@pytest.mark.parametrize("stiffness", [3e5, 1e9])
def test_what_is_left_of_a_bouncing_rubs(stiffness, restitution):
    """A ball that slides all the time has lost ``mu g t``, whatever pushed it in the meantime, once
    it bounces no more; also at a static overlap of half a per cent of its radius.
    """
    found = ball(
        height=0.05,
        velocity=(10.0, 0.0, 0.0),
        slip_velocity=1e-7,
        stiffness=stiffness,
        restitution=restitution,
        duration=0.8,
    )
    assert found.status == jc.Status.CAME_TO_REST
    slowed = BALL["friction"] * G * found.times[-1]
    assert found.velocity[-1, 0] == pytest.approx(10.0 - slowed, abs=1e-8)
    assert found.spin[-1, 1] == pytest.approx(2.5 * slowed / RADIUS, abs=1e-6)
    # The force of friction is in proportion to what lifts it: so is what it has moved.
    fallen = found.position[-1, 2] - found.position[0, 2]
    moved = 10.0 * found.times[-1] - BALL["friction"] * (G * found.times[-1] ** 2 / 2 + fallen)
    assert found.position[-1, 0] == pytest.approx(moved, abs=1e-8)
    assert found.ledger.imbalance < 1e-6


@pytest.mark.parametrize(
    ("height", "restitution"),
    [(0.04, 0.3), (0.04, 0.5), (0.07, 0.4)],
    ids=["damped", "springy", "graze"],
)
def test_a_soft_contact_swings_until_nothing_is_left_to_see(height, restitution):
    """Its static overlap is half a per cent of the radius: a contact that would rest there from
    where it cannot open again is off by a part of that, and of the speed of the swinging. The last
    contact of one case begins with a graze.
    """
    stiffness, duration = 3e5, 0.4
    found = ball(height=height, stiffness=stiffness, restitution=restitution, duration=duration)
    expected = heights(stiffness, restitution, MASS, height, np.linspace(0.0, duration, 9))
    np.testing.assert_allclose(found.position[:, 2] - RADIUS, expected[:, 0], atol=1e-7 * height)
    np.testing.assert_allclose(found.velocity[:, 2], expected[:, 1], atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("name", ["restitution", "stiffness"])
def test_derivatives_of_a_soft_contact_that_swings_are_its_own(name):
    """What is left out of a swinging is seen in them by its acceleration, however slow it is."""
    height, duration, changes = 0.04, 0.35, {"restitution": 0.4, "stiffness": 3e5}
    start = jc.state(position=(0.0, 0.0, RADIUS + height))
    _, slopes = end_of_ball(start, duration, name, **changes)

    def end(share: float) -> np.ndarray:
        moved = {**changes, name: changes[name] * (1 + share)}
        return heights(
            moved["stiffness"], moved["restitution"], MASS, height, np.array([0.0, duration])
        )[-1]

    h = 1e-4
    expected = (8 * (end(h) - end(-h)) - (end(2 * h) - end(-2 * h))) / (12 * h)
    found = [float(slope[2]) * changes[name] for slope in slopes]
    # In units of what flights before the contact have: the height, and the speed of the fall.
    assert found[0] == pytest.approx(expected[0], abs=1e-6 * height)
    assert found[1] == pytest.approx(expected[1], abs=1e-5 * np.sqrt(2 * G * height))


@functools.cache
def slope_of_ball():
    """Positions and velocities at the end, and their derivatives with respect to ``p``."""

    def end(p: dict, start: jc.State, duration: float) -> tuple[jax.Array, jax.Array]:
        found = jc.simulate(ball_scene(p), start, jnp.stack([0.0, duration]), method=METHOD)
        return found.position[-1], found.velocity[-1]

    def slope(p: dict, direction: dict, start: jc.State, duration: float):
        return jax.jvp(lambda p: end(p, start, duration), (p,), (direction,))

    return jax.jit(slope)


def end_of_ball(start: jc.State, duration: float, name: str, **changes: float):
    p = {key: jnp.asarray(value, dtype=float) for key, value in {**BALL, **changes}.items()}
    direction = {key: jnp.asarray(float(key == name)) for key in p}
    return slope_of_ball()(p, direction, start, duration)


@pytest.mark.long
def test_the_derivative_of_a_distance_rolled_is_that_of_the_formula():
    start, duration = 1.0, 2.0
    where = jc.state(
        position=(0.0, 0.0, RADIUS), velocity=(start, 0.0, 0.0), spin=(0.0, start / RADIUS, 0.0)
    )
    (position, _), (slope, _) = end_of_ball(where, duration, "rolling", rolling=0.01)
    expected = start * duration - 5 / 14 * 0.01 * G * duration**2
    assert position[0] == pytest.approx(expected, rel=1e-6)
    assert slope[0] == pytest.approx(-5 / 14 * G * duration**2, rel=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("name", ["restitution", "stiffness"])
def test_where_a_ball_slides_after_its_bounces_does_not_depend_on_them(name):
    """What is left of its bouncing where it settles is little, however stiff it is, but moves with
    the times of its bounces.
    """
    start = jc.state(position=(0.0, 0.0, RADIUS + 0.05), velocity=(10.0, 0.0, 0.0))
    changes = {"restitution": 0.4, "stiffness": 1e10, "slip_velocity": 1e-7}
    _, (moved, quickened) = end_of_ball(start, 0.5, name, **changes)
    assert abs(quickened[0]) * changes[name] < 1e-7
    assert abs(moved[0]) * changes[name] < 1e-7


# A block: friction with a spring holds it for ever, regularised friction lets it creep, and beyond
# the cone it slides.

SIDE = 0.05


@functools.cache
def block_simulation(friction_law):
    def run(slope, coefficient, duration) -> jc.Trajectory:
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e9, restitution=0.3),
            friction=friction_law(coefficient),
        )
        gravity = G * jnp.stack([jnp.sin(slope), 0.0 * slope, -jnp.cos(slope)])
        scene = jc.Scene(
            bodies=jc.cube(half_width=SIDE, mass=0.4), contact=contact, gravity=gravity
        )
        start = jc.state(position=(0.0, 0.0, SIDE), orientation=(1.0, 0.0, 0.0, 0.0))
        return jc.simulate(
            scene,
            start,
            jnp.linspace(0.0, 1.0, 5) * duration,
            method=jc.EventAligned(max_contacts=8),
            ledger=True,
        )

    return jax.jit(run)


def spring_friction(coefficient):
    return jc.CundallStrack(coefficient=coefficient, tangential_stiffness=1e7, zeta=0.1)


@pytest.mark.long
def test_a_block_held_by_a_spring_does_not_creep_in_ten_seconds():
    found = block_simulation(spring_friction)(0.2, 0.5, 10.0)
    assert np.max(np.abs(found.position[1:, :2] - found.position[1, :2])) < 1e-12
    assert np.max(np.abs(found.position[:, 0])) < 1e-7
    assert found.ledger.imbalance < 1e-6
    assert steps(found) < 520


@pytest.mark.long
def test_a_block_beyond_the_cone_of_friction_slides():
    found = block_simulation(spring_friction)(0.6, 0.4, 1.0)
    wanted = 0.5 * G * (np.sin(0.6) - 0.4 * np.cos(0.6)) * found.times**2
    np.testing.assert_allclose(found.position[:, 0], wanted, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.orientation[:, 0], 1.0, atol=1e-6)
    assert found.ledger.imbalance < 1e-6


def test_contacts_with_surfaces_of_other_laws_are_said_before_anything_is_traced():
    between = jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e8, restitution=0.9))
    other = jc.ContactModel(normal=jc.LinearDashpot(stiffness=1e5, restitution=0.5))
    with pytest.raises(
        ValueError, match="Here LinearDashpot with NoFriction, there HuntCrossley with NoFriction"
    ):
        jc.Scene(
            bodies=jc.spheres(radius=0.1, mass=1.0), contact=between, contact_on_surfaces=other
        )
    with pytest.raises(ValueError, match="holds 2 contacts, but there are 1 surfaces"):
        jc.Scene(
            bodies=jc.spheres(radius=0.1, mass=1.0),
            contact=between,
            contact_on_surfaces=[between, between],
        )
