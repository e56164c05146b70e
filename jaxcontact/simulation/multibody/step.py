"""One step of any number of bodies whose contacts may overlap in time.

Within a step the set of active contacts is frozen, so that the right-hand side is smooth even where
a force jumps at touch-down. Steps become shorter with the square root of the overlap towards the
ends of a contact (where the motion is not smooth in time).

Normal forces and external forces alone advance by an explicit Runge-Kutta step of order 4. Where
friction, rolling or spinning resistance without memory act, all of it advances by a linearly
implicit step of order 4 (``numerics.rosenbrock``): such a resistance is as stiff as its slip
velocity is small, and holds what sticks against whatever pulls. No force acts before another.

Friction with memory acts through half an impulse of its force before and the rest after that
motion, and so does a spring of rolling (``springs.py``). A step in which such parts alternate is of
second order, and of third by an extrapolation, from two steps of half its length, whose change
tells what the step may lack.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

from jaxcontact.geometry.contact_plane import carried_with_plane
from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.geometry.rotation import quaternion_rate
from jaxcontact.laws.coordinates.from_force import LawFromForce
from jaxcontact.laws.core.branches import OnBranch
from jaxcontact.laws.core.rotation_interfaces import RollingFlow
from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.laws.friction.mindlin import MindlinMemory
from jaxcontact.numerics.rosenbrock import rosenbrock_step_of_motion
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
    turned_as_one,
    with_angular_momentum,
)
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    contact_of_each_pair,
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
"""Weight of what a spring of friction lacks in a step beside what the normal impulse lacks: that is
an error of second order, the step has one of third, and much of it is forgotten in the next step.
"""

SPLIT_OF_SPRINGS = 0.5
"""The same where a spring of rolling acts, which forgets nothing."""

EMBEDDED = 0.1
"""Weight of what a linearly implicit step lacks by its embedded method, which is of an order less:
as measured, the step itself lacks less by this factor.
"""

BEFORE_CORNER = 0.9
"""How far a step goes to where a force has a corner, in units of the way there: not beyond it."""

AT_LIMIT = 1e-6
"""Of the limit of a spring: what it misses at most at the end of a step while it slides, or what is
rounded, where that is more. What has just ceased to slide without a dashpot misses it by the square
of the time since.
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
            else ``None``.
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


class Lacks(NamedTuple):
    """What each pair may lack after a step, ``(pairs,)``.

    Attributes:
        speed: of its relative velocity [m/s].
        by_split: of that, because springs and the other motion alternate [m/s].
        by_friction: of its friction, in units of what that can be at most.
    """

    speed: jax.Array
    by_split: jax.Array
    by_friction: jax.Array


class Stepped(NamedTuple):
    """After a step: where the bodies are, what friction remembers, and its force, what was worked,
    what each pair may lack, and what the normal law and rolling resistance remember.
    """

    state: State
    memory: Any
    friction: Any
    work: Work
    lacks: Lacks
    normal: Any = None
    rolling: Any = None


def no_work(world: World, like: jax.Array) -> Work:
    """Nothing."""
    zero = jnp.zeros((), like.dtype)
    return Work(
        jnp.zeros(world.pairs.surface.shape, like.dtype), zero, zero, zero, zero, zero, zero
    )


class Sums(NamedTuple):
    """What adds up from the start of a step, and nothing depends on: the angular momentum gained by
    each body [N m s] (``None`` where no bodies meet), the normal impulse of each pair [N s], and
    work [J].
    """

    gained: Any
    impulse: jax.Array
    normal: jax.Array
    friction: jax.Array
    rolling: jax.Array
    spinning: jax.Array
    fluid: jax.Array
    supplied: jax.Array


class Moving(NamedTuple):
    """What a step carries."""

    time: jax.Array
    state: State
    sums: Sums


def rounding(value: jax.Array) -> float:
    """Relative error of some operations in the precision of ``value``."""
    return 64 * float(jnp.finfo(value.dtype).eps)


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
    # By the speed of this instant, too: by that of the last step alone, damping would depend on the
    # steps.
    fastest = jnp.maximum(active.fastest, jnp.abs(rate))
    speed = damping_speed(active.impact_speed, fastest)
    force = world.force(overlap, -rate, impact_speed=speed, mass=active.mass)
    return jnp.where(active.closed, force, 0.0)


def damping_speed(impact_speed: jax.Array, fastest: jax.Array) -> jax.Array:
    """Speed by which a contact is damped that began at ``impact_speed`` and has reached ``fastest``
    [m/s]. One that began with a graze and was then pushed goes by the speed that it reached: in the
    ratio to the speed of the graze its damping would know no bounds.
    """
    return jnp.where(impact_speed > 0, jnp.maximum(impact_speed, fastest / GRAZE), 0.0)


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


