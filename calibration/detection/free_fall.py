"""How fast things fall in a recording, before anything is read out of it: what tells centimetres
from metres, a wrong frame rate, and an axis that points down.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.io.recording import Recording

WIDTHS = (5, 7, 9, 13, 17, 25, 33)
"""Samples in a window through which a parabola is laid."""

WINDOWS = 400
"""Windows of one width, at most; evenly spaced."""

FEWEST = 10
"""Windows from which the usual acceleration is told."""

ALIKE, SHARE = 0.3, 0.6
"""Relative distance from the usual acceleration, and share of the windows that must be within it:
then the recording is of something that falls.
"""

FAR = 3.0
"""Factor from gravity at which no scale is a little wrong any more; a foot is 3.3 to the metre."""

UNITS = {"ft": 0.3048, "in": 0.0254, "cm": 0.01, "mm": 0.001}
"""Lengths that are taken for metres [m]."""

NEAR_UNIT = 0.15
"""Relative distance at which a factor is that of a unit."""


class FreeFall(NamedTuple):
    """What falls in a recording.

    Attributes:
        acceleration: downwards, in most of the recording [m/s^2].
        sd: standard error of one window [m/s^2].
        share: of the windows that show it.
    """

    acceleration: float
    sd: float
    share: float


def find_free_fall(recording: Recording) -> FreeFall | None:
    """The acceleration that most short windows of a recording have in common; ``None`` where there
    is none, as in noise, or where a ball lies still.

    Args:
        recording: positions against time; ``z`` points up.
    """
    seen = np.isfinite(recording.position[:, 2])
    time, height = recording.time[seen], recording.position[seen, 2]
    found = [_of_width(time, height, width) for width in WIDTHS if len(time) >= width + FEWEST]
    sure = [
        item
        for item in found
        if item is not None and item.share >= SHARE and item.sd < ALIKE * abs(item.acceleration)
    ]
    return max(sure, key=lambda item: item.share, default=None)


def check_free_fall(recording: Recording, *, gravity: float) -> None:
    """Raise where a recording is of something that falls, but not as things fall.

    Args:
        recording: positions against time; ``z`` points up.
        gravity: acceleration of free fall [m/s^2]; nothing is checked where there is none.

    Raises:
        InputError: with the likely causes and their numbers.
    """
    fall = find_free_fall(recording) if gravity > 0 else None
    if fall is None:
        return
    ratio = fall.acceleration / gravity
    if 1 / FAR < ratio < FAR:
        return
    if -FAR < ratio < -1 / FAR:
        raise InputError(
            f"the ball falls upwards, with {-fall.acceleration:.3g} m/s^2",
            remedy="The vertical axis counts the other way: turn its sign round, as in --vertical "
            "-z or --vertical -y.",
            path=recording.path,
        )
    said = f"{ratio:.2g} times" if abs(ratio) >= 1 else f"1/{1 / ratio:.2g} of"
    raise InputError(
        f"free fall in this recording looks like {fall.acceleration:.3g} m/s^2, {said} the gravity "
        f"of {gravity:g} m/s^2",
        remedy=f"{_cause_in_lengths(ratio)}or the frame rate or the unit of the times is wrong: "
        f"true times would be {math.sqrt(abs(ratio)):.2g} times these. Where another gravity acts, "
        "give it: --gravity.",
        path=recording.path,
    )


def _cause_in_lengths(ratio: float) -> str:
    for name, metres in UNITS.items():
        if abs(ratio * metres - 1) < NEAR_UNIT:
            return (
                f"The positions are probably in {name} rather than in m: write the unit into the "
                f"header, as in 'z ({name})'; "
            )
    return f"The lengths are in another unit (true ones would be {1 / ratio:.2g} times these), "


def _of_width(
    time: NDArray[np.float64], height: NDArray[np.float64], width: int
) -> FreeFall | None:
    """The median over windows of parabolas through so many samples."""
    first = np.unique(np.linspace(0, len(time) - width, WINDOWS).astype(int))
    places = first[:, None] + np.arange(width)
    times, heights = time[places], height[places]
    spans = times[:, -1] - times[:, 0]
    whole = spans < 2 * np.median(spans)  # nothing is missing inside
    spans, times, heights = spans[whole], times[whole], heights[whole]
    if len(spans) < FEWEST:
        return None
    tau = 2 * (times - times.mean(axis=1, keepdims=True)) / spans[:, None]
    basis = np.stack([np.ones_like(tau), tau, tau**2], axis=2)
    centred = heights - heights.mean(axis=1, keepdims=True)
    inverse = np.linalg.pinv(basis)
    coefficients = np.squeeze(inverse @ centred[..., None], -1)
    left = centred - np.squeeze(basis @ coefficients[..., None], -1)
    noise = math.sqrt(float(np.median(np.sum(left**2, axis=1))) / (width - 3))
    to_acceleration = -2 * (2 / spans) ** 2  # of the coefficient of tau squared
    downwards = to_acceleration * coefficients[:, 2]
    usual = float(np.median(downwards))
    alike = np.abs(downwards - usual) < ALIKE * abs(usual)
    sd = noise * float(np.median(np.abs(to_acceleration) * np.linalg.norm(inverse[:, 2], axis=1)))
    return FreeFall(usual, sd, float(np.mean(alike)))
