"""Recordings of a body with its orientation, from a study file: what is read, refused and found."""

import json
import subprocess
import sys
import tomllib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import calibration as cal
from calibration.io.poses import read_poses
from calibration.studies.asked.files import with_used_files
from calibration.studies.pipeline import problem_to_fit
from calibration.studies.tossed.toss import first_touch, make_body, read_tosses
from tests.calibration.studies.tossed_box import TossedBox

pytestmark = pytest.mark.slow

TRUE = {"restitution": 0.35, "friction": 0.22, "height": 0.004}
STIFFNESS, SLIP_VELOCITY = 1e7, 5e-3
SHAPE = {"name": "cube", "half_width": 0.05, "corner_radius": 5e-4}
SIGMA = {"position": 5e-4, "rotation": 4e-3}
STUDY = """
files = ["toss_*.csv"]

[body]
shape = { name = "cube", half_width = 0.05, corner_radius = 0.0005 }
mass = 0.37
horizon = 0.1

[reading]
sigma = { position = 0.0005, rotation = 0.004 }

[model]
normal_law = "hunt-crossley"

[model.parameters]
"contact.normal.stiffness" = 1e7
"contact.friction.slip_velocity" = 5e-3
"""


def write_toss(path, k, *, moving=False, until=0.33):
    """A file of a toss of the true cube, with noise."""
    box = TossedBox(
        (0.05, 0.05, 0.05), 0.37, 5e-4, stiffness=STIFFNESS, slip_velocity=SLIP_VELOCITY, **TRUE
    )
    noise = np.random.default_rng(100 + k)
    time = np.arange(0.0, until, 1 / 200)
    turn = Rotation.random(random_state=20 + k).as_matrix()
    velocity = np.array([(-1.0) ** k, 0.3, -0.3]) * noise.uniform(0.7, 1.3, 3)
    spin = noise.normal(0.0, 4.0, 3)
    position, turned = box.toss((0.0, 0.0, 0.22), turn, velocity, spin, time)
    seen = Rotation.from_rotvec(noise.normal(0.0, SIGMA["rotation"], (time.size, 3)))
    quaternion = np.roll((seen * Rotation.from_matrix(turned)).as_quat(), 1, axis=1)
    position = position + noise.normal(0.0, SIGMA["position"], position.shape)
    columns, header = [time, position, quaternion], "t,x,y,z,qw,qx,qy,qz"
    if moving:
        of_start = np.concatenate([velocity, turn.T @ spin])
        columns.append(np.broadcast_to(of_start, (time.size, 6)))
        header += ",vx,vy,vz,wx,wy,wz"
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=header, comments="")
    return velocity, spin


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study of one short toss."""
    place = tmp_path_factory.mktemp("tosses")
    write_toss(place / "toss_0.csv", 0, moving=True, until=0.18)
    (place / "study.toml").write_text(STUDY)
    return place


def changed(folder, old, new):
    text = (folder / "study.toml").read_text()
    assert old in text
    path = folder / "changed.toml"
    path.write_text(text.replace(old, new))
    return cal.studies.read_study(path)


def test_a_study_of_a_body_says_what_is_found_and_from_which_samples(folder):
    study = changed(folder, "horizon = 0.1", "horizon = 0.02")
    problem = problem_to_fit(study)
    shared = ["contact.normal.restitution", "contact.friction.coefficient", "surfaces.0.offset"]
    assert problem.layout.names[:3] == tuple(shared)
    assert {"position_0_z", "velocity_0_x", "spin_0_y", "turn_x"} <= {
        parameter.name for parameter in problem.layout.batches[0].trial_parameters
    }
    assert problem.scene.contact.normal.stiffness == STIFFNESS
    (toss,) = read_tosses(with_used_files(study))
    touch = toss.recorded.time[toss.touch]
    assert toss.recorded.time[-1] == pytest.approx(touch + 0.02)


def test_the_release_at_first_sight_is_that_of_the_truth(folder, tmp_path):
    velocity, spin = write_toss(tmp_path / "toss_3.csv", 3, until=0.2)
    study = changed(folder, "toss_*.csv", str(tmp_path / "toss_3.csv"))
    (trial,) = problem_to_fit(study).trials
    assert np.allclose(trial.initial.velocity, velocity, atol=0.02)
    assert np.allclose(trial.initial.spin, spin, atol=1.0)


def test_a_touch_between_two_samples_is_found():
    height = np.array([0.06, 0.04, 0.02, 0.01, 0.03, np.nan, 0.06])
    assert first_touch(height, 0.002) == 2  # at the height of the fourth one it has bounced
    assert first_touch(height + 1.0, 0.002) is None
    assert first_touch(np.array([np.nan, 0.001, 0.02]), 0.002) == 1


def test_a_recorded_release_is_that_of_the_first_sample(folder):
    velocity, spin = write_toss(folder / "toss_0.csv", 0, moving=True, until=0.18)
    study = changed(folder, "horizon", 'release = "recorded"\nspin_axes = "body"\nhorizon')
    problem = problem_to_fit(study)
    (trial,) = problem.trials
    assert problem.layout.batches[0].trial_parameters == ()
    assert np.allclose(trial.initial.velocity, velocity)
    # measured orientations turn it, with their noise
    assert np.allclose(trial.initial.spin, spin, atol=0.1)


def test_a_study_of_a_body_is_written_and_read_back(folder, tmp_path):
    study = cal.studies.read_study(folder / "study.toml")
    cal.studies.write_study(study, tmp_path / "again.toml", fitted=False)
    again = cal.studies.read_study(tmp_path / "again.toml")
    assert again.body == study.body
    assert again.ball is None


def test_a_box_and_a_clump_have_the_mass_and_the_inertia_that_they_were_given(folder):
    box = make_body(
        changed(
            folder,
            '{ name = "cube", half_width = 0.05, corner_radius = 0.0005 }',
            '{ name = "box", half_widths = [0.06, 0.04, 0.02], corner_radius = 0.001 }',
        )
    )
    a, b, c = 0.06, 0.04, 0.02
    moments = 0.37 / 3 * np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2])
    assert np.allclose(np.diag(box.inertia[0]), moments)
    assert np.allclose(np.max(box.offset, axis=0) + 0.001, (a, b, c))
    dumbbell = make_body(
        changed(
            folder,
            '{ name = "cube", half_width = 0.05, corner_radius = 0.0005 }',
            '{ name = "clump", members = [[-0.02, 0, 0, 0.01], [0.02, 0, 0, 0.015]] }\n'
            "inertia = [1e-5, 2e-4, 2e-4]",
        )
    )
    assert np.allclose(dumbbell.radius, (0.01, 0.015))
    assert np.allclose(np.diag(dumbbell.inertia[0]), (1e-5, 2e-4, 2e-4))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("half_width =", "half_with =", "Did you mean 'half_width'"),
        ('"cube"', '"cubes"', "Did you mean 'cube'"),
        ("mass = 0.37", "", "the shape of a body is given, but not its mass"),
        ("mass = 0.37", "weight = 0.37", "unknown key 'weight' in [body]"),
        ("horizon = 0.1", 'release = "recordd"', 'Did you mean "recorded"'),
        ("[body]", "[ball]\nradius = 0.05\nmass = 0.37\n[body]", "both given"),
        ("corner_radius = 0.0005", "corner_radius = 0.06", "outside (0, half width"),
        ("position = 0.0005", "positon = 0.0005", "Did you mean 'position'"),
        ("sigma = { position = 0.0005, rotation = 0.004 }", "sigma = 0.001", "one for positions"),
        ("[reading]", "[reading]\nscale = 0.001", "scale has no meaning"),
        (
            'normal_law = "hunt-crossley"',
            'normal_law = "hunt-crossley"\nnuisances = ["surface height"]',
            "cannot be found for a recording of a body",
        ),
        ("[model]\n", "[model]\nlift = true\n", "lift has no meaning"),
        ('"contact.normal.stiffness"', '"contact.normal.stifness"', "contact.normal.stiffness"),
        (
            'shape = { name = "cube", half_width = 0.05, corner_radius = 0.0005 }',
            'shape = { name = "clump", members = [[0, 0, 0, 0.01]] }',
            "a clump needs its inertia",
        ),
    ],
)
def test_what_is_said_wrongly_of_a_body_is_refused_at_once(folder, old, new, said):
    with pytest.raises(cal.InputError) as refused:
        problem_to_fit(changed(folder, old, new))
    assert said.replace('"', "'") in str(refused.value).replace('"', "'")


def test_a_release_that_nobody_recorded_is_refused(folder, tmp_path):
    write_toss(tmp_path / "toss_1.csv", 1, until=0.15)
    study = changed(folder, "toss_*.csv", str(tmp_path / "toss_1.csv"))
    text = (folder / "changed.toml").read_text()
    (folder / "changed.toml").write_text(text.replace("horizon", 'release = "recorded"\nhorizon'))
    with pytest.raises(cal.InputError, match=r"no velocity and spin.*vx, vy, vz"):
        problem_to_fit(cal.studies.read_study(folder / "changed.toml"))
    assert study.body.release == "found"


def test_columns_of_poses_are_asked_for_by_name(tmp_path):
    path = tmp_path / "toss.csv"
    path.write_text("t,x,y,z,qw,qx,qy\n0,0,0,1,1,0,0\n")
    with pytest.raises(cal.InputError, match="qz"):
        read_poses(path)
    path.write_text("t (ms),x (mm),y (mm),z (mm),qw,qx,qy,qz\n0,0,0,1,2,0,0,0\n5,0,0,2,2,0,0,0\n")
    with pytest.raises(cal.InputError, match="2 samples"):
        read_poses(path)
    with path.open("a") as file:
        file.write("10,0,0,3,0,0,0,2\n")
    found = read_poses(path)
    assert np.allclose(found.time, (0.0, 0.005, 0.01))
    assert np.allclose(found.position[:, 2], (0.001, 0.002, 0.003))
    assert np.allclose(found.orientation[2], (0.0, 0.0, 0.0, 1.0))


def test_check_says_how_many_poses_there_are(folder):
    (report,) = cal.studies.check_study(cal.studies.read_study(folder / "study.toml"))
    assert report.problem is None
    assert "36 poses" in report.remarks[0]


@pytest.mark.long
def test_tosses_of_an_independent_truth_give_it_back_from_the_command_line(tmp_path):
    for k in range(3):
        write_toss(tmp_path / f"toss_{k}.csv", k)
    (tmp_path / "study.toml").write_text(STUDY)
    run = subprocess.run(
        [sys.executable, "-m", "calibration.cli", "fit", "study.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr + run.stdout
    fit = json.loads((tmp_path / "result" / "fit.json").read_text())
    for name, true in (
        ("contact.normal.restitution", TRUE["restitution"]),
        ("contact.friction.coefficient", TRUE["friction"]),
        ("surfaces.0.offset", TRUE["height"]),
    ):
        found = fit["parameters"][name]
        assert abs(found["value"] - true) < 3 * found["sd"], (name, found)
    assert 0.8 < fit["chi2"] / fit["dof"] < 1.2
    assert tomllib.loads((tmp_path / "result" / "study.toml").read_text())["body"]["mass"] == 0.37
    assert (tmp_path / "result" / "report.html").stat().st_size > 10_000
