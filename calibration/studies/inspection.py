"""What is in the files of a study, and what can be learned from them, before anything is fitted."""

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.detection.bounces import DetectedBounces, pool_values
from calibration.errors import InputError
from calibration.fitting.policy import FitPolicy
from calibration.io.files import make_distinct_names
from calibration.io.impact_table import ImpactTable
from calibration.io.recording import Recording
from calibration.io.same_content import find_repetitions
from calibration.io.spin_files import find_recordings
from calibration.measurements import BounceTimes, RollingDecay, SpinDecay
from calibration.measurements.decaying_run import mean_slope
from calibration.results.numbers import value_and_sd
from calibration.studies.asked.files import RADIUS, check_names
from calibration.studies.choices.single_files import LEFT_OUT
from calibration.studies.file_kind import FileKind
from calibration.studies.file_kinds import check_bodies, kind_of
from calibration.studies.file_report import FileReport
from calibration.studies.plausibility.drag import implausible_first_drag
from calibration.studies.plausibility.finding import Finding
from calibration.studies.plausibility.recordings_apart import contradictions
from calibration.studies.recording_remarks import sampling_interval
from calibration.studies.spin.trials import shows_spin
from calibration.studies.study import Ball, BodyOptions, ModelOptions, ReadingOptions, Study
from calibration.studies.tables import OBLIQUE
from calibration.studies.tossed.poses import POSES
from calibration.studies.trajectories import steepness

SEEN = 3.0
"""Standard deviations from zero at which a quantity is said to be seen."""

LEAST_SOUNDS = 3
"""Impacts in a row from which times tell a restitution."""

LEAST_SAMPLES = 8
"""Samples of a force during contact from which its shape can be told."""

BRIEF, LONG = 2e-5, 1e-3
"""Durations between which nearly all contacts of balls lie [s]."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether a quantity can be learned: ``"yes"``, ``"no"`` or ``"perhaps"``, and why.

    Example:
        >>> import calibration as cal
        >>> cal.studies.Verdict("friction", "no", "all impacts are nearly normal").answer
        'no'
    """

    quantity: str
    answer: str
    reason: str


def check_study(study: Study) -> list[FileReport]:
    r"""What is in each file of a study.

    Raises:
        InputError: a pattern matches nothing. What is wrong with a file is in its report.

    Example:
        >>> import pathlib, tempfile
        >>> import calibration as cal
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "clicks.csv").write_text("t [s]\n0.000\n0.350\n0.665\n0.9485\n")
        >>> study = cal.studies.Study(
        ...     files=[folder / "clicks.csv"], ball=cal.studies.Ball(radius=0.02, mass=0.0027)
        ... )
        >>> (report,) = cal.studies.check_study(study)
        >>> len(report.impacts.bounces)
        4
    """
    return inspect_files(
        study.files,
        radius=None if study.ball is None else study.ball.radius,
        reading=study.reading,
        model=study.model,
        partner_radius=study.partner.radius,
        body=study.body,
    )


def inspect_files(
    files: Sequence[str],
    *,
    radius: float | None,
    reading: ReadingOptions | None = None,
    model: ModelOptions | None = None,
    partner_radius: float | None = None,
    body: BodyOptions | None = None,
) -> list[FileReport]:
    """The same without the mass of the ball.

    Args:
        files: files, directories and patterns.
        radius: of the ball [m]; ``None`` where another body bounces.
        reading: how to read them.
        model: with the gravity.
        partner_radius: of the other body [m], where the files are of two.
        body: that bounces in the place of a ball.
    """
    of_body = body is not None and body.given
    options, gravity = reading or ReadingOptions(), (model or ModelOptions()).gravity
    paths = find_recordings(files)
    check_names(options, tuple(map(str, paths)))
    repeated = {item.path: item.error() for item in find_repetitions(paths)}
    return [
        FileReport(path=str(path), name=name, problem=repeated[str(path)])
        if str(path) in repeated
        else _inspect_file(
            POSES if of_body else None,
            str(path),
            name,
            radius=radius,
            options=options,
            gravity=gravity,
            partner_radius=partner_radius,
        )
        for path, name in zip(paths, make_distinct_names(paths), strict=True)
    ]


def _inspect_file(
    known: FileKind | None,
    path: str,
    name: str,
    *,
    radius: float | None,
    options: ReadingOptions,
    gravity: float,
    partner_radius: float | None,
) -> FileReport:
    said = options.said_of(path)
    if LEFT_OUT in said:
        return FileReport(path=path, name=name, remarks=(f"left out: {said[LEFT_OUT]}",))
    radius = said.get(RADIUS, math.nan if radius is None else radius)
    try:
        kind = known
        if kind is None:
            kind = kind_of(path, columns=options.of(path).columns)
            check_bodies(kind, path, gravity=gravity, partner_radius=partner_radius)
        return kind.inspect(
            path,
            name,
            radius=radius,
            options=options,
            gravity=gravity,
            partner_radius=partner_radius,
        )
    except InputError as error:
        return FileReport(path=path, name=name, problem=error)


