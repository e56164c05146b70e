"""Bodies that stay in contact: resting, sticking, sliding, rolling, spinning, at a cost that does
not depend on the stiffness.

Where every contact that carries a load has settled (it moves too little to open again, and its
overlap is small), the fast oscillation of the overlap is left out: the overlap is the static one
under the present load. What is left is slow, and a step may be long. The impulses of all contacts
of a step are found together: the normal ones keep the contacts closed without pulling, the
tangential ones are inside the friction cone and hold what they can (complementarity, solved by a
semismooth Newton method after Alart and Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991)
353-375). Friction, rolling and spinning that depend on the slip alone are then solved for with
their own law, from there. Impulses act in the middle of the step, normals included; positions
follow the velocity at its start, so that where it ends is known, and velocities obey the contacts
there: of first order, with an error that is a power series in the length of the step. One such
step, two of half the length, three of a third and four of a quarter make a step of fourth order
(half-explicit extrapolation, Ch. Lubich, Impact Comput. Sci. Eng. 3 (1991) 213-234); how much the
first of them changes tells what it lacks.

Friction and rolling resistance with a spring stick like Coulomb's here; their memory is that of the
force or torque they hold.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.geometry.rotation import rotation_between
from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.core.branches import OnBranch
from jaxcontact.laws.core.friction_interfaces import SlipFriction
from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.laws.friction.slider import coulomb_slider
from jaxcontact.numerics.search import without_derivatives
from jaxcontact.numerics.smooth import Real, positive_part, safe_norm
from jaxcontact.scene.scene import State
from jaxcontact.simulation.core.lanes import when
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    drifted,
    force_and_torque,
    gap_rates,
    geometry,
    inertia_in_scene,
    kinetic_energy,
    relative_velocity,
    spin_rates,
)
from jaxcontact.simulation.multibody.step import (
    Active,
    Lacks,
    Rolled,
    Stepped,
    Work,
    external_power,
    no_work,
    pushed,
)

ITERATIONS = 12
"""Newton steps for the friction cone; as many again for a regularised law."""

SWEEPS = 60
"""Sweeps over the contacts where Newton's method does not converge from rest."""

CONVERGED = 1e-6
"""Largest residual of the impulses, in units of the largest impulse."""

COMPLIANCE = 1e-9
"""Of a contact, relative to the mobility of its bodies: shares a load out where several contacts
could carry it.
"""


ATTEMPTS = 3
"""Ways to find the impulses, the last of which always ends."""

WAYS = 4
"""A step is taken in one piece, in two, in three and in four."""

PIECES = tuple((count, index) for count in range(1, WAYS + 1) for index in range(count))
"""Of the pieces of all ways: of how many, and which of them."""

IN_WAY = np.array([[count == way + 1 for count, _ in PIECES] for way in range(WAYS)], dtype=float)
"""Which pieces each way through a step is made of, ``(ways, pieces)``."""

FIRST = np.array([place for place, (_, index) in enumerate(PIECES) if index == 0])
LAST = np.array([place for place, (count, index) in enumerate(PIECES) if index == count - 1])
"""The first and the last piece of each way."""

IMPROVES = np.array([-1.0, 24.0, -81.0, 64.0]) / 6
"""Weights of the ways that leave no error of first to third order (Aitken and Neville)."""

DIFFERS = IMPROVES - np.array([0.0, 4.0, -18.0, 16.0]) / 2
"""Less those without the first way, which leave no error of first and second order."""

AT_START = np.array([3.0, -32.0, 63.0, -32.0]) / 2
"""Weights of the rates in the first pieces that leave the rate at the start to third order, and
nothing of a velocity that jumps there: arms change with the static overlap.
"""

ROUGH = np.array([-1.0, 3.0, -3.0, 1.0]) / 128
"""Weights of the rates in the pieces of the last way, in what a step may lack: a third difference,
a 16th of what a corner costs. Where it lies in the last piece of every way, as where a slip turns
round, they differ by an error of first order, which no difference of ways tells. A larger weight
would shorten smooth steps.
"""

ROUGH_START = 1 / 64
"""As much for the change of rates at the start of a step: a corner in the first piece of every way
changes none of them.
"""

CALMED = 4
"""Times that what rubs follows the pushes that stop a bouncing, and these what rubs."""

SHORTEST = 1e-3
"""Share of the usual length from which on a step tells the forces."""


