"""What must hold of measurements other than positions: truth recovered, derivatives right, refusals
where nothing can be told.
"""

import dataclasses
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import calibration as cal
import jaxcontact as jc
from calibration.detection.impact_train import Train, find_impact_train
from calibration.errors import InputError
from calibration.fitting.estimates import estimate_trial
from calibration.fitting.fit import fit
from calibration.io.impact_table import ImpactTable
from calibration.measurements.contact_durations import simulate_duration
from calibration.measurements.orientations import to_rotation_vector
from calibration.measurements.rotation import integrate_angle, integrate_orientation
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.estimate import Determination
from jaxcontact.geometry.rotation import quaternion_product, rotation_to_quaternion
from jaxcontact.laws.core.damping_maps import exact_damping_ratio
from jaxcontact.parameters import put
from tests.calibration.optimise.derivatives_of_residuals import check_derivatives

pytestmark = pytest.mark.slow

RESTITUTION, STIFFNESS = "contact.normal.restitution", "contact.normal.stiffness"
FRICTION, DRAG = "contact.friction.coefficient", "drag.coefficient"
GRAVITY, RADIUS, MASS = 9.81, 0.02, 0.03
SIGMA = 1e-4


def rigid_scene(
    restitution: float = 0.8,
    *,
    friction: float | None = None,
    drag: float | None = None,
    mass: float = MASS,
) -> jc.Scene:
    """A ball above a plane, with rigid impacts."""
    law = jc.NoFriction() if friction is None else jc.Coulomb(coefficient=friction)
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=mass),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=restitution), friction=law),
        drag=None if drag is None else jc.QuadraticDrag(coefficient=drag),
    )


def compliant_scene(stiffness: float, restitution: float) -> jc.Scene:
    """A ball above a plane, with Hunt and Crossley's law."""
    normal = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=jc.ContactModel(normal=normal)
    )


def times_of_impacts(restitution, speed: float, count: int, *, first: float = 0.3) -> np.ndarray:
    """Times of impacts without air: flights last 2 v/g. ``restitution``: a number or a function of
    speed.
    """
    times = [first]
    for _ in range(count - 1):
        speed *= restitution(speed) if callable(restitution) else restitution
        times.append(times[-1] + 2 * speed / GRAVITY)
    return np.asarray(times)


def times_in_air(restitution: float, speed: float, count: int, *, drag: float) -> np.ndarray:
    """The same with quadratic drag ``drag |v| v``, by SciPy."""

    def landed(_: float, state: np.ndarray) -> float:
        return state[0]

    landed.terminal, landed.direction = True, -1.0  # type: ignore[attr-defined]
    times = [0.2]
    for _ in range(count - 1):
        start = [1e-13, restitution * speed]
        path = solve_ivp(
            lambda _, y: [y[1], -GRAVITY - drag * abs(y[1]) * y[1]],
            (0.0, 5.0),
            start,
            events=landed,
            rtol=1e-11,
            atol=1e-14,
        )
        times.append(times[-1] + path.t[-1])
        speed = -path.y[1, -1]
    return np.asarray(times)


def assert_found(found, truth: dict[str, float]) -> None:
    """Converged, explained, and every truth within three standard deviations."""
    assert found.converged
    assert found.explained
    for name, value in truth.items():
        estimate = found.parameters[name]
        assert estimate.status is Determination.DETERMINED
        assert abs(estimate.value - value) < 3 * estimate.sd


# ---- bounce times


@pytest.mark.parametrize("seed", range(20))
def test_missed_impacts_and_extra_clicks_are_found_in_the_times(seed):
    rng = np.random.default_rng(seed)
    count, restitution = int(rng.integers(7, 13)), rng.uniform(0.65, 0.95)
    times = times_of_impacts(restitution, 3.0, count) + SIGMA * rng.standard_normal(count)
    missed = int(rng.integers(1, count - 2))
    k = int(rng.integers(0, 3))
    extra = times[k] + rng.uniform(0.25, 0.4) * (times[k + 1] - times[k])
    heard = np.sort(np.append(np.delete(times, missed), extra))
    train = find_impact_train(heard, noise=SIGMA)
    assert np.array_equal(heard[train.places], np.delete(times, missed))
    assert np.array_equal(train.numbers, np.delete(np.arange(count), missed))


