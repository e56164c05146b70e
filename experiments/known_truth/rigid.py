"""Random recordings with rigid bounces, for tests: restitution and Coulomb's impulse at an instant,
flights with drag between.
"""

from typing import Any

import numpy as np

from experiments.known_truth.flight import INERTIA, MASS, RADIUS, flight


def bounce(state: np.ndarray, *, restitution: float, friction: float) -> np.ndarray:
    """State (x, z, vx, vz, w) after an instantaneous impact that slides, or stops sliding; slip is
    vx - R w.
    """
    x, z, vx, vz, w = state
    slip = vx - RADIUS * w
    stopping = abs(slip) / (1.0 / MASS + RADIUS**2 / INERTIA)  # the impulse that ends the slip, N s
    impulse = -np.sign(slip) * min(friction * MASS * (1.0 + restitution) * abs(vz), stopping)
    return np.array([x, z, vx + impulse / MASS, -restitution * vz, w - RADIUS * impulse / INERTIA])


def random_recording(
    rng: np.random.Generator,
    *,
    bounces: int | tuple[int, int] = (2, 6),
    restitution: tuple[float, float] = (0.6, 0.98),
    friction: tuple[float, float] = (0.05, 0.4),
    drag: tuple[float, float] = (0.0, 0.6),
    frame_rate: tuple[float, float] = (60.0, 500.0),
    noise: tuple[float, float] = (5e-5, 1e-3),
    height: tuple[float, float] = (0.15, 0.6),
    horizontal_speed: tuple[float, float] = (0.0, 0.0),
    plane: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """A table-tennis ball that falls and bounces, seen by a camera; every pair is the range of a
    uniform draw.

    Args:
        rng: source of every random number.
        bounces: impacts in the recording, which ends late in the flight after the last; one number
            or the lowest and highest.
        restitution: speed after over speed before, normal to the plane.
        friction: coefficient; acts only when the ball has a horizontal speed.
        drag: coefficient of quadratic drag.
        frame_rate: 1/s; the first frame is at the time of the initial state.
        noise: standard deviation, m, of each coordinate.
        height: of the lowest point above the plane at first, m.
        horizontal_speed: at first, m/s.
        plane: height of the plane, m.

    Returns:
        Times (n,) [s], positions (n, 2) = (x, z) [m], and the truth by name, with the times of
        touch-down.
    """
    count = bounces if isinstance(bounces, int) else int(rng.integers(bounces[0], bounces[1] + 1))
    truth: dict[str, Any] = {
        "restitution": rng.uniform(*restitution),
        "friction": rng.uniform(*friction),
        "drag": rng.uniform(*drag),
        "frame_rate": rng.uniform(*frame_rate),
        "noise": rng.uniform(*noise),
        "plane": plane,
    }
    state = np.array(
        [
            rng.uniform(-0.5, 0.5),
            plane + RADIUS + rng.uniform(*height),
            rng.uniform(*horizontal_speed),
            0.0,
            0.0,
        ]
    )
    truth["initial_state"] = state

    segments, touch_downs = [flight(state, truth["drag"], plane)], []
    for _ in range(count):
        touch_downs.append(sum(segment.duration for segment in segments))
        after = bounce(
            segments[-1].end, restitution=truth["restitution"], friction=truth["friction"]
        )
        segments.append(flight(after, truth["drag"], plane))
    truth["touch_downs"] = np.array(touch_downs)

    end = touch_downs[-1] + 0.9 * segments[-1].duration
    times = np.arange(0.0, end, 1.0 / truth["frame_rate"])
    which = np.searchsorted(touch_downs, times)
    begins = np.array([0.0, *touch_downs])
    path = np.array(
        [
            segments[index].centre(time - begins[index])
            for index, time in zip(which, times, strict=True)
        ]
    )
    return times, path + rng.normal(scale=truth["noise"], size=path.shape), truth