def contradictory_files(
    reports: Sequence[FileReport], *, ball: Ball | None, model: ModelOptions
) -> list[Finding]:
    """What speaks against the recordings of several files together, or against the ball that is
    said to be in them.

    Args:
        reports: of the files.
        ball: as it was given, where its mass was.
        model: with the gravity and the density of the fluid.
    """
    readings = [
        (dataclasses.replace(report.recording, name=report.name), report.reading)
        for report in reports
        if report.problem is None and report.recording is not None and report.reading is not None
    ]
    found = contradictions(readings, gravity=model.gravity)
    if found or ball is None:
        return found
    return list(implausible_first_drag(readings, ball, model))


def extent(values: Sequence[float] | NDArray[np.float64]) -> str:
    """``2.9`` or ``3.7 to 5.4``."""
    low, high = f"{min(values):.2g}", f"{max(values):.2g}"
    return low if low == high else f"{low} to {high}"


# What can be learned


def verdicts(
    reports: Sequence[FileReport],
    *,
    gravity: float = 9.81,
    drag_coefficient_per: float | None = None,
) -> list[Verdict]:
    """What the usable files can tell together.

    Args:
        reports: of the files.
        gravity: acceleration of free fall [m/s^2].
        drag_coefficient_per: drag coefficient for a deceleration by drag of 1/m times speed
            squared, 2 m / (rho pi R^2), if known [m].
    """
    usable = [report for report in reports if report.problem is None]
    tables = [report.table for report in usable if report.table is not None]
    pairs = [
        (report.recording, report.reading)
        for report in usable
        if report.recording is not None and report.reading is not None
    ]
    if pairs:
        recordings, detections = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return [
            _restitution(detections),
            _drag(detections, drag_coefficient_per),
            _scale(detections, gravity),
            _friction(detections, spun=any(map(shows_spin, recordings))),
            *_lift(recordings, detections),
            _stiffness(recordings),
        ]
    if tables:
        return list(_from_tables(tables))
    collisions = [report for report in usable if report.collision is not None]
    if collisions:
        return list(_from_collisions(collisions))
    runs = [report.decay for report in usable if report.decay is not None]
    if runs:
        return list(_from_decays(runs, gravity))
    heard, felt = (
        [report for report in usable if report.sounds is not None],
        [report for report in usable if report.force is not None],
    )
    return list(_from_sounds(heard)) if heard else list(_from_forces(felt))


def _restitution(detections: Sequence[DetectedBounces]) -> Verdict:
    value, sd = pool_values(*_known(detections, "restitution"))
    speeds = [-bounce.velocity_before[2] for reading in detections for bounce in reading.bounces]
    return Verdict(
        "restitution",
        "yes",
        f"{len(speeds)} impacts at {extent(speeds)} m/s; about {value_and_sd(value, sd)} at "
        "first sight",
    )


def _drag(detections: Sequence[DetectedBounces], factor: float | None) -> Verdict:
    values, deviations = _known(detections, "drag")
    if not values:
        return Verdict(
            "drag of the air",
            "no",
            "the flights are too short or too slow; give --no-drag if there is none",
        )
    value, sd = pool_values(values, deviations)
    said = (
        f"drag coefficient about {value_and_sd(value * factor, sd * factor)}"
        if factor is not None
        else f"deceleration {value_and_sd(value, sd)} 1/m times speed squared"
    )
    if abs(value) > SEEN * sd:
        return Verdict("drag of the air", "yes", f"{said} at first sight")
    return Verdict(
        "drag of the air", "perhaps", f"{said} at first sight, which is not far from none"
    )


def _scale(detections: Sequence[DetectedBounces], gravity: float) -> Verdict:
    value, sd = pool_values(*_known(detections, "gravity"))
    percent, spread = 100 * (gravity / value - 1), 100 * sd / value
    said = f"free fall looks like {value_and_sd(value, sd)} m/s^2"
    if abs(percent) > SEEN * spread:
        return Verdict(
            "length scale",
            "yes",
            f"{said}: lengths seem {value_and_sd(abs(percent), spread)} % "
            f"{'short' if percent > 0 else 'long'}",
        )
    return Verdict(
        "length scale", "yes", f"{said}: lengths are right within {max(2 * spread, 0.1):.1f} %"
    )


