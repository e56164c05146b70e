"""A sweep as a picture: each response against each factor."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from calibration.report.drawing import BLUE, GREY, ORANGE, new_figure, plain_style, with_unit
from calibration.sweeps.columns import SweptColumn, factor_columns, response_columns
from calibration.sweeps.factors import LOGARITHMIC
from calibration.sweeps.summary import SweptResponse, last_part, summarise

if TYPE_CHECKING:
    import xarray

_MOST_ROWS, _MOST_COLUMNS = 5, 5
_PIECES, _FEWEST = 12, 5
"""Pieces of a range whose medians are drawn, and variants that a median needs."""

_MANY = 300  # variants, from which on the points are drawn smaller

_MOST_POINTS = 5_000
"""Points of a panel: of more, the picture would show their outline only, after half a minute."""


def response_figure(swept: "xarray.Dataset") -> Figure:
    """Draw a sweep.

    A row of panels for each response that varies, a column for each factor: every variant is a
    point (of more than 5000 variants, as many drawn by lot), the line joins medians of all over
    pieces of the range. Above each panel stands the rank correlation. Of more than five responses
    the first five are drawn, of more than five factors those that some response follows most.

    Args:
        swept: what ``calibration.sweeps.sweep`` returned, or ``xarray.open_zarr`` read.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import tempfile
        >>> contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
        >>> scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.0027), contact=contact)
        >>> swept = cal.sweeps.sweep(
        ...     scene,
        ...     jc.state(position=(0.0, 0.0, 0.3)),
        ...     [cal.sweeps.Range("position_z", 0.2, 0.4)],
        ...     responses=["impact_speed", "rebound_speed"],
        ...     duration=0.4,
        ...     method=jc.Impulse(),
        ...     store=tempfile.mkdtemp() + "/drops.zarr",
        ... )
        >>> len(cal.report.response_figure(swept).axes)
        2
    """
    summary = summarise(swept)
    varying = [
        (column, found)
        for column, found in zip(response_columns(swept), summary.responses, strict=True)
        if found.known and not found.is_constant
    ]
    rows = varying[:_MOST_ROWS]
    factors = _strongest(factor_columns(swept), [found for _, found in rows])
    down, across = max(len(rows), 1), max(len(factors), 1)
    figure = new_figure(max(2.7 * across, 4.2), 2.3 * down + 0.5)
    figure.suptitle(_title(summary.variants, len(varying) - len(rows)), fontsize=9)
    if not rows:
        figure.add_subplot().axis("off")
    for row, (column, found) in enumerate(rows):
        for place, factor in enumerate(factors):
            axes = figure.add_subplot(down, across, row * across + place + 1)
            _draw(axes, factor, column, found)
            if place == 0:
                axes.set_ylabel(_titled(column), parse_math=False, fontsize=8)
            if row == down - 1:
                axes.set_xlabel(_titled(factor), parse_math=False, fontsize=8)
    return figure


def _strongest(factors: list[SweptColumn], responses: list[SweptResponse]) -> list[SweptColumn]:
    """The factors that some response follows most, in their order."""

    def strength(factor: SweptColumn) -> float:
        return max((abs(one.ranks.get(factor.name, 0.0)) for one in responses), default=0.0)

    kept = {factor.name for factor in sorted(factors, key=strength)[-_MOST_COLUMNS:]}
    return [factor for factor in factors if factor.name in kept]


def _title(variants: int, left_out: int) -> str:
    title = f"{variants} variants"
    if variants > _MOST_POINTS:
        title += f", {_MOST_POINTS} of them as points"
    if left_out:
        title += f"; {left_out} more response{'s' if left_out > 1 else ''} in the store"
    return title


def _titled(column: SweptColumn) -> str:
    """The name, of a path its end, and the unit."""
    return with_unit(last_part(column.name), column.unit)


def _draw(axes: Axes, factor: SweptColumn, response: SweptColumn, found: SweptResponse) -> None:
    known = np.isfinite(response.values)
    x, y = factor.values[known], response.values[known]
    size, opacity = (4, 0.35) if x.size >= _MANY else (14, 0.7)
    points = _lot(x.size)
    axes.scatter(x[points], y[points], s=size, color=BLUE, alpha=opacity, lw=0, rasterized=True)
    if factor.scale == LOGARITHMIC:
        axes.set_xscale("log")
    axes.plot(*_medians(x, y), color=ORANGE, lw=1.4)
    rank = found.ranks.get(factor.name)
    if rank is not None:
        axes.set_title(f"rank correlation {rank:+.2f}", fontsize=8, color=GREY)
    plain_style(axes)


def _lot(count: int) -> NDArray[np.int_]:
    """Which of ``count`` variants are points, the same each time. Every so many of a grid would
    show some of its levels only.
    """
    if count <= _MOST_POINTS:
        return np.arange(count)
    return np.random.default_rng(0).choice(count, _MOST_POINTS, replace=False)


def _medians(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Medians of both over pieces with about as many variants; over the levels where there are
    few.
    """
    levels, piece = np.unique(x, return_inverse=True)
    if levels.size > _PIECES:
        rank = np.argsort(np.argsort(x, kind="stable"), kind="stable")
        piece = rank * _PIECES // x.size
    pieces = [piece == number for number in np.unique(piece)]
    enough = [one for one in pieces if np.sum(one) >= min(_FEWEST, x.size // len(pieces))]
    return (
        np.array([np.median(x[one]) for one in enough]),
        np.array([np.median(y[one]) for one in enough]),
    )
