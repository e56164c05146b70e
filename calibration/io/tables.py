"""A text file of columns, in whatever dialect it was exported: comma, semicolon, tab or blanks;
decimal point or decimal comma; or the sheet of a spreadsheet.

What a table may contain beside its header and rows: a byte order mark, lines of comment (``#`` or
``%``), a title or the name of a track above the header (Tracker writes ``mass A``), a row of units
below it, empty cells and ``-`` or ``nan`` for gaps, empty rows and columns.
"""

import csv
import dataclasses
import functools
import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.io.blocks import BLANKS, Block, cut_blocks, plain_numbers
from calibration.io.contents import read_contents
from calibration.io.formats.format import FileFormat, Line
from calibration.io.formats.known import FORMATS, format_of, nearest_format
from calibration.io.headers import (
    Header,
    advise_columns,
    list_headers,
    list_units,
    parse_header,
    parse_unit,
)
from calibration.io.rows import NumberRows, Rows, TextRows, is_gap
from calibration.io.spreadsheet import is_spreadsheet, only_table, read_sheets

_NUMBER = re.compile(r"[-+\u2212]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][-+\u2212]?[0-9]+)?")
_COMMENT = re.compile(
    r"\s*[#%](?!(?:n/a|na|nv)\b|(?:div/0|name|null|num|ref|value)[!?])", re.IGNORECASE
)
"""What no number is made of stands there in its place: #N/A, #DIV/0! and their like are cells."""
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b|\b\d{4}-\d\d-\d\d\b")
_SEPARATORS = ("\t", ";", ",", BLANKS)
_SAMPLE = 100
"""Lines looked at to find the separator."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
_FILM = re.compile(rb"[\s\S]{4}(?:ftyp|moov|mdat|wide)|RIFF[\s\S]{4}AVI |\x1aE\xdf\xa3")
"""How films begin: MP4 and MOV, AVI, MKV and WebM."""
_KEEP_GAPS = "Give every row one value for each column, and leave a cell empty for a gap."
_ADD_ROWS = "Below the header come the measured rows, one for each sample."
_ADD_HEADER = (
    "Add a header line above the numbers that names the columns, for example 't,x,y' or 't (s);x "
    "(mm);z (mm)', or 't (s)' above times of impacts."
)


class _Row(NamedTuple):
    line: int
    cells: list[str]


class _Numbers(NamedTuple):
    """A block of plain numbers, as read with one separator: (rows, cells)."""

    block: Block
    separator: str
    values: NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Table:
    """The rows of a file below its header, still as text but for long stretches of plain numbers;
    ``column`` turns one column into numbers.

    Columns stay text until they are asked for, so that remarks in a column that nobody reads do no
    harm.

    Attributes:
        path: the file, as given.
        headers: one for each column, in the order of the file.
        blocks: the rows, in order.
        lines: (rows,) line number of each row, counted from 1.
        header_line: line number of the header.
        preamble: the texts above the header that are no comments (a title, the name of a track).
        comments: the lines of comment, without their sign.
        decimal: the decimal sign, ``"."`` or ``","``.
        vertical: the axis that points up by the format of the file, with a minus sign where it
            counts downwards, ``"?"`` where that leaves it open; ``None`` for a plain table.
        notes: plain sentences on what the reader of the format decided.
        nearest: a sentence on the format that a plain table resembles, if any.
    """

    path: str
    headers: tuple[Header, ...]
    blocks: tuple[Rows, ...]
    lines: NDArray[np.int64]
    header_line: int
    preamble: tuple[str, ...]
    comments: tuple[str, ...]
    decimal: str
    vertical: str | None = None
    notes: tuple[str, ...] = ()
    nearest: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The column headers as written."""
        return tuple(header.text for header in self.headers)

    def column(self, header: Header) -> NDArray[np.float64]:
        """The numbers (rows,) of one column in the unit of the file, NaN where a cell is empty.

        Raises:
            InputError: a cell is neither a finite number nor a gap.
        """
        index, first, columns = self.headers.index(header), 0, []
        for block in self.blocks:
            value = functools.partial(self._value, name=header.text, first=first)
            columns.append(block.column(index, value))
            first += len(block)
        return np.concatenate(columns)

    def is_empty(self, header: Header) -> bool:
        """Whether the column holds nothing but gaps."""
        index = self.headers.index(header)
        return all(block.is_empty(index) for block in self.blocks)

    def list_unused(self, used: Collection[Header]) -> tuple[str, ...]:
        """The headers of columns that hold something and are not among ``used``."""
        return tuple(
            header.text
            for header in self.headers
            if header not in used and not self.is_empty(header)
        )

    def find(self, text: str) -> Header:
        """The column whose header is ``text``, in any case, with or without its unit."""
        wanted = " ".join(text.split()).lower()
        sought = parse_header(text)
        exact = [header for header in self.headers if header.text.lower() == wanted]
        matches = exact or [
            h for h in self.headers if (h.name, h.uncertainty) == (sought.name, sought.uncertainty)
        ]
        if len(matches) != 1:
            problem = (
                f"{text!r} fits several columns: {list_headers(matches)}"
                if matches
                else f"there is no column {text!r}"
            )
            raise self.header_error(problem, remedy=f"Name one of {list_headers(self.headers)}.")
        return matches[0]

    def choose(self, headers: Sequence[Header], meaning: str, *, key: str) -> Header:
        """The only one of ``headers``.

        Args:
            headers: columns that can all have this meaning.
            meaning: what is looked for, for the error text.
            key: by which a caller would say which one it is.

        Raises:
            InputError: there are several.
        """
        if len(headers) > 1:
            remedy = f"Say which it is: {advise_columns(key, headers[0].text)}."
            raise self.header_error(
                f"the columns {list_headers(headers)} can each be {meaning}", remedy=remedy
            )
        return headers[0]

    def check_unit(self, header: Header, *dimensions: str) -> None:
        """Raise when a header declares a unit that is unknown or not of these dimensions."""
        if header.unknown_unit is not None or (
            header.unit is not None and header.unit.dimension not in dimensions
        ):
            unit = header.unknown_unit if header.unit is None else header.unit.symbol
            raise self.header_error(
                f"{unit!r} is no unit of {' or '.join(dimensions)} known here",
                remedy=f"Use one of {list_units(*dimensions)}.",
                header=header,
            )

    def error(self, problem: str, *, remedy: str, row: int, header: Header) -> InputError:
        """An error at a row (counted from 0, without the header) and column."""
        return InputError(
            problem, remedy=remedy, path=self.path, line=int(self.lines[row]), column=header.text
        )

    def header_error(
        self, problem: str, *, remedy: str, header: Header | None = None
    ) -> InputError:
        """An error in the line of the header."""
        return InputError(
            problem,
            remedy=remedy,
            path=self.path,
            line=self.header_line,
            column=None if header is None else header.text,
        )

    def _value(self, place: int, cell: str, *, name: str, first: int) -> float:
        """The number in a cell of a column ``name``, in the row ``place`` after the row
        ``first``.
        """
        if is_gap(cell):
            return np.nan
        remedy = "Replace it or leave the cell empty (a gap)."
        value = float(cell.replace(",", ".").replace("\u2212", "-")) if _is_number(cell) else None
        if value is None and _CLOCK.search(cell):
            problem = f"{cell!r} is a date or a time of day, not a number"
            remedy = "Give numbers: of a time the seconds, in a spreadsheet (cell - first) * 86400."
        elif value is None:
            problem = f"{cell!r} is not a number"
        elif {".": ",", ",": "."}[self.decimal] in cell:
            sign = "comma" if self.decimal == "," else "point"
            problem = f"{cell!r} does not have the decimal {sign} of the rest of the file"
            remedy = (
                "Write all numbers with the same decimal sign and without separators of thousands."
            )
        elif not np.isfinite(value):
            problem = f"{cell!r} is not a finite number"
        else:
            return value
        line = int(self.lines[first + place])
        raise InputError(problem, remedy=remedy, path=self.path, line=line, column=name)


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a file by its declared format, else as a text file of columns, whose separator, decimal
    sign, encoding and header line are found by themselves.

    Raises:
        InputError: the file is missing, a directory, empty, no text, without header or rows, or has
            rows of different lengths or two columns of the same name.
    """
    source = os.fspath(path)
    text = _text(source)
    blocks = cut_blocks(text)
    # The marks of formats are words.
    words = "\n".join(block.text for block in blocks if block.worded or block is blocks[0])
    declared = format_of(words)
    if declared is not None:
        return _by_format(declared, text, source)
    try:
        table = _long_table(blocks, source) or _plain_table(text, source)
        return dataclasses.replace(table, nearest=nearest_format(words))
    except InputError as error:
        remedy = f"{error.remedy} {nearest_format(words)}".strip()
        raise InputError(
            error.problem, remedy=remedy, path=error.path, line=error.line, column=error.column
        ) from error


def _lines(text: str, first: int = 1) -> list[Line]:
    """The lines of a text, numbered from ``first``."""
    return [
        Line(number, line) for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=first)
    ]


def _by_format(declared: FileFormat, text: str, path: str) -> Table:
    """The table that the reader of a format makes of a file with its marks."""
    try:
        found = declared.read([line for line in _lines(text) if line.text.strip()], path)
        if any(len(row) != len(found.headers) for row in found.rows):
            raise IndexError("a row is cut off")
    except InputError:
        raise
    except (IndexError, KeyError, StopIteration, TypeError, ValueError, csv.Error) as error:
        raise InputError(
            f"the file begins like one of {declared.name}, but does not go on so",
            remedy="Export it again, with the settings that the program begins with.",
            path=path,
        ) from error
    if not found.rows:
        raise InputError(
            "the file holds no data rows", remedy=_ADD_ROWS, path=path, line=found.header_line
        )
    headers = tuple(parse_header(header) for header in found.headers)
    _check_distinct(headers, found.header_line, path)
    return Table(
        path=path,
        headers=headers,
        blocks=(
            TextRows(tuple(tuple(cell.replace(",", ".") for cell in row) for row in found.rows)),
        ),
        lines=np.array(found.lines),
        header_line=found.header_line,
        preamble=(),
        comments=(),
        decimal=".",
        vertical=found.vertical,
        notes=(f"read as {declared.name}", *found.notes),
    )


def _plain_table(text: str, source: str) -> Table:
    """The table in a text of columns in any dialect."""
    content, comments = _sift(_lines(text))
    try:
        separator, content = _separator(content)
        rows = [row for row in _split(content, separator) if any(row.cells)]
        width = _usual_width([rows])
        header, body, preamble = _find_header(rows, width, comments, separator, source)
    except csv.Error as error:
        raise InputError(
            f"the file cannot be split into columns ({error})",
            remedy="Export it again as CSV text.",
            path=source,
        ) from error
    return _table(source, header, [body], separator, preamble, comments)


def _long_table(blocks: Sequence[Block], source: str) -> Table | None:
    """The same from blocks of the text, of which those of plain numbers are parsed as a whole;
    ``None`` where the first block alone does not tell how to read the others.
    """
    content, comments = _sift(_lines(blocks[0].text))
    if len(blocks) == 1 or len(content) <= _SAMPLE:
        return None
    separator, content = _separator(content)
    head = _split_closed(content, separator)
    if head is None:
        return None
    decimal = _decimal([head])
    parts: list[list[_Row] | _Numbers] = [head]
    for block in blocks[1:]:
        values = None if block.worded else plain_numbers(block.text, separator, decimal)
        if values is not None:
            parts.append(_Numbers(block, separator, values))
            continue
        lines, said = _sift(_lines(block.text, block.first))
        rows = _split_closed(lines, separator)
        if rows is None:
            return None
        comments += said
        parts.append(rows)
    width = _usual_width(parts)
    if not any(_has_number(row) and _span(row) >= width for row in head):
        return None
    header, parts[0], preamble = _find_header(head, width, comments, separator, source)
    if _decimal(parts) != decimal:
        return None
    return _table(source, header, parts, separator, preamble, comments)


def _sift(lines: Iterable[Line]) -> tuple[list[Line], list[Line]]:
    """The lines that say something and are no comments, and the comments."""
    content, comments = [], []
    for line in lines:
        if _COMMENT.match(line.text):
            comments.append(line)
        elif line.text.strip():
            content.append(line)
    return content, comments


def _text(path: str) -> str:
    """The decoded contents: UTF-8 (with or without a byte order mark), UTF-16 with one, else
    Latin-1.
    """
    contents = read_contents(path)
    if not contents.strip():
        raise InputError("the file is empty", remedy="Export it again.", path=path)
    if is_spreadsheet(contents):
        return _packed_text(contents, path)
    if contents.lstrip(b"\xef\xbb\xbf \r\n").startswith(b"<"):
        raise InputError(
            "this is a project or web file (XML or HTML), not a table",
            remedy="Export the numbers as text; in Tracker: File > Export > Data File.",
            path=path,
        )
    text = _decode(contents)
    if text is None or _BINARY.search(text):
        if _FILM.match(contents):
            raise InputError(
                "this is a film, not a text file",
                remedy="Follow the ball in it with jaxcontact track FILM --radius METRES, and give "
                "the file that it writes.",
                path=path,
            )
        raise InputError(
            "the file holds bytes that are not text",
            remedy="Export it as CSV text (UTF-8) and give that file.",
            path=path,
        )
    return text


def _packed_text(contents: bytes, path: str) -> str:
    """The file or the sheet of a known format, such as phyphox exports them, else the only sheet
    with numbers.
    """
    text = _first_known(_members(contents))
    if text is None:
        sheets = read_sheets(contents, path)
        text = _first_known([sheet.text for sheet in sheets]) or only_table(sheets, path)
    return text


def _first_known(texts: Sequence[str]) -> str | None:
    """The first text of a known format; the formats are asked in their order."""
    return next((text for one in FORMATS for text in texts if not one.lacking(text)), None)


def _members(archive: bytes) -> list[str]:
    """The text files in an archive; none where it is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            texts = [
                _decode(opened.read(name))
                for name in sorted(opened.namelist())
                if name.lower().endswith((".csv", ".tsv", ".txt"))
            ]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError):  # encrypted, damaged
        return []
    return [text for text in texts if text]


