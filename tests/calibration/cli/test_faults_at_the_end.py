"""What must hold when a fit has ended: nothing that goes wrong from then on costs its result. And
two commands never work in one folder.
"""

import errno
import json
import os
import tomllib
from pathlib import Path

import numpy as np
import pytest

from calibration.cli import after_fit
from calibration.cli.main import main
from calibration.errors import InputError
from calibration.io.folder_lock import FolderLock
from calibration.results.estimate import Determination, Estimate
from calibration.results.fitted_data import FittedRecording, StoredPredictions
from calibration.results.result import Fit
from calibration.runtime import compilation_cache
from calibration.studies import pipeline
from calibration.studies.toml import read_study
from tests.calibration.io.test_names import ODD

pytestmark = pytest.mark.slow

BALL = ("--radius", "0.02", "--mass", "0.03")


def found(names):
    """A fit of recordings of these names, as if it had been made."""
    restitution = Estimate(
        name="contact.normal.restitution",
        label="restitution",
        symbol="e",
        unit="-",
        value=0.905,
        sd=0.006,
        start=0.8,
        status=Determination.DETERMINED,
    )
    time = np.linspace(0.0, 1.0, 20)
    height = np.column_stack([np.abs(np.sin(5 * time))])
    recordings = tuple(
        FittedRecording(
            name=name,
            axes=("z",),
            time=time,
            measured=height,
            predicted=height,
            sigma=np.full_like(height, 0.01),
            bounce_times=np.array([0.6]),
            nuisance={},
        )
        for name in names
    )
    return Fit(
        parameters={restitution.name: restitution},
        chi2=1.5,
        dof=3,
        predictions=StoredPredictions(recordings),
    )


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command in an empty folder, with fits that are made already."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")

    def fit_study(study, *, progress=None):
        from calibration.io.files import make_distinct_names

        return found(make_distinct_names([Path(file) for file in study.files]))

    monkeypatch.setattr(pipeline, "fit_study", fit_study)

    def run(*arguments):
        status = main([os.fspath(argument) for argument in arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def write_clicks(*names):
    for name in names:
        Path(name).write_text("t (s)\n0.0\n0.35\n0.665\n0.9485\n")


def test_no_name_of_a_file_costs_a_result(run):
    names = [os.fsdecode(name) for name in ODD]
    write_clicks(*names)
    status, out, err = run("fit", *names, *BALL)
    assert status == 0, err
    assert "0.905" in out
    written = json.loads(Path("result/fit.json").read_text(encoding="utf-8"))
    assert len(written["recordings"]) == len(ODD)
    assert all(recording["name"].encode() for recording in written["recordings"])
    Path("result/report.html").read_text(encoding="utf-8")
    provenance = tomllib.loads(Path("result/study.toml").read_text(encoding="utf-8"))["provenance"]
    assert len(provenance["sha256"]) == len(ODD)
    again = read_study("result/study.toml")
    assert [os.path.normpath(file) for file in again.files] == names
    status, _, err = run("fit", "result/study.toml")
    assert status == 0, err
    assert "changed" not in err


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EACCES])
def test_a_result_that_cannot_be_written_is_printed_and_kept(run, monkeypatch, reason):
    write_clicks("a.csv")
    fit_study = pipeline.fit_study

    def fails(descriptor):
        raise OSError(reason, os.strerror(reason))

    def fills_the_disk(study, *, progress=None):
        disk.setattr("calibration.io.atomic.os.fsync", fails)
        return fit_study(study)

    with monkeypatch.context() as disk:
        disk.setattr(pipeline, "fit_study", fills_the_disk)
        status, out, err = run("fit", "a.csv", *BALL)
    assert status == 2
    assert "0.905" in out
    assert os.strerror(reason) in err
    assert all(name in err for name in ("fit.json", "report.html", "study.toml"))
    assert not Path("result/fit.json").exists()


