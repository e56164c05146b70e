"""One step of any number of bodies whose contacts may overlap in time.

Within a step the set of active contacts is frozen, so that the right-hand side is smooth even where
a force jumps at touch-down. Normal forces and external forces advance by a Runge-Kutta step of
order 4, whose length shrinks with the square root of the overlap towards the ends of a contact
(where the motion is not smooth in time).

Friction, rolling and spinning resistance without memory act through their closed flows in the
normal impulse, half before the normal step and half after it, in the opposite order: friction alone
is exact for a sphere on a plane, and all are stable whatever the slip velocity of the
regularisation. Contacts that share a body act at once, each on its share of it, so that no contact
is the first; what that leaves out is of first order, and is taken off by extrapolation. What the
normal motion would do meanwhile to the slip of a contact that sticks, because its plane turns or
gravity pulls, is held off by a force along the plane, which friction gets before and after: else
the end of the step would have all of its impulse. Friction with memory acts through half an impulse
of its force before and the rest after the normal step, and so does a spring of rolling
(``springs.py``). A step in which such parts alternate is of second order, and of third by another
extrapolation, from two steps of half its length, whose change tells what the step may lack.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import carried_with_plane
from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.geometry.rotation import quaternion_rate
from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.coordinates.from_force import LawFromForce
from jaxcontact.laws.core.branches import OnBranch
from jaxcontact.laws.core.rotation_interfaces import RollingFlow
from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.laws.friction.mindlin import MindlinMemory
from jaxcontact.numerics.runge_kutta import (
    CLASSICAL,
    CLASSICAL_CHECKED,
    CLASSICAL_SEARCHED,
    checked_step,
    looped_step,
)
from jaxcontact.numerics.smooth import safe_norm
from jaxcontact.parameters import put
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.scene.scene import State
from jaxcontact.simulation.multibody.angular_momentum import (
    angular_momentum_rate,
    gained_momentum,
    with_angular_momentum,
)
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    contact_of_each_pair,
    distances_to_contact,
    force_and_torque,
    gap_rates,
    geometry,
    inertia_in_scene,
    kinetic_energy,
    relative_velocity,
    spin_rates,
)
from jaxcontact.simulation.multibody.springs import Spring, normal_motion, spring_through

Memory = TypeVar("Memory")
Result = TypeVar("Result")
Carried = TypeVar("Carried")

UNLIMITED = 1e12
"""Coefficient of friction that nothing overcomes."""

SPLIT = 1.7e-2
"""Weight of what friction lacks in a step beside what the normal impulse lacks: that is an error of
second order, the step has one of third, and much of it is forgotten in the next step."""

SPLIT_OF_SPRINGS = 0.5
"""The same where a spring of rolling acts, which forgets nothing."""

BEFORE_CORNER = 0.9
"""How far a step goes to where a force has a corner, in units of the way there: not beyond it."""

PROBE, STILL_SLIDES = 1e-3, 0.25
"""Part of a slip whose impulse tells how fast it decays; part of it that is left at most after
``BEFORE_CORNER`` of the time in which it would stop evenly.
"""

AT_LIMIT, ROUNDED = 1e-6, 64.0
"""Of the limit of a spring: what it misses at most at the end of a step while it slides; and in
units of rounding, where that is more. What has just ceased to slide without a dashpot misses it by
the square of the time since.
"""

SLOWEST = 1e-9
"""Speed [m/s] below which nothing moves."""


ROUGH, OF_ROUGH = 0.5, 0.5
"""Fourth difference of a force in a step, in units of the third one, from which on it has a corner
or a jump there; and in units of what the step then lacks. A jump J, whose fourth difference is J or
3 J, costs up to J/3 of the step, which is the error itself: 25 times that counts as much as what
smooth steps lack, of which a 25th is left of the rebound.
"""

NEAR_END = 0.2
"""Smaller over larger overlap of a step, below which it is at an end of the contact: there a force
may begin like a root of the time, in steps that are short enough for it."""

GRAZE = 2.0
"""How many times faster than the speed by which its damping goes a contact ever moves: one that
later moves faster than this many times its impact speed began with a graze."""


class Active(NamedTuple):
    """Each pair's contact, ``(pairs, ...)``.

    Attributes:
        closed: whether it is in contact.
        impact_speed: approach speed at touch-down [m/s], 0 where the contact began at rest.
        fastest: scale of its speed so far [m/s]; 0 for bodies that touch without load.
        mass: effective mass along the normal at touch-down [kg].
        memory: of the friction, ``None`` where it has none.
        friction: force of a friction with memory at the end of the last step [N], ``(pairs, 3)``;
            of another, what holds off the slip that its contact would get where it sticks;
            ``None`` without friction.
        normal: of a normal law with hysteresis, ``OnBranch``, or its bare memory in plain time
            steps; else ``None``.
        rolling: of rolling resistance with memory, ``Rolled``; else ``None``.
    """

    closed: jax.Array
    impact_speed: jax.Array
    fastest: jax.Array
    mass: jax.Array
    memory: Any
    friction: Any
    normal: Any = None
    rolling: Any = None


class Rolled(NamedTuple):
    """Memory of rolling resistance, and its torque at the end of the last step [N m], ``(pairs,
    3)``.
    """

    memory: Any
    torque: jax.Array


class Work(NamedTuple):
    """Work [J] in a step.

    Attributes:
        normal: done on each contact by the normal motion, ``(pairs,)``: stored in it, or lost.
        friction: lost by friction without memory; done on the contacts by the slip where friction
            has a memory (stored, or lost).
        rolling: lost by rolling resistance.
        spinning: lost by spinning resistance.
        fluid: lost to drag and to the dashpots of springs.
        supplied: done on the bodies by what moves as prescribed.
        settled: lost where a contact comes to rest: the remains of its bouncing.
    """

    normal: jax.Array
    friction: jax.Array
    rolling: jax.Array
    spinning: jax.Array
    fluid: jax.Array
    supplied: jax.Array
    settled: jax.Array


class Stepped(NamedTuple):
    """After a step: where the bodies are, what friction and the normal law remember, what was
    worked, and what the relative velocity of each pair may lack [m/s], ``(pairs,)``; of that, what
    it lacks because friction and the normal motion alternate (``by_split``).
    """

    state: State
    memory: Any
    friction: Any
    work: Work
    lack: jax.Array
    by_split: jax.Array
    normal: Any = None
    rolling: Any = None


def no_work(world: World, like: jax.Array) -> Work:
    """Nothing."""
    zero = jnp.zeros((), like.dtype)
    return Work(
        jnp.zeros(world.pairs.surface.shape, like.dtype), zero, zero, zero, zero, zero, zero
    )


class Moving(NamedTuple):
    """What a Runge-Kutta step carries: time, state; and since the start of the step the angular
    momentum gained by each body [N m s] (``None`` where no bodies meet), the normal impulse of each
    pair [N s], and work.
    """

    time: jax.Array
    state: State
    gained: Any
    impulse: jax.Array
    normal_work: jax.Array
    friction_work: jax.Array
    fluid_work: jax.Array
    supplied: jax.Array


def orientation_rate(world: World, state: State) -> jax.Array | None:
    """Rate of the quaternions."""
    return quaternion_rate(state.orientation, state.spin) if world.turns else None


def with_unit_orientation(world: World, state: State) -> State:
    """``state`` with quaternions of length 1."""
    if not world.turns:
        return state
    return state._replace(orientation=state.orientation / safe_norm(state.orientation)[:, None])


def normal_forces(world: World, active: Active, gap: jax.Array, rate: jax.Array) -> jax.Array:
    """Normal force of each pair [N]; 0 where it is not active."""
    assert world.force is not None
    if isinstance(active.normal, OnBranch):
        return jnp.where(
            active.closed, world.contact.branched.branch_force(active.normal, -gap), 0.0
        )
    if active.normal is not None:
        return world.contact.branched.force_with_memory(active.normal, -gap)[0]
    # An active contact is one up to its very end: where rounding puts the end at a tiny gap, the
    # force is that of a tiny overlap.
    overlap = jnp.where(active.closed, jnp.where(gap < 0, -gap, 1e-30), -1.0)
    # A contact that began with a graze and was then pushed is damped by the speed that it reached;
    # in the ratio to the speed of the graze its damping would know no bounds. By its speed of this
    # instant, too: by that of the last step alone, damping would depend on the steps.
    reached = jnp.maximum(active.fastest, jnp.abs(rate)) / GRAZE
    speed = jnp.where(active.impact_speed > 0, jnp.maximum(active.impact_speed, reached), 0.0)
    force = world.force(overlap, -rate, impact_speed=speed, mass=active.mass)
    return jnp.where(active.closed, force, 0.0)


def external_power(world: World, state: State, time: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Power lost to fluid and dashpots of springs, and power supplied by moving anchors [W]."""
    scene = world.scene
    lost, supplied = jnp.zeros((), state.position.dtype), jnp.zeros((), state.position.dtype)
    if scene.has_fluid:
        by_fluid = scene.acceleration(state.velocity, state.spin) - jnp.asarray(scene.gravity)
        lost = lost - jnp.sum(by_fluid * state.velocity / world.inverse_mass[:, None])
    for spring in scene.springs:
        force = spring.force(state.position[spring.body], state.velocity[spring.body], time)
        anchor_velocity = spring.anchor.material_velocity(spring.anchor.pose(time).position, time)
        relative = state.velocity[spring.body] - anchor_velocity
        supplied = supplied + force @ anchor_velocity
        lost = lost + jnp.sum(jnp.asarray(spring.damping) * relative * relative)
    return lost, supplied


