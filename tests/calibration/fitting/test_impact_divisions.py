"""Tables of oblique impacts have minima on both sides of each corner between sliding and sticking:
the fit must find the lowest, told by a search without derivatives and another simulator.
"""

import jax
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.fitting.impact_divisions import divide_impacts
from calibration.fitting.start import starting_point
from calibration.studies.tables import fit_impacts
from tests.calibration.random_tables import MASS, RADIUS, Truth, least_chi2, random_table

pytestmark = pytest.mark.slow

NORMAL, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
TANGENTIAL = "contact.friction.tangential_restitution"
FREE = (NORMAL, FRICTION, TANGENTIAL)

ANGLES_ALONE = range(3, 60, 4)
"""Tables in which only the angle was measured. From one start, five of these stop too high."""


def scene() -> jc.Scene:
    """Starting values as a study takes them."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.9), friction=jc.Coulomb(coefficient=0.2)
    )
    return jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)


def problem(truth: Truth) -> cal.Problem:
    """All three constants free."""
    return cal.Problem(scene(), [truth.table], free=FREE)


@pytest.mark.long
def test_no_fit_of_a_table_stops_in_a_local_minimum() -> None:
    for seed in ANGLES_ALONE:
        truth = random_table(seed)
        least, _ = least_chi2(truth)
        found = cal.fit(problem(truth))
        assert found.converged
        assert found.chi2 <= least + 1e-3, seed


@pytest.mark.long
def test_the_automatic_route_finds_the_same_minimum() -> None:
    for seed in (3, 43, 59):
        truth = random_table(seed)
        least, _ = least_chi2(truth)
        assert fit_impacts(scene(), truth.table, free=FREE).chi2 <= least + 1e-3


@pytest.mark.long
@pytest.mark.parametrize("quantities", [0, 1, 2, 3])
def test_the_best_division_is_the_best_of_all_values(quantities: int) -> None:
    for seed in range(quantities, 24, 4):
        truth = random_table(seed)
        least, _ = least_chi2(truth)
        posed = problem(truth)
        with jax.enable_x64(True):
            start = starting_point(posed, {})
            found = divide_impacts(posed.layout, posed.scene, posed.data, start)
        assert abs(found.chi2[found.best] - least) < 1e-3
        modes = found.modes()
        assert modes[0] == found.best
        assert np.all(np.diff(found.chi2[modes]) >= 0)


@pytest.mark.long
def test_more_impacts_than_divisions_are_tried_between_all() -> None:
    truth = random_table(3, impacts=300)
    least, _ = least_chi2(truth)
    assert cal.fit(problem(truth)).chi2 <= least + 1e-3


def test_intervals_are_those_of_the_profile_over_all_divisions() -> None:
    """Table 59 has its minimum with one impact between sliding and sticking, and another beside."""
    truth = random_table(59)
    found = cal.fit(problem(truth))
    least, _ = least_chi2(truth)
    restitution = found.parameters[NORMAL]
    assert restitution.profile
    for end in restitution.interval(0.95):
        rise = least_chi2(truth, restitution=end)[0] - least
        assert rise == pytest.approx(1.96**2, rel=0.1)
    low, high = restitution.interval(0.95)
    assert restitution.sd == pytest.approx((high - low) / (2 * 1.96), rel=1e-3)


def test_other_divisions_that_explain_as_much_are_named() -> None:
    found = cal.fit(problem(random_table(19)))
    assert any("Which impacts slide and which stick is not certain" in w for w in found.warnings)
    assert not any("not certain" in w for w in cal.fit(problem(random_table(11))).warnings)


def test_friction_is_not_determined_where_all_impacts_may_stick() -> None:
    found = cal.fit(problem(random_table(19))).parameters[FRICTION]
    assert found.status is cal.Determination.NOT_DETERMINED
    assert "all contacts stick" in found.note


@pytest.mark.long
def test_a_quantity_says_nothing_of_what_it_does_not_depend_on() -> None:
    """The profile of what is not seen is low wherever one looks: a normal restitution told the
    tangential one to six digits.
    """
    for seed in (0, 2):
        columns = fit_impacts(scene(), random_table(seed).table, free=FREE).columns
        (normal,) = [column for column in columns if column.name == "normal_restitution"]
        assert not normal.alone
