"""What must hold of restitutions that depend on the speed: published limits, an independent
interpolation, bounds, finite slopes.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import jaxcontact as jc
from jaxcontact.laws import rigid_impact
from jaxcontact.laws.normal.plastic import thornton_restitution, thornton_yield_speed
from jaxcontact.laws.normal.restitution import (
    broken_power_law_restitution,
    power_law_restitution,
    smooth_power_law_restitution,
)
from jaxcontact.parameters import declared_parameters, get, put

LAWS = {
    "power law": jc.PowerLawRestitution(restitution=0.6, velocity_exponent=0.25),
    "smooth power law": jc.PowerLawRestitution(
        restitution=0.6, velocity_exponent=0.25, sharpness=4.0
    ),
    "broken power law": jc.BrokenPowerLawRestitution(
        restitution=0.6, mean_exponent=0.125, exponent_change=0.125
    ),
    "exponential": jc.ExponentialRestitution(
        restitution=0.9, decay_speed=3.0, limit_restitution=0.2
    ),
    "exponential to zero": jc.ExponentialRestitution(restitution=0.9, decay_speed=3.0),
    "rational": jc.RationalRestitution(restitution=1.0, decay_speed=3.0),
    "rational, steep": jc.RationalRestitution(
        restitution=0.95, decay_speed=3.0, steepness=2.5, limit_restitution=0.1
    ),
    "Thornton": jc.ThorntonRestitution(yield_speed=0.05),
    "table": jc.TabulatedRestitution.through([0.1, 0.4, 1.0, 4.0], [0.95, 0.9, 0.7, 0.55]),
    "viscoelastic": jc.ViscoelasticRestitution(restitution=0.7),
}
SPEEDS = np.concatenate([[0.0], np.logspace(-9, 9, 181)])


@pytest.mark.long
def test_a_broken_power_law_has_a_power_on_either_side():
    known = {"restitution": 0.6, "reference_speed": 1.0, "exponent_change": 0.05}
    for speed, exponent in ((1e-3, 0.1 - 0.05), (1e3, 0.1 + 0.05)):
        near = [
            float(broken_power_law_restitution(speed * f, mean_exponent=0.1, **known))
            for f in (1.0, 1.1)
        ]
        assert np.log(near[0] / near[1]) / np.log(1.1) == pytest.approx(exponent, rel=1e-4)
    straight = broken_power_law_restitution(
        SPEEDS, restitution=0.6, reference_speed=1.3, mean_exponent=0.25, exponent_change=0.0
    )
    np.testing.assert_allclose(
        straight,
        power_law_restitution(SPEEDS, restitution=0.6, reference_speed=1.3, velocity_exponent=0.25),
        rtol=1e-12,
    )


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_restitution_stays_in_its_interval_and_falls_with_speed(law):
    found = np.asarray(law.restitution_at(SPEEDS, mass=0.1))
    assert np.all((found > 0) & (found <= 1 + 1e-15))
    assert np.all(np.diff(found) <= 1e-15)


@pytest.mark.slow
@pytest.mark.long("viscoelastic-float32", "table-float32")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_slopes_are_finite_from_rest_to_any_speed(law, dtype):
    law, speeds = (
        jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), law),
        jnp.asarray(SPEEDS, dtype),
    )
    slope = jax.vmap(
        jax.grad(lambda law, v: law.restitution_at(v, mass=dtype(0.1)), argnums=(0, 1)),
        in_axes=(None, 0),
    )(law, speeds)
    assert all(np.all(np.isfinite(leaf)) for leaf in jax.tree.leaves(slope))


def test_a_power_law_is_one_until_it_falls():
    law = LAWS["power law"]
    np.testing.assert_allclose(
        law.restitution_at(np.array([1.0, 16.0, 256.0]), mass=1.0), [0.6, 0.3, 0.15], rtol=1e-14
    )
    assert law.restitution_at(0.6**4 * 0.999, mass=1.0) == 1
    assert law.restitution_at(0.6**4 * 1.01, mass=1.0) < 1


@pytest.mark.parametrize("sharpness", [2.0, 8.0])
def test_the_smooth_power_law_differs_by_no_more_than_it_says(sharpness):
    known = {"restitution": 0.6, "reference_speed": 1.0, "velocity_exponent": 0.25}
    speeds = np.append(0.6**4, SPEEDS)  # first where the power law reaches 1
    difference = power_law_restitution(speeds, **known) - smooth_power_law_restitution(
        speeds, **known, sharpness=sharpness
    )
    bound = 1 - 2 ** (-0.25 / sharpness)
    assert np.all(difference >= -1e-15)
    assert np.max(difference) == pytest.approx(bound, rel=1e-12)
    assert np.argmax(difference) == 0
    assert abs(difference[-1]) < 1e-15


def test_thornton_s_law_by_yield_speed_is_that_of_the_solid():
    solid = {"effective_modulus": 1e11, "effective_radius": 5e-3, "yield_pressure": 2e9}
    law = jc.ThorntonRestitution(yield_speed=float(thornton_yield_speed(mass=4e-3, **solid)))
    np.testing.assert_allclose(
        law.restitution_at(SPEEDS, mass=9.0),
        thornton_restitution(SPEEDS, mass=4e-3, **solid),
        rtol=1e-13,
    )
    # 1.185 (v_y/v)^(1/4) far above the yield speed (Thornton 1997).
    assert law.restitution_at(1e6 * law.yield_speed, mass=1.0) == pytest.approx(
        1.185 * 1e6**-0.25, rel=2e-3
    )


@pytest.mark.parametrize(
    "restitutions", [[0.95, 0.9, 0.7, 0.55], [0.9, 0.6, 0.8, 0.8], [0.5, 0.9, 0.9, 0.2]]
)
def test_a_table_is_scipy_s_monotone_cubic_in_the_logarithm_and_constant_outside(restitutions):
    nodes = [0.1, 0.4, 1.0, 4.0]
    law = jc.TabulatedRestitution.through(nodes, restitutions)
    inside = np.geomspace(0.1, 4.0, 77)
    np.testing.assert_allclose(
        law.restitution_at(inside, mass=1.0),
        PchipInterpolator(np.log(nodes), restitutions)(np.log(inside)),
        atol=1e-14,
    )
    assert law.restitution_at(1e-3, mass=1.0) == pytest.approx(restitutions[0])
    assert law.restitution_at(1e3, mass=1.0) == pytest.approx(restitutions[-1])


def test_a_node_is_a_parameter_with_a_path():
    law = LAWS["table"]
    paths = [path for path, _, _ in declared_parameters(law)]
    assert "nodes.2.restitution" in paths
    changed = put(law, "nodes.2.restitution", 0.6)
    assert get(changed, "nodes.2.restitution") == 0.6
    assert changed.restitution_at(1.0, mass=1.0) == pytest.approx(0.6)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_impacts_deviate_on_the_logistic_scale_whatever_the_law(law):
    scattered = law.replace(deviation=np.array([0.3, -0.2, 0.0]))
    for index, deviation in ((0, 0.3), (1, -0.2), (2, 0.0), (7, 0.0)):
        common = float(law.restitution_at(2.0, mass=0.1))
        own = float(scattered.of_impact(jnp.asarray(index)).restitution_at(2.0, mass=0.1))
        assert np.log(own / (1 - own)) - np.log(common / (1 - common)) == pytest.approx(
            deviation, abs=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_dropped_ball_rebounds_as_the_law_says_at_each_speed(law):
    scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.03), contact=jc.ContactModel(normal=law))
    start = jc.state(position=[0.0, 0.0, 1.01])
    contacts = jc.simulate(  # of which some laws give more until 1.6 s than the three needed here
        scene, start, np.linspace(0, 1.6, 3), method=jc.Impulse(max_contacts=4), strict=False
    ).contacts
    speed = np.sqrt(2 * 9.81)
    assert contacts.impact_speed[0] == pytest.approx(speed, rel=1e-12)
    for before, after in zip(contacts.impact_speed[:2], contacts.impact_speed[1:3], strict=True):
        assert after == pytest.approx(
            float(before * law.restitution_at(before, mass=0.03)), rel=1e-9
        )


@pytest.mark.parametrize(
    ("build", "text"),
    [
        (
            lambda: jc.PowerLawRestitution(restitution=0.5, sharpness=1.0),
            "sharpness = 1.0 is not None or a number in [2, inf)",
        ),
        (
            lambda: jc.PowerLawRestitution(restitution=0.5, velocity_exponent=0.0),
            "velocity_exponent = 0 - is outside (0, inf)",
        ),
        (
            lambda: jc.ThorntonRestitution(yield_speed=-1.0),
            "yield_speed = -1 m/s is outside (0, inf)",
        ),
        (
            lambda: jc.RationalRestitution(restitution=0.5, decay_speed=1.0, steepness=0.5),
            "steepness = 0.5 - is outside [1, inf)",
        ),
        (lambda: jc.TabulatedRestitution.through([1.0], [0.5]), "1 nodes; give at least 2"),
        (
            lambda: jc.TabulatedRestitution.through([1.0, 0.5], [0.5, 0.6]),
            "the speeds 1, 0.5 m/s do not increase",
        ),
        (lambda: jc.TabulatedRestitution.through([1.0, 2.0], [0.5]), "2 speeds and 1 restitutions"),
        (
            lambda: jc.TabulatedRestitution.through([1.0, 2.0], [0.5, 1.5]),
            "restitution = 1.5 - is outside (0, 1]",
        ),
    ],
)
def test_a_wrong_parameter_is_named_with_its_range(build, text):
    with pytest.raises(
        ValueError,
        match=text.replace("(", r"\(").replace("[", r"\[").replace(")", r"\)").replace("]", r"\]"),
    ):
        build()


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("deviation", [-1e4, -400.0, 400.0, 1e4])
def test_a_deviation_of_any_size_leaves_a_restitution_and_its_derivatives(deviation, dtype):
    """A search for an impact that loses nothing runs to where ``e/(1 - e)`` has no number."""
    for restitution in (1e-3, 0.9, 1.0):
        at = jnp.asarray(restitution, dtype), jnp.asarray(deviation, dtype)
        value = rigid_impact.with_odds(*at)
        slopes = jax.grad(rigid_impact.with_odds, argnums=(0, 1))(*at)
        assert np.all(np.isfinite(np.asarray([value, *slopes])))
        assert value == pytest.approx(float(deviation > 0 or restitution == 1.0), abs=1e-9)
