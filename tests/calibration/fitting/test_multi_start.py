"""Many starts: the best optimum and how many found it; fits that begin where others ended;
optimisers a person brings.
"""

import numpy as np
import optax
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.multi_start import multi_start, spread_over
from calibration.fitting.start import starting_point
from calibration.model.free import Free
from calibration.model.parameter import Parameter
from calibration.model.prior import LogNormal, Normal
from jaxcontact.parameters import Interval, Quantity

pytestmark = pytest.mark.slow

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
TANGENTIAL = "contact.friction.tangential_restitution"
ANGLES = np.linspace(5.0, 75.0, 15)


def problem(free=(RESTITUTION, FRICTION, TANGENTIAL), **options) -> cal.Problem:
    """Impacts that slide and stick."""
    rng = np.random.default_rng(4)
    normal, along = 3 * np.cos(np.radians(ANGLES)), 3 * np.sin(np.radians(ANGLES))
    impulse = np.minimum(0.2 * 1.8 * normal, 2 / 7 * 1.4 * along)
    table = cal.ImpactTable(
        name="impacts",
        impact_angle=ANGLES,
        impact_speed=np.full_like(ANGLES, 3.0),
        rebound_angle=np.degrees(np.arctan2(along - impulse, 0.8 * normal))
        + 0.5 * rng.standard_normal(ANGLES.size),
        normal_restitution=0.8 + 0.01 * rng.standard_normal(ANGLES.size),
        sigma={
            "rebound_angle": np.full_like(ANGLES, 0.5),
            "normal_restitution": np.full_like(ANGLES, 0.01),
        },
    )
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.75),
        friction=jc.Coulomb(coefficient=0.25, tangential_restitution=0.3),
    )
    return cal.Problem(
        jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact),
        [table],
        free=free,
        **options,
    )


@pytest.fixture(scope="module")
def found():
    return multi_start(problem(), 20, seed=3)


@pytest.mark.long
def test_the_best_of_many_starts_is_the_optimum_and_the_waterfall_is_sorted(found):
    alone = cal.fit(problem())
    assert found.fit.chi2 == pytest.approx(alone.chi2, rel=1e-9)
    for name in (RESTITUTION, FRICTION, TANGENTIAL):
        assert found.fit.parameters[name].value == pytest.approx(
            alone.parameters[name].value, abs=1e-5
        )
        assert found.fit.parameters[name].sd == pytest.approx(alone.parameters[name].sd, rel=1e-3)
    converged = found.chi2[found.converged]
    assert np.all(np.diff(converged) >= 0)
    assert found.reached[0]
    assert np.all(found.chi2[found.reached] < found.chi2[0] + 0.1)
    assert np.all(found.converged[found.reached])
    text = str(found)
    assert f"{found.reached.sum()} of 20 starts reached the best optimum" in text
    assert sum(count for _, _, count, _, _ in found.rows()) == 20


@pytest.mark.long
def test_starts_that_ended_elsewhere_are_named(found):
    elsewhere = found.converged & ~found.reached
    assert any("worse optima" in sentence for sentence in found.warnings) == bool(np.any(elsewhere))
    assert found.share == pytest.approx(np.mean(found.reached))


@pytest.mark.long
def test_same_seed_same_numbers_and_given_starts_are_used(found):
    again = multi_start(problem(), 20, seed=3)
    np.testing.assert_array_equal(again.chi2, found.chi2)
    assert again.starts == found.starts
    given = multi_start(problem(), [{FRICTION: 0.1}, {FRICTION: 0.3, RESTITUTION: 0.5}])
    assert sorted(start[FRICTION] for start in given.starts) == pytest.approx([0.1, 0.3])
    assert given.fit.chi2 == pytest.approx(found.fit.chi2, rel=1e-9)


def test_starts_cover_prior_bounds_and_decades():
    places = (np.arange(100) + 0.5) / 100

    def parameter(transform, low, high, prior=None):
        return Parameter(
            "x",
            Quantity("-", Interval(low, high, False, False), transform, "x", "x", "", None),
            prior=prior,
        )

    bounded = spread_over(parameter("logit", 0.0, 1.0), 0.5, places)
    assert (bounded.min(), bounded.max()) == (
        pytest.approx(0.02, abs=0.01),
        pytest.approx(0.98, abs=0.01),
    )
    wide = spread_over(parameter("log", 0.0, np.inf), 1e6, places)
    assert np.log10(wide.max() / wide.min()) == pytest.approx(4.0, abs=0.1)
    between = spread_over(parameter("log", 1e3, 1e7), 1e4, places)
    assert 1e3 < between.min() < between.max() < 1e7
    assert np.std(
        spread_over(parameter("identity", -np.inf, np.inf, Normal(3.0, 0.1)), 0.0, places)
    ) == pytest.approx(0.1, rel=0.2)
    assert np.std(
        np.log(spread_over(parameter("log", 0.0, np.inf, LogNormal(3.0, 2.0)), 1.0, places))
    ) == pytest.approx(np.log(2), rel=0.2)


@pytest.mark.parametrize(
    ("starts", "text"),
    [(0, "at least one"), ([], "empty"), ([{"contact.normal.restitutio": 0.5}], "restitution")],
)
def test_no_starts_and_unknown_names_are_errors(starts, text):
    with pytest.raises(InputError, match=text):
        multi_start(problem(), starts)


@pytest.mark.long
def test_a_fit_begins_where_another_ended_by_name():
    first = cal.fit(problem(free=(RESTITUTION, Free(FRICTION, bounds=(0.01, 1.0)))))
    second = problem()
    start = starting_point(second, first)
    values = [
        float(parameter.value(here))
        for parameter, here in zip(second.layout.global_parameters, start.shared, strict=True)
    ]
    assert values[:2] == pytest.approx(
        [first.parameters[RESTITUTION].value, first.parameters[FRICTION].value], rel=1e-6
    )
    assert values[2] == pytest.approx(0.3)
    assert cal.fit(second, start=first).chi2 == pytest.approx(cal.fit(second).chi2, rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    "method", ["dogleg", optax.chain(optax.clip_by_global_norm(10.0), optax.adam(0.05))]
)
def test_other_optimisers_end_in_the_same_place(method):
    found, reference = cal.fit(problem(), method=method), cal.fit(problem())
    for name in (RESTITUTION, FRICTION, TANGENTIAL):
        one, other = found.parameters[name], reference.parameters[name]
        assert one.value == pytest.approx(other.value, abs=0.2 * other.sd)


def test_what_is_no_optimiser_is_an_error():
    with pytest.raises(InputError, match="optimiser"):
        cal.fit(problem(), method=3)
