"""Where a sphere touches a sphere, and a plane."""

from jaxcontact.geometry.contact_plane import (
    ContactPlane,
    plane_between,
    plane_between_spheres,
)
from jaxcontact.geometry.rigid_motion import Motion, PlaneMotion
from jaxcontact.geometry.vectors import distance_and_direction
from jaxcontact.numerics.smooth import Real


def sphere_sphere_plane(
    motion1: Motion, motion2: Motion, *, radius1: Real, radius2: Real
) -> ContactPlane:
    """Contact of two spheres: normal from centre 1 to centre 2, point midway between the surfaces.
    The normal of equal centres is zero.

    Args:
        motion1: of the centre of sphere 1.
        motion2: of the centre of sphere 2.
        radius1: [m].
        radius2: [m].

    Returns:
        Contact point, normal from 1 to 2 and gap.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.0599, 0, 0]), jnp.array([-0.5, 0, 0]), jnp.zeros(3))
        >>> plane = modia3d.sphere_sphere_plane(first, second, radius1=0.03, radius2=0.03)
        >>> print(plane.normal, f"gap {1e3 * plane.gap:.2f} mm")
        [1. 0. 0.] gap -0.10 mm
    """
    return plane_between_spheres(
        motion1.position, motion2.position, radius1=radius1, radius2=radius2
    )


def sphere_flat_plane(
    motion1: Motion, motion2: Motion, *, radius1: Real, surface_normal: Real
) -> ContactPlane:
    """Contact of a sphere, solid 1, with a plane of solid 2: point midway between the surfaces on
    the perpendicular from the centre.

    Args:
        motion1: of the centre of the sphere.
        motion2: of a point of solid 2 on the plane.
        radius1: [m].
        surface_normal: direction out of solid 2, ``(..., 3)``, of any length.

    Returns:
        Contact point, normal from 1 to 2 and gap.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> ball = Motion(jnp.array([0.0, 0.0, 0.0299]), jnp.zeros(3), jnp.zeros(3))
        >>> floor = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> plane = modia3d.sphere_flat_plane(
        ...     ball, floor, radius1=0.03, surface_normal=(0.0, 0.0, 1.0)
        ... )
        >>> print(f"gap {1e3 * plane.gap:.2f} mm")
        gap -0.10 mm
    """
    _, outward = distance_and_direction(surface_normal)
    return plane_between(motion1, PlaneMotion(*motion2, outward), radius1=radius1)
