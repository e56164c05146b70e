"""Every dialect gives the same numbers, and every fault is named with its place and its remedy."""

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.io.headers import parse_header, parse_unit
from calibration.io.tables import read_table

T, X, Z = [0.0, 0.01, 0.02], [1.0, np.nan, -1.5e-3], [2.25, 2.5, 3.0]

DIALECTS = {
    "comma": "t,x,z\n0,1,2.25\n0.01,,2.5\n0.02,-1.5e-3,3\n",
    "comma and blanks": "t, x, z\n0.0, 1.0, 2.25\n0.01, , 2.5\n0.02, -1.5e-3, 3.0\n",
    "semicolon": "t;x;z\n0;1;2.25\n0.01;;2.5\n0.02;-1.5e-3;3\n",
    "semicolon, decimal comma": "t;x;z\n0;1;2,25\n0,01;;2,5\n0,02;-1,5e-3;3\n",
    "tab": "t\tx\tz\n0\t1\t2.25\n0.01\t\t2.5\n0.02\t-1.5E-3\t3\n",
    "tab, decimal comma": "t\tx\tz\n0\t1\t2,25\n0,01\t\t2,5\n0,02\t-1,5E-3\t3\n",
    "blanks": "  t   x   z\n 0.00  1.0      2.25\n 0.01  nan      2.5\n 0.02 -1.5e-03  3.0\n",
    "blanks, decimal comma": "t x z\n0,0 1,0 2,25\n0,01 - 2,5\n0,02 -1,5e-3 3,0\n",
    "comma, quoted decimal comma": (
        '"t","x","z"\n"0","1","2,25"\n"0,01","","2,5"\n"0,02","-1,5e-3","3"\n'
    ),
    "gaps as words": "t,x,z\n0,1,2.25\n0.01,NaN,2.5\n0.02,-1.5e-3,3\n",
    "gaps as #N/A": "t,x,z\n0,1,2.25\n0.01,#N/A,2.5\n0.02,-1.5e-3,3\n",
    "old line ends": "t,x,z\r0,1,2.25\r0.01,,2.5\r0.02,-1.5e-3,3\r",
    "windows line ends": "t,x,z\r\n0,1,2.25\r\n0.01,,2.5\r\n0.02,-1.5e-3,3\r\n",
    "byte order mark": "\ufefft,x,z\n0,1,2.25\n0.01,,2.5\n0.02,-1.5e-3,3\n",
    "comments": "# drop 3\n# phone\nt,x,z\n0,1,2.25\n# pause\n0.01,,2.5\n0.02,-1.5e-3,3\n",
    "comment of MATLAB": "% drop 3\nt,x,z\n0,1,2.25\n0.01,,2.5\n0.02,-1.5e-3,3\n",
    "separator announced": "sep=;\nt;x;z\n0;1;2,25\n0,01;;2,5\n0,02;-1,5e-3;3\n",
    "header as comment": "# t,x,z\n0,1,2.25\n0.01,,2.5\n0.02,-1.5e-3,3\n",
    "header as comment, other separator": "# t,x,z\n0 1 2.25\n0.01 nan 2.5\n0.02 -1.5e-3 3\n",
    "title": "Drop 3\n\nt,x,z\n0,1,2.25\n0.01,,2.5\n0.02,-1.5e-3,3\n",
    "title padded by a spreadsheet": (
        "Drop 3;;;\n;;;\nt;x;z;\n0;1;2,25;\n0,01;;2,5;\n0,02;-1,5e-3;3;\n;;;\n"
    ),
    "settings above the header": (
        "fps,240\nball,steel\nt,x,z\n0,1,2.25\n0.01,,2.5\n0.02,-1.5e-3,3\n"
    ),
    "Tracker, tab": "masse A\nt\tx\tz\n0.0\t1.0\t2.25\n0.01\t\t2.5\n0.02\t-1.5E-3\t3.0\n",
    "Tracker, comma": (
        ",mass A,,,\nt,x,z,\n0.0E0,1.0E0,2.25E0,\n1.0E-2,,2.5E0,\n2.0E-2,-1.5E-3,3.0E0,\n"
    ),
    "Tracker, semicolon": (
        "mass A;;\nt;x;z\n0,0E0;1,0E0;2,25E0\n1,0E-2;;2,5E0\n2,0E-2;-1,5E-3;3,0E0\n"
    ),
    "row of units": "t;x;z\ns;m;m\n0;1;2,25\n0,01;;2,5\n0,02;-1,5e-3;3\n",
    "minus sign of typesetting": "t,x,z\n0,1,2.25\n0.01,,2.5\n0.02,\u22121.5e-3,3\n",
    "trailing gaps": "t;z;x\n0;2,25;1\n0,01;2,5;\n0,02;3;-1,5e-3\n",
    "remarks in a column": (
        "t,x,z,remark\n0,1,2.25,held in hand\n0.01,,2.5,\n0.02,-1.5e-3,3,12 cm away\n"
    ),
}


