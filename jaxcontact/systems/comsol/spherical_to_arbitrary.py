"""The Spherical to Arbitrary formulation: a source sphere on a destination boundary of any shape,
which moves.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import (
    Motion,
    Wrench,
    normal_and_tangential,
    velocity_at,
    wrench_at,
)
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.coulomb import TANH
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, of, static
from jaxcontact.systems.comsol.contact_force import RigidBodyContact, check_arms, contact_force
from jaxcontact.systems.comsol.friction import (
    Friction,
    check_smooth,
    dissipation_rate,
    optional_friction,
)
from jaxcontact.systems.comsol.rigid_body_pair import RigidBodyPair


@model
class ArbitraryContact(RigidBodyPair):
    """A sphere in contact with a boundary: parameters.

    ``Scene(contact=ArbitraryContact(...))`` simulates it between a sphere and a
    ``jaxcontact.Plane`` that is held.

    Attributes:
        r_s: radius of the source sphere [m].
        contact: contact force.
        friction: friction; ``None``, the default, is a frictionless contact.
        smooth: a ``jaxcontact.Smoothing``, for two continuous derivatives everywhere; ``None``, the
            default, is the documented form.
        arms: one of ``contact_force.ARMS``.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> contact = comsol.ArbitraryContact(r_s=0.05, contact=comsol.RigidBodyContact(k_pen=1e4))
        >>> contact.r_s
        0.05
    """

    r_s: Real = of(QUANTITIES["radius"].called("r_s"))
    contact: RigidBodyContact
    friction: Friction | None = None
    smooth: Smoothing | None = None
    arms: str = static(default="undeformed")

    def __post_init__(self) -> None:
        check_arms("ArbitraryContact", self.arms)
        check_smooth("ArbitraryContact", self.smooth, self.contact, self.friction)

    def radii(self) -> tuple[Any, Any]:
        """``r_s``, and ``None`` of the boundary."""
        return self.r_s, None


class SphericalToArbitrary(NamedTuple):
    """Forces and geometry of a contact; vectors are ``(..., 3)``, scalars ``(...)``.

    Attributes:
        source: force and moment on the source sphere about its centre [N, N m]: contact and
            friction.
        force_on_destination: the opposite force [N], acting on the boundary at ``point``.
        point: on the boundary, or in the middle of the overlap, as ``arms`` says [m].
        friction_on_source: friction force on the source [N].
        dissipation: power of friction [W].
        contact_force: ``F_n`` [N].
        gap_rate: ``g'`` [m/s].
        arm_source: from the source's centre to the contact [m].
        source_velocity: ``v_c,s`` [m/s].
        slip: ``v_slip``, of the source against the destination [m/s].
    """

    source: Wrench
    force_on_destination: jax.Array
    point: jax.Array
    friction_on_source: jax.Array
    dissipation: jax.Array
    contact_force: jax.Array
    gap_rate: jax.Array
    arm_source: jax.Array
    source_velocity: jax.Array
    slip: jax.Array


_FRICTION = Friction(mu=0.5, v0=0.05, Ff_r=0.3)
_EXAMPLE = ArbitraryContact(
    r_s=0.05, contact=RigidBodyContact(k_pen=1e4, c_pen=20.0), friction=_FRICTION
)
_SMOOTH = replace(
    _EXAMPLE,
    contact=RigidBodyContact(k_pen=1e4, c_pen=20.0, ramp_overlap=5e-4, ramp_speed=0.1),
    friction=replace(_FRICTION, regularization=TANH),
    arms="midpoint",
)


@law(
    name="comsol.spherical_to_arbitrary",
    family="COMSOL",
    source="COMSOL Multiphysics, Theory of Friction in Rigid Body Contact",
    smoothness=lambda parameters, **_: -1 if parameters.contact.ramp_overlap is None else 2,
    example={
        "parameters": _EXAMPLE,
        "source": Motion((0.1, 0.2, 0.3), (0.3, 0.2, 0.4), (1.0, -2.0, 3.0)),
        "boundary_velocity": (-0.4, 0.1, 0.3),
        "normal": (0.0, 0.6, 0.8),
        "gap": -1e-3,
    },
    variants=({"parameters": _SMOOTH}, {"gap": 1e-3}),
    switches=({"gap": 0.0}, {"parameters": _SMOOTH, "gap": 0.0}),
    corners=(
        {"source": Motion((0.1, 0.2, 0.3), (-0.4, 0.1, 0.3), (0.0, 0.0, 0.0))},
        {"source": Motion((0.1, 0.2, 0.3), (-0.4, 0.1, 0.3), (0.0, 0.0, 0.0)), "gap": 0.0},
        {"normal": (0.0, 0.0, 0.0)},
    ),
)
def spherical_to_arbitrary(
    parameters: ArbitraryContact,
    source: Motion,
    *,
    boundary_velocity: Real,
    normal: Real,
    gap: Real,
) -> SphericalToArbitrary:
    """Forces and moment between a sphere and a moving boundary of any shape, whose closest point is
    known::

        v_slip = (1 - n n^T) (v_c,s - v_c,d),  v_c,s = v_src + w_src x (r_s n)

    Friction ``-F_f v_slip/|v_slip|`` acts on the source with the moment ``r_s n x F``, its opposite
    on the boundary.

    With the arm ``"undeformed"``, as documented, angular momentum is **not** conserved: the forces
    act on either side of the overlap and leave the moment ``-g n x F``, ``F`` the friction on the
    source. With ``"midpoint"`` both act in the middle of it, and it is conserved to rounding.

    Smoothness as ``spherical_to_spherical``.

    Args:
        parameters: of the contact.
        source: motion of the source sphere's centre.
        boundary_velocity: ``v_c,d``, ``(..., 3)``: velocity of the destination boundary at the
            contact [m/s].
        normal: ``n``, ``(..., 3)``: unit vector from the source's centre to the closest point of
            the boundary.
        gap: ``g``, ``(...)``: distance from the sphere's surface to that point [m], negative in
            overlap.

    Returns:
        Forces on sphere and boundary, and the geometry of the contact.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import comsol
        >>> contact = comsol.ArbitraryContact(r_s=0.05, contact=comsol.RigidBodyContact(k_pen=1e4))
        >>> ball = Motion(jnp.array([0.0, 0.0, 0.049]), jnp.zeros(3), jnp.zeros(3))
        >>> result = comsol.spherical_to_arbitrary(
        ...     contact,
        ...     ball,
        ...     boundary_velocity=jnp.zeros(3),
        ...     normal=jnp.array([0.0, 0.0, 1.0]),
        ...     gap=-1e-3,
        ... )
        >>> print(f"{result.contact_force:.1f} N")
        10.0 N
    """
    normal, gap = jnp.asarray(normal), jnp.asarray(gap)
    inset = 0.5 * gap if parameters.arms == "midpoint" else jnp.zeros_like(gap)
    arm_source = jnp.add(parameters.r_s, inset)[..., None] * normal
    source_velocity = velocity_at(source, arm_source)
    approach, slip = normal_and_tangential(source_velocity - jnp.asarray(boundary_velocity), normal)
    smooth = parameters.smooth
    load, touching = contact_force(parameters.contact, gap, -approach, smooth=smooth)
    friction = optional_friction(parameters.friction, slip, load, touching, smooth)
    on_source = wrench_at(friction, arm_source)
    force = on_source.force - load[..., None] * normal
    return SphericalToArbitrary(
        source=Wrench(force, on_source.torque),
        force_on_destination=-force,
        point=jnp.asarray(source.position)
        + (jnp.add(parameters.r_s, gap) - inset)[..., None] * normal,
        friction_on_source=friction,
        dissipation=dissipation_rate(friction, slip),
        contact_force=load,
        gap_rate=-approach,
        arm_source=arm_source,
        source_velocity=source_velocity,
        slip=slip,
    )
