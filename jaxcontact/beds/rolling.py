"""Rolling resistance of all contacts of a bed: a rotational spring with memory, dashpot, slider."""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.friction.cundall_strack import critical_fraction
from jaxcontact.laws.friction.rolling import iwashita_oda_rolling_stiffness
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Replaceable, model, of


@model
class ElasticPlasticRolling(Replaceable):
    """Elastic-plastic spring and dashpot (EPSD) against rolling: ``rolling`` of a contact.

    ``T = P(T + k_r dtheta)``, ``|T| <= mu_r R* F_n``, ``k_r = k_t R*^2``; the torque on the body
    that rolls is ``-T``, and ``-C_r w`` beside it while the spring is below its limit, ``C_r = 2
    zeta sqrt(I_r k_r)`` (``laws.epsd_rolling_torque``). With ``zeta = 0`` it is PFC's rolling
    resistance linear model. Spin about the normal meets no resistance.

    Sources: Ai, Chen, Rotter and Ooi, Powder Technol. 206 (2011) 269-282 (type C); Iwashita and
    Oda, J. Eng. Mech. 124 (1998) 285-292.

    Args:
        rolling_coefficient: ``mu_r`` [-], of the effective radius ``1/R* = 1/R1 + 1/R2`` (``R1`` at
            a wall), which is half the radius of equal spheres.
        zeta: damping relative to critical [-].

    Example:
        >>> rolling = jc.ElasticPlasticRolling(rolling_coefficient=0.2)
        >>> stiffness, damping = rolling.stiffness_and_damping(3e3, radius=2e-3, inertia=1e-8)
        >>> print(f"{stiffness:.3f} N m/rad, {damping:.1e} N m s/rad")
        0.012 N m/rad, 6.6e-06 N m s/rad
    """

    rolling_coefficient: Real = of(QUANTITIES["rolling_coefficient"])
    zeta: Real = of(QUANTITIES["zeta"], default=0.3)

    def stiffness_and_damping(
        self, tangential_stiffness: Real, *, radius: Real, inertia: Real
    ) -> tuple[Real, jax.Array]:
        """``k_r`` [N m/rad] and ``C_r`` [N m s/rad], elementwise.

        Args:
            tangential_stiffness: ``k_t`` [N/m].
            radius: effective, ``R*`` [m].
            inertia: effective, about the point of contact, ``I_r`` [kg m^2].
        """
        stiffness = iwashita_oda_rolling_stiffness(tangential_stiffness, effective_radius=radius)
        return stiffness, critical_fraction(self.zeta, stiffness, inertia)


def about_contact(mass: Real, inertia: Real, radius: Real) -> jax.Array:
    """Moment of inertia of a sphere about a point of its surface [kg m^2]."""
    return jnp.asarray(inertia + mass * radius * radius)