def _decode(contents: bytes) -> str | None:
    encodings = (
        ["utf-16"] if contents.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "latin-1"]
    )
    for encoding in encodings:
        try:
            return contents.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _split(lines: Iterable[Line], separator: str) -> list[_Row]:
    """The lines cut into stripped cells, each row with the number of its (last) line."""
    current = 0

    def texts() -> Iterable[str]:
        nonlocal current
        for line in lines:
            current = line.number
            yield (_single_blanks(line.text) if separator == BLANKS else line.text) + "\n"

    return [
        _Row(current, [cell.strip() for cell in cells])
        for cells in csv.reader(texts(), delimiter=separator, skipinitialspace=True)
    ]


def _split_closed(lines: Sequence[Line], separator: str) -> list[_Row] | None:
    """The same without empty rows, ``None`` where a quoted cell reaches over the end of a line."""
    try:
        rows = _split(lines, separator)
        twice = _split([*lines[-1:], *lines[-1:]], separator)  # one row where it ends in a cell
    except csv.Error:
        return None
    if len(rows) != len(lines) or len(twice) != 2 * len(lines[-1:]):
        return None
    return [row for row in rows if any(row.cells)]


def _single_blanks(text: str) -> str:
    """One blank between cells; the blank before a unit in brackets (``t (s)``) does not
    separate.
    """
    return re.sub(r"\s+(?=[\[(])", "", re.sub(r"\s+", " ", text.strip()))


