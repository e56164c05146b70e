"""How far a sphere has turned at times, from its spin at these times and from when its contacts
were.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact import Trajectory
from jaxcontact.geometry.rotation import quaternion_product, rotation_to_quaternion


class Turns(NamedTuple):
    """Rotation vectors [rad] from each time to the next: before the contact between them, and after
    it; (n - 1, 3).
    """

    before: jax.Array
    after: jax.Array


def integrate_spin(motion: Trajectory) -> Turns:
    """Rotations between neighbouring times.

    Spin is constant in flight, so the rotation is exact where at most one contact is between two
    times; its middle is where the spin changes. Where the sphere slides or rolls on, the spin
    changes in proportion to time.
    """
    contacts = motion.contacts
    assert contacts is not None
    start, end = motion.times[:-1], motion.times[1:]
    middle = (contacts.touch_down + contacts.lift_off) / 2
    between = contacts.happened & (middle > start[:, None]) & (middle <= end[:, None])
    met = jnp.any(between, axis=1)
    change = jnp.where(met, middle[jnp.argmax(between, axis=1)], (start + end) / 2)
    return Turns(
        motion.spin[:-1] * (change - start)[:, None], motion.spin[1:] * (end - change)[:, None]
    )


def integrate_angle(motion: Trajectory, axis: int) -> jax.Array:
    """Angle about an axis since the first time [rad], (n,)."""
    found = integrate_spin(motion)
    return jnp.concatenate([jnp.zeros(1), jnp.cumsum((found.before + found.after)[:, axis])])


def integrate_orientation(motion: Trajectory, first: jax.Array) -> jax.Array:
    """Orientations at the times as quaternions (n, 4), scalar first, from the one at the first
    time.
    """
    found = integrate_spin(motion)
    steps = quaternion_product(
        rotation_to_quaternion(found.after), rotation_to_quaternion(found.before)
    )
    # The later rotation acts last.
    return jax.lax.associative_scan(
        lambda early, late: quaternion_product(late, early), jnp.concatenate([first[None], steps])
    )
