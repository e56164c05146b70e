"""Paths: arcs of the same ball, one after the other, with a bounce or something in front of it in
between.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.films.arcs import Arc

LONGEST_HIDDEN = 0.25
"""Time [s] between two arcs of the same ball."""

MEETING = 0.8
"""Widths of the ball by which two arcs may miss each other."""

ASTRAY = 0.3
"""And the share of the way between them, since ends of arcs may be cut by what hides the ball."""

ROUND = 0.5
"""How far from round [-] a patch counts as half of one."""

SHORTEST = 2.0
"""Widths of the ball by which it moves, at least."""

AMBIGUOUS = 0.5
"""Share of the worth of the best path from which a second one is another ball."""

LISTED = 4
"""Other balls whose places are listed."""

FRAMES = 8
"""Fewest pictures of a path."""


@dataclass(frozen=True, eq=False)
class BallPath:
    """Arcs of one ball in the order of time.

    Attributes:
        arcs: the arcs.
        worth: pictures in which it looks like a ball.
    """

    arcs: tuple[Arc, ...] = field(repr=False)
    worth: float

    @property
    def radius(self) -> float:
        """A first guess [pixels]: of the third of the patches that are rounder than the others."""
        areas = np.concatenate([arc.area for arc in self.arcs])
        long = np.concatenate([np.max(arc.extent, 1) / np.min(arc.extent, 1) for arc in self.arcs])
        sharp = long <= np.quantile(long, 1 / 3)
        return float(np.sqrt(np.median(areas[sharp]) / np.pi))

    @property
    def contrast(self) -> float:
        """Grey levels between the ball and what is behind it."""
        return float(np.median(np.abs(np.concatenate([arc.contrast for arc in self.arcs]))))

    @property
    def start(self) -> NDArray[np.float64]:
        """Column and row of the first point."""
        return self.arcs[0].place[0]


def choose_path(
    arcs: Sequence[Arc], path: str, *, near: tuple[float, float, float | None] | None = None
) -> BallPath:
    """The path of the ball among the arcs.

    Args:
        arcs: of everything that moves.
        path: the film, for messages.
        near: column, row and, perhaps, time [s] of a place where the ball is.

    Raises:
        InputError: there is no ball, or there are several.
    """
    found = [chain for chain in _chains(arcs) if _moves(chain)]
    if near is not None:
        return _nearest(found, near, path)
    found = [chain for chain in found if chain.worth >= FRAMES]
    if not found:
        raise InputError(
            f"no ball can be followed in this film: of {len(arcs)} things that move none is round, "
            f"keeps its size and moves smoothly for {FRAMES} pictures",
            remedy="Say where it is (--start 320,100), crop the picture (--region), or film again "
            "with more light that does not flicker, a shorter exposure and a still, plain "
            "background.",
            path=path,
        )
    best, *others = sorted(found, key=lambda chain: -chain.worth * chain.contrast)
    rivals = [
        other
        for other in others
        if other.worth * other.contrast > AMBIGUOUS * best.worth * best.contrast
    ]
    if len(rivals) > LISTED:
        raise InputError(
            f"no ball can be told from {len(rivals)} other things that move like one",
            remedy="Say where it is (--start 320,100), crop the picture (--region), or film again "
            "in front of a still, plain background.",
            path=path,
        )
    if rivals:
        places = "; ".join(
            f"--start {chain.start[0]:.0f},{chain.start[1]:.0f}" for chain in (best, *rivals)
        )
        raise InputError(
            f"{1 + len(rivals)} things in this film move like a ball",
            remedy=f"Say which one: {places}; or crop the picture to one with --region.",
            path=path,
        )
    return best


def _moves(chain: BallPath) -> bool:
    places = np.concatenate([arc.place for arc in chain.arcs])
    return bool(np.hypot(*np.ptp(places, axis=0)) > SHORTEST * 2 * chain.radius)


def _nearest(
    chains: Sequence[BallPath], near: tuple[float, float, float | None], path: str
) -> BallPath:
    column, row, time = near

    def distance(chain: BallPath) -> float:
        times = np.concatenate([arc.time for arc in chain.arcs])
        places = np.concatenate([arc.place for arc in chain.arcs])
        at = int(np.argmin(np.abs(times - (times[0] if time is None else time))))
        return float(np.hypot(*(places[at] - (column, row))) / (2 * chain.radius))

    close = [chain for chain in chains if distance(chain) < 2.0]
    if not close:
        when = "begins to move" if time is None else f"is, {time:g} s after the beginning,"
        raise InputError(
            f"nothing that moves smoothly {when} at {column:g},{row:g}",
            remedy="Give column and row from the upper left corner of the picture, within two "
            "widths of the ball, and the time too: --ball 320,100,0.5.",
            path=path,
        )
    return max(close, key=lambda chain: chain.worth)


def _chains(arcs: Sequence[Arc]) -> list[BallPath]:
    """Disjoint chains, the best first: the best sum of the worth of its arcs, taken out, and so
    on.
    """
    left = sorted(arcs, key=lambda arc: arc.frame[-1])
    worth = [_worth(arc) for arc in left]
    earlier = [
        [before for before in range(index) if _joined(left[before], arc)]
        for index, arc in enumerate(left)
    ]
    free = [True] * len(left)
    chains = []
    while any(free):
        total, came = list(worth), [-1] * len(left)
        for index in range(len(left)):
            if not free[index]:
                total[index] = -np.inf
                continue
            for before in earlier[index]:
                if free[before] and total[before] + worth[index] > total[index]:
                    total[index], came[index] = total[before] + worth[index], before
        last = int(np.argmax(total))
        best = total[last]
        members = []
        while last >= 0:
            members.append(last)
            free[last] = False
            last = came[last]
        chains.append(BallPath(tuple(left[index] for index in reversed(members)), best))
    return chains


def _worth(arc: Arc) -> float:
    """Its pictures, less where its patches are not round: a streak is longer than wide by what it
    moves, but as wide and as full as a ball.
    """
    extent, area = np.array(arc.extent), np.array(arc.area)
    wide = np.min(extent, axis=1)
    full = area / (np.pi / 4 * wide**2 + wide * (np.max(extent, axis=1) - wide))
    uneven = np.abs(np.log(full)) / ROUND
    size = np.std(np.log(wide)) / ROUND
    return float(np.sum(np.exp2(-(uneven**2)))) * float(np.exp2(-(size**2)))


def _joined(first: Arc, second: Arc) -> bool:
    """Whether the second may go on where the first ended."""
    gap = second.time[0] - first.time[-1]
    if not 0 < gap <= LONGEST_HIDDEN:
        return False
    if not 1 / 2 < np.median(first.area) / np.median(second.area) < 2:
        return False
    width = (first.width + second.width) / 2
    reach = MEETING * width + ASTRAY * gap * max(first.speed(), second.speed())
    # They cross between the end of the one and the beginning of the other: at a bounce, or anywhere
    # where the ball was hidden.
    moments = np.linspace(first.time[-1], second.time[0], 9)
    away = [
        np.hypot(*(first.foresee(moment) - second.foresee(moment, backwards=True)))
        for moment in moments
    ]
    return bool(min(away) < reach)
