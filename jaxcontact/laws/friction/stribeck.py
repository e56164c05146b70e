"""Friction that falls from a static to a dynamic coefficient as the slip grows (Stribeck), with a
viscous part.

At slip ``s`` the coefficient is::

    mu(s) = mu_d + (mu_s - mu_d) exp(-(|s|/v_S)^2) + c |s|,

``mu_s`` static, ``mu_d`` dynamic, ``v_S`` the Stribeck velocity, ``c`` [s/m] the viscous part. The
hard law ``-mu(s) F_n s/|s|`` jumps at zero slip, where any force up to ``mu_s F_n`` may act; the
regularised one rises from 0 over the slip velocity ``v``. Take ``v`` much smaller than ``v_S``, or
the static peak is not reached. Tension carries no friction.

Example:
    >>> from jaxcontact.laws import stribeck
    >>> slip = jnp.array([0.5, 0.0, 0.0])
    >>> force = stribeck.stribeck_force(
    ...     slip, 10.0, static_coefficient=0.4, coefficient=0.3, stribeck_velocity=0.01
    ... )
    >>> print(f"{force[0]:.2f} N")
    -3.00 N
"""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.registry import law
from jaxcontact.laws.friction.coulomb import LINEAR, ROOT, TANH, Regularization, friction_force
from jaxcontact.numerics.smooth import Real, positive_part, safe_norm, tanh_ratio

_SOURCE = "Armstrong-Helouvry, Dupont and Canudas de Wit, Automatica 30 (1994) 1083-1138"
_COEFFICIENTS = {
    "static_coefficient": 0.5,
    "coefficient": 0.3,
    "stribeck_velocity": 0.2,
    "viscous_coefficient": 0.05,
}
_EXAMPLE = {"slip": (0.3, -0.2, 0.1), "normal_force": 10.0, **_COEFFICIENTS}
_EQUAL = {"static_coefficient": 0.3}
_NO_FRICTION = {"static_coefficient": 0.0, "coefficient": 0.0, "viscous_coefficient": 0.0}
_CORNERS = (
    {"slip": (0.0, 0.0, 0.0)},
    {"slip": (1e-20, 0.0, 0.0)},
    {"normal_force": 0.0},
    {"normal_force": -5.0},
    {"slip": (0.0, 0.0, 0.0), **_NO_FRICTION},
    {"slip": (90.0, 0.0, 0.0), "stribeck_velocity": 1e-3},
)


@law(
    family="friction",
    source=_SOURCE,
    smoothness=float("inf"),
    example={"slip": (0.3, -0.2, 0.1), **_COEFFICIENTS, "viscous_coefficient": 0.0},
    variants=(_EQUAL, {"slip": (0.03, -0.02, 0.01)}),
    switches=({"slip": (0.0, 0.0, 0.0)},),
    corners=(
        {"slip": (1e-20, 0.0, 0.0)},
        {"slip": (90.0, 0.0, 0.0), "stribeck_velocity": 1e-3},
        _NO_FRICTION,
    ),
)
def stribeck_coefficient(
    slip: Real,
    *,
    static_coefficient: Real,
    coefficient: Real,
    stribeck_velocity: Real,
    viscous_coefficient: Real = 0.0,
) -> jax.Array:
    """Friction coefficient ``mu(s) = mu_d + (mu_s - mu_d) exp(-(|s|/v_S)^2) + c |s|``, ``(...)``
    [-].

    Any number of derivatives without the viscous part, which has a corner at zero slip (the force
    has none).

    Args:
        slip: ``s``, ``(..., k)`` [m/s].
        static_coefficient: ``mu_s`` [-].
        coefficient: ``mu_d`` [-].
        stribeck_velocity: ``v_S > 0`` [m/s].
        viscous_coefficient: ``c`` [s/m].
    """
    slip = jnp.asarray(slip)
    ratio = slip / jnp.asarray(stribeck_velocity)[..., None]
    falling = (static_coefficient - coefficient) * jnp.exp(-jnp.sum(ratio * ratio, axis=-1))
    return jnp.add(coefficient, falling) + viscous_coefficient * safe_norm(slip)


@law(
    family="friction",
    source=_SOURCE,
    smoothness=-1,
    example=_EXAMPLE,
    variants=(_EQUAL, {"slip": (0.03, -0.02, 0.01)}),
    switches=({"slip": (0.0, 0.0, 0.0)},),
    corners=_CORNERS,
    conjugate="slip",
)
def stribeck_force(
    slip: Real,
    normal_force: Real,
    *,
    static_coefficient: Real,
    coefficient: Real,
    stribeck_velocity: Real,
    viscous_coefficient: Real = 0.0,
) -> jax.Array:
    """Hard Stribeck friction ``-mu(s) F_n s/|s|``, ``(..., k)`` [N] on the body whose slip is
    ``s``; 0 with zero derivative at ``s = 0``.

    It jumps there, so it cannot hold a body at rest: use a regularised form, or a spring with
    memory, for that.

    Args:
        slip: ``s``, ``(..., k)`` [m/s].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        static_coefficient: ``mu_s`` [-].
        coefficient: ``mu_d`` [-].
        stribeck_velocity: ``v_S > 0`` [m/s].
        viscous_coefficient: ``c`` [s/m].
    """
    slip = jnp.asarray(slip)
    mu = stribeck_coefficient(
        slip,
        static_coefficient=static_coefficient,
        coefficient=coefficient,
        stribeck_velocity=stribeck_velocity,
        viscous_coefficient=viscous_coefficient,
    )
    return -slip * (mu * positive_part(normal_force) * _inverse(safe_norm(slip)))[..., None]


