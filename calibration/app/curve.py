"""The curve of a recording with the bounces that were detected on it, as options of ECharts."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from calibration.studies.file_report import FileReport

BOUNCE = "bounce"
"""Name of the points where bounces were detected."""

MOST_POINTS = 3000
"""A curve of more samples is thinned: a browser takes long over a million of them."""


def bounces_on_curve(report: FileReport) -> dict[str, Any] | None:
    """Height over time, and a point where each bounce was detected; nothing for a file that is no
    trajectory.

    Args:
        report: on the file.
    """
    recording, reading = report.recording, report.reading
    if recording is None or reading is None:
        return None
    height = recording.position[:, 2]
    seen = np.isfinite(height)
    moments = [bounce.time for bounce in reading.bounces]
    at_bounces = np.interp(moments, recording.time[seen], height[seen])
    count = f"{len(moments)} bounce{'' if len(moments) == 1 else 's'}"
    return {
        "title": {
            "text": f"{report.name}: {count}",
            "subtext": f"up is {recording.vertical} of the file, in {recording.unit}",
            "textStyle": {"fontSize": 14},
            "subtextStyle": {"color": "#5c6166"},
        },
        "grid": {"left": 8, "right": 24, "top": 72, "bottom": 28, "containLabel": True},
        "xAxis": {"type": "value", "name": "time [s]", "nameLocation": "middle", "nameGap": 24},
        "yAxis": {"type": "value", "name": "height [m]", "scale": True},
        "animation": False,
        "series": [
            {
                "name": "height",
                "type": "line",
                "showSymbol": False,
                "lineStyle": {"width": 1.2},
                "data": _points(*_thinned(recording.time, height)),
            },
            {
                "name": BOUNCE,
                "type": "scatter",
                "symbolSize": 10,
                "itemStyle": {"color": "#c2410c"},
                "data": _points(moments, at_bounces),
            },
        ],
    }


def _thinned(time: np.ndarray, height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As many samples as a picture shows: of each stretch the lowest and the highest, and a gap
    where it holds one.
    """
    if time.size <= MOST_POINTS:
        return time, height
    kept: list[int] = []
    for stretch in np.array_split(np.arange(time.size), MOST_POINTS // 3):
        gap = ~np.isfinite(height[stretch])
        ordered = stretch[~gap][np.argsort(height[stretch][~gap])]
        kept.extend({*ordered[:1], *ordered[-1:], *stretch[gap][:1]})
    chosen = np.sort(kept)
    return time[chosen], height[chosen]


def _points(
    time: Sequence[float] | np.ndarray, height: Sequence[float] | np.ndarray
) -> list[list[float | None]]:
    """Pairs; a height that was not measured is a gap in the curve."""
    return [
        [float(t), float(z) if math.isfinite(z) else None]
        for t, z in zip(time, height, strict=True)
    ]
