"""What a sweep shows at first sight: the spread of each response, and which factors it follows."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from calibration.sweeps.columns import SweptColumn, factor_columns, response_columns
from calibration.sweeps.store import STATUS, count_statuses
from jaxcontact.simulation.core.status import describe_failures

if TYPE_CHECKING:
    import xarray

SAME, NOTHING = 1e-9, 1e-13
"""Spread of a column, relative to its largest number, below which it is constant; size of numbers
that are zero but for rounding.
"""

FEWEST = 3
"""Variants that tell a rank correlation."""

MOST_FACTORS, LEAST_RANK, NOISE = 3, 0.1, 2.0
"""A line of the table names so many factors, those with the largest rank correlations, of at least
the second number, and of so many standard deviations of one that chance makes.
"""


@dataclasses.dataclass(frozen=True)
class SweptResponse:
    """A response over all variants of which it is known.

    Attributes:
        name: of the column.
        label: in words.
        unit: of the numbers.
        known: number of variants of which it is known.
        least, median, greatest: of these; NaN where there are none.
        ranks: rank correlation (Spearman's) with each factor, from -1 to 1, by name: 1 where a
            larger factor always makes a larger response. Only where both vary.

    Example:
        >>> found = cal.sweeps.SweptResponse(
        ...     name="impact_speed",
        ...     label="approach speed along the normal",
        ...     unit="m/s",
        ...     known=3,
        ...     least=1.0,
        ...     median=1.5,
        ...     greatest=2.0,
        ...     ranks={"position_z": 1.0},
        ... )
        >>> found.is_constant
        False
    """

    name: str
    label: str
    unit: str
    known: int
    least: float
    median: float
    greatest: float
    ranks: Mapping[str, float]

    @property
    def is_constant(self) -> bool:
        """Whether it is the same in all variants."""
        return not _varies(np.array([self.least, self.greatest]))


@dataclasses.dataclass(frozen=True)
class SweepSummary:
    """What a sweep shows at first sight; as text a short table.

    Attributes:
        variants: how many there are.
        factors: names and ranges, as text.
        responses: in the order of the store.
        statuses: how many variants ended in which way.
        failures: a sentence on those that did not succeed; empty where all did.

    Example:
        >>> summary = cal.sweeps.SweepSummary(
        ...     variants=2,
        ...     factors=("position_z from 0.1 to 0.2 m",),
        ...     responses=(),
        ...     statuses={"SUCCESS": 2},
        ...     failures="",
        ... )
        >>> print(summary)
        2 variants of position_z from 0.1 to 0.2 m
    """

    variants: int
    factors: tuple[str, ...]
    responses: tuple[SweptResponse, ...]
    statuses: Mapping[str, int]
    failures: str

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def summarise(swept: "xarray.Dataset") -> SweepSummary:
    """The spread of each response of a sweep, and which factors it follows.

    Args:
        swept: what ``sweep`` returned, or ``xarray.open_zarr`` read.

    Example:
        >>> import tempfile
        >>> contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> swept = cal.sweeps.sweep(
        ...     scene,
        ...     jc.state(position=(0.0, 0.0, 0.3)),
        ...     [cal.sweeps.Range("position_z", 0.2, 0.4)],
        ...     responses=["rebound_speed"],
        ...     duration=0.4,
        ...     method=jc.Impulse(),
        ...     store=tempfile.mkdtemp() + "/drops.zarr",
        ... )
        >>> print(cal.sweeps.summarise(swept))
        10 variants of position_z from 0.2 to 0.4 m
        <BLANKLINE>
        response              known    least   median  greatest  follows
        rebound_speed [m/s]      10    1.503    1.875     2.184  position_z +1.00
    """
    factors, status = factor_columns(swept), swept[STATUS].values
    return SweepSummary(
        int(status.size),
        tuple(_range(column) for column in factors),
        tuple(_response(column, factors) for column in response_columns(swept)),
        count_statuses(status),
        describe_failures(status),
    )


def _range(column: SweptColumn) -> str:
    unit = "" if column.unit == "-" else f" {column.unit}"
    return f"{column.name} from {column.values.min():.4g} to {column.values.max():.4g}{unit}"


def _response(column: SweptColumn, factors: Sequence[SweptColumn]) -> SweptResponse:
    known = np.isfinite(column.values)
    values = column.values[known]
    least, median, greatest = np.quantile(values, (0.0, 0.5, 1.0)) if values.size else 3 * [np.nan]
    ranks = {
        factor.name: rank_correlation(factor.values[known], values)
        for factor in factors
        if values.size >= FEWEST and _varies(values) and _varies(factor.values[known])
    }
    return SweptResponse(
        column.name,
        column.label,
        column.unit,
        int(values.size),
        float(least),
        float(median),
        float(greatest),
        ranks,
    )


def _varies(values: NDArray[np.float64]) -> bool:
    return bool(np.ptp(values) > max(SAME * np.max(np.abs(values)), NOTHING))


def rank_correlation(factor: NDArray[np.float64], response: NDArray[np.float64]) -> float:
    """Spearman's rank correlation of two columns that both vary.

    Args:
        factor: (variants,).
        response: (variants,).
    """
    from scipy.stats import spearmanr  # slow to import, for which help texts do not wait

    return float(spearmanr(factor, response).statistic)


def _lines(summary: SweepSummary) -> Iterator[str]:
    several = len(summary.factors) > 1
    yield f"{summary.variants} variants of" + ("" if several else f" {summary.factors[0]}")
    if several:
        yield from (f"  {factor}" for factor in summary.factors)
    if not summary.responses:
        return
    yield ""
    names = [_named(response) for response in summary.responses]
    wide = max(len(name) for name in ("response", *names))
    head = f"{'known':>6}  {'least':>7}  {'median':>7}  {'greatest':>8}"
    yield f"{'response':{wide}}  {head}  follows"
    for name, response in zip(names, summary.responses, strict=True):
        numbers = (
            f"{response.least:>7.4g}  {response.median:>7.4g}  {response.greatest:>8.4g}"
            if response.known
            else f"{'-':>7}  {'-':>7}  {'-':>8}"
        )
        yield f"{name:{wide}}  {response.known:>6}  {numbers}  {_follows(response)}".rstrip()
    if summary.failures:
        yield from ("", summary.failures)


def _named(response: SweptResponse) -> str:
    return response.name if response.unit == "-" else f"{response.name} [{response.unit}]"


def _follows(response: SweptResponse) -> str:
    chance = NOISE / max(response.known - 1, 1) ** 0.5
    ordered = sorted(response.ranks.items(), key=lambda item: -abs(item[1]))[:MOST_FACTORS]
    return ", ".join(
        f"{last_part(name)} {rank:+.2f}"
        for name, rank in ordered
        if abs(rank) >= min(max(LEAST_RANK, chance), 1.0)
    )


def last_part(name: str) -> str:
    """Of a path its end, ``friction.coefficient``; of a law of the contact the parameter only.

    Args:
        name: of a factor.
    """
    return ".".join(name.split(".")[-2:]).removeprefix("normal.").removeprefix("model.")
