"""Unit vectors with finite derivatives."""

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
