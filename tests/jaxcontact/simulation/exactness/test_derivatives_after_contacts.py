"""Derivatives of a drop with sideways speed and spin, after one, two and three contacts at low and
medium restitutions, against differences of order 4 of an integration by scipy.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation import in_time

RESTITUTIONS = (0.02, 0.05, 0.08, 0.1, 0.27, 0.3)
STIFFNESS, HEIGHT, FRICTION = 1e10, 0.1, 0.15
RADIUS, MASS, SPEED, SPIN = 0.02, 0.03, 1.0, -40.0
METHOD = jc.EventAligned(max_contacts=4, in_time=True)


def integrated(p: np.ndarray, times: np.ndarray) -> in_time.Path:
    """The motion by (restitution at 1 m/s, stiffness, height, friction)."""
    restitution, stiffness, height, friction = p
    damping = in_time.hunt_crossley_damping(restitution)
    sphere = in_time.Sphere(
        in_time.Normal(lambda d, rate, v: stiffness * max(d, 0.0) ** 1.5 * (1.0 + damping * rate)),
        radius=RADIUS,
        mass=MASS,
        friction=friction,
    )
    start = [0.0, 0.0, RADIUS + height, SPEED, 0.0, 0.0, 0.0, SPIN, 0.0]
    return in_time.integrate(sphere, np.array(start), times)


def slopes(p: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Derivatives of the motion times the parameters, (times, 9, 4)."""
    columns = []
    for k in range(len(p)):
        at = {}
        for share in (-2, -1, 1, 2):
            moved = p.copy()
            moved[k] *= 1.0 + share * 1e-3
            at[share] = integrated(moved, times).states
        columns.append((8.0 * (at[1] - at[-1]) - (at[2] - at[-2])) / 12e-3)
    return np.stack(columns, axis=-1)


def simulated(p: jax.Array, times: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The motion, and the status."""
    restitution, stiffness, height, friction = p
    law = jc.HuntCrossley(stiffness=stiffness, restitution=restitution, reference_speed=1.0)
    slide = jc.RegularizedCoulomb(coefficient=friction, slip_velocity=0.1)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        contact=jc.ContactModel(normal=law, friction=slide),
    )
    start = jc.state(
        position=jnp.stack([0.0, 0.0, RADIUS + height]),
        velocity=(SPEED, 0.0, 0.0),
        spin=(0.0, SPIN, 0.0),
    )
    found = jc.simulate(scene, start, times, method=METHOD)
    return jnp.concatenate([found.position, found.velocity, found.spin], axis=1), found.status


def all_of(p: jax.Array, times: jax.Array) -> tuple:
    """Motion, status, derivatives forward."""
    return *simulated(p, times), jax.jacfwd(lambda p: simulated(p, times)[0])(p)


CASES = np.array([(e, STIFFNESS, HEIGHT, FRICTION) for e in RESTITUTIONS])
TIMES = np.array(
    [
        (0.0, 0.14519, 0.14848, 0.15061),
        (0.0, 0.14808, 0.15624, 0.16147),
        (0.0, 0.15109, 0.16411, 0.17245),
        (0.0, 0.15311, 0.16939, 0.17980),
        (0.0, 0.17142, 0.21710, 0.24643),
        (0.0, 0.17499, 0.22646, 0.25962),
    ]
)
"""The start, and in the flights after one, two and three contacts."""

ROUNDING = np.repeat([1e-9, 1e-7, 1e-5], 3)[:, None]
"""Of the differences, in positions, velocities and spins."""


def assert_are_those_of_differences(slope: np.ndarray, p: np.ndarray, times: np.ndarray) -> None:
    error = np.abs(slope - slopes(p, times))
    assert np.all(error <= ROUNDING + 1e-6 * np.abs(slope)), (p, error)


@pytest.mark.long
@pytest.mark.slow
def test_they_are_those_of_an_independent_integration_forward_in_lanes_and_reverse_alone():
    found, status, by = jax.jit(jax.vmap(all_of))(CASES, TIMES)
    np.testing.assert_array_less(status, jc.Status.INEXACT_FLIGHT)
    by = by * CASES[:, None, None]
    alone = jax.jit(jax.jacrev(lambda p, t: simulated(p, t)[0]))
    for p, times, values, slope in zip(CASES, TIMES, found, by, strict=True):
        np.testing.assert_allclose(values, integrated(p, times).states, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(alone(p, times) * p, slope, rtol=1e-8, atol=1e-11)
    for p, times, slope in zip(CASES[::2], TIMES[::2], by[::2], strict=True):
        assert_are_those_of_differences(slope, p, times)


@pytest.mark.long
@pytest.mark.slow
def test_they_are_the_same_in_reverse_in_lanes_and_forward_alone():
    found, _, by = jax.jit(jax.vmap(all_of))(CASES, TIMES)
    reverse = jax.jit(jax.vmap(jax.jacrev(lambda p, t: simulated(p, t)[0])))(CASES, TIMES)
    scale = CASES[:, None, None]
    np.testing.assert_allclose(reverse * scale, by * scale, rtol=1e-8, atol=1e-11)
    alone = jax.jit(all_of)
    for p, times, values, slope in zip(CASES, TIMES, found, by, strict=True):
        own, _, forward = alone(p, times)
        np.testing.assert_allclose(own, values, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(forward * p, slope * p, rtol=1e-8, atol=1e-11)
        assert_are_those_of_differences(slope * p, p, times)
