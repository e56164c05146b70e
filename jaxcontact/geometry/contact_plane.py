"""The plane through a contact: its location, normal and gap, and axes in it that turn with the two
bodies.

A vector that lies in the plane (a tangential spring) is kept by its components along the axes ``s``
and ``t``; it then turns with the plane as if it were marked on it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, Partner, PlaneMotion
from jaxcontact.geometry.rotation import rotate_between
from jaxcontact.geometry.vectors import cross, distance_and_direction
from jaxcontact.numerics.smooth import Real, Vector

PARALLEL = 1e-6
"""Sine of the angle with the global x direction below which a normal counts as parallel to it."""


class ContactPlane(NamedTuple):
    """Attributes: ``location`` [m] ``(..., 3)``, ``normal`` (unit, ``(..., 3)``) and ``gap`` [m]
    ``(...)``, negative in overlap.
    """

    location: jax.Array
    normal: jax.Array
    gap: jax.Array


class ContactAxes(NamedTuple):
    """A right-handed triple of unit vectors ``n = s x t``, each ``(..., 3)``; all zero stands for a
    contact that has none yet.
    """

    normal: Vector
    s_axis: Vector
    t_axis: Vector


def contact_plane(
    centre: Vector, *, radius: Real, distance: Real, direction: Real, partner_radius: Real = 0.0
) -> ContactPlane:
    """The plane in the middle of the gap, or overlap, between a sphere and what lies at
    ``distance`` in ``direction``.

    ``g = d - R1 - R2``, ``x_c = x1 + (R1 + g/2) n``.

    Args:
        centre: of the sphere [m], ``(..., 3)``.
        radius: of the sphere [m].
        distance: from its centre to the partner's centre, or to the closest point of a surface [m].
        direction: unit vector to there, ``(..., 3)``.
        partner_radius: [m]; 0 for a surface.

    Returns:
        Location [m], unit normal and gap [m].
    """
    gap = jnp.asarray(distance - radius - partner_radius)
    return ContactPlane(
        jnp.asarray(centre) + jnp.asarray(radius + 0.5 * gap)[..., None] * direction,
        jnp.asarray(direction),
        gap,
    )


def plane_between(
    body1: Motion, body2: Partner, *, radius1: Real, radius2: Real | None = None
) -> ContactPlane:
    """The plane in the middle of the gap, or overlap, of a sphere and its partner. The normal
    points from the centre of the sphere to that of the other, or into the plane; of equal centres
    it is zero.

    Args:
        body1: of the centre of the sphere.
        body2: of the centre of the other sphere, or of the plane.
        radius1: of the sphere [m].
        radius2: of the other sphere [m]; ``None``, the default, of a plane.

    Returns:
        Location [m], unit normal and gap [m].
    """
    if not isinstance(body2, PlaneMotion):
        return plane_between_spheres(
            body1.position,
            body2.position,
            radius1=radius1,
            radius2=0.0 if radius2 is None else radius2,
        )
    inwards = -jnp.asarray(body2.normal)
    apart = jnp.asarray(body2.position) - jnp.asarray(body1.position)
    distance = jnp.sum(apart * inwards, axis=-1)
    return contact_plane(body1.position, radius=radius1, distance=distance, direction=inwards)


def plane_between_spheres(
    centre1: Vector, centre2: Vector, *, radius1: Real, radius2: Real
) -> ContactPlane:
    """As ``plane_between``, from the centres [m], ``(..., 3)``."""
    distance, direction = distance_and_direction(jnp.asarray(centre2) - jnp.asarray(centre1))
    return contact_plane(
        centre1, radius=radius1, distance=distance, direction=direction, partner_radius=radius2
    )


def initial_axes(normal: Real) -> ContactAxes:
    """Axes of a new contact: ``s`` along the projection of the global x direction on the plane, of
    y if x is parallel to the normal.

    ``t = n x e/|n x e|``, ``s = t x n``: no digits are lost however close ``e`` is to the normal.
    The choice jumps between x and y at the angle ``PARALLEL``; forces of isotropic models do not
    depend on it.

    Args:
        normal: unit vector, ``(..., 3)``; zero gives zero axes.

    Returns:
        The axes ``n``, ``s``, ``t``.
    """
    normal = jnp.asarray(normal)
    _, t_axis = distance_and_direction(_initial_t(normal))
    return ContactAxes(normal, cross(t_axis, normal), t_axis)


def _initial_t(normal: jax.Array) -> jax.Array:
    """``n x e``, ``e`` the global x or y direction."""
    x, y, z = (normal[..., k] for k in range(3))
    none = jnp.zeros_like(x)
    parallel = y * y + z * z < PARALLEL**2
    return jnp.stack(
        [jnp.where(parallel, -z, none), jnp.where(parallel, none, z), jnp.where(parallel, x, -y)],
        axis=-1,
    )


def planar_axes(normal: Real) -> ContactAxes:
    """Axes of a contact in the xy plane: ``s = -k``, ``t = k x n``. They need no memory.

    Args:
        normal: unit vector in the xy plane, ``(..., 3)``.

    Returns:
        The axes ``n``, ``s``, ``t``.
    """
    normal = jnp.asarray(normal)
    k = jnp.broadcast_to(jnp.asarray((0.0, 0.0, 1.0), normal.dtype), normal.shape)
    return ContactAxes(normal, -k, cross(k, normal))


def carried_with_plane(
    vector: Vector, normal: Vector, new_normal: Real, *, turn: Real
) -> jax.Array:
    """A vector of the plane, ``(..., 3)`` in global axes, carried from the last step to this one as
    if it were marked on the plane.

    First the smallest rotation that takes the old normal to the new one, then the angle ``turn``
    about the new normal; lengths are kept.

    Args:
        vector: such as the elongation of a tangential spring, ``(..., 3)``.
        normal: unit normal of the last step, ``(..., 3)``.
        new_normal: unit normal now, ``(..., 3)``.
        turn: mean spin of the two bodies about it times the time step [rad], ``(...)``.

    Returns:
        The vector now, ``(..., 3)``.
    """
    turned = rotate_between(vector, normal, new_normal)
    angle = jnp.asarray(turn)[..., None]
    return jnp.cos(angle) * turned + jnp.sin(angle) * cross(new_normal, turned)


def turn_axes(axes: ContactAxes, normal: Real, *, spin: Real, time_step: Real) -> ContactAxes:
    """Axes carried from the last step to this one by two finite rotations.

    First the smallest rotation that takes the old normal to the new one, then the angle ``spin *
    time_step`` about the new normal. The axes stay orthonormal to rounding. Axes without length (a
    new contact) are replaced by ``initial_axes``.

    Args:
        axes: of the last step.
        normal: unit normal now, ``(..., 3)``.
        spin: mean angular velocity of the two bodies about it [rad/s], ``(...)``; see
            ``mean_spin``.
        time_step: [s].

    Returns:
        The axes now.
    """
    normal = jnp.asarray(normal)
    turned = carried_with_plane(axes.s_axis, axes.normal, normal, turn=spin * time_step)
    across = cross(normal, turned)
    known = jnp.sum(across * across, axis=-1, keepdims=True) > PARALLEL**2
    _, t_axis = distance_and_direction(jnp.where(known, across, _initial_t(normal)))
    return ContactAxes(normal, cross(t_axis, normal), t_axis)


def turn_axes_first_order(
    axes: ContactAxes, normal: Real, *, spin: Real, time_step: Real
) -> ContactAxes:
    """As ``turn_axes``, by the linear update that programs document.

    ``s1 = s* - s* x (n* x n)``, ``s2 = s1 - s1 x spin dt n``, ``s = s2/|s2|``, ``t = n x s``. In
    one step the turn in the plane is ``atan(spin dt)`` and ``s . n`` is of the third order of the
    angle between the normals: ``t`` is then shorter than 1, and so are vectors kept by their
    components.

    Args:
        axes: of the last step.
        normal: unit normal now, ``(..., 3)``.
        spin: mean angular velocity of the two bodies about it [rad/s], ``(...)``.
        time_step: [s].

    Returns:
        The axes now.
    """
    normal = jnp.asarray(normal)
    old_s_axis, old_normal = jnp.asarray(axes.s_axis), jnp.asarray(axes.normal)
    turned = old_s_axis - cross(old_s_axis, cross(old_normal, normal))
    turned = turned - cross(turned, jnp.asarray(spin * time_step)[..., None] * normal)
    size, s_axis = distance_and_direction(turned)
    known = (size > PARALLEL)[..., None]
    initial = initial_axes(normal)
    t_axis = jnp.where(known, cross(normal, s_axis), jnp.asarray(initial.t_axis))
    return ContactAxes(normal, jnp.where(known, s_axis, jnp.asarray(initial.s_axis)), t_axis)


def mean_spin(normal: Real, angular_velocity1: Vector, angular_velocity2: Vector) -> jax.Array:
    """``(w1 + w2)/2 . n`` [rad/s], ``(...)``: with it the plane turns symmetrically between the
    bodies.

    Args:
        normal: unit normal, ``(..., 3)``.
        angular_velocity1: of body 1 [rad/s], ``(..., 3)``.
        angular_velocity2: of body 2 [rad/s], ``(..., 3)``.

    Returns:
        Mean spin about the normal [rad/s], ``(...)``.
    """
    total = jnp.asarray(angular_velocity1) + jnp.asarray(angular_velocity2)
    return 0.5 * jnp.sum(total * normal, axis=-1)
