"""Release, bounces, restitution, drag, noise and tracking errors are read from recordings alone,
made-up ones and real ones.
"""

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from calibration.detection.bounces import read_bounces
from calibration.detection.noise import local_residuals, rounding_step
from calibration.errors import InputError
from calibration.io.recording import Recording, read_trajectory

DATA = Path(__file__).parents[3].parent / "shared" / "data"
RADIUS = 0.02
G = 9.81


def course(position, velocity, *, restitution, end, drag=0.0, floor=RADIUS, gravity=G):
    """Motion with rigid impacts: a function of times, and the times of the impacts. The ball rests
    once it is slower than 2 cm/s.
    """
    pieces, impacts, now, state = [], [], 0.0, np.concatenate([position, velocity])

    def rate(_, state):
        return np.concatenate(
            [state[3:], -drag * np.linalg.norm(state[3:]) * state[3:] - [0, 0, gravity]]
        )

    def touch(_, state):
        return state[2] - floor

    touch.terminal, touch.direction = True, -1
    while now < end:
        solution = solve_ivp(
            rate,
            (now, end),
            state,
            events=touch,
            dense_output=True,
            rtol=1e-10,
            atol=1e-12,
            max_step=0.1,
        )
        pieces.append((now, solution.sol))
        if solution.status != 1:
            break
        now, state = solution.t[-1], solution.y[:, -1] * [1, 1, 1, 0.8, 0.8, -restitution]
        impacts.append(now)
        state[2] = floor
        if state[5] < 0.02:
            pieces.append(
                (now, lambda times, at=state[:3]: np.repeat(at[:, None], len(times), axis=1))
            )
            break

    def at(times):
        which = np.searchsorted([start for start, _ in pieces], times, side="right") - 1
        return np.stack(
            [
                pieces[i][1](np.array([t]))[:3, 0]
                for i, t in zip(np.maximum(which, 0), times, strict=True)
            ]
        )

    return at, np.array(impacts)


def recording(time, position, name="made up"):
    return Recording(name=name, time=time, position=position)


def made_up_case(seed):
    """A recording with everything that goes wrong, and the truth about it."""
    rng = np.random.default_rng(seed)
    kind = ("drop", "hand", "throw", "launch", "planar")[seed % 5]
    rate = float(rng.choice([30, 60, 100, 120, 240, 500]))
    noise, restitution, fall = (
        10 ** rng.uniform(-6, -2.5),
        rng.uniform(0.4, 0.95),
        10 ** rng.uniform(-0.9, 0.2),
    )
    floor, drag, gravity = (
        rng.uniform(-1, 1),
        rng.choice([0, rng.uniform(0.08, 0.15)]),
        G * rng.uniform(0.95, 1.02),
    )
    up = rng.uniform(0, 2) if kind != "drop" and kind != "hand" else 0.0
    sideways = rng.uniform(0, 5) if kind in ("launch", "planar") else 0.02
    arrival = np.sqrt(2 * gravity * fall + up**2)
    flights = 2 * arrival / gravity * restitution ** np.arange(1, rng.integers(2, 10))
    end = (arrival + up) / gravity + flights[:-1].sum() + flights[-1] * rng.uniform(0.5, 1.5)
    at, impacts = course(
        [0, 0, floor + fall],
        [sideways, 0.2 * sideways, up],
        restitution=restitution,
        end=end,
        drag=drag,
        floor=floor,
        gravity=gravity,
    )
    time = np.arange(-rng.uniform(0.1, 0.4) if kind in ("hand", "throw") else 0.0, end, 1 / rate)
    time = time + rng.uniform(-0.2, 0.2, len(time)) / rate * rng.choice([0, 1])
    time = time[rng.random(len(time)) > rng.choice([0, 0.1])]
    position = at(np.maximum(time, 0))
    moving = np.clip(time, -0.15, 0)
    position[time < 0, 2] += (up * moving + up / 0.3 * moving**2)[
        time < 0
    ]  # the hand speeds up evenly for 0.15 s
    clean = position[:, 2].copy()
    position += noise * rng.normal(size=position.shape)
    jumped = rng.random(len(time)) < rng.choice([0, 0.01])
    position[jumped] += rng.choice([-1, 1], (jumped.sum(), 3)) * rng.uniform(
        0.03, 0.3, (jumped.sum(), 3)
    )
    position[:, {"planar": [1], "drop": [0, 1]}.get(kind, [])] = np.nan
    edges = [0, *impacts, end]
    inside = [(time > a) & (time < b) & ~jumped for a, b in itertools.pairwise(edges)]
    clear = [mask.sum() >= 6 and np.ptp(clean[mask]) > 12 * noise for mask in inside]
    needed = 0
    while needed < len(impacts) and clear[needed] and clear[needed + 1]:
        needed += 1
    return recording(time, position), {
        "impacts": impacts,
        "needed": needed,
        "restitution": restitution,
        "floor": floor,
        "frame": 1 / rate,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(30), 81]
)  # 81: neighbours by themselves do not tell that they meet
def test_every_clear_bounce_of_a_made_up_recording_is_found_within_a_frame(seed):
    made, truth = made_up_case(seed)
    detected = read_bounces(made, radius=RADIUS)
    times = np.array([bounce.time for bounce in detected.bounces])
    assert truth["needed"] <= len(times) <= len(truth["impacts"])
    if len(times):
        assert np.abs(times - truth["impacts"][: len(times)]).max() < truth["frame"]
        assert abs(detected.restitution - truth["restitution"]) < max(
            0.03 if truth["needed"] else 0.1, 3 * detected.restitution_sd
        )
        assert abs(detected.height - truth["floor"]) < max(1e-3, 5 * detected.height_sd)


