"""The result of a fit as one picture: data, fitted curve, residuals, and the parameters beside
them.
"""

import io
import math
import os
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.report.data_panels import AXIS_COLOUR, draw_data
from calibration.report.drawing import (
    BLUE,
    DARK,
    GREY,
    MEASURED,
    ORANGE,
    PALE,
    PURPLE,
    in_font,
    new_figure,
    pair,
    plain_style,
    shortened,
)
from calibration.report.estimates_figure import columns_estimate, columns_height, draw_columns
from calibration.results import residuals, sentences
from calibration.results.answer import answer
from calibration.results.estimate import Determination, Estimate
from calibration.results.fitted_data import Fitted, FittedRecording, FittedSeries
from calibration.results.numbers import found, has_interval, short_status, unit_of
from calibration.results.summary import FitSummary, spell_summary

MAX_RECORDINGS = 6  # more cannot be read on one page
_PANEL_WIDTH = 2.6  # of the parameters, in inches
_LINE = 0.165  # of the text in that panel, in inches
_LETTERS = 34  # that fit in a line of it
_KEY_LINES = 7  # for the key below it
_TITLE_LETTERS = 11  # of the title in an inch

Drawn = TypeVar("Drawn", FittedRecording, FittedSeries)
DrawCell = Callable[[Axes, Axes], None]  # into a panel and the strip of residuals below it
DrawStrip = Callable[[Figure, SubplotSpec], None]


def fit_figure(fit: FitSummary) -> Figure:
    """Draw a fit.

    For each recording the measured and the fitted position against time, the times of the bounces,
    and below them the residuals in units of sigma with a band of +-2 sigma (in mm where no sigma is
    known). Of more than six recordings the six that are fitted worst are drawn, and the residual
    rms of all. For each column of an impact table the measured values and the model against the
    impact angle, their residuals, and the estimates of each column by itself beside the joint one.
    At the right the parameters.

    Args:
        fit: the result.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import calibration as cal
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> fit = cal.Fit(parameters={restitution.name: restitution}, chi2=1.5, dof=3)
        >>> figure = cal.report.fit_figure(fit)
        >>> len(figure.axes) > 0
        True
    """
    fit = spell_summary(fit, has=in_font())
    shown = worst(fit.recordings, MAX_RECORDINGS)
    drawn: list[Fitted] = [*shown, *worst(fit.series, MAX_RECORDINGS), *fit.columns]
    cells: list[DrawCell] = [partial(draw_data, data=one) for one in drawn]
    strips: list[tuple[float, DrawStrip]] = []
    if len(shown) < len(fit.recordings):
        strips.append((2.0, partial(_draw_sizes, recordings=fit.recordings, shown=shown)))
    if columns_estimate(fit):
        strips.append((columns_height(fit), partial(draw_columns, fit=fit)))
    return _composed(fit, cells, strips)


def save_figure(fit: FitSummary, path: str | os.PathLike[str]) -> None:
    """Write the figure as PNG with 150 dots an inch, as a whole or not at all.

    Args:
        fit: the result.
        path: of the file, ending in ``.png``; its folder must exist.

    Raises:
        InputError: another ending, ``path`` is a folder, or its folder does not exist; or what is
            given is no fit.

    Example:
        >>> import pathlib, tempfile
        >>> import calibration as cal
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> fit = cal.Fit(parameters={restitution.name: restitution}, chi2=1.5, dof=3)
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "fit.png"
        >>> cal.report.save_figure(fit, file)
        >>> file.exists()
        True
    """
    if not isinstance(fit, FitSummary):
        raise InputError(
            f"save_figure: fit is a {type(fit).__name__}, not the result of a fit",
            remedy="Give a fit; a figure writes itself: figure.savefig(path).",
        )
    if Path(path).suffix.lower() != ".png":
        raise InputError(
            "the figure is written as PNG", remedy="Name a file that ends in .png.", path=path
        )
    write_atomically(path, png(fit_figure(fit)))


