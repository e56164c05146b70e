"""From trajectories to a fit without further questions: what a recording can tell decides which
physics is fitted.

The rules, in the order in which they are applied:

1. Tables of impacts are fitted as rigid impacts with friction and tangential restitution
   (``impacts``).
2. Trajectories are fitted as flights with drag between rigid impacts. Where the ball moves
   sideways, friction and initial spin are unknown, too, and so are the slope of the surface and the
   direction of gravity in the axes of the recording: no table and no camera is level, and a slope
   of one degree changes an apparent restitution by more than most intervals are wide. Where nothing
   moves sideways, only the height is used.
3. The height of the surface and the initial state of each recording, and one length scale for all,
   are found beside.
4. How restitution depends on speed is unknown within what balls do, unless a law is asked for, and
   so is what the camera does, unless it is calibrated: its shutter, its lens, its pixels, and how
   far the ball leaves the plane that it looks at. Left out, they would bend drag and all else.
5. Contacts last: how long is unknown within what balls do, always. As a delay after each impact
   the duration would bend other quantities if it were left out; cameras rarely resolve it, and then
   the result says so.
6. Errors are normal, unless deviations from smooth flights show heavy tails: then they are those of
   Student's t.
7. Where this leaves the data unexplained, spin may lift the ball, and then impacts may deviate from
   the common restitution, one by one.
"""

import dataclasses
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

import jax
import numpy as np

import jaxcontact as jc
from calibration.detection.bounces import DetectedBounces, read_bounces
from calibration.detection.dropped_frames import (
    DroppedFrames,
    find_dropped_frames,
    with_missing_frames,
)
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment, assess
from calibration.fitting.diagnosis import has_correlated_neighbours
from calibration.fitting.estimates import estimate_shared, estimate_trial
from calibration.fitting.fit import describe, report
from calibration.fitting.follow import find_minimum
from calibration.fitting.impacts.order import Order, deviations_of, find_order
from calibration.fitting.impacts.recordings_apart import ENOUGH, describe_apart, lie_apart
from calibration.fitting.impacts.scatter_sentences import ORDERED, describe_scatter
from calibration.fitting.impacts.settle_scatter import settle_scatter
from calibration.fitting.probes import exclude_flatness
from calibration.fitting.scatter import chance_of_scatter, deviating_problem
from calibration.fitting.solve import default_steps, minimise_from, settle_weights
from calibration.fitting.start import starting_point
from calibration.io.files import make_distinct_names
from calibration.io.headers import Header
from calibration.io.recording import Recording, read_trajectory, without_still_axes
from calibration.io.trajectory_columns import MissingUnit, is_trajectory
from calibration.model.free import Free
from calibration.model.prior import LogNormal, Normal
from calibration.nuisances import (
    Gravity,
    GravityTilt,
    InitialState,
    LengthScale,
    Nuisance,
    RestitutionScatter,
    ScatterSize,
    SurfaceHeight,
    SurfaceTilt,
)
from calibration.nuisances.restitution import FACTOR
from calibration.problem.problem import Problem
from calibration.problem.simulation_method import SPARE
from calibration.results.estimate import Determination, Estimate
from calibration.results.findings import gathered
from calibration.results.modification import Decision, TriedModification
from calibration.results.numbers import value_and_sd
from calibration.results.result import Fit
from calibration.studies.asked.files import ball_of, known_values
from calibration.studies.asked.problem import make_nuisances, make_problem
from calibration.studies.choices.friction_laws import COULOMB, FRICTION
from calibration.studies.choices.known_parameters import fixed_parameters
from calibration.studies.doubts.camera import doubts_of_camera
from calibration.studies.doubts.doubt import (
    Doubt,
    describe_camera,
    describe_doubts,
    describe_heights,
    judge_doubt,
    look_for,
)
from calibration.studies.doubts.friction import doubt_rebound
from calibration.studies.doubts.restitution import (
    FREE_FORM,
    FROM_THE_FORM,
    SPEED,
    doubt_constancy,
)
from calibration.studies.doubts.search import (
    TRIALS,
    minimise_with_doubts,
    parameters_to_find,
)
from calibration.studies.doubts.tails import (
    HEAVY_TAILS,
    shows_heavy_tails,
    with_heavy_tails,
)
from calibration.studies.file_kind import FileKind, Say, with_restitution_law
from calibration.studies.file_report import FileReport
from calibration.studies.plausibility.apparent_gravity import describe_unit
from calibration.studies.plausibility.contact_duration import (
    DURATION,
    describe_long_contacts,
    duration_of_balls,
    stiffness,
)
from calibration.studies.plausibility.drag import DRAG, drag_coefficient_per, judge_drag
from calibration.studies.plausibility.finding import Finding, is_meaningless
from calibration.studies.plausibility.recordings import implausible_recordings, refusal
from calibration.studies.plausibility.results import (
    LIFT,
    RESTITUTION,
    STIFFNESS,
    believable_scale,
    buoyant_scale,
    implausible_readings,
    judge_plausibility,
)
from calibration.studies.plausibility.spins import ratio_in_bounces, wrong_spins
from calibration.studies.recording_remarks import odd_frames, recording_remarks, share_of_samples
from calibration.studies.scene import (
    free_of_friction,
    free_of_normal_law,
    free_of_surface,
    has_rigid_impacts,
    make_ball,
    make_contact,
    make_method,
    make_surfaces,
)
from calibration.studies.spin.misreadings import (
    describe_misreading,
    nearest_misreading,
    unit_of,
    with_spins_times,
)
from calibration.studies.spin.told import compare_spins, without_spins
from calibration.studies.spin.trials import make_trial, shows_spin
from calibration.studies.study import CALIBRATED, CONSTANT, ReadingOptions, Study
from calibration.studies.tables import OBLIQUE

