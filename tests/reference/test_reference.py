"""Every reference case in the directory given by ``--reference-dir`` is met within its own
tolerance.
"""

import pytest

from tests.reference.tree import all_cases

pytestmark = pytest.mark.slow


def group_of(name):
    """Cases of one file, of Exudyn's trajectories, and all published ones, share what they
    compile.
    """
    if name.startswith("published"):
        return "published"
    return (
        name.split("[")[0].split("_")[0]
        if name.startswith("exudyn")
        else "/".join(name.split("[")[0].split("/")[:2])
    )


LONG = tuple(f"closed_form/gradient_cases/{case}" for case in ("G09a", "G10", "G11"))
"""Cases whose reverse mode takes up to a minute to compile: another one (G01) takes the same way
with a ball less, or a wall less.
"""

LONG_IN_ALL = (
    "closed_form/gradient_cases/G03",
    "closed_form/gradient_cases/G10a",
    "exudyn/multi_pile4_gc_friction",
)
"""Cases of which nothing is quick: G09a and the other piles are of several bodies, too."""


def marks(name):
    long = name.startswith(LONG_IN_ALL) or (name.endswith("reverse") and name.startswith(LONG))
    return [
        pytest.mark.xdist_group(group_of(name)),
        *([pytest.mark.long] if long else []),
    ]


def pytest_generate_tests(metafunc):
    root = metafunc.config.getoption("--reference-dir")
    if not root.is_dir():
        raise pytest.UsageError(f"--reference-dir {root}: there is no such directory")
    metafunc.parametrize(
        "case",
        [pytest.param(case, id=case.name, marks=marks(case.name)) for case in all_cases(root)],
    )


@pytest.mark.long(
    "closed_form/gradient_cases/G01_bounce_once/h",
    "closed_form/restitution_table/hunt_crossley_1975[0]/A",
)
def test_reference(case):
    case.check()
