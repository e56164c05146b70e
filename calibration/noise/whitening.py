"""Correlated noise made white: noise that fades from sample to sample like exp(-dt/tau)
(Ornstein-Uhlenbeck; AR(1) at equal steps).
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Whitening(NamedTuple):
    """How residuals of one observation become independent, of one trial or with a leading axis of
    trials.

    Attributes:
        previous: (n, k) index of the used sample before each one, its own where there is none.
        correlation: (n, k) correlation with that sample, 0 where there is none.
    """

    previous: Any
    correlation: Any


def make_whitening(times: np.ndarray, weight: np.ndarray, correlation_time: Any) -> Whitening:
    """The whitening of (R, n) times and (R, n, k) weights for a correlation time [s], one for all
    or (k,).
    """
    used = weight > 0
    here = np.broadcast_to(np.arange(times.shape[1])[None, :, None], weight.shape)
    last = np.maximum.accumulate(np.where(used, here, -1), axis=1)
    before = np.concatenate([np.full_like(last[:, :1], -1), last[:, :-1]], axis=1)
    linked = used & (before >= 0)
    previous = np.where(linked, before, here)
    gap = times[..., None] - np.take_along_axis(
        np.broadcast_to(times[..., None], weight.shape), previous, axis=1
    )
    tau = np.broadcast_to(np.asarray(correlation_time, dtype=float), weight.shape[2:])
    correlation = np.where(linked & (tau > 0), np.exp(-gap / np.where(tau > 0, tau, 1.0)), 0.0)
    return Whitening(previous, correlation)


def whiten(residual: jax.Array, by: Whitening) -> jax.Array:
    """``(r_i - rho_i r_(i-1)) / sqrt(1 - rho_i^2)``: independent, of unit variance, of (n, k)
    residuals.
    """
    before = jnp.take_along_axis(residual, by.previous, axis=0)
    return (residual - by.correlation * before) / jnp.sqrt(1 - by.correlation**2)


def unwhiten(columns: np.ndarray, by: Whitening) -> np.ndarray:
    """The inverse of ``whitened``, of (R, n, k, p) columns."""
    previous, correlation = np.asarray(by.previous), np.asarray(by.correlation)[..., None]
    found = np.sqrt(1 - correlation**2) * columns
    trials, series = np.arange(columns.shape[0])[:, None], np.arange(columns.shape[2])[None, :]
    for i in range(1, columns.shape[1]):
        linked = (previous[:, i] != i)[..., None]
        found[:, i] += np.where(
            linked, correlation[:, i] * found[trials, previous[:, i], series], 0.0
        )
    return found
