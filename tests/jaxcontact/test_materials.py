"""Solids, pairs, and the effective quantities of a contact."""

import jax
import numpy as np
import pytest

from jaxcontact import materials


def test_every_solid_and_pair_of_the_palette_is_plausible_and_found_by_name():
    for name, solid in materials.SOLIDS.items():
        assert getattr(materials, name.upper().replace(" ", "_").replace("-", "_")) is solid
        assert 1e9 <= solid.youngs_modulus < 1e12
        assert 0.1 < solid.poisson_ratio < 0.5
        assert solid.density is None or 500 < solid.density < 2e4
    for (first, second), pair in materials.PAIRS.items():
        assert first <= second
        assert (
            materials.contact_pair(second, first) is pair is materials.contact_pair(first, second)
        )


def test_a_pair_without_published_values_is_an_error_with_the_known_ones():
    with pytest.raises(
        KeyError,
        match=r"no published values for 'steel' on 'nylon'. Known: alumina on soda-lime glass",
    ):
        materials.contact_pair("steel", "nylon")


def test_the_effective_shear_modulus_is_that_of_mindlin():
    steel, nylon = materials.STEEL, materials.NYLON
    expected = 1 / ((2 - 0.3) / (210e9 / 2.6) + (2 - 0.41) / (2.7e9 / 2.82))
    assert materials.effective_shear_modulus(steel, nylon) == pytest.approx(expected, rel=1e-14)
    assert materials.effective_shear_modulus(nylon) == pytest.approx(2.7e9 / 2.82 / 1.59, rel=1e-14)


@pytest.mark.parametrize("name", materials.SOLIDS)
def test_like_solids_have_the_known_ratio_of_tangential_to_normal_stiffness(name):
    solid = materials.SOLIDS[name]
    nu = solid.poisson_ratio
    assert materials.tangential_stiffness_ratio(solid, solid) == pytest.approx(
        2 * (1 - nu) / (2 - nu), rel=1e-14
    )
    assert materials.tangential_stiffness_ratio(solid) == pytest.approx(
        2 * (1 - nu) / (2 - nu), rel=1e-14
    )


def test_effective_quantities_are_differentiable_in_every_parameter_of_the_solids():
    def ratio(solid):
        return materials.tangential_stiffness_ratio(solid, materials.STEEL)

    slope = jax.grad(ratio)(materials.NYLON)
    h = 1e-6 * 2.7e9
    above, below = (ratio(materials.NYLON.replace(youngs_modulus=2.7e9 + s)) for s in (h, -h))
    assert slope.youngs_modulus == pytest.approx((above - below) / (2 * h), rel=1e-6)
    assert np.isfinite(slope.poisson_ratio)


def test_a_pair_outside_its_range_is_rejected():
    with pytest.raises(ValueError, match=r"ContactPair: restitution = 1.2 - is outside \(0, 1\]"):
        materials.ContactPair(restitution=1.2)
