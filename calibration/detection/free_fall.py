"""How fast things fall in a recording, in whatever units, whatever is said of its axis.

Where a ball flies freely, its height is a parabola, and all of them have the same curvature. So the
longest stretches are sought that a parabola explains, and the curvature of most of them is taken.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from calibration.detection.noise import estimate_noise

LEAST_SAMPLES = 6
"""Samples from which on a parabola is fitted."""

SIGNIFICANT = 10.0
"""Standard errors by which a curvature must differ from none."""

NOISE = 2.5
"""Deviations from a parabola, in noise of single samples, up to which a stretch is one."""

SAGITTA = 0.04
"""The same as a share of the sagitta: drag and lenses bend a parabola by some per cent, a bounce
inside the stretch by more than a tenth.
"""

ALIKE = 0.25
"""Stretches whose curvature differs by less, relatively, are of one kind of motion."""


class FreeFall(NamedTuple):
    """What free flights show.

    Attributes:
        acceleration: downwards, in recorded units of length over those of time squared; negative
            where heights are accelerated upwards.
        sd: its standard deviation, from the scatter between stretches.
        stretches: number of parabolas.
        share: part of the samples in them.
    """

    acceleration: float
    sd: float
    stretches: int
    share: float


class _Stretch(NamedTuple):
    start: int
    stop: int
    curvature: float
    swept: float


def measure_free_fall(time: np.ndarray, height: np.ndarray) -> FreeFall | None:
    """The acceleration of free flights, ``None`` where there are none.

    Args:
        time: of the samples, increasing (n,).
        height: measured (n,), without gaps.
    """
    if time.size < LEAST_SAMPLES or not np.ptp(height) > 0:
        return None
    noise = estimate_noise(time, height, acceleration=0.0)
    chosen = _apart(_parabolas(time, height, noise))
    if not chosen:
        return None
    kind = _most(chosen)
    weight = np.array([one.swept for one in kind])
    value = np.array([one.curvature for one in kind])
    mean = float(np.sum(weight * value) / np.sum(weight))
    scatter = float(np.sqrt(np.sum(weight * (value - mean) ** 2) / np.sum(weight)))
    return FreeFall(
        acceleration=-mean,
        sd=max(scatter, 0.02 * abs(mean)) / np.sqrt(len(kind)),
        stretches=len(kind),
        share=sum(one.stop - one.start for one in kind) / time.size,
    )


def _parabolas(time: np.ndarray, height: np.ndarray, noise: float) -> list[_Stretch]:
    """Stretches that a parabola explains, of many lengths, longest first."""
    found: list[_Stretch] = []
    length = float(time.size)
    while length >= LEAST_SAMPLES:
        found += _parabolas_of(int(length), time, height, noise)
        length /= 1.25
    return found


def _parabolas_of(size: int, time: np.ndarray, height: np.ndarray, noise: float) -> list[_Stretch]:
    """Stretches of so many samples, those that a parabola explains; all are fitted at once."""
    starts = np.arange(0, time.size - size + 1, max(size // 8, 1))
    times, heights = (sliding_window_view(values, size)[starts] for values in (time, height))
    middle, half = (times[:, 0] + times[:, -1]) / 2, (times[:, -1] - times[:, 0]) / 2
    since = (times - middle[:, None]) / half[:, None]
    basis = since[..., None] ** np.arange(3)  # its normal equations have a condition of 15
    spread = np.linalg.inv(basis.swapaxes(1, 2) @ basis)
    coefficients = spread @ (basis.swapaxes(1, 2) @ heights[..., None])
    deviation = heights - np.squeeze(basis @ coefficients, 2)
    rms = np.sqrt(np.sum(deviation**2, axis=1) / (size - 3))
    curvature = 2 * coefficients[:, 2, 0] / half**2
    sagitta = np.abs(coefficients[:, 2, 0])
    error = np.maximum(rms, noise) * np.sqrt(spread[:, 2, 2])
    explained = (rms <= np.maximum(NOISE * noise, SAGITTA * sagitta)) & (
        sagitta >= SIGNIFICANT * error
    )
    return [
        _Stretch(int(starts[i]), int(starts[i]) + size, float(curvature[i]), float(sagitta[i]))
        for i in np.flatnonzero(explained)
    ]


def _apart(found: list[_Stretch]) -> list[_Stretch]:
    """The longest stretches that hardly overlap."""
    chosen: list[_Stretch] = []
    for one in found:
        overlap = max(
            (min(one.stop, other.stop) - max(one.start, other.start) for other in chosen), default=0
        )
        if overlap <= (one.stop - one.start) / 4:
            chosen.append(one)
    return chosen


def _most(stretches: list[_Stretch]) -> list[_Stretch]:
    """Those of one kind of motion that sweep most."""

    def alike(one: _Stretch) -> list[_Stretch]:
        return [
            other
            for other in stretches
            if abs(other.curvature - one.curvature) < ALIKE * abs(one.curvature)
        ]

    return max(map(alike, stretches), key=lambda kind: sum(one.swept for one in kind))
