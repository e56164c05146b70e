"""Adhesion: the equations of JKR and DMT, their limits, hysteresis and energy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from jaxcontact.laws.normal import adhesion
from jaxcontact.laws.normal.elastic import hertz_force
from jaxcontact.materials import hertz_stiffness

SURFACES = [
    {"effective_modulus": 25e9, "effective_radius": 5e-3, "work_of_adhesion": 0.2},
    {"effective_modulus": 1e6, "effective_radius": 1e-3, "work_of_adhesion": 0.1},
    {"effective_modulus": 1e11, "effective_radius": 1e-6, "work_of_adhesion": 1e-4},
]
QUICK = {"xla_backend_optimization_level": 0}
FORCE = jax.jit(adhesion.jkr_force, compiler_options=QUICK)
RADIUS = jax.jit(adhesion.jkr_contact_radius, compiler_options=QUICK)
LAWS = {
    "jkr": (FORCE, adhesion.jkr_energy),
    "dmt": (jax.jit(adhesion.dmt_force), adhesion.dmt_energy),
}


def slope(function, argument):
    """Derivative of an elementwise function by one named argument."""

    def total(value, others):
        return jnp.sum(function(**{argument: value}, **others))

    return jax.jit(jax.grad(total), compiler_options=QUICK)


ENERGY_SLOPES = {name: slope(energy, "overlap") for name, (_, energy) in LAWS.items()}


def overlap_and_force(radius, surface):
    """Johnson, Kendall and Roberts's two equations, as published."""
    modulus, sphere, work = surface.values()
    overlap = radius**2 / sphere - np.sqrt(2 * np.pi * work * radius / modulus)
    return overlap, 4 * modulus * radius**3 / (3 * sphere) - np.sqrt(
        8 * np.pi * work * modulus * radius**3
    )


def last_radius(surface):
    modulus, sphere, work = surface.values()
    return (np.pi * work * sphere**2 / (8 * modulus)) ** (1 / 3)


@pytest.mark.parametrize("surface", SURFACES)
def test_radius_and_force_satisfy_both_equations_from_the_pull_off_to_deep_overlap(surface):
    radius = last_radius(surface) * np.geomspace(1.01, 1e4, 400)
    overlap, force = overlap_and_force(radius, surface)
    np.testing.assert_allclose(RADIUS(overlap, **surface), radius, rtol=1e-12)
    scale = np.maximum(
        np.abs(force),
        adhesion.jkr_pull_off_force(
            **{k: surface[k] for k in ("effective_radius", "work_of_adhesion")}
        ),
    )
    np.testing.assert_allclose(FORCE(overlap, **surface) / scale, force / scale, atol=1e-12)


@pytest.mark.parametrize("surface", SURFACES)
def test_the_largest_attraction_is_the_pull_off_force_and_the_contact_ends_at_the_separation(
    surface,
):
    pulled = {key: surface[key] for key in ("effective_radius", "work_of_adhesion")}
    separation = float(adhesion.jkr_separation_overlap(**surface))
    assert separation == pytest.approx(
        overlap_and_force(last_radius(surface), surface)[0], rel=1e-13
    )
    overlaps = np.linspace(separation, -separation, 20001)
    assert np.min(FORCE(overlaps, **surface)) == pytest.approx(
        -adhesion.jkr_pull_off_force(**pulled), rel=1e-7
    )
    assert FORCE(separation * (1 + 1e-12), **surface) == 0
    assert FORCE(separation * (1 - 1e-12), **surface) == pytest.approx(
        -5 / 6 * np.pi * np.prod(list(pulled.values())), rel=1e-5
    )
    assert FORCE(0.0, **surface) == pytest.approx(
        -4 / 3 * np.pi * np.prod(list(pulled.values())), rel=1e-13
    )


