"""Files in the layouts of tracking programs hold the motion that was written into them; what is
nearly such a file is refused with the reason.

The layouts are those of the programs' own documentation, which the readers cite; the files are made
here.
"""

import contextlib
import io
import zipfile
from time import process_time

import numpy as np
import pytest

from calibration.cli.main import main
from calibration.errors import InputError
from calibration.io.formats.known import FORMATS, format_of
from calibration.io.in_memory import recording_from
from calibration.io.recording import read_trajectory
from calibration.io.tables import read_table
from calibration.io.two_bodies import read_two_bodies
from calibration.studies.file_kinds import kind_of

RATE = 100.0
TIME = np.arange(90) / RATE
FALLEN = 1.0 - 9.81 / 2 * (TIME % 0.45) ** 2
"""Height of something that falls, and falls again [m]."""

ACROSS, ASIDE = 0.2 + 0.3 * TIME, 0.1 - 0.05 * TIME
LOST = 7
"""A sample that was not seen."""


def table(separator, rows):
    return "\n".join(separator.join(map(str, row)) for row in rows) + "\n"


def cells(values, factor=1.0):
    return [repr(float(factor * value)) for value in values]


def motive(*, names=("Ball",), kind="Rigid Body", units="Meters", factor=1.0):
    """y up, so x, height, -aside."""
    wide = 8 if kind == "Rigid Body" else 3
    quantities = ["Rotation"] * 4 + ["Position"] * 3 + ["Mean Marker Error"]
    axes = [*"XYZW", *"XYZ", ""]
    if kind != "Rigid Body":
        quantities, axes = ["Position"] * 3, [*"XYZ"]
    head = ["Format Version", "1.23", "Take Name", "Take 1", "Capture Frame Rate", "100.000000"]
    rows = [
        [*head, "Length Units", units, "Coordinate Space", "Global"],
        [],
        ["", "Type", *[kind] * wide * len(names)],
        ["", "Name", *[name for name in names for _ in range(wide)]],
        ["", "ID", *[1000 + place for place in range(len(names)) for _ in range(wide)]],
        ["", "", *quantities * len(names)],
        ["Frame", "Time (Seconds)", *axes * len(names)],
    ]
    for sample, time in enumerate(TIME):
        row = [sample, f"{time:.6f}"]
        for shift in range(len(names)):
            at = cells((ACROSS[sample] + shift, FALLEN[sample], -ASIDE[sample]), factor)
            at = ["", "", ""] if sample == LOST else at
            row += ["0", "0", "0", "1", *at, "0.0002"] if wide == 8 else at
        rows.append(row)
    return table(",", rows)


def vicon():
    rows = [
        ["Devices"],
        [1000],
        ["", "", "Plate"],
        ["Frame", "Sub Frame", "Fx", "Fy", "Fz"],
        ["", "", "N", "N", "N"],
        [1, 0, 0.1, 0.2, 0.3],
        [""],
        ["Trajectories"],
        [int(RATE)],
        ["", "", "Ball:Top", "", ""],
        ["Frame", "Sub Frame", "X", "Y", "Z"],
        ["", "", "mm", "mm", "mm"],
    ]
    for sample in range(len(TIME)):
        at = cells((ACROSS[sample], ASIDE[sample], FALLEN[sample]), 1e3)
        rows.append([sample + 1, 0, *(["", "", ""] if sample == LOST else at)])
    return table(",", rows)


