"""Rigid impacts: of one pair, or of all that meet at the same instant.

A sphere that meets one partner is struck in closed form: the normal velocity is reversed with the
restitution of the law, friction and the resistances act through their flows in the normal impulse.

Pairs that touch at the same instant, approach, and feel each other are struck together, and so is
every impact of a clump, where friction changes the normal velocity, too: the impulses of all are
the solution of one complementarity problem (``sustained_contacts.solved``). None pulls; a pair that
is pushed leaves with its restitution times its approach, others faster; friction is inside its cone
and opposes the slip after the impact (Moreau's impact law). What merely rests against a struck
body is not struck: it is pushed by what the impact leaves behind, so that a row of balls hands an
impact on, whether the balls touch or nearly do.

With friction this law may create energy (Kane and Levinson, Dynamics (1985), problem of the double
pendulum). Without restitution it never does; where it would, the impulses are the mean of both with
which energy is kept.

Source:
    J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, in: Nonsmooth
    Mechanics and Applications, CISM 302 (1988) 1-82.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.numerics.smooth import safe_norm
from jaxcontact.scene.scene import State
from jaxcontact.simulation.core.lanes import either, when
from jaxcontact.simulation.multibody.impulsive_resistance import resisted_in_turn
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    contact_of_each_pair,
    effective_mass,
    gap_rates,
    geometry,
    kinetic_energy,
)
from jaxcontact.simulation.multibody.step import (
    SLOWEST,
    Work,
    no_work,
    pushed,
)
from jaxcontact.simulation.multibody.sustained_contacts import (
    Impulses,
    is_regularised,
    limits,
    normal_mobility,
    relative,
    solved,
)

TOGETHER = 1e-9
"""Gap up to which a pair touches at the instant of another one's impact, in units of the size of
the smaller body.
"""

APPROACHES = 1e-6
"""Approach speed in units of the other one's, likewise: what is slower rests."""

RIGHT_ANGLE = 1e-9
"""Mobility of one pair by an impulse in another, in units of their own, below which pairs without
friction do not feel each other.
"""

HOLDS = 1e6
"""Specific impulse in units of the slip that holds any contact with friction."""

CREATED = 1e-12
"""Energy created by an impact that counts as rounding, in units of what the impulses move."""


class Struck(NamedTuple):
    """After an impact: the state, the work, and which pairs were struck, ``(pairs,)``."""

    state: State
    work: Work
    pairs: jax.Array


def rigid_impact(world: World, state: State, time: jax.Array, touches: jax.Array) -> Struck:
    """What the impact of the pair that ``touches`` leads to, if one does."""
    at = geometry(world, state, time)
    approaches = jnp.sum(jnp.where(touches, gap_rates(world, at, state), 0.0)) < 0
    unstruck = Struck(state, no_work(world, state.position), touches)

    def struck() -> Struck:
        group = struck_together(world, at, state, touches)
        if world.turns:
            return together(world, at, state, group)
        if len(touches) == 1:
            return alone(world, at, state, touches)
        return either(
            jnp.sum(group) > 1,
            lambda: together(world, at, state, group),
            lambda: alone(world, at, state, touches),
        )

    return when(approaches, struck, lambda: unstruck)


def struck_together(world: World, at: Geometry, state: State, touches: jax.Array) -> jax.Array:
    """The pair that ``touches`` and those that are struck with it: they touch, approach, and are
    moved by the impulses of each other.
    """
    approach = -gap_rates(world, at, state)
    fastest = jnp.sum(jnp.where(touches, approach, 0.0))
    ready = (at.gap <= TOGETHER * world.extent) & (
        approach > jnp.maximum(APPROACHES * fastest, SLOWEST)
    )
    bodies = world.pairs.first + world.pairs.second
    feels = jnp.asarray(bodies @ bodies.T > 0)
    if isinstance(world.contact.friction, NoFriction) and not world.turns:
        mobility = normal_mobility(world, at, state)
        own = jnp.sqrt(jnp.diag(mobility))
        feels = feels & (jnp.abs(mobility) > RIGHT_ANGLE * own * own[:, None])

    def spread(_: jax.Array, group: jax.Array) -> jax.Array:
        return group | (ready & jnp.any(feels & group, axis=1))

    return jax.lax.stop_gradient(jax.lax.fori_loop(0, len(touches) - 1, spread, touches))


def alone(world: World, at: Geometry, state: State, touches: jax.Array) -> Struck:
    """After the impact of two spheres, or of one on a surface: friction does not change the normal
    velocity.
    """
    index = jnp.argmax(touches)
    law = jax.tree.map(lambda value: value[index], contact_of_each_pair(world).normal)
    mass = effective_mass(world, at, state)[index]
    speed = -gap_rates(world, at, state)[index]
    impulse = jnp.where(touches, mass * (1 + law.restitution_at(speed, mass=mass)) * speed, 0.0)
    eased, lost, supplied = resisted_in_turn(world, touches, at, state, impulse)
    push = impulse[:, None] * at.normal
    after = pushed(world, at, eased, push)
    by_normal = jnp.sum(push * at.surface_velocity)
    work = no_work(world, state.position)._replace(
        normal=jnp.where(
            touches, kinetic_energy(world, eased) - kinetic_energy(world, after) + by_normal, 0.0
        ),
        friction=lost[0],
        rolling=lost[1],
        spinning=lost[2],
        supplied=supplied + by_normal,
    )
    return Struck(after, work, touches)


