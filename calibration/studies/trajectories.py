"""From trajectories to a fit without further questions: what a recording can tell decides which
physics is fitted.

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
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import jax
import numpy as np

import jaxcontact as jc
from calibration.detection.bounces import DetectedBounces, read_bounces
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment, assess
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import report
from calibration.fitting.follow import find_minimum
from calibration.fitting.impacts.order import deviations_of, find_order
from calibration.fitting.impacts.scatter_sentences import ORDERED, describe_scatter
from calibration.fitting.impacts.settle_scatter import settle_scatter
from calibration.fitting.probes import exclude_flatness, predict_release
from calibration.fitting.solve import minimise_from
from calibration.io.headers import Header
from calibration.io.recording import Recording, read_recordings, read_trajectory
from calibration.io.trajectory_columns import is_trajectory
from calibration.measurements.positions import TrackedPositions
from calibration.model.free import Free
from calibration.model.prior import LogNormal
from calibration.nuisances import (
    InitialState,
    LengthScale,
    Nuisance,
    RestitutionScatter,
    ScatterSize,
    SurfaceHeight,
)
from calibration.nuisances.restitution import FACTOR
from calibration.problem.problem import Problem
from calibration.problem.simulation_method import SPARE
from calibration.problem.trial import Trial
from calibration.results.estimate import Determination, Estimate
from calibration.results.result import Fit
from calibration.studies.choices.friction_laws import FRICTION
from calibration.studies.choices.normal_laws import HERTZ_TIME
from calibration.studies.file_kind import FileKind, Say, with_restitution_law
from calibration.studies.file_report import FileReport
from calibration.studies.recording_remarks import recording_remarks, share_of_samples
from calibration.studies.scene import (
    free_of_friction,
    free_of_normal_law,
    free_of_surface,
    has_rigid_impacts,
    make_ball,
    make_contact,
    make_method,
    make_nuisances,
    make_surfaces,
)
from calibration.studies.sounds import DRAG
from calibration.studies.study import ReadingOptions, Study
from calibration.studies.tables import OBLIQUE

DURATION = "contact.normal.duration"

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


class Trajectories(FileKind):
    """Positions against time: flights with drag between impacts."""

    name: ClassVar[str] = "a trajectory"
    comparable: ClassVar[bool] = True

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether there are positions at times."""
        return is_trajectory(headers)

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All recordings, with one restitution for all impacts."""
        known = [
            (report.recording, report.reading)
            for report in reports
            if report.recording is not None and report.reading is not None
        ]
        if known:
            recordings = [recording for recording, _ in known]
            detections = [detected for _, detected in known]
        else:
            recordings, detections = read_trajectories(study)
        return problem_of(
            study,
            choose_physics(study, recordings, detections),
            scatter=False,
            lift=study.model.lift is True,
        )

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all recordings; the rules are those of this module."""
        return fit_trajectories(study, progress=progress)

    def problems(self, study: Study, laws: Sequence[str]) -> dict[str, Problem]:
        """One problem for each law; the files are read once."""
        visible = choose_physics(study, *read_trajectories(study))
        return {
            law: problem_of(
                with_restitution_law(study, law),
                visible,
                scatter=False,
                lift=study.model.lift is True,
            )
            for law in laws
        }

    def inspect(
        self,
        path: str,
        name: str,
        *,
        radius: float,
        options: ReadingOptions,
        gravity: float,
        partner_radius: float | None = None,
    ) -> FileReport:
        """The recording, and its bounces."""
        recording = read_trajectory(
            path,
            columns=options.columns,
            scale=options.scale,
            frame_rate=options.frame_rate,
            vertical=options.vertical,
            sigma=options.sigma,
        )
        detected = read_bounces(recording, radius=radius, gravity=gravity)
        return FileReport(
            path=path,
            name=name,
            recording=recording,
            reading=detected,
            problem=None if detected.bounces else no_bounce(recording),
            remarks=recording_remarks(recording, detected, gravity=gravity),
        )


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
        "Give a recording of free flight before and after at least one impact. Where there is one, "
        "its flights do not fall as they should: check the frame rate or the unit of the times, "
        "which axis is vertical and points up (--vertical), the unit of the lengths, and the "
        "radius."
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


