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
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.gridspec import SubplotSpec
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.results import residuals, sentences
from calibration.results.estimate import Determination, Estimate
from calibration.results.findings import findings_of
from calibration.results.fitted_data import FittedColumn, FittedRecording, FittedSeries
from calibration.results.numbers import found, has_interval, short_status, unit_of
from calibration.results.summary import FitSummary, spell_summary

MAX_RECORDINGS = 6  # more cannot be read on one page
_DPI = 150
_PANEL_WIDTH = 3.5  # of the parameters, in inches
_LINE = 0.165  # of the text in that panel, in inches
_LETTERS = 46  # that fit in a line of it
_KEY_LINES = 7  # for the key below it
_TITLE_LETTERS = 11  # of the title in an inch
_LABEL_LETTERS = 28  # of the label of an axis in a line
_MAX_REMARKS = 3
_MANY = 400  # samples, from which on the points are drawn smaller
_BRIEF = 0.05  # times in seconds, below which they are shown in milliseconds
_MANY_BOUNCES = 30  # more have no line, only the triangle

# Okabe and Ito's colours, which people who do not see red and green apart can tell from each other.
_BLUE, _ORANGE, _GREEN, _PURPLE = "#0072B2", "#D55E00", "#009E73", "#AA4499"
_GREY, _PALE, _DARK = "#777777", "#D9D9D9", "#222222"
_AXIS_COLOUR = {"z": _BLUE, "x": _ORANGE, "y": _GREEN}
_AXIS_MARKER = {"z": "o", "x": "s", "y": "^"}

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
    fit = spell_summary(fit, has=_in_font())
    shown = _worst(fit.recordings)
    cells: list[DrawCell] = [partial(_draw_recording, recording=one) for one in shown]
    cells += [partial(_draw_series, series=one) for one in _worst(fit.series)]
    cells += [partial(_draw_column, column=one) for one in fit.columns]
    strips: list[tuple[float, DrawStrip]] = []
    if len(shown) < len(fit.recordings):
        strips.append((2.0, partial(_draw_sizes, recordings=fit.recordings, shown=shown)))
    if _columns_estimate(fit):
        strips.append((0.9 + 0.28 * (1 + len(fit.columns)), partial(_draw_estimates, fit=fit)))
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


def _worst(recordings: Sequence[Drawn]) -> list[Drawn]:
    """Those that are drawn: all up to six, or the six with the largest chi2 per value, worst
    first.
    """
    if len(recordings) <= MAX_RECORDINGS:
        return list(recordings)
    return sorted(
        recordings,
        key=lambda one: -np.nan_to_num(residuals.chi2_per_value(one), nan=residuals.rms(one)),
    )[:MAX_RECORDINGS]


def _columns_estimate(fit: FitSummary) -> list[str]:
    """The parameters that at least one column determines by itself."""
    return [
        name
        for name in fit.parameters
        if any(name in one.alone and has_interval(one.alone[name]) for one in fit.columns)
    ]


