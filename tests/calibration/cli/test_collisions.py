"""Collisions of two bodies through the command line, from files that plain formulas give: momentum,
Newton's restitution, Coulomb's friction with slip or stick.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from calibration.cli.main import main
from calibration.errors import InputError
from calibration.runtime import compilation_cache
from calibration.studies.collisions import read_collisions
from calibration.studies.pipeline import fit_study
from calibration.studies.study import Ball, ModelOptions, Partner, ReadingOptions, Study

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
SEEN, TURNED, MARKED = 2e-4, 0.5, 0.01
"""Standard deviations of positions [m], spins [rad/s] and angles [rad]."""

RATE, SAMPLES, TOUCH = 240.0, 60, 29.4 / 240.0
BODIES = (
    "--radius",
    "0.02",
    "--mass",
    "0.05",
    "--partner-radius",
    "0.03",
    "--partner-mass",
    "0.12",
)
TABLE = (*BODIES, "--gravity", "0")


class Truth(NamedTuple):
    """Two bodies and how they collide; ``inertia`` over mass and squared radius."""

    radius: tuple[float, float] = (0.02, 0.03)
    mass: tuple[float, float] = (0.05, 0.12)
    inertia: float = 0.4
    restitution: float = 0.7
    friction: float = 0.08
    spin: float = 0.0
    gravity: float = 0.0


def collide(truth, x, v, w):
    """Time of the collision of two bodies on straight lines, velocities and spins after it."""
    radius, mass = np.array(truth.radius), np.array(truth.mass)
    apart, closing = x[1] - x[0], v[1] - v[0]
    b, c = apart @ closing, apart @ apart - radius.sum() ** 2
    touch = (-b - np.sqrt(b * b - closing @ closing * c)) / (closing @ closing)
    normal = (apart + closing * touch) / radius.sum()
    pressing = (1 + truth.restitution) * -(closing @ normal) / np.sum(1 / mass)
    slip = closing - (closing @ normal) * normal
    slip = slip - np.cross(radius[1] * w[1] + radius[0] * w[0], normal)
    speed = np.linalg.norm(slip)
    stopping = speed / np.sum((1 + 1 / truth.inertia) / mass)
    rubbing = min(truth.friction * pressing, stopping)
    impulse = pressing * normal - rubbing * slip / max(speed, 1e-300)
    later_v = v + np.array([-impulse, impulse]) / mass[:, None]
    turning = np.cross(normal, -impulse) * radius[:, None]
    later_w = w + turning / (truth.inertia * mass * radius**2)[:, None]
    return touch, later_v, later_w


def shot(truth, noise, *, axes="xy"):
    """Times, positions and spins (times, 2, 3) of a shot, seen from some side."""
    angle, aside = noise.uniform(-np.pi, np.pi), noise.uniform(-0.75, 0.75)
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    across = np.array([-along[1], along[0], 0.0])
    x, v, w = np.zeros((3, 2, 3))
    x[1] = 0.15 * along + aside * sum(truth.radius) * across
    v[0], v[1] = noise.uniform(0.8, 1.6) * along, noise.uniform(-0.3, 0.1) * along
    w[:, 2] = truth.spin * noise.normal(size=2)
    if axes == "xyz":
        w[:, :2] = truth.spin * noise.normal(size=(2, 2))
        x[1, 2], v[:, 2] = noise.uniform(-0.3, 0.3) * sum(truth.radius), 1.0
    touch, later_v, later_w = collide(truth, x, v, w)
    time = touch - TOUCH + np.arange(SAMPLES) / RATE
    before, after = (part[:, None, None] for part in (np.minimum(time, touch), time - touch))
    after = np.maximum(after, 0.0)
    position = x + v * before + later_v * after
    position[:, :, 2] -= truth.gravity / 2 * time[:, None] ** 2
    return time - time[0], position, np.where(after > 0, later_w, w)


def write(path, truth, seed, *, axes="xy", spins=False, angles=False, unseen=None):
    """A noisy file of a shot; of the body ``unseen`` nothing after the collision."""
    noise = np.random.default_rng(seed)
    time, position, spin = shot(truth, noise, axes=axes)
    position = position + SEEN * noise.normal(size=position.shape)
    if unseen is not None:
        position[time > TOUCH, unseen] = np.nan
    columns = {"t": time}
    for body in (0, 1):
        for axis in axes:
            columns[f"{axis}{body + 1}"] = position[:, body, "xyz".index(axis)]
    for body in (0, 1):
        measured = spin[:, body] + TURNED * noise.normal(size=(SAMPLES, 3))
        if spins:
            for axis in "z" if axes == "xy" else "xyz":
                columns[f"w{axis}{body + 1}"] = measured[:, "xyz".index(axis)]
        if angles:
            steps = np.where(time > TOUCH, spin[-1, body, 2], spin[0, body, 2])
            turned = np.where(time > TOUCH, TOUCH * spin[0, body, 2], 0.0) + steps * (
                time - TOUCH * (time > TOUCH)
            )
            turned = turned + MARKED * noise.normal(size=SAMPLES)
            columns[f"angle{body + 1} (rad)"] = (turned + np.pi) % (2 * np.pi) - np.pi
    rows = [
        ",".join("" if np.isnan(v) else f"{v:.6f}" for v in row)
        for row in zip(*columns.values(), strict=True)
    ]
    Path(path).write_text("\n".join([",".join(columns), *rows]) + "\n")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder with three shots of bodies that do not spin before they meet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(compilation_cache.VARIABLE, "off")
    for seed in range(3):
        write(f"shot_{seed}.csv", Truth(), seed)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run the command; its exit status, standard output and standard error."""

    def run(*given):
        status = main([str(argument) for argument in given])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return status, " ".join(printed.out.split()), printed.err

    return run


