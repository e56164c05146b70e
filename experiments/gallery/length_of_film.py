"""How long a film must be for a restitution, with a known scale of lengths and without."""

import numpy as np
from matplotlib.figure import Figure

from experiments.drawing import BLUE, GREY, ORANGE, one_panel
from experiments.gallery.film_of_drop import covariance, film


def draw(seconds: float = 3.2) -> Figure:
    """Standard deviation against the length of the film."""
    taken = film(seconds)
    figure, axes = one_panel()
    until = taken.times[taken.times > 1.05 * taken.bounces[0]][::4]
    for scale, colour, name in (
        (True, ORANGE, "scale found from the flights"),
        (False, BLUE, "scale known"),
    ):
        sd = [np.sqrt(covariance(taken, last, scale=scale)[0, 0]) for last in until]
        axes.semilogy(until, sd, color=colour, label=name)
    for moment in taken.bounces:
        axes.axvline(moment, color=GREY, linewidth=0.8, linestyle=":")
    axes.set_ylim(3e-5, 3e-2)
    axes.set_xlabel("length of the film [s] (dotted: bounces)")
    axes.set_ylabel("standard deviation of the restitution [-]")
    axes.legend(fontsize=9, framealpha=1.0, loc="upper right")
    return figure
