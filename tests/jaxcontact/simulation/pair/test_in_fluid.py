"""Contacts of other programs between bodies that fly through a fluid, against SciPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.systems import pfc

RADIUS, MASS, STIFFNESS, DAMPING = 0.02, 2.7e-3, 2e4, 1.0
DENSITY, DRAG, LIFT = 1.2, 0.47, 1.0
GRAVITY = np.array([0.0, 0.0, -9.81])
LINEAR = pfc.Linear(kn=STIFFNESS, dp_nratio=DAMPING / 2 / np.sqrt(MASS * STIFFNESS))
START = {"position": (0, 0, 0.5), "velocity": (1.0, 0.3, 0), "spin": (0, 50.0, 20.0)}


def in_air(drag=DRAG, lift=LIFT):
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS, shell=True),
        surfaces=[jc.Plane()],
        contact=pfc.Contact(model=LINEAR, radius1=RADIUS, mass1=MASS),
        drag=jc.QuadraticDrag(coefficient=drag, fluid_density=DENSITY),
        lift=jc.MagnusLift(coefficient=lift, fluid_density=DENSITY),
    )


def integrated(drag, lift, end):
    """Position and velocity at the ``end``, from one touch-down or lift-off to the next."""
    of_drag = 0.5 * DENSITY * drag * np.pi * RADIUS**2 / MASS
    of_lift = 0.5 * DENSITY * lift * np.pi * RADIUS**3 / MASS
    spin = np.array(START["spin"])

    def rate(_, y, touches):
        velocity = y[3:]
        fluid = of_lift * np.cross(spin, velocity) - of_drag * np.linalg.norm(velocity) * velocity
        push = STIFFNESS * (RADIUS - y[2]) - DAMPING * velocity[2] if touches else 0.0
        return np.concatenate([velocity, GRAVITY + fluid + np.array([0, 0, push / MASS])])

    def gap(_, y, touches):
        return y[2] - RADIUS

    gap.terminal = True
    y, time, touches = np.concatenate([START["position"], START["velocity"]]), 0.0, False
    while time < end:
        gap.direction = 1 if touches else -1
        options = {"rtol": 1e-12, "atol": 1e-15, "max_step": 1e-4 if touches else 0.02}
        piece = solve_ivp(rate, (time, end), y, "DOP853", args=(touches,), events=gap, **options)
        y, time, touches = piece.y[:, -1], piece.t[-1], not touches
    return y


@pytest.mark.parametrize("lift", [0.0, LIFT])
def test_bounces_in_air(lift):
    moved = jc.simulate(in_air(lift=lift), jc.state(**START), [0.0, 0.3, 1.0])
    truth = integrated(DRAG, lift, 1.0)
    np.testing.assert_allclose(moved.position[-1], truth[:3], atol=1e-9)
    np.testing.assert_allclose(moved.velocity[-1], truth[3:], atol=1e-8)


def test_the_derivative_by_drag_and_lift():
    method = jc.EventAligned(max_steps=128, max_contacts=8)

    @jax.jit
    def end(drag, lift):
        times = np.array([0.0, 1.0])
        return jc.simulate(in_air(drag, lift), jc.state(**START), times, method=method).position[-1]

    found = jax.jit(jax.jacfwd(end, argnums=(0, 1)))(DRAG, LIFT)
    for slope, step in zip(found, np.eye(2) * 1e-4, strict=True):
        above, below = (end(DRAG + side * step[0], LIFT + side * step[1]) for side in (1, -1))
        np.testing.assert_allclose(slope, (above - below) / 2e-4, rtol=1e-5, atol=1e-7)


def test_a_ball_that_overtakes_another_one_in_air_is_not_missed():
    contact = pfc.Contact(model=LINEAR, radius1=RADIUS, mass1=MASS, radius2=RADIUS, mass2=1.0)
    scene = jc.Scene(
        bodies=jc.spheres(radius=[RADIUS, RADIUS], mass=[MASS, 1.0]),
        surfaces=(),
        contact=contact,
        drag=jc.QuadraticDrag(coefficient=DRAG),
    )
    for height in (0.05, 0.3, 20.0):
        start = jc.state(position=[(0, 0, 0), (0, 0, height)])
        moved = jc.simulate(scene, start, [0.0, 10.0])
        assert jnp.sum(moved.contacts.happened) > 5, height
        # both fall at one rate, which drag holds back by as much for the light one as for the other
        drag = 0.5 * DENSITY * DRAG * np.pi * RADIUS**2 * moved.velocity[-1, 1, 2] ** 2
        load = drag * (1 - 2 * MASS / (1.0 + MASS))
        distance = jnp.linalg.norm(moved.position[-1, 1] - moved.position[-1, 0])
        assert 2 * RADIUS - distance == pytest.approx(load / STIFFNESS, rel=1e-2)
