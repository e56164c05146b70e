"""Minimisation of weighted residuals: Levenberg-Marquardt and dogleg by Optimistix, Adam and L-BFGS
by Optax.

Coordinates are scaled by the length of their Jacobian columns at the start, so that one unit is
about one standard deviation, whatever the physical units are. The Jacobian is block-structured
(shared columns, and columns of one recording each): it is computed in forward mode once for all
recordings together, and handed to the solver by a rule of differentiation of the residual.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import optimistix
from jax.typing import ArrayLike

import jaxcontact as jc
from calibration.model.parameter import has_transform
from calibration.optimise.box_descent import LARGEST, BoxConstrainedDescent
from calibration.optimise.schur import SchurComplementSolver
from calibration.optimise.termination import StepTerminatedSolver
from calibration.optimise.trust_region import RoundedTrustRegion
from calibration.problem.residuals import Block, Layout, jacobians
from calibration.runtime.compilation import quick_jit

SOLVERS = {"levenberg_marquardt": optimistix.LevenbergMarquardt, "dogleg": optimistix.Dogleg}
METHODS = (*SOLVERS, "adam", "lbfgs")

ROUGH, FINE = 1.0, 1e-5
"""Tolerances in standard deviations: of a guess for what follows, and of a result."""

Method: TypeAlias = str | optax.GradientTransformation
"""One of ``METHODS``, or an optimiser of Optax; static."""

Report: TypeAlias = Callable[[Any, Any], None]
"""What is told the iteration and chi-squared as a minimisation runs."""


class Minimum(NamedTuple):
    """The result of an optimiser.

    Attributes:
        shared: coordinates that all trials share, (S,).
        local: coordinates of the trials of each batch, (R, L).
        iterations: that it took.
        converged: whether it met its tolerance.
    """

    shared: Any
    local: Any
    iterations: Any
    converged: Any


class Start(NamedTuple):
    """The start of a minimisation.

    Attributes:
        shared: coordinates that all trials share, (S,).
        local: coordinates of the trials of each batch, (R, L).
        frozen: which shared coordinates keep their value, (S,).
        frozen_local: which coordinates of the trials of each batch keep theirs, (L,).
        stages: times [s] up to which samples are used, of each batch (stages, R).

    Stage k uses the samples of trial r of batch g up to the time ``stages[g][k, r]``; the last uses
    all. Long recordings are chaotic functions of wrong parameters: the first bounces lead to where
    the later ones can be followed.
    """

    shared: Any
    local: Any
    frozen: Any
    frozen_local: Any
    stages: Any

    def from_minimum(self, minimum: Minimum) -> "Start":
        """The same problem, begun at a minimum; every stage uses all samples."""
        ends = tuple(np.full_like(own, np.inf) for own in self.stages)
        return self._replace(shared=minimum.shared, local=minimum.local, stages=ends)

    @property
    def free(self) -> np.ndarray:
        """Which shared coordinates may move, (S,)."""
        return ~np.asarray(self.frozen)

    @property
    def free_local(self) -> tuple[np.ndarray, ...]:
        """Which coordinates of the trials of each batch may move, (L,) each."""
        return tuple(~np.asarray(frozen) for frozen in self.frozen_local)

    def free_blocks(
        self, blocks: tuple[Block, ...], *, also: tuple[int, ...] = ()
    ) -> tuple[Block, ...]:
        """Residuals with their derivatives by the coordinates that may move, as NumPy arrays.

        Args:
            blocks: of all coordinates.
            also: shared coordinates that are frozen but kept, behind the others.
        """
        shared = np.append(np.flatnonzero(self.free), np.asarray(also, dtype=int))
        kept, found = self.free_local, []
        for g, block in enumerate(blocks):
            own = np.asarray(block.by_local)
            found.append(
                Block(
                    np.asarray(block.residual),
                    np.asarray(block.by_shared)[..., shared],
                    own[..., kept[g]] if g < len(kept) else own,
                )
            )
        return tuple(found)


def flatten(shared: ArrayLike, local: tuple[ArrayLike, ...]) -> jax.Array:
    """One vector of all coordinates."""
    return jnp.concatenate([shared, *(jnp.ravel(own) for own in local)])


def unflatten(flat: jax.Array, like: Start) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    """The inverse of ``flatten``."""
    position, local = like.shared.shape[0], []
    for own in like.local:
        local.append(flat[position : position + own.size].reshape(own.shape))
        position += own.size
    return flat[: like.shared.shape[0]], tuple(local)


def mark_movable(start: Start) -> jax.Array:
    """Mark which of all coordinates may move."""
    own = tuple(
        jnp.broadcast_to(~frozen, local.shape)
        for frozen, local in zip(start.frozen_local, start.local, strict=True)
    )
    return flatten(~start.frozen, own)


def limit_steps(layout: Layout, start: Start, scale: jax.Array) -> jax.Array:
    """Largest scaled step of each coordinate: ``LARGEST`` of logarithmic and logistic ones,
    infinite of others.
    """
    batches = zip(layout.batches, start.local, strict=True)
    own = tuple(
        jnp.broadcast_to(has_transform(batch.trial_parameters), local.shape)
        for batch, local in batches
    )
    return jnp.where(
        flatten(has_transform(layout.global_parameters), own), LARGEST * scale, jnp.inf
    )


def measure_columns(blocks: tuple[Block, ...], start: Start) -> jax.Array:
    """Measure the Euclidean lengths of the columns of the Jacobian."""
    shared = jnp.sqrt(sum(jnp.sum(block.by_shared**2, axis=(0, 1)) for block in blocks))
    own = tuple(
        jnp.sqrt(jnp.sum(block.by_local**2, axis=1))
        for block, _ in zip(blocks, start.local, strict=False)
    )
    return flatten(shared, own)


def find_scale(blocks: tuple[Block, ...], start: Start) -> jax.Array:
    """Scale of the coordinates: the lengths of their columns, 1 for a column of zeros."""
    lengths = measure_columns(blocks, start)
    return jnp.where(lengths > 0, lengths, 1.0)


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


def apply_step(
    start: Start, scale: jax.Array, step: jax.Array
) -> tuple[jax.Array, tuple[jax.Array, ...]]:
    """Add a scaled step to the coordinates, shared and of the trials, of the start."""
    return unflatten(
        flatten(start.shared, start.local) + jnp.where(mark_movable(start), step / scale, 0.0),
        start,
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
    steps: int,
    report: Report | None,
    tolerance: ArrayLike = FINE,
    learning_rate: float = 0.05,
    keep_blocks: bool = False,
) -> tuple[Minimum, tuple[Block, ...] | None]:
    """Minimise half the sum of squares from ``start``; the second result are residuals and Jacobian
    there, where they are kept.

    Args:
        layout: of the problem.
        scene: of the problem.
        data: of the problem.
        start: first guess; frozen coordinates keep it.
        scale: of the coordinates, as ``find_scale``; ``None`` finds it at the start (not for Adam
            and L-BFGS).
        method: one of ``METHODS``.
        steps: at most so many iterations.
        report: ``None``, or a function of (iteration, chi-squared) called as it runs; static.
        tolerance: of ``StepTerminatedSolver``, in the last stage.
        learning_rate: of Adam, in units of the scaled coordinates' natural size.
        keep_blocks: whether residuals and Jacobian at the minimum are returned, too (not for Adam
            and L-BFGS).
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
        step, scale, blocks = carry
        ends, tolerance = ends_and_tolerance
        residual = scaled_residual(layout, scene, layout.until(data, ends), start, scale)
        if method not in SOLVERS:
            best, count, converged = _descend(
                lambda step: residual(step)[0],
                step,
                method=method,
                steps=steps,
                report=report,
                learning_rate=learning_rate,
            )
            return (best, scale, blocks), (count, converged)
        solver: Any = SOLVERS[method](
            rtol=1.0, atol=1.0, linear_solver=linear_solver, verbose=verbose
        )  # ``StepTerminatedSolver`` ends it
        own = (
            RoundedTrustRegion(),
            BoxConstrainedDescent(solver.descent, limit_steps(layout, start, scale)),
        )
        solver = eqx.tree_at(lambda solver: (solver.search, solver.descent), solver, own)

        def lengths(blocks: tuple[Block, ...]) -> jax.Array:
            return measure_columns(blocks, start) / scale

        solver = StepTerminatedSolver(
            inner=solver, lengths=lengths, atol=tolerance, rtol=1e-10, norm=optimistix.max_norm
        )
        solution: Any = optimistix.least_squares(
            lambda step, _: residual(step), solver, step, has_aux=True, max_steps=steps, throw=False
        )
        found = (
            solution.state.inner.aux
        )  # of the last accepted step; those in ``solution.aux`` are of the one before
        measured = jnp.isinf(tolerance)
        better_scale = jnp.where(measured, find_scale(found, start), scale)
        count = jnp.where(measured, 0, solution.stats["num_steps"])
        return (solution.value, better_scale, found if keep_blocks else None), (
            count,
            solution.result == optimistix.RESULTS.successful,
        )

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
    (best, scale, blocks), (counts, converged) = jax.lax.scan(
        stage, (jnp.zeros(scale.shape), scale, nothing), (ends, tolerances)
    )
    shared, local = apply_step(start, scale, best)
    return Minimum(shared, local, jnp.sum(counts), converged[-1]), blocks


