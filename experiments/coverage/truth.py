"""Measurements with known truth: closed forms of a dropped ball and of rigid oblique impacts, the
force of a contact by SciPy.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

GRAVITY = 9.81
RADIUS, MASS = 0.02, 0.03


def drop_height(times: np.ndarray, *, height: float, restitution: float) -> np.ndarray:
    """Height of the lowest point of a ball dropped from rest at time 0 [m]."""
    fall = np.sqrt(2 * height / GRAVITY)
    speed, start, result = GRAVITY * fall, fall, height - GRAVITY * times**2 / 2
    while start < times[-1]:
        speed *= restitution
        local = times - start
        result = np.where(times >= start, speed * local - GRAVITY * local**2 / 2, result)
        start += 2 * speed / GRAVITY
    return result


def bounce_times(count: int, *, height: float, restitution: float) -> np.ndarray:
    """Times of the first impacts of a ball dropped from rest at time 0 [s]."""
    fall = np.sqrt(2 * height / GRAVITY)
    flights = 2 * fall * restitution ** np.arange(1, count)
    return fall + np.concatenate([[0.0], np.cumsum(flights)])


def oblique_impacts(
    angle: np.ndarray, speed: np.ndarray, *, restitution: float, friction: float, tangential: float
) -> dict[str, np.ndarray]:
    """Rebound of a solid sphere that does not spin before: Walton's rigid impact, sliding or
    sticking.

    The tangential impulse per mass is ``min(mu (1 + e) v_n, (2/7)(1 + beta) v_t)``; the spin it
    makes is ``5/(2 R)`` times that.
    """
    normal, along = speed * np.cos(np.radians(angle)), speed * np.sin(np.radians(angle))
    impulse = np.minimum(friction * (1 + restitution) * normal, 2 / 7 * (1 + tangential) * along)
    after = along - impulse
    return {
        "rebound_angle": np.degrees(np.arctan2(after, restitution * normal)),
        "spin_after": 2.5 * impulse / RADIUS,
        "normal_restitution": np.full_like(angle, restitution),
    }


def contact_force(
    times: np.ndarray, *, stiffness: float, restitution: float, speed: float
) -> np.ndarray:
    """Force [N] of a contact by Hunt and Crossley's law at times after touch-down."""
    path, force = _contact(stiffness, restitution, speed)
    inside = (times > 0) & (times < path.t[-1])
    return np.where(inside, force(*path.sol(np.clip(times, 0.0, path.t[-1]))), 0.0)


def contact_height(
    times: np.ndarray, *, stiffness: float, restitution: float, speed: float
) -> np.ndarray:
    """Height of the lowest point of the undeformed ball [m], negative during the contact, at times
    before and after touch-down.
    """
    path, _ = _contact(stiffness, restitution, speed)
    later = times - path.t[-1]
    overlap, rate = path.y[:, -1]
    during = -path.sol(np.clip(times, 0.0, path.t[-1]))[0]
    after = -overlap - rate * later - GRAVITY * later**2 / 2
    return np.where(
        times < 0, -speed * times - GRAVITY * times**2 / 2, np.where(later > 0, after, during)
    )


def _contact(
    stiffness: float, restitution: float, speed: float
) -> tuple[Any, Callable[..., np.ndarray]]:
    """Overlap and its rate while it lasts, by SciPy, and the force ``K d^1.5 (1 + b d'/v)`` as a
    function of them.

    The damping b of a restitution e solves ``b (1 + e) = ln((1 + b)/(1 - b e))`` (without gravity).
    """
    damping = brentq(
        lambda b: b * (1 + restitution) - np.log((1 + b) / (1 - b * restitution)),
        1e-3,
        (1 - 1e-12) / restitution,
    )

    def force(overlap: np.ndarray, rate: np.ndarray) -> np.ndarray:
        return stiffness * np.maximum(overlap, 0.0) ** 1.5 * (1 + damping * rate / speed)

    def parted(_: float, state: np.ndarray) -> float:
        return float(state[0] - 1e-15)

    parted.terminal, parted.direction = True, -1.0  # type: ignore[attr-defined]
    path = solve_ivp(
        lambda _, y: [y[1], GRAVITY - force(*y) / MASS],
        (0.0, 0.1),
        [0.0, speed],
        events=parted,
        rtol=1e-10,
        atol=1e-15,
        max_step=2e-5,
        dense_output=True,
    )
    return path, force
