"""What must hold of noise models: likelihoods are those of SciPy, sizes and correlation times those
of dense formulas.
"""

from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

import calibration as cal
import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.diagnosis import doubt_noise
from calibration.fitting.linearised import LinearisedProblem, linearise
from calibration.fitting.policy import DEFAULT_POLICY
from calibration.fitting.reml import (
    covariance_of_uncertain_weights,
    degrees_of_freedom,
    maximise_restricted_likelihood,
)
from calibration.fitting.reweighting import reweigh, robust_size
from calibration.model.samples import Samples
from calibration.noise.loss import HuberLoss, StudentTLoss
from calibration.noise.models import (
    Automatic,
    Correlated,
    Errors,
    Estimated,
    Huber,
    Known,
    StudentT,
)
from calibration.noise.whitening import make_whitening, unwhiten, whiten
from calibration.problem.residuals import Block
from calibration.problem.trial_batch import TrialData

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
ANGLES = np.linspace(40.0, 80.0, 12)  # all slide throughout
SIGMA = {"rebound_angle": 1.0, "normal_restitution": 0.01}


def table(*, factor: float = 1.0, seed: int = 0, outlier: float = 0.0) -> cal.ImpactTable:
    """Sliding impacts: ``e = 0.8``, ``mu = 0.1``, by the textbook; ``factor`` on the stated
    deviations.
    """
    rng = np.random.default_rng(seed)
    tangent = np.tan(np.radians(ANGLES)) - 0.1 * 1.8
    angle = np.degrees(np.arctan2(tangent, 0.8)) + rng.standard_normal(ANGLES.size)
    restitution = 0.8 + 0.01 * rng.standard_normal(ANGLES.size)
    restitution[3] += outlier
    return cal.ImpactTable(
        name="impacts",
        impact_angle=ANGLES,
        impact_speed=np.full_like(ANGLES, 2.0),
        rebound_angle=angle,
        normal_restitution=restitution,
        sigma={name: np.full_like(ANGLES, factor * value) for name, value in SIGMA.items()},
    )


def problem(noise=None, **made) -> cal.Problem:
    """Restitution and friction from a table."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.7), friction=jc.Coulomb(coefficient=0.15)
    )
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
    return cal.Problem(scene, [table(**made)], free=[RESTITUTION, FRICTION], noise=noise)


# ---- losses


@pytest.mark.long
@pytest.mark.parametrize("degrees", [1.0, 4.0, 50.0])
def test_students_loss_is_minus_twice_the_log_density(degrees):
    r = np.array([-30.0, -2.0, -1e-5, 0.0, 1e-9, 0.3, 1.0, 8.0])
    loss = StudentTLoss(np.full(r.shape, degrees))
    expected = -2 * (stats.t.logpdf(r, degrees) - stats.t.logpdf(0.0, degrees))
    np.testing.assert_allclose(np.asarray(loss.residual(r)) ** 2, expected, rtol=1e-12, atol=1e-15)
    draws = stats.t.rvs(degrees, size=200_000, random_state=1)
    many = StudentTLoss(np.full(draws.shape, degrees))
    assert np.mean(many.scale_statistic(draws)) == pytest.approx(1.0, abs=0.01)
    assert np.mean(np.asarray(many.residual(draws)) ** 2) == pytest.approx(
        loss.expected_value()[0], rel=0.02
    )


@pytest.mark.parametrize(
    ("make", "noise"),
    [
        (lambda r: StudentTLoss(np.full(np.shape(r), 1.0)), stats.t(1.0)),
        (lambda r: StudentTLoss(np.full(np.shape(r), 4.0)), stats.t(4.0)),
        (lambda r: HuberLoss(np.full(np.shape(r), 0.7)), stats.norm),
    ],
)
def test_means_of_losses_are_their_integrals_over_the_noise(make, noise):
    """In quantiles of the noise, where tails are short."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    angle = np.pi / 4 * (nodes + 1)  # sin^2 of it is the chance: even close to 0 and 1
    deviation = noise.isf(np.cos(angle) ** 2)
    weights = weights * np.pi / 4 * np.sin(2 * angle)
    loss = make(deviation)
    square = np.asarray(loss.residual(deviation)) ** 2
    assert weights @ square == pytest.approx(loss.expected_value()[0], rel=1e-3)
    assert weights @ loss.scale_statistic(deviation) == pytest.approx(1.0, rel=1e-3)


