"""Whether the restitution of single impacts is in order: by the speed of the impact, or by its
place in the recording. Scatter is in no order.
"""

import dataclasses
from itertools import permutations
from typing import NamedTuple

import numpy as np

from calibration.detection.detection import Detection
from calibration.detection.impacts import DetectedImpacts
from calibration.fitting.assessment import Assessment
from calibration.nuisances.restitution import DEVIATION, FACTOR
from calibration.problem.problem import Problem

DRAWS = 4000
"""Random orders with which the one that was seen is compared."""

ALL_ORDERS = 7
"""Up to so many impacts all orders are gone through."""

FEWEST = 5
"""Impacts from which on an order can be told from chance."""


class Deviations(NamedTuple):
    """Deviations of single impacts from the common restitution.

    Attributes:
        value: (n,) of ``ln(e/(1 - e))``.
        speed: (n,) normal speed before each [m/s].
        impact: (n,) place in its recording, counted from 0.
        recording: (n,) position of its recording.
    """

    value: np.ndarray
    speed: np.ndarray
    impact: np.ndarray
    recording: np.ndarray


@dataclasses.dataclass(frozen=True)
class Order:
    """An order of deviations.

    Attributes:
        by: what they are ordered by, in words.
        correlation: rank correlation.
        chance: probability of as much order by chance.
    """

    by: str
    correlation: float
    chance: float


def deviations_of(problem: Problem, assessment: Assessment) -> Deviations:
    """The deviations of a fit that lets impacts deviate."""
    names = assessment.layout.names
    factor = np.exp(assessment.minimum.shared[names.index(FACTOR)]) if FACTOR in names else 1.0
    rows = []
    for kind, members, local in zip(
        problem.layout.batches, problem.members, assessment.minimum.local, strict=True
    ):
        first = [parameter.name for parameter in kind.trial_parameters].index(f"{DEVIATION}1")
        for own, member in zip(local, members, strict=True):
            rows += [
                (factor * own[first + i], speed, i, member)
                for i, speed in speeds_of(problem.detections[member])
            ]
    value, speed, impact, recording = np.asarray(rows, dtype=float).reshape(-1, 4).T
    return Deviations(value, speed, impact.astype(int), recording.astype(int))


def speeds_of(detected: Detection) -> list[tuple[int, float]]:
    """Place of each impact in its recording, with its normal speed before [m/s].

    Times tell no deviation of the first impact, which the speed before it takes, nor of the last,
    after which nothing was heard. The speed falls from impact to impact by the mean restitution.
    """
    if isinstance(detected, DetectedImpacts):
        heard = (number for number in detected.numbers if 0 < number < detected.numbers[-1])
        return [(number, detected.speed * detected.restitution**number) for number in heard]
    return [(i, -float(bounce.velocity_before[2])) for i, bounce in enumerate(detected.bounces)]


def find_order(deviations: Deviations, *, chance: float) -> Order | None:
    """The order of deviations that chance does not make; ``None`` where there is none.

    The rank correlation with the speed, and within recordings with the place of the impact, against
    those of random orders. Speed goes first where both are as likely: in one drop later impacts are
    slower.

    Args:
        deviations: of all impacts.
        chance: probability of as much order by chance from which on it is believed.
    """
    if deviations.value.size < FEWEST:
        return None
    orders = [
        rank_order("the speed of the impact", deviations.value, deviations.speed),
        rank_order("the place of the impact in its recording", deviations.value, deviations.impact),
    ]
    best = min(orders, key=lambda order: order.chance)
    return best if best.chance < chance / len(orders) else None


def rank_order(by: str, value: np.ndarray, key: np.ndarray) -> Order:
    """Spearman's rank correlation, with its probability among all orders, or among ``DRAWS``."""
    ranks, keys = standardise(rank(value)), standardise(rank(key))
    if ranks.size <= ALL_ORDERS:
        others = np.asarray(list(permutations(ranks)))
        seen = 0
    else:
        others = np.random.default_rng(0).permuted(np.tile(ranks, (DRAWS, 1)), axis=1)
        seen = 1
    correlation = float(ranks @ keys)
    more = int(np.sum(np.abs(others @ keys) >= abs(correlation) - 1e-9))
    return Order(by, correlation, (seen + more) / (seen + len(others)))


def rank(values: np.ndarray) -> np.ndarray:
    """Ranks from 0; equal values share their mean."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts + 1) / 2)[inverse]


def standardise(values: np.ndarray) -> np.ndarray:
    """Less their mean, of length 1; zeros where they do not vary."""
    moved = values - values.mean()
    length = float(np.sqrt(moved @ moved))
    return moved / length if length > 0 else moved
