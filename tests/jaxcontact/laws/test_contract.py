"""The contract of all laws, run on each law of the catalogue; and the page of the documentation
that shows the outcome.
"""

import pytest

from jaxcontact.laws import NORMAL_LAWS, CompliantLaw
from jaxcontact.testing.law_contract import CHECKS, outcome
from tests.jaxcontact.laws.catalogue import LAWS
from tests.jaxcontact.laws.support_table import assert_documented, documented

SLOW = ("finite", "grad of grad", "single precision", "smoothness")
"""Checks that take most of the time of all laws."""

SLOW_OF_A_SYSTEM = (*SLOW, "jvp", "vjp", "approximation")
"""Checks that take most of the time of a whole contact."""


def marks(name: str) -> list:
    """What the checks of one law compile is shared: they run in one process. Whole contacts of
    other programs, made of laws that are here themselves, are slow.
    """
    return [pytest.mark.xdist_group(name), *([pytest.mark.slow] if of_a_system(name) else [])]


def of_a_system(name: str) -> bool:
    return LAWS[name].function.__module__.startswith("jaxcontact.systems")


TWICE = (
    "HuntCrossley",
    "AdhesivePlastic",
    "JohnsonKendallRoberts",
    "cundall_strack_force",
    "kuwabara_kono_restitution",
    "slip_after_impulse",
)
"""Laws of each kind whose second derivative is taken in reverse mode over reverse mode, too: JAX
makes it from the same first one as forward mode over reverse mode, which is checked of all laws.
"""


def marks_of(name: str, check: str) -> list:
    """Most checks of a contact that is slow are long, and so are single precision of what is no
    law of a scene, and one more second derivative of most laws.
    """
    if of_a_system(name) and check in SLOW_OF_A_SYSTEM:
        return [*marks(name), pytest.mark.long]
    if check not in SLOW:
        return marks(name)
    long = check == "single precision" and name not in NORMAL_LAWS
    long = long or (check == "grad of grad" and name not in TWICE)
    return [*marks(name), pytest.mark.long if long else pytest.mark.slow]


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
