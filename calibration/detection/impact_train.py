"""Which sounds are impacts of one bouncing ball: missed impacts leave a gap, extra clicks fit
nowhere.

Neighbouring flights of a bouncing ball shorten by a ratio that changes slowly. Each three early
sounds are tried as neighbouring impacts; the train that follows from them forwards and backwards,
and its own ratio as it goes, is matched to all sounds. The train that explains most of them with
the fewest impacts missed is kept.
"""

import itertools
from typing import NamedTuple

import numpy as np

TOLERANCE = 0.06
"""Part of a flight by which an impact may come early or late in the search."""

LARGEST_RATIO = 1.02
"""Of neighbouring flights; a ball does not gain."""

EARLY = 8
"""Sounds from which the first three of a train are taken."""

LONGEST_GAP = 3
"""Impacts that may be missed one after the other."""


SHORTEST = 10
"""Flights that are not longer than so many standard deviations of a time are not followed."""


class Train(NamedTuple):
    """Sounds that are impacts: places in the data, and the number of each impact, from 0 for the
    first one found.
    """

    places: np.ndarray
    numbers: np.ndarray

    @property
    def merit(self) -> float:
        """Sounds explained, less half of the impacts missed."""
        return len(self.places) - 0.5 * (self.numbers[-1] + 1 - len(self.places))


def followed(
    times: np.ndarray, last: int, interval: float, ratio: float, noise: float
) -> list[tuple[int, int]]:
    """(place, steps from ``last``) of the sounds that follow at intervals that change by ``ratio``
    each time; ``interval`` the last one.
    """
    found, expected, steps, missed = [], times[last], 0, 0
    place = last
    while missed <= LONGEST_GAP and abs(interval) > SHORTEST * noise:
        interval, steps = interval * ratio, steps + 1
        expected = expected + interval
        near = int(np.argmin(np.abs(times - expected)))
        if (
            abs(times[near] - expected) < TOLERANCE * abs(interval) * (1 + missed) + 3 * noise
            and near != place
        ):
            if missed == 0:
                new = times[near] - times[place]
                ratio, interval = (
                    np.sqrt(ratio * np.clip(ratio * new / interval, ratio * 0.9, ratio * 1.1)),
                    new,
                )
            found.append((near, steps))
            place, expected, missed = near, times[near], 0
        else:
            missed += 1
        if (
            expected > times[-1] + abs(interval)
            or expected < times[0] - abs(interval)
            or steps > 10 * len(times)
        ):
            break
    return found


def find_impact_train(times: np.ndarray, *, noise: float) -> Train:
    """The train of impacts among ``times`` (n,), n >= 1, in increasing order.

    Args:
        times: of sounds [s].
        noise: standard deviation of one of them [s].
    """
    count = len(times)
    if count < 3:
        return Train(np.arange(count), np.arange(count))
    best = None
    for (a, b, c), missed in itertools.product(
        itertools.combinations(range(min(count, EARLY)), 3), (0, 1)
    ):
        first, second = times[b] - times[a], times[c] - times[b]
        # Of two flights with an impact missed between them, second/first = r + r^2.
        ratio = second / first if missed == 0 else (np.sqrt(1 + 4 * second / first) - 1) / 2
        if not 0.05 < ratio <= LARGEST_RATIO:
            continue
        earlier = followed(times, a, -first, 1 / ratio, noise)
        later = followed(times, c, first * ratio ** (1 + missed), ratio, noise)
        nearest = [(a, 0), (b, 1), (c, 2 + missed)]
        steps = [
            *((place, -step) for place, step in reversed(earlier)),
            *nearest,
            *((place, step + nearest[-1][1]) for place, step in later),
        ]
        places, numbers = np.asarray(steps).T
        if np.any(np.diff(places) <= 0):
            continue
        train = Train(places, numbers - numbers[0])
        if best is None or train.merit > best.merit:
            best = train
    return best if best is not None else Train(np.arange(count), np.arange(count))


def estimate_time_noise(times: np.ndarray, numbers: np.ndarray) -> float:
    """Standard deviation of the times [s] about a train whose logarithm of flights is a parabola;
    NaN for fewer than five flights.
    """
    neighbours = np.diff(numbers) == 1
    flights, centres = np.diff(times)[neighbours], numbers[:-1][neighbours].astype(float)
    if len(flights) < 5:
        return np.nan
    degree = 2 if len(flights) > 6 else 1
    # The logarithm of a short flight is known less well.
    smooth = np.polyval(np.polyfit(centres, np.log(flights), degree, w=flights), centres)
    deviations = flights * (np.log(flights) - smooth)
    return float(np.sqrt(np.sum(deviations**2) / (len(flights) - degree - 1) / 2))
