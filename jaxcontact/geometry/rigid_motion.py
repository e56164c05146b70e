"""Motion of a rigid body and what acts on it."""

from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.smooth import Real, Vector


class Motion(NamedTuple):
    """Motion of a rigid body in the global frame, at its centre of mass; shapes ``(..., 3)``.

    Attributes:
        position: [m].
        velocity: [m/s].
        angular_velocity: [rad/s].
    """

    position: Vector
    velocity: Vector
    angular_velocity: Vector


class PlaneMotion(NamedTuple):
    """Motion of a rigid body that is a plane where it is touched; shapes ``(..., 3)``.

    Attributes:
        position: of a point of the plane, the reference point of the body [m].
        velocity: of that point [m/s].
        angular_velocity: [rad/s].
        normal: unit normal of the plane, out of the body.
    """

    position: Vector
    velocity: Vector
    angular_velocity: Vector
    normal: Vector


Partner: TypeAlias = Motion | PlaneMotion
"""What a sphere touches, another sphere, by the motion of its centre, or a plane."""


class Wrench(NamedTuple):
    """Force and torque on a body about its centre of mass, in the global frame; shapes ``(...,
    3)``.

    Attributes:
        force: [N].
        torque: [N m].
    """

    force: jax.Array
    torque: jax.Array


def velocity_at(motion: Partner, arm: Real) -> jax.Array:
    """Velocity ``v + w x arm`` [m/s] of the body's material point at ``arm`` [m] from its centre;
    ``(..., 3)``.

    Args:
        motion: of the body's centre.
        arm: from the centre to the point [m], ``(..., 3)``.

    Returns:
        Velocity [m/s], ``(..., 3)``.
    """
    return jnp.asarray(motion.velocity) + cross(jnp.asarray(motion.angular_velocity), arm)


def wrench_at(force: Real, arm: Real) -> Wrench:
    """``force`` [N] at ``arm`` [m] from the centre, as force and torque ``arm x force``; ``(...,
    3)``.

    Args:
        force: [N], ``(..., 3)``.
        arm: from the centre to the point at which it acts [m], ``(..., 3)``.

    Returns:
        Force [N] and torque [N m] about the centre.
    """
    return Wrench(jnp.asarray(force), cross(arm, force))


def normal_and_tangential(vector: Real, normal: Real) -> tuple[jax.Array, jax.Array]:
    """The component ``vector . normal`` ``(...)`` and what is left, normal to ``normal``, ``(...,
    3)``.

    Args:
        vector: ``(..., 3)``.
        normal: unit vector, ``(..., 3)``.

    Returns:
        The normal component ``(...)`` and the tangential vector ``(..., 3)``, in the unit of
        ``vector``.
    """
    vector = jnp.asarray(vector)
    along = jnp.sum(vector * normal, axis=-1)
    return along, vector - along[..., None] * normal
