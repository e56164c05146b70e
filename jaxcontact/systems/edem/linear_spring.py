"""The Linear Spring base model."""

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.damping_maps import CONTACT_ENDS
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.cundall_strack import cundall_strack_force
from jaxcontact.laws.friction.slider import SpringMemory
from jaxcontact.laws.normal.damping import linear_dashpot_force
from jaxcontact.laws.normal.elastic import linear_force, maximum_overlap
from jaxcontact.materials import Solid, effective_modulus, hertz_stiffness
from jaxcontact.numerics.smooth import Real, positive_power
from jaxcontact.parameters import model, of, parameter, static
from jaxcontact.systems.edem.base import (
    EffectivePair,
    NormalContact,
    TangentialSpring,
    check_end,
    cut_at_zero,
    slider_of,
)


@model
class LinearSpring:
    """Linear spring with a stiffness that stores, in an impact at the characteristic velocity
    ``V``, what a Hertz contact stores::

        k = 16/15 sqrt(R*) E* (15 m* V^2/(16 sqrt(R*) E*))^(1/5)
        c = sqrt(4 m* k/(1 + (pi/ln e)^2))
        F_n = k d,   F_n^d = c d',   F_t = -k_t xi - c_t v_t,   |F_t| <= mu_s F_n

    ``c`` gives the restitution ``e`` exactly when the contact lasts until the overlap is gone;
    ``end = "zero_force"`` as in ``HertzMindlin``. The force jumps to ``c v`` at touch-down. ``k_t``
    is ``tangential_stiffness_ratio`` times ``k``, and ``c_t`` follows from it as ``c`` from ``k``.

    Attributes:
        solid1: material of body 1.
        solid2: material of body 2.
        characteristic_velocity: ``V`` [m/s].
        coefficient_of_restitution: ``e``.
        static_friction: ``mu_s``.
        rolling_friction: ``mu_r`` of standard rolling friction.
        tangential_stiffness_ratio: ``k_t/k``.
        end: key of ``laws.restitution.CONTACT_ENDS``.

    Example:
        >>> from jaxcontact.materials import Solid
        >>> from jaxcontact.systems import edem
        >>> solid = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
        >>> base = edem.LinearSpring(
        ...     solid1=solid,
        ...     solid2=solid,
        ...     characteristic_velocity=1.0,
        ...     coefficient_of_restitution=0.6,
        ...     static_friction=0.5,
        ... )
        >>> contact = edem.Contact(particle1=edem.Particle(radius=0.05, mass=0.1), base=base)
        >>> print(f"{base.stiffness(contact.effective):.3e} N/m")
        4.826e+04 N/m
    """

    solid1: Solid
    solid2: Solid
    characteristic_velocity: Real = parameter(
        unit="m/s",
        label="characteristic velocity",
        symbol="V",
        interval="(0, inf)",
        transform="log",
        remedy="Take the largest speed of the simulation.",
    )
    coefficient_of_restitution: Real = of(QUANTITIES["restitution"])
    static_friction: Real = of(QUANTITIES["coefficient"])
    rolling_friction: Real = of(QUANTITIES["rolling_coefficient"], default=0.0)
    tangential_stiffness_ratio: Real = parameter(
        unit="-",
        label="tangential over normal stiffness",
        symbol="k_t/k",
        interval="[0, inf)",
        transform="log",
        default=1.0,
    )
    end: str = static(default="zero_overlap")

    def __post_init__(self) -> None:
        check_end("LinearSpring", self.end)

    @property
    def grading(self) -> int:
        """Power ``p`` such that the motion after touch-down is smooth in ``time^(1/p)``: the disk
        of spinning friction grows like the root of the overlap.
        """
        return 2

    def stiffness(self, pair: EffectivePair) -> jax.Array:
        """``k = 4/5 K sqrt(d_max)`` [N/m], ``K`` Hertz's stiffness and ``d_max`` the largest
        overlap of a Hertz impact at ``V``.
        """
        hertz = hertz_stiffness(effective_modulus(self.solid1, self.solid2), pair.radius)
        return (
            0.8
            * hertz
            * jnp.sqrt(
                maximum_overlap(
                    self.characteristic_velocity, mass=pair.mass, stiffness=hertz, exponent=1.5
                )
            )
        )

    def dashpot(self, stiffness: Real, mass: Real) -> jax.Array:
        """``c = 2 zeta sqrt(m k)`` [N s/m]."""
        return (
            2.0
            * CONTACT_ENDS[self.end].damping(self.coefficient_of_restitution)
            * jnp.sqrt(mass * stiffness)
        )

    def normal(
        self,
        overlap: Real,
        overlap_rate: Real,
        pair: EffectivePair,
        *,
        smooth: Smoothing | None = None,
    ) -> NormalContact:
        """Normal contact at ``overlap`` ``d`` [m] and ``overlap_rate`` ``d'`` [m/s], ``(...)``."""
        stiffness = self.stiffness(pair)
        damping = self.dashpot(stiffness, pair.mass)
        force = linear_dashpot_force(overlap, overlap_rate, stiffness=stiffness, damping=damping)
        touching = jnp.where(jnp.greater(overlap, 0.0), damping, 0.0)
        contact = NormalContact(force, linear_force(overlap, stiffness=stiffness), touching)
        return cut_at_zero(contact, self.end, smooth)

    def tangential_spring(self, overlap: Real, pair: EffectivePair) -> TangentialSpring:
        """Stiffness [N/m] and dashpot [N s/m], whatever the ``overlap`` is."""
        stiffness, ratio = self.stiffness(pair), jnp.asarray(self.tangential_stiffness_ratio)
        damping = positive_power(ratio, 0.5) * self.dashpot(stiffness, pair.mass)
        return TangentialSpring(ratio * stiffness, damping)

    def tangential(
        self,
        memory: SpringMemory,
        slip_increment: Real,
        load: Real,
        overlap: Real,
        pair: EffectivePair,
        *,
        time_step: Real,
        smooth: Smoothing | None = None,
    ) -> tuple[jax.Array, SpringMemory]:
        """Tangential force ``(..., 3)`` [N] on body 1 after it slipped by ``slip_increment`` [m]
        against body 2, and the memory.
        """
        spring = self.tangential_spring(overlap, pair)
        return cundall_strack_force(
            memory,
            slip_increment,
            load,
            tangential_stiffness=spring.stiffness,
            tangential_damping=spring.damping,
            coefficient=self.static_friction,
            time_step=time_step,
            slider=slider_of(smooth),
        )
