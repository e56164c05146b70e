"""A long table is read in blocks, and its blocks of plain numbers at once: with the same numbers,
notes and messages as cell by cell.
"""

import itertools

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.io import blocks
from calibration.io.same_content import find_repetitions
from calibration.io.tables import read_table

ROWS = 400
DIALECTS = {
    "comma": (",", "."),
    "comma and blank": (", ", "."),
    "semicolon, decimal comma": (";", ","),
    "tab": ("\t", "."),
    "blanks": ("  ", "."),
    "blanks, decimal comma": (" ", ","),
}
DISTURBANCES = {
    "none": "",
    "a row too short": "1{0}2",
    "a row too long": "1{0}2{0}3{0}4",
    "a word": "1{0}x{0}3",
    "another header": "t{0}x{0}z",
    "a comment": "# pause",
    "an empty line": "",
    "an empty row": "{0}{0}",
    "a gap": "1{0}{0}3",
    "a gap at the end": "1{0}2{0}",
    "gaps as words": "1{0}nan{0}-",
    "a separator at the end": "1{0}2{0}3{0}",
    "the other decimal signs": "1.5{0}2,5{0}3",
    "a separator of thousands": "1{0}1.000,5{0}3",
    "an infinite number": "1{0}1e400{0}3",
    "a broken number": "1{0}1.2.3{0}3",
    "an underscore": "1{0}1_0{0}3",
    "a quoted number": '1{0}"2"{0}3',
    "a quote that stays open": '1{0}"2{0}3',
    "a cell of two lines": '1{0}"2\n2"{0}3',
    "a minus sign of typesetting": "1{0}\u22122{0}3",
}


def made(separator, decimal, disturbance, ends):
    rows = ([f"{k / 240:.4f}", f"{k % 7}", f"{0.1 * k:g}"] for k in range(ROWS))
    lines = [separator.join(row).replace(".", decimal) for row in rows]
    if disturbance is not None:
        lines.insert(300, disturbance.format(separator))
    return ends.join(["drop 3", separator.join(("t", "x", "z")), *lines, ""])


def found(path):
    try:
        table = read_table(path)
    except InputError as error:
        return str(error)
    return (
        [_column(table, header) for header in table.headers],
        [table.is_empty(header) for header in table.headers],
        (table.headers, table.lines.tolist(), table.header_line, table.decimal),
        (table.preamble, table.comments, table.nearest),
    )


def _column(table, header):
    try:
        return table.column(header).tobytes()
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_blocks_give_what_the_whole_gives(dialect, tmp_path, monkeypatch):
    path = tmp_path / "drop.csv"
    for disturbance, ends in itertools.product(DISTURBANCES, ("\n", "\r\n")):
        told = None if disturbance == "none" else DISTURBANCES[disturbance]
        path.write_bytes(made(*DIALECTS[dialect], told, ends).encode())
        monkeypatch.setattr(blocks, "SIZE", 1 << 20)
        whole = found(path)
        monkeypatch.setattr(blocks, "SIZE", 1800)
        assert found(path) == whole, disturbance


def test_only_the_disturbed_block_of_a_long_table_is_read_cell_by_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "SIZE", 1800)
    path = tmp_path / "drop.csv"
    path.write_text(made(",", ".", "1,x,3", "\n"))
    kinds = [type(part).__name__ for part in read_table(path).blocks]
    assert kinds == ["TextRows", "NumberRows", "TextRows", "NumberRows"]


def test_a_format_is_known_by_words_far_below(tmp_path, monkeypatch):
    """Vicon writes the devices, thousands of rows of numbers, above the trajectories."""
    monkeypatch.setattr(blocks, "SIZE", 1800)
    path = tmp_path / "trial.csv"
    head = "Devices\n1000\n,,Plate\nFrame,Sub Frame,Fz\n,,N\n"
    forces = "".join(f"{k},0,0.5\n" for k in range(1, 900))
    path.write_text(
        f"{head}{forces}\nTrajectories\n100\n,,ball,,\nFrame,Sub Frame,X,Y,Z\n,,mm,mm,mm\n"
        + "".join(f"{k},0,1.0,2.0,{k}.5\n" for k in range(1, 9))
    )
    assert "read as" in " ".join(read_table(path).notes)


def test_the_same_numbers_in_another_dialect_are_a_repetition(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "SIZE", 1800)
    one, two, other = (tmp_path / f"{name}.csv" for name in ("one", "two", "other"))
    one.write_text(made(",", ".", "1,,3", "\n"))
    two.write_text(made(";", ",", "1; ;3", "\r\n").replace("drop 3", "# said in another way\ndrop"))
    other.write_text(made(",", ".", "1,1,3", "\n"))
    repeated = [(item.path, item.earlier) for item in find_repetitions([one, two, other])]
    assert repeated == [(str(two), str(one))]


def test_numbers_of_a_long_table_are_those_of_the_file(tmp_path):
    path, rng = tmp_path / "drop.csv", np.random.default_rng(3)
    values = rng.normal(size=(20_000, 2)) * 10.0 ** rng.integers(-9, 4, (20_000, 2))
    np.savetxt(path, values, fmt="%.17g", delimiter="\t", header="t\tz", comments="")
    table = read_table(path)
    np.testing.assert_array_equal(
        np.stack([table.column(header) for header in table.headers], axis=1), values
    )
