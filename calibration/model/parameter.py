"""Parameters of a fit: named quantities and the transforms by which an optimiser moves them without
leaving their interval.
"""

import dataclasses
import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid
from jax.scipy.special import logit

from calibration.model.prior import Prior
from jaxcontact.parameters import Interval, Quantity

EDGE = 1e-6
"""Part of an interval by which a start on its end is moved inside."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A quantity to be found.

    An optimiser moves a *coordinate*, any real number. ``"identity"``: the value itself. ``"log"``:
    its logarithm. ``"logit"``: the logistic coordinate between the ends of the interval. With two
    finite, positive ends, ``"log"`` is logistic in the logarithm.

    Attributes:
        name: path in the scene or name of a nuisance quantity.
        about: unit, interval, transform, label and symbol.
        late: whether it should move only when everything else has settled: a quantity with little
            leverage, which a first, large misfit would throw far off.
        prior: what is known of it beforehand.
    """

    name: str
    about: Quantity
    late: bool = False
    prior: Prior | None = None

    def _ends(self) -> tuple[float, float] | None:
        """Ends between which the coordinate is logistic, of the logarithm for ``"log"``; ``None``
        where it is not.
        """
        low, high = self.about.interval.low, self.about.interval.high
        if self.about.transform == "log":
            return (math.log(low), math.log(high)) if low > 0 and high < math.inf else None
        return (low, high) if self.about.transform == "logit" else None

    def value(self, coordinate: Any) -> Any:
        """The quantity at a coordinate of the optimiser, any real number."""
        ends = self._ends()
        if ends is not None:
            coordinate = ends[0] + (ends[1] - ends[0]) * sigmoid(coordinate)
        return jnp.exp(coordinate) if self.about.transform == "log" else coordinate

    def coordinate(self, value: Any) -> Any:
        """The coordinate of a value; values on or outside an end are moved just inside."""
        value = jnp.asarray(value, dtype=float)
        if self.about.transform == "log":
            value = jnp.log(jnp.maximum(value, 1e-12))
        ends = self._ends()
        return (
            value
            if ends is None
            else logit(jnp.clip((value - ends[0]) / (ends[1] - ends[0]), EDGE, 1 - EDGE))
        )

    def slope(self, value: float) -> float:
        """Change of the value per change of the coordinate."""
        ends = self._ends()
        logarithmic = self.about.transform == "log"
        slope = value if logarithmic else 1.0
        if ends is not None:
            inner = math.log(value) if logarithmic else value
            slope *= (inner - ends[0]) * (ends[1] - inner) / (ends[1] - ends[0])
        return slope

    def at_bound(self, value: float) -> bool:
        """Whether the value has run into an end of its interval."""
        ends = self._ends()
        if ends is not None:
            inner = math.log(value) if self.about.transform == "log" else value
            return min(inner - ends[0], ends[1] - inner) < 1e-4 * (ends[1] - ends[0])
        return self.about.transform == "log" and value < 1e-9


def nuisance_parameter(
    name: str,
    *,
    unit: str,
    label: str,
    symbol: str,
    transform: str = "identity",
    late: bool = False,
    prior: Prior | None = None,
) -> Parameter:
    """An unknown that belongs to the measurement, not to the scene."""
    interval = (
        Interval(0.0, math.inf, False, False)
        if transform == "log"
        else Interval(-math.inf, math.inf, False, False)
    )
    return Parameter(
        name, Quantity(unit, interval, transform, label, symbol, "", None), late, prior
    )


def to_values(parameters: tuple[Parameter, ...], coordinates: Any) -> list[Any]:
    """Values of all ``parameters`` at their coordinates, (n,)."""
    return [parameter.value(coordinates[i]) for i, parameter in enumerate(parameters)]


def to_coordinates(parameters: tuple[Parameter, ...], start: Any) -> np.ndarray:
    """Coordinates of all ``parameters`` at given values, (n,)."""
    return np.asarray(
        [
            float(parameter.coordinate(value))
            for parameter, value in zip(parameters, start, strict=True)
        ]
    )


def has_transform(parameters: tuple[Parameter, ...]) -> np.ndarray:
    """Which of the parameters have logarithmic or logistic coordinates, (n,)."""
    return np.asarray(
        [parameter.about.transform != "identity" for parameter in parameters], dtype=bool
    )


def evaluate_priors(parameters: tuple[Parameter, ...], coordinates: Any) -> Any:
    """Residuals of what is known beforehand of the ``parameters``, at their coordinates: one for each
    that has a prior.
    """
    known = [
        parameter.prior.residual(parameter.value(coordinates[i]))
        for i, parameter in enumerate(parameters)
        if parameter.prior is not None
    ]
    return jnp.stack(known) if known else jnp.zeros(0)
