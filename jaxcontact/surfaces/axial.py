"""Coordinates along and across the axis of a body of revolution."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.geometry.vectors import distance_and_direction
from jaxcontact.numerics.smooth import Real, Vector
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


class Slant(NamedTuple):
    """A point relative to a straight wall of revolution, the side of a frustum.

    Attributes:
        normal: unit vector across the wall, away from the axis, ``(3,)``.
        over: distance over the wall along it [m], ``()``.
        along: distance along the wall from its first rim [m], ``()``.
        length: of the wall from rim to rim [m], ``()``.
    """

    normal: jax.Array
    over: jax.Array
    along: jax.Array
    length: jax.Array


def slant(at: Axial, start_radius: Real, end_radius: Real, height: Real) -> Slant:
    """Coordinates across and along a wall that rises by ``height`` from a rim of ``start_radius``
    at the start of the axis to one of ``end_radius``; all [m].
    """
    wider = jnp.asarray(end_radius - start_radius)
    length = jnp.sqrt(height**2 + wider**2)
    up, out = jnp.asarray(height) / length, wider / length
    from_first = at.radius - jnp.asarray(start_radius)
    return Slant(
        up * at.across - out * at.axis,
        up * from_first - out * at.height,
        out * from_first + up * at.height,
        length,
    )


def from_rim(at: Axial, radius: Real, height: Real) -> jax.Array:
    """Displacement ``(3,)`` from the closest point of a rim of ``radius`` at ``height`` along the
    axis [m]; analytic on the axis over the tip of a cone, a rim of radius zero.
    """
    return at.radial - radius * at.across + (at.height - height) * at.axis


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
