"""Real recordings by others: the conclusions of each study, and the tools with which they are drawn
on data whose truth is known.
"""

import json
import runpy
import sys

import numpy as np
import pytest

from calibration.results.fitted_data import FittedColumn
from experiments.real_recordings.disc_collision import fit_collision
from experiments.real_recordings.disc_tracks import Tracks
from experiments.real_recordings.discs import tangential
from experiments.real_recordings.finding import Description, Finding, Verdict, findings_text
from experiments.real_recordings.oblique_impacts import sliding_friction
from experiments.real_recordings.studies import STUDIES


@pytest.fixture(scope="module")
def study(request, tmp_path_factory):
    """Runs the study of a set, once."""
    data, results, done = (
        request.config.getoption("--recordings-dir"),
        tmp_path_factory.mktemp("result"),
        {},
    )

    def outcome_of(name):
        if not (data / name / "meta.json").exists():
            pytest.skip(
                f"{name} is not here; the recordings are by others and not part of this repository"
            )
        if name not in done:
            done[name] = (
                STUDIES[name](data / name, results / name),
                Description(data / name),
                results / name,
            )
        return done[name]

    return outcome_of


def agrees(outcome, description, results):
    """What holds for every set: no caveat is left out or contradicted, and the results are
    there.
    """
    stated = {finding.statement for finding in outcome.findings}
    assert set(description.caveats) <= stated
    assert not [
        finding
        for finding in outcome.findings
        if finding.verdict is Verdict.CONTRADICTED and finding.statement in description.caveats
    ]
    for name in ("fit.json", "fit.png", "report.html"):
        assert (results / name).stat().st_size > 1000
    return outcome.numbers


def bounded(estimate, low, high):
    value, sd = estimate
    assert low < value < high
    assert 0 < sd < high - low


@pytest.mark.long
def test_drops_tell_restitution_drag_and_that_lengths_are_short(study):
    numbers = agrees(*study("pingpong_drop_table"))
    bounded(numbers["restitution"], 0.90, 0.95)
    drag, drag_sd = numbers["drag"]
    assert 0.3 < drag < 0.6  # a smooth sphere at Reynolds numbers of 1e4
    assert drag > 5 * drag_sd
    assert numbers["chi2_per_dof_without_drag"] > 1.5 * numbers["chi2_per_dof"]
    scale, sd = numbers["length_scale"]
    assert 9.81 / scale == pytest.approx(
        9.53, abs=3 * 9.81 * sd / scale**2
    )  # as described for this table


@pytest.mark.long
def test_without_a_measured_spin_slow_spinning_launches_do_not_tell_friction(study):
    numbers = agrees(*study("aimy_mn5008_no_spin"))
    assert not numbers["friction_determined"]
    assert np.isinf(numbers["friction"][1])
    # The model does not explain these launches, so nothing of them is called determined.
    assert not numbers["restitution_determined"]
    assert np.isinf(numbers["restitution"][1])
    assert 0.85 < numbers["restitution"][0] < 1.0
    assert numbers["recordings"] == numbers["files"]


@pytest.mark.long
def test_backspin_tells_friction_and_is_lifted(study):
    numbers = agrees(*study("aimy_mn5008_backspin"))
    assert numbers["lift"]
    assert numbers["friction_determined"]
    bounded(numbers["friction"], 0.15, 0.40)
    bounded(numbers["restitution"], 0.85, 1.0)
    assert numbers["recordings"] < numbers["files"]


@pytest.mark.long
def test_topspin_has_few_usable_bounces_and_states_no_friction(study):
    numbers = agrees(*study("aimy_mn5008_topspin"))
    assert numbers["recordings"] < numbers["files"]
    assert numbers["lift"]  # without it, lengths would have to be 15 % too long
    assert numbers["chi2_per_dof"] < 2.0
    assert 0.3 < numbers["drag"][0] < 0.7
    assert not numbers["friction_determined"]
    assert np.isinf(numbers["friction"][1])