def qualisys(*, columns=True):
    rows = [
        ["NO_OF_FRAMES", len(TIME)],
        ["NO_OF_CAMERAS", 8],
        ["NO_OF_MARKERS", 1],
        ["FREQUENCY", int(RATE)],
        ["NO_OF_ANALOG", 0],
        ["ANALOG_FREQUENCY", 0],
        ["DESCRIPTION", "--"],
        ["TIME_STAMP", "2026-03-01, 10:00:00"],
        ["DATA_INCLUDED", "3D"],
        ["MARKER_NAMES", "ball"],
    ]
    if columns:
        rows.append(["Frame", "Time", "ball X", "ball Y", "ball Z"])
    for sample, time in enumerate(TIME):
        at = cells((ACROSS[sample], ASIDE[sample], FALLEN[sample]), 1e3)
        at = ["0.000"] * 3 if sample == LOST else at
        rows.append([sample + 1, f"{time:.5f}", *at] if columns else at)
    return table("\t", rows)


def trc():
    """z up."""
    rows = [
        ["PathFileType", 4, "(X/Y/Z)", "drop.trc"],
        ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"],
        [RATE, RATE, len(TIME), 1, "mm"],
        ["Frame#", "Time", "ball", "", ""],
        ["", "", "X1", "Y1", "Z1"],
        [],
    ]
    for sample, time in enumerate(TIME):
        at = cells((ACROSS[sample], ASIDE[sample], FALLEN[sample]), 1e3)
        rows.append([sample + 1, f"{time:.5f}", *(["", "", ""] if sample == LOST else at)])
    return table("\t", rows)


PIXEL = 0.001


def image(sample):
    """Where the ball is in the picture, rows downwards."""
    return cells((ACROSS[sample] / PIXEL, -FALLEN[sample] / PIXEL))


def deeplabcut():
    rows = [
        ["scorer", *["DLC_resnet50_drops"] * 3],
        ["bodyparts", *["ball"] * 3],
        ["coords", "x", "y", "likelihood"],
    ]
    rows += [
        [sample, *image(sample), 0.1 if sample == LOST else 0.99] for sample in range(len(TIME))
    ]
    return table(",", rows)


def sleap():
    rows = [["track", "frame_idx", "instance.score", "ball.x", "ball.y", "ball.score"]]
    rows += [
        ["", sample, 0.9, *image(sample), 0.05 if sample == LOST else 0.9]
        for sample in range(len(TIME))
    ]
    return table(",", rows)


def trackpy():
    rows = [
        ["y", "x", "mass", "size", "ecc", "signal", "raw_mass", "ep", "frame", "particle"],
    ]
    for sample in range(len(TIME)):
        across, down = image(sample)
        if sample != LOST:
            rows.append([down, across, 900.1, 2.1, 0.05, 12.0, 1500.0, 0.02, sample, 0])
    return table(",", rows)


def trackmate():
    """Calibrated in mm; two spots of no track."""
    keys = ["LABEL", "ID", "TRACK_ID", "QUALITY", "POSITION_X", "POSITION_Y", "POSITION_T", "FRAME"]
    names = ["Label", "Spot ID", "Track ID", "Quality", "X", "Y", "T", "Frame"]
    rows = [keys, names, names, ["", "", "", "(quality)", "(mm)", "(mm)", "(sec)", ""]]
    rows += [
        [f"ID{sample}", sample, 0, 12.5, *image(sample), f"{TIME[sample]:.4f}", sample]
        for sample in range(len(TIME))
        if sample != LOST
    ]
    rows += [[f"ID{900 + k}", 900 + k, "", 3.0, 1.0, 1.0, 0.1, 10] for k in range(2)]
    return table(",", rows)


def ros():
    stamp = 1_772_000_000_123_456_789
    fields = ["header.seq", "header.stamp", "header.frame_id"]
    fields += [f"pose.position.{axis}" for axis in "xyz"]
    fields += [f"pose.orientation.{axis}" for axis in "xyzw"]
    rows = [["%time", *(f"field.{name}" for name in fields)]]
    for sample, time in enumerate(TIME):
        at = cells((ACROSS[sample], ASIDE[sample], FALLEN[sample]))
        now = stamp + round(1e9 * time)
        if sample != LOST:
            rows.append([now + 400, sample, now, "world", *at, 0, 0, 0, 1])
    return table(",", rows)


