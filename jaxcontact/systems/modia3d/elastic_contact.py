"""Everything a pair of solids has in common with its law, and what the program makes of it when a
contact starts.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, of, static
from jaxcontact.systems.modia3d.contact_pair_material import (
    ContactPairMaterial,
    ElasticContactPairMaterial,
    ObserverContactPairMaterial,
    contact_pair_material,
    contactPairMaterialPalette,
)
from jaxcontact.systems.modia3d.damping import (
    current_restitution,
    damping_coefficient,
    restitution_of,
    smooth_current_restitution,
    smooth_damping_coefficient,
)
from jaxcontact.systems.modia3d.geometry_factors import geometry_factors
from jaxcontact.systems.modia3d.solid import Solid
from jaxcontact.systems.modia3d.solid_material import (
    SolidMaterial,
    resultant_modulus,
    solid_material,
    solidMaterialPalette,
)


@model
class ElasticContact:
    """Parameters of the contact between two solids; ``elastic_contact`` makes one from the
    palettes.

    Args:
        solid1: shape and names.
        solid2: shape and names.
        solidMaterial1: elastic data of the contact material of solid 1.
        solidMaterial2: elastic data of the contact material of solid 2.
        pairMaterial: of the two contact materials.
        elasticContactReductionFactor: ``k_red``: makes the contact softer, so that larger time
            steps do.
        maximumContactDamping: ``d_max`` [s/m] (the program's documentation gives another unit).
        contactEpsilon: added to the overlap [m]. The program counts distances below ``max(1e-13 m,
            10 mprTolerance)`` as contact: 1e-13 repeats that.
        restitution_law: what ``coefficientOfRestitution`` means, ``"nominal"`` as documented or
            ``"exact"``; see ``damping``.
        tension: let the contact pull where the damping outweighs the spring, as the program does
            and its documentation does not.
        transition_speed: ``None``, as documented: the damping jumps at the impact speed ``vsmall``
            and is cut off at ``d_max``. A speed [m/s]: the smooth forms of both, with this width.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> isinstance(contact, modia3d.ElasticContact)
        True
        >>> contact.pairMaterial.slidingFrictionCoefficient
        0.5
    """

    solid1: Solid
    solid2: Solid
    solidMaterial1: SolidMaterial
    solidMaterial2: SolidMaterial
    pairMaterial: ContactPairMaterial
    elasticContactReductionFactor: Real = of(
        QUANTITIES["elasticContactReductionFactor"], default=1.0
    )
    maximumContactDamping: Real = of(QUANTITIES["maximumContactDamping"], default=2000.0)
    contactEpsilon: Real = of(QUANTITIES["contactEpsilon"], default=0.0)
    transition_speed: Real | None = of(QUANTITIES["transition_speed"], default=None)
    restitution_law: str = static(default="nominal")
    tension: bool = static(default=False)

    def __post_init__(self) -> None:
        restitution_of(self.restitution_law)


def elastic_contact(
    solid1: Solid,
    solid2: Solid,
    *,
    solid_materials: Mapping[str, SolidMaterial] = solidMaterialPalette,
    pair_materials: Mapping[tuple[str, str], ContactPairMaterial] = contactPairMaterialPalette,
    **options: Any,
) -> ElasticContact:
    """The contact of two solids, its materials looked up under the names of their contact
    materials.

    Args:
        solid1: first solid.
        solid2: second solid.
        solid_materials: palette of solids.
        pair_materials: palette of pairs.
        options: other fields of ``ElasticContact``.

    Returns:
        All that the contact law needs to know of the pair.

    Raises:
        ValueError: when a palette lacks a name.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> ball = modia3d.Solid(shape=modia3d.Sphere(diameter=0.06), solidMaterial="Steel")
        >>> contact = modia3d.elastic_contact(ball, ball)
        >>> softer = contact.replace(elasticContactReductionFactor=1e-4)
        >>> print(f"{modia3d.response_material(softer, 0.5).c_res:.3e} Pa")
        1.099e+07 Pa
    """
    name1, name2 = solid1.contact_material, solid2.contact_material
    return ElasticContact(
        solid1=solid1,
        solid2=solid2,
        solidMaterial1=solid_material(name1, palette=solid_materials),
        solidMaterial2=solid_material(name2, palette=solid_materials),
        pairMaterial=contact_pair_material(name1, name2, palette=pair_materials),
        **options,
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


def damping_of(contact: ElasticContact, impact_speed: Real) -> jax.Array:
    """Damping [s/m] of a contact that starts at ``impact_speed`` [m/s]; 0 for an observer."""
    pair = contact.pairMaterial
    if isinstance(pair, ObserverContactPairMaterial):
        return jnp.zeros_like(impact_speed)
    cor = pair.coefficientOfRestitution
    limits: dict[str, Any] = {
        "maximumContactDamping": contact.maximumContactDamping,
        "restitution_law": contact.restitution_law,
    }
    if contact.transition_speed is None:
        return damping_coefficient(
            current_restitution(cor, impact_speed, vsmall=pair.vsmall), impact_speed, **limits
        )
    current = smooth_current_restitution(
        cor, impact_speed, vsmall=pair.vsmall, transition_speed=contact.transition_speed
    )
    return smooth_damping_coefficient(current, impact_speed, **limits)


def response_material(
    contact: ElasticContact, impact_speed: Real
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
        d_res=damping_of(contact, impact_speed),
        mu_k=pair.slidingFrictionCoefficient,
        mu_r=pair.rotationalResistanceCoefficient,
        mu_r_geo=factors.mu_r_geo,
        vsmall=pair.vsmall,
        wsmall=pair.wsmall,
    )


_NO_FORCE = ElasticContactPairMaterial(
    coefficientOfRestitution=1.0,
    slidingFrictionCoefficient=0.0,
    rotationalResistanceCoefficient=0.0,
)
