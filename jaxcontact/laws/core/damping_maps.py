"""Damping and the coefficient of restitution that it really gives.

Hunt and Crossley's form ``F = K d^n (1 + a d'/v)``, ``v`` the approach speed, ends at zero overlap
with the restitution ``e`` of::

    a (1 + e) = ln((1 + a)/(1 - a e)),

whatever stiffness ``K``, exponent ``n`` and mass are (integrate ``v dv/(1 + a v)`` over the
contact; e.g. Gonthier et al. 2004). With ``s = a (1 + e)`` and ``b(s) = 1 - s/(exp(s) - 1)`` it is
explicit: ``a = s - b(s)`` and ``a e = b(s)``. So either direction is one monotone scalar equation
in ``s``, with a slope between 1/3 and 1.

Example:
    >>> from jaxcontact.laws import restitution
    >>> ratio = restitution.exact_damping_ratio(0.8)
    >>> print(f"{restitution.obtained_restitution(ratio):.4f}")
    0.8000
"""

import dataclasses
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.numerics.smooth import (
    Real,
    implicit_root,
    polynomial,
    positive_power,
    removable_singularity,
)
from jaxcontact.parameters import is_concrete

# (1/2 - b(s)/s)/s = sum_k B_2k s^(2k-2)/(2k)!, B_2k the Bernoulli numbers; radius of convergence 2
# pi.
_BERNOULLI_SERIES = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
)


def _loss_fraction(s: Real) -> jax.Array:
    """``b(s)/s`` with ``b(s) = 1 - s/(exp(s) - 1)``: 1/2 at 0, decreasing as ``1/s``, smooth on the
    whole real line.
    """

    def closed(s: jax.Array) -> jax.Array:
        # exp of a negative number only, so that nothing overflows; s/(exp(s) - 1) at -s is that at
        # s, plus s.
        size = jnp.abs(s)
        bernoulli = size * jnp.exp(-size) / -jnp.expm1(-size)
        return (1.0 - bernoulli - jnp.where(s < 0.0, size, 0.0)) / s

    return removable_singularity(
        s, closed, lambda s: 0.5 - s * polynomial(_BERNOULLI_SERIES, s * s), below=0.5
    )


def _pade_damping_ratio(restitution: Real) -> jax.Array:
    """A good first guess of the damping ratio: Carvalho and Martins above ``e = 1/3``, Gonthier's
    form below.
    """
    return jnp.where(restitution > 1 / 3, carvalho_martins(restitution), gonthier(restitution))


def _pade_restitution(damping_ratio: Real) -> jax.Array:
    """The algebraic inverse of ``_pade_damping_ratio``; both branches meet at ``a = 8/3``, ``e =
    1/3``.
    """
    a = jnp.asarray(damping_ratio)
    return jnp.where(a < 8 / 3, _inverse_carvalho_martins(a), _inverse_gonthier(a))


@law(
    family="restitution",
    source="energy integral of one impact",
    smoothness=math.inf,
    example={"damping_ratio": 0.8},
    variants=({"damping_ratio": 0.01}, {"damping_ratio": 5.0}),
    corners=({"damping_ratio": 0.0}, {"damping_ratio": 8 / 3}, {"damping_ratio": 1e4}),
)
def obtained_restitution(damping_ratio: Real) -> jax.Array:
    """Restitution ``e`` that ``F = K d^n (1 + a d'/v)`` gives for the damping ratio ``a``, for
    every exponent, stiffness and mass.

    Solves ``a (1 + e) = ln((1 + a)/(1 - a e))``; ``e = 1 - 2a/3 + 4a^2/9 - ...`` for small and
    ``1/a`` for large ``a``.

    Args:
        damping_ratio: ``a >= 0`` [-]. Elementwise.

    Returns:
        ``e`` in (0, 1], to 1e-14 (relative) in float64 for ``a`` up to 1e4.
    """
    a = jnp.asarray(damping_ratio)

    def residual(s: jax.Array, a: jax.Array) -> jax.Array:
        return s * (1.0 - _loss_fraction(s)) - a

    s = implicit_root(residual, a * (1.0 + _pade_restitution(a)), a, steps=2)
    fraction = _loss_fraction(s)
    return fraction / (1.0 - fraction)


