"""``jaxcontact sweep``: scenes of a study, what it prints and leaves, and what it refuses."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import xarray

import jaxcontact as jc
from calibration.cli.main import main
from calibration.errors import InputError
from calibration.runtime import compilation_cache
from calibration.studies import (
    Ball,
    ContactOptions,
    ModelOptions,
    Partner,
    Study,
    SweepOptions,
    read_study,
    sweep_study,
    write_study,
)
from calibration.studies.swept.start import starting_point
from calibration.sweeps import store
from jaxcontact.sweep import usual_lanes
from jaxcontact.systems import pfc

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "experiments" / "sweeps"
BALL = ["--radius", "0.02", "--mass", "0.0027"]
DROPS = [*BALL, "--vary", "restitution=0.5:0.9", "--vary", "position_z=0.1,0.3", "--number", "6"]
TWO = {"ball": Ball(radius=0.02, mass=0.05), "partner": Partner(radius=0.03, mass=0.12)}
FILE = """
[ball]
radius = 0.02
mass = 0.0027

[sweep]
vary = { "contact.normal.restitution" = { from = 0.5, to = 0.9, levels = 3 }, position_z = [0.3] }
velocity = [0.5, 0.0, 0.0]
design = "grid"
duration = 0.4
responses = ["rebound_speed"]
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in a folder of its own; exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")

    def run(*given):
        status = main(["sweep", *map(str, given)])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, printed.out, printed.err

    return run


def point(sweep, **parts):
    return starting_point(
        Study(files=(), **{"ball": TWO["ball"], **parts}, sweep=SweepOptions(**sweep))
    )


def test_a_study_file_is_swept(run, tmp_path):
    (tmp_path / "study.toml").write_text(FILE)
    status, printed, _ = run("study.toml")
    assert status == 0
    assert "3 variants of" in printed
    assert "rebound_speed [m/s]" in printed
    assert "restitution +1.00" in printed
    folder = tmp_path / "sweep"
    assert {path.name for path in folder.iterdir()} == {
        "sweep.zarr",
        "sweep.txt",
        "sweep.json",
        "sweep.png",
    }
    assert (folder / "sweep.txt").read_text() in printed
    (found,) = json.loads((folder / "sweep.json").read_text())["responses"]
    speed = np.sqrt(2 * 9.81 * 0.28)
    assert (found["least"], found["greatest"]) == pytest.approx((0.5 * speed, 0.9 * speed))
    swept = xarray.open_zarr(folder / "sweep.zarr", chunks=None)
    np.testing.assert_allclose(swept.rebound_speed[:, 0], [x * speed for x in (0.5, 0.7, 0.9)])


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_the_examples_are_studies_that_can_be_swept(path):
    found = starting_point(read_study(path))
    assert len(found.factors) >= 2


def test_the_study_of_the_page_is_the_example():
    page = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S)
    assert shown == (EXAMPLES / "two_balls.toml").read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_goes_on_after_a_kill_and_refuses_another_sweep(run, tmp_path, monkeypatch):
    write, chunks = store.Store.write, []

    def interrupted(self, start, *rest):
        chunks.append(start)
        if len(chunks) == 2:
            raise KeyboardInterrupt
        write(self, start, *rest)

    chunk = 8 * usual_lanes()
    many = [*DROPS, "--number", chunk + 6]
    monkeypatch.setattr(store.Store, "write", interrupted)
    assert run(*many, "--to", "drops")[0] == 130
    status, _, said = run(*many, "--to", "drops")
    assert status == 0
    assert f"{chunk + 6} variants, {chunk} of them are there" in said
    assert chunks == [0, chunk, chunk]
    status, _, said = run(*many, "--seed", "1", "--to", "drops")
    assert status == 2
    assert "seed = 0 there, 1 here" in said
    assert run(*DROPS, "--to", "drops", "--force")[0] == 0