def together(world: World, at: Geometry, state: State, group: jax.Array) -> Struck:
    """After the impact of all pairs of the ``group`` at once."""
    moving = relative(world, at, state)
    wanted = rebound(world, at, state, group, moving.force)
    regularised = is_regularised(world)
    bound = limits(world, jnp.zeros_like(at.gap))

    def after(impulses: Impulses) -> State:
        return pushed(world, at, state, impulses.force, impulses.torque)

    def created(impulses: Impulses) -> jax.Array:
        """Energy that the impulses create between the bodies."""
        return dot(impulses, mean(moving, relative(world, at, after(impulses))))

    def grows(impulses: Impulses) -> jax.Array:
        return created(impulses) > CREATED * jnp.abs(dot(impulses, moving))

    # A loop, so that the solution is compiled once: with restitution, and without where that
    # creates energy.
    def found(previous: Impulses, share: jax.Array) -> tuple[Impulses, Impulses]:
        def solve() -> Impulses:
            free = moving._replace(force=moving.force - share * wanted)
            return solved(world, group, at, at, state, free, bound, regularised=regularised)

        impulses = when((share > 0) | grows(previous), solve, lambda: previous)
        return impulses, impulses

    none = jax.tree.map(jnp.zeros_like, moving)
    _, both = jax.lax.scan(found, none, jnp.array([1.0, 0.0], state.position.dtype))
    bounced, stopped = (jax.tree.map(lambda leaf, row=row: leaf[row], both) for row in (0, 1))
    share = share_that_keeps_energy(
        created(stopped),
        created(mean(bounced, stopped)),
        created(bounced),
        grows(bounced),
    )
    impulses = jax.tree.map(lambda all_, part: part + share * (all_ - part), bounced, stopped)
    ended = after(impulses)
    return Struck(ended, work_of_impact(world, at, state, ended, impulses), group)


def mean(one: Impulses, other: Impulses) -> Impulses:
    """Halfway between both."""
    return jax.tree.map(lambda left, right: (left + right) / 2, one, other)


def dot(impulses: Impulses, velocities: Impulses) -> jax.Array:
    """Work of impulses at constant velocities [J]."""
    work = jnp.vdot(impulses.force, velocities.force)
    if impulses.torque is None:
        return work
    return work + jnp.vdot(impulses.torque, velocities.torque)


def rebound(
    world: World, at: Geometry, state: State, group: jax.Array, velocity: jax.Array
) -> jax.Array:
    """Relative velocity with which each pair would leave if it was pushed and held [m/s], ``(pairs,
    3)``.
    """
    mass, contact = effective_mass(world, at, state), contact_of_each_pair(world)
    rate, slip = normal_and_tangential(velocity, at.normal)
    speed = jnp.where(group, -rate, 1.0)
    restitution = jax.vmap(lambda law, speed, mass: law.restitution_at(speed, mass=mass))(
        contact.normal, speed, mass
    )
    leaves = (restitution * speed)[:, None] * at.normal
    if not world.has_memory:
        held = jax.vmap(
            lambda law, slip: law.impulse_friction.slip_after(slip, HOLDS * safe_norm(slip))
        )(contact, slip)
        leaves = leaves + held
    return jnp.where(group[:, None], leaves, 0.0)


def share_that_keeps_energy(
    none: jax.Array, half: jax.Array, whole: jax.Array, grows: jax.Array
) -> jax.Array:
    """Where between 0 and 1 a parabola with the values ``none <= 0``, ``half`` and ``whole`` is
    zero, where it ``grows`` above zero; else 1.
    """
    square = 2 * (none - 2 * half + whole)
    linear = whole - none - square
    constant = jnp.where(grows, jnp.minimum(none, 0.0), -1.0)
    root = jnp.sqrt(jnp.where(grows, linear * linear - 4 * square * constant, 1.0))
    return jnp.where(grows, -2 * constant / jnp.where(grows, linear + root, 1.0), 1.0)


def work_of_impact(
    world: World, at: Geometry, before: State, after: State, impulses: Impulses
) -> Work:
    """Where the work of an impact went."""
    velocities = mean(relative(world, at, before), relative(world, at, after))
    along, across = normal_and_tangential(impulses.force, at.normal)
    rate, slip = normal_and_tangential(velocities.force, at.normal)
    work = no_work(world, before.position)._replace(
        normal=-along * rate,
        friction=-jnp.sum(across * slip),
        supplied=jnp.sum(impulses.force * at.surface_velocity),
    )
    if impulses.torque is None:
        return work
    twist, bend = normal_and_tangential(impulses.torque, at.normal)
    spinning, rolling = normal_and_tangential(velocities.torque, at.normal)
    return work._replace(
        rolling=-jnp.sum(bend * rolling),
        spinning=-jnp.sum(twist * spinning),
        supplied=work.supplied + jnp.sum(impulses.torque * at.surface_spin),
    )
