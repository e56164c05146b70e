"""The inverse of a small matrix by elimination, without a library call.

A sweep in two threads with LAPACK's factorisation in its place did not return on one machine; the
cause is not known.
"""

import jax
import jax.numpy as jnp


@jax.custom_jvp
def inverse(matrix: jax.Array) -> jax.Array:
    """Inverse of a square matrix by the elimination of Gauss and Jordan with row pivots."""
    count = len(matrix)
    index = jnp.arange(count)

    def eliminate(k: jax.Array, rows: jax.Array) -> jax.Array:
        pivot = jnp.argmax(jnp.where(index >= k, jnp.abs(rows[:, k]), -1.0))
        top, other = rows[pivot] / rows[pivot, k], rows[k]
        rows = rows.at[pivot].set(other)
        rows = rows - rows[:, k][:, None] * top
        return rows.at[k].set(top)

    both = jnp.concatenate([matrix, jnp.eye(count, dtype=matrix.dtype)], axis=1)
    return jax.lax.fori_loop(0, count, eliminate, both)[:, count:]


@inverse.defjvp
def _slope(matrices: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """``d(A^-1) = -A^-1 dA A^-1``, instead of the elimination with derivatives."""
    (matrix,), (change,) = matrices, tangents
    found = inverse(matrix)
    return found, -found @ change @ found
