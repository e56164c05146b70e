"""The wall of a drum or a hopper without its ends, and both with them."""

import jax
import jax.numpy as jnp

from jaxcontact.geometry.vectors import distance_and_direction
from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import model, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.axial import axial, slant
from jaxcontact.surfaces.base import DistanceAndNormal, Surface
from jaxcontact.surfaces.plane import Plane
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion


@model
class Bore(Surface):
    """The wall of revolution through two circles, continued beyond both; seen from inside.

    The distance is that along the normal of the generator: analytic except on the axis.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.
    """

    start: Vector = dimensions.point("centre of the first circle")
    end: Vector = dimensions.point("centre of the second circle")
    start_radius: Real = dimensions.length("radius of the first circle", symbol="R_1")
    end_radius: Real = dimensions.length("radius of the second circle", symbol="R_2")
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=True)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        at = axial(center, self.start, self.end)
        wall = slant(at, self.start_radius, self.end_radius, at.length)
        return wall.over, wall.normal


def walls_of_revolution(
    start: Vector,
    end: Vector,
    start_radius: Real,
    end_radius: Real,
    motion: PrescribedMotion | None,
) -> tuple[Surface, ...]:
    """Wall and both flat ends of a hollow frustum."""
    first, second = 1.0 * jnp.asarray(start), 1.0 * jnp.asarray(end)
    _, axis = distance_and_direction(second - first)
    return (
        Bore(start=start, end=end, start_radius=start_radius, end_radius=end_radius, motion=motion),
        Plane(normal=axis, offset=jnp.dot(axis, first), motion=motion),
        Plane(normal=-axis, offset=-jnp.dot(axis, second), motion=motion),
    )
