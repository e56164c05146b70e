"""A surface of triangles."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.triangle import (
    FACE,
    borders_of_triangle,
    closest_point_on_triangle,
    triangle_normal,
)
from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.smooth import Vectors
from jaxcontact.parameters import is_concrete, model, parameter, static
from jaxcontact.surfaces.base import Borders, DistanceAndNormal, Surface
from jaxcontact.surfaces.facet import rounding_of_distance, signed_distance
from jaxcontact.surfaces.prescribed_motion import PrescribedMotion
from jaxcontact.surfaces.vectors import outward

_VERTICES_OF_REGIONS = np.array(
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool
)
"""Which vertices of a triangle span each of its regions, in the order of
``geometry.triangle.REGIONS``.
"""

_VERTEX_REGIONS = 3

_TIED = 1e-9
"""Relative difference of distances from triangles with a common edge, and that of their normals,
that is rounding.
"""


@model
class Mesh(Surface):
    """Triangles with common vertices; the closest point is that of the closest triangle, its
    derivative that of the chosen one.

    A *closed* mesh bounds a body: every edge belongs to two triangles that run through it in
    opposite directions (checked), the vertices of each triangle run counter-clockwise seen from
    outside, and triangles do not cross (both assumed). The distance is negative inside; the side is
    that of the angle-weighted normal of the closest face, edge or vertex (Baerentzen and Aanaes,
    IEEE Trans. Vis. Comput. Graph. 11 (2005) 243-253). With ``hollow=True`` the inside is free. An
    *open* mesh is two-sided, its distance never negative.

    The distance is exact, C^1 outside a convex body; elsewhere its derivative jumps where two parts
    of the surface are equally close. One contact is found: a sphere in a concave edge touches on
    both sides and needs two surfaces. Every triangle is visited: the cost grows with their number.

    Attributes:
        vertices: [m], ``(n, 3)``.
        faces: indices of the vertices, ``(m, 3)``; kept as tuples.
        motion: prescribed motion or ``None``.
        closed: whether the mesh bounds a body.
        hollow: whether the inside of a closed mesh is the free side.

    Example:
        >>> floor = jc.Mesh(
        ...     vertices=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)),
        ...     faces=((0, 1, 2), (0, 2, 3)),
        ...     closed=False,
        ... )
        >>> distance = jax.jit(lambda center: floor.closest(center, 0.0).distance)
        >>> print(f"{distance(jnp.array([0.7, 0.2, 0.1])):.2f} m")
        0.10 m
    """

    vertices: Vectors = parameter(unit="m", label="vertices", symbol="x", shape=(3,))
    faces: jax.Array | np.ndarray | Sequence[Sequence[int]] = static()
    motion: PrescribedMotion | None = None
    closed: bool = static(default=True)
    hollow: bool = static(default=False)

    def __post_init__(self) -> None:
        faces = np.asarray(self.faces)
        if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu" or not len(faces):
            raise ValueError(
                f"Mesh: faces has shape {faces.shape} and type {faces.dtype}, but must be "
                "whole numbers of shape (m, 3)."
            )
        if is_concrete(self.vertices):
            count = len(np.asarray(self.vertices))
            if not (faces.min() >= 0 and faces.max() < count):
                raise ValueError(
                    f"Mesh: faces name the vertices {faces.min()} to {faces.max()}, but there "
                    f"are {count}, counted from 0."
                )
        if self.hollow and not self.closed:
            raise ValueError("Mesh: hollow=True needs closed=True, an open mesh has no inside.")
        if self.closed:
            _check_closed(faces)
        object.__setattr__(self, "faces", tuple(map(tuple, faces.tolist())))

    def at_rest(self, center: jax.Array) -> DistanceAndNormal:
        faces = jnp.asarray(self.faces)
        vertices = jnp.asarray(self.vertices)
        frozen = jax.lax.stop_gradient(vertices)
        beyond = rounding_of_distance(center, vertices)
        seen = closest_point_on_triangle(
            jax.lax.stop_gradient(center), frozen[faces], beyond=beyond
        )
        # A face and an edge of its neighbour are equally far up to rounding: the face is flat.
        over_face = seen.region == FACE
        nearest = faces[jnp.argmin(seen.distance - jnp.where(over_face, beyond, 0.0))]
        triangle = vertices[nearest]
        found = closest_point_on_triangle(center, triangle, beyond=beyond)
        if self.closed:
            normal = _region_normal(frozen, faces, nearest, found.region)
            side = jnp.where(jnp.dot(found.direction, normal) <= 0.0, 1.0, -1.0).astype(
                center.dtype
            )
        else:
            normal, side = triangle_normal(triangle), jnp.ones_like(found.distance)
        rounding = rounding_of_distance(center, triangle)
        return signed_distance(center, found, rounding=rounding, side=side, otherwise=normal)

    def borders_at_rest(self, center: jax.Array) -> Borders:
        triangles = jnp.asarray(self.vertices)[jnp.asarray(self.faces)]
        found = closest_point_on_triangle(center, triangles)
        distance, ends = borders_of_triangle(center, triangles, found.region)
        # Of an edge or a vertex, several triangles are closest, up to rounding.
        far = jnp.abs(found.distance)
        closest = far <= (1.0 + _TIED) * jnp.min(far)
        bends = jnp.repeat(~self._flat_edges(), distance.shape[1] // 3, axis=1)
        return Borders(jnp.ravel(distance), jnp.ravel(ends & closest[:, None] & bends))

    def _flat_edges(self) -> jax.Array:
        """Edges ``(m, 3)`` at which two faces lie in one plane: no parts end there."""
        faces = jnp.asarray(self.faces)
        normals = triangle_normal(jax.lax.stop_gradient(jnp.asarray(self.vertices))[faces])
        neighbour = jnp.asarray(_neighbours(np.asarray(self.faces)))
        apart = jnp.abs(normals[neighbour] - normals[:, None])
        return (neighbour >= 0) & (jnp.max(apart, axis=-1) < _TIED)


def _neighbours(faces: np.ndarray) -> np.ndarray:
    """The face behind each edge of ``faces``, ``(m, 3)``: the only one that runs through it in the
    opposite direction; -1 where there is none, or several.
    """
    edges = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).tolist()
    owners: dict[tuple[int, int], list[int]] = {}
    for face, three in enumerate(edges):
        for start, end in three:
            owners.setdefault((start, end), []).append(face)

    def behind(start: int, end: int) -> int:
        others = owners.get((end, start), [])
        return others[0] if len(others) == len(owners[start, end]) == 1 else -1

    return np.array([[behind(*edge) for edge in three] for three in edges])


def _region_normal(
    vertices: jax.Array, faces: jax.Array, nearest: jax.Array, region: jax.Array
) -> jax.Array:
    """Unit normal ``(3,)`` of a region of the triangle ``nearest``: of an edge the mean of both
    faces, of a vertex weighted by angle.
    """
    spanned = jnp.asarray(_VERTICES_OF_REGIONS)[region]
    same = (faces[:, :, None] == nearest) & spanned  # (face, its vertex, vertex of the nearest)
    incident = jnp.sum(same, axis=(1, 2)) == jnp.sum(spanned)
    triangles = vertices[faces]
    angle = jnp.sum(jnp.where(jnp.any(same, axis=2), _angles(triangles), 0.0), axis=1)
    weight = jnp.where(incident, jnp.where(region < _VERTEX_REGIONS, angle, 1.0), 0.0)
    normals = triangle_normal(triangles)
    total = jnp.sum(weight[:, None] * normals, axis=0)
    return outward(total, jnp.array([0.0, 0.0, 1.0], total.dtype))[1]


def _angles(triangles: jax.Array) -> jax.Array:
    """Angles [rad] ``(m, 3)`` at the vertices of ``triangles`` ``(m, 3, 3)``."""
    to_next, to_last = (
        jnp.roll(triangles, -1, axis=1) - triangles,
        jnp.roll(triangles, 1, axis=1) - triangles,
    )
    across = jnp.linalg.norm(cross(to_next, to_last), axis=-1)
    return jnp.arctan2(across, jnp.sum(to_next * to_last, axis=-1))


def _check_closed(faces: np.ndarray) -> None:
    """Raise ``ValueError`` unless every edge is run through once in each direction."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    directed = {tuple(edge) for edge in edges.tolist()}
    unmatched = [(a, b) for a, b in directed if (b, a) not in directed]
    if unmatched or len(directed) != len(edges):
        where = (
            f"edge {min(unmatched)} has no neighbour"
            if unmatched
            else "some edge occurs twice in one direction"
        )
        raise ValueError(
            f"Mesh: closed=True, but {where}. Merge equal vertices and orient all faces "
            "alike, or give closed=False (open, two-sided)."
        )
