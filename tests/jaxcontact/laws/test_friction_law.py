"""Friction models from a force alone: against closed flows, and an independent integration."""

import pickle
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.laws.core.corner import corners
from jaxcontact.laws.friction import coulomb, rolling, spinning, stribeck
from jaxcontact.laws.friction.continuous import continuous_friction_force
from jaxcontact.numerics.smooth import safe_norm

pytestmark = pytest.mark.slow

FromForce = jc.friction_law(coulomb.friction_force, corner="slip_velocity")
Stribeck = jc.friction_law(stribeck.regularized_stribeck_force)
FORMS = jc.laws.REGULARIZATIONS
DIRECTION = jnp.array([0.6, 0.8, 0.0])
IMPULSES = jnp.array([0.0, 0.01, 0.1, 0.3, 1.0, 3.0, 30.0, 1000.0])


def both(form, **values):
    return (
        FromForce(regularization=FORMS[form], **values),
        jc.RegularizedCoulomb(regularization=FORMS[form], **values),
    )


@pytest.mark.parametrize("slip_velocity", [0.1, 1e-3, 1e-5])
@pytest.mark.parametrize("form", FORMS)
def test_the_flow_is_the_closed_one(form, slip_velocity):
    found, closed = both(form, coefficient=0.3, slip_velocity=slip_velocity)
    for size in (3.0, 0.1, 1e-4, 1e-9, 0.0):
        slip = size * DIRECTION
        difference = found.slip_after(slip, IMPULSES) - closed.slip_after(slip, IMPULSES)
        assert np.max(np.abs(difference)) <= 1e-14 * size


@pytest.mark.long
def test_derivatives_of_two_orders_are_those_of_the_closed_flow():
    def share(model, values):
        coefficient, slip_velocity, size, impulse = values
        law = model(
            coefficient=coefficient, slip_velocity=slip_velocity, regularization=FORMS["tanh"]
        )
        return law.slip_after(size * DIRECTION, impulse)[0]

    at = jnp.array([(0.3, 0.01, *point) for point in ((0.4, 0.3), (0.4, 1.32), (0.004, 0.1))])
    for derivative in (jax.jacrev, jax.hessian):
        found, closed = (
            np.asarray(jax.jit(jax.vmap(derivative(partial(share, model))))(at))
            for model in (FromForce, jc.RegularizedCoulomb)
        )
        np.testing.assert_allclose(found, closed, rtol=1e-9, atol=1e-9 * np.abs(closed).max())


def test_gradients_are_finite_wherever_the_slip_ends():
    """Also where it ends so deep that the panels do not reach there."""

    def left(law, size, impulse):
        return law.slip_after(size * DIRECTION, impulse)[0]

    sizes, impulses = jnp.meshgrid(jnp.array([2.0, 1e-3, 1e-9, 0.0]), IMPULSES)
    law = Stribeck(
        static_coefficient=0.4,
        coefficient=0.3,
        stribeck_velocity=0.1,
        viscous_coefficient=0.0,
        slip_velocity=1e-3,
    )
    slopes = jax.vmap(jax.grad(left, argnums=(0, 1, 2)), (None, 0, 0))
    found = jax.jit(slopes)(law, sizes.ravel(), impulses.ravel())
    assert all(np.all(np.isfinite(leaf)) for leaf in jax.tree.leaves(found))


def test_without_friction_the_derivative_by_the_coefficient_is_that_of_little():
    def left(coefficient):
        law = FromForce(coefficient=coefficient, slip_velocity=1e-3)
        return law.slip_after(0.5 * DIRECTION, 1.0)

    left = jax.jit(left)
    assert left(0.0) == pytest.approx(0.5 * DIRECTION)
    expected = -DIRECTION / np.hypot(1.0, 1e-3 / 0.5) * 1.0
    assert jax.jit(jax.jacfwd(left))(0.0) == pytest.approx(expected, rel=1e-5)


def test_friction_that_falls_with_the_slip_is_that_of_an_integration():
    values = {
        "static_coefficient": 0.4,
        "coefficient": 0.3,
        "stribeck_velocity": 0.1,
        "viscous_coefficient": 0.02,
        "slip_velocity": 1e-3,
    }
    law = Stribeck(**values)

    def rate(_, logarithm):  # in NumPy, by the formula
        slip = np.exp(logarithm)
        mu = 0.3 + 0.1 * np.exp(-((slip / 0.1) ** 2)) + 0.02 * slip
        return -mu * np.tanh(slip / 1e-3) / slip

    ends = [0.1, 1.0, 1.5, 1.69, 2.0]
    flow = solve_ivp(
        rate, (0, 2), [np.log(0.5)], method="Radau", t_eval=ends, rtol=1e-11, atol=1e-12
    )
    found = law.slip_after(jnp.array([0.5, 0.0, 0.0]), jnp.array(ends))[:, 0]
    np.testing.assert_allclose(found, np.exp(flow.y[0]), rtol=1e-8)


