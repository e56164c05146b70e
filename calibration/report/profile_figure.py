"""Profiles as pictures: the root of the rise against the parameter, and the region of two
parameters.
"""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from calibration.uncertainty.profile import Profile, Profile2D, Profiles

_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#777777"
_ACROSS = 3


def profile_figure(found: Profiles | Profile2D) -> Figure:
    """Draw profiles.

    Of one parameter each: the signed root of the rise of chi-squared, which is a straight line
    where a standard error tells everything, the threshold, and the ends of the interval. Of two:
    lines of equal rise, and the edge of the joint region.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> one = cal.Profile(
        ...     name="e",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     values=np.array([0.8, 0.9, 1.0]),
        ...     delta_chi2=np.array([5.0, 0.0, 6.0]),
        ...     converged=np.ones(3, dtype=bool),
        ...     value=0.9,
        ...     low=0.82,
        ...     high=0.97,
        ...     level=0.95,
        ...     threshold=3.84,
        ...     others={},
        ...     text="",
        ... )
        >>> profiles = cal.Profiles({"e": one}, fit=cal.Fit(parameters={}))
        >>> len(cal.report.profile_figure(profiles).axes)
        1
    """
    if isinstance(found, Profile2D):
        figure = Figure(figsize=(5.0, 4.2), dpi=150, layout="constrained", facecolor="white")
        _draw_region(figure.add_subplot(), found)
    else:
        across = min(max(len(found), 1), _ACROSS)
        down = max(math.ceil(len(found) / across), 1)
        figure = Figure(
            figsize=(3.6 * across, 3.0 * down), dpi=150, layout="constrained", facecolor="white"
        )
        for place, one in enumerate(found.profiles.values(), start=1):
            _draw_profile(figure.add_subplot(down, across, place), one)
    FigureCanvasAgg(figure)
    return figure


def _titled(label: str, unit: str) -> str:
    return label if unit == "-" else f"{label} [{unit}]"


def _draw_profile(axes: Axes, one: Profile) -> None:
    root = np.sign(one.values - one.value) * np.sqrt(one.delta_chi2)
    axes.plot(one.values, root, color=_BLUE, marker="o", ms=3, lw=1.2)
    lost = ~one.converged
    axes.plot(one.values[lost], root[lost], color=_ORANGE, marker="x", ls="", ms=6)
    for side in (-1, 1):
        axes.axhline(side * math.sqrt(one.threshold), color=_GREY, lw=0.8, ls="--")
    for end in (one.low, one.high):
        if math.isfinite(end):
            axes.axvline(end, color=_GREY, lw=0.8, ls=":")
    if np.all(one.values > 0) and one.values[-1] > 20 * one.values[0]:
        axes.set_xscale("log")
    axes.set_xlabel(_titled(one.label, one.unit), parse_math=False)
    axes.set_ylabel("signed root of the rise of chi2")
    axes.set_title(
        f"{100 * one.level:g} % interval"
        if math.isfinite(one.low + one.high)
        else "no end on one side or both",
        fontsize=9,
    )


def _draw_region(axes: Axes, found: Profile2D) -> None:
    delta_chi2 = np.where(np.isfinite(found.delta_chi2), found.delta_chi2, np.nan)
    levels = found.threshold * np.asarray([0.25, 1.0, 4.0, 9.0])
    drawn = axes.contour(
        found.values[0],
        found.values[1],
        delta_chi2.T,
        levels=levels[levels < np.nanmax(delta_chi2)],
        colors=_GREY,
        linewidths=0.7,
    )
    if np.nanmin(delta_chi2) < found.threshold < np.nanmax(delta_chi2):
        axes.contour(
            found.values[0],
            found.values[1],
            delta_chi2.T,
            levels=[found.threshold],
            colors=_BLUE,
            linewidths=1.6,
        )
        axes.clabel(drawn, fmt=lambda level: f"{level:.2g}", fontsize=7)
    axes.plot(*found.best, color=_ORANGE, marker="+", ms=9, ls="")
    axes.set_xlabel(_titled(found.labels[0], found.units[0]), parse_math=False)
    axes.set_ylabel(_titled(found.labels[1], found.units[1]), parse_math=False)
    axes.set_title(f"joint {100 * found.level:g} % region", fontsize=9)
