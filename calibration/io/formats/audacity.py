"""Labels of Audacity: times of sounds.

Layout (manual of Audacity, "Importing and Exporting Labels"): start and end in seconds and a text,
separated by tabs, without a header; a line that begins with a backslash holds frequencies.
"""

from collections.abc import Sequence
from typing import ClassVar

from calibration.io.formats.format import FileFormat, FoundColumns, Line, Mark, number

_LABEL = r"[ \t]*-?\d+[.,]\d+\t-?\d+[.,]\d+(?:\t[^\n]*)?"


class AudacityLabels(FileFormat):
    """Times at which labels begin."""

    name: ClassVar[str] = "Audacity labels"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark(
            "file of nothing but lines 'start, end, label' in seconds",
            rf"\A\ufeff?(?:(?:{_LABEL}|\\\t[^\n]*)\r?(?:\n|\Z)\s*)+\Z",
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
        spans = sum(end > start for start, end, _ in known)
        notes = (f"{spans} labels of a span count from where they begin",) if spans else ()
        return FoundColumns(
            headers=("t (s)",),
            rows=tuple((repr(start),) for start, _, _ in known),
            lines=tuple(at for _, _, at in known),
            header_line=lines[0].number,
            notes=notes,
        )
