"""From force traces of impacts to a fit without further questions."""

import dataclasses
import time
from collections.abc import Callable, Sequence

import jax
import numpy as np

import jaxcontact as jc
from calibration.fitting.fit import minimum_of, report
from calibration.measurements.force_trace import ForceTrace, read_force_trace
from calibration.nuisances import FirstImpact
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.result import Fit
from calibration.studies.study import ReadingOptions, Study

FREE = ("contact.normal.stiffness", "contact.normal.restitution")

HERTZ_PEAK = 1.25**0.6
"""Peak force of Hertz's law in units of (m^3 K^2 v^6)^(1/5)."""


def read_forces(files: Sequence[str], options: ReadingOptions) -> list[ForceTrace]:
    """Force traces from files.

    Raises:
        InputError: what is wrong with a file; standard deviations by axis.
    """
    sigma = options.one_sigma("a force trace [N]", example="0.1")
    return [read_force_trace(path, columns=options.columns, sigma=sigma) for path in files]


def forces_problem(study: Study, measured: Sequence[ForceTrace], bodies: jc.Spheres) -> Problem:
    """The problem of force traces: stiffness and restitution of Hunt and Crossley's law, time and
    speed of each first impact.
    """

    def scene(stiffness: float, restitution: float) -> jc.Scene:
        normal = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
        return jc.Scene(
            bodies=bodies,
            contact=jc.ContactModel(normal=normal, friction=jc.NoFriction()),
            gravity=(0.0, 0.0, -study.model.gravity),
        )

    detections = [item.read(scene(1e6, 0.8)) for item in measured]
    peaks, speeds = (
        np.asarray([np.nanmax(item.normal) for item in measured]),
        np.asarray([reading.speed for reading in detections]),
    )
    stiffness = (peaks / HERTZ_PEAK) ** 2.5 / (study.ball.mass**1.5 * speeds**3)
    return Problem(
        scene(float(np.median(stiffness)), 0.8),
        [Trial(item) for item in measured],
        free=FREE,
        nuisance=[FirstImpact()],
    )


def fit_forces(study: Study, bodies: jc.Spheres, *, progress: Callable[[str], None]) -> Fit:
    """Fit force traces."""
    began = time.perf_counter()
    measured = read_forces(study.files, study.reading)
    with jax.enable_x64(True):
        progress(f"Fitting {len(measured)} force trace{'s' if len(measured) != 1 else ''}")
        problem = forces_problem(study, measured, bodies)
        assessment = minimum_of(
            problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
        )
        result = report(
            problem,
            assessment,
            assessment.shared(),
            method=study.fit.method,
            seconds=time.perf_counter() - began,
        )
    note = (
        "The speed of each impact was taken from the impulse of its force: it relies on the "
        "mass and "
        "on the gain of the sensor."
    )
    return dataclasses.replace(result, warnings=(*result.warnings, note))
