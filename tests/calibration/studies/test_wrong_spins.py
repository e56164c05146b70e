"""Measured spins that were read in another unit, or turn the other way round, are named with their
number before anything is fitted, and so is a ball of the wrong kind.
"""

import math

import numpy as np
import pytest

import calibration as cal
from calibration.cli.main import main
from calibration.detection.bounces import read_bounces
from calibration.studies.plausibility.spins import wrong_spins
from calibration.studies.spin.misreadings import UNITS, misreadings, nearest_misreading
from experiments.automatic_route.truth import Ball, Camera, film, film_spin, move, write_csv

THROW = (-1.0, 0.0, 0.4), (2.5, 0.3, 0.5)


@pytest.fixture(scope="module")
def recorded():
    """A throw with backspin, its positions and spins in three axes."""
    camera = Camera(axes="xyz", spins="xyz")
    motion = move(Ball(lift=0.6), *THROW, (30.0, -120.0, 20.0), until=1.2, seed=0)
    return film(motion, camera, until=1.2, seed=1), film_spin(motion, camera, until=1.2, seed=2)


def throw(path, recorded, factor=1.0):
    """A file of the throw, with its spins times a factor."""
    positions, spins = recorded
    spins = spins * np.array([1.0, factor, factor, factor])
    write_csv(str(path), Camera(axes="xyz", spins="xyz"), positions, spins)
    return path


def findings(path, *, shell=True, radius=0.02):
    """What is said of the spins in a file."""
    recording = cal.read_trajectory(path)
    reading = (recording, read_bounces(recording, radius=radius))
    return list(wrong_spins([reading], radius=radius, shell=shell))


def test_nothing_is_said_of_right_spins(tmp_path, recorded):
    path = throw(tmp_path / "a.csv", recorded)
    assert findings(path) == []
    assert findings(path, shell=None) == []


@pytest.mark.parametrize("shell", [True, None])
@pytest.mark.parametrize(
    ("factor", "named"),
    [
        (60 / (2 * math.pi), "'wy (rpm)'"),
        (180 / math.pi, "'wy (deg/s)'"),
        (1 / (2 * math.pi), "'wy (rev/s)'"),
        (-1.0, "change their sign"),
        (-60 / (2 * math.pi), "'wy (rpm)', and change the sign"),
    ],
)
def test_another_unit_or_sign_is_named(tmp_path, recorded, factor, named, shell):
    (found,) = findings(throw(tmp_path / "a.csv", recorded, factor), shell=shell)
    assert found.meaningless
    assert named in found.sentence


def test_a_ball_of_the_wrong_kind_or_size_is_named(tmp_path, recorded):
    path = throw(tmp_path / "a.csv", recorded)
    assert "--shell instead of --solid" in findings(path, shell=False)[0].sentence
    assert "is the diameter" in findings(path, radius=0.04)[0].sentence


def test_what_belongs_to_no_misreading_is_refused_with_its_number(tmp_path, recorded):
    (found,) = findings(throw(tmp_path / "a.csv", recorded, 3.0))
    assert found.meaningless
    assert "0.33 times larger ones" in found.sentence


@pytest.mark.parametrize("unit", UNITS)
def test_every_misreading_is_found_by_its_factor(unit):
    for one in misreadings(unit):
        assert nearest_misreading(1.05 * one.factor, unit=unit) == one
    assert nearest_misreading(0.5, unit=unit) is None


def test_check_says_what_spin_was_measured_and_refuses_wrong_ones(tmp_path, recorded, capsys):
    right = throw(tmp_path / "right.csv", recorded)
    assert main(["check", str(right), "--radius", "0.02"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "spin (wx, wy, wz) up to" in said
    assert "the spin is measured" in said
    assert "not used" not in said
    wrong = throw(tmp_path / "wrong.csv", recorded, -1.0)
    assert main(["check", str(wrong), "--radius", "0.02"]) != 0
    assert "change their sign" in " ".join("".join(capsys.readouterr()).split())


def test_a_spin_at_no_time_of_the_flight_is_refused(tmp_path, recorded):
    positions, spins = recorded
    camera = Camera(axes="xyz")
    write_csv(str(tmp_path / "a.csv"), camera, positions)
    late = spins[:, :] + np.array([100.0, 0, 0, 0])
    np.savetxt(tmp_path / "a_spin.csv", late, delimiter=",", header="t,wx,wy,wz", comments="")
    study = cal.studies.Study(
        files=(str(tmp_path / "a.csv"),),
        ball=cal.studies.Ball(radius=0.02, mass=0.0027, shell=True),
    )
    with pytest.raises(cal.InputError, match="no spin was measured while the ball flew"):
        cal.studies.fit_study(study)


def test_a_measured_spin_and_no_spin_contradict_each_other(tmp_path, recorded):
    study = cal.studies.Study(
        files=(str(throw(tmp_path / "a.csv", recorded)),),
        ball=cal.studies.Ball(radius=0.02, mass=0.0027, shell=True),
        model=cal.studies.ModelOptions(spin=False),
    )
    with pytest.raises(cal.InputError, match="--no-spin"):
        cal.studies.fit_study(study)
