"""A kind of data file: the interface through which a study recognises, reads and fits it."""

import abc
import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

import jax

from calibration.errors import InputError
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import report
from calibration.fitting.follow import find_minimum
from calibration.fitting.solve import settle_weights
from calibration.io.headers import Header
from calibration.problem.problem import Problem
from calibration.results.result import Fit
from calibration.studies.file_report import FileReport
from calibration.studies.study import ReadingOptions, Study

Say = Callable[[str], None]
"""Is called with a sentence at each stage of a fit."""


class FileKind(abc.ABC):
    """A kind of data file.

    Implementing a kind of file: inherit; define ``name``; implement ``recognises``, ``problem`` and
    ``inspect``; register an instance with ``calibration.studies.FILE_KINDS.register(...)``. For a
    measurement of which each file holds one trial, inherit from ``MeasurementFiles`` instead, which
    needs less.

    Attributes:
        name: what such a file is, in words that complete "this is".
        comparable: whether laws of restitution can be compared on such files.
        bodies: how many bodies such a file is of, 1 or 2.
        discs: whether its one body may be a disc.
        added: names of shared parameters that ``fit`` may find beside those of ``problem``.

    Example:
        >>> import calibration as cal
        >>> [kind.name for kind in cal.studies.FILE_KINDS if kind.comparable]
        ['times of impacts', 'a table of impacts', 'a trajectory', 'a recording of two bodies']
    """

    name: ClassVar[str]
    comparable: ClassVar[bool] = False
    bodies: ClassVar[int] = 1
    discs: ClassVar[bool] = False
    added: ClassVar[tuple[str, ...]] = ()

    @abc.abstractmethod
    def recognises(self, path: str, headers: Sequence[Header]) -> bool:
        """Whether a file is of this kind. The kind that was registered last is asked first.

        Args:
            path: of the file.
            headers: of its columns, without those of uncertainties.
        """

    @abc.abstractmethod
    def problem(self, study: Study, reports: Sequence[FileReport] = ()) -> Problem:
        """What a fit of the study minimises first.

        Args:
            study: its files are of this kind.
            reports: of an inspection of the same files, whose data need not be read again.
        """

    @abc.abstractmethod
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
        """What is in a file.

        Args:
            path: of the file.
            name: what it is called in tables.
            radius: of the ball [m].
            options: how to read it.
            gravity: acceleration of free fall [m/s^2].
            partner_radius: of the other body [m], where the file is of two.

        Raises:
            InputError: what is wrong with the file.
        """

    def fit(self, study: Study, *, progress: Say) -> Fit:
        """Fit the files of a study; by default the minimum of ``problem``.

        Args:
            study: its files are of this kind.
            progress: is called with a sentence at each stage.
        """
        began = time.perf_counter()
        with jax.enable_x64(True):
            progress(f"Fitting {len(study.files)} file{'s' if len(study.files) != 1 else ''}")
            problem = self.problem(study)
            problem, assessment = find_minimum(
                problem, method=study.fit.method, steps=study.fit.steps, start={}, progress=None
            )
            problem, assessment = settle_weights(
                problem, assessment, method=study.fit.method, steps=study.fit.steps
            )
            return report(
                problem,
                assessment,
                estimate_shared(assessment),
                method=study.fit.method,
                seconds=time.perf_counter() - began,
            )

    def problems(self, study: Study, laws: Sequence[str]) -> dict[str, Problem]:
        """One problem for each law of restitution, on the same data.

        Args:
            study: its files are of this kind.
            laws: names of the laws.

        Raises:
            InputError: laws cannot be compared on such files.
        """
        if not self.comparable:
            raise InputError(
                "laws of restitution are compared on trajectories, times and tables of impacts; "
                f"{study.files[0]} is {self.name}"
            )
        if study.contact.given:
            raise InputError(
                "laws of restitution are compared, but this study names the whole contact, "
                f"{study.contact.model}",
                remedy="Leave the contact out; to compare contacts of programs, fit each and "
                "compare chi2/dof.",
                path=study.files[0],
            )
        return {law: self.problem(with_restitution_law(study, law)) for law in laws}


def with_restitution_law(study: Study, law: str) -> Study:
    """The study with another law of restitution."""
    model = dataclasses.replace(study.model, restitution_law=law)
    return dataclasses.replace(study, model=model)