@pytest.mark.slow
def test_the_columns_of_the_oblique_impacts_disagree_on_friction(study):
    numbers = agrees(*study("kharaz2001_table"))
    assert numbers["restitution"][0] == pytest.approx(0.98, abs=0.03)
    closed = numbers["friction_closed_form"]
    # Their digitising errors (0.3 degrees, 7.5 rad/s, 0.01) make 0.004, 0.001 and 0.004.
    assert closed["rebound_angle"] == pytest.approx(0.101, abs=2e-3)
    assert closed["spin_after"] == pytest.approx(0.098, abs=1e-3)
    assert closed["tangential_restitution"] == pytest.approx(0.091, abs=2e-3)
    assert closed["tangential_restitution"] < closed["spin_after"] < closed["rebound_angle"]
    low, high = min(closed.values()), max(closed.values())
    assert low < numbers["friction"][0] < high
    # The columns contradict each other: nothing is called determined.
    assert not numbers["explained"]
    assert np.isinf(numbers["friction"][1])
    assert np.isinf(numbers["restitution"][1])
    assert 20.0 < numbers["set_aside_deg"] < 34.0


@pytest.mark.long
def test_one_collision_of_discs_tells_restitution_but_no_friction(study):
    numbers = agrees(*study("marked_discs"))
    value, sd = numbers["restitution"]
    assert value + 2 * sd < 1.0
    assert 0.005 < sd < 0.05
    assert max(numbers["restitutions"]) - min(numbers["restitutions"]) < 4 * sd
    # Equal discs: what the masses seem to differ by is the perspective.
    assert abs(numbers["mass_ratio"][0] - 1) < 0.5 * abs(
        numbers["mass_ratio_straight_camera"][0] - 1
    )
    # What stops the slip is within a few standard errors of nothing: one collision cannot tell rims
    # that slide from rims that stick.
    for _, error in (numbers["by_velocity"], numbers["by_spin"]):
        assert numbers["to_stick"] < 8 * error
    assert not numbers["friction_determined"]


@pytest.mark.long
def test_the_cube_agrees_with_its_nominal_friction_and_lies_a_millimetre_low(study):
    numbers = agrees(*study("contactnets_cube"))
    assert numbers["friction"][0] == pytest.approx(0.18, abs=0.03)
    assert 0.5 < numbers["rest_offset_mm"] < 2.0
    assert numbers["velocity_mismatch"] < 0.05
    assert numbers["untuned_position_percent"] < 15.0


def struck(velocity, spin, normal, *, restitution, friction, radius):
    """Closed form: two equal discs, the normal from disc 1 to disc 0, Newton's restitution and
    Coulomb's friction. Mass 1.
    """
    across = np.array([-normal[1], normal[0]])
    relative = velocity[0] - velocity[1]
    push = -(1 + restitution) * (relative @ normal) / 2
    slip = relative @ across - radius * spin.sum()
    rub = -np.sign(slip) * min(friction * push, abs(slip) / 6)  # 1/m_t = 2/m (1 + m R^2/I) = 6/m
    impulse = push * normal + rub * across
    return velocity + np.stack([impulse, -impulse]), spin - rub * radius / (radius**2 / 2)


def made_up_tracks(*, restitution, friction, noise, seed=0, perspective=(0.2, -0.05)):
    """Two discs that collide at a known time, seen by a tilted camera."""
    meeting, radius = 2.4248, 0.04
    normal = np.array([np.cos(0.16), np.sin(0.16)])
    velocity, spin = np.array([[-0.45, 0.96], [0.37, 0.80]]), np.array([2.6, 1.2])
    after, spin_after = struck(
        velocity, spin, normal, restitution=restitution, friction=friction, radius=radius
    )
    contact = np.array([0.73, 0.19]) + radius * np.stack([normal, -normal])
    time = 2.2 + np.arange(45) / 60
    since = (time - meeting)[:, None, None]
    place = contact + since * np.where(since < 0, velocity, after)
    angle = np.array([1.9, -2.7]) + since[..., 0] * np.where(since[..., 0] < 0, spin, spin_after)
    centre, q = contact.mean(axis=0), np.array(perspective)

    def picture(point):
        offset = point - centre
        return centre + offset / (1 + offset @ q)[..., None]

    marker = 1e-6 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    seen = picture(place + marker) - picture(place)
    draws = np.random.default_rng(seed)
    turned = np.unwrap(np.arctan2(seen[..., 1], seen[..., 0]), axis=0) + draws.normal(
        0, 40 * noise, angle.shape
    )
    return Tracks(time, picture(place) + draws.normal(0, noise, place.shape), turned)