PUBLISHED_LIFT = LogNormal(0.8, 1.5)
"""Magnus coefficients of smooth balls measured by others: 0.5 to 1.2 (Cross, Am. J. Phys. 80 (2012)
289-294).
"""
ASKED_LIFT_NOTE = (
    "flights show only its product with the spin, which nobody measured: held by what the study "
    "says of it"
)
LIFT_NOTE = (
    "flights show only its product with the spin, which nobody measured: held by what others "
    "measured, 0.8 within a factor of 1.5"
)
LIFT_UNSEEN = (
    "the spins are too small or the flights too short to show it: held by what others measured, "
    "0.8 within a factor of 1.5"
)
SIDEWAYS = 20.0
"""Range of a sideways coordinate, in standard deviations of one sample, from which on the ball
moves along it. White noise of a thousand samples has a range of 7.
"""

OUT_OF_LEVEL = Normal(0.0, math.radians(2.0))
"""What is known of the slope of a table, and of the direction of gravity in the axes of a camera,
that were set up by eye [rad]: more than 4 degrees is seen.
"""

NOTABLE_TILT = math.radians(0.3)
"""Angle from which on what is out of level is worth a sentence [rad]."""


LIFTED = (
    "Flights without lift do not explain the data; spin that lifts the ball (Magnus effect) does "
    "better. The recorded lengths were then taken as right, because a wrong length scale looks "
    "like lift."
)
WITHOUT_SIDEWAYS = (
    "The sideways motion is not that of a round ball on a plane (its wake, a seam, a draught), so "
    "the heights alone were fitted. All impacts are nearly normal: friction is not told by them."
)
NO_SPIN = 1e-6
"""Factor of measured spins from which a fit of the motion alone begins."""

LIFT_UNKNOWN = 0.8
"""Difference of logarithms up to which a spin that flights tell agrees: the Magnus coefficient is
known within a factor of 1.5 beforehand, twice that is 0.8.
"""

SURE_OF_SPINS = 5.0
"""Standard errors from 1 of the factor of spins that were read wrongly."""

SPINS_COST = 100.0
"""Chi-squared that spins may add which the motion tells, too."""

TOGETHER = 4
"""Recordings whose numbers of impacts lie between two multiples of this share compiled code."""

BEYOND_FORM = 0.01
"""Chance of impacts that deviate as much, did they deviate as the form of the law may."""

WORTH = 6.6
"""Drop of chi-squared that each further unknown must earn (1 % level)."""


POSSIBLE = tuple(
    name
    for doubt in (
        *doubts_of_camera({"x", "z"}, (0.0, 0.0), 1.0, 0.01),
        doubt_rebound(),
        doubt_constancy(open=True),
    )
    for name in doubt.parameters
)
"""Names of the parameters of all doubts."""


