"""From files to a fit without further questions: what a recording can tell decides which physics is
fitted.

The rules, in the order in which they are applied:

1. Tables of impacts are fitted as rigid impacts with friction and tangential restitution
  (``impacts``).
2. Trajectories are fitted as flights with drag between rigid impacts. Where every impact is nearly
   normal, only the height is used: what a ball does sideways then depends on spin nobody saw. Where
   impacts are oblique, friction and initial spin are unknown, too.
3. The height of the surface and the initial state of each recording, and one length scale for all,
  are found beside.
4. Where this leaves the data unexplained, spin may lift the ball, and then impacts may deviate from
  the common restitution, one by one.
5. The contact duration is found, too: it is how stiffness could show, and as a delay after each
   impact it would bend other quantities if it were left out. Cameras rarely resolve it, and then
   the result says so.
"""

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

import jaxcontact as jc
from calibration.detection.bounces import DetectedBounces, read_bounces
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment
from calibration.fitting.fit import attempt_from, minimum_of, report
from calibration.io.files import find_files
from calibration.io.impact_table import ImpactTable, merge, read_impact_table
from calibration.io.recording import Recording, read_recordings
from calibration.measurements.positions import TrackedPositions
from calibration.model.free import Free
from calibration.model.prior import LogNormal
from calibration.nuisances import InitialState, LengthScale, RestitutionScatter, SurfaceHeight
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.estimate import Determination, Estimate
from calibration.results.result import Fit
from calibration.studies.file_kind import FileKind, kind_of
from calibration.studies.forces import fit_forces, forces_problem, read_forces
from calibration.studies.restitution_laws import CHOICES
from calibration.studies.sounds import DRAG, fit_sounds, read_sounds, sounds_problem
from calibration.studies.study import ReadingOptions, Study
from calibration.studies.tables import (
    FRICTION,
    RESTITUTION,
    TANGENTIAL,
    fit_impacts,
    impact_problem,
)
from jaxcontact.parameters import nearest

DURATION = "contact.normal.duration"

OBLIQUE = 0.15
"""Tangential over normal speed from which an impact can tell something of friction."""

LIFT = "lift.coefficient"
PUBLISHED_LIFT = LogNormal(0.8, 1.5)
"""Magnus coefficients of smooth balls measured by others: 0.5 to 1.2 (Cross, Am. J. Phys. 80 (2012)
289-294).
"""
LIFT_NOTE = (
    "flights show only its product with the spin, which nobody measured: held by what others "
    "measured, 0.8 within a factor of 1.5"
)
WORTH = 6.6
"""Drop of chi-squared that each further unknown must earn (1 % level)."""

HERTZ_DURATION = 3.2181
"""Contact duration of Hertz's law in units of (m^2/(K^2 v))^(1/5)."""

Progress = Callable[[str], None]


def fit_study(study: Study, *, progress: Progress | None = None) -> Fit:
    """Fit the files of a study.

    Args:
        study: files, ball, and how to read and model them.
        progress: called with a sentence at each stage.

    Raises:
        InputError: naming file, line and column, or the option, and the remedy.
    """
    say = progress or (lambda sentence: None)
    study = dataclasses.replace(study, files=tuple(map(str, find_files(study.files))))
    say(f"Reading {len(study.files)} file{'s' if len(study.files) != 1 else ''}")
    return _FITS[common_kind(study.files)](study, progress=say)


def common_kind(files: Sequence[str]) -> FileKind:
    """The kind of all files.

    Raises:
        InputError: they are of different kinds.
    """
    kinds = {path: kind_of(path) for path in files}
    first = kinds[files[0]]
    for path, kind in kinds.items():
        if kind is not first:
            raise InputError(
                f"this is {kind}, the first file is {first}",
                path=path,
                remedy="Fit them one kind at a time.",
            )
    return first


def ball(study: Study) -> jc.Spheres:
    """The sphere of the study."""
    return jc.spheres(radius=study.ball.radius, mass=study.ball.mass, shell=study.ball.shell)


