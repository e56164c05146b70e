"""What is assumed of the errors of a measurement: their size, their distribution, and whether
neighbouring errors resemble each other.

A problem takes one model for all measurements, ``noise=StudentT(4)``, or one for each class of
them, ``noise={Recording: Correlated(), BounceTimes: Known()}``; a measurement with an attribute
``noise`` says it itself. Where nothing is said, ``Automatic`` holds.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np

from calibration.errors import InputError
from calibration.noise.loss import HuberLoss, Loss, StudentTLoss


class NoiseModel(Protocol):
    """A model of errors. Hashable.

    Attributes:
        robust: whether far outliers weigh less.
        correlated: whether errors that follow each other are correlated, and the residuals are made
            white.
    """

    robust: ClassVar[bool]
    correlated: ClassVar[bool]

    def estimates_size(self, stated: bool) -> bool:
        """Whether the size is found from the residuals; ``stated``: whether the measurement came
        with a standard deviation.
        """

    def make_loss(self, shape: tuple[int, ...]) -> Loss | None:
        """The robust loss for residuals of a shape, ``None`` for the sum of squares."""


@dataclasses.dataclass(frozen=True)
class Automatic:
    """What holds where nothing is said of the noise.

    The fit weighs by the standard deviations of the measurement. Those that a person stated are
    believed as long as the residuals do not contradict them: then standard errors are enlarged, and
    the report says so. Those that were guessed from the data only tell ratios; their size is taken
    from the residuals. Where residuals are correlated, standard errors allow for it; where there
    are many trials, the scatter between them gives the standard errors.
    """

    robust: ClassVar[bool] = False
    correlated: ClassVar[bool] = False

    def estimates_size(self, stated: bool) -> bool:
        """Where none was stated."""
        return not stated

    def make_loss(self, shape: tuple[int, ...]) -> None:
        """The sum of squares."""
        return None


@dataclasses.dataclass(frozen=True)
class Known:
    """Independent Gaussian errors of exactly the stated standard deviation, whatever the residuals
    say.

    Twice the standard deviations give twice the intervals and the same estimates. Misfit is
    reported, and changes no interval.
    """

    robust: ClassVar[bool] = False
    correlated: ClassVar[bool] = False

    def estimates_size(self, stated: bool) -> bool:
        """Never."""
        return False

    def make_loss(self, shape: tuple[int, ...]) -> None:
        """The sum of squares."""
        return None


@dataclasses.dataclass(frozen=True)
class Estimated:
    """Independent Gaussian errors of unknown standard deviation, one for each measured quantity,
    found from the residuals.

    By restricted maximum likelihood (Patterson and Thompson 1971): the degrees of freedom that the
    fit uses up are counted where they are used. Stated standard deviations only tell the ratios
    between the numbers of one quantity. The size of the residuals can then not tell whether the
    model explains the data.
    """

    robust: ClassVar[bool] = False
    correlated: ClassVar[bool] = False

    def estimates_size(self, stated: bool) -> bool:
        """Always."""
        return True

    def make_loss(self, shape: tuple[int, ...]) -> None:
        """The sum of squares."""
        return None


@dataclasses.dataclass(frozen=True)
class StudentT:
    """Independent errors with the heavy tails of Student's t: outliers weigh little.

    Args:
        degrees: of freedom; 4 bears a tenth of gross errors, large ones are Gaussian.
        estimated: whether the scale is found from the residuals; by default where the measurement
            states none.
    """

    degrees: float = 4.0
    estimated: bool | None = None
    robust: ClassVar[bool] = True
    correlated: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 1 <= self.degrees < math.inf:
            raise InputError(
                f"StudentT: degrees = {self.degrees!r} is outside [1, inf)",
                remedy="Give 3 to 10; 4 is usual.",
            )

    def estimates_size(self, stated: bool) -> bool:
        """As asked, else where none was stated."""
        return not stated if self.estimated is None else self.estimated

    def make_loss(self, shape: tuple[int, ...]) -> StudentTLoss:
        """Its loss."""
        return StudentTLoss(np.full(shape, float(self.degrees)))


@dataclasses.dataclass(frozen=True)
class Huber:
    """Independent errors, Gaussian in the middle; beyond the threshold they weigh linearly (Huber
    1964).

    Args:
        threshold: in standard deviations; 1.345 loses 5 % of efficiency on Gaussian errors.
        estimated: whether the standard deviation is found from the residuals; by default where the
            measurement states none.
    """

    threshold: float = 1.345
    estimated: bool | None = None
    robust: ClassVar[bool] = True
    correlated: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 < self.threshold < math.inf:
            raise InputError(
                f"Huber: threshold = {self.threshold!r} is outside (0, inf)",
                remedy="Give 1 to 3; 1.345 is usual.",
            )

    def estimates_size(self, stated: bool) -> bool:
        """As asked, else where none was stated."""
        return not stated if self.estimated is None else self.estimated

    def make_loss(self, shape: tuple[int, ...]) -> HuberLoss:
        """Its loss."""
        return HuberLoss(np.full(shape, float(self.threshold)))


@dataclasses.dataclass(frozen=True)
class Correlated:
    """Gaussian errors whose correlation fades with the time between them as ``exp(-dt/tau)``
    (Ornstein-Uhlenbeck; AR(1) at equal steps).

    The residuals are made white. An unknown ``tau`` is found by restricted maximum likelihood and
    the fit repeated (feasible generalised least squares).

    Args:
        time: ``tau`` [s], found from the residuals when ``None``.
        estimated: whether the standard deviation is found from the residuals; by default where the
            measurement states none.
    """

    time: float | None = None
    estimated: bool | None = None
    robust: ClassVar[bool] = False
    correlated: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.time is not None and not 0 < self.time < math.inf:
            raise InputError(
                f"Correlated: time = {self.time!r} is not a positive time",
                remedy="Give it in s, or None to have it found.",
            )

    def estimates_size(self, stated: bool) -> bool:
        """As asked, else where none was stated."""
        return not stated if self.estimated is None else self.estimated

    def make_loss(self, shape: tuple[int, ...]) -> None:
        """The sum of squares."""
        return None


MODELS = (Automatic, Known, Estimated, StudentT, Huber, Correlated)


@dataclasses.dataclass(frozen=True)
class Errors:
    """The errors of one observation of trials of one kind. Hashable.

    Attributes:
        model: of them.
        quantities: name of each measured column; columns of one name share one size and one
            correlation time.
        stated: whether the standard deviations of each column came with the measurement.
        series: whether the numbers follow each other in time, so that neighbours may be correlated.
    """

    model: NoiseModel
    quantities: tuple[str, ...]
    stated: tuple[bool, ...]
    series: bool


def check_noise(noise: Any, classes: tuple[type, ...]) -> None:
    """Raise ``InputError`` for what is no model, or a class of measurements that the problem does
    not have.
    """
    if isinstance(noise, Mapping):
        for cls, model in noise.items():
            if not (isinstance(cls, type) and any(issubclass(own, cls) for own in classes)):
                names = ", ".join(sorted({own.__name__ for own in classes}))
                raise InputError(
                    f"noise: there is no measurement of class {getattr(cls, '__name__', cls)!r}",
                    remedy=f"There are {names}.",
                )
            check_noise(model, classes)
    elif noise is not None and not isinstance(noise, MODELS):
        names = ", ".join(f"{model.__name__}()" for model in MODELS)
        raise InputError(
            f"noise: {noise!r} is no noise model",
            remedy=f"Give one of {names}, or a table of them by class of measurement.",
        )


def select_noise_model(noise: Any, classes: tuple[type, ...], own: Any = None) -> NoiseModel:
    """The model of one measurement: its own, that of its class in a table, or that of all.

    Args:
        noise: as given to the problem.
        classes: under which a person knows the measurement.
        own: model that the measurement brings.
    """
    if isinstance(noise, Mapping):
        given = next(
            (
                model
                for cls, model in noise.items()
                if any(issubclass(item, cls) for item in classes)
            ),
            None,
        )
    else:
        given = noise
    return own or given or Automatic()
