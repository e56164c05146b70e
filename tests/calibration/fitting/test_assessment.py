"""What must hold of standard errors: dense formulas, small samples, other programs' numbers."""

import math
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy import integrate, optimize, signal, special, stats

import calibration as cal
import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.assessment import Assessment, state_errors
from calibration.fitting.estimates import estimate_parameter, estimate_trial, withdraw_prior_only
from calibration.fitting.policy import DEFAULT_POLICY
from calibration.fitting.probes import excluding_rise
from calibration.fitting.sandwich import (
    believe_scatter,
    between_trials,
    between_trials_degrees,
)
from calibration.model.parameter import Parameter
from calibration.model.prior import LogNormal, Normal
from calibration.model.samples import Samples
from calibration.noise.models import Huber
from calibration.optimise.normal_equations import NormalEquations, invert_information
from calibration.problem.residuals import Block, residuals
from calibration.problem.trial_batch import TrialData
from calibration.results.estimate import Coordinate, Determination, Estimate
from jaxcontact.parameters import Interval, Quantity

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
TANGENTIAL = "contact.friction.tangential_restitution"
ANGLES = np.linspace(5.0, 75.0, 15)


@pytest.fixture(scope="module")
def asked() -> cal.Problem:
    """Three parameters from a table of impacts that slide and stick, with noise of the stated
    size.
    """
    rng = np.random.default_rng(4)
    speed, normal = 3.0, np.cos(np.radians(ANGLES))
    impulse = np.minimum(
        0.2 * 1.8 * speed * normal, 2 / 7 * 1.4 * speed * np.sin(np.radians(ANGLES))
    )
    after = speed * np.sin(np.radians(ANGLES)) - impulse
    table = cal.ImpactTable(
        name="impacts",
        impact_angle=ANGLES,
        impact_speed=np.full_like(ANGLES, speed),
        rebound_angle=np.degrees(np.arctan2(after, 0.8 * speed * normal))
        + rng.standard_normal(ANGLES.size),
        spin_after=2.5 * impulse / 0.02 + 4 * rng.standard_normal(ANGLES.size),
        normal_restitution=0.8 + 0.01 * rng.standard_normal(ANGLES.size),
        sigma={
            "rebound_angle": np.ones_like(ANGLES),
            "spin_after": 4 + 0 * ANGLES,
            "normal_restitution": 0.01 + 0 * ANGLES,
        },
    )
    friction = jc.Coulomb(coefficient=0.25, tangential_restitution=0.3)
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.75), friction=friction)
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
    return cal.Problem(
        scene, [table], free=[RESTITUTION, FRICTION, TANGENTIAL], noise=cal.noise.Known()
    )


def residual(asked: cal.Problem, coordinates: np.ndarray) -> np.ndarray:
    """Weighted residuals at coordinates of the shared parameters."""
    with jax.enable_x64(True):
        (found,) = residuals(
            asked.layout,
            asked.scene,
            np.asarray(coordinates, dtype=float),
            (np.zeros((1, 0)),),
            asked.data,
        )
        return np.asarray(found).ravel()


@pytest.fixture(scope="module")
def fitted(asked):
    return cal.fit(asked)


def test_same_optimum_and_covariance_as_scipy(asked, fitted):
    peer = optimize.least_squares(
        lambda x: residual(asked, x),
        asked.start[0],
        jac="3-point",
        x_scale="jac",
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    )
    np.testing.assert_allclose(fitted.assessment.minimum.shared, peer.x, atol=1e-6)
    np.testing.assert_allclose(
        fitted.assessment.covariance, np.linalg.inv(peer.jac.T @ peer.jac), rtol=0.01
    )


