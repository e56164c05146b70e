"""Small films with known truth, and how far from it a ball was followed."""

import dataclasses

import numpy as np

import calibration as cal
from experiments.films.camera import TIME_BASE, Camera, Room, Sprite, write_film
from experiments.films.motion import Motion

RADIUS = 0.02
CAMERA = Camera(
    width=240, height=320, rate=120.0, pixels_per_metre=500.0, floor=20.0, exposure=0.0005
)
DROP = Motion(start=(-0.05, 0.3), velocity=(0.15, 0.0), radius=RADIUS)
SHORT = 0.75


def film_of(path, *, camera=None, room=None, others=(), duration=SHORT, motion=DROP, **looks):
    """Write a film; the camera."""
    camera = dataclasses.replace(CAMERA, **(camera or {}))
    ball = Sprite(path=motion.path(duration + 0.1).at, radius=RADIUS, **looks)
    write_film(path, camera, room or Room(), [ball, *others], duration)
    return camera


def errors(ball, camera, motion=DROP, duration=SHORT):
    """Column and row of a followed ball less the truth (n, 2) [pixels], NaN where it is lost."""
    stamps = camera.stamps(duration) * float(TIME_BASE)
    frames = ball.first + np.arange(len(ball.pixels))
    true = motion.path(duration + 0.1)
    middle = stamps[frames] + camera.exposure / 2
    column, row = camera.to_pixels(*true.at(middle))
    for _ in range(4):  # the moment at which the row of the centre is read
        column, row = camera.to_pixels(*true.at(middle + camera.line_time * row))
    return ball.pixels - np.column_stack([column, row])


def followed(folder, *, options=None, **film):
    """A ball followed in a film, and its errors."""
    path = str(folder / "film.mp4")
    camera = film_of(path, **film)
    ball = cal.films.track(path, radius=RADIUS, **(options or {}))
    return ball, errors(ball, camera)
