"""Whether recordings, and what was found from them, agree with what is known of such experiments.

Each finding names the likely cause with its number, and what repairs it. One that makes the result
meaningless takes the standard errors of all parameters away, others those of single ones.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from calibration.detection.bounces import DetectedBounces, read_bounces
from calibration.detection.flight_fit import UP
from calibration.detection.free_fall import FreeFall, measure_free_fall
from calibration.detection.noise import local_residuals, robust_deviation
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.results.estimate import Determination, Estimate
from calibration.results.fitted_data import StoredPredictions
from calibration.results.numbers import has_interval, listed, plain
from calibration.results.result import Fit
from calibration.studies.sounds import DRAG
from calibration.studies.study import Ball, ModelOptions, Study

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

LEAST_SHARE = 0.5
"""Share of the samples of a moving ball below which the use of so few is a finding."""

LARGEST_SPIN = 1000.0
"""Spin [rad/s] that no throw has: the fastest table-tennis serves reach 1000, golf drives 400."""

LARGEST_RESTITUTION = 0.98
"""Restitution above that of all published pairs that bounce in air (ceramic on glass 0.98)."""

MODULI = (1e4, 1e12)
"""Moduli [Pa] of soft foam and beyond diamond; a stiffness outside means something else."""

DRAG_ALIKE = (0.4, 2.2)
"""Drag coefficients over that of a smooth sphere: rough and spinning balls, the drag crisis."""

VISCOSITY = 1.8e-5
"""Of air [Pa s]."""

DRAG_CRISIS = 1e5
"""Reynolds number from which on the drag coefficient may be as small as 0.07."""

FRICTION, STIFFNESS = "contact.friction.coefficient", "contact.normal.stiffness"
RESTITUTION = "contact.normal.restitution"

Reading = tuple[Recording, DetectedBounces]


class Finding(NamedTuple):
    """What is implausible.

    Attributes:
        sentence: what, the likely cause with its number, and the remedy.
        doubts: parameters of which nothing is to be said then.
        meaningless: whether nothing of the result is to be believed.
    """

    sentence: str
    doubts: tuple[str, ...] = ()
    meaningless: bool = False


# Before the fit


def implausible_recordings(readings: Sequence[Reading], *, gravity: float) -> list[Finding]:
    """Findings on recordings before anything is fitted: of the first kind that there is, since
    those that follow would have the same cause.

    Args:
        readings: recordings and what was detected in them.
        gravity: stated acceleration of free fall [m/s^2].
    """
    if not gravity > 0:
        return []
    return (
        list(_of_some(readings, _takes_turns, _two_balls))
        or list(_wrong_gravity(readings, gravity))
        or list(_of_some(readings, _gains_speed, _backwards))
        or list(_few_samples(readings))
    )


def _of_some(
    readings: Sequence[Reading],
    is_one: Callable[[Reading], bool],
    finding: Callable[[str], Finding],
) -> Iterator[Finding]:
    """One finding for all recordings of which something holds."""
    places = [reading for reading in readings if is_one(reading)]
    if places:
        yield finding(_where(places, readings))


def _where(places: Sequence[Reading], readings: Sequence[Reading]) -> str:
    """Which recordings are meant, as the end of a clause; nothing where there is only one."""
    if len(readings) == 1:
        return ""
    if len(places) == len(readings):
        return f" in all {len(readings)} recordings"
    names = listed([recording.name for recording, _ in places])
    return f" in {len(places)} of {len(readings)} recordings ({names})"


def _takes_turns(reading: Reading) -> bool:
    """Whether every second sample is of a smooth motion, and all together are not."""
    recording, _ = reading
    seen = np.isfinite(recording.position[:, UP])
    time, height = recording.time[seen], recording.position[seen, UP]
    if time.size < 16:
        return False

    def roughness(part: slice) -> float:
        return robust_deviation(local_residuals(time[part], height[part], order=2))

    apart = max(roughness(slice(0, None, 2)), roughness(slice(1, None, 2)))
    return roughness(slice(None)) > 8 * apart + 0.02 * float(np.ptp(height))


def _two_balls(where: str) -> Finding:
    return Finding(
        f"Two motions take turns from sample to sample{where}: there are probably two balls in one "
        "file. Put each into a file of its own.",
        meaningless=True,
    )


def _gains_speed(reading: Reading) -> bool:
    """Whether bounces give more speed than they take, or the film makes sense backwards only."""
    recording, detected = reading
    if detected.bounces and detected.restitution - 3 * max(detected.restitution_sd, 1e-3) > 1.0:
        return True
    share = _share_used(reading)
    if share > LEAST_SHARE or not detected.flights:
        return False
    sigma = recording.sigma
    back = dataclasses.replace(
        recording,
        time=(recording.time[-1] - recording.time)[::-1],
        position=recording.position[::-1],
        sigma=None if sigma is None else sigma[::-1],
    )
    again = read_bounces(
        back,
        radius=0.01 * float(np.nanmax(back.position[:, UP]) - np.nanmin(back.position[:, UP])),
        gravity=detected.gravity,
    )
    return bool(again.bounces) and _share_used((back, again)) > max(2 * share, 0.8)


def _backwards(where: str) -> Finding:
    return Finding(
        f"The ball leaves bounces faster than it came{where}: the rows are probably in reverse "
        "order, the surface moves, or the vertical points down (--vertical with a minus sign).",
        meaningless=True,
    )


class _Fall(NamedTuple):
    """Gravity as a recording shows it, over the stated one, and from how many flights."""

    reading: Reading
    ratio: float
    flights: int


def _wrong_gravity(readings: Sequence[Reading], gravity: float) -> Iterator[Finding]:
    """Where gravity is far from the stated one, or upwards."""
    falls = [fall for reading in readings if (fall := _fall_of(reading, gravity)) is not None]
    upwards = [fall for fall in falls if fall.ratio < 0]
    others = [fall for fall in falls if fall.ratio > 0]
    if upwards:
        where = _where([fall.reading for fall in upwards], readings)
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


def _middle(falls: Sequence[_Fall]) -> float:
    return float(np.median([fall.ratio for fall in falls]))


def _of_ratio(falls: Sequence[_Fall], readings: Sequence[Reading], gravity: float) -> Finding:
    ratio = abs(_middle(falls))
    recording, _ = falls[0].reading
    interval = float(np.median(np.diff(recording.time)))
    size, word = (ratio, "large") if ratio > 1 else (1 / ratio, "small")
    flights = sum(fall.flights for fall in falls)
    where = _where([fall.reading for fall in falls], readings)
    return Finding(
        f"Gravity comes out {_rounded(size)} times too {word}{where} "
        f"({_rounded(ratio * gravity)} m/s^2 instead of {gravity:g}, from {flights} "
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
    if used > max(LEAST_SHARE * fall.share, 0.1) and not abs(ratio - 1) > GRAVITY_OFF:
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
            f"either the lengths are {_rounded(max(ratio, 1 / ratio))} times too "
            f"{'large' if ratio > 1 else 'small'} (--scale for pixels, a unit in the header), or "
            f"the times {_rounded(times)} times too {'short' if ratio > 1 else 'long'} "
            "(--frame-rate)"
        )
    return ", or ".join(found)


def _few_samples(readings: Sequence[Reading]) -> Iterator[Finding]:
    """Where most of what a moving ball did was left out."""
    shares = [_share_used(reading) for reading in readings]
    places = [
        reading for reading, share in zip(readings, shares, strict=True) if share < LEAST_SHARE
    ]
    if places:
        used = sum(int(detected.stop - detected.release) for _, detected in places)
        count = sum(recording.time.size for recording, _ in places)
        yield Finding(
            f"Only {used} of {count} samples were used{_where(places, readings)}: the rest of the "
            "motion is no chain of free flights and bounces on one level surface. What was left "
            "out may contradict the result: look at fit.png, check the frame rate and --vertical, "
            "or cut the file."
        )


def _share_used(reading: Reading) -> float:
    """Share of the samples of a moving ball that were used; 1 where there are too few to say."""
    recording, detected = reading
    height = recording.position[:, UP]
    seen = np.flatnonzero(np.isfinite(height))
    if seen.size < 16:
        return 1.0
    apart = max(seen.size // 100, 2)
    moved = np.abs(height[seen[2 * apart :]] - height[seen[: -2 * apart]])
    moving = seen[apart:-apart][moved > 0.1 * np.quantile(moved, 0.9)]
    used = (moving >= detected.release) & (moving < detected.stop)
    return float(np.mean(used)) if moving.size >= 8 else 1.0


# After the fit


def implausible_results(fit: Fit, study: Study, readings: Sequence[Reading]) -> Iterator[Finding]:
    """Findings on what was found.

    Args:
        fit: of the recordings.
        study: what was asked.
        readings: recordings and what was detected in them.
    """
    found = {name: estimate for name, estimate in fit.parameters.items() if has_interval(estimate)}
    yield from _scale(found.get("length_scale"), study.model)
    yield from _drag(found.get(DRAG), study, readings)
    yield from _restitution(found.get(RESTITUTION))
    yield from _spins(fit)
    yield from _modulus(found.get(STIFFNESS), study.ball)
    yield from sunken_surface(fit, study.ball.radius)


def believable_scale(scale: Estimate) -> bool:
    """Whether a length scale is one that cameras have."""
    return abs(1 / scale.value - 1) < GRAVITY_OFF


def _scale(scale: Estimate | None, model: ModelOptions) -> Iterator[Finding]:
    """A length scale that is gravity far from the stated one."""
    if scale is None or believable_scale(scale) or abs(scale.value - 1) < 2 * scale.sd:
        return
    ratio = 1 / scale.value
    apparent = _rounded(ratio * model.gravity)
    yield Finding(
        f"Gravity comes out {_rounded(ratio)} times the stated one ({apparent} m/s^2 instead of "
        f"{model.gravity:g}): lengths are wrong by this factor (--scale, the unit in the header), "
        f"or times by {_rounded(np.sqrt(ratio))} (--frame-rate), or --gravity is.",
        meaningless=True,
    )


def sphere_drag(reynolds: float) -> float:
    """Drag coefficient of a smooth sphere below the drag crisis (Clift and Gauvin 1970).

    ``24/Re (1 + 0.15 Re^0.687) + 0.42/(1 + 42500 Re^-1.16)``, right within 6 % up to Re = 3e5.

    Args:
        reynolds: Reynolds number with the diameter.
    """
    return float(
        24 / reynolds * (1 + 0.15 * reynolds**0.687) + 0.42 / (1 + 42500 * reynolds**-1.16)
    )


def _drag(drag: Estimate | None, study: Study, readings: Sequence[Reading]) -> Iterator[Finding]:
    """A drag coefficient that no sphere has."""
    if drag is None:
        return
    speeds = [
        float(np.linalg.norm(np.nan_to_num(bounce.velocity_before)))
        for _, detected in readings
        for bounce in detected.bounces
    ]
    ball, density = study.ball, study.model.fluid_density
    speed = 0.6 * float(np.median(speeds))  # of the flight before, on average
    reynolds = max(2 * ball.radius * speed * density / VISCOSITY, 1.0)
    expected = sphere_drag(reynolds)
    least = 0.07 if reynolds > DRAG_CRISIS else DRAG_ALIKE[0] * expected
    low, high = drag.interval()
    if high >= least and low <= DRAG_ALIKE[1] * expected:
        return
    ratio = drag.value / expected
    says = (
        f"The drag coefficient comes out as {drag.value:.2g}; that of a sphere is about "
        f"{expected:.2g} (0.1 to 1 for any)"
    )
    if abs(np.log(4 * ratio)) < 0.4:
        yield Finding(
            f"{says}: --radius {ball.radius:g} is probably the diameter; with --radius "
            f"{ball.radius / 2:g} it is {4 * drag.value:.2g}.",
            doubts=(DRAG,),
        )
        return
    mass, radius = ball.mass / ratio, ball.radius * np.sqrt(ratio)
    heavy, small = ("large", "small") if ratio > 1 else ("small", "large")
    other = (
        "a restitution that falls with the speed looks like drag (--restitution-law viscoelastic)"
        if ratio > 1
        else "lengths or times are wrong"
    )
    cause = (
        f"--mass {ball.mass:g} is too {heavy} ({mass:.2g} would do), --radius {ball.radius:g} too "
        f"{small} ({radius:.2g} would do), or {other}"
    )
    # Something else that looks like drag is in all other numbers, too.
    yield Finding(f"{says}: {cause}.", meaningless=True)


def _restitution(restitution: Estimate | None) -> Iterator[Finding]:
    if restitution is None or restitution.value - 2 * restitution.sd < LARGEST_RESTITUTION:
        return
    yield Finding(
        f"A restitution of {restitution.value:.3g} is above that of all published pairs (ceramic "
        "on glass 0.98, steel 0.95): look whether the surface moves or the frame rate changes."
    )


def _spins(fit: Fit) -> Iterator[Finding]:
    """Spins that no throw has."""
    spins = [
        (abs(estimate.value), recording.name)
        for recording in fit.recordings
        for name, estimate in recording.nuisance.items()
        if name.startswith("spin_") and abs(estimate.value) > LARGEST_SPIN
    ]
    if spins:
        names = listed(list(dict.fromkeys(name for _, name in spins)))
        yield Finding(
            f"The initial spin comes out as {max(spins)[0]:.2g} rad/s ({names}), which no throw "
            "has: it takes the place of something else. Check --vertical and the axes; if the "
            "balls did not spin, give --no-spin.",
            doubts=(FRICTION,),
        )


def _modulus(stiffness: Estimate | None, ball: Ball) -> Iterator[Finding]:
    """A stiffness of Hertz's law, ``K = 4/3 E* sqrt(r)``, that no material has."""
    if stiffness is None:
        return
    modulus = 0.75 * stiffness.value / np.sqrt(ball.radius)
    if not MODULI[0] < modulus < MODULI[1]:
        yield Finding(
            f"The contact duration makes a modulus of {modulus:.1g} Pa, which no material has: it "
            "is a delay of something else (exposure, a clock), or the frame rate is wrong.",
            doubts=(STIFFNESS,),
        )


