"""Gravity that differs from recording to recording: because of where a camera stands, which a fit
finds, or because of times and lengths, of which it knows nothing.
"""

import dataclasses

import numpy as np
import pytest

from calibration.detection.bounces import read_bounces
from calibration.io.recording import Recording
from calibration.studies.plausibility.fall_beside_camera import fall_beside_camera
from calibration.studies.plausibility.recordings_apart import contradictions
from tests.calibration.studies.newcomers import GRAVITY, RADIUS, heights

pytestmark = pytest.mark.slow

RATE, NOISE = 240.0, 5e-4
AHEAD = np.array([0.0, 0.0, 0.3])
THROWS = (  # release height, speed along x and away from the camera, start along x
    (0.5, 0.9, 0.08, -0.5),
    (0.4, 0.6, 0.05, -0.4),
    (0.6, -0.5, -0.02, 0.3),
)


def pinhole(places, *, pitch, yaw, distance, axis):
    """What a camera sees of places (n, 3) that is turned about z, then about x [m]."""
    about_z = [[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]]
    about_x = [[1, 0, 0], [0, np.cos(pitch), -np.sin(pitch)], [0, np.sin(pitch), np.cos(pitch)]]
    seen = (places - axis) @ (np.array(about_x) @ np.array(about_z)).T
    return seen[:, [0, 2]] * (distance / (distance + seen[:, 1:2])) + axis[[0, 2]]


def throws(rng, *, camera, clocks=(1.0, 1.0, 1.0), flat=True, away=1.0):
    """Recordings of one ball before one camera, with clocks that run at these rates."""
    recordings = []
    for number, ((release, along, depth, start), clock) in enumerate(
        zip(THROWS, clocks, strict=True)
    ):
        time = np.arange(int(1.4 * RATE)) / RATE
        places = np.column_stack(
            [start + along * time, away * depth * time, heights(time, release=release)]
        )
        seen = pinhole(places, **camera) + NOISE * rng.standard_normal((time.size, 2))
        position = np.full((time.size, 3), np.nan)
        position[:, 2] = seen[:, 1]
        if flat:
            position[:, 0] = seen[:, 0]
        recordings.append(Recording(name=f"r{number}", time=clock * time, position=position))
    return recordings


def said(recordings):
    """Sentences on gravity that differs."""
    readings = [(one, read_bounces(one, radius=RADIUS, gravity=GRAVITY)) for one in recordings]
    found = contradictions(readings, gravity=GRAVITY)
    return [one.sentence for one in found if "Gravity differs" in one.sentence]


@pytest.mark.parametrize("seed", range(6))
def test_a_camera_that_is_inclined_is_no_other_gravity(seed):
    rng = np.random.default_rng([seed, 1])
    camera = {
        "pitch": np.radians(rng.uniform(-7, 7)),
        "yaw": np.radians(rng.uniform(3, 7) * rng.choice([-1, 1])),
        "distance": rng.uniform(1.3, 2.5),
        "axis": np.array([rng.uniform(-0.3, 0.3), 0.0, rng.uniform(0.0, 0.5)]),
    }
    assert not said(throws(rng, camera=camera, away=rng.choice([-1, 1])))


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("clock", [0.96, 1.04])
@pytest.mark.parametrize("yaw", [0.0, 5.0])
def test_another_frame_rate_is_another_gravity_whatever_the_camera(flat, clock, yaw):
    rng = np.random.default_rng([int(100 * clock), int(yaw), flat])
    camera = {"pitch": 0.0, "yaw": np.radians(yaw), "distance": 2.0, "axis": AHEAD}
    assert said(throws(rng, camera=camera, clocks=(1.0, 1.0, clock), flat=flat, away=0.2))


def test_flights_of_few_pictures_tell_nothing_beside_a_camera():
    camera = {"pitch": 0.0, "yaw": 0.0, "distance": 2.0, "axis": AHEAD}
    films = throws(np.random.default_rng(0), camera=camera)
    readings = [(one, read_bounces(one, radius=RADIUS, gravity=GRAVITY)) for one in films]
    short = [
        (one, dataclasses.replace(detected, flights=((detected.release, detected.release + 4),)))
        for one, detected in readings
    ]
    fall = fall_beside_camera(short, GRAVITY)
    assert np.all(np.isfinite(fall.gravity_covariance))
    assert np.all(np.sqrt(np.diag(fall.gravity_covariance)) > 0.5 * GRAVITY)
