"""What must hold of fits: truth recovered, intervals that cover, warnings where the data are
silent, nothing left to chance.
"""

import dataclasses

import jax
import numpy as np
import pytest

import jaxcontact as jc
from calibration.detection.bounces import read_bounces
from calibration.errors import InputError
from calibration.fitting.assessment import assess
from calibration.fitting.autocorrelation import autocorrelation_time
from calibration.fitting.fit import fit
from calibration.fitting.probes import rise_beyond
from calibration.fitting.refit import refit
from calibration.fitting.sandwich import between_trials
from calibration.fitting.solve import minimise_nearby, solve
from calibration.fitting.start import starting_point
from calibration.io.recording import Recording
from calibration.nuisances import (
    Gravity,
    InitialState,
    LengthScale,
    RestitutionScatter,
    SurfaceHeight,
)
from calibration.optimise.least_squares import minimise
from calibration.optimise.normal_equations import NormalEquations, invert_information
from calibration.problem.problem import Problem
from calibration.problem.residuals import Block, jacobians, residuals
from calibration.results.estimate import Determination
from tests.compilations import compilations

RESTITUTION = "contact.normal.restitution"
NOISE = 1e-3
TIMES = np.arange(0.0, 1.2, 1 / 120)


def drop_scene(restitution: float = 0.8) -> jc.Scene:
    """A steel-like ball dropped on a plane, without air."""
    return jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=restitution)),
    )


def closed_form_drop(
    times: np.ndarray, height: float, restitution: float, *, gravity: float = 9.81
) -> np.ndarray:
    """Height of the lowest point of a ball dropped from rest: textbook."""
    fall = np.sqrt(2 * height / gravity)
    speed, start, result = gravity * fall, fall, height - gravity * times**2 / 2
    while start < times[-1]:
        speed = restitution * speed
        after = times >= start
        local = times - start
        result = np.where(after, speed * local - gravity * local**2 / 2, result)
        start += 2 * speed / gravity
    return result


def recording(
    seed: int,
    *,
    restitution: float = 0.8,
    height: float = 0.5,
    scale: float = 1.0,
    noise: float = NOISE,
) -> Recording:
    """A made-up recording of the height of the centre; ``scale`` true over recorded length."""
    rng = np.random.default_rng(seed)
    z = (closed_form_drop(TIMES, height, restitution) + 0.02) / scale + noise * rng.standard_normal(
        TIMES.size
    )
    position = np.stack([np.full_like(z, np.nan), np.full_like(z, np.nan), z], axis=-1)
    return Recording(
        name=f"drop{seed}",
        time=TIMES,
        position=position,
        sigma=np.where(np.isnan(position), np.nan, noise),
    )


def problem(
    recordings: list[Recording],
    *,
    scene: jc.Scene | None = None,
    nuisance: list | None = None,
    free: tuple = (RESTITUTION,),
) -> Problem:
    """Restitution with initial states and table heights beside."""
    return Problem(
        scene or drop_scene(),
        recordings,
        free=free,
        nuisance=[InitialState(), SurfaceHeight()] if nuisance is None else nuisance,
        method=jc.Impulse(max_contacts=8, rest_steps=1, skip_unused=False),
    )


@pytest.mark.slow
def test_truth_is_inside_the_interval_and_the_model_explains_the_data():
    found = fit(problem([recording(0), recording(1, height=0.4)]))
    estimate = found.parameters[RESTITUTION]
    assert found.converged
    assert found.explained
    assert estimate.status is Determination.DETERMINED
    assert abs(estimate.value - 0.8) < 3 * estimate.sd
    assert estimate.sd < 2e-3


@pytest.mark.slow
def test_searches_next_to_a_minimum_are_made_by_the_program_of_the_fit():
    asked = problem([recording(0)])
    assessment = fit(asked).assessment

    def search():
        refit(assessment, assessment.start)
        rise_beyond(assessment, RESTITUTION, 0.1)

    with jax.enable_x64(True):
        assert compilations(search) == 0


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_claim():
    pulls = []
    for seed in range(60):
        estimate = fit(problem([recording(seed)])).parameters[RESTITUTION]
        pulls.append((estimate.value - 0.8) / estimate.sd)
    assert 0.7 < np.std(pulls) < 1.3  # 60 samples: a standard deviation is known to 9 %
    assert abs(np.mean(pulls)) < 0.5


