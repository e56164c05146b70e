"""Where the ball is in one picture: robust least squares of its model picture."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from calibration.films.ball_picture import Array, Ball, Rendered, render, to_grey, to_light

CENTRE = (0, 1, 2)
"""Free: column, row and gain; then radius, blur and exposure."""

ITERATIONS, GRADUAL = 14, 4
"""Steps at most, and those in which a residual becomes an outlier by and by."""

CLOSE = 2e-3
"""A step of the centre [pixels] after which it is found."""

BISQUARE = 4.685
"""Tukey's constant: residuals of so many standard deviations have no weight."""

SPREADS = (1.0, 3.0)
"""Least and largest scatter of the pixels of the edge in their standard deviations: where it is
larger something else is there.
"""

MARGIN = 3.0
"""Pixels around the ball that take part, beside its blur."""


Pixels = tuple[NDArray[np.int_], NDArray[np.int_]]
"""Rows and columns."""

EDGE, LOOKS = 0.1, 0.03
"""What the model does not know: pixels of the edge, and the share of the contrast on the ball."""


@dataclass(frozen=True, kw_only=True)
class View:
    """The part of a picture in which the ball is expected.

    Attributes:
        frame: number of the picture.
        corner: column and row of its upper left pixel.
        grey: as the film shows it.
        background: light without the ball.
        noise: standard deviation of each pixel [grey levels].
        full_range: whether black is 0.
    """

    frame: int
    corner: tuple[int, int]
    grey: Array = field(repr=False)
    background: Array = field(repr=False)
    noise: Array = field(repr=False)
    full_range: bool


@dataclass(frozen=True, kw_only=True)
class Located:
    """The ball in one picture.

    Attributes:
        centre: column and row.
        velocity: for which it was found [pixels/s].
        gain: factor of its light.
        ball: with radius, blur and exposure as they were found, where they were free.
        covariance: of column and row, from the scatter of the pixels.
        misfit: robust scatter of the pixels at the ball over its contrast.
        hidden: the share of what tells the centre that does not look like the ball.
    """

    centre: Array
    velocity: Array
    gain: float
    ball: Ball
    covariance: Array = field(repr=False)
    misfit: float
    hidden: float


def locate(
    view: View,
    ball: Ball,
    centre: Array,
    velocity: Array,
    free: Sequence[int] = CENTRE,
    *,
    near: bool = False,
) -> Located | None:
    """Find the ball near a place; ``None`` where the search begins or ends outside of the view.

    Args:
        view: part of the picture.
        ball: how it looks.
        centre: first guess.
        velocity: [pixels/s].
        free: which of column, row, gain, radius, blur and exposure.
        near: whether the guess is that of an earlier search.
    """
    free = list(free)
    found = np.array([*centre, 1.0, ball.radius, ball.blur, ball.exposure])
    offset = 0.0
    if not _inside(view, found):
        return None
    for iteration in range(GRADUAL if near else 0, ITERATIONS):
        pixels = _pixels(view, found, velocity)
        rendered = _rendered(view, ball, found, velocity, pixels)
        grey, slope = to_grey(rendered.light, full_range=view.full_range)
        deviation = _deviation(view.noise[pixels], rendered, slope, np.ptp(grey))
        residual = (view.grey[pixels] - grey - offset) / deviation
        columns = np.vstack([slope * rendered.derivatives[free], np.ones(grey.size)]) / deviation
        information = np.sum(columns[:2] ** 2, axis=0)
        on_edge = information > 0.1 * np.max(information)
        spread = float(np.clip(1.4826 * np.median(np.abs(residual[on_edge])), *SPREADS))
        scale = spread * max(3 - 2 * iteration / GRADUAL, 1.0)
        weight = np.clip(1 - (residual / (BISQUARE * scale)) ** 2, 0, None) ** 2
        normal = (columns * weight) @ columns.T
        normal[np.diag_indices_from(normal)] *= 1 + 1e-6
        if not np.all(np.diag(normal) > 0):
            return None
        step = np.asarray(np.linalg.solve(normal, (columns * weight) @ residual), float)
        limited = _limited(found, free, step[:-1])
        found[free] += limited
        offset += step[-1]
        if not _inside(view, found):
            return None
        if iteration >= GRADUAL and np.hypot(*limited[:2]) < CLOSE:
            break
    return Located(
        centre=found[:2].copy(),
        velocity=np.asarray(velocity, float),
        gain=float(found[2]),
        ball=replace(ball, radius=found[3], blur=found[4], exposure=found[5]),
        covariance=np.asarray(spread**2 * np.linalg.inv(normal)[:2, :2], float),
        misfit=float(np.median(np.abs((residual * deviation)[on_edge])) * 1.4826 / np.ptp(grey)),
        hidden=1 - float(weight @ information / np.sum(information)),
    )