def test_the_merit_of_a_train_is_what_it_explains_less_half_of_what_it_misses():
    assert Train(np.arange(5), np.array([0, 1, 3, 4, 6])).merit == 5 - 0.5 * 2
    assert Train(np.array([0, 2, 3]), np.arange(3)).merit == 3


@functools.cache
def bounce_fit():
    rng = np.random.default_rng(4)
    times = times_of_impacts(0.85, 3.0, 10) + SIGMA * rng.standard_normal(10)
    heard = np.sort(np.append(np.delete(times, 4), times[1] + 0.13))
    problem = Problem(
        rigid_scene(0.75),
        [cal.measurements.BounceTimes(heard, sigma=SIGMA)],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.FirstImpact()],
    )
    return problem, fit(problem)


@pytest.mark.long
def test_restitution_from_the_sound_of_a_drop_from_an_unknown_height():
    problem, found = bounce_fit()
    assert_found(found, {RESTITUTION: 0.85})
    assert found.parameters[RESTITUTION].sd < 1e-4
    own = estimate_trial(found.assessment, 0, 0)
    assert abs(own["impact_time"].value - 0.3) < 3 * own["impact_time"].sd
    assert abs(own["impact_speed"].value - 3.0) < 3 * own["impact_speed"].sd
    assert any("left out" in remark for remark in problem.detections[0].remarks)
    assert any("without a sound" in remark for remark in problem.detections[0].remarks)


@pytest.mark.long
def test_derivatives_of_bounce_times():
    check_derivatives(bounce_fit()[0])


def test_scatter_of_the_times_is_found_when_not_given():
    rng = np.random.default_rng(0)
    found = [
        cal.measurements.BounceTimes(
            times_of_impacts(0.9, 3.0, 12) + SIGMA * rng.standard_normal(12)
        )
        .detect(rigid_scene())
        .noise
        for _ in range(200)
    ]
    assert np.sqrt(np.mean(np.square(found))) == pytest.approx(SIGMA, rel=0.15)


@pytest.mark.long
@pytest.mark.parametrize("free", [(RESTITUTION,), (RESTITUTION, DRAG)])
def test_bounce_times_in_air(free):
    rng = np.random.default_rng(1)
    mass, drag = 0.0027, 0.45
    factor = 0.5 * 1.2 * drag * math.pi * RADIUS**2 / mass
    trials = [
        cal.measurements.BounceTimes(
            times_in_air(0.9, speed, 12, drag=factor) + SIGMA * rng.standard_normal(12), sigma=SIGMA
        )
        for speed in (4.0, 3.0)
    ]
    start = rigid_scene(0.8, drag=0.3 if DRAG in free else drag, mass=mass)
    found = fit(Problem(start, trials, free=free, nuisance=[cal.nuisances.FirstImpact()]))
    assert_found(
        found, {name: value for name, value in ((RESTITUTION, 0.9), (DRAG, drag)) if name in free}
    )


@pytest.mark.long
def test_a_restitution_that_falls_with_speed_from_bounce_times_alone():
    law = jc.ViscoelasticRestitution(restitution=0.85, reference_speed=1.0)
    rng = np.random.default_rng(2)
    times = times_of_impacts(
        lambda speed: float(law.restitution_at(speed, mass=MASS)), 3.0, 12
    ) + SIGMA * rng.standard_normal(12)
    start = jc.ViscoelasticRestitution(restitution=0.75, reference_speed=1.0)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=jc.ContactModel(normal=start)
    )
    found = fit(
        Problem(
            scene,
            [cal.measurements.BounceTimes(times, sigma=SIGMA)],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.FirstImpact()],
        )
    )
    assert_found(found, {RESTITUTION: 0.85})


