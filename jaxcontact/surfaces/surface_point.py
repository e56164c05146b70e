"""Where a surface is closest to the centre of a sphere."""

from typing import NamedTuple

import jax


class SurfacePoint(NamedTuple):
    """Where a surface is closest to the centre of a sphere; everything in the frame of the scene.

    Attributes:
        distance: signed distance [m] from the surface to the centre, positive on the free side,
            ``()``. The gap of a sphere of radius ``R`` is ``distance - R``.
        normal: unit vector from the surface towards the free side, the gradient of ``distance`` by
            the centre, ``(3,)``. A repelling contact force on the sphere has this direction.
        point: the closest point ``center - distance normal`` [m], ``(3,)``.
        velocity: of the surface's material at this point [m/s], ``(3,)``.
    """

    distance: jax.Array
    normal: jax.Array
    point: jax.Array
    velocity: jax.Array
