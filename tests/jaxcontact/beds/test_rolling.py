"""Rolling resistance, walls of other shapes, and the books of a bed, on a few spheres."""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

pytestmark = pytest.mark.slow

RADIUS, LEAN, COEFFICIENT, END = 5e-3, 0.2, 0.1, 0.2
CONTACT = jc.LinearSpringDashpot(stiffness=1e4, restitution=0.3, coefficient=0.6, zeta=0.3)


@functools.cache
def on_a_slope(coefficient):
    """Spheres on a plane on which they would roll along x; the second stands on the first."""
    bed = jc.Bed(
        spheres=jc.spheres(radius=RADIUS, density=2500.0),
        contact=CONTACT.replace(rolling=jc.ElasticPlasticRolling(rolling_coefficient=coefficient)),
        walls=(jc.Plane(),),
        gravity=(9.81 * math.sin(LEAN), 0.0, -9.81 * math.cos(LEAN)),
    )
    start = jc.state(position=[(0.0, 0.0, RADIUS), (0.0, 0.1, RADIUS)], spin=[(0.0, 0.0, 1.0)] * 2)
    times = np.linspace(0.0, END, 5)
    return jc.simulate_bed(bed, start, times, time_step=2e-5, ledger=True)


def test_a_sphere_rolls_down_a_slope_as_the_torque_lets_it():
    result = on_a_slope(COEFFICIENT)
    acceleration = 5 / 7 * 9.81 * (math.sin(LEAN) - COEFFICIENT * math.cos(LEAN))
    np.testing.assert_allclose(result.velocity[-1, :, 0], acceleration * END, rtol=0.02)
    late = result.velocity[-1, :, 0] - result.velocity[1, :, 0]
    np.testing.assert_allclose(late, acceleration * 0.75 * END, rtol=1e-3)
    np.testing.assert_allclose(result.spin[-1, :, 1] * RADIUS, result.velocity[-1, :, 0], rtol=1e-3)
    np.testing.assert_allclose(result.spin[-1, :, 2], 1.0, rtol=1e-9)  # the normal is not resisted


def test_a_slope_less_steep_than_the_coefficient_is_held_for_ever():
    result = on_a_slope(1.1 * math.tan(LEAN))
    way = np.abs(np.diff(result.position[:, :, 0], axis=0))
    assert np.max(way[0]) < 2e-3 * RADIUS
    assert np.max(way[-1]) < 1e-8 * RADIUS  # a vibration that dies out


def test_heat_of_rolling_is_the_way_times_the_torque_and_the_books_close():
    result = on_a_slope(COEFFICIENT)
    ledger = result.ledger
    weight = 2 * 4 / 3 * math.pi * RADIUS**3 * 2500.0 * 9.81
    way = np.asarray(result.position[:, 0, 0])
    np.testing.assert_allclose(
        ledger.rolling[-1] - ledger.rolling[1],
        COEFFICIENT * weight * math.cos(LEAN) * (way[-1] - way[1]),
        rtol=1e-3,
    )
    assert np.max(np.abs(ledger.residual)) < 1e-6 * ledger.rolling[-1]
    for heat in (ledger.normal, ledger.tangential, ledger.rolling):
        assert np.min(np.diff(heat)) > -1e-6 * ledger.rolling[-1]


def test_no_books_are_shown_that_were_not_kept():
    with pytest.raises(ValueError, match="ledger=True"):
        _ = on_a_slope(COEFFICIENT)._replace(work=None).ledger


