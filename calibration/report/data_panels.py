"""Panels of measured data, the fitted curve on them, and residuals in a strip below."""

import math
import textwrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibration.report.drawing import (
    BLUE,
    COLOURS,
    DARK,
    GREY,
    draw_measured,
    draw_residuals,
    finish_residuals,
    in_font,
    legend_above,
    mark_bounces,
    new_figure,
    pair,
    shortened,
)
from calibration.results import residuals, sentences
from calibration.results.encoding import spell_all
from calibration.results.fitted_data import Fitted, FittedColumn, FittedRecording, FittedSeries

AXIS_COLOUR = dict(zip("zxy", COLOURS, strict=True))

_BRIEF = 0.05  # times in seconds, below which they are shown in milliseconds
_LABEL_LETTERS = 28  # of the label of an axis in a line


def data_figure(data: Fitted) -> Figure:
    """Data, fitted curve and residuals of one recording, other measurement or column.

    Args:
        data: measured and predicted numbers.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> clicks = cal.results.FittedSeries(
        ...     name="clicks",
        ...     labels=("time of impact [s]",),
        ...     abscissa=np.array([1.0, 2.0]),
        ...     abscissa_label="impact",
        ...     measured=np.array([[0.30], [0.81]]),
        ...     predicted=np.array([[0.30], [0.80]]),
        ...     sigma=np.full((2, 1), 1e-3),
        ...     nuisance={},
        ... )
        >>> len(cal.report.data_figure(clicks).axes)
        2
    """
    data = spell_all(data, has=in_font())
    figure = new_figure(4.0, 3.4)
    grid = figure.add_gridspec(2, 1, height_ratios=[2.6, 1])
    above, below = pair(figure, grid[0], grid[1])
    draw_data(above, below, data=data)
    if isinstance(data, FittedRecording) and len(data.axes) > 1:
        _title(above, _recording_title(data), pad=legend_above(above))
    return figure


def draw_data(above: Axes, below: Axes, *, data: Fitted) -> None:
    """Into a panel and the strip of residuals below it."""
    if isinstance(data, FittedRecording):
        _draw_recording(above, below, data)
    elif isinstance(data, FittedSeries):
        _draw_series(above, below, data)
    else:
        _draw_column(above, below, data)


def _draw_recording(above: Axes, below: Axes, recording: FittedRecording) -> None:
    time = recording.time
    values, label = residuals_of(recording)
    for index, axis in enumerate(recording.axes):
        colour = AXIS_COLOUR.get(axis, BLUE)
        draw_measured(above, time, recording.measured[:, index])
        above.plot(time, recording.predicted[:, index], color=colour, lw=1.3, zorder=3, label=axis)
        draw_residuals(below, time, values[:, index], colour=colour)
    finish_residuals(below, values, label)
    for axes in (above, below):
        mark_bounces(axes, recording.bounce_times, time, symbol=axes is above)
    above.set_ylabel(
        "height z [m]" if recording.axes == ("z",) else f"position {', '.join(recording.axes)} [m]",
        fontsize=9,
    )
    below.set_xlabel("time [s]", fontsize=9)
    _title(above, _recording_title(recording))


def _title(axes: Axes, text: str, *, pad: float | None = None) -> None:
    """A title at the left, at a distance in points."""
    axes.set_title(text, fontsize=9, loc="left", parse_math=False, pad=pad)


def _recording_title(recording: FittedRecording) -> str:
    parts = [shortened(recording.name, 18), f"rms {sentences.metres(residuals.rms(recording))}"]
    chi2 = residuals.chi2_per_value(recording)
    if math.isfinite(chi2):
        parts.append(f"chi2/n {chi2:.2g}")
    return ",  ".join(parts)


def _draw_series(above: Axes, below: Axes, series: FittedSeries) -> None:
    values, label = residuals_of(series)
    short = series.abscissa_label == "time [s]" and np.ptp(series.abscissa) < _BRIEF
    abscissa = 1e3 * series.abscissa if short else series.abscissa
    for index, quantity in enumerate(series.labels):
        colour = COLOURS[index % len(COLOURS)]
        draw_measured(above, abscissa, series.measured[:, index])
        above.plot(
            abscissa, series.predicted[:, index], color=colour, lw=1.3, zorder=3, label=quantity
        )
        draw_residuals(below, abscissa, values[:, index], colour=colour)
    finish_residuals(below, values, label)
    pad = legend_above(above) if len(series.labels) > 1 else None
    moments = 1e3 * series.contact_times if short else series.contact_times
    for axes in (above, below):
        mark_bounces(axes, moments, abscissa, symbol=axes is above)
    above.set_ylabel(
        series.labels[0] if len(series.labels) == 1 else "measured", fontsize=9, parse_math=False
    )
    below.set_xlabel("time [ms]" if short else series.abscissa_label, fontsize=9)
    _title(above, shortened(series.name, 26), pad=pad)


def _draw_column(above: Axes, below: Axes, column: FittedColumn) -> None:
    sigma = np.where(np.isfinite(column.sigma), column.sigma, 0.0)
    above.errorbar(
        column.angle,
        column.measured,
        yerr=sigma,
        fmt="o",
        color=DARK,
        ecolor=GREY,
        ms=3.5,
        mew=0,
        elinewidth=0.9,
        capsize=2,
        zorder=3,
    )
    if column.curve_angle.size:
        above.plot(column.curve_angle, column.curve, color=BLUE, lw=1.6, zorder=2)
    else:
        above.plot(column.angle, column.predicted, "o", mec=BLUE, mfc="none", ms=4.5, zorder=4)
    values, label = residuals_of(column)
    counted = np.ones(len(values), dtype=bool) if column.counted is None else column.counted
    below.plot(column.angle[counted], values[counted], "o", color=BLUE, mew=0, ms=3.5, zorder=3)
    finish_residuals(below, values[counted], label)
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
        axes.plot(angle[chosen], shown[chosen], marker, color=GREY, ms=4, ls="", zorder=3)


def residuals_of(data: Fitted) -> tuple[np.ndarray, str]:
    """Residuals in units of sigma, where there is none in mm or in the unit of the column, and the
    label that says so.
    """
    scaled = residuals.scaled_residual(data)
    if np.isfinite(scaled).any():
        return scaled, "residual\n[sigma]"
    if not isinstance(data, FittedRecording):
        return residuals.residual(data), "residual"
    return 1e3 * residuals.residual(data), "residual\n[mm]"
