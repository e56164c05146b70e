"""Whether frames were left out or copied in a recording whose times do not say so.

From frame to frame a body in flight moves as far as it does on average in the two steps before and
the two after. Where a frame is missing that the times do not miss, it moves twice as far; where one
is a copy of the one before, not at all. It shows wherever the body is fast against the noise, and
as often as it happens: no model of the motion is needed.
"""

from typing import NamedTuple

import numpy as np

FAST = 9.0
"""Steps from frame to frame, in noise of single samples, that tell: five standard deviations of the
difference between a step and the mean of its neighbours.
"""

ALIKE = 0.45
"""Relative difference of the steps before and after, up to which all are of one flight."""

ROUND = 0.3
"""Distance from a whole number up to which the ratio of a step to its neighbours is one."""

MOST = 4
"""Ratio up to which a step is one of missing frames; farther is a jump of the tracking."""

FEWEST, SHARE = 4, 0.02
"""Steps of one kind, and their part of those that tell, that are no accident."""

CLEAN = 0.25
"""Part of the second differences that is free of what is sought."""


class FrameSteps(NamedTuple):
    """Steps from frame to frame that are too long or too short.

    Attributes:
        missing: places of the samples after which frames are missing.
        copies: places of the samples that the next one copies.
        told: number of steps that are long enough to tell.
    """

    missing: np.ndarray
    copies: np.ndarray
    told: int


def find_frame_steps(time: np.ndarray, position: np.ndarray) -> FrameSteps:
    """Steps that are another whole number of their neighbours than one; none where there are no
    more than accidents.

    Args:
        time: of the samples, increasing (n,).
        position: measured along one axis (n,), without gaps.
    """
    nothing = np.zeros(0, dtype=int)
    if time.size < 8:
        return FrameSteps(nothing, nothing, 0)
    interval = np.diff(time)
    speed = np.diff(position) / interval
    before, step, after = speed[:-4] + speed[1:-3], speed[2:-2], speed[3:-1] + speed[4:]
    mean, place = (before + after) / 4, np.arange(2, speed.size - 2)
    fast = np.abs(mean) * interval[2:-2] > FAST * _noise(position)
    told = fast & (np.abs(after - before) / 2 < ALIKE * np.abs(mean))
    ratio, place = step[told] / mean[told], place[told]
    whole = np.where(np.abs(ratio - np.round(ratio)) < ROUND, np.round(ratio), 1.0)
    fewest = max(FEWEST, SHARE * ratio.size)

    def unless_few(places: np.ndarray) -> np.ndarray:
        return places if places.size >= fewest else nothing

    missing, copies = place[(whole > 1) & (whole <= MOST)], place[whole == 0]
    return FrameSteps(unless_few(missing), unless_few(copies), ratio.size)


def _noise(position: np.ndarray) -> float:
    """White noise of one sample, from second differences of which a part need be clean."""
    second = np.diff(position, 2)
    off = np.abs(second - np.median(second))
    # A quarter of a normal distribution is within 0.3186 standard deviations.
    return float(np.quantile(off, CLEAN)) / 0.3186 / np.sqrt(6.0)