def png(figure: Figure) -> bytes:
    """The figure as the bytes of a PNG, the same for the same figure.

    Example:
        >>> import calibration as cal
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> fit = cal.Fit(parameters={restitution.name: restitution}, chi2=1.5, dof=3)
        >>> cal.report.png(cal.report.fit_figure(fit))[1:4]
        b'PNG'
    """
    content = io.BytesIO()
    FigureCanvasAgg(figure).print_png(content, metadata={"Software": None})
    return content.getvalue()


def worst(recordings: Sequence[Drawn], most: int) -> list[Drawn]:
    """All up to ``most``, or as many with the largest chi2 per value, worst first."""
    if len(recordings) <= most:
        return list(recordings)
    return sorted(
        recordings,
        key=lambda one: -np.nan_to_num(residuals.chi2_per_value(one), nan=residuals.rms(one)),
    )[:most]


# Composition


def _composed(
    fit: FitSummary, cells: Sequence[DrawCell], strips: Sequence[tuple[float, DrawStrip]]
) -> Figure:
    """Cells in rows of up to three, strips over the full width below them, the parameters at the
    right.
    """
    across = 2 if len(cells) == 4 else min(len(cells), 3)
    down = math.ceil(len(cells) / across) if cells else 0
    cell_width, cell_height = {1: (6.4, 4.8), 2: (4.6, 3.6)}.get(across, (3.7, 3.4))
    heights = [
        height for height in (down * cell_height, *(height for height, _ in strips)) if height > 0
    ]
    lines = _panel_lines(fit)
    size = (
        across * cell_width + _PANEL_WIDTH,
        max(sum(heights), _LINE * (len(lines) + _KEY_LINES)) + 0.6,
    )
    figure = new_figure(*size)
    title = textwrap.wrap(answer(fit), int(_TITLE_LETTERS * size[0]))[:2]
    figure.suptitle(
        "\n".join(title), fontsize=11, fontweight="bold", parse_math=False, x=0.01, ha="left"
    )
    if not heights:
        _draw_panel(figure.add_subplot(), lines, [])
        return figure
    page = figure.add_gridspec(1, 2, width_ratios=[across * cell_width, _PANEL_WIDTH], wspace=0.03)
    rows = page[0].subgridspec(len(heights), 1, height_ratios=heights)
    # one grid for all of them, so that the panels of a row and of a column are as large as each
    # other
    if cells:
        grid = rows[0].subgridspec(2 * down, across, height_ratios=[3, 1.1] * down)
        for index, draw in enumerate(cells):
            row, column = divmod(index, across)
            draw(*pair(figure, grid[2 * row, column], grid[2 * row + 1, column]))
    for index, (_, draw_strip) in enumerate(strips, start=len(heights) - len(strips)):
        draw_strip(figure, rows[index])
    _draw_panel(figure.add_subplot(page[1]), lines, _key(fit))
    return figure


def _key(fit: FitSummary) -> list[Line2D | Patch]:
    """What the signs mean, for two columns that are filled one after the other: measured and
    bounce, fitted and band.
    """
    axes = [axis for axis in AXIS_COLOUR if any(axis in one.axes for one in fit.recordings)]
    names = (
        {axis: f" {axis}" for axis in axes} if len(axes) > 1 else dict.fromkeys(axes or ["z"], "")
    )
    measured = [Line2D([], [], color=MEASURED, marker="o", mew=0, ls="", ms=4, label="measured")]
    fitted: list[Line2D | Patch] = [
        Line2D([], [], color=AXIS_COLOUR[axis], lw=1.6, label=f"fitted{names[axis]}")
        for axis in names
    ]
    bounce = [Line2D([], [], color=PURPLE, marker="^", ls=":", lw=0.8, ms=4, label="bounce")]
    band: list[Line2D | Patch] = [Patch(facecolor=PALE, label="±2 sigma")]
    if any(one.counted is not None and not one.counted.all() for one in fit.columns):
        band.append(Line2D([], [], color=GREY, marker="x", ls="", ms=4, label="set aside"))
    if any(len(one.bounce_times) for one in fit.recordings):
        return [*measured, *bounce, *fitted, *band]
    if any(len(one.contact_times) for one in fit.series):
        bounce[0].set_label("collision")
        return [*measured, *bounce, *fitted, *band]
    return [*measured, *band, *fitted]


