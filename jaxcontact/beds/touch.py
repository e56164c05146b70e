"""Where and how the surfaces of spheres pass each other.

With the unit normal ``n`` from ``j`` (or a wall) to ``i`` and the levers ``b = R - d/2`` to the
middle of the overlap ``d``, the surfaces pass each other at ``v = v_i - v_j - (b_i w_i + b_j w_j) x
n``. ``-v . n`` is the rate of the overlap, the rest is slip. The force on ``i`` is ``F_n n + F_t``,
its torque ``-b_i n x F_t``; ``j`` has the opposite force and the torque ``-b_j n x F_t``.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.beds.components import Components, cross, dot, each
from jaxcontact.beds.contact_lists import Pairs, Particles, WallContacts, difference, total
from jaxcontact.beds.periods import Repetition
from jaxcontact.beds.rolling import about_contact
from jaxcontact.beds.walls import Walls, distance_and_normal, of_walls
from jaxcontact.materials import effective_mass, effective_radius
from jaxcontact.numerics.smooth import positive_part


class Ends(NamedTuple):
    """Both spheres of pairs.

    Attributes:
        i_first: whether ``i`` has the smaller number.
        apart: centre of ``i`` from the nearest repetition of ``j`` [m]; far apart where there is no
            pair.
        passing: velocity of the centres likewise [m/s].
        radius: of ``i`` and of ``j`` [m].
        mass: likewise [kg].
    """

    i_first: jax.Array
    apart: Components
    passing: Components
    radius: tuple[jax.Array, jax.Array]
    mass: tuple[jax.Array, jax.Array]


class AtWall(NamedTuple):
    """A sphere and the place of a wall that is nearest to it.

    Attributes:
        apart: centre of the sphere from that place [m]; far apart where nothing is listed.
        passing: velocity of the centre against the material there [m/s].
        spins: of the sphere and of the wall [rad/s].
        radius: of the sphere [m].
        mass: likewise [kg].
    """

    apart: Components
    passing: Components
    spins: tuple[Components, Components]
    radius: jax.Array
    mass: jax.Array


class Touch(NamedTuple):
    """Geometry and motion of contacts, as the law sees them.

    Attributes:
        normal: unit vector from ``j``, or the wall, to ``i``.
        overlap: [m], negative where there is none.
        velocity: of the surface of ``i`` against that of ``j`` [m/s].
        turn: mean spin of both about the normal [rad/s].
        rolling: spin of ``i`` against ``j`` without its part about the normal [rad/s].
        twisting: its part about the normal [rad/s].
        mass: effective [kg].
        radius: effective [m].
        inertia: effective, about the point of contact [kg m^2].
        levers: of the torques on ``i`` and on ``j``, at walls on ``i`` [m].
        spins: of ``i`` and of ``j``; at walls of ``i`` against the wall [rad/s].
        ends: the spheres, or the sphere at a wall; ``None`` of a list without walls.
    """

    normal: Components
    overlap: jax.Array
    velocity: Components
    turn: jax.Array
    rolling: Components
    twisting: jax.Array
    mass: jax.Array
    radius: jax.Array
    inertia: jax.Array
    levers: tuple[jax.Array, ...]
    spins: tuple[Components, ...]
    ends: Ends | AtWall | None


def slip_cut(overlap: jax.Array, convention: str) -> jax.Array:
    """What the lever of a spin, in the velocity of a surface, is shorter than the radius [m]; at
    walls also that of a torque.
    """
    if convention == "contact_point":
        return 0.5 * positive_part(overlap)
    return jnp.zeros_like(overlap)


def torque_cut(overlap: jax.Array, convention: str) -> jax.Array:
    """What the lever of a torque between spheres is shorter than the radius [m]."""
    if convention == "lammps":
        return jnp.zeros_like(overlap)
    return 0.5 * positive_part(overlap)


def of_pairs(particles: Particles, pairs: Pairs, convention: str, repetition: Repetition) -> Touch:
    """Contacts of spheres with each other."""
    between = each(lambda x: difference(pairs, x), particles.position)
    apart = repetition.to_nearest(between)
    # Entries that are not used are pairs of a sphere with itself, at distance 0.
    distance = jnp.sqrt(jnp.where(pairs.live, dot(apart, apart), 1.0))
    normal = each(lambda x: x / distance, apart)
    overlap = jnp.where(pairs.live, total(pairs, particles.radius) - distance, -1.0)
    velocity = each(lambda v: difference(pairs, v), particles.velocity)
    velocity = repetition.seen_by(velocity, between)
    arms = each(lambda w: total(pairs, particles.radius * w), particles.spin)
    turn = jnp.zeros_like(overlap)
    if convention == "contact_point":
        cut = slip_cut(overlap, convention)
        spin = each(lambda w: total(pairs, w), particles.spin)
        arms = each(lambda arm, w: arm - cut * w, arms, spin)
        turn = 0.5 * dot(spin, normal)
    shorter = torque_cut(overlap, convention)
    against = each(lambda w: difference(pairs, w), particles.spin)
    i, j = pairs.i, pairs.j
    radius, mass = (
        (particles.radius[i], particles.radius[j]),
        (particles.mass[i], particles.mass[j]),
    )
    dx, dy, dz = apart
    far = jnp.where(pairs.live, dx, 3.0 * (radius[0] + radius[1]))
    first = particles.label[i] < particles.label[j]
    return Touch(
        normal,
        overlap,
        each(lambda v, r: v - r, velocity, cross(arms, normal)),
        turn,
        along_plane(against, normal),
        dot(against, normal),
        *effective_of_pairs(particles, pairs),
        (radius[0] - shorter, radius[1] - shorter),
        (each(lambda w: w[i], particles.spin), each(lambda w: w[j], particles.spin)),
        Ends(first, (far, dy, dz), velocity, radius, mass),
    )


def no_touch(contacts: WallContacts) -> Touch:
    """Of a list without walls."""
    zero = jnp.zeros(contacts.live.shape)
    one, none = jnp.ones_like(zero), (zero, zero, zero)
    return Touch(
        (one, zero, zero), -one, none, zero, none, zero, one, one, one, (one,), (none,), None
    )


def along_plane(vector: Components, normal: Components) -> Components:
    """What of a vector is not along the normal."""
    along = dot(vector, normal)
    return each(lambda v, n: v - along * n, vector, normal)


def effective_of_pairs(
    particles: Particles, pairs: Pairs
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Effective mass [kg], radius [m] and inertia about the point of contact [kg m^2] of each
    pair.
    """
    i, j = pairs.i, pairs.j
    about = about_contact(particles.mass, particles.inertia, particles.radius)
    mass = effective_mass(particles.mass[i], particles.mass[j])
    radius = effective_radius(particles.radius[i], particles.radius[j])
    return jnp.asarray(mass), jnp.asarray(radius), jnp.asarray(effective_mass(about[i], about[j]))


