"""Spectral collocation: an analytic function is known by its values at few nodes, and its integral
is a product with a matrix.

On the nodes an ordinary differential equation is one algebraic equation, which Newton's method
solves in a few iterations, all nodes at once. A solution found without derivatives and improved by
two differentiable iterations carries exact derivatives, however it was found
(``smooth.implicit_root``): what is differentiated is short, and so is the time it takes to compile.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.polynomial import chebyshev, legendre


class Grid(NamedTuple):
    """Nodes of a variable ``y`` in [0, 1].

    Attributes:
        nodes: ``y``, from exactly 0 to exactly 1, ``(nodes,)``.
        density: ``dy/dx`` there, ``(nodes,)``; ``x`` is the variable in which the nodes are those
            of Legendre, Gauss and Lobatto.
        integral: ``(nodes, nodes)``; times the values of ``f dx/dy`` gives ``integral of f`` from 0
            to each node.
    """

    nodes: np.ndarray
    density: np.ndarray
    integral: np.ndarray


def _lobatto_nodes(count: int) -> np.ndarray:
    """Ends of [-1, 1] and the extrema of the Legendre polynomial between them."""
    highest = np.zeros(count)
    highest[-1] = 1.0
    inner = np.real(
        legendre.legroots(legendre.legder(highest))
    )  # NumPy 2.5 returns real roots as complex numbers
    return np.concatenate([[-1.0], inner, [1.0]])


def _integral_matrix(x: np.ndarray) -> np.ndarray:
    """Integral from ``x[0]`` to each node of the polynomial through given values."""
    degree = len(x) - 1
    basis = chebyshev.chebvander(x, degree)
    integrals = np.stack(
        [chebyshev.chebval(x, chebyshev.chebint(row, lbnd=x[0])) for row in np.eye(degree + 1)],
        axis=1,
    )
    return np.linalg.solve(basis.T, integrals.T).T


GRADING = 0.1
"""Width of the zones at both ends of ``graded_grid``, as a fraction; 0.05 to 0.2 do about as well
for forces of an impact.
"""


@lru_cache
def graded_grid(count: int) -> Grid:
    """Nodes for functions that are analytic in the square root of the distance to either end.

    ``y`` runs from 0 to 1 like ``x^2`` at both ends and nearly linearly between: ``dy/dx`` is in
    proportion to ``q/(q + GRADING)`` with ``q = t (1 - t)``, ``t = (1 + x)/2``.
    """
    x = _lobatto_nodes(count)
    points, weights = legendre.leggauss(64)

    def density(t: np.ndarray) -> np.ndarray:
        return t * (1.0 - t) / (t * (1.0 - t) + GRADING)

    t = (1.0 + x) / 2.0
    y = np.array([end / 2.0 * weights @ density(end / 2.0 * (1.0 + points)) for end in t])
    y = (y + y[-1] - y[::-1]) / (2.0 * y[-1])  # symmetric to rounding
    total = weights @ density((1.0 + points) / 2.0)
    slope = density(t) / total
    return Grid(y, slope, _integral_matrix(x))


@lru_cache
def resampling(count: int, to: int) -> np.ndarray:
    """``(to, count)``; times the values at ``count`` nodes of ``graded_grid`` gives those of the
    polynomial through them at ``to`` nodes of it.
    """
    from_basis, to_basis = (legendre.legvander(_lobatto_nodes(n), count - 1) for n in (count, to))
    return np.linalg.solve(from_basis.T, to_basis.T).T


def elementwise_slope(function: Callable[[jax.Array], Any], argument: jax.Array) -> tuple[Any, Any]:
    """Value of an elementwise ``function`` and its derivative by its argument, element by
    element.
    """
    return jax.jvp(function, (argument,), (jnp.ones_like(argument),))


def newton_iteration(
    integral: jax.Array, value: jax.Array, rate: jax.Array, rate_slope: jax.Array
) -> jax.Array:
    """One Newton iteration for ``dv/dx = f(v)`` with given first value; ``rate`` and ``rate_slope``
    are f and its derivative at ``value``.

    The equation linearised about ``value`` is solved in closed form: ``v = E (v(0) + integral of (f
    - f' v)/E)`` with ``E = exp(integral of f')``.
    """
    growth = jnp.exp(jnp.clip(integral @ rate_slope, -20.0, 20.0))  # far from the solution only
    return growth * (value[0] + integral @ ((rate - rate_slope * value) / growth))


FAR = 2e-3
"""Relative change in an iteration below which the next one is within rounding of the solution, or
almost.
"""

SEARCH = 40
"""Largest number of iterations of the search; it takes 2 to 4, and 10 to 20 where the restitution
is below 0.05.
"""


def solved(
    iterate: Callable[..., jax.Array],
    guess: jax.Array,
    *parameters: object,
    frozen: Iterable[object],
    bounded: Callable[..., jax.Array],
) -> jax.Array:
    """The fixed point of a quadratically convergent ``iterate``, found without derivatives, then
    improved by two iterations with them.

    Args:
        iterate: ``iterate(value, *parameters)``, one iteration; it closes over nothing that is
            differentiated.
        guess: start, positive.
        parameters: whatever the solution depends on.
        frozen: ``parameters`` without derivatives.
        bounded: ``bounded(old, new)`` keeps an iteration of the search from leaving what the next
            one can use.
    """

    def searching(carry: tuple[jax.Array, jax.Array, jax.Array]) -> jax.Array:
        _, change, count = carry
        return (change > FAR) & (count < SEARCH)

    def search(
        carry: tuple[jax.Array, jax.Array, jax.Array],
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        old, _, count = carry
        new = bounded(old, iterate(old, *frozen))
        return new, jnp.max(jnp.abs(new / old - 1.0)), count + 1

    start = jax.lax.stop_gradient(guess)
    found, _, _ = jax.lax.while_loop(
        searching, search, (start, jnp.full_like(start[0], jnp.inf), jnp.asarray(0))
    )
    last, _ = jax.lax.scan(
        lambda value, _: (iterate(value, *parameters), None),
        jax.lax.stop_gradient(found),
        None,
        length=2,
    )
    return last
