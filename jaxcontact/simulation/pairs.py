"""Everything that may touch in a scene of several spheres: sphere with sphere, and sphere with surface.

Pairs are numbered: first every two spheres ``i < j``, then for each surface every sphere. In a pair the *normal* points from the second
partner (a sphere or a surface) to the first (a sphere): the direction of the contact force on the first.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.direction import distance_and_direction
from jaxcontact.scene import Scene, State
from jaxcontact.smooth import Real
from jaxcontact.surfaces import Plane


class Pairs(NamedTuple):
    """Which bodies are in which pair, as matrices of 0 and 1, ``(pairs, bodies)``: products with them run faster than indexing.

    Attributes:
        first: 1 for the first partner.
        second: 1 for the second partner; a row of zeros where that is a surface.
        surface: index of the surface ``(pairs,)``, -1 between spheres.
    """

    first: np.ndarray
    second: np.ndarray
    surface: np.ndarray

    @property
    def between_spheres(self) -> int:
        """Number of pairs of spheres; they come first."""
        return int(np.sum(self.surface < 0))


def all_pairs(bodies: int, surfaces: int) -> Pairs:
    """Every pair of ``bodies`` spheres and ``surfaces`` surfaces."""
    one, other = np.triu_indices(bodies, 1)
    identity = np.eye(bodies)
    first = np.concatenate([identity[one], *[identity] * surfaces])
    second = np.concatenate([identity[other], np.zeros((bodies * surfaces, bodies))])
    surface = np.concatenate([np.full(len(one), -1), np.repeat(np.arange(surfaces), bodies)])
    return Pairs(first, second, surface)


class Inertia(NamedTuple):
    """Of each pair ``(pairs,)``: effective mass [kg], tangential mass [kg], inverse masses and ``R/I`` of both partners."""

    effective_mass: Real
    tangential_mass: Real
    inverse_mass: tuple[Real, Real]
    lever: tuple[Real, Real]
    radius: tuple[Real, Real]


def pair_inertia(scene: Scene, pairs: Pairs) -> Inertia:
    """Masses of the pairs; a surface is infinitely heavy."""
    bodies = pairs.first.shape[1]
    radius, mass, ratio = (
        jnp.broadcast_to(jnp.asarray(value, dtype=float), (bodies,))
        for value in (scene.bodies.radius, scene.bodies.mass, scene.bodies.inertia_ratio)
    )

    def of_both(values: Real) -> tuple[Real, Real]:
        return pairs.first @ values, pairs.second @ values

    inverse_mass, inverse_tangential = of_both(1 / mass), of_both((1 + 1 / ratio) / mass)
    return Inertia(
        1 / (inverse_mass[0] + inverse_mass[1]),
        1 / (inverse_tangential[0] + inverse_tangential[1]),
        inverse_mass,
        of_both(1 / (ratio * mass * radius)),
        of_both(radius),
    )


@dataclasses.dataclass(frozen=True)
class World:
    """What does not change during a simulation: scene, pairs, their masses, and the normal force as a function.

    The function has what no motion changes (often the solution of an equation) found once.
    """

    scene: Scene
    pairs: Pairs
    inertia: Inertia
    force: Callable[..., jax.Array] | None
    """``None`` where impacts are rigid: then no pair is ever in contact."""

    @property
    def difference(self) -> np.ndarray:
        """Takes vectors of bodies to those of the first partner minus the second, ``(pairs, bodies)``."""
        return self.pairs.first - self.pairs.second


def world_of(scene: Scene, bodies: int, *, rigid: bool) -> World:
    """The world of ``scene`` with that number of spheres."""
    pairs = all_pairs(bodies, len(scene.surfaces))
    law: Any = scene.contact.normal
    force = None if rigid else law.force
    if force is not None and hasattr(law, "constants"):
        force = partial(force, constants=law.constants())
    return World(scene, pairs, pair_inertia(scene, pairs), force)


def gap_and_normal(world: World, position: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Gap ``(pairs,)`` and unit normal ``(pairs, 3)``."""
    scene, pairs = world.scene, world.pairs
    spheres = pairs.between_spheres
    radius = jnp.broadcast_to(jnp.asarray(scene.bodies.radius, dtype=position.dtype), position.shape[:1])
    distance, direction = distance_and_direction((pairs.first - pairs.second)[:spheres] @ position)
    gaps = [distance - (pairs.first + pairs.second)[:spheres] @ radius]
    normals = [direction]
    for surface in scene.surfaces:
        if isinstance(surface, Plane):
            gaps.append(surface.gap(position, radius))
            normals.append(jnp.broadcast_to(surface.unit_normal, position.shape))
        else:
            closest = jax.vmap(surface.closest, in_axes=(0, None))(position, 0.0)
            gaps.append(closest.distance - radius)
            normals.append(closest.normal)
    return jnp.concatenate(gaps), jnp.concatenate(normals)


def gap_rates(world: World, velocity: jax.Array, normal: jax.Array) -> jax.Array:
    """Rate of every gap [m/s]."""
    return jnp.sum((world.difference @ velocity) * normal, axis=-1)


class Pair(NamedTuple):
    """One pair (or, with a leading axis, all): who is in it, its masses, and the unit normal.

    Attributes:
        first, second: ``(bodies,)`` of 0 and 1.
        inverse_mass: two scalars [1/kg], zero for a surface.
        lever: two scalars ``R/I`` [1/(kg m)], zero for a surface.
        radius: two scalars [m], zero for a surface.
        tangential_mass: [kg].
        normal: ``(3,)``.
    """

    first: jax.Array
    second: jax.Array
    inverse_mass: tuple[jax.Array, jax.Array]
    lever: tuple[jax.Array, jax.Array]
    radius: tuple[jax.Array, jax.Array]
    tangential_mass: jax.Array
    normal: jax.Array


def each_pair(world: World, normal: jax.Array) -> Pair:
    """All pairs, with a leading axis."""
    pairs, inertia = world.pairs, world.inertia
    first, second = jnp.asarray(pairs.first), jnp.asarray(pairs.second)
    return Pair(first, second, inertia.inverse_mass, inertia.lever, inertia.radius, inertia.tangential_mass, normal)


def slip(pair: Pair, state: State) -> jax.Array:
    """Velocity of the first partner's surface against the second's at the contact, without its normal part [m/s], ``(3,)``."""
    relative = (pair.first - pair.second) @ state.velocity
    rolling = pair.radius[0] * (pair.first @ state.spin) + pair.radius[1] * (pair.second @ state.spin)
    return relative - (relative @ pair.normal) * pair.normal - jnp.cross(rolling, pair.normal)


def after_impulse(pair: Pair, state: State, impulse: jax.Array) -> State:
    """State after ``impulse`` [N s], ``(3,)``, at the contact on the first partner, and its opposite on the second.

    The contact lies at ``-R n`` from the first centre and at ``+R n`` from the second, where the impulse has the other sign.
    """
    share = pair.inverse_mass[0] * pair.first - pair.inverse_mass[1] * pair.second
    turn = pair.lever[0] * pair.first + pair.lever[1] * pair.second
    moment = jnp.cross(pair.normal, impulse)
    return State(state.position, state.velocity + share[:, None] * impulse, state.spin - turn[:, None] * moment)
