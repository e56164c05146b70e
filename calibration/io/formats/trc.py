"""Marker positions as TRC, the track row column format of Motion Analysis and OpenSim.

Layout: opensimconfluence.atlassian.net, "Marker (.trc) Files". A line ``PathFileType``, a line of
names of properties and one of their values (``DataRate``, ``Units``), a line with ``Frame#``,
``Time`` and each marker above its three columns, a line ``X1 Y1 Z1``, and the samples. Which axis
points up, the file does not say: Y in OpenSim, Z in most laboratories.
"""

from collections.abc import Sequence
from typing import ClassVar

from calibration.errors import InputError
from calibration.io.formats.format import (
    FileFormat,
    FoundColumns,
    Line,
    Mark,
    body_headers,
    number,
    without_zeros,
)
from calibration.io.headers import parse_unit


class TRC(FileFormat):
    """Positions of markers."""

    name: ClassVar[str] = "TRC"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("line 'PathFileType'", r"\A\ufeff?PathFileType\t"),
        Mark("line 'DataRate'", r"^DataRate\t"),
        Mark("line 'Frame#, Time'", r"^Frame#\t\s*Time"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """Positions of the markers, at the times of the file."""
        cells = [line.text.strip("\r\n").split("\t") for line in lines]
        place = next(i for i, row in enumerate(cells) if row[0].strip() == "DataRate")
        about = dict(
            zip(map(str.strip, cells[place]), map(str.strip, cells[place + 1]), strict=False)
        )
        unit = about.get("Units", "")
        if parse_unit(unit) is None:
            raise InputError(
                f"the unit of length {unit!r} is not known",
                remedy="Write m, cm or mm below 'Units'.",
                path=path,
                line=lines[place + 1].number,
            )
        header = next(i for i, row in enumerate(cells) if row[0].strip() == "Frame#")
        names = [cell.strip() for cell in cells[header][2:] if cell.strip()]
        samples = [i for i in range(header + 1, len(cells)) if number(cells[i][0]) is not None]
        wide = 2 + 3 * len(names)
        rows, zeros = without_zeros(((cells[i] + [""] * wide)[:wide] for i in samples), 2, 3)
        headers, notes = body_headers(dict.fromkeys(names, ("x", "y", "z")), unit)
        if zeros:
            notes = (*notes, f"{zeros} positions at exactly 0, 0, 0 are taken as not seen")
        return FoundColumns(
            headers=("t (s)", *headers),
            rows=tuple(tuple(cell.strip() for cell in row[1:]) for row in rows),
            lines=tuple(lines[i].number for i in samples),
            header_line=lines[header].number,
            vertical="?",
            notes=notes,
        )