class Resistance(NamedTuple):
    """Of every contact without memory, on its first partner, ``(pairs, 3)``: friction [N], torques
    of rolling and of spinning resistance [N m].
    """

    friction: jax.Array
    rolling: jax.Array
    spinning: jax.Array


def resistances(
    world: World, at: Geometry, slip: jax.Array, turning: jax.Array, load: jax.Array
) -> Resistance:
    """At slips [m/s] and relative spins [rad/s], ``(pairs, 3)``, under normal forces ``(pairs,)``
    [N].
    """
    overlap = jnp.where(at.gap < 0, -at.gap, 0.0)

    def one(
        contact: ContactModel,
        slip: jax.Array,
        turning: jax.Array,
        normal: jax.Array,
        load: jax.Array,
        effective_radius: jax.Array,
        overlap: jax.Array,
    ) -> Resistance:
        along, rolling = normal_and_tangential(turning, normal)
        none = jnp.zeros_like(slip)
        return Resistance(
            contact.slip_friction.force(slip, load) if rubs(world) else none,
            contact.rolling.torque(rolling, load, effective_radius=effective_radius)
            if isinstance(contact.rolling, RollingFlow)
            else none,
            contact.spinning.torque(
                along * normal, load, effective_radius=effective_radius, overlap=overlap
            )
            if contact.spinning is not None
            else none,
        )

    return jax.vmap(one)(
        contact_of_each_pair(world), slip, turning, at.normal, load, world.effective_radius, overlap
    )


def motion_rates(world: World, active: Active, first: State, moving: Moving) -> Moving:
    """Rates of a motion that began at ``first``, without springs of friction and of rolling."""
    now, time = moving.state, moving.time
    acceleration = world.scene.external_acceleration(now.position, now.velocity, now.spin, time)
    torque = jnp.zeros_like(now.spin)
    sums = jax.tree.map(jnp.zeros_like, moving.sums)
    lost, supplied = external_power(world, now, time)
    if world.force is not None:
        at = geometry(world, now, time)
        rate = gap_rates(world, at, now)
        normal = normal_forces(world, active, at.gap, rate)
        force, twist = normal[:, None] * at.normal, None
        sums = sums._replace(impulse=normal, normal=-normal * rate)
        if resists(world):
            slip, turning = slips(world, at, now), relative_spins(world, at, now)
            acting = resistances(world, at, slip, turning, jnp.maximum(normal, 0.0))
            twist = acting.rolling + acting.spinning
            force = force + acting.friction
            supplied = supplied + jnp.sum(twist * at.surface_spin)
            sums = sums._replace(
                friction=-jnp.sum(acting.friction * slip),
                rolling=-jnp.sum(acting.rolling * turning),
                spinning=-jnp.sum(acting.spinning * turning),
            )
        push, torque = force_and_torque(world, at, force, twist)
        acceleration = acceleration + push * world.inverse_mass[:, None]
        supplied = supplied + jnp.sum(force * at.surface_velocity)
        if sums.gained is not None:
            gained = angular_momentum_rate(world, first, now, acceleration, torque)
            sums = sums._replace(gained=gained)
    spin_rate = spin_rates(world, now, torque)
    slope = State(now.velocity, acceleration, spin_rate, orientation_rate(world, now))
    return Moving(jnp.ones_like(time), slope, sums._replace(fluid=lost, supplied=supplied))


def motionless(world: World, state: State, time: jax.Array) -> Moving:
    """Nothing moved yet."""
    zero = jnp.zeros((), state.position.dtype)
    nothing = jnp.zeros(world.pairs.surface.shape, state.position.dtype)
    meets = world.force is not None and world.pairs.between_members > 0
    gained = jnp.zeros_like(state.spin) if meets else None
    sums = Sums(gained, nothing, nothing, zero, zero, zero, zero, zero)
    return Moving(jnp.asarray(time, state.position.dtype), state, sums)


def checked_motion(
    world: World, active: Active, begin: Moving, duration: jax.Array
) -> tuple[Moving, Lacks]:
    """After an explicit step, and what the gap rate of each pair may lack [m/s]."""
    rates = partial(motion_rates, world, active, begin.state)
    # only of such a law nobody knows whether its force is smooth
    searched = isinstance(world.contact.normal, LawFromForce)
    tableau = CLASSICAL_SEARCHED if searched else CLASSICAL_CHECKED
    end, lacks = checked_step(rates, begin, duration, tableau)
    impulse = jnp.abs(lacks[0].sums.impulse)
    if searched:
        first, last = (-geometry(world, each.state, each.time).gap for each in (begin, end))
        thirds = (each.sums.impulse for each in lacks[1:])
        impulse = impulse + lost_at_corner(first, last, *thirds)
    return end, Lacks(impulse / active.mass, jnp.zeros_like(impulse), jnp.zeros_like(impulse))


