"""A study file and the command line reach every quantity, noise model and parameter by its name,
say at once what is misspelt, and are never overruled.
"""

import inspect
import json

import numpy as np
import pytest

import calibration as cal
from calibration.cli.main import main
from calibration.detection.dropped_frames import find_dropped_frames
from calibration.errors import InputError
from calibration.noise.models import MODELS
from calibration.studies.asked.files import ball_of, known_values, with_used_files
from calibration.studies.asked.problem import make_nuisances, noise_of
from calibration.studies.choices.known_parameters import fixed_parameters
from calibration.studies.choices.noise_models import NOISE_MODELS
from calibration.studies.choices.nuisances import NUISANCES
from calibration.studies.doubts.search import parameters_to_find
from calibration.studies.option import options
from calibration.studies.pipeline import problem_to_fit, problems_to_compare
from calibration.studies.study import Ball, ModelOptions, ReadingOptions, Study
from calibration.studies.toml import read_study, study_text
from calibration.studies.trajectories import (
    choose_physics,
    list_doubts,
    problem_of,
    read_trajectories,
)

pytestmark = pytest.mark.slow

BALL = Ball(radius=0.02, mass=0.0027, shell=True)
RESTITUTION = "contact.normal.restitution"
ALWAYS_THERE = {
    "InitialStates": "of two bodies",
    "RestitutionScatter": "scatter",
    "ScatterSize": "scatter",
    "RollingSpeed": "of a body that rolls",
    "TrackPosition": "of a body that rolls",
    "TrackSlope": "slope",
    "FirstSpin": "of a body that spins",
    "PerTrial": "of free parameters",
}
NEEDED = {"clock": "camera", "distance": 1.5, "position": [0.0, 0.0, 0.5]}


def drop(path, seed=0, rate=240.0, scale=1.0, sideways=0.0):
    """A ball that falls from 0.5 m and bounces twice with a restitution of 0.85, without air."""
    e, height, gravity = 0.85, 0.5, 9.81
    first = np.sqrt(2 * height / gravity)
    time = np.arange(0.0, 1.25, 1 / rate)
    heights, start, speed = np.full_like(time, np.nan), -first, np.sqrt(2 * gravity * height)
    for _ in range(4):
        since = time - start
        here = (since >= 0) & (since <= 2 * speed / gravity)
        heights[here] = (speed * since - gravity / 2 * since**2)[here]
        start, speed = start + 2 * speed / gravity, e * speed
    rows = [time, (heights + 5e-4 * np.random.default_rng(seed).normal(size=time.size)) / scale]
    header = "t,z"
    if sideways:
        rows.insert(1, sideways * time / scale)
        header = "t,x,z"
    np.savetxt(path, np.transpose(rows), delimiter=",", header=header, comments="")
    return path


def clicks(path, e=0.9, first=0.35):
    times = np.cumsum([0.0, first, first * e, first * e**2, first * e**3])
    np.savetxt(path, np.round(times, 6), header="t [s]", comments="")
    return path


