"""The contract of all laws, run on each law of the catalogue and on each model for scenes; and the
page of the documentation that shows the outcome.
"""

import jax
import pytest

import jaxcontact as jc
from jaxcontact.laws import NORMAL_LAWS, CompliantLaw
from jaxcontact.laws.friction.falling_rebound import FallingRebound
from jaxcontact.laws.friction.mindlin import FORMS
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

MODELS = {name: law.example["self"] for name, law in LAWS.items() if "self" in law.example} | {
    "Coulomb": jc.Coulomb(coefficient=0.3, tangential_restitution=0.4),
    "Coulomb, rounded": jc.Coulomb(coefficient=0.3, smoothing=0.1),
    "FallingRebound": FallingRebound(
        coefficient=0.3, tangential_restitution=0.4, slip_exponent=0.5
    ),
    "RegularizedCoulomb": jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=0.1),
    "NoFriction": jc.NoFriction(),
    "CundallStrack": jc.CundallStrack(coefficient=0.3, tangential_stiffness=1e5),
    **{
        f"Mindlin, {form}": jc.Mindlin(coefficient=0.3, effective_shear_modulus=1e8, form=form)
        for form in FORMS
    },
    "RollingResistance": jc.RollingResistance(rolling_coefficient=0.02, rolling_velocity=0.1),
    "RollingSpring": jc.RollingSpring(rolling_coefficient=0.02, rolling_stiffness=50.0),
    "SpinningFriction": jc.SpinningFriction(coefficient=0.3, spin_velocity=0.5),
}


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


@pytest.mark.parametrize("name", MODELS)
def test_every_model_does_what_it_says_of_itself(name):
    """The checks that users run on models of their own."""
    jc.testing.check_law(MODELS[name])


@pytest.mark.parametrize(
    ("name", "changes", "smoothness"),
    [
        ("one_sided_dashpot_force", {"overlap_rate": 0.4}, -1),  # its dashpot sets in at once
        ("one_sided_dashpot_force", {"overlap_rate": -0.4}, 0),
        ("WaltonBraun", {}, 0),
        ("hertz_force", {}, 1),
    ],
)
def test_a_law_is_as_smooth_at_touch_down_as_it_says_and_no_smoother(name, changes, smoothness):
    law = LAWS[name]
    assert law.smoothness_at(**changes, overlap=0.0) == smoothness

    def force(overlap):
        return law.function(**law.arguments(**changes, overlap=overlap))

    for order in range(-1, smoothness + 1):
        before, after = (float(force(side)) for side in (-1e-14, 1e-14))
        assert (abs(after - before) > 1.0) == (order == smoothness)
        force = jax.grad(force)


def test_the_support_table_lists_the_laws_of_the_catalogue():
    assert set(documented()) == set(LAWS), "run: python -m tests.jaxcontact.laws.support_table"


def test_every_compliant_normal_law_is_in_the_catalogue():
    assert {name for name, law in NORMAL_LAWS.items() if issubclass(law, CompliantLaw)} <= set(LAWS)
