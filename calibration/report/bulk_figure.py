"""Coefficients from bulk experiments as a picture: what agrees, within the ranges of the runs."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibration.bulk.calibrated import BulkCalibration
from calibration.bulk.runs import Runs
from calibration.report.drawing import BLUE, GREY, ORANGE, new_figure, plain_style

_MOST_POINTS = 1500


def bulk_figure(found: BulkCalibration, runs: Runs) -> Figure:
    """Draw coefficients against each other: the runs as crosses, what agrees with the measurements
    as points, further runs that would tell most as rings; on the diagonal how often each value
    agrees. Where nothing does there are only the runs.

    Args:
        found: of ``runs``.
        runs: the table.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> friction = np.linspace(0.1, 0.9, 10)
        >>> runs = cal.bulk.Runs({"friction": friction}, {"angle": 20.0 + 15.0 * friction})
        >>> found = cal.bulk.calibrate(runs, [cal.bulk.Measured("angle", 27.0, 0.5)])
        >>> len(cal.report.bulk_figure(found, runs).axes)
        1
    """
    count = len(found.coefficients)
    figure = new_figure(2.2 + 2.4 * count, 1.4 + 2.4 * count)
    grid = figure.subplots(count, count, squeeze=False)
    for row, of_row in enumerate(found.coefficients):
        for column, of_column in enumerate(found.coefficients):
            axes = grid[row, column]
            if column > row:
                axes.set_axis_off()
                continue
            plain_style(axes)
            axes.set_xscale("log" if of_column.by_logarithm else "linear")
            axes.set_xlim(of_column.range)
            if column == row:
                if found.explained:
                    spaced = np.geomspace if of_row.by_logarithm else np.linspace
                    axes.hist(found.draws[:, row], bins=spaced(*of_row.range, 41), color=BLUE)
                axes.set_yticks([])
            else:
                _draw_pair(axes, found, runs.inputs, column, row)
                axes.set_yscale("log" if of_row.by_logarithm else "linear")
                axes.set_ylim(of_row.range)
            if row == count - 1:
                axes.set_xlabel(of_column.name.replace("_", " "), fontsize=9, parse_math=False)
            if column == 0 and row > 0:
                axes.set_ylabel(of_row.name.replace("_", " "), fontsize=9, parse_math=False)
    if not found.explained:
        figure.suptitle("no coefficients within the runs agree", fontsize=9)
    elif count > 1:
        _label(grid[0, 1])
    return figure


def _draw_pair(
    axes: Axes, found: BulkCalibration, inputs: np.ndarray, column: int, row: int
) -> None:
    axes.plot(inputs[:, column], inputs[:, row], "x", ms=4, color=GREY, zorder=3, clip_on=False)
    if not found.explained:
        return
    some = found.draws[:: max(len(found.draws) // _MOST_POINTS, 1)]
    axes.plot(some[:, column], some[:, row], ".", ms=2, color=BLUE, mew=0, zorder=2)
    rings = found.next_runs
    axes.plot(
        rings[:, column], rings[:, row], "o", ms=5, mfc="none", mec=ORANGE, zorder=4, clip_on=False
    )


def _label(axes: Axes) -> None:
    """What the signs mean, in an empty corner."""
    axes.plot([], [], ".", ms=6, color=BLUE, label="agrees with the measurements")
    axes.plot([], [], "x", ms=5, color=GREY, label="runs")
    axes.plot([], [], "o", ms=5, mfc="none", mec=ORANGE, label="further runs that tell most")
    axes.legend(loc="center", fontsize=8, frameon=False)