class VisiblePhysics(NamedTuple):
    """What the recordings of a study show at first sight.

    Attributes:
        recordings, detections: those with a bounce, without sideways coordinates where these tell
            nothing.
        friction: whether friction is to be found; ``spin``: whether initial spins are.
        notes: plain sentences.
    """

    recordings: list[Recording]
    detections: list[DetectedBounces]
    friction: bool
    spin: bool
    notes: tuple[str, ...]


def choose_physics(
    study: Study, recordings: list[Recording], detections: list[DetectedBounces]
) -> VisiblePhysics:
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
    return VisiblePhysics(recordings, detections, oblique, spin, tuple(notes))


def fit_trajectories(study: Study, *, progress: Say) -> Fit:
    """Fit trajectories."""
    began = time.perf_counter()
    data = choose_physics(study, *read_trajectories(study))
    detections, spin, notes = data.detections, data.spin, list(data.notes)
    rigid = has_rigid_impacts(study)

    def minimum(*, scatter: bool, lift: bool) -> tuple[Problem, Assessment]:
        problem = problem_of(study, data, scatter=scatter, lift=lift)
        return find_minimum(
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
        bounces = sum(len(detected.bounces) for detected in detections)
        if not assessment.explained and bounces > 2 and rigid:
            progress("Letting impacts deviate from the common restitution, one by one")
            chosen, assessment = minimum(scatter=True, lift=lift)
            order = find_order(deviations_of(chosen, assessment), chance=ORDERED)
            assessment = settle_scatter(chosen, assessment)
            law, drag = study.model.restitution_law, study.model.drag
            notes.append(describe_scatter(chosen, assessment, order, law=law, drag=drag))
        if rigid:
            progress("Letting contacts last")
            assessment = with_duration(chosen, assessment)
        if lift:
            assessment = counted_as_parameter(chosen, assessment, LIFT)
        estimates = estimate_shared(assessment)
        estimates.pop(DURATION, None)
        if lift:
            estimates[LIFT] = dataclasses.replace(
                estimates[LIFT], sd=np.inf, status=Determination.NOT_DETERMINED, note=LIFT_NOTE
            )
        if FRICTION in estimates and spin:
            progress("Probing whether friction and spin can be told apart")
            estimates[FRICTION] = friction_or_spin(assessment, estimates[FRICTION])
        if rigid:
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
    notes.extend(radius_doubts(result, study.ball.radius))
    for recording, detected in zip(data.recordings, detections, strict=True):
        said = share_of_samples(recording, detected)
        notes.extend(f"{recording.name}: {sentence}." for sentence in said)
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


def problem_of(study: Study, data: VisiblePhysics, *, scatter: bool, lift: bool) -> Problem:
    """The problem of what was seen, with or without impacts that deviate, and lift."""
    impacts = max(len(reading.bounces) for reading in data.detections)
    rigid = has_rigid_impacts(study)
    nuisance: list[Nuisance] = [InitialState(spin=data.spin, lift=lift), SurfaceHeight()]
    # Lift changes the apparent gravity as a wrong length scale does: with lift, the recorded
    # lengths are taken as right.
    nuisance += [LengthScale()] if study.model.length_scale and not lift else []
    nuisance += [RestitutionScatter(impacts=impacts), ScatterSize()] if scatter else []
    nuisance += make_nuisances(study)
    free: list[str | Free] = list(free_of_normal_law(study))
    free += [DRAG] if study.model.drag else []
    free += free_of_friction(study) if data.friction else ()
    free += [DURATION] if rigid else []
    free += free_of_surface(study)
    free += [Free(LIFT, prior=PUBLISHED_LIFT)] if lift else []
    return Problem(
        starting_scene(study, data.detections, friction=data.friction, lift=lift),
        [
            Trial(TrackedPositions(recording, reading))
            for recording, reading in zip(data.recordings, data.detections, strict=True)
        ],
        free=free,
        nuisance=nuisance,
        method=make_method(study, impacts + SPARE),
        frozen=[
            *([DURATION] if rigid else []),
            *([LIFT] if lift else []),
            *([FACTOR] if scatter else []),
        ],
    )


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
    drags = [reading.drag for reading in detections if reading.drag > 0]
    area = 0.5 * study.model.fluid_density * np.pi * study.ball.radius**2 / study.ball.mass
    coefficient = float(np.clip(np.median(drags) / area, 0.05, 2.0)) if drags else 0.4
    return jc.Scene(
        bodies=make_ball(study),
        surfaces=make_surfaces(study),
        contact=make_contact(study, restitution=restitution, speed=speed, friction=friction),
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


def with_duration(problem: Problem, assessment: Assessment) -> Assessment:
    """The fit with the contact duration free, unless that makes it negative."""
    duration, _ = predict_release(assessment, index_of_duration(assessment))
    if duration <= 0:
        return assessment
    start = assessment.start._replace(
        frozen=np.asarray([name in (LIFT, FACTOR) for name in assessment.layout.names])
    )
    longer = minimise_from(
        problem,
        start.from_minimum(assessment.minimum),
        method="levenberg_marquardt",
        steps=100,
        led=True,
    )
    longer = dataclasses.replace(longer, start=start)
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
    return assess(
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
    if DURATION in estimate_shared(assessment):
        estimate = estimate_shared(assessment)[DURATION]
        return estimate.value, estimate.sd
    return predict_release(assessment, index_of_duration(assessment))


def friction_or_spin(assessment: Assessment, estimate: Estimate) -> Estimate:
    """The friction coefficient, withdrawn where another initial spin explains the data with any
    larger coefficient.
    """
    if estimate.status is Determination.DETERMINED:
        sure = assessment.policy.flatness_excluded
        if exclude_flatness(assessment, FRICTION) >= sure:
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
        return mass / np.sqrt(speed) * (HERTZ_TIME / duration) ** 2.5

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
        measured = f"{1e3 * duration:.3g} +- {1e3 * sd:.2g} ms"
        note = f"from a contact duration of {measured} at {speed:.2g} m/s"
        return found(of(duration), of(duration) * relative, Determination.DETERMINED, note)
    note = (
        f"the camera takes a picture every {1e3 * interval:.3g} ms; a contact may last up to "
        f"{1e3 * longest:.2g} ms (95 %), that is K >"
        f" {of(longest):.1g} N/m^1.5; a high-speed camera or a force sensor would show it"
        if np.isfinite(longest)
        else "a contact of any duration explains the data"
    )
    return found(np.nan, np.inf, Determination.NOT_DETERMINED, note)


def radius_doubts(result: Fit, radius: float) -> Iterator[str]:
    """A doubt where every surface lies below ``z = 0`` by a good part of the radius: heights that
    were measured from the surface put it there if the radius is too large.
    """
    heights = np.array(
        [
            recording.nuisance["surface_height"].value
            for recording in result.recordings
            if "surface_height" in recording.nuisance
        ]
    )
    if heights.size and np.all((heights < -0.3 * radius) & (heights > -1.1 * radius)):
        depth = -float(np.mean(heights))
        yield (
            f"With a radius of {1e3 * radius:g} mm the surface lies {1e3 * depth:.1f} mm below "
            f"z = 0. Where z = 0 is the surface, the radius is {1e3 * (radius - depth):.1f} mm: is "
            "the radius that was given a diameter? Drag depends on its square."
        )


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
    times = np.sqrt(scale.value)
    return (
        f"The recorded lengths are {abs(1 / scale.value - 1) * 100:.1f} +- "
        f"{sd / scale.value**2:.1f} % too {word} (or "
        f"gravity is {apparent:.2f} +- {apparent_sd:.2f}"
        f" m/s^2 in their units, not {gravity:g}; or the recorded times are "
        f"{max(times, 1 / times):.3g} times too {'long' if percent > 0 else 'short'}: check the "
        "frame rate). Restitution does not depend on it."
    )
