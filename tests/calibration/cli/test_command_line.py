"""The command ``jaxcontact`` as a person meets it: what it prints, what it writes, what it says
when something is wrong.
"""

import ast
import importlib
import json
import os
import re
import subprocess
import sys
import unittest.mock
from pathlib import Path

import numpy as np
import pytest

import calibration
import jaxcontact as jc
from calibration.cli import main as cli
from calibration.cli.main import main
from calibration.detection.bounces import read_bounces
from calibration.io.recording import read_recordings, read_trajectory
from calibration.results.simulated_trial import SimulatedTrial
from calibration.runtime import compilation_cache
from calibration.studies.option import options, parse_columns, parse_sigma
from calibration.studies.study import SECTIONS, ModelOptions, ReadingOptions
from calibration.studies.toml import read_study
from calibration.studies.trajectories import usable
from tests.calibration import synthetic_fits as synthetic

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
BALL = ["--radius", "0.02", "--mass", "0.0027", "--shell"]
RESULTS = ("fit.json", "fit.png", "report.html", "study.toml")


def bounce(path, *, height=0.5, restitution=0.9, noise=0.0, columns="t,z", seconds=1.6):
    """A dropped ball of 20 mm radius on a table at height 0, 100 samples a second."""
    time = 0.01 * np.arange(int(100 * seconds))
    position, moments = synthetic.bounces(time, height, e=restitution)
    position = position + 0.02 + noise * np.random.default_rng(0).standard_normal(time.size)
    rows = "\n".join(f"{t:.2f},{z:.6f}" for t, z in zip(time, position, strict=True))
    path.write_text(f"{columns}\n{rows}\n")
    return moments


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current directory with two recordings, no cache, and no earlier settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")
    monkeypatch.delenv(cli.DEBUG, raising=False)
    (tmp_path / "drops").mkdir()
    bounce(tmp_path / "drops" / "a.csv")
    bounce(tmp_path / "drops" / "b.csv", height=0.4)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run the command; its exit status, standard output and standard error."""

    def run(*given):
        status = main([str(argument) for argument in given])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, printed.out, printed.err

    return run


@pytest.fixture
def fits(monkeypatch):
    """A fit that takes no time; the studies it was asked for."""
    studies = []

    def fit_study(study, *, progress=None):
        progress("Fitting nothing")
        studies.append(study)
        return synthetic.drops(2)

    def save_figure(fit, path):
        Path(path).write_bytes(b"a picture")

    monkeypatch.setattr("calibration.studies.pipeline.fit_study", fit_study)
    monkeypatch.setattr("calibration.report.figures.save_figure", save_figure)
    return studies


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else None


# Help


def test_help_names_the_verbs_and_their_purpose(run):
    for given in ((), ("--help",), ("-h",)):
        status, out, _ = run(*given)
        assert status == 0
        assert all(word in out for word in ("check", "fit", "simulate", "restitution"))


@pytest.mark.parametrize("verb", ["check", "fit", "simulate"])
def test_help_of_a_verb_has_examples_and_units(run, verb):
    status, out, _ = run(verb, "--help")
    assert status == 0
    assert f"jaxcontact {verb}" in out
    assert "[m]" in out
    assert "[kg]" in out


def test_every_option_of_a_study_is_an_option_of_fit(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = run("fit", "--help")
    for section in SECTIONS:
        for name, option in options(section).items():
            assert all(flag in out for flag in option.flags_of(name).split("/"))


def test_version(run):
    status, out, _ = run("--version")
    assert status == 0
    assert out.startswith("jaxcontact ")


def test_help_waits_for_nothing_heavy():
    script = (
        "import sys; from calibration.cli.main import main; "
        "main(['fit', '--help']); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not {"jax", "scipy", "matplotlib", "optimistix"} & set(done.stdout.split())


# Check


def test_check_says_what_is_there_and_what_can_be_learned(run, here):
    status, out, _ = run("check", "drops", "--radius", "0.02")
    assert status == 0
    assert all(word in out for word in ("a ", "b ", "160", "restitution", "length scale"))
    assert "friction" in out
    assert "stiffness" in out
    assert sorted(path.name for path in here.iterdir()) == ["drops"]


def test_check_gives_the_drag_coefficient_only_with_the_mass(run):
    assert "drag coefficient" not in run("check", "drops", "--radius", "0.02")[1]
    assert "drag coefficient" in run("check", "drops", "--radius", "0.02", "--mass", "0.0027")[1]


def test_check_names_every_unusable_file_with_its_place(run, here):
    Path("drops/text.csv").write_text("t,z\n0,1\n0.1,abc\n0.2,1\n0.3,1\n0.4,1\n0.5,1\n")
    Path("drops/empty.csv").write_text("")
    time = 0.01 * np.arange(40)
    np.savetxt(
        "drops/fall.csv",
        np.column_stack([time, 2 - 4.905 * time**2]),
        delimiter=",",
        header="t,z",
        comments="",
    )
    status, out, _ = run("check", "drops", "missing.csv", "--radius", "0.02")
    assert status == 1
    assert "4 of 6 files cannot be used" in out
    for place in (
        "drops/text.csv, line 3, column 'z': 'abc' is not a number",
        "empty.csv: the file is empty",
        "missing.csv: there is no such",
    ):
        assert place in out
    assert "fall.csv: there is no bounce" in out


def test_check_reads_tables_of_impacts(run):
    Path("table.csv").write_text("theta_deg,omega_rad_s\n5,100\n20,500\n40,700\n60,650\n")
    status, out, _ = run("check", "table.csv", "--radius", "0.0025", "--speed", "3.9")
    assert status == 0
    assert "5 to 60" in out
    assert "spin after" in out
    assert (
        run("check", "table.csv", "--radius", "0.0025")[0] == 1
    )  # the spin means nothing without the speed


@pytest.mark.parametrize(
    ("impacts", "options", "verdict"),
    [(5, (), "perhaps"), (5, ("--sigma", "0.0002"), "yes"), (6, (), "yes"), (2, (), "no")],
)
def test_check_promises_no_restitution_that_the_fit_leaves_open(run, impacts, options, verdict):
    times = np.cumsum([0.1, 0.4, 0.32, 0.256, 0.2048, 0.16384])[:impacts]
    Path("times.csv").write_text("t\n" + "".join(f"{time:.4f}\n" for time in times))
    _, out, _ = run("check", "times.csv", "--radius", "0.02", *options)
    assert re.search(rf"^restitution +{verdict} ", out, re.MULTILINE)


@pytest.mark.long
def test_check_of_a_study_file_uses_its_options(run):
    # Recordings with noise: in those of ``drops``, which have none, a bounce may lie on a sample up
    # to the rounding of the machine, and then the check says so.
    drops = Path(__file__).parents[3] / "experiments" / "data" / "known_truth" / "drop_*.csv"
    Path("study.toml").write_text(f'files = ["{drops}"]\n[ball]\nradius = 0.02\nmass = 0.0027\n')
    status, out, _ = run("check", "study.toml")
    assert status == 0
    assert "drag coefficient" in out


# Fit


def test_fit_prints_a_table_and_leaves_its_results(run, fits, here):
    status, out, err = run("fit", "drops/a.csv", "drops/b.csv", *BALL)
    assert status == 0
    assert "drop_01: 160 samples" in out
    assert "0.9263 +- 0.0041" in out
    assert "Fitting nothing" in err
    assert all(str(Path("result") / name) in out for name in RESULTS)
    assert set(contents(here / "result")) == set(RESULTS)
    assert (
        json.loads(Path("result/fit.json").read_text())["parameters"]["contact.normal.restitution"][
            "value"
        ]
        == 0.92634
    )
    assert read_study("result/study.toml").files == ("drops/a.csv", "drops/b.csv")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 0),
        ({"converged": False}, 3),
        ({"chi2": 1.77 * 1280, "dof": 1280}, 4),
        ({"plausible": False}, 5),
        ({"plausible": False, "converged": False}, 5),
    ],
)
def test_a_fit_in_doubt_has_an_exit_status_of_its_own(
    run, fits, here, monkeypatch, changes, status
):
    doubted = synthetic.drops(2, **changes)
    monkeypatch.setattr(
        "calibration.studies.pipeline.fit_study", lambda study, *, progress=None: doubted
    )
    assert run("fit", "drops", *BALL)[0] == status


def test_a_fit_whose_simulation_did_not_succeed_says_so_and_has_status_1(
    run, fits, here, monkeypatch
):
    lost = SimulatedTrial("drop_01", jc.Status.TOO_FEW_CONTACTS)
    failed = synthetic.drops(2, simulations=(lost, SimulatedTrial("drop_02", jc.Status.SUCCESS)))
    monkeypatch.setattr(
        "calibration.studies.pipeline.fit_study", lambda study, *, progress=None: failed
    )
    status, out, _ = run("fit", "drops", *BALL)
    assert status == 1
    assert "The simulation of drop_01 did not succeed" in " ".join(out.split())
    assert jc.Status.TOO_FEW_CONTACTS.advice in " ".join(out.split())
    assert "the model explains the data" not in out
    written = json.loads((here / "result" / "fit.json").read_text())
    assert written["fit"]["simulated"] is False
    assert [trial["status"] for trial in written["fit"]["simulations"]] == [
        "TOO_FEW_CONTACTS",
        "SUCCESS",
    ]


def test_quiet_prints_the_table_only(run, fits):
    _, out, err = run("fit", "drops", *BALL, "--quiet")
    assert err == ""
    assert out.startswith("Hard-sphere impacts")
    assert "Results" not in out


def test_options_reach_the_study(run, fits):
    given = [
        "--columns",
        "t=t,z=z",
        "--sigma",
        "0.002",
        "--scale",
        "0.001",
        "--frame-rate",
        "240",
        "--vertical",
        "-y",
        "--speed",
        "2",
    ]
    given += [
        "--no-drag",
        "--gravity",
        "9.78",
        "--no-length-scale",
        "--friction",
        "--no-spin",
        "--method",
        "adam",
        "--steps",
        "7",
    ]
    assert run("fit", "drops", *BALL, *given)[0] == 0
    (study,) = fits
    assert [Path(file).name for file in study.files] == ["a.csv", "b.csv"]
    assert (study.ball.radius, study.ball.mass, study.ball.shell) == (0.02, 0.0027, True)
    assert study.reading.columns == {"t": "t", "z": "z"}
    assert (study.reading.sigma, study.reading.scale, study.reading.frame_rate) == (
        0.002,
        0.001,
        240.0,
    )
    assert (study.reading.vertical, study.reading.speed) == ("-y", 2.0)
    assert (study.model.drag, study.model.gravity, study.model.length_scale) == (False, 9.78, False)
    assert (study.model.friction, study.model.spin) == (True, False)
    assert (study.fit.method, study.fit.steps) == ("adam", 7)


def test_what_is_not_given_is_left_to_the_defaults(run, fits):
    run("fit", "drops", "--radius", "0.02", "--mass", "0.0027")
    (study,) = fits
    assert study.model == ModelOptions()
    assert study.reading == ReadingOptions()
    assert study.ball.shell is False


def test_a_study_file_is_fitted_and_the_command_line_comes_before_it(run, fits, here):
    (here / "work").mkdir()
    Path("work/study.toml").write_text(
        'files = ["../drops/*.csv"]\n[ball]\nradius = 0.02\nmass = 0.0027\nshell = '
        "true\n[model]\ndrag = false\ngravity = 9.8\n"
    )
    assert run("fit", "work/study.toml", "--drag", "--solid")[0] == 0
    (study,) = fits
    assert (study.model.drag, study.model.gravity, study.ball.shell) == (True, 9.8, False)
    assert set(contents(here / "work" / "result")) == set(RESULTS)
    assert Path("work/study.toml").read_text().endswith("gravity = 9.8\n")


def test_the_study_in_a_result_is_fitted_in_its_place(run, fits, here):
    run("fit", "drops", *BALL, "--out", "first")
    status, _, err = run("fit", "first/study.toml")
    assert status == 0
    assert "warning" not in err
    assert fits[0] == fits[1]
    assert set(contents(here / "first")) == set(RESULTS)
    Path("drops/a.csv").write_text(Path("drops/b.csv").read_text())
    assert (
        "warning: first/study.toml: since it was written, ../drops/a.csv has changed"
        in run("fit", "first/study.toml")[2]
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["t=Zeit"], {"t": "Zeit"}),
        (["t=Zeit (s), z=Lage"], {"t": "Zeit (s)", "z": "Lage"}),
        (["t=Zeit,Uhr", "z=a=b"], {"t": "Zeit,Uhr", "z": "a=b"}),
    ],
)
def test_columns_are_read_from_pairs(given, expected):
    assert parse_columns(given) == expected


def test_sigma_is_a_number_or_one_for_each_quantity():
    assert parse_sigma("2e-3") == 0.002
    assert parse_sigma("x=0.002, z=0.001") == {"x": 0.002, "z": 0.001}


# Results that are there already


def test_the_same_command_replaces_its_own_results(run, fits, here):
    run("fit", "drops", *BALL)
    Path("result/fit.json").write_text("old")
    Path("result/notes.txt").write_text("mine")
    assert run("fit", "drops", *BALL)[0] == 0
    assert Path("result/fit.json").read_text() != "old"
    assert Path("result/notes.txt").read_text() == "mine"


def test_a_recording_more_or_a_deleted_one_is_the_same_study(run, fits):
    run("fit", "drops/a.csv", "drops/b.csv", *BALL)
    bounce(Path("drops/c.csv"), height=0.3)
    assert run("fit", "drops/a.csv", "drops/b.csv", "drops/c.csv", *BALL)[0] == 0
    Path("drops/c.csv").unlink()
    assert run("fit", "drops/*.csv", *BALL)[0] == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["drops/a.csv", *BALL], "b.csv was fitted, too"),
        (["drops", *BALL, "--no-drag"], "drag was true and is false"),
        (["drops", *BALL, "--steps", "3"], "steps was not given and is 3"),
        (
            ["drops", "--radius", "0.021", "--mass", "0.0027", "--shell"],
            "radius was 0.02 and is 0.021",
        ),
    ],
)
def test_another_study_does_not_replace_results(run, fits, here, given, words):
    run("fit", "drops", *BALL)
    before = contents(here / "result")
    status, _, err = run("fit", *given)
    assert status == 2
    assert words in err
    assert "--out" in err
    assert len(fits) == 1
    assert contents(here / "result") == before
    assert run("fit", *given, "--out", "other")[0] == 0
    assert run("fit", *given, "--force")[0] == 0
    assert contents(here / "result") != before


def test_files_of_somebody_else_are_not_replaced(run, fits, here):
    (here / "result").mkdir()
    Path("result/fit.png").write_text("a photograph")
    status, _, err = run("fit", "drops", *BALL)
    assert status == 2
    assert "fit.png" in err
    Path("result/study.toml").write_text("files = []\n")
    assert "was not written by a fit" in run("fit", "drops", *BALL)[2]
    assert Path("result/fit.png").read_text() == "a photograph"


def test_an_error_leaves_earlier_results_as_they_were(run, fits, here, monkeypatch):
    run("fit", "drops", *BALL)
    before = contents(here / "result")

    def disk_full(fit, path):
        Path(path).write_bytes(b"half a pic")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("calibration.report.figures.save_figure", disk_full)
    status, _, err = run("fit", "drops", *BALL)
    assert status == 2
    assert "result: fit.json, " in err
    assert "cannot be written here (No space left on device)" in err
    assert contents(here / "result") == before
    assert run("fit", "drops", *BALL, "--out", "new")[0] == 2
    assert not (here / "new").exists()


def test_a_place_that_cannot_be_written_is_refused_before_the_fit(run, fits, here):
    status, _, err = run("fit", "drops", *BALL, "--out", "drops/a.csv/result")
    assert status == 2
    assert "a.csv is a file" in err
    if os.name == "posix" and os.geteuid() != 0:
        (here / "locked").mkdir(mode=0o500)
        assert "permission denied" in run("fit", "drops", *BALL, "--out", "locked/result")[2]
    assert not fits


# What goes wrong


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["fit"], ["Missing argument 'FILES'", "jaxcontact fit --help"]),
        (["fot"], ["No such command 'fot'", "Did you mean 'fit'", "jaxcontact --help"]),
        (["fit", "drops", "--rad", "0.02"], ["No such option: --rad", "--radius"]),
        (["fit", "drops", "--radius", "two"], ["'--radius'", "valid number"]),
        (["fit", "drops", "--radius"], ["'--radius' requires an argument"]),
        (
            ["fit", "drops", "--mass", "0.0027"],
            ["the radius of the ball is not given", "--radius 0.02"],
        ),
        (
            ["fit", "drops", "--radius", "0.02"],
            ["the mass of the ball is not given", "--mass 0.0027"],
        ),
        (
            ["fit", "drops", "--radius", "nan", "--mass", "0.0027"],
            ["radius = nan is not a positive number"],
        ),
        (
            ["fit", "drops", "--radius", "0.02", "--mass", "-0.0027"],
            ["mass = -0.0027 is not a positive number", "[kg]"],
        ),
        (["fit", "drops", "--radius", "20", "--mass", "2.7"], ["which no ball has", "metres"]),
        (
            ["fit", "drops", *BALL, "--method", "newton"],
            ['method = "newton" is not one of', "levenberg_marquardt"],
        ),
        (
            ["fit", "drops", *BALL, "--steps", "0"],
            ["steps = 0 is not a whole number of at least 1"],
        ),
        (["fit", "drops", *BALL, "--vertical", "up"], ['vertical = "up" is not one of']),
        (["fit", "drops", *BALL, "--columns", "Zeit"], ["'Zeit' is not KEY=HEADER"]),
        (["fit", "drops", *BALL, "--sigma", "x=small"], ["--sigma: 'x=small' is not understood"]),
        (["fit", "nothing/*.csv", *BALL], ["nothing/*.csv: no file matches this pattern"]),
        (["fit", "study.toml", "drops", *BALL], ["study.toml: a study file names its data itself"]),
        (["fit", "study.toml"], ["study.toml: there is no such file"]),
        (["check", "drops"], ["the radius of the ball is not given"]),
        (["check", "drops", "--radius", "-1"], ["radius = -1.0 is not a positive number"]),
        (["simulate", *BALL], ["neither --height nor --position"]),
        (["simulate", *BALL, "--height", "1", "--position", "0", "0", "1"], ["both given"]),
        (["simulate", *BALL, "--position", "0", "0"], ["--position"]),
        (["simulate", *BALL, "--position", "0", "0", "0.01"], ["0.01 m inside the surface"]),
        (["simulate", *BALL, "--height", "nan"], ["not finite"]),
        (
            ["simulate", *BALL, "--height", "1", "--restitution", "1.1"],
            ["restitution = 1.1", "(0, 1]"],
        ),
        (
            ["simulate", *BALL, "--height", "1", "--friction", "-0.1"],
            ["coefficient = -0.1", "[0, inf)"],
        ),
        (
            ["simulate", *BALL, "--height", "1", "--rate", "0"],
            ["rate = 0 is not a positive number"],
        ),
        (
            ["simulate", *BALL, "--height", "1", "--duration", "1e9"],
            ["more than a million samples"],
        ),
        (
            ["simulate", *BALL, "--height", "1", "--noise", "-1"],
            ["noise = -1 is not a standard deviation"],
        ),
        (
            ["simulate", *BALL, "--height", "1", "--out", "nowhere/a.csv"],
            ["nowhere/a.csv: the folder of this file does not exist"],
        ),
    ],
)
def test_wrong_input_is_one_message_and_status_2(run, here, given, words):
    status, out, err = run(*given)
    assert status == 2
    assert out == ""
    (message,) = [line for line in err.splitlines() if not line.startswith("[")]
    assert message.startswith("error: ")
    for word in words:
        assert word in message
    assert sorted(path.name for path in here.iterdir()) == ["drops"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("t,z\n", "no data rows"),
        ("t,z\n0,1\n", "1 sample with a time and a position"),
        ("t,q\n" + "".join(f"{i},{i}\n" for i in range(9)), "no column of position"),
        (
            "t,z\n0,1\n0.1,abc\n0.2,1\n0.3,1\n0.4,1\n0.5,1\n",
            "line 3, column 'z': 'abc' is not a number",
        ),
        (
            "t,z\n0,1\n0.1,1\n0.05,1\n0.3,1\n0.4,1\n0.5,1\n",
            "line 4, column 't': the time goes back",
        ),
    ],
)
def test_unusable_data_are_named_and_leave_nothing_behind(run, here, text, words):
    Path("drops/bad.csv").write_text(text)
    status, out, err = run("fit", "drops", *BALL)
    assert status == 2
    assert out == ""
    assert "error: drops/bad.csv" in err
    assert words in err
    assert sorted(path.name for path in here.iterdir()) == ["drops"]


def test_a_recording_without_a_bounce_is_an_error_alone_and_left_out_beside_others(run, here):
    Path("falling.csv").write_text(
        "t,z\n" + "".join(f"{0.01 * i},{2 - 4.905e-4 * i * i}\n" for i in range(40))
    )
    status, out, err = run("fit", "falling.csv", *BALL)
    assert status == 2
    assert out == ""
    assert "error: falling.csv: there is no bounce" in err
    recordings = read_recordings(["drops/a.csv", "falling.csv"])
    detections = [read_bounces(recording, radius=0.02) for recording in recordings]
    kept, _, notes = usable(recordings, detections, gravity=9.81)
    assert [recording.name for recording in kept] == ["a"]
    assert notes == ["1 of 2 recordings show no bounce and were left out: falling."]


def test_an_error_of_the_program_asks_for_a_report(monkeypatch, capsys):
    failing = unittest.mock.Mock(side_effect=KeyError("contact"))
    monkeypatch.setattr("calibration.studies.pipeline.fit_study", failing)
    given = ["fit", "drops", *BALL, "--quiet"]
    assert main(given) == cli.DEFECT
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "KeyError: 'contact'" in err
    assert "report" in err
    for debug in ([*given, "--debug"], ["--debug", *given]):
        assert main(debug) == cli.DEFECT
        assert "Traceback" in capsys.readouterr().err
    monkeypatch.setenv(cli.DEBUG, "1")
    main(given)
    assert "Traceback" in capsys.readouterr().err


def test_control_c_ends_quietly(run, monkeypatch, here):
    def fit_study(study, *, progress=None):
        progress("Fitting for ever")
        raise KeyboardInterrupt

    monkeypatch.setattr("calibration.studies.pipeline.fit_study", fit_study)
    status, out, err = run("fit", "drops", *BALL)
    assert status == 130
    assert out == ""
    assert err.endswith("interrupted\n")
    assert not (here / "result").exists()


# Simulate


def test_a_made_up_recording_is_read_back(run):
    status, out, _ = run(
        "simulate",
        *BALL,
        "--height",
        "0.3",
        "--restitution",
        "0.8",
        "--duration",
        "1",
        "--rate",
        "200",
    )
    assert status == 0
    assert "201 samples: trajectory.csv" in out
    recording = read_trajectory("trajectory.csv")
    assert recording.time[-1] == pytest.approx(1.0)
    assert recording.position[0] == pytest.approx([0.0, 0.0, 0.32])
    first = np.sqrt(2 * 0.3 / 9.81)
    line = out.splitlines()[1].split()
    assert float(line[1]) == pytest.approx(first, abs=1e-4)
    assert float(line[3]) == pytest.approx(9.81 * first, abs=1e-3)
    assert float(line[4]) == pytest.approx(0.8 * 9.81 * first, abs=1e-3)
    assert read_bounces(recording, radius=0.02).restitution == pytest.approx(0.8, abs=1e-4)


def test_the_noise_is_that_of_the_seed(run):
    def samples(*given):
        run("simulate", *BALL, "--height", "0.3", "--duration", "0.5", "--out", "made.csv", *given)
        return read_trajectory("made.csv").position

    exact = samples()
    one, again, other = (
        samples("--noise", "1e-3"),
        samples("--noise", "1e-3"),
        samples("--noise", "1e-3", "--seed", "1"),
    )
    assert np.std(one - exact) == pytest.approx(1e-3, rel=0.15)
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.long
def test_a_compliant_contact_lasts(run):
    status, out, _ = run(
        "simulate",
        *BALL,
        "--height",
        "0.3",
        "--stiffness",
        "4e5",
        "--duration",
        "0.5",
        "--restitution",
        "1",
    )
    assert status == 0
    duration = 3.2181 * (0.0027**2 / (4e5**2 * np.sqrt(2 * 9.81 * 0.3))) ** 0.2  # Hertz
    assert float(out.splitlines()[1].split()[2]) == pytest.approx(1e6 * duration, rel=1e-3)


def test_a_made_up_recording_does_not_replace_a_measured_one(run):
    before = Path("drops/a.csv").read_bytes()
    given = ["simulate", *BALL, "--height", "0.3", "--duration", "0.5", "--out", "drops/a.csv"]
    status, _, err = run(*given)
    assert status == 2
    assert "was not written by a simulation" in err
    assert Path("drops/a.csv").read_bytes() == before
    assert run(*given, "--force")[0] == 0
    assert run(*given)[0] == 0


# The cache of compiled code


def test_the_cache_is_where_the_user_wants_it(monkeypatch, tmp_path):
    monkeypatch.setenv(compilation_cache.VARIABLE, str(tmp_path / "mine"))
    assert compilation_cache.find_cache_folder().parent == tmp_path / "mine"
    monkeypatch.delenv(compilation_cache.VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert compilation_cache.find_cache_folder().parent == tmp_path / "xdg" / "jaxcontact" / "xla"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert (
        compilation_cache.find_cache_folder().parent == tmp_path / ".cache" / "jaxcontact" / "xla"
    )


@pytest.mark.parametrize("off", ["off", "0", "", "OFF"])
def test_the_cache_can_be_turned_off(monkeypatch, off):
    monkeypatch.setenv(compilation_cache.VARIABLE, off)
    assert compilation_cache.find_cache_folder() is None
    assert compilation_cache.enable_compilation_cache() is None


def test_a_cache_that_cannot_be_written_is_no_error(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(compilation_cache.VARIABLE, str(tmp_path / "file" / "cache"))
    assert compilation_cache.enable_compilation_cache() is None


# The package


def test_every_public_name_is_there_and_known_to_type_checkers():
    stub = ast.parse(Path(calibration.__file__).with_suffix(".pyi").read_text())
    declared = {alias.asname: node.module for node in stub.body for alias in node.names}
    assert sorted(declared) == sorted(calibration.__all__)
    for name, module in declared.items():
        if module is None:
            assert getattr(calibration, name) is importlib.import_module(f"calibration.{name}")
        else:
            home = importlib.import_module(f"calibration.{module}")
            assert getattr(calibration, name) is getattr(home, name)
    assert set(calibration.__all__) <= set(dir(calibration))
    with pytest.raises(AttributeError, match="No calibration attribute fitt"):
        _ = calibration.fitt


def test_importing_the_package_imports_nothing_heavy():
    script = (
        "import sys; import calibration; from calibration.studies import read_study; "
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not {"jax", "scipy", "matplotlib", "optimistix"} & set(done.stdout.split())


# For real


def test_a_simulated_bounce_is_fitted_and_the_second_run_compiles_nothing(here):
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        compilation_cache.VARIABLE: str(here / "cache"),
    }

    def command(*given):
        script = "import sys; from calibration.cli.main import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", script, *given],
            capture_output=True,
            text=True,
            env=environment,
            cwd=here,
        )
        assert done.returncode == 0, done.stderr
        return done

    command(
        "simulate",
        *BALL,
        "--height",
        "0.4",
        "--restitution",
        "0.88",
        "--drag",
        "0",
        "--noise",
        "5e-4",
        "--out",
        "drop.csv",
    )
    fitting = ("fit", "drop.csv", *BALL, "--no-drag", "--no-length-scale")
    command(*fitting)
    compiled = {path.name for path in (here / "cache").rglob("*-cache")}
    assert compiled
    done = command(*fitting)
    assert {path.name for path in (here / "cache").rglob("*-cache")} == compiled
    assert not [line for line in done.stderr.splitlines() if not line.startswith("[")]
    found = json.loads((here / "result" / "fit.json").read_text())["parameters"][
        "contact.normal.restitution"
    ]
    assert found["status"] == "determined"
    assert abs(found["value"] - 0.88) < 4 * found["sd"]
    assert (here / "result" / "fit.png").stat().st_size > 10_000