@law(
    family="restitution",
    source="inverse of obtained_restitution",
    smoothness=math.inf,
    example={"restitution": 0.6},
    variants=({"restitution": 0.05}, {"restitution": 0.97}),
    corners=({"restitution": 1.0}, {"restitution": 1e-3}, {"restitution": 1 / 3}),
)
def exact_damping_ratio(restitution: Real) -> jax.Array:
    """Damping ratio ``a`` with which ``F = K d^n (1 + a d'/v)`` gives exactly the restitution
    ``e``: the inverse of the above.

    Args:
        restitution: ``e`` in (0, 1] [-]; smooth through 1, where ``a = 0`` and ``da/de = -3/2``.
            Elementwise.

    Returns:
        ``a >= 0``, to 1e-13 (relative) in float64 for ``e`` of 0.001 and more.
    """
    return _exact_damping_ratio(jnp.asarray(restitution) * 1.0)


@jax.custom_jvp
@jax.jit  # called from Python, a loop is compiled anew each time
def _exact_damping_ratio(restitution: jax.Array) -> jax.Array:
    """``a = s/(1 + e)`` from the root ``s`` of ``s/b(s) = (1 + e)/e``."""
    e = restitution

    def newton(_: int, s: jax.Array) -> jax.Array:
        fraction, slope = jax.jvp(_loss_fraction, (s,), (jnp.ones_like(s),))
        return s + (1.0 / fraction - (1.0 + e) / e) * fraction * fraction / slope

    # A loop takes a fraction of the time to compile.
    return jax.lax.fori_loop(0, 5, newton, _pade_damping_ratio(e) * (1.0 + e)) / (1.0 + e)


@_exact_damping_ratio.defjvp
def _exact_damping_ratio_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """``da/de = (1 - b')(1 - b/s)^2/(b/s)'``, from ``e = b/(s - b)`` and ``a = s - b``."""
    (e,), (e_dot,) = primals, tangents
    a = _exact_damping_ratio(e)
    s = a * (1.0 + e)
    fraction, slope = jax.jvp(_loss_fraction, (s,), (jnp.ones_like(s),))
    return a, (1.0 - fraction - s * slope) * (1.0 - fraction) ** 2 / slope * e_dot


# Published nominal laws: damping ratio a(e). What they give is obtained_restitution(a(e)), which
# differs from e.


@describe_arguments
def hunt_crossley(restitution: Real) -> Real:
    """``a = 3 (1 - e)/2``."""
    return 1.5 * (1.0 - restitution)


@describe_arguments
def herbert_mcwhannell(restitution: Real) -> jax.Array:
    """``a = 6 (1 - e)/((2 e - 1)^2 + 3)``."""
    e = jnp.asarray(restitution)
    return 6.0 * (1.0 - e) / ((2.0 * e - 1.0) ** 2 + 3.0)


@describe_arguments
def lee_wang(restitution: Real) -> Real:
    """``a = 3 (1 - e)/4``."""
    return 0.75 * (1.0 - restitution)


@describe_arguments
def lankarani_nikravesh(restitution: Real) -> jax.Array:
    """``a = 3 (1 - e^2)/4``."""
    e = jnp.asarray(restitution)
    return 0.75 * (1.0 - e * e)


@describe_arguments
def gonthier(restitution: Real) -> jax.Array:
    """``a = (1 - e^2)/e``, Gonthier and co-workers' explicit approximation."""
    e = jnp.asarray(restitution)
    return (1.0 - e * e) / e


@describe_arguments
def zhiying_qishao(restitution: Real) -> jax.Array:
    """``a = 3 (1 - e^2) exp(2 (1 - e))/4``."""
    e = jnp.asarray(restitution)
    return 0.75 * (1.0 - e * e) * jnp.exp(2.0 * (1.0 - e))


@describe_arguments
def flores(restitution: Real) -> jax.Array:
    """``a = 8 (1 - e)/(5 e)``."""
    e = jnp.asarray(restitution)
    return 1.6 * (1.0 - e) / e


