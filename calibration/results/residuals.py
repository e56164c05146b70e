"""How far data and prediction of a recording or of a column are apart."""

from typing import Protocol

import numpy as np


class Compared(Protocol):
    """Anything measured and predicted, with the standard deviation of the measurement; ``counted``
    says which values took part in the fit, ``None`` for all that were measured.
    """

    @property
    def measured(self) -> np.ndarray: ...
    @property
    def predicted(self) -> np.ndarray: ...
    @property
    def sigma(self) -> np.ndarray: ...
    @property
    def counted(self) -> np.ndarray | None: ...


def residual(data: Compared) -> np.ndarray:
    """Measured minus predicted, in the unit of the measurement; NaN where there is no
    measurement.
    """
    return np.asarray(data.measured, float) - np.asarray(data.predicted, float)


def scaled_residual(data: Compared) -> np.ndarray:
    """Measured minus predicted over sigma; NaN where there is no measurement or no positive
    sigma.
    """
    sigma = np.asarray(data.sigma, float)
    known = np.isfinite(sigma) & (sigma > 0)
    return np.where(known, residual(data) / np.where(known, sigma, 1.0), np.nan)


def used(data: Compared) -> int:
    """How many measured numbers took part in the fit."""
    known = np.isfinite(residual(data))
    return int((known if data.counted is None else known & data.counted).sum())


def rms(data: Compared) -> float:
    """Root mean square of the residual over all samples and axes, NaN when there is none."""
    return _root_mean_square(residual(data))


def chi2_per_value(data: Compared) -> float:
    """Mean square of the residual in units of sigma, NaN when there is none."""
    return _root_mean_square(scaled_residual(data)) ** 2


def _root_mean_square(values: np.ndarray) -> float:
    values = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(values**2))) if values.size else float("nan")