def test_radius_under_load_is_that_of_johnson_and_its_overlap_carries_the_load():
    for surface in SURFACES:
        pull_off = adhesion.jkr_pull_off_force(
            **{key: surface[key] for key in ("effective_radius", "work_of_adhesion")}
        )
        loads = pull_off * np.array([-1.0, -0.5, 0.0, 1.0, 100.0, 1e6])
        radius = adhesion.jkr_contact_radius_under_load(loads, **surface)
        modulus, sphere, _ = surface.values()
        expected = (
            0.75
            * sphere
            / modulus
            * (loads + 2 * pull_off + np.sqrt(np.maximum(4 * pull_off * (loads + pull_off), 0)))
        )
        np.testing.assert_allclose(radius**3, expected, rtol=1e-12)
        overlap = adhesion.jkr_overlap_of_radius(radius, **surface)
        np.testing.assert_allclose(
            FORCE(overlap, **surface), loads, rtol=1e-9, atol=1e-9 * pull_off
        )
        assert adhesion.jkr_contact_radius_under_load(-1.01 * pull_off, **surface) == 0


def test_without_adhesion_jkr_and_dmt_are_hertz_and_their_slope_by_the_work_is_right():
    surface = {"effective_modulus": 1e9, "effective_radius": 1e-3}
    overlaps = np.array([-1e-6, 0.0, 1e-9, 1e-6, 1e-4])
    hertz = hertz_force(overlaps, stiffness=hertz_stiffness(1e9, 1e-3))
    for law in (adhesion.jkr_force, adhesion.dmt_force):
        np.testing.assert_allclose(
            law(overlaps, work_of_adhesion=0.0, **surface), hertz, rtol=1e-14
        )
    # To first order in w, at a given overlap, JKR is Hertz minus pi w R.
    by_work = slope(adhesion.jkr_force, "work_of_adhesion")
    assert by_work(0.0, {"overlap": 1e-6, **surface}) == pytest.approx(-np.pi * 1e-3, rel=1e-12)
    assert by_work(1e-9, {"overlap": 1e-6, **surface}) == pytest.approx(-np.pi * 1e-3, rel=1e-3)


@pytest.mark.parametrize("surface", SURFACES)
def test_the_force_is_the_slope_of_the_energy(surface):
    separation = float(adhesion.jkr_separation_overlap(**surface))
    overlaps = np.array([0.99 * separation, 0.5 * separation, 0.0, -separation, -100 * separation])
    for name, (force, _) in LAWS.items():
        np.testing.assert_allclose(
            ENERGY_SLOPES[name](overlaps, surface), force(overlaps, **surface), rtol=1e-10
        )


@pytest.mark.parametrize("surface", SURFACES)
def test_a_cycle_of_touching_and_separating_takes_the_work_of_separation(surface):
    separation = float(adhesion.jkr_separation_overlap(**surface))
    path = np.concatenate(
        [
            np.linspace(3 * separation, -5 * separation, 4001),
            np.linspace(-5 * separation, 3 * separation, 4001),
        ]
    )

    def step(memory, overlap):
        force, memory = adhesion.jkr_force_with_memory(memory, overlap, **surface)
        return memory, (force, memory.touching)

    memory = adhesion.AdhesiveContact(jnp.asarray(False))
    _, (force, touching) = jax.jit(lambda path: jax.lax.scan(step, memory, path))(path)
    force, touching = np.asarray(force), np.asarray(touching)
    inward = np.arange(path.size) <= 4000
    assert np.array_equal(touching, np.where(inward, path >= 0, path > separation))
    assert np.all(force[~touching] == 0)
    work = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(path))
    lost = float(adhesion.jkr_work_of_separation(**surface))
    assert work == pytest.approx(lost, rel=3e-3)
    pulled, _ = quad(
        lambda d: -float(FORCE(d, **surface)) / lost,
        separation * (1 - 1e-13),
        0,
        epsrel=1e-10,
        points=[0.9999 * separation],
    )
    assert pulled == pytest.approx(1, rel=1e-6)
    modulus, sphere, work_of_adhesion = surface.values()
    published = 7.09 * (work_of_adhesion**5 * sphere**4 / modulus**2) ** (1 / 3)
    assert lost == pytest.approx(published, rel=0.01)