@pytest.mark.slow
def test_doubling_sigma_doubles_the_interval_and_keeps_the_estimate():
    one = recording(3)
    two = dataclasses.replace(one, sigma=2 * one.sigma)
    estimates = [fit(problem([item])).parameters[RESTITUTION] for item in (one, two)]
    assert estimates[1].value == pytest.approx(estimates[0].value, abs=1e-6)
    # Less misfit than noise does not narrow an interval, so the formal standard errors are
    # compared.
    assert estimates[1].sd / estimates[0].sd == pytest.approx(2.0, rel=0.1)


@pytest.mark.long("adamw", "lion", "lbfgs", "dogleg", "sgd")
@pytest.mark.parametrize("method", ["adam", "adamw", "lion", "sgd", "lbfgs", "dogleg"])
@pytest.mark.slow
def test_first_order_methods_find_the_same_minimum(method):
    reference = fit(problem([recording(0)]))
    found = fit(problem([recording(0)]), method=method)
    assert found.converged
    assert found.chi2 == pytest.approx(reference.chi2, rel=1e-5)
    assert found.parameters[RESTITUTION].value == pytest.approx(
        reference.parameters[RESTITUTION].value, abs=0.02 * reference.parameters[RESTITUTION].sd
    )


@pytest.mark.slow
def test_too_few_steps_of_a_first_order_method_are_said():
    found = fit(problem([recording(0)]), method="sgd", steps=3)
    assert not found.converged


def test_no_search_of_a_fit_makes_more_steps_than_were_asked_for():
    """Neither the first one nor those that follow beside its minimum."""
    asked = problem([recording(0, restitution=0.6)])
    with jax.enable_x64(True):
        first = solve(asked, steps=1)
        beside = minimise_nearby(asked, first.start, first)
        stages = len(first.start.stages[0])
        assert 0 < int(first.minimum.iterations) <= stages
        assert 0 < int(beside.minimum.iterations) <= stages
        assert not beside.minimum.converged
        assert minimise_nearby(asked, first.start, solve(asked)).minimum.converged


def test_same_minimum_and_covariance_as_scipy():
    from scipy.optimize import least_squares

    asked = problem([recording(5)])
    with jax.enable_x64(True):
        shared, (local,) = asked.start

        def split(x):
            return x[:1], (x[1:].reshape(local.shape),)

        def residual(x):
            return np.asarray(
                residuals(asked.layout, asked.scene, *split(x), asked.data)[0]
            ).ravel()

        def jacobian(x):
            (block,) = jacobians(asked.layout, asked.scene, *split(x), asked.data)
            return np.concatenate([block.by_shared[0], block.by_local[0]], axis=1)

        began = starting_point(asked, {})
        start = np.concatenate([shared, local.ravel()])
        peer = least_squares(
            residual, start, jac=jacobian, x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14
        )
        own = minimise(
            asked.layout, asked.scene, asked.data, began, method="levenberg_marquardt", steps=100
        )
        np.testing.assert_allclose(
            np.concatenate([own.shared, own.local[0].ravel()]), peer.x, atol=1e-6
        )
        covariance = np.linalg.inv(peer.jac.T @ peer.jac)
        judged = assess(asked.layout, asked.scene, asked.data, began, own)
        assert judged.formal.shared[0, 0] == pytest.approx(covariance[0, 0], rel=1e-5)
        np.testing.assert_allclose(
            judged.formal.local[0][0], covariance[1:, 1:], rtol=1e-4, atol=1e-16
        )


