"""How far bodies may fly until two of them could touch (conservative advancement).

Towards fixed planes, and between spheres that fall alike, the time of the touch is known. Towards
everything else two bounds hold, and the larger one is taken:

* a distance changes by no more than the path of the centre, ``g(t) >= g - |v| t - |a| t^2/2``;
* the distance from a convex body is a convex function of the centre, so it never falls below its
  tangent, ``g(t) >= g + g' t + n.a t^2/2``: a step of Newton's method that never goes too far.

The first bound is asked for an overlap of a part of the radius of the sphere: a step then ends in
the contact instead of ever closer before it, and cannot reach the other side of what is thin. None
of this depends on how long the simulation lasts.

Source:
    B. Mirtich, Impulse-based dynamic simulation of rigid body systems, PhD thesis, Berkeley (1996),
    chapter 2 (conservative advancement).
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.smooth import safe_norm
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.ballistic import touch_time
from jaxcontact.simulation.multibody.pairs import (
    Geometry,
    World,
    distances_to_contact,
    spin_rates,
)
from jaxcontact.surfaces import Plane, Surface

DEPTH = 0.125
"""Overlap that a flight may end in, in units of the radius of the smaller sphere."""

DEEPEST = 0.5
"""Overlap up to which a sphere is certain to be on the side from which it came, likewise."""

FLUID_FRACTION = 0.02
"""Longest step in a fluid in units of the time in which it changes the velocity."""

PERIOD_FRACTION = 0.02
"""Longest step in units of the shortest period of prescribed motions and springs."""

LARGEST_TURN = 0.04
"""Largest rotation of a clump in one step of a flight [rad]: spins are right to 3e-9 of themselves
for each radian at the ends of steps, to 3e-7 between them.
"""


class Bounds(NamedTuple):
    """Lengths of a step [s], over all pairs that are not in contact.

    Attributes:
        touch: no pair touches before; by then one may overlap by ``DEPTH``.
        certain: a touch within is certain to be seen at the end of the step.
    """

    touch: jax.Array
    certain: jax.Array


def flight_bounds(
    world: World, state: State, at: Geometry, rate: jax.Array, time: jax.Array, closed: jax.Array
) -> Bounds:
    """How far a step may go; infinite when nothing ever touches.

    Args:
        world: the scene.
        state: at ``time``.
        at: where all pairs are.
        rate: of their gaps [m/s].
        time: [s].
        closed: pairs in contact, of which nothing is asked.
    """
    members, surfaces = world.pairs.between_members, world.scene.surfaces
    acceleration = world.scene.external_acceleration(
        state.position, state.velocity, state.spin, time
    )
    pull = jnp.asarray(world.pairs.difference) @ acceleration
    speed, swing = approach_bounds(world, state, at, time)
    tangent = touch_time(at.gap, rate, jnp.sum(pull * at.normal, axis=-1) - swing)

    def of_pairs(between: bool, with_surface: list[bool]) -> np.ndarray:
        """One entry for each pair."""
        return np.array([between] * members + list(np.repeat(with_surface, len(at.centre))), bool)

    # What has passed a plane stays behind it: no step towards one is too long to see that.
    open_ended = of_pairs(False, [is_fixed_plane(surface) for surface in surfaces])
    convex = of_pairs(True, [surface.is_convex for surface in surfaces])
    touch, certain = tangent, jnp.full_like(tangent, jnp.inf)
    if not np.all(open_ended):
        total, size = safe_norm(pull) + swing, smaller_radius(world)
        shallow, deep = (
            path_time(at.gap, speed, total, depth * size) for depth in (DEPTH, DEEPEST)
        )
        certain = jnp.where(open_ended, jnp.inf, jnp.maximum(deep, jnp.where(convex, tangent, 0.0)))
        touch = jnp.maximum(shallow, jnp.where(convex, tangent, -jnp.inf))
        touch = jnp.where(open_ended, tangent, touch)
    if world.turns:
        # The arc of a corner is followed by the steps of a small turn (``accurate_flight``).
        touch = jnp.where(open_ended, jnp.inf, touch)
    if members and not world.turns:
        met = time_between_spheres(world, state, at.gap, touch, acceleration, pull)
        touch = jnp.concatenate([met, touch[members:]])
    return Bounds(
        *(jnp.min(jnp.where(closed, jnp.inf, each), initial=jnp.inf) for each in (touch, certain))
    )


def is_fixed_plane(surface: Surface) -> bool:
    """Whether the time of a touch is known in advance."""
    return isinstance(surface, Plane) and surface.motion is None


def smaller_radius(world: World) -> jax.Array:
    """Radius of the smaller partner [m], ``(pairs,)``."""
    first, second = world.radius
    on_surface = world.pairs.surface >= 0
    return jax.lax.stop_gradient(jnp.where(on_surface, first, jnp.minimum(first, second)))


def path_time(gap: jax.Array, speed: jax.Array, pull: jax.Array, depth: jax.Array) -> jax.Array:
    """The time in which ``speed t + pull t^2/2`` reaches ``gap + depth``; infinite at rest."""
    far = jnp.maximum(gap + depth, 0.0)
    moves = (speed > 0) | (pull * far > 0)
    root = jnp.sqrt(jnp.where(moves, speed * speed + 2 * pull * far, 1.0))
    return jnp.where(moves, 2 * far / jnp.where(moves, speed + root, 1.0), jnp.inf)


def approach_bounds(
    world: World, state: State, at: Geometry, time: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Speed of each centre against its partner [m/s], and a bound of its acceleration by rotations
    and by the motion of surfaces [m/s^2], ``(pairs,)`` each.
    """
    first, second = world.pairs.first, world.pairs.second
    members = world.pairs.between_members
    relative = jnp.asarray(world.pairs.difference) @ state.velocity
    swing = jnp.zeros_like(at.gap)
    if world.turns:
        arms = [
            arm + sign * length[:, None] * at.normal
            for arm, sign, length in zip(
                (at.first_arm, at.second_arm),
                (1.0, -1.0),
                distances_to_contact(world, at.gap),
                strict=True,
            )
        ]
        relative = (
            relative + cross(first @ state.spin, arms[0]) - cross(second @ state.spin, arms[1])
        )
        growth = turning_acceleration(world, state)
        swing = (first @ growth) * safe_norm(arms[0]) + (second @ growth) * safe_norm(arms[1])
    moving = [surface.motion for surface in world.scene.surfaces]
    if any(motion is not None for motion in moving):
        # The frame of a surface turns about its reference point: the centre is seen from there.
        by_surface, shaken = [], []
        for motion in moving:
            count = len(at.centre)
            if motion is None:
                by_surface.append(jnp.zeros((count, 3)))
                shaken.append(jnp.zeros(count))
                continue
            velocity = jax.vmap(motion.material_velocity, in_axes=(0, None))(at.centre, time)
            angular = safe_norm(jnp.asarray(motion.angular_velocity, dtype=float))
            shaking = safe_norm(jnp.asarray(motion.amplitude, dtype=float)) * (
                2 * math.pi * jnp.asarray(motion.frequency)
            )
            place = len(by_surface) * count + members + np.arange(count)
            seen = safe_norm(relative[place] - velocity)
            by_surface.append(velocity)
            shaken.append(
                shaking * 2 * math.pi * jnp.asarray(motion.frequency)
                + angular * (2 * seen + safe_norm(velocity))
            )
        relative = relative.at[members:].add(-jnp.concatenate(by_surface))
        swing = swing.at[members:].add(jnp.concatenate(shaken))
    frozen = jax.lax.stop_gradient
    return frozen(safe_norm(relative)), frozen(swing)