def _separator(content: list[Line]) -> tuple[str, list[Line]]:
    """The separator that a file announces in a first line ``sep=;``, else that of its first lines;
    and the other lines.
    """
    announced = (
        re.fullmatch(r'"?sep=(.)"?', content[0].text.strip(), re.IGNORECASE) if content else None
    )
    if announced:
        return announced[1], content[1:]
    return _find_separator(content[:_SAMPLE]), content


def _find_separator(lines: Sequence[Line]) -> str:
    """The separator with which most lines become rows of several numbers and gaps; failing that, of
    several cells with any number.
    """
    rows = {
        separator: [
            row for row in _split(lines, separator) if len(row.cells) >= 2 and _has_number(row)
        ]
        for separator in _SEPARATORS
    }
    whole = {
        separator: sum(1 for row in rows[separator] if _is_numeric(row))
        for separator in _SEPARATORS
    }
    if not any(whole.values()):
        return max(_SEPARATORS, key=lambda separator: len(rows[separator]))
    # Blanks also stand inside the cells of other dialects, so they separate only where nothing else
    # makes rows of numbers.
    best = max("\t;,", key=lambda separator: whole[separator])
    return best if whole[best] else BLANKS


def _usual_width(parts: Iterable[list[_Row] | _Numbers]) -> int:
    """The span of most rows; 0 where there is none."""
    spans: Counter[int] = Counter()
    for part in parts:
        if isinstance(part, _Numbers):
            filled = ~np.isnan(part.values[:, ::-1])
            each = part.values.shape[1] - np.argmax(filled, axis=1)
            spans.update(
                dict(zip(*(found.tolist() for found in np.unique_counts(each)), strict=True))
            )
        else:
            spans.update(_span(row) for row in part)
    return max(spans, key=lambda span: (spans[span], span), default=0)


