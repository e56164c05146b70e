"""Factors of the contact law that come from the shapes: one Hertz contact between the spheres that
stand for them.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.materials import effective_radius, hertz_stiffness
from jaxcontact.numerics.smooth import Real

N_GEO = 1.5
"""Exponent of the overlap."""


class GeometryFactors(NamedTuple):
    """Attributes: ``c_geo = (4/3) sqrt(mu_r_geo)`` [m^0.5], ``n_geo = 1.5`` [-] and ``mu_r_geo``
    [m], the effective radius.

    Attributes:
        c_geo: ``(4/3) sqrt(mu_r_geo)`` [m^0.5].
        n_geo: exponent of the overlap, 1.5 [-].
        mu_r_geo: effective radius [m].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> factors = modia3d.geometry_factors(0.03, 0.03)
        >>> isinstance(factors, modia3d.GeometryFactors)
        True
        >>> print(f"effective radius {factors.mu_r_geo:.3f} m")
        effective radius 0.015 m
    """

    c_geo: jax.Array
    n_geo: float
    mu_r_geo: Real


def geometry_factors(
    radius1: Real, radius2: Real, *, flat1: bool = False, flat2: bool = False
) -> GeometryFactors:
    """``mu_r_geo``: ``r_i`` of the solid that is not flat if just one is flat, otherwise ``r1
    r2/(r1 + r2)``.

    Args:
        radius1: contact sphere radius of solid 1 [m], positive.
        radius2: contact sphere radius of solid 2 [m], positive.
        flat1: whether solid 1 is flat.
        flat2: whether solid 2 is flat.

    Returns:
        The factors of the contact law that come from the shapes.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> factors = modia3d.geometry_factors(0.03, 1.0, flat2=True)
        >>> print(f"effective radius {factors.mu_r_geo:.2f} m")
        effective radius 0.03 m
    """
    of_one = radius2 if flat1 else radius1
    mu_r_geo = effective_radius(radius1, radius2) if flat1 == flat2 else of_one
    return GeometryFactors(jnp.asarray(hertz_stiffness(1.0, mu_r_geo)), N_GEO, mu_r_geo)
