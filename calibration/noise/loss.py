"""Robust losses, put into the residual: the sum of squares of what they return is -2 log
likelihood, up to a constant.

A loss ``rho(r)`` of a residual r in standard deviations becomes the residual ``sign(r)
sqrt(rho(r))``, which is smooth at 0. So everything that works with sums of squares (fits, profiles,
the bootstrap, samplers) works with robust losses without knowing of them.
"""

from typing import Any, NamedTuple, Protocol

import jax.numpy as jnp
import numpy as np
from scipy import special, stats


class Loss(Protocol):
    """A loss with its parameters as arrays that broadcast against residuals (n, k), or with a
    leading axis of trials.
    """

    def residual(self, deviation: Any) -> Any:
        """``sign(r) sqrt(rho(r))`` of a deviation r in standard deviations."""

    def deviation(self, residual: np.ndarray) -> np.ndarray:
        """The inverse of ``residual``."""

    def influence(self, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``psi = rho'/2`` and its derivative: r and 1 for Gaussian noise."""

    def scale_statistic(self, deviation: np.ndarray) -> np.ndarray:
        """What has the mean 1 where deviations are in the right unit, and grows with them."""

    def expected_value(self) -> np.ndarray:
        """Mean of ``rho`` where the noise is as assumed: Student's t, normal for Huber's."""


class StudentTLoss(NamedTuple):
    """``rho = (nu + 1) ln(1 + r^2/nu)``: the negative log density of Student's t, twice."""

    degrees: Any

    def residual(self, deviation: Any) -> Any:
        """``r sqrt(rho/r^2)``; near 0 the series of the logarithm."""
        ratio = deviation**2 / self.degrees
        near = ratio < 1e-8
        quotient = jnp.where(near, 1 - ratio / 2, jnp.log1p(ratio) / jnp.where(near, 1.0, ratio))
        return deviation * jnp.sqrt((self.degrees + 1) / self.degrees * quotient)

    def deviation(self, residual: np.ndarray) -> np.ndarray:
        """``r^2 = nu (exp(rho/(nu + 1)) - 1)``."""
        degrees = np.asarray(self.degrees)
        return np.sign(residual) * np.sqrt(degrees * np.expm1(residual**2 / (degrees + 1)))

    def influence(self, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``psi = (nu + 1) r/(nu + r^2)``: far outliers lose their pull."""
        degrees = np.asarray(self.degrees)
        width = degrees + deviation**2
        return (degrees + 1) * deviation / width, (degrees + 1) * (
            degrees - deviation**2
        ) / width**2

    def scale_statistic(self, deviation: np.ndarray) -> np.ndarray:
        """``psi r``: its mean is 1 at the maximum of the likelihood by the scale."""
        return self.influence(deviation)[0] * deviation

    def expected_value(self) -> np.ndarray:
        """``(nu + 1)(digamma((nu + 1)/2) - digamma(nu/2))``."""
        degrees = np.asarray(self.degrees)
        return (degrees + 1) * (special.digamma((degrees + 1) / 2) - special.digamma(degrees / 2))


class HuberLoss(NamedTuple):
    """``rho = r^2`` up to ``|r| = k``, then ``2 k |r| - k^2``: quadratic, then linear."""

    threshold: Any

    def residual(self, deviation: Any) -> Any:
        """``r``, beyond the threshold ``sign(r) sqrt(2 k |r| - k^2)``."""
        size = jnp.maximum(jnp.abs(deviation), self.threshold)
        far = jnp.sign(deviation) * jnp.sqrt(2 * self.threshold * size - self.threshold**2)
        return jnp.where(jnp.abs(deviation) <= self.threshold, deviation, far)

    def deviation(self, residual: np.ndarray) -> np.ndarray:
        """``|r| = (rho + k^2)/(2 k)`` beyond the threshold."""
        threshold = np.asarray(self.threshold)
        far = np.sign(residual) * (residual**2 + threshold**2) / (2 * threshold)
        return np.where(np.abs(residual) <= threshold, residual, far)

    def influence(self, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``psi = r``, at most ``k``."""
        threshold = np.asarray(self.threshold)
        return np.clip(deviation, -threshold, threshold), (np.abs(deviation) <= threshold).astype(
            float
        )

    def scale_statistic(self, deviation: np.ndarray) -> np.ndarray:
        """``psi^2`` over its mean for normal errors (Huber's proposal 2)."""
        k = np.asarray(self.threshold)
        mean = 1 - 2 * k * stats.norm.pdf(k) + 2 * (k**2 - 1) * stats.norm.sf(k)
        return self.influence(deviation)[0] ** 2 / mean

    def expected_value(self) -> np.ndarray:
        """The integral over the normal density."""
        k = np.asarray(self.threshold)
        return 1 + 2 * k * stats.norm.pdf(k) - 2 * (1 + k**2) * stats.norm.sf(k)
