"""Estimates side by side: of each column of an impact table, of each recording, of each impact."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from calibration.report.drawing import BLUE, DARK, PALE, in_font, new_figure, plain_style
from calibration.results import sentences
from calibration.results.estimate import Estimate
from calibration.results.numbers import has_interval, short_status
from calibration.results.summary import FitSummary, spell_summary


def columns_figure(fit: FitSummary) -> Figure:
    """What each column of an impact table says by itself, beside the joint estimate: one panel a
    parameter, bars of one standard error.

    Args:
        fit: the result of an impact table.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import calibration as cal
        >>> len(cal.report.columns_figure(cal.Fit(parameters={})).axes)
        0
    """
    fit = spell_summary(fit, has=in_font())
    names = columns_estimate(fit)
    figure = new_figure(4.0, 0.5 + len(names) * columns_height(fit))
    for index, name in enumerate(names):
        _draw_parameter(figure.add_subplot(len(names), 1, index + 1), fit, name, labelled=True)
    return figure


def columns_estimate(fit: FitSummary) -> list[str]:
    """The parameters that at least one column determines by itself."""
    return [
        name
        for name in fit.parameters
        if any(name in one.alone and has_interval(one.alone[name]) for one in fit.columns)
    ]


def columns_height(fit: FitSummary) -> float:
    """Of one parameter's panel, in inches."""
    return 0.9 + 0.28 * (1 + len(fit.columns))


def draw_columns(figure: Figure, place: SubplotSpec, *, fit: FitSummary) -> None:
    """One panel a parameter, side by side: each column's own estimate, and the joint one as a line
    with its band.
    """
    names = columns_estimate(fit)
    first: Axes | None = None
    grid = place.subgridspec(1, len(names))
    for index, name in enumerate(names):
        axes = figure.add_subplot(grid[index], sharey=first)
        _draw_parameter(axes, fit, name, labelled=first is None)
        if first is None:
            axes.set_title(
                "Estimates from each column alone (±1 standard error; band: all together)",
                fontsize=9,
                loc="left",
            )
        first = first or axes


def _draw_parameter(axes: Axes, fit: FitSummary, name: str, *, labelled: bool) -> None:
    joint = fit.parameters[name]
    rows = ["all together", *(sentences.without_unit(column.label) for column in fit.columns)]
    if has_interval(joint):
        axes.axvspan(joint.value - joint.sd, joint.value + joint.sd, color=PALE, lw=0, zorder=0)
    estimates = [joint, *(column.alone.get(name) for column in fit.columns)]
    for row, estimate in enumerate(estimates):
        _draw_estimate(axes, row, estimate, colour=DARK if row == 0 else BLUE)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), rows, parse_math=False)
    axes.tick_params(axis="y", length=0, labelleft=labelled)
    axes.set_xlabel(
        f"{sentences.titles(fit)[name]} [{joint.unit or '-'}]", fontsize=9, parse_math=False
    )
    axes.margins(x=0.12)
    axes.locator_params(axis="x", nbins=5)
    plain_style(axes)


def _draw_estimate(axes: Axes, row: int, estimate: Estimate | None, *, colour: str) -> None:
    if estimate is not None and has_interval(estimate):
        marker = "D" if row == 0 else "o"
        axes.errorbar(
            estimate.value,
            row,
            xerr=estimate.sd,
            fmt=marker,
            color=colour,
            ms=5,
            capsize=3,
            elinewidth=1.4,
        )
    else:
        text = "not determined" if estimate is None else short_status(estimate)
        axes.text(
            0.5,
            row,
            text,
            transform=axes.get_yaxis_transform(),
            ha="center",
            va="center",
            fontsize=8,
            color=DARK,
        )