class Trajectories(FileKind):
    """Positions against time: flights with drag between impacts."""

    name: ClassVar[str] = "a trajectory"
    comparable: ClassVar[bool] = True
    added: ClassVar[tuple[str, ...]] = (LIFT, FACTOR, *POSSIBLE)

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
        data = choose_physics(study, recordings, detections)
        study = with_heavy_tails(study) if tails_show(study, data) else study
        return problem_of(study, data, scatter=False, lift=lifts(study, data))

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all recordings; the rules are those of this module."""
        return fit_trajectories(study, progress=progress)

    def problems(self, study: Study, laws: Sequence[str]) -> dict[str, Problem]:
        """One problem for each law, with all else that the fit of the study chose.

        Impacts may deviate from the laws where they may in that fit, unless one of the laws
        explains the data without: then that would hide what tells the laws apart.
        """
        chosen = self.fit(study, progress=lambda sentence: None).problem
        own = (*free_of_normal_law(study), *FREE_FORM)
        visible = choose_physics(study, *read_trajectories(study))

        def of(law: str, nuisance: Sequence[Nuisance]) -> Problem:
            other = with_restitution_law(study, law)
            start = problem_of(other, visible, scatter=False, lift=False).scene
            contact = dataclasses.replace(chosen.scene.contact, normal=start.contact.normal)
            kept = [item for item in chosen.free if item not in own]
            form = [item.path for item in FREE_FORM]
            return chosen.replace(
                frozen=[name for name in chosen.frozen if name not in form],
                scene=chosen.scene.replace(contact=contact),
                free=[*free_of_normal_law(other), *kept],
                nuisance=nuisance,
            )

        every = {law: of(law, chosen.nuisance) for law in laws}
        exact = [item for item in chosen.nuisance if not isinstance(item, RestitutionScatter)]
        if len(exact) == len(chosen.nuisance):
            return every
        without = {law: of(law, exact) for law in laws}
        with jax.enable_x64(True):
            explained = any(
                find_minimum(problem, method=study.fit.method, steps=study.fit.steps)[1].explained
                for problem in without.values()
            )
        return without if explained else every

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
        recording, _ = read_one(path, options, gravity=gravity)
        detected = read_bounces(recording, radius=radius, gravity=gravity)
        readings = [(recording, detected)]
        findings = implausible_recordings(readings, gravity=gravity)
        findings += wrong_spins(readings, radius=radius, shell=None) if not findings else []
        return FileReport(
            path=path,
            name=name,
            recording=recording,
            reading=detected,
            problem=refusal(recording, findings)
            if detected.bounces
            else no_bounce(recording, findings),
            remarks=(
                *(finding.sentence for finding in findings if not finding.meaningless),
                *recording_remarks(recording, detected, gravity=gravity),
            ),
        )


def read_trajectories(study: Study) -> tuple[list[Recording], list[DetectedBounces]]:
    """Recordings and their automatic readings."""
    names = make_distinct_names([Path(path) for path in study.files])
    recordings = [
        dataclasses.replace(
            read_one(path, study.reading, gravity=study.model.gravity)[0], name=name
        )
        for path, name in zip(study.files, names, strict=True)
    ]
    detections = [
        read_bounces(recording, radius=ball_of(study, path).radius, gravity=study.model.gravity)
        for recording, path in zip(recordings, study.files, strict=True)
    ]
    return recordings, detections


def read_one(
    path: str, options: ReadingOptions, *, gravity: float
) -> tuple[Recording, Sequence[DroppedFrames]]:
    """The recording in a file, as it is to be read, and the frames that were missing in it."""
    own = options.of(path)

    def read(scale: float | None) -> Recording:
        return read_trajectory(
            path,
            columns=own.columns,
            scale=scale,
            frame_rate=own.frame_rate,
            vertical=own.vertical,
            sigma=own.sigma,
            interval=options.interval_of(path),
        )

    try:
        recording = read(own.scale)
    except MissingUnit as error:
        raise name_unit(error, read(1.0), gravity=gravity) from error
    recording = without_still_axes(recording)
    missing = find_dropped_frames(recording, gravity=gravity) if own.missing_frames else ()
    return with_missing_frames(recording, missing), missing


def name_unit(error: MissingUnit, recording: Recording, *, gravity: float) -> InputError:
    """The error of positions without a unit, with the unit in which they fall as they should.

    Args:
        error: as it was found.
        recording: with its numbers taken as metres.
        gravity: acceleration of free fall [m/s^2].
    """
    return InputError(
        error.problem,
        remedy=describe_unit(recording, gravity) or error.remedy,
        path=error.path,
        line=error.line,
        column=error.column,
    )


def sentences_on_frames(study: Study, recordings: Sequence[Recording]) -> Iterator[str]:
    """Where times were corrected, as the study asks."""
    for recording in recordings:
        path = recording.path or recording.name
        if study.reading.of(path).missing_frames:
            _, missing = read_one(path, study.reading, gravity=study.model.gravity)
            places = ", ".join(f"{gap.missing} after sample {gap.after}" for gap in missing)
            yield f"{recording.name}: frames that were missing: {places or 'none'}."


def no_bounce(recording: Recording, findings: Sequence[Finding]) -> InputError:
    """What to say of a recording without a bounce, with what is implausible of it."""
    remedy = " ".join(finding.sentence for finding in findings if finding.meaningless) or (
        "Give a recording of free flight before and after at least one impact. Where there is one, "
        "its flights do not fall as they should: check the frame rate or the unit of the times, "
        "which axis is vertical and points up (--vertical), the unit of the lengths, and the "
        "radius."
    )
    return InputError("there is no bounce in this recording", remedy=remedy, path=recording.path)


def check_spin_wanted(study: Study, recordings: Sequence[Recording]) -> None:
    """Raise where a study says that balls do not spin whose spin was measured."""
    measured = [recording for recording in recordings if shows_spin(recording)]
    if measured and study.model.spin is False:
        raise InputError(
            "spin = false says that the balls do not spin before the first impact, but their spin "
            "was measured",
            remedy="Leave --no-spin out.",
            path=measured[0].path,
        )


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
        sideways: letters of the axes along which the ball moves.
        oblique: whether impacts are oblique enough to show friction.
        spin: whether initial spins are to be found; ``friction``: whether friction is.
        measured: whether spin was measured in any of them.
        notes: plain sentences.
    """

    recordings: list[Recording]
    detections: list[DetectedBounces]
    sideways: str
    oblique: bool
    friction: bool
    spin: bool
    measured: bool
    notes: tuple[str, ...]


def choose_physics(
    study: Study, recordings: list[Recording], detections: list[DetectedBounces]
) -> VisiblePhysics:
    """Decide what the recordings of a study can tell."""
    recordings, detections, notes = usable(recordings, detections, gravity=study.model.gravity)
    automatic = study.model.friction == "automatic"
    oblique = steepness(detections) > OBLIQUE if automatic else bool(study.model.friction)
    spinning = any(map(shows_spin, recordings))
    wanted = automatic or oblique or spinning
    sideways = axes_of_motion(recordings, detections) if wanted else ""
    friction = oblique or (automatic and bool(sideways))
    measured = bool(sideways) and spinning
    check_spin_wanted(study, recordings)
    spin = friction or measured if study.model.spin == "automatic" else bool(study.model.spin)
    planar = any(set(recording.axes) & {"x", "y"} for recording in recordings)
    if planar and not (friction or measured):
        recordings = [height_only(recording) for recording in recordings]
        notes.append(
            "Nothing moves sideways, so only the height was fitted: these data do not tell "
            "friction."
            if automatic
            else "Only the height was fitted, as no friction is asked for."
        )
    return VisiblePhysics(
        recordings, detections, sideways, oblique, friction, spin, measured, tuple(notes)
    )


def tails_show(study: Study, data: VisiblePhysics) -> bool:
    """Whether errors have heavy tails along the axes along which the ball moves."""
    axes = f"{data.sideways}z"
    return shows_heavy_tails(study, data.recordings, data.detections, axes=axes)


def axes_of_motion(recordings: Sequence[Recording], detections: Sequence[DetectedBounces]) -> str:
    """Letters of the sideways axes along which the ball moves in any recording."""
    found = set()
    for recording, detected in zip(recordings, detections, strict=True):
        used = ~detected.outliers[detected.release : detected.stop]
        for axis, letter in enumerate("xy"):
            along = recording.position[detected.release : detected.stop, axis][used]
            along = along[np.isfinite(along)]
            if along.size and np.ptp(along) > SIDEWAYS * detected.noise[axis]:
                found.add(letter)
    return "".join(sorted(found))


