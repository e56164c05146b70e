"""Normal laws as models of parameters: what a ``ContactModel`` takes as ``normal``.

Their interfaces are in ``laws.core.normal_interfaces``.

Example:
    >>> from jaxcontact.laws import normal
    >>> "HuntCrossley" in normal.NORMAL_LAWS
    True
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from jaxcontact.laws.coordinates.analytic import HuntCrossleyPhase, LinearPhase, TsujiPhase
from jaxcontact.laws.core.damping_maps import (
    CONTACT_ENDS,
    EXACT,
    RESTITUTION_LAWS,
    RestitutionLaw,
    obtained_restitution,
    tsuji_alpha,
)
from jaxcontact.laws.core.normal_interfaces import CompliantLaw, NormalLaw, SmoothLaw
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.laws.core.rigid_impact import RigidImpact, deviation_field, duration_field
from jaxcontact.laws.normal.adhesion import JohnsonKendallRoberts
from jaxcontact.laws.normal.adhesive_plastic import AdhesivePlastic
from jaxcontact.laws.normal.damping import (
    hunt_crossley_force,
    linear_dashpot_force,
    no_tension,
    tsuji_dashpot_force,
)
from jaxcontact.laws.normal.elastic import elastic_energy, static_overlap
from jaxcontact.laws.normal.plastic import ThorntonPlastic, WaltonBraun
from jaxcontact.laws.normal.restitution import (
    BrokenPowerLawRestitution,
    ExponentialRestitution,
    PowerLawRestitution,
    RationalRestitution,
    TabulatedRestitution,
    ThorntonRestitution,
)
from jaxcontact.laws.normal.viscoelastic import HertzDashpot, KuwabaraKono, ViscoelasticRestitution
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Interval, model, nearest, of, parameter, static

LEAST_RESTITUTION = 1e-9
"""Smaller ones, which only a traced value can be, would give an infinite damping."""


def _stiffness(unit: str) -> Any:
    return of(
        dataclasses.replace(QUANTITIES["stiffness"], unit=unit, interval=Interval.parse("(0, inf)"))
    )


def _reference_speed() -> Real | None:
    return parameter(
        unit="m/s",
        label="speed at which the restitution holds",
        symbol="v_ref",
        interval="(0, inf)",
        transform="log",
        remedy="Leave it out for a restitution that does not depend on the speed.",
        default=None,
    )


def _impact_scales(
    exponent: Real, stiffness: Real, impact_speed: Real, mass: Real
) -> tuple[jax.Array, jax.Array]:
    """Overlap ``(m v^2/K)^(1/(n+1))`` [m] and time [s] of an impact; the largest overlap is of the
    order of the first.
    """
    overlap = (jnp.multiply(mass, jnp.square(impact_speed)) / stiffness) ** (1.0 / (exponent + 1.0))
    return overlap, overlap / impact_speed


def _check_end(owner: str, end: str) -> None:
    if end not in CONTACT_ENDS:
        raise ValueError(
            f"{owner}: end = {end!r} is not a way to end a "
            f"contact.{nearest(str(end), CONTACT_ENDS)}"
        )


def _check_restitution_law(owner: str, law: RestitutionLaw) -> None:
    if not isinstance(law, RestitutionLaw):
        raise TypeError(
            f"{owner}: restitution_law = {law!r} is not a RestitutionLaw. Take one from "
            f"RESTITUTION_LAWS: {', '.join(RESTITUTION_LAWS)}."
        )


class _HuntCrossley(SmoothLaw):
    """What a Hunt-Crossley law does with its parameters, the exponent being fixed or not."""

    stiffness: Real
    restitution: Real
    reference_speed: Real | None
    restitution_law: RestitutionLaw
    exponent: Real

    def constants(self) -> Real:
        """``a`` [-] at the reference speed: what ``force`` needs that no motion changes. A
        restitution below 1e-9 counts as 1e-9.
        """
        return self.restitution_law.damping_ratio(jnp.maximum(self.restitution, LEAST_RESTITUTION))

    def damping_ratio(self, impact_speed: Real, *, constants: Real | None = None) -> Real:
        """``a`` in ``1 + a d'/v`` [-] at the approach speed ``v``: proportional to it when a
        reference speed is given.
        """
        ratio = self.constants() if constants is None else constants
        return (
            ratio * jnp.ones_like(impact_speed)
            if self.reference_speed is None
            else ratio * impact_speed / self.reference_speed
        )

    def force(
        self,
        overlap: Real,
        overlap_rate: Real,
        *,
        impact_speed: Real,
        mass: Real,
        constants: Real | None = None,
    ) -> jax.Array:
        """Normal force [N] of ``overlap`` [m] and ``overlap_rate`` [m/s]; never tension (which only
        a pull from outside could bring).

        A contact that began at rest (``impact_speed = 0``) is not damped. ``constants``: from the
        method of that name, when known.
        """
        moves = jnp.greater(impact_speed, 0.0)
        ratio = self.damping_ratio(impact_speed, constants=constants)
        damping = jnp.where(moves, ratio / jnp.where(moves, impact_speed, 1.0), 0.0)
        return no_tension(
            hunt_crossley_force(
                overlap,
                overlap_rate,
                stiffness=self.stiffness,
                exponent=self.exponent,
                dissipation=damping,
            )
        )

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale [m] and time scale [s] of an impact."""
        return _impact_scales(self.exponent, self.stiffness, impact_speed, mass)

    def phase(
        self, *, impact_speed: Real, mass: Real, constants: Real | None = None
    ) -> HuntCrossleyPhase:
        """Coordinates in which an impact at this speed is smooth, for an integrator."""
        ratio = self.damping_ratio(impact_speed, constants=constants)
        return HuntCrossleyPhase(
            ratio, self.exponent, *self.scales(impact_speed=impact_speed, mass=mass)
        )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s]."""
        return obtained_restitution(self.damping_ratio(impact_speed))

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]."""
        return static_overlap(load, stiffness=self.stiffness, exponent=self.exponent)