class Impulses(NamedTuple):
    """Of each contact on its first partner, ``(pairs, 3)``: impulse [N s], and impulse of torque [N
    m s] (``None`` where none resists).
    """

    force: Any
    torque: Any


class Attempt(NamedTuple):
    """Attempts so far to find the impulses, those that the last one found, and its Jacobian."""

    number: jax.Array
    unknown: jax.Array
    jacobian: jax.Array


class Limits(NamedTuple):
    """Per unit of normal impulse, ``(pairs,)``: of friction [-], of rolling and of spinning
    resistance [m].
    """

    friction: Real
    rolling: Real
    spinning: Real


def limits(world: World, overlap: jax.Array) -> Limits:
    """What each contact can hold at most."""
    contact, radius = world.contact, world.effective_radius
    one = jnp.ones_like(radius)
    friction = contact.friction.coefficient * one
    rolling = (
        0.0 * one
        if contact.rolling is None
        else contact.rolling.limit(effective_radius=radius) * one
    )
    spinning = (
        0.0 * one
        if contact.spinning is None
        else contact.spinning.limit(effective_radius=radius, overlap=overlap) * one
    )
    return Limits(friction, rolling, spinning)


def is_regularised(world: World) -> bool:
    """Whether friction depends on the slip alone."""
    law = world.contact.friction
    return isinstance(law, SlipFriction) and not isinstance(law, NoFriction)


def has_torque(world: World) -> bool:
    """Whether contacts resist rotations."""
    return world.contact.rolling is not None or world.contact.spinning is not None


def response(
    world: World, acting: Geometry, seen: Geometry, inertia: jax.Array, impulses: Impulses
) -> Impulses:
    """Change of the relative velocities (and spins) at the contacts ``seen`` by impulses ``acting``
    there.
    """
    push, moment = force_and_torque(world, acting, impulses.force, impulses.torque)
    velocity, spin = push * world.inverse_mass[:, None], jnp.einsum("nij,nj->ni", inertia, moment)
    first, second = world.pairs.first, world.pairs.second
    turning = cross(first @ spin, seen.first_arm) - cross(second @ spin, seen.second_arm)
    relative = world.pairs.difference @ velocity + turning
    return Impulses(relative, None if impulses.torque is None else world.pairs.difference @ spin)


def responses(
    world: World, acting: Geometry, seen: Geometry, state: State, like: Impulses
) -> tuple[jax.Array, Impulses]:
    """Of the velocities at all contacts ``seen`` to unit impulses ``acting`` there, as a matrix of
    raveled ``Impulses``; and the mobility of each contact alone.
    """
    inertia = inertia_in_scene(world, state)
    flat, unflat = jax.flatten_util.ravel_pytree(like)
    matrix = jax.vmap(
        lambda unit: jax.flatten_util.ravel_pytree(
            response(world, acting, seen, inertia, unflat(unit))
        )[0],
        out_axes=1,
    )(jnp.eye(flat.size, dtype=flat.dtype))
    # One mobility for all directions of a contact: it does not turn with the axes, and with half
    # the trace a projection never overshoots.
    mobility = jax.tree.map(
        lambda entry: jnp.broadcast_to(jnp.sum(entry, axis=-1, keepdims=True) / 2, entry.shape),
        unflat(jnp.diag(matrix)),
    )
    return matrix, mobility


def by_law(
    world: World,
    normal: jax.Array,
    overlap: jax.Array,
    bound: Limits,
    mobility: Impulses,
    velocity: Impulses,
    impulse: Impulses,
) -> Impulses:
    """What is left of the tangential impulses less those of the regularised laws; zero at the
    solution. A spring of rolling holds.
    """
    contact = world.contact
    along, across = normal_and_tangential(impulse.force, normal)
    load = positive_part(along)
    _, slip = normal_and_tangential(velocity.force, normal)
    force = across - contact.slip_friction.force(slip, load)
    if impulse.torque is None:
        return Impulses(force, None)
    assert velocity.torque is not None
    radius = world.effective_radius
    twist, bend = normal_and_tangential(velocity.torque, normal)
    resisting = jnp.zeros_like(bend)
    if world.rolls_on_springs:
        _, trial = normal_and_tangential(impulse.torque - velocity.torque / mobility.torque, normal)
        resisting = resisting + coulomb_slider(trial, limit=bound.rolling * load)
    elif contact.rolling is not None:
        resisting = resisting + contact.rolling_flow.torque(bend, load, effective_radius=radius)
    if contact.spinning is not None:
        resisting = resisting + contact.spinning.torque(
            twist[:, None] * normal, load, effective_radius=radius, overlap=overlap
        )
    return Impulses(force, impulse.torque - resisting)


