"""The steps of a motion of two bodies, found without derivatives.

A step is as long as an estimate of its error allows. Where a sign of the contact changes within
it, the next attempt ends there: its length is one more unknown of Newton's method. In flight no
step goes deeper into the partner than half its size, so that no contact is jumped over.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.pair_contact import PairMemory
from jaxcontact.numerics.radau import FROM, PLAIN, TOWARDS, graded, radau
from jaxcontact.simulation.core.lanes import anywhere, chosen
from jaxcontact.simulation.pair.equations import (
    NO_EVENT,
    Begin,
    Goal,
    System,
    at_nodes,
    linearised,
    place_within,
    rates,
    signs,
)

STAGES = 5

ITERATIONS = 12
"""Of Newton's method in an attempt."""

SOLVED = 1e-11
"""Change of the unknowns, in units of what is large, that ends Newton's method; where rounding does
not let it fall so far, ``ROUNDED`` suffices.
"""
ROUNDED = 1e-8

ATTEMPTS = 4
"""For each step that there is room for."""

BETWEEN = 16
"""Places in a step at which the gap is looked at."""

SHORTEST = 1e-13
"""Share of the whole time below which no step is tried."""


class Steps(NamedTuple):
    """Accepted steps, the first axis; those that are ``used`` come first. ``event`` is the switch
    whose sign is zero at the end, ``switch`` the one that is crossed there: the same one, or one
    whose sign has changed within the step without an effect that would count.
    """

    used: jax.Array
    begin_mode: jax.Array
    event: jax.Array
    switch: jax.Array
    kind: jax.Array
    length: jax.Array
    change: jax.Array


class Found(NamedTuple):
    """The steps; whether they end at the last time, and whether one could not be solved."""

    steps: Steps
    ended: jax.Array
    stuck: jax.Array


class Crossing(NamedTuple):
    """A change of a sign within a step: whether one ``happens``, of which ``switch``, after which
    ``share`` of the step, whether it is the only one, whether the sign ``stays`` negative to the
    end; and whether all signs are ``known`` numbers.
    """

    happens: jax.Array
    switch: jax.Array
    share: jax.Array
    alone: jax.Array
    stays: jax.Array
    known: jax.Array


class Scales(NamedTuple):
    """What is large: speeds [m/s], the size of the smaller sphere [m], and of the flow."""

    speed: jax.Array
    size: jax.Array
    flow: jax.Array


class Search(NamedTuple):
    """The search between two attempts. ``guess`` is the last step: its changes, its length, and
    whether it tells something of the next.
    """

    time: jax.Array
    q: jax.Array
    y: jax.Array
    memory: PairMemory
    length: jax.Array
    event: jax.Array
    fresh: jax.Array
    scales: Scales
    guess: tuple[jax.Array, jax.Array, jax.Array]
    taken: jax.Array
    tries: jax.Array
    stuck: jax.Array
    steps: Steps


