"""The Friction feature of Rigid Body Contact: a continuous friction law in which sticking is creep.

``F_f = min(mu F_n + F_f,r, F_f,max) phi(|v_slip|/v0)``, ``phi(x) = 1 - exp(-x)`` by default. The
page calls it a continuous law with a characteristic slip velocity; that of friction in joints names
the last factor the regularisation factor, as the multibody literature (Bauchau) does for the
exponential form. The order of the minimum is that of the program's solid contact.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.smoothing import Smoothing, check_smoothing
from jaxcontact.laws.friction.continuous import (
    continuous_friction_force,
    friction_limit,
    smooth_continuous_friction_force,
)
from jaxcontact.laws.friction.coulomb import EXPONENTIAL, REGULARIZATIONS, Regularization
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Interval, is_concrete, model, of, static

_MAXIMUM = dataclasses.replace(
    QUANTITIES["maximum_force"].called("Ff_max"), interval=Interval.parse("[0, inf]"), remedy=""
)


@model
class Friction:
    """Parameters of the Friction feature.

    Attributes:
        mu: friction coefficient.
        v0: characteristic slip velocity. The program's default is 1e-3 of the geometry's diagonal
            per second.
        Ff_r: additional sliding resistance, without load [N]. It acts only where there is contact.
        Ff_max: maximum friction force [N]; infinite, the program's default, or ``None`` is no
            maximum.
        smoothing: rounds the corner at the maximum, at the cost of at most this fraction of the
            force; ``None`` is the hard minimum.
        regularization: ``EXPONENTIAL`` (default), ``TANH`` or another of
            ``laws.friction.REGULARIZATIONS``.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> friction = comsol.Friction(mu=0.5, v0=0.05, Ff_max=6.0)
        >>> print(f"{comsol.friction_magnitude(friction, 1.0, 10.0):.2f} N")
        5.00 N
    """

    mu: Real = of(QUANTITIES["coefficient"].called("mu"))
    v0: Real = of(QUANTITIES["slip_velocity"].called("v0"))
    Ff_r: Real = of(QUANTITIES["sliding_resistance"].called("Ff_r"), default=0.0)
    Ff_max: Real | None = of(_MAXIMUM, default=None)
    smoothing: Real | None = of(QUANTITIES["smoothing"].called("smoothing"), default=None)
    regularization: Regularization = static(default=EXPONENTIAL)

    def __post_init__(self) -> None:
        given = self.Ff_max
        if given is not None and is_concrete(given) and np.isinf(np.asarray(given)).all():
            object.__setattr__(self, "Ff_max", None)  # without the leaf of an unused parameter
        if not isinstance(self.regularization, Regularization):
            raise TypeError(
                f"Friction: regularization = {self.regularization!r} is not a Regularization. "
                f"Take one of REGULARIZATIONS: {', '.join(REGULARIZATIONS)}."
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by the names of ``laws.continuous_friction``, without those of the
        slip.
        """
        return {"coefficient": self.mu, "maximum_force": self.Ff_max, "smoothing": self.smoothing}


def friction_magnitude(
    friction: Friction, slip_speed: Real, normal_force: Real, *, contact: Real = 1.0
) -> jax.Array:
    """``F_f`` [N] at the slip speed ``|v_slip|`` [m/s]. Elementwise.

    Args:
        friction: parameters.
        slip_speed: not negative [m/s].
        normal_force: ``F_n`` [N]; tension counts as 0.
        contact: fraction of ``F_f,r`` that acts: 1 in contact, 0 without.

    Returns:
        Friction force [N], ``(...)``.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> friction = comsol.Friction(mu=0.5, v0=0.05)
        >>> print(f"{comsol.friction_magnitude(friction, 0.05, 10.0):.2f} N")
        3.16 N
    """
    limit = friction_limit(
        normal_force, sliding_resistance=friction.Ff_r * contact, **friction.parameters
    )
    return limit * friction.regularization.ratio(slip_speed / friction.v0)


