"""How two bodies lie and move against each other at their contact."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, Partner, normal_and_tangential, velocity_at
from jaxcontact.geometry.vectors import distance_and_direction
from jaxcontact.numerics.smooth import Real


class Kinematics(NamedTuple):
    """Of body 1 against body 0; vectors have the shape (3,).

    Attributes:
        displacement: from centre 0 to centre 1, or to the closest point of a triangle [m].
        gap: [m], negative in overlap.
        normal: unit normal from body 0 to body 1; zero when the centres coincide, so that all
            relative velocity is slip.
        arm0: from centre 0 to the point in which friction acts [m].
        arm1: from the reference point of body 1 to that point [m].
        normal_velocity: rate of the gap [m/s], negative on approach.
        tangential_velocity: slip, velocity of body 1 against body 0 at the contact, normal to
            ``normal`` [m/s].
        velocity_of_centres: without spin [m/s].
    """

    displacement: jax.Array
    gap: jax.Array
    normal: jax.Array
    arm0: jax.Array
    arm1: jax.Array
    normal_velocity: jax.Array
    tangential_velocity: jax.Array
    velocity_of_centres: jax.Array


def sphere_sphere_kinematics(
    radius0: Real, radius1: Real, body0: Motion, body1: Partner, *, hollow: bool
) -> Kinematics:
    """``g = h |p1 - p0| - (r0 + h r1)``, ``n = h (p1 - p0)/|p1 - p0|``, ``h = -1`` when sphere 1 is
    hollow around sphere 0, else 1.

    The contact point lies in the middle of the overlap, at ``r0 + g/2`` from centre 0: the arms of
    both bodies end there.
    """
    h = -1.0 if hollow else 1.0
    displacement = jnp.asarray(body1.position) - jnp.asarray(body0.position)
    distance, direction = distance_and_direction(displacement)
    gap = h * distance - (radius0 + h * radius1)
    normal = h * direction
    arm0 = jnp.add(radius0, gap / 2) * normal
    arm1 = -h * jnp.add(radius1, h * gap / 2) * normal
    along, across = normal_and_tangential(
        velocity_at(body1, arm1) - velocity_at(body0, arm0), normal
    )
    return Kinematics(
        displacement,
        gap,
        normal,
        arm0,
        arm1,
        along,
        across,
        jnp.asarray(body1.velocity) - jnp.asarray(body0.velocity),
    )