@pytest.mark.parametrize("scaled", [False, True])
def test_same_optimum_and_covariance_as_lmfit(asked, fitted, scaled):
    lmfit = pytest.importorskip("lmfit")
    parameters = lmfit.Parameters()
    for i, start in enumerate(asked.start[0]):
        parameters.add(f"p{i}", value=float(start))
    peer = lmfit.minimize(
        lambda p: residual(asked, np.asarray([p[f"p{i}"].value for i in range(3)])),
        parameters,
        scale_covar=scaled,
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
        epsfcn=1e-12,
    )
    np.testing.assert_allclose(
        fitted.assessment.minimum.shared, [peer.params[f"p{i}"].value for i in range(3)], atol=1e-6
    )
    factor = fitted.chi2 / fitted.dof if scaled else 1.0
    np.testing.assert_allclose(fitted.assessment.covariance * factor, peer.covar, rtol=0.01)
    assert (peer.chisqr, peer.nfree) == (pytest.approx(fitted.chi2, rel=1e-9), fitted.dof)


def test_the_rise_at_the_ends_of_lmfit_s_profile_interval_is_that_of_known_noise(asked, fitted):
    assessment = fitted.assessment
    for name in (RESTITUTION, FRICTION, TANGENTIAL):
        assert excluding_rise(assessment, name) == pytest.approx(stats.chi2.ppf(0.95, 1), rel=1e-6)
        assert excluding_rise(assessment, name, 0.6827) == pytest.approx(1.0, rel=1e-3)


# ---- between trials


def trials(seed: int, count: int, *, spread: float = 0.0) -> tuple[Block, ...]:
    """A linear problem of trials with own and shared columns; residuals of its least squares. The
    shared effect differs between trials.
    """
    rng = np.random.default_rng(seed)
    rows = 8
    by_shared, by_local = (
        rng.standard_normal((count, rows, 2)),
        rng.standard_normal((count, rows, 2)),
    )
    own = spread * rng.standard_normal((count, 2))
    flat = (rng.standard_normal((count, rows)) + np.einsum("rns,rs->rn", by_shared, own)).ravel()
    whole = whole_jacobian(by_shared, by_local)
    left = flat - whole @ np.linalg.lstsq(whole, flat, rcond=None)[0]
    return (Block(left.reshape(count, rows), by_shared, by_local),)


def whole_jacobian(by_shared: np.ndarray, by_local: np.ndarray) -> np.ndarray:
    """Shared columns first."""
    count, rows, own = by_local.shape
    whole = np.zeros((count * rows, by_shared.shape[-1] + own * count))
    for r in range(count):
        whole[rows * r : rows * r + rows, : by_shared.shape[-1]] = by_shared[r]
        whole[
            rows * r : rows * r + rows,
            by_shared.shape[-1] + own * r : by_shared.shape[-1] + own * (r + 1),
        ] = by_local[r]
    return whole


