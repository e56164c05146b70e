"""What lies on the page: one study with its recordings, options and results. Nothing here knows how
it is shown.
"""

import dataclasses
import math
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.io.contents import read_contents
from calibration.io.interval import TimeInterval
from calibration.report.exporters import EXPORTERS
from calibration.runtime.prepare_jax import prepare_jax
from calibration.studies.choices.single_files import FROM, UNTIL, check_one_file
from calibration.studies.results_folder import STUDY, default_folder, difference_from_results
from calibration.studies.steps.asked_options import AskedOptions, GivenOptions, ask
from calibration.studies.steps.begun import begin_study
from calibration.studies.steps.inspected import Inspection, inspect_asked
from calibration.studies.steps.results import results_of
from calibration.studies.steps.resumed_fit import resume_fit
from calibration.studies.study import ReadingOptions, Section, Study

if TYPE_CHECKING:
    from calibration.results.result import Fit

RECORDINGS = "recordings"
"""Folder, in that of the study, of the files that were dropped onto the page."""

_BEGINNING = "study-"
"""How the names of the folders begin, which a number ends."""

_ONE_FIT = threading.Lock()
"""What is kept of a fit for the case that it is killed is that of the process."""


@dataclasses.dataclass
class Desk:
    """A study on the page.

    Attributes:
        asked: files, and what is given of each option.
        studies: the folder of new studies.
        folder: of the study file; ``None`` until a new study has its first recording.
        opened: the study file, where it was there before the page; the page does not change it.
        dropped: files that came onto the page, and may go again.
        kept: what the study file holds.
    """

    asked: AskedOptions
    studies: Path
    folder: Path | None = None
    opened: Path | None = None
    dropped: set[Path] = dataclasses.field(default_factory=set)
    kept: AskedOptions | None = None

    @classmethod
    def new(cls, studies: Path) -> "Desk":
        """A study that is still to be begun."""
        return cls(ask((), GivenOptions()), studies)

    @classmethod
    def of(cls, study_file: Path) -> "Desk":
        """A study that was there before the page.

        Raises:
            InputError: as ``read_study``.
        """
        asked = ask((str(study_file),), GivenOptions())
        return cls(asked, study_file.parent, study_file.parent, study_file, kept=asked)

    @classmethod
    def again(cls, studies: Path, name: str) -> "Desk":
        """A study that was begun on the page; a new one where there is none of this name.

        Raises:
            InputError: as ``read_study``.
        """
        if name not in earlier_studies(studies):
            return cls.new(studies)
        folder = studies / name
        asked = ask((str(folder / STUDY),), GivenOptions())
        dropped = {file for file in map(Path, asked.files) if file.parent == folder / RECORDINGS}
        return cls(asked, studies, folder, dropped=dropped, kept=asked)

    @property
    def study_file(self) -> Path:
        """Where the study is written when it is fitted, or where it was read.

        Raises:
            InputError: it has no recording yet.
        """
        if self.folder is None:
            raise InputError("there is no recording", remedy="Drop one onto the page.")
        return self.opened or self.folder / STUDY

    @property
    def results(self) -> Path:
        """Folder of the results."""
        return default_folder(self.study_file)

    @property
    def report(self) -> Path:
        """The page with the answer, the findings and the figures."""
        return self.results / EXPORTERS["page"].filename

    @property
    def fitted_study(self) -> Path:
        """The study file that the fit has written."""
        return self.results / STUDY

    @property
    def has_results(self) -> bool:
        """Whether there are any, of what is asked or of something else."""
        return self.folder is not None and self.report.exists() and self.fitted_study.exists()

    def drop(self, name: str, content: bytes) -> None:
        """Add a recording; one that is there already, to the byte, is there once.

        Args:
            name: of the file.
            content: of the file.

        Raises:
            InputError: the study has another file of this name, or it cannot be written.
        """
        if self.folder is None:
            self.folder = _new_folder(self.studies)
        path = self.folder / RECORDINGS / Path(name).name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
            self.dropped.add(path)
        elif read_contents(path) != content:
            raise InputError(
                "there is a file of this name already",
                remedy="Give the recording another name, or remove the earlier one first.",
                path=path,
            )
        self._set_files(dict.fromkeys((*self.asked.files, str(path))))

    def remove(self, file: str) -> None:
        """Take a recording out of the study; its file goes where it came from this page."""
        self._set_files(dict.fromkeys(one for one in self.asked.files if one != file))
        if Path(file) in self.dropped:
            self.dropped.remove(Path(file))
            Path(file).unlink(missing_ok=True)

    def _set_files(self, files: Mapping[str, None]) -> None:
        self.asked = dataclasses.replace(self.asked, files=tuple(files))

    def set_option(self, section: type[Section], name: str, value: Any) -> None:
        """Give an option, or with ``None`` leave it to its default."""
        given = {key: kept for key, kept in self.asked.sections[section].items() if key != name}
        if value is not None:
            given[name] = value
        self.asked = dataclasses.replace(
            self.asked, sections={**self.asked.sections, section: given}
        )

    def part_of(self, file: str) -> TimeInterval:
        """First and last time of a file that are used [s]."""
        return ReadingOptions(files=self._said_of_files() or None).interval_of(file)

    def said_with_part(self, file: str, part: TimeInterval) -> dict[str, dict[str, Any]]:
        """What is said of single files, with the part of one of them that is to be used.

        Args:
            file: as in ``asked.files``.
            part: first and last time [s], infinite where it has no end.

        Raises:
            InputError: the last time is not after the first.
        """
        alike = [one for one in self.asked.files if Path(one).name == Path(file).name]
        name = Path(file).name if len(alike) == 1 else file
        said = {key: dict(values) for key, values in self._said_of_files().items()}
        own = said.pop(name, {}) | dict(zip((FROM, UNTIL), part, strict=True))
        known = {key: value for key, value in own.items() if value not in (-math.inf, math.inf)}
        if not known:
            return said
        check_one_file(name, known)
        return {**said, name: known}  # the last entry that means a file holds

    def _said_of_files(self) -> Mapping[str, Mapping[str, Any]]:
        return self.asked.sections[ReadingOptions].get("files") or {}

    def inspect(self) -> Inspection:
        """What ``jaxcontact check`` finds in the files.

        Raises:
            InputError: no file, and as ``inspect_asked``.
        """
        if not self.asked.files:
            raise InputError("there is no recording", remedy="Drop one onto the page.")
        return inspect_asked(self.asked)

    def keep(self) -> str | None:
        """Write the study file of a study of the page, unless it holds what is asked.

        Returns:
            the name by which ``again`` finds it; ``None`` where there is nothing to be found: the
            study was opened, or lacks a file or the ball.

        Raises:
            InputError: it cannot be written.
        """
        if self.opened is not None or self.folder is None or not self.asked.files:
            return None
        if self.kept is not self.asked:
            try:
                study = self.asked.study()
            except InputError:
                return None
            self._write(study)
        return self.folder.name

    def _write(self, study: Study) -> None:
        begin_study(study, self.study_file, force=True)
        self.kept = self.asked

    def difference(self) -> str:
        """How what is asked differs from what the results in the folder are of; empty where they
        are its own.
        """
        try:
            return difference_from_results(self.results, self.asked.study())
        except InputError as error:
            return str(error)

    def fit(
        self,
        *,
        progress: Callable[[str], None],
        told: Callable[[int, float], None] | None = None,
        force: bool = False,
    ) -> "Fit":
        """What ``jaxcontact fit`` finds and writes, of one study at a time.

        Args:
            progress: called with a sentence at each stage.
            told: how the search goes, as ``resume_fit`` tells it.
            force: whether results of something else may be replaced, beside a study that was
                opened; a study of the page has a folder of its own.

        Raises:
            InputError: as ``fit_study``, or for the folder of the results.
        """
        study = self.asked.study()
        if self.opened is None:
            self._write(study)
        if _ONE_FIT.locked():
            progress("Waiting for the fit of another tab")
        with _ONE_FIT, results_of(study, self.results, force=force or self.opened is None) as write:
            progress("Starting")
            prepare_jax()
            fit = resume_fit(study, self.results, progress=progress, told=told)
            progress("Writing the results")
            write(fit)
            return fit

    def archive(self) -> tuple[str, bytes]:
        """Name and content of a ZIP file: the study with its recordings, or the results alone where
        a study was opened, whose recordings may be anywhere.
        """
        folder = (self.results if self.opened else self.study_file.parent).resolve()
        with tempfile.TemporaryDirectory() as place:
            path = shutil.make_archive(
                f"{place}/archive", "zip", root_dir=folder.parent, base_dir=folder.name
            )
            return f"{folder.name}.zip", Path(path).read_bytes()


def earlier_studies(studies: Path) -> list[str]:
    """Names of the studies that were begun on the page and checked, the latest first."""
    begun = [path.parent for path in studies.glob(f"{_BEGINNING}*/{STUDY}")]
    return [folder.name for folder in sorted(begun, key=_number, reverse=True)]


def results_of_study(studies: Path, name: str) -> Path:
    """Folder of the results of a study that was begun on the page."""
    return default_folder(studies / name / STUDY)


def _new_folder(studies: Path) -> Path:
    """A folder that no other tab of the browser has."""
    number = 1 + max(map(_number, studies.glob(f"{_BEGINNING}*")), default=0)
    folder = studies / f"{_BEGINNING}{number}"
    folder.mkdir(parents=True)
    return folder


def _number(folder: Path) -> int:
    number = folder.name.removeprefix(_BEGINNING)
    return int(number) if number.isdecimal() else 0
