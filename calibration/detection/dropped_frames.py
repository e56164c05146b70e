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

from calibration.detection.frame_steps import regular_places, steps_of_recording
from calibration.detection.noise import estimate_noise
from calibration.errors import InputError
from calibration.io.recording import Recording


@dataclasses.dataclass(frozen=True, kw_only=True)
class DroppedFrameOptions:
    """By what frames are taken for missing.

    Attributes:
        windows: numbers of samples on either side of a place that are looked at; beside an impact
            only few belong to one flight.
        most: largest number of frames that may be missing at one place; chosen, not measured.
        gain: chi-squared that missing frames must explain. Chi-squared of one degree of freedom is
            larger once in 2e7.
        misfit: largest chi-squared per degree of freedom with which samples are taken for one
            flight; chosen, not measured.
        evenness: part of a frame by which times may differ from even ones; chosen, not measured.

    Example:
        >>> cal.detection.DroppedFrameOptions(gain=50.0).most
        6
    """

    windows: tuple[int, ...] = (10, 6, 4)
    most: int = 6
    gain: float = 30.0
    misfit: float = 3.0
    evenness: float = 0.2


class DroppedFrames(NamedTuple):
    """Frames missing after a sample.

    Attributes:
        after: place of the sample.
        missing: number of frames.
        gain: chi-squared by which they explain the samples better than none; infinite for those of
            a regular pattern.

    Example:
        >>> cal.detection.DroppedFrames(after=99, missing=2, gain=140.0).missing
        2
    """

    after: int
    missing: int
    gain: float


def find_dropped_frames(
    recording: Recording,
    *,
    gravity: float = 9.81,
    options: DroppedFrameOptions = DroppedFrameOptions(),  # frozen
) -> tuple[DroppedFrames, ...]:
    """Find where frames are missing in a recording with evenly spaced times: one by one, or all of
    a regular pattern, also where the body hardly moves.

    Args:
        recording: of a body in flight with impacts.
        gravity: in the units of the recording [m/s^2]; right to about 20 %.
        options: by what frames are taken for missing.

    Raises:
        InputError: times that are not even: such a recording says itself where frames are missing.

    Example:
        A ball that bounces for ever, of which two frames were dropped:

        >>> kept = np.delete(np.arange(300), [100, 101])
        >>> phase = (kept / 240) % 0.6 - 0.3
        >>> position = np.full((298, 3), np.nan)
        >>> position[:, 2] = 0.02 + 9.81 / 2 * (0.3**2 - phase**2)
        >>> drop = cal.Recording(name="drop", time=np.arange(298) / 240, position=position)
        >>> [(gap.after, gap.missing) for gap in cal.detection.find_dropped_frames(drop)]
        [(99, 2)]
    """
    steps = np.diff(recording.time)
    frame = float(np.median(steps))
    gaps = np.round(steps / frame)
    if np.any(np.abs(steps - gaps * frame) > options.evenness * frame):
        raise InputError(
            f"The times of {recording.name!r} are not even: they are real times, and tell "
            "themselves where frames are missing.",
            path=recording.path,
        )
    regular = _regular_gaps(recording)
    if regular:
        return regular
    axes = [
        axis
        for axis in range(3)
        if np.isfinite(recording.position[:, axis]).sum() > 2 * options.windows[0]
    ]
    noise = {axis: _estimate_noise(recording, axis, gravity) for axis in axes}
    gaps_found: list[DroppedFrames] = []
    for after in range(3, len(recording.time) - 4):
        best: DroppedFrames | None = None
        for left, right in itertools.product(options.windows, options.windows):
            window = slice(max(after - left + 1, 0), after + 1 + right)
            pieces = _window_pieces(recording, window, after, noise, gravity)
            gap = _best_gap(pieces, after, frame, gravity, options)
            if gap is not None and (best is None or gap.gain > best.gain):
                best = gap
        if best is None:
            continue
        if gaps_found and after - gaps_found[-1].after < options.windows[0] // 2:
            gaps_found[-1] = max(gaps_found[-1], best, key=lambda gap: gap.gain)
        else:
            gaps_found.append(best)
    return tuple(gaps_found)


