"""A real toss of a cube, simulated from the measured state at release, stays near its recording."""

from pathlib import Path

import numpy as np
import pytest

from experiments.cube_tosses.errors import angle_between, errors_over, summary
from experiments.cube_tosses.report import comparison, per_toss
from experiments.cube_tosses.simulated import nominal
from experiments.cube_tosses.tosses import lowest_corner, read_tosses, rotated

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "contactnets_cube"
recorded = pytest.mark.skipif(
    not DATA.exists(),
    reason="the recordings of ContactNets are not here; they are not part of this repository",
)


def quaternion(axis, angle):
    axis = np.asarray(axis) / np.linalg.norm(axis)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def test_the_angle_between_orientations_does_not_see_their_signs():
    one = quaternion((1.0, 2.0, -0.5), 0.8)
    other = quaternion((1.0, 2.0, -0.5), 0.8 + np.radians(30.0))
    assert angle_between(one, other) == pytest.approx(30.0)
    assert angle_between(one, -other) == pytest.approx(30.0)
    assert angle_between(one, -one) == 0.0


@recorded
def test_the_spin_of_a_recording_is_the_rate_of_its_orientation():
    vector = np.array([0.3, -0.5, 0.8])
    _, tosses = read_tosses(DATA)
    for toss in tosses:
        turned = np.array([quaternion(w, np.linalg.norm(w) / 148.0) for w in toss.spin[1:11]])
        found = rotated(rotated(vector, toss.orientation[:10]), turned)
        now, then = rotated(vector, toss.orientation[1:11]), rotated(vector, toss.orientation[:10])
        assert np.linalg.norm(found - now) < 0.1 * np.linalg.norm(then - now)


@recorded
def test_a_cube_at_rest_lies_on_the_table_up_to_the_offset_of_the_recording():
    cube, tosses = read_tosses(DATA)
    for toss in tosses:
        assert lowest_corner(toss, cube.half_width)[-1] == pytest.approx(-2e-3, abs=1e-3)


@recorded
@pytest.mark.slow
def test_the_rigid_cube_follows_the_recordings_without_anything_fitted():
    cube, tosses = read_tosses(DATA)
    length = max(len(toss.times) for toss in tosses)
    every = errors_over(cube, nominal(cube), tosses, method="rigid", length=length)
    assert all(errors.imbalance < 1e-9 for errors in every)
    found = summary(every, 2 * cube.half_width)
    assert found.position < 13.0  # percent of the width
    assert found.rotation_median < 20.0  # degrees
    assert "toss_120" in per_toss(every, 2 * cube.half_width)
    assert "Drake" in comparison({"rigid": every}, 2 * cube.half_width)


@pytest.mark.long
@recorded
@pytest.mark.slow
def test_the_compliant_cube_follows_a_recording_without_anything_fitted():
    cube, tosses = read_tosses(DATA)
    (errors,) = errors_over(
        cube, nominal(cube), tosses[:1], method="compliant", length=len(tosses[0].times)
    )
    assert errors.believed
    assert np.mean(errors.position) < 0.08 * 2 * cube.half_width
    assert np.mean(errors.rotation) < 10.0
