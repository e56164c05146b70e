"""What is assumed of the errors of a measurement: their size, their distribution, and whether
neighbouring errors resemble each other.

A problem takes one model for all measurements, ``noise=StudentT(4)``, or one for each class of
them, ``noise={Recording: Correlated(), BounceTimes: Known()}``; a measurement with an attribute
``noise`` brings its own. Where nothing is said, ``Automatic`` holds.
"""

import abc
import dataclasses
import math
from collections.abc import Mapping
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from calibration.errors import InputError
from calibration.noise.loss import HuberLoss, Loss, StudentTLoss


class NoiseModel(abc.ABC):
    """A model of the errors of one measurement.

    Implementing a noise model: inherit as a frozen dataclass (a model is part of the key of
    compiled code, so it must be hashable), set the two class attributes where they differ, define
    ``estimates_size``, and override ``make_loss`` for a robust model.

    Attributes:
        robust: whether far outliers weigh less.
        correlated: whether errors that follow each other are correlated, so that the residuals
            are whitened.
        time: correlation time of a correlated model [s]; ``None``, the default, has it found from
            the residuals.

    Example:
        >>> import dataclasses
        >>> @dataclasses.dataclass(frozen=True)
        ... class AsStated(cal.noise.NoiseModel):
        ...     def estimates_size(self, stated):
        ...         return False
        >>> AsStated().make_loss((3, 1)) is None
        True
    """

    robust: ClassVar[bool] = False
    correlated: ClassVar[bool] = False
    time: float | None = None

    @abc.abstractmethod
    def estimates_size(self, stated: bool) -> bool:
        """Whether the size of the errors is found from the residuals.

        Args:
            stated: whether the measurement came with a standard deviation.
        """

    def make_loss(self, shape: tuple[int, ...]) -> Loss | None:
        """The robust loss for residuals of a shape; ``None``, the default, is the sum of squares.

        Args:
            shape: of the residuals, (n, k) or with a leading axis of trials.
        """
        return None


Noise: TypeAlias = NoiseModel | Mapping[type, NoiseModel] | None
"""What a problem takes as ``noise``: a model, one for each class of measurement, or nothing."""


@dataclasses.dataclass(frozen=True)
class Automatic(NoiseModel):
    """Believe stated standard deviations until the residuals contradict them; the default.

    The fit weighs by the standard deviations of the measurement. Those that a person stated are
    believed as long as the residuals do not contradict them: then standard errors are enlarged, and
    the report says so. Those that were guessed from the data only tell ratios; their size is taken
    from the residuals. Where residuals are correlated, standard errors allow for it; where there
    are many trials, the scatter between them gives the standard errors.

    Example:
        >>> model = cal.noise.Automatic()
        >>> model.estimates_size(stated=True), model.estimates_size(stated=False)
        (False, True)
    """

    def estimates_size(self, stated: bool) -> bool:
        """True where no standard deviation was stated."""
        return not stated


@dataclasses.dataclass(frozen=True)
class Known(NoiseModel):
    """Independent Gaussian errors of exactly the stated standard deviation, whatever the residuals
    say.

    Twice the standard deviations give twice the intervals and the same estimates. Misfit is
    reported, and changes no interval.

    Example:
        One model for each class of measurement:

        >>> noise = {cal.Recording: cal.noise.Correlated(), cal.ImpactTable: cal.noise.Known()}
        >>> noise[cal.ImpactTable].estimates_size(stated=True)
        False
    """

    def estimates_size(self, stated: bool) -> bool:
        """Always False: the stated standard deviations are taken as they are."""
        return False


@dataclasses.dataclass(frozen=True)
class Estimated(NoiseModel):
    """Independent Gaussian errors of unknown standard deviation, one for each measured quantity,
    found from the residuals.

    By restricted maximum likelihood: the degrees of freedom that the fit uses up are counted where
    they are used. Stated standard deviations only tell the ratios between the numbers of one
    quantity. The size of the residuals can then not tell whether the model explains the data.

    Source:
        Patterson and Thompson (1971), Recovery of inter-block information when block sizes are
        unequal. Biometrika 58, 545-554.

    Example:
        >>> cal.noise.Estimated().estimates_size(stated=True)
        True
    """

    def estimates_size(self, stated: bool) -> bool:
        """Always True: the residuals alone give the standard deviation."""
        return True


@dataclasses.dataclass(frozen=True)
class StudentT(NoiseModel):
    """Independent errors with the heavy tails of Student's t: outliers weigh little.

    Args:
        degrees: degrees of freedom [-], at least 1; 4 tolerates a tenth of gross errors, large
            ones are Gaussian.
        estimated: whether the scale is found from the residuals; by default where the measurement
            states no standard deviation.

    Raises:
        InputError: ``degrees`` is below 1 or infinite.

    Source:
        Lange, Little and Taylor (1989), Robust statistical modeling using the t distribution.
        Journal of the American Statistical Association 84, 881-896.

    Example:
        An outlier of ten standard deviations enters the sum of squares as one of four:

        >>> loss = cal.noise.StudentT(degrees=4.0).make_loss((1, 1))
        >>> round(float(loss.residual(10.0)[0, 0]), 3)
        4.036
    """

    degrees: float = 4.0
    estimated: bool | None = None
    robust: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 1 <= self.degrees < math.inf:
            raise InputError(
                f"StudentT: degrees = {self.degrees!r} is outside [1, inf)",
                remedy="Give 3 to 10; 4 is usual.",
            )

    def estimates_size(self, stated: bool) -> bool:
        """As asked for, else True where no standard deviation was stated."""
        return not stated if self.estimated is None else self.estimated

    def make_loss(self, shape: tuple[int, ...]) -> StudentTLoss:
        """Student's t with these degrees of freedom, for residuals of a shape."""
        return StudentTLoss(np.full(shape, float(self.degrees)))


