"""Continuous friction with a resistance that needs no load, and with a largest force.

``F = -L phi(|s|/v) s/|s|``, ``L = min(mu F_n + F_r, F_max)``: Coulomb friction, a cohesive part
``F_r`` and a strength ``F_max``, smoothed in the slip as in ``laws.friction``.

``F_r`` does not vanish with the load. Whoever calls must take it away where there is no contact.

Example:
    >>> from jaxcontact.laws import continuous_friction
    >>> limit = continuous_friction.friction_limit(
    ...     10.0, coefficient=0.3, sliding_resistance=0.5
    ... )
    >>> print(f"{limit:.2f} N")
    3.50 N
"""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.registry import law
from jaxcontact.laws.friction.coulomb import EXPONENTIAL, TANH, Regularization, friction_force
from jaxcontact.numerics.smooth import Real, positive_part, smooth_minimum

_SOURCE = (
    "COMSOL Multiphysics, Theory of Friction in Rigid Body Contact; regularisation factor as "
    "Bauchau's"
)
_EXAMPLE = {
    "slip": (0.3, -0.2, 0.1),
    "normal_force": 10.0,
    "coefficient": 0.5,
    "sliding_resistance": 1.0,
    "maximum_force": 8.0,
    "slip_velocity": 0.25,
    "regularization": EXPONENTIAL,
}
_NO_SLIP = {"slip": (0.0, 0.0, 0.0)}
_OTHERS = (
    {"regularization": TANH},
    {"maximum_force": 2.0},
    {"normal_force": -3.0},
)
_CORNERS = (
    _NO_SLIP,
    {**_NO_SLIP, "regularization": TANH},
    {"coefficient": 0.0, "sliding_resistance": 0.0},
    {"normal_force": 0.0},
    {"maximum_force": 0.0},
    {"maximum_force": 0.0, "coefficient": 0.0, "sliding_resistance": 0.0},
    {"slip": (30.0, 0.0, 0.0), "slip_velocity": 1e-6},
)


def friction_limit(
    normal_force: Real,
    *,
    coefficient: Real,
    sliding_resistance: Real,
    maximum_force: Real | None = None,
    smoothing: Real | None = None,
) -> jax.Array:
    """Friction in full sliding ``min(mu F_n + F_r, F_max)`` [N]. Elementwise.

    Args:
        normal_force: ``F_n`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        sliding_resistance: ``F_r >= 0`` [N].
        maximum_force: ``F_max >= 0`` [N]; ``None`` is no maximum.
        smoothing: ``h`` of ``smooth.smooth_minimum``; ``None`` is the hard minimum.
    """
    limit = jnp.multiply(coefficient, positive_part(normal_force)) + sliding_resistance
    if maximum_force is None:
        return limit
    if smoothing is None:
        return jnp.where(limit > maximum_force, maximum_force, limit)
    return smooth_minimum(limit, maximum_force, smoothing)


@law(
    family="friction",
    source=_SOURCE,
    smoothness=lambda slip, regularization, **_: regularization.smoothness if not any(slip) else 0,
    example=_EXAMPLE,
    variants=(*_OTHERS, {"maximum_force": None}),
    switches=({"maximum_force": 6.0}, _NO_SLIP, {**_NO_SLIP, "regularization": TANH}),
    corners=_CORNERS,
    conjugate="slip",
)
def continuous_friction_force(
    slip: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    sliding_resistance: Real = 0.0,
    maximum_force: Real | None = None,
    slip_velocity: Real,
    regularization: Regularization = EXPONENTIAL,
) -> jax.Array:
    """``-min(mu F_n + F_r, F_max) phi(|s|/v) s/|s|`` [N] on the body whose slip is ``s``. Zero and
    differentiable at ``s = 0``.

    As a function of the slip as smooth as the regularisation: ``exponential`` once, ``tanh``
    without end. A corner at the maximum.

    Source: COMSOL Multiphysics, Theory of Friction in Rigid Body Contact, whose formula is
    reconstructed from its words.

    Args:
        slip: ``s``, ``(..., k)`` tangential velocity of the body against its partner at the contact
            [m/s].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        sliding_resistance: ``F_r >= 0`` [N].
        maximum_force: ``F_max >= 0`` [N]; ``None`` is no maximum.
        slip_velocity: ``v > 0`` [m/s].
        regularization: ``phi``.

    Returns:
        ``(..., k)``.
    """
    limit = friction_limit(
        normal_force,
        coefficient=coefficient,
        sliding_resistance=sliding_resistance,
        maximum_force=maximum_force,
    )
    return friction_force(
        slip, limit, coefficient=1.0, slip_velocity=slip_velocity, regularization=regularization
    )


def _smoothing_deficit(
    slip: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    sliding_resistance: Real,
    maximum_force: Real,
    smoothing: Real,
    **_: object,
) -> jax.Array:
    """``h min(mu F_n + F_r, F_max)``."""
    limit = friction_limit(
        normal_force,
        coefficient=coefficient,
        sliding_resistance=sliding_resistance,
        maximum_force=maximum_force,
    )
    return jnp.multiply(smoothing, limit)


@law(
    family="friction",
    source="the law above with a smooth minimum",
    smoothness=lambda slip, regularization, **_: (
        regularization.smoothness if not any(slip) else float("inf")
    ),
    example={**_EXAMPLE, "smoothing": 0.05},
    variants=_OTHERS,
    switches=({"maximum_force": 6.0}, _NO_SLIP, {**_NO_SLIP, "regularization": TANH}),
    corners=_CORNERS,
    approximates="continuous_friction_force",
    within=_smoothing_deficit,
    conjugate="slip",
)
def smooth_continuous_friction_force(
    slip: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    sliding_resistance: Real = 0.0,
    maximum_force: Real | None = None,
    slip_velocity: Real,
    smoothing: Real,
    regularization: Regularization = TANH,
) -> jax.Array:
    """``continuous_friction_force`` without the corner where the maximum is reached: smaller by at
    most the fraction ``h`` of the force.

    Args:
        slip: ``s``, ``(..., k)`` tangential velocity of the body against its partner at the contact
            [m/s].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        sliding_resistance: ``F_r >= 0`` [N].
        maximum_force: ``F_max >= 0`` [N]; ``None`` is no maximum.
        slip_velocity: ``v > 0`` [m/s].
        smoothing: ``h`` in (0, 1).
        regularization: ``phi``.

    Returns:
        ``(..., k)``.
    """
    limit = friction_limit(
        normal_force,
        coefficient=coefficient,
        sliding_resistance=sliding_resistance,
        maximum_force=maximum_force,
        smoothing=smoothing,
    )
    return friction_force(
        slip, limit, coefficient=1.0, slip_velocity=slip_velocity, regularization=regularization
    )
