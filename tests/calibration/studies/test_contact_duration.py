"""What flights say of the duration of contacts that lie between two pictures."""

import numpy as np
import pytest

from calibration.studies.trajectories import slower_change
from jaxcontact.laws.core.rigid_impact import DURATION_EXPONENT


def test_a_duration_that_does_not_depend_on_speed_is_within_what_is_allowed_for():
    """Flights before and after a contact meet below the surface, by its duration times
    ``v e/(1 + e)``; the height of the surface is unknown.
    """
    speeds, speed, duration, share = np.array([1.3, 2.0, 2.9, 4.0, 5.3]), 2.9, 8e-3, 0.75 / 1.75
    meet = -duration * share * speeds
    of_hertz = -share * speeds * (speeds / speed) ** DURATION_EXPONENT
    found, height = np.polyfit(of_hertz, meet, 1)
    assert height > 2e-3  # a surface that is not there makes up for it
    assert found > 1.2 * duration
    assert found * (1 - slower_change(speeds.tolist(), speed)) == pytest.approx(duration, rel=1e-9)


def test_equal_speeds_tell_nothing_of_it():
    assert slower_change([2.0], 2.0) == 0
    assert slower_change([2.0, 2.0], 2.0) == 0