def test_adhesive_restitution_is_zero_up_to_the_sticking_speed_and_tends_to_one():
    law = adhesion.JohnsonKendallRoberts(
        effective_modulus=1e9, effective_radius=1e-5, work_of_adhesion=0.05
    )
    stick = float(law.sticking_speed(mass=1e-11))
    assert law.restitution_at(0.0, mass=1e-11) == law.restitution_at(0.99 * stick, mass=1e-11) == 0
    assert law.restitution_at(2 * stick, mass=1e-11) == pytest.approx(np.sqrt(0.75), rel=1e-12)
    assert law.restitution_at(1e3 * stick, mass=1e-11) == pytest.approx(1, abs=1e-6)
    assert np.isfinite(jax.grad(lambda v: law.restitution_at(v, mass=1e-11))(0.0))
    assert law.force(-1e-9, 1.0, impact_speed=1.0, mass=1e-11) == 0
    assert law.force(-1e-9, -1.0, impact_speed=1.0, mass=1e-11) < 0


def test_the_smooth_form_of_dmt_stays_within_its_bound():
    surface = SURFACES[1]
    overlaps, width = np.linspace(-1e-5, 1e-5, 2001), 1e-6
    hard, smooth = (
        adhesion.dmt_force(overlaps, **surface),
        adhesion.smooth_dmt_force(overlaps, width=width, **surface),
    )
    bound = 2 * np.pi * 0.1 * 1e-3 * np.minimum(0.5, np.exp(-np.abs(overlaps) / width))
    assert np.all(np.abs(hard - smooth) <= bound * (1 + 1e-9))


def test_single_precision_and_extreme_scales_stay_finite():
    work = np.geomspace(1e-12, 10, 20)[:, None, None]
    modulus = np.geomspace(1e3, 1e12, 8)[:, None]
    overlap = np.concatenate([[-1e-3, 0.0], np.geomspace(1e-12, 1e-2, 12)])
    for dtype in (np.float32, np.float64):
        arguments = [
            np.broadcast_to(x, (20, 8, 14)).astype(dtype).ravel() for x in (overlap, modulus, work)
        ]
        law = jax.vmap(
            jax.value_and_grad(
                lambda d, e, w: adhesion.jkr_force(
                    d, effective_modulus=e, effective_radius=d * 0 + 1e-3, work_of_adhesion=w
                ),
                argnums=(0, 1, 2),
            )
        )
        for result in jax.tree.leaves(jax.jit(law)(*arguments)):
            assert result.dtype == dtype
            assert np.all(np.isfinite(result))


def test_a_negative_work_of_adhesion_is_rejected():
    with pytest.raises(ValueError, match=r"work_of_adhesion = -1 J/m\^2 is outside \[0, inf\)"):
        adhesion.jkr_force(
            1e-6, effective_modulus=1e9, effective_radius=1e-3, work_of_adhesion=-1.0
        )


def test_tabor_parameter_falls_with_stiffness():
    soft = adhesion.tabor_parameter(
        effective_modulus=1e6, effective_radius=1e-3, work_of_adhesion=0.05
    )
    hard = adhesion.tabor_parameter(
        effective_modulus=1e11, effective_radius=1e-8, work_of_adhesion=0.05
    )
    assert soft > 5
    assert hard < 0.1
    assert (
        brentq(
            lambda e: (
                adhesion.tabor_parameter(
                    effective_modulus=e, effective_radius=1e-3, work_of_adhesion=0.05
                )
                - 1
            ),
            1e6,
            1e14,
        )
        > 0
    )


def test_a_simulated_contact_is_torn_off_at_five_sixths_of_pi_w_r():
    """Of fixed grips, with little to go; and the force does not jump there."""
    for surface in SURFACES:
        law = adhesion.JohnsonKendallRoberts(**surface)
        on = law.begun(law.unloaded(()), jnp.zeros(()))
        torn = -5 / 6 * np.pi * surface["work_of_adhesion"] * surface["effective_radius"]
        end = law.end_overlap(on)
        at = [law.branch_force(on, share * end) for share in (2.0, 1.0, 1.0 - 1e-7)]
        np.testing.assert_allclose(at[:2], torn, rtol=1e-12)
        assert at[2] == pytest.approx(torn, rel=1e-3)
