"""What is known of a parameter is said by its name, whether it is of the scene or of a nuisance."""

import jax
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.fitting.restarts import restitution_shown

FRICTION = "contact.friction.coefficient"
RESTITUTION = "contact.normal.restitution"
SD = 0.01


def problem(**arguments):
    """Three impacts of a table, which tell a restitution of 0.8 to 0.01/sqrt(3)."""
    table = cal.ImpactTable(
        name="drops",
        impact_angle=np.zeros(3),
        impact_speed=np.array([1.0, 2.0, 3.0]),
        normal_restitution=np.array([0.81, 0.79, 0.80]),
        sigma={"normal_restitution": np.full(3, SD)},
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.7)),
    )
    return cal.Problem(scene, [table], free=[RESTITUTION], noise=cal.noise.Known(), **arguments)


def sounds(**arguments):
    """Times of impacts, whose first impact is found beside the restitution."""
    law = jc.NewtonRestitution(restitution=0.7)
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law))
    return cal.Problem(
        scene,
        [cal.measurements.BounceTimes([0.3, 0.7, 1.02, 1.276], sigma=1e-3)],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.FirstImpact()],
        **arguments,
    )


def test_a_prior_counts_as_a_measurement():
    prior = cal.Normal(0.79, 0.02)
    found = cal.fit(problem(known={RESTITUTION: prior})).parameters[RESTITUTION]
    weights = np.array([3 / SD**2, 1 / prior.sd**2])
    assert found.value == pytest.approx(weights @ [0.8, 0.79] / weights.sum(), abs=1e-5)
    assert found.sd == pytest.approx(weights.sum() ** -0.5, rel=1e-2)


def test_bounds_and_start_are_those_of_a_free_parameter():
    known = {RESTITUTION: cal.Knowledge(bounds=(0.5, 0.75), start=0.6)}
    free = cal.Free(RESTITUTION, bounds=(0.5, 0.75), start=0.6)
    named, direct = problem(known=known), problem().replace(free=[free])
    assert named.layout.global_parameters == direct.layout.global_parameters
    assert named.start[0] == direct.start[0]


def test_a_fit_begins_inside_of_bounds():
    known = {RESTITUTION: cal.Knowledge(bounds=(0.2, 0.5))}
    (parameter,) = problem(known=known).layout.global_parameters
    assert parameter.value(problem(known=known).start[0][0]) == pytest.approx(0.1**0.5)


def test_what_is_fixed_stays_and_is_not_found():
    own = sounds().layout.batches[0].trial_parameters[1].name
    fixed = {own: cal.Knowledge(start=2.0, fixed=True)}
    given = sounds(known=fixed)
    assert given.frozen == (own,)
    found = cal.fit(given)
    assert RESTITUTION in found.parameters
    place = [one.name for one in given.layout.batches[0].trial_parameters].index(own)
    parameter = given.layout.batches[0].trial_parameters[place]
    assert parameter.value(found.assessment.minimum.local[0][0][place]) == pytest.approx(2.0)


def throw(**arguments):
    """A recording of a throw, whose initial spin is found late, when all else has settled."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.75), friction=jc.Coulomb(coefficient=0.1)
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact, gravity=(0.0, 0.0, -9.81)
    )
    times = np.arange(0.0, 0.8, 1 / 120)
    start = jc.state(position=(0.0, 0.0, 0.35), velocity=(1.1, 0.0, 0.0))
    method = jc.Impulse(max_contacts=6, rest_steps=1)
    position = np.array(jc.simulate(scene, start, times, method=method).position)
    position += 3e-4 * np.random.default_rng(0).standard_normal(position.shape)
    position[:, 1] = np.nan
    recording = cal.Recording(
        name="throw",
        time=times,
        position=position,
        sigma=np.where(np.isnan(position), np.nan, 3e-4),
    )
    return cal.Problem(
        scene,
        [recording],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.InitialState(spin=True), cal.nuisances.SurfaceHeight()],
        method=method,
        **arguments,
    )


@pytest.mark.long
def test_what_is_fixed_of_a_recording_stays_where_others_are_found_late():
    parameters = throw().layout.batches[0].trial_parameters
    assert any(one.late for one in parameters)
    for place, one in enumerate(parameters):
        given = throw(frozen=[one.name])
        found = cal.fit(given)
        assert one.name not in found.recordings[0].nuisance
        held = found.assessment.minimum.local[0][0]
        assert held[place] == given.start[1][0][0][place], one.name
        assert np.any(np.delete(held, place) != np.delete(given.start[1][0][0], place))


def test_restarts_leave_alone_what_is_fixed():
    fixed = {RESTITUTION: cal.Knowledge(start=0.9, fixed=True)}
    assert restitution_shown(sounds()) is not None
    assert restitution_shown(sounds(known=fixed)) is None


def test_a_friction_that_is_fixed_is_not_probed():
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.7), friction=jc.Coulomb(coefficient=0.2)
    )
    scene = problem().scene.replace(contact=contact)
    given = problem().replace(
        scene=scene,
        free=[RESTITUTION, FRICTION],
        known={FRICTION: cal.Knowledge(start=0.3, fixed=True)},
    )
    assert set(cal.fit(given).parameters) == {RESTITUTION}


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({RESTITUTION: cal.Normal(80.0, 1.0)}, r"mean 80 .* outside \(0, 1\]"),
        ({RESTITUTION: cal.Knowledge(bounds=(0.5, 2.0))}, "not inside"),
        ({RESTITUTION: cal.Knowledge(start=1.5)}, "start 1.5"),
        ({"contact.normal.restituton": cal.Normal(0.8, 0.1)}, "Did you mean"),
        ({RESTITUTION: 0.8}, "says nothing"),
    ],
)
def test_what_cannot_be_known_is_refused(known, message):
    with pytest.raises(cal.InputError, match=message):
        problem(known=known)


def test_a_heavy_tail_above_is_a_normal_distribution_below():
    both, above = (cal.HeavyTailed(2.0, 0.5, degrees=3.0, above=only) for only in (False, True))
    larger, smaller = 2.0 + np.array([0.0, 0.5, 50.0]), 2.0 - np.array([0.5, 5.0])
    np.testing.assert_allclose(above.residual(larger), both.residual(larger), rtol=1e-14)
    normal = (smaller - 2.0) / 0.5 * np.sqrt(4 / 3)
    np.testing.assert_allclose(above.residual(smaller), normal, rtol=1e-14)
    slopes = [float(jax.grad(lambda x: above.residual(x))(2.0 + d)) for d in (-1e-9, 0.0, 1e-9)]
    np.testing.assert_allclose(slopes, slopes[0], rtol=1e-6)


def test_a_log_normal_prior_is_of_what_is_positive():
    time = sounds().layout.batches[0].trial_parameters[0].name
    with pytest.raises(cal.InputError, match="may be negative"):
        sounds(known={time: cal.LogNormal(0.3, 1.5)})


@pytest.mark.parametrize(
    "given", [{}, {"fixed": True}, {"fixed": True, "start": 1.0, "bounds": (0.0, 2.0)}]
)
def test_knowledge_says_something_that_can_be(given):
    with pytest.raises(cal.InputError, match="Knowledge"):
        cal.Knowledge(**given)