@pytest.fixture
def drops(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tuple(str(drop(tmp_path / f"drop_{i}.csv", seed=i)) for i in (1, 2, 3))


@pytest.fixture
def sounds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i, e in enumerate((0.9, 0.9, 0.5), start=1):
        clicks(tmp_path / f"clicks_{i}.csv", e=e, first=0.35 + 0.01 * i)
    return "clicks_*.csv"


def study(files, reading=None, **model):
    return Study(
        files=files,
        ball=BALL,
        reading=ReadingOptions(**(reading or {})),
        model=ModelOptions(**({"drag": False} | model)),
    )


def read(folder, text):
    file = folder / "study.toml"
    file.write_text(f'files = ["*.csv"]\n[ball]\nradius = 0.02\nmass = 0.0027\n{text}')
    return read_study(file)


def typed(section, name, *texts):
    """What the command line makes of an option."""
    about = options(section)[name]
    parsed = about.kind.parse(texts[0] if about.kind.typed is str else list(texts))
    return about.check(name, parsed)


# Every quantity and every noise model has a name


def test_every_nuisance_is_reached_or_always_there():
    made = {
        type(choice.make(**{key: NEEDED[key] for key in choice.needs})).__name__
        for choice in NUISANCES
    }
    classes = {
        name
        for name, item in inspect.getmembers(cal.nuisances, inspect.isclass)
        if issubclass(item, cal.nuisances.Nuisance) and not inspect.isabstract(item)
    }
    assert classes - made == set(ALWAYS_THERE)


def test_every_noise_model_is_reached():
    assert {type(choice.make()) for choice in NOISE_MODELS} == set(MODELS)


@pytest.mark.parametrize("registry", [NUISANCES, NOISE_MODELS], ids=lambda item: item.title)
def test_an_entry_is_the_same_in_a_file_on_the_command_line_and_in_python(registry, tmp_path):
    option = "nuisances" if registry is NUISANCES else "noise"
    for choice in registry:
        values = {key: NEEDED[key] for key in choice.needs}
        values |= {
            key: about.default for key, about in choice.values.items() if about.default is not None
        }
        entry = {"name": choice.name, **values} if values else choice.name
        given = [entry] if registry is NUISANCES else entry
        model = ModelOptions(**{option: given})
        parts = ", ".join(f"{key}={json.dumps(value)}" for key, value in values.items())
        assert getattr(model, option) == typed(
            ModelOptions, option, f"{choice.name}: {parts}" if parts else choice.name
        )
        whole = Study(files=("a.csv",), ball=BALL, model=model)
        text = study_text(whole, folder=tmp_path, fitted=False)
        (tmp_path / "study.toml").write_text(text)
        assert read_study(tmp_path / "study.toml").model == model
        made = make_nuisances(study("a.csv", **{option: given}))
        assert len(made) == (registry is NUISANCES)
        assert noise_of(study("a.csv", noise=model.noise)) is not None


# What is misspelt is said at once, with what was meant


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[model]\nnuisances = ['rolling shuter']", ["'rolling shuter'", "'rolling shutter'"]),
        ("[model]\nnoise = 'StudentT'", ["'StudentT'", "'student t'"]),
        ("[model]\nnoise = { name = 'student t', degree = 4 }", ["'degree'", "'degrees'"]),
        ("[model]\nnoise = { name = 'student t', degrees = -4 }", ["degrees", "at least 1"]),
        ("[model]\nnuisances = [{ known = 0.001 }]", ["neither the name", "exposure"]),
        ("[model]\nnuisances = ['depth motion']", ["needs 'distance'", "camera"]),
        ("[model.parameters]\nlength_scale = { meen = 1, sd = 0.01 }", ["'meen'", "'mean'"]),
        ("[model.parameters]\nlength_scale = { mean = 1 }", ["without sd"]),
        ("[model.parameters]\nlength_scale = { value = 1, start = 1 }", ["beside start"]),
        ("[model.parameters]\nlength_scale = { from = 2, to = 1 }", ["below"]),
        ("[model.parameters]\nlength_scale = { median = 1, factor = 0.9 }", ["above 1"]),
        ("[model.parameters]\nlength_scale = { unit = '%' }", ["nothing is said"]),
        ("[reading.files.'drop_1.csv']\nscael = 1", ["'scael'", "'scale'"]),
        ("[reading.files.'drop_1.csv']\nscale = -1", ["scale of 'drop_1.csv'", "positive"]),
        ("[reading.files.'drop_1.csv']\nfrom = 2\nuntil = 1", ["below until"]),
    ],
)
def test_what_is_misspelt_in_a_file_is_named_with_its_line(tmp_path, text, words):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.line is not None
    assert caught.value.line >= 5
    for part in words:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"restitution": 0.8}, ["is no parameter", f"Did you mean '{RESTITUTION}'"]),
        ({"length_scal": 1.0}, ["is no parameter", "Did you mean 'length_scale'"]),
        ({"camera_roll": 0.01}, ["--nuisance 'camera roll'"]),
        ({RESTITUTION: {"mean": 80.0, "sd": 1.0}}, ["mean 80", "outside (0, 1]"]),
        ({RESTITUTION: {"mean": 0.8, "sd": 0.1, "unit": "mm"}}, ["unit 'mm'", "It is in -"]),
        ({RESTITUTION: 1.5}, ["outside (0, 1]"]),
        ({"bodies.radius": {"mean": 0.02, "sd": 0.001}}, ["is known in this fit"]),
        ({"gravity": 9.81}, ["--nuisance 'gravity'"]),
        ({"surface_tilt_y": 0.0}, ["--nuisance 'surface tilt: towards=y'"]),
    ],
)
def test_what_is_said_of_parameters_is_refused_before_anything_is_fitted(drops, given, words):
    with pytest.raises(InputError) as caught:
        problem_to_fit(study(drops, parameters=given))
    for part in words:
        assert part in str(caught.value)


def test_the_name_of_a_file_that_is_none_is_refused_with_the_one_that_was_meant(drops):
    with pytest.raises(InputError, match=r"'drop1.csv' is none of the files.*'drop_1.csv'"):
        problem_to_fit(study(drops, reading={"files": {"drop1.csv": {"until": 1.0}}}))


# What is said is what is fitted