class Explanation(NamedTuple):
    """A way to explain what was seen.

    Attributes:
        data: what was explained.
        problem, assessment: its minimum.
        lift: whether spin lifts the ball.
        scatter: whether impacts deviate from the common restitution.
        order: of the deviations, where they have one.
    """

    data: VisiblePhysics
    problem: Problem
    assessment: Assessment
    lift: bool
    scatter: bool
    order: Order | None = None

    def cost(self, misfit: float) -> float:
        """Chi-squared, and what each unknown must earn where the misfit is that large."""
        start = self.assessment.start
        own = zip(start.free_local, start.local, strict=True)
        unknowns = int(start.free.sum()) + sum(
            int(free.sum()) * local.shape[0] for free, local in own
        )
        return self.assessment.chi2 + WORTH * misfit * unknowns


def explain(study: Study, data: VisiblePhysics, *, progress: Say) -> Explanation:
    """The cheapest explanation: without lift and with impacts that repeat, where that explains the
    data; else of the heights alone, where nothing sideways was asked for and all impacts are nearly
    normal; else with spin that lifts the ball, with impacts that deviate, or with both.

    Where the sideways motion is far from that of a ball whatever the camera does, the heights come
    first.
    """
    lift, heights = lifts(study, data), None
    if heights_will_do(study, data) and strays_sideways(study, data):
        heights = explain_heights(study, data, progress=progress)
        if heights.assessment.explained:
            return heights
    plain = find_explanation(study, data, lift=lift)
    if study.model.scatter is True:
        return let_scatter(study, plain)
    bounces = sum(len(detected.bounces) for detected in data.detections)
    may_scatter = bounces > 2 and has_rigid_impacts(study) and study.model.scatter is not False
    if plain.assessment.explained:
        beyond = may_scatter and deviate_beyond_form(plain)
        return let_scatter(study, plain) if beyond else plain
    if heights is None and heights_will_do(study, data):
        heights = explain_heights(study, data, progress=progress)
        if heights.assessment.explained:
            return heights
    ways = [plain]
    if study.model.lift == "automatic" and data.spin and not lift:
        progress("Letting spin lift the ball")
        ways.append(find_explanation(study, data, lift=True))
    if may_scatter:
        progress("Letting impacts deviate from the common restitution, one by one")
        ways.append(let_scatter(study, plain))
    best = cheapest(ways)
    if best.lift and not lift and may_scatter and not best.assessment.explained:
        best = cheapest([best, let_scatter(study, best)])
    return best


def explain_with_errors(
    study: Study, data: VisiblePhysics, *, progress: Say
) -> tuple[Study, Explanation]:
    """The study with the noise model that the data ask for, and the cheapest explanation with it.

    Where residuals of heavy tails are correlated, too, the errors are those of the study: its
    intervals allow for that, those of independent errors of Student's t would be too narrow.
    """
    if tails_show(study, data):
        progress("Taking the errors as those of heavy tails, which they show")
        heavy = with_heavy_tails(study)
        way = explain(heavy, data, progress=progress)
        if not np.any(has_correlated_neighbours(way.assessment)):
            notes = (*way.data.notes, HEAVY_TAILS)
            return heavy, way._replace(data=way.data._replace(notes=notes))
    return study, explain(study, data, progress=progress)


def deviate_beyond_form(way: Explanation) -> bool:
    """Whether single impacts deviate from the law of restitution by more than is allowed for its
    form. That is a few numbers, which hardly show in chi-squared beside a thousand samples; but
    what the law says is then known no better than the impacts follow it.
    """
    assessment = way.assessment
    allowed = any(isinstance(item, RestitutionScatter) for item in way.problem.nuisance)
    if not allowed or FACTOR in assessment.layout.names:
        return False
    posed = deviating_problem(
        assessment.layout,
        np.asarray(assessment.minimum.shared),
        assessment.data,
        assessment.linearised.working,
        assessment.trial_error_scale_factor,
    )
    return chance_of_scatter(posed) < BEYOND_FORM


def explain_heights(study: Study, data: VisiblePhysics, *, progress: Say) -> Explanation:
    """The cheapest explanation of the heights alone."""
    progress("Fitting the heights alone, as the sideways motion is not explained")
    return explain(study, with_heights_only(data), progress=progress)


def strays_sideways(study: Study, data: VisiblePhysics) -> bool:
    """Whether the motion with all doubts closed is explained so badly that what a camera does will
    not mend it.
    """
    problem = problem_of(study, data, scatter=False, lift=lifts(study, data))
    closed = parameters_to_find(problem, list_doubts(study, data))
    problem = problem.replace(frozen=[*problem.frozen, *closed])
    found = minimise_from(
        problem,
        starting_point(problem, {}),
        method="levenberg_marquardt",
        steps=default_steps("levenberg_marquardt"),
    )
    return found.misfit > found.policy.poor_misfit


def lifts(study: Study, data: VisiblePhysics) -> bool:
    """Whether spin lifts the ball in all explanations: where it was measured, and there is air."""
    if study.model.lift == "automatic":
        return data.measured and study.model.drag
    return bool(study.model.lift)


def check_spins(study: Study, data: VisiblePhysics) -> None:
    """Raise where measured spins contradict the motion, because they were read in another unit or
    with the other sign.

    Where they were measured before and after a bounce, the impulse tells. Elsewhere the motion is
    fitted without them: flights tell the spin as far as the Magnus coefficient is known from
    others, and bounces tell on which side of rolling it is.

    Raises:
        InputError: with the factor, and the likely cause.
    """
    ball, readings = study.one_ball, list(zip(data.recordings, data.detections, strict=True))
    ratio = ratio_in_bounces(readings, radius=ball.radius, shell=ball.shell)
    if ratio is not None:
        found = wrong_spins(readings, radius=ball.radius, shell=ball.shell)
        says = next((finding.sentence for finding in found if finding.meaningless), None)
    else:
        says = contradiction(study, data)
    if says is not None:
        spun = next(recording for recording in data.recordings if recording.spin is not None)
        raise InputError("the measured spins are not to be believed", remedy=says, path=spun.path)


