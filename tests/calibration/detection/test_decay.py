"""Breaks of runs that decay, found in data of plain formulas."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid

from calibration.detection.decay import Kind, find_break, fit_side, make_run

pytestmark = pytest.mark.slow

TIME = np.linspace(0.0, 8.0, 320)
SMOOTH = {
    "constant": 0.6 - 0.05 * TIME,
    "constant, to rest": np.maximum(0.6 - 0.1 * TIME, 0.0),
    "viscous": 0.6 * np.exp(-0.6 * TIME),
    "air": 0.6 / (1 + 1.5 * TIME),
    "up a slope and back": 0.3 - np.where(TIME < 3, 0.1 * TIME, 0.3 + 0.06 * (TIME - 3)),
}
ROLLING = 0.6 - 0.07 * TIME
SLIDES = np.where(TIME < 0.25, 0.6 + 2.0 * (0.25 - TIME), 0.6 - 0.07 * (TIME - 0.25))


def run(speed, *, of_path, seed, noise=None):
    """A run of speeds, or of the positions that belong to them, with noise."""
    random = np.random.default_rng(seed)
    values = cumulative_trapezoid(speed, TIME, initial=0.0) if of_path else speed
    size = (5e-4 if of_path else 2e-3) if noise is None else noise
    return make_run(TIME, values + size * random.normal(size=TIME.size), of_path=of_path)


@pytest.mark.long(
    "constant, to rest-path",
    "constant, to rest-speed",
    "air-path",
    "air-speed",
    "constant-path",
    "constant-speed",
    "up a slope and back-speed",
    "viscous-path",
    "viscous-speed",
)
@pytest.mark.parametrize("of_path", [False, True], ids=["speed", "path"])
@pytest.mark.parametrize("name", SMOOTH)
def test_what_a_contact_does_is_no_break(name, of_path):
    assert all(
        find_break(run(SMOOTH[name], of_path=of_path, seed=seed)) is None for seed in range(5)
    )


@pytest.mark.parametrize("of_path", [False, True], ids=["speed", "path"])
def test_a_ball_that_slides_first_bends_where_it_begins_to_roll(of_path):
    found = find_break(run(SLIDES, of_path=of_path, seed=1))
    assert found.kind is Kind.BEND
    assert found.time == pytest.approx(0.25, abs=0.05)
    assert found.before.slope == pytest.approx(-2.0, abs=0.5)


@pytest.mark.parametrize("of_path", [False, True], ids=["speed", "path"])
@pytest.mark.parametrize("factor", [0.0, -0.5], ids=["stays", "comes back"])
def test_an_end_stop_is_a_jump(factor, of_path):
    found = find_break(run(np.where(TIME < 5, ROLLING, factor * 0.25), of_path=of_path, seed=1))
    assert found.kind is Kind.JUMP
    assert found.time == pytest.approx(5.0, abs=0.05)
    assert found.before.rate == pytest.approx(0.25, abs=0.02)
    assert found.after.rate == pytest.approx(factor * 0.25, abs=0.02)


def test_noise_and_first_rate_are_those_of_the_data():
    for of_path, noise in ((False, 2e-3), (True, 5e-4)):
        told = [run(ROLLING, of_path=of_path, seed=seed) for seed in range(8)]
        assert np.mean([one.noise for one in told]) == pytest.approx(noise, rel=0.05)
        assert all(abs(one.noise / noise - 1) < 0.2 for one in told)
        side = fit_side(told[0].part(0, 40), 0.0)
        assert abs(side.rate - 0.6) < 4 * side.rate_sd < 0.03


def test_runs_without_noise_are_smooth_too():
    assert find_break(run(ROLLING, of_path=False, seed=1, noise=0.0)) is None


@pytest.mark.parametrize("of_path", [False, True], ids=["speed", "path"])
@pytest.mark.parametrize("value", [0.0, 5e-324, 1e-200, -1e-150, 1e-9, 3.0, -40.0, 1e150])
def test_a_run_in_which_nothing_changes_has_no_break(value, of_path):
    still = make_run(TIME, np.full(TIME.size, value), of_path=of_path)
    assert still.noise > 0
    assert find_break(still) is None
