"""What must hold of the bootstrap: the spread of independent refits, known intervals where a
formula exists, correlation kept if asked.
"""

import dataclasses
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy import stats
from scipy.optimize import least_squares

from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.fitting.linearised import linearise
from calibration.fitting.sandwich import between_trials
from calibration.model.samples import Samples
from calibration.noise.models import Automatic, Errors, Estimated, Huber, StudentT
from calibration.optimise.normal_equations import invert_information
from calibration.problem.problem import Problem
from calibration.problem.residuals import Block
from calibration.problem.trial_batch import TrialData
from calibration.results.intervals import bootstrap_t_ends, corrected_levels
from calibration.uncertainty.bootstrap import (
    BootstrapInterval,
    Scatter,
    affordable_lanes,
    bootstrap,
    default_block,
    divide_weights,
    find_accelerations,
    find_interval,
    has_run_away,
)
from calibration.uncertainty.bootstrap_t import find_standard_errors, sizes
from calibration.uncertainty.resampling import (
    add_errors,
    correlate,
    draw_blocks,
    draw_residuals,
    find_leverages,
    find_location,
    prepare_redraws,
)
from tests.calibration.synthetic_impacts import (
    ANGLES,
    DATA,
    FRICTION,
    RESTITUTION,
    SIGMA,
    closed_form,
    scene,
    table,
    whitened,
)


@pytest.fixture(scope="module")
def found():
    return fit(Problem(scene(), [DATA], free=[FRICTION, RESTITUTION]))


@pytest.fixture(scope="module")
def many():
    """Twelve small tables, each a trial."""
    tables = [
        dataclasses.replace(table(angles=ANGLES[::3], seed=seed), name=f"table {seed}")
        for seed in range(12)
    ]
    return fit(Problem(scene(), tables, free=[FRICTION, RESTITUTION]))


@pytest.mark.long
def test_replicates_spread_as_refits_by_scipy_do(found):
    made = bootstrap(found, count=200, seed=1, kind="parametric")
    rng = np.random.default_rng(5)
    friction, restitution = found.parameters[FRICTION].value, found.parameters[RESTITUTION].value
    angle, speed = closed_form(friction, restitution, ANGLES)
    refits = []
    for _ in range(200):
        drawn = dataclasses.replace(
            DATA,
            rebound_angle=angle + SIGMA["rebound_angle"] * rng.standard_normal(ANGLES.size),
            rebound_speed=speed + SIGMA["rebound_speed"] * rng.standard_normal(ANGLES.size),
        )
        refits.append(
            least_squares(lambda p, drawn=drawn: whitened(*p, drawn), [friction, restitution]).x
        )
    # Each standard deviation is known to 5 %, so their ratio to 7 %.
    for i, name in enumerate((FRICTION, RESTITUTION)):
        assert made[name].sd == pytest.approx(np.std(refits, axis=0)[i], rel=0.2)
    assert made.failed == 0


@pytest.mark.long
def test_residuals_enlarged_for_leverage_give_the_standard_error_of_the_fit(found):
    made = bootstrap(found, count=300, seed=2)
    low, high = made[RESTITUTION].percentile
    rms = np.sqrt(found.chi2 / found.dof)
    assert made[RESTITUTION].sd == pytest.approx(found.parameters[RESTITUTION].sd * rms, rel=0.15)
    assert low < made[RESTITUTION].value < high
    for other in (made[RESTITUTION].corrected, made[RESTITUTION].studentised):
        for one, two in zip(made[RESTITUTION].percentile, other, strict=True):
            assert one == pytest.approx(two, abs=made[RESTITUTION].sd)
    assert "0.95" not in made[RESTITUTION].text
    assert "95 %" in made[RESTITUTION].text


def test_studentised_intervals_of_normal_errors_are_those_of_student():
    rng, count = np.random.default_rng(0), 20_000
    numbers = 3.0 + 0.2 * rng.standard_normal(5)
    drawn = numbers.mean() + numbers.std(ddof=1) * rng.standard_normal((count, 5))
    error = stats.sem(numbers)
    found = bootstrap_t_ends(
        drawn.mean(axis=1), stats.sem(drawn, axis=1), numbers.mean(), error, 0.95
    )
    np.testing.assert_allclose(
        found, stats.t.interval(0.95, 4, numbers.mean(), error), atol=0.1 * error
    )


