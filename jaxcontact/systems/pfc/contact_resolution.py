"""PFC's contact resolution: from the pieces and the motion of their bodies to the contact state
variables, once in each step.

1. Contact mass, and the contact plane: location, normal, gap. A ball or pebble against a facet
   meets the closest point of the facet.
2. Axes of the plane: carried from the last step, or new ones.
3. Relative motion of the bodies at the location, and the increments of this step along the axes.

How the axes turn is a choice: by the program's update (``"documented"``, the default), which is of
first order in the turn of a step, or by finite rotations (``"exact"``). In two dimensions
(``dimension=2``: everything in the xy plane, rotations about z) the axes need no memory.

A contact is active when the surface gap is not positive: see ``activity``.

Example:
    >>> from jaxcontact.geometry.rigid_motion import Motion
    >>> from jaxcontact.systems import pfc
    >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
    >>> second = Motion(jnp.array([0.0, 0.0, 0.99e-2]), jnp.array([0.0, 0.0, -1.0]), jnp.zeros(3))
    >>> ball1 = pfc.pieces.ball(first, radius=5e-3, mass=1.3e-3)
    >>> ball2 = pfc.pieces.ball(second, radius=5e-3, mass=1.3e-3)
    >>> state, axes = pfc.contact_resolution.ball_ball_contact(
    ...     pfc.contact_resolution.NEW_CONTACT, ball1, ball2, time_step=1e-6
    ... )
    >>> print(f"gap {1e3 * state.gap:.2f} mm")
    gap -0.10 mm
"""

import math
from collections.abc import Callable
from dataclasses import replace

import jax
import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import (
    ContactAxes,
    ContactPlane,
    contact_plane,
    mean_spin,
    planar_axes,
    plane_between_spheres,
    turn_axes,
    turn_axes_first_order,
)
from jaxcontact.geometry.relative_motion import relative_increments, relative_motion
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.geometry.segment import closest_point_on_planar_segment
from jaxcontact.geometry.triangle import ClosestPoint, closest_point_on_triangle
from jaxcontact.laws.core.registry import law
from jaxcontact.materials import effective_mass, effective_radius
from jaxcontact.numerics.smooth import Real, Vector, Vectors
from jaxcontact.parameters import nearest
from jaxcontact.systems.pfc.pieces import Facet, SphericalPiece, Wall, ball
from jaxcontact.systems.pfc.state import ContactState

AXES_UPDATES: dict[str, Callable[..., ContactAxes]] = {
    "exact": turn_axes,
    "documented": turn_axes_first_order,
}

NEW_CONTACT = ContactAxes(*(3 * ((0.0, 0.0, 0.0),)))
"""Memory of a contact that was not there in the last step."""


_MOTION = Motion((0.3, 0.2, 0.3), (0.4, -0.3, 0.7), (2.0, -1.0, 3.0))
_BALL = ball(_MOTION, radius=0.6, mass=0.3)
_PARTNER = ball(Motion((0.4, 0.1, 1.3), (-0.2, 0.5, -0.6), (-1.0, 2.5, 0.5)), radius=0.45, mass=0.2)
_WALL_MOTION = Motion((0.5, -1.0, 0.2), (0.1, 0.2, 0.3), (0.5, -0.4, 0.3))
_FACET = Facet(
    vertices=((-0.4, -0.5, -0.2), (2.8, -0.5, -0.2), (-0.2, 1.7, -0.2)), motion=_WALL_MOTION
)


def ball_ball_plane(piece1: SphericalPiece, piece2: SphericalPiece) -> ContactPlane:
    """Contact plane of two balls or pebbles: ``n = (x2 - x1)/d``, ``g = d - R1 - R2``, ``x_c = x1 +
    (R1 + g/2) n``.
    """
    return plane_between_spheres(
        piece1.centre, piece2.centre, radius1=piece1.radius, radius2=piece2.radius
    )


