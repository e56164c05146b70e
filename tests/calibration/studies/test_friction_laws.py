"""Friction laws that a study names, fitted to tables of impacts with a truth in NumPy."""

import csv
import json

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from calibration.cli.main import main
from calibration.runtime import compilation_cache

RADIUS, RESTITUTION, STATIC, DYNAMIC, STRIBECK = 0.02, 0.8, 0.35, 0.15, 0.6
NOISE = 0.01
"""Of velocities after the impact [m/s]."""

BALL = ("--radius", "0.02", "--mass", "0.03")


def slip_after(slip, impulse):
    """Under Stribeck's coefficient, regularised over 5 mm/s."""

    def rate(_, logarithm):
        left = np.exp(np.maximum(logarithm, -60.0))
        coefficient = DYNAMIC + (STATIC - DYNAMIC) * np.exp(-((left / STRIBECK) ** 2))
        return -coefficient * np.tanh(left / 5e-3) / left

    span = (0.0, impulse)
    flow = solve_ivp(rate, span, [np.log(slip)], method="LSODA", rtol=1e-9, atol=1e-10)
    return np.exp(flow.y[0, -1])


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Impacts of a solid sphere at three speeds and eight angles, with noise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")
    random = np.random.default_rng(4)
    with open("impacts.csv", "w", newline="") as file:
        writer = csv.writer(file)
        names = ("normal_restitution", "tangential_restitution")
        header = [part for name in names for part in (name, f"{name}_sd")]
        writer.writerow(["impact_speed [m/s]", "impact_angle [deg]", *header])
        for speed in (1.0, 3.0, 6.0):
            for angle in (5, 15, 25, 35, 45, 60, 70, 80):
                down, along = speed * np.cos(np.radians(angle)), speed * np.sin(np.radians(angle))
                impulse = (1 + RESTITUTION) * down / (2 / 7)
                after = along + 2 / 7 * (slip_after(along, impulse) - along)
                row = [speed, angle]
                for true, before in ((RESTITUTION * down, down), (after, along)):
                    row += [(true + NOISE * random.normal()) / before, NOISE / before]
                writer.writerow(row)


def found():
    with open("result/fit.json") as file:
        return json.load(file)


@pytest.mark.long
def test_friction_that_falls_with_the_slip_is_found_from_a_table(table, capsys):
    assert main(["fit", "impacts.csv", *BALL, "--friction-law", "stribeck", "--quiet"]) == 0
    assert "NewtonRestitution, RegularizedStribeckForce" in capsys.readouterr().out
    parameters = found()["parameters"]
    truth = {
        "normal.restitution": RESTITUTION,
        "friction.coefficient": DYNAMIC,
        "friction.static_coefficient": STATIC,
        "friction.stribeck_velocity": STRIBECK,
    }
    assert set(parameters) == {f"contact.{name}" for name in truth}
    for name, true in truth.items():
        item = parameters[f"contact.{name}"]
        assert item["status"] == "determined"
        assert abs(item["value"] - true) < 3 * item["sd"]


@pytest.mark.long
@pytest.mark.slow
def test_the_restitution_law_that_is_named_is_the_one_that_is_fitted(table, capsys):
    law = ("--restitution-law", "power law")
    assert main(["fit", "impacts.csv", *BALL, *law, "--quiet"]) == 0
    assert "PowerLawRestitution, Coulomb" in capsys.readouterr().out
    assert "contact.normal.velocity_exponent" in found()["parameters"]


def test_laws_that_depend_on_a_speed_need_it(table, capsys):
    with open("impacts.csv") as file:
        rows = [row[1:] for row in csv.reader(file)]
    with open("impacts.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert main(["fit", "impacts.csv", *BALL, "--friction-law", "stribeck"]) != 0
    assert "depends on the speed, which 24 of 24 impacts lack" in capsys.readouterr().err
