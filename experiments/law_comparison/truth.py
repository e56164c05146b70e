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


GRAVITY, RADIUS = 9.81, 0.02


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

    def measure(self, law: str, seed: int) -> cal.ImpactTable:
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


@dataclasses.dataclass(frozen=True)
class FilmedDrop:
    """A drop from 0.8 m, 240 frames a second, stated noise.

    Attributes:
        name: of the scenario.
        sigma: of a height [m].
    """

    name: str
    sigma: float = 5e-4

    def measure(self, law: str, seed: int) -> cal.Trial:
        """The height of the centre, and bounces as they are read from it without noise."""
        times = np.arange(0.0, 2.2, 1 / 240)
        clean = height_of_drop(times, LAWS[law]) + RADIUS
        rng = np.random.default_rng([seed, zlib.crc32(f"{self.name}, {law}".encode())])

        def recording(z: np.ndarray) -> cal.Recording:
            nothing = np.full_like(z, np.nan)
            return cal.Recording(
                name="drop",
                time=times,
                position=np.stack([nothing, nothing, z], axis=-1),
                sigma=np.full((times.size, 3), self.sigma),
            )

        noisy = clean + self.sigma * rng.standard_normal(times.size)
        read = cal.detection.read_bounces(recording(clean), radius=RADIUS)
        return cal.Trial(cal.measurements.TrackedPositions(recording(noisy), read))


def height_of_drop(
    times: np.ndarray, law: Callable[[np.ndarray], np.ndarray], *, height: float = 0.8
) -> np.ndarray:
    """Height of the lowest point [m] of a ball dropped from rest at time 0, without air."""
    start = float(np.sqrt(2 * height / GRAVITY))
    speed, found = GRAVITY * start, height - GRAVITY * times**2 / 2
    while start < times[-1]:
        speed *= float(law(np.asarray([speed]))[0])
        since = times - start
        found = np.where(since >= 0, speed * since - GRAVITY * since**2 / 2, found)
        start += 2 * speed / GRAVITY
    return found


SCENARIOS: tuple[Scenario | FilmedDrop, ...] = (
    Scenario("noise stated"),
    Scenario("precise", sigma=0.004),
    Scenario("eight impacts", impacts=8, sigma=0.01),
    Scenario("noise not stated", stated=False),
    Scenario("scatter of impacts", sigma=0.005, scatter=0.02),
    FilmedDrop("filmed drop"),
)
"""What is measured."""
