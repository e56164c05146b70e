"""What must hold of wrong options: they are refused before anything is fitted, on the command line
and in a study file alike, and a misspelt name is told the right one.
"""

from pathlib import Path

import numpy as np
import pytest

from calibration.cli.main import main
from calibration.runtime import compilation_cache
from calibration.selection import compare
from calibration.studies import pipeline

STUDY = """
files = ['s0.csv', 's1.csv']
[ball]
radius = 0.02
mass = 0.03
[model]
drag = false
"""

RESTITUTION = "contact.normal.restitution"

WRONG = [
    ("posterior", "chains", "--chains", "1", "1", ["chains = 1", "at least 2"]),
    ("posterior", "samples", "--samples", "3", "3", ["samples = 3", "at least 4"]),
    ("bootstrap", "count", "--count", "1", "1", ["count = 1", "at least 2"]),
    ("bootstrap", "kind", "--kind", "trail", "'trail'", ["Did you mean 'trial'?"]),
    ("bootstrap", "kind", "--kind", "trial", "'trial'", ["2 trials are too few"]),
    ("profile", "names", "--name", "contact.normal.restitutoin", None, [f"mean '{RESTITUTION}'?"]),
    ("profile", "names", "--name", "friction", None, ["'friction' is no parameter", RESTITUTION]),
    ("profile", "level", "--level", "95", "95", ["level = 95", "between 0 and 1"]),
    ("compare", "models", "--model", "plastik", None, ["Did you mean 'plastic'?"]),
    ("compare", "models", "--model", "constant", None, ["two or more"]),
    ("design", "interest", "--interest", "restitution", None, [f"mean '{RESTITUTION}'?"]),
    ("design", "angles", "--angle", "90", "[90.0]", ["angles = 90", "below 90"]),
    ("fit", "method", "--method", "adm", "'adm'", ["Did you mean 'adam'?"]),
    ("fit", "exporters", "--export", "tabel", None, ["Did you mean 'table'?"]),
]
"""Verb, option, flag, what is typed, what stands in the file, words of the message."""

SECTIONS = {"exporters": "export"}
"""Of options whose section is not named like the verb."""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command, which may refuse but not fit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")

    def began(*args, **kwargs):
        raise AssertionError("the fit has begun")

    monkeypatch.setattr(pipeline, "fit_study", began)
    monkeypatch.setattr(compare, "fit", began)
    flights = 2 * 2.5 * 0.85 ** np.arange(1, 8) / 9.81
    times = 0.3 + np.concatenate([[0.0], np.cumsum(flights)])
    for seed in range(2):
        lines = [f"{time + 1e-5 * seed:.6f}" for time in times]
        Path(f"s{seed}.csv").write_text("\n".join(["t (s)", *lines, ""]))

    def run(*arguments):
        status = main(arguments)
        return status, capsys.readouterr().err

    return run


@pytest.mark.parametrize(("verb", "option", "flag", "typed", "written", "words"), WRONG)
def test_a_wrong_option_is_refused_before_the_fit(run, verb, option, flag, typed, written, words):
    Path("study.toml").write_text(STUDY)
    typed_there = run(verb, "study.toml", flag, typed)
    section = SECTIONS.get(option, verb)
    Path("study.toml").write_text(f"{STUDY}[{section}]\n{option} = {written or [typed]}\n")
    written_there = run(verb, "study.toml")
    for status, err in (typed_there, written_there):
        assert status == 2
        assert all(word in err for word in words), err
    assert not Path("result").exists()


@pytest.mark.parametrize("where", ["local:none", "absent.json"])
def test_a_cluster_that_is_none_is_refused_before_the_fit(run, where):
    Path("study.toml").write_text(STUDY)
    status, err = run("bootstrap", "study.toml", "--cluster", where)
    assert status == 2
    assert "cluster:" in err


def test_the_name_of_a_parameter_is_let_pass(run):
    Path("study.toml").write_text(STUDY)
    assert "the fit has begun" in run("profile", "study.toml", "--name", RESTITUTION)[1]
