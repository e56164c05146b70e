"""What a recording file says becomes seconds and metres with z up; what it does not say is asked
for.
"""

from pathlib import Path

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.io.recording import (
    Recording,
    read_recordings,
    read_trajectory,
    without_still_axes,
)
from calibration.io.trajectory_columns import _FRAMES

DATA = Path(__file__).parents[3].parent / "shared" / "data"
COUNT = 6
TIME = 0.01 * np.arange(COUNT)
A, B, C = 0.1 + 0.3 * TIME, 0.5 - 0.2 * TIME, 1.0 - 4.9 * TIME**2


def csv(header, *columns):
    """The text of a file with these columns; NaN becomes an empty cell."""
    rows = zip(*columns, strict=True)
    return (
        "\n".join(
            [
                header,
                *(",".join("" if v != v else f"{v!r}" for v in map(float, row)) for row in rows),
            ]
        )
        + "\n"
    )


@pytest.fixture
def write(tmp_path):
    def write(text, name="drop_3.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


def columns_of(recording):
    return {axis: recording.position[:, "xyz".index(axis)] for axis in recording.axes}


# Names of columns


@pytest.mark.parametrize(
    "name",
    ["t", "T", "time", "Time (s)", "Zeit", "t [s]", "time_s", "timestamp", "Latest: Time (s)"],
)
def test_time_has_many_names(write, name):
    np.testing.assert_allclose(read_trajectory(write(csv(f"{name},z", TIME, C))).time, TIME)


@pytest.mark.parametrize(
    "name",
    [
        "z",
        "Z (m)",
        "height",
        "h",
        "Höhe",
        "hoehe",
        "Pos Z",
        "ball_z",
        "z_m",
        "position",
        "hauteur [m]",
    ],
)
def test_the_vertical_has_many_names(write, name):
    np.testing.assert_allclose(
        columns_of(read_trajectory(write(csv(f"t,{name}", TIME, C))))["z"], C
    )


@pytest.mark.parametrize(
    "name", ["x", "X_m", "pos_x", "x position", "posX", "x-Koordinate", "ball.x", "center_x"]
)
def test_the_horizontal_has_many_names(write, name):
    recording = read_trajectory(write(csv(f"t,{name},z", TIME, A, C)))
    assert recording.axes == ("x", "z")
    np.testing.assert_allclose(columns_of(recording)["x"], A)


def test_columns_are_chosen_by_the_caller(write):
    path = write(
        csv(
            "Zeitpunkt (ms),lage,Ort der Kugel (mm),x,s1",
            1000 * TIME,
            A,
            1000 * C,
            B,
            np.full(COUNT, 2.0),
        )
    )
    recording = read_trajectory(
        path, columns={"t": "zeitpunkt", "x": "Lage", "z": "ort der kugel (mm)", "sigma": "s1"}
    )
    np.testing.assert_allclose(recording.time, TIME)
    np.testing.assert_allclose(columns_of(recording)["x"], A)
    np.testing.assert_allclose(columns_of(recording)["z"], C)
    np.testing.assert_allclose(
        recording.sigma[:, [0, 2]], np.broadcast_to([2.0, 0.002], (COUNT, 2))
    )
    assert recording.ignored == ("x",)
    with pytest.raises(
        InputError,
        match=r"columns names the quantity 'q', which no recording has\. Use t, frame, x, y, z, "
        r"sigma, ",
    ):
        read_trajectory(path, columns={"q": "lage"})
    with pytest.raises(
        InputError,
        match=r"line 1: there is no column 'Lage 2'\. Name one of 'Zeitpunkt \(ms\)', 'lage', ",
    ):
        read_trajectory(path, columns={"z": "Lage 2"})


def test_what_is_not_used_is_listed(write):
    path = write(csv("t,x,y,vx,angle,frame,remark", TIME, A, C, A, A, TIME, np.full(COUNT, np.nan)))
    assert read_trajectory(path).ignored == ("vx", "angle", "frame")


def test_the_height_of_a_bounding_box_is_no_position(write):
    recording = read_trajectory(write(csv("t,x,y,w,h", TIME, A, C, B, B)))
    np.testing.assert_allclose(columns_of(recording)["z"], C)
    assert recording.ignored == ("w", "h")


# Axes


def test_three_columns_are_three_axes(write):
    recording = read_trajectory(write(csv("t,x,y,z", TIME, A, B, C)))
    assert recording.axes == ("x", "y", "z")
    np.testing.assert_allclose(recording.position, np.stack([A, B, C], axis=1))


def test_without_a_z_the_y_of_a_planar_video_is_the_vertical(write):
    recording = read_trajectory(write(csv("t,x,y", TIME, A, C)))
    assert recording.axes == ("x", "z")
    assert np.isnan(recording.position[:, 1]).all()
    np.testing.assert_allclose(columns_of(recording)["z"], C)


@pytest.mark.parametrize("name", ["x", "y", "z"])
def test_a_single_position_is_the_vertical(write, name):
    recording = read_trajectory(write(csv(f"t,{name}", TIME, C)))
    assert recording.axes == ("z",)
    np.testing.assert_allclose(columns_of(recording)["z"], C)


@pytest.mark.parametrize(
    ("vertical", "expected"),
    [
        ("z", (A, B, C)),
        ("+z", (A, B, C)),
        ("-z", (A, -B, -C)),
        ("y", (A, -C, B)),
        ("-y", (A, C, -B)),
        ("x", (B, C, A)),
        ("-x", (B, -C, -A)),
    ],
)
def test_any_axis_of_the_file_can_point_up(write, vertical, expected):
    recording = read_trajectory(write(csv("t,x,y,z", TIME, A, B, C)), vertical=vertical)
    np.testing.assert_allclose(recording.position, np.stack(expected, axis=1))


@pytest.mark.parametrize("vertical", _FRAMES)
def test_every_choice_of_the_vertical_keeps_a_right_handed_frame(vertical):
    rotation = np.zeros((3, 3))
    for target, (axis, sign) in enumerate(_FRAMES[vertical]):
        rotation[target, "xyz".index(axis)] = sign
    assert np.linalg.det(rotation) == pytest.approx(1.0)


@pytest.mark.parametrize("vertical", ["z", "up", "--y", "", "xy"])
def test_a_vertical_that_the_file_does_not_have_is_refused(write, vertical):
    path = write(csv("t,x,y", TIME, A, C))
    with pytest.raises(
        InputError,
        match=rf"drop_3\.csv: the vertical '{vertical}' is no axis of this file\. Use one of x, "
        r"-x, y, -y\.",
    ):
        read_trajectory(path, vertical=vertical)


# Units


@pytest.mark.parametrize(
    ("unit", "factor"), [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("um", 1e-6), ("in", 0.0254)]
)
def test_lengths_become_metres(write, unit, factor):
    recording = read_trajectory(write(csv(f"t,x,z ({unit})", TIME, A, C / factor)))
    np.testing.assert_allclose(columns_of(recording)["z"], C)
    np.testing.assert_allclose(columns_of(recording)["x"], A)
    assert (recording.unit, recording.scale) == (unit, factor)


@pytest.mark.parametrize(("unit", "factor"), [("ms", 1e-3), ("us", 1e-6), ("min", 60.0)])
def test_times_become_seconds(write, unit, factor):
    np.testing.assert_allclose(
        read_trajectory(write(csv(f"t ({unit}),z", TIME / factor, C))).time, TIME
    )


def test_a_row_of_units_counts(write):
    body = csv("t,z", 1000 * TIME, 1000 * C).split("\n", 1)[1]
    recording = read_trajectory(write("t,z\nms,mm\n" + body))
    np.testing.assert_allclose(recording.time, TIME)
    np.testing.assert_allclose(columns_of(recording)["z"], C)


def test_metres_win_over_pixels(write):
    recording = read_trajectory(write(csv("t,x,y,x_px,y_px", TIME, A, C, 700 * A, 600 * C)))
    np.testing.assert_allclose(columns_of(recording)["z"], C)
    assert recording.ignored == ("x_px", "y_px")


def test_a_scale_asks_for_the_pixels(write):
    recording = read_trajectory(
        write(csv("t,x,y,x_px,y_px", TIME, A, C, 700 * A, 600 - 500 * C)), scale=0.002
    )
    np.testing.assert_allclose(columns_of(recording)["x"], 1.4 * A)
    np.testing.assert_allclose(columns_of(recording)["z"], C - 1.2)
    assert (recording.unit, recording.scale, recording.ignored) == ("px", 0.002, ("x", "y"))


def test_a_declared_unit_wins_over_none(write):
    recording = read_trajectory(write(csv("t,x,y,x_m,y_m", TIME, 700 * A, 600 * C, A, C)))
    np.testing.assert_allclose(columns_of(recording)["z"], C)


def test_rows_of_images_are_turned_round_whatever_their_column_is_called(write):
    table = csv("t,cx,cy", TIME, 500 * A, 600 - 500 * C)
    recording = read_trajectory(write(table), scale=0.002, columns={"x": "cx", "y": "cy"})
    assert recording.position[:, 2] == pytest.approx(C - 1.2)
    assert recording.vertical == "-y"
    kept = read_trajectory(write(table), scale=0.002, columns={"x": "cx", "y": "cy"}, vertical="y")
    assert kept.position[:, 2] == pytest.approx(1.2 - C)


@pytest.mark.parametrize("header", ["t,x_px,y_px", "t,x (px),y (px)", "t,pixelx,pixely", "t,x,y"])
def test_pixels_count_downwards_as_images_do(write, header):
    recording = read_trajectory(write(csv(header, TIME, 500 * A, 600 - 500 * C)), scale=0.002)
    np.testing.assert_allclose(columns_of(recording)["x"], A)
    np.testing.assert_allclose(columns_of(recording)["z"], C - 1.2)


def test_pixels_count_upwards_when_told(write):
    recording = read_trajectory(write(csv("t,y_px", TIME, 500 * C)), scale=0.002, vertical="y")
    np.testing.assert_allclose(columns_of(recording)["z"], C)


def test_the_image_row_named_as_vertical_still_counts_downwards(write):
    recording = read_trajectory(
        write(csv("t,x,y,x_px,y_px", TIME, A, C, 500 * A, 600 - 500 * C)),
        scale=0.002,
        columns={"z": "y_px"},
    )
    np.testing.assert_allclose(columns_of(recording)["z"], C - 1.2)
    np.testing.assert_allclose(columns_of(recording)["x"], A)


def test_a_height_in_pixels_counts_upwards(write):
    recording = read_trajectory(write(csv("t,height_px", TIME, 500 * C)), scale=0.002)
    np.testing.assert_allclose(columns_of(recording)["z"], C)


def test_frames_become_seconds(write):
    path = write(csv("frame,z", 100 + np.arange(COUNT), C))
    np.testing.assert_allclose(
        read_trajectory(path, frame_rate=240).time, (100 + np.arange(COUNT)) / 240
    )


@pytest.mark.parametrize("name", ["Frames", "frame_number", "t (frames)", "Bild", "t"])
def test_frames_have_many_names(write, name):
    np.testing.assert_allclose(
        read_trajectory(write(csv(f"{name},z", np.arange(COUNT), C)), frame_rate=100).time, TIME
    )


def test_times_win_over_frames_until_a_frame_rate_is_given(write):
    path = write(csv("t,frame,z", TIME, 4 + np.arange(COUNT), C))
    np.testing.assert_allclose(read_trajectory(path).time, TIME)
    np.testing.assert_allclose(
        read_trajectory(path, frame_rate=50).time, (4 + np.arange(COUNT)) / 50
    )


def test_a_column_named_as_frame_is_counted_in_frames(write):
    path = write(csv("coords,z", np.arange(COUNT), C))
    np.testing.assert_allclose(
        read_trajectory(path, frame_rate=100, columns={"frame": "coords"}).time, TIME
    )


REFUSED = {
    "pixels without scale": (
        "t,x_px,y_px",
        (TIME, A, C),
        {},
        "line 1, column 'x_px': the positions are in pixels and the size of a pixel is not known. "
        "Give --scale metres-per-pixel, for example --scale 0.0015 (in Python: scale=0.0015).",
    ),
    "frames without frame rate": (
        "frame,z",
        (TIME, C),
        {},
        "line 1, column 'frame': the time is given in frames and the frame rate is not known. "
        "Give --frame-rate frames-per-second, for example --frame-rate 240 (in Python: "
        "frame_rate=240).",
    ),
    "no position": (
        "t,vx,angle",
        (TIME, A, C),
        {},
        "line 1: there is no column of position. The columns are 't', 'vx', 'angle'. "
        "Recognised are t (or time, frame), x, y, z "
        "(or height, h), each with its unit if that is not s or m, such as 'y (mm)' or 'y_px'. "
        "Rename one, or say which it is: --columns 'z=...' (in Python: columns={'z': ...}).",
    ),
    "no time": (
        "x,z",
        (A, C),
        {},
        "line 1: there is no column of time. The columns are 'x', 'z'. "
        "Name one of them 't' (in s) or 'frame', or say which it is: --columns 't=...' "
        "(in Python: columns={'t': ...}).",
    ),
    "two verticals": (
        "t,z,height",
        (TIME, A, C),
        {},
        "line 1: the columns 'z', 'height' can each be the position z. Say which it is: "
        "--columns 'z=z' (in Python: columns={'z': 'z'}).",
    ),
    "two times": (
        "t,time,z",
        (TIME, TIME, C),
        {},
        "line 1: the columns 't', 'time' can each be the time. Say which it is: "
        "--columns 't=t' (in Python: columns={'t': 't'}).",
    ),
    "scale for metres": (
        "t,x (mm),z (mm)",
        (TIME, A, C),
        {"scale": 0.001},
        "line 1, column 'x (mm)': a scale (metres per pixel) is given, but the positions are "
        "in mm. "
        "Leave out --scale, or correct the unit in the header.",
    ),
    "pixels and metres": (
        "t,x,y_px",
        (TIME, A, C),
        {},
        "line 1: some positions are in pixels and some are not: 'x', 'y_px'. "
        "Say which to use, all of one kind: --columns 'z=...' "
        "(in Python: columns={'z': ...}), or write the units into the "
        "header.",
    ),
    "named pixels and metres": (
        "t,x,y,x_px,y_px",
        (TIME, A, C, A, C),
        {"columns": {"x": "x", "z": "y_px"}},
        "line 1: some positions are in pixels and some are not: 'x', 'y_px'.",
    ),
    "frame rate for times": (
        "t,z",
        (TIME, C),
        {"frame_rate": 100},
        "line 1, column 't': a frame rate is given, but this column holds times, not frame "
        "numbers. "
        "Leave out --frame-rate, or name the column of frame numbers 'frame'.",
    ),
    "whole numbers as times": (
        "t,z",
        (np.arange(COUNT), C),
        {},
        "line 1, column 't': the times have no unit and look like frame numbers or "
        "milliseconds, not seconds. "
        "Write the unit into the header: 't (s)' or 't (ms)'; name it 'frame' and give "
        "--frame-rate if it counts frames.",
    ),
    "milliseconds as times": (
        "t,z",
        (1e3 * TIME / 0.3, C),
        {},
        "line 1, column 't': the times have no unit and look like frame numbers",
    ),
    "pixels as metres": (
        "t,x,y",
        (TIME, A, 2000 * C),
        {},
        "line 1, column 'y': the positions have no unit and run from 1975.5 to 2000: pixels, "
        "centimetres or millimetres rather than metres.",
    ),
    "unit of time for a position": (
        "t,z (s)",
        (TIME, C),
        {},
        "line 1, column 'z (s)': 's' is no unit of length or pixels known here. Use one of m, ",
    ),
    "unknown unit": (
        "t,z (furlong)",
        (TIME, C),
        {},
        "line 1, column 'z (furlong)': 'furlong' is no unit of length or pixels known here. "
        "Use one of m, cm, mm, um, in, ft, px.",
    ),
    "unit of length for a time": (
        "t (m),z",
        (TIME, C),
        {},
        "line 1, column 't (m)': 'm' is no unit of time known here. Use one of s, ms, us, min.",
    ),
    "scale not positive": (
        "t,z",
        (TIME, C),
        {"scale": -1.0},
        "scale = -1.0 is not a positive number. Give the metres per pixel, for example",
    ),
    "frame rate not positive": (
        "frame,z",
        (TIME, C),
        {"frame_rate": 0},
        "frame_rate = 0 is not a positive number. Give the frames per second",
    ),
    "one sample": (
        "t,z",
        (TIME[:1], C[:1]),
        {},
        "1 sample with a time and a position; at least 5 are needed. Export every frame of "
        "the flight and the bounces.",
    ),
    "few samples": (
        "t,z",
        (TIME, [1.0, np.nan, 1.0, np.nan, 0.9, 0.8]),
        {},
        "4 samples with a time and a position; at least 5 are needed.",
    ),
    "all missing": (
        "t,x,z",
        (TIME, A, np.full(COUNT, np.nan)),
        {},
        "line 1, column 'z': all samples of the vertical position are missing. "
        "Export the file again, or say which column is the vertical: --columns 'z=...' "
        "(in Python: columns={'z': ...}).",
    ),
    "time missing": (
        "t,z",
        ([0, 0.01, np.nan, 0.03, 0.04, 0.05], C),
        {},
        "line 4, column 't': the time of this position is missing. Write the time or delete "
        "the row.",
    ),
    "time backwards": (
        "t,z",
        ([0, 0.01, 0.02, 0.015, 0.04, 0.05], C),
        {},
        "line 5, column 't': the time goes back from 0.02 s (line 4) to 0.015 s. "
        "Sort the rows by time; if the file holds several recordings, put each into a file "
        "of its own.",
    ),
    "time repeated": (
        "t,z",
        ([0, 0.01, 0.02, 0.02, 0.04, 0.05], C),
        {},
        "line 5, column 't': the time 0.02 s repeats that of line 4. Delete one of the two "
        "rows, or export the time with more digits.",
    ),
    "sigma zero": (
        "t,z,sigma",
        (TIME, C, [0.1, 0.1, 0.0, 0.1, 0.1, 0.1]),
        {},
        "line 4, column 'sigma': the uncertainty of this position is 0, not positive. "
        "Write a positive standard deviation, or delete the column.",
    ),
    "sigma missing": (
        "t,z,sigma_z",
        (TIME, C, [0.1, np.nan, 0.1, 0.1, 0.1, 0.1]),
        {},
        "line 3, column 'sigma_z': the uncertainty of this position is missing.",
    ),
    "sigma of one axis": (
        "t,x,z,sigma_z",
        (TIME, A, C, C),
        {},
        "the uncertainty of z is given, but not that of x. Give it for every axis, or one "
        "for all: a column 'sigma', or --sigma.",
    ),
    "two sigmas": (
        "t,z,sz,z_err",
        (TIME, C, C, C),
        {},
        "line 1: the columns 'sz', 'z_err' can each be the uncertainty of z. Say which it is",
    ),
    "sigma given not positive": (
        "t,z",
        (TIME, C),
        {"sigma": 0.0},
        "sigma = 0.0 is not a positive number. Give the standard deviation of",
    ),
    "sigma given for no axis": (
        "t,z",
        (TIME, C),
        {"sigma": {"x": 1.0}},
        "sigma names 'x', which is no axis of this file. Use z.",
    ),
    "sigma given for one axis": (
        "t,x,z",
        (TIME, A, C),
        {"sigma": {"x": 1.0}},
        "the uncertainty of x is given, but not that of z.",
    ),
}


@pytest.mark.parametrize(
    ("header", "columns", "options", "message"), REFUSED.values(), ids=REFUSED.keys()
)
def test_what_is_wrong_is_refused_with_place_and_remedy(write, header, columns, options, message):
    path = write(csv(header, *columns))
    with pytest.raises(InputError) as caught:
        read_trajectory(path, **options)
    separator = ", " if message.startswith("line") else ": "
    assert str(caught.value).startswith(f"{path}{separator}{message}")


def test_text_among_the_positions_is_refused_but_not_elsewhere(write):
    path = write("t,z,note\n0.00,1,ok\n0.01,1,\n0.02,abc,lost\n0.03,1,\n0.04,1,\n")
    with pytest.raises(
        InputError,
        match=r"line 4, column 'z': 'abc' is not a number\. Replace it or leave the cell empty \(a "
        r"gap\)\.",
    ):
        read_trajectory(path)
    path.write_text(path.read_text().replace("abc", ""))
    with pytest.raises(InputError, match="4 samples with a time and a position"):
        read_trajectory(path)


# Gaps and uncertainty


def test_gaps_stay_where_they_are(write):
    x, z = A.copy(), C.copy()
    x[1], x[2], z[2] = np.nan, np.nan, np.nan
    recording = read_trajectory(write(csv("t,x,z", TIME, x, z)))
    np.testing.assert_array_equal(recording.position[:, [0, 2]], np.stack([x, z], axis=1))
    np.testing.assert_allclose(recording.time, TIME)


def test_rows_without_time_and_position_are_left_out(write):
    time = np.array([0.0, 0.01, np.nan, 0.03, 0.04, 0.05])
    z = np.where(np.isnan(time), np.nan, C)
    recording = read_trajectory(write(csv("t,z,vz", time, z, A)))
    np.testing.assert_allclose(recording.time, time[np.isfinite(time)])


def test_an_axis_that_was_never_measured_is_no_axis(write):
    assert read_trajectory(write(csv("t,x,y,z", TIME, A, np.full(COUNT, np.nan), C))).axes == (
        "x",
        "z",
    )


def test_one_sigma_column_serves_all_axes_and_gaps_have_none(write):
    x = A.copy()
    x[1] = np.nan
    sigma = 1e-3 * (1 + np.arange(COUNT))
    recording = read_trajectory(write(csv("t,x,y,sigma", TIME, x, C, sigma)))
    np.testing.assert_allclose(recording.sigma[:, 2], sigma)
    np.testing.assert_allclose(recording.sigma[:, 0], np.where(np.isnan(x), np.nan, sigma))
    assert np.isnan(recording.sigma[:, 1]).all()
    assert recording.ignored == ()


@pytest.mark.parametrize(
    "names", [("sx", "sy"), ("sigma_x", "sigma_y"), ("x_err", "y_err"), ("x_sd (mm)", "std_y (mm)")]
)
def test_each_axis_can_have_its_sigma_in_the_unit_of_the_position_or_its_own(write, names):
    header = "t,x (mm),y (mm)," + ",".join(names)
    recording = read_trajectory(
        write(csv(header, TIME, 1e3 * A, 1e3 * C, np.full(COUNT, 2.0), np.full(COUNT, 3.0)))
    )
    np.testing.assert_allclose(
        recording.sigma[:, [0, 2]], np.broadcast_to([0.002, 0.003], (COUNT, 2))
    )


def test_an_own_sigma_comes_before_the_common_one(write):
    recording = read_trajectory(
        write(csv("t,x,z,sigma,sigma_z", TIME, A, C, np.full(COUNT, 0.1), np.full(COUNT, 0.2)))
    )
    np.testing.assert_allclose(recording.sigma[:, [0, 2]], np.broadcast_to([0.1, 0.2], (COUNT, 2)))


def test_sigma_in_pixels_is_scaled_with_the_positions_in_pixels_and_ignored_beside_metres(write):
    path = write(csv("t,y,y_px,sigma_y_px", TIME, C, 600 - 500 * C, np.full(COUNT, 0.5)))
    np.testing.assert_allclose(read_trajectory(path, scale=0.002).sigma[:, 2], 0.001)
    recording = read_trajectory(path)
    assert recording.sigma is None
    assert recording.ignored == ("y_px", "sigma_y_px")


def test_a_given_sigma_replaces_the_columns(write):
    path = write(csv("t,x,y,sigma", TIME, A, C, np.full(COUNT, 0.1)))
    np.testing.assert_allclose(read_trajectory(path, sigma=0.003).sigma[:, [0, 2]], 0.003)
    recording = read_trajectory(path, sigma={"x": 0.001, "y": 0.002})
    np.testing.assert_allclose(
        recording.sigma[:, [0, 2]], np.broadcast_to([0.001, 0.002], (COUNT, 2))
    )
    assert recording.ignored == ("sigma",)


# Several files


def test_directories_patterns_and_files_are_read_in_natural_order_and_once(write, tmp_path):
    for number in (10, 2, 1):
        write(csv("t,z", TIME, C), f"drops/drop_{number}.csv")
    write("{}", "drops/meta.json")
    names = ["drop_1", "drop_2", "drop_10"]
    folder = tmp_path / "drops"
    assert [r.name for r in read_recordings(folder)] == names
    assert [r.name for r in read_recordings(str(folder / "*.csv"))] == names
    assert [
        r.name for r in read_recordings([folder / "drop_2.csv", folder, f"{folder}/*_1.csv"])
    ] == ["drop_2", "drop_1", "drop_10"]


def test_options_reach_every_file(write):
    paths = [write(csv("frame,y_px", np.arange(COUNT), 500 * C), f"{k}.csv") for k in "ab"]
    for recording in read_recordings(paths, frame_rate=100, scale=0.002, vertical="y", sigma=0.01):
        np.testing.assert_allclose(recording.time, TIME)
        np.testing.assert_allclose(recording.position[:, 2], C)
        np.testing.assert_allclose(recording.sigma[:, 2], 0.01)


def test_files_of_the_same_stem_have_distinct_names(write):
    names = [
        "steel/run/drop.csv",
        "glass/run/drop.csv",
        "glass/run/other.csv",
        "brass/same.csv",
        "brass/same.txt",
    ]
    recordings = read_recordings([write(csv("t,z", TIME, C), name) for name in names])
    assert [r.name for r in recordings] == [
        "steel-drop",
        "glass-drop",
        "other",
        "same.csv",
        "same.txt",
    ]


def test_a_name_with_a_bracket_is_a_file_before_it_is_a_pattern(write):
    assert read_recordings(write(csv("t,z", TIME, C), "drop[1].csv"))[0].name == "drop[1]"


def test_patterns_directories_and_lists_without_files_are_refused(tmp_path):
    with pytest.raises(
        InputError,
        match=r"no file matches this pattern\. Check the directory and the ending of the files\.",
    ):
        read_recordings(str(tmp_path / "*.csv"))
    with pytest.raises(
        InputError,
        match=r"the directory holds no data files\. "
        r"Files ending in \.csv, \.dat, \.trc, \.tsv, \.txt, \.xls, \.xlsx are "
        r"looked for\.",
    ):
        read_recordings(tmp_path)
    with pytest.raises(
        InputError,
        match=r"no file is given\. Give files, directories or patterns such as 'drops/\*\.csv'\.",
    ):
        read_recordings([])
    with pytest.raises(InputError, match="there is no such file"):
        read_recordings(tmp_path / "a.csv")


# Recordings made in Python


def made(**changes):
    return Recording(
        **{"name": "made", "time": TIME, "position": np.stack([A, B, C], axis=1), **changes}
    )


def test_a_recording_knows_its_axes():
    position = np.stack([A, np.full(COUNT, np.nan), C], axis=1)
    assert made(position=position).axes == ("x", "z")
    assert made().axes == ("x", "y", "z")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"position": C},
            r"time has shape \(6,\) and position \(6,\)\. Give time \(n,\) in s and position "
            r"\(n, 3\) in m, NaN where not",
        ),
        (
            {"time": TIME[::-1]},
            r"the times do not increase strictly\. Sort the samples by time and leave out "
            r"repetitions\.",
        ),
        ({"time": TIME + np.where(TIME > 0.03, np.inf, 0.0)}, "the times do not increase strictly"),
        (
            {"position": np.full((COUNT, 3), np.inf)},
            r"a position is infinite\. Write NaN where a position is not measured\.",
        ),
        (
            {"position": np.full((COUNT, 3), np.nan)},
            "no samples with a time and a position; at least 5 are needed",
        ),
        (
            {"sigma": np.zeros((COUNT, 3))},
            r"sigma is not positive wherever a position is measured\. Give the standard "
            r"deviation of each",
        ),
        ({"sigma": np.ones(COUNT)}, "sigma is not positive wherever a position is measured"),
    ],
)
def test_a_recording_that_cannot_be_is_refused(changes, message):
    with pytest.raises(InputError, match=f"^recording 'made': {message}"):
        made(**changes)


