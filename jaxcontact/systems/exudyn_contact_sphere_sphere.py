"""Exudyn's ``ObjectContactSphereSphere``: what the program computes for two spheres, under its own parameter names.

With the gap ``g = h |p1 - p0| - (r0 + h r1)``, ``h = -1`` when sphere 1 is hollow around sphere 0 and else 1, the overlap ``d = -g``, the
normal ``n = h (p1 - p0)/|p1 - p0|`` and the relative velocity ``v_n n + v_t`` of the surfaces at the contact, the force on sphere 1 is::

    F = f_n n - mu f_n v_t / max(|v_t|, v_reg),
    f_n = kc [d]^n (1 - a v_n/v) - dc v_n,      [d]^n = sign(d) |d|^n,

``v`` the approach speed remembered from touch-down, not below ``minimumImpactVelocity``, and ``a`` the damping ratio of the impact model:
0 for model 0, that of Hunt and Crossley (1975) for 1, that of Carvalho and Martins (above ``e = 1/3``, Gonthier below) for 2. The program
does not cut off tension, and friction follows the sign of ``f_n``: where the contact pulls, friction drives the sliding.

The overlap is shared between the spheres: the arms of slip and friction torque are ``r - d/2``, so that angular momentum is conserved.

Impact model 0 with ``contactPlasticityRatio > 0`` (adhesive plasticity) is not here yet; without it the program ignores
``constantPullOffForce``, ``adhesionCoefficient`` and ``adhesionExponent``.

Source: J. Gerstmayr, Exudyn 1.13.6, reference manual and observed behaviour of the program; where they differ, the program.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.field import model, parameter, static
from jaxcontact.laws.damping import hunt_crossley_force
from jaxcontact.laws.elastic import power_law_force
from jaxcontact.laws.restitution import RESTITUTION_LAWS
from jaxcontact.smooth import safe_norm

RESTITUTION_LAW_OF_IMPACT_MODEL = {0: None, 1: RESTITUTION_LAWS["hunt_crossley_1975"], 2: RESTITUTION_LAWS["exudyn_mixed"]}
"""What ``restitutionCoefficient`` means in each ``impactModel``; without a law it is not used."""


@model
class ObjectContactSphereSphere:
    """Parameters of the program's contact between two spheres, with the program's names and defaults.

    ``restitutionCoefficient`` is nominal: what an impact gives is ``laws.restitution.obtained_restitution`` of the damping ratio, provided
    that ``contactDamping`` is 0.
    """

    spheresRadii: Any = parameter(unit="m", label="radii of sphere 0 and sphere 1", symbol="r0, r1", interval="(0, inf)", shape=(2,))
    contactStiffness: Any = parameter(
        unit="N/m^n", label="contact stiffness", symbol="kc", interval="[0, inf)", transform="log", default=0.0
    )
    contactDamping: Any = parameter(unit="N s/m", label="linear damping", symbol="dc", interval="[0, inf)", transform="log", default=0.0)
    contactStiffnessExponent: Any = parameter(
        unit="-", label="exponent of the overlap", symbol="n", interval="(0, inf)", transform="log", default=1.0
    )
    dynamicFriction: Any = parameter(unit="-", label="friction coefficient", symbol="mu", interval="[0, inf)", transform="log", default=0.0)
    frictionProportionalZone: Any = parameter(
        unit="m/s", label="slip velocity of the regularisation", symbol="v_reg", interval="[0, inf)", transform="log", default=1e-3
    )
    restitutionCoefficient: Any = parameter(
        unit="-",
        label="nominal restitution",
        symbol="e",
        interval="(0, 1]",
        transform="logit",
        default=1.0,
        remedy="Used by impact models 1 and 2 only, but the program refuses 0 in all of them.",
    )
    minimumImpactVelocity: Any = parameter(
        unit="m/s", label="lower bound of the impact velocity", symbol="v_min", interval="[0, inf)", transform="log", default=0.0
    )
    impactModel: int = static(default=0)
    isHollowSphere1: bool = static(default=False)

    def __post_init__(self) -> None:
        if self.impactModel not in RESTITUTION_LAW_OF_IMPACT_MODEL:
            raise ValueError(
                f"ObjectContactSphereSphere: impactModel = {self.impactModel!r} is not one of 0 (power law), 1 (Hunt and Crossley),"
                " 2 (Carvalho and Martins, and Gonthier)."
            )

    @property
    def orientation(self) -> float:
        """``h``: -1 when sphere 1 is hollow around sphere 0, else 1."""
        return -1.0 if self.isHollowSphere1 else 1.0


class Body(NamedTuple):
    """Motion of the centre of a sphere in the global frame; shapes (3,): position [m], velocity [m/s], angular velocity [rad/s]."""

    position: jax.Array
    velocity: jax.Array
    angular_velocity: jax.Array


class DataNode(NamedTuple):
    """What the program remembers of a contact, in the order of its data node; all zero at first.

    A contact that begins in overlap has no ``impact_velocity``, so it is not damped by the impact models: start with a positive ``gap``.

    Attributes:
        gap: gap [m] at the last update; the contact acts where it is negative.
        tangential_velocity: magnitude of the tangential velocity [m/s] at the last update; below ``frictionProportionalZone`` friction is
            proportional to the slip.
        impact_velocity: approach speed at touch-down [m/s].
        plastic_overlap: [m], of the adhesive plasticity.
    """

    gap: Any = 0.0
    tangential_velocity: Any = 0.0
    impact_velocity: Any = 0.0
    plastic_overlap: Any = 0.0


class Kinematics(NamedTuple):
    """How two spheres lie and move against each other.

    Attributes:
        displacement: from centre 0 to centre 1 [m], (3,).
        gap: [m], negative in overlap.
        normal: unit normal from sphere 0 to sphere 1, (3,); zero when the centres coincide.
        arm0: from centre 0 to the contact point [m], (3,).
        arm1: from centre 1 to the contact point [m], (3,).
        normal_velocity: rate of the gap [m/s], negative on approach.
        tangential_velocity: velocity of the surface of sphere 1 at the contact, against that of sphere 0, normal to ``normal`` [m/s], (3,).
    """

    displacement: jax.Array
    gap: jax.Array
    normal: jax.Array
    arm0: jax.Array
    arm1: jax.Array
    normal_velocity: jax.Array
    tangential_velocity: jax.Array


class SphereSphereContact(NamedTuple):
    """Forces and geometry of a contact, in the program's output variables and by body. Vectors have the shape (3,).

    Attributes:
        force_on_1: [N]. On body 0 acts its negative.
        torque_on_0: about centre 0 [N m].
        torque_on_1: about centre 1 [N m].
        gap: output ``DisplacementLocal`` [m].
        displacement: output ``Displacement`` [m].
        velocity: output ``Velocity`` [m/s]: relative velocity at the contact with friction, of the centres without, zero without contact.
        normal: output ``Director1``.
        position: output ``Position``, the contact point [m].
    """

    force_on_1: jax.Array
    torque_on_0: jax.Array
    torque_on_1: jax.Array
    gap: jax.Array
    displacement: jax.Array
    velocity: jax.Array
    normal: jax.Array
    position: jax.Array

    @property
    def force(self) -> jax.Array:
        """The program's output ``Force``: the force on body 0 [N]."""
        return -self.force_on_1

    @property
    def torque(self) -> jax.Array:
        """The program's output ``Torque``: *minus* the torque on body 0 [N m]."""
        return -self.torque_on_0