@model
class HuntCrossley(_HuntCrossley):
    """``F = K d^n (1 + a d'/v)``: spring and damping vanish together at zero overlap, so the force
    has no jump.

    By default ``a`` is the exact one: every impact rebounds with ``restitution``, whatever its
    speed. With ``reference_speed`` the damping is a constant of the material, as Hunt and Crossley
    meant it: ``restitution`` holds at that speed and falls with speed. With a nominal
    ``restitution_law`` the restitution obtained differs from the one asked (``restitution_at``
    tells it).

    ``exponent`` is fixed (1.5, Hertz); ``PowerLawHuntCrossley`` has it as a parameter. Source: Hunt
    and Crossley, J. Appl. Mech. 42 (1975) 440-445; the maps are in ``laws.restitution``.

    Args:
        restitution_law: how the damping ratio follows from ``restitution``; an entry of
            ``RESTITUTION_LAWS``.
        exponent: ``n`` in [1, inf) [-], a fixed number: 1.5 is Hertz, 1 linear.

    Example:
        >>> ball = jc.HuntCrossley(stiffness=4e7, restitution=0.9)
        >>> force = ball.force(1e-4, 0.5, impact_speed=1.0, mass=2.7e-3)
        >>> print(f"{force:.2f} N")
        43.33 N
        >>> print(f"{ball.restitution_at(1.0, mass=2.7e-3):.3f}")
        0.900
    """

    stiffness: Real = _stiffness("N/m^n")
    restitution: Real = of(QUANTITIES["restitution"])
    reference_speed: Real | None = _reference_speed()
    restitution_law: RestitutionLaw = static(default=EXACT)
    exponent: float = static(default=1.5)

    def __post_init__(self) -> None:
        _check_restitution_law("HuntCrossley", self.restitution_law)
        if not (isinstance(self.exponent, (int, float)) and 1.0 <= self.exponent < float("inf")):
            raise ValueError(
                f"HuntCrossley: exponent = {self.exponent!r} is not a number in [1, inf). "
                "It is fixed in this law; PowerLawHuntCrossley has it as a parameter."
            )