def kinovea(decimal="."):
    separator = "," if decimal == "." else ";"
    rows = [["Time", "Trajectory 1/0/X", "Trajectory 1/0/Y"]]
    for sample, moment in enumerate(TIME):
        if sample != LOST:
            rows.append([moment, *cells((ACROSS[sample], FALLEN[sample]))])
    quoted = [[f'"{cell}"'.replace(".", decimal) for cell in row] for row in rows]
    return table(separator, quoted)


def kinovea_text():
    rows = [["#Kinovea Trajectory data export"], ["#T X Y"], [], ["# Trajectory 1"]]
    for sample, moment in enumerate(TIME):
        if sample != LOST:
            rows.append([moment, *cells((ACROSS[sample], FALLEN[sample]))])
    return table(" ", rows)


PLANAR = {"frame_rate": RATE, "scale": PIXEL}
TRAJECTORIES = {
    "rigid body of Motive": (motive(), {}, True),
    "marker of Motive": (motive(kind="Marker", units="Millimeters", factor=1e3), {}, True),
    "Vicon": (vicon(), {}, True),
    "Qualisys": (qualisys(), {}, True),
    "Qualisys without times": (qualisys(columns=False), {}, True),
    "TRC": (trc(), {"vertical": "z"}, True),
    "DeepLabCut": (deeplabcut(), PLANAR, False),
    "SLEAP": (sleap(), PLANAR, False),
    "trackpy": (trackpy(), PLANAR, False),
    "TrackMate": (trackmate(), {}, False),
    "rostopic": (ros(), {}, True),
    "Kinovea": (kinovea(), {}, False),
    "Kinovea with commas": (kinovea(","), {}, False),
    "Kinovea text": (kinovea_text(), {}, False),
}


@pytest.mark.parametrize("name", TRAJECTORIES)
def test_the_motion_in_a_file_is_read_with_its_gap(tmp_path, name):
    text, options, solid = TRAJECTORIES[name]
    (tmp_path / "drop.csv").write_text(text)
    read = read_trajectory(tmp_path / "drop.csv", **options)
    seen = np.isfinite(read.position[:, 2])
    kept = np.delete(np.arange(len(TIME)), LOST)
    np.testing.assert_allclose(read.time[seen], TIME[kept], atol=1e-9)
    np.testing.assert_allclose(read.position[seen, 0], ACROSS[kept], atol=1e-9)
    np.testing.assert_allclose(read.position[seen, 2], FALLEN[kept], atol=1e-9)
    if solid:
        np.testing.assert_allclose(read.position[seen, 1], ASIDE[kept], atol=1e-9)
    assert read.notes[0].startswith("read as ")


def test_what_is_left_out_or_taken_for_granted_is_said(tmp_path):
    said = {}
    for name, (text, options, _) in TRAJECTORIES.items():
        (tmp_path / "drop.csv").write_text(text)
        said[name] = " ".join(read_trajectory(tmp_path / "drop.csv", **options).notes)
    assert "1 positions with a likelihood below 0.6" in said["DeepLabCut"]
    assert "1 positions with a score below 0.2" in said["SLEAP"]
    assert "1 positions at exactly 0, 0, 0" in said["Qualisys"]
    assert "y is taken as up" in said["rigid body of Motive"]
    assert "100 Hz" in said["Vicon"]
    assert "2 spots that belong to no track" in said["TrackMate"]


def test_check_reads_a_declared_format_and_says_which(tmp_path, capsys):
    (tmp_path / "drop.csv").write_text(motive())
    main(["check", str(tmp_path / "drop.csv"), "--radius", "0.02", "--mass", "0.003"])
    assert "read as OptiTrack Motive CSV" in " ".join(capsys.readouterr().out.split())


