"""Random tables of oblique impacts by a textbook simulator that shares nothing with this library,
and the best explanation of each by a search that knows no derivatives.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import differential_evolution, minimize

from calibration.io.impact_table import ImpactTable

RADIUS, MASS = 0.02, 0.03

QUANTITIES = (
    ("rebound_angle", "spin_after", "normal_restitution"),
    ("rebound_angle", "rebound_speed"),
    ("tangential_restitution", "normal_restitution"),
    ("rebound_angle",),
)
"""What is measured after the impacts, in turns."""

SIZES = {
    "rebound_angle": 2.0,
    "spin_after": 8.0,
    "normal_restitution": 0.02,
    "tangential_restitution": 0.03,
    "rebound_speed": 0.06,
}
"""Standard deviations of the noise, in the units of tables."""

LOWEST, HIGHEST = np.array([0.05, 0.005, -1.0]), np.array([0.999, 3.0, 1.0])
"""Restitution, friction coefficient, tangential restitution: where they are sought."""


class Before(NamedTuple):
    """What goes into impacts: speed [m/s], angle from the normal [deg], spin [rad/s]."""

    speed: np.ndarray
    angle: np.ndarray
    spin: np.ndarray


def rebound(
    before: Before, e: float, mu: float, e_t: float, *, inertia: float = 0.4
) -> dict[str, np.ndarray]:
    """Walton's impact of a sphere on a plane: the slip is reversed by ``e_t``, or as far as
    friction ``mu`` brings it; ``inertia`` is I/(m R^2).
    """
    along = before.speed * np.sin(np.deg2rad(before.angle))
    down = before.speed * np.cos(np.deg2rad(before.angle))
    slip = along - RADIUS * before.spin
    wanted = (1 + e_t) * np.abs(slip)
    possible = mu * (1 + e) * down * (1 + 1 / inertia)
    impulse = -np.sign(slip) * np.minimum(wanted, possible) / (1 + 1 / inertia)
    after, up = along + impulse, e * down
    return {
        "rebound_angle": np.rad2deg(np.arctan2(after, up)),
        "spin_after": before.spin - impulse / (inertia * RADIUS),
        "tangential_restitution": after / along,
        "normal_restitution": np.full_like(up, e),
        "rebound_speed": np.hypot(after, up),
    }


class Truth(NamedTuple):
    """A table and what made it."""

    table: ImpactTable
    before: Before
    restitution: float
    friction: float
    tangential_restitution: float


def random_table(seed: int, *, impacts: int = 12) -> Truth:
    """A table with a restitution, friction and tangential restitution of its own."""
    rng = np.random.default_rng(seed)
    e, mu, e_t = rng.uniform(0.4, 0.95), rng.uniform(0.08, 0.5), rng.uniform(0.0, 0.6)
    spins = rng.uniform(-60.0, 60.0, impacts) if seed % 2 else np.zeros(impacts)
    before = Before(rng.uniform(1.0, 4.0, impacts), rng.uniform(10.0, 75.0, impacts), spins)
    exact = rebound(before, e, mu, e_t)
    measured = {
        name: exact[name] + SIZES[name] * rng.standard_normal(impacts)
        for name in QUANTITIES[seed % len(QUANTITIES)]
    }
    table = ImpactTable(
        name=f"table {seed}",
        impact_angle=before.angle,
        impact_speed=before.speed,
        spin_before=before.spin,
        sigma={name: np.full(impacts, SIZES[name]) for name in measured},
        **measured,
    )
    return Truth(table, before, e, mu, e_t)


def chi2_of(truth: Truth, e: float, mu: float, e_t: float) -> float:
    """Chi-squared of a table at any values."""
    predicted = rebound(truth.before, e, mu, e_t)
    return float(
        sum(
            np.sum(((predicted[name] - getattr(truth.table, name)) / SIZES[name]) ** 2)
            for name in truth.table.measured
        )
    )


def least_chi2(truth: Truth, *, restitution: float | None = None) -> tuple[float, np.ndarray]:
    """The least chi-squared of a table, and where it is; where one is given, at a restitution."""

    def values(x: np.ndarray) -> np.ndarray:
        e, mu, e_t = np.clip(x, LOWEST, HIGHEST)
        return np.array([e if restitution is None else restitution, mu, e_t])

    def function(x: np.ndarray) -> float:
        return chi2_of(truth, *values(np.array([x[0], np.exp(x[1]), x[2]])))

    low, high = LOWEST.copy(), HIGHEST.copy()
    low[1], high[1] = np.log(low[1]), np.log(high[1])
    bounds = list(zip(low, high, strict=True))
    found = differential_evolution(function, bounds, popsize=25, tol=1e-9, rng=0, polish=False)
    best = minimize(function, found.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9})
    return float(best.fun), values(np.array([best.x[0], np.exp(best.x[1]), best.x[2]]))
