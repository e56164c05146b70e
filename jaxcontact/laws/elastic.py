"""Elastic normal forces ``F = K d^n`` of a positive overlap ``d`` and what follows from their energy.

Value and derivatives with respect to overlap, stiffness and exponent are zero for ``d <= 0``. ``F`` is continuous with ``ceil(n) - 1``
derivatives at ``d = 0``.
"""

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln

from jaxcontact.smooth import Real, positive_power


def power_law_force(overlap: Real, *, stiffness: Real, exponent: Real) -> jax.Array:
    """``F = K d^n`` [N] for ``d > 0``, else 0. Elementwise.

    Args:
        overlap: ``d`` [m].
        stiffness: ``K > 0`` [N/m^n].
        exponent: ``n > 0`` [-]; a Python 1, 1.5, 2, ... is faster than an array.
    """
    return stiffness * positive_power(overlap, exponent)


def linear_force(overlap: Real, *, stiffness: Real) -> jax.Array:
    """``F = k d`` [N] for ``d > 0``, else 0; ``stiffness`` in N/m."""
    return power_law_force(overlap, stiffness=stiffness, exponent=1)


def hertz_force(overlap: Real, *, stiffness: Real) -> jax.Array:
    """``F = K d^(3/2)`` [N] for ``d > 0``, else 0; ``stiffness`` in N/m^1.5.

    Source: Hertz (1882); Johnson, Contact Mechanics (1985), section 4.2: elastic spheres, contact radius small beside the radii.
    """
    return power_law_force(overlap, stiffness=stiffness, exponent=1.5)


def elastic_energy(overlap: Real, *, stiffness: Real, exponent: Real) -> jax.Array:
    """Stored energy ``K d^(n+1)/(n+1)`` [J] for ``d > 0``, else 0. Arguments as for ``power_law_force``."""
    return power_law_force(overlap, stiffness=stiffness, exponent=exponent + 1) / (exponent + 1)


def maximum_overlap(speed: Real, *, mass: Real, stiffness: Real, exponent: Real) -> jax.Array:
    """Largest overlap ``((n+1) m v^2/(2 K))^(1/(n+1))`` [m] of an undamped impact. Elementwise.

    Args:
        speed: approach speed at touch-down [m/s]; 0 gives 0 with zero derivatives.
        mass: effective mass of the pair [kg].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
    """
    order = exponent + 1
    return positive_power(order * mass * speed * speed / (2 * stiffness), 1 / order)


def contact_duration(speed: Real, *, mass: Real, stiffness: Real, exponent: Real) -> jax.Array:
    """Duration ``2 sqrt(pi) Gamma(1+p)/Gamma(1/2+p) d_max/v`` [s], ``p = 1/(n+1)``, of an undamped impact. Elementwise.

    2.943 ``d_max/v`` for Hertz contact, ``pi sqrt(m/k)`` for ``n = 1``. Source: Johnson, Contact Mechanics (1985), section 11.4.

    Args:
        speed: approach speed at touch-down [m/s], positive.
        mass: effective mass of the pair [kg].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
    """
    p = jnp.asarray(1 / (exponent + 1))
    factor = 2 * jnp.sqrt(jnp.pi) * jnp.exp(gammaln(1 + p) - gammaln(0.5 + p))
    return factor * maximum_overlap(speed, mass=mass, stiffness=stiffness, exponent=exponent) / speed


def static_overlap(load: Real, *, stiffness: Real, exponent: Real) -> jax.Array:
    """Overlap ``(F/K)^(1/n)`` [m] under a constant load. Elementwise.

    The true slope at zero load is infinite for ``n > 1``; value and derivatives are set to 0 for ``load <= 0``.

    Args:
        load: ``F`` [N].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
    """
    return positive_power(load / stiffness, 1 / exponent)