@pytest.mark.long
@pytest.mark.slow
def test_a_collision_of_discs_with_known_truth_is_found_through_the_perspective():
    exact = fit_collision(
        made_up_tracks(restitution=0.8, friction=0.05, noise=0.0), friction=0.05, noise=(1e-3, 0.04)
    )
    assert exact.restitution[0] == pytest.approx(0.8, abs=1e-6)
    assert exact.diameter[0] == pytest.approx(0.08, abs=1e-8)
    np.testing.assert_allclose(exact.parameters.perspective, [0.2, -0.05], atol=1e-6)
    assert float(exact.picture.touch) == pytest.approx(2.4248, abs=1e-8)
    assert exact.chi2 < 1e-8
    noisy = fit_collision(made_up_tracks(restitution=0.8, friction=0.05, noise=5e-4), friction=0.05)
    value, sd = noisy.restitution
    assert 0.001 < sd < 0.02
    assert value == pytest.approx(0.8, abs=4 * sd)
    assert noisy.noise[0] == pytest.approx(5e-4, rel=0.2)
    assert noisy.noise[1] == pytest.approx(0.02, rel=0.3)
    straight = fit_collision(
        made_up_tracks(restitution=0.8, friction=0.05, noise=5e-4), friction=0.05, perspective=False
    )
    assert straight.noise[0] > 2 * noisy.noise[0]
    told = tangential(noisy)
    for impulse, error in (told.by_velocity, told.by_spin):
        assert impulse == pytest.approx(min(0.05, told.to_stick), abs=4 * error)


@pytest.mark.parametrize("name", ["rebound_angle", "spin_after", "tangential_restitution"])
def test_the_friction_of_sliding_impacts_in_closed_form(name):
    angle, mu, e, speed, radius = np.radians([45.0, 60.0]), 0.09, 0.98, 3.85, 2.5e-3
    along = speed * (np.sin(angle) - mu * (1 + e) * np.cos(angle))
    after = {
        "rebound_angle": np.degrees(np.arctan2(along, e * speed * np.cos(angle))),
        "spin_after": mu * (1 + e) * speed * np.cos(angle) / (0.4 * radius),
        "tangential_restitution": along / (speed * np.sin(angle)),
    }[name]
    column = FittedColumn(
        name, name, np.degrees(angle), after, after, np.ones(2), angle, after, {}, 0.0
    )
    assert sliding_friction(column, restitution=e, radius=radius, speed=speed) == pytest.approx(
        mu, rel=1e-12
    )


def test_a_statement_is_quoted_as_it_stands_and_one_that_is_missing_is_an_error(tmp_path):
    (tmp_path / "meta.json").write_text(
        json.dumps({"name": "made up", "caveats": ["lengths are short"], "published": {"mu": 0.1}})
    )
    description = Description(tmp_path)
    assert (
        description.finding("short", Verdict.CONFIRMED, "They are.").statement
        == "lengths are short"
    )
    assert description.statement("mu: ") == "mu: 0.1"
    with pytest.raises(LookupError, match="made up says nothing of 'long'"):
        description.statement("long")
    text = findings_text(
        [Finding("One."), description.finding("short", Verdict.CONTRADICTED, "Two.")]
    )
    assert text.splitlines() == [
        "1. One.",
        "2. Two.",
        "   [contradicted] meta.json: lengths are short",
    ]


def test_sets_that_are_not_there_are_skipped_with_a_sentence(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["real_recordings", "--data", str(tmp_path), "marked_discs"])
    runpy.run_module("experiments.real_recordings", run_name="__main__")
    assert "Skipped" in capsys.readouterr().out


def test_an_unknown_set_is_an_error_that_names_the_known_ones(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["real_recordings", "--data", str(tmp_path), "discs"])
    with pytest.raises(SystemExit):
        runpy.run_module("experiments.real_recordings", run_name="__main__")
    assert "marked_discs" in capsys.readouterr().err


@pytest.mark.long
def test_five_numbers_predict_a_rubber_nearly_as_well_as_a_gaussian_process(study):
    numbers = agrees(*study("tt_rackets_racket_01"))
    bounded(numbers["restitution"], 0.70, 0.80)
    bounded(numbers["rebound"], 0.6, 0.9)
    errors = numbers["left_out"]
    law, curve = errors["power law, rebound that falls with slip"], errors["Gaussian process"]
    for name in ("rebound_angle", "normal_restitution"):
        assert law[name] < 1.3 * curve[name]
        assert law[name] < errors["constant"][name]
