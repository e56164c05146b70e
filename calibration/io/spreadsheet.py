"""Spreadsheets of Excel, as xlsx or as xls, as text tables.

What a person has hidden is not read as if it were seen: hidden sheets are left out where others
have numbers, and hidden rows among numbers are refused, since nothing tells whether they count.
"""

import csv
import datetime
import io
import zipfile
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from calibration.errors import InputError
from calibration.io.formats.format import number

SUFFIXES = (".xls", ".xlsx")

_PACKED = b"PK\x03\x04"
_COMPOUND = b"\xd0\xcf\x11\xe0"
_AS_TEXT = "Save the sheet with the recording as CSV (File > Save as > CSV) and give that file."


class Sheet(NamedTuple):
    """A sheet of a spreadsheet.

    Attributes:
        name: of the sheet.
        text: its cells, separated by tabs, a line for each row; dates as ISO 8601.
        has_numbers: whether a row has a number in two cells at least, or in its only one.
        visible: whether it is seen.
        hidden_rows: numbers of the rows that are not seen, from 1, of those with numbers.
    """

    name: str
    text: str
    has_numbers: bool
    visible: bool
    hidden_rows: tuple[int, ...]


class _Cells(NamedTuple):
    """The cells of a sheet by rows, whether it is seen, and which rows (from 1) are not."""

    name: str
    rows: list[list[Any]]
    visible: bool
    hidden: frozenset[int]


def is_spreadsheet(contents: bytes) -> bool:
    """Whether a file begins like a spreadsheet; so do other archives."""
    return contents.startswith((_PACKED, _COMPOUND))


def read_sheets(contents: bytes, path: str) -> tuple[Sheet, ...]:
    """The sheets of a spreadsheet, in its order, those that are seen where they have numbers; of
    formulas the values that were stored.

    Args:
        contents: of the file.
        path: for error texts.

    Raises:
        InputError: no spreadsheet of Excel, or one that is damaged, has a password, lacks the
            value of a formula, or hides rows of numbers.
    """
    cells = _packed_cells if contents.startswith(_PACKED) else _compound_cells
    try:
        sheets = tuple(map(_sheet, cells(contents)))
    except _NotStored as cell:
        raise InputError(
            f"the value of the formula in {cell} is not stored",
            remedy="Open the file in a spreadsheet program and save it there: it computes them.",
            path=path,
        ) from None
    except Exception as error:  # of a damaged file, the libraries raise whatever goes wrong
        raise InputError(
            "this is an archive or a spreadsheet that cannot be read",
            remedy=_AS_TEXT,
            path=path,
        ) from error
    seen = tuple(sheet for sheet in sheets if sheet.visible)
    read = seen if any(sheet.has_numbers for sheet in seen) else sheets
    for sheet in read:
        if sheet.hidden_rows:
            count, first = len(sheet.hidden_rows), sheet.hidden_rows[0]
            raise InputError(
                f"{count} row{'s' if count > 1 else ''} of numbers on the sheet {sheet.name!r} "
                f"{'are' if count > 1 else 'is'} hidden (row {first}{' and others' * (count > 1)}):"
                " whether they count is not known",
                remedy="Show them (clear the filter), or copy what is seen to a file of its own.",
                path=path,
            )
    return read


def only_table(sheets: tuple[Sheet, ...], path: str) -> str:
    """The text of the only sheet with rows of numbers.

    Raises:
        InputError: several sheets have them, or none.
    """
    filled = [sheet for sheet in sheets if sheet.has_numbers]
    if len(filled) == 1:
        return filled[0].text
    names = ", ".join(repr(sheet.name) for sheet in filled or sheets)
    problem = (
        f"the spreadsheet has numbers on several sheets: {names}"
        if filled
        else f"the spreadsheet has no numbers on any sheet: {names}"
    )
    raise InputError(problem, remedy=_AS_TEXT, path=path)


class _NotStored(Exception):
    """The name of a cell whose formula was written by a program that does not compute."""


def _packed_cells(contents: bytes) -> list[_Cells]:
    """The sheets of an xlsx file.

    Raises:
        _NotStored: a formula without a value.
    """
    import openpyxl

    def sheets(*, values_only: bool, data_only: bool = True) -> Iterator[_Cells]:
        book = openpyxl.load_workbook(io.BytesIO(contents), read_only=True, data_only=data_only)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # some programs state wrong ones
            rows = [list(row) for row in sheet.iter_rows(values_only=values_only)]
            visible = sheet.sheet_state == "visible"
            yield _Cells(sheet.title, rows, visible, hidden.get(sheet.title, frozenset()))

    hidden = _packed_hidden_rows(contents)
    found = list(sheets(values_only=True))
    if any(cell is None for sheet in found for row in sheet.rows for cell in row):
        formulas = sheets(values_only=True, data_only=False)
        for sheet, asked in zip(sheets(values_only=False), formulas, strict=True):
            for cell, formula in zip(chain(*sheet.rows), chain(*asked.rows), strict=True):
                # a formula whose value is no text is a number that is missing
                if cell.value is None and cell.data_type == "n" and formula is not None:
                    raise _NotStored(f"{cell.coordinate} of the sheet {sheet.name!r}")
    return found


def _packed_hidden_rows(contents: bytes) -> dict[str, frozenset[int]]:
    """Numbers of the hidden rows of each sheet of an xlsx file; the file is read as a whole only
    where something is hidden.
    """
    import openpyxl

    with zipfile.ZipFile(io.BytesIO(contents)) as opened:
        parts = [name for name in opened.namelist() if name.startswith("xl/worksheets/")]
        if not any(b"hidden=" in opened.read(name) for name in parts):
            return {}
    return {
        sheet.title: frozenset(k for k, row in sheet.row_dimensions.items() if row.hidden)
        for sheet in openpyxl.load_workbook(io.BytesIO(contents)).worksheets
    }


def _compound_cells(contents: bytes) -> Iterator[_Cells]:
    """The sheets of an xls file."""
    import xlrd

    with xlrd.open_workbook(
        file_contents=contents, logfile=io.StringIO(), formatting_info=True
    ) as book:

        def value(cell: Any) -> Any:
            if cell.ctype == xlrd.XL_CELL_DATE:
                return xlrd.xldate_as_datetime(cell.value, book.datemode)
            if cell.ctype == xlrd.XL_CELL_ERROR:
                return xlrd.error_text_from_code[cell.value]
            return cell.value

        for sheet in book.sheets():
            rows = [[value(cell) for cell in row] for row in sheet.get_rows()]
            hidden = frozenset(k + 1 for k, row in sheet.rowinfo_map.items() if row.hidden)
            yield _Cells(sheet.name, rows, sheet.visibility == 0, hidden)


def _sheet(cells: _Cells) -> Sheet:
    filled = [[None if cell == "" else cell for cell in row] for row in cells.rows]
    width = max(map(len, filled), default=0)
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(
        [_cell(cell) for cell in row] + [""] * (width - len(row)) for row in filled
    )
    told = [_has_numbers(row) for row in filled]
    hidden = tuple(k for k, has in enumerate(told, 1) if has and k in cells.hidden)
    return Sheet(cells.name, text.getvalue(), any(told), cells.visible, hidden)


def _has_numbers(row: list[Any]) -> bool:
    numbers = sum(number(str(cell)) is not None for cell in row if cell is not None)
    return numbers >= 2 or numbers == sum(cell is not None for cell in row) > 0


def _cell(cell: Any) -> str:
    """A cell as text, in one line; a number with all its digits."""
    if cell is None:
        return ""
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return " ".join(str(cell).split())
