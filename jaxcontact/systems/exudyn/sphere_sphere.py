"""Exudyn's ``ObjectContactSphereSphere``: the force between two spheres.

With the gap ``g = h |p1 - p0| - (r0 + h r1)``, ``h = -1`` when sphere 1 is hollow around sphere 0
and else 1, the overlap ``d = -g``, the normal ``n = h (p1 - p0)/|p1 - p0|`` and the relative
velocity ``v_n n + v_t`` of the surfaces at the contact, the force on sphere 1 is::

    F = f_n n - mu f_n v_t / max(|v_t|, v_reg),     f_n = f_c - dc v_n,
    f_c = adhesive plastic force (laws.adhesive_plastic)                impactModel 0
    f_c = kc d^n (1 - a v_n/v)                                          impactModel 1 and 2

``v`` is the approach speed remembered from touch-down, not below ``minimumImpactVelocity``, and
``a`` the damping ratio: that of Hunt and Crossley (1975) in model 1, that of Carvalho and Martins
above ``e = 1/3`` and Gonthier's below in model 2. Damping may pull at the end of a contact. Under
tension there is no friction.

The overlap is shared between the spheres: the arms of slip and friction torque are ``r - d/2``, so
that angular momentum is conserved.

This is the documented contact. Where the program differs, ``compatibility`` says what to take from
it.

Source: J. Gerstmayr, Exudyn, reference manual (ObjectContactSphereSphere), version 1.13, and
observed behaviour of the program.

Example:
    >>> from jaxcontact.geometry.rigid_motion import Motion
    >>> from jaxcontact.systems import exudyn
    >>> first = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
    >>> second = Motion(jnp.array([0.249, 0.0, 0.0]), jnp.array([-0.5, 0.0, 0.0]), jnp.zeros(3))
    >>> contact = exudyn.ObjectContactSphereSphere(
    ...     spheresRadii=(0.125, 0.125), contactStiffness=1e4
    ... )
    >>> memory = exudyn.sphere_sphere.DataNode()
    >>> result = exudyn.sphere_sphere.sphere_sphere_contact(contact, first, second, memory)
    >>> print(f"{result.on_1.force[0]:.2f} N")
    10.00 N
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.rigid_motion import Motion, Wrench
from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.core.registry import law
from jaxcontact.systems.exudyn.data_node import DataNode
from jaxcontact.systems.exudyn.forces import contact_forces, updated_data
from jaxcontact.systems.exudyn.kinematics import Kinematics
from jaxcontact.systems.exudyn.outputs import Contact, output_variables
from jaxcontact.systems.exudyn.parameters import ObjectContactSphereSphere
from jaxcontact.systems.exudyn.sphere_sphere_modes import kinematics_of


def velocity_with_friction(
    contact: ObjectContactSphereSphere, kinematics: Kinematics, closed: jax.Array
) -> jax.Array:
    """Relative velocity [m/s], (3,): at the contact point in a closed contact with friction, else
    of the centres.
    """
    at_contact = kinematics.tangential_velocity + kinematics.normal_velocity * kinematics.normal
    return jnp.where(
        closed & jnp.not_equal(contact.dynamicFriction, 0.0),
        at_contact,
        kinematics.velocity_of_centres,
    )


def sphere_sphere_data(
    contact: ObjectContactSphereSphere, body0: Motion, body1: Motion, data: DataNode
) -> DataNode:
    """The data node after a step that ends in this motion; from ``DataNode()`` before the first.

    The memory of a contact: the impact velocity is that of the step in which the gap closes, the
    plastic overlap grows with the largest overlap and is forgotten at separation. One contact;
    ``jax.vmap`` makes many of it.
    """
    kinematics = kinematics_of(contact, body0, body1)
    slip = kinematics.tangential_velocity
    if contact.compatibility.spin_needs_friction:
        velocity = velocity_with_friction(contact, kinematics, kinematics.gap < 0.0)
        slip = velocity - kinematics.normal_velocity * kinematics.normal
    return updated_data(contact, kinematics, slip, data)


def _smoothness(contact: ObjectContactSphereSphere, body1: Motion, **_: object) -> float:
    """At touch-down by damping, pull-off force and exponent; elsewhere the kinks of friction and of
    the adhesive plasticity.
    """
    touches = np.asarray(body1.position)[0] == sum(contact.spheresRadii)
    if touches and (contact.contactDamping or contact.constantPullOffForce):
        return -1
    return math.ceil(contact.contactStiffnessExponent) - 1 if touches else 0


_DAMPED: Any = ObjectContactSphereSphere(
    spheresRadii=(0.1, 0.15),
    contactStiffness=1e4,
    contactStiffnessExponent=1.5,
    dynamicFriction=0.3,
    frictionProportionalZone=0.125,
    restitutionCoefficient=0.6,
    impactModel=2,
)
_PLASTIC: Any = _DAMPED.replace(
    impactModel=0,
    contactPlasticityRatio=0.5,
    constantPullOffForce=1.0,
    adhesionCoefficient=3e3,
    contactDamping=2.0,
    adhesionExponent=1.2,
)
_STILL = Motion((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
_SLIDING = Motion((0.2, 0.0, 0.0), (-0.3, 0.4, 0.1), (1.0, -2.0, 3.0))
_DATA = DataNode(-0.05, 0.5, 0.4, 0.01)


def _moved(**changes: tuple[float, float, float]) -> Motion:
    return _SLIDING._replace(**changes)


@law(
    name="exudyn_sphere_sphere",
    family="Exudyn",
    source="Exudyn 1.13, ObjectContactSphereSphere",
    smoothness=_smoothness,
    example={"contact": _DAMPED, "body0": _STILL, "body1": _SLIDING, "data": _DATA},
    variants=(
        {"contact": _PLASTIC},
        {"contact": _PLASTIC, "data": _DATA._replace(plastic_overlap=0.052)},
    ),
    switches=(
        {"body1": _moved(position=(0.25, 0.0, 0.0))},
        {"contact": _PLASTIC, "body1": _moved(position=(0.25, 0.0, 0.0))},
        {"body1": Motion((0.2, 0.0, 0.0), (-0.3, 0.125, 0.0), (0.0, 0.0, 0.0))},
    ),
    corners=(
        *({"body1": _STILL, "contact": contact} for contact in (_DAMPED, _PLASTIC)),
        {"body1": _moved(position=(0.3, 0.0, 0.0))},
        {"body1": _moved(position=(1e6, 0.0, 0.0))},
        {"body1": Motion((0.2, 0.0, 0.0), (-0.3, 0.0, 0.0), (0.0, 0.0, 0.0))},
        {"body1": Motion((0.2, 0.0, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.0))},
        {
            "body1": Motion((0.2, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            "data": DataNode(-0.05, 0.0, 0.0, 0.0),
        },
        {"contact": _DAMPED.replace(dynamicFriction=0.0)},
        {
            "contact": _DAMPED.replace(frictionProportionalZone=0.0),
            "body1": _moved(velocity=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.0)),
        },
        {"contact": _DAMPED.replace(restitutionCoefficient=1.0)},
        {"contact": _DAMPED.replace(restitutionCoefficient=1 / 3)},
        {"contact": _DAMPED.replace(restitutionCoefficient=0.01)},
        {
            "contact": _PLASTIC.replace(contactPlasticityRatio=0.0),
            "data": DataNode(-0.05, 0.5, 0.0, 0.0),
        },
        {"contact": _PLASTIC, "data": DataNode(-0.05, 0.125, 0.4, 0.0)},
    ),
)
def sphere_sphere_contact(
    contact: ObjectContactSphereSphere, body0: Motion, body1: Motion, data: DataNode
) -> Contact:
    """Forces and torques between two spheres, and all output variables of the program.

    Zero force without overlap. At zero overlap the force jumps with ``contactDamping`` or
    ``constantPullOffForce``, else it has ``ceil(n) - 1`` continuous derivatives; kinks at ``|v_t| =
    frictionProportionalZone`` and between the branches of the adhesive plasticity. Linear and
    angular momentum of the pair are conserved. One contact; ``jax.vmap`` makes many of it.

    Args:
        contact: parameters.
        body0: motion of sphere 0.
        body1: motion of sphere 1.
        data: what the contact remembers, from ``sphere_sphere_data``.
    """
    kinematics = kinematics_of(contact, body0, body1)
    forces = contact_forces(contact, kinematics, data)
    velocity = kinematics.velocity_of_centres
    if contact.compatibility.velocity_output_at_contact:
        velocity = jnp.where(
            forces.closed, velocity_with_friction(contact, kinematics, forces.closed), 0.0
        )
    position = jnp.asarray(body0.position) + kinematics.arm0
    on_1 = Wrench(forces.force_on_1, cross(kinematics.arm1, forces.friction_on_1))
    return Contact(
        forces.on_0, on_1, output_variables(contact, kinematics, forces, position, velocity)
    )
