"""Springs of friction and of rolling within a step, along a normal motion that is known already.

The law takes ``SMALL_STEPS`` small steps, so that a stiff spring is resolved much finer than by the
steps of the motion, at the cost of the law alone. Each small step has two parts. They meet where
holding turns to sliding or back, if it does so there, or else where a spring that remembers how
stiff it was begins to unload: that instant moves with the parameters, and no part has a corner
inside. The impulse is that of the trapezoidal rule.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.interpolation import cubic

LOAD_TIMES = np.linspace(0.0, 1.0, 5)
"""Fractions of a step at which the normal force is evaluated."""

TO_TERMS = np.linalg.inv(np.vander(LOAD_TIMES, increasing=True))
"""From values at these fractions to the coefficients of the polynomial through them."""

POWERS = np.arange(1.0, len(LOAD_TIMES) + 1)[:, None]
"""Of its terms, once integrated."""

SMALL_STEPS = 8
"""Of two parts each, in each step of the motion."""

SHORTEST_PART = 1e-6
"""Of a small step."""

NO_OVERLOAD = 1e-9
"""Of a slider, in units of its largest limit."""

SURELY = 0.5
"""Part of its limit at which what slides is surely not found holding, with its dashpot, by rounding
and extrapolation, or where the limit falls faster than what it would bear.
"""

SHORT = 1e-3
"""Part of a small step whose overload tells whether a slider goes on."""


class Along(NamedTuple):
    """The normal motion of each pair in a step, as springs see it.

    Attributes:
        gap: at a fraction of the step, ``(pairs,)`` [m].
        load: coefficients of the normal force, a polynomial in the fraction of the step [N],
            ``(terms, pairs)``.
        least_load, largest_load: [N], ``(pairs,)``.
        duration: of the step, or 1 where it takes no time [s].
        takes_time: whether it takes any.
    """

    gap: Callable[[jax.Array], jax.Array]
    load: jax.Array
    least_load: jax.Array
    largest_load: jax.Array
    duration: jax.Array
    takes_time: jax.Array

    def normal_force(self, at: jax.Array) -> jax.Array:
        """At a fraction of the step, ``(pairs,)`` [N]. What presses all the time does so to the
        end: a polynomial rounded to no load would end a dashpot before the contact.
        """
        value = polynomial(self.load, at)
        rounded = (self.least_load > 0) & (value <= 0)
        frozen = jax.lax.stop_gradient
        return jnp.where(rounded, frozen(self.least_load) + (value - frozen(value)), value)

    def gap_rate(self, at: jax.Array) -> jax.Array:
        """Rate of the gap at a fraction of the step, ``(pairs,)`` [m]: over its duration."""
        return jax.jvp(self.gap, (at,), (jnp.ones_like(at),))[1]

    def impulse_share(self, at: jax.Array) -> jax.Array:
        """Part of the normal impulse of the step until then, ``(pairs,)``."""
        impulse = at * polynomial(self.load / POWERS, at)
        whole = jnp.sum(self.load / POWERS, axis=0)
        return jnp.where(whole > 0, impulse / jnp.where(whole > 0, whole, 1.0), at)


def polynomial(coefficients: jax.Array, at: jax.Array) -> jax.Array:
    """``c_0 + c_1 x + ...``, with the coefficients along axis 0."""
    value = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        value = coefficient + at * value
    return value


def normal_motion(
    force: Callable[[jax.Array, jax.Array], jax.Array],
    gaps: tuple[jax.Array, jax.Array],
    rates: tuple[jax.Array, jax.Array],
    duration: jax.Array,
) -> Along:
    """With the given gaps [m] and their rates [m/s] at the ends of a step: the gap is a cubic, and
    the load is the ``force(gap, rate)`` along it. A parabola through the loads at the ends would
    lack too much where a contact begins or ends.
    """
    # An event may take no time at all; a law with a dashpot divides by the time step.
    takes_time = duration > 0
    usable = jnp.where(takes_time, duration, 1.0)

    def gap(at: jax.Array) -> jax.Array:
        return cubic(at, duration, *gaps, *rates)

    def load(at: jax.Array) -> jax.Array:
        here, slope = jax.jvp(gap, (at,), (jnp.ones_like(at),))
        return force(here, jnp.where(takes_time, slope / usable, rates[0]))

    times = jnp.broadcast_to(LOAD_TIMES[:, None], (len(LOAD_TIMES), *gaps[0].shape))
    loads = jax.vmap(load)(times.astype(gaps[0].dtype))
    terms = jnp.tensordot(TO_TERMS.astype(loads.dtype), loads, axes=1)
    least, largest = jnp.min(loads, axis=0), jnp.maximum(jnp.max(loads, axis=0), 0.0)
    return Along(gap, terms, least, largest, usable, takes_time)


class Node(NamedTuple):
    """Springs within a step.

    Attributes:
        at: fraction of the step, ``(pairs,)``.
        memory: of the law.
        force: at ``at``, ``(pairs, 3)``: force [N] or torque [N m].
        impulse: from the beginning of the step to ``at``, ``(pairs, 3)``.
    """

    at: jax.Array
    memory: Any
    force: jax.Array
    impulse: jax.Array


class Spring(NamedTuple):
    """A law with memory, along a step.

    Attributes:
        law: with ``after_step`` and ``overload``.
        bound: the same law where contacts ``(pairs,)`` hold whatever they bear, and slide at a part
            of their limit.
        seen: what the law sees of the normal motion at a fraction of the step: its keywords.
        rate: slip velocity [m/s] or rolling [rad/s], ``(pairs, 3)``, at a fraction of the step,
            after the impulse so far.
        limit: the largest of the slider in the step, ``(pairs,)``.
        closed: whether there is a contact, ``(pairs,)``.
        unloading: what is positive, at a fraction of the step, where a spring unloads that
            remembers how stiff it was, ``(pairs,)``; ``None`` for others.
    """

    law: Any
    bound: Callable[[jax.Array, jax.Array | float], Any]
    seen: Callable[[jax.Array], dict[str, jax.Array]]
    rate: Callable[[jax.Array, jax.Array], jax.Array]
    limit: jax.Array
    closed: jax.Array
    unloading: Callable[[jax.Array], jax.Array] | None


def spring_through(spring: Spring, memory: Any, force: jax.Array, duration: jax.Array) -> Node:
    """At the end of a step of ``duration`` > 0 that begins with ``memory`` and ``force``."""
    law, seen, rate = spring.law, spring.seen, spring.rate
    closed = spring.closed[:, None]
    least = jax.lax.stop_gradient(NO_OVERLOAD * spring.limit)
    rounding = float(jnp.finfo(spring.limit.dtype).eps)

    def moved(
        rule: Any, memory: Any, begin: jax.Array, to: jax.Array, increment: jax.Array
    ) -> tuple[jax.Array, Any]:
        """Force and memory after the ``increment`` between two fractions of the step."""
        force, memory = rule.after_step(
            memory, increment, time_step=(to - begin) * duration, **seen(to)
        )
        return jnp.where(closed, force, 0.0), memory

    def now(holds: jax.Array, memory: Any, at: jax.Array, rate: jax.Array) -> jax.Array:
        """Force at the fraction ``at`` of what ``holds`` or slides: after an instant. A dashpot
        resists the present rate, not the mean one.
        """
        time_step = rounding * duration * jnp.ones_like(at)

        def at_share(share: float) -> jax.Array:
            return spring.bound(holds, share).after_step(
                memory, time_step[:, None] * rate, time_step=time_step, **seen(at)
            )[0]

        # What slides bears its limit beside what does not depend on it.
        unlimited = at_share(0.0)
        force = unlimited + (at_share(SURELY) - unlimited) / SURELY
        return jnp.where(closed, jnp.where(holds[:, None], unlimited, force), 0.0)

    def passed(node: Node, to: jax.Array) -> jax.Array:
        """Slip [m] or rolling [rad] from ``node`` to the fraction ``to``, by the rate in the
        middle.
        """
        time = (to - node.at)[:, None] * duration
        return time * rate((node.at + to) / 2, node.impulse + time / 2 * node.force)

    def rate_after(node: Node, to: jax.Array, force: jax.Array) -> jax.Array:
        time = (to - node.at)[:, None] * duration
        return rate(to, node.impulse + time / 2 * (node.force + force))

    def growth(memory: Any, present: jax.Array, at: jax.Array, length: jax.Array) -> jax.Array:
        """Overload of a slider that is just at its limit, if it held for a ``SHORT`` part of
        ``length``.
        """
        holds, to = spring.bound(jnp.ones_like(spring.closed), 1.0), at + SHORT * length
        held = moved(holds, memory, at, to, ((to - at) * duration)[:, None] * present)[1]
        return law.overload(held, present, **seen(to)) - law.overload(memory, present, **seen(at))

    def corner(begin: jax.Array, to: jax.Array) -> jax.Array:
        """Part of a small step after which unloading begins or ends; half where it does not."""
        if spring.unloading is None:
            return 0.5 * jnp.ones_like(to)
        before, after = spring.unloading(begin), spring.unloading(to)
        turns = before * after < 0
        return jnp.where(turns, before / jnp.where(turns, before - after, 1.0), 0.5)

    def part(node: Node, end: tuple[jax.Array, jax.Array]) -> tuple[Node, None]:
        """The node at the fraction ``to``, in which it ``holds`` or slides all the time. The memory
        of a spring that slides with its dashpot is one of backward Euler: extrapolated.
        """
        to, holds = end
        length = to - node.at
        # The force jumps with a dashpot that acts only while the spring holds.
        at_start = rate(node.at, node.impulse)
        node = node._replace(force=now(holds, node.memory, node.at, at_start))
        increment, middle = passed(node, to), (node.at + to) / 2
        mean, once = moved(law, node.memory, node.at, to, increment)
        _, twice = moved(
            law,
            moved(law, node.memory, node.at, middle, increment / 2)[1],
            middle,
            to,
            increment / 2,
        )
        memory = jax.tree.map(lambda fine, coarse: 2 * fine - coarse, twice, once)
        force = now(holds, memory, to, rate_after(node, to, mean))
        impulse = node.impulse + length[:, None] * duration / 2 * (node.force + force)
        return Node(to, memory, force, impulse), None

    def small_step(node: Node, index: jax.Array) -> tuple[Node, None]:
        to = jnp.full_like(spring.limit, (index + 1.0) / SMALL_STEPS)
        length = to - node.at
        present = rate(node.at, node.impulse)
        at_start = law.overload(node.memory, present, **seen(node.at))
        # A slider without a dashpot slides at no overload but that of rounding.
        holds = at_start < -least
        # What holds is followed as if it held for ever.
        mean, memory = moved(spring.bound(holds, 1.0), node.memory, node.at, to, passed(node, to))
        later = rate_after(node, to, mean)
        at_end = law.overload(memory, later, **seen(to))
        # What slides without a dashpot holds again where its limit grows faster than what it bears.
        # Its overload does not tell: it is 0 until then, and also beyond, as long as what slid
        # before outweighs it.
        at_limit = jnp.abs(at_start) <= least
        first = jnp.where(at_limit, growth(node.memory, present, node.at, length), at_start)
        last = jnp.where(at_limit, growth(memory, later, to, length), at_end)
        switches = jnp.where(at_limit, last < 0, holds != (at_end < -least))
        crosses = switches & (first * last < 0)
        share = jnp.where(crosses, first / jnp.where(crosses, first - last, 1.0), 0.0)
        share = jnp.clip(
            jnp.where(switches, share, corner(node.at, to)), SHORTEST_PART, 1 - SHORTEST_PART
        )
        return jax.lax.scan(
            part,
            node,
            (
                jnp.stack([node.at + share / SMALL_STEPS, to]),
                jnp.stack([holds, holds != switches]),
            ),
        )[0], None

    begin = Node(jnp.zeros_like(spring.limit), memory, force, jnp.zeros_like(force))
    return jax.lax.scan(small_step, begin, jnp.arange(SMALL_STEPS, dtype=duration.dtype))[0]
