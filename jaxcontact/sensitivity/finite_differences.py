"""Derivatives by differences, with an estimate of their own error.

Each parameter is moved by a ladder of steps, each a quarter of the one before. A slope of second
order and Richardson's extrapolation from two neighbouring steps give one estimate for each step of
the ladder. Large steps suffer from the curvature, small ones from rounding, and between them lies a
plateau, where an estimate agrees with both its neighbours: the best agreement is taken, and the
worse of the two disagreements is its error.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jaxcontact.sensitivity.selection import Component

RATIO = 4.0
LARGEST = 1 / 64
"""Largest step in units of the parameter's scale."""

RUNGS = 14
LEAST_RUNGS = 5

CENTRAL = (1.0, -1.0)


class Ladder(NamedTuple):
    """Steps of each parameter.

    Attributes:
        steps: ``(parameters, rungs)``.
        offsets: the two places of each slope, in steps: ``(1, -1)``, or ``(1, 2)`` and ``(-1, -2)``
            at an end of the admissible interval.
    """

    steps: np.ndarray
    offsets: np.ndarray


class Differences(NamedTuple):
    """Derivatives by differences.

    Attributes:
        derivative: ``(parameters, horizons, numbers)``.
        error: estimate of its error, the largest of the numbers, ``(parameters, horizons)``;
            infinite where no plateau was found.
        step: the step that was taken, ``(parameters, horizons)``.
        events_change: whether the number of contacts changes even within the smallest steps,
            ``(parameters, horizons)``.
    """

    derivative: np.ndarray
    error: np.ndarray
    step: np.ndarray
    events_change: np.ndarray


def ladder(parts: Sequence[Component], scales: np.ndarray, precision: float) -> Ladder:
    """Steps from ``LARGEST`` of the ``scales`` downwards, inside the admissible intervals;
    ``precision`` is that of one number.
    """
    largest, offsets = [], []
    for part, scale in zip(parts, scales, strict=True):
        below, above = part.value - part.interval.low, part.interval.high - part.value
        near = 1e-6 * scale
        side = 1.0 if below <= near else -1.0 if above <= near else 0.0
        room = above / 2 if side > 0 else below / 2 if side < 0 else min(below, above)
        largest.append(min(LARGEST * scale, room / 2))
        offsets.append((side, 2 * side) if side else CENTRAL)
    rungs = int(np.clip(np.log(LARGEST / (1e5 * precision)) / np.log(RATIO), LEAST_RUNGS, RUNGS))
    return Ladder(np.asarray(largest)[:, None] * RATIO ** -np.arange(rungs), np.asarray(offsets))


def points(values: np.ndarray, steps: Ladder) -> np.ndarray:
    """Where the simulation must be run: ``(1 + parameters * rungs * 2, parameters)``, the first at
    ``values``.
    """
    moved = values + np.einsum("pq,pr,po->proq", np.eye(len(values)), steps.steps, steps.offsets)
    return np.concatenate([values[None], moved.reshape(-1, len(values))])


def differences(steps: Ladder, observed: np.ndarray, counts: np.ndarray | None) -> Differences:
    """Derivatives from the observable ``(points, horizons, numbers)`` and the number of contacts
    ``(points, horizons)`` at ``points``.
    """
    parameters, rungs = steps.steps.shape
    middle, moved = observed[0], observed[1:].reshape(parameters, rungs, 2, *observed.shape[1:])
    one_sided = (steps.offsets[:, 0] != -steps.offsets[:, 1])[:, None, None, None]
    signed = (steps.steps * steps.offsets[:, :1])[:, :, None, None]
    with np.errstate(invalid="ignore", over="ignore"):
        central = (moved[:, :, 0] - moved[:, :, 1]) / (2 * signed)
        sided = (4 * moved[:, :, 0] - moved[:, :, 1] - 3 * middle) / (2 * signed)
        slope = np.where(one_sided, sided, central)
        richardson = (RATIO**2 * slope[:, 1:] - slope[:, :-1]) / (RATIO**2 - 1)
        apart = np.max(np.abs(np.diff(richardson, axis=1)), axis=-1, initial=0.0)
        rounding = (
            np.finfo(observed.dtype).eps
            * np.max(np.abs(middle), axis=-1)
            / steps.steps[:, 2:-1, None]
        )
        error = np.maximum(np.maximum(apart[:, :-1], apart[:, 1:]), rounding)
    error = np.where(np.isfinite(error), error, np.inf)
    change = np.zeros(error.shape, dtype=bool)
    if counts is not None:
        differs = np.any(counts[1:].reshape(parameters, rungs, 2, -1) != counts[0], axis=2)
        change = differs[:, 1:-2] | differs[:, 2:-1]
    # A contact more or less makes a corner, across which no difference is taken if there is any
    # other.
    ranked = np.where(change & ~np.all(change, axis=1, keepdims=True), np.inf, error)
    best = np.argmin(ranked, axis=1)

    def taken(column: np.ndarray) -> np.ndarray:
        return np.take_along_axis(
            column, best.reshape(best.shape[0], 1, best.shape[1], *[1] * (column.ndim - 3)), axis=1
        )[:, 0]

    step = np.broadcast_to(steps.steps[:, 2:-1, None], error.shape)
    return Differences(taken(richardson[:, 1:-1]), taken(error), taken(step), taken(change))