@pytest.mark.long
def test_bounce_times_after_a_known_drop_of_which_the_first_impact_was_not_heard():
    height = 0.5
    rng = np.random.default_rng(3)
    fall = math.sqrt(2 * height / GRAVITY)
    times = times_of_impacts(
        0.8, GRAVITY * fall, 6, first=1.0 + fall
    ) + SIGMA * rng.standard_normal(6)
    trial = Trial(
        cal.measurements.BounceTimes(times[1:], sigma=SIGMA, first=2),
        initial=jc.state(position=(0, 0, height + RADIUS)),
    )
    found = fit(
        Problem(
            rigid_scene(0.7), [trial], free=[RESTITUTION], nuisance=[cal.nuisances.TimeOffset()]
        )
    )
    assert_found(found, {RESTITUTION: 0.8})


def test_computed_times_have_the_errors_of_the_finest_instrument():
    """Without a bound their weights would leave no digit to a fit, and their intervals no width."""
    times = times_of_impacts(0.8, 3.0, 8)
    problem = Problem(
        rigid_scene(0.75),
        [cal.measurements.BounceTimes(times)],
        free=[RESTITUTION],
        nuisance=[cal.nuisances.FirstImpact()],
    )
    (part,) = problem.data[0].samples
    assert np.max(part.weight) == pytest.approx(1 / (1e-5 * np.ptp(times)))
    found = fit(problem).parameters[RESTITUTION]
    assert found.value == pytest.approx(0.8, abs=1e-9)
    assert 1e-6 < found.sd < 1e-4
    assert found.degrees == np.inf


def test_bounce_times_need_something_that_tells_the_motion():
    with pytest.raises(InputError, match=r"(?s)Nothing tells the motion.*FirstImpact"):
        Problem(rigid_scene(), [cal.measurements.BounceTimes([0.1, 0.5, 0.8])], free=[RESTITUTION])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"times": [0.3, 0.2, 0.4]}, "times go from 0.3 s to 0.2 s"),
        ({"times": [0.3]}, "at least 2 times"),
        ({"times": [0.1, 0.2], "sigma": -1.0}, "sigma = -1 is not positive"),
        ({"times": [0.1, 0.2], "first": 0}, "first = 0"),
        ({"times": [0.1, 0.2, 0.3], "impacts": [1, 3, 2]}, "increasing"),
    ],
)
def test_bad_bounce_times_are_refused(given, words):
    with pytest.raises(InputError, match=words):
        cal.measurements.BounceTimes(**given)


def test_bounce_times_from_a_file(tmp_path):
    file = tmp_path / "clicks.csv"
    file.write_text("onset (ms)\n100.0\n620.0\n1030\n")
    assert np.allclose(cal.measurements.read_bounce_times(file, sigma=1e-4).time, [0.1, 0.62, 1.03])


def test_bounce_times_that_are_no_seconds_are_refused(tmp_path):
    file = tmp_path / "clicks.csv"
    file.write_text("t\n100.0\n620.0\n1030\n")
    with pytest.raises(InputError, match="520 s pass between two impacts") as caught:
        cal.measurements.read_bounce_times(file, sigma=1e-4)
    assert "'t (ms)'" in caught.value.remedy


# ---- force and duration of a contact


def pulse(
    stiffness: float, restitution: float, speed: float, times: np.ndarray
) -> tuple[np.ndarray, float]:
    """Force of Hunt and Crossley's law under gravity at times after touch-down, and the contact
    duration, by SciPy.
    """
    ratio = float(exact_damping_ratio(restitution))

    def force(overlap, rate):
        return stiffness * np.maximum(overlap, 0.0) ** 1.5 * (1 + ratio * rate / speed)

    def parted(_, state):
        return state[0] - 1e-15

    parted.terminal, parted.direction = True, -1.0  # type: ignore[attr-defined]
    path = solve_ivp(
        lambda _, y: [y[1], GRAVITY - force(*y) / MASS],
        (0.0, 0.1),
        [0.0, speed],
        events=parted,
        rtol=1e-10,
        atol=1e-15,
        max_step=2e-5,
        dense_output=True,
    )
    duration = float(path.t[-1])
    inside = (times > 0) & (times < duration)
    return np.where(inside, force(*path.sol(np.clip(times, 0.0, duration))), 0.0), duration


