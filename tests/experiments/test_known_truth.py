"""The recordings with known truth: the physics behind them, and that the committed files are those
that are generated.
"""

import json
import math

import numpy as np
import pytest

from experiments.known_truth import generate, random_recording
from experiments.known_truth.compliant import contact, damping_for
from experiments.known_truth.flight import GRAVITY, INERTIA, MASS, RADIUS, flight
from experiments.known_truth.rigid import bounce

TRUTH = json.loads((generate.FOLDER / "truth.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
def test_the_damping_found_by_shooting_obeys_the_closed_relation(restitution):
    damping = damping_for(restitution)
    assert damping * (1.0 + restitution) == pytest.approx(
        math.log((1.0 + damping) / (1.0 - damping * restitution)), abs=1e-8
    )


def test_a_fall_through_air_follows_the_closed_form():
    drag = 0.45
    terminal = math.sqrt(2.0 * MASS * GRAVITY / (1.2 * drag * math.pi * RADIUS**2))
    fall = flight(np.array([0.0, RADIUS + 0.3, 0.0, 0.0, 0.0]), drag, 0.0)
    duration = terminal / GRAVITY * math.acosh(math.exp(0.3 * GRAVITY / terminal**2))
    assert fall.duration == pytest.approx(duration, abs=1e-10)
    assert -fall.end[3] == pytest.approx(
        terminal * math.tanh(GRAVITY * duration / terminal), abs=1e-9
    )


@pytest.mark.parametrize(("vx", "slides"), [(4.0, True), (-4.0, True), (1.0, False), (0.0, False)])
def test_a_stiff_contact_approaches_the_rigid_bounce(vx, slides):
    touch_down = np.array([0.1, RADIUS, vx, -2.0, 0.0])
    compliant = contact(touch_down, restitution=0.9, friction=0.25, drag=0.0, stiffness=1e11)
    rigid = bounce(touch_down, restitution=0.9, friction=0.25)
    np.testing.assert_array_less(np.abs(compliant.end - rigid), [1e-4, 1e-12, 3e-4, 3e-4, 3e-2])
    slip = compliant.end[2] - RADIUS * compliant.end[4]
    assert (abs(slip) > 0.1) == slides
    assert compliant.end[4] == pytest.approx(
        -(compliant.end[2] - vx) * MASS * RADIUS / INERTIA, rel=1e-9
    )


@pytest.mark.parametrize("shot", generate.SHOTS, ids=lambda shot: shot.name)
def test_the_committed_recording_is_the_generated_one(shot):
    times, path, about = generate.film(shot)
    committed = (generate.FOLDER / shot.name).read_text(encoding="utf-8")
    header, *rows = committed.splitlines()
    assert header == ("t;x;y" if shot.tracker else "t,x,z")
    cells = [row.replace(",", ".").split(";") if shot.tracker else row.split(",") for row in rows]
    np.testing.assert_allclose(
        np.array(cells, float), np.column_stack([times, path]), rtol=0, atol=1.5e-6
    )
    recorded = TRUTH["recordings"][shot.name]
    assert recorded["initial_state"] == about["initial_state"]
    for impact, again in zip(recorded["impacts"], about["impacts"], strict=True):
        assert impact == pytest.approx(again, abs=1e-7)


@pytest.mark.parametrize("name", TRUTH["recordings"])
def test_impacts_have_the_stated_restitution_and_a_realistic_duration(name):
    impacts = TRUTH["recordings"][name]["impacts"]
    assert 4 <= len(impacts) <= 7
    for impact in impacts:
        assert impact["obtained_restitution"] == pytest.approx(
            TRUTH["common"]["restitution"], abs=6e-4
        )
        assert 5e-4 < impact["contact_duration_s"] < 1e-3


@pytest.mark.parametrize("name", ["throw_04.csv", "throw_05.csv"])
def test_throws_slide_through_their_first_contact_and_so_show_the_friction(name):
    first = TRUTH["recordings"][name]["impacts"][0]
    assert abs(first["slip_after_m_s"]) > 0.2
    change = abs(first["tangential_velocity_after_m_s"] - first["tangential_velocity_before_m_s"])
    normal = first["normal_speed_before_m_s"] * (1.0 + first["obtained_restitution"])
    assert change / normal == pytest.approx(TRUTH["common"]["friction_coefficient"], abs=2e-3)


def test_random_recordings_hold_what_their_truth_says():
    for seed in range(8):
        times, path, truth = random_recording(
            np.random.default_rng(seed), bounces=(2, 4), horizontal_speed=(0.0, 3.0)
        )
        assert path.shape == (times.size, 2)
        assert np.all(np.isfinite(path))
        assert 2 <= truth["touch_downs"].size <= 4
        assert 0.6 <= truth["restitution"] <= 0.98
        np.testing.assert_allclose(
            path[0], truth["initial_state"][:2], rtol=0, atol=5.0 * truth["noise"]
        )
        assert path[:, 1].min() > RADIUS - 5.0 * truth["noise"]


def test_a_random_recording_is_repeatable():
    first, second = (random_recording(np.random.default_rng(7), bounces=3) for _ in range(2))
    np.testing.assert_array_equal(first[1], second[1])
