"""A bar with round ends."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real, Vector, positive_part
from jaxcontact.parameters import model, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface, in_frame, to_frame
from jaxcontact.surfaces.box import orthogonal_intersection
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward


@model
class Beam(Surface):
    """A box with a half cylinder at both ends, as Modia3D's ``Beam``.

    In its own axes ``length`` of the box is along x, ``width`` (the diameter of the half cylinders)
    along y, ``thickness`` along z; the total length is ``length + width``. Exact signed distance,
    C^1 outside. Inside the normal jumps where two parts of the surface are equally close. A bar of
    circular profile is a ``Capsule`` or a ``Cylinder``.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.

    Example:
        >>> beam = jc.Beam(length=0.4, width=0.1, thickness=0.02)
        >>> print(f"{beam.closest((0.3, 0.0, 0.0), time=0.0).distance:.2f} m to the round end")
        0.05 m to the round end
    """

    bounds_convex: ClassVar[bool] = True
    center: Vector = dimensions.point("centre", symbol="c")
    length: Real = dimensions.length("length of the box between the round ends")
    width: Real = dimensions.length("width and diameter of the round ends", symbol="w")
    thickness: Real = dimensions.length("thickness", symbol="t")
    orientation: Vector = dimensions.orientation()
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        return in_frame(self._in_own_axes, center, self.center, self.orientation)

    def _in_own_axes(self, point: jax.Array) -> DistanceAndNormal:
        distances, normals = self._side_and_face(point)
        return orthogonal_intersection(distances, normals)

    def _side_and_face(self, point: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Signed distances ``(2,)`` from the round bar without ends that is the profile and from
        the closer face, and their gradients ``(2, 3)``.
        """
        _, y_axis, z_axis = jnp.eye(3, dtype=point.dtype)
        side = jnp.where(point >= 0.0, 1.0, -1.0).astype(point.dtype)
        beyond_box = side[0] * positive_part(side[0] * point[0] - 0.5 * self.length)
        from_axis, across = outward(
            jnp.stack([beyond_box, point[1], jnp.zeros_like(beyond_box)]), y_axis
        )
        distances = jnp.stack(
            [from_axis - 0.5 * self.width, side[2] * point[2] - 0.5 * self.thickness]
        )
        return distances, jnp.stack([across, side[2] * z_axis])

    def borders_at_rest(self, center: jax.Array) -> Borders:
        point = to_frame(center, self.center, self.orientation)
        (over_side, over_face), _ = self._side_and_face(point)
        round_end = jnp.abs(point[0]) - 0.5 * self.length
        if self.hollow:
            return Borders(round_end[None], (over_side >= over_face)[None])
        ends = jnp.stack([over_side > 0.0, jnp.array(True), jnp.array(True)])
        return Borders(jnp.stack([round_end, over_side, over_face]), ends)
