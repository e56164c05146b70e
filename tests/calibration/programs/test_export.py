"""Fitted contacts in the parameters of other programs: what needs no other program."""

import csv
import dataclasses
import math
from xml.etree import ElementTree

import jax
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.programs import PROGRAMS, Target
from tests.calibration.programs import targets

pytestmark = pytest.mark.slow

PROGRAM_NAMES = PROGRAMS.names
SPEEDS = np.array([0.8, 1.2, 2.0, 2.4, 3.0])


@pytest.fixture(autouse=True)
def _double_precision():
    with jax.enable_x64(True):
        yield


def table(restitution=0.8, friction=0.25, *, exponent=0.0, noise=0.004):
    """Impacts that slide throughout, on a rigid wall."""
    rng = np.random.default_rng(3)
    e = restitution * SPEEDS**-exponent
    angle = np.full(SPEEDS.size, 80.0)
    slope = math.tan(math.radians(80.0))
    measured = {
        "normal_restitution": e + noise * rng.standard_normal(SPEEDS.size),
        "tangential_restitution": 1 - friction * (1 + e) / slope,
    }
    return cal.ImpactTable(
        name="impacts",
        impact_angle=angle,
        impact_speed=SPEEDS / math.cos(math.radians(80.0)),
        sigma={
            "normal_restitution": np.full(SPEEDS.size, noise),
            "tangential_restitution": np.full(SPEEDS.size, 0.002),
        },
        **measured,
    )


def fit_of(data, *, normal=None, friction=None, free=None):
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(
            normal=normal or jc.NewtonRestitution(restitution=0.7),
            friction=friction or jc.Coulomb(coefficient=0.2),
        ),
    )
    free = free or ["contact.normal.restitution", "contact.friction.coefficient"]
    return cal.fit(cal.Problem(scene, [data], free=free))


@pytest.fixture(scope="module")
def fit():
    with jax.enable_x64(True):
        return fit_of(table())


@pytest.mark.parametrize("name", PROGRAM_NAMES)
def test_a_block_obtains_the_restitution_and_the_friction_of_the_fit(fit, name):
    block = cal.export(fit, name)
    e = fit.parameters["contact.normal.restitution"]
    mu = fit.parameters["contact.friction.coefficient"]
    assert block.obtained.restitution == pytest.approx(e.value, rel=1e-6)
    assert block.obtained.friction == pytest.approx(mu.value, rel=1e-6)
    for own, estimate in ((block.restitution, e), (block.friction, mu)):
        assert (own.low, own.high) == pytest.approx(estimate.interval(0.95), rel=1e-6)


@pytest.mark.parametrize("name", PROGRAM_NAMES)
def test_a_block_says_what_it_obtains_at_which_speed_and_what_it_needs(fit, name):
    block = cal.export(fit, name)
    assert f"restitution {block.obtained.restitution:.4g}" in block.text
    assert f"{np.median(SPEEDS):.4g} m/s" in block.text
    for word in ("Law:", "Obtains:", "Stiffness:", "not measured", "Step:", "Sticking:"):
        assert word in block.text
    program = PROGRAMS[name]
    assert ("were run in" in block.text) is bool(program.checked)
    assert ("Not run:" in block.text) is not bool(program.checked)
    assert str(block) == block.text


def test_a_block_of_mujoco_is_a_document_with_its_comments(fit):
    root = ElementTree.fromstring(cal.export(fit, "mujoco").text)
    assert root.find("option").get("cone") == "elliptic"
    assert root.find("contact/pair").get("condim") == "3"


@pytest.mark.parametrize("name", ["lammps", "liggghts"])
def test_a_restitution_that_a_program_cannot_obtain_is_refused_with_its_least(name):
    with pytest.raises(
        cal.InputError, match=r"cannot obtain a restitution of 0\.1 .*above 0\.1353"
    ):
        PROGRAMS[name].parameters(targets.target_of(0.1, 0.2, False))
    assert PROGRAMS["exudyn"].parameters(targets.target_of(0.1, 0.2, False))


@pytest.mark.parametrize("name", PROGRAM_NAMES)
@pytest.mark.parametrize("pair", [False, True])
def test_parameters_and_what_they_obtain_are_inverse_to_each_other(name, pair):
    program = PROGRAMS[name]
    for e in targets.RESTITUTIONS:
        for mu in targets.FRICTIONS:
            target = targets.target_of(e, mu, pair)
            obtained = program.obtained(program.parameters(target), target)
            assert obtained == pytest.approx((e, mu), rel=1e-6)


def test_draws_have_the_spread_of_the_fit(fit):
    block = cal.export(fit, "exudyn", draws=400)
    drawn = np.asarray([obtained for obtained, _ in block.draws])
    for own, name in zip(drawn.T, ("normal.restitution", "friction.coefficient"), strict=True):
        low, high = fit.parameters[f"contact.{name}"].interval(0.95)
        inside = np.mean((low <= own) & (own <= high))
        assert 0.91 < inside < 0.985  # three standard deviations of the share of 400
    again = cal.export(fit, "exudyn", draws=400)
    assert again.draws == block.draws
    assert cal.export(fit, "exudyn", draws=400, seed=1).draws != block.draws


