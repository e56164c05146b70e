"""The curve of a recording on the local page."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from calibration.app.curve import MOST_POINTS, bounces_on_curve
from calibration.studies.file_report import FileReport


def test_a_long_recording_is_thinned_and_keeps_its_extremes_and_gaps() -> None:
    time = np.arange(300_000) / 1e5
    height = 0.3 * np.abs(np.sin(9 * time))
    height[123_456], height[50_000:51_000] = 0.5, np.nan
    recording: Any = SimpleNamespace(
        time=time, position=np.stack([time, time, height], axis=1), vertical="z", unit="m"
    )
    reading: Any = SimpleNamespace(bounces=())
    curve = bounces_on_curve(FileReport("long.csv", "long", recording, reading))
    assert curve is not None
    times, shown = np.asarray(curve["series"][0]["data"], dtype=np.float64).T
    assert MOST_POINTS / 3 < times.size <= MOST_POINTS
    assert np.all(np.diff(times) > 0)
    assert (np.nanmax(shown), np.nanmin(shown)) == (0.5, 0.0)
    assert np.isnan(shown[(times >= 0.5) & (times < 0.51)]).any()
    assert np.max(np.diff(times)) <= 3 * 3.0 / MOST_POINTS * 2
