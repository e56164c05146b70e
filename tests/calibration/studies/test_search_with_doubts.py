"""In which order the minimum with all doubts free is sought, and how long."""

import dataclasses
from types import SimpleNamespace

import jax
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.fitting import persist
from calibration.fitting.follow import find_minimum
from calibration.fitting.impacts.settle_scatter import settle_scatter
from calibration.nuisances.restitution import FACTOR
from calibration.studies.doubts import search
from calibration.studies.doubts.search import BRIEF, minimise_with_doubts

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"


@pytest.fixture
def problem():
    angles = np.linspace(20.0, 70.0, 8)
    tangents = (np.tan(np.radians(angles)) - 0.1 * 1.8) / 0.8
    table = cal.ImpactTable(
        name="impacts",
        impact_angle=angles,
        impact_speed=np.full(8, 2.0),
        rebound_angle=np.degrees(np.arctan(tangents)),
        normal_restitution=np.full(8, 0.8),
        sigma={"rebound_angle": np.full(8, 0.5), "normal_restitution": np.full(8, 0.01)},
    )
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.7), friction=jc.Coulomb(coefficient=0.15)
    )
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
    return cal.Problem(scene, [table], free=[RESTITUTION, FRICTION])


def searches(problem, doubts, steps):
    """What was frozen in each search, and the part of the iterations it got; and the result."""
    made = []

    def minimise(problem, part=1.0, /):
        made.append((tuple(problem.frozen), part))
        return find_minimum(problem, steps=steps)

    with jax.enable_x64(True):
        _, found = minimise_with_doubts(problem, doubts, minimise)
    return made, found


@pytest.mark.parametrize(
    ("steps", "part"),
    [(300, BRIEF), (1, 1.0)],
)
def test_the_search_from_the_first_guess_is_brief_only_where_another_has_arrived(
    problem, steps, part
):
    doubt = SimpleNamespace(open=True, parameters=(FRICTION,))
    made, found = searches(problem, [doubt], steps)
    assert made == [((FRICTION,), 1.0), ((), part)]
    assert found.steps == steps  # later searches next to the minimum are not brief


def test_without_doubts_there_is_one_search(problem):
    closed = SimpleNamespace(open=False, parameters=(FRICTION,))
    assert searches(problem, [closed], 300)[0] == [((), 1.0)]


def test_a_search_from_the_first_guess_that_led_lower_goes_on(problem, monkeypatch):
    began = []

    def minimise(problem, part=1.0, /):
        if not began:
            began.append(None)
            return problem, find_minimum(problem, steps=1)[1]
        found = find_minimum(problem)[1]
        unfinished = found.minimum._replace(converged=np.asarray(False))
        return problem, dataclasses.replace(found, minimum=unfinished)

    def minimise_nearby(problem, start, near):
        began.append(near.chi2)
        arrived = near.minimum._replace(converged=np.asarray(True))
        return dataclasses.replace(near, minimum=arrived)

    monkeypatch.setattr(search, "minimise_nearby", minimise_nearby)
    doubt = SimpleNamespace(open=True, parameters=(FRICTION,))
    with jax.enable_x64(True):
        _, found = minimise_with_doubts(problem, [doubt], minimise, trials=0)
    _, let_free, gone_on = began
    assert gone_on < let_free
    assert found.chi2 == gone_on
    assert found.minimum.converged


def at(chi2, *, converged=False, explained=True, steps=300):
    """Where a search is."""
    return SimpleNamespace(
        chi2=chi2,
        minimum=SimpleNamespace(converged=converged),
        explained=explained,
        steps=steps,
        start=None,
        policy=cal.FitPolicy(),
    )


@pytest.mark.parametrize(
    ("began", "further", "used"),
    [
        (at(1421.5), [at(1421.45), at(1421.44)], 1),  # next to nothing is gained
        (at(2209.2), [at(2198.8), at(2193.8), at(2193.7, converged=True), at(0.0)], 3),
        (at(2209.2, converged=True), [at(0.0)], 0),
        (at(9e4, explained=False), [at(8e4)], 0),  # no valley of camera and flights
        (at(2209.2, steps=5), [at(2198.8)], 0),  # as many iterations as a person allowed
        (at(2209.2), [at(2209.2 - k) for k in range(1, 20)], persist.ROUNDS),
    ],
)
def test_a_search_goes_on_along_a_valley_as_long_as_it_leads_lower(
    began, further, used, monkeypatch
):
    """Throws whose flights hardly tell the centre of the lens from the place of the ball were not
    converged, 5 in chi-squared above the minimum, and everything was withdrawn.
    """
    left = iter(further)
    monkeypatch.setattr(persist, "minimise_nearby", lambda problem, start, near: next(left))
    found = persist.persist(None, began)
    assert len(list(left)) == len(further) - used
    assert found.chi2 == min([began.chi2, *(one.chi2 for one in further[:used])])


def test_a_search_at_the_size_of_scatter_that_is_likeliest_goes_on_as_well(monkeypatch):
    """Throws whose impacts scatter were not converged, as the last search, at that size, was given
    up where an impact just slides.
    """
    given_up, arrived = at(2853.2), at(2853.2, converged=True)
    given_up.scattering, given_up.layout = None, SimpleNamespace(names=[FACTOR])
    monkeypatch.setattr(persist, "minimise_nearby", lambda problem, start, near: arrived)
    assert settle_scatter(None, given_up) is arrived