def resisted_motion(
    world: World, active: Active, begin: Moving, duration: jax.Array
) -> tuple[Moving, Lacks]:
    """After a linearly implicit step, and what the relative velocity of each pair may lack [m/s],
    and its friction.
    """
    first = begin.state
    moving, unpacked = ravel_pytree((first.velocity, first.spin, first.orientation))
    _, unsummed = ravel_pytree(begin.sums)

    def state_of(place: jax.Array, motion: jax.Array) -> State:
        return State(place.reshape(first.position.shape), *unpacked(motion))

    def rates(time: jax.Array, place: jax.Array, motion: jax.Array) -> jax.Array:
        now = Moving(time, state_of(place, motion), begin.sums)
        _, slope, sums = motion_rates(world, active, first, now)
        return ravel_pytree((slope.velocity, slope.spin, slope.orientation, sums))[0]

    place, motion, sums, error = rosenbrock_step_of_motion(
        rates, begin.time, jnp.ravel(first.position), moving, duration
    )
    end = Moving(begin.time + duration, state_of(place, motion), unsummed(sums))
    at, less = geometry(world, end.state, end.time), state_of(place, motion - error)
    lack = safe_norm(relative_velocity(world, at, end.state) - relative_velocity(world, at, less))
    if resists_rotation(world):  # which leaves no slip where friction holds
        turned = safe_norm(relative_spins(world, at, end.state) - relative_spins(world, at, less))
        lack = jnp.maximum(lack, world.effective_radius * turned)
    none = jnp.zeros_like(lack)
    by_friction = none
    if rubs(world):
        slip_before = slips(world, geometry(world, first, begin.time), first)
        by_friction = friction_lack(world, active, slip_before, slips(world, at, end.state))
    return end, Lacks(EMBEDDED * lack, none, by_friction)


def friction_lack(world: World, active: Active, before: jax.Array, after: jax.Array) -> jax.Array:
    """What the friction of each pair after a step differs from what its slope before tells, in
    units of what it can be at most, ``(pairs,)``; by slips ``(pairs, 3)`` [m/s], 0 where they
    change by rounding.

    The step is linear in the slip, and its embedded method hardly feels an error of what is stiff.
    """

    def share(contact: ContactModel, before: jax.Array, after: jax.Array) -> jax.Array:
        def friction(slip: jax.Array) -> jax.Array:
            return contact.slip_friction.force(slip, jnp.ones((), slip.dtype))

        first, change = jax.jvp(friction, (before,), (after - before,))
        most = jnp.asarray(contact.friction.coefficient)
        return safe_norm(friction(after) - first - change) / jnp.where(most > 0, most, jnp.inf)

    rounded = rounding(before) * active.fastest
    told = active.closed & (safe_norm(after - before) > rounded)
    shares = jax.vmap(share)(contact_of_each_pair(world), before, after)
    return jnp.where(told, shares, 0.0)