@describe_arguments
def gharib_hurmuzlu(restitution: Real) -> jax.Array:
    """``a = 1/e``: for small restitution only, it stays damped at ``e = 1``."""
    return 1.0 / jnp.asarray(restitution)


@describe_arguments
def hu_guo(restitution: Real) -> jax.Array:
    """``a = 3 (1 - e)/(2 e)``."""
    e = jnp.asarray(restitution)
    return 1.5 * (1.0 - e) / e


@describe_arguments
def carvalho_martins(restitution: Real) -> jax.Array:
    """``a = 3 (1 - e)(11 - e)/(2 (1 + 9 e))``, a Pade form about ``e = 1``."""
    e = jnp.asarray(restitution)
    return 1.5 * (1.0 - e) * (11.0 - e) / (1.0 + 9.0 * e)


@describe_arguments
def safaeifar_farshidianfar(restitution: Real) -> jax.Array:
    """``a = 5 (1 - e)/(4 e)``."""
    e = jnp.asarray(restitution)
    return 1.25 * (1.0 - e) / e


# Their inverses: the restitution to ask for so that the damping ratio is ``a``.


def _line(slope: float) -> Callable[[Real], jax.Array]:
    """Inverse of ``a = slope (1 - e)``."""
    return lambda damping_ratio: 1.0 - jnp.asarray(damping_ratio) / slope


def _hyperbola(factor: float) -> Callable[[Real], jax.Array]:
    """Inverse of ``a = factor (1 - e)/e``."""
    return lambda damping_ratio: factor / (factor + jnp.asarray(damping_ratio))


def _inverse_herbert_mcwhannell(damping_ratio: Real) -> jax.Array:
    """Root of ``4 a e^2 + b e = b``, ``b = 6 - 4 a``, without a division by ``a``; 0 at the largest
    ratio, where ``b`` is.
    """
    a = jnp.asarray(damping_ratio)
    b = 6.0 - 4.0 * a
    left = b > 0.0
    return jnp.where(left, 2.0 / (1.0 + jnp.sqrt(1.0 + 16.0 * a / jnp.where(left, b, 1.0))), 0.0)


def _inverse_lankarani_nikravesh(damping_ratio: Real) -> jax.Array:
    return positive_power(1.0 - 4.0 / 3.0 * jnp.asarray(damping_ratio), 0.5)


def _inverse_gonthier(damping_ratio: Real) -> jax.Array:
    a = jnp.asarray(damping_ratio)
    return 2.0 / (a + jnp.sqrt(a * a + 4.0))


def _inverse_zhiying_qishao(damping_ratio: Real) -> jax.Array:
    """No closed form; ``a(e)`` falls and is convex, so Newton's method from ``e = 0`` climbs to the
    root.
    """
    a = jnp.asarray(damping_ratio)
    return implicit_root(lambda e, a: zhiying_qishao(e) - a, jnp.zeros_like(a), a, steps=7)


def _inverse_gharib_hurmuzlu(damping_ratio: Real) -> jax.Array:
    return 1.0 / jnp.maximum(damping_ratio, 1.0)


def _inverse_carvalho_martins(damping_ratio: Real) -> jax.Array:
    a = jnp.asarray(damping_ratio)
    return (11.0 - a * 2.0 / 3.0) / (6.0 + 3.0 * a + jnp.sqrt(9.0 * a * a + a * 110.0 / 3.0 + 25.0))


