"""A ball that bounces up and down by Hunt and Crossley's law until it rests, integrated in time by
scipy: an independent reference, which shares nothing with the package.
"""

import numpy as np
from scipy.integrate import solve_ivp

from tests.jaxcontact.simulation.multibody.laws_in_numbers import hunt_crossley_damping

G = 9.81


def heights(stiffness, restitution, mass, height, times) -> np.ndarray:
    """Height above touch-down [m] and its rate [m/s] at ``times``, ``(times, 2)``, from rest."""
    damping = hunt_crossley_damping(complex(restitution)).real
    time, end, out = 0.0, times[-1], np.zeros((len(times), 2))
    state = np.array([height, 0.0])
    while time < end:
        z, v = state
        impact = np.sqrt(v * v + 2 * G * z)
        flies = (v + impact) / G
        inside = (times >= time) & (times <= time + flies)
        since = times[inside] - time
        out[inside] = np.stack([z + v * since - G * since**2 / 2, v - G * since], axis=-1)
        time, state, reached = time + flies, np.array([0.0, -impact]), impact
        in_contact = True
        while in_contact and time < end:
            found, in_contact = contact(
                stiffness / mass, damping, impact, reached, time, end, state
            )
            inside = (times >= time) & (times <= found.t[-1])
            out[inside] = found.sol(times[inside]).T if inside.any() else 0.0
            time, state = found.t[-1], found.y[:, -1]
            # A contact that reaches twice its impact speed is damped by half the largest so far.
            reached = abs(state[1]) / 2 if reached is None else None
    return out


def contact(stiffness, damping, impact, reached, time, end, state):
    """A contact until it ends, or until the speed that damps it begins or ceases to grow."""

    def rates(_, y):
        by = abs(y[1]) / 2 if reached is None else reached
        overlap = max(-y[0], 0.0)
        return [y[1], stiffness * overlap**1.5 * (1 - damping * y[1] / by) - G]

    def leaves(_, y):
        return y[0]

    def turns(t, y):
        if reached is None:
            return rates(t, y)[1]
        return abs(y[1]) - 2 * reached if reached == impact else -1.0

    for event in (leaves, turns):
        event.terminal, event.direction = True, 1
    found = solve_ivp(
        rates,
        (time, end),
        state,
        method="DOP853",
        rtol=1e-12,
        atol=1e-15,
        events=[leaves, turns],
        dense_output=True,
        first_step=1e-9,
    )
    return found, len(found.t_events[1]) > 0
