"""Elastic solids and the effective quantities of a pair in contact.

All combine two bodies as Johnson, Contact Mechanics (1985), chapter 4, does; a missing or infinite partner is rigid, plane or fixed.
"""

import math

import jax
import jax.numpy as jnp

from jaxcontact.field import model, parameter
from jaxcontact.smooth import Real


@model
class Solid:
    """An isotropic elastic solid."""

    youngs_modulus: jax.Array | float = parameter(unit="Pa", label="Young's modulus", symbol="E", interval="(0, inf)", transform="log")
    poisson_ratio: jax.Array | float = parameter(unit="-", label="Poisson's ratio", symbol="nu", interval="(-1, 0.5]", transform="logit")
    density: jax.Array | float | None = parameter(
        unit="kg/m^3", label="density", symbol="rho", interval="(0, inf)", transform="log", default=None
    )

    @property
    def shear_modulus(self) -> Real:
        """``G = E/(2 (1 + nu))`` [Pa]."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))

    @property
    def plane_strain_modulus(self) -> Real:
        """``E/(1 - nu^2)`` [Pa]."""
        return self.youngs_modulus / (1.0 - self.poisson_ratio**2)


def effective_modulus(solid: Solid, partner: Solid | None = None) -> Real:
    """``E*`` [Pa] with ``1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2``; without a partner that of a solid on a rigid one.

    Source: Johnson, Contact Mechanics (1985), section 4.2.
    """
    if partner is None:
        return solid.plane_strain_modulus
    return _series(solid.plane_strain_modulus, partner.plane_strain_modulus)


def effective_radius(radius: Real, partner: Real = math.inf) -> Real:
    """``R*`` [m] with ``1/R* = 1/R1 + 1/R2``; infinite for a plane, negative for a hollow partner."""
    return _series(radius, partner)


def effective_mass(mass: Real, partner: Real = math.inf) -> Real:
    """``m*`` [kg] with ``1/m* = 1/m1 + 1/m2``; infinite for a fixed partner."""
    return _series(mass, partner)


def hertz_stiffness(effective_modulus: Real, effective_radius: Real) -> jax.Array:
    """``K = (4/3) E* sqrt(R*)`` [N/m^1.5] of ``F = K d^1.5`` between spheres, or a sphere and a plane.

    Source: Hertz (1882); Johnson, Contact Mechanics (1985), equation 4.23. Contact radius small beside the radii, strains elastic.
    """
    return 4.0 / 3.0 * effective_modulus * jnp.sqrt(effective_radius)


def _series(first: Real, second: Real) -> Real:
    """``1/(1/a + 1/b)``: an infinite entry drops out, in values and in derivatives."""
    return 1.0 / (1.0 / first + 1.0 / second)


# Kharaz, Gorham and Salman, Powder Technology 120 (2001) 281-291: aluminium oxide spheres on a thick soda-lime glass anvil.
ALUMINA = Solid(youngs_modulus=380e9, poisson_ratio=0.23, density=4000.0)
SODA_LIME_GLASS = Solid(youngs_modulus=70e9, poisson_ratio=0.25)
