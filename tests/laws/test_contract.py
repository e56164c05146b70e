"""The contract of all laws, run on each law of the catalogue."""

import pytest

from jaxcontact.laws.catalogue import LAWS
from jaxcontact.laws.normal import NORMAL_LAWS
from tests.laws.contract import CHECKS, outcome
from tests.laws.support_table import FILE, table, written_sources


@pytest.mark.parametrize("name", sorted(LAWS))
@pytest.mark.parametrize("check", CHECKS)
def test_every_law_keeps_the_contract(name, check):
    error = outcome(name, check)
    if isinstance(error, BaseException):
        raise error


@pytest.mark.slow
def test_the_support_table_of_the_documentation_is_current():
    assert FILE.read_text(encoding="utf-8") == table(written_sources()), "run: python -m tests.laws.support_table"


def test_every_compliant_normal_law_is_in_the_catalogue():
    assert {name for name, law in NORMAL_LAWS.items() if hasattr(law, "force")} <= set(LAWS)