# The page


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
    figure = Figure(figsize=size, dpi=_DPI, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    title = textwrap.wrap(fit.model, int(_TITLE_LETTERS * size[0]))[:2]
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
            draw(*_pair(figure, grid[2 * row, column], grid[2 * row + 1, column]))
    for index, (_, draw_strip) in enumerate(strips, start=len(heights) - len(strips)):
        draw_strip(figure, rows[index])
    _draw_panel(figure.add_subplot(page[1]), lines, _key(fit))
    return figure


def _key(fit: FitSummary) -> list[Line2D | Patch]:
    """What the signs mean, for two columns that are filled one after the other: measured and
    bounce, fitted and band.
    """
    axes = [axis for axis in _AXIS_COLOUR if any(axis in one.axes for one in fit.recordings)]
    names = (
        {axis: f" {axis}" for axis in axes} if len(axes) > 1 else dict.fromkeys(axes or ["z"], "")
    )
    measured = [
        Line2D(
            [],
            [],
            color=_GREY,
            marker=_AXIS_MARKER[axis],
            mfc="none",
            ls="",
            ms=4,
            label=f"measured{names[axis]}",
        )
        for axis in names
    ]
    fitted: list[Line2D | Patch] = [
        Line2D([], [], color=_AXIS_COLOUR[axis], lw=1.6, label=f"fitted{names[axis]}")
        for axis in names
    ]
    bounce = [Line2D([], [], color=_PURPLE, marker="^", ls=":", lw=0.8, ms=4, label="bounce")]
    band: list[Line2D | Patch] = [Patch(facecolor=_PALE, label="±2 sigma")]
    if any(one.counted is not None and not one.counted.all() for one in fit.columns):
        band.append(Line2D([], [], color=_GREY, marker="x", ls="", ms=4, label="set aside"))
    if any(len(one.bounce_times) for one in fit.recordings):
        return [*measured, *bounce, *fitted, *band]
    if any(len(one.contact_times) for one in fit.series):
        bounce[0].set_label("collision")
        return [*measured, *bounce, *fitted, *band]
    return [*measured, *band, *fitted]


def _look(axis: str) -> tuple[str, str]:
    return _AXIS_COLOUR.get(axis, _BLUE), _AXIS_MARKER.get(axis, "o")


# The parameters


def _panel_lines(fit: FitSummary) -> list[tuple[str, str, bool]]:
    """The lines of the panel: text, colour, bold."""
    lines: list[tuple[str, str, bool]] = []

    def add(text: str, colour: str = _DARK, *, bold: bool = False) -> None:
        lines.extend(
            (part, colour, bold) for part in textwrap.wrap(text, _LETTERS - 4 * bold) or [""]
        )

    for name, text in sentences.titles(fit).items():
        estimate = fit.parameters[name]
        add(text, _GREY)
        add(*_printed(estimate), bold=not estimate.status.withdrawn)
        if estimate.note:
            add(sentences.sentence(estimate.note), _GREY)
        lines.append(("", _DARK, False))
    add(
        sentences.sentence(sentences.misfit(fit)),
        _DARK if fit.explained else _ORANGE,
        bold=not fit.explained,
    )
    if not fit.converged:
        add(sentences.sentence(sentences.convergence(fit)), _ORANGE, bold=True)
    for clause in sentences.contradictions(fit):
        add(sentences.capitalised(clause), _ORANGE)
    remarks = findings_of(fit)
    for text in remarks[:_MAX_REMARKS]:
        lines.append(("", _DARK, False))
        add(text)
    if len(remarks) > _MAX_REMARKS:
        add(f"and {len(remarks) - _MAX_REMARKS} more")
    return lines


def _printed(estimate: Estimate) -> tuple[str, str]:
    """The value with its standard error and unit, or why there is none; and the colour that this
    deserves.
    """
    number = " ".join((found(estimate, plus_minus="±"), unit_of(estimate))).strip()
    if has_interval(estimate):
        return number, _DARK
    if found(estimate) == "-":
        return short_status(estimate), _ORANGE
    return (
        f"{number}  ({short_status(estimate)})",
        _GREY if estimate.status is Determination.FIXED else _ORANGE,
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


# Recordings


def _draw_recording(above: Axes, below: Axes, *, recording: FittedRecording) -> None:
    time = recording.time
    values, label = _residual(recording)
    for index, axis in enumerate(recording.axes):
        colour, marker = _look(axis)
        size = 3.0 if len(time) <= _MANY else 1.5
        above.plot(
            time,
            recording.measured[:, index],
            marker,
            mfc="none",
            mec=_GREY,
            mew=0.7,
            ms=size,
            ls="",
            zorder=2,
        )
        above.plot(time, recording.predicted[:, index], color=colour, lw=1.3, zorder=3)
        below.plot(
            time, values[:, index], marker, color=colour, ms=0.7 * size, ls="", alpha=0.8, zorder=3
        )
    _finish_residuals(below, values, label)
    for axes in (above, below):
        _mark_bounces(axes, recording.bounce_times, time, symbol=axes is above)
    above.set_ylabel(
        "height z [m]" if recording.axes == ("z",) else f"position {', '.join(recording.axes)} [m]",
        fontsize=9,
    )
    below.set_xlabel("time [s]", fontsize=9)
    above.set_title(_recording_title(recording), fontsize=9, loc="left", parse_math=False)


def _recording_title(recording: FittedRecording) -> str:
    parts = [_shortened(recording.name, 18), f"rms {sentences.metres(residuals.rms(recording))}"]
    chi2 = residuals.chi2_per_value(recording)
    if math.isfinite(chi2):
        parts.append(f"chi2/n {chi2:.2g}")
    return ",  ".join(parts)


def _mark_bounces(axes: Axes, moments: np.ndarray, time: np.ndarray, *, symbol: bool) -> None:
    """A dotted line at each bounce within the recording, and a triangle at the lower edge."""
    inside = np.array([moment for moment in moments if time[0] <= moment <= time[-1]])
    if not inside.size:  # the extent of nothing would enter the layout
        return
    where = axes.get_xaxis_transform()
    if inside.size <= _MANY_BOUNCES:
        axes.vlines(
            inside, 0, 1, transform=where, color=_PURPLE, lw=0.7, ls=":", alpha=0.7, zorder=1
        )
    if symbol:
        axes.plot(
            inside,
            np.zeros_like(inside),
            "^",
            transform=where,
            color=_PURPLE,
            ms=4,
            ls="",
            clip_on=False,
            zorder=4,
        )


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
    axes.vlines(number, 0, size, color=_PALE, lw=1.5, zorder=1)
    axes.plot(number[drawn], size[drawn], "o", color=_BLUE, ms=5, ls="", label="drawn above")
    axes.plot(
        number[~drawn], size[~drawn], "o", mec=_BLUE, mfc="white", ms=5, ls="", label="others"
    )
    axes.axhline(
        float(np.nanmedian(size)) if np.isfinite(size).any() else 0.0,
        color=_GREY,
        lw=0.8,
        ls="--",
        label="median",
    )
    if len(recordings) <= 40:
        axes.set_xticks(
            number,
            [_shortened(one.name, 16) for one in recordings],
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
    _plain_style(axes)


# Columns of an impact table


def _draw_series(above: Axes, below: Axes, *, series: FittedSeries) -> None:
    values, label = _residual(series)
    short = series.abscissa_label == "time [s]" and np.ptp(series.abscissa) < _BRIEF
    abscissa = 1e3 * series.abscissa if short else series.abscissa
    for index, quantity in enumerate(series.labels):
        colour = (_BLUE, _ORANGE, _GREEN)[index % 3]
        size = 3.0 if len(series.abscissa) <= _MANY else 1.5
        above.plot(
            abscissa,
            series.measured[:, index],
            "o",
            mfc="none",
            mec=_GREY,
            mew=0.7,
            ms=size,
            ls="",
            zorder=2,
        )
        above.plot(
            abscissa, series.predicted[:, index], color=colour, lw=1.3, zorder=3, label=quantity
        )
        below.plot(
            abscissa, values[:, index], "o", color=colour, ms=0.7 * size, ls="", alpha=0.8, zorder=3
        )
    _finish_residuals(below, values, label)
    if len(series.labels) > 1:
        above.legend(fontsize=7, frameon=False)
    moments = 1e3 * series.contact_times if short else series.contact_times
    for axes in (above, below):
        _mark_bounces(axes, moments, abscissa, symbol=axes is above)
    above.set_ylabel(
        series.labels[0] if len(series.labels) == 1 else "measured", fontsize=9, parse_math=False
    )
    below.set_xlabel("time [ms]" if short else series.abscissa_label, fontsize=9)
    above.set_title(_shortened(series.name, 26), fontsize=9, loc="left", parse_math=False)


def _draw_column(above: Axes, below: Axes, *, column: FittedColumn) -> None:
    sigma = np.where(np.isfinite(column.sigma), column.sigma, 0.0)
    above.errorbar(
        column.angle,
        column.measured,
        yerr=sigma,
        fmt="o",
        mfc="white",
        mec=_GREY,
        ecolor=_GREY,
        ms=4,
        mew=0.8,
        elinewidth=0.9,
        capsize=2,
        zorder=2,
    )
    above.plot(column.curve_angle, column.curve, color=_BLUE, lw=1.6, zorder=3)
    values, label = _residual(column)
    counted = np.ones(len(values), dtype=bool) if column.counted is None else column.counted
    below.plot(column.angle[counted], values[counted], "o", color=_BLUE, ms=3.5, ls="", zorder=3)
    _finish_residuals(below, values[counted], label)
    _draw_set_aside(below, column.angle[~counted], values[~counted])
    above.set_ylabel(
        "\n".join(textwrap.wrap(column.label, _LABEL_LETTERS)), fontsize=9, parse_math=False
    )
    below.set_xlabel("impact angle from the normal [deg]", fontsize=9)
    above.set_title(
        f"chi2 {column.chi2:.3g} of {residuals.used(column)} values", fontsize=9, loc="left"
    )


def _draw_set_aside(axes: Axes, angle: np.ndarray, values: np.ndarray) -> None:
    """Grey crosses, and at the edge triangles for those that lie beyond it."""
    edge = 0.88 * axes.get_ylim()[1]
    shown = np.clip(values, -edge, edge)
    for marker, chosen in (("x", shown == values), ("^", values > edge), ("v", values < -edge)):
        axes.plot(angle[chosen], shown[chosen], marker, color=_GREY, ms=4, ls="", zorder=3)


def _draw_estimates(figure: Figure, place: SubplotSpec, *, fit: FitSummary) -> None:
    """One panel a parameter: each column's own estimate, and the joint one as a line with its
    band.
    """
    names = _columns_estimate(fit)
    titles = sentences.titles(fit)
    rows = ["all together", *(sentences.without_unit(column.label) for column in fit.columns)]
    first: Axes | None = None
    grid = place.subgridspec(1, len(names))
    for index, name in enumerate(names):
        axes = figure.add_subplot(grid[index], sharey=first)
        joint = fit.parameters[name]
        if has_interval(joint):
            axes.axvspan(
                joint.value - joint.sd, joint.value + joint.sd, color=_PALE, lw=0, zorder=0
            )
        estimates = [joint, *(column.alone.get(name) for column in fit.columns)]
        for row, estimate in enumerate(estimates):
            _draw_estimate(axes, row, estimate, colour=_DARK if row == 0 else _BLUE)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), rows, parse_math=False)
        axes.tick_params(axis="y", length=0, labelleft=first is None)
        axes.set_xlabel(f"{titles[name]} [{joint.unit or '-'}]", fontsize=9, parse_math=False)
        axes.margins(x=0.12)
        axes.locator_params(axis="x", nbins=5)
        _plain_style(axes)
        if first is None:
            axes.set_title(
                "Estimates from each column alone (±1 standard error; band: all together)",
                fontsize=9,
                loc="left",
            )
        first = first or axes


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
            color=_DARK,
        )


