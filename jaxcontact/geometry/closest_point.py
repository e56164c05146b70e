"""Where a surface is closest to a given point."""

from typing import NamedTuple

import jax


class ClosestPoint(NamedTuple):
    """Where a surface is closest to a given point.

    Attributes:
        point: the closest point [m], ``(..., 3)``.
        distance: to it [m], ``(...)``.
        direction: unit vector from the given point to it, ``(..., 3)``. On the surface itself minus
            the normal of the surface, as on approach from its positive side.
        height: signed distance [m] from the plane of the surface, positive on the side of its
            normal, ``(...)``.
        region: index of the part of the surface that is closest, ``(...)``; not differentiable.
    """

    point: jax.Array
    distance: jax.Array
    direction: jax.Array
    height: jax.Array
    region: jax.Array
