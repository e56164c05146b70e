"""What flights say of the duration of contacts that lie between two pictures."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import calibration as cal
from calibration.studies.plausibility.contact_duration import damped_duration, slower_change
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


def bounce(damping):
    """Restitution and duration of ``x'' = -x^1.5 (1 + damping x')`` from ``x' = 1``, in units of
    ``(m^2/(K^2 v))^(1/5)``; the contact ends where the force does.
    """

    def leaves(time, state):
        return state[0]

    leaves.terminal, leaves.direction = True, -1
    motion = solve_ivp(
        lambda time, state: (state[1], -(max(state[0], 0.0) ** 1.5) * (1 + damping * state[1])),
        (0, 50),
        (0.0, 1.0),
        method="DOP853",
        rtol=1e-11,
        atol=1e-13,
        events=leaves,
    )
    return -motion.y_events[0][0][1], motion.t_events[0][0]


def test_damping_lengthens_a_contact_by_what_an_integration_of_its_own_finds():
    undamped = bounce(0.0)[1]
    ball = cal.studies.Ball(radius=0.02, mass=0.03)
    study = cal.studies.Study(files=("a.csv",), ball=ball)
    for damping, speed in ((0.1, 4.0), (0.4, 1.0), (1.5, 0.3)):
        restitution, duration = bounce(damping)
        found = damped_duration(study, restitution, speed)
        assert found == pytest.approx(duration / undamped, rel=1e-4)
