"""Friction, rolling and spinning resistance of a sphere in a rigid impact: closed flows in the
normal impulse, one after the other.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.core.rotation_interfaces import RollingFlow
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.scene.scene import State
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    contact_of_each_pair,
    distances_to_contact,
    kinetic_energy,
    relative_velocity,
)
from jaxcontact.simulation.multibody.step import (
    less_second_order,
    pushed,
    relative_spins,
    whole_and_halves,
)

TURNS = 64
"""Parts of the impulse of a rigid impact, in each of which friction and rolling act in turn."""


class Pair(NamedTuple):
    """One pair (or, with a leading axis, all).

    Attributes:
        first, second: ``(bodies,)`` of 0 and 1.
        normal, first_arm, second_arm, surface_velocity, surface_spin: ``(3,)``, of ``Geometry``.
        sphere_mass: mass that resists a tangential impulse, of spheres [kg].
        effective_radius: [m].
        overlap: [m].
        contact: its laws.
    """

    first: jax.Array
    second: jax.Array
    normal: jax.Array
    first_arm: jax.Array
    second_arm: jax.Array
    surface_velocity: jax.Array
    surface_spin: jax.Array
    sphere_mass: jax.Array
    effective_radius: jax.Array
    overlap: jax.Array
    contact: ContactModel


def each_pair(world: World, at: Geometry) -> Pair:
    """All pairs, with a leading axis."""
    pairs = world.pairs
    moment = world.inverse_inertia[:, 0, 0]
    inverse = (pairs.first + pairs.second) @ world.inverse_mass
    for side, length in zip(
        (pairs.first, pairs.second), distances_to_contact(world, at.gap), strict=True
    ):
        inverse = inverse + length * length * (side @ moment)
    first, second = jnp.asarray(pairs.first), jnp.asarray(pairs.second)
    overlap = jnp.where(at.gap < 0, -at.gap, 0.0)
    return Pair(
        first,
        second,
        at.normal,
        at.first_arm,
        at.second_arm,
        at.surface_velocity,
        at.surface_spin,
        1 / inverse,
        world.effective_radius,
        overlap,
        contact_of_each_pair(world),
    )


def slip(pair: Pair, state: State) -> jax.Array:
    """Velocity of the first partner's surface against the second's at the contact, without its
    normal part [m/s], ``(3,)``.
    """
    relative = (pair.first - pair.second) @ state.velocity - pair.surface_velocity
    relative = (
        relative
        + cross(pair.first @ state.spin, pair.first_arm)
        - cross(pair.second @ state.spin, pair.second_arm)
    )
    return normal_and_tangential(relative, pair.normal)[1]


def relative_spin(pair: Pair, state: State) -> jax.Array:
    """Angular velocity of the first partner against the second [rad/s], ``(3,)``."""
    return (pair.first - pair.second) @ state.spin - pair.surface_spin


def after_twist(world: World, pair: Pair, state: State, twist: jax.Array) -> State:
    """State after an impulse of torque [N m s], ``(3,)``, on the first partner, and its opposite on
    the second.
    """
    turning = (pair.first - pair.second)[:, None] * twist
    turned = jnp.einsum("nij,nj->ni", world.inverse_inertia, turning)
    return state._replace(spin=state.spin + turned)


def after_push(world: World, pair: Pair, state: State, push: jax.Array) -> State:
    """State after an impulse [N s], ``(3,)``, on the first partner, and its opposite on the
    second.
    """
    moment = pair.first[:, None] * cross(pair.first_arm, push)
    moment = moment - pair.second[:, None] * cross(pair.second_arm, push)
    moved = ((pair.first - pair.second) * world.inverse_mass)[:, None] * push
    return state._replace(
        velocity=state.velocity + moved,
        spin=state.spin + jnp.einsum("nij,nj->ni", world.inverse_inertia, moment),
    )


def inertia_against(world: World, pair: Pair) -> jax.Array:
    """Inertia that resists a relative rotation of spheres [kg m^2]."""
    return 1 / ((pair.first + pair.second) @ world.inverse_inertia[:, 0, 0])


class Resistance(NamedTuple):
    """Impulses of a contact on its first partner, ``(..., 3)``: of friction [N s], of rolling and
    of spinning resistance [N m s].
    """

    friction: jax.Array
    rolling: jax.Array
    spinning: jax.Array


def rolling_impulse(world: World, pair: Pair, state: State, impulse: jax.Array) -> jax.Array:
    """Of rolling resistance without memory for a normal ``impulse`` [N s]."""
    law = pair.contact.rolling
    if not isinstance(law, RollingFlow):
        return jnp.zeros_like(pair.normal)
    _, before = normal_and_tangential(relative_spin(pair, state), pair.normal)
    resists = inertia_against(world, pair)
    after = law.rotation_after(before, impulse / resists, effective_radius=pair.effective_radius)
    return resists * (after - before)


def spinning_impulse(world: World, pair: Pair, state: State, impulse: jax.Array) -> jax.Array:
    """Of spinning resistance for a normal ``impulse`` [N s]."""
    law = pair.contact.spinning
    if law is None:
        return jnp.zeros_like(pair.normal)
    before = (relative_spin(pair, state) @ pair.normal) * pair.normal
    resists = inertia_against(world, pair)
    after = law.rotation_after(
        before, impulse / resists, effective_radius=pair.effective_radius, overlap=pair.overlap
    )
    return resists * (after - before)


def friction_impulse(world: World, pair: Pair, state: State, impulse: jax.Array) -> jax.Array:
    """Of friction without memory for a normal ``impulse`` [N s]."""
    if world.has_memory:
        return jnp.zeros_like(pair.normal)
    before = slip(pair, state)
    after = pair.contact.impulse_friction.slip_after(before, impulse / pair.sphere_mass)
    return pair.sphere_mass * (after - before)


def resistance(
    world: World, pair: Pair, state: State, impulse: jax.Array, *, friction_last: bool
) -> Resistance:
    """What one contact resists with for a normal ``impulse`` [N s]: rolling, spinning and slip one
    after the other, the other way round where friction is not the last.
    """

    def rolled(state: State) -> tuple[State, jax.Array]:
        bend = rolling_impulse(world, pair, state, impulse)
        return after_twist(world, pair, state, bend), bend

    def spun(state: State) -> tuple[State, jax.Array]:
        twist = spinning_impulse(world, pair, state, impulse)
        return after_twist(world, pair, state, twist), twist

    def rubbed(state: State) -> tuple[State, jax.Array]:
        push = friction_impulse(world, pair, state, impulse)
        return after_push(world, pair, state, push), push

    if friction_last:
        state, rolling = rolled(state)
        state, spinning = spun(state)
        state, friction = rubbed(state)
    else:
        state, friction = rubbed(state)
        state, spinning = spun(state)
        state, rolling = rolled(state)
    return Resistance(friction, rolling, spinning)


def resisted(
    world: World,
    touches: jax.Array,
    at: Geometry,
    state: State,
    impulse: jax.Array,
    *,
    friction_last: bool = True,
) -> tuple[State, jax.Array, jax.Array]:
    """State after friction, rolling and spinning resistance of the pair that ``touches`` have acted
    for its normal impulse; the work lost ``(3,)``, to slip, rolling and spinning, and that supplied
    by moving surfaces.
    """
    acting = jax.vmap(
        lambda pair, impulse: resistance(world, pair, state, impulse, friction_last=friction_last)
    )(each_pair(world, at), jnp.where(touches, impulse, 0.0))
    after = pushed(world, at, state, acting.friction, acting.rolling + acting.spinning)
    mean_spin = (relative_spins(world, at, state) + relative_spins(world, at, after)) / 2
    mean_slip = (relative_velocity(world, at, state) + relative_velocity(world, at, after)) / 2
    lost = -jnp.stack(
        [
            jnp.sum(acting.friction * mean_slip),
            jnp.sum(acting.rolling * mean_spin),
            jnp.sum(acting.spinning * mean_spin),
        ]
    )
    return after, lost, kinetic_energy(world, after) - kinetic_energy(world, state) + jnp.sum(lost)


def resisted_in_turn(
    world: World, touches: jax.Array, at: Geometry, state: State, impulse: jax.Array
) -> tuple[State, jax.Array, jax.Array]:
    """``resisted`` for the whole impulse of a rigid impact, that of a contact that is ever
    stiffer.

    Rolling resistance changes the slip while friction acts, and friction what rolls, so that both
    act in turn, each for a small part of the impulse.
    """
    if not isinstance(world.contact.rolling, RollingFlow):
        return resisted(world, touches, at, state, impulse)
    none = jnp.zeros(3, impulse.dtype), jnp.zeros((), impulse.dtype)

    def part(begin: State, _: jax.Array, share: jax.Array) -> tuple[State, tuple]:
        half = share * impulse / (2 * TURNS)
        middle, *first = resisted(world, touches, at, begin, half, friction_last=False)
        after, *last = resisted(world, touches, at, middle, half)
        return after, (after, *(one + other for one, other in zip(first, last, strict=True)))

    def turn(now: tuple, _: None) -> tuple[tuple, None]:
        before, *sums = now
        after, *works = whole_and_halves(part, before)
        ended = less_second_order(
            *(jax.tree.map(lambda leaf, row=row: leaf[row], after) for row in (2, 0))
        )
        gained = (less_second_order(work[1] + work[2], work[0]) for work in works)
        return (ended, *(total + more for total, more in zip(sums, gained, strict=True))), None

    return jax.lax.scan(turn, (state, *none), None, length=TURNS)[0]
