"""Branches of simulations in lanes: ``vmap`` turns a branch whose condition differs between lanes
into a choice, for which all lanes compute both sides, the expensive one, too.
"""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap

Result = TypeVar("Result")


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


def when(
    condition: jax.Array, found: Callable[[], Result], otherwise: Callable[[], Result]
) -> Result:
    """``found()`` where the ``condition`` holds, else ``otherwise()``, which is cheap: the first is
    computed only if the condition holds in any lane.
    """
    return jax.lax.cond(
        anywhere(condition), lambda: chosen(condition, found(), otherwise()), otherwise
    )


def either(
    condition: jax.Array, first: Callable[[], Result], second: Callable[[], Result]
) -> Result:
    """``first()`` where the ``condition`` holds, else ``second()``; each computed only if a lane
    needs it.
    """
    # compiled as a function of its own, it is traced once
    first = jax.jit(first)
    nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(first))
    one = jax.lax.cond(anywhere(condition), first, lambda: nothing)
    return when(~condition, second, lambda: one)


def chosen(condition: jax.Array, new: Result, old: Result) -> Result:
    """``new`` where the ``condition`` holds, else ``old``."""
    return jax.tree.map(lambda one, other: jnp.where(condition, one, other), new, old)
