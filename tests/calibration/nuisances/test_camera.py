"""What must hold of cameras: exposure, clocks, perspective, distortion, tilt and dropped frames are
found, or said not to be told.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import calibration as cal
import jaxcontact as jc
from calibration.detection.dropped_frames import find_dropped_frames, with_missing_frames
from calibration.errors import InputError
from calibration.fitting.estimates import estimate_trial
from calibration.fitting.fit import fit
from calibration.io.recording import Recording
from calibration.measurements.exposure import average_over_exposure
from calibration.model.apparatus import Camera, Clock
from calibration.model.trial_state import Initial, TrialState, make_trial_state
from calibration.problem.problem import Problem
from calibration.problem.trial import Trial
from calibration.results.estimate import Determination
from tests.calibration.optimise.derivatives_of_residuals import check_derivatives

RESTITUTION, FRICTION = "contact.normal.restitution", "contact.friction.coefficient"
RADIUS, NOISE, FRAME = 0.02, 3e-4, 1 / 120
TIMES = np.arange(0.0, 0.9, FRAME)
METHOD = jc.Impulse(max_contacts=6, rest_steps=1, skip_unused=False)


def scene(
    *,
    restitution: float = 0.8,
    friction: float = 0.05,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> jc.Scene:
    """A ball above a plane, with rigid impacts; friction so small that it slides."""
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=0.03),
        contact=jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=restitution),
            friction=jc.Coulomb(coefficient=friction),
        ),
        gravity=np.asarray(gravity),
    )


def thrown(speed: float, *, height: float = 0.35, depth: float = 0.0) -> jc.State:
    """A ball thrown along x."""
    return jc.State(np.array([0.0, 0.0, height]), np.array([speed, depth, 0.0]), np.zeros(3))


@functools.lru_cache(maxsize=64)
def _path(
    speed: float, depth: float, gravity: tuple[float, ...], times: tuple[float, ...]
) -> np.ndarray:
    motion = jc.simulate(
        scene(gravity=gravity),
        thrown(speed, depth=depth),
        np.asarray(times),
        method=jc.Impulse(max_contacts=8),
    )
    return np.asarray(motion.position)


def path(
    speed: float, *, depth: float = 0.0, gravity=(0.0, 0.0, -9.81), times: np.ndarray = TIMES
) -> np.ndarray:
    """True positions (n, 3)."""
    return _path(speed, depth, tuple(gravity), tuple(times))


def film(recorded: np.ndarray, seed: int, *, times: np.ndarray = TIMES) -> Recording:
    """A recording of x and z with noise."""
    position = recorded + NOISE * np.random.default_rng(seed).standard_normal(recorded.shape)
    position[:, 1] = np.nan
    return Recording(
        name=f"film{seed}",
        time=times,
        position=position,
        sigma=np.where(np.isnan(position), np.nan, NOISE),
    )


def fitted(recordings, nuisance, *, free=(RESTITUTION, FRICTION)):
    """The fit of recordings with their initial states and table heights."""
    problem = Problem(
        scene(restitution=0.75, friction=0.04),
        recordings,
        free=list(free),
        nuisance=[cal.nuisances.InitialState(), cal.nuisances.SurfaceHeight(), *nuisance],
        method=METHOD,
    )
    return fit(problem)


def assert_found(found, truth: dict[str, float]) -> None:
    """Converged, explained, and every truth within three standard deviations."""
    assert found.converged
    assert found.explained
    for name, value in {RESTITUTION: 0.8, FRICTION: 0.05, **truth}.items():
        estimate = found.parameters[name]
        assert estimate.status is Determination.DETERMINED
        assert abs(estimate.value - value) < 3 * estimate.sd


# ---- exposure


STILL = Initial(np.zeros(3), np.zeros(3), np.zeros(3), 0.0, np.array([1.0, 0.0, 0.0, 0.0]))


def motion_at(moved: jc.Scene, start: jc.State, times: np.ndarray) -> jc.Trajectory:
    """The motion at ``times`` (n,) in any order."""
    order = np.argsort(times)
    method = jc.Impulse(max_contacts=8)
    motion = jc.simulate(moved, start, np.concatenate([[0.0], times[order]]), method=method)
    return at_places(motion, 1 + np.argsort(order), times)


def at_places(motion: jc.Trajectory, places: np.ndarray, times: np.ndarray) -> jc.Trajectory:
    """The motion at some of its times, which are ``times`` (n,)."""
    picked = {name: getattr(motion, name)[places] for name in ("position", "velocity", "spin")}
    return motion._replace(times=jnp.asarray(times), **picked)


def exposed(speed: float, exposure: float, *, times: np.ndarray = TIMES) -> np.ndarray:
    """Mean positions over an exposure, from 400 instants."""
    moments = times[:, None] + exposure * ((np.arange(400) + 0.5) / 400 - 0.5)
    moments = np.maximum(moments, times[0])
    flat = np.sort(moments.ravel())
    position = np.asarray(
        jc.simulate(
            scene(),
            thrown(speed),
            np.append(flat, flat[-1] + 1e-3),
            method=jc.Impulse(max_contacts=8),
        ).position
    )
    return np.stack(
        [np.interp(moments, flat, position[:-1, axis]).mean(axis=1) for axis in range(3)], axis=-1
    )


@pytest.mark.slow
def test_mean_over_an_exposure_is_exact_across_an_impact():
    exposure, times = 6e-3, TIMES[1:]
    ends = np.concatenate([times - exposure / 2, times + exposure / 2])
    with jax.enable_x64(True):
        motion = motion_at(scene(), thrown(1.0), ends)
        found = np.asarray(average_over_exposure(make_trial_state(scene(), STILL), motion))
    sharp = path(1.0)[1:]
    expected = exposed(1.0, exposure)[1:]
    assert np.max(np.abs(sharp - expected)) > 1e-3  # what would be missed beside an impact
    np.testing.assert_allclose(found, expected, atol=2e-6)


@pytest.mark.long("0.5")
@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_mean_over_an_exposure_is_exact_inside_an_impact_that_lasts(restitution):
    """Whether the picture shows all of the contact, a part of it, or a part beside a flight."""
    exposure, count = 6e-3, 61
    middles = np.arange(0.25, 0.27, 2e-4)
    moments = middles[:, None] + exposure * (np.linspace(0.0, 1.0, count) - 0.5)
    places = np.arange(moments.size).reshape(moments.shape)[:, [0, -1]].T.ravel()

    def seen(duration):
        law = jc.NewtonRestitution(restitution=restitution, duration=duration)
        bouncing = scene().replace(contact=jc.ContactModel(normal=law))
        motion = motion_at(bouncing, thrown(0.0), moments.ravel())
        ends = at_places(motion, places, moments.ravel()[places])
        mean = average_over_exposure(make_trial_state(bouncing, STILL), ends)
        return mean, motion.position.reshape(*moments.shape, 3)

    with jax.enable_x64(True):
        mean, path = jax.jit(jax.vmap(seen))(np.array([1e-3, 4e-3, 9e-3]))
    expected = np.trapezoid(np.asarray(path), axis=2) / (count - 1)
    np.testing.assert_allclose(mean, expected, atol=2e-5)


@pytest.mark.long
def test_mean_over_an_exposure_has_a_continuous_slope_in_time():
    """Whatever duration of the impact a fit tries: a slope that jumps where the touch-down enters
    or leaves an exposure, or where the impact ends, makes minima of its own.
    """
    exposure, step = 6e-3, 2e-5
    middles = np.arange(0.25, 0.27, step)
    ends = np.concatenate([middles - exposure / 2, middles + exposure / 2])

    def seen(duration):
        law = jc.NewtonRestitution(restitution=0.8, duration=duration)
        bouncing = scene().replace(contact=jc.ContactModel(normal=law))
        motion = motion_at(bouncing, thrown(0.0), ends)
        mean = average_over_exposure(make_trial_state(bouncing, STILL), motion)[:, 2]
        return mean, motion.contacts.impact_speed[0]

    with jax.enable_x64(True):
        mean, speed = jax.jit(jax.vmap(seen))(np.array([-4e-3, -5e-4, 0.0, 1e-3, 8e-3]))
    turns = np.diff(np.asarray(mean), 2, axis=1) / step  # changes of the velocity that is seen
    assert np.max(np.abs(turns)) < 1.1 * step / exposure * 1.8 * np.max(speed)


@pytest.mark.long
@pytest.mark.slow
def test_exposure_time_is_found_from_pictures_of_impacts():
    late = TIMES[1:]
    recordings = [
        film(exposed(speed, 5e-3)[1:], seed, times=late) for seed, speed in enumerate((1.1, 1.6))
    ]
    found = fitted(recordings, [cal.nuisances.Exposure()])
    assert_found(found, {"exposure": 5e-3})
    known = fitted(recordings, [cal.nuisances.Exposure(known=5e-3)])
    assert_found(known, {})


# ---- clocks


def test_a_clock_and_its_inverse():
    clock = Clock(offset=0.3, drift=1e-3)
    assert clock.shown_time(clock.trial_time(7.0, 2.0), 2.0) == pytest.approx(7.0, abs=1e-14)


@pytest.mark.long
@pytest.mark.slow
def test_sound_card_and_camera_that_differ_in_offset_and_rate():
    trials = []
    for seed, speed in enumerate((1.1, 1.6)):
        contacts = jc.simulate(
            scene(), thrown(speed), TIMES, method=jc.Impulse(max_contacts=8)
        ).contacts
        impacts = np.asarray(contacts.touch_down)[np.asarray(contacts.happened)]
        shown = np.asarray(Clock(offset=0.2, drift=2e-3).shown_time(impacts, 0.0))
        heard = shown + 2e-5 * np.random.default_rng(50 + seed).standard_normal(impacts.size)
        trials.append(
            Trial(film(path(speed), seed), cal.measurements.BounceTimes(heard, sigma=2e-5))
        )
    # Gravity is known, so the camera's own clock can be checked against the sound, too.
    found = fitted(
        trials,
        [
            cal.nuisances.ClockOffset("microphone", shared=True),
            cal.nuisances.ClockDrift("microphone"),
        ],
    )
    # The clock of the trial begins with the first time of all measurements.
    drift = found.parameters["drift_of_microphone"]
    assert_found(found, {})
    assert abs(drift.value - 2e-3) < 3 * drift.sd
    assert drift.sd < 1e-3


@pytest.mark.long
def test_frame_rate_and_length_scale_both_change_the_apparent_gravity_and_cannot_be_told_apart():
    recordings = [film(path(speed), seed) for seed, speed in enumerate((1.1, 1.6))]
    found = fitted(recordings, [cal.nuisances.LengthScale(), cal.nuisances.ClockDrift("camera")])
    for name in ("length_scale", "drift_of_camera"):
        assert found.parameters[name].status is Determination.NOT_DETERMINED
        assert not np.isfinite(found.parameters[name].sd)
    assert found.parameters[RESTITUTION].status is Determination.DETERMINED


def test_clocks_that_nobody_reads_or_that_nothing_can_set_are_refused():
    recording = film(path(0.6), 0)
    with pytest.raises(InputError, match=r"(?s)no measurement is on that clock.*camera"):
        Problem(
            scene(),
            [recording],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.InitialState(), cal.nuisances.ClockOffset("kamera")],
        )
    with pytest.raises(InputError, match="same effect as the time of the start"):
        Problem(
            scene(),
            [recording],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.InitialState(), cal.nuisances.ClockOffset("camera")],
        )


# ---- picture


def test_a_picture_is_turned_scaled_projected_and_distorted():
    camera = Camera(
        aspect=1.1, roll=0.1, nearness=0.5, distortion=0.2, centre=jnp.array([0.1, 0.0, 0.2])
    )
    point = jnp.array([0.4, 0.3, 0.5])
    turned = np.array(
        [np.cos(0.1) * 0.4 - np.sin(0.1) * 0.5, 0.3, np.sin(0.1) * 0.4 + np.cos(0.1) * 0.5]
    )
    away = (turned / np.array([2 * 1.1, 2, 2]) - np.array([0.1, 0.0, 0.2]))[[0, 2]] / (
        1 + 0.5 * 0.3
    )
    away = away * (1 + 0.2 * np.sum(away**2))
    np.testing.assert_allclose(
        camera.project(point, 2.0)[jnp.array([0, 2])], away + np.array([0.1, 0.2]), rtol=1e-12
    )
    flat = Camera(aspect=1.1, roll=0.1)
    np.testing.assert_allclose(flat.unproject(flat.project(point, 2.0), 2.0), point, rtol=1e-12)


@pytest.mark.long
@pytest.mark.slow
def test_roll_of_the_camera_and_tilt_of_the_table_are_told_apart():
    tilt, roll = 0.03, -0.02
    gravity = (9.81 * np.sin(tilt), 0.0, -9.81 * np.cos(tilt))
    camera = Camera(roll=roll)
    recordings = [
        film(np.asarray(camera.project(path(speed, gravity=gravity), 1.0)), seed)
        for seed, speed in enumerate((-1.1, 1.1, 1.6))
    ]
    found = fitted(recordings, [cal.nuisances.CameraRoll(), cal.nuisances.GravityTilt()])
    assert_found(found, {"camera_roll": roll, "tilt_x": tilt})


@pytest.mark.long
@pytest.mark.slow
def test_distortion_of_the_lens():
    camera = Camera(distortion=-0.15, centre=jnp.array([0.4, 0.0, 0.2]))
    recordings = [
        film(np.asarray(camera.project(path(speed), 1.0)), seed)
        for seed, speed in enumerate((1.1, 1.6))
    ]
    assert_found(
        fitted(recordings, [cal.nuisances.LensDistortion((0.4, 0.2))]), {"lens_distortion": -0.15}
    )
    assert not fitted(recordings, []).explained


def at_rest() -> TrialState:
    """A trial of which only the camera matters."""
    zero = jnp.zeros(())
    vector = jnp.zeros(3)
    return TrialState(scene(), vector, vector, vector, zero, zero + 1, jnp.zeros(4), zero)


def test_a_lens_whose_centre_is_a_guess_is_one_about_another_centre_where_it_distorts():
    guess, offset, strength = np.array([0.4, 0.0, 0.2]), np.array([0.1, 0.0, -0.05]), -0.15
    lens = cal.nuisances.LensDistortion((0.4, 0.2), decentring=cal.Normal(0.0, 0.05), faint=1e-6)
    values = jnp.array([strength, *(-strength * offset[[0, 2]])])
    place = jnp.array([0.7, 0.0, 0.5])
    seen = lens.apply(at_rest(), values, (0, 2)).camera.project(place, 1.0)
    exact = Camera(distortion=strength, centre=jnp.asarray(guess + offset)).project(place, 1.0)
    np.testing.assert_allclose(seen, exact, atol=1e-10)


def test_a_lens_that_hardly_distorts_is_linear_in_what_is_unknown():
    lens = cal.nuisances.LensDistortion((0.4, 0.2), decentring=cal.Normal(0.0, 0.05))
    place = jnp.array([0.7, 0.0, 0.5])

    def seen(values):
        return lens.apply(at_rest(), values, (0, 2)).camera.project(place, 1.0)

    away = np.array([0.3, 0.0, 0.3])
    slopes = np.asarray(jax.jacfwd(seen)(jnp.zeros(3)))
    square = away @ away
    expected = [square * away]
    for axis in (0, 2):
        unit = np.eye(3)[axis]
        expected.append(square * unit + 2 * away[axis] * away)
    np.testing.assert_allclose(slopes, np.transpose(expected), atol=1e-12)


@pytest.mark.long
def test_a_ball_that_goes_away_from_the_camera():
    depth, distance = 0.25, 1.5
    camera = Camera(nearness=1 / distance, centre=jnp.array([0.4, 0.0, 0.2]))
    recordings = [
        film(np.asarray(camera.project(path(speed, depth=depth), 1.0)), seed)
        for seed, speed in enumerate((1.1, 1.6))
    ]
    found = fitted(recordings, [cal.nuisances.DepthMotion(distance, (0.4, 0.2))])
    assert_found(found, {})
    for r in range(2):
        own = estimate_trial(found.assessment, 0, r)["depth_velocity"]
        assert abs(own.value - depth) < 3 * own.sd


@pytest.mark.parametrize(("axis", "angle"), [("z", 0.1), ("x", -0.07)])
def test_perspective_is_that_of_a_pinhole_camera(axis, angle):
    """A camera that looks along y at a plane that is inclined by an angle, and sees it
    foreshortened along one axis.
    """
    distance, along = 1.5, "xyz".index(axis)
    places = np.zeros((25, 3))
    places[:, [0, 2]] = np.stack(np.meshgrid(*[np.linspace(-0.4, 0.6, 5)] * 2), -1).reshape(-1, 2)
    seen = np.array(places)
    seen[:, along] *= np.cos(angle)
    pinhole = seen * distance / (distance + np.sin(angle) * places[:, along])[:, None]
    convergence = np.zeros(3)
    convergence[along] = np.tan(angle) / distance
    ours = Camera(convergence=jnp.asarray(convergence)).project(seen, 1.0)
    np.testing.assert_allclose(ours, pinhole, atol=1e-12)


@pytest.mark.long
def test_lengths_that_shrink_upwards_are_found():
    camera = Camera(convergence=jnp.array([0.0, 0.0, 0.08]), centre=jnp.array([0.4, 0.0, 0.2]))
    recordings = [
        film(np.asarray(camera.project(path(speed), 1.0)), seed)
        for seed, speed in enumerate((1.1, 1.6))
    ]
    found = fitted(recordings, [cal.nuisances.Perspective("z", centre=(0.4, 0.2))])
    assert_found(found, {"perspective_z": 0.08})


def test_perspective_needs_its_axis_and_one_camera():
    recording = film(path(0.6), 0)
    recording.position[:, 0] = np.nan

    def refused(what: str, nuisance) -> None:
        with pytest.raises(InputError, match=what):
            Problem(
                scene(),
                [recording],
                free=[RESTITUTION],
                nuisance=[cal.nuisances.InitialState(), nuisance],
            )

    refused("a recording of x", cal.nuisances.Perspective("x"))
    recording.position[:, 1], recording.sigma[:, 1] = 0.01 * recording.time, NOISE
    refused("one camera", cal.nuisances.Perspective("z"))
    with pytest.raises(InputError, match="no axis of a picture"):
        cal.nuisances.Perspective("y")


@pytest.mark.long
def test_a_camera_that_moves_is_told_by_a_floor_that_sinks():
    drift = np.array([0.006, 0.0, -0.012])
    recordings = [
        film(path(speed) + TIMES[:, None] * drift, seed) for seed, speed in enumerate((1.1, 1.6))
    ]
    prior = cal.Normal(0.0, 0.02)
    found = fitted(recordings, [cal.nuisances.CameraDrift(prior)])
    assert_found(found, {})
    for r in range(2):
        own = estimate_trial(found.assessment, 0, r)["drift_z"]
        assert own.sd < 0.005
        assert abs(own.value - drift[2]) < 3 * own.sd


@pytest.mark.long
def test_pixels_that_are_not_square_are_told_by_friction_and_not_by_drops():
    camera = Camera(aspect=1.03)
    recordings = [
        film(np.asarray(camera.project(path(speed), 1.0)), seed)
        for seed, speed in enumerate((1.1, 1.6))
    ]
    found = fitted(recordings, [cal.nuisances.PixelAspect()])
    aspect = found.parameters["pixel_aspect"]
    assert found.explained
    assert aspect.status is Determination.NOT_DETERMINED or abs(aspect.value - 1.03) < 3 * aspect.sd


@pytest.mark.parametrize(
    "nuisance",
    [
        cal.nuisances.PixelAspect(),
        cal.nuisances.CameraRoll(),
        cal.nuisances.DepthMotion(1.0, (0.0, 0.0)),
    ],
)
def test_effects_of_a_picture_need_both_of_its_axes(nuisance):
    height_only = film(path(0.6), 0)
    height_only.position[:, 0] = np.nan
    with pytest.raises(InputError, match="x and z"):
        Problem(
            scene(),
            [height_only],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.InitialState(), nuisance],
        )


def test_quantities_with_the_same_effect_are_refused():
    recording = film(path(0.6), 0)
    for pair in (
        [cal.nuisances.LengthScale(), cal.nuisances.Gravity()],
        [cal.nuisances.InitialState(), cal.nuisances.TimeOffset()],
    ):
        with pytest.raises(InputError, match="same effect"):
            Problem(scene(), [recording], free=[RESTITUTION], nuisance=pair)
    with pytest.raises(InputError, match="more than once"):
        Problem(
            scene(),
            [recording],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.InitialState(spin=True), cal.nuisances.InitialSpin("y")],
        )
    with pytest.raises(InputError, match="without a ForceTrace"):
        Problem(
            scene(),
            [recording],
            free=[RESTITUTION],
            nuisance=[cal.nuisances.InitialState(), cal.nuisances.ForceGain()],
        )


@pytest.mark.long
def test_derivatives_of_all_that_a_camera_does():
    nuisance = [
        cal.nuisances.LengthScale(),
        cal.nuisances.PixelAspect(),
        cal.nuisances.CameraRoll(),
        cal.nuisances.GravityTilt(),
        cal.nuisances.Exposure(guess=3e-3),
        cal.nuisances.ClockDrift("camera"),
    ]
    nuisance += [
        cal.nuisances.DepthMotion(1.5, (0.4, 0.2)),
        cal.nuisances.LensDistortion((0.4, 0.2)),
        cal.nuisances.Perspective("x"),
        cal.nuisances.Perspective("z"),
        cal.nuisances.InitialState(),
        cal.nuisances.SurfaceHeight(),
    ]
    problem = Problem(
        scene(),
        [film(path(1.1), 0)],
        free=[RESTITUTION, FRICTION],
        nuisance=nuisance,
        method=METHOD,
    )
    check_derivatives(problem, rtol=2e-4)


# ---- dropped frames


@pytest.mark.slow
@pytest.mark.parametrize(("after", "count"), [(12, 1), (45, 2), (65, 3), (30, 0)])
def test_dropped_frames_are_found_and_put_back(after, count):
    whole = film(path(0.8), after)
    kept = np.delete(np.arange(TIMES.size), np.arange(after + 1, after + 1 + count))
    seen = Recording(name="gap", time=TIMES[: kept.size], position=whole.position[kept])
    found = find_dropped_frames(seen)
    if count == 0:
        assert found == ()
        return
    assert len(found) == 1
    assert abs(found[0].after - after) <= 2
    assert found[0].missing == count
    assert with_missing_frames(seen, found).time[-1] == pytest.approx(TIMES[kept[-1]], abs=1e-9)


def test_real_time_stamps_are_not_looked_at_for_dropped_frames():
    rng = np.random.default_rng(0)
    whole = film(path(0.8), 0)
    jittered = Recording(
        name="real",
        time=TIMES + 0.3 * FRAME * rng.uniform(size=TIMES.size),
        position=whole.position,
    )
    with pytest.raises(InputError, match="not even"):
        find_dropped_frames(jittered)
