"""Spheres over planes by plain force functions and scipy: an independent integration in time.

Hunt and Crossley's force, friction with the ramp ``u/sqrt(1 + u^2)`` in the slip over its velocity;
bodies push each other in the middle of their overlap, planes at the radius. The integration starts
anew at every touch-down and lift-off.
"""

import dataclasses

import numpy as np
from scipy.integrate import solve_ivp

from tests.jaxcontact.simulation.in_time import hunt_crossley_damping


@dataclasses.dataclass(frozen=True)
class Spheres:
    """What moves, and under which laws; ``planes`` are rows ``(normal, offset)``."""

    radius: np.ndarray
    mass: np.ndarray
    stiffness: float
    restitution: float
    friction: float
    slip_velocity: float
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    planes: tuple = ()

    def pairs(self) -> list[tuple[int, int]]:
        """Bodies by number; planes by -1, -2, ..."""
        count = len(self.mass)
        between = [(i, j) for i in range(count) for j in range(i + 1, count)]
        return between + [(i, -1 - k) for k in range(len(self.planes)) for i in range(count)]

    def contact(self, y: np.ndarray, pair: tuple[int, int]) -> tuple:
        """Gap, normal, and the arms from the centres to the common point."""
        i, j = pair
        if j < 0:
            normal, offset = (np.asarray(value, dtype=float) for value in self.planes[-1 - j])
            return y[i, :3] @ normal - offset - self.radius[i], normal, -self.radius[i] * normal, 0
        apart = y[i, :3] - y[j, :3]
        distance = np.linalg.norm(apart)
        normal = apart / distance
        gap = distance - self.radius[i] - self.radius[j]
        return (
            gap,
            normal,
            -(self.radius[i] + gap / 2) * normal,
            (self.radius[j] + gap / 2) * normal,
        )

    def velocity(self, y: np.ndarray, pair: tuple[int, int], arms: tuple) -> np.ndarray:
        """Of the first partner against the second at the common point."""
        i, j = pair
        own = y[i, 3:6] + np.cross(y[i, 6:], arms[0])
        return own if j < 0 else own - y[j, 3:6] - np.cross(y[j, 6:], arms[1])

    def rates(self, flat: np.ndarray, closed: dict) -> np.ndarray:
        """Of positions, velocities and spins, rows of 9; ``closed`` holds the impact speeds."""
        y = flat.reshape(-1, 9)
        force = self.mass[:, None] * np.asarray(self.gravity)
        torque = np.zeros_like(force)
        damping = hunt_crossley_damping(self.restitution)
        for pair, impact_speed in closed.items():
            gap, normal, *arms = self.contact(y, pair)
            velocity = self.velocity(y, pair, arms)
            rate = velocity @ normal
            load = self.stiffness * max(-gap, 0.0) ** 1.5 * (1 - damping * rate / impact_speed)
            slip = (velocity - rate * normal) / self.slip_velocity
            push = load * (normal - self.friction * slip / np.sqrt(1 + slip @ slip))
            for body, arm, sign in zip(pair, arms, (1, -1), strict=True):
                if body >= 0:
                    force[body] += sign * push
                    torque[body] += sign * np.cross(arm, push)
        inertia = 0.4 * self.mass * self.radius**2
        by_mass, by_inertia = force / self.mass[:, None], torque / inertia[:, None]
        return np.hstack([y[:, 3:6], by_mass, by_inertia]).ravel()


def integrate(spheres: Spheres, start: np.ndarray, end: float) -> tuple[np.ndarray, int]:
    """Rows of position, velocity and spin at ``end``, and how many contacts there were at once."""

    def event(pair: tuple[int, int], *, opens: bool):
        def gap(_, flat):
            return spheres.contact(flat.reshape(-1, 9), pair)[0]

        gap.terminal, gap.direction = True, 1 if opens else -1
        return gap

    flat, time, closed, most = start.ravel(), 0.0, {}, 0
    pairs = spheres.pairs()
    while time < end:
        events = [event(pair, opens=pair in closed) for pair in pairs]
        found = solve_ivp(
            lambda _, flat, closed=dict(closed): spheres.rates(flat, closed),
            (time, end),
            flat,
            method="DOP853",
            rtol=1e-11,
            atol=1e-13,
            events=events,
            max_step=end / 40,
            first_step=1e-8 if closed else None,
        )
        time, flat = found.t[-1], found.y[:, -1]
        for pair, times in zip(pairs, found.t_events, strict=True):
            if len(times) and pair in closed:
                del closed[pair]
            elif len(times):
                y = flat.reshape(-1, 9)
                _, normal, *arms = spheres.contact(y, pair)
                closed[pair] = -spheres.velocity(y, pair, arms) @ normal
        most = max(most, len(closed))
    return flat.reshape(-1, 9), most
