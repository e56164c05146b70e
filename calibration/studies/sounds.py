"""From recorded sounds of impacts to a fit without further questions."""

import time
from collections.abc import Callable, Sequence

import jax
import numpy as np

import jaxcontact as jc
from calibration.fitting.assessment import without_what_was_known
from calibration.fitting.fit import minimum_of, report
from calibration.measurements.bounce_times import BounceTimes, read_bounce_times
from calibration.model.free import Free
from calibration.model.prior import LogNormal
from calibration.nuisances import FirstImpact, RestitutionScatter
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.result import Fit
from calibration.studies.restitution_laws import CHOICES
from calibration.studies.study import ReadingOptions, Study

DRAG = "drag.coefficient"
PUBLISHED_DRAG = LogNormal(0.45, 1.15)
"""Drag coefficients of smooth spheres at Reynolds numbers of 1e3 to 1e5: 0.4 to 0.5 (Clift, Grace
and Weber 1978, chapter 5).
"""


def read_sounds(files: Sequence[str], options: ReadingOptions) -> list[BounceTimes]:
    """Times of impacts from files.

    Raises:
        InputError: what is wrong with a file; standard deviations by axis.
    """
    sigma = options.one_sigma("times of impacts [s]", example="0.0001")
    return [read_bounce_times(path, columns=options.columns, sigma=sigma) for path in files]


def sounds_problem(
    study: Study, measured: Sequence[BounceTimes], bodies: jc.Spheres, *, scatter: bool = False
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
        law = CHOICES[study.model.restitution_law].law(restitution, speed)
        return jc.Scene(
            bodies=bodies,
            contact=jc.ContactModel(normal=law, friction=jc.NoFriction()),
            gravity=gravity,
            drag=drag,
        )

    detections = [item.read(scene(0.8, 1.0)) for item in measured]
    restitution = float(
        np.clip(np.median([reading.restitution for reading in detections]), 0.05, 0.99)
    )
    free: list = list(CHOICES[study.model.restitution_law].free)
    free += [Free(DRAG, prior=PUBLISHED_DRAG)] if study.model.drag else []
    impacts = max(reading.numbers[-1] + 1 for reading in detections)
    return Problem(
        scene(restitution, float(np.median([reading.speed for reading in detections]))),
        [Trial(item) for item in measured],
        free=free,
        nuisance=[FirstImpact(), *([RestitutionScatter(impacts=impacts)] if scatter else [])],
    )


def fit_sounds(study: Study, bodies: jc.Spheres, *, progress: Callable[[str], None]) -> Fit:
    """Fit times of impacts."""
    began = time.perf_counter()
    measured = read_sounds(study.files, study.reading)
    with jax.enable_x64(True):
        progress(f"Fitting {len(measured)} sound recording{'s' if len(measured) != 1 else ''}")
        problem = sounds_problem(study, measured, bodies)
        assessment = minimum_of(
            problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
        )
        if not assessment.explained and problem.observations > 3 * len(measured):
            progress("Letting impacts deviate from the common restitution, one by one")
            problem = sounds_problem(study, measured, bodies, scatter=True)
            assessment = minimum_of(
                problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
            )
        estimates = without_what_was_known(assessment, assessment.shared())
        return report(
            problem,
            assessment,
            estimates,
            method=study.fit.method,
            seconds=time.perf_counter() - began,
        )
