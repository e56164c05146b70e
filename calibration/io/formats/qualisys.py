"""Marker positions of Qualisys Track Manager, exported as TSV.

Layout (QTM manual, TSV export): lines of a keyword and its values, ``NO_OF_FRAMES``, ``FREQUENCY``,
``DATA_INCLUDED 3D``, ``MARKER_NAMES`` and others, perhaps a line of column names, then the samples,
with frame and time before them where the export was asked for these. Positions are in mm, Z is up;
a marker that was not seen is empty or at 0, 0, 0.
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


class Qualisys(FileFormat):
    """Positions of markers."""

    name: ClassVar[str] = "Qualisys TSV"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("line 'FREQUENCY'", r"^\ufeff?FREQUENCY\t"),
        Mark("line 'DATA_INCLUDED'", r"^DATA_INCLUDED\t"),
        Mark("line 'MARKER_NAMES'", r"^MARKER_NAMES\t"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """Positions of the markers; times from the file, else from its frequency."""
        cells = [line.text.strip("\ufeff\r\n").split("\t") for line in lines]
        said = {row[0].strip().upper(): [c.strip() for c in row[1:] if c.strip()] for row in cells}
        names = said["MARKER_NAMES"]
        rate = number((said.get("FREQUENCY") or [""])[0])
        included = " ".join(said.get("DATA_INCLUDED", []))
        if "3D" not in included.upper() or rate is None or rate <= 0:
            raise InputError(
                f"the file holds {included or 'nothing'}, not positions of markers at a frequency",
                remedy="Export 3D data as TSV.",
                path=path,
                line=lines[0].number,
            )
        header = next(i for i, row in enumerate(cells) if row[0].strip() == "MARKER_NAMES")
        samples = [
            i
            for i in range(header + 1, len(cells))
            if any(number(cell) is not None for cell in cells[i])
            and all(number(cell) is not None or not cell.strip() for cell in cells[i])
        ]
        wide = 3 * len(names)
        before = max(len(cells[i]) - (not cells[i][-1].strip()) - wide for i in samples)
        rows, zeros = without_zeros(
            ((cells[i] + [""] * (before + wide))[: before + wide] for i in samples), before, 3
        )
        headers, notes = body_headers(dict.fromkeys(names, ("x", "y", "z")), "mm")
        times = [row[1] if before >= 2 else repr(place / rate) for place, row in enumerate(rows)]
        if before < 2:
            notes = (*notes, f"times from the frequency in the file, {rate:g} Hz")
        if zeros:
            notes = (*notes, f"{zeros} positions at exactly 0, 0, 0 are taken as not seen")
        return FoundColumns(
            headers=("t (s)", *headers),
            rows=tuple((time, *row[before:]) for time, row in zip(times, rows, strict=True)),
            lines=tuple(lines[i].number for i in samples),
            header_line=lines[header].number,
            vertical="z",
            notes=notes,
        )