def _rendered(view: View, ball: Ball, found: Array, velocity: Array, pixels: Pixels) -> Rendered:
    rows, columns = pixels
    return render(
        replace(ball, radius=found[3], blur=found[4], exposure=found[5]),
        view.background[pixels],
        view.corner[0] + columns - found[0],
        view.corner[1] + rows - found[1],
        velocity=velocity,
        gain=found[2],
    )


def _deviation(noise: Array, rendered: Rendered, slope: Array, contrast: float) -> Array:
    """Standard deviation of the pixels: noise, an edge that is not quite as in the model, and a
    ball that does not look quite the same everywhere.
    """
    edge = slope * np.hypot(rendered.derivatives[0], rendered.derivatives[1])
    looks = LOOKS * contrast * rendered.cover
    return np.sqrt(noise**2 + (EDGE * edge) ** 2 + looks**2)


def _pixels(view: View, found: Array, velocity: Array) -> Pixels:
    """Rows and columns of the pixels at the ball: at most so far from the line along which it
    moves.
    """
    rows, columns = view.grey.shape
    x = view.corner[0] + np.arange(columns) - found[0]
    y = (view.corner[1] + np.arange(rows) - found[1])[:, None]
    speed = max(float(np.hypot(*velocity)), 1e-9)
    along = np.abs(x * velocity[0] + y * velocity[1]) / speed
    nearest = np.minimum(along, speed * found[5] / 2)
    distance = x**2 + y**2 - 2 * along * nearest + nearest**2
    reach = found[3] + 2 * found[4] + MARGIN
    inside_rows, inside_columns = np.nonzero(distance <= reach**2)
    return inside_rows, inside_columns


def _limited(found: Array, free: Sequence[int], step: Array) -> Array:
    """No step is longer than half of the radius, none changes a size by more than a third."""
    limits = np.array([found[3] / 2, found[3] / 2, 0.3, found[3] / 5, found[4] / 3, 0.0])
    limits[5] = max(found[5] / 3, 1e-6)
    allowed = limits[list(free)]
    return np.clip(step, -allowed, allowed)


def _inside(view: View, found: Array) -> bool:
    rows, columns = view.grey.shape
    x, y = found[0] - view.corner[0], found[1] - view.corner[1]
    return bool(0 <= x < columns and 0 <= y < rows and found[3] > 1 and 0.05 < found[2] < 20)


def cut(
    grey: NDArray[np.uint8],
    background: NDArray[np.float32],
    noise: NDArray[np.float32],
    box: tuple[int, int, int, int],
    *,
    frame: int,
    full_range: bool,
    binned: int = 1,
) -> View:
    """The view in a box of columns and rows (left, top, right, bottom), squares of ``binned``
    pixels put together.
    """
    left, top, right, bottom = box
    part = np.s_[top:bottom, left:right]
    light = _means(to_light(background[part], full_range=full_range), binned)
    if binned == 1:
        seen = grey[part].astype(float)
    else:
        seen = to_grey(
            _means(to_light(grey[part], full_range=full_range), binned), full_range=full_range
        )[0]
    return View(
        frame=frame,
        corner=(left // binned, top // binned),
        grey=seen,
        background=light,
        noise=_means(noise[part].astype(float), binned),
        full_range=full_range,
    )


def _means(values: Array, binned: int) -> Array:
    rows, columns = values.shape
    return values.reshape(rows // binned, binned, columns // binned, binned).mean((1, 3))