@pytest.mark.long
def test_replicates_have_the_standard_errors_of_fits(found, many):
    for fitted, kind in ((found, "residual"), (many, "trial")):
        assessment = fitted.assessment
        own = jax.tree.map(
            lambda leaf: np.stack([leaf, leaf]), (assessment.blocks, assessment.data)
        )
        one, two = find_standard_errors(assessment, *own, kind=kind)
        np.testing.assert_array_equal(one, two)
        if kind == "trial":
            blocks = assessment.linearised.working
            np.testing.assert_allclose(
                one, np.sqrt(np.diag(between_trials(blocks, assessment.formal)))
            )
    # Of one quantity, what generalised least squares says: the formal covariance times the misfit.
    single = dataclasses.replace(
        DATA, rebound_speed=(), sigma={"rebound_angle": DATA.sigma["rebound_angle"]}
    )
    assessment = fit(Problem(scene(), [single], free=[FRICTION, RESTITUTION])).assessment
    alone = jax.tree.map(lambda leaf: np.asarray(leaf)[None], (assessment.blocks, assessment.data))
    np.testing.assert_allclose(
        find_standard_errors(assessment, *alone, kind="residual")[0],
        np.sqrt(np.diag(assessment.formal.shared) * assessment.chi2 / assessment.dof),
    )
    np.testing.assert_allclose(
        find_standard_errors(assessment, *alone, kind="parametric")[0],
        np.sqrt(np.diag(assessment.formal.shared)),
    )


def test_leverages_are_the_diagonal_of_the_hat_matrix(found):
    (block,) = found.assessment.blocks
    jacobian = block.by_shared[0]
    hat = jacobian @ np.linalg.pinv(jacobian)
    np.testing.assert_allclose(find_leverages(found.assessment)[0][0], np.diag(hat), rtol=1e-8)


@pytest.mark.long
def test_whole_trials_are_drawn_with_all_that_is_theirs(many):
    made = bootstrap(many, count=100, seed=0, kind="trial")
    assert made.draws.shared.shape == (100, 2)
    assert 0.3 < made[RESTITUTION].sd / many.parameters[RESTITUTION].sd < 2.0


@pytest.mark.slow
def test_same_seed_same_numbers_and_chunks_do_not_matter(found):
    one, two = (
        bootstrap(found, count=10, seed=3, lanes=4),
        bootstrap(found, count=10, seed=3, lanes=10),
    )
    np.testing.assert_allclose(one.draws.shared, two.draws.shared, atol=1e-7)
    assert not np.allclose(
        bootstrap(found, count=10, seed=4, lanes=4).draws.shared, one.draws.shared
    )


def test_corrected_levels_are_those_of_scipy():
    rng = np.random.default_rng(0)
    data = rng.exponential(size=40)
    peer = stats.bootstrap(
        (data,), np.mean, method="BCa", n_resamples=4000, rng=np.random.default_rng(1)
    )
    jackknife = (data.sum() - data) / (data.size - 1)
    push = jackknife.mean() - jackknife
    acceleration = np.sum(push**3) / (6 * np.sum(push**2) ** 1.5)
    levels = corrected_levels(peer.bootstrap_distribution, data.mean(), acceleration, 0.95)
    ends = np.quantile(peer.bootstrap_distribution, levels)
    np.testing.assert_allclose(ends, peer.confidence_interval, rtol=2e-3)


def test_draws_that_are_the_value_of_the_fit_lie_half_below_it():
    draws = np.array([1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0])
    bias = stats.norm.ppf(3 / 8)
    expected = stats.norm.cdf(2 * bias + stats.norm.ppf([0.05, 0.95]))
    assert corrected_levels(draws, 2.0, 0.0, 0.9) == pytest.approx(tuple(expected))