def test_hubers_loss_is_that_of_scipy():
    r = np.linspace(-6, 6, 41)
    loss = HuberLoss(np.full(r.shape, 1.345))
    np.testing.assert_allclose(
        np.asarray(loss.residual(r)) ** 2, 2 * special.huber(1.345, r), rtol=1e-12
    )
    draws = np.random.default_rng(0).standard_normal(200_000)
    many = HuberLoss(np.full(draws.shape, 1.345))
    assert np.mean(many.scale_statistic(draws)) == pytest.approx(1.0, abs=0.01)
    assert np.mean(np.asarray(many.residual(draws)) ** 2) == pytest.approx(
        loss.expected_value()[0], rel=0.01
    )


@pytest.mark.slow
@pytest.mark.parametrize("cls", [StudentTLoss, HuberLoss])
def test_losses_are_smooth_at_zero_and_inverted(cls):
    r = np.linspace(-9, 9, 37)
    loss = cls(np.full(r.shape, 2.5))
    np.testing.assert_allclose(loss.deviation(np.asarray(loss.residual(r))), r, atol=1e-9)
    slopes = [float(jax.grad(lambda x: cls(2.5).residual(x))(at)) for at in (-1e-12, 0.0, 1e-12)]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-9)
    assert slopes[2] == pytest.approx(slopes[1], rel=1e-9)
    psi, bend = loss.influence(r)
    slope = np.asarray([float(jax.grad(lambda x: cls(2.5).residual(x) ** 2 / 2)(at)) for at in r])
    np.testing.assert_allclose(psi, slope, atol=1e-9)
    smooth = np.abs(np.abs(r) - 2.5) > 1e-3  # but for Huber's corners
    sides = [loss.influence(r + step)[0] for step in (1e-6, -1e-6)]
    np.testing.assert_allclose(bend[smooth], ((sides[0] - sides[1]) / 2e-6)[smooth], atol=1e-8)


# ---- fits


@pytest.mark.long
def test_doubling_all_sigma_of_known_noise_doubles_the_intervals_and_keeps_the_estimates():
    one, two = (cal.fit(problem(Known(), factor=factor)).parameters for factor in (1.0, 2.0))
    for name in (RESTITUTION, FRICTION):
        assert two[name].value == pytest.approx(one[name].value, rel=1e-6)
        assert two[name].sd == pytest.approx(2 * one[name].sd, rel=1e-5)


def test_over_stated_sigma_doubles_intervals_by_default_too_and_under_stated_is_not_believed():
    one, two, third = (
        cal.fit(problem(factor=factor)).parameters[RESTITUTION] for factor in (1.0, 2.0, 1 / 3)
    )
    assert two.sd == pytest.approx(2 * one.sd, rel=1e-5)
    assert third.sd > 0.7 * one.sd  # a third would be formal


def test_estimated_noise_does_not_depend_on_the_stated_one_and_is_s_squared():
    fits = [cal.fit(problem(Estimated(), factor=factor)) for factor in (1.0, 5.0)]
    for name in (RESTITUTION, FRICTION):
        one, two = (found.parameters[name] for found in fits)
        assert two.value == pytest.approx(one.value, rel=1e-5)
        assert two.sd == pytest.approx(one.sd, rel=1e-3)
    assert fits[0].chi2_per_dof == pytest.approx(1.0, rel=1e-3)
    assert reweigh(fits[0].assessment) is None  # sizes and estimates have settled together
    # The restitution is the mean of its column to 1e-3: sd = s/sqrt(n), with n - 1 degrees of
    # freedom.
    column = np.asarray(table().normal_restitution)
    estimate = fits[0].parameters[RESTITUTION]
    assert estimate.sd == pytest.approx(np.std(column, ddof=1) / np.sqrt(column.size), rel=0.05)
    assert estimate.degrees == pytest.approx(column.size - 1, abs=1.5)
    half = (estimate.interval()[1] - estimate.interval()[0]) / 2
    assert half == pytest.approx(stats.t.ppf(0.975, estimate.degrees) * estimate.sd, rel=0.01)


