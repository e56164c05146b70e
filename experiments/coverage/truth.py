"""Measurements with known truth from closed forms: a dropped ball, and rigid oblique impacts."""

import numpy as np

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
    """Rebound of a solid sphere that does not spin before: Walton's rigid impact, sliding or sticking.

    The tangential impulse per mass is ``min(mu (1 + e) v_n, (2/7)(1 + beta) v_t)``; the spin it makes is ``5/(2 R)`` times that.
    """
    normal, along = speed * np.cos(np.radians(angle)), speed * np.sin(np.radians(angle))
    impulse = np.minimum(friction * (1 + restitution) * normal, 2 / 7 * (1 + tangential) * along)
    after = along - impulse
    return {
        "rebound_angle": np.degrees(np.arctan2(after, restitution * normal)),
        "spin_after": 2.5 * impulse / RADIUS,
        "normal_restitution": np.full_like(angle, restitution),
    }
