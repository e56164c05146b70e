"""What differs from the background in a picture: connected patches, brighter or darker."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from calibration.films.background import Background
from calibration.films.film import Film, Grey, Region

WIDEST = 1000
"""Columns above which pictures are halved: a ball is found there, and measured elsewhere."""

SIGNIFICANT, FAINTEST = 6.0, 9.0
"""Standard deviations and grey levels by which a patch differs."""

SMALLEST = 8
"""Pixels of a patch."""

MOST = 60
"""Patches of one picture that are kept, the largest."""


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The patches of one picture, in pixels of the film.

    Attributes:
        place: their centres (n, 2), column and row, weighted by the contrast.
        area: (n,) [pixels^2].
        contrast: mean difference from the background (n,), with its sign.
        extent: length and width (n, 2) of an ellipse with the same second moments.
    """

    place: NDArray[np.float64] = field(repr=False)
    area: NDArray[np.float64] = field(repr=False)
    contrast: NDArray[np.float64] = field(repr=False)
    extent: NDArray[np.float64] = field(repr=False)


def find_candidates(
    film: Film, background: Background, region: Region | None = None
) -> Iterator[Candidates]:
    """The patches of each frame.

    Args:
        film: its frames are decoded one after the other.
        background: what does not move.
        region: where to look.
    """
    factor = 1 if film.width <= WIDEST else 2 if film.width <= 2 * WIDEST else 4
    still = _shrunk(background.grey, factor)
    limit = np.maximum(SIGNIFICANT * _shrunk(background.noise, factor), FAINTEST)
    if region is not None:
        outside = np.ones(still.shape, bool)
        outside[
            region.top // factor : -(-region.bottom // factor),
            region.left // factor : -(-region.right // factor),
        ] = False
        limit[outside] = np.inf
    for picture in film.pictures():
        change = _shrunk(picture, factor) - still
        change -= np.median(change[::8, ::8])  # the exposure follows the ball
        yield _patches(change, limit, factor)


def _shrunk(picture: Grey | NDArray[np.float32], factor: int) -> NDArray[np.float32]:
    """Means of squares of pixels."""
    if factor == 1:
        return picture.astype(np.float32)
    height, width = (size - size % factor for size in picture.shape)
    kind = np.uint16 if picture.dtype == np.uint8 else np.float32
    total = np.zeros((height // factor, width // factor), kind)
    for row in range(factor):
        for column in range(factor):
            total += picture[row:height:factor, column:width:factor]
    return np.asarray(total / factor**2, np.float32)


def _patches(change: NDArray[np.float32], limit: NDArray[np.float32], factor: int) -> Candidates:
    found = []
    for sign in (1, -1):
        differs = sign * change > limit
        if not differs.any():
            continue
        # Only the box around all that differs is searched: most of a picture does not.
        top, bottom = np.flatnonzero(differs.any(axis=1))[[0, -1]]
        left, right = np.flatnonzero(differs.any(axis=0))[[0, -1]]
        box = np.s_[top : bottom + 1, left : right + 1]
        labels, _ = ndimage.label(differs[box])
        part = sign * change[box]
        areas = np.bincount(labels.ravel())
        boxes = ndimage.find_objects(labels)
        for label in np.argsort(-areas[1:], kind="stable")[:MOST] + 1:
            if areas[label] < SMALLEST:
                break
            rows, columns = boxes[label - 1]
            weight = np.where(labels[rows, columns] == label, part[rows, columns], 0)
            total = float(weight.sum())
            column = left + float(weight.sum(0) @ np.arange(columns.start, columns.stop)) / total
            row = top + float(weight.sum(1) @ np.arange(rows.start, rows.stop)) / total
            middle = (factor - 1) / 2  # of a square of pixels
            long, wide = _axes(labels[rows, columns] == label)
            found.append(
                (
                    factor * column + middle,
                    factor * row + middle,
                    factor**2 * float(areas[label]),
                    sign * total / float(areas[label]),
                    factor * long,
                    factor * wide,
                )
            )
    table = np.array(sorted(found, key=lambda patch: -patch[2])[:MOST]).reshape(-1, 6)
    return Candidates(
        place=table[:, :2], area=table[:, 2], contrast=table[:, 3], extent=table[:, 4:]
    )


def _axes(inside: NDArray[np.bool_]) -> tuple[float, float]:
    """Length and width of an ellipse with the second moments of a patch; a disc has its
    diameter.
    """
    spread = np.cov(np.nonzero(inside), bias=True) + np.eye(2) / 12  # pixels have a size
    small, large = np.linalg.eigvalsh(spread)
    return 4 * float(np.sqrt(large)), 4 * float(np.sqrt(small))
