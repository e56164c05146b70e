"""Joint fits of many recordings: their cost grows in proportion to their number, in time and in
memory.
"""

import time
from functools import partial

import jax
import lineax
import numpy as np
import pytest

import jaxcontact as jc
from calibration.detection.bounces import read_bounces
from calibration.fitting import thinning
from calibration.fitting.fit import fit
from calibration.fitting.start import starting_point
from calibration.fitting.thinning import KEPT
from calibration.io.recording import Recording
from calibration.measurements.bounce_times import BounceTimes
from calibration.measurements.positions import TrackedPositions
from calibration.model.free import Free
from calibration.model.prior import Normal
from calibration.nuisances import FirstImpact, InitialState, SurfaceHeight
from calibration.optimise.least_squares import minimise_traced
from calibration.optimise.schur import SMALLEST_DAMPING, SchurComplementSolver
from calibration.problem.problem import Problem
from calibration.problem.residuals import jacobians
from calibration.problem.trial import Trial

TIMES = np.arange(500) / 250.0
NOISE = 1e-3
METHOD = jc.Impulse(max_contacts=12, rest_steps=1, skip_unused=False)
UNKNOWNS = ("contact.normal.restitution", "contact.friction.coefficient")
TRUTH = (0.8, 0.2)


def scene(restitution: float, friction: float) -> jc.Scene:
    """A ball on a plane, rigid impacts."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=restitution),
        friction=jc.Coulomb(coefficient=friction),
    )
    return jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)


def throws(count: int, *, free=UNKNOWNS) -> Problem:
    """So many recordings of 500 frames of throws that differ in noise and in the height of the
    plane, each with its own state and plane.
    """
    rng = np.random.default_rng(0)
    start = jc.state(position=[0.0, 0.0, 0.52], velocity=[6.0, 0.0, 0.0])
    path = np.array(jc.simulate(scene(*TRUTH), start, TIMES, method=METHOD).position)
    path[:, 1] = np.nan
    reading, trials = None, []
    for index in range(count):
        position = (
            path + NOISE * rng.standard_normal(path.shape) + [0.0, 0.0, rng.uniform(-0.01, 0.01)]
        )
        sigma = np.where(np.isnan(position), np.nan, NOISE)
        recording = Recording(name=f"throw {index}", time=TIMES, position=position, sigma=sigma)
        reading = reading or read_bounces(recording, radius=0.02)  # one is near enough for all
        trials.append(Trial(TrackedPositions(recording, reading)))
    return Problem(
        scene(0.7, 0.1),
        trials,
        free=free,
        nuisance=[InitialState(), SurfaceHeight()],
        method=METHOD,
    )


def temporary_bytes(problem: Problem) -> int:
    """Memory of the compiled minimisation, beside its arguments."""
    with jax.enable_x64(True):
        start = starting_point(problem, {})
        minimise = partial(
            minimise_traced,
            problem.layout,
            method="levenberg_marquardt",
            steps=100,
            report=None,
            keep_blocks=True,
        )
        program = jax.jit(minimise).lower(problem.scene, problem.data, start, None).compile()
    return int(program.memory_analysis().temp_size_in_bytes)


@pytest.mark.long
def test_memory_and_time_grow_in_proportion_to_the_number_of_recordings():
    few, many = throws(10), throws(40)
    assert temporary_bytes(many) < 4.4 * temporary_bytes(few)
    seconds = []
    for problem in (few, many):
        found = fit(problem)
        assert found.converged
        for name, truth in zip(UNKNOWNS, TRUTH, strict=True):
            assert abs(found.parameters[name].value - truth) < 4 * found.parameters[name].sd
        began = time.process_time()
        again = fit(problem)
        seconds.append((time.process_time() - began) / max(again.iterations, 1))
    assert seconds[1] < 8 * seconds[0]


@pytest.mark.long
@pytest.mark.parametrize("friction", [UNKNOWNS[1], Free(UNKNOWNS[1], prior=Normal(0.2, 0.1))])
def test_the_sizes_of_residuals_and_derivatives_are_counted_before_they_are_traced(friction):
    problem = throws(2, free=(UNKNOWNS[0], friction))
    with jax.enable_x64(True):
        start = starting_point(problem, {})
        traced = jax.eval_shape(
            partial(jacobians, problem.layout),
            problem.scene,
            start.shared,
            start.local,
            problem.data,
        )
        assert jax.tree.leaves(problem.layout.blocks_like(problem.data)) == jax.tree.leaves(traced)


def test_a_step_is_that_of_the_dense_normal_equations():
    rng = np.random.default_rng(2)
    shapes = ((5, 9, 3), (2, 4, 0), (4, 6, 2))
    shared, size = 2, 2 + 5 * 3 + 4 * 2
    jacobian, row, column = np.zeros((5 * 9 + 2 * 4 + 4 * 6, size)), 0, 2
    for trials, count, own in shapes:
        for _ in range(trials):
            jacobian[row : row + count, :shared] = rng.standard_normal((count, shared))
            jacobian[row : row + count, column : column + own] = rng.standard_normal((count, own))
            row, column = row + count, column + own
    right, damping = rng.standard_normal(jacobian.shape[0]), 0.3

    def damped(step: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jacobian @ step, np.sqrt(damping) * step

    squares = np.maximum(np.sum(jacobian**2, axis=0), 1.0)
    for function, vector, ridge in (
        (damped, (right, np.zeros(size)), damping * squares),
        (lambda step: jacobian @ step, right, 0.0 * squares),
    ):
        operator = lineax.FunctionLinearOperator(
            function, jax.ShapeDtypeStruct((size,), np.float64)
        )
        found = lineax.linear_solve(
            operator, vector, SchurComplementSolver(shared, shapes), throw=False
        ).value
        normal = jacobian.T @ jacobian + np.diag(ridge + SMALLEST_DAMPING)
        np.testing.assert_allclose(found, np.linalg.solve(normal, jacobian.T @ right), rtol=1e-9)


def sampled_drop(count: int, *, sigma: float) -> Trial:
    """One drop, sampled so many times in 1.6 s."""
    times = np.linspace(0.0, 1.6, count)
    start = jc.state(position=[0.0, 0.0, 0.52], velocity=[0.0, 0.0, 0.0])
    path = np.array(jc.simulate(scene(*TRUTH), start, times, method=METHOD).position)
    position = np.full(path.shape, np.nan)
    position[:, 2] = path[:, 2] + sigma * np.random.default_rng(1).standard_normal(times.size)
    deviations = np.where(np.isnan(position), np.nan, sigma)
    recording = Recording(name="drop", time=times, position=position, sigma=deviations)
    return Trial(TrackedPositions(recording, read_bounces(recording, radius=0.02)))


def densely_sampled(*counts: int, sigma: float = 2e-4) -> Problem:
    """Drops, sampled so many times each: 20,000 times where nothing is said."""
    return Problem(
        scene(0.7, 0.1),
        [sampled_drop(count, sigma=sigma) for count in counts or (20_000,)],
        free=["contact.normal.restitution"],
        nuisance=[InitialState(), SurfaceHeight()],
        method=METHOD,
    )


def test_thinning_keeps_what_all_samples_weigh():
    problem = densely_sampled()
    (whole,), (thinned,) = problem.data[0].samples, thinning.thin(problem)[0].samples
    assert KEPT <= np.shape(thinned.times)[1] < 1.3 * KEPT
    assert np.sum(thinned.weight**2) == pytest.approx(np.sum(whole.weight**2), rel=1e-3)
    used = thinned.weight[0, :, 0] > 0
    rows = np.searchsorted(whole.times[0], thinned.times[0, used])
    assert np.array_equal(whole.measured[0, rows], thinned.measured[0, used])
    assert set(np.diff(rows)) == {5}


def test_a_short_recording_beside_a_long_one_keeps_its_samples():
    """It is padded to the length of the long one, of which every fifteenth row would leave it
    twenty.
    """
    problem = densely_sampled(30_000, 300, 1_000)
    (whole,), (thinned,) = problem.data[0].samples, thinning.thin(problem)[0].samples
    kept = np.count_nonzero(thinned.weight[..., 0], axis=1)
    assert kept[1] == 300
    assert thinning.LEAST <= kept[2] <= 1_000
    assert kept[0] < KEPT
    for r in range(3):
        assert np.sum(thinned.weight[r] ** 2) == pytest.approx(
            np.sum(whole.weight[r] ** 2), rel=5e-3
        )
        used = thinned.weight[r, :, 0] > 0
        rows = np.searchsorted(whole.times[r], thinned.times[r, used])
        assert np.array_equal(whole.measured[r, rows], thinned.measured[r, used])


def test_what_is_no_dense_sample_of_a_motion_is_not_thinned(monkeypatch):
    monkeypatch.setattr(thinning, "MANY", 10)
    drop = BounceTimes(np.linspace(0.3, 2.0, 20), sigma=1e-4)
    sounds = Problem(
        scene(0.7, 0.1), [drop], free=["contact.normal.restitution"], nuisance=[FirstImpact()]
    )
    assert thinning.thin(sounds) is None
    assert thinning.thin(throws(1)) is not None
    monkeypatch.setattr(thinning, "MANY", 16_000)
    assert thinning.thin(throws(1)) is None


def test_a_fit_by_way_of_some_samples_ends_at_the_minimum_of_all(monkeypatch):
    problem = densely_sampled()
    fast = fit(problem)
    monkeypatch.setattr(thinning, "MANY", np.inf)
    slow = fit(problem)
    assert fast.converged
    assert fast.explained
    for name, estimate in slow.parameters.items():
        found = fast.parameters[name]
        assert found.value == pytest.approx(estimate.value, abs=1e-4 * estimate.sd)
        assert found.sd == pytest.approx(estimate.sd, rel=1e-4)
    assert fast.iterations < slow.iterations
