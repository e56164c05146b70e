"""The folder of results of a fit: what may be replaced in it, and writing all of it or nothing."""

import contextlib
import dataclasses
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.errors import InputError
from calibration.io.atomic import UNFINISHED, write_atomically
from calibration.io.files import find_files
from calibration.io.folder_lock import FolderLock
from calibration.io.names import readable_name
from calibration.report.exporter import ExportContext, Exporter
from calibration.report.exporters import EXPORTERS
from calibration.studies.option import as_toml
from calibration.studies.study import SECTIONS, Study
from calibration.studies.toml import ChangedData, made_by_fit, read_study, study_text

if TYPE_CHECKING:
    from calibration.results.result import Fit

STUDY = "study.toml"
"""The study file in a folder of results."""

STAGE = ".writing-"
"""How the folder begins in which results are written before they take their places."""


def default_folder(study_file: str | os.PathLike[str] | None) -> Path:
    """``result``; for a study file ``result`` beside it, or its own folder when it is itself part
    of a result.
    """
    if study_file is None:
        return Path("result")
    beside = Path(study_file).parent
    return (
        beside if Path(study_file).name == STUDY and made_by_fit(study_file) else beside / "result"
    )


@contextlib.contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """While a command works in a folder of results, no other one does: it would remove what this
    one keeps there.

    Args:
        folder: is made when it does not exist, and removed again when nothing is left in it.

    Raises:
        InputError: another command is at work there, or the folder cannot be written to.
    """
    check_writable(folder)
    with FolderLock(folder, remedy="Wait until it has ended, or name another folder with --out."):
        _remove_unfinished(folder)
        yield


def _remove_unfinished(folder: Path) -> None:
    """Remove what a command left that was killed while it wrote."""
    for stage in folder.glob(f"{STAGE}*"):
        shutil.rmtree(stage, ignore_errors=True)
    for part in folder.glob(f".*{UNFINISHED}"):
        if part.is_file():
            part.unlink(missing_ok=True)


def check_folder(folder: Path, study: Study, *, force: bool = False) -> None:
    """Before a fit: raise where its results could not be written, or would replace something else
    than earlier results of this study.

    It is the same study when the ball and all options are the same, and the earlier files, as far
    as they still exist, are among those of now: a recording may be added, changed or deleted, but a
    fit of one drop does not replace a fit of all.

    Raises:
        InputError: with what stands there, and the remedy; an exporter that does not exist.
    """
    check_writable(folder)
    files = [*(exporter.filename for exporter in chosen_exporters(study)), STUDY]
    existing = [name for name in files if (folder / name).exists()]
    if not existing or force:
        return
    difference = _difference(folder / STUDY, study)
    if difference:
        remedy = "Name another folder with --out, or replace them with --force."
        raise InputError(
            f"the folder holds {', '.join(existing)} of something else: {difference}",
            remedy=remedy,
            path=folder,
        )


def difference_from_results(folder: Path, study: Study) -> str:
    """How a study differs from that of the results in a folder, which are then not its own: in the
    ball, in an option, in the files or in what stands in them; empty where it is the same.

    Args:
        folder: of the results.
        study: as it is asked now.
    """
    path = folder / STUDY
    difference = _difference(path, study)
    if difference:
        return difference
    with warnings.catch_warnings(record=True) as changed:
        warnings.simplefilter("always", ChangedData)
        earlier = read_study(path)
    added = sorted(_existing(study) - _existing(earlier))
    if added:
        return f"{os.path.relpath(added[0])} was not fitted"
    return next((str(one.message) for one in changed if one.category is ChangedData), "")


def chosen_exporters(study: Study) -> tuple[Exporter, ...]:
    """The exporters that write the results of a study: those that always do, and those it names.

    Raises:
        InputError: a name that no exporter has.
    """
    chosen = {EXPORTERS[name].name for name in study.export.exporters or ()}
    return tuple(item for item in EXPORTERS if item.always or item.name in chosen)