# Real files


def real(pattern):
    files = sorted(DATA.glob(pattern))
    if not files:
        pytest.skip(f"the measured data {pattern} are not beside the checkout")
    return files


def test_table_tennis_drops_are_read_in_metres_with_gravity_downwards():
    files = real("pingpong_drop_table/csv/*.csv")
    recordings = read_recordings(files)
    assert len(recordings) == 15
    for recording in recordings:
        assert (recording.axes, recording.ignored) == (("x", "z"), ("x_px", "y_px"))
        assert recording.position[0, 2] == pytest.approx(
            np.nanmax(recording.position[:, 2]), abs=0.02
        )
    by_scale = read_trajectory(files[0], scale=0.001504939626783754)
    metres = recordings[0].position
    # The pixels of the file have three decimals; the metres were rounded to six digits.
    np.testing.assert_allclose(np.diff(by_scale.position[:, 2]), np.diff(metres[:, 2]), atol=2e-5)
    np.testing.assert_allclose(np.diff(by_scale.position[:, 0]), np.diff(metres[:, 0]), atol=2e-5)


@pytest.mark.parametrize(("kind", "count"), [("backspin", 15), ("no_spin", 10), ("topspin", 15)])
def test_launched_balls_are_read_in_three_dimensions_with_jittering_times(kind, count):
    recordings = read_recordings(
        [path.parent for path in real(f"aimy_mn5008_{kind}/csv/launch_00.csv")]
    )
    assert len(recordings) == count
    for recording in recordings:
        assert recording.axes == ("x", "y", "z")
        assert np.median(np.diff(recording.time)) == pytest.approx(1 / 180, rel=0.05)


