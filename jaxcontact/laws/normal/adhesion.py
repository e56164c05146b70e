"""Adhesion of elastic spheres: Johnson, Kendall and Roberts (JKR), and Derjaguin, Muller and
Toporov (DMT).

``w`` is the work of adhesion per area [J/m^2], ``E*`` the effective modulus, ``R`` the effective
radius. Positive forces repel. JKR is the limit of soft, large bodies, DMT that of hard, small ones:
Tabor's parameter tells (above about 5 and below about 0.1).

JKR ties overlap ``d`` and force to the contact radius ``a``::

    d = a^2/R - sqrt(2 pi w a/E*),   F = 4 E* a^3/(3 R) - sqrt(8 pi w E* a^3).

With ``a^2 = R y^4`` the first is the quartic ``y^4 - k y = d``, ``k^2 = 2 pi w sqrt(R)/E*``. Its
resolvent cubic ``m^3 + d m = k^2/8`` has one positive root ``m``, simple up to the pull-off and
beyond. With ``P = m/2`` and ``Q = sqrt(m^2 + d) - m/2``, zero at the pull-off::

    a = sqrt(R) (P + Q + 2 sqrt(P Q)),
    F = (4/3) E* sqrt(R) (Q^3 - 3 P Q^2 - 9 P^2 Q - 5 P^3 - 4 P (Q + 3 P) sqrt(P Q)):

no cancellation without adhesion (``P = 0``), and the only root that has no derivative is ``sqrt(P
Q)``, at the pull-off, as it must be.

Example:
    >>> from jaxcontact.laws import adhesion
    >>> force = adhesion.jkr_pull_off_force(effective_radius=5e-6, work_of_adhesion=0.1)
    >>> print(f"{1e6 * force:.3f} uN")
    2.356 uN
"""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.branches import BranchedLaw, OnBranch, Reach
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import describe_arguments, law
from jaxcontact.laws.normal.elastic import elastic_energy, hertz_force
from jaxcontact.materials import hertz_stiffness
from jaxcontact.numerics.smooth import Real, positive_part, positive_power, smooth_positive_part
from jaxcontact.parameters import model, of

_JKR = "Johnson, Kendall and Roberts, Proc. R. Soc. Lond. A 324 (1971) 301-313"
_DMT = "Derjaguin, Muller and Toporov, J. Colloid Interface Sci. 53 (1975) 314-326"
_EXAMPLE = {
    "overlap": 2e-8,
    "effective_modulus": 1e9,
    "effective_radius": 1e-4,
    "work_of_adhesion": 0.05,
}

_SEPARATION = 0.75 * 4.0 ** (-1.0 / 3.0)
"""``-d/k^(4/3)`` at the pull-off of a prescribed overlap: there ``y^4 - k y`` has its minimum."""


def tabor_parameter(
    *,
    effective_modulus: Real,
    effective_radius: Real,
    work_of_adhesion: Real,
    equilibrium_spacing: Real = 0.3e-9,
) -> jax.Array:
    """Tabor's parameter ``(R w^2/(E*^2 z0^3))^(1/3)`` [-]: JKR applies above about 5, DMT below
    about 0.1. Elementwise.

    Source: Tabor, J. Colloid Interface Sci. 58 (1977) 2-13.

    Args:
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        work_of_adhesion: ``w`` [J/m^2].
        equilibrium_spacing: ``z0`` [m], the distance of the atoms of two surfaces in contact; 0.2
            to 0.4 nm for most solids.
    """
    w_over_e = work_of_adhesion / jnp.asarray(effective_modulus)
    return jnp.cbrt(effective_radius / equilibrium_spacing * (w_over_e / equilibrium_spacing) ** 2)


@describe_arguments
def jkr_pull_off_force(*, effective_radius: Real, work_of_adhesion: Real) -> Real:
    """The largest attraction ``(3/2) pi w R`` [N], where a load-controlled contact breaks.
    Elementwise. Arguments as for ``jkr_force``.
    """
    return 1.5 * math.pi * work_of_adhesion * effective_radius


