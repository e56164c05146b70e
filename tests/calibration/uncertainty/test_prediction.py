"""What must hold of predictions: the band of a linear model, the same from draws, the truth inside,
no band where nothing is known.
"""

import dataclasses

import numpy as np
import pytest
from scipy import stats

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.estimates import estimate_shared
from calibration.fitting.fit import fit
from calibration.io.recording import Recording
from calibration.noise.models import Known
from calibration.nuisances import InitialState, SurfaceHeight
from calibration.problem.problem import Problem
from calibration.uncertainty.bootstrap import Bootstrap
from calibration.uncertainty.draws import Draws
from calibration.uncertainty.prediction import prediction_band
from tests.calibration import synthetic_impacts as impacts
from tests.calibration.synthetic_impacts import DATA, FRICTION, RESTITUTION

TIMES = np.arange(0.0, 0.6, 1 / 120)
NOISE = 1e-3


def height(times: np.ndarray) -> np.ndarray:
    """Centre of a ball of 20 mm dropped from 0.3 m with a restitution of 0.8, one bounce:
    textbook.
    """
    fall = np.sqrt(2 * 0.3 / 9.81)
    after = times - fall
    return 0.02 + np.where(
        after < 0, 0.3 - 9.81 * times**2 / 2, 0.8 * 9.81 * fall * after - 9.81 * after**2 / 2
    )


@pytest.fixture(scope="module")
def drop():
    z = height(TIMES) + NOISE * np.random.default_rng(0).standard_normal(TIMES.size)
    nothing = np.full_like(z, np.nan)
    position = np.stack([nothing, nothing, z], axis=-1)
    recording = Recording(
        name="drop",
        time=TIMES,
        position=position,
        sigma=np.where(np.isnan(position), np.nan, NOISE),
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
    )
    method = jc.Impulse(max_contacts=4, rest_steps=1, skip_unused=False)
    nuisance = [InitialState(), SurfaceHeight()]
    return fit(
        Problem(
            scene, [recording], free=[RESTITUTION], nuisance=nuisance, noise=Known(), method=method
        )
    )


@pytest.fixture(scope="module")
def table():
    return fit(Problem(impacts.scene(), [DATA], free=[FRICTION, RESTITUTION]))


@pytest.mark.slow
def test_the_band_is_that_of_the_normal_equations(drop):
    band = prediction_band(drop)
    block = drop.assessment.blocks[0]
    jacobian = np.concatenate([block.by_shared[0], block.by_local[0]], axis=1)[: TIMES.size]
    hat = jacobian @ np.linalg.inv(jacobian.T @ jacobian) @ jacobian.T
    used = np.asarray(drop.problem.data[0].samples[0].weight)[0, :, 0] > 0
    expected = NOISE * np.sqrt(np.diag(hat))
    np.testing.assert_allclose(
        band.sd[used[: len(band.sd)], 0], expected[used[: len(expected)]], rtol=1e-3
    )
    np.testing.assert_allclose(
        band.high_new[:, 0] - band.mean[:, 0], 1.96 * np.hypot(band.sd[:, 0], NOISE), rtol=1e-3
    )


@pytest.mark.slow
def test_the_truth_is_in_the_band_at_times_that_nobody_measured(drop):
    times = np.array([0.11, 0.201, 0.3333, 0.52])
    band = prediction_band(drop, times, trial="drop", level=0.999)
    assert band.mean.shape == (4, 1)
    np.testing.assert_array_equal(band.times, times)
    assert np.all((band.low[:, 0] < height(times)) & (height(times) < band.high[:, 0]))
    assert np.all(band.low_new < band.low)


@pytest.mark.long
def test_draws_give_the_band_of_the_covariance_where_the_problem_is_nearly_linear(table):
    rng, assessment = np.random.default_rng(0), table.assessment
    shared = rng.multivariate_normal(assessment.minimum.shared, assessment.covariance, size=1000)
    made = Bootstrap("parametric", 1000, 0, Draws(shared, (np.zeros((1000, 1, 0)),)), {}, table)
    linear, drawn = prediction_band(table), prediction_band(table, draws=made)
    smooth = np.abs(DATA.impact_angle - 59.0) > 8.0  # not where sliding ends
    np.testing.assert_allclose(drawn.sd[smooth], linear.sd[smooth], rtol=0.15)
    np.testing.assert_allclose(
        (drawn.high - drawn.low)[smooth], (linear.high - linear.low)[smooth], rtol=0.15
    )
    assert drawn.source == "bootstrap"
    np.testing.assert_allclose(
        (drawn.high_new - drawn.low_new)[smooth],
        (linear.high_new - linear.low_new)[smooth],
        rtol=0.15,
    )


@pytest.mark.long
def test_a_new_trial_is_a_function_of_the_scene(table):
    def rebound(scene: jc.Scene):
        return scene.contact.normal.restitution * 3.0

    band = prediction_band(table, rebound, noise=0.1)
    estimate = estimate_shared(table.assessment)[RESTITUTION]  # without other divisions
    assert band.times is None
    assert band.mean == pytest.approx(3 * estimate.value)
    assert band.sd == pytest.approx(3 * estimate.sd, rel=1e-6)
    reach = stats.t.ppf(0.975, min(table.assessment.degrees))
    assert band.high_new - band.mean == pytest.approx(
        reach * np.hypot(3 * estimate.sd, 0.1), rel=1e-6
    )
    assert prediction_band(table, rebound).low_new is None


def test_what_hangs_on_something_undetermined_has_no_band():
    steep = impacts.table(angles=np.linspace(5.0, 25.0, 16), seed=3)
    found = fit(Problem(impacts.scene(0.5), [steep], free=[FRICTION, RESTITUTION]))
    band = prediction_band(found, lambda scene: scene.contact.friction.coefficient)
    assert band.high == np.inf
    assert band.low == -np.inf


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (lambda fit: prediction_band(fit, [0.0, 0.1]), "no times"),
        (lambda fit: prediction_band(fit, trial="made uq"), "made up"),
        (lambda fit: prediction_band(fit, trial=3), "Give 0 to 0"),
        (lambda fit: prediction_band(fit, observation=2), "observation = 2"),
        (lambda fit: prediction_band(fit, level=0.0), "between 0 and 1"),
        (
            lambda fit: prediction_band(
                fit, draws=Bootstrap("trial", 2, 2, Draws(np.zeros((0, 2)), ()), {}, fit)
            ),
            "no draws",
        ),
    ],
)
def test_bad_input_is_refused_with_the_remedy(table, asked, says):
    with pytest.raises(InputError, match=says):
        asked(table)


@pytest.mark.slow
def test_times_must_increase(drop):
    with pytest.raises(InputError, match="increasing"):
        prediction_band(drop, [0.2, 0.1])
    assert dataclasses.is_dataclass(prediction_band(drop, [0.1]))