@model
class PowerLawHuntCrossley(_HuntCrossley):
    """``HuntCrossley`` with the exponent ``n`` of ``F = K d^n (1 + a d'/v)`` as a parameter to
    fit.

    Source: Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445.

    Args:
        restitution_law: how the damping ratio follows from ``restitution``; an entry of
            ``RESTITUTION_LAWS``.

    Example:
        >>> ball = jc.PowerLawHuntCrossley(stiffness=4e7, restitution=0.9, exponent=1.5)
        >>> print(f"{ball.force(1e-4, 0.5, impact_speed=1.0, mass=2.7e-3):.2f} N")
        43.33 N
    """

    stiffness: Real = _stiffness("N/m^n")
    restitution: Real = of(QUANTITIES["restitution"])
    exponent: Real = parameter(
        unit="-",
        label="exponent of the overlap",
        symbol="n",
        interval="[1, inf)",
        transform="log",
        remedy="1 is linear, 1.5 Hertz.",
        default=1.5,
    )
    reference_speed: Real | None = _reference_speed()
    restitution_law: RestitutionLaw = static(default=EXACT)

    def __post_init__(self) -> None:
        _check_restitution_law("PowerLawHuntCrossley", self.restitution_law)


@model
class LinearDashpot(SmoothLaw):
    """``F = k d + c d'`` with the damping that gives exactly ``restitution`` at every speed.

    ``end = "zero_overlap"``: the contact lasts until the overlap is gone, and attracts towards its
    end. ``end = "zero_force"``: it ends where the force would become attractive; the same
    restitution then needs more damping. The force jumps to ``c v`` at touch-down. Source: Schwager
    and Poeschel, Granular Matter 9 (2007) 465-469.

    Args:
        end: key of ``CONTACT_ENDS``: ``"zero_overlap"`` or ``"zero_force"``.

    Example:
        >>> ball = jc.LinearDashpot(stiffness=1e5, restitution=0.9)
        >>> print(f"damping is {ball.zeta:.4f} of the critical one")
        damping is 0.0335 of the critical one
        >>> print(f"{ball.force(1e-4, 0.5, impact_speed=1.0, mass=2.7e-3):.2f} N")
        10.55 N
    """

    stiffness: Real = _stiffness("N/m")
    restitution: Real = of(QUANTITIES["restitution"])
    end: str = static(default="zero_overlap")

    def __post_init__(self) -> None:
        _check_end("LinearDashpot", self.end)

    @property
    def ends_at_zero_force(self) -> bool:
        """Whether ``end`` says so."""
        return self.end == "zero_force"

    @property
    def zeta(self) -> jax.Array:
        """Damping relative to critical, ``c/(2 sqrt(k m))`` [-]."""
        return CONTACT_ENDS[self.end].damping(self.restitution)

    def constants(self) -> jax.Array:
        """``zeta``: what ``force`` needs that no motion changes."""
        return self.zeta

    def force(
        self,
        overlap: Real,
        overlap_rate: Real,
        *,
        impact_speed: Real,
        mass: Real,
        constants: Real | None = None,
    ) -> jax.Array:
        """Normal force [N] of ``overlap`` [m] and ``overlap_rate`` [m/s]; no tension when the
        contact ends at zero force.

        ``constants``: from the method of that name, when known.
        """
        damping = (
            2.0 * (self.zeta if constants is None else constants) * jnp.sqrt(self.stiffness * mass)
        )
        force = linear_dashpot_force(
            overlap, overlap_rate, stiffness=self.stiffness, damping=damping
        )
        return no_tension(force) if self.end == "zero_force" else force

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale [m] and time scale [s] of an impact."""
        return _impact_scales(1.0, self.stiffness, impact_speed, mass)

    def phase(
        self, *, impact_speed: Real, mass: Real, constants: Real | None = None
    ) -> LinearPhase:
        """Coordinates in which an impact at this speed is smooth, for an integrator."""
        scales = self.scales(impact_speed=impact_speed, mass=mass)
        return LinearPhase(
            jnp.asarray(self.zeta if constants is None else constants), self.end, *scales
        )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-]: the one asked for, at every approach speed."""
        return jnp.multiply(self.restitution, jnp.ones_like(impact_speed))

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]."""
        return static_overlap(load, stiffness=self.stiffness, exponent=1)


@model
class TsujiDashpot(SmoothLaw):
    """``F = K d^(3/2) + alpha sqrt(m K) d^(1/4) d'`` with the ``alpha`` that gives exactly
    ``restitution`` at every speed.

    ``end`` as in ``LinearDashpot``. The force is continuous at touch-down. Source: Tsuji, Tanaka
    and Ishida, Powder Technol. 71 (1992) 239-250; Antypov and Elliott, Europhys. Lett. 94 (2011)
    50004.

    Args:
        end: key of ``CONTACT_ENDS``: ``"zero_overlap"`` or ``"zero_force"``.

    Example:
        >>> ball = jc.TsujiDashpot(stiffness=4e7, restitution=0.9)
        >>> print(f"{ball.force(1e-4, 0.5, impact_speed=1.0, mass=2.7e-3):.2f} N")
        41.23 N
    """

    stiffness: Real = _stiffness("N/m^1.5")
    restitution: Real = of(QUANTITIES["restitution"])
    end: str = static(default="zero_overlap")

    def __post_init__(self) -> None:
        _check_end("TsujiDashpot", self.end)

    @property
    def ends_at_zero_force(self) -> bool:
        """Whether ``end`` says so."""
        return self.end == "zero_force"

    @property
    def is_steep(self) -> bool:
        """The damping goes with ``d^(1/4)``."""
        return True

    @property
    def alpha(self) -> jax.Array:
        """``alpha`` [-], with the effective mass in ``alpha sqrt(m K)``."""
        return tsuji_alpha(CONTACT_ENDS[self.end].damping(self.restitution))

    def constants(self) -> jax.Array:
        """``alpha``: what ``force`` needs that no motion changes."""
        return self.alpha

    def force(
        self,
        overlap: Real,
        overlap_rate: Real,
        *,
        impact_speed: Real,
        mass: Real,
        constants: Real | None = None,
    ) -> jax.Array:
        """Normal force [N] of ``overlap`` [m] and ``overlap_rate`` [m/s]; no tension when the
        contact ends at zero force.

        ``constants``: from the method of that name, when known.
        """
        alpha = self.alpha if constants is None else constants
        force = tsuji_dashpot_force(
            overlap, overlap_rate, stiffness=self.stiffness, mass=mass, alpha=alpha
        )
        return no_tension(force) if self.end == "zero_force" else force

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale [m] and time scale [s] of an impact."""
        return _impact_scales(1.5, self.stiffness, impact_speed, mass)

    def phase(self, *, impact_speed: Real, mass: Real, constants: Real | None = None) -> TsujiPhase:
        """Coordinates in which an impact at this speed is smooth, for an integrator."""
        scales = self.scales(impact_speed=impact_speed, mass=mass)
        return TsujiPhase(
            jnp.asarray(self.alpha if constants is None else constants),
            jnp.asarray(self.restitution),
            self.end,
            *scales,
        )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-]: the one asked for, at every approach speed."""
        return jnp.multiply(self.restitution, jnp.ones_like(impact_speed))

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]."""
        return static_overlap(load, stiffness=self.stiffness, exponent=1.5)