def test_cube_tosses_and_discs_are_read_and_list_what_is_not_used():
    for toss in read_recordings(real("contactnets_cube/csv/*.csv")):
        assert toss.axes == ("x", "y", "z")
        assert toss.ignored == ("qw", "qx", "qy", "qz", "vx", "vy", "vz")
        assert toss.spin is not None
    for disc in read_recordings(real("marked_discs/csv/*.csv")):
        assert (disc.axes, disc.ignored) == (("x", "z"), ("angle", "marker_radius"))


def test_equally_named_launches_of_three_experiments_have_distinct_names():
    recordings = read_recordings(real("aimy_*/csv/launch_0*.csv"))
    assert len({recording.name for recording in recordings}) == 30
    assert recordings[0].name == "aimy_mn5008_backspin-launch_00"


def test_a_horizontal_coordinate_that_never_varies_was_not_measured():
    """Zeros beside a film in a plane made the errors of the other coordinates look smaller."""
    time = np.arange(40) / 100
    position = np.stack([0.3 * time, np.zeros(40), 1.0 - 9.81 / 2 * time**2], axis=1)
    film = Recording(name="film", time=time, position=position)
    assert film.axes == ("x", "y", "z")
    seen = without_still_axes(film)
    assert seen.axes == ("x", "z")
    assert seen.notes == ("y never varies: not measured",)
    np.testing.assert_array_equal(seen.position[:, ::2], position[:, ::2])
    assert without_still_axes(seen) is seen
