"""What all figures of a report share: colours, signs, and letters that a font has."""

import io
import math
from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.gridspec import SubplotSpec

# Okabe and Ito's colours, which people who do not see red and green apart can tell from each other.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#AA4499"
GREY, PALE, DARK = "#777777", "#D9D9D9", "#222222"
MEASURED = "#999999"
COLOURS = (BLUE, ORANGE, GREEN)

MANY = 400
"""Samples, from which on the points are drawn smaller."""

_LETTERS = {3: 8, 2: 20}  # of labels of a legend, of which so many stand in a row
_LEGEND_ROW = 13.0  # points
_MANY_BOUNCES = 30  # more have no line, only the triangle


class ShownFigure(Figure):
    """A figure that a notebook shows without pyplot."""

    def _repr_png_(self) -> bytes:
        content = io.BytesIO()
        FigureCanvasAgg(self).print_png(content)
        return content.getvalue()


def new_figure(width: float, height: float, *, dpi: float = 150) -> Figure:
    """An empty figure, in inches, outside of pyplot's list of open figures."""
    figure = ShownFigure(figsize=(width, height), dpi=dpi, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def pair(figure: Figure, upper: SubplotSpec, lower: SubplotSpec) -> tuple[Axes, Axes]:
    """A panel and, with the same horizontal axis, a strip for the residuals below it."""
    above = figure.add_subplot(upper)
    below = figure.add_subplot(lower, sharex=above)
    above.tick_params(labelbottom=False)
    for axes in (above, below):
        plain_style(axes)
    return above, below


def plain_style(axes: Axes) -> None:
    """Small numbers, and no frame at the top and at the right."""
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def draw_measured(axes: Axes, x: np.ndarray, y: np.ndarray, *, many: bool | None = None) -> None:
    """Measured points: pale and without an edge, so that the curve on them stays visible."""
    size = 1.8 if (len(x) > MANY if many is None else many) else 3.0
    axes.plot(x, y, "o", color=MEASURED, mew=0, ms=size, ls="", zorder=2)


def draw_residuals(axes: Axes, x: np.ndarray, values: np.ndarray, *, colour: str) -> None:
    """Residuals as points."""
    size = 1.4 if len(x) > MANY else 2.2
    axes.plot(x, values, "o", color=colour, mew=0, ms=size, ls="", zorder=3)


def finish_residuals(axes: Axes, values: np.ndarray, label: str) -> None:
    """The zero line, the band of two standard deviations where the unit is one, and limits
    symmetric about zero.
    """
    bound = 1.15 * float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))
    if "sigma" in label:
        axes.axhspan(-2, 2, color=PALE, lw=0, zorder=0)
        bound = max(bound, 3.2)
    axes.axhline(0.0, color=GREY, lw=0.8, zorder=1)
    if bound > 0:
        axes.set_ylim(-bound, bound)
    axes.set_ylabel(label, fontsize=9)


def mark_bounces(axes: Axes, moments: np.ndarray, time: np.ndarray, *, symbol: bool) -> None:
    """A dotted line at each bounce within the recording, and a triangle at the lower edge."""
    inside = np.array([moment for moment in moments if time[0] <= moment <= time[-1]])
    if not inside.size:  # the extent of nothing would enter the layout
        return
    where = axes.get_xaxis_transform()
    if inside.size <= _MANY_BOUNCES:
        axes.vlines(
            inside, 0, 1, transform=where, color=PURPLE, lw=0.7, ls=":", alpha=0.7, zorder=1
        )
    if symbol:
        axes.plot(
            inside,
            np.zeros_like(inside),
            "^",
            transform=where,
            color=PURPLE,
            ms=4,
            ls="",
            clip_on=False,
            zorder=4,
        )


def legend_above(axes: Axes) -> float:
    """The legend between a panel and its title, where it lies on nothing that is drawn.

    Returns:
        the distance of the title from the panel, in points.
    """
    handles, labels = axes.get_legend_handles_labels()
    longest = max(map(len, labels))
    columns = next((count for count, most in _LETTERS.items() if longest <= most), 1)
    axes.legend(
        handles,
        labels,
        fontsize=8,
        frameon=False,
        ncols=columns,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0,
    )
    return 8.0 + _LEGEND_ROW * math.ceil(len(labels) / columns)


def shortened(text: str, length: int) -> str:
    """Long names keep their end, which tells recordings apart."""
    return text if len(text) <= length else f"...{text[3 - length :]}"


def with_unit(label: str, unit: str) -> str:
    """The label of an axis: ``drag [1/m]``."""
    return label if unit in ("", "-") else f"{label} [{unit}]"


def in_font() -> Callable[[str], bool]:
    """Whether the default font has a letter."""
    letters = get_font(findfont(FontProperties())).get_charmap()
    return lambda letter: ord(letter) in letters or letter == "\n"
