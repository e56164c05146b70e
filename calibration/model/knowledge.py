"""What a person knows of a parameter of a fit, by the name of the parameter: a prior, bounds, a
start, or its value.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from calibration.errors import InputError
from calibration.model.free import narrow_interval
from calibration.model.parameter import Parameter
from calibration.model.prior import LogNormal, Normal, Prior


@dataclasses.dataclass(frozen=True)
class Knowledge:
    """What is known of a parameter, whether it is of the scene or of a nuisance.

    Args:
        prior: what is known of it beforehand; takes the place of a prior that it has already.
        bounds: ends between which it is sought, inside its own interval and in its unit.
        start: where the fit begins, in its unit.
        fixed: whether it stays at ``start``, so that it is not found.

    Raises:
        InputError: nothing is known, or a fixed parameter has no start, or a prior or bounds.

    Example:
        >>> cal.Knowledge(prior=cal.LogNormal(0.45, 1.2)).fixed
        False
        >>> cal.Knowledge(start=0.4, fixed=True).start
        0.4
    """

    prior: Prior | None = None
    bounds: tuple[float, float] | None = None
    start: float | None = None
    fixed: bool = False

    def __post_init__(self) -> None:
        if self.prior is None and self.bounds is None and self.start is None:
            raise InputError(
                "Knowledge: nothing is said",
                remedy="Give a prior, bounds, or a start.",
            )
        if self.fixed and (self.start is None or self.prior or self.bounds):
            raise InputError(
                f"Knowledge: a fixed parameter has a start alone, not {self!r}",
                remedy="Give Knowledge(start=..., fixed=True).",
            )

    def inform(self, parameter: Parameter) -> Parameter:
        """The parameter with its prior and its bounds.

        Raises:
            InputError: bounds, a start or the middle of a prior outside the interval of the
                parameter; a log-normal prior of one that may be negative.
        """
        about = parameter.about
        self._check(parameter)
        if self.bounds is not None:
            about = narrow_interval(parameter.name, about, self.bounds)
        prior = parameter.prior if self.prior is None else self.prior
        return dataclasses.replace(parameter, about=about, prior=prior)

    def start_at(self, guess: float) -> float:
        """Where the fit begins: the start, else a first guess where it is inside of the bounds,
        else their middle.
        """
        if self.start is not None:
            return self.start
        if self.bounds is None or self.bounds[0] < guess < self.bounds[1]:
            return guess
        low, high = self.bounds
        return math.sqrt(low * high) if low > 0 else (low + high) / 2

    def _check(self, parameter: Parameter) -> None:
        about = parameter.about
        places = {"start": self.start}
        if isinstance(self.prior, Normal):
            places["mean"] = self.prior.mean
        elif isinstance(self.prior, LogNormal):
            places["median"] = self.prior.median
        for what, value in places.items():
            if value is not None and not about.interval.contains(value):
                raise InputError(
                    f"the {what} {value:g} of {parameter.name!r} is outside {about.interval} "
                    f"{about.unit}",
                    remedy=f"It is the {about.label} [{about.unit}].",
                )
        if isinstance(self.prior, LogNormal) and not about.interval.low >= 0:
            raise InputError(
                f"{parameter.name!r} may be negative, so it has no log-normal prior",
                remedy="Give a normal one, with mean and sd.",
            )


KnownParameters: TypeAlias = tuple[tuple[str, Knowledge], ...]
"""What is known, by name. Hashable: part of compiled code."""


def inform(parameters: Sequence[Parameter], known: KnownParameters) -> tuple[Parameter, ...]:
    """The parameters with what is known of those that are named."""
    about = dict(known)
    return tuple(
        about[parameter.name].inform(parameter) if parameter.name in about else parameter
        for parameter in parameters
    )


def set_starts(
    parameters: Sequence[Parameter], values: Sequence[float], known: KnownParameters
) -> list[float]:
    """Values of the parameters from which a fit begins: those that are known, and inside of bounds
    that are.

    Args:
        parameters: whose values they are.
        values: first guesses, one for each.
        known: by name.
    """
    about = dict(known)
    pairs = zip(parameters, map(float, values), strict=True)
    return [
        about[parameter.name].start_at(value) if parameter.name in about else value
        for parameter, value in pairs
    ]


def as_knowledge(given: Mapping[str, Knowledge | Prior]) -> KnownParameters:
    """What a problem takes as ``known``, hashable.

    Raises:
        InputError: neither knowledge nor a prior.
    """
    for name, item in given.items():
        if not isinstance(item, Knowledge | Prior):
            raise InputError(
                f"known: {item!r} of {name!r} says nothing of a parameter",
                remedy="Give cal.Knowledge(...), or a prior such as cal.Normal(mean, sd).",
            )
    return tuple(
        (name, item if isinstance(item, Knowledge) else Knowledge(prior=item))
        for name, item in given.items()
    )


def fixed_names(known: KnownParameters) -> tuple[str, ...]:
    """Names of the parameters that are not found."""
    return tuple(name for name, item in known if item.fixed)
