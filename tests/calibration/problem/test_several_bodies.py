"""Fits of the motion of several bodies: two spheres that collide, by laws and by contacts of other
programs.
"""

import functools

import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.errors import InputError
from calibration.measurements import BounceTimes, ForceTrace, OfBody, Path, Spins
from calibration.nuisances import InitialStates
from calibration.results.estimate import Determination
from jaxcontact.parameters import put
from jaxcontact.systems import exudyn
from jaxcontact.systems.exudyn.compatibility import EXUDYN_1_13
from tests.jaxcontact.simulation.pair.test_exudyn_trajectories import read, scene_of

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
RADII, MASSES = np.array([0.02, 0.03]), np.array([0.05, 0.12])
TIMES = np.linspace(0.0, 0.12, 61)
SEEN, TURNED = 5e-5, 0.05
"""Standard deviations of positions [m] and spins [rad/s]."""

START = jc.state(
    position=[(0.0, 0.0, 0.0), (0.12, 0.02, 0.0)],
    velocity=[(1.5, 0.0, 0.0), (-0.5, 0.1, 0.0)],
    spin=[(0.0, 0.0, -60.0), (0.0, 0.0, -10.0)],
)
THAT_STICKS = START._replace(spin=np.array([(0.0, 0.0, 30.0), (0.0, 0.0, -10.0)]))


