"""What must hold of the source distribution: whoever unpacks it can run the tests."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = (".github", "calibration", "docs", "experiments", "jaxcontact", "tests")
FILES = (
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "constraints.txt",
    "pyproject.toml",
)
IGNORED = shutil.ignore_patterns("__pycache__", "_build", "*.pyc", ".*")


def listed(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_source_distribution_holds_the_tests_with_all_that_they_need(tmp_path):
    pytest.importorskip("setuptools")
    tree = tmp_path / "tree"
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tree / folder, ignore=IGNORED)
    for file in (*FILES, "MANIFEST.in"):
        shutil.copy(ROOT / file, tree)
    wanted = listed(tree)
    build = "from setuptools.build_meta import build_sdist; build_sdist('../made')"
    subprocess.run(
        [sys.executable, "-c", build],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": ""},
        check=True,
        capture_output=True,
    )
    (archive,) = (tmp_path / "made").glob("*.tar.gz")
    with tarfile.open(archive) as stored:
        held = {name.partition("/")[2] for name in stored.getnames()}
    assert sorted(wanted - held) == []
    assert not [name for name in held if name.endswith(".pyc") or "__pycache__" in name]
