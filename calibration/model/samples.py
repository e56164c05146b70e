"""Measured numbers of several trials, padded to one length so that all are computed in one
``vmap``.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

PADDING = 32
"""Lengths are rounded up to a multiple of this, so that data sets of similar size share compiled
code.
"""


class Samples(NamedTuple):
    """What one kind of observation measured, of one trial or with a leading axis of trials.

    A pytree: its leaves are NumPy arrays where data are prepared, and traced arrays inside a fit.

    Attributes:
        times: (n,) on the clock of the measurement [s]; for observations that have no times, what
            each number is of.
        measured: (n, k) numbers.
        weight: (n, k) 1/standard deviation, 0 where nothing was measured or is used.
        whitening: how correlated noise is whitened (``calibration.noise.whitening.Whitening``), or
            ``None``.
        loss: a robust loss with arrays (n, k) of its parameters (``calibration.noise.loss.Loss``),
            or ``None`` for the sum of squares.
        reference: (n, m) what else is known of each number, for observations that need it: a speed,
            a measured orientation.
    """

    times: Any
    measured: Any
    weight: Any
    whitening: Any = None
    loss: Any = None
    reference: Any = None


def pad_samples(parts: Sequence[tuple[np.ndarray, ...]]) -> Samples:
    """Stack the samples of several trials, padded to one length.

    Args:
        parts: of each trial (times (n,), measured (n, k), sigma (n, k)), or also a reference (n,
            m). An infinite sigma means that a number is not used.

    Returns:
        Samples with a leading axis of trials. Padding repeats the last time and reference, and has
        the weight 0.
    """
    longest = max(part[0].size for part in parts)
    # A few numbers are what they are; long series share sizes.
    size = int(np.ceil(longest / PADDING) * PADDING) if longest > PADDING else longest
    times, measured, weights = [], [], []
    references: list[np.ndarray] = []
    for time, values, sigma, *reference in parts:
        extra = size - time.size
        nothing = np.zeros((extra, values.shape[1]))
        times.append(np.concatenate([time, np.full(extra, time[-1] if time.size else 0.0)]))
        measured.append(np.concatenate([np.nan_to_num(values), nothing]))
        weights.append(np.concatenate([1 / sigma, nothing]))
        references += [
            np.concatenate([known, np.repeat(known[-1:], extra, axis=0)]) for known in reference
        ]
    stacked = Samples(np.stack(times), np.stack(measured), np.stack(weights))
    return stacked._replace(reference=np.stack(references)) if references else stacked
