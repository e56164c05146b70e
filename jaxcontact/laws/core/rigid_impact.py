"""What laws for rigid impacts share: a duration, and a restitution that differs from impact to
impact.

A law of this kind is a ``RigidLaw`` with the fields ``duration`` and ``deviation`` declared here.

Example:
    >>> from jaxcontact.laws import rigid_impact
    >>> print(f"{rigid_impact.with_odds(0.8, 0.1):.4f}")
    0.8155
"""

from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.normal_interfaces import RigidLaw
from jaxcontact.laws.core.registry import describe_arguments
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import model, parameter

DURATION_EXPONENT = -0.2
"""Of the approach speed in the duration of a contact, by Hertz's law."""

LARGEST_DEVIATION = 40.0
"""Deviation of ``ln(e/(1 - e))`` beyond which the restitution is 0 or 1 to rounding."""


def duration_field() -> float:
    """Declare the time between touch-down and lift-off at an approach speed of 1 m/s [s].

    Example:
        >>> @jc.model
        ... class HalfRestitution(jc.laws.RigidImpact):
        ...     duration: float = jc.laws.duration_field()
        ...     deviation: float = jc.laws.deviation_field()
        ...     def restitution_at(self, impact_speed, *, mass):
        ...         return 0.5 * jnp.ones_like(impact_speed)
        >>> print(HalfRestitution(duration=1e-4).duration)
        0.0001
    """
    return parameter(
        unit="s",
        label="contact duration at 1 m/s",
        symbol="t_c",
        interval="[0, inf)",
        remedy="0 is a rigid impact.",
        default=0.0,
    )


def deviation_field() -> float:
    """Declare the deviation of each impact in order of time, added to ``ln(e/(1 - e))``.

    Example:
        >>> print(jc.NewtonRestitution(restitution=0.8).deviation)
        0.0
    """
    return parameter(
        unit="-", label="deviation of ln(e/(1 - e)) of each impact", symbol="d_e", default=0.0
    )


@describe_arguments
def with_odds(restitution: Real, deviation: Real) -> jax.Array:
    """The restitution whose ``ln(e/(1 - e))`` is larger by ``deviation``, without the pole at ``e =
    1``. Elementwise; deviations count up to 40, where it is 0 or 1 to rounding.
    """
    # The derivative squares the denominator, which must not overflow.
    odds = jnp.exp(jnp.clip(deviation, -LARGEST_DEVIATION, LARGEST_DEVIATION))
    return jnp.multiply(restitution, odds) / (1.0 - restitution + restitution * odds)


class RigidImpact(RigidLaw):
    """A rigid law whose impacts have a duration, and deviations from its restitution of their own.

    **Implementing a law with a duration.** Inherit from ``RigidImpact``, decorate the class with
    ``model``, declare the parameters and the two fields ``duration = duration_field()`` and
    ``deviation = deviation_field()``, and define ``restitution_at``.

    Example:
        >>> issubclass(jc.NewtonRestitution, jc.laws.RigidImpact)
        True
    """

    duration: Real
    deviation: Real

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("duration", "deviation"):
            if not any(name in vars(base) for base in cls.__mro__):
                raise TypeError(
                    f"{cls.__name__} is a RigidImpact without the field {name}. Declare it: "
                    f"`{name}: float = jc.laws.{name}_field()`; or inherit from RigidLaw, whose "
                    "impacts have no duration and no deviations."
                )

    def duration_at(self, impact_speed: Real) -> Real:
        """Contact duration [s] at the approach speed [m/s], in proportion to ``speed^(-1/5)`` as in
        Hertz's law.
        """
        return self.duration * impact_speed**DURATION_EXPONENT

    def of_impact(self, index: jax.Array) -> "OneImpact":
        """The law of one impact, counted from 0; those beyond the last deviation take that one."""
        deviations = jnp.atleast_1d(jnp.asarray(self.deviation))
        return OneImpact(
            law=self, deviation=deviations[jnp.minimum(index, deviations.shape[0] - 1)]
        )


@model
class OneImpact(RigidLaw):
    """A rigid law as it is in one impact.

    Attributes:
        law: of all impacts.
        deviation: of this one, added to ``ln(e/(1 - e))``.
    """

    law: RigidImpact
    deviation: jax.Array

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]."""
        return with_odds(self.law.restitution_at(impact_speed, mass=mass), self.deviation)

    def duration_at(self, impact_speed: Real) -> Real:
        """Contact duration [s] at the approach speed [m/s]."""
        return self.law.duration_at(impact_speed)
