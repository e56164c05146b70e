"""A linearly implicit Runge-Kutta step for small stiff systems.

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
