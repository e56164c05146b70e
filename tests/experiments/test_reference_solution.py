"""The reference solution of the benchmarks: against an integration in time, its own convergence,
and the recorded numbers.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

from experiments.benchmarks import reference_solution as reference

pytestmark = pytest.mark.slow


def in_time(parameters, start, times):
    """Path by scipy's DOP853 in time, switched at touch-down and lift-off; flights in closed form.
    Also the number of contacts.
    """
    stiffness, restitution, friction = parameters
    radius, mass, g = reference.RADIUS, reference.MASS, reference.GRAVITY
    damping = 1.5 * (1.0 - restitution)

    def slope(_, state):
        overlap, _, vx, vz, w = state
        normal = stiffness * max(overlap, 0.0) ** 1.5 * (1.0 - damping * vz)
        slip = vx - radius * w
        tangential = -friction * normal * slip / np.hypot(slip, 0.1)
        return [-vz, vx, tangential / mass, normal / mass - g, -tangential / (0.4 * mass * radius)]

    def lift_off(_, state):
        return state[0]

    lift_off.terminal, lift_off.direction = True, -1
    x, z, vx, vz, w = start
    clock, contacts, path = 0.0, 0, np.full((len(times), 2), np.nan)
    while True:
        speed = np.sqrt(vz**2 + 2.0 * g * (z - radius))
        flight = (vz + speed) / g
        late = times - clock
        here = (late >= 0.0) & (late <= flight)
        path[here] = np.stack([x + vx * late, z + vz * late - 0.5 * g * late**2], -1)[here]
        clock, x = clock + flight, x + vx * flight
        if clock > times[-1]:
            return path, contacts
        touch_down = [0.0, x, vx, -speed, w]
        contact = solve_ivp(
            slope,
            (0.0, 1e-2),
            touch_down,
            "DOP853",
            events=lift_off,
            dense_output=True,
            rtol=1e-13,
            atol=1e-17,
            first_step=1e-8,
            max_step=5e-6,
        )
        for sample in np.flatnonzero((times > clock) & (times < clock + contact.t[-1])):
            overlap, along = contact.sol(times[sample] - clock)[:2]
            path[sample] = along, radius - overlap
        clock, contacts, z = clock + contact.t_events[0][0], contacts + 1, radius
        _, x, vx, vz, w = contact.y_events[0][0]


BOUNCE_TRAIN = (reference.NOMINAL, reference.BOUNCE_TRAIN_START, reference.BOUNCE_TRAIN_TIMES)


def test_the_bounce_train_agrees_with_an_integration_in_time():
    path, contacts = in_time(*BOUNCE_TRAIN)
    assert contacts == 12
    np.testing.assert_allclose(reference.trajectory(*BOUNCE_TRAIN), path, rtol=0, atol=1e-11)


def test_the_bounce_train_has_converged_and_ends_where_it_should():
    path = reference.trajectory(*BOUNCE_TRAIN)
    np.testing.assert_allclose(
        path, reference.trajectory(*BOUNCE_TRAIN, steps=96), rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(path[-1], [4.690439982, 0.011865824], rtol=0, atol=5e-10)


@pytest.mark.long("0.6")
@pytest.mark.parametrize("restitution", [0.6, 0.95])
def test_damping_and_spin_at_the_ends_of_the_sweep_agree_with_an_integration_in_time(restitution):
    case = ((3e7, restitution, 0.15), (0.2, 0.05, -2.0, 0.3, 40.0), np.arange(1, 101) * 0.01)
    np.testing.assert_allclose(reference.trajectory(*case), in_time(*case)[0], rtol=0, atol=1e-11)


def test_samples_inside_a_contact_and_their_derivatives_are_exact():
    touch_down = np.sqrt(2.0 * 0.3 / reference.GRAVITY)
    times = touch_down + np.array([0.0, 1e-9, 1e-7, 3e-5, 1.2e-4, 2.2e-4, 2.991e-4])
    path = reference.trajectory(reference.NOMINAL, reference.BOUNCE_TRAIN_START, times)
    assert np.all(path[1:, 1] < reference.RADIUS)
    np.testing.assert_allclose(
        path, in_time(reference.NOMINAL, reference.BOUNCE_TRAIN_START, times)[0], rtol=0, atol=1e-12
    )

    def moved(height):
        return reference.trajectory(
            reference.NOMINAL, (0.0, reference.RADIUS + 0.3 + height, 3.0, 0.0, 0.0), times[3:]
        )

    difference = (moved(1e-7) - moved(-1e-7)) / 2e-7
    np.testing.assert_allclose(moved(1e-30j).imag / 1e-30, difference, rtol=1e-6, atol=1e-9)


def test_an_elastic_bounce_without_friction_returns_to_its_height():
    fall = np.sqrt(2.0 * 0.3 / reference.GRAVITY)
    depth = (reference.MASS * 2.0 * reference.GRAVITY * 0.3 / 1e8) ** 0.4
    contact = (
        2.943275 * 1.25**0.4 * depth / np.sqrt(2.0 * reference.GRAVITY * 0.3)
    )  # Hertz: 2.943275 largest overlap / speed
    apex = reference.trajectory(
        (1e8, 1.0, 0.0), reference.BOUNCE_TRAIN_START, [2.0 * fall + contact]
    )[0]
    np.testing.assert_allclose(apex[1], reference.BOUNCE_TRAIN_START[1], rtol=0, atol=1e-12)


def test_the_gradient_of_the_misfit_is_the_recorded_one():
    recorded = [
        -2.04152e-07,
        -2.90013802e-03,
        -1.31220193e-01,
        4.40017362e-02,
        2.37807350e-03,
        5.03808159e-02,
        3.38849290e-03,
        5.92139219e-05,
    ]
    gradient = reference.misfit_gradient()
    np.testing.assert_allclose(gradient[0], recorded[0], rtol=3e-6)
    np.testing.assert_allclose(gradient[1:], recorded[1:], rtol=5e-9)
    np.testing.assert_allclose(gradient, reference.misfit_gradient(steps=96), rtol=1e-10)


def test_the_gradient_of_the_misfit_agrees_with_differences_where_these_are_well_conditioned():
    nominal = np.array(
        [np.log(reference.NOMINAL[0]), *reference.NOMINAL[1:], *reference.BOUNCE_TRAIN_START]
    )
    np.testing.assert_allclose(reference.misfit(nominal), 1.32782e-3, rtol=4e-6)
    smooth = [2, 3, 5, 7]  # friction, x0, vx0, w0
    offsets = 1e-4 * np.array([1.0, -1.0, 2.0, -2.0])[:, None, None] * np.eye(8)[smooth]
    one, minus_one, two, minus_two = reference.misfit(np.moveaxis(nominal + offsets, -1, 0))
    differences = (8.0 * (one - minus_one) - (two - minus_two)) / 12e-4
    np.testing.assert_allclose(reference.misfit_gradient()[smooth], differences, rtol=1e-7)


@pytest.mark.long
def test_the_calibration_data_give_the_recorded_estimate():
    recording = reference.calibration_recording()

    def residual(point, steps=16):
        path = reference.trajectory(
            (np.exp(point[0]), *point[1:]),
            reference.CALIBRATION_START,
            reference.CALIBRATION_TIMES,
            steps=steps,
        )
        return (path - recording).reshape(*path.shape[:-2], -1) / reference.CALIBRATION_NOISE

    def jacobian(point):
        return residual(point[:, None] + 1e-30j * np.eye(3)).imag.T / 1e-30

    log_stiffness, *others = np.transpose(
        [np.asarray(reference.CALIBRATION_GUESS), *np.transpose(reference.CALIBRATION_BOUNDS)]
    )
    start, low, high = np.column_stack([np.log(log_stiffness), *others])
    fit = least_squares(residual, start, jacobian, bounds=(low, high), x_scale="jac")
    np.testing.assert_allclose(2.0 * fit.cost / (recording.size - 3), 0.866, atol=5e-4)
    np.testing.assert_allclose(np.exp(fit.x[0]), 9.24e7, rtol=6e-4)
    np.testing.assert_allclose(fit.x[1:], [0.79994, 0.10001], rtol=0, atol=5e-6)


def test_random_starts_of_the_calibration_lie_between_its_bounds():
    guesses = reference.calibration_guesses()
    low, high = np.transpose(reference.CALIBRATION_BOUNDS)
    assert guesses.shape == (50, 3)
    assert np.all((guesses > low) & (guesses < high))


def test_a_sweep_over_lanes_equals_its_lanes_one_by_one():
    stiffness, restitution, friction = reference.sweep_parameters(5)
    together = reference.trajectory(
        (stiffness, restitution, friction),
        reference.BOUNCE_TRAIN_START,
        reference.BOUNCE_TRAIN_TIMES,
        steps=24,
    )
    assert together.shape == (5, 200, 2)
    alone = reference.trajectory(
        (stiffness[3], restitution[3], friction[3]),
        reference.BOUNCE_TRAIN_START,
        reference.BOUNCE_TRAIN_TIMES,
        steps=24,
    )
    np.testing.assert_allclose(together[3], alone, rtol=0, atol=1e-12)


def test_a_start_inside_the_plane_is_refused():
    with pytest.raises(ValueError, match=r"z = 0.005 m is below the radius 0.01 m"):
        reference.trajectory(reference.NOMINAL, (0.0, 0.005, 0.0, 0.0, 0.0), [0.1])


def test_times_that_do_not_increase_are_refused():
    with pytest.raises(ValueError, match="times must increase"):
        reference.trajectory(reference.NOMINAL, reference.BOUNCE_TRAIN_START, [0.2, 0.1])
