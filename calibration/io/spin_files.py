"""Files of measured spin beside files of positions: ``throw_1_spin.csv`` belongs to
``throw_1.csv``.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from calibration.errors import InputError
from calibration.io.files import SUFFIXES, find_files
from calibration.io.spin_columns import is_spin
from calibration.io.tables import read_table
from calibration.io.trajectory_columns import AXES, identify_quantity

ENDING = "_spin"
"""End of the name of such a file, before its suffix."""


def spin_file_beside(path: str | os.PathLike[str]) -> Path | None:
    """The file of the spins of a recording, where there is one.

    Args:
        path: of the recording.
    """
    place = Path(path)
    for suffix in dict.fromkeys((place.suffix, *SUFFIXES)):
        beside = place.with_name(f"{place.stem}{ENDING}{suffix}")
        if beside.is_file() and _holds_spins(beside):
            return beside
    return None


def find_recordings(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> list[Path]:
    """The files of ``find_files`` without those that hold the spins of others among them."""
    files = find_files(paths)
    attached = {
        os.path.realpath(beside)
        for beside in (spin_file_beside(path) for path in files)
        if beside is not None
    }
    return [path for path in files if os.path.realpath(path) not in attached]


def find_all_files(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files of ``find_files`` and those that hold the spins of any of them."""
    files = find_files(paths)
    beside = [place for path in files if (place := spin_file_beside(path)) is not None]
    return list({os.path.realpath(path): path for path in (*files, *beside)}.values())


def _holds_spins(path: Path) -> bool:
    """Whether a file holds spins at times, and no positions."""
    try:
        headers = [header for header in read_table(path).headers if not header.uncertainty]
    except InputError:
        return False
    quantities = {identify_quantity(header) for header in headers}
    return (
        bool(quantities & {"t", "frame"})
        and not quantities & set(AXES)
        and any(map(is_spin, headers))
    )