def test_priors_values_and_units_reach_the_problem(drops):
    asked = {
        RESTITUTION: {"mean": 85.0, "sd": 2.0, "unit": "%"},
        "length_scale": {"median": 1.0, "factor": 1.01},
        "surface_height": {"from": -10.0, "to": 10.0, "unit": "mm"},
        "contact.normal.duration": 1e-4,
        "drag.coefficient": 0.4,
    }
    problem = problem_to_fit(study(drops, drag=True, parameters=asked))
    shared = {one.name: one for one in problem.layout.global_parameters}
    own = {one.name: one for one in problem.layout.batches[0].trial_parameters}
    assert shared[RESTITUTION].prior == cal.Normal(0.85, 0.02)
    assert shared["length_scale"].prior == cal.LogNormal(1.0, 1.01)
    interval = own["surface_height"].about.interval
    assert (interval.low, interval.high) == (-0.01, 0.01)
    assert set(problem.frozen) >= {"contact.normal.duration", "drag.coefficient"}
    assert problem.scene.drag.coefficient == 0.4
    assert problem.scene.contact.normal.duration == 1e-4


def test_a_value_of_what_is_not_found_goes_into_the_scene(drops):
    problem = problem_to_fit(study(drops, drag=True, parameters={"drag.fluid_density": 1.1}))
    assert problem.scene.drag.fluid_density == 1.1


def test_the_search_overrules_nothing_that_is_said(tmp_path):
    path = str(drop(tmp_path / "throw.csv", sideways=0.7))

    def looked_for(**model):
        asked = study((path,), **model)
        seen = choose_physics(asked, *read_trajectories(asked))
        return {name for item in list_doubts(asked, seen) for name in item.parameters}

    camera = {"pixel_aspect", "line_time", "lens_distortion", "depth_velocity", "drift_z"}
    form = {"contact.normal.mean_exponent", "contact.normal.exponent_change"}
    assert looked_for() >= camera | form
    assert "line_time" not in looked_for(nuisances=["rolling shutter"])
    assert not camera & looked_for(camera="calibrated")
    assert not form & looked_for(restitution_law="viscoelastic")
    given = study((path,), parameters={"line_time": 0.01, "contact.normal.mean_exponent": 0.02})
    problem = problem_to_fit(given)
    assert {"line_time", "contact.normal.mean_exponent"} <= set(problem.frozen)
    seen = choose_physics(given, *read_trajectories(given))
    to_find = parameters_to_find(problem, list_doubts(given, seen))
    assert not {"line_time", "contact.normal.mean_exponent"} & set(to_find)
    assert "lens_distortion" in to_find
    assert problem.scene.contact.normal.mean_exponent == 0.02


def test_a_length_scale_that_is_asked_for_stays_beside_lift(drops):
    for scale, there in (("automatic", False), (True, True), (False, False)):
        asked = study(drops, length_scale=scale)
        seen = choose_physics(asked, *read_trajectories(asked))
        names = problem_of(asked, seen, scatter=False, lift=True).layout.names
        assert ("length_scale" in names) == there


def test_a_gravity_that_is_asked_for_takes_the_place_of_the_length_scale(drops):
    names = problem_to_fit(study(drops, nuisances=["gravity"])).layout.names
    assert "gravity" in names
    assert "length_scale" not in names
    with pytest.raises(InputError, match="same effect"):
        problem_to_fit(study(drops, nuisances=["gravity"], length_scale=True))


def test_laws_are_not_compared_with_what_is_known_of_some_of_them(drops):
    asked = study(drops, parameters={RESTITUTION: {"mean": 0.85, "sd": 0.01}})
    with pytest.raises(InputError, match=r"known of some laws only: constant, visco"):
        problems_to_compare(asked, ["constant", "plastic"])


def test_fixed_values_are_told_from_priors():
    given = {"a": {"value": 1.0}, "b": {"mean": 1.0, "sd": 0.1}}
    assert fixed_parameters(ModelOptions(parameters=given).parameters) == {"a"}
    assert ModelOptions(parameters={"a": 1}).parameters == {"a": {"value": 1.0}}
    nested = {"drag": {"coefficient": {"mean": 0.4, "sd": 0.1}}}
    assert list(ModelOptions(parameters=nested).parameters) == ["drag.coefficient"]


# Single files


def test_a_file_is_read_as_it_says_itself(drops, tmp_path):
    cm = str(drop(tmp_path / "cm.csv", seed=4, scale=0.01))
    files = {
        "cm.csv": {"columns": {"z": "z"}, "until": 1.0, "mass": 0.003, "radius": 0.021},
        "drop_*.csv": {"from": 0.05, "sigma": 4e-4},
        "drop_3.csv": {"left_out": "it hit the edge"},
    }
    given = study((*drops, cm), reading={"files": files})
    used = with_used_files(given)
    assert [path[-10:] for path in used.files] == ["drop_1.csv", "drop_2.csv", used.files[2][-10:]]
    assert ball_of(used, cm).radius == 0.021
    assert known_values(used, cm) == {"bodies.radius": 0.021, "bodies.mass": 0.003}
    assert known_values(used, drops[0]) == {}
    np.savetxt(
        cm,
        np.loadtxt(cm, delimiter=",", skiprows=1),
        delimiter=",",
        header="t,z [cm]",
        comments="",
    )
    files["cm.csv"].pop("columns")
    recordings, _ = read_trajectories(
        with_used_files(study((*drops, cm), reading={"files": files}))
    )
    first, _, last = recordings
    assert first.time[0] >= 0.05
    assert last.time[-1] <= 1.0
    assert np.nanmax(first.sigma) == 4e-4
    assert last.sigma is None
    problem = problem_to_fit(study((*drops, cm), reading={"files": files}))
    assert [trial.values for trial in problem.trials] == [
        {},
        {},
        {"bodies.mass": 0.003, "bodies.radius": 0.021},
    ]