def _lift(
    recordings: Sequence[Recording], detections: Sequence[DetectedBounces]
) -> Iterator[Verdict]:
    """Whether measured spins bend the flights by more than the noise, at the coefficients that
    others measured.
    """
    spun = [pair for pair in zip(recordings, detections, strict=True) if shows_spin(pair[0])]
    if spun:
        longest = max(
            float(recording.time[stop - 1] - recording.time[start])
            for recording, detected in spun
            for start, stop in detected.flights
        )
        largest = max(float(np.nanmax(np.abs(one.spin.spin))) for one, _ in spun if one.spin)
        yield Verdict(
            "lift by spin",
            "perhaps",
            f"spins up to {largest:.3g} rad/s are measured, flights last up to {longest:.2g} s; "
            "fit tells whether that is enough",
        )


def _friction(detections: Sequence[DetectedBounces], *, spun: bool) -> Verdict:
    angle = math.degrees(math.atan(steepness(detections)))
    if math.tan(math.radians(angle)) <= OBLIQUE:
        return Verdict(
            "friction",
            "no",
            f"all impacts are nearly normal (within {max(angle, 1):.0f} deg); throw the ball "
            "at an angle",
        )
    if spun:
        return Verdict(
            "friction",
            "yes",
            f"impacts up to {angle:.0f} deg from the normal, and the spin is measured; where "
            "contacts end sticking it is a lower limit",
        )
    reason = (
        f"impacts up to {angle:.0f} deg from the normal; the spin is not measured, and it can act "
        "like friction"
    )
    return Verdict("friction", "perhaps", reason)


def _stiffness(recordings: Sequence[Recording]) -> Verdict:
    frame = min(map(sampling_interval, recordings))
    frames = (
        f"a sample every {_milliseconds(frame)} ms, and contacts last {_milliseconds(BRIEF)} to "
        f"{_milliseconds(LONG)} ms"
    )
    if frame > LONG / 4:
        return Verdict(
            "stiffness", "no", f"{frames}; a high-speed camera or a force sensor shows it"
        )
    return Verdict(
        "stiffness",
        "perhaps",
        f"{frames}; it shows when several samples are taken during a contact",
    )


def _from_tables(tables: Sequence[ImpactTable]) -> Iterator[Verdict]:
    measured = {name for table in tables for name in table.measured}
    steepest = max(float(np.max(table.impact_angle)) for table in tables)
    oblique = math.tan(math.radians(steepest)) > OBLIQUE
    if measured & {"normal_restitution", "rebound_speed", "rebound_angle"}:
        yield Verdict(
            "restitution",
            "yes",
            f"from {_words(measured & {'normal_restitution', 'rebound_speed', 'rebound_angle'})}",
        )
    else:
        yield Verdict(
            "restitution", "perhaps", f"only through {_words(measured)}, together with friction"
        )
    if not oblique:
        yield Verdict("friction", "no", "all impacts are nearly normal")
    elif measured & {"rebound_angle", "spin_after", "tangential_restitution"}:
        yield Verdict(
            "friction",
            "yes",
            f"impacts up to {steepest:.0f} deg from the normal; the steeper ones slide throughout",
        )
    else:
        yield Verdict("friction", "no", "nothing tangential was measured after the impact")
    yield Verdict(
        "stiffness", "no", "it shows in the duration of a contact, which no table of impacts holds"
    )


def _restitution_of_times(heard: Sequence[BounceTimes]) -> Verdict:
    """Each sound has a first impact and a first speed of its own; the restitution is common."""
    counts = [sounds.time.size for sounds in heard]
    if max(counts) < LEAST_SOUNDS:
        return Verdict("restitution", "no", f"{LEAST_SOUNDS} impacts in a row are needed")
    needed = FitPolicy().noise_degrees
    if sum(counts) - 2 * len(heard) - 1 < needed and not all(sounds.stated for sounds in heard):
        return Verdict(
            "restitution",
            "perhaps",
            f"{sum(counts)} impacts do not tell how exact their times are: {needed + 3} in a row "
            "do, or --sigma 0.0002 where they are right within 0.2 ms",
        )
    return Verdict(
        "restitution",
        "yes",
        f"{sum(counts)} impacts; the ratio of neighbouring flights tells it, whatever the drop "
        "height was",
    )


def _from_sounds(reports: Sequence[FileReport]) -> Iterator[Verdict]:
    yield _restitution_of_times([report.sounds for report in reports if report.sounds is not None])
    yield Verdict(
        "drag of the air",
        "perhaps",
        "it shortens long flights more than short ones; high drops and many impacts show it",
    )
    yield Verdict("friction", "no", "no sound tells what happens sideways")
    yield Verdict("stiffness", "no", "a sound does not tell how long the contact lasts")


