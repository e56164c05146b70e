"""Whether measured spins change in bounces as the velocities ask for: the unit, the sign, and what
kind of ball it is show in their ratio.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.detection.spin_change import find_spin_change, flight_of
from calibration.io.recording import Recording
from calibration.results.numbers import value_and_sd
from calibration.studies.choices.friction_laws import FRICTION, TANGENTIAL
from calibration.studies.plausibility.finding import Finding, Reading, two_digits, where_of
from calibration.studies.spin.misreadings import (
    describe_misreading,
    nearest_misreading,
    unit_of,
)
from jaxcontact.scene.bodies import SOLID_SPHERE, THIN_SHELL

RELATIVE_ERROR = 0.02
"""Of spins whose errors nothing tells."""

SURE = 5.0
"""Standard errors from 1 at which a ratio is wrong."""

NOTABLE = 0.2
"""Difference of a ratio from 1, of its logarithm, that is worth a sentence."""

LEAST_PRECISE = 0.1
"""Relative standard error of a ratio above which it says nothing of units."""


class SpinRatio(NamedTuple):
    """Measured over expected change of the spin in bounces, and its standard error."""

    value: float
    sd: float


def wrong_spins(
    readings: Sequence[Reading], *, radius: float, shell: bool | None
) -> Iterator[Finding]:
    """A finding where spins do not change as the velocities ask for.

    Args:
        readings: recordings and what was detected in them.
        radius: of the ball [m].
        shell: whether it is a thin shell, ``None`` where nobody said so.
    """
    spun = [reading for reading in readings if reading[0].spin is not None]
    inertia = _inertia(shell)
    ratio = ratio_in_bounces(readings, radius=radius, shell=shell)
    if ratio is None:
        return
    unknown = np.log(THIN_SHELL / SOLID_SPHERE) / 2 if shell is None else 0.0
    off = np.inf if ratio.value < 0 else max(abs(np.log(ratio.value)) - unknown, 0.0)
    if off < max(NOTABLE, SURE * ratio.sd / abs(ratio.value)):
        return
    evidence = (
        f"in bounces they change {value_and_sd(ratio.value, ratio.sd)} times as much as the "
        f"velocities ask for{where_of(spun, readings)}"
    )
    unit = unit_of([recording for recording, _ in spun])
    found = (
        nearest_misreading(inertia / _inertia(kind) / ratio.value, unit=unit)
        for kind in ((True, False) if shell is None else (shell, not shell))
    )
    misread = next((one for one in found if one is not None), None)
    if misread is not None:
        yield Finding(describe_misreading(misread, evidence), meaningless=True)
        return
    if shell is not None and ratio.value > 0:
        for remedy, expected in (
            ("--solid instead of --shell", THIN_SHELL / SOLID_SPHERE if shell else np.nan),
            ("--shell instead of --solid", np.nan if shell else SOLID_SPHERE / THIN_SHELL),
            (f"--radius {radius / 2:g}, if {radius:g} is the diameter", 2.0),
        ):
            if abs(np.log(ratio.value / expected)) < SURE * ratio.sd / ratio.value + 0.05:
                yield Finding(
                    f"The measured spins contradict the motion: {evidence}; {remedy} would make "
                    "them agree.",
                    doubts=(FRICTION, TANGENTIAL),
                )
                return
    yield Finding(
        f"The measured spins contradict the motion: {evidence}. Check their unit "
        f"({two_digits(1 / abs(ratio.value))} times larger ones would do), their axes and signs, "
        "and --radius and --shell.",
        meaningless=True,
    )


def ratio_in_bounces(
    readings: Sequence[Reading], *, radius: float, shell: bool | None
) -> SpinRatio | None:
    """Measured over expected change of the spin in bounces, where it is known well enough to say
    something.

    Args:
        readings: recordings and what was detected in them.
        radius: of the ball [m].
        shell: whether it is a thin shell, ``None`` where nobody said so.
    """
    ratio = spin_ratio(readings, radius=radius, inertia_ratio=_inertia(shell))
    vague = ratio is None or ratio.sd > LEAST_PRECISE * abs(ratio.value)
    return None if vague else ratio


def _inertia(shell: bool | None) -> float:
    """Moment of inertia over ``m R^2``; where the kind of ball is not known, between both."""
    if shell is None:
        return float(np.sqrt(SOLID_SPHERE * THIN_SHELL))
    return THIN_SHELL if shell else SOLID_SPHERE


def spin_ratio(
    readings: Sequence[Reading], *, radius: float, inertia_ratio: float
) -> SpinRatio | None:
    """Measured over expected change of the spin in all bounces before and after which it was
    measured; ``None`` where there is none.

    Args:
        readings: recordings with spins, and what was detected in them.
        radius: of the ball [m].
        inertia_ratio: moment of inertia over ``m R^2``.
    """
    rows = [
        row
        for recording, detected in readings
        for row in _changes(recording, detected, radius, inertia_ratio)
    ]
    if not rows:
        return None
    measured, expected, variance = np.array(rows).T
    weight = float(np.sum(expected**2 / variance))
    if not weight > 0:
        return None
    value = float(np.sum(measured * expected / variance)) / weight
    chi2 = float(np.sum((measured - value * expected) ** 2 / variance))
    spread = chi2 / max(len(rows) - 1, 1)
    return SpinRatio(value, float(np.sqrt(max(spread, 1.0) / weight)))


def _changes(
    recording: Recording, detected: DetectedBounces, radius: float, inertia_ratio: float
) -> Iterator[tuple[float, float, float]]:
    """Of each bounce and component: measured and expected change of the spin [rad/s], and the
    variance of their difference.
    """
    given = recording.spin
    if given is None or given.once:
        return
    first, last = recording.time[detected.release], recording.time[detected.stop - 1]
    flown = (given.time >= first) & (given.time <= last)
    flight = np.where(flown, flight_of(given.time, detected.bounces), -1)
    largest = float(np.nanmax(np.abs(given.spin), initial=0.0))
    for k, bounce in enumerate(detected.bounces):
        change = find_spin_change(bounce, radius=radius, inertia_ratio=inertia_ratio)
        for axis in (0, 1):
            before, after = (
                given.spin[(flight == place) & np.isfinite(given.spin[:, axis]), axis]
                for place in (k, k + 1)
            )
            if not (before.size and after.size and np.isfinite(change[axis])):
                continue
            left = before.size + after.size - 2
            off = np.concatenate([before - np.median(before), after - np.median(after)])
            error = RELATIVE_ERROR * largest if left < 3 else np.sqrt(np.sum(off**2) / left)
            variance = error**2 * (1 / before.size + 1 / after.size)
            variance += (RELATIVE_ERROR * change[axis]) ** 2 + (1e-3 * largest) ** 2 + 1e-6
            yield float(np.median(after) - np.median(before)), float(change[axis]), variance
