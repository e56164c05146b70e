"""The fit of a study, which goes on where a process left it that was killed."""

import contextlib
import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.errors import InputError
from calibration.io.contents import read_contents
from calibration.io.spin_files import find_all_files, find_recordings
from calibration.runtime.checkpoint_faults import DamagedCheckpoint
from calibration.studies.extensions import extension_files
from calibration.studies.study import Study

if TYPE_CHECKING:
    from calibration.results.result import Fit

CHECKPOINTS = "checkpoints"
"""Folder in that of the results from which a command goes on that was killed."""


def resume_fit(
    study: Study,
    folder: Path,
    *,
    progress: Callable[[str], None],
    told: Callable[[int, float], None] | None = None,
) -> "Fit":
    """Fit a study; finished pieces are kept in ``folder`` until ``forget`` removes them, once what
    follows from the fit is written.

    They are filed under all that the numbers depend on, so that a study with other options, changed
    data or another version of a program begins anew.

    Args:
        study: what to fit.
        folder: of the results.
        progress: called with a sentence at each stage.
        told: the iterations and chi-squared of each minimisation, some iterations at a time.

    Raises:
        InputError: as ``fit_study``; nothing is kept of this study then.
    """
    from calibration.optimise.resumable import checkpoint_minima
    from calibration.studies.pipeline import fit_study

    study = dataclasses.replace(study, files=tuple(map(str, find_recordings(study.files))))
    place = place_of(study, folder, "fit")
    refused = False
    try:
        with checkpoint_minima(place, inputs={}, options={}, told=told):
            return fit_study(study, progress=progress)
    except InputError as error:
        refused = not isinstance(error, DamagedCheckpoint)
        raise
    finally:
        if refused or not any(place.rglob("*.npz")):
            _remove(folder, place)


def place_of(study: Study, folder: Path, work: str) -> Path:
    """Folder of what is finished of a piece of work, filed under all that its numbers depend on:
    the options of the study, its data, and versions of programs.

    Args:
        study: what is asked.
        folder: of the results.
        work: kind of it.
    """
    from calibration.runtime.fingerprint import fingerprint
    from calibration.runtime.versions import installed_versions

    files = find_recordings(study.files)
    study = dataclasses.replace(study, files=tuple(map(str, files)))
    read = [*find_all_files(files), *extension_files(study.extensions)]
    identity = fingerprint(study, [read_contents(path) for path in read], installed_versions())
    return folder / CHECKPOINTS / f"{work}-{identity[:16]}"


def forget(folder: Path) -> None:
    """Remove what was kept of fits, and folders that are empty then."""
    _remove(folder, *(folder / CHECKPOINTS).glob("fit-*"))


def _remove(folder: Path, *kept: Path) -> None:
    for place in kept:
        shutil.rmtree(place, ignore_errors=True)
    for place in (folder / CHECKPOINTS, folder):
        with contextlib.suppress(OSError):  # there is something else in it
            place.rmdir()
