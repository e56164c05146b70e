"""Predictions of SLEAP, as analysis CSV.

Layout (docs of sleap-io, "CSV format"): columns ``track``, ``frame_idx``, ``instance.score`` and,
of every node, ``node.x``, ``node.y``, ``node.score``; a row for each instance in each picture.
Pixels.
"""

import csv
from collections.abc import Sequence
from typing import ClassVar

from calibration.errors import InputError
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

LEAST_SCORE = 0.2
"""Below which SLEAP takes no peak for a point itself (its ``peak_threshold``)."""


class SLEAP(FileFormat):
    """Positions of nodes of tracks that are certain enough."""

    name: ClassVar[str] = "SLEAP analysis CSV"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("column 'frame_idx'", r"\A[^\n]*\bframe_idx\b"),
        Mark("column 'instance.score'", r"\A[^\n]*\binstance\.score\b"),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """Positions of each node of each track."""
        rows = list(csv.reader(line.text for line in lines))
        header = [cell.strip("\ufeff ") for cell in rows[0]]
        place = {name: column for column, name in enumerate(header)}
        nodes = [name[:-2] for name in header if name.endswith(".x")]
        frames: dict[int, dict[str, tuple[str, str]]] = {}
        at: dict[int, int] = {}
        bodies: dict[str, None] = {}
        unlikely = 0
        several = len({row[place["track"]] for row in rows[1:]} if "track" in place else ()) > 1
        for line, row in zip(lines[1:], (padded(r, len(header)) for r in rows[1:]), strict=True):
            frame = int(number(row[place["frame_idx"]]) or 0)
            for node in nodes:
                track = row[place["track"]] if several else ""
                name = " ".join(filter(None, (track, node if len(nodes) > 1 or not track else "")))
                bodies.setdefault(name)
                score = number(row[place[f"{node}.score"]]) if f"{node}.score" in place else 1.0
                if score is not None and score < LEAST_SCORE:
                    unlikely += 1
                    continue
                if name in frames.setdefault(frame, {}):
                    raise InputError(
                        f"picture {frame} has two positions of {name!r}",
                        remedy="Track the instances, and export again: each needs a track.",
                        path=path,
                        line=line.number,
                    )
                frames[frame][name] = (row[place[f"{node}.x"]], row[place[f"{node}.y"]])
                at.setdefault(frame, line.number)
        headers, notes = body_headers(dict.fromkeys(bodies, ("x", "y")), "px")
        if unlikely:
            notes = (
                *notes,
                f"{unlikely} positions with a score below {LEAST_SCORE:g} are left out",
            )
        ordered = by_instant({frame: seen for frame, seen in frames.items() if seen}, bodies)
        return FoundColumns(
            headers=("frame", *headers),
            rows=tuple((str(frame), *cells) for frame, cells in ordered),
            lines=tuple(at[frame] for frame, _ in ordered),
            header_line=lines[0].number,
            notes=notes,
        )
