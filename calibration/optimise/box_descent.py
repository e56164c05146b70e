"""Descent steps within a box, in which the linear model of the residuals can be trusted."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import lineax
import optimistix

LARGEST = 1.0
"""Largest step of a logarithmic or logistic coordinate, a factor of e. The linear model holds no
farther, and far out the gradient vanishes.
"""

PASSES = 4
"""How often, at most, coordinates are held at the wall and the others solved for again. What is
still outside then is clipped.
"""

ROUNDING = 1e-9
"""Relative rounding error of a coordinate that is held at the wall."""


class BoxQuery(NamedTuple):
    """What a step is computed from: where it begins, and residuals and Jacobian there."""

    y: jax.Array
    f_info: Any


class BoxConstrainedDescent(optimistix.AbstractDescent):
    """A box-constrained descent: coordinates that would leave the box go to its wall, and the
    others take the best step that goes with that.

    A coordinate that the data do not determine would take a very long step. If the whole step were
    shortened to fit, the other coordinates would hardly move.

    Attributes:
        inner: the descent.
        reach: half widths (n,) of the box, the largest step of each coordinate; infinite for no
            limit.
    """

    inner: optimistix.AbstractDescent
    reach: jax.Array

    def init(self, y: jax.Array, f_info_struct: optimistix.FunctionInfo) -> BoxQuery:
        """Zeros in the place of residuals and Jacobian."""
        shapes = jax.ShapeDtypeStruct
        return BoxQuery(
            y,
            jax.tree.map(
                lambda one: jnp.zeros(one.shape, one.dtype) if isinstance(one, shapes) else one,
                f_info_struct,
            ),
        )

    def query(self, y: jax.Array, f_info: optimistix.FunctionInfo, state: BoxQuery) -> BoxQuery:
        """Keep what a step is computed from."""
        return BoxQuery(y, f_info)

    def step(self, step_size: jax.Array, state: BoxQuery) -> tuple[jax.Array, Any]:
        """The inner step in the box."""
        y, f_info = state

        def best(held: jax.Array, wall: jax.Array) -> tuple[jax.Array, Any]:
            """The inner step of the coordinates that are not ``held`` at the ``wall``."""
            jacobian = lineax.FunctionLinearOperator(
                lambda step: f_info.jac.mv(jnp.where(held, 0.0, step)), f_info.jac.in_structure()
            )
            residual = f_info.residual + f_info.jac.mv(jnp.where(held, wall, 0.0))
            left = optimistix.FunctionInfo.ResidualJac(residual, jacobian)
            step, result = self.inner.step(
                step_size, self.inner.query(y, left, self.inner.init(y, left))
            )
            return jnp.where(held, wall, step), result

        def beyond(step: jax.Array) -> jax.Array:
            return jnp.abs(step) > self.reach * (1.0 + ROUNDING)

        def again(carry: tuple) -> jax.Array:
            _, step, _, passes = carry
            return (passes == 0) | (jnp.any(beyond(step)) & (passes < PASSES))

        def hold(carry: tuple) -> tuple:
            held, step, _, passes = carry
            held, wall = held | beyond(step), jnp.clip(step, -self.reach, self.reach)
            return held, *best(held, wall), passes + 1

        nothing = jnp.zeros(y.shape, dtype=bool)
        _, step, result, _ = jax.lax.while_loop(
            again, hold, (nothing, jnp.zeros_like(y), optimistix.RESULTS.successful, jnp.asarray(0))
        )
        return jnp.clip(step, -self.reach, self.reach), result
