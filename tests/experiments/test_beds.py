"""What the bulk tests measure, on arrangements of grains whose answer is known."""

import numpy as np
import pytest

from experiments.beds import repose, settling
from experiments.beds.grains import DIAMETER, RADIUS


def cone(truth, *, count, seed):
    """Grains whose centres lie on a cone."""
    place = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3)) * 1.1 * repose.PLATE
    away = np.hypot(place[:, 0], place[:, 1])
    place[:, 2] = 0.2 - np.tan(np.radians(truth)) * away
    return place, np.full(count, RADIUS)


@pytest.mark.parametrize("truth", [12.0, 38.0])
def test_the_angle_of_a_cone_is_found(truth):
    angle, error = repose.angle_of_repose(*cone(truth, count=3000, seed=4))
    assert abs(angle - truth) < 2.5 * error
    angle, error = repose.angle_of_repose(*cone(truth, count=15000, seed=4))
    assert abs(angle - truth) < 0.1
    assert error < 0.1


def test_grains_that_scatter_about_a_cone_are_within_the_error_that_is_stated():
    numbers = np.random.default_rng(5)
    off = []
    for _ in range(12):
        place = numbers.uniform(-1.0, 1.0, (700, 3)) * [1.2 * repose.PLATE, 1.2 * repose.PLATE, 0.0]
        away = np.hypot(place[:, 0], place[:, 1])
        place[:, 2] = 0.2 - np.tan(np.radians(25.0)) * away + numbers.normal(0, 0.3 * RADIUS, 700)
        angle, error = repose.angle_of_repose(place, np.full(700, RADIUS))
        off.append((angle, error))
    angles, errors = np.transpose(off)
    assert 0.5 < np.std(angles) / np.mean(errors) < 1.8


def test_the_solid_fraction_of_a_cubic_lattice_is_a_sixth_of_pi():
    along = DIAMETER * (np.arange(8) + 0.5)
    place = np.stack(np.meshgrid(along, along, DIAMETER * (np.arange(14) + 0.5)), -1).reshape(-1, 3)
    fraction = settling.solid_fraction(place, np.full(len(place), RADIUS))
    assert fraction == pytest.approx(np.pi / 6, rel=0.02)