def turning_acceleration(world: World, state: State) -> jax.Array:
    """Bound of the acceleration of a point at unit distance by the free rotation of each body
    [1/s^2], ``(bodies,)``: ``w^2 + |w'|``, doubled for what it changes in a step.
    """
    change = spin_rates(world, state, jnp.zeros_like(state.spin))
    return 2 * (jnp.sum(state.spin * state.spin, axis=-1) + safe_norm(change))


def time_between_spheres(
    world: World,
    state: State,
    gap: jax.Array,
    otherwise: jax.Array,
    acceleration: jax.Array,
    pull: jax.Array,
) -> jax.Array:
    """The time at which spheres touch that fall alike; else what is known ``otherwise``."""
    members = world.pairs.between_members
    gap, pull = gap[:members], pull[:members]
    apart, relative = (
        world.pairs.difference[:members] @ column for column in (state.position, state.velocity)
    )
    distance_at_touch = jnp.sqrt(jnp.sum(apart * apart, axis=-1)) - gap
    closing = -jnp.sum(apart * relative, axis=-1)
    speed_squared = jnp.sum(relative * relative, axis=-1)
    beyond = gap * (gap + 2 * distance_at_touch)  # squared distance, less that at touch
    discriminant = closing * closing - speed_squared * beyond
    meets = (closing > 0) & (discriminant > 0)
    straight = jnp.where(
        meets,
        beyond / jnp.where(meets, closing + jnp.sqrt(jnp.where(meets, discriminant, 1.0)), 1.0),
        jnp.inf,
    )
    alike = safe_norm(pull) <= 1e-12 * (1.0 + jnp.max(jnp.abs(acceleration)))
    return jnp.where(alike, straight, otherwise[:members])


