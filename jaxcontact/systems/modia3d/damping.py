"""The damping of a contact from the speed at which it starts: restitution, what becomes of it at
small speed, and the largest damping.

In the normal direction the law is ``F = K d^1.5 (1 + c d')``. ``c`` follows from the restitution
through a damping ratio ``a``, ``c = a/v``, ``v`` the speed at which the contact starts:

- ``"nominal"``, as documented: ``a = 8 (1 - e)/(5 e)`` of Flores and co-workers. The restitution
  obtained is lower than asked (0.683 for 0.7; ``laws.restitution.obtained_restitution``).
- ``"exact"``: the ``a`` that gives exactly the restitution asked for, as long as the largest
  damping does not limit it.
"""

import math

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.damping_maps import EXACT, RESTITUTION_LAWS, RestitutionLaw
from jaxcontact.laws.core.registry import law
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import nearest

RESTITUTIONS: dict[str, RestitutionLaw] = {
    "nominal": RESTITUTION_LAWS["flores_2011"],
    "exact": EXACT,
}
"""What ``coefficientOfRestitution`` means.

Example:
    >>> from jaxcontact.systems import modia3d
    >>> print(f"{modia3d.RESTITUTIONS['exact'].obtained(0.7):.3f}")
    0.700
    >>> print(f"{modia3d.RESTITUTIONS['nominal'].obtained(0.7):.3f}")
    0.683
"""

_SOURCE = "Modia3D, Contact Force Law; Flores et al., Multibody Syst. Dyn. 25 (2011) 357-375"


def restitution_of(name: str) -> RestitutionLaw:
    """The entry of ``RESTITUTIONS``.

    Raises:
        ValueError: when there is none of that name.
    """
    if name not in RESTITUTIONS:
        raise ValueError(
            f"restitution_law = {name!r} is not a meaning of "
            f"coefficientOfRestitution.{nearest(str(name), RESTITUTIONS)}"
        )
    return RESTITUTIONS[name]


@law(
    name="modia3d_current_restitution",
    family="Modia3D",
    source=_SOURCE,
    smoothness=-1,
    example={"coefficientOfRestitution": 0.7, "impact_speed": 0.5, "vsmall": 0.01},
    variants=({"impact_speed": 0.004},),
    switches=({"impact_speed": 0.01},),
    corners=(
        {"impact_speed": 0.0},
        {"coefficientOfRestitution": 0.0},
        {"coefficientOfRestitution": 1.0},
    ),
)
def current_restitution(
    coefficientOfRestitution: Real, impact_speed: Real, *, vsmall: Real
) -> jax.Array:
    """``cor`` if ``v > vsmall``, else 0: an impact slower than that shall come to rest.
    Elementwise; jumps at ``v = vsmall``.

    Args:
        coefficientOfRestitution: ``cor`` in [0, 1].
        impact_speed: ``v``, magnitude of the normal velocity when the contact starts [m/s].
        vsmall: [m/s].

    Returns:
        Restitution [-] of this impact.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> restitution = modia3d.current_restitution(0.7, jnp.array([0.001, 1.0]), vsmall=0.01)
        >>> print(restitution.round(3))
        [0.  0.7]
    """
    return jnp.where(jnp.greater(impact_speed, vsmall), coefficientOfRestitution, 0.0)


@law(
    name="modia3d_smooth_current_restitution",
    family="Modia3D",
    source=_SOURCE,
    smoothness=math.inf,
    example={
        "coefficientOfRestitution": 0.7,
        "impact_speed": 0.012,
        "vsmall": 0.01,
        "transition_speed": 0.002,
    },
    variants=({"impact_speed": 0.1}, {"impact_speed": 0.002}),
    switches=({"impact_speed": 0.01},),
    corners=(
        {"impact_speed": 0.0},
        {"impact_speed": 100.0},
        {"coefficientOfRestitution": 0.0},
        {"coefficientOfRestitution": 1.0},
    ),
    approximates="modia3d_current_restitution",
    within=lambda coefficientOfRestitution, impact_speed, vsmall, transition_speed: (
        coefficientOfRestitution
        * jnp.minimum(0.5, jnp.exp(-jnp.abs(impact_speed - vsmall) / transition_speed))
    ),
)
def smooth_current_restitution(
    coefficientOfRestitution: Real, impact_speed: Real, *, vsmall: Real, transition_speed: Real
) -> jax.Array:
    """``cor/(1 + exp((vsmall - v)/w))``: ``current_restitution`` without its jump, analytic.
    Elementwise.

    It differs from the hard form by at most ``cor min(1/2, exp(-|v - vsmall|/w))``.

    Args:
        coefficientOfRestitution: ``cor`` in [0, 1].
        impact_speed: ``v``, magnitude of the normal velocity when the contact starts [m/s].
        vsmall: [m/s].
        transition_speed: ``w``, width of the transition [m/s].

    Returns:
        Restitution [-] of this impact.

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> restitution = modia3d.smooth_current_restitution(
        ...     0.7, jnp.array([0.001, 1.0]), vsmall=0.01, transition_speed=1e-3
        ... )
        >>> print(restitution.round(3))
        [0.  0.7]
    """
    return jnp.multiply(
        coefficientOfRestitution, jax.nn.sigmoid((impact_speed - vsmall) / transition_speed)
    )


