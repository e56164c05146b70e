"""PFC's contact models between two balls, through ``simulate``: against plain formulas integrated
by SciPy from event to event, and against the program's cycle as the package steps it.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.geometry.contact_plane import ContactAxes
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.laws.friction.slider import smooth_coulomb_slider
from jaxcontact.systems import pfc

RADIUS, MASS = np.array([0.05, 0.1]), np.array([0.1, 0.4])
INERTIA = 0.4 * MASS * RADIUS**2
TOGETHER = 1 / np.sum(1 / RADIUS)
SPEED, TIMES = 1.5, np.array([0.0, 0.01])
BALLS = {"radius1": RADIUS[0], "mass1": MASS[0], "radius2": RADIUS[1], "mass2": MASS[1]}

PLAIN = pfc.linear.Linear(kn=1e5, ks=5e4, fric=0.3, dp_nratio=0.1, dp_sratio=0.05)
LINEAR = PLAIN.replace(dp_mode=3, rgap=1e-4)
ROLLING = pfc.rolling_resistance_linear.RollingResistanceLinear(linear=PLAIN, rr_fric=0.05)
HERTZ = pfc.hertz.Hertz(
    hz_shear=4e6, hz_poiss=0.25, fric=0.3, dp_nratio=0.1, dp_sratio=0.05, dp_mode=1
)
FADING = HERTZ.replace(hz_mode=1, dp_mode=0, dp_alpha=0.5)
MODELS = {"LINEAR": LINEAR, "ROLLING": ROLLING, "HERTZ": HERTZ, "FADING": FADING}

PLACE = np.array([(0.0, 0.0, 0.0), (0.152, 0.01, 0.005)])
STARTS = {
    "head-on": (PLACE * (1.0, 0.0, 0.0), [(1.0, 0.0, 0.0), (-0.5, 0.0, 0.0)], np.zeros((2, 3))),
    "slips at last": (
        PLACE,
        [(1.0, 0.1, 0.0), (-0.5, 0.0, 0.2)],
        [(4.0, 2.0, 5.0), (-1.0, 0.0, -3.0)],
    ),
    "slides at once": (
        PLACE,
        [(1.0, 0.3, 0.4), (-0.5, -0.1, 0.0)],
        [(20.0, -16.0, 30.0), (4.0, -10.0, 5.0)],
    ),
    "in a plane": (
        PLACE * (1.0, 0.0, 0.0),
        [(1.0, 0.0, 0.0), (-0.5, 0.0, 0.0)],
        [(0.0, 0.0, 10.0), (0.0, 0.0, -5.0)],
    ),
    "in overlap": (
        PLACE * (0.98, 1.0, 1.0),
        [(1.0, 0.1, 0.0), (-0.5, 0.0, 0.2)],
        [(4.0, 2.0, 5.0), (-1.0, 0.0, -3.0)],
    ),
}


class End(NamedTuple):
    """Of a simulation; spins as speeds of the surfaces. The status is 0 where all went well."""

    position: np.ndarray
    velocity: np.ndarray
    surface: np.ndarray
    lift_off: float
    status: int = 0


def between(model, **changes):
    return pfc.contact.Contact(model=model, **{**BALLS, **changes})


def simulated(contact, start, bodies=2, accuracy=1e-8):
    position, velocity, spin = (jnp.asarray(part)[:bodies] for part in start)
    held = () if bodies == 2 else (jc.Sphere(center=start[0][1], radius=RADIUS[1]),)
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS[:bodies], mass=MASS[:bodies]),
        surfaces=held,
        contact=contact,
        gravity=(0, 0, 0),
    )
    state = jc.state(position=position, velocity=velocity, spin=spin)
    method = jc.EventAligned(accuracy=accuracy, max_steps=176, max_contacts=1)
    return jc.simulate(scene, state, TIMES, method=method)


@jax.jit
def collided(contact, start):
    found = simulated(contact, start)
    surface = RADIUS[:, None] * found.spin[-1]
    lift_off = found.contacts.lift_off[0]
    return End(found.position[-1], found.velocity[-1], surface, lift_off, found.status)


class Law(NamedTuple):
    """The program's equations in numbers: ``F_n = h d^alpha``, ``k_s = ratio k_n``, dashpots."""

    h: float
    alpha: float
    ratio: float
    fric: tuple
    damping: tuple
    dp_alpha: float
    dp_mode: int
    fades: bool
    rgap: float