def collide(restitution: float, friction: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions and spins at ``TIMES`` (times, body, 3) of two rigid spheres without gravity that
    slide while they collide: impulse (1 + e) m v along the line of centres, mu times that against
    the slip (m: reduced mass, v: approach speed).
    """
    x, v, w = (np.asarray(value) for value in START[:3])
    apart, closing = x[1] - x[0], v[1] - v[0]
    b, c = apart @ closing, apart @ apart - RADII.sum() ** 2
    touch = (-b - np.sqrt(b * b - closing @ closing * c)) / (closing @ closing)
    normal = (apart + closing * touch) / RADII.sum()
    impulse = (1 + restitution) * -(closing @ normal) / np.sum(1 / MASSES)
    slip = closing - (closing @ normal) * normal
    slip = slip - np.cross(RADII[1] * w[1] + RADII[0] * w[0], normal)
    along = slip / np.linalg.norm(slip)
    assert friction * impulse * 3.5 * np.sum(1 / MASSES) < np.linalg.norm(slip)  # it slides
    on_second = impulse * normal - friction * impulse * along
    after_v = v + np.array([-on_second, on_second]) / MASSES[:, None]
    turning = np.cross(normal, friction * impulse * -along) * -RADII[:, None]
    after_w = w + turning / (0.4 * MASSES * RADII**2)[:, None]
    later = np.maximum(TIMES - touch, 0.0)[:, None, None]
    before = np.minimum(TIMES, touch)[:, None, None]
    return x + before * v + later * after_v, np.where(later > 0, after_w, w)


def rigid(restitution: float, friction: float, order=(0, 1)) -> jc.Scene:
    return jc.Scene(
        bodies=jc.spheres(radius=RADII[list(order)], mass=MASSES[list(order)]),
        surfaces=(),
        gravity=(0.0, 0.0, 0.0),
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=restitution),
            friction=jc.Coulomb(coefficient=friction),
        ),
    )


def near(start, order=(0, 1)) -> jc.State:
    """The start of bodies in this order, each a little elsewhere than it really was."""
    position, velocity, spin = (np.asarray(value)[list(order)] for value in start[:3])
    return jc.state(position=position + 1e-4, velocity=1.01 * velocity, spin=0.99 * spin)


def seen_of(positions, spins, order=(0, 1), *, seed=0):
    """What a camera would show of two bodies."""
    noise = np.random.default_rng(seed)
    positions = np.asarray(positions) + SEEN * noise.normal(size=positions.shape)
    spins = np.asarray(spins) + TURNED * noise.normal(size=spins.shape)
    return [
        measured
        for place, body in enumerate(order)
        for measured in (
            OfBody(place, Path(TIMES, positions[:, body], sigma=SEEN)),
            OfBody(place, Spins(TIMES, spins[:, body], sigma=TURNED)),
        )
    ]


@functools.cache
def fit_of_a_collision(order=(0, 1)) -> cal.Fit:
    measured = seen_of(*collide(0.7, 0.08), order)
    problem = cal.Problem(
        rigid(0.6, 0.1, order),
        [cal.Trial(*measured, initial=near(START, order))],
        free=[RESTITUTION, FRICTION],
        nuisance=[InitialStates(spin="xyz")],
        noise=cal.noise.Known(),
    )
    return cal.fit(problem)


@pytest.mark.long
@pytest.mark.slow
def test_restitution_and_friction_of_two_spheres_are_found():
    found = fit_of_a_collision()
    assert 0.8 < found.chi2 / found.dof < 1.2
    for name, truth in ((RESTITUTION, 0.7), (FRICTION, 0.08)):
        estimate = found.parameters[name]
        assert estimate.status is Determination.DETERMINED
        assert abs(estimate.value - truth) < 3 * estimate.sd
        assert estimate.sd < 0.01 * truth


@pytest.mark.long
@pytest.mark.slow
def test_the_numbers_of_bodies_change_nothing():
    found, other = fit_of_a_collision(), fit_of_a_collision((1, 0))
    np.testing.assert_allclose(other.chi2, found.chi2, rtol=1e-8)
    for name in (RESTITUTION, FRICTION):
        one, two = found.parameters[name], other.parameters[name]
        assert abs(one.value - two.value) < 1e-4 * one.sd
        np.testing.assert_allclose(two.sd, one.sd, rtol=1e-5)


def compliant(restitution: float, friction: float) -> jc.Scene:
    return jc.Scene(
        bodies=jc.spheres(radius=RADII, mass=MASSES),
        surfaces=(),
        gravity=(0.0, 0.0, 0.0),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=2e7, restitution=restitution),
            friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=1e-2),
        ),
    )


@pytest.mark.long
@pytest.mark.slow
def test_friction_of_a_collision_that_sticks_is_not_called_determined():
    truth = compliant(0.7, 0.25)
    motion = jc.simulate(truth, THAT_STICKS, TIMES)
    measured = seen_of(motion.position, motion.spin)
    problem = cal.Problem(
        compliant(0.6, 0.2),
        [cal.Trial(*measured, initial=near(THAT_STICKS))],
        free=[RESTITUTION, FRICTION],
        nuisance=[InitialStates(spin="xyz")],
        noise=cal.noise.Known(),
    )
    found = cal.fit(problem)
    restitution, friction = found.parameters[RESTITUTION], found.parameters[FRICTION]
    assert abs(restitution.value - 0.7) < 3 * restitution.sd
    assert friction.status is not Determination.DETERMINED or (
        abs(friction.value - 0.25) < 3 * friction.sd
    )


OF_THE_PROGRAM = {
    "fric_oblique_equal": (
        "contactStiffness",
        "restitutionCoefficient",
        "dynamicFriction",
        "frictionProportionalZone",
    ),
    "m1_e0.7_n1": ("contactStiffness", "restitutionCoefficient"),
    "m0_n1_damped": ("contactStiffness", "contactDamping"),
    "fric_hertz_damped": ("contactStiffness", "contactDamping", "dynamicFriction"),
    "fric_bounce_topspin": ("contactStiffness", "restitutionCoefficient", "dynamicFriction"),
    "fric_spin_unequal": ("contactStiffness", "dynamicFriction"),
    "m2_e0.5_n1.5": (
        "contactStiffness",
        "restitutionCoefficient",
        "contactStiffnessExponent",
    ),
    "fric_eepa": ("contactStiffness", "contactPlasticityRatio", "dynamicFriction"),
    "eepa_n1_collision": (
        "contactStiffness",
        "contactPlasticityRatio",
        "adhesionCoefficient",
        "constantPullOffForce",
    ),
}


@pytest.mark.long("fric_oblique_equal")
@pytest.mark.long(*(name for name in OF_THE_PROGRAM if name != "fric_oblique_equal"))
@pytest.mark.slow
@pytest.mark.parametrize("name", OF_THE_PROGRAM)
def test_the_constants_of_a_program_are_found_from_its_own_trajectories(reference_dir, name):
    """Noise of a micrometre and a milliradian per second, initial states unknown."""
    document, _ = read(reference_dir / "exudyn", name)
    scene, start, moving = scene_of(document)
    free = {f"contact.{item}": document["contact"][item] for item in OF_THE_PROGRAM[name]}
    noise = np.random.default_rng(1)
    samples = document["samples"]
    pick = np.unique(np.linspace(0, len(samples["t"]) - 1, 60).astype(int))
    times = np.array(samples["t"])[pick]
    measured = []
    for place, index in enumerate(moving):
        for column, kind, sigma in (
            (f"position{index}", Path, 1e-6),
            (f"angularVelocity{index}", Spins, 1e-3),
        ):
            if column in samples:
                values = np.array(samples[column])[pick]
                values = values + sigma * noise.normal(size=values.shape)
                measured.append(OfBody(place, kind(times, values, sigma=sigma)))
    guess = scene
    for path, value in free.items():
        guess = put(guess, path, 1.1 * value)
    elsewhere = start._replace(
        position=np.asarray(start.position) + 1e-5, velocity=1.001 * np.asarray(start.velocity)
    )
    found = cal.fit(
        cal.Problem(
            guess,
            [cal.Trial(*measured, initial=elsewhere)],
            free=list(free),
            nuisance=[InitialStates(tuple(range(len(moving))))],
            noise=cal.noise.Known(),
        )
    )
    assert 0.8 < found.chi2 / found.dof < 1.2
    for path, truth in free.items():
        estimate = found.parameters[path]
        assert estimate.status is Determination.DETERMINED
        assert abs(estimate.value - truth) < 3 * estimate.sd


def program() -> exudyn.parameters.ObjectContactSphereSphere:
    return exudyn.parameters.ObjectContactSphereSphere(
        spheresRadii=tuple(RADII),
        contactStiffness=1e5,
        restitutionCoefficient=0.8,
        impactModel=1,
        compatibility=EXUDYN_1_13,
    )


def problem_of(*measured, contact=None, method=None, initial=START, bodies=None) -> cal.Problem:
    scene = compliant(0.7, 0.2)
    scene = scene if contact is None else scene.replace(contact=contact)
    return cal.Problem(
        scene if bodies is None else scene.replace(bodies=bodies),
        [TABLE if measured[0] is TABLE else cal.Trial(*measured, initial=initial)],
        free=[RESTITUTION if contact is None else "contact.restitutionCoefficient"],
        method=method,
        noise=cal.noise.Known(),
    )


PATH = Path(TIMES, np.zeros((TIMES.size, 3)), sigma=SEEN)
TABLE = cal.ImpactTable(
    name="table",
    impact_angle=np.zeros(2),
    impact_speed=np.array([1.0, 2.0]),
    normal_restitution=np.array([0.8, 0.79]),
)
ALONE = jc.state(position=(0.0, 0.0, 0.1))
THREE = jc.state(position=[(0.0, 0.0, 0.0), (0.12, 0.02, 0.0), (0.3, 0.0, 0.0)])
FILMED = cal.Candidate(instruments=(cal.instruments.Film(rate=500.0, sigma=5e-4),), height=0.3)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: problem_of(PATH), "does not say of which of 2 bodies"),
        (lambda: problem_of(OfBody(2, PATH)), "of a body of the initial state, and it has 2"),
        (lambda: problem_of(OfBody(0, PATH), initial=None), "none is given"),
        (lambda: OfBody(-1, PATH), "body = -1 is no number of a body"),
        (lambda: OfBody(True, PATH), "body = True is no number of a body"),
        (lambda: OfBody(0, OfBody(1, PATH)), "not of the motion of one body"),
        (lambda: OfBody(0, BounceTimes([0.1, 0.2], sigma=1e-4)), "not of the motion of one body"),
        (lambda: OfBody(0, TIMES), "ndarray is not a measurement"),
        (
            lambda: problem_of(OfBody(0, PATH), ForceTrace(TIMES, TIMES, sigma=1.0)),
            "of impacts or forces, and does not say between which of 2",
        ),
        (
            lambda: problem_of(
                PATH,
                ForceTrace(TIMES, TIMES, sigma=1.0),
                contact=program(),
                initial=ALONE,
                bodies=jc.spheres(radius=0.02, mass=0.05),
            ),
            "ForceTrace cannot be compared with a simulation of ObjectContactSphereSphere yet",
        ),
        (lambda: problem_of(OfBody(0, PATH), initial=THREE), "holds 2 bodies, but 'collision"),
        (lambda: problem_of(PATH, initial=ALONE), "holds 2 bodies, but 'path' is of 1"),
        (lambda: problem_of(TABLE), "holds 2 bodies, but 'table' is of 1"),
        (lambda: problem_of(TABLE, contact=program()), "A table of impacts is compared with"),
        (
            lambda: problem_of(OfBody(0, PATH), contact=program(), method=jc.Impulse()),
            "is followed in time; method = Impulse does not",
        ),
        (lambda: Path(TIMES[::-1], PATH.position), "time"),
        (lambda: Path(TIMES, PATH.position, sigma=0.0), "sigma"),
        (lambda: Path(TIMES, np.zeros((3, 3))), "position"),
        (lambda: InitialStates((), spin="x"), "nothing is unknown"),
        (lambda: InitialStates(position="xw"), "is not a choice of axes"),
        (
            lambda: cal.Problem(
                compliant(0.7, 0.2),
                [cal.Trial(OfBody(0, PATH), initial=START)],
                free=[RESTITUTION],
                nuisance=[InitialStates((0, 2))],
                noise=cal.noise.Known(),
            ),
            "bodies = (0, 2), but the initial state of trial",
        ),
        (lambda: cal.design(problem_of(OfBody(0, PATH)), [FILMED]), "planned for one body"),
    ],
)
def test_what_cannot_be_is_refused(make, says):
    with pytest.raises(InputError) as raised:
        make()
    assert says in str(raised.value)


def test_a_path_without_a_deviation_takes_the_scatter():
    noise = np.random.default_rng(0).normal(size=(TIMES.size, 3))
    seen = np.stack([TIMES, 0.3 - TIMES, np.full(TIMES.size, np.nan)], axis=1) + SEEN * noise
    samples = Path(TIMES, seen).samples()
    np.testing.assert_allclose(samples.sigma, SEEN, rtol=0.3)
    assert samples.measured.shape == (TIMES.size, 2)


def test_words_count_bodies_from_one_as_files_do():
    measured = seen_of(*collide(0.7, 0.08))
    unknown = InitialStates(spin="xyz")
    words = [text for one in measured for text in (one.name, one.kind)]
    words += [parameter.about.label for parameter in unknown.parameters((0, 1, 2))]
    said = {text.split("of body ")[1][:1] for text in words}
    assert said == {"1", "2"}
    assert [one.name for one in measured if one.body == 0] == [
        "path of body 1",
        "spins of body 1",
    ]
    motion = jc.simulate(rigid(0.7, 0.1), START, TIMES[:3], method=jc.Impulse(max_contacts=2))
    titles = [axes.get_title(loc="left") for axes in cal.report.trajectory_figure(motion).axes]
    assert titles == ["body 1", "body 2"]
