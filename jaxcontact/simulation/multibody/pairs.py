"""Everything that may touch in a scene: members of different bodies, and members with surfaces.

A sphere is a body of one member, a clump one of several. Pairs are numbered: first every two
members of different bodies, then for each surface every member. In a pair the *normal* points from
the second partner (a member or a surface) to the first (a member): the direction of the contact
force on the first.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.rotation import (
    quaternion_product,
    rotate_by_quaternion,
    rotation_to_quaternion,
)
from jaxcontact.geometry.vectors import cross, distance_and_direction
from jaxcontact.laws.core.branches import BranchedLaw
from jaxcontact.laws.core.friction_interfaces import FrictionWithMemory
from jaxcontact.laws.core.rotation_interfaces import RollingWithMemory
from jaxcontact.numerics.smooth import Real, safe_norm
from jaxcontact.scene.bodies import Clumps, as_clumps
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.scene.scene import Scene, State
from jaxcontact.surfaces import Plane, Sphere


class Pairs(NamedTuple):
    """Which members and bodies are in which pair, as matrices of 0 and 1: products with them run
    faster than indexing.

    Attributes:
        first_member: 1 for the first partner, ``(pairs, members)``.
        second_member: 1 for the second partner; a row of zeros where that is a surface.
        first: the same for the bodies, ``(pairs, bodies)``.
        second: likewise.
        surface: index of the surface ``(pairs,)``, -1 between members.
    """

    first_member: np.ndarray
    second_member: np.ndarray
    first: np.ndarray
    second: np.ndarray
    surface: np.ndarray

    @property
    def between_members(self) -> int:
        """Number of pairs of members; they come first."""
        return int(np.sum(self.surface < 0))

    @property
    def difference(self) -> np.ndarray:
        """Takes vectors of bodies to those of the first partner minus the second, ``(pairs,
        bodies)``.
        """
        return self.first - self.second


def all_pairs(of_body: tuple[int, ...], surfaces: int) -> Pairs:
    """Every pair of members of different bodies, and of members and ``surfaces`` surfaces."""
    members = len(of_body)
    body = np.asarray(of_body)
    one, other = np.triu_indices(members, 1)
    apart = body[one] != body[other]
    one, other = one[apart], other[apart]
    member = np.eye(members)
    first = np.concatenate([member[one], *[member] * surfaces])
    second = np.concatenate([member[other], np.zeros((members * surfaces, members))])
    surface = np.concatenate([np.full(len(one), -1), np.repeat(np.arange(surfaces), members)])
    to_body = np.eye(int(body.max()) + 1)[body]
    return Pairs(first, second, first @ to_body, second @ to_body, surface)


def pairs_of(scene: Scene, bodies: int) -> int:
    """How many pairs may touch in ``scene`` with that number of bodies: those of ``all_pairs``."""
    clumps = isinstance(scene.bodies, Clumps)
    members = np.bincount(scene.bodies.of_body) if clumps else np.ones(bodies, dtype=int)
    count = int(np.sum(members))
    return (count**2 - int(np.sum(members**2))) // 2 + count * len(scene.surfaces)


@dataclasses.dataclass(frozen=True)
class World:
    """What does not change during a simulation.

    Attributes:
        scene: what is simulated.
        contact: the laws; where they differ from pair to pair, each parameter is ``(pairs,)``.
        mixed: whether they do.
        bodies: as clumps, also where they are spheres.
        turns: whether the orientation matters: false for spheres, whose ``State.orientation`` is
            ``None``.
        pairs: what may touch.
        inverse_mass: of each body ``(bodies,)``.
        inverse_inertia: of each body in its own axes ``(bodies, 3, 3)``.
        radius: of the first and the second partner ``(pairs,)``; 0 for a surface.
        effective_radius: ``1/(1/R1 + 1/R2)``; that of the member on a surface, as if it were flat.
        extent: radius of the smaller body, of a clump that of the sphere around it, ``(pairs,)``.
        force: the normal force, with what no motion changes (often the solution of an equation)
            found once; ``None`` where impacts are rigid.
        constants: what was found; ``None`` where the law needs nothing.
    """

    scene: Scene
    contact: ContactModel
    mixed: bool
    bodies: Clumps
    turns: bool
    pairs: Pairs
    inverse_mass: jax.Array
    inverse_inertia: jax.Array
    radius: tuple[jax.Array, jax.Array]
    effective_radius: jax.Array
    extent: jax.Array
    force: Callable[..., jax.Array] | None
    constants: Any

    @property
    def has_memory(self) -> bool:
        """Whether friction has a memory."""
        return isinstance(self.contact.friction, FrictionWithMemory)

    @property
    def rolls_on_springs(self) -> bool:
        """Whether rolling resistance has a memory."""
        return not self.rigid and isinstance(self.contact.rolling, RollingWithMemory)

    @property
    def has_hysteresis(self) -> bool:
        """Whether the normal force has a memory."""
        return not self.rigid and isinstance(self.contact.normal, BranchedLaw)

    @property
    def rigid(self) -> bool:
        """Whether impacts are rigid."""
        return self.force is None


def contact_of_pairs(scene: Scene, pairs: Pairs) -> ContactModel:
    """The laws of all pairs: those of the scene, or with parameters ``(pairs,)`` where surfaces
    have their own.
    """
    if scene.contact_on_surfaces is None:
        return scene.contact
    every = (scene.contact, *scene.contact_on_surfaces)
    which = pairs.surface + 1  # 0 between members
    return jax.tree.map(
        lambda *values: jnp.stack([jnp.asarray(value, dtype=float) for value in values])[which],
        *every,
    )


def contact_of_each_pair(world: World) -> ContactModel:
    """The laws of all pairs, every parameter with a leading axis ``(pairs,)``."""
    if world.mixed:
        return world.contact
    count = len(world.pairs.surface)
    return jax.tree.map(
        lambda value: jnp.broadcast_to(jnp.asarray(value, dtype=float), (count, *jnp.shape(value))),
        world.contact,
    )


def world_of(scene: Scene, bodies: int, *, rigid: bool) -> World:
    """The world of ``scene`` with that number of bodies."""
    clumps = as_clumps(scene.bodies, bodies)
    pairs = all_pairs(clumps.of_body, len(scene.surfaces))
    contact = contact_of_pairs(scene, pairs)
    law: Any = contact.normal
    constants = None if rigid else law.constants()
    force = None if rigid else normal_force(contact, constants)
    radius = jnp.asarray(clumps.radius, dtype=float)
    first, second = (
        jnp.asarray(pairs.first_member) @ radius,
        jnp.asarray(pairs.second_member) @ radius,
    )
    flat = pairs.surface >= 0
    effective_radius = jnp.where(flat, first, first * second / jnp.where(flat, 1.0, first + second))
    inertia = jnp.asarray(clumps.inertia, dtype=float)
    turns = isinstance(scene.bodies, Clumps)
    size = jax.ops.segment_max(
        safe_norm(jnp.asarray(clumps.offset, dtype=float)) + radius,
        np.asarray(clumps.of_body),
        np.shape(clumps.mass)[0],
    )
    sizes = pairs.first @ size, pairs.second @ size
    extent = jax.lax.stop_gradient(jnp.where(flat, sizes[0], jnp.minimum(*sizes)))
    moment = inertia[:, 0, 0]
    inverse_inertia = jnp.linalg.inv(inertia) if turns else jnp.eye(3) / moment[:, None, None]
    inverse_mass = 1 / jnp.asarray(clumps.mass, dtype=float)
    mixed = scene.contact_on_surfaces is not None
    return World(
        scene,
        contact,
        mixed,
        clumps,
        turns,
        pairs,
        inverse_mass,
        inverse_inertia,
        (first, second),
        effective_radius,
        extent,
        force,
        constants,
    )


def normal_force(contact: ContactModel, constants: Any) -> Callable[..., jax.Array]:
    """The normal force of the laws of ``contact``, with their ``constants``."""
    law: Any = contact.normal
    return law.force if constants is None else partial(law.force, constants=constants)


class Geometry(NamedTuple):
    """Where pairs are.

    Attributes:
        gap: negative in overlap [m], ``(pairs,)``.
        normal: ``(pairs, 3)``.
        first_arm: from the first body's centre of mass to the contact [m], ``(pairs, 3)``.
        second_arm: likewise.
        surface_velocity: of the surface's material there [m/s], ``(pairs, 3)``.
        surface_spin: angular velocity of the surface [rad/s], ``(pairs, 3)``.
        centre: of the members [m], ``(members, 3)``.
    """

    gap: jax.Array
    normal: jax.Array
    first_arm: jax.Array
    second_arm: jax.Array
    surface_velocity: jax.Array
    surface_spin: jax.Array
    centre: jax.Array


def geometry(world: World, state: State, time: Real) -> Geometry:
    """Where all pairs are."""
    scene, pairs, bodies = world.scene, world.pairs, world.bodies
    position = state.position
    members = pairs.between_members
    if world.turns:
        body = np.asarray(bodies.of_body)
        offset = rotate_by_quaternion(jnp.asarray(bodies.offset), state.orientation[body])
        centre = position[body] + offset
    else:
        offset, centre = jnp.zeros_like(position), position
    distance, direction = distance_and_direction(
        (pairs.first_member - pairs.second_member)[:members] @ centre
    )
    gaps, normals = [distance - (world.radius[0] + world.radius[1])[:members]], [direction]
    still = jnp.zeros_like(centre)
    velocities, spins = [jnp.zeros_like(direction)], [jnp.zeros_like(direction)]
    radius = jnp.asarray(bodies.radius, dtype=position.dtype)
    for surface in scene.surfaces:
        if isinstance(surface, Plane) and surface.motion is None:
            gaps.append(surface.gap(centre, radius))
            normals.append(jnp.broadcast_to(surface.unit_normal, centre.shape))
            velocities.append(still)
            spins.append(still)
        else:
            closest = jax.vmap(surface.closest, in_axes=(0, None))(centre, time)
            gaps.append(closest.distance - radius)
            normals.append(closest.normal)
            velocities.append(closest.velocity)
            turning = (
                still
                if surface.motion is None
                else jnp.broadcast_to(jnp.asarray(surface.motion.angular_velocity), centre.shape)
            )
            spins.append(turning)
    gap, normal = jnp.concatenate(gaps), jnp.concatenate(normals)
    lengths = distances_to_contact(world, gap)
    first_arm, second_arm = -lengths[0][:, None] * normal, lengths[1][:, None] * normal
    if world.turns:
        first_arm, second_arm = (
            first_arm + pairs.first_member @ offset,
            second_arm + pairs.second_member @ offset,
        )
    return Geometry(
        gap,
        normal,
        first_arm,
        second_arm,
        jnp.concatenate(velocities),
        jnp.concatenate(spins),
        centre,
    )


def distances_to_contact(world: World, gap: jax.Array) -> tuple[jax.Array, jax.Array]:
    """From the centre of the first and of the second member to the point at which they push each
    other [m], ``(pairs,)``: to the middle of the overlap, or of the gap.

    The point is one for both, so that a contact changes no angular momentum. A ``Sphere`` among the
    surfaces, seen from outside, is a body that does not move. On other surfaces it is the point of
    the undeformed sphere, as in the engine for one sphere.
    """
    balls = [isinstance(each, Sphere) and not each.hollow for each in world.scene.surfaces]
    middle = np.array([*balls, True])[world.pairs.surface]  # the last one: between bodies
    half = jnp.where(middle, gap / 2, 0.0)
    return world.radius[0] + half, world.radius[1] + half


def relative_velocity(world: World, at: Geometry, state: State) -> jax.Array:
    """Velocity of the first partner's surface against the second's at the contact [m/s], ``(pairs,
    3)``.
    """
    first, second, difference = (
        jnp.asarray(side)
        for side in (world.pairs.first, world.pairs.second, world.pairs.difference)
    )
    turning = cross(first @ state.spin, at.first_arm) - cross(second @ state.spin, at.second_arm)
    return difference @ state.velocity + turning - at.surface_velocity


def gap_rates(world: World, at: Geometry, state: State) -> jax.Array:
    """Rate of every gap [m/s]."""
    if world.turns:
        return jnp.sum(relative_velocity(world, at, state) * at.normal, axis=-1)
    return jnp.sum(
        (world.pairs.difference @ state.velocity - at.surface_velocity) * at.normal, axis=-1
    )


def inertia_in_scene(world: World, state: State) -> jax.Array:
    """Inverse of the inertia of each body in the axes of the scene, ``(bodies, 3, 3)``."""
    if not world.turns:
        return world.inverse_inertia
    axes = jax.vmap(
        lambda turn: jax.vmap(lambda vector: rotate_by_quaternion(vector, turn))(jnp.eye(3))
    )(state.orientation)
    return jnp.einsum(
        "nai,nab,nbj->nij", axes, world.inverse_inertia, axes
    )  # row a of the axes is body axis a


def in_body_axes(world: World, state: State, vector: jax.Array) -> jax.Array:
    """``vector`` ``(bodies, 3)``, given in the axes of the scene."""
    if not world.turns:
        return vector
    return rotate_by_quaternion(vector, state.orientation * jnp.array([1.0, -1.0, -1.0, -1.0]))


def spin_rates(world: World, state: State, torque: jax.Array) -> jax.Array:
    """Angular acceleration [rad/s^2] under ``torque`` ``(bodies, 3)``: Euler's equations."""
    if not world.turns:
        return world.inverse_inertia[:, :1, 0] * torque
    spin, moment = (in_body_axes(world, state, vector) for vector in (state.spin, torque))
    momentum = jnp.einsum("nij,nj->ni", jnp.asarray(world.bodies.inertia), spin)
    rate = jnp.einsum("nij,nj->ni", world.inverse_inertia, moment - cross(spin, momentum))
    return rotate_by_quaternion(rate, state.orientation)