def bell_mccaffrey(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """CR2 covariance and degrees of freedom of the shared columns, by dense matrices (Bell and
    McCaffrey 2002).
    """
    count, rows, _ = block.by_shared.shape
    whole = whole_jacobian(block.by_shared, block.by_local)
    bread = np.linalg.inv(whole.T @ whole)
    maker = np.eye(count * rows) - whole @ bread @ whole.T
    arms = []
    for r in range(count):
        part = slice(rows * r, rows * (r + 1))
        eigenvalues, vectors = np.linalg.eigh(maker[part, part])
        kept = eigenvalues > 1e-9
        root = (vectors[:, kept] / np.sqrt(eigenvalues[kept])) @ vectors[:, kept].T
        arms.append(bread @ whole[part].T @ root @ maker[part])
    pulls = np.stack([arm @ block.residual.ravel() for arm in arms])
    degrees = []
    for s in range(2):
        gram = np.stack([arm[s] for arm in arms])
        square = gram @ gram.T
        degrees.append(np.trace(square) ** 2 / np.sum(square**2))
    return (pulls.T @ pulls)[:2, :2], np.asarray(degrees)


@pytest.mark.parametrize("count", [4, 9])
def test_scatter_between_trials_is_cr2_with_the_degrees_of_bell_and_mccaffrey(count):
    blocks = trials(5, count)
    formal = invert_information(NormalEquations.of(blocks))
    covariance, degrees = bell_mccaffrey(blocks[0])
    np.testing.assert_allclose(between_trials(blocks, formal), covariance, rtol=1e-6)
    np.testing.assert_allclose(between_trials_degrees(blocks, formal), degrees, rtol=1e-6)


@pytest.mark.parametrize(
    ("count", "spread", "known", "size", "believed"),
    [
        (30, 1.5, True, 1.0, True),
        (30, 0.0, True, 1.0, False),  # not more than the noise that is known makes
        (30, 0.0, False, 1.0, True),
        (30, 0.0, False, 0.1, False),  # less than noise within the trials makes
        (6, 1.5, False, 1.0, False),  # too few to tell it
    ],
)
def test_scatter_is_believed_where_trials_are_enough_and_noise_does_not_make_it(
    count, spread, known, size, believed
):
    (block,) = trials(5, count, spread=spread)
    blocks = (block._replace(residual=size * block.residual),)
    formal = invert_information(NormalEquations.of(blocks))
    found = believe_scatter(blocks, (), formal, misfit=1.0, known=known, policy=DEFAULT_POLICY)
    assert found is believed


def test_intervals_of_seven_trials_cover_what_differs_between_them():
    inside = np.zeros(2)
    for seed in range(400):
        rng = np.random.default_rng(seed)
        count, rows = 7, 6
        by_shared, own = rng.standard_normal((count, rows, 1)), 0.5 * rng.standard_normal(count)
        errors = rng.standard_normal((count, rows)) + by_shared[..., 0] * own[:, None]
        column = by_shared.ravel()
        estimate = column @ errors.ravel() / (column @ column)
        blocks = (
            Block(errors - estimate * by_shared[..., 0], by_shared, np.zeros((count, rows, 0))),
        )
        formal = invert_information(NormalEquations.of(blocks))
        sd, degrees = (
            np.sqrt(between_trials(blocks, formal)[0, 0]),
            between_trials_degrees(blocks, formal)[0],
        )
        inside += [
            abs(estimate) < stats.t.ppf(0.975, degrees) * sd,
            abs(estimate) < 1.96 * np.sqrt(formal.shared[0, 0]),
        ]
    assert inside[0] / 400 == pytest.approx(0.95, abs=0.03)
    assert inside[1] / 400 < 0.85


def test_degrees_of_freedom_of_noise_and_of_scatter_add_as_their_reciprocals(monkeypatch):
    """The relative variances ``2/nu`` of a variance that two estimated sizes make add up."""
    monkeypatch.setattr(
        "calibration.fitting.assessment.degrees_of_freedom",
        lambda *given: np.array([10.0, 10.0, 10.0, np.inf]),
    )
    monkeypatch.setattr(
        "calibration.fitting.assessment.degrees_of_scatter",
        lambda posed: np.array([10.0, 40.0, np.inf, np.inf]),
    )
    asked = {"from_scatter": False, "linearised": None, "variance_components": None}
    degrees = Assessment.degrees.func
    np.testing.assert_allclose(
        degrees(SimpleNamespace(**asked, scattering="some")), [5.0, 8.0, 10.0, np.inf]
    )
    np.testing.assert_allclose(
        degrees(SimpleNamespace(**asked, scattering=None)), [10.0, 10.0, 10.0, np.inf]
    )


def test_the_correlation_time_is_the_longest_of_what_is_a_series_and_was_measured():
    """AR(1) residuals last ``(1 + rho)/(1 - rho)`` samples. Without an order there are no
    neighbours, and what was computed has no errors.
    """
    rng, count = np.random.default_rng(0), 4000
    residual = np.concatenate(
        [
            signal.lfilter([1], [1, -rho], rng.standard_normal((10, count)), axis=1)
            for rho in (0.3, 0.8, 0.0)
        ],
        axis=1,
    )

    def found(series: tuple[bool, bool, bool], computed: int | None) -> float:
        samples = tuple(
            Samples(np.zeros((10, count)), np.zeros((10, count, 1)), np.ones((10, count, 1)))
            for _ in series
        )
        pieces = tuple(SimpleNamespace(component=np.array([i])) for i in range(3))
        return Assessment.correlation_time.func(
            SimpleNamespace(
                blocks=(Block(residual, np.zeros((10, 3 * count, 0)), None),),
                data=(TrialData(samples, None, None),),
                errors=(tuple(SimpleNamespace(series=one) for one in series),),
                linearised=SimpleNamespace(batches=(pieces,), computed=np.arange(3) == computed),
                policy=DEFAULT_POLICY,
            )
        )

    assert found((True, True, True), None) == pytest.approx(1.8 / 0.2, rel=0.1)
    assert found((True, False, True), None) == pytest.approx(1.3 / 0.7, rel=0.1)
    assert found((True, True, True), 1) == pytest.approx(1.3 / 0.7, rel=0.1)
    assert found((False, False, True), None) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("asked", "factor"),
    [
        # Of models of their own, the size that was found and that no weight has.
        ({"automatic": False}, 3.0),
        ({"automatic": False, "free_size": [False, False, False]}, 1.0),
        # Stated sizes as they are, unless the misfit contradicts them; guessed ones by the misfit,
        ({}, math.sqrt(2.0) * 4.0),
        ({"contradicted": True}, math.sqrt(2.0 * 9.0)),
        ({"sizes_are_known": False}, math.sqrt(2.0 * 9.0)),
        # but not below what the last digits tell.
        ({"contradicted": True, "rounding": 5.0}, math.sqrt(2.0) * 5.0),
    ],
)
def test_quantities_of_a_trial_have_errors_of_the_size_that_is_believed(asked, factor):
    given = {
        "automatic": True,
        "contradicted": False,
        "sizes_are_known": True,
        "rounding": 0.1,
        "free_size": [True, True, False],
    } | asked
    assessment = SimpleNamespace(
        linearised=SimpleNamespace(
            automatic=given["automatic"],
            followed=np.array([True, False, False]),
            rounding=lambda: np.full(3, given["rounding"]),
        ),
        variance_components=SimpleNamespace(
            size=np.array([7.0, 3.0, 4.0]), free_size=np.array(given["free_size"])
        ),
        contradicted=given["contradicted"],
        sizes_are_known=given["sizes_are_known"],
        misfit=9.0,
        correlation_time=2.0,
    )
    assert Assessment.trial_error_scale_factor.func(assessment) == pytest.approx(factor)


