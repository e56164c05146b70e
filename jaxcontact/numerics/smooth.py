"""Functions with a corner or a root, written so that values and derivatives stay finite.

Guards follow one pattern: the argument of a singular function is replaced by a harmless number
where the result is not used (``where`` inside and outside), because a masked infinity still turns
into NaN in a derivative.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias, overload

import jax
import jax.numpy as jnp
import numpy as np

Real: TypeAlias = jax.Array | np.ndarray | float
"""A real number or an array of them, possibly traced. jax.typing.ArrayLike says the same, but type
checkers allow no arithmetic on it.
"""

Vector: TypeAlias = Real | Sequence[float]
"""The components of a vector, as an array or as numbers in a tuple or a list. Only for what is
handed to ``jnp.asarray`` before anything is computed with it.
"""

Vectors: TypeAlias = Vector | Sequence[Vector] | Sequence[Sequence[Vector]]
"""Several vectors, a matrix, or several of these, likewise."""


def safe_norm(vector: Real, axis: int = -1) -> jax.Array:
    """Euclidean norm ``|v|`` along ``axis`` with finite derivatives everywhere.

    At the zero vector value, first and second derivative are 0. Vectors shorter than the square
    root of the smallest normal number (1.5e-154 in float64, 1.1e-19 in float32) count as zero: the
    second derivative ``1/|v|`` must stay representable.

    Args:
        vector: ``(..., k)``.
        axis: axis of the components.

    Returns:
        ``(...)``, the unit of ``vector``.
    """
    vector = jnp.asarray(vector)
    squared = jnp.sum(vector * vector, axis=axis)
    inside = squared > jnp.finfo(squared.dtype).tiny
    return jnp.where(inside, jnp.sqrt(jnp.where(inside, squared, 1.0)), 0.0)


def positive_part(x: Real) -> jax.Array:
    """``max(x, 0)``; the derivative at 0 is that of the active side, 1. Elementwise."""
    return jnp.where(jnp.less(x, 0.0), 0.0, x)


def smooth_positive_part(x: Real, width: Real) -> jax.Array:
    """``width ln(1 + exp(x/width))``: a form of ``max(x, 0)`` with derivatives of every order.
    Elementwise.

    ``0 < smooth_positive_part(x, width) - max(x, 0) <= width min(ln 2, exp(-|x|/width))``: the
    difference is largest at ``x = 0`` (0.693 ``width``) and below 1e-4 ``width`` for ``|x| > 10
    width``.

    Args:
        x: any real number.
        width: scale of the transition, positive, the unit of ``x``.
    """
    return jnp.multiply(width, jax.nn.softplus(x / width))


def smooth_step(x: Real, width: Real) -> jax.Array:
    """0 for ``x <= 0``, 1 for ``x >= width``, ``10 t^3 - 15 t^4 + 6 t^5``, ``t = x/width``,
    between: class C^2. Elementwise.

    Args:
        x: any real number.
        width: of the transition, positive, the unit of ``x``.
    """
    t = _inside_transition(x, width)
    return t * t * t * (10.0 - t * (15.0 - 6.0 * t))


def ramp(x: Real, width: Real) -> jax.Array:
    """Integral of ``smooth_step``: 0 for ``x <= 0``, ``x - width/2`` for ``x >= width``, three
    continuous derivatives. Elementwise.

    ``0 <= max(x, 0) - ramp(x, width) <= width/2``: unlike ``smooth_positive_part`` exactly zero for
    negative ``x``, and never above the hard form.

    Args:
        x: any real number.
        width: of the transition, positive, the unit of ``x``.
    """
    t = _inside_transition(x, width)
    return jnp.where(jnp.less(x, width), width * t**4 * (2.5 - t * (3.0 - t)), x - 0.5 * width)


def eased_positive_part(x: Real, width: Real) -> jax.Array:
    """``x smooth_step(x, width)``: 0 for ``x <= 0``, exactly ``x`` for ``x >= width``, class C^2.
    Elementwise.

    ``0 <= max(x, 0) - eased_positive_part(x, width) <= 0.274 width``, and nothing outside ``0 < x <
    width``: unlike ``ramp`` it leaves no offset behind.

    Args:
        x: any real number.
        width: of the transition, not negative, the unit of ``x``; at 0 this is the hard form.
    """
    eases = jnp.greater(width, 0.0)
    eased = x * smooth_step(x, jnp.where(eases, width, 1.0))
    return jnp.where(eases, eased, positive_part(x))


def rounded_absolute(x: Real, width: Real) -> jax.Array:
    """``w (3 + 6 u^2 - u^4)/8``, ``u = x/w``, for ``|x| < w``, and ``|x|`` outside: class C^2.
    Elementwise.

    ``0 <= rounded_absolute(x, width) - |x| <= 3/8 width``, largest at ``x = 0``.

    Args:
        x: any real number.
        width: ``w``, not negative, the unit of ``x``; at 0 this is the hard form.
    """
    rounds = jnp.less(jnp.abs(x), width)
    safe = jnp.where(rounds, width, 1.0)
    u = jnp.where(rounds, x / safe, 0.0)
    squared = u * u
    return jnp.where(rounds, safe * (3.0 + squared * (6.0 - squared)) / 8.0, jnp.abs(x))


def rounded_maximum(a: Real, b: Real, width: Real) -> jax.Array:
    """``(a + b + rounded_absolute(a - b, width))/2``: ``max(a, b)`` where they differ by more than
    ``width``, else above it by at most ``3/16 width``. Class C^2. Elementwise.
    """
    return 0.5 * jnp.add(a + b, rounded_absolute(jnp.subtract(a, b), width))


def _inside_transition(x: Real, width: Real) -> jax.Array:
    """``x/width`` between 0 and 1, else the nearer of these."""
    t = jnp.asarray(x / width)
    return jnp.where(t <= 0.0, 0.0, jnp.where(t >= 1.0, 1.0, t))


def smooth_minimum(a: Real, b: Real, smoothing: Real) -> jax.Array:
    """``min(a, b)`` of two numbers that are not negative, without its corner. Elementwise.

    ``2 a b (1 - h^2)/(a + b + sqrt((a - b)^2 + 4 h^2 a b))``: differentiable without end, never
    above the minimum, and too small by at most the fraction ``h`` (at ``a = b``), by ``h^2`` where
    one is much the larger. Zero where one of them is.

    Args:
        a: not negative.
        b: not negative, the unit of ``a``.
        smoothing: ``h`` in (0, 1).
    """
    acts = jnp.greater(a + b, 0.0)
    a, b = jnp.where(acts, a, 1.0), jnp.where(acts, b, 1.0)
    root = jnp.sqrt((a - b) ** 2 + 4.0 * smoothing**2 * a * b)
    return jnp.where(acts, 2.0 * a * b * (1.0 - smoothing**2) / (a + b + root), 0.0)


def positive_power(base: Real, exponent: Real) -> jax.Array:
    """``base ** exponent`` for a positive base, 0 otherwise; value and derivatives with respect to
    both are 0 there. Elementwise.

    A Python number that is a multiple of 1/2 is evaluated with products and a square root, several
    times faster than a general power.
    """
    inside = jnp.greater(base, 0.0)
    positive = jnp.where(inside, base, 1.0)
    if isinstance(exponent, (int, float)) and float(2 * exponent).is_integer():
        whole = int(exponent // 1)
        power = positive**whole
        power = power if whole == exponent else power * jnp.sqrt(positive)
    else:
        power = positive**exponent
    return jnp.where(inside, power, 0.0)


@overload
def polynomial(coefficients: Sequence[Real], x: jax.Array) -> jax.Array: ...
@overload
def polynomial(coefficients: Sequence[Real], x: Real) -> Real: ...
def polynomial(coefficients: Sequence[Real], x: Real) -> Real:
    """``sum_k coefficients[k] x^k`` by Horner's rule."""
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def removable_singularity(
    x: Real,
    closed: Callable[[jax.Array], jax.Array],
    series: Callable[[jax.Array], jax.Array],
    *,
    below: float,
) -> jax.Array:
    """``closed(x)``, replaced by ``series(x)`` for ``|x| < below``, where the closed form is 0/0 or
    loses digits. Elementwise.

    Args:
        x: any shape.
        closed: called with ``x``, and with 1 where the series is used.
        series: called with ``x``, and with 0 where the closed form is used; its truncation at
            ``below`` should be less than rounding.
        below: where the two meet; far enough from 0 that the closed form keeps its digits in two
            derivatives.
    """
    x = jnp.asarray(x)
    near = jnp.abs(x) < below
    return jnp.where(near, series(jnp.where(near, x, 0.0)), closed(jnp.where(near, 1.0, x)))


