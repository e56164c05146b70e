"""A ball in a film is followed to a fraction of a pixel, whatever phones do, or refused by name."""

import sys

import numpy as np
import pytest

import calibration as cal
from calibration.errors import InputError
from calibration.films.ball_picture import Ball
from calibration.films.locate import Located, View, locate
from calibration.films.measure import Measured
from calibration.films.samples import select_samples
from experiments.films.camera import Room, Sprite
from tests.calibration.films.films import CAMERA, DROP, RADIUS, errors, film_of, followed

pytestmark = pytest.mark.slow

SETTINGS = {
    "sharp": {},
    "blurred": {"camera": {"exposure": 0.006, "rate": 60.0}},
    "rolling shutter": {"camera": {"line_time": 3e-5}},
    "variable rate": {"camera": {"jitter": 0.6}},
    "compressed": {"camera": {"crf": 26}},
    "noisy": {"camera": {"noise": 6.0}},
    "shadow": {"shadow": 0.8},
    "mirror": {"reflection": 0.35},
    "dark": {"room": Room(wall=0.6, floor=0.4), "light": 0.05, "shadow": 0.4},
    "gradient": {"room": Room(gradient=1.2, texture=0.02), "shading": 0.5},
    "moving background": {"room": Room(moving=0.02)},
}


@pytest.mark.long(
    "sharp",
    "rolling shutter",
    "compressed",
    "noisy",
    "mirror",
    "dark",
    "gradient",
    "blurred",
    "moving background",
    "variable rate",
)
@pytest.mark.parametrize("name", SETTINGS)
def test_the_centre_is_found_to_a_tenth_of_a_pixel(name, tmp_path):
    ball, error = followed(tmp_path, **SETTINGS[name])
    seen = np.isfinite(error[:, 0])
    assert np.mean(seen) > 0.9
    assert np.all(np.abs(np.mean(error[seen], axis=0)) < 0.05)
    assert np.all(np.std(error[seen], axis=0) < 0.15)
    assert ball.radius == pytest.approx(RADIUS * CAMERA.pixels_per_metre, abs=0.3)


@pytest.mark.long
def test_the_times_are_those_of_the_container(tmp_path):
    ball, _ = followed(tmp_path, camera={"jitter": 0.8})
    apart = np.diff(ball.recording.time)
    assert np.ptp(apart) > 0.5 / CAMERA.rate
    assert np.mean(apart) == pytest.approx(1 / CAMERA.rate, rel=0.02)


def test_the_stated_errors_are_those_that_are_made(tmp_path):
    ball, error = followed(tmp_path)
    assert 0.6 < np.nanstd(error / ball.sd) < 1.5


@pytest.mark.long
def test_a_ball_that_is_hidden_is_missing_and_found_again(tmp_path):
    room = Room(hidden=(0, 240, 200, 235))
    ball, error = followed(tmp_path, room=room)
    row = ball.pixels[:, 1]
    assert not np.any((row > 208) & (row < 227))
    assert np.isnan(row).sum() > 5
    assert np.nanmax(np.abs(error[:, 0])) < 0.4
    assert {"partly hidden", "does not look like the ball", "not where it is expected"} & set(
        ball.lost.values()
    )


BALL = Ball(radius=8.0, blur=1.0, light=np.array([0.6, 0, 0, 0, 0, 0]))


@pytest.mark.parametrize("place", [(-12.0, 20.0), (20.0, 55.0), (900.0, -900.0)])
def test_a_ball_expected_beyond_the_picture_is_not_found(place):
    plain = np.full((40, 40), 0.2)
    view = View(
        frame=0, corner=(0, 0), grey=120 * plain, background=plain, noise=plain, full_range=True
    )
    assert locate(view, BALL, np.array(place), np.zeros(2)) is None


@pytest.mark.parametrize("wrong", [0, 1, -1])
def test_a_wrong_place_at_the_end_of_a_flight_is_left_out(wrong):
    time = np.arange(30) / 120
    fall = np.column_stack([100 + 50 * time, 80 + 4000 * time**2])
    places = fall + np.random.default_rng(3).normal(scale=0.05, size=fall.shape)
    places[wrong] += (2.0, 6.0)
    located = {
        frame: Located(
            centre=place,
            velocity=np.zeros(2),
            gain=1.0,
            ball=BALL,
            covariance=1e-4 * np.eye(2),
            misfit=0.01,
            hidden=0.0,
        )
        for frame, place in enumerate(places)
    }
    measured = Measured(
        ball=BALL, radii=np.full(30, 8.0), located=located, arc=dict.fromkeys(located, 0), lost={}
    )
    lost = select_samples(time, measured).lost
    assert lost == {wrong % 30: "off the path of its neighbours"}


