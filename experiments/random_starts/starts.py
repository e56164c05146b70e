"""Random starts, and where fits from them end."""

import dataclasses

import numpy as np

import calibration as cal
from experiments.random_starts.throws import UNKNOWNS, Truth

STIFFNESS = (1e4, 1e8)
RESTITUTION = (0.05, 0.98)
FRICTION = (0.0, 0.8)
RISE = 0.01
"""Chi-squared may be so much above that of the global minimum."""


def random_starts(count: int, *, seed: int = 0) -> list[dict[str, float]]:
    """Starts by name: stiffness log-uniform, restitution and friction uniform."""
    rng = np.random.default_rng(seed)
    low, high = np.log(STIFFNESS)
    columns = (
        np.exp(rng.uniform(low, high, count)),
        rng.uniform(*RESTITUTION, count),
        rng.uniform(*FRICTION, count),
    )
    return [dict(zip(UNKNOWNS, map(float, row), strict=True)) for row in zip(*columns, strict=True)]


@dataclasses.dataclass(frozen=True)
class End:
    """Where a fit ended: ``reached`` the global minimum, or ``honest`` about not having done so."""

    truth: str
    start: dict[str, float]
    chi2: float
    lowest: float
    converged: bool
    iterations: int
    seconds: float
    values: tuple[float, ...]

    @property
    def reached(self) -> bool:
        """Whether it is the global minimum."""
        return self.converged and self.chi2 <= self.lowest + RISE

    @property
    def honest(self) -> bool:
        """Whether it is, or says that it did not converge."""
        return self.reached or not self.converged


def ends(truth: Truth, asked: cal.Problem, starts: list[dict[str, float]]) -> list[End]:
    """Fits from each of ``starts``; the global minimum is the lowest of these and of one from the
    truth.
    """
    best = cal.fit(asked, start=dict(zip(UNKNOWNS, truth.values, strict=True)))
    found = [cal.fit(asked, start=start) for start in starts]
    lowest = min([best.chi2, *(one.chi2 for one in found)])
    return [_end(truth, start, one, lowest) for start, one in zip(starts, found, strict=True)]


def _end(truth: Truth, start: dict[str, float], one: cal.Fit, lowest: float) -> End:
    values = tuple(one.parameters[name].value for name in UNKNOWNS)
    return End(
        truth.name, start, one.chi2, lowest, one.converged, one.iterations, one.seconds, values
    )
