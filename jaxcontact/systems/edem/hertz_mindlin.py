"""The Hertz-Mindlin (no slip) base model."""

import math

import jax

from jaxcontact.laws.core.damping_maps import CONTACT_ENDS, tsuji_alpha
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.smoothing import Smoothing
from jaxcontact.laws.friction.mindlin import mindlin_force, mindlin_stiffness
from jaxcontact.laws.friction.slider import SpringMemory
from jaxcontact.laws.normal.damping import tsuji_damping, tsuji_dashpot_force
from jaxcontact.laws.normal.elastic import hertz_force
from jaxcontact.materials import Solid, effective_modulus, effective_shear_modulus, hertz_stiffness
from jaxcontact.numerics.smooth import Real, positive_power
from jaxcontact.parameters import model, of, static
from jaxcontact.systems.edem.base import (
    EffectivePair,
    NormalContact,
    TangentialSpring,
    check_end,
    cut_at_zero,
    slider_of,
)


@model
class HertzMindlin:
    """Hertz-Mindlin (no slip)::

        F_n = 4/3 E* sqrt(R*) d^(3/2)
        F_n^d = 2 sqrt(5/6) |beta| sqrt(S_n m*) d',    S_n = 2 E* sqrt(R* d)
        F_t = -S_t xi,                                 |F_t + F_t^d| <= mu_s F_n
        F_t^d = -2 sqrt(5/6) |beta| sqrt(S_t m*) v_t,  S_t = 8 G* sqrt(R* d)
        beta = ln e/sqrt(ln^2 e + pi^2)

    The damping is that of Tsuji with ``alpha = sqrt(5) |beta|``, so a free impact that lasts until
    the overlap is gone rebounds with exactly the restitution ``e``, whatever its speed. With ``end
    = "zero_force"`` the normal force is cut where it would attract, and ``beta`` is chosen so that
    the restitution is still ``e``; cut with the ``beta`` above it would be more (0.325 instead of
    0.2).

    Attributes:
        solid1: material of body 1.
        solid2: material of body 2.
        coefficient_of_restitution: ``e``.
        static_friction: ``mu_s``.
        rolling_friction: ``mu_r`` of standard rolling friction.
        end: key of ``laws.restitution.CONTACT_ENDS``.

    Example:
        >>> from jaxcontact.materials import Solid
        >>> from jaxcontact.systems import edem
        >>> solid = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
        >>> base = edem.HertzMindlin(
        ...     solid1=solid, solid2=solid, coefficient_of_restitution=0.6, static_friction=0.5
        ... )
        >>> print(f"beta {base.beta:.4f}")
        beta -0.1605
    """

    solid1: Solid
    solid2: Solid
    coefficient_of_restitution: Real = of(QUANTITIES["restitution"])
    static_friction: Real = of(QUANTITIES["coefficient"])
    rolling_friction: Real = of(QUANTITIES["rolling_coefficient"], default=0.0)
    end: str = static(default="zero_overlap")

    def __post_init__(self) -> None:
        check_end("HertzMindlin", self.end)

    @property
    def grading(self) -> int:
        """Power ``p`` such that the motion after touch-down is smooth in ``time^(1/p)``: the
        dashpots grow like ``d^(1/4)``.
        """
        return 4

    @property
    def beta(self) -> jax.Array:
        """``-|beta|`` [-]: the linear oscillator's damping relative to critical, negative as in the
        documentation.
        """
        return -CONTACT_ENDS[self.end].damping(self.coefficient_of_restitution)

    def stiffness(self, pair: EffectivePair) -> jax.Array:
        """``4/3 E* sqrt(R*)`` [N/m^1.5]."""
        return hertz_stiffness(effective_modulus(self.solid1, self.solid2), pair.radius)

    def normal(
        self,
        overlap: Real,
        overlap_rate: Real,
        pair: EffectivePair,
        *,
        smooth: Smoothing | None = None,
    ) -> NormalContact:
        """Normal contact at ``overlap`` ``d`` [m] and ``overlap_rate`` ``d'`` [m/s], ``(...)``."""
        law = {
            "stiffness": self.stiffness(pair),
            "mass": pair.mass,
            "alpha": tsuji_alpha(-self.beta),
        }
        force = tsuji_dashpot_force(overlap, overlap_rate, **law)
        load = hertz_force(overlap, stiffness=law["stiffness"])
        contact = NormalContact(force, load, tsuji_damping(overlap, **law))
        return cut_at_zero(contact, self.end, smooth)

    def tangential_spring(self, overlap: Real, pair: EffectivePair) -> TangentialSpring:
        """Stiffness [N/m] and dashpot [N s/m] at ``overlap`` [m], ``(...)``."""
        stiffness = mindlin_stiffness(
            overlap,
            effective_radius=pair.radius,
            effective_shear_modulus=effective_shear_modulus(self.solid1, self.solid2),
        )
        root = positive_power(stiffness * pair.mass, 0.5)
        return TangentialSpring(stiffness, -2.0 * math.sqrt(5.0 / 6.0) * self.beta * root)

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
        return mindlin_force(
            memory,
            slip_increment,
            load,
            overlap,
            tangential_damping=self.tangential_spring(overlap, pair).damping,
            coefficient=self.static_friction,
            time_step=time_step,
            slider=slider_of(smooth),
            effective_radius=pair.radius,
            effective_shear_modulus=effective_shear_modulus(self.solid1, self.solid2),
        )
