"""``jaxcontact export``: a fit of a table of impacts, handed over."""

from pathlib import Path

import pytest

from calibration.cli.main import main
from calibration.runtime import compilation_cache

BALL = ("--radius", "0.0025", "--mass", "0.00025", "--speed", "3.9")
GOOD = "angle (deg),normal_restitution,tangential_restitution\n" + "".join(
    f"{angle},{e},{tangential}\n"
    for angle, e, tangential in (
        (60, 0.81, 0.742),
        (65, 0.79, 0.794),
        (70, 0.80, 0.836),
        (75, 0.805, 0.880),
        (80, 0.80, 0.920),
    )
)


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")

    def run(*arguments):
        status = main(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def fitted(run, folder, table, *options):
    """A folder of results, and the exit status of the fit."""
    file = Path(folder) / "impacts.csv"
    file.write_text(table)
    result = Path(folder) / "result"
    status, out, err = run("fit", str(file), *BALL, *options, "--out", str(result))
    assert (result / "study.toml").exists(), (out, err)
    return str(result), status


@pytest.mark.slow
def test_the_block_is_printed_and_written_beside_the_results(run, tmp_path):
    result, status = fitted(run, tmp_path, GOOD)
    assert status == 0
    status, out, err = run("export", result, "--to", "exudyn", "--draws", "4")
    assert status == 0, err
    block = (Path(result) / "exudyn.py").read_text(encoding="utf-8")
    assert block.rstrip() in out
    assert "impactModel=2" in block
    assert len((Path(result) / "exudyn_draws.csv").read_text().splitlines()) == 5
    other = tmp_path / "other"
    given = ("--friction", "0.5", "--speed", "1", "--contact-time", "1e-4", "--out", str(other))
    status, out, _ = run("export", f"{result}/study.toml", "--to", "exudyn", *given)
    assert status == 0
    assert "dynamicFriction=0.5" in (other / "exudyn.py").read_text(encoding="utf-8")
    assert "The contact time was given" in out


@pytest.mark.slow
def test_a_fit_in_doubt_is_not_exported_and_says_so_by_its_exit_status(run, tmp_path):
    wild = GOOD.replace("0.79,", "0.30,")
    result, doubt = fitted(run, tmp_path, wild, "--sigma", "normal_restitution=0.001")
    assert doubt == 4
    status, _, err = run("export", result, "--to", "exudyn")
    assert status == doubt
    assert "nothing of it is to be used" in err
    assert not (Path(result) / "exudyn.py").exists()


@pytest.mark.slow
def test_friction_that_the_data_leave_open_is_an_exit_status_of_its_own(run, tmp_path):
    head_on = GOOD.splitlines()
    head_on = [",".join(line.split(",")[:2]) for line in head_on]
    result, status = fitted(run, tmp_path, "\n".join(head_on) + "\n", "--friction")
    assert status == 0
    status, _, err = run("export", result, "--to", "mujoco")
    assert status == 6, err
    assert "friction of the fit is not determined" in err
    assert not (Path(result) / "mujoco.xml").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--to", "exudyn"), "not a study file"),
        (("--to", "exudyn", "--speed", "-1"), "speed = -1.0 is outside"),
        (("--to", "exudyn", "--draws", "-1"), "draws = -1"),
        ((), "--to"),
    ],
)
def test_wrong_input_is_refused_before_anything_is_fitted(run, tmp_path, arguments, words):
    status, _, err = run("export", str(tmp_path / "absent"), *arguments)
    assert status == 2
    assert words in err