@pytest.fixture(scope="module")
def tennis_ball():
    """A ball with the drag of a table-tennis ball, held for 0.3 s, at 240 frames per second until
    it rests.
    """
    at, impacts = course([0, 0, 0.8], [0.1, 0.0, 0.0], restitution=0.8, end=4.5, drag=0.13)
    time = np.arange(-0.3, 4.2, 1 / 240)
    return (
        time,
        at(np.maximum(time, 0)) + 2e-4 * np.random.default_rng(1).normal(size=(len(time), 3)),
        impacts,
    )


def test_the_hand_and_the_rest_are_left_out_and_said(tennis_ball):
    time, position, _ = tennis_ball
    detected = read_bounces(recording(time, position), radius=RADIUS)
    assert -0.012 < time[detected.release] < 0.04
    assert abs(position[detected.stop - 1, 2] - RADIUS) < 5e-3
    assert any("the ball is held or at rest" in remark for remark in detected.remarks)
    assert any("the ball is at rest, rolls" in remark for remark in detected.remarks)


def test_drag_gravity_noise_and_state_are_read(tennis_ball):
    time, position, _ = tennis_ball
    detected = read_bounces(recording(time, position), radius=RADIUS)
    assert abs(detected.drag - 0.13) < min(4 * detected.drag_sd, 0.02)
    assert abs(detected.gravity - G) < 4 * detected.gravity_sd
    np.testing.assert_allclose(detected.noise, 2e-4, rtol=0.15)
    np.testing.assert_allclose(detected.scatter, 2e-4, rtol=0.2)
    assert np.all(np.abs(detected.correlation) < 0.15)
    np.testing.assert_allclose(
        detected.position, [0.1 * max(time[detected.release], 0), 0, 0.8], atol=2e-3
    )
    np.testing.assert_allclose(
        detected.velocity, [0.1, 0, -G * max(time[detected.release], 0)], atol=0.03
    )
    np.testing.assert_allclose(
        [bounce.restitution for bounce in detected.bounces[:4]], 0.8, atol=0.005
    )


def test_velocities_of_a_bounce_are_those_of_the_motion():
    at, impacts = course([0, 0, 0.5], [2.0, 0.5, 0.0], restitution=0.7, end=0.8)
    time = np.arange(0, 0.8, 0.01)
    bounce = read_bounces(recording(time, at(time)), radius=RADIUS).bounces[0]
    speed = np.sqrt(2 * G * (0.5 - RADIUS))
    np.testing.assert_allclose(bounce.velocity_before, [2.0, 0.5, -speed], rtol=1e-3)
    np.testing.assert_allclose(bounce.velocity_after, [1.6, 0.4, 0.7 * speed], rtol=1e-3)
    assert bounce.time == pytest.approx(impacts[0], abs=1e-5)