@pytest.mark.long
def test_a_wrong_length_scale_is_found_and_is_the_same_as_another_gravity():
    short = [recording(seed, scale=1.04, height=height) for seed, height in enumerate((0.5, 0.42))]
    scaled = fit(problem(short, nuisance=[InitialState(), SurfaceHeight(), LengthScale()]))
    heavy = fit(problem(short, nuisance=[InitialState(), SurfaceHeight(), Gravity()]))
    scale, gravity = scaled.parameters["length_scale"], heavy.parameters["gravity"]
    assert abs(scale.value - 1.04) < 3 * scale.sd
    assert gravity.value == pytest.approx(9.81 / scale.value, rel=1e-3)


def test_length_scale_and_gravity_together_are_refused():
    with pytest.raises(InputError, match="same effect"):
        problem([recording(0)], nuisance=[InitialState(), LengthScale(), Gravity()])


@pytest.mark.slow
def test_what_the_data_do_not_see_has_no_finite_interval():
    scene = drop_scene().replace(
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=0.8), friction=jc.Coulomb(coefficient=0.3)
        )
    )
    found = fit(
        problem([recording(0)], scene=scene, free=(RESTITUTION, "contact.friction.coefficient"))
    )
    friction = found.parameters["contact.friction.coefficient"]
    assert friction.status is Determination.NOT_DETERMINED
    assert not np.isfinite(friction.sd)
    assert any("not determined" in sentence for sentence in found.warnings)
    assert found.parameters[RESTITUTION].status is Determination.DETERMINED


@pytest.mark.slow
def test_impacts_that_do_not_repeat_are_allowed_to_deviate():
    scattered = [recording(seed, restitution=e) for seed, e in enumerate((0.77, 0.8, 0.83))]
    stiff = fit(problem(scattered))
    loose = fit(
        problem(
            scattered, nuisance=[InitialState(), SurfaceHeight(), RestitutionScatter(impacts=8)]
        )
    )
    assert not stiff.explained
    assert loose.explained
    assert abs(loose.parameters[RESTITUTION].value - 0.8) < 0.02
    shown = zip(loose.predictions.recordings, loose.problem.detections, strict=True)
    for trial, detected in shown:
        seen = len(detected.bounces)
        told = [name for name in trial.nuisance if name.startswith("restitution_deviation_")]
        assert told == [f"restitution_deviation_{i + 1}" for i in range(seen)]


def test_misfit_of_a_missing_force_is_said():
    found = fit(problem([recording(0)], scene=drop_scene().replace(gravity=(0.0, 0.0, -9.0))))
    assert not found.explained
    assert "does not explain the data" in found.warnings[0]


def test_unknown_path_method_and_start_are_errors_with_the_nearest_name():
    with pytest.raises(InputError, match="restitution"):
        problem([recording(0)], free=("contact.normal.restitutoin",))
    asked = problem([recording(0)])
    with pytest.raises(InputError, match="levenberg_marquardt"):
        fit(asked, method="levenberg")
    with pytest.raises(InputError, match="restitution"):
        fit(asked, start={"contact.normal.restitutio": 0.5})


@pytest.mark.long
def test_progress_is_reported_while_it_works():
    seen = []
    fit(problem([recording(0)]), progress=lambda step, chi2: seen.append((int(step), float(chi2))))
    jax.effects_barrier()
    assert seen
    assert seen[-1][1] < seen[0][1]


def test_configuration_of_jax_is_left_alone():
    before = jax.config.jax_enable_x64
    fit(problem([recording(0)]))
    assert jax.config.jax_enable_x64 == before


def test_information_of_the_arrow_equals_that_of_the_whole_matrix():
    rng = np.random.default_rng(1)
    by_shared, by_local = rng.standard_normal((3, 20, 2)), rng.standard_normal((3, 20, 4))
    whole = np.zeros((60, 14))
    for r in range(3):
        whole[20 * r : 20 * r + 20, :2] = by_shared[r]
        whole[20 * r : 20 * r + 20, 2 + 4 * r : 6 + 4 * r] = by_local[r]
    covariance = np.linalg.inv(whole.T @ whole)
    blocks = (Block(np.zeros((3, 20)), by_shared, by_local),)
    found = invert_information(NormalEquations.of(blocks))
    np.testing.assert_allclose(found.shared, covariance[:2, :2], rtol=1e-9)
    for r in range(3):
        block = slice(2 + 4 * r, 6 + 4 * r)
        np.testing.assert_allclose(found.local[0][r], covariance[block, block], rtol=1e-9)
    assert not found.open_shared.any()
    assert not found.open_local[0].any()


