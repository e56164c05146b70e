"""One step of any number of spheres whose contacts may overlap in time.

Within a step the set of active contacts is frozen, so that the right-hand side is smooth even where a force jumps at touch-down. Normal
forces and external forces advance by a Runge-Kutta step of order 4, whose length shrinks with the square root of the overlap towards the
ends of a contact (where the motion is not smooth in time). Friction then acts through its closed flow in the normal impulse of the step,
contact by contact forwards and backwards: exact for a contact that is alone, of second order for contacts that share a sphere, and stable
whatever the slip velocity of the regularisation.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.runge_kutta import CLASSICAL, step
from jaxcontact.scene import State
from jaxcontact.simulation.pairs import Pair, World, after_impulse, each_pair, gap_and_normal, slip


class Active(NamedTuple):
    """Each pair's contact, ``(pairs,)``.

    Attributes:
        closed: whether it is in contact.
        impact_speed: approach speed at touch-down [m/s], 0 where the contact began at rest.
        fastest: scale of its speed so far [m/s]; 0 for spheres that touch without load.
    """

    closed: jax.Array
    impact_speed: jax.Array
    fastest: jax.Array


class Moving(NamedTuple):
    """What a Runge-Kutta step carries: positions, velocities, and the normal impulse of each pair since the start of the step [N s]."""

    position: jax.Array
    velocity: jax.Array
    impulse: jax.Array


def flight_step(world: World, state: State, duration: jax.Array) -> State:
    """State after a step without contact."""

    def rates(state: State) -> State:
        return State(state.velocity, world.scene.acceleration(state.velocity, state.spin), jnp.zeros_like(state.spin))

    return step(rates, state, duration, CLASSICAL)


def normal_step(world: World, active: Active, state: State, duration: jax.Array) -> tuple[State, jax.Array]:
    """State after a step without friction, and the normal impulse of each contact in it."""
    pairs, inertia, normal_force = world.pairs, world.inertia, world.force
    assert normal_force is not None
    on_first, on_second = (side.T * masses for side, masses in zip((pairs.first, pairs.second), inertia.inverse_mass, strict=True))
    to_bodies = on_first - on_second

    def rates(moving: Moving) -> Moving:
        gap, normal = gap_and_normal(world, moving.position)
        rate = jnp.sum((world.difference @ moving.velocity) * normal, axis=-1)
        # An active contact is one up to its very end: where rounding puts the end at a tiny gap, the force is that of a tiny overlap.
        overlap = jnp.where(active.closed, jnp.where(gap < 0, -gap, 1e-30), -1.0)
        force = normal_force(overlap, -rate, impact_speed=active.impact_speed, mass=inertia.effective_mass)
        force = jnp.where(active.closed, force, 0.0)
        external = world.scene.acceleration(moving.velocity, state.spin)
        return Moving(moving.velocity, external + to_bodies @ (force[:, None] * normal), force)

    start = Moving(state.position, state.velocity, jnp.zeros(pairs.surface.shape, dtype=state.position.dtype))
    end = step(rates, start, duration, CLASSICAL)
    return State(end.position, end.velocity, state.spin), end.impulse


def rubbed(world: World, pair: Pair, state: State, impulse: jax.Array) -> State:
    """State after the friction of one contact, for a normal ``impulse`` [N s]."""
    before = slip(pair, state)
    change = world.scene.contact.friction.slip_after(before, impulse / pair.tangential_mass) - before
    return after_impulse(pair, state, pair.tangential_mass * change)


def with_friction(world: World, active: Active, state: State, impulse: jax.Array, duration: jax.Array) -> State:
    """State after friction has acted over a step with the given normal impulses: half of each forwards, half backwards."""
    every = each_pair(world, gap_and_normal(world, state.position)[1])
    impulse = jnp.where(active.closed, impulse, 0.0)
    if len(impulse) == 1:
        after = rubbed(world, jax.tree.map(lambda column: column[0], every), state, impulse[0])
    else:

        def one(current: State, item: tuple[Pair, jax.Array]) -> tuple[State, None]:
            return rubbed(world, item[0], current, item[1]), None

        there, _ = jax.lax.scan(one, state, (every, impulse / 2))
        after, _ = jax.lax.scan(one, there, (every, impulse / 2), reverse=True)
    # The change of velocity is spread over the step.
    return after._replace(position=state.position + duration / 2 * (after.velocity - state.velocity))


def contact_step(world: World, active: Active, state: State, duration: jax.Array) -> State:
    """State after a step of ``duration`` with a frozen set of active contacts."""
    if world.force is None:
        return flight_step(world, state, duration)
    moved, impulse = normal_step(world, active, state, duration)
    return with_friction(world, active, moved, impulse, duration)
