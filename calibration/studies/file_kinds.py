"""The kinds of data files of this package, and which of all kinds a file is. A new kind is a file
with its class, and a line here.
"""

import os
from collections.abc import Sequence

from calibration.errors import InputError
from calibration.io.tables import read_table
from calibration.runtime.registry import Registry
from calibration.studies.file_kind import FileKind
from calibration.studies.forces import ForceTraces
from calibration.studies.sounds import ImpactTimes
from calibration.studies.tables import ImpactTables
from calibration.studies.trajectories import Trajectories

FILE_KINDS: Registry[FileKind] = Registry(FileKind, "kind of file")  # type: ignore[type-abstract]
"""All kinds by name; the one that was registered last is asked first whether a file is of it.

Example:
    >>> import calibration as cal
    >>> "a trajectory" in cal.studies.FILE_KINDS
    True
"""

TRAJECTORIES = Trajectories()

FILE_KINDS.register(ImpactTimes())
FILE_KINDS.register(ForceTraces())
FILE_KINDS.register(ImpactTables())
FILE_KINDS.register(TRAJECTORIES)


def kind_of(path: str | os.PathLike[str]) -> FileKind:
    """The kind of a file; what has no other sign is taken for a trajectory, whose reader says what
    is missing.

    Raises:
        InputError: the file is no table.
    """
    headers = [header for header in read_table(path).headers if not header.uncertainty]
    for kind in reversed(tuple(FILE_KINDS)):
        if kind.recognises(os.fspath(path), headers):
            return kind
    return TRAJECTORIES


def common_kind(files: Sequence[str]) -> FileKind:
    """The kind of all files.

    Raises:
        InputError: they are of different kinds.
    """
    kinds = {path: kind_of(path) for path in files}
    first = kinds[files[0]]
    for path, kind in kinds.items():
        if kind is not first:
            raise InputError(
                f"this is {kind.name}, the first file is {first.name}",
                path=path,
                remedy="Fit them one kind at a time.",
            )
    return first
