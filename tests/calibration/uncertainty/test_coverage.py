"""Intervals contain the truth as often as they claim: a small version of
``experiments.coverage``.
"""

import numpy as np
import pytest

import calibration as cal
from experiments.coverage.errors import Autoregressive, Contaminated, Gaussian
from experiments.coverage.measure import acceptable, measure
from experiments.coverage.scenarios import SCENARIOS, Scenario
from experiments.coverage.truth import (
    bounce_times,
    contact_force,
    contact_height,
    drop_height,
    oblique_impacts,
)


def scenario(instrument: str, errors: type, noise) -> Scenario:
    """The first one of these."""
    return next(
        item
        for item in SCENARIOS
        if item.instrument == instrument
        and isinstance(item.errors, errors)
        and item.noise == noise
        and item.stated
    )


def check(found: list, count: int, *, normal: bool = True) -> None:
    """Intervals cover 95 % within what chance does, without bias; normal estimates scatter as their
    standard errors say.
    """
    for item in found:
        assert item.failed == 0
        assert acceptable(item.covariance, count), item
        assert acceptable(item.profile, count), item
        assert not item.drawn or acceptable(item.bootstrap, item.drawn), item
        assert abs(item.bias) < 3 / np.sqrt(count), item
        assert not normal or item.size == pytest.approx(1.0, abs=3 / np.sqrt(2 * count)), item


@pytest.mark.long
@pytest.mark.slow
def test_intervals_from_bounce_times_cover():
    check(measure(scenario("bounce times", Gaussian, None), recordings=150, seed=3), 150)


@pytest.mark.long
@pytest.mark.slow
def test_bootstraps_of_bounce_times_cover():
    # Percentiles of so few numbers would cover 89 %.
    check(
        measure(scenario("bounce times", Gaussian, None), recordings=80, seed=3, replicates=79), 80
    )


@pytest.mark.long
@pytest.mark.slow
def test_intervals_from_bounce_times_with_outliers_cover():
    check(
        measure(
            scenario("bounce times", Contaminated, cal.noise.StudentT(4.0)), recordings=150, seed=3
        ),
        150,
        normal=False,
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("errors", "noise"),
    [
        (Gaussian, None),
        pytest.param(Gaussian, cal.noise.Estimated(), marks=pytest.mark.long),
        pytest.param(Contaminated, cal.noise.StudentT(4.0), marks=pytest.mark.long),
    ],
)
def test_intervals_from_impact_tables_cover(errors, noise):
    check(
        measure(scenario("impact table", errors, noise), recordings=200, seed=3),
        200,
        normal=errors is Gaussian,
    )


@pytest.mark.long("Gaussian-None")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("errors", "noise"),
    [
        (Gaussian, None),
        pytest.param(Autoregressive, cal.noise.Correlated(), marks=pytest.mark.long),
        pytest.param(Contaminated, cal.noise.StudentT(4.0), marks=pytest.mark.long),
    ],
)
def test_intervals_from_a_camera_cover(errors, noise):
    check(measure(scenario("camera, 120 fps", errors, noise), recordings=120, seed=3), 120)


@pytest.mark.long
def test_noise_that_contradicts_what_was_stated_is_flagged():
    asked = scenario("bounce times", Contaminated, cal.noise.StudentT(4.0))
    plain = Scenario(
        asked.instrument, asked.errors, cal.noise.Known(), True, asked.truth, asked.problem
    )
    (found,) = measure(plain, recordings=60, seed=3)
    # An outlier among eight impacts is seen where it is large; without outliers, one recording in a
    # hundred would be flagged.
    assert found.flagged > 0.15


def test_truth_is_what_the_textbook_says():
    times = bounce_times(3, height=0.5, restitution=0.8)
    np.testing.assert_allclose(drop_height(times, height=0.5, restitution=0.8), 0.0, atol=1e-12)
    after = oblique_impacts(
        np.array([60.0]), np.array([1.0]), restitution=0.8, friction=0.1, tangential=0.4
    )
    # The contact point slides: tan(theta') = (tan(theta) - mu (1 + e))/e.
    assert np.tan(np.radians(after["rebound_angle"][0])) == pytest.approx(
        (np.tan(np.radians(60)) - 0.18) / 0.8
    )
    fine = np.linspace(0, 2e-3, 20001)
    impulse = np.trapezoid(contact_force(fine, stiffness=3e6, restitution=0.7, speed=1.0), fine)
    duration = fine[
        np.flatnonzero(contact_force(fine, stiffness=3e6, restitution=0.7, speed=1.0))[-1]
    ]
    # Momentum: m (1 + e) v, and gravity during the contact, which damps a little less than the
    # formula without gravity says.
    assert impulse == pytest.approx(0.03 * (1.7 + 9.81 * duration), rel=5e-3)
    # A filmed contact is moved by that force and by gravity.
    steps = np.arange(-1e-3, 4e-3, 1e-5)
    height = contact_height(steps, stiffness=3e6, restitution=0.7, speed=1.0)
    acceleration = (height[2:] + height[:-2] - 2 * height[1:-1]) / 1e-10
    force = contact_force(steps, stiffness=3e6, restitution=0.7, speed=1.0)[1:-1]
    np.testing.assert_allclose(0.03 * (acceleration + 9.81), force, atol=0.01 * force.max())
