"""A table-tennis ball in the air: gravity and quadratic drag in the plane of the path, no lift."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

RADIUS = 0.02  # m
MASS = 0.0027  # kg
INERTIA = 2.0 / 3.0 * MASS * RADIUS**2  # kg m2, thin shell
GRAVITY = 9.81  # m/s2
AIR_DENSITY = 1.2  # kg/m3


class Segment(NamedTuple):
    """A stretch of the path: how long it lasts [s], the centre (x, z) [m] at a time after its
    begin, and the state at its end.
    """

    duration: float
    centre: Callable[[float], np.ndarray]
    end: np.ndarray  # x, z [m], vx, vz [m/s], w [rad/s]


def air_drag(vx: float, vz: float, drag: float) -> np.ndarray:
    """Force (x, z) [N] of the air on the ball, -1/2 rho C_d pi R^2 |v| v."""
    return -0.5 * AIR_DENSITY * drag * np.pi * RADIUS**2 * np.hypot(vx, vz) * np.array([vx, vz])


def flight(state: np.ndarray, drag: float, plane: float) -> Segment:
    """From ``state`` = (x, z, vx, vz, w) to the touch-down on a plane at the height ``plane``
    [m].
    """

    def slope(_: float, state: np.ndarray) -> list[float]:
        _, _, vx, vz = state
        ax, az = air_drag(vx, vz, drag) / MASS
        return [vx, vz, ax, az - GRAVITY]

    def touch_down(_: float, state: np.ndarray) -> float:
        return state[1] - RADIUS - plane

    touch_down.terminal, touch_down.direction = True, -1.0  # type: ignore[attr-defined]
    path = solve_ivp(
        slope,
        (0.0, 10.0),
        state[:4],
        "DOP853",
        events=touch_down,
        dense_output=True,
        rtol=1e-11,
        atol=1e-13,
        max_step=0.05,
    )
    x, _, vx, vz = path.y_events[0][0]
    return Segment(
        path.t_events[0][0],
        lambda time: path.sol(time)[:2],
        np.array([x, plane + RADIUS, vx, vz, state[4]]),
    )
