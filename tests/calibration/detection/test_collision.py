"""What paths of two bodies show of their collision, against what they were made from."""

import numpy as np
import pytest

from calibration.detection.collision import detect_collision

RESTITUTION, FRICTION, MASSES = 0.7, 0.1, (0.03, 0.06)
APART, REACH = np.array([0.2, 0.03]), 0.06
"""The second disc rests there, from where the first one begins at 1 m/s along x."""

TOUCH = 0.2 - np.sqrt(REACH**2 - 0.03**2)


def paths(*, slowing: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Times and positions of two discs on a level table; both slow down on their way after the
    collision, the first one before it, too.
    """
    normal = (APART - [TOUCH, 0.0]) / REACH
    along = np.array([1.0, 0.0]) - normal[0] * normal
    pull = normal + FRICTION * along / np.linalg.norm(along)
    impulse = (1 + RESTITUTION) * normal[0] / (1 / MASSES[0] + 1 / MASSES[1]) * pull
    after = np.array([1.0, 0.0]) - impulse / MASSES[0], impulse / MASSES[1]
    time = np.arange(200) / 500
    late = np.maximum(time - TOUCH, 0.0)[:, None]
    early = np.minimum(time, TOUCH)
    position = np.full((200, 2, 3), np.nan)
    for body, begins in enumerate((np.array([TOUCH, 0.0]), APART)):
        bend = slowing / 2 * late**2 * after[body] / np.linalg.norm(after[body])
        position[:, body, :2] = begins + late * after[body] - bend
    position[:, 0, 0] += early - TOUCH + slowing / 2 * (early - TOUCH) ** 2
    position[:, :, :2] += 2e-6 * np.random.default_rng(0).standard_normal((200, 2, 2))
    return time, position


def test_a_collision_is_read_from_the_lines_before_and_after_it():
    found = detect_collision(*paths(), radii=(0.03, 0.03), gravity=0.0)
    assert found.touch == pytest.approx(TOUCH, abs=1e-4)
    assert found.approach_speed == pytest.approx(np.sqrt(0.75), rel=1e-3)
    assert found.slip_speed == pytest.approx(0.5, rel=2e-3)
    assert found.restitution == pytest.approx(RESTITUTION, rel=2e-3)
    assert found.impulse_ratio == pytest.approx(FRICTION, rel=0.01)
    assert found.mass_ratio == pytest.approx(MASSES[1] / MASSES[0], rel=2e-3)
    assert found.distance == pytest.approx(REACH, rel=2e-3)
    assert found.slowing < 0.01


def test_what_slows_bodies_down_on_their_way_is_read():
    found = detect_collision(*paths(slowing=0.2), radii=(0.03, 0.03), gravity=0.0)
    assert found.slowing == pytest.approx(0.2, rel=0.1)
