"""What must hold of model comparison: textbook formulas, the right law found at low noise, honesty
at high noise, refusal of nonsense.
"""

import dataclasses
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy import integrate, stats

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.fitting.policy import FitPolicy
from calibration.io.impact_table import ImpactTable
from calibration.io.recording import Recording
from calibration.model.free import Free
from calibration.model.parameter import Parameter
from calibration.model.prior import HeavyTailed, LogNormal, Normal
from calibration.noise.models import Estimated
from calibration.nuisances import InitialState, SurfaceHeight
from calibration.problem.problem import Problem
from calibration.problem.residuals import Block
from calibration.selection.compare import Comparison, compare
from calibration.selection.information_criteria import (
    aicc,
    akaike_weights,
    bic,
    count_parameters,
    minus_two_log_likelihood,
)
from calibration.selection.laplace import flat_parameters, log_evidence, log_prior_density
from calibration.selection.lower_minima import find_lower_minima
from jaxcontact.parameters import Interval, Quantity

pytestmark = pytest.mark.slow

RESTITUTION = "contact.normal.restitution"
VISCOELASTIC = jc.ViscoelasticRestitution(restitution=0.8)
CONSTANT = jc.NewtonRestitution(restitution=0.8)


def table(law, sigma: float, *, seed: int = 0, count: int = 30, stated: bool = True) -> ImpactTable:
    """Made-up restitution at speeds of 0.2 to 5 m/s."""
    speed = np.linspace(0.2, 5, count)
    e = np.asarray(jax.vmap(lambda v: law.restitution_at(v, mass=0.03) * jax.numpy.ones(()))(speed))
    e = e + sigma * np.random.default_rng(seed).standard_normal(count)
    given = {"normal_restitution": np.full(count, sigma)} if stated else {}
    return ImpactTable(
        name="e(v)",
        impact_angle=np.zeros(count),
        impact_speed=speed,
        normal_restitution=e,
        sigma=given,
    )


def problems(data: ImpactTable, *, noise=None) -> dict[str, Problem]:
    """A constant and a viscoelastic restitution, with a prior that is far wider than the data."""
    free = Free(RESTITUTION, prior=Normal(0.8, 0.1))
    bodies = jc.spheres(radius=0.02, mass=0.03)
    scenes = {
        name: jc.Scene(bodies=bodies, contact=jc.ContactModel(normal=law))
        for name, law in LAWS.items()
    }
    return {
        name: Problem(scene, [data], free=[free], noise=noise) for name, scene in scenes.items()
    }


LAWS = {"constant": CONSTANT, "viscoelastic": VISCOELASTIC}


@pytest.fixture(scope="module")
def precise() -> Comparison:
    """Viscoelastic data at low noise."""
    return compare(problems(table(VISCOELASTIC, 0.003)), evidence=True)


def test_criteria_are_those_of_the_textbook():
    assert aicc(100.0, 3, 20) == pytest.approx(100 + 6 + 24 / 16)
    assert np.isinf(aicc(100.0, 3, 4))
    assert bic(100.0, 3, 20) == pytest.approx(100 + 3 * np.log(20))
    assert akaike_weights([10.0, 12.0]) == pytest.approx(
        np.array([1, np.exp(-1)]) / (1 + np.exp(-1))
    )


@pytest.mark.long
def test_likelihood_counts_and_criteria_match_a_direct_computation(precise):
    model, data = precise["constant"], table(VISCOELASTIC, 0.003)
    e = model.fit.parameters[RESTITUTION].value
    direct = -2 * float(np.sum(stats.norm.logpdf(data.normal_restitution, e, 0.003)))
    assert model.minus_two_log_likelihood == pytest.approx(direct, rel=1e-9)
    assert model.observations == 30
    # The wide prior takes nothing from the count of one parameter.
    assert model.parameters == pytest.approx(1.0, abs=1e-3)
    assert precise.overdispersion == 1.0
    assert model.aicc == pytest.approx(aicc(direct, model.parameters, 30))
    assert model.bic == pytest.approx(bic(direct, model.parameters, 30))


