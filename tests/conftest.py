"""Float64, quick compilation, and where the reference numbers are read from."""

import gc
import math
import os
from collections import Counter
from pathlib import Path

# One thread for linear algebra, set before NumPy starts: processes with as many threads each as the
# machine has cores wait for one another in a loop. A test of small matrices took 14 s of processor
# time, and 0.3 s with one thread. Commands that tests start inherit this, too.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import jax  # noqa: E402
import pytest  # noqa: E402

from tests.cpu_times import CpuTimes  # noqa: E402

jax.config.update("jax_enable_x64", True)

# The suite spends its time on compiling functions that then run for milliseconds: so with little
# optimisation. Commands that tests start inherit this. A value set outside stays: `XLA_FLAGS= make
# test` compiles as users do.
_FLAGS = ["--xla_backend_optimization_level=0", "--xla_cpu_parallel_codegen_split_count=1"]
if jax.__version_info__ <= (0, 10, 1):  # later ones do not know it, and end the process
    _FLAGS.append("--xla_cpu_use_fusion_emitters=false")
os.environ.setdefault("XLA_FLAGS", " ".join(_FLAGS))

# Tracing makes many objects that stay: looking through them all as often as Python does by default
# takes a quarter of the time.
gc.set_threshold(100_000, 20, 20)


def pytest_addoption(parser):
    parser.addoption(
        "--reference-dir",
        type=Path,
        default=Path(__file__).parent / "reference" / "data",
        help="tree of reference cases with sub-directories closed_form, equations, exudyn "
        "(default: the committed copies)",
    )
    parser.addoption("--long", action="store_true", help="run the long tests, too")
    parser.addoption(
        "--cpu-times",
        type=Path,
        help="file for what each test costs (tests/cpu_times.py)",
    )
    parser.addoption(
        "--recordings-dir",
        type=Path,
        default=Path(__file__).parents[1].parent / "shared" / "data",
        help="tree of recordings by others, which are not committed; tests that need one that is "
        "absent are skipped",
    )


def pytest_configure(config):
    if config.getoption("--cpu-times"):
        config.pluginmanager.register(CpuTimes(config.getoption("--cpu-times")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Tests of one file share what they compile, so they run in one process, unless they say
    otherwise. Groups with many slow tests (whatever the number of their cases) run first: then all
    processes end at about the same time. Long ones run on request.
    """
    if not config.getoption("--long"):
        long = [item for item in items if _is_long(item)]
        items[:] = [item for item in items if not _is_long(item)]
        config.hook.pytest_deselected(items=long)
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    slow = Counter(
        group
        for group, _ in {
            (_group(item), item.originalname)
            for item in items
            if item.get_closest_marker("slow") or _is_long(item)
        }
    )
    place = {group: index for index, group in enumerate(dict.fromkeys(map(_group, items)))}
    items.sort(key=lambda item: (-slow[_group(item)], place[_group(item)]))


def _is_long(item) -> bool:
    """Whether a mark says so of the test, or of this case: ``@pytest.mark.long("sphere")``."""
    return any(not mark.args or item.callspec.id in mark.args for mark in item.iter_markers("long"))


def _group(item) -> str:
    return item.get_closest_marker("xdist_group").args[0]


@pytest.fixture(autouse=True)
def forget_what_other_files_compiled(request):
    """Compiled code is kept within a file (or a group of it), and dropped after it when there is
    much: memory and mappings are limited.
    """
    group = _group(request.node)
    if _running["group"] not in (None, group) and _mappings() > 3_000:
        jax.clear_caches()
        gc.collect()
    _running["group"] = group


def _mappings() -> float:
    """Memory mappings of this process, of which compiled code takes many: 3000 go with about 1.5 GB
    of memory, 65530 are all that Linux gives. Infinite where that cannot be told.
    """
    maps = Path("/proc/self/maps")
    return maps.read_bytes().count(b"\n") if maps.exists() else math.inf


_running = {"group": None}


@pytest.fixture(scope="session")
def reference_dir(request):
    return request.config.getoption("--reference-dir")
