"""Contacts settle under loads that change slowly: what moves them as fast as they oscillate is
followed.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import expm

import jaxcontact as jc

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
METHOD = jc.EventAligned(max_contacts=8)
RADIUS, MASS, G, STIFFNESS = 0.01, 0.03, 9.81, 1e4
RESONANCE = np.sqrt(STIFFNESS / MASS) / (2 * np.pi)
LINEAR = jc.LinearDashpot(stiffness=STIFFNESS, restitution=0.8)
PLASTIC = jc.WaltonBraun(stiffness=1e5, unloading_ratio=4.0)


@functools.cache
def on_shaker(law, method):
    def run(height, speed, amplitude, frequency, times) -> jc.Trajectory:
        up = jnp.array([0.0, 0.0, 1.0])
        plate = jc.Plane(motion=jc.PrescribedMotion(amplitude=amplitude * up, frequency=frequency))
        scene = jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS),
            surfaces=(plate,),
            contact=jc.ContactModel(normal=law),
        )
        start = jc.State((RADIUS + height) * up, speed * up, jnp.zeros(3))
        return jc.simulate(scene, start, times, method=method)

    return FAST(run)


def shaken(law, method, height, speed, amplitude, frequency, times) -> jc.Trajectory:
    found = on_shaker(law, method)(height, speed, amplitude, frequency, times)
    assert jc.Status(int(found.status)).name in ("SUCCESS", "CAME_TO_REST")
    return found


@pytest.mark.long
@pytest.mark.parametrize("share", [0.15, 0.3, 0.6])
def test_a_ball_placed_on_a_shaker_moves_as_the_linear_equation_says(share):
    """With overlap ``d``: ``m d'' + c d' + k d = m (g + p'')``, from touching at rest."""
    frequency = share * RESONANCE
    omega = 2 * np.pi * frequency
    amplitude = 0.1 * G / omega**2
    times = np.linspace(0.0, 0.15, 6)
    found = shaken(LINEAR, METHOD, 0.0, amplitude * omega, amplitude, frequency, times)
    damping = 2 * float(LINEAR.zeta) * np.sqrt(STIFFNESS * MASS)
    # overlap, its rate, sine and cosine of the plate, and 1
    system = np.zeros((5, 5))
    system[0, 1] = 1.0
    system[1] = [-STIFFNESS / MASS, -damping / MASS, -amplitude * omega**2, 0.0, G]
    system[2, 3], system[3, 2] = omega, -omega
    _, rate, _, cosine, _ = np.transpose([expm(t * system) @ [0, 0, 0, 1, 1] for t in times])
    wanted = amplitude * omega * cosine - rate
    bouncing = G / np.sqrt(STIFFNESS / MASS)
    np.testing.assert_allclose(found.velocity[:, 2], wanted, rtol=0, atol=1e-6 * bouncing)


@pytest.mark.long
def test_what_is_left_out_of_a_plastic_contact_on_a_shaker_does_not_show():
    frequency = 0.5 * np.sqrt(4e5 / MASS) / (2 * np.pi)
    amplitude = 0.6 * G / (2 * np.pi * frequency) ** 2
    times = np.linspace(0.0, 0.02, 5)
    found, resolved = (
        shaken(PLASTIC, method, 1e-6, 0.0, amplitude, frequency, times)
        for method in (METHOD, METHOD.replace(sustained_steps=0))
    )
    fastest = np.max(np.abs(resolved.velocity))
    np.testing.assert_allclose(found.velocity, resolved.velocity, rtol=0, atol=1e-6 * fastest)