def test_the_mean_square_that_is_expected_counts_numbers_that_are_used():
    loss = Huber(1.0).make_loss((1, 6, 1))
    weight = np.ones((1, 6, 1))
    weight[0, 4:] = 0.0
    robust = Samples(np.zeros((1, 6)), np.zeros((1, 6, 1)), weight, loss=loss)
    plain = Samples(np.zeros((1, 2)), np.zeros((1, 2, 1)), np.ones((1, 2, 1)))
    of_huber, _ = integrate.quad(
        lambda x: 2 * special.huber(1.0, x) * stats.norm.pdf(x), -12, 12, points=[-1, 0, 1]
    )

    def expected(*samples: Samples) -> float:
        return Assessment.expected_loss.func(
            SimpleNamespace(data=(TrialData(samples, None, None),))
        )

    assert expected(robust, plain) == pytest.approx((4 * of_huber + 2) / 6)
    assert expected(plain._replace(weight=np.zeros((1, 2, 1)))) == 1.0


def test_noise_from_few_numbers_is_known_as_well_as_each_trial_tells_it():
    """Each trial but for the smooth curve through it, at least one degree of freedom."""
    weight = np.ones((3, 12, 2))
    weight[1, 9:] = weight[2, 4:] = weight[:, 3, 1] = 0.0
    samples = Samples(np.zeros((3, 12)), np.zeros(weight.shape), weight)

    def degrees(**changes) -> float:
        about = {"series": False, "guessed": False, "stated": (False, False)} | changes
        return Assessment.noise_degrees.fget(
            SimpleNamespace(
                data=(TrialData((samples,), None, None),), errors=((SimpleNamespace(**about),),)
            )
        )

    assert degrees() == (12 - 4) + (9 - 4) + 1
    for known in ({"series": True}, {"guessed": True}, {"stated": (False, True)}):
        assert math.isinf(degrees(**known))


# ---- intervals


def estimate(status=Determination.DETERMINED, **changes) -> Estimate:
    fields = {
        "name": "x",
        "label": "x",
        "symbol": "x",
        "unit": "m",
        "value": 2.0,
        "sd": 0.5,
        "start": 1.0,
        "status": status,
    }
    return Estimate(**(fields | changes))