def test_the_torque_is_that_of_the_law():
    from jaxcontact.beds.spring_forces import rolling_step

    numbers = np.random.default_rng(3)
    torque, increment = numbers.normal(size=(2, 200, 3))
    normal = numbers.normal(1.0, 1.5, size=200)
    couple, memory = jc.laws.rolling.epsd_rolling_torque(
        jc.laws.rolling.RollingMemory(torque),
        increment,
        normal,
        rolling_stiffness=4.0,
        rolling_damping=0.3,
        rolling_coefficient=0.5,
        effective_radius=2.0,
        time_step=0.25,
    )
    ours = rolling_step(
        tuple(jnp.asarray(torque.T)),
        tuple(jnp.asarray(increment.T)),
        jnp.asarray(normal),
        stiffness=jnp.asarray(4.0),
        damping=jnp.asarray(0.3),
        limit=jnp.asarray(1.0),
        time_step=jnp.asarray(0.25),
    )
    np.testing.assert_allclose(np.stack(ours[1], -1), memory.torque, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(np.stack(ours[0], -1), couple, rtol=1e-14, atol=1e-14)


@pytest.mark.long
def test_the_face_of_a_box_is_a_plane():
    """A belt that drags three spheres along, the slower the later they land."""
    motion = jc.PrescribedMotion(velocity=(0.2, 0.0, 0.0), angular_velocity=(0.0, 0.0, 1.0))
    start = jc.state(position=[(0.0, 0.0, 6e-3), (2e-3, 0.02, 7e-3), (0.0, 1e-3, 17e-3)])
    motions = []
    for wall in (
        jc.Plane(motion=motion),
        jc.Box(center=(0.0, 0.0, -0.5), lengths=(9.0, 9.0, 1.0), motion=motion),
    ):
        bed = jc.Bed(
            spheres=jc.spheres(radius=RADIUS, density=2500.0), contact=CONTACT, walls=(wall,)
        )
        motions.append(jc.simulate_bed(bed, start, [0.0, 0.1], time_step=2e-5))
    plane, box = motions
    assert plane.velocity[-1, 0, 0] > 0.05
    for name in ("position", "velocity", "spin", "wall_force"):
        one, other = (np.asarray(getattr(result, name)) for result in (plane, box))
        assert np.max(np.abs(one - other)) < 1e-9 * np.max(np.abs(one)), name


@pytest.mark.long
def test_a_wall_that_is_taken_away_lets_go_and_what_stays_goes_on():
    result = on_a_slope(1.1 * math.tan(LEAN))
    bed = jc.Bed(
        spheres=jc.spheres(radius=RADIUS, density=2500.0),
        contact=CONTACT.replace(rolling=jc.ElasticPlasticRolling(rolling_coefficient=COEFFICIENT)),
        gravity=(0.0, 0.0, -9.81),
    )
    later = jc.simulate_bed(bed, result.end, [END, END + 0.1], time_step=2e-5)
    fallen = jax.tree.map(np.asarray, later.position[-1] - later.position[0])
    np.testing.assert_allclose(fallen[:, 2], -0.5 * 9.81 * 0.01, rtol=1e-3)


@functools.cache
def in_a_drum(convention):
    """Seven spheres in a turning drum with turning ends, after each of 120 steps."""
    numbers = np.random.default_rng(8)
    motion = jc.PrescribedMotion(
        reference_point=(0.0, 0.01, 0.02), angular_velocity=(0.0, -3.0, 0.0)
    )
    axis = {"start": (0.0, -1.0, 0.02), "end": (0.0, 1.0, 0.02)}
    bed = jc.Bed(
        spheres=jc.spheres(radius=numbers.uniform(4e-3, 6e-3, 7), density=2500.0),
        contact=CONTACT.replace(
            convention=convention,
            rolling=jc.ElasticPlasticRolling(rolling_coefficient=COEFFICIENT),
        ),
        walls=(
            jc.Cylinder(**axis, radius=0.02, hollow=True, motion=motion),
            jc.Plane(normal=(0.0, 1.0, 0.0), motion=motion),
            jc.Plane(normal=(0.0, -1.0, 0.0), offset=-0.025, motion=motion),
        ),
    )
    angle = np.linspace(-2.4, 0.4, 7)
    place = np.stack([0.0157 * np.cos(angle), 0.0055 + 0.014 * (np.arange(7) % 2), angle], -1)
    place[:, 2] = 0.02 + 0.0157 * np.sin(angle)
    start = jc.state(
        position=place, velocity=numbers.normal(0, 0.1, (7, 3)), spin=numbers.normal(0, 9.0, (7, 3))
    )
    times = 2e-5 * np.arange(121)
    return bed, jc.simulate_bed(bed, start, times, time_step=2e-5, ledger=True), motion


@pytest.mark.long
@pytest.mark.parametrize("convention", ["contact_point", "lammps_granular"])
def test_weight_and_torques_of_walls_turn_the_spheres(convention):
    """Moment of momentum about the axis of all spheres together, to rounding."""
    bed, result, motion = in_a_drum(convention)
    mass, inertia = (
        np.asarray(x)[:, None] for x in (bed.spheres.mass, bed.spheres.moment_of_inertia)
    )
    arm = np.asarray(result.position) - np.array(motion.reference_point)
    momentum = np.sum(mass * np.cross(arm, result.velocity) + inertia * result.spin, axis=1)
    weight = np.sum(mass * np.cross(arm, [0.0, 0.0, -9.81]), axis=1)
    turning = weight - np.sum(result.wall_torque, axis=1)
    gained = np.trapezoid(turning, result.times, axis=0)
    np.testing.assert_allclose(
        momentum[-1] - momentum[0], gained, rtol=0, atol=1e-12 * np.max(np.abs(momentum))
    )
    assert np.max(np.abs(result.wall_torque[:, 0, 1])) > 1e-5


@pytest.mark.long
def test_the_torque_of_a_drum_is_its_work_over_its_angle():
    _, result, motion = in_a_drum("contact_point")
    power = -np.sum(result.wall_torque, axis=1) @ np.array(motion.angular_velocity)
    assert np.trapezoid(power, result.times) == pytest.approx(
        float(result.ledger.walls[-1]), rel=1e-10
    )
