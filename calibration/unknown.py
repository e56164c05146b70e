"""Unknowns of a fit: named quantities and the transforms by which an optimiser moves them without leaving their interval."""

import dataclasses
import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid
from jax.scipy.special import logit

from jaxcontact.field import Interval, Parameter


@dataclasses.dataclass(frozen=True)
class Unknown:
    """A quantity to be found.

    Attributes:
        name: path in the scene or name of a nuisance quantity.
        about: unit, interval, transform, label and symbol.
        late: whether it should move only when everything else has settled: a quantity with little leverage, which a first, large misfit
            would throw far off.
    """

    name: str
    about: Parameter
    late: bool = False

    def value(self, coordinate: Any) -> Any:
        """The quantity at a coordinate of the optimiser, any real number."""
        low, high = self.about.interval.low, self.about.interval.high
        if self.about.transform == "log":
            return jnp.exp(coordinate)
        if self.about.transform == "logit":
            return low + (high - low) * sigmoid(coordinate)
        return coordinate

    def coordinate(self, value: Any) -> Any:
        """The coordinate of a value; values on or outside an end are moved just inside."""
        low, high = self.about.interval.low, self.about.interval.high
        if self.about.transform == "log":
            return jnp.log(jnp.maximum(value, 1e-12))
        if self.about.transform == "logit":
            return logit(jnp.clip((jnp.asarray(value) - low) / (high - low), 1e-6, 1 - 1e-6))
        return jnp.asarray(value, dtype=float)

    def slope(self, value: float) -> float:
        """Change of the value per change of the coordinate."""
        low, high = self.about.interval.low, self.about.interval.high
        if self.about.transform == "log":
            return value
        if self.about.transform == "logit":
            return (value - low) * (high - value) / (high - low)
        return 1.0

    def at_bound(self, value: float) -> bool:
        """Whether the value has run into an end of its interval."""
        low, high = self.about.interval.low, self.about.interval.high
        if self.about.transform == "logit":
            return min(value - low, high - value) < 1e-4 * (high - low)
        return self.about.transform == "log" and value < 1e-9


def nuisance_unknown(name: str, *, unit: str, label: str, symbol: str, transform: str = "identity", late: bool = False) -> Unknown:
    """An unknown that belongs to the measurement, not to the scene."""
    interval = Interval(0.0, math.inf, False, False) if transform == "log" else Interval(-math.inf, math.inf, False, False)
    return Unknown(name, Parameter(unit, interval, transform, label, symbol, "", None), late)


def values(unknowns: tuple[Unknown, ...], coordinates: Any) -> list[Any]:
    """Values of all ``unknowns`` at their coordinates, (n,)."""
    return [unknown.value(coordinates[i]) for i, unknown in enumerate(unknowns)]


def coordinates(unknowns: tuple[Unknown, ...], start: Any) -> np.ndarray:
    """Coordinates of all ``unknowns`` at given values, (n,)."""
    return np.asarray([float(unknown.coordinate(value)) for unknown, value in zip(unknowns, start, strict=True)])