@dataclasses.dataclass(frozen=True)
class RestitutionLaw:
    """A published relation between the restitution asked for and the damping ratio ``a`` of ``F = K
    d^n (1 + a d'/v)``.

    One of ``RESTITUTION_LAWS`` is pickled as its name, so that a copy in another process is equal
    to it. One of your own is pickled with its functions: define them at the top of a module.

    Attributes:
        name: in ``RESTITUTION_LAWS``.
        damping_ratio: ``a`` as a function of the restitution asked for, in (0, 1].
        nominal: its inverse, in closed form but for one.
        reach: ``a`` at the restitutions 1 (included) and 0 (excluded).
        source: publication or program.

    Example:
        >>> flores = jc.RESTITUTION_LAWS["flores_2011"]
        >>> print(f"asked for 0.9, obtained {flores.obtained(0.9):.4f}")
        asked for 0.9, obtained 0.8939
    """

    name: str
    damping_ratio: Callable[[Real], Real]
    nominal: Callable[[Real], jax.Array]
    reach: tuple[float, float]
    source: str

    def __reduce__(self) -> str | tuple:
        if RESTITUTION_LAWS.get(self.name) is self:
            return _restitution_law_named, (self.name,)
        return super().__reduce__()

    def obtained(self, asked: Real) -> jax.Array:
        """Restitution [-] that an impact has when ``asked``, in (0, 1], is asked for.
        Elementwise.
        """
        return obtained_restitution(self.damping_ratio(asked))

    @property
    def obtainable(self) -> tuple[float, float]:
        """The range of restitutions that can be obtained, a lower end, excluded, and an upper one,
        included.
        """
        least, largest = self.reach
        with jax.ensure_compile_time_eval():
            return 0.0 if math.isinf(largest) else float(obtained_restitution(largest)), float(
                obtained_restitution(least)
            )

    def asked(self, obtained: Real) -> jax.Array:
        """Restitution [-] to ask for so that an impact has ``obtained``: the inverse of the method
        ``obtained``. Elementwise.

        Raises:
            ValueError: when a number is given that this law cannot obtain. A tracer out of range is
                taken to the nearest end.
        """
        least, largest = self.reach
        if is_concrete(obtained):
            low, high = self.obtainable
            if not np.all((np.asarray(obtained) > low) & (np.asarray(obtained) <= high + 1e-6)):
                raise ValueError(
                    f"RestitutionLaw {self.name}: a restitution of {obtained} is outside "
                    f"({low:.4g}, {high:.4g}], which it can obtain. "
                    "The law 'exact' obtains every restitution."
                )
        ratio = exact_damping_ratio(obtained)
        return self.nominal(
            jnp.where(ratio < least, least, jnp.where(ratio > largest, largest, ratio))
        )


EXACT = RestitutionLaw(
    "exact",
    exact_damping_ratio,
    obtained_restitution,
    (0.0, math.inf),
    "exact inverse of the energy integral of one impact",
)


def _restitution_law_named(name: str) -> RestitutionLaw:
    return RESTITUTION_LAWS[name]


def _entered(entry: RestitutionLaw) -> RestitutionLaw:
    """The same, its map being a law of the catalogue."""
    switch = {"restitution": 1 / 3}  # of the form by Exudyn, the only one with two branches
    ratio = law(
        name=entry.name,
        family="nominal restitution",
        source=entry.source,
        smoothness=math.inf if entry.name != "exudyn_mixed" else 0,
        example={"restitution": 0.6},
        variants=({"restitution": 0.05}, {"restitution": 0.97}),
        switches=() if entry.name != "exudyn_mixed" else (switch,),
        corners=({"restitution": 1.0}, {"restitution": 1e-3}, switch),
    )(entry.damping_ratio)
    return dataclasses.replace(entry, damping_ratio=ratio)


