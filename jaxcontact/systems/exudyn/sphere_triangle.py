"""Exudyn's ``ObjectContactSphereTriangle``: the force between sphere 0 and a triangle of body 1.

The normal points from the centre of the sphere to the closest point of the triangle, ``g`` is their
distance less the radius. The force laws are those of ``sphere_sphere`` without adhesive plasticity.
The slip is that of the surfaces at the point of the *triangle*, the forces act in the middle of the
overlap (arm ``r - d/2`` of the sphere): angular momentum is conserved, but the slip of a rolling
sphere is that of the shorter arm ``r - d``.

Source: J. Gerstmayr, Exudyn, reference manual (ObjectContactSphereTriangle), version 1.13, and
observed behaviour of the program.

Example:
    >>> from jaxcontact.geometry.rigid_motion import Motion
    >>> from jaxcontact.systems import exudyn
    >>> ball = Motion(jnp.array([0.2, 0.2, 0.099]), jnp.zeros(3), jnp.zeros(3))
    >>> ground = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
    >>> contact = exudyn.sphere_triangle.ObjectContactSphereTriangle(
    ...     radiusSphere=0.1,
    ...     trianglePoints=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    ...     contactStiffness=1e4,
    ... )
    >>> memory = exudyn.sphere_triangle.DataNode()
    >>> result = exudyn.sphere_triangle.sphere_triangle_contact(contact, ball, ground, memory)
    >>> print(f"{result.on_0.force[2]:.2f} N")
    10.00 N
"""

from typing import Any

import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, normal_and_tangential, velocity_at, wrench_at
from jaxcontact.geometry.rotation import rotate_by_quaternion
from jaxcontact.geometry.triangle import closest_point_on_triangle
from jaxcontact.laws.core.registry import law
from jaxcontact.numerics.smooth import Real
from jaxcontact.systems.exudyn.data_node import DataNode
from jaxcontact.systems.exudyn.forces import contact_forces, updated_data
from jaxcontact.systems.exudyn.kinematics import Kinematics
from jaxcontact.systems.exudyn.outputs import Contact, output_variables
from jaxcontact.systems.exudyn.parameters import ObjectContactSphereTriangle

_EDGES_OF_REGION = (5, 3, 6, 1, 2, 4, 8)
"""The edges of ``includeEdges`` (1, 2, 4) that the regions of ``geometry.triangle.REGIONS`` touch;
8 is the face, which always counts.
"""


def pair_kinematics(
    contact: ObjectContactSphereTriangle,
    body0: Motion,
    body1: Motion,
    orientation: Real | None = None,
) -> Kinematics:
    """Gap, normal, arms and relative velocity.

    Where the closest point lies on an edge that does not count, the gap is larger by the radius, so
    that there is no contact.
    """
    if contact.compatibility.spin_needs_friction:
        spin = jnp.where(
            jnp.equal(contact.dynamicFriction, 0.0), 0.0, jnp.asarray(body0.angular_velocity)
        )
        body0 = body0._replace(angular_velocity=spin)
    body0, body1 = Motion(*map(jnp.asarray, body0)), Motion(*map(jnp.asarray, body1))
    centre0, centre1 = jnp.asarray(body0.position), jnp.asarray(body1.position)
    vertices = jnp.asarray(contact.trianglePoints)
    vertices = centre1 + (
        vertices if orientation is None else rotate_by_quaternion(vertices, orientation)
    )
    closest = closest_point_on_triangle(centre0, vertices)
    counts = (jnp.asarray(_EDGES_OF_REGION)[closest.region] & (contact.includeEdges | 8)) != 0
    gap, normal = closest.distance - jnp.where(counts, contact.radiusSphere, 0.0), closest.direction
    slip_arm0, slip_arm1 = closest.point - centre0, closest.point - centre1
    along, across = normal_and_tangential(
        velocity_at(body1, slip_arm1) - velocity_at(body0, slip_arm0), normal
    )
    arm0 = jnp.add(contact.radiusSphere, gap / 2) * normal
    arm1 = centre0 + arm0 - centre1
    velocity = jnp.asarray(body1.velocity) - jnp.asarray(body0.velocity)
    return Kinematics(slip_arm0, gap, normal, arm0, arm1, along, across, velocity)


def sphere_triangle_data(
    contact: ObjectContactSphereTriangle,
    body0: Motion,
    body1: Motion,
    data: DataNode,
    *,
    orientation: Real | None = None,
) -> DataNode:
    """The data node after a step that ends in this motion; arguments as for
    ``sphere_triangle_contact``.
    """
    kinematics = pair_kinematics(contact, body0, body1, orientation)
    return updated_data(contact.as_spheres, kinematics, kinematics.tangential_velocity, data)


_EXAMPLE: Any = ObjectContactSphereTriangle(
    radiusSphere=1.0,
    trianglePoints=((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    contactStiffness=1e4,
    dynamicFriction=0.3,
    restitutionCoefficient=0.6,
    impactModel=2,
)
_SPHERE = Motion((0.3, 0.25, 0.5), (0.4, -0.2, -0.3), (1.0, -2.0, 3.0))


def _at(*position: float) -> Motion:
    return _SPHERE._replace(position=position)


@law(
    name="exudyn_sphere_triangle",
    family="Exudyn",
    source="Exudyn 1.13, ObjectContactSphereTriangle",
    smoothness=0,
    example={
        "contact": _EXAMPLE,
        "body0": _SPHERE,
        "body1": Motion((0.0, 0.0, 0.0), (0.1, 0.2, 0.3), (0.4, 0.3, -0.2)),
        "data": DataNode(-0.05, 0.5, 0.4, 0.0),
    },
    variants=({"body0": _at(0.5, -0.5, 0.2)},),
    switches=({"body0": _at(0.3, 0.25, 1.0)}, {"body0": _at(0.5, 0.0, 0.5)}),
    corners=(
        {"body0": _at(0.3, 0.25, 0.0)},
        {"body0": _at(0.0, 0.0, 0.0)},
        {"body0": _at(0.3, 0.25, 2.0)},
        {"body0": _at(-0.3, -0.2, 0.1)},
        {"contact": _EXAMPLE.replace(dynamicFriction=0.0)},
        {"contact": _EXAMPLE.replace(frictionProportionalZone=0.0)},
    ),
)
def sphere_triangle_contact(
    contact: ObjectContactSphereTriangle,
    body0: Motion,
    body1: Motion,
    data: DataNode,
    *,
    orientation: Real | None = None,
) -> Contact:
    """Forces and torques between a sphere and a triangle, and all output variables of the program.

    Zero force without overlap, with a jump at zero overlap if there is ``contactDamping``; kinks
    between face, edges and vertices. Linear and angular momentum are conserved. One contact;
    ``jax.vmap`` makes many of it.

    Args:
        contact: parameters.
        body0: motion of the sphere.
        body1: motion of the reference point of the triangle.
        data: what the contact remembers, from ``sphere_triangle_data``.
        orientation: unit quaternion of body 1, (4,), which turns ``trianglePoints`` into global
            axes; none, if they are in global axes.
    """
    kinematics = pair_kinematics(contact, body0, body1, orientation)
    forces = contact_forces(contact.as_spheres, kinematics, data)
    on_1 = wrench_at(forces.force_on_1, kinematics.arm1)
    velocity = kinematics.tangential_velocity + kinematics.normal_velocity * kinematics.normal
    position = jnp.asarray(body0.position) + kinematics.arm0
    return Contact(
        forces.on_0, on_1, output_variables(contact, kinematics, forces, position, velocity)
    )
