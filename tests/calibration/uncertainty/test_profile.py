"""What must hold of profiles: the intervals of other programs, no end where there is none, nothing
worse than what is found on the way.
"""

import dataclasses
import math
from types import SimpleNamespace

import lmfit
import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, least_squares

from calibration.errors import InputError
from calibration.fitting.assessment import assess
from calibration.fitting.fit import fit
from calibration.fitting.probes import excluding_rise
from calibration.fitting.refit import error_scale_factor, threshold
from calibration.model.parameter import Parameter
from calibration.noise.models import Estimated
from calibration.optimise.coordinates import Minimum
from calibration.problem.problem import Problem
from calibration.problem.table_batch import outcome
from calibration.report.profile_figure import profile_figure
from calibration.runtime.progress import Progress
from calibration.uncertainty.profile import (
    CLOSE,
    PROBES,
    REACH_LOG,
    Point,
    Walk,
    interpolate_crossing,
    profile,
    profile_2d,
    warn_of_gaps,
)
from jaxcontact.parameters import Interval, Quantity
from tests.calibration import synthetic_impacts as impacts
from tests.calibration.synthetic_impacts import (
    ANGLE_ALONE,
    ANGLES,
    DATA,
    FRICTION,
    RESTITUTION,
    closed_form,
    scene,
    table,
    whitened,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found():
    return fit(Problem(scene(), [DATA], free=[FRICTION, RESTITUTION]))


@pytest.fixture(scope="module")
def estimated():
    return fit(Problem(scene(), [ANGLE_ALONE], free=[FRICTION, RESTITUTION], noise=Estimated()))


@pytest.mark.long
def test_the_model_is_the_textbook_one():
    made = outcome(scene(), 2.0, ANGLES[3], 0.0)
    angle, speed = closed_form(0.25, 0.8, ANGLES[3:4])
    assert made["rebound_angle"] == pytest.approx(angle[0], rel=1e-6)
    assert made["rebound_speed"] == pytest.approx(speed[0], rel=1e-6)


def test_interval_is_where_scipy_crosses_the_quantile_of_chi_squared(found):
    profiled = profile(found, [FRICTION])[FRICTION]
    best = least_squares(lambda p: whitened(*p, DATA), [0.25, 0.8], xtol=1e-14, ftol=1e-14)

    def delta_chi2(friction: float) -> float:
        rest = least_squares(
            lambda p: whitened(friction, p[0], DATA), [0.8], xtol=1e-14, ftol=1e-14
        )
        return 2 * (rest.cost - best.cost) - stats.chi2.ppf(0.95, 1)

    assert profiled.value == pytest.approx(best.x[0], abs=1e-6)
    width = profiled.high - profiled.low
    assert profiled.low == pytest.approx(
        brentq(delta_chi2, best.x[0] - width, best.x[0]), abs=0.005 * width
    )
    assert profiled.high == pytest.approx(
        brentq(delta_chi2, best.x[0], best.x[0] + width), abs=0.005 * width
    )
    # An end is a minimum of its own there, not only a line between two.
    roots, aim = np.sqrt(profiled.delta_chi2), np.sqrt(profiled.threshold)
    for side in (profiled.values < profiled.value, profiled.values > profiled.value):
        assert np.min(np.abs(roots[side] - aim)) < CLOSE * aim


@pytest.mark.long
def test_intervals_and_region_are_those_of_lmfit_where_the_noise_is_estimated(estimated):
    parameters = lmfit.Parameters()
    parameters.add("friction", estimated.parameters[FRICTION].value)
    parameters.add("restitution", estimated.parameters[RESTITUTION].value)

    def residual(p):
        return (
            closed_form(p["friction"].value, p["restitution"].value, ANGLES)[0]
            - ANGLE_ALONE.rebound_angle
        )

    minimizer = lmfit.Minimizer(residual, parameters)
    peer = minimizer.minimize(xtol=1e-14, ftol=1e-14)
    intervals = lmfit.conf_interval(minimizer, peer, sigmas=[0.95])
    profiles = profile(estimated)
    for name, called in ((FRICTION, "friction"), (RESTITUTION, "restitution")):
        (_, low), _, (_, high) = intervals[called]
        assert profiles[name].low == pytest.approx(low, abs=0.01 * (high - low))
        assert profiles[name].high == pytest.approx(high, abs=0.01 * (high - low))
    region = profile_2d(estimated, (FRICTION, RESTITUTION), points=5)
    limits = [(grid[0], grid[-1]) for grid in region.values]
    x, y, chi2 = lmfit.conf_interval2d(
        minimizer, peer, "friction", "restitution", 5, 5, limits=limits, chi2_out=True
    )
    # Our grid is even in the coordinates of the fit, theirs in the values: the corners are the same
    # points.
    corners = np.ix_([0, -1], [0, -1])
    theirs = (chi2.T[np.ix_(np.argsort(x), np.argsort(y))] - peer.chisqr) / peer.redchi
    np.testing.assert_allclose(region.delta_chi2[corners], theirs[corners], rtol=0.01)
    assert region.threshold == pytest.approx(2 * stats.f.ppf(0.95, 2, peer.nfree), rel=1e-3)


def test_a_profile_without_an_end_has_none_and_says_so():
    # Steep impacts: the ball rolls before it leaves, with this friction as with any larger one.
    steep = table(angles=np.linspace(5.0, 25.0, 16), seed=3)
    found = profile(
        fit(Problem(scene(0.5), [steep], free=[FRICTION, RESTITUTION]), start={FRICTION: 0.5}),
        [FRICTION],
    )[FRICTION]
    assert found.high == np.inf
    assert 0.0 < found.low < 0.25
    assert "not bounded above" in found.text
    assert np.all(found.delta_chi2[found.values > 1.0] < found.threshold)


def test_a_better_minimum_on_the_way_is_taken_and_said(found):
    assessment = found.assessment
    poor = assessment.minimum._replace(shared=assessment.minimum.shared + np.array([0.05, 0.0]))
    stopped = assess(assessment.layout, assessment.scene, assessment.data, assessment.start, poor)
    profiles = profile(dataclasses.replace(found, assessment=stopped))
    assert any("better minimum" in sentence for sentence in profiles.warnings)
    assert profiles.fit.chi2 == pytest.approx(found.chi2, rel=1e-9)
    assert profiles.fit.assessment.chi2 == pytest.approx(found.chi2, rel=1e-9)
    assert profiles[FRICTION].value == pytest.approx(found.parameters[FRICTION].value, rel=1e-6)


def test_doubling_sigma_doubles_the_interval(found):
    wide = {name: 2 * value for name, value in DATA.sigma.items()}
    doubled = fit(
        Problem(scene(), [dataclasses.replace(DATA, sigma=wide)], free=[FRICTION, RESTITUTION])
    )
    one, two = profile(found)[RESTITUTION], profile(doubled)[RESTITUTION]
    assert (two.high - two.low) / (one.high - one.low) == pytest.approx(
        2 / error_scale_factor(found.assessment, 1), rel=0.02
    )


def test_a_region_is_that_of_two_parameters(found):
    assert threshold(found.assessment, 0.95, 0, 1) == pytest.approx(stats.chi2.ppf(0.95, 2))
    region = profile_2d(found, (FRICTION, RESTITUTION), points=7)
    assert region.delta_chi2.shape == (7, 7)
    assert region.delta_chi2.min() < 0.5
    # The region reaches farther than the interval of one parameter, and ends inside the grid.
    inside = np.any(region.delta_chi2 <= region.threshold, axis=1)
    assert not inside[0]
    assert not inside[-1]
    one = profile(found, [FRICTION])[FRICTION]
    assert region.values[0][0] < one.low < one.high < region.values[0][-1]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda fit: profile(fit, ["contact.friction.coeficient"]), "contact.friction.coefficient"),
        (lambda fit: profile(fit, level=95), "between 0 and 1"),
        (lambda fit: profile(fit, points=1), "from 2 on"),
        (lambda fit: profile_2d(fit, (FRICTION, FRICTION)), "two different"),
        (lambda fit: profile(dataclasses.replace(fit, assessment=None)), "does not carry"),
    ],
)
def test_bad_input_is_refused_with_the_remedy(found, wrong, says):
    with pytest.raises(InputError, match=says):
        wrong(found)


