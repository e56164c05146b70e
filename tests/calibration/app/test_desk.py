"""The study on the local page, without the page: its folder, what is dropped and removed, what the
other commands make of it.
"""

import io
import socket
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import calibration.app.desk
from calibration.app import serve
from calibration.app.desk import Desk, earlier_studies
from calibration.cli.main import main
from calibration.errors import InputError
from calibration.runtime import compilation_cache
from calibration.studies.study import Ball, ModelOptions
from calibration.studies.toml import read_study
from tests.calibration import synthetic_fits as synthetic

pytestmark = pytest.mark.slow

CLICKS = b"t [s]\n0.000\n0.350\n0.665\n0.9485\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A current directory, and no cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")


def described(*, drag: bool | None = False) -> Desk:
    """A new study of one sound recording."""
    desk = Desk.new(Path("studies"))
    desk.drop("clicks.csv", CLICKS)
    desk.set_option(Ball, "radius", 0.02)
    desk.set_option(Ball, "mass", 0.0027)
    desk.set_option(ModelOptions, "drag", drag)
    return desk


def test_one_study_file_serves_page_command_line_and_python(capsys, monkeypatch):
    monkeypatch.setattr(
        calibration.app.desk, "resume_fit", lambda study, folder, **_: synthetic.drops(1)
    )
    desk = described()
    assert not desk.inspect().wrong
    desk.fit(progress=lambda sentence: None)
    assert {path.name for path in desk.results.iterdir()} == {
        *("fit.json", "fit.png", "report.html", "study.toml")
    }
    for file in (desk.study_file, desk.fitted_study):
        assert read_study(file).ball == Ball(radius=0.02, mass=0.0027)
        assert main(["check", str(file), "--no-gate"]) == 0
        assert "clicks" in capsys.readouterr().out

    name, content = desk.archive()
    assert name == "study-1.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall("elsewhere")
    moved = read_study("elsewhere/study-1/result/study.toml")
    assert [Path(file).read_bytes() for file in moved.files] == [CLICKS]

    assert earlier_studies(Path("studies")) == ["study-1"]
    again = Desk.again(Path("studies"), "study-1")
    assert again.results == desk.results
    again.remove(again.asked.files[0])
    assert not Path("studies/study-1/recordings/clicks.csv").exists()


def test_two_tabs_do_not_share_a_folder():
    desks = [described(), described()]
    assert [desk.folder.name for desk in desks] == ["study-1", "study-2"]


def test_a_name_in_the_address_opens_no_other_folder():
    Path("study.toml").write_text("files = ['a.csv']\n[ball]\nradius = 0.02\nmass = 0.0027\n")
    assert Desk.again(Path("studies"), "..").folder is None


@pytest.mark.parametrize("name", ["clicks.csv", "../clicks.csv", "/elsewhere/clicks.csv"])
def test_what_is_dropped_stays_in_the_folder_of_the_study(name):
    desk = Desk.new(Path("studies"))
    desk.drop(name, CLICKS)
    assert desk.asked.files == ("studies/study-1/recordings/clicks.csv",)


def test_what_was_not_dropped_is_neither_replaced_nor_removed():
    theirs = Path("recordings/clicks.csv")
    theirs.parent.mkdir()
    theirs.write_bytes(CLICKS)
    Path("study.toml").write_text(
        "files = ['recordings/clicks.csv']\n[ball]\nradius = 0.02\nmass = 0.0027\n"
    )
    desk = Desk.of(Path("study.toml"))
    with pytest.raises(InputError, match="there is a file of this name already"):
        desk.drop("clicks.csv", b"t [s]\n0\n")
    desk.remove("recordings/clicks.csv")
    assert theirs.read_bytes() == CLICKS
    with pytest.raises(InputError, match=r"there is no recording. Drop one onto the page"):
        desk.inspect()