def test_two_bodies_are_numbered_in_the_order_of_the_file(tmp_path):
    (tmp_path / "hit.csv").write_text(motive(names=("Left", "Right")))
    read = read_two_bodies(tmp_path / "hit.csv")
    apart = read.bodies[1].position - read.bodies[0].position
    np.testing.assert_allclose(apart[0], [1.0, 0.0, 0.0], atol=1e-12)
    assert "body 1 is 'Left', body 2 is 'Right'" in read.bodies[0].notes


def test_of_three_bodies_one_is_chosen_by_its_name(tmp_path):
    (tmp_path / "three.csv").write_text(motive(names=("A", "B", "C")))
    with pytest.raises(InputError, match=r"no column of position[\s\S]*'B x \(m\)'"):
        read_trajectory(tmp_path / "three.csv")
    chosen = {axis: f"B {axis} (m)" for axis in "xyz"}
    read = read_trajectory(tmp_path / "three.csv", columns=chosen)
    np.testing.assert_allclose(read.position[0], [ACROSS[0] + 1, ASIDE[0], FALLEN[0]], atol=1e-12)


def test_a_format_that_does_not_say_which_axis_is_up_asks(tmp_path):
    (tmp_path / "drop.trc").write_text(trc())
    with pytest.raises(InputError, match=r"which axis points up.*--vertical y or --vertical z"):
        read_trajectory(tmp_path / "drop.trc")


def test_a_table_in_memory_is_read_like_a_file():
    pandas = pytest.importorskip("pandas")
    height = np.where(np.arange(len(TIME)) == LOST, np.nan, FALLEN)
    frame = pandas.DataFrame({"t (s)": TIME, "z (mm)": 1e3 * height, "remark": "ok"})
    read = recording_from(frame, name="film")
    np.testing.assert_allclose(read.position[:, 2], height)
    assert (read.name, read.path, read.ignored) == ("film", None, ("remark",))
    with pytest.raises(InputError, match="shapes"):
        recording_from({"t": TIME, "z": FALLEN[1:]}, name="film")
    with pytest.raises(InputError, match="no column of time"):
        recording_from({"z": FALLEN}, name="film")


def test_several_trajectories_below_each_other_are_refused(tmp_path):
    block = kinovea_text().split("# Trajectory 1")[1]
    (tmp_path / "two.txt").write_text(kinovea_text() + "\n# Trajectory 2" + block)
    with pytest.raises(InputError, match="several trajectories"):
        read_table(tmp_path / "two.txt")


# Sounds

HEARD = (0.512, 1.183, 1.786, 2.329)
COLLISION = ["Bounce 0 (s)", "Height 0 (m)"] + [
    f"{what} {place}{unit}"
    for place in range(1, 6)
    for what, unit in (("Bounce", " (s)"), ("Height", " (m)"), ("Energy", ""))
]


def collision(separator=",", decimal="."):
    """Four impacts; the fifth and sixth were not heard."""
    row = [HEARD[0], 0.6]
    for place in range(1, 6):
        row += [HEARD[place] if place < 4 else 0.0, 0.4, 0.9]
    row = [str(value).replace(".", decimal) for value in row]
    return table(separator, [[f'"{name}"' for name in COLLISION], row])


def stopwatch():
    rows = [['"Event time (s)"', '"Interval (s)"']]
    rows += [[time, "" if time == HEARD[0] else 0.5] for time in HEARD]
    return table("\t", rows)


def in_a_row():
    header = ["Start (s)", *(f"Stop {place} (s)" for place in range(1, 6))]
    return table(",", [[f'"{name}"' for name in header], [*HEARD, "NaN", "NaN"]])


def labels():
    rows = [[f"{time:.6f}", f"{time:.6f}", "impact"] for time in HEARD]
    return table("\t", [*rows[:2], ["\\", "100.0", "900.0"], *rows[2:]])


