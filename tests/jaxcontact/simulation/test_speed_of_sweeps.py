"""What is faster gives the same: contacts solved for at once, and sweeps in groups of equal length.
Values only, nothing is timed.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from experiments.benchmarks import bounce, reference_solution
from jaxcontact.numerics.collocation import graded_grid, newton_iteration, solved
from jaxcontact.simulation.single_sphere.contact import (
    contact_phase,
    external_load,
    normal_path,
    prepared,
    touch_down,
)
from jaxcontact.simulation.single_sphere.flight import SphereMotion
from jaxcontact.sweep import sweep

AT_ONCE = jc.EventAligned(max_contacts=8, at_once=True)
TIMES = np.linspace(0.0, 1.0, 101)


def lanes(count):
    parameters = np.stack(reference_solution.sweep_parameters(count), axis=-1)
    start = np.tile(reference_solution.BOUNCE_TRAIN_START, (count, 1))
    return np.concatenate([np.log(parameters[:, :1]), parameters[:, 1:], start], axis=1)


def make(inputs):
    return bounce.scene(*inputs[:3]), bounce.initial(*inputs[3:])


def test_the_matrix_of_the_grid_integrates_functions_of_the_square_root_of_the_distance_to_an_end():
    grid = graded_grid(24)
    found = grid.integral @ (grid.density * grid.nodes**1.5)
    np.testing.assert_allclose(found, grid.nodes**2.5 / 2.5, rtol=0, atol=3e-8)
    assert (grid.nodes[0], grid.nodes[-1]) == (0.0, 1.0)


@pytest.mark.slow
def test_newton_iterations_on_a_grid_solve_an_equation_of_motion_and_carry_its_derivatives():
    grid = graded_grid(24)
    density, integral = jnp.asarray(grid.density), jnp.asarray(grid.integral)

    def iterate(value, rate):
        return newton_iteration(
            integral, value, -density * rate * value**2, -2 * density * rate * value
        )

    def last(rate):
        frozen = (jax.lax.stop_gradient(rate),)
        return solved(
            iterate,
            jnp.ones(24),
            rate,
            frozen=frozen,
            bounded=lambda old, new: jnp.clip(new, old / 2, 2 * old),
        )[-1]

    rate = 0.7  # v' = -rate v^2 from 1: 1/(1 + rate) at 1
    assert last(rate) == pytest.approx(1 / (1 + rate), abs=1e-10)
    assert jax.grad(last)(rate) == pytest.approx(-1 / (1 + rate) ** 2, abs=1e-9)
    assert jax.jacfwd(jax.grad(last))(rate) == pytest.approx(2 / (1 + rate) ** 3, abs=1e-7)


@pytest.mark.parametrize(
    ("law", "tolerance"),
    [
        (jc.HuntCrossley(stiffness=1e7, restitution=0.6), 5e-9),
        (jc.LinearDashpot(stiffness=1e5, restitution=0.6), 1e-10),
    ],
)
def test_a_contact_at_once_is_the_one_in_steps(law, tolerance):
    scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.01), contact=jc.ContactModel(normal=law))
    up = jnp.array([0.0, 0.0, 1.0])

    @jax.jit
    def rebound_and_duration(speed):
        motion, constants = (
            SphereMotion(jnp.zeros(()), jnp.zeros(3), -speed * up, jnp.zeros(3)),
            prepared(law),
        )
        touch = touch_down(
            scene, motion, up, constants=constants, steps=12, at_once=None, rest_overlap=0.01
        )
        phase = contact_phase(scene, touch, constants)

        def last(steps, at_once):
            path = normal_path(
                scene,
                touch,
                phase,
                load=external_load(scene, touch, phase),
                constants=constants,
                steps=steps,
                at_once=at_once,
            )
            return jnp.stack([path.rate[-1], path.tau[-1]])

        return jnp.stack([last(12, True), last(24, False)])

    at_once, stepped = rebound_and_duration(0.8)
    np.testing.assert_allclose(at_once, stepped, rtol=tolerance)


@pytest.mark.long
@pytest.mark.parametrize(
    ("restitution", "accuracy"), [(1.0, 1e-7), (0.6, 3e-7), (0.3, 1e-5), (0.2, 1e-4), (0.02, None)]
)
def test_contacts_at_once_rebound_as_they_should_and_have_finite_derivatives(restitution, accuracy):
    def rebound(restitution, gravity):
        law = jc.HuntCrossley(stiffness=1e7, restitution=restitution)
        gravity = jnp.stack([0.0, 0.0, -gravity])
        scene = jc.Scene(
            bodies=jc.spheres(radius=0.01, mass=0.01),
            contact=jc.ContactModel(normal=law),
            gravity=gravity,
        )
        path = jc.simulate(
            scene,
            jc.state(position=(0, 0, 0.011), velocity=(0, 0, -1.0)),
            (0.0, 0.01),
            method=AT_ONCE,
        )
        return path.contacts.rebound_speed[0] / path.contacts.impact_speed[0]

    value, slopes = jax.jit(jax.value_and_grad(rebound, argnums=(0, 1)))(restitution, 1e-9)
    assert value == pytest.approx(restitution, abs=1e-8)
    assert np.all(np.isfinite(slopes))
    assert accuracy is None or slopes[0] == pytest.approx(1.0, abs=accuracy)


@pytest.mark.slow
def test_a_sweep_is_the_mapped_simulation_in_the_order_of_its_inputs():
    inputs = lanes(7)
    method = jc.EventAligned(max_contacts=20, at_once=True)
    mapped = jax.jit(jax.vmap(lambda one: jc.simulate(*make(one), TIMES, method=method)))(inputs)
    grouped = jax.jit(lambda inputs: sweep(make, inputs, TIMES, method=method, lanes=3))(inputs)
    np.testing.assert_allclose(grouped.position, mapped.position, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(grouped.contacts.happened, mapped.contacts.happened)
    np.testing.assert_array_equal(grouped.status, mapped.status)


@pytest.mark.long
@pytest.mark.slow
def test_a_sweep_has_the_derivatives_of_its_simulations():
    inputs = lanes(3)

    def last_height(inputs):
        return sweep(make, inputs, TIMES, method=AT_ONCE, lanes=2).position[:, -1, 2]

    def alone(one):
        return jc.simulate(*make(one), TIMES, method=AT_ONCE).position[-1, 2]

    expected = jax.jit(jax.vmap(jax.jacfwd(alone)))(inputs)
    found = jax.jit(jax.grad(lambda inputs: jnp.sum(last_height(inputs))))(inputs)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.long
@pytest.mark.slow
def test_lanes_of_a_sweep_stay_close_to_their_reference():
    inputs = lanes(12)
    times = np.concatenate([[0.0], reference_solution.BOUNCE_TRAIN_TIMES])
    method = jc.EventAligned(max_contacts=50, contact_steps=8, at_once=True)
    found = jax.jit(lambda inputs: sweep(make, inputs, times, method=method).position)(inputs)[
        :, 1:, jnp.array([0, 2])
    ]
    parameters = reference_solution.sweep_parameters(12)
    expected = reference_solution.trajectory(
        parameters, reference_solution.BOUNCE_TRAIN_START, times[1:]
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-6)


def test_a_sweep_says_what_is_wrong_with_its_arguments():
    with pytest.raises(ValueError, match="lanes = 0"):
        sweep(make, lanes(3), TIMES, lanes=0)
    with pytest.raises(ValueError, match="first axes of inputs"):
        sweep(make, (np.zeros(3), np.zeros(2)), TIMES)
    with pytest.raises(TypeError, match="FixedStep"):
        sweep(make, lanes(3), TIMES, method=jc.FixedStep(step=1e-5))