def found_steps(
    system: System,
    memory: PairMemory,
    q: jax.Array,
    y: jax.Array,
    *,
    duration: jax.Array,
    room: int,
    tolerance: float,
) -> Found:
    """Steps from ``q`` and ``y`` over the ``duration``, at most ``room``. Nothing of it is
    differentiated.
    """
    s, n = STAGES, y.size
    dtype = y.dtype
    rule = radau(s)
    times, matrices = (jnp.asarray(part, dtype) for part in graded(s, system.contact.grading))
    nodes, last = (jnp.asarray(part, dtype) for part in (rule.nodes, rule.last))
    switches = len(system.contact.switches)
    punctual = jnp.asarray(np.isin(np.arange(switches), system.contact.punctual))
    rounding = float(jnp.finfo(dtype).eps)
    solved, rounded = max(SOLVED, 50 * rounding), max(ROUNDED, 1e4 * rounding)
    tolerance = max(tolerance, 1e3 * rounding)
    shortest = SHORTEST * duration

    def scale_of(scales: Scales) -> jax.Array:
        """What is large, for each number in ``y``."""
        return jnp.concatenate(
            [
                jnp.full(6, scales.speed),
                jnp.full(6, scales.speed / scales.size),
                jnp.full(n - 12, scales.flow),
            ]
        )

    def solve(
        begin: Begin,
        goal: Goal,
        kind: jax.Array,
        guess: jax.Array,
        scale: jax.Array,
        wanted: jax.Array,
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Changes and length of a step, and whether they are solved for."""
        matrix, start = matrices[kind], goal.length
        place = 4 * rounding * jnp.max(jnp.abs(begin.q))

        def going(carry: tuple) -> jax.Array:
            _, _, size, count = carry
            unsolved = (size > solved) & (count < ITERATIONS) & jnp.isfinite(size)
            return wanted & ((count == 0) | unsolved)

        def improve(carry: tuple) -> tuple:
            change, length, old, count = carry
            left, jacobian = linearised(system, begin, goal, change, length, matrix)
            step = jnp.linalg.solve(jacobian, left)
            less, shorter = step[:-1].reshape(s, n), step[-1]
            # positions are rounded, and so is the time [s] at which a gap is zero
            rate = jnp.where(goal.event == 0, jnp.abs(jacobian[-1, -1]), scale[0])
            known = place / jnp.maximum(rate, 1e-8 * scale[0])
            size = jnp.maximum(
                jnp.max(jnp.abs(less) / scale),
                jnp.abs(shorter) / jnp.maximum(jnp.abs(length), shortest + known / rounded),
            )
            # at the floor of rounding it does not fall any more
            size = jnp.where((size < rounded) & (size > 0.3 * old), 0.0, size)
            longest = 2 * jnp.abs(length) + shortest
            length = jnp.clip(length - shorter, -shortest, longest)
            return change - less, length, size, count + 1

        begun = (guess, start, jnp.asarray(jnp.inf, dtype), jnp.asarray(0))
        change, length, size, _ = jax.lax.while_loop(going, improve, begun)
        return change, length, size <= rounded

    def longest_in_flight(now: Search) -> jax.Array:
        """Time until the bodies can be half a size deep in each other; no limit in contact."""
        gap = system.contact.gap(*system.motions(now.q, now.y))
        closing = jnp.linalg.norm(now.y[3:6] - now.y[0:3])
        way = jnp.maximum(gap, 0.0) + now.scales.size / 2
        pull = strongest_pull(system, now.y, now.length)
        root = closing + jnp.sqrt(closing**2 + 2 * pull * way)
        time = 2 * way / jnp.where(root > 0, root, 1.0)
        free = (gap >= 0) & (root > 0)
        return jnp.where(free, jnp.maximum(time, shortest), jnp.inf)

    def grazing(
        begin: Begin, kind: jax.Array, length: jax.Array, change: jax.Array, starts: jax.Array
    ) -> jax.Array:
        """Share of a step after which the sign of the gap changes, seen between the nodes, too;
        infinite where it does not.
        """

        def sign(sigma: jax.Array) -> jax.Array:
            place = place_within(system, begin, change, length, kind, sigma)
            return signs(system, begin, place, begin.y)[0]  # positions alone tell the gap

        def slope(sigma: jax.Array) -> jax.Array:
            return jax.jvp(sign, (sigma,), (jnp.ones_like(sigma),))[1]

        sigma = jnp.linspace(0.0, 1.0, BETWEEN + 2, dtype=dtype)
        found = jax.vmap(sign)(sigma)
        limit = jnp.where(starts, 1e-3 * jnp.max(jnp.abs(found)), 0.0)
        crossed = found[1:-1] < -limit
        after = 1 + jnp.argmax(crossed)
        before, value = found[after - 1], found[after]
        part = jnp.clip(before / jnp.where(before == value, 1.0, before - value), 0, 1)
        seen = (after - 1 + part) / (BETWEEN + 1)
        seen = jnp.where(starts & (before < limit), 0.0, seen)
        # The lowest place between them, by Newton's method.
        low = jnp.clip(jnp.argmin(found), 1, BETWEEN)
        lowest = sigma[low]
        for _ in range(3):
            first, second = jax.jvp(slope, (lowest,), (jnp.ones_like(lowest),))
            step = first / jnp.where(second > 0, second, 1.0)
            lowest = jnp.clip(lowest - step, sigma[low - 1], sigma[low + 1])
        depth = sign(lowest)
        dips = (depth < -limit) & (second > 0)
        ahead = jnp.sqrt(jnp.where(dips, -2 * depth / jnp.where(second > 0, second, 1.0), 0.0))
        dip = jnp.where(dips, jnp.maximum(lowest - ahead, 0.0), jnp.inf)
        seen = jnp.where(jnp.any(crossed), seen, dip)
        power = system.contact.grading
        part = jnp.clip(seen, 0.0, 1.0)
        times_there = jnp.stack([part, part**power, 1 - (1 - part) ** power])[kind]
        return jnp.where(jnp.isfinite(seen), times_there, jnp.inf)

    def first_crossing(
        begin: Begin, goal: Goal, kind: jax.Array, length: jax.Array, change: jax.Array
    ) -> Crossing:
        """The first change of a sign within the step."""
        q = jax.vmap(lambda at: place_within(system, begin, change, length, kind, at))(nodes)
        ends = jnp.vstack([begin.q, q]), jnp.vstack([begin.y, begin.y + change])
        found = jax.vmap(lambda q, y: signs(system, begin, q, y))(*ends)
        own = jnp.arange(switches) == goal.event
        after = found[1:].at[-1].set(jnp.where(own, 1.0, found[-1]))
        largest = jnp.max(jnp.abs(found), axis=0)
        # A sign that starts at zero is known near the start only to the error of the stages.
        starts = jnp.abs(found[0]) < 1e-6 * largest
        negative = after < -jnp.where(starts, 1e-3 * largest, 0.0)
        first = jnp.argmax(negative, axis=0)
        columns = jnp.arange(switches)
        before, value = found[first, columns], found[first + 1, columns]
        at = jnp.concatenate([jnp.zeros((3, 1), dtype), times], axis=1)[kind]
        share = jnp.clip(before / jnp.where(before == value, 1.0, before - value), 0.0, 1.0)
        when = at[first] + share * (at[first + 1] - at[first])
        # Where it has not risen clearly before it is negative, there is no time to aim at.
        when = jnp.where(starts & (before < 1e-3 * largest), 0.0, when)
        when = jnp.where(jnp.any(negative, axis=0), when, jnp.inf)
        if_grazes = grazing(begin, kind, length, change, starts[0])
        grazes = jnp.where(own[0], jnp.inf, if_grazes)
        when = when.at[0].min(grazes)
        earliest = jnp.argmin(when)
        return Crossing(
            happens=jnp.isfinite(when[earliest]),
            switch=earliest,
            share=when[earliest],
            alone=jnp.sum(jnp.isfinite(when)) == 1,
            stays=found[-1, earliest] < 0,
            known=~jnp.any(jnp.isnan(found)),
        )

    def effect_of(
        begin: Begin,
        old: PairMemory,
        new: PairMemory,
        nodes: tuple[jax.Array, jax.Array],
        slopes: jax.Array,
        scales: Scales,
    ) -> jax.Array:
        """Largest rate at the ``nodes`` that a switch from ``old`` to ``new`` changes from
        ``slopes`` [1/s], in units of what is large; infinite where something else that is
        remembered jumps, too.
        """
        crossed = Begin(begin.q, begin.y, new.mode, new.kept)
        differ = jax.vmap(lambda q, y: rates(system, crossed, q, y))(*nodes) - slopes
        jumps = jnp.max(jnp.abs(new.flow - old.flow), initial=0.0) > tolerance * scales.flow
        jumps |= jnp.any(new.kept != old.kept)
        return jnp.where(jumps, jnp.inf, jnp.max(jnp.abs(differ) / scale_of(scales)))

    def predicted(now: Search, kind: jax.Array, length: jax.Array) -> jax.Array:
        """Changes of ``y``, as the parabola through the last nodes of the last step goes on."""
        old, old_length, tells = now.guess
        x = 1 + times[kind] * (length / old_length)
        x0, x1, x2 = nodes[-3], nodes[-2], nodes[-1]
        weights = (
            (x - x1) * (x - x2) / ((x0 - x1) * (x0 - x2)),
            (x - x0) * (x - x2) / ((x1 - x0) * (x1 - x2)),
            (x - x0) * (x - x1) / ((x2 - x0) * (x2 - x1)),
        )
        guess = sum(w[:, None] * row for w, row in zip(weights, old[-3:], strict=True)) - old[-1]
        return jnp.where(tells, guess, 0.0)

    def attempt(now: Search) -> Search:
        left = duration - now.time
        bound = jnp.where(now.event < 0, longest_in_flight(now), jnp.inf)
        length = jnp.minimum(now.length, bound)
        at_end = (now.event < 0) & (length >= left * (1 - 1e-9))
        goal = Goal(now.event, jnp.where(at_end, left, length))
        kind = jnp.where(now.event == 0, TOWARDS, jnp.where(now.fresh, FROM, PLAIN))
        begin = Begin(now.q, now.y, now.memory.mode, now.memory.kept)
        scale = scale_of(now.scales)
        change, length, converged = solve(
            begin, goal, kind, predicted(now, kind, goal.length), scale, going(now)
        )
        q, y = at_nodes(begin, change, length, matrices[kind])
        error = jnp.max(jnp.abs(last @ change) / scale) / tolerance
        error = jnp.where(jnp.isfinite(error), error, jnp.inf)
        crossing = first_crossing(begin, goal, kind, length, change)
        # A sign that starts at zero is zero at the start, too: that is no end of a step.
        returns = (now.event >= 0) & (goal.length > 10 * shortest) & (length < 0.01 * goal.length)
        good = converged & crossing.known & (error <= 1) & (length > -shortest) & ~returns
        switch = jnp.where(now.event >= 0, now.event, crossing.switch)
        within = PairMemory(begin.mode, begin.kept, y[-1, 12:])
        switched = system.contact.crossed(switch, within, *system.motions(q[-1], y[-1]))
        # Where a switch changes next to nothing, as at rest, the step need not end at it.
        slopes = jnp.linalg.solve(matrices[kind], change) / length
        effect = length * effect_of(begin, within, switched, (q, y), slopes, now.scales)
        late = crossing.happens & crossing.alone & ~punctual[crossing.switch] & (now.event < 0)
        late &= effect < tolerance
        crosses = crossing.happens & ~late
        switches = (now.event >= 0) | (late & crossing.stays)
        accepted = good & ~crosses & going(now)
        # An event is aimed at only once the step there is good, or nearly.
        factor = jnp.clip(0.8 * (error + 1e-30) ** (-1 / s), 0.1, 3.0)
        factor = jnp.where(converged, factor, 0.2)
        aims = ~accepted & converged & crosses & (error < 1e4) & (crossing.share > 0)
        aims &= (now.event < 0) | (error <= 1)
        # What was aimed at has led to a later zero of the sign: a plain step goes half the way.
        misses = (now.event == crossing.switch) & (length * crossing.share > 0.9 * goal.length)
        aims &= ~misses
        event = jnp.where(aims, crossing.switch, NO_EVENT)
        again = goal.length * jnp.minimum(factor, 0.5)
        longer = jnp.where(
            now.event >= 0, jnp.maximum(length * factor, 0.1 * now.length), length * factor
        )
        following = jnp.where(accepted, longer, jnp.where(aims, length * crossing.share, again))
        after = jax.tree.map(lambda new, old: jnp.where(switches, new, old), switched, within)
        ended = y[-1].at[12:].set(after.flow)

        crossed = jnp.where(switches, switch, NO_EVENT)
        step = Steps(jnp.asarray(True), begin.mode, now.event, crossed, kind, length, change)
        steps = jax.tree.map(
            lambda column, item: column.at[now.taken].set(
                jnp.where(accepted, item, column[now.taken])
            ),
            now.steps,
            step,
        )
        speed = jnp.maximum(now.scales.speed, relative_speed(y[-1], now.scales.size))
        flow = jnp.maximum(now.scales.flow, jnp.max(jnp.abs(y[:, 12:]), initial=0.0))
        return Search(
            time=jnp.where(accepted, jnp.where(at_end, duration, now.time + length), now.time),
            q=chosen(accepted, q[-1], now.q),
            y=chosen(accepted, ended, now.y),
            memory=chosen(accepted, after, now.memory),
            length=jnp.maximum(following, shortest / 10),
            event=event,
            fresh=chosen(accepted, now.event == 0, now.fresh),
            scales=chosen(accepted, Scales(speed, now.scales.size, flow), now.scales),
            guess=chosen(
                accepted,
                (change, length, (kind == PLAIN) & (now.event < 0)),
                (*now.guess[:2], now.guess[2] & converged),
            ),
            taken=now.taken + accepted,
            tries=now.tries + 1,
            stuck=now.stuck | (~accepted & ~aims & (following <= shortest)),
            steps=steps,
        )

    def going(now: Search) -> jax.Array:
        busy = (now.taken < room) & (now.tries < ATTEMPTS * room)
        return (now.time < duration) & busy & ~now.stuck

    def attempt_if_going(now: Search) -> Search:
        # In lanes, those that are done wait for the others here: left to the loop, each round
        # would copy all steps of all lanes.
        after = attempt(now)
        return chosen(going(now), after, now._replace(steps=after.steps))

    smallest = size_of(system)
    pull = jnp.max(jnp.linalg.norm(system.gravity, axis=-1))
    speed = jnp.maximum(relative_speed(y, smallest), jnp.sqrt(pull * smallest))
    speed = jnp.where(speed > 0, speed, 1.0)
    flow = jnp.maximum(
        jnp.asarray(system.contact.flow_scale, dtype), jnp.max(jnp.abs(y[12:]), initial=0.0)
    )
    blank = Steps(
        jnp.zeros(room, bool),
        jnp.zeros((room, memory.mode.size), memory.mode.dtype),
        jnp.full(room, NO_EVENT),
        jnp.full(room, NO_EVENT),
        jnp.zeros(room, int),
        jnp.ones(room, dtype),
        jnp.zeros((room, s, n), dtype),
    )
    begin = Search(
        time=jnp.zeros((), dtype),
        q=q,
        y=y,
        memory=memory,
        length=0.05 * smallest / speed,
        event=jnp.asarray(NO_EVENT),
        fresh=jnp.asarray(False),
        scales=Scales(speed, smallest, flow),
        guess=(jnp.zeros((s, n), dtype), jnp.ones((), dtype), jnp.asarray(False)),
        taken=jnp.asarray(0),
        tries=jnp.asarray(0),
        stuck=jnp.asarray(False),
        steps=blank,
    )
    found = jax.lax.while_loop(lambda now: anywhere(going(now)), attempt_if_going, begin)
    return Found(found.steps, found.time >= duration, found.stuck)


def size_of(system: System) -> jax.Array:
    """Radius of the smaller sphere [m]."""
    given = [jnp.asarray(radius) for radius in system.contact.radii() if radius is not None]
    return jnp.min(jnp.stack(given))


def strongest_pull(system: System, y: jax.Array, duration: jax.Array) -> jax.Array:
    """A bound of the acceleration of the bodies towards each other in flight [m/s^2], for a
    ``duration``: drag makes none faster, nor does lift, and spins stay.
    """
    speeds = jnp.linalg.norm(y[0:6].reshape(2, 3), axis=-1)
    speeds = speeds + duration * jnp.linalg.norm(system.gravity, axis=-1)
    spins = jnp.linalg.norm(y[6:12].reshape(2, 3), axis=-1)
    zero = jnp.zeros_like(speeds)
    across = jnp.stack([speeds, zero, zero], axis=1), jnp.stack([zero, spins, zero], axis=1)
    by_fluid = system.by_fluid(jnp.concatenate([part.ravel() for part in across]))
    apart = jnp.linalg.norm(system.gravity[1] - system.gravity[0])
    return apart + jnp.sum(jnp.linalg.norm(by_fluid, axis=-1))


def relative_speed(y: jax.Array, size: jax.Array) -> jax.Array:
    """The larger of the speed of the bodies against each other and those of their surfaces by
    spin, at the smaller radius [m/s].
    """
    spins = jnp.linalg.norm(y[6:12].reshape(2, 3), axis=-1)
    return jnp.maximum(jnp.linalg.norm(y[3:6] - y[0:3]), size * jnp.max(spins))
