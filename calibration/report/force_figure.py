"""Force against overlap over one impact of the fitted law."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from calibration.report.drawing import COLOURS, legend_above, new_figure, plain_style
from calibration.results.contact_force import ForceLoop


def force_figure(loops: Sequence[ForceLoop]) -> Figure:
    """Draw the loops: the area inside is the energy that an impact loses.

    Args:
        loops: of the slowest and the fastest impact.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> overlap = np.array([0.0, 1e-4, 0.0])
        >>> loop = cal.results.ForceLoop(1.0, overlap, force=np.array([0.0, 40.0, 0.0]))
        >>> len(cal.report.force_figure([loop]).axes)
        1
    """
    figure = new_figure(4.0, 3.0)
    axes = figure.add_subplot()
    for loop, colour in zip(loops, COLOURS, strict=False):
        label = f"impact at {loop.speed:.3g} m/s"
        axes.plot(1e3 * loop.overlap, loop.force, color=colour, lw=1.5, label=label)
    axes.set_xlabel("overlap [mm]", fontsize=9)
    axes.set_ylabel("normal force [N]", fontsize=9)
    legend_above(axes)
    plain_style(axes)
    return figure