def contradiction(study: Study, data: VisiblePhysics) -> str | None:
    """How measured spins contradict what the motion alone tells of the spin, in a sentence.

    Another unit or sign is a larger error than any of a camera, which is left out here: where that
    explains the motion badly, both ways are judged by the same misfit.
    """
    lift = lifts(study, data)
    model = dataclasses.replace(study.model, camera=CALIBRATED)
    study = dataclasses.replace(study, model=model)

    def problem_with(factor: float) -> Problem:
        recordings = with_spins_times(data.recordings, factor)
        other = data._replace(recordings=recordings)
        return problem_of(study, other, scatter=False, lift=lift)

    still = without_spins(problem_with(NO_SPIN))
    frozen = [*still.frozen, *([LIFT] if lift else [])]
    alone = minimum_of(study, without_spins(still.replace(frozen=frozen)))[1]
    factor, sd = compare_spins(problem_with(1.0), alone)
    misread = nearest_misreading(factor, unit=unit_of(data.recordings), alike=LIFT_UNKNOWN)
    if misread is None or not SURE_OF_SPINS * sd < abs(factor - 1):
        return None
    agreed = minimum_of(study, problem_with(misread.factor))[1]
    if not agreed.chi2 < alone.chi2 + max(agreed.misfit, 1.0) * SPINS_COST:
        return None
    return describe_misreading(
        misread, f"what the flights and bounces tell is {factor:.2g} times what was measured"
    )


def cheapest(ways: Sequence[Explanation]) -> Explanation:
    """The way with the lowest cost."""
    # Where the search with lift has not ended, its chi-squared is an upper limit: what it gains
    # already counts.
    misfit = max(min(way.assessment.misfit for way in ways), 1.0)
    return min(ways, key=lambda way: way.cost(misfit))


def find_explanation(
    study: Study, data: VisiblePhysics, *, lift: bool, trials: int = TRIALS
) -> Explanation:
    """The minimum with impacts that repeat."""
    problem = problem_of(study, data, scatter=False, lift=lift)
    found = lowest_minimum(
        study, data, problem, trials=0 if heights_will_do(study, data) else trials
    )
    return Explanation(data, *found, lift, scatter=False)


def lowest_minimum(
    study: Study, data: VisiblePhysics, problem: Problem, *, trials: int
) -> tuple[Problem, Assessment]:
    """The minimum, sought with and without what was left open."""
    return minimise_with_doubts(
        problem,
        list_doubts(study, data),
        partial(minimum_of, study),
        trials=trials,
    )


def heights_will_do(study: Study, data: VisiblePhysics) -> bool:
    """Whether nothing that is asked for is in the sideways motion: a ball that falls straight is
    pushed aside by its own wake, by seams and by what lies on the table, which tell nothing.
    """
    model = study.model
    asked = model.friction != "automatic" or model.spin != "automatic" or model.scatter is True
    return bool(data.sideways) and not (data.oblique or data.measured or asked)


def with_heights_only(data: VisiblePhysics) -> VisiblePhysics:
    """What was seen, without the sideways motion."""
    return data._replace(
        recordings=[height_only(recording) for recording in data.recordings],
        sideways="",
        friction=False,
        spin=False,
        notes=(*data.notes, WITHOUT_SIDEWAYS),
    )


def let_scatter(study: Study, way: Explanation) -> Explanation:
    """An explanation with impacts that deviate from the common restitution in addition."""
    problem = problem_of(study, way.data, scatter=True, lift=way.lift)
    problem, assessment = lowest_minimum(study, way.data, problem, trials=0)
    order = find_order(deviations_of(problem, assessment), chance=ORDERED)
    assessment = settle_scatter(problem, assessment)
    return Explanation(way.data, problem, assessment, way.lift, scatter=True, order=order)


def minimum_of(study: Study, problem: Problem, part: float = 1.0) -> tuple[Problem, Assessment]:
    """The minimum as the study asks for it, with a part of the iterations."""
    method = study.fit.method
    steps = math.ceil(part * (study.fit.steps or default_steps(method)))
    return find_minimum(problem, method=method, steps=steps, start={}, progress=None)


def fit_trajectories(study: Study, *, progress: Say) -> Fit:
    """Fit trajectories."""
    began = time.perf_counter()
    read = read_trajectories(study)
    data = choose_physics(study, *read)
    with jax.enable_x64(True):
        if data.measured:
            progress("Asking the motion about the measured spins")
            check_spins(study, data)
        count = len(data.detections)
        progress(f"Fitting {count} recording{'s' if count != 1 else ''}")
        readings = list(zip(*read, strict=True))
        if is_meaningless(implausible_readings(study, readings, lift=data.spin)):
            # Nothing will be believed of it: one minimum shows what it looks like.
            way = find_explanation(study, data, lift=lifts(study, data), trials=0)
        else:
            study, way = explain_with_errors(study, data, progress=progress)
            settled = settle_weights(
                way.problem, way.assessment, method=study.fit.method, steps=study.fit.steps
            )
            way = way._replace(problem=settled[0], assessment=settled[1])
        data = way.data
        if lift_is_unknown(study, way) and not data.measured:
            assessment = counted_as_parameter(way.problem, way.assessment, LIFT)
            way = way._replace(assessment=assessment)
        progress("Probing what can be told apart")
        told = tell(study, way)
        progress("Reporting")
        result = report(
            way.problem,
            way.assessment,
            told.estimates,
            method=study.fit.method,
            seconds=time.perf_counter() - began,
        )
    warnings = (*told.shown, *result.warnings, *told.notes)
    result = dataclasses.replace(
        result,
        model=describe(way.problem, restitution=told.restitution),
        warnings=warnings,
        modifications=told.judged,
    )
    return judge_plausibility(result, study, readings)


