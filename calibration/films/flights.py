"""Flights between bounces, from places that are known to a fraction of a pixel."""

import numpy as np
from numpy.typing import NDArray

KINK = 8.0
"""Standard deviations by which the velocity changes in a bounce."""

LEAST = 0.8
"""Least change of the way from picture to picture in a bounce [pixels]."""


def split_flights(time: NDArray[np.float64], place: NDArray[np.float64]) -> NDArray[np.int_]:
    """The number of its flight for each place, from 0.

    The velocity changes from one interval between pictures to the next by the acceleration, which
    is that of most of them; where it changes by much more, over the two changes beside an interval,
    there is a bounce in that interval.

    Args:
        time: of the places (n,) [s].
        place: (n, 2) [pixels].
    """
    number = np.zeros(time.size, int)
    if time.size < 6:
        return number
    step = np.diff(time)
    velocity = np.diff(place, axis=0) / step[:, None]
    apart = (step[1:] + step[:-1]) / 2
    change = np.diff(velocity, axis=0)  # at the inner places
    change = change - np.median(change / apart[:, None], axis=0) * apart[:, None]
    usual = np.median(step)
    noise = 1.4826 * np.median(np.abs(change)) * usual
    both = np.zeros(step.size)  # for each interval
    both[1:-1] = np.hypot(*(change[1:] + change[:-1]).T) * usual
    both[0] = np.hypot(*change[0]) * usual
    both[-1] = np.hypot(*change[-1]) * usual
    kinked = both > max(KINK * noise, LEAST)
    peaks = [
        index
        for index in np.flatnonzero(kinked)
        if both[index] == np.max(both[max(index - 2, 0) : index + 3])
    ]
    for index in peaks:
        number[index + 1 :] += 1
    return number