def _decimal(parts: Iterable[list[_Row] | _Numbers]) -> str:
    """The decimal sign of most numbers that have one."""
    points = commas = 0
    for part in parts:
        if isinstance(part, _Numbers):
            points += part.block.text.count(".")
            commas += part.block.text.count(",") if part.separator != "," else 0
        else:
            numbers = [cell for row in part for cell in row.cells if _is_number(cell)]
            points += sum(1 for cell in numbers if "." in cell)
            commas += sum(1 for cell in numbers if "," in cell)
    return "," if commas > points else "."


def _find_header(
    rows: list[_Row], width: int, comments: list[Line], separator: str, path: str
) -> tuple[_Row, list[_Row], list[_Row]]:
    """The row that names the columns, the rows below it and the rows above it.

    It is the last row of texts above the numbers that is as wide as the table (``width`` cells) and
    no row of units; what stands above it is a title or the name of a track. A header written as the
    last comment above the numbers is accepted too.
    """
    if not rows:
        raise InputError(
            "the file holds no data rows", remedy=f"{_ADD_HEADER} {_ADD_ROWS}", path=path
        )
    start = next(
        (i for i, row in enumerate(rows) if _has_number(row) and _span(row) >= width), len(rows)
    )
    texts = [
        i
        for i, row in enumerate(rows[:start])
        if _is_text(row) and (_filled(row) >= 2 or width == 1)
    ]
    names = [i for i in texts if _span(rows[i]) >= width and not _is_units(rows[i])] or texts
    if names:
        return rows[names[-1]], rows[names[-1] + 1 :], rows[: names[-1]]
    if start == len(rows):
        raise InputError("the file holds no data rows", remedy=_ADD_ROWS, path=path)
    commented = _commented_header(rows[start], comments, separator)
    if commented is None:
        raise InputError(
            "the columns have no names: the first row is numbers",
            remedy=_ADD_HEADER,
            path=path,
            line=rows[start].line,
        )
    return (
        commented,
        [row for row in rows if row.line > commented.line],
        [row for row in rows if row.line < commented.line],
    )


