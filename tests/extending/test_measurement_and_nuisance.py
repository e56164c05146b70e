"""A measurement and a nuisance written outside the packages, in everything that uses them."""

import dataclasses
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.report.figures import fit_figure
from tests.extending.rebound_speeds import ReboundSpeeds, SpeedsAfterImpacts
from tests.extending.speed_offset import SpeedOffset

pytestmark = pytest.mark.slow  # each check compiles a simulation and its derivatives

RADIUS, HEIGHT, GRAVITY = 0.02, 0.5, 9.81
TRUE = 0.8
RESTITUTION = "contact.normal.restitution"


def scene(restitution=0.7):
    law = jc.NewtonRestitution(restitution=restitution)
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=0.03), contact=jc.ContactModel(normal=law)
    )


RELEASE = jc.state(position=(0, 0, HEIGHT + RADIUS))


def speeds(count=3, *, height=HEIGHT, offset=0.0, seed=0, sigma=0.01):
    """Closed form: v_k = e^k sqrt(2 g h), with noise."""
    noise = sigma * np.random.default_rng(seed).standard_normal(count)
    powers = TRUE ** np.arange(1, count + 1)
    return ReboundSpeeds(np.sqrt(2 * GRAVITY * height) * powers + offset + noise, sigma=sigma)


def problem(*measured, nuisance=()):
    trials = [cal.Trial(one, initial=RELEASE, name=f"drop {i}") for i, one in enumerate(measured)]
    return cal.Problem(scene(), trials, free=[RESTITUTION], nuisance=nuisance)


@pytest.fixture(scope="module")
def fit():
    return cal.fit(problem(speeds(), speeds(5, seed=1), nuisance=[SpeedOffset()]))


@pytest.mark.long
def test_three_rebound_speeds_give_the_restitution_of_the_closed_form():
    measured = speeds()
    found = cal.fit(problem(measured)).parameters[RESTITUTION]
    # Least squares by hand: the sum of squares is a polynomial of e.
    candidates = np.linspace(0.75, 0.85, 100_001)
    first = np.sqrt(2 * GRAVITY * HEIGHT)
    misfit = [(measured.speed[k] - first * candidates ** (k + 1)) ** 2 for k in range(3)]
    assert found.value == pytest.approx(candidates[np.argmin(np.sum(misfit, axis=0))], abs=2e-6)
    slopes = first * np.arange(1, 4) * found.value ** np.arange(3)
    assert found.sd == pytest.approx(0.01 / np.sqrt(np.sum(slopes**2)), rel=1e-3)


@pytest.mark.long
def test_the_offset_is_found_beside_the_restitution(fit):
    assert fit.converged
    assert abs(fit.parameters[RESTITUTION].value - TRUE) < 4 * fit.parameters[RESTITUTION].sd
    assert abs(fit.parameters["speed_offset"].value) < 4 * fit.parameters["speed_offset"].sd
    assert fit.parameters["speed_offset"].unit == "m/s"


@pytest.mark.long
def test_the_printed_fit_and_the_figure_name_what_was_measured(fit):
    assert "shown minus true speed" in str(fit)
    assert fit.series[0].labels == ("rebound speed [m/s]",)
    assert fit.series[0].abscissa_label == "impact"
    np.testing.assert_array_equal(fit.series[1].abscissa, [1, 2, 3, 4, 5])
    labels = {axes.get_xlabel() for axes in fit_figure(fit).axes}
    assert "impact" in labels
    assert "time [s]" not in labels
    assert "rebound speed [m/s]" in {axes.get_ylabel() for axes in fit_figure(fit).axes}


@pytest.mark.long
def test_its_likelihood_can_be_profiled_and_resampled(fit):
    estimate = fit.parameters[RESTITUTION]
    profile = cal.profile(fit, [RESTITUTION])[RESTITUTION]
    assert profile.low < estimate.value < profile.high
    replicates = cal.bootstrap(fit, count=40, seed=2)
    assert 0.4 < replicates[RESTITUTION].sd / estimate.sd < 2.5


def test_its_prediction_has_a_band_and_no_times(fit):
    band = cal.prediction_band(fit, trial=1)
    assert band.times is None
    assert band.mean.shape == (5, 1)
    assert np.all(band.low < band.high)
    assert np.all(band.low_new < band.low)


@pytest.mark.long
def test_it_can_be_identified_and_extended_by_other_experiments(fit):
    assert RESTITUTION in str(cal.identify(fit)) or "restitution" in str(cal.identify(fit))
    film = cal.instruments.Film(rate=240.0, sigma=5e-4, axes="z")
    report = cal.design(fit, [cal.Candidate(instruments=(film,), height=0.5, duration=1.0)])
    assert "restitution" in str(report)


def test_the_problem_and_the_data_are_equal_to_their_copies(fit):
    assert pickle.loads(pickle.dumps(fit.problem.layout)) == fit.problem.layout
    copy = pickle.loads(pickle.dumps(fit.problem.trials[0]))
    np.testing.assert_array_equal(copy.measured[0].speed, fit.problem.trials[0].measured[0].speed)


@pytest.mark.long
def test_a_fit_can_be_stopped_and_resumed(tmp_path):
    known = problem(speeds(), nuisance=[SpeedOffset(prior=cal.Normal(0.0, 0.02))])
    path = tmp_path / "fit.checkpoint"
    first = cal.fit(known, checkpoint=cal.Checkpoint(path))
    again = cal.fit(known, checkpoint=cal.Checkpoint(path))
    assert again.parameters[RESTITUTION].value == first.parameters[RESTITUTION].value


