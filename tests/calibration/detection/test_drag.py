"""What drag does to a flight is the double integral of its slowing, and follows a cubic polynomial
between the points of the grid.
"""

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson as scipy_simpson
from scipy.interpolate import CubicHermiteSpline

from calibration.detection.drag import cumulative_simpson, drag_curves, no_drag

GRID = np.array([np.linspace(-0.2, 0.4, 401), np.linspace(0.5, 0.7, 401)])


def test_a_fall_along_one_axis_has_the_displacement_of_its_integral():
    fallen = GRID - GRID[:, [200]]
    curves = drag_curves(
        GRID, -9.81 * fallen[None]
    )  # D'' = sign(t) g^2 t^2, so D = sign(t) g^2 t^4 / 12
    flight = np.array([0, 1])
    shift, slope = curves(flight, GRID[:, 317] + 1e-4)
    after = fallen[:, 317] + 1e-4
    np.testing.assert_allclose(shift[0], 9.81**2 * after**4 / 12, rtol=1e-6)
    np.testing.assert_allclose(slope[0], 9.81**2 * after**3 / 3, rtol=1e-6)


def test_between_and_beyond_the_points_of_the_grid_it_is_the_hermite_polynomial():
    velocity = np.stack([3 + 0 * GRID, 2 - 9.81 * GRID])
    curves = drag_curves(GRID, velocity)
    times = np.linspace(0.45, 0.75, 50)
    for order, found in enumerate(curves([1], times)):
        spline = CubicHermiteSpline(GRID[1], curves.shift[:, 1], curves.slope[:, 1], axis=1)
        np.testing.assert_allclose(found, spline(times, order), rtol=1e-9, atol=1e-12)


def test_without_drag_nothing_is_displaced():
    assert all(
        np.all(each == 0)
        for each in no_drag(np.array([0.0, 1.0]), axes=2)([0, 1], np.array([0.3, 5.0]))
    )


@pytest.mark.parametrize("count", [3, 5, 401])
def test_cumulative_simpson_is_that_of_scipy(count):
    values = np.random.default_rng(count).normal(size=(2, 3, count))
    np.testing.assert_allclose(
        cumulative_simpson(values), scipy_simpson(values, dx=1.0, axis=-1, initial=0), atol=1e-12
    )
