"""Unit vectors with finite derivatives, and products of vectors."""

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real, safe_norm


def distance_and_direction(displacement: Real) -> tuple[jax.Array, jax.Array]:
    """``|x|`` ``(...)`` and ``x/|x|`` ``(..., 3)``; both zero, with zero derivatives, at ``x = 0``,
    where no direction exists.

    Args:
        displacement: ``x`` [m], ``(..., 3)``.

    Returns:
        Distance [m], ``(...)``, and direction [-], ``(..., 3)``.
    """
    displacement = jnp.asarray(displacement)
    distance = safe_norm(displacement)
    inside = distance > 0.0
    return distance, displacement * jnp.where(inside, 1.0 / jnp.where(inside, distance, 1.0), 0.0)[
        ..., None
    ]


@jax.jit
def cross(first: Real, second: Real) -> jax.Array:
    """``first x second``, ``(..., 3)``: ``jnp.cross`` in two thirds of its operations, of which a
    contact has many, and which all have to be compiled.
    """
    a, b = (
        [jnp.asarray(vector)[..., axis : axis + 1] for axis in range(3)]
        for vector in (first, second)
    )
    return jnp.concatenate(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], axis=-1
    )