def check_smooth(owner: str, smooth: Smoothing | None, contact: Any, friction: Any) -> None:
    """Raise unless ``smooth`` and the parameters of contact force and friction go together."""
    check_smoothing(owner, smooth)
    if smooth is None:
        return
    rounded = friction is not None and friction.smoothing is not None
    if rounded or contact.ramp_overlap is not None:
        raise ValueError(
            f"{owner}: smooth takes the place of ramp_overlap, ramp_speed and smoothing of its "
            "parts. Give either."
        )
    if friction is not None and friction.regularization.smoothness < 1:
        raise ValueError(
            f"{owner}: friction.regularization = {friction.regularization.name!r} has a corner "
            "that smooth does not round off. Take the default, or another one of REGULARIZATIONS."
        )


def smooth_friction_force(
    friction: Friction, slip: Real, normal_force: Real, *, contact: Real, smooth: Smoothing
) -> jax.Array:
    """``friction_force`` with ``sqrt(|v_slip|^2 + speed^2)`` in place of ``|v_slip|`` in
    ``phi(x)/x`` and its maximum rounded off: two continuous derivatives, ``(..., 3)`` [N].

    Smaller by at most the fraction ``share`` of the hard form where there is a maximum, and by
    ``(speed/v0)^2/4`` of the limit (``MODIA3D``, which is steeper: six times that).
    """
    slip = jnp.asarray(slip)
    limit = friction_limit(
        normal_force,
        coefficient=friction.mu,
        sliding_resistance=friction.Ff_r * contact,
        maximum_force=friction.Ff_max,
        smoothing=smooth.share,
    )
    speed = jnp.sqrt(jnp.sum(slip * slip, axis=-1) + smooth.speed**2)
    factor = limit * friction.regularization.secant(speed / friction.v0) / friction.v0
    return -factor[..., None] * slip


def friction_force(
    friction: Friction,
    slip: Real,
    normal_force: Real,
    *,
    contact: Real = 1.0,
    smooth: Smoothing | None = None,
) -> jax.Array:
    """``-F_f v_slip/|v_slip|`` [N], ``(..., 3)``, on the body whose slip it is; zero and
    differentiable without slip.

    Args:
        friction: parameters.
        slip: ``v_slip``, ``(..., 3)``: velocity of the body at the contact against its partner,
            along the surface [m/s].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        contact: ``(...)`` fraction of ``F_f,r`` that acts: 1 in contact, 0 without.
        smooth: the smooth form; ``None``, the default, is what the parameters say.

    Returns:
        Friction force [N], ``(..., 3)``.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> friction = comsol.Friction(mu=0.5, v0=0.05)
        >>> force = comsol.friction_force(friction, jnp.array([1.0, 0.0, 0.0]), 10.0)
        >>> print(f"{force[0]:.2f} N")
        -5.00 N
    """
    if smooth is not None:
        return smooth_friction_force(friction, slip, normal_force, contact=contact, smooth=smooth)
    law: dict[str, Any] = {
        "coefficient": friction.mu,
        "sliding_resistance": friction.Ff_r * contact,
        "maximum_force": friction.Ff_max,
        "slip_velocity": friction.v0,
        "regularization": friction.regularization,
    }
    if friction.smoothing is None:
        return continuous_friction_force(slip, normal_force, **law)
    return smooth_continuous_friction_force(slip, normal_force, smoothing=friction.smoothing, **law)


def optional_friction(
    friction: Friction | None,
    slip: jax.Array,
    normal_force: Real,
    contact: Real,
    smooth: Smoothing | None,
) -> jax.Array:
    """``friction_force``, or no force, ``(..., 3)``."""
    return (
        jnp.zeros_like(slip)
        if friction is None
        else friction_force(friction, slip, normal_force, contact=contact, smooth=smooth)
    )


def dissipation_rate(force: Real, slip: Real) -> jax.Array:
    """Power ``F_f |v_slip|`` [W] that friction turns into heat, ``(...)``; never negative.

    Args:
        force: friction force [N], ``(..., 3)``.
        slip: slip velocity [m/s], ``(..., 3)``.

    Returns:
        Power [W] that friction takes away, ``(...)``.

    Example:
        >>> from jaxcontact.systems import comsol
        >>> force, slip = jnp.array([-5.0, 0.0, 0.0]), jnp.array([0.5, 0.0, 0.0])
        >>> print(f"{comsol.dissipation_rate(force, slip):.1f} W")
        2.5 W
    """
    return -jnp.sum(force * jnp.asarray(slip), axis=-1)
