"""A function of many rows that are independent of each other, for some of them at a time."""

from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

Result = TypeVar("Result")

SIZE = 512
"""Rows in a block: what is computed for them, times the inputs by which it is differentiated, stays
in the fast memory of a processor.
"""


def in_blocks(function: Callable[[Any], Result], rows: Any) -> Result:
    """``function(rows)``, in blocks where there are many rows and a processor works on them; an
    accelerator is faster with all at once.

    Args:
        function: to arrays ``(n, ...)`` each of whose rows depends on its own row only.
        rows: a tree of arrays ``(n, ...)``.
    """
    count = len(jax.tree.leaves(rows)[0])
    if count <= 2 * SIZE or jax.default_backend() != "cpu":
        return function(rows)
    blocks = -(-count // SIZE)

    def cut(leaf: jax.Array) -> jax.Array:
        last = jnp.broadcast_to(leaf[-1:], (blocks * SIZE - count, *leaf.shape[1:]))
        return jnp.concatenate([leaf, last]).reshape(blocks, SIZE, *leaf.shape[1:])

    def joined(leaf: jax.Array) -> jax.Array:
        return leaf.reshape(blocks * SIZE, *leaf.shape[2:])[:count]

    return jax.tree.map(joined, jax.lax.map(function, jax.tree.map(cut, rows)))