def _inverse(size: jax.Array) -> jax.Array:
    """``1/size``, 0 where its cube, of which second derivatives are made, would not be
    representable.
    """
    moves = size > jnp.finfo(size.dtype).tiny ** (1.0 / 3.0)
    return jnp.where(moves, 1.0 / jnp.where(moves, size, 1.0), 0.0)


def _distance_from_hard_friction(
    slip: Real,
    normal_force: Real,
    *,
    static_coefficient: Real,
    coefficient: Real,
    viscous_coefficient: Real,
    slip_velocity: Real,
    regularization: Regularization,
    **_: Real,
) -> jax.Array:
    """Bound [N] on the difference between the regularised force and the hard one."""
    speed = safe_norm(jnp.asarray(slip))
    largest = jnp.add(max(static_coefficient, coefficient), viscous_coefficient * speed)
    rounding = 1e-15
    missing = 1.0 + rounding - regularization.ratio(speed / slip_velocity)
    return largest * positive_part(normal_force) * missing


@law(
    family="friction",
    source=_SOURCE,
    smoothness=lambda regularization, viscous_coefficient=0.0, **_: regularization.smoothness,
    example={**_EXAMPLE, "slip_velocity": 0.05, "regularization": TANH},
    variants=(
        {"slip": (0.03, -0.02, 0.01)},
        {"regularization": ROOT},
        {"regularization": LINEAR},
        {"regularization": LINEAR, "slip": (0.03, -0.02, 0.01)},
        _EQUAL,
    ),
    switches=(
        {"slip": (0.0, 0.0, 0.0), "viscous_coefficient": 0.0},
        {"slip": (0.05, 0.0, 0.0), "regularization": LINEAR},
    ),
    corners=_CORNERS,
    conjugate="slip",
    approximates="stribeck_force",
    within=_distance_from_hard_friction,
)
def regularized_stribeck_force(
    slip: Real,
    normal_force: Real,
    *,
    static_coefficient: Real,
    coefficient: Real,
    stribeck_velocity: Real,
    viscous_coefficient: Real = 0.0,
    slip_velocity: Real,
    regularization: Regularization,
) -> jax.Array:
    """Regularised Stribeck friction ``-mu(s) F_n phi(|s|/v) s/|s|``, ``(..., k)`` [N] on the body
    whose slip is ``s``.

    ``phi`` as in ``laws.friction``: piecewise linear (``LINEAR``, a corner at ``|s| = v``) or
    smooth (``ROOT``, ``TANH``); the order of smoothness is that of the regularisation, with a
    viscous part at most 1 at zero slip. It differs from the hard form by at most ``(max(mu_s, mu_d)
    + c |s|) F_n (1 - phi(|s|/v))``. A load below the peak is not held but creeps at a fraction of
    ``v``.

    Args:
        slip: ``s``, ``(..., k)`` [m/s].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        static_coefficient: ``mu_s`` [-].
        coefficient: ``mu_d`` [-].
        stribeck_velocity: ``v_S > 0`` [m/s].
        viscous_coefficient: ``c`` [s/m].
        slip_velocity: ``v > 0`` [m/s], much less than ``v_S``.
        regularization: ``phi``.
    """
    mu = stribeck_coefficient(
        slip,
        static_coefficient=static_coefficient,
        coefficient=coefficient,
        stribeck_velocity=stribeck_velocity,
        viscous_coefficient=viscous_coefficient,
    )
    return friction_force(
        slip,
        normal_force,
        coefficient=mu,
        slip_velocity=slip_velocity,
        regularization=regularization,
    )


@law(
    family="friction",
    source="Brown and McPhee, J. Comput. Nonlinear Dyn. 11 (2016) 054502",
    smoothness=float("inf"),
    example={
        **{key: value for key, value in _EXAMPLE.items() if key != "stribeck_velocity"},
        "slip_velocity": 0.1,
    },
    variants=({"slip": (0.03, -0.02, 0.01)}, {"static_coefficient": 0.3}),
    switches=({"slip": (0.0, 0.0, 0.0)},),
    corners=(
        {"slip": (1e-20, 0.0, 0.0)},
        {"normal_force": 0.0},
        {"normal_force": -5.0},
        {"slip": (0.0, 0.0, 0.0), **_NO_FRICTION},
        {"slip": (90.0, 0.0, 0.0), "slip_velocity": 1e-3},
    ),
    conjugate="slip",
)
def brown_mcphee_force(
    slip: Real,
    normal_force: Real,
    *,
    static_coefficient: Real,
    coefficient: Real,
    viscous_coefficient: Real = 0.0,
    slip_velocity: Real,
) -> jax.Array:
    """``-F_n (mu_d tanh(4 x) + (mu_s - mu_d) x/(x^2/4 + 3/4)^2 + c |s|) s/|s|``, ``x = |s|/v``,
    ``(..., k)`` [N].

    Any number of derivatives. One velocity sets both the regularisation and the Stribeck effect:
    the peak, ``mu_s`` to 0.1 % of ``mu_d``, lies at ``x = 1``.

    Args:
        slip: ``s``, ``(..., k)`` [m/s].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        static_coefficient: ``mu_s`` [-].
        coefficient: ``mu_d`` [-].
        viscous_coefficient: ``c`` [s/m].
        slip_velocity: ``v > 0`` [m/s].
    """
    slip = jnp.asarray(slip)
    ratio = slip / jnp.asarray(slip_velocity)[..., None]
    squared = jnp.sum(ratio * ratio, axis=-1)
    peak = (static_coefficient - coefficient) / jnp.square(0.25 * squared + 0.75)
    secant = (
        4.0 * coefficient * tanh_ratio(4.0 * safe_norm(ratio))
        + peak
        + viscous_coefficient * slip_velocity
    )
    return -ratio * (positive_part(normal_force) * secant)[..., None]
