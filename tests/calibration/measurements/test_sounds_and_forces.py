"""Studies of times of impacts and of force traces: from files to a fit without further
questions.
"""

import dataclasses
import re
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from calibration.errors import InputError
from calibration.fitting.policy import FitPolicy
from calibration.io.recording import read_trajectory
from calibration.measurements.bounce_times import BounceTimes, read_bounce_times
from calibration.results.estimate import Determination
from calibration.studies.derivative_check import check_derivatives
from calibration.studies.file_kinds import common_kind, kind_of
from calibration.studies.inspection import inspect_files, verdicts
from calibration.studies.pipeline import fit_study, problem_to_fit, problems_to_compare
from calibration.studies.sounds import contradicts_noise
from calibration.studies.study import Ball, ModelOptions, ReadingOptions, Study

RESTITUTION = "contact.normal.restitution"
STIFFNESS = "contact.normal.stiffness"
BALL = Ball(radius=0.02, mass=0.03)
LIGHT = Ball(radius=0.02, mass=0.0027, shell=True)
GRAVITY = 9.81


def written(path, header, columns):
    rows = "\n".join(
        ",".join(f"{value:.9g}" for value in row) for row in zip(*columns, strict=True)
    )
    path.write_text(f"{header}\n{rows}\n")
    return str(path)


def clicks(seed, *, restitution=0.85, speed=2.5, count=8, sigma=1e-4):
    """Times of impacts of a ball without air: textbook."""
    flights = 2 * speed * restitution ** np.arange(1, count) / GRAVITY
    times = 0.3 + np.concatenate([[0.0], np.cumsum(flights)])
    return times + sigma * np.random.default_rng(seed).standard_normal(count)


def pulse(stiffness, mass, speed, damping):
    """Force of Hunt and Crossley's law in time, by an integration of scipy."""

    def motion(t, y):
        force = max(stiffness * max(y[0], 0.0) ** 1.5 * (1 + damping * y[1] / speed), 0.0)
        return [y[1], -force / mass + GRAVITY]

    def parted(t, y):
        return y[0] if t > 1e-6 else 1.0

    parted.terminal = True
    found = solve_ivp(
        motion, [0, 0.01], [0.0, speed], rtol=1e-10, atol=1e-15, dense_output=True, events=parted
    )
    times = np.arange(-3e-4, found.t[-1] + 4e-4, 1e-5)
    overlap, rate = found.sol(np.clip(times, 0, found.t[-1]))
    touching = (times > 0) & (times < found.t[-1])
    force = np.where(
        touching, stiffness * np.clip(overlap, 0, None) ** 1.5 * (1 + damping * rate / speed), 0.0
    )
    return times, np.clip(force, 0, None), -found.y[1, -1] / speed


@pytest.fixture
def sounds(tmp_path):
    return tuple(
        written(tmp_path / f"s{seed}.csv", "t (s)", [clicks(seed, speed=2.2 + 0.2 * seed)])
        for seed in range(3)
    )


@pytest.fixture
def forces(tmp_path):
    files, rng = [], np.random.default_rng(0)
    for k, speed in enumerate((1.0, 2.0)):
        times, force, _ = pulse(4e6, BALL.mass, speed, 0.2)
        files.append(
            written(
                tmp_path / f"f{k}.csv",
                "t (s),force (N)",
                [times, force + 0.3 * rng.standard_normal(force.size)],
            )
        )
    return tuple(files)


def test_the_kind_of_a_file_is_in_its_header(tmp_path, sounds, forces):
    numbers = [np.arange(6.0) / 100, np.linspace(1, 0.9, 6)]
    assert kind_of(sounds[0]).name == "times of impacts"
    assert kind_of(forces[0]).name == "a force trace"
    assert kind_of(written(tmp_path / "a.csv", "t,z", numbers)).name == "a trajectory"
    table = written(tmp_path / "b.csv", "impact_angle,rebound_angle", numbers)
    assert kind_of(table).name == "a table of impacts"
    with pytest.raises(InputError, match="force trace"):
        common_kind((sounds[0], forces[0]))


