"""A study says what it means, repeats itself from its file, and names every mistake with its
line.
"""

import dataclasses
import os
import re
import tomllib
import warnings
from pathlib import Path

import pytest

from calibration.errors import InputError
from calibration.studies.option import options
from calibration.studies.study import (
    AFTER_FIT,
    SECTIONS,
    Ball,
    BodyOptions,
    FitOptions,
    ModelOptions,
    ReadingOptions,
    Study,
)
from calibration.studies.toml import ChangedData, made_by_fit, read_study, study_text, write_study

BALL = Ball(radius=0.02, mass=0.0027, shell=True)
MINIMAL = 'files = ["a.csv"]\n\n[ball]\nradius = 0.02\nmass = 0.0027\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current directory with data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drops").mkdir()
    for name in ("drops/a.csv", "drops/b.csv"):
        (tmp_path / name).write_text(f"t,z\n0,1\n# {name}\n")
    return tmp_path


def study(**changes):
    return Study(**({"files": ("drops/*.csv",), "ball": BALL} | changes))


def written(folder, text, name="study.toml"):
    path = folder / name
    path.write_text(text)
    return path


def refused(path):
    with pytest.raises(InputError) as caught:
        read_study(path)
    assert caught.value.path == str(path)
    return caught.value


# A study and its file


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"files": ("drops/a.csv", "drops/b.csv")},
        {
            "reading": ReadingOptions(
                columns={"t": "Zeit (s)", "z": 'Lage "oben"'},
                scale=0.0015,
                frame_rate=240,
                vertical="-y",
                speed=3.9,
            )
        },
        {"reading": ReadingOptions(sigma=0.002)},
        {"reading": ReadingOptions(sigma={"x": 0.002, "z": 1e-7})},
        {
            "model": ModelOptions(
                drag=False,
                fluid_density=1.0,
                gravity=9.78,
                length_scale=False,
                friction=True,
                spin=False,
            )
        },
        {"fit": FitOptions(method="adam", steps=500)},
    ],
)
def test_a_file_repeats_the_study(here, changes):
    write_study(study(**changes), "study.toml")
    assert read_study("study.toml") == study(**changes)


def test_the_same_study_gives_the_same_file(here):
    write_study(study(), "one.toml")
    write_study(read_study("one.toml"), "two.toml")
    assert Path("one.toml").read_text() == Path("two.toml").read_text()


def test_the_file_shows_every_option_with_its_meaning(here):
    """Without those of another body, in whose place there is a ball."""
    text = study_text(study(), folder=here)
    for section in (*SECTIONS, *AFTER_FIT):
        if section is BodyOptions:
            continue
        for name, about in options(section).items():
            assert re.search(
                rf"^(# )?{name} = .*# {re.escape(about.about)}$", text, re.MULTILINE
            ), name


def test_an_option_that_is_left_out_may_be_uncommented(here):
    text = study_text(study(), folder=here)
    shown = re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE)
    reading = read_study(written(here, shown)).reading
    assert None not in vars(reading).values()


def test_files_are_relative_to_the_study_file(here, monkeypatch):
    (here / "result").mkdir()
    write_study(study(), "result/study.toml")
    assert tomllib.loads(Path("result/study.toml").read_text())["files"] == ["../drops/*.csv"]
    assert read_study("result/study.toml").files == ("drops/*.csv",)
    monkeypatch.chdir(here / "drops")
    assert read_study("../result/study.toml").files == ("../drops/*.csv",)


def test_a_folder_whose_name_looks_like_a_pattern_is_a_folder(here, monkeypatch):
    from calibration.io.files import find_files

    (here / "run [1]").mkdir()
    (here / "run [1]" / "c.csv").write_text("t,z\n")
    path = written(here / "run [1]", MINIMAL.replace("a.csv", "*.csv"))
    assert [found.name for found in find_files(read_study(path).files)] == ["c.csv"]


