"""The steps that a search has found, once more, with derivatives.

At a solution, Newton's method with its Jacobian there, held constant, has as its first iterate the
first derivative of the solution (the theorem of implicit functions), as its second one the second.
So two iterations per step carry the derivatives of the motion, and of the times of its events.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.pair_contact import PairMemory
from jaxcontact.numerics.radau import FROM, TOWARDS, graded, radau
from jaxcontact.simulation.core.lanes import when
from jaxcontact.simulation.pair.equations import (
    Begin,
    Goal,
    System,
    linearised,
    place_within,
    rates,
    residual,
)
from jaxcontact.simulation.pair.search import STAGES, Steps

CORRECTIONS = 2


class Replayed(NamedTuple):
    """Each step as it begins, its length and changes, and the state after it."""

    time: jax.Array
    begin: Begin
    length: jax.Array
    change: jax.Array
    end_time: jax.Array
    end_q: jax.Array
    end_y: jax.Array


def replayed(
    system: System,
    memory: PairMemory,
    q: jax.Array,
    y: jax.Array,
    duration: jax.Array,
    steps: Steps,
) -> Replayed:
    """The motion over the ``steps`` from ``q`` and ``y``; the last of those that are used ends
    after the ``duration``.
    """
    matrices = jnp.asarray(graded(STAGES, system.contact.grading).matrices, y.dtype)
    following = jnp.append(steps.used[1:], False)

    def step(
        carry: tuple[jax.Array, jax.Array, jax.Array, jax.Array],
        item: tuple[Steps, jax.Array],
    ) -> tuple[tuple, Replayed]:
        time, q, y, kept = carry
        found, more = item
        begin = Begin(q, y, found.begin_mode, kept)
        matrix = matrices[found.kind]
        last = ~more & (found.event < 0)
        goal = Goal(found.event, jnp.where(last, duration - time, found.length))

        def follow() -> tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array]:
            frozen = jax.lax.stop_gradient((system, begin, goal))
            jacobian = linearised(*frozen, found.change, found.length, matrix)[1]
            factors = jax.scipy.linalg.lu_factor(jacobian)

            def correct(
                unknown: tuple[jax.Array, jax.Array], _: None
            ) -> tuple[tuple[jax.Array, jax.Array], None]:
                change, length = unknown
                left = residual(system, begin, goal, change, length, matrix)
                less = jax.scipy.linalg.lu_solve(factors, left)
                return (change - less[:-1].reshape(change.shape), length - less[-1]), None

            (change, length), _ = jax.lax.scan(
                correct, (found.change, found.length), None, length=CORRECTIONS
            )
            end_y = y + change[-1]
            end_q = q + length * (matrix[-1] @ (y + change)[:, :6])
            before = PairMemory(found.begin_mode, kept, end_y[12:])
            after = system.contact.crossed(found.switch, before, *system.motions(end_q, end_y))
            switches = found.switch >= 0
            flow = jnp.where(switches, after.flow, end_y[12:])
            later = jnp.where(switches, after.kept, kept)
            return length, change, end_q, end_y.at[12:].set(flow), later

        stays = jnp.zeros_like(time), jnp.zeros_like(found.change), q, y, kept
        length, change, end_q, end_y, later = when(found.used, follow, lambda: stays)
        moved = Replayed(time, begin, length, change, time + length, end_q, end_y)
        return (time + length, end_q, end_y, later), moved

    begin = (jnp.zeros_like(duration), q, y, memory.kept)
    return jax.lax.scan(step, begin, (steps, following))[1]


def motion_at(
    system: System, moved: Replayed, steps: Steps, times: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Positions ``(times, 6)`` and velocities and spins ``(times, 12)`` at ``times`` since the
    start, with two derivatives.

    The place within a step is held; what a derivative moves the time of this place away from the
    time that is asked for, the motion makes up for.
    """
    power = system.contact.grading
    rule = radau(STAGES)
    orders = jnp.arange(STAGES + 1)
    ends = jnp.where(steps.used, moved.end_time, jnp.inf)
    number = jnp.sum(steps.used)

    def at(time: jax.Array) -> tuple[jax.Array, jax.Array]:
        index = jnp.clip(jnp.searchsorted(jax.lax.stop_gradient(ends), time), 0, number - 1)
        begun, begin, length, change, kind = jax.tree.map(
            lambda column: column[index],
            (moved.time, moved.begin, moved.length, moved.change, steps.kind),
        )
        share = jax.lax.stop_gradient((time - begun) / jnp.where(length > 0, length, 1.0))
        share = jnp.clip(share, 0.0, 1.0)
        sigma = jnp.where(
            kind == FROM,
            share ** (1 / power),
            jnp.where(kind == TOWARDS, 1 - (1 - share) ** (1 / power), share),
        )
        polynomial = sigma**orders @ jnp.asarray(rule.powers, time.dtype)
        y = begin.y + polynomial @ change
        q = place_within(system, begin, change, length, kind, sigma)
        after = time - (begun + share * length)  # zero, but for rounding and derivatives
        return forward(system, begin, q, y, after)

    return jax.vmap(at)(times)


def forward(
    system: System, begin: Begin, q: jax.Array, y: jax.Array, time: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The motion a little ``time`` later, by its Taylor polynomial of second order."""

    def slope(q: jax.Array, y: jax.Array) -> jax.Array:
        return rates(system, begin, q, y)

    rate = slope(q, y)
    _, second = jax.jvp(slope, (q, y), (y[:6], rate))
    later = y + time * (rate + time / 2 * second)
    return q + time * (y[:6] + time / 2 * rate[:6]), later[:12]
