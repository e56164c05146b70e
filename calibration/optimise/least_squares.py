"""Minimisation of weighted residuals: Levenberg-Marquardt and dogleg by Optimistix, first-order
methods by Optax.

Coordinates are scaled by the length of their Jacobian columns at the start, so that one unit is
about one standard deviation, whatever the physical units are. The Jacobian is block-structured
(shared columns, and columns of one recording each): it is computed in forward mode once for all
recordings together, and handed to the solver by a rule of differentiation of the residual.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import optimistix
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.optimise.box_descent import BoxConstrainedDescent
from calibration.optimise.coordinates import (
    Minimum,
    Start,
    apply_step,
    find_scale,
    flatten,
    limit_steps,
    mark_movable,
    measure_columns,
    unflatten,
)
from calibration.optimise.first_order import OPTIMISERS, descend
from calibration.optimise.schur import SchurComplementSolver
from calibration.optimise.termination import StepTerminatedSolver
from calibration.optimise.trust_region import GradualTrustRegion
from calibration.problem.residuals import Block, Layout, jacobians
from jaxcontact.numerics.compilation import quick_jit

SOLVERS = {"levenberg_marquardt": optimistix.LevenbergMarquardt, "dogleg": optimistix.Dogleg}
METHODS = (*SOLVERS, *OPTIMISERS)

ROUGH, NEAR, FINE = 1.0, 1e-2, 1e-5
"""Tolerances in standard deviations: of a guess for what follows, of the minimum of some of the
samples, and of a result.
"""

Method: TypeAlias = str | optax.GradientTransformation
"""One of ``METHODS``, or an optimiser of Optax; static."""

Report: TypeAlias = Callable[[Any, Any], None]
"""What is told the iteration and chi-squared as a minimisation runs."""


def concatenate_residuals(parts: tuple[jax.Array, ...]) -> jax.Array:
    """Concatenate the residuals of all batches to one vector."""
    return jnp.concatenate([part.ravel() for part in parts])


def apply_jacobian(
    blocks: tuple[Block, ...], shared: jax.Array, local: tuple[jax.Array, ...]
) -> jax.Array:
    """Multiply the Jacobian with a direction; one vector."""
    parts = [block.by_shared @ shared for block in blocks]
    own = [
        jnp.einsum("rnl,rl->rn", block.by_local, part)
        for block, part in zip(blocks, local, strict=False)
    ]
    return concatenate_residuals(
        tuple(part + own[i] if i < len(own) else part for i, part in enumerate(parts))
    )


def scaled_residual(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    scale: jax.Array,
) -> Callable[[jax.Array], Any]:
    """Residuals (all in one vector) as a function of scaled steps from the start, with the block
    Jacobian as its derivative.

    The function also returns the blocks, so that nothing has to be computed twice.
    """
    moves = mark_movable(start)

    def blocks_there(step: jax.Array) -> tuple[Block, ...]:
        return jacobians(layout, scene, *apply_step(start, scale, step), data)

    # Traced here once: the solver asks for its shapes and its derivative in another context, where
    # JAX would trace it again.
    blocks_at = eqx.filter_closure_convert(blocks_there, jnp.zeros(moves.shape))

    @jax.custom_jvp
    def residual(step: jax.Array) -> tuple[jax.Array, tuple[Block, ...]]:
        blocks = blocks_at(step)
        return concatenate_residuals(tuple(block.residual for block in blocks)), blocks

    @residual.defjvp
    def derivative(primals: tuple, tangents: tuple) -> tuple[Any, Any]:
        value, blocks = residual(*primals)
        direction = unflatten(jnp.where(moves, tangents[0] / scale, 0.0), start)
        return (value, blocks), (
            apply_jacobian(blocks, *direction),
            jax.tree.map(jnp.zeros_like, blocks),
        )

    return residual


def minimise_traced(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    scale: jax.Array | None = None,
    *,
    method: Method,
    steps: ArrayLike,
    report: Report | None,
    tolerance: ArrayLike = FINE,
    keep_blocks: bool = False,
) -> tuple[Minimum, tuple[Block, ...] | None]:
    """Minimise half the sum of squares from ``start``; the second result are residuals and Jacobian
    there, where they are kept.

    Args:
        layout: of the problem.
        scene: of the problem.
        data: of the problem.
        start: first guess; frozen coordinates keep it.
        scale: of the coordinates, as ``find_scale``; ``None`` finds it at the start (not for
            optimisers of Optax).
        method: one of ``METHODS``.
        steps: at most so many iterations.
        report: ``None``, or a function of (iteration, chi-squared) called as it runs; static.
        tolerance: of ``StepTerminatedSolver``, in the last stage.
        keep_blocks: whether residuals and Jacobian at the minimum are returned, too (not for
            optimisers of Optax).
    """

    def verbose(**kwargs: Any) -> None:
        if report is not None:
            # Before the first step there is no accepted one.
            count = kwargs["num_steps"][1]
            loss = jnp.where(
                count > 0, kwargs["loss_last_accepted_step"][1], kwargs["loss_this_step"][1]
            )
            jax.debug.callback(report, count, 2 * loss)

    # Their shapes are counted, as another trace of the Jacobian would take as long as the first.
    like = layout.blocks_like(data)
    sizes = tuple(
        (*block.residual.shape, own.shape[1]) for block, own in zip(like, start.local, strict=False)
    )
    linear_solver = SchurComplementSolver(start.shared.shape[0], sizes)

    def stage(carry: Any, ends_and_tolerance: Any) -> tuple[Any, tuple[jax.Array, jax.Array]]:
        step, scale, region, blocks = carry
        ends, tolerance = ends_and_tolerance
        residual = scaled_residual(layout, scene, layout.until(data, ends), start, scale)
        reach = limit_steps(layout, start, scale)
        if method not in SOLVERS:
            best, count, converged = descend(
                residual,
                step,
                like,
                start=start,
                scale=scale,
                reach=reach,
                tolerance=tolerance,
                optimiser=OPTIMISERS[method]() if isinstance(method, str) else method,
                steps=steps,
                report=report,
            )
            return (best, scale, region, blocks), (count, converged)
        solver: Any = SOLVERS[method](
            rtol=1.0, atol=1.0, linear_solver=linear_solver, verbose=verbose
        )  # ``StepTerminatedSolver`` ends it
        own = (
            GradualTrustRegion(first=region),
            BoxConstrainedDescent(solver.descent, reach),
        )
        solver = eqx.tree_at(lambda solver: (solver.search, solver.descent), solver, own)

        def lengths(blocks: tuple[Block, ...]) -> jax.Array:
            return measure_columns(blocks, start) / scale

        solver = StepTerminatedSolver(
            inner=solver,
            lengths=lengths,
            atol=tolerance,
            rtol=1e-10,
            norm=optimistix.max_norm,
            steps=steps,
        )
        solution: Any = optimistix.least_squares(
            lambda step, _: residual(step), solver, step, has_aux=True, max_steps=None, throw=False
        )
        last = solution.state.inner  # of the last accepted step; ``solution.aux`` is before it
        found, region = last.aux, last.search_state.step_size
        measured = jnp.isinf(tolerance)
        better_scale = jnp.where(measured, find_scale(found, start), scale)
        count = jnp.where(measured, 0, solution.stats["num_steps"])
        converged = solution.result == optimistix.RESULTS.successful
        after = solution.value, better_scale, region, found if keep_blocks else None
        return after, (count, converged)

    count = start.stages[0].shape[0]
    ends, tolerances = start.stages, jnp.where(jnp.arange(count) < count - 1, ROUGH, tolerance)
    if scale is None:
        # A first stage whose infinite tolerance is met where it begins: all that it does is to find
        # the scale. One more place in the program where the Jacobian is computed would double the
        # time of compilation.
        ends = tuple(jnp.concatenate([end[-1:], end]) for end in ends)
        tolerances = jnp.concatenate([jnp.full(1, jnp.inf), tolerances])
        scale = jnp.ones(flatten(start.shared, start.local).shape)
    nothing = (
        jax.tree.map(lambda one: jnp.zeros(one.shape, one.dtype), like) if keep_blocks else None
    )
    (best, scale, region, blocks), (counts, converged) = jax.lax.scan(
        stage,
        (jnp.zeros(scale.shape), scale, jnp.asarray(start.region), nothing),
        (ends, tolerances),
    )
    shared, local = apply_step(start, scale, best)
    return Minimum(shared, local, jnp.sum(counts), converged[-1], region), blocks


_COMPILED = {
    optimised: quick_jit(
        minimise_traced,
        static_argnames=("layout", "method", "report", "keep_blocks"),
        optimised=optimised,
    )
    for optimised in (False, True)
}

LARGE = 8_000
"""Numbers in a Jacobian from which a minimisation is worth an optimised program, which takes twice
the time to compile and runs four times as fast.
"""


def is_large(layout: Layout, data: tuple[Any, ...], start: Start) -> bool:
    """Whether the Jacobian has ``LARGE`` numbers or more."""
    numbers = sum(
        block.residual.size * (start.shared.shape[0] + own.shape[1])
        for block, own in zip(layout.blocks_like(data), start.local, strict=False)
    )
    return numbers >= LARGE


def minimise(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    *,
    method: Method,
    steps: int,
    report: Report | None = None,
) -> Minimum:
    """Minimise half the sum of squares of the weighted residuals from ``start``; arguments as in
    ``Problem`` and ``fit``.
    """
    return minimise_with_blocks(
        layout, scene, data, start, method=method, steps=steps, report=report
    )[0]


def minimise_with_blocks(
    layout: Layout,
    scene: jc.Scene,
    data: tuple[Any, ...],
    start: Start,
    *,
    method: Method,
    steps: int,
    report: Report | None = None,
    tolerance: float = FINE,
) -> tuple[Minimum, tuple[Block, ...]]:
    """``minimise``, and the residuals with their Jacobian at the minimum, which an assessment
    needs.
    """
    known: dict[str, Any] = {"method": method, "steps": steps, "report": report}
    minimise_compiled = _COMPILED[is_large(layout, data, start)]
    if method in SOLVERS:
        found = minimise_compiled(
            layout, scene, data, start, None, tolerance=tolerance, keep_blocks=True, **known
        )
    else:
        scale = find_scale(jacobians(layout, scene, start.shared, start.local, data), start)
        minimum, _ = minimise_compiled(layout, scene, data, start, scale, **known)
        found = minimum, jacobians(layout, scene, minimum.shared, minimum.local, data)
    return jax.tree.map(np.asarray, found)