_TANH = (1.0, -1 / 3, 2 / 15, -17 / 315, 62 / 2835, -1382 / 155925, 21844 / 6081075)
_SINH = tuple(1 / math.factorial(2 * k + 1) for k in range(6))
_ARCSINH = (
    1.0,
    -1 / 6,
    3 / 40,
    -15 / 336,
    105 / 3456,
    -945 / 42240,
    10395 / 599040,
    -135135 / 9676800,
)
_EXPM1 = tuple(1 / math.factorial(k + 1) for k in range(12))
_LOG1P = tuple((-1.0) ** k / (k + 1) for k in range(16))


def tanh_ratio(x: Real) -> jax.Array:
    """``tanh(x)/x``, 1 at 0."""
    return removable_singularity(
        x, lambda x: jnp.tanh(x) / x, lambda x: polynomial(_TANH, x * x), below=0.1
    )


def sinh_ratio(x: Real) -> jax.Array:
    """``sinh(x)/x``, 1 at 0."""
    return removable_singularity(
        x, lambda x: jnp.sinh(x) / x, lambda x: polynomial(_SINH, x * x), below=0.1
    )


def arcsinh_ratio(x: Real) -> jax.Array:
    """``asinh(x)/x``, 1 at 0."""
    return removable_singularity(
        x, lambda x: jnp.arcsinh(x) / x, lambda x: polynomial(_ARCSINH, x * x), below=0.1
    )


