"""What a user writes (a measurement, a nuisance) and gets wrong is refused in words by the fit
itself, by class and method, and by the checks; never fitted to a number.
"""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc

pytestmark = pytest.mark.slow

FALL = np.sqrt(2.0 * 0.5 / 9.80665)
TIMES = FALL * (1.0 + 2.0 * np.cumsum([0.0, 0.8, 0.8**2, 0.8**3]))
"""Of impacts after a fall of 0.5 m with restitution 0.8."""

RESTITUTION = "contact.normal.restitution"


@dataclasses.dataclass(frozen=True)
class SeesTimes(cal.measurements.Observation):
    """Times of the first impacts, less a delay."""

    def times(self, trial_state, samples):
        return (trial_state.start + 60.0)[None]

    def predict(self, trial_state, motion, samples):
        impacts = cal.measurements.take_impacts(motion.contacts, samples.times.shape[0])
        return (impacts.time - trial_state.quantity("delay"))[:, None]


class Counter(cal.measurements.Measurement):
    """A counter of impacts."""

    name = "counter"
    quantities = ("time until impact [s]",)
    abscissa = cal.measurements.Abscissa.IMPACT

    def __init__(self, sigma=1e-3, shown=TIMES):
        self.sigma, self.shown = sigma, np.asarray(shown)

    def observation(self):
        return SeesTimes()

    def samples(self, detected=None):
        shown = self.shown[:, None]
        return cal.measurements.MeasuredSamples(
            np.zeros(len(shown)), shown, np.full(shown.shape, self.sigma)
        )


def one(name="delay", **options):
    return cal.nuisances.nuisance_parameter(
        name, unit="s", label="delay of the counter", symbol="t_d", **options
    )


@dataclasses.dataclass(frozen=True)
class Delay(cal.nuisances.Nuisance):
    """The counter starts late."""

    shared = True

    def parameters(self, axes):
        return (one(),)

    def apply(self, trial_state, values, axes):
        return trial_state.with_quantity("delay", values[0])


def scene():
    law = jc.NewtonRestitution(restitution=0.7)
    return jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law))


START = jc.state(position=(0.0, 0.0, 0.52))


def fit(measurement, *nuisance):
    trial = cal.Trial(measurement, initial=START, time=0.0)
    return cal.fit(cal.Problem(scene(), [trial], free=[RESTITUTION], nuisance=nuisance))


def altered(base, **methods):
    """A class like another one with methods replaced."""
    made = type(base.__name__, (base,), {"__module__": __name__, **methods})
    return dataclasses.dataclass(frozen=True)(made) if dataclasses.is_dataclass(base) else made


def seen_by(**methods):
    sees = altered(SeesTimes, **methods)
    return altered(Counter, observation=lambda self: sees())()


def sampled(make):
    return altered(Counter, samples=lambda self, detected=None: make(self.shown))()


def samples(times, measured, sigma):
    return cal.measurements.MeasuredSamples(times, measured, sigma)


