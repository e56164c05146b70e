"""Steps of a descent, cut to what the model can be trusted for."""

from typing import Any

import jax
import jax.numpy as jnp
import optimistix

LARGEST = 1.0
"""Largest step of a logarithmic or logistic coordinate, a factor of e. Straight lines hold no farther, and far out no slope leads back."""


class LimitedDescent(optimistix.AbstractDescent):
    """A descent whose steps are shortened, in their own direction, until no coordinate moves by more than its reach.

    Attributes:
        inner: the descent.
        reach: (n,) largest step of each coordinate; infinite for no limit.
    """

    inner: Any
    reach: Any

    def init(self, y: Any, f_info_struct: Any) -> Any:
        """As the inner one."""
        return self.inner.init(y, f_info_struct)

    def query(self, y: Any, f_info: Any, state: Any) -> Any:
        """As the inner one."""
        return self.inner.query(y, f_info, state)

    def step(self, step_size: jax.Array, state: Any) -> tuple[Any, Any]:
        """The inner step, shortened."""
        step, result = self.inner.step(step_size, state)
        return step / jnp.maximum(jnp.max(jnp.abs(step) / self.reach, initial=0.0), 1.0), result
