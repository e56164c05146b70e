"""Elastic normal forces ``F = K d^n`` of a positive overlap ``d`` and what follows from their
energy.

Value and derivatives with respect to overlap, stiffness and exponent are zero for ``d <= 0``. ``F``
is continuous with ``ceil(n) - 1`` derivatives at ``d = 0``.

Example:
    >>> from jaxcontact.laws import elastic
    >>> print(f"{elastic.hertz_force(1e-4, stiffness=4e7):.1f} N")
    40.0 N
    >>> slope = jax.grad(elastic.hertz_force)(1e-4, stiffness=4e7)
    >>> print(f"{slope:.2e} N/m")
    6.00e+05 N/m
"""

import math

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln

from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.numerics.smooth import Real, positive_power


@describe_arguments
def elastic_energy(overlap: Real, *, stiffness: Real, exponent: Real) -> jax.Array:
    """Stored energy ``K d^(n+1)/(n+1)`` [J] for ``d > 0``, else 0. Arguments as for
    ``power_law_force``.
    """
    return jnp.multiply(stiffness, positive_power(overlap, exponent + 1)) / (exponent + 1)


def _derivatives_at_touch_down(exponent: Real, **_: Real) -> float:
    return math.ceil(exponent) - 1


@law(
    family="elastic",
    source="Johnson, Contact Mechanics (1985), chapter 4, for n = 1.5",
    smoothness=_derivatives_at_touch_down,
    example={"overlap": 1e-3, "stiffness": 1e6, "exponent": 1.5},
    variants=(
        {"exponent": 1},
        {"exponent": 2},
        {"overlap": 0.2, "stiffness": 3.0, "exponent": 2.3},
    ),
    switches=({"overlap": 0.0}, {"overlap": 0.0, "exponent": 1}, {"overlap": 0.0, "exponent": 2}),
    corners=({"overlap": -1e-3}, {"overlap": 1e-20}, {"overlap": 0.5}, {"stiffness": 0.0}),
    energy=elastic_energy,
    conjugate="overlap_rate",
)
def power_law_force(overlap: Real, *, stiffness: Real, exponent: Real) -> jax.Array:
    """``F = K d^n`` [N] for ``d > 0``, else 0. Elementwise.

    Args:
        overlap: ``d`` [m].
        stiffness: ``K > 0`` [N/m^n].
        exponent: ``n > 0`` [-]; a Python 1, 1.5, 2, ... is faster than an array.
    """
    return jnp.multiply(stiffness, positive_power(overlap, exponent))


@law(
    family="elastic",
    source="Hooke's law",
    smoothness=0,
    example={"overlap": 1e-3, "stiffness": 1e5},
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3},),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=1),
    conjugate="overlap_rate",
)
def linear_force(overlap: Real, *, stiffness: Real) -> jax.Array:
    """``F = k d`` [N] for ``d > 0``, else 0; ``stiffness`` in N/m."""
    return power_law_force(overlap, stiffness=stiffness, exponent=1)


@law(
    family="elastic",
    source="Hertz (1882); Johnson, Contact Mechanics (1985), section 4.2",
    smoothness=1,
    example={"overlap": 1e-3, "stiffness": 1e6},
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3}, {"overlap": 1e-20}),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=1.5),
    conjugate="overlap_rate",
)
def hertz_force(overlap: Real, *, stiffness: Real) -> jax.Array:
    """``F = K d^(3/2)`` [N] for ``d > 0``, else 0; ``stiffness`` in N/m^1.5.

    Source: Hertz (1882); Johnson, Contact Mechanics (1985), section 4.2: elastic spheres, contact
    radius small beside the radii.
    """
    return power_law_force(overlap, stiffness=stiffness, exponent=1.5)


@law(
    family="elastic impact",
    source="energy integral",
    smoothness=math.inf,
    example={"impact_speed": 0.7, "mass": 0.2, "stiffness": 1e4, "exponent": 1.5},
    corners=({"impact_speed": 0.0}, {"impact_speed": 1e-12}),
)
def maximum_overlap(
    impact_speed: Real, *, mass: Real, stiffness: Real, exponent: Real
) -> jax.Array:
    """Largest overlap ``((n+1) m v^2/(2 K))^(1/(n+1))`` [m] of an undamped impact. Elementwise.

    Args:
        impact_speed: approach speed at touch-down [m/s]; 0 gives 0 with zero derivatives.
        mass: effective mass of the pair [kg].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
    """
    order = exponent + 1
    # Two powers instead of one of m v^2/K, whose second derivative overflows in single precision at
    # small speeds.
    return positive_power(order * mass / (2 * stiffness), 1 / order) * positive_power(
        impact_speed, 2 / order
    )


@law(
    family="elastic impact",
    source="Johnson, Contact Mechanics (1985), section 11.4",
    smoothness=math.inf,
    example={"impact_speed": 0.7, "mass": 0.2, "stiffness": 1e4, "exponent": 1.5},
)
def contact_duration(
    impact_speed: Real, *, mass: Real, stiffness: Real, exponent: Real
) -> jax.Array:
    """Duration ``2 sqrt(pi) Gamma(1+p)/Gamma(1/2+p) d_max/v`` [s], ``p = 1/(n+1)``, of an undamped
    impact. Elementwise.

    2.943 ``d_max/v`` for Hertz contact, ``pi sqrt(m/k)`` for ``n = 1``. Source: Johnson, Contact
    Mechanics (1985), section 11.4.

    Args:
        impact_speed: approach speed at touch-down [m/s], positive.
        mass: effective mass of the pair [kg].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
    """
    p = jnp.asarray(1 / (exponent + 1))
    factor = 2 * jnp.sqrt(jnp.pi) * jnp.exp(gammaln(1 + p) - gammaln(0.5 + p))
    return (
        factor
        * maximum_overlap(impact_speed, mass=mass, stiffness=stiffness, exponent=exponent)
        / impact_speed
    )


@law(
    family="elastic",
    source="inverse of the force law",
    smoothness=0,
    example={"load": 2.0, "stiffness": 1e4, "exponent": 1.5},
    variants=({"exponent": 1},),
    switches=({"load": 0.0, "exponent": 1},),
    corners=({"load": 0.0}, {"load": -1.0}),
)
def static_overlap(load: Real, *, stiffness: Real, exponent: Real) -> jax.Array:
    """Overlap ``(F/K)^(1/n)`` [m] under a constant load. Elementwise.

    The true slope at zero load is infinite for ``n > 1``; value and derivatives are set to 0 for
    ``load <= 0``.

    Args:
        load: ``F`` [N].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
    """
    return positive_power(load / stiffness, 1 / exponent)
