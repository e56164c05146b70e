"""Colours and files that all pictures of the experiments share."""

import io
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

# Okabe and Ito's colours.
BLUE, ORANGE, GREEN, PURPLE, YELLOW = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"
GREY, DARK = "#777777", "#222222"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, YELLOW, DARK)

LEVELS = 96
"""Colours of a file: lines and their edges need no more, and the file is a third of the size."""


def one_panel(width: float = 5.4, height: float = 3.7) -> tuple[Figure, Axes]:
    """A figure with one panel, of a size [inches] that can be read on a phone."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    plain(axes)
    return figure, axes


def plain(axes: Axes) -> None:
    """Without a frame at the top and at the right, with a faint grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def save(figure: Figure, path: Path, *, dpi: int = 140) -> None:
    """Write a small PNG file, in which colours that are rare are kept."""
    content = io.BytesIO()
    FigureCanvasAgg(figure).print_figure(content, dpi=dpi)
    with Image.open(content) as image:
        levels = image.convert("RGB").quantize(
            LEVELS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
        )
    levels.save(path, optimize=True)
