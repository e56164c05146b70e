"""Measured numbers of several trials, padded to one length so that all are computed in one
``vmap``.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from calibration.io.rounding import decimal_step

PADDING, OCTAVE = 32, 4
"""Lengths are rounded up to a multiple of this, and to one of so many parts of the power of two
below, so that data sets of similar size share compiled code.
"""

FINEST = 1e-5
"""Part of the range of a series below which its scatter is not believed to be the error: that is a
hundredth of a pixel in a picture of a thousand, and one sample of a sound in two seconds. Series
that scatter less were computed, and weights without a bound would leave nothing of the digits of a
minimisation.
"""

ROUNDING = 1e-6
"""Part by which an error that was raised to the finest may miss it."""


class MeasuredSamples(NamedTuple):
    """The numbers that one measurement gave of one trial.

    Attributes:
        times: (n,) on the clock of the measurement [s]; zeros where the rows have no times.
        measured: (n, k) numbers; NaN where nothing was measured.
        sigma: (n, k) standard deviations, infinite where a number is not used.
        reference: (n, m) what else is known of each row, for observations that need it: a speed, a
            measured orientation; or ``None``.

    Example:
        >>> speed = np.array([[2.5], [2.0]])
        >>> sigma = np.full(speed.shape, 0.01)
        >>> samples = cal.measurements.MeasuredSamples(np.zeros(2), speed, sigma)
        >>> samples.measured.shape
        (2, 1)
    """

    times: Annotated[np.ndarray, "rows"]
    measured: Annotated[np.ndarray, "rows columns"]
    sigma: Annotated[np.ndarray, "rows columns"]
    reference: Annotated[np.ndarray, "rows known"] | None = None

    def at_least_finest(self) -> "MeasuredSamples":
        """The same with standard deviations that are not below ``FINEST`` of the range."""
        return self._replace(
            sigma=np.fmax(self.sigma, finest_deviation(self.measured, np.isfinite(self.sigma)))
        )


def finest_deviation(
    measured: np.ndarray, used: np.ndarray, *, from_zero: bool = False
) -> np.ndarray:
    """``FINEST`` of the range of the columns (..., 1, k); 0 where there is none.

    Args:
        measured: (..., n, k) numbers.
        used: (..., n, k) which of them count.
        from_zero: whether each column is a quantity of its own that counts from zero, as speeds and
            ratios do; else they are components of one quantity, as positions are, and an instrument
            has the range of the largest.
    """
    highest = np.max(np.where(used, measured, -np.inf), axis=-2, keepdims=True, initial=-np.inf)
    lowest = np.min(np.where(used, measured, np.inf), axis=-2, keepdims=True, initial=np.inf)
    if from_zero:
        return FINEST * np.maximum(np.maximum(highest, -lowest), 0.0)
    extent = np.max(highest - lowest, axis=-1, keepdims=True, initial=0.0)
    return np.broadcast_to(FINEST * extent, highest.shape)


def rounding_deviation(
    measured: np.ndarray, used: np.ndarray, *, from_zero: bool = False
) -> np.ndarray:
    """Standard deviation of what is lost by writing numbers with few decimals, of each column
    (..., 1, k): that of an even distribution over one step.

    Args:
        measured: (..., n, k) numbers.
        used: (..., n, k) which of them count.
        from_zero: as of ``finest_deviation``; components of one quantity are written alike, so that
            one of them which does not vary has the digits of the others.
    """
    columns = np.moveaxis(np.where(used, measured, 0.0), -2, -1)
    alike = columns if from_zero else columns.reshape(*columns.shape[:-2], 1, -1)
    steps = np.apply_along_axis(decimal_step, -1, alike)[..., None, :]
    return np.broadcast_to(steps, (*steps.shape[:-1], measured.shape[-1])) / np.sqrt(12)


def round_length(count: int) -> int:
    """The length to which so many samples are padded."""
    if count <= PADDING:
        return count
    step = max(PADDING, 2 ** (count.bit_length() - 1) // OCTAVE)
    return -(-count // step) * step


class Samples(NamedTuple):
    """``MeasuredSamples`` as a fit uses them: of one trial, or with a leading axis of trials.

    A pytree: its leaves are NumPy arrays where data are prepared, and traced arrays inside a fit.

    Attributes:
        times: (n,) on the clock of the measurement [s]; zeros, or what the row is of, where the
            rows have no times.
        measured: (n, k) numbers.
        weight: (n, k) 1/standard deviation, 0 where nothing was measured or is used.
        whitening: how correlated noise is whitened (``calibration.noise.whitening.Whitening``), or
            ``None``.
        loss: a robust loss with arrays (n, k) of its parameters (``calibration.noise.loss.Loss``),
            or ``None`` for the sum of squares.
        reference: (n, m) what else is known of each number, for observations that need it: a speed,
            a measured orientation.

    Example:
        ``Observation.predict`` is given them; a problem holds those of its trials:

        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> sounds = cal.measurements.BounceTimes([0.32, 0.75, 1.05], sigma=1e-4)
        >>> problem = cal.Problem(
        ...     scene,
        ...     [sounds],
        ...     free=["contact.normal.restitution"],
        ...     nuisance=[cal.nuisances.FirstImpact()],
        ... )
        >>> problem.data[0].samples[0].weight.shape
        (1, 3, 1)
    """

    times: Any
    measured: Any
    weight: Any
    whitening: Any = None
    loss: Any = None
    reference: Any = None


def pad_samples(parts: Sequence[MeasuredSamples]) -> Samples:
    """Stack the samples of several trials, padded to one length.

    Args:
        parts: of each trial. An infinite sigma means that a number is not used.

    Returns:
        Samples with a leading axis of trials. Padding repeats the last time and reference, and has
        the weight 0.
    """
    longest = max(part.times.size for part in parts)
    # A few numbers are what they are; long series share sizes.
    size = round_length(longest)
    times, measured, weights = [], [], []
    references: list[np.ndarray] = []
    for part in parts:
        extra = size - part.times.size
        nothing = np.zeros((extra, part.measured.shape[1]))
        last = part.times[-1] if part.times.size else 0.0
        times.append(np.concatenate([part.times, np.full(extra, last)]))
        measured.append(np.concatenate([np.nan_to_num(part.measured), nothing]))
        weights.append(np.concatenate([1 / part.sigma, nothing]))
        if part.reference is not None:
            repeated = np.repeat(part.reference[-1:], extra, axis=0)
            references.append(np.concatenate([part.reference, repeated]))
    return Samples(
        np.stack(times),
        np.stack(measured),
        np.stack(weights),
        reference=np.stack(references) if references else None,
    )
