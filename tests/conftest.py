"""Float64, and where the reference numbers are read from."""

import gc
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


@pytest.fixture(autouse=True)
def forget_what_other_files_compiled(request):
    """Compiled code is kept within a file (or a group of it) and dropped after: a process can hold only so many pieces of it."""
    mark = request.node.get_closest_marker("xdist_group")
    if _running["group"] not in (None, mark.args[0]):
        jax.clear_caches()
        gc.collect()
    _running["group"] = mark.args[0]


_running = {"group": None}


@pytest.fixture(scope="session")
def reference_dir(request):
    return request.config.getoption("--reference-dir")
