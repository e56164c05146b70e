r"""A compliant contact of the ball with the plane: Hertz stiffness, Hunt-Crossley damping, Coulomb
friction with sliding and sticking.

With the overlap d, its rate d' and the speed v of the touch-down,

.. math:: F_n = k d^{3/2} (1 + a d'/v),

where the number a is found by shooting, so that without gravity the ball leaves with the stated
restitution e, whatever k and v. While the contact point slides, the friction is mu F_n against the
slip; when the slip has vanished it sticks until lift-off.
"""

import functools
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from experiments.known_truth.flight import GRAVITY, INERTIA, MASS, RADIUS, Segment, air_drag

_ACCURATE = {"method": "DOP853", "dense_output": True, "rtol": 1e-11}


def _obtained_restitution(damping: float) -> float:
    """Speed after over speed before of s'' = -s^(3/2) (1 + damping s'), s(0) = 0, s'(0) = 1."""

    def separation(_: float, state: np.ndarray) -> float:
        return state[0]

    separation.terminal, separation.direction = True, -1.0  # type: ignore[attr-defined]

    def slope(_: float, state: np.ndarray) -> list[float]:
        return [state[1], -(max(state[0], 0.0) ** 1.5) * (1.0 + damping * state[1])]

    contact = solve_ivp(
        slope, (0.0, 50.0), [0.0, 1.0], events=separation, atol=1e-13, max_step=0.02, **_ACCURATE
    )
    return -contact.y_events[0][0][1]


@functools.cache
def damping_for(restitution: float) -> float:
    """The number a of the damping with which the restitution comes out as asked."""
    return brentq(
        lambda damping: _obtained_restitution(damping) - restitution, 0.0, 5.0, xtol=1e-12
    )


def contact(
    state: np.ndarray, *, restitution: float, friction: float, drag: float, stiffness: float
) -> Segment:
    """From the touch-down ``state`` = (x, z, vx, vz, w) to lift-off; slip is vx - R w."""
    x, z, vx, vz, w = state
    speed = -vz
    damping = damping_for(restitution) / speed

    def slope(_: float, inner: np.ndarray, direction: float) -> list[float]:
        overlap, _, vx, vz, _ = inner
        normal = stiffness * max(overlap, 0.0) ** 1.5 * (1.0 - damping * vz)
        air = air_drag(vx, vz, drag)
        holding = -air[0] / (1.0 + MASS * RADIUS**2 / INERTIA)  # keeps the slip at zero
        tangential = -friction * normal * direction if direction else holding
        return [
            -vz,
            vx,
            (tangential + air[0]) / MASS,
            (normal + air[1]) / MASS - GRAVITY,
            -RADIUS * tangential / INERTIA,
        ]

    def lift_off(_: float, inner: np.ndarray, direction: float) -> float:
        return inner[0]

    def sticking(_: float, inner: np.ndarray, direction: float) -> float:
        return direction * (inner[2] - RADIUS * inner[4])

    lift_off.terminal, lift_off.direction = True, -1.0  # type: ignore[attr-defined]
    sticking.terminal, sticking.direction = True, -1.0  # type: ignore[attr-defined]
    pieces: list[Any] = []
    clock, inner, direction = 0.0, np.array([0.0, x, vx, vz, w]), np.sign(vx - RADIUS * w)
    while not pieces or pieces[-1].t_events[0].size == 0:
        events = [lift_off, sticking] if direction else [lift_off]
        atol = [1e-15, 1e-13, 1e-11, 1e-11, 1e-9]
        piece = solve_ivp(
            slope,
            (clock, 0.1),
            inner,
            args=(direction,),
            events=events,
            atol=atol,
            max_step=2e-5,
            **_ACCURATE,
        )
        clock, inner, direction = piece.t[-1], piece.y[:, -1], 0.0
        pieces.append(piece)

    def centre(time: float) -> np.ndarray:
        piece = next(piece for piece in pieces if time <= piece.t[-1])
        overlap, along, *_ = piece.sol(time)
        return np.array([along, z - overlap])

    return Segment(clock, centre, np.array([inner[1], z, *inner[2:]]))
