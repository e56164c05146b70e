"""What the runners of published benchmarks rest on: simulated oblique impacts, and reading of
numbers stated in words.
"""

import json

import numpy as np
import pytest

import jaxcontact as jc
from tests.reference.published.oblique_impacts import (
    LENGTH,
    SPRINGS,
    STEPS,
    Rebound,
    Spring,
    oblique_impacts,
)
from tests.reference.published.reading import stated
from tests.reference.test_reference_harness import outcomes

RADIUS, MASS, FRICTION, RESTITUTION = 0.0025, 2.6e-4, 0.092, 0.98
ANGLES = np.radians(np.linspace(5.0, 85.0, 17))
SPEED = 3.9
STIFFNESS = {"linear": 1.48e7, "displacement": 8.7e10, "incremental": 8.7e10, "rescaled": 8.7e10}


def fixed_step(steps):
    return jc.FixedStep(step=LENGTH / steps, scheme="velocity_verlet")


def rebound(form, method=None):
    law = jc.LinearDashpot(stiffness=1.72e7, restitution=RESTITUTION, end="zero_force")
    if form != "linear":
        law = jc.TsujiDashpot(stiffness=2.7e10, restitution=RESTITUTION, end="zero_force")
    before = Rebound(-SPEED * np.cos(ANGLES), SPEED * np.sin(ANGLES), 0.0)
    spring = Spring(FRICTION, STIFFNESS[form])
    return oblique_impacts(
        before, radius=RADIUS, mass=MASS, normal=law, spring=spring, form=form, method=method
    )


@pytest.mark.parametrize("form", SPRINGS)
@pytest.mark.slow
@pytest.mark.long
def test_half_the_step_of_oblique_impacts_changes_less_than_a_tenth_of_every_tolerance(form):
    coarse, fine = rebound(form), rebound(form, fixed_step(2 * STEPS))
    assert np.max(np.abs(coarse.tangential - fine.tangential) / (SPEED * np.sin(ANGLES))) < 6e-4
    assert np.max(np.abs(coarse.spin - fine.spin)) < 0.6
    assert np.max(np.abs(coarse.normal - fine.normal) / (SPEED * np.cos(ANGLES))) < 6e-4


@pytest.mark.long("incremental", "linear")
@pytest.mark.slow
@pytest.mark.parametrize("form", SPRINGS)
def test_oblique_impacts_that_slide_to_their_end_follow_the_closed_form(form):
    after = rebound(form)
    normal, tangential = SPEED * np.cos(ANGLES), SPEED * np.sin(ANGLES)
    change = FRICTION * (1 + RESTITUTION) * normal
    slides = np.tan(ANGLES) > 1.2 * 3.5 * FRICTION * (1 + RESTITUTION)
    np.testing.assert_allclose(after.normal, RESTITUTION * normal, rtol=6e-4)
    np.testing.assert_allclose(after.tangential[slides], (tangential - change)[slides], rtol=6e-4)
    np.testing.assert_allclose(after.spin[slides], (-2.5 * change / RADIUS)[slides], rtol=2e-3)


@pytest.mark.long
@pytest.mark.parametrize(
    "form",
    [
        form if form in ("linear", "rescaled") else pytest.param(form, marks=pytest.mark.long)
        for form in SPRINGS
    ],
)
def test_oblique_impacts_are_those_of_the_event_aligned_method(form):
    fixed, aligned = (
        rebound(form),
        rebound(form, method=jc.EventAligned(max_contacts=1, graded_step=0.02)),
    )
    np.testing.assert_allclose(aligned.normal, fixed.normal, rtol=6e-4)
    assert np.max(np.abs(aligned.tangential - fixed.tangential) / (SPEED * np.sin(ANGLES))) < 6e-3
    assert np.max(np.abs(aligned.spin - fixed.spin)) < 3.0


def test_numbers_are_read_after_the_words_that_name_them():
    text = (
        "closed form: 1e-3 relative; sliding points: e_t 0.006, omega 6 rad/s; experiment: "
        "e_t 0.05 "
        "for angles>=20 deg"
    )
    assert stated(text) == 1e-3
    assert stated(text, "sliding points:", "omega") == 6.0
    assert stated(text, "experiment:", "e_t") == 0.05
    assert stated(text, "experiment:", "angles *>=") == 20.0
    with pytest.raises(ValueError, match="states nothing for 'restitution'"):
        stated(text, "restitution")


MATERIALS = {"alloy": {"E": 7e10, "nu": 0.33, "rho": 2700.0}}
TEST_3 = {"materials": MATERIALS, "radius_m": 0.0025, "speed_m_s": 3.9, "expected": []}
LAMMPS = {
    "cases": [],
    "independent_recomputation": [],
    "note": "",
    "tolerance": "1e-3 relative; 2e-3 on w; gross-sliding formulas 1 %",
}
UNKNOWN = {
    "entry": (TEST_3 | {"humidity": 0.4}, "humidity"),
    "type of a case": (
        LAMMPS | {"cases": [{"name": "x", "setup": {"type": "three cubes"}}]},
        "three cubes",
    ),
    "test of a program": (
        {"source": "", "tests": [{"name": "utest_SMC_x", "setup": {}, "criterion": ""}]},
        "utest_SMC_x",
    ),
    "restitution law": (
        {"source": "m=1 kg, k=1, v0=1", "note": "<=1e-4", "rows": [{"model": "mine"}]},
        "'mine'",
    ),
    "parameters that are in no file": (
        {"material": "steel", "digitised": {}, "independent_reference": {}, "tolerance": ""},
        "the parameters of test5 are in no file",
    ),
}


@pytest.mark.parametrize(("document", "text"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_no_runner_of_published_benchmarks_knows_fails_with_its_name(tmp_path, document, text):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "file.json").write_text(json.dumps(document))
    failures = [message for end, message in outcomes(tmp_path).values() if end == "failed"]
    assert failures
    assert any(text in message for message in failures)


def adhesion(force):
    setup = {
        "type": "two spheres at zero overlap",
        "R_eff": 0.005,
        "gamma": 0.1,
        "E": 4.8e10,
        "nu": 0.2,
    }
    return LAMMPS | {
        "cases": [
            {"name": "jkr", "setup": setup, "expected": f"|F|=(8/3) pi gamma R_eff = {force} N"}
        ]
    }


@pytest.mark.parametrize(
    ("force", "end"), [(0.004188790205, "passed"), (0.004188790205 * 1.002, "failed")]
)
def test_numbers_are_compared_with_the_tolerance_that_a_file_states(tmp_path, force, end):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "file.json").write_text(json.dumps(adhesion(force)))
    assert outcomes(tmp_path)["published/file/jkr/force"][0] == end