_DAMPING_EXAMPLE = {
    "coefficientOfRestitution": 0.7,
    "impact_speed": 0.5,
    "maximumContactDamping": 2000.0,
    "restitution_law": "nominal",
}
_DAMPING_VARIANTS = (
    {"restitution_law": "exact"},
    {"coefficientOfRestitution": 0.3, "impact_speed": 4.0},
    {"maximumContactDamping": 1.0},
    {"maximumContactDamping": 1.0, "restitution_law": "exact"},
)
_DAMPING_CORNERS = tuple(
    {"coefficientOfRestitution": cor, "impact_speed": speed, "restitution_law": name}
    for name in RESTITUTIONS
    for cor in (0.0, 1e-30, 1e-5, 1.0)
    for speed in (0.0, 0.5, 1e3)
)


def _negligible_speed(like: jax.Array) -> float:
    """Far below every speed; ``1/v^3``, of the second derivative for ``cor = 1``, is still
    representable.
    """
    return float(jnp.finfo(like.dtype).tiny) ** 0.25


@law(
    name="modia3d_damping_coefficient",
    family="Modia3D",
    source=_SOURCE,
    smoothness=0,
    example=_DAMPING_EXAMPLE,
    variants=_DAMPING_VARIANTS,
    switches=(
        {"maximumContactDamping": 4.0, "coefficientOfRestitution": 0.5, "impact_speed": 0.4},
    ),
    corners=_DAMPING_CORNERS,
)
def damping_coefficient(
    coefficientOfRestitution: Real,
    impact_speed: Real,
    *,
    maximumContactDamping: Real = 2000.0,
    restitution_law: str = "nominal",
) -> jax.Array:
    """``min(d_max, a(cor)/v)`` [s/m], ``a`` the damping ratio of the restitution; ``d_max`` for
    ``cor = 0``. Elementwise.

    Continuous, with a kink where the two meet.

    Args:
        coefficientOfRestitution: the current one (``current_restitution``), in [0, 1].
        impact_speed: ``v``, magnitude of the normal velocity when the contact starts [m/s].
        maximumContactDamping: ``d_max`` [s/m].
        restitution_law: ``"nominal"`` or ``"exact"``.

    Returns:
        Damping [s/m].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> damping = modia3d.damping_coefficient(0.7, 1.0)
        >>> print(f"{damping:.4f} s/m")
        0.6857 s/m
    """
    ratio = restitution_of(restitution_law).damping_ratio
    cor, limit = jnp.asarray(coefficientOfRestitution), jnp.asarray(maximumContactDamping)
    speed = impact_speed + _negligible_speed(cor)
    # Which one is smaller is found without derivatives: those of a/v overflow long before the limit
    # is reached.
    frozen = jax.lax.stop_gradient(cor)
    defined = frozen > jnp.finfo(frozen.dtype).tiny
    free = defined & (ratio(jnp.where(defined, frozen, 1.0)) < jax.lax.stop_gradient(limit * speed))
    return jnp.where(free, ratio(jnp.where(free, cor, 1.0)) / jnp.where(free, speed, 1.0), limit)