@pytest.mark.long
def test_a_failed_simulation_is_said_and_ends_with_status_1(run):
    given = ("--vary", "position_z=-5,0.1", "--fixed", "restitution=0.5", "--design", "grid")
    status, printed, _ = run(*BALL, *given, "--response", "impact_speed")
    assert status == 1
    assert "1 of 2 simulations did not succeed" in printed


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (DROPS[4:], "radius of the ball is not given"),
        (BALL, "nothing is varied"),
        ([*BALL, "--vary", "restitution=0.5-0.9"], "NAME=LOW:HIGH"),
        ([*BALL, "--vary", "restitution=0.9:0.5", "--position", 0, 0, 1], "the lower one first"),
        ([*BALL, "--vary", "restitution=0.5:0.9"], "where the ball begins is not given"),
        ([*BALL, "--vary", "position_z=0.5:0.9"], "--fixed restitution=VALUE"),
        ([*DROPS, "--fixed", "restitution=0.7"], "has a value and is varied"),
        ([*DROPS, "--fixed", "friction.coefficient=much"], "is not a number"),
        ([*DROPS, "--fixed", "friction.coefficient=-1"], "-1 is outside"),
        ([*DROPS, "--fixed", "elasticity=1"], "no parameter 'elasticity'"),
        ([*DROPS, "--design", "star"], "sobol"),
        ([*DROPS, "--design", "grid"], "that of its levels"),
        ([*DROPS, "--response", "speed"], "rebound_speed"),
        ([*DROPS, "--contact", "pfc.Linear"], "--partner-radius"),
        ([*DROPS, "--partner-position", 0, 0, 1], "--partner-radius"),
        (["drops.csv", *DROPS], "not a study file"),
        ([*DROPS, "--to", "study.toml"], "study.toml is a file"),
    ],
)
def test_wrong_input_is_said_with_the_remedy(run, tmp_path, given, said):
    (tmp_path / "study.toml").write_text(FILE)
    status, _, printed = run(*given)
    assert status == 2
    assert said in printed
    assert {path.name for path in tmp_path.iterdir()} == {"study.toml"}


