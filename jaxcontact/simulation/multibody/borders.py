"""Contacts that pass from one part of a surface to the next: over the rim of a cone, the edge of a
box, from the wall of a capsule to its end.

The curvature of the surface jumps there, and with it the rate of the force. Values forgive a step
across it, derivatives do not: they would miss how the time of the passage moves with the
parameters. So a step ends just beyond the border, with the derivative of its own time.

Of a contact that has settled the load itself jumps, by what holds the body on its way. Its step
ends just before the border: there it is woken, and passes the border as it moves. Where the load
hardly changed, it has settled again behind it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real
from jaxcontact.simulation.multibody.pairs import Geometry, World
from jaxcontact.simulation.multibody.step import rounding
from jaxcontact.surfaces.base import Borders

BEYOND, BEFORE = 1e-9, 1e-5
"""How far beyond a border a step ends, and how far before it one of a contact that lasts, in units
of the radius: the curvature of less than that is left out. From where it is closer already, it
comes half the way.
"""

WAYS_APART = 4.0
"""How much farther from a border than that a step ends, in units of how far the ways of the step
are apart: none of them has then passed it.
"""


class Border(NamedTuple):
    """What a step watches of the borders of each pair.

    Attributes:
        side: of each at the start of the step, 1 or -1, 0 where it is not watched, ``(k, pairs)``.
        lasts: whether the step ends before it, ``(pairs,)``.
        near: within which distance of it [m], ``(pairs,)``.
        way: to the closest one at the start of the step [m]; 1 m where none is watched.
    """

    side: jax.Array
    lasts: jax.Array
    near: jax.Array
    way: jax.Array

    @property
    def watched(self) -> jax.Array:
        """Pairs of which there is one, ``(pairs,)``."""
        return jnp.any(self.side != 0, axis=0)

    @property
    def excess(self) -> jax.Array:
        """By how much the step begins before where it is to end [m], ``(pairs,)``."""
        return self.way + jnp.where(self.lasts, -self.near, self.near)

    def left(self, now: Borders, apart: jax.Array) -> jax.Array:
        """By how much a step that ends ``now`` ends before where it is to end [m], ``(pairs,)``,
        with ways that are ``apart`` [m].
        """
        margin = jnp.where(self.lasts, -self.near - WAYS_APART * apart, self.near)
        return closest_way(self.side, now.distance) + jnp.where(self.watched, margin, 0.0)

    def wakes(self, ends: jax.Array, apart: jax.Array) -> jax.Array:
        """Pairs whose settled contact is to be followed as it moves: a step ``ends`` just before
        their border, not only as near as its ways allow.
        """
        return self.lasts & ends & (WAYS_APART * apart < self.near)


def closest_way(side: jax.Array, distance: jax.Array) -> jax.Array:
    """To the closest of the borders that are watched [m], ``(pairs,)``; 1 m where none is."""
    way = jnp.min(jnp.where(side != 0, side * distance, jnp.inf), axis=0)
    return jnp.where(jnp.any(side != 0, axis=0), way, 1.0)


def borders(world: World, centre: jax.Array, time: Real) -> Borders | None:
    """Those of the surface of each pair, seen from the ``centre`` of each member, ``(k, pairs)``;
    ``None`` where no surface has any.
    """
    found = [
        jax.vmap(surface.borders, in_axes=(0, None))(centre, time)
        for surface in world.scene.surfaces
    ]
    most = max((each.distance.shape[1] for each in found), default=0)
    if most == 0:
        return None
    between = jnp.ones((most, world.pairs.between_members), centre.dtype)
    columns = [Borders(between, jnp.zeros_like(between, dtype=bool))]
    for each in found:
        more = ((0, 0), (0, most - each.distance.shape[1]))
        distance = jnp.pad(each.distance, more, constant_values=1.0)
        columns.append(Borders(distance.T, jnp.pad(each.ends, more).T))
    return jax.tree.map(lambda *rows: jnp.concatenate(rows, axis=1), *columns)


def border_ahead(
    world: World, at: Geometry, time: jax.Array, closed: jax.Array, lasting: jax.Array
) -> Border | None:
    """What the next step of the ``closed`` contacts watches, without derivatives; ``None`` where no
    surface has borders.
    """
    centre, time = jax.lax.stop_gradient((at.centre, time))
    now = borders(world, centre, time)
    if now is None:
        return None
    size = jax.lax.stop_gradient(world.radius[0])
    rounded = rounding(centre) * (jnp.max(jnp.abs(centre)) + size)
    beyond = jnp.maximum(BEYOND * size, rounded)
    closest = jnp.where(lasting, 2 * beyond, beyond)
    watched = closed & now.ends & (jnp.abs(now.distance) > 2 * closest)
    side = jnp.where(watched, jnp.sign(now.distance), 0.0)
    way = closest_way(side, now.distance)
    # A contact that goes along a border, however near, does not end its steps.
    half = jnp.clip(way / 2, closest, BEFORE * size)
    return Border(side, lasting, jnp.where(lasting, half, beyond), way)
