"""How two rigid bodies move against each other at a point: approach, shear, twist and bend."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import ContactAxes, mean_spin
from jaxcontact.geometry.rigid_motion import (
    Motion,
    Partner,
    PlaneMotion,
    normal_and_tangential,
    velocity_at,
)
from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.smooth import Real, safe_norm


class RelativeMotion(NamedTuple):
    """Motion of body 2 against body 1 at a common point, split along a normal from 1 to 2.

    Attributes:
        translational_velocity: [m/s], ``(..., 3)``: ``normal`` times the unit normal, plus
            ``shear``.
        normal: [m/s], ``(...)``, positive on separation.
        shear: [m/s], ``(..., 3)``: the slip velocity.
        rotational_velocity: [rad/s], ``(..., 3)``: ``twist`` times the unit normal, plus ``bend``.
        twist: [rad/s], ``(...)``.
        bend: [rad/s], ``(..., 3)``: relative rolling.
    """

    translational_velocity: jax.Array
    normal: jax.Array
    shear: jax.Array
    rotational_velocity: jax.Array
    twist: jax.Array
    bend: jax.Array


class RelativeIncrements(NamedTuple):
    """Relative displacement and rotation during a step: ``normal`` [m] and ``twist`` [rad]
    ``(...)``; ``shear`` [m] and ``bend`` [rad] ``(..., 2)`` along the axes ``s`` and ``t``.
    """

    normal: jax.Array
    shear: jax.Array
    twist: jax.Array
    bend: jax.Array


def relative_motion(
    motion1: Motion, motion2: Partner, *, location: Real, normal: Real
) -> RelativeMotion:
    """``delta_dot = v2 + w2 x (x_c - x2) - v1 - w1 x (x_c - x1)`` and ``theta_dot = w2 - w1``,
    split along ``normal``.

    Args:
        motion1: of the reference point of body 1 (its centroid, or the centre of rotation of a
            wall).
        motion2: of the reference point of body 2, a sphere or a plane.
        location: the point ``x_c`` [m], ``(..., 3)``.
        normal: unit vector from 1 to 2, ``(..., 3)``.

    Returns:
        Relative velocities, in total and split along the normal.
    """
    translation = velocity_at(motion2, location - jnp.asarray(motion2.position)) - velocity_at(
        motion1, location - jnp.asarray(motion1.position)
    )
    rotation = jnp.asarray(motion2.angular_velocity) - jnp.asarray(motion1.angular_velocity)
    separation, shear = normal_and_tangential(translation, normal)
    twist, bend = normal_and_tangential(rotation, normal)
    return RelativeMotion(translation, separation, shear, rotation, twist, bend)


def plane_spin(motion1: Motion, motion2: Partner, *, normal: Real) -> jax.Array:
    """Angular velocity [rad/s], ``(..., 3)``, of the contact plane of two spheres:
    ``n x (v2 - v1)/|x2 - x1|`` and the mean spin of the spheres about ``n``. On a plane it tilts as
    that does. A vector marked on it, ``contact_plane.carried_with_plane``, has the rate
    ``plane_spin x vector``.

    Args:
        motion1: of the centre of sphere 1.
        motion2: of the centre of sphere 2, or of the plane.
        normal: unit vector from 1 to 2, ``(..., 3)``.
    """
    about = mean_spin(normal, motion1.angular_velocity, motion2.angular_velocity)
    return _tilt_rate(motion1, motion2, normal) + about[..., None] * normal


def _tilt_rate(motion1: Motion, motion2: Partner, normal: Real) -> jax.Array:
    """Of the normal [rad/s], ``(..., 3)``, without what turns about it."""
    if isinstance(motion2, PlaneMotion):
        return normal_and_tangential(jnp.asarray(motion2.angular_velocity), normal)[1]
    distance = safe_norm(jnp.asarray(motion2.position) - jnp.asarray(motion1.position))
    apart = jnp.where(distance > 0.0, distance, 1.0)[..., None]
    parting = jnp.asarray(motion2.velocity) - jnp.asarray(motion1.velocity)
    return cross(normal, parting) / apart


def relative_increments(
    motion: RelativeMotion, *, axes: ContactAxes, time_step: Real
) -> RelativeIncrements:
    """The relative motion during ``time_step`` [s], in components along ``axes``.

    Args:
        motion: from ``relative_motion``.
        axes: of the contact plane.
        time_step: [s].

    Returns:
        Increments of displacement [m] and rotation [rad] in this step.
    """
    across = axes.s_axis, axes.t_axis

    def in_plane(vector: jax.Array) -> jax.Array:
        return (
            jnp.stack(
                [jnp.sum(vector * axis, axis=-1) for axis in map(jnp.asarray, across)],
                axis=-1,
            )
            * time_step
        )

    return RelativeIncrements(
        motion.normal * time_step,
        in_plane(motion.shear),
        motion.twist * time_step,
        in_plane(motion.bend),
    )
