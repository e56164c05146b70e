"""The point of a triangle that is closest to a given point.

The triangle divides space into seven regions (Voronoi regions of its features): beyond a vertex,
beyond an edge, over the face. The distance has a continuous gradient off the triangle; the closest
point is continuous, and its derivative jumps between regions.

Source of the regions: C. Ericson, Real-Time Collision Detection (2005), section 5.1.5. The closest
point is found another way, which also holds for triangles without area: the foot of the
perpendicular if the point is on the inner side of all edges, else the closest of the points of the
three edges.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.closest_point import ClosestPoint
from jaxcontact.geometry.segment import displacement_to_segment
from jaxcontact.geometry.vectors import cross, distance_and_direction
from jaxcontact.numerics.smooth import Real, Vector, Vectors

REGIONS = ("V1", "V2", "V3", "E12", "E23", "E31", "F")
"""Names of the regions, in the order of ``ClosestPoint.region``: vertices, edges, face."""

FACE = REGIONS.index("F")

_REGIONS_OF_EDGES = ((0, 1, 3), (1, 2, 4), (2, 0, 5))
"""Region of the triangle for the start, the end and the interior of each edge."""

_BORDERS = np.zeros((len(REGIONS), 3, 3), dtype=bool)
"""Which borders each region has, ``(region, edge, kind)``: that of an edge with the face, with the
vertex at its start, and with that at its end.
"""
_BORDERS[FACE, :, 0] = True
for _edge, (_start, _end, _interior) in enumerate(_REGIONS_OF_EDGES):
    _BORDERS[_interior, _edge, :] = True
    _BORDERS[_start, _edge, 1] = True
    _BORDERS[_end, _edge, 2] = True


def triangle_normal(triangle: Vectors) -> jax.Array:
    """Unit normal ``(..., 3)`` by the right-hand rule of the vertices ``(..., 3, 3)``; zero, with
    zero derivatives, without area.

    A triangle counts as without area when the sines of its angles add up to less than the root of
    the rounding error (1.5e-8 in float64): its normal would have lost half of the digits.

    Args:
        triangle: vertices [m], ``(..., 3, 3)``, the last axis that of the components.

    Returns:
        Unit normal, ``(..., 3)``.
    """
    triangle = jnp.asarray(triangle)
    _, edges = distance_and_direction(jnp.roll(triangle, -1, axis=-2) - triangle)
    following = jnp.roll(edges, -1, axis=-2)
    summed = jnp.sum(
        cross(edges, following), axis=-2
    )  # three parallel vectors; one of the angles is always well conditioned
    has_area = jnp.sum(summed * summed, axis=-1, keepdims=True) > jnp.finfo(summed.dtype).eps
    return jnp.where(has_area, distance_and_direction(jnp.where(has_area, summed, 0.0))[1], 0.0)


def closest_point_on_triangle(
    point: Vector, triangle: Vectors, *, beyond: Real = 0.0
) -> ClosestPoint:
    """The point of ``triangle`` that is closest to ``point``.

    Triangles that are collapsed to a segment or a point are those. Derivatives of two orders are
    finite everywhere and right away from the boundaries of the regions. At zero distance
    ``direction`` is minus the normal of the triangle, as on approach from its positive side (zero
    for a triangle without area).

    Args:
        point: [m], ``(..., 3)``.
        triangle: vertices [m], ``(..., 3, 3)``, the last axis that of the components.
        beyond: how far beyond an edge a point still counts as over the face [m], ``()``: what is
            rounding of the vertices.

    Returns:
        The closest point, its distance and direction.
    """
    point, triangle = jnp.asarray(point), jnp.asarray(triangle)
    normal = triangle_normal(triangle)
    to_point = point[..., None, :] - triangle
    height = jnp.sum(normal * to_point[..., 0, :], axis=-1)

    ends = jnp.roll(triangle, -1, axis=-2)
    along = ends - triangle
    outermost = -beyond * distance_and_direction(along)[0]
    has_area = jnp.any(normal != 0.0, axis=-1)
    over_face = has_area & jnp.all(_inward(normal, along, to_point) > outermost, axis=-1)

    to_edges, parts = displacement_to_segment(point[..., None, :], triangle, ends)
    closest = jnp.argmin(jnp.sum(to_edges * to_edges, axis=-1), axis=-1)[..., None] == jnp.arange(3)
    to_edge = jnp.sum(jnp.where(closest[..., None], to_edges, 0.0), axis=-2)
    names = jnp.asarray(_REGIONS_OF_EDGES)[jnp.arange(3), parts]
    region = jnp.where(over_face, FACE, jnp.sum(jnp.where(closest, names, 0), axis=-1))

    # over the face distance and direction come from the normal: exact however close the point is
    side = jnp.where(height >= 0.0, 1.0, -1.0).astype(height.dtype)
    distance, direction = distance_and_direction(to_edge)
    along_normal = (over_face | (distance == 0.0))[..., None]
    direction = jnp.where(along_normal, -side[..., None] * normal, direction)
    displacement = jnp.where(over_face[..., None], -height[..., None] * normal, to_edge)
    return ClosestPoint(
        point + displacement,
        jnp.where(over_face, side * height, distance),
        direction,
        height,
        region,
    )


def _inward(normal: jax.Array, along: jax.Array, to_point: jax.Array) -> jax.Array:
    """How far points are on the inner side of the edges ``along``, times their length."""
    return jnp.sum(normal[..., None, :] * cross(along, to_point), axis=-1)


def borders_of_triangle(
    point: Vector, triangle: Vectors, region: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Signed distances of ``point`` from the planes between the regions, and which of them bound
    that in which it is, ``(..., 9)`` each.

    Args:
        point: [m], ``(..., 3)``.
        triangle: vertices [m], ``(..., 3, 3)``, the last axis that of the components.
        region: in which the point is, as of ``closest_point_on_triangle``, ``(...)``.
    """
    point, triangle = jnp.asarray(point), jnp.asarray(triangle)
    to_point = point[..., None, :] - triangle
    length, axis = distance_and_direction(jnp.roll(triangle, -1, axis=-2) - triangle)
    along = jnp.sum(axis * to_point, axis=-1)
    inward = _inward(triangle_normal(triangle), axis, to_point)
    planes = jnp.stack([inward, along, along - length], axis=-1)
    bounds = jnp.asarray(_BORDERS)[region]
    flat = (*planes.shape[:-2], 9)
    return jnp.reshape(planes, flat), jnp.reshape(bounds, flat)
