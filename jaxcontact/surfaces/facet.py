"""A flat triangle."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.closest_point import ClosestPoint
from jaxcontact.geometry.triangle import (
    FACE,
    borders_of_triangle,
    closest_point_on_triangle,
    triangle_normal,
)
from jaxcontact.numerics.smooth import Vectors
from jaxcontact.parameters import is_concrete, model, parameter, static
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion

_ROUNDING_UNITS = 8.0


@model
class Facet(Surface):
    """A triangle; its normal follows from its vertices by the right-hand rule.

    Two-sided, the distance is never negative and C^1 off the triangle: a sphere is pushed to the
    side on which its centre is, so one whose centre has passed is pushed through. One-sided, the
    distance is negative over the back of the face: a sphere is pushed to the front however deep it
    is. Around the edges it is that of the two-sided facet; where these regions meet behind the face
    the distance jumps, so a one-sided facet belongs to the boundary of a body in which no centre
    gets far.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        two_sided: whether spheres are pushed to the side on which their centre is.

    Example:
        >>> facet = jc.Facet(vertices=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
        >>> distance = jax.jit(lambda center: facet.closest(center, 0.0).distance)
        >>> print(f"{distance(jnp.array([0.2, 0.2, 0.1])):.2f} m")
        0.10 m
    """

    bounds_convex: ClassVar[bool] = True
    vertices: Vectors = parameter(unit="m", label="vertices", symbol="x", shape=(3, 3))
    motion: PrescribedMotion | None = None
    two_sided: bool = static(default=False)

    def __post_init__(self) -> None:
        if is_concrete(self.vertices):
            first, second, third = np.asarray(self.vertices, dtype=float)
            if not np.any(np.cross(second - first, third - first)):
                raise ValueError(
                    f"Facet: vertices = {self.vertices} m are on one line. A facet needs an "
                    "area to have a normal."
                )

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        found = closest_point_on_triangle(center, self.vertices)
        behind = (found.region == FACE) & (found.height < 0.0)
        side = jnp.where(behind & (not self.two_sided), -1.0, 1.0).astype(center.dtype)
        rounding = rounding_of_distance(center, self.vertices)
        return signed_distance(
            center, found, rounding=rounding, side=side, otherwise=triangle_normal(self.vertices)
        )

    def borders_at_rest(self, center: jax.Array) -> Borders:
        region = closest_point_on_triangle(center, self.vertices).region
        return Borders(*borders_of_triangle(center, self.vertices, region))


def signed_distance(
    center: jax.Array,
    found: ClosestPoint,
    *,
    rounding: jax.Array,
    side: jax.Array,
    otherwise: jax.Array,
) -> DistanceAndNormal:
    """Distance and normal from the closest point of a triangle.

    Args:
        center: [m], ``(3,)``.
        found: closest point to it.
        rounding: of the distance [m], ``()``; from ``rounding_of_distance``.
        side: 1 on the free side, -1 on the other.
        otherwise: unit normal on the surface, where the direction to the closest point is rounding;
            the gradient of the distance is the normal there too.
    """
    apart = found.distance > rounding
    distance = jnp.where(apart, side * found.distance, jnp.dot(center - found.point, otherwise))
    return distance, jnp.where(apart, -side * found.direction, otherwise)


def rounding_of_distance(center: jax.Array, triangles: Vectors) -> jax.Array:
    """What is rounding of a distance from triangles with these vertices [m], ``()``: some units of
    that of the largest coordinate.
    """
    size = jnp.maximum(jnp.max(jnp.abs(center)), jnp.max(jnp.abs(jnp.asarray(triangles))))
    return _ROUNDING_UNITS * jnp.finfo(center.dtype).eps * jax.lax.stop_gradient(size)
