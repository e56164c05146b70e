"""A study file that a study begins with."""

import dataclasses
import os
from pathlib import Path

from calibration.errors import InputError
from calibration.io.spin_files import find_recordings
from calibration.studies.study import Study
from calibration.studies.toml import is_study_file, write_study


def begin_study(
    study: Study, out: str | os.PathLike[str], *, force: bool = False, patterns: bool = False
) -> int:
    """Write a study file.

    Args:
        study: files, ball, and how to read and model them.
        out: the study file.
        force: whether it may be replaced.
        patterns: whether patterns and folders are kept, so that later files belong to the study,
            too.

    Returns:
        how many files belong to it.

    Raises:
        InputError: the file exists, is no TOML by its name, or cannot be written.
    """
    if Path(out).exists() and not force:
        raise InputError(
            "the file exists",
            remedy="Name another with --out, or replace it with --force.",
            path=out,
        )
    if not is_study_file(out):
        raise InputError(
            "a study file ends in .toml", remedy="Name one with --out study.toml.", path=out
        )
    paths = tuple(map(str, find_recordings(study.files)))
    write_study(study if patterns else dataclasses.replace(study, files=paths), out, fitted=False)
    return len(paths)