def lost_at_corner(
    first: jax.Array, last: jax.Array, fourth: jax.Array, *thirds: jax.Array
) -> jax.Array:
    """What a step loses of the normal impulse of each pair [N s] where the force has a corner or a
    jump inside it; 0 where it is smooth, and at the ends of a contact.

    Args:
        first: overlap [m] at the begin of the step.
        last: overlap [m] at its end.
        fourth: fourth difference of the force in the step, times its length [N s].
        *thirds: its third differences, likewise.
    """
    inside = jnp.minimum(first, last) > NEAR_END * jnp.maximum(first, last)
    rough = jnp.abs(fourth) > ROUGH * jnp.max(jnp.abs(jnp.stack(thirds)), axis=0)
    return jnp.where(inside & rough, jnp.abs(fourth) / OF_ROUGH, 0.0)


def motion_rates(
    world: World, active: Active, first: State, held: jax.Array | None, moving: Moving
) -> Moving:
    """Rates of a motion without friction that began at ``first``, where forces ``held`` ``(pairs,
    3)`` [N] act along the planes of the contacts.
    """
    now, gained = moving.state, None
    acceleration = world.scene.external_acceleration(
        now.position, now.velocity, now.spin, moving.time
    )
    spin_rate = jnp.zeros_like(now.spin)
    impulse = power = jnp.zeros(world.pairs.surface.shape, now.position.dtype)
    rubbed = jnp.zeros((), now.position.dtype)
    lost, supplied = external_power(world, now, moving.time)
    if world.force is not None:
        at = geometry(world, now, moving.time)
        rate = gap_rates(world, at, now)
        impulse = normal_forces(world, active, at.gap, rate)
        force, power = impulse[:, None] * at.normal, -impulse * rate
        if held is not None:
            along = in_plane(held, at)
            force = force + along
            rubbed = -jnp.sum(along * relative_velocity(world, at, now))
        push, torque = force_and_torque(world, at, force)
        acceleration = acceleration + push * world.inverse_mass[:, None]
        supplied = supplied + jnp.sum(force * at.surface_velocity)
        if world.turns or held is not None:
            spin_rate = spin_rates(world, now, torque)
        if world.pairs.between_members > 0:
            gained = angular_momentum_rate(world, first, now, acceleration, torque)
    elif world.turns:
        spin_rate = spin_rates(world, now, jnp.zeros_like(now.spin))
    slope = State(now.velocity, acceleration, spin_rate, orientation_rate(world, now))
    return Moving(jnp.ones_like(moving.time), slope, gained, impulse, power, rubbed, lost, supplied)


