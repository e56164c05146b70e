"""One study file that uses a measurement, a nuisance, a law, a surface and an exporter from modules
outside the packages, through the command line.
"""

import dataclasses
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import calibration as cal

MODULES = Path(__file__).parent / "study"
PROGRAM = "import sys; from calibration.cli.main import main; sys.exit(main())"
GRAVITY, EXPONENT = 9.81, 0.1
REGISTRIES = (
    (cal.studies.FILE_KINDS, "times of a light gate"),
    (cal.studies.NUISANCES, "slow clock"),
    (cal.studies.RESTITUTION_LAWS, "worn ball"),
    (cal.studies.SURFACES, "low table"),
    (cal.report.EXPORTERS, "material card"),
)


def gate_times(*, impacts=8, restitution=0.85, height=0.5):
    """Times [ms] at which a ball is at the table: ``e = restitution v^(-EXPONENT)``."""
    speed = np.sqrt(2 * GRAVITY * height)
    times = [speed / GRAVITY]
    for _ in range(impacts - 1):
        speed *= restitution * speed**-EXPONENT
        times.append(times[-1] + 2 * speed / GRAVITY)
    return 1e3 * np.asarray(times)


@pytest.fixture
def folder(tmp_path):
    """The study with its modules and data."""
    for file in MODULES.iterdir():
        if file.is_file():
            shutil.copy(file, tmp_path)
    rows = "\n".join(f"{time:.2f}" for time in gate_times())
    (tmp_path / "drop.csv").write_text(f"gate [ms]\n{rows}\n")
    return tmp_path


def run(folder, *arguments):
    """``jaxcontact`` in a process of its own, in another folder than that of the study."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        cwd=elsewhere,
        check=False,
        timeout=400,
    )


@pytest.mark.long
def test_a_study_file_uses_what_is_written_outside(folder):
    done = run(folder, "fit", "../study.toml")
    assert done.returncode == 0, done.stderr
    assert "PowerLawRestitution" in done.stdout
    assert "clock drift" in done.stdout
    names, values = (folder / "result" / "material.csv").read_text().splitlines()
    assert names.split(",") == ["contact.normal.restitution", "drift_of_microphone"]
    assert 0.7 < float(values.split(",")[0]) < 0.95
    # The study of the result names the same modules from where it lies.
    content = tomllib.loads((folder / "result" / "study.toml").read_text())
    assert content["extensions"][0] == "../gate_times.py"
    again = run(folder, "check", "--no-gate", "../result/study.toml")
    assert again.returncode == 0, again.stderr
    assert "8 values of" in again.stdout


@pytest.fixture
def loaded(folder, monkeypatch):
    """The modules, imported in this process; afterwards all is as before."""
    for name in ("gate_times", "slow_clock", "worn_ball", "low_table", "material_card"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield cal.studies.read_study(folder / "study.toml")
    for registry, name in REGISTRIES:
        registry.remove(name)
    for name in ("gate_times", "slow_clock", "worn_ball", "low_table", "material_card"):
        sys.modules.pop(name, None)


def test_trials_that_their_kind_calls_alike_have_the_names_of_their_files(loaded, folder):
    shutil.copy(folder / "drop.csv", folder / "second.csv")
    files = tuple(str(folder / name) for name in ("drop.csv", "second.csv"))
    kind = cal.studies.FILE_KINDS["times of a light gate"]
    problem = kind.problem(dataclasses.replace(loaded, files=files))
    assert [trial.name for trial in problem.trials] == ["drop", "second"]


def test_the_modules_register_by_name_and_are_imported_once(loaded, folder):
    for registry, name in REGISTRIES:
        assert name in registry
    again = cal.studies.read_study(folder / "study.toml")
    assert again.extensions == loaded.extensions
    assert again.model == loaded.model


@pytest.mark.long
def test_an_error_inside_an_extension_names_its_file_and_line(folder):
    (folder / "drop.csv").write_text("gate [ms]\n250\nthree hundred\n")
    done = run(folder, "fit", "../study.toml")
    assert done.returncode == 2
    line = next(
        number
        for number, text in enumerate((folder / "gate_times.py").read_text().splitlines(), 1)
        if "np.loadtxt" in text
    )
    assert f"gate_times.py, line {line}: ValueError" in done.stderr
    assert "in an extension of the study" in done.stderr
    assert "report this" not in done.stderr


def test_a_name_that_is_taken_is_refused(loaded):
    with pytest.raises(cal.InputError, match=r"'worn ball' exists already.*another name"):
        cal.studies.RESTITUTION_LAWS.register(cal.studies.RESTITUTION_LAWS["worn ball"])


def test_something_else_is_refused_with_the_interface():
    with pytest.raises(
        cal.InputError, match=r"no calibration\.report\.exporter\.Exporter.*inherits"
    ):
        cal.report.EXPORTERS.register("material card")


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        (
            'extensions = ["gate_timse"]',
            None,
            ["line 2", "there is no module 'gate_timse'", "beside the study file"],
        ),
        ('extensions = ["gone.py"]', None, ["there is no file 'gone.py'", "Check the spelling"]),
        (
            'extensions = ["broken"]',
            "import nothing_of_this_name",
            ["'broken' cannot be imported", "ModuleNotFoundError", "nothing_of_this_name"],
        ),
        ('extensions = ["json"]', "", ["another module is called 'json'", "Rename the file"]),
        ("extensions = 3", None, ["line 2", "extensions = 3 is not a list of names"]),
    ],
)
def test_a_module_that_cannot_be_used_is_named_with_a_remedy(folder, line, text, words):
    study = (folder / "study.toml").read_text().splitlines()
    study[1] = line
    (folder / "study.toml").write_text("\n".join(study))
    if text is not None:
        name = line.split('"')[1]
        (folder / f"{name}.py").write_text(text)
    with pytest.raises(cal.InputError) as error:
        cal.studies.read_study(folder / "study.toml")
    for word in words:
        assert word in str(error.value)


def test_a_name_that_nothing_has_is_told_with_the_nearest(folder):
    study = (folder / "study.toml").read_text().splitlines()
    study[1] = ""
    (folder / "study.toml").write_text("\n".join(study))
    with pytest.raises(cal.InputError, match=r"restitution_law = .*worn ball.* is not one of"):
        cal.studies.read_study(folder / "study.toml")
    with pytest.raises(cal.InputError, match=r"Did you mean 'gravity tilt'\?"):
        cal.studies.NUISANCES["gravity tilts"]