def test_only_the_height_is_enough(tennis_ball):
    time, position, impacts = tennis_ball
    height = np.full_like(position, np.nan)
    height[:, 2] = position[:, 2]
    detected = read_bounces(recording(time, height), radius=RADIUS)
    np.testing.assert_allclose(
        [bounce.time for bounce in detected.bounces], impacts[: len(detected.bounces)], atol=1 / 240
    )
    assert np.isnan(detected.velocity[:2]).all()
    assert np.isnan(detected.noise[:2]).all()


def test_a_gap_over_a_bounce_is_bridged(tennis_ball):
    time, position, impacts = tennis_ball
    seen = np.where((np.abs(time - impacts[0]) < 0.06)[:, None], np.nan, position)
    detected = read_bounces(recording(time, seen), radius=RADIUS)
    assert detected.bounces[0].time == pytest.approx(impacts[0], abs=1e-3)
    assert detected.bounces[0].restitution == pytest.approx(0.8, abs=0.01)


def test_a_recording_that_starts_after_the_first_bounce_starts_with_the_flight(tennis_ball):
    time, position, impacts = tennis_ball
    late = time > impacts[0] - 0.008
    detected = read_bounces(recording(time[late], position[late]), radius=RADIUS)
    assert time[late][detected.release] == pytest.approx(impacts[0], abs=0.02)
    assert detected.bounces[0].time == pytest.approx(impacts[1], abs=1e-3)


def test_tracking_errors_are_marked_and_nothing_else(tennis_ball):
    time, position, impacts = tennis_ball
    jumps = [150, 152, 230, 400, 402, 403]
    moved = position.copy()
    moved[jumps[:3], 2] += [0.1, -0.2, 0.006]
    moved[jumps[3:], 0] += 0.05
    detected = read_bounces(recording(time, moved), radius=RADIUS)
    np.testing.assert_array_equal(np.flatnonzero(detected.outliers), jumps)
    np.testing.assert_allclose(
        [bounce.time for bounce in detected.bounces[:4]], impacts[:4], atol=1e-3
    )
    assert any(
        remark.startswith("6 tracking errors: samples 150, 152") for remark in detected.remarks
    )


def test_a_ball_that_is_caught_ends_the_reading(tennis_ball):
    time, position, impacts = tennis_ball
    caught = (impacts[1] + impacts[2]) / 2
    held = position.copy()
    held[time > caught] = held[np.searchsorted(time, caught)] + [0, 0, 0.2] * (
        time[time > caught, None] - caught
    )
    detected = read_bounces(recording(time, held), radius=RADIUS)
    assert len(detected.bounces) == 2
    assert time[detected.stop] == pytest.approx(caught, abs=0.03)
    left_out = f"samples {detected.stop} to {time.size - 1}: "
    assert any(left_out in remark and "caught" in remark for remark in detected.remarks)


@pytest.mark.parametrize("step", [1e-3, 4e-3])
def test_positions_in_whole_pixels_are_read(tennis_ball, step):
    time, position, impacts = tennis_ball
    detected = read_bounces(recording(time, step * np.round(position / step)), radius=RADIUS)
    assert len(detected.bounces) >= 5
    np.testing.assert_allclose(
        [bounce.time for bounce in detected.bounces], impacts[: len(detected.bounces)], atol=1 / 240
    )
    assert detected.restitution == pytest.approx(0.8, abs=0.01)
    assert np.nanmin(detected.noise) > 0.2 * step


def test_a_short_length_scale_shows_as_low_gravity(tennis_ball):
    time, position, _ = tennis_ball
    detected = read_bounces(recording(time, 0.8 * position), radius=RADIUS)
    assert detected.gravity == pytest.approx(0.8 * G, rel=0.01)
    assert detected.restitution == pytest.approx(0.8, abs=0.01)
    # 25 % of what was recorded, as the length scale of a fit and the table of `check` count it.
    assert any("lengths are 25 % too short" in remark for remark in detected.remarks)


