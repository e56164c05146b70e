"""What must hold of identifiability: exact losses of rank found and named, no finite interval for
what data cannot determine.
"""

import math

import numpy as np
import pytest

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.io.impact_table import ImpactTable
from calibration.io.recording import Recording
from calibration.model.free import Free
from calibration.model.prior import LogNormal
from calibration.nuisances import InitialState, LengthScale, SurfaceHeight
from calibration.problem.problem import Problem
from calibration.uncertainty.identifiability import (
    Identification,
    collinearity_index,
    identify,
    simplify_basis,
)

RESTITUTION = "contact.normal.restitution"
FRICTION = "contact.friction.coefficient"
DRAG = "drag.coefficient"
DENSITY = "drag.fluid_density"


def sliding_table(
    columns: dict[str, float], *, angles=(30.0, 50.0, 70.0), friction: float = 0.1
) -> ImpactTable:
    """Oblique impacts of a sphere with e = 0.8, textbook: it slides where ``tan(angle) > 3.5 mu (1
    + e)``.
    """
    angle = np.asarray(angles)
    speed, e = np.full(angle.size, 2.0), 0.8
    normal, tangential = speed * np.cos(np.radians(angle)), speed * np.sin(np.radians(angle))
    loss = np.minimum(friction * (1 + e) * normal, 2 / 7 * tangential)
    after = {
        "tangential_restitution": (tangential - loss) / tangential,
        "normal_restitution": np.full(angle.size, e),
        "rebound_angle": np.degrees(np.arctan2(tangential - loss, e * normal)),
    }
    sigma = {name: np.full(angle.size, value) for name, value in columns.items()}
    return ImpactTable(
        name="impacts",
        impact_angle=angle,
        impact_speed=speed,
        sigma=sigma,
        **{name: after[name] for name in columns},
    )


