"""Measured numbers of several trials, padded to one length so that all are computed in one ``vmap``."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

PADDING = 32
"""Lengths are rounded up to a multiple of this, so that data sets of similar size share compiled code."""


class Samples(NamedTuple):
    """What one kind of observation measured, of one trial or with a leading axis of trials.

    Attributes:
        times: (n,) on the clock of the measurement [s]; what the number is of, for observations that have no times.
        measured: (n, k) numbers.
        weight: (n, k) 1/standard deviation, 0 where nothing was measured or is used.
        whitening: how correlated noise is made white (``calibration.whitening``), or ``None``.
        loss: a robust loss with arrays (n, k) of its parameters (``calibration.loss``), or ``None`` for the sum of squares.
    """

    times: Any
    measured: Any
    weight: Any
    whitening: Any = None
    loss: Any = None


def padded(parts: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Samples:
    """Stack (times, measured, sigma) of different length: times repeat the last one, weights are zero.

    An infinite sigma means that a number is not used.
    """
    longest = max(time.size for time, _, _ in parts)
    # A few numbers are what they are; long series share sizes.
    size = int(np.ceil(longest / PADDING) * PADDING) if longest > PADDING else longest
    times, measured, weights = [], [], []
    for time, values, sigma in parts:
        extra = size - time.size
        nothing = np.zeros((extra, values.shape[1]))
        times.append(np.concatenate([time, np.full(extra, time[-1] if time.size else 0.0)]))
        measured.append(np.concatenate([np.nan_to_num(values), nothing]))
        weights.append(np.concatenate([1 / sigma, nothing]))
    return Samples(*(np.stack(column) for column in (times, measured, weights)))
