"""Factors of a sweep: parameters that are varied, each over a range or a few levels."""

import dataclasses
import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError

LINEAR, LOGARITHMIC = "linear", "log"
SCALES = (LINEAR, LOGARITHMIC)
LEVELS = 10
"""Levels of a range in a grid where none are given."""


@dataclasses.dataclass(frozen=True)
class Range:
    """A parameter that is varied between two ends.

    Args:
        name: of the parameter, by its path in the scene, as ``free`` names it, or of the initial
            state (`calibration.sweeps.variables` lists them).
        low: first end, in the unit of the parameter.
        high: second end.
        scale: ``"linear"``, or ``"log"`` to spread the values evenly in their logarithm.
        levels: number of values in a grid, both ends among them. Other designs fill the range.

    Raises:
        InputError: ends that are not finite or not in order, a logarithm of zero, another scale.

    Example:
        >>> stiffness = cal.sweeps.Range(
        ...     "contact.normal.stiffness", 1e5, 1e7, scale="log", levels=3
        ... )
        >>> stiffness.grid().round(3).tolist()
        [100000.0, 1000000.0, 10000000.0]
        >>> cal.sweeps.Range("velocity_x", 0.0, 2.0).at(np.array([0.25])).tolist()
        [0.5]
    """

    name: str
    low: float
    high: float
    scale: str = LINEAR
    levels: int = LEVELS

    def __post_init__(self) -> None:
        ends = f"sweep: {self.name} from {self.low!r} to {self.high!r}"
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(
                f"{ends} is no range", remedy="Give two finite numbers, the lower one first."
            )
        if self.scale not in SCALES:
            raise InputError(
                f"{ends} has the scale {self.scale!r}", remedy='Give "linear" or "log".'
            )
        if self.scale == LOGARITHMIC and self.low <= 0:
            raise InputError(
                f"{ends} has no logarithm everywhere",
                remedy="Begin above zero, or leave the scale linear.",
            )
        if not isinstance(self.levels, int) or isinstance(self.levels, bool) or self.levels < 2:
            raise InputError(
                f"{ends} has levels = {self.levels!r}", remedy="Give a whole number from 2 on."
            )

    def at(self, fraction: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values at these parts of the way from one end to the other, exact at both."""
        if self.scale == LOGARITHMIC:
            logarithms = np.log(self.low) + fraction * (np.log(self.high) - np.log(self.low))
            values = np.exp(logarithms)
        else:
            values = self.low + fraction * (self.high - self.low)
        values = np.where(fraction == 0.0, self.low, np.where(fraction == 1.0, self.high, values))
        return np.clip(values, self.low, self.high)

    def grid(self) -> NDArray[np.float64]:
        """Its levels in a grid."""
        return self.at(np.linspace(0.0, 1.0, self.levels))


@dataclasses.dataclass(frozen=True)
class Levels:
    """A parameter that takes a few given values; in a design that fills ranges, each of them
    equally often.

    Args:
        name: of the parameter, as in ``Range``.
        values: in its unit, each once; they are sorted.

    Raises:
        InputError: no values, a value that is not finite or comes twice.

    Example:
        >>> cal.sweeps.Levels("contact.friction.coefficient", (0.3, 0.1)).grid().tolist()
        [0.1, 0.3]
    """

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        values = tuple(sorted(map(float, self.values)))
        if not values or not all(map(math.isfinite, values)) or len(set(values)) < len(values):
            raise InputError(
                f"sweep: {self.name} has the levels {list(self.values)}",
                remedy="Give one or more finite numbers, each once.",
            )
        object.__setattr__(self, "values", values)

    scale: Literal["linear"] = dataclasses.field(default="linear", init=False)

    def at(self, fraction: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values at these parts of their list."""
        count = len(self.values)
        return np.asarray(self.values)[np.minimum((fraction * count).astype(int), count - 1)]

    def grid(self) -> NDArray[np.float64]:
        """All of them."""
        return np.asarray(self.values)


Factor = Range | Levels
