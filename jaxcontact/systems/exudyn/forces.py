"""The force laws of Exudyn's contact objects, composed of the shared ones; what decides between
documentation and program is here.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.rigid_motion import Wrench
from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.core.damping_maps import RESTITUTION_LAWS
from jaxcontact.laws.core.smoothing import gated
from jaxcontact.laws.friction.slider import smooth_direction
from jaxcontact.laws.normal.adhesive_plastic import (
    Branches,
    PlasticOverlap,
    active_branch,
    branches,
    smooth_active_branch,
    updated_plastic_overlap,
)
from jaxcontact.laws.normal.damping import hunt_crossley_force
from jaxcontact.laws.normal.elastic import power_law_force
from jaxcontact.numerics.smooth import (
    Real,
    eased_positive_part,
    positive_part,
    rounded_maximum,
    safe_norm,
    smooth_step,
)
from jaxcontact.parameters import is_concrete
from jaxcontact.systems.exudyn.damping_ratio import smooth_mixed_damping_ratio
from jaxcontact.systems.exudyn.data_node import DataNode
from jaxcontact.systems.exudyn.kinematics import Kinematics

RESTITUTION_LAW_OF_IMPACT_MODEL = {
    0: None,
    1: RESTITUTION_LAWS["hunt_crossley_1975"],
    2: RESTITUTION_LAWS["exudyn_mixed"],
}
"""What ``restitutionCoefficient`` means in each ``impactModel``; without a law it is not used."""


class ContactForces(NamedTuple):
    """What acts between two bodies, before it is put into the program's outputs."""

    closed: jax.Array
    on_0: Wrench
    force_on_1: jax.Array
    friction_on_1: jax.Array


def adhesive_plastic_branches(contact: Any, overlap: jax.Array, data: DataNode) -> Branches:
    """The forces of impact model 0 without damping and pull-off force, between which it chooses."""
    adhesion_exponent = contact.adhesionExponent
    if contact.compatibility.adhesion_exponent_needs_stiffness_exponent:
        adhesion_exponent = jnp.where(
            jnp.equal(contact.contactStiffnessExponent, 1.0), 1.0, adhesion_exponent
        )
    return branches(
        PlasticOverlap(data.plastic_overlap),
        overlap,
        stiffness=contact.contactStiffness,
        exponent=contact.contactStiffnessExponent,
        plasticity_ratio=contact.contactPlasticityRatio,
        adhesion_stiffness=contact.adhesionCoefficient,
        adhesion_exponent=adhesion_exponent,
    )


def adhesive_plastic_force(
    contact: Any, overlap: jax.Array, data: DataNode
) -> tuple[jax.Array, jax.Array]:
    """Force of impact model 0 without damping [N], and how often the damping force is counted."""
    compatibility, ratio = contact.compatibility, contact.contactPlasticityRatio
    choices, times = adhesive_plastic_branches(contact, overlap, data), jnp.ones_like(overlap)
    if contact.smooth is None:
        force = active_branch(choices)
    else:
        force = smooth_active_branch(choices, contact.smooth.share * ratio * choices.virgin)
    if compatibility.damping_twice_at_equal_branches:
        equal = (
            (choices.unloading == choices.adhesion)
            & (choices.unloading < choices.virgin)
            & jnp.not_equal(ratio, 0.0)
        )
        force, times = jnp.where(equal, choices.virgin, force), jnp.where(equal, 2.0, times)
    force = force - contact.constantPullOffForce
    if compatibility.adhesion_needs_plasticity and contact.smooth is None:
        force = jnp.where(jnp.equal(ratio, 0.0), choices.virgin, force)
    elif compatibility.adhesion_needs_plasticity:
        acts = smooth_step(jnp.asarray(ratio), contact.smooth.share)
        force = choices.virgin + (force - choices.virgin) * acts
    return force, times


