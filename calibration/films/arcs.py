"""Arcs: runs of patches in successive pictures that lie on a smooth path and look alike."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.films.candidates import Candidates

MEMORY = 7
"""Last points from which the next one is foreseen."""

FARTHEST = 8.0
"""Widths of a patch by which it moves between two pictures, at most."""

GATE = 0.5
"""Widths of a patch by which the next one may miss the foreseen place."""

LONGEST_GAP = 3
"""Pictures in a row in which a patch may be missing."""

WHOLE = 0.85
"""Share of the usual area above which a patch is not cut by something in front of it."""

LIKE = 1.7
"""Ratio of areas and of contrasts of patches that may be the same thing."""


@dataclass(eq=False)
class Arc:
    """Patches on a smooth path.

    Attributes:
        time: [s].
        frame: numbers of the pictures.
        place: columns and rows (n, 2).
        area: [pixels^2].
        contrast: from the background, with its sign.
        extent: width and height (n, 2) [pixels].
    """

    time: list[float] = field(default_factory=list)
    frame: list[int] = field(default_factory=list)
    place: list[NDArray[np.float64]] = field(default_factory=list)
    area: list[float] = field(default_factory=list)
    contrast: list[float] = field(default_factory=list)
    extent: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, frame: int, time: float, patches: Candidates, index: int) -> None:
        """Take a patch as the next point."""
        self.frame.append(frame)
        self.time.append(time)
        self.place.append(patches.place[index])
        self.area.append(float(patches.area[index]))
        self.contrast.append(float(patches.contrast[index]))
        self.extent.append(patches.extent[index])

    @property
    def width(self) -> float:
        """Diameter of a disc of the area of the last patches."""
        return float(np.sqrt(np.median(self.area[-MEMORY:]) * 4 / np.pi))

    def foresee(self, time: float, *, backwards: bool = False) -> NDArray[np.float64]:
        """Where it is at another time, from its last points, or from its first."""
        whole = np.flatnonzero(np.array(self.area) > WHOLE * np.median(self.area))
        side = whole[:MEMORY] if backwards else whole[-MEMORY:]
        times, places = np.array(self.time)[side], np.array(self.place)[side]
        order = min(len(times) - 1, 1 if len(times) < 4 else 2)
        powers = (times[:, None] - times[0]) ** np.arange(order + 1)
        factors = np.linalg.lstsq(powers, places, rcond=None)[0]
        return np.asarray((time - times[0]) ** np.arange(order + 1) @ factors)

    def speed(self) -> float:
        """Pixels per second, of the last points."""
        if len(self.time) < 2:
            return 0.0
        first = max(-MEMORY // 2, -len(self.time))
        moved = np.hypot(*(self.place[-1] - self.place[first]))
        return float(moved / (self.time[-1] - self.time[first]))


def find_arcs(time: NDArray[np.float64], patches: Iterable[Candidates]) -> list[Arc]:
    """Arcs of three points or more.

    Args:
        time: of the pictures [s].
        patches: those of each picture.
    """
    finished: list[Arc] = []
    alive: list[Arc] = []
    for frame, found in enumerate(patches):
        now = float(time[frame])
        taken = _matches(alive, found, now)
        for arc, index in taken:
            arc.add(frame, now, found, index)
        used = {index for _, index in taken}
        for index in range(len(found.area)):
            if index not in used:
                alive.append(Arc())
                alive[-1].add(frame, now, found, index)
        ended = [arc for arc in alive if frame - arc.frame[-1] > _patience(arc)]
        finished += ended
        alive = [arc for arc in alive if frame - arc.frame[-1] <= _patience(arc)]
    return [arc for arc in finished + alive if len(arc.frame) >= 3]


def _patience(arc: Arc) -> int:
    return LONGEST_GAP if len(arc.frame) > 3 else 0


def _matches(alive: list[Arc], found: Candidates, now: float) -> list[tuple[Arc, int]]:
    """The next patch of each arc: long arcs choose first, then the nearest."""
    pairs = []
    for arc in alive:
        if not len(found.area):
            break
        known = min(len(arc.frame), 3)
        away = np.hypot(*(found.place - arc.foresee(now)).T)
        passed = now - arc.time[-1]
        if known == 1:
            reach = FARTHEST * arc.width
        else:
            reach = GATE * arc.width + 0.35 * arc.speed() * passed
        ratio = np.abs(np.log(found.area / np.median(arc.area[-3:])))
        bright = found.contrast / np.median(arc.contrast[-3:])
        alike = (ratio < np.log(LIKE)) & (bright > 1 / LIKE) & (bright < LIKE)
        pairs += [
            (-known, float(away[index] / reach + ratio[index]), id(arc), arc, int(index))
            for index in np.flatnonzero((away <= reach) & alike)
        ]
    pairs.sort(key=lambda pair: pair[:3])
    chosen: list[tuple[Arc, int]] = []
    arcs, indices = set(), set()
    for *_, key, arc, index in pairs:
        if key not in arcs and index not in indices:
            chosen.append((arc, index))
            arcs.add(key)
            indices.add(index)
    return chosen