def longest_flight(scene: Scene, inverse_mass: jax.Array) -> jax.Array:
    """Longest step [s] that follows what moves as prescribed and what hangs on springs; infinite
    where nothing does.
    """
    longest = jnp.asarray(jnp.inf)
    for motion in motions(scene):
        frequency = jnp.asarray(motion.frequency) + safe_norm(
            jnp.asarray(motion.angular_velocity, dtype=float)
        ) / (2 * math.pi)
        turns = frequency > 0
        longest = jnp.where(
            turns, jnp.minimum(longest, PERIOD_FRACTION / jnp.where(turns, frequency, 1.0)), longest
        )
    for spring in scene.springs:
        pull = jnp.max(jnp.asarray(spring.stiffness)) * inverse_mass[spring.body]
        period = 2 * math.pi / jnp.sqrt(jnp.where(pull > 0, pull, 1.0))
        longest = jnp.where(pull > 0, jnp.minimum(longest, PERIOD_FRACTION * period), longest)
    return jax.lax.stop_gradient(longest)


def motions(scene: Scene) -> tuple[Any, ...]:
    """Prescribed motions of surfaces and of anchors."""
    every = (
        *(surface.motion for surface in scene.surfaces),
        *(spring.anchor for spring in scene.springs),
    )
    return tuple(motion for motion in every if motion is not None)


def accurate_flight(world: World, state: State) -> jax.Array:
    """Longest step [s] that integrates the present flight well: in a fluid a part of the time in
    which drag ``k |v| v`` or lift ``l v`` change the velocity, ``1/(2 k |v| + l)`` and, as the body
    falls, ``1/sqrt(2 k |g|)``; of clumps a small turn. Infinite for spheres in a vacuum.
    """
    scene = world.scene
    longest = jnp.asarray(jnp.inf)
    if scene.has_fluid:
        radius = jnp.asarray(scene.bodies.radius)
        unit = jnp.zeros_like(state.velocity).at[:, 0].set(1.0)
        drag = lift = jnp.zeros(len(state.velocity))
        if scene.drag is not None:
            drag = safe_norm(scene.drag.force(unit, radius)) * world.inverse_mass
        if scene.lift is not None:
            around = safe_norm(state.spin)[:, None] * jnp.roll(unit, 1, axis=1)
            lift = safe_norm(scene.lift.force(unit, around, radius)) * world.inverse_mass
        weight = jnp.max(safe_norm(jnp.asarray(scene.gravity, dtype=float)))
        rate = 2 * drag * safe_norm(state.velocity) + lift + jnp.sqrt(2 * drag * weight)
        fastest = jnp.max(rate)
        longest = jnp.where(
            fastest > 0, FLUID_FRACTION / jnp.where(fastest > 0, fastest, 1.0), longest
        )
    if world.turns:
        fastest = jnp.max(safe_norm(state.spin))
        turning = LARGEST_TURN / jnp.where(fastest > 0, fastest, 1.0)
        longest = jnp.where(fastest > 0, jnp.minimum(longest, turning), longest)
    return jax.lax.stop_gradient(longest)
