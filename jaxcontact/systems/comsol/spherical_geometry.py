"""How a sphere and another one, or a plane, lie and move against each other at their contact, as
the pages have it.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import ContactPlane, contact_plane, plane_between
from jaxcontact.geometry.rigid_motion import (
    Motion,
    Partner,
    PlaneMotion,
    normal_and_tangential,
    velocity_at,
)
from jaxcontact.geometry.vectors import distance_and_direction


class SphericalGeometry(NamedTuple):
    """Of a source sphere against a destination; vectors are ``(..., 3)``, scalars ``(...)``.

    Attributes:
        plane: contact point, normal from the source's centre to the contact, and gap.
        arm_source: from the source's centre to the contact [m].
        arm_destination: from the destination's centre, or the point of its plane, to the contact
            [m].
        approach: minus the rate of the gap [m/s].
        slip: ``v_slip``, of the source against the destination [m/s].
    """

    plane: ContactPlane
    arm_source: jax.Array
    arm_destination: jax.Array
    approach: jax.Array
    slip: jax.Array


def geometry_between(parameters: Any, source: Motion, destination: Partner) -> SphericalGeometry:
    """As the formulation has it that is meant for the destination."""
    if isinstance(destination, PlaneMotion):
        return boundary_geometry(parameters, source, destination)
    return spherical_geometry(parameters, source, destination)


def boundary_geometry(
    parameters: Any, source: Motion, destination: PlaneMotion
) -> SphericalGeometry:
    """As ``spherical_to_arbitrary`` has it of a plane boundary, with the arms of its parameters."""
    plane = plane_between(source, destination, radius1=parameters.r_s)
    inset = _inset(parameters, plane)
    arm_source = jnp.add(parameters.r_s, inset)[..., None] * plane.normal
    depth = jnp.add(parameters.r_s, plane.gap - inset)[..., None] * plane.normal
    arm_destination = jnp.asarray(source.position) + depth - jnp.asarray(destination.position)
    return _moving(plane, source, destination, arm_source, arm_destination)


def _inset(parameters: Any, plane: ContactPlane) -> jax.Array:
    """What the arm of the source is longer by than its radius [m]."""
    return 0.5 * plane.gap if parameters.arms == "midpoint" else jnp.zeros_like(plane.gap)


def _moving(
    plane: ContactPlane,
    source: Motion,
    destination: Partner,
    arm_source: jax.Array,
    arm_destination: jax.Array,
) -> SphericalGeometry:
    approach, slip = normal_and_tangential(
        velocity_at(source, arm_source) - velocity_at(destination, arm_destination), plane.normal
    )
    return SphericalGeometry(plane, arm_source, arm_destination, approach, slip)


def spherical_geometry(parameters: Any, source: Motion, destination: Motion) -> SphericalGeometry:
    """As ``spherical_to_spherical`` has it, outside or inside, with the arms of its parameters."""
    side = -1.0 if parameters.inside else 1.0
    r_s, r_d = parameters.r_s, side * parameters.r_d
    distance, direction = distance_and_direction(
        jnp.asarray(destination.position) - jnp.asarray(source.position)
    )
    plane = contact_plane(
        source.position,
        radius=r_s,
        distance=side * distance,
        direction=side * direction,
        partner_radius=r_d,
    )
    inset = _inset(parameters, plane)
    arm_source, arm_destination = (
        jnp.add(r_s, inset)[..., None] * plane.normal,
        -jnp.add(r_d, inset)[..., None] * plane.normal,
    )
    return _moving(plane, source, destination, arm_source, arm_destination)
