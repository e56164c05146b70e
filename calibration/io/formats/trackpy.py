"""Trajectories of trackpy, as its table is written by pandas.

Layout (soft-matter.github.io/trackpy, ``locate`` and ``link``): columns ``y``, ``x`` in pixels,
``mass``, ``size``, ``ecc``, ``signal``, ``raw_mass``, ``ep``, ``frame`` and ``particle``; a row for
each particle in each picture.
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
    by_instant,
    number,
    padded,
)


class Trackpy(FileFormat):
    """Positions of linked particles."""

    name: ClassVar[str] = "trackpy"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("column 'particle'", r"\A[^\n]*\bparticle\b"),
        Mark("column 'frame'", r"\A[^\n]*\bframe\b"),
        Mark("column 'mass'", r"\A[^\n]*\bmass\b"),
        Mark("column 'ecc' or 'signal'", r"\A[^\n]*\b(?:ecc|signal)\b"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """A column pair for each particle, a row for each picture."""
        header, *rows = csv.reader(line.text for line in lines)
        place = {name.strip("\ufeff "): column for column, name in enumerate(header)}
        frames: dict[int, dict[str, tuple[str, str]]] = {}
        at: dict[int, int] = {}
        bodies: dict[str, None] = {}
        for line, row in zip(lines[1:], (padded(r, len(header)) for r in rows), strict=True):
            frame = int(number(row[place["frame"]]) or 0)
            name = f"particle {number(row[place['particle']]) or 0.0:g}"
            bodies.setdefault(name)
            frames.setdefault(frame, {})[name] = (row[place["x"]], row[place["y"]])
            at.setdefault(frame, line.number)
        headers, notes = body_headers(dict.fromkeys(bodies, ("x", "y")), "px")
        ordered = by_instant(frames, bodies)
        return FoundColumns(
            headers=("frame", *headers),
            rows=tuple((str(frame), *cells) for frame, cells in ordered),
            lines=tuple(at[frame] for frame, _ in ordered),
            header_line=lines[0].number,
            notes=notes,
        )
