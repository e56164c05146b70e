"""What must hold of posteriors: the covariance where the problem is nearly linear, that of a model
by hand, none of what is open.
"""

import dataclasses

import numpy as np
import pytest

from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.model.free import Free
from calibration.model.prior import LogNormal, Normal
from calibration.noise.models import Estimated
from calibration.problem.problem import Problem
from calibration.uncertainty.posterior import posterior
from tests.calibration.synthetic_impacts import (
    FRICTION,
    RESTITUTION,
    SIGMA,
    scene,
    table,
)

PRECISE = table(seed=1, noise=0.2)
"""So precise that the problem is nearly linear; no angle lies where sliding ends."""


def precise():
    return dataclasses.replace(
        PRECISE, sigma={name: 0.2 * values for name, values in PRECISE.sigma.items()}
    )


@pytest.fixture(scope="module")
def found():
    return fit(Problem(scene(), [precise()], free=[FRICTION, RESTITUTION]))


@pytest.fixture(scope="module")
def sampled(found):
    return posterior(found, samples=1500, warmup=500, chains=4)


@pytest.mark.long
@pytest.mark.slow
def test_standard_deviations_are_those_of_the_covariance_where_the_problem_is_nearly_linear(
    found, sampled
):
    for name in (FRICTION, RESTITUTION):
        values = sampled.data.posterior[name].values
        assert values.shape == (4, 1500)
        assert np.std(values) == pytest.approx(found.parameters[name].sd, rel=0.05)
        assert np.mean(values) == pytest.approx(
            found.parameters[name].value, abs=0.1 * found.parameters[name].sd
        )
    draws = sampled.data.posterior
    correlation = np.corrcoef(draws[FRICTION].values.ravel(), draws[RESTITUTION].values.ravel())[
        0, 1
    ]
    assert correlation == pytest.approx(found.correlation[0, 1], abs=0.05)


@pytest.mark.long
@pytest.mark.slow
def test_names_units_and_the_judgement_of_the_chains_are_in_the_result(sampled):
    assert sampled.data.posterior[FRICTION].attrs == {"unit": "-", "label": "friction coefficient"}
    assert set(sampled.data.sample_stats) == {"diverging", "acceptance_rate", "n_steps", "lp"}
    assert sampled.rhat < 1.01
    assert sampled.ess > 1000
    assert "R-hat" in sampled.text
    assert len(sampled.draws) == 6000
    low, high = sampled.intervals[RESTITUTION]
    assert low < 0.8 < high


@pytest.mark.long
def test_the_same_model_written_by_hand_has_the_same_posterior():
    """With priors and few, noisy data: far from linear. The peer knows neither our residuals nor
    our coordinates.
    """
    import jax.numpy as jnp
    import numpyro
    import numpyro.distributions as dist
    from jax.random import PRNGKey
    from numpyro.infer import MCMC, NUTS

    data = table(angles=np.linspace(25.0, 70.0, 7), seed=4)
    free = [Free(FRICTION, prior=LogNormal(0.3, 1.5)), Free(RESTITUTION, prior=Normal(0.75, 0.1))]
    made = posterior(fit(Problem(scene(), [data], free=free)), samples=3000, warmup=1000, chains=2)
    angles = np.deg2rad(data.impact_angle)

    def model():
        friction = numpyro.sample("friction", dist.LogNormal(jnp.log(0.3), jnp.log(1.5)))
        restitution = numpyro.sample(
            "restitution", dist.TruncatedNormal(0.75, 0.1, low=0.0, high=1.0)
        )
        along, down = 2 * jnp.sin(angles), 2 * jnp.cos(angles)
        after = jnp.maximum(along - friction * (1 + restitution) * down, along * 5 / 7)
        rebound = jnp.rad2deg(jnp.arctan2(after, restitution * down))
        numpyro.sample(
            "angle", dist.Normal(rebound, SIGMA["rebound_angle"]), obs=data.rebound_angle
        )
        speed = jnp.sqrt(after**2 + (restitution * down) ** 2)
        numpyro.sample("speed", dist.Normal(speed, SIGMA["rebound_speed"]), obs=data.rebound_speed)

    chain = MCMC(
        NUTS(model),
        num_warmup=1000,
        num_samples=3000,
        num_chains=2,
        chain_method="vectorized",
        progress_bar=False,
    )
    chain.run(PRNGKey(1))
    for name, called in ((FRICTION, "friction"), (RESTITUTION, "restitution")):
        ours, theirs = (
            made.data.posterior[name].values.ravel(),
            np.asarray(chain.get_samples()[called]),
        )
        assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.1 * np.std(theirs))
        assert np.std(ours) == pytest.approx(np.std(theirs), rel=0.06)
        np.testing.assert_allclose(
            np.quantile(ours, [0.025, 0.975]),
            np.quantile(theirs, [0.025, 0.975]),
            atol=0.25 * np.std(theirs),
        )


@pytest.mark.long
def test_an_unknown_size_of_the_errors_gives_students_t():
    data = table(angles=np.linspace(20.0, 60.0, 9), seed=6, noise=1.0)
    data = dataclasses.replace(data, rebound_angle=np.empty(0))
    known = fit(Problem(scene(), [data], free=[RESTITUTION], noise=Estimated()))
    made = posterior(known, samples=4000, warmup=500, chains=2)
    estimate = known.parameters[RESTITUTION]
    low, high = estimate.interval(0.95)
    assert estimate.degrees < 10
    np.testing.assert_allclose(made.intervals[RESTITUTION], (low, high), atol=0.08 * (high - low))
    assert "noise size rebound_speed" in made.data.posterior


@pytest.mark.slow
def test_what_nothing_determines_has_no_posterior():
    steep = table(angles=np.linspace(5.0, 25.0, 16), seed=3)
    undetermined = fit(Problem(scene(0.5), [steep], free=[FRICTION, RESTITUTION]))
    with pytest.raises(InputError, match=r"contact.friction.coefficient.*prior"):
        posterior(undetermined)


@pytest.mark.long
def test_samples_that_run_away_have_no_end_and_this_is_said():
    # That every ball rolled is unlikely, but then any larger friction is as likely as the next: a
    # flat prior has no end there.
    data = dataclasses.replace(table(seed=2, noise=0.5), rebound_speed=np.empty(0))
    made = posterior(
        fit(Problem(scene(), [data], free=[FRICTION, RESTITUTION])),
        samples=400,
        warmup=400,
        chains=4,
    )
    assert made.intervals[FRICTION][1] == np.inf
    assert any("ran away" in sentence for sentence in made.warnings)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"samples": 0}, "samples = 0"),
        ({"chains": 1}, "from 2 on"),
        ({"flat": "values"}, "flat"),
        ({"level": 2.0}, "between 0 and 1"),
    ],
)
def test_bad_input_is_refused_with_the_remedy(found, options, says):
    with pytest.raises(InputError, match=says):
        posterior(found, **options)
