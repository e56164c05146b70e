"""A body on a floor under a constant load: sliding, rolling and spinning resistance with memory.

Independent of ``jaxcontact.simulation``: only forces and torques are those of the library. A fixed step.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.cundall_strack import cundall_strack_force
from jaxcontact.laws.rolling import RollingMemory, critical_rolling_damping, epsd_rolling_torque
from jaxcontact.laws.spinning import spin_after_step
from jaxcontact.laws.tangential import SpringMemory
from jaxcontact.scene import SOLID_SPHERE

STEPS_IN_A_PERIOD = 20
"""Of the stiffest spring, over ``2 pi``."""

SAMPLES = 32

IMMENSE = 1e12
"""Moment of inertia over ``m R^2`` of a body that does not turn."""


class Resting(NamedTuple):
    """Position of the centre (2,) [m], its velocity (2,) [m/s], and spin (3,) [rad/s]; the last axis of spin is upright."""

    position: Any
    velocity: Any
    spin: Any


class Resistance(NamedTuple):
    """What resists the motion of a body on a floor, as lengths and numbers that multiply the load.

    Attributes:
        friction: coefficient ``mu`` [-].
        rolling: largest rolling torque over load [m].
        spinning: largest spinning torque over load [m].
        slip: elastic displacement at which friction is mobilised [m].
        roll: elastic rotation at which rolling resistance is mobilised [rad].
    """

    friction: Any = 0.0
    rolling: Any = 0.0
    spinning: Any = 0.0
    slip: Any = 1e-5
    roll: Any = 1e-5


@partial(jax.jit, static_argnames=("steps",))
def _rest(start: Resting, radius: Any, mass: Any, inertia: Any, load: Any, resistance: Resistance, interval: Any, steps: int) -> Resting:
    time_step = interval / steps
    slip_stiffness = resistance.friction * load / resistance.slip
    roll_stiffness = resistance.rolling * load / resistance.roll
    slip_mass = 1.0 / (1.0 / mass + radius**2 / inertia)
    slip_damping = 2.0 * jnp.sqrt(slip_mass * slip_stiffness)
    roll_damping = critical_rolling_damping(roll_stiffness, inertia=inertia)

    def advance(carry: tuple[Resting, Any, Any], _: None) -> tuple[tuple[Resting, Any, Any], None]:
        state, spring, rolling_spring = carry
        about_x, about_y = state.spin[0], state.spin[1]
        slip = state.velocity + radius * jnp.stack([-about_y, about_x])
        force, spring = cundall_strack_force(
            spring,
            slip * time_step,
            load,
            tangential_stiffness=slip_stiffness,
            tangential_damping=slip_damping,
            coefficient=resistance.friction,
            time_step=time_step,
        )
        torque, rolling_spring = epsd_rolling_torque(
            rolling_spring,
            state.spin[:2] * time_step,
            load,
            rolling_stiffness=roll_stiffness,
            rolling_damping=roll_damping,
            rolling_coefficient=resistance.rolling / radius,
            effective_radius=radius,
            time_step=time_step,
        )
        velocity = state.velocity + time_step / mass * force
        rolls = state.spin[:2] + time_step / inertia * (torque + radius * jnp.stack([force[1], -force[0]]))
        # Under uniform pressure the torque is 2/3 mu a load.
        disk = {"coefficient": 1.0, "contact_radius": 1.5 * resistance.spinning, "inertia": inertia}
        upright = spin_after_step(state.spin[2], load, **disk, time_step=time_step, spin_velocity=1e-9)
        after = Resting(state.position + time_step * velocity, velocity, jnp.concatenate([rolls, upright[None]]))
        return (after, spring, rolling_spring), None

    def sample(carry: tuple[Resting, Any, Any], _: None) -> tuple[tuple[Resting, Any, Any], Resting]:
        carry, _ = jax.lax.scan(advance, carry, None, length=steps)
        return carry, carry[0]

    memory = SpringMemory(jnp.zeros(2)), RollingMemory(jnp.zeros(2))
    _, states = jax.lax.scan(sample, (start, *memory), None, length=SAMPLES)
    return states


def resting_contact(
    start: Resting, *, radius: float, mass: float, gravity: float, resistance: Resistance, time: float, turns: bool = True
) -> Resting:
    """States at ``SAMPLES`` equal intervals up to ``time``, of a solid sphere or of a block, which does not turn."""
    inertia = mass * radius**2 * (SOLID_SPHERE if turns else IMMENSE)
    load = mass * gravity
    stiffest = max(3.5 * resistance.friction * gravity / resistance.slip, resistance.rolling * load / resistance.roll / inertia)
    steps = max(1, math.ceil(STEPS_IN_A_PERIOD * time * math.sqrt(stiffest) / SAMPLES))
    numbers = (jnp.asarray(value, dtype=float) for value in (radius, mass, inertia, load))
    start, resistance = jax.tree.map(lambda value: jnp.asarray(value, dtype=float), (start, resistance))
    states = _rest(start, *numbers, resistance, jnp.asarray(time / SAMPLES), steps)
    return jax.tree.map(np.asarray, states)
