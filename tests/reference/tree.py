"""The tests in a tree of reference files."""

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.reference import closed_form, exudyn
from tests.reference.case import Case, ReferenceFile, failing, skipped
from tests.reference.equations import kinds as equations
from tests.reference.published import kinds as published

DIRECTORIES = {
    "exudyn": exudyn.FILE_KINDS,
    "equations": equations.FILE_KINDS,
    "closed_form": closed_form.FILE_KINDS,
    "published": published.FILE_KINDS,
}
TEXT = {".md", ".txt", ".rst"}


def read(path: Path) -> Any:
    """A JSON document, or the rows of a CSV file without its comments."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    if path.suffix == ".csv":
        lines = [
            line
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.strip() and not line.startswith("#")
        ]
        return list(csv.reader(lines))
    raise ValueError(f"{path.suffix or 'no suffix'} is neither .json nor .csv")


def files_below(directory: Path) -> Iterator[Path]:
    """Everything that should be a reference file."""
    for path in sorted(directory.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(directory).parts)
        if path.is_file() and path.suffix not in TEXT and not hidden:
            yield path


def cases_of_directory(root: Path, directory: str) -> Iterator[Case]:
    """The cases of all files below ``root/directory``, and one skipped test for each kind of file
    that is absent.
    """
    kinds = DIRECTORIES[directory]
    if not (root / directory).is_dir():
        yield skipped(directory, f"{root} has no directory {directory}")
        return
    documents, suggestions = {}, {}
    for path in files_below(root / directory):
        try:
            documents[path] = read(path)
        except ValueError as error:
            yield failing(path.relative_to(root).as_posix(), f"{path} cannot be read: {error}")
            continue
        if exudyn.is_manifest(documents[path]):
            suggestions.update(documents[path])
    found = set()
    for path, document in documents.items():
        name = path.relative_to(root).with_suffix("").as_posix()
        file = ReferenceFile(path, name, document, suggestions.get(path.name, {}))
        kind = next((kind for kind in kinds if kind.matches(document)), None)
        if kind is None:
            known = ", ".join(kind.name for kind in kinds)
            yield failing(name, f"{path}: unknown kind of file in {directory}/. Known: {known}.")
            continue
        found.add(kind.name)
        try:
            yield from kind.cases(file)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            yield failing(
                f"{name}/malformed",
                f"{path} is not what a file of the kind {kind.name!r} should be: {error!r}",
            )
    for kind in kinds:
        if kind.name not in found:
            yield skipped(
                f"{directory}/{kind.name}",
                f"{root / directory} has no file of the kind {kind.name!r}",
            )


def all_cases(root: Path) -> Iterable[Case]:
    """Every case of the tree. A file that nobody would read fails, too."""
    for directory in DIRECTORIES:
        yield from cases_of_directory(root, directory)
    for path in files_below(root):
        directory = path.relative_to(root).parts[0]
        if directory not in DIRECTORIES and path.suffix in {".json", ".csv"}:
            name = path.relative_to(root).as_posix()
            yield failing(
                name,
                f"{path} is in none of the directories of reference files: "
                f"{', '.join(DIRECTORIES)}.",
            )