@pytest.fixture
def write(tmp_path):
    def write(content, *, encoding="utf-8", name="drop.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS.keys())
def test_every_dialect_gives_the_same_numbers(write, text):
    table = read_table(write(text))
    for name, values in (("t", T), ("x", X), ("z", Z)):
        np.testing.assert_array_equal(table.column(table.find(name)), values)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_headers_with_umlauts_are_read_in_every_usual_encoding(write, encoding):
    table = read_table(write("Zeit (s);Höhe (µm)\n0;1\n", encoding=encoding))
    assert table.names == ("Zeit (s)", "Höhe (µm)")
    assert [(h.name, h.unit.symbol) for h in table.headers] == [("zeit", "s"), ("hoehe", "um")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_last_column_of_gaps_does_not_hide_the_separator(write, separator):
    table = read_table(write("t,x\n0.1,\n0.2,\n".replace(",", separator)))
    np.testing.assert_array_equal(table.column(table.find("t")), [0.1, 0.2])
    assert table.is_empty(table.find("x"))


def test_rows_know_their_lines(write):
    table = read_table(write("# a\nmass A\nt,x\n\n0,1\n# b\n1,2\n"))
    assert list(table.lines) == [5, 7]
    assert (table.header_line, table.preamble, table.comments) == (3, ("mass A",), ("a", "b"))


def test_the_numbers_of_an_unnamed_column_are_kept_apart(write):
    table = read_table(write(",t,x\n0,0.0,1.5\n1,0.1,1.4\n"))
    assert table.names == ("column 1", "t", "x")


def test_names_of_several_rows_end_in_the_row_next_to_the_numbers(write):
    assert read_table(
        write("scorer,net,net\nbodyparts,ball,ball\ncoords,x,y\n0,1.5,2.5\n1,1.4,2.4\n")
    ).names == ("coords", "x", "y")


FAULTS = {
    "empty": (b"", "the file is empty. Export it again."),
    "blank": (b" \n\n", "the file is empty. Export it again."),
    "header only": (
        b"t,x\n",
        "line 1: the file holds no data rows. Below the header come the measured rows, one "
        "for each sample.",
    ),
    "comments only": (
        b"# t,x\n",
        "the file holds no data rows. Add a header line above the numbers that names the columns",
    ),
    "no header": (
        b"0,1\n1,2\n",
        "line 1: the columns have no names: the first row is numbers. Add a header line "
        "above the numbers that names the columns, "
        "for example 't,x,y' or 't (s);x (mm);z (mm)', or 't (s)' above "
        "times of impacts.",
    ),
    "track name and no header": (
        b"mass A\n0,1\n1,2\n",
        "line 2: the columns have no names: the first row is numbers.",
    ),
    "row too short": (
        b"t,x,z\n0,1,2\n1,2\n",
        "line 3: the row has 2 values, but the header names 3 columns. "
        "Give every row one value for each column, and leave a cell empty for a gap.",
    ),
    "row too long": (
        b"t,x\n0,1\n1,2,3\n2,3\n",
        "line 3: the row has 3 values, but the header names 2 columns.",
    ),
    "name forgotten": (
        b"t,x\n0,1,5\n1,2,6\n",
        "line 2: the row has 3 values, but the header names 2 columns.",
    ),
    "decimal comma and comma": (
        b"t,x\n0,01,1,50\n0,02,1,40\n",
        "line 2: the row has 4 values, but the header names 2 columns. The comma seems to be "
        "decimal sign and separator at once: "
        "export with semicolons or tabs, or with decimal points.",
    ),
    "same name twice": (
        b"t,x,X\n0,1,2\n",
        "line 1, column 'X': columns 2 and 3 have the same name. Rename or delete one of them; "
        "from Tracker, export one track into one file.",
    ),
    "several tracks": (
        b"#multi:\n\tA\t\tB\t\t\nt\tx\ty\tx\ty\n0\t1\t2\t3\t4\n",
        "line 3, column 'x': columns 2 and 4 have the same name.",
    ),
    "bytes": (
        b"t,x\n\x00\x01,\x02\n",
        "the file holds bytes that are not text. Export it as CSV text (UTF-8) and give that file.",
    ),
    "half of UTF-16": (b"\xff\xfet\x00,", "the file holds bytes that are not text."),
    "spreadsheet": (
        b"PK\x03\x04\x14\x00",
        "this is an archive or a spreadsheet that cannot be read. Save the sheet with the "
        "recording as CSV (File > Save as > CSV) and give that file.",
    ),
    "old spreadsheet": (
        b"\xd0\xcf\x11\xe0\xa1\xb1",
        "this is an archive or a spreadsheet that cannot be read.",
    ),
    "film of a telephone": (
        b"\0\0\0\x18ftypmp42" + bytes(99),
        "this is a film, not a text file. Follow the ball in it with jaxcontact track FILM",
    ),
    "old film": (b"RIFF\x24\x01\0\0AVI LIST" + bytes(99), "this is a film, not a text file."),
    "film of a browser": (b"\x1aE\xdf\xa3\x01" + bytes(99), "this is a film, not a text file."),
    "Tracker project": (
        b'<?xml version="1.0"?>\n',
        "this is a project or web file (XML or HTML), not a table. Export the numbers as "
        "text; in Tracker: File > Export > Data File.",
    ),
    "endless cell": (
        b't,x\n0,"' + b"1" * 200_000 + b'"\n',
        "the file cannot be split into columns (field larger than field limit",
    ),
}


@pytest.mark.parametrize(("content", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_file_that_is_no_table_is_refused_with_place_and_remedy(write, content, message):
    path = write(content)
    with pytest.raises(InputError) as caught:
        read_table(path)
    separator = ", " if message.startswith("line") else ": "
    assert str(caught.value).startswith(f"{path}{separator}{message}")
    assert caught.value.path == str(path)


CELLS = {
    "text": (
        "t,x\n0,1\n1,abc\n",
        "'abc' is not a number. Replace it or leave the cell empty (a gap).",
    ),
    "infinite": (
        "t,x\n0,1\n1,inf\n",
        "'inf' is not a number. Replace it or leave the cell empty (a gap).",
    ),
    "too large": (
        "t,x\n0,1\n1,1e999\n",
        "'1e999' is not a finite number. Replace it or leave the cell empty (a gap).",
    ),
    "time of day": (
        "t,x\n0,1\n1,0:00:00.5\n",
        "'0:00:00.5' is a date or a time of day, not a number. Give numbers: of a time the seconds",
    ),
    "date": ("t,x\n0,1\n1,2024-02-01\n", "'2024-02-01' is a date or a time of day"),
    "underscore": ("t,x\n0,1\n1,1_000\n", "'1_000' is not a number."),
    "other decimal sign": (
        "t;x\n0,1;1\n1;1.5\n2,5;3,5\n",
        "'1.5' does not have the decimal comma of the rest of the file. "
        "Write all numbers with the same decimal sign and without separators of thousands.",
    ),
    "decimal comma": (
        "t;x\n0.1;1\n1;1,5\n2.5;3.5\n",
        "'1,5' does not have the decimal point of the rest of the file.",
    ),
    "thousands": ("t;x\n0.1;1\n1;1,234.5\n2.5;3.5\n", "'1,234.5' is not a number."),
}


@pytest.mark.parametrize(("text", "message"), CELLS.values(), ids=CELLS.keys())
def test_a_cell_that_is_no_number_is_refused_with_line_and_column(write, text, message):
    path = write(text)
    table = read_table(path)
    with pytest.raises(InputError) as caught:
        table.column(table.find("x"))
    assert str(caught.value).startswith(f"{path}, line 3, column 'x': {message}")
    assert (caught.value.line, caught.value.column) == (3, "x")


def test_a_missing_file_is_named_with_the_nearest_one(write, tmp_path):
    write("t,x\n0,1\n")
    with pytest.raises(InputError, match=r"there is no such file\. Did you mean '.*drop\.csv'\?"):
        read_table(tmp_path / "dorp.csv")
    with pytest.raises(InputError, match="Check the spelling, or the directory you are in"):
        read_table(tmp_path / "quite different")
    with pytest.raises(InputError, match=r"There is no directory '.*nowhere' either"):
        read_table(tmp_path / "nowhere" / "drop.csv")


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(
        InputError,
        match=r"this is a directory, not a file\. Give a file in it, or a pattern such as "
        r"'drops/\*\.csv'\.",
    ):
        read_table(tmp_path)


def test_a_file_that_may_not_be_read_is_named(write, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    path = write("t,x\n0,1\n")
    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(
        InputError,
        match=r"cannot be read \(Permission denied\)\. Check that it is a file that you may read\.",
    ):
        read_table(path)


def test_find_takes_a_header_with_or_without_unit_in_any_case(write):
    table = read_table(write("Zeit (s);x (mm);x (m)\n0;1;2\n"))
    assert table.find("zeit").text == "Zeit (s)"
    assert read_table(write("z (mm),sigma_z\n0,1\n", name="sigma.csv")).find("z").text == "z (mm)"
    assert table.find("X (M)").text == "x (m)"
    with pytest.raises(
        InputError,
        match=r"line 1: 'x' fits several columns: 'x \(mm\)', 'x \(m\)'\. Name one of 'Zeit "
        r"\(s\)', ",
    ):
        table.find("x")
    with pytest.raises(
        InputError,
        match=r"line 1: there is no column 'z'\. Name one of 'Zeit \(s\)', 'x \(mm\)', 'x \(m\)'\.",
    ):
        table.find("z")


@pytest.mark.parametrize(
    ("text", "name", "unit"),
    [
        ("t", "t", None),
        ("t (s)", "t", "s"),
        ("t[ms]", "t", "ms"),
        ("x [mm]", "x", "mm"),
        ("z/m", "z", "m"),
        ("x in cm", "x", "cm"),
        ("x, mm", "x", "mm"),
        ("X_m", "x", "m"),
        ("time_s", "time", "s"),
        ("y_px", "y", "px"),
        ("pixely", "y", "px"),
        ("px_x", "x", "px"),
        ("posX", "pos_x", None),
        ("v_{x}", "v_x", None),
        ("Data Set 1: Time (s)", "time", "s"),
        ("Höhe (m)", "hoehe", "m"),
        ("hauteur à midi", "hauteur_a_midi", None),
        ("θ (°)", "theta", "deg"),
        ("theta_rebound_deg", "theta_rebound", "deg"),
        ("omega_rad_s", "omega", "rad/s"),
        ("omega/(rad/s)", "omega", "rad/s"),
        ("ω [rad s⁻¹]", "omega", "rad/s"),
        ("omega (1/s)", "omega", "rad/s"),
        ("spin (rpm)", "spin", "rpm"),
        ("v_in", "v_in", None),
        ("v_in_m_s", "v_in", "m/s"),
        ("v_in (m/s)", "v_in", "m/s"),
        ("v m/s", "v", "m/s"),
        ("e_n (%)", "e_n", "%"),
        ("e_t [-]", "e_t", "-"),
        ("t_min", "t_min", None),
        ("x (in)", "x", "in"),
        ("frame", "frame", None),
        ("t (frames)", "t", "frame"),
        ("s", "s", None),
    ],
)
def test_headers_give_name_and_unit(text, name, unit):
    header = parse_header(text)
    assert (header.name, header.unit and header.unit.symbol, header.uncertainty) == (
        name,
        unit,
        False,
    )


@pytest.mark.parametrize(
    ("text", "name", "unit"),
    [
        ("sigma", "", None),
        ("sigma_mm", "", "mm"),
        ("sigma_x", "x", None),
        ("sigma x (mm)", "x", "mm"),
        ("σ_z", "z", None),
        ("sx", "x", None),
        ("s_z", "z", None),
        ("x_err", "x", None),
        ("x_mm_err", "x", "mm"),
        ("y_sd_px", "y", "px"),
        ("omega_sd_rad_s", "omega", "rad/s"),
        ("sigma_e_t", "e_t", None),
    ],
)
def test_headers_of_uncertainties_are_recognised(text, name, unit):
    header = parse_header(text)
    assert (header.name, header.unit and header.unit.symbol, header.uncertainty) == (
        name,
        unit,
        True,
    )


def test_an_error_of_reprojection_is_no_uncertainty_of_a_position():
    assert not parse_header("error").uncertainty


def test_a_bracket_that_is_no_unit_is_kept_for_the_message():
    assert parse_header("x (furlong)").unknown_unit == "furlong"
    assert parse_header("x (furlong)").unit is None


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("km/h", 1 / 3.6),
        ("rpm", 2 * np.pi / 60),
        ("deg/s", np.pi / 180),
        ("rad", 180 / np.pi),
        ("in", 0.0254),
    ],
)
def test_units_convert(text, factor):
    assert parse_unit(text).factor == pytest.approx(factor, rel=1e-15)


def test_an_error_without_place_is_its_problem_and_remedy():
    assert str(InputError("no file is given", remedy="Give one.")) == "no file is given. Give one."
    assert str(InputError("no file is given")) == "no file is given."
    assert str(InputError("bad", line=3, column="z")) == "line 3, column 'z': bad."
    assert isinstance(InputError("bad"), ValueError)
