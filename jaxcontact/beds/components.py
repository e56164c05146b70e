"""Vectors as three arrays, one for each component (a structure of arrays).

The compiler makes one loop over contacts of whatever is written so; an axis of three would be a
loop of its own, or a transposition.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

Components = tuple[jax.Array, jax.Array, jax.Array]
"""The x, y and z components of vectors, each an array of the same shape."""


def each(function: Callable[..., jax.Array], *vectors: Components) -> Components:
    """``function`` of the components in each direction."""
    return (
        function(*(vector[0] for vector in vectors)),
        function(*(vector[1] for vector in vectors)),
        function(*(vector[2] for vector in vectors)),
    )


def dot(a: Components, b: Components) -> jax.Array:
    """``a . b``."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Components, b: Components) -> Components:
    """``a x b``."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def from_last_axis(vectors: jax.Array) -> Components:
    """The components of ``(..., 3)``."""
    return (vectors[..., 0], vectors[..., 1], vectors[..., 2])


def to_last_axis(vector: Components) -> jax.Array:
    """``(..., 3)`` of components."""
    return jnp.stack(vector, axis=-1)
