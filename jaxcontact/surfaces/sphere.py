"""A ball, or a spherical cavity."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import model, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.base import DistanceAndNormal, Surface
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward


@model
class Sphere(Surface):
    """A ball with prescribed motion, ``distance = |x - c| - R``; with ``hollow=True`` the cavity
    ``R - |x - c|``.

    Analytic but at its centre, where the normal is the z axis (its opposite, if hollow).

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.

    Example:
        >>> ball = jc.Sphere(center=(0.0, 0.0, 0.1), radius=0.1)
        >>> print(f"{ball.closest((0.0, 0.0, 0.25), time=0.0).distance:.2f} m")
        0.05 m
    """

    bounds_convex: ClassVar[bool] = True
    center: Vector = dimensions.point("centre", symbol="c")
    radius: Real = dimensions.length("radius", symbol="R")
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        displacement = center - jnp.asarray(self.center)
        distance, normal = outward(displacement, jnp.array([0.0, 0.0, 1.0], displacement.dtype))
        return distance - self.radius, normal
