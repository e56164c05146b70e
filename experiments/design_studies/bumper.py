"""A bumper that sends balls from a fan of directions to one place.

Without gravity and losses an ellipse does this from one focus to the other. With gravity,
restitution and friction it does not: its place, its form and its tilt are the design, and the
squares of the misses are what is made small.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

import jaxcontact as jc
from experiments.design_studies.constrained import with_jacobian

FOCUS = 0.8
"""Distance of nozzle and target from the middle [m]; both at height 0."""

LONG = 5.0
"""Semi-axis of the bumper across the plane of the motion [m]."""

FAN = jnp.radians(jnp.linspace(55.0, 105.0, 11))
"""Directions of the balls, from the one towards the target."""

ELLIPSE = (1.0, 0.6, 0.0, 0.0, 0.0)
"""Semi-axes forwards and upwards [m], the centre's place forwards and upwards [m], tilt [rad]: the
ellipse with nozzle and target in its foci.
"""

BOUNDS = ((1.0, 0.4, -0.05, -0.3, -0.2), (1.6, 1.2, 0.3, 0.3, 0.5))


class Setting(NamedTuple):
    """What is given.

    Attributes:
        radius: of the balls [m].
        speed: at the nozzle [m/s].
        restitution: of the bumper.
        friction: coefficient.
        gravity: [m/s^2].
        seen: time from the nozzle at which a ball has bounced once, and is above the target [s].
    """

    radius: float = 0.01
    speed: float = 6.0
    restitution: float = 0.8
    friction: float = 0.2
    gravity: float = 9.81
    seen: float = 0.3


def bounce(
    design: jax.Array, direction: jax.Array, times: jax.Array, setting: Setting
) -> jc.Trajectory:
    """The motion of a ball."""
    forwards, upwards, ahead, above, tilt = design
    nothing = 0.0 * tilt
    bumper = jc.Ellipsoid(
        center=jnp.stack([ahead, nothing, above]),
        semi_axes=jnp.stack([forwards, LONG + nothing, upwards]),
        orientation=jnp.stack([nothing, tilt, nothing]),
        hollow=True,
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=setting.radius, mass=0.01),
        surfaces=(bumper,),
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=setting.restitution),
            friction=jc.Coulomb(coefficient=setting.friction),
        ),
        gravity=(0.0, 0.0, -setting.gravity),
    )
    start = jc.state(
        position=(-FOCUS, 0.0, 0.0),
        velocity=setting.speed
        * jnp.stack([jnp.cos(direction), 0.0 * direction, jnp.sin(direction)]),
    )
    method = jc.Impulse(max_contacts=2, sustained_steps=0)
    return jc.simulate(scene, start, times, method=method)


def misses(design: jax.Array, setting: Setting) -> jax.Array:
    """Where each ball of the fan comes down to the height of the target, beside it [m]."""

    def miss(direction: jax.Array) -> jax.Array:
        motion = bounce(design, direction, jnp.array([0.0, setting.seen]), setting)
        position, velocity = motion.position[-1], motion.velocity[-1]
        # of  z + v t - g t^2/2 = 0,  also without gravity
        upwards, height = velocity[2], position[2]
        root = jnp.sqrt(upwards**2 + 2 * setting.gravity * height)
        return position[0] + velocity[0] * 2 * height / (root - upwards) - FOCUS

    return jax.vmap(miss)(FAN)


def find_bumper(start: tuple[float, ...], setting: Setting) -> NDArray[np.float64]:
    """The bumper with the least squares of the misses."""
    both = with_jacobian(lambda design: misses(design, setting))
    return least_squares(
        lambda design: np.asarray(both(design)[0]),
        np.clip(start, *np.array(BOUNDS) + np.array([[1e-3], [-1e-3]])),
        jac=lambda design: np.asarray(both(design)[1]),
        bounds=BOUNDS,
        xtol=1e-12,
        ftol=1e-12,
    ).x
