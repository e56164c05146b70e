"""A measured quantity of a bulk experiment."""

import dataclasses
import re

from calibration.errors import InputError

_WRITTEN = re.compile(r"\s*(?P<name>.+?)\s*=(?P<value>[^=±]+?)(?:\+-|±)(?P<sigma>[^=±]+)")

LARGEST = 1e100
"""Squares of numbers up to here are numbers."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """What an experiment gave, such as an angle of repose.

    Args:
        name: of the column of the runs that holds the same quantity.
        value: in the unit of that column.
        sigma: its standard error, of all that makes a repeat of the whole experiment another one:
            the packing, the grains, the reading.

    Raises:
        InputError: numbers that are not finite (below 1e100), or no error (above 1e-100).

    Example:
        >>> cal.bulk.Measured.written("angle=27.5+-0.8")
        Measured(name='angle', value=27.5, sigma=0.8)
    """

    name: str
    value: float
    sigma: float

    def __post_init__(self) -> None:
        if not (abs(self.value) < LARGEST and 1.0 / LARGEST < self.sigma < LARGEST):
            raise InputError(
                f"{self.name} = {self.value!r} +- {self.sigma!r} is no measured value",
                remedy="Give a finite value and a standard error above zero: repeat the experiment "
                "a few times, and divide the standard deviation by the root of their number.",
            )

    @classmethod
    def written(cls, text: str) -> "Measured":
        """From ``NAME=VALUE+-SIGMA``.

        Raises:
            InputError: another form.
        """
        refused = InputError(
            f"{text!r} is no measured quantity",
            remedy="Write it as angle=27.5+-0.8: the name of a column of the runs, the value and "
            "its standard error.",
        )
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise refused
        try:
            value, sigma = float(found["value"]), float(found["sigma"])
        except ValueError:
            raise refused from None
        return cls(found["name"], value, sigma)
