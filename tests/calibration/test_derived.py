"""What must hold of physical parameterisations: values go round, laws say the same, balls of any
size share a modulus.
"""

import jax
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.problem.problem import Problem
from calibration.problem.residuals import residuals
from calibration.problem.trial import Trial
from jaxcontact.laws.normal.elastic import contact_duration
from jaxcontact.materials import ALUMINA, STEEL, Solid, effective_modulus, hertz_stiffness
from jaxcontact.parameters import get
from tests.calibration.fitting.test_fit import recording

STIFFNESS, RESTITUTION = "contact.normal.stiffness", "contact.normal.restitution"


def scene(normal: object) -> jc.Scene:
    """A ball on a plane."""
    return jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=normal)
    )


HERTZ = jc.HuntCrossley(stiffness=2e6, restitution=0.8)
CASES = {
    "modulus": (cal.derived.YoungsModulus(poisson_ratio=0.3), HERTZ, STIFFNESS),
    "modulus on a partner": (
        cal.derived.YoungsModulus(poisson_ratio=0.45, partner=STEEL),
        HERTZ,
        STIFFNESS,
    ),
    "Poisson's ratio": (cal.derived.PoissonRatio(youngs_modulus=9e6), HERTZ, STIFFNESS),
    "duration, Hertz": (cal.derived.ContactDuration(speed=2.0), HERTZ, STIFFNESS),
    "duration, linear": (
        cal.derived.ContactDuration(),
        jc.LinearDashpot(stiffness=1e5, restitution=0.6),
        STIFFNESS,
    ),
    "damping, linear": (
        cal.derived.DampingRatio(),
        jc.LinearDashpot(stiffness=1e5, restitution=0.6),
        RESTITUTION,
    ),
    "damping, Tsuji": (
        cal.derived.DampingRatio(),
        jc.TsujiDashpot(stiffness=1e5, restitution=0.6, end="zero_force"),
        RESTITUTION,
    ),
    "damping, Hunt and Crossley": (cal.derived.DampingRatio(), HERTZ, RESTITUTION),
}


@pytest.mark.slow
@pytest.mark.parametrize(("quantity", "law", "path"), CASES.values(), ids=CASES)
def test_values_go_round_and_move_what_they_stand_for(quantity, law, path):
    here = scene(law)
    value = quantity.initial_value(here)
    parameter = quantity.parameter(here)
    assert parameter.about.interval.contains(value)
    assert float(get(quantity.apply(here, value), path)) == pytest.approx(
        float(get(here, path)), rel=1e-12
    )
    other = quantity.apply(here, 1.1 * value)
    assert float(np.asarray(quantity.value_in(other))) == pytest.approx(1.1 * value, rel=1e-12)
    assert float(parameter.value(parameter.coordinate(value))) == pytest.approx(value, rel=1e-9)
    assert np.isfinite(jax.grad(lambda value: get(quantity.apply(here, value), path))(value))
    assert hash(quantity) == hash(
        type(quantity)(**{name: getattr(quantity, name) for name in quantity.__dataclass_fields__})
    )


def test_a_modulus_gives_the_stiffness_of_hertz():
    glass = Solid(youngs_modulus=70e9, poisson_ratio=0.25)
    found = cal.derived.YoungsModulus(poisson_ratio=0.23, partner=glass).apply(scene(HERTZ), 380e9)
    assert float(get(found, STIFFNESS)) == pytest.approx(
        float(hertz_stiffness(effective_modulus(ALUMINA, glass), 0.02)), rel=1e-12
    )
    same = cal.derived.PoissonRatio(youngs_modulus=380e9, partner=glass).apply(scene(HERTZ), 0.23)
    assert float(get(same, STIFFNESS)) == pytest.approx(float(get(found, STIFFNESS)), rel=1e-12)


def test_a_duration_is_that_of_the_undamped_contact():
    found = cal.derived.ContactDuration(speed=3.0).apply(scene(HERTZ), 1e-3)
    duration = contact_duration(3.0, mass=0.03, stiffness=get(found, STIFFNESS), exponent=1.5)
    assert float(duration) == pytest.approx(1e-3, rel=1e-12)


@pytest.mark.long
def test_balls_of_different_radius_share_a_modulus():
    small, large = (
        Trial(recording(0), values={"bodies.radius": radius}) for radius in (0.02, 0.03)
    )
    modulus, law = (
        cal.derived.YoungsModulus(poisson_ratio=0.3),
        jc.TsujiDashpot(stiffness=2e6, restitution=0.8),
    )
    nuisance = [cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()]
    method = jc.EventAligned(max_contacts=4, at_once=True, skip_unused=False)
    problem = Problem(scene(law), [small, large], free=[modulus], nuisance=nuisance, method=method)
    shared, local = problem.start
    own = residuals(problem.layout, problem.scene, shared, local, problem.data)[0][1]
    stiffer = scene(law.replace(stiffness=2e6 * np.sqrt(0.03 / 0.02)))
    alone = Problem(stiffer, [large], free=[STIFFNESS], nuisance=nuisance, method=method)
    there = residuals(alone.layout, alone.scene, alone.start[0], (local[0][1:],), alone.data)[0][0]
    np.testing.assert_allclose(own, there, atol=1e-6)


@pytest.mark.parametrize(
    ("quantity", "law", "text"),
    [
        (
            cal.derived.YoungsModulus(poisson_ratio=0.3),
            jc.NewtonRestitution(restitution=0.8),
            "the normal law of the scene is NewtonRestitution",
        ),
        (
            cal.derived.YoungsModulus(poisson_ratio=0.3),
            jc.HuntCrossley(stiffness=1e5, restitution=0.8, exponent=1.0),
            "that of Hertz is 1.5",
        ),
        (
            cal.derived.YoungsModulus(
                poisson_ratio=0.3, partner=Solid(youngs_modulus=1e6, poisson_ratio=0.3)
            ),
            HERTZ,
            "above that of a rigid sphere",
        ),
        (cal.derived.PoissonRatio(youngs_modulus=1e3), HERTZ, "Give start"),
        (cal.derived.ContactDuration(start=-1.0), HERTZ, "start = -1.0 is outside (0, inf)"),
        (cal.derived.DampingRatio(), jc.NewtonRestitution(restitution=0.8), "It can stand for"),
    ],
)
def test_what_does_not_fit_the_scene_is_an_error_with_a_remedy(quantity, law, text):
    with pytest.raises(cal.InputError) as caught:
        Problem(  # noqa: B018
            scene(law),
            [recording(0)],
            free=[quantity],
            nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
        ).start
    assert text in str(caught.value)
