"""Torque of a contact disk: its factors by quadrature, the forms at small spin, and the exact step;
rocking damping.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.laws.friction.coulomb import REGULARIZATIONS, ROOT, TANH
from jaxcontact.laws.friction.rolling import rocking_damping_torque
from jaxcontact.laws.friction.spinning import (
    PRESSURES,
    coulomb_spinning_torque,
    least_spin_velocity,
    limited_spinning_torque,
    mean_spinning_torque,
    regularized_spinning_torque,
    spin_after_step,
    spinning_torque_limit,
)

DISK = {"coefficient": 0.3, "contact_radius": 2e-3}
LOAD, INERTIA = 5.0, 1e-5
M_C = float(spinning_torque_limit(LOAD, **DISK))


@pytest.mark.parametrize(
    ("name", "pressure"), [("uniform", lambda r: 0 * r + 1), ("hertz", lambda r: np.sqrt(1 - r**2))]
)
def test_the_factor_is_the_mean_distance_weighted_with_the_pressure(name, pressure):
    r, weight = np.polynomial.legendre.leggauss(400)
    r, weight = (r + 1) / 2, weight / 2
    factor = np.sum(weight * pressure(r) * r**2) / np.sum(weight * pressure(r) * r)
    assert PRESSURES[name] == pytest.approx(factor, rel=1e-6)
    assert spinning_torque_limit(LOAD, pressure=name, **DISK) == pytest.approx(
        factor * 0.3 * LOAD * 2e-3, rel=1e-6
    )


def test_a_ring_has_all_its_friction_at_the_rim():
    assert spinning_torque_limit(LOAD, pressure="ring", **DISK) == pytest.approx(0.3 * LOAD * 2e-3)


def test_an_unknown_pressure_is_named_with_what_was_meant():
    with pytest.raises(
        ValueError, match=r"'herz' is not a distribution of pressure\. Did you mean 'hertz'"
    ):
        spinning_torque_limit(LOAD, pressure="herz", **DISK)


def test_a_wrong_time_step_is_rejected_before_tracing():
    with pytest.raises(ValueError, match="time_step = 0 s is outside"):
        limited_spinning_torque(1.0, LOAD, inertia=INERTIA, time_step=0.0, **DISK)


def test_the_hard_torque_opposes_the_spin_and_is_zero_without_it():
    np.testing.assert_allclose(
        coulomb_spinning_torque(jnp.array([-7.0, -1e-9, 0.0, 2.0]), LOAD, **DISK),
        M_C * np.array([1, 1, 0, -1]),
    )


def test_the_documented_limit_is_the_linear_regularisation_at_its_own_spin():
    spin, dt = jnp.linspace(-3.0, 3.0, 41), 1e-3
    width = least_spin_velocity(M_C, inertia=INERTIA, time_step=dt)
    limited = limited_spinning_torque(spin, LOAD, inertia=INERTIA, time_step=dt, **DISK)
    linear = regularized_spinning_torque(
        spin, LOAD, spin_velocity=width, regularization=REGULARIZATIONS["linear"], **DISK
    )
    np.testing.assert_allclose(limited, linear, rtol=1e-13)


def test_under_the_documented_limit_a_spin_decays_with_the_number_of_steps_and_not_with_time():
    for dt in (1e-3, 1e-5):
        spin = 1e-6
        for _ in range(10):
            spin += (
                dt
                / INERTIA
                * float(limited_spinning_torque(spin, LOAD, inertia=INERTIA, time_step=dt, **DISK))
            )
        assert spin == pytest.approx(1e-6 * 0.875**10, rel=1e-12)


@pytest.mark.parametrize("form", REGULARIZATIONS.values(), ids=REGULARIZATIONS)
def test_the_stated_distances_and_the_bound_of_the_smooth_forms_hold(form):
    spin = np.concatenate([-np.geomspace(1e3, 1e-9, 50), [0.0], np.geomspace(1e-9, 1e3, 50)])
    smooth = regularized_spinning_torque(spin, LOAD, spin_velocity=0.5, regularization=form, **DISK)
    hard = coulomb_spinning_torque(spin, LOAD, **DISK)
    bound = M_C * (1 - form.ratio(np.abs(spin) / 0.5))
    assert np.all(np.abs(smooth - hard) <= bound + 1e-15 * M_C)
    assert np.all(smooth * spin <= 0)


@pytest.mark.parametrize(("name", "reach"), [("tanh", 2.7), ("exponential", 4.7), ("root", 7.1)])
def test_one_percent_of_the_torque_is_missing_where_the_docstring_says(name, reach):
    assert 1 - REGULARIZATIONS[name].ratio(reach) == pytest.approx(0.01, rel=0.15)
    assert 1 - REGULARIZATIONS[name].ratio(reach) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("form", REGULARIZATIONS.values(), ids=REGULARIZATIONS)
@pytest.mark.parametrize("spin_velocity", [1e-9, 0.4])
def test_the_exact_step_does_not_depend_on_how_time_is_cut(form, spin_velocity):
    law = {"inertia": INERTIA, "spin_velocity": spin_velocity, "regularization": form, **DISK}
    stop = INERTIA * 3.0 / M_C
    whole = spin_after_step(3.0, LOAD, time_step=0.9 * stop, **law)
    step = jax.jit(lambda w: spin_after_step(w, LOAD, time_step=0.9 * stop / 9, **law))
    pieces = 3.0
    for _ in range(9):
        pieces = step(pieces)
    assert pieces == pytest.approx(float(whole), rel=1e-11)


def test_with_a_tiny_spin_velocity_the_step_is_coulombs_and_ends_at_rest():
    law = {"inertia": INERTIA, "spin_velocity": 1e-12, **DISK}
    stop = INERTIA * 3.0 / M_C
    for form in (TANH, ROOT):
        found = [
            spin_after_step(-3.0, LOAD, time_step=f * stop, regularization=form, **law)
            for f in (0.25, 0.5, 1.5)
        ]
        np.testing.assert_allclose(found, [-2.25, -1.5, 0.0], rtol=1e-9, atol=1e-9)


def test_the_mean_torque_leads_to_the_exact_spin_and_tends_to_the_regularised_torque():
    law = {"spin_velocity": 0.4, "regularization": TANH, **DISK}
    for dt in (1e-6, 1e-2, 10.0):
        mean = mean_spinning_torque(3.0, LOAD, inertia=INERTIA, time_step=dt, **law)
        after = spin_after_step(3.0, LOAD, inertia=INERTIA, time_step=dt, **law)
        assert 3.0 + dt * mean / INERTIA == pytest.approx(float(after), abs=1e-15 * 3)
        assert -M_C <= mean <= 0
    short = mean_spinning_torque(0.3, LOAD, inertia=INERTIA, time_step=1e-9, **law)
    assert short == pytest.approx(float(regularized_spinning_torque(0.3, LOAD, **law)), rel=1e-5)


def test_friction_is_found_from_a_spin_down_with_any_step():
    measured = spin_after_step(
        3.0, LOAD, inertia=INERTIA, time_step=2e-3, spin_velocity=1e-3, **DISK
    )

    def miss(mu, steps):
        spin = 3.0
        for _ in range(steps):
            law = {**DISK, "coefficient": mu}
            spin = spin_after_step(
                spin, LOAD, inertia=INERTIA, time_step=2e-3 / steps, spin_velocity=1e-3, **law
            )
        return spin - measured

    slopes = []
    for steps in (1, 4):
        value, slope = jax.value_and_grad(miss)(0.2, steps)
        assert 0.2 - value / slope == pytest.approx(
            0.3, rel=1e-7
        )  # nearly linear in mu while it slides
        slopes.append(float(slope))
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-9)


def test_rocking_damping_is_the_moment_of_a_spread_dashpot():
    r, weight = np.polynomial.legendre.leggauss(20)
    radius, gamma, rate = 2e-3, 7.0, 1.5
    y = radius * (r + 1) / 2
    moment = (
        np.sum(weight * radius / 2 * np.pi * y * y**2) * gamma / (np.pi * radius**2) * rate
    )  # mean of sin^2 is 1/2
    torque = rocking_damping_torque(
        jnp.array([0.0, rate, 0.0]), damping=gamma, contact_area=np.pi * radius**2
    )
    np.testing.assert_allclose(torque, [0.0, -moment, 0.0], rtol=1e-12)
