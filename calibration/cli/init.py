"""``jaxcontact init``."""

import dataclasses
import os
from pathlib import Path
from typing import Annotated

from calibration.cli.app import app, print_lines
from calibration.cli.options import (
    FLAG,
    RESULT,
    STUDY,
    Files,
    Force,
    GivenOptions,
    ask,
    flag,
    verb,
)
from calibration.errors import InputError
from calibration.io.spin_files import find_recordings


@verb(
    app,
    "jaxcontact init drops/*.csv --radius 0.02 --mass 0.0027 --shell",
    "jaxcontact init sounds/*.csv --radius 0.02 --mass 0.0027 --out clicks.toml",
    study_options=STUDY,
)
def init(
    files: Files,
    given: GivenOptions,
    out: Annotated[
        str, flag("--out", "The study file.", RESULT, "FILE", show_default=True)
    ] = "study.toml",
    force: Force = False,
    patterns: Annotated[
        bool,
        flag(
            "--patterns",
            "Keep patterns and folders, so that later files belong to the study, too.",
            RESULT,
            FLAG,
        ),
    ] = False,
) -> None:
    """Write a study file: which data, which ball, and every option with its meaning, to be edited
    by hand.

    The data are looked at with jaxcontact check study.toml and fitted with jaxcontact fit
    study.toml.
    """
    from calibration.studies.toml import write_study  # what reads and writes TOML

    study = ask(files, given).study()
    if Path(out).exists() and not force:
        raise InputError(
            "the file exists",
            remedy="Name another with --out, or replace it with --force.",
            path=out,
        )
    if Path(out).suffix.lower() != ".toml":
        raise InputError(
            "a study file ends in .toml", remedy="Name one with --out study.toml.", path=out
        )
    paths = tuple(map(str, find_recordings(study.files)))
    write_study(study if patterns else dataclasses.replace(study, files=paths), out, fitted=False)
    shown = os.fspath(out)
    print_lines(
        f"{len(paths)} file{'' if len(paths) == 1 else 's'}: {shown}",
        f"Next: jaxcontact check {shown}",
    )
