"""``jaxcontact bulk``: what it prints, leaves and refuses."""

import csv
import json

import numpy as np
import pytest

from calibration.cli.exit_status import NOT_DETERMINED, NOT_EXPLAINED
from calibration.cli.main import WRONG_INPUT, main

COEFFICIENTS = ["--coefficient", "friction", "--coefficient", "rolling"]
BOTH = ["--measured", "angle=34.5+-0.3", "--measured", "retained=0.38+-0.004"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command with a table of 40 runs in the working folder."""
    monkeypatch.chdir(tmp_path)
    numbers = np.random.default_rng(0)
    friction, rolling = numbers.uniform(0.1, 0.9, 40), numbers.uniform(0.0, 0.5, 40)
    angle = 20.0 + 15.0 * np.sqrt(friction) + 12.0 * rolling + 0.5 * numbers.normal(size=40)
    retained = 0.1 + 0.5 * friction - 0.2 * rolling + 0.01 * numbers.normal(size=40)
    lines = ["friction,rolling,angle,retained"] + [
        f"{row[0]:.4f},{row[1]:.4f},{row[2]:.3f},{row[3]:.4f}"
        for row in zip(friction, rolling, angle, retained, strict=True)
    ]
    (tmp_path / "runs.csv").write_text("\n".join(lines))

    def run(*given):
        status = main(["bulk", *given])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, printed.out, printed.err

    return run


def test_coefficients_are_printed_and_left_as_files(run, tmp_path):
    status, printed, _ = run("runs.csv", *COEFFICIENTS, *BOTH)
    assert status == 0
    folder = tmp_path / "bulk"
    assert (folder / "bulk.txt").read_text().strip() in printed
    numbers = json.loads((folder / "bulk.json").read_text())
    by_name = {one["name"]: one for one in numbers["coefficients"]}
    assert all(one["determined"] for one in by_name.values())
    # 15 sqrt(mu) + 12 rolling = 14.5, 0.5 mu - 0.2 rolling = 0.28
    assert abs(by_name["friction"]["value"] - 0.6526) < 3 * by_name["friction"]["sd"]
    assert (folder / "bulk.png").read_bytes().startswith(b"\x89PNG")
    rows = np.loadtxt(folder / "next_runs.csv", delimiter=",", skiprows=1)
    assert rows.shape == (8, 2)


def test_results_are_not_overwritten_unasked(run):
    assert run("runs.csv", *COEFFICIENTS, *BOTH)[0] == 0
    status, _, said = run("runs.csv", *COEFFICIENTS, *BOTH)
    assert status == WRONG_INPUT
    assert "--force" in said
    assert run("runs.csv", *COEFFICIENTS, *BOTH, "--force")[0] == 0


def test_the_exit_status_tells_what_came_out(run):
    assert run("runs.csv", *COEFFICIENTS, "--measured", "angle=34.5+-0.3")[0] == NOT_DETERMINED
    status, printed, _ = run("runs.csv", *COEFFICIENTS, "--measured", "angle=70+-0.3", "--to", "x")
    assert status == NOT_EXPLAINED
    assert "No result" in printed


def test_what_is_not_explained_is_not_determined_in_the_numbers_either(run, tmp_path):
    run("runs.csv", *COEFFICIENTS, "--measured", "angle=70+-0.3")
    numbers = json.loads((tmp_path / "bulk" / "bulk.json").read_text())
    assert not numbers["explained"]
    assert not any(one["determined"] for one in numbers["coefficients"])


def test_names_of_columns_are_text(run, tmp_path):
    """No mathematics, and no further columns."""
    table = (tmp_path / "runs.csv").read_text()
    (tmp_path / "named.csv").write_text(
        table.replace("friction,rolling", '"friction, sliding",$\\frac$', 1)
    )
    names = ["friction, sliding", "$\\frac$"]
    given = [part for name in names for part in ("--coefficient", name)]
    assert run("named.csv", *given, *BOTH)[0] == 0
    with (tmp_path / "bulk" / "next_runs.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == names
    assert all(len(row) == 2 for row in rows)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["--coefficient", "fricton", *BOTH], "friction"),
        (["--coefficient", "friction", "--coefficient", "angle", *BOTH], "angle is named twice"),
        ([*COEFFICIENTS, "--measured", "angle=34.5"], r"angle=27.5+-0.8"),
        ([*COEFFICIENTS, "--measured", "slope=34.5+-1"], "slope"),
    ],
)
def test_wrong_columns_and_values_are_refused(run, given, says):
    status, _, said = run("runs.csv", *given)
    assert status == WRONG_INPUT
    assert says in said
