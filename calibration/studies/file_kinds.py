"""The kinds of data files of this package, and which of all kinds a file is. A new kind is a file
with its class, and a line here.
"""

import os
from collections.abc import Mapping, Sequence

from calibration.errors import InputError
from calibration.io.tables import read_table
from calibration.io.two_bodies import named_headers
from calibration.runtime.registry import Registry
from calibration.studies.collisions import Collisions
from calibration.studies.decays import RollingDecays, SpinDecays
from calibration.studies.file_kind import FileKind
from calibration.studies.forces import ForceTraces
from calibration.studies.sounds import ImpactTimes
from calibration.studies.study import ReadingOptions
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
FILE_KINDS.register(Collisions())
FILE_KINDS.register(RollingDecays())
FILE_KINDS.register(SpinDecays())


def kind_of(path: str | os.PathLike[str], *, columns: Mapping[str, str] | None = None) -> FileKind:
    """The kind of a file; what has no other sign is taken for a trajectory, whose reader says what
    is missing.

    Args:
        path: of the file.
        columns: which header holds what, where a person said so.

    Raises:
        InputError: the file is no table.
    """
    named = named_headers(read_table(path).headers, columns or {})
    headers = [header for header in named if not header.uncertainty]
    for kind in reversed(tuple(FILE_KINDS)):
        if kind.recognises(os.fspath(path), headers):
            return kind
    return TRAJECTORIES


def common_kind(files: Sequence[str], *, reading: ReadingOptions | None = None) -> FileKind:
    """The kind of all files.

    Args:
        files: paths.
        reading: how to read them, where a person said so.

    Raises:
        InputError: they are of different kinds.
    """
    options = reading or ReadingOptions()
    kinds = {path: kind_of(path, columns=options.of(path).columns) for path in files}
    first = kinds[files[0]]
    for path, kind in kinds.items():
        if kind is not first:
            raise InputError(
                f"this is {kind.name}, the first file is {first.name}",
                path=path,
                remedy="Fit them one kind at a time.",
            )
    return first


def check_bodies(
    kind: FileKind,
    path: str,
    *,
    gravity: float,
    partner_radius: float | None,
    disc: bool = False,
    contact: bool = False,
) -> None:
    """Check that a study says of as many bodies as its files are of.

    Args:
        kind: of the files.
        path: of one of them.
        gravity: acceleration of free fall [m/s^2].
        partner_radius: of the other body [m], where it was given.
        disc: whether the bodies are discs.
        contact: whether the contact of another program is named.

    Raises:
        InputError: naming the option, and what to do.
    """
    if kind.bodies == 2:
        if partner_radius is None:
            raise InputError(
                "the file is of two bodies, and nothing is said of the second one",
                remedy="Give --partner-radius 0.03 and --partner-mass 0.12, or a section [partner] "
                "with radius and mass in a study file. Of two balls that bounce without meeting, "
                "fit each by its own columns: --columns t=t,x=x1,y=y1.",
                path=path,
            )
        return
    for given, what in (
        (partner_radius is not None, "the radius of another body is given"),
        (contact, "the contact of another program, which is between two bodies, is named"),
        (disc and not kind.discs, "disc is said of a puck that meets another one"),
        (gravity == 0, "gravity = 0 is of two bodies that slide on a level table"),
    ):
        if given:
            raise InputError(
                f"{what}, but this is {kind.name}, of one ball",
                remedy="Number the columns of two bodies, as in t, x1, y1, x2, y2, or leave the "
                "option out.",
                path=path,
            )
