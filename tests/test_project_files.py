"""What stands in several files of the project says the same in all of them."""

import re
import tomllib
from pathlib import Path

import pytest

from calibration.results.citation import software_citations

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_file_describes_the_project_as_its_metadata_do():
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["version"] == PROJECT["version"]
    assert CITATION["abstract"] == PROJECT["description"]
    assert CITATION["keywords"] == PROJECT["keywords"]
    assert CITATION["license"] == PROJECT["license"]


def test_jaxcontact_cite_prints_the_title_and_the_version_of_the_citation_file():
    cited, *_ = software_citations({"jaxcontact": PROJECT["version"]})
    assert cited.key == PROJECT["name"]
    assert cited.kind == CITATION["type"]
    assert re.sub("[{}]", "", cited.fields["title"]) == CITATION["title"]
    assert cited.fields["version"] == CITATION["version"]
    assert cited.text.startswith(CITATION["title"])


def test_the_workflow_runs_everything_on_each_python_that_is_declared():
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    declared = [
        kind.rpartition(" ")[2]
        for kind in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", kind)
    ]
    assert job["strategy"]["matrix"]["python"] == declared
    runs = [(step.get("if"), step["run"]) for step in job["steps"] if "run" in step]
    weekly = ("github.event_name == 'schedule'", 'make long ARGS="-m long"')
    assert runs == [(None, ".ci/run"), weekly]


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda p: p.name)
def test_the_files_for_the_host_are_read(path):
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


def test_every_command_of_the_contributing_page_exists():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"\bmake ([a-z]+)", page))
    assert {"test", "lint", "docs"} <= named <= targets
    linked = re.findall(r"\]\(([\w/.]+)\)", page)
    assert [link for link in linked if not (ROOT / link).exists()] == []