@pytest.mark.parametrize("counted", ["bounce", "impact", "n", "Nr"])
def test_times_beside_a_column_that_counts_the_impacts_are_times_of_impacts(tmp_path, counted):
    times = clicks(0)
    path = written(tmp_path / "counted.csv", f"{counted},time (s)", [np.arange(8) + 1, times])
    assert kind_of(path).name == "times of impacts"
    assert read_bounce_times(path).time == pytest.approx(times)
    alone = written(tmp_path / "alone.csv", counted, [times])
    assert kind_of(alone).name == "times of impacts"


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("drop height (cm),rebound height (cm)", r"speed' \(sqrt\(2 g h1\), m/s\) and 'e_n'"),
        ("t,amplitude", "give the times of the impacts alone"),
    ],
)
def test_what_a_class_writes_down_instead_of_a_trajectory_is_told_what_to_give(
    tmp_path, header, said
):
    path = written(tmp_path / "class.csv", header, [np.linspace(0.2, 1, 9), np.linspace(0.1, 1, 9)])
    with pytest.raises(InputError, match=said):
        read_trajectory(path)


def heard_in_air(seed, *, clock=1.0, restitution=lambda speed: 0.88):
    """Times to 0.1 ms of ten impacts of a table-tennis ball from 0.65 m; flights by small steps."""
    per_length = 0.45 * 1.2 * np.pi * 0.02**2 / 2 / 0.0027
    time, speed, times, step = 0.4, 3.3, [], 2e-5
    for _ in range(10):
        times.append(time)
        height, velocity = 0.0, restitution(speed) * speed
        while height >= 0:
            middle = velocity - step / 2 * (9.81 + per_length * abs(velocity) * velocity)
            height += step * middle
            velocity -= step * (9.81 + per_length * abs(middle) * middle)
            time += step
        time -= height / velocity
        speed = -velocity
    return clock * (np.asarray(times) + 1e-4 * np.random.default_rng(seed).standard_normal(10))


def test_times_with_an_error_from_a_fit_are_not_stated():
    times = BounceTimes(clicks(1))
    known = times.with_scatter(7e-5)
    assert not known.stated
    np.testing.assert_allclose(known.samples().sigma[:, 0], 7e-5)
    assert times.samples().sigma[0, 0] != 7e-5


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("clock", [1.0, 1.05])
def test_times_are_weighed_against_the_known_drag_by_the_errors_that_they_have(tmp_path, clock):
    """The guess from flights was ten times too large: restitution to 0.0002 instead of 0.0001. A
    wrong clock is in the drag, which says so.
    """
    files = tuple(
        written(tmp_path / f"{seed}.csv", "t (s)", [heard_in_air(seed, clock=clock)])
        for seed in range(3)
    )
    found = fit_study(Study(files=files, ball=LIGHT))
    restitution, drag = found.parameters[RESTITUTION], found.parameters["drag.coefficient"]
    assert 0.3 < found.chi2_per_dof < 3
    assert restitution.sd < 1.5e-4
    assert abs(restitution.value - 0.88) < 4 * restitution.sd
    assert abs(drag.value - 0.45 / clock**2) < 4 * drag.sd
    assert "clock" in drag.note


@pytest.mark.long
@pytest.mark.slow
def test_a_drag_that_no_sphere_has_is_no_result_of_times(tmp_path):
    """A restitution that falls with the speed made a drag coefficient of 1.20 +- 0.02."""
    heard = [heard_in_air(seed, restitution=lambda speed: 0.9 - 0.03 * speed) for seed in range(3)]
    files = tuple(written(tmp_path / f"{k}.csv", "t (s)", [one]) for k, one in enumerate(heard))
    found = fit_study(Study(files=files, ball=LIGHT))
    assert not found.plausible
    assert "restitution that falls with the speed looks like drag" in found.warnings[0]


def test_intervals_between_impacts_are_not_told_to_be_sorted(tmp_path):
    """Sorted, they are times of something else."""
    file = written(tmp_path / "flights.csv", "interval (s)", [np.diff(clicks(0))])
    with pytest.raises(InputError, match=r"as intervals between impacts do.*running sum"):
        fit_study(Study(files=(file,), ball=BALL))


