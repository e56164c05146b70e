"""Recordings of two balls are told from impacts that scatter."""

import numpy as np

from calibration.fitting.impacts.order import Deviations
from calibration.fitting.impacts.recordings_apart import APART, describe_apart, lie_apart


def drawn(rng: np.random.Generator, apart: float, recordings: int = 3) -> Deviations:
    recording = np.repeat(np.arange(recordings), 4)
    value = 0.05 * rng.standard_normal(recording.size) + apart * (recording % 2)
    return Deviations(value, np.ones(recording.size), np.tile(np.arange(4), recordings), recording)


def test_scatter_alone_is_taken_for_two_balls_as_seldom_as_stated():
    rng = np.random.default_rng(1)
    wrong = sum(lie_apart(drawn(rng, 0.0)) for _ in range(2000))
    assert wrong < 2000 * APART + 3 * np.sqrt(2000 * APART)


def test_two_balls_are_found_and_named():
    rng = np.random.default_rng(2)
    assert sum(lie_apart(drawn(rng, 0.35)) for _ in range(100)) > 95
    says = describe_apart(drawn(rng, 0.35), ["a", "b", "c"], 0.8)
    assert "(a 0." in says
    assert ", b 0.8" in says
    assert "one by one" in says


def test_one_recording_or_one_impact_each_says_nothing():
    one = drawn(np.random.default_rng(3), 0.0, recordings=1)
    assert not lie_apart(one)
    each = Deviations(np.array([0.0, 0.5]), np.ones(2), np.zeros(2, int), np.arange(2))
    assert not lie_apart(each)
