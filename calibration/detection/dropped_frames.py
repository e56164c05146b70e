"""Frames that a camera or a program dropped without saying so: all later times are too early by a
whole number of frames.

In free flight the samples on both sides of a place lie on one parabola, whose vertical curvature is
known. Times after the place that are late by ``m`` frames bring them there; the number ``m`` that
does so best is compared with none. Where the body hardly moves, or beside an impact, nothing can be
told.
"""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from calibration.detection.noise import rough_noise
from calibration.errors import InputError
from calibration.io.recording import Recording

WINDOWS = (10, 6, 4)
"""Samples on either side of a place that are looked at, fewer beside an impact."""

MOST = 6
"""Frames that may be missing at one place."""

GAIN = 30.0
"""Chi-squared that missing frames must explain; noise alone does so once in 1e7 places."""

MISFIT = 3.0
"""Largest chi-squared per degree of freedom with which samples are taken for one flight."""


class DroppedFrames(NamedTuple):
    """Frames missing after a sample: its place, how many, and by how much chi-squared they explain
    the samples better than none.
    """

    after: int
    missing: int
    gain: float


def find_dropped_frames(
    recording: Recording, *, gravity: float = 9.81
) -> tuple[DroppedFrames, ...]:
    """Where frames are missing in a recording with evenly spaced times.

    Args:
        recording: of a body in flight with impacts.
        gravity: in the units of the recording [m/s^2]; right to about 20 %.

    Raises:
        InputError: times that are not even: such a recording says itself where frames are missing.
    """
    steps = np.diff(recording.time)
    frame = float(np.median(steps))
    gaps = np.round(steps / frame)
    if np.any(np.abs(steps - gaps * frame) > 0.2 * frame):
        raise InputError(
            f"The times of {recording.name!r} are not even: they are real times, and tell "
            "themselves where frames are missing.",
            path=recording.path,
        )
    axes = [
        axis for axis in range(3) if np.isfinite(recording.position[:, axis]).sum() > 2 * WINDOWS[0]
    ]
    noise = {axis: _noise(recording, axis, gravity if axis == 2 else 0.0) for axis in axes}
    found: list[DroppedFrames] = []
    for after in range(3, len(recording.time) - 4):
        tried = [
            _best(
                recording,
                slice(max(after - left + 1, 0), after + 1 + right),
                after,
                frame,
                axes,
                noise,
                gravity,
            )
            for left, right in itertools.product(WINDOWS, WINDOWS)
        ]
        best = max(
            (item for item in tried if item is not None), key=lambda item: item.gain, default=None
        )
        if best is None:
            continue
        if found and after - found[-1].after < WINDOWS[0] // 2:
            found[-1] = max(found[-1], best, key=lambda item: item.gain)
        else:
            found.append(best)
    return tuple(found)


def _noise(recording: Recording, axis: int, gravity: float) -> float:
    seen = np.isfinite(recording.position[:, axis])
    time, values = recording.time[seen], recording.position[seen, axis]
    return max(
        rough_noise(time, values, acceleration=-gravity), 1e-9 * float(np.ptp(values)), 1e-12
    )


def _best(
    recording: Recording,
    window: slice,
    after: int,
    frame: float,
    axes: list[int],
    noise: dict[int, float],
    gravity: float,
) -> DroppedFrames | None:
    """The number of missing frames after a sample, if some are, from the samples in a window."""
    time, late = recording.time[window], np.arange(len(recording.time))[window] > after
    pieces = []
    for axis in axes:
        seen = np.isfinite(recording.position[window, axis])
        if (seen & late).sum() >= 4 and (seen & ~late).sum() >= 4:
            pulled = gravity if axis == 2 else 0.0
            pieces.append(
                (
                    time[seen] - time[0],
                    late[seen],
                    recording.position[window, axis][seen],
                    noise[axis],
                    pulled,
                )
            )

    def misfit(count: int) -> float:
        return sum(
            _flight_misfit(t + count * frame * moved, x, sigma, pulled, gravity)
            for t, moved, x, sigma, pulled in pieces
        )

    freedom, none = sum(len(piece[0]) - 3 for piece in pieces), misfit(0)
    if freedom < 5 or none < GAIN:
        return None
    misfits = [none, *(misfit(count) for count in range(1, MOST + 1))]
    count = int(np.argmin(misfits))
    gain = none - misfits[count]
    if count == 0 or gain < GAIN or misfits[count] > MISFIT * freedom:
        return None
    return DroppedFrames(after, count, gain)


def _flight_misfit(
    time: np.ndarray, values: np.ndarray, sigma: float, pulled: float, gravity: float
) -> float:
    """Chi-squared of samples about one flight. Drag, and a length scale that is a little wrong,
    bend it by a fifth of gravity at most.
    """
    straight = values + pulled / 2 * time**2
    basis = np.vander(time, 2)
    both = np.stack([straight, 0.1 * gravity * (time - time.mean()) ** 2], axis=1)
    rest, bend = (both - basis @ np.linalg.solve(basis.T @ basis, basis.T @ both)).T
    amount = np.clip(rest @ bend / (bend @ bend), -1.0, 1.0)
    return float(np.sum((rest - amount * bend) ** 2) / sigma**2)


def with_missing_frames(recording: Recording, found: Sequence[DroppedFrames]) -> Recording:
    """The recording with its later times moved by the missing frames."""
    frame = float(np.median(np.diff(recording.time)))
    time = recording.time.copy()
    for gap in found:
        time[gap.after + 1 :] += gap.missing * frame
    return dataclasses.replace(recording, time=time)
