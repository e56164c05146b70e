"""Tracking data of OptiTrack Motive, as CSV.

Layout: docs.optitrack.com/motive/data-export/data-export-csv. A first line of pairs (format
version, take, rates, length units), then rows that say of each column the type (rigid body,
marker), the name, the ID, the quantity (rotation, position) and the axis. Y is up in Motive unless
the export says otherwise, which the file does not tell.
"""

import csv
from collections.abc import Sequence
from typing import ClassVar

from calibration.errors import InputError
from calibration.io.formats.format import FileFormat, FoundColumns, Line, Mark, body_headers, padded

_UNITS = {"meters": "m", "centimeters": "cm", "millimeters": "mm", "inches": "in"}
_BODY, _MARKER = "rigid body", "marker"


class Motive(FileFormat):
    """Positions of rigid bodies, else of markers."""

    name: ClassVar[str] = "OptiTrack Motive CSV"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("first line with 'Format Version'", r"\A\ufeff?\"?Format Version"),
        Mark("'Length Units' in the first line", r"\A[^\n]*Length Units"),
        Mark("row 'Frame, Time (Seconds), X, Y, Z'", r"^\"?Frame\"?,\"?Time"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """Positions of the rigid bodies, or of the markers where there is none."""
        rows = list(csv.reader(line.text for line in lines))
        start = next(i for i, row in enumerate(rows) if row[0].strip().lower() == "frame")
        about = dict(zip(rows[0][0::2], rows[0][1::2], strict=False))
        said = about.get("Length Units", "").strip()
        unit = _UNITS.get(said.lower())
        if unit is None:
            raise InputError(
                f"the unit of length {said!r} is none that Motive has",
                remedy=f"Export again in {', '.join(_UNITS)}.",
                path=path,
                line=lines[0].number,
            )
        width = len(rows[start])
        above = [padded(row, width) for row in rows[1:start]]
        types = next((row for row in above if {_BODY, _MARKER} & {c.lower() for c in row}), None)
        quantities = next((row for row in above if "Position" in row), None)
        if types is None or quantities is None:
            raise InputError(
                "no column holds the position of a rigid body or a marker",
                remedy="Export rigid bodies or markers, with their positions.",
                path=path,
                line=lines[start].number,
            )
        names = above[above.index(types) + 1]
        found: dict[str, dict[str, int]] = {}
        for kind in (_BODY, _MARKER):
            for column in range(2, width):
                axis = rows[start][column].strip().lower()
                if types[column].lower() == kind and quantities[column] == "Position":
                    found.setdefault(names[column], {})[axis] = column
            if found:
                break
        headers, notes = body_headers({name: tuple(axes) for name, axes in found.items()}, unit)
        columns = [1, *(column for axes in found.values() for column in axes.values())]
        body = [padded(row, width) for row in rows[start + 1 :]]
        return FoundColumns(
            headers=("t (s)", *headers),
            rows=tuple(tuple(row[column] for column in columns) for row in body),
            lines=tuple(line.number for line in lines[start + 1 :]),
            header_line=lines[start].number,
            vertical="y",
            notes=(
                *notes,
                "y is taken as up, as Motive has it; --vertical says otherwise",
            ),
        )