def test_corrected_levels_stay_finite_where_all_draws_lie_on_one_side():
    """There the part of B draws that lies below is half of one."""
    draws = np.arange(100.0)
    bias = stats.norm.ppf(0.995)
    expected = stats.norm.cdf(2 * bias + stats.norm.ppf([0.05, 0.95]))
    assert corrected_levels(draws, 200.0, 0.0, 0.9) == pytest.approx(tuple(expected))
    assert corrected_levels(draws, -1.0, 0.0, 0.9) == pytest.approx(tuple(1 - expected[::-1]))


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ((0.1, 0.4), "Friction: 0.100 to 0.400 (90 %, bootstrap)."),
        ((-np.inf, 0.4), "Friction: not bounded below (90 %, bootstrap)."),
        ((0.1, np.inf), "Friction: not bounded above (90 %, bootstrap)."),
        ((-np.inf, np.inf), "Friction: not bounded on either side (90 %, bootstrap)."),
    ],
)
def test_an_interval_says_where_it_has_no_end(ends, says):
    given = {"value": 0.2, "sd": 0.1, "bias": 0.0, "level": 0.9, "percentile": (0.0, 1.0)}
    made = BootstrapInterval(
        name="mu", label="friction", symbol="", unit="-", studentised=ends, corrected=ends, **given
    )
    assert made.text == says


def test_an_interval_is_made_of_the_moments_and_quantiles_of_its_draws(found):
    """Of a logarithmic coordinate: in the values of the parameter."""
    index = found.problem.layout.names.index(FRICTION)
    best = float(found.assessment.minimum.shared[index])
    draws = best + 0.1 + 0.2 * np.random.default_rng(4).standard_normal(4000)
    scatter = Scatter(draws, np.full(4000, 0.3), 0.6, 0.0)
    made = find_interval(found, found.assessment, scatter, index, 0.9)
    values, value = np.exp(draws), found.parameters[FRICTION].value
    assert made.value == pytest.approx(value)
    assert made.sd == pytest.approx(np.std(values, ddof=1))
    assert made.bias == pytest.approx(np.mean(values) - value)
    assert made.percentile == pytest.approx(tuple(np.quantile(values, [0.05, 0.95])), rel=1e-3)
    # Pivots are twice as far as the draws, and turned round.
    high, low = np.exp(best - 2 * (np.quantile(draws, [0.05, 0.95]) - best))
    assert made.studentised == pytest.approx((low, high), rel=1e-3)


@pytest.mark.parametrize(
    ("kind", "axes"), [("residual", ()), ("moving_block", (2, 3)), ("trial", (1, 2, 3))]
)
def test_the_acceleration_of_a_mean_is_the_skewness_of_what_is_drawn(kind, axes):
    """``skew/(6 sqrt(units))`` of the sums over units of equal size (Efron 1987); a run of samples
    is one with all its columns.
    """
    runs = np.random.default_rng(3).exponential(size=(4, 5, 6, 3))  # trials, runs, samples, columns
    numbers = runs.reshape(4, 30, 3)
    samples = Samples(
        np.tile(np.arange(30.0), (4, 1)), np.zeros(numbers.shape), np.ones(numbers.shape)
    )
    data = (TrialData((samples,), None, None),)
    residual = (numbers.mean() - numbers).reshape(4, -1)
    block = Block(residual, np.ones((4, 90, 1)), np.zeros((4, 90, 0)))
    errors = ((Errors(Automatic(), ("x", "y", "z"), (True,) * 3, series=True),),)
    parts = linearise((block,), data, errors)
    found = find_accelerations(
        SimpleNamespace(
            equations=parts.equations, formal=invert_information(parts.equations), linearised=parts
        ),
        SimpleNamespace(kind=kind, length=6, observations=[[SimpleNamespace(series=True)]]),
    )
    units = runs.sum(axis=axes).ravel()
    assert found[0] == pytest.approx(stats.skew(units) / (6 * np.sqrt(units.size)), rel=1e-9)