def numbers(folder="result"):
    return json.loads(Path(folder, "fit.json").read_text())


def agrees(estimate, truth, *, within=3.5):
    assert estimate["status"] == "determined"
    return abs(estimate["value"] - truth) < within * estimate["sd"]


# Check


def test_check_says_what_is_there_and_which_columns_were_understood(run):
    status, out, _ = run(
        "check", ".", "--radius", "0.02", "--partner-radius", "0.03", "--gravity", "0"
    )
    assert status == 0
    assert "read: t, x1, y1, x2, y2" in out
    assert "3 collisions" in out
    assert "ratio of the masses" in out
    assert "2.4" in out  # 0.12 over 0.05, which check was not told
    assert "--no-spin" in out


@pytest.mark.parametrize(
    ("header", "given"),
    [
        ("t,x_1,y_1,x_2,y_2", ()),
        ("time (s),x1 [m],y1 [m],x2 [m],y2 [m]", ()),
        ("t,ball1_x,ball1_y,ball2_x,ball2_y", ()),
        ("t,xa,ya,xb,yb", ()),
        ("t,x0,y0,x1,y1", ()),
        ("t,posX1,posY1,posX2,posY2", ()),
        ("A,B,C,D,E", ("--columns", "t=A,x1=B,y1=C,x2=D,y2=E")),
    ],
)
def test_columns_are_named_in_many_ways(run, header, given):
    lines = Path("shot_0.csv").read_text().splitlines()
    Path("other.csv").write_text("\n".join([header, *lines[1:]]))
    options = ("--radius", "0.02", "--partner-radius", "0.03", "--gravity", "0", *given)
    expected = run("check", "shot_0.csv", *options[:6])[1].replace("shot_0", "other")
    status, out, _ = run("check", "other.csv", *options)
    assert status == 0
    assert out.split("- other")[0] == expected.split("- other")[0]


def body(rows, header="t,x1,y1,x2,y2"):
    return "\n".join([header, *(",".join(f"{v:.6f}" for v in row) for row in rows)])


