"""Trajectories of Vicon Nexus, exported as ASCII (CSV).

Layout (Nexus, export of trajectories): a block begins with its name, ``Trajectories``, and its rate
in Hz; then a row with the marker above its three columns, the row ``Frame, Sub Frame, X, Y, Z``, a
row of units, and the samples up to the next block. Z is up.
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


class Vicon(FileFormat):
    """Positions of markers."""

    name: ClassVar[str] = "Vicon Nexus CSV"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("line 'Trajectories'", r"^\ufeff?\"?Trajectories\"?[,;\t]*\s*$"),
        Mark("row 'Frame, Sub Frame, X, Y, Z'", r"^\"?Frame\"?[,;\t]\"?Sub Frame"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """The block of trajectories; times from its rate."""
        separator = next(sign for sign in "\t;," if sign in _row_of(lines, "Frame").text)
        rows = list(csv.reader((line.text for line in lines), delimiter=separator))
        begin = next(
            i for i, row in enumerate(rows) if row[0].strip("\ufeff ").lower() == "trajectories"
        )
        rate = number(rows[begin + 1][0])
        names, axes, units = rows[begin + 2 : begin + 5]
        if rate is None or rate <= 0 or axes[0].strip() != "Frame":
            raise InputError(
                "the block of trajectories does not begin with its rate, names and axes",
                remedy="Export it again from Nexus as ASCII.",
                path=path,
                line=lines[begin].number,
            )
        width = len(axes)
        names, units = padded(names, width), padded(units, width)
        found: dict[str, dict[str, int]] = {}
        for column in range(2, width):
            axis = axes[column].strip().lower()
            name = names[column] or (names[column - "xyz".index(axis)] if axis in "xyz" else "")
            if axis in ("x", "y", "z"):
                found.setdefault(name.rpartition(":")[2] or name, {})[axis] = column
        (unit,) = {units[column] for one in found.values() for column in one.values()} or {"mm"}
        samples = list(
            itertools.takewhile(
                lambda one: number(one[1][0]) is not None, enumerate(rows[begin + 5 :], begin + 5)
            )
        )
        first = number(samples[0][1][0]) or 0.0
        headers, notes = body_headers({name: tuple(one) for name, one in found.items()}, unit)
        columns = [column for one in found.values() for column in one.values()]
        return FoundColumns(
            headers=("t (s)", *headers),
            rows=tuple(
                (
                    repr(((number(row[0]) or 0.0) - first) / rate),
                    *(padded(row, width)[column] for column in columns),
                )
                for _, row in samples
            ),
            lines=tuple(lines[place].number for place, _ in samples),
            header_line=lines[begin + 3].number,
            vertical="z" if all("z" in one for one in found.values()) else None,
            notes=(*notes, f"times from the rate in the file, {rate:g} Hz"),
        )


def _row_of(lines: Sequence[Line], word: str) -> Line:
    """The first line that begins with a word."""
    return next(line for line in lines if line.text.lstrip('"').startswith(word))
