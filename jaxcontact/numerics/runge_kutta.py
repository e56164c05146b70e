"""Explicit Runge-Kutta steps for pytrees of any shape, autonomous right-hand sides."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from jaxcontact.numerics.smooth import Real, Vector

State = TypeVar("State")


class Tableau(NamedTuple):
    """Butcher tableau of an explicit method: strictly lower rows of the matrix, and the weights;
    and its ``checks``, further combinations of the slopes.
    """

    matrix: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    checks: tuple[tuple[float, ...], ...] = ()


def advance(state: State, slope: State, length: Real) -> State:
    """``state + length * slope``, leaf by leaf."""
    return jax.tree.map(lambda value, rate: value + length * rate, state, slope)


def combine(coefficients: tuple[float, ...], slopes: list[State]) -> State:
    """Sum of ``coefficient * slope``; zero coefficients cost nothing."""
    used = [(c, slope) for c, slope in zip(coefficients, slopes, strict=True) if c != 0.0]
    return jax.tree.map(
        lambda *rates: sum(c * rate for (c, _), rate in zip(used, rates, strict=True)),
        *[slope for _, slope in used],
    )


def step(rates: Callable[[State], State], state: State, length: Real, tableau: Tableau) -> State:
    """One step of ``d state / d sigma = rates(state)`` over ``length``.

    Args:
        rates: the right-hand side; returns a pytree like ``state``.
        state: any pytree of arrays.
        length: signed step in the independent variable.
        tableau: the method.
    """
    slopes = [rates(state)]
    for row in tableau.matrix[1:]:
        slopes.append(rates(advance(state, combine(row, slopes), length)))
    return advance(state, combine(tableau.weights, slopes), length)


def looped_step(
    rates: Callable[[State], State], state: State, length: Real, tableau: Tableau
) -> State:
    """``step`` with its stages in a loop: ``rates`` is compiled once, for right-hand sides that
    take longer to compile than to run.

    Args:
        rates: as for ``step``.
        state: as for ``step``; all leaves of one type.
        length: as for ``step``.
        tableau: as for ``step``.
    """
    slopes, unflat = _slopes(rates, state, length, tableau)
    return advance(state, unflat(_combined(tableau.weights, slopes)), length)


def looped_steps(
    rates: Callable[[State], State], state: State, length: Real, tableau: Tableau, *, steps: int
) -> State:
    """The state after so many ``looped_step`` of the same length.

    Args:
        rates: as for ``step``.
        state: as for ``looped_step``.
        length: of one step.
        tableau: as for ``step``.
        steps: how many.
    """

    def one(state: State, _: None) -> tuple[State, None]:
        return looped_step(rates, state, length, tableau), None

    return jax.lax.scan(one, state, None, length=steps)[0]


def checked_step(
    rates: Callable[[State], State], state: State, length: Real, tableau: Tableau
) -> tuple[State, tuple[State, ...]]:
    """``looped_step``, and what each of the ``checks`` makes of the slopes, times the length,
    without derivatives.

    Args:
        rates: as for ``step``.
        state: as for ``looped_step``.
        length: as for ``step``.
        tableau: as for ``step``; with ``checks``.
    """
    slopes, unflat = _slopes(rates, state, length, tableau)
    after = advance(state, unflat(_combined(tableau.weights, slopes)), length)
    frozen = jax.lax.stop_gradient(slopes)
    found = (jnp.multiply(length, _combined(check, frozen)) for check in tableau.checks)
    return after, tuple(unflat(one) for one in found)


def _combined(coefficients: Vector, slopes: jax.Array) -> jax.Array:
    return jnp.sum(jnp.asarray(coefficients, slopes.dtype)[:, None] * slopes, axis=0)


def _slopes(
    rates: Callable[[State], State], state: State, length: Real, tableau: Tableau
) -> tuple[jax.Array, Callable[[jax.Array], State]]:
    """Those of all stages, ``(stages, n)``, and what makes a pytree of ``(n,)``."""
    flat, unflat = ravel_pytree(state)
    stages = len(tableau.weights)
    rows = np.zeros((stages, stages))
    for number, row in enumerate(tableau.matrix):
        rows[number, : len(row)] = row

    def stage(slopes: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, None]:
        number, row = at
        slope, _ = ravel_pytree(rates(unflat(flat + length * _combined(row, slopes))))
        return slopes.at[number].set(slope), None

    none = jnp.zeros((stages, flat.size), flat.dtype)
    inputs = jnp.arange(stages), jnp.asarray(rows, flat.dtype)
    return jax.lax.scan(stage, none, inputs)[0], unflat


CLASSICAL = Tableau(
    matrix=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)), weights=(1 / 6, 1 / 3, 1 / 3, 1 / 6)
)
"""The classical method of order 4."""

CLASSICAL_CHECKED = Tableau(
    matrix=(*CLASSICAL.matrix, CLASSICAL.weights),
    weights=(*CLASSICAL.weights, 0.0),
    checks=((0.0, 0.0, 0.0, 1 / 6, -1 / 6),),
)
"""The same, and the slope at its end, which makes a method of order 3: by how much that would come
to another state.
"""


def _inside(share: float) -> tuple[float, ...]:
    """Row of a stage inside a step of ``CLASSICAL_CHECKED``, on the cubic through both ends with
    their slopes.
    """
    weights = np.append(CLASSICAL.weights, 0.0)
    first, last = np.eye(5)[0], np.eye(5)[4]
    bend = (1.0 - 2.0 * share) * weights + (share - 1.0) * first + share * last
    return tuple((share * weights + share * (share - 1.0) * bend).tolist())


CLASSICAL_SEARCHED = Tableau(
    matrix=(*CLASSICAL_CHECKED.matrix, *map(_inside, (0.25, 0.5, 0.75))),
    weights=(*CLASSICAL_CHECKED.weights, 0.0, 0.0, 0.0),
    checks=(
        (*CLASSICAL_CHECKED.checks[0], 0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0, 0.0, 1.0, -4.0, 6.0, -4.0),
        (-1.0, 0.0, 0.0, 0.0, 0.0, 3.0, -3.0, 1.0),
        (0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 3.0, -3.0),
    ),
)
"""The same, and slopes at the quarters of the step: their fourth difference, and both third ones.
A slope that is smooth has far smaller fourth differences than third ones; one with a corner or a
jump inside the step has not, and the method of order 3 may be blind to it.
"""

# Order 8, twelve stages: Prince and Dormand (1981), coefficients as tabulated in Hairer, Norsett
# and Wanner, Solving Ordinary Differential Equations I (1993), II.5 (DOP853).
_DORMAND_PRINCE_8_MATRIX = (
    (),
    (0.05260015195876773,),
    (0.0197250569845379, 0.0591751709536137),
    (0.02958758547680685, 0.0, 0.08876275643042054),
    (0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792),
    (0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242),
    (0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125),
    (
        0.03709200011850479,
        0.0,
        0.0,
        0.17038392571223998,
        0.10726203044637328,
        -0.015319437748624402,
        0.008273789163814023,
    ),
    (
        0.6241109587160757,
        0.0,
        0.0,
        -3.3608926294469414,
        -0.868219346841726,
        27.59209969944671,
        20.154067550477894,
        -43.48988418106996,
    ),
    (
        0.47766253643826434,
        0.0,
        0.0,
        -2.4881146199716677,
        -0.590290826836843,
        21.230051448181193,
        15.279233632882423,
        -33.28821096898486,
        -0.020331201708508627,
    ),
    (
        -0.9371424300859873,
        0.0,
        0.0,
        5.186372428844064,
        1.0914373489967295,
        -8.149787010746927,
        -18.52006565999696,
        22.739487099350505,
        2.4936055526796523,
        -3.0467644718982196,
    ),
    (
        2.273310147516538,
        0.0,
        0.0,
        -10.53449546673725,
        -2.0008720582248625,
        -17.9589318631188,
        27.94888452941996,
        -2.8589982771350235,
        -8.87285693353063,
        12.360567175794303,
        0.6433927460157636,
    ),
)
_DORMAND_PRINCE_8_WEIGHTS = (
    0.054293734116568765,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    0.3111643669578199,
    -0.1521609496625161,
    0.20136540080403034,
    0.04471061572777259,
)
DORMAND_PRINCE_8 = Tableau(matrix=_DORMAND_PRINCE_8_MATRIX, weights=_DORMAND_PRINCE_8_WEIGHTS)
"""Order 8 with twelve stages."""