def sunken_surface(fit: Fit, radius: float) -> Iterator[Finding]:
    """Where every surface lies below ``z = 0`` by a good part of the radius: heights that were
    measured from the surface put it there if the radius is too large.

    Args:
        fit: of the recordings.
        radius: as given [m].
    """
    heights = np.array(
        [
            recording.nuisance["surface_height"].value
            for recording in fit.recordings
            if "surface_height" in recording.nuisance
        ]
    )
    if heights.size and np.all((heights < -0.3 * radius) & (heights > -1.1 * radius)):
        depth = -float(np.mean(heights))
        yield Finding(
            f"With a radius of {1e3 * radius:g} mm the surface lies {1e3 * depth:.1f} mm below "
            f"z = 0. Where z = 0 is the surface, the radius is {1e3 * (radius - depth):.1f} mm: is "
            "the radius that was given a diameter? Drag depends on its square."
        )


# What follows


def judge_plausibility(fit: Fit, study: Study, readings: Sequence[Reading]) -> Fit:
    """The fit with what is implausible of it first among its warnings, and without the standard
    errors that this takes away.

    Args:
        fit: of the recordings.
        study: what was asked.
        readings: recordings and what was detected in them.
    """
    before = implausible_recordings(readings, gravity=study.model.gravity)
    known = any(finding.meaningless for finding in before)
    findings = [*before, *(() if known else implausible_results(fit, study, readings))]
    meaningless = any(finding.meaningless for finding in findings)
    doubted = {name for finding in findings for name in finding.doubts}
    grave = [one.sentence for one in findings if one.meaningless or one.doubts]
    other = [one.sentence for one in findings if not (one.meaningless or one.doubts)]
    gone = Determination.IMPLAUSIBLE
    parameters = {
        name: estimate.withdrawn(gone) if meaningless or name in doubted else estimate
        for name, estimate in fit.parameters.items()
    }
    fit = dataclasses.replace(fit, parameters=parameters, warnings=(*grave, *fit.warnings, *other))
    return _meaningless(fit) if meaningless else fit


def _meaningless(fit: Fit) -> Fit:
    """The fit of which nothing is determined, of no recording either."""

    def without_errors(nuisance: dict[str, Estimate]) -> dict[str, Estimate]:
        return {
            name: estimate.withdrawn(Determination.IMPLAUSIBLE)
            for name, estimate in nuisance.items()
        }

    return dataclasses.replace(
        fit,
        plausible=False,
        names=(),
        correlation=np.zeros((0, 0)),
        predictions=StoredPredictions(
            tuple(
                dataclasses.replace(one, nuisance=without_errors(one.nuisance))
                for one in fit.recordings
            ),
            tuple(
                dataclasses.replace(one, nuisance=without_errors(one.nuisance))
                for one in fit.series
            ),
        ),
    )


def _rounded(value: float) -> str:
    return plain(float(f"{value:.2g}"))