SHOWS = 2.0
"""Standard errors from nothing up to which a dependence on speed does not show."""


class Told(NamedTuple):
    """What an explanation tells.

    Attributes:
        estimates: of the shared parameters that are worth a line, by name.
        judged: what became of the doubts.
        shown: sentences on what the data show beyond what was asked for.
        notes: further sentences.
        restitution: what holds of the law of restitution, where that is less than was fitted.
    """

    estimates: dict[str, Estimate]
    judged: tuple[TriedModification, ...]
    shown: tuple[str, ...]
    notes: tuple[str, ...]
    restitution: str


def tell(study: Study, way: Explanation) -> Told:
    """The estimates that the data determine, without what was left open and does not show, and what
    is to be said beside them.
    """
    data, problem, assessment = way.data, way.problem, way.assessment
    asked_of = study.model.parameters or {}
    estimates, notes = estimate_shared(assessment), list(data.notes)
    contradicting, restitution = [], ""
    if way.lift and study.model.lift == "automatic" and not data.measured:
        notes.append(LIFTED)
    if way.scatter:
        law, drag = study.model.law_of_restitution, study.model.drag
        contradicting.append(describe_scatter(problem, assessment, way.order, law=law, drag=drag))
        deviations = deviations_of(problem, assessment)
        if RESTITUTION in estimates and lie_apart(deviations):
            names = [recording.name for recording in data.recordings]
            says = describe_apart(deviations, names, estimates[RESTITUTION].value)
            contradicting.append(says)
            if len(names) < ENOUGH:
                estimates[RESTITUTION] = dataclasses.replace(
                    estimates[RESTITUTION],
                    sd=np.inf,
                    status=Determination.NOT_DETERMINED,
                    note=says,
                )
    doubts = list_doubts(study, data)
    each = estimates_of_trials(assessment)
    judged = [
        judge_doubt(doubt, [estimates, *each]) if doubt.open else look_for(doubt, assessment)
        for doubt in doubts
    ]
    # What a search has found that did not end is not what the data show.
    shown = list(describe_doubts(doubts, judged)) if assessment.minimum.converged else []
    shown += contradicting
    for doubt, item in zip(doubts, judged, strict=True):
        if item.decision is not Decision.ADOPTED:
            hidden = [name for name in doubt.parameters if name not in asked_of]
            estimates = {name: one for name, one in estimates.items() if name not in hidden}
        if doubt.open and doubt.name == SPEED:
            depends = item.decision is Decision.ADOPTED
            (shown if depends else notes).append(describe_speed(problem, item))
            if depends and RESTITUTION in estimates:
                speed = reference_speed(problem)
                estimates[RESTITUTION] = dataclasses.replace(
                    estimates[RESTITUTION], note=f"of an impact at {speed:.3g} m/s"
                )
            restitution = "" if depends else name_restitution(item)
    if LIFT in estimates and lift_is_unknown(study, way):
        estimates[LIFT] = judge_lift(
            estimates[LIFT], measured=data.measured, asked=LIFT in asked_of
        )
    if DRAG in estimates:
        estimates[DRAG] = judge_drag(estimates[DRAG])
    if FRICTION in estimates and not data.oblique:
        estimates.pop(FRICTION)
        notes.append("Every impact is nearly normal: these data do not tell friction.")
    elif FRICTION in estimates and data.spin:
        estimates[FRICTION] = friction_or_spin(
            assessment, estimates[FRICTION], measured=data.measured
        )
    if DURATION not in asked_of:
        estimates.pop(DURATION, None)
        if has_rigid_impacts(study):
            estimates[STIFFNESS] = stiffness(study, problem, assessment)
            notes.extend(describe_long_contacts(study, data.detections))
    notes.extend(tilt_sentences(estimates))
    if "length_scale" in estimates and believable_scale(estimates["length_scale"]):
        notes.append(
            scale_sentence(
                estimates["length_scale"],
                study.model.gravity,
                buoyant_scale(study.one_ball, study.model.fluid_density),
            )
        )
    notes.extend(describe_camera(doubts, judged))
    readings = list(zip(data.recordings, data.detections, strict=True))
    if not assessment.explained:
        odd = [
            (recording.name, said)
            for recording, detected in readings
            for said in odd_frames(recording, detected, study.model.gravity)
        ]
        shown += gathered(odd, len(readings))
        shown += [] if data.sideways else describe_heights(data.detections)
    unused = [
        (recording.name, said)
        for recording, detected in readings
        for said in share_of_samples(recording, detected)
    ]
    shown += gathered(unused, len(readings))
    notes.extend(sentences_on_frames(study, data.recordings))
    return Told(estimates, tuple(judged), tuple(shown), tuple(notes), restitution)


def lift_is_unknown(study: Study, way: Explanation) -> bool:
    """Whether spin lifts the ball, by a coefficient that is to be found."""
    return way.lift and LIFT not in fixed_parameters(study.model.parameters)


def estimates_of_trials(assessment: Assessment) -> list[dict[str, Estimate]]:
    """Estimates of the parameters of each trial, by name."""
    return [
        estimate_trial(assessment, batch, r)
        for batch, local in enumerate(assessment.minimum.local)
        for r in range(len(local))
    ]


