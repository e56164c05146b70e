"""Several spheres: events in order of time, whatever touches whatever.

A scan over steps. Each step is one flight to the earliest possible touch, or one step of the contacts that are active
(``overlapping_contacts``). If along it another pair touches, or a contact ends, the step is taken again up to that event; a last
correction carries the exact derivative of the event's time. No step ever straddles an event.
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.scene import Scene, State
from jaxcontact.simulation.dense_output import Segments, evaluate
from jaxcontact.simulation.event_aligned import EventAligned, Impulse
from jaxcontact.simulation.flight import touch_time
from jaxcontact.simulation.overlapping_contacts import Active, contact_step
from jaxcontact.simulation.pairs import Pair, World, after_impulse, each_pair, gap_and_normal, gap_rates, slip, world_of
from jaxcontact.simulation.status import Status
from jaxcontact.simulation.trajectory import Contacts, Trajectory

BEYOND = 1.0 + 1e-6
"""A flight is tried a little farther than to the estimated touch, so that the touch lies within."""

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


def time_to_touch(world: World, state: State, closed: jax.Array) -> jax.Array:
    """A time by which no inactive pair has touched yet, and at which one does if all fall alike; infinite when none ever does."""
    spheres = world.pairs.between_spheres
    gap, normal = gap_and_normal(world, state.position)
    acceleration = world.scene.acceleration(state.velocity, state.spin)
    rate, along = gap_rates(world, state.velocity, normal), gap_rates(world, acceleration, normal)
    with_surfaces = touch_time(gap[spheres:], rate[spheres:], along[spheres:])
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
    law, speed = world.scene.contact.normal, active.impact_speed
    overlap_scale, time_scale = law.scales(impact_speed=speed, mass=world.inertia.effective_mass)
    # At touch-down the root would turn the rounding of the gap's derivative into a derivative of the step.
    overlap = -gap / overlap_scale
    least = (1e-3 * fraction) ** 2
    depth = jnp.sqrt(jnp.where(overlap > least, overlap, least))
    step = time_scale * fraction * jnp.maximum(fraction, 2 * depth - gap_rate / speed * fraction)
    return jnp.min(jnp.where(active.closed, step, jnp.inf), initial=jnp.inf)


def first_crossing(
    gap: jax.Array, rate: jax.Array, later_gap: jax.Array, later_rate: jax.Array, duration: jax.Array, active: jax.Array
) -> jax.Array:
    """Fraction of the step at which the gap of each pair first changes sign by its cubic; 2 where it does not."""
    crosses = jnp.where(active, (later_gap >= 0) & (later_rate > 0), (later_gap < 0) & (later_rate < 0))
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
    remaining = jnp.maximum(horizon - progress.time, 0.0) * (1 + 1e-9) + 1e-12
    # Steps inside a contact move with the parameters, like the events: on a grid that stays, derivatives there would be of the order of
    # the contact acceleration.
    flight = time_to_touch(world, state, active.closed) * BEYOND
    allowed = frozen(flight)
    if world.force is not None:
        allowed = jnp.where(jnp.any(active.closed), graded_step(world, active, gap, rate, fraction), allowed)
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
    chosen = (theta == earliest) & happens
    which = (jnp.arange(len(theta)) == jnp.argmin(theta)).astype(gap.dtype)

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


def rigid_impacts(world: World, state: State, touches: jax.Array) -> State:
    """State after rigid impacts of the pairs that touch, one after the other."""
    normal_law, friction = world.scene.contact.normal, world.scene.contact.friction

    def one(current: State, item: tuple[Pair, jax.Array, jax.Array]) -> tuple[State, None]:
        pair, hits, mass = item
        speed = -((pair.first - pair.second) @ current.velocity) @ pair.normal
        hits = hits & (speed > 0)
        speed = jnp.where(hits, speed, 1.0)
        impulse = mass * (1 + normal_law.restitution_at(speed, mass=mass)) * speed
        before = slip(pair, current)
        change = friction.slip_after(before, impulse / pair.tangential_mass) - before
        after = after_impulse(pair, current, impulse * pair.normal + pair.tangential_mass * change)
        return jax.tree.map(lambda old, new: jnp.where(hits, new, old), current, after), None

    every = each_pair(world, gap_and_normal(world, state.position)[1])
    return jax.lax.scan(one, state, (every, touches, world.inertia.effective_mass))[0]


SLOWEST = 1e-9
"""Least impact speed [m/s], for contacts that begin at rest."""


STEPS_BETWEEN = 8
"""Steps outside contacts, for each contact of the budget: flights, and events that cut a step short."""

FLIGHT_FRACTION = 0.01
"""Longest step of a flight in a fluid, in units of the whole time."""


def simulate_many(scene: Scene, start: State, times: jax.Array, method: EventAligned | Impulse) -> Trajectory:
    """Motion of several spheres at ``times``."""
    rigid = isinstance(method, Impulse)
    fraction = 1.0 if isinstance(method, Impulse) else method.graded_step
    steps = method.max_contacts * (STEPS_BETWEEN + (0 if rigid else math.ceil(3.5 / fraction)))
    if scene.has_fluid:
        steps += math.ceil(1 / FLIGHT_FRACTION)
    longest = FLIGHT_FRACTION * (times[-1] - times[0])
    world = world_of(scene, start.position.shape[0], rigid=rigid)
    horizon = times[-1]
    gap, normal = gap_and_normal(world, start.position)
    overlaps = jax.lax.stop_gradient((gap < 0) & (not rigid))
    closing = jnp.maximum(-gap_rates(world, start.velocity, normal), SLOWEST)
    first = Progress(times[0], start, Active(overlaps, jnp.where(overlaps, closing, 1.0)))

    def moving(progress: Progress) -> Step:
        return next_step(world, progress, horizon, fraction=fraction, longest=longest)

    def idle(progress: Progress) -> Step:
        nothing = jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), jax.eval_shape(moving, progress))
        return nothing._replace(time=progress.time, before=progress.state, after=progress.state)

    def advance(progress: Progress, _: None) -> tuple[Progress, Step]:
        step = jax.lax.cond(progress.time > horizon, idle, moving, progress)
        time = progress.time + step.duration
        if rigid:
            return Progress(time, rigid_impacts(world, step.after, step.touches), progress.active), step
        speed = jnp.where(step.touches, jnp.maximum(-step.rate, SLOWEST), progress.active.impact_speed)
        return Progress(time, step.after, Active((progress.active.closed | step.touches) & ~step.leaves, speed)), step

    last, record = jax.lax.scan(advance, first, None, length=steps)
    at_times = jax.vmap(lambda *columns: evaluate(segments(record, *columns), times), in_axes=1, out_axes=1)
    position, velocity, spin = at_times(*record.before, *record.after)
    status = jnp.where(last.time > horizon, Status.SUCCESS, Status.TOO_FEW_CONTACTS)
    return Trajectory(times, position, velocity, spin, contacts_of(world, record, method.max_contacts, rigid=rigid), status)


def contacts_of(world: World, record: Step, count: int, *, rigid: bool) -> Contacts:
    """The first ``count`` contacts in order of time. Of pairs that touch at the same instant, each step of the scan tells one."""
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
    """Pieces of one body's motion: cubics, exact for a parabola; pieces of no length are moved behind every time of interest."""
    h = record.duration[:, None]
    moves = h > 0
    inverse = jnp.where(moves, 1 / jnp.where(moves, h, 1.0), 0.0)
    mean = (x1 - x0) * inverse
    a0 = (6 * mean - 4 * v0 - 2 * v1) * inverse
    a1 = (2 * v0 + 4 * v1 - 6 * mean) * inverse
    turn = (w1 - w0) * inverse
    start = jnp.where(record.duration > 0, record.time, jnp.inf)
    return Segments(start, start + record.duration, x0, x1, v0, v1, a0, a1, w0, w1, turn, turn)
