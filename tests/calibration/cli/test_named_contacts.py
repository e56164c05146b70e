"""The contact of another program in a study of two bodies: named, with its own parameters."""

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest

from calibration.cli.main import main
from calibration.errors import InputError
from calibration.runtime import compilation_cache
from calibration.studies.choices.contacts import CONTACTS
from calibration.studies.contact import named_contact
from calibration.studies.study import Ball, ContactOptions, ModelOptions, Partner, Study
from calibration.studies.toml import read_study, write_study
from tests.calibration.problem import test_contacts_of_programs as independent

RADIUS, MASS = (0.05, 0.1), (0.1, 0.4)
STIFFNESS, DAMPING, SEEN = 2e4, 6.0, 1e-6
SOLIDS = {f"solid{body}": {"youngs_modulus": 1e7, "poisson_ratio": 0.3} for body in (1, 2)}
MATERIALS = {
    f"solidMaterial{body}": {"YoungsModulus": 1e7, "PoissonsRatio": 0.3} for body in (1, 2)
}
NEEDED = {
    "exudyn.ObjectContactSphereSphere": {"contactStiffness": 1e5},
    "pfc.Linear": {"kn": 1e5},
    "pfc.Hertz": {"hz_shear": 1e6, "hz_poiss": 0.3},
    "pfc.RollingResistanceLinear": {"kn": 1e5, "rr_fric": 0.1},
    "comsol.SphericalContact": {"k_pen": 1e5},
    "edem.HertzMindlin": {**SOLIDS, "coefficient_of_restitution": 0.6, "static_friction": 0.3},
    "edem.LinearSpring": {
        **SOLIDS,
        "characteristic_velocity": 1.0,
        "coefficient_of_restitution": 0.6,
        "static_friction": 0.3,
    },
    "modia3d.ElasticContact": {
        **MATERIALS,
        "coefficientOfRestitution": 0.6,
        "slidingFrictionCoefficient": 0.3,
        "rotationalResistanceCoefficient": 0.001,
    },
}


def study(model, values, free):
    return Study(
        files=("shots.csv",),
        ball=Ball(radius=RADIUS[0], mass=MASS[0]),
        partner=Partner(radius=RADIUS[1], mass=MASS[1]),
        contact=ContactOptions(model=model, values=values, free=free),
    )


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in a folder of its own; exit status, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")

    def run(*given):
        status = main([str(argument) for argument in given])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, " ".join(printed.out.split()), printed.err

    return run


def bodies(radius, mass):
    names = ("--radius", "--mass", "--partner-radius", "--partner-mass")
    values = (radius[0], mass[0], radius[1], mass[1])
    return [str(part) for pair in zip(names, values, strict=True) for part in pair]


def write(path, times, positions, spins=None):
    """A file of both bodies; where no spins are given, of a motion along x."""
    columns = {"t": times}
    for body in (0, 1):
        for index, axis in enumerate("x" if spins is None else "xyz"):
            columns[f"{axis}{body + 1}"] = positions[:, body, index]
            if spins is not None:
                columns[f"w{axis}{body + 1}"] = spins[:, body, index]
    rows = np.stack(list(columns.values()), axis=1)
    np.savetxt(path, rows, fmt="%.9g", delimiter=",", header=",".join(columns), comments="")


def head_on(times, *, touch=2e-3):
    """Positions along x of spheres with a linear spring and dashpot between them: in the contact
    the gap is that of a damped oscillator, before and after it is even.
    """
    mass, approach = 1 / np.sum(1 / np.array(MASS)), 1.5
    rate = DAMPING / 2 / mass
    turning = np.sqrt(STIFFNESS / mass - rate**2)
    lasting, time = np.pi / turning, times - touch
    inside = np.clip(time, 0.0, lasting)
    overlap = approach / turning * np.exp(-rate * inside) * np.sin(turning * inside)
    rebound = approach * np.exp(-rate * lasting)
    apart = sum(RADIUS) - overlap - approach * np.minimum(time, 0.0)
    apart = apart + rebound * np.maximum(time - lasting, 0.0)
    centre = 0.2 * times
    share = np.array(MASS)[::-1] / sum(MASS)
    places = np.zeros((len(times), 2, 3))
    places[:, 0, 0], places[:, 1, 0] = centre - share[0] * apart, centre + share[1] * apart
    return places


