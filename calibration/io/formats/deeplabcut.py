"""Predictions of DeepLabCut, as CSV.

Layout (deeplabcut.github.io, "Standard DeepLabCut user guide"): rows ``scorer``, ``individuals``
(of several animals), ``bodyparts`` and ``coords``, then a row for each picture: its number, and
``x``, ``y`` in pixels with a ``likelihood`` for each part.
"""

import csv
from collections.abc import Sequence
from typing import ClassVar

from calibration.io.formats.format import (
    FileFormat,
    FoundColumns,
    Line,
    Mark,
    body_headers,
    number,
    padded,
)

LEAST_LIKELIHOOD = 0.6
"""Below which DeepLabCut does not show a point itself (its ``pcutoff``)."""


class DeepLabCut(FileFormat):
    """Positions of body parts that are likely enough."""

    name: ClassVar[str] = "DeepLabCut CSV"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("first row 'scorer'", r"\A\ufeff?scorer,"),
        Mark("row 'bodyparts'", r"^bodyparts,"),
        Mark("row 'coords, x, y, likelihood'", r"^coords,x,y,likelihood"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """Positions of every part; what is less likely than the limit was not seen."""
        rows = list(csv.reader(line.text for line in lines))
        start = next(i for i, row in enumerate(rows) if row[0] == "coords")
        width = len(rows[start])
        called = {row[0]: padded(row, width) for row in rows[:start]}
        found: dict[str, dict[str, int]] = {}
        for column in range(1, width):
            parts = [
                called[kind][column] for kind in ("individuals", "bodyparts") if kind in called
            ]
            name = " ".join(part for part in parts if part and part != "single")
            found.setdefault(name, {})[rows[start][column].strip()] = column
        headers, notes = body_headers(dict.fromkeys(found, ("x", "y")), "px")
        made, unlikely = [], 0
        for row in (padded(row, width) for row in rows[start + 1 :]):
            cells = [row[0]]
            for one in found.values():
                likely = number(row[one["likelihood"]]) or 0.0
                seen = likely >= LEAST_LIKELIHOOD
                unlikely += not seen
                cells += [row[one["x"]], row[one["y"]]] if seen else ["", ""]
            made.append(tuple(cells))
        if unlikely:
            notes = (
                *notes,
                f"{unlikely} positions with a likelihood below {LEAST_LIKELIHOOD:g} are left out",
            )
        return FoundColumns(
            headers=("frame", *headers),
            rows=tuple(made),
            lines=tuple(line.number for line in lines[start + 1 :]),
            header_line=lines[start].number,
            notes=notes,
        )
