"""Minimisation of weighted residuals: Levenberg-Marquardt by Optimistix, Adam and L-BFGS by Optax.

Coordinates are scaled by the length of their Jacobian columns at the start, so that one unit is about one standard deviation, whatever the
physical units are. The Jacobian is block-structured (shared columns, and columns of one recording each): it is computed in forward
mode once for all recordings together, and handed to the solver by a rule of differentiation of the residual.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import lineax
import numpy as np
import optax
import optimistix

from calibration.problem import Layout, Samples, jacobians, residuals

METHODS = ("levenberg_marquardt", "adam", "lbfgs")


class Minimum(NamedTuple):
    """Where an optimiser stopped: coordinates shared (S,) and local (R, L), iterations, whether it met its tolerance."""

    shared: Any
    local: Any
    iterations: Any
    converged: Any


class Start(NamedTuple):
    """Where it begins: coordinates shared (S,) and local (R, L), which of them stay there (S,) and (L,), and the stages (K, R).

    Stage k uses the samples of recording r up to the time ``stages[k, r]``; the last uses all. Long recordings are chaotic functions of
    wrong parameters: the first bounces lead to where the later ones can be followed.
    """

    shared: Any
    local: Any
    frozen: Any
    frozen_local: Any
    stages: Any


def flatten(shared: Any, local: Any) -> jax.Array:
    """One vector of all coordinates."""
    return jnp.concatenate([shared, jnp.ravel(local)])


def unflatten(flat: jax.Array, like: Start) -> tuple[jax.Array, jax.Array]:
    """The inverse of ``flatten``."""
    count = like.shared.shape[0]
    return flat[:count], flat[count:].reshape(like.local.shape)


def column_lengths(by_shared: jax.Array, by_local: jax.Array) -> jax.Array:
    """Euclidean lengths of the columns of the Jacobian, 1 for a column of zeros."""
    lengths = flatten(jnp.sqrt(jnp.sum(by_shared**2, axis=(0, 1))), jnp.sqrt(jnp.sum(by_local**2, axis=1)))
    return jnp.where(lengths > 0, lengths, 1.0)


def scaled_residual(layout: Layout, scene: Any, samples: Samples, start: Start, scale: jax.Array) -> Any:
    """Residuals (all in one vector) as a function of scaled steps from the start, with the block Jacobian as its derivative.

    Also returns the function from steps to coordinates.
    """
    movable = flatten(~start.frozen, jnp.broadcast_to(~start.frozen_local, start.local.shape))
    origin = flatten(start.shared, start.local)

    def coordinates(step: jax.Array) -> tuple[jax.Array, jax.Array]:
        return unflatten(origin + jnp.where(movable, step / scale, 0.0), start)

    @jax.custom_jvp
    def residual(step: jax.Array) -> jax.Array:
        return residuals(layout, scene, *coordinates(step), samples).ravel()

    @residual.defjvp
    def derivative(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
        value, by_shared, by_local = jacobians(layout, scene, *coordinates(primals[0]), samples)
        shared, local = unflatten(jnp.where(movable, tangents[0] / scale, 0.0), start)
        return value.ravel(), (by_shared @ shared + jnp.einsum("rnl,rl->rn", by_local, local)).ravel()

    return residual, coordinates


@partial(jax.jit, static_argnames=("layout", "method", "steps", "report"))
def _minimise(
    layout: Layout,
    scene: Any,
    samples: Samples,
    start: Start,
    scale: jax.Array,
    *,
    method: str,
    steps: int,
    report: Any,
    learning_rate: float = 0.05,
) -> Minimum:
    """Minimise half the sum of squares from ``start``.

    Args:
        layout: of the problem.
        scene: of the problem.
        samples: of the problem.
        start: first guess; frozen coordinates keep it.
        scale: of the coordinates, as ``column_lengths``.
        method: one of ``METHODS``.
        steps: at most so many iterations.
        report: ``None``, or a function of (iteration, chi-squared) called as it runs; static.
        learning_rate: of Adam, in units of the scaled coordinates' natural size.
    """
    zero = jnp.zeros(scale.shape)

    def verbose(**kwargs: Any) -> None:
        if report is not None:
            # Before the first step there is no accepted one.
            count = kwargs["num_steps"][1]
            loss = jnp.where(count > 0, kwargs["loss_last_accepted_step"][1], kwargs["loss_this_step"][1])
            jax.debug.callback(report, count, 2 * loss)

    # Normal equations: the columns are scaled and damped, and QR of a tall matrix costs a hundred times more here. A step that is
    # slightly off does not move the minimum.
    linear_solver = lineax.Normal(lineax.Cholesky())

    def stage(step: jax.Array, ends_and_tolerance: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        ends, tolerance = ends_and_tolerance
        residual, _ = scaled_residual(layout, scene, layout.until(samples, ends), start, scale)
        if method != "levenberg_marquardt":
            best, count, converged = _descend(residual, step, method=method, steps=steps, report=report, learning_rate=learning_rate)
        else:
            known: Any = tolerance
            solver: Any = optimistix.LevenbergMarquardt(rtol=1e-10, atol=known, linear_solver=linear_solver, verbose=verbose)
            solution: Any = optimistix.least_squares(lambda step, _: residual(step), solver, step, max_steps=steps, throw=False)
            best, count = solution.value, solution.stats["num_steps"]
            converged = solution.result == optimistix.RESULTS.successful
        return best, (count, converged)

    count = start.stages.shape[0]
    tolerances = jnp.where(jnp.arange(count) < count - 1, 1.0, 1e-5)
    best, (counts, converged) = jax.lax.scan(stage, zero, (start.stages, tolerances))
    _, coordinates = scaled_residual(layout, scene, samples, start, scale)
    shared, local = coordinates(best)
    return Minimum(shared, local, jnp.sum(counts), converged[-1])


def minimise(layout: Layout, scene: Any, samples: Samples, start: Start, *, method: str, steps: int, report: Any = None) -> Minimum:
    """Minimise half the sum of squares of the weighted residuals from ``start``; arguments as in ``Problem`` and ``fit``."""
    _, by_shared, by_local = jacobians(layout, scene, start.shared, start.local, samples)
    scale = column_lengths(by_shared, by_local)
    minimum = _minimise(layout, scene, samples, start, scale, method=method, steps=steps, report=report)
    return Minimum(*(np.asarray(field) for field in minimum))


def _descend(residual: Any, start: jax.Array, *, method: str, steps: int, report: Any, learning_rate: float) -> tuple:
    """First-order descent of the mean square by Optax, keeping the best point."""

    def cost_and_gradient(step: jax.Array) -> tuple[jax.Array, jax.Array]:
        values, push = jax.linearize(residual, step)
        (gradient,) = jax.linear_transpose(push, step)(values)
        return jnp.sum(values**2) / 2, gradient

    @jax.custom_vjp
    def objective(step: jax.Array) -> jax.Array:
        return cost_and_gradient(step)[0]

    objective.defvjp(cost_and_gradient, lambda gradient, cotangent: (cotangent * gradient,))
    optimiser = optax.adam(optax.cosine_decay_schedule(learning_rate, steps)) if method == "adam" else optax.lbfgs()

    def advance(carry: tuple) -> tuple:
        point, state, best, lowest, count, _ = carry
        value, gradient = cost_and_gradient(point)
        updates, state = optimiser.update(gradient, state, point, value=value, grad=gradient, value_fn=objective)
        better = value < lowest
        best, lowest = jnp.where(better, point, best), jnp.where(better, value, lowest)
        if report is not None:
            jax.debug.callback(report, count, 2 * value)
        # In scaled coordinates the gradient is a number of standard deviations.
        done = jnp.max(jnp.abs(gradient)) < 1e-4 * jnp.sqrt(1 + value)
        return optax.apply_updates(point, updates), state, best, lowest, count + 1, done

    first = (start, optimiser.init(start), start, jnp.asarray(jnp.inf), jnp.asarray(0), jnp.asarray(False))
    _, _, best, _, count, done = jax.lax.while_loop(lambda carry: (carry[4] < steps) & ~carry[5], advance, first)
    return best, count, done
