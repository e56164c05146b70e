"""No number rests on a simulation that did not succeed: budgets are found, and what cannot be
followed is said wherever the fit is used.
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.fitting.follow import next_power_of_two, remedy
from calibration.fitting.refit import refit
from calibration.problem.residuals import jacobians
from calibration.problem.statuses import judge_statuses
from calibration.report.json import fit_numbers, json_bytes

RESTITUTION = "contact.normal.restitution"
NOISE = 1e-3


def rigid(restitution=0.8):
    """A ball above a plane, with rigid impacts."""
    return jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=restitution)),
    )


def soft(stiffness, restitution):
    """A ball above a floor into which it sinks by much more than a hundredth of its radius."""
    normal = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
    return jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=normal, friction=jc.NoFriction()),
    )


def heights(scene, times, *, height=0.52, speed=0.0, method=None):
    """Heights of the centre [m]."""
    start = jc.state(position=(0, 0, height), velocity=(0, 0, speed))
    with jax.enable_x64(True):
        return np.asarray(jc.simulate(scene, start, times, method=method).position[:, 2])


def recorded(z, times, seed=0):
    """The heights as a camera gives them."""
    z = z + NOISE * np.random.default_rng(seed).standard_normal(z.size)
    position = np.stack([np.full_like(z, np.nan), np.full_like(z, np.nan), z], axis=-1)
    sigma = np.where(np.isnan(position), np.nan, NOISE)
    return cal.Recording(name="drop", time=times, position=position, sigma=sigma)


TIMES = np.arange(0.0, 1.2, 1 / 60)


def drop(contacts, *, times=TIMES, scene=None):
    """A fit to be made with this budget of contacts; the ball bounces twice."""
    return cal.Problem(
        scene or rigid(0.7),
        [recorded(heights(rigid(), TIMES, method=jc.Impulse()), times)],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
        method=jc.Impulse(max_contacts=contacts, rest_steps=1, skip_unused=False),
    )


def inside():
    """A fit of a ball that is known to begin 5 mm inside the floor, falling: no rigid motion."""
    z = heights(rigid(), TIMES, method=jc.Impulse())
    start = jc.state(position=(0, 0, 0.015), velocity=(0, 0, -0.5))
    return cal.Problem(
        rigid(),
        [cal.Trial(recorded(z, TIMES), initial=start, time=0.0, name="sunk")],
        free=[RESTITUTION],
    )


@pytest.fixture(scope="module")
def lost():
    """A fit of which the simulation does not succeed whatever is tried."""
    return fit(inside())


@pytest.fixture(scope="module")
def good():
    """A fit with enough contacts."""
    return fit(drop(4))


def test_budgets_grow_in_powers_of_two_and_the_general_engine_is_the_last_resort():
    assert [next_power_of_two(number) for number in (1, 2, 3, 7, 8, 50)] == [2, 4, 4, 8, 16, 64]
    few = np.array([jc.Status.SUCCESS, jc.Status.TOO_FEW_CONTACTS])
    steps = np.array([jc.Status.TOO_FEW_STEPS])
    assert remedy(jc.Impulse(max_contacts=5), few).max_contacts == 8
    assert remedy(jc.Impulse(max_contacts=1024), few) is None
    assert remedy(jc.Impulse(max_contacts=5), steps).max_contacts == 8
    assert remedy(jc.Impulse(max_contacts=5, max_steps=100), steps).max_steps == 128
    unresolved = np.array([int(jc.Status.UNRESOLVED_CONTACT)])
    assert remedy(jc.EventAligned(), unresolved).general
    assert remedy(jc.EventAligned(general=True), unresolved) is None
    assert remedy(jc.EventAligned(), np.array([int(jc.Status.NOT_FINITE)])) is None
    contact, flight = (
        np.array([0, int(code)]) for code in (jc.Status.INEXACT_CONTACT, jc.Status.INEXACT_FLIGHT)
    )
    assert remedy(jc.EventAligned(), contact).in_time
    assert remedy(jc.EventAligned(in_time=True), contact) is None
    assert remedy(jc.EventAligned(at_once=False), contact) is None
    assert remedy(jc.Impulse(flight_steps=16), flight).flight_steps == 64
    assert remedy(jc.Impulse(flight_steps=4096), flight) is None


@pytest.mark.long
def test_what_follows_the_last_number_that_is_used_does_not_matter():
    problem = drop(1)
    (samples,) = problem.data[0].samples
    early = np.where(samples.times[..., None] < 0.7, samples.weight, 0.0)
    data = (problem.data[0]._replace(samples=(samples._replace(weight=early),)),)
    shared, local = problem.start

    def judged(data):
        arguments = (problem.layout, problem.scene, shared, local, data)
        blocks = jacobians(*arguments)
        return int(blocks[0].status[0]), int(judge_statuses(*arguments, blocks)[0][0])

    with jax.enable_x64(True):
        assert judged(problem.data) == (jc.Status.TOO_FEW_CONTACTS, jc.Status.TOO_FEW_CONTACTS)
        assert judged(data) == (jc.Status.TOO_FEW_CONTACTS, jc.Status.SUCCESS)


@pytest.mark.long
@pytest.mark.slow
def test_a_budget_that_is_too_small_is_raised_and_the_fit_made_again(good):
    found = fit(drop(1))
    assert found.problem.layout.batches[0].method.max_contacts == 2
    assert [trial.status for trial in found.simulations] == [jc.Status.SUCCESS]
    assert found.simulated
    assert found.explained
    one, other = found.parameters[RESTITUTION], good.parameters[RESTITUTION]
    assert one.status is cal.Determination.DETERMINED
    assert abs(one.value - other.value) < 1e-9
    assert abs(one.sd - other.sd) < 1e-9


@pytest.mark.long
@pytest.mark.slow
def test_a_heavily_damped_contact_is_solved_for_in_time():
    times = np.arange(0.0, 0.7, 1 / 240)
    recording = recorded(heights(soft(1e6, 0.2), times), times)
    problem = cal.Problem(
        soft(1e6, 0.3),
        [recording],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.InitialState()],
        method=jc.EventAligned(),
    )
    found = fit(problem)
    assert found.problem.layout.batches[0].method.in_time
    assert found.simulated
    estimate = found.parameters[RESTITUTION]
    assert estimate.status is cal.Determination.DETERMINED
    assert abs(estimate.value - 0.2) < 3 * estimate.sd
    assert estimate.sd < 0.01


@pytest.mark.long
def test_impacts_that_nobody_heard_ask_for_no_larger_budget():
    times = cal.measurements.BounceTimes([0.0, 0.35, 0.665, 0.9485], sigma=1e-4)
    nuisance = [cal.nuisances.FirstImpact()]
    problem = cal.Problem(rigid(), [times], free=[RESTITUTION], nuisance=nuisance)
    found = fit(problem)
    assert found.simulated
    assert found.problem.layout == problem.layout


@pytest.mark.long
def test_a_recording_that_begins_at_a_bounce_may_begin_inside_the_floor():
    fall = np.sqrt(2 * 0.5 / 9.81)
    times = fall + 2e-5 + np.arange(0, 1.3, 1 / 120)
    z = heights(rigid(), np.concatenate([[0.0], times]), method=jc.Impulse())[1:]
    nuisance = [cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()]
    recording = recorded(z, times - times[0])
    found = fit(cal.Problem(rigid(0.7), [recording], free=[RESTITUTION], nuisance=nuisance))
    assert found.assessment.blocks[0].status[0] == jc.Status.UNRESOLVED_CONTACT
    assert found.simulated
    estimate = found.parameters[RESTITUTION]
    assert abs(estimate.value - 0.8) < 3 * estimate.sd


@pytest.mark.slow
def test_what_cannot_be_simulated_is_not_determined_and_says_why(lost):
    estimate = lost.parameters[RESTITUTION]
    assert [trial.name for trial in lost.simulations] == ["sunk"]
    assert lost.simulations[0].status is jc.Status.IMPOSSIBLE_START
    assert not lost.simulated
    assert not lost.explained
    assert estimate.status is cal.Determination.NOT_SIMULATED
    assert estimate.interval() == (-np.inf, np.inf)
    assert lost.warnings[0].startswith("The simulation of sunk did not succeed at the minimum")
    assert jc.Status.IMPOSSIBLE_START.advice in lost.warnings[0]
    text = " ".join(str(lost).split())
    assert "IMPOSSIBLE_START" in text
    assert "not to be trusted" in text
    assert "the model explains the data" not in text
    written = json.loads(json_bytes(fit_numbers(lost)))
    assert written["fit"]["simulated"] is False
    assert written["fit"]["simulations"][0]["status"] == "IMPOSSIBLE_START"
    assert written["parameters"][RESTITUTION]["sd"] is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "verb",
    [
        lambda found: cal.profile(found),
        lambda found: cal.profile_2d(found, (RESTITUTION, RESTITUTION)),
        lambda found: cal.bootstrap(found, count=2),
        lambda found: cal.posterior(found),
        lambda found: cal.prediction_band(found),
        lambda found: cal.identify(found),
        lambda found: cal.design(
            found, [cal.Candidate(instruments=(cal.instruments.Film(rate=100.0, sigma=1e-3),))]
        ),
        lambda found: cal.compare({"one": inside(), "other": inside()}, cross_validate=None),
    ],
)
def test_nothing_goes_on_from_a_fit_that_was_not_simulated(lost, verb):
    with pytest.raises(InputError, match="sunk did not succeed"):
        verb(lost)


@pytest.mark.long
def test_a_minimum_on_the_way_that_was_not_simulated_does_not_count(good):
    assessment = good.assessment
    start = assessment.start.from_minimum(assessment.minimum)
    (parameter,) = assessment.layout.global_parameters
    lame = np.array([float(parameter.coordinate(0.2))])
    every = tuple(np.ones_like(own) for own in start.frozen_local)
    held = start._replace(shared=lame, frozen=np.array([True]), frozen_local=every)
    with jax.enable_x64(True):
        assert bool(refit(assessment, start)[0].converged)
        found, _ = refit(assessment, held)
        data, layout, scene = assessment.data, assessment.layout, assessment.scene
        blocks = jacobians(layout, scene, found.shared, found.local, data)
        codes = judge_statuses(layout, scene, found.shared, found.local, data, blocks)
    # With so little restitution the ball bounces more often than the budget allows.
    assert codes[0][0] == jc.Status.TOO_FEW_CONTACTS
    assert not found.converged


@pytest.mark.long
@pytest.mark.slow
def test_a_prediction_beyond_the_data_is_followed(good):
    late = np.linspace(0.0, 2.6, 27)
    found = cal.prediction_band(good, late)
    assert found.mean.min() > 0.015
    with jax.enable_x64(True):
        scene = good.assessment.layout.at(good.problem.scene, good.assessment.minimum.shared)[0]
    own = good.recordings[0].nuisance
    floor = own["surface_height"].value
    truth = heights(
        scene,
        late,
        height=own["position_z"].value - floor,
        speed=own["velocity_z"].value,
        method=jc.Impulse(),
    )
    assert np.max(np.abs(found.mean[:, 0] - floor - truth)) < 1e-9


@pytest.mark.long
def test_a_function_of_the_scene_whose_simulation_runs_out_of_contacts_is_refused(good):
    late = jnp.linspace(0.0, 2.6, 27)

    def height(method):
        start = jc.state(position=(0, 0, 0.52))
        return lambda scene: jc.simulate(scene, start, late, method=method).position[:, 2]

    with pytest.raises(InputError, match="TOO_FEW_CONTACTS"):
        cal.prediction_band(good, height(jc.Impulse(max_contacts=3)))
    assert cal.prediction_band(good, height(jc.Impulse(max_contacts=20))).mean.min() > 0.0199


@pytest.mark.long
@pytest.mark.slow
def test_a_plan_with_many_impacts_is_followed():
    film = cal.instruments.Film(rate=60.0, sigma=1e-3)
    scene = rigid(0.97)
    table = cal.ImpactTable(
        name="drops",
        impact_angle=np.zeros(3),
        impact_speed=np.ones(3),
        normal_restitution=np.array([0.96, 0.97, 0.98]),
        sigma={"normal_restitution": np.full(3, 0.01)},
    )
    problem = cal.Problem(scene, [table], free=[RESTITUTION])
    long = cal.Candidate(instruments=(film,), height=0.1, duration=12.0)
    found = cal.design(problem, [long], average=2)
    assert found.warnings == ()
    assert np.isfinite(found.best.after[RESTITUTION])


@pytest.mark.long
def test_a_floor_too_soft_for_the_quick_engine_is_found_by_the_general_one():
    times = np.arange(0, 2.0, 1 / 120)
    z = heights(soft(200.0, 0.5), times, height=0.25)
    problem = cal.Problem(
        soft(300.0, 0.6),
        [recorded(z, times)],
        free=[RESTITUTION, "contact.normal.stiffness"],
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight()],
        method=jc.EventAligned(max_contacts=12, rest_steps=1, skip_unused=False),
    )
    found = fit(problem)
    assert found.simulated
    assert found.problem.layout.batches[0].method.general
    for name, truth in ((RESTITUTION, 0.5), ("contact.normal.stiffness", 200.0)):
        estimate = found.parameters[name]
        assert abs(estimate.value - truth) < 3 * estimate.sd
