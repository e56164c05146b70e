"""A study file that uses the measurement, nuisance, law and surface of the other tests here: each
is one file with public imports only.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.extending.test_study_file import run

HERE = Path(__file__).parent
MODULES = ("overlap_dashpot", "rebound_speeds", "speed_offset", "torus")
RESTITUTION, EXPONENT, FALL, GRAVITY = 0.8, 0.1, 0.5, 9.81


def rebound_speeds(impacts=4):
    """Closed form: v -> e v^(1 - q)."""
    speeds = [np.sqrt(2 * GRAVITY * FALL)]
    for _ in range(impacts):
        speeds.append(RESTITUTION * speeds[-1] ** (1 - EXPONENT))
    return np.array(speeds[1:])


@pytest.mark.long("level table")
@pytest.mark.parametrize(
    "surface",
    [
        pytest.param("level table", marks=pytest.mark.slow),
        pytest.param("ring", marks=[pytest.mark.slow, pytest.mark.long]),
    ],
)
def test_a_study_file_uses_the_classes_of_other_modules(tmp_path, surface):
    for file in (HERE / "speed_study").iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    for name in MODULES:
        shutil.copy(HERE / f"{name}.py", tmp_path)
    study = tmp_path / "study.toml"
    study.write_text(study.read_text().replace("ring", surface))
    rows = "\n".join(f"{speed:.5f}" for speed in rebound_speeds())
    (tmp_path / "drop.csv").write_text(f"speed [m/s]\n{rows}\n")
    done = run(tmp_path, "fit", "../study.toml")
    assert done.returncode == 0, done.stderr
    assert "LogarithmicRestitution" in done.stdout
    assert "shown minus true speed" in done.stdout
    found = json.loads((tmp_path / "result" / "fit.json").read_text())["parameters"]
    restitution = found["contact.normal.restitution"]
    assert restitution["value"] == pytest.approx(RESTITUTION, abs=1e-4)
    assert 1e-3 < restitution["sd"] < 1e-2
    assert found["speed_offset"]["value"] == pytest.approx(0.0, abs=1e-3)
