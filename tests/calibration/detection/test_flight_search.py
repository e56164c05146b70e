"""What must hold of the search for bounces: they lie on one surface, which may slope."""

import math

import numpy as np
import pytest

import calibration as cal
from experiments.automatic_route.truth import Ball, Camera, film, move


def record(ball: Ball, *, until: float = 1.6, axes: str = "xz") -> cal.Recording:
    """A throw across a table."""
    camera = Camera(axes=axes, rate=240.0, sigma=3e-4)
    motion = move(ball, (-0.3, 0.0, 0.4), (0.6, 0.0, 0.0), (0.0, 0.0, 0.0), until=until, seed=1)
    time, *seen = film(motion, camera, until=until, seed=2)
    position = np.full((len(time), 3), np.nan)
    for axis, values in zip(axes, seen, strict=True):
        position[:, "xyz".index(axis)] = values
    return cal.Recording(name="throw", time=time, position=position)


@pytest.mark.parametrize("degrees", [0.0, 1.0, -2.0, 4.0])
def test_bounces_on_a_slope_are_all_found(degrees):
    ball = Ball(tilt=(math.radians(degrees), 0.0))
    motion = move(ball, (-0.3, 0.0, 0.4), (0.6, 0.0, 0.0), (0.0, 0.0, 0.0), until=1.6, seed=1)
    detected = cal.detection.read_bounces(record(ball), radius=0.02, gravity=9.81)
    found = np.array([bounce.time for bounce in detected.bounces])
    true = np.array([time for time, _, _ in motion.impacts if time < 1.3])
    assert len(found) >= len(true)
    np.testing.assert_allclose(found[: len(true)], true, atol=2e-3)


def test_a_step_in_the_surface_is_no_slope():
    recording = record(Ball())
    later = recording.time > 0.9
    position = recording.position.copy()
    position[later, 2] += 0.15  # 0.15 m within 0.2 m of path: no slope that one does not see
    broken = cal.Recording(name="step", time=recording.time, position=position)
    whole = cal.detection.read_bounces(recording, radius=0.02, gravity=9.81)
    detected = cal.detection.read_bounces(broken, radius=0.02, gravity=9.81)
    heights = [bounce.height for bounce in detected.bounces]
    assert len(detected.bounces) < len(whole.bounces)
    assert np.ptp(heights) < 0.01
