"""Where a ball is that falls and bounces in air, by small steps of an equation of motion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GRAVITY, AIR = 9.81, 1.2
STEP = 5e-4
"""Length of a step [s]."""

SOLID = 2 / 5
"""Moment of inertia of a solid ball over mass and radius squared."""


@dataclass(frozen=True, kw_only=True)
class Motion:
    """A ball in the plane of the picture.

    Attributes:
        radius: of the ball [m].
        mass: [kg].
        restitution: speed after over speed before an impact, along the vertical.
        friction: friction coefficient of the impacts; a solid ball that may spin.
        drag: drag coefficient.
        start: centre at time zero [m], x right, z up; the floor is at z = 0.
        velocity: at time zero [m/s].
        release: until then [s] it is held where it is.
    """

    radius: float = 0.02
    mass: float = 0.0027
    restitution: float = 0.85
    friction: float = 0.2
    drag: float = 0.45
    start: tuple[float, float] = (0.0, 0.42)
    velocity: tuple[float, float] = (0.0, 0.0)
    release: float = 0.0

    def path(self, duration: float) -> "Path":
        """The motion up to a time [s]: steps of Runge and Kutta's method of order 4, ended at each
        touch-down by a root of a cubic.
        """
        state = np.array([*self.start, *self.velocity])
        times, states = [0.0, self.release], [state * [1, 1, 0, 0], state]
        time, rim = self.release, 0.0  # and the velocity of the rim by the spin
        while time < duration:
            after = self._step(state, STEP)
            if after[1] < self.radius and after[3] < 0:
                part = _landing(state, after, self.radius)
                down = self._step(state, part * STEP)
                time += part * STEP
                most = self.friction * (1 + self.restitution) * abs(down[3])
                slip = down[2] - rim
                change = -np.sign(slip) * min(most, abs(slip) * SOLID / (1 + SOLID))
                rim -= change / SOLID
                along = down[2] + change
                state = np.array([down[0], self.radius, along, -self.restitution * down[3]])
                if state[3] < 0.02:  # it rests
                    state[2:] = 0
                    times += [time, duration + 1]
                    states += [state, state]
                    break
            else:
                state, time = after, time + STEP
            times.append(time)
            states.append(state)
        return Path(np.array(times), np.array(states))

    def _step(self, state: NDArray[np.float64], step: float) -> NDArray[np.float64]:
        first = self._rate(state)
        second = self._rate(state + step / 2 * first)
        third = self._rate(state + step / 2 * second)
        fourth = self._rate(state + step * third)
        return np.asarray(state + step / 6 * (first + 2 * second + 2 * third + fourth))

    def _rate(self, state: NDArray[np.float64]) -> NDArray[np.float64]:
        velocity = state[2:]
        area = np.pi * self.radius**2
        slowing = self.drag * AIR * area / (2 * self.mass) * np.hypot(*velocity)
        return np.array([*velocity, -slowing * velocity[0], -GRAVITY - slowing * velocity[1]])


def _landing(before: NDArray[np.float64], after: NDArray[np.float64], height: float) -> float:
    """At which part of a step a height is reached, from heights and velocities at its ends."""
    low, high = 0.0, 1.0
    for _ in range(60):
        part = (low + high) / 2
        fall = before[1] + part * STEP * (before[3] + part / 2 * (after[3] - before[3]))
        low, high = (part, high) if fall > height else (low, part)
    return high


@dataclass(frozen=True)
class Path:
    """A motion in small steps.

    Attributes:
        time: [s].
        state: position and velocity (steps, 4) [m, m/s].
    """

    time: NDArray[np.float64]
    state: NDArray[np.float64]

    def at(self, time: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``x`` and ``z`` [m] at times of any shape [s]."""
        return np.interp(time, self.time, self.state[:, 0]), np.interp(
            time, self.time, self.state[:, 1]
        )
