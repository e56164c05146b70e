"""Samples of a recording from the pictures: what is not believable is left out, and each has a
standard deviation.
"""

from dataclasses import dataclass, field

import numpy as np

from calibration.detection.noise import estimate_white_noise
from calibration.films.ball_picture import Array
from calibration.films.guesses import motion_at
from calibration.films.measure import Measured

OUTLYING = 6.0
"""Standard deviations from a parabola through its neighbours, beyond which a place is an error."""

BLURRED = 0.15
"""Pixels by which a bounce in the exposure may move the middle of a streak."""

LEAST_SD = 0.01
"""Least standard deviation [pixels]: no lens and no sensor is more regular."""

RUN = 6
"""Places in a row from which their noise is found."""

ENDS, EXTRAPOLATED = 2, 3.0
"""Places at each end of a flight that a parabola through those farther in has to foretell, and how
many times as far it may miss them."""


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Places of the ball in the pictures, from the first to the last of its path.

    Attributes:
        first: number of the first picture.
        time: (n,) [s].
        place: column and row of the centre (n, 2) [pixels], NaN where it is lost.
        sd: their standard deviations (n, 2) [pixels].
        velocity: (n, 2) [pixels/s], NaN where it is lost.
        lost: why it is lost, by the number of the picture.
    """

    first: int
    time: Array = field(repr=False)
    place: Array = field(repr=False)
    sd: Array = field(repr=False)
    velocity: Array = field(repr=False)
    lost: dict[int, str] = field(repr=False)


def select_samples(time: Array, measured: Measured) -> Samples:
    """The places that are kept.

    Args:
        time: of all pictures [s].
        measured: the ball in those of its path.
    """
    frames = sorted({*measured.located, *measured.lost})
    lost = dict(measured.lost)
    flights = _flights(measured)
    for number, flight in flights.items():
        places = np.array([measured.located[frame].centre for frame in flight])
        for frame in _outlying(time[flight], places, flight):
            lost[frame] = "off the path of its neighbours"
        following = flights.get(number + 1)
        if following:
            lost |= _bounces(time, measured, flight, following)
    place, sd, velocity = (np.full((len(frames), 2), np.nan) for _ in range(3))
    factor = _noise_factor(time, measured, lost)
    for row, frame in enumerate(frames):
        if frame in lost:
            continue
        one = measured.located[frame]
        place[row], velocity[row] = one.centre, one.velocity
        sd[row] = np.maximum(factor * np.sqrt(np.diag(one.covariance)), LEAST_SD)
    return Samples(
        first=frames[0],
        time=time[frames],
        place=place,
        sd=sd,
        velocity=velocity,
        lost={frame: lost[frame] for frame in sorted(lost)},
    )


def _flights(measured: Measured) -> dict[int, list[int]]:
    flights: dict[int, list[int]] = {}
    for frame in sorted(measured.located):
        flights.setdefault(measured.arc[frame], []).append(frame)
    return flights


def _outlying(time: Array, places: Array, frames: list[int]) -> list[int]:
    """Places that are far from a parabola through their neighbours, the farthest first: a wrong
    place spoils the parabolas of those beside it.
    """
    kept, wrong = list(range(len(frames))), []
    while len(kept) >= RUN + 2 * ENDS:
        away = _away(time[kept], places[kept])
        farthest = int(np.argmax(away))
        if away[farthest] <= 1:
            break
        wrong.append(frames[kept.pop(farthest)])
    return wrong


def _away(time: Array, places: Array) -> Array:
    """How far each place is from a parabola through others, over how far it may be."""
    number = np.arange(time.size)
    inner = (number >= ENDS) & (number < time.size - ENDS)
    away = np.zeros(time.size)
    for index in number:
        # Where something hides a ball by and by, neither place at an end tells the other.
        others = number != index if inner[index] else inner
        foreseen, _ = motion_at(float(time[index]), time[others], places[others])
        away[index] = np.hypot(*(places[index] - foreseen))
    limit = OUTLYING * max(1.4826 * float(np.median(away[inner])), 0.1)
    return away / np.where(inner, limit, EXTRAPOLATED * limit)


def _bounces(
    time: Array, measured: Measured, before: list[int], after: list[int]
) -> dict[int, str]:
    """Pictures in whose exposure the ball turned round: the middle of such a streak is no place of
    the ball.
    """
    exposure = measured.ball.exposure
    if min(len(before), len(after)) < 3:
        return {}
    turn = _meeting(time, measured, before, after)
    if turn is None:
        return {}
    at, change = turn
    # The mean over an exposure that is cut at the share p is away by change * T * p (1 - p) / 2.
    if exposure * change / 8 < BLURRED:
        return {}
    return {
        frame: "bounces during the exposure"
        for frame in (before[-1], after[0])
        if abs(time[frame] - at) <= 0.6 * exposure
    }


def _meeting(
    time: Array, measured: Measured, before: list[int], after: list[int]
) -> tuple[float, float] | None:
    """When two flights meet [s], and by how much the velocity changes there [pixels/s]."""
    start, end = float(time[before[-1]]), float(time[after[0]])
    moments = np.linspace(start - (end - start), end + (end - start), 121)
    sides = []
    for flight, side in ((before, np.s_[-6:]), (after, np.s_[:6])):
        frames = flight[side]
        places = np.array([measured.located[frame].centre for frame in frames])
        order = 1 if len(frames) < 5 else 2
        powers = (time[frames] - start)[:, None] ** np.arange(order + 1)
        factors = np.linalg.lstsq(powers, places, rcond=None)[0]
        sides.append((moments - start)[:, None] ** np.arange(order + 1) @ factors)
    away = np.hypot(*(sides[0] - sides[1]).T)
    nearest = int(np.argmin(away))
    if away[nearest] > measured.ball.radius:
        return None
    slopes = [np.gradient(side, moments, axis=0)[nearest] for side in sides]
    return float(moments[nearest]), float(np.hypot(*(slopes[1] - slopes[0])))


def _noise_factor(time: Array, measured: Measured, lost: dict[int, str]) -> float:
    """How much larger the scatter along the path is than that of the pixels asks for: neighbouring
    pixels of a compressed film are not independent.
    """
    factors = []
    for axis in (0, 1):
        runs = []
        for flight in _flights(measured).values():
            kept = [frame for frame in flight if frame not in lost]
            if len(kept) < RUN:
                continue
            expected = np.median(
                [np.sqrt(measured.located[frame].covariance[axis, axis]) for frame in kept]
            )
            places = np.array([measured.located[frame].centre[axis] for frame in kept])
            runs.append((time[kept], places / expected))
        factors.append(estimate_white_noise(runs) if runs else np.nan)
    known = [factor for factor in factors if np.isfinite(factor)]
    return max(float(np.max(known)), 1.0) if known else 3.0
