"""The reference harness runs what it knows, skips by name what is absent or not possible yet, and
fails for everything else.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reference.not_yet import NOT_YET
from tests.reference.tree import all_cases

DATA = Path(__file__).parent / "data"
POINTWISE = "exudyn/probe_friction_m2.json"
ANALYTIC = "closed_form/analytic_solutions.json"
GRADIENTS = "closed_form/gradient_cases.json"
RESTITUTION = "closed_form/restitution_table.json"
VISCOELASTIC = "closed_form/viscoelastic_tables.json"
EQUATIONS = "equations/cases.json"


def outcome(case):
    """``("passed", "")``, or how and with which text it ended."""
    try:
        case.check()
    except pytest.skip.Exception as skip:
        return "skipped", skip.msg
    except (pytest.fail.Exception, AssertionError) as failure:
        return "failed", str(failure)
    return "passed", ""


def outcomes(root):
    return {case.name: outcome(case) for case in all_cases(root)}


def names(root):
    return [case.name for case in all_cases(root)]


@pytest.fixture
def write(tmp_path):
    def write(path, document):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(document if isinstance(document, str) else json.dumps(document))
        return tmp_path

    return write


def committed(path):
    return json.loads((DATA / path).read_text())


def test_an_absent_directory_is_skipped_by_name(tmp_path):
    found = outcomes(tmp_path)
    assert set(found) == {"exudyn", "equations", "closed_form", "published"}
    for directory, (end, text) in found.items():
        assert end == "skipped"
        assert f"no directory {directory}" in text


def test_an_absent_kind_of_file_is_skipped_by_name(write):
    root = write(POINTWISE, committed(POINTWISE))
    end, text = outcomes(root)["exudyn/trajectory of two spheres"]
    assert end == "skipped"
    assert "no file of the kind 'trajectory of two spheres'" in text


def in_row(change):
    document = committed(POINTWISE)
    document["rows"] = document["rows"][:1]
    change(document["rows"][0])
    return document


def in_first(path, change):
    """Only the first case, changed."""
    document = committed(path)
    document["cases"] = document["cases"][:1]
    change(document["cases"][0])
    return document


UNKNOWN = {
    "file": (
        "exudyn/new.json",
        {"meta": {"kind": "field of forces"}, "rows": []},
        "pointwise force table",
    ),
    "file without a name of its kind": (
        "closed_form/new.json",
        {"numbers": [1.0]},
        "restitution table",
    ),
    "suffix": ("equations/cases.npz", "", "neither .json nor .csv"),
    "not JSON": ("equations/cases.json", "{", "cannot be read"),
    "format version": (EQUATIONS, committed(EQUATIONS) | {"format": "v2"}, "unknown kind of file"),
    "malformed": (
        EQUATIONS,
        {"format": "contact-model verification cases v1", "cases": [{}]},
        "'system'",
    ),
    "directory": ("liggghts/cases.json", {}, "none of the directories"),
    "impact model": (
        POINTWISE,
        in_row(lambda row: row["params"].update(impactModel=3)),
        "impact model 2",
    ),
    "parameter": (
        POINTWISE,
        in_row(lambda row: row["params"].update(rollingFriction=0.1)),
        "with rollingFriction",
    ),
    "output": (POINTWISE, in_row(lambda row: row["exudyn"].update(Energy=0.1)), "Energy"),
    "section": (ANALYTIC, {"capillary_bridge": {"cases": [{"volume": 1.0}]}}, "walton_oblique"),
    "constant": (ANALYTIC, {"lsd": {"cases": [], "golden_ratio": 1.618}}, "lsd/golden_ratio"),
    "quantity": (
        ANALYTIC,
        {"sliding_block": {"cases": [{"v0": 5.0, "mu": 0.5, "g": 9.81, "heat": 1.0}]}},
        "unknown quantity 'heat'",
    ),
    "restitution law": (
        RESTITUTION,
        {"requested": [], "models": {"mine_2026": {"rows": [{}]}}},
        "flores_2011",
    ),
    "viscoelastic law": (VISCOELASTIC, {"tables": {"maxwell": {"rows": [{}]}}}, "kuwabara_kono"),
    "gradient case": (
        GRADIENTS,
        in_first(GRADIENTS, lambda case: case.update(id="G99_bounce")),
        "closed_form/gradient/G12",
    ),
    "parameters of a gradient case": (
        GRADIENTS,
        in_first(GRADIENTS, lambda case: case["parameters"].update(wind=1.0)),
        "wind",
    ),
    "system": (
        EQUATIONS,
        in_first(EQUATIONS, lambda case: case.update(system="yade")),
        "unknown kind",
    ),
    "function": (
        EQUATIONS,
        in_first(EQUATIONS, lambda case: case.update(func="melting")),
        "modia3d/c_res",
    ),
}


@pytest.mark.parametrize(("path", "document", "text"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_nobody_knows_fails_with_a_message_that_names_it(write, path, document, text):
    root = write(path, document)
    failures = [message for end, message in outcomes(root).values() if end == "failed"]
    assert failures
    assert any(text in message for message in failures)


@pytest.mark.parametrize("error", [0.5e-9, 2e-9])
def test_numbers_are_compared_with_the_tolerance_of_the_manifest(write, error):
    document = in_row(
        lambda row: row["exudyn"].update(
            Force=[component * (1 + error) for component in row["exudyn"]["Force"]]
        )
    )
    name = "exudyn/mine[0]"
    root = write("exudyn/mine.json", document)
    assert outcomes(root)[name][0] == ("passed" if error < 1e-9 else "failed")  # by default
    write("exudyn/list.json", {"mine.json": {"kind": "pointwise", "suggested_rtol": 1e-7}})
    assert outcomes(root)[name][0] == "passed"


def test_kinds_are_told_by_content_not_by_the_name_of_a_file(tmp_path):
    for directory in ("exudyn", "equations", "closed_form"):
        (tmp_path / directory).mkdir()
        for index, path in enumerate(sorted((DATA / directory).iterdir())):
            shutil.copy(path, tmp_path / directory / f"{index:03}_other{path.suffix}")
    assert len(names(tmp_path)) == len(names(DATA))


def test_every_entry_of_the_table_of_what_is_missing_says_what():
    assert all(isinstance(reason, str) and reason for reason in NOT_YET.values())


@pytest.mark.slow
def test_the_directory_is_given_on_the_command_line(write):
    root = write(POINTWISE, in_row(lambda row: None))
    write("equations/new.json", {"what": "is this?"})
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/reference/test_reference.py",
        "--reference-dir",
        str(root),
        "-q",
        "-rs",
        "-p",
        "no:cacheprovider",
    ]
    run = subprocess.run(
        command, cwd=DATA.parents[2], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 failed, 1 passed" in run.stdout
    assert "has no directory published" in run.stdout