def test_a_second_recording_of_a_name_is_not_taken_for_the_first():
    desk = described()
    desk.drop("clicks.csv", CLICKS)
    assert len(desk.asked.files) == 1
    with pytest.raises(InputError, match="there is a file of this name already"):
        desk.drop("clicks.csv", b"t [s]\n0.0\n0.4\n0.7\n0.9\n")
    (file,) = desk.asked.files
    assert Path(file).read_bytes() == CLICKS


def fitted_study(monkeypatch) -> Desk:
    """A study with results."""
    monkeypatch.setattr(
        calibration.app.desk, "resume_fit", lambda study, folder, **_: synthetic.drops(1)
    )
    desk = described()
    desk.fit(progress=lambda sentence: None)
    assert desk.difference() == ""
    return desk


def with_another_mass(desk):
    desk.set_option(Ball, "mass", 0.0028)


def without_mass(desk):
    desk.set_option(Ball, "mass", None)


def with_another_file(desk):
    desk.drop("more.csv", CLICKS + b"1.2\n")


def without_a_file(desk):
    desk.drop("more.csv", CLICKS + b"1.2\n")
    desk.remove(desk.asked.files[0])


def with_other_data(desk):
    Path(desk.asked.files[0]).write_bytes(CLICKS + b"1.2\n")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (with_another_mass, "mass was 0.0027 and is 0.0028"),
        (without_mass, "the mass of the ball is not given"),
        (with_another_file, "more.csv was not fitted"),
        (without_a_file, "more.csv was not fitted"),
        (with_other_data, "clicks.csv has changed"),
    ],
)
def test_results_of_something_else_are_told_from_those_of_what_is_asked(changed, said, monkeypatch):
    desk = fitted_study(monkeypatch)
    changed(desk)
    assert said in desk.difference()


def test_a_fit_that_waits_for_another_says_so(monkeypatch):
    monkeypatch.setattr(
        calibration.app.desk, "resume_fit", lambda study, folder, **_: synthetic.drops(1)
    )
    said, began = [], threading.Event()

    def progress(sentence):
        said.append(sentence)
        began.set()

    with ThreadPoolExecutor() as other_tab:
        with calibration.app.desk._ONE_FIT:
            fit = other_tab.submit(described().fit, progress=progress)
            assert began.wait(timeout=5)
        assert fit.result(timeout=20).parameters
    assert said == ["Waiting for the fit of another tab", "Starting", "Writing the results"]


def test_what_was_kept_is_found_again_before_it_is_fitted():
    desk = described()
    assert desk.keep() == "study-1"
    again = Desk.again(Path("studies"), "study-1")
    assert (again.asked.files, again.asked.sections[Ball]["radius"]) == (desk.asked.files, 0.02)
    text = f"# a remark\n{again.study_file.read_text()}"
    again.study_file.write_text(text)
    again.keep()
    assert again.study_file.read_text() == text, "nothing was changed, so nothing is written"
    without_mass(again)
    assert again.keep() is None


def test_the_extra_that_is_missing_is_named_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(serve.importlib.util, "find_spec", lambda name: None)
    assert main(["app"]) == 2
    assert capsys.readouterr().err == (
        "error: the page needs NiceGUI, which is not installed. "
        "Install it with: pip install 'jaxcontact[app]'\n"
    )


def test_what_cannot_be_served_is_said_before_anything_is(monkeypatch, capsys):
    monkeypatch.setattr(serve, "check_installed", lambda: None)
    monkeypatch.setattr(serve, "serve", lambda *arguments, **options: pytest.fail("served"))
    Path("drop.csv").write_bytes(CLICKS)
    assert main(["app", "drop.csv"]) == 2
    assert "drop.csv: this is not a study file" in capsys.readouterr().err
    assert main(["app", "absent.toml"]) == 2
    assert "absent.toml: there is no such file" in capsys.readouterr().err
    with socket.socket() as other:
        other.bind((serve.HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["app", "--port", str(port)]) == 2
        assert f"port {port} is in use" in capsys.readouterr().err
