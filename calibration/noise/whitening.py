"""Whitening of correlated noise that fades from sample to sample like ``exp(-dt/tau)``
(Ornstein-Uhlenbeck; AR(1) at equal steps).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray


class Whitening(NamedTuple):
    """How residuals of one measurement become independent, of one trial or with a leading axis of
    trials.

    Attributes:
        previous: (n, k) index of the used sample before each one, its own where there is none.
        correlation: (n, k) correlation with that sample, 0 where there is none.
    """

    previous: NDArray[np.intp]
    correlation: NDArray[np.float64]


def make_whitening(
    times: NDArray[np.float64], weight: NDArray[np.float64], correlation_time: ArrayLike
) -> Whitening:
    """The whitening of the samples that are used.

    Args:
        times: of the samples (R, n) [s].
        weight: of the samples (R, n, k), 0 where a sample is not used.
        correlation_time: tau [s], one for all columns or (k,); 0 for white noise.
    """
    used = weight > 0
    index = np.broadcast_to(np.arange(times.shape[1])[None, :, None], weight.shape)
    # The last used sample up to each one, then up to the one before it.
    last = np.maximum.accumulate(np.where(used, index, -1), axis=1)
    before = np.concatenate([np.full_like(last[:, :1], -1), last[:, :-1]], axis=1)
    linked = used & (before >= 0)
    previous = np.where(linked, before, index)
    every_time = np.broadcast_to(times[..., None], weight.shape)
    gap = times[..., None] - np.take_along_axis(every_time, previous, axis=1)
    # rho_i = exp(-(t_i - t_(i-1))/tau)
    tau = np.broadcast_to(np.asarray(correlation_time, dtype=float), weight.shape[2:])
    correlation = np.where(linked & (tau > 0), np.exp(-gap / np.where(tau > 0, tau, 1.0)), 0.0)
    return Whitening(previous, correlation)


def whiten(residual: jax.Array, whitening: Whitening) -> jax.Array:
    """``(r_i - rho_i r_(i-1)) / sqrt(1 - rho_i^2)``: independent residuals of unit variance.

    Args:
        residual: correlated residuals (n, k) of unit variance.
        whitening: of the same trial.
    """
    before = jnp.take_along_axis(residual, jnp.asarray(whitening.previous), axis=0)
    correlation = jnp.asarray(whitening.correlation)
    return (residual - correlation * before) / jnp.sqrt(1 - correlation**2)


def unwhiten(columns: NDArray[np.float64], whitening: Whitening) -> NDArray[np.float64]:
    """The inverse of ``whiten``, of columns (R, n, k, p): ``r_i = sqrt(1 - rho_i^2) w_i + rho_i
    r_(i-1)``.
    """
    previous = np.asarray(whitening.previous)
    correlation = np.asarray(whitening.correlation)[..., None]
    result = np.sqrt(1 - correlation**2) * columns
    trials = np.arange(columns.shape[0])[:, None]
    series = np.arange(columns.shape[2])[None, :]
    for i in range(1, columns.shape[1]):
        linked = (previous[:, i] != i)[..., None]
        before = result[trials, previous[:, i], series]
        result[:, i] += np.where(linked, correlation[:, i] * before, 0.0)
    return result