@describe_arguments
def dmt_pull_off_force(*, effective_radius: Real, work_of_adhesion: Real) -> Real:
    """The attraction ``2 pi w R`` [N] of a DMT contact. Elementwise. Arguments as for
    ``dmt_force``.
    """
    return 2.0 * math.pi * work_of_adhesion * effective_radius


def _adhesive_length(
    effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """``k^(4/3) = (2 pi w sqrt(R)/E*)^(2/3)`` [m]; 0 with zero derivatives without adhesion."""
    return positive_power(
        2.0 * math.pi * work_of_adhesion * jnp.sqrt(effective_radius) / effective_modulus, 2.0 / 3.0
    )


@describe_arguments
def jkr_separation_overlap(
    *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Overlap [m], negative, at which a contact pulled apart at a prescribed overlap breaks.
    Elementwise. Arguments as for ``jkr_force``.

    ``d = -(3/4) (pi^2 w^2 R/E*^2)^(1/3)``; the force there is ``-(5/6) pi w R``, 5/9 of the
    pull-off force.
    """
    return -_SEPARATION * _adhesive_length(effective_modulus, effective_radius, work_of_adhesion)


def jkr_contact_radius_under_load(
    load: Real, *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Radius ``a`` [m] of a JKR contact under a load, ``a^3 = (3 R/(4 E*)) (sqrt(F_p) + sqrt(F_p +
    F))^2``. Elementwise.

    ``F_p = (3/2) pi w R``; 0 where the load is a stronger pull, and the contact gone. Arguments as
    for ``jkr_force``.

    Args:
        load: ``F`` [N], positive while it presses.
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        work_of_adhesion: ``w`` [J/m^2].
    """
    pull_off = jkr_pull_off_force(
        effective_radius=effective_radius, work_of_adhesion=work_of_adhesion
    )
    root = positive_power(pull_off, 0.5) + positive_power(load + pull_off, 0.5)
    radius = positive_power(0.75 * effective_radius / effective_modulus * root * root, 1.0 / 3.0)
    return jnp.where(jnp.less(load + pull_off, 0.0), 0.0, radius)


@describe_arguments
def jkr_overlap_of_radius(
    contact_radius: Real, *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Overlap ``d = a^2/R - sqrt(2 pi w a/E*)`` [m] of a JKR contact of radius ``a``. Elementwise.

    With ``jkr_contact_radius_under_load`` the overlap under a load. Arguments as there,
    ``contact_radius`` in m.
    """
    drawn = positive_power(
        2.0 * math.pi * work_of_adhesion * contact_radius / jnp.asarray(effective_modulus), 0.5
    )
    return jnp.subtract(contact_radius**2 / effective_radius, drawn)


class _Quartic(NamedTuple):
    """``P``, ``Q`` and ``sqrt(P Q)`` in units of ``sqrt(length)``; ``adhesion`` is
    ``k^2/length^(3/2)``, ``overlap`` ``d/length``.
    """

    p: jax.Array
    q: jax.Array
    root: jax.Array
    overlap: jax.Array
    adhesion: jax.Array
    length: jax.Array
    holds: jax.Array


def _solve(
    overlap: Real, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> _Quartic:
    """The branch of contact of the quartic, in units in which its terms are of order one (a mere
    choice, so without derivative).
    """
    adhesion = 2.0 * math.pi * work_of_adhesion * jnp.sqrt(effective_radius) / effective_modulus
    d, strength = (jax.lax.stop_gradient(jnp.asarray(x)) for x in (overlap, adhesion))
    reach = positive_power(strength, 2.0 / 3.0)
    holds = (d > -_SEPARATION * reach) & ((d > 0.0) | (strength > 0.0))
    length = jnp.where(holds, jnp.abs(d) + reach, 1.0)
    scaled_d = jnp.where(holds, overlap / length, 1.0)
    scaled_k = jnp.where(holds, adhesion / (length * jnp.sqrt(length)), 0.0)

    def newton(m: jax.Array, d: jax.Array, k: jax.Array) -> jax.Array:
        return (2.0 * m**3 + k / 8.0) / (3.0 * m * m + d)

    # From above, where the cubic is convex and increasing, Newton's method cannot miss; the guess
    # bounds the root. Two more steps, with derivatives, carry three orders of them (see
    # implicit_root, whose steps are general and take longer to compile).
    k = jax.lax.stop_gradient(scaled_k)
    d = jax.lax.stop_gradient(scaled_d)
    m = jnp.sqrt(jnp.maximum(-d, 0.0)) + jnp.cbrt(k) / 2.0
    for _ in range(5):
        m = newton(m, d, k)
    m = newton(newton(jax.lax.stop_gradient(m), scaled_d, scaled_k), scaled_d, scaled_k)
    p = m / 2.0
    q = jnp.sqrt(m * m + scaled_d) - p
    product = p * q
    inside = product > jnp.finfo(product.dtype).eps ** 2
    root = jnp.where(inside, jnp.sqrt(jnp.where(inside, product, 1.0)), 0.0)
    return _Quartic(p, q, root, scaled_d, scaled_k, length, holds)


@describe_arguments
def jkr_contact_radius(
    overlap: Real, *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Radius ``a`` [m] of a JKR contact that has not broken: ``d = a^2/R - sqrt(2 pi w a/E*)``, 0
    beyond the pull-off. Elementwise.

    Arguments as for ``jkr_force``. The slope is infinite at the pull-off, and by
    ``work_of_adhesion`` at 0: there it is left out.
    """
    s = _solve(overlap, effective_modulus, effective_radius, work_of_adhesion)
    return jnp.where(
        s.holds, jnp.sqrt(effective_radius * s.length) * (s.p + s.q + 2.0 * s.root), 0.0
    )


@describe_arguments
def jkr_energy(
    overlap: Real, *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Elastic minus surface energy ``E* (a d^2 - 2 a^3 d/(3 R) + a^5/(5 R^2)) - pi w a^2`` [J] of a
    JKR contact. Elementwise.

    Zero for bodies apart; a contact that breaks by a prescribed overlap has a positive energy left,
    which is lost. Arguments as for ``jkr_force``. Source: Johnson, Contact Mechanics (1985),
    section 5.5.
    """
    s = _solve(overlap, effective_modulus, effective_radius, work_of_adhesion)
    a = s.p + s.q + 2.0 * s.root
    elastic = a * (s.overlap**2 - 2.0 / 3.0 * a * a * s.overlap + a**4 / 5.0)
    scale = effective_modulus * jnp.sqrt(effective_radius) * s.length**2 * jnp.sqrt(s.length)
    return jnp.where(s.holds, scale * (elastic - s.adhesion * a * a / 2.0), 0.0)


@law(
    family="adhesion",
    source=_JKR,
    smoothness=-1,
    example=_EXAMPLE,
    variants=({"overlap": -4e-9}, {"overlap": 3e-6}),
    switches=({"overlap": -_SEPARATION * (2 * math.pi * 0.05 * 1e-2 / 1e9) ** (2 / 3)},),
    corners=(
        *(
            {"overlap": 0.0},
            {"overlap": -1e-3},
            {"work_of_adhesion": 0.0},
            {"overlap": 0.0, "work_of_adhesion": 0.0},
        ),
        *({"overlap": -1e-8, "work_of_adhesion": 0.0}, {"overlap": 1e-16}),
    ),
    energy=jkr_energy,
    conjugate="overlap_rate",
)
def jkr_force(
    overlap: Real, *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Force [N] of a JKR contact that has not broken: on the stable branch down to the pull-off, 0
    beyond. Elementwise.

    Explicit; see the module's text. It is smooth up to the pull-off of a prescribed overlap
    (``jkr_separation_overlap``), where it ends with an infinite slope at ``-(5/6) pi w R``; with a
    prescribed load it ends before, at ``-(3/2) pi w R``. Without adhesion it is ``hertz_force``.
    Its derivative by ``work_of_adhesion`` is right at 0, too; the second is infinite there and left
    out. Bodies on their way together feel nothing before they touch: ``jkr_force_with_memory``.

    Source: Johnson, Kendall and Roberts, Proc. R. Soc. Lond. A 324 (1971) 301-313; Johnson, Contact
    Mechanics (1985), section 5.5.

    Args:
        overlap: ``d`` [m], negative while the bodies are drawn out.
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        work_of_adhesion: ``w`` [J/m^2].
    """
    s = _solve(overlap, effective_modulus, effective_radius, work_of_adhesion)
    even = s.q**3 - 3.0 * s.p * s.q**2 - 9.0 * s.p**2 * s.q - 5.0 * s.p**3
    force = even - 4.0 * s.p * (s.q + 3.0 * s.p) * s.root
    scale = hertz_stiffness(effective_modulus, effective_radius) * s.length * jnp.sqrt(s.length)
    return jnp.where(s.holds, scale * force, 0.0)


class AdhesiveContact(NamedTuple):
    """Memory of an adhesive contact: whether the bodies have touched and not yet been torn apart,
    ``(...)`` of booleans.
    """

    touching: jax.Array | bool = False


@law(
    family="adhesion",
    source=_JKR,
    smoothness=-1,
    example={"memory": AdhesiveContact(False), **_EXAMPLE},
    variants=({"memory": AdhesiveContact(True), "overlap": -4e-9},),
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-8}, {"memory": AdhesiveContact(True), "overlap": -1e-3}),
)
def jkr_force_with_memory(
    memory: AdhesiveContact,
    overlap: Real,
    *,
    effective_modulus: Real,
    effective_radius: Real,
    work_of_adhesion: Real,
) -> tuple[jax.Array, AdhesiveContact]:
    """Force [N] of a JKR contact with its hysteresis, and the new memory. Elementwise.

    Bodies that come together feel nothing until ``d = 0``, where the force jumps to ``-(4/3) pi w
    R``; once they touch, ``jkr_force`` holds down to ``jkr_separation_overlap``. Each such cycle
    takes ``jkr_work_of_separation`` away. Both jumps belong to the law. Source: Johnson, Kendall
    and Roberts, Proc. R. Soc. Lond. A 324 (1971) 301-313.

    Args:
        memory: what was returned before; ``AdhesiveContact()`` for bodies that have not touched.
        overlap: ``d`` [m].
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        work_of_adhesion: ``w`` [J/m^2].
    """
    surface = {
        "effective_modulus": effective_modulus,
        "effective_radius": effective_radius,
        "work_of_adhesion": work_of_adhesion,
    }
    holds = jnp.asarray(overlap) > jkr_separation_overlap(**surface)
    touching = jnp.greater_equal(overlap, 0.0) | (jnp.asarray(memory.touching) & holds)
    return jnp.where(touching, jkr_force(overlap, **surface), 0.0), AdhesiveContact(touching)


def _unit_energy(y: float) -> float:
    """Energy of a JKR contact in units of ``E* sqrt(R) k^(10/3)`` at ``a = sqrt(R) k^(2/3)
    y^2``.
    """
    d = y**4 - y
    return y**2 * d**2 - 2.0 / 3.0 * y**6 * d + y**10 / 5.0 - y**4 / 2.0


_LOST = _unit_energy(4.0 ** (-1.0 / 3.0)) - _unit_energy(1.0)
"""Energy at the pull-off minus that at ``d = 0``, in the same unit."""


@describe_arguments
def jkr_work_of_separation(
    *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Energy ``7.16 (w^5 R^4/E*^2)^(1/3)`` [J] that a JKR contact loses in every impact, whatever
    its speed. Elementwise.

    The work of pulling from ``d = 0``, where the force appeared on the way in, to the pull-off of a
    prescribed overlap. Thornton and Ning, Powder Technol. 99 (1998) 154-162, round the number to
    7.09. Arguments as for ``jkr_force``.
    """
    w = jnp.asarray(work_of_adhesion)
    strength = positive_power(
        2.0 * math.pi * w * jnp.sqrt(effective_radius) / effective_modulus, 5.0 / 3.0
    )
    return jnp.multiply(_LOST * effective_modulus, jnp.sqrt(effective_radius)) * strength


def adhesive_restitution(
    impact_speed: Real,
    *,
    mass: Real,
    effective_modulus: Real,
    effective_radius: Real,
    work_of_adhesion: Real,
) -> jax.Array:
    """Restitution ``sqrt(1 - (v_s/v)^2)`` [-] of elastic bodies with JKR adhesion, 0 where they
    stick, ``v <= v_s``. Elementwise.

    ``m v_s^2/2`` is ``jkr_work_of_separation``. The slope is infinite at ``v_s``, and left out
    there. Source: Thornton and Ning, Powder Technol. 99 (1998) 154-162.

    Args:
        impact_speed: ``v`` [m/s].
        mass: effective mass ``m`` [kg].
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        work_of_adhesion: ``w`` [J/m^2].
    """
    lost = jkr_work_of_separation(
        effective_modulus=effective_modulus,
        effective_radius=effective_radius,
        work_of_adhesion=work_of_adhesion,
    )
    v = jnp.asarray(impact_speed)
    moves = v > 0.0
    kept = 1.0 - 2.0 * lost / (mass * jnp.where(moves, v, 1.0) ** 2)
    return positive_power(jnp.where(moves, kept, 0.0), 0.5)


@describe_arguments
def dmt_energy(
    overlap: Real, *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """Energy ``(8/15) E* sqrt(R) d^(5/2) - 2 pi w R d`` [J] for ``d > 0``, else 0. Elementwise.
    Arguments as for ``dmt_force``.
    """
    pull_off = dmt_pull_off_force(
        effective_radius=effective_radius, work_of_adhesion=work_of_adhesion
    )
    elastic = elastic_energy(
        overlap, stiffness=hertz_stiffness(effective_modulus, effective_radius), exponent=1.5
    )
    return elastic - pull_off * positive_part(overlap)


@law(
    family="adhesion",
    source=_DMT,
    smoothness=-1,
    example=_EXAMPLE,
    variants=({"overlap": 3e-6},),
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-8}, {"work_of_adhesion": 0.0}, {"overlap": 1e-16}),
    energy=dmt_energy,
    conjugate="overlap_rate",
)
def dmt_force(
    overlap: Real, *, effective_modulus: Real, effective_radius: Real, work_of_adhesion: Real
) -> jax.Array:
    """``F = (4/3) E* sqrt(R) d^(3/2) - 2 pi w R`` [N] for ``d >= 0``, else 0. Elementwise.

    Hertz's force and a constant attraction, the same on the way in and out: no hysteresis, and no
    range of adhesion, so the force jumps at ``d = 0``, where it counts as touching.
    ``smooth_dmt_force`` has no jump. Source: Derjaguin, Muller and Toporov, J. Colloid Interface
    Sci. 53 (1975) 314-326; the constant form as in Maugis (1992).

    Args:
        overlap: ``d`` [m].
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        work_of_adhesion: ``w`` [J/m^2].
    """
    pull_off = dmt_pull_off_force(
        effective_radius=effective_radius, work_of_adhesion=work_of_adhesion
    )
    elastic = hertz_force(overlap, stiffness=hertz_stiffness(effective_modulus, effective_radius))
    return elastic - jnp.where(jnp.greater_equal(overlap, 0.0), pull_off, 0.0)


def _smooth_dmt_bound(
    overlap: Real, *, effective_radius: Real, work_of_adhesion: Real, width: Real, **_: object
) -> jax.Array:
    pull_off = dmt_pull_off_force(
        effective_radius=effective_radius, work_of_adhesion=work_of_adhesion
    )
    return jnp.multiply(pull_off, jnp.minimum(0.5, jnp.exp(-jnp.abs(overlap) / width)))


@describe_arguments
def smooth_dmt_energy(
    overlap: Real,
    *,
    effective_modulus: Real,
    effective_radius: Real,
    work_of_adhesion: Real,
    width: Real,
) -> jax.Array:
    """Energy [J] of ``smooth_dmt_force``, whose arguments it takes. Elementwise."""
    pull_off = dmt_pull_off_force(
        effective_radius=effective_radius, work_of_adhesion=work_of_adhesion
    )
    elastic = elastic_energy(
        overlap, stiffness=hertz_stiffness(effective_modulus, effective_radius), exponent=1.5
    )
    return elastic - pull_off * smooth_positive_part(overlap, width)


@law(
    family="adhesion",
    source=_DMT + ", smoothed",
    smoothness=1,
    example={**_EXAMPLE, "width": 1e-8},
    variants=({"overlap": -1e-8}, {"overlap": 3e-6}),
    switches=({"overlap": 0.0},),
    corners=({"overlap": -1e-3}, {"work_of_adhesion": 0.0}),
    approximates="dmt_force",
    within=_smooth_dmt_bound,
    energy=smooth_dmt_energy,
    conjugate="overlap_rate",
)
def smooth_dmt_force(
    overlap: Real,
    *,
    effective_modulus: Real,
    effective_radius: Real,
    work_of_adhesion: Real,
    width: Real,
) -> jax.Array:
    """``dmt_force`` with an attraction ``2 pi w R/(1 + exp(-d/width))`` that fades in over a range
    [N]. Elementwise.

    One continuous derivative at ``d = 0`` (Hertz's). It differs from ``dmt_force`` by at most ``2
    pi w R min(1/2, exp(-abs(d)/width))``.

    Args:
        overlap: ``d`` [m].
        effective_modulus: ``E*`` [Pa].
        effective_radius: ``R`` [m].
        work_of_adhesion: ``w`` [J/m^2].
        width: [m]; the range of real surface forces is about 1 nm.
    """
    pull_off = dmt_pull_off_force(
        effective_radius=effective_radius, work_of_adhesion=work_of_adhesion
    )
    elastic = hertz_force(overlap, stiffness=hertz_stiffness(effective_modulus, effective_radius))
    return elastic - pull_off * jax.nn.sigmoid(overlap / width)


DRAWN, PRESSED = range(2)
"""Branches: below and above the overlap at which the force is zero."""

_NEAR_PULL_OFF = 1e-8
"""Last part of the way to the pull-off, on which a simulation takes the force as constant."""


@model
class JohnsonKendallRoberts(BranchedLaw[AdhesiveContact]):
    """An elastic sphere with JKR adhesion: it loses the same energy in every impact, and sticks
    when it has less.

    Source: Johnson, Kendall and Roberts, Proc. R. Soc. Lond. A 324 (1971) 301-313; Thornton and
    Ning, Powder Technol. 99 (1998) 154-162.

    Example:
        >>> glass = jc.JohnsonKendallRoberts(
        ...     effective_modulus=4e10, effective_radius=5e-6, work_of_adhesion=0.1
        ... )
        >>> print(f"slower than {glass.sticking_speed(mass=1.3e-12):.3f} m/s it sticks")
        slower than 0.041 m/s it sticks
    """

    effective_modulus: Real = of(QUANTITIES["effective_modulus"])
    effective_radius: Real = of(QUANTITIES["effective_radius"])
    work_of_adhesion: Real = of(QUANTITIES["work_of_adhesion"])

    def _surface(self) -> dict[str, Any]:
        return {
            "effective_modulus": self.effective_modulus,
            "effective_radius": self.effective_radius,
            "work_of_adhesion": self.work_of_adhesion,
        }

    def force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """Normal force [N] during one impact: nothing before ``d = 0`` on the way in, ``jkr_force``
        to the pull-off on the way out.
        """
        apart = jnp.less(overlap, 0.0) & jnp.greater_equal(overlap_rate, 0.0)
        return jnp.where(apart, 0.0, jkr_force(overlap, **self._surface()))

    def unloaded(self, contacts: int) -> AdhesiveContact:
        """Memory of contacts that begin."""
        return AdhesiveContact(jnp.zeros(contacts, dtype=bool))

    def force_with_memory(
        self, memory: AdhesiveContact, overlap: Real
    ) -> tuple[jax.Array, AdhesiveContact]:
        """Normal force [N] of ``overlap`` [m] after what is in the memory, and the new memory."""
        return jkr_force_with_memory(memory, overlap, **self._surface())

    def energy(self, memory: AdhesiveContact, overlap: Real) -> jax.Array:
        """Elastic minus surface energy [J], of bodies that touch also where they are torn apart."""
        end = (1.0 - _NEAR_PULL_OFF) * jkr_separation_overlap(**self._surface())
        return jnp.where(
            memory.touching, jkr_energy(jnp.maximum(overlap, end), **self._surface()), 0.0
        )

    def begun(self, memory: AdhesiveContact, overlap: Real) -> OnBranch:
        """Contacts that begin at ``overlap``."""
        return OnBranch(
            jnp.where(jnp.less(overlap, self._unloaded_overlap()), DRAWN, PRESSED),
            AdhesiveContact(jnp.ones(jnp.shape(overlap), dtype=bool)),
        )

    def _unloaded_overlap(self) -> jax.Array:
        """Overlap [m] at which the force is zero."""
        radius = jkr_contact_radius_under_load(0.0, **self._surface())
        return jkr_overlap_of_radius(radius, **self._surface())

    def branch_force(self, on: OnBranch, overlap: Real) -> jax.Array:
        """Normal force [N] of bodies that touch; up to and beyond the pull-off the force there,
        without the infinite slope.
        """
        end = (1.0 - _NEAR_PULL_OFF) * self.end_overlap(on)
        held = jnp.greater(overlap, end)
        force = jkr_force(jnp.where(held, overlap, 0.0), **self._surface())
        return jnp.where(
            held, force, -5.0 / 6.0 * math.pi * self.work_of_adhesion * self.effective_radius
        )

    def reach(self, on: OnBranch) -> Reach:
        """What draws goes to the end of the contact, where the force ends with an infinite
        slope.
        """
        draws, unloaded = on.branch == DRAWN, self._unloaded_overlap()
        return Reach(
            jnp.where(draws, -jnp.inf, unloaded),
            jnp.where(draws, unloaded, jnp.inf),
            jnp.zeros_like(draws),
            self.end_overlap(on),
        )

    def switched(self, on: OnBranch, overlap: Real, falls: Real) -> OnBranch:
        """The other branch."""
        return on._replace(branch=jnp.where(falls, DRAWN, PRESSED))

    def end_overlap(self, on: OnBranch) -> jax.Array:
        """Overlap [m] at which the bodies are torn apart, negative."""
        return jnp.broadcast_to(jkr_separation_overlap(**self._surface()), on.branch.shape)

    def resting(self, on: OnBranch, load: Real) -> jax.Array:
        """Overlap [m] under a constant load [N]."""
        radius = jkr_contact_radius_under_load(load, **self._surface())
        return jkr_overlap_of_radius(radius, **self._surface())

    def rested(self, on: OnBranch, overlap: Real) -> OnBranch:
        """Nothing more is remembered; what has come to rest is pressed."""
        return on._replace(branch=jnp.full_like(on.branch, PRESSED))

    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """Overlap scale [m] and time scale [s] of an impact, at least that of the adhesion
        alone.
        """
        stiffness = hertz_stiffness(self.effective_modulus, self.effective_radius)
        least = _adhesive_length(
            self.effective_modulus, self.effective_radius, self.work_of_adhesion
        )
        energy = jnp.multiply(mass, jnp.square(impact_speed))
        energy = energy + stiffness * positive_power(least, 2.5)
        overlap = (energy / stiffness) ** 0.4
        return overlap, overlap / jnp.sqrt(energy / mass)

    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-] at the approach speed [m/s] with an effective mass [kg]."""
        return adhesive_restitution(impact_speed, mass=mass, **self._surface())

    def sticking_speed(self, *, mass: Real) -> jax.Array:
        """Approach speed [m/s] below which it sticks."""
        return jnp.sqrt(2.0 * jkr_work_of_separation(**self._surface()) / mass)


law(
    name="JohnsonKendallRoberts",
    family="normal law",
    source="Johnson, Kendall and Roberts, Proc. R. Soc. Lond. A 324 (1971) 301-313",
    smoothness=-1,
    example={
        "self": JohnsonKendallRoberts(
            effective_modulus=1e9, effective_radius=0.01, work_of_adhesion=0.1
        ),
        "overlap": 0.8e-5,
        "overlap_rate": 0.3,
        "impact_speed": 0.7,
        "mass": 4e-3,
    },
    variants=({"overlap": 2e-6, "overlap_rate": -0.1}, {"overlap": -1e-7, "overlap_rate": -0.1}),
    switches=({"overlap": 0.0},),
    corners=(
        {"overlap": -1e-5},
        {"overlap": -1e-5, "overlap_rate": -0.1},
        {"overlap_rate": 0.0},
        {"impact_speed": 0.0},
    ),
)(JohnsonKendallRoberts.force)
