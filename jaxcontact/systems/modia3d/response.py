"""Forces and torques of a contact, and its memory.

With the normal ``n`` out of solid 1 and into solid 2, the contact point ``r_c`` midway between the
two surfaces, the relative velocity ``v = v2 - v1`` of the solids there, its part ``v_t`` normal to
``n``, the overlap rate ``d' = -v . n`` and the relative angular velocity ``w = w2 - w1``, solid 2
gets at ``r_c``::

    f = f_n n - mu_k f_n v_t/reg(|v_t|, vsmall),        tau = -mu_r mu_r_geo f_n w/reg(|w|, wsmall),
    f_n = max(0, c_res c_geo d^1.5 (1 + d_res d')),

and solid 1 the opposite. ``reg(x, s)`` is ``x`` from ``s`` on and ``(x^2/s)(1 - x/(3 s)) + s/3``
below. The torque takes all of ``w``: it resists spinning about the normal as it does rolling. Both
solids feel the force at the same point: linear and angular momentum of the pair are conserved to
rounding.
"""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.contact_plane import ContactPlane
from jaxcontact.geometry.relative_motion import relative_motion
from jaxcontact.geometry.rigid_motion import Motion, Partner, Wrench, wrench_at
from jaxcontact.laws.core.smoothing import Smoothing, gated
from jaxcontact.laws.friction.coulomb import MODIA3D
from jaxcontact.laws.normal.elastic import hertz_force
from jaxcontact.numerics.smooth import Real, eased_positive_part
from jaxcontact.systems.modia3d.normal_force import normal_force
from jaxcontact.systems.modia3d.response_material import (
    ElasticContactPairResponseMaterial,
    response_material,
)

if TYPE_CHECKING:
    from jaxcontact.systems.modia3d.elastic_contact import ElasticContact


def reg(absolute_value: Real, small_value: Real) -> jax.Array:
    """``reg(x, s)``: ``x`` for ``x >= s``, otherwise ``(x^2/s)(1 - x/(3 s)) + s/3``. Elementwise,
    two continuous derivatives at ``x = s``.

    Args:
        absolute_value: ``x >= 0``.
        small_value: ``s > 0``, the unit of ``x``.

    Returns:
        ``reg(x, s)``, in the unit of ``x``.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> print(f"{modia3d.reg(0.5, 0.01):.3f} {modia3d.reg(0.0, 0.01):.5f}")
        0.500 0.00333
    """
    return jnp.divide(small_value, MODIA3D.secant(absolute_value / small_value))


def regularized_unit_vector(vector: Real, small_value: Real) -> jax.Array:
    """``x/reg(|x|, s)``, ``(..., 3)``: of length 1 for ``|x| >= s``, and ``3 x/s`` about 0. Two
    continuous derivatives.

    Args:
        vector: ``x``, ``(..., 3)``.
        small_value: ``s > 0``, the unit of ``x``.

    Returns:
        ``(..., 3)`` [-].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> print(modia3d.regularized_unit_vector(jnp.array([3.0, 0.0, 4.0]), 0.01))
        [0.6 0.  0.8]
    """
    return MODIA3D.direction(vector, small_value)


class ContactMemory(NamedTuple):
    """What a contact remembers.

    Attributes:
        impact_speed: magnitude of the normal velocity when the contact started [m/s], ``(...)``;
            negative where there is no contact.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> modia3d.ContactMemory()
        ContactMemory(impact_speed=-1.0)
    """

    impact_speed: Real = -1.0


class Response(NamedTuple):
    """Forces of a contact; ``(...)`` or ``(..., 3)``.

    Attributes:
        wrench1: on solid 1, about its reference point.
        wrench2: on solid 2, about its reference point.
        normal_force: ``f_n`` [N].
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s], positive while compressing.
        resistance_torque: ``tau`` on solid 2 [N m], which is part of ``wrench2``.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.0599, 0, 0]), jnp.array([-0.5, 0, 0]), jnp.zeros(3))
        >>> response, memory = modia3d.sphere_sphere_response(
        ...     modia3d.ContactMemory(), contact, first, second
        ... )
        >>> print(f"overlap {1e3 * response.overlap:.2f} mm, {response.overlap_rate:.1f} m/s")
        overlap 0.10 mm, 0.5 m/s
    """

    wrench1: Wrench
    wrench2: Wrench
    normal_force: Annotated[jax.Array, ""]
    overlap: Annotated[jax.Array, ""]
    overlap_rate: Annotated[jax.Array, ""]
    resistance_torque: Annotated[jax.Array, "3"]