@pytest.mark.long
def test_batches_and_single_precision():
    law, closed = both("tanh", coefficient=0.3, slip_velocity=1e-3)
    slips = jnp.linspace(0.0, 1.0, 6).reshape(2, 3, 1) * DIRECTION
    impulse = jnp.array([0.1, 1.0, 5.0])
    assert law.slip_after(slips, impulse) == pytest.approx(closed.slip_after(slips, impulse))
    single = law.slip_after(slips.astype(jnp.float32), impulse.astype(jnp.float32))
    assert single.dtype == jnp.float32
    assert single == pytest.approx(closed.slip_after(slips, impulse), abs=1e-5)


@pytest.mark.long("event")
@pytest.mark.parametrize("method", [jc.EventAligned(), jc.Impulse()], ids=["event", "impulse"])
def test_a_ball_that_slides_and_then_sticks_moves_as_with_the_closed_law(method):
    def motion(friction):
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e6, restitution=0.8), friction=friction
        )
        scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
        thrown = jc.state(position=(0, 0, 0.2), velocity=(1.0, 0, 0), spin=(0, 0, 3.0))
        return jc.simulate(scene, thrown, jnp.linspace(0, 1.0, 11), method=method)

    for coefficient in (0.02, 0.3):
        found, closed = map(motion, both("root", coefficient=coefficient, slip_velocity=1e-3))
        np.testing.assert_allclose(found.position, closed.position, atol=1e-12)
        np.testing.assert_allclose(found.spin, closed.spin, atol=1e-10)


@pytest.mark.long
def test_two_spheres_with_friction_that_falls_move_as_an_integration_in_time_says():
    """A collision with the formulas in NumPy."""
    law = Stribeck(
        static_coefficient=0.3,
        coefficient=0.1,
        stribeck_velocity=0.3,
        viscous_coefficient=0.0,
        slip_velocity=1e-2,
    )
    radius, mass, stiffness = 0.02, 0.03, 1e5
    inertia = 0.4 * mass * radius**2
    normal = jc.normal_law(jc.laws.elastic.hertz_force)(stiffness=stiffness)
    scene = jc.Scene(
        bodies=jc.spheres(radius=[radius, radius], mass=[mass, mass]),
        contact=jc.ContactModel(normal=normal, friction=law),
        surfaces=(),
        gravity=(0, 0, 0),
    )
    start = jc.state(
        position=[(0, 0, 0), (0.0399, 0.01, 0)],
        velocity=[(1.0, 0, 0), (0, 0, 0)],
        spin=[(0, 0, 30.0), (0, 0, 0)],
    )
    end = 0.02
    found = jc.simulate(scene, start, jnp.array([0.0, end]))

    def rates(_, y):
        first, second, u, v, w = y[0:2], y[2:4], y[4:6], y[6:8], y[8:10]
        apart = second - first
        distance = np.hypot(*apart)
        overlap = max(2 * radius - distance, 0.0)
        along = apart / distance
        across = np.array([-along[1], along[0]])
        arm = distance / 2
        slip = (v - u) @ across - arm * (w[0] + w[1])  # of the second against the first
        mu = 0.1 + 0.2 * np.exp(-((slip / 0.3) ** 2))
        load = stiffness * overlap**1.5
        push = load * along - mu * load * np.tanh(slip / 1e-2) * across
        torque = mu * load * np.tanh(slip / 1e-2) * arm / inertia
        return np.concatenate([u, v, -push / mass, push / mass, [torque, torque]])

    y = np.array([0, 0, 0.0399, 0.01, 1.0, 0, 0, 0, 30.0, 0])
    done = solve_ivp(rates, (0, end), y, method="DOP853", rtol=1e-12, atol=1e-14, max_step=2e-6)
    assert np.abs(done.y[8:, -1] - [30, 0]).max() > 1.0
    np.testing.assert_allclose(found.velocity[-1, :, :2].ravel(), done.y[4:8, -1], atol=1e-6)
    np.testing.assert_allclose(found.spin[-1, :, 2], done.y[8:, -1], atol=2e-5)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="stribeck_force jumps where the slip is zero"):
        jc.friction_law(stribeck.stribeck_force)
    with pytest.raises(ValueError, match="not a registered law of slip and normal_force"):
        jc.friction_law(jc.laws.elastic.hertz_force)
    with pytest.raises(ValueError, match="not a registered law"):
        jc.friction_law(lambda slip, normal_force: -slip * normal_force)
    capped = jc.friction_law(continuous_friction_force)
    with pytest.raises(ValueError, match=r"not proportional to the normal force.*comsol"):
        capped(coefficient=0.3, sliding_resistance=0.1, maximum_force=100.0, slip_velocity=1e-3)


