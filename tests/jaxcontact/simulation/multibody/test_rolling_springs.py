"""Rolling resistance with a spring that remembers (EPSD) in scenes: oscillation, sliding of the
spring, holding on a slope.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
RADIUS, MASS, STIFFNESS, GRAVITY = 0.01, 0.01, 1e4, 9.81
INERTIA = 0.4 * MASS * RADIUS**2
TIMES = np.linspace(0.0, 0.02, 5)


def rocking(rolling_stiffness, *, coefficient, method, spin=0.1, ledger=False):
    """A ball on a smooth plane, pressed on by its weight, that turns on the spot against its
    rolling spring.
    """
    contact = jc.ContactModel(
        normal=jc.LinearDashpot(stiffness=STIFFNESS, restitution=1.0),
        rolling=jc.RollingSpring(
            rolling_coefficient=coefficient, rolling_stiffness=rolling_stiffness
        ),
    )
    scene = jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)
    start = jc.state(
        position=(0.0, 0.0, RADIUS - MASS * GRAVITY / STIFFNESS), spin=(0.0, spin, 0.0)
    )
    return jc.simulate(scene, start, TIMES, method=method, ledger=ledger)


STEPS = jc.EventAligned(max_contacts=1, sustained_steps=0, max_steps=1500)
FREQUENCY = 400.0
ROLLING = INERTIA * FREQUENCY**2


@pytest.mark.long
@pytest.mark.slow
def test_a_ball_swings_on_its_rolling_spring():
    def spins(stiffness):
        found = rocking(stiffness, coefficient=10.0, method=STEPS, ledger=True)
        return found.spin[:, 1], found

    spin, slope, found = FAST(lambda k: jax.jvp(spins, (k,), (k,), has_aux=True))(ROLLING)
    phase = FREQUENCY * TIMES
    assert found.status == jc.Status.SUCCESS
    np.testing.assert_allclose(spin, 0.1 * np.cos(phase), atol=1e-4)
    np.testing.assert_allclose(slope, -0.05 * phase * np.sin(phase), atol=3e-4)
    assert found.ledger.imbalance < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "velocity_verlet", "runge_kutta_4"])
def test_fixed_steps_swing_alike(scheme):
    found = rocking(ROLLING, coefficient=10.0, method=jc.FixedStep(step=2e-6, scheme=scheme))
    np.testing.assert_allclose(found.spin[:, 1], 0.1 * np.cos(FREQUENCY * TIMES), atol=5e-4)


@pytest.mark.long
def test_a_spring_that_slides_slows_down_by_its_limit():
    coefficient, spin = 1e-3, 20.0
    found = FAST(functools.partial(rocking, coefficient=coefficient, method=STEPS, spin=spin))(
        ROLLING
    )
    loss = coefficient * RADIUS * MASS * GRAVITY / INERTIA
    # But for what the spring takes before it slides.
    np.testing.assert_allclose(found.spin[:, 1], spin - loss * TIMES, atol=1e-2 * loss * TIMES[-1])


@pytest.mark.long
@pytest.mark.slow
def test_a_ball_is_held_on_a_slope_below_its_coefficient_and_rolls_above():
    def moved(coefficient):
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e7, restitution=0.5),
            friction=jc.CundallStrack(coefficient=0.8, tangential_stiffness=1e6),
            rolling=jc.RollingSpring(rolling_coefficient=coefficient, rolling_stiffness=1.0),
        )
        slope = 0.1
        gravity = GRAVITY * jnp.array([np.sin(slope), 0.0, -np.cos(slope)])
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=gravity
        )
        start = jc.state(position=(0.0, 0.0, RADIUS))
        return jc.simulate(
            scene, start, jnp.array([0.0, 0.1, 1.0]), method=jc.EventAligned(max_contacts=8)
        ).position[:, 0]

    run = FAST(moved)
    held, rolls = run(0.12), run(0.05)
    assert abs(held[2] - held[1]) < 1e-12
    acceleration = 5 / 7 * GRAVITY * (np.sin(0.1) - 0.05 * np.cos(0.1))
    np.testing.assert_allclose(rolls[2], acceleration / 2, rtol=1e-2)