def write_results(
    fit: "Fit",
    study: Study,
    folder: Path,
    *,
    inputs: Iterable[str | os.PathLike[str]] | Mapping[str, str],
) -> tuple[Path, ...]:
    r"""Write ``study.toml`` and the file of each exporter: all, or after an error none.

    Args:
        fit: what was found.
        study: what was asked.
        folder: where to; it is made when it does not exist.
        inputs: the data files that were read, with their fingerprints where those were taken when
            they were read (``fingerprint_files``).

    Raises:
        InputError: the folder cannot be written to.

    Example:
        >>> import pathlib, tempfile
        >>> import calibration as cal
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "clicks.csv").write_text("t [s]\n0.000\n0.350\n0.665\n0.9485\n")
        >>> study = cal.studies.Study(
        ...     files=[folder / "clicks.csv"], ball=cal.studies.Ball(radius=0.02, mass=0.0027)
        ... )
        >>> restitution = cal.Estimate(
        ...     name="contact.normal.restitution",
        ...     label="restitution",
        ...     symbol="e",
        ...     unit="-",
        ...     value=0.905,
        ...     sd=0.006,
        ...     start=0.8,
        ...     status=cal.Determination.DETERMINED,
        ... )
        >>> fit = cal.Fit(parameters={restitution.name: restitution}, chi2=1.5, dof=3)
        >>> files = cal.studies.write_results(
        ...     fit, study, folder / "result", inputs=study.files
        ... )
        >>> [file.name for file in files]
        ['fit.json', 'fit.png', 'report.html', 'study.toml']
    """
    exporters = chosen_exporters(study)
    names = [*(exporter.filename for exporter in exporters), STUDY]
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=STAGE) as place:
            stage = Path(place)
            text = study_text(study, folder=folder, inputs=inputs, remarks=parameters_of(fit))
            context = ExportContext(title=title_of(study), study=text)
            for exporter in exporters:
                path = stage / exporter.filename
                exporter.write(fit, path, context=context)
                written = {**context.written, exporter.name: path}
                context = dataclasses.replace(context, written=written)
            write_atomically(stage / STUDY, text.encode())
            return tuple((stage / name).replace(folder / name) for name in names)
    except OSError as error:
        raise InputError(
            f"{', '.join(names)} cannot be written here ({error.strerror or error})",
            remedy="Make room, or name another folder with --out.",
            path=folder,
        ) from error
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it holds the results
                folder.rmdir()


def parameters_of(fit: "Fit") -> Iterable[str]:
    """What the study file of a fit says of its parameters; nothing of a fit without a problem."""
    if fit.problem is None:
        return ()
    from calibration.studies.asked.listing import list_parameters  # imports JAX

    return list_parameters(fit.problem)


def title_of(study: Study) -> str:
    """``Fit of drop_0.csv``, ``Fit of 6 files, drop_0.csv to throw_5.csv``."""
    names = [readable_name(Path(file).name) for file in study.files]
    if len(names) == 1:
        return f"Fit of {names[0]}"
    return f"Fit of {len(names)} files, {names[0]} to {names[-1]}"


def check_writable(folder: Path) -> None:
    """Raise where results could not be written.

    Args:
        folder: where to; it need not exist.

    Raises:
        InputError: with the reason.
    """
    existing = next(
        path for path in (folder.absolute(), *folder.absolute().parents) if path.exists()
    )
    if not existing.is_dir():
        raise _not_writable(folder, f"{existing} is a file")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise _not_writable(folder, "permission denied")


def _not_writable(folder: Path, reason: str) -> InputError:
    return InputError(
        f"the results cannot be written here ({reason})",
        remedy="Name another folder with --out.",
        path=folder,
    )


def _difference(path: Path, study: Study) -> str:
    """How the study that led to earlier results differs from this one; empty when it is the
    same.
    """
    if not made_by_fit(path):
        return (
            f"{path.name} that a fit writes is missing"
            if not path.exists()
            else f"{path.name} was not written by a fit"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that data have changed is a reason to fit them again
            earlier = read_study(path)
    except InputError as error:
        return error.problem
    for section in (cls.section for cls in SECTIONS):
        now, then = getattr(study, section), getattr(earlier, section)
        if now is None or then is None:
            if now is not then:
                return f"{section} was {'given' if now is None else 'not given'}"
            continue
        for name, value in vars(now).items():
            before = vars(then)[name]
            if before != value:
                return f"{name} was {_shown(before)} and is {_shown(value)}"
    lacking = sorted(_existing(earlier) - _existing(study))
    return f"{os.path.relpath(lacking[0])} was fitted, too" if lacking else ""


def _shown(value: Any) -> str:
    return "not given" if value is None else as_toml(value)


def _existing(study: Study) -> set[str]:
    found = set()
    for given in study.files:
        try:
            found |= {os.path.realpath(path) for path in find_files(given) if path.exists()}
        except InputError:  # a pattern that matches nothing any more
            continue
    return found
