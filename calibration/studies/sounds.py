"""From recorded sounds of impacts to a fit without further questions."""

import dataclasses
import time
from collections.abc import Mapping, Sequence
from typing import ClassVar

import jax
import numpy as np
from scipy import stats

import jaxcontact as jc
from calibration.fitting.assessment import Assessment
from calibration.fitting.estimates import estimate_shared, withdraw_prior_only
from calibration.fitting.fit import report
from calibration.fitting.follow import find_minimum
from calibration.fitting.impacts.order import deviations_of, find_order
from calibration.fitting.impacts.scatter_sentences import (
    OF_TYPICAL,
    ORDERED,
    describe_scatter,
)
from calibration.fitting.impacts.settle_scatter import settle_scatter
from calibration.fitting.reml import estimate_noise
from calibration.io.headers import Header
from calibration.measurements.bounce_times import BounceTimes, read_bounce_times
from calibration.model.free import Free
from calibration.model.prior import LogNormal
from calibration.nuisances import FirstImpact, RestitutionScatter, ScatterSize
from calibration.nuisances.restitution import FACTOR
from calibration.problem.problem import Problem
from calibration.problem.simulation_method import SPARE
from calibration.problem.trial import Trial
from calibration.results.estimate import Determination, Estimate
from calibration.results.goodness import is_too_small
from calibration.results.numbers import has_interval, rounded_like
from calibration.results.result import Fit
from calibration.studies.asked.files import known_values, read_each
from calibration.studies.asked.problem import make_nuisances, make_problem
from calibration.studies.file_kind import FileKind, Say, with_restitution_law
from calibration.studies.file_report import FileReport
from calibration.studies.plausibility.drag import DRAG, implausible_drag, reynolds_number
from calibration.studies.plausibility.withdrawal import with_findings
from calibration.studies.scene import (
    free_of_normal_law,
    free_of_surface,
    has_rigid_impacts,
    make_ball,
    make_contact,
    make_method,
    make_surfaces,
)
from calibration.studies.study import ReadingOptions, Study

COUNTING = ("bounce", "impact", "number", "no", "nr", "n", "index", "aufprall", "nummer")
"""Names of a column that counts the impacts."""

RESTITUTION = "contact.normal.restitution"
PUBLISHED_DRAG = LogNormal(0.45, 1.15)
"""Drag coefficients of smooth spheres at Reynolds numbers of 1e3 to 1e5: 0.4 to 0.5 (Clift, Grace
and Weber 1978, chapter 5).
"""

AGAINST_AIR = 1e-3
"""Chance of a misfit without air so much smaller by noise alone, below which times speak against
the air that was assumed.
"""