def impact_force(
    contact: Any, overlap: jax.Array, overlap_rate: jax.Array, data: DataNode
) -> jax.Array:
    """``kc d^n (1 + a d'/v)`` [N] of the impact models 1 and 2, odd in the overlap; without damping
    while ``v`` is not positive.
    """
    law = RESTITUTION_LAW_OF_IMPACT_MODEL[contact.impactModel]
    assert law is not None
    ratio = law.damping_ratio(contact.restitutionCoefficient)
    if contact.smooth is not None and law.name == "exudyn_mixed":
        ratio = smooth_mixed_damping_ratio(
            contact.restitutionCoefficient, smoothing=contact.smooth.share
        )
    parameters = {
        "stiffness": contact.contactStiffness,
        "exponent": contact.contactStiffnessExponent,
        "dissipation": dissipation(contact, ratio, data.impact_velocity),
    }
    # A negative overlap is met where the program still counts a contact as closed.
    return jnp.sign(overlap) * hunt_crossley_force(jnp.abs(overlap), overlap_rate, **parameters)


def check_impact_velocity(contact: Any, kinematics: Kinematics, data: DataNode) -> None:
    """Raise ``ValueError`` where a closed contact would have no damping because no impact velocity
    is remembered. Nothing where values are not known.
    """
    known = (
        kinematics.gap,
        data.impact_velocity,
        contact.minimumImpactVelocity,
        contact.restitutionCoefficient,
    )
    if (
        RESTITUTION_LAW_OF_IMPACT_MODEL[contact.impactModel] is None
        or contact.compatibility.impact_needs_a_gap
        or contact.smooth is not None
        or not all(map(is_concrete, known))
    ):
        return
    gap, remembered, least, restitution = map(np.asarray, known)
    if np.any((gap < 0) & (remembered <= 0) & (least <= 0) & (restitution < 1)):
        raise ValueError(
            f"{type(contact).__name__}: impact_velocity = {remembered} in a closed contact of "
            f"impactModel {contact.impactModel} leaves it without damping. Take the DataNode from "
            "the data function in the step in which the contact closes, or give a positive "
            "minimumImpactVelocity."
        )


def dissipation(contact: Any, ratio: Real, remembered: Real) -> jax.Array:
    """``a/v`` [s/m] of the damping ratio ``a`` and the ``remembered`` impact velocity, not below
    ``minimumImpactVelocity``; 0 while ``v`` is not positive.

    Smooth, the maximum is rounded off over ``speed``, and ``a/v`` falls to 0 below that.
    """
    smooth, least = contact.smooth, contact.minimumImpactVelocity
    if smooth is None:
        velocity = jnp.maximum(remembered, least)
    else:
        velocity = rounded_maximum(remembered, least, smooth.speed)
        ratio = ratio * smooth_step(velocity, smooth.speed)
    moved = velocity > 0.0
    return jnp.where(moved, ratio / jnp.where(moved, velocity, 1.0), 0.0)


def cut(contact: Any, force: jax.Array, overlap: jax.Array) -> jax.Array:
    """``max(force, 0)`` [N], smooth from 0 to the ``share`` of the spring's force, and of the
    dashpot's at ``speed``.
    """
    if contact.smooth is None:
        return positive_part(force)
    spring = power_law_force(
        overlap, stiffness=contact.contactStiffness, exponent=contact.contactStiffnessExponent
    )
    width = contact.smooth.share * (spring + contact.contactDamping * contact.smooth.speed)
    return eased_positive_part(force, width)


def normal_force(contact: Any, kinematics: Kinematics, data: DataNode) -> jax.Array:
    """Force along the normal [N], positive when it repels, of a closed contact."""
    overlap, overlap_rate = overlap_of(contact, kinematics), -kinematics.normal_velocity
    damping = contact.contactDamping * overlap_rate
    if RESTITUTION_LAW_OF_IMPACT_MODEL[contact.impactModel] is None:
        undamped, times = adhesive_plastic_force(contact, overlap, data)
        force = undamped + times * damping
        attraction = -cut(contact, -undamped, overlap)
    else:
        force = impact_force(contact, overlap, overlap_rate, data) + damping
        attraction = jnp.zeros_like(force)
    if contact.compatibility.damping_pulls:
        return force
    return attraction + cut(contact, force - attraction, overlap)