def motionless(world: World, state: State, time: jax.Array) -> Moving:
    """Nothing moved yet."""
    zero = jnp.zeros((), state.position.dtype)
    nothing = jnp.zeros(world.pairs.surface.shape, state.position.dtype)
    meets = world.force is not None and world.pairs.between_members > 0
    return Moving(
        jnp.asarray(time, state.position.dtype),
        state,
        jnp.zeros_like(state.spin) if meets else None,
        nothing,
        nothing,
        zero,
        zero,
        zero,
    )


def normal_step(
    world: World,
    active: Active,
    state: State,
    time: jax.Array,
    duration: jax.Array,
    held: jax.Array | None = None,
) -> tuple[Moving, jax.Array]:
    """After a step without friction; and what the gap rate of each pair may lack [m/s]."""
    rates = partial(motion_rates, world, active, state, held)
    begin = motionless(world, state, time)
    if world.force is None:
        end, lack = looped_step(rates, begin, duration, CLASSICAL), jnp.zeros_like(begin.impulse)
    else:
        # only of such a law nobody knows whether its force is smooth
        searched = isinstance(world.contact.normal, LawFromForce)
        tableau = CLASSICAL_SEARCHED if searched else CLASSICAL_CHECKED
        end, lacks = checked_step(rates, begin, duration, tableau)
        impact = active.closed & (active.fastest > SLOWEST)
        mass = jnp.where(impact, active.mass, jnp.inf)
        impulse = jnp.abs(lacks[0].impulse)
        if searched:
            first, last = (
                -geometry(world, *at).gap for at in ((state, time), (end.state, end.time))
            )
            impulse = impulse + lost_at_corner(first, last, *(each.impulse for each in lacks[1:]))
        lack = jax.lax.stop_gradient(impulse / mass)
    moved = with_unit_orientation(world, end.state)
    if begin.gained is not None:
        moved = with_angular_momentum(world, state, moved, end.gained)
    return end._replace(state=moved), lack


