"""What reads the files of one program: the interface, and what it hands out."""

import abc
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeVar

Instant = TypeVar("Instant", int, float)


class Mark(NamedTuple):
    """A sign by which files of a program are known.

    Attributes:
        about: what it is, in words that complete "there is no".
        pattern: that the text of the file has; ``^`` and ``$`` are ends of lines.
    """

    about: str
    pattern: str


class Line(NamedTuple):
    """A line of a file, counted from 1."""

    number: int
    text: str


@dataclass(frozen=True)
class FoundColumns:
    """The columns of a file under the names that a plain table has.

    Attributes:
        headers: ``"t (s)"``, ``"x (mm)"``, of two bodies ``"x1 (mm)"``, with their units.
        rows: (rows, columns) text of the cells, with decimal points; empty where nothing was seen.
        lines: (rows,) where each row stands in the file.
        header_line: where the columns are named.
        vertical: the axis that points up, with a minus sign where it counts downwards, where the
            program has one; ``"?"`` where its files do not say, so that a person must.
        notes: plain sentences on what was decided.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    header_line: int
    vertical: str | None = None
    notes: tuple[str, ...] = ()


class FileFormat(abc.ABC):
    """The files of one program.

    Implementing a format: inherit; define ``name`` and ``marks``; implement ``read``; add an
    instance to ``calibration.io.formats.known.FORMATS``.

    Attributes:
        name: of the program and the export.
        marks: all of which such a file has, and no other file.
    """

    name: ClassVar[str]
    marks: ClassVar[tuple[Mark, ...]]

    def lacking(self, text: str) -> tuple[Mark, ...]:
        """The marks that a file does not have; none if it is of this program."""
        return tuple(mark for mark in self.marks if not re.search(mark.pattern, text, re.MULTILINE))

    @abc.abstractmethod
    def read(self, lines: Sequence[Line], path: str) -> FoundColumns:
        """The columns of a file that has all marks.

        Args:
            lines: those that are not empty.
            path: for error texts.

        Raises:
            InputError: the file is of the program, but broken or of a kind that is not read.
        """


def number(cell: str) -> float | None:
    """The number in a cell with a decimal point or comma, or ``None``."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None


def padded(cells: Sequence[str], count: int) -> list[str]:
    """Stripped cells, with empty ones behind them as far as ``count``."""
    return [cell.strip() for cell in cells[:count]] + [""] * (count - len(cells))


def body_headers(
    bodies: Mapping[str, Sequence[str]], unit: str = ""
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Headers of the coordinates of all bodies, and a note that says which body has which number.

    One body has ``x``, two have ``x1`` and ``x2``; of more, each column has the name of its body,
    so that ``--columns`` can choose.

    Args:
        bodies: names of the coordinates, ``"x"``, ``"y"``, of each body.
        unit: of all of them, where the file says one.
    """
    names = list(bodies)
    said = f" ({unit})" if unit else ""
    if len(names) == 1:
        return tuple(f"{axis}{said}" for axis in bodies[names[0]]), ()
    if len(names) == 2:
        note = f"body 1 is {names[0]!r}, body 2 is {names[1]!r}"
        headers = (
            f"{axis}{place}{said}" for place, name in enumerate(names, 1) for axis in bodies[name]
        )
        return tuple(headers), (note,)
    return tuple(f"{name} {axis}{said}" for name in names for axis in bodies[name]), ()


def by_instant(
    instants: Mapping[Instant, Mapping[str, Sequence[str]]], bodies: Iterable[str]
) -> tuple[tuple[Instant, tuple[str, ...]], ...]:
    """The cells of all bodies, ``x`` and ``y`` of each in turn, at each instant in order of time;
    empty for a body that was not seen then.

    Args:
        instants: positions of the bodies that were seen, by pictures or times.
        bodies: names of all.
    """
    names = tuple(bodies)
    return tuple(
        (instant, tuple(cell for name in names for cell in instants[instant].get(name, ("", ""))))
        for instant in sorted(instants)
    )


def without_zeros(
    rows: Iterable[Sequence[str]], first: int, width: int
) -> tuple[list[list[str]], int]:
    """Rows in which groups of coordinates that are all exactly zero are gaps, and how many were.

    Args:
        rows: text of the cells.
        first: column of the first coordinate.
        width: coordinates of a group.
    """
    made, count = [], 0
    for row in rows:
        cells = list(row)
        for start in range(first, len(cells) - width + 1, width):
            group = cells[start : start + width]
            if all(number(cell) == 0.0 for cell in group):
                cells[start : start + width] = [""] * width
                count += 1
        made.append(cells)
    return made, count
