"""Beds that repeat themselves: beyond a period in x, y or z the same spheres come again.

Positions go on beyond the period; a pair is a sphere and the nearest repetition of the other. Where
a period grows at a rate ``L'``, the ``n``-th repetition moves at ``n L'`` with respect to its
sphere.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.beds.components import Components, each, from_last_axis
from jaxcontact.beds.walls import distances, walls_at
from jaxcontact.numerics.smooth import Real
from jaxcontact.surfaces.base import Surface

Period = tuple[Real | None, Real | None, Real | None]
"""Lengths in x, y and z [m], ``None`` where nothing repeats."""

LEAST_CELLS = 3
"""So many cells a period must hold: with fewer, a cell would be beside another on both sides."""

ROUNDING = 1e-9
"""What distances from walls may differ by from one repetition to the next, over the period."""


class Repetition(NamedTuple):
    """Periods at one time.

    Attributes:
        lengths: [m].
        rates: at which they grow [m/s], ``None`` where they do not.
    """

    lengths: Period
    rates: Period

    def images(self, apart: Components) -> tuple[jax.Array | None, ...]:
        """Numbers of the repetitions that are nearest, from differences of positions [m]."""
        return tuple(
            None if length is None else jnp.round(gap / length)
            for gap, length in zip(apart, self.lengths, strict=True)
        )

    def to_nearest(self, apart: Components) -> Components:
        """Differences of positions [m] from the nearest repetition."""
        return _without(apart, self.images(apart), self.lengths)

    def seen_by(self, velocity: Components, apart: Components) -> Components:
        """Differences of velocities [m/s] from the nearest repetition."""
        return _without(velocity, self.images(apart), self.rates)


def _without(
    vector: Components, images: tuple[jax.Array | None, ...], each_one: Period
) -> Components:
    x, y, z = (
        part if number is None or one is None else part - number * one
        for part, number, one in zip(vector, images, each_one, strict=True)
    )
    return x, y, z


def periods_at(period: Period, rates: Period, time: jax.Array) -> Repetition:
    """Periods at a time [s], from those at time 0 [m] and the rates at which they grow [m/s]."""
    x, y, z = (
        length if rate is None or length is None else length + rate * time
        for length, rate in zip(period, rates, strict=True)
    )
    return Repetition((x, y, z), rates)


def growth_of_images(repetition: Repetition, position: Components) -> jax.Array:
    """Speed at which the nearest repetitions move with respect to their spheres, at most [m/s]."""
    squared = jnp.zeros(())
    for x, length, rate in zip(position, *repetition, strict=True):
        if length is not None and rate is not None:
            farthest = jnp.ceil((jnp.max(x) - jnp.min(x)) / length)
            squared = squared + (farthest * rate) ** 2
    return jax.lax.stop_gradient(jnp.sqrt(squared))


def are_long_enough(period: Period, edge: Real) -> jax.Array:
    """Whether periods hold ``LEAST_CELLS`` cells of an ``edge`` [m]."""
    lengths = [length for length in period if length is not None]
    return jnp.all(jnp.asarray([length >= LEAST_CELLS * edge for length in lengths], bool))


def is_repeated(
    surface: Surface, position: Components, time: jax.Array, period: Period
) -> jax.Array:
    """Whether spheres ``(spheres,)`` find a surface at the same distance one period further on, and
    its material in the same motion.
    """
    walls = walls_at((surface,), time)
    here = distances(walls, position)
    same = jnp.ones((), bool)
    for axis, length in enumerate(period):
        if length is None:
            continue
        step = jnp.eye(3)[axis] * length
        there = distances(walls, each(jnp.add, position, from_last_axis(step)))
        turned = jnp.cross(walls.spin[0], step)
        still = jnp.all(jnp.abs(turned) <= ROUNDING * length * jnp.linalg.norm(walls.spin[0]))
        same = same & still & jnp.all(jnp.abs(there - here) <= ROUNDING * length)
    return same
