"""What bulk experiments say of coefficients."""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from calibration.results.numbers import value_and_sd

Floats = NDArray[np.float64]

COMPENSATES = 0.8
"""Correlation from which on two coefficients are said to compensate each other."""


@dataclasses.dataclass(frozen=True)
class Coefficient:
    """A coefficient.

    Attributes:
        name: as in the runs.
        value, sd: mean and standard deviation of what agrees with the measurements.
        interval: 95 % of it.
        range: of the runs.
        by_logarithm: whether the runs spread it over decades.
        at_end: whether an end of the range cannot be excluded.
        apart: whether what agrees lies in islands about the mean, which itself does not.
        determined: whether the measurements are explained and say more of it than the range of the
            runs does, no end of that cuts it off, and the value itself agrees.

    Example:
        >>> ends = {"interval": (0.36, 0.44), "range": (0.1, 0.9)}
        >>> judged = {"by_logarithm": False, "at_end": False, "apart": False, "determined": True}
        >>> print(cal.bulk.Coefficient("friction", 0.4, 0.02, **ends, **judged).value)
        0.4
    """

    name: str
    value: float
    sd: float
    interval: tuple[float, float]
    range: tuple[float, float]
    by_logarithm: bool
    at_end: bool
    apart: bool
    determined: bool


@dataclasses.dataclass(frozen=True)
class Reproduced:
    """A measured quantity, and the best that the runs can do.

    Attributes:
        name, measured, sigma: as given.
        found: at the coefficients that agree best.
        emulator_sd: of the curve through the runs there.
        scatter: of single runs about that curve.
        left_out: root mean square of the errors of runs that were left out, over their own standard
            deviations: about 1 where the curve can be trusted.

    Example:
        >>> cal.bulk.Reproduced("angle", 27.0, 0.8, 28.0, 0.6, 1.1, 0.9).off
        1.0
    """

    name: str
    measured: float
    sigma: float
    found: float
    emulator_sd: float
    scatter: float
    left_out: float

    @property
    def off(self) -> float:
        """Difference in standard deviations of both."""
        return (self.found - self.measured) / float(np.hypot(self.sigma, self.emulator_sd))


@dataclasses.dataclass(frozen=True, eq=False)
class BulkCalibration:
    """Coefficients from bulk experiments; as text, what is known and what is not.

    Attributes:
        coefficients: in the order of the runs.
        reproduced: the measured quantities.
        explained: whether some coefficients within the ranges give all that was measured.
        draws: coefficients (4000, k) that agree with the measurements, each as likely as another.
        correlation: of the coefficients (k, k).
        runs: how many there are.
        next_runs: coefficients (8, k) at which further runs would tell most: far from those there
            are, among those that agree.

    Example:
        >>> friction = np.linspace(0.1, 0.9, 10)
        >>> runs = cal.bulk.Runs({"friction": friction}, {"angle": 20.0 + 15.0 * friction})
        >>> found = cal.bulk.calibrate(runs, [cal.bulk.Measured("angle", 27.5, 0.5)])
        >>> found.explained, found.draws.shape, found.next_runs.shape
        (True, (4000, 1), (8, 1))
    """

    coefficients: tuple[Coefficient, ...]
    reproduced: tuple[Reproduced, ...]
    explained: bool
    draws: Floats
    correlation: Floats
    runs: int
    next_runs: Floats

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def combination(found: BulkCalibration) -> tuple[Floats, float, float]:
    """The linear combination of coefficients that is known best, in parts of their ranges: factors,
    the largest 1, value and standard deviation, in the units of the coefficients.

    Args:
        found: with two coefficients at least.
    """
    width = np.array([one.range[1] - one.range[0] for one in found.coefficients])
    _, directions = np.linalg.eigh(np.cov(found.draws / width, rowvar=False))
    factors = directions[:, 0] / width
    factors = factors / factors[np.argmax(np.abs(directions[:, 0]))]
    along = found.draws @ factors
    return factors, float(np.mean(along)), float(np.std(along))


