"""A cone or a frustum of one."""

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import is_concrete, model, parameter, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.axial import Axial, axial, check_axis, from_rim, slant
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface
from jaxcontact.surfaces.bore import walls_of_revolution
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward


def _radius(label: str, symbol: str, **default: Any) -> Any:
    return parameter(
        unit="m", label=label, symbol=symbol, interval="[0, inf)", transform="log", **default
    )


@model
class Cone(Surface):
    """A circular frustum with flat ends, a cone where one radius is zero; with ``hollow=True`` the
    closed hopper that it encloses.

    Exact signed distance, C^1 outside. Inside the normal jumps where two parts of the surface are
    equally close; simulations follow the wall and the ends of a hopper as contacts of their own,
    as in ``Cylinder``.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.

    Example:
        >>> hopper = jc.Cone(start_radius=0.1, end_radius=0.5, hollow=True)
        >>> distance = jax.jit(lambda center: hopper.closest(center, 0.0).distance)
        >>> print(f"{distance(jnp.zeros(3)):.4f} m to the wall")
        0.2785 m to the wall
    """

    bounds_convex: ClassVar[bool] = True
    start: Vector = dimensions.point("centre of the first end", default=(0.0, 0.0, -0.5))
    end: Vector = dimensions.point("centre of the second end", default=(0.0, 0.0, 0.5))
    start_radius: Real = _radius("radius of the first end", "R_1")
    end_radius: Real = _radius("radius of the second end", "R_2", default=0.0)
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def __post_init__(self) -> None:
        check_axis("Cone", self.start, self.end)
        radii = (self.start_radius, self.end_radius)
        if is_concrete(radii) and not np.any(np.asarray(radii)):
            raise ValueError(
                "Cone: start_radius = end_radius = 0 m is a segment. Give at least one "
                "positive radius."
            )

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        at = axial(center, self.start, self.end)
        wall = slant(at, self.start_radius, self.end_radius, at.length)

        normals = jnp.stack([-at.axis, wall.normal, at.axis])
        heights = jnp.stack([-at.height, wall.over, at.height - at.length])
        inside = jnp.all(heights <= 0.0)
        over_first, over_second = self._over_ends(at)
        face = jnp.where(
            inside, jnp.argmax(heights), jnp.where(over_first, 0, jnp.where(over_second, 2, 1))
        )
        beside = (wall.along > 0.0) & (wall.along < wall.length)
        over_face = inside | over_first | over_second | beside

        first = wall.along <= 0.0
        radius = jnp.where(first, self.start_radius, self.end_radius)
        rim = from_rim(at, radius, jnp.where(first, 0.0, at.length))
        from_edge, direction = outward(rim, wall.normal)
        return jnp.where(over_face, heights[face], from_edge), jnp.where(
            over_face, normals[face], direction
        )

    def walls(self) -> tuple[Surface, ...]:
        if not self.hollow:
            return (self,)
        return walls_of_revolution(
            self.start, self.end, self.start_radius, self.end_radius, self.motion
        )

    def borders_at_rest(self, center: jax.Array) -> Borders:
        if self.hollow:
            return super().borders_at_rest(center)
        at = axial(center, self.start, self.end)
        wall = slant(at, self.start_radius, self.end_radius, at.length)
        over_first, over_second = self._over_ends(at)
        over_wall = ~(over_first | over_second)
        at_first, at_second = (wall.along <= 0.0), (wall.along >= wall.length)
        distances = [
            at.radius - self.start_radius,
            wall.along,
            wall.along - wall.length,
            at.radius - self.end_radius,
        ]
        ends = [
            over_first | (over_wall & at_first),
            over_wall,
            over_wall,
            over_second | (over_wall & at_second),
        ]
        return Borders(jnp.stack(distances), jnp.stack(ends))

    def _over_ends(self, at: Axial) -> tuple[jax.Array, jax.Array]:
        """Whether a point is over the first end, and over the second."""
        over_first = (at.height < 0.0) & (at.radius < self.start_radius)
        return over_first, (at.height > at.length) & (at.radius < self.end_radius)
