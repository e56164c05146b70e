"""Acceptance of steps, and how far the next one may go."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optimistix

ROUNDING = 1e-10
"""Part of a sum of squares below which a rise is rounding, and what is left of iterative solutions
of events.
"""

ACCEPTED = 0.25
"""Part of the expected decrease that a step must bring. Steps across a kink bring less, and would
go to and fro for ever.
"""

FIRST_REGION = np.float64(1.0)
"""Size of the region in which a search begins, a standard deviation of each coordinate alone."""

SMALLEST, LARGEST = 0.25, 3.5
"""How much smaller, and how much larger, the region gets at most in one step."""


class GradualTrustRegion(optimistix.ClassicalTrustRegion):
    """A trust region whose size follows the gain ratio, decrease over expected decrease: an
    accepted step multiplies it by ``1/(1 - (2 gain - 1)^3)``.

    Along a curved valley a region that grows by a fixed factor after each good step is too large
    every second time, and the step is made in vain. In between there is a size that keeps the gain
    at one half, which this rule finds.

    Steps that change the sum of squares by rounding only are accepted, too: at a minimum every step
    is such a step. Rejected ones would be tried again and again, each time shorter, before the
    search could end.

    Source: H. B. Nielsen, Damping Parameter in Marquardt's Method, report IMM-REP-1999-05,
    Technical University of Denmark (1999).

    Attributes:
        first: size of the region at first.
    """

    first: Any = FIRST_REGION

    def init(self, y: jax.Array, f_info_struct: Any) -> Any:
        """The region before the first step."""
        state = super().init(y, f_info_struct)
        return eqx.tree_at(lambda state: state.step_size, state, jnp.asarray(self.first))

    def step(
        self,
        first_step: jax.Array,
        y: jax.Array,
        y_eval: jax.Array,
        f_info: Any,
        f_eval_info: Any,
        state: Any,
    ) -> tuple[jax.Array, jax.Array, optimistix.RESULTS, Any]:
        """Size of the region after the step to ``y_eval``, and whether the step is taken."""
        expected = self.predict_reduction(y_eval - y, f_info)
        change = f_eval_info.as_min() - f_info.as_min()
        rounding = ROUNDING * f_info.as_min()
        accepted = change <= ACCEPTED * expected + rounding
        gain = jnp.where(expected < 0, change / jnp.where(expected < 0, expected, 1.0), 1.0)
        factor = 1 / jnp.clip(1 - (2 * gain - 1) ** 3, 1 / LARGEST, 1 / SMALLEST)
        factor = jnp.where(jnp.abs(change) <= rounding, 1.0, factor)
        factor = jnp.where(accepted, factor, SMALLEST)
        # What comes before the first step is no step.
        size = state.step_size * jnp.where(first_step, 1.0, factor)
        after = eqx.tree_at(lambda state: state.step_size, state, size)
        done: Any = optimistix.RESULTS.successful
        return size, accepted | first_step, done, after