@pytest.mark.long("noise1")
@pytest.mark.slow
@pytest.mark.parametrize(
    "noise", [StudentT(4.0), Huber(), StudentT(4.0, estimated=True), Huber(estimated=True)]
)
def test_an_outlier_moves_a_robust_fit_little(noise):
    clean, spoilt = (
        cal.fit(problem(noise, outlier=outlier)).parameters[RESTITUTION] for outlier in (0.0, 0.15)
    )
    plain = cal.fit(problem(Known(), outlier=0.15)).parameters[RESTITUTION]
    assert abs(spoilt.value - clean.value) < 0.35 * abs(plain.value - clean.value)
    assert abs(spoilt.value - 0.8) < 3 * spoilt.sd


def test_student_t_with_many_degrees_is_gaussian():
    one, two = cal.fit(problem(StudentT(1e7))), cal.fit(problem(Known()))
    for name in (RESTITUTION, FRICTION):
        assert one.parameters[name].value == pytest.approx(two.parameters[name].value, rel=1e-6)
    assert one.chi2 == pytest.approx(two.chi2, rel=1e-5)


def test_a_model_for_each_class_of_measurement():
    asked = problem({cal.ImpactTable: Huber(2.0)})
    assert asked.errors[0][0].model == Huber(2.0)
    assert problem().errors[0][0].model == Automatic()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: StudentT(0.5), "degrees"),
        (lambda: Huber(-1.0), "threshold"),
        (lambda: Correlated(0.0), "time"),
        (lambda: problem("gaussian"), "no noise model"),
        (lambda: problem({cal.Recording: Known()}), "no measurement of class 'Recording'"),
        (lambda: problem({cal.ImpactTable: 3}), "no noise model"),
    ],
)
def test_what_is_no_noise_model_is_an_error(make, text):
    with pytest.raises(InputError, match=text):
        make()


# ---- sizes and correlation times, against dense formulas


def linear(
    seed: int, *, tau: float = 0.0, sizes: tuple[float, float] = (1.0, 3.0), count: int = 40
):
    """A linear problem of two trials of two quantities, with own and shared columns; residuals are
    those of its least squares.
    """
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.5, 1.5, (2, count)), axis=1)
    by_shared, by_local = (
        rng.standard_normal((2, 2 * count, 2)),
        rng.standard_normal((2, 2 * count, 3)),
    )
    errors = np.empty((2, count, 2))
    for r in range(2):
        correlation = (
            np.exp(-np.abs(times[r][:, None] - times[r][None, :]) / tau) if tau else np.eye(count)
        )
        errors[r] = np.linalg.cholesky(correlation) @ rng.standard_normal((count, 2)) * sizes
    whole = dense(by_shared, by_local)
    flat = errors.reshape(2, -1).ravel()
    left = flat - whole @ np.linalg.lstsq(whole, flat, rcond=None)[0]
    samples = Samples(times, np.zeros((2, count, 2)), np.ones((2, count, 2)))
    blocks = (Block(left.reshape(2, -1), by_shared, by_local),)
    return blocks, (TrialData((samples,), None, None),), whole, left, times


def dense(by_shared: np.ndarray, by_local: np.ndarray) -> np.ndarray:
    """The whole Jacobian: shared columns first."""
    trials, rows, own = by_local.shape
    whole = np.zeros((trials * rows, by_shared.shape[-1] + trials * own))
    for r in range(trials):
        whole[rows * r : rows * r + rows, : by_shared.shape[-1]] = by_shared[r]
        whole[
            rows * r : rows * r + rows,
            by_shared.shape[-1] + own * r : by_shared.shape[-1] + own * (r + 1),
        ] = by_local[r]
    return whole


def restricted_likelihood(covariance: np.ndarray, whole: np.ndarray, left: np.ndarray) -> float:
    """``-2 l`` by the textbook (Harville 1977)."""
    inverse = np.linalg.inv(covariance)
    information = whole.T @ inverse @ whole
    projection = inverse - inverse @ whole @ np.linalg.inv(information) @ whole.T @ inverse
    return float(
        np.linalg.slogdet(covariance)[1]
        + np.linalg.slogdet(information)[1]
        + left @ projection @ left
    )


def covariance_of(times: np.ndarray, size: np.ndarray, tau: float) -> np.ndarray:
    """Of all residuals: trials, then samples, then quantities."""
    count = times.shape[1]
    whole = np.zeros((4 * count, 4 * count))
    for r in range(2):
        gaps = np.abs(times[r][:, None] - times[r][None, :])
        correlation = np.exp(-gaps / tau) if tau > 0 else np.eye(count)
        part = slice(2 * count * r, 2 * count * (r + 1))
        whole[part, part] = np.kron(correlation, np.diag(size**2))
    return whole


