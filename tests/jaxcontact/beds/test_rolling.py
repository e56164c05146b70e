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
        contact=CONTACT,
        walls=(jc.Plane(),),
        rolling=jc.ElasticPlasticRolling(rolling_coefficient=coefficient),
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
    from jaxcontact.beds.contact_forces import rolling_step

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
        contact=CONTACT,
        rolling=jc.ElasticPlasticRolling(rolling_coefficient=COEFFICIENT),
        gravity=(0.0, 0.0, -9.81),
    )
    later = jc.simulate_bed(bed, result.end, [END, END + 0.1], time_step=2e-5)
    fallen = jax.tree.map(np.asarray, later.position[-1] - later.position[0])
    np.testing.assert_allclose(fallen[:, 2], -0.5 * 9.81 * 0.01, rtol=1e-3)