RESTITUTION_LAWS: dict[str, RestitutionLaw] = {EXACT.name: EXACT} | {
    entry.name: _entered(entry)
    for entry in (
        RestitutionLaw(
            "hunt_crossley_1975",
            hunt_crossley,
            _line(1.5),
            (0.0, 1.5),
            "Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445",
        ),
        RestitutionLaw(
            "marhefka_orin_1999",
            hunt_crossley,
            _line(1.5),
            (0.0, 1.5),
            "Marhefka and Orin, IEEE Trans. Syst. Man Cybern. A 29 (1999) 566-572",
        ),
        RestitutionLaw(
            "herbert_mcwhannell_1977",
            herbert_mcwhannell,
            _inverse_herbert_mcwhannell,
            (0.0, 1.5),
            "Herbert and McWhannell, J. Eng. Ind. 99 (1977) 794-798",
        ),
        RestitutionLaw(
            "lee_wang_1983",
            lee_wang,
            _line(0.75),
            (0.0, 0.75),
            "Lee and Wang, J. Mech. Transm. Autom. Des. 105 (1983) 534-543",
        ),
        RestitutionLaw(
            "lankarani_nikravesh_1990",
            lankarani_nikravesh,
            _inverse_lankarani_nikravesh,
            (0.0, 0.75),
            "Lankarani and Nikravesh, J. Mech. Des. 112 (1990) 369-376",
        ),
        RestitutionLaw(
            "gonthier_2004_approx",
            gonthier,
            _inverse_gonthier,
            (0.0, math.inf),
            "Gonthier et al., Multibody Syst. Dyn. 11 (2004) 209-233",
        ),
        RestitutionLaw(
            "zhiying_qishao_2006",
            zhiying_qishao,
            _inverse_zhiying_qishao,
            (0.0, 0.75 * math.exp(2.0)),
            "Qin and Lu, Int. J. Nonlinear Sci. Numer. Simul. 7 (2006)",
        ),
        RestitutionLaw(
            "flores_2011",
            flores,
            _hyperbola(1.6),
            (0.0, math.inf),
            "Flores et al., Multibody Syst. Dyn. 25 (2011) 357-375",
        ),
        RestitutionLaw(
            "gharib_hurmuzlu_2012",
            gharib_hurmuzlu,
            _inverse_gharib_hurmuzlu,
            (1.0, math.inf),
            "Gharib and Hurmuzlu, J. Appl. Mech. 79 (2012) 064506",
        ),
        RestitutionLaw(
            "hu_guo_2015",
            hu_guo,
            _hyperbola(1.5),
            (0.0, math.inf),
            "Hu and Guo, Multibody Syst. Dyn. 35 (2015) 99-113",
        ),
        RestitutionLaw(
            "carvalho_martins_2019_approx",
            carvalho_martins,
            _inverse_carvalho_martins,
            (0.0, 16.5),
            "Carvalho and Martins, Mech. Mach. Theory 139 (2019) 174-194",
        ),
        RestitutionLaw(
            "safaeifar_farshidianfar_2020",
            safaeifar_farshidianfar,
            _hyperbola(1.25),
            (0.0, math.inf),
            "Safaeifar and Farshidianfar, Multibody Syst. Dyn. 50 (2020) 233-257",
        ),
        RestitutionLaw(
            "exudyn_mixed",
            _pade_damping_ratio,
            _pade_restitution,
            (0.0, math.inf),
            "Exudyn, impactModel 2: Carvalho and Martins above e = 1/3, Gonthier below",
        ),
    )
}
"""The exact law from a restitution to a damping ratio and the published ones, by their names.

Example:
    >>> sorted(jc.RESTITUTION_LAWS)[:2]
    ['carvalho_martins_2019_approx', 'exact']
    >>> lankarani_nikravesh = jc.RESTITUTION_LAWS["lankarani_nikravesh_1990"]
    >>> print(f"asked for 0.8, obtained {lankarani_nikravesh.obtained(0.8):.4f}")
    asked for 0.8, obtained 0.8471
"""


# Linear oscillator F = k d + c d', c = 2 zeta sqrt(k m). A contact ends where the overlap, or
# already where the force, is zero.

# acos(z)/sqrt(1 - z^2) in powers of 1 - z: c_0 = 1, c_k = c_(k-1) k/(2k+1).
_ARC_SERIES = tuple(math.prod(j / (2 * j + 1) for j in range(1, k + 1)) for k in range(15))


def _arc_ratio(zeta: Real) -> jax.Array:
    """``acos(z)/sqrt(1 - z^2)``, continued as ``acosh(z)/sqrt(z^2 - 1)`` beyond 1: one analytic
    function, 1 at ``z = 1``.
    """

    def closed(u: jax.Array) -> jax.Array:
        z = 1.0 - u
        under = jnp.where(u > 0.0, z, 0.0)
        over = jnp.where(u > 0.0, 2.0, z)
        trigonometric = jnp.arccos(under) / jnp.sqrt((1.0 - under) * (1.0 + under))
        hyperbolic = jnp.arccosh(over) / jnp.sqrt((over - 1.0) * (over + 1.0))
        return jnp.where(u > 0.0, trigonometric, hyperbolic)

    return removable_singularity(
        1.0 - zeta, closed, lambda u: polynomial(_ARC_SERIES, u), below=0.1
    )