def kinetic_energy(world: World, state: State) -> jax.Array:
    """Kinetic energy of all bodies [J]."""
    moving = jnp.sum(jnp.sum(state.velocity * state.velocity, axis=-1) / world.inverse_mass)
    spin = in_body_axes(world, state, state.spin)
    return 0.5 * (moving + jnp.einsum("ni,nij,nj->", spin, jnp.asarray(world.bodies.inertia), spin))


def force_and_torque(
    world: World, at: Geometry, force: jax.Array, torque: jax.Array | None = None
) -> tuple[jax.Array, jax.Array]:
    """Sum of the contact forces (and torques) ``(pairs, 3)`` on each body, ``(bodies, 3)`` each."""
    first, second = jnp.asarray(world.pairs.first), jnp.asarray(world.pairs.second)
    twist = 0.0 if torque is None else torque
    on_first, on_second = (
        cross(at.first_arm, force) + twist,
        cross(at.second_arm, force) + twist,
    )
    return jnp.asarray(world.pairs.difference).T @ force, first.T @ on_first - second.T @ on_second


def inverse_mass_along(
    world: World, at: Geometry, inverse_inertia: jax.Array, direction: jax.Array
) -> jax.Array:
    """Change of relative velocity along the unit ``direction`` ``(pairs, 3)`` by a unit impulse
    along it [1/kg], ``(pairs,)``.
    """
    pairs = world.pairs
    total = jnp.asarray(pairs.first + pairs.second) @ world.inverse_mass
    for side, arm in ((pairs.first, at.first_arm), (pairs.second, at.second_arm)):
        moment = cross(arm, direction)
        inertia = jnp.tensordot(jnp.asarray(side), inverse_inertia, axes=1)
        total = total + jnp.einsum("pi,pij,pj->p", moment, inertia, moment)
    return total


