"""Adhesive elasto-plastic force: a cycle, what it costs, and the smooth form."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.laws.normal.adhesive_plastic import (
    AdhesivePlastic,
    PlasticOverlap,
    adhesive_plastic_force,
    smooth_adhesive_plastic_force,
)

LAW = {
    "stiffness": 1e4,
    "exponent": 1.5,
    "plasticity_ratio": 0.6,
    "adhesion_stiffness": 2e3,
    "adhesion_exponent": 1.2,
    "pull_off_force": 0.05,
}
PATH = np.concatenate(
    [
        np.linspace(a, b, 400, endpoint=False)
        for a, b in ((0, 3e-3), (3e-3, 1e-3), (1e-3, 4e-3), (4e-3, -1e-4))
    ]
)


def along(path, force=adhesive_plastic_force, **changes):
    """Forces along a path of overlaps, carrying the memory."""

    def step(memory, overlap):
        result, memory = force(memory, overlap, **LAW | changes)
        return memory, (result, memory.plastic_overlap)

    _, found = jax.lax.scan(step, PlasticOverlap(jnp.zeros(())), jnp.asarray(path))
    return jax.tree.map(np.asarray, found)


def test_loading_follows_the_virgin_branch_up_to_the_largest_overlap_and_reloading_meets_it_there():
    force, plastic = along(PATH)
    virgin = 1e4 * np.maximum(PATH, 0.0) ** 1.5 - 0.05
    up = np.maximum.accumulate(PATH) == PATH
    np.testing.assert_allclose(force[up & (PATH > 0)], virgin[up & (PATH > 0)], rtol=1e-12)
    assert np.all(force[~up & (PATH > 0)] < virgin[~up & (PATH > 0)])
    np.testing.assert_allclose(
        plastic[PATH > 0], 0.6 ** (1 / 1.5) * np.maximum.accumulate(PATH)[PATH > 0], rtol=1e-12
    )
    assert plastic[-1] == 0.0


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.9])
def test_a_cycle_costs_work_and_none_without_plasticity(ratio):
    force, _ = along(PATH, plasticity_ratio=ratio)
    inside = (PATH[1:] > 0) & (PATH[:-1] > 0)
    work = np.sum((0.5 * (force[1:] + force[:-1]) * np.diff(PATH))[inside])
    scale = 1e4 * 4e-3**2.5 / 2.5
    assert abs(work) < 1e-4 * scale if ratio == 0.0 else work > 0.1 * ratio * scale


def test_at_the_plastic_overlap_the_unloading_branch_carries_nothing():
    force, _ = adhesive_plastic_force(PlasticOverlap(1e-3), 1e-3, **LAW)
    np.testing.assert_allclose(force, -0.05, rtol=1e-12)


def test_the_smooth_force_has_continuous_derivatives_where_the_hard_one_has_corners():
    memory = PlasticOverlap(jnp.asarray(1e-3))
    largest = 1e-3 / 0.6 ** (1 / 1.5)

    def slope(force, **changes):
        value = lambda d: force(memory, d, **LAW | changes)[0]  # noqa: E731
        beside = largest * (1 + jnp.asarray([-1e-7, 1e-7]))
        first, second = (
            jax.vmap(jax.grad(value))(beside),
            jax.vmap(jax.grad(jax.grad(value)))(beside),
        )
        return abs(float(first[1] / first[0]) - 1), abs(float(second[1] / second[0]) - 1)

    assert slope(adhesive_plastic_force)[0] > 0.5
    assert max(slope(smooth_adhesive_plastic_force, smoothing=0.05)) < 1e-3


@pytest.mark.parametrize("smoothing", [1e-3, 0.05, 0.5])
def test_the_smooth_form_stays_within_its_bound_along_a_cycle(smoothing):
    hard, plastic = along(PATH)
    smooth, same = along(PATH, smooth_adhesive_plastic_force, smoothing=smoothing)
    bound = 0.5 * smoothing * 1e4 * np.maximum(PATH, 0.0) ** 1.5
    np.testing.assert_array_equal(plastic, same)
    assert np.all(np.abs(smooth - hard) <= bound * (1 + 1e-9))
    corner = 1e-3 / 0.6 ** (1 / 1.5)  # U = L: here the bound is reached
    hard, smooth = (
        force(PlasticOverlap(1e-3), corner, **LAW | changes)[0]
        for force, changes in (
            (adhesive_plastic_force, {}),
            (smooth_adhesive_plastic_force, {"smoothing": smoothing}),
        )
    )
    np.testing.assert_allclose(hard - smooth, 0.5 * smoothing * 1e4 * corner**1.5, rtol=0.2)


def test_a_plasticity_ratio_of_1_is_refused():
    with pytest.raises(ValueError, match=r"plasticity_ratio = 1 - is outside \[0, 1\)"):
        adhesive_plastic_force(PlasticOverlap(), 1e-3, **LAW | {"plasticity_ratio": 1.0})


def test_scales_are_those_of_the_spring_that_unloads():
    """Without adhesion and plasticity an elastic impact; unloading is stiffer by ``1/(1 - l)``."""
    mass, speed = 0.02, 1.5
    law = LAW | {"pull_off_force": 0.0}
    for ratio in (0.0, 0.75):
        model = AdhesivePlastic(**law | {"plasticity_ratio": ratio})
        overlap, time = model.scales(impact_speed=speed, mass=mass)
        assert LAW["stiffness"] * overlap**2.5 == pytest.approx(mass * speed**2, rel=1e-12)
        assert time == pytest.approx(float(overlap) / speed * np.sqrt(1 - ratio), rel=1e-12)