def test_an_interval_without_samples_is_refused_with_the_times_there_are(drops):
    with pytest.raises(InputError, match=r"from = 7.*times of the file go from 0 to"):
        problem_to_fit(study(drops, reading={"files": {"drop_1.csv": {"from": 7.0}}}))


def test_missing_frames_are_put_back_where_a_study_asks(tmp_path):
    whole = np.loadtxt(drop(tmp_path / "whole.csv", rate=120.0), delimiter=",", skiprows=1)
    cut = np.delete(whole, slice(72, 74), axis=0)
    cut[:, 0] = whole[: len(cut), 0]
    path = tmp_path / "cut.csv"
    np.savetxt(path, cut, delimiter=",", header="t,z", comments="")
    as_it_is, corrected = (
        read_trajectories(study((str(path),), reading={"missing_frames": asked}))[0][0]
        for asked in (False, True)
    )
    found = find_dropped_frames(as_it_is)
    assert found
    moved = sum(gap.missing for gap in found) / 120
    assert corrected.time[-1] - as_it_is.time[-1] == pytest.approx(moved)


def test_leaving_out_all_files_is_refused(drops):
    with pytest.raises(InputError, match="all 3 files are left out"):
        with_used_files(study(drops, reading={"files": {"*.csv": {"left_out": "bad"}}}))


def test_what_files_of_a_kind_do_not_know_is_refused(tmp_path):
    table = tmp_path / "impacts.csv"
    table.write_text("theta_deg,v_m_s,e_n\n0,1,0.8\n0,2,0.8\n0,3,0.8\n")
    for key, value in (("until", 1.0), ("radius", 0.02)):
        asked = study((str(table),), reading={"files": {"impacts.csv": {key: value}}})
        with pytest.raises(InputError, match=f"{key} of 'impacts.csv' has no meaning for a table"):
            problem_to_fit(asked)


# The command line, the study file, and the file that a fit writes


def run(*words):
    return main(list(map(str, words)))


@pytest.mark.long
def test_the_command_line_comes_before_the_study_file_name_by_name(sounds, tmp_path, capsys):
    read(
        tmp_path,
        f"[model]\nnoise = 'known'\n[model.parameters]\n'{RESTITUTION}' = 0.5\n"
        "drag.coefficient = 0.4\n"
        "[reading.files]\n'clicks_3.csv' = { left_out = 'another ball' }\n",
    )
    fixed = f"--parameter={RESTITUTION}: mean=0.9, sd=0.05"
    asked = ["fit", "study.toml", fixed, "--noise=estimated", "--file=clicks_1.csv: until=1.2"]
    assert run(*asked, "--out", "one") == 0
    said = capsys.readouterr().out
    written = read_study(tmp_path / "one" / "study.toml")
    assert written.model.parameters == {
        RESTITUTION: {"mean": 0.9, "sd": 0.05},
        "drag.coefficient": {"value": 0.4},
    }
    assert written.model.noise == "estimated"
    assert written.reading.files == {
        "clicks_3.csv": {"left_out": "another ball"},
        "clicks_1.csv": {"until": 1.2},
    }
    assert "clicks_3.csv was left out, as the study says: another ball." in said
    assert "drag.coefficient was kept at 0.4, as the study says." in said
    listed = (tmp_path / "one" / "study.toml").read_text().rpartition("[provenance]")[2]
    assert f'# "{RESTITUTION}" = {{mean = 0.9, sd = 0.05}}  # restitution [-] in (0, 1]' in listed
    capsys.readouterr()
    assert run("check", "one/study.toml", "--print-study") == 0
    (tmp_path / "printed.toml").write_text(capsys.readouterr().out)
    assert read_study(tmp_path / "printed.toml").model == written.model
    assert run("fit", "printed.toml", "--out", "two") == 0
    first, second = (
        json.loads((tmp_path / folder / "fit.json").read_text())["parameters"]
        for folder in ("one", "two")
    )
    assert first == second
    assert "drag.coefficient" not in first
    assert first[RESTITUTION]["value"] == pytest.approx(0.9, abs=0.02)
