"""What is said of a recording of which only a part is used."""

import dataclasses

import numpy as np
import pytest

import calibration as cal
from calibration.detection.bounces import read_bounces
from calibration.studies.recording_remarks import odd_frames, share_of_samples


def recording() -> cal.Recording:
    """Bounces from 0.5 m on, each 0.8 times as fast as the last."""
    time = np.arange(0.0, 2.0, 1 / 240)
    height = 0.5 - 0.5 * 9.81 * time**2
    touch, speed = np.sqrt(2 * 0.48 / 9.81), np.sqrt(2 * 9.81 * 0.48)
    while speed > 0.5:
        speed *= 0.8
        since = time[time >= touch] - touch
        height[time >= touch] = 0.02 + speed * since - 0.5 * 9.81 * since**2
        touch += 2 * speed / 9.81
    seen = time < touch
    noise = 3e-4 * np.random.default_rng(0).standard_normal(int(seen.sum()))
    nothing = np.full(int(seen.sum()), np.nan)
    position = np.stack([nothing, nothing, height[seen] + noise], axis=1)
    return cal.Recording(name="drop", time=time[seen], position=position)


def test_a_recording_without_its_high_bounces_says_what_part_is_used() -> None:
    whole = recording()
    detected = read_bounces(whole, radius=0.02, gravity=9.81)
    assert not list(share_of_samples(whole, detected))
    count = whole.time.size
    late = dataclasses.replace(detected, release=count // 2)
    (said,) = share_of_samples(whole, late)
    used = min(detected.stop or count, count) - count // 2
    assert f"{used} of {count}" in said
    assert "the ball was higher in others: up to 0.48 m" in said


def with_frames(whole: cal.Recording, frames: np.ndarray) -> cal.Recording:
    """Some frames of a recording, numbered anew: the times do not tell which."""
    time = whole.time[0] + np.arange(frames.size) / 240
    return dataclasses.replace(whole, time=time, position=whole.position[frames])


def odd(seen: cal.Recording) -> list[str]:
    return list(odd_frames(seen, read_bounces(seen, radius=0.02, gravity=9.81), 9.81))


@pytest.mark.parametrize("lost", [[60], [60, 61, 300]])
def test_single_lost_frames_are_said_although_the_flights_beside_do_not_scatter(lost) -> None:
    whole = recording()
    assert not odd(whole)
    seen = with_frames(whole, np.delete(np.arange(whole.time.size), lost))
    (said,) = odd(seen)
    assert f"{sum(place < 200 for place in lost)} after sample 59" in said
    assert "--missing-frames" in said


def test_single_copied_frames_are_said() -> None:
    whole = recording()
    number = np.arange(whole.time.size)
    (said,) = odd(with_frames(whole, np.insert(number, [61, 311], [60, 310])))
    assert "copies of those before them" in said
    assert "samples 61, 312;" in said
