"""What the verbs that go on from a fit share: the study file, the fit, its folder, and the files
they leave there.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibration.cli.application import print_lines
from calibration.cli.exit_status import status_of
from calibration.cli.options import RESULT, flag
from calibration.errors import InputError
from calibration.io.atomic import write_atomically
from calibration.io.names import text_bytes
from calibration.runtime.prepare_jax import prepare_jax
from calibration.runtime.progress import Progress
from calibration.studies.results_folder import check_folder, default_folder, hold_folder
from calibration.studies.steps.asked_options import GivenOptions, ask, study_file
from calibration.studies.steps.resumed_fit import forget, place_of, resume_fit
from calibration.studies.study import Study

if TYPE_CHECKING:
    from calibration.results.result import Fit

StudyFile = Annotated[
    str,
    typer.Argument(
        metavar="STUDY",
        help="A study file: result/study.toml of a fit, or one from jaxcontact init.",
        show_default=False,
    ),
]
Out = Annotated[
    str | None,
    flag(
        "--out",
        "Folder for the results. [default: that of the fit, else result beside the study file]",
        RESULT,
        "FOLDER",
    ),
]


@contextlib.contextmanager
def asked_for(
    path: str, given: GivenOptions, out: str | None, *, force: bool = False
) -> Iterator[tuple[Study, Path]]:
    """The study and the folder of its results, in which no other command works meanwhile.

    Args:
        path: of the study file.
        given: options that come before those of the study file.
        out: the folder, if it was named.
        force: whether anything in the folder may be replaced.

    Raises:
        InputError: no study file; a folder with results of something else, or in which another
            command is at work.
    """
    if study_file([path]) is None:
        raise InputError(
            "this is not a study file",
            remedy="Give the study.toml that jaxcontact fit left in its folder, or one from "
            "jaxcontact init.",
            path=path,
        )
    study = ask([path], given).study()
    folder = Path(out).expanduser() if out else default_folder(path)
    with hold_folder(folder):
        check_folder(folder, study, force=force)
        yield study, folder
        forget(folder)


def fitted(study: Study, folder: Path, say: Progress) -> "Fit":
    """The fit of a study, made again: it is deterministic."""
    say("Starting")
    prepare_jax()
    return resume_fit(study, folder, progress=say)


def check_names(study: Study, names: Sequence[str] | None, *, option: str, say: Progress) -> None:
    """Before the fit: raise for names that none of its parameters will have.

    Args:
        study: to be fitted.
        names: that were given in the option, if any.
        option: with its section.
        say: progress.
    """
    if names is not None:
        say("Starting")
        prepare_jax()
        from calibration.studies.pipeline import check_parameters

        check_parameters(study, names, option=option)


def checkpoint_of(study: Study, folder: Path, work: str) -> Path:
    """Where a piece of long work keeps what is finished: that of other options or data is other
    work, which neither goes on from it nor is refused because of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return place_of(study, folder, work)


def with_doubt(fit: "Fit", text: str) -> str:
    """The findings that go on from a fit, below the doubt about it, where there is one: what
    follows from a wrong minimum or model is as wrong.
    """
    if fit.doubt is None:
        return text
    why = f" {fit.warnings[0]}" if fit.warnings else ""
    return (
        f"The fit that this goes on from is {fit.doubt.value}: nothing below is to be believed."
        f"{why}\n\n{text}"
    )


def report_findings(
    fit: "Fit",
    folder: Path,
    name: str,
    *,
    text: str,
    numbers: Mapping[str, Any],
    others: Callable[[], Mapping[str, bytes]] = dict,
) -> int:
    """Print and write what goes on from a fit, below the doubt about it, and return the exit status
    of the fit.

    Args:
        fit: that it goes on from.
        folder: where to.
        name: of the text and the numbers.
        text: what was found.
        numbers: for other programs.
        others: makes further files, once the text is printed, so that it is not lost with them.

    Raises:
        InputError: naming what could not be written.
    """
    text = with_doubt(fit, text)
    print_lines(text)
    numbers = {**numbers, "doubt": fit.doubt}
    write_findings(folder, name, text=text, numbers=numbers, others=others())
    return status_of(fit)


def write_findings(
    folder: Path,
    name: str,
    *,
    text: str,
    numbers: dict[str, Any],
    others: Mapping[str, bytes] | None = None,
) -> None:
    """Write what a command has found and printed, each file as a whole or not at all, and say so.

    Args:
        folder: where to; it is made when it does not exist.
        name: of the text and the numbers, ``NAME.txt`` and ``NAME.json``.
        text: as it was printed.
        numbers: for other programs.
        others: contents of further files, by name and ending.

    Raises:
        InputError: naming what could not be written; the others are.
    """
    from calibration.report.json import json_bytes

    files = {f"{name}.txt": text_bytes(f"{text}\n"), f"{name}.json": json_bytes(numbers)}
    files |= others or {}
    failed: dict[str, str] = {}
    for name, content in files.items():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / name, content)
        except (OSError, InputError) as error:
            reason = error.problem if isinstance(error, InputError) else error.strerror
            failed[name] = reason or str(error)
    written = [os.fspath(folder / name) for name in files if name not in failed]
    if written:
        print_lines("", f"Results: {', '.join(written)}")
    if failed:
        reasons = ", ".join(dict.fromkeys(failed.values()))
        raise InputError(
            f"{', '.join(failed)} cannot be written here ({reasons})",
            remedy="What was found is printed above. Make room, or name another folder with --out.",
            path=folder,
        )
