"""The contract of all laws, run on each law of the catalogue; and the page of the documentation
that shows the outcome.
"""

import pytest

from jaxcontact.laws import NORMAL_LAWS, CompliantLaw
from jaxcontact.testing.law_contract import CHECKS, outcome
from tests.jaxcontact.laws.catalogue import LAWS
from tests.jaxcontact.laws.support_table import assert_documented, documented

pytestmark = pytest.mark.slow

SLOW = ("finite", "second derivative", "grad of grad", "single precision", "smoothness")
"""Checks that take most of the time of all laws."""

SLOW_OF_A_SYSTEM = (*SLOW, "jit and vmap", "jvp", "vjp", "approximation")
"""Checks that take most of the time of a whole contact."""

ALWAYS = (
    "HuntCrossley",
    "AdhesivePlastic",
    "JohnsonKendallRoberts",
    "cundall_strack_force",
    "kuwabara_kono_restitution",
)
"""One law of each kind, of which every run makes all checks; slow ones of the others are long."""


def of_a_system(name: str) -> bool:
    return LAWS[name].function.__module__.startswith("jaxcontact.systems")


def marks_of(name: str, check: str) -> list:
    """What the checks of one law compile is shared: they run in one process."""
    slow = check in (SLOW_OF_A_SYSTEM if of_a_system(name) else SLOW)
    marks = [pytest.mark.xdist_group(name)]
    if slow and name not in ALWAYS:
        marks.append(pytest.mark.long)
    return marks


@pytest.mark.parametrize(
    ("name", "check"),
    [
        pytest.param(name, check, marks=marks_of(name, check))
        for name in sorted(LAWS)
        for check in CHECKS
    ],
)
def test_every_law_keeps_the_contract(name, check):
    found = outcome(name, check)
    if isinstance(found, BaseException):
        raise found
    assert_documented(name, check, found)


def test_the_support_table_lists_the_laws_of_the_catalogue():
    assert set(documented()) == set(LAWS), "run: python -m tests.jaxcontact.laws.support_table"


def test_every_compliant_normal_law_is_in_the_catalogue():
    assert {name for name, law in NORMAL_LAWS.items() if issubclass(law, CompliantLaw)} <= set(LAWS)