def law_of(model):
    if isinstance(model, pfc.hertz.Hertz):
        h = 2 / 3 * model.hz_shear / (1 - model.hz_poiss) * np.sqrt(2 * 2 * TOGETHER)
        alpha, ratio = 1.5, 2 * (1 - model.hz_poiss) / (2 - model.hz_poiss)
        given, rolls, more = model, 0.0, model.dp_alpha
    else:
        given = getattr(model, "linear", model)
        h, alpha, ratio, more = given.kn, 1.0, given.ks / given.kn, 0.0
        rolls = getattr(model, "rr_fric", 0.0)
    ratios, fades = (given.dp_nratio, given.dp_sratio), getattr(model, "hz_mode", 0) == 1
    return Law(h, alpha, ratio, (given.fric, rolls), ratios, more, given.dp_mode, fades, given.rgap)


class Mode(NamedTuple):
    """Which springs slide, whether the normal force is cut, whether the contact unloads."""

    slides: tuple
    cut: bool
    unloads: bool


class Seen(NamedTuple):
    n: np.ndarray
    rate: float
    overlap: float
    load: float
    kn: float
    ks: float
    arms: tuple
    speeds: tuple
    turning: np.ndarray
    dashpots: tuple


def seen(law, y, mass):
    x, v, w = y[:18].reshape(3, 2, 3)
    apart = np.linalg.norm(x[1] - x[0])
    n = (x[1] - x[0]) / apart
    overlap = max(RADIUS.sum() + law.rgap - apart, 0.0)
    middle = RADIUS[0] + (apart - RADIUS.sum()) / 2
    arms = middle * n, (middle - apart) * n
    moves = v[1] + np.cross(w[1], arms[1]) - v[0] - np.cross(w[0], arms[0])
    shear, bend = moves - (moves @ n) * n, (w[1] - w[0]) - ((w[1] - w[0]) @ n) * n
    turning = np.cross(n, v[1] - v[0]) / apart + (w[0] + w[1]) @ n / 2 * n
    kn = law.alpha * law.h * overlap ** (law.alpha - 1)
    dashpots = [
        2 * beta * np.sqrt(mass * k) * overlap**law.dp_alpha
        for beta, k in zip(law.damping, (kn, law.ratio * kn), strict=True)
    ]
    load, speeds = law.h * overlap**law.alpha, (shear, TOGETHER * bend)
    return Seen(
        n, moves @ n, overlap, load, kn, law.ratio * kn, arms, speeds, turning, tuple(dashpots)
    )


def size(vector):
    return np.linalg.norm(vector)


def rates(law, mode, y, inverse_mass, inverse_inertia):
    """Rates of positions, velocities, spins, and of the forces of both springs (the moment of
    rolling over the effective radius).
    """
    at = seen(law, y, 1 / inverse_mass.sum())
    carried, changes = [], []
    for k, force in enumerate(y[18:].reshape(2, 3)):
        v, change = at.speeds[k], -at.ks * at.speeds[k] * (law.fric[k] > 0)
        if mode.slides[k]:
            u = force / size(force)
            force = law.fric[k] * at.load * u
            change = -law.fric[k] * at.kn * at.rate * u - at.ks * (v - (v @ u) * u)
        elif law.fades and mode.unloads and k == 0 and at.overlap > 0:
            change = change - (law.alpha - 1) * at.rate / at.overlap * force
        carried.append(force)
        changes.append(change + np.cross(at.turning, y[18 + 3 * k : 21 + 3 * k]))
    push = 0.0 if mode.cut else at.load - at.dashpots[0] * at.rate
    damps = not (mode.slides[0] and law.dp_mode in (2, 3))
    on = push * at.n + carried[0] - damps * at.dashpots[1] * at.speeds[0]
    signs = np.array([-1.0, 1.0])
    pushed = inverse_mass[:, None] * signs[:, None] * on
    torques = signs[:, None] * (np.cross(at.arms, on) + TOGETHER * carried[1])
    turned = inverse_inertia[:, None] * torques
    return np.concatenate([y[6:12], pushed.ravel(), turned.ravel(), *changes])