def response_calculation(
    material: ElasticContactPairResponseMaterial,
    motion1: Motion,
    motion2: Partner,
    plane: ContactPlane,
    *,
    contactEpsilon: Real = 0.0,
    tension: bool = False,
    smooth: Smoothing | None = None,
) -> Response:
    """Forces and torques from the coefficients of a contact that lasts. Conserves angular momentum.

    Args:
        material: coefficients, from ``response_material``.
        motion1: of the reference point of solid 1: its centre of mass, or the origin of its frame,
            as the torque is to refer to.
        motion2: of that of solid 2.
        plane: contact point, normal from 1 to 2 and gap.
        contactEpsilon: added to the overlap [m].
        tension: see ``normal_force``.
        smooth: rounds off the maximum and the begin of the contact; ``None``, the default, is the
            documented form.

    Returns:
        Forces and torques on both solids.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.0599, 0, 0]), jnp.array([-0.5, 0, 0]), jnp.zeros(3))
        >>> plane = modia3d.sphere_sphere_plane(first, second, radius1=0.03, radius2=0.03)
        >>> material = modia3d.response_material(contact, 0.5)
        >>> response = modia3d.response_calculation(material, first, second, plane)
        >>> print(f"{response.normal_force:.0f} N")
        30250 N
    """
    motion = relative_motion(motion1, motion2, location=plane.location, normal=plane.normal)
    overlap, overlap_rate = jnp.subtract(contactEpsilon, plane.gap), -motion.normal
    along = _along(material, overlap, overlap_rate, tension=tension, smooth=smooth)

    def opposing(coefficient: Real, vector: jax.Array, small_value: Real) -> jax.Array:
        # Not laws.friction.friction_force, because under tension the program's friction drives.
        return -jnp.expand_dims(coefficient * along, -1) * regularized_unit_vector(
            vector, small_value
        )

    force = along[..., None] * plane.normal + opposing(material.mu_k, motion.shear, material.vsmall)
    torque = opposing(
        material.mu_r * material.mu_r_geo, motion.rotational_velocity, material.wsmall
    )

    def wrench(sign: float, body: Partner) -> Wrench:
        acting = wrench_at(sign * force, plane.location - jnp.asarray(body.position))
        return Wrench(acting.force, acting.torque + sign * torque)

    return Response(
        wrench(-1.0, motion1), wrench(1.0, motion2), along, overlap, overlap_rate, torque
    )


def _along(
    material: ElasticContactPairResponseMaterial,
    overlap: jax.Array,
    overlap_rate: jax.Array,
    *,
    tension: bool,
    smooth: Smoothing | None,
) -> jax.Array:
    """``f_n`` [N]. Smooth, ``max(1 + d_res d', 0)`` eases in from 0 to ``share``."""
    stiffness = material.c_res * material.c_geo
    if smooth is None:
        return normal_force(
            overlap,
            overlap_rate,
            stiffness=stiffness,
            dissipation=material.d_res,
            tension=tension,
        )
    factor = 1.0 + material.d_res * overlap_rate
    if not tension:
        factor = eased_positive_part(factor, smooth.share)
    (along,) = gated(
        smooth, overlap, hertz_force(smooth.within(overlap), stiffness=stiffness) * factor
    )
    return along


def contact_response(
    memory: ContactMemory,
    contact: "ElasticContact",
    motion1: Motion,
    motion2: Partner,
    plane: ContactPlane,
) -> tuple[Response, ContactMemory]:
    """Forces and torques between two solids, and the memory afterwards. Conserves angular momentum.

    A contact that is not remembered starts where the overlap is positive, with the normal velocity
    of that moment; it lasts, with this impact speed, until the overlap is no longer positive. In a
    scheme of fixed steps pass the memory on from step to step. A scheme that locates the start and
    the end of contacts calls ``contact_start`` there and keeps the memory in between.

    The force has one continuous derivative in the overlap (two with ``smooth``) and two in slip and
    angular velocity. The
    memory jumps where contacts start and end, and with the memory of no contact the damping follows
    from the velocity now.

    Args:
        memory: of this pair; ``ContactMemory()`` at first.
        contact: parameters.
        motion1: of the reference point of solid 1.
        motion2: of that of solid 2.
        plane: contact point, normal from 1 to 2 and gap, e.g. from ``sphere_sphere_plane`` or
            ``sphere_plane_plane``.

    Returns:
        Forces and torques on both solids, and the memory after the step.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.0599, 0, 0]), jnp.array([-0.5, 0, 0]), jnp.zeros(3))
        >>> plane = modia3d.sphere_sphere_plane(first, second, radius1=0.03, radius2=0.03)
        >>> response, memory = modia3d.contact_response(
        ...     modia3d.ContactMemory(), contact, first, second, plane
        ... )
        >>> print(f"the contact began at {memory.impact_speed:.1f} m/s")
        the contact began at 0.5 m/s
    """
    remembered = jnp.greater_equal(memory.impact_speed, 0.0)
    impact_speed = jnp.where(
        remembered, memory.impact_speed, contact_start(motion1, motion2, plane).impact_speed
    )
    touches = contact.contactEpsilon - plane.gap > 0.0
    material = response_material(contact, impact_speed)
    material = material._replace(c_res=jnp.where(remembered | touches, material.c_res, 0.0))
    response = response_calculation(
        material,
        motion1,
        motion2,
        plane,
        contactEpsilon=contact.contactEpsilon,
        tension=contact.tension,
        smooth=contact.smooth,
    )
    return response, ContactMemory(jnp.where(touches, impact_speed, -1.0))


def contact_start(motion1: Motion, motion2: Partner, plane: ContactPlane) -> ContactMemory:
    """The memory of a contact that starts now. Arguments as for ``contact_response``.

    Args:
        motion1: of the reference point of solid 1.
        motion2: of that of solid 2.
        plane: contact point, normal from 1 to 2 and gap.

    Returns:
        The memory of a contact that starts now.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import modia3d
        >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> second = Motion(jnp.array([0.0599, 0, 0]), jnp.array([-0.5, 0, 0]), jnp.zeros(3))
        >>> plane = modia3d.sphere_sphere_plane(first, second, radius1=0.03, radius2=0.03)
        >>> print(f"{modia3d.contact_start(first, second, plane).impact_speed:.1f} m/s")
        0.5 m/s
    """
    return ContactMemory(
        jnp.abs(
            relative_motion(motion1, motion2, location=plane.location, normal=plane.normal).normal
        )
    )