def overlap_of(contact: Any, kinematics: Kinematics) -> jax.Array:
    """``d`` [m]."""
    overlap = -kinematics.gap
    return overlap if contact.smooth is None else contact.smooth.within(overlap)


def friction_force(
    contact: Any, kinematics: Kinematics, normal_force: jax.Array, data: DataNode
) -> jax.Array:
    """``-mu f_n v_t/v_reg`` on body 1 [N], (3,), while sticking, ``-mu f_n v_t/|v_t|`` while
    sliding.
    """
    slip = kinematics.tangential_velocity
    speed = safe_norm(slip)
    zone, compatibility, smooth = (
        contact.frictionProportionalZone,
        contact.compatibility,
        contact.smooth,
    )
    pressure = normal_force
    if not compatibility.friction_under_tension:
        pressure = cut(contact, normal_force, overlap_of(contact, kinematics))
    if smooth is not None:
        return (
            -contact.dynamicFriction
            * pressure
            * smooth_direction(slip, zone=zone, speed=smooth.speed, smoothing=smooth.share)
        )
    sticks = jnp.less(
        data.tangential_velocity if compatibility.decides_by_data_node else speed, zone
    )
    if compatibility.any_slip_sticks:
        sticks = jnp.not_equal(data.tangential_velocity, 0.0)
    scale = jnp.where(sticks, zone, speed)
    return -contact.dynamicFriction * pressure * slip / jnp.where(scale > 0.0, scale, 1.0)


def contact_forces(contact: Any, kinematics: Kinematics, data: DataNode) -> ContactForces:
    """Forces on both bodies and the torque on sphere 0: that of the friction force alone, as the
    normal force has no arm.
    """
    check_impact_velocity(contact, kinematics, data)
    by_data_node = contact.compatibility.decides_by_data_node
    closed = jnp.less(data.gap if by_data_node else kinematics.gap, 0.0)
    active = closed if contact.activeConnector else jnp.zeros_like(closed)
    along = jnp.where(active, normal_force(contact, kinematics, data), 0.0)
    friction = friction_force(contact, kinematics, along, data)
    along, friction = gated(contact.smooth, -kinematics.gap, along, friction)
    force = along * kinematics.normal + friction
    return ContactForces(closed, Wrench(-force, cross(kinematics.arm0, -friction)), force, friction)


def updated_data(contact: Any, kinematics: Kinematics, slip: jax.Array, data: DataNode) -> DataNode:
    """The data node after a step that ends with these kinematics; ``slip`` is the tangential
    velocity to be remembered [m/s], (3,).

    The impact velocity is remembered in the step in which the contact closes.
    """
    gap = kinematics.gap
    was_open = (
        jnp.greater(data.gap, 0.0)
        if contact.compatibility.impact_needs_a_gap
        else jnp.greater_equal(data.gap, 0.0)
    )
    closes = was_open & (gap <= 0.0)
    plastic = updated_plastic_overlap(
        PlasticOverlap(data.plastic_overlap),
        -gap,
        exponent=contact.contactStiffnessExponent,
        plasticity_ratio=contact.contactPlasticityRatio,
    )
    return DataNode(
        gap=gap,
        tangential_velocity=safe_norm(slip),
        impact_velocity=jnp.where(closes, -kinematics.normal_velocity, data.impact_velocity),
        plastic_overlap=jnp.where(
            jnp.equal(contact.contactPlasticityRatio, 0.0), 0.0, plastic.plastic_overlap
        ),
    )