def ends_of(law, mode, mass):
    """What ends a mode; negative from there on. Lift-off comes first."""

    def slider(k):
        def sign(_, y):
            at, force = seen(law, y, mass), y[18 + 3 * k : 21 + 3 * k]
            if not mode.slides[k]:
                return law.fric[k] * at.load - size(force)
            rises = 1 / law.alpha if law.fades and mode.unloads and k == 0 else 1.0
            along = at.speeds[k] @ force / size(force)
            return -law.ratio * along + law.fric[k] * at.rate * rises

        return sign

    def lift_off(_, y):
        return RADIUS.sum() + law.rgap - size(y[3:6] - y[:3])

    def tension(_, y):
        at = seen(law, y, mass)
        return (-1 if mode.cut else 1) * (at.load - at.dashpots[0] * at.rate)

    def turn(_, y):
        return (1 if mode.unloads else -1) * seen(law, y, mass).rate

    signs = [lift_off, slider(0), slider(1), tension, turn]
    means = [True, law.fric[0] > 0, law.fric[1] > 0, law.dp_mode in (1, 3), law.fades]
    return [
        sign if matters else (lambda _, y: 1.0) for sign, matters in zip(signs, means, strict=True)
    ]


def after_contact(model, start, mass=MASS, inertia=INERTIA):
    """End of a motion by plain formulas, from event to event."""
    law, inverse = law_of(model), (1 / mass, 1 / inertia)
    x, v, w = (np.array(part, dtype=float) for part in start)
    between, parting = x[1] - x[0], v[1] - v[0]
    reach = RADIUS.sum() + law.rgap
    squares = parting @ parting, 2 * between @ parting, between @ between - reach**2
    touch = np.roots(squares).min()
    y = np.concatenate([(x + v * touch).ravel(), v.ravel(), w.ravel(), np.zeros(6)])
    at = seen(law, y, 1 / inverse[0].sum())
    slides = tuple(
        fric > 0 and law.ratio * size(speed) > -fric * at.rate
        for speed, fric in zip(at.speeds, law.fric, strict=True)
    )
    for k in range(2):
        if slides[k]:
            y[18 + 3 * k : 21 + 3 * k] = -1e-13 * at.speeds[k] / size(at.speeds[k])
    mode, time = Mode(slides, False, False), touch
    atol = np.repeat([1e-14, 1e-12, 1e-11, 1e-11], [6, 6, 6, 6])
    for _ in range(20):
        ends = ends_of(law, mode, 1 / inverse[0].sum())
        for sign in ends:
            sign.terminal, sign.direction = True, -1
        run = solve_ivp(
            lambda _, y, mode=mode: rates(law, mode, y, *inverse),
            (time, 1.0),
            y,
            "DOP853",
            events=ends,
            rtol=1e-11,
            atol=atol,
        )
        which = next(k for k, found in enumerate(run.t_events) if found.size)
        time, y = run.t[-1], run.y[:, -1]
        if which == 0:
            break
        if which in (1, 2) and mode.slides[which - 1]:
            force, load = y[15 + 3 * which : 18 + 3 * which], seen(law, y, 1.0).load
            force *= law.fric[which - 1] * load / size(force)
        slides = [s ^ (which == k) for k, s in enumerate(mode.slides, start=1)]
        mode = Mode(tuple(slides), mode.cut ^ (which == 3), mode.unloads ^ (which == 4))
    x, v, w = y[:18].reshape(3, 2, 3)
    return End(x + v * (TIMES[-1] - time), v, RADIUS[:, None] * w, time)


