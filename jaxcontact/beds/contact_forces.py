"""Forces of all contacts of a bed, and the springs after a step.

With the unit normal ``n`` from ``j`` (or a wall) to ``i`` and the levers ``b = R - d/2`` to the
middle of the overlap ``d``, the surfaces pass each other at ``v = v_i - v_j - (b_i w_i + b_j w_j) x
n``. ``-v . n`` is the rate of the overlap, the rest is slip. The force on ``i`` is ``F_n n + F_t``,
its torque ``-b_i n x F_t``; ``j`` has the opposite force and the torque ``-b_j n x F_t``.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.beds.components import Components, cross, dot, each
from jaxcontact.beds.contact_lists import (
    History,
    Pairs,
    Particles,
    WallContacts,
    difference,
    total,
)
from jaxcontact.beds.contact_models import SphereContact
from jaxcontact.beds.periods import Repetition
from jaxcontact.beds.rolling import ElasticPlasticRolling, about_contact
from jaxcontact.beds.walls import Walls, distance_and_normal, of_walls
from jaxcontact.materials import effective_mass, effective_radius
from jaxcontact.numerics.smooth import positive_part


class Loads(NamedTuple):
    """What acts in each contact, carried from step to step.

    Attributes:
        force: on ``i`` [N].
        torques: of friction and of rolling resistance on ``i`` and on ``j``, at walls on ``i``
            [N m].
        overlap: [m]; 0 where there is none.
    """

    force: Components
    torques: tuple[Components, ...]
    overlap: jax.Array


class Touch(NamedTuple):
    """Geometry and motion of contacts, as the law sees them.

    Attributes:
        normal: unit vector from ``j``, or the wall, to ``i``.
        overlap: [m], negative where there is none.
        velocity: of the surface of ``i`` against that of ``j`` [m/s].
        turn: mean spin of both about the normal [rad/s].
        rolling: spin of ``i`` against ``j`` without its part about the normal [rad/s].
        mass: effective [kg].
        radius: effective [m].
        inertia: effective, about the point of contact [kg m^2].
        levers: of the torques on ``i`` and on ``j``, at walls on ``i`` [m].
    """

    normal: Components
    overlap: jax.Array
    velocity: Components
    turn: jax.Array
    rolling: Components
    mass: jax.Array
    radius: jax.Array
    inertia: jax.Array
    levers: tuple[jax.Array, ...]


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
    return Touch(
        normal,
        overlap,
        each(lambda v, r: v - r, velocity, cross(arms, normal)),
        turn,
        along_plane(each(lambda w: difference(pairs, w), particles.spin), normal),
        *effective_of_pairs(particles, pairs),
        (particles.radius[pairs.i] - shorter, particles.radius[pairs.j] - shorter),
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
    rolling = along_plane(each(jnp.subtract, spin, wall_spin), normal)
    return Touch(normal, overlap, velocity, turn, rolling, mass, radius, inertia, (lever,))


def slider_step(
    spring: Components,
    increment: Components,
    normal_force: jax.Array,
    *,
    stiffness: jax.Array,
    damping: jax.Array,
    coefficient: jax.Array,
    time_step: jax.Array,
) -> tuple[Components, Components]:
    """``laws.cundall_strack_force`` of components: force on the body that slips [N], and the
    elongation after the step [m].
    """
    series = stiffness + damping / time_step
    trial = each(lambda s, u: stiffness * s + series * u, spring, increment)
    squared = dot(trial, trial)
    limit = coefficient * positive_part(normal_force)
    # The cube of the inverse size must be representable, for second derivatives.
    slides = (squared > limit * limit) & (squared > jnp.finfo(squared.dtype).tiny ** (2.0 / 3.0))
    fraction = jnp.where(slides, limit / jnp.sqrt(jnp.where(slides, squared, 1.0)), 1.0)
    touches = normal_force > 0.0
    stiff = series > 0.0
    compliance = jnp.where(stiff, (1.0 - fraction) / jnp.where(stiff, series, 1.0), 0.0)
    force = each(lambda f: jnp.where(touches, -fraction * f, 0.0), trial)
    after = each(
        lambda s, u, f: jnp.where(touches, s + u - compliance * f, 0.0), spring, increment, trial
    )
    return force, after


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


def rolling_step(
    torque: Components,
    increment: Components,
    normal_force: jax.Array,
    *,
    stiffness: jax.Array,
    damping: jax.Array,
    limit: jax.Array,
    time_step: jax.Array,
) -> tuple[Components, Components]:
    """``laws.epsd_rolling_torque`` of components: couple on the body that rolls and torque of the
    spring after the step [N m]; ``limit`` is the largest torque over the normal force [m].
    """
    spring, after = slider_step(
        torque,
        each(lambda u: stiffness * u, increment),
        normal_force,
        stiffness=jnp.asarray(1.0),
        damping=jnp.asarray(0.0),
        coefficient=limit,
        time_step=time_step,
    )
    trial = each(lambda t, u: t + stiffness * u, torque, increment)
    most = limit * positive_part(normal_force)
    held = (normal_force > 0.0) & (dot(trial, trial) <= most * most)
    resisting = jnp.where(held, damping / time_step, 0.0)
    return each(lambda s, u: s - resisting * u, spring, increment), after


def evaluated(
    contact: SphereContact,
    rolling: ElasticPlasticRolling | None,
    damping: jax.Array,
    touch: Touch,
    history: History,
    time_step: jax.Array,
) -> tuple[Loads, History]:
    """Loads of contacts, and their history after the step that ends now."""
    normal = touch.normal
    approach = -dot(touch.velocity, normal)
    force = contact.normal_force(
        touch.overlap, approach, mass=touch.mass, radius=touch.radius, damping=damping
    )
    slip = each(lambda v, n: v + approach * n, touch.velocity, normal)
    stiffness, viscosity = contact.tangential(touch.overlap, mass=touch.mass, radius=touch.radius)
    increment = each(lambda s: time_step * s, slip)
    if contact.convention == "lammps":  # projects the sum of both
        together = each(jnp.add, history.spring, increment)
        joined = turned(together, touch, time_step, contact.convention)
        carried = each(lambda s, u: s - u, joined, increment)
    else:
        carried = turned(history.spring, touch, time_step, contact.convention)
    friction, after = slider_step(
        carried,
        increment,
        force,
        stiffness=jnp.asarray(stiffness),
        damping=jnp.asarray(viscosity),
        coefficient=jnp.asarray(contact.coefficient),
        time_step=time_step,
    )
    couple, torque = None, None
    if rolling is not None and history.torque is not None:
        bending, resisting = rolling.stiffness_and_damping(
            stiffness, radius=touch.radius, inertia=touch.inertia
        )
        couple, torque = rolling_step(
            turned(history.torque, touch, time_step, contact.convention),
            each(lambda w: time_step * w, touch.rolling),
            force,
            stiffness=jnp.asarray(bending),
            damping=resisting,
            limit=jnp.asarray(rolling.rolling_coefficient * touch.radius),
            time_step=time_step,
        )
    loads = Loads(
        each(lambda n, f: force * n + f, normal, friction),
        torques(touch, friction, couple),
        positive_part(touch.overlap),
    )
    return loads, History(after, torque)


def torques(
    touch: Touch, friction: Components, couple: Components | None
) -> tuple[Components, ...]:
    """On ``i`` and on ``j``, at walls on ``i`` [N m], from the friction on ``i`` [N] and the couple
    of rolling resistance on ``i`` [N m].
    """
    twist = cross(touch.normal, friction)
    found = [each(lambda t, b=lever: -b * t, twist) for lever in touch.levers]
    if couple is not None:
        signs = (1.0, -1.0)[: len(found)]
        found = [
            each(lambda t, c, s=sign: t + s * c, torque, couple)
            for sign, torque in zip(signs, found, strict=True)
        ]
    return tuple(found)


def couples(touch: Touch, loads: Loads) -> Components:
    """Of rolling resistance on ``i`` [N m]: what of the torque is not that of friction."""
    lever, twist = touch.levers[0], cross(touch.normal, loads.force)
    return each(lambda t, q: t + lever * q, loads.torques[0], twist)


def power(touch: Touch, loads: Loads, *, rolling: bool) -> tuple[jax.Array, jax.Array, jax.Array]:
    """What all contacts together give to their bodies along the normal, along the plane, and by
    rolling resistance, if there is any [W].
    """
    along = dot(loads.force, touch.normal)
    approach = -dot(touch.velocity, touch.normal)
    whole = dot(loads.force, touch.velocity)
    rolled = jnp.sum(dot(couples(touch, loads), touch.rolling)) if rolling else jnp.zeros(())
    return -jnp.sum(along * approach), jnp.sum(whole + along * approach), rolled


def at_rest(touch: Touch, history: History, time_step: jax.Array) -> History:
    """Histories which a step leaves without elongation: those of contacts that are there at the
    start.
    """
    approach = dot(touch.velocity, touch.normal)
    return history._replace(
        spring=each(lambda v, n: -time_step * (v - approach * n), touch.velocity, touch.normal)
    )