predict = SeesTimes.predict
WRONG_MEASUREMENTS = {
    "predict of one dimension": (
        lambda: seen_by(predict=lambda *given: predict(*given)[:, 0]),
        r"SeesTimes\.predict returned the shape \(4,\)",
    ),
    "predict with two columns": (
        lambda: seen_by(predict=lambda *given: jnp.tile(predict(*given), (1, 2))),
        r"SeesTimes\.predict returned the shape \(4, 2\)",
    ),
    "predict returns nothing": (
        lambda: seen_by(predict=lambda *given: None),
        r"SeesTimes\.predict returned None",
    ),
    "predict in single precision": (
        lambda: seen_by(predict=lambda *given: predict(*given).astype(jnp.float32)),
        r"SeesTimes\.predict returned float32",
    ),
    "a Python if": (
        lambda: seen_by(predict=lambda *given: predict(*given) if predict(*given)[0, 0] else 0.0),
        r"SeesTimes\.predict cannot be compiled .*jnp\.where",
    ),
    "NumPy": (
        lambda: seen_by(predict=lambda *given: np.asarray(predict(*given))),
        r"SeesTimes\.predict cannot be compiled",
    ),
    "NaN": (
        lambda: seen_by(predict=lambda *given: predict(*given).at[1].set(jnp.nan)),
        r"predicted of counter is not finite, although the simulation succeeded",
    ),
    "one time": (
        lambda: seen_by(times=lambda self, trial_state, samples: trial_state.start + 60.0),
        r"SeesTimes\.times returned the shape \(\)",
    ),
    "no times": (
        lambda: seen_by(times=lambda *given: None),
        r"SeesTimes\.times returned None",
    ),
    "samples are a tuple": (
        lambda: sampled(lambda shown: (np.zeros(4), shown[:, None], np.ones((4, 1)))),
        r"Counter\.samples returned tuple",
    ),
    "samples of one dimension": (
        lambda: sampled(lambda shown: samples(np.zeros(4), shown, np.ones(4))),
        r"times have shape \(4,\) and measured \(4,\)",
    ),
    "too few times": (
        lambda: sampled(lambda shown: samples(np.zeros(3), shown[:, None], np.ones((4, 1)))),
        r"times have shape \(3,\) and measured \(4, 1\)",
    ),
    "one sigma": (
        lambda: sampled(lambda shown: samples(np.zeros(4), shown[:, None], 1e-3)),
        r"sigma has shape \(\)",
    ),
    "no numbers": (
        lambda: sampled(lambda shown: samples(np.zeros(4), [["a"]] * 4, np.ones((4, 1)))),
        r"cannot be read as numbers",
    ),
    "negative sigma": (lambda: Counter(sigma=-1e-3), r"a sigma is not positive"),
    "sigma zero": (lambda: Counter(sigma=0.0), r"a sigma is not positive"),
    "sigma NaN": (lambda: Counter(sigma=np.nan), r"a sigma is not positive"),
    "NaN measured": (
        lambda: Counter(shown=[0.3, np.nan, 1.3, 1.7]),
        r"a number with a finite sigma is not finite",
    ),
    "quantities are a text": (
        lambda: altered(Counter, quantities="time [s]")(),
        r"is not a tuple of texts",
    ),
    "too many quantities": (
        lambda: altered(Counter, quantities=("a [s]", "b [s]"))(),
        r"names 2 columns, but samples has 1",
    ),
    "abscissa in words": (
        lambda: altered(Counter, abscissa="impact")(),
        r"abscissa = 'impact' is not one of",
    ),
}


def altered_delay(**methods):
    return altered(Delay, **methods)()


WRONG_NUISANCES = {
    "the name of a constant": (
        lambda: altered_delay(parameters=lambda self, axes: (one(RESTITUTION),)),
        r"is the name of a parameter in free, too",
    ),
    "a list": (
        lambda: altered_delay(parameters=lambda self, axes: [one()]),
        r"Delay\.parameters returned \[",
    ),
    "one parameter": (
        lambda: altered_delay(parameters=lambda self, axes: one()),
        r"Delay\.parameters returned Parameter",
    ),
    "a prior that is a tuple": (
        lambda: altered_delay(parameters=lambda self, axes: (one(prior=(0.0, 1e-3)),)),
        r"prior = \(0\.0, 0\.001\) is no prior",
    ),
    "a transform that there is not": (
        lambda: altered_delay(parameters=lambda self, axes: (one(transform="logg"),)),
        r"transform = 'logg'",
    ),
    "apply returns nothing": (
        lambda: altered_delay(apply=lambda self, state, values, axes: None),
        r"Delay\.apply returned NoneType",
    ),
    "apply with an if": (
        lambda: altered_delay(
            apply=lambda self, state, values, axes: state if values[0] > 0 else None
        ),
        r"Delay\.apply cannot be compiled",
    ),
    "apply changes a shape": (
        lambda: altered_delay(apply=lambda self, state, values, axes: state._replace(start=values)),
        r"Delay\.apply made start of shape \(1,\)",
    ),
    "apply gives NaN": (
        lambda: altered_delay(
            apply=lambda self, state, values, axes: state.with_quantity(
                "delay", values[0] * jnp.nan
            )
        ),
        r"predicted of counter is not finite",
    ),
    "too many starts": (
        lambda: altered_delay(start=lambda self, trial: np.zeros(2)),
        r"Delay\.start has shape \(2,\), but there are 1 parameters",
    ),
    "start NaN": (
        lambda: altered_delay(start=lambda self, trial: np.array([np.nan])),
        r"Delay\.start: delay = nan is outside its interval",
    ),
}