def assert_same(found, expected, within):
    """Velocities and speeds of surfaces in units of the impact, places and times likewise."""
    assert found.status == expected.status
    atol = within * SPEED
    np.testing.assert_allclose(found.velocity, expected.velocity, rtol=0, atol=atol)
    np.testing.assert_allclose(found.surface, expected.surface, rtol=0, atol=atol)
    np.testing.assert_allclose(found.position, expected.position, rtol=0, atol=atol * TIMES[-1])
    np.testing.assert_allclose(found.lift_off, expected.lift_off, rtol=0, atol=within * TIMES[-1])


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_the_motion_is_that_of_plain_formulas(name):
    model = MODELS[name]
    for case in ("head-on", "slips at last", "slides at once", "in a plane"):
        found = collided(between(model), STARTS[case])
        assert_same(found, after_contact(model, STARTS[case]), 2e-8)
        x, v, w = (np.asarray(part) for part in STARTS[case])
        momentum = MASS @ v, INERTIA @ w + np.sum(np.cross(x, MASS[:, None] * v), axis=0)
        spin = found.surface / RADIUS[:, None]
        orbit = np.sum(np.cross(found.position, MASS[:, None] * found.velocity), axis=0)
        np.testing.assert_allclose(MASS @ found.velocity, momentum[0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(INERTIA @ spin + orbit, momentum[1], rtol=0, atol=1e-12)


STEPS = {
    "LINEAR": (pfc.linear.linear_contact, pfc.linear.NEW_LINEAR_CONTACT),
    "ROLLING": (
        pfc.rolling_resistance_linear.rolling_resistance_linear_contact,
        pfc.rolling_resistance_linear.NEW_ROLLING_RESISTANCE_LINEAR_CONTACT,
    ),
    "HERTZ": (pfc.hertz.hertz_contact, pfc.hertz.NEW_HERTZ_CONTACT),
}


def cycled(name, start, steps):
    """The program's cycle: velocities at half steps, positions, contact resolution, model."""
    step, (law, new) = TIMES[-1] / steps, STEPS[name]

    def cycle(carry, _):
        x, v, w, force, torque, axes, memory = carry
        v, w = v + step * force / MASS[:, None], w + step * torque / INERTIA[:, None]
        x = x + step * v
        balls = [
            pfc.pieces.ball(Motion(*row), radius=radius, mass=mass)
            for *row, radius, mass in zip(x, v, w, RADIUS, MASS, strict=True)
        ]
        state, axes = pfc.contact_resolution.ball_ball_contact(axes, *balls, time_step=step)
        response, memory = law(memory, state, model=MODELS[name])
        on = pfc.state.body_wrenches(
            state,
            force=response.force(state),
            moment=response.moment(state),
            reference1=x[0],
            reference2=x[1],
        )
        force, torque = (jnp.stack(parts) for parts in zip(*on, strict=True))
        return (x, v, w, force, torque, axes, memory), None

    first = [jnp.asarray(part, float) for part in start]
    axes, memory = ContactAxes(*jnp.zeros((3, 3))), jax.tree.map(jnp.asarray, new)
    begin = (*first, jnp.zeros((2, 3)), jnp.zeros((2, 3)), axes, memory)
    (_, v, w, *_), _ = jax.jit(lambda begin: jax.lax.scan(cycle, begin, None, length=steps))(begin)
    return np.concatenate([v, RADIUS[:, None] * w])


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "case"),
    [("LINEAR", "in overlap"), ("ROLLING", "slips at last"), ("HERTZ", "slides at once")],
)
def test_the_motion_is_the_limit_of_the_cycle_of_the_package(name, case):
    """Of first order, as events fall between steps."""
    found = collided(between(MODELS[name]), STARTS[case])
    assert found.status == 0
    exact = np.concatenate([found.velocity, found.surface])
    runs = [cycled(name, STARTS[case], steps) for steps in (2_500, 40_000)]
    errors = [np.max(np.abs(run - exact)) / SPEED for run in runs]
    assert errors[0] < 3e-3
    assert errors[1] < errors[0] / 8


