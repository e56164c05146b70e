"""The Python in the documentation runs as it stands there, and prints what it says it prints."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs import rooms, study_keys

ROOT = Path(__file__).parents[1]
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")))
    if re.search(r"^```python$", page.read_text(encoding="utf-8"), re.M)
]


@pytest.mark.long(
    "adding_a_law.md",
    "measurements.md",
    "scenes.md",
    "uncertainty.md",
    "what_to_measure.md",
    "adding_a_nuisance.md",
    "adding_a_surface.md",
    "coverage.md",
    "design_studies.md",
    "sweeps.md",
    "adding_a_measurement.md",
    "pfc.md",
    "comsol.md",
    "modia3d.md",
)
@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page):
    # A block of text right after a block of Python is what it prints.
    blocks = re.findall(
        r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?",
        page.read_text(encoding="utf-8"),
        re.M | re.S,
    )
    code, shown = "\n".join(python for python, _ in blocks), "".join(text for _, text in blocks)
    run = subprocess.run(
        [sys.executable, "-"],
        input=code,
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == shown.split(), run.stdout


def test_an_import_computes_nothing():
    """It would start JAX before its user has chosen device and precision."""
    code = (
        "import jax._src.xla_bridge as bridge, jaxcontact, calibration; "
        "print(bool(bridge._backends))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
        timeout=120,
    )
    assert run.stdout.strip() == "False"


def test_the_picture_of_the_rooms_is_that_of_the_declared_layers():
    assert rooms.FILE.read_text(encoding="utf-8") == rooms.draw(), "run: python docs/rooms.py"


def test_the_table_of_all_keys_is_that_of_their_declarations():
    page = study_keys.FILE.read_text(encoding="utf-8")
    assert page == study_keys.page(page), "run: python -m docs.study_keys"


def test_every_file_that_the_architecture_names_is_there():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:jaxcontact|calibration|experiments|tests)/[\w/.]*)`", page))
    assert len(named) > 20
    assert {place for place in named if not (ROOT / place).exists()} == set()


def test_the_readme_is_short_and_its_links_lead_somewhere():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(page.split()) < 450
    assert page.count("![") == 1
    linked = re.findall(r"\]\(([\w/.]+)\)", page)
    assert [link for link in linked if not (ROOT / link).exists()] == []
