"""Spots of TrackMate, the tracker of Fiji, as CSV.

Layout (imagej.net/plugins/trackmate, export of the tables of spots): a row of keys (``TRACK_ID``,
``POSITION_X``, ``POSITION_T``, ``FRAME`` and others), two rows of their names, a row of units in
brackets, then a row for each spot. ``y`` counts downwards, in whatever unit.
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

_UNITS = {"micron": "um", "µm": "um", "um": "um", "pixel": "px", "mm": "mm", "cm": "cm", "m": "m"}
_SECONDS = {"sec", "s"}


class TrackMate(FileFormat):
    """Positions of spots that belong to a track."""

    name: ClassVar[str] = "TrackMate CSV"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("column 'TRACK_ID'", r"\A[^\n]*\bTRACK_ID\b"),
        Mark("column 'POSITION_X'", r"\A[^\n]*\bPOSITION_X\b"),
        Mark("column 'FRAME'", r"\A[^\n]*\bFRAME\b"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """A column pair for each track, a row for each picture."""
        header, *rows = csv.reader(line.text for line in lines)
        place = {name.strip("\ufeff "): column for column, name in enumerate(header)}
        begin = next(i for i, row in enumerate(rows) if number(row[place["FRAME"]]) is not None)
        units = padded(rows[begin - 1], len(header)) if begin else [""] * len(header)
        unit = _UNITS[units[place["POSITION_X"]].strip("()") or "pixel"]
        timed = "POSITION_T" in place and units[place["POSITION_T"]].strip("()") in _SECONDS
        clock = place["POSITION_T" if timed else "FRAME"]
        instants: dict[float, dict[str, tuple[str, str]]] = {}
        at: dict[float, int] = {}
        tracks: dict[str, None] = {}
        lone = 0
        for line, row in zip(lines[1 + begin :], rows[begin:], strict=True):
            track, instant = number(row[place["TRACK_ID"]]), number(row[clock])
            if track is None or instant is None:
                lone += 1
                continue
            name = f"track {track:g}"
            tracks.setdefault(name)
            position = (row[place["POSITION_X"]], row[place["POSITION_Y"]])
            instants.setdefault(instant, {})[name] = position
            at.setdefault(instant, line.number)
        headers, notes = body_headers(dict.fromkeys(tracks, ("x", "y")), unit)
        if lone:
            notes = (*notes, f"{lone} spots that belong to no track are left out")
        ordered = by_instant(instants, tracks)
        return FoundColumns(
            headers=("t (s)" if timed else "frame", *headers),
            rows=tuple(
                (repr(instant) if timed else f"{instant:.0f}", *cells) for instant, cells in ordered
            ),
            lines=tuple(at[instant] for instant, _ in ordered),
            header_line=lines[0].number,
            vertical="-y",
            notes=notes,
        )
