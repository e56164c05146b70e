"""The gradient trust report tells derivatives that are true from those that are not, and why."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.laws.core.quantities import QUANTITIES
from jaxcontact.parameters import model, of, parameter
from jaxcontact.sensitivity import check_gradients
from jaxcontact.sensitivity.finite_differences import differences, ladder, points
from jaxcontact.sensitivity.fixed_step_reference import relative_error
from jaxcontact.sensitivity.report import GradientVerdict
from jaxcontact.sensitivity.selection import components, selected

STIFFNESS, RESTITUTION, FRICTION = (
    "contact.normal.stiffness",
    "contact.normal.restitution",
    "contact.friction.coefficient",
)
HEIGHT, SPEED = "initial.position[2]", "initial.velocity[0]"
BOUNCE_TRAIN = (STIFFNESS, RESTITUTION, FRICTION, HEIGHT, SPEED)


def thrown(normal: Any, **changes: Any) -> dict:
    """A ball thrown over a plane, three bounces in 1.2 s."""
    friction = jc.RegularizedCoulomb(coefficient=0.1, slip_velocity=0.1)
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.01, density=2700.0),
        contact=jc.ContactModel(normal=normal, friction=friction),
    )
    initial = jc.state(position=(0.0, 0.0, 0.31), velocity=(3.0, 0.0, 0.0))
    return {"scene": scene, "initial": initial, "times": np.array([0.0, 1.2]), **changes}


@functools.cache
def bounce_train(method: Any) -> Any:
    return check_gradients(
        **thrown(jc.HuntCrossley(stiffness=1e8, restitution=0.8)), method=method, of=BOUNCE_TRAIN
    )


def row(report: Any, name: str) -> int:
    return report.parameters.index(name)


@pytest.mark.long
def test_event_aligned_derivatives_are_trusted():
    report = bounce_train(jc.EventAligned())
    assert report.all_trusted, str(report)
    assert report.first_non_finite is None
    assert report.warnings == ()
    assert report.fixed_step_error is None
    assert list(report.contacts) == [1, 1, 2, 3]
    assert np.all(report.confirmed_to < 1e-5)
    np.testing.assert_allclose(
        report.forward, report.reverse, rtol=1e-9, atol=1e-9 * np.max(np.abs(report.forward))
    )


@pytest.mark.long
@pytest.mark.slow
def test_a_fixed_step_is_distrusted_by_what_shifts_an_impact_and_only_there():
    report = bounce_train(jc.FixedStep(step=1e-5))
    for name in (STIFFNESS, RESTITUTION, HEIGHT):
        assert not report.trusted[row(report, name), -1], name
    for name in (FRICTION, SPEED):
        assert np.all(report.trusted[row(report, name)]), str(report)
    # The first impact comes at the same time whatever the restitution, so the derivative is good
    # until the second.
    assert report.contacts[0] == 1
    assert report.trusted[row(report, RESTITUTION), 0]
    assert any(
        "the fixed step is too coarse" in reason
        for reason in report.reasons[row(report, HEIGHT)][0]
    )
    assert any("of EventAligned()" in reason for reason in report.reasons[row(report, HEIGHT)][0])
    assert "the step of 1e-05 s is too coarse" in report.warnings[0]
    assert "Warning: the step of 1e-05 s" in str(report)


def test_the_rule_of_fixed_steps_has_the_measured_figures():
    mass = 4 / 3 * np.pi * 0.01**3 * 2700
    speed = np.sqrt(2 * 9.81 * 0.3)
    for stiffness, step in ((1e8, 6e-8), (1e5, 6e-6)):  # what it takes for 1 % with a bounce
        duration = (mass**2 / (stiffness**2 * speed)) ** 0.2
        assert relative_error(
            step, impact_speed=speed, duration=duration, gravity=9.81
        ) == pytest.approx(0.01, rel=0.4)


RIGID = jc.Impulse(max_contacts=6)


FALL = np.sqrt(2 * 0.3 / 9.81)


@functools.cache
def rigid_train() -> Any:
    """With a horizon right at the first impact."""
    horizons = (FALL / 1.2, 0.5, 0.75, 1.0)
    return check_gradients(
        **thrown(jc.NewtonRestitution(restitution=0.8)), method=RIGID, horizons=horizons
    )


@pytest.mark.long
@pytest.mark.slow
def test_rigid_impacts_are_trusted_by_every_number_of_scene_and_state():
    report = rigid_train()
    assert np.all(report.trusted[:, 1:]), str(report)
    assert {
        "bodies.radius",
        "surfaces.0.normal[1]",
        "gravity[2]",
        RESTITUTION,
        HEIGHT,
        "initial.spin[1]",
    } <= set(report.parameters)
    late = 0.6 - FALL  # after the first impact
    assert report.horizons[1] == pytest.approx(0.6)
    assert report.forward[row(report, RESTITUTION), 1, 2] == pytest.approx(
        9.81 * FALL * late, rel=1e-9
    )
    # Nothing depends on the mass of a rigid ball.
    assert np.all(report.zero[row(report, "bodies.mass")])


@pytest.mark.long
@pytest.mark.slow
def test_the_report_prints_a_table():
    text = str(rigid_train())
    assert "contacts before it" in text
    assert f"{RESTITUTION} [-]" in text
    assert max(map(len, text.splitlines()[:20])) < 140


@model
class Rough(jc.laws.RigidLaw):
    """A rigid law whose derivative is infinite where its roughness is zero."""

    restitution: Any = of(QUANTITIES["restitution"])
    roughness: Any = parameter(unit="-", label="roughness", symbol="r", interval="[0, inf)")

    def restitution_at(self, impact_speed: Any, *, mass: Any) -> Any:
        slow = jnp.where(
            impact_speed < 2.0, jnp.sqrt(self.roughness), 0.0 * self.roughness
        )  # from the second impact on
        return self.restitution - slow


@pytest.mark.long
@pytest.mark.slow
def test_the_first_derivative_that_is_not_finite_is_named_with_law_pair_and_time():
    law = Rough(restitution=0.8, roughness=0.0)
    report = check_gradients(**thrown(law), method=RIGID, of=("contact.normal.roughness", HEIGHT))
    failure = report.first_non_finite
    assert failure.law == "Rough"
    assert failure.pair == "body 0 and surface 0 (Plane)"
    assert failure.contact == 1
    assert failure.time == pytest.approx(2.6 * FALL, rel=1e-6)
    assert "contact.normal.roughness" in failure.parameters
    assert not np.any(report.trusted[0, 2:])
    assert "not finite" in report.reasons[0][-1][0]
    assert "Rough" in str(report)
    assert f"{failure.time:.6g} s" in str(report)


def two_balls(**changes: Any) -> dict:
    """One ball falls on another that lies lower and to the side; both bounce on a plane."""
    friction = jc.RegularizedCoulomb(coefficient=0.2, slip_velocity=0.1)
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7), friction=friction)
    scene = jc.Scene(
        bodies=jc.Spheres(radius=np.array([0.02, 0.03]), mass=np.array([0.1, 0.2])), contact=contact
    )
    initial = jc.state(
        position=((0.0, 0.0, 0.15), (0.01, 0.005, 0.05)),
        velocity=((0.0, 0.0, -0.5), (0.0, 0.0, 0.0)),
    )
    return {"scene": scene, "initial": initial, "times": np.array([0.0, 0.2]), **changes}


@pytest.mark.long
@pytest.mark.slow
def test_two_spheres_are_trusted_and_named_by_body():
    of = ("bodies.radius", RESTITUTION, "initial.position[0, 2]")
    report = check_gradients(
        **two_balls(),
        method=jc.Impulse(max_contacts=6, sustained_steps=0),
        of=of,
        horizons=(0.5, 1.0),
    )
    assert report.parameters == (
        "bodies.radius[0]",
        "bodies.radius[1]",
        RESTITUTION,
        "initial.position[0, 2]",
    )
    assert report.all_trusted, str(report)
    assert report.forward.shape == (4, 2, 6)
    assert report.contacts[-1] >= 2


@pytest.mark.long
def test_a_horizon_at_an_impact_is_a_corner():
    report = rigid_train()
    assert report.trusted[row(report, SPEED), 0]
    assert not report.trusted[row(report, HEIGHT), 0]
    assert "number of contacts" in report.reasons[row(report, HEIGHT)][0][0]


def restitution_component(value: float) -> tuple:
    scene = thrown(jc.NewtonRestitution(restitution=0.5))["scene"]
    (part,) = selected(components(scene, jc.state(position=(0.0, 0.0, 1.0))), (RESTITUTION,))
    return (dataclasses.replace(part, value=value),)


@pytest.mark.parametrize("value", [1.0, 0.5, 0.0])
def test_differences_stay_within_the_interval(value):
    steps = ladder(restitution_component(value), np.array([1.0]), 2e-16)
    where = points(np.array([value]), steps)[:, 0]
    assert np.all((where >= 0) & (where <= 1))
    found = differences(steps, np.exp(where)[:, None, None], None)
    assert abs(found.derivative.item() - np.exp(value)) <= found.error.item() < 1e-7


def test_the_error_of_differences_is_honest():
    steps = ladder(restitution_component(0.5), np.array([1.0]), 2e-16)
    where = points(np.array([0.5]), steps)[:, 0]
    rng = np.random.default_rng(1)
    for frequency in (1.0, 30.0, 1e3, 1e5):
        for noise in (0.0, 1e-12, 1e-8):
            observed = np.sin(frequency * where) + noise * rng.normal(size=len(where))
            found = differences(steps, observed[:, None, None], None)
            assert (
                abs(found.derivative.item() - frequency * np.cos(frequency / 2))
                <= 3 * found.error.item()
            ), (frequency, noise)


def test_differences_that_resolve_nothing_say_so():
    steps = ladder(restitution_component(0.5), np.array([1.0]), 2e-16)
    where = points(np.array([0.5]), steps)[:, 0]
    found = differences(steps, np.sin(1e13 * where)[:, None, None], None)
    assert found.error.item() > 0.05 * abs(found.derivative.item())


def verdict(**changes: float) -> tuple[str, ...]:
    good = dict.fromkeys(
        (
            "modes_apart",
            "differences_apart",
            "difference_error",
            "noise",
            "events_change",
            "expected_error",
            "from_truth",
        ),
        0.0,
    )
    cells = {
        name: np.full((1, 1), value)
        for name, value in {**good, "finite": 1.0, "growth": 1.0, **changes}.items()
    }
    return GradientVerdict(**cells, tolerance=1e-6).reasons(0, 0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"finite": 0.0}, "not finite"),
        ({"modes_apart": 1e-4}, "forward and reverse mode differ by 0.0001"),
        (
            {"differences_apart": 1e-3, "difference_error": 1e-5},
            "forward mode and differences differ by 0.001",
        ),
        (
            {"noise": 0.3, "growth": 1e7},
            "differences cannot resolve it (they scatter by 0.3 of themselves)",
        ),
        ({"noise": np.nan}, "differences cannot resolve it"),
        ({"events_change": 1.0}, "the number of contacts before this time changes"),
        ({"expected_error": 0.2}, "the fixed step is too coarse"),
        ({"from_truth": 0.2}, "it differs by 0.2 of the derivative from that of EventAligned()"),
    ],
)
def test_every_reason_is_given_in_words(changes, reason):
    (found,) = verdict(**changes)
    assert reason in found


def test_agreement_within_the_error_of_the_differences_is_enough():
    assert verdict() == ()
    assert verdict(differences_apart=1e-3, difference_error=2e-3, noise=2e-3) == ()


def test_bad_input_is_named_with_a_remedy():
    case = thrown(jc.NewtonRestitution(restitution=0.8), method=RIGID)
    with pytest.raises(
        ValueError,
        match=r"of = 'contact\.normal\.restitutoin' is no parameter .*Did you mean "
        r"'contact\.normal\.restitution'",
    ):
        check_gradients(**case, of="contact.normal.restitutoin")
    with pytest.raises(ValueError, match=r"horizons = \(0\.5, 1\.5\) are not fractions"):
        check_gradients(**case, horizons=(0.5, 1.5))
    with pytest.raises(ValueError, match=r"times has shape \(1,\)"):
        check_gradients(**{**case, "times": np.array([0.0])})
    with pytest.raises(ValueError, match="tolerance = 0 is outside"):
        check_gradients(**case, tolerance=0)
    with pytest.raises(TypeError, match="Call it outside jit"):
        jax.jit(lambda times: check_gradients(**{**case, "times": times}).forward)(case["times"])