@pytest.mark.long
def test_restitution_is_heard(sounds):
    found = fit_study(Study(files=sounds, ball=BALL, model=ModelOptions(drag=False)))
    estimate = found.parameters[RESTITUTION]
    assert found.explained
    assert abs(estimate.value - 0.85) < 3 * estimate.sd
    assert estimate.sd < 2e-4
    assert len(found.series) == 3
    assert found.series[0].nuisance["impact_speed"].value == pytest.approx(2.2, abs=5e-3)
    assert np.nanmax(np.abs(found.series[0].measured - found.series[0].predicted)) < 6e-4


@pytest.mark.parametrize(
    ("misfit", "sigma", "contradicts"), [(3.0, None, False), (3.0, 1e-4, True), (50.0, None, True)]
)
def test_noise_that_nobody_stated_is_known_from_few_times(misfit, sigma, contradicts):
    times = BounceTimes(clicks(1), sigma=sigma)
    found = SimpleNamespace(explained=False, misfit=misfit, dof=5, policy=FitPolicy())
    assert contradicts_noise(found, [times]) is contradicts


@pytest.mark.slow
@pytest.mark.parametrize(("count", "sigma"), [(3, None), (5, None), (6, None), (3, 1e-3)])
def test_few_times_tell_a_restitution_only_with_their_errors(tmp_path, count, sigma):
    """Three times with errors of 1 ms, taken for 0.1 ms: 13 of 14 intervals missed the truth."""
    file = written(tmp_path / "few.csv", "t (s)", [clicks(2, count=count, sigma=1e-3)])
    reading = ReadingOptions(sigma=sigma)
    model = ModelOptions(drag=False)
    found = fit_study(Study(files=(file,), ball=BALL, model=model, reading=reading))
    told = count >= 6 or sigma is not None
    estimate = found.parameters[RESTITUTION]
    assert (estimate.status is Determination.NOT_DETERMINED) is not told
    assert ("--sigma" in estimate.note) is not told


@pytest.mark.long
@pytest.mark.slow
def test_drag_that_a_sound_does_not_tell_is_said_to_come_from_elsewhere(sounds):
    found = fit_study(Study(files=sounds, ball=BALL))
    drag = found.parameters["drag.coefficient"]
    assert drag.status is Determination.NOT_DETERMINED
    assert not np.isfinite(drag.sd)
    assert "beforehand" in drag.note


@pytest.mark.long
@pytest.mark.slow
def test_air_that_times_were_fitted_with_is_named_with_what_there_would_be_without(sounds):
    """Air that is assumed moves a restitution by several standard errors: these had none."""
    assumed = fit_study(Study(files=sounds, ball=BALL))
    restitution = assumed.parameters[RESTITUTION]
    assert abs(restitution.value - 0.85) > restitution.sd
    said = [sentence for sentence in assumed.warnings if "--no-drag" in sentence]
    assert len(said) == 1
    assert "C_D = 0.45" in said[0]
    airless = fit_study(Study(files=sounds, ball=BALL, model=ModelOptions(drag=False)))
    without = float(re.search(r"would be about ([0-9.]+)", said[0])[1])
    assert without == pytest.approx(airless.parameters[RESTITUTION].value, abs=restitution.sd)


@pytest.mark.long
@pytest.mark.slow
def test_air_that_was_stated_or_that_changes_nothing_is_not_named(tmp_path, sounds):
    known = ModelOptions(parameters={"drag.coefficient": {"value": 0.45}})
    stated = fit_study(Study(files=sounds, ball=BALL, model=known))
    noisy = written(tmp_path / "noisy.csv", "t (s)", [clicks(3, sigma=2e-3)])
    for found in (stated, fit_study(Study(files=(noisy,), ball=BALL))):
        assert not any("--no-drag" in sentence for sentence in found.warnings)


