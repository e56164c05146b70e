"""Rigid motion of a surface, given as a function of time: a constant twist and an oscillation."""

import math
from typing import Annotated, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, velocity_at
from jaxcontact.numerics.smooth import Real, Vector
from jaxcontact.parameters import model, parameter


class Pose(NamedTuple):
    """Where a body is.

    Attributes:
        position: of its reference point [m], ``(3,)``.
        rotation: rotation vector from the axes at rest to the present ones [rad], ``(3,)``.

    Example:
        >>> motion = jc.PrescribedMotion(velocity=(1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 2.0))
        >>> pose = motion.pose(0.5)
        >>> print(pose.position, pose.rotation)
        [0.5 0.  0. ] [0. 0. 1.]
    """

    position: Annotated[jax.Array, "3"]
    rotation: Annotated[jax.Array, "3"]


@model
class PrescribedMotion:
    """Translation and rotation at constant velocities, and a harmonic oscillation in one direction.

    The reference point ``c`` of the surface moves to ``c(t) = c + v t + A sin(2 pi f t + phi)``,
    and the surface turns about it by the rotation vector ``w t``: a material point at ``x`` in the
    surface's own description is at ``c(t) + rotate(x - c, w t)``. Exact for any angle. At time zero
    the surface is where it is described, but for ``A sin(phi)``.

    Example:
        >>> shaking = jc.PrescribedMotion(amplitude=(0.0, 0.0, 1e-3), frequency=50.0)
        >>> print(f"z = {shaking.pose(0.005).position[2]:.4f} m after a quarter of a period")
        z = 0.0010 m after a quarter of a period
        >>> table = jc.Plane(motion=shaking)
    """

    reference_point: Vector = parameter(
        unit="m",
        label="reference point, about which it turns",
        symbol="c",
        shape=(3,),
        default=(0.0,) * 3,
    )
    velocity: Vector = parameter(
        unit="m/s",
        label="velocity of the reference point",
        symbol="v",
        shape=(3,),
        default=(0.0,) * 3,
    )
    angular_velocity: Vector = parameter(
        unit="rad/s", label="angular velocity", symbol="w", shape=(3,), default=(0.0,) * 3
    )
    amplitude: Vector = parameter(
        unit="m", label="amplitude of the oscillation", symbol="A", shape=(3,), default=(0.0,) * 3
    )
    frequency: Real = parameter(
        unit="Hz",
        label="frequency of the oscillation",
        symbol="f",
        interval="[0, inf)",
        default=0.0,
    )
    phase: Real = parameter(
        unit="rad", label="phase of the oscillation at time zero", symbol="phi", default=0.0
    )

    def pose(self, time: Real) -> Pose:
        """Position of the reference point and rotation at ``time`` [s]."""
        oscillation = jnp.asarray(self.amplitude) * jnp.sin(self._angle(time))
        return Pose(
            jnp.asarray(self.reference_point) + jnp.asarray(self.velocity) * time + oscillation,
            jnp.asarray(self.angular_velocity) * time,
        )

    def material_velocity(self, point: Real, time: Real) -> jax.Array:
        """Velocity [m/s] of the material that is at ``point`` [m] at ``time`` [s], ``c'(t) + w x
        (point - c(t))``; ``(3,)``.
        """
        rate = 2.0 * math.pi * self.frequency * jnp.cos(self._angle(time))
        position = self.pose(time).position
        motion = Motion(
            position,
            jnp.asarray(self.velocity) + jnp.asarray(self.amplitude) * rate,
            jnp.asarray(self.angular_velocity),
        )
        return velocity_at(motion, point - position)

    def _angle(self, time: Real) -> Real:
        return 2.0 * math.pi * self.frequency * time + self.phase
