"""What must hold of the search for bounces: they lie on one surface, which may slope."""

import math

import numpy as np
import pytest

import calibration as cal
from calibration.detection import flight_search
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


def fall_at(rate):
    """Heights of a ball that falls 0.3 m and bounces at 0.8 for ever, seen to 0.2 mm."""
    time, height = np.arange(0.0, 1.5, 1.0 / rate), 0.3
    first = fall = math.sqrt(2 * height / 9.81)
    heights = height - 9.81 / 2 * time**2
    while first < 1.5:
        fall *= 0.8
        phase = time - first
        heights = np.where(phase > 0, 9.81 / 2 * phase * (2 * fall - phase), heights)
        first += 2 * fall
    position = np.full((len(time), 3), np.nan)
    position[:, 2] = 0.02 + heights + np.random.default_rng(1).normal(0.0, 2e-4, len(time))
    return cal.Recording(name="fall", time=time, position=position)


def test_a_flight_of_many_samples_is_found_by_a_part_of_them_and_fitted_to_all(monkeypatch):
    looked_at = []

    def spy(time, *arguments, **options):
        looked_at.append(len(time))
        return grow(time, *arguments, **options)

    grow = flight_search.grow_flights
    monkeypatch.setattr(flight_search, "grow_flights", spy)
    few, many = (cal.detection.read_bounces(fall_at(rate), radius=0.02) for rate in (1000, 100_000))
    assert max(looked_at) < 2 * flight_search.ENOUGH
    assert len(many.bounces) == len(few.bounces) == 5
    for name in ("restitution", "gravity", "height"):
        one, other = getattr(few, name), getattr(many, name)
        assert abs(one - other) < 4 * getattr(few, f"{name}_sd"), name
    assert many.restitution_sd < few.restitution_sd / 5
    assert abs(many.restitution - 0.8) < 3 * many.restitution_sd