def test_the_files_of_an_export(fit, tmp_path):
    block = cal.export(fit, "exudyn", draws=3)
    files = block.write(tmp_path / "new")
    assert [file.name for file in files] == ["exudyn.py", "exudyn_draws.csv"]
    assert files[0].read_text(encoding="utf-8") == block.text
    rows = list(csv.DictReader(files[1].read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 3
    for row, (obtained, parameters) in zip(rows, block.draws, strict=True):
        assert float(row["restitution"]) == obtained.restitution
        assert {name: float(row[name]) for name in parameters} == parameters


@pytest.mark.long
def test_a_restitution_that_depends_on_the_speed_is_exported_at_one_speed_with_a_warning():
    law = jc.PowerLawRestitution(restitution=0.8, reference_speed=1.0, velocity_exponent=0.1)
    free = ["contact.normal.restitution", "contact.normal.velocity_exponent"]
    fit = fit_of(table(exponent=0.1), normal=law, free=[*free, "contact.friction.coefficient"])
    fitted = law.replace(
        restitution=fit.parameters[free[0]].value, velocity_exponent=fit.parameters[free[1]].value
    )
    block = cal.export(fit, "exudyn", speed=1.2)
    assert block.obtained.restitution == pytest.approx(
        float(fitted.restitution_at(1.2, mass=0.03)), rel=1e-6
    )
    (warning,) = (text for text in block.warnings if "depends on the speed" in text)
    for speed in (0.8, 3.0):
        assert f"{float(fitted.restitution_at(speed, mass=0.03)):.5g} (" in warning
    assert "WARNING: The restitution of the fit depends on the speed" in block.text
    assert any("extrapolated" in text for text in cal.export(fit, "exudyn", speed=9.0).warnings)


def test_what_the_program_has_no_parameter_for_is_a_warning():
    rebounding = jc.Coulomb(coefficient=0.2, tangential_restitution=0.3)
    block = cal.export(fit_of(table(), friction=rebounding), "exudyn")
    assert any("tangential restitution of the fit, 0.3" in text for text in block.warnings)


def test_without_friction_in_the_fit_the_block_has_none_or_the_one_that_is_given():
    drops = dataclasses.replace(table(), tangential_restitution=np.full(SPEEDS.size, np.nan))
    fit = fit_of(drops, friction=jc.NoFriction(), free=["contact.normal.restitution"])
    block = cal.export(fit, "exudyn")
    assert block.parameters["dynamicFriction"] == 0
    assert any("no friction" in text for text in block.warnings)
    block = cal.export(fit, "exudyn", friction=0.3)
    assert block.parameters["dynamicFriction"] == 0.3
    assert not any("no friction" in text for text in block.warnings)


def test_friction_that_the_data_do_not_determine_is_not_exported():
    head_on = cal.ImpactTable(
        name="drops",
        impact_angle=np.zeros(SPEEDS.size),
        impact_speed=SPEEDS,
        normal_restitution=0.8 + 0.004 * np.array([1, -1, 0.5, -0.5, 0.2]),
        sigma={"normal_restitution": np.full(SPEEDS.size, 0.004)},
    )
    fit = fit_of(head_on)
    with pytest.raises(cal.programs.NotDetermined, match="friction of the fit is not determined"):
        cal.export(fit, "exudyn")
    assert cal.export(fit, "exudyn", friction=0.1).parameters["dynamicFriction"] == 0.1


@pytest.mark.parametrize("status", ["NOT_DETERMINED", "AT_BOUND", "AT_START"])
@pytest.mark.parametrize("name", ["normal.restitution", "friction.coefficient"])
def test_what_was_found_not_to_be_determined_is_not_exported(fit, name, status):
    """As where a fit holds a friction that spins hide."""
    own = fit.parameters[f"contact.{name}"]
    held = dataclasses.replace(own, status=cal.Determination[status], note="spins hide it")
    doubted = dataclasses.replace(fit, parameters={**fit.parameters, own.name: held})
    with pytest.raises(cal.programs.NotDetermined, match=f"{held.status.value} .spins hide it"):
        cal.export(doubted, "exudyn")
    if name == "friction.coefficient":
        assert cal.export(doubted, "exudyn", friction=0.1).parameters["dynamicFriction"] == 0.1


def test_a_fit_in_doubt_is_not_exported(fit):
    doubted = dataclasses.replace(fit, plausible=False, warnings=("The frame rate is wrong.",))
    with pytest.raises(cal.programs.NotDetermined, match=r"implausible.*The frame rate is wrong"):
        cal.export(doubted, "exudyn")


def test_a_stiffness_that_was_measured_is_exported_and_else_one_is_chosen(fit):
    chosen = cal.export(fit, "exudyn")
    target = targets.target_of(0.8, 0.2, False)
    assert target.overlap(1.5) == pytest.approx(0.01 * target.radius)
    assert target.overlap(1.0) == pytest.approx(0.01 * target.radius)
    assert "1 % of the radius at 3 m/s" in chosen.text.replace("\n#  ", "")
    given = cal.export(fit, "exudyn", contact_time=1e-4)
    assert given.parameters["contactStiffness"] > chosen.parameters["contactStiffness"]
    for exponent in (1.0, 1.5):
        own = dataclasses.replace(target, contact_time=1e-4)
        assert own.undamped_time(exponent) == pytest.approx(1e-4, rel=1e-9)


@pytest.mark.long
def test_the_stiffness_of_a_force_trace_is_that_of_the_block():
    ball = jc.spheres(radius=0.02, mass=0.03)
    truth = jc.HuntCrossley(stiffness=5e7, restitution=0.8)
    scene = jc.Scene(bodies=ball, contact=jc.ContactModel(normal=truth))
    start = jc.state(position=(0, 0, 0.0201), velocity=(0, 0, -2.0))
    times = np.linspace(0, 8e-4, 160)
    velocity = np.asarray(jc.simulate(scene, start, times).velocity[:, 2])
    force = 0.03 * (np.gradient(velocity, times) + 9.81)
    noise = 2.0 * np.random.default_rng(1).standard_normal(times.size)
    trace = cal.measurements.ForceTrace(times, force + noise, sigma=2.0)
    law = truth.replace(stiffness=4e7, restitution=0.7)
    free = ["contact.normal.stiffness", "contact.normal.restitution"]
    fit = cal.fit(
        cal.Problem(
            scene.replace(contact=jc.ContactModel(normal=law)),
            [cal.Trial(trace, initial=start)],
            free=free,
        )
    )
    block = cal.export(fit, "exudyn")
    stiffness = fit.parameters["contact.normal.stiffness"].value
    assert block.parameters["contactStiffness"] == pytest.approx(stiffness, rel=1e-6)
    assert "that was measured" in block.text


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"speed": 0.0}, "speed = 0.0"),
        ({"speed": math.nan}, "speed = nan"),
        ({"contact_time": -1.0}, "contact_time = -1.0"),
        ({"friction": -0.1}, "friction = -0.1"),
        ({"draws": 1.5}, "draws = 1.5"),
        ({"draws": -1}, "draws = -1"),
    ],
)
def test_arguments_out_of_range_are_refused_with_their_value(fit, given, what):
    with pytest.raises(cal.InputError, match=what):
        cal.export(fit, "exudyn", **given)