def test_for_one_function_there_is_one_class():
    assert jc.friction_law(coulomb.friction_force, corner="slip_velocity") is FromForce


@pytest.mark.long
def test_it_keeps_the_rules_of_friction_laws():
    jc.testing.check_law(
        Stribeck(
            static_coefficient=0.4,
            coefficient=0.3,
            stribeck_velocity=0.1,
            viscous_coefficient=0.0,
            slip_velocity=1e-2,
        )
    )


def test_a_law_of_a_function_tells_its_corner_where_its_form_has_one():
    given = {"coefficient": 0.3, "slip_velocity": 2e-3}
    assert FromForce(**given, regularization=coulomb.LINEAR).corner == 2e-3
    assert FromForce(**given, regularization=coulomb.ROOT).corner is None
    law = FromForce(**given, regularization=coulomb.LINEAR)
    assert pickle.loads(pickle.dumps(law)).corner == 2e-3
    Rolling = jc.rolling_law(rolling.regularized_rolling_torque, corner="rolling_velocity")
    torque = Rolling(rolling_coefficient=0.1, rolling_velocity=3.0, regularization=coulomb.LINEAR)
    assert torque.corner == 3.0
    with pytest.raises(ValueError, match="corner = 'slip' is not"):
        jc.spinning_law(spinning.regularized_spinning_torque, corner="slip")


@pytest.mark.parametrize("slip_velocity", [1e-6, 2e-3, 40.0])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_a_corner_that_is_not_told_is_found_and_its_parameter_named(slip_velocity, precision):
    given = {"coefficient": 0.25, "slip_velocity": precision(slip_velocity)}
    Untold = jc.friction_law(coulomb.friction_force)
    with pytest.raises(ValueError, match=rf"slip of {slip_velocity:g}.*corner='slip_velocity'"):
        Untold(**given, regularization=coulomb.LINEAR)
    # one that is told elsewhere is not told
    Elsewhere = jc.friction_law(coulomb.friction_force, corner="coefficient")
    with pytest.raises(ValueError, match="corner='slip_velocity'"):
        Elsewhere(**given, regularization=coulomb.LINEAR)


def test_corners_of_torques_are_found_likewise():
    Rolling = jc.rolling_law(rolling.regularized_rolling_torque)
    with pytest.raises(ValueError, match=r"rotation rate of 3 .*corner='rolling_velocity'"):
        Rolling(rolling_coefficient=0.1, rolling_velocity=3.0, regularization=coulomb.LINEAR)
    Spinning = jc.spinning_law(spinning.regularized_spinning_torque)
    with pytest.raises(ValueError, match=r"spin of 3 .*corner='spin_velocity'"):
        Spinning(coefficient=0.1, spin_velocity=3.0, regularization=coulomb.LINEAR)


@pytest.mark.parametrize("form", jc.laws.REGULARIZATIONS.values(), ids=lambda form: form.name)
def test_corners_are_found_where_they_are_and_nowhere_else(form):
    def force(slip, normal_force):
        return coulomb.friction_force(
            slip, normal_force, coefficient=0.3, slip_velocity=2e-3, regularization=form
        )

    assert corners(force) == (pytest.approx([2e-3], rel=2e-6) if form is coulomb.LINEAR else [])


def test_each_of_several_corners_is_found():
    def force(slip, normal_force):
        speed = safe_norm(slip)
        steps = jnp.minimum(speed / 1e-3, 1.0) + 0.2 * jnp.clip(speed / 0.5 - 1.0, 0.0, 1.0)
        return -slip * (normal_force * steps / jnp.where(speed > 0, speed, 1.0))[..., None]

    assert corners(force) == pytest.approx([1e-3, 0.5, 1.0], rel=2e-6)


@pytest.mark.parametrize("form", jc.laws.REGULARIZATIONS.values(), ids=lambda form: form.name)
def test_only_the_linear_form_has_a_corner(form):
    linear = form is coulomb.LINEAR
    friction = jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=1e-3, regularization=form)
    assert friction.corner == (1e-3 if linear else None)
    resistance = jc.RollingResistance(rolling_coefficient=0.3, regularization=form)
    assert resistance.corner == (1e-3 if linear else None)
    spin = jc.SpinningFriction(coefficient=0.3, spin_velocity=2.0, regularization=form)
    assert spin.corner == (2.0 if linear else None)
