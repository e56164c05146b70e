"""What a film shows without the ball: the median over time of each pixel, and how it scatters."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.films.film import Film, Grey

SAMPLES = 40
"""Pictures of which the median is taken."""

FEWEST = 9
"""Pictures below which a median may still show the ball."""

LARGEST_MEMORY = 6e8
"""Bytes of the pictures that are kept."""

FLOOR = 1.0
"""Least standard deviation of a pixel: a compressed film repeats its noise, and rounding hides
it."""

NORMAL = 1.4826
"""Standard deviation over median absolute deviation of a normal distribution."""

CHANGED = 12
"""Grey levels by which a pixel differs where something moves."""

EVERY, MOST_EDGES = 4, 20000
"""Of so many rows one tells whether the camera moves, and so many pixels at most."""

KNOWN = 0.1
"""Standard error of a shift [pixels] above which the edges do not tell it."""

STEADY = 0.7
"""Pixels by which the picture of a camera on a stand may move."""

THUMB = 160
"""Columns of the small pictures that tell when something moves."""


@dataclass(frozen=True, kw_only=True)
class Background:
    """The still picture behind what moves.

    Attributes:
        grey: median of each pixel.
        noise: standard deviation of each pixel about it, robust.
        samples: the pictures it was taken from, by their number in the part of the film.
    """

    grey: NDArray[np.float32] = field(repr=False)
    noise: NDArray[np.float32] = field(repr=False)
    samples: dict[int, Grey] = field(repr=False)


def find_background(film: Film) -> Background:
    """The background while something moves: a ball that lies still for half of the film would be
    part of it otherwise.

    Raises:
        InputError: nothing moves, or the camera does.
    """
    moving = _frames_with_motion(film)
    room = int(LARGEST_MEMORY / (film.width * film.height))
    count = max(min(SAMPLES, room, moving.size), min(FEWEST, moving.size))
    chosen = set(moving[np.linspace(0, moving.size - 1, count).round().astype(int)].tolist())
    samples = {
        number: picture.copy() for number, picture in enumerate(film.pictures()) if number in chosen
    }
    grey, noise = median_and_noise(np.stack(list(samples.values())))
    _check_camera(film, grey, list(samples.values()))
    return Background(grey=grey, noise=noise, samples=samples)


def median_and_noise(
    stack: NDArray[np.uint8],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Median and robust standard deviation along the first axis, in bands of rows."""
    median = np.empty(stack.shape[1:], np.float32)
    noise = np.empty_like(median)
    for top in range(0, stack.shape[1], 64):
        band = np.s_[top : top + 64]
        middle = np.median(stack[:, band], axis=0).astype(np.float32)
        median[band] = middle
        away = np.abs(stack[:, band].astype(np.int16) - middle.astype(np.int16))
        noise[band] = NORMAL * np.median(away, axis=0)
    return median, np.maximum(noise, FLOOR)


def _check_camera(film: Film, grey: NDArray[np.float32], samples: list[Grey]) -> None:
    """Raise where the picture itself moves: what does not move is the median then of several
    places, and its edges look like things that move.
    """
    shifts = [found for picture in samples if (found := find_shift(grey, picture)) is not None]
    if len(shifts) < FEWEST:
        return  # a plain wall
    moved = float(np.quantile(np.hypot(*(np.array(shifts) - np.median(shifts, axis=0)).T), 0.75))
    if moved > STEADY:
        raise InputError(
            f"the camera moves: the picture shifts by {moved:.1f} pixels or more in a quarter of "
            "the film",
            remedy="Put the phone on a stand, and choose the part of the film after it was touched "
            "(--from, --to).",
            path=film.path,
        )


def find_shift(grey: NDArray[np.float32], picture: Grey) -> NDArray[np.float64] | None:
    """By how many columns and rows a picture is shifted against the median, from the brightness
    beside its edges (Lucas and Kanade 1981), robust against what moves; ``None`` where no edges
    tell.
    """
    part = np.s_[1:-1:EVERY, 1:-1]
    along = ((grey[1:-1:EVERY, 2:] - grey[1:-1:EVERY, :-2]) / 2).ravel()
    down = ((grey[2::EVERY] - grey[:-2:EVERY])[:, 1:-1] / 2).ravel()
    change = (grey[part] - picture[part]).ravel()
    change -= np.median(change)
    edges = np.flatnonzero(np.hypot(along, down) > CHANGED / 2)
    if edges.size < MOST_EDGES // 40:
        return None
    edges = edges[:: max(edges.size // MOST_EDGES, 1)]
    slopes, change = np.stack([along[edges], down[edges]]).astype(float), change[edges]
    shift = np.zeros(2)
    for _ in range(5):
        left = change - shift @ slopes
        limit = 3 * max(NORMAL * float(np.median(np.abs(left))), FLOOR)
        weight = np.abs(left) < limit
        normal = (slopes * weight) @ slopes.T
        if np.linalg.eigvalsh(normal)[0] < (limit / 3 / KNOWN) ** 2:
            return None  # edges in one direction only
        shift = np.asarray(np.linalg.solve(normal, (slopes * weight) @ change))
    return shift


def _frames_with_motion(film: Film) -> NDArray[np.int_]:
    """Numbers of the frames from the first to the last in which something moves."""
    step = max(film.width // THUMB, 1)
    active, before = [], None
    for number, picture in enumerate(film.pictures()):
        small = picture[::step, ::step].astype(np.int16)
        if before is not None and np.count_nonzero(np.abs(small - before) > CHANGED) >= 2:
            active.append(number)
        before = small
    if len(active) < FEWEST:
        raise InputError(
            "nothing moves in this film",
            remedy="Choose the part with the ball (--from, --to); a ball must differ from what is "
            "behind it in brightness, and be at least 6 pixels wide.",
            path=film.path,
        )
    return np.arange(max(active[0] - 1, 0), active[-1] + 1)


def without_ball(
    background: Background,
    covered: dict[int, tuple[NDArray[np.float64], float]],
) -> Background:
    """The background again, from the samples in which the ball was elsewhere.

    Args:
        background: as it was found first.
        covered: by the number of a sample, centre of the ball (column, row) and the radius around
            it that does not count.
    """
    stack = np.stack(list(background.samples.values()))
    hidden = np.zeros(stack.shape, bool)
    touched = np.zeros(background.grey.shape, bool)
    height, width = background.grey.shape
    for index, number in enumerate(background.samples):
        if number not in covered:
            continue
        (column, row), around = covered[number]
        top, bottom = max(int(row - around), 0), min(int(row + around) + 2, height)
        left, right = max(int(column - around), 0), min(int(column + around) + 2, width)
        if top >= bottom or left >= right:
            continue
        inside = (
            np.hypot(np.arange(left, right) - column, (np.arange(top, bottom) - row)[:, None])
            <= around
        )
        hidden[index, top:bottom, left:right] |= inside
        touched[top:bottom, left:right] |= inside
    grey, noise = background.grey.copy(), background.noise.copy()
    rows, columns = np.nonzero(touched)
    if rows.size:
        pixels = np.where(
            hidden[:, rows, columns], np.nan, stack[:, rows, columns].astype(np.float32)
        )
        enough = np.count_nonzero(np.isfinite(pixels), axis=0) >= FEWEST // 3
        rows, columns, pixels = rows[enough], columns[enough], pixels[:, enough]
        middle = np.nanmedian(pixels, axis=0)
        grey[rows, columns] = middle
        noise[rows, columns] = np.maximum(
            NORMAL * np.nanmedian(np.abs(pixels - middle), axis=0), FLOOR
        )
    return Background(grey=grey, noise=noise, samples=background.samples)