@pytest.mark.long
def test_contact_durations_along_a_motion_beside_its_sounds():
    # A contact lasts t_c v^(-1/5), and delays all that follows.
    rng = np.random.default_rng(11)
    duration, speed, times, lasted = 1e-3, 3.0, [0.3], []
    for _ in range(6):
        lasted.append(duration * speed**-0.2)
        speed *= 0.85
        times.append(times[-1] + lasted[-1] + 2 * speed / GRAVITY)
    sounds = cal.measurements.BounceTimes(
        np.asarray(times[:6]) + 1e-4 * rng.standard_normal(6), sigma=1e-4
    )
    contacts = cal.measurements.ContactDurations(
        np.asarray(lasted) * (1 + 0.01 * rng.standard_normal(6)), sigma=0.01 * np.asarray(lasted)
    )
    path = "contact.normal.duration"
    normal = jc.NewtonRestitution(restitution=0.8, duration=2e-3)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=jc.ContactModel(normal=normal)
    )
    found = fit(
        Problem(
            scene,
            [Trial(sounds, contacts)],
            free=[RESTITUTION, path],
            nuisance=[cal.nuisances.FirstImpact()],
        )
    )
    assert_found(found, {RESTITUTION: 0.85, path: duration})


TRACE = (
    np.arange(-2e-4, 2.4e-3, 2e-5) + 7e-6
)  # no sample at a touch-down, where the force has a corner


def force_trial(speed: float, seed: int, *, noise: float = 0.5, delay: float = 0.0) -> Trial:
    """A force trace of an impact at a known speed at time 0."""
    force, _ = pulse(3e6, 0.7, speed, TRACE - delay)
    seen = force + noise * np.random.default_rng(seed).standard_normal(TRACE.size)
    start = jc.state(position=(0, 0, RADIUS), velocity=(0, 0, -speed))
    return Trial(cal.measurements.ForceTrace(TRACE, seen, sigma=noise), initial=start, time=0.0)


@pytest.mark.long
def test_force_of_law_and_motion_is_that_of_an_independent_integration():
    expected, _ = pulse(3e6, 0.7, 2.0, TRACE)
    start = jc.state(position=(0, 0, RADIUS), velocity=(0.3, 0, -2.0))
    smooth = compliant_scene(3e6, 0.7)
    rubbed = dataclasses.replace(
        smooth,
        contact=dataclasses.replace(
            smooth.contact, friction=jc.RegularizedCoulomb(coefficient=0.1)
        ),
    )
    trial = Trial(
        cal.measurements.ForceTrace(TRACE, expected, tangential=0.1 * expected, sigma=1.0),
        initial=start,
        time=0.0,
    )
    problem = Problem(rubbed, [trial], free=[STIFFNESS])
    with jax.enable_x64(True):
        kind, data = (
            problem.layout.batches[0],
            jax.tree.map(lambda column: column[0], problem.data[0]),
        )
        ((seen,), _) = kind.predict(kind.trial_state(rubbed, (), jnp.zeros(0), data), data)
    normal, tangential = np.asarray(seen)[: TRACE.size].T
    np.testing.assert_allclose(normal, expected, atol=1e-4 * expected.max())
    # Sliding along x, the surface is pulled along; after the slip has gone, nothing is.
    slides = np.cumsum(0.1 * expected) * 2e-5 * 3.5 / MASS < 0.2
    np.testing.assert_allclose(
        tangential[slides], 0.1 * expected[slides], atol=0.002 * expected.max()
    )
    sticks = np.cumsum(0.1 * expected) * 2e-5 * 3.5 / MASS > 0.32
    np.testing.assert_allclose(tangential[sticks], 0.0, atol=0.002 * expected.max())
    assert slides.sum() > 20
    assert sticks.sum() > 20


