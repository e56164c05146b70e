"""A step inside a contact is of third order whatever resists, also what remembers: the length of
steps and the estimates of errors build upon that. One of contacts that last is of fourth order.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.multibody.pairs import world_of
from jaxcontact.simulation.multibody.step import Active, contact_step, unloaded, unrolled
from jaxcontact.simulation.multibody.sustained_contacts import Interval, sustained_step

pytestmark = pytest.mark.slow

RADIUS, MASS, SPEED, OVERLAP = 0.02, 0.1, 1.0, 2e-4
STIFFNESS = MASS * SPEED**2 / OVERLAP**2.5
DURATION = 0.4 * OVERLAP / SPEED

FRICTION = jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=0.5)
ROLLING = jc.RollingResistance(rolling_coefficient=0.2, rolling_velocity=30.0)
SPINNING = jc.SpinningFriction(coefficient=0.9, spin_velocity=20.0)
ROLLING_SPRING = jc.RollingSpring(
    rolling_coefficient=100.0, rolling_stiffness=2e4 * MASS * RADIUS**2 * (SPEED / RADIUS) ** 2
)
DAMPED = ROLLING_SPRING.replace(rolling_damping=1e2 * MASS * RADIUS * SPEED)
SPRING = jc.CundallStrack(coefficient=50.0, tangential_stiffness=0.5 * STIFFNESS * OVERLAP**0.5)
RESISTING = {
    "friction": {"friction": FRICTION},
    "rolling": {"friction": FRICTION, "rolling": ROLLING},
    "spinning": {"friction": FRICTION, "spinning": SPINNING},
    "all": {"friction": FRICTION, "rolling": ROLLING, "spinning": SPINNING},
    "rolling spring": {"friction": FRICTION, "rolling": ROLLING_SPRING},
    "rolling spring with a dashpot": {"friction": FRICTION, "rolling": DAMPED},
    "friction spring": {"friction": SPRING},
    "friction spring and rolling": {"friction": SPRING, "rolling": ROLLING},
    "both springs": {"friction": SPRING, "rolling": ROLLING_SPRING},
}


@functools.cache
def ends(name: str) -> dict[int, np.ndarray]:
    """Velocity and surface speed of a sphere pressed into a plane, after that many steps."""
    normal = jc.HuntCrossley(stiffness=STIFFNESS, restitution=0.7)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=normal, **RESISTING[name]),
    )
    world = world_of(scene, 1, rigid=False)
    like = jnp.zeros(1)
    memory, force = unloaded(world, like)
    spin, one = SPEED / RADIUS * jnp.array([[0.5, 0.9, 0.7]]), jnp.ones(1)
    rolled = unrolled(world, like)
    if rolled is not None:  # its dashpot resists from the start
        resisting = -RESISTING[name]["rolling"].rolling_damping * spin * jnp.array([1.0, 1.0, 0.0])
        rolled = rolled._replace(torque=resisting)
    active = Active(one > 0, SPEED * one, SPEED * one, MASS * one, memory, force, None, rolled)
    start = jc.State(
        jnp.array([[0.0, 0.0, RADIUS - 0.7 * OVERLAP]]),
        SPEED * jnp.array([[0.4, -0.3, -0.6]]),
        spin,
    )

    @jax.jit
    def after(steps):
        length = DURATION / steps

        def one_step(index, now):
            state, active = now
            stepped = contact_step(world, active, state, index * length, length)
            remembered = {
                name: getattr(stepped, name) for name in ("memory", "friction", "rolling")
            }
            return stepped.state, active._replace(**remembered)

        state, _ = jax.lax.fori_loop(0, steps, one_step, (start, active))
        return jnp.stack([state.velocity[0], RADIUS * state.spin[0]])

    return {steps: np.asarray(after(steps)) for steps in (4, 8, 128)}


@pytest.mark.long("both springs", "friction spring", "friction spring and rolling")
@pytest.mark.parametrize("name", RESISTING)
def test_half_the_step_has_an_eighth_of_the_error(name):
    found = ends(name)
    coarse, fine = (np.max(np.abs(found[steps] - found[128])) for steps in (4, 8))
    assert coarse < 2e-4 * SPEED
    assert fine < max(coarse / 2**2.3, 1e-12)


# Contacts that last: a ball that slides and rolls in a funnel, which turns and moves.

FUNNEL = jc.Cone(
    start=(0.0, 0.0, 0.0),
    end=(0.0, 0.0, 0.4),
    start_radius=0.03,
    end_radius=0.5,
    hollow=True,
    motion=jc.PrescribedMotion(velocity=(0.05, 0.0, 0.02), angular_velocity=(0.2, -0.1, 2.0)),
)


@functools.cache
def ends_in_a_funnel() -> dict[int, np.ndarray]:
    """Velocity and surface speed after half a second in that many steps."""
    normal = jc.HuntCrossley(stiffness=1e12, restitution=0.5)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=(FUNNEL,),
        contact=jc.ContactModel(normal=normal, friction=FRICTION, rolling=ROLLING),
    )
    world, one = world_of(scene, 1, rigid=False), jnp.ones(1)
    active = Active(one > 0, 0 * one, one, MASS * one, *unloaded(world, one), None, None)
    wall = FUNNEL.closest((0.2, 0.0, 0.15), 0.0)
    along = jnp.array([0.05, 1.3, 0.02])
    start = jc.State(
        (wall.point + RADIUS * wall.normal)[None],
        (along - wall.normal * jnp.dot(along - wall.velocity, wall.normal))[None],
        jnp.array([[5.0, -3.0, 2.0]]),
    )

    @jax.jit
    def after(steps):
        length = 0.5 / steps

        def one_step(index, state):
            interval = Interval(index * length, length, length)
            return sustained_step(world, active, active.closed, state, interval).stepped.state

        state = jax.lax.fori_loop(0, steps, one_step, start)
        return jnp.stack([state.velocity[0], RADIUS * state.spin[0]])

    return {steps: np.asarray(after(steps)) for steps in (50, 100, 400)}


@pytest.mark.long
def test_steps_of_sustained_contacts_are_of_fourth_order_with_a_small_error():
    found = ends_in_a_funnel()
    coarse, fine = (np.max(np.abs(found[steps] - found[400])) for steps in (50, 100))
    assert fine < 1e-7
    assert fine < coarse / 2**3.3