@law(
    family="PFC",
    source="Itasca PFC, Contact Resolution",
    smoothness=0,
    example={"piece": _BALL, "facet": _FACET},
    switches=({"piece": replace(_BALL, centre=(1.2, -0.5, 0.3))},),  # over an edge
    corners=(
        {"piece": replace(_BALL, centre=(-0.4, -0.5, 0.3))},  # over a vertex
        {"piece": replace(_BALL, centre=(-0.4, -0.5, -0.2))},  # on a vertex
        {"piece": replace(_BALL, centre=(0.3, 0.2, -0.2))},  # in the facet
        {"piece": replace(_BALL, centre=(0.3, -1.2, -0.2))},  # in its plane, outside
        {
            "facet": replace(_FACET, vertices=((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (2.0, 2.0, 2.0)))
        },  # a facet without area
        {"facet": replace(_FACET, vertices=3 * ((0.1, 0.2, 0.3),))},
    ),
)
def ball_facet_plane(piece: SphericalPiece, facet: Facet) -> ContactPlane:
    """Contact plane of a ball or pebble and a facet, ``x_f`` its closest point: ``n = (x_f -
    x1)/d``, ``g = d - R1``.

    The gap has a continuous gradient as long as the centre is off the facet; the normal is
    continuous, with a derivative that jumps where the closest point passes from face to edge to
    vertex. With the centre in the facet the normal is as on approach from its positive side.
    """
    closest = closest_point_on_facet(piece.centre, facet.vertices)
    return contact_plane(
        piece.centre, radius=piece.radius, distance=closest.distance, direction=closest.direction
    )


def closest_point_on_facet(point: Vector, vertices: Vectors) -> ClosestPoint:
    """The closest point of a triangle ``(..., 3, 3)``, or of a segment in the xy plane ``(..., 2,
    3)``.
    """
    vertices = jnp.asarray(vertices)
    triangle = vertices.shape[-2] == 3
    return (closest_point_on_triangle if triangle else closest_point_on_planar_segment)(
        point, vertices
    )


@law(
    family="PFC",
    source="Itasca PFC, Contact Resolution",
    smoothness=math.inf,
    example={
        "memory": ContactAxes((0.0, 0.6, 0.8), (1.0, 0.0, 0.0), (0.0, 0.8, -0.6)),
        "piece1": _BALL,
        "piece2": _PARTNER,
        "time_step": 1e-3,
    },
    corners=(
        {"memory": NEW_CONTACT},
        {"piece2": _BALL},  # coincident centres
        {"piece2": replace(_PARTNER, centre=(1.0, 0.2, 0.3))},  # the normal along x
        {
            "memory": ContactAxes((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
            "piece2": replace(_PARTNER, centre=(-1.0, 0.2, 0.3)),
        },
    ),
)
def ball_ball_contact(
    memory: ContactAxes,
    piece1: SphericalPiece,
    piece2: SphericalPiece,
    *,
    time_step: Real,
    update: str = "documented",
    dimension: int = 3,
) -> tuple[ContactState, ContactAxes]:
    """State of the contact between two balls or pebbles, and the axes to be remembered.

    ``m_c = m1 m2/(m1 + m2)``, ``n = (x2 - x1)/d``, ``g = d - R1 - R2``, ``x_c = x1 + (R1 + g/2)
    n``. Differentiable to every order except where the centres coincide (no normal: value and
    derivatives of ``n`` are zero).

    Args:
        memory: axes of the last step; ``NEW_CONTACT`` at first.
        piece1: end 1 of the contact.
        piece2: end 2.
        time_step: [s].
        update: how the axes turn, ``"documented"`` or ``"exact"``.
        dimension: 3, or 2 for disks in the xy plane.
    """
    plane = ball_ball_plane(piece1, piece2)
    return _resolve(
        memory,
        plane,
        piece1.motion,
        piece2.motion,
        contact_mass=effective_mass(piece1.mass, piece2.mass),
        radius=effective_radius(piece1.radius, piece2.radius),
        time_step=time_step,
        update=update,
        dimension=dimension,
    )


def ball_facet_contact(
    memory: ContactAxes,
    piece: SphericalPiece,
    facet: Facet,
    *,
    time_step: Real,
    update: str = "documented",
    dimension: int = 3,
) -> tuple[ContactState, ContactAxes]:
    """State of the contact between a ball or pebble and a facet, and the axes to be remembered.

    ``m_c = m1``, ``n = (x_f - x1)/d``, ``g = d - R1``, ``x_c = x1 + (R1 + g/2) n`` with the closest
    point ``x_f`` of the facet. As smooth as ``ball_facet_plane``.

    Arguments as for ``ball_ball_contact``.
    """
    plane = ball_facet_plane(piece, facet)
    return _resolve(
        memory,
        plane,
        piece.motion,
        facet.motion,
        contact_mass=effective_mass(piece.mass),
        radius=effective_radius(piece.radius),
        time_step=time_step,
        update=update,
        dimension=dimension,
    )


def ball_wall_contact(
    memory: ContactAxes,
    piece: SphericalPiece,
    wall: Wall,
    *,
    time_step: Real,
    update: str = "documented",
    dimension: int = 3,
) -> tuple[ContactState, ContactAxes]:
    """State of the one contact between a ball or pebble and a wall: that with the facet of the
    smallest gap.

    So a ball that touches two facets at their common edge is not pushed twice. When the closest
    facet changes, the axes and what is kept along them turn from the old normal to the new one. At
    a concave edge, where two facets are touched at different points, only the closer one acts: give
    such facets walls of their own.

    Arguments as for ``ball_ball_contact``.
    """
    distances = closest_point_on_facet(piece.centre, wall.vertices).distance
    facet = wall.facet(jnp.argmin(distances, axis=-1))
    return ball_facet_contact(
        memory, piece, facet, time_step=time_step, update=update, dimension=dimension
    )


def _resolve(
    memory: ContactAxes,
    plane: ContactPlane,
    motion1: Motion,
    motion2: Motion,
    *,
    contact_mass: Real,
    radius: Real,
    time_step: Real,
    update: str,
    dimension: int,
) -> tuple[ContactState, ContactAxes]:
    axes = _axes(
        memory,
        plane.normal,
        motion1,
        motion2,
        time_step=time_step,
        update=update,
        dimension=dimension,
    )
    motion = relative_motion(motion1, motion2, location=plane.location, normal=plane.normal)
    increments = relative_increments(motion, axes=axes, time_step=time_step)
    state = ContactState(
        contact_mass=contact_mass,
        effective_radius=radius,
        location=plane.location,
        normal=plane.normal,
        s_axis=jnp.asarray(axes.s_axis),
        t_axis=jnp.asarray(axes.t_axis),
        gap=plane.gap,
        translational_velocity=motion.translational_velocity,
        rotational_velocity=motion.rotational_velocity,
        normal_increment=increments.normal,
        shear_increment=increments.shear,
        twist_increment=increments.twist,
        bend_increment=increments.bend,
    )
    return state, axes


def _axes(
    memory: ContactAxes,
    normal: jax.Array,
    motion1: Motion,
    motion2: Motion,
    *,
    time_step: Real,
    update: str,
    dimension: int,
) -> ContactAxes:
    """Axes of the contact plane in this step."""
    if dimension == 2:
        return planar_axes(normal)
    if dimension != 3:
        raise ValueError(f"dimension = {dimension!r} is neither 2 nor 3.")
    if update not in AXES_UPDATES:
        raise ValueError(
            f"update = {update!r} is not a way to turn the axes.{nearest(update, AXES_UPDATES)}"
        )
    known = ContactAxes(
        *(jnp.broadcast_to(jnp.asarray(axis, normal.dtype), normal.shape) for axis in memory)
    )
    spin = mean_spin(normal, motion1.angular_velocity, motion2.angular_velocity)
    return AXES_UPDATES[update](known, normal, spin=spin, time_step=time_step)