@law(
    family="restitution",
    source="Schwager and Poeschel, Granular Matter 9 (2007) 465-469",
    smoothness=math.inf,
    example={"zeta": 0.05},
    variants=({"zeta": 0.7}, {"zeta": 3.0}),
    corners=({"zeta": 0.0}, {"zeta": 1.0}, {"zeta": 1e3}),
)
def zero_overlap_restitution(zeta: Real) -> jax.Array:
    """Restitution of ``F = k d + c d'`` when the contact lasts until the overlap is zero, with
    attraction towards the end.

    ``e = exp(-pi zeta/sqrt(1 - zeta^2))``; 0 for ``zeta >= 1``, where the bodies creep apart and
    never separate.

    Args:
        zeta: damping relative to critical, ``c/(2 sqrt(k m)) >= 0``. Elementwise.
    """
    z = jnp.asarray(zeta)
    returns = z < 1.0
    under = jnp.where(returns, z, 0.0)
    return jnp.where(
        returns, jnp.exp(-jnp.pi * under / jnp.sqrt((1.0 - under) * (1.0 + under))), 0.0
    )


@law(
    family="restitution",
    source="Schwager and Poeschel, Granular Matter 9 (2007) 465-469",
    smoothness=math.inf,
    example={"restitution": 0.6},
    variants=({"restitution": 0.04},),
    corners=({"restitution": 1.0}, {"restitution": 0.1353352832366127}, {"restitution": 1e-3}),
)
def zero_overlap_damping(restitution: Real) -> jax.Array:
    """Inverse of ``zero_overlap_restitution``: ``zeta = -ln e/sqrt(pi^2 + ln^2 e)`` for ``e`` in
    (0, 1].
    """
    loss = -jnp.log(restitution)
    return loss / jnp.sqrt(jnp.pi**2 + loss * loss)


@describe_arguments
def zero_overlap_duration(zeta: Real) -> jax.Array:
    """Duration of that contact in units of ``sqrt(m/k)``: ``pi/sqrt(1 - zeta^2)``, infinite for
    ``zeta >= 1``. Elementwise.
    """
    z = jnp.asarray(zeta)
    returns = z < 1.0
    under = jnp.where(returns, z, 0.0)
    return jnp.where(returns, jnp.pi / jnp.sqrt((1.0 - under) * (1.0 + under)), jnp.inf)


@law(
    family="restitution",
    source="Schwager and Poeschel, Granular Matter 9 (2007) 465-469",
    smoothness=math.inf,
    example={"zeta": 0.05},
    variants=({"zeta": 0.7}, {"zeta": 3.0}),
    corners=({"zeta": 0.0}, {"zeta": 1.0}, {"zeta": 1e3}),
)
def zero_force_restitution(zeta: Real) -> jax.Array:
    """Restitution of ``F = k d + c d'`` when the contact ends where the force falls to zero, so
    that it never attracts.

    ``e = exp(-2 zeta acos(zeta)/sqrt(1 - zeta^2))``, ``exp(-2)`` at critical damping and with
    ``acosh(zeta)/sqrt(zeta^2 - 1)`` beyond it. Source: Schwager and Poeschel, Granular Matter 9
    (2007) 465-469.

    Args:
        zeta: damping relative to critical, ``c/(2 sqrt(k m)) >= 0``. Elementwise.
    """
    return jnp.exp(-2.0 * zeta * _arc_ratio(zeta))


@describe_arguments
def zero_force_duration(zeta: Real) -> jax.Array:
    """Duration of that contact in units of ``sqrt(m/k)``: ``2 acos(zeta)/sqrt(1 - zeta^2)``, 2 at
    critical damping. Elementwise.
    """
    return 2.0 * _arc_ratio(zeta)


