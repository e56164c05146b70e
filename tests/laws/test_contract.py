"""The contract of all laws, run on each law of the catalogue."""

import pytest

from jaxcontact.laws.catalogue import LAWS
from jaxcontact.laws.normal import NORMAL_LAWS
from tests.laws.contract import CHECKS, outcome


@pytest.mark.parametrize("name", sorted(LAWS))
@pytest.mark.parametrize("check", CHECKS)
def test_every_law_keeps_the_contract(name, check):
    error = outcome(name, check)
    if error is not None:
        raise error


def test_every_compliant_normal_law_is_in_the_catalogue():
    assert {name for name, law in NORMAL_LAWS.items() if hasattr(law, "force")} <= set(LAWS)
