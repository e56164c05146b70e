"""Free flight from one event to the next touch-down: a parabola in closed form, or Runge-Kutta
steps where there is drag or lift.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.runge_kutta import CLASSICAL, step
from jaxcontact.scene.scene import Scene
from jaxcontact.simulation.core.ballistic import touch_time


class SphereMotion(NamedTuple):
    """A sphere at an instant: time [s] (scalar), position [m], velocity [m/s], spin [rad/s], each
    of shape (3,).
    """

    time: jax.Array
    position: jax.Array
    velocity: jax.Array
    spin: jax.Array


class Flight(NamedTuple):
    """A flight and where it ends.

    Attributes:
        nodes: motions along the flight, the first its start, the last its end; shape (nodes, ...).
        end: the motion at its end.
        touches: whether there is a touch-down (before the horizon, where the flight is integrated).
        lack: estimated error of its velocities, in units of the largest; no derivatives.
    """

    nodes: SphereMotion
    end: SphereMotion
    touches: jax.Array
    lack: jax.Array


def time_to_touch(scene: Scene, motion: SphereMotion, acceleration: jax.Array) -> jax.Array:
    """Time until the plane is touched under a constant acceleration."""
    (plane,) = scene.surfaces
    normal = plane.unit_normal
    return touch_time(
        plane.gap(motion.position, scene.bodies.radius),
        motion.velocity @ normal,
        acceleration @ normal,
    )


def parabola(scene: Scene, start: SphereMotion, horizon: jax.Array) -> Flight:
    """Flight under gravity alone, its touch-down in closed form."""
    gravity = jnp.asarray(scene.gravity, dtype=start.position.dtype)
    duration = time_to_touch(scene, start, gravity)
    touches = jnp.isfinite(duration)
    duration = jnp.where(touches, duration, jnp.maximum(horizon - start.time, 0.0) + 1.0)
    end = SphereMotion(
        start.time + duration,
        start.position + duration * (start.velocity + duration / 2 * gravity),
        start.velocity + duration * gravity,
        start.spin,
    )
    nodes = jax.tree.map(lambda first, last: jnp.stack([first, last]), start, end)
    return Flight(nodes, end, touches, jnp.zeros_like(duration))


ESTIMATE_STEPS = 4
"""Steps of order 4 in the first correction of the estimated duration of a flight in a fluid. The
second one takes half as many as the flight itself, which tells the error of both.
"""

SHARE = 0.05
"""Of the accuracy that one flight may lack. With 1e-6, velocities after several flights were right
to 6e-7 of the largest, derivatives to 1e-5.
"""

ROUNDED = 64
"""Rounding of a flight, in units of the precision."""

STEADY = 0.1
"""Change of the approach speed in a landing step, in units of it, up to which there is one."""

HALVING = 15.0
"""Difference of two flights of order 4, one in half as many steps, in units of the error of the
other.
"""


def flown(
    scene: Scene, start: SphereMotion, duration: jax.Array, *, steps: int
) -> tuple[SphereMotion, SphereMotion]:
    """Motion after ``duration`` of flight in equal steps of order 4, and the motions after each of
    them.
    """

    def advance(motion: SphereMotion, _: None) -> tuple[SphereMotion, SphereMotion]:
        after = step(partial(flight_rates, scene), motion, duration / steps, CLASSICAL)
        return after, after

    return jax.lax.scan(advance, start, None, length=steps)


def flight_rates(scene: Scene, motion: SphereMotion) -> SphereMotion:
    """Derivative of a flight in time."""
    acceleration = scene.acceleration(motion.velocity, motion.spin)
    return SphereMotion(
        jnp.ones_like(motion.time), motion.velocity, acceleration, jnp.zeros_like(motion.spin)
    )


def integrated(scene: Scene, start: SphereMotion, horizon: jax.Array, *, steps: int) -> Flight:
    """Flight with drag or lift, in ``steps`` equal steps of order 4 and a last one that lands
    exactly.

    The duration is estimated without derivatives. The last step has the gap as its independent
    variable, runs from what the estimate left of it to zero, and carries the exact derivative of
    the touch-down. A flight that would land after ``horizon`` ends there.
    """
    remaining = jnp.maximum(horizon - start.time, 0.0)
    longest = (
        jax.lax.stop_gradient(remaining) + 1e-6
    )  # so that a landing just at the horizon is still one
    frozen, frozen_scene = jax.lax.stop_gradient((start, scene))

    def estimate(motion: SphereMotion, duration: jax.Array | float) -> jax.Array:
        correction = time_to_touch(
            frozen_scene, motion, frozen_scene.acceleration(motion.velocity, motion.spin)
        )
        return jnp.clip(duration + correction, 0.0, longest)

    duration = estimate(frozen, 0.0)
    duration = estimate(flown(frozen_scene, frozen, duration, steps=ESTIMATE_STEPS)[0], duration)
    rough, _ = flown(frozen_scene, frozen, duration, steps=-(-steps // 2))
    corrected = estimate(rough, duration)
    rough = step(partial(flight_rates, frozen_scene), rough, corrected - duration, CLASSICAL)
    duration = corrected
    before_landing, nodes = flown(scene, start, jax.lax.stop_gradient(duration), steps=steps)

    (plane,) = scene.surfaces
    normal = plane.unit_normal
    gap = plane.gap(before_landing.position, scene.bodies.radius)
    touches = (duration < longest) | (
        gap < 0
    )  # with a negative gap, it was before the horizon, and the estimate late
    # A sphere that lies on the plane is there already; so is one whose speed would change on the
    # rest of its way, which then is as short as rounding.
    closing = before_landing.velocity @ normal
    pull = scene.acceleration(before_landing.velocity, before_landing.spin) @ normal
    lands = touches & (closing < 0) & (jnp.abs(gap * pull) <= STEADY * closing * closing)

    def rates_by_gap(motion: SphereMotion) -> SphereMotion:
        closing = motion.velocity @ normal
        return jax.tree.map(
            lambda rate: rate / jnp.where(lands, closing, 1.0), flight_rates(scene, motion)
        )

    end = step(rates_by_gap, before_landing, jnp.where(lands, -gap, 0.0), CLASSICAL)
    nodes = jax.tree.map(
        lambda first, middle, last: jnp.concatenate([first[None], middle[:-1], last[None]]),
        start,
        nodes,
        end,
    )
    return Flight(nodes, end, touches, difference(rough, before_landing, nodes.velocity) / HALVING)


def largest_flight_lack(accuracy: float, precision: np.dtype) -> float:
    """What a flight may lack, in units of its largest speed."""
    return max(SHARE * accuracy, ROUNDED * float(jnp.finfo(precision).eps))


def difference(rough: SphereMotion, fine: SphereMotion, velocities: jax.Array) -> jax.Array:
    """Largest difference of two velocities, in units of the largest speed; no derivatives."""
    frozen = jax.lax.stop_gradient((rough.velocity, fine.velocity, velocities))
    coarse, exact, along = frozen
    fastest = jnp.max(jnp.abs(along))
    return jnp.max(jnp.abs(coarse - exact)) / jnp.where(fastest > 0, fastest, 1.0)