_minimise_compiled = quick_jit(
    minimise_traced, static_argnames=("layout", "method", "steps", "report", "keep_blocks")
)


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
    if method in SOLVERS:
        found = _minimise_compiled(
            layout, scene, data, start, None, tolerance=tolerance, keep_blocks=True, **known
        )
    else:
        scale = find_scale(jacobians(layout, scene, start.shared, start.local, data), start)
        minimum, _ = _minimise_compiled(layout, scene, data, start, scale, **known)
        found = minimum, jacobians(layout, scene, minimum.shared, minimum.local, data)
    return jax.tree.map(np.asarray, found)


def _descend(
    residual: Any,
    start: jax.Array,
    *,
    method: Method,
    steps: int,
    report: Report | None,
    learning_rate: float,
) -> tuple:
    """First-order descent of the mean square by Optax, keeping the best point."""

    def cost_and_gradient(step: jax.Array) -> tuple[jax.Array, jax.Array]:
        values, push = jax.linearize(residual, step)
        (gradient,) = jax.linear_transpose(push, step)(values)
        return jnp.sum(values**2) / 2, gradient

    @jax.custom_vjp
    def objective(step: jax.Array) -> jax.Array:
        return cost_and_gradient(step)[0]

    objective.defvjp(cost_and_gradient, lambda gradient, cotangent: (cotangent * gradient,))
    if isinstance(method, str):
        method = (
            optax.adam(optax.cosine_decay_schedule(learning_rate, steps))
            if method == "adam"
            else optax.lbfgs()
        )
    optimiser = optax.with_extra_args_support(method)

    def advance(carry: tuple) -> tuple:
        point, state, best, lowest, count, _ = carry
        value, gradient = cost_and_gradient(point)
        updates, state = optimiser.update(
            gradient, state, point, value=value, grad=gradient, value_fn=objective
        )
        better = value < lowest
        best, lowest = jnp.where(better, point, best), jnp.where(better, value, lowest)
        if report is not None:
            jax.debug.callback(report, count, 2 * value)
        # In scaled coordinates the gradient is a number of standard deviations.
        done = jnp.max(jnp.abs(gradient)) < 1e-4 * jnp.sqrt(1 + value)
        return optax.apply_updates(point, updates), state, best, lowest, count + 1, done

    first = (
        start,
        optimiser.init(start),
        start,
        jnp.asarray(jnp.inf),
        jnp.asarray(0),
        jnp.asarray(False),
    )
    _, _, best, _, count, done = jax.lax.while_loop(
        lambda carry: (carry[4] < steps) & ~carry[5], advance, first
    )
    return best, count, done
