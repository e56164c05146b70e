"""What flights say of the duration of contacts that lie between two pictures."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import calibration as cal
from calibration.detection.bounces import duration_from_heights
from calibration.results.estimate import Determination
from calibration.studies.plausibility import contact_duration
from calibration.studies.plausibility.contact_duration import (
    damped_duration,
    describe_long_contacts,
    duration_of_balls,
    slower_change,
    stiffness,
)
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


def bounces(speeds, heights, *, restitution=0.7, height_sd=1e-4):
    """Bounces at these speeds, the flights of which meet at these heights."""
    return [
        cal.detection.Bounce(
            time=float(k),
            time_sd=1e-4,
            height=height,
            height_sd=height_sd,
            velocity_before=np.array([0.0, 0.0, -speed]),
            velocity_after=np.array([0.0, 0.0, restitution * speed]),
            restitution=restitution,
            restitution_sd=1e-3,
        )
        for k, (speed, height) in enumerate(zip(speeds, heights, strict=True))
    ]


SPEEDS = np.array([2.9, 2.0, 1.4, 0.97])


def test_heights_tell_a_duration_where_nothing_else_is_needed():
    """Flights meet where ``-v t1 = v' t2`` with ``t2 - t1`` the duration."""
    duration, restitution = 5e-3, 0.7
    meet = 0.02 - duration * SPEEDS * restitution / (1 + restitution)
    assert duration_from_heights(bounces(SPEEDS, meet)) == pytest.approx(duration, rel=1e-9)
    level, uneven = np.full(4, 0.02), np.array([0.02, 0.026, 0.017, 0.023])
    assert duration_from_heights(bounces(SPEEDS, level)) == 0
    assert duration_from_heights(bounces(SPEEDS, uneven)) == 0  # no duration explains them
    assert duration_from_heights(bounces(SPEEDS, 0.04 - meet)) == 0  # it would be negative
    assert duration_from_heights(bounces(SPEEDS[:2], meet[:2])) == 0  # any height would do
    assert duration_from_heights(bounces(SPEEDS, meet, height_sd=1e-3)) == 0  # within errors


def test_a_soft_surface_that_shows_is_as_likely_as_a_hard_one():
    """A contact of 5 ms is nine times what balls on hard planes are expected to take: under that
    prior alone it costs as much as five doubts of the camera that explain the same data.
    """

    class Found:
        def __init__(self, heights):
            self.bounces = bounces(SPEEDS, heights)

    ball = cal.studies.Ball(radius=0.02, mass=0.0027, shell=True)
    study = cal.studies.Study(files=("a.csv",), ball=ball)
    hard, soft = Found(np.full(4, 0.02)), Found(0.02 - 5e-3 * SPEEDS * 0.7 / 1.7)
    usual = duration_of_balls(study, [hard])
    assert float(usual.residual(5e-3)) ** 2 > 12
    assert not list(describe_long_contacts(study, [hard]))
    for found in ([soft], [hard, soft]):
        assert "lasted 5 ms" in " ".join(describe_long_contacts(study, found))
        wide = duration_of_balls(study, found)
        assert float(wide.residual(5e-3)) ** 2 < 4.5
        assert float(wide.residual(0.0)) ** 2 < 0.1


def stiffness_seen(monkeypatch, *, duration: float, sd: float, interval: float, lengthened: float):
    """Of a ball of 30 g that falls at 2 to 3 m/s, seen in pictures that are ``interval`` apart;
    its contacts last ``duration`` at 1 m/s, and ``lengthened`` times as long as without damping.
    """
    law = SimpleNamespace(restitution_at=lambda speed, *, mass: 0.7)
    scene = SimpleNamespace(contact=SimpleNamespace(normal=law))
    monkeypatch.setattr(contact_duration, "duration_seen", lambda *given: (duration, sd))
    monkeypatch.setattr(contact_duration, "fitted_scene", lambda assessment: scene)
    monkeypatch.setattr(contact_duration, "damped_duration", lambda *given: lengthened)
    falls = [SimpleNamespace(velocity_before=(0.5, 0.1, -speed)) for speed in (2.0, 2.5, 3.0)]
    samples = SimpleNamespace(times=interval * np.arange(50.0)[None])
    return stiffness(
        cal.studies.Study(files=("a.csv",), ball=cal.studies.Ball(radius=0.02, mass=0.03)),
        SimpleNamespace(
            detections=[SimpleNamespace(bounces=falls)], data=[SimpleNamespace(samples=[samples])]
        ),
        SimpleNamespace(explained=True),
    )


def test_a_stiffness_is_that_of_the_duration_that_pictures_show(monkeypatch):
    """``T = c (m^2/(K^2 v))^(1/5)`` without damping, c by an integration of its own."""
    true, speed = 2e4, 2.5
    undamped = bounce(0.0)[1] * (0.03**2 / (true**2 * speed)) ** 0.2
    at_unit_speed = 1.2 * undamped * speed**0.2
    seen = {"duration": at_unit_speed, "lengthened": 1.2, "interval": undamped / 20}
    found = stiffness_seen(monkeypatch, sd=0.02 * at_unit_speed, **seen)
    assert found.status is Determination.DETERMINED
    assert found.value == pytest.approx(true, rel=1e-3)
    assert found.sd == pytest.approx(0.05 * true, rel=1e-3)
    # A contact that lies between two pictures has a lower limit alone.
    seen["interval"] = 2 * undamped
    hidden = stiffness_seen(monkeypatch, sd=0.02 * at_unit_speed, **seen)
    assert hidden.status is Determination.NOT_DETERMINED
    limit = float(hidden.note.partition("K > ")[2].split()[0])
    assert 0.4 * true / 1.2**2.5 < limit < true / 1.2**2.5
