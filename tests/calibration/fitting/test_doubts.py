"""A fit that is in doubt as a whole determines nothing, wherever its numbers are shown."""

import json
import math

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.cli.after_fit import with_doubt
from calibration.fitting.policy import FitPolicy
from calibration.fitting.start import starting_point
from calibration.problem.found_noise import noise_about_flights
from calibration.report.page import page_text
from calibration.results.goodness import (
    GUESSED_MISFIT,
    MISFIT_TOLERANCE,
    is_too_small,
    largest_misfit,
)
from calibration.results.numbers import found, has_interval, short_status
from calibration.results.table import fit_text

pytestmark = pytest.mark.slow

RESTITUTION = "contact.normal.restitution"
SPEED = np.linspace(0.5, 4.0, 24)


def impacts(restitution, sigma=0.01, seed=3):
    """A table of normal impacts whose restitution is a function of the speed."""
    noise = 0.01 * np.random.default_rng(seed).standard_normal(SPEED.size)
    return cal.ImpactTable(
        name="drops",
        impact_angle=np.zeros(SPEED.size),
        impact_speed=SPEED,
        normal_restitution=restitution(SPEED) + noise,
        sigma={} if sigma is None else {"normal_restitution": np.full(SPEED.size, sigma)},
    )


def fitted(table, **options):
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7)),
    )
    return cal.fit(cal.Problem(scene, [table], free=[RESTITUTION]), **options)


def constant(speed):
    return np.full(speed.shape, 0.8)


def falling(speed):
    return 0.8 - 0.03 * speed


def test_the_right_model_is_explained_and_determined():
    fit = fitted(impacts(constant))
    assert fit.doubt is None
    assert fit.parameters[RESTITUTION].status is cal.Determination.DETERMINED
    assert has_interval(fit.parameters[RESTITUTION])


@pytest.fixture(params=["not explained", "not converged"])
def doubted(request, monkeypatch):
    """A fit by the wrong law, and one whose search did not end."""
    if request.param == "not explained":
        return request.param, fitted(impacts(falling))
    monkeypatch.setattr("calibration.fitting.solve.is_an_end", lambda *given: False)
    return request.param, fitted(impacts(constant))


def test_no_estimate_of_a_doubted_fit_has_a_standard_error(doubted):
    status, fit = doubted
    estimate = fit.parameters[RESTITUTION]
    assert fit.doubt is estimate.status
    assert short_status(estimate) == status
    assert math.isinf(estimate.sd)
    assert estimate.interval() == (-math.inf, math.inf)
    assert np.isfinite(estimate.value)
    assert "+-" not in found(estimate)


def test_no_output_of_a_doubted_fit_has_a_standard_error(doubted, tmp_path):
    status, fit = doubted
    parameters = fit_text(fit).partition("chi2/dof")[0]
    assert "+- 0" not in parameters
    assert status in parameters
    assert "determined" not in parameters
    page = page_text(fit)
    row = page.partition("<table")[2].partition("</table>")[0]
    assert status in row
    assert "±" not in row
    cal.report.write_json(fit, tmp_path / "fit.json")
    written = json.loads((tmp_path / "fit.json").read_text())
    assert written["fit"]["doubt"] == status
    estimate = written["parameters"][RESTITUTION]
    assert estimate["sd"] is None
    assert estimate["interval"] == [None, None]
    assert estimate["status"] == status


def test_what_the_data_do_not_determine_keeps_its_reason():
    estimate = cal.Estimate(
        name="a",
        label="a",
        symbol="a",
        unit="-",
        value=1.0,
        sd=math.inf,
        start=1.0,
        status=cal.Determination.NOT_DETERMINED,
        note="a camera is too slow",
    )
    assert estimate.withdrawn(cal.Determination.NOT_EXPLAINED) is estimate


@pytest.mark.parametrize(
    ("misfit", "dof", "explained"),
    [
        (1.77, 1280, False),  # a restitution that falls with speed, taken as drag
        (1.2, 1280, True),
        (1.06, 20_000, True),
        (1.6, 120, False),
        (1.9, 20, True),
        (2.5, 20, False),
        (6.0, 1, True),
    ],
)
def test_a_misfit_is_judged_by_its_probability_and_by_what_matters(misfit, dof, explained):
    fit = cal.Fit(parameters={}, chi2=misfit * dof, dof=dof)
    assert fit.explained is explained


def test_right_models_are_seldom_called_unexplained():
    """The tolerance is beyond the limit of probability, so fewer than the chance are."""
    rng, policy = np.random.default_rng(0), FitPolicy()
    for dof in (1, 5, 30, 300):
        chi2 = rng.chisquare(dof, 20_000) / dof
        assert np.mean(chi2 > largest_misfit(dof)) < policy.misfit_chance
        found_noise = rng.chisquare(6, 20_000) / 6
        ratio = chi2 / found_noise
        assert np.mean(ratio > largest_misfit(dof, noise_degrees=6)) < policy.misfit_chance


@pytest.mark.parametrize(
    ("chi2", "dof", "small"),
    [
        (6.0, 30, True),
        (30.0, 30, False),
        (600.0, 1000, False),  # by chance once in 10^21, but intervals are only 1.3 times too wide
        (1.6, 4, False),  # by chance once in five
        (0.0, 0, False),  # nothing is left that could tell
    ],
)
def test_noise_is_too_large_where_chance_and_what_matters_say_so(chi2, dof, small):
    assert is_too_small(chi2, dof) is small