@pytest.mark.long
@pytest.mark.slow
def test_one_ball_may_be_held():
    """Its mass then does not count in the contact mass."""
    x, v, w = (np.array(part, dtype=float) for part in STARTS["slips at last"])
    v[1], w[1] = 0.0, 0.0
    found = simulated(between(ROLLING, mass2=None), (x, v, w), bodies=1)
    held = {"mass": np.array([MASS[0], np.inf]), "inertia": np.array([INERTIA[0], np.inf])}
    expected = after_contact(ROLLING, (x, v, w), **held)
    atol = 2e-8 * SPEED
    surface = RADIUS[0] * found.spin[-1]
    np.testing.assert_allclose(found.velocity[-1, 0], expected.velocity[0], rtol=0, atol=atol)
    np.testing.assert_allclose(surface[0], expected.surface[0], rtol=0, atol=atol)


def scaled(model, logarithms):
    """Stiffness, friction, damping and what else the model has, times exponentials."""
    a, b, c, d, e = jnp.exp(logarithms)
    if isinstance(model, pfc.hertz.Hertz):
        own = {"hz_shear": 4e6 * a, "hz_poiss": 0.25 * b}
        dashpots = {"dp_nratio": 0.1 * d, "dp_sratio": 0.05 * e}
        return model.replace(fric=0.3 * c, **own, **dashpots)
    linear = PLAIN.replace(kn=1e5 * a, ks=5e4 * b, fric=0.3 * c, dp_nratio=0.1 * d)
    return model.replace(linear=linear, rr_fric=0.05 * e)


def outcome(model, logarithms):
    found = collided(between(scaled(model, logarithms)), STARTS["slips at last"])
    return jnp.concatenate([found.velocity.ravel(), found.surface.ravel()])


def differences(model, step=1e-2):
    columns = []
    for unit in np.eye(5):
        near, far = (
            outcome(model, k * step * unit) - outcome(model, -k * step * unit) for k in (1, 2)
        )
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=1)


@pytest.mark.long
@pytest.mark.parametrize("name", ["ROLLING", "HERTZ"])
def test_derivatives_are_those_of_differences(name):
    model = MODELS[name]
    found, expected = (
        jax.jit(jax.jacfwd(lambda at: outcome(model, at)))(jnp.zeros(5)),
        differences(model),
    )
    scale = np.max(np.abs(expected), axis=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-5)


@pytest.mark.long
@pytest.mark.slow
def test_gradients_are_those_of_differences():
    weights = np.linspace(-1.0, 1.0, 12)
    found = jax.jit(jax.grad(lambda at: outcome(ROLLING, at) @ weights))(jnp.zeros(5))
    np.testing.assert_allclose(found, weights @ differences(ROLLING), rtol=1e-5)


@pytest.mark.long
def test_many_at_once_are_as_each():
    frictions = jnp.array([0.0, 0.1, 0.3])

    def after(friction):
        return collided(between(LINEAR.replace(fric=friction)), STARTS["slips at last"]).velocity

    found = jax.jit(jax.vmap(after))(frictions)
    each = jnp.stack([after(friction) for friction in frictions])
    np.testing.assert_allclose(found, each, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (PLAIN.replace(lin_mode=1), r"lin_mode = 1 is not followed.*Take lin_mode=0"),
        (PLAIN.replace(kn=0.0), "kn = 0 holds nothing apart"),
        (PLAIN.replace(slider=smooth_coulomb_slider), "slider = .* is not followed"),
        (jc.HuntCrossley(stiffness=1e5, restitution=0.5), "Give a Linear, Hertz or"),
    ],
)
def test_what_is_not_followed_is_said(model, says):
    with pytest.raises(ValueError, match=says):
        simulated(between(model), STARTS["head-on"])
