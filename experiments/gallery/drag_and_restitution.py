"""How drag and restitution stand for each other, and how bounces narrow both."""

import numpy as np
from matplotlib.figure import Figure

from experiments.drawing import SERIES, one_panel
from experiments.gallery.film_of_drop import DRAG, RESTITUTION, covariance, film

BOUNCES = (2, 3, 5, 8)
CHI = np.sqrt(5.991)
"""Half axes of the ellipse that holds 95 % in two dimensions, in standard deviations."""


def draw(seconds: float = 3.2) -> Figure:
    """An ellipse for each number of bounces."""
    taken = film(seconds)
    figure, axes = one_panel()
    turn = np.linspace(0.0, 2 * np.pi, 200)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    for bounces, colour in zip(BOUNCES, SERIES, strict=False):
        if bounces >= len(taken.bounces):
            break
        found = covariance(taken, taken.bounces[bounces], scale=False)
        ellipse = CHI * np.linalg.cholesky(found) @ circle
        correlation = found[0, 1] / np.sqrt(found[0, 0] * found[1, 1])
        axes.plot(
            RESTITUTION + ellipse[0],
            DRAG + ellipse[1],
            color=colour,
            label=f"{bounces} bounces: correlation {correlation:+.2f}",
        )
    axes.plot(RESTITUTION, DRAG, "+", color="black", markersize=9)
    axes.set_xlabel("restitution [-]")
    axes.set_ylabel("drag coefficient [-]")
    axes.legend(fontsize=8, frameon=False)
    return figure
