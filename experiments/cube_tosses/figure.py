"""Measured and simulated tosses in one picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import jaxcontact as jc
from experiments.cube_tosses.errors import Errors
from experiments.cube_tosses.tosses import Toss
from experiments.drawing import BLUE, GREEN, GREY, ORANGE, SERIES, save

AXES = {"x": ORANGE, "y": GREEN, "z": BLUE}
EVERY = 4
"""Samples of which one is drawn."""


def draw_toss(axes: Axes, toss: Toss, compliant: jc.Trajectory, rigid: jc.Trajectory) -> None:
    """Coordinates of the centre against time, from where they were at release."""
    count = len(toss.times)
    for index, (name, colour) in enumerate(AXES.items()):
        origin = toss.position[0, index] if name != "z" else 0.0
        measured = toss.position[::EVERY, index] - origin
        axes.plot(
            toss.times[::EVERY], measured, "o", color=colour, markersize=3.5, markerfacecolor="none"
        )
        for found, style in ((compliant, "-"), (rigid, ":")):
            simulated = np.asarray(found.position)[:count, index] - origin
            axes.plot(toss.times, simulated, style, color=colour, linewidth=1.4)
        axes.annotate(
            name,
            (toss.times[-1], measured[-1]),
            (6, 0),
            textcoords="offset points",
            color=colour,
            va="center",
        )
    axes.set_xlim(right=1.1 * toss.times[-1])
    axes.set_title(toss.name.replace("_", " "), fontsize=10)
    axes.set_xlabel("time after release [s]")


def draw_errors(
    axes: Axes, tosses: Sequence[Toss], columns: Sequence[np.ndarray], label: str
) -> None:
    """An error over time for every toss."""
    for toss, column, colour in zip(tosses, columns, SERIES, strict=False):
        axes.plot(
            toss.times, column, color=colour, linewidth=1.4, label=toss.name.replace("_", " ")
        )
    axes.set_xlabel("time after release [s]")
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0.0)


def draw(
    path: Path,
    tosses: Sequence[Toss],
    found: Mapping[str, Sequence[jc.Trajectory]],
    errors: Sequence[Errors],
    width: float,
    shown: Sequence[int] = (0, 2, 4),
) -> None:
    """Write the picture.

    Args:
        path: of a PNG file.
        tosses: the recordings.
        found: simulations of each toss with each method.
        errors: of each toss with the compliant method.
        width: of the cube [m].
        shown: indices of the tosses whose coordinates are drawn.
    """
    figure = Figure(figsize=(10.5, 6.6), layout="constrained")
    rows = figure.add_gridspec(2, 1)
    above = rows[0].subgridspec(1, len(shown))
    first = None
    for column, index in enumerate(shown):
        first = axes = figure.add_subplot(above[column], sharey=first)
        draw_toss(axes, tosses[index], found["compliant"][index], found["rigid"][index])
        if column == 0:
            axes.set_ylabel("height z; x, y since release [m]")
            lines = [
                Line2D(
                    [],
                    [],
                    linestyle="",
                    marker="o",
                    markersize=3.5,
                    markerfacecolor="none",
                    color=GREY,
                    label="measured",
                ),
                Line2D([], [], linestyle="-", color=GREY, label="compliant"),
                Line2D([], [], linestyle=":", color=GREY, label="rigid"),
            ]
            axes.legend(handles=lines, fontsize=8, loc="lower left")
    below = rows[1].subgridspec(1, 2)
    left, right = (figure.add_subplot(below[column]) for column in range(2))
    draw_errors(left, tosses, [1e3 * one.position for one in errors], "position error [mm]")
    percent = left.twinx()
    percent.set_ylim(0.0, left.get_ylim()[1] / (10 * width))
    percent.set_ylabel("[% of the cube's width]")
    draw_errors(right, tosses, [one.rotation for one in errors], "rotation error [degrees]")
    left.legend(fontsize=8, ncols=2)
    left.set_title("compliant, nominal parameters, nothing fitted", fontsize=10)
    right.set_title("compliant, nominal parameters, nothing fitted", fontsize=10)
    for axes in figure.axes:
        axes.grid(alpha=0.0 if axes is percent else 0.3)
    save(figure, path, dpi=100)