@law(
    name="modia3d_rounded_damping_coefficient",
    family="Modia3D",
    source=_SOURCE,
    smoothness=math.inf,
    example=_DAMPING_EXAMPLE | {"smoothing": 0.1},
    variants=_DAMPING_VARIANTS,
    switches=(
        {"maximumContactDamping": 4.0, "coefficientOfRestitution": 0.5, "impact_speed": 0.4},
    ),
    corners=_DAMPING_CORNERS,
    approximates="modia3d_damping_coefficient",
    within=lambda smoothing, **arguments: smoothing * damping_coefficient(**arguments),
)
def rounded_damping_coefficient(
    coefficientOfRestitution: Real,
    impact_speed: Real,
    *,
    maximumContactDamping: Real = 2000.0,
    restitution_law: str = "nominal",
    smoothing: Real,
) -> jax.Array:
    """``min(d_max, a(cor)/v)`` [s/m] by ``numerics.smooth.smooth_minimum``: analytic, and smaller
    than ``damping_coefficient`` by at most the fraction ``h``. Elementwise.

    Args:
        coefficientOfRestitution: the current one (``smooth_current_restitution``), in [0, 1]; for 1
            and ``v = 0``, where the law has no limit, it gives 0.
        impact_speed: ``v``, magnitude of the normal velocity when the contact starts [m/s].
        maximumContactDamping: ``d_max`` [s/m].
        restitution_law: ``"nominal"`` or ``"exact"``.
        smoothing: ``h`` in (0, 1) [-].

    Returns:
        Damping [s/m].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> damping = modia3d.damping.rounded_damping_coefficient(0.7, 1.0, smoothing=0.01)
        >>> print(f"{damping:.4f} s/m")
        0.6857 s/m
    """
    product, needed = _damping_product_and_need(
        coefficientOfRestitution, impact_speed, maximumContactDamping, restitution_law
    )
    # min(1, product/needed) d_max, without a division by a need of 0
    root = jnp.sqrt((product - needed) ** 2 + 4.0 * smoothing**2 * product * needed)
    return 2.0 * product * (1.0 - smoothing**2) / (product + needed + root) * maximumContactDamping


def _damping_product_and_need(
    cor: Real, impact_speed: Real, limit: Real, restitution_law: str
) -> tuple[jax.Array, jax.Array]:
    """``cor a(cor)`` and ``cor v d_max``: ``a/v`` is ``d_max`` times their ratio.

    The first one is regular at ``cor = 0``, where it is nearly constant; below a floor it is taken
    so, and derivatives of the ratio, in which it is multiplied by ``cor``, stay right.
    """
    cor = jnp.asarray(cor)
    floor = jnp.sqrt(jnp.finfo(cor.dtype).eps)
    above = jnp.where(cor > floor, cor, floor)
    product = above * restitution_of(restitution_law).damping_ratio(above)
    return product, cor * (impact_speed + _negligible_speed(cor)) * limit


@law(
    name="modia3d_smooth_damping_coefficient",
    family="Modia3D",
    source=_SOURCE,
    smoothness=math.inf,
    example=_DAMPING_EXAMPLE,
    variants=_DAMPING_VARIANTS,
    corners=_DAMPING_CORNERS,
    approximates="modia3d_damping_coefficient",
    within=lambda **arguments: 0.5 * damping_coefficient(**arguments),
)
def smooth_damping_coefficient(
    coefficientOfRestitution: Real,
    impact_speed: Real,
    *,
    maximumContactDamping: Real = 2000.0,
    restitution_law: str = "nominal",
) -> jax.Array:
    """``1/(1/d_max + v/a(cor))`` [s/m], half the harmonic mean of what ``damping_coefficient`` is
    the smaller of. Elementwise, analytic.

    Smaller than the hard form by the fraction ``m/(m + M)``, ``m`` the smaller and ``M`` the larger
    of ``d_max`` and ``a/v``: at most by half, where they meet. So the restitution obtained is a
    little higher than that of the hard form.

    Args:
        coefficientOfRestitution: the current one (``smooth_current_restitution``), in [0, 1]; for 1
            and ``v = 0``, where the law has no limit, it gives 0.
        impact_speed: ``v``, magnitude of the normal velocity when the contact starts [m/s].
        maximumContactDamping: ``d_max`` [s/m].
        restitution_law: ``"nominal"`` or ``"exact"``.

    Returns:
        Damping [s/m].

    Example:
        >>> from jaxcontact.systems import modia3d
        >>> damping = modia3d.smooth_damping_coefficient(0.7, 1.0)
        >>> print(f"{damping:.4f} s/m")
        0.6855 s/m
    """
    product, needed = _damping_product_and_need(
        coefficientOfRestitution, impact_speed, maximumContactDamping, restitution_law
    )
    return product / (product + needed) * maximumContactDamping