@pytest.mark.long
def test_stiffness_and_damping_are_found_by_the_names_of_the_program(run):
    """Against the closed form of a damped oscillator, twice: by options, and by the study file that
    the first fit leaves.
    """
    noise, times = np.random.default_rng(1), np.linspace(0.0, 0.014, 120)
    places = head_on(times)
    write("shot.csv", times, places + SEEN * noise.normal(size=places.shape))
    status, printed, _ = run(
        *("fit", "shot.csv", *bodies(RADIUS, MASS), "--gravity", 0, "--sigma", SEEN),
        *("--contact", "exudyn.ObjectContactSphereSphere"),
        *("--value", "contactStiffness=1.5e4,contactDamping=3"),
        *("--free", "contactStiffness", "--free", "contactDamping"),
    )
    assert status == 0
    assert "contact stiffness (contactStiffness)" in printed
    found = json.loads(Path("result/fit.json").read_text())
    assert 0.7 < found["fit"]["chi2"] / found["fit"]["dof"] < 1.3
    for name, truth in (("contactStiffness", STIFFNESS), ("contactDamping", DAMPING)):
        estimate = found["parameters"][f"contact.{name}"]
        assert estimate["status"] == "determined"
        assert abs(estimate["value"] - truth) < 3 * estimate["sd"]
        assert estimate["sd"] < 0.01 * truth
    again = read_study("result/study.toml")
    assert again.contact.values == {"contactStiffness": 1.5e4, "contactDamping": 3}
    assert named_contact(again).free == ("contact.contactStiffness", "contact.contactDamping")


@pytest.mark.slow
@pytest.mark.long("pfc, rolling")
@pytest.mark.parametrize("name", ["pfc, rolling"])
def test_the_constants_of_a_program_are_found_from_files(run, name):
    """From collisions that plain formulas and SciPy give."""
    collisions, noise = independent.CASES[name](), np.random.default_rng(5)
    truth = collisions[0]
    for index, collision in enumerate(collisions):
        before = np.linspace(0.0, collision.touch_down, 25)
        after = collision.lift_off + np.linspace(0.0, 2 * collision.touch_down, 35)
        times = np.concatenate([before, after])
        places, spins = collision.at(times)
        places = places + independent.SEEN * noise.normal(size=places.shape)
        spins = spins + independent.TURNED * noise.normal(size=spins.shape)
        write(f"shot_{index}.csv", times, places, spins)
    short = {path.removeprefix("contact."): value for path, value in truth.free.items()}
    values = ",".join(f"{path}={1.1 * value}" for path, value in short.items())
    status, _, _ = run(
        *("fit", "shot_0.csv", "shot_1.csv", *bodies(truth.radius, truth.mass)),
        *("--gravity", 0, "--sigma", independent.SEEN),
        *("--contact", "pfc.RollingResistanceLinear", "--value", f"{values},dp_sratio=0.05"),
        *(part for path in short for part in ("--free", path)),
    )
    assert status == 0
    found = json.loads(Path("result/fit.json").read_text())
    assert 0.8 < found["fit"]["chi2"] / found["fit"]["dof"] < 1.2
    for path, value in truth.free.items():
        estimate = found["parameters"][path]
        assert estimate["status"] == "determined"
        assert abs(estimate["value"] - value) < 3 * estimate["sd"]


@pytest.mark.parametrize("model", CONTACTS.names)
def test_the_smooth_form_of_every_contact_can_be_named(model):
    values, smooth = NEEDED[model], {"overlap": 1e-6, "speed": 1e-3, "share": 0.01}
    free = [next(iter(values))]
    if isinstance(values[free[0]], dict):
        free = [f"{free[0]}.{next(iter(values[free[0]]))}"]
    assert named_contact(study(model, values, free)).contact.smooth is None
    found = named_contact(study(model, {**values, "smooth": smooth}, free)).contact.smooth
    assert {"overlap": found.overlap, "speed": found.speed, "share": found.share} == smooth
    with pytest.raises(InputError, match="needs a value of speed, share"):
        named_contact(study(model, {**values, "smooth": {"overlap": 1e-6}}, free))
    with pytest.raises(InputError, match=r"no parameter 'smooth\.overlp'"):
        named_contact(study(model, {**values, "smooth": {"overlp": 1e-6}}, free))


@pytest.mark.parametrize("model", CONTACTS.names)
def test_every_contact_can_be_named(model, tmp_path):
    """It is between the bodies of the study, with what was given, and survives a study file."""
    given = study(model, NEEDED[model], (next(iter(CONTACTS[model].required)),))
    write_study(given, tmp_path / "study.toml", inputs=())
    for read in (given, read_study(tmp_path / "study.toml")):
        contact, free = named_contact(read)
        assert contact.radii() == RADIUS
        assert contact.masses() in (MASS, (None, None))
        assert free == (f"contact.{CONTACTS[model].required[0]}",)


def test_a_part_of_which_nothing_is_said_is_not_there():
    plain = named_contact(study("comsol.SphericalContact", {"k_pen": 1e5}, ("k_pen",)))
    assert plain.contact.friction is None
    rubbing = {"k_pen": 1e5, "mu": 0.3, "v0": 0.01, "ramp_overlap": 1e-5, "ramp_speed": 1e-3}
    with_friction = named_contact(study("comsol.SphericalContact", rubbing, ("mu",))).contact
    assert with_friction.friction.mu == 0.3
    assert with_friction.contact.ramp_speed == 1e-3