def test_the_last_crossing_counts_and_no_crossing_is_none():
    @dataclasses.dataclass
    class Made:
        coordinate: float
        chi2: float

    side = [Made(1.0, 1.0), Made(2.0, 4.0), Made(3.0, 9.0)]
    assert interpolate_crossing(Made(0.0, 0.0), side, 6.25, 1.0) == pytest.approx(2.5)
    assert np.isnan(interpolate_crossing(Made(0.0, 0.0), side, 10.0, 1.0))
    again = [Made(1.0, 9.0), Made(2.0, 1.0), Made(3.0, 4.0)]
    assert interpolate_crossing(Made(0.0, 0.0), again, 2.25, 1.0) == pytest.approx(2.5)


def test_thresholds_are_those_of_the_fit(found, estimated):
    for fitted in (found, estimated):
        for index, name in enumerate((FRICTION, RESTITUTION)):
            product = (
                threshold(fitted.assessment, 0.95, index)
                * error_scale_factor(fitted.assessment, index) ** 2
            )
            assert product == pytest.approx(excluding_rise(fitted.assessment, name, 0.95), rel=1e-9)


def walk_from(coordinate: float) -> Walk:
    """A walk from a minimum of one positive parameter, at the logarithm of its value."""
    about = Quantity("N/m", Interval(0.0, math.inf, False, False), "log", "k", "k", "", None)
    minimum = Minimum(np.array([coordinate]), (np.zeros((1, 0)),), True, 0)
    assessment = SimpleNamespace(
        chi2=0.0,
        minimum=minimum,
        start=SimpleNamespace(from_minimum=lambda minimum: minimum),
        layout=SimpleNamespace(global_parameters=(Parameter("k", about),)),
    )
    return Walk(assessment, None, prefix="", level=0.95, points=6, say=None, stop=False)


