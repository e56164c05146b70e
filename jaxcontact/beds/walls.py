"""Walls of a bed at one time: how far spheres are from them, and how their material moves.

Planes are arrays, one product for all of them. Any other surface tells its distance and normal
itself; how it moves stands in the same arrays.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.beds.components import Components, dot, from_last_axis, to_last_axis
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


def distances(walls: Walls, place: Components) -> jax.Array:
    """Of spheres from all walls ``(walls, spheres)`` [m]."""
    found = walls.normal @ jnp.stack(place) - walls.offset[:, None]
    rows = [
        found[index] if isinstance(wall, Plane) else _closest(wall, place, walls.time)[0]
        for index, wall in enumerate(walls.surfaces)
    ]
    return jnp.stack(rows) if rows else found


def distance_and_normal(
    walls: Walls, which: jax.Array, place: Components
) -> tuple[jax.Array, Components]:
    """Of each sphere from the wall whose number is ``which`` ``(contacts,)``."""
    normal = of_walls(walls.normal, which)
    distance = dot(normal, place) - walls.offset[which]
    for index, wall in enumerate(walls.surfaces):
        if isinstance(wall, Plane):
            continue
        far, direction = _closest(wall, place, walls.time)
        here = which == index
        distance = jnp.where(here, far, distance)
        x, y, z = (jnp.where(here, d, n) for d, n in zip(direction, normal, strict=True))
        normal = (x, y, z)
    return distance, normal


def of_walls(vectors: jax.Array, which: jax.Array) -> Components:
    """Vectors of walls ``(walls, 3)``, one for each contact."""
    return vectors[:, 0][which], vectors[:, 1][which], vectors[:, 2][which]


def _closest(wall: Surface, place: Components, time: jax.Array) -> tuple[jax.Array, Components]:
    """Distances and normals of one surface."""
    point = jax.vmap(lambda center: wall.closest(center, time))(to_last_axis(place))
    return point.distance, from_last_axis(point.normal)
