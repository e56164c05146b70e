"""The contract of all laws, run on each law of the catalogue; and the page of the documentation
that shows the outcome.
"""

import pytest

from jaxcontact.laws import NORMAL_LAWS, CompliantLaw
from jaxcontact.testing.law_contract import CHECKS, outcome
from tests.jaxcontact.laws.catalogue import LAWS
from tests.jaxcontact.laws.support_table import assert_documented, documented

SLOW = ("grad of grad", "single precision", "smoothness")
"""Checks that take half of the time of all laws."""


def marks(name: str) -> list:
    """What the checks of one law compile is shared: they run in one process. Whole contacts of
    other programs, made of laws that are here themselves, are slow.
    """
    of_a_system = LAWS[name].function.__module__.startswith("jaxcontact.systems")
    return [pytest.mark.xdist_group(name), *([pytest.mark.slow] if of_a_system else [])]


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, marks=pytest.mark.slow if check in SLOW else ()) for check in CHECKS],
)
@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in sorted(LAWS)])
def test_every_law_keeps_the_contract(name, check):
    found = outcome(name, check)
    if isinstance(found, BaseException):
        raise found
    assert_documented(name, check, found)


def test_the_support_table_lists_the_laws_of_the_catalogue():
    assert set(documented()) == set(LAWS), "run: python -m tests.jaxcontact.laws.support_table"


def test_every_compliant_normal_law_is_in_the_catalogue():
    assert {name for name, law in NORMAL_LAWS.items() if issubclass(law, CompliantLaw)} <= set(LAWS)
