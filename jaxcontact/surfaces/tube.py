"""A thin tube, open at both ends."""

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import model
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.axial import axial, check_axis
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward


@model
class Tube(Surface):
    """The curved side of a finite circular cylinder, without thickness, free on both sides: a
    cylinder that is lifted off a heap, or the rim of a plate.

    The distance is that to the nearest point of the tube, never negative. C^1 except on the axis,
    where the normal is any at right angles to it, and on the tube itself, where it changes sides:
    a sphere whose centre has passed through is on the other side.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.

    Example:
        >>> lifted = jc.Tube(radius=0.3, motion=jc.PrescribedMotion(velocity=(0.0, 0.0, 0.1)))
        >>> distance = jax.jit(lambda center: lifted.closest(center, 0.0).distance)
        >>> print(f"{distance(jnp.array([0.1, 0.0, 0.0])):.2f} m to the wall")
        0.20 m to the wall
    """

    start: Vector = dimensions.point("centre of the first end", default=(0.0, 0.0, -0.5))
    end: Vector = dimensions.point("centre of the second end", default=(0.0, 0.0, 0.5))
    radius: Real = dimensions.length("radius", symbol="R")
    motion: PrescribedMotion | None = None

    def __post_init__(self) -> None:
        check_axis("Tube", self.start, self.end)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        at = axial(center, self.start, self.end)
        beyond = at.height - jnp.clip(at.height, 0.0, at.length)
        outside = jnp.where(at.radius >= self.radius, 1.0, -1.0).astype(center.dtype)
        aside = at.radius - self.radius
        over_side = beyond == 0.0
        # Beside the tube the distance is without curvature along the axis, however close.
        far, direction = outward(aside * at.across + beyond * at.axis, outside * at.across)
        distance = jnp.where(over_side, outside * aside, far)
        return distance, jnp.where(over_side, outside * at.across, direction)

    def borders_at_rest(self, center: jax.Array) -> Borders:
        at = axial(center, self.start, self.end)
        return Borders.between_all(at.height, at.height - at.length)
