"""A penalty spring with a dashpot that acts in compression only: ``F = k max(d, 0) + [d > 0] c
max(d', 0)``.

It never attracts. An impact compresses as a damped oscillator and expands as an undamped one, so
that with ``zeta = c/(2 sqrt(k m))``::

    e = exp(-zeta acos(zeta)/sqrt(1 - zeta^2)),

the root of what the dashpot gives that acts both ways and ends at zero force
(``laws.restitution.zero_force_restitution``). Without a spring (``k = 0``) nothing drives the
bodies apart: ``e = 0``, and the largest overlap is ``m v/c``.

Example:
    >>> from jaxcontact.laws import one_sided_dashpot
    >>> zeta = one_sided_dashpot.one_sided_damping(0.8)
    >>> print(f"{one_sided_dashpot.one_sided_restitution(zeta):.3f}")
    0.800
"""

import math

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.damping_maps import (
    zero_force_damping,
    zero_force_duration,
    zero_force_restitution,
)
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.normal.elastic import elastic_energy, linear_force
from jaxcontact.numerics.smooth import Real, positive_part, ramp, smooth_step

_SOURCE = (
    "penalty with a viscous term that makes the gap rate zero, as COMSOL's dynamic penalty; "
    "restitution: linear oscillator"
)
_EXAMPLE = {"overlap": 1e-3, "overlap_rate": 0.4, "stiffness": 1e4, "damping": 30.0}


@law(
    family="damping",
    source=_SOURCE,
    smoothness=lambda overlap, overlap_rate, **_: (
        -1 if overlap == 0.0 and overlap_rate > 0.0 else 0
    ),
    example=_EXAMPLE,
    variants=({"overlap_rate": -0.4}, {"overlap": -1e-3}, {"stiffness": 0.0}),
    switches=({"overlap": 0.0}, {"overlap_rate": 0.0}, {"overlap": 0.0, "overlap_rate": -0.4}),
    corners=(
        {"overlap": 0.0, "overlap_rate": 0.0},
        {"damping": 0.0},
        {"stiffness": 0.0, "damping": 0.0},
    ),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=1),
    conjugate="overlap_rate",
)
def one_sided_dashpot_force(
    overlap: Real, overlap_rate: Real, *, stiffness: Real, damping: Real
) -> jax.Array:
    """``F = k d + c max(d', 0)`` [N] for ``d > 0``, else 0; jumps to ``c d'`` at touch-down.
    Elementwise.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``k >= 0`` [N/m]; 0 is a viscous contact.
        damping: ``c >= 0`` [N s/m].
    """
    dashpot = jnp.where(jnp.greater(overlap, 0.0), damping * positive_part(overlap_rate), 0.0)
    return linear_force(overlap, stiffness=stiffness) + dashpot


def _ramped_energy(overlap: Real, stiffness: Real, ramp_overlap: Real) -> jax.Array:
    """Integral of ``k ramp(d)``: ``k d_r^2 (t^5/2 - t^6/2 + t^7/7)``, ``t = d/d_r``, up to ``t =
    1``, parabolic beyond.
    """
    width = ramp_overlap
    t = jnp.clip(overlap / width, 0.0, 1.0)
    beyond = jnp.where(
        overlap > width, jnp.square(overlap - 0.5 * width) / 2.0 - jnp.square(width) / 8.0, 0.0
    )
    inside = width * width * t**5 * (0.5 - t * (0.5 - t / 7.0))
    return jnp.multiply(stiffness, inside + beyond)


def _ramped_deficit(
    overlap: Real,
    overlap_rate: Real,
    *,
    stiffness: Real,
    damping: Real,
    ramp_overlap: Real,
    ramp_speed: Real,
) -> jax.Array:
    """``k d_r/2 + c v_r/2 + [0 < d < d_r] c max(d', 0)``."""
    onset = jnp.greater(overlap, 0.0) & jnp.less(overlap, ramp_overlap)
    return jnp.add(
        0.5 * (stiffness * ramp_overlap + damping * ramp_speed),
        jnp.where(onset, damping * positive_part(overlap_rate), 0.0),
    )


