"""The point of a line segment that is closest to a given point; in the plane also with the sides of
the segment.
"""

import jax
import jax.numpy as jnp

from jaxcontact.geometry.closest_point import ClosestPoint
from jaxcontact.geometry.vectors import distance_and_direction
from jaxcontact.numerics.smooth import Real, Vector, Vectors

START, END, INTERIOR = 0, 1, 2


def displacement_to_segment(point: Real, start: Vector, end: Vector) -> tuple[jax.Array, jax.Array]:
    """From ``point`` to the closest point of the segment ``(..., 3)``, and the region ``(...)``:
    ``START``, ``END`` or ``INTERIOR``.

    A segment without length is its start. Continuous in all arguments; the derivative jumps where
    the region changes, that of the distance does not (off the segment).

    Args:
        point: ``(..., 3)``; two components do as well.
        start: ``(..., 3)``.
        end: ``(..., 3)``.
    """
    start, end = jnp.asarray(start) - point, jnp.asarray(end) - point
    length, axis = distance_and_direction(end - start)
    along = -jnp.sum(start * axis, axis=-1)
    region = jnp.where(along <= 0.0, START, jnp.where(along >= length, END, INTERIOR))
    inside = start + along[..., None] * axis
    at = region[..., None]
    return jnp.where(at == START, start, jnp.where(at == END, end, inside)), region


def closest_point_on_planar_segment(point: Vector, segment: Vectors) -> ClosestPoint:
    """The point of ``segment`` that is closest to ``point``, both in the xy plane; its normal is
    ``k x (end - start)/length``.

    Derivatives are finite everywhere and right away from the boundaries of the regions. A segment
    without length has no normal.

    Args:
        point: [m], ``(..., 3)``.
        segment: start and end [m], ``(..., 2, 3)``.
    """
    point, segment = jnp.asarray(point), jnp.asarray(segment)
    start, end = segment[..., 0, :], segment[..., 1, :]
    _, axis = distance_and_direction(end - start)
    normal = jnp.stack([-axis[..., 1], axis[..., 0], jnp.zeros_like(axis[..., 0])], axis=-1)
    height = jnp.sum(normal * (point - start), axis=-1)
    displacement, region = displacement_to_segment(point, start, end)
    distance, direction = distance_and_direction(displacement)
    side = jnp.where(height >= 0.0, 1.0, -1.0).astype(height.dtype)
    inside = region == INTERIOR
    along_normal = (inside | (distance == 0.0))[..., None]
    direction = jnp.where(along_normal, -side[..., None] * normal, direction)
    return ClosestPoint(
        point + displacement, jnp.where(inside, side * height, distance), direction, height, region
    )
