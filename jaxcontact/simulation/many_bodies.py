"""Several spheres: events in order of time, whatever touches whatever.

A scan over steps. Each step is one flight to the earliest possible touch, or one step of the contacts that are active
(``overlapping_contacts``). If along it another pair touches, or a contact ends, the step is taken again up to that event; a last
correction carries the exact derivative of the event's time. No step ever straddles an event.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.scene import Scene, State
from jaxcontact.simulation.dense_output import Segments, evaluate
from jaxcontact.simulation.event_aligned import EventAligned, Impulse
from jaxcontact.simulation.flight import touch_time
from jaxcontact.simulation.overlapping_contacts import Active, contact_step, flight_step, rubbed
from jaxcontact.simulation.pairs import World, after_impulse, each_pair, gap_and_normal, gap_rates, world_of
from jaxcontact.simulation.status import Status
from jaxcontact.simulation.trajectory import Contacts, Trajectory
from jaxcontact.smooth import positive_part
from jaxcontact.surfaces import Plane

BEYOND = 1.0 + 1e-6
"""A flight is tried a little farther than to the estimated touch, so that the touch lies within."""

OVERSHOOT = 1e-9
"""The same in units of the remaining time, for pairs that touch already up to rounding."""

POLISHING = 3
"""Corrections of the time of an event, without derivatives; one more carries them."""


class Progress(NamedTuple):
    """Where the simulation stands."""

    time: jax.Array
    state: State
    active: Active


class Step(NamedTuple):
    """What one step leaves behind: its ends, and the event at its end (``touches`` or ``leaves`` of each pair)."""

    time: jax.Array
    before: State
    duration: jax.Array
    after: State
    touches: jax.Array
    leaves: jax.Array
    rate: jax.Array


def time_to_touch(world: World, state: State, closed: jax.Array, longest: jax.Array) -> jax.Array:
    """A time by which no inactive pair has touched yet, and at which one does if all fall alike; infinite when none ever does.

    Towards a curved surface no time is known in advance: the flight advances in steps of at most ``longest``.
    """
    spheres = world.pairs.between_spheres
    gap, normal = gap_and_normal(world, state.position)
    acceleration = world.scene.acceleration(state.velocity, state.spin)
    rate, along = gap_rates(world, state.velocity, normal), gap_rates(world, acceleration, normal)
    planes = np.array([isinstance(surface, Plane) for surface in world.scene.surfaces], dtype=bool)
    flat = np.repeat(planes, state.position.shape[0])
    with_surfaces = jnp.where(flat, touch_time(gap[spheres:], rate[spheres:], along[spheres:]), longest)
    apart, relative, pull = (world.difference[:spheres] @ column for column in (state.position, state.velocity, acceleration))
    distance_at_touch = jnp.sqrt(jnp.sum(apart * apart, axis=-1)) - gap[:spheres]
    closing = -jnp.sum(apart * relative, axis=-1)
    speed_squared = jnp.sum(relative * relative, axis=-1)
    beyond = gap[:spheres] * (gap[:spheres] + 2 * distance_at_touch)  # squared distance, less that at touch
    discriminant = closing * closing - speed_squared * beyond
    meets = (closing > 0) & (discriminant > 0)
    straight = jnp.where(meets, beyond / jnp.where(meets, closing + jnp.sqrt(jnp.where(meets, discriminant, 1.0)), 1.0), jnp.inf)
    # With unequal accelerations: not before the gap along the present normal, which is never the larger one, is used up.
    pull_size = jnp.sqrt(jnp.sum(pull * pull, axis=-1))
    curved = pull_size > 1e-12 * (1.0 + jnp.max(jnp.abs(acceleration)))
    soonest = touch_time(gap[:spheres], rate[:spheres], -pull_size)
    times = jnp.concatenate([jnp.where(curved, soonest, straight), with_surfaces])
    return jnp.min(jnp.where(closed, jnp.inf, times), initial=jnp.inf)


def graded_step(world: World, active: Active, gap: jax.Array, gap_rate: jax.Array, fraction: float) -> jax.Array:
    """Longest step that resolves every active contact: ``T (2 sqrt(s) + u ds) ds``, at least ``T ds^2``, with ``ds = fraction``.

    ``s`` is the overlap and ``u`` its rate in units of the impact; the grading makes the motion look smooth where it starts like a power
    5/2 of time.
    """
    limits = active.closed & (active.fastest > SLOWEST)
    speed = jnp.where(limits, active.fastest, 1.0)
    overlap_scale, time_scale = world.scene.contact.normal.scales(impact_speed=speed, mass=world.inertia.effective_mass)
    # At touch-down the root would turn the rounding of the gap's derivative into a derivative of the step.
    overlap = -gap / overlap_scale
    least = (1e-3 * fraction) ** 2
    depth = jnp.sqrt(jnp.where(overlap > least, overlap, least))
    step = time_scale * fraction * jnp.maximum(fraction, 2 * depth - gap_rate / speed * fraction)
    return jnp.min(jnp.where(limits, step, jnp.inf), initial=jnp.inf)


def speed_of_overlap(world: World, overlap: jax.Array) -> jax.Array:
    """Impact speed [m/s] of which ``overlap`` is the scale; scales are powers of the speed."""
    one, two = (world.scene.contact.normal.scales(impact_speed=v, mass=world.inertia.effective_mass)[0] for v in (1.0, 2.0))
    overlaps = overlap > 0
    return jnp.where(overlaps, (jnp.where(overlaps, overlap, 1.0) / one) ** (jnp.log(2.0) / jnp.log(two / one)), 0.0)


def rounding(value: jax.Array) -> float:
    """Relative error of some operations in the precision of ``value``."""
    return 64 * float(jnp.finfo(value.dtype).eps)


def active_at_start(world: World, start: State) -> Active:
    """Pairs that overlap at the start, or touch at rest. What approaches and just touches is left to touch down."""
    gap, normal = gap_and_normal(world, start.position)
    rate = gap_rates(world, start.velocity, normal)
    if world.force is None:
        return Active(jnp.zeros_like(gap, dtype=bool), jnp.ones_like(gap), jnp.ones_like(gap))
    gap, rate, normal, start = jax.lax.stop_gradient((gap, rate, normal, start))
    touching = jnp.abs(gap) <= rounding(gap) * (jnp.max(jnp.abs(start.position)) + jnp.max(jnp.asarray(world.scene.bodies.radius)))
    closed = jnp.where(touching, jnp.abs(rate) <= SLOWEST, gap < 0)
    pull = gap_rates(world, world.scene.acceleration(start.velocity, start.spin), normal)
    law, load = world.scene.contact.normal, world.inertia.effective_mass * positive_part(-pull)
    loaded = law.static_overlap(load) if hasattr(law, "static_overlap") else jnp.zeros_like(load)
    fastest = jnp.maximum(jnp.abs(rate), speed_of_overlap(world, jnp.maximum(jnp.where(touching, 0.0, -gap), loaded)))
    return Active(closed, jnp.where(closed, positive_part(-rate), 1.0), jnp.where(closed, fastest, 1.0))


def first_crossing(
    gap: jax.Array, rate: jax.Array, later_gap: jax.Array, later_rate: jax.Array, duration: jax.Array, active: jax.Array
) -> jax.Array:
    """Fraction of the step at which the gap of each pair first changes sign by its cubic; 2 where it does not."""
    crosses = jnp.where(active, (later_gap >= 0) & (later_rate > SLOWEST), (later_gap < 0) & (later_rate < 0))
    change = later_gap - gap
    cubic = duration * (rate + later_rate) - 2 * change
    square = 3 * change - duration * (2 * rate + later_rate)
    # From the end: a pair that has just parted has a root at the start as well.
    theta = jnp.ones_like(gap)
    for _ in range(5):
        value = gap + theta * (duration * rate + theta * (square + theta * cubic))
        slope = duration * rate + theta * (2 * square + theta * 3 * cubic)
        theta = jnp.clip(theta - value / jnp.where(slope == 0, 1.0, slope), 0.0, 1.0)
    return jnp.where(crosses, theta, 2.0)


def next_step(world: World, progress: Progress, horizon: jax.Array, *, fraction: float, longest: jax.Array) -> Step:
    """The next step: to an event, or as far as the active contacts allow."""
    state, active = progress.state, progress.active
    frozen = jax.lax.stop_gradient
    gap, normal = gap_and_normal(world, state.position)
    rate = gap_rates(world, state.velocity, normal)
    # To beyond the last time, in any precision.
    remaining = jnp.maximum(horizon - progress.time, 0.0) + rounding(gap) * (jnp.abs(horizon) + longest) + 1e-12
    # Steps inside a contact move with the parameters, like the events: on a grid that stays, derivatives there would be of the order of
    # the contact acceleration.
    allowed = frozen(time_to_touch(world, state, active.closed, longest) * BEYOND + max(OVERSHOOT, rounding(gap)) * remaining)
    if world.force is not None:
        resolved = graded_step(world, active, gap, rate, fraction)
        allowed = jnp.where(jnp.isfinite(resolved), resolved, allowed)
    duration = jnp.minimum(allowed, remaining)
    duration = jnp.minimum(duration, longest) if world.scene.has_fluid else duration

    def gaps_after(tau: jax.Array) -> tuple[State, jax.Array, jax.Array]:
        after = contact_step(world, active, state, tau)
        gaps, normals = gap_and_normal(world, after.position)
        return after, gaps, gap_rates(world, after.velocity, normals)

    _, later_gap, later_rate = gaps_after(frozen(duration))
    theta = frozen(first_crossing(gap, rate, later_gap, later_rate, duration, active.closed))
    earliest = jnp.min(theta)
    happens = earliest <= 1.0
    # One at a time, each with the derivative of its own time, even where several happen at the same instant.
    chosen = (jnp.arange(len(theta)) == jnp.argmin(theta)) & happens
    which = chosen.astype(gap.dtype)

    def correction(tau: jax.Array) -> jax.Array:
        _, gaps, rates = gaps_after(tau)
        slope = frozen(which @ rates)
        return -(which @ gaps) / jnp.where(jnp.abs(slope) > 1e-12, slope, jnp.inf)

    def to_event() -> jax.Array:
        longest = frozen(duration)
        tau = jax.lax.fori_loop(
            0, POLISHING, lambda _, tau: jnp.clip(tau + frozen(correction(tau)), 0.0, longest), longest * frozen(earliest)
        )
        tau = frozen(tau)
        return tau + correction(tau)

    taken = jax.lax.cond(happens, to_event, lambda: duration)
    after, _, rates = gaps_after(taken)
    return Step(progress.time, state, taken, after, chosen & ~active.closed, chosen & active.closed, rates)


def rigid_impact(world: World, state: State, touches: jax.Array) -> State:
    """State after the rigid impact of the pair that touches, if one does."""
    law = world.scene.contact.normal
    every = each_pair(world, gap_and_normal(world, state.position)[1])
    index = jnp.argmax(touches)
    pair, mass = jax.tree.map(lambda column: column[index], (every, world.inertia.effective_mass))
    speed = -((pair.first - pair.second) @ state.velocity) @ pair.normal
    hits = jnp.any(touches) & (speed > 0)
    speed = jnp.where(hits, speed, 1.0)
    impulse = mass * (1 + law.restitution_at(speed, mass=mass)) * speed
    after = after_impulse(pair, rubbed(world, pair, state, impulse), impulse * pair.normal)
    return jax.tree.map(lambda old, new: jnp.where(hits, new, old), state, after)


SLOWEST = 1e-9
"""Speed [m/s] below which nothing moves."""


STEPS_BETWEEN = 8
"""Steps outside contacts, for each contact of the budget: flights, and events that cut a step short."""

FLIGHT_FRACTION = 0.01
"""Longest step of a flight in a fluid or near a curved surface, in units of the whole time."""


def simulate_many(scene: Scene, start: State, times: jax.Array, method: EventAligned | Impulse) -> Trajectory:
    """Motion of several spheres at ``times``."""
    rigid = isinstance(method, Impulse)
    fraction = 1.0 if isinstance(method, Impulse) else method.graded_step
    steps = method.max_contacts * (STEPS_BETWEEN + (0 if rigid else math.ceil(3.5 / fraction)))
    if scene.has_fluid or not all(isinstance(surface, Plane) for surface in scene.surfaces):
        steps += math.ceil(1 / FLIGHT_FRACTION)
    longest = FLIGHT_FRACTION * (times[-1] - times[0])
    world = world_of(scene, start.position.shape[0], rigid=rigid)
    horizon = times[-1]
    first = Progress(times[0], start, active_at_start(world, start))

    def moving(progress: Progress) -> Step:
        return next_step(world, progress, horizon, fraction=fraction, longest=longest)

    def idle(progress: Progress) -> Step:
        nothing = jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), jax.eval_shape(moving, progress))
        return nothing._replace(time=progress.time, before=progress.state, after=progress.state)

    def advance(progress: Progress, _: None) -> tuple[Progress, Step]:
        step = jax.lax.cond(progress.time > horizon, idle, moving, progress)
        time = progress.time + step.duration
        if rigid:
            return Progress(time, rigid_impact(world, step.after, step.touches), progress.active), step
        return Progress(time, step.after, active_after(progress.active, step)), step

    last, record = jax.lax.scan(advance, first, None, length=steps)
    touches = jnp.sum(record.touches)
    record = jax.tree.map(lambda column, end: jnp.concatenate([column, end[None]]), record, extrapolated(world, last, horizon))
    at_times = jax.vmap(lambda *columns: evaluate(segments(record, *columns), times), in_axes=1, out_axes=1)
    position, velocity, spin = at_times(*record.before, *record.after)
    enough = (last.time > horizon) & (touches <= method.max_contacts)
    status = jnp.where(enough, Status.SUCCESS, Status.TOO_FEW_CONTACTS)
    return Trajectory(times, position, velocity, spin, contacts_of(world, record, method.max_contacts, rigid=rigid), status)


def active_after(active: Active, step: Step) -> Active:
    """Contacts after a step."""
    impact_speed = jnp.where(step.touches, jnp.maximum(-step.rate, SLOWEST), active.impact_speed)
    fastest = jnp.where(step.touches, impact_speed, jnp.maximum(active.fastest, jnp.abs(step.rate)))
    return Active((active.closed | step.touches) & ~step.leaves, impact_speed, fastest)


def extrapolated(world: World, last: Progress, horizon: jax.Array) -> Step:
    """A flight to the horizon, for what the budget of steps left over."""
    duration = jnp.maximum(horizon - last.time, 0.0)
    none = jnp.zeros_like(last.active.closed)
    after = flight_step(world, last.state, duration)
    return Step(last.time, last.state, duration, after, none, none, jnp.zeros_like(last.active.fastest))


def contacts_of(world: World, record: Step, count: int, *, rigid: bool) -> Contacts:
    """The first ``count`` contacts in order of time."""
    entries = jnp.nonzero(jnp.any(record.touches, axis=1), size=count, fill_value=-1)[0]
    pair = jnp.argmax(record.touches[entries], axis=1)
    touch_down = record.time[entries] + record.duration[entries]
    later = jnp.arange(len(record.time)) > entries[:, None]
    leaves = later & record.leaves[:, pair].T
    end = jnp.argmax(leaves, axis=1)
    ended = jnp.any(leaves, axis=1)
    which = jax.nn.one_hot(pair, len(world.pairs.surface), dtype=touch_down.dtype)
    speed = -jnp.sum(record.rate[entries] * which, axis=1)
    if rigid:
        law, mass = world.scene.contact.normal, world.inertia.effective_mass[pair]
        lift_off, rebound = touch_down, speed * law.restitution_at(jnp.where(speed > 0, speed, 1.0), mass=mass)
    else:
        lift_off = jnp.where(ended, record.time[end] + record.duration[end], jnp.inf)
        rebound = jnp.where(ended, jnp.sum(record.rate[end] * which, axis=1), 0.0)
    bodies = [jnp.where(jnp.any(side, axis=1), jnp.argmax(side, axis=1), -1) for side in (world.pairs.first, world.pairs.second)]
    happened = entries >= 0
    return Contacts(
        happened, touch_down, lift_off, speed, rebound, jnp.asarray(world.pairs.surface)[pair], bodies[0][pair], bodies[1][pair]
    )


def segments(record: Step, x0: jax.Array, v0: jax.Array, w0: jax.Array, x1: jax.Array, v1: jax.Array, w1: jax.Array) -> Segments:
    """Pieces of one body's motion: cubics, exact for a parabola."""
    h = record.duration[:, None]
    moves = h > 0
    inverse = jnp.where(moves, 1 / jnp.where(moves, h, 1.0), 0.0)
    mean = (x1 - x0) * inverse
    a0 = (6 * mean - 4 * v0 - 2 * v1) * inverse
    a1 = (2 * v0 + 4 * v1 - 6 * mean) * inverse
    turn = (w1 - w0) * inverse
    return Segments(record.time, record.time + record.duration, x0, x1, v0, v1, a0, a1, w0, w1, turn, turn)
