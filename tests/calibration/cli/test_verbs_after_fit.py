"""The verbs of the command line beside fit: a study is begun by init and followed by profile,
bootstrap, compare, design and report.
"""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from calibration.cli.after_fit import checkpoint_of
from calibration.cli.main import VERBS, main
from calibration.optimise import least_squares, resumable
from calibration.runtime import compilation_cache
from calibration.studies.study import Ball, BootstrapOptions, Study

BALL = ("--radius", "0.02", "--mass", "0.03")


def clicks(seed, *, restitution=0.85, speed=2.5, count=8, sigma=1e-4):
    """Times of impacts of a ball without air."""
    flights = 2 * speed * restitution ** np.arange(1, count) / 9.81
    times = 0.3 + np.concatenate([[0.0], np.cumsum(flights)])
    return times + sigma * np.random.default_rng(seed).standard_normal(count)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder with two sound recordings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")
    for seed in range(2):
        Path(f"s{seed}.csv").write_text(
            "t (s)\n" + "\n".join(f"{time:.7f}" for time in clicks(seed)) + "\n"
        )
    return tmp_path


@pytest.fixture
def run(here, capsys):
    def run(*arguments):
        status = main(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def study(run, **changes):
    """A study file in which some options have other values."""
    assert run("init", "s0.csv", "s1.csv", *BALL)[0] == 0
    text = Path("study.toml").read_text()
    for name, value in changes.items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"{name} =")]
        text = text.replace(line, f"{name} = {value}")
    Path("study.toml").write_text(text)


def test_init_writes_a_study_that_can_be_read_and_names_every_section(run):
    status, out, _ = run("init", "s*.csv", *BALL, "--shell")
    assert status == 0
    assert "jaxcontact check study.toml" in out
    content = tomllib.loads(Path("study.toml").read_text())
    assert content["files"] == ["s0.csv", "s1.csv"]
    assert content["ball"] == {"radius": 0.02, "mass": 0.03, "shell": True, "disc": False}
    assert {"profile", "bootstrap", "posterior", "compare", "design"} <= set(content)
    assert "provenance" not in content


def test_init_keeps_patterns_when_asked(run):
    assert run("init", "s*.csv", *BALL, "--patterns")[0] == 0
    assert tomllib.loads(Path("study.toml").read_text())["files"] == ["s*.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("init", "s0.csv", *BALL, "--out", "study.txt"), [".toml"]),
        (("init", "none*.csv", *BALL, "--out", "other.toml"), ["matches"]),
        (("init", "s0.csv", "--radius", "0.02"), ["mass"]),
        (("profile", "s0.csv"), ["not a study file", "study.toml"]),
        (("compare", "study.toml", "--model", "plastik"), ["plastik", "plastic"]),
        (("bootstrap", "study.toml", "--kind", "jackknife"), ["jackknife", "moving_block"]),
        (("profile", "absent.toml"), ["no such file"]),
    ],
)
def test_wrong_input_has_a_remedy_and_leaves_nothing(run, here, arguments, words):
    study(run)
    before = sorted(path.name for path in here.iterdir())
    status, _, err = run(*arguments)
    assert status == 2
    assert all(word in err for word in words)
    assert sorted(path.name for path in here.iterdir()) == before


def test_init_does_not_replace_a_study(run):
    study(run)
    status, _, err = run("init", "s0.csv", *BALL)
    assert status == 2
    assert "--force" in err
    assert run("init", "s0.csv", *BALL, "--force")[0] == 0


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_an_example(run, verb):
    status, out, _ = run(verb, "--help")
    assert status == 0
    assert f"jaxcontact {verb}" in out


