"""The fitted motion of a recording as a small picture that a script can animate."""

import dataclasses
import json
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.results.fitted_data import FittedRecording, FittedSeries
from calibration.results.summary import FitSummary

WIDTH, HEIGHT = 360.0, 240.0
"""Of the picture, in its own units."""

MOST_INSTANTS = 400
"""Instants that are kept of a motion: a smooth animation needs no more."""

_MARGIN = 16.0
_BODY = re.compile(r", body \d+$")
_LENGTH = re.compile(r"^[xyz] \[m\]$")


@dataclasses.dataclass(frozen=True)
class Motion:
    """Paths in the units of the picture, ``y`` downwards.

    Attributes:
        name: of the trial.
        time: (n,) [s].
        paths: (n, 2) of each body, as fitted.
        measured: (m, 2) of each body.
        floor: height of the lower end of the ball where it bounces; ``None`` where it does not.
    """

    name: str
    time: NDArray[np.float64]
    paths: tuple[NDArray[np.float64], ...]
    measured: tuple[NDArray[np.float64], ...]
    floor: float | None

    @property
    def frames(self) -> str:
        """Times and positions, as JSON for a script."""
        return json.dumps(
            {
                "time": np.round(self.time - self.time[0], 4).tolist(),
                "paths": [np.round(path, 1).tolist() for path in self.paths],
            },
            separators=(",", ":"),
        )

    @staticmethod
    def line(path: NDArray[np.float64]) -> str:
        """Points of an SVG polyline."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in path)

    @staticmethod
    def dots(path: NDArray[np.float64]) -> str:
        """Points as an SVG path of lines without length, which round ends make visible."""
        return "".join(f"M{x:.1f} {y:.1f}h0" for x, y in path)


BALL = 6.0
"""Radius of the ball in the picture; the true one is not part of a result."""


def trial_of(name: str) -> str:
    """The trial of what was measured of one of its bodies: ``shot`` of ``shot, body 1``."""
    return _BODY.sub("", name)


def motions(recordings: Iterable[FittedRecording], fit: FitSummary) -> list[Motion]:
    """Of recordings that have a height, and of bodies whose positions were measured each; without
    those that could not be simulated to their end.

    Args:
        recordings: that are shown.
        fit: the result, of which the other measurements are taken.
    """
    found = [_of_recording(one) for one in recordings if "z" in one.axes and len(one.time) > 1]
    bodies: dict[str, list[FittedSeries]] = {}
    for one in fit.series:
        lengths = sum(bool(_LENGTH.match(label)) for label in one.labels)
        if trial_of(one.name) != one.name and lengths >= 2:
            bodies.setdefault(trial_of(one.name), []).append(one)
    found += [_of_bodies(name, series) for name, series in bodies.items()]
    return [one for one in found if all(np.isfinite(path).all() for path in one.paths)]


def _of_recording(recording: FittedRecording) -> Motion:
    kept = _instants(len(recording.time))
    across = recording.axes.index("x") if "x" in recording.axes else None

    def plane(values: np.ndarray) -> np.ndarray:
        beside = np.zeros(len(values)) if across is None else values[:, across]
        return np.stack([beside, values[:, recording.axes.index("z")]], axis=1)[kept]

    fitted, measured = plane(recording.predicted), plane(recording.measured)
    place = _Placing.around([fitted])
    path = place(fitted)
    floor = float(path[:, 1].max()) + BALL if len(recording.bounce_times) else None
    return Motion(recording.name, recording.time[kept], (path,), (place.seen(measured),), floor)


def _of_bodies(name: str, series: Sequence[FittedSeries]) -> Motion:
    kept = _instants(min(len(one.abscissa) for one in series))
    columns = [
        [k for k, label in enumerate(one.labels) if _LENGTH.match(label)][:2] for one in series
    ]
    fitted = [one.predicted[kept][:, own] for one, own in zip(series, columns, strict=True)]
    measured = [one.measured[kept][:, own] for one, own in zip(series, columns, strict=True)]
    place = _Placing.around(fitted)
    paths, seen = tuple(map(place, fitted)), tuple(map(place.seen, measured))
    return Motion(name, series[0].abscissa[kept], paths, seen, None)


def _instants(count: int) -> np.ndarray:
    return np.unique(np.linspace(0, count - 1, min(count, MOST_INSTANTS)).astype(int))


@dataclasses.dataclass(frozen=True)
class _Placing:
    """From metres to the picture, with one scale for both directions."""

    middle: np.ndarray
    scale: float

    @classmethod
    def around(cls, paths: Sequence[np.ndarray]) -> "_Placing":
        """So that all paths have room."""
        every = np.concatenate(paths)
        low, high = every.min(axis=0), every.max(axis=0)
        room = np.array([WIDTH, HEIGHT]) - 2 * _MARGIN
        return cls((low + high) / 2, float(np.min(room / np.maximum(high - low, 1e-9))))

    def __call__(self, points: np.ndarray) -> np.ndarray:
        moved = self.scale * (points - self.middle) * np.array([1.0, -1.0])
        return moved + np.array([WIDTH, HEIGHT]) / 2

    def seen(self, points: np.ndarray) -> np.ndarray:
        """Those that were measured."""
        return self(points[np.isfinite(points).all(axis=1)])