@model
class NewtonRestitution(RigidImpact):
    """A rigid impact: the normal speed after is ``restitution`` times that before. For the impulse
    method only, it has no force.

    Source: Newton, Principia (1687).

    Args:
        restitution: ``e``.
        duration: time between touch-down and lift-off at an approach speed of 1 m/s [s], in
            proportion to ``speed^(-1/5)`` as in Hertz's law: the first effect of compliance that a
            camera could see. 0 is rigid.
        deviation: of each impact in order of time, ``(impacts,)``, added to ``ln(e/(1 - e))``: real
            impacts do not repeat exactly. A scalar holds for all impacts; impacts beyond the last
            entry take that one.

    Example:
        >>> ball = jc.NewtonRestitution(restitution=0.9)
        >>> print(f"{ball.restitution_at(2.0, mass=1.0):.1f}")
        0.9
    """

    restitution: Real = of(QUANTITIES["restitution"])
    duration: Real = duration_field()
    deviation: Real = deviation_field()

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-], at every approach speed."""
        return jnp.multiply(self.restitution, jnp.ones_like(impact_speed))


NORMAL_LAWS: dict[str, type[NormalLaw]] = {
    law.__name__: law
    for law in (
        *(
            HuntCrossley,
            PowerLawHuntCrossley,
            LinearDashpot,
            TsujiDashpot,
            KuwabaraKono,
            HertzDashpot,
        ),
        *(WaltonBraun, ThorntonPlastic, AdhesivePlastic, JohnsonKendallRoberts),
        *(
            NewtonRestitution,
            ViscoelasticRestitution,
            PowerLawRestitution,
            BrokenPowerLawRestitution,
            ExponentialRestitution,
            RationalRestitution,
        ),
        *(ThorntonRestitution, TabulatedRestitution),
    )
}
"""What a contact model can take, those with a force first, then those for rigid impacts only.

