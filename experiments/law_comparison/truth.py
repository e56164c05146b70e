"""Restitution against speed of four laws, in NumPy and SciPy alone, and tables of impacts made of
them.
"""

import dataclasses
import zlib
from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import calibration as cal


def constant(speed: np.ndarray) -> np.ndarray:
    """0.8 at every speed."""
    return np.full_like(speed, 0.8)


def power_law(speed: np.ndarray) -> np.ndarray:
    """0.8 at 1 m/s, falling as ``v^(-0.05)``, at most 1."""
    return np.minimum(0.8 * speed**-0.05, 1.0)


def plastic(speed: np.ndarray, *, yield_speed: float = 0.2) -> np.ndarray:
    """Thornton, Journal of Applied Mechanics 64 (1997) 383-386, equation 31."""
    ratio = np.minimum(yield_speed / speed, 1.0)
    return (
        np.sqrt(6 * np.sqrt(3) / 5)
        * np.sqrt(1 - ratio**2 / 6)
        * (ratio / (ratio + 2 * np.sqrt(1.2 - 0.2 * ratio**2))) ** 0.25
    )


@cache
def viscoelastic_table() -> tuple[np.ndarray, np.ndarray]:
    """Damping and restitution of ``x'' = -x^(3/2) - beta sqrt(x) x'`` from x = 0, x' = 1 to where
    the force ends.
    """

    def rebound(beta: float) -> float:
        def slope(time: float, state: np.ndarray) -> tuple[float, float]:
            overlap = max(state[0], 0.0)
            return state[1], -(overlap**1.5) - beta * np.sqrt(overlap) * state[1]

        def end(time: float, state: np.ndarray) -> float:
            return float(max(state[0], 0.0) + beta * state[1]) if time > 1 else 1.0

        end.terminal = True  # type: ignore[attr-defined]
        run = solve_ivp(slope, (0.0, 9.0), (0.0, 1.0), events=end, rtol=1e-9, atol=1e-12)
        return -float(run.y[1, -1])

    damping = np.linspace(0.02, 0.5, 40)
    return damping, np.asarray([rebound(beta) for beta in damping])


def viscoelastic(speed: np.ndarray) -> np.ndarray:
    """0.8 at 1 m/s; the damping grows as ``v^(1/5)``."""
    damping, restitution = viscoelastic_table()
    here = np.interp(-0.8, -restitution, damping)
    return np.interp(here * speed**0.2, damping, restitution)


LAWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "constant": constant,
    "viscoelastic": viscoelastic,
    "power law": power_law,
    "plastic": plastic,
}
"""By the names of studies."""


@dataclasses.dataclass(frozen=True)
class Scenario:
    """How a table is measured.

    Attributes:
        name: of the scenario.
        impacts: rows of a table.
        sigma: of the measured restitutions.
        stated: whether the table says so.
        scatter: of the restitution from impact to impact, of which the table knows nothing.
    """

    name: str
    impacts: int = 20
    sigma: float = 0.02
    stated: bool = True
    scatter: float = 0.0

    def table(self, law: str, seed: int) -> cal.ImpactTable:
        """Impacts between 0.3 and 4 m/s."""
        speed = np.geomspace(0.3, 4.0, self.impacts)
        rng = np.random.default_rng([seed, zlib.crc32(f"{self.name}, {law}".encode())])
        error = np.hypot(self.sigma, self.scatter) * rng.standard_normal(self.impacts)
        given = {"normal_restitution": np.full(self.impacts, self.sigma)} if self.stated else {}
        return cal.ImpactTable(
            name=self.name,
            impact_angle=np.zeros(self.impacts),
            impact_speed=speed,
            normal_restitution=LAWS[law](speed) + error,
            sigma=given,
        )


SCENARIOS = (
    Scenario("noise stated"),
    Scenario("precise", sigma=0.004),
    Scenario("eight impacts", impacts=8, sigma=0.01),
    Scenario("noise not stated", stated=False),
    Scenario("scatter of impacts", sigma=0.005, scatter=0.02),
)
"""What is measured."""