def test_noise_that_was_stated_leaves_no_tolerance_to_chance():
    assert largest_misfit(7, stated=True) == pytest.approx(18.475 / 7, rel=1e-3)
    assert largest_misfit(1280, stated=True) == MISFIT_TOLERANCE
    assert largest_misfit(7) == pytest.approx(MISFIT_TOLERANCE * 18.475 / 7, rel=1e-3)
    # Fisher's F at 1 %: 7 and 6 degrees of freedom, 7 and 1.
    assert largest_misfit(7, noise_degrees=6) == pytest.approx(MISFIT_TOLERANCE * 8.260, rel=1e-3)
    assert largest_misfit(7, noise_degrees=0.5) == pytest.approx(MISFIT_TOLERANCE * 5928, rel=1e-3)


def test_a_guessed_noise_may_be_wrong_by_a_factor_of_three():
    assert largest_misfit(30, guessed=True) == GUESSED_MISFIT
    table = impacts(falling, sigma=None)  # guessed as 2 % of the largest value
    assert fitted(table).explained
    assert fitted(table).assessment.noise_guessed


@pytest.mark.long
def test_noise_found_from_few_times_is_not_taken_as_known():
    times = np.cumsum(np.r_[0.0, 0.6 * 0.9 ** np.arange(8)])
    noisy = times + 1e-4 * np.random.default_rng(1).standard_normal(times.size)
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
    )
    problem = cal.Problem(
        scene,
        [cal.Trial(cal.measurements.BounceTimes(noisy, name="clicks"))],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.FirstImpact()],
    )
    fit = cal.fit(problem)
    assert fit.assessment.noise_degrees == times.size - 4
    assert fit.explained_up_to > largest_misfit(fit.dof)


def drop_with_lasting_noise(seed, rho):
    """Three flights with noise of 1 mm whose neighbours are correlated by ``rho``."""
    time = np.arange(240) / 120
    height, phase, duration = np.empty(time.size), time + 0.2, 0.7
    for i, moment in enumerate(phase):
        number = int(moment / duration)
        local = moment - number * duration
        height[i] = 0.02 + 9.81 / 2 * local * (duration - local)
    white = np.random.default_rng(seed).standard_normal(time.size)
    noise = np.empty(time.size)
    noise[0] = white[0]
    for i in range(1, time.size):
        noise[i] = rho * noise[i - 1] + np.sqrt(1 - rho**2) * white[i]
    position = np.full((time.size, 3), np.nan)
    position[:, 2] = height + 1e-3 * noise
    return cal.Recording(name="drop", time=time, position=position)


@pytest.mark.parametrize("rho", [0.0, 0.7])
def test_deviations_from_flights_tell_how_far_lasting_noise_is_known(rho):
    """What a flight follows of it is missing in the deviations: the factor makes up for that."""
    detections = [
        cal.detection.read_bounces(drop_with_lasting_noise(seed, rho), radius=0.02)
        for seed in range(8)
    ]
    found = noise_about_flights(detections)
    variance = np.mean([detected.scatter[2] ** 2 for detected in detections]) / 1e-6
    if rho == 0.0:
        assert found is None or found.factor < 1.1
        assert variance == pytest.approx(1.0, abs=0.15)
    else:
        assert variance < 0.9
        assert variance * found.factor == pytest.approx(1.0, abs=0.3)
        assert 3 < found.memory < 8


def test_a_fit_in_doubt_leads_to_another_one_as_any_does(doubted):
    _, earlier = doubted
    (shared,) = starting_point(earlier.problem, earlier).shared
    found = earlier.problem.layout.global_parameters[0].value(shared)
    assert found == pytest.approx(earlier.parameters[RESTITUTION].value)


def test_a_drag_that_is_none_is_an_answer():
    """A drop without air: the fit converges, and its drag coefficient is at its bound 0."""
    time = np.arange(150) / 120
    phase, duration = time + 0.2, 0.6
    local = phase % duration
    position = np.full((time.size, 3), np.nan)
    noise = 5e-4 * np.random.default_rng(2).standard_normal(time.size)
    # Where there is no drag, noise speaks for it or against it; here later flights are no lower.
    position[:, 2] = 0.02 + 9.81 / 2 * local * (duration - local) * (1 + 0.0005 * time) + noise
    film = cal.Recording(name="drop", time=time, position=position)
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.0027),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        drag=jc.QuadraticDrag(coefficient=0.4),
    )
    problem = cal.Problem(
        scene,
        [film],
        free=[RESTITUTION, "drag.coefficient"],
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
        method=jc.Impulse(max_contacts=6, rest_steps=1, skip_unused=False),
    )
    fit = cal.fit(problem)
    assert fit.converged
    drag = fit.parameters["drag.coefficient"]
    assert drag.status is cal.Determination.AT_BOUND
    # What is left of it is no number to read.
    line = next(line for line in str(fit).splitlines() if line.startswith("drag coefficient"))
    assert "next to 0" in line
    assert f"{drag.value:.4g}" not in str(fit)
    assert drag.value < 1e-3
    assert drag.interval() == (-math.inf, math.inf)


def test_what_goes_on_from_a_fit_in_doubt_says_so_first(doubted):
    status, fit = doubted
    text = with_doubt(fit, "Restitution: 0.79 to 0.81 (95 %).")
    assert text.startswith(f"The fit that this goes on from is {status}: nothing below is to be")
    assert fit.warnings[0] in text
    assert text.endswith("Restitution: 0.79 to 0.81 (95 %).")
    sound = cal.Fit(parameters={}, chi2=10.0, dof=10)
    assert with_doubt(sound, "Restitution") == "Restitution"
