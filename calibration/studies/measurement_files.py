"""Files that hold one measurement each: what a measurement from outside needs to be read from a
study.
"""

import abc
from collections.abc import Sequence

import numpy as np

import jaxcontact as jc
from calibration.io.names import stem_of
from calibration.io.recording import Recording
from calibration.measurements import Measurement
from calibration.model.free import Free
from calibration.nuisances import Nuisance
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.studies.asked.files import check_known_to_kind, known_values
from calibration.studies.asked.problem import make_nuisances, make_problem
from calibration.studies.file_kind import FileKind
from calibration.studies.file_report import FileReport
from calibration.studies.scene import (
    free_of_friction,
    free_of_normal_law,
    free_of_surface,
    make_ball,
    make_contact,
    make_surfaces,
)
from calibration.studies.study import ReadingOptions, Study

GUESSED_RESTITUTION, GUESSED_SPEED = 0.8, 1.0
"""First guess of restitution, and the impact speed [m/s] for which a law makes its own."""


class MeasurementFiles(FileKind):
    """Files of which each holds one measurement of one trial.

    Implementing a kind of measurement file: inherit; define ``name``; implement ``recognises`` and
    ``read``; register an instance with ``calibration.studies.FILE_KINDS.register(...)``. Where the
    measurement does not say how the motion begins, define ``nuisances``, or let ``read`` return a
    ``Trial`` with its initial state.

    The scene is the ball of the study on its surface, without air; the laws are those that the
    study names, friction only where it says ``friction = true``.

    Example:
        >>> import calibration as cal
        >>> class Clicks(cal.studies.MeasurementFiles):
        ...     name = "times of clicks"
        ...
        ...     def recognises(self, path, headers):
        ...         return [header.name for header in headers] == ["click"]
        ...
        ...     def read(self, path, options):
        ...         return cal.measurements.read_bounce_times(path, columns={"t": "click"})
        ...
        ...     def nuisances(self, study):
        ...         return (cal.nuisances.FirstImpact(),)
        >>> Clicks().recognises("clicks.csv", [])
        False
    """

    @abc.abstractmethod
    def read(self, path: str, options: ReadingOptions) -> Measurement | Recording | Trial:
        """The measurement in a file, or the trial with everything that is known of it.

        Args:
            path: of the file.
            options: columns, standard deviation and others that the person gave.

        Raises:
            InputError: what is wrong with the file, its line and column, and the remedy.
        """

    def nuisances(self, study: Study) -> tuple[Nuisance, ...]:
        """What is found beside the material constants, in each fit of such files.

        Args:
            study: its files are of this kind.
        """
        return ()

    def free(self, study: Study) -> tuple[str | Free, ...]:
        """Parameters of the scene that are found; by default those of the laws and the surface.

        Args:
            study: its files are of this kind.
        """
        friction = free_of_friction(study) if study.model.friction is True else ()
        return (*free_of_normal_law(study), *friction, *free_of_surface(study))

    def scene(self, study: Study) -> jc.Scene:
        """The scene with starting values.

        Args:
            study: its files are of this kind.
        """
        return jc.Scene(
            bodies=make_ball(study),
            surfaces=make_surfaces(study),
            contact=make_contact(
                study,
                restitution=GUESSED_RESTITUTION,
                speed=GUESSED_SPEED,
                friction=study.model.friction is True,
            ),
            gravity=(0.0, 0.0, -study.model.gravity),
        )

    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """All files with the scene, parameters and nuisances of this kind and of the study."""
        check_known_to_kind(study, self.name, interval=False)
        return make_problem(
            study,
            self.scene(study),
            self._trials(study),
            free=self.free(study),
            nuisance=[*self.nuisances(study), *make_nuisances(study)],
        )

    def _trials(self, study: Study) -> list[Trial]:
        """The trials of all files; those that a kind calls alike have the names of their files."""
        trials = [self.trial(path, study.reading.of(path)) for path in study.files]
        names = [trial.name for trial in trials]
        for trial, path in zip(trials, study.files, strict=True):
            if names.count(trial.name) > 1:
                trial.name = stem_of(path)
            trial.values = dict(sorted({**trial.values, **known_values(study, path)}.items()))
        return trials

    def trial(self, path: str, options: ReadingOptions) -> Trial:
        """The trial of a file."""
        measured = self.read(path, options)
        return measured if isinstance(measured, Trial) else Trial(measured)

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
        """How many values there are of what."""
        trial = self.trial(path, options.of(path))
        scene = jc.Scene(
            bodies=jc.spheres(radius=radius, mass=1.0),
            contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=GUESSED_RESTITUTION)),
            gravity=(0.0, 0.0, -gravity),
        )
        detected = trial.detect(scene)
        remarks = []
        for measurement in trial.measured:
            count = int(np.count_nonzero(np.isfinite(measurement.samples(detected).measured)))
            remarks.append(f"{self.name}: {count} values of {', '.join(measurement.quantities)}")
        return FileReport(path=path, name=name, remarks=tuple(remarks))