def expm1_ratio(x: Real) -> jax.Array:
    """``(exp(x) - 1)/x``, 1 at 0."""
    return removable_singularity(
        x, lambda x: jnp.expm1(x) / x, lambda x: polynomial(_EXPM1, x), below=0.2
    )


def log1p_ratio(x: Real) -> jax.Array:
    """``ln(1 + x)/x``, 1 at 0."""
    return removable_singularity(
        x, lambda x: jnp.log1p(x) / x, lambda x: polynomial(_LOG1P, x), below=0.1
    )


UNROLLED = 4
"""Newton steps that ``implicit_root`` writes out; more run in a loop, which takes less time to
compile and more to run.
"""


def implicit_root(
    residual: Callable[..., jax.Array], guess: Real, *parameters: object, steps: int
) -> jax.Array:
    """The root ``x`` of ``residual(x, *parameters) = 0`` by Newton's method, with exact
    derivatives. Elementwise on arrays.

    ``steps`` Newton steps without derivatives find the root; two differentiable Newton steps from
    there carry the derivatives. As a function of the parameters the stopped root is wrong from the
    first order on, and a Newton step squares the error: ``k`` differentiable steps from a converged
    root carry derivatives exactly to order ``2**k - 1``. With two, the first, second and third
    derivative are exact under every transform (forward, reverse, nested), without a loop or a rule
    of differentiation of its own.

    Args:
        residual: ``residual(x, *parameters)``, differentiable, its slope in ``x`` not zero near the
            root. Parameters may also be closed over; passing them keeps their tangents out of the
            search.
        guess: start of the search; its derivatives are ignored.
        parameters: whatever the root depends on.
        steps: number of Newton steps of the search. As it is fixed, the caller knows that it
            suffices from this guess.
    """

    def newton(x: jax.Array, *values: object) -> jax.Array:
        value, slope = jax.jvp(
            lambda unknown: residual(unknown, *values), (x,), (jnp.ones_like(x),)
        )
        return x - value / slope

    frozen = jax.lax.stop_gradient(parameters)
    x = jax.lax.stop_gradient(jnp.asarray(guess))
    if steps <= UNROLLED:
        for _ in range(steps):
            x = newton(x, *frozen)
    else:
        # The first step, outside the loop, gives the root its shape.
        x = jax.lax.fori_loop(1, steps, lambda _, x: newton(x, *frozen), newton(x, *frozen))
    x = jax.lax.stop_gradient(x)
    return newton(newton(x, *parameters), *parameters)
