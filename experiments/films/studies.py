"""Twenty films: one of a quiet bench, and what phones, rooms and balls add to it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from experiments.films.camera import Camera, Room, Sprite, write_film
from experiments.films.motion import Motion, Path

Places = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]


@dataclass(frozen=True, kw_only=True)
class FilmStudy:
    """A film with its truth.

    Attributes:
        name: what it adds.
        motion: of the ball.
        camera: that takes it.
        room: behind it.
        looks: of the ball: ``light``, ``shading``, ``shadow``, ``reflection``.
        duration: of the film [s].
        other: a second ball.
        start: what ``--start`` says, in units of metres: whether the ball is pointed at.
    """

    name: str
    motion: Motion = field(default_factory=Motion)
    camera: Camera = field(default_factory=Camera)
    room: Room = field(default_factory=Room)
    looks: dict[str, float] = field(default_factory=dict)
    duration: float = 2.2
    other: Places | None = None
    start: bool = False

    def path(self) -> Path:
        """The true motion."""
        return self.motion.path(self.duration + 0.1)

    def write(self, file: str) -> Path:
        """Render the film, and return the true motion."""
        path = self.path()
        balls = [Sprite(path=path.at, radius=self.motion.radius, **self.looks)]  # type: ignore[arg-type]
        if self.other is not None:
            balls.append(Sprite(path=self.other, radius=self.motion.radius, light=0.7))
        write_film(file, self.camera, self.room, balls, self.duration)
        return path

    def options(self) -> list[str]:
        """What the command line says beside the radius."""
        if not self.start:
            return []
        column, row = self.camera.to_pixels(*map(np.asarray, self.motion.start))
        return ["--start", f"{float(column):.0f},{float(row):.0f}"]


def _thrown(time: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A second ball that bounces without loss."""
    period = 0.5
    passed = (time + 0.1) % period - period / 2
    return 0.22 - 0.02 * time, 0.02 + 9.81 / 2 * (period**2 / 4 - passed**2)


DROP = Motion(start=(-0.1, 0.42), velocity=(0.1, 0.0), release=0.15)
THROW = Motion(start=(-0.33, 0.3), velocity=(0.32, 0.8), release=0.0)
STEEL = Motion(start=(-0.05, 0.4), restitution=0.72, mass=0.26, release=0.1, velocity=(0.05, 0.0))

STUDIES = (
    FilmStudy(name="quiet bench, 120 fps", motion=DROP),
    FilmStudy(name="60 fps", motion=DROP, camera=Camera(rate=60, seed=1)),
    FilmStudy(name="240 fps", motion=DROP, camera=Camera(rate=240, seed=2)),
    FilmStudy(name="exposure 4 ms", motion=DROP, camera=Camera(exposure=0.004, seed=3)),
    FilmStudy(
        name="exposure 8 ms, 60 fps", motion=DROP, camera=Camera(exposure=0.008, rate=60, seed=4)
    ),
    FilmStudy(name="rolling shutter 12 ms", motion=DROP, camera=Camera(line_time=25e-6, seed=5)),
    FilmStudy(name="variable frame rate", motion=DROP, camera=Camera(jitter=0.5, seed=6)),
    FilmStudy(name="strong compression", motion=DROP, camera=Camera(crf=32, seed=7)),
    FilmStudy(name="noise of a dark room", motion=DROP, camera=Camera(noise=8.0, seed=8)),
    FilmStudy(name="shadow on the floor", motion=DROP, looks={"shadow": 0.8}),
    FilmStudy(name="mirror of the floor", motion=DROP, looks={"reflection": 0.35}),
    FilmStudy(
        name="light from one side",
        motion=DROP,
        room=Room(gradient=1.2, texture=0.02),
        looks={"shading": 0.5},
    ),
    FilmStudy(name="something moves behind", motion=DROP, room=Room(moving=0.02)),
    FilmStudy(name="a second ball, --start", motion=DROP, other=_thrown, start=True),
    FilmStudy(
        name="something in front",
        motion=DROP,
        room=Room(hidden=(0, 640, 250, 290)),
    ),
    FilmStudy(
        name="a dark ball, bright wall",
        motion=DROP,
        room=Room(wall=0.6, floor=0.4),
        looks={"light": 0.05, "shadow": 0.4},
    ),
    FilmStudy(name="a throw", motion=THROW, camera=Camera(seed=9), duration=2.0),
    FilmStudy(
        name="a small ball of 5 pixels", motion=DROP, camera=Camera(pixels_per_metre=300, seed=10)
    ),
    FilmStudy(name="steel, restitution 0.72", motion=STEEL, camera=Camera(rate=240, seed=11)),
    FilmStudy(
        name="a phone: all of it",
        motion=DROP,
        camera=Camera(
            rate=120, exposure=0.002, line_time=15e-6, jitter=0.2, crf=26, noise=4.0, seed=12
        ),
        room=Room(gradient=0.6, texture=0.02),
        looks={"shadow": 0.5, "reflection": 0.1},
    ),
)
"""The twenty films of the table."""
