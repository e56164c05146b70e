"""What is said of a table of impacts beside its numbers, against a simulator in NumPy."""

import re

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.io.impact_table import ImpactTable
from calibration.studies.choices.friction_laws import FRICTION_LAWS, SLIP_EXPONENT
from calibration.studies.tables import fit_impacts
from tests.calibration.random_tables import MASS, RADIUS, Before, rebound
from tests.calibration.studies.test_friction_laws import slip_after

pytestmark = pytest.mark.slow

NORMAL, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
TANGENTIAL = "contact.friction.tangential_restitution"
ANGLES = np.linspace(8.0, 80.0, 12)
TRUE = {"e": 0.8, "mu": 0.25, "e_t": 0.4}


def scene(*, shell: bool) -> jc.Scene:
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.9), friction=jc.Coulomb(coefficient=0.2)
    )
    return jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS, shell=shell), contact=contact)


def table(inertia: float) -> ImpactTable:
    """Impacts without spin, hardly any noise."""
    before = Before(np.full(ANGLES.size, 2.0), ANGLES, np.zeros(ANGLES.size))
    exact = rebound(before, **TRUE, inertia=inertia)
    rng = np.random.default_rng(0)
    sizes = {"rebound_angle": 0.1, "normal_restitution": 0.001}
    return ImpactTable(
        name="exact",
        impact_angle=ANGLES,
        impact_speed=before.speed,
        sigma={name: np.full(ANGLES.size, size) for name, size in sizes.items()},
        **{
            name: exact[name] + size * rng.standard_normal(ANGLES.size)
            for name, size in sizes.items()
        },
    )


def steepest_sliding(inertia: float) -> float:
    """The angle from which impacts slide throughout: by trying all of them."""
    angles = np.linspace(5.0, 85.0, 8001)
    before = Before(np.full(angles.size, 2.0), angles, np.zeros(angles.size))
    after = rebound(before, **TRUE, inertia=inertia)
    along, up = np.sin(np.deg2rad(angles)), np.cos(np.deg2rad(angles))
    impulse = along * (1 - after["tangential_restitution"]) / ((1 + TRUE["e"]) * up)
    return float(angles[np.argmax(impulse > TRUE["mu"] - 1e-9)])


@pytest.mark.long
@pytest.mark.parametrize("shell", [False, True])
def test_the_sliding_limit_is_where_impacts_begin_to_slide(shell: bool) -> None:
    inertia = 2 / 3 if shell else 2 / 5
    found = fit_impacts(scene(shell=shell), table(inertia), free=(NORMAL, FRICTION, TANGENTIAL))
    (said,) = [w for w in found.warnings if "sliding limit" in w]
    limit = float(re.search(r"limit is ([\d.]+) degrees", said).group(1))
    assert limit == pytest.approx(steepest_sliding(inertia), abs=0.7)


@pytest.mark.long
def test_a_column_that_repeats_better_than_was_assumed_tells_its_quantity_at_a_corner_too() -> None:
    """Without stated errors 2 % are assumed of each column. A restitution that repeats to half a
    per cent was not determined, "values over the whole range" would do: its profile was drawn over
    the width of what the column shows, and measured by that of the spins beside it.
    """
    angles, rng = np.arange(8.0, 80.0, 6.0), np.random.default_rng(1)
    exact = rebound(
        Before(np.full(angles.size, 4.0), angles, np.zeros(angles.size)),
        e=0.8,
        mu=0.15,
        e_t=0.0,
        inertia=2 / 5,
    )
    scatter = {"rebound_angle": 0.3, "spin_after": 6.0, "normal_restitution": 0.004}
    measured = ImpactTable(
        name="typed",
        impact_angle=angles,
        impact_speed=np.full(angles.size, 4.0),
        **{
            name: exact[name] + sd * rng.standard_normal(angles.size)
            for name, sd in scatter.items()
        },
    )
    found = fit_impacts(scene(shell=False), measured, free=(NORMAL, FRICTION, TANGENTIAL))
    restitution = found.parameters[NORMAL]
    assert restitution.status is cal.Determination.DETERMINED
    assert restitution.value == pytest.approx(0.8, abs=4 * restitution.sd)
    assert restitution.sd < 0.003


@pytest.mark.long
def test_static_friction_that_may_be_any_larger_is_not_determined() -> None:
    """Its standard error is 0.27 at 0.37; four times the value explains the data, too, with a
    shorter reach in the slip.
    """
    choice, rng, noise = FRICTION_LAWS["stribeck"], np.random.default_rng(1), 0.02
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.9), friction=choice.make(True)
    )
    speed, angle = np.repeat([1.0, 3.0, 6.0], 5), np.tile([15.0, 30.0, 45.0, 60.0, 75.0], 3)
    down, along = speed * np.cos(np.deg2rad(angle)), speed * np.sin(np.deg2rad(angle))
    slip = [slip_after(s, 1.8 * v / (2 / 7)) for s, v in zip(along, down, strict=True)]
    after = along + 2 / 7 * (np.asarray(slip) - along)
    measured = rng.standard_normal((angle.size, 2)) * noise
    fast = ImpactTable(
        name="friction that falls",
        impact_angle=angle,
        impact_speed=speed,
        normal_restitution=0.8 + measured[:, 0] / down,
        tangential_restitution=(after + measured[:, 1]) / along,
        sigma={"normal_restitution": noise / down, "tangential_restitution": noise / along},
    )
    found = fit_impacts(
        jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact),
        fast,
        free=(NORMAL, *choice.free),
    )
    static = found.parameters["contact.friction.static_coefficient"]
    assert static.status is cal.Determination.NOT_DETERMINED