def by_cone(
    normal: jax.Array,
    bound: Limits,
    load: jax.Array,
    mobility: Impulses,
    velocity: Impulses,
    impulse: Impulses,
) -> Impulses:
    """What is left of the tangential impulses less their projection on what the contact can hold;
    zero at the solution.
    """
    _, across = normal_and_tangential(impulse.force, normal)
    _, slip = normal_and_tangential(velocity.force, normal)
    force = across - coulomb_slider(across - slip / mobility.force, limit=bound.friction * load)
    if impulse.torque is None:
        return Impulses(force, None)
    assert velocity.torque is not None
    trial = impulse.torque - velocity.torque / mobility.torque
    twist, bend = normal_and_tangential(trial, normal)
    held = (
        coulomb_slider(bend, limit=bound.rolling * load)
        + coulomb_slider(twist[:, None], limit=bound.spinning * load) * normal
    )
    return Impulses(force, impulse.torque - held)


def solved(
    world: World,
    active: jax.Array,
    acting: Geometry,
    seen: Geometry,
    state: State,
    free: Impulses,
    bound: Limits,
    *,
    regularised: bool,
) -> Impulses:
    """Impulses of the ``active`` contacts, where ``free`` are the relative velocities without
    them.
    """
    flat, unflat = jax.flatten_util.ravel_pytree(jax.tree.map(jnp.zeros_like, free))
    matrix, mobility = responses(world, acting, seen, state, free)
    # In the slopes alone: the solution knows nothing of it, but where several contacts could carry
    # a load it is shared out.
    compliance = COMPLIANCE * jax.flatten_util.ravel_pytree(mobility)[0]
    free_flat = jax.flatten_util.ravel_pytree(free)[0]
    overlap = jnp.where(seen.gap < 0, -seen.gap, 0.0)
    turn = None if seen is acting else rotation_between(seen.normal, acting.normal)

    def residual(
        unknown: jax.Array, matrix: jax.Array, free_flat: jax.Array, bound: Limits, *, cone: Any
    ) -> jax.Array:
        impulse, velocity = unflat(unknown), unflat(free_flat + matrix @ unknown)
        # Velocities at the end of the step obey the contacts there; turned into the planes in which
        # the impulses act.
        if turn is not None:
            velocity = jax.tree.map(
                lambda vector: jnp.sum(turn * vector[:, None, :], axis=-1), velocity
            )
        along = jnp.sum(impulse.force * acting.normal, axis=-1)
        approach = jnp.sum(velocity.force * acting.normal, axis=-1)
        load = positive_part(along - approach / mobility.force[:, 0])
        left = by_cone(acting.normal, bound, load, mobility, velocity, impulse)
        if regularised:
            smooth = by_law(world, acting.normal, overlap, bound, mobility, velocity, impulse)
            left = jax.tree.map(lambda hard, soft: jnp.where(cone, hard, soft), left, smooth)
        force = left.force + (along - load)[:, None] * acting.normal
        here = active[:, None]
        torque = None if left.torque is None else jnp.where(here, left.torque, impulse.torque)
        return jax.flatten_util.ravel_pytree(
            Impulses(jnp.where(here, force, impulse.force), torque)
        )[0]

    parameters = (matrix, free_flat, bound)

    def newton(
        iteration: jax.Array, carry: tuple[jax.Array, jax.Array]
    ) -> tuple[jax.Array, jax.Array]:
        at, _ = carry

        def softened(unknown: jax.Array) -> jax.Array:
            yielding = free_flat + compliance * (unknown - at)
            return residual(unknown, matrix, yielding, bound, cone=iteration < ITERATIONS)

        value, jacobian = value_and_jacobian(softened, at)
        return at - jnp.linalg.solve(jacobian, value), jacobian

    def newtons(start: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.lax.fori_loop(
            0, (1 + regularised) * ITERATIONS, newton, (start, jnp.zeros_like(matrix))
        )

    def swept(sweep: Any, unknown: jax.Array) -> jax.Array:
        """Every contact in turn takes what it can hold, given the others (Gauss and Seidel): slow,
        but it does not go round in circles.
        """

        def one(contact: jax.Array, unknown: jax.Array) -> jax.Array:
            better = unknown - residual(unknown, *parameters, cone=True)
            return jnp.where(owner == contact, better, unknown)

        return jax.lax.fori_loop(0, len(active), one, unknown)

    def attempted(found: Attempt) -> Attempt:
        # Newton's method, from nothing; then from where sweeps end; then what the sweeps found.
        swept_start = when(
            found.number > 0, lambda: jax.lax.fori_loop(0, SWEEPS, swept, flat), lambda: flat
        )
        unknown, jacobian = when(
            found.number < 2,
            lambda: newtons(swept_start),
            lambda: (swept_start, jnp.eye(flat.size, dtype=flat.dtype)),
        )
        return Attempt(found.number + 1, unknown, jacobian)

    def wrong(found: Attempt) -> jax.Array:
        left = jnp.max(jnp.abs(residual(found.unknown, *parameters, cone=not regularised)))
        failed = ~(left <= CONVERGED * jnp.max(jnp.abs(found.unknown)) + 1e-30)
        return (found.number == 0) | (failed & (found.number < ATTEMPTS))

    owner = jnp.tile(jnp.repeat(jnp.arange(len(active)), 3), flat.size // (3 * len(active)))
    begin = Attempt(jnp.asarray(0), flat, jnp.zeros_like(matrix))
    found = without_derivatives(lambda: jax.lax.while_loop(wrong, attempted, begin))

    # Two steps with the Jacobian of the solution carry first and second derivatives.
    def correct(unknown: jax.Array, _: None) -> tuple[jax.Array, None]:
        left = residual(unknown, *parameters, cone=not regularised)
        return unknown - jnp.linalg.solve(found.jacobian, left), None

    return unflat(jax.lax.scan(correct, found.unknown, None, length=2)[0])


def value_and_jacobian(
    function: Callable[[jax.Array], jax.Array], at: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Of ``function`` from vectors to vectors, which is traced once."""
    return jax.vmap(lambda unit: jax.jvp(function, (at,), (unit,)), out_axes=(None, 1))(
        jnp.eye(at.size, dtype=at.dtype)
    )


def relative(world: World, at: Geometry, state: State) -> Impulses:
    """Relative velocities (and spins) at the contacts."""
    spin = world.pairs.difference @ state.spin - at.surface_spin if has_torque(world) else None
    return Impulses(relative_velocity(world, at, state), spin)


def static_overlap(world: World, active: Active, load: jax.Array) -> jax.Array:
    """Overlap [m] of the contacts under the normal forces ``load``; zero for a rigid law."""
    law: Any = world.contact.normal
    if isinstance(active.normal, OnBranch):
        return law.resting(active.normal, load)
    return jnp.zeros_like(load) if world.rigid else law.static_overlap(load)


def normal_mobility(world: World, at: Geometry, state: State) -> jax.Array:
    """Change of each gap rate by a unit normal impulse at each contact [1/kg], ``(pairs,
    pairs)``.
    """
    inertia = inertia_in_scene(world, state)

    def gap_change(push: jax.Array) -> jax.Array:
        change = response(world, at, at, inertia, Impulses(push[:, None] * at.normal, None))
        return jnp.sum(change.force * at.normal, axis=-1)

    return jax.vmap(gap_change, out_axes=1)(jnp.eye(len(at.gap), dtype=at.gap.dtype))


class Interval(NamedTuple):
    """A step in time: its start, its duration, and that of a usual step [s]: what it would have
    been without an event.
    """

    time: jax.Array
    duration: jax.Array
    usual: jax.Array


class Slopes(NamedTuple):
    """Accelerations and their like of the spin at the start and the end of a step, ``(bodies,
    3)``.
    """

    start_acceleration: jax.Array
    end_acceleration: jax.Array
    start_spin_rate: jax.Array
    end_spin_rate: jax.Array


class Sustained(NamedTuple):
    """After a step of sustained contacts.

    Attributes:
        stepped: as after every step.
        load: normal force of each contact [N].
        slopes: of the motion within the step; ``None`` where no contact may last.
        error: what velocities may lack, and spins times the extent of the body [m/s].
        spread: how far those of its ways are apart, likewise.
        apart: how far the ends of its ways are [m].
        margin: share of what friction, rolling and spinning resistance can hold that is left at the
            end, ``(kinds, pairs)``.
    """

    stepped: Stepped
    load: jax.Array
    slopes: Slopes | None
    error: jax.Array
    spread: jax.Array
    apart: jax.Array
    margin: jax.Array


def sustained_step(
    world: World, active: Active, stays: jax.Array, state: State, interval: Interval
) -> Sustained:
    """After a step in which the active contacts stay (or let go): of fourth order, by extrapolation
    from implicit steps in one to four pieces; at static overlap. Contacts that have just settled
    still bounce a little: of those that ``stays`` marks this is left out first, as in a short step
    no load could hold it.
    """
    time, duration, usual = interval
    calm, calming = without_bouncing(world, stays, state, time)

    def part(begin: State, item: tuple) -> tuple[State, tuple[Stepped, jax.Array, Any, Any]]:
        fresh, offset, share = item
        start = jax.tree.map(lambda whole, later: jnp.where(fresh, whole, later), calm, begin)
        piece = Interval(time + offset * duration, share * duration, usual)
        stepped, load, margin = implicit_step(world, active, start, piece)
        rates = mean_rates(start, stepped.state, piece.duration)
        return stepped.state, (stepped, load, rates, margin)

    fresh = jnp.array([index == 0 for _, index in PIECES])
    offsets, shares = (
        jnp.asarray(column, duration.dtype)
        for column in zip(*((index / count, 1 / count) for count, index in PIECES), strict=True)
    )
    steps: Stepped
    _, (steps, loads_of_pieces, rates, margins_of_pieces) = jax.lax.scan(
        part, calm, (fresh, offsets, shares)
    )
    ends = jax.tree.map(lambda column: column[LAST], steps.state)
    after = jax.tree.map(extrapolated, ends)
    if after.orientation is not None:
        size = jnp.linalg.norm(after.orientation, axis=-1, keepdims=True)
        after = after._replace(orientation=after.orientation / size)
    work = jax.tree.map(
        lambda column: extrapolated(jnp.tensordot(IN_WAY, column, axes=1)), steps.work
    )
    told = extrapolated(jax.vmap(lambda end: kinetic_energy(world, end))(ends))
    load = at_end(*loads_of_pieces[-2:])
    settled, lost = at_static_overlap(world, active, load, after, interval)
    work = jax.tree.map(jnp.add, work, calming)
    work = work._replace(settled=work.settled + told - kinetic_energy(world, after) + lost)
    normal = active.normal
    if world.has_hysteresis:
        normal, work = rested(world, active, work, load, (state, settled), interval)
    last = jax.tree.map(lambda column: column[-1], steps)
    slopes = Slopes(
        *(
            jnp.tensordot(weights, rate[places], axes=1)
            for rate in rates
            for weights, places in ((AT_START, FIRST), (IMPROVES, LAST))
        )
    )
    error = jnp.maximum(
        fastest_motion(
            world, *(jnp.tensordot(DIFFERS, end, axes=1) for end in (ends.velocity, ends.spin))
        ),
        fastest_motion(
            world, *(duration * jnp.tensordot(ROUGH, rate[-WAYS:], axes=1) for rate in rates)
        ),
    )
    spread = jnp.max(
        jax.vmap(lambda velocity, spin: fastest_motion(world, velocity, spin))(
            ends.velocity - after.velocity, ends.spin - after.spin
        )
    )
    apart = farthest_apart(world, ends, after)
    stepped = last._replace(state=settled, work=work, normal=normal)
    margin = extrapolated(margins_of_pieces[LAST])
    return Sustained(stepped, load, slopes, error, spread, apart, margin)


def extrapolated(ends: jax.Array) -> jax.Array:
    """Of ends by all ways, what is left without their errors of first to third order."""
    return jnp.tensordot(IMPROVES, ends, axes=1)


def at_end(before: jax.Array, last: jax.Array) -> jax.Array:
    """Loads at the end of the last of two pieces, each of which tells that in its middle; one that
    pushes there still pushes.
    """
    return jnp.maximum(last + (last - before) / 2, last / 2)


def mean_rates(before: State, after: State, duration: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Change of velocities and spins over a step, for each time; 0 in a step of no length."""
    lasts = duration > 0
    inverse = jnp.where(lasts, 1 / jnp.where(lasts, duration, 1.0), 0.0)
    return (after.velocity - before.velocity) * inverse, (after.spin - before.spin) * inverse


def fastest_motion(world: World, velocity: jax.Array, spin: jax.Array) -> jax.Array:
    """Largest speed of a centre or of a point farthest from it [m/s], without derivatives."""
    size = jnp.max(world.extent)
    velocity, spin = jax.lax.stop_gradient((velocity, spin))
    return jnp.maximum(jnp.max(safe_norm(velocity)), jnp.max(size * safe_norm(spin)))


def farthest_apart(world: World, states: State, other: State) -> jax.Array:
    """Largest distance of a point of a body in stacked ``states`` from where it is in the ``other``
    [m], without derivatives.
    """
    states, other = jax.lax.stop_gradient((states, other))
    apart = safe_norm(states.position - other.position)
    if states.orientation is not None and other.orientation is not None:
        turn = 2 * safe_norm(states.orientation - other.orientation)
        apart = apart + jnp.max(world.extent) * turn
    return jnp.max(apart)


def implicit_step(
    world: World, active: Active, state: State, interval: Interval
) -> tuple[Stepped, jax.Array, jax.Array]:
    """After an implicit step of first order, the normal force of each contact [N], and the share of
    what each resistance can hold that is left, ``(kinds, pairs)``.

    A step that is much shorter than a usual one tells nothing of the forces.
    """
    time, duration, usual = interval
    scene = world.scene
    middle = drifted(world, state, state.velocity, state.spin, duration / 2)
    acting = geometry(world, middle, time + duration / 2)
    push = scene.external_acceleration(
        middle.position, state.velocity, state.spin, time + duration / 2
    )
    rate = spin_rates(world, middle, jnp.zeros_like(state.spin))
    free = state._replace(
        velocity=state.velocity + duration * push, spin=state.spin + duration * rate
    )
    later = drifted(world, state, state.velocity, state.spin, duration)
    seen = geometry(world, later, time + duration)
    bound = limits(world, jnp.where(seen.gap < 0, -seen.gap, 0.0))
    impulses = solved(
        world,
        active.closed,
        acting,
        seen,
        middle,
        relative(world, seen, free),
        bound,
        regularised=is_regularised(world),
    )
    push_impulse, moment = force_and_torque(world, acting, impulses.force, impulses.torque)
    turned = jnp.einsum("nij,nj->ni", inertia_in_scene(world, middle), moment)
    velocity = free.velocity + push_impulse * world.inverse_mass[:, None]
    spin = free.spin + turned
    after = later._replace(velocity=velocity, spin=spin)
    takes_time = jax.lax.stop_gradient(duration) > SHORTEST * usual
    normal_impulse = jnp.sum(impulses.force * acting.normal, axis=-1)
    load = jnp.where(
        active.closed & takes_time, normal_impulse / jnp.where(takes_time, duration, 1.0), 0.0
    )
    work = work_of(
        world, acting, state, after, middle, impulses, time + duration / 2, duration, push
    )
    memory, friction = active.memory, active.friction
    if friction is not None:
        _, along = normal_and_tangential(
            impulses.force / jnp.where(takes_time, duration, 1.0), acting.normal
        )
        friction = jnp.where(takes_time, along, friction)
    if world.has_memory:
        held = world.contact.friction_with_memory.holding(
            friction,
            overlap=static_overlap(world, active, load),
            effective_radius=world.effective_radius,
        )
        memory = jax.tree.map(lambda new, old: jnp.where(takes_time, new, old), held, memory)
    rolling = active.rolling
    if world.rolls_on_springs:
        _, torque = normal_and_tangential(
            impulses.torque / jnp.where(takes_time, duration, 1.0), acting.normal
        )
        held_still = Rolled(world.contact.rolling_with_memory.holding(torque), torque)
        rolling = jax.tree.map(
            lambda new, old: jnp.where(takes_time, new, old), held_still, rolling
        )
    none = jnp.zeros_like(load)
    stepped = Stepped(
        after, memory, friction, work, Lacks(none, none, none), active.normal, rolling
    )
    return stepped, load, margins(acting.normal, bound, impulses)


def margins(normal: jax.Array, bound: Limits, impulses: Impulses) -> jax.Array:
    """Share of what friction, rolling and spinning resistance can hold that is left beside
    ``impulses``, ``(kinds, pairs)``.
    """
    along, across = normal_and_tangential(impulses.force, normal)
    load = positive_part(along)
    held = [(across, bound.friction)]
    if impulses.torque is not None:
        twist, bend = normal_and_tangential(impulses.torque, normal)
        held += [(bend, bound.rolling), (twist[:, None], bound.spinning)]

    def left(size: jax.Array, largest: Real) -> jax.Array:
        holds = largest > 0
        return jnp.where(holds, 1 - size / jnp.where(holds, largest, 1.0), 0.0)

    return jnp.stack([left(safe_norm(vector), limit * load) for vector, limit in held])


def rested(
    world: World,
    active: Active,
    work: Work,
    load: jax.Array,
    states: tuple[State, State],
    interval: Interval,
) -> tuple[OnBranch, Work]:
    """What contacts with hysteresis remember after a step between ``states``. They take up what
    they then hold; the rest of the work is lost with the bouncing.
    """
    times = interval.time, interval.time + interval.duration
    overlaps = [
        -geometry(world, state, time).gap for state, time in zip(states, times, strict=True)
    ]
    law = world.contact.branched
    normal = jax.tree.map(
        lambda new, old: jnp.where(load > 0, new, old),
        law.rested(active.normal, overlaps[1]),
        active.normal,
    )
    held = [
        jnp.where(active.closed, law.energy(on.memory, overlap), 0.0)
        for on, overlap in zip((active.normal, normal), overlaps, strict=True)
    ]
    taken = held[1] - held[0]
    return normal, work._replace(normal=taken, settled=work.settled + jnp.sum(work.normal - taken))


def without_bouncing(
    world: World, stays: jax.Array, state: State, time: jax.Array
) -> tuple[State, Work]:
    """The ``state`` whose contacts that ``stays`` marks neither open nor close, and the work that
    this takes.

    The bouncing that is left out would have pushed, in the end, by what stops it, and so rubbed:
    the contacts resist their slip, rolling and spinning as this push says, also where it is
    negative. It is small, but it moves with the time of touch-down, as fast as the contact bounces,
    however stiff it is.
    """
    at = geometry(world, state, time)
    before = relative(world, at, state)
    _, mobility = responses(world, at, at, state, before)
    none = jax.tree.map(jnp.zeros_like, before)

    # What rubs may open or close contacts again, of bodies whose contacts do not lie under their
    # centres: a little each time.
    def stopped(rubs: Impulses, _: None) -> tuple[Impulses, Impulses]:
        rubbed = pushed(world, at, state, rubs.force, rubs.torque)
        rate = jnp.where(stays, gap_rates(world, at, rubbed), 0.0)
        push = pushes_along_normals(world, at, state, stays, -rate)
        along = push[:, None] * at.normal
        return rubbing(world, at, mobility, before, push), rubs._replace(force=rubs.force + along)

    _, taken = jax.lax.scan(stopped, none, None, length=CALMED)
    impulses = jax.tree.map(lambda column: column[-1], taken)
    after = pushed(world, at, state, impulses.force, impulses.torque)
    supplied = work_of_impulses(world, at, state, after, impulses).supplied
    lost = kinetic_energy(world, state) - kinetic_energy(world, after) + supplied
    return after, no_work(world, lost)._replace(supplied=supplied, settled=lost)


def rubbing(
    world: World, at: Geometry, mobility: Impulses, moving: Impulses, push: jax.Array
) -> Impulses:
    """Impulses of what resists the ``moving`` contacts for small normal impulses ``push`` [N s], in
    proportion to them, and no larger than what stops the motion.
    """
    overlap = jnp.where(at.gap < 0, -at.gap, 0.0)
    bound, load = limits(world, overlap), jnp.abs(push)
    none = jax.tree.map(jnp.zeros_like, moving)
    left = hard = by_cone(at.normal, bound, load, mobility, moving, none)
    if is_regularised(world):
        along = none._replace(force=load[:, None] * at.normal)
        soft = by_law(world, at.normal, overlap, bound, mobility, moving, along)
        left = jax.tree.map(
            lambda by_law, by_cone: coulomb_slider(by_law, limit=safe_norm(by_cone)), soft, hard
        )
    return jax.tree.map(lambda vector: -jnp.sign(push)[:, None] * vector, left)


def at_static_overlap(
    world: World, active: Active, load: jax.Array, state: State, interval: Interval
) -> tuple[State, jax.Array]:
    """The ``state`` after a step, with bodies moved by a share of what loaded contacts lack of
    their static overlap, all of it in a usual step; and the potential energy lost in this. What
    moves them rubs.
    """
    time, duration = interval.time + interval.duration, jax.lax.stop_gradient(interval.duration)
    share = jnp.clip(duration / jax.lax.stop_gradient(interval.usual), 0.0, 1.0)
    at = geometry(world, state, time)
    loaded = load > 0
    excess = jnp.where(loaded, at.gap + static_overlap(world, active, load), 0.0)
    push = pushes_along_normals(world, at, state, loaded, -share * excess)
    moving = relative(world, at, state)
    _, mobility = responses(world, at, at, state, moving)
    # As if pushed that far in the time of the step: no more than what would stop it.
    lasts = duration > 0
    inverse = jnp.where(lasts, 1 / jnp.where(lasts, duration, 1.0), 0.0)
    rubs = rubbing(world, at, mobility, moving, push * inverse)
    rubs = jax.tree.map(lambda vector: duration * vector, rubs)
    still = state._replace(velocity=jnp.zeros_like(state.velocity), spin=jnp.zeros_like(state.spin))
    shift = pushed(world, at, still, push[:, None] * at.normal + rubs.force, rubs.torque)
    pull = world.scene.external_acceleration(state.position, state.velocity, state.spin, time)
    return drifted(world, state, shift.velocity, shift.spin, 1.0), jnp.sum(
        pull * shift.velocity / world.inverse_mass[:, None]
    )


def pushes_along_normals(
    world: World, at: Geometry, state: State, loaded: jax.Array, wanted: jax.Array
) -> jax.Array:
    """Impulses along the normals of the ``loaded`` contacts that change the rates of their gaps as
    ``wanted``, ``(pairs,)`` [N s]; or what changes gaps likewise.
    """
    matrix = normal_mobility(world, at, state)
    diagonal = jnp.diag(matrix)
    matrix = jnp.where(
        loaded[:, None], matrix + COMPLIANCE * jnp.diag(diagonal), jnp.diag(diagonal)
    )
    return jnp.linalg.solve(matrix, wanted)


def work_of(
    world: World,
    acting: Geometry,
    before: State,
    after: State,
    middle: State,
    impulses: Impulses,
    time: jax.Array,
    duration: jax.Array,
    push: jax.Array,
) -> Work:
    """Where the work of a step went; ``time`` is that of its ``middle``."""
    lost, by_anchors = external_power(world, with_mean_motion(middle, before, after), time)
    moved = after.position - before.position
    external = jnp.sum(push * moved / world.inverse_mass[:, None])
    work = work_of_impulses(world, acting, before, after, impulses)
    return work._replace(
        fluid=duration * lost,
        supplied=work.supplied + duration * by_anchors,
        settled=work.settled + external,
    )


def with_mean_motion(state: State, before: State, after: State) -> State:
    """The ``state`` with the mean of the velocities, and spins, of two others."""
    return state._replace(
        velocity=(before.velocity + after.velocity) / 2, spin=(before.spin + after.spin) / 2
    )


def work_of_impulses(
    world: World, acting: Geometry, before: State, after: State, impulses: Impulses
) -> Work:
    """Where the work of the impulses between two states went."""
    moving = relative(world, acting, with_mean_motion(before, before, after))
    along, across = normal_and_tangential(impulses.force, acting.normal)
    rate, slip = normal_and_tangential(moving.force, acting.normal)
    friction = -jnp.sum(across * slip)
    rolling = spinning = jnp.zeros((), friction.dtype)
    if impulses.torque is not None:
        twist, bend = normal_and_tangential(impulses.torque, acting.normal)
        turning, rolling_rate = normal_and_tangential(moving.torque, acting.normal)
        rolling, spinning = -jnp.sum(bend * rolling_rate), -jnp.sum(twist * turning)
    normal = -along * rate
    by_surfaces = jnp.sum(impulses.force * acting.surface_velocity)
    if impulses.torque is not None:
        by_surfaces = by_surfaces + jnp.sum(impulses.torque * acting.surface_spin)
    change = kinetic_energy(world, after) - kinetic_energy(world, before)
    left = by_surfaces - jnp.sum(normal) - friction - rolling - spinning - change
    return no_work(world, left)._replace(
        normal=normal,
        friction=friction,
        rolling=rolling,
        spinning=spinning,
        supplied=by_surfaces,
        settled=left,
    )