def effective_mass(world: World, at: Geometry, state: State) -> jax.Array:
    """Mass that resists a normal impulse [kg], ``(pairs,)``."""
    if not world.turns:
        return 1 / ((world.pairs.first + world.pairs.second) @ world.inverse_mass)
    return 1 / inverse_mass_along(world, at, inertia_in_scene(world, state), at.normal)


def momentum_of_spin(world: World, state: State) -> jax.Array:
    """Angular momentum of each body about its centre of mass [N m s], ``(bodies, 3)``."""
    spin = in_body_axes(world, state, state.spin)
    angular = jnp.einsum("nij,nj->ni", jnp.asarray(world.bodies.inertia), spin)
    return rotate_by_quaternion(angular, state.orientation) if world.turns else angular


def momenta(world: World, state: State) -> tuple[jax.Array, jax.Array]:
    """Momentum [N s] and angular momentum about the origin [N m s] of all bodies, ``(3,)`` each."""
    linear = state.velocity / world.inverse_mass[:, None]
    angular = cross(state.position, linear) + momentum_of_spin(world, state)
    return jnp.sum(linear, axis=0), jnp.sum(angular, axis=0)


def drifted(
    world: World, state: State, velocity: jax.Array, spin: jax.Array, duration: Real
) -> State:
    """``state`` moved on at constant ``velocity`` and ``spin``."""
    moved = state._replace(position=state.position + duration * velocity)
    if not world.turns:
        return moved
    return moved._replace(
        orientation=quaternion_product(rotation_to_quaternion(duration * spin), state.orientation)
    )


def fallen(state: State, acceleration: jax.Array, duration: Real) -> State:
    """``state`` moved on under a constant ``acceleration`` (3,) or ``(bodies, 3)``, not turned."""
    return state._replace(
        position=state.position + duration * (state.velocity + duration / 2 * acceleration),
        velocity=state.velocity + duration * acceleration,
    )


def oriented(world: World, start: State) -> State:
    """The initial state with an orientation of clumps, and of nothing else."""
    if not world.turns:
        return start._replace(orientation=None)
    if start.orientation is not None:
        return start
    not_turned = jnp.array([1.0, 0.0, 0.0, 0.0], start.position.dtype)
    return start._replace(orientation=jnp.broadcast_to(not_turned, (len(start.position), 4)))
