"""Trajectories of Kinovea, exported as CSV or as text for Gnuplot.

Layout (github.com/Kinovea/Kinovea, ``ExporterCSV`` and ``ExporterTXTTrajectory``): as CSV a column
``Time`` and of each point ``Trajectory 1/0/X`` and ``/Y``; as text two lines of comment, then a
block of lines ``T X Y`` for each trajectory below its name. ``y`` points up. Units stand nowhere.
"""

import csv
import itertools
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
    padded,
)

_NOTE = "times are taken as seconds, lengths as metres, since Kinovea writes no units; y is up"


class KinoveaCSV(FileFormat):
    """All points in one table."""

    name: ClassVar[str] = "Kinovea CSV"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("first column 'Time'", r"\A\ufeff?\"?Time\"?[,;]"),
        Mark("column '.../X' of a point", r"\A[^\n]*/[^\n/]*/X\"?[,;]"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """A column pair for each point."""
        separator = max(";,", key=lines[0].text.count)
        header, *rows = csv.reader((line.text for line in lines), delimiter=separator)
        points = [name.rpartition("/")[0] for name in header[1:] if name.endswith("/X")]
        headers, notes = body_headers(dict.fromkeys(points, ("x", "y")))
        return FoundColumns(
            headers=("t", *headers),
            rows=tuple(tuple(padded(row, 1 + 2 * len(points))) for row in rows),
            lines=tuple(line.number for line in lines[1:]),
            header_line=lines[0].number,
            vertical="y",
            notes=(*notes, _NOTE),
        )


class KinoveaText(FileFormat):
    """One trajectory below the other."""

    name: ClassVar[str] = "Kinovea text"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("first line '#Kinovea Trajectory data export'", r"\A\ufeff?#Kinovea Trajectory"),
        Mark("line '#T X Y'", r"^#T X Y"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """The only trajectory."""
        samples = [line for line in lines if not line.text.startswith("#")]
        rows = [tuple(line.text.split()) for line in samples]
        times = [number(row[0]) or 0.0 for row in rows]
        if any(after <= before for before, after in itertools.pairwise(times)):
            raise InputError(
                "the file holds several trajectories",
                remedy="Export one trajectory, or all of them as CSV.",
                path=path,
            )
        return FoundColumns(
            headers=("t", "x", "y"),
            rows=tuple(row[:3] for row in rows),
            lines=tuple(line.number for line in samples),
            header_line=lines[0].number,
            vertical="y",
            notes=(_NOTE,),
        )
