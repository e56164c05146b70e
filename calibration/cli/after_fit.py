"""What the verbs that go on from a fit share: the study file, the fit, its folder, and the files
they leave there.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calibration.cli.app import prepare_jax, print_lines
from calibration.cli.cached_fit import CHECKPOINTS, resume_fit
from calibration.cli.options import RESULT, GivenOptions, ask, flag, study_file
from calibration.errors import InputError
from calibration.runtime.progress import Progress
from calibration.studies.results_folder import check_folder, default_folder
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


def asked_for(
    path: str, given: GivenOptions, out: str | None, *, force: bool = False
) -> tuple[Study, Path]:
    """The study and the folder of its results.

    Args:
        path: of the study file.
        given: options that come before those of the study file.
        out: the folder, if it was named.
        force: whether anything in the folder may be replaced.

    Raises:
        InputError: no study file; a folder with results of something else.
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
    check_folder(folder, study, force=force)
    return study, folder


def fitted(study: Study, folder: Path, say: Progress) -> "Fit":
    """The fit of a study, made again: it is deterministic."""
    say("Starting")
    prepare_jax()
    return resume_fit(study, folder, progress=say)


def checkpoint_of(folder: Path, work: str) -> Path:
    """Where a piece of long work keeps what is finished."""
    folder.mkdir(parents=True, exist_ok=True)
    return folder / CHECKPOINTS / work


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


def write_findings(
    folder: Path, name: str, *, text: str, numbers: dict[str, Any], figure: bytes | None = None
) -> None:
    """Write ``NAME.txt``, ``NAME.json`` and, where there is one, ``NAME.png``, and say so."""
    from calibration.io.atomic import write_atomically
    from calibration.report.json import json_bytes

    folder.mkdir(parents=True, exist_ok=True)
    written = {f"{name}.txt": f"{text}\n".encode(), f"{name}.json": json_bytes(numbers)}
    written |= {} if figure is None else {f"{name}.png": figure}
    for file, content in written.items():
        write_atomically(folder / file, content)
    print_lines("", f"Results: {', '.join(os.fspath(folder / file) for file in written)}")