def step_of_motion(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> tuple[Moving, Lacks]:
    """After a step without springs of friction and of rolling, and what it may lack."""
    begin = motionless(world, state, time)
    if world.force is None:
        rates = partial(motion_rates, world, active, state)
        end = looped_step(rates, begin, duration, CLASSICAL)
        lacks = Lacks(*3 * (jnp.zeros_like(active.mass),))
    else:
        taken = resisted_motion if resists(world) else checked_motion
        end, lacks = taken(world, active, begin, duration)
        impact = active.closed & (active.fastest > SLOWEST)
        lacks = jax.lax.stop_gradient(
            jax.tree.map(lambda lack: jnp.where(impact, lack, 0.0), lacks)
        )
    moved = with_unit_orientation(world, end.state)
    if end.sums.gained is not None:
        moved = with_gained_momentum(world, active.closed, state, moved, end.sums.gained)
    return end._replace(state=moved), lacks


def with_gained_momentum(
    world: World, closed: jax.Array, start: State, end: State, gained: jax.Array
) -> State:
    """``end`` of a step with the angular momentum that bodies ``gained``: without more slip or
    rolling where that is resisted.
    """
    if resists(world):
        return turned_as_one(world, closed, start, end, gained)
    return with_angular_momentum(world, start, end, gained)


def flight_step(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> Stepped:
    """After a step without contact."""
    still = dataclasses.replace(world, force=None)
    moved, lacks = step_of_motion(still, active, state, time, duration)
    work = worked(moved.sums)
    return Stepped(moved.state, None, None, work, lacks, active.normal)


def worked(sums: Sums) -> Work:
    """Work in a step; nothing of it by springs, or where a contact comes to rest."""
    return Work(
        sums.normal,
        sums.friction,
        sums.rolling,
        sums.spinning,
        sums.fluid,
        sums.supplied,
        settled=jnp.zeros_like(sums.fluid),
    )


def direction_of(vector: jax.Array) -> jax.Array:
    """Unit vector, zero where there is none."""
    size = safe_norm(vector)
    return vector * jnp.where(size > 0, 1 / jnp.where(size > 0, size, 1.0), 0.0)


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
    missed = max(AT_LIMIT, rounding(load))
    return jnp.stack(overloads) < -missed * jnp.stack(limits)


def unloaded(world: World, like: jax.Array) -> tuple[Any, jax.Array | None]:
    """Memory and force of friction in contacts that begin."""
    count = len(world.pairs.surface)
    if not world.has_memory:
        return None, None
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
    return not world.rigid and (world.has_memory or world.rolls_on_springs)


def contact_step(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> Stepped:
    """After a step of ``duration`` with a frozen set of active contacts.

    Where springs and the other motion alternate, without the error of second order that this
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

    def improved(leaves: Any, force: jax.Array) -> Any:
        """What springs of this ``force`` are at the end. Where the load ends, and they let go, in
        the whole step and not in its halves, or there alone, they are what the halves say: between
        two such, an extrapolation would hold more than either.
        """
        fine, whole = (jax.tree.map(lambda leaf, row=row: leaf[row], leaves) for row in (2, 0))
        acts = jnp.any(force != 0.0, axis=-1)
        alike = acts[2] == acts[0]

        def where_alike(better: jax.Array, fine: jax.Array) -> jax.Array:
            return jnp.where(alike.reshape(-1, *(1,) * (fine.ndim - 1)), better, fine)

        return jax.tree.map(where_alike, less_second_order(fine, whole), fine)

    whole, fine = (jax.tree.map(lambda leaf, row=row: leaf[row], parts.state) for row in (0, 2))
    ended = with_unit_orientation(world, less_second_order(fine, whole))
    gained = less_second_order(*(gained_momentum(world, state, end) for end in (fine, whole)))
    ended = with_gained_momentum(world, active.closed, state, ended, gained)
    work = jax.tree.map(lambda leaf: less_second_order(leaf[1] + leaf[2], leaf[0]), parts.work)
    at = geometry(world, fine, time + duration)
    differs = safe_norm(relative_velocity(world, at, ended) - relative_velocity(world, at, fine))
    if resists_rotation(world):  # which leaves no slip where friction holds
        turns = safe_norm(world.pairs.difference @ (ended.spin - fine.spin))
        differs = jnp.maximum(differs, world.effective_radius * turns)
    impact = active.closed & (active.fastest > SLOWEST)
    weight = SPLIT_OF_SPRINGS if world.rolls_on_springs else SPLIT
    by_split = jax.lax.stop_gradient(weight * jnp.where(impact, differs, 0.0))
    lack = jax.lax.stop_gradient(parts.lacks.speed[1] + parts.lacks.speed[2]) + by_split
    memory, friction, rolling = parts.memory, parts.friction, parts.rolling
    if world.has_memory:
        memory, friction = improved((memory, friction), friction)
    if world.rolls_on_springs:
        rolling = improved(rolling, rolling.torque)
    lacks = Lacks(lack, by_split, jnp.max(parts.lacks.by_friction, axis=0))
    return Stepped(ended, memory, friction, work, lacks, active.normal, rolling)


def split_step(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> Stepped:
    """After a step in which springs and the other motion alternate. Springs of rolling act half
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
    if world.rigid:
        return flight_step(world, active, state, time, duration)
    if not world.has_memory:
        moved, lacks = step_of_motion(world, active, state, time, duration)
        work = worked(moved.sums)
        return Stepped(moved.state, None, None, work, lacks, active.normal)
    before = geometry(world, state, time)
    first = duration / 2 * active.friction
    kicked, first_work, first_supplied = kick(world, before, state, first)
    moved, lacks = step_of_motion(world, active, kicked, time, duration)
    after = geometry(world, moved.state, moved.time)
    impulse, force, memory = through_step(
        world,
        active,
        (before, after),
        (kicked, moved.state),
        state,
        duration,
        spring_of_friction(world, active),
        slips(world, before, state) - slips(world, before, untwisted),
    )
    ended, last_work, last_supplied = kick(world, after, moved.state, impulse - first)
    work = worked(moved.sums)
    work = work._replace(
        friction=work.friction + first_work + last_work,
        supplied=work.supplied + first_supplied + last_supplied,
    )
    return Stepped(ended, memory, force, work, lacks, active.normal)