def test_an_unknown_program_is_told_the_right_one(fit):
    with pytest.raises(cal.InputError, match=r"no program 'exudin'. Did you mean 'exudyn'"):
        cal.export(fit, "exudin")


def test_what_is_no_one_contact_of_spheres_is_refused(fit):
    with pytest.raises(cal.InputError, match="does not carry its problem"):
        cal.export(dataclasses.replace(fit, problem=None, assessment=None), "exudyn")
    each = cal.Free("contact.normal.restitution", each=True)
    drops = cal.read_recordings("experiments/data/known_truth/throw_*.csv")[:2]
    problem = cal.Problem(
        fit.problem.scene, drops, free=[each], nuisance=[cal.nuisances.InitialState()]
    )
    with pytest.raises(cal.InputError, match="differs from trial to trial"):
        cal.export(dataclasses.replace(fit, problem=problem), "exudyn")


def test_a_program_of_ones_own_is_used_like_those_here(fit):
    class Ratio(cal.programs.Program):
        name, title, ending = "ratio", "Ratio", ".txt"
        law, sticking, source = "Newton's.", "It sticks.", "Newton"
        comment = "% {}"

        def parameters(self, target):
            return {"e": target.restitution, "mu": target.friction}

        def obtained(self, parameters, target):
            return cal.programs.Obtained(parameters["e"], parameters["mu"])

        def block(self, parameters, target):
            return f"e = {parameters['e']}"

    PROGRAMS.register(Ratio())
    try:
        block = cal.export(fit, "ratio")
    finally:
        PROGRAMS.remove("ratio")
    assert block.filename == "ratio.txt"
    assert all(line.startswith("% ") for line in block.text.splitlines()[:-1])
    assert any("was not run in Ratio" in text for text in block.warnings)


def test_a_program_that_does_not_say_what_it_is_is_refused():
    class Nameless(cal.programs.Program):
        title, ending, law, sticking, source = "N", ".txt", "a", "b", "c"

        def parameters(self, target):
            return {}

        def obtained(self, parameters, target):
            return cal.programs.Obtained(1.0, 0.0)

        def block(self, parameters, target):
            return ""

    with pytest.raises(cal.InputError, match="Nameless has no name"):
        PROGRAMS.register(Nameless())


def test_a_target_with_numbers_that_are_not_allowed_is_refused():
    for changes, what in (
        ({"restitution": 0.0}, r"restitution = 0.0 is outside \(0, 1\]"),
        ({"friction": -1.0}, "friction = -1.0"),
        ({"mass": 0.0}, "mass = 0.0"),
        ({"partner_radius": 0.1}, "belong together"),
    ):
        given = {
            "restitution": 0.5,
            "friction": 0.1,
            "speed": 1.0,
            "fastest": 1.0,
            "radius": 0.1,
            "mass": 1.0,
        }
        with pytest.raises(cal.InputError, match=what):
            Target(**given | changes)
