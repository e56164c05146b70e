"""The text of a long table in blocks of whole lines. A block of nothing but plain numbers is parsed
at once by NumPy; all else is for the reader that looks at each cell.

Plain are decimal numbers of one decimal sign, empty cells, and as many separators in every line: of
such a block both readers have the same numbers, to the last bit, and no reason for a message.
"""

import io
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIZE = 1 << 18
"""Characters of a block: a shorter file is one block."""

BLANKS = " "
"""The separator of columns that stand apart by any number of blanks."""

_OF_NUMBERS = str.maketrans("", "", "0123456789+-.eE,; \t\n")


class Block(NamedTuple):
    r"""Whole lines of a text.

    Attributes:
        first: number of the first line, counted from 1.
        text: the lines, without the end of the last one; ends of lines are ``\\n``.
        worded: whether there is a character that numbers do not have.
    """

    first: int
    text: str
    worded: bool


def cut_blocks(text: str) -> list[Block]:
    """The blocks of a text with any ends of lines, without the empty lines at its end."""
    even = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    blocks, start, line = [], 0, 1
    while True:
        stop = even.find("\n", start + SIZE)
        piece = even[start:] if stop < 0 else even[start:stop]
        blocks.append(Block(line, piece, bool(piece.translate(_OF_NUMBERS))))
        if stop < 0:
            return blocks
        start, line = stop + 1, line + piece.count("\n") + 1


def plain_numbers(text: str, separator: str, decimal: str) -> NDArray[np.float64] | None:
    """The numbers (lines, cells) of a block without words, NaN where a cell is empty; ``None``
    where a line is empty, or a cell is anything else than a number with this decimal sign.

    Args:
        text: the lines.
        separator: of the cells.
        decimal: ``"."`` or ``","``.
    """
    strange = {".", ","} - {separator, decimal}
    if separator == decimal or not text.strip() or any(sign in text for sign in strange):
        return None
    lines = f"\n{text.replace(',', '.') if decimal == ',' else text}\n"
    if separator != BLANKS:
        for _ in range(2):  # of three separators in a row, the first pass sees one pair
            lines = lines.replace(2 * separator, f"{separator}nan{separator}")
        lines = lines.replace(f"\n{separator}", f"\nnan{separator}")
        lines = lines.replace(f"{separator}\n", f"{separator}nan\n")
    try:
        values = np.loadtxt(
            io.StringIO(lines[1:]),
            delimiter=None if separator == BLANKS else separator,
            comments=None,
            ndmin=2,
        )
    except ValueError:  # a cell is no number, or the lines have different numbers of cells
        return None
    empty_lines = len(values) != text.count("\n") + 1
    if empty_lines or np.isinf(values).any() or np.isnan(values).all(axis=1).any():
        return None
    return values
