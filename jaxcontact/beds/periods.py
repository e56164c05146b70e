"""Beds that repeat themselves: beyond a period in x, y or z the same spheres come again.

Positions go on beyond the period; a pair is a sphere and the nearest repetition of the other. Where
a period grows at a rate ``L'``, the ``n``-th repetition moves at ``n L'`` with respect to its
sphere. So it does where the repetitions above slide over those below: a bed sheared along x (Lees
and Edwards, J. Phys. C 5 (1972) 1921-1929).
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
        shift: how far the repetition above, in z, lies towards x [m]; ``None``: straight above.
        shift_rate: how fast it moves that way [m/s]; ``None``: not at all.
    """

    lengths: Period
    rates: Period
    shift: Real | None = None
    shift_rate: Real | None = None

    def at(self, time: jax.Array) -> "Repetition":
        """Of those at time 0, the periods at a time [s]."""
        x, y, z = (
            length if rate is None or length is None else length + rate * time
            for length, rate in zip(self.lengths, self.rates, strict=True)
        )
        shift = self.shift
        if shift is not None and self.shift_rate is not None:
            shift = shift + self.shift_rate * time
        return self._replace(lengths=(x, y, z), shift=shift)

    @property
    def changes(self) -> bool:
        """Whether repetitions move with respect to their spheres."""
        return self.shift_rate is not None or any(rate is not None for rate in self.rates)

    def numbers(self) -> jax.Array:
        """Lengths and shift ``(4,)`` [m], 0 where there is none."""
        parts = (*self.lengths, self.shift)
        return jnp.stack([jnp.asarray(0.0 if part is None else part, float) for part in parts])

    def to_nearest(self, apart: Components) -> Components:
        """Differences of positions [m] from the nearest repetition."""
        return _without(apart, self._images(apart), self.lengths, self.shift)

    def seen_by(self, velocity: Components, apart: Components) -> Components:
        """Differences of velocities [m/s] from the nearest repetition, of positions that are
        ``apart`` [m].
        """
        return _without(velocity, self._images(apart), self.rates, self.shift_rate)

    def below(self, position: Components) -> Components:
        """Positions [m] of the repetitions that lie no whole period above, nor below."""
        if self.shift is None or self.lengths[2] is None:
            return position
        x, y, z = position
        return x - jnp.floor(z / self.lengths[2]) * self.shift, y, z

    def strain_rate(self) -> tuple[tuple[Real, Real, Real], Real]:
        """Gradient of the velocities at which repetitions move [1/s]: its diagonal, and that of x
        along z.
        """
        x, y, z = (
            0.0 if length is None or rate is None else rate / length
            for length, rate in zip(self.lengths, self.rates, strict=True)
        )
        if self.shift is None or self.lengths[2] is None:
            return (x, y, z), 0.0
        sliding = 0.0 if self.shift_rate is None else self.shift_rate
        return (x, y, z), (sliding - x * self.shift) / self.lengths[2]

    def _images(self, apart: Components) -> tuple[jax.Array | None, ...]:
        """Numbers of the repetitions that are nearest, from differences of positions [m]."""
        x, y, z = apart
        along_x, along_y, along_z = self.lengths
        above = None if along_z is None else jnp.round(z / along_z)
        if above is not None and self.shift is not None:
            x = x - above * self.shift
        return (
            None if along_x is None else jnp.round(x / along_x),
            None if along_y is None else jnp.round(y / along_y),
            above,
        )


def _without(
    vector: Components,
    images: tuple[jax.Array | None, ...],
    each_one: Period,
    of_those_above: Real | None,
) -> Components:
    x, y, z = (
        part if number is None or one is None else part - number * one
        for part, number, one in zip(vector, images, each_one, strict=True)
    )
    above = images[2]
    if above is not None and of_those_above is not None:
        x = x - above * of_those_above
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
        step = jnp.eye(3)[axis] * length
        there = distances(walls, each(jnp.add, position, from_last_axis(step)))
        turned = jnp.cross(walls.spin[0], step)
        still = jnp.all(jnp.abs(turned) <= ROUNDING * length * jnp.linalg.norm(walls.spin[0]))
        same = same & still & jnp.all(jnp.abs(there - here) <= ROUNDING * length)
    return same
