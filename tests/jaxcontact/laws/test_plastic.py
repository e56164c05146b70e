"""Plastic contacts: loading, unloading and memory, the energy they keep and lose, and the
restitution that follows.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad

from jaxcontact.laws.normal import plastic
from jaxcontact.laws.normal.elastic import hertz_force
from jaxcontact.laws.normal.plastic import PlasticContact, ThorntonPlastic, WaltonBraun
from jaxcontact.materials import hertz_stiffness

WALTON = {"stiffness": 1e6, "unloading_ratio": 1.7, "hardening": 300.0}
THORNTON = {"effective_modulus": 1e11, "effective_radius": 5e-3, "yield_pressure": 1e9}
FORCES = {
    "walton": lambda memory, d: plastic.walton_braun_force(memory, d, permanent=True, **WALTON),
    "thornton": lambda memory, d: plastic.thornton_plastic_force(
        memory, d, permanent=True, **THORNTON
    ),
    "smooth": lambda memory, d: plastic.smooth_walton_braun_force(
        memory, d, stiffness=1e6, unloading_ratio=1.7, width=1e-9, permanent=True
    ),
}
ENERGIES = {
    "walton": lambda memory, d: plastic.walton_braun_energy(memory, d, **WALTON),
    "thornton": lambda memory, d: plastic.thornton_energy(memory, d, **THORNTON),
}
LOSSES = {
    "walton": lambda memory: plastic.walton_braun_dissipation(memory, **WALTON),
    "thornton": lambda memory: plastic.thornton_dissipation(memory, **THORNTON),
}
MODELS = {"walton": WaltonBraun(**WALTON), "thornton": ThorntonPlastic(**THORNTON)}


def path(name, overlaps):
    """Force and largest overlap along a path from virgin surfaces."""

    def step(memory, overlap):
        force, memory = FORCES[name](memory, overlap)
        return memory, (force, memory.largest_overlap)

    return jax.jit(lambda d: jax.lax.scan(step, PlasticContact(jnp.zeros(())), d)[1])(overlaps)


def piecewise(*ends, count=4000):
    return np.concatenate([np.linspace(a, b, count) for a, b in itertools.pairwise(ends)])


@pytest.mark.slow
@pytest.mark.parametrize("name", ENERGIES)
def test_the_work_along_any_path_is_the_stored_plus_the_dissipated_energy(name):
    overlaps = piecewise(0.0, 1e-5, 0.8e-5, 2e-5, -1e-5, 3e-5, 2.7e-5)
    force, largest = map(np.asarray, path(name, overlaps))
    work = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(overlaps))])
    memory = PlasticContact(largest)
    stored, lost = np.asarray(ENERGIES[name](memory, overlaps)), np.asarray(LOSSES[name](memory))
    np.testing.assert_allclose(work, stored + lost, atol=2e-6 * work.max())
    assert np.all(np.diff(lost) >= -1e-15 * work.max())
    assert np.all(stored >= 0)
    assert np.all(force >= 0)


@pytest.mark.parametrize("name", ENERGIES)
def test_unloading_and_reloading_follow_one_curve_with_the_slope_of_the_energy(name):
    overlaps = piecewise(0.0, 2e-5, 1.5e-5, 2e-5)
    force, _ = map(np.asarray, path(name, overlaps))
    np.testing.assert_allclose(force[4000:8000], force[8000:][::-1], rtol=1e-12)
    memory = PlasticContact(2e-5)
    at = np.array([1.6e-5, 1.9e-5])
    slope = jax.vmap(jax.grad(lambda d: ENERGIES[name](memory, d)))(at)
    np.testing.assert_allclose(
        slope, jax.vmap(lambda d: FORCES[name](memory, d)[0])(at), rtol=1e-12
    )


def test_walton_braun_has_its_lines():
    force = jax.jit(lambda D, d: plastic.walton_braun_force(PlasticContact(D), d, **WALTON)[0])
    assert force(0.0, 2e-5) == pytest.approx(20.0)
    unloading = 1.7e6 + 300.0 * 20.0
    assert force(2e-5, 1.8e-5) == pytest.approx(20.0 - unloading * 2e-6, rel=1e-12)
    residual = 2e-5 - 20.0 / unloading
    assert force(2e-5, 0.999 * residual) == 0
    assert force(2e-5, 1.001 * residual) > 0


def test_thornton_is_hertz_before_it_yields_and_then_has_his_equations():
    modulus, radius, pressure = THORNTON.values()
    force = jax.jit(
        lambda D, d: plastic.thornton_plastic_force(PlasticContact(D), d, **THORNTON)[0]
    )
    at_yield = radius * (np.pi * pressure / (2 * modulus)) ** 2
    hertz = hertz_stiffness(modulus, radius)
    for overlap in at_yield * np.array([0.1, 0.5, 1.0]):
        assert force(0.0, overlap) == pytest.approx(
            float(hertz_force(overlap, stiffness=hertz)), rel=1e-12
        )
        assert force(at_yield, overlap) == pytest.approx(
            float(hertz_force(overlap, stiffness=hertz)), rel=1e-12
        )
    first = np.pi**3 * radius**2 * pressure**3 / (6 * modulus**2)
    assert force(0.0, at_yield) == pytest.approx(first, rel=1e-12)
    largest = 8 * at_yield
    peak = first + np.pi * pressure * radius * (largest - at_yield)
    assert force(0.0, largest) == pytest.approx(peak, rel=1e-12)
    flattened = 4 * modulus / (3 * peak) * ((2 * peak + first) / (2 * np.pi * pressure)) ** 1.5
    residual = largest - radius * largest / flattened
    for overlap in residual + (largest - residual) * np.array([0.2, 0.7, 1.0]):
        expected = 4 / 3 * modulus * np.sqrt(flattened) * (overlap - residual) ** 1.5
        assert force(largest, overlap) == pytest.approx(expected, rel=1e-10)
    slope = jax.grad(lambda d: force(0.0, d))
    assert slope(at_yield * (1 - 1e-9)) == pytest.approx(
        float(slope(at_yield * (1 + 1e-9))), rel=1e-8
    )
    assert slope(at_yield) == pytest.approx(np.pi * pressure * radius, rel=1e-8)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("speed", [1e-3, 0.1, 1.0, 10.0])
def test_the_restitution_is_that_of_the_integrated_force(name, speed):
    law, mass = MODELS[name], 4e-3
    largest = float(law.largest_overlap(speed, mass=mass))
    force = jax.jit(lambda D, d: law.force_with_memory(PlasticContact(D), d)[0])
    # In units of the largest overlap, split where the slope may jump.
    loading, _ = quad(
        lambda x: float(force(0.0, x * largest)) * largest, 0, 1, limit=200, epsabs=0, epsrel=1e-10
    )
    unloading, _ = quad(
        lambda x: float(force(largest, x * largest)) * largest,
        0,
        1,
        limit=200,
        epsabs=0,
        epsrel=1e-10,
    )
    assert loading == pytest.approx(0.5 * mass * speed**2, rel=1e-9)
    assert law.restitution_at(speed, mass=mass) == pytest.approx(
        np.sqrt(unloading / loading), rel=1e-8
    )


def test_the_limits_of_the_restitution():
    mass = 4e-3
    yields = float(plastic.thornton_yield_speed(mass=mass, **THORNTON))
    thornton = MODELS["thornton"]
    assert (
        thornton.restitution_at(0.0, mass=mass)
        == thornton.restitution_at(0.99 * yields, mass=mass)
        == 1
    )
    assert thornton.restitution_at(1e6 * yields, mass=mass) / thornton.restitution_at(
        16e6 * yields, mass=mass
    ) == pytest.approx(2, rel=1e-5)
    # Thornton (1997), equation 15: v_y = 1.56 sqrt(p_y^5/(E*^4 rho)) of a sphere.
    density = mass / (4 / 3 * np.pi * 5e-3**3)
    assert yields == pytest.approx(1.56 * np.sqrt(1e9**5 / (1e11**4 * density)), rel=2e-3)
    assert WaltonBraun(stiffness=1e6, unloading_ratio=4.0).restitution_at(
        3.0, mass=mass
    ) == pytest.approx(0.5)
    assert plastic.contact_yield_pressure(1e9) == pytest.approx(1.6e9)


def test_deformation_that_is_not_permanent_is_forgotten_where_the_bodies_part():
    for force in (
        lambda memory, d, permanent: plastic.walton_braun_force(
            memory, d, permanent=permanent, **WALTON
        ),
        lambda memory, d, permanent: plastic.thornton_plastic_force(
            memory, d, permanent=permanent, **THORNTON
        ),
    ):
        memory = PlasticContact(2e-5)
        assert force(memory, -1e-6, True)[1].largest_overlap == 2e-5
        assert force(memory, -1e-6, False)[1].largest_overlap == 0
        assert force(memory, 1e-6, False)[1].largest_overlap == 2e-5


def test_the_smooth_form_stays_within_its_bound_and_does_not_creep():
    width, stiffness, ratio = 1e-6, 1e6, 1.7
    overlaps = np.linspace(-1e-5, 3e-5, 4001)
    memory = PlasticContact(1e-5)
    hard, hard_memory = plastic.walton_braun_force(
        memory, overlaps, stiffness=stiffness, unloading_ratio=ratio, hardening=0.0
    )
    smooth = jax.jit(
        lambda memory, d: plastic.smooth_walton_braun_force(
            memory, d, stiffness=stiffness, unloading_ratio=ratio, width=width, permanent=True
        )
    )
    force, smooth_memory = smooth(memory, overlaps)
    assert np.max(np.abs(force - hard)) <= 3 / 16 * ratio * stiffness * width * (1 + 1e-9)
    excess = np.asarray(smooth_memory.largest_overlap) - np.maximum(overlaps, 1e-5)
    assert np.all((excess >= -1e-20) & (excess <= 3 / 16 * width * (1 + 1e-9)))
    for _ in range(50):
        _, memory = smooth(memory, 1e-5)
    assert memory.largest_overlap <= 1e-5 + width
    assert hard_memory.largest_overlap.shape == overlaps.shape


def test_an_unloading_that_would_create_energy_is_rejected():
    with pytest.raises(
        ValueError, match=r"unloading_ratio = 0.9 - is outside \[1, inf\).*It is 1/e\^2"
    ):
        WaltonBraun(stiffness=1e6, unloading_ratio=0.9)
    with pytest.raises(ValueError, match="yield_pressure"):
        plastic.thornton_restitution(
            1.0, mass=1.0, effective_modulus=1e9, effective_radius=1e-3, yield_pressure=0.0
        )