@pytest.mark.slow
def test_a_study_from_init_to_report(run, here):
    study(run, drag="false", count="40", heights="[0.3]", frame_rates="[240.0]")
    status, out, _ = run("check", "study.toml")
    assert status == 0
    assert "agree with differences" in out
    assert "determined" in out

    assert run("fit", "study.toml")[0] == 0
    found = json.loads(Path("result/fit.json").read_text())["parameters"][
        "contact.normal.restitution"
    ]

    status, out, _ = run("profile", "result/study.toml")
    assert status == 0
    profile = json.loads(Path("result/profile.json").read_text())["profiles"][
        "contact.normal.restitution"
    ]
    assert profile["low"] < found["value"] < profile["high"]
    assert profile["high"] - profile["low"] == pytest.approx(4 * found["sd"], rel=0.2)
    assert Path("result/profile.png").read_bytes().startswith(b"\x89PNG")
    assert Path("result/profile.svg").read_text().startswith("<svg")

    assert run("bootstrap", "result/study.toml")[0] == 0
    drawn = json.loads(Path("result/bootstrap.json").read_text())
    assert drawn["count"] == 40

    status, out, _ = run(
        "compare", "result/study.toml", "--model", "constant", "--model", "viscoelastic"
    )
    assert status == 0
    assert json.loads(Path("result/compare.json").read_text())["models"][0]["name"] == "constant"

    status, out, _ = run("design", "result/study.toml")
    assert status == 0
    assert "microphone" in out

    assert run("report", "result/study.toml")[0] == 0
    page = Path("result/report.html").read_text()
    for title in ("profile of the likelihood", "drawn anew", "Which law", "What to measure next"):
        assert title in page
    assert "data:image/png" not in page  # all pictures are vectors
    assert page.count("<svg") > 3


def test_other_options_or_data_are_other_work_and_not_refused(tmp_path):
    """A bootstrap of 100 and then of 2000 was refused, with --force, too."""
    file = tmp_path / "clicks.csv"
    file.write_text("t [s]\n0.000\n0.350\n0.665\n0.9485\n")

    def place(count):
        options = BootstrapOptions(count=count)
        study = Study(files=(str(file),), ball=Ball(radius=0.02, mass=0.03), bootstrap=options)
        return checkpoint_of(study, tmp_path, "bootstrap")

    assert place(100) == place(100)
    assert place(100) != place(2000)
    before = place(100)
    file.write_text("t [s]\n0.000\n0.350\n0.665\n0.9486\n")
    assert place(100) != before


@pytest.mark.long
@pytest.mark.slow
def test_a_fit_that_was_stopped_goes_on_to_the_numbers_of_one_that_was_not(run, monkeypatch):
    motion = (
        "--position",
        "0",
        "0",
        "0.4",
        "--velocity",
        "1",
        "0",
        "0",
        "--friction",
        "0.1",
        "--duration",
        "1",
        "--noise",
        "0.0005",
    )
    for seed in range(2):
        assert (
            run("simulate", *BALL, *motion, "--seed", str(seed), "--out", f"throw{seed}.csv")[0]
            == 0
        )
    fit = ("fit", "throw0.csv", "throw1.csv", *BALL, "--out")
    done, stop_after = [], [1]

    def counted(*args, **kwargs):
        if len(done) == stop_after[0]:
            raise KeyboardInterrupt
        done.append(args)
        return least_squares.minimise_with_blocks(*args, **kwargs)

    monkeypatch.setattr(resumable, "minimise_with_blocks", counted)
    assert run(*fit, "stopped")[0] != 0
    (kept,) = Path("stopped/checkpoints").iterdir()
    assert list(kept.rglob("*.npz"))
    stop_after[0] = None
    done.clear()
    assert run(*fit, "stopped")[0] == 0
    rest = len(done)
    assert run(*fit, "whole")[0] == 0
    assert len(done) == rest + rest + 1
    assert not Path("stopped/checkpoints").exists()
    stopped, whole = (
        json.loads(Path(folder, "fit.json").read_text()) for folder in ("stopped", "whole")
    )
    assert stopped["parameters"] == whole["parameters"]


def test_a_fit_that_fails_leaves_nothing(run):
    Path("flat.csv").write_text("t,z\n" + "\n".join(f"{i / 100},0.5" for i in range(100)) + "\n")
    assert run("fit", "flat.csv", *BALL)[0] == 2
    assert not Path("result").exists()