@pytest.mark.parametrize("falls", [True, False])
def test_restitution_ordered_by_speed_is_said_of_a_table(falls: bool) -> None:
    rng = np.random.default_rng(2)
    speed = rng.uniform(0.5, 5.0, 14)
    true = 0.85 - 0.05 * np.log(speed) if falls else np.full(14, 0.8)
    drops = ImpactTable(
        name="drops",
        impact_angle=np.zeros(14),
        impact_speed=speed,
        normal_restitution=true + 0.01 * rng.standard_normal(14),
        sigma={"normal_restitution": np.full(14, 0.01)},
    )
    found = fit_impacts(scene(shell=False), drops, free=(NORMAL,))
    said = [sentence for sentence in found.warnings if "--restitution-law" in sentence]
    assert bool(said) is falls


def test_a_restitution_that_is_given_although_it_changes_with_speed_says_so() -> None:
    speed = np.linspace(0.5, 5.0, 14)
    table = ImpactTable(
        name="drops",
        impact_angle=np.zeros(14),
        impact_speed=speed,
        normal_restitution=0.85 - 0.05 * np.log(speed),
    )
    found = fit_impacts(scene(shell=False), table, free=(NORMAL,))
    assert found.explained  # nothing tells its noise
    assert "changes with the speed" in found.parameters[NORMAL].note
    ordered, noise = (
        next(n for n, said in enumerate(found.warnings) if words in said)
        for words in ("ordered by the speed", "No noise was given")
    )
    assert ordered < noise


def rubber(count: int = 40) -> ImpactTable:
    """Impacts that all stick, and give back less of a larger slip: log-odds 0.85 - 0.4 ln s."""
    rng = np.random.default_rng(3)
    down, along = rng.uniform(3.0, 9.0, count), rng.uniform(0.2, 3.0, count)
    spin = rng.uniform(-150.0, 150.0, count)
    slip = along - RADIUS * spin
    rebound_of_slip = 1 / (1 + np.exp(0.4 * np.log(np.abs(slip)) - 0.85))
    change = -(1 + rebound_of_slip) * slip
    after, inertia = along + change * 2 / 7, 2 / 5
    turned = spin - change * 2 / 7 / (inertia * RADIUS)
    measured = {
        "normal_restitution": 0.75 + 0.01 * rng.standard_normal(count),
        "rebound_angle": np.degrees(np.arctan2(after, 0.75 * down))
        + 0.2 * rng.standard_normal(count),
        "spin_after": turned + 2.0 * rng.standard_normal(count),
    }
    sizes = {"normal_restitution": 0.01, "rebound_angle": 0.2, "spin_after": 2.0}
    return ImpactTable(
        name="rubber",
        impact_angle=np.degrees(np.arctan2(along, down)),
        impact_speed=np.hypot(down, along),
        spin_before=spin,
        sigma={name: np.full(count, size) for name, size in sizes.items()},
        **measured,
    )


@pytest.mark.long
def test_where_no_impact_slides_none_is_set_aside() -> None:
    found = fit_impacts(scene(shell=False), rubber(), free=(NORMAL, FRICTION, TANGENTIAL))
    assert found.dof > 100
    assert not any("set aside" in sentence for sentence in found.warnings)
    assert not any(column.curve_angle.size for column in found.columns)  # each has its own spin
    assert not found.explained  # one tangential restitution is not what rubber has


def test_a_rebound_that_falls_with_slip_is_found() -> None:
    choice = FRICTION_LAWS["rebound that falls with slip"]
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.9), friction=choice.make(True)
    )
    found = fit_impacts(
        jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact),
        rubber(),
        free=(NORMAL, *choice.free),
    )
    assert found.explained
    for name, truth in ((TANGENTIAL, 1 / (1 + np.exp(-0.85))), (SLIP_EXPONENT, 0.4)):
        estimate = found.parameters[name]
        assert estimate.status is cal.Determination.DETERMINED
        assert abs(estimate.value - truth) < 3 * estimate.sd
    assert found.parameters[FRICTION].status is cal.Determination.NOT_DETERMINED


@pytest.mark.long
def test_columns_that_contradict_each_other_are_named_first() -> None:
    """Angles from the surface instead of from its normal: friction is 0.08 by the one column and
    0.16 by the other. It stood at the end of the table, and not in fit.json.
    """
    angles, rng = np.arange(8.0, 80.0, 6.0), np.random.default_rng(23)
    before = Before(np.full(angles.size, 4.0), angles, np.zeros(angles.size))
    exact = rebound(before, e=0.8, mu=0.15, e_t=0.0)
    measured = ImpactTable(
        name="complements",
        impact_angle=90 - angles,
        impact_speed=before.speed,
        rebound_angle=90 - exact["rebound_angle"] + 0.3 * rng.standard_normal(angles.size),
        spin_after=exact["spin_after"] + 4.0 * rng.standard_normal(angles.size),
        normal_restitution=0.8 + 0.004 * rng.standard_normal(angles.size),
    )
    found = fit_impacts(scene(shell=False), measured, free=(NORMAL, FRICTION, TANGENTIAL))
    assert found.warnings[0].startswith("The columns contradict each other on friction")
