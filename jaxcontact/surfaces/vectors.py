"""Distances and unit normals that stay defined where a displacement vanishes."""

import jax
import jax.numpy as jnp

from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.smooth import Real


def outward(displacement: Real, otherwise: Real) -> tuple[jax.Array, jax.Array]:
    """``|x|`` ``(...)`` and ``x/|x|`` ``(..., 3)``; at ``x = 0`` the direction is the unit vector
    ``otherwise`` ``(..., 3)``.

    There the distance is ``x . otherwise``, so that its gradient is the direction everywhere.
    Displacements shorter than the power 3/8 of the smallest normal number (4e-116 in float64, 6e-15
    in float32) count as zero: the second derivatives of the direction, ``1/x^2``, stay far from
    overflow.

    Args:
        displacement: ``x`` [m], ``(..., 3)``.
        otherwise: unit vector, ``(..., 3)``.

    Returns:
        Distance [m], ``(...)``, and direction [-], ``(..., 3)``.
    """
    squared = jnp.sum(displacement * displacement, axis=-1)
    apart = squared > jnp.finfo(squared.dtype).tiny ** 0.75
    distance = jnp.where(
        apart, jnp.sqrt(jnp.where(apart, squared, 1.0)), jnp.sum(displacement * otherwise, axis=-1)
    )
    direction = displacement / jnp.where(apart, distance, 1.0)[..., None]
    return distance, jnp.where(apart[..., None], direction, otherwise)


def perpendicular(axis: jax.Array) -> jax.Array:
    """A unit vector ``(3,)`` at right angles to the unit vector ``axis`` ``(3,)``: across the
    coordinate axis that is least parallel.

    Args:
        axis: unit vector, ``(3,)``.

    Returns:
        Unit vector, ``(3,)``.
    """
    across = cross(axis, jnp.eye(3, dtype=axis.dtype)[jnp.argmin(jnp.abs(axis))])
    return outward(across, across)[1]
