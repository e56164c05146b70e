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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests of one file share what they compile, so they run in one process, unless they say otherwise."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def reference_dir(request):
    return request.config.getoption("--reference-dir")