def parts_of(blocks, data, model) -> LinearisedProblem:
    errors = ((Errors(model, ("a", "b"), (True, True), series=True),),)
    return linearise(blocks, data, errors)


def test_likelihood_of_the_arrow_is_that_of_the_dense_formula():
    blocks, data, whole, left, times = linear(1, tau=2.0)
    parts = parts_of(blocks, data, Correlated())
    settings = [
        (np.array([1.0, 2.0]), 0.0),
        (np.array([1.5, 2.5]), 1.7),
        (np.array([0.7, 3.0]), 4.0),
    ]
    mine = [parts.likelihood(size, np.full(2, tau)) for size, tau in settings]
    textbook = [
        restricted_likelihood(covariance_of(times, size, tau), whole, left)
        for size, tau in settings
    ]
    np.testing.assert_allclose(np.diff(mine), np.diff(textbook), rtol=1e-6)


def test_sizes_of_two_quantities_are_those_of_restricted_maximum_likelihood():
    blocks, data, whole, left, times = linear(2)
    parts = parts_of(blocks, data, Estimated())
    yes, no = np.ones(2, dtype=bool), np.zeros(2, dtype=bool)
    found = maximise_restricted_likelihood(parts, np.ones(2), np.zeros(2), yes, no)
    peer = optimize.minimize(
        lambda x: restricted_likelihood(covariance_of(times, np.exp(x), 0.0), whole, left),
        np.zeros(2),
        tol=1e-10,
    )
    np.testing.assert_allclose(found.size, np.exp(peer.x), rtol=1e-4)
    covariance = parts.covariance(found.size, found.time, followed=yes)
    expected = np.linalg.inv(
        whole.T @ np.linalg.inv(covariance_of(times, found.size, 0.0)) @ whole
    )[:2, :2]
    np.testing.assert_allclose(covariance, expected, rtol=1e-6)
    # Curvature of -ln of the likelihood by the logarithms of both sizes.
    step = 1e-3 * np.eye(2)
    slopes = [
        optimize.approx_fprime(
            np.log(found.size) + side * row,
            lambda x: restricted_likelihood(covariance_of(times, np.exp(x), 0.0), whole, left) / 2,
            1e-4,
        )
        for row in step
        for side in (1, -1)
    ]
    curvature = np.stack([slopes[0] - slopes[1], slopes[2] - slopes[3]]) / 2e-3
    np.testing.assert_allclose(found.information, curvature, rtol=2e-3)


def test_one_size_has_the_degrees_of_freedom_that_are_left():
    blocks, data, whole, left, _ = linear(3, sizes=(1.0, 1.0))
    errors = ((Errors(Estimated(), ("a", "a"), (True, True), series=True),),)
    parts = linearise(blocks, data, errors)
    found = maximise_restricted_likelihood(
        parts, np.ones(1), np.zeros(1), np.ones(1, dtype=bool), np.zeros(1, dtype=bool)
    )
    left_over = whole.shape[0] - whole.shape[1]
    assert found.size[0] ** 2 == pytest.approx(left @ left / left_over, rel=1e-5)
    np.testing.assert_allclose(degrees_of_freedom(parts, found), left_over, rtol=1e-3)
    assert parts.used_up()[0] == pytest.approx(whole.shape[1], rel=1e-9)


def test_covariances_of_correlated_errors_are_the_dense_ones():
    blocks, data, whole, _, times = linear(4, tau=3.0)
    size, time = np.array([1.2, 2.5]), np.array([3.0, 3.0])
    noise = covariance_of(times, size, 3.0)
    weighted = parts_of(blocks, data, Correlated()).covariance(
        size, time, followed=np.ones(2, dtype=bool)
    )
    np.testing.assert_allclose(
        weighted, np.linalg.inv(whole.T @ np.linalg.inv(noise) @ whole)[:2, :2], rtol=1e-6
    )
    sandwich = parts_of(blocks, data, Automatic()).covariance(
        size, time, followed=np.zeros(2, dtype=bool)
    )
    bread = np.linalg.inv(whole.T @ whole)
    np.testing.assert_allclose(
        sandwich, (bread @ whole.T @ noise @ whole @ bread)[:2, :2], rtol=1e-6
    )