def _from_decays(runs: Sequence[RollingDecay | SpinDecay], gravity: float) -> Iterator[Verdict]:
    rolling = [run for run in runs if isinstance(run, RollingDecay)]
    slowing = extent([abs(mean_slope(run.run)) for run in runs])
    count = "1 run slows" if len(runs) == 1 else f"{len(runs)} runs slow"
    if not rolling:
        yield Verdict("spinning friction", "yes", f"{count} down by {slowing} rad/s^2; as a lever")
        yield Verdict(
            "friction coefficient",
            "perhaps",
            "it needs the radius of the contact, --contact-radius; a disc has its own",
        )
        return
    reason = f"{count} down by {slowing} m/s^2 at first sight"
    if len(set().union(*(run.directions for run in rolling))) > 1:
        yield Verdict("rolling resistance", "yes", f"{reason}, in both directions")
        yield Verdict("slope of the track", "yes", "it acts differently in both directions")
        return
    yield Verdict(
        "rolling resistance",
        "perhaps",
        f"{reason}, all in one direction: a slope of the track acts likewise, 0.1 degrees by "
        f"{gravity * math.radians(0.1):.2g} m/s^2 before inertia; roll it back, too, or give "
        "--slope",
    )
    yield Verdict("slope of the track", "no", "all runs go in one direction")


def _from_forces(reports: Sequence[FileReport]) -> Iterator[Verdict]:
    pulses = [report.force.pulses for report in reports if report.force is not None]
    samples = [stop - first for each in pulses for first, stop in each]
    if not samples:
        return
    resolved = min(samples) >= LEAST_SAMPLES
    reason = f"{len(samples)} pulse{'s' if len(samples) > 1 else ''} of {extent(samples)} samples"
    yield Verdict(
        "stiffness",
        "yes" if resolved else "perhaps",
        f"{reason}; with the mass, from height and duration of the pulse",
    )
    yield Verdict(
        "restitution",
        "yes" if resolved else "perhaps",
        "from how lopsided the pulse is, if the damping is that of the law",
    )
    yield Verdict("friction", "no", "only the normal force was measured")


def _from_collisions(reports: Sequence[FileReport]) -> Iterator[Verdict]:
    found = [report.collision for report in reports if report.collision is not None]
    both = [item for item in found if all(item.seen_after)]
    speeds = f"{len(found)} collision{'' if len(found) == 1 else 's'} at "
    speeds += f"{extent([item.approach_speed for item in found])} m/s"
    if both:
        value, sd = pool_values(
            [item.restitution for item in both], [item.restitution_sd for item in both]
        )
        yield Verdict(
            "restitution", "yes", f"{speeds}; about {value_and_sd(value, sd)} at first sight"
        )
        ratio = pool_values(
            [item.mass_ratio for item in both], [item.mass_ratio_sd for item in both]
        )
        yield Verdict(
            "ratio of the masses",
            "yes",
            f"the second body seems to have {value_and_sd(*ratio)} times the mass of the first",
        )
    else:
        yield Verdict(
            "restitution",
            "perhaps",
            f"{speeds}; one body is not seen afterwards, so restitution takes the error of the "
            "masses",
        )
    limit = max(found, key=lambda item: item.impulse_ratio)
    shown = value_and_sd(limit.impulse_ratio, limit.impulse_ratio_sd)
    if len(reports[0].bodies[0].axes) == 1:
        yield Verdict("friction", "no", "it does not show in a motion along one line")
    elif all(report.spins for report in reports):
        yield Verdict(
            "friction",
            "yes",
            f"spins are measured; tangential over normal impulse is up to {shown}, the "
            "coefficient itself where the bodies slide throughout",
        )
    else:
        yield Verdict(
            "friction",
            "perhaps",
            f"at least {shown} at first sight; the spins are not measured, and they can act like "
            "friction: give --no-spin if the bodies do not spin before the collision",
        )


def _known(detections: Sequence[DetectedBounces], name: str) -> tuple[list[float], list[float]]:
    """Values and standard deviations of a quantity of the readings that have it."""
    pairs = [(getattr(reading, name), getattr(reading, f"{name}_sd")) for reading in detections]
    known = [
        (value, sd) for value, sd in pairs if math.isfinite(value) and math.isfinite(sd) and sd > 0
    ]
    return [value for value, _ in known], [sd for _, sd in known]


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2g}"


def _words(names: Any) -> str:
    return ", ".join(name.replace("_", " ") for name in sorted(names))