def damped_contact(times, *, speed, duration, restitution):
    """Height above touch-down of a mass that meets a spring and dashpot at time zero (gravity
    neglected in contact), and its last speed.
    """
    decay = -np.log(restitution) / duration
    frequency = np.pi / duration
    during = -speed / frequency * np.exp(-decay * times) * np.sin(frequency * times)
    after = times - duration
    height = np.where(after > 0, restitution * speed * after - G / 2 * after**2, during)
    return np.where(times < 0, -speed * times - G / 2 * times**2, height)


def test_a_contact_seen_at_high_speed_is_no_flight_and_no_error():
    time = np.arange(-0.06, 0.07, 2e-4)
    height = damped_contact(time, speed=3.0, duration=4e-3, restitution=0.8)
    position = np.full((len(time), 3), np.nan)
    position[:, 2] = height + RADIUS + 3e-5 * np.random.default_rng(0).normal(size=len(time))
    detected = read_bounces(recording(time, position), radius=RADIUS)
    (bounce,) = detected.bounces
    assert bounce.restitution == pytest.approx(0.8, abs=0.01)
    assert 0 < bounce.time < 4e-3
    assert detected.height == pytest.approx(RADIUS, abs=2e-3)
    assert not detected.outliers.any()
    assert any("during one contact" in remark for remark in detected.remarks)


def test_bounces_of_a_soft_ball_blame_neither_the_plane_nor_the_lens():
    """Flights before and after a contact that lasts meet below the surface, the deeper the faster
    the ball is.
    """
    duration, restitution, time = 8e-3, 0.75, np.arange(0.0, 2.6, 1 / 240)
    speed, touch = np.sqrt(2 * G * 1.2), np.sqrt(2 * 1.2 / G)
    height = 1.2 - G / 2 * time**2
    for _ in range(4):
        rebound = damped_contact(
            time - touch, speed=speed, duration=duration, restitution=restitution
        )
        height = np.where(time > touch, rebound, height)
        speed *= restitution
        touch += duration + 2 * speed / G
    position = np.full((len(time), 3), np.nan)
    position[:, 2] = height + RADIUS + 3e-4 * np.random.default_rng(0).normal(size=len(time))
    detected = read_bounces(recording(time, position), radius=RADIUS)
    assert len(detected.bounces) >= 3
    (said,) = (remark for remark in detected.remarks if "heights of the bounces" in remark)
    assert "soft" in said
    assert "tilted" not in said
    assert 6 < float(said.split()[-2]) < 10


def test_a_flight_without_a_bounce_has_no_bounces():
    time = np.arange(0, 0.5, 0.01)
    position = np.stack([2 * time, 0 * time, 1 + 2 * time - G / 2 * time**2], axis=1)
    detected = read_bounces(recording(time, position), radius=RADIUS)
    assert detected.bounces == ()
    assert "no bounce in this recording" in detected.remarks
    assert np.isnan(detected.restitution)
    np.testing.assert_allclose(detected.velocity, [2, 0, 2], atol=1e-3)


@pytest.mark.parametrize(
    "height",
    [
        lambda t: 0.02 + 0 * t,
        lambda t: 0.5 + 0.1 * np.sin(3 * t),
        lambda t: 0.3 * t,
        lambda t: 500 - 4905 * t**2,
    ],
)
def test_what_does_not_fall_freely_is_no_flight(height):
    time = np.arange(0, 1.5, 0.01)
    shown = height(time) + 1e-4 * np.random.default_rng(0).normal(size=len(time))
    detected = read_bounces(
        recording(time, np.stack([time, 0 * time, shown], axis=1)), radius=RADIUS
    )
    assert detected.flights == ()
    assert detected.bounces == ()
    assert "no free flight" in detected.remarks[0]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [({"radius": 0.0}, "radius = 0.0"), ({"radius": RADIUS, "gravity": -9.81}, "gravity = -9.81")],
)
def test_what_must_be_positive_is_asked_for(arguments, text, tennis_ball):
    time, position, _ = tennis_ball
    with pytest.raises(InputError, match=text):
        read_bounces(recording(time, position), **arguments)


