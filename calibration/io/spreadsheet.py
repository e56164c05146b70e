"""Spreadsheets of Excel, as xlsx or as xls, as text tables."""

import csv
import datetime
import io
from collections.abc import Iterable, Iterator
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
    """

    name: str
    text: str
    has_numbers: bool


def is_spreadsheet(contents: bytes) -> bool:
    """Whether a file begins like a spreadsheet; so do other archives."""
    return contents.startswith((_PACKED, _COMPOUND))


def read_sheets(contents: bytes, path: str) -> tuple[Sheet, ...]:
    """The sheets of a spreadsheet, in its order; of formulas the values that were stored.

    Args:
        contents: of the file.
        path: for error texts.

    Raises:
        InputError: no spreadsheet of Excel, or one that is damaged, has a password, or lacks the
            value of a formula.
    """
    cells = _packed_cells if contents.startswith(_PACKED) else _compound_cells
    try:
        return tuple(_sheet(name, rows) for name, rows in cells(contents))
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


def _packed_cells(contents: bytes) -> list[tuple[str, list[list[Any]]]]:
    """Names and cells of the sheets of an xlsx file.

    Raises:
        _NotStored: a formula without a value.
    """
    import openpyxl

    def sheets(*, values_only: bool, data_only: bool = True) -> Iterator[tuple[str, list[Any]]]:
        book = openpyxl.load_workbook(io.BytesIO(contents), read_only=True, data_only=data_only)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # some programs state wrong ones
            yield sheet.title, [list(row) for row in sheet.iter_rows(values_only=values_only)]

    found = list(sheets(values_only=True))
    if any(cell is None for _, rows in found for row in rows for cell in row):
        formulas = sheets(values_only=True, data_only=False)
        for (name, cells), (_, asked) in zip(sheets(values_only=False), formulas, strict=True):
            for cell, formula in zip(chain(*cells), chain(*asked), strict=True):
                # a formula whose value is no text is a number that is missing
                if cell.value is None and cell.data_type == "n" and formula is not None:
                    raise _NotStored(f"{cell.coordinate} of the sheet {name!r}")
    return found


def _compound_cells(contents: bytes) -> Iterator[tuple[str, list[list[Any]]]]:
    """Names and cells of the sheets of an xls file."""
    import xlrd

    with xlrd.open_workbook(file_contents=contents, logfile=io.StringIO()) as book:

        def value(cell: Any) -> Any:
            if cell.ctype == xlrd.XL_CELL_DATE:
                return xlrd.xldate_as_datetime(cell.value, book.datemode)
            if cell.ctype == xlrd.XL_CELL_ERROR:
                return xlrd.error_text_from_code[cell.value]
            return cell.value

        for sheet in book.sheets():
            yield sheet.name, [[value(cell) for cell in row] for row in sheet.get_rows()]


def _sheet(name: str, rows: Iterable[list[Any]]) -> Sheet:
    filled = [[None if cell == "" else cell for cell in row] for row in rows]
    width = max(map(len, filled), default=0)
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(
        [_cell(cell) for cell in row] + [""] * (width - len(row)) for row in filled
    )
    return Sheet(name, text.getvalue(), any(map(_has_numbers, filled)))


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