def test_a_study_without_files_is_of_a_sweep_only(run, tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(FILE)
    study = read_study(path)
    write_study(study, tmp_path / "again.toml", inputs=(), fitted=False)
    assert read_study(tmp_path / "again.toml") == study
    path.write_text(FILE.partition("[sweep]")[0])
    with pytest.raises(InputError, match=r"files is missing.*below \[sweep\]"):
        read_study(path)
    path.write_text(FILE.replace("from = 0.5", "form = 0.5"))
    with pytest.raises(InputError, match="is not a table of ranges"):
        read_study(path)
    assert main(["fit", "again.toml"]) == 2


def test_parts_of_a_scene_are_there_where_they_are_named():
    plain = point({"vary": {"restitution": (0.5, 0.9)}, "position": (0.0, 0.0, 0.3)})
    scene = plain.start.scene
    assert scene.drag is None
    assert scene.lift is None
    assert isinstance(scene.contact.friction, jc.NoFriction)
    assert isinstance(plain.method, jc.Impulse)
    assert [factor.name for factor in plain.factors] == ["contact.normal.restitution"]
    named = point(
        {
            "vary": {"position_z": (0.3, 0.5), "drag.coefficient": (0.4, 0.5)},
            "values": {"restitution": 0.6, "stiffness": 1e6, "friction.coefficient": 0.1},
        },
        model=ModelOptions(normal_law="hunt-crossley"),
    )
    scene = named.start.scene
    assert scene.drag.fluid_density == 1.2
    assert scene.contact.friction.coefficient == 0.1
    assert (scene.contact.normal.stiffness, scene.contact.normal.restitution) == (1e6, 0.6)
    assert isinstance(named.method, jc.EventAligned)
    with pytest.raises(InputError, match=r"^contact\.normal\.stiffness has no value"):
        point(
            {"vary": {"position_z": (0.3, 0.5)}, "values": {"restitution": 0.6}},
            model=ModelOptions(normal_law="hunt-crossley"),
        )
    with pytest.raises(InputError, match="coefficient means several"):
        point({"vary": {"coefficient": (0.3, 0.5)}, "position": (0.0, 0.0, 0.3)})


@pytest.mark.long
def test_two_bodies_of_a_study_meet(tmp_path):
    study = Study(
        files=(),
        **TWO,
        model=ModelOptions(gravity=0.0),
        sweep=SweepOptions(
            vary={"restitution": (0.5, 0.9)},
            position=(0.0, 0.0, 0.0),
            velocity=(2.0, 0.0, 0.0),
            partner_position=(0.1, 0.0, 0.0),
            design="grid",
            duration=0.2,
            responses=("final_velocity", "impact_partner"),
        ),
    )
    swept = sweep_study(study, tmp_path / "two.zarr")
    for number, restitution in enumerate((0.5, 0.9)):
        impulse = 0.05 * 0.12 / 0.17 * (1 + restitution) * 2.0
        found = swept.final_velocity.sel(axis="x").values[number]
        np.testing.assert_allclose(found, [2.0 - impulse / 0.05, impulse / 0.12], rtol=1e-12)
    assert swept.impact_partner.values.ravel().tolist() in ([1.0, 1.0], [0.0, 0.0])


def test_the_contact_of_another_program_takes_what_the_sweep_gives():
    given = {"partner_position": (0.1, 0.0, 0.0), "position": (0.0, 0.0, 0.0)}
    found = point(
        {"vary": {"kn": (1e5, 4e5)}, "values": {"dp_nratio": 0.1}, **given},
        **TWO,
        contact=ContactOptions(model="pfc.Linear", values={"fric": 0.2, "dp_mode": 1}),
    )
    contact = found.start.scene.contact
    assert isinstance(contact, pfc.Contact)
    assert (contact.model.dp_nratio, contact.model.fric, contact.radius2) == (0.1, 0.2, 0.03)
    assert contact.model.dp_mode == 1
    assert [factor.name for factor in found.factors] == ["contact.model.kn"]
    linear = ContactOptions(model="pfc.Linear", values={"fric": 0.2})
    for vary, said in (
        ({"dp_nratio": (0.1, 0.2)}, "needs a value of kn"),
        ({"kn": (1e5, 2e5), "bodies.mass_0": (0.1, 0.2)}, "no parameter 'bodies.mass_0'"),
        ({"kn": (1e5, 2e5), "restitution": (0.1, 0.2)}, "no parameter 'restitution'"),
    ):
        with pytest.raises(InputError, match=said):
            point({"vary": vary, **given}, **TWO, contact=linear)


@pytest.mark.long
@pytest.mark.slow
def test_a_sweep_of_another_programs_contact_is_that_of_single_simulations(tmp_path):
    study = Study(
        files=(),
        **TWO,
        model=ModelOptions(gravity=0.0),
        contact=ContactOptions(model="pfc.Linear", values={"kn": 1e5, "dp_nratio": 0.1}),
        sweep=SweepOptions(
            vary={"kn": {"from": 1e4, "to": 1e6, "scale": "log"}},
            position=(0.0, 0.0, 0.0),
            velocity=(1.0, 0.0, 0.0),
            partner_position=(0.06, 0.01, 0.0),
            number=4,
            duration=0.1,
        ),
    )
    swept = sweep_study(study, tmp_path / "two.zarr")
    for number, kn in enumerate(swept["contact.model.kn"].values):
        contact = pfc.Contact(
            model=pfc.Linear(kn=kn, dp_nratio=0.1),
            radius1=0.02,
            mass1=0.05,
            radius2=0.03,
            mass2=0.12,
        )
        scene = jc.Scene(
            bodies=jc.spheres(radius=(0.02, 0.03), mass=(0.05, 0.12)),
            surfaces=(),
            contact=contact,
            gravity=(0.0, 0.0, 0.0),
        )
        start = jc.state(
            position=((0.0, 0.0, 0.0), (0.06, 0.01, 0.0)),
            velocity=((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        )
        alone = jc.simulate(scene, start, [0.0, 0.1])
        np.testing.assert_allclose(
            swept.final_velocity[number], alone.velocity[-1], rtol=0, atol=1e-10
        )
