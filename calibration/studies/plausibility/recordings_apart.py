"""What speaks against fitting recordings together: the same one twice, and gravity, restitution or
drag that differ from recording to recording by more than any of them leaves open.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from calibration.detection.flight_fit import UP
from calibration.detection.same_motion import is_same_motion
from calibration.results.intervals import student_reach
from calibration.results.numbers import listed, value_and_sd
from calibration.studies.choices.friction_laws import FRICTION, TANGENTIAL
from calibration.studies.plausibility.apparent_gravity import COMMON_RATES
from calibration.studies.plausibility.drag import DRAG
from calibration.studies.plausibility.fall_beside_camera import fall_beside_camera
from calibration.studies.plausibility.finding import Finding, Reading, two_digits

OF_THE_BALL = (
    "contact.normal.restitution",
    "contact.normal.stiffness",
    DRAG,
    FRICTION,
    TANGENTIAL,
)
"""What is of one ball, and a mean of nothing where there are two."""

SURE = 5.0
"""Standard deviations from which on two recordings differ."""

SURE_WITH_CAMERA = 3.0
"""The same of gravity and drag with all left open that a camera does: what is known of that
beforehand is twice as wide as what is common.
"""

GRAVITY_APART = 0.03
"""Relative difference of gravity that a lens, or a camera that is not level, may make between
recordings of one set-up.
"""

RESTITUTION_APART, BALLS_APART = 0.01, 0.03
"""The same of restitutions: where impacts of one recording tell how well they repeat, and where
they do not, or where there are so many recordings that their scatter counts.
"""

DRAG_APART = 1.5
"""Ratio of decelerations by drag up to which the wake of one ball may differ."""

RATE_KNOWN = 0.01
"""Relative difference up to which a frame rate is taken for a common one."""

POWER, CURVATURE = 0.15, 0.1
"""How restitution may depend on the speed, as standard deviations of the derivatives of ln e by the
logarithm of the speed.
"""

UNSEEN = 0.002
"""Relative error of a restitution that its standard deviation does not hold: no bounce is quite the
one before.
"""

LEVEL = math.radians(3.0)
"""How far a table is out of level in the axes of a camera, both set up by eye to 2 degrees [rad].
"""

CHANCE = 1e-3
"""That single impacts scatter as much as recordings differ."""

ENOUGH = 4
"""Recordings from which on their scatter widens intervals by as much as it should."""


def contradictions(
    readings: Sequence[Reading],
    *,
    gravity: float,
    drag_coefficients: Sequence[float] | None = None,
    lift: bool = False,
) -> list[Finding]:
    """Findings on recordings that contradict each other; of the first kind that there is, since it
    would be the cause of those that follow.

    Args:
        readings: recordings and what was detected in them.
        gravity: stated acceleration of free fall [m/s^2].
        drag_coefficients: of the ball of each recording, over its deceleration by drag per square
            of the speed [m]; by default all balls are alike.
        lift: whether spin lifts the balls: then they may fall differently.
    """
    factors = np.ones(len(readings)) if drag_coefficients is None else drag_coefficients
    pairs = [pair for pair in zip(readings, factors, strict=True) if pair[0][1].bounces]
    if len(pairs) < 2 or not gravity > 0:
        return []
    bouncing = [reading for reading, _ in pairs]
    return (
        list(_same_motion(bouncing))
        or (list(_gravity_apart(bouncing, gravity)) if not lift else [])
        or [*_restitution_apart(bouncing), *_drag_apart(pairs, gravity)]
    )


def _same_motion(readings: Sequence[Reading]) -> Iterator[Finding]:
    """Recordings that are a part of another one."""
    heights = [
        recording.position[np.isfinite(recording.position[:, UP]), UP] for recording, _ in readings
    ]
    twice = [
        f"{readings[j][0].name} and {readings[i][0].name}"
        for i, j in itertools.combinations(range(len(readings)), 2)
        if is_same_motion(heights[i], heights[j])
    ]
    if twice:
        yield Finding(
            f"{listed(twice)} are of the same motion, noise and all: the same recording under two "
            "names, exported or cut anew, which would count twice. Leave one of the two out.",
            meaningless=True,
        )


def _gravity_apart(readings: Sequence[Reading], gravity: float) -> Iterator[Finding]:
    """Recordings whose apparent gravity is another than that of the one nearest to gravity, even if
    the camera changes lengths along the path.
    """
    value = np.array([detected.gravity for _, detected in readings])
    sd = np.array([detected.gravity_sd for _, detected in readings])
    reference = int(np.argmin(np.abs(value - gravity)))

    def lie_apart(gravities: np.ndarray, covariance: np.ndarray, sure: float) -> np.ndarray:
        apart = gravities - gravities[reference]
        limit = sure * _sd_of_difference(covariance, reference)
        return np.abs(apart) > np.maximum(limit, GRAVITY_APART * gravities[reference])

    odd = np.flatnonzero(lie_apart(value, np.diag(sd**2), SURE))
    if odd.size:
        fall = fall_beside_camera(readings, gravity)
        still = lie_apart(fall.gravity, fall.gravity_covariance, SURE_WITH_CAMERA)
        odd = odd[still[odd]]
    if not odd.size:
        return
    each = [f"{readings[i][0].name} {value_and_sd(value[i], sd[i])} m/s^2" for i in odd.tolist()]
    ratio = float(np.median(value[odd])) / value[reference]
    recording, _ = readings[odd[0]]
    yield Finding(
        f"Gravity differs from recording to recording ({listed(each)}, "
        f"{readings[reference][0].name} {value_and_sd(value[reference], sd[reference])} m/s^2): "
        f"{_causes(ratio, 1 / float(np.median(np.diff(recording.time))))}. Say it of the file that "
        "is wrong (--file), or fit the files one by one.",
        meaningless=True,
    )


def _sd_of_difference(covariance: np.ndarray, reference: int) -> np.ndarray:
    """Standard deviations (r,) of the differences from one of the values."""
    variance = np.diag(covariance)
    both = variance + variance[reference] - 2 * covariance[reference]
    return np.sqrt(np.maximum(both, 0.0))


def _causes(ratio: float, rate: float) -> str:
    """What may make gravity of a recording so many times that of another."""
    true_rate = rate / np.sqrt(ratio)
    common = min(COMMON_RATES, key=lambda one: abs(np.log(true_rate / one)))
    near = abs(true_rate / common - 1) < RATE_KNOWN and abs(rate / common - 1) > RATE_KNOWN
    guess = f", probably {common} instead of {rate:.4g} frames per second" if near else ""
    size = two_digits(100 * abs(ratio - 1))
    return (
        f"the scale of their lengths differs by {size} % (another distance to the camera, another "
        f"ruler), or the frame rate by {two_digits(100 * abs(np.sqrt(ratio) - 1))} %{guess}; balls "
        "that spin are lifted differently"
    )


class _Offsets(NamedTuple):
    """Logarithms of the restitution of recordings at one speed, and what is known of them."""

    value: np.ndarray
    covariance: np.ndarray
    freedom: int
    enlarged: bool


def _restitution_apart(readings: Sequence[Reading]) -> Iterator[Finding]:
    """Recordings whose restitution differs at the same speed of impact."""
    offsets = _offsets(readings)
    low, high = int(np.argmin(offsets.value)), int(np.argmax(offsets.value))
    apart = float(offsets.value[high] - offsets.value[low])
    both = offsets.covariance[np.ix_([low, high], [low, high])]
    sd = float(np.sqrt(both[0, 0] + both[1, 1] - 2 * both[0, 1]))
    few = len(readings) < ENOUGH
    least = RESTITUTION_APART if few and offsets.freedom > 1 else BALLS_APART
    reach = student_reach(1 - CHANCE, offsets.freedom) if offsets.enlarged else SURE
    if not apart > max(least, max(reach, SURE) * sd):
        return
    each = [f"{recording.name} {detected.restitution:.3f}" for recording, detected in readings]
    yield Finding(
        f"The restitution differs from recording to recording by more than its errors and its "
        f"scatter within them ({listed(each)}): they are probably not of the same ball on the same "
        "surface. Fit them one by one.",
        doubts=OF_THE_BALL if few else (),
    )


def _offsets(readings: Sequence[Reading]) -> _Offsets:
    """``ln e = a_r + q x + c x^2 + s d`` of all impacts, with the logarithm x of the speed and the
    change d of the slope of the path, by least squares with what is known of q, c and s beforehand.

    On a table that slopes by s, ``-v_z'/v_z`` is not the restitution: to first order its logarithm
    is larger by ``s (v_x'/v_z' - v_x/v_z)``, and the same along y.
    """
    rows = [
        (
            place,
            -bounce.velocity_before[UP],
            bounce.restitution,
            bounce.restitution_sd,
            *np.nan_to_num(_slopes(bounce.velocity_after) - _slopes(bounce.velocity_before)),
        )
        for place, (_, detected) in enumerate(readings)
        for bounce in detected.bounces
    ]
    recording, speed, restitution, sd, *turned = np.asarray(rows, dtype=float).T
    x = np.log(speed / np.median(speed))
    size = np.hypot(sd / restitution, UNSEEN)
    count = len(readings)
    design = np.concatenate(
        [recording[:, None] == np.arange(count), np.column_stack([x, x**2, *turned])], axis=1
    )
    weighted = design / size[:, None]
    known = np.diag(np.r_[np.zeros(count), POWER**-2.0, CURVATURE**-2.0, LEVEL**-2.0, LEVEL**-2.0])
    covariance = np.linalg.inv(weighted.T @ weighted + known)
    solution = covariance @ weighted.T @ (np.log(restitution) / size)
    freedom = max(restitution.size - count, 1)
    spread = float(np.sum((np.log(restitution) / size - weighted @ solution) ** 2)) / freedom
    enlarged = spread > 1
    return _Offsets(
        solution[:count],
        covariance[:count, :count] * max(spread, 1.0),
        freedom,
        enlarged,
    )


def _slopes(velocity: np.ndarray) -> np.ndarray:
    """``v_x/v_z`` and ``v_y/v_z`` (2,) of a path."""
    return velocity[:UP] / velocity[UP]


def _drag_apart(pairs: Sequence[tuple[Reading, float]], gravity: float) -> Iterator[Finding]:
    """Recordings in which the air slows the ball by more than another one of its kind, even if the
    camera changes lengths along the path.
    """
    told = [pair for pair in pairs if pair[0][1].drag_sd > 0]
    if len(told) < 2:
        return
    drag = np.array([detected.drag for (_, detected), _ in told])
    factor = np.array([factor for _, factor in told])
    sd = factor * np.array([detected.drag_sd for (_, detected), _ in told])
    alike = factor * drag
    low, high = int(np.argmin(alike)), int(np.argmax(alike))
    sure = alike[high] - alike[low] > SURE * np.hypot(sd[low], sd[high])
    if not (sure and alike[high] > DRAG_APART * alike[low]):
        return
    fall = fall_beside_camera([reading for reading, _ in told], gravity)
    apart = factor * fall.drag
    both = _sd_of_difference(fall.drag_covariance * np.outer(factor, factor), low)
    if not apart[high] - apart[low] > SURE_WITH_CAMERA * both[high]:
        return
    each = [f"{told[i][0][0].name} {value_and_sd(drag[i], sd[i] / factor[i])}" for i in (low, high)]
    yield Finding(
        f"The air slows the balls differently (deceleration over speed squared, 1/m: "
        f"{listed(each)}): they are probably different balls. Give each file its own radius and "
        "mass (--file 'NAME: radius=0.02, mass=0.0027'), or fit the files one by one.",
        doubts=OF_THE_BALL,
    )