@dataclasses.dataclass(frozen=True)
class Huber(NoiseModel):
    """Independent errors, Gaussian in the middle; beyond a threshold they weigh linearly.

    Args:
        threshold: where the linear part begins, in standard deviations [-]; 1.345 loses 5 % of
            efficiency on Gaussian errors.
        estimated: whether the standard deviation is found from the residuals; by default where the
            measurement states none.

    Raises:
        InputError: ``threshold`` is not a positive, finite number.

    Source:
        Huber (1964), Robust estimation of a location parameter. Annals of Mathematical Statistics
        35, 73-101.

    Example:
        An outlier of ten standard deviations enters the sum of squares as one of five:

        >>> loss = cal.noise.Huber(threshold=1.345).make_loss((1, 1))
        >>> round(float(loss.residual(10.0)[0, 0]), 3)
        5.009
    """

    threshold: float = 1.345
    estimated: bool | None = None
    robust: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.threshold < math.inf:
            raise InputError(
                f"Huber: threshold = {self.threshold!r} is outside (0, inf)",
                remedy="Give 1 to 3; 1.345 is usual.",
            )

    def estimates_size(self, stated: bool) -> bool:
        """As asked for, else True where no standard deviation was stated."""
        return not stated if self.estimated is None else self.estimated

    def make_loss(self, shape: tuple[int, ...]) -> HuberLoss:
        """Huber's loss with this threshold, for residuals of a shape."""
        return HuberLoss(np.full(shape, float(self.threshold)))


@dataclasses.dataclass(frozen=True)
class Correlated(NoiseModel):
    """Gaussian errors whose correlation fades with the time between them as ``exp(-dt/tau)``
    (Ornstein-Uhlenbeck; AR(1) at equal steps).

    The residuals are whitened. An unknown ``tau`` is found by restricted maximum likelihood and the
    fit repeated (feasible generalised least squares).

    Args:
        time: correlation time ``tau`` [s], found from the residuals when ``None``.
        estimated: whether the standard deviation is found from the residuals; by default where the
            measurement states none.

    Raises:
        InputError: ``time`` is not a positive, finite number.

    Example:
        >>> cal.noise.Correlated(time=0.02)
        Correlated(time=0.02, estimated=None)
    """

    time: float | None = None
    estimated: bool | None = None
    correlated: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.time is not None and not 0 < self.time < math.inf:
            raise InputError(
                f"Correlated: time = {self.time!r} is not a positive time",
                remedy="Give it in s, or None to have it found.",
            )

    def estimates_size(self, stated: bool) -> bool:
        """As asked for, else True where no standard deviation was stated."""
        return not stated if self.estimated is None else self.estimated


MODELS: tuple[type[NoiseModel], ...] = (Automatic, Known, Estimated, StudentT, Huber, Correlated)
"""The models of this package, as an error text names them."""


class FoundNoise(NamedTuple):
    """How well the size of noise is known that lasts for several samples and was found from the
    data.

    Attributes:
        factor: of the true variance over that which was found, about.
        memory: samples that are worth one independent sample.
        degrees: degrees of freedom of the variance that was found.
    """

    factor: float
    memory: float
    degrees: float


@dataclasses.dataclass(frozen=True)
class Errors:
    """The errors of one measurement of a batch of trials. Hashable.

    Attributes:
        model: the noise model that holds for them.
        quantities: name of each measured column; columns of one name share one size and one
            correlation time.
        stated: whether the standard deviations of each column came with the measurement.
        series: whether the numbers follow each other in time, so that neighbours may be correlated.
        guessed: whether neither a person nor the data told the size of the standard deviations.
        found: what the data say of noise that lasts, where its size was found from them.
    """

    model: NoiseModel
    quantities: tuple[str, ...]
    stated: tuple[bool, ...]
    series: bool
    guessed: bool = False
    found: FoundNoise | None = dataclasses.field(default=None, compare=False)


def check_noise(noise: Noise, classes: tuple[type, ...]) -> None:
    """Raise ``InputError`` for what is no noise model, or for a class of measurements that the
    problem does not have.

    Args:
        noise: as given to the problem.
        classes: of the measurements in the problem.
    """
    if isinstance(noise, Mapping):
        for cls, model in noise.items():
            _check_class(cls, classes)
            check_noise(model, classes)
    elif noise is not None and not isinstance(noise, NoiseModel):
        names = ", ".join(f"{model.__name__}()" for model in MODELS)
        raise InputError(
            f"noise: {noise!r} is no noise model",
            remedy=f"Give one of {names}, or a table of them by class of measurement.",
        )


def _check_class(cls: type, classes: tuple[type, ...]) -> None:
    if isinstance(cls, type) and any(issubclass(known, cls) for known in classes):
        return
    names = ", ".join(sorted({known.__name__ for known in classes}))
    shown = cls.__name__ if isinstance(cls, type) else cls
    raise InputError(
        f"noise: there is no measurement of class {shown!r}",
        remedy=f"There are {names}.",
    )


def select_noise_model(
    noise: Noise, classes: tuple[type, ...], own: NoiseModel | None = None
) -> NoiseModel:
    """The model of one measurement: its own, that of its class in a table, or that of all.

    Args:
        noise: as given to the problem.
        classes: under which a person knows the measurement.
        own: model that the measurement brings.
    """
    if own is not None:
        return own
    if not isinstance(noise, Mapping):
        return noise or Automatic()
    for cls, model in noise.items():
        if any(issubclass(known, cls) for known in classes):
            return model
    return Automatic()
