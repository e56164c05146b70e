"""Signed distance to bodies that are products of simpler ones: a box of three intervals, a cylinder
of a disk and an interval.
"""

import jax
import jax.numpy as jnp

from jaxcontact.surfaces.outward import outward


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
