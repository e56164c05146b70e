"""When a minimisation has come to its end: the data can no longer see its steps."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optimistix

GAIN = 1e-4
"""Of chi-squared, relative to the misfit: less is no progress. It is a hundredth of a standard
error.
"""

PATIENCE = 16
"""Steps without progress after which a search is given up; it takes ten to damp a step by a
million.
"""


class _Progress(NamedTuple):
    """State of the inner method, the lowest sum of squares when there was progress at last, and how
    many steps ago that was.
    """

    inner: Any
    lowest: jax.Array
    idle: jax.Array
    settled: jax.Array


class Settling(optimistix.AbstractLeastSquaresSolver):
    """A Gauss-Newton method that stops when its last step changed each residual by less than the
    tolerance, and would have changed all of them together by less with each coordinate moved alone.

    Where the data end to see a coordinate (the logarithm of something that is zero), its steps
    never become small, but its column of the Jacobian does. At a kink (a sample on a touch-down, an
    impact between sticking and sliding) no gradient vanishes: there a step as small as that which
    leads uphill is the end. A search that neither settles nor gets anywhere is given up.

    Attributes:
        inner: the method.
        lengths: from the second result of the residual function to the lengths of the columns of
            the Jacobian, (n,).
        atol: largest change, in standard deviations (those that the residuals show, where they are
            larger than what was stated).
        rtol: part of a residual that may be rounding.
        norm: of changes.
    """

    inner: Any
    lengths: Callable[[Any], jax.Array]
    atol: Any
    rtol: float
    norm: Callable[[Any], jax.Array]

    def init(self, *args: Any) -> Any:
        """As the inner method, which has made no progress yet."""
        return _Progress(
            self.inner.init(*args), jnp.asarray(jnp.inf), jnp.asarray(0), jnp.asarray(False)
        )

    def step(
        self, fn: Any, y: Any, args: Any, options: Any, state: Any, tags: Any
    ) -> tuple[Any, Any, Any]:
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
        idle = jnp.where(progress, 0, state.idle + 1)
        return new, _Progress(after, jnp.where(progress, chi2, state.lowest), idle, settled), aux

    def terminate(
        self, fn: Any, y: Any, args: Any, options: Any, state: Any, tags: Any
    ) -> tuple[jax.Array, Any]:
        """Whether it has settled, or is to be given up."""
        given_up = optimistix.RESULTS.where(
            state.idle > PATIENCE,
            optimistix.RESULTS.nonlinear_max_steps_reached,
            optimistix.RESULTS.successful,
        )
        return state.settled, optimistix.RESULTS.where(
            state.settled, optimistix.RESULTS.successful, given_up
        )

    def postprocess(
        self, fn: Any, y: Any, aux: Any, args: Any, options: Any, state: Any, tags: Any, result: Any
    ) -> Any:
        """As the inner method."""
        return self.inner.postprocess(fn, y, aux, args, options, state.inner, tags, result)
