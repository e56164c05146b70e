"""Walls of a bed at one time: how far spheres are from them, and how their material moves.

Planes are arrays, one product for all of them. Any other surface tells its distance and normal
itself, those of one type at rest together; how it moves stands in the same arrays.
"""

from collections.abc import Hashable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.beds.components import Components, dot, each, from_last_axis, to_last_axis
from jaxcontact.geometry.rotation import rotate
from jaxcontact.surfaces.base import Surface
from jaxcontact.surfaces.plane import Plane


class Walls(NamedTuple):
    """Rigid motion of the walls at one time; unit normals into the bed and distances from the
    origin along them of planes, 0 of other surfaces; all ``(walls, ...)``.

    Attributes:
        surfaces: as they are described.
        time: [s].
        normal: of planes.
        offset: of planes [m].
        centre: about which the material turns [m].
        velocity: of the centre [m/s].
        spin: [rad/s].
    """

    surfaces: tuple[Surface, ...]
    time: jax.Array
    normal: jax.Array
    offset: jax.Array
    centre: jax.Array
    velocity: jax.Array
    spin: jax.Array


def walls_at(surfaces: tuple[Surface, ...], time: jax.Array) -> Walls:
    """The walls at a time [s]."""
    if not surfaces:
        none = jnp.zeros((0, 3))
        return Walls(surfaces, time, none, none[:, 0], none, none, none)
    rows = [(*_plane(wall, time), *_motion(wall, time)) for wall in surfaces]
    return Walls(surfaces, time, *(jnp.stack(column) for column in zip(*rows, strict=True)))


def _plane(wall: Surface, time: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Unit normal and distance from the origin; 0 of other surfaces."""
    if not isinstance(wall, Plane):
        return jnp.zeros(3), jnp.zeros(())
    normal = wall.unit_normal
    if wall.motion is None:
        return normal, jnp.asarray(wall.offset, normal.dtype)
    pose = wall.motion.pose(time)
    # The distance of the reference point, which the motion keeps.
    distance = normal @ jnp.asarray(wall.motion.reference_point, dtype=float) - wall.offset
    now = rotate(normal, pose.rotation)
    return now, now @ pose.position - distance


def _motion(wall: Surface, time: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Centre, its velocity, spin."""
    motion = wall.motion
    if motion is None:
        return jnp.zeros(3), jnp.zeros(3), jnp.zeros(3)
    centre = motion.pose(time).position
    spin = jnp.asarray(motion.angular_velocity, dtype=float)
    return centre, motion.material_velocity(centre, time), spin


def alike(surfaces: tuple[Surface, ...]) -> list[list[int]]:
    """Numbers of the walls that are no planes, those together that one computation serves: of one
    type, at rest. One that moves is alone: its pose is computed once, not for each contact.
    """
    kinds: dict[Hashable, list[int]] = {}
    for index, wall in enumerate(surfaces):
        if not isinstance(wall, Plane):
            shapes = tuple(jnp.shape(leaf) for leaf in jax.tree.leaves(wall))
            kind = (jax.tree.structure(wall), shapes) if wall.motion is None else index
            kinds.setdefault(kind, []).append(index)
    return list(kinds.values())


def stacked(surfaces: list[Surface]) -> Surface:
    """One surface whose parameters have an axis of surfaces in front."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *surfaces)


def distances(walls: Walls, place: Components) -> jax.Array:
    """Of spheres from all walls ``(walls, spheres)`` [m]."""
    found = walls.normal @ jnp.stack(place) - walls.offset[:, None]
    rows = list(found)
    for numbers in alike(walls.surfaces):
        far = jax.vmap(lambda wall: _closest(wall, place, walls.time)[0])(
            stacked([walls.surfaces[index] for index in numbers])
        )
        for index, row in zip(numbers, far, strict=True):
            rows[index] = row
    return jnp.stack(rows) if rows else found


def distance_and_normal(
    walls: Walls, which: jax.Array, place: Components
) -> tuple[jax.Array, Components]:
    """Of each sphere from the wall whose number is ``which`` ``(contacts,)``."""
    normal = of_walls(walls.normal, which)
    distance = dot(normal, place) - walls.offset[which]
    for numbers in alike(walls.surfaces):
        far, direction = _closest_of(walls, numbers, which, place)
        here = jnp.asarray(np.isin(np.arange(len(walls.surfaces)), numbers))[which]
        distance = jnp.where(here, far, distance)
        normal = each(lambda d, n, here=here: jnp.where(here, d, n), direction, normal)
    return distance, normal


def _closest_of(
    walls: Walls, numbers: list[int], which: jax.Array, place: Components
) -> tuple[jax.Array, Components]:
    """Distances and normals of walls that are alike, where ``which`` is one of them."""
    if len(numbers) == 1:
        return _closest(walls.surfaces[numbers[0]], place, walls.time)
    row = np.zeros(len(walls.surfaces), int)
    row[numbers] = np.arange(len(numbers))
    every = stacked([walls.surfaces[index] for index in numbers])
    each_one = jax.tree.map(lambda leaf: leaf[jnp.asarray(row)[which]], every)
    point = jax.vmap(lambda wall, center: wall.closest(center, walls.time))(
        each_one, to_last_axis(place)
    )
    return point.distance, from_last_axis(point.normal)


def of_walls(vectors: jax.Array, which: jax.Array) -> Components:
    """Vectors of walls ``(walls, 3)``, one for each contact."""
    return vectors[:, 0][which], vectors[:, 1][which], vectors[:, 2][which]


def _closest(wall: Surface, place: Components, time: jax.Array) -> tuple[jax.Array, Components]:
    """Distances and normals of one surface."""
    point = jax.vmap(lambda center: wall.closest(center, time))(to_last_axis(place))
    return point.distance, from_last_axis(point.normal)
