"""What stands in a spreadsheet is read as what stands in a text file.

Packed files are made here; ``collision.xls``, whose layout is binary, was written by the library
xlwt 1.3.0 with the numbers of ``HEARD``, in sheets like those of phyphox.
"""

import io
import re
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import openpyxl
import pytest

from calibration.errors import InputError
from calibration.io.files import find_files
from calibration.io.recording import read_trajectory
from calibration.io.tables import read_table
from calibration.studies.file_kinds import kind_of

TIME = np.arange(60) / 100.0
HEIGHT = 1.0 - 9.81 / 2 * TIME**2
HEARD = (0.512, 1.183, 1.786, 2.329)

ROWS = [
    ["Drop of 12 May", "", ""],
    ["", "", ""],
    ["t (s)", "z (mm)", "remark"],
    *([float(t), float(1e3 * z), ""] for t, z in zip(TIME, HEIGHT, strict=True)),
]


def packed(files):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return archive.getvalue()


def excel(sheets):
    """The least that Office Open XML asks for (ECMA-376)."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"

    def cell(value):
        if isinstance(value, float):
            return f"<c><v>{value!r}</v></c>"
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>' if value else "<c/>"

    def sheet(rows):
        lines = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        return f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>'

    count = range(1, len(sheets) + 1)
    names = "".join(
        f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>'
        for k, name in zip(count, sheets, strict=True)
    )
    relations = "".join(
        f'<Relationship Id="r{k}" Type="{office}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k in count
    )
    contents = dict(
        zip((f"xl/worksheets/sheet{k}.xml" for k in count), sheets.values(), strict=True)
    )
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    overrides = f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
    overrides += "".join(
        f'<Override PartName="/{name}" ContentType="{types}.worksheet+xml"/>' for name in contents
    )
    return packed(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
            f'content-types">{overrides}</Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}">'
            f"<sheets>{names}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">{relations}'
            "</Relationships>",
            **{name: sheet(rows) for name, rows in contents.items()},
        }
    )


def test_a_sheet_is_read_with_all_digits(tmp_path):
    place = tmp_path / "drop.xlsx"
    place.write_bytes(excel({"Notes": [["by hand", "", ""]], "Drop": ROWS}))
    drop = read_trajectory(place)
    np.testing.assert_array_equal(drop.time, TIME)
    np.testing.assert_allclose(np.ravel(drop.position[..., -1]), HEIGHT, rtol=1e-15)
    assert find_files(tmp_path) == [place]


def computed(cells, sheet="Drop"):
    """A file of the library openpyxl, which stores formulas without their values."""
    book, contents = openpyxl.Workbook(), io.BytesIO()
    book.active.title = sheet
    for row in cells:
        book.active.append(row)
    book.save(contents)
    return contents.getvalue()


def with_value(contents, value):
    """The file with a text as the stored value of its formulas."""
    with zipfile.ZipFile(io.BytesIO(contents)) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    sheet = files["xl/worksheets/sheet1.xml"].decode()
    sheet, count = re.subn(
        r"<c r=(\S+)><f>(.*?)</f><v ?/?>(</v>)?</c>",
        rf'<c r=\1 t="str"><f>\2</f>{value}</c>',
        sheet,
    )
    assert count
    return packed(files | {"xl/worksheets/sheet1.xml": sheet})


HEADED = [["t (s)", "z (m)", "remark"]]
NUMBERS = [[float(t), float(z)] for t, z in zip(TIME, HEIGHT, strict=True)]


@pytest.mark.parametrize("hidden", [(), (1,), (7, 8, 9)])
def test_rows_of_numbers_that_are_hidden_are_not_read_as_if_they_were_seen(tmp_path, hidden):
    """Row 1 is the header, which may be hidden."""
    book, place = openpyxl.Workbook(), tmp_path / "drop.xlsx"
    for row in [*HEADED, *NUMBERS]:
        book.active.append(row)
    for row in hidden:
        book.active.row_dimensions[row].hidden = True
    book.save(place)
    if len(hidden) < 2:
        np.testing.assert_array_equal(read_trajectory(place).time, TIME)
        return
    with pytest.raises(InputError, match="3 rows of numbers on the sheet 'Sheet' are hidden"):
        read_trajectory(place)


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_does_not_stand_beside_one_that_is_seen(tmp_path, state):
    book, place = openpyxl.Workbook(), tmp_path / "drop.xlsx"
    old = book.create_sheet("old")
    old.sheet_state = state
    for row in [*HEADED, *NUMBERS]:
        book.active.append(row)
        old.append(row)
    book.save(place)
    np.testing.assert_array_equal(read_trajectory(place).time, TIME)


def test_a_formula_without_its_value_is_refused_by_the_name_of_its_cell(tmp_path):
    place = tmp_path / "drop.xlsx"
    place.write_bytes(
        computed([*HEADED, *([t, f"=A{k}*2"] for k, (t, _) in enumerate(NUMBERS, 2))])
    )
    with pytest.raises(InputError, match="formula in B2 of the sheet 'Drop' is not stored"):
        read_trajectory(place)


@pytest.mark.parametrize("value", ["<v></v>", "<v>late</v>"])
def test_a_formula_whose_value_is_a_text_is_a_text(tmp_path, value):
    place = tmp_path / "drop.xlsx"
    place.write_bytes(
        with_value(computed([*HEADED, *([*row, "=IF(A9,A9,A9)"] for row in NUMBERS)]), value)
    )
    np.testing.assert_array_equal(read_trajectory(place).time, TIME)


@pytest.mark.parametrize(
    "missing", ["#DIV/0!", "#N/A", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"]
)
def test_an_error_in_a_cell_is_no_comment(tmp_path, missing):
    """A row was dropped, with the numbers that stood beside it and in no finding."""
    rows = [list(row) for row in ROWS]
    rows[9][0] = missing
    (tmp_path / "drop.xlsx").write_bytes(excel({"Drop": rows}))
    with pytest.raises(InputError, match="line 10"):
        read_trajectory(tmp_path / "drop.xlsx")


def test_numbers_that_are_stored_as_text_are_numbers(tmp_path):
    place = tmp_path / "drop.xlsx"
    place.write_bytes(
        excel({"Notes": [["by hand"]], "Drop": [[str(cell) for cell in row] for row in ROWS]})
    )
    np.testing.assert_array_equal(read_trajectory(place).time, TIME)


def test_an_error_names_the_row_of_the_sheet(tmp_path):
    rows = [list(row) for row in ROWS]
    rows[9][1] = "about 900"
    (tmp_path / "drop.xlsx").write_bytes(excel({"Drop": rows}))
    with pytest.raises(InputError, match=r"line 10.*'about 900' is not a number"):
        read_trajectory(tmp_path / "drop.xlsx")


def test_the_excel_file_of_phyphox_is_read():
    heard = Path(__file__).parent / "collision.xls"
    table = read_table(heard)
    np.testing.assert_allclose(table.column(table.headers[0]), HEARD)
    assert kind_of(heard).name == "times of impacts"


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        (excel({"First": ROWS, "Second": ROWS}), "numbers on several sheets: 'First', 'Second'"),
        (excel({"Empty": [["nothing"]]}), "no numbers on any sheet: 'Empty'"),
        (excel({"Drop": ROWS})[:300], "cannot be read"),
        (packed({"readme.md": "no table"}), "cannot be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "cannot be read"),
    ],
    ids=["two sheets", "no numbers", "cut off", "another archive", "another compound file"],
)
def test_what_is_no_single_table_is_refused_with_the_remedy(tmp_path, contents, says):
    (tmp_path / "drop.xlsx").write_bytes(contents)
    with pytest.raises(InputError, match=says) as caught:
        read_table(tmp_path / "drop.xlsx")
    assert "CSV" in caught.value.remedy
