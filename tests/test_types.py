"""The code of README and documentation satisfies a type checker that sees the installed package.

The package is built and installed as a user gets it, beside the libraries of this environment:
``Typing :: Typed`` is a promise about the wheel, not about the checkout.
"""

import os
import re
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def run(*command: str | Path, cwd: Path, check: bool = True) -> str:
    """What a command prints; its errors where it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=1200, check=False
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0 or not check, printed
    return printed


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python of an environment that has the wheel, and the libraries of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    venv.create(folder / "environment", with_pip=False, symlinks=True)
    python = folder / "environment" / "bin" / "python"
    packages = Path(
        run(python, "-c", "import site; print(*site.getsitepackages())", cwd=folder).strip()
    )
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", ".", ROOT, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    run(*pip, "install", "--no-deps", "--target", packages, wheel, cwd=folder)
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    return python


def blocks(page: Path) -> str:
    """The Python of a page, with its lines where they are on the page."""
    inside = False
    lines = []
    for line in page.read_text(encoding="utf-8").splitlines():
        starts = bool(re.fullmatch(r"```python", line))
        inside = starts or (inside and line != "```")
        lines.append(line if inside and not starts else "")
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_the_code_of_the_pages_passes_a_type_checker(python, tmp_path):
    pages = {page.relative_to(ROOT): blocks(page) for page in PAGES}
    pages = {page: code for page, code in pages.items() if code.strip()}
    for page, code in pages.items():
        name = re.sub(r"\W", "_", str(page.with_suffix("")))
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    mypy = (sys.executable, "-m", "mypy", "--python-executable", python, "--check-untyped-defs")
    printed = run(*mypy, "--cache-dir", os.devnull, ".", cwd=tmp_path, check=False)
    assert "Success" in printed, printed
