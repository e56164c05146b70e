"""Labels of Audacity: times of sounds.

Layout (manual of Audacity, "Importing and Exporting Labels"): start and end in seconds and a text,
separated by tabs, without a header; a line that begins with a backslash holds frequencies.
"""

from collections.abc import Sequence
from typing import ClassVar

from calibration.errors import InputError
from calibration.io.formats.format import FileFormat, FoundColumns, Line, Mark, number

_TIME = r"-?\d++[.,]\d{6}\t"
_NO_NUMBER = r"(?!-?\d++[.,]\d++\s*+(?:\n|\Z))"
"""A label may be a count, but three columns of decimal numbers are no labels."""

_LINE = rf"(?:{_TIME}{_TIME}{_NO_NUMBER}|\\\t)[^\n]*+(?:\n\s*+|\Z)"


class AudacityLabels(FileFormat):
    """Times at which labels begin."""

    name: ClassVar[str] = "Audacity labels"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark(
            "file of nothing but lines 'start, end, label' in seconds",
            rf"\A\ufeff?(?:{_LINE})++\Z",
        ),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """The times, in their order; labels of a span count from where they begin."""
        labels = [
            (number(cells[0]), number(cells[1]), line.number)
            for line in lines
            if len(cells := line.text.strip("\ufeff").split("\t")) > 1 and cells[0] != "\\"
        ]
        known = sorted((start, end or start, at) for start, end, at in labels if start is not None)
        for start, end, at in known:
            if end < start:
                raise InputError(
                    f"the label ends at {end:g} s, before it begins at {start:g} s",
                    remedy="Export the labels again.",
                    path=path,
                    line=at,
                )
        spans = sum(end > start for start, end, _ in known)
        notes = (f"{spans} labels of a span count from where they begin",) if spans else ()
        return FoundColumns(
            headers=("t (s)",),
            rows=tuple((repr(start),) for start, _, _ in known),
            lines=tuple(at for _, _, at in known),
            header_line=lines[0].number,
            notes=notes,
        )
