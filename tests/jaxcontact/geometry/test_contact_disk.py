"""The contact disk: areas against slow geometry, limits, and derivatives at its switches."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from jaxcontact.geometry.contact_disk import (
    circle_of_intersection_area,
    disk_radius,
    hertz_area,
    largest_section_area,
    sphere_plane_area,
)

R1, R2 = 0.03, 0.05
TANGENT, GREAT_CIRCLE, HELD = 0.0, R1 + R2 - np.sqrt(R2**2 - R1**2), 2 * R1
"""Overlaps: of touching spheres, where the circle is a great circle of the smaller sphere, where
that is inside.
"""
AREAS = {
    "circle": lambda d: circle_of_intersection_area(d, radius1=R1, radius2=R2),
    "section": lambda d: largest_section_area(d, radius1=R2, radius2=R1),
    "plane": lambda d: sphere_plane_area(d, radius=R1),
    "hertz": lambda d: hertz_area(d, effective_radius=R1),
}


def section_by_search(overlap):
    """Largest circle inside both spheres, over planes across the line of centres."""
    distance = R1 + R2 - overlap
    squared_radius = lambda x: min(R1**2 - x**2, R2**2 - (distance - x) ** 2)  # noqa: E731
    found = minimize_scalar(
        lambda x: -squared_radius(x),
        bounds=(distance - R2, R1),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return np.pi * squared_radius(found.x)


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.7, 0.95, 1.05, 1.2])
def test_the_largest_section_is_the_largest_circle_inside_both_spheres(fraction):
    overlap = fraction * GREAT_CIRCLE
    np.testing.assert_allclose(AREAS["section"](overlap), section_by_search(overlap), rtol=1e-5)


def test_the_circle_of_intersection_has_all_digits_at_small_overlaps():
    overlap = np.geomspace(1e-16, 1e-8, 9) * R1
    effective = R1 * R2 / (R1 + R2)
    # A = 2 pi R* d (1 - d (R1^2 - R1 R2 + R2^2)/(2 R1 R2 (R1 + R2)) ...)
    first = overlap * (R1**2 - R1 * R2 + R2**2) / (2 * R1 * R2 * (R1 + R2))
    np.testing.assert_allclose(
        AREAS["circle"](overlap), 2 * np.pi * effective * overlap * (1 - first), rtol=3e-15
    )


@pytest.mark.parametrize("radii", [(R1, R2), (R2, R1), (R1, R1)])
def test_the_circle_of_intersection_is_symmetric_and_that_of_pythagoras(radii):
    overlap = np.linspace(0.05, 0.95, 7) * 2 * min(radii)
    one, two = radii
    distance = one + two - overlap
    from_centre = (distance**2 + one**2 - two**2) / (2 * distance)
    area = circle_of_intersection_area(overlap, radius1=one, radius2=two)
    np.testing.assert_allclose(area, np.pi * (one**2 - from_centre**2), rtol=1e-11)


def test_a_sphere_inside_another_has_the_area_of_its_great_circle():
    for overlap in (HELD, HELD + 1e-3, R1 + R2, R1 + R2 + 1e-3):
        assert AREAS["circle"](overlap) == pytest.approx(np.pi * R1**2)
        assert AREAS["section"](overlap) == pytest.approx(np.pi * R1**2)


def test_a_large_partner_is_a_plane():
    overlap = np.linspace(0.0, 1.5 * R1, 9)
    np.testing.assert_allclose(
        largest_section_area(overlap, radius1=R1, radius2=1e9),
        sphere_plane_area(overlap, radius=R1),
        rtol=1e-6,
    )


def test_the_disk_of_the_overlap_is_twice_that_of_hertz_in_area():
    effective = R1 * R2 / (R1 + R2)
    assert AREAS["circle"](1e-10) / hertz_area(1e-10, effective_radius=effective) == pytest.approx(
        2.0, rel=1e-7
    )


@pytest.mark.parametrize("name", AREAS)
def test_areas_grow_from_zero_and_only_the_circle_ever_shrinks(name):
    overlap = np.linspace(-0.01, R1 + R2, 500)
    area = np.asarray(AREAS[name](overlap))
    assert np.all(area[overlap <= 0] == 0)
    assert np.all(area[overlap > 0] > 0)
    assert np.all(np.diff(area) >= 0) == (name != "circle")


@pytest.mark.slow
@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float32])
def test_values_and_derivatives_are_finite_everywhere(name, dtype):
    overlap = jnp.asarray(
        [-1.0, -1e-20, 0.0, 1e-20, 1e-5, GREAT_CIRCLE, R1, HELD, R1 + R2, R1 + R2 + 1e-9, 1.0],
        dtype,
    )
    radius = lambda d: disk_radius(AREAS[name](d))  # noqa: E731
    for f in (AREAS[name], radius):
        value, first, second = jax.jit(
            jax.vmap(lambda d, f=f: (f(d), jax.grad(f)(d), jax.grad(jax.grad(f))(d)))
        )(overlap)
        for result in (value, first, second):
            assert result.dtype == dtype
            assert np.all(np.isfinite(result))


def test_the_section_has_a_continuous_slope_where_it_saturates():
    slope = jax.vmap(jax.grad(AREAS["section"]))(
        jnp.asarray([GREAT_CIRCLE * (1 - 1e-9), GREAT_CIRCLE * (1 + 1e-9)])
    )
    np.testing.assert_allclose(slope, 0.0, atol=1e-8)


def test_radii_are_roots_of_the_areas_and_zero_without_area():
    np.testing.assert_allclose(
        disk_radius(jnp.pi * jnp.asarray([0.0, 1e-12, 4.0])), [0.0, 1e-6, 2.0], rtol=1e-15
    )
    assert jax.grad(disk_radius)(0.0) == 0.0
    assert jax.grad(jax.grad(disk_radius))(0.0) == 0.0
    assert jax.grad(disk_radius)(np.pi * 4.0) == pytest.approx(1 / (4 * np.pi))
