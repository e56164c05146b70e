"""Rows that are independent of each other, some at a time."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.numerics.blocks import SIZE, in_blocks


@pytest.mark.parametrize("count", [1, 2 * SIZE, 2 * SIZE + 1, 3 * SIZE, 4 * SIZE - 1])
def test_blocks_give_what_all_rows_give_at_once(count):
    rows = jnp.linspace(0.1, 2.0, count), jnp.arange(3.0 * count).reshape(count, 3)

    def function(rows, factor=2.0):
        value, vector = rows
        return {"a": factor * value, "b": jnp.sin(value)[:, None] * vector}

    def slope(factor):
        return in_blocks(lambda rows: function(rows, factor), rows)["a"]

    for found, wanted in zip(
        *map(jax.tree.leaves, (in_blocks(function, rows), function(rows))), strict=True
    ):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(jax.jacfwd(slope)(2.0), rows[0])
    np.testing.assert_allclose(jax.grad(lambda x: jnp.sum(slope(x)))(2.0), jnp.sum(rows[0]))