@law(
    family="damping",
    source="the law above with a gradual onset",
    smoothness=2,
    example={**_EXAMPLE, "ramp_overlap": 5e-4, "ramp_speed": 0.1},
    variants=(
        {"overlap_rate": -0.4},
        {"overlap": -1e-3},
        {"overlap": 2e-4, "overlap_rate": 0.03},
        {"stiffness": 0.0},
    ),
    switches=({"overlap": 0.0}, {"overlap_rate": 0.0}, {"overlap": 5e-4}, {"overlap_rate": 0.1}),
    corners=({"overlap": 0.0, "overlap_rate": 0.0}, {"damping": 0.0}),
    approximates="one_sided_dashpot_force",
    within=_ramped_deficit,
    energy=_ramped_energy,
    conjugate="overlap_rate",
)
def ramped_dashpot_force(
    overlap: Real,
    overlap_rate: Real,
    *,
    stiffness: Real,
    damping: Real,
    ramp_overlap: Real,
    ramp_speed: Real,
) -> jax.Array:
    """``F = k r(d) + c r'(d) r(d')`` [N] with ``smooth.ramp`` ``r`` of widths ``d_r`` and ``v_r``
    in place of positive parts. Elementwise.

    Two continuous derivatives. Never above the hard form; below it by at most ``k d_r/2 + c
    v_r/2``, and while ``0 < d < d_r`` by ``c max(d', 0)`` more.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``k >= 0`` [N/m].
        damping: ``c >= 0`` [N s/m].
        ramp_overlap: ``d_r > 0`` [m].
        ramp_speed: ``v_r > 0`` [m/s].
    """
    spring = jnp.multiply(stiffness, ramp(overlap, ramp_overlap))
    return spring + damping * smooth_step(overlap, ramp_overlap) * ramp(overlap_rate, ramp_speed)


@law(
    family="restitution",
    source="linear oscillator, damped in compression only",
    smoothness=math.inf,
    example={"zeta": 0.05},
    variants=({"zeta": 0.7}, {"zeta": 3.0}),
    corners=({"zeta": 0.0}, {"zeta": 1.0}, {"zeta": 1e3}),
)
def one_sided_restitution(zeta: Real) -> jax.Array:
    """Restitution of ``one_sided_dashpot_force``, ``e = exp(-zeta acos(zeta)/sqrt(1 - zeta^2))``,
    ``exp(-1)`` at 1. Elementwise.

    Compression ends after ``acos(zeta)/sqrt(1 - zeta^2)``, in units of ``sqrt(m/k)``, at the
    overlap ``e v sqrt(m/k)``, all of which the spring returns. Beyond ``zeta = 1`` the same
    analytic function continues with ``acosh(zeta)/sqrt(zeta^2 - 1)``.

    Args:
        zeta: damping relative to critical, ``c/(2 sqrt(k m)) >= 0``.
    """
    return jnp.sqrt(zero_force_restitution(zeta))


@law(
    family="restitution",
    source="inverse of one_sided_restitution",
    smoothness=math.inf,
    example={"restitution": 0.6},
    variants=({"restitution": 0.2},),
    corners=({"restitution": 1.0}, {"restitution": math.exp(-1.0)}, {"restitution": 0.05}),
)
def one_sided_damping(restitution: Real) -> jax.Array:
    """Inverse of ``one_sided_restitution``: ``zeta`` for ``e`` in (0, 1] (beyond 1000 at ``e =
    5e-4``). Elementwise.
    """
    return zero_force_damping(jnp.square(restitution))


@describe_arguments
def one_sided_duration(zeta: Real) -> jax.Array:
    """Duration of that contact in units of ``sqrt(m/k)``: ``acos(zeta)/sqrt(1 - zeta^2) + pi/2``.
    Elementwise.
    """
    return 0.5 * (zero_force_duration(zeta) + jnp.pi)