def effective_at_walls(
    particles: Particles, contacts: WallContacts
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Mass [kg], radius [m] and inertia about the point of contact [kg m^2] of each sphere at a
    wall.
    """
    at = contacts.sphere
    mass, radius = particles.mass[at], particles.radius[at]
    return mass, radius, about_contact(mass, particles.inertia[at], radius)


def of_wall_contacts(
    particles: Particles, contacts: WallContacts, walls: Walls, convention: str
) -> Touch:
    """Contacts of spheres with walls."""
    at, which = contacts.sphere, contacts.wall
    mass, radius, inertia = effective_at_walls(particles, contacts)
    place = each(lambda x: x[at], particles.position)
    distance, normal = distance_and_normal(walls, which, place)
    overlap = jnp.where(contacts.live, radius - distance, -1.0)
    spin = each(lambda w: w[at], particles.spin)
    wall_spin = of_walls(walls.spin, which)
    lever = radius - slip_cut(overlap, convention)
    centre = of_walls(walls.centre, which)
    point = each(lambda x, n, c: x - lever * n - c, place, normal, centre)
    moved = each(lambda v, r: v + r, of_walls(walls.velocity, which), cross(wall_spin, point))
    velocity = each(
        lambda v, r, wall: v[at] - lever * r - wall,
        particles.velocity,
        cross(spin, normal),
        moved,
    )
    turn = 0.5 * dot(each(jnp.add, spin, wall_spin), normal)
    against = each(jnp.subtract, spin, wall_spin)
    foot = each(lambda x, n, c: x - distance * n - c, place, normal, centre)
    material = each(jnp.add, of_walls(walls.velocity, which), cross(wall_spin, foot))
    far = jnp.where(contacts.live, distance, 3.0 * radius)
    nearest = AtWall(
        each(lambda n: far * n, normal),
        each(lambda v, wall: v[at] - wall, particles.velocity, material),
        (spin, wall_spin),
        radius,
        mass,
    )
    return Touch(
        normal,
        overlap,
        velocity,
        turn,
        along_plane(against, normal),
        dot(against, normal),
        mass,
        radius,
        inertia,
        (lever,),
        (against,),
        nearest,
    )


def turned(spring: Components, touch: Touch, time_step: jax.Array, convention: str) -> Components:
    """A spring, carried with its contact to the present plane."""
    if convention == "lammps":
        along = dot(spring, touch.normal)
        return each(lambda s, n: s - along * n, spring, touch.normal)
    about = spring
    if convention == "contact_point":
        angle = time_step * touch.turn
        about = each(lambda s, r: s + angle * r, spring, cross(touch.normal, spring))
    along = dot(about, touch.normal)
    flat = each(lambda s, n: s - along * n, about, touch.normal)
    now, tiny = dot(flat, flat), jnp.finfo(along.dtype).tiny ** 0.5
    stretched = now > tiny
    ratio = jnp.where(stretched, dot(spring, spring) / jnp.where(stretched, now, 1.0), 1.0)
    length = jnp.sqrt(jnp.where(ratio > 0.0, ratio, 1.0))
    return each(lambda s: length * s, flat)
