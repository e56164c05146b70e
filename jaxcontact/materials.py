"""Elastic solids and effective quantities of a pair in contact; a small palette of published
values.

All combine two bodies as Johnson, Contact Mechanics (1985), chapter 4, does; a missing or infinite
partner is rigid, plane or fixed.
"""

import math
from typing import Protocol

import jax
import jax.numpy as jnp

from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, parameter


@model
class Solid:
    """An isotropic elastic solid."""

    youngs_modulus: Real = parameter(
        unit="Pa", label="Young's modulus", symbol="E", interval="(0, inf)", transform="log"
    )
    poisson_ratio: Real = parameter(
        unit="-", label="Poisson's ratio", symbol="nu", interval="(-1, 0.5]", transform="logit"
    )
    density: Real | None = parameter(
        unit="kg/m^3",
        label="density",
        symbol="rho",
        interval="(0, inf)",
        transform="log",
        default=None,
    )

    @property
    def shear_modulus(self) -> Real:
        """``G = E/(2 (1 + nu))`` [Pa]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))

    @property
    def plane_strain_modulus(self) -> Real:
        """``E/(1 - nu^2)`` [Pa]."""
        return plane_strain_modulus(self.youngs_modulus, self.poisson_ratio)


class Elastic(Protocol):
    """A solid that says how stiff it is in contact."""

    @property
    def plane_strain_modulus(self) -> Real:
        """``E/(1 - nu^2)`` [Pa]."""


def plane_strain_modulus(youngs_modulus: Real, poisson_ratio: Real) -> Real:
    """``E/(1 - nu^2)`` [Pa].

    Args:
        youngs_modulus: ``E`` [Pa].
        poisson_ratio: ``nu`` [-].

    Returns:
        Plane-strain modulus [Pa].
    """
    return youngs_modulus / (1.0 - poisson_ratio**2)


def effective_modulus(solid: Elastic, partner: Elastic | None = None) -> Real:
    """``E*`` [Pa] with ``1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2``; without a partner that of a
    solid on a rigid one.

    Source: Johnson, Contact Mechanics (1985), section 4.2.

    Args:
        solid: the elastic data of one solid.
        partner: those of the other; ``None`` for a rigid one.

    Returns:
        ``E*`` [Pa].
    """
    if partner is None:
        return solid.plane_strain_modulus
    return _series(solid.plane_strain_modulus, partner.plane_strain_modulus)


def effective_shear_modulus(solid: Solid, partner: Solid | None = None) -> Real:
    """``G*`` [Pa] with ``1/G* = (2 - nu1)/G1 + (2 - nu2)/G2``; without a partner that of a solid on
    a rigid one.

    Source: Mindlin (1949); Johnson, Contact Mechanics (1985), section 7.2.

    Args:
        solid: the elastic data of one solid.
        partner: those of the other; ``None`` for a rigid one.

    Returns:
        ``G*`` [Pa].
    """

    def compliance(solid: Solid) -> Real:
        return (2.0 - solid.poisson_ratio) / solid.shear_modulus

    return 1.0 / (compliance(solid) + (0.0 if partner is None else compliance(partner)))


def tangential_stiffness_ratio(solid: Solid, partner: Solid | None = None) -> Real:
    """Initial tangential over normal stiffness ``k_t/k_n = 4 G*/E*`` [-] of a Hertz contact; ``2 (1
    - nu)/(2 - nu)`` for like solids.

    ``k_t = 8 G* a`` and ``k_n = dF/dd = 2 E* a`` share the contact radius ``a``. Source: Mindlin,
    J. Appl. Mech. 16 (1949) 259-268; Johnson, Contact Mechanics (1985), section 7.2.

    Args:
        solid: the elastic data of one solid.
        partner: those of the other; ``None`` for a rigid one.

    Returns:
        ``k_t/k_n`` [-].
    """
    return 4.0 * effective_shear_modulus(solid, partner) / effective_modulus(solid, partner)


def effective_radius(radius: Real, partner: Real = math.inf) -> Real:
    """``R*`` [m] with ``1/R* = 1/R1 + 1/R2``; infinite for a plane, negative for a hollow
    partner.

    Args:
        radius: ``R1`` [m].
        partner: ``R2`` [m].

    Returns:
        ``R*`` [m].
    """
    return _series(radius, partner)


def effective_mass(mass: Real, partner: Real = math.inf) -> Real:
    """``m*`` [kg] with ``1/m* = 1/m1 + 1/m2``; infinite for a fixed partner.

    Args:
        mass: ``m1`` [kg].
        partner: ``m2`` [kg].

    Returns:
        ``m*`` [kg].
    """
    return _series(mass, partner)


def hertz_stiffness(effective_modulus: Real, effective_radius: Real) -> jax.Array:
    """``K = (4/3) E* sqrt(R*)`` [N/m^1.5] of ``F = K d^1.5`` between spheres, or a sphere and a
    plane.

    Source: Hertz (1882); Johnson, Contact Mechanics (1985), equation 4.23. Contact radius small
    beside the radii, strains elastic.

    Args:
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R*`` [m].

    Returns:
        ``K`` [N/m^1.5].
    """
    return jnp.multiply(4.0 / 3.0 * effective_modulus, jnp.sqrt(effective_radius))


def _series(first: Real, second: Real) -> Real:
    """``1/(1/a + 1/b)``: an infinite entry drops out, in values and in derivatives."""
    return 1.0 / (1.0 / first + 1.0 / second)


@model
class ContactPair:
    """What a pair of solids, with surfaces as published, does in an impact; what the publication
    does not give is ``None``.
    """

    restitution: Real = parameter(
        unit="-", label="restitution", symbol="e", interval="(0, 1]", transform="logit"
    )
    friction: Real | None = parameter(
        unit="-",
        label="friction coefficient",
        symbol="mu",
        interval="[0, inf)",
        transform="log",
        default=None,
    )
    tangential_restitution: Real | None = parameter(
        unit="-",
        label="tangential restitution",
        symbol="beta_0",
        interval="[-1, 1]",
        transform="logit",
        default=None,
    )


# Starting points, not substitutes for a measurement: composition, heat treatment and surface change
# them. Densities only where the same source has them. The palette of the program Modia3D is in
# systems.modia3d.

# Kharaz, Gorham and Salman, Powder Technology 120 (2001) 281-291: aluminium oxide spheres on a
# thick soda-lime glass anvil.
ALUMINA = Solid(youngs_modulus=380e9, poisson_ratio=0.23, density=4000.0)
SODA_LIME_GLASS = Solid(youngs_modulus=70e9, poisson_ratio=0.25)
# EN 1993-1-1 (2005), 3.2.6, and EN 1991-1-1 (2002), table A.4: structural steel.
STEEL = Solid(youngs_modulus=210e9, poisson_ratio=0.3, density=7850.0)
# EN 1999-1-1 (2007), 3.2.5: wrought aluminium alloys.
ALUMINIUM_ALLOY = Solid(youngs_modulus=70e9, poisson_ratio=0.3, density=2700.0)
# EN 572-1 (2004): float glass, of soda-lime silicate.
FLOAT_GLASS = Solid(youngs_modulus=70e9, poisson_ratio=0.2, density=2500.0)
# Dowling, Mechanical Behavior of Materials, 4th edition (2013), table 5.2.
BRASS = Solid(youngs_modulus=101e9, poisson_ratio=0.350)
NYLON = Solid(youngs_modulus=2.7e9, poisson_ratio=0.41)  # 66, dry
TUNGSTEN = Solid(youngs_modulus=411e9, poisson_ratio=0.280)
# Chung and Ooi, Granular Matter 13 (2011) 643-656: solids of their benchmarks 1, 2, 3, 5 and 7.
CAST_IRON = Solid(youngs_modulus=100e9, poisson_ratio=0.25, density=7000.0)
COPPER = Solid(youngs_modulus=120e9, poisson_ratio=0.35, density=8900.0)
LIMESTONE = Solid(youngs_modulus=20e9, poisson_ratio=0.25, density=2500.0)
MAGNESIUM_ALLOY = Solid(youngs_modulus=40e9, poisson_ratio=0.35, density=1800.0)
POLYETHYLENE = Solid(youngs_modulus=1e9, poisson_ratio=0.4, density=1400.0)

SOLIDS: dict[str, Solid] = {
    "alumina": ALUMINA,
    "aluminium alloy": ALUMINIUM_ALLOY,
    "brass": BRASS,
    "cast iron": CAST_IRON,
    "copper": COPPER,
    "float glass": FLOAT_GLASS,
    "limestone": LIMESTONE,
    "magnesium alloy": MAGNESIUM_ALLOY,
    "nylon": NYLON,
    "polyethylene": POLYETHYLENE,
    "soda-lime glass": SODA_LIME_GLASS,
    "steel": STEEL,
    "tungsten": TUNGSTEN,
}

# Kharaz, Gorham and Salman (2001): spheres of 5 mm, 3.85 m/s.
ALUMINA_ON_SODA_LIME_GLASS = ContactPair(restitution=0.98, friction=0.092)
# ITTF technical leaflet T3: a celluloid ball dropped from 305 mm on a steel block rebounds to 240
# to 260 mm; the middle, without drag.
TABLE_TENNIS_BALL_ON_STEEL = ContactPair(restitution=math.sqrt(250 / 305))

PAIRS: dict[tuple[str, str], ContactPair] = {
    ("alumina", "soda-lime glass"): ALUMINA_ON_SODA_LIME_GLASS,
    ("steel", "table-tennis ball"): TABLE_TENNIS_BALL_ON_STEEL,
}
"""By the names of both, in alphabetical order."""


def contact_pair(first: str, second: str) -> ContactPair:
    """The published pair of two materials, in either order.

    Args:
        first: one material; see ``PAIRS``.
        second: the other.

    Returns:
        What was published of the pair.

    Raises:
        KeyError: when there is none; a pair cannot be guessed from its materials.
    """
    key = (min(first, second), max(first, second))
    if key not in PAIRS:
        known = "; ".join(" on ".join(pair) for pair in PAIRS)
        raise KeyError(
            f"contact_pair: no published values for {first!r} on {second!r}. Known: {known}. "
            "Measure it, or build a ContactPair."
        )
    return PAIRS[key]