# Shared by all panels


def _pair(figure: Figure, upper: SubplotSpec, lower: SubplotSpec) -> tuple[Axes, Axes]:
    """A panel and, with the same horizontal axis, a strip for the residuals below it."""
    above = figure.add_subplot(upper)
    below = figure.add_subplot(lower, sharex=above)
    above.tick_params(labelbottom=False)
    for axes in (above, below):
        _plain_style(axes)
    return above, below


def _residual(data: FittedRecording | FittedSeries | FittedColumn) -> tuple[np.ndarray, str]:
    """Residuals in units of sigma, where there is none in mm or in the unit of the column, and the
    label that says so.
    """
    scaled = residuals.scaled_residual(data)
    if np.isfinite(scaled).any():
        return scaled, "residual\n[sigma]"
    if not isinstance(data, FittedRecording):
        return residuals.residual(data), "residual"
    return 1e3 * residuals.residual(data), "residual\n[mm]"


def _finish_residuals(axes: Axes, values: np.ndarray, label: str) -> None:
    """The zero line, the band of two standard deviations where the unit is one, and limits
    symmetric about zero.
    """
    bound = 1.15 * float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))
    if "sigma" in label:
        axes.axhspan(-2, 2, color=_PALE, lw=0, zorder=0)
        bound = max(bound, 3.2)
    axes.axhline(0.0, color=_GREY, lw=0.8, zorder=1)
    if bound > 0:
        axes.set_ylim(-bound, bound)
    axes.set_ylabel(label, fontsize=9)


def _plain_style(axes: Axes) -> None:
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _shortened(text: str, length: int) -> str:
    """Long names keep their end, which tells recordings apart."""
    return text if len(text) <= length else f"...{text[3 - length :]}"


def _in_font() -> Callable[[str], bool]:
    """Whether the default font has a letter."""
    letters = get_font(findfont(FontProperties())).get_charmap()
    return lambda letter: ord(letter) in letters or letter == "\n"
