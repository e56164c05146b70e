"""Throws whose spin was measured: friction, lift and restitution are found from it. The truth is
made by a simulator that shares no code with the project.
"""

import dataclasses

import numpy as np
import pytest

import calibration as cal
from calibration.detection.bounces import read_bounces
from calibration.errors import InputError
from calibration.studies.pipeline import problem_to_fit
from calibration.studies.spin.trials import measured_spins
from experiments.automatic_route.truth import Ball, Camera, film, film_spin, move, write_csv

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
LIFT, DRAG = "lift.coefficient", "drag.coefficient"
REBOUND = "contact.friction.tangential_restitution"
BALL = Ball(lift=0.6)
PLANAR, SPACE = Camera(spins="y"), Camera(axes="xyz", spins="xyz")
UNTIL = 1.1
TRUTH = {RESTITUTION: 0.8, DRAG: 0.45, LIFT: 0.6, FRICTION: 0.2}


def throws(folder, spin, *, ball=BALL, camera=PLANAR, factor=1.0, when="always"):
    """The study of three throws: spin [rad/s] up to a fifth apart, multiplied by a factor."""
    files = []
    for k in range(3):
        rng = np.random.default_rng(100 + k)
        position = np.array([-1.0, 0.0, 0.4]) * (1 + 0.1 * rng.standard_normal())
        velocity = np.array([2.5, 0.0, 0.5]) * (1 + 0.1 * rng.standard_normal())
        turning = np.array(spin) * (1 + 0.2 * rng.standard_normal())
        motion = move(ball, tuple(position), tuple(velocity), tuple(turning), until=UNTIL, seed=k)
        spins = film_spin(motion, camera, until=UNTIL, seed=k + 90)
        spins[:, 1:] *= factor
        first, second = motion.impacts[0][0], motion.impacts[1][0]
        kept = {
            "always": spins[:, 0] >= 0,
            "before": spins[:, 0] < first,
            "after": (spins[:, 0] > first) & (spins[:, 0] < second),
        }[when]
        files.append(str(folder / f"{k}.csv"))
        recorded = film(motion, camera, until=UNTIL, seed=k + 50)
        write_csv(files[-1], camera, recorded, spins[kept])
    return cal.studies.Study(
        files=tuple(files), ball=cal.studies.Ball(radius=0.02, mass=0.0027, shell=True)
    )


def assert_found(found: cal.Fit, truth: dict[str, float]) -> None:
    """Every value is determined, explained, and within three standard errors."""
    assert found.explained
    assert found.converged
    assert found.plausible
    for name, value in truth.items():
        estimate = found.parameters[name]
        assert estimate.status is cal.Determination.DETERMINED, name
        assert abs(estimate.value - value) < 3 * estimate.sd, name


# Before a fit


def test_errors_of_spins_are_their_scatter_about_the_flights(tmp_path):
    study = throws(tmp_path, (0, -120, 0))
    recording = cal.read_trajectory(study.files[0])
    spins = measured_spins(recording, read_bounces(recording, radius=0.02))
    assert spins.components == (1,)
    assert spins.sigma[0, 1] == pytest.approx(PLANAR.spin_sigma, rel=0.4)


@pytest.mark.parametrize("when", ["always", "before", "after"])
def test_a_fit_begins_with_the_spin_that_was_measured(tmp_path, when):
    study = throws(tmp_path, (0, -120, 0), when=when)
    problem = problem_to_fit(study)
    names = [item.name for item in problem.layout.batches[0].trial_parameters]
    began = problem.start[1][0][:, names.index("spin_y")]
    truth = [
        -120 * (1 + 0.2 * np.random.default_rng(100 + k).standard_normal(3)[2]) for k in (0, 1, 2)
    ]
    np.testing.assert_allclose(began, truth, atol=12.0)
    assert {LIFT, FRICTION} <= set(problem.layout.names)
    assert LIFT not in problem.frozen


# Fits


@pytest.mark.long
@pytest.mark.slow
def test_backspin_tells_friction_and_lift_and_wrong_spins_are_refused(tmp_path):
    # One test, so that all fits share their compiled code.
    found = cal.studies.fit_study(throws(tmp_path, (0, -120, 0), when="before"))
    assert_found(found, TRUTH)
    assert found.parameters[LIFT].sd < 0.02
    for factor, cause in ((60 / (2 * np.pi), "'wy (rpm)'"), (-1.0, "change their sign")):
        wrong = throws(tmp_path, (0, -120, 0), when="before", factor=factor)
        with pytest.raises(InputError, match="contradict the motion") as refused:
            cal.studies.fit_study(wrong)
        assert cause in str(refused.value)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("spin", [(0, 150, 0), (0, -120, 0), (40, 20, 100)])
def test_throws_with_spin_in_space(tmp_path, spin):
    found = cal.studies.fit_study(throws(tmp_path, spin, camera=SPACE))
    sticks = found.parameters[FRICTION].status is cal.Determination.NOT_DETERMINED
    truth = {name: value for name, value in TRUTH.items() if name != FRICTION or not sticks}
    assert_found(found, truth)
    assert sticks == (spin[1] > 0)
    if sticks:
        assert "end sticking" in found.parameters[FRICTION].note


@pytest.mark.slow
@pytest.mark.long
def test_slip_that_comes_back_is_found(tmp_path):
    ball = dataclasses.replace(BALL, tangential=0.3)
    found = cal.studies.fit_study(throws(tmp_path, (0, 100, 0), ball=ball))
    assert_found(found, {RESTITUTION: 0.8, DRAG: 0.45, LIFT: 0.6, REBOUND: 0.3})