@pytest.mark.long
def test_it_keeps_the_rules_of_measurements():
    cal.testing.check_measurement(
        ReboundSpeeds([2.5, np.nan, 1.6]), scene(), initial=RELEASE, nuisance=[SpeedOffset()]
    )


@pytest.mark.long
def test_the_offset_keeps_the_rules_of_nuisances():
    trial = cal.Trial(speeds(), initial=RELEASE)
    cal.testing.check_nuisance(SpeedOffset(), trial, scene())


# What is told to those who break a rule


class Bare(cal.measurements.Measurement):
    """Nothing but what must be written."""

    def __init__(self, observation):
        self.seen_by = observation

    def observation(self):
        return self.seen_by

    def samples(self, detected=None):
        measured = np.asarray([[2.5], [2.0], [1.6]])
        return cal.measurements.MeasuredSamples(np.zeros(3), measured, np.full((3, 1), 0.01))


@dataclasses.dataclass(frozen=True)
class Everything(SpeedsAfterImpacts):
    def predict(self, trial_state, motion, samples):
        return motion.contacts.rebound_speed[: samples.times.shape[0], None]


@dataclasses.dataclass(frozen=True)
class Lost(SpeedsAfterImpacts):
    def predict(self, trial_state, motion, samples):
        return jnp.round(super().predict(trial_state, motion, samples), 3)


@dataclasses.dataclass(frozen=True)
class Held(SpeedsAfterImpacts):
    def predict(self, trial_state, motion, samples):
        shown = super().predict(trial_state, motion, samples)
        return shown + jax.lax.stop_gradient(shown)


@dataclasses.dataclass(frozen=True)
class Branching(SpeedsAfterImpacts):
    def predict(self, trial_state, motion, samples):
        shown = super().predict(trial_state, motion, samples)
        return shown if shown[0, 0] > 0 else -shown


@dataclasses.dataclass(frozen=True)
class Rooted(SpeedsAfterImpacts):
    def predict(self, trial_state, motion, samples):
        shown = super().predict(trial_state, motion, samples)
        return shown + jnp.sqrt(shown - shown)


@dataclasses.dataclass(frozen=True)
class Mixing(SpeedsAfterImpacts):
    def predict(self, trial_state, motion, samples):
        shown = super().predict(trial_state, motion, samples)
        return shown / shown.shape[0]


@dataclasses.dataclass
class NotFrozen(SpeedsAfterImpacts.__bases__[0]):
    until: float

    times = SpeedsAfterImpacts.times
    predict = SpeedsAfterImpacts.predict


@pytest.mark.long
def test_what_is_not_written_has_defaults():
    bare = Bare(SpeedsAfterImpacts(1.0))  # by then there were three impacts, and few more
    assert bare.quantities == ("measurement",)
    assert bare.abscissa is cal.measurements.Abscissa.NUMBER
    cal.testing.check_measurement(bare, scene(), initial=RELEASE)


@pytest.mark.parametrize(
    ("observation", "told"),
    [
        (Everything(60.0), r"predict returned the shape \(2, 1\).*\(3, 1\).*take_impacts"),
        (Lost(60.0), "zero derivatives by all parameters"),
        (Held(60.0), "differ from finite differences"),
        (Branching(60.0), "no Python if"),
        (Rooted(60.0), "not finite"),
        (Mixing(60.0), "padded rows change the prediction"),
        (NotFrozen(60.0), "not hashable.*frozen dataclass"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_observation_is_named_with_the_remedy(observation, told):
    with pytest.raises(AssertionError, match=told):
        cal.testing.check_measurement(Bare(observation), scene(), initial=RELEASE)


def test_broken_attributes_are_named_with_the_remedy():
    class Wrong(Bare):
        quantities = ("speed [m/s]", "angle [deg]")

    with pytest.raises(AssertionError, match=r"quantities names 2 columns, but samples has 1"):
        cal.testing.check_measurement(Wrong(SpeedsAfterImpacts(60.0)), scene(), initial=RELEASE)

    class InTime(Bare):
        abscissa = cal.measurements.Abscissa.TIME

    with pytest.raises(AssertionError, match="clock is None"):
        cal.testing.check_measurement(InTime(SpeedsAfterImpacts(60.0)), scene(), initial=RELEASE)


@dataclasses.dataclass(frozen=True)
class Unused(SpeedOffset):
    def apply(self, trial_state, values, axes):
        return trial_state


@dataclasses.dataclass(frozen=True)
class Misshapen(SpeedOffset):
    def apply(self, trial_state, values, axes):
        return trial_state._replace(start=trial_state.start + values)


@dataclasses.dataclass(frozen=True)
class Negative(SpeedOffset):
    def start(self, trial):
        return np.zeros(2)


@pytest.mark.parametrize(
    ("nuisance", "told"),
    [
        (Unused(), "apply does not use speed_offset"),
        (Misshapen(), r"made start of shape \(1,\).*values\[0\]"),
        (Negative(), r"start has shape \(2,\), but there are 1 parameters"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_nuisance_is_named_with_the_remedy(nuisance, told):
    with pytest.raises(AssertionError, match=told):
        cal.testing.check_nuisance(nuisance, cal.Trial(speeds(), initial=RELEASE), scene())


def test_what_does_not_inherit_is_refused_with_the_remedy():
    with pytest.raises(cal.InputError, match=r"list is not a measurement.*inherits"):
        cal.Trial([1.0, 2.0])
    with pytest.raises(cal.InputError, match=r"is not a nuisance.*InitialState\(\)"):
        problem(speeds(), nuisance=["length_scale"])