def test_a_correlation_time_is_found():
    found = []
    for seed in range(12):
        blocks, data, *_ = linear(10 + seed, tau=3.0, sizes=(1.0, 1.0), count=60)
        errors = ((Errors(Correlated(), ("a", "a"), (False, False), series=True),),)
        parts, yes = linearise(blocks, data, errors), np.ones(1, dtype=bool)
        found.append(maximise_restricted_likelihood(parts, np.ones(1), np.zeros(1), yes, yes))
    assert np.median([one.time[0] for one in found]) == pytest.approx(3.0, rel=0.25)
    assert np.median([one.size[0] for one in found]) == pytest.approx(1.0, rel=0.1)


def test_whitening_is_the_inverse_of_the_cholesky_factor_and_undone():
    rng = np.random.default_rng(0)
    times, weight = np.cumsum(rng.uniform(0.5, 2.0, (1, 25)), axis=1), np.ones((1, 25, 1))
    weight[0, [0, 4, 5, 11, 24]] = 0.0
    by = make_whitening(times, weight, 2.0)
    series = np.where(weight > 0, rng.standard_normal((1, 25, 1)), 0.0)
    own = by._replace(previous=by.previous[0], correlation=by.correlation[0])
    white = np.asarray(whiten(series[0], own))
    used = weight[0, :, 0] > 0
    gaps = np.abs(times[0][:, None] - times[0][None, :])[np.ix_(used, used)]
    factor = np.linalg.cholesky(np.exp(-gaps / 2.0))
    np.testing.assert_allclose(
        white[used, 0], np.linalg.solve(factor, series[0, used, 0]), atol=1e-10
    )
    np.testing.assert_allclose(
        unwhiten(white[None, :, :, None], by)[0, :, 0, 0][used], series[0, used, 0], atol=1e-10
    )


@pytest.mark.parametrize(
    ("noise", "made", "text"),
    [
        (Known(), {"factor": 0.3}, "too narrow"),
        (Known(), {"factor": 4.0}, "as wide as the data ask for"),
        (Automatic(), {"factor": 4.0}, "as wide as the data ask for"),
        (Known(), {"outlier": 0.15}, "StudentT"),
    ],
)
def test_what_speaks_against_the_noise_model_is_said(noise, made, text):
    found = cal.fit(problem(noise, **made))
    assert any(text in sentence or "does not explain" in sentence for sentence in found.warnings)
    assert not doubt_noise(cal.fit(problem(noise)).assessment)


@pytest.mark.parametrize(
    ("chi2", "says"),
    [
        (15 / 16, "0.25 times as large as the noise that was stated, and intervals are about 4 "),
        (0.0, "0 times as large as the noise that was stated, and intervals are far wider than "),
    ],
)
def test_how_much_too_wide_intervals_are_is_said_where_there_are_residuals(chi2, says):
    component = SimpleNamespace(model=Known())
    (said,) = doubt_noise(
        SimpleNamespace(
            linearised=SimpleNamespace(components=(component,), stated=True),
            variance_components=SimpleNamespace(free_size=np.array([False])),
            contradicted=False,
            from_scatter=True,
            chi2=chi2,
            expected_loss=1.0,
            dof=15,
            misfit=chi2 / 15,
        )
    )
    assert says in said