def _commented_header(first: _Row, comments: list[Line], separator: str) -> _Row | None:
    """The last comment above the first row of numbers, when it names as many columns (as NumPy's
    ``savetxt`` writes it).
    """
    above = [line for line in comments if line.number < first.line]
    if not above:
        return None
    bare = Line(above[-1].number, above[-1].text.lstrip("#% \t"))
    for candidate in (separator, *_SEPARATORS):
        row = _split([bare], candidate)[0] if bare.text else None
        if row is not None and _is_text(row) and _span(row) == _filled(row) == _span(first):
            return row
    return None


def _table(
    path: str,
    header: _Row,
    parts: list[list[_Row] | _Numbers],
    separator: str,
    preamble: list[_Row],
    comments: list[Line],
) -> Table:
    """The table with this header, of which the first part holds text."""
    body, *others = parts
    count = _span(header)
    units: list[str | None] = [None] * count
    if isinstance(body, list) and body and _is_units(body[0]):
        units = [*body[0].cells[:count], *[None] * (count - len(body[0].cells))]
        body = body[1:]
    if not body:
        raise InputError(
            "the file holds no data rows", remedy=_ADD_ROWS, path=path, line=header.line
        )
    headers = tuple(
        parse_header(name or f"column {index}", unit=unit)
        for index, (name, unit) in enumerate(zip(header.cells[:count], units, strict=True), start=1)
    )
    _check_distinct(headers, header.line, path)
    rows, lines = zip(
        *(_rows(part, count, separator, path) for part in (body, *others)), strict=True
    )
    return Table(
        path=path,
        headers=headers,
        blocks=rows,
        lines=np.concatenate(lines),
        header_line=header.line,
        preamble=tuple(" ".join(filter(None, row.cells)) for row in preamble),
        comments=tuple(line.text.strip().lstrip("#% ") for line in comments),
        decimal=_decimal((body, *others)),
    )


