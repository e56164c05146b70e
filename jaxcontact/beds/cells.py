"""The grid of cells that spheres are sorted into, and which cells are beside each other."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real


class Along(NamedTuple):
    """Cells along one direction.

    Attributes:
        place: cell of each sphere ``(spheres,)``.
        used: so many there are.
        repeats: whether the last is followed by the first.
        wanted: so many would be used if there were room.
    """

    place: jax.Array
    used: jax.Array
    repeats: bool
    wanted: jax.Array

    def beside(self, by: int) -> tuple[jax.Array, jax.Array]:
        """The cell so many further on, for each sphere, and whether there is one."""
        other = self.place + by
        if self.repeats:
            return other % self.used, jnp.ones_like(other, bool)
        return other, (other >= 0) & (other < self.used)


def cells_along(position: jax.Array, period: Real | None, *, edge: jax.Array, room: int) -> Along:
    """Cells that are at least an ``edge`` [m] wide, at most ``room`` of them, for one component of
    the positions ``(spheres,)`` [m].

    Without a period [m] they begin at the lowest sphere, and spheres beyond the last belong to it.
    """
    if period is None:
        reached = jnp.floor((position - jnp.min(position)) / edge)
        place = jnp.clip(reached, 0, room - 1)
        used = jnp.asarray(room, jnp.int32)
        return Along(place.astype(jnp.int32), used, False, jnp.max(reached) + 1.0)
    fit = jnp.floor(period / edge)
    used = jnp.clip(fit, 1, room)
    periods = position / period
    place = jnp.clip(jnp.floor((periods - jnp.floor(periods)) * used), 0, used - 1)
    return Along(place.astype(jnp.int32), used.astype(jnp.int32), True, fit)
