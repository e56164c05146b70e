"""What is known of a quantity before the measurement, as one more residual of the fit."""

import dataclasses
import math
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from calibration.errors import InputError


@runtime_checkable
class Prior(Protocol):
    """Prior knowledge of one value: an object with ``residual``. Hashable, as it is part of the
    key of compiled code.
    """

    def residual(self, value: ArrayLike) -> jax.Array:
        """Deviation of the value from what is known, in standard deviations."""


@dataclasses.dataclass(frozen=True)
class Normal:
    """The value is ``mean +- sd``: residual ``(value - mean) / sd``.

    Args:
        mean: expected value, in the unit of the quantity.
        sd: standard deviation, in the same unit, positive.

    Raises:
        InputError: a mean that is not finite, or an sd that is not positive.

    Example:
        >>> round(float(cal.Normal(mean=0.8, sd=0.05).residual(0.9)), 6)
        2.0
    """

    mean: float
    sd: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean) and 0 < self.sd < math.inf):
            raise InputError(
                f"Normal: mean = {self.mean!r}, sd = {self.sd!r}",
                remedy="Give a finite mean and a positive sd.",
            )

    def residual(self, value: ArrayLike) -> jax.Array:
        """Deviation from the mean in standard deviations."""
        return (jnp.asarray(value) - self.mean) / self.sd


@dataclasses.dataclass(frozen=True)
class LogNormal:
    """The value is ``median`` within a ``factor`` (of one standard deviation): residual ``ln(value
    / median) / ln(factor)``.

    Args:
        median: expected value, in the unit of the quantity, positive.
        factor: by which the value deviates at one standard deviation [-], above 1.

    Raises:
        InputError: a median that is not positive, or a factor of 1 or below.

    Example:
        >>> round(float(cal.LogNormal(median=0.3, factor=2.0).residual(1.2)), 6)
        2.0
    """

    median: float
    factor: float

    def __post_init__(self) -> None:
        if not (0 < self.median < math.inf and 1 < self.factor < math.inf):
            raise InputError(
                f"LogNormal: median = {self.median!r}, factor = {self.factor!r}",
                remedy="Give a positive median and a factor above 1.",
            )

    def residual(self, value: ArrayLike) -> jax.Array:
        """Deviation of the logarithm in standard deviations."""
        return jnp.log(jnp.asarray(value) / self.median) / math.log(self.factor)


@dataclasses.dataclass(frozen=True)
class HeavyTailed:
    """The value is about ``centre +- scale``, but may be far away: Student's t distribution of some
    ``degrees`` of freedom. Residual ``t sqrt((n + 1) ln(1 + t^2/n) / t^2)`` of ``t = (value -
    centre)/scale``, whose square is -2 log density.

    Near the centre it acts like a normal prior; data that contradict it have their way.

    Args:
        centre: expected value, in the unit of the quantity.
        scale: in the same unit, positive.
        degrees: of freedom, ``n``, positive.
        above: whether only larger values may be far away, as where smaller ones are negative and so
            have no meaning: below the centre it is a normal prior, residual ``t sqrt((n + 1)/n)``.

    Raises:
        InputError: a centre that is not finite, a scale or degrees that are not positive.

    Example:
        >>> prior = cal.HeavyTailed(centre=0.0, scale=0.05, degrees=3.0)
        >>> round(float(prior.residual(0.05)), 3), round(float(prior.residual(0.5)), 3)
        (1.073, 3.761)
    """

    centre: float
    scale: float
    degrees: float = 3.0
    above: bool = False

    def __post_init__(self) -> None:
        positive = 0 < self.scale < math.inf and 0 < self.degrees < math.inf
        if not (math.isfinite(self.centre) and positive):
            raise InputError(
                f"HeavyTailed: centre = {self.centre!r}, scale = {self.scale!r}, "
                f"degrees = {self.degrees!r}",
                remedy="Give a finite centre, a positive scale and positive degrees.",
            )

    @property
    def area(self) -> float:
        """Integral of ``exp(-residual^2/2)`` over all values, in the unit of the quantity."""
        n = self.degrees
        heavy = math.sqrt(math.pi * n) * math.exp(math.lgamma(n / 2) - math.lgamma((n + 1) / 2))
        normal = math.sqrt(2 * math.pi * n / (n + 1))
        return self.scale * ((heavy + normal) / 2 if self.above else heavy)

    def residual(self, value: ArrayLike) -> jax.Array:
        """Signed root of -2 log density, 0 at the centre."""
        t = (jnp.asarray(value) - self.centre) / self.scale
        square = t**2 / self.degrees
        # ln(1 + x)/x has a limit at 0 that it does not reach by itself.
        near = square < 1e-8
        ratio = jnp.where(near, 1 - square / 2, jnp.log1p(square) / jnp.where(near, 1.0, square))
        if self.above:
            ratio = jnp.where(t < 0, 1.0, ratio)
        return t * jnp.sqrt((1 + 1 / self.degrees) * ratio)