def paths(part=slice(None), *, shift=0.0):
    """Two balls of 20 and 30 mm that meet at 0.1 s, ``shift`` apart."""
    time = np.arange(0.0, 0.2, 0.01)
    first = np.minimum(time, 0.1) - 0.5 * np.maximum(time - 0.1, 0.0)
    second = 0.15 + 0.5 * np.maximum(time - 0.1, 0.0)
    still = np.zeros_like(time)
    return np.stack([time, first, still, second, still + shift], axis=1)[part]


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        (body(paths()[:, :3], "t,x1,y1"), (), ("positions of body 1 only", "Add those of body 2")),
        (
            body(paths(), "t,x,y,x2,y2"),
            (),
            ("the radius of another body is given, but this is a trajectory", "x1, y1, x2, y2"),
        ),
        (body(paths(), "t,x1,y1,xb,yb"), (), ("numbered in some columns and lettered",)),
        (body(paths(), "t,x1,x2,x3,y3"), (), ("columns of 3 bodies (1, 2, 3)",)),
        (body(paths()[:, :4], "t,x1,y1,x2"), (), ("x, y of body 1, but x of body 2",)),
        (body(paths(slice(0, 9))), (), ("all samples are before the collision",)),
        (body(paths(slice(11, None))), (), ("never come closer", "all samples are after")),
        (body(paths() * [1, -1, 1, 1, 1] + [0, 0.04, 0, 0, 0]), (), ("never come closer",)),
        (body([[t, t, 0, 0.15, 0.08] for t in np.arange(0, 0.3, 0.01)]), (), ("pass each other",)),
        (
            body(paths()),
            ("--radius", "0.2"),
            ("would overlap", "150 mm apart", "half the diameters"),
        ),
        (
            body(paths()),
            ("--radius", "0.01"),
            ("the motion changes at", "but the radii make 40 mm"),
        ),
        (body(paths()), ("--gravity", "9.81"), ("does not look free", "--gravity 0")),
        (body(paths()), ("--vertical", "y"), ("vertical", "gravity is 0")),
        (body(paths()), ("--columns", "q1=x1"), ("'q1', which no recording of two bodies has",)),
    ],
    ids=range(14),
)
def test_what_cannot_be_used_is_named_with_its_remedy(run, text, given, words):
    Path("wrong.csv").write_text(text)
    status, _, err = run("fit", "wrong.csv", *TABLE, *given)
    assert status == 2
    assert all(word in err for word in words), err
    assert not Path("result").exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--partner-radius", "0.03"), ("radius of the other body is given, but not its mass",)),
        (("--partner-mass", "0.03"), ("mass of the other body is given, but not its radius",)),
        (("--partner-shell",), ("radius and mass are not given",)),
        ((), ("the file is of two bodies", "--partner-radius", "--columns t=t,x=x1,y=y1")),
        (("--disc", "--shell"), ("disc and shell are both given",)),
        (
            (*TABLE[4:], "--surface", "plane", "--nuisance", "gravity"),
            ("nuisances has no meaning",),
        ),
        (("--gravity", "-1"), ("zero or a positive number",)),
    ],
)
def test_options_that_do_not_fit_are_refused(run, given, words):
    status, _, err = run("fit", "shot_0.csv", "--radius", "0.02", "--mass", "0.05", *given)
    assert status == 2
    assert all(word in err for word in words), err


@pytest.mark.parametrize(
    "given", [("--partner-radius", "0.03", "--partner-mass", "1"), ("--disc",), ("--gravity", "0")]
)
def test_what_is_of_two_bodies_is_refused_for_one_ball(run, given):
    Path("drop.csv").write_text("t,z\n" + "\n".join(f"{t / 100},{1 - t / 100}" for t in range(20)))
    status, _, err = run("fit", "drop.csv", "--radius", "0.02", "--mass", "0.05", *given)
    assert status == 2
    assert "of one ball" in err