def _lines(found: BulkCalibration) -> Iterator[str]:
    named = ", ".join(one.name for one in found.reproduced)
    count = len(found.coefficients)
    yield f"{count} coefficient{'s' if count > 1 else ''} from {named} and {found.runs} runs"
    yield ""
    if found.explained:
        yield from _table(found)
        yield from _compensation(found)
    else:
        worst = max(found.reproduced, key=lambda one: abs(one.off))
        yield (
            "No result: nothing within the ranges of the runs gives all that was measured. At best "
            f"{worst.name} is off by {abs(worst.off):.1f} standard deviations. Either the ranges "
            "are too narrow, or the simulation lacks something, or an error was given too small."
        )
    yield ""
    yield from _reproductions(found)
    for one in found.reproduced:
        yield from _doubts(one)


def _table(found: BulkCalibration) -> Iterator[str]:
    wide = max(len(one.name) for one in found.coefficients)
    for one in found.coefficients:
        of_runs = f"runs: {one.range[0]:.3g} to {one.range[1]:.3g}"
        interval = f"{one.interval[0]:.3g} to {one.interval[1]:.3g}"
        if one.determined:
            shown = f"{value_and_sd(one.value, one.sd)}   95 %: {interval}"
        elif one.apart:
            shown = f"not determined: {interval} agrees, but hardly anything near {one.value:.3g}"
        elif one.at_end:
            shown = f"not determined: {interval} agrees, up to an end of the range"
        else:
            shown = f"not determined: {interval} agrees"
        yield f"  {one.name:{wide}}  {shown}   ({of_runs})"


def _compensation(found: BulkCalibration) -> Iterator[str]:
    if len(found.coefficients) < 2:
        return
    names = [one.name for one in found.coefficients]
    off_diagonal = np.abs(np.triu(found.correlation, 1))
    first, second = np.unravel_index(np.argmax(off_diagonal), off_diagonal.shape)
    strongest = float(found.correlation[first, second])
    if abs(strongest) < COMPENSATES:
        return
    yield ""
    yield (
        f"{names[first]} and {names[second]} compensate each other (correlation {strongest:.2f}). "
        "A measurement that they change in another ratio would tell them apart."
    )
    if any(one.by_logarithm for one in found.coefficients):
        return
    factors, value, sd = combination(found)
    terms = " ".join(
        f"{'-' if factor < 0 else '+'} {_times(abs(factor))}{name}"
        for factor, name in zip(factors, names, strict=True)
    ).removeprefix("+ ")
    yield f"Known best is {terms} = {value_and_sd(value, sd)}."


def _times(factor: float) -> str:
    shown = f"{factor:.2g}"
    return "" if shown == "1" else f"{shown} "


def _reproductions(found: BulkCalibration) -> Iterator[str]:
    wide = max(len("measured"), *(len(one.name) for one in found.reproduced))
    measured = [value_and_sd(one.measured, one.sigma) for one in found.reproduced]
    best = [f"{one.found:.{_digits(one)}g}" for one in found.reproduced]
    across, along = max(18, *map(len, measured)), max(9, *map(len, best))
    yield (
        f"  {'measured':{wide}}  {'':{across}}  {'found':>{along}}  {'off by':>7}  {'curve':>9}  "
        f"{'one run':>9}"
    )
    for one, given, at_best in zip(found.reproduced, measured, best, strict=True):
        yield (
            f"  {one.name:{wide}}  {given:{across}}  {at_best:>{along}}  "
            f"{one.off:4.1f} sd  {one.emulator_sd:9.2g}  {one.scatter:9.2g}"
        )
    yield (
        "  (curve: standard deviation of the curve through the runs; one run: scatter of single "
        "runs about it)"
    )


def _digits(one: Reproduced) -> int:
    """With which a number of this size shows its error."""
    size = max(abs(one.found) / one.sigma, 1.0)
    return min(max(math.floor(math.log10(size)) + 2, 4), 12)


def _doubts(one: Reproduced) -> Iterator[str]:
    if one.left_out > 1.5:
        yield (
            f"- The curve through the runs predicts {one.name} of runs that are left out "
            f"{one.left_out:.1f} times worse than it should; its uncertainty is enlarged by that."
        )
    if one.emulator_sd > one.sigma:
        yield (
            f"- {one.name} is measured better than the runs tell it: the curve through them is "
            f"uncertain by {one.emulator_sd:.2g}. More runs (next_runs) narrow the result."
        )
