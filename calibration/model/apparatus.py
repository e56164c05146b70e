"""Clocks of the instruments: a camera, a microphone and a force sensor that were not started
together do not run together.
"""

from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

Real: TypeAlias = jax.Array | float
"""A number or an array of them, possibly traced."""


class Camera(NamedTuple):
    """What a camera does to positions; ``None`` where it does nothing.

    The picture shows ``x`` to the right and ``z`` upwards; ``y`` points away from the camera.
    Lengths in the picture are recorded lengths, which ``scale`` turns into true ones in the plane
    at ``y = 0``.

    Attributes:
        exposure: of one picture [s]; the time of a picture is the middle of it.
        aspect: true over recorded length along x, relative to that along z [-].
        roll: angle by which the camera is turned about its axis [rad]; a camera turned clockwise
            sees the scene turned counterclockwise.
        nearness: one over the distance from the camera to the plane at ``y = 0`` [1/m].
        convergence: ``(p_x, 0, p_z)`` by which lengths get smaller along the picture, where the
            camera does not look at right angles at the plane of motion, in recorded lengths [1/m].
        distortion: ``k`` in ``r (1 + k r^2)``, radius in recorded lengths [1/m^2].
        decentring: ``p = (p_x, 0, p_z)`` in ``r^2 p + 2 (a . p) a`` of a lens that is not centred,
            where ``a`` is the place in the picture, in recorded lengths [1/m].
        line_time: by which a line of the picture is read later than one a recorded length above
            it, of a rolling shutter [s/m].
        centre: point of the picture on the axis of the camera (x, 0, z), in recorded lengths [m].
        drift: velocity (x, 0, z) with which the picture moves, of a camera that turns, in recorded
            lengths [m/s].
    """

    exposure: Real | None = None
    aspect: Real | None = None
    roll: Real | None = None
    nearness: Real | None = None
    convergence: jax.Array | None = None
    distortion: Real | None = None
    decentring: jax.Array | None = None
    line_time: Real | None = None
    centre: jax.Array | tuple[float, float, float] = (0.0, 0.0, 0.0)
    drift: jax.Array | None = None

    def _length_ratios(self, scale: Real) -> jax.Array:
        """True over recorded length along each axis (3,); ``scale`` is that along y and z."""
        aspect = 1.0 if self.aspect is None else self.aspect
        return scale * jnp.stack([jnp.asarray(aspect, dtype=float), jnp.ones(()), jnp.ones(())])

    def _rotate(self, vector: jax.Array, angle: Real) -> jax.Array:
        """Turn vectors (..., 3) counterclockwise in the picture by an angle [rad]."""
        x, y, z = vector[..., 0], vector[..., 1], vector[..., 2]
        cos, sin = jnp.cos(angle), jnp.sin(angle)
        return jnp.stack([cos * x - sin * z, y, sin * x + cos * z], axis=-1)

    def unproject(self, recorded: jax.Array, scale: Real) -> jax.Array:
        """The vector (3,) of the scene that a camera without perspective and distortion records as
        ``recorded``.
        """
        true = recorded * self._length_ratios(scale)
        return true if self.roll is None else self._rotate(true, -self.roll)

    def project(self, position: jax.Array, scale: Real) -> jax.Array:
        """What the camera records of positions (..., 3) of the scene [m].

        Args:
            position: true positions [m].
            scale: true over recorded length along y and z [-].
        """
        seen = position if self.roll is None else self._rotate(position, self.roll)
        seen = seen / self._length_ratios(scale)
        if self.nearness is None and self.distortion is None and self.convergence is None:
            return seen
        across = jnp.array([1.0, 0.0, 1.0])
        away = (seen - jnp.asarray(self.centre)) * across
        # Perspective: what is farther away by y is seen smaller by 1 + y/distance.
        farther: Real = 0.0
        if self.nearness is not None:
            farther = self.nearness * position[..., 1:2]
        if self.convergence is not None:
            farther = farther + jnp.sum(away * self.convergence, axis=-1, keepdims=True)
        away = away / (1.0 + farther)
        if self.distortion is not None:
            away = away + self._distort(away, self.distortion)
        return jnp.asarray(self.centre) * across + away + seen * (1.0 - across)

    def _distort(self, away: jax.Array, strength: Real) -> jax.Array:
        """Shift (..., 3) of places (..., 3) in the picture, radial and decentring, of first order:
        Brown, Photogrammetric Engineering 32 (1966) 444-462.
        """
        square = jnp.sum(away**2, axis=-1, keepdims=True)
        radial = strength * square * away
        if self.decentring is None:
            return radial
        along = jnp.sum(away * self.decentring, axis=-1, keepdims=True)
        return radial + square * self.decentring + 2.0 * along * away


CAMERA, MICROPHONE, FORCE_SENSOR = "camera", "microphone", "force sensor"
"""Clocks that measurements are on unless they are given another name."""


class Clock(NamedTuple):
    """How an instrument's clock stands to that of the trial: ``t_trial = t + offset + drift (t -
    origin)``.

    Attributes:
        offset: to be added to what the clock shows [s].
        drift: relative error of its rate [-].
    """

    offset: Real = 0.0
    drift: Real = 0.0

    def trial_time(self, shown: Real, origin: Real) -> Real:
        """Time on the clock of the trial when this one shows ``shown`` [s]; ``origin``: when both
        differ by the offset alone [s].
        """
        return shown + self.offset + self.drift * (shown - origin)

    def shown_time(self, trial_time: Real, origin: Real) -> Real:
        """What the clock shows at a time of the trial [s]: the inverse of ``trial_time``."""
        return (trial_time - self.offset + self.drift * origin) / (1.0 + self.drift)
