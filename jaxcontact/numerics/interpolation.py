"""Positions at any time from the states at the ends of segments.

Segment boundaries lie on the events and move with the parameters; each segment carries its own
times, so a derivative at a fixed camera time is that of the motion, including the shift of the
events.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

ROUNDED = 64
"""Rounding of a difference of positions, in units of the precision."""


class Segments(NamedTuple):
    """Pieces of a motion in order of time; ``start`` and ``end`` arrays along axis 0, vectors of
    shape (segments, 3).

    Accelerations are those inside the segment: they jump between segments where a force jumps.
    """

    start_time: jax.Array
    end_time: jax.Array
    start_position: jax.Array
    end_position: jax.Array
    start_velocity: jax.Array
    end_velocity: jax.Array
    start_acceleration: jax.Array
    end_acceleration: jax.Array
    start_spin: jax.Array
    end_spin: jax.Array
    start_spin_rate: jax.Array
    end_spin_rate: jax.Array


def quintic(
    theta: jax.Array,
    h: jax.Array,
    p0: jax.Array,
    p1: jax.Array,
    v0: jax.Array,
    v1: jax.Array,
    a0: jax.Array,
    a1: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """Value and derivative in time of the quintic with given values, first and second derivatives
    at both ends; exact for a parabola.
    """
    # Deviation from the Taylor polynomial of the start: the differences below are small, so nothing
    # large cancels.
    position_gap = p1 - p0 - h * (v0 + h / 2 * a0)
    velocity_gap = h * (v1 - v0 - h * a0)
    acceleration_gap = h * h * (a1 - a0)

    def coefficients(position_gap: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        return (
            10 * position_gap - 4 * velocity_gap + acceleration_gap / 2,
            -15 * position_gap + 7 * velocity_gap - acceleration_gap,
            6 * position_gap - 3 * velocity_gap + acceleration_gap / 2,
        )

    time = theta * h
    c3, c4, c5 = coefficients(position_gap)
    value = p0 + time * (v0 + time / 2 * a0) + theta**3 * (c3 + theta * (c4 + theta * c5))
    # Over a short time velocities and accelerations know better than the difference of positions,
    # whose rounding the slope would be.
    known = velocity_gap / 2 - acceleration_gap / 12
    rounding = ROUNDED * jnp.finfo(known.dtype).eps * jnp.maximum(jnp.abs(p0), jnp.abs(p1))
    told = jnp.abs(position_gap - known) > rounding
    c3, c4, c5 = coefficients(jnp.where(told, position_gap, known))
    inverse = 1 / jnp.where(h > 0, h, 1.0)
    slope = v0 + time * a0 + inverse * theta**2 * (3 * c3 + theta * (4 * c4 + theta * 5 * c5))
    return value, slope


def cubic(
    theta: jax.Array, h: jax.Array, p0: jax.Array, p1: jax.Array, v0: jax.Array, v1: jax.Array
) -> jax.Array:
    """Cubic Hermite interpolation."""
    gap = p1 - p0
    return p0 + theta * (
        h * v0 + theta * (3 * gap - h * (2 * v0 + v1) + theta * (h * (v0 + v1) - 2 * gap))
    )


def at_times(at: Segments, times: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Position, velocity and spin at ``times``, each of shape (times, 3), in one segment for each
    time.
    """
    h = (at.end_time - at.start_time)[:, None]
    theta = (times - at.start_time)[:, None] / jnp.where(h > 0, h, 1.0)
    position, velocity = quintic(
        theta,
        h,
        at.start_position,
        at.end_position,
        at.start_velocity,
        at.end_velocity,
        at.start_acceleration,
        at.end_acceleration,
    )
    spin = cubic(theta, h, at.start_spin, at.end_spin, at.start_spin_rate, at.end_spin_rate)
    return position, velocity, spin


def evaluate(segments: Segments, times: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Position, velocity and spin at ``times``, each of shape (times, 3), in the segment that each
    time falls into.
    """
    order = jax.lax.stop_gradient(segments.start_time)
    index = jnp.clip(
        jnp.searchsorted(order, jax.lax.stop_gradient(times), side="right") - 1,
        0,
        order.shape[0] - 1,
    )
    return at_times(jax.tree.map(lambda column: column[index], segments), times)


def accumulated(parts: jax.Array) -> jax.Array:
    """Sums of the first ``parts`` along axis 0, from none to all: one more than there are parts."""
    return jnp.concatenate([jnp.zeros_like(parts[:1]), jnp.cumsum(parts, axis=0)])


def displacement(time: jax.Array, velocity: jax.Array, acceleration: jax.Array) -> jax.Array:
    """Displacement since the first node, (nodes, 3): the integral of the cubics between velocities
    with given slopes.
    """
    h = jnp.diff(time)[:, None]
    advances = h / 2 * (velocity[:-1] + velocity[1:]) + h * h / 12 * (
        acceleration[:-1] - acceleration[1:]
    )
    return accumulated(advances)