@law(
    family="restitution",
    source="Schwager and Poeschel, Granular Matter 9 (2007) 465-469",
    smoothness=math.inf,
    example={"restitution": 0.6},
    variants=({"restitution": 0.04},),
    corners=({"restitution": 1.0}, {"restitution": 0.1353352832366127}, {"restitution": 1e-3}),
)
def zero_force_damping(restitution: Real) -> jax.Array:
    """Inverse of ``zero_force_restitution``, for ``e`` in (0, 1] (``zeta`` beyond 1000 at ``e =
    2.5e-7``). Elementwise.

    In ``y = asinh(zeta)`` the equation ``2 zeta acos(zeta)/sqrt(1 - zeta^2) = -ln e`` is nearly
    linear: its slope falls from pi to 2.
    """
    loss = -jnp.log(restitution)

    def residual(y: jax.Array, loss: jax.Array) -> jax.Array:
        zeta = jnp.sinh(y)
        return 2.0 * zeta * _arc_ratio(zeta) - loss

    guess = loss / (2.0 + (math.pi - 2.0) / (1.0 + 0.5 * loss))
    return jnp.sinh(implicit_root(residual, guess, loss, steps=3))


# Tsuji's dashpot F = K d^(3/2) + alpha sqrt(m K) d^(1/4) d': in x = (4/5) d^(5/4) it is the linear
# oscillator with zeta = alpha/sqrt(5).


@describe_arguments
def tsuji_zeta(alpha: Real) -> jax.Array:
    """Damping relative to critical of the linear oscillator equivalent to ``F = K d^1.5 + alpha
    sqrt(m K) d^0.25 d'``.

    Source: Antypov and Elliott, Europhys. Lett. 94 (2011) 50004.
    """
    return jnp.asarray(alpha) / math.sqrt(5.0)


@describe_arguments
def tsuji_alpha(zeta: Real) -> jax.Array:
    """Inverse of ``tsuji_zeta``: ``alpha = sqrt(5) zeta``, with the effective mass in ``alpha
    sqrt(m K)``.
    """
    return math.sqrt(5.0) * jnp.asarray(zeta)


_THORNTON_2013 = (
    -6.918798,
    -16.41105,
    146.8049,
    -796.4559,
    2928.711,
    -7206.864,
    11494.29,
    -11342.18,
    6276.757,
    -1489.915,
)


def thornton_gamma(restitution: Real) -> jax.Array:
    """``gamma`` of the dashpot ``2 gamma sqrt(m dF/dd)`` beside a Hertz spring, as fitted by
    Thornton, Cummins and Cleary. Elementwise.

    ``gamma = sqrt(x/(1 - x))``, ``x = (1 + e)^2 exp(h_1 e + ... + h_10 e^10)``. It is Tsuji's
    dashpot, ``alpha = sqrt(6) gamma``, with a contact that ends at zero force; the fit obtains
    ``e`` to 4e-4 up to 0.9, and 0.972 for 0.98. The exact one is
    ``tsuji_alpha(zero_force_damping(e))/sqrt(6)``.

    Source: Thornton, Cummins and Cleary, Powder Technol. 233 (2013) 30-46.

    Args:
        restitution: ``e`` in (0, 1] [-].
    """
    e = jnp.asarray(restitution)
    x = (1.0 + e) ** 2 * jnp.exp(e * polynomial(_THORNTON_2013, e))
    return jnp.sqrt(x / (1.0 - x))


@dataclasses.dataclass(frozen=True)
class ContactEnd:
    """Where a dashpot contact ends, and what follows: the maps between damping relative to critical
    and restitution, and the duration.

    The duration is that of the linear oscillator, in units of ``sqrt(m/k)``, as a function of the
    damping.
    """

    name: str
    restitution: Callable[[Real], jax.Array]
    damping: Callable[[Real], jax.Array]
    duration: Callable[[Real], jax.Array]


CONTACT_ENDS: dict[str, ContactEnd] = {
    end.name: end
    for end in (
        ContactEnd(
            "zero_overlap", zero_overlap_restitution, zero_overlap_damping, zero_overlap_duration
        ),
        ContactEnd("zero_force", zero_force_restitution, zero_force_damping, zero_force_duration),
    )
}