@pytest.mark.long
def test_stiffness_and_restitution_from_force_traces_with_an_unknown_trigger():
    trials = [
        force_trial(speed, seed, delay=3e-5 * (seed + 1)) for seed, speed in enumerate((1.0, 2.0))
    ]
    offset = cal.nuisances.ClockOffset("force sensor")
    problem = Problem(
        compliant_scene(1.5e6, 0.8), trials, free=[STIFFNESS, RESTITUTION], nuisance=[offset]
    )
    found = fit(problem)
    assert_found(found, {STIFFNESS: 3e6, RESTITUTION: 0.7})
    for seed in range(2):
        own = estimate_trial(found.assessment, 0, seed)["offset_of_force_sensor"]
        assert abs(own.value + 3e-5 * (seed + 1)) < 3 * own.sd
    check_derivatives(problem, rtol=2e-4)


@pytest.mark.long
def test_gain_of_the_sensor_is_told_by_known_speeds_and_not_told_without_them():
    known = [force_trial(speed, seed) for seed, speed in enumerate((1.0, 2.0))]
    told = fit(
        Problem(
            compliant_scene(2e6, 0.8),
            known,
            free=[STIFFNESS, RESTITUTION],
            nuisance=[cal.nuisances.ForceGain()],
        )
    )
    assert_found(told, {STIFFNESS: 3e6, RESTITUTION: 0.7, "force_gain": 1.0})
    parameter = [trial.measured[0] for trial in known]
    nuisance = [cal.nuisances.FirstImpact(), cal.nuisances.ForceGain()]
    open_ = fit(
        Problem(
            compliant_scene(2e6, 0.8), parameter, free=[STIFFNESS, RESTITUTION], nuisance=nuisance
        )
    )
    assert open_.parameters["force_gain"].status is Determination.NOT_DETERMINED
    assert open_.parameters[STIFFNESS].status is Determination.NOT_DETERMINED
    # What belongs to one trial follows what the data leave open.
    assert (
        estimate_trial(open_.assessment, 0, 0)["impact_speed"].status
        is Determination.NOT_DETERMINED
    )
    assert estimate_trial(open_.assessment, 0, 0)["impact_time"].status is Determination.DETERMINED


@pytest.mark.long
def test_contact_durations_of_known_impacts_are_hertz_s():
    # T = 2.9432 (5 m/(4 K))^(2/5) v^(-1/5) without damping and gravity (Landau and Lifshitz).
    scene = put(compliant_scene(3e6, 1.0), "gravity", jnp.zeros(3))
    for speed in (0.5, 2.0):
        expected = 2.9432 * (5 * MASS / (4 * 3e6)) ** 0.4 * speed**-0.2
        assert float(
            simulate_duration(scene, jnp.asarray(speed), jnp.asarray(1.0))
        ) == pytest.approx(expected, rel=1e-4)


@pytest.mark.long
def test_stiffness_from_contact_durations():
    rng = np.random.default_rng(5)
    speeds = np.array([0.5, 1.0, 2.0, 3.0])
    true = np.asarray([pulse(3e6, 0.7, speed, np.zeros(1))[1] for speed in speeds])
    seen = true * (1 + 0.005 * rng.standard_normal(speeds.size))
    problem = Problem(
        compliant_scene(1e6, 0.7),
        [cal.measurements.ContactDurations(seen, speed=speeds, sigma=0.005 * true)],
        free=[STIFFNESS],
    )
    assert_found(fit(problem), {STIFFNESS: 3e6})
    check_derivatives(problem, rtol=1e-4)


def test_a_rigid_law_or_method_is_refused_for_a_force():
    trace = cal.measurements.ForceTrace(TRACE, np.maximum(0.0, 1 - (TRACE / 1e-3 - 0.5) ** 2))
    with pytest.raises(InputError, match=r"(?s)ForceTrace needs a law with a force.*HuntCrossley"):
        Problem(rigid_scene(), [trace], free=[RESTITUTION], nuisance=[cal.nuisances.FirstImpact()])
    with pytest.raises(InputError, match="contacts that last"):
        Problem(
            compliant_scene(1e6, 0.8),
            [trace],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.FirstImpact()],
            method=jc.Impulse(),
        )