HERTZ = NEEDED["edem.HertzMindlin"]


@pytest.mark.parametrize(
    ("model", "values", "free", "said"),
    [
        ("pfc.Linear", {"kn": 1e5, "frik": 0.1}, ("kn",), "no parameter 'frik'.*'fric'"),
        ("pfc.Linear", {"fric": 0.1}, ("fric",), "needs a value of kn"),
        ("pfc.Linear", {"kn": 1e5}, None, r"nothing of pfc.Linear is free.*\['kn'\]"),
        ("pfc.Linear", {"kn": -1e5}, ("kn",), "kn = -100000 .* is outside"),
        ("pfc.Linear", {"kn": 1e5, "dp_mode": 9}, ("kn",), "dp_mode"),
        ("pfc.Linear", {"kn": 1e5, "lin_mode": 1}, ("kn",), "lin_mode"),
        ("pfc.Linear", {"kn": 1e5}, ("dp_mode",), "dp_mode of pfc.Linear cannot be found"),
        ("pfc.Linear", {"kn": 1e5, "radius1": 0.1}, ("kn",), "no parameter 'radius1'"),
        ("pfc.Linear", {"kn": "stiff"}, ("kn",), "kn = 'stiff' is not a number"),
        (
            "edem.HertzMindlin",
            HERTZ | {"youngs_modulus": 1e7},
            ("static_friction",),
            "several parameters.*solid1.youngs_modulus, solid2.youngs_modulus",
        ),
        (
            "comsol.SphericalContact",
            {"k_pen": 1e5, "ramp_overlap": 1e-5},
            ("k_pen",),
            "the smooth form needs both",
        ),
        ("comsol.SphericalContact", {"k_pen": 1e5, "mu": 0.1}, ("mu",), "needs a value of v0"),
        (
            "comsol.SphericalContact",
            {"k_pen": 1e5, "mu": 0.1, "v0": 0.1},
            ("Ff_max",),
            "Ff_max .* cannot be found.*give it a value",
        ),
    ],
)
def test_what_is_wrong_with_a_contact_is_said(model, values, free, said):
    with pytest.raises(InputError) as caught:
        named_contact(study(model, values, free))
    assert re.search(said, " ".join(str(caught.value).split()))


SHOT = ("fit", "shot.csv", *bodies(RADIUS, MASS), "--gravity", 0, "--contact", "pfc.Linear")
VALUES = ("--value", "kn=1e4", "--free", "kn")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((*SHOT, *VALUES, "--friction"), "friction is said beside pfc.Linear"),
        ((*SHOT, *VALUES, "--restitution-law", "power law"), "restitution_law is said beside"),
        ((*SHOT, "--value", "kn"), "'kn' is not NAME=VALUE"),
        ((*SHOT[:-1], "pfc.Linaer", *VALUES), "pfc.Linear"),
        ((*SHOT[:-2], *VALUES), "values of a contact are given, but not which contact"),
    ],
)
def test_the_command_says_what_is_wrong(run, given, said):
    times = np.linspace(0.0, 0.014, 60)
    write("shot.csv", times, head_on(times))
    status, _, error = run(*given)
    assert status == 2
    assert said in " ".join(error.split())


@pytest.mark.parametrize(
    ("verb", "said"), [("compare", "names the whole contact"), ("design", "of two bodies")]
)
def test_what_is_not_of_such_a_contact_is_refused(run, verb, said):
    times = np.linspace(0.0, 0.014, 60)
    write("shot.csv", times, head_on(times))
    write_study(
        dataclasses.replace(
            study("pfc.Linear", {"kn": 1e5}, ("kn",)),
            files=("shot.csv",),
            model=ModelOptions(gravity=0.0),
        ),
        "study.toml",
    )
    status, _, error = run(verb, "study.toml")
    assert status == 2
    assert said in " ".join(error.split())


def test_a_contact_between_two_bodies_is_not_of_one_ball(run):
    Path("drop.csv").write_text("t,z\n0,0.3\n0.1,0.25\n0.2,0.1\n0.3,0.2\n0.4,0.25\n")
    status, _, error = run(
        *("fit", "drop.csv", "--radius", 0.02, "--mass", 0.003, "--contact", "pfc.Linear", *VALUES)
    )
    assert status == 2
    assert "between two bodies" in " ".join(error.split())


def test_friction_needs_the_spins(run):
    times = np.linspace(0.0, 0.014, 60)
    places = head_on(times)
    rows = np.column_stack([times, places[:, 0, :2], places[:, 1, :2]])
    np.savetxt("shot.csv", rows, delimiter=",", header="t,x1,y1,x2,y2", comments="")
    status, _, error = run(*SHOT, *VALUES)
    assert status == 2
    assert "the spins of both bodies are not measured" in " ".join(error.split())