def test_samples_that_are_missing_are_skipped():
    lines = Path("shot_0.csv").read_text().splitlines()
    for row, cells in ((5, (1, 2)), (9, (3, 4)), (40, (1,))):
        parts = lines[row].split(",")
        lines[row] = ",".join("" if k in cells else cell for k, cell in enumerate(parts))
    Path("gaps.csv").write_text("\n".join(lines))
    whole, gaps = (read_collisions(study_of(f))[0].detected for f in ("shot_0.csv", "gaps.csv"))
    assert abs(gaps.restitution - whole.restitution) < 2 * whole.restitution_sd
    assert gaps.before == (whole.before[0] - 1, whole.before[1] - 1)


def study_of(*files, **model):
    return Study(
        files=files,
        ball=Ball(radius=0.02, mass=0.05),
        partner=Partner(radius=0.03, mass=0.12),
        reading=ReadingOptions(),
        model=ModelOptions(**{"gravity": 0.0, **model}),
    )


def test_files_with_and_without_spins_are_fitted_apart():
    write("turning.csv", Truth(spin=30.0), 5, spins=True)
    with pytest.raises(InputError, match="measured in some files, and not in others"):
        read_collisions(study_of("shot_0.csv", "turning.csv"))


# Fit


@pytest.mark.long
def test_a_fit_finds_restitution_and_friction_and_its_study_repeats_it(run, here):
    status, out, err = run("fit", "shot_*.csv", *TABLE, "--no-spin")
    assert status == 0, err
    found = numbers()
    assert agrees(found["parameters"][RESTITUTION], 0.7)
    assert agrees(found["parameters"][FRICTION], 0.08)
    assert found["parameters"][RESTITUTION]["sd"] < 0.005
    assert found["parameters"][FRICTION]["sd"] < 0.01
    assert 0.7 < found["fit"]["chi2_per_dof"] < 1.5
    assert [item["name"] for item in found["series"]][:2] == ["shot_0, body 1", "shot_0, body 2"]
    assert abs(found["series"][0]["contact_times"][0] - TOUCH) < 1e-3
    assert "shot_0, body 1: 120 of x [m], y [m]" in out
    assert "said not to spin" in out
    text = Path("result/study.toml").read_text()
    assert "[partner]\nradius = 0.03" in text
    assert Path("result/fit.png").stat().st_size > 1e4
    assert "body 1" in Path("result/report.html").read_text()
    assert run("fit", "result/study.toml", "--out", "again")[0] == 0
    assert numbers("again")["parameters"] == found["parameters"]
    status, out, _ = run("check", "result/study.toml")
    assert status == 0
    assert "restitution" in out


@pytest.mark.long
@pytest.mark.slow
def test_spins_that_nobody_measured_leave_friction_open(run):
    for seed in range(3):
        write(f"spun_{seed}.csv", Truth(spin=30.0), 10 + seed)
    status, _, err = run("fit", "spun_*.csv", *TABLE)
    assert status == 0, err
    found = numbers()["parameters"]
    assert agrees(found[RESTITUTION], 0.7)
    assert found[FRICTION]["status"] == "not determined by these data"
    assert found[FRICTION]["sd"] is None
    assert "confounded" in found[FRICTION]["note"]
    assert "at least 0.07" in found[FRICTION]["note"]


@pytest.mark.long
@pytest.mark.slow
def test_discs_with_a_mark_that_turns(run):
    for seed in range(3):
        write(f"puck_{seed}.csv", Truth(spin=20.0, inertia=0.5), 20 + seed, angles=True)
    status, _, err = run("fit", "puck_*.csv", *TABLE, "--disc")
    assert status == 0, err
    found = numbers()
    assert agrees(found["parameters"][RESTITUTION], 0.7)
    assert agrees(found["parameters"][FRICTION], 0.08)
    assert found["fit"]["chi2_per_dof"] < 1.6


