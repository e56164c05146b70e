"""``ObjectContactSphereSphere`` piece by piece: which smooth branch acts, when it ends, and what it
remembers then.

With ``smooth`` the forces are smooth, and only touch-down and the end of first loading, which the
contact remembers, are events.

The mode says whether the contact is closed, slides or sticks, pushes or pulls, and which branch of
the adhesive plasticity acts. Between two events the forces are those of ``sphere_sphere_contact``
with a data node that says the same. So this is the limit of the program for short steps.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import Motion, Partner, Wrench
from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.core.pair_contact import Action, PairMemory
from jaxcontact.numerics.smooth import positive_power, safe_norm
from jaxcontact.systems.exudyn.data_node import DataNode
from jaxcontact.systems.exudyn.forces import (
    RESTITUTION_LAW_OF_IMPACT_MODEL,
    adhesive_plastic_branches,
    contact_forces,
    impact_force,
)
from jaxcontact.systems.exudyn.kinematics import Kinematics, sphere_sphere_kinematics

SWITCHES = ("gap", "slip", "tension", "yield", "adhesion")

OPEN, CLOSED = 0, 1
STICKS, SLIDES = 0, 1
PUSHES, PULLS = 0, 1
LOADING, ELASTIC, ADHESIVE = 0, 1, 2


class Mode(NamedTuple):
    """What ``PairMemory.mode`` says, by name."""

    closed: Any
    slides: Any
    pulls: Any
    branch: Any


class Kept(NamedTuple):
    """What ``PairMemory.kept`` says: the approach speed at touch-down [m/s], and the plastic
    overlap [m].
    """

    impact_velocity: Any
    plastic_overlap: Any


def kinematics_of(contact: Any, body0: Motion, body1: Partner) -> Kinematics:
    """At the contact of the two spheres."""
    r0, r1 = contact.spheresRadii[0], contact.spheresRadii[1]
    return sphere_sphere_kinematics(r0, r1, body0, body1, hollow=contact.isHollowSphere1)


def is_plastic(contact: Any) -> bool:
    """Whether the impact model is that of the adhesive plasticity."""
    return RESTITUTION_LAW_OF_IMPACT_MODEL[contact.impactModel] is None


def normal_force(contact: Any, kinematics: Kinematics, mode: Mode, kept: Kept) -> jax.Array:
    """Along the normal [N], positive when it repels, in the branch of the ``mode``."""
    overlap, overlap_rate = -kinematics.gap, -kinematics.normal_velocity
    data = DataNode(impact_velocity=kept.impact_velocity, plastic_overlap=kept.plastic_overlap)
    if is_plastic(contact):
        virgin, unloading, adhesion = adhesive_plastic_branches(contact, overlap, data)
        undamped = jnp.where(
            mode.branch == LOADING, virgin, jnp.where(mode.branch == ELASTIC, unloading, adhesion)
        )
        undamped = undamped - pull_off_force(contact)
    else:
        undamped = impact_force(contact, overlap, overlap_rate, data)
    return undamped + contact.contactDamping * overlap_rate


def pull_off_force(contact: Any) -> jax.Array:
    """The constant one that acts [N]."""
    if not contact.compatibility.adhesion_needs_plasticity:
        return jnp.asarray(contact.constantPullOffForce)
    plastic = jnp.not_equal(contact.contactPlasticityRatio, 0.0)
    return jnp.where(plastic, contact.constantPullOffForce, 0.0)


def begun(contact: Any, body0: Motion, body1: Partner) -> PairMemory:
    """With a data node of zeros at the start."""
    if not contact.compatibility.damping_pulls and contact.smooth is None:
        raise ValueError(
            "ObjectContactSphereSphere: compatibility.damping_pulls = False is not simulated. "
            "Leave it True, as the documentation and the program have it, or give smooth."
        )
    kinematics = kinematics_of(contact, body0, body1)
    closed = kinematics.gap < 0
    remembered = 0.0 if contact.compatibility.impact_needs_a_gap else -kinematics.normal_velocity
    kept = Kept(jnp.where(closed, remembered, 0.0), jnp.zeros_like(kinematics.gap))
    return touching(contact, kinematics, kept, closed)


def touching(contact: Any, kinematics: Kinematics, kept: Kept, closed: jax.Array) -> PairMemory:
    """The memory of a contact that begins, or of none."""
    mode = Mode(CLOSED, SLIDES, PUSHES, LOADING)
    tension = tension_sign(contact, kinematics, mode, kept)
    speed = safe_norm(kinematics.tangential_velocity)
    mode = Mode(
        closed,
        (speed >= contact.frictionProportionalZone) & (not contact.compatibility.any_slip_sticks),
        tension < 0,
        LOADING,
    )
    return PairMemory(_whole(mode), jnp.stack(kept), jnp.zeros(0, kinematics.gap.dtype))


def _whole(mode: Mode) -> jax.Array:
    return jnp.stack([jnp.asarray(part).astype(int) for part in mode])


def act(contact: Any, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
    """Forces and torques; friction acts at the middle of the overlap."""
    kinematics = kinematics_of(contact, body0, body1)
    mode, kept = Mode(*memory.mode), Kept(*memory.kept)
    if contact.smooth is not None:
        return smooth_action(contact, kinematics, mode, kept)
    force = normal_force(contact, kinematics, mode, kept)
    pressure = force
    if not contact.compatibility.friction_under_tension:
        pressure = jnp.where(mode.pulls == PULLS, 0.0, force)
    slip = kinematics.tangential_velocity
    speed, zone = safe_norm(slip), jnp.asarray(contact.frictionProportionalZone)
    scale = jnp.where(mode.slides == SLIDES, speed, zone)
    friction = -contact.dynamicFriction * pressure * slip / jnp.where(scale > 0, scale, 1.0)
    acts = (mode.closed == CLOSED) & contact.activeConnector
    force, friction = (
        jnp.where(acts, part, 0.0) for part in (force * kinematics.normal + friction, friction)
    )
    return Action(
        Wrench(-force, cross(kinematics.arm0, -friction)),
        Wrench(force, cross(kinematics.arm1, friction)),
        jnp.zeros(0, force.dtype),
    )


def smooth_action(contact: Any, kinematics: Kinematics, mode: Mode, kept: Kept) -> Action:
    """The smooth forces, whose plastic overlap follows the overlap while it grows."""
    plastic = jnp.where(
        mode.branch == LOADING, plastic_share(contact) * -kinematics.gap, kept.plastic_overlap
    )
    data = DataNode(impact_velocity=kept.impact_velocity, plastic_overlap=plastic)
    forces = contact_forces(contact, kinematics, data)
    return Action(
        forces.on_0,
        Wrench(forces.force_on_1, cross(kinematics.arm1, forces.friction_on_1)),
        jnp.zeros(0, kinematics.gap.dtype),
    )


def plastic_share(contact: Any) -> jax.Array:
    """Plastic overlap over the largest overlap [-]."""
    return positive_power(contact.contactPlasticityRatio, 1 / contact.contactStiffnessExponent)


def signs(contact: Any, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
    """Of ``SWITCHES``."""
    kinematics = kinematics_of(contact, body0, body1)
    mode, kept = Mode(*memory.mode), Kept(*memory.kept)
    closed = mode.closed == CLOSED
    rubs = closed & jnp.greater(contact.dynamicFriction, 0.0)
    gap = jnp.where(closed, -kinematics.gap, kinematics.gap)
    zone = jnp.asarray(contact.frictionProportionalZone)
    square = jnp.sum(kinematics.tangential_velocity**2) / jnp.where(zone > 0, zone, 1.0) ** 2
    slip = jnp.where(mode.slides == SLIDES, square - 1, 1 - square)
    if contact.compatibility.any_slip_sticks:
        slip = jnp.ones_like(slip)
    leaves = yield_signs(contact, kinematics, mode, kept)
    one = jnp.ones_like(gap)
    if contact.smooth is not None:
        return jnp.stack([gap, one, one, jnp.where(closed, leaves[0], one), one])
    return jnp.stack(
        [
            gap,
            jnp.where(rubs, slip, one),
            jnp.where(rubs, tension_sign(contact, kinematics, mode, kept), one),
            *(jnp.where(closed, sign, one) for sign in leaves),
        ]
    )


def tension_sign(contact: Any, kinematics: Kinematics, mode: Mode, kept: Kept) -> jax.Array:
    """Of the switch between pushing and pulling, without a zero at the end of a contact that does
    not pull; 1 where it makes no difference.
    """
    one = jnp.ones_like(kinematics.gap)
    if contact.compatibility.friction_under_tension:
        return one
    side = jnp.where(mode.pulls == PULLS, -1.0, 1.0)
    force = side * normal_force(contact, kinematics, mode, kept)
    damped = jnp.greater(contact.contactDamping, 0.0)
    if is_plastic(contact):
        adheres = (mode.branch != LOADING) & jnp.greater(contact.adhesionCoefficient, 0.0)
        return jnp.where(damped | (pull_off_force(contact) > 0) | adheres, force, one)
    # the damping of impact models 1 and 2 is a factor
    overlap = jnp.where(kinematics.gap < 0, -kinematics.gap, 1.0)
    data = DataNode(impact_velocity=kept.impact_velocity)
    both = [
        impact_force(contact, overlap, rate, data)
        for rate in (-kinematics.normal_velocity, jnp.zeros_like(overlap))
    ]
    return jnp.where(damped, force, side * both[0] / jnp.where(both[1] > 0, both[1], 1.0))


def yield_signs(
    contact: Any, kinematics: Kinematics, mode: Mode, kept: Kept
) -> tuple[jax.Array, jax.Array]:
    """Of the switches ``yield`` (first loading ends, or begins again) and ``adhesion`` (unloading
    goes over into adhesion, or comes back).
    """
    one = jnp.ones_like(kinematics.gap)
    if not is_plastic(contact):
        return one, one
    data = DataNode(plastic_overlap=kept.plastic_overlap)
    virgin, unloading, adhesion = adhesive_plastic_branches(contact, -kinematics.gap, data)
    first = jnp.where(
        mode.branch == LOADING,
        -kinematics.normal_velocity,
        jnp.where(mode.branch == ELASTIC, virgin - unloading, one),
    )
    second = jnp.where(
        mode.branch == ELASTIC,
        unloading - adhesion,
        jnp.where(mode.branch == ADHESIVE, adhesion - unloading, one),
    )
    yields = jnp.greater(contact.contactPlasticityRatio, 0.0)
    return jnp.where(yields, first, one), jnp.where(yields, second, one)


def crossed(
    contact: Any, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
) -> PairMemory:
    """From an event on."""
    kinematics = kinematics_of(contact, body0, body1)
    mode, kept = Mode(*memory.mode), Kept(*memory.kept)
    touches = mode.closed == OPEN
    # The impact velocity stays after separation, until the next impact.
    approach = jnp.where(touches, -kinematics.normal_velocity, kept.impact_velocity)
    at_gap = touching(
        contact, kinematics, Kept(approach, jnp.zeros_like(approach)), 1 - mode.closed
    )
    is_slip, is_tension, is_yield, is_adhesion = (switch == index for index in range(1, 5))
    turns = is_yield & (mode.branch == LOADING)
    branch = jnp.where(is_yield, jnp.where(turns, ELASTIC, LOADING), mode.branch)
    branch = jnp.where(is_adhesion, jnp.where(mode.branch == ELASTIC, ADHESIVE, ELASTIC), branch)
    within = Mode(
        mode.closed,
        jnp.where(is_slip, 1 - mode.slides, mode.slides),
        jnp.where(is_tension, 1 - mode.pulls, mode.pulls),
        branch,
    )
    plastic = jnp.where(turns, plastic_share(contact) * -kinematics.gap, kept.plastic_overlap)
    inside = PairMemory(_whole(within), jnp.stack([kept.impact_velocity, plastic]), memory.flow)
    return jax.tree.map(lambda new, old: jnp.where(switch == 0, new, old), at_gap, inside)
