"""A box."""

from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.parameters import model, parameter, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.intersection import orthogonal_intersection
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.surface import DistanceAndNormal, Surface, in_frame


@model
class Box(Surface):
    """A rectangular box in any orientation; with ``hollow=True`` the closed room that it encloses.

    Exact signed distance, C^1 outside. Inside the normal jumps where two faces are equally close. A
    sphere in the corner of a room touches several walls at once: describe it by planes.
    """

    center: Any = dimensions.point("centre", symbol="c")
    lengths: Any = parameter(
        unit="m",
        label="lengths of the edges",
        symbol="l",
        interval="(0, inf)",
        transform="log",
        shape=(3,),
    )
    orientation: Any = dimensions.orientation()
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        return in_frame(self._in_own_axes, center, self.center, self.orientation)

    def _in_own_axes(self, point: jax.Array) -> DistanceAndNormal:
        side = jnp.where(point >= 0.0, 1.0, -1.0).astype(point.dtype)
        return orthogonal_intersection(side * point - 0.5 * self.lengths, jnp.diag(side))
