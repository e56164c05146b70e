"""A cylinder with half balls on both ends."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from jaxcontact.geometry.segment import displacement_to_segment
from jaxcontact.geometry.vectors import distance_and_direction
from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import model, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.axial import axial, check_axis
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward, perpendicular


@model
class Capsule(Surface):
    """The points within ``radius`` of a segment; with ``hollow=True`` the cavity of this form.

    ``distance`` is that from the segment minus the radius, exact on both sides. C^1 but on the
    segment itself, where the normal is some vector at right angles to the axis; the curvature jumps
    where the half balls begin.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.

    Example:
        >>> rod = jc.Capsule(start=(0.0, 0.0, 0.0), end=(0.0, 0.0, 1.0), radius=0.05)
        >>> print(f"{rod.closest((0.2, 0.0, 0.5), time=0.0).distance:.2f} m")
        0.15 m
    """

    bounds_convex: ClassVar[bool] = True
    start: Vector = dimensions.point("start of the axis", default=(0.0, 0.0, -0.5))
    end: Vector = dimensions.point("end of the axis", default=(0.0, 0.0, 0.5))
    radius: Real = dimensions.length("radius", symbol="R")
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def __post_init__(self) -> None:
        check_axis("Capsule", self.start, self.end)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        to_axis, _ = displacement_to_segment(center, self.start, self.end)
        _, axis = distance_and_direction(jnp.asarray(self.end) - jnp.asarray(self.start))
        distance, normal = outward(-to_axis, perpendicular(axis))
        return distance - self.radius, normal

    def borders_at_rest(self, center: jax.Array) -> Borders:
        at = axial(center, self.start, self.end)
        return Borders.between_all(at.height, at.height - at.length)