def test_an_interval_is_student_s():
    assert estimate().interval() == pytest.approx((2 - 1.959964 * 0.5, 2 + 1.959964 * 0.5))
    assert estimate(degrees=3.0).interval(0.9) == pytest.approx(
        (2 - 2.353363 * 0.5, 2 + 2.353363 * 0.5)
    )


def test_an_interval_with_branches_has_their_outermost_ends():
    """Between points of the profile, by a line; the first or last one where it is below there."""
    profile = ((1.0, 4.0), (1.3, 1.0), (1.5, 3.0), (2.0, 0.0), (2.6, 1.2), (3.5, 6.0))
    reach = stats.norm.ppf(0.975)
    ends = np.interp(-reach, [-4.0, -1.0], [1.0, 1.3]), np.interp(reach, [1.2, 6.0], [2.6, 3.5])
    assert estimate(profile=profile).interval() == pytest.approx(ends)
    assert estimate(profile=profile[1:5]).interval() == pytest.approx((1.3, 2.6))


@pytest.mark.parametrize(
    ("fallen", "status"),
    [(8.0, Determination.AT_BOUND), (6.0, Determination.NOT_DETERMINED)],
)
def test_a_coefficient_that_fell_to_next_to_nothing_is_told_from_one_that_is_not_seen(
    fallen, status
):
    about = Quantity("-", Interval(0.0, math.inf, False, False), "log", "x", "x", "", None)
    found = estimate_parameter(
        SimpleNamespace(policy=DEFAULT_POLICY, simulated=True, noise_unknown=False),
        Parameter("x", about),
        -fallen,
        variance=1e6,
        unseen=True,
        acts=True,
        began=0.0,
        degrees=np.inf,
    )
    assert found.status is status
    assert math.isinf(found.sd)


@pytest.mark.parametrize(
    ("ends", "transform", "coordinate", "vanished"),
    [((0.0, math.inf), "log", -8.0, True), ((0.0, 1.0), "logit", 20.0, False)],
)
def test_what_ran_to_an_end_that_is_not_0_has_not_vanished(ends, transform, coordinate, vanished):
    about = Quantity("-", Interval(*ends, False, False), transform, "x", "x", "", None)
    ended = estimate_parameter(
        SimpleNamespace(policy=DEFAULT_POLICY, simulated=True, noise_unknown=False),
        Parameter("x", about),
        coordinate,
        variance=math.inf,
        unseen=True,
        acts=True,
        began=0.0,
        degrees=np.inf,
    )
    assert ended.status is Determination.AT_BOUND
    assert ended.vanished is vanished


def test_an_interval_of_a_bounded_quantity_stays_inside():
    parameter = Parameter(
        "e", Quantity("-", Interval(0.0, 1.0, False, False), "logit", "restitution", "e", "", None)
    )
    found = estimate(
        value=0.99,
        sd=0.01,
        curve=Coordinate(parameter, float(parameter.coordinate(0.99)), 0.01 / (0.99 * 0.01)),
    )
    low, high = found.interval()
    assert 0.9 < low < 0.99 < high < 1.0


@pytest.mark.parametrize(
    ("began", "ended", "status"),
    [
        (0.9, 1 - 3e-6, Determination.AT_BOUND),
        (0.9, 0.5, Determination.NOT_DETERMINED),
        (1 - 3e-6, 1 - 3e-6, Determination.NOT_DETERMINED),
    ],
)
def test_a_bounded_quantity_that_ran_to_an_end_is_at_a_bound(began, ended, status):
    """There its coordinate moves it no more, as if the data did not see it: a ball that loses
    nothing has a restitution of 1.
    """
    about = Quantity("-", Interval(0.0, 1.0, True, False), "logit", "restitution", "e", "", None)
    parameter = Parameter("e", about)
    found = estimate_parameter(
        SimpleNamespace(policy=DEFAULT_POLICY, simulated=True, noise_unknown=False),
        parameter,
        float(parameter.coordinate(ended)),
        variance=1e6,
        unseen=True,
        acts=True,
        began=float(parameter.coordinate(began)),
        degrees=np.inf,
    )
    assert found.status is status