def test_standard_errors_of_a_replicate_are_those_of_least_squares_or_of_its_trials():
    """``s^2 (J'J)^-1`` of one size of errors; of whole trials the scatter between them."""
    rng = np.random.default_rng(8)
    by_shared, by_local = rng.standard_normal((6, 10, 2)), np.ones((6, 10, 1))
    own = np.kron(np.eye(6), np.ones((10, 1)))
    whole = np.column_stack([by_shared.reshape(-1, 2), own])
    errors = rng.standard_normal((2, 60))  # two replicates
    left = errors - (whole @ np.linalg.lstsq(whole, errors.T, rcond=None)[0]).T
    samples = Samples(np.zeros((6, 10)), np.zeros((6, 10, 1)), np.ones((6, 10, 1)))
    about = ((Errors(Automatic(), ("z",), (False,), series=False),),)
    data = (TrialData((samples,), None, None),)
    blocks = [Block(one.reshape(6, 10), by_shared, by_local) for one in left]
    parts = linearise((blocks[0],), data, about)
    assessment = SimpleNamespace(
        start=SimpleNamespace(free_blocks=lambda blocks: blocks),
        linearised=parts,
        blocks=(blocks[0],),
        data=data,
        variance_components=SimpleNamespace(free_size=np.array([True])),
    )
    both = (
        jax.tree.map(lambda *each: np.stack(each), *blocks),
        jax.tree.map(lambda leaf: np.stack([leaf, leaf]), data[0]),
    )
    found = find_standard_errors(assessment, (both[0],), (both[1],), kind="residual")
    bread = np.diag(np.linalg.inv(whole.T @ whole))[:2]
    np.testing.assert_allclose(
        found, np.sqrt(np.sum(left**2, axis=1)[:, None] / (60 - 8) * bread), rtol=1e-8
    )
    of_trials = find_standard_errors(assessment, (both[0],), (both[1],), kind="trial")
    formal = invert_information(parts.equations)
    for one, block in zip(of_trials, blocks, strict=True):
        np.testing.assert_allclose(one**2, np.diag(between_trials((block,), formal)), rtol=1e-8)


@pytest.mark.parametrize(("time", "length"), [(1.0, 10), (3.2, 10), (4.1, 13)])
def test_runs_last_three_correlation_times_and_at_least_the_cube_root_of_the_samples(time, length):
    samples = [SimpleNamespace(weight=np.ones((2, count, 3))) for count in (40, 1000)]
    assessment = SimpleNamespace(data=[SimpleNamespace(samples=samples)], correlation_time=time)
    assert default_block(assessment) == length


def test_lanes_go_with_the_numbers_of_residuals_and_jacobians():
    def lanes(trials: int, rows: int, shared: int, own: int) -> int:
        block = Block(
            np.zeros((trials, rows)),
            np.zeros((trials, rows, shared)),
            np.zeros((trials, rows, own)),
        )
        return affordable_lanes(SimpleNamespace(blocks=(block, block)))

    few = lanes(60, 150, 2, 1)
    assert few > 20
    assert lanes(60, 150, 2, 5) == pytest.approx(few / 2, abs=1)
    assert lanes(60, 150, 6, 1) == pytest.approx(few / 2, abs=1)
    assert lanes(120, 150, 2, 1) == pytest.approx(few / 2, abs=1)
    assert lanes(60, 300, 2, 1) == pytest.approx(few / 2, abs=1)
    assert lanes(2_000, 2_000, 3, 3) == 1


def test_runs_of_residuals_keep_their_correlation_and_single_ones_lose_it(found):
    (one,) = prepare_redraws(found.assessment)[0]
    rng, count = np.random.default_rng(0), 4000
    series = np.zeros((1, count, 1))
    for i in range(1, count):
        series[0, i, 0] = 0.8 * series[0, i - 1, 0] + rng.standard_normal()
    made = one._replace(
        white=series,
        plain=series,
        weight=np.ones_like(series),
        predicted=series,
        samples=one.samples._replace(measured=series),
    )

    def neighbours(drawn):
        return np.corrcoef(drawn[0, 1:, 0], drawn[0, :-1, 0])[0, 1]

    assert neighbours(draw_blocks(made, rng, 40)) == pytest.approx(0.8, abs=0.06)
    single = draw_residuals(made, rng)
    assert abs(neighbours(single)) < 0.06
    # With a correlation time of the fit, errors that are drawn white get it back.
    step, time = 1e-3, -1e-3 / np.log(0.8)
    samples = made.samples._replace(times=step * np.arange(count)[None])
    assert neighbours(
        correlate(made._replace(time=np.array([time]), samples=samples), [single])[0]
    ) == pytest.approx(0.8, abs=0.06)
    np.testing.assert_allclose(add_errors(made, np.zeros_like(series)), series)


