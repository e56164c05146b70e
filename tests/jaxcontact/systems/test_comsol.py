"""COMSOL's rigid body contact: conservation, power, restitution of the penalty, quaternion moments,
smooth forms and degenerate points.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.geometry.rotation import quaternion_product, rotate_by_quaternion
from jaxcontact.laws.friction.coulomb import EXPONENTIAL, TANH
from jaxcontact.laws.normal.one_sided_dashpot import (
    one_sided_damping,
    one_sided_dashpot_force,
    one_sided_duration,
    one_sided_restitution,
)
from jaxcontact.systems.comsol import (
    ArbitraryContact,
    Friction,
    RigidBodyContact,
    SphericalContact,
    contact_force,
    friction_force,
    friction_magnitude,
    quaternion_moment,
    spherical_to_arbitrary,
    spherical_to_spherical,
)

pytestmark = pytest.mark.slow

HARD = RigidBodyContact(k_pen=1e4, c_pen=20.0)
RAMPED = HARD.replace(ramp_overlap=5e-4, ramp_speed=0.1)
FRICTION = Friction(mu=0.5, v0=0.05, Ff_r=0.3, Ff_max=6.0)
SOURCE = Motion(
    jnp.array([0.3, -0.2, 0.1]), jnp.array([0.3, 0.2, -0.1]), jnp.array([1.0, -2.0, 3.0])
)
ALONG = jnp.array([2.0, -1.0, 2.0]) / 3.0


def pair(inside, overlap=2e-3, arms="undeformed", contact=HARD, friction=FRICTION):
    """Parameters, and motions of two spheres with this overlap."""
    parameters = SphericalContact(
        r_s=0.05, r_d=0.12, contact=contact, friction=friction, inside=inside, arms=arms
    )
    distance = 0.12 - 0.05 + overlap if inside else 0.12 + 0.05 - overlap
    push = -0.4 if inside else 0.4
    velocity = SOURCE.velocity - push * ALONG + jnp.array([0.2, 0.5, -0.1])
    return (
        parameters,
        SOURCE,
        Motion(SOURCE.position + distance * ALONG, velocity, jnp.array([-2.0, 0.5, 4.0])),
    )


def moment_about_origin(motion, wrench):
    return jnp.cross(motion.position, wrench.force) + wrench.torque


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("arms", ["undeformed", "midpoint"])
def test_undeformed_arms_lose_angular_momentum_and_the_midpoint_keeps_it(inside, arms):
    parameters, source, destination = pair(inside, arms=arms)
    found = spherical_to_spherical(parameters, source, destination)
    net = moment_about_origin(source, found.source) + moment_about_origin(
        destination, found.destination
    )
    expected = 2e-3 * jnp.cross(found.normal, found.friction_on_source)
    size = 0.05 * jnp.linalg.norm(found.friction_on_source)
    np.testing.assert_allclose(net, expected if arms == "undeformed" else 0.0, atol=2e-14 * size)
    assert jnp.linalg.norm(expected) > 1e-3 * size
    np.testing.assert_allclose(found.source.force, -found.destination.force, rtol=1e-15)


@pytest.mark.parametrize("arms", ["undeformed", "midpoint"])
def test_the_same_holds_for_a_boundary_of_any_shape(arms):
    parameters = ArbitraryContact(r_s=0.05, contact=HARD, friction=FRICTION, arms=arms)
    found = spherical_to_arbitrary(
        parameters, SOURCE, boundary_velocity=jnp.array([0.1, 0.5, 0.2]), normal=ALONG, gap=-2e-3
    )
    net = moment_about_origin(SOURCE, found.source) + jnp.cross(
        found.point, found.force_on_destination
    )
    expected = 2e-3 * jnp.cross(ALONG, found.friction_on_source)
    np.testing.assert_allclose(net, expected if arms == "undeformed" else 0.0, atol=1e-15)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("arms", ["undeformed", "midpoint"])
def test_friction_takes_the_power_that_it_says(inside, arms):
    parameters, source, destination = pair(inside, arms=arms)
    found = spherical_to_spherical(parameters, source, destination)
    friction = found.friction_on_source
    power = friction @ (source.velocity - destination.velocity)
    power += (
        found.source.torque @ source.angular_velocity
        + found.destination.torque @ destination.angular_velocity
    )
    speed = jnp.linalg.norm(found.slip)
    assert found.dissipation == pytest.approx(-float(power), rel=1e-12)
    assert found.dissipation == pytest.approx(
        float(speed * friction_magnitude(parameters.friction, speed, found.contact_force)),
        rel=1e-12,
    )
    assert found.dissipation > 0


def test_an_arbitrary_boundary_that_is_a_sphere_gives_the_forces_of_spheres():
    parameters, source, destination = pair(inside=False)
    spheres = spherical_to_spherical(parameters, source, destination)
    moving = destination.velocity + jnp.cross(destination.angular_velocity, spheres.arm_destination)
    arbitrary = ArbitraryContact(r_s=0.05, contact=HARD, friction=FRICTION)
    found = spherical_to_arbitrary(
        arbitrary, source, boundary_velocity=moving, normal=spheres.normal, gap=spheres.gap
    )
    np.testing.assert_allclose(found.source.force, spheres.source.force, rtol=1e-12)
    np.testing.assert_allclose(found.source.torque, spheres.source.torque, rtol=1e-12)


@pytest.mark.parametrize("contact", [HARD, RAMPED])
@pytest.mark.parametrize("inside", [False, True])
def test_nothing_acts_across_a_gap_not_even_the_additional_resistance(contact, inside):
    found = spherical_to_spherical(*pair(inside, overlap=-1e-9, contact=contact))
    for value in (*found.source, *found.destination, found.dissipation):
        np.testing.assert_array_equal(value, 0.0)
    assert jnp.linalg.norm(found.slip) > 0


def test_the_maximum_bounds_the_friction_with_its_resistance_and_none_is_no_maximum():
    for load, expected in ((1.0, 0.8), (11.4, 6.0), (100.0, 6.0)):
        assert friction_magnitude(FRICTION, 10.0, load) == pytest.approx(expected)
    assert friction_magnitude(FRICTION.replace(Ff_max=None), 10.0, 100.0) == pytest.approx(50.3)
    smooth = FRICTION.replace(smoothing=0.05)
    for load in (0.0, 1.0, 11.4, 100.0):
        hard = float(friction_magnitude(FRICTION, 10.0, load))
        assert 0.95 * hard <= friction_magnitude(smooth, 10.0, load) <= hard
        np.testing.assert_allclose(
            friction_force(smooth, jnp.array([10.0, 0.0, 0.0]), load),
            [-friction_magnitude(smooth, 10.0, load), 0.0, 0.0],
            rtol=1e-14,
        )


def test_both_forms_have_the_slope_of_their_characteristic_velocity_and_their_own_value_at_it():
    for form, at_one in ((EXPONENTIAL, 1 - np.exp(-1)), (TANH, np.tanh(1.0))):
        friction = Friction(mu=0.5, v0=0.02, regularization=form)
        assert friction_magnitude(friction, 0.02, 10.0) == pytest.approx(5.0 * at_one)
        slope = jax.jacfwd(lambda slip, f=friction: friction_force(f, slip, 10.0))(jnp.zeros(3))
        np.testing.assert_allclose(slope, -5.0 / 0.02 * np.eye(3), rtol=1e-14)


def test_the_ramped_contact_force_stays_within_its_bound():
    gap, rate = (
        axis.ravel()
        for axis in np.meshgrid(np.linspace(-3e-3, 1e-3, 41), np.linspace(-1.0, 1.0, 21))
    )
    hard, touching = contact_force(HARD, gap, rate)
    ramped, fraction = contact_force(RAMPED, gap, rate)
    deficit, deep = hard - ramped, gap < -5e-4
    assert np.all(deficit >= -1e-15 * np.abs(hard))
    assert np.all(deficit[deep] <= 1e4 * 5e-4 / 2 + 20.0 * 0.1 / 2 + 1e-12)
    assert np.all((fraction >= 0) & (fraction <= touching))
    assert np.all(fraction[deep] == 1)


def impact(mass, stiffness, damping, speed):
    """Rebound speed and duration with the one-sided dashpot, by integration."""
    force = jax.jit(
        lambda d, rate: one_sided_dashpot_force(d, rate, stiffness=stiffness, damping=damping)
    )
    lifts = lambda t, y: y[0]  # noqa: E731
    lifts.terminal, lifts.direction = True, -1
    unit = np.sqrt(mass / stiffness)
    motion = lambda t, y: [y[1], -float(force(y[0], y[1])) / mass]  # noqa: E731
    run = solve_ivp(
        motion,
        (0, 40 * unit),
        [1e-14, speed],
        events=lifts,
        rtol=1e-9,
        atol=1e-14 * speed,
        max_step=0.05 * unit,
    )
    return -run.y_events[0][0][1], run.t_events[0][0]


@pytest.mark.parametrize("zeta", [0.1, 0.7, 1.0, 2.5])
def test_the_one_sided_dashpot_gives_its_restitution_and_duration(zeta):
    mass, stiffness, speed = 0.2, 5e3, 0.7
    rebound, duration = impact(mass, stiffness, 2 * zeta * np.sqrt(mass * stiffness), speed)
    assert rebound / speed == pytest.approx(float(one_sided_restitution(zeta)), rel=1e-6)
    assert duration == pytest.approx(
        float(one_sided_duration(zeta)) * np.sqrt(mass / stiffness), rel=1e-6
    )


def test_damping_is_found_from_restitution():
    restitution = np.array([1.0, 0.99, 0.5, np.exp(-1), 0.1, 0.01])
    np.testing.assert_allclose(
        one_sided_restitution(one_sided_damping(restitution)), restitution, rtol=1e-12
    )


def rotation_matrix(quaternion):
    unit = quaternion / jnp.linalg.norm(quaternion)
    return jax.vmap(lambda axis: rotate_by_quaternion(axis, unit), out_axes=1)(jnp.eye(3))


@pytest.mark.parametrize("length", [1.0, 0.3, 2.0])
def test_the_quaternion_moment_has_the_power_of_the_moment_for_every_rate_of_the_quaternion(length):
    random = np.random.default_rng(3)
    quaternion = random.normal(size=4)
    quaternion = jnp.asarray(length * quaternion / np.linalg.norm(quaternion))
    moment = jnp.asarray(random.normal(size=3))
    turned = rotation_matrix(quaternion)
    for rate in jnp.asarray(random.normal(size=(4, 4))):
        spin_matrix = jax.jvp(rotation_matrix, (quaternion,), (rate,))[1] @ turned.T
        angular_velocity = jnp.array([spin_matrix[2, 1], spin_matrix[0, 2], spin_matrix[1, 0]])
        assert quaternion_moment(moment, quaternion) @ rate == pytest.approx(
            float(moment @ angular_velocity), rel=1e-12, abs=1e-13
        )
    assert quaternion_moment(moment, quaternion) @ quaternion == pytest.approx(0.0, abs=1e-14)
    in_body = quaternion_moment(turned.T @ moment, quaternion, frame="body")
    np.testing.assert_allclose(
        in_body, quaternion_moment(moment, quaternion), rtol=1e-12, atol=1e-14
    )


@pytest.mark.long
def test_the_quaternion_moment_is_twice_the_product_for_a_unit_quaternion_and_finite_for_none():
    quaternion, moment = jnp.array([0.6, 0.0, 0.8, 0.0]), jnp.array([1.0, 2.0, 3.0])
    expected = 2 * quaternion_product(jnp.array([0.0, 1.0, 2.0, 3.0]), quaternion)
    np.testing.assert_allclose(quaternion_moment(moment, quaternion), expected, rtol=1e-15)
    for frame in ("global", "body"):
        slope = jax.jacfwd(jax.jacrev(lambda q, f=frame: quaternion_moment(moment, q, frame=f)))(
            jnp.zeros(4)
        )
        assert np.all(np.isfinite(slope))
    with pytest.raises(ValueError, match="frame = 'world' is not one of 'global', 'body'"):
        quaternion_moment(moment, quaternion, frame="world")


@pytest.mark.long
@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float32])
def test_inside_contact_is_finite_with_two_derivatives_at_degenerate_points(dtype):
    parameters, source, destination = pair(inside=True)
    rest = Motion(source.position, destination.velocity, jnp.zeros(3))
    pairs = [
        (source, destination),
        (source, destination._replace(position=source.position)),
        (source, destination._replace(position=source.position + 0.07 * ALONG)),
        (rest, destination._replace(angular_velocity=jnp.zeros(3))),
        (source, destination._replace(position=source.position + 0.5 * ALONG)),
    ]
    points = jnp.stack(
        [jnp.concatenate([jnp.stack(one).ravel(), jnp.stack(two).ravel()]) for one, two in pairs]
    ).astype(dtype)

    def forces(x):
        found = spherical_to_spherical(
            parameters, Motion(*x[:9].reshape(3, 3)), Motion(*x[9:].reshape(3, 3))
        )
        return jnp.concatenate([*found.source, *found.destination, found.dissipation[None]])

    orders = jax.jit(
        jax.vmap(lambda x: (forces(x), jax.jacrev(forces)(x), jax.jacfwd(jax.jacrev(forces))(x))),
        compiler_options={"xla_backend_optimization_level": 0},
    )(points)
    for order in orders:
        assert order.dtype == dtype
        assert np.all(np.isfinite(order))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Friction(mu=-0.1, v0=0.01), "Friction: mu = -0.1 - is outside"),
        (lambda: Friction(mu=0.1, v0=0.0), "Friction: v0 = 0 m/s is outside"),
        (lambda: Friction(mu=0.1, v0=0.01, Ff_max=np.nan), "Ff_max = nan N is outside"),
        (lambda: Friction(mu=0.1, v0=0.01, Ff_max=-1.0), "Ff_max = -1 N is outside"),
        (lambda: HARD.replace(ramp_overlap=1e-3), "the smooth form needs both"),
        (
            lambda: SphericalContact(r_s=0.1, r_d=0.1, contact=HARD, arms="middle"),
            "arms = 'middle' is not one of 'undeformed', 'midpoint'",
        ),
    ],
)
def test_bad_parameters_are_rejected_with_the_remedy(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_an_infinite_maximum_is_none():
    """It is the default of the program."""
    infinite = Friction(mu=0.1, v0=0.01, Ff_max=np.inf)
    assert infinite == Friction(mu=0.1, v0=0.01)
    force = jax.jacfwd(lambda load: friction_magnitude(infinite, 0.5, load))(2.0)
    np.testing.assert_allclose(force, 0.1, rtol=1e-12)
