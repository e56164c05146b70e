"""What must hold of files that are doubtful rather than wrong: the same numbers twice, a time far
from all others, next to nothing.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from calibration.cli.main import main
from calibration.errors import InputError
from calibration.io.impact_table import read_impact_table
from calibration.io.recording import read_trajectory
from calibration.io.same_content import check_distinct, find_repetitions
from calibration.measurements.bounce_times import BounceTimes, read_bounce_times
from calibration.measurements.force_trace import read_force_trace
from calibration.measurements.rolling_decay import read_rolling_decay
from calibration.studies.inspection import inspect_files
from calibration.studies.pipeline import fit_study
from calibration.studies.study import Ball, Study

CLICKS = "t (s)\n0.000\n0.350\n0.665\n0.9485\n"

SAME = [
    CLICKS,
    CLICKS.replace("\n", "\r\n"),
    "# again\n" + CLICKS.replace("t (s)", "time [s]"),
    CLICKS.replace("0.350", "0.35").replace("0.000", "0"),
    "\ufeff" + CLICKS,
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", SAME)
def test_a_recording_that_is_given_twice_is_named_and_refused(here, text):
    Path("a.csv").write_text(CLICKS)
    Path("b.csv").write_text(CLICKS.replace("0.665", "0.666"))
    Path("c.csv").write_text(text)
    assert list(find_repetitions(["a.csv", "b.csv"])) == []
    with pytest.raises(InputError, match=r"c\.csv: this is the same recording as a\.csv"):
        check_distinct(["a.csv", "b.csv", "c.csv"])
    study = Study(files=("a.csv", "b.csv", "c.csv"), ball=Ball(radius=0.02, mass=0.03))
    with pytest.raises(InputError, match=r"c\.csv: this is the same recording"):
        fit_study(study)
    reports = inspect_files(["a.csv", "b.csv", "c.csv"], radius=0.02)
    assert [report.problem is None for report in reports] == [True, True, False]


def rows(header, time):
    values = np.column_stack([time, np.linspace(1.0, 0.5, len(time))])
    return header + "\n" + "\n".join(f"{t:.10g},{z:.6f}" for t, z in values) + "\n"


@pytest.mark.parametrize(
    ("read", "header", "step"),
    [
        (read_trajectory, "t (s),z (m)", 0.01),
        (read_force_trace, "t (s),force (N)", 1e-4),
        (read_rolling_decay, "t (s),v (m/s)", 1.0),
    ],
)
def test_a_time_far_from_all_others_is_named_by_its_line(here, read, header, step):
    time = step * np.arange(40)
    for place, stray, line in ((-1, 1e9, 41), (-1, 1e4, 41), (0, -1e6, 3)):
        odd = time.copy()
        odd[place] = stray
        Path("odd.csv").write_text(rows(header, odd))
        with pytest.raises(InputError, match=rf"odd\.csv, line {line}.*the time jumps from"):
            read("odd.csv")
    paused = np.where(np.arange(40) < 20, time, time + 20.0)
    Path("paused.csv").write_text(rows(header, paused))
    read("paused.csv")


@pytest.mark.parametrize("read", [read_trajectory, read_impact_table, read_bounce_times])
@pytest.mark.parametrize(
    "content",
    [
        b'"',
        b'"\n',
        b'""',
        b'\n"\n',
        b'\xff\xfe"\x00',
        b'"\n"',
        b"'",
        b",",
        b";;",
        b"\t",
        b"sep=",
        b'sep="',
        b"#",
        b"\xef\xbb\xbf",
        b't"',
        b't,z\n"',
        b'"t","z"\n"0","1',
        b"-",
        b"1",
        b"\x00",
    ],
)
def test_next_to_nothing_is_refused_as_such(here, read, content):
    Path("odd.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"odd\.csv"):
        read("odd.csv")


@pytest.mark.parametrize("sigma", [np.inf, -np.inf, np.nan, 0.0, [1e-4, 1e-4, np.inf, 1e-4]])
def test_a_standard_deviation_is_positive_and_finite(sigma):
    with pytest.raises(InputError, match="not positive and finite"):
        BounceTimes([0.0, 0.35, 0.665, 0.9485], sigma=sigma)


def test_a_pipe_in_the_place_of_a_file_is_refused_by_every_verb(here, capsys):
    os.mkfifo("pipe.csv")
    os.mkfifo("study.toml")
    ball = ("--radius", "0.02", "--mass", "0.03")
    for command in (
        ("check", "pipe.csv", *ball),
        ("fit", "pipe.csv", *ball),
        ("fit", "study.toml"),
        ("profile", "study.toml"),
        ("fit", "/dev/zero", *ball),
    ):
        assert main(command) in (1, 2)
        printed = capsys.readouterr()
        assert "not a file" in printed.out + printed.err
