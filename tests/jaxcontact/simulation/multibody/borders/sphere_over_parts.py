"""One sphere over a surface of several parts by plain force functions and scipy: an independent
integration in time, which starts anew at every touch, lift-off and border of a part.

Hertz's force with Hunt and Crossley's damping, friction with the ramp ``u/sqrt(1 + u^2)`` in the
slip over its velocity, at the radius of the undeformed sphere.
"""

import dataclasses
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from tests.jaxcontact.simulation.in_time import hunt_crossley_damping

Parts = Callable[[np.ndarray, float], tuple[float, np.ndarray, np.ndarray]]
"""Distance, normal, and signed distances from the borders, by a centre and where the part ends."""


def from_point(center: np.ndarray, closest: np.ndarray) -> tuple[float, np.ndarray]:
    """Distance and direction."""
    apart = center - closest
    return np.linalg.norm(apart), apart / np.linalg.norm(apart)


def capsule(center: np.ndarray, end: float) -> tuple:
    """Of radius 5 cm about the x axis, up to ``end``."""
    distance, normal = from_point(center, np.array([min(center[0], end), 0.0, 0.0]))
    return distance - 0.05, normal, np.array([center[0] - end])


def block(center: np.ndarray, end: float) -> tuple:
    """Below z = 5 cm, up to x = ``end``."""
    closest = np.array([min(center[0], end), center[1], min(center[2], 0.05)])
    return *from_point(center, closest), np.array([center[0] - end])


def frustum(center: np.ndarray, end: float) -> tuple:
    """About the z axis, of radius 15 cm at its foot and ``end`` at its top, at z = 5 cm."""
    radius = np.hypot(center[0], center[1])
    across = np.array([center[0], center[1], 0.0]) / radius
    foot, down = np.array([end, 0.05]), np.array([0.15 - end, -0.05])
    down = down / np.linalg.norm(down)
    along = (np.array([radius, center[2]]) - foot) @ down
    borders = np.array([radius - end, along])
    if radius <= end:
        return center[2] - 0.05, np.array([0.0, 0.0, 1.0]), borders
    at = foot + max(along, 0.0) * down
    return *from_point(center, at[0] * across + np.array([0.0, 0.0, at[1]])), borders


@dataclasses.dataclass(frozen=True)
class Ball:
    """What moves, and under which laws."""

    radius: float
    mass: float
    stiffness: float
    restitution: float
    friction: float
    slip_velocity: float
    gravity: float

    def rates(self, y: np.ndarray, normal: np.ndarray, overlap: float, speed: float) -> np.ndarray:
        """Of position, velocity and spin; ``speed`` is that of the impact."""
        velocity, spin = y[3:6], y[6:]
        arm = -self.radius * normal
        moving = velocity + np.cross(spin, arm)
        rate = moving @ normal
        damping = hunt_crossley_damping(self.restitution) * rate / speed
        load = self.stiffness * max(overlap, 0.0) ** 1.5 * (1 - damping)
        slip = (moving - rate * normal) / self.slip_velocity
        push = load * (normal - self.friction * slip / np.sqrt(1 + slip @ slip))
        weight = np.array([0.0, 0.0, -self.mass * self.gravity])
        turning = np.cross(arm, push) / (0.4 * self.mass * self.radius**2)
        return np.concatenate([velocity, (push + weight) / self.mass, turning])

    @property
    def static_overlap(self) -> float:
        """Under its weight."""
        return (self.mass * self.gravity / self.stiffness) ** (2 / 3)


def integrate(
    ball: Ball, parts: Parts, place: float, start: np.ndarray, end: float, *, closed: bool
) -> tuple[np.ndarray, int]:
    """Position, velocity and spin at the time ``end``, and how many borders were passed in contact.
    It begins ``closed`` or open.
    """
    y, time, speed, passed, just = start, 0.0, 1.0, 0, -1

    def gap(_: float, y: np.ndarray) -> float:
        return parts(y[:3], place)[0] - ball.radius

    def border(number: int) -> Callable[[float, np.ndarray], float]:
        def distance(_: float, y: np.ndarray) -> float:
            return parts(y[:3], place)[2][number]

        distance.terminal = number != just
        return distance

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        distance, normal, _ = parts(y[:3], place)
        return ball.rates(y, normal, (ball.radius - distance) if closed else 0.0, speed)

    while time < end:
        gap.terminal, gap.direction = True, 1 if closed else -1
        events = [gap, *map(border, range(len(parts(y[:3], place)[2])))]
        found = solve_ivp(
            rates,
            (time, end),
            y,
            method="DOP853",
            rtol=1e-12,
            atol=1e-14,
            events=events,
            first_step=1e-9,
            max_step=end / 20,
        )
        time, y, just = found.t[-1], found.y[:, -1], -1
        happened = [len(times) > 0 and times[-1] == time for times in found.t_events]
        if found.status == 1 and happened[0]:
            closed = not closed
            speed = -y[3:6] @ parts(y[:3], place)[1]
        elif found.status == 1:
            just = happened.index(True) - 1
            passed += closed
    return y, passed
