"""Runs of a simulation: coefficients that went in, quantities that came out."""

import dataclasses
import os
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.bulk.measured import LARGEST
from calibration.errors import InputError
from calibration.io.tables import read_table
from jaxcontact.parameters import nearest

Floats = NDArray[np.float64]

MOST_COEFFICIENTS = 5
"""Points are spread over all of them at once, which more would thin out."""

LEAST_RUNS = 10
"""Runs for each coefficient (Loeppky, Sacks and Welch, Technometrics 51 (2009) 366-376). With six
for one coefficient, 95 % intervals held the truth in 89 % of 150 experiments, with ten in 95 %.
"""

LEAST_SPAN = 5.0
"""Ratio of the ends of a range from which on it may be one of the logarithm."""


@dataclasses.dataclass(frozen=True, eq=False)
class Runs:
    """A table of runs.

    Args:
        coefficients: by name, what was varied (runs,).
        quantities: by name, what each run showed (runs,), NaN where it did not.

    Raises:
        InputError: columns of unequal lengths, a coefficient that is not finite or never varied,
            numbers from 1e100 on, too few runs, too many coefficients.

    Example:
        >>> friction = np.linspace(0.1, 0.9, 10)
        >>> runs = cal.bulk.Runs({"friction": friction}, {"angle": 20.0 + 15.0 * friction})
        >>> runs.inputs.shape
        (10, 1)
    """

    coefficients: Mapping[str, Floats]
    quantities: Mapping[str, Floats]

    def __post_init__(self) -> None:
        for which, given in (("coefficients", self.coefficients), ("quantities", self.quantities)):
            columns = {name: np.asarray(one, dtype=float) for name, one in given.items()}
            object.__setattr__(self, which, columns)
        _check(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients."""
        return tuple(self.coefficients)

    @property
    def inputs(self) -> Floats:
        """Coefficients (runs, k)."""
        return np.column_stack(list(self.coefficients.values()))

    @property
    def by_logarithm(self) -> NDArray[np.bool_]:
        """Whether the runs spread each coefficient (k,) over decades; then they lie more evenly
        between both ends by its logarithm than by itself.
        """
        return np.array([_spread_by_logarithm(one) for one in self.coefficients.values()])

    def output(self, name: str) -> Floats:
        """A quantity (runs,).

        Raises:
            InputError: there is none of that name, too few runs know it, or a coefficient is the
                same in those.
        """
        if name not in self.quantities:
            raise InputError(
                f"the runs have no quantity {name!r}; they have {', '.join(self.quantities)}",
                remedy=f"Name a column of the runs.{nearest(name, self.quantities)}",
            )
        found = self.quantities[name]
        seen = np.isfinite(found)
        _check_number(int(np.sum(seen)), len(self.names), f"runs that show {name}")
        for coefficient, values in self.coefficients.items():
            _check_varied(coefficient, values[seen], f"runs that show {name}")
        return found


def read_runs(
    path: str | os.PathLike[str], coefficients: Sequence[str], quantities: Sequence[str]
) -> Runs:
    r"""A table of runs from a file: a row for each, a column for each coefficient and quantity.

    Args:
        path: CSV and the like, or a spreadsheet.
        coefficients: names of the columns of what was varied.
        quantities: names of the columns of what was seen; an empty cell is a run that did not show
            it. Other columns are left alone.

    Raises:
        InputError: a column that is not there, is named twice (in another case or with its unit,
            too) or holds no numbers; as of ``Runs``.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "runs.csv"
        >>> rows = [f"{0.1 * k:.1f},{20.0 + k}" for k in range(10)]
        >>> _ = path.write_text("\n".join(["friction,angle", *rows]))
        >>> len(cal.bulk.read_runs(path, ["friction"], ["angle"]).output("angle"))
        10
    """
    names = [*coefficients, *quantities]
    table = read_table(path)
    headers = {name: table.find(name) for name in names}
    found = [headers[name].text for name in names]
    twice = sorted({text for text in found if found.count(text) > 1})
    if twice:
        raise InputError(
            f"{', '.join(twice)} is named twice",
            remedy="A column is a coefficient or a quantity, and named once.",
        )
    columns = {name: table.column(header) for name, header in headers.items()}
    return Runs(
        {name: columns[name] for name in coefficients}, {name: columns[name] for name in quantities}
    )


def _spread_by_logarithm(values: Floats) -> bool:
    if np.min(values) <= 0.0 or np.max(values) < LEAST_SPAN * np.min(values):
        return False
    plain, logarithms = (_unevenness(one) for one in (values, np.log(values)))
    return plain > 2.0 * logarithms


def _unevenness(values: Floats) -> float:
    """Largest distance of their distribution from an even one (Kolmogorov's)."""
    at = np.sort((values - np.min(values)) / np.ptp(values))
    return float(np.max(np.abs(at - np.linspace(0.0, 1.0, len(at)))))


def _check(runs: Runs) -> None:
    if not runs.coefficients or not runs.quantities:
        raise InputError(
            f"{len(runs.coefficients)} coefficients, {len(runs.quantities)} quantities are named",
            remedy="Name at least one column of what was varied and one of what was seen.",
        )
    if len(runs.coefficients) > MOST_COEFFICIENTS:
        raise InputError(
            f"{len(runs.coefficients)} coefficients are varied, at most {MOST_COEFFICIENTS} can be",
            remedy="Leave those at one value that the quantities hardly follow.",
        )
    lengths = {name: len(one) for name, one in {**runs.coefficients, **runs.quantities}.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(
            f"the columns of the runs have unequal lengths: {lengths}",
            remedy="Give every run one value in each; NaN for a quantity that it did not show.",
        )
    for name, values in {**runs.coefficients, **runs.quantities}.items():
        if np.any(np.abs(values) >= LARGEST):
            raise InputError(
                f"{name} of run {int(np.argmax(np.abs(values) >= LARGEST)) + 1} is no number that "
                f"can be computed with (below {LARGEST:.0e})",
                remedy="Leave out what a run did not show.",
            )
    for name, values in runs.coefficients.items():
        if not np.all(np.isfinite(values)):
            row = int(np.argmin(np.isfinite(values)))
            raise InputError(
                f"the coefficient {name} of run {row + 1} is {values[row]}",
                remedy="Say what went into each run.",
            )
        _check_varied(name, values, "runs")
    _check_number(len(next(iter(runs.coefficients.values()))), len(runs.names), "runs")


def _check_varied(name: str, values: Floats, what: str) -> None:
    if not np.ptp(values) > 1e-9 * np.max(np.abs(values), initial=1e-300):
        raise InputError(
            f"the coefficient {name} is the same in all {what}",
            remedy="Leave it out, or run over a range of it.",
        )


def _check_number(found: int, coefficients: int, what: str) -> None:
    least = LEAST_RUNS * coefficients
    if found < least:
        raise InputError(
            f"{found} {what} are too few for {coefficients} coefficients",
            remedy=f"Make {least} at least, spread over all ranges at once: "
            'cal.sweeps.Design("sobol", number=32) lists such ones.',
        )
