"""Coulomb friction: regularised in the slip velocity, and as the impulse of a rigid impact.

The regularised force on the body with slip ``s`` is ``-mu F_n phi(x) s/|s|``, ``x = |s|/v`` with
the slip velocity ``v`` as scale. As a normal impulse ``J`` acts, the slip of a pair with tangential
mass ``m_t`` keeps its direction and decays by::

    dx/dp = -phi(x),   p = mu J/(m_t v),

which has a closed solution for each ``phi`` here: its *flow*. It is exact for a step of any length,
however stiff the law is. The tangential mass is the slip change per tangential impulse, e.g.
``1/m_t = 1/m + r^2/I`` of a sphere on a plane.

A tensile normal force carries no friction.

Example:
    >>> from jaxcontact.laws import friction
    >>> slip = jnp.array([0.5, 0.0, 0.0])
    >>> force = friction.friction_force(
    ...     slip, 10.0, coefficient=0.25, slip_velocity=1e-3, regularization=friction.TANH
    ... )
    >>> print(f"{force[0]:.2f} N")
    -2.50 N
"""

import dataclasses
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.friction_interfaces import FrictionLaw, ImpulseFriction, SlipFriction
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.laws.core.registry import law
from jaxcontact.numerics.smooth import (
    Real,
    arcsinh_ratio,
    expm1_ratio,
    implicit_root,
    log1p_ratio,
    positive_part,
    safe_norm,
    sinh_ratio,
    tanh_ratio,
)
from jaxcontact.parameters import model, of, static


@dataclasses.dataclass(frozen=True)
class Regularization:
    """How the friction force rises with the slip; every function is elementwise in ``x >= 0``.

    One of ``REGULARIZATIONS`` is pickled as its name, so that a copy in another process is equal to
    it. One of your own is pickled with its functions: define them at the top of a module.

    Attributes:
        name: as listed in ``REGULARIZATIONS``.
        secant: ``phi(x)/x``, smooth and finite at ``x = 0``.
        flow: ``flow(x, p)``: the ratio ``x_after/x`` when ``dx/dp = -phi(x)`` acts from ``x`` over
            ``p >= 0``; ``exp(-p slope)`` at 0.
        slope: ``phi'(0)``. Laws of different slope at the same slip velocity are different laws:
            compare them at equal ``slope/v``.
        smoothness: number of continuous derivatives of the force as a function of the slip vector;
            0 means a corner at ``x = 1``.

    Example:
        >>> tanh = jc.laws.REGULARIZATIONS["tanh"]
        >>> print(f"{tanh.ratio(0.5):.4f}")
        0.4621
    """

    name: str
    secant: Callable[[Real], jax.Array]
    flow: Callable[[Real, Real], jax.Array]
    slope: float
    smoothness: float

    def __reduce__(self) -> str | tuple:
        if REGULARIZATIONS.get(self.name) is self:
            return _regularization_named, (self.name,)
        return super().__reduce__()

    def corner(self, scale: Real) -> Real | None:
        """Velocity at which a law of this ``scale`` has a corner: at ``x = 1`` where it is only
        continuous; ``None`` where it is smooth.
        """
        return scale if self.smoothness < 1 else None

    def ratio(self, x: Real) -> jax.Array:
        """``phi(x)``: friction force over ``mu F_n``, from 0 to 1."""
        return jnp.multiply(x, self.secant(x))

    def direction(self, vector: Real, scale: Real) -> jax.Array:
        """Regularised unit vector ``phi(x) v/|v|``, ``x = |v|/scale``, ``(..., k)``; zero and
        differentiable at ``v = 0``.
        """
        vector = jnp.asarray(vector)
        return jnp.expand_dims(self.secant(safe_norm(vector) / scale) / scale, -1) * vector


def _linear_secant(x: Real) -> jax.Array:
    return 1.0 / jnp.where(jnp.greater(x, 1.0), x, 1.0)


def _linear_flow(x: Real, p: Real) -> jax.Array:
    """``x`` falls at unit rate to 1, then exponentially."""
    start = jnp.where(jnp.greater(x, 1.0), x, 1.0)
    sliding = jnp.where(p < start - 1.0, p, start - 1.0)
    return (1.0 - sliding / start) * jnp.exp(sliding - p)


def _root_secant(x: Real) -> jax.Array:
    return jax.lax.rsqrt(1.0 + jnp.square(x))


