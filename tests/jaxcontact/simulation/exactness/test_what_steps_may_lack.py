"""What steps in a contact lack is told in units of the contact, and goes with what is asked for."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.core.ledger import Ledger
from jaxcontact.simulation.core.methods import made_exact
from jaxcontact.simulation.multibody.energy import StepRecord
from jaxcontact.simulation.multibody.engine import (
    Ends,
    error_of_step,
    excess_lack,
    largest_lack,
    peak_speed,
)
from jaxcontact.simulation.multibody.pairs import geometry, world_of
from jaxcontact.simulation.multibody.reversals import no_margin, resisted
from jaxcontact.simulation.multibody.step import Active, Lacks, Stepped
from jaxcontact.simulation.single_sphere.contact import PhaseNode, has_landed
from jaxcontact.simulation.single_sphere.sliding_distance import have_sharp_corners

SPEED, LACK = 0.01, 1e-9
ONE = jnp.ones(1)
ACTIVE = Active(ONE > 0, 0 * ONE, SPEED * ONE, ONE, None, None)
"""A contact whose load goes with a speed of 0.01 m/s."""


def test_a_contact_that_is_held_lacks_in_units_of_the_speed_of_its_load():
    """Its gap has no rate in which what it lacks by rounding could be told."""
    nothing = dict.fromkeys(StepRecord._fields)
    history = Active(*(None if leaf is None else leaf[None] for leaf in ACTIVE))
    record = StepRecord(
        **{
            **nothing,
            "touches": jnp.zeros((1, 1), dtype=bool),
            "rate": jnp.zeros((1, 1)),
            "lack": LACK * jnp.ones((1, 1)),
            "active": history,
        }
    )
    np.testing.assert_allclose(largest_lack(record), LACK / SPEED)


@pytest.mark.parametrize(
    ("graded_step", "times_more"), [(0.04, 1), (0.02, 8), (0.01, 64), (0.1, 1)]
)
def test_shorter_steps_may_lack_less_by_the_third_power_of_their_length(graded_step, times_more):
    """Else what was asked for shortens no step that the error of a step has shortened already."""
    contact = jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e6, restitution=0.9))
    world = world_of(
        jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.01), contact=contact), 1, rigid=False
    )
    stepped = Stepped(None, None, None, None, Lacks(LACK * ONE, 0 * ONE, 0 * ONE))
    usual, found = (
        excess_lack(world, ACTIVE, stepped, jc.EventAligned(graded_step=length))
        for length in (0.04, graded_step)
    )
    np.testing.assert_allclose(found, times_more * usual)


@pytest.mark.parametrize("method", [jc.EventAligned(), jc.Impulse()])
def test_what_is_not_followed_exactly_is_followed_by_more_of_what_it_lacks(method):
    """And nothing else is changed."""
    steps = {"rest_steps", "sustained_steps"}
    if isinstance(method, jc.EventAligned):
        steps |= {"contact_steps", "graded_step"}
    expected = {
        jc.Status.UNRESOLVED_CONTACT: {"general"},
        jc.Status.INEXACT_FLIGHT: {"flight_steps"},
        jc.Status.INEXACT_STEPS: steps,
        jc.Status.INEXACT_CONTACT: {"in_time"} if isinstance(method, jc.EventAligned) else None,
    }
    for status in jc.Status:
        found = made_exact(method, status)
        changes = expected.get(status)
        if changes is None:
            assert found is None
            continue
        names = [field.name for field in dataclasses.fields(method)]
        assert {n for n in names if getattr(found, n) != getattr(method, n)} == changes
        for name in changes - {"general", "in_time", "graded_step"}:
            assert getattr(found, name) > getattr(method, name)
    if "graded_step" in steps:
        assert made_exact(method, jc.Status.INEXACT_STEPS).graded_step < method.graded_step


def test_the_ledger_counts_every_energy_once_and_measures_by_what_was_turned_over():
    zero = dict.fromkeys(Ledger._fields, np.zeros(2))
    for name in set(Ledger._fields) - {"times", "momentum", "angular_momentum"}:
        ledger = Ledger(**zero | {name: np.array([0.0, 3.0])})
        np.testing.assert_array_equal(ledger.total, [0.0, -3.0 if name == "supplied" else 3.0])
    moved = {"kinetic": [2.0, 1.0], "potential": [5.0, 4.5], "supplied": [0.0, -0.25]}
    ledger = Ledger(**zero | {name: np.array(energy) for name, energy in moved.items()})
    assert ledger.imbalance == pytest.approx((7.0 - 5.75) / (2.0 + 0.5 + 0.25), rel=1e-15)
    assert Ledger(**zero).imbalance == 0


def test_the_speed_inside_a_step_is_the_extreme_of_the_parabola_through_it():
    inside = np.polynomial.Polynomial([1.0, -8.0, 10.0])  # -0.6 at 0.4
    beside = np.polynomial.Polynomial([1.0, 2.0, 3.0])
    duration = 0.5
    rates = np.array([[f(end) for f in (inside, beside)] for end in (0.0, 1.0)])
    gap = np.array([[f.integ()(end) * duration for f in (inside, beside)] for end in (0.0, 1.0)])
    ends = [Ends(gap[i], rates[i]) for i in range(2)]
    found = peak_speed(*ends, jnp.asarray(duration), jnp.asarray(1e-9))
    np.testing.assert_allclose(found, [0.6, 0.0], rtol=1e-12)
    np.testing.assert_array_equal(peak_speed(*ends, jnp.asarray(duration), jnp.asarray(9.0)), 0.0)


@pytest.mark.parametrize(
    "law",
    [
        jc.HuntCrossley(stiffness=1e6, restitution=0.7),
        jc.KuwabaraKono(stiffness=1e6, dissipation_time=2e-5),
    ],
)
def test_what_no_motion_changes_changes_no_force(law):
    """Whether a law has something that is computed once, or nothing."""
    scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.01), contact=jc.ContactModel(normal=law))
    motion = {"overlap": 1e-5, "overlap_rate": 0.3, "impact_speed": 0.5, "mass": 0.01}
    found = world_of(scene, 2, rigid=False).force(**motion)
    np.testing.assert_allclose(found, law.force(**motion), rtol=1e-14)


def test_more_steps_of_a_sustained_contact_may_lack_less_by_the_fourth_power():
    usual = jc.EventAligned()
    finer = jc.EventAligned(sustained_steps=2 * usual.sustained_steps)
    assert error_of_step(finer) == pytest.approx(error_of_step(usual) / 16, rel=1e-12)
    assert error_of_step(usual) < usual.accuracy


def rubbing(slip_velocity):
    friction = jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=slip_velocity)
    normal = jc.HuntCrossley(stiffness=1e6, restitution=0.9)
    return jc.Scene(
        bodies=jc.spheres(radius=0.01, mass=0.01),
        contact=jc.ContactModel(normal=normal, friction=friction),
    )


def test_friction_that_falls_between_two_nodes_has_a_sharp_corner():
    slips = np.linspace(1.0, 0.0, 40)[:, None] * np.array([0.6, -0.8, 0.0])
    rising = slips[::-1]
    for slip_velocity, sharp in ((1e-4, [True, False]), (10.0, [False, False])):
        found = have_sharp_corners(rubbing(slip_velocity), jnp.asarray([slips, rising]))
        np.testing.assert_array_equal(found, sharp)


@pytest.mark.parametrize(("slip_velocity", "slides"), [(1e-4, True), (1.0, False)])
def test_a_lasting_contact_slides_where_its_friction_is_full(slip_velocity, slides):
    world = world_of(rubbing(slip_velocity), 1, rigid=False)
    velocity = jnp.array([[3.0, 4.0, 0.0]])
    state = jc.State(jnp.array([[0.0, 0.0, 0.01 - 1e-6]]), velocity, jnp.zeros((1, 3)))
    at, yes = geometry(world, state, 0.0), jnp.array([True])
    for lasts in (True, False):
        found = resisted(world, at, state, yes, yes & lasts, jnp.asarray(5.0), no_margin(world))
        assert bool(found.slides[0, 0]) == (slides and lasts)
        if found.slides[0, 0]:
            np.testing.assert_allclose(found.direction[0, 0], [0.6, 0.8, 0.0], rtol=1e-12)


@pytest.mark.parametrize(("end", "landed"), [("zero_overlap", True), ("zero_force", False)])
def test_a_force_that_only_pushes_does_not_slow_what_leaves(end, landed):
    """A step that ends far slower than the way out was has missed the end of such a contact."""
    law = jc.HertzDashpot(stiffness=1e6, damping=0.5, end=end)
    phase = law.phase(impact_speed=1.0, mass=0.01)

    def node(rate):
        return PhaseNode(jnp.asarray(0.01), jnp.asarray(rate), jnp.zeros(()), phase.length)

    path = jax.tree.map(lambda *one: jnp.stack(one), node(-0.2), node(-0.6))
    no_load = jnp.zeros_like
    assert bool(has_landed(phase, no_load, path, node(-0.6)))
    assert bool(has_landed(phase, no_load, path, node(-1e-3))) == landed
    assert not has_landed(phase, no_load, path, node(-1.2))  # faster than it came
