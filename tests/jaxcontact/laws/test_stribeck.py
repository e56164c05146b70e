"""Stribeck friction: static peak, fall to the dynamic coefficient, viscous growth."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.laws.friction.coulomb import LINEAR, ROOT, TANH
from jaxcontact.laws.friction.stribeck import (
    brown_mcphee_force,
    regularized_stribeck_force,
    stribeck_coefficient,
    stribeck_force,
)

LAW = {
    "static_coefficient": 0.5,
    "coefficient": 0.3,
    "stribeck_velocity": 0.2,
    "viscous_coefficient": 0.05,
}
SLIPS = jnp.linspace(1e-6, 3.0, 5000)[:, None]


def test_hard_law_runs_from_static_to_dynamic_to_viscous():
    force = -stribeck_force(SLIPS, 10.0, **LAW)[:, 0]
    s = np.asarray(SLIPS[:, 0])
    np.testing.assert_allclose(
        force, 10.0 * (0.3 + 0.2 * np.exp(-((s / 0.2) ** 2)) + 0.05 * s), rtol=1e-13
    )
    np.testing.assert_allclose(force[0], 5.0, rtol=1e-6)


def test_direction_opposes_the_slip_and_magnitude_does_not_depend_on_it():
    slip = jnp.asarray([0.3, -1.2, 0.4])
    force = stribeck_force(slip, 10.0, **LAW)
    np.testing.assert_allclose(jnp.cross(force, slip), 0.0, atol=1e-15)
    np.testing.assert_allclose(
        jnp.linalg.norm(force), -stribeck_force(jnp.asarray([1.3]), 10.0, **LAW)[0], rtol=1e-14
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", [LINEAR, ROOT, TANH])
def test_regularised_law_tends_to_the_hard_one(form):
    """Above the slip velocity by its bound; at zero slip it is a viscosity."""
    slips = SLIPS[100:]
    hard = stribeck_force(slips, 10.0, **LAW)
    errors = [
        jnp.max(
            jnp.abs(
                regularized_stribeck_force(slips, 10.0, **LAW, slip_velocity=v, regularization=form)
                - hard
            )
        )
        for v in (1e-2, 1e-3)
    ]
    assert errors[1] <= max(0.05 * errors[0], 1e-14)
    slope = jax.jacfwd(
        lambda s: regularized_stribeck_force(
            s, 10.0, **LAW, slip_velocity=1e-3, regularization=form
        )
    )(jnp.zeros(2))
    np.testing.assert_allclose(slope, -5.0 / 1e-3 * np.eye(2), rtol=1e-12)


def test_equal_coefficients_are_coulomb():
    law = {**LAW, "static_coefficient": 0.3, "viscous_coefficient": 0.0}
    np.testing.assert_allclose(-stribeck_force(SLIPS, 10.0, **law), 3.0, rtol=1e-14)


def test_brown_and_mcphee_peak_at_the_slip_velocity():
    """The published formula, evaluated independently, and its peak ``mu_s``."""
    law = {"static_coefficient": 0.5, "coefficient": 0.3, "viscous_coefficient": 0.05}
    x = np.linspace(1e-3, 8.0, 4000)
    force = -np.asarray(
        brown_mcphee_force(jnp.asarray(0.1 * x)[:, None], 10.0, **law, slip_velocity=0.1)
    )[:, 0]
    published = 10.0 * (
        0.3 * np.tanh(4.0 * x) + 0.2 * x / (0.25 * x**2 + 0.75) ** 2 + 0.05 * 0.1 * x
    )
    np.testing.assert_allclose(force, published, rtol=1e-12)
    assert abs(x[np.argmax(force - 0.05 * x)] - 1.0) < 0.03
    np.testing.assert_allclose(np.max(force - 0.05 * x), 5.0, rtol=1e-3)


def test_coefficient_takes_a_batch_of_materials():
    coefficient = stribeck_coefficient(
        jnp.zeros((3, 2)),
        static_coefficient=jnp.asarray([0.2, 0.4, 0.6]),
        coefficient=0.1,
        stribeck_velocity=jnp.ones(3),
    )
    np.testing.assert_allclose(coefficient, [0.2, 0.4, 0.6])