Example:
    >>> jc.laws.NORMAL_LAWS["NewtonRestitution"](restitution=0.9).restitution
    0.9
"""


def register(example: CompliantLaw, *, smoothness: float, source: str, **about: Any) -> None:
    """Enter the normal law of ``example`` into the catalogue; the arguments are those of
    ``jaxcontact.law``.
    """
    law(
        name=type(example).__name__,
        family="normal law",
        source=source,
        smoothness=smoothness,
        example={
            "self": example,
            "overlap": 0.01,
            "overlap_rate": 0.3,
            "impact_speed": 0.7,
            "mass": 0.2,
        },
        variants=({"overlap": 0.02, "overlap_rate": -0.1},),
        switches=({"overlap": 0.0},),
        corners=(
            {"overlap": -0.1},
            {"overlap_rate": 0.0},
            {"impact_speed": 0.0},
            {"overlap": 0.0, "overlap_rate": 0.0},
        ),
        conjugate="overlap_rate",
        **about,
    )(type(example).force)


register(
    HuntCrossley(stiffness=1e4, restitution=0.8),
    smoothness=1,
    source="Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445",
    energy=lambda self, overlap: elastic_energy(
        overlap, stiffness=self.stiffness, exponent=self.exponent
    ),
)
register(
    PowerLawHuntCrossley(stiffness=1e4, restitution=0.8, exponent=1.4, reference_speed=3.0),
    smoothness=1,
    source="Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445",
    energy=lambda self, overlap: elastic_energy(
        overlap, stiffness=self.stiffness, exponent=self.exponent
    ),
)
register(
    LinearDashpot(stiffness=1e4, restitution=0.8),
    smoothness=-1,
    source="Schwager and Poeschel, Granular Matter 9 (2007) 465-469",
    energy=lambda self, overlap: elastic_energy(overlap, stiffness=self.stiffness, exponent=1),
)
register(
    TsujiDashpot(stiffness=1e4, restitution=0.8),
    smoothness=0,
    source="Tsuji, Tanaka and Ishida, Powder Technol. 71 (1992) 239-250",
    energy=lambda self, overlap: elastic_energy(overlap, stiffness=self.stiffness, exponent=1.5),
)