@pytest.mark.long
def test_of_two_balls_neither_is_chosen_but_by_the_user(tmp_path):
    def beside(time):
        x, z = DROP.path(1.0).at(time)
        return x + 0.13, z

    other = Sprite(path=beside, radius=RADIUS)
    path = str(tmp_path / "two.mp4")
    camera = film_of(path, others=[other])
    with pytest.raises(InputError, match="2 things in this film move like a ball") as refused:
        cal.films.track(path, radius=RADIUS)
    assert "--start" in str(refused.value)
    column, row = camera.to_pixels(*map(np.asarray, DROP.start))
    ball = cal.films.track(path, radius=RADIUS, start=(float(column), float(row)))
    assert np.nanstd(errors(ball, camera)) < 0.15
    region = cal.films.Region(left=0, top=0, right=125, bottom=320)
    ball = cal.films.track(path, radius=RADIUS, region=region)
    assert np.nanmax(np.abs(errors(ball, camera))) < 0.5


def test_the_exposure_is_told_by_the_streaks(tmp_path):
    ball, _ = followed(tmp_path, camera={"exposure": 0.006, "rate": 60.0})
    assert ball.exposure == pytest.approx(0.006, rel=0.15)
    assert "about" in next(line for line in ball.lines() if line.startswith("exposure"))


@pytest.mark.long
def test_a_part_of_a_film_keeps_its_times(tmp_path):
    ball, error = followed(tmp_path, options={"interval": (0.2, 0.6)})
    assert 0.2 <= ball.recording.time[0] < 0.23
    assert ball.recording.time[-1] <= 0.6
    assert np.nanstd(error) < 0.15


def test_x_points_right_and_z_up(tmp_path):
    ball, _ = followed(tmp_path)
    position = ball.recording.position
    assert position[-1, 0] > position[0, 0]
    assert position[0, 2] > np.nanmin(position[:, 2]) + 0.2
    floor = CAMERA.floor / CAMERA.pixels_per_metre
    assert np.nanmin(position[:, 2]) == pytest.approx(floor + RADIUS, abs=0.01)


def nothing(time):
    return 0 * time - 9, 0 * time


@pytest.mark.parametrize(
    ("room", "path", "words"),
    [
        (Room(), nothing, "nothing moves in this film"),
        (Room(moving=0.3), nothing, "no ball can be|things in this film move like a ball"),
    ],
)
def test_a_film_without_a_ball_is_refused(room, path, words, tmp_path):
    film = str(tmp_path / "film.mp4")
    film_of(film, room=room, motion=StillMotion(path), duration=0.25)
    with pytest.raises(InputError, match=words) as refused:
        cal.films.track(film, radius=RADIUS)
    assert len(str(refused.value).split(". ")) > 1


class StillMotion:
    """A motion that is nowhere in the picture."""

    def __init__(self, path):
        self.at = path

    def path(self, duration):
        return self


def test_a_camera_in_the_hand_is_refused(tmp_path):
    with pytest.raises(InputError, match="the camera moves") as refused:
        followed(tmp_path, camera={"shake": 2.0}, room=Room(texture=0.1), duration=0.4)
    assert "stand" in str(refused.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"radius": -1.0}, "radius"),
        ({"start": (1, 2), "ball": (1, 2, 3)}, "both given"),
        ({"start": (5.0, 300.0)}, "nothing that moves smoothly"),
        ({"interval": (9.0, 10.0)}, "frames lie between"),
        ({"frame_rate": 0.0}, "frame_rate"),
        (
            {"region": cal.films.Region(left=0, top=0, right=999, bottom=9)},
            "outside of the picture",
        ),
    ],
)
def test_wrong_options_are_refused(options, words, drop):
    with pytest.raises(InputError, match=words):
        cal.films.track(drop, **{"radius": RADIUS, **options})


@pytest.fixture(scope="module")
def drop(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("films") / "drop.mp4")
    film_of(path, duration=0.4)
    return path


def test_a_file_that_is_no_film_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        cal.films.track(tmp_path / "none.mp4", radius=RADIUS)
    text = tmp_path / "text.mp4"
    text.write_text("t,x,z\n0,0,0\n")
    with pytest.raises(InputError, match="cannot be read as a film"):
        cal.films.track(text, radius=RADIUS)


def test_without_the_extra_it_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(InputError, match=r"pip install 'jaxcontact\[video\]'"):
        cal.films.track(tmp_path / "drop.mp4", radius=RADIUS)


def test_slow_motion_has_the_times_at_which_it_was_taken(drop):
    ball = cal.films.track(drop, radius=RADIUS, frame_rate=960)
    assert np.diff(ball.recording.time) == pytest.approx(1 / 960)