def table_problem(
    table: ImpactTable, free=(RESTITUTION, FRICTION), *, friction: float = 0.1
) -> Problem:
    """Restitution and friction of rigid impacts."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.8), friction=jc.Coulomb(coefficient=friction)
    )
    return Problem(
        jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.01), contact=contact),
        [table],
        free=list(free),
    )


@pytest.mark.long
def test_sliding_impacts_show_only_the_product_of_friction_and_one_plus_e():
    found = identify(
        table_problem(sliding_table({"tangential_restitution": 0.01}, angles=(60.0, 65.0, 70.0)))
    )
    assert {item.status for item in found.parameters.values()} == {Identification.STRUCTURALLY}
    assert all(math.isinf(item.sd) for item in found.parameters.values())
    (direction,) = found.directions
    assert direction.structural
    assert "the impulse of a sliding impact, mu (1 + e)" in direction.words
    # d ln mu + d ln(1 + e) = 0, and d ln(1 + e) = e/(1 + e) d ln e.
    exponents = dict(zip(direction.names, direction.components, strict=True))
    assert exponents[FRICTION] / exponents[RESTITUTION] == pytest.approx(-0.8 / 1.8, rel=1e-6)
    assert math.isinf(found.collinearity)
    assert "+-" not in str(found)


@pytest.mark.long
def test_the_missing_column_determines_both_with_the_standard_errors_of_the_textbook():
    sigma = {"tangential_restitution": 0.01, "normal_restitution": 0.02}
    table = sliding_table(sigma, angles=(60.0, 65.0, 70.0))
    found = identify(table_problem(table))
    assert found.determined == (RESTITUTION, FRICTION)
    assert not found.directions
    assert found.parameters[RESTITUTION].sd == pytest.approx(0.02 / math.sqrt(3), rel=0.02)
    after = fit(table_problem(table)).parameters
    for name, item in found.parameters.items():
        assert item.sd == pytest.approx(after[name].sd, rel=0.05)
    # Ten times the noise, ten times the interval.
    wide = identify(table_problem(table), noise=3.0, probe=False)
    assert wide.parameters[RESTITUTION].sd == pytest.approx(
        3 * found.parameters[RESTITUTION].sd, rel=1e-6
    )


def test_friction_that_sticks_is_not_given_an_interval():
    """A steep impact sticks, whatever larger friction is."""
    sigma = {"tangential_restitution": 0.01, "normal_restitution": 0.02}
    found = identify(
        table_problem(sliding_table(sigma, angles=(5.0, 10.0), friction=0.5), friction=0.5)
    )
    item = found.parameters[FRICTION]
    assert math.isinf(item.sd)
    # A smaller friction would slide, so this is no property of the experiment.
    assert item.status is Identification.HERE
    assert found.parameters[RESTITUTION].status is Identification.DETERMINED


def test_noise_that_hides_a_parameter_makes_it_practically_undetermined():
    sigma = {"tangential_restitution": 0.5, "normal_restitution": 0.01}
    found = identify(table_problem(sliding_table(sigma)))
    assert found.parameters[FRICTION].status is Identification.PRACTICALLY
    assert math.isinf(found.parameters[FRICTION].sd)
    assert found.parameters[RESTITUTION].status is Identification.DETERMINED
    better = identify(table_problem(sliding_table(sigma)), noise=0.01)
    assert better.parameters[FRICTION].status is Identification.DETERMINED


def test_a_prior_is_not_taken_for_data():
    table = sliding_table({"tangential_restitution": 0.01}, angles=(60.0, 65.0, 70.0))
    free = (RESTITUTION, Free(FRICTION, prior=LogNormal(0.1, 1.2)))
    found = identify(table_problem(table, free), probe=False)
    assert found.parameters[FRICTION].status is Identification.PRIOR_ONLY


def test_collinearity_index_is_that_of_brun():
    cosine = 0.99
    assert collinearity_index(np.array([[1, cosine], [cosine, 1]])) == pytest.approx(
        1 / math.sqrt(1 - cosine)
    )
    assert collinearity_index(np.eye(3)) == pytest.approx(1.0)
    assert math.isinf(collinearity_index(np.ones((2, 2))))


def test_null_space_in_few_names():
    rotation, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((2, 2)))
    plane = np.array([[1, 0], [-1, 0], [0, 1], [0, 2.0]])
    found = simplify_basis(plane @ rotation)
    assert sorted(np.sum(np.abs(found) > 1e-9, axis=0)) == [2, 2]


def test_nothing_free_and_nonsense_are_refused():
    with pytest.raises(InputError, match="noise"):
        identify(table_problem(sliding_table({"normal_restitution": 0.01})), noise=0.0)
    with pytest.raises(InputError, match="neither a Problem"):
        identify("a problem")


@pytest.mark.long
@pytest.mark.slow
def test_drag_acts_through_one_product_and_gravity_shows_the_scale():
    times = np.arange(0.0, 1.0, 1 / 60)
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.005),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
        drag=jc.QuadraticDrag(coefficient=0.5),
    )
    motion = jc.simulate(
        scene, jc.state(position=(0.0, 0.0, 1.0)), times, method=jc.Impulse(max_contacts=6)
    )
    z = np.asarray(motion.position)[:, 2] + 1e-3 * np.random.default_rng(0).standard_normal(
        times.size
    )
    position = np.stack([np.full_like(z, np.nan), np.full_like(z, np.nan), z], axis=-1)
    recording = Recording(
        name="drop", time=times, position=position, sigma=np.where(np.isnan(position), np.nan, 1e-3)
    )
    asked = Problem(
        scene,
        [recording],
        free=[RESTITUTION, DRAG, "bodies.mass"],
        nuisance=[InitialState(), SurfaceHeight(), LengthScale()],
    )
    found = identify(asked, probe=False)
    assert found.parameters[DRAG].status is Identification.STRUCTURALLY
    assert found.parameters["bodies.mass"].status is Identification.STRUCTURALLY
    assert found.parameters["length_scale"].status is Identification.DETERMINED
    (direction,) = [item for item in found.directions if item.structural]
    assert set(direction.names) == {DRAG, "bodies.mass"}
    np.testing.assert_allclose(direction.components, [1.0, 1.0], atol=1e-5)
    assert "C_D rho R^2/m" in direction.words
    after = identify(fit(asked), probe=False)
    assert after.fitted
    assert math.isinf(after.parameters[DRAG].sd)