def _regular_gaps(recording: Recording) -> tuple[DroppedFrames, ...]:
    """One frame missing after every so many samples, where the vertical shows it."""
    steps = steps_of_recording(recording)
    places = regular_places(steps, recording.time.size)
    return () if places is None else tuple(DroppedFrames(int(k), 1, np.inf) for k in places)


def _estimate_noise(recording: Recording, axis: int, gravity: float) -> float:
    """Standard deviation of one sample along an axis [m], never 0."""
    seen = np.isfinite(recording.position[:, axis])
    time, values = recording.time[seen], recording.position[seen, axis]
    noise = estimate_noise(time, values, acceleration=-gravity if axis == 2 else 0.0)
    return max(noise, 1e-9 * float(np.ptp(values)), 1e-12)


class _Piece(NamedTuple):
    """Samples along one axis, beside a place.

    Attributes:
        time: from the first sample of the window [s].
        late: whether each sample is after the place.
        values: positions [m].
        sigma: standard deviation of one of them [m].
        gravity: along the axis [m/s^2].
    """

    time: np.ndarray
    late: np.ndarray
    values: np.ndarray
    sigma: float
    gravity: float


def _window_pieces(
    recording: Recording, window: slice, after: int, noise: dict[int, float], gravity: float
) -> list[_Piece]:
    """The samples in a window along each axis that has four on either side of the place."""
    time, late = recording.time[window], np.arange(len(recording.time))[window] > after
    pieces = []
    for axis, sigma in noise.items():
        seen = np.isfinite(recording.position[window, axis])
        if (seen & late).sum() < 4 or (seen & ~late).sum() < 4:
            continue
        values = recording.position[window, axis][seen]
        pull = gravity if axis == 2 else 0.0
        pieces.append(_Piece(time[seen] - time[0], late[seen], values, sigma, pull))
    return pieces


def _best_gap(
    pieces: list[_Piece], after: int, frame: float, gravity: float, options: DroppedFrameOptions
) -> DroppedFrames | None:
    """The number of missing frames after a sample, if some are, from the samples beside it."""

    def misfit(missing: int) -> float:
        chi2 = 0.0
        for piece in pieces:
            chi2 += _flight_misfit(piece, piece.time + missing * frame * piece.late, gravity)
        return chi2

    freedom = sum(len(piece.time) - 3 for piece in pieces)
    none = misfit(0)
    if freedom < 5 or none < options.gain:
        return None
    misfits = [none, *(misfit(missing) for missing in range(1, options.most + 1))]
    missing = int(np.argmin(misfits))
    gain = none - misfits[missing]
    if missing == 0 or gain < options.gain or misfits[missing] > options.misfit * freedom:
        return None
    return DroppedFrames(after, missing, gain)


def _flight_misfit(piece: _Piece, time: np.ndarray, gravity: float) -> float:
    """Chi-squared of samples about one flight, at corrected times. Drag, and a length scale that is
    a little wrong, bend it by a fifth of gravity at most.
    """
    straight = piece.values + piece.gravity / 2 * time**2
    basis = np.vander(time, 2)
    both = np.stack([straight, 0.1 * gravity * (time - time.mean()) ** 2], axis=1)
    # Both less their straight lines, by least squares.
    rest, bend = (both - basis @ np.linalg.solve(basis.T @ basis, basis.T @ both)).T
    amount = np.clip(rest @ bend / (bend @ bend), -1.0, 1.0)
    return float(np.sum((rest - amount * bend) ** 2) / piece.sigma**2)


def with_missing_frames(recording: Recording, gaps: Sequence[DroppedFrames]) -> Recording:
    """The recording with its later times moved by the missing frames.

    Args:
        recording: with evenly spaced times.
        gaps: as ``find_dropped_frames`` returns them.

    Example:
        >>> position = np.zeros((6, 3))
        >>> film = cal.Recording(name="film", time=np.arange(6.0), position=position)
        >>> gap = cal.detection.DroppedFrames(after=2, missing=1, gain=50.0)
        >>> cal.detection.with_missing_frames(film, [gap]).time.tolist()
        [0.0, 1.0, 2.0, 4.0, 5.0, 6.0]
    """
    frame = float(np.median(np.diff(recording.time)))
    time = recording.time.copy()
    for gap in gaps:
        time[gap.after + 1 :] += gap.missing * frame
    return dataclasses.replace(recording, time=time)
