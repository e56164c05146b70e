"""Rolling resistance: deceleration, rest on a slope, and the moments of Ai et al."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.laws.friction.coulomb import TANH
from jaxcontact.laws.friction.rolling import (
    RollingMemory,
    ai_rolling_stiffness,
    constant_rolling_torque,
    critical_rolling_damping,
    epsd_rolling_torque,
    iwashita_oda_rolling_stiffness,
    regularized_rolling_torque,
    rolling_energy,
    viscous_rolling_torque,
)
from jaxcontact.laws.friction.slider import smooth_coulomb_slider

LAW = {"rolling_coefficient": 0.05, "effective_radius": 0.1}
RATE = jnp.asarray([0.3, -1.2, 0.4])


@pytest.mark.slow
def test_hard_torque_has_the_magnitude_of_the_limit_and_opposes():
    torque = constant_rolling_torque(RATE, 20.0, **LAW)
    np.testing.assert_allclose(torque, -0.05 * 0.1 * 20.0 * RATE / 1.3, rtol=1e-14)
    assert np.all(constant_rolling_torque(jnp.zeros(3), 20.0, **LAW) == 0.0)
    assert np.all(constant_rolling_torque(RATE, -20.0, **LAW) == 0.0)


def test_regularised_torque_tends_to_the_hard_one():
    hard = constant_rolling_torque(RATE, 20.0, **LAW)
    smooth = regularized_rolling_torque(
        RATE, 20.0, **LAW, rolling_velocity=0.01, regularization=TANH
    )
    np.testing.assert_allclose(smooth, hard, rtol=1e-12)


def test_viscous_torque_is_the_constant_one_at_a_coefficient_that_grows_with_speed():
    viscous = viscous_rolling_torque(RATE, 20.0, viscous_coefficient=0.5, effective_radius=0.1)
    constant = constant_rolling_torque(
        RATE, 20.0, rolling_coefficient=0.5 * 0.1 * 1.3, effective_radius=0.1
    )
    np.testing.assert_allclose(viscous, constant, rtol=1e-14)


def rolling_on_a_slope(angle, *, rolling_coefficient, time, steps=100_000, slider=None):
    """A solid sphere that rolls without slip on a plane inclined by ``angle``: travel at hundredths
    of the time.
    """
    mass, radius, gravity = 0.2, 0.05, 9.81
    inertia = 1.4 * mass * radius**2
    stiffness = float(iwashita_oda_rolling_stiffness(1e4, effective_radius=radius))
    time_step = time / steps
    law = functools.partial(
        epsd_rolling_torque,
        normal_force=mass * gravity * np.cos(angle),
        rolling_stiffness=stiffness,
        rolling_damping=0.5 * float(critical_rolling_damping(stiffness, inertia=inertia)),
        rolling_coefficient=rolling_coefficient,
        effective_radius=radius,
        time_step=time_step,
        **({} if slider is None else {"slider": slider}),
    )

    def step(state, _):
        turned, rate, torque, memory = state
        rate = rate + time_step * (mass * gravity * np.sin(angle) * radius + torque[0]) / inertia
        torque, memory = law(memory, (time_step * rate)[None])
        return (turned + time_step * rate, rate, torque, memory), None

    def hundredth(state, _):
        state, _ = jax.lax.scan(step, state, None, length=steps // 100)
        return state, state[0] * radius

    start = (jnp.zeros(()), jnp.zeros(()), jnp.zeros(1), RollingMemory(jnp.zeros(1)))
    return jax.jit(lambda s: jax.lax.scan(hundredth, s, None, length=100)[1])(start)


@pytest.mark.parametrize("slider", [None, functools.partial(smooth_coulomb_slider, smoothing=0.1)])
def test_sphere_rests_on_a_slope_below_the_coefficient(slider):
    """tan(angle) = 0.8 mu_r: it settles and stays for ten seconds, to rounding."""
    travel = rolling_on_a_slope(np.arctan(0.08), rolling_coefficient=0.1, time=10.0, slider=slider)
    assert np.max(np.abs(travel[20:] - travel[19])) <= 1e-17


def test_sphere_rolls_down_a_steeper_slope_as_computed():
    """a = 5/7 g (sin - mu_r cos), for tan(angle) = 2 mu_r."""
    angle = np.arctan(0.2)
    travel = rolling_on_a_slope(angle, rolling_coefficient=0.1, time=1.0)
    acceleration = (travel[99] - 2.0 * travel[89] + travel[79]) / 0.1**2
    np.testing.assert_allclose(
        acceleration, 5.0 / 7.0 * 9.81 * (np.sin(angle) - 0.1 * np.cos(angle)), rtol=1e-9
    )


def test_dashpot_stops_when_the_spring_is_fully_mobilised():
    """Ai et al.: the damping torque acts in full below the limit, as a fraction f at it."""
    law = {
        "rolling_stiffness": 4.0,
        "rolling_damping": 0.5,
        "rolling_coefficient": 0.5,
        "effective_radius": 0.25,
        "time_step": 0.5,
    }
    rest = RollingMemory(jnp.zeros(1))
    below, memory = epsd_rolling_torque(rest, jnp.asarray([0.1]), 8.0, **law)
    np.testing.assert_allclose(below, [-(0.4 + 0.1)], rtol=1e-14)
    np.testing.assert_allclose(rolling_energy(memory, rolling_stiffness=4.0), 0.02, rtol=1e-14)
    for fraction in (0.0, 0.3, 1.0):
        mobilised, memory = epsd_rolling_torque(
            rest, jnp.asarray([1.0]), 8.0, **law, mobilized_damping=fraction
        )
        np.testing.assert_allclose(mobilised, [-(1.0 + fraction)], rtol=1e-14)
        np.testing.assert_allclose(memory.torque, [1.0], rtol=1e-14)


def test_rotation_that_mobilises_the_spring_of_ai():
    """Under ``F_n = k_n d`` it is ``mu_r R k_n d/k_r = 4 d/(9 mu_r R)``."""
    stiffness = ai_rolling_stiffness(1e5, rolling_coefficient=0.1, effective_radius=0.02)
    np.testing.assert_allclose(
        0.1 * 0.02 * 1e5 * 1e-5 / stiffness, 4.0 * 1e-5 / (9.0 * 0.1 * 0.02), rtol=1e-14
    )