@pytest.mark.parametrize(
    "text",
    [collision(), collision(";", ","), collision("\t"), stopwatch(), in_a_row(), labels()],
    ids=["collision", "German collision", "tabs", "stopwatch", "in a row", "labels"],
)
def test_the_times_of_impacts_in_a_file_are_read(tmp_path, text):
    (tmp_path / "sounds.csv").write_text(text)
    table = read_table(tmp_path / "sounds.csv")
    (header,) = table.headers
    assert header.unit.symbol == "s"
    np.testing.assert_allclose(table.column(header), HEARD)
    assert kind_of(tmp_path / "sounds.csv").name == "times of impacts"


def test_an_archive_of_phyphox_is_read_without_unpacking(tmp_path, capsys):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("Energy.csv", collision())
        archive.writestr("meta/device.csv", "property,value\ndeviceModel,phone\n")
    (tmp_path / "drop.zip").write_bytes(packed.getvalue())
    table = read_table(tmp_path / "drop.zip")
    np.testing.assert_allclose(table.column(table.headers[0]), HEARD)


def test_nothing_heard_is_refused(tmp_path):
    row = ",".join("0" for _ in COLLISION)
    (tmp_path / "quiet.csv").write_text(f"{','.join(COLLISION)}\n{row}\n")
    with pytest.raises(InputError, match="no impact was heard"):
        read_table(tmp_path / "quiet.csv")


# What is no such file

SAMPLES = {
    **{name: text for name, (text, _, _) in TRAJECTORIES.items()},
    "collision": collision(),
    "stopwatch": stopwatch(),
    "in a row": in_a_row(),
    "labels": labels(),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_has_the_marks_of_one_format_only(name):
    assert sum(not one.lacking(SAMPLES[name]) for one in FORMATS) == 1


NUMBERS = "".join(f"{0.01 * k:.6f}\t{0.3 + 0.02 * k:.6f}\t{1.0:.6f}\n" for k in range(50))


@pytest.mark.parametrize(
    "text",
    [
        "t,x,y\n0,1,2\n",
        "frame,x_px,y_px\n0,1,2\n",
        "time;z\n0;1\n",
        NUMBERS,
        NUMBERS.replace("\t1.000000", ""),
    ],
    ids=["plain", "pixels", "German", "three columns of numbers", "two columns of numbers"],
)
def test_plain_tables_are_of_no_format(text):
    assert format_of(text) is None


def test_a_long_file_that_is_no_label_track_at_its_end_is_told_at_once():
    text = 20_000 * "0.500000\t0.500000\timpact\r\n   " + "end"
    begin = process_time()
    assert format_of(text) is None
    assert process_time() - begin < 2


def test_what_is_nearly_a_format_is_told_its_reason(tmp_path):
    (tmp_path / "cut.trc").write_text("PathFileType\t4\t(X/Y/Z)\tcut.trc\n1\t0\t2\n")
    with pytest.raises(InputError, match=r"Nearest to it is TRC, but there is no line 'DataRate'"):
        read_table(tmp_path / "cut.trc")


def test_a_table_without_positions_is_told_the_format_that_it_resembles(tmp_path):
    changed = (
        sleap().replace("instance.score", "score").replace("ball.x", "u").replace("ball.y", "v")
    )
    (tmp_path / "changed.csv").write_text(changed)
    with pytest.raises(InputError, match=r"Nearest to it is SLEAP.*no column 'instance.score'"):
        read_trajectory(tmp_path / "changed.csv", frame_rate=RATE)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_broken_file_of_a_format_is_an_error_of_input(tmp_path, name):
    """Cut anywhere, a file is read as far as it goes, or refused in words."""
    lines = SAMPLES[name].splitlines()
    for cut in range(1, 14):
        for text in ("\n".join(lines[:cut]), "\n".join(lines[:cut])[:-3]):
            (tmp_path / "cut.csv").write_text(text)
            with contextlib.suppress(InputError):
                table = read_table(tmp_path / "cut.csv")
                for header in table.headers:
                    table.column(header)