def test_noise_splits_no_pulse_and_makes_none():
    rng = np.random.default_rng(6)
    force, duration = pulse(3e6, 0.7, 2.0, TRACE)
    trace = cal.measurements.ForceTrace(TRACE, force + 3.0 * rng.standard_normal(TRACE.size))
    ((first, stop),) = trace.pulses
    assert TRACE[stop - 1] - TRACE[first] == pytest.approx(duration, rel=0.35)
    assert np.all(trace.deviation == pytest.approx(3.0, rel=0.6))


# ---- spin and orientation


def test_rotation_vectors_and_quaternions_are_inverse():
    rng = np.random.default_rng(7)
    for size in (0.0, 1e-9, 1e-5, 1.0, 3.1):
        vector = size * rng.standard_normal(3) / 2
        vector = vector * min(1.0, 3.1 / max(np.linalg.norm(vector), 1e-12))
        np.testing.assert_allclose(
            to_rotation_vector(rotation_to_quaternion(vector)), vector, atol=1e-14, rtol=1e-10
        )
    assert np.all(
        np.isfinite(
            jax.jacfwd(lambda v: to_rotation_vector(rotation_to_quaternion(v)))(jnp.zeros(3))
        )
    )


SPIN_TIMES = np.arange(0.0, 0.9, 1 / 60)
LAUNCH = jc.State(
    np.array([0.0, 0.0, 0.32]), np.array([1.5, 0.0, 0.0]), np.array([0.0, -40.0, 0.0])
)


@functools.cache
def launched() -> jc.Trajectory:
    """A ball thrown with backspin, over three bounces."""
    return jc.simulate(
        rigid_scene(0.8, friction=0.1), LAUNCH, SPIN_TIMES, method=jc.Impulse(max_contacts=6)
    )


@pytest.mark.long
def test_angle_of_a_marker_is_the_integral_of_the_spin():
    fine = np.linspace(0.0, SPIN_TIMES[-1], 40001)
    motion = jc.simulate(
        rigid_scene(0.8, friction=0.1), LAUNCH, fine, method=jc.Impulse(max_contacts=6)
    )
    spin = np.asarray(motion.spin[:, 1])
    integral = np.concatenate([[0.0], np.cumsum((spin[1:] + spin[:-1]) / 2 * np.diff(fine))])
    np.testing.assert_allclose(
        integrate_angle(launched(), 1), np.interp(SPIN_TIMES, fine, integral), atol=2e-3
    )
    quaternion = np.asarray(integrate_orientation(launched(), jnp.array([1.0, 0.0, 0.0, 0.0])))
    half = np.asarray(integrate_angle(launched(), 1)) / 2
    np.testing.assert_allclose(
        quaternion[:, [0, 2]], np.stack([np.cos(half), np.sin(half)], axis=-1), atol=1e-12
    )


@functools.cache
def spin_fit():
    rng = np.random.default_rng(8)
    motion = launched()
    spin = np.full((SPIN_TIMES.size, 3), np.nan)
    spin[:, 1] = motion.spin[:, 1] + 2.0 * rng.standard_normal(SPIN_TIMES.size)
    turned = np.asarray(integrate_angle(motion, 1))
    marker = turned + 0.7 + 0.05 * rng.standard_normal(SPIN_TIMES.size)
    noisy = rotation_to_quaternion(0.02 * rng.standard_normal((SPIN_TIMES.size, 3)))
    quaternion = quaternion_product(
        noisy, integrate_orientation(motion, jnp.array([1.0, 0.0, 0.0, 0.0]))
    )
    measured = (
        cal.measurements.Spins(SPIN_TIMES, spin, sigma=2.0),
        cal.measurements.MarkerAngles(
            SPIN_TIMES, (marker + np.pi) % (2 * np.pi) - np.pi, sigma=0.05
        ),
        cal.measurements.Orientations(
            SPIN_TIMES[:22], -np.asarray(quaternion)[:22], sigma=0.02
        ),  # later, the first guess is half a turn away
    )
    known = jc.State(LAUNCH.position, LAUNCH.velocity, np.zeros(3))
    trial = Trial(*measured, initial=known, time=0.0)
    scene = rigid_scene(0.8, friction=0.08)
    method = jc.Impulse(max_contacts=6, rest_steps=1, skip_unused=False)
    problem = Problem(
        scene,
        [trial],
        free=[FRICTION],
        nuisance=[
            cal.nuisances.InitialSpin("y"),
            cal.nuisances.MarkerStart(),
            cal.nuisances.InitialTurn(),
        ],
        method=method,
    )
    return problem, fit(problem)


