"""The output variables of Exudyn's contact objects."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Wrench
from jaxcontact.systems.exudyn.forces import ContactForces
from jaxcontact.systems.exudyn.kinematics import Kinematics
from jaxcontact.systems.exudyn.parameters import (
    ObjectContactSphereSphere,
    ObjectContactSphereTriangle,
)


class OutputVariables(NamedTuple):
    """Under the program's names; vectors have the shape (3,). What some of them mean depends on
    ``Compatibility``.

    Attributes:
        Displacement: from the centre of sphere 0 to that of sphere 1 [m], or to the closest point
            of a triangle.
        DisplacementLocal: ``(0, 0, gap)`` or ``(gap,)`` [m].
        Velocity: relative velocity [m/s].
        Director1: unit normal from body 0 to body 1 (called ``Director3`` in older versions).
        Position: contact point, in the middle of the overlap [m].
        Force: [N].
        Torque: due to friction [N m].
    """

    Displacement: jax.Array
    DisplacementLocal: jax.Array
    Velocity: jax.Array
    Director1: jax.Array
    Position: jax.Array
    Force: jax.Array
    Torque: jax.Array


class Contact(NamedTuple):
    """What acts on the two bodies, and the program's output variables.

    Attributes:
        on_0: force [N] and torque [N m] on body 0 about its centre.
        on_1: on body 1, about its centre or reference point.
        outputs: under the program's names.
    """

    on_0: Wrench
    on_1: Wrench
    outputs: OutputVariables


def output_variables(
    contact: ObjectContactSphereSphere | ObjectContactSphereTriangle,
    kinematics: Kinematics,
    forces: ContactForces,
    position: jax.Array,
    velocity: jax.Array,
) -> OutputVariables:
    """All outputs, with the program's sign of force and torque where it is asked for."""
    compatibility, gap = contact.compatibility, kinematics.gap
    alone = compatibility.gap_alone_in_displacement_local
    return OutputVariables(
        Displacement=kinematics.displacement,
        DisplacementLocal=gap[None]
        if alone
        else jnp.zeros_like(kinematics.displacement).at[2].set(gap),
        Velocity=velocity,
        Director1=kinematics.normal,
        Position=position,
        Force=forces.on_0.force if compatibility.force_output_on_body_0 else forces.force_on_1,
        Torque=-forces.on_0.torque if compatibility.torque_output_negated else forces.on_0.torque,
    )