@pytest.mark.long
def test_robust_fits_are_drawn_in_standard_deviations():
    robust = fit(Problem(scene(), [DATA], free=[FRICTION, RESTITUTION], noise=StudentT(4.0)))
    (one,) = prepare_redraws(robust.assessment)[0]
    angle, speed = closed_form(
        robust.parameters[FRICTION].value, robust.parameters[RESTITUTION].value, ANGLES
    )
    np.testing.assert_allclose(one.predicted[0], np.stack([angle, speed], axis=-1), rtol=1e-6)
    made = bootstrap(robust, count=60, seed=0)
    width = np.diff(made[RESTITUTION].studentised)[0]
    assert width == pytest.approx(
        np.diff(robust.parameters[RESTITUTION].interval(0.95))[0], rel=0.5
    )


@pytest.mark.long
def test_outliers_do_not_move_the_errors_that_are_drawn_from_robust_fits():
    spoiled = dataclasses.replace(
        DATA,
        rebound_speed=DATA.rebound_speed
        + np.where(np.arange(ANGLES.size) == 3, 20, 0) * SIGMA["rebound_speed"],
    )
    robust = fit(Problem(scene(), [spoiled], free=[FRICTION, RESTITUTION], noise=Huber()))
    (one,) = prepare_redraws(robust.assessment)[0]
    centre = find_location(one, one.white)
    pull, _ = one.samples.loss.influence(one.white - centre)
    np.testing.assert_allclose(pull.sum(axis=1), 0.0, atol=1e-8)
    # The mean of the residuals is far from there.
    assert abs(one.white.mean(axis=(0, 1))[1] - centre[1]) > 0.5
    made = bootstrap(robust, count=100, seed=0)[RESTITUTION]
    assert abs(made.bias) < 3 * made.sd / 10


@pytest.mark.long
def test_replicates_weigh_quantities_by_the_sizes_they_find():
    estimated = fit(Problem(scene(), [DATA], free=[FRICTION, RESTITUTION], noise=Estimated()))
    assessment = estimated.assessment
    # At the fit, sizes are settled: restricted maximum likelihood.
    own = jax.tree.map(lambda leaf: np.asarray(leaf)[None], (assessment.blocks, assessment.data))
    np.testing.assert_allclose(sizes(assessment, *own, kind="residual"), 1.0, rtol=1e-3)
    data = divide_weights(
        jax.tree.map(lambda leaf: np.asarray(leaf)[None], assessment.data[0]),
        assessment.linearised.batches[0],
        np.array([[2.0, 4.0]]),
    )
    np.testing.assert_allclose(
        data.samples[0].weight[0] * [2.0, 4.0], assessment.data[0].samples[0].weight
    )
    made = bootstrap(estimated, count=60, seed=0)
    assert made[RESTITUTION].sd == pytest.approx(estimated.parameters[RESTITUTION].sd, rel=0.35)
    assert made.failed == 0


def test_an_end_that_strayed_is_no_end(found):
    friction = found.problem.layout.global_parameters[0]
    assert has_run_away(friction, 20.0, 0.0)
    assert not has_run_away(friction, 1.0, 0.0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "residuals"}, "residual"),
        ({"count": 1}, "from 2 on"),
        ({"kind": "trial"}, "too few"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"block": 0}, "whole number of samples"),
    ],
)
def test_bad_input_is_refused_with_the_remedy(found, options, says):
    with pytest.raises(InputError, match=says):
        bootstrap(found, **options)
