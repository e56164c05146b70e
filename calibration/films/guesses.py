"""Where the ball is expected in each picture from the first to the last of its path."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.films.arcs import Arc

Array = NDArray[np.float64]

NEIGHBOURS = 7
"""Points that tell the motion at a time."""


@dataclass(frozen=True, kw_only=True)
class Guess:
    """Where the ball may be.

    Attributes:
        arc: number of the arc that says so.
        centre: column and row.
        velocity: [pixels/s].
    """

    arc: int
    centre: Array = field(repr=False)
    velocity: Array = field(repr=False)


def guess_places(time: Array, arcs: Sequence[Arc]) -> dict[int, list[Guess]]:
    """By the number of the picture: one guess along an arc, two between two arcs, of which one may
    come before a bounce and the other after it.

    Args:
        time: of all pictures [s].
        arcs: of the path.
    """
    guesses: dict[int, list[Guess]] = {}
    for number, arc in enumerate(arcs):
        times, places = np.array(arc.time), np.array(arc.place)
        before = arcs[number - 1].frame[-1] + 1 if number else arc.frame[0]
        after = arcs[number + 1].frame[0] if number + 1 < len(arcs) else arc.frame[-1] + 1
        for frame in range(before, after):
            centre, velocity = motion_at(float(time[frame]), times, places)
            guess = Guess(arc=number, centre=centre, velocity=velocity)
            guesses.setdefault(frame, []).append(guess)
    return guesses


def motion_at(at: float, time: Array, place: Array) -> tuple[Array, Array]:
    """Place and velocity at a time, by a parabola through the nearest points.

    Args:
        at: the time [s].
        time: of the points (n,) [s].
        place: (n, 2) [pixels].
    """
    near = np.argsort(np.abs(time - at), kind="stable")[:NEIGHBOURS]
    order = min(2, near.size - 1)
    powers = (time[near] - at)[:, None] ** np.arange(order + 1)
    factors = np.linalg.lstsq(powers, place[near], rcond=None)[0]
    return factors[0], factors[1] if order else np.zeros(2)