def _rows(
    part: list[_Row] | _Numbers, count: int, separator: str, path: str
) -> tuple[Rows, NDArray[np.int64]]:
    """The rows under ``count`` headers, and their lines."""
    if isinstance(part, _Numbers):
        first, values = part.block.first, part.values
        if values.shape[1] >= count and np.isnan(values[:, count:]).all():
            return NumberRows(values[:, :count]), np.arange(first, first + len(values))
        part = _split(_lines(part.block.text, first), separator)
    _check_widths(part, count, separator, path)
    cells = tuple(tuple(row.cells[:count]) for row in part)
    return TextRows(cells), np.array([row.line for row in part], dtype=np.int64)


def _check_distinct(headers: tuple[Header, ...], line: int, path: str) -> None:
    seen: dict[str, int] = {}
    for index, header in enumerate(headers, start=1):
        first = seen.setdefault(header.text.lower(), index)
        if first != index:
            raise InputError(
                f"columns {first} and {index} have the same name",
                remedy="Rename or delete one of them; from Tracker, export one track into one "
                "file.",
                path=path,
                line=line,
                column=header.text,
            )


def _check_widths(body: list[_Row], count: int, separator: str, path: str) -> None:
    for row in body:
        if len(row.cells) >= count and not any(row.cells[count:]):
            continue
        remedy = _KEEP_GAPS
        if separator == "," and _span(row) == 2 * count:
            remedy = (
                "The comma seems to be decimal sign and separator at once: export with "
                "semicolons or tabs, or with decimal points."
            )
        values = "1 value" if len(row.cells) == 1 else f"{len(row.cells)} values"
        named = "1 column" if count == 1 else f"{count} columns"
        raise InputError(
            f"the row has {values}, but the header names {named}",
            remedy=remedy,
            path=path,
            line=row.line,
        )


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


def _has_number(row: _Row) -> bool:
    return any(_is_number(cell) for cell in row.cells)


def _is_numeric(row: _Row) -> bool:
    return _has_number(row) and all(_is_number(cell) or is_gap(cell) for cell in row.cells)


def _is_text(row: _Row) -> bool:
    """Whether a row has words and no number: it may be a header."""
    return not _has_number(row) and not all(is_gap(cell) for cell in row.cells)


def _is_units(row: _Row) -> bool:
    """Whether a row gives units and nothing else: ``s;mm;mm``."""
    return _is_text(row) and all(parse_unit(cell) for cell in row.cells if cell)


def _filled(row: _Row) -> int:
    return sum(1 for cell in row.cells if cell)


def _span(row: _Row) -> int:
    """The number of cells up to the last one that is not empty."""
    return max((index for index, cell in enumerate(row.cells, start=1) if cell), default=0)
