"""Where a simulation starts it is, whatever it starts in; what is too soft to rest is followed; and
what cannot be followed is said.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc

RADIUS, MASS, GRAVITY = 0.02, 0.03, 9.81
TIMES = np.linspace(0.0, 0.3, 31)


def scene(stiffness, restitution=1.0):
    law = jc.HuntCrossley(stiffness=stiffness, restitution=restitution)
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=jc.ContactModel(normal=law)
    )


def elastic_height(stiffness, height, speed):
    """By SciPy: ``m z'' = K max(R - z, 0)^1.5 - m g``."""

    def rates(_, state):
        overlap = max(RADIUS - state[0], 0.0)
        return [state[1], stiffness * overlap**1.5 / MASS - GRAVITY]

    found = solve_ivp(
        rates, (0.0, TIMES[-1]), [height, speed], t_eval=TIMES, method="DOP853", rtol=1e-12,
        atol=1e-14, max_step=2e-4,
    )  # fmt: skip
    return found.y[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stiffness", "height", "speed"),
    [(1e4, 0.015, 0.0), (1e4, 0.019, -0.4), (1e4, 0.012, 0.3)],
    ids=["pressed in", "on its way in", "on its way out"],
)
def test_a_start_in_overlap_is_the_first_output_and_the_start_of_the_motion(
    stiffness, height, speed
):
    start = jc.state(position=(0.0, 0.0, height), velocity=(0.0, 0.0, speed))
    found = jc.simulate(scene(stiffness), start, TIMES)
    assert found.position[0, 2] == height
    assert found.velocity[0, 2] == speed
    expected = elastic_height(stiffness, height, speed)
    np.testing.assert_allclose(found.position[:, 2], expected, rtol=0, atol=1e-6)


@pytest.mark.long
@pytest.mark.slow
def test_the_derivative_by_a_speed_in_overlap_is_that_of_differences():
    """The approach speed at the start is the impact speed, on which the damping depends."""

    def final(speed):
        start = jc.state(position=(0.0, 0.0, RADIUS - 1e-4), velocity=jnp.stack([0.0, 0.0, -speed]))
        plain = scene(1e7, restitution=0.5).replace(gravity=(0.0, 0.0, 0.0))
        method = jc.EventAligned(max_contacts=2, general=True, sustained_steps=0)
        return jc.simulate(plain, start, jnp.array([0.0, 0.01]), method=method).velocity[-1, 2]

    run, step = jax.jit(jax.value_and_grad(final)), 1e-4
    near, far = ((run(1 + k * step)[0] - run(1 - k * step)[0]) / (2 * k * step) for k in (1, 2))
    np.testing.assert_allclose(run(1.0)[1], (4 * near - far) / 3, rtol=1e-5)


# Of a ball of 30 g and 2 cm: stiffness, mass, gravity, height above touch-down, velocity. Each
# moves in slowly, or not at all, and is then damped by the speed that its overlap gives, or that
# under which it rests.
SLOW_STARTS = {
    "deep in overlap": (1e4, 0.03, 9.81, -0.01, -0.5),
    "not as deep as it rests": (1000.0, 0.03, 30.0, -0.003, -0.001),
    "placed on a soft floor": (300.0, 0.03, 9.81, 0.0, 0.0),
}


@pytest.mark.long
@pytest.mark.slow
def test_derivatives_of_slow_starts_in_overlap_are_those_of_differences():
    """The speed by which such a contact is damped moves with overlap, mass and load."""

    def motion(start):
        stiffness, mass, gravity, height, velocity = start
        law = jc.HuntCrossley(stiffness=stiffness, restitution=0.8)
        plain = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=mass),
            contact=jc.ContactModel(normal=law),
            gravity=jnp.array([0.0, 0.0, -1.0]) * gravity,
        )
        up = jnp.array([0.0, 0.0, 1.0])
        initial = jc.State((RADIUS + height) * up, velocity * up, jnp.zeros(3))
        method = jc.EventAligned(max_contacts=2, general=True, sustained_steps=0)
        found = jc.simulate(plain, initial, jnp.array([0.0, 0.02, 0.04]), method=method)
        return jnp.concatenate([found.position[:, 2], found.velocity[:, 2]]), found.status

    run = jax.jit(
        lambda start, along: jax.jvp(motion, (start,), (along,), has_aux=True),
        compiler_options={"xla_backend_optimization_level": 0},
    )
    for name, start in SLOW_STARTS.items():
        start = jnp.array(start)
        for index in range(3 if name == "placed on a soft floor" else 5):
            along = jnp.zeros(5).at[index].set(start[index])
            _, slope, status = run(start, along)
            assert status == jc.Status.SUCCESS
            near, far = (
                (run(start + k * along, along)[0] - run(start - k * along, along)[0]) / (2 * k)
                for k in (1e-4, 2e-4)
            )
            expected = (4 * near - far) / 3
            np.testing.assert_allclose(
                slope, expected, rtol=0, atol=1e-5 * np.max(np.abs(expected)), err_msg=name
            )


@pytest.mark.slow
@pytest.mark.parametrize("stiffness", [100.0, 1000.0])
def test_a_contact_that_is_too_soft_to_rest_is_followed(stiffness):
    """Its static overlap is a tenth of the radius, or half of it."""
    found = jc.simulate(scene(stiffness), jc.state(position=(0.0, 0.0, 0.03)), TIMES)
    expected = elastic_height(stiffness, 0.03, 0.0)
    np.testing.assert_allclose(found.position[:, 2], expected, rtol=0, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("height", [0.01, 0.0])
def test_inside_traced_functions_a_start_in_overlap_has_a_status(height):
    @jax.jit
    def status(height):
        start = jc.state(position=jnp.stack([0.0 * height, 0.0 * height, height]))
        return jc.simulate(scene(1e6), start, TIMES).status

    assert int(status(height)) == jc.Status.UNRESOLVED_CONTACT
    assert int(status(RADIUS)) <= jc.Status.CAME_TO_REST
    assert "general=True" in jc.Status.UNRESOLVED_CONTACT.advice


@pytest.mark.long
@pytest.mark.parametrize(
    ("height", "method"),
    [
        (0.0, jc.EventAligned()),
        (-0.001, jc.EventAligned()),
        (-0.5, jc.EventAligned()),
        (0.019, jc.Impulse()),
    ],
)
def test_a_start_that_no_motion_reaches_is_refused(height, method):
    """The centre is behind the surface, or a rigid sphere overlaps it."""
    start = jc.state(position=(0.0, 0.0, height))
    with pytest.raises(jc.SimulationError, match=r"IMPOSSIBLE_START.*behind a surface"):
        jc.simulate(scene(1e6), start, TIMES, method=method)


@pytest.mark.slow
def test_a_budget_that_is_not_given_is_found():
    bouncing = scene(1e6, 0.99).replace(
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.99))
    )
    start, times = jc.state(position=(0.0, 0.0, 0.12)), np.linspace(0.0, 20.0, 5)
    found = jc.simulate(bouncing, start, times, method=jc.Impulse())
    assert int(found.status) == jc.Status.SUCCESS
    assert 50 < int(np.sum(found.contacts.happened)) < found.contacts.happened.size == 200
    with pytest.raises(jc.SimulationError, match="TOO_FEW_CONTACTS"):
        jc.simulate(bouncing, start, times, method=jc.Impulse(max_contacts=50))
    # Where it is traced nothing can be raised.
    traced = jax.jit(lambda times: jc.simulate(bouncing, start, times, method=jc.Impulse()).status)
    assert int(traced(times)) == jc.Status.TOO_FEW_CONTACTS
