"""The coefficients of the law during one contact: what the program makes of the parameters when a
contact starts.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real, rounded_absolute
from jaxcontact.systems.modia3d.contact_pair_material import (
    ElasticContactPairMaterial,
    ObserverContactPairMaterial,
)
from jaxcontact.systems.modia3d.damping import (
    current_restitution,
    damping_coefficient,
    rounded_damping_coefficient,
    smooth_current_restitution,
    smooth_damping_coefficient,
)
from jaxcontact.systems.modia3d.geometry_factors import geometry_factors
from jaxcontact.systems.modia3d.solid_material import resultant_modulus

if TYPE_CHECKING:
    from jaxcontact.systems.modia3d.elastic_contact import ElasticContact


_NO_FORCE = ElasticContactPairMaterial(
    coefficientOfRestitution=1.0,
    slidingFrictionCoefficient=0.0,
    rotationalResistanceCoefficient=0.0,
)


class ElasticContactPairResponseMaterial(NamedTuple):
    """The coefficients of the law during one contact, which the program computes when the contact
    starts and keeps until it ends.

    Attributes:
        c_res: resultant modulus [Pa], ``k_red`` in it; 0 where the pair exerts no force.
        c_geo: [m^0.5].
        d_res: damping [s/m].
        mu_k: sliding friction coefficient [-].
        mu_r: rotational resistance coefficient [-].
        mu_r_geo: effective radius [m].
        vsmall: [m/s].
        wsmall: [rad/s].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> material = modia3d.response_material(contact, 0.5)
        >>> print(f"{material.c_res:.3e} Pa, {material.mu_r_geo:.3f} m")
        1.099e+11 Pa, 0.015 m
    """

    c_res: Real
    c_geo: Real
    d_res: Real
    mu_k: Real
    mu_r: Real
    mu_r_geo: Real
    vsmall: Real
    wsmall: Real


def damping_of(contact: "ElasticContact", impact_speed: Real) -> jax.Array:
    """Damping [s/m] of a contact that starts at ``impact_speed`` [m/s]; 0 for an observer."""
    pair = contact.pairMaterial
    if isinstance(pair, ObserverContactPairMaterial):
        return jnp.zeros_like(impact_speed)
    cor = pair.coefficientOfRestitution
    limits: dict[str, Any] = {
        "maximumContactDamping": contact.maximumContactDamping,
        "restitution_law": contact.restitution_law,
    }
    smooth = contact.smooth
    if smooth is not None:
        speed = rounded_absolute(impact_speed, smooth.speed)
        current = smooth_current_restitution(
            cor, speed, vsmall=pair.vsmall, transition_speed=smooth.speed
        )
        return rounded_damping_coefficient(current, speed, smoothing=smooth.share, **limits)
    if contact.transition_speed is None:
        return damping_coefficient(
            current_restitution(cor, impact_speed, vsmall=pair.vsmall), impact_speed, **limits
        )
    current = smooth_current_restitution(
        cor, impact_speed, vsmall=pair.vsmall, transition_speed=contact.transition_speed
    )
    return smooth_damping_coefficient(current, impact_speed, **limits)


def response_material(
    contact: "ElasticContact", impact_speed: Real
) -> ElasticContactPairResponseMaterial:
    """The coefficients of a contact that started at ``impact_speed`` [m/s], the magnitude of its
    normal velocity then.

    Args:
        contact: parameters.
        impact_speed: ``(...)`` [m/s].

    Returns:
        The coefficients of the force law.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> material = modia3d.response_material(contact, 0.5)
        >>> print(f"stiffness {material.c_res * material.c_geo:.3e} N/m^1.5")
        stiffness 1.794e+10 N/m^1.5
    """
    return lasting_material(contact, damping_of(contact, impact_speed))


def lasting_material(
    contact: "ElasticContact", damping: Real
) -> ElasticContactPairResponseMaterial:
    """The coefficients of a contact whose ``damping`` [s/m] is known."""
    solid1, solid2 = contact.solid1, contact.solid2
    factors = geometry_factors(
        solid1.contact_sphere_radius,
        solid2.contact_sphere_radius,
        flat1=solid1.isFlat,
        flat2=solid2.isFlat,
    )
    observed = isinstance(contact.pairMaterial, ObserverContactPairMaterial)
    pair = (
        _NO_FORCE
        if isinstance(contact.pairMaterial, ObserverContactPairMaterial)
        else contact.pairMaterial
    )
    modulus = resultant_modulus(
        contact.solidMaterial1,
        contact.solidMaterial2,
        elasticContactReductionFactor=contact.elasticContactReductionFactor,
    )
    return ElasticContactPairResponseMaterial(
        c_res=jnp.zeros_like(modulus) if observed else modulus,
        c_geo=factors.c_geo,
        d_res=damping,
        mu_k=pair.slidingFrictionCoefficient,
        mu_r=pair.rotationalResistanceCoefficient,
        mu_r_geo=factors.mu_r_geo,
        vsmall=pair.vsmall,
        wsmall=pair.wsmall,
    )
