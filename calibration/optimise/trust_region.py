"""Acceptance of steps that knows of rounding."""

import jax
import optimistix

ROUNDING = 1e-10
"""Part of a sum of squares below which a rise is rounding, and what is left of iterative solutions
of events.
"""

POOR, GOOD = 0.25, 0.75
"""Parts of the expected decrease below which the region is too large, and above which it is too
small (Nocedal and Wright 2006, 4.1).

Steps across a kink bring little, and would go to and fro for ever.
"""


class RoundedTrustRegion(optimistix.ClassicalTrustRegion):
    """The classical trust region, which also accepts steps that change the sum of squares by
    rounding only.

    At a minimum every step is such a step. Rejected ones would be tried again and again, each time
    shorter, before the search could end.
    """

    low_cutoff: float = POOR
    high_cutoff: float = GOOD

    def predict_reduction(self, y_diff: jax.Array, f_info: optimistix.FunctionInfo) -> jax.Array:
        """The expected decrease (negative), and room for rounding: a step is accepted where
        ``change <= low_cutoff * this``.
        """
        return (
            super().predict_reduction(y_diff, f_info) + ROUNDING * f_info.as_min() / self.low_cutoff
        )