@pytest.mark.long
def test_data_of_a_law_at_low_noise_are_attributed_to_it(precise):
    assert precise.best.name == "viscoelastic"
    assert not any(model.cannot_tell for model in precise.models)
    assert precise.verdict == "The data prefer viscoelastic to constant."
    constant = precise["constant"]
    assert constant.difference > 100
    assert constant.behind > 5 * constant.behind_sd
    assert precise.best.log_evidence - constant.log_evidence > 100
    assert compare(problems(table(CONSTANT, 0.003))).best.name == "constant"


def nested(start) -> dict[str, Problem]:
    """A constant law and a power law that begins at ``start``, on data of a constant one."""
    data, bodies = table(CONSTANT, 0.003), jc.spheres(radius=0.02, mass=0.03)

    def problem(law, free):
        scene = jc.Scene(bodies=bodies, contact=jc.ContactModel(normal=law))
        return Problem(scene, [data], free=free)

    power_law = jc.PowerLawRestitution(**start)
    exponent = "contact.normal.velocity_exponent"
    return {
        "constant": problem(CONSTANT, [RESTITUTION]),
        "power law": problem(power_law, [RESTITUTION, exponent]),
    }


@pytest.mark.long
def test_a_law_is_never_compared_above_one_that_it_contains():
    """A search that ends too early begins again where the smaller law ended."""
    problems = nested({"restitution": 0.3, "velocity_exponent": 3.0})
    fits = {
        "constant": fit(problems["constant"]),
        "power law": fit(problems["power law"], steps=1),
    }
    assert fits["power law"].chi2 > 10 * fits["constant"].chi2
    begun = []

    def begin(problem, near):
        begun.append(near)
        return fit(problem, start=near)

    found = find_lower_minima(problems, fits, begin, FitPolicy())
    assert found["power law"].chi2 <= fits["constant"].chi2 + 0.01
    assert found["constant"] is fits["constant"]
    assert begun == [fits["constant"]]


def test_minima_that_are_as_low_as_they_can_be_are_not_sought_again():
    problems = nested({"restitution": 0.8, "velocity_exponent": 0.05})
    fits = {name: fit(problem) for name, problem in problems.items()}

    def not_again(problem, near):
        pytest.fail("a search began again without need")

    found = find_lower_minima(problems, fits, not_again, FitPolicy())
    assert found == fits


@pytest.mark.long
def test_data_at_high_noise_cannot_tell():
    found = compare(problems(table(VISCOELASTIC, 0.3)))
    assert "cannot tell" in found.verdict
    assert found.models[1].cannot_tell
    assert found.best.fit.explained


@pytest.mark.long
def test_the_evidence_is_the_integral_over_the_prior(precise):
    data = table(VISCOELASTIC, 0.003)
    e, sigma = data.normal_restitution, 0.003
    centre = np.mean(e)

    def density(at: float) -> float:
        log = np.sum(stats.norm.logpdf(e, at, sigma)) - np.sum(stats.norm.logpdf(e, centre, sigma))
        return np.exp(log) * stats.norm.pdf(at, 0.8, 0.1)

    area, _ = integrate.quad(density, centre - 0.01, centre + 0.01, epsabs=0, epsrel=1e-10)
    exact = np.log(area) + np.sum(stats.norm.logpdf(e, centre, sigma))
    assert precise["constant"].log_evidence == pytest.approx(exact, abs=0.01)


ANY, POSITIVE = Interval(-np.inf, np.inf, False, False), Interval(0.0, np.inf, False, False)


