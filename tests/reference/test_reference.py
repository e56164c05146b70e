"""Every reference case in the directory given by ``--reference-dir`` is met within its own tolerance."""

import pytest

from tests.reference.tree import all_cases


def pytest_generate_tests(metafunc):
    root = metafunc.config.getoption("--reference-dir")
    if not root.is_dir():
        raise pytest.UsageError(f"--reference-dir {root}: there is no such directory")
    metafunc.parametrize("case", [pytest.param(case, id=case.name) for case in all_cases(root)])


def test_reference(case):
    case.check()
