"""Robust losses, put into the residual: the sum of squares of what they return is -2 log
likelihood, up to a constant.

A loss ``rho(r)`` of a residual r in standard deviations becomes the residual ``sign(r)
sqrt(rho(r))``, which is smooth at 0. So everything that works with sums of squares (fits, profiles,
the bootstrap, samplers) works with robust losses without knowing of them.
"""

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike
from numpy.typing import NDArray
from scipy import special, stats


class Loss(Protocol):
    """A loss with its parameters as arrays that broadcast against residuals (n, k), or with a
    leading axis of trials.
    """

    def residual(self, deviation: ArrayLike) -> jax.Array:
        """``sign(r) sqrt(rho(r))`` of deviations r (n, k) in standard deviations."""

    def deviation(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        """The deviations r (n, k) of residuals: the inverse of ``residual``."""

    def influence(
        self, deviation: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``psi = rho'/2`` and its derivative, each (n, k): r and 1 for Gaussian noise."""

    def scale_statistic(self, deviation: NDArray[np.float64]) -> NDArray[np.float64]:
        """A statistic (n, k) of the size of deviations: its mean is 1 where they are in the right
        unit, and it grows with them.
        """

    def expected_value(self) -> NDArray[np.float64]:
        """Mean of ``rho`` where the noise is as assumed: Student's t, normal for Huber's."""


class StudentTLoss(NamedTuple):
    """``rho = (nu + 1) ln(1 + r^2/nu)``: the negative log density of Student's t, twice.

    Attributes:
        degrees: degrees of freedom nu (n, k).
    """

    degrees: NDArray[np.float64]

    def residual(self, deviation: ArrayLike) -> jax.Array:
        """``r sqrt(rho/r^2)``; near 0 the series of the logarithm."""
        r = jnp.asarray(deviation)
        ratio = r**2 / self.degrees
        near = ratio < 1e-8
        quotient = jnp.where(near, 1 - ratio / 2, jnp.log1p(ratio) / jnp.where(near, 1.0, ratio))
        return r * jnp.sqrt((self.degrees + 1) / self.degrees * quotient)

    def deviation(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        """``r^2 = nu (exp(rho/(nu + 1)) - 1)``."""
        nu = np.asarray(self.degrees)
        return np.sign(residual) * np.sqrt(nu * np.expm1(residual**2 / (nu + 1)))

    def influence(
        self, deviation: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``psi = (nu + 1) r/(nu + r^2)``: far outliers lose their pull."""
        nu = np.asarray(self.degrees)
        width = nu + deviation**2
        psi = (nu + 1) * deviation / width
        slope = (nu + 1) * (nu - deviation**2) / width**2
        return psi, slope

    def scale_statistic(self, deviation: NDArray[np.float64]) -> NDArray[np.float64]:
        """``psi r``: its mean is 1 at the maximum of the likelihood by the scale."""
        return self.influence(deviation)[0] * deviation

    def expected_value(self) -> NDArray[np.float64]:
        """``(nu + 1)(digamma((nu + 1)/2) - digamma(nu/2))``."""
        nu = np.asarray(self.degrees)
        return (nu + 1) * (special.digamma((nu + 1) / 2) - special.digamma(nu / 2))


class HuberLoss(NamedTuple):
    """``rho = r^2`` up to ``|r| = k``, then ``2 k |r| - k^2``: quadratic, then linear.

    Attributes:
        threshold: k (n, k), in standard deviations.
    """

    threshold: NDArray[np.float64]

    def residual(self, deviation: ArrayLike) -> jax.Array:
        """``r``, beyond the threshold ``sign(r) sqrt(2 k |r| - k^2)``."""
        r = jnp.asarray(deviation)
        size = jnp.maximum(jnp.abs(r), self.threshold)
        far = jnp.sign(r) * jnp.sqrt(2 * self.threshold * size - self.threshold**2)
        return jnp.where(jnp.abs(r) <= self.threshold, r, far)

    def deviation(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        """``|r| = (rho + k^2)/(2 k)`` beyond the threshold."""
        k = np.asarray(self.threshold)
        far = np.sign(residual) * (residual**2 + k**2) / (2 * k)
        return np.where(np.abs(residual) <= k, residual, far)

    def influence(
        self, deviation: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``psi = r``, at most ``k``."""
        k = np.asarray(self.threshold)
        return np.clip(deviation, -k, k), (np.abs(deviation) <= k).astype(float)

    def scale_statistic(self, deviation: NDArray[np.float64]) -> NDArray[np.float64]:
        """``psi^2`` over its mean for normal errors (Huber's proposal 2)."""
        k = np.asarray(self.threshold)
        mean = 1 - 2 * k * stats.norm.pdf(k) + 2 * (k**2 - 1) * stats.norm.sf(k)
        return self.influence(deviation)[0] ** 2 / mean

    def expected_value(self) -> NDArray[np.float64]:
        """The integral of ``rho`` over the normal density."""
        k = np.asarray(self.threshold)
        return 1 + 2 * k * stats.norm.pdf(k) - 2 * (1 + k**2) * stats.norm.sf(k)
