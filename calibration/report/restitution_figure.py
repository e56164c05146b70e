"""Restitution of single impacts: against their speed with the fitted law, and as a forest plot."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from calibration.report.drawing import (
    BLUE,
    COLOURS,
    DARK,
    GREY,
    MEASURED,
    PALE,
    in_font,
    legend_above,
    new_figure,
    plain_style,
    shortened,
)
from calibration.results.encoding import spell_all
from calibration.results.estimate import Estimate
from calibration.results.impacts import ImpactRestitutions, MeasuredImpact
from calibration.results.numbers import has_interval

MOST_ROWS = 40
"""Rows of a forest plot: with more, single impacts are left out, then trials."""

_LINE = 0.17  # of a row, in inches
_FEW = 3  # trials, up to which each has a colour of its own


def restitution_figure(found: ImpactRestitutions) -> Figure:
    """Restitution of each impact against its speed, bars of one standard deviation, and the fitted
    law.

    Args:
        found: single impacts and the law.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> impact = cal.results.MeasuredImpact("drop", 1, 2.4, 0.9, 0.003)
        >>> found = cal.results.ImpactRestitutions(
        ...     (impact,), (impact,), np.array([2.0, 3.0]), np.array([0.9, 0.9]), "as measured"
        ... )
        >>> len(cal.report.restitution_figure(found).axes)
        1
    """
    found = spell_all(found, has=in_font())
    figure = new_figure(4.0, 3.0)
    axes = figure.add_subplot()
    trials: dict[str, list[MeasuredImpact]] = {}
    for impact in found.impacts:
        trials.setdefault(impact.trial, []).append(impact)
    few = 1 < len(trials) <= _FEW
    for place, (name, impacts) in enumerate(trials.items()):
        axes.errorbar(
            [impact.speed for impact in impacts],
            [impact.restitution for impact in impacts],
            yerr=np.nan_to_num([impact.sd for impact in impacts]),
            fmt="o",
            color=COLOURS[place] if few else GREY,
            ecolor=MEASURED,
            ms=3.5,
            mew=0,
            elinewidth=0.9,
            label=shortened(name, 18) if few else None,
        )
    axes.plot(found.law_speed, found.law, color=DARK, lw=1.6, zorder=4, label="fitted law")
    _limit_to_known(axes, found)
    axes.set_xlabel("normal speed before the impact [m/s]", fontsize=9)
    axes.set_ylabel("restitution [-]", fontsize=9)
    legend_above(axes)
    plain_style(axes)
    return figure


def _limit_to_known(axes: Axes, found: ImpactRestitutions) -> None:
    """An impact of which the data say next to nothing does not squeeze the others."""
    values = np.array([impact.restitution for impact in found.impacts])
    sds = np.nan_to_num(np.array([impact.sd for impact in found.impacts]))
    known = sds <= 5 * np.median(sds)
    law = found.law[np.isfinite(found.law)]
    low = np.append(law, (values - sds)[known]).min()
    high = np.append(law, (values + sds)[known]).max()
    margin = 0.08 * max(high - low, 1e-3)
    axes.set_ylim(low - margin, high + margin)


def forest_figure(found: ImpactRestitutions, joint: Estimate | None = None) -> Figure:
    """Restitution of each recording and of each of its impacts, below each other, bars of one
    standard deviation; the joint estimate as a line with its 95 % interval.

    Args:
        found: single impacts.
        joint: the estimate from all of them, where there is one.

    Returns:
        a figure outside of pyplot's list of open figures.

    Example:
        >>> import numpy as np
        >>> import calibration as cal
        >>> impact = cal.results.MeasuredImpact("drop", 1, 2.4, 0.9, 0.003)
        >>> found = cal.results.ImpactRestitutions(
        ...     (impact,), (impact,), np.array([2.0, 3.0]), np.array([0.9, 0.9]), "as measured"
        ... )
        >>> [text.get_text() for text in cal.report.forest_figure(found).axes[0].get_yticklabels()]
        ['drop']
    """
    found = spell_all(found, has=in_font())
    rows = _rows(found)
    figure = new_figure(4.0, 0.8 + _LINE * (len(rows) + 1))
    axes = figure.add_subplot()
    if joint is not None and has_interval(joint):
        axes.axvspan(*joint.interval(), color=PALE, lw=0, zorder=0)
        axes.axvline(joint.value, color=DARK, lw=1.2, zorder=1)
    for place, (_, impact, pooled) in enumerate(rows):
        axes.errorbar(
            impact.restitution,
            place,
            xerr=np.nan_to_num(impact.sd),
            fmt="D" if pooled else "o",
            color=BLUE if pooled else GREY,
            ms=5 if pooled else 3.5,
            mew=0,
            elinewidth=1.4 if pooled else 0.9,
        )
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), [text for text, _, _ in rows], parse_math=False)
    for label, (_, _, pooled) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_color(DARK if pooled else GREY)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("restitution [-]", fontsize=9)
    axes.locator_params(axis="x", nbins=5)
    plain_style(axes)
    return figure


def _rows(found: ImpactRestitutions) -> list[tuple[str, MeasuredImpact, bool]]:
    """Text, value and whether it is of a whole trial, from the top."""
    pooled = {one.trial: one for one in found.trials}
    several = len(found.impacts) > len(pooled)
    rows: list[tuple[str, MeasuredImpact, bool]] = []
    if several and len(found.impacts) + len(pooled) <= MOST_ROWS:
        for name, one in pooled.items():
            rows.append((shortened(name, 16), one, True))
            rows += [
                (f"impact {impact.number}", impact, False)
                for impact in found.impacts
                if impact.trial == name
            ]
        return rows
    return [(shortened(name, 16), one, True) for name, one in pooled.items()][:MOST_ROWS]
