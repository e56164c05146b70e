"""Measured spin beside positions: in columns, in a file beside, in a comment; one convention."""

import math

import numpy as np
import pytest

import calibration as cal
from calibration.errors import InputError
from calibration.io.spin_files import find_all_files, find_recordings

TIME = np.arange(10) / 100
AWAY, UP = 2 * TIME, 0.5 - 9.81 / 2 * TIME**2


def write(path, header, *columns, above=""):
    """A CSV file; NaN is an empty cell."""
    rows = [
        ",".join("" if np.isnan(value) else f"{value:.9g}" for value in row)
        for row in zip(*columns, strict=True)
    ]
    path.write_text("\n".join([*above.splitlines(), header, *rows]) + "\n")
    return path


def spin_of(path, **options):
    """What is read as the spin."""
    return cal.read_trajectory(path, **options).spin


@pytest.mark.parametrize(
    ("header", "factor"),
    [
        ("wy", 1.0),
        ("omega_y (1/s)", 1.0),
        ("spin_y [rad/s]", 1.0),
        ("wy (rpm)", 2 * math.pi / 60),
        ("angular_velocity_y (deg/s)", math.pi / 180),
        ("wy (rev/s)", 2 * math.pi),
    ],
)
def test_a_column_of_spin_is_read_in_its_unit(tmp_path, header, factor):
    path = write(tmp_path / "a.csv", f"t,x,z,{header}", TIME, AWAY, UP, 50 + TIME)
    spin = spin_of(path)
    np.testing.assert_allclose(spin.spin[:, 1], factor * (50 + TIME))
    assert np.all(np.isnan(spin.spin[:, [0, 2]]))
    assert cal.read_trajectory(path).ignored == ()


@pytest.mark.parametrize(
    ("vertical", "expected"),
    [("z", (1.0, 2.0, 3.0)), ("y", (1.0, -3.0, 2.0)), ("-y", (1.0, 3.0, -2.0))],
)
def test_a_spin_turns_with_the_axes_of_the_file(tmp_path, vertical, expected):
    columns = (TIME, AWAY, UP, UP, 1 + 0 * TIME, 2 + TIME, 3 + 0 * TIME)
    path = write(tmp_path / "a.csv", "t,x,y,z,wx,wy,wz", *columns)
    np.testing.assert_allclose(spin_of(path, vertical=vertical).spin[0], expected)


def test_a_position_and_a_spin_that_moves_it_turn_alike(tmp_path):
    # The velocity of a point at r of a turning body is spin x r, in the file and in the recording.
    about, at = np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.2, 0.5])
    along = np.cross(about, at)
    places = at + TIME[:, None] * along
    columns = (TIME, *places.T, *(about[:, None] + 0 * TIME + 1e-9 * TIME))
    path = write(tmp_path / "a.csv", "t,x,y,z,wx,wy,wz", *columns)
    for vertical in ("x", "-x", "y", "-y", "z", "-z"):
        found = cal.read_trajectory(path, vertical=vertical)
        moved = (found.position[-1] - found.position[0]) / TIME[-1]
        expected = np.cross(found.spin.spin[0], found.position[0])
        np.testing.assert_allclose(moved, expected, atol=1e-6)


@pytest.mark.parametrize("axes", ["x,z", "x,y"])
def test_a_spin_without_an_axis_turns_the_first_axis_towards_the_second(tmp_path, axes):
    path = write(tmp_path / "a.csv", f"t,{axes},omega", TIME, AWAY, UP, 50 + TIME)
    assert spin_of(path).spin[0, 1] == pytest.approx(-50.0)  # positive about y turns z towards x


def test_a_spin_without_an_axis_beside_three_is_refused(tmp_path):
    path = write(tmp_path / "a.csv", "t,x,y,z,omega", TIME, AWAY, AWAY, UP, 50 + TIME)
    with pytest.raises(InputError, match="does not say about which axis"):
        spin_of(path)


def test_the_width_of_a_box_is_no_spin(tmp_path):
    path = write(tmp_path / "a.csv", "t,x,y,w,h", TIME, AWAY, UP, 20 + TIME, 21 + TIME)
    assert spin_of(path) is None
    turning = write(tmp_path / "b.csv", "t,x,y,w (rad/s)", TIME, AWAY, UP, 20 + TIME)
    assert spin_of(turning) is not None


def test_errors_of_spins_have_their_own_unit_or_that_of_the_spin(tmp_path):
    columns = (TIME, AWAY, UP, 600 + TIME, 30 + 0 * TIME)
    of_spin = write(tmp_path / "a.csv", "t,x,z,wy (rpm),wy_err", *columns)
    own = write(tmp_path / "b.csv", "t,x,z,wy (rpm),sigma_wy (deg/s)", *columns)
    assert spin_of(of_spin).sigma[0, 1] == pytest.approx(math.pi)
    assert spin_of(own).sigma[0, 1] == pytest.approx(math.pi / 6)
    stated = spin_of(of_spin, sigma={"x": 1e-3, "z": 1e-3, "spin": 2.0})
    assert stated.sigma[0, 1] == 2.0
    columns[-1][3] = 0.0
    with pytest.raises(InputError, match="line 5"):
        spin_of(write(tmp_path / "c.csv", "t,x,z,wy,wy_err", *columns))


def test_one_value_in_every_row_is_one_measurement(tmp_path):
    constant = write(tmp_path / "a.csv", "t,x,z,wy", TIME, AWAY, UP, 0 * TIME - 150)
    comment = "# ball 7\n# wy = -150 +- 5 rad/s"
    stated = write(tmp_path / "b.csv", "t,x,z", TIME, AWAY, UP, above=comment)
    for path in (constant, stated):
        spin = spin_of(path)
        assert spin.once
        assert spin.spin[0, 1] == -150.0
        assert len(spin.time) == 1
    assert spin_of(stated).sigma[0, 1] == 5.0


def test_an_unknown_unit_in_a_comment_is_refused_and_other_comments_are_let_pass(tmp_path):
    wrong = write(tmp_path / "a.csv", "t,x,z", TIME, AWAY, UP, above="# wy = 3 furlong")
    with pytest.raises(InputError, match="furlong"):
        spin_of(wrong)
    other = "# w = 20 px\n# radius = 0.02 m\n# spin: high"
    assert spin_of(write(tmp_path / "b.csv", "t,x,z", TIME, AWAY, UP, above=other)) is None


def test_a_file_beside_belongs_to_its_recording(tmp_path):
    path = write(tmp_path / "throw.csv", "t,x,z", TIME, AWAY, UP)
    beside = write(tmp_path / "throw_spin.csv", "t (ms),wy (rpm)", [0.0, 55.0], [600.0, 597.0])
    spin = spin_of(path)
    np.testing.assert_allclose(spin.time, [0.0, 0.055])
    assert spin.path == str(beside)
    assert find_recordings(tmp_path) == [path]
    assert set(find_all_files(str(path))) == {path, beside}
    both = write(tmp_path / "throw.csv", "t,x,z,wy", TIME, AWAY, UP, TIME)
    with pytest.raises(InputError, match="in this file and in"):
        spin_of(both)


def test_a_recording_whose_name_ends_in_spin_is_a_recording(tmp_path):
    first = write(tmp_path / "ball.csv", "t,x,z", TIME, AWAY, UP)
    second = write(tmp_path / "ball_spin.csv", "t,x,z", TIME, AWAY, UP + 0.1)
    assert find_recordings(tmp_path) == [first, second]
    assert spin_of(first) is None