def flight_step(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> Stepped:
    """After a step without contact."""
    moved, lack = normal_step(dataclasses.replace(world, force=None), active, state, time, duration)
    work = no_work(world, state.position)._replace(fluid=moved.fluid_work, supplied=moved.supplied)
    return Stepped(moved.state, None, None, work, lack, jnp.zeros_like(lack), active.normal)


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


def after_twist(inertia: jax.Array, pair: Pair, state: State, twist: jax.Array) -> State:
    """State after an impulse of torque [N m s], ``(3,)``, on the first partner, and its opposite on
    the second.
    """
    turned = jnp.einsum("nij,nj->ni", inertia, (pair.first - pair.second)[:, None] * twist)
    return state._replace(spin=state.spin + turned)


def after_push(
    world: World, inertia: jax.Array, pair: Pair, state: State, push: jax.Array
) -> State:
    """State after an impulse [N s], ``(3,)``, on the first partner, and its opposite on the
    second.
    """
    moment = pair.first[:, None] * cross(pair.first_arm, push)
    moment = moment - pair.second[:, None] * cross(pair.second_arm, push)
    moved = ((pair.first - pair.second) * world.inverse_mass)[:, None] * push
    return state._replace(
        velocity=state.velocity + moved,
        spin=state.spin + jnp.einsum("nij,nj->ni", inertia, moment),
    )


def mass_against_slip(
    world: World, inertia: jax.Array, pair: Pair, direction: jax.Array
) -> jax.Array:
    """Mass that resists an impulse along ``direction`` at the contact [kg]; of spheres in any
    tangential direction.
    """
    if not world.turns:
        return pair.sphere_mass
    total = (pair.first + pair.second) @ world.inverse_mass
    for side, arm in ((pair.first, pair.first_arm), (pair.second, pair.second_arm)):
        moment = cross(arm, direction)
        total = total + moment @ jnp.tensordot(side, inertia, axes=1) @ moment
    return 1 / total


def inertia_against(inertia: jax.Array, pair: Pair, direction: jax.Array) -> jax.Array:
    """Inertia that resists a relative rotation about ``direction`` [kg m^2]; about any axis where
    there is no direction.
    """
    both = jnp.tensordot(pair.first + pair.second, inertia, axes=1)
    along = direction @ both @ direction
    return 1 / jnp.where(along > 0, along, jnp.trace(both) / 3)


def direction_of(vector: jax.Array) -> jax.Array:
    """Unit vector, zero where there is none."""
    size = safe_norm(vector)
    return vector * jnp.where(size > 0, 1 / jnp.where(size > 0, size, 1.0), 0.0)


class Resistance(NamedTuple):
    """Impulses of each contact on its first partner, ``(..., 3)``: of friction and what pulls
    beside it [N s], of rolling and of spinning resistance [N m s].
    """

    friction: jax.Array
    rolling: jax.Array
    spinning: jax.Array


def rolling_impulse(
    world: World, inertia: jax.Array, pair: Pair, state: State, impulse: jax.Array
) -> jax.Array:
    """Of rolling resistance without memory for a normal ``impulse`` [N s]."""
    law = pair.contact.rolling
    if not isinstance(law, RollingFlow):
        return jnp.zeros_like(pair.normal)
    _, before = normal_and_tangential(relative_spin(pair, state), pair.normal)
    resists = inertia_against(inertia, pair, direction_of(before))
    after = law.rotation_after(before, impulse / resists, effective_radius=pair.effective_radius)
    return resists * (after - before)


def spinning_impulse(
    world: World, inertia: jax.Array, pair: Pair, state: State, impulse: jax.Array
) -> jax.Array:
    """Of spinning resistance for a normal ``impulse`` [N s]."""
    law = pair.contact.spinning
    if law is None:
        return jnp.zeros_like(pair.normal)
    before = (relative_spin(pair, state) @ pair.normal) * pair.normal
    resists = inertia_against(inertia, pair, pair.normal)
    after = law.rotation_after(
        before, impulse / resists, effective_radius=pair.effective_radius, overlap=pair.overlap
    )
    return resists * (after - before)


def friction_impulse(
    world: World,
    inertia: jax.Array,
    pair: Pair,
    state: State,
    impulse: jax.Array,
    pull: jax.Array | None,
) -> jax.Array:
    """Of friction without memory for a normal ``impulse`` [N s]: half of it before a ``pull``
    ``(3,)`` [N s] along the plane and half after it.
    """
    if world.has_memory:
        return jnp.zeros_like(pair.normal)
    before = slip(pair, state)
    resists = mass_against_slip(world, inertia, pair, direction_of(before))
    after = pair.contact.impulse_friction.slip_after
    if pull is None:
        return resists * (after(before, impulse / resists) - before)
    pulled = slip(pair, after_push(world, inertia, pair, state, pull)) - before
    half = impulse / 2 / resists
    return resists * (after(after(before, half) + pulled, half) - pulled - before)


def resistance(
    world: World,
    inertia: jax.Array,
    pair: Pair,
    state: State,
    impulse: jax.Array,
    pull: jax.Array | None,
    *,
    friction_last: bool,
) -> Resistance:
    """What one contact resists with for a normal ``impulse`` [N s] and a ``pull`` along its plane,
    as if it were alone: rolling, spinning and slip one after the other, the other way round where
    friction is not the last.
    """

    def rolled(state: State) -> tuple[State, jax.Array]:
        bend = rolling_impulse(world, inertia, pair, state, impulse)
        return after_twist(inertia, pair, state, bend), bend

    def spun(state: State) -> tuple[State, jax.Array]:
        twist = spinning_impulse(world, inertia, pair, state, impulse)
        return after_twist(inertia, pair, state, twist), twist

    def rubbed(state: State) -> tuple[State, jax.Array]:
        push = friction_impulse(world, inertia, pair, state, impulse, pull)
        push = push if pull is None else push + pull
        return after_push(world, inertia, pair, state, push), push

    if friction_last:
        state, rolling = rolled(state)
        state, spinning = spun(state)
        state, friction = rubbed(state)
    else:
        state, friction = rubbed(state)
        state, spinning = spun(state)
        state, rolling = rolled(state)
    return Resistance(friction, rolling, spinning)


def times_to_stick(world: World, at: Geometry, state: State, normal_force: jax.Array) -> jax.Array:
    """Time [s] in which friction without memory stops the slip of each contact, ``(pairs,)``, by
    its present force; infinite where it does not slide towards a stop.
    """
    inertia = inertia_in_scene(world, state)

    def impulse_to_stick(pair: Pair) -> jax.Array:
        law = pair.contact.impulse_friction
        before = slip(pair, state)
        speed = safe_norm(before)
        moves = speed > SLOWEST
        safe = jnp.where(moves, before, pair.first_arm * 0 + 1.0)
        size = jnp.where(moves, speed, 1.0)
        slowed = size - safe_norm(law.slip_after(safe, PROBE * size))
        slows = moves & (slowed > 0)
        stops = PROBE * size * size / jnp.where(slows, slowed, 1.0)
        # Where friction is as good as sticking, the slip decays ever more slowly instead.
        left = safe_norm(law.slip_after(safe, BEFORE_CORNER * stops))
        slides = slows & (left < STILL_SLIDES * size)
        return jnp.where(
            slides,
            mass_against_slip(world, inertia, pair, direction_of(safe)) * stops,
            jnp.inf,
        )

    impulses = jax.vmap(impulse_to_stick)(each_pair(world, at))
    stops = (normal_force > 0) & jnp.isfinite(impulses)
    return jnp.where(
        stops, jnp.where(stops, impulses, 1.0) / jnp.where(stops, normal_force, 1.0), jnp.inf
    )


def resists_rotation(world: World) -> bool:
    """Whether there is a resistance against rolling or spinning."""
    return world.contact.rolling is not None or world.contact.spinning is not None


def resists(world: World) -> bool:
    """Whether there is a resistance without memory."""
    contact = world.contact
    return (
        isinstance(contact.rolling, RollingFlow)
        or contact.spinning is not None
        or not (world.has_memory or isinstance(contact.friction, NoFriction))
    )


def shared_among_contacts(world: World, closed: jax.Array) -> World:
    """With the share of each body that one of its ``closed`` contacts acts on."""
    bodies = world.pairs.first + world.pairs.second
    shares = jnp.maximum(bodies.T @ closed.astype(world.inverse_mass.dtype), 1.0)
    return dataclasses.replace(
        world,
        inverse_mass=shares * world.inverse_mass,
        inverse_inertia=shares[:, None, None] * world.inverse_inertia,
    )


def resisted(
    world: World,
    closed: jax.Array,
    at: Geometry,
    state: State,
    impulse: jax.Array,
    pull: jax.Array | None = None,
    *,
    friction_last: bool = True,
) -> tuple[State, jax.Array, jax.Array]:
    """State after friction, rolling and spinning resistance of the ``closed`` contacts have acted
    for the given normal impulses, all at once, and a ``pull`` ``(pairs, 3)`` [N s] along their
    planes in the midst of it.

    Also the work lost ``(3,)``, to slip, rolling and spinning, and that supplied by moving
    surfaces. Each contact acts on its share of a body, divided evenly among the contacts of the
    body, and the body moves as its shares do in the mean (Tonge, Benevolenski and Voroshilov, ACM
    Trans. Graph. 31 (2012) 105): no order of the contacts, no energy out of nothing.
    """
    if not resists(world):
        return state, jnp.zeros(3, impulse.dtype), jnp.zeros((), impulse.dtype)
    shared = shared_among_contacts(world, closed)
    inertia = inertia_in_scene(shared, state)
    acting = jax.vmap(
        lambda pair, impulse, pull: resistance(
            shared, inertia, pair, state, impulse, pull, friction_last=friction_last
        )
    )(each_pair(shared, at), jnp.where(closed, impulse, 0.0), pull)
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


def whole_and_halves(
    part: Callable[[Carried, jax.Array, jax.Array], tuple[Carried, Result]], start: Carried
) -> Result:
    """What ``part(begin, passed, share)`` returns beside what goes on after it, stacked: of the
    whole, and from the ``start`` again of the first half and of the second. It is compiled once.
    """

    def one(now: Carried, fractions: tuple[jax.Array, jax.Array]) -> tuple[Carried, Result]:
        passed, share = fractions
        begin = jax.tree.map(lambda last, first: jnp.where(passed > 0, last, first), now, start)
        return part(begin, passed, share)

    fractions = jnp.array([[0.0, 0.0, 0.5], [1.0, 0.5, 0.5]], jax.tree.leaves(start)[0].dtype)
    return jax.lax.scan(one, start, tuple(fractions))[1]


def resisted_at_once(
    world: World,
    closed: jax.Array,
    at: Geometry,
    state: State,
    impulse: jax.Array,
    pull: jax.Array | None = None,
    *,
    friction_last: bool,
) -> tuple[State, jax.Array, jax.Array]:
    """``resisted``, of second order in the impulses also where contacts share a body.

    There each acts as if the others did nothing meanwhile, an error of first order: that of the
    whole impulses is twice that of two halves, one after the other, and is taken off. A contact
    alone is exact in either way.
    """
    if len(world.pairs.surface) == 1 or not resists(world):
        return resisted(world, closed, at, state, impulse, pull, friction_last=friction_last)

    def part(begin: State, _: jax.Array, share: jax.Array) -> tuple[State, tuple]:
        of_part = jax.tree.map(lambda whole: share * whole, (impulse, pull))
        after, *work = resisted(world, closed, at, begin, *of_part, friction_last=friction_last)
        return after, (after, *work)

    after, lost, supplied = whole_and_halves(part, state)
    less_error = jax.tree.map(lambda leaf: 2 * leaf[2] - leaf[0], after)
    lost, supplied = (2 * (part[1] + part[2]) - part[0] for part in (lost, supplied))
    return less_error, lost, supplied


def less_second_order(fine: Any, whole: Any) -> Any:
    """What two steps of half the length say, less their error of second order (Richardson)."""
    return jax.tree.map(lambda fine, whole: fine + (fine - whole) / 3, fine, whole)


def pushed(
    world: World, at: Geometry, state: State, impulse: jax.Array, twist: jax.Array | None = None
) -> State:
    """State after an impulse ``(pairs, 3)`` [N s], and one of torque [N m s], at every contact."""
    push, moment = force_and_torque(world, at, impulse, twist)
    turned = jnp.einsum("nij,nj->ni", inertia_in_scene(world, state), moment)
    return state._replace(
        velocity=state.velocity + push * world.inverse_mass[:, None], spin=state.spin + turned
    )


def kick(
    world: World, at: Geometry, state: State, impulse: jax.Array
) -> tuple[State, jax.Array, jax.Array]:
    """State after an impulse ``(pairs, 3)`` at every contact, the work done on the contacts, and
    that supplied by moving surfaces.
    """
    after = pushed(world, at, state, impulse)
    work = (
        -jnp.sum(
            impulse * (relative_velocity(world, at, state) + relative_velocity(world, at, after))
        )
        / 2
    )
    return after, work, kinetic_energy(world, after) - kinetic_energy(world, state) + work


def rubs(world: World) -> bool:
    """Whether there is a friction without memory."""
    return not (world.rigid or world.has_memory or isinstance(world.contact.friction, NoFriction))


def holding_force(
    world: World,
    closed: jax.Array,
    ends: tuple[Geometry, Geometry],
    states: tuple[State, State],
    duration: jax.Array,
) -> jax.Array:
    """Force ``(pairs, 3)`` [N] by which the normal motion between two states would have left the
    slip of every contact as it was.
    """
    (before, after), (begin, end) = ends, states
    drift = slips(world, after, end) - in_plane(slips(world, before, begin), after)
    shared = shared_among_contacts(world, closed)
    inertia = inertia_in_scene(shared, end)
    resists = jax.vmap(
        lambda pair, drift: mass_against_slip(shared, inertia, pair, direction_of(drift))
    )(each_pair(shared, after), drift)
    takes_time = closed & (duration > 0)
    rate = jnp.where(takes_time, resists / jnp.where(takes_time, duration, 1.0), 0.0)
    return -rate[:, None] * drift


def stopped(begun: jax.Array, left: jax.Array) -> jax.Array:
    """Part of a slip that friction has stopped."""
    some = begun > left
    return jnp.where(some, 1 - left / jnp.where(some, begun, 1.0), 0.0)


def in_plane(vector: jax.Array, at: Geometry) -> jax.Array:
    """What of ``vector`` ``(pairs, 3)`` lies in the plane of each contact."""
    return normal_and_tangential(vector, at.normal)[1]


def slips(world: World, at: Geometry, state: State) -> jax.Array:
    """Slip velocity of every pair [m/s], ``(pairs, 3)``."""
    return normal_and_tangential(relative_velocity(world, at, state), at.normal)[1]


def carried_along(
    world: World,
    memory: Memory,
    before: Geometry,
    after: Geometry,
    state: State,
    duration: jax.Array,
) -> Memory:
    """What friction remembers, its vectors carried along with the contact plane."""
    spins = world.pairs.first @ state.spin, world.pairs.second @ state.spin + after.surface_spin
    turn = duration * jnp.sum((spins[0] + spins[1]) * after.normal, axis=-1) / 2

    def one(leaf: jax.Array) -> jax.Array:
        return (
            carried_with_plane(leaf, before.normal, after.normal, turn=turn)
            if leaf.ndim == 2
            else leaf
        )

    return jax.tree.map(one, memory)


def middle_plane(before: Geometry, after: Geometry) -> Geometry:
    """``after``, with normals half way: vectors in the plane of a contact are carried to there, and
    from there on, so that what is added within the step turns with half of it.
    """
    return after._replace(normal=jax.vmap(direction_of)(before.normal + after.normal))


class Sprung(NamedTuple):
    """In what springs of friction and of rolling differ.

    Attributes:
        law: with a memory.
        name, coefficient: field of the law in proportion to which its slider slides.
        limit: of the slider over the normal force [-] or [m].
        seen: what the law sees of a gap beside the normal force.
        rates: slip velocity [m/s] or rolling [rad/s] of every pair.
        impelled: a state after an impulse [N s] or [N m s] at every contact.
        begun: its memory, and its force or torque, at the begin of the step.
    """

    law: Any
    name: str
    coefficient: Any
    limit: Any
    seen: Callable[[jax.Array], dict[str, jax.Array]]
    rates: Callable[[World, Geometry, State], jax.Array]
    impelled: Callable[[World, Geometry, State, jax.Array], State]
    begun: tuple[Any, jax.Array]


def through_step(
    world: World,
    active: Active,
    ends: tuple[Geometry, Geometry],
    states: tuple[State, State],
    start: State,
    duration: jax.Array,
    sprung: Sprung,
    early: jax.Array | float = 0.0,
) -> tuple[jax.Array, jax.Array, Any]:
    """Impulse of springs in a step ``(pairs, 3)``; their force and their memory at its end.

    The rate begins with that of ``start``, changes by what it changed between ``states``, in
    proportion to the normal impulse, and by what the springs themselves did since. What acts evenly
    through the step has changed it ``early``, by half of that. Vectors are carried to the middle
    plane of the contact and from there on.
    """
    before, after = ends
    middle = middle_plane(before, after)
    gap_rate = gap_rates(world, before, states[0]), gap_rates(world, after, states[1])
    motion = normal_motion(
        partial(normal_forces, world, active), (before.gap, after.gap), gap_rate, duration
    )
    # At the begin of the step, that would move an instant within it by half a step.
    first = sprung.rates(world, before, start) - early
    by_others = sprung.rates(world, after, states[1]) - sprung.rates(world, before, states[0])
    still = states[1]._replace(
        velocity=jnp.zeros_like(states[1].velocity), spin=jnp.zeros_like(states[1].spin)
    )
    on_bodies_alone = after._replace(
        surface_velocity=jnp.zeros_like(after.surface_velocity),
        surface_spin=jnp.zeros_like(after.surface_spin),
    )

    def seen(at: jax.Array) -> dict[str, jax.Array]:
        return {
            "normal_force": motion.normal_force(at),
            "effective_radius": world.effective_radius,
            **sprung.seen(motion.gap(at)),
        }

    def rate(at: jax.Array, impulse: jax.Array) -> jax.Array:
        by_spring = sprung.rates(
            world, on_bodies_alone, sprung.impelled(world, after, still, impulse)
        )
        so_far = motion.impulse_share(at)[:, None] * by_others + 2 * at[:, None] * early
        return normal_and_tangential(first + so_far + by_spring, middle.normal)[1]

    def bound(holds: jax.Array, share: jax.Array | float) -> Any:
        coefficient = jnp.where(holds, UNLIMITED, share * sprung.coefficient)
        return put(sprung.law, sprung.name, coefficient)

    spring = Spring(
        sprung.law,
        bound,
        seen,
        rate,
        jnp.multiply(sprung.limit, motion.largest_load),
        active.closed,
        motion.gap_rate if isinstance(sprung.begun[0], MindlinMemory) else None,
    )
    begun = carried_along(world, sprung.begun, before, middle, states[1], duration / 2)
    last = spring_through(spring, *begun, motion.duration)
    kept = jax.tree.map(
        lambda new, old: jnp.where(motion.takes_time, new, old), (last.memory, last.force), begun
    )
    memory, force = carried_along(world, kept, middle, after, states[1], duration / 2)
    return jnp.where(motion.takes_time, last.impulse, 0.0), force, memory


def spring_of_friction(world: World, active: Active) -> Sprung:
    """Friction with a memory."""
    law = world.contact.friction_with_memory

    def seen(gap: jax.Array) -> dict[str, jax.Array]:
        return {
            "overlap": jnp.where(active.closed & (gap < 0), -gap, 0.0),
            "mass": active.mass,
        }

    return Sprung(
        law,
        "coefficient",
        law.coefficient,
        law.coefficient,
        seen,
        slips,
        pushed,
        (active.memory, active.friction),
    )


def spring_of_rolling(world: World, active: Active) -> Sprung:
    """Rolling resistance with a memory."""
    law = world.contact.rolling_with_memory
    return Sprung(
        law,
        "rolling_coefficient",
        law.rolling_coefficient,
        law.limit(effective_radius=world.effective_radius),
        lambda gap: {},
        rolling_rates,
        turned,
        (active.rolling.memory, active.rolling.torque),
    )


def held_by_springs(world: World, active: Active, at: Geometry, state: State) -> jax.Array:
    """Whether springs of friction and of rolling hold, or slide, ``(springs, pairs)``."""
    springs = [spring_of_friction(world, active)] if world.has_memory else []
    springs += [spring_of_rolling(world, active)] if world.rolls_on_springs else []
    load = jnp.maximum(normal_forces(world, active, at.gap, gap_rates(world, at, state)), 0.0)
    overloads = [
        sprung.law.overload(
            sprung.begun[0],
            sprung.rates(world, at, state),
            normal_force=load,
            effective_radius=world.effective_radius,
            **sprung.seen(at.gap),
        )
        for sprung in springs
    ]
    limits = [jnp.multiply(sprung.limit, load) for sprung in springs]
    missed = max(AT_LIMIT, ROUNDED * float(jnp.finfo(load.dtype).eps))
    return jnp.stack(overloads) < -missed * jnp.stack(limits)


def unloaded(world: World, like: jax.Array) -> tuple[Any, jax.Array | None]:
    """Memory and force of friction in contacts that begin."""
    count = len(world.pairs.surface)
    if not world.has_memory:
        return None, jnp.zeros((count, 3), like.dtype) if rubs(world) else None
    memory = jax.tree.map(
        lambda leaf: leaf.astype(like.dtype), world.contact.friction_with_memory.unloaded(count)
    )
    return memory, jnp.zeros((count, 3), like.dtype)


def unrolled(world: World, like: jax.Array) -> Rolled | None:
    """Memory and torque of rolling resistance in contacts that begin."""
    if not world.rolls_on_springs:
        return None
    count = len(world.pairs.surface)
    return Rolled(
        world.contact.rolling_with_memory.unloaded(count), jnp.zeros((count, 3), like.dtype)
    )


def turned(world: World, at: Geometry, state: State, twist: jax.Array) -> State:
    """State after an impulse of torque ``(pairs, 3)`` [N m s] at every contact."""
    return pushed(world, at, state, jnp.zeros_like(twist), twist)


def twisted(
    world: World, at: Geometry, state: State, twist: jax.Array
) -> tuple[State, jax.Array, jax.Array]:
    """``turned``, the work done on the contacts, and that supplied."""
    after = turned(world, at, state, twist)
    mean = (relative_spins(world, at, state) + relative_spins(world, at, after)) / 2
    work = -jnp.sum(twist * mean)
    return after, work, kinetic_energy(world, after) - kinetic_energy(world, state) + work


def relative_spins(world: World, at: Geometry, state: State) -> jax.Array:
    """Angular velocity of the first partner against the second, of every pair [rad/s], ``(pairs,
    3)``.
    """
    return jnp.asarray(world.pairs.difference) @ state.spin - at.surface_spin


def rolling_rates(world: World, at: Geometry, state: State) -> jax.Array:
    """Their rolling part."""
    return normal_and_tangential(relative_spins(world, at, state), at.normal)[1]


def alternates(world: World) -> bool:
    """Whether a step has parts that act in turn."""
    return not world.rigid and (resists(world) or world.has_memory or world.rolls_on_springs)


def contact_step(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> Stepped:
    """After a step of ``duration`` with a frozen set of active contacts.

    Where friction and the normal motion alternate, without the error of second order that this
    leaves: two steps of half the duration, and a third of what one whole step differs from them
    (Richardson).
    """
    if not alternates(world):
        return split_step(world, active, state, time, duration)

    def part(begin: Any, passed: jax.Array, share: jax.Array) -> tuple[Any, Stepped]:
        now, acting = begin
        stepped = split_step(world, acting, now, time + passed * duration, share * duration)
        acting = acting._replace(
            memory=stepped.memory, friction=stepped.friction, rolling=stepped.rolling
        )
        return (stepped.state, acting), stepped

    parts = whole_and_halves(part, (state, active))

    def improved(leaves: Any) -> Any:
        return less_second_order(
            *(jax.tree.map(lambda leaf, row=row: leaf[row], leaves) for row in (2, 0))
        )

    whole, fine = (jax.tree.map(lambda leaf, row=row: leaf[row], parts.state) for row in (0, 2))
    ended = with_unit_orientation(world, less_second_order(fine, whole))
    gained = less_second_order(*(gained_momentum(world, state, end) for end in (fine, whole)))
    ended = with_angular_momentum(world, state, ended, gained)
    work = jax.tree.map(lambda leaf: less_second_order(leaf[1] + leaf[2], leaf[0]), parts.work)
    at = geometry(world, fine, time + duration)
    differs = safe_norm(relative_velocity(world, at, ended) - relative_velocity(world, at, fine))
    if resists_rotation(world):  # which leaves no slip where friction holds
        turns = safe_norm(world.pairs.difference @ (ended.spin - fine.spin))
        differs = jnp.maximum(differs, world.effective_radius * turns)
    impact = active.closed & (active.fastest > SLOWEST)
    weight = SPLIT_OF_SPRINGS if world.rolls_on_springs else SPLIT
    by_split = jax.lax.stop_gradient(weight * jnp.where(impact, differs, 0.0))
    lack = jax.lax.stop_gradient(parts.lack[1] + parts.lack[2]) + by_split
    memory, friction, rolling = map(improved, (parts.memory, parts.friction, parts.rolling))
    if rubs(world):  # the means of a whole step and of its second half tell the value at the end
        friction = 2 * parts.friction[2] - parts.friction[0]
    return Stepped(ended, memory, friction, work, lack, by_split, active.normal, rolling)


def split_step(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> Stepped:
    """After a step in which friction and the normal motion alternate. Springs of rolling act half
    before and half after all else.
    """
    if not world.rolls_on_springs:
        return step_of_forces(world, active, state, time, duration, state)
    before, first = geometry(world, state, time), duration / 2 * active.rolling.torque
    eased, first_work, first_supplied = twisted(world, before, state, first)
    stepped = step_of_forces(world, active, eased, time, duration, state)
    after = geometry(world, stepped.state, time + duration)
    impulse, torque, memory = through_step(
        world,
        active,
        (before, after),
        (eased, stepped.state),
        state,
        duration,
        spring_of_rolling(world, active),
    )
    ended, last_work, last_supplied = twisted(world, after, stepped.state, impulse - first)
    work = stepped.work
    work = work._replace(
        rolling=work.rolling + first_work + last_work,
        supplied=work.supplied + first_supplied + last_supplied,
    )
    return stepped._replace(state=ended, work=work, rolling=Rolled(memory, torque))


def step_of_forces(
    world: World,
    active: Active,
    state: State,
    time: jax.Array,
    duration: jax.Array,
    untwisted: State,
) -> Stepped:
    """After a step without springs of rolling, half of whose torque has acted on ``untwisted``."""
    none = no_work(world, state.position)
    if world.rigid:
        return flight_step(world, active, state, time, duration)
    before = geometry(world, state, time)
    # Half of the resistance before the normal motion, half after it, and in the opposite order: a
    # step is the same backwards, and so of second order. Friction ends it, which keeps what sticks.
    half = (
        duration
        / 2
        * jnp.maximum(
            normal_forces(world, active, before.gap, gap_rates(world, before, state)), 0.0
        )
    )
    held = pull = None
    if rubs(world):
        # Any force will do, as what it does is undone: this one, where most of the error goes.
        held = jnp.where(active.closed[:, None], active.friction, 0.0)
        pull = -duration / 2 * in_plane(held, before)
    eased, lost_first, supplied_first = resisted_at_once(
        world, active.closed, before, state, half, pull, friction_last=False
    )
    if not world.has_memory:
        moved, lack = normal_step(world, active, eased, time, duration, held)
        after = geometry(world, moved.state, moved.time)
        rest = jnp.maximum(moved.impulse - half, 0.0)
        pull = None if pull is None else in_plane(pull, after)
        ended, lost, supplied = resisted_at_once(
            world, active.closed, after, moved.state, rest, pull, friction_last=True
        )
        lost, supplied = lost + lost_first, moved.supplied + supplied + supplied_first
        work = Work(
            moved.normal_work,
            lost[0] + moved.friction_work,
            lost[1],
            lost[2],
            moved.fluid_work,
            supplied,
            none.settled,
        )
        if held is not None and pull is not None:
            held = held + holding_force(
                world, active.closed, (before, after), (eased, moved.state), duration
            )
            pulled = pushed(world, after, moved.state, pull)
            begun, left = (safe_norm(slips(world, after, each)) for each in (pulled, ended))
            held = held * stopped(begun, left)[:, None]
        return Stepped(ended, None, held, work, lack, jnp.zeros_like(lack), active.normal)
    kicked, first_work, first_supplied = kick(world, before, eased, duration / 2 * active.friction)
    moved, lack = normal_step(world, active, kicked, time, duration)
    after = geometry(world, moved.state, moved.time)
    impulse, force, memory = through_step(
        world,
        active,
        (before, after),
        (kicked, moved.state),
        eased,
        duration,
        spring_of_friction(world, active),
        slips(world, before, state) - slips(world, before, untwisted),
    )
    rest = impulse - duration / 2 * active.friction
    ended, last_work, last_supplied = kick(world, after, moved.state, rest)
    ended, lost, supplied = resisted_at_once(
        world,
        active.closed,
        after,
        ended,
        jnp.maximum(moved.impulse - half, 0.0),
        friction_last=True,
    )
    lost = lost + lost_first
    supplied = moved.supplied + supplied + supplied_first + first_supplied + last_supplied
    work = Work(
        moved.normal_work,
        lost[0] + first_work + last_work,
        lost[1],
        lost[2],
        moved.fluid_work,
        supplied,
        none.settled,
    )
    return Stepped(ended, memory, force, work, lack, jnp.zeros_like(lack), active.normal)
