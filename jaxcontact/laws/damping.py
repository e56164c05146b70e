"""Normal forces with damping, as functions of overlap ``d`` and overlap rate ``d'`` (positive while compressing).

All are zero, with zero derivatives, for ``d <= 0``, and unclamped otherwise: where the dashpot outweighs the spring they attract.
``no_tension`` removes that.
"""

import jax
import jax.numpy as jnp

from jaxcontact.laws.elastic import hertz_force, linear_force, power_law_force
from jaxcontact.smooth import Real, positive_part, positive_power


def hunt_crossley_force(overlap: Real, overlap_rate: Real, *, stiffness: Real, exponent: Real, damping: Real) -> jax.Array:
    """``F = K d^n (1 + damping d')`` [N]; continuous at touch-down and at zero overlap. Elementwise.

    With ``damping = a/v``, ``v`` the approach speed, ``a`` fixes the restitution (``laws.restitution``).
    Source: Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
        damping: [s/m].
    """
    return power_law_force(overlap, stiffness=stiffness, exponent=exponent) * (1.0 + damping * overlap_rate)


def linear_dashpot_force(overlap: Real, overlap_rate: Real, *, stiffness: Real, damping: Real) -> jax.Array:
    """``F = k d + c d'`` [N] for ``d > 0``; jumps to ``c d'`` at touch-down. Elementwise.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``k`` [N/m].
        damping: ``c`` [N s/m].
    """
    return linear_force(overlap, stiffness=stiffness) + jnp.where(jnp.greater(overlap, 0.0), damping * overlap_rate, 0.0)


def tsuji_dashpot_force(overlap: Real, overlap_rate: Real, *, stiffness: Real, mass: Real, alpha: Real) -> jax.Array:
    """``F = K d^(3/2) + alpha sqrt(m K) d^(1/4) d'`` [N]; continuous at touch-down. Elementwise.

    The restitution depends on ``alpha`` alone (``laws.restitution``). Source: Tsuji, Tanaka and Ishida, Powder Technol. 71 (1992) 239-250,
    who mean by ``m`` the mass of one of two equal spheres; here it is the effective mass, so that their alpha counts sqrt(2) times.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``K`` [N/m^1.5].
        mass: effective mass of the pair [kg].
        alpha: [-].
    """
    dashpot = alpha * jnp.sqrt(mass * stiffness) * positive_power(overlap, 0.25) * overlap_rate
    return hertz_force(overlap, stiffness=stiffness) + dashpot


def no_tension(force: Real) -> jax.Array:
    """``max(F, 0)``: a contact that pushes only. Hard; its derivative jumps where the force crosses zero."""
    return positive_part(force)