def test_a_study_reached_through_a_link_finds_its_files(here, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (here / "result").mkdir()
    write_study(study(), "result/study.toml")
    (elsewhere / "link").symlink_to(here / "result")
    monkeypatch.chdir(elsewhere)
    (file,) = read_study("link/study.toml").files
    assert os.path.realpath(os.path.dirname(file)) == str(here / "drops")


def test_absolute_files_stay_where_they_are(here):
    path = written(here, MINIMAL.replace("a.csv", "/data/a.csv"))
    assert read_study(path).files == ("/data/a.csv",)


# The data


def test_unchanged_data_raise_no_warning(here):
    write_study(study(), "study.toml")
    read_study("study.toml")


def test_changed_and_missing_data_are_named(here):
    write_study(study(), "study.toml")
    Path("drops/a.csv").write_text("t,z\n0,2\n")
    Path("drops/b.csv").unlink()
    with pytest.warns(ChangedData, match=r"drops/a\.csv has changed, drops/b\.csv is gone"):
        read_study("study.toml")


def test_data_that_cannot_be_read_leave_the_earlier_file(here):
    write_study(study(), "study.toml")
    before = Path("study.toml").read_text()
    with pytest.raises(InputError, match=r"missing\.csv: there is no such file"):
        write_study(study(), "study.toml", inputs=["missing.csv"])
    assert Path("study.toml").read_text() == before


def test_only_what_a_fit_wrote_counts_as_its_work(here):
    write_study(study(), "result.toml")
    assert made_by_fit("result.toml")
    assert not made_by_fit(written(here, MINIMAL))
    assert not made_by_fit("drops/a.csv")
    assert not made_by_fit("absent.toml")


# Mistakes in a file


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (MINIMAL.replace("mass", "mas"), 5, ["unknown key 'mas' in [ball]", "Did you mean 'mass'"]),
        (MINIMAL + "[modell]\ndrag = true\n", 6, ["unknown key 'modell'", "Did you mean 'model'"]),
        (MINIMAL + "drag = true\n", 6, ["unknown key 'drag' in [ball]", "belongs below [model]"]),
        ("radius = 0.02\n" + MINIMAL, 1, ["unknown key 'radius'", "belongs below [ball]"]),
        (
            MINIMAL.replace("0.0027", "-0.0027"),
            5,
            ["mass = -0.0027 is not a positive number", "mass of the ball [kg]"],
        ),
        (
            MINIMAL.replace("0.02", '"20 mm"'),
            4,
            ['radius = "20 mm" is not a positive number', "[m]"],
        ),
        (MINIMAL.replace("0.02", "nan"), 4, ["radius = nan is not a positive number"]),
        (MINIMAL.replace("0.02", "true"), 4, ["radius = true is not a positive number"]),
        (
            MINIMAL.replace("radius = 0.02\n", ""),
            3,
            ["radius is missing", "Add it below [ball]: radius of the ball [m]"],
        ),
        (MINIMAL.replace("mass = 0.0027\n", ""), 3, ["mass is missing"]),
        ('files = ["a.csv"]\n', None, ["radius is missing"]),
        (
            MINIMAL.replace("0.02", "20"),
            3,
            ["make a density of 8.1e-08 kg/m^3", "half the diameter"],
        ),
        (MINIMAL.replace("0.0027", "2.7"), 3, ["density of 8.1e+04 kg/m^3", "kilograms"]),
        (MINIMAL + "shell = 1\n", 6, ["shell = 1 is not true or false"]),
        (
            MINIMAL + '[fit]\nmethod = "newton"\n',
            7,
            ['method = "newton" is not one of "levenberg_marquardt", "dogleg", "adam", "adamw"'],
        ),
        (MINIMAL + "[fit]\nsteps = 0\n", 7, ["steps = 0 is not a whole number of at least 1"]),
        (MINIMAL + "[fit]\nsteps = 10.5\n", 7, ["steps = 10.5 is not a whole number"]),
        (
            MINIMAL + "[model]\nfriction = 1\n",
            7,
            ['friction = 1 is not one of "automatic", true, false'],
        ),
        (
            MINIMAL + "[reading]\nsigma = { z = -1 }\n",
            7,
            ["sigma = {z = -1} is not a positive number or a table of them"],
        ),
        (
            MINIMAL + "[reading]\ncolumns = { t = 3 }\n",
            7,
            ["columns = {t = 3} is not a table of texts"],
        ),
        (MINIMAL + "[reading]\nvertical = 'up'\n", 7, ['vertical = "up" is not one of']),
        (MINIMAL.replace('["a.csv"]', "[]"), 1, ["files = [] is not a list of files"]),
        (MINIMAL.replace('["a.csv"]', '"a.csv"'), 1, ['files = "a.csv" is not a list of files']),
        (MINIMAL.replace('files = ["a.csv"]\n', ""), None, ["files is missing"]),
        ('files = ["a.csv"]\nball = 3\n', 2, ["ball is a section", "[ball]"]),
        ('files = ["a.csv"]\nball = { radius = 0.02, weight = 1 }\n', 2, ["unknown key 'weight'"]),
        ('files = ["a.csv"]\nball.radius = -1.0\n', 2, ["radius = -1.0 is not a positive number"]),
        ("files = [a.csv]\n", 1, ["this is not TOML: invalid value", "quotation marks"]),
        (MINIMAL + "radius = 0.03\n", 6, ["this is not TOML: cannot overwrite a value"]),
        ("files = [", None, ["this is not TOML"]),
    ],
)
def test_a_mistake_is_named_with_its_line_and_a_remedy(here, text, line, words):
    error = refused(written(here, text))
    for part in words:
        assert part in str(error)
    assert error.line == line
    assert error.remedy


