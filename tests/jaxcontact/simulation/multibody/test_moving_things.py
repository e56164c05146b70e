"""Surfaces and anchors that move as prescribed, friction with memory, and the agreement of all
methods in the limit.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.simulation.multibody.engine import steps_in_flight

RADIUS, MASS, G = 0.02, 0.03, 9.81
CONTACT = jc.ContactModel(
    normal=jc.HuntCrossley(stiffness=1e8, restitution=0.7),
    friction=jc.RegularizedCoulomb(coefficient=0.3, slip_velocity=1e-2),
)
# Nothing stays on a plate here: without sustained contacts it compiles in half the time.
METHOD = jc.EventAligned(max_contacts=6, sustained_steps=0)
RIGID = jc.Impulse(max_contacts=6, sustained_steps=0)


@functools.cache
def above_a_plate(method, gravity=(0.0, 0.0, -G)):
    def run(motion, position, velocity, spin, times) -> jc.Trajectory:
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            surfaces=(jc.Plane(motion=motion),),
            contact=CONTACT,
            gravity=gravity,
        )
        return jc.simulate(
            scene,
            jc.state(position=position, velocity=velocity, spin=spin),
            times,
            method=method,
            ledger=True,
        )

    return jax.jit(run)


def motion(**changes) -> jc.PrescribedMotion:
    return jax.tree.map(
        jnp.asarray, jc.PrescribedMotion(), is_leaf=lambda x: isinstance(x, tuple)
    ).replace(**{name: jnp.asarray(value) for name, value in changes.items()})


@pytest.mark.long("soft")
@pytest.mark.long("rigid")
@pytest.mark.parametrize(
    "method",
    [pytest.param(METHOD, id="soft", marks=pytest.mark.slow), pytest.param(RIGID, id="rigid")],
)
def test_a_plate_that_moves_steadily_is_a_plate_at_rest_seen_by_somebody_who_moves(method):
    times, steady = jnp.linspace(0.0, 0.3, 7), np.array([0.4, -0.2, 0.3])
    position, velocity, spin = (
        np.array([0.0, 0.0, 0.08]),
        np.array([0.5, 0.1, -0.2]),
        np.array([5.0, -20.0, 8.0]),
    )
    moving = above_a_plate(method)(
        motion(velocity=steady), position, velocity + steady, spin, times
    )
    still = above_a_plate(method)(motion(), position, velocity, spin, times)
    assert int(np.sum(still.contacts.happened)) >= 1
    np.testing.assert_allclose(moving.position - steady * times[:, None], still.position, atol=1e-6)
    np.testing.assert_allclose(moving.spin, still.spin, atol=1e-3)
    assert moving.ledger.imbalance < 1e-5
    assert np.max(np.abs(moving.ledger.supplied)) > 1e-3


@pytest.mark.long
def test_the_budget_of_steps_grows_with_the_periods_of_what_moves():
    """Beside a plate that vibrates a flight takes 50 steps in a period; where the frequency is
    traced, a guess has to do.
    """

    def steps(scene, times):
        return steps_in_flight(scene, 1, times)

    def scene(frequency, **more):
        plate = jc.Plane(
            motion=jc.PrescribedMotion(amplitude=(0.0, 0.0, 1e-3), frequency=frequency)
        )
        return jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS), surfaces=(plate,), contact=CONTACT, **more
        )

    for frequency, duration in ((25.0, 0.35), (25.0, 3.0), (400.0, 1.0)):
        assert (
            50 * frequency * duration
            <= steps(scene(frequency), (0.0, duration))
            <= 100 * frequency * duration + 128
        )
    assert steps(scene(0.0), (0.0, 1.0)) == 128
    traced = jax.eval_shape(lambda frequency: jnp.zeros(steps(scene(frequency), (0.0, 0.35))), 25.0)
    assert traced.shape[0] > 50 * 25.0 * 0.35
    spring = jc.AnchorSpring(stiffness=MASS * (2 * np.pi * 30.0) ** 2, anchor=jc.PrescribedMotion())
    assert 1500 <= steps(scene(0.0, springs=(spring,)), (0.0, 1.0)) <= 3000


@pytest.mark.long
def test_a_vibrating_plate_kicks_as_scipy_says():
    amplitude, frequency, fall, restitution, duration = 1e-3, 25.0, 0.05, 0.7, 0.35
    times = jnp.linspace(0.0, duration, 8)
    shaking = motion(amplitude=(0.0, 0.0, amplitude), frequency=frequency)
    found = above_a_plate(RIGID)(
        shaking, np.array([0.0, 0.0, RADIUS + fall]), np.zeros(3), np.zeros(3), times
    )
    omega = 2 * np.pi * frequency

    def gap(t, y):
        return y[0] - amplitude * np.sin(omega * t)

    gap.terminal, gap.direction = True, -1
    t, y, heights = 0.0, np.array([fall, 0.0]), {}
    while t < duration:
        flight = solve_ivp(
            lambda _, y: (y[1], -G),
            (t, duration),
            y,
            events=gap,
            rtol=1e-12,
            atol=1e-13,
            dense_output=True,
        )
        heights |= {i: flight.sol(s)[0] for i, s in enumerate(times) if t <= s <= flight.t[-1]}
        t, y = flight.t[-1], flight.y[:, -1]
        plate = amplitude * omega * np.cos(omega * t)
        y = np.array([y[0] + 1e-13, plate - restitution * (y[1] - plate)])
    np.testing.assert_allclose(
        found.position[:, 2] - RADIUS, [heights[i] for i in range(len(times))], atol=1e-8
    )


@pytest.mark.long
def test_the_derivative_by_the_amplitude_of_a_plate_is_that_of_differences():
    def height(amplitude):
        shaking = motion(
            amplitude=jnp.stack([0.0 * amplitude, 0.0 * amplitude, amplitude]), frequency=25.0
        )
        start = jc.state(position=(0.0, 0.0, RADIUS + 0.05))
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            surfaces=(jc.Plane(motion=shaking),),
            contact=CONTACT,
        )
        return jc.simulate(scene, start, jnp.array([0.0, 0.2]), method=RIGID).position[-1, 2]

    both = jax.jit(lambda amplitude: jax.jvp(height, (amplitude,), (1.0,)))
    h = 1e-7
    difference = (both(1e-3 + h)[0] - both(1e-3 - h)[0]) / (2 * h)
    assert float(both(1e-3)[1]) == pytest.approx(float(difference), rel=1e-6)


# A ball pulled down by a spring whose other end goes down and up again.


@pytest.mark.long
def test_a_spring_to_a_moving_anchor_presses_and_lets_go():
    """Slowly: the force on the ball is that of the spring, and what the anchor did is stored or
    lost in the end.
    """
    stiffness = 400.0
    anchor = jc.PrescribedMotion(
        reference_point=(0.0, 0.0, RADIUS), amplitude=(0.0, 0.0, 0.01), frequency=1.0, phase=np.pi
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=1e8, restitution=0.5)),
        gravity=(0.0, 0.0, 0.0),
        springs=(jc.AnchorSpring(body=0, stiffness=stiffness, damping=0.5, anchor=anchor),),
    )
    times = jnp.linspace(0.0, 0.5, 11)
    found = jc.simulate(
        scene,
        jc.state(position=(0.0, 0.0, RADIUS)),
        times,
        method=jc.EventAligned(max_contacts=6),
        ledger=True,
    )
    load = stiffness * 0.01 * np.sin(2 * np.pi * np.asarray(times[1:-1]))
    np.testing.assert_allclose(RADIUS - found.position[1:-1, 2], (load / 1e8) ** (2 / 3), rtol=2e-2)
    assert found.ledger.imbalance < 1e-4


# Friction with memory.

SPRINGS = {
    "Cundall and Strack": jc.CundallStrack(coefficient=0.2, tangential_stiffness=2e5, zeta=0.05),
    "Mindlin": jc.Mindlin(coefficient=0.2, effective_shear_modulus=5e8),
}


@functools.cache
def oblique(name: str, method):
    def run(stiffness, restitution, velocity, spin, duration) -> jc.Trajectory:
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=stiffness, restitution=restitution),
            friction=SPRINGS[name],
        )
        scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.011), contact=contact)
        start = jc.state(position=(0.0, 0.0, 0.0101), velocity=velocity, spin=spin)
        return jc.simulate(
            scene,
            start,
            jnp.linspace(0.0, 1.0, 3) * duration,
            method=method,
            ledger=isinstance(method, jc.EventAligned),
        )

    return jax.jit(run) if isinstance(method, jc.EventAligned) else run


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["Cundall and Strack", pytest.param("Mindlin", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("sideways", [0.05, 0.5, 3.0])
def test_fixed_steps_tend_to_the_event_aligned_impact_with_memory(name, sideways):
    velocity, spin = np.array([sideways, 0.02, -1.0]), np.array([3.0, 5.0, -4.0])
    aligned = oblique(name, jc.EventAligned(max_contacts=2, graded_step=0.025))(
        1e8, 0.8, velocity, spin, 1e-3
    )
    fixed = oblique(name, jc.FixedStep(step=1e-7, scheme="velocity_verlet"))(
        1e8, 0.8, velocity, spin, np.float64(1e-3)
    )
    # With a dashpot behind the slider the error is of first order in the step.
    within = 1e-3 * max(1.0, sideways)
    np.testing.assert_allclose(aligned.velocity[-1], fixed.velocity[-1], atol=within)
    np.testing.assert_allclose(0.01 * aligned.spin[-1], 0.01 * fixed.spin[-1], atol=2.5 * within)
    assert aligned.ledger.imbalance < 1e-5


@pytest.mark.long
def test_the_ledger_of_rigid_bounces_in_air_closes():
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=2.7e-3), contact=CONTACT, drag=jc.QuadraticDrag()
    )
    start = jc.state(position=(0.0, 0.0, 0.3), velocity=(2.0, 0.0, 0.0))
    ledger = jc.simulate(scene, start, jnp.linspace(0.0, 0.6, 4), method=RIGID, ledger=True).ledger
    assert ledger.fluid[-1] > 1e-4
    assert ledger.imbalance < 1e-8
