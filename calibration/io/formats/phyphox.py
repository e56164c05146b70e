"""Times of impacts that phyphox heard, in its experiments (in)elastic collision and acoustic
stopwatch.

Layout: the sets of columns that ``inelastic_collision.phyphox`` and ``acoustic_stopwatch.phyphox``
of github.com/phyphox/phyphox-experiments export, as CSV in any of phyphox's dialects. Times count
from the start of the recording; what was not heard is 0 or empty.
"""

import csv
import re
from collections.abc import Sequence
from typing import ClassVar

from calibration.errors import InputError
from calibration.io.formats.format import FileFormat, FoundColumns, Line, Mark, number


class Collision(FileFormat):
    """The experiment (in)elastic collision."""

    name: ClassVar[str] = "phyphox (in)elastic collision"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("column 'Bounce 0 (s)'", r"\A[^\n]*\bBounce 0 \(s\)"),
        Mark("column 'Bounce 1 (s)'", r"\A[^\n]*\bBounce 1 \(s\)"),
        Mark("column 'Height 1 (m)'", r"\A[^\n]*\bHeight 1 \(m\)"),
    )
    times: ClassVar[str] = r"Bounce \d+ \(s\)"

    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """The times in the row, as far as they increase."""
        return _times(lines, self.times, path)


class StopwatchInARow(Collision):
    """The set "Multiple" of the acoustic stopwatch."""

    name: ClassVar[str] = "phyphox acoustic stopwatch, multiple"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("column 'Start (s)'", r"\A[^\n]*\bStart \(s\)"),
        Mark("column 'Stop 1 (s)'", r"\A[^\n]*\bStop 1 \(s\)"),
    )
    times: ClassVar[str] = r"(?:Start|Stop \d+) \(s\)"


class Stopwatch(Collision):
    """The set "All" of the acoustic stopwatch."""

    name: ClassVar[str] = "phyphox acoustic stopwatch, all"
    marks: ClassVar[tuple[Mark, ...]] = (
        Mark("column 'Event time (s)'", r"\A[^\n]*\bEvent time \(s\)"),
        Mark("column 'Interval (s)'", r"\A[^\n]*\bInterval \(s\)"),
    )
    times: ClassVar[str] = r"Event time \(s\)"


def _times(lines: Sequence[Line], pattern: str, path: str) -> FoundColumns:
    """All times of the columns whose header fits, row by row, without those that were not heard."""
    separator = max("\t;,", key=lines[0].text.count)
    header, *rows = csv.reader((line.text for line in lines), delimiter=separator)
    wanted = [i for i, name in enumerate(header) if re.fullmatch(pattern, name.strip('\ufeff" '))]
    heard: list[tuple[float, int]] = []
    for line, row in zip(lines[1:], rows, strict=True):
        for column in wanted:
            time = number(row[column]) if column < len(row) else None
            if time is not None and time > max(0.0, heard[-1][0] if heard else 0.0):
                heard.append((time, line.number))
    if not heard:
        raise InputError(
            "no impact was heard",
            remedy="Record again nearer to the ball, or with a lower threshold.",
            path=path,
            line=lines[0].number,
        )
    return FoundColumns(
        headers=("t (s)",),
        rows=tuple((repr(time),) for time, _ in heard),
        lines=tuple(line for _, line in heard),
        header_line=lines[0].number,
    )
