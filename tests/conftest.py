"""Float64, and where the reference numbers are read from."""

from pathlib import Path

import jax
import pytest

jax.config.update("jax_enable_x64", True)


def pytest_addoption(parser):
    parser.addoption(
        "--reference-dir",
        type=Path,
        default=Path(__file__).parent / "reference" / "data",
        help="tree of reference cases with sub-directories closed_form, equations, exudyn (default: the committed copies)",
    )


@pytest.fixture(scope="session")
def reference_dir(request):
    return request.config.getoption("--reference-dir")
