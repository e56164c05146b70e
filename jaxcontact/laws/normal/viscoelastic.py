"""Viscoelastic Hertz contacts, whose restitution depends on the speed, and the exact maps between
damping and restitution.

Kuwabara and Kono's law ``F = K (d^(3/2) + (3/2) A sqrt(d) d')`` follows from the viscosity of the
material, with the dissipation time ``A``; the other one here puts a linear dashpot beside the Hertz
spring, ``F = K d^(3/2) + c d'``. With overlaps in units of ``(m v^2/K)^(2/5)`` and speeds in units
of the approach speed ``v`` an impact has one parameter, the reduced damping::

    beta = (3/2) A (K/m)^(2/5) v^(1/5)      (Kuwabara and Kono: restitution falls with speed),
    beta = c K^(-2/5) m^(-3/5) v^(-1/5)     (linear dashpot: restitution rises with speed),

and ``x'' + x^(3/2) + beta sqrt(x) x' = 0`` or ``x'' + x^(3/2) + beta x' = 0``, so that ``e`` is a
function of ``beta`` and of where the contact ends: where the overlap is zero (with attraction
before), or already where the force is.

These four functions are tabulated here once and for all, as ratios of polynomials through values
that were integrated with 34 digits (Taylor series of order 34 in ``X = sqrt(x)``, in which the
motion is analytic). Their forms contain the singular behaviour: powers of ``beta^(1/2)`` and
``beta^(1/3)`` where the force ends the contact, a critical damping of the linear dashpot.

Example:
    >>> from jaxcontact.laws import viscoelastic
    >>> beta = viscoelastic.hertz_dashpot_beta(0.8)
    >>> print(f"{viscoelastic.hertz_dashpot_restitution(beta):.4f}")
    0.8000
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.coordinates.from_force import LawFromForce
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.core.rigid_impact import RigidImpact, deviation_field, duration_field
from jaxcontact.laws.normal.damping import no_tension
from jaxcontact.laws.normal.elastic import elastic_energy, hertz_force, static_overlap
from jaxcontact.numerics.smooth import (
    Real,
    implicit_root,
    polynomial,
    positive_part,
    positive_power,
    removable_singularity,
)
from jaxcontact.parameters import model, nearest, of, parameter, static

_KUWABARA_KONO = (
    "Kuwabara and Kono, Jpn. J. Appl. Phys. 26 (1987) 1230-1233; Brilliantov et al., Phys. Rev. "
    "E 53 (1996) 5382-5392"
)
_RESTITUTION = (
    "Ramirez et al., Phys. Rev. E 60 (1999) 4465-4472; Schwager and Poeschel, Phys. Rev. E 78 "
    "(2008) 051304"
)
_DASHPOT = "Hertz (1882) with a linear dashpot; restitution by integration"


@law(
    family="viscoelastic",
    source=_KUWABARA_KONO,
    smoothness=0,
    example={"overlap": 1e-3, "overlap_rate": -0.4, "stiffness": 1e5, "dissipation_time": 1e-4},
    variants=({"overlap": 0.01, "overlap_rate": 0.4},),
    switches=({"overlap": 0.0},),
    corners=(
        {"overlap": -1e-3},
        {"overlap_rate": 0.0},
        {"dissipation_time": 0.0},
        {"overlap": 0.0, "overlap_rate": 0.0},
    ),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=1.5),
    conjugate="overlap_rate",
)
def kuwabara_kono_force(
    overlap: Real, overlap_rate: Real, *, stiffness: Real, dissipation_time: Real
) -> jax.Array:
    """``F = K (d^(3/2) + (3/2) A sqrt(d) d')`` [N] for ``d > 0``, else 0; attracts towards the end
    (``no_tension``). Elementwise.

    Continuous at ``d = 0``, with an infinite slope there, which is left out. Restitution:
    ``kuwabara_kono_restitution``. Source: Kuwabara and Kono, Jpn. J. Appl. Phys. 26 (1987)
    1230-1233; Brilliantov, Spahn, Hertzsch and Poeschel, Phys. Rev. E 53 (1996) 5382-5392, who
    derive ``A`` from the viscosities of the material.

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``K`` [N/m^1.5].
        dissipation_time: ``A`` [s].
    """
    dashpot = 1.5 * dissipation_time * positive_power(overlap, 0.5) * overlap_rate
    return hertz_force(overlap, stiffness=stiffness) + stiffness * dashpot


@law(
    family="viscoelastic",
    source="Hertz (1882) with a linear dashpot",
    smoothness=-1,
    example={"overlap": 1e-3, "overlap_rate": -0.4, "stiffness": 1e5, "damping": 2.0},
    variants=({"overlap": 0.01, "overlap_rate": 0.4},),
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3}, {"overlap_rate": 0.0}, {"damping": 0.0}),
    energy=lambda overlap, stiffness: elastic_energy(overlap, stiffness=stiffness, exponent=1.5),
    conjugate="overlap_rate",
)
def hertz_dashpot_force(
    overlap: Real, overlap_rate: Real, *, stiffness: Real, damping: Real
) -> jax.Array:
    """``F = K d^(3/2) + c d'`` [N] for ``d > 0``, else 0; jumps to ``c d'`` at touch-down.
    Elementwise.

    Attracts towards the end (``no_tension``). Restitution: ``hertz_dashpot_restitution``. Source:
    Hertz (1882) with the dashpot of a linear oscillator, a form in wide use; Poursina and
    Nikravesh, Nonlinear Dyn. (2020).

    Args:
        overlap: ``d`` [m].
        overlap_rate: ``d'`` [m/s].
        stiffness: ``K`` [N/m^1.5].
        damping: ``c`` [N s/m].
    """
    return hertz_force(overlap, stiffness=stiffness) + jnp.where(
        jnp.greater(overlap, 0.0), damping * overlap_rate, 0.0
    )


class _Ratio(NamedTuple):
    """A ratio of polynomials, ascending powers."""

    numerator: tuple[float, ...]
    denominator: tuple[float, ...]

    def at(self, x: jax.Array) -> jax.Array:
        """Value at ``x``."""
        return polynomial(self.numerator, x) / polynomial(self.denominator, x)


_KUWABARA_KONO_ZERO_FORCE = _Ratio(
    numerator=(
        1.0,
        1.740103189314257,
        3.7890932855873896,
        4.8244803391977085,
        5.858197334292458,
        5.342688011743159,
        4.416299553627186,
        2.85220322759229,
        1.586368455774622,
        0.6741832051387662,
        0.21204030219154354,
        0.0426264811235053,
        0.0013345397788260946,
    ),
    denominator=(
        1.0,
        1.7401031893141505,
        3.0970239707857306,
        3.620208312719923,
        3.555188897262366,
        2.71943774753873,
        1.6716512359597238,
        0.7874188497271892,
        0.24938683609195042,
        0.05013204443425294,
        0.0015695245277737948,
    ),
)
_KUWABARA_KONO_ZERO_OVERLAP = _Ratio(
    numerator=(
        1.0,
        -1.306646103984337,
        0.5223215796544844,
        0.15190383398065413,
        -0.26444718412916113,
        0.14286312998060618,
        -0.04685049082237724,
        0.010531806817293356,
        -0.0016887611066749549,
        0.00019510957310532644,
        -1.6185155104698933e-05,
        9.757396998871806e-07,
        -4.614171872553228e-08,
        1.8455271472821811e-09,
    ),
    denominator=(
        1.0,
        -0.15319724588904807,
        -0.4526501696243766,
        0.2749698194212541,
        -0.014794910304675078,
        -0.043859588278664166,
        0.023613211588793783,
        -0.006539478902315611,
        0.0011855757858326328,
        -0.00015351451114797493,
        2.387955437415234e-05,
        -7.795980485505694e-06,
        3.6233685426388826e-06,
        -1.4397892202029178e-06,
        4.906811983877805e-07,
        -1.3134393188895063e-07,
        2.702728174906545e-08,
        -3.676535680316792e-09,
        2.7966167831440953e-10,
    ),
)
_DASHPOT_ZERO_FORCE = _Ratio(
    numerator=(
        1.0,
        -0.6935531256952457,
        0.9769064516607212,
        -0.7407119694453729,
        0.8217550415680149,
        -0.33144744731542547,
        0.10600236231610749,
        0.023120532914880962,
        0.00022998876951798162,
    ),
    denominator=(
        1.0,
        -0.6935531256943871,
        0.9769064510337092,
        1.0471022469169005,
        -0.41819217396123964,
        0.8151482326958753,
        1.114769239186804,
        -0.4167876045764521,
        0.25592050193922955,
        1.2499819651730955,
        -1.105265221625452,
        0.8592441989238769,
        -0.09964349256371177,
        -0.04910224527990609,
        0.07505822421708566,
        0.0035905317278188283,
    ),
)
_DASHPOT_ZERO_OVERLAP = _Ratio(
    numerator=(
        1.0,
        -2.4590520832986376,
        0.3714227886104469,
        2.5015242552826042,
        0.5715979172537229,
        -4.007223788786047,
        1.5417549965967916,
        1.1258926916325176,
        -0.4861114832357341,
        -0.33486531429630945,
        0.18949934829724016,
        -0.009989706184771699,
        -0.004446845313786626,
    ),
    denominator=(
        1.0,
        -0.4257857967538159,
        -3.951308462673094,
        1.4024940344276031,
        7.116941480594389,
        -2.969382270155899,
        -6.729667058836454,
        4.016755160406725,
        2.8376374718570325,
        -2.8245812443712333,
        0.1607123739331791,
        0.5227667830338301,
        -0.15657057937486882,
    ),
)

CRITICAL_HERTZ_DASHPOT = 1.1279881355201692
"""``beta`` of the linear dashpot beside a Hertz spring from which the overlap never comes back to
zero: the bodies creep apart.
"""


def _with_tail(
    inside: Callable[[jax.Array], jax.Array],
    beta: jax.Array,
    *,
    end: float,
    growth: float,
    power: float,
) -> jax.Array:
    """``inside(beta)`` up to ``end``; beyond, the power law of heavy damping: ``e^(-1/power)`` is
    linear, ``growth`` its relative slope.
    """
    beyond = positive_part(beta - end)
    return inside(beta - beyond) * (1.0 + growth * beyond) ** -power


# Restitution in powers of sqrt(beta), those of beta first; they are of order 1e-13 below 1e-3.
_EVEN = (1.0, -1.1534488580952888, 0.79826656094479541, -0.52288256808841, 0.348742629, -0.1464686)
_ODD = (4 / 15, -0.461379542134, 0.4523525333, -0.36698612)


def _kuwabara_kono_zero_force(beta: jax.Array) -> jax.Array:
    def closed(beta: jax.Array) -> jax.Array:
        return _KUWABARA_KONO_ZERO_FORCE.at(jnp.sqrt(beta)) ** (-5.0 / 3.0)

    def series(beta: jax.Array) -> jax.Array:
        return polynomial(_EVEN, beta) + positive_power(beta, 2.5) * polynomial(_ODD, beta)

    return _with_tail(
        lambda b: removable_singularity(b, closed, series, below=1e-3),
        beta,
        end=400.0,
        growth=0.00249838213181,
        power=5.0 / 3.0,
    )


def _kuwabara_kono_zero_overlap(beta: jax.Array) -> jax.Array:
    return _with_tail(_KUWABARA_KONO_ZERO_OVERLAP.at, beta, end=7.0, growth=1.0 / 7.0, power=5.0)


def _hertz_dashpot_zero_force(beta: jax.Array) -> jax.Array:
    def closed(beta: jax.Array) -> jax.Array:
        return _DASHPOT_ZERO_FORCE.at(jnp.cbrt(beta))

    def series(beta: jax.Array) -> jax.Array:
        whole = polynomial((1.0, -1.78781414428836, 1.278511765807), beta)
        return whole + positive_power(beta, 5.0 / 3.0) * (0.6 - 0.71536 * beta)

    return _with_tail(
        lambda b: removable_singularity(b, closed, series, below=1e-6),
        beta,
        end=125.0,
        growth=0.00799866355031,
        power=2.5,
    )


def _hertz_dashpot_zero_overlap(beta: jax.Array) -> jax.Array:
    left = (
        1.0 - beta / CRITICAL_HERTZ_DASHPOT
    )  # to the power 1/2 it makes the map analytic at critical damping
    returns = (
        left > 16.0 * jnp.finfo(left.dtype).eps
    )  # what is nearer is a rounding error, and the second derivative is unbounded
    root = jnp.sqrt(jnp.where(returns, left, 1.0))
    return jnp.where(returns, left * _DASHPOT_ZERO_OVERLAP.at((1.0 - left) / (1.0 + root)), 0.0)


def _check_end(owner: str, end: str, ends: dict[str, Callable]) -> None:
    if end not in ends:
        raise ValueError(
            f"{owner}: end = {end!r} is not a way to end a contact.{nearest(str(end), ends)}"
        )


_KUWABARA_KONO_ENDS = {
    "zero_overlap": _kuwabara_kono_zero_overlap,
    "zero_force": _kuwabara_kono_zero_force,
}
_DASHPOT_ENDS = {
    "zero_overlap": _hertz_dashpot_zero_overlap,
    "zero_force": _hertz_dashpot_zero_force,
}


@law(
    family="viscoelastic",
    source=_RESTITUTION,
    smoothness=2,
    example={"beta": 0.4, "end": "zero_force"},
    variants=({"beta": 3.0}, {"end": "zero_overlap"}),
    corners=(
        {"beta": 0.0},
        {"beta": 1e-3},
        {"beta": 7.0},
        {"beta": 1e4},
        {"beta": 0.0, "end": "zero_overlap"},
    ),
)
def kuwabara_kono_restitution(beta: Real, *, end: str = "zero_force") -> jax.Array:
    """Restitution of Kuwabara and Kono's law. Elementwise.

    ``1 - 1.15345 beta + 0.79827 beta^2 + ...`` for small, as ``beta^(-5/3)`` (zero force) or
    ``beta^(-5)`` (zero overlap) for large damping. Relative error below 3e-12 (zero force, ``beta <
    400``) or 1e-9 (zero overlap, ``beta < 7``); beyond, the power law. At ``beta = 0`` smooth, with
    two derivatives where the force ends the contact (next comes ``(4/15) beta^(5/2)``).

    Source: Ramirez et al., Phys. Rev. E 60 (1999) 4465-4472 (zero overlap); Schwager and Poeschel,
    Phys. Rev. E 78 (2008) 051304 (zero force).

    Args:
        beta: ``(3/2) A (K/m)^(2/5) v^(1/5) >= 0`` [-]; see ``kuwabara_kono_damping``.
        end: ``"zero_force"``, where the contact would begin to attract, or ``"zero_overlap"``
            (static).
    """
    _check_end("kuwabara_kono_restitution", end, _KUWABARA_KONO_ENDS)
    return _KUWABARA_KONO_ENDS[end](jnp.asarray(beta))


@law(
    family="viscoelastic",
    source=_DASHPOT,
    smoothness=1,
    example={"beta": 0.4, "end": "zero_force"},
    variants=({"beta": 3.0}, {"end": "zero_overlap"}),
    corners=(
        {"beta": 0.0},
        {"beta": 1e-6},
        {"beta": 1e4},
        {"end": "zero_overlap", "beta": 0.0},
        {"end": "zero_overlap", "beta": 1.1279881355201692},
    ),
)
def hertz_dashpot_restitution(beta: Real, *, end: str = "zero_force") -> jax.Array:
    """Restitution of a Hertz spring with a linear dashpot. Elementwise.

    ``1 - 1.78781 beta + ...`` for small damping; next comes ``(3/5) beta^(5/3)`` where the force
    ends the contact, so that the second derivative is infinite at 0 (and left out there). For large
    damping ``beta^(-5/2)`` (zero force), or 0 from ``CRITICAL_HERTZ_DASHPOT = 1.128`` on (zero
    overlap), with a corner. Relative error below 4e-9.

    Args:
        beta: ``c K^(-2/5) m^(-3/5) v^(-1/5) >= 0`` [-]; see ``hertz_dashpot_damping``.
        end: ``"zero_force"``, where the contact would begin to attract, or ``"zero_overlap"``
            (static).
    """
    _check_end("hertz_dashpot_restitution", end, _DASHPOT_ENDS)
    return _DASHPOT_ENDS[end](jnp.asarray(beta))


def _inverse(
    restitution: jax.Array, forward: Callable, *, power: float, slope: float, asymptote: float
) -> jax.Array:
    """``beta`` with ``forward(beta) = restitution``: a root in ``Z = e^(-1/power)``, which grows
    from 1 with ``slope`` to ``asymptote``.
    """
    target = restitution ** (-1.0 / power)

    def residual(beta: jax.Array, target: jax.Array) -> jax.Array:
        return forward(beta) ** (-1.0 / power) - target

    guess = jnp.minimum((target - 1.0) / slope, target / asymptote)
    return implicit_root(residual, guess, target, steps=4)


@law(
    family="viscoelastic",
    source="inverse of kuwabara_kono_restitution",
    smoothness=2,
    example={"restitution": 0.7, "end": "zero_force"},
    variants=({"restitution": 0.05}, {"end": "zero_overlap"}),
    corners=({"restitution": 1.0}, {"restitution": 0.01}),
)
def kuwabara_kono_beta(restitution: Real, *, end: str = "zero_force") -> jax.Array:
    """Reduced damping ``beta`` [-] with which Kuwabara and Kono's law gives a restitution: the
    inverse of ``kuwabara_kono_restitution``.

    Elementwise.

    Args:
        restitution: ``e`` in (0, 1] [-].
        end: as there.
    """
    _check_end("kuwabara_kono_beta", end, _KUWABARA_KONO_ENDS)
    form = {
        "zero_force": (5.0 / 3.0, 0.69, 0.84),
        "zero_overlap": (5.0, 0.2307, 0.7202732814474401),
    }[end]
    power, slope, asymptote = form
    return _inverse(
        jnp.asarray(restitution),
        _KUWABARA_KONO_ENDS[end],
        power=power,
        slope=slope,
        asymptote=asymptote,
    )


@law(
    family="viscoelastic",
    source="inverse of hertz_dashpot_restitution",
    smoothness=1,
    example={"restitution": 0.7, "end": "zero_force"},
    variants=({"restitution": 0.05}, {"end": "zero_overlap"}),
    corners=({"restitution": 1.0}, {"restitution": 0.01}),
)
def hertz_dashpot_beta(restitution: Real, *, end: str = "zero_force") -> jax.Array:
    """Reduced damping ``beta`` [-] with which a Hertz spring and a linear dashpot give a
    restitution. Elementwise.

    The inverse of ``hertz_dashpot_restitution``.

    Args:
        restitution: ``e`` in (0, 1] [-].
        end: as there.
    """
    _check_end("hertz_dashpot_beta", end, _DASHPOT_ENDS)
    e = jnp.asarray(restitution)
    if end == "zero_force":
        return _inverse(e, _hertz_dashpot_zero_force, power=2.5, slope=0.68, asymptote=0.9)

    # Near critical damping e falls to zero with a finite slope: there its root is not the better
    # unknown.
    def residual(beta: jax.Array, e: jax.Array) -> jax.Array:
        return _hertz_dashpot_zero_overlap(beta) - e

    return implicit_root(residual, CRITICAL_HERTZ_DASHPOT * (1.0 - jnp.sqrt(e)) * 0.9, e, steps=5)


def _fifth_root(speed: Real) -> jax.Array:
    """``v^(1/5)``; at rest 0, its infinite slope left out."""
    return positive_power(speed, 0.2)


def kuwabara_kono_damping(
    impact_speed: Real, *, mass: Real, stiffness: Real, dissipation_time: Real
) -> jax.Array:
    """``beta = (3/2) A (K/m)^(2/5) v^(1/5)`` [-]. Elementwise.

    Args:
        impact_speed: ``v`` [m/s].
        mass: effective mass ``m`` [kg].
        stiffness: ``K`` [N/m^1.5].
        dissipation_time: ``A`` [s].
    """
    return jnp.multiply(
        1.5 * dissipation_time, (stiffness / jnp.asarray(mass)) ** 0.4
    ) * _fifth_root(impact_speed)


@describe_arguments
def dissipation_time(
    restitution: Real, *, impact_speed: Real, mass: Real, stiffness: Real, end: str = "zero_force"
) -> jax.Array:
    """``A`` [s] with which Kuwabara and Kono's law gives ``restitution`` at ``impact_speed``
    (positive). Elementwise.

    Other arguments as for ``kuwabara_kono_damping``; ``end`` as for ``kuwabara_kono_restitution``.
    """
    of_unit_time = kuwabara_kono_damping(
        impact_speed, mass=mass, stiffness=stiffness, dissipation_time=1.0
    )
    return kuwabara_kono_beta(restitution, end=end) / of_unit_time


def hertz_dashpot_damping(
    impact_speed: Real, *, mass: Real, stiffness: Real, damping: Real
) -> jax.Array:
    """``beta = c K^(-2/5) m^(-3/5) v^(-1/5)`` [-]; infinite at rest, where 0 is returned.
    Elementwise.

    Args:
        impact_speed: ``v`` [m/s].
        mass: effective mass ``m`` [kg].
        stiffness: ``K`` [N/m^1.5].
        damping: ``c`` [N s/m].
    """
    return (
        jnp.multiply(damping, jnp.asarray(stiffness) ** -0.4)
        * jnp.asarray(mass) ** -0.6
        * positive_power(impact_speed, -0.2)
    )


# Powers of sqrt(beta) in the restitution of a contact that the force ends.
SCHWAGER_POESCHEL = (
    *(
        1.0,
        0.0,
        -1.1534488580952888,
        0.0,
        0.79826656094479541,
        4 / 15,
        -0.52288256808841,
        -0.461379542134,
    ),
    *(0.348742629, 0.4523525333),
)


def kuwabara_kono_restitution_series(beta: Real, *, order: int = 9) -> Real:
    """``1 + sum_k a_k beta^(k/2)`` up to ``k = order``: the published series, for comparison.
    Elementwise.

    Zero force ends the contact. ``a_2 = -C_1 = -1.15345`` and ``a_4 = (3/5) C_1^2``. The error is
    1.2e-6 at ``beta = 0.05``, and at 0.5 the series is of no use: take
    ``kuwabara_kono_restitution``. Source: Ramirez et al., Phys. Rev. E 60 (1999) 4465-4472;
    Schwager and Poeschel, Phys. Rev. E 78 (2008) 051304.

    Args:
        beta: ``(3/2) A (K/m)^(2/5) v^(1/5)`` [-].
        order: largest ``k``, up to 9 (static).
    """
    if not 0 <= order < len(SCHWAGER_POESCHEL):
        raise ValueError(
            f"kuwabara_kono_restitution_series: order = {order} is outside [0, "
            f"{len(SCHWAGER_POESCHEL) - 1}]."
        )
    terms = SCHWAGER_POESCHEL[: order + 1]
    whole, half = terms[::2], terms[5::2]
    return polynomial(whole, beta) + (
        positive_power(beta, 2.5) * polynomial(half, beta) if half else 0.0
    )


class _Viscoelastic(LawFromForce):
    """What both laws have of Hertz."""

    stiffness: Real
    end: str

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale ``(m v^2/K)^(2/5)`` [m] and time scale [s] of an impact."""
        overlap = (jnp.multiply(mass, jnp.square(impact_speed)) / self.stiffness) ** 0.4
        return overlap, overlap / impact_speed

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]."""
        return static_overlap(load, stiffness=self.stiffness, exponent=1.5)


@model
class KuwabaraKono(_Viscoelastic):
    """``F = K (d^(3/2) + (3/2) A sqrt(d) d')``, the viscoelastic sphere: restitution falls with
    speed, ``1 - 1.73 A (K/m)^(2/5) v^(1/5)``.

    ``end = "zero_force"``: the contact ends where it would begin to attract. ``end =
    "zero_overlap"``: it lasts until the overlap is gone. ``dissipation_time(restitution, ...)``
    gives ``A`` from a restitution at a speed. Source: Kuwabara and Kono, Jpn. J. Appl. Phys. 26
    (1987) 1230-1233; Brilliantov et al., Phys. Rev. E 53 (1996) 5382-5392.

    Args:
        end: key of ``CONTACT_ENDS``: ``"zero_overlap"`` or ``"zero_force"``.

    Example:
        >>> ball = jc.KuwabaraKono(stiffness=4e7, dissipation_time=1e-6)
        >>> slow, fast = ball.restitution_at(jnp.array([0.1, 10.0]), mass=2.7e-3)
        >>> print(f"{slow:.4f} at 0.1 m/s, {fast:.4f} at 10 m/s")
        0.9873 at 0.1 m/s, 0.9685 at 10 m/s
    """

    stiffness: Real = of(QUANTITIES["stiffness"])
    dissipation_time: Real = of(QUANTITIES["dissipation_time"])
    end: str = static(default="zero_force")

    def __post_init__(self) -> None:
        _check_end("KuwabaraKono", self.end, _KUWABARA_KONO_ENDS)

    def force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """Normal force [N] of ``overlap`` [m] and ``overlap_rate`` [m/s]; no tension when the
        contact ends at zero force.
        """
        force = self.uncut_force(overlap, overlap_rate, impact_speed=impact_speed, mass=mass)
        return no_tension(force) if self.end == "zero_force" else force

    def uncut_force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """The force, with the attraction that would follow the end of a contact at zero force."""
        return kuwabara_kono_force(
            overlap, overlap_rate, stiffness=self.stiffness, dissipation_time=self.dissipation_time
        )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s] with an effective mass [kg]."""
        beta = kuwabara_kono_damping(
            impact_speed,
            mass=mass,
            stiffness=self.stiffness,
            dissipation_time=self.dissipation_time,
        )
        return kuwabara_kono_restitution(beta, end=self.end)


@model
class HertzDashpot(_Viscoelastic):
    """``F = K d^(3/2) + c d'``, a Hertz spring with a linear dashpot: restitution rises with speed,
    from 0 at rest to 1.

    ``end`` as in ``KuwabaraKono``. The force jumps to ``c v`` at touch-down.

    Source: Hertz (1882) with a linear dashpot.

    Args:
        end: key of ``CONTACT_ENDS``: ``"zero_overlap"`` or ``"zero_force"``.

    Example:
        >>> ball = jc.HertzDashpot(stiffness=4e7, damping=10.0)
        >>> print(f"{ball.force(1e-4, 0.5, impact_speed=1.0, mass=2.7e-3):.2f} N")
        45.00 N
    """

    stiffness: Real = of(QUANTITIES["stiffness"])
    damping: Real = of(QUANTITIES["damping"])
    end: str = static(default="zero_force")

    def __post_init__(self) -> None:
        _check_end("HertzDashpot", self.end, _DASHPOT_ENDS)

    def force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """Normal force [N] of ``overlap`` [m] and ``overlap_rate`` [m/s]; no tension when the
        contact ends at zero force.
        """
        force = self.uncut_force(overlap, overlap_rate, impact_speed=impact_speed, mass=mass)
        return no_tension(force) if self.end == "zero_force" else force

    def uncut_force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """The force, with the attraction that would follow the end of a contact at zero force."""
        return hertz_dashpot_force(
            overlap, overlap_rate, stiffness=self.stiffness, damping=self.damping
        )

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s] with an effective mass [kg]; 0 at
        rest.
        """
        beta = hertz_dashpot_damping(
            impact_speed, mass=mass, stiffness=self.stiffness, damping=self.damping
        )
        return jnp.where(
            jnp.greater(impact_speed, 0.0), hertz_dashpot_restitution(beta, end=self.end), 0.0
        )


@model
class ViscoelasticRestitution(RigidImpact):
    """A rigid impact with the restitution of a viscoelastic sphere (``KuwabaraKono``): known at one
    speed, it follows at every other.

    ``beta`` is proportional to ``v^(1/5)``, whatever stiffness and mass are. It has no force: for
    the impulse method, and for fits. ``duration`` and ``deviation`` as in ``NewtonRestitution``.
    Source: Brilliantov et al., Phys. Rev. E 53 (1996) 5382-5392; Schwager and Poeschel, Phys. Rev.
    E 78 (2008) 051304.

    Args:
        end: key of ``CONTACT_ENDS``: ``"zero_overlap"`` or ``"zero_force"``.

    Example:
        >>> ball = jc.ViscoelasticRestitution(restitution=0.9, reference_speed=1.0)
        >>> print(f"{ball.restitution_at(5.0, mass=1.0):.4f}")
        0.8656
    """

    restitution: Real = of(QUANTITIES["restitution"])
    reference_speed: Real = parameter(
        unit="m/s",
        label="speed at which the restitution holds",
        symbol="v_ref",
        interval="(0, inf)",
        transform="log",
        default=1.0,
    )
    duration: Real = duration_field()
    deviation: Real = deviation_field()
    end: str = static(default="zero_force")

    def __post_init__(self) -> None:
        _check_end("ViscoelasticRestitution", self.end, _KUWABARA_KONO_ENDS)

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution [-] at the approach speed [m/s]; it does not depend on the mass."""
        beta = kuwabara_kono_beta(self.restitution, end=self.end) * _fifth_root(
            impact_speed / self.reference_speed
        )
        return kuwabara_kono_restitution(beta, end=self.end)


for _example, _source, _smoothness in (
    (KuwabaraKono(stiffness=1e4, dissipation_time=0.02), _KUWABARA_KONO, 0),
    (HertzDashpot(stiffness=1e4, damping=3.0), "Hertz (1882) with a linear dashpot", -1),
):
    law(
        name=type(_example).__name__,
        family="normal law",
        source=_source,
        smoothness=_smoothness,
        example={
            "self": _example,
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
        energy=lambda self, overlap: elastic_energy(
            overlap, stiffness=self.stiffness, exponent=1.5
        ),
        conjugate="overlap_rate",
    )(type(_example).force)