def test_a_recording_without_heights_is_refused(tennis_ball):
    time, position, _ = tennis_ball
    with pytest.raises(InputError, match="0 heights"):
        read_bounces(recording(time, position * [1, 1, np.nan]), radius=RADIUS)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_local_residuals_are_blind_to_polynomials_and_keep_white_noise(order):
    rng = np.random.default_rng(order)
    time = np.sort(rng.uniform(0, 1, 4000)) + 0.01 * np.arange(4000)
    smooth = (time / 40) ** (order - 1)
    np.testing.assert_allclose(local_residuals(time, smooth, order=order), 0, atol=1e-9)
    assert np.std(
        local_residuals(time, smooth + rng.normal(size=4000), order=order)
    ) == pytest.approx(1, rel=0.1)


def test_a_rounding_step_is_recognised():
    values = np.random.default_rng(0).normal(size=300)
    assert rounding_step(0.25 * np.round(values / 0.25) + 0.1) == pytest.approx(0.25)
    assert rounding_step(values) == 0


def real(name):
    folder = DATA / name / "csv"
    if not folder.is_dir():
        pytest.skip(
            f"the recordings {name} are not here: {folder.parent.name} is kept outside of "
            "the repository"
        )
    recordings = [read_trajectory(path) for path in sorted(folder.glob("*.csv"))]
    return recordings, [read_bounces(item, radius=RADIUS) for item in recordings]


def test_real_drops_of_a_table_tennis_ball():
    recordings, detections = real("pingpong_drop_table")
    assert [len(detected.bounces) for detected in detections] == [
        2,
        1,
        1,
        3,
        3,
        3,
        1,
        1,
        2,
        2,
        2,
        2,
        2,
        2,
        2,
    ]
    assert all(0.88 < detected.restitution < 0.94 for detected in detections)
    assert np.mean([detected.restitution for detected in detections]) == pytest.approx(
        0.92, abs=0.01
    )  # 0.82 without drag
    assert np.median([detected.drag for detected in detections]) == pytest.approx(0.13, abs=0.02)
    assert all(
        9.2 < detected.gravity < 9.9 for detected in detections
    )  # the length scale of this set is 3 to 5 % short
    for item, detected in zip(recordings, detections, strict=True):
        height = item.position[:, 2]
        fallen = int(
            np.argmax(height < np.median(height[:5]) - 0.05)
        )  # 0.05 m below the hand, 0.10 s after the release
        assert fallen - 18 <= detected.release <= fallen - 5, item.name
        assert len(height) - detected.stop <= 4


def test_real_launches_without_spin():
    _, detections = real("aimy_mn5008_no_spin")
    assert all(len(detected.bounces) == 1 for detected in detections)
    assert np.median([detected.restitution for detected in detections]) == pytest.approx(
        0.955, abs=0.01
    )
    assert all(abs(detected.height - 0.760) < 0.003 for detected in detections)
    assert all(
        detected.release <= 12 and len(detected.outliers) - detected.stop <= 2
        for detected in detections
    )
    assert all(0.1 < detected.drag < 0.2 for detected in detections)
    assert set(np.flatnonzero(detections[7].outliers)) >= {
        64,
        67,
    }  # two jumps of 4 cm just before the bounce


@pytest.mark.parametrize(
    ("name", "bouncing"),
    [
        ("aimy_mn5008_backspin", [4, 5, 6, 7, 8, 14]),
        ("aimy_mn5008_topspin", [0, 1, 3, 4, 5, 6, 7, 8, 11, 12]),
    ],
)
def test_real_launches_with_spin_bounce_once_or_end_before(name, bouncing):
    recordings, detections = real(name)
    found = [i for i, detected in enumerate(detections) if detected.bounces]
    assert found == bouncing
    for i in found:
        assert len(detections[i].bounces) == 1
        assert abs(detections[i].height - 0.760) < 0.005
        assert 0.8 < detections[i].restitution < 1.05
    for i in set(range(len(detections))) - set(found):
        assert "no bounce in this recording" in detections[i].remarks
        assert np.nanmin(recordings[i].position[:, 2]) > 0.755