@jax.custom_jvp
@jax.jit  # called from Python, a loop is compiled anew each time
def _root_flow(x: Real, p: Real) -> jax.Array:
    """``sqrt(1 + x^2) - asinh(1/x)`` falls by ``p``.

    With ``r = ln(x_after/x)`` this reads ``H(x exp(r)) - H(x) + r + p = 0``, ``H(x) = c - ln(1 +
    c)``, ``c = sqrt(1 + x^2)``, which is smooth at ``x = 0`` (``r = -p``), convex in ``r``, and has
    the slope ``sqrt(1 + x_after^2)``.
    """
    x, p = jnp.asarray(x), jnp.asarray(p)

    def smooth_part(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        root = jnp.sqrt(1.0 + x * x)
        return root - jnp.log1p(root), root

    # ln(1 + exp(T)), T = H(x) + ln x - p, is within 36 % of x_after for every T, and tends to it
    # for large T.
    positive = jnp.where(x > 0.0, x, 1.0)
    level = smooth_part(positive)[0] + jnp.log(positive) - p
    logarithm = jnp.where(level < -20.0, level, jnp.log(jax.nn.softplus(jnp.maximum(level, -20.0))))
    r = jnp.where(x > 0.0, jnp.minimum(logarithm - jnp.log(positive), 0.0), -p)
    start, _ = smooth_part(x)

    def newton(_: int, r: jax.Array) -> jax.Array:
        part, slope = smooth_part(x * jnp.exp(r))
        return r - (part - start + r + p) / slope

    return jnp.exp(
        jax.lax.fori_loop(0, 4, newton, r)
    )  # a loop takes a quarter of the time to compile


@_root_flow.defjvp
def _root_flow_jvp(primals: tuple, tangents: tuple) -> tuple[jax.Array, jax.Array]:
    """``dx_after = -phi(x_after) dp + phi(x_after)/phi(x) dx``, written without the difference of
    nearly equal numbers at ``x = 0``.
    """
    x, p = primals
    ratio = _root_flow(x, p)
    before, after = jnp.sqrt(1.0 + jnp.square(x)), jnp.sqrt(1.0 + jnp.square(x * ratio))
    by_x = ratio * x * (1.0 - ratio * ratio) / ((before + after) * after)
    return ratio, by_x * tangents[0] - ratio / after * tangents[1]


def _tanh_flow(x: Real, p: Real) -> jax.Array:
    """``sinh x`` falls as ``exp(-p)``; its logarithm is used from ``x = 1`` on."""
    x = jnp.asarray(x)
    near = x < 1.0
    small = jnp.where(near, x, 0.0)
    large = jnp.where(near, 1.0, x)
    growth = sinh_ratio(small) * jnp.exp(-p)
    below = growth * arcsinh_ratio(small * growth)
    level = large + jnp.log1p(-jnp.exp(-2.0 * large)) - jnp.log(2.0) - p
    high = jnp.where(level > 0.0, level, 0.0)
    from_high = high + jnp.log1p(jnp.sqrt(1.0 + jnp.exp(-2.0 * high)))
    from_low = jnp.arcsinh(jnp.exp(jnp.where(level > 0.0, 0.0, level)))
    return jnp.where(near, below, jnp.where(level > 0.0, from_high, from_low) / large)


def _exponential_secant(x: Real) -> jax.Array:
    return expm1_ratio(-jnp.asarray(x))


def _exponential_flow(x: Real, p: Real) -> jax.Array:
    """``exp(x) - 1`` falls as ``exp(-p)``; its logarithm is used from ``x = 1`` on."""
    x = jnp.asarray(x)
    near = x < 1.0
    small = jnp.where(near, x, 0.0)
    large = jnp.where(near, 1.0, x)
    growth = expm1_ratio(small) * jnp.exp(-p)
    below = growth * log1p_ratio(small * growth)
    above = jax.nn.softplus(large + jnp.log1p(-jnp.exp(-large)) - p) / large
    return jnp.where(near, below, above)


def _modia3d_secant(x: Real) -> jax.Array:
    x = jnp.asarray(x)
    sliding = x > 1.0
    near, far = jnp.where(sliding, 1.0, x), jnp.where(sliding, x, 1.0)
    return jnp.where(sliding, 1.0 / far, 1.0 / (near * near * (1.0 - near / 3.0) + 1.0 / 3.0))


def _modia3d_flow(x: Real, p: Real) -> jax.Array:
    """``x`` falls at unit rate to 1; from there ``x^2/2 - x^3/9 + ln(x)/3`` falls by what is left
    of ``p``.

    With ``r = ln(x_after/x)`` the latter reads ``H(x exp(r)) - H(x) + r + 3 p = 0``, ``H(x) = 3
    x^2/2 - x^3/3``, which is smooth at ``x = 0`` (``r = -3 p``), convex in ``r``, and has a slope
    between 1 and 3.
    """
    x = jnp.asarray(x)
    start = jnp.where(x > 1.0, x, 1.0)
    sliding = jnp.where(p < start - 1.0, p, start - 1.0)

    def smooth_part(x: jax.Array) -> jax.Array:
        return x * x * (1.5 - x / 3.0)

    def residual(r: jax.Array, x: jax.Array, p: jax.Array) -> jax.Array:
        return smooth_part(x * jnp.exp(r)) - smooth_part(x) + r + 3.0 * p

    creep = jnp.where(x > 1.0, 1.0, x)
    left = p - sliding
    # r(p) is concave and falls with a slope between -1 and -3: its tangent at 0 and its asymptote
    # lie above it.
    guess = jnp.minimum(smooth_part(creep) - 3.0 * left, -left * _modia3d_secant(creep))
    r = implicit_root(residual, guess, creep, left, steps=4)
    return (start - sliding) / start * jnp.exp(r)


LINEAR = Regularization("linear", _linear_secant, _linear_flow, slope=1.0, smoothness=0)
ROOT = Regularization("root", _root_secant, _root_flow, slope=1.0, smoothness=float("inf"))
TANH = Regularization("tanh", tanh_ratio, _tanh_flow, slope=1.0, smoothness=float("inf"))
EXPONENTIAL = Regularization(
    "exponential", _exponential_secant, _exponential_flow, slope=1.0, smoothness=1
)
MODIA3D = Regularization("modia3d", _modia3d_secant, _modia3d_flow, slope=3.0, smoothness=2)

REGULARIZATIONS: dict[str, Regularization] = {
    law.name: law for law in (LINEAR, ROOT, TANH, EXPONENTIAL, MODIA3D)
}
"""``linear`` min(x, 1), ``root`` x/sqrt(1 + x^2), ``tanh`` tanh x, ``exponential`` 1 - exp(-x),
``modia3d`` x/(x^2 (1 - x/3) + 1/3) below 1.

Example:
    >>> sorted(jc.laws.REGULARIZATIONS)
    ['exponential', 'linear', 'modia3d', 'root', 'tanh']
"""


def _regularization_named(name: str) -> Regularization:
    return REGULARIZATIONS[name]


@law(
    family="friction",
    source="Coulomb; forms as listed in REGULARIZATIONS",
    smoothness=lambda regularization, **_: regularization.smoothness,
    example={
        "slip": (0.3, -0.2, 0.1),
        "normal_force": 10.0,
        "coefficient": 0.2,
        "slip_velocity": 0.15,
        "regularization": ROOT,
    },
    variants=(
        {"slip": (0.03, -0.02, 0.01)},
        {"regularization": LINEAR},
        {"regularization": TANH},
        {"regularization": TANH, "slip": (0.03, -0.02, 0.01)},
        {"regularization": EXPONENTIAL},
        {"regularization": MODIA3D},
        {"regularization": MODIA3D, "slip": (0.03, -0.02, 0.01)},
    ),
    switches=(
        {"slip": (0.0, 0.0, 0.0)},
        {"slip": (0.15, 0.0, 0.0), "regularization": LINEAR},
        {"slip": (0.0, 0.0, 0.0), "regularization": TANH},
        {"slip": (0.0, 0.0, 0.0), "regularization": EXPONENTIAL},
        {"slip": (0.15, 0.0, 0.0), "regularization": MODIA3D},
        {"slip": (0.0, 0.0, 0.0), "regularization": MODIA3D},
    ),
    corners=(
        {"normal_force": 0.0},
        {"normal_force": -5.0},
        {"coefficient": 0.0},
        *(
            {"slip": (9.0, 0.0, 0.0), "slip_velocity": 1e-6, "regularization": form}
            for form in REGULARIZATIONS.values()
        ),
        {"slip": (0.0, 0.0, 0.0), "regularization": LINEAR},
    ),
    conjugate="slip",
)
def friction_force(
    slip: Real,
    normal_force: Real,
    *,
    coefficient: Real,
    slip_velocity: Real,
    regularization: Regularization,
) -> jax.Array:
    """Friction force ``-mu F_n (phi(x)/x) s/v`` [N] on the body whose slip is ``s``; ``x = |s|/v``.
    Zero and differentiable at ``s = 0``.

    Args:
        slip: ``s``, ``(..., k)`` tangential velocity of the body against its partner at the contact
            [m/s].
        normal_force: ``F_n``, ``(...)`` [N]; tension counts as 0.
        coefficient: ``mu >= 0`` [-].
        slip_velocity: ``v > 0`` [m/s]: scale below which the force is reduced.
        regularization: ``phi``.

    Returns:
        ``(..., k)``.
    """
    return -jnp.expand_dims(
        coefficient * positive_part(normal_force), -1
    ) * regularization.direction(slip, slip_velocity)


@law(
    family="friction impulse",
    source="closed solution of the slip under regularised friction",
    smoothness=math.inf,
    example={
        "slip": (0.3, -0.2, 0.1),
        "specific_impulse": 0.4,
        "coefficient": 0.2,
        "slip_velocity": 0.15,
        "regularization": ROOT,
    },
    variants=tuple(
        {"slip": slip, "specific_impulse": impulse, "regularization": form}
        for form in REGULARIZATIONS.values()
        for slip, impulse in (
            ((0.3, -0.2, 0.1), 0.41),
            ((0.3, -0.2, 0.1), 4.0),
            ((0.03, -0.02, 0.01), 0.4),
        )
    ),
    corners=tuple(
        {**point, "regularization": form}
        for form in REGULARIZATIONS.values()
        for point in (
            {"slip": (0.0, 0.0, 0.0), "specific_impulse": 1.0},
            {"slip": (0.0, 0.0, 0.0), "specific_impulse": 0.0, "coefficient": 0.0},
            {"slip": (0.3, 0.0, 0.0), "specific_impulse": 0.0},
            {"slip": (0.15, 0.0, 0.0), "specific_impulse": 1.0},
            {
                "slip": (5.0, 0.0, 0.0),
                "specific_impulse": 50.0,
                "coefficient": 0.3,
                "slip_velocity": 1e-3,
            },
            {
                "slip": (5.0, 0.0, 0.0),
                "specific_impulse": 1e3,
                "coefficient": 1.0,
                "slip_velocity": 1e-5,
            },
        )
    ),
)
def slip_after_impulse(
    slip: Real,
    specific_impulse: Real,
    *,
    coefficient: Real,
    slip_velocity: Real,
    regularization: Regularization,
) -> jax.Array:
    """Slip ``(..., k)`` [m/s] after a normal impulse under regularised friction: exact for an
    impulse of any size and shape in time.

    Args:
        slip: ``(..., k)`` before [m/s].
        specific_impulse: ``J/m_t``, ``(...)`` normal impulse over tangential mass [m/s]; negative
            counts as 0.
        coefficient: ``mu >= 0`` [-].
        slip_velocity: ``v > 0`` [m/s].
        regularization: ``phi``.
    """
    slip = jnp.asarray(slip)
    p = coefficient * positive_part(specific_impulse) / slip_velocity
    return jnp.expand_dims(regularization.flow(safe_norm(slip) / slip_velocity, p), -1) * slip


_IMPULSE_CORNERS = (
    {"slip": (0.0, 0.0, 0.0)},
    {"slip": (0.0, 0.0, 0.0), "coefficient": 0.0},
    {"specific_impulse": 0.0},
    {"specific_impulse": -1.0},
    {"coefficient": 0.0},
    {"tangential_restitution": -1.0},
    {"slip": (0.0, 0.0, 0.0), "tangential_restitution": -1.0},
)


@law(
    family="friction impulse",
    source="Walton (1993); Foerster et al., Phys. Fluids 6 (1994) 1108-1115",
    smoothness=0,
    example={
        "slip": (0.3, -0.2, 0.1),
        "specific_impulse": 0.4,
        "coefficient": 0.2,
        "tangential_restitution": 0.4,
    },
    variants=({"specific_impulse": 4.0, "coefficient": 0.9, "tangential_restitution": -0.3},),
    switches=({"slip": (0.16, 0.0, 0.0), "specific_impulse": 1.12},),
    corners=_IMPULSE_CORNERS,
)
def tangential_impulse(
    slip: Real, specific_impulse: Real, *, coefficient: Real, tangential_restitution: Real
) -> jax.Array:
    """Change of slip ``(..., k)`` [m/s] in a rigid impact: ``-min(mu J/m_t, (1 + beta) |s|)
    s/|s|``.

    The contact slides throughout (first entry) or ends with the slip ``-beta s`` (second).
    Multiplied by the tangential mass it is the tangential impulse. Zero at zero slip; a corner
    where both entries are equal.

    Source: Walton (1993); Foerster et al., Phys. Fluids 6 (1994) 1108-1115.

    Args:
        slip: ``s``, ``(..., k)`` before [m/s].
        specific_impulse: ``J/m_t``, ``(...)`` [m/s]; negative counts as 0.
        coefficient: ``mu >= 0`` [-].
        tangential_restitution: ``beta`` in [-1, 1] [-].
    """
    slip = jnp.asarray(slip)
    limit = coefficient * positive_part(specific_impulse)
    restored = 1.0 + tangential_restitution
    stick = restored * safe_norm(slip)
    slides = stick > limit
    fraction = restored * jnp.where(slides, limit / jnp.where(slides, stick, 1.0), 1.0)
    return -jnp.expand_dims(fraction, -1) * slip


def _smaller(
    slip: Real, specific_impulse: Real, coefficient: Real, tangential_restitution: Real
) -> jax.Array:
    """The change of speed in the hard form."""
    return safe_norm(
        tangential_impulse(
            slip,
            specific_impulse,
            coefficient=coefficient,
            tangential_restitution=tangential_restitution,
        )
    )


@law(
    family="friction impulse",
    source="tangential_impulse with a smooth minimum",
    smoothness=math.inf,
    example={
        "slip": (0.3, -0.2, 0.1),
        "specific_impulse": 0.4,
        "coefficient": 0.2,
        "tangential_restitution": 0.4,
        "smoothing": 0.05,
    },
    variants=({"specific_impulse": 4.0, "coefficient": 0.9, "tangential_restitution": -0.3},),
    switches=({"slip": (0.16, 0.0, 0.0), "specific_impulse": 1.12},),
    corners=_IMPULSE_CORNERS,
    approximates="tangential_impulse",
    within=lambda smoothing, **arguments: smoothing * _smaller(**arguments),
)
def smooth_tangential_impulse(
    slip: Real,
    specific_impulse: Real,
    *,
    coefficient: Real,
    tangential_restitution: Real,
    smoothing: Real,
) -> jax.Array:
    """``tangential_impulse`` without its corner.

    The minimum of ``a`` and ``b`` is taken as ``2 a b (1 - h^2)/(a + b + sqrt((a - b)^2 + 4 h^2 a
    b))``. Differentiable without end away from zero slip. Too small by at most the fraction ``h``
    (at ``a = b``), by ``h^2`` where one is much the larger.

    Args:
        slip: ``s``, ``(..., k)`` before [m/s].
        specific_impulse: ``J/m_t``, ``(...)`` [m/s]; negative counts as 0.
        coefficient: ``mu >= 0`` [-].
        tangential_restitution: ``beta`` in [-1, 1] [-].
        smoothing: ``h`` in (0, 1).
    """
    slip = jnp.asarray(slip)
    limit = coefficient * positive_part(specific_impulse)
    restored = 1.0 + tangential_restitution
    stick = restored * safe_norm(slip)
    total = stick + limit
    acts = total > 0.0
    stick, limit = jnp.where(acts, stick, 1.0), jnp.where(acts, limit, 1.0)
    root = jnp.sqrt((stick - limit) ** 2 + 4.0 * smoothing**2 * stick * limit)
    fraction = jnp.where(
        acts, restored * 2.0 * limit * (1.0 - smoothing**2) / (stick + limit + root), 0.0
    )
    return -jnp.expand_dims(fraction, -1) * slip


@model
class RegularizedCoulomb(SlipFriction):
    """Coulomb friction whose force rises continuously with the slip: no true sticking, but a slip
    of order ``slip_velocity``.

    Source: Coulomb; the forms of the regularisation as listed in ``laws.friction.REGULARIZATIONS``.

    Args:
        regularization: how the force rises with the slip: ``LINEAR``, ``ROOT``, ``TANH``,
            ``EXPONENTIAL`` or ``MODIA3D`` of ``laws.friction``.

    Example:
        >>> friction = jc.RegularizedCoulomb(coefficient=0.25, slip_velocity=1e-3)
        >>> force = friction.force(jnp.array([0.5, 0.0, 0.0]), normal_force=10.0)
        >>> print(f"{force[0]:.4f} N")
        -2.5000 N
    """

    coefficient: Real = of(QUANTITIES["coefficient"])
    slip_velocity: Real = of(QUANTITIES["slip_velocity"], default=1e-3)
    regularization: Regularization = static(default=ROOT)

    def __post_init__(self) -> None:
        if not isinstance(self.regularization, Regularization):
            raise TypeError(
                f"RegularizedCoulomb: regularization = {self.regularization!r} is not a "
                "Regularization. "
                f"Take one of REGULARIZATIONS: {', '.join(REGULARIZATIONS)}."
            )

    @property
    def corner(self) -> Real | None:
        """Slip [m/s] at which the force has a corner, the slip velocity of the linear form."""
        return self.regularization.corner(self.slip_velocity)

    def force(self, slip: Real, normal_force: Real) -> jax.Array:
        """Friction force ``(..., k)`` [N] on the body whose slip ``(..., k)`` [m/s] it is, under
        ``normal_force`` ``(...)`` [N].
        """
        return friction_force(
            slip,
            normal_force,
            coefficient=self.coefficient,
            slip_velocity=self.slip_velocity,
            regularization=self.regularization,
        )

    def slip_after(self, slip: Real, specific_impulse: Real) -> jax.Array:
        """Slip ``(..., k)`` [m/s] after the normal impulse over tangential mass
        ``specific_impulse`` ``(...)`` [m/s].
        """
        return slip_after_impulse(
            slip,
            specific_impulse,
            coefficient=self.coefficient,
            slip_velocity=self.slip_velocity,
            regularization=self.regularization,
        )


@model
class Coulomb(ImpulseFriction):
    """Coulomb friction in a rigid impact, with tangential restitution: slides, or reverses the slip
    by ``tangential_restitution``.

    Source: Walton (1993); Foerster et al., Phys. Fluids 6 (1994) 1108-1115.

    Args:
        smoothing: ``h`` of ``smooth_tangential_impulse`` in [0, 1); 0 keeps the corner between
            sliding and sticking.

    Example:
        >>> friction = jc.Coulomb(coefficient=0.3)
        >>> print(friction.slip_after(jnp.array([1.0, 0.0, 0.0]), specific_impulse=2.0).round(3))
        [0.4 0.  0. ]
    """

    coefficient: Real = of(QUANTITIES["coefficient"])
    tangential_restitution: Real = of(QUANTITIES["tangential_restitution"], default=0.0)
    smoothing: float = static(default=0.0)

    def __post_init__(self) -> None:
        if not (isinstance(self.smoothing, (int, float)) and 0.0 <= self.smoothing < 1.0):
            raise ValueError(
                f"Coulomb: smoothing = {self.smoothing!r} is not a number in [0, 1). It is a "
                "fraction; 0 is the hard form."
            )

    def slip_after(self, slip: Real, specific_impulse: Real) -> jax.Array:
        """Slip ``(..., k)`` [m/s] after the whole normal impulse over tangential mass
        ``specific_impulse`` ``(...)`` [m/s].
        """
        law = {
            "coefficient": self.coefficient,
            "tangential_restitution": self.tangential_restitution,
        }
        if self.smoothing == 0.0:
            return jnp.add(slip, tangential_impulse(slip, specific_impulse, **law))
        return jnp.add(
            slip,
            smooth_tangential_impulse(slip, specific_impulse, smoothing=self.smoothing, **law),
        )

    def in_sustained_contact(self) -> "Coulomb":
        """The law without tangential restitution."""
        return dataclasses.replace(self, tangential_restitution=0.0)


@model
class NoFriction(SlipFriction):
    """A frictionless contact.

    Example:
        >>> friction = jc.NoFriction()
        >>> print(friction.force(jnp.array([1.0, 0.0, 0.0]), normal_force=10.0))
        [0. 0. 0.]
    """

    def force(self, slip: Real, normal_force: Real) -> jax.Array:
        """Zero, of the shape of ``slip``."""
        return jnp.zeros_like(slip, dtype=jnp.result_type(float, slip, normal_force))

    def slip_after(self, slip: Real, specific_impulse: Real) -> jax.Array:
        """The slip, unchanged."""
        return jnp.asarray(slip)


FRICTION_LAWS: dict[str, type[FrictionLaw]] = {
    law.__name__: law for law in (NoFriction, RegularizedCoulomb, Coulomb)
}
"""The friction laws without memory that a contact model can take, by their names.

Example:
    >>> jc.laws.FRICTION_LAWS["NoFriction"]()
    NoFriction()
"""