def pair_kinematics(contact: ObjectContactSphereSphere, body0: Body, body1: Body) -> Kinematics:
    """Gap, normal, arms and relative velocity at the contact."""
    h = contact.orientation
    r0, r1 = contact.spheresRadii[0], contact.spheresRadii[1]
    displacement = body1.position - body0.position
    distance = safe_norm(displacement)
    gap = h * distance - (r0 + h * r1)
    normal = h * displacement / jnp.where(distance > 0.0, distance, 1.0)
    arm0 = (r0 + gap / 2) * normal
    arm1 = -h * (r1 + h * gap / 2) * normal
    surface0 = body0.velocity + jnp.cross(body0.angular_velocity, arm0)
    surface1 = body1.velocity + jnp.cross(body1.angular_velocity, arm1)
    normal_velocity = normal @ (body1.velocity - body0.velocity)
    tangential = surface1 - surface0 - normal_velocity * normal
    return Kinematics(displacement, gap, normal, arm0, arm1, normal_velocity, tangential)


def signed_power_law_force(overlap: Any, *, stiffness: Any, exponent: Any) -> jax.Array:
    """``K sign(d) |d|^n``: of a negative overlap, too, which is met where the program still counts a contact as closed."""
    return power_law_force(overlap, stiffness=stiffness, exponent=exponent) - power_law_force(
        -overlap, stiffness=stiffness, exponent=exponent
    )


