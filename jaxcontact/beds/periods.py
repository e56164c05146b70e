"""Beds that repeat themselves: beyond a period in x, y or z the same spheres come again.

Positions go on beyond the period; what two spheres are apart is taken to the nearest repetition.
"""

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


def to_nearest(apart: Components, period: Period) -> Components:
    """Differences of positions [m], from one sphere to the nearest repetition of the other."""
    x, y, z = (
        gap if length is None else gap - length * jnp.round(gap / length)
        for gap, length in zip(apart, period, strict=True)
    )
    return x, y, z


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
        step = length * jnp.eye(3)[axis]
        there = distances(walls, each(jnp.add, position, from_last_axis(step)))
        turned = jnp.cross(walls.spin[0], step)
        still = jnp.all(jnp.abs(turned) <= ROUNDING * length * jnp.linalg.norm(walls.spin[0]))
        same = same & still & jnp.all(jnp.abs(there - here) <= ROUNDING * length)
    return same