@pytest.mark.parametrize("precision", [1e2, 1e4, 1e6])
def test_what_priors_know_is_resolved_however_good_the_measurements_of_other_things_are(precision):
    """Three impacts measure ``a + d_i`` each, 20 times; what is known of ``d_i`` is 0 +- 0.1."""
    measured = np.kron(np.eye(3), np.ones((20, 1))) * precision
    by_local = np.concatenate([measured, 10 * np.eye(3)])[None]
    by_shared = np.concatenate([np.full((60, 1), precision), np.zeros((3, 1))])[None]
    known = np.arange(63) >= 60
    blocks = (Block(np.zeros((1, 63)), by_shared, by_local),)
    found = invert_information(NormalEquations.of(blocks, [known]))
    assert not found.open_shared.any()
    assert not found.open_local[0].any()
    variance = (0.1**2 + 1 / (20 * precision**2)) / 3
    assert found.shared[0, 0] == pytest.approx(variance, rel=1e-3)


def test_a_direction_that_nothing_resolves_stays_open_beside_what_priors_know():
    """Only ``a + b`` is measured; what is known of ``c`` says nothing of either."""
    rng = np.random.default_rng(3)
    slope = 1e6 * rng.standard_normal(40)
    off = 1e-9 * rng.standard_normal(40)
    by_shared = np.zeros((1, 41, 3))
    by_shared[0, :40, 0], by_shared[0, :40, 1] = slope, slope * (1 + off)
    by_shared[0, 40, 2] = 10.0
    known = np.arange(41) == 40
    blocks = (Block(np.zeros((1, 41)), by_shared, np.zeros((1, 41, 0))),)
    found = invert_information(NormalEquations.of(blocks, [known]))
    np.testing.assert_array_equal(found.open_shared, [True, True, False])


def test_correlation_time_of_an_autoregressive_series():
    rng = np.random.default_rng(0)
    noise, rho = rng.standard_normal((30, 4000, 1)), 0.8
    series = np.zeros_like(noise)
    for i in range(1, 4000):
        series[:, i] = rho * series[:, i - 1] + noise[:, i]
    used = np.ones(series.shape, dtype=bool)
    assert autocorrelation_time(series, used) == pytest.approx((1 + rho) / (1 - rho), rel=0.15)
    assert autocorrelation_time(noise, used) < 1.1
    # Of missing samples nothing is a pair.
    seen = rng.random(series.shape) < 0.5
    assert autocorrelation_time(series, seen) == pytest.approx((1 + rho) / (1 - rho), rel=0.15)


def test_scatter_between_trials_measures_what_they_do_not_share():
    rng = np.random.default_rng(2)
    count, samples = 400, 30
    means = 0.5 * rng.standard_normal(
        count
    )  # each recording has its own mean, far beyond its noise of 1/sqrt(30)
    residual = means[:, None] + rng.standard_normal((count, samples))
    residual -= residual.mean()
    by_shared, by_local = np.ones((count, samples, 1)), np.zeros((count, samples, 0))
    blocks = (Block(residual, by_shared, by_local),)
    formal = invert_information(NormalEquations.of(blocks))
    scatter = between_trials(blocks, formal)
    assert scatter[0, 0] == pytest.approx((0.25 + 1 / samples) / count, rel=0.2)


def test_a_recording_without_a_bounce_is_refused():
    z = 2 - 9.81 / 2 * (TIMES[:40]) ** 2 + 1e-4 * np.random.default_rng(0).standard_normal(40)
    position = np.stack([np.full(40, np.nan), np.full(40, np.nan), z], axis=-1)
    flying = Recording(name="flying", time=TIMES[:40], position=position)
    assert not read_bounces(flying, radius=0.02).bounces
    with pytest.raises(InputError, match="no bounce"):
        problem([flying])
