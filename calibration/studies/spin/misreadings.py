"""Spins that were read wrongly: in another unit, or turning the other way round."""

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

from calibration.io.headers import parse_unit
from calibration.io.recording import Recording
from calibration.results.numbers import plain

ALIKE = 0.15
"""Difference of logarithms up to which a factor is one of those that misreadings make."""


class Misreading(NamedTuple):
    """What may be wrong with spins.

    Attributes:
        factor: true spin over the one that was read.
        says: what was probably confused, and the remedy.
    """

    factor: float
    says: str


UNITS = {
    "rad/s": "radians per second",
    "rpm": "revolutions per minute",
    "rev/s": "revolutions per second",
    "deg/s": "degrees per second",
}
"""Units of spins, in words."""

TURNED = (
    "they turn the other way round: change their sign. Positive about y turns z towards x, so that "
    "a ball that rolls towards positive x has a positive spin about y; the axes are right-handed"
)


def misreadings(unit: str) -> tuple[Misreading, ...]:
    """What may be wrong with spins that were read in a unit: their sign, the unit, or both.

    Args:
        unit: one of ``UNITS``.
    """
    read = _size_of(unit)
    found = [Misreading(-1.0, TURNED)]
    for sign in (1.0, -1.0):
        for other, words in UNITS.items():
            if other != unit:
                turned = ", and turn the other way round" if sign < 0 else ""
                says = (
                    f"they are probably in {words}, not in {unit}{turned}: write the unit into "
                    f"the header, as in 'wy ({other})'{', and change the sign' if turned else ''}"
                )
                found.append(Misreading(sign * _size_of(other) / read, says))
    return tuple(found)


def _size_of(unit: str) -> float:
    """A unit of spins in rad/s."""
    known = parse_unit(unit)
    assert known is not None
    return known.factor


def nearest_misreading(factor: float, *, unit: str, alike: float = ALIKE) -> Misreading | None:
    """The misreading that makes a factor, if any does.

    Args:
        factor: true spin over the one that was read.
        unit: in which it was read.
        alike: difference of logarithms up to which factors are the same.

    Example:
        >>> round(nearest_misreading(0.106, unit="rad/s").factor, 4)  # revolutions per minute
        0.1047
    """
    if not math.isfinite(factor) or factor == 0:
        return None
    turned = [one for one in misreadings(unit) if one.factor * factor > 0]
    best = min(turned, key=lambda one: abs(math.log(factor / one.factor)))
    return best if abs(math.log(factor / best.factor)) < alike else None


def unit_of(recordings: Sequence[Recording]) -> str:
    """The unit in which the spins of recordings were read."""
    units = {recording.spin.unit for recording in recordings if recording.spin is not None}
    return next(iter(units)) if len(units) == 1 else "rad/s"


def with_spins_times(recordings: Sequence[Recording], factor: float) -> list[Recording]:
    """The recordings with other spins.

    Args:
        recordings: with or without spins.
        factor: by which the spins are multiplied; their errors by its size.
    """

    def times(recording: Recording) -> Recording:
        spin = recording.spin
        if spin is None:
            return recording
        sigma = None if spin.sigma is None else abs(factor) * spin.sigma
        other = dataclasses.replace(spin, spin=factor * spin.spin, sigma=sigma)
        return dataclasses.replace(recording, spin=other)

    return [times(recording) for recording in recordings]


def describe_misreading(misreading: Misreading, evidence: str) -> str:
    """A misreading in a sentence.

    Args:
        misreading: what may be wrong.
        evidence: what shows it, a clause.
    """
    return (
        f"The measured spins contradict the motion: {evidence}. Times "
        f"{plain(float(f'{misreading.factor:.4g}'))} they would agree: {misreading.says}."
    )
