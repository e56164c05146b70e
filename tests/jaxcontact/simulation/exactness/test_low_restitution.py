"""Derivatives of a contact under gravity at any restitution and any load, against variational
equations integrated by scipy, which share nothing with the engine.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from tests.jaxcontact.simulation import in_time

SPEED, STIFFNESS, MASS, GRAVITY = 1.0, 1e7, 0.03, 9.81
METHOD = jc.EventAligned(max_contacts=1, in_time=True)


def contact_with_slopes(damping: float, load: float) -> tuple[np.ndarray, np.ndarray]:
    """Rebound speed and duration of ``s'' = load - s^1.5 (1 + a s')`` from ``s' = 1``, and their
    derivatives by ``a`` and ``load``.
    """

    def rates(_: float, y: np.ndarray) -> list[float]:
        s, u = max(y[0], 0.0), y[1]
        by_overlap, by_rate = 1.5 * s**0.5 * (1.0 + damping * u), damping * s**1.5
        return [
            u,
            load - s**1.5 * (1.0 + damping * u),
            y[3],
            -(s**1.5) * u - by_overlap * y[2] - by_rate * y[3],
            y[5],
            1.0 - by_overlap * y[4] - by_rate * y[5],
        ]

    def ends(_: float, y: np.ndarray) -> float:
        return y[0]

    ends.terminal, ends.direction = True, -1
    found = solve_ivp(
        rates,
        (0.0, 1e4),
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        method="DOP853",
        events=ends,
        rtol=1e-10,
        atol=1e-14,
        first_step=1e-6,
    )
    y = found.y[:, -1]
    longer = np.array([-y[2], -y[4]]) / y[1]
    faster = -np.array([y[3], y[5]]) - load * longer
    return np.array([-y[1], found.t[-1]]), np.array([faster, longer])


def bounced(p: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Rebound speed and duration of the first contact by (restitution, reference speed, stiffness,
    gravity, impact speed), whether there was one, and the status.
    """
    restitution, reference, stiffness, gravity, speed = p
    law = jc.HuntCrossley(stiffness=stiffness, restitution=restitution, reference_speed=reference)
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=MASS),
        contact=jc.ContactModel(normal=law),
        gravity=jnp.stack([0.0, 0.0, -gravity]),
    )
    start = jc.state(position=(0.0, 0.0, 0.02), velocity=jnp.stack([0.0, 0.0, -speed]))
    found = jc.simulate(scene, start, jnp.array([0.0, 1.0]), method=METHOD)
    contacts = found.contacts
    duration = contacts.lift_off[0] - contacts.touch_down[0]
    return (
        jnp.stack([contacts.rebound_speed[0], duration]),
        contacts.happened[0],
        found.status,
    )


@pytest.mark.slow
def test_derivatives_are_right_at_every_restitution_reference_speed_and_load():
    cases = np.array(
        [
            (e, ratio * SPEED, STIFFNESS, gravity, SPEED)
            for e, ratio in zip(
                (0.01, 0.05, 0.1, 0.1, 0.4, 0.4, 0.8, 0.9999),
                (1.0, 1.0, 0.1, 1.0, 0.1, 100.0, 1.0, 1.0),
                strict=True,
            )
            for gravity in (0.1, 9.81, 300.0)
        ]
    )
    (found, happened, status), slopes = jax.jit(
        jax.vmap(lambda p: (bounced(p), jax.jacfwd(lambda p: bounced(p)[0])(p)))
    )(cases)
    assert np.all(np.isfinite(found))
    assert np.all(np.isfinite(slopes))
    overlap = (MASS * SPEED**2 / STIFFNESS) ** 0.4
    scale, checked = overlap / SPEED, 0
    for case, value, slope, happens, code in zip(
        cases, found, slopes, happened, status, strict=True
    ):
        e, reference, stiffness, gravity, speed = case
        damping, load = (
            in_time.hunt_crossley_damping(e) * speed / reference,
            gravity * scale / speed,
        )
        if not happens:
            continue
        assert code < jc.Status.NOT_FINITE
        (out, lasts), by = contact_with_slopes(damping, load)
        np.testing.assert_allclose(
            value, [speed * out, scale * lasts], rtol=1e-7, err_msg=f"{case}"
        )
        by_damping, by_load = by.T * np.array([speed, scale])
        expected = np.stack([by_damping * -damping / reference, by_load * load / gravity], axis=1)
        # of an elastic contact the derivative by gravity is nothing but rounding of the reference
        np.testing.assert_allclose(
            slope[:, [1, 3]], expected, rtol=1e-6, atol=1e-12, err_msg=f"{case}"
        )
        by_stiffness = [
            -0.4 / stiffness * load * by_load[0],
            -0.4 / stiffness * (scale * lasts + load * by_load[1]),
        ]
        np.testing.assert_allclose(
            slope[:, 2], by_stiffness, rtol=1e-6, atol=1e-17, err_msg=f"{case}"
        )
        checked += 1
    assert checked >= 15
