"""What must hold of recordings in which things do not fall as they fall: they are refused with the
likely cause, and no other recording is.
"""

import dataclasses

import numpy as np
import pytest

from calibration.detection.bounces import read_bounces
from calibration.detection.free_fall import check_free_fall, find_free_fall
from calibration.errors import InputError
from calibration.io.recording import Recording


def bounces(*, rate=240.0, noise=5e-4, restitution=0.85, height=0.4, duration=1.2, seed=0):
    """A ball that is dropped on a floor, without air, seen from a fixed height on."""
    time = np.arange(0.0, duration, 1 / rate)
    z, start, speed, top = np.empty_like(time), 0.0, 0.0, height
    land = np.sqrt(2 * height / 9.81)
    for i, t in enumerate(time):
        while t > land:
            start, speed, top = land, restitution * (9.81 * (land - start) - speed), 0.0
            land = start + 2 * speed / 9.81 if speed > 0.05 else np.inf
        z[i] = top + speed * (t - start) - 9.81 / 2 * (t - start) ** 2 if speed + top > 0.05 else 0
    position = np.full((len(time), 3), np.nan)
    position[:, 2] = z + 0.02 + noise * np.random.default_rng(seed).standard_normal(len(time))
    return Recording(name="drop", time=time, position=position)


def scaled(recording, *, lengths=1.0, times=1.0):
    return dataclasses.replace(
        recording, position=lengths * recording.position, time=times * recording.time
    )


@pytest.mark.parametrize("rate", [30.0, 60.0, 240.0, 1000.0])
@pytest.mark.parametrize("noise", [1e-5, 5e-4, 2e-3])
@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
def test_what_falls_as_it_should_is_let_pass(rate, noise, restitution):
    for seed in range(3):
        recording = bounces(rate=rate, noise=noise, restitution=restitution, seed=seed)
        check_free_fall(recording, gravity=9.81)
        check_free_fall(scaled(recording, lengths=1.5), gravity=9.81)
        check_free_fall(scaled(recording, times=1.5), gravity=9.81)


@pytest.mark.parametrize(
    ("lengths", "times", "words"),
    [
        (100.0, 1.0, ["in cm"]),
        (1000.0, 1.0, ["in mm"]),
        (1 / 0.3048, 1.0, ["in ft"]),
        (1 / 0.0254, 1.0, ["in in"]),
        (10.0, 1.0, ["times the gravity", "0.1 times these"]),
        (1.0, 100 / 240, ["true times would be 2.4 times these", "frame rate"]),
        (1.0, 240 / 30, ["1/6", "true times would be 0.12"]),
        (-1.0, 1.0, ["falls upwards", "--vertical"]),
        (-100.0, 1.0, ["gravity"]),
    ],
)
def test_a_wrong_unit_or_frame_rate_is_named_with_its_number(lengths, times, words):
    for seed in range(3):
        recording = scaled(bounces(seed=seed), lengths=lengths, times=times)
        with pytest.raises(InputError) as refused:
            check_free_fall(recording, gravity=9.81)
        assert all(word in str(refused.value) for word in words), str(refused.value)


def test_nothing_is_said_of_what_does_not_fall():
    generator = np.random.default_rng(1)
    time = np.arange(200) / 240
    for height in (
        np.full(200, 0.3),
        0.3 + 1e-3 * generator.standard_normal(200),
        0.3 + 0.5 * time,
        np.cumsum(generator.standard_normal(200)),
        np.sin(40 * time),
    ):
        position = np.full((200, 3), np.nan)
        position[:, 2] = height
        recording = Recording(name="no fall", time=time, position=position)
        assert find_free_fall(recording) is None
        check_free_fall(recording, gravity=9.81)
    check_free_fall(scaled(bounces(), lengths=100.0), gravity=0.0)


def test_the_acceleration_is_that_of_the_motion():
    fall = find_free_fall(bounces(noise=1e-4))
    assert fall.acceleration == pytest.approx(9.81, abs=0.2)
    assert fall.share > 0.7


@pytest.mark.parametrize("power", range(1, 16, 2))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_no_height_ends_in_another_error(power, sign):
    """Stray samples, offsets and factors of any size."""
    recording, size = bounces(), sign * 10.0**power
    generator = np.random.default_rng(power)
    stray = np.where(generator.random(recording.position.shape) < 0.1, size, recording.position)
    for position in (recording.position + size, recording.position * size, stray):
        try:
            read_bounces(
                Recording(name="odd", time=recording.time, position=position),
                radius=0.02,
                gravity=9.81,
            )
        except InputError as error:
            assert any(word in str(error) for word in ("from the origin", "double precision"))  # noqa: PT017
