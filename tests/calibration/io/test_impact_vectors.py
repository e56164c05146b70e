"""Tables of impacts by components: velocity and spin before and after."""

import numpy as np
import pytest

import calibration as cal
from calibration.errors import InputError
from calibration.io.headers import parse_header
from calibration.io.impact_table import is_impact_table
from calibration.io.impact_vectors import identify_component
from experiments.automatic_route.truth import Ball, bounce

BALL = Ball(friction=0.15)
AXES = "xyz"


def impacts(count=12, *, seed=0):
    """Velocity and spin before and after, (count, 3) each, in the plane of x and z."""
    rng = np.random.default_rng(seed)
    before = np.column_stack(
        [rng.uniform(-3, 3, count), np.zeros(count), -rng.uniform(2, 6, count)]
    )
    spin = np.column_stack([np.zeros(count), rng.uniform(-200, 200, count), np.zeros(count)])
    pairs = [bounce(BALL, v, w, 0.8) for v, w in zip(before, spin, strict=True)]
    return before, spin, *(np.array(column) for column in zip(*pairs, strict=True))


def write(path, vectors, names=("v_in_{}", "spin_before_{}", "v_out_{}", "spin_after_{}")):
    """A table with every component."""
    header = ",".join(name.format(axis) for name in names for axis in AXES)
    np.savetxt(path, np.hstack(vectors), delimiter=",", header=header, comments="", fmt="%.12g")
    return path


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("v_in_x", ("velocity", "before", "x")),
        ("vz_before", ("velocity", "before", "z")),
        ("velocity_out_y (mm/s)", ("velocity", "after", "y")),
        ("spin_after_y", ("spin", "after", "y")),
        ("w_in_z", ("spin", "before", "z")),
        ("omegax_after", ("spin", "after", "x")),
        ("angular_velocity_before_x", ("spin", "before", "x")),
        ("v_in", None),
        ("x", None),
        ("wx", None),
        ("theta_in", None),
    ],
)
def test_components_are_recognised_by_their_headers(header, expected):
    assert identify_component(parse_header(header)) == expected


def test_the_plane_of_each_impact_gives_what_went_in_and_came_out(tmp_path):
    before, spin, after, turned = impacts()
    path = write(tmp_path / "a.csv", (before, spin, after, turned))
    assert is_impact_table(path)
    table = cal.read_impact_table(path)
    side = np.sign(before[:, 0])
    np.testing.assert_allclose(table.impact_speed, np.linalg.norm(before, axis=1))
    np.testing.assert_allclose(
        table.impact_angle, np.degrees(np.arctan2(np.abs(before[:, 0]), -before[:, 2]))
    )
    np.testing.assert_allclose(table.spin_before, side * spin[:, 1])
    np.testing.assert_allclose(table.spin_after, side * turned[:, 1])
    np.testing.assert_allclose(table.normal_restitution, 0.8)
    rebound = np.degrees(np.arctan2(side * after[:, 0], after[:, 2]))
    np.testing.assert_allclose(table.rebound_angle, rebound)
    assert table.across == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("turn", ["x", "y", "about the normal", "upside down"])
def test_axes_of_the_file_change_nothing(tmp_path, turn):
    rotation = {
        "x": np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0]]),
        "y": np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
        "about the normal": np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]]),
        "upside down": np.diag([1.0, -1.0, -1.0]),
    }[turn]
    vectors = impacts()
    plain = cal.read_impact_table(write(tmp_path / "a.csv", vectors))
    turned = cal.read_impact_table(write(tmp_path / "b.csv", [one @ rotation.T for one in vectors]))
    for name in ("impact_angle", "spin_before", "spin_after", "rebound_angle"):
        np.testing.assert_allclose(getattr(turned, name), getattr(plain, name), atol=1e-6)


def test_the_spin_across_is_known(tmp_path):
    before, spin, after, turned = impacts()
    spin[3, 0] = 40.0
    assert cal.read_impact_table(
        write(tmp_path / "a.csv", (before, spin, after, turned))
    ).across == pytest.approx(40.0)


def test_an_impact_that_turns_nothing_round_is_named_by_its_line(tmp_path):
    vectors = impacts(30)
    vectors[2][4, 2] = -1.0
    with pytest.raises(InputError, match="line 6"):
        cal.read_impact_table(write(tmp_path / "a.csv", vectors))
    vectors[2][:, 2] = -1.0
    with pytest.raises(InputError, match="along no axis"):
        cal.read_impact_table(write(tmp_path / "b.csv", vectors))


@pytest.mark.long
def test_a_fit_of_vectors_finds_restitution_and_friction(tmp_path):
    vectors = impacts(30)
    rng = np.random.default_rng(5)
    for one, noise in zip(vectors[2:], (0.01, 1.0), strict=True):
        one += noise * rng.standard_normal(one.shape)
    study = cal.studies.Study(
        files=(str(write(tmp_path / "a.csv", vectors)),),
        ball=cal.studies.Ball(radius=0.02, mass=0.0027, shell=True),
    )
    found = cal.studies.fit_study(study)
    for name, truth in (
        ("contact.normal.restitution", 0.8),
        ("contact.friction.coefficient", 0.15),
    ):
        estimate = found.parameters[name]
        assert estimate.status is cal.Determination.DETERMINED
        assert abs(estimate.value - truth) < 3 * estimate.sd
