"""Runs that roll or spin to rest through the command line, from files that plain formulas give, and
the mistakes of newcomers.
"""

import json

import numpy as np
import pytest

from calibration.cli.exit_status import NOT_EXPLAINED
from calibration.cli.main import main
from calibration.runtime import compilation_cache

GRAVITY, RADIUS = 9.81, 0.02
TIME = np.linspace(0.0, 6.0, 241)
BODY = ("--radius", "0.02", "--mass", "0.26")
ROLLING, SLOPE = "contact.rolling.rolling_coefficient", "track_slope"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")


def speeds(speed, coefficient, slope=0.0):
    """Of a solid ball on a track that goes down towards larger positions."""
    pull = np.sin(slope) - np.sign(speed) * coefficient * np.cos(slope)
    slowing = GRAVITY / 1.4 * pull
    end = -speed / slowing if speed * slowing < 0 else np.inf
    return np.where(end > TIME, speed + slowing * TIME, 0.0)


def spins(spin, coefficient, contact):
    """Of a ball on a contact with Hertz's pressure."""
    slowing = 3 * np.pi / 16 * coefficient * contact * GRAVITY / (0.4 * RADIUS**2)
    return np.maximum(spin - slowing * TIME, 0.0)


def write(name, header, values, *, noise=0.0, seed=1):
    random = np.random.default_rng(seed)
    rows = np.stack([TIME, values + noise * random.normal(size=TIME.size)], axis=1)
    np.savetxt(f"{name}.csv", rows, delimiter=",", header=f"t [s],{header}", comments="")
    return f"{name}.csv"


def found(folder="result"):
    with open(f"{folder}/fit.json") as file:
        return json.load(file)


def parameters():
    return found()["parameters"]


@pytest.mark.long
def test_a_ball_that_rolls_both_ways_tells_resistance_and_slope(capsys):
    files = [
        write(f"run{i}", "v [cm/s]", 100 * speeds(v, 0.03, np.radians(1.0)), noise=0.2, seed=i)
        for i, v in enumerate((0.5, -0.5, 0.4))
    ]
    assert main(["fit", *files, *BODY]) == 0
    told = parameters()
    for name, true in ((ROLLING, 0.03), (SLOPE, np.radians(1.0))):
        assert told[name]["status"] == "determined"
        assert abs(told[name]["value"] - true) < 3 * told[name]["sd"] < 0.05 * true
    assert 0.8 < found()["fit"]["chi2_per_dof"] < 1.2
    said = " ".join(capsys.readouterr().out.split())
    assert "The track is not level" in said
    assert "degrees towards larger positions" in said
    # the study that was written is fitted again, and checked
    assert main(["check", "result/study.toml"]) == 0


@pytest.mark.long
def test_a_tilt_that_nobody_told_gives_no_wrong_value(capsys):
    """In one direction it acts like resistance."""
    files = [
        write(f"run{i}", "v [m/s]", speeds(v, 0.03, np.radians(1.0)), noise=2e-3, seed=i)
        for i, v in enumerate((0.5, 0.45))
    ]
    assert main(["fit", *files, *BODY, "--no-drag"]) == 0
    assert parameters()[ROLLING]["status"].startswith("not determined")
    said = " ".join(capsys.readouterr().out.split())
    assert "cannot tell rolling resistance from a slope" in said
    assert "level exactly" in said
    assert "--slope-sd" in said
    # told, it is known as well as the slope is
    slope = ("--slope", "1", "--slope-sd", "0.05")
    assert main(["fit", *files, *BODY, "--no-drag", *slope, "--force"]) == 0
    told = parameters()[ROLLING]
    assert abs(told["value"] - 0.03) < 2 * told["sd"]
    assert told["sd"] == pytest.approx(np.radians(0.05), rel=0.1)


@pytest.mark.long
@pytest.mark.slow
def test_a_viscous_resistance_by_name(capsys):
    coefficient = 0.02  # s/m: dv/dt = -c g v/1.4
    slow = GRAVITY * coefficient / 1.4
    files = [
        write(f"run{i}", "v [m/s]", v * np.exp(-slow * TIME), noise=1e-3, seed=i)
        for i, v in enumerate((0.6, -0.5, 0.4))
    ]
    assert main(["fit", *files, *BODY, "--rolling-law", "viscous", "--no-drag"]) == 0
    told = parameters()["contact.rolling.viscous_coefficient"]
    assert abs(told["value"] - coefficient) < 2.5 * told["sd"] < 0.1 * coefficient
    assert 0.8 < found()["fit"]["chi2_per_dof"] < 1.2
    # another law does not explain them, so it determines nothing
    assert main(["fit", *files, *BODY, "--no-drag", "--force"]) == NOT_EXPLAINED
    assert not any(one["status"] == "determined" for one in parameters().values())
    assert "does not explain the data" in " ".join(capsys.readouterr().out.split())


@pytest.mark.long
def test_a_spin_tells_a_lever_and_with_the_contact_a_coefficient(capsys):
    turns = 60 / (2 * np.pi)
    file = write("top", "spin [rpm]", turns * spins(8.0, 0.2, 2e-4), noise=0.5)
    assert main(["fit", file, *BODY]) == 0
    lever, told = 3 * np.pi / 16 * 0.2 * 2e-4, parameters()["contact.spinning.spinning_lever"]
    assert abs(told["value"] - lever) < 2.5 * told["sd"] < 0.1 * lever
    assert "--contact-radius" in capsys.readouterr().out
    assert main(["fit", file, *BODY, "--contact-radius", "0.0002", "--force"]) == 0
    told = parameters()["contact.spinning.coefficient"]
    assert abs(told["value"] - 0.2) < 2.5 * told["sd"] < 0.02
    assert main(["fit", file, *BODY, "--spinning-law", "hertz", "--force"]) == 2
    assert "needs the radius of the contact" in capsys.readouterr().err


@pytest.mark.long
def test_newcomers_mistakes_are_named(capsys):
    rolling = speeds(0.5, 0.008)
    sliding = np.where(TIME < 0.5, 0.5 + 1.5 * (0.5 - TIME), rolling + 0.5 - rolling[20])
    path = np.cumsum(rolling) * (TIME[1] - TIME[0])
    mistakes = {
        write("units", "v", rolling): "'v' has no unit",
        write("turns", "omega", spins(8.0, 0.2, 2e-4)): "'omega' has no unit",
        write("slides", "v [m/s]", sliding, noise=2e-3): "slides before it rolls",
        write("stop", "s [m]", np.minimum(path, 1.0), noise=1e-3): "as at an end stop",
        write("held", "w [rad/s]", np.where(TIME < 4, 8.0 - TIME, 0.0), noise=0.05): "jumps from",
    }
    assert main(["check", *mistakes, "--radius", "0.02"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    for file, problem in mistakes.items():
        assert f"{file}" in said
        assert problem in said


def test_a_check_says_what_can_be_learned(capsys):
    one = write("there", "v [m/s]", speeds(0.5, 0.008), noise=2e-3)
    back = write("back", "v [m/s]", speeds(-0.5, 0.008), noise=2e-3)
    assert main(["check", one, "--radius", "0.02"]) == 0
    assert "all in one direction" in " ".join(capsys.readouterr().out.split())
    assert main(["check", one, back, "--radius", "0.02"]) == 0
    assert "in both directions" in " ".join(capsys.readouterr().out.split())
