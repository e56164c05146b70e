"""From force traces of impacts to a fit without further questions."""

import dataclasses
import time
from collections.abc import Sequence
from typing import ClassVar

import jax
import numpy as np

import jaxcontact as jc
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import report
from calibration.fitting.follow import find_minimum
from calibration.fitting.solve import settle_weights
from calibration.io.headers import Header
from calibration.measurements.force_trace import NORMAL, ForceTrace, read_force_trace
from calibration.nuisances import FirstImpact
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.result import Fit
from calibration.studies.asked.files import known_values, read_each
from calibration.studies.asked.problem import make_nuisances, make_problem
from calibration.studies.file_kind import FileKind, Say
from calibration.studies.file_report import FileReport
from calibration.studies.scene import (
    free_of_normal_law,
    free_of_surface,
    has_rigid_impacts,
    make_ball,
    make_contact,
    make_surfaces,
)
from calibration.studies.sounds import scene_to_inspect
from calibration.studies.study import ReadingOptions, Study

FREE = ("contact.normal.stiffness", "contact.normal.restitution")

HERTZ_PEAK = 1.25**0.6
"""Peak force of Hertz's law in units of (m^3 K^2 v^6)^(1/5)."""


class ForceTraces(FileKind):
    """Forces of impacts against time, fitted with a law that has a force (Hunt and Crossley's)."""

    name: ClassVar[str] = "a force trace"

    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether a column is a force."""
        return any(
            header.name in NORMAL.names
            or (header.unit is not None and header.unit.dimension == NORMAL.dimension)
            for header in headers
        )

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All force traces."""
        return forces_problem(study, read_forces(study.files, study.reading))

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit all force traces."""
        return fit_forces(study, progress=progress)

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
        """The force, and a first guess of the impacts."""
        (force,) = read_forces([path], options)
        detected = force.detect(scene_to_inspect(radius, gravity))
        return FileReport(path=path, name=name, force=force, impacts=detected)


def read_forces(files: Sequence[str], options: ReadingOptions) -> list[ForceTrace]:
    """Force traces from files.

    Raises:
        InputError: what is wrong with a file; standard deviations by axis.
    """
    return read_each(files, options, read_force_trace, what="a force trace [N]", example="0.1")


def forces_problem(study: Study, measured: Sequence[ForceTrace]) -> Problem:
    """The problem of force traces: stiffness and restitution of Hunt and Crossley's law, time and
    speed of each first impact.
    """

    def scene(stiffness: float, restitution: float) -> jc.Scene:
        normal = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
        contact = jc.ContactModel(normal=normal, friction=jc.NoFriction())
        if not has_rigid_impacts(study):
            contact = make_contact(study, restitution=restitution, speed=1.0, friction=False)
        return jc.Scene(
            bodies=make_ball(study),
            surfaces=make_surfaces(study),
            contact=contact,
            gravity=(0.0, 0.0, -study.model.gravity),
        )

    detections = [trace.detect(scene(1e6, 0.8)) for trace in measured]
    peaks = np.asarray([np.nanmax(trace.normal) for trace in measured])
    speeds = np.asarray([detected.speed for detected in detections])
    stiffness = (peaks / HERTZ_PEAK) ** 2.5 / (study.one_ball.mass**1.5 * speeds**3)
    return make_problem(
        study,
        scene(float(np.median(stiffness)), 0.8),
        [
            Trial(trace, values=known_values(study, path))
            for trace, path in zip(measured, study.files, strict=True)
        ],
        free=[
            *(FREE if has_rigid_impacts(study) else free_of_normal_law(study)),
            *free_of_surface(study),
        ],
        nuisance=[FirstImpact(), *make_nuisances(study)],
    )


def fit_forces(study: Study, *, progress: Say) -> Fit:
    """Fit force traces."""
    began = time.perf_counter()
    measured = read_forces(study.files, study.reading)
    with jax.enable_x64(True):
        progress(f"Fitting {len(measured)} force trace{'s' if len(measured) != 1 else ''}")
        problem = forces_problem(study, measured)
        problem, assessment = find_minimum(
            problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
        )
        problem, assessment = settle_weights(
            problem, assessment, method=study.fit.method, steps=study.fit.steps
        )
        result = report(
            problem,
            assessment,
            estimate_shared(assessment),
            method=study.fit.method,
            seconds=time.perf_counter() - began,
        )
    note = (
        "The speed of each impact was taken from the impulse of its force: it relies on the "
        "mass and "
        "on the gain of the sensor."
    )
    return dataclasses.replace(result, warnings=(*result.warnings, note))
