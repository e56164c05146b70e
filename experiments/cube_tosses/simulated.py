"""A toss in simulation, from the measured state at release."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from experiments.cube_tosses.tosses import RATE, Cube, Toss

GRAVITY = 9.81
METHODS: dict[str, jc.EventAligned | jc.Impulse] = {
    "compliant": jc.EventAligned(max_contacts=60, graded_step=0.03),
    "rigid": jc.Impulse(max_contacts=200),
}


class Parameters(NamedTuple):
    """What a simulation depends on besides the state at release; numbers or scalars of JAX.

    Attributes:
        friction: coefficient of Coulomb [-].
        restitution: [-].
        stiffness: of a corner, force over overlap to the power 3/2 [N/m^1.5]; of the compliant
            method only.
        slip_velocity: of the regularised friction [m/s]; of the compliant method only.
        corner_radius: [m].
        height: of the table in the coordinates of the recording [m].
        length_scale: of the recording: a true metre appears as ``length_scale`` metres.
        velocity_lag: by how many samples the recorded velocity lags behind the pose [-].
    """

    friction: Any
    restitution: Any
    stiffness: Any = 1e8
    slip_velocity: Any = 1e-4
    corner_radius: Any = 5e-4
    height: Any = 0.0
    length_scale: Any = 1.0
    velocity_lag: Any = 0.0


def nominal(cube: Cube, **changes: float) -> Parameters:
    """What the authors of the data give for the cube, nothing fitted."""
    return Parameters(friction=cube.friction, restitution=cube.restitution)._replace(**changes)


def scene(cube: Cube, given: Parameters, *, method: str) -> jc.Scene:
    """The cube above the table."""
    scale = given.length_scale
    body = jc.cube(
        half_width=cube.half_width * scale,
        mass=cube.mass,
        corner_radius=given.corner_radius,
        inertia=cube.inertia * scale**2,
    )
    if method == "rigid":
        contact = jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=given.restitution),
            friction=jc.Coulomb(coefficient=given.friction),
        )
    else:
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=given.stiffness, restitution=given.restitution),
            friction=jc.RegularizedCoulomb(
                coefficient=given.friction, slip_velocity=given.slip_velocity
            ),
        )
    gravity = jnp.stack(
        [0.0 * jnp.asarray(scale), 0.0 * jnp.asarray(scale), -GRAVITY * jnp.asarray(scale)]
    )
    return jc.Scene(
        bodies=body, surfaces=(jc.Plane(offset=given.height),), contact=contact, gravity=gravity
    )


class Release(NamedTuple):
    """First sample of a toss."""

    position: Any
    orientation: Any
    velocity: Any
    spin: Any


def release(toss: Toss) -> Release:
    """State at release."""
    return Release(toss.position[0], toss.orientation[0], toss.velocity[0], toss.spin[0])


def trajectory(
    cube: Cube, given: Parameters, start: Release, times: Any, *, method: str, ledger: bool
) -> jc.Trajectory:
    """Motion at ``times``."""
    made = scene(cube, given, method=method)
    velocity = start.velocity + given.velocity_lag / RATE * made.gravity
    initial = jc.state(
        position=start.position, velocity=velocity, spin=start.spin, orientation=start.orientation
    )
    return jc.simulate(made, initial, times, method=METHODS[method], ledger=ledger)


@functools.cache
def compiled(method: str) -> Callable[..., jc.Trajectory]:
    """``trajectory`` with all numbers as arguments: every toss and every set of parameters shares
    its code.
    """
    return jax.jit(functools.partial(trajectory, method=method, ledger=True))


def padded(times: np.ndarray, length: int) -> np.ndarray:
    """``times`` with the last one repeated up to ``length``."""
    return np.concatenate([times, np.full(length - len(times), times[-1])])


def simulate(
    cube: Cube, given: Parameters, toss: Toss, *, method: str, length: int
) -> jc.Trajectory:
    """A toss at its samples, padded to ``length`` of them.

    Args:
        cube: the body.
        given: parameters.
        toss: the recording.
        method: ``"compliant"`` or ``"rigid"``.
        length: number of samples, the same for all tosses that share their code.
    """
    numbers = jax.tree.map(
        lambda value: jnp.asarray(value, dtype=float), (cube, given, release(toss))
    )
    found = compiled(method)(*numbers, jnp.asarray(padded(toss.times, length)))
    return jax.block_until_ready(found)