@pytest.mark.parametrize(
    ("interval", "transform", "prior", "density"),
    [
        (Interval(0.2, 0.7, True, True), "logit", None, stats.uniform(0.2, 0.5)),
        (Interval(0.1, 10.0, True, True), "log", None, stats.loguniform(0.1, 10.0)),
        (ANY, "identity", Normal(0.4, 0.2), stats.norm(0.4, 0.2)),
        (POSITIVE, "log", LogNormal(0.4, 2.0), stats.lognorm(np.log(2.0), scale=0.4)),
        (ANY, "identity", HeavyTailed(-1.0, 0.1, degrees=4.0), stats.t(4.0, -1.0, 0.1)),
        (POSITIVE, "log", HeavyTailed(0.1, 0.1), stats.t(3.0, 0.1, 0.1)),
    ],
)
def test_the_density_of_a_prior_is_that_of_scipy(interval, transform, prior, density):
    parameter = Parameter("x", Quantity("-", interval, transform, "x", "x", "", None), False, prior)
    for value in (0.25, 0.45, 0.65):
        at, step = float(parameter.coordinate(value)), 1e-5
        slope = float(parameter.value(at + step) - parameter.value(at - step)) / (2 * step)
        expected = density.logpdf(value) + np.log(slope)
        assert log_prior_density(parameter, at) == pytest.approx(expected, abs=1e-6)


def test_a_parameter_of_the_scene_needs_a_prior_for_the_evidence_one_of_the_measurement_none():
    def asked(*priors) -> SimpleNamespace:
        about = Quantity("-", ANY, "identity", "", "", "", None)
        parameters = tuple(
            Parameter(f"p{i}", about, False, prior) for i, prior in enumerate(priors)
        )
        layout = SimpleNamespace(
            global_parameters=parameters, scene_parameters=parameters[:2], batches=()
        )
        start = SimpleNamespace(frozen=np.array([False, True, False]), frozen_local=())
        minimum = SimpleNamespace(shared=np.zeros(3))
        return SimpleNamespace(
            problem=SimpleNamespace(layout=layout),
            assessment=SimpleNamespace(start=start, minimum=minimum),
        )

    assert list(flat_parameters(asked(Normal(0.0, 1.0), None, None))) == ["p2"]
    assert list(flat_parameters(asked(Normal(0.0, 1.0), None, Normal(0.0, 1.0)))) == []
    with pytest.raises(InputError, match="depends on the prior of 'p0'"):
        list(flat_parameters(asked(None, None, None)))


def test_the_evidence_integrates_over_what_is_known_of_quantities_of_the_trials(monkeypatch):
    """A number of each trial, whose mean is known to 0.5: normal, of variance ``1 + 0.5^2``."""
    numbers, known = np.array([0.3, -1.2, 2.0]), 0.5
    own = numbers * known**2 / (1 + known**2)
    about = Quantity("-", ANY, "identity", "", "", "", None)
    parameter = Parameter("u", about, False, Normal(0.0, known))
    rows = np.broadcast_to(np.array([1.0, 1 / known])[None, :, None], (3, 2, 1))
    block = Block(np.stack([own - numbers, own / known], axis=1), np.zeros((3, 2, 0)), rows)
    monkeypatch.setattr(
        "calibration.selection.laplace.minus_two_log_likelihood",
        lambda assessment: -2 * np.sum(stats.norm.logpdf(numbers, own)),
    )
    monkeypatch.setattr("calibration.selection.laplace.scaled_blocks", lambda assessment: (block,))
    batch = SimpleNamespace(trial_parameters=(parameter,))
    start = SimpleNamespace(frozen=np.zeros(0, dtype=bool), frozen_local=(np.array([False]),))
    assessment = SimpleNamespace(
        layout=SimpleNamespace(global_parameters=(), batches=(batch,)),
        minimum=SimpleNamespace(shared=np.zeros(0), local=(own[:, None],)),
        start=start,
    )
    exact = np.sum(stats.norm.logpdf(numbers, scale=np.sqrt(1 + known**2)))
    assert log_evidence(SimpleNamespace(assessment=assessment)) == pytest.approx(exact, abs=1e-9)


def test_a_prior_that_is_heavy_on_one_side_has_the_area_under_its_density():
    prior = HeavyTailed(0.3, 0.1, degrees=3.0, above=True)
    square, _ = integrate.quad(
        lambda value: float(np.exp(-(prior.residual(value) ** 2) / 2)), -1.0, 1.0, points=[0.3]
    )
    # Beyond ten standard deviations (nothing below), Student's tail.
    tail = stats.t.sf(7.0, 3.0) / stats.t.pdf(0.0, 3.0) * 0.1
    assert prior.area == pytest.approx(square + tail, rel=1e-6)