def normal_force(contact: ObjectContactSphereSphere, kinematics: Kinematics, data: DataNode) -> jax.Array:
    """Force along the normal [N], positive when it repels."""
    overlap, overlap_rate = -kinematics.gap, -kinematics.normal_velocity
    spring = {"stiffness": contact.contactStiffness, "exponent": contact.contactStiffnessExponent}
    law = RESTITUTION_LAW_OF_IMPACT_MODEL[contact.impactModel]
    if law is None:
        impact_force = signed_power_law_force(overlap, **spring)
    else:
        impact_velocity = jnp.maximum(data.impact_velocity, contact.minimumImpactVelocity)
        moved = impact_velocity > 0.0
        ratio = law.damping_ratio(contact.restitutionCoefficient)
        damping = jnp.where(moved, ratio / jnp.where(moved, impact_velocity, 1.0), 0.0)
        # Odd in the overlap: force(d) - force(-d) with the same factor 1 + damping d'.
        impact_force = hunt_crossley_force(overlap, overlap_rate, damping=damping, **spring) - hunt_crossley_force(
            -overlap, overlap_rate, damping=damping, **spring
        )
    return impact_force + contact.contactDamping * overlap_rate


def friction_force(contact: ObjectContactSphereSphere, kinematics: Kinematics, normal_force: Any, data: DataNode) -> jax.Array:
    """Friction on sphere 1 [N], (3,): linear in the slip or of constant magnitude, as ``data`` says, and reversed under tension."""
    slip = kinematics.tangential_velocity
    speed = safe_norm(slip)
    proportional = jnp.less(data.tangential_velocity, contact.frictionProportionalZone)
    scale = jnp.where(proportional, contact.frictionProportionalZone, speed)
    return -contact.dynamicFriction * normal_force * slip / jnp.where(scale > 0.0, scale, 1.0)


def updated_data(contact: ObjectContactSphereSphere, body0: Body, body1: Body, data: DataNode) -> DataNode:
    """The data node after a step that ends in this motion: the impact velocity is remembered in the step in which the gap closes."""
    kinematics = pair_kinematics(contact, body0, body1)
    centres = body1.velocity - body0.velocity
    slip = jnp.where(kinematics.gap < 0.0, kinematics.tangential_velocity, centres - kinematics.normal_velocity * kinematics.normal)
    closes = (data.gap > 0.0) & (kinematics.gap <= 0.0)
    impact_velocity = jnp.where(closes, -kinematics.normal_velocity, data.impact_velocity)
    return DataNode(kinematics.gap, safe_norm(slip), impact_velocity, jnp.zeros_like(kinematics.gap))


def sphere_sphere_contact(contact: ObjectContactSphereSphere, body0: Body, body1: Body, data: DataNode) -> SphereSphereContact:
    """Forces and torques between two spheres, as the program computes them from the motion and its data node.

    Zero where ``data.gap`` is not negative. Discontinuous there when ``contactDamping`` is not 0, and continuous with a kink at
    ``|v_t| = frictionProportionalZone``. One contact; ``jax.vmap`` makes many of it.

    Args:
        contact: parameters.
        body0: motion of sphere 0.
        body1: motion of sphere 1.
        data: what the program remembers; from ``updated_data``.
    """
    kinematics = pair_kinematics(contact, body0, body1)
    closed = jnp.less(data.gap, 0.0)
    along = jnp.where(closed, normal_force(contact, kinematics, data), 0.0)
    tangential = friction_force(contact, kinematics, along, data)
    at_contact = kinematics.tangential_velocity + kinematics.normal_velocity * kinematics.normal
    velocity = jnp.where(jnp.equal(contact.dynamicFriction, 0.0), body1.velocity - body0.velocity, at_contact)
    return SphereSphereContact(
        force_on_1=along * kinematics.normal + tangential,
        torque_on_0=jnp.cross(kinematics.arm0, -tangential),
        torque_on_1=jnp.cross(kinematics.arm1, tangential),
        gap=kinematics.gap,
        displacement=kinematics.displacement,
        velocity=jnp.where(closed, velocity, 0.0),
        normal=kinematics.normal,
        position=body0.position + kinematics.arm0,
    )
