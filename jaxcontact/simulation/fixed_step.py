"""A plain fixed time step, for comparison: what one would write first.

The trajectory converges, the derivative does not: on a fixed grid the derivative of the velocity inside a contact is the shift of the
arrival time times the contact acceleration, 1e4 to 1e5, and cancels only if the discretised contact does so to five digits.
"""

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.field import is_concrete, model, nearest, static
from jaxcontact.runge_kutta import CLASSICAL, step
from jaxcontact.scene import Scene, State
from jaxcontact.simulation.status import Status
from jaxcontact.simulation.trajectory import Trajectory

SCHEMES = ("semi_implicit_euler", "velocity_verlet", "runge_kutta_4")


@model
class FixedStep:
    """A fixed time step.

    Args:
        step: longest time step [s]; each interval between output times is divided into equal steps of at most this length.
        scheme: ``"semi_implicit_euler"``, ``"velocity_verlet"`` or ``"runge_kutta_4"``.
    """

    step: float = static()
    scheme: str = static(default="semi_implicit_euler")

    def __post_init__(self) -> None:
        if not isinstance(self.step, (int, float)) or not 0 < self.step < math.inf:
            raise ValueError(f"FixedStep: step = {self.step!r} s is outside (0, inf). About 1/50 of the contact duration is usual.")
        if self.scheme not in SCHEMES:
            raise ValueError(f"FixedStep: scheme = {self.scheme!r} is not known.{nearest(str(self.scheme), SCHEMES)}")

    def substeps(self, times: Any) -> int:
        """Steps in the longest interval between output times."""
        if not is_concrete(times):
            raise TypeError("FixedStep needs output times that are known before tracing, because the number of steps must be static.")
        return max(1, math.ceil(float(np.max(np.diff(np.asarray(times)), initial=0.0)) / self.step - 1e-9))


def contact_rates(scene: Scene, state: State, latch: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Acceleration and spin rate by the contacts with all planes; ``latch``: impact speed of each plane's contact."""
    bodies = scene.bodies
    acceleration, spin_rate = jnp.zeros_like(state.velocity), jnp.zeros_like(state.spin)
    for index, plane in enumerate(scene.surfaces):
        normal = plane.unit_normal
        overlap = -plane.gap(state.position, bodies.radius)
        overlap_rate = -(state.velocity @ normal)
        force = scene.contact.normal.force(overlap, overlap_rate, impact_speed=latch[index], mass=bodies.mass)
        surface_velocity = state.velocity - bodies.radius * jnp.cross(state.spin, normal)
        friction = scene.contact.friction.force(surface_velocity - (surface_velocity @ normal) * normal, force)
        acceleration = acceleration + (force * normal + friction) / bodies.mass
        spin_rate = spin_rate - jnp.cross(normal, friction / bodies.mass) / (bodies.inertia_ratio * bodies.radius)
    return acceleration, spin_rate


def rates(scene: Scene, state: State, latch: jax.Array) -> State:
    """Right-hand side of the equations of motion."""
    acceleration, spin_rate = contact_rates(scene, state, latch)
    return State(state.velocity, scene.acceleration(state.velocity, state.spin) + acceleration, spin_rate)


def advance_state(scene: Scene, state: State, latch: jax.Array, h: jax.Array, scheme: str) -> State:
    """One step of length ``h``."""
    if scheme == "runge_kutta_4":
        return step(lambda s: rates(scene, s, latch), state, h, CLASSICAL)
    if scheme == "semi_implicit_euler":
        slope = rates(scene, state, latch)
        velocity = state.velocity + h * slope.velocity
        return State(state.position + h * velocity, velocity, state.spin + h * slope.spin)
    slope = rates(scene, state, latch)
    half = State(state.position, state.velocity + h / 2 * slope.velocity, state.spin + h / 2 * slope.spin)
    moved = half._replace(position=state.position + h * half.velocity)
    slope = rates(scene, moved, latch)
    return State(moved.position, half.velocity + h / 2 * slope.velocity, half.spin + h / 2 * slope.spin)


def latched(scene: Scene, before: State, after: State, latch: jax.Array) -> jax.Array:
    """Impact speeds, renewed for each plane whose contact began in this step."""
    speeds = []
    for index, plane in enumerate(scene.surfaces):
        began = (plane.gap(before.position, scene.bodies.radius) > 0) & (plane.gap(after.position, scene.bodies.radius) <= 0)
        speed = jnp.maximum(-(before.velocity @ plane.unit_normal), 1e-12)
        speeds.append(jnp.where(began, speed, latch[index]))
    return jnp.stack(speeds)


@partial(jax.jit, static_argnames=("method", "substeps"))
def simulate_fixed_step(scene: Scene, start: State, times: jax.Array, *, method: FixedStep, substeps: int) -> Trajectory:
    """Motion at ``times`` with ``substeps`` equal steps between neighbouring times."""

    def interval(carry: tuple[State, jax.Array], duration: jax.Array) -> tuple[tuple[State, jax.Array], State]:
        def advance(carry: tuple[State, jax.Array], _: None) -> tuple[tuple[State, jax.Array], None]:
            state, latch = carry
            after = advance_state(scene, state, latch, duration / substeps, method.scheme)
            return (after, latched(scene, state, after, latch)), None

        carry, _ = jax.lax.scan(advance, carry, None, length=substeps)
        return carry, carry[0]

    latch = jnp.ones((len(scene.surfaces),), dtype=times.dtype)
    _, states = jax.lax.scan(interval, (start, latch), jnp.diff(times))
    position, velocity, spin = jax.tree.map(lambda first, later: jnp.concatenate([first[None], later]), start, states)
    return Trajectory(times, position, velocity, spin, None, jnp.asarray(Status.SUCCESS))