def list_doubts(study: Study, data: VisiblePhysics) -> tuple[Doubt, ...]:
    """What the recordings leave open, beside what the study names."""
    seen = {axis for recording in data.recordings for axis in recording.axes}
    middle, reach = frame(data.recordings)
    doubts = []
    if study.model.camera != CALIBRATED:
        doubts += doubts_of_camera(seen, middle, reach, frame_interval(data.recordings))
    if has_rigid_impacts(study) and study.model.restitution_law in (None, CONSTANT):
        doubts += [doubt_constancy(open=study.model.restitution_law is None)]
    if data.measured and data.friction and study.model.friction_law == COULOMB:
        doubts += [doubt_rebound()] if has_rigid_impacts(study) else []
    named = {type(item) for item in make_nuisances(study)}
    return tuple(doubt for doubt in doubts if not named & set(map(type, doubt.nuisances)))


def frame(recordings: Sequence[Recording]) -> tuple[tuple[float, float], float]:
    """About the middle (x, z) of what the camera saw, and about half its width [m].

    Both are rounded, to a power of two and to half of it: they are part of compiled code, which
    recordings of one experiment then share.
    """
    ends = []
    for axis in (0, 2):
        seen = np.concatenate([recording.position[:, axis] for recording in recordings])
        seen = seen[np.isfinite(seen)]
        ends.append((float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0))
    width = max(high - low for low, high in ends)
    reach = 2.0 ** math.ceil(math.log2(width / 2)) if width > 0 else 1.0
    x, z = (round((low + high) / reach) * reach / 2 for low, high in ends)
    return (x, z), reach


def frame_interval(recordings: Sequence[Recording]) -> float:
    """About the time from one picture to the next [s]."""
    steps = np.concatenate([np.diff(recording.time) for recording in recordings])
    # As coarse as the frame: it is part of compiled code.
    return float(2.0 ** (round(2 * math.log2(np.median(steps))) / 2))


def usable(
    recordings: list[Recording], detections: list[DetectedBounces], *, gravity: float
) -> tuple[list[Recording], list[DetectedBounces], list[str]]:
    """The recordings that show a bounce, their readings, and a sentence on the others.

    Raises:
        InputError: there is no bounce in any.
    """
    readings = list(zip(recordings, detections, strict=True))
    kept = [reading for reading in readings if reading[1].bounces]
    if not kept:
        raise no_bounce(recordings[0], implausible_recordings(readings, gravity=gravity))
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


def problem_of(
    study: Study,
    data: VisiblePhysics,
    *,
    scatter: bool,
    lift: bool,
) -> Problem:
    """The problem of what was seen.

    Args:
        study: which physics.
        data: what was seen.
        scatter: whether impacts deviate from the common restitution.
        lift: whether spin lifts the ball.
    """
    doubts = list_doubts(study, data)
    impacts = room_for_impacts(data.detections)
    rigid = has_rigid_impacts(study)
    nuisance: list[Nuisance] = [InitialState(spin=data.spin, lift=lift), SurfaceHeight()]
    # Lift by an unknown spin changes the apparent gravity as a wrong length scale does: then the
    # recorded lengths are taken as right, unless a study says that they are to be found. So does
    # gravity.
    told = data.measured or not lift
    named = any(isinstance(item, Gravity | LengthScale) for item in make_nuisances(study))
    automatic = study.model.length_scale == "automatic" and told and not named
    scaled = study.model.length_scale is True or automatic
    nuisance += [LengthScale()] if scaled else []
    if scatter:
        nuisance += [RestitutionScatter(impacts=impacts), ScatterSize()]
    elif any(doubt.name == SPEED and doubt.open for doubt in doubts):
        nuisance += [RestitutionScatter(impacts=impacts, sd=FROM_THE_FORM)]
    nuisance += unlevel(data.sideways, make_nuisances(study))
    nuisance += [added for doubt in doubts for added in doubt.nuisances]
    free: list[str | Free] = list(free_of_normal_law(study))
    free += [DRAG] if study.model.drag else []
    free += free_of_friction(study) if data.friction else ()
    free += [Free(DURATION, prior=duration_of_balls(study, data.detections))] if rigid else []
    free += free_of_surface(study)
    free += [Free(LIFT, prior=PUBLISHED_LIFT)] if lift else []
    free += [added for doubt in doubts for added in doubt.free]
    return make_problem(
        study,
        starting_scene(
            study,
            data.detections,
            friction=data.friction,
            lift=lift,
            constant=not any(doubt.name == SPEED for doubt in doubts),
        ),
        [
            make_trial(
                recording, reading, values=known_values(study, recording.path or recording.name)
            )
            for recording, reading in zip(data.recordings, data.detections, strict=True)
        ],
        free=free,
        nuisance=nuisance,
        method=make_method(study, impacts + SPARE),
        frozen=[
            *([LIFT] if lift and not data.measured else []),
            *([FACTOR] if scatter else []),
            *(name for doubt in doubts if not doubt.open for name in doubt.effects),
        ],
        added=Trajectories.added,
    )


