"""What must hold of restitutions that depend on the speed: one law is fitted to a table e(v) and to
bouncing balls alike.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.fitting.fit import fit
from calibration.io.impact_table import ImpactTable
from calibration.io.recording import Recording
from calibration.problem.problem import Problem
from jaxcontact.parameters import get, put

NORMAL = "contact.normal."
TRUTHS = {
    "power law": (
        jc.PowerLawRestitution(restitution=0.7, velocity_exponent=0.25),
        {"restitution": 0.5, "velocity_exponent": 0.4},
    ),
    "exponential": (
        jc.ExponentialRestitution(restitution=0.95, decay_speed=4.0, limit_restitution=0.3),
        {"restitution": 0.8, "decay_speed": 2.0, "limit_restitution": 0.5},
    ),
    "rational": (
        jc.RationalRestitution(restitution=0.9, decay_speed=6.0),
        {"restitution": 0.6, "decay_speed": 2.0},
    ),
    "Thornton": (jc.ThorntonRestitution(yield_speed=0.05), {"yield_speed": 0.3}),
    "table": (
        jc.TabulatedRestitution.through([0.8, 1.8, 3.5, 7.0], [0.85, 0.75, 0.65, 0.55]),
        {f"nodes.{i}.restitution": 0.7 for i in range(4)},
    ),
    "viscoelastic": (jc.ViscoelasticRestitution(restitution=0.75), {"restitution": 0.5}),
}


def scene(law: object) -> jc.Scene:
    """A ball on a plane."""
    return jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.03), contact=jc.ContactModel(normal=law))


def started(law: object, guesses: dict[str, float]) -> jc.Scene:
    """The scene with other starting values."""
    here = scene(law)
    for name, value in guesses.items():
        here = put(here, NORMAL + name, value)
    return here


def table(law: object, *, noise: float = 0.004, rows: int = 40) -> ImpactTable:
    """Head-on impacts at 0.2 to 8 m/s."""
    speeds = np.geomspace(0.2, 8.0, rows)
    measured = np.asarray(law.restitution_at(speeds, mass=0.03)) + noise * np.random.default_rng(
        5
    ).standard_normal(rows)
    sigma = {"normal_restitution": np.full(rows, noise)}
    return ImpactTable(
        name="e(v)",
        impact_angle=np.zeros(rows),
        impact_speed=speeds,
        normal_restitution=measured,
        sigma=sigma,
    )


def drop(
    law: object,
    *,
    height: float,
    seed: int,
    noise: float = 3e-4,
    deviation: tuple[float, ...] = (0.0,),
) -> Recording:
    """A ball dropped from ``height``, 300 pictures a second; flights are parabolas, speeds fall as
    the law says.
    """
    times = np.arange(0.0, 1.5, 1 / 240)
    fall = np.sqrt(2 * height / 9.81)
    speed, start, z = 9.81 * fall, fall, height - 9.81 * times**2 / 2
    index = 0
    while start < times[-1] and speed > 0.02:
        own = law.replace(deviation=np.asarray(deviation)).of_impact(jnp.asarray(index))
        speed *= float(own.restitution_at(speed, mass=0.03))
        local = times - start
        z = np.where(local >= 0, speed * local - 9.81 * local**2 / 2, z)
        start, index = start + 2 * speed / 9.81, index + 1
    position = np.full((times.size, 3), np.nan)
    position[:, 2] = z + 0.01 + noise * np.random.default_rng(seed).standard_normal(times.size)
    return Recording(
        name=f"drop {seed}",
        time=times,
        position=position,
        sigma=np.where(np.isnan(position), np.nan, noise),
    )


def assert_true(found: cal.Fit, truth: jc.Scene) -> None:
    """Converged, explained, and every value within 3.5 standard errors of the truth."""
    assert found.converged
    assert found.explained
    for path, estimate in found.parameters.items():
        assert abs(estimate.value - float(get(truth, path))) < 3.5 * estimate.sd, path
        assert np.isfinite(estimate.sd)


@pytest.mark.long("table", "viscoelastic")
@pytest.mark.slow
@pytest.mark.parametrize(("law", "guesses"), TRUTHS.values(), ids=TRUTHS)
def test_a_table_gives_back_the_law(law, guesses):
    found = fit(
        Problem(started(law, guesses), [table(law)], free=[NORMAL + name for name in guesses])
    )
    assert_true(found, scene(law))


def test_a_constant_restitution_does_not_explain_a_table_that_falls():
    law, _ = TRUTHS["power law"]
    found = fit(
        Problem(
            scene(jc.NewtonRestitution(restitution=0.7)),
            [table(law)],
            free=[NORMAL + "restitution"],
        )
    )
    assert not found.explained


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "power law",
        pytest.param("table", marks=pytest.mark.slow),
        pytest.param("exponential", marks=pytest.mark.slow),
    ],
)
def test_bouncing_balls_give_back_the_law_bounce_by_bounce(name):
    law, guesses = TRUTHS[name]
    drops = [drop(law, height=height, seed=seed) for seed, height in enumerate((2.0, 0.6))]
    problem = Problem(
        started(law, {}),
        drops,
        free=[NORMAL + name for name in guesses],
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
    )
    nudged = {NORMAL + name: 0.9 * float(get(scene(law), NORMAL + name)) for name in guesses}
    assert_true(fit(problem, start=nudged), scene(law))


@pytest.mark.long
def test_a_table_and_a_drop_are_fitted_with_one_law_object():
    law, guesses = TRUTHS["power law"]
    measured = [table(law, noise=0.02), drop(law, height=1.0, seed=3)]
    nuisance = [cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()]
    found = fit(
        Problem(
            started(law, guesses),
            measured,
            free=[NORMAL + name for name in guesses],
            nuisance=nuisance,
        )
    )
    assert_true(found, scene(law))
    alone = fit(Problem(scene(law), measured[:1], free=[NORMAL + name for name in guesses]))
    for path, estimate in found.parameters.items():
        assert estimate.sd < alone.parameters[path].sd


@pytest.mark.long
def test_impacts_may_scatter_about_a_law_that_falls():
    law, guesses = TRUTHS["power law"]
    scatter = 0.1 * np.random.default_rng(11).standard_normal((3, 12))
    measured = [
        drop(law, height=height, seed=seed, deviation=tuple(scatter[seed]))
        for seed, height in enumerate((2.0, 1.2, 0.8))
    ]
    nuisance = [
        cal.nuisances.InitialState(),
        cal.nuisances.SurfaceHeight(),
        cal.nuisances.RestitutionScatter(impacts=12, sd=0.1),
    ]
    found = fit(
        Problem(scene(law), measured, free=[NORMAL + name for name in guesses], nuisance=nuisance)
    )
    assert found.converged
    for path, estimate in found.parameters.items():
        assert abs(estimate.value - float(get(scene(law), path))) < 3.5 * estimate.sd


@pytest.mark.long
def test_a_fit_differentiates_through_the_speeds_of_the_impacts():
    law, _ = TRUTHS["power law"]

    def landed(exponent: jax.Array) -> jax.Array:
        here = scene(law.replace(velocity_exponent=exponent))
        start = jc.state(position=[0.0, 0.0, 1.01])
        return jc.simulate(
            here, start, jnp.array([0.0, 1.0]), method=jc.Impulse(max_contacts=4)
        ).position[1, 2]

    slope, step = jax.grad(landed)(0.25), 1e-5
    assert float(slope) == pytest.approx(
        float((landed(0.25 + step) - landed(0.25 - step)) / (2 * step)), rel=1e-7
    )
