"""A contact solved for in time, at all its nodes at once: the overlap rates at the nodes and the
duration are the unknowns of one system of equations.

In time the motion under a load is as smooth as without one, up to the largest load from which the
sphere lifts off, and a creep on the way out is a straight line. So this resolves what ``orbit``
does not: heavy damping, and loads that are not small. It costs the inverse of a dense matrix in
each iteration, hence it stands behind a branch.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.contact_phase import ClosedPhase
from jaxcontact.numerics.collocation import graded_grid, resampling
from jaxcontact.numerics.inverse import inverse
from jaxcontact.simulation.single_sphere.normal_path import Load, NormalPath

NODES_PER_STEP = 4
"""Nodes for each of ``contact_steps``. With 80, rebound speeds and durations are right to 1e-9 for
damping ratios from 0.05 to 300, to 1e-7 up to 900, and derivatives to 3e-8 and 3e-7, at loads up to
90 % of the largest.
"""

LEAST_NODES = 80
"""Whoever asks for fewer steps is content with less in orbits; a contact in time is not judged."""

CONVERGED = 1e-6
"""Change in an iteration of the search after which the derivatives of two more iterations with the
same matrix are within rounding.
"""

SEARCH = 30
"""Largest number of iterations of the search; it takes 3 to 10."""


class Motion(NamedTuple):
    """Overlap rates at the nodes and duration, in the units of ``laws.core.contact_phase``."""

    rate: jax.Array
    duration: jax.Array


class TimeNodes(NamedTuple):
    """Nodes of a contact in time, as shares of its duration, ``density`` of it by the variable of
    ``graded_grid``, and the matrix that integrates functions at them by the share.
    """

    time: jax.Array
    density: jax.Array
    integral: jax.Array


def time_nodes(beginning: jax.Array, count: int) -> TimeNodes:
    """Nodes that are close together in the ``beginning`` of a contact, a share of its duration, and
    grow apart after it in proportion to the time.
    """
    grid = graded_grid(count)
    y, density, integral = (jnp.asarray(column, dtype=beginning.dtype) for column in grid)
    growth = jnp.log1p(1.0 / beginning)
    time = beginning * jnp.expm1(growth * y)
    density = growth * (time + beginning) * density
    return TimeNodes(time, density, integral * density)


def overlaps(motion: Motion, nodes: TimeNodes) -> jax.Array:
    """Overlap at the nodes; exactly 0 at the ends, where the second derivative of a force may be
    infinite.
    """
    inside = motion.duration * (nodes.integral[1:-1] @ motion.rate)
    return jnp.pad(jnp.maximum(inside, 0.0), 1)


def imbalance(motion: Motion, nodes: TimeNodes, phase: ClosedPhase, load: Load) -> jax.Array:
    """What the equation of motion lacks at the nodes, and the end of zero overlap; zero for a
    solution.
    """
    overlap = overlaps(motion, nodes)
    acceleration = load(motion.rate) - phase.force_at(overlap, motion.rate)
    return what_lacks(motion, nodes, nodes.integral @ acceleration)


def what_lacks(motion: Motion, nodes: TimeNodes, gained: jax.Array) -> jax.Array:
    """``imbalance`` with the integral of the acceleration over the share of the duration."""
    lack = motion.rate - 1.0 - motion.duration * gained
    return jnp.append(lack, nodes.integral[-1] @ motion.rate)


def linearised(
    motion: Motion, nodes: TimeNodes, phase: ClosedPhase, load: Load
) -> tuple[jax.Array, jax.Array]:
    """``imbalance`` and the matrix of its derivatives, rows as its results and columns as its
    arguments.
    """
    rate, duration = motion
    integral = nodes.integral
    overlap = overlaps(motion, nodes)

    def accelerations(overlap: jax.Array, rate: jax.Array) -> jax.Array:
        return load(rate) - phase.force_at(overlap, rate)

    one, none = jnp.ones_like(rate), jnp.zeros_like(rate)
    acceleration, linear = jax.linearize(accelerations, overlap, rate)
    by_overlap, by_rate = linear(one, none), linear(none, one)
    gained = integral @ acceleration
    by_rates = jnp.diag(by_rate) + duration * by_overlap[:, None] * integral
    by_duration = gained + integral @ (overlap * by_overlap)
    upper = jnp.append(
        jnp.eye(len(rate)) - duration * (integral @ by_rates), -by_duration[:, None], axis=1
    )
    end = jnp.append(integral[-1], 0.0)
    return what_lacks(motion, nodes, gained), jnp.append(upper, end[None], axis=0)


LARGE_SWING = 1.3
"""Speed gained under the load from which a search begins with the motion of a spring under it."""


def guessed(nodes: TimeNodes, phase: ClosedPhase, load: jax.Array) -> Motion:
    """In like a quarter of a cosine, out to the estimated restitution like a quarter of a sine; or,
    under a large load, which no heavily damped contact survives, like a linear spring with it.
    """
    free, swing = phase.duration, phase.swing(load)
    lowest, deepest = phase.largest_overlap(jnp.zeros_like(load)), phase.largest_overlap(load)
    inwards = jnp.minimum(1.5 * lowest, free / 2.0)
    angle = jnp.pi / 2.0 * nodes.time * free / inwards
    way_out = -phase.restitution * jnp.sin(jnp.clip(angle - jnp.pi / 2.0, 0.0, jnp.pi / 2.0))
    bounce = jnp.where(angle < jnp.pi / 2.0, jnp.cos(angle), way_out)
    turn = (jnp.pi + 2.0 * jnp.arctan(swing)) * nodes.time
    loss = 1.0 - (1.0 - phase.restitution) * nodes.time
    pressed = loss * (jnp.cos(turn) + swing * jnp.sin(turn))
    duration = free * deepest / lowest * jax.lax.rsqrt(1.0 + swing * swing)
    swings = swing > LARGE_SWING
    return Motion(jnp.where(swings, pressed, bounce), jnp.where(swings, duration, free))


def solution(
    phase: ClosedPhase,
    load: Load,
    *,
    frozen: tuple[ClosedPhase, Load],
    nodes: TimeNodes,
    needed: jax.Array,
) -> tuple[Motion, jax.Array]:
    """The contact, where it is ``needed``, and whether it is solved for; ``frozen`` are phase and
    load without derivatives.

    Newton's method finds it without derivatives. Two iterations with the last matrix, which has
    none either, then carry first and second derivatives: at a solution those of the matrix do not
    count.
    """
    start = guessed(nodes, frozen[0], frozen[1](jnp.zeros_like(frozen[0].start)))
    size = len(start.rate)

    def searching(carry: tuple) -> jax.Array:
        _, _, change, count = carry
        return (change > CONVERGED) & (count < SEARCH)

    def search(carry: tuple) -> tuple:
        motion, _, _, count = carry
        lack, slope = linearised(motion, nodes, *frozen)
        solver = inverse(slope)
        change = solver @ lack
        change = change.at[-1].divide(motion.duration)
        largest = jnp.max(jnp.abs(change))
        change = jnp.minimum(1.0, 0.7 / largest) * change
        better = Motion(motion.rate - change[:-1], motion.duration * (1.0 - change[-1]))
        return better, solver, largest, count + 1

    none = jnp.eye(size + 1, dtype=start.rate.dtype)
    begin = (start, none, jnp.where(needed, jnp.inf, 0.0), jnp.asarray(0))
    found, solver, change, _ = jax.lax.while_loop(searching, search, jax.lax.stop_gradient(begin))
    found, solver = jax.lax.stop_gradient((found, solver))

    def improve(motion: Motion, _: None) -> tuple[Motion, None]:
        change = solver @ imbalance(motion, nodes, phase, load)
        return Motion(motion.rate - change[:-1], motion.duration - change[-1]), None

    motion, _ = jax.lax.scan(improve, found, None, length=2)
    return motion, (change <= CONVERGED) & (found.rate[-1] < 0.0)


def path_in_time(
    phase: ClosedPhase,
    load: Load,
    *,
    frozen: tuple[ClosedPhase, Load],
    nodes: int,
    steps: int,
    needed: jax.Array,
) -> NormalPath:
    """The contact at the ``nodes`` of ``graded_grid``, where it is ``needed``; what it lacks is
    nothing, or not known.
    """
    count = max(NODES_PER_STEP * steps, LEAST_NODES)
    (like, factors), (frozen_like, frozen_factors) = phase.similar, frozen[0].similar
    fine = time_nodes(frozen_like.beginning, count)
    motion, converged = solution(
        like,
        lambda rate: factors.load * load(rate),
        frozen=(frozen_like, lambda rate: frozen_factors.load * frozen[1](rate)),
        nodes=fine,
        needed=needed,
    )
    coarse = jnp.asarray(resampling(count, nodes), dtype=motion.rate.dtype)
    rate = coarse @ motion.rate
    overlap = jnp.pad(coarse[1:-1] @ (fine.integral @ motion.rate), 1)
    time, density = coarse @ fine.time, coarse @ fine.density
    leaves = rate < 0.0
    turn = jnp.max(jnp.where(leaves, 0.0, time))
    slowness = jnp.where(leaves, 1.0 / factors.rate, 1.0)
    scale = motion.duration * factors.overlap
    overlap, rate = scale * jnp.maximum(overlap, 0.0), rate / slowness
    return NormalPath(
        overlap,
        rate,
        phase.force_at(overlap, rate),
        scale * (jnp.minimum(time, turn) + slowness * jnp.maximum(time - turn, 0.0)),
        scale * slowness * density,
        jnp.where(converged & (factors.load == 1.0), 0.0, jnp.inf).astype(rate.dtype),
    )
