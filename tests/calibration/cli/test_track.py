"""``jaxcontact track``: from a film to a recording that ``check`` and ``fit`` read, and what it
refuses.
"""

import json

import av
import numpy as np
import pytest

import calibration as cal
from calibration.cli.main import main
from calibration.films.overlay import check_overlay
from calibration.runtime import compilation_cache
from experiments.films.camera import Camera, Room, Sprite, write_film
from experiments.films.motion import Motion

pytestmark = pytest.mark.slow

DROP = Motion(start=(-0.06, 0.32), velocity=(0.08, 0.0), restitution=0.8)
BALL = ["--radius", "0.02"]


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """A film of a drop, with variable intervals, a shadow and some blur."""
    path = tmp_path_factory.mktemp("films") / "drop.mp4"
    camera = Camera(
        width=320,
        height=400,
        rate=120.0,
        pixels_per_metre=700.0,
        floor=30.0,
        exposure=0.002,
        jitter=0.3,
        line_time=1e-5,
    )
    ball = Sprite(path=DROP.path(1.5).at, radius=DROP.radius, shadow=0.5)
    write_film(path, camera, Room(gradient=0.5), [ball], 1.2)
    return path


@pytest.fixture
def run(film, tmp_path, monkeypatch, capsys):
    """Run the command in a folder with the film; exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")
    (tmp_path / "drop.mp4").symlink_to(film)

    def run(*given):
        status = main([str(argument) for argument in given])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, printed.out, printed.err

    return run


def test_a_film_becomes_a_recording_and_a_film_to_check_it_with(run, tmp_path):
    status, out, _ = run("track", "drop.mp4", *BALL, "--overlay", "check.mp4")
    assert status == 0
    assert all(word in out for word in ("found in", "pixels", "mm per pixel", "exposure"))
    drop = cal.read_trajectory("drop.csv")
    assert drop.axes == ("x", "z")
    with av.open("check.mp4") as overlay:
        pictures = [frame.to_ndarray(format="rgb24") for frame in overlay.decode(video=0)]
    assert len(pictures) == len(drop.time)
    green = (pictures[40][..., 1].astype(int) - pictures[40][..., 0]) > 40
    rows, columns = np.nonzero(green)
    place = [np.ptp(columns) / 2 + columns.min(), np.ptp(rows) / 2 + rows.min()]
    scale = 0.02 / 14
    assert place[0] * scale == pytest.approx(drop.position[40, 0], abs=0.03)
    assert run("check", "drop.csv", *BALL, "--mass", "0.0027")[0] == 0
    check_overlay("check.mp4", film="drop.mp4")  # its own may be replaced


@pytest.mark.long
def test_the_restitution_of_a_film_is_within_its_interval(run):
    assert run("track", "drop.mp4", *BALL)[0] == 0
    assert run("fit", "drop.csv", *BALL, "--mass", "0.0027")[0] == 0
    with open("result/fit.json", encoding="utf-8") as file:
        found = json.load(file)["parameters"]["contact.normal.restitution"]
    assert found["sd"] < 0.005
    assert abs(found["value"] - DROP.restitution) < 3 * found["sd"]


def test_a_recording_that_was_measured_otherwise_is_not_replaced(run, tmp_path):
    (tmp_path / "drop.csv").write_text("t,z\n0,1\n")
    status, _, err = run("track", "drop.mp4", *BALL)
    assert status == 2
    assert "--force" in err
    assert (tmp_path / "drop.csv").read_text() == "t,z\n0,1\n"


def test_another_film_is_not_replaced_by_the_overlay(run, film, tmp_path):
    other = tmp_path / "other.mp4"
    other.write_bytes(film.read_bytes())
    status, _, err = run("track", "drop.mp4", *BALL, "--overlay", "other.mp4")
    assert status == 2
    assert "--force" in err
    assert other.read_bytes() == film.read_bytes()


def test_the_film_itself_is_never_replaced(run, film):
    before = film.read_bytes()
    for option in ("--out", "--overlay"):
        status, _, err = run("track", "drop.mp4", *BALL, option, "drop.mp4", "--force")
        assert status == 2
        assert "this is the film itself" in err
    assert film.read_bytes() == before


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["drop.mp4"], "the radius of the ball is not given"),
        (["drop.mp4", *BALL, "--start", "320"], "--start 320 is not 2 numbers"),
        (["drop.mp4", *BALL, "--ball", "a,b,c"], "--ball a,b,c is not 3 numbers"),
        (["drop.mp4", *BALL, "--region", "9,9,1,1"], "no rectangle"),
        (["drop.mp4", *BALL, "--region", "nan,0,9,9"], "--region nan,0,9,9 is not 4 numbers"),
        (["drop.mp4", *BALL, "--start", "inf,9"], "--start inf,9 is not 2 numbers"),
        (["drop.mp4", *BALL, "--overlay", "no/c.mp4"], "the folder of this file does not exist"),
        (["drop.mp4", *BALL, "--overlay", "c.txt"], "Give a name that ends in .mp4"),
        (["none.mp4", *BALL], "none.mp4: there is no such file"),
        (["drop.mp4", *BALL, "--out", "no/drop.csv"], "the folder of this file does not exist"),
    ],
)
def test_what_is_wrong_is_refused_before_the_film_is_read(given, words, run):
    status, _, err = run("track", *given)
    assert status == 2
    assert words in err
