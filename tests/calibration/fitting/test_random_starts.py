"""A fit finds the global minimum from starts far off, or says that it did not."""

import numpy as np
import pytest

from calibration.fitting.fit import fit
from calibration.fitting.restarts import restitution_shown
from experiments.random_starts.starts import ends, random_starts
from experiments.random_starts.throws import TRUTHS, UNKNOWNS, problem

MIDDLING = next(truth for truth in TRUTHS if truth.name == "middling")


@pytest.fixture(scope="module")
def asked():
    """Two throws of a ball of middling materials."""
    return problem(MIDDLING)


def test_random_starts_fill_the_ranges_and_repeat():
    starts = random_starts(200, seed=3)
    assert starts == random_starts(200, seed=3)
    columns = np.asarray([list(start.values()) for start in starts])
    assert np.ptp(np.log10(columns[:, 0])) == pytest.approx(4, abs=0.1)
    assert columns[:, 1].min() < 0.07
    assert columns[:, 2].max() > 0.78


@pytest.mark.long
@pytest.mark.parametrize(
    "start",
    [
        (2.4e6, 0.064, 0.68),  # rests before the second bounce
        (1e4, 0.97, 0.01),
        (1e8, 0.05, 0.0),  # no friction: no derivative by its coefficient in logarithms
        (3e5, 0.6, 50.0),  # all impacts stick: no derivative at all
    ],
)
def test_starts_from_which_no_derivative_leads_to_the_data(asked, start):
    found = fit(asked, start=dict(zip(UNKNOWNS, start, strict=True)))
    assert found.converged
    assert found.explained
    for name, truth in zip(UNKNOWNS, MIDDLING.values, strict=True):
        assert abs(found.parameters[name].value - truth) < 4 * found.parameters[name].sd


@pytest.mark.long
def test_random_starts_end_in_the_global_minimum(asked):
    found = ends(MIDDLING, asked, random_starts(12, seed=1))
    assert sum(end.reached for end in found) >= 11
    assert all(end.honest for end in found)


@pytest.mark.long
def test_the_restitution_of_the_recordings_is_seen_before_the_fit(asked):
    which, coordinate = restitution_shown(asked)
    assert [
        parameter.name
        for parameter, here in zip(asked.layout.global_parameters, which, strict=True)
        if here
    ] == [UNKNOWNS[1]]
    assert float(asked.layout.global_parameters[1].value(coordinate[1])) == pytest.approx(
        MIDDLING.restitution, abs=0.03
    )
