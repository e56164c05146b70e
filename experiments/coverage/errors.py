"""Errors that are added to what is true: Gaussian, correlated, with outliers; of standard deviation
1 apart from the outliers.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Gaussian:
    """Independent and normal."""

    name = "Gaussian"

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) errors."""
        return rng.standard_normal(count)


@dataclasses.dataclass(frozen=True)
class Autoregressive:
    """Normal; the correlation fades as ``exp(-k/samples)``."""

    samples: float
    name = "correlated"

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) errors."""
        rho, fresh = np.exp(-1 / self.samples), rng.standard_normal(count)
        errors = fresh.copy()
        for i in range(1, count):
            errors[i] = rho * errors[i - 1] + np.sqrt(1 - rho**2) * fresh[i]
        return errors


@dataclasses.dataclass(frozen=True)
class Contaminated:
    """Normal, a part of them much larger."""

    part: float = 0.05
    factor: float = 8.0
    name = "outliers"

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) errors."""
        return rng.standard_normal(count) * np.where(
            rng.random(count) < self.part, self.factor, 1.0
        )
