"""Linearly implicit Runge-Kutta steps for small stiff systems.

RODAS (Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996,
section IV.7, and their program of that name): of order 4, L-stable and stiffly accurate, with an
embedded method of order 3. Each step solves six linear systems with the same matrix.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from jaxcontact.numerics.inverse import inverse

DIAGONAL = 0.25
ARGUMENTS = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (1.544, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.9466785280815826, 0.2557011698983284, 0.0, 0.0, 0.0, 0.0),
    (3.314825187068521, 2.896124015972201, 0.9986419139977817, 0.0, 0.0, 0.0),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 0.0, 0.0),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0, 0.0),
)
"""Of each stage: its argument less the state, in the changes of the stages before."""

COUPLINGS = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (-5.6688, 0.0, 0.0, 0.0, 0.0, 0.0),
    (-2.430093356833875, -0.2063599157091915, 0.0, 0.0, 0.0, 0.0),
    (-0.1073529058151375, -9.594562251023355, -20.47028614809616, 0.0, 0.0, 0.0),
    (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160, 0.0, 0.0),
    (
        8.083246795921522,
        -7.981132988064893,
        -31.52159432874371,
        16.31930543123136,
        -6.058818238834054,
        0.0,
    ),
)


def rosenbrock_step(
    rates: Callable[[jax.Array], jax.Array], state: jax.Array, length: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """State (n,) after one step of ``length``, which may be 0, and an estimate of the error of the
    embedded method.

    The stages are a loop: ``rates`` is compiled once for them all.
    """
    size = len(state)
    matrix = jnp.eye(size, dtype=state.dtype) / DIAGONAL - length * jax.jacfwd(rates)(state)
    solver = inverse(matrix)
    rows = jnp.asarray(ARGUMENTS, state.dtype), jnp.asarray(COUPLINGS, state.dtype)

    def stage(changes: jax.Array, row: tuple) -> tuple[jax.Array, jax.Array]:
        number, arguments, couplings = row
        argument = state + arguments @ changes
        change = solver @ (length * rates(argument) + couplings @ changes)
        return changes.at[number].set(change), argument

    none = jnp.zeros((len(ARGUMENTS), size), dtype=state.dtype)
    changes, arguments = jax.lax.scan(stage, none, (jnp.arange(len(ARGUMENTS)), *rows))
    return arguments[-1] + changes[-1], changes[-1]


def rosenbrock_step_of_motion(
    rates: Callable[[jax.Array, jax.Array, jax.Array], jax.Array],
    time: jax.Array,
    place: jax.Array,
    motion: jax.Array,
    length: jax.Array,
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """``rosenbrock_step`` of bodies, whose places change by their velocities.

    The system of each stage is solved for the change of the motion alone: places follow it, and of
    sums nothing depends.

    Args:
        rates: of ``motion``, followed by those of any sums, by ``(time, place, motion)``.
        time: at the begin [s].
        place: ``(n,)``.
        motion: the rates of ``place``, followed by what else moves, ``(m,)``, m >= n.
        length: of the step [s], which may be 0.

    Returns:
        Place and motion at the end, the sums over the step, and an estimate of the error of
        ``motion`` by the embedded method.
    """
    n, m = len(place), len(motion)
    start = jnp.concatenate([place, motion, jnp.reshape(time, (1,))])

    def rates_at(point: jax.Array) -> jax.Array:
        return rates(point[-1], point[:n], point[n:-1])

    slopes = length * jax.jacfwd(rates_at)(start)
    by_place, by_motion, by_time = slopes[:, :n], slopes[:, n:-1], slopes[:, -1]
    follows = DIAGONAL * length
    by_motion = by_motion.at[:, :n].add(follows * by_place)
    solver = inverse(jnp.eye(m, dtype=motion.dtype) / DIAGONAL - by_motion[:m])
    rows = jnp.asarray(ARGUMENTS, motion.dtype), jnp.asarray(COUPLINGS, motion.dtype)

    def stage(changes: jax.Array, row: tuple) -> tuple[jax.Array, jax.Array]:
        number, arguments, couplings = row
        point = start + arguments @ changes[:, : n + m + 1]
        coupled = couplings @ changes
        on = DIAGONAL * (length + coupled[n + m])
        drift = DIAGONAL * (length * point[n : 2 * n] + coupled[:n])
        pushed = length * rates_at(point) + by_place @ drift + on * by_time
        moved = solver @ (pushed[:m] + coupled[n : n + m])
        summed = DIAGONAL * (pushed[m:] + coupled[n + m + 1 :] + by_motion[m:] @ moved)
        change = [drift + follows * moved[:n], moved, jnp.reshape(on, (1,)), summed]
        return changes.at[number].set(jnp.concatenate(change)), point

    none = jnp.zeros((len(ARGUMENTS), n + len(slopes) + 1), dtype=motion.dtype)
    changes, points = jax.lax.scan(stage, none, (jnp.arange(len(ARGUMENTS)), *rows))
    last = changes[-1]
    sums = (jnp.asarray(ARGUMENTS[-1], motion.dtype) @ changes + last)[n + m + 1 :]
    end = points[-1] + last[: n + m + 1]
    return end[:n], end[n:-1], sums, last[n : n + m]
