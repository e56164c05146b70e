"""A box."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rotation import rotate
from jaxcontact.numerics.smooth import Vector
from jaxcontact.parameters import model, parameter, static
from jaxcontact.surfaces import dimensions
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface, in_frame, to_frame
from jaxcontact.surfaces.plane import Plane
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward


def orthogonal_intersection(
    distances: jax.Array, normals: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Signed distance ``()`` and unit normal ``(3,)`` of the body common to several whose normals
    are at right angles everywhere.

    With ``d_i`` the signed distances: ``max d_i`` where at most one is positive (inside, or over a
    face), else ``sqrt(sum max(d_i, 0)^2)`` (beyond an edge or a corner). Exact for a product of
    sets. C^1 outside; inside the derivative jumps where the nearest face changes.

    Args:
        distances: signed distances [m], ``(k,)``.
        normals: gradients of the distances, ``(k, 3)``.
    """
    beyond = distances > 0.0
    over_face = jnp.sum(beyond) <= 1
    face = jnp.argmax(distances)
    displacement = jnp.sum(jnp.where(beyond, distances, 0.0)[:, None] * normals, axis=0)
    from_edge, direction = outward(displacement, normals[face])
    # over a face the distance is that of the face itself: exact, and without curvature, however
    # close the point is
    return jnp.where(over_face, distances[face], from_edge), jnp.where(
        over_face, normals[face], direction
    )


@model
class Box(Surface):
    """A rectangular box in any orientation; with ``hollow=True`` the closed room that it encloses.

    Exact signed distance, C^1 outside. Inside the normal jumps where two faces are equally close;
    simulations follow each of the six walls of a room as a contact of its own.

    Args:
        motion: prescribed motion, or ``None`` for a surface at rest.
        hollow: whether the free side is the inside.

    Example:
        >>> box = jc.Box(lengths=(0.4, 0.2, 0.1))
        >>> point = box.closest((0.0, 0.0, 0.08), time=0.0)
        >>> print(f"{point.distance:.2f} m", point.normal)
        0.03 m [0. 0. 1.]
    """

    bounds_convex: ClassVar[bool] = True
    center: Vector = dimensions.point("centre", symbol="c")
    lengths: Vector = parameter(
        unit="m",
        label="lengths of the edges",
        symbol="l",
        interval="(0, inf)",
        transform="log",
        shape=(3,),
    )
    orientation: Vector = dimensions.orientation()
    motion: PrescribedMotion | None = None
    hollow: bool = static(default=False)

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        return in_frame(self._in_own_axes, center, self.center, self.orientation)

    def borders_at_rest(self, center: jax.Array) -> Borders:
        if self.hollow:
            return super().borders_at_rest(center)
        return Borders.between_all(*self._faces(to_frame(center, self.center, self.orientation))[0])

    def walls(self) -> tuple[Surface, ...]:
        if not self.hollow:
            return (self,)
        center, halves = 1.0 * jnp.asarray(self.center), 0.5 * jnp.asarray(self.lengths)
        inwards = [
            (side * rotate(along, jnp.asarray(self.orientation)), half)
            for along, half in zip(jnp.eye(3, dtype=center.dtype), halves, strict=True)
            for side in (1.0, -1.0)
        ]
        return tuple(
            Plane(normal=normal, offset=jnp.dot(normal, center) - half, motion=self.motion)
            for normal, half in inwards
        )

    def _faces(self, point: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Signed distances from the closer of each two faces, and their gradients."""
        side = jnp.where(point >= 0.0, 1.0, -1.0).astype(point.dtype)
        return side * point - 0.5 * jnp.asarray(self.lengths), jnp.diag(side)

    def _in_own_axes(self, point: jax.Array) -> DistanceAndNormal:
        return orthogonal_intersection(*self._faces(point))