def test_data_that_are_gone_after_the_fit_cost_nothing(run, monkeypatch):
    write_clicks("a.csv")
    fit_study = pipeline.fit_study

    def removes(study, *, progress=None):
        Path("a.csv").unlink()
        return fit_study(study)

    monkeypatch.setattr(pipeline, "fit_study", removes)
    status, _, err = run("fit", "a.csv", *BALL)
    assert status == 0, err
    assert Path("result/study.toml").exists()


def test_a_second_command_in_a_folder_is_refused_at_once(run):
    write_clicks("a.csv")
    assert run("fit", "a.csv", *BALL)[0] == 0
    kept = Path("result/checkpoints/fit-0/fit/000000.npz")
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"of the first")
    with FolderLock(Path("result"), remedy=""):
        for command in (
            ("fit", "a.csv", *BALL),
            ("fit", "a.csv", *BALL, "--force"),
            *((verb, "result/study.toml") for verb in ("profile", "bootstrap", "posterior")),
            *((verb, "result/study.toml") for verb in ("compare", "design", "report")),
            ("sweep", *BALL, "--vary", "restitution=0.5:0.9", "--out", "result"),
        ):
            status, _, err = run(*command)
            assert status == 2
            assert "another computation is at work in this folder" in err
            assert "--out" in err
    assert kept.read_bytes() == b"of the first"
    assert run("fit", "a.csv", *BALL)[0] == 0
    assert not kept.exists()


def test_what_a_killed_command_left_half_written_is_removed(run):
    write_clicks("a.csv")
    Path("result/.writing-abc").mkdir(parents=True)
    Path("result/.writing-abc/fit.json").write_text("{")
    Path("result/.abc.part").write_text("half")
    Path("result/.sweep.zarr.part").mkdir()  # a sweep knows its own
    assert run("fit", "a.csv", *BALL)[0] == 0
    left = {path.name for path in Path("result").iterdir() if path.name.startswith(".")}
    assert left == {".sweep.zarr.part"}


def test_a_damaged_checkpoint_is_named_and_stays_until_it_is_removed(run, monkeypatch):
    write_clicks("a.csv")

    def is_stopped(study, *, progress=None):
        (place,) = Path("result/checkpoints").glob("fit-*/fit")
        (place / "000000.npz").write_bytes(b"half of it")
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr(pipeline, "fit_study", is_stopped)
        assert run("fit", "a.csv", *BALL)[0] == 130
    (damaged,) = Path("result/checkpoints").rglob("*.npz")
    for _ in range(2):
        status, _, err = run("fit", "a.csv", *BALL)
        assert status == 2
        assert f"{damaged}: this file of a checkpoint is damaged. Remove it" in err
    damaged.unlink()
    assert run("fit", "a.csv", *BALL)[0] == 0
    assert not Path("result/checkpoints").exists()


def test_a_refused_study_leaves_what_is_kept_of_another_one(run, monkeypatch):
    write_clicks("a.csv")
    kept = Path("result/checkpoints/fit-0/fit/000000.npz")
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"of another study, which was killed")

    def refuses(study, *, progress=None):
        raise InputError("no")

    monkeypatch.setattr(pipeline, "fit_study", refuses)
    status, _, err = run("fit", "a.csv", *BALL)
    assert (status, err.splitlines()[-1]) == (2, "error: no.")
    assert [path.name for path in Path("result/checkpoints").iterdir()] == ["fit-0"]
    assert kept.exists()


def test_the_findings_that_can_be_written_are(run, monkeypatch):
    def without_room(path, content):
        if str(path).endswith(".json"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        Path(path).write_bytes(content)

    monkeypatch.setattr(after_fit, "write_atomically", without_room)
    with pytest.raises(InputError, match=r"found\.json cannot be written here \(No space"):
        after_fit.write_findings(Path("result"), "found", text="e = 0.9", numbers={})
    assert Path("result/found.txt").read_text() == "e = 0.9\n"
