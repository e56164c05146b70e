"""Several bodies: events in order of time, whatever touches whatever.

A scan over steps. Each step is one flight to the earliest possible touch, one step of the contacts
that are active (``step``), or one long step of contacts that have settled
(``sustained_contacts``). A step of contacts is tried first, and shortened if it lacks too much or
passes a corner of a force. If along it another pair touches, or a contact ends, the step is taken
again up to that event; a last correction carries the exact derivative of the event's time. No step
ever straddles an event. What is asked for at a time inside a contact is found by a shorter step.
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.laws.core.branches import OnBranch
from jaxcontact.numerics.checkpointed_scan import checkpointed_scan
from jaxcontact.numerics.search import found_by, without_derivatives
from jaxcontact.numerics.smooth import Real, safe_norm
from jaxcontact.parameters import is_concrete
from jaxcontact.scene.bodies import Clumps
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.lanes import either, when
from jaxcontact.simulation.core.methods import EventAligned, Impulse
from jaxcontact.simulation.core.status import Status
from jaxcontact.simulation.core.trajectory import Contacts, Trajectory
from jaxcontact.simulation.multibody.advancement import (
    accurate_flight,
    flight_bounds,
    longest_flight,
    motions,
    smaller_radius,
)
from jaxcontact.simulation.multibody.borders import border_ahead
from jaxcontact.simulation.multibody.energy import StepRecord, after_impacts, ledger_of
from jaxcontact.simulation.multibody.loads import Load, expected_load, speed_of_overlap
from jaxcontact.simulation.multibody.outputs import seen_at
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    effective_mass,
    fallen,
    gap_rates,
    geometry,
    oriented,
    world_of,
)
from jaxcontact.simulation.multibody.reversals import (
    Ahead,
    Bracket,
    corners,
    left_of,
    next_length,
    no_bracket,
    no_margin,
    resisted,
    searched,
)
from jaxcontact.simulation.multibody.rigid_impacts import rigid_impact
from jaxcontact.simulation.multibody.step import (
    BEFORE_CORNER,
    NEAR_END,
    SLOWEST,
    Active,
    Stepped,
    held_by_springs,
    no_work,
    normal_forces,
    resists,
    rounding,
    unloaded,
    unrolled,
)
from jaxcontact.simulation.multibody.sustained_contacts import (
    ROUGH_START,
    SHORTEST,
    Interval,
    Slopes,
    Sustained,
    fastest_motion,
    static_overlap,
    sustained_step,
)
from jaxcontact.simulation.multibody.touching_bodies import step_of_contacts
from jaxcontact.simulation.multibody.young_contacts import (
    MORE_STEPS,
    may_begin_together,
    with_shifts,
    young_contacts,
)
from jaxcontact.surfaces import Plane

BEYOND = 1.0 + 1e-6
"""A flight is tried a little farther than to the estimated touch, so that the touch lies within."""

OVERSHOOT = 1e-9
"""The same in units of the remaining time, at most of a second, for pairs that touch already up to
rounding.
"""

POLISHING = 6
"""Tries of a step up to an event; after each but the last its time is corrected."""

CORRECTIONS = 2
"""Corrections of that time which carry its first and second derivative."""

SETTLED, PLACED = 10.0, 1.2
"""Amplitude of the overlap about the static one, in units of it, below which a contact settles: in
units of the accuracy after a motion, since what is left out of one turns into derivatives by its
acceleration, whatever the stiffness; and of what is placed at rest at the start.
"""

STEADY, PLACED_STEADY = 1e-4, 1e-2
"""Rate of the static overlap in units of the fastest motion, as much as is left out of velocities,
up to which a contact settles: after a motion, and what is placed at rest at the start. One that is
less than what an oscillation may leave counts for nothing.
"""

CREEPING = 1e-2
"""Rate of an overlap, in units of the fastest so far, below which a contact may have settled
without ever having turned.
"""

TOUCHES = 1e-6
"""Overlap of rigid bodies at the start that counts as rounding, in units of the radius."""

STEPS_BETWEEN = 8
"""Steps outside contacts, for each contact of the budget: flights, and events that cut a step
short.
"""

SPRINGS_BUDGET = 4
"""Factor of the budget of steps in contacts where springs of rolling begin and cease to slide."""

HYSTERESIS_BUDGET = 6
"""Steps in a contact with hysteresis in units of those in one without: each branch begins and ends
with short ones.
"""

HYSTERESIS_STEP = 0.75
"""Steps in a contact with hysteresis in units of those in one without: adhesion ends with a root,
the hardest end of all.
"""

AT_CORNER, STEPS_TO_CORNER = 1e-3, 10
"""Least length of a step towards a corner, in units of those elsewhere, and how many steps such
corners take: where a force reaches zero before its overlap does, and ends there, or attracts
without friction. Within a step of usual length a corner left velocities off by 1e-6 to 1e-5 of
themselves, and derivatives by 1e-3 to 1e-2.
"""

AT_SWITCH = 2.5e-3
"""Least length of a step in which a spring of friction or of rolling ceases to hold or holds again,
in units of those elsewhere. What it does then works on other springs and other contacts from the
next step on: within a step of usual length that left derivatives off by 1e-4 to 1e-3, within a
hundredth of it by 1.5e-5 (a ball in a groove, whose two springs change eight times); by 2e-6 now.
"""

ENDS_EARLIER = 0.6
"""Time to zero force, in units of that to zero overlap, below which the force reaches zero first: a
force like a power of the overlap ends with it, by the power 3/2 at 2/3.
"""

STEPS_IN_FLIGHT = 128
"""Steps for flights towards curved or moving surfaces and in fluids."""

RIGID_CLUMP_FRACTION = 0.01
"""Longest step of a rigid clump in units of the whole time: impacts of corners that hardly turn are
told apart by short steps.
"""

STEPS_OF_CLUMPS = 256
"""The same beside what turns: some 10 radians."""

UNKNOWN_FLIGHT = 1024
"""Steps for flights beside what moves with periods that are not known before the simulation is
compiled: 20 of them.
"""

FEW_ROUNDINGS = 8.0
"""Shortest motion of a step in a contact, in units of the rounding of a position."""

LARGEST_FLIGHT = 2**16
"""Largest number of steps for flights."""


INEXACT = 5e-5
"""Sum of what the steps of a contact may lack, in units of the fastest impact, above which it has
not the usual accuracy of 1e-6: one as fast then lasts longer or shorter by more than about 7e-6 of
its time scale (3.5 times the power 4/3 of the sum, as measured for Hunt and Crossley's law), its
rebound is off by more than 2e-6 at most; and so are those of contacts with friction that overlap in
time, as measured for three balls in a row and a cube on its edge.
"""

LACK_OF_STEP, LACK_OF_STEP_OF_CLUMPS = (5e-4, 2e-3), (1e-3, 1e-4)
"""What one step may lack, by its own error and because friction and the normal motion alternate in
it, in units of what all steps of a contact may: a few steps, where a contact turns or lets go, lack
most of it. What friction leaves of the slip of spheres is mostly forgotten in the next step; of
clumps it turns the body, and moves the place where it next touches.
"""

FRICTION_MAY_LACK = 0.1
"""How far friction may depart in a step from what its slope at the begin tells, in units of what it
can be at most. A step is linear in the slip: where its error is more than the slip velocity,
friction that sticks would push anywhere.
"""

SHORTEST_SHARE = 1e-4
"""To which share of its usual length a step is shortened at most."""

SAFETY, LEAST_SHORTER = 0.9, 0.1
"""A step that lacks too much is shortened to this share of what would just be enough by its order,
and to this share of itself at a time.
"""

GROWTH = 4.0
"""Factor by which a step may be longer than the one before it in the same contacts. The grading of
steps at touch-down grows by 3.
"""

ERROR_OF_STEP, INEXACT_SUSTAINED = 2.5e-9, 5e-6
"""What one step of sustained contact may lack by its estimate, in units of the fastest motion so
far, and what all of them together may at an accuracy of 1e-6.
"""

STILL = 1e-2
"""Least of the fastest motion, in units of the speed that the largest pull gives over the size of a
body: relative to nothing, nothing is exact.
"""

FIRST_SUSTAINED = 0.1
"""First step of sustained contact, in units of the time in which a body moves by its size."""

SHORTEST_SUSTAINED = 1e-10
"""To which share of that a step is shortened at most: where sliding ends within, what it lacks is
as large as the step.
"""

SHORTENED = 2
"""Budget of steps in a contact in units of those of usual length: some are shortened."""


class Touching(NamedTuple):
    """Contacts between steps.

    Attributes:
        active: as a step sees them.
        settled: whether each contact has settled, ``(pairs,)``.
    """

    active: Active
    settled: jax.Array


class StepCarry(NamedTuple):
    """Where the simulation stands, the longest step in contacts that their last one allows [s],
    infinite where there was none, the fastest motion so far [m/s], the slopes of the last step, and
    what resistances could still hold at its end.
    """

    time: jax.Array
    state: State
    touching: Touching
    longest: jax.Array
    fastest: jax.Array
    slopes: Slopes | None
    margin: jax.Array


class Ends(NamedTuple):
    """Gaps [m] and their rates [m/s] at one end of a step, ``(pairs,)``."""

    gap: jax.Array
    rate: jax.Array


class Tried(NamedTuple):
    """A step as far as it was tried: how it ends, where all pairs are then, and the rates of their
    gaps [m/s].
    """

    end: Sustained
    at: Geometry
    rate: jax.Array

    @property
    def ends(self) -> Ends:
        """Gaps and their rates."""
        return Ends(self.at.gap, self.rate)


class Within(NamedTuple):
    """Lengths of a step [s] between which an event happens: before it and behind it."""

    before: jax.Array
    behind: jax.Array

    def told_by(self, length: jax.Array, happened: jax.Array) -> "Within":
        """Bounds after a step of ``length``, in which the event ``happened`` or did not."""
        return Within(
            jnp.where(happened, self.before, length), jnp.where(happened, length, self.behind)
        )

    def next_to_try(self, better: jax.Array) -> tuple[jax.Array, jax.Array]:
        """The ``better`` length of Newton's method if it lies within, else the middle, from which
        Newton's method starts anew; and whether it is the former, or nothing is left to halve.
        """
        lies_within = (better >= self.before) & (better <= self.behind)
        wide = self.behind - self.before > rounding(better) * self.behind
        middle = (self.before + self.behind) / 2
        return jnp.where(lies_within, better, middle), lies_within | ~wide


class Search(NamedTuple):
    """Search for the length of a step and the event in it: number of tries since the length is
    short enough, the longest step that is, what it lacks in units of what it may, length up to the
    event, bounds of it, the step last tried, the pair whose event it is, and the search for a
    reversal or a corner (``None`` where no contact may last, and no resistance has a corner).
    """

    tries: jax.Array
    longest: jax.Array
    excess: jax.Array
    length: jax.Array
    within: Within
    tried: Tried
    chosen: jax.Array
    reversal: Bracket | None


def steps_in_flight(scene: Scene, bodies: int, times: ArrayLike) -> int:
    """Number of steps for flights over the whole time, up to a power of two; a guess where periods
    are not known yet.
    """
    mass = scene.bodies.mass if scene.springs else ()
    least = STEPS_OF_CLUMPS if isinstance(scene.bodies, Clumps) else STEPS_IN_FLIGHT
    if not (motions(scene) or scene.springs):
        return least
    if not all(map(is_concrete, jax.tree.leaves((motions(scene), scene.springs, mass, times)))):
        return UNKNOWN_FLIGHT
    whole = float(np.asarray(times)[-1] - np.asarray(times)[0])
    with jax.ensure_compile_time_eval():
        inverse_mass = (
            1 / jnp.broadcast_to(jnp.asarray(mass, dtype=float), (bodies,))
            if scene.springs
            else jnp.zeros(bodies)
        )
        steps = whole / float(longest_flight(scene, inverse_mass))
    return min(2 ** math.ceil(math.log2(max(steps, least))), LARGEST_FLIGHT)


def graded_step(
    world: World,
    active: Active,
    gap: jax.Array,
    gap_rate: jax.Array,
    fraction: float,
) -> tuple[jax.Array, ...]:
    """Longest step that resolves every active contact, and what it would be without corners: ``T (2
    sqrt(s) + u ds) ds``, at least ``T ds^2``, with ``ds = fraction``.

    ``s`` is the overlap and ``u`` its rate in units of the impact; the grading makes the motion
    look smooth where it starts like a power 5/2 of time. With hysteresis ``s`` is counted from the
    onset of the branch. Near zero the steps are those in ``y = s^(1/4)`` where these are shorter
    and the law is steep there, as adhesion is, which ends like a root of ``s``. Towards a corner,
    of the force, they become as short as the way there.
    """
    law = world.contact.compliant
    limits = active.closed & ((active.fastest > SLOWEST) | world.has_hysteresis)
    speed = jnp.where(limits, jnp.maximum(active.fastest, SLOWEST), 1.0)
    overlap_scale, time_scale = law.scales(impact_speed=speed, mass=active.mass)
    if world.has_hysteresis:
        fraction = HYSTERESIS_STEP * fraction
    # At touch-down the root would turn the rounding of the gap's derivative into a derivative of
    # the step.
    onset = world.contact.branched.reach(active.normal).onset if world.has_hysteresis else 0.0
    beyond = (-gap - onset) / overlap_scale
    shallow = (1e-3 * fraction) ** 2
    before = beyond < -shallow  # of a branch that goes on below its onset; not by rounding
    overlap, rate = jnp.where(before, -beyond, beyond), jnp.where(before, gap_rate, -gap_rate)
    depth = jnp.sqrt(jnp.where(overlap > shallow, overlap, shallow))
    inwards = rate / speed * fraction
    length = jnp.maximum(fraction, 2 * depth + inwards)
    if world.has_hysteresis or law.is_steep:
        y = jnp.sqrt(depth)
        quartic = 4 * y**3 + 6 * y**2 * inwards + fraction**2 * (4 * y + inwards)
        length = jnp.minimum(length, jnp.maximum(fraction**3, quartic))
    step = usual = time_scale * fraction * length
    is_cut = not world.has_hysteresis and law.ends_at_zero_force
    if is_cut or resists(world):
        least = AT_CORNER * time_scale * fraction
        to_corner = time_to_zero_force(world, active, gap, gap_rate)
        step = jnp.minimum(step, jnp.maximum(BEFORE_CORNER * to_corner, least))
    return tuple(
        jnp.min(jnp.where(limits, each, jnp.inf), initial=jnp.inf) for each in (step, usual)
    )


def passes_corner(world: World, active: Active, before: Ends, after: Ends) -> jax.Array:
    """Whether the force of a contact falls to zero inside a step, or rises from it, where it then
    has a corner: it ends there, or what resists the slip does.
    """
    if world.rigid:
        return jnp.zeros((), dtype=bool)
    is_cut = not world.has_hysteresis and world.contact.compliant.ends_at_zero_force
    if not (is_cut or resists(world) or world.has_memory):
        return jnp.zeros((), dtype=bool)
    pushes = [normal_forces(world, active, end.gap, end.rate) > 0 for end in (before, after)]
    shallow, deep = (order(-before.gap, -after.gap) for order in (jnp.minimum, jnp.maximum))
    inside = active.closed & (active.fastest > SLOWEST) & (shallow > NEAR_END * deep)
    return jnp.any(inside & (pushes[0] != pushes[1]))


def springs_switch(
    world: World, active: Active, before: tuple[Geometry, State], tried: Tried
) -> jax.Array:
    """Whether a spring of friction or of rolling holds at one end of a step and slides at the
    other.
    """
    if world.rigid or not (world.has_memory or world.rolls_on_springs):
        return jnp.zeros((), dtype=bool)
    stepped = tried.end.stepped
    after = active._replace(memory=stepped.memory, rolling=stepped.rolling)
    held = (
        held_by_springs(world, active, *before),
        held_by_springs(world, after, tried.at, stepped.state),
    )
    return jnp.any(active.closed & (held[0] != held[1]))


def time_to_zero_force(
    world: World, active: Active, gap: jax.Array, gap_rate: jax.Array
) -> jax.Array:
    """Time [s] in which the force of each contact that opens falls to zero by its present rate;
    infinite where the overlap ends about then, too.
    """
    force, rate = jax.jvp(
        lambda gap, gap_rate: normal_forces(world, active, gap, gap_rate),
        (gap, gap_rate),
        (gap_rate, normal_forces(world, active, gap, gap_rate) / active.mass),
    )
    falls = (gap_rate > 0) & (force > 0) & (rate < 0)
    remaining = force / jnp.where(falls, -rate, 1.0)
    earlier = falls & (remaining * gap_rate < ENDS_EARLIER * -gap)
    return jnp.where(earlier, remaining, jnp.inf)


def finest_step(world: World, active: Active, state: State) -> jax.Array:
    """Step in which the fastest contact moves by a few roundings of a position; a shorter one might
    not move it at all.
    """
    speed = jnp.max(jnp.where(active.closed, active.fastest, 0.0), initial=SLOWEST)
    least = FEW_ROUNDINGS * float(jnp.finfo(speed.dtype).eps) * extent(world, state)
    return jax.lax.stop_gradient(least / speed)


def extent(world: World, state: State) -> jax.Array:
    """Largest coordinate [m] that a body reaches, whose rounding is that of gaps."""
    return jnp.max(jnp.abs(state.position)) + jnp.max(jnp.asarray(world.bodies.radius))


def touching_at_start(
    world: World, at: Geometry, start: State, time: jax.Array, method: EventAligned | Impulse
) -> Touching:
    """Pairs that overlap at the start, or touch at rest. What approaches and just touches is left
    to touch down.
    """
    moving, mass = gap_rates(world, at, start), effective_mass(world, at, start)
    memory, friction = unloaded(world, at.gap)
    none = jnp.zeros_like(at.gap, dtype=bool)
    gap, rate = jax.lax.stop_gradient((at.gap, moving))
    touches = jnp.abs(gap) <= rounding(gap) * extent(world, start)
    closed = touches & (jnp.abs(rate) <= SLOWEST)
    if world.rigid:
        active = Active(
            closed if method.sustained_steps else none,
            jnp.ones_like(gap),
            jnp.zeros_like(gap),
            mass,
            memory,
            friction,
        )
        return Touching(active, active.closed)
    closed = jnp.where(touches, closed, gap < 0)
    on = begun(world, jnp.maximum(-at.gap, 0.0))
    active = Active(
        closed,
        jnp.zeros_like(gap),
        jnp.ones_like(gap),
        mass,
        memory,
        friction,
        on,
        unrolled(world, at.gap),
    )
    load = expected_load(world, active, start, time)
    deepest = static_overlap(world, active, load.present)
    # By this speed the contact may be damped, so it moves with overlap, mass and load.
    resting = speed_of_overlap(world, jnp.maximum(jnp.where(touches, 0.0, -at.gap), deepest), mass)
    fastest = jnp.maximum(jnp.abs(moving), resting)
    # What just touches at rest has met without a speed, as if after the smallest gap; what overlaps
    # never met.
    met = jnp.where(touches, jnp.maximum(-rate, SLOWEST), jnp.where(rate < 0, -moving, 0.0))
    active = active._replace(
        impact_speed=jnp.where(closed, met, 0.0),
        fastest=jnp.where(closed, fastest, 1.0),
    )
    seen = jax.lax.stop_gradient((active, gap, rate, load, extent(world, start)))
    return Touching(active, settled_of(world, *seen, method, placed=touches))


def is_impossible(world: World, at: Geometry, start: State) -> jax.Array:
    """Whether a centre lies on or behind a surface or in another sphere at the start, or rigid
    bodies overlap.
    """
    gap, deepest = at.gap, smaller_radius(world)
    allowed = TOUCHES * deepest + rounding(gap) * extent(world, start) if world.rigid else deepest
    return jnp.any(gap <= -allowed)


def settled_of(
    world: World,
    active: Active,
    gap: jax.Array,
    rate: jax.Array,
    load: Load,
    largest: jax.Array,
    method: EventAligned | Impulse,
    *,
    placed: Real = False,
) -> jax.Array:
    """Contacts whose overlap is small and hardly oscillates under a ``load`` that is steady, beyond
    the rounding of the ``largest`` coordinate [m]; or about by itself where they are ``placed``.
    """
    if isinstance(method, Impulse) or method.sustained_steps == 0:
        return jnp.zeros_like(active.closed)
    loaded = active.closed & (load.present > 0)
    deepest = static_overlap(world, active, jnp.where(loaded, load.present, 1.0))
    speed = speed_of_overlap(world, deepest, active.mass)
    calm = SETTLED * method.accuracy
    slow = jnp.maximum(jnp.where(placed, PLACED_STEADY, STEADY) * load.fastest, calm * speed)
    steady = loaded & (load.overlap_rate <= slow)
    may = steady & (deepest <= method.rest_overlap * world.extent)
    if world.has_hysteresis:
        return may & cannot_open(world, active, gap, rate, load.present, deepest)
    oscillation = (rate / speed) ** 2 + (-gap / deepest - 1) ** 2
    still = jnp.minimum(calm + rounding(gap) * largest / deepest, PLACED)
    return may & (oscillation <= jnp.where(placed, PLACED, still) ** 2)


def cannot_open(
    world: World,
    active: Active,
    gap: jax.Array,
    rate: jax.Array,
    load: jax.Array,
    deepest: jax.Array,
) -> jax.Array:
    """Contacts with hysteresis, on an elastic branch, whose energy is too small to open again
    against the ``load``.
    """
    law, on = world.contact.branched, active.normal

    def energy(overlap: jax.Array) -> jax.Array:
        return law.energy(on.memory, overlap) - load * overlap

    least = energy(deepest)
    above = active.mass * rate * rate / 2 + energy(-gap) - least
    elastic = jnp.logical_not(law.reach(on).turns) & (law.branch_force(on, -gap) > 0)
    return elastic & (above <= energy(law.end_overlap(on)) - least)


class Watch(NamedTuple):
    """Gaps [m] whose crossing is an event, ``(kinds, pairs)``: begin or end of the contact; with
    hysteresis also the upper and lower end of a branch in overlap, and its turn, which has no gap.

    Attributes:
        gap: to be crossed; infinite where there is none.
        opens: whether it is crossed by a growing gap.
        while_closed: whether it is watched in contact.
        turns: whether a branch ends where the overlap turns, ``(pairs,)``; ``None`` without
            hysteresis.
    """

    gap: jax.Array
    opens: jax.Array
    while_closed: jax.Array
    turns: Any


def watch(world: World, active: Active) -> Watch:
    """What is watched in the next step."""
    closed = active.closed
    if not world.has_hysteresis:
        return Watch(jnp.zeros((1, *closed.shape)), closed[None], closed[None], None)
    law = world.contact.branched
    reach = law.reach(active.normal)
    ends = jnp.where(closed, -law.end_overlap(active.normal), 0.0)
    yes = jnp.ones_like(closed)
    levels = jnp.stack(
        [jnp.broadcast_to(level, closed.shape) for level in (ends, -reach.upper, -reach.lower)]
    )
    return Watch(
        levels, jnp.stack([closed, ~yes, yes]), jnp.stack([closed, yes, yes]), reach.turns & closed
    )


def rising(watched: Watch) -> jax.Array:
    """Whether what ``distances`` tells of each event grows where it happens, ``(kinds, pairs)``."""
    if watched.turns is None:
        return watched.opens
    return jnp.concatenate([watched.opens, jnp.ones_like(watched.opens[:1])])


def gap_acceleration(before: Ends, after: Ends, duration: jax.Array) -> jax.Array:
    """Second derivative of the gaps at the end of a step, by their cubics [m/s^2]; 0 in a step of
    no length.
    """
    lasts = duration > 0
    inverse = jnp.where(lasts, 1 / jnp.where(lasts, duration, 1.0), 0.0)
    return (2 * before.rate + 4 * after.rate - 6 * (after.gap - before.gap) * inverse) * inverse


def distances(
    watched: Watch, before: Ends, after: Ends, duration: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """How far each event is passed at the end of a step, and the rate of that, ``(kinds,
    pairs)``.
    """
    finite = jnp.isfinite(watched.gap)
    passed = jnp.where(finite, after.gap - jnp.where(finite, watched.gap, 0.0), 1.0)
    rate = jnp.broadcast_to(after.rate, passed.shape)
    if watched.turns is None:
        return passed, rate
    return jnp.concatenate([passed, after.rate[None]]), jnp.concatenate(
        [rate, gap_acceleration(before, after, duration)[None]]
    )


def first_events(
    watched: Watch,
    before: Ends,
    after: Ends,
    duration: jax.Array,
    closed: jax.Array,
    kept: jax.Array,
    graze: Real,
) -> jax.Array:
    """Fraction of the step at which each event first happens by the cubics of the gaps, ``(kinds,
    pairs)``; 2 where it does not. Within the step, bodies touch that overlap by more than
    ``graze`` [m].
    """
    finite = jnp.isfinite(watched.gap)
    levels = jnp.where(finite, watched.gap, 0.0)
    first = first_crossing(
        before.gap - levels[0],
        before.rate,
        after.gap - levels[0],
        after.rate,
        duration,
        closed,
        kept,
        graze=graze,
    )
    if watched.turns is None:
        return first[None]
    allowed = closed & ~kept & finite[1:]
    others = [
        first_crossing(
            before.gap - level, before.rate, after.gap - level, after.rate, duration, opens, kept
        )
        for level, opens in zip(levels[1:], watched.opens[1:], strict=True)
    ]
    turned = watched.turns & ~kept & (after.rate > 0)
    fell = before.rate < 0
    theta = jnp.where(
        fell, before.rate / jnp.where(turned & fell, before.rate - after.rate, 1.0), 0.0
    )
    return jnp.stack(
        [first, *jnp.where(allowed, jnp.stack(others), 2.0), jnp.where(turned, theta, 2.0)]
    )


def first_crossing(
    gap: jax.Array,
    rate: jax.Array,
    later_gap: jax.Array,
    later_rate: jax.Array,
    duration: jax.Array,
    closed: jax.Array,
    kept: jax.Array,
    *,
    graze: Real | None = None,
) -> jax.Array:
    """Fraction of the step at which the gap of each pair first changes sign by its cubic; 2 where
    it does not, or is ``kept``. With ``graze`` also what falls deeper than it and rises again.
    """
    crosses = jnp.where(
        closed,
        (later_gap >= 0) & (later_rate > SLOWEST) & ~kept,
        (later_gap < 0) & (later_rate < 0),
    )
    change = later_gap - gap
    cubic = duration * (rate + later_rate) - 2 * change
    square = 3 * change - duration * (2 * rate + later_rate)

    def path(theta: jax.Array) -> tuple[jax.Array, jax.Array]:
        """The gap and its rate at a fraction of the step."""
        value = gap + theta * (duration * rate + theta * (square + theta * cubic))
        return value, duration * rate + theta * (2 * square + theta * 3 * cubic)

    def improved(theta: jax.Array, low: jax.Array, high: jax.Array) -> jax.Array:
        for _ in range(5):
            value, slope = path(theta)
            theta = jnp.clip(theta - value / jnp.where(slope == 0, 1.0, slope), low, high)
        return theta

    # From the end: a pair that has just parted has a root at the start as well.
    ones = jnp.ones_like(gap)
    at_end = jnp.where(crosses, improved(ones, 0 * ones, ones), 2.0)
    if graze is None:
        return at_end
    # What is open may touch and part again within the step: between the turns of the cubic it
    # falls from above zero to below.
    turns = turning_points(duration * rate, square, cubic)
    bends = [jnp.zeros_like(gap), *turns, ones]
    values = [path(bend)[0] for bend in bends]
    first = 2.0 * ones
    for low, high, before, after in zip(
        bends[:-1], bends[1:], values[:-1], values[1:], strict=True
    ):
        falls = ~closed & (before >= 0) & (after < -graze)
        root = improved((low + high) / 2, low, high)
        first = jnp.where(falls, jnp.minimum(first, root), first)
    return jnp.where(first <= 1.0, first, at_end)


def turning_points(
    linear: jax.Array, square: jax.Array, cubic: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Where ``linear x + square x^2 + cubic x^3`` turns, in order, within 0 and 1."""
    discriminant = square * square - 3 * cubic * linear
    bends = discriminant > 0
    root = jnp.sqrt(jnp.where(bends, discriminant, 1.0))
    stable = -(square + jnp.where(square < 0, -root, root))
    ratios = [
        (stable, 3 * cubic),
        (linear, stable),
    ]
    places = [
        jnp.clip(
            jnp.where(bends & (below != 0), above / jnp.where(below != 0, below, 1.0), 0.0),
            0.0,
            1.0,
        )
        for above, below in ratios
    ]
    return jnp.minimum(*places), jnp.maximum(*places)


def quiet(touching: Touching) -> jax.Array:
    """Whether there is a settled contact, and every other closed one carries nothing."""
    closed, settled = touching.active.closed, touching.settled
    idle = touching.active.fastest <= SLOWEST
    return jnp.any(settled) & jnp.all(~closed | settled | idle)


def next_step(
    world: World,
    progress: StepCarry,
    horizon: jax.Array,
    longest_flight: jax.Array,
    method: EventAligned | Impulse,
) -> tuple[StepRecord, StepCarry]:
    """The next step, and where it ends: to an event, or as far as the contacts allow."""
    state, time, touching = progress.state, progress.time, progress.touching
    active = touching.active
    frozen = jax.lax.stop_gradient
    at = geometry(world, state, time)
    gap, rate = at.gap, gap_rates(world, at, state)
    lasts = quiet(touching) if method.sustained_steps else None
    # To beyond the last time, in any precision.
    remaining = (
        jnp.maximum(horizon - time, 0.0)
        + rounding(gap) * (jnp.abs(horizon) + jnp.abs(time))
        + 1e-12
    )
    # Steps inside a contact move with the parameters, like the events: on a grid that stays,
    # derivatives there would be of the order of the contact acceleration.
    bounds = frozen(flight_bounds(world, state, at, rate, time, active.closed))
    beyond = max(OVERSHOOT, rounding(gap)) * frozen(jnp.minimum(remaining, 1.0))
    allowed = jnp.minimum(bounds.touch * BEYOND + beyond, accurate_flight(world, state))
    allowed = jnp.minimum(allowed, longest_flight)
    pull = world.scene.external_acceleration(state.position, state.velocity, state.spin, time)
    pull = frozen(jnp.max(safe_norm(pull)))
    if lasts is not None:
        first = first_sustained(world, fastest_motion(world, state.velocity, state.spin), pull)
        sustained = jnp.where(jnp.isfinite(progress.longest), progress.longest, first)
        allowed = jnp.where(lasts, jnp.minimum(allowed, sustained), allowed)
    young = young_contacts(world, active, gap, rate) if may_begin_together(world) else None
    if isinstance(method, EventAligned):
        resolved, usual = graded_step(world, active, gap, rate, method.graded_step)
        if young is not None:
            resolved = jnp.minimum(resolved, young.longest)
        smallest = finest_step(world, active, state)
        resolved = jnp.maximum(resolved, smallest)
        resolves = jnp.isfinite(resolved) if lasts is None else jnp.isfinite(resolved) & ~lasts
        resolved = jnp.minimum(
            resolved, jnp.minimum(bounds.certain * BEYOND + beyond, longest_flight)
        )
        shortest = jnp.maximum(SHORTEST_SHARE * frozen(usual), smallest)
        until_switch = jnp.maximum(AT_SWITCH * frozen(usual), smallest)
        grows = resolves & (progress.longest < resolved)
        share = progress.longest / jnp.where(grows, resolved, 1.0)
        resolved = resolved * frozen(jnp.where(grows, share, 1.0))
        allowed = jnp.where(resolves, resolved, allowed)
    else:
        resolves, shortest = jnp.zeros((), dtype=bool), jnp.zeros_like(time)
        until_switch = shortest
    controlled = resolves
    if lasts is not None:
        controlled = resolves | lasts
        finest = jnp.maximum(SHORTEST_SUSTAINED * first, rounding(gap) * jnp.abs(time))
        shortest = frozen(jnp.where(lasts, finest, shortest))
    stays = touching.settled
    if isinstance(method, Impulse):
        stays = stays & (rate <= method.rest_speed)
    duration = jnp.minimum(allowed, remaining)
    tried_first = frozen(duration)

    def usual_for(longest: jax.Array) -> jax.Array:
        """Length [s] of a step that is ``longest`` by its error if nothing were ahead: as long as
        that, or as the last steps allow, where what is ahead made it shorter from the start.
        """
        if lasts is None:
            return longest
        cut = lasts & (longest >= tried_first)
        return jnp.where(cut, jnp.maximum(longest, sustained), longest)

    # Compiled as a function of its own: it is traced once for all places that call it.
    @jax.jit
    def after_step(length: jax.Array, longest: jax.Array) -> Tried:
        def in_contact() -> Sustained:
            stepped = step_of_contacts(world, active, state, time, length)
            if young is not None:
                stepped = with_shifts(world, active, state, time, length, young, stepped)
            if lasts is not None:
                stepped = with_memory(active, stepped)
            none = 0.0 * length
            straight = jax.tree.map(jnp.zeros_like, progress.slopes)
            return Sustained(
                stepped, jnp.zeros_like(gap), straight, none, none, none, no_margin(world)
            )

        if lasts is None:
            end = in_contact()
        else:
            interval = Interval(time, length, usual_for(longest))
            end = either(
                lasts,
                lambda: sustained_step(world, active, stays, state, interval),
                in_contact,
            )
        then = geometry(world, end.stepped.state, time + length)
        return Tried(end, then, gap_rates(world, then, end.stepped.state))

    def fastest_until(end: State) -> jax.Array:
        """Fastest motion at the end of a step, or before; what rests moves as fast as a thing would
        that its weight has pulled a little.
        """
        now = fastest_motion(world, end.velocity, end.spin)
        little = STILL * jnp.sqrt(jnp.min(world.extent) * pull)
        return jnp.maximum(progress.fastest, jnp.maximum(now, little))

    def relative_error(end: Sustained, length: jax.Array) -> jax.Array:
        """Of velocities after sustained contact, beyond the rounding of what forces add to them, in
        units of the fastest motion.
        """
        error, slopes, last = end.error, end.slopes, progress.slopes
        if slopes is not None and last is not None:
            bent = fastest_motion(
                world,
                slopes.start_acceleration - last.end_acceleration,
                slopes.start_spin_rate - last.end_spin_rate,
            )
            follows = jnp.asarray(lasts) & jnp.isfinite(progress.longest)
            error = jnp.maximum(error, jnp.where(follows, ROUGH_START * length * bent, 0.0))
        told = frozen(jnp.maximum(error - rounding(gap) * pull * length, 0.0))
        return told / jnp.maximum(fastest_until(end.stepped.state), SLOWEST)

    watched = watch(world, active)
    seen_before = Ends(gap, rate)
    kept = (
        jnp.zeros_like(active.closed)
        if lasts is None
        else jnp.broadcast_to(lasts, active.closed.shape)
    )
    # The corners of a clump in contact graze all the time, by rounding, and so do spheres that have
    # touched and part slowly, in short steps.
    graze = rounding(gap) * frozen(extent(world, state))

    closed = active.closed & controlled
    lasting = active.closed & (False if lasts is None else lasts)
    ahead, border = None, border_ahead(world, at, time, closed, lasting)
    if lasts is not None or corners(world) is not None or border is not None:
        sliding = resisted(world, at, state, closed, lasting, progress.fastest, progress.margin)
        ahead = Ahead(sliding, border)

    def search(seen: Search) -> Search:
        tried = after_step(seen.length, seen.longest)
        ends, longest = tried.ends, seen.longest
        # A step that lacks too much is shortened before any event is looked for.
        excess = excess_lack(world, active, tried.end.stepped, method)
        crosses = resolves & passes_corner(world, active, seen_before, ends)
        switches = resolves & springs_switch(world, active, (at, state), tried)
        if lasts is not None:
            error = relative_error(tried.end, seen.length)
            excess = jnp.where(lasts, error / error_of_step(method), excess)
        excess = jnp.where(seen.tries == 0, excess, seen.excess)
        rough = ((excess > 1.0) | crosses) & (longest > shortest)
        rough = rough | (switches & (longest > until_switch))
        too_long = (seen.tries == 0) & controlled & rough
        reversal, searches = seen.reversal, jnp.zeros((), dtype=bool)
        if ahead is not None and reversal is not None:
            # Where a motion begins, ends or passes a corner of what resists it, or a part of a
            # surface ends, that is looked for.
            left = left_of(world, ahead, tried.at, tried.end, time + seen.length)
            reversal, searches = searched(
                ahead, reversal, left, seen.length, first=seen.tries == 0, too_long=too_long
            )
        share = SAFETY / jnp.cbrt(jnp.maximum(excess, 1.0))
        share = jnp.clip(
            jnp.where(crosses | switches, jnp.minimum(share, 0.5), share), LEAST_SHORTER, SAFETY
        )
        shorter = jnp.maximum(share * longest, shortest)
        if ahead is not None and reversal is not None:
            shorter = jnp.where(searches, next_length(ahead, reversal), shorter)
        too_long = too_long | searches
        theta = first_events(watched, seen_before, ends, longest, active.closed, kept, graze)
        # One at a time, each with the derivative of its own time, even where several happen at the
        # same instant.
        found = (jnp.arange(theta.size).reshape(theta.shape) == jnp.argmin(theta)) & (
            jnp.min(theta) <= 1.0
        )
        which = jnp.where(seen.tries == 0, found, seen.chosen)
        passed, slopes = distances(watched, seen_before, ends, seen.length)
        slope = jnp.sum(jnp.where(which, slopes, 0.0))
        beyond = jnp.sum(jnp.where(which, passed, 0.0))
        better = seen.length - beyond / jnp.where(jnp.abs(slope) > 1e-12, slope, jnp.inf)
        # What has just parted is where it touches, too: the gap falls in a touch, and grows in a
        # lift-off.
        rises = jnp.any(which & rising(watched))
        told = seen.within.told_by(seen.length, jnp.where(rises, beyond > 0, beyond < 0))
        polished, counts = told.next_to_try(better)
        polishes = (seen.tries > 0) & (seen.tries < POLISHING)
        length = jnp.where(
            seen.tries == 0,
            longest * jnp.minimum(jnp.min(theta), 1.0),
            jnp.where(polishes, polished, seen.length),
        )
        whole = Within(jnp.zeros_like(longest), longest)
        within = jax.tree.map(lambda new, old: jnp.where(seen.tries == 0, new, old), whole, told)
        return Search(
            jnp.where(too_long, 0, seen.tries + (counts | ~polishes)),
            jnp.where(too_long, shorter, longest),
            excess,
            jnp.where(too_long, shorter, length),
            within,
            tried,
            which & ~too_long,
            reversal,
        )

    def unfinished(seen: Search) -> jax.Array:
        return (seen.tries == 0) | (jnp.any(seen.chosen) & (seen.tries <= POLISHING))

    nothing = jax.tree.map(
        lambda leaf: jnp.zeros(leaf.shape, leaf.dtype),
        jax.eval_shape(after_step, tried_first, tried_first),
    )

    def searched_for() -> Search:
        begun = Search(
            jnp.asarray(0),
            tried_first,
            jnp.zeros_like(tried_first),
            tried_first,
            Within(jnp.zeros_like(tried_first), tried_first),
            nothing,
            jnp.zeros((len(watched.gap) + (watched.turns is not None), len(gap)), dtype=bool),
            None if ahead is None else no_bracket(ahead, tried_first),
        )
        found = jax.lax.while_loop(unfinished, search, begun)
        reversal = found.reversal
        if reversal is not None:  # what strikes comes first
            chosen = reversal.chosen & ~jnp.any(found.chosen)
            reversal = reversal._replace(chosen=chosen)
        return found._replace(reversal=reversal)

    def left_of_chosen(found: Search, tried: Tried, length: jax.Array) -> jax.Array:
        if ahead is None or found.reversal is None:
            return jnp.zeros_like(found.length)
        left = left_of(world, ahead, tried.at, tried.end, time + length)
        return jnp.sum(jnp.where(found.reversal.chosen, left.excess, 0.0))

    def rate_of_chosen(found: Search) -> jax.Array:
        # Of the step as it is computed, not of the motion, which differs by the error of the step:
        # of what is stiff, that is not small.
        def left(length: jax.Array) -> jax.Array:
            return left_of_chosen(found, after_step(length, found.longest), length)

        along = (found.length,), (jnp.ones_like(found.length),)
        return without_derivatives(lambda: jax.jvp(left, *along)[1])

    # Corrections of the time of the event with the slope of the solution, each of which carries one
    # more derivative, then the step itself: a loop, so that the step is compiled once.
    def derived(found: Search) -> Search:
        chosen, longest, reversal = found.chosen, found.longest, found.reversal
        struck = jnp.any(chosen)
        reverses = jnp.any(False if reversal is None else reversal.chosen)
        none = jnp.zeros_like(longest)
        falls = when(reverses, lambda: rate_of_chosen(found), lambda: none)

        def corrected(
            current: tuple[jax.Array, jax.Array, Tried], correction: jax.Array
        ) -> tuple[tuple[jax.Array, jax.Array, Tried], None]:
            def tried() -> tuple[jax.Array, jax.Array, Tried]:
                length, slope, _ = current
                after = after_step(length, longest)
                passed, slopes = distances(watched, seen_before, after.ends, length)
                here = frozen(jnp.sum(jnp.where(chosen, slopes, 0.0)))
                slope = jnp.where(struck & (correction == 0), here, slope)
                # The speed at which it ends stays what it is, whatever the parameters.
                left = left_of_chosen(found, after, length)
                beyond = jnp.sum(jnp.where(chosen, passed, 0.0)) + left
                # A pair that grazes has hardly a slope.
                slow = jnp.abs(slope) <= 1e-12
                change = (beyond - frozen(beyond)) / jnp.where(slow, jnp.inf, slope)
                return jnp.where(last, length, length - change), slope, after

            last = correction == CORRECTIONS
            return when(struck | reverses | last, tried, lambda: current), None

        # The length that was found; where nothing strikes, it moves with the longest step.
        scaled = duration * (longest / tried_first)
        begin = found.length + jnp.where(struck, 0.0, scaled - frozen(scaled))
        (length, _, tried), _ = jax.lax.scan(
            corrected, (begin, falls, nothing), jnp.arange(CORRECTIONS + 1)
        )
        return found._replace(length=length, tried=tried)

    found = found_by(searched_for, derived)
    length, tried = found.length, found.tried
    chosen, longest, excess = frozen((found.chosen, found.longest, found.excess))
    end, then, rates = tried
    # What a step may lack has no derivatives.
    lacks, error = frozen((end.stepped.lacks, end.error))
    stepped = end.stepped._replace(lacks=lacks)
    end, load = end._replace(stepped=stepped, error=error), end.load
    leaves = chosen[0] & active.closed
    if lasts is not None:
        told = length > SHORTEST * usual_for(longest)
        released = lasts & told & active.closed & (load <= 0) & (rates > SLOWEST)
        if not world.has_hysteresis:
            leaves = leaves | released
    touches = chosen[0] & ~active.closed
    if world.has_hysteresis:
        stepped = stepped._replace(normal=switched(world, stepped.normal, -then.gap, chosen))
    peak = peak_speed(
        Ends(gap, rate), Ends(then.gap, rates), length, rounding(gap) * extent(world, state)
    )
    after = touching_after(
        world,
        touching,
        stepped,
        then,
        frozen(rate),
        rates,
        peak,
        touches,
        leaves,
        time + length,
        method,
    )
    if lasts is not None:
        deepest = static_overlap(world, active, load)
        fastest = (
            speed_of_overlap(world, deepest, active.mass)
            if not world.rigid
            else jnp.zeros_like(gap)
        )
        calm = after.active._replace(
            fastest=jnp.where(lasts & (load > 0), fastest, after.active.fastest)
        )
        after = Touching(
            calm,
            jnp.where(
                lasts & ~jnp.any(touches), touching.settled & ~leaves & ~released, after.settled
            ),
        )
    if border is not None and not world.rigid and found.reversal is not None:
        wakes = border.wakes(frozen(found.reversal.chosen[-1]), end.apart)
        after = after._replace(settled=after.settled & ~wakes)
    repeats = jnp.any(active.closed) | world.turns
    if lasts is not None:
        repeats = repeats & ~lasts
    stored = stored_in(world, time + length, stepped.state, after)
    # As long as what a step lacks, of fourth order in its length, would just allow.
    grows = jnp.minimum(SAFETY / jnp.maximum(excess, GROWTH**-4.0) ** 0.25, GROWTH)
    if lasts is not None:
        controlled = controlled & (quiet(after) == lasts)
    longest = jnp.where(controlled & ~jnp.any(touches), grows * longest, jnp.inf)
    return StepRecord(
        time,
        state,
        length,
        stepped.state,
        touches,
        leaves,
        rates,
        stepped.work,
        lack=stepped.lacks.speed,
        active=active,
        repeats=repeats,
        rests=jnp.zeros((), dtype=bool) if lasts is None else lasts,
        slopes=end.slopes,
        error=relative_error(end, length),
        **stored,
    ), StepCarry(
        time + length,
        stepped.state,
        after,
        longest,
        fastest_until(stepped.state),
        end.slopes,
        frozen(end.margin),
    )


def no_slopes(state: State, method: EventAligned | Impulse) -> Slopes | None:
    """Of a step of other contacts; ``None`` where no contact may last."""
    none = jnp.zeros_like(state.velocity)
    return Slopes(none, none, none, none) if method.sustained_steps else None


def first_sustained(world: World, speed: jax.Array, pull: jax.Array) -> jax.Array:
    """First step of sustained contact [s], at a speed [m/s] and under a pull [m/s^2]."""
    size = jnp.min(world.extent)
    rate = speed + jnp.sqrt(size * pull)
    return jnp.where(rate > 0, FIRST_SUSTAINED * size / jnp.where(rate > 0, rate, 1.0), jnp.inf)


def error_of_step(method: EventAligned | Impulse) -> float:
    """What a step of sustained contact may lack, in units of the fastest motion: it is of fourth
    order in the length of the step, which goes with the inverse of ``sustained_steps``.
    """
    finer = type(method).sustained_steps / method.sustained_steps
    may_lack = ERROR_OF_STEP * max(method.accuracy, 1e-6) / 1e-6 * finer**4
    return max(may_lack, rounding(jnp.zeros(())))


def stored_in(
    world: World, time: jax.Array, state: State, touching: Touching
) -> dict[str, jax.Array]:
    """Energy in the springs of friction (``stored``), in those of rolling (``rolled``), and in
    contacts with hysteresis (``elastic``) [J].
    """
    zero = jnp.zeros((), state.position.dtype)
    if world.rigid or not (world.has_memory or world.rolls_on_springs or world.has_hysteresis):
        return {"stored": zero, "rolled": zero, "elastic": zero}
    at = geometry(world, state, time)
    active = touching.active
    rolled = zero
    if world.rolls_on_springs:
        rolled = jnp.sum(
            jnp.where(
                active.closed, world.contact.rolling_with_memory.energy(active.rolling.memory), 0.0
            )
        )
    return {
        "stored": stored_by_friction(world, active, at),
        "rolled": rolled,
        "elastic": stored_by_hysteresis(world, active, at),
    }


def begun(world: World, overlap: jax.Array) -> OnBranch | None:
    """What contacts that begin at ``overlap`` remember along the normal."""
    if not world.has_hysteresis:
        return None
    law = world.contact.branched
    return law.begun(law.unloaded(len(overlap)), overlap)


def switched(world: World, on: OnBranch, overlap: jax.Array, chosen: jax.Array) -> OnBranch:
    """Branches after an event."""
    switches, falls = jnp.any(chosen[1:], axis=0), jnp.any(chosen[2:], axis=0)
    following = world.contact.branched.switched(on, overlap, falls)
    return jax.tree.map(lambda new, old: jnp.where(switches, new, old), following, on)


def stored_by_hysteresis(world: World, active: Active, at: Geometry) -> jax.Array:
    """Energy that contacts with hysteresis could give back [J]."""
    if not world.has_hysteresis:
        return jnp.zeros((), at.gap.dtype)
    return jnp.sum(
        jnp.where(active.closed, world.contact.branched.energy(active.normal.memory, -at.gap), 0.0)
    )


def with_memory(active: Active, stepped: Stepped) -> Stepped:
    """``stepped`` with what friction remembers, also where the method has no use for it."""
    if stepped.memory is None and active.memory is not None:
        stepped = stepped._replace(memory=active.memory, friction=active.friction)
    return stepped._replace(rolling=active.rolling) if stepped.rolling is None else stepped


def stored_by_friction(world: World, active: Active, at: Geometry) -> jax.Array:
    """Energy in the springs of friction [J]."""
    if not world.has_memory or world.rigid:
        return jnp.zeros((), at.gap.dtype)
    overlap = jnp.where(active.closed & (at.gap < 0), -at.gap, 0.0)
    energy = world.contact.friction_with_memory.energy(
        active.memory, overlap=overlap, effective_radius=world.effective_radius
    )
    return jnp.sum(jnp.where(active.closed, energy, 0.0))


def peak_speed(before: Ends, after: Ends, duration: jax.Array, rounded: jax.Array) -> jax.Array:
    """Largest speed of each gap inside a step [m/s], 0 where it is at an end: that of the parabola
    with the rates at both ends and the change of the gap between them.

    The largest of many ends would change with the steps, and its derivative by a tenth. A change of
    the gap that is ``rounded`` [m] tells nothing: over a tiny duration it is a high speed.
    """
    advance = after.gap - before.gap - duration * (before.rate + after.rate) / 2
    told = (duration > 0) & (jnp.abs(advance) > rounded)
    bend = jnp.where(told, -6 * advance / jnp.where(told, duration, 1.0), 0.0)
    slope = after.rate - before.rate - bend
    at = jnp.where(told, -slope / (2 * jnp.where(told, bend, 1.0)), 0.0)
    inside = (at > 0) & (at < 1)
    at = jnp.where(inside, at, 0.0)
    return jnp.where(inside, jnp.abs(before.rate + at * (slope + at * bend)), 0.0)


def touching_after(
    world: World,
    touching: Touching,
    stepped: Stepped,
    at: Geometry,
    before_rate: jax.Array,
    rate: jax.Array,
    peak: jax.Array,
    touches: jax.Array,
    leaves: jax.Array,
    time: jax.Array,
    method: EventAligned | Impulse,
) -> Touching:
    """Contacts after a step."""
    active = touching.active
    closed = (active.closed | touches) & ~leaves
    impact_speed = jnp.where(touches, jnp.maximum(-rate, SLOWEST), active.impact_speed)
    so_far = jnp.maximum(active.fastest, jnp.maximum(peak, jnp.abs(rate)))
    fastest = jnp.where(touches, impact_speed, so_far)
    mass = active.mass
    if world.turns:
        mass = jnp.where(touches, effective_mass(world, at, stepped.state), mass)
    memory, friction, rolling = stepped.memory, stepped.friction, stepped.rolling
    if not world.rigid:
        begins = ~closed | touches

        def renewed(old: Any, new: Any) -> jax.Array:
            return jnp.where(begins.reshape(-1, *(1,) * (old.ndim - 1)), new, old)

        memory, friction = jax.tree.map(renewed, (memory, friction), unloaded(world, at.gap))
        if world.rolls_on_springs:
            rolling = jax.tree.map(renewed, rolling, unrolled(world, at.gap))
    normal = stepped.normal
    if world.has_hysteresis:
        normal = jax.tree.map(
            lambda new, old: jnp.where(~closed | touches, new, old),
            begun(world, jnp.zeros_like(at.gap)),
            normal,
        )
    after = Active(closed, impact_speed, fastest, mass, memory, friction, normal, rolling)
    if world.rigid or not method.sustained_steps:
        return Touching(after, touching.settled & closed)
    # A contact is judged when it begins, when its overlap turns or its branch changes, and while it
    # creeps: under heavy damping it never turns.
    turns = active.closed & ((before_rate * rate <= 0.0) | (jnp.abs(rate) <= CREEPING * fastest))
    if world.has_hysteresis:
        turns = turns | (active.closed & (normal.branch != active.normal.branch))

    def judged() -> jax.Array:
        load = expected_load(world, after, stepped.state, time)
        largest = extent(world, stepped.state)
        return settled_of(world, after, at.gap, rate, load, largest, method)

    settled = when(
        jnp.any(touches | turns),
        lambda: without_derivatives(judged),
        lambda: touching.settled & closed,
    )
    return Touching(after, settled)


def budget(scene: Scene, world: World, method: EventAligned | Impulse, flight: int) -> int:
    """Number of steps, with ``flight`` for flights that are not closed-form."""
    if method.max_steps is not None:
        return rounded(method.max_steps)
    in_contact = 0
    if isinstance(method, EventAligned):
        law = world.contact.compliant
        in_contact = SHORTENED * (
            math.ceil((3.5 + 0.5 * law.is_steep) / method.graded_step) + STEPS_TO_CORNER
        )
        if may_begin_together(world):
            in_contact += MORE_STEPS
    if world.has_hysteresis:
        in_contact *= HYSTERESIS_BUDGET
    if world.rolls_on_springs:
        in_contact *= SPRINGS_BUDGET
    steps = method.contact_budget * (STEPS_BETWEEN + in_contact)
    flat = all(isinstance(surface, Plane) and surface.motion is None for surface in scene.surfaces)
    if method.sustained_steps or world.turns or scene.has_fluid or scene.springs or not flat:
        steps += flight
    return rounded(steps + method.sustained_steps)


def rounded(steps: int) -> int:
    """``steps``, up to a multiple of about their square root: a checkpointed scan then compiles its
    body once.
    """
    side = max(1, math.isqrt(steps))
    return side * math.ceil(steps / side)


def simulate_many(
    scene: Scene,
    start: State,
    times: jax.Array,
    method: EventAligned | Impulse,
    *,
    flight: int,
    ledger: bool = False,
) -> Trajectory:
    """Motion of several bodies at ``times``, with ``flight`` steps for flights that are not
    closed-form (``steps_in_flight``).
    """
    rigid = isinstance(method, Impulse)
    world = world_of(scene, start.position.shape[0], rigid=rigid)
    start = oriented(world, start)
    horizon = times[-1]
    whole = jax.lax.stop_gradient(times[-1] - times[0])
    longest = longest_flight(scene, world.inverse_mass)
    if world.turns and rigid:
        longest = jnp.minimum(longest, RIGID_CLUMP_FRACTION * whole)
    at_start = geometry(world, start, times[0])
    touching = touching_at_start(world, at_start, start, times[0], method)
    first = StepCarry(
        times[0],
        start,
        touching,
        jnp.asarray(jnp.inf, whole.dtype),
        fastest_motion(world, start.velocity, start.spin),
        no_slopes(start, method),
        no_margin(world),
    )

    def moving(progress: StepCarry) -> tuple[StepCarry, StepRecord]:
        step, after = next_step(world, progress, horizon, longest, method)
        if isinstance(method, Impulse):
            time, state, touching = after[:3]
            state, spent, struck = rigid_impact(world, state, time, step.touches)
            step = step._replace(touches=struck, work=jax.tree.map(jnp.add, step.work, spent))
            # Too slow to bounce: it stays.
            stays = struck & (-step.rate <= method.rest_speed) & (method.sustained_steps > 0)
            active = touching.active._replace(closed=(touching.active.closed & ~struck) | stays)
            after = after._replace(state=state, touching=Touching(active, active.closed))
        return after, step

    def idle(progress: StepCarry) -> tuple[StepCarry, StepRecord]:
        return progress, standstill(world, progress)

    def advance(progress: StepCarry, _: None) -> tuple[StepCarry, StepRecord]:
        return when(progress.time <= horizon, lambda: moving(progress), lambda: idle(progress))

    last, record = checkpointed_scan(
        advance, first, None, length=budget(scene, world, method, flight)
    )
    touches = jnp.sum(record.touches)
    record = jax.tree.map(
        lambda column, end: jnp.concatenate([column, end[None]]),
        record,
        extrapolated(world, last, horizon),
    )
    seen = seen_at(world, record, times)
    rests = jnp.any(record.rests) | jnp.any(last.touching.settled)
    status = jnp.where(rests, Status.CAME_TO_REST, Status.SUCCESS)
    if rigid:
        together = jnp.any(jnp.sum(record.touches, axis=1) > 1)
        status = jnp.where(together, Status.SIMULTANEOUS_IMPACTS, status)
    inexact = largest_lack(record) > allowed_lack(method.accuracy, last.time.dtype)
    inexact = inexact | (jnp.sum(record.error) > INEXACT_SUSTAINED * method.accuracy / 1e-6)
    status = jnp.where(inexact, Status.INEXACT_STEPS, status)
    arrives = last.time > horizon
    status = jnp.where(arrives, status, Status.TOO_FEW_STEPS)
    too_many = (touches > method.contact_budget) | (~arrives & (touches == method.contact_budget))
    status = jnp.where(too_many, Status.TOO_FEW_CONTACTS, status)
    status = jnp.where(is_impossible(world, at_start, start), Status.IMPOSSIBLE_START, status)
    contacts = contacts_of(world, record, method.contact_budget, rigid=rigid)
    return Trajectory(
        times,
        seen.position,
        seen.velocity,
        seen.spin,
        contacts,
        status,
        seen.orientation,
        ledger_of(world, record) if ledger else None,
    )


def excess_lack(
    world: World, active: Active, stepped: Stepped, method: EventAligned | Impulse
) -> jax.Array:
    """What relative velocities lack after one step, in units of what they may."""
    told = stepped.lacks
    precision = told.speed.dtype
    fastest = jnp.max(jnp.where(active.closed, active.fastest, 0.0), initial=SLOWEST)
    of_all = fineness(world, method) ** 3 * allowed_lack(max(method.accuracy, 1e-6), precision)
    shares = LACK_OF_STEP_OF_CLUMPS if world.turns else LACK_OF_STEP
    lacks = told.speed - told.by_split, told.by_split
    rounded = rounding(told.speed)
    excess = [
        lack / (fastest * max(share * of_all, rounded))
        for lack, share in zip(lacks, shares, strict=True)
    ]
    excess.append(told.by_friction / FRICTION_MAY_LACK)
    return jnp.max(jnp.stack(excess), initial=0.0)


def fineness(world: World, method: EventAligned | Impulse) -> float:
    """Length of steps in contacts in units of the usual one, at most 1. What a step may lack goes
    with its third power: else steps that lack too much would be as long as ever, and the error of a
    simulation with shorter steps as large.

    1 for clumps, whose steps may lack little in any case: where two corners touch at one instant,
    steps that are shortened by leaps differ between the two orders in which that can be taken, and
    with them the derivatives (by 2e-6 for a cube on its edge).
    """
    if isinstance(method, Impulse) or world.turns:
        return 1.0
    return min(1.0, method.graded_step / type(method).graded_step)


def allowed_lack(accuracy: float, precision: np.dtype) -> float:
    """What ``largest_lack`` may be: its power 4/3 goes with the error."""
    rounded = 64 * float(jnp.finfo(precision).eps)
    return max(INEXACT * (accuracy / 1e-6) ** 0.75, rounded)


def largest_lack(record: StepRecord) -> jax.Array:
    """The largest of all contacts: sum over their steps, in units of the fastest impact."""
    # As for steps: a contact that is held and hardly moves has the speed that goes with its load.
    fastest = jnp.max(jnp.where(record.active.closed, record.active.fastest, 0.0), initial=SLOWEST)
    total = jnp.cumsum(record.lack, axis=0)
    at_begin = jax.lax.cummax(jnp.where(record.touches, total, 0.0), axis=0)
    return jax.lax.stop_gradient(jnp.max(total - at_begin, initial=0.0) / fastest)


def standstill(world: World, progress: StepCarry) -> StepRecord:
    """A step of no length, in which nothing happens."""
    none = jnp.zeros_like(progress.touching.active.closed)
    return StepRecord(
        time=progress.time,
        before=progress.state,
        duration=jnp.zeros_like(progress.time),
        after=progress.state,
        touches=none,
        leaves=none,
        rate=jnp.zeros_like(progress.touching.active.fastest),
        work=no_work(world, progress.state.position),
        lack=jnp.zeros_like(progress.touching.active.fastest),
        active=progress.touching.active,
        repeats=jnp.zeros((), dtype=bool),
        rests=jnp.zeros((), dtype=bool),
        slopes=jax.tree.map(jnp.zeros_like, progress.slopes),
        error=jnp.zeros_like(progress.time),
        **stored_in(world, progress.time, progress.state, progress.touching),
    )


def extrapolated(world: World, last: StepCarry, horizon: jax.Array) -> StepRecord:
    """What the budget of steps left over: parabolas to the horizon, without rotation, which stay
    finite however long they are.
    """
    duration = jnp.maximum(horizon - last.time, 0.0)
    state = last.state
    acceleration = world.scene.external_acceleration(
        state.position, state.velocity, state.spin, last.time
    )
    after = fallen(state, acceleration, duration)
    return standstill(world, last)._replace(duration=duration, after=after)


def contacts_of(world: World, record: StepRecord, count: int, *, rigid: bool) -> Contacts:
    """The first ``count`` contacts in order of time."""
    pairs = record.touches.shape[1]
    begins = jnp.nonzero(jnp.ravel(record.touches), size=count, fill_value=-1)[0]
    entries, pair = begins // pairs, begins % pairs
    touch_down = record.time[entries] + record.duration[entries]
    later = jnp.arange(len(record.time)) > entries[:, None]
    leaves = later & record.leaves[:, pair].T
    end = jnp.argmax(leaves, axis=1)
    ended = jnp.any(leaves, axis=1)
    which = jax.nn.one_hot(pair, len(world.pairs.surface), dtype=touch_down.dtype)
    speed = -jnp.sum(record.rate[entries] * which, axis=1)
    if rigid:
        begun = jax.tree.map(lambda column: column[entries], after_impacts(record))
        rates = jax.vmap(lambda state, time: gap_rates(world, geometry(world, state, time), state))
        lift_off = touch_down
        rebound = jnp.sum(rates(begun, touch_down) * which, axis=1)
    else:
        lift_off = jnp.where(ended, record.time[end] + record.duration[end], jnp.inf)
        rebound = jnp.where(ended, jnp.sum(record.rate[end] * which, axis=1), 0.0)
    bodies = [
        jnp.where(jnp.any(side, axis=1), jnp.argmax(side, axis=1), -1)
        for side in (world.pairs.first, world.pairs.second)
    ]
    happened = entries >= 0
    return Contacts(
        happened,
        touch_down,
        lift_off,
        speed,
        rebound,
        jnp.asarray(world.pairs.surface)[pair],
        bodies[0][pair],
        bodies[1][pair],
    )