@pytest.mark.long
def test_friction_from_spins_wrapped_marker_angles_and_orientations_in_one_trial():
    problem, found = spin_fit()
    assert_found(found, {FRICTION: 0.1})
    own = estimate_trial(found.assessment, 0, 0)
    assert abs(own["spin_y"].value + 40.0) < 3 * own["spin_y"].sd
    assert abs(own["marker_angle"].value - 0.7) < 3 * own["marker_angle"].sd
    check_derivatives(problem, rtol=1e-4)


def test_measured_rotations_are_drawn_as_the_body_turns_through_several_turns():
    axis, angle = np.array([0.6, 0.0, -0.8]), np.linspace(0.0, 20.0, 41)
    turned = np.concatenate([np.cos(angle / 2)[:, None], np.sin(angle / 2)[:, None] * axis], axis=1)
    turned[7] = np.nan
    measured = cal.measurements.Orientations(
        np.arange(41.0), turned * (-1.0) ** np.arange(41)[:, None]
    )
    drawn = measured.drawn_from()
    assert np.isnan(drawn[7]).all()
    seen = np.arange(41) != 7
    np.testing.assert_allclose(drawn[seen], angle[seen, None] * axis, atol=1e-4)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cal.measurements.Spins([0.0, 0.1], np.zeros((2, 2))), "spin has shape"),
        (lambda: cal.measurements.MarkerAngles([0.0, 0.1], [0.0, 1.0], axis="w"), "axis = 'w'"),
        (
            lambda: cal.measurements.Orientations([0.0, 0.1], np.zeros((2, 4))),
            "quaternion of zeros",
        ),
        (lambda: cal.measurements.ContactDurations([1e-3, -1e-3]), "duration is not positive"),
        (lambda: cal.measurements.ForceTrace(np.arange(6.0), -np.ones(6)), "nowhere positive"),
        (lambda: cal.measurements.RestingDistance(-1.0), "distance = -1.0"),
        (lambda: cal.nuisances.InitialSpin("yy"), "components = 'yy'"),
    ],
)
def test_bad_measurements_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_measurements_from_files(tmp_path):
    def file(text: str):
        path = tmp_path / "data.csv"
        path.write_text(text)
        return path

    spins = cal.measurements.read_spins(file("t,wy (rpm)\n0,60\n0.1,30\n"))
    np.testing.assert_allclose(spins.spin[:, 1], [2 * np.pi, np.pi])
    assert spins.components == (1,)
    np.testing.assert_allclose(
        cal.measurements.read_marker_angles(file("t;angle (deg)\n0;90\n0,1;180\n")).angle,
        [np.pi / 2, np.pi],
    )
    np.testing.assert_allclose(
        cal.measurements.read_marker_angles(file("t,theta\n0,1.5\n0.1,2\n")).angle, [1.5, 2.0]
    )
    trace = cal.measurements.read_force_trace(
        file("t (ms),Fz (kN)\n" + "\n".join(f"{i},{0.1 * min(i, 8 - i)}" for i in range(9)))
    )
    assert trace.normal.max() == pytest.approx(400.0)
    assert trace.time[1] == pytest.approx(1e-3)
    durations = cal.measurements.read_contact_durations(
        file("contact_time (ms),v_in (m/s)\n0.8,1\n0.7,2\n")
    )
    np.testing.assert_allclose(durations.duration, [8e-4, 7e-4])
    assert (
        cal.measurements.read_orientations(
            file("t,qw,qx,qy,qz\n0,2,0,0,0\n0.1,1,0,0,0\n")
        ).quaternion[0, 0]
        == 1.0
    )
    with pytest.raises(InputError, match="no column of duration"):
        cal.measurements.read_contact_durations(file("a,b\n1,2\n3,4\n"))


# ---- rest, and everything together


