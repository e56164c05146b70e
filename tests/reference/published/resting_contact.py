"""A body on a floor: sliding friction with memory, rolling and spinning resistance, through
``jaxcontact.simulate``.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from jaxcontact.laws.friction.cundall_strack import CundallStrack
from jaxcontact.laws.friction.rolling import RollingResistance
from jaxcontact.laws.friction.spinning import SpinningFriction
from jaxcontact.scene.bodies import cube
from tests.reference.motion import along_z
from tests.reference.published.impacts import quickly_compiled

STATIC_OVERLAP = 1e-4
"""Static overlap over the radius: the stiffness of a contact that is said to be stiff."""

SHARPNESS = 1e-6
"""Rates [rad/s] below which rolling and spinning resistance fade."""


class Resting(NamedTuple):
    """Position of the centre along the floor (2,) [m], its velocity (2,) [m/s], and spin (3,)
    [rad/s]; the last axis is upright.
    """

    position: Any
    velocity: Any
    spin: Any


class Resistance(NamedTuple):
    """What resists the motion of a body on a floor, as a number and lengths that multiply the load.

    Attributes:
        friction: coefficient ``mu`` [-].
        rolling: largest rolling torque over load [m].
        spinning: largest spinning torque over load [m].
    """

    friction: Any = 0.0
    rolling: Any = 0.0
    spinning: Any = 0.0


def _simulated(
    radius: Any,
    mass: Any,
    gravity: Any,
    resistance: Resistance,
    start: Resting,
    times: Any,
    turns: bool,
) -> Any:
    touching = 1 if turns else 4
    overlap = STATIC_OVERLAP * radius
    stiffness = mass * gravity / touching / overlap**1.5
    contact = jc.ContactModel(
        normal=jc.TsujiDashpot(stiffness=stiffness, restitution=0.3, end="zero_force"),
        friction=CundallStrack(
            coefficient=resistance.friction,
            tangential_stiffness=stiffness * jnp.sqrt(overlap),
            zeta=0.5,
        ),
    )
    if turns:
        # Under uniform pressure on a disk of radius a the spinning torque is 2/3 mu a times the
        # load.
        disk = jnp.sqrt(radius * overlap)
        contact = contact.replace(
            rolling=RollingResistance(
                rolling_coefficient=resistance.rolling / radius, rolling_velocity=SHARPNESS
            ),
            spinning=SpinningFriction(
                coefficient=1.5 * resistance.spinning / disk, spin_velocity=SHARPNESS
            ),
        )
    scene = jc.Scene(
        bodies=jc.spheres(radius=radius, mass=mass)
        if turns
        else cube(half_width=radius, mass=mass),
        contact=contact,
        gravity=along_z(-gravity),
    )
    initial = jc.state(
        position=jnp.concatenate([start.position, (radius - overlap)[None]]),
        velocity=jnp.concatenate([start.velocity, jnp.zeros(1)]),
        spin=start.spin,
        **({} if turns else {"orientation": (1.0, 0.0, 0.0, 0.0)}),
    )
    end = jc.simulate(scene, initial, times, method=jc.EventAligned(max_contacts=20))
    return Resting(end.position[-1, :2], end.velocity[-1, :2], end.spin[-1]), end.status


SIMULATED = quickly_compiled(_simulated, static_argnames=("turns",))


def resting_contact(
    start: Resting,
    *,
    radius: float,
    mass: float,
    gravity: float,
    resistance: Resistance,
    time: float,
    turns: bool = True,
) -> Resting:
    """State after ``time`` of a solid sphere, or of a cube (``turns=False``), that lies on a floor
    from the start on.
    """
    numbers = jax.tree.map(
        lambda value: jnp.asarray(value, dtype=float), (radius, mass, gravity, resistance, start)
    )
    state, status = SIMULATED(*numbers, jnp.asarray((0.0, time)), turns=turns)
    assert int(status) < jc.Status.TOO_FEW_CONTACTS, jc.Status(int(status)).advice
    return jax.tree.map(np.asarray, state)