def test_the_covariance_allows_for_weights_that_are_estimates():
    """The common mean of two groups with unknown variances: ``d mean/d ln s_1 = -2 p_1 p_2 (y_1 -
    y_2)``, p the weights.
    """
    values = np.random.default_rng(7).standard_normal((1, 20, 2)) * [1.0, 1.5]
    samples = Samples(np.zeros((1, 20)), np.zeros((1, 20, 2)), np.ones((1, 20, 2)))
    blocks = (
        Block((values - values.mean()).reshape(1, -1), np.ones((1, 40, 1)), np.zeros((1, 40, 0))),
    )
    errors = ((Errors(Estimated(), ("a", "b"), (False, False), series=False),),)
    parts, yes = (
        linearise(blocks, (TrialData((samples,), None, None),), errors),
        np.ones(2, dtype=bool),
    )
    found = maximise_restricted_likelihood(
        parts, np.ones(2), np.zeros(2), yes, np.zeros(2, dtype=bool)
    )
    variances = found.size**2 / 20
    share = (1 / variances) / np.sum(1 / variances)
    of_sizes = np.linalg.inv(found.information)
    expected = (
        2
        * 4
        * (share[0] * share[1]) ** 2
        * variances.sum()
        * (of_sizes[0, 0] + of_sizes[1, 1] - 2 * of_sizes[0, 1])
    )
    assert covariance_of_uncertain_weights(parts, found)[0, 0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("model", [StudentT(4.0, estimated=True), Huber(1.5, estimated=True)])
def test_a_robust_scale_is_that_of_its_estimating_equation(model):
    """Student's t: ``sum 5 r^2/(4 s^2 + r^2) = n - p``; Huber: ``sum min(r/s, k)^2 = (n - p) E``, E
    its mean for normal errors.
    """
    deviation = 2.3 * np.random.default_rng(2).standard_t(4, (1, 50, 1))
    loss = model.make_loss(deviation.shape)
    samples = Samples(np.zeros((1, 50)), np.zeros((1, 50, 1)), np.ones((1, 50, 1)), loss=loss)
    residual = np.asarray(loss.residual(deviation)).reshape(1, -1)
    blocks = (Block(residual, np.ones((1, 50, 1)), np.zeros((1, 50, 0))),)
    errors = ((Errors(model, ("a",), (True,), series=False),),)
    data = (TrialData((samples,), None, None),)
    found = robust_size(SimpleNamespace(linearised=linearise(blocks, data, errors), data=data), 0)

    def excess(size: float) -> float:
        square = (deviation / size) ** 2
        if isinstance(model, StudentT):
            return float(np.sum(5 * square / (4 + square))) - 49
        normal, _ = integrate.quad(lambda x: min(x**2, 2.25) * stats.norm.pdf(x), -9, 9)
        return float(np.sum(np.minimum(square, 2.25))) - 49 * normal

    assert found == pytest.approx(optimize.brentq(excess, 0.5, 10), rel=1e-4)


def doubts(model, residual: np.ndarray, *, series: bool, sizes=(1.0, 1.0)) -> list[str]:
    """What is said of the noise model of two quantities with these residuals (n, 2)."""
    count = len(residual)
    samples = Samples(
        np.arange(float(count))[None],
        np.zeros((1, count, 2)),
        np.ones((1, count, 2)),
        loss=model.make_loss((1, count, 2)),
    )
    weighted = residual if samples.loss is None else np.asarray(samples.loss.residual(residual))
    blocks = (
        Block(weighted.reshape(1, -1), np.ones((1, 2 * count, 1)), np.zeros((1, 2 * count, 0))),
    )
    errors = ((Errors(model, ("a", "b"), (False, False), series=series),),)
    parts = linearise(blocks, (TrialData((samples,), None, None),), errors)
    return doubt_noise(
        SimpleNamespace(
            linearised=parts,
            variance_components=SimpleNamespace(
                size=np.asarray(sizes), free_size=np.ones(2, dtype=bool)
            ),
            contradicted=False,
            from_scatter=False,
            policy=DEFAULT_POLICY,
        )
    )


@pytest.mark.parametrize(
    ("model", "series", "said"),
    [
        (Known(), True, True),
        (Known(), False, False),  # numbers without an order have no neighbours
        (Correlated(), True, False),  # expects it
        (Automatic(), True, False),  # allows for it
        (StudentT(4.0), True, True),
    ],
)
def test_correlated_neighbours_are_said_where_the_model_has_them_independent(model, series, said):
    rng = np.random.default_rng(0)
    white = rng.standard_normal((201, 2))
    lasting = np.column_stack([white[1:, 0] + 0.5 * white[:-1, 0], white[1:, 1]])
    found = doubts(model, lasting, series=series)
    assert [" of a are correlated (0.4" in one for one in found] == [True] * said
    assert doubts(model, rng.standard_normal((200, 2)), series=series) == []


@pytest.mark.parametrize(
    ("model", "size", "said"),
    [(Estimated(), 1.0, 3), (Estimated(), 3.0, 1), (Estimated(), 0.1, 3), (Huber(), 1.0, 0)],
)
def test_outliers_are_counted_in_the_size_of_their_quantity(model, size, said):
    """Beyond five of it, or of what was stated where that is more."""
    residual = np.random.default_rng(1).standard_normal((100, 2))
    residual[:3, 1] = [12.0, -12.0, 18.0]
    found = doubts(model, residual, series=False, sizes=(1.0, size))
    assert [one.startswith(f"{said} of 100 residuals of b are more than 5") for one in found] == [
        True
    ] * bool(said)
