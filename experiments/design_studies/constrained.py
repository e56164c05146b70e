"""A minimum under constraints: SLSQP of SciPy with the derivatives of JAX."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Function = Callable[[jax.Array], jax.Array]


def with_jacobian(function: Function) -> Callable[[Any], tuple[jax.Array, jax.Array]]:
    """A compiled function that gives the value and the Jacobian."""
    return jax.jit(lambda design: (function(design), jax.jacfwd(function)(design)))


def largest_difference(function: Function, design: NDArray[np.float64], *, step: float) -> float:
    """Largest difference between the Jacobian and central differences, over the largest entry."""
    by_tracing = np.asarray(jax.jacfwd(function)(design))
    evaluate = jax.jit(function)
    each = np.eye(design.size)
    columns = [
        (8 * (ahead - behind) - (far - back)) / (12 * step)
        for far, ahead, behind, back in (
            [np.asarray(evaluate(design + s * step * unit)) for s in (2, 1, -1, -2)]
            for unit in each
        )
    ]
    return float(np.max(np.abs(by_tracing - np.stack(columns, -1))) / np.max(np.abs(by_tracing)))


def minimise(
    objective: Function,
    start: Sequence[float] | NDArray[np.float64],
    *,
    bounds: Sequence[tuple[float, float]],
    equal: Function | None = None,
    positive: Function | None = None,
) -> NDArray[np.float64]:
    """The design with the least objective.

    Args:
        objective: of a design (n,), of the order of one like the design.
        start: design from which the search begins, (n,).
        bounds: of each component.
        equal: components that must vanish.
        positive: components that must not be negative.

    Raises:
        RuntimeError: the search does not end at a minimum.
    """
    least = with_jacobian(objective)
    constraints = [
        {
            "type": kind,
            "fun": lambda design, both=both: np.asarray(both(design)[0]),
            "jac": lambda design, both=both: np.asarray(both(design)[1]),
        }
        for kind, function in (("eq", equal), ("ineq", positive))
        if function is not None
        for both in [with_jacobian(function)]
    ]
    found = minimize(
        lambda design: float(least(design)[0]),
        np.asarray(start, dtype=float),
        jac=lambda design: np.asarray(least(design)[1]),
        bounds=bounds,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 200, "ftol": 1e-12},
    )
    if not found.success:
        raise RuntimeError(f"The search ended without a minimum: {found.message}.")
    return found.x
