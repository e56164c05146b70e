"""Coordinates along and across the axis of a body of revolution."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.geometry.vectors import distance_and_direction
from jaxcontact.numerics.smooth import Vector
from jaxcontact.parameters import is_concrete
from jaxcontact.surfaces.vectors import outward, perpendicular


class Axial(NamedTuple):
    """A point relative to the axis from ``start`` to ``end``.

    Attributes:
        radius: distance from the axis [m], ``()``.
        across: unit vector from the axis to the point, ``(3,)``; on the axis some unit vector at
            right angles to it.
        radial: displacement from the axis [m], ``(3,)``.
        height: along the axis, from its start [m], ``()``.
        axis: unit vector from start to end, ``(3,)``.
        length: of the axis [m], ``()``.
    """

    radius: jax.Array
    across: jax.Array
    radial: jax.Array
    height: jax.Array
    axis: jax.Array
    length: jax.Array


def axial(point: jax.Array, start: Vector, end: Vector) -> Axial:
    """Coordinates of ``point`` along and across the axis; shapes ``(3,)``.

    Args:
        point: [m], ``(3,)``.
        start: of the axis [m], ``(3,)``.
        end: of the axis [m], ``(3,)``.

    Returns:
        Radius, height and directions.
    """
    start, end = jnp.asarray(start), jnp.asarray(end)
    length, axis = distance_and_direction(end - start)
    height = jnp.dot(point - start, axis)
    radial = point - start - height * axis
    radius, across = outward(radial, perpendicular(axis))
    return Axial(radius, across, radial, height, axis, length)


def check_axis(owner: str, start: ArrayLike, end: ArrayLike) -> None:
    """Raise ``ValueError`` if the ends of an axis are given as numbers and are equal."""
    if (
        is_concrete(start)
        and is_concrete(end)
        and np.array_equal(np.asarray(start), np.asarray(end))
    ):
        raise ValueError(
            f"{owner}: start = end = {np.asarray(start)} m leaves the axis without "
            "direction. Give two different points."
        )
