"""Contacts with friction that overlap in time and share a body, against an integration by scipy."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.core.status import succeeded
from tests.jaxcontact.simulation.multibody.spheres_in_time import Spheres, integrate

ROW = Spheres(
    radius=np.array([0.02, 0.015, 0.025]),
    mass=np.array([0.03, 0.02, 0.05]),
    stiffness=1e6,
    restitution=0.9,
    friction=0.3,
    slip_velocity=0.05,
)
END = 0.03
START = np.array(
    [
        [0.0, 0.0, 0.0, 1.5, 0.1, 0.0, 3.0, -5.0, 20.0],
        [0.06, 0.005, 0.002, 0.0, 0.0, 0.0, 0.0, 10.0, 0.0],
        [0.115, -0.004, 0.003, -1.0, 0.0, 0.1, 0.0, 0.0, -30.0],
    ]
)
CASES = {
    "elastic and soft": ROW,
    "inelastic": dataclasses.replace(ROW, stiffness=1e7, restitution=0.5, slip_velocity=0.01),
}


def moved(numbers: jax.Array, method: jc.EventAligned | None) -> tuple[jax.Array, jax.Array]:
    """Rows of position, velocity and spin at the end, and the status; ``numbers`` are stiffness,
    restitution, friction and slip velocity.
    """
    stiffness, restitution, friction, slip_velocity = numbers
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=stiffness, restitution=restitution),
        friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=slip_velocity),
    )
    scene = jc.Scene(
        bodies=jc.spheres(radius=jnp.asarray(ROW.radius), mass=jnp.asarray(ROW.mass)),
        surfaces=(),
        contact=contact,
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(position=START[:, :3], velocity=START[:, 3:6], spin=START[:, 6:])
    found = jc.simulate(scene, start, jnp.array([0.0, END]), method=method, strict=False)
    ends = found.position[1], found.velocity[1], found.spin[1]
    return jnp.concatenate(ends, axis=1), found.status


def numbers_of(spheres: Spheres) -> np.ndarray:
    return np.array(
        [spheres.stiffness, spheres.restitution, spheres.friction, spheres.slip_velocity]
    )


def error(found: np.ndarray, right: np.ndarray) -> float:
    """Largest of positions, velocities and spins, each in units of the largest."""
    columns = [slice(3 * k, 3 * k + 3) for k in range(3)]
    return max(np.max(np.abs((found - right)[:, c])) / np.max(np.abs(right[:, c])) for c in columns)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_what_is_called_a_success_is_right(case):
    right, most = integrate(CASES[case], START, END)
    assert most == 2
    found, status = moved(numbers_of(CASES[case]), None)
    assert succeeded(status)
    assert error(np.asarray(found), right) < 2e-6


@pytest.mark.long
@pytest.mark.slow
def test_derivatives_are_those_of_the_integration():
    """By friction, against differences of order 4, which are right to 2e-7 themselves; and the
    error of the values falls with the third power of the steps.
    """
    p, h, errors = numbers_of(ROW), 1e-3, []
    at = {
        k: integrate(dataclasses.replace(ROW, friction=ROW.friction + k * h), START, END)[0]
        for k in (-2, -1, 0, 1, 2)
    }
    right = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)
    direction = jnp.array([0.0, 0.0, 1.0, 0.0])
    for step in (0.04, 0.02):
        method = jc.EventAligned(max_contacts=4, graded_step=step)
        both = jax.jit(lambda p, m=method: jax.jvp(lambda p: moved(p, m)[0], (p,), (direction,)))
        value, slope = map(np.asarray, both(p))
        errors.append((error(value, at[0]), error(slope, right)))
    assert np.all(np.array(errors) < (1e-7, 5e-7))
    assert errors[1][0] < errors[0][0] / 8
