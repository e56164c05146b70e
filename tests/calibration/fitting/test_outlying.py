"""One bad recording among several is named, with the result without it; alike ones are not."""

import json
from pathlib import Path

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.io.impact_table import ImpactTable

pytestmark = pytest.mark.slow

RESTITUTION = "contact.normal.restitution"


def drops(seed: int, *, tables: int = 6, odd: float = 0.0, between: float = 0.003) -> list:
    """Tables of head-on impacts whose restitutions scatter between tables; that of the third is
    off by ``odd``.
    """
    rng = np.random.default_rng(seed)
    found = []
    for k in range(tables):
        true = 0.8 + between * rng.standard_normal() + (odd if k == 2 else 0.0)
        found.append(
            ImpactTable(
                name=f"table {k}",
                impact_angle=np.zeros(8),
                impact_speed=np.full(8, 2.0),
                normal_restitution=true + 0.005 * rng.standard_normal(8),
                sigma={"normal_restitution": np.full(8, 0.005)},
            )
        )
    return found


def fit(tables: list) -> cal.Fit:
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7))
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
    return cal.fit(cal.Problem(scene, tables, free=[RESTITUTION]))


@pytest.mark.parametrize("tables", [5, 12])
def test_the_bad_recording_is_named_with_the_result_without_it(tables: int) -> None:
    measured = drops(1, tables=tables, odd=-0.12)
    found = fit(measured)
    (odd,) = found.outlying
    assert odd.trial == "table 2"
    without = fit([own for own in measured if own.name != "table 2"]).parameters[RESTITUTION]
    assert odd.without == pytest.approx(without.value, abs=1e-3)
    assert odd.value == found.parameters[RESTITUTION].value
    assert odd.sd == pytest.approx(np.hypot(0.003, 0.005 / np.sqrt(8)) / np.sqrt(tables), rel=0.6)
    assert found.warnings[0].startswith("table 2 does not agree with the others: without it")


def test_it_stands_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "fit.json"
    cal.report.write_json(fit(drops(1, odd=-0.12)), path)
    (odd,) = json.loads(path.read_text())["outlying"]
    assert odd["trial"] == "table 2"
    assert odd["parameter"] == RESTITUTION


@pytest.mark.parametrize("between", [0.0, 0.01])
def test_recordings_that_are_alike_are_not_named(between: float) -> None:
    named = sum(bool(fit(drops(seed, between=between)).outlying) for seed in range(40))
    assert named <= 2


def test_three_recordings_do_not_tell_which_is_wrong() -> None:
    assert fit(drops(1, tables=3, odd=-0.12)).outlying == ()
