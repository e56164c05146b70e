"""COMSOL's contact between two spheres, through ``simulate``, against plain formulas that scipy
integrates.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.systems import comsol

RADIUS, MASS = np.array([0.05, 0.08]), np.array([0.4, 0.9])
INERTIA = 0.4 * MASS * RADIUS**2
POSITION = np.array([(0.0, 0.0, 0.0), (0.12, 0.05, 0.005)])
TOUCHING = np.array([(0.0, 0.0, 0.0), (0.12, 0.05, 0.0)])
VELOCITY = np.array([(1.0, 0.2, 0.0), (-0.5, 0.0, 0.1)])
SPIN = np.array([(0.0, 3.0, 20.0), (5.0, 0.0, -10.0)])
STIFFNESS, DASHPOT = 2e4, 30.0
FRICTION = {"mu": 0.4, "v0": 0.05, "Ff_r": 0.5, "Ff_max": 30.0}
TIMES = np.array([0.0, 0.01, 0.06])


def contact(arms="midpoint", stiffness=STIFFNESS, dashpot=DASHPOT, **friction):
    return comsol.SphericalContact(
        r_s=RADIUS[0],
        r_d=RADIUS[1],
        contact=comsol.RigidBodyContact(k_pen=stiffness, c_pen=dashpot),
        friction=comsol.Friction(**{**FRICTION, **friction}),
        arms=arms,
    )


def simulated(given, method=None, position=POSITION):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), surfaces=(), contact=given, gravity=(0, 0, 0)
    )
    start = jc.state(position=position, velocity=VELOCITY, spin=SPIN)
    return jc.simulate(scene, start, TIMES, method=method)


def rates(_, y, *, arms, closed):
    x, v, w = y.reshape(3, 2, 3)
    between = x[1] - x[0]
    distance = np.linalg.norm(between)
    n, gap = between / distance, distance - RADIUS.sum()
    inset = gap / 2 if arms == "midpoint" else 0.0
    arm = [(RADIUS[0] + inset) * n, -(RADIUS[1] + inset) * n]
    relative = v[0] + np.cross(w[0], arm[0]) - v[1] - np.cross(w[1], arm[1])
    approach = relative @ n
    slip = relative - approach * n
    load = -STIFFNESS * gap + DASHPOT * max(approach, 0.0)
    limit = min(FRICTION["mu"] * load + FRICTION["Ff_r"], FRICTION["Ff_max"])
    speed = np.linalg.norm(slip)
    rubs = -limit * (1 - np.exp(-speed / FRICTION["v0"])) * slip / speed
    force = np.stack([rubs - load * n, -rubs + load * n]) * closed
    torque = np.stack([np.cross(arm[0], rubs), np.cross(arm[1], -rubs)]) * closed
    return np.concatenate([v, force / MASS[:, None], torque / INERTIA[:, None]]).ravel()


def integrated(arms):
    def gap(_, y, **__):
        return np.linalg.norm(y[3:6] - y[:3]) - RADIUS.sum()

    gap.terminal = True
    time, state, closed = 0.0, np.concatenate([POSITION, VELOCITY, SPIN]).ravel(), False
    found = {0.0: state}
    while time < TIMES[-1]:
        gap.direction = 1.0 if closed else -1.0
        end = solve_ivp(
            lambda t, y, closed=closed: rates(t, y, arms=arms, closed=closed),
            (time, TIMES[-1]),
            state,
            method="DOP853",
            rtol=1e-11,
            atol=1e-12,
            max_step=2e-5 if closed else np.inf,
            events=gap,
            dense_output=True,
        )
        found |= {t: end.sol(t) for t in TIMES if time < t <= end.t[-1]}
        time, state, closed = end.t[-1], end.y[:, -1], not closed
    return np.stack([found[t] for t in TIMES]).reshape(len(TIMES), 3, 2, 3)


@pytest.mark.long("midpoint")
@pytest.mark.slow
@pytest.mark.parametrize("arms", ["midpoint", pytest.param("undeformed", marks=pytest.mark.long)])
def test_the_motion_is_that_of_the_plain_formulas(arms):
    found, expected = simulated(contact(arms)), integrated(arms)
    assert found.contacts.happened.sum() == 1
    np.testing.assert_allclose(found.position, expected[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.velocity, expected[:, 1], rtol=0, atol=1e-7)
    np.testing.assert_allclose(0.05 * found.spin, 0.05 * expected[:, 2], rtol=0, atol=1e-7)


@pytest.mark.long
def test_derivatives_by_its_own_parameters_are_those_of_differences():
    base = jnp.array([STIFFNESS, DASHPOT, *FRICTION.values()])

    def last(shares):
        stiffness, dashpot, *friction = base * (1 + shares)
        named = dict(zip(FRICTION, friction, strict=True))
        found = simulated(
            contact(stiffness=stiffness, dashpot=dashpot, **named),
            method=jc.EventAligned(accuracy=1e-8),
        )
        return jnp.concatenate([jnp.ravel(found.velocity[-1]), 0.05 * jnp.ravel(found.spin[-1])])

    run, zero, step = jax.jit(last), jnp.zeros(len(base)), 1e-3
    columns = []
    for unit in np.eye(len(base)):
        near, far = (run(k * step * unit) - run(-k * step * unit) for k in (1, 2))
        columns.append((8 * near - far) / (12 * step))
    expected = np.stack(columns, axis=1)
    found = jax.jit(jax.jacfwd(last))(zero)
    scale = np.max(np.abs(expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * scale)


@pytest.mark.long
def test_a_smooth_form_moves_nearly_alike():
    hard = contact()
    smooth = hard.replace(
        contact=hard.contact.replace(ramp_overlap=1e-6, ramp_speed=1e-4),
        friction=hard.friction.replace(smoothing=1e-3),
    )
    np.testing.assert_allclose(
        simulated(smooth).velocity, simulated(hard).velocity, rtol=0, atol=2e-3
    )


@pytest.mark.long
@pytest.mark.parametrize("shift", [-1e-17, 0.0, 1e-17])
def test_spheres_that_touch_at_the_start_collide(shift):
    """They touch but for rounding, and nearly so."""
    given = contact()
    exact, near = (
        simulated(given, position=TOUCHING * (1 + part)).velocity[-1] for part in (shift, 1e-9)
    )
    np.testing.assert_allclose(exact, near, rtol=0, atol=1e-6)
