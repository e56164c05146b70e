"""What must hold of profiles: the intervals of other programs, no end where there is none, nothing worse than what is found on the way."""

import dataclasses

import lmfit
import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, least_squares

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting import fit
from calibration.impact_rows import outcome
from calibration.impact_table import ImpactTable
from calibration.judgement import Judgement
from calibration.problem import Problem
from calibration.profile import crossing, profile, profile_2d
from calibration.refit import threshold, widening

FRICTION, RESTITUTION = "contact.friction.coefficient", "contact.normal.restitution"
ANGLES = np.linspace(20.0, 70.0, 16)
SIGMA = {"rebound_angle": 1.5, "rebound_speed": 0.05}


def scene(friction: float = 0.25, restitution: float = 0.8) -> jc.Scene:
    """A ball and a plane that rub."""
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=restitution), friction=jc.Coulomb(coefficient=friction))
    return jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)


def closed_form(friction: float, restitution: float, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rebound angle [deg] and speed of a solid sphere at 2 m/s that slides all through the impact or rolls: textbook."""
    radians = np.deg2rad(angles)
    along, down = 2 * np.sin(radians), 2 * np.cos(radians)
    after = np.maximum(along - friction * (1 + restitution) * down, along * 5 / 7)
    return np.rad2deg(np.arctan2(after, restitution * down)), np.hypot(after, restitution * down)


def table(*, angles: np.ndarray = ANGLES, seed: int = 0, noise: float = 1.0) -> ImpactTable:
    """Made-up impacts with known noise; ``noise``: true over stated deviation."""
    rng = np.random.default_rng(seed)
    angle, speed = closed_form(0.25, 0.8, angles)
    return ImpactTable(
        name="made up",
        impact_angle=angles,
        impact_speed=np.full(angles.size, 2.0),
        spin_before=np.zeros(angles.size),
        rebound_angle=angle + noise * SIGMA["rebound_angle"] * rng.standard_normal(angles.size),
        rebound_speed=speed + noise * SIGMA["rebound_speed"] * rng.standard_normal(angles.size),
        sigma={name: np.full(angles.size, value) for name, value in SIGMA.items()},
    )


def whitened(friction: float, restitution: float, data: ImpactTable) -> np.ndarray:
    """Residuals in standard deviations, without this library."""
    angle, speed = closed_form(friction, restitution, data.impact_angle)
    return np.concatenate([(angle - data.rebound_angle) / SIGMA["rebound_angle"], (speed - data.rebound_speed) / SIGMA["rebound_speed"]])


DATA = table(seed=1)


@pytest.fixture(scope="module")
def found():
    return fit(Problem(scene(), [DATA], free=[FRICTION, RESTITUTION]))


@pytest.fixture(scope="module")
def misfit():
    return fit(Problem(scene(), [table(seed=2, noise=3.0)], free=[FRICTION, RESTITUTION]))


def test_the_model_is_the_textbook_one():
    made = outcome(scene(), 2.0, ANGLES[3], 0.0)
    angle, speed = closed_form(0.25, 0.8, ANGLES[3:4])
    assert made["rebound_angle"] == pytest.approx(angle[0], rel=1e-6)
    assert made["rebound_speed"] == pytest.approx(speed[0], rel=1e-6)


def test_interval_is_where_scipy_crosses_the_quantile_of_chi_squared(found):
    profiled = profile(found, [FRICTION])[FRICTION]
    best = least_squares(lambda p: whitened(*p, DATA), [0.25, 0.8], xtol=1e-14, ftol=1e-14)

    def rise(friction: float) -> float:
        rest = least_squares(lambda p: whitened(friction, p[0], DATA), [0.8], xtol=1e-14, ftol=1e-14)
        return 2 * (rest.cost - best.cost) - stats.chi2.ppf(0.95, 1)

    assert profiled.value == pytest.approx(best.x[0], abs=1e-6)
    width = profiled.high - profiled.low
    assert profiled.low == pytest.approx(brentq(rise, best.x[0] - width, best.x[0]), abs=0.005 * width)
    assert profiled.high == pytest.approx(brentq(rise, best.x[0], best.x[0] + width), abs=0.005 * width)


def test_intervals_and_region_are_those_of_lmfit_where_the_noise_is_estimated(misfit):
    data = table(seed=2, noise=3.0)
    assert misfit.inflation > 1
    parameters = lmfit.Parameters()
    parameters.add("friction", misfit.parameters[FRICTION].value)
    parameters.add("restitution", misfit.parameters[RESTITUTION].value)
    minimizer = lmfit.Minimizer(lambda p: whitened(p["friction"].value, p["restitution"].value, data), parameters)
    peer = minimizer.minimize(xtol=1e-14, ftol=1e-14)
    intervals = lmfit.conf_interval(minimizer, peer, sigmas=[0.95])
    profiles = profile(misfit)
    for name, called in ((FRICTION, "friction"), (RESTITUTION, "restitution")):
        (_, low), _, (_, high) = intervals[called]
        assert profiles[name].low == pytest.approx(low, abs=0.01 * (high - low))
        assert profiles[name].high == pytest.approx(high, abs=0.01 * (high - low))
    region = profile_2d(misfit, (FRICTION, RESTITUTION), points=5)
    limits = [(grid[0], grid[-1]) for grid in region.values]
    x, y, chi2 = lmfit.conf_interval2d(minimizer, peer, "friction", "restitution", 5, 5, limits=limits, chi2_out=True)
    # Our grid is even in the coordinates of the fit, theirs in the values: the corners are the same points.
    corners = np.ix_([0, -1], [0, -1])
    theirs = (chi2.T[np.ix_(np.argsort(x), np.argsort(y))] - peer.chisqr) / widening(misfit.judgement, 0, 1) ** 2
    np.testing.assert_allclose(region.rise[corners], theirs[corners], rtol=0.01)


def test_a_profile_without_an_end_has_none_and_says_so():
    # Steep impacts: the ball rolls before it leaves, with this friction as with any larger one.
    steep = table(angles=np.linspace(5.0, 25.0, 16), seed=3)
    found = profile(fit(Problem(scene(0.5), [steep], free=[FRICTION, RESTITUTION]), start={FRICTION: 0.5}), [FRICTION])[FRICTION]
    assert found.high == np.inf
    assert 0.0 < found.low < 0.25
    assert "not bounded above" in found.text
    assert np.all(found.rise[found.values > 1.0] < found.threshold)


def test_a_better_minimum_on_the_way_is_taken_and_said(found):
    judgement = found.judgement
    poor = judgement.minimum._replace(shared=judgement.minimum.shared + np.array([0.05, 0.0]))
    stopped = Judgement(judgement.layout, judgement.scene, judgement.data, judgement.start, poor)
    profiles = profile(dataclasses.replace(found, judgement=stopped))
    assert any("better minimum" in sentence for sentence in profiles.warnings)
    assert profiles.fit.chi2 == pytest.approx(found.chi2, rel=1e-9)
    assert profiles[FRICTION].value == pytest.approx(found.parameters[FRICTION].value, rel=1e-6)


def test_doubling_sigma_doubles_the_interval(found):
    wide = {name: 2 * value for name, value in DATA.sigma.items()}
    doubled = fit(Problem(scene(), [dataclasses.replace(DATA, sigma=wide)], free=[FRICTION, RESTITUTION]))
    one, two = profile(found)[RESTITUTION], profile(doubled)[RESTITUTION]
    assert (two.high - two.low) / (one.high - one.low) == pytest.approx(2 / widening(found.judgement, 1), rel=0.02)


def test_a_region_is_that_of_two_parameters(found):
    assert threshold(found.judgement, 0.95, 0, 1) == pytest.approx(stats.chi2.ppf(0.95, 2))
    region = profile_2d(found, (FRICTION, RESTITUTION), points=7)
    assert region.rise.shape == (7, 7)
    assert region.rise.min() < 0.5
    # The region reaches farther than the interval of one parameter, and ends inside the grid.
    inside = np.any(region.rise <= region.threshold, axis=1)
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
        (lambda fit: profile(dataclasses.replace(fit, judgement=None)), "does not carry"),
    ],
)
def test_bad_input_is_refused_with_the_remedy(found, wrong, says):
    with pytest.raises(InputError, match=says):
        wrong(found)


def test_the_first_crossing_counts_and_no_crossing_is_none():
    @dataclasses.dataclass
    class Made:
        coordinate: float
        chi2: float

    side = [Made(1.0, 1.0), Made(2.0, 4.0), Made(3.0, 9.0)]
    assert crossing(Made(0.0, 0.0), side, 6.25, 1.0) == pytest.approx(2.5)
    assert np.isnan(crossing(Made(0.0, 0.0), side, 10.0, 1.0))
