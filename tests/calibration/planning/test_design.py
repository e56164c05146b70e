"""What must hold of experimental design: closed forms, promises that are kept in simulation, exact
derivatives, honest sentences.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from calibration.errors import InputError
from calibration.fitting.fit import fit
from calibration.instruments import Film, ForceSensor, Sound
from calibration.io.impact_table import ImpactTable
from calibration.io.recording import Recording
from calibration.measurements import BounceTimes
from calibration.nuisances import InitialState, SurfaceHeight
from calibration.planning.candidate import Candidate
from calibration.planning.continuous import make_smooth_criterion
from calibration.planning.criteria import Criterion
from calibration.planning.expected_information import Expectation
from calibration.planning.rank import design
from calibration.planning.validate import validate_design
from calibration.problem.problem import Problem
from calibration.uncertainty.linearisation import working_point

RESTITUTION = "contact.normal.restitution"
STIFFNESS = "contact.normal.stiffness"
FRICTION = "contact.friction.coefficient"


def table(angles, seed: int | None = None, **sigma: float) -> ImpactTable:
    """Sliding impacts of a sphere with e = 0.8 and mu = 0.1, textbook, with noise where there is a
    ``seed``.
    """
    angle = np.asarray(angles, dtype=float)
    speed = np.full(angle.size, 2.0)
    tangent = np.tan(np.radians(angle))
    kept = np.where(tangent > 0, 1 - 0.1 * 1.8 / np.where(tangent > 0, tangent, 1.0), 1.0)
    after = {"normal_restitution": np.full(angle.size, 0.8), "tangential_restitution": kept}
    rng = np.random.default_rng(seed)
    measured = {
        name: after[name] + (0 if seed is None else sd) * rng.standard_normal(angle.size)
        for name, sd in sigma.items()
    }
    deviations = {name: np.full(angle.size, sd) for name, sd in sigma.items()}
    return ImpactTable(
        name="impacts", impact_angle=angle, impact_speed=speed, sigma=deviations, **measured
    )


def problem(data: ImpactTable, free=(RESTITUTION,)) -> Problem:
    """Rigid impacts."""
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.8), friction=jc.Coulomb(coefficient=0.1)
    )
    return Problem(
        jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.01), contact=contact),
        [data],
        free=list(free),
    )


@pytest.fixture(scope="module")
def oblique() -> Problem:
    """Both columns of four oblique impacts, friction and restitution free."""
    return problem(
        table((50, 60, 65, 70), seed=1, normal_restitution=0.02, tangential_restitution=0.03),
        (RESTITUTION, FRICTION),
    )


def test_what_is_no_instrument_is_refused_with_the_remedy():
    with pytest.raises(InputError, match=r"holds a BounceTimes.*cal\.instruments\.Instrument"):
        Candidate(instruments=BounceTimes([0.3, 0.8], sigma=1e-4))


def test_information_adds_as_in_the_textbook():
    at_hand = problem(table((0, 0, 0), normal_restitution=0.02))
    nine = Candidate(instruments=table((0,) * 9, normal_restitution=0.02))
    thrice = Candidate(instruments=table((0,) * 3, normal_restitution=0.02), repeats=3)
    better = Candidate(instruments=table((0,) * 3, normal_restitution=0.01))
    found = design(at_hand, [nine, thrice, better], average=0)
    assert found.now[RESTITUTION] == pytest.approx(0.02 / math.sqrt(3) / 0.8, rel=1e-6)
    by_name = {item.candidate.name: item for item in found.ranking}
    assert by_name[nine.name].narrowing[RESTITUTION] == pytest.approx(2.0, rel=1e-6)
    assert by_name[thrice.name].narrowing[RESTITUTION] == pytest.approx(2.0, rel=1e-6)
    assert found.best.narrowing[RESTITUTION] == pytest.approx(math.sqrt(5), rel=1e-6)
    assert "narrows the restitution e by 2.2" in found.sentences[0]


def test_per_cost_the_cheap_one_wins():
    at_hand = problem(table((0, 0, 0), normal_restitution=0.02))
    dear = Candidate(instruments=table((0,) * 9, normal_restitution=0.02), cost=10.0, name="dear")
    cheap = Candidate(instruments=table((0,) * 3, normal_restitution=0.02), cost=1.0, name="cheap")
    assert design(at_hand, [dear, cheap], average=0).best.candidate.name == "dear"
    assert design(at_hand, [dear, cheap], average=0, per_cost=True).best.candidate.name == "cheap"
    with pytest.raises(InputError, match="no cost"):
        design(
            at_hand,
            [Candidate(instruments=table((0,) * 3, normal_restitution=0.02))],
            per_cost=True,
        )


def test_criteria_are_those_of_the_textbook(oblique):
    more = Candidate(
        instruments=table((40, 55), normal_restitution=0.02, tangential_restitution=0.03)
    )
    with jax.enable_x64(True):
        expectation = Expectation(working_point(oblique, argument="test"), average=0, seed=0)
        _, covariance = expectation.covariances([more])
    block = covariance[0, 0]
    scores = {
        kind: design(oblique, [more], criterion=kind, average=0).best.criterion for kind in "AD"
    }
    assert scores["A"] == pytest.approx(math.sqrt(np.trace(block) / 2))
    assert scores["D"] == pytest.approx(np.linalg.det(block) ** 0.25)
    weights = {RESTITUTION: 0.8 / 1.8, FRICTION: 1.0}
    combined = design(oblique, [more], criterion="c", combination=weights, average=0).best.criterion
    vector = np.array([weights[RESTITUTION], weights[FRICTION]])
    assert combined == pytest.approx(math.sqrt(vector @ block @ vector))
    # The impulse mu (1 + e) is known better than its factors.
    assert combined < design(oblique, [more], interest=[FRICTION], average=0).best.criterion


@pytest.mark.long
def test_the_recommended_table_keeps_its_promise(oblique):
    fitted = fit(oblique)
    more = Candidate(
        instruments=table((40, 50, 60) * 4, normal_restitution=0.01, tangential_restitution=0.01),
        name="more",
    )
    other = Candidate(instruments=table((40, 50, 60), normal_restitution=0.01), name="other")
    found = design(fitted, [other, more])
    assert found.best.candidate is more
    kept = validate_design(fitted, found.best.candidate, replicates=400)
    assert kept.replicates == 400
    for name in (RESTITUTION, FRICTION):
        promised, simulated = kept.narrowing(name)
        assert promised == pytest.approx(
            found.best.narrowing[name], rel=0.1
        )  # averaged there, at the fit here
        assert simulated == pytest.approx(promised, rel=0.2)
        assert promised > 2


def test_bad_input_is_refused(oblique):
    film = (Film(rate=100.0, sigma=1e-3),)
    with pytest.raises(InputError, match="no candidate"):
        design(oblique, [])
    with pytest.raises(InputError, match="not a free parameter"):
        design(oblique, [Candidate(instruments=film)], interest=["contact.friction.coeficient"])
    with pytest.raises(InputError, match="criterion"):
        design(oblique, [Candidate(instruments=film)], criterion="E")
    with pytest.raises(InputError, match="one combination"):
        design(oblique, [Candidate(instruments=film)], criterion="c")
    with pytest.raises(InputError, match="hight"):
        Candidate(instruments=film, vary={"hight": (0.1, 1.0)})
    with pytest.raises(InputError, match="bounds"):
        Candidate(instruments=film, vary={"height": (1.0, 0.1)})
    with pytest.raises(InputError, match="nothing watches"):
        Candidate(instruments=())
    with pytest.raises(InputError, match="rate"):
        Film(rate=0.0, sigma=1e-3)
    with pytest.raises(InputError, match="replicates"):
        validate_design(oblique, Candidate(instruments=film), replicates=3)


def test_more_of_the_same_does_not_show_what_it_cannot():
    """Each experiment alone sees one product, and at each draw the same one; at different points
    they would seem to see two.
    """
    at_hand = problem(
        table((55, 60, 65, 70), seed=1, tangential_restitution=0.01), (RESTITUTION, FRICTION)
    )
    same = Candidate(instruments=table((60,) * 40, tangential_restitution=0.01), name="the same")
    other = Candidate(instruments=table((60,) * 4, normal_restitution=0.01), name="another look")
    found = design(at_hand, [same, other])
    assert found.best.candidate is other
    assert all(math.isinf(sd) for sd in found.ranking[1].after.values())
    assert found.ranking[1].words == "The same adds nothing of interest."


def test_a_candidate_says_what_it_is():
    drop = Candidate(instruments=(Film(rate=1000.0, sigma=2e-4),), height=0.8)
    assert drop.name == "a drop from 0.8 m filmed at 1000 pictures/s"
    launch = Candidate(
        instruments=(Sound(sigma=1e-4),), height=0.1, speed=2.0, angle=-30.0, spin=50.0, repeats=3
    )
    assert launch.name.startswith("a launch at 2 m/s, -30 deg from the horizontal")
    assert launch.name.endswith("with a microphone, 3 times")
    assert (
        drop.with_variables({"height": 0.5, "rate": 500.0}).name
        == "a drop from 0.5 m filmed at 500 pictures/s"
    )


def film_problem(law, method) -> Problem:
    """The height of a dropped ball, filmed by an ordinary camera."""
    times = np.arange(0.0, 0.8, 1 / 60)
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law))
    z = np.asarray(
        jc.simulate(scene, jc.state(position=(0.0, 0.0, 0.52)), times, method=method).position
    )[:, 2]
    z = z + 1e-3 * np.random.default_rng(0).standard_normal(times.size)
    position = np.stack([np.full_like(z, np.nan), np.full_like(z, np.nan), z], axis=-1)
    recording = Recording(
        name="drop", time=times, position=position, sigma=np.where(np.isnan(position), np.nan, 1e-3)
    )
    free = [RESTITUTION, STIFFNESS] if hasattr(law, "stiffness") else [RESTITUTION]
    return Problem(
        scene, [recording], free=free, nuisance=[InitialState(), SurfaceHeight()], method=method
    )


RIGID = jc.Impulse(max_contacts=8, rest_steps=1, skip_unused=False)


@pytest.mark.long
def test_a_film_from_the_best_height_keeps_its_promise_and_derivatives_are_exact():
    fitted = fit(film_problem(jc.NewtonRestitution(restitution=0.8), RIGID))
    film = Candidate(
        instruments=(Film(rate=100.0, sigma=5e-4, axes="z"),),
        duration=0.8,
        vary={"height": (0.1, 1.5)},
    )
    found = design(fitted, [film], average=2)
    best = found.best
    assert best.chosen is not None
    assert best.criterion <= np.min(best.chosen.on_grid) * (1 + 1e-9)
    assert 0.1 <= best.candidate.height <= 1.5
    kept = validate_design(fitted, best.candidate, replicates=256)
    promised, simulated = kept.narrowing(RESTITUTION)
    assert kept.replicates >= 250
    assert promised == pytest.approx(best.narrowing[RESTITUTION], rel=0.1)
    assert simulated == pytest.approx(promised, rel=0.2)
    with jax.enable_x64(True):
        expectation = Expectation(working_point(fitted, argument="test"), average=1, seed=0)
        criterion = Criterion("A", (0,), (1.0,))
        both = Candidate(
            instruments=(Film(rate=100.0, sigma=5e-4, axes="z"),),
            height=0.6,
            duration=0.8,
            vary={"height": (0.1, 1.5), "rate": (50, 200)},
        )
        objective = jax.jit(make_smooth_criterion(expectation, both, criterion))
        at = jnp.array([0.6, 100.0])
        assert float(objective(at)) == pytest.approx(
            float(np.log(expectation.criteria([both], criterion)[0])), abs=1e-6
        )
        exact = np.asarray(jax.jacfwd(objective)(at))
        steps = np.diag([1e-5, 1e-3])
        differences = [
            (objective(at + step) - objective(at - step)) / (2 * step.sum()) for step in steps
        ]
        np.testing.assert_allclose(exact, differences, rtol=1e-5)


@pytest.mark.long
def test_a_sound_does_not_know_the_drop_height_unless_told():
    asked = film_problem(jc.NewtonRestitution(restitution=0.8), RIGID)
    heard = Candidate(instruments=Sound(sigma=1e-4), duration=2.5, name="heard")
    told = Candidate(
        instruments=Sound(sigma=1e-4), duration=2.5, nuisance=(), name="heard from a known height"
    )
    found = design(asked, [heard, told], average=0)
    assert found.best.candidate is told
    # Flights alone: t_k ~ e^k, so ln e to about sigma over the length of the flights.
    assert 1e-5 < found.ranking[1].after[RESTITUTION] < 1e-3


@pytest.mark.long
def test_what_no_film_shows_a_force_sensor_does():
    law = jc.HuntCrossley(stiffness=1e7, restitution=0.8)
    asked = film_problem(law, jc.EventAligned(max_contacts=6, rest_steps=1, skip_unused=False))
    film = Candidate(
        instruments=(Film(rate=500.0, sigma=2e-4, axes="z"),), height=0.8, duration=0.8
    )
    alone = design(asked, [film], interest=[STIFFNESS], average=0)
    assert math.isinf(alone.now[STIFFNESS])
    assert math.isinf(alone.best.after[STIFFNESS])
    assert (
        "Nothing on the list shows the contact stiffness K; a drop from 0.5 m with a force sensor"
        in alone.sentences[1]
    )
    sensor = Candidate(instruments=(ForceSensor(rate=5e4, sigma=5.0),), height=0.5, duration=0.6)
    found = design(asked, [film, sensor], average=0)
    assert found.best.candidate is sensor
    assert found.best.after[STIFFNESS] < 0.05
    assert math.isinf(found.best.narrowing[STIFFNESS])
