"""Termination of a minimisation: its steps no longer change the residuals."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optimistix

GAIN = 1e-4
"""Least fall of chi-squared, relative to the misfit, that counts as progress: a hundredth of a
standard error.
"""

PATIENCE = 16
"""Steps without progress after which a search is given up; it takes ten to damp a step by a
million.
"""


class _Progress(NamedTuple):
    """State of the termination test.

    Attributes:
        inner: state of the inner method.
        lowest: sum of squares at the last progress.
        taken: steps so far,
        idle: and since then.
        settled: whether the last step met the tolerance.
    """

    inner: Any
    lowest: jax.Array
    taken: jax.Array
    idle: jax.Array
    settled: jax.Array


class StepTerminatedSolver(optimistix.AbstractLeastSquaresSolver):
    """A Gauss-Newton method with a termination test on the scaled step.

    It stops when the last step changed each residual by less than the tolerance, and when the step
    of each coordinate alone, ``|step_j| |J_j|`` with the column ``J_j`` of the Jacobian, is below
    the tolerance too. A coordinate that the data stop to determine (the logarithm of something that
    is zero) takes steps that never become small, but its column does. At a kink (a sample on a
    touch-down, an impact between sticking and sliding) no gradient vanishes: there the search ends
    at a rejected step of that size. A search that makes no progress is given up.

    Steps are counted here, as those that Optimistix counts to are part of the program: then a fit,
    with its hundreds of them, and a short search next to its minimum would each be compiled.

    Attributes:
        inner: the method.
        lengths: from the second result of the residual function to the lengths of the columns of
            the Jacobian, (n,).
        atol: largest change, in standard deviations (those that the residuals show, where they are
            larger than what was stated).
        rtol: part of a residual that may be rounding.
        norm: of changes.
        steps: at most so many.
    """

    inner: optimistix.AbstractLeastSquaresSolver
    lengths: Callable[[Any], jax.Array]
    atol: Any
    rtol: float
    norm: Callable[[Any], jax.Array]
    steps: Any

    def init(self, *args: Any) -> _Progress:
        """As the inner method, which has made no progress yet."""
        return _Progress(
            self.inner.init(*args),
            lowest=jnp.asarray(jnp.inf),
            taken=jnp.asarray(0),
            idle=jnp.asarray(0),
            settled=jnp.asarray(False),
        )

    def step(
        self,
        fn: Callable[..., Any],
        y: jax.Array,
        args: object,
        options: dict[str, Any],
        state: _Progress,
        tags: frozenset[object],
    ) -> tuple[jax.Array, _Progress, Any]:
        """A step of the inner method, and whether it was the last."""
        new, after, aux = self.inner.step(fn, y, args, options, state.inner, tags)
        residual = after.f_info.residual
        chi2 = jnp.sum(residual**2)
        misfit = jnp.maximum(chi2 / residual.size, 1.0)
        tolerance = self.atol * jnp.sqrt(misfit)
        changed = self.norm(
            (residual - state.inner.f_info.residual) / (tolerance + self.rtol * jnp.abs(residual))
        )
        tried = self.norm((state.inner.y_eval - y) * self.lengths(after.aux) / tolerance)
        settled = (changed < 1.0) & (tried < 1.0)  # a step that was not taken changed nothing
        progress = chi2 < state.lowest - GAIN * misfit
        state = _Progress(
            after,
            lowest=jnp.where(progress, chi2, state.lowest),
            taken=state.taken + 1,
            idle=jnp.where(progress, 0, state.idle + 1),
            settled=settled,
        )
        return new, state, aux

    def terminate(
        self,
        fn: Callable[..., Any],
        y: jax.Array,
        args: object,
        options: dict[str, Any],
        state: _Progress,
        tags: frozenset[object],
    ) -> tuple[jax.Array, optimistix.RESULTS]:
        """Whether the tolerance is met, or the search is given up, or no step is left."""
        given_up = optimistix.RESULTS.where(
            (state.idle > PATIENCE) | (state.taken >= self.steps),
            optimistix.RESULTS.nonlinear_max_steps_reached,
            optimistix.RESULTS.successful,
        )
        return state.settled, optimistix.RESULTS.where(
            state.settled, optimistix.RESULTS.successful, given_up
        )

    def postprocess(
        self,
        fn: Callable[..., Any],
        y: jax.Array,
        aux: Any,
        args: object,
        options: dict[str, Any],
        state: _Progress,
        tags: frozenset[object],
        result: optimistix.RESULTS,
    ) -> tuple[jax.Array, Any, dict[str, Any]]:
        """As the inner method."""
        return self.inner.postprocess(fn, y, aux, args, options, state.inner, tags, result)
