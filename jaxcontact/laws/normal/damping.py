"""Normal forces with damping, as functions of overlap ``d`` and overlap rate ``d'`` (positive while
compressing).

All are zero, with zero derivatives, for ``d <= 0``, and unclamped otherwise: where the dashpot
outweighs the spring they attract. ``no_tension`` removes that.

Example:
    >>> from jaxcontact.laws import damping
    >>> force = damping.linear_dashpot_force(1e-4, 0.5, stiffness=1e5, damping=2.0)
    >>> print(f"{force:.1f} N")
    11.0 N
"""

import math

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.normal.elastic import (
    elastic_energy,
    hertz_force,
    linear_force,
    power_law_force,
)
from jaxcontact.numerics.smooth import Real, positive_part, positive_power


@law(
    family="damping",
    source="Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445",
    smoothness=lambda exponent, **_: math.ceil(exponent) - 1,
    example={
        "overlap": 1e-3,
        "overlap_rate": -0.4,
        "stiffness": 1e4,
        "exponent": 1.5,
        "dissipation": 0.3,
    },
    variants=({"overlap_rate": 0.4, "exponent": 1},),
    switches=({"overlap": 0.0}, {"overlap": 0.0, "exponent": 1}),
    corners=({"overlap": -1e-3}, {"overlap_rate": 0.0}, {"dissipation": 0.0}),
    energy=lambda overlap, stiffness, exponent: elastic_energy(
        overlap, stiffness=stiffness, exponent=exponent
    ),
    conjugate="overlap_rate",
)
def hunt_crossley_force(
    overlap: Real, overlap_rate: Real, *, stiffness: Real, exponent: Real, dissipation: Real
) -> jax.Array:
    """``F = K d^n (1 + dissipation d')`` [N]; continuous at touch-down and at zero overlap.
    Elementwise.

    With ``dissipation = a/v``, ``v`` the approach speed, ``a`` fixes the restitution
    (``laws.restitution``). Source: Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``K`` [N/m^n].
        exponent: ``n`` [-].
        dissipation: [s/m].
    """
    return power_law_force(overlap, stiffness=stiffness, exponent=exponent) * (
        1.0 + dissipation * overlap_rate
    )


@law(
    family="damping",
    source="Kelvin and Voigt; Schwager and Poeschel, Granular Matter 9 (2007) 465-469",
    smoothness=-1,
    example={"overlap": 1e-3, "overlap_rate": -0.4, "stiffness": 1e4, "damping": 0.3},
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3}, {"overlap_rate": 0.0}, {"overlap": 0.0, "overlap_rate": 0.0}),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=1),
    conjugate="overlap_rate",
)
def linear_dashpot_force(
    overlap: Real, overlap_rate: Real, *, stiffness: Real, damping: Real
) -> jax.Array:
    """``F = k d + c d'`` [N] for ``d > 0``; jumps to ``c d'`` at touch-down. Elementwise.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``k`` [N/m].
        damping: ``c`` [N s/m].
    """
    return linear_force(overlap, stiffness=stiffness) + jnp.where(
        jnp.greater(overlap, 0.0), damping * overlap_rate, 0.0
    )


@law(
    family="damping",
    source="Tsuji, Tanaka and Ishida, Powder Technol. 71 (1992) 239-250",
    smoothness=0,
    example={"overlap": 1e-3, "overlap_rate": -0.4, "stiffness": 1e4, "mass": 0.1, "alpha": 0.3},
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3}, {"overlap_rate": 0.0}, {"alpha": 0.0}, {"overlap": 1e-20}),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=1.5),
    conjugate="overlap_rate",
)
def tsuji_dashpot_force(
    overlap: Real, overlap_rate: Real, *, stiffness: Real, mass: Real, alpha: Real
) -> jax.Array:
    """``F = K d^(3/2) + alpha sqrt(m K) d^(1/4) d'`` [N]; continuous at touch-down. Elementwise.

    The restitution depends on ``alpha`` alone (``laws.restitution``). Source: Tsuji, Tanaka and
    Ishida, Powder Technol. 71 (1992) 239-250, who mean by ``m`` the mass of one of two equal
    spheres; here it is the effective mass, so that their alpha counts sqrt(2) times.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``K`` [N/m^1.5].
        mass: effective mass of the pair [kg].
        alpha: [-].
    """
    return (
        hertz_force(overlap, stiffness=stiffness)
        + tsuji_damping(overlap, stiffness=stiffness, mass=mass, alpha=alpha) * overlap_rate
    )


@describe_arguments
def tsuji_damping(overlap: Real, *, stiffness: Real, mass: Real, alpha: Real) -> jax.Array:
    """Coefficient ``alpha sqrt(m K) d^(1/4)`` [N s/m] of that dashpot, for ``d > 0``, else 0.
    Elementwise; arguments as there.
    """
    return jnp.multiply(alpha, jnp.sqrt(mass * stiffness)) * positive_power(overlap, 0.25)


@law(
    family="damping",
    source="unilateral contact",
    smoothness=0,
    example={"force": 2.0},
    switches=({"force": 0.0},),
    corners=({"force": -2.0},),
)
def no_tension(force: Real) -> jax.Array:
    """``max(F, 0)``: a contact that pushes only. Hard; its derivative jumps where the force crosses
    zero.
    """
    return positive_part(force)
