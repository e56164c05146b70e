"""What is known of a quantity before the measurement, as one more residual of the fit."""

import dataclasses
import math
from typing import Any, Protocol

import jax.numpy as jnp

from calibration.errors import InputError


class Prior(Protocol):
    """Prior knowledge of one value. Hashable: part of compiled code."""

    def residual(self, value: Any) -> Any: ...


@dataclasses.dataclass(frozen=True)
class Normal:
    """The value is ``mean +- sd``: residual ``(value - mean) / sd``."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean) and 0 < self.sd < math.inf):
            raise InputError(
                f"Normal: mean = {self.mean!r}, sd = {self.sd!r}",
                remedy="Give a finite mean and a positive sd.",
            )

    def residual(self, value: Any) -> Any:
        """Deviation in standard deviations."""
        return (value - self.mean) / self.sd


@dataclasses.dataclass(frozen=True)
class LogNormal:
    """The value is ``median`` within a ``factor`` (of one standard deviation): residual ``ln(value
    / median) / ln(factor)``.
    """

    median: float
    factor: float

    def __post_init__(self) -> None:
        if not (0 < self.median < math.inf and 1 < self.factor < math.inf):
            raise InputError(
                f"LogNormal: median = {self.median!r}, factor = {self.factor!r}",
                remedy="Give a positive median and a factor above 1.",
            )

    def residual(self, value: Any) -> Any:
        """Deviation in standard deviations of the logarithm."""
        return jnp.log(value / self.median) / math.log(self.factor)
