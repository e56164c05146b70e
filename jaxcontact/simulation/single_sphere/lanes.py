"""Branches of simulations in lanes."""

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap


def everywhere(condition: jax.Array, lanes: str | None) -> jax.Array:
    """Whether ``condition`` holds in all lanes of the mapped axis ``lanes``, if there is one: then
    a branch on it stays a branch.
    """
    return condition if lanes is None else jax.lax.pmin(condition.astype(jnp.int32), lanes) == 1


@custom_vmap
def anywhere(condition: jax.Array) -> jax.Array:
    """Whether ``condition`` holds in any lane of all axes over which ``vmap`` maps, named or not: a
    branch on it stays a branch. What is computed where it does not hold must not be used.
    """
    return condition


@anywhere.def_vmap
def _in_lanes(size: int, mapped: list[bool], condition: jax.Array) -> tuple[jax.Array, bool]:
    return anywhere(jnp.any(condition, axis=0) if mapped[0] else condition), False