def test_a_size_of_errors_that_is_found_counts_as_a_parameter():
    data = table(CONSTANT, 0.01, count=12)
    assessment = fit(problems(data, noise=Estimated())["constant"]).assessment
    assert count_parameters(assessment) == pytest.approx(2.0, abs=1e-2)
    e = data.normal_restitution
    scale = np.sqrt(np.mean((e - e.mean()) ** 2))
    direct = -2 * np.sum(stats.norm.logpdf(e, e.mean(), scale))
    assert minus_two_log_likelihood(assessment) == pytest.approx(direct, abs=1e-3)


@pytest.mark.long
def test_the_best_of_bad_models_is_called_bad():
    lying = table(VISCOELASTIC, 0.02)
    lying = dataclasses.replace(lying, sigma={"normal_restitution": np.full(30, 0.002)})
    found = compare(problems(lying))
    assert found.overdispersion > 20
    assert any("does not explain the data" in line for line in found.warnings)
    # Differences at face value would claim more than these data can.
    raw = (
        found["constant"].minus_two_log_likelihood - found["viscoelastic"].minus_two_log_likelihood
    )
    assert found["constant"].difference < raw / 20


def test_different_data_are_refused():
    one, other = problems(table(VISCOELASTIC, 0.003)), problems(table(VISCOELASTIC, 0.003, seed=1))
    with pytest.raises(InputError, match="not the same"):
        compare({"a": one["constant"], "b": other["viscoelastic"]})
    with pytest.raises(InputError, match="not the same"):
        compare({"a": one["constant"], "b": problems(table(VISCOELASTIC, 0.004))["constant"]})
    with pytest.raises(InputError, match="nothing to compare"):
        compare({"a": one["constant"]})
    with pytest.raises(InputError, match="cross_validate"):
        compare(one, cross_validate="everything")
    with pytest.raises(InputError, match="none can be left out"):
        compare(one, cross_validate="trials")


def drop(seed: int, law, sigma: float, *, duration: float) -> Recording:
    """The height of a dropped ball, simulated."""
    times = np.arange(0.0, duration, 1 / 100)
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law))
    start = jc.state(position=(0.0, 0.0, 0.42 + 0.05 * seed))
    motion = jc.simulate(scene, start, times, method=jc.Impulse(max_contacts=12))
    z = np.asarray(motion.position)[:, 2] + sigma * np.random.default_rng(seed).standard_normal(
        times.size
    )
    position = np.stack([np.full_like(z, np.nan), np.full_like(z, np.nan), z], axis=-1)
    return Recording(
        name=f"drop{seed}",
        time=times,
        position=position,
        sigma=np.where(np.isnan(position), np.nan, sigma),
    )


@pytest.mark.long("1-bounces-1.8")
@pytest.mark.parametrize(
    ("count", "way", "duration"),
    [pytest.param(3, "trials", 1.2, marks=pytest.mark.long), (1, "bounces", 1.8)],
)
def test_raw_trajectories_are_attributed_and_data_left_out_predicted(count, way, duration):
    recordings = [drop(seed, VISCOELASTIC, 2e-4, duration=duration) for seed in range(count)]
    bodies = jc.spheres(radius=0.02, mass=0.03)
    asked = {
        name: Problem(
            jc.Scene(bodies=bodies, contact=jc.ContactModel(normal=law)),
            recordings,
            free=[RESTITUTION],
            nuisance=[InitialState(), SurfaceHeight()],
            method=jc.Impulse(max_contacts=12, rest_steps=1, skip_unused=False),
        )
        for name, law in LAWS.items()
    }
    found = compare(asked)
    assert found.cross_validate == way
    assert found.best.name == "viscoelastic"
    # Three own parameters of each trial and one restitution.
    assert found.best.parameters == pytest.approx(1 + 3 * count, abs=1e-6)
    assert found["constant"].behind > 3 * found["constant"].behind_sd
    if way == "trials":
        # A right model predicts data to their noise: the score is that of normal deviates.
        numbers = 120 * count
        assert abs(found.best.score + numbers / 2 * (1 + np.log(2 * np.pi))) < 5 * np.sqrt(
            numbers / 2
        )
