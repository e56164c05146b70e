"""Elastic and damped normal forces, and the materials they come from."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact import materials
from jaxcontact.laws.normal import damping, elastic


@pytest.fixture(scope="module")
def analytic(reference_dir):
    return json.loads((reference_dir / "closed_form" / "analytic_solutions.json").read_text())


def test_an_undamped_impact_agrees_with_the_analytic_cases(analytic):
    for case in analytic["elastic_power_law"]["cases"]:
        about = {"mass": case["m"], "stiffness": case["K"], "exponent": case["n"]}
        deepest = elastic.maximum_overlap(case["v"], **about)
        assert deepest == pytest.approx(case["d_max"], rel=1e-13)
        assert elastic.power_law_force(
            deepest, stiffness=case["K"], exponent=case["n"]
        ) == pytest.approx(case["F_max"], rel=1e-13)
        assert elastic.contact_duration(case["v"], **about) == pytest.approx(case["t_c"], rel=1e-11)
        energy = elastic.elastic_energy(deepest, stiffness=case["K"], exponent=case["n"])
        assert energy == pytest.approx(0.5 * case["m"] * case["v"] ** 2, rel=1e-13)


def test_the_sensitivities_of_a_hertz_impact_are_the_published_exponents(analytic):
    published = analytic["elastic_power_law"]["log_sensitivities_hertz"]

    def outputs(log):
        v, modulus, m, radius = jnp.exp(log)
        stiffness = materials.hertz_stiffness(modulus, radius)
        about = {"mass": m, "stiffness": stiffness, "exponent": 1.5}
        deepest = elastic.maximum_overlap(v, **about)
        return jnp.log(
            jnp.array(
                [
                    deepest,
                    elastic.hertz_force(deepest, stiffness=stiffness),
                    elastic.contact_duration(v, **about),
                ]
            )
        )

    slopes = jax.jacrev(outputs)(jnp.log(jnp.array([1.3, 70e9, 2e-3, 1e-2])))
    for row, name in zip(slopes, ("d_max", "F_max", "t_c"), strict=True):
        np.testing.assert_allclose(
            row, [published[name][key] for key in ("v", "E*", "m", "R")], atol=1e-13
        )


def test_hertz_theory_gives_the_classical_duration(analytic):
    modulus, radius, mass, speed = 30e9, 0.01, 0.01, 2.0
    duration = elastic.contact_duration(
        speed, mass=mass, stiffness=materials.hertz_stiffness(modulus, radius), exponent=1.5
    )
    factor = duration * (mass**2 / (radius * modulus**2 * speed)) ** -0.2
    assert factor == pytest.approx(
        2.868265699195331, rel=1e-13
    )  # Johnson (1985), section 11.4, with more digits


def test_a_power_of_the_overlap_has_the_continuous_derivatives_of_that_power():
    smoothness = jc.laws.LAWS["power_law_force"].smoothness_at
    assert [smoothness(exponent=n) for n in (1.0, 1.5, 2.0, 2.5, 3.0)] == [0, 1, 1, 2, 2]


def test_the_static_overlap_agrees_with_the_analytic_cases(analytic):
    for case in analytic["static_and_small_vibration"]["cases"]:
        rest = elastic.static_overlap(
            case["m"] * case["g"], stiffness=case["K"], exponent=case["n"]
        )
        assert rest == pytest.approx(case["d_static"], rel=1e-13)
        tangent = jax.grad(elastic.power_law_force)(rest, stiffness=case["K"], exponent=case["n"])
        assert np.sqrt(tangent / case["m"]) == pytest.approx(case["omega"], rel=1e-13)


def test_a_linear_contact_lasts_half_a_period():
    assert elastic.contact_duration(3.0, mass=2.0, stiffness=50.0, exponent=1) == pytest.approx(
        np.pi * np.sqrt(2.0 / 50.0), rel=1e-13
    )


def test_force_is_the_derivative_of_energy():
    overlap = jnp.linspace(1e-4, 1.0, 7)
    for exponent in (1, 1.5, 2, 2.2):
        slope = jax.vmap(
            jax.grad(lambda d, n=exponent: elastic.elastic_energy(d, stiffness=3.0, exponent=n))
        )(overlap)
        np.testing.assert_allclose(
            slope, elastic.power_law_force(overlap, stiffness=3.0, exponent=exponent), rtol=1e-14
        )


def test_damped_forces_follow_their_formulas():
    d, rate = 2e-3, -0.7
    assert damping.linear_dashpot_force(d, rate, stiffness=5e3, damping=4.0) == pytest.approx(
        5e3 * d + 4.0 * rate, rel=1e-15
    )
    hertz = 1e7 * d**1.5
    assert damping.hunt_crossley_force(
        d, rate, stiffness=1e7, exponent=1.5, dissipation=0.4
    ) == pytest.approx(hertz * (1 + 0.4 * rate), rel=1e-15)
    tsuji = damping.tsuji_dashpot_force(d, rate, stiffness=1e7, mass=0.02, alpha=0.3)
    assert tsuji == pytest.approx(hertz + 0.3 * np.sqrt(2e5) * d**0.25 * rate, rel=1e-14)


def test_without_overlap_there_is_no_force_however_fast_the_bodies_move():
    for overlap in (0.0, -1e-3):
        assert damping.linear_dashpot_force(overlap, 5.0, stiffness=5e3, damping=4.0) == 0
        assert (
            damping.hunt_crossley_force(overlap, 5.0, stiffness=5e3, exponent=1.5, dissipation=4.0)
            == 0
        )
        assert damping.tsuji_dashpot_force(overlap, 5.0, stiffness=5e3, mass=1.0, alpha=4.0) == 0


def test_tension_is_allowed_or_not():
    attracting = damping.linear_dashpot_force(1e-6, -1.0, stiffness=1e3, damping=2.0)
    assert attracting < 0
    assert damping.no_tension(attracting) == 0
    assert damping.no_tension(3.0) == 3.0


def test_effective_quantities_combine_two_bodies_and_drop_an_infinite_one():
    steel, rubber = (
        materials.Solid(youngs_modulus=210e9, poisson_ratio=0.3),
        materials.Solid(youngs_modulus=1e6, poisson_ratio=0.5),
    )
    assert materials.effective_modulus(steel) == pytest.approx(210e9 / 0.91)
    assert materials.effective_modulus(steel, rubber) == pytest.approx(
        1 / (0.91 / 210e9 + 0.75 / 1e6)
    )
    assert steel.shear_modulus == pytest.approx(210e9 / 2.6)
    assert materials.effective_radius(0.02) == pytest.approx(0.02)
    assert materials.effective_radius(0.02, 0.03) == pytest.approx(0.012)
    assert materials.effective_mass(2.0, 2.0) == pytest.approx(1.0)
    assert materials.hertz_stiffness(3e9, 0.01) == pytest.approx(4e8)
    for function in (materials.effective_radius, materials.effective_mass):
        assert jax.grad(function)(0.02, jnp.inf) == pytest.approx(1.0)
        assert jax.grad(jax.grad(function))(0.02, jnp.inf) == pytest.approx(0.0)


def test_a_gradient_in_a_solid_has_the_shape_of_a_solid():
    slope = jax.grad(
        lambda solid: materials.hertz_stiffness(materials.effective_modulus(solid), 0.01)
    )(materials.ALUMINA)
    assert slope.youngs_modulus == pytest.approx(4 / 3 * 0.1 / (1 - 0.23**2))
    assert slope.density == 0
    without = jax.grad(materials.effective_modulus)(materials.SODA_LIME_GLASS)
    assert without.density is None


def test_a_wrong_solid_is_refused_with_the_range():
    with pytest.raises(
        ValueError, match=r"Solid: poisson_ratio = 0.6 - is outside \(-1, 0.5\] \(Poisson's ratio\)"
    ):
        materials.Solid(youngs_modulus=1e9, poisson_ratio=0.6)
    with pytest.raises(ValueError, match=r"youngs_modulus = 0 Pa is outside \(0, inf\)"):
        materials.Solid(youngs_modulus=0.0, poisson_ratio=0.3)
    with pytest.raises(TypeError, match="youngs_modulus = None is not a number"):
        materials.Solid(youngs_modulus=None, poisson_ratio=0.3)
