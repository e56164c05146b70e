"""Positions of a topic of ROS, as ``rostopic echo -p`` prints them.

Layout (wiki.ros.org/rostopic, "echo -p"): a header that begins with ``%time``, fields of the
message by their path, ``field.pose.position.x``, and a row for each message; times in nanoseconds.
Lengths are in metres, Z is up (REP 103).
"""

import csv
import re
from collections.abc import Sequence
from typing import ClassVar

from calibration.errors import InputError
from calibration.io.formats.format import FileFormat, FoundColumns, Line, Mark, body_headers

_POSITION = re.compile(r"(?P<of>field\.(?:.*\.)?)(?P<axis>[xyz])")
_NO_POSITION = (
    "orientation",
    "rotation",
    "angular",
    "linear",
    "velocity",
    "twist",
    "torque",
    "force",
)


class ROS(FileFormat):
    """Positions in a message: of a point, a pose, an odometry, a transform."""

    name: ClassVar[str] = "rostopic echo -p"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("first column '%time'", r"\A\ufeff?%time,"),
        Mark("column of a field, 'field.'", r"\A[^\n]*,field\."),
    )

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """The positions, at the stamps of the messages, which count from the first one."""
        header, *rows = csv.reader(line.text for line in lines)
        found: dict[str, dict[str, int]] = {}
        for column, name in enumerate(header):
            field = _POSITION.fullmatch(name.strip())
            if field and not any(word in field["of"] for word in _NO_POSITION):
                found.setdefault(field["of"].strip("."), {})[field["axis"]] = column
        if not found:
            raise InputError(
                "no field of the message is a position",
                remedy="Echo a topic of points, poses or odometry.",
                path=path,
                line=lines[0].number,
            )
        stamped = "field.header.stamp" in header
        clock = header.index("field.header.stamp") if stamped else 0
        first = int(rows[0][clock])
        headers, notes = body_headers({name: tuple(axes) for name, axes in found.items()}, "m")
        if not stamped:
            notes = (*notes, "the messages have no stamp: times are those of their arrival")
        columns = [column for axes in found.values() for column in axes.values()]
        return FoundColumns(
            headers=("t (s)", *headers),
            rows=tuple(
                (repr((int(row[clock]) - first) / 1e9), *(row[column] for column in columns))
                for row in rows
            ),
            lines=tuple(line.number for line in lines[1:]),
            header_line=lines[0].number,
            vertical="z" if all("z" in axes for axes in found.values()) else None,
            notes=notes,
        )
