"""Friction in a rigid impact whose tangential restitution falls with the slip, as rubber has it.

A contact that ends sticking reverses the slip ``s`` to ``-beta(|s|) s``, with::

    beta/(1 - beta) = beta_r/(1 - beta_r) (|s|/s_r)^-q,

a straight line of the log-odds over the logarithm of the slip: ``beta_r`` at the reference slip
``s_r``, from 1 at no slip to 0 at a large one. With ``q = 0`` it is constant. Where friction does
not suffice for that, the contact slides throughout.

Example:
    A rubber that gives back 70 % of a slip of 1 m/s:

    >>> rubber = jc.laws.falling_rebound.FallingRebound(
    ...     coefficient=0.9, tangential_restitution=0.7, slip_exponent=0.5
    ... )
    >>> print(rubber.slip_after(jnp.array([1.0, 0.0, 0.0]), specific_impulse=9.0).round(3))
    [-0.7  0.   0. ]
"""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.friction_interfaces import ImpulseFriction
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.friction.coulomb import Coulomb, tangential_impulse
from jaxcontact.numerics.smooth import Real, safe_norm
from jaxcontact.parameters import model, of, parameter

NO_SLIP = 1e-12
"""Slip over the reference slip below which the contact gives back all of it."""


@model
class FallingRebound(ImpulseFriction):
    """Coulomb friction in a rigid impact, with a tangential restitution that falls with the slip.

    Example:
        >>> rubber = jc.laws.falling_rebound.FallingRebound(
        ...     coefficient=0.9, tangential_restitution=0.7, slip_exponent=0.5
        ... )
        >>> print(rubber.restitution_at(jnp.array([0.25, 1.0, 4.0])).round(3))
        [0.824 0.7   0.538]
    """

    coefficient: Real = of(QUANTITIES["coefficient"])
    tangential_restitution: Real = parameter(
        unit="-",
        label="tangential restitution at the reference slip",
        symbol="beta_r",
        interval="[0, 1]",
        transform="logit",
    )
    slip_exponent: Real = parameter(
        unit="-",
        label="exponent of the fall of the tangential restitution with slip",
        symbol="q_t",
        interval="[0, inf)",
        transform="log",
    )
    reference_slip: Real = parameter(
        unit="m/s", label="reference slip", symbol="s_r", interval="(0, inf)", default=1.0
    )

    def restitution_at(self, slip: Real) -> jax.Array:
        """Tangential restitution in [0, 1] at a slip of size ``slip`` ``(...)`` [m/s]."""
        ratio = jnp.asarray(slip) / self.reference_slip
        slips = ratio > NO_SLIP
        power = jnp.exp(self.slip_exponent * jnp.log(jnp.where(slips, ratio, NO_SLIP)))
        kept = jnp.asarray(self.tangential_restitution)
        return kept / (kept + (1.0 - kept) * power)

    def slip_after(self, slip: Real, specific_impulse: Real) -> jax.Array:
        """Slip ``(..., k)`` [m/s] after the whole normal impulse over tangential mass
        ``specific_impulse`` ``(...)`` [m/s].
        """
        change = tangential_impulse(
            slip,
            specific_impulse,
            coefficient=self.coefficient,
            tangential_restitution=self.restitution_at(safe_norm(slip)),
        )
        return jnp.add(slip, change)

    def in_sustained_contact(self) -> Coulomb:
        """Coulomb friction without tangential restitution."""
        return Coulomb(coefficient=self.coefficient)
