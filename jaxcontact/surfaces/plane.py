"""A plane."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.smooth import Real, Vector, safe_norm
from jaxcontact.parameters import is_concrete, model, parameter
from jaxcontact.surfaces.base import DistanceAndNormal, Surface
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion


@model
class Plane(Surface):
    """A plane ``{x : n . x = offset}``; bodies are on the side into which ``normal`` points. The
    normal may have any length.

    ``distance = n . x - offset`` with the unit normal ``n``: analytic everywhere.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.

    Example:
        >>> wall = jc.Plane(normal=(1.0, 0.0, 0.0), offset=-0.2)
        >>> point = wall.closest((0.0, 0.3, 0.1), time=0.0)
        >>> print(f"{point.distance:.2f} m", point.normal)
        0.20 m [1. 0. 0.]
    """

    bounds_convex: ClassVar[bool] = True
    normal: Vector = parameter(
        unit="-", label="normal", symbol="n", shape=(3,), default=(0.0, 0.0, 1.0)
    )
    offset: Real = parameter(
        unit="m",
        label="distance of the plane from the origin along its normal",
        symbol="h",
        default=0.0,
    )
    motion: PrescribedMotion | None = None

    def __post_init__(self) -> None:
        if is_concrete(self.normal) and not np.any(np.asarray(self.normal, dtype=float)):
            raise ValueError(
                "Plane: normal = (0, 0, 0) has no direction. Give a vector that points from "
                "the plane to the bodies."
            )

    @property
    def unit_normal(self) -> jax.Array:
        """Unit normal of the plane as it is described, ``(3,)``."""
        normal = 1.0 * jnp.asarray(self.normal)  # also of whole numbers
        return normal / safe_norm(normal)

    def gap(self, position: Real, radius: Real) -> jax.Array:
        """Distance between a sphere and the plane as it is described [m], negative when they
        overlap. ``position``: ``(..., 3)``.
        """
        return jnp.asarray(position) @ self.unit_normal - self.offset - radius

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        return self.gap(center, 0.0), self.unit_normal