def test_a_file_that_cannot_be_read_is_named(here):
    assert "no such file" in str(refused(here / "absent.toml"))
    assert "a directory, not a file" in str(refused(here / "drops"))
    (here / "latin.toml").write_bytes("# Größe\n".encode("latin-1"))
    assert "UTF-8" in str(refused(here / "latin.toml"))


# Mistakes in Python


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), True, "0.02", None])
def test_a_radius_is_a_positive_number(value):
    with pytest.raises(InputError, match=r"radius = .* is not a positive number"):
        Ball(radius=value, mass=0.0027)


def test_files_are_given_as_a_list_or_alone():
    assert (
        study(files="a.csv").files
        == study(files=Path("a.csv")).files
        == study(files=["a.csv"]).files
        == ("a.csv",)
    )
    for wrong in ((), [""], 3, {"a": 1}, None):
        with pytest.raises(InputError, match="is not a list of files"):
            study(files=wrong)


def test_whole_numbers_are_kept_as_what_they_mean():
    import numpy as np

    assert type(Ball(radius=1, mass=np.float64(4000)).radius) is float
    assert type(FitOptions(steps=np.int64(3)).steps) is int


def test_a_study_cannot_be_changed_but_replaced():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BALL.radius = 0.03
    assert dataclasses.replace(BALL, shell=False).shell is False
    with pytest.raises(InputError):
        dataclasses.replace(BALL, radius=-1.0)


def test_reading_a_study_of_other_data_warns_in_the_callers_line(here):
    write_study(study(), "study.toml")
    Path("drops/a.csv").write_text("t,z\n0,2\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_study("study.toml")
    assert caught[0].filename == __file__


@pytest.mark.parametrize("value", ["5", "[1]", "'text'", "{ 'a.csv' = 5 }", "{ 'a.csv' = {} }"])
def test_fingerprints_that_are_none_are_named_by_their_line(here, value):
    Path("odd.toml").write_text(
        f"files = ['a.csv']\n[ball]\nradius = 0.02\nmass = 0.0027\n[provenance]\nsha256 = {value}\n"
    )
    with pytest.raises(InputError, match=r"odd\.toml, line 6: sha256 is not a table"):
        read_study("odd.toml")
