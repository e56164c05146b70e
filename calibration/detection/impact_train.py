"""Which sounds are impacts of one bouncing ball: missed impacts leave a gap, extra clicks fit
nowhere.

Neighbouring flights of a bouncing ball shorten by a ratio that changes slowly. Each three early
sounds are tried as neighbouring impacts; the train that follows from them forwards and backwards,
and its own ratio as it goes, is matched to all sounds. The train that explains most of them with
the fewest impacts missed is kept.
"""

import dataclasses
import itertools
from typing import NamedTuple

import numpy as np


@dataclasses.dataclass(frozen=True, kw_only=True)
class ImpactTrainOptions:
    """By what sounds are taken for impacts of one train.

    Attributes:
        tolerance: part of a flight by which an impact may come early or late, as restitution
            scatters from bounce to bounce; chosen, not measured.
        largest_ratio: of neighbouring flights. A ball does not gain, but times have errors.
        early: number of sounds from which the first three of a train are taken. All of them are
            tried, so that the time goes with its third power; chosen, not measured.
        longest_gap: number of impacts that may be missed one after the other. The longer a gap, the
            more ways there are to bridge it; chosen, not measured.
        shortest: flights that are not longer than so many standard deviations of a time are not
            followed: their ratio is known to no better than a tenth or so.
    """

    tolerance: float = 0.06
    largest_ratio: float = 1.02
    early: int = 8
    longest_gap: int = 3
    shortest: float = 10.0


OPTIONS = ImpactTrainOptions()


class Train(NamedTuple):
    """Sounds that are impacts of one ball.

    Attributes:
        places: of these sounds in the data (m,).
        numbers: number of each impact (m,), 0 for the first one found.
    """

    places: np.ndarray
    numbers: np.ndarray

    @property
    def merit(self) -> float:
        """Sounds explained, less half of the impacts missed."""
        return len(self.places) - 0.5 * (self.numbers[-1] + 1 - len(self.places))


def follow_train(
    times: np.ndarray, last: int, interval: float, ratio: float, noise: float
) -> list[tuple[int, int]]:
    """Follow a train from one sound to the next ones, at intervals that change by a ratio each
    time, which adapts to the sounds that are found.

    Args:
        times: of all sounds (n,) [s].
        last: place of the sound from which the train goes on.
        interval: the flight before it [s], negative to go backwards in time.
        ratio: of neighbouring flights [-].
        noise: standard deviation of a time [s].

    Returns:
        (place, steps from ``last``) of the sounds that follow.
    """
    followed: list[tuple[int, int]] = []
    expected, steps, missed = times[last], 0, 0
    place = last
    while missed <= OPTIONS.longest_gap and abs(interval) > OPTIONS.shortest * noise:
        interval, steps = interval * ratio, steps + 1
        expected = expected + interval
        near = int(np.argmin(np.abs(times - expected)))
        allowed = OPTIONS.tolerance * abs(interval) * (1 + missed) + 3 * noise
        if abs(times[near] - expected) < allowed and near != place:
            if missed == 0:
                # Half of the change of the ratio is believed, and at most a tenth of it at once.
                measured = times[near] - times[place]
                changed = np.clip(ratio * measured / interval, ratio * 0.9, ratio * 1.1)
                ratio, interval = np.sqrt(ratio * changed), measured
            followed.append((near, steps))
            place, expected, missed = near, times[near], 0
        else:
            missed += 1
        outside = expected > times[-1] + abs(interval) or expected < times[0] - abs(interval)
        if outside or steps > 10 * len(times):
            break
    return followed


def find_impact_train(times: np.ndarray, *, noise: float) -> Train:
    """Find the train of impacts among sounds.

    Args:
        times: of the sounds (n,) [s], n >= 1, in increasing order.
        noise: standard deviation of one of them [s].
    """
    count = len(times)
    everything = Train(np.arange(count), np.arange(count))
    if count < 3:
        return everything
    best = None
    triples = itertools.combinations(range(min(count, OPTIONS.early)), 3)
    for triple, missed in itertools.product(triples, (0, 1)):
        train = _complete_train(times, triple, missed=missed, noise=noise)
        if train is not None and (best is None or train.merit > best.merit):
            best = train
    return everything if best is None else best


def _complete_train(
    times: np.ndarray, triple: tuple[int, ...], *, missed: int, noise: float
) -> Train | None:
    """The train in which three sounds are neighbouring impacts, or with one impact missed between
    the last two; ``None`` where there is no such train.
    """
    a, b, c = triple
    first, second = times[b] - times[a], times[c] - times[b]
    # Of two flights with an impact missed between them, second/first = r + r^2.
    ratio = second / first if missed == 0 else (np.sqrt(1 + 4 * second / first) - 1) / 2
    if not 0.05 < ratio <= OPTIONS.largest_ratio:
        return None
    earlier = follow_train(times, a, -first, 1 / ratio, noise)
    later = follow_train(times, c, first * ratio ** (1 + missed), ratio, noise)
    steps = [(place, -step) for place, step in reversed(earlier)]
    steps += [(a, 0), (b, 1), (c, 2 + missed)]
    steps += [(place, step + 2 + missed) for place, step in later]
    places, numbers = np.asarray(steps).T
    if np.any(np.diff(places) <= 0):
        return None
    return Train(places, numbers - numbers[0])


def estimate_time_noise(times: np.ndarray, numbers: np.ndarray) -> float:
    """Standard deviation of the times about a train whose logarithm of flights is a parabola.

    Args:
        times: of the impacts (m,) [s].
        numbers: of the impacts (m,).

    Returns:
        The standard deviation [s]; NaN for fewer than five flights.
    """
    neighbours = np.diff(numbers) == 1
    flights, centres = np.diff(times)[neighbours], numbers[:-1][neighbours].astype(float)
    if len(flights) < 5:
        return np.nan
    degree = 2 if len(flights) > 6 else 1
    # The logarithm of a short flight is known less well.
    smooth = np.polyval(np.polyfit(centres, np.log(flights), degree, w=flights), centres)
    deviations = flights * (np.log(flights) - smooth)
    # A flight has the errors of two times.
    return float(np.sqrt(np.sum(deviations**2) / (len(flights) - degree - 1) / 2))
