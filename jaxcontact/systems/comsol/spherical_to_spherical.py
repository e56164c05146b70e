"""The Spherical to Spherical formulation: a source sphere outside, or inside, a destination
sphere.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import jax

from jaxcontact.geometry.rigid_motion import Motion, Wrench, wrench_at
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
from jaxcontact.systems.comsol.spherical_geometry import spherical_geometry


@model
class SphericalContact(RigidBodyPair):
    """Two spheres in contact: parameters.

    ``Scene(contact=SphericalContact(...))`` simulates it, between two spheres or between one and a
    ``jaxcontact.Sphere`` that is held: the source is the first body, the destination the second one
    or the surface.

    Attributes:
        r_s: radius of the source sphere [m].
        r_d: radius of the destination sphere [m].
        contact: contact force.
        friction: friction; ``None``, the default, is a frictionless contact.
        smooth: a ``jaxcontact.Smoothing``, for two continuous derivatives everywhere; ``None``, the
            default, is the documented form.
        inside: whether the source sphere touches the destination from inside.
        arms: one of ``contact_force.ARMS``.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> contact = comsol.SphericalContact(
        ...     r_s=0.05, r_d=0.05, contact=comsol.RigidBodyContact(k_pen=1e4)
        ... )
        >>> contact.arms
        'undeformed'
    """

    r_s: Real = of(QUANTITIES["radius"].called("r_s"))
    r_d: Real = of(QUANTITIES["radius"].called("r_d"))
    contact: RigidBodyContact
    friction: Friction | None = None
    smooth: Smoothing | None = None
    inside: bool = static(default=False)
    arms: str = static(default="undeformed")

    def __post_init__(self) -> None:
        check_arms("SphericalContact", self.arms)
        check_smooth("SphericalContact", self.smooth, self.contact, self.friction)

    def radii(self) -> tuple[Any, Any]:
        """``r_s`` and ``r_d``."""
        return self.r_s, self.r_d


class SphericalToSpherical(NamedTuple):
    """Forces and geometry of a contact; vectors are ``(..., 3)``, scalars ``(...)``.

    Attributes:
        source: force and moment on the source sphere about its centre [N, N m]: contact and
            friction.
        destination: the same on the destination sphere.
        friction_on_source: friction force on the source [N].
        dissipation: power of friction [W].
        contact_force: ``F_n`` [N].
        gap: ``g`` [m].
        gap_rate: ``g'`` [m/s].
        normal: unit vector from the source's centre to the contact; zero where the centres
            coincide.
        arm_source: from the source's centre to the contact [m].
        arm_destination: from the destination's centre to the contact [m].
        slip: ``v_slip``, of the source against the destination [m/s].
    """

    source: Wrench
    destination: Wrench
    friction_on_source: jax.Array
    dissipation: jax.Array
    contact_force: jax.Array
    gap: jax.Array
    gap_rate: jax.Array
    normal: jax.Array
    arm_source: jax.Array
    arm_destination: jax.Array
    slip: jax.Array


_FRICTION = Friction(mu=0.5, v0=0.05, Ff_r=0.3, Ff_max=6.0)
_EXAMPLE = SphericalContact(
    r_s=0.05, r_d=0.1, contact=RigidBodyContact(k_pen=100.0, c_pen=2.0), friction=_FRICTION
)
_SMOOTH = replace(
    _EXAMPLE,
    contact=RigidBodyContact(k_pen=100.0, c_pen=2.0, ramp_overlap=0.01, ramp_speed=0.1),
    friction=replace(_FRICTION, regularization=TANH, smoothing=0.05),
    arms="midpoint",
)
_SOURCE = Motion((0.0, 0.0, 0.0), (0.3, 0.2, -0.1), (1.0, -2.0, 3.0))
_DESTINATION = Motion((0.11, 0.004, -0.003), (-0.4, 0.1, 0.3), (-2.0, 0.5, 1.0))


def _destination_at(*position: float, like: Motion = _DESTINATION) -> Motion:
    return like._replace(position=position)


@law(
    name="comsol.spherical_to_spherical",
    family="COMSOL",
    source="COMSOL Multiphysics, Theory of Friction in Rigid Body Contact",
    smoothness=lambda parameters, **_: -1 if parameters.contact.ramp_overlap is None else 2,
    example={"parameters": _EXAMPLE, "source": _SOURCE, "destination": _DESTINATION},
    variants=(
        {"parameters": _SMOOTH},
        {"destination": _destination_at(0.2, 0.0, 0.0)},
    ),
    switches=(
        {"destination": _destination_at(0.0, 0.0, 0.05 + 0.1)},
        {"parameters": _SMOOTH, "destination": _destination_at(0.0, 0.0, 0.05 + 0.1)},
    ),
    corners=(
        {"destination": _destination_at(0.0, 0.0, 0.0)},
        {
            "destination": Motion((0.149, 0.0, 0.0), (0.3, 0.2, -0.1), (0.0, 0.0, 0.0)),
            "source": _SOURCE._replace(angular_velocity=(0.0, 0.0, 0.0)),
        },
        {"destination": _destination_at(0.03, 0.0, 0.0)},
        {"parameters": _SMOOTH, "destination": _destination_at(0.0, 0.0, 0.0)},
    ),
)
def spherical_to_spherical(
    parameters: SphericalContact, source: Motion, destination: Motion
) -> SphericalToSpherical:
    """Forces and moments between two spheres::

        n = (x_dst - x_src)/d,  d = |x_dst - x_src|
        outside: g = d - (r_s + r_d),  r_s n and -r_d n from the centres to the contact
        inside:  g = (r_d - r_s) - d, -r_s n and -r_d n
        v_slip = (1 - n n^T) (v_c,s - v_c,d),  v_c = v + w x r

    Friction ``-F_f v_slip/|v_slip|`` acts on the source and its opposite on the destination, with
    the moments ``r x F``; so does the contact force, without moment.

    With the documented arms, ``"undeformed"``, angular momentum is **not** conserved: the arms end
    on either side of the overlap, and the moments and forces leave ``-g n_c x F``, ``F`` the
    friction on the source and ``n_c`` from its centre to the contact. With ``"midpoint"`` both arms
    end at the same point, ``-g/2`` below each surface, and angular momentum is conserved to
    rounding.

    Hard: jumps at ``g = 0`` where there is a dashpot or an additional resistance, else a corner;
    corner where the friction reaches its maximum; one continuous derivative in the slip for the
    exponential form. With ``smooth``, or with ramps, ``smoothing`` and ``TANH``: two everywhere but
    where the centres coincide.

    Args:
        parameters: of the contact.
        source: motion of the source sphere's centre.
        destination: motion of the destination sphere's centre.

    Returns:
        Forces and torques on both spheres, and the geometry of the contact.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Motion
        >>> from jaxcontact.systems import comsol
        >>> contact = comsol.SphericalContact(
        ...     r_s=0.05, r_d=0.05, contact=comsol.RigidBodyContact(k_pen=1e4)
        ... )
        >>> source = Motion(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
        >>> destination = Motion(jnp.array([0.0, 0.0, 0.099]), jnp.zeros(3), jnp.zeros(3))
        >>> result = comsol.spherical_to_spherical(contact, source, destination)
        >>> print(f"{result.contact_force:.1f} N")
        10.0 N
    """
    seen = spherical_geometry(parameters, source, destination)
    smooth = parameters.smooth
    load, touching = contact_force(
        parameters.contact, seen.plane.gap, -seen.approach, smooth=smooth
    )
    friction = optional_friction(parameters.friction, seen.slip, load, touching, smooth)
    on_source, on_destination = (
        wrench_at(friction, seen.arm_source),
        wrench_at(-friction, seen.arm_destination),
    )
    push = load[..., None] * seen.plane.normal
    return SphericalToSpherical(
        source=Wrench(on_source.force - push, on_source.torque),
        destination=Wrench(on_destination.force + push, on_destination.torque),
        friction_on_source=friction,
        dissipation=dissipation_rate(friction, seen.slip),
        contact_force=load,
        gap=seen.plane.gap,
        gap_rate=-seen.approach,
        normal=seen.plane.normal,
        arm_source=seen.arm_source,
        arm_destination=seen.arm_destination,
        slip=seen.slip,
    )
