"""The files that paths, directories and patterns stand for, and distinct names for them."""

import glob
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from calibration.errors import InputError
from calibration.io import spreadsheet
from calibration.io.names import readable_name, stem_of

SUFFIXES = (".csv", ".dat", ".trc", ".tsv", ".txt", *spreadsheet.SUFFIXES)
"""Of what counts as data in a directory."""


def find_files(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Expand directories (their data files) and patterns such as ``drops/*.csv``; every file comes
    once, numbers in natural order.

    Raises:
        InputError: nothing given, a pattern that matches nothing, a directory without data files.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise InputError(
            "no file is given", remedy="Give files, directories or patterns such as 'drops/*.csv'."
        )
    files = [path for each in given for path in _expand(os.path.expanduser(os.fspath(each)))]
    return list({os.path.realpath(path): path for path in files}.values())


def make_distinct_names(paths: Sequence[Path]) -> list[str]:
    """The stems; where some are alike, with the directories in which they differ
    (``table-drop_1``), or else the suffix.
    """
    places = [Path(os.path.realpath(path)) for path in paths]
    names = [stem_of(path) for path in paths]
    for level in range(2, max((len(place.parts) for place in places), default=0) + 1):
        names = _add_prefixes(
            names,
            [
                f"{readable_name(place.parts[-level])}-" if level < len(place.parts) else ""
                for place in places
            ],
        )
    return [
        name + (readable_name(path.suffix) if names.count(name) > 1 else "")
        for name, path in zip(names, paths, strict=True)
    ]


def _add_prefixes(names: list[str], prefixes: list[str]) -> list[str]:
    """Names with their prefixes, for those that are shared while the prefixes of their bearers
    differ.
    """
    bearers: dict[str, set[str]] = {}
    for name, prefix in zip(names, prefixes, strict=True):
        bearers.setdefault(name, set()).add(prefix)
    return [
        prefix + name if len(bearers[name]) > 1 else name
        for name, prefix in zip(names, prefixes, strict=True)
    ]


def _expand(given: str) -> list[Path]:
    if os.path.isdir(given):
        files = [
            path
            for path in Path(given).iterdir()
            if path.suffix.lower() in SUFFIXES and path.is_file()
        ]
        if not files:
            raise InputError(
                "the directory holds no data files",
                remedy=f"Files ending in {', '.join(SUFFIXES)} are looked for.",
                path=given,
            )
    elif os.path.exists(given) or not glob.has_magic(given):
        return [Path(given)]
    else:
        files = [Path(path) for path in glob.glob(given, recursive=True) if os.path.isfile(path)]
        if not files:
            raise InputError(
                "no file matches this pattern",
                remedy="Check the directory and the ending of the files.",
                path=given,
            )
    return sorted(files, key=_natural_order)


def _natural_order(path: Path) -> list[tuple[int, str]]:
    """A key in which digits compare as numbers: ``drop_2`` before ``drop_10``."""
    return [
        (int(part), "") if part.isdigit() else (-1, part)
        for part in re.split(r"([0-9]+)", str(path).lower())
        if part
    ]
