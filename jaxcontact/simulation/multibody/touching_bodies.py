"""Steps of the few spheres that touch, out of many.

A linearly implicit step of n spheres costs n^2 to n^3, while mostly two of them are in contact, or
one with a surface. The set of contacts is frozen in a step: what touches nothing falls freely, and
what touches is stepped as a world of its own, of at most ``FEW`` spheres and all surfaces.
"""

import dataclasses
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.scene.bodies import Clumps
from jaxcontact.scene.scene import State
from jaxcontact.simulation.core.lanes import either
from jaxcontact.simulation.multibody.pairs import World, all_pairs, fallen, normal_force
from jaxcontact.simulation.multibody.step import Active, Stepped, contact_step

Tree = TypeVar("Tree")

FEW = 4
"""Largest number of spheres that are stepped as a world of their own."""

MANY = 8
"""Number of spheres from which on that is worth a second program for steps of contacts."""


class Part(NamedTuple):
    """``FEW`` bodies in order of their numbers, and of their pairs the numbers among all."""

    bodies: jax.Array
    pairs: jax.Array


def step_of_contacts(
    world: World, active: Active, state: State, time: jax.Array, duration: jax.Array
) -> Stepped:
    """``contact_step``, of those spheres alone that touch where there are few among many."""
    if not has_parts(world):
        return contact_step(world, active, state, time, duration)
    touches = touching_bodies(world, active.closed)
    return either(
        jnp.sum(touches) <= FEW,
        lambda: step_of_part(world, touches, active, state, time, duration),
        lambda: contact_step(world, active, state, time, duration),
    )


def has_parts(world: World) -> bool:
    """Whether what does not touch falls freely, in a world of many spheres."""
    alone = not (world.rigid or world.turns or world.scene.has_fluid or world.scene.springs)
    return alone and len(world.inverse_mass) >= MANY


def touching_bodies(world: World, closed: jax.Array) -> jax.Array:
    """Which bodies are in contact, ``(bodies,)``, by the ``closed`` pairs."""
    return jnp.any((world.pairs.first + world.pairs.second > 0) & closed[:, None], axis=0)


def part_of(world: World, touches: jax.Array) -> Part:
    """The bodies that touch, and others up to ``FEW``."""
    bodies = jnp.sort(jnp.argsort(~touches, stable=True)[:FEW])
    count, members = len(touches), world.pairs.between_members
    number = np.zeros((count, count), dtype=int)
    number[np.triu_indices(count, 1)] = np.arange(members)
    one, other = np.triu_indices(FEW, 1)
    between = jnp.asarray(number)[bodies[one], bodies[other]]
    surfaces = members + count * np.arange(len(world.scene.surfaces))
    return Part(bodies, jnp.concatenate([between, jnp.ravel(surfaces[:, None] + bodies)]))


def world_of_part(world: World, part: Part) -> World:
    """As if there were no other bodies."""

    def of_pairs(tree: Tree) -> Tree:
        return jax.tree.map(lambda leaf: leaf[part.pairs], tree)

    gravity = jnp.asarray(world.scene.gravity)
    gravity = gravity[part.bodies] if gravity.ndim == 2 else gravity
    given = world.bodies
    bodies = Clumps(
        **{
            name: jnp.asarray(value)[part.bodies]
            for name, value in (
                ("offset", given.offset),
                ("radius", given.radius),
                ("mass", given.mass),
                ("inertia", given.inertia),
            )
        },
        of_body=tuple(range(FEW)),
    )
    contact, constants = world.contact, world.constants
    if world.mixed:
        contact, constants = (
            jax.tree.map(lambda leaf: leaf[part.pairs] if jnp.ndim(leaf) else leaf, laws)
            for laws in (contact, constants)
        )
    return dataclasses.replace(
        world,
        scene=dataclasses.replace(world.scene, bodies=bodies, gravity=gravity),
        contact=contact,
        force=normal_force(contact, constants),
        constants=constants,
        bodies=bodies,
        pairs=all_pairs(bodies.of_body, len(world.scene.surfaces)),
        inverse_mass=world.inverse_mass[part.bodies],
        inverse_inertia=world.inverse_inertia[part.bodies],
        radius=of_pairs(world.radius),
        effective_radius=of_pairs(world.effective_radius),
        extent=of_pairs(world.extent),
    )


def step_of_part(
    world: World,
    touches: jax.Array,
    active: Active,
    state: State,
    time: jax.Array,
    duration: jax.Array,
) -> Stepped:
    """After a step in which no more than ``FEW`` spheres touch."""
    part = part_of(world, touches)

    def set_in(whole: Any, few: Any, where: jax.Array) -> Any:
        return jax.tree.map(lambda all_, some: all_.at[where].set(some), whole, few)

    of_pairs = partial(jax.tree.map, lambda leaf: leaf[part.pairs])
    own = jax.tree.map(lambda leaf: leaf[part.bodies], state)
    stepped = contact_step(world_of_part(world, part), of_pairs(active), own, time, duration)
    none = jnp.zeros_like(active.mass)
    normal = set_in(none, stepped.work.normal, part.pairs)
    return Stepped(
        set_in(
            fallen(state, jnp.asarray(world.scene.gravity), duration), stepped.state, part.bodies
        ),
        set_in(active.memory, stepped.memory, part.pairs),
        set_in(active.friction, stepped.friction, part.pairs),
        stepped.work._replace(normal=normal),
        jax.tree.map(lambda lack: set_in(none, lack, part.pairs), stepped.lacks),
        set_in(active.normal, stepped.normal, part.pairs),
        set_in(active.rolling, stepped.rolling, part.pairs),
    )
