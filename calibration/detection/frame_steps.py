"""Whether frames were left out or copied in a recording whose times do not say so.

From frame to frame a body in flight moves as far as it does on average in the two steps before and
the two after. Where a frame is missing that the times do not miss, it moves twice as far; where one
is a copy of the one before, not at all. It shows wherever the body is fast against the noise, and
as often as it happens: no model of the motion is needed.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

from calibration.detection.noise import rounding_step
from calibration.io.recording import Recording

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

LEAST_PERIOD, REGULAR = 3, 0.4
"""Common divisor of the distances of missing frames that makes a pattern, and the part of its fast
places at which they are seen to be missing. Four frames lost anywhere are far from that.
"""

CLEAN = 0.25
"""Part of the second differences that is free of what is sought."""

MOST_ALIKE = 0.99
"""Part of them that may be the same number of pixels and still tell the noise."""


class FrameSteps(NamedTuple):
    """Steps from frame to frame that are too long or too short.

    Attributes:
        missing: places of the samples after which frames are missing.
        copies: places of the samples that the next one copies.
        told: places of the steps that are long enough to tell.
    """

    missing: np.ndarray
    copies: np.ndarray
    told: np.ndarray


def regular_places(steps: FrameSteps, count: int) -> np.ndarray | None:
    """All places of a regular pattern of missing frames, of which some were found; ``None`` where
    there is none.

    Frames that are lost in the middle of a fast flight tell of those that are lost where nothing
    moves: their distances are multiples of one number.

    Args:
        steps: what was found.
        count: of the samples.
    """
    if steps.missing.size < FEWEST:
        return None
    period = int(np.gcd.reduce(np.diff(steps.missing)))
    if period < LEAST_PERIOD:
        return None
    pattern = np.arange(int(steps.missing[0]) % period, count - 1, period)
    looked_at = np.intersect1d(pattern, steps.told).size
    return pattern if steps.missing.size > REGULAR * looked_at else None


def steps_of_recording(
    recording: Recording, *, fewest: int = FEWEST, share: float = SHARE
) -> FrameSteps:
    """Steps along the vertical that are another whole number of their neighbours than one.

    Samples without a height are left out, and places are those of the recording all the same.

    Args:
        recording: positions against time.
        fewest: steps of one kind that are no accident.
        share: part of those that tell, likewise.
    """
    height = recording.position[:, 2]
    seen = np.flatnonzero(np.isfinite(height))
    found = find_frame_steps(recording.time[seen], height[seen], fewest=fewest, share=share)
    return FrameSteps(*(seen[places] for places in found))


def find_frame_steps(
    time: np.ndarray, position: np.ndarray, *, fewest: int = FEWEST, share: float = SHARE
) -> FrameSteps:
    """Steps that are another whole number of their neighbours than one; none where there are no
    more than accidents.

    Args:
        time: of the samples, increasing (n,).
        position: measured along one axis (n,), without gaps.
        fewest: steps of one kind that are no accident.
        share: part of those that tell, likewise.
    """
    nothing = np.zeros(0, dtype=int)
    if time.size < 8:
        return FrameSteps(nothing, nothing, nothing)
    interval = np.diff(time)
    speed = np.diff(position) / interval
    before, step, after = speed[:-4] + speed[1:-3], speed[2:-2], speed[3:-1] + speed[4:]
    mean, place = (before + after) / 4, np.arange(2, speed.size - 2)
    fast = np.abs(mean) * interval[2:-2] > FAST * _noise(position)
    told = fast & (np.abs(after - before) / 2 < ALIKE * np.abs(mean))
    ratio, place = step[told] / mean[told], place[told]
    whole = np.where(np.abs(ratio - np.round(ratio)) < ROUND, np.round(ratio), 1.0)
    least = max(fewest, share * ratio.size)

    def unless_few(places: np.ndarray) -> np.ndarray:
        return places if places.size >= least else nothing

    missing, copies = place[(whole > 1) & (whole <= MOST)], place[whole == 0]
    return FrameSteps(unless_few(missing), unless_few(copies), place)


def _noise(position: np.ndarray) -> float:
    """White noise of one sample, from second differences of which a part need be clean. Those of
    whole pixels are multiples of one: each stands for what is within half a pixel of it.
    """
    second = np.diff(position, 2)
    off = np.abs(second - np.median(second))
    least, pixel = float(np.quantile(off, CLEAN)), rounding_step(position)
    share = max(float(np.mean(off <= least + pixel / 4)), CLEAN) if pixel else CLEAN
    within = stats.norm.ppf((1 + min(share, MOST_ALIKE)) / 2)
    return float((least + pixel / 2) / within / np.sqrt(6.0))