@pytest.mark.long
@pytest.mark.slow
def test_stiffness_and_restitution_are_felt(forces):
    found = fit_study(Study(files=forces, ball=BALL))
    _, _, restitution = pulse(4e6, BALL.mass, 1.0, 0.2)
    for name, truth in ((STIFFNESS, 4e6), (RESTITUTION, restitution)):
        assert (
            abs(found.parameters[name].value - truth) < 4 * found.parameters[name].sd + 1e-3 * truth
        )
    assert found.explained
    assert any("gain" in sentence for sentence in found.warnings)


@pytest.mark.slow
def test_derivatives_of_a_study_are_checked_before_it_is_fitted(sounds):
    problem = problem_to_fit(Study(files=sounds, ball=BALL, model=ModelOptions(drag=False)))
    checked = check_derivatives(problem)
    assert checked.passed
    assert checked.errors[RESTITUTION] < 1e-6
    assert "agree" in str(checked)


def test_derivatives_that_are_not_finite_do_not_pass(sounds):
    problem = problem_to_fit(Study(files=sounds, ball=BALL, model=ModelOptions(drag=False)))
    data = problem.data[0]
    spoiled = data.samples[0]._replace(measured=data.samples[0].measured * np.nan)
    checked = check_derivatives(problem.with_data((data._replace(samples=(spoiled,)),)))
    assert not checked.passed
    assert "NOT finite" in str(checked)


def test_laws_are_compared_by_name(sounds):
    study = Study(files=sounds, ball=BALL, model=ModelOptions(drag=False))
    with jax.enable_x64(True):
        problems = problems_to_compare(study, ["constant", "power law"])
    assert [len(problem.layout.names) for problem in problems.values()] == [1, 2]
    with pytest.raises(InputError, match="viscoelastic"):
        problems_to_compare(study, ["viscoelstic"])


def test_what_sounds_and_forces_can_tell_is_said_before(sounds, forces):
    heard = inspect_files(sounds, radius=0.02)
    assert all(report.problem is None and report.sounds is not None for report in heard)
    assert {verdict.quantity: verdict.answer for verdict in verdicts(heard)}["restitution"] == "yes"
    felt = inspect_files(forces, radius=0.02)
    assert {verdict.quantity: verdict.answer for verdict in verdicts(felt)}["stiffness"] == "yes"


def falling_clicks(exponent):
    """Times of impacts of a ball whose restitution is 0.88 at 1 m/s, and falls with a power."""
    times, speed = [0.3], 2.8
    for _ in range(11):
        speed *= 0.88 * speed**-exponent
        times.append(times[-1] + 2 * speed / GRAVITY)
    return np.asarray(times) + 1e-4 * np.random.default_rng(0).standard_normal(12)


@pytest.mark.long
@pytest.mark.slow
def test_a_restitution_that_falls_with_the_speed_is_named_in_times_of_impacts(tmp_path):
    file = written(tmp_path / "clicks.csv", "t (s)", [falling_clicks(0.1)])
    study = Study(files=(file,), ball=BALL, model=ModelOptions(drag=False))
    constant = fit_study(study)
    assert any("ordered by the speed of the impact" in said for said in constant.warnings)
    assert constant.parameters[RESTITUTION].note == "of a typical impact: it changes with the speed"
    asked = dataclasses.replace(study.model, restitution_law="power law")
    power = fit_study(dataclasses.replace(study, model=asked)).parameters[RESTITUTION]
    speed = float(re.fullmatch(r"of an impact at ([\d.]+) m/s", power.note).group(1))
    assert power.value == pytest.approx(0.88 * speed**-0.1, abs=2e-3)


@pytest.mark.long
@pytest.mark.slow
def test_impacts_that_scatter_are_said_to_in_times_of_impacts(tmp_path):
    rng, speed, times = np.random.default_rng(3), 2.8, [0.3]
    for _ in range(11):
        speed *= 0.85 + 0.02 * rng.standard_normal()
        times.append(times[-1] + 2 * speed / GRAVITY)
    file = written(tmp_path / "clicks.csv", "t (s)", [times])
    reading = ReadingOptions(sigma=1e-4)
    study = Study(files=(file,), ball=BALL, reading=reading, model=ModelOptions(drag=False))
    assert any("Impacts do not repeat exactly" in said for said in fit_study(study).warnings)