@pytest.mark.long
@pytest.mark.slow
def test_spheres_in_flight_with_spins(run):
    for seed in range(3):
        truth = Truth(spin=30.0, gravity=9.81)
        write(f"ball_{seed}.csv", truth, 30 + seed, axes="xyz", spins=True)
    status, _, err = run("fit", "ball_*.csv", *BODIES)
    assert status == 0, err
    found = numbers()
    assert agrees(found["parameters"][RESTITUTION], 0.7)
    assert agrees(found["parameters"][FRICTION], 0.08)
    assert found["fit"]["chi2_per_dof"] < 1.6


@pytest.mark.long
@pytest.mark.slow
def test_with_one_body_unseen_afterwards_the_masses_are_named(run):
    for seed in range(2):
        write(f"lost_{seed}.csv", Truth(), 40 + seed, unseen=1)
    status, out, err = run("fit", "lost_*.csv", *TABLE, "--no-spin")
    assert status == 0, err
    assert agrees(numbers()["parameters"][RESTITUTION], 0.7)
    # m1/(m1 + m2) = 0.29
    assert "An error of 1 % of the ratio changes 1 + e by 0.29 %" in out


@pytest.mark.long
@pytest.mark.slow
def test_wrong_masses_are_doubted(run):
    wrong = ("--radius", "0.02", "--mass", "0.12", "--partner-radius", "0.03")
    status, out, _ = run(
        "fit", "shot_0.csv", *wrong, "--partner-mass", "0.05", "--gravity", "0", "--no-spin"
    )
    assert status == 4
    said = " ".join(out.split())
    cause = said.index("exchange momentum as if the second one had 2.4")
    assert cause < said.index("The model does not explain the data")  # the misfit that it makes


@pytest.mark.slow
def test_gliders_on_a_track_tell_restitution():
    time = np.arange(0, 0.25, 1 / RATE)
    truth = Truth(friction=0.0)
    x, v = np.array([[0.0, 0, 0], [0.15, 0, 0]]), np.array([[1.0, 0, 0], [-0.2, 0, 0]])
    touch, later, _ = collide(truth, x, v, np.zeros((2, 3)))
    before, after = np.minimum(time, touch)[:, None], np.maximum(time - touch, 0.0)[:, None]
    seen = x[:, 0] + v[:, 0] * before + later[:, 0] * after
    seen = seen + SEEN * np.random.default_rng(0).normal(size=seen.shape)
    Path("gliders.csv").write_text(body(np.column_stack([time, seen]), "t,x1,x2"))
    found = fit_study(study_of("gliders.csv"))
    estimate = found.parameters[RESTITUTION]
    assert abs(estimate.value - 0.7) < 3.5 * estimate.sd
    assert FRICTION not in found.parameters


CASES = {
    "no spin": (Truth(), {"spins": False}, {"spin": False}),
    "measured spins": (Truth(spin=30.0), {"spins": True}, {}),
    "spins unknown": (Truth(spin=30.0), {"spins": False}, {}),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_intervals_contain_the_truth_as_often_as_they_say(name):
    """Of 40 values within two standard deviations as many as 95 % can be: 34 with all but 1 %."""
    truth, columns, model = CASES[name]
    inside, determined = {RESTITUTION: 0, FRICTION: 0}, {RESTITUTION: 0, FRICTION: 0}
    for trial in range(40):
        files = [f"data_{number}.csv" for number in range(3)]
        for number, file in enumerate(files):
            write(file, truth, 1000 + 10 * trial + number, **columns)
        found = fit_study(study_of(*files, **model)).parameters
        for path, value in ((RESTITUTION, 0.7), (FRICTION, 0.08)):
            if np.isfinite(found[path].sd):
                determined[path] += 1
                off = abs(found[path].value - value) / found[path].sd
                inside[path] += off < 2
                assert off < 6
    assert determined[RESTITUTION] == 40
    assert inside[RESTITUTION] >= 34
    if name == "spins unknown":
        assert determined[FRICTION] == 0
    else:
        assert determined[FRICTION] >= 25
        assert inside[FRICTION] >= 0.85 * determined[FRICTION]
