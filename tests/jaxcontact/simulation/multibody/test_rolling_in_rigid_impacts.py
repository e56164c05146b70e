"""Rolling resistance and friction in one rigid impact: the limit of a contact that is ever stiffer,
in which both act at once, against an integration over the normal impulse.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.simulation.multibody.impulsive_resistance import resisted_in_turn
from jaxcontact.simulation.multibody.pairs import geometry, world_of

RADIUS, MASS, IMPULSE = 0.02, 0.1, 0.2
FRICTION, SLIP_VELOCITY, ROLLING, ROLLING_VELOCITY = 0.3, 0.05, 0.1, 2.0
CASES = {
    "sliding": ([1.0, -0.4], [0.0, 0.0]),
    "rolling": ([0.3, 0.2], [-10.0, 15.0]),
    "turning back": ([0.5, -0.2], [20.0, -40.0]),
}


@jax.jit
def found(velocity, spin):
    """Velocity along the plane and spin after the impulse; the work lost to slip and to rolling,
    and that supplied.
    """
    rolling = jc.RollingResistance(rolling_coefficient=ROLLING, rolling_velocity=ROLLING_VELOCITY)
    friction = jc.RegularizedCoulomb(coefficient=FRICTION, slip_velocity=SLIP_VELOCITY)
    normal = jc.NewtonRestitution(restitution=0.8)
    contact = jc.ContactModel(normal=normal, friction=friction, rolling=rolling)
    scene = jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)
    world = world_of(scene, 1, rigid=True)
    position = jnp.array([[0.0, 0.0, RADIUS]])
    state = jc.State(position, jnp.append(velocity, 0.0)[None], jnp.append(spin, 0.0)[None])
    at = geometry(world, state, 0.0)
    after, lost, supplied = resisted_in_turn(
        world, jnp.array([True]), at, state, jnp.array([IMPULSE])
    )
    return after.velocity[0, :2], after.spin[0, :2], lost[:2], supplied


def integrated(velocity, spin):
    """The same, both forces in proportion to the normal one."""
    inertia = 0.4 * MASS * RADIUS**2

    def rates(_, y):
        vx, vy, wx, wy = y[:4]
        slip = np.array([vx - RADIUS * wy, vy + RADIUS * wx])
        rub = -FRICTION * slip / np.hypot(np.linalg.norm(slip), SLIP_VELOCITY)
        roll = np.array([wx, wy])
        bend = -ROLLING * RADIUS * roll / np.hypot(np.linalg.norm(roll), ROLLING_VELOCITY)
        moment = RADIUS * np.array([rub[1], -rub[0]]) + bend
        return np.concatenate([rub / MASS, moment / inertia, [-rub @ slip, -bend @ roll]])

    start = np.concatenate([velocity, spin, [0.0, 0.0]])
    end = solve_ivp(rates, (0.0, IMPULSE), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return end[:2], end[2:4], end[4:]


@pytest.mark.parametrize("name", CASES)
def test_friction_and_rolling_act_at_once(name):
    velocity, spin = (np.array(given) for given in CASES[name])
    v, w, lost, supplied = found(velocity, spin)
    v_right, w_right, lost_right = integrated(velocity, spin)
    np.testing.assert_allclose(v, v_right, atol=1e-6)
    np.testing.assert_allclose(RADIUS * w, RADIUS * w_right, atol=1e-6)
    np.testing.assert_allclose(lost, lost_right, atol=1e-4 * np.sum(lost_right))
    assert abs(supplied) < 1e-12 * np.sum(lost_right)  # the plane does not move
