"""Parameters of a fit: named quantities and the transforms by which an optimiser moves them without
leaving their interval.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import sigmoid
from jax.scipy.special import logit
from jax.typing import ArrayLike
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.model.prior import Prior
from jaxcontact.parameters import Interval, Quantity

EDGE = 1e-6
"""Part of an interval by which a start on its end is moved inside, where its coordinate is
finite.
"""

AT_BOUND = 1e-4
"""Part of an interval within which a value counts as having run into an end: far below any
standard error of interest.
"""

SMALLEST = 1e-12
"""Positive values below this share one logarithmic coordinate."""

VANISHED = 1e-9
"""A positive value below this has run into zero."""

Real: TypeAlias = jax.Array | np.ndarray | float
"""A number or an array of them, possibly traced."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A quantity to be found.

    An optimiser moves a *coordinate*, any real number. ``"identity"``: the value itself. ``"log"``:
    its logarithm. ``"logit"``: the logistic coordinate between the ends of the interval. With two
    finite, positive ends, ``"log"`` is logistic in the logarithm.

    Attributes:
        name: path in the scene or name of a nuisance parameter.
        about: unit, interval, transform, label and symbol.
        late: whether it should move only when everything else has settled: a quantity with little
            leverage, which a first, large misfit would throw far off.
        prior: what is known of it beforehand.

    Example:
        >>> (scale,) = cal.nuisances.LengthScale().parameters(())
        >>> scale.name, scale.about.unit, float(scale.value(0.0))
        ('length_scale', '-', 1.0)
    """

    name: str
    about: Quantity
    late: bool = False
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if not (self.prior is None or isinstance(self.prior, Prior)):
            raise InputError(
                f"{self.name}: prior = {self.prior!r} is no prior",
                remedy="Give cal.Normal(mean, sd), cal.LogNormal(median, factor) or an object "
                "with residual(value).",
            )

    def _ends(self) -> tuple[float, float] | None:
        """Ends between which the coordinate is logistic, of the logarithm for ``"log"``; ``None``
        where it is not.
        """
        low, high = self.about.interval.low, self.about.interval.high
        if self.about.transform == "log":
            return (math.log(low), math.log(high)) if low > 0 and high < math.inf else None
        return (low, high) if self.about.transform == "logit" else None

    def value(self, coordinate: Real) -> Real:
        """The quantity at a coordinate of the optimiser, any real number."""
        ends = self._ends()
        if ends is not None:
            coordinate = ends[0] + (ends[1] - ends[0]) * sigmoid(coordinate)
        return jnp.exp(coordinate) if self.about.transform == "log" else coordinate

    def coordinate(self, value: ArrayLike) -> jax.Array:
        """The coordinate of a value; values on or outside an end are moved just inside."""
        inner = jnp.asarray(value, dtype=float)
        if self.about.transform == "log":
            inner = jnp.log(jnp.maximum(inner, SMALLEST))
        ends = self._ends()
        if ends is None:
            return inner
        return logit(jnp.clip((inner - ends[0]) / (ends[1] - ends[0]), EDGE, 1 - EDGE))

    def slope(self, value: float) -> float:
        """Change of the value per change of the coordinate."""
        logarithmic = self.about.transform == "log"
        slope = value if logarithmic else 1.0
        ends = self._ends()
        if ends is not None:
            # u = low + (high - low) sigmoid(c), so du/dc = (u - low) (high - u) / (high - low).
            inner = math.log(value) if logarithmic else value
            slope *= (inner - ends[0]) * (ends[1] - inner) / (ends[1] - ends[0])
        return slope

    def at_bound(self, value: float) -> bool:
        """Whether the value has run into an end of its interval."""
        ends = self._ends()
        if ends is None:
            return self.about.transform == "log" and value < VANISHED
        inner = math.log(value) if self.about.transform == "log" else value
        return min(inner - ends[0], ends[1] - inner) < AT_BOUND * (ends[1] - ends[0])


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
    """A parameter that belongs to the measurement, not to the scene.

    Args:
        name: in tables and error texts.
        unit: of its values.
        label: what it is, in words.
        symbol: in formulas.
        transform: ``"identity"`` for any real value, ``"log"`` for a positive one.
        late: whether it should move only when everything else has settled.
        prior: what is known of it beforehand.

    Raises:
        ValueError: another transform.
        InputError: a prior that is none.

    Example:
        >>> delay = cal.nuisances.nuisance_parameter(
        ...     "trigger_delay", unit="s", label="delay of the trigger", symbol="t_d"
        ... )
        >>> delay.about.unit
        's'
    """
    low = 0.0 if transform == "log" else -math.inf
    interval = Interval(low, math.inf, False, False)
    about = Quantity(unit, interval, transform, label, symbol, "", None)
    return Parameter(name, about, late, prior)


def to_values(
    parameters: Sequence[Parameter], coordinates: jax.Array | NDArray[np.float64]
) -> list[Real]:
    """Values of all ``parameters`` at their coordinates (n,)."""
    return [parameter.value(coordinates[i]) for i, parameter in enumerate(parameters)]


def to_coordinates(
    parameters: Sequence[Parameter], values: Sequence[ArrayLike] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Coordinates (n,) of all ``parameters`` at given values (n,)."""
    pairs = zip(parameters, values, strict=True)
    return np.asarray([float(parameter.coordinate(value)) for parameter, value in pairs])


def has_transform(parameters: Sequence[Parameter]) -> NDArray[np.bool_]:
    """Which of the parameters have logarithmic or logistic coordinates, (n,)."""
    return np.asarray(
        [parameter.about.transform != "identity" for parameter in parameters], dtype=bool
    )


def evaluate_priors(
    parameters: Sequence[Parameter], coordinates: jax.Array | NDArray[np.float64]
) -> jax.Array:
    """Residuals of what is known beforehand of the ``parameters``, at their coordinates (n,): one
    for each that has a prior.
    """
    residuals = [
        parameter.prior.residual(parameter.value(coordinates[i]))
        for i, parameter in enumerate(parameters)
        if parameter.prior is not None
    ]
    return jnp.stack(residuals) if residuals else jnp.zeros(0)