class ImpactTimes(FileKind):
    """Times of impacts, from a sound recording or a piezo element."""

    name: ClassVar[str] = "times of impacts"
    comparable: ClassVar[bool] = True

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether there is one column, beside one that counts the impacts, and it may be a time."""
        told = [header for header in headers if header.name not in COUNTING] or headers
        return len(told) == 1 and (told[0].unit is None or told[0].unit.dimension == "time")

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All files, with one restitution for all impacts."""
        return sounds_problem(study, read_sounds(study.files, study.reading))

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all files; where they are not explained, impacts may deviate one by one."""
        return fit_sounds(study, progress=progress)

    def problems(self, study: Study, laws: Sequence[str]) -> dict[str, Problem]:
        """One problem for each law; the files are read once."""
        measured = read_sounds(study.files, study.reading)
        return {law: sounds_problem(with_restitution_law(study, law), measured) for law in laws}

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
        """The times, and a first guess of the bounces."""
        (sounds,) = read_sounds([path], options)
        detected = sounds.detect(scene_to_inspect(radius, gravity))
        return FileReport(
            path=path, name=name, sounds=sounds, impacts=detected, remarks=tuple(detected.remarks)
        )


def scene_to_inspect(radius: float, gravity: float) -> jc.Scene:
    """A scene in which a file is looked at before anything is known of the ball but its radius [m].

    The mass scales the speed that a force trace feigns; what an inspection says does not depend on
    it.
    """
    normal = jc.HuntCrossley(stiffness=1e6, restitution=0.8)
    return jc.Scene(
        bodies=jc.spheres(radius=radius, mass=1.0),
        contact=jc.ContactModel(normal=normal, friction=jc.NoFriction()),
        gravity=(0.0, 0.0, -gravity),
    )


def read_sounds(files: Sequence[str], options: ReadingOptions) -> list[BounceTimes]:
    """Times of impacts from files.

    Raises:
        InputError: what is wrong with a file; standard deviations by axis.
    """
    what = "times of impacts [s]"
    return read_each(files, options, read_bounce_times, what=what, example="0.0001")


def sounds_problem(
    study: Study, measured: Sequence[BounceTimes], *, scatter: bool = False
) -> Problem:
    """The problem of times of impacts: restitution, with speed and time of each first impact, and
    drag as others measured it.
    """
    gravity = (0.0, 0.0, -study.model.gravity)
    drag = (
        jc.QuadraticDrag(coefficient=PUBLISHED_DRAG.median, fluid_density=study.model.fluid_density)
        if study.model.drag
        else None
    )

    def scene(restitution: float, speed: float) -> jc.Scene:
        return jc.Scene(
            bodies=make_ball(study),
            surfaces=make_surfaces(study),
            contact=make_contact(study, restitution=restitution, speed=speed, friction=False),
            gravity=gravity,
            drag=drag,
        )

    detections = [sounds.detect(scene(0.8, 1.0)) for sounds in measured]
    restitution = float(
        np.clip(np.median([reading.restitution for reading in detections]), 0.05, 0.99)
    )
    free: list[str | Free] = [*free_of_normal_law(study), *free_of_surface(study)]
    free += [Free(DRAG, prior=PUBLISHED_DRAG)] if study.model.drag else []
    impacts = max(reading.numbers[-1] + 1 for reading in detections)
    return make_problem(
        study,
        scene(restitution, float(np.median([reading.speed for reading in detections]))),
        [
            Trial(sounds, values=known_values(study, path))
            for sounds, path in zip(measured, study.files, strict=True)
        ],
        free=free,
        nuisance=[
            FirstImpact(),
            *([RestitutionScatter(impacts=impacts), ScatterSize()] if scatter else []),
            *make_nuisances(study),
        ],
        frozen=[FACTOR] if scatter else [],
        added=[FACTOR],
        method=None if has_rigid_impacts(study) else make_method(study, impacts + SPARE),
    )


def contradicts_noise(assessment: Assessment, measured: Sequence[BounceTimes]) -> bool:
    """Whether noise does not explain the misfit: noise that nobody stated is known from the times
    themselves alone, which are few, so that the misfit is a ratio of two variances.
    """
    if assessment.explained or all(one.stated for one in measured):
        return not assessment.explained
    freedom = sum(max(one.time.size - 4, 1) for one in measured)
    chance = stats.f.sf(assessment.misfit, max(assessment.dof, 1), freedom)
    return bool(chance < assessment.policy.misfit_chance)


def fit_sounds(study: Study, *, progress: Say) -> Fit:
    """Fit times of impacts."""
    began = time.perf_counter()
    measured = read_sounds(study.files, study.reading)
    with jax.enable_x64(True):
        progress(f"Fitting {len(measured)} sound recording{'s' if len(measured) != 1 else ''}")
        problem = sounds_problem(study, measured)
        problem, assessment = find_minimum(
            problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
        )
        measured, problem, assessment = weigh_anew(study, measured, problem, assessment)
        plain, airless = assessment, without_air(study, measured, assessment)
        may_scatter = has_rigid_impacts(study) and problem.observations > 3 * len(measured)
        if study.model.scatter == "automatic":
            scatters = may_scatter and contradicts_noise(assessment, measured)
        else:
            scatters = bool(study.model.scatter)
        said: tuple[str, ...] = ()
        order = None
        if scatters:
            progress("Letting impacts deviate from the common restitution, one by one")
            problem = sounds_problem(study, measured, scatter=True)
            problem, assessment = find_minimum(
                problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
            )
            order = find_order(deviations_of(problem, assessment), chance=ORDERED)
            assessment = settle_scatter(problem, assessment)
            law, drag = study.model.law_of_restitution, study.model.drag
            said = (describe_scatter(problem, assessment, order, law=law, drag=drag),)
        estimates = withdraw_prior_only(assessment, estimate_shared(assessment))
        if order is not None and RESTITUTION in estimates:
            estimates[RESTITUTION] = dataclasses.replace(estimates[RESTITUTION], note=OF_TYPICAL)
        speaks_against = "" if airless is None else describe_airless(airless, plain)
        if speaks_against and RESTITUTION in estimates:
            estimates[RESTITUTION] = dataclasses.replace(
                estimates[RESTITUTION],
                sd=np.inf,
                status=Determination.NOT_DETERMINED,
                note=speaks_against,
            )
        fitted = report(
            problem,
            assessment,
            estimates,
            method=study.fit.method,
            seconds=time.perf_counter() - began,
        )
        known = DRAG in (study.model.parameters or {})
        assumed = "" if known else assumed_air(assessment, fitted.parameters)
        said += (assumed,) if assumed else ()
        fitted = dataclasses.replace(fitted, warnings=(*said, *fitted.warnings))
        return judge_drag(fitted, study, measured, problem.scene)


def weigh_anew(
    study: Study, measured: list[BounceTimes], problem: Problem, assessment: Assessment
) -> tuple[list[BounceTimes], Problem, Assessment]:
    """The fit of times whose errors nobody stated, with the size that its residuals have, where
    they are much smaller than was guessed: the guess would weigh them against the known drag.
    """
    guessed = [one for one in measured if not (one.stated or one.guessed)]
    if len(guessed) < len(measured) or not is_too_small(assessment.chi2, assessment.dof):
        return measured, problem, assessment
    size = float(np.median(estimate_noise(assessment.linearised, doubt_stated=False).size))
    measured = [one.with_scatter(size * one.train()[2]) for one in measured]
    problem, assessment = find_minimum(
        sounds_problem(study, measured),
        method=study.fit.method,
        steps=study.fit.steps,
        start={},
        progress=None,
    )
    return measured, problem, assessment


CLOCK = (
    "if the clock of the recording is right: one that is 1 % off moves it by 2 %, as times alone "
    "do not show"
)
"""Times that are ``s`` times as long make a drag coefficient of ``1/s^2``: speeds, which gravity
makes of them, are ``s`` times as high, and lengths ``s^2`` times as long.
"""


def judge_drag(fit: Fit, study: Study, measured: Sequence[BounceTimes], scene: jc.Scene) -> Fit:
    """The fit with what is implausible of a drag coefficient that times alone determine, or with
    what it hangs on.
    """
    drag = fit.parameters.get(DRAG)
    if drag is None or not has_interval(drag):
        return fit
    trains = [sounds.detect(scene) for sounds in measured]
    speeds = [one.speed * one.restitution**k for one in trains for k in one.numbers]
    reynolds = reynolds_number(study.one_ball, study.model.fluid_density, speeds)
    found = list(implausible_drag(drag.value, drag.interval(), study.one_ball, reynolds))
    noted = dataclasses.replace(drag, note=drag.note or CLOCK)
    return with_findings(
        dataclasses.replace(fit, parameters={**fit.parameters, DRAG: noted}), found
    )


def assumed_air(assessment: Assessment, estimates: Mapping[str, Estimate]) -> str:
    """That air was assumed, and what the restitution would be without, where that differs by more
    than its standard error; else nothing.

    The restitution follows the drag coefficient C along ``de/dC = cov(e, C)/var(C)``.
    """
    restitution, drag = estimates.get(RESTITUTION), estimates.get(DRAG)
    if restitution is None or drag is None or not has_interval(restitution):
        return ""
    free = [assessment.layout.global_parameters[i] for i in np.flatnonzero(assessment.free)]
    names = [parameter.name for parameter in free]
    e, c = names.index(RESTITUTION), names.index(DRAG)
    scale = free[e].slope(restitution.value) / free[c].slope(drag.value)
    slope = scale * assessment.covariance[e, c] / assessment.covariance[c, c]
    without = restitution.value - slope * drag.value
    if abs(without - restitution.value) < restitution.sd:
        return ""
    return (
        f"Air is assumed, with the drag of a smooth sphere (C_D = {PUBLISHED_DRAG.median:g} within "
        f"a factor of {PUBLISHED_DRAG.factor:g}). Without air the restitution would be about "
        f"{rounded_like(without, restitution.sd)}: give --no-drag where there was none, "
        "--parameter 'drag.coefficient=0.4' where the drag is known to be that."
    )


def without_air(
    study: Study, measured: Sequence[BounceTimes], found: Assessment
) -> Assessment | None:
    """The minimum without air, where air is assumed that nobody asked for by its coefficient, and
    the data are not explained as well as they may be.
    """
    model = study.model
    if not model.drag or DRAG in (model.parameters or {}) or found.misfit <= 1:
        return None
    study = dataclasses.replace(study, model=dataclasses.replace(model, drag=False))
    return find_minimum(
        sounds_problem(study, measured),
        method=study.fit.method,
        steps=study.fit.steps,
        start={},
        progress=None,
    )[1]


def describe_airless(without: Assessment, plain: Assessment) -> str:
    """That times speak against the air that was assumed, or nothing."""
    freedom = max(plain.dof, 1)
    ratio = plain.chi2 / max(without.chi2, np.finfo(float).tiny)
    if not without.minimum.converged or stats.f.sf(ratio, freedom, freedom) > AGAINST_AIR:
        return ""
    return (
        f"without air these times are explained better (chi2 is {without.chi2:.2g}, not "
        f"{plain.chi2:.2g}); where there was none, --no-drag says so"
    )
