"""A thin funnel, open at both ends, or a plate with a round hole."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.smooth import Real, Vector, safe_norm
from jaxcontact.parameters import is_concrete, model, parameter
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.axial import Axial, Slant, axial, from_rim, slant
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward


@model
class Funnel(Surface):
    """The side of a circular frustum, without thickness, free on both sides: the cone of a hopper
    between its opening and its rim, or with ``height=0`` a flat plate with a round hole.

    The distance is that to the nearest point of the wall, never negative. C^1 except on the axis
    and where two parts of the wall are equally close, and on the wall itself, where it changes
    sides: a sphere whose centre has passed through is on the other side. A sphere that touches the
    wall at two places, in an opening hardly wider than itself, has a contact at one of them.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.

    Example:
        >>> plate = jc.Funnel(opening_radius=0.1, rim_radius=0.5)
        >>> distance = jax.jit(lambda center: plate.closest(center, 0.0).distance)
        >>> print(f"{distance(jnp.array([0.3, 0.0, 0.2])):.2f} m over the plate")
        0.20 m over the plate
        >>> print(f"{distance(jnp.array([0.02, 0.0, 0.06])):.2f} m from the edge of its hole")
        0.10 m from the edge of its hole
    """

    center: Vector = dimensions.point("centre of the opening")
    axis: Vector = parameter(
        unit="-",
        label="direction from the opening to the rim",
        symbol="n",
        shape=(3,),
        default=(0.0, 0.0, 1.0),
    )
    opening_radius: Real = dimensions.length("radius of the opening", symbol="R_1")
    rim_radius: Real = dimensions.length("radius of the rim", symbol="R_2")
    height: Real = parameter(
        unit="m",
        label="height of the rim over the opening",
        symbol="h",
        interval="[0, inf)",
        transform="log",
        default=0.0,
    )
    motion: PrescribedMotion | None = None

    def __post_init__(self) -> None:
        if is_concrete(self.axis) and not np.any(np.asarray(self.axis, dtype=float)):
            raise ValueError(
                "Funnel: axis = (0, 0, 0) has no direction. Give a vector that points from the "
                "opening to the rim."
            )
        if not is_concrete((self.opening_radius, self.rim_radius, self.height)):
            return
        if np.any(
            (np.asarray(self.opening_radius) == self.rim_radius) & (np.asarray(self.height) == 0)
        ):
            raise ValueError(
                f"Funnel: opening_radius = rim_radius = {np.asarray(self.rim_radius)} m with "
                "height = 0 m is a circle. Give two different radii, or a height."
            )

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        at, wall = self._along_wall(center)
        side = jnp.where(wall.over >= 0.0, 1.0, -1.0).astype(center.dtype)
        first = wall.along <= 0.0
        radius = jnp.where(first, self.opening_radius, self.rim_radius)
        rim = from_rim(at, radius, jnp.where(first, 0.0, self.height))
        far, direction = outward(rim, side * wall.normal)
        # Over the wall the distance is without curvature along it, however close.
        over_wall = (wall.along >= 0.0) & (wall.along <= wall.length)
        distance = jnp.where(over_wall, side * wall.over, far)
        return distance, jnp.where(over_wall, side * wall.normal, direction)

    def borders_at_rest(self, center: jax.Array) -> Borders:
        _, wall = self._along_wall(center)
        return Borders.between_all(wall.along, wall.along - wall.length)

    def _along_wall(self, center: jax.Array) -> tuple[Axial, Slant]:
        opening, direction = 1.0 * jnp.asarray(self.center), 1.0 * jnp.asarray(self.axis)
        at = axial(center, opening, opening + direction / safe_norm(direction))
        return at, slant(at, self.opening_radius, self.rim_radius, self.height)