def room_for_impacts(detections: Sequence[DetectedBounces]) -> int:
    """Impacts of which a problem has room for: the most that a recording shows, rounded up, so that
    recordings of similar length share compiled code.
    """
    most = max(len(reading.bounces) for reading in detections)
    return -(-most // TOGETHER) * TOGETHER


def unlevel(sideways: str, named: Sequence[Nuisance]) -> list[Nuisance]:
    """Slope of the surface and direction of gravity along the axes along which the ball moves,
    beside the nuisances that a study names.
    """
    found = list(named)
    for axis in sideways:
        for level in (SurfaceTilt(axis, prior=OUT_OF_LEVEL), GravityTilt(axis, prior=OUT_OF_LEVEL)):
            taken = any(
                isinstance(item, type(level)) and item.towards == axis
                for item in named
                if isinstance(item, SurfaceTilt | GravityTilt)
            )
            found += [] if taken else [level]
    return found


def describe_speed(problem: Problem, tried: TriedModification) -> str:
    """At which speed a restitution holds that may depend on it."""
    at = f"The restitution is that at {reference_speed(problem):.3g} m/s."
    if tried.decision is Decision.ADOPTED:
        return at
    return (
        f"{at} Whether it depends on speed was left open "
        f"({tried.says}), and so was how an impact deviates from such a law; "
        "--restitution-law constant takes it as constant."
    )


def name_restitution(tried: TriedModification) -> str:
    """The law of a restitution whose dependence on speed is not clear."""
    if tried.drop < SHOWS**2:
        return "constant restitution (a dependence on speed was left open, none shows)"
    return f"restitution that may depend on speed ({tried.says})"


def reference_speed(problem: Problem) -> float:
    """At which the law of restitution has the one that is given [m/s]."""
    return float(np.asarray(problem.scene.contact.normal.reference_speed))


def starting_scene(
    study: Study,
    detections: Sequence[DetectedBounces],
    *,
    friction: bool,
    lift: bool = False,
    constant: bool = True,
) -> jc.Scene:
    """Scene with first guesses from the readings.

    Args:
        study: which physics.
        detections: what was read.
        friction: whether there is any.
        lift: whether spin lifts the ball.
        constant: whether the law of restitution is that of the study; else the restitution may
            depend on speed in any way that balls have.
    """
    restitution = float(
        np.clip(np.median([reading.restitution for reading in detections]), 0.05, 0.99)
    )
    speed = float(
        np.median(
            [-bounce.velocity_before[2] for reading in detections for bounce in reading.bounces]
        )
    )
    drags = [reading.drag for reading in detections if reading.drag > 0]
    factor = drag_coefficient_per(study.one_ball, study.model)
    coefficient = float(np.clip(factor * np.median(drags), 0.05, 2.0)) if drags else 0.4
    contact = make_contact(study, restitution=restitution, speed=speed, friction=friction)
    if not constant:
        law = jc.BrokenPowerLawRestitution(restitution=restitution, reference_speed=speed)
        contact = dataclasses.replace(contact, normal=law)
    return jc.Scene(
        bodies=make_ball(study),
        surfaces=make_surfaces(study),
        contact=contact,
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


def judge_lift(estimate: Estimate, *, measured: bool, asked: bool) -> Estimate:
    """The Magnus coefficient, withdrawn where the flights do not tell it: without a measured spin,
    or where what is known beforehand tells as much as they do.

    Args:
        estimate: as it was found.
        measured: whether the spin was measured.
        asked: whether a study says what is known beforehand.
    """
    known = math.log(PUBLISHED_LIFT.factor)
    if measured and estimate.sd < estimate.value * known / math.sqrt(2):
        return estimate
    held = ASKED_LIFT_NOTE if asked else LIFT_NOTE
    note = LIFT_UNSEEN if measured else held
    return dataclasses.replace(estimate, sd=np.inf, status=Determination.NOT_DETERMINED, note=note)


def friction_or_spin(assessment: Assessment, estimate: Estimate, *, measured: bool) -> Estimate:
    """The friction coefficient, withdrawn where the data are explained with any larger coefficient:
    by another initial spin, or where it was measured, by contacts that stick.
    """
    if estimate.status is Determination.DETERMINED:
        sure = assessment.policy.flatness_excluded
        if exclude_flatness(assessment, FRICTION) >= sure:
            return estimate
    note = (
        "the contacts end sticking, where any larger coefficient does the same: it is a lower "
        "limit; throw flatter, or with backspin, so that they slide throughout"
        if measured
        else "friction and initial spin are confounded: without a measured spin, another spin "
        "explains the data with a larger coefficient"
    )
    return dataclasses.replace(estimate, sd=np.inf, status=Determination.NOT_DETERMINED, note=note)


def tilt_sentences(estimates: Mapping[str, Estimate]) -> Iterator[str]:
    """What is out of level by more than nobody minds, in words."""
    for name, what in (("surface_tilt", "The surface slopes"), ("tilt", "Gravity pulls")):
        for axis in "xy":
            estimate = estimates.get(f"{name}_{axis}")
            if estimate is None or not abs(estimate.value) > max(3 * estimate.sd, NOTABLE_TILT):
                continue
            degrees, sd = np.degrees(estimate.value), np.degrees(estimate.sd)
            side = f"{'positive' if degrees > 0 else 'negative'} {axis}"
            yield (
                f"{what} by {abs(degrees):.2f} +- {sd:.1g} degrees towards {side} in the axes of "
                "the recording; the fit takes it into account."
            )


def scale_sentence(scale: Estimate, gravity: float, light: float = 1.0) -> str:
    """A wrong length scale in words, as a scale and as the gravity it feigns.

    Args:
        scale: true over recorded length.
        gravity: of a ball that is heavy [m/s^2].
        light: gravity over the acceleration with which this one falls.
    """
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
    lightness = 1 - 1 / light
    air = (
        f"; buoyancy and the air that so light a ball carries along make {100 * lightness:.2g} %"
        if lightness > max(0.25 * abs(percent) / 100, 1e-3) and percent > 0
        else ""
    )
    return (
        "The recorded lengths are "
        f"{value_and_sd(abs(1 / scale.value - 1) * 100, sd / scale.value**2)} % too {word} (or "
        f"gravity is {value_and_sd(apparent, apparent_sd)}"
        f" m/s^2 in their units, not {gravity:g}; or the recorded times are "
        f"{max(times, 1 / times):.3g} times too {'long' if percent > 0 else 'short'}: check the "
        f"frame rate){air}. Restitution does not depend on it."
    )