@pytest.mark.parametrize("value", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("direction", [-1, 1])
def test_what_is_tried_beyond_an_end_does_not_depend_on_the_unit(monkeypatch, value, direction):
    walk, tried = walk_from(math.log(value)), []

    def worse(held, guesses):
        tried.append(held[0])
        return Point(held[0], 100.0, guesses[0])

    monkeypatch.setattr(walk, "minimise_from_guesses", worse)
    centre = walk.point_at_minimum(0)
    end = Point(centre.coordinate + 0.1 * direction, 5.0, centre.minimum)
    walk.probe_beyond(0, direction, [centre, end], 1.96, 1.0, REACH_LOG)
    np.testing.assert_allclose(tried, centre.coordinate + direction * np.asarray(PROBES))


def test_the_next_point_begins_on_the_line_through_the_last_two():
    walk = walk_from(0.0)
    minima = [
        Minimum(np.array([at, 3 - 2 * at]), (np.array([[5 * at]]),), True, 0) for at in (1.0, 1.5)
    ]
    path = [Point(float(one.shared[0]), 0.0, one) for one in minima]
    first, last, best = walk.guess_next(path, 1.75)
    np.testing.assert_allclose(first.shared, [1.75, 3 - 2 * 1.75])
    np.testing.assert_allclose(first.local[0], [[5 * 1.75]])
    assert last is minima[1]
    assert best is walk.assessment.minimum


@pytest.mark.long
def test_another_regime_beyond_an_end_is_found():
    """Impacts at the edge of rolling: a little less friction is worse, much more is as good, and
    between them lies a bump.
    """
    angles = np.array([30.0, 45.0, 58.5])
    data = impacts.table(angles=angles, seed=0, noise=0.0)
    data = dataclasses.replace(
        data, rebound_speed=np.empty(0), sigma={"rebound_angle": np.array([3.0, 3.0, 0.8])}
    )
    profiled = profile(fit(Problem(scene(), [data], free=[FRICTION])))[FRICTION]
    assert profiled.high == np.inf
    assert "not bounded above" in profiled.text


class Counted(Progress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(quiet=True)
        self.told: list[int] = []

    def __call__(self, stage: str, total: int | None = None) -> None:
        self.told.append(0)

    def advance(self, done: int, note: str = "") -> None:
        self.told.append(done)


def test_a_gap_in_an_interval_is_said(found):
    counted = Counted()
    profiles = profile(found, [FRICTION], progress=counted)
    assert np.all(np.diff(counted.told) > 0)  # both sides are one stage
    assert profiles.fit is found  # no better minimum was met
    one = profiles[FRICTION]
    split = dataclasses.replace(
        one,
        delta_chi2=np.where(np.arange(one.delta_chi2.size) == one.delta_chi2.size // 2, 9.0, 0.0),
    )
    assert any("gap" in sentence for sentence in warn_of_gaps(split))


def test_profiles_are_drawn_and_a_function_is_no_module(found):
    import calibration

    assert callable(calibration.profile)
    assert len(profile_figure(profile(found)).axes) == 2
    (axes,) = profile_figure(profile_2d(found, (FRICTION, RESTITUTION), points=5)).axes
    assert axes.get_xlabel() == "friction coefficient"
