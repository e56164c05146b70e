"""What a report shows of a fit beside its curves: impacts, noise, the force of a law, sources."""

from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.fitting.shown.contact_force import force_loops, is_compliant
from calibration.fitting.shown.sources import sources_of

pytestmark = pytest.mark.slow

RESTITUTION = "contact.normal.restitution"


def ball(law, **given):
    return jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law, **given)
    )


@pytest.fixture(scope="module")
def table():
    measured = np.array([0.81, 0.79, np.nan, 0.80])
    return cal.ImpactTable(
        name="drops",
        impact_angle=np.array([0.0, 0.0, 0.0, 60.0]),
        impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        normal_restitution=measured,
        sigma={"normal_restitution": np.full(4, 0.01)},
    )


@pytest.fixture(scope="module")
def of_table(table):
    scene = ball(jc.NewtonRestitution(restitution=0.7))
    return cal.fit(cal.Problem(scene, [table], free=[RESTITUTION]))


@pytest.fixture(scope="module")
def of_sounds():
    """Intervals that shrink by exactly 0.8."""
    times = 0.3 + np.concatenate([[0.0], np.cumsum(0.5 * 0.8 ** np.arange(5))])
    sounds = cal.measurements.BounceTimes(times, sigma=2e-4)
    scene = ball(jc.NewtonRestitution(restitution=0.7))
    problem = cal.Problem(
        scene, [sounds], free=[RESTITUTION], nuisance=[cal.nuisances.FirstImpact()]
    )
    return cal.fit(problem)


def test_impacts_of_a_table_are_its_rows_at_their_normal_speeds(of_table):
    impacts = of_table.impacts.impacts
    assert [(impact.trial, impact.number) for impact in impacts] == [
        ("drops", 1),
        ("drops", 2),
        ("drops", 4),
    ]
    np.testing.assert_allclose([impact.speed for impact in impacts], [1.0, 2.0, 2.0])
    np.testing.assert_allclose([impact.restitution for impact in impacts], [0.81, 0.79, 0.80])
    (pooled,) = of_table.impacts.trials
    assert pooled.number == 3
    assert pooled.restitution == pytest.approx(0.8)
    assert pooled.sd == pytest.approx(0.01 / np.sqrt(3))
    np.testing.assert_allclose(of_table.impacts.law, of_table.parameters[RESTITUTION].value)


def test_the_noise_of_a_table_is_as_stated_and_what_was_not_measured_is_not_given(of_table):
    (noise,) = of_table.noise
    assert noise.origin == "stated"
    assert noise.sigma == pytest.approx((0.01, 0.01))
    assert (noise.used, noise.given) == (3, 3)
    assert noise.quantity == "normal restitution [-]"


def test_intervals_between_sounds_tell_the_restitution_of_each_impact_with_its_sd(of_sounds):
    impacts = of_sounds.impacts.impacts
    assert [impact.number for impact in impacts] == [2, 3, 4, 5]
    np.testing.assert_allclose([impact.restitution for impact in impacts], 0.8, atol=1e-6)
    np.testing.assert_allclose(
        [impact.speed for impact in impacts], 9.81 / 2 * 0.5 * 0.8 ** np.arange(4), rtol=1e-4
    )
    noise = 2e-4 * np.random.default_rng(1).standard_normal((20000, 3))
    for place, impact in enumerate(impacts):
        times = np.cumsum([0.0, 0.5 * 0.8**place, 0.5 * 0.8 ** (place + 1)]) + noise
        drawn = np.diff(times)[:, 1] / np.diff(times)[:, 0]
        assert impact.sd == pytest.approx(drawn.std(), rel=0.03)


def test_a_rigid_law_has_no_force(of_table):
    assert of_table.force_loops == ()


def at_minimum(scene):
    """As much of an assessment as the force needs: the scene is the fitted one."""
    return SimpleNamespace(
        scene=scene,
        minimum=SimpleNamespace(shared=np.zeros(1)),
        layout=SimpleNamespace(at=lambda scene, shared: (scene, None)),
    )


@pytest.mark.parametrize(
    "law",
    [
        jc.HuntCrossley(stiffness=4e6, restitution=0.7),
        jc.TsujiDashpot(stiffness=4e6, restitution=0.7),
        jc.LinearDashpot(stiffness=1e4, restitution=0.1, end="zero_force"),
    ],
    ids=lambda law: type(law).__name__,
)
def test_the_area_inside_a_loop_is_the_energy_that_the_impact_loses(law):
    assert is_compliant(ball(law))
    slow, fast = force_loops(at_minimum(ball(law)), [2.0, 1.0, 1.5])
    assert (slow.speed, fast.speed) == (1.0, 2.0)
    for loop in (slow, fast):
        assert loop.overlap[0] == loop.overlap[-1] == loop.force[0] == loop.force[-1] == 0
        restitution = float(law.restitution_at(jnp.asarray(loop.speed), mass=0.03))
        lost = 0.03 / 2 * loop.speed**2 * (1 - restitution**2)
        assert np.trapezoid(loop.force, loop.overlap) == pytest.approx(lost, rel=0.01)


def test_impacts_of_one_speed_have_one_loop():
    scene = ball(jc.HuntCrossley(stiffness=4e6, restitution=0.7))
    assert len(force_loops(at_minimum(scene), [1.0, 1.01])) == 1
    assert force_loops(at_minimum(scene), []) == ()


def test_a_law_with_a_memory_and_two_bodies_have_no_loop():
    assert not is_compliant(ball(jc.NewtonRestitution(restitution=0.7)))
    two = jc.Scene(
        bodies=jc.spheres(radius=[0.02, 0.02], mass=[0.03, 0.03]),
        contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=4e6, restitution=0.7)),
        surfaces=(),
    )
    assert not is_compliant(two)


def test_sources_are_those_of_the_laws_each_once():
    law = jc.HuntCrossley(stiffness=4e6, restitution=0.7)
    scene = ball(law, friction=jc.Coulomb(coefficient=0.2))
    assert sources_of(scene) == (
        "Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445",
        "Walton (1993)",
        "Foerster et al., Phys. Fluids 6 (1994) 1108-1115",
    )
