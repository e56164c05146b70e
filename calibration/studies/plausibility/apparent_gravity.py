"""Where free flights do not fall as they should, and what frame rate, unit or axis explains it."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from calibration.detection.bounces import read_bounces
from calibration.detection.flight_fit import UP
from calibration.detection.free_fall import FreeFall, measure_free_fall
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.studies.plausibility.finding import Finding, Reading, two_digits, where_of

GRAVITY_OFF = 0.2
"""Relative difference of gravity from the stated one from which on nothing of a result is believed.
Lengths of cameras without calibration are wrong by up to 10 %, lift changes gravity by 15 %.
"""

SURE = 0.05
"""Relative standard error of gravity below which flights tell it, not the expectation they began
with.
"""

COMMON_RATES = (
    *(15, 24, 25, 30, 48, 50, 60, 90, 100, 120, 125, 150, 180, 200, 240, 250, 300, 400, 420, 480),
    *(500, 600, 960, 1000, 1200, 2000, 2400, 3000, 4000, 5000, 10000),
)
"""Frames per second of cameras."""

RATE_ALIKE = 0.035
"""Relative difference up to which a frame rate is taken for a common one."""

UNITS_OF_LENGTH = (
    (100.0, "in centimetres", "cm", 0.01),
    (1000.0, "in millimetres", "mm", 0.001),
    (39.37, "in inches", "in", 0.0254),
    (3.281, "in feet", "ft", 0.3048),
    (0.01, "in metres and read as centimetres", "m", 1.0),
    (0.001, "in metres and read as millimetres", "m", 1.0),
)
"""How many times too large gravity is, what the lengths are, their unit, metres."""

UNITS_OF_TIME = (
    (1e-6, "in milliseconds", "ms"),
    (1e-12, "in microseconds", "us"),
    (1e6, "in seconds and read as milliseconds", "s"),
)

UNIT_ALIKE = 0.12
"""Relative difference of gravity up to which a unit explains it."""

DRAGGED = 3.0
"""Gravity of parabolas, over the stated one, that no drag makes."""

LEAST_SHARE = 0.5
"""Share of the samples of a moving ball below which the use of so few is a finding."""


class _Fall(NamedTuple):
    """Gravity as a recording shows it, over the stated one, and from how many flights."""

    reading: Reading
    ratio: float
    flights: int


def wrong_gravity(readings: Sequence[Reading], gravity: float) -> Iterator[Finding]:
    """Where gravity is far from the stated one, or upwards."""
    falls = [fall for reading in readings if (fall := _fall_of(reading, gravity)) is not None]
    sideways = [(fall, axis) for fall in falls if (axis := _falling_axis(fall, gravity))]
    if sideways:
        where = where_of([fall.reading for fall, _ in sideways], readings)
        (fall, axis) = sideways[0]
        vertical = fall.reading[0].vertical.removeprefix("-")
        yield Finding(
            f"It is {axis.removeprefix('-')} that is accelerated as things fall, not {vertical}"
            f"{where}: the axes are probably swapped. Give --vertical {axis}.",
            meaningless=True,
        )
        named = [fall for fall, _ in sideways]
        falls = [fall for fall in falls if fall not in named]
    upwards = [fall for fall in falls if fall.ratio < 0]
    others = [fall for fall in falls if fall.ratio > 0]
    if upwards:
        where = where_of([fall.reading for fall in upwards], readings)
        vertical = upwards[0].reading[0].vertical
        turned = vertical[1:] if vertical.startswith("-") else f"-{vertical}"
        yield Finding(
            f"Free flights are accelerated upwards{where}: the vertical axis points down (image "
            f"rows do). Give --vertical {turned}.",
            meaningless=True,
        )
    if others:
        yield _of_ratio(others, readings, gravity)
    # A minus sign and a wrong unit are named one after the other.
    if upwards and abs(abs(_middle(upwards)) - 1) > GRAVITY_OFF:
        yield _of_ratio(upwards, readings, gravity)


def describe_unit(recording: Recording, gravity: float) -> str:
    """In which unit lengths probably are that are not in metres, and what to do; nothing where the
    ball does not show it.

    Args:
        recording: with its numbers taken as metres.
        gravity: acceleration of free fall [m/s^2].
    """
    seen = np.isfinite(recording.position[:, UP])
    fall = measure_free_fall(recording.time[seen], recording.position[seen, UP])
    ratio = np.nan if fall is None else abs(fall.acceleration) / gravity
    if not abs(ratio - 1) > GRAVITY_OFF:
        return ""
    says = f"In these numbers the ball falls at {two_digits(ratio * gravity)} per s^2"
    for factor, what, unit, metres in UNITS_OF_LENGTH:
        if abs(ratio / factor - 1) < UNIT_ALIKE and factor > 1:
            return (
                f"{says}: they are probably {what}. Write '({unit})' into the header, or give "
                f"--scale {metres:g}."
            )
    return (
        f"{says}: they are probably pixels, which would be {two_digits(1e3 / ratio)} mm wide. Give "
        "--scale metres-per-pixel as you measured it."
    )


def _falling_axis(fall: _Fall, gravity: float) -> str | None:
    """The sideways axis along which the ball falls as the vertical should, with the sign that makes
    it point up; ``None`` where there is none.
    """
    recording, _ = fall.reading
    for axis, letter in enumerate("xy"):
        seen = np.isfinite(recording.position[:, axis])
        found = measure_free_fall(recording.time[seen], recording.position[seen, axis])
        if found is not None and abs(abs(found.acceleration) / gravity - 1) < GRAVITY_OFF:
            return letter if found.acceleration > 0 else f"-{letter}"
    return None


def _middle(falls: Sequence[_Fall]) -> float:
    return float(np.median([fall.ratio for fall in falls]))


def _of_ratio(falls: Sequence[_Fall], readings: Sequence[Reading], gravity: float) -> Finding:
    ratio = abs(_middle(falls))
    recording, _ = falls[0].reading
    interval = float(np.median(np.diff(recording.time)))
    size, word = (ratio, "large") if ratio > 1 else (1 / ratio, "small")
    flights = sum(fall.flights for fall in falls)
    where = where_of([fall.reading for fall in falls], readings)
    return Finding(
        f"Gravity comes out {two_digits(size)} times too {word}{where} "
        f"({two_digits(ratio * gravity)} m/s^2 instead of {gravity:g}, from {flights} "
        f"flight{'' if flights == 1 else 's'}): {_causes(ratio, 1 / interval)}.",
        meaningless=True,
    )


def _fall_of(reading: Reading, gravity: float) -> _Fall | None:
    """Gravity where it is far from the stated one; ``None`` where it agrees, or nobody can say."""
    recording, detected = reading
    seen = np.isfinite(recording.position[:, UP])
    used = float(np.sum(seen[detected.release : detected.stop])) / max(np.sum(seen), 1)
    ratio = detected.gravity / gravity if detected.flights else np.nan
    sure = used > LEAST_SHARE or detected.gravity_sd < SURE * gravity
    if sure and detected.bounces and abs(ratio - 1) < GRAVITY_OFF:
        return None
    fall = measure_free_fall(recording.time[seen], recording.position[seen, UP])
    if fall is None or abs(fall.acceleration / gravity - 1) < GRAVITY_OFF:
        return None
    agrees = used > max(LEAST_SHARE * fall.share, 0.1) and not abs(ratio - 1) > GRAVITY_OFF
    if agrees and abs(fall.acceleration) < DRAGGED * gravity:
        return None  # flights with much drag are no parabolas
    return _Fall(reading, _with_drag(recording, fall) / gravity, fall.stretches)


def _with_drag(recording: Recording, fall: FreeFall) -> float:
    """The acceleration once more, from flights with drag."""
    sign = 1.0 if fall.acceleration > 0 else -1.0
    position = np.array(recording.position)
    position[:, UP] *= sign
    turned = dataclasses.replace(recording, position=position)
    expected = abs(fall.acceleration)
    try:
        again = read_bounces(turned, radius=1e-3 * float(np.nanmax(position)), gravity=expected)
    except InputError:
        return fall.acceleration
    if again.bounces and abs(again.gravity / expected - 1) < GRAVITY_OFF:
        return sign * again.gravity
    return fall.acceleration


def _causes(ratio: float, rate: float) -> str:
    """What may make gravity so many times too large, most likely first.

    Args:
        ratio: of the apparent to the stated gravity.
        rate: at which the samples were taken, as the file says [1/s].
    """
    found = []
    for factor, what, unit, metres in UNITS_OF_LENGTH:
        if abs(ratio / factor - 1) < UNIT_ALIKE:
            option = f", or give --scale {metres:g}" if factor > 1 else ""
            found.append(
                f"the lengths are probably {what} (write '({unit})' into the header{option})"
            )
    for factor, what, unit in UNITS_OF_TIME:
        if abs(ratio / factor - 1) < UNIT_ALIKE:
            found.append(f"the times are probably {what} (write '({unit})' into the header)")
    true_rate = rate / np.sqrt(ratio)
    common = min(COMMON_RATES, key=lambda one: abs(np.log(true_rate / one)))
    if abs(true_rate / common - 1) < RATE_ALIKE and not (found and ratio < 1e-3):
        found.append(
            f"the frame rate is probably {common} instead of {rate:.4g} frames per second "
            f"(--frame-rate {common} where the file counts frames, else its times are wrong)"
        )
    if not found:
        times = max(np.sqrt(ratio), 1 / np.sqrt(ratio))
        return (
            f"either the lengths are {two_digits(max(ratio, 1 / ratio))} times too "
            f"{'large' if ratio > 1 else 'small'} (--scale for pixels, a unit in the header), or "
            f"the times {two_digits(times)} times too {'short' if ratio > 1 else 'long'} "
            "(--frame-rate)"
        )
    return ", or ".join(found)
