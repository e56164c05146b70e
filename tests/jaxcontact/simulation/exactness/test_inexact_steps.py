"""Heavily damped collisions of two spheres, whose steps the engine finds to be too long, against
an integration by scipy of the overlap alone.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.simulation.core.status import succeeded
from tests.jaxcontact.simulation import in_time

MASSES, RADIUS, STIFFNESS, SPEED = (0.03, 0.02), 0.01, 1e5, 2.0
START = jc.state(
    position=((0.0, 0.0, 0.0), (2 * RADIUS, 0.0, 0.0)),
    velocity=((SPEED, 0.0, 0.0), (0.0, 0.0, 0.0)),
)
END = 0.02


def collision(restitution, method):
    """Distance and relative velocity at the end, and the status."""
    law = jc.HuntCrossley(stiffness=STIFFNESS, restitution=restitution)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=jnp.asarray(MASSES)),
        surfaces=(),
        contact=jc.ContactModel(normal=law),
        gravity=(0.0, 0.0, 0.0),
    )
    found = jc.simulate(scene, START, jnp.array([0.0, END]), method=method, strict=False)
    apart = found.position[1, 1, 0] - found.position[1, 0, 0]
    return apart, found.velocity[1, 1, 0] - found.velocity[1, 0, 0], found.status


def expected(restitution):
    """Distance and relative velocity at the end."""
    mass = 1 / sum(1 / m for m in MASSES)
    damping = in_time.hunt_crossley_damping(restitution) / SPEED

    def rates(_, y):
        force = STIFFNESS * max(y[0], 0.0) ** 1.5 * (1 + damping * y[1])
        return [y[1], -force / mass]

    def parts(_, y):
        return y[0]

    parts.terminal, parts.direction = True, -1
    contact = solve_ivp(
        rates, (0.0, END), [0.0, SPEED], method="DOP853", rtol=1e-12, atol=1e-18, events=parts
    )
    time, (overlap, rate) = contact.t[-1], contact.y[:, -1]
    return 2 * RADIUS - overlap - rate * (END - time), -rate


RESTITUTIONS = 0.9, 0.3, 0.04, 0.02
COMPILED = jax.jit(collision, static_argnames="method")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_steps_are_as_short_as_heavy_damping_asks(restitution):
    apart, rate, status = COMPILED(restitution, jc.EventAligned(max_contacts=4))
    assert succeeded(status)
    np.testing.assert_allclose((apart, rate), expected(restitution), rtol=3e-8)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("restitution", RESTITUTIONS)
def test_steps_that_are_too_long_say_so_and_a_plain_call_takes_shorter_ones(restitution):
    """Steps of the usual length lack more than this accuracy lets pass."""
    fine = jc.EventAligned(max_contacts=4, accuracy=1e-9)
    assert not succeeded(COMPILED(restitution, fine)[-1])
    apart, rate, status = collision(restitution, fine)
    assert succeeded(status)
    np.testing.assert_allclose((apart, rate), expected(restitution), rtol=1e-9)
