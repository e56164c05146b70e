"""The checkpointed scan is a scan, and its reverse mode needs memory in proportion to the square
root of the steps.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.numerics.checkpointed_scan import block_length, checkpointed_scan
from jaxcontact.simulation.multibody.fixed_step import Fixed, advance
from jaxcontact.simulation.multibody.pairs import world_of


def nonlinear(carry, x):
    position, velocity = carry
    force = -jnp.sin(position) if x is None else x - jnp.sin(position)
    velocity = velocity + 0.1 * force
    return (position + 0.1 * velocity, velocity), {"position": position, "steps": jnp.asarray(1)}


@pytest.mark.parametrize("length", [0, 1, 3, 12, 16, 23, 50])
@pytest.mark.parametrize("with_inputs", [False, True])
def test_values_are_those_of_a_scan(length, with_inputs):
    xs = np.linspace(0.0, 1.0, length) if with_inputs else None
    plain = jax.lax.scan(nonlinear, (0.3, 0.1), xs, length=length)
    found = checkpointed_scan(nonlinear, (0.3, 0.1), xs, None if with_inputs else length)
    jax.tree.map(np.testing.assert_array_equal, found, plain)


@pytest.mark.slow
@pytest.mark.parametrize("length", [23])  # blocks and a remainder
@pytest.mark.parametrize(
    "transform",
    [jax.jacfwd, jax.jacrev, jax.hessian, lambda f: jax.vmap(jax.grad(f), in_axes=(0, None))],
)
def test_derivatives_are_those_of_a_scan(length, transform):
    start = jnp.array([[0.3, 0.1], [0.2, -0.4]])
    xs = np.linspace(0.0, 1.0, length)

    def total(scan, start, xs):
        (position, velocity), ys = scan(nonlinear, (start[..., 0], start[..., 1]), xs)
        return jnp.sum(position * velocity) + jnp.sum(jnp.square(ys["position"]))

    plain, found = (
        transform(functools.partial(total, scan))(start, xs)
        for scan in (jax.lax.scan, checkpointed_scan)
    )
    np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-14)


def test_blocks_divide_the_steps_where_a_divisor_is_near_the_square_root():
    assert block_length(1000) in (25, 40)
    assert block_length(50) in (5, 10)
    assert block_length(97) == 9  # a prime


def test_steps_must_be_known():
    with pytest.raises(ValueError, match="length is not given"):
        checkpointed_scan(nonlinear, (0.0, 0.0))


def swinging(scan, steps: int, p: jax.Array) -> jax.Array:
    """End of a driven pendulum with fixed steps, as a scalar: as many numbers in each step as a
    simple contact has.
    """

    def advance(carry: tuple, _: None) -> tuple:
        angle, speed = carry
        speed = speed - 1e-3 * (p[0] * jnp.sin(angle) + p[1] * speed * jnp.abs(speed))
        return (angle + 1e-3 * speed, speed), None

    (angle, speed), _ = scan(advance, (p[2], jnp.zeros_like(p[2])), None, length=steps)
    return angle + speed


def bouncing(scan, steps: int, p: jax.Array) -> jax.Array:
    """End of a bouncing sphere with fixed steps, as a scalar."""
    normal = jc.HuntCrossley(stiffness=p[0], restitution=p[1])
    contact = jc.ContactModel(
        normal=normal, friction=jc.RegularizedCoulomb(coefficient=p[2], slip_velocity=0.1)
    )
    scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.01), contact=contact)
    world = world_of(scene, 1, rigid=False)
    start = jc.state(position=[(0.0, 0.0, 0.0101)], velocity=[(0.3, 0.0, -0.5)])

    def step(carried: Fixed, _: None) -> tuple[Fixed, None]:
        return advance(world, carried, jnp.asarray(1e-5), "semi_implicit_euler"), None

    end, _ = scan(
        step,
        Fixed(jnp.asarray(0.0), start, jnp.ones(1), None, None, None, None),
        None,
        length=steps,
    )
    return jnp.sum(end.state.position) + jnp.sum(end.state.velocity)


PARAMETERS = {swinging: np.array([9.8, 0.1, 0.3]), bouncing: np.array([1e6, 0.8, 0.1])}


@functools.cache
def compiled(motion, scan, steps: int, transform):
    return (
        jax.jit(transform(functools.partial(motion, scan, steps)))
        .lower(PARAMETERS[motion])
        .compile()
    )


def memory(motion, scan, steps: int, transform=jax.grad) -> int:
    return compiled(motion, scan, steps, transform).memory_analysis().temp_size_in_bytes


def test_memory_of_reverse_mode_grows_as_the_square_root_of_the_steps():
    needed = [memory(swinging, checkpointed_scan, steps) for steps in (100, 10_000, 1_000_000)]
    assert needed[1] < 12 * needed[0]  # sqrt(100) = 10
    assert needed[2] < 12 * needed[1]
    plain = [memory(swinging, jax.lax.scan, steps) for steps in (100, 10_000)]
    assert plain[1] > 50 * plain[0]


def value(function):
    return function


@pytest.mark.parametrize("steps", [99_991, 100_000])  # a prime, and a product
@pytest.mark.parametrize("transform", [value, jax.jacfwd])
def test_memory_without_reverse_mode_is_that_of_a_scan(steps, transform):
    found, plain = (
        memory(swinging, scan, steps, transform) for scan in (checkpointed_scan, jax.lax.scan)
    )
    assert found < plain + 1000


@pytest.mark.slow
def test_the_gradient_through_an_impact_is_that_of_a_scan_and_takes_a_hundredth_of_its_memory():
    plain, found = (
        compiled(bouncing, scan, 20_000, jax.grad)(PARAMETERS[bouncing])
        for scan in (jax.lax.scan, checkpointed_scan)
    )
    np.testing.assert_allclose(found, plain, rtol=1e-8)
    assert memory(bouncing, checkpointed_scan, 20_000) < memory(bouncing, jax.lax.scan, 20_000) / 50


def bounced(contacts: int, p: jax.Array) -> jax.Array:
    """Height after many contacts."""
    contact = jc.ContactModel(normal=jc.HuntCrossley(stiffness=p[0], restitution=p[1]))
    scene = jc.Scene(bodies=jc.spheres(radius=0.01, mass=0.01), contact=contact)
    start, times = jc.state(position=(0.0, 0.0, 0.3)), np.array([0.0, 0.1 * contacts])
    return jc.simulate(scene, start, times, method=jc.EventAligned(max_contacts=contacts)).position[
        -1, 2
    ]


@pytest.mark.long
@pytest.mark.slow
def test_memory_of_reverse_mode_grows_as_the_square_root_of_the_contacts_beside_what_they_put_out():
    def needed(contacts: int) -> int:
        gradient = jax.jit(jax.grad(functools.partial(bounced, contacts)))
        # The memory is planned before code is optimised.
        compiled = gradient.lower(np.array([1e6, 0.9])).compile(
            compiler_options={"xla_backend_optimization_level": 0}
        )
        return compiled.memory_analysis().temp_size_in_bytes

    nodes = 2 * jc.EventAligned().contact_steps
    output = 2 * nodes * 11 * 8  # motions at the nodes of a contact, and their cotangents
    few, many = (needed(contacts) - output * contacts for contacts in (64, 1024))
    assert many < 4 * few  # sqrt(1024/64)