def fit_tables(study: Study, *, progress: Progress) -> Fit:
    """Fit impact tables."""
    table = merged([read_impacts(path, study.reading) for path in study.files])
    progress(f"Fitting {len(table)} impacts")
    return fit_impacts(
        scene_of_tables(study),
        table,
        free=parameters_of(table),
        method=study.fit.method,
        steps=study.fit.steps,
    )


def merged(tables: list[ImpactTable]) -> ImpactTable:
    """One table."""
    return merge(tables) if len(tables) > 1 else tables[0]


def scene_of_tables(study: Study) -> jc.Scene:
    """Starting values for tables of impacts."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.9), friction=jc.Coulomb(coefficient=0.2)
    )
    return jc.Scene(bodies=ball(study), contact=contact)


def read_impacts(path: str, options: ReadingOptions) -> ImpactTable:
    """A table of impacts."""
    if isinstance(options.sigma, float):
        raise InputError(
            f"sigma = {options.sigma:g} does not say which column of this table of impacts "
            "it is of",
            remedy="Name the quantity: --sigma spin_after=10, or in a study file sigma = { "
            "spin_after = 10.0 }.",
            path=path,
        )
    return read_impact_table(
        path, columns=options.columns, speed=options.speed, sigma=options.sigma
    )


def parameters_of(table: ImpactTable) -> tuple[str, ...]:
    """What a table can tell: friction only from oblique impacts."""
    oblique = bool(
        np.any(np.tan(np.radians(np.asarray(table.impact_angle, dtype=float))) > OBLIQUE)
    )
    return (RESTITUTION, FRICTION, TANGENTIAL) if oblique else (RESTITUTION,)


def read_trajectories(study: Study) -> tuple[list[Recording], list[DetectedBounces]]:
    """Recordings and their automatic readings."""
    options = study.reading
    recordings = read_recordings(
        list(study.files),
        columns=options.columns,
        scale=options.scale,
        frame_rate=options.frame_rate,
        vertical=options.vertical,
        sigma=options.sigma,
    )
    detections = [
        read_bounces(recording, radius=study.ball.radius, gravity=study.model.gravity)
        for recording in recordings
    ]
    return recordings, detections


def no_bounce(recording: Recording) -> InputError:
    """What to say of a recording without a bounce."""
    remedy = (
        "Give a recording of free flight before and after at least one impact; check which axis is "
        "vertical, and the radius."
    )
    return InputError("there is no bounce in this recording", remedy=remedy, path=recording.path)


def steepness(detections: Sequence[DetectedBounces]) -> float:
    """Largest ratio of tangential to normal speed before an impact."""
    ratios = [
        np.linalg.norm(np.nan_to_num(bounce.velocity_before[:2]))
        / max(-bounce.velocity_before[2], 1e-9)
        for reading in detections
        for bounce in reading.bounces
    ]
    return float(max(ratios, default=0.0))


def height_only(recording: Recording) -> Recording:
    """The recording without its horizontal coordinates."""
    position = np.array(recording.position)
    position[:, :2] = np.nan
    sigma = recording.sigma
    return dataclasses.replace(recording, position=position, sigma=sigma)


class Seen(NamedTuple):
    """What the recordings of a study show at first sight.

    Attributes:
        recordings, readings: those with a bounce, without sideways coordinates where these tell
            nothing.
        friction: whether friction is to be found; ``spin``: whether initial spins are.
        notes: plain sentences.
    """

    recordings: list[Recording]
    detections: list[DetectedBounces]
    friction: bool
    spin: bool
    notes: tuple[str, ...]


def seen(study: Study, recordings: list[Recording], detections: list[DetectedBounces]) -> Seen:
    """Decide what the recordings of a study can tell."""
    recordings, detections, notes = usable(recordings, detections)
    oblique = (
        steepness(detections) > OBLIQUE
        if study.model.friction == "automatic"
        else bool(study.model.friction)
    )
    spin = oblique if study.model.spin == "automatic" else bool(study.model.spin)
    if not oblique and any(set(recording.axes) & {"x", "y"} for recording in recordings):
        recordings = [height_only(recording) for recording in recordings]
        notes.append(
            "Every impact is nearly normal, so only the height was fitted: these data do not "
            "tell friction."
        )
    return Seen(recordings, detections, oblique, spin, tuple(notes))


def fit_trajectories(study: Study, *, progress: Progress) -> Fit:
    """Fit trajectories."""
    began = time.perf_counter()
    data = seen(study, *read_trajectories(study))
    detections, spin, notes = data.detections, data.spin, list(data.notes)

    def minimum(*, scatter: bool, lift: bool) -> tuple[Problem, Assessment]:
        problem = problem_of(study, data, scatter=scatter, lift=lift)
        return problem, minimum_of(
            problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
        )

    with jax.enable_x64(True):
        lift = study.model.lift is True
        progress(f"Fitting {len(detections)} recording{'s' if len(detections) != 1 else ''}")
        chosen, assessment = minimum(scatter=False, lift=lift)
        if study.model.lift == "automatic" and spin and not assessment.explained:
            progress("Letting spin lift the ball")
            lifted, with_lift = minimum(scatter=False, lift=True)
            more = with_lift.free.sum() + sum(own.size for own in with_lift.start.local)
            more -= assessment.free.sum() + sum(own.size for own in assessment.start.local)
            # Where the search with lift has not ended, its chi-squared is an upper limit: what it
            # gains already counts.
            lift = bool(
                assessment.chi2 - with_lift.chi2 > WORTH * more * max(with_lift.misfit, 1.0)
            )
            if lift:
                chosen, assessment = lifted, with_lift
                notes.append(
                    "Flights without lift do not explain the data; spin that lifts the ball "
                    "(Magnus effect) does better. The recorded"
                    " lengths were then taken as right, because a wrong length scale looks "
                    "like lift."
                )
        if not assessment.explained and sum(len(reading.bounces) for reading in detections) > 2:
            progress("Letting impacts deviate from the common restitution, one by one")
            chosen, assessment = minimum(scatter=True, lift=lift)
            notes.append(scatter_sentence(chosen, assessment))
        progress("Letting contacts last")
        assessment = with_duration(chosen, assessment)
        if lift:
            assessment = counted_as_parameter(chosen, assessment, LIFT)
        estimates = assessment.shared()
        estimates.pop(DURATION, None)
        if lift:
            estimates[LIFT] = dataclasses.replace(
                estimates[LIFT], sd=np.inf, status=Determination.NOT_DETERMINED, note=LIFT_NOTE
            )
        if FRICTION in estimates and spin:
            progress("Probing whether friction and spin can be told apart")
            estimates[FRICTION] = friction_or_spin(assessment, estimates[FRICTION])
        estimates["contact.normal.stiffness"] = stiffness(study, chosen, assessment)
        if "length_scale" in estimates:
            notes.append(scale_sentence(estimates["length_scale"], study.model.gravity))
        progress("Reporting")
        result = report(
            chosen,
            assessment,
            estimates,
            method=study.fit.method,
            seconds=time.perf_counter() - began,
        )
    return dataclasses.replace(result, warnings=(*result.warnings, *notes))


def usable(
    recordings: list[Recording], detections: list[DetectedBounces]
) -> tuple[list[Recording], list[DetectedBounces], list[str]]:
    """The recordings that show a bounce, their readings, and a sentence on the others.

    Raises:
        InputError: there is no bounce in any.
    """
    kept = [pair for pair in zip(recordings, detections, strict=True) if pair[1].bounces]
    if not kept:
        raise no_bounce(recordings[0])
    left_out = [
        recording.name
        for recording, reading in zip(recordings, detections, strict=True)
        if not reading.bounces
    ]
    count = f"{len(left_out)} of {len(recordings)} recordings show no bounce and were left out"
    return (
        [pair[0] for pair in kept],
        [pair[1] for pair in kept],
        [f"{count}: {', '.join(left_out)}."] if left_out else [],
    )


def problem_of(study: Study, data: Seen, *, scatter: bool, lift: bool) -> Problem:
    """The problem of what was seen, with or without impacts that deviate, and lift."""
    impacts = max(len(reading.bounces) for reading in data.detections)
    nuisance: list[Any] = [InitialState(spin=data.spin, lift=lift), SurfaceHeight()]
    # Lift changes the apparent gravity as a wrong length scale does: with lift, the recorded
    # lengths are taken as right.
    nuisance += [LengthScale()] if study.model.length_scale and not lift else []
    nuisance += [RestitutionScatter(impacts=impacts)] if scatter else []
    free: list[Any] = list(CHOICES[study.model.restitution_law].free)
    free += [DRAG] if study.model.drag else []
    free += [FRICTION] if data.friction else []
    free += [DURATION]
    free += [Free(LIFT, prior=PUBLISHED_LIFT)] if lift else []
    return Problem(
        starting_scene(study, data.detections, friction=data.friction, lift=lift),
        [
            Trial(TrackedPositions(recording, reading))
            for recording, reading in zip(data.recordings, data.detections, strict=True)
        ],
        free=free,
        nuisance=nuisance,
        method=jc.Impulse(max_contacts=impacts + 2, rest_steps=1, skip_unused=False),
        frozen=[DURATION, *([LIFT] if lift else [])],
    )


def problem_to_fit(
    study: Study, read: tuple[list[Recording], list[DetectedBounces]] | None = None
) -> Problem:
    """What ``fit_study`` fits first, with nothing frozen but what is known; ``read``: trajectories
    with readings that were read already.
    """
    study = dataclasses.replace(study, files=tuple(map(str, find_files(study.files))))
    kind = common_kind(study.files)
    if kind is FileKind.IMPACTS:
        table = merged([read_impacts(path, study.reading) for path in study.files])
        return impact_problem(scene_of_tables(study), table, free=parameters_of(table))
    if kind is FileKind.SOUNDS:
        return sounds_problem(study, read_sounds(study.files, study.reading), ball(study))
    if kind is FileKind.FORCE:
        return forces_problem(study, read_forces(study.files, study.reading), ball(study))
    return problem_of(
        study,
        seen(study, *(read or read_trajectories(study))),
        scatter=False,
        lift=study.model.lift is True,
    )


def problems_to_compare(study: Study, models: Sequence[str] | None = None) -> dict[str, Problem]:
    """One problem for each restitution law, on the same data, by name; all laws when ``models`` is
    ``None``.

    Raises:
        InputError: a name that is no law, tables of impacts at one speed.
    """
    for name in models or ():
        if name not in CHOICES:
            raise InputError(f"model {name!r} is not known.{nearest(name, CHOICES)}")
    study = dataclasses.replace(study, files=tuple(map(str, find_files(study.files))))
    kind = common_kind(study.files)
    if kind not in (FileKind.TRAJECTORY, FileKind.SOUNDS):
        raise InputError(
            "laws of restitution are compared on trajectories and times of impacts; "
            f"{study.files[0]} is {kind}"
        )

    def with_law(name: str) -> Study:
        return dataclasses.replace(
            study, model=dataclasses.replace(study.model, restitution_law=name)
        )

    if kind is FileKind.SOUNDS:
        measured = read_sounds(study.files, study.reading)
        return {
            name: sounds_problem(with_law(name), measured, ball(study))
            for name in models or CHOICES
        }
    data = seen(study, *read_trajectories(study))
    return {
        name: problem_of(with_law(name), data, scatter=False, lift=study.model.lift is True)
        for name in models or CHOICES
    }


def starting_scene(
    study: Study, detections: Sequence[DetectedBounces], *, friction: bool, lift: bool = False
) -> jc.Scene:
    """Scene with first guesses from the readings."""
    restitution = float(
        np.clip(np.median([reading.restitution for reading in detections]), 0.05, 0.99)
    )
    speed = float(
        np.median(
            [-bounce.velocity_before[2] for reading in detections for bounce in reading.bounces]
        )
    )
    spheres = ball(study)
    drags = [reading.drag for reading in detections if reading.drag > 0]
    area = 0.5 * study.model.fluid_density * np.pi * study.ball.radius**2 / study.ball.mass
    coefficient = float(np.clip(np.median(drags) / area, 0.05, 2.0)) if drags else 0.4
    return jc.Scene(
        bodies=spheres,
        contact=jc.ContactModel(
            normal=CHOICES[study.model.restitution_law].law(restitution, speed),
            friction=jc.Coulomb(coefficient=0.2) if friction else jc.NoFriction(),
        ),
        gravity=(0.0, 0.0, -study.model.gravity),
        drag=jc.QuadraticDrag(coefficient=coefficient, fluid_density=study.model.fluid_density)
        if study.model.drag
        else None,
        lift=jc.MagnusLift(
            coefficient=PUBLISHED_LIFT.median, fluid_density=study.model.fluid_density
        )
        if lift
        else None,
    )


def scatter_sentence(problem: Problem, assessment: Assessment) -> str:
    """How much impacts deviate from the common restitution."""
    deviations = []
    for kind, members, local in zip(
        problem.layout.batches, problem.members, assessment.minimum.local, strict=True
    ):
        first = [parameter.name for parameter in kind.trial_parameters].index(
            "restitution_deviation_1"
        )
        deviations += [
            local[r, first + i]
            for r, member in enumerate(members)
            for i in range(len(problem.detections[member].bounces))
        ]
    restitution = float(np.median([reading.restitution for reading in problem.detections]))
    spread = float(np.std(deviations)) * restitution * (1 - restitution)
    return (
        "Impacts do not repeat exactly: the restitution of single impacts scatters by "
        f"{spread:.3f} about the common value. They were"
        " allowed to, each deviation held by a prior of about twice that in most materials "
        "(0.22 in ln(e/(1 - e)))."
    )


def with_duration(problem: Problem, assessment: Assessment) -> Assessment:
    """The fit with the contact duration free, unless that makes it negative."""
    duration, _ = assessment.next_step(index_of_duration(assessment))
    if duration <= 0:
        return assessment
    start = assessment.start._replace(
        frozen=np.asarray([name == LIFT for name in assessment.layout.names])
    )
    longer = attempt_from(
        problem,
        start.from_minimum(assessment.minimum),
        method="levenberg_marquardt",
        steps=100,
        led=True,
    )
    longer.start = start
    return (
        longer
        if longer.minimum.shared[index_of_duration(assessment)] >= 0 and longer.minimum.converged
        else assessment
    )


def counted_as_parameter(problem: Problem, assessment: Assessment, name: str) -> Assessment:
    """The same minimum, judged with a quantity among the parameters that stayed where it is known
    beforehand to be.

    Its product with another unknown is all that the data show: to search along the valley takes
    hundreds of steps and leads nowhere, but what is not known of it must widen the other intervals.
    """
    frozen = np.array(assessment.start.frozen)
    frozen[assessment.layout.names.index(name)] = False
    start = assessment.start._replace(frozen=frozen)
    return Assessment(
        assessment.layout,
        assessment.scene,
        assessment.data,
        start,
        assessment.minimum,
        problem.errors,
        blocks=assessment.blocks,
    )


def index_of_duration(assessment: Assessment) -> int:
    """Position of the contact duration among the shared parameters."""
    return assessment.layout.names.index(DURATION)


def duration_of(assessment: Assessment) -> tuple[float, float]:
    """Contact duration and its standard error [s]; where the fit has none, to first order."""
    if DURATION in assessment.shared():
        estimate = assessment.shared()[DURATION]
        return estimate.value, estimate.sd
    return assessment.next_step(index_of_duration(assessment))


def friction_or_spin(assessment: Assessment, estimate: Estimate) -> Estimate:
    """The friction coefficient, withdrawn where another initial spin explains the data with any
    larger coefficient.
    """
    if estimate.status is Determination.DETERMINED and not assessment.flat_beyond(FRICTION):
        return estimate
    return dataclasses.replace(
        estimate,
        sd=np.inf,
        status=Determination.NOT_DETERMINED,
        note="friction and initial spin are confounded: without a measured spin, another spin "
        "explains the data with a larger coefficient",
    )


def stiffness(study: Study, problem: Problem, assessment: Assessment) -> Estimate:
    """What the contact duration says of the stiffness of Hertz's law: almost always a lower
    limit.
    """
    at_unit_speed, sd_at_unit_speed = duration_of(assessment)
    speeds = [
        -bounce.velocity_before[2] for reading in problem.detections for bounce in reading.bounces
    ]
    speed, mass = float(np.median(speeds)), study.ball.mass
    duration, sd = at_unit_speed * speed**-0.2, sd_at_unit_speed * speed**-0.2
    steps = np.concatenate(
        [np.diff(np.unique(time)) for data in problem.data for time in data.samples[0].times]
    )
    interval = float(np.median(steps))

    def of(duration: float) -> float:
        return mass / np.sqrt(speed) * (HERTZ_DURATION / duration) ** 2.5

    def found(value: float, deviation: float, status: Determination, note: str) -> Estimate:
        return Estimate(
            "contact.normal.stiffness",
            "contact stiffness (Hertz)",
            "K",
            "N/m^1.5",
            value,
            deviation,
            np.nan,
            status,
            note,
        )

    longest = max(duration, 0.0) + 1.645 * sd
    # A delay shorter than the time between two pictures could be anything; a model that misses the
    # data has no say.
    if assessment.explained and duration > max(4 * sd, interval):
        relative = 2.5 * sd / duration
        note = f"from a contact duration of {1e3 * duration:.3g} +- {1e3 * sd:.2g} ms at {speed:.2g} m/s"
        return found(of(duration), of(duration) * relative, Determination.DETERMINED, note)
    note = (
        f"the camera takes a picture every {1e3 * interval:.3g} ms; a contact may last up to "
        f"{1e3 * longest:.2g} ms (95 %), that is K >"
        f" {of(longest):.1g} N/m^1.5; a high-speed camera or a force sensor would show it"
        if np.isfinite(longest)
        else "a contact of any duration explains the data"
    )
    return found(np.nan, np.inf, Determination.NOT_DETERMINED, note)


def scale_sentence(scale: Estimate, gravity: float) -> str:
    """A wrong length scale in words, as a scale and as the gravity it feigns."""
    if scale.status is not Determination.DETERMINED:
        return "The length scale cannot be checked with these data."
    percent, sd = 100 * (scale.value - 1), 100 * scale.sd
    apparent, apparent_sd = gravity / scale.value, gravity / scale.value**2 * scale.sd
    if abs(percent) < max(2 * sd, 0.5):
        return (
            "The length scale of the recordings agrees with gravity to "
            f"{max(abs(percent) + 2 * sd, 0.1):.1f} %."
        )
    word = "short" if percent > 0 else "long"
    return (
        f"The length scale of the recordings is {abs(percent):.1f} +- {sd:.1f} % {word} (or "
        f"gravity is {apparent:.2f} +- {apparent_sd:.2f}"
        f" m/s^2 in their units, not {gravity:g}). Restitution does not depend on it."
    )


_FITS: dict[FileKind, Callable[..., Fit]] = {
    FileKind.IMPACTS: fit_tables,
    FileKind.TRAJECTORY: fit_trajectories,
    FileKind.SOUNDS: lambda study, progress: fit_sounds(study, ball(study), progress=progress),
    FileKind.FORCE: lambda study, progress: fit_forces(study, ball(study), progress=progress),
}