# The parameters


def _panel_lines(fit: FitSummary) -> list[tuple[str, str, bool]]:
    """The lines of the panel: text, colour, bold."""
    lines: list[tuple[str, str, bool]] = []

    def add(text: str, colour: str = DARK, *, bold: bool = False) -> None:
        lines.extend(
            (part, colour, bold) for part in textwrap.wrap(text, _LETTERS - 4 * bold) or [""]
        )

    for name, text in sentences.titles(fit).items():
        estimate = fit.parameters[name]
        add(text, GREY)
        add(*_printed(estimate), bold=not estimate.status.withdrawn)
        lines.append(("", DARK, False))
    add(
        sentences.sentence(sentences.misfit(fit)),
        DARK if fit.explained else ORANGE,
        bold=not fit.explained,
    )
    if not fit.converged:
        add(sentences.sentence(sentences.convergence(fit)), ORANGE, bold=True)
    for clause in sentences.contradictions(fit):
        add(sentences.capitalised(clause), ORANGE)
    return lines


def _printed(estimate: Estimate) -> tuple[str, str]:
    """The value with its standard error and unit, or why there is none; and the colour that this
    deserves.
    """
    number = " ".join((found(estimate, plus_minus="±"), unit_of(estimate))).strip()
    if has_interval(estimate):
        return number, DARK
    if found(estimate) == "-":
        return short_status(estimate), ORANGE
    return (
        f"{number}  ({short_status(estimate)})",
        GREY if estimate.status is Determination.FIXED else ORANGE,
    )


def _draw_panel(
    axes: Axes, lines: Sequence[tuple[str, str, bool]], key: list[Line2D | Patch]
) -> None:
    axes.set_axis_off()
    if key:
        axes.legend(
            handles=key, loc="lower left", fontsize=8, frameon=False, borderaxespad=0, ncols=2
        )
    for index, (text, colour, bold) in enumerate(lines):
        axes.annotate(
            text,
            (0.0, 1.0),
            xytext=(0, -72 * _LINE * index),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            color=colour,
            fontsize=9,
            fontweight="bold" if bold else "normal",
            parse_math=False,
            annotation_clip=False,
        ).set_in_layout(False)


# All recordings


def _draw_sizes(
    figure: Figure,
    place: SubplotSpec,
    *,
    recordings: Sequence[FittedRecording],
    shown: Sequence[FittedRecording],
) -> None:
    """Residual rms of every recording; filled for those that are drawn above."""
    axes = figure.add_subplot(place)
    size = 1e3 * np.array([residuals.rms(one) for one in recordings])
    number = np.arange(1, len(recordings) + 1)
    drawn = np.array([any(one is other for other in shown) for one in recordings])
    axes.vlines(number, 0, size, color=PALE, lw=1.5, zorder=1)
    axes.plot(number[drawn], size[drawn], "o", color=BLUE, ms=5, ls="", label="drawn above")
    axes.plot(number[~drawn], size[~drawn], "o", mec=BLUE, mfc="white", ms=5, ls="", label="others")
    axes.axhline(
        float(np.nanmedian(size)) if np.isfinite(size).any() else 0.0,
        color=GREY,
        lw=0.8,
        ls="--",
        label="median",
    )
    if len(recordings) <= 40:
        axes.set_xticks(
            number,
            [shortened(one.name, 16) for one in recordings],
            rotation=60,
            ha="right",
            rotation_mode="anchor",
            parse_math=False,
        )
    else:
        axes.set_xlabel("number of the recording", fontsize=9)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("residual rms [mm]", fontsize=9)
    axes.set_title(
        f"All {len(recordings)} recordings (above: the {len(shown)} with the largest chi2)",
        fontsize=9,
        loc="left",
    )
    axes.legend(
        fontsize=8,
        frameon=False,
        ncols=3,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0,
    )
    plain_style(axes)