@pytest.mark.long
def test_rolling_resistance_from_the_distance_rolled_and_its_time():
    # A rolling sphere slows down by c g/(1 + kappa).
    coefficient, speed, slowing = 0.02, 1.0, 0.02 * GRAVITY / 1.4
    normal, rolling = (
        jc.NewtonRestitution(restitution=0.3),
        jc.RollingResistance(rolling_coefficient=0.03, rolling_velocity=1e-5),
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(
            normal=normal, friction=jc.Coulomb(coefficient=0.3), rolling=rolling
        ),
    )
    start = jc.state(position=(0, 0, RADIUS), velocity=(speed, 0, 0), spin=(0, speed / RADIUS, 0))
    rest = cal.measurements.RestingDistance(
        speed**2 / (2 * slowing), sigma=0.01, time=speed / slowing, time_sigma=0.05, until=12.0
    )
    path = "contact.rolling.rolling_coefficient"
    method = jc.Impulse(max_contacts=2, sustained_steps=100, skip_unused=False)
    found = fit(Problem(scene, [Trial(rest, initial=start)], free=[path], method=method))
    assert found.parameters[path].value == pytest.approx(coefficient, rel=2e-3)
    assert found.parameters[path].sd == pytest.approx(coefficient * 0.01 / rest.distance, rel=0.15)


def film_of_drop(height: float, impacts: np.ndarray, rng: np.random.Generator) -> cal.Recording:
    """A recording of the height of a ball that is dropped at time 0; flights between impacts are
    parabolas.
    """
    times = np.arange(0.0, 1.2, 1 / 120)
    number = np.searchsorted(impacts, times) - 1
    start, flight = (
        impacts[np.maximum(number, 0)],
        np.diff(impacts)[np.clip(number, 0, impacts.size - 2)],
    )
    since = times - start
    z = (
        np.where(
            number < 0, height - GRAVITY * times**2 / 2, GRAVITY / 2 * since * (flight - since)
        )
        + RADIUS
    )
    z = z + 1e-3 * rng.standard_normal(times.size)
    position = np.stack([np.full_like(z, np.nan), np.full_like(z, np.nan), z], axis=-1)
    return cal.Recording(
        name="film", time=times, position=position, sigma=np.where(np.isnan(position), np.nan, 1e-3)
    )


@pytest.mark.long
def test_sounds_positions_and_an_impact_table_in_one_problem():
    rng = np.random.default_rng(9)
    sound = times_of_impacts(0.8, 3.0, 8) + SIGMA * rng.standard_normal(8)
    fall = math.sqrt(2 * 0.5 / GRAVITY)
    film = film_of_drop(0.5, times_of_impacts(0.8, GRAVITY * fall, 6, first=fall), rng)
    heard = (
        times_of_impacts(0.8, GRAVITY * fall, 4, first=fall) + 0.25 + SIGMA * rng.standard_normal(4)
    )
    table = ImpactTable(
        name="table",
        impact_angle=np.zeros(4),
        impact_speed=np.array([1.0, 2.0, 3.0, 4.0]),
        normal_restitution=0.8 + 0.002 * rng.standard_normal(4),
        sigma={"normal_restitution": np.full(4, 0.002)},
    )
    problem = Problem(
        rigid_scene(0.75),
        [
            table,
            cal.measurements.BounceTimes(sound, sigma=SIGMA),
            Trial(film, cal.measurements.BounceTimes(heard, sigma=SIGMA)),
        ],
        free=[RESTITUTION],
        nuisance=[
            cal.nuisances.FirstImpact(),
            cal.nuisances.InitialState(),
            cal.nuisances.SurfaceHeight(),
            cal.nuisances.ClockOffset("microphone"),
        ],
    )
    assert len(problem.layout.batches) == 3
    found = fit(problem)
    assert_found(found, {RESTITUTION: 0.8})
    (place,) = [
        (k, r) for k, members in enumerate(problem.members) for r, m in enumerate(members) if m == 2
    ]
    offset = estimate_trial(found.assessment, *place)["offset_of_microphone"]
    assert abs(offset.value + 0.25) < 3 * offset.sd
