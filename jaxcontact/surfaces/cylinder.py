"""A cylinder with flat ends."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import model, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.axial import axial, check_axis
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface
from jaxcontact.surfaces.bore import walls_of_revolution
from jaxcontact.surfaces.box import orthogonal_intersection
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion


@model
class Cylinder(Surface):
    """A finite circular cylinder with flat ends; with ``hollow=True`` the closed drum that it
    encloses.

    Exact signed distance, C^1 outside. Inside the normal jumps where the wall and an end, or
    opposite parts of the wall, are equally close; simulations follow the wall and the ends of a
    drum as contacts of their own. In a drum hardly wider than itself a sphere has one contact with
    its wall.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.

    Example:
        >>> drum = jc.Cylinder(radius=0.3, hollow=True)
        >>> distance = jax.jit(lambda center: drum.closest(center, 0.0).distance)
        >>> print(f"{distance(jnp.array([0.1, 0.0, 0.0])):.2f} m to the wall")
        0.20 m to the wall
    """

    bounds_convex: ClassVar[bool] = True
    start: Vector = dimensions.point("centre of the first end", default=(0.0, 0.0, -0.5))
    end: Vector = dimensions.point("centre of the second end", default=(0.0, 0.0, 0.5))
    radius: Real = dimensions.length("radius", symbol="R")
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def __post_init__(self) -> None:
        check_axis("Cylinder", self.start, self.end)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        at = axial(center, self.start, self.end)
        beyond_middle = at.height >= 0.5 * at.length
        beyond_end = jnp.where(beyond_middle, at.height - at.length, -at.height)
        outwards = jnp.where(beyond_middle, at.axis, -at.axis)
        return orthogonal_intersection(
            jnp.stack([at.radius - self.radius, beyond_end]), jnp.stack([at.across, outwards])
        )

    def walls(self) -> tuple[Surface, ...]:
        if not self.hollow:
            return (self,)
        return walls_of_revolution(self.start, self.end, self.radius, self.radius, self.motion)

    def borders_at_rest(self, center: jax.Array) -> Borders:
        if self.hollow:
            return super().borders_at_rest(center)
        at = axial(center, self.start, self.end)
        return Borders.between_all(at.radius - self.radius, at.height, at.height - at.length)