def test_the_right_ones_are_fitted():
    found = fit(Counter(shown=TIMES - 0.004), Delay()).parameters
    assert found[RESTITUTION].value == pytest.approx(0.8, abs=4 * found[RESTITUTION].sd)
    assert found["delay"].value == pytest.approx(0.004, abs=4 * found["delay"].sd)


@pytest.mark.parametrize("name", WRONG_MEASUREMENTS)
def test_a_wrong_measurement_is_refused_in_words(name):
    make, words = WRONG_MEASUREMENTS[name]
    with pytest.raises(cal.InputError, match=words):
        fit(make())


@pytest.mark.parametrize("name", WRONG_NUISANCES)
def test_a_wrong_nuisance_is_refused_in_words(name):
    make, words = WRONG_NUISANCES[name]
    with pytest.raises(ValueError, match=words):
        fit(Counter(), make())


@dataclasses.dataclass(frozen=True)
class Misspelt(Delay):
    """Sets what no measurement reads."""

    def apply(self, trial_state, values, axes):
        return trial_state.with_quantity("dealy", values[0])


class Unordered(Counter):
    """Rows that are impacts, but do not say so."""

    abscissa = cal.measurements.Abscissa.NUMBER
    contacts = 4


@pytest.mark.long
def test_the_check_of_a_nuisance_tells_that_nothing_shows_it():
    trial = cal.Trial(Counter(), initial=START, time=0.0)
    cal.testing.check_nuisance(Delay(), trial, scene())
    with pytest.raises(AssertionError, match=r"no measurement of the trial changes with delay"):
        cal.testing.check_nuisance(Misspelt(), trial, scene())


@pytest.mark.long
def test_the_check_of_a_measurement_tells_that_its_simulation_does_not_succeed():
    with pytest.raises(AssertionError, match=r"does not succeed .*Abscissa\.IMPACT"):
        cal.testing.check_measurement(Unordered(), scene(), initial=START)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"sigma": {"normal_restitution": np.array([0.01, -0.01])}}, r"-0\.01 in row 2"),
        ({"sigma": {"normal_restitution": np.zeros(2)}}, r"sigma of normal_restitution = 0"),
        ({"sigma": {"restitution": np.ones(2)}}, r"sigma of 'restitution', which is no output"),
        ({"impact_speed": np.array([1.0, -2.0])}, r"impact_speed = -2 in row 2"),
        ({"impact_angle": np.array([0.0, 95.0])}, r"impact_angle = 95 in row 2"),
        ({"normal_restitution": np.array([0.8, np.inf])}, r"normal_restitution = inf in row 2"),
    ],
)
def test_numbers_of_a_table_that_cannot_be_are_refused(changed, words):
    good = {
        "name": "drops",
        "impact_angle": np.zeros(2),
        "impact_speed": np.array([1.0, 2.0]),
        "normal_restitution": np.array([0.8, 0.79]),
        "sigma": {"normal_restitution": np.array([0.01, np.nan])},
    }
    cal.ImpactTable(**good)
    with pytest.raises(cal.InputError, match=words):
        cal.ImpactTable(**{**good, **changed})
