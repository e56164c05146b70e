"""Closest points of a triangle."""

from collections.abc import Iterable

from tests.reference.case import Case, FileKind, ReferenceFile, dispatch


def cases(file: ReferenceFile) -> Iterable[Case]:
    for index in range(len(file.document["cases"])):
        yield from dispatch(file, f"{file.name}[{index}]", "closed_form/triangle geometry", {})


FILE_KINDS = (FileKind("triangle geometry", lambda document: isinstance(document, dict) and {"triangle", "cases"} <= set(document), cases),)
