"""What a phone makes of a scene: exposure, rows read one after the other, blur of the lens, tone
curve, noise and compression.
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Image = NDArray[np.float32]
"""Light in rows and columns; 1 is white."""

SUPERSAMPLES = 3
"""Points in a pixel, along each axis."""

MOMENTS = 12
"""Instants in an exposure."""

TIME_BASE = Fraction(1, 90000)


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A phone on a stand.

    Attributes:
        width: of the picture [pixels].
        height: of the picture [pixels].
        rate: frames per second.
        pixels_per_metre: in the plane of the motion.
        floor: height of the floor above the lower edge of the picture [pixels].
        exposure: how long light is gathered [s].
        line_time: how much later the next row is read [s].
        blur: standard deviation of the blur of the lens [pixels].
        noise: standard deviation of the noise at half of white, of 255.
        jitter: standard deviation of the intervals between frames, in intervals: a variable rate.
        codec: of the encoder.
        crf: quality of the encoder; larger is worse.
        shake: standard deviation of the picture's place, of a camera in the hand [pixels].
        seed: of noise, jitter and shake.
    """

    width: int = 640
    height: int = 480
    rate: float = 120.0
    pixels_per_metre: float = 800.0
    floor: float = 40.0
    exposure: float = 0.0005
    line_time: float = 0.0
    blur: float = 0.7
    noise: float = 2.0
    jitter: float = 0.0
    codec: str = "libx264"
    crf: int = 20
    shake: float = 0.0
    seed: int = 0

    def stamps(self, duration: float) -> NDArray[np.int64]:
        """When the exposures of the frames begin, in units of the container."""
        draw = np.random.default_rng(self.seed)
        frames = np.arange(round(duration * self.rate))
        late = self.jitter * draw.uniform(-0.5, 0.5, frames.size)
        return np.round((frames + late + 0.5) / self.rate / float(TIME_BASE)).astype(int)

    def to_pixels(
        self, x: NDArray[np.float64], z: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Column and row of a place in the plane of the motion; pixel (0, 0) has its centre
        there.
        """
        column = self.width / 2 + self.pixels_per_metre * x
        return column, self.height - self.floor - self.pixels_per_metre * z


@dataclass(frozen=True, kw_only=True)
class Sprite:
    """A ball in the picture.

    Attributes:
        path: ``x`` and ``z`` of the centre [m] at times [s].
        radius: [m].
        light: of the ball, at its middle.
        shading: how much darker its lower side is.
        shadow: how much light its shadow on the floor takes away below it.
        reflection: share of its light that the floor mirrors.
    """

    path: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]
    radius: float
    light: float = 0.75
    shading: float = 0.25
    shadow: float = 0.0
    reflection: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Room:
    """What is behind the ball.

    Attributes:
        wall: light of the wall.
        floor: light of the floor.
        gradient: how much the light changes from the left to the right.
        texture: standard deviation of the pattern of the wall.
        moving: standard deviation of what moves behind (a curtain, leaves).
        hidden: columns and rows, first and last, that something in front of the ball hides.
    """

    wall: float = 0.12
    floor: float = 0.3
    gradient: float = 0.0
    texture: float = 0.0
    moving: float = 0.0
    hidden: tuple[int, int, int, int] | None = None

    def picture(self, camera: Camera) -> Image:
        """The scene without a ball."""
        draw = np.random.default_rng(7)
        rows, columns = np.mgrid[: camera.height, : camera.width].astype(np.float32)
        light = np.where(rows >= camera.height - camera.floor, self.floor, self.wall)
        light = light * (1 + self.gradient * (columns / camera.width - 0.5))
        pattern = ndimage.gaussian_filter(draw.normal(size=light.shape), 3)
        light = light + self.texture * pattern / np.std(pattern)
        return np.clip(ndimage.gaussian_filter(light, camera.blur), 0.005, 1).astype(np.float32)


def frames(
    camera: Camera, room: Room, balls: list[Sprite], duration: float
) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Stamp and grey picture of each frame."""
    draw = np.random.default_rng(camera.seed + 1)
    still = room.picture(camera)
    grain = draw.normal(size=(camera.height, camera.width)).astype(np.float32)
    waves = ndimage.gaussian_filter(draw.normal(size=still.shape), 6).astype(np.float32)
    waves /= np.std(waves) or 1.0
    for number, stamp in enumerate(camera.stamps(duration)):
        light = still.copy()
        if room.moving:
            light[: camera.height // 2] += (
                room.moving * np.roll(waves, 3 * number, 1)[: camera.height // 2]
            )
        for ball in balls:
            _add(light, camera, ball, float(stamp * TIME_BASE))
        if room.hidden:
            left, right, top, bottom = room.hidden
            light[top:bottom, left:right] = 0.05
        if camera.shake:
            moved = camera.shake * draw.normal(size=2)
            light = ndimage.shift(light, moved, order=1, mode="nearest")
        seen = 255 * np.clip(light, 0, 1) ** (1 / 2.2)
        shift = tuple(draw.integers(0, camera.height, 2))
        seen += camera.noise * np.roll(grain, shift, (0, 1))
        yield int(stamp), np.clip(np.round(seen), 0, 255).astype(np.uint8)


def _add(light: Image, camera: Camera, ball: Sprite, stamp: float) -> None:
    """Put a ball, its shadow and its reflection into a picture."""
    radius = ball.radius * camera.pixels_per_metre
    rows = np.arange(camera.height)
    instants = (
        stamp
        + camera.line_time * rows[:, None]
        + camera.exposure * ((np.arange(MOMENTS) + 0.5) / MOMENTS)
    )
    column, row = camera.to_pixels(*ball.path(instants))  # (rows, moments)
    mirrored = 2 * (camera.height - camera.floor) - row
    if ball.shadow:
        _shade(light, camera, ball, column, row, radius)
    if ball.reflection:
        cover, shine = _coverage(light.shape, column, mirrored, radius, camera.blur, ball)
        floor = (rows >= camera.height - camera.floor)[:, None]
        light += ball.reflection * np.where(floor, shine - cover * light, 0).astype(np.float32)
    cover, shine = _coverage(light.shape, column, row, radius, camera.blur, ball)
    light *= 1 - cover
    light += shine


def _coverage(
    shape: tuple[int, int],
    column: NDArray[np.float64],
    row: NDArray[np.float64],
    radius: float,
    blur: float,
    ball: Sprite,
) -> tuple[Image, Image]:
    """The share of the exposure in which the ball covers each pixel, and its light there."""
    height, width = shape
    cover, shine = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    margin = radius + 4 * blur + 2
    near = np.flatnonzero(np.any(np.abs(row - np.arange(height)[:, None]) <= margin, axis=1))
    if not near.size:
        return cover, shine
    top, bottom = near[0], near[-1] + 1
    left = max(int(np.min(column[near]) - margin), 0)
    right = min(int(np.max(column[near]) + margin) + 2, width)
    if right <= left:
        return cover, shine
    parts = (np.arange(SUPERSAMPLES) + 0.5) / SUPERSAMPLES - 0.5
    points = np.arange(left, right)[:, None] + parts  # (columns, parts)
    covered = np.zeros((bottom - top, right - left))
    shining = np.zeros_like(covered)
    for moment in range(MOMENTS):
        for part in parts:
            up = (np.arange(top, bottom) + part - row[top:bottom, moment])[:, None, None]
            along = points[None] - column[top:bottom, moment][:, None, None]
            inside = np.asarray(up**2 + along**2 <= radius**2, float)
            covered += inside.mean(2)
            shining += (inside * ball.light * (1 - ball.shading * up / radius)).mean(2)
    weight = MOMENTS * SUPERSAMPLES
    cover[top:bottom, left:right] = covered / weight
    shine[top:bottom, left:right] = shining / weight
    around = np.s_[max(top - 5, 0) : bottom + 5, max(left - 5, 0) : right + 5]
    cover[around] = ndimage.gaussian_filter(cover[around], blur)
    shine[around] = ndimage.gaussian_filter(shine[around], blur)
    return cover, shine


def _shade(
    light: Image,
    camera: Camera,
    ball: Sprite,
    column: NDArray[np.float64],
    row: NDArray[np.float64],
    radius: float,
) -> None:
    """The soft shadow on the floor below the ball: smaller and darker the lower it is."""
    edge = camera.height - camera.floor
    middle = int(np.clip(edge, 0, camera.height - 1))
    above = max(float(edge - row[middle].mean()) / radius - 1, 0.0)
    wide = radius * (0.8 + 0.4 * above)
    rows = np.arange(camera.height)[:, None]
    columns = np.arange(camera.width)[None]
    distance = ((columns - column[middle].mean()) / wide) ** 2 + (
        (rows - edge - 0.35 * radius) / (0.35 * wide)
    ) ** 2
    dark = ball.shadow / (1 + above) * np.exp(-distance)
    light *= np.where(rows >= edge, 1 - dark, 1).astype(np.float32)


def write_film(
    path: str | Path, camera: Camera, room: Room, balls: list[Sprite], duration: float
) -> None:
    """Render and encode a film with the stamps of its frames in the container."""
    with av.open(str(path), "w") as container:
        rate = Fraction(camera.rate).limit_denominator()
        stream: Any = container.add_stream(camera.codec, rate=rate)
        stream.width, stream.height, stream.pix_fmt = camera.width, camera.height, "yuv420p"
        stream.time_base = stream.codec_context.time_base = TIME_BASE
        stream.options = {"crf": str(camera.crf), "preset": "veryfast"}
        for stamp, picture in frames(camera, room, balls, duration):
            frame = av.VideoFrame.from_ndarray(picture, format="gray8").reformat(format="yuv420p")
            frame.pts, frame.time_base = stamp, TIME_BASE
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def changed(camera: Camera, **values: object) -> Camera:
    """The camera with some other values."""
    return dataclasses.replace(camera, **values)  # type: ignore[arg-type]