@pytest.mark.parametrize("status", [Determination.NOT_DETERMINED, Determination.AT_BOUND])
def test_what_is_not_determined_or_at_a_bound_has_no_finite_interval(status):
    assert estimate(status).interval() == (-math.inf, math.inf)
    assert estimate(sd=math.inf).interval() == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("prior", "known"), [(Normal(1.5, 0.5), 0.5), (LogNormal(1.0, 1.2), 2 * math.log(1.2))]
)
@pytest.mark.parametrize("part", [0.75, 0.85])
def test_what_the_data_add_next_to_nothing_to_is_not_determined_by_them(prior, known, part):
    about = Quantity("m", Interval(0.0, math.inf, False, False), "log", "x", "x", "", None)
    assessment = SimpleNamespace(
        policy=DEFAULT_POLICY,
        layout=SimpleNamespace(global_parameters=(Parameter("x", about, False, prior),)),
    )
    (found,) = withdraw_prior_only(assessment, {"x": estimate(sd=part * known)}).values()
    nothing = part > DEFAULT_POLICY.prior_only
    assert (found.status is Determination.NOT_DETERMINED) == nothing
    assert math.isinf(found.sd) == nothing


def of_two_trials(free: list[bool], *, found: bool, dof: int) -> SimpleNamespace:
    """Two trials with two positions each, whose formal variances are 1, 4 and 9, 16."""
    about = Quantity("m", Interval(-math.inf, math.inf, False, False), "identity", "", "", "", None)
    own = np.array([[1.0, 2.0], [3.0, 4.0]])
    formal = [np.diag(np.array(each)[free]) for each in ([1.0, 4.0], [9.0, 16.0])]
    unseen = np.zeros((2, sum(free)), dtype=bool)
    return SimpleNamespace(
        policy=DEFAULT_POLICY,
        simulated=True,
        noise_unknown=False,
        dof=dof,
        trial_error_scale_factor=1.5,
        formal=SimpleNamespace(local=(np.stack(formal),), open_local=(unseen,)),
        start=SimpleNamespace(local=(own - 0.5,), free_local=(np.asarray(free),)),
        minimum=SimpleNamespace(local=(own,)),
        layout=SimpleNamespace(
            batches=[
                SimpleNamespace(trial_parameters=[Parameter("a", about), Parameter("b", about)])
            ]
        ),
        variance_components=SimpleNamespace(free_size=np.array([found])),
        linearised=SimpleNamespace(acts=((~unseen,), None)),
    )


@pytest.mark.parametrize("found", [True, False])
def test_quantities_of_a_trial_have_the_degrees_of_freedom_of_the_noise_that_was_found(found):
    estimates = estimate_trial(of_two_trials([True, True], found=found, dof=7), 0, 1)
    assert [(one.value, one.start, one.sd) for one in estimates.values()] == [
        (3.0, 2.5, 4.5),
        (4.0, 3.5, 6.0),
    ]
    low, high = estimates["b"].interval(0.9)
    reach = stats.t.ppf(0.95, 7) if found else stats.norm.ppf(0.95)
    assert (low, high) == pytest.approx((4 - 6 * reach, 4 + 6 * reach))


def test_a_quantity_of_a_trial_that_was_held_has_no_estimate():
    estimates = estimate_trial(of_two_trials([False, True], found=True, dof=7), 0, 0)
    assert {name: (one.value, one.sd) for name, one in estimates.items()} == {"b": (2.0, 3.0)}


@pytest.mark.parametrize("count", [7, 8])
def test_numbers_of_which_nothing_is_said_are_stated_each_column_a_quantity(count):
    samples = Samples(np.zeros((3, count)), np.zeros((3, count, 2)), np.ones((3, count, 2)))
    ((one, other),) = state_errors((TrialData((samples, samples), None, None),))
    assert one.series == other.series == (count >= DEFAULT_POLICY.series_length)
    assert one.stated == (True, True)
    assert len({*one.quantities, *other.quantities}) == 4


def test_a_level_outside_0_and_1_is_an_error():
    with pytest.raises(InputError, match="level"):
        estimate().interval(95)
