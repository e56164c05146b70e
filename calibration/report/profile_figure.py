"""Profiles as pictures: the root of the rise against the parameter, and the region of two
parameters.
"""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibration.report.drawing import BLUE, GREY, ORANGE, new_figure, plain_style, with_unit
from calibration.uncertainty.profile import Profile, Profile2D, Profiles

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
        figure = new_figure(5.0, 4.2)
        _draw_region(figure.add_subplot(), found)
    else:
        across = min(max(len(found), 1), _ACROSS)
        down = max(math.ceil(len(found) / across), 1)
        figure = new_figure(3.6 * across, 3.0 * down)
        for place, one in enumerate(found.profiles.values(), start=1):
            _draw_profile(figure.add_subplot(down, across, place), one)
    return figure


def _draw_profile(axes: Axes, one: Profile) -> None:
    root = np.sign(one.values - one.value) * np.sqrt(one.delta_chi2)
    axes.plot(one.values, root, color=BLUE, marker="o", ms=3, lw=1.2)
    lost = ~one.converged
    axes.plot(one.values[lost], root[lost], color=ORANGE, marker="x", ls="", ms=6)
    for side in (-1, 1):
        axes.axhline(side * math.sqrt(one.threshold), color=GREY, lw=0.8, ls="--")
    for end in (one.low, one.high):
        if math.isfinite(end):
            axes.axvline(end, color=GREY, lw=0.8, ls=":")
    if np.all(one.values > 0) and one.values[-1] > 20 * one.values[0]:
        axes.set_xscale("log")
    plain_style(axes)
    axes.set_xlabel(with_unit(one.label, one.unit), fontsize=9, parse_math=False)
    axes.set_ylabel("signed root of the rise of chi2", fontsize=9)
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
        colors=GREY,
        linewidths=0.7,
    )
    if np.nanmin(delta_chi2) < found.threshold < np.nanmax(delta_chi2):
        axes.contour(
            found.values[0],
            found.values[1],
            delta_chi2.T,
            levels=[found.threshold],
            colors=BLUE,
            linewidths=1.6,
        )
        axes.clabel(drawn, fmt=lambda level: f"{level:.2g}", fontsize=7)
    axes.plot(*found.best, color=ORANGE, marker="+", ms=9, ls="")
    plain_style(axes)
    axes.set_xlabel(with_unit(found.labels[0], found.units[0]), fontsize=9, parse_math=False)
    axes.set_ylabel(with_unit(found.labels[1], found.units[1]), fontsize=9, parse_math=False)
    axes.set_title(f"joint {100 * found.level:g} % region", fontsize=9)
