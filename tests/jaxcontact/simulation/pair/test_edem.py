"""EDEM's contact between two particles, through ``simulate``: against plain formulas integrated by
SciPy and against the package's own steps, conservation, derivatives, rotations that end.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.materials import Solid
from jaxcontact.systems import edem

RADIUS, MASS = np.array([0.05, 0.1]), np.array([0.1, 0.4])
INERTIA = 0.4 * MASS * RADIUS**2
YOUNG, POISSON = 1e7, 0.25
SOLID = Solid(youngs_modulus=YOUNG, poisson_ratio=POISSON)
ONE, TWO = (
    edem.Particle(radius=radius, mass=mass) for radius, mass in zip(RADIUS, MASS, strict=True)
)
PAIR = {"solid1": SOLID, "solid2": SOLID, "coefficient_of_restitution": 0.6}
HERTZ = edem.Contact(
    particle1=ONE,
    particle2=TWO,
    base=edem.HertzMindlin(static_friction=0.3, rolling_friction=0.01, **PAIR),
    spinning=edem.SpinningFriction(mu=0.3),
)
LINEAR = edem.Contact(
    particle1=ONE,
    particle2=TWO,
    base=edem.LinearSpring(
        characteristic_velocity=1.0,
        static_friction=0.3,
        tangential_stiffness_ratio=0.8,
        end="zero_force",
        **PAIR,
    ),
    spinning=edem.SpinningFriction(mu=0.2, w_reg=2.0, limit="flow", disk="hertz"),
)
START = {
    "position": np.array([(0.0, 0.0, 0.0), (0.152, 0.01, 0.005)]),
    "velocity": np.array([(1.0, 0.1, 0.0), (-0.5, 0.0, 0.2)]),
    "spin": np.array([(4.0, 2.0, 5.0), (-1.0, 0.0, -3.0)]),
}
SPEED = 1.5


def collide(contact, times=(0.0, 0.01, 0.02), accuracy=None, **changes):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), surfaces=(), contact=contact, gravity=(0, 0, 0)
    )
    method = None if accuracy is None else jc.EventAligned(accuracy=accuracy)
    return jc.simulate(scene, jc.state(**{**START, **changes}), jnp.array(times), method=method)


def formulas(contact):
    """Rates of positions, velocities, spins and elongation in an open or closed contact."""
    base, linear = contact.base, isinstance(contact.base, edem.LinearSpring)
    pair_radius, pair_mass = 1 / np.sum(1 / RADIUS), 1 / np.sum(1 / MASS)
    modulus = YOUNG / (2 * (1 - POISSON**2))
    shear = YOUNG / (4 * (1 + POISSON) * (2 - POISSON))
    beta = -float(-base.dashpot(1.0, 0.25)) if linear else float(-base.beta)
    spinning = contact.spinning

    def coefficients(overlap):
        if linear:
            root = np.sqrt(pair_radius)
            stiffness = (
                16 / 15 * root * modulus * (15 * pair_mass / (16 * root * modulus)) ** (1 / 5)
            )
            damping = 2 * beta * np.sqrt(pair_mass * stiffness)
            ratio = base.tangential_stiffness_ratio
            return stiffness * overlap, damping, ratio * stiffness, np.sqrt(ratio) * damping
        load = 4 / 3 * modulus * np.sqrt(pair_radius) * overlap**1.5
        normal = 2 * modulus * np.sqrt(pair_radius * overlap)
        along = 8 * shear * np.sqrt(pair_radius * overlap)
        dashpots = [2 * np.sqrt(5 / 6) * beta * np.sqrt(k * pair_mass) for k in (normal, along)]
        return load, dashpots[0], along, dashpots[1]

    def area(overlap):
        if spinning.disk == "hertz":
            return np.pi * pair_radius * overlap
        apart = RADIUS.sum() - overlap
        height = (apart**2 + RADIUS[0] ** 2 - RADIUS[1] ** 2) / (2 * apart)
        return np.pi * max(RADIUS[0] ** 2 - height**2, 0.0)

    def rates(_, y):
        x, v, w = y[:18].reshape(3, 2, 3)
        xi = y[18:]
        apart = np.linalg.norm(x[1] - x[0])
        n = (x[1] - x[0]) / apart
        overlap = max(RADIUS.sum() - apart, 1e-30)
        arms = (RADIUS[0] - overlap / 2) * n, -(RADIUS[1] - overlap / 2) * n
        moves = v[0] + np.cross(w[0], arms[0]) - v[1] - np.cross(w[1], arms[1])
        slip = moves - (moves @ n) * n
        load, damping, k, c = coefficients(overlap)
        trial = k * xi + c * slip
        held = trial * min(1.0, base.static_friction * load / np.linalg.norm(trial))
        push = load + damping * (moves @ n)
        push = max(push, 0.0) if base.end == "zero_force" else push
        turns = w[0] - w[1]
        disk = area(overlap)
        spin = turns @ n
        share = np.sign(spin) if spinning.w_reg is None else spin / np.hypot(spin, spinning.w_reg)
        torque = -2 / 3 * spinning.mu * load * np.sqrt(disk / np.pi) * share * n
        torque = torque - damping / 4 * disk / np.pi * (turns - spin * n)
        rolling = [
            -base.rolling_friction * load * r * rotation / np.linalg.norm(rotation)
            for r, rotation in zip(RADIUS, w, strict=True)
        ]
        force = -held - push * n
        spins = [
            (np.cross(arm, sign * force) + sign * torque + roll) / inertia
            for arm, sign, roll, inertia in zip(arms, (1, -1), rolling, INERTIA, strict=True)
        ]
        plane = np.cross(n, v[1] - v[0]) / apart + (w[0] + w[1]) @ n / 2 * n
        stretch = (held - k * xi) / c + np.cross(plane, xi)
        return np.concatenate([v.ravel(), force / MASS[0], -force / MASS[1], *spins, stretch])

    return rates


def gap(_, y):
    return np.linalg.norm(y[3:6] - y[:3]) - RADIUS.sum()


gap.terminal, gap.direction = True, 1


def after_contact(contact, touch_down, time):
    """Velocities and spins by plain formulas, a moment before the contact and from there on."""
    x, v, w = START.values()
    y = np.concatenate([(x + v * touch_down).ravel(), v.ravel(), w.ravel(), np.zeros(3)])
    run = solve_ivp(
        formulas(contact), (touch_down, time), y, "DOP853", events=gap, rtol=1e-10, atol=1e-13
    )
    assert run.status == 1
    return run.t[-1], run.y[6:18, -1].reshape(2, 2, 3)


def momenta(found):
    """Momentum, and angular momentum about the origin, at each time."""
    momentum = np.einsum("b,tbi->ti", MASS, found.velocity)
    orbit = np.sum(np.cross(found.position, MASS[:, None] * found.velocity), axis=1)
    return momentum, orbit + np.einsum("b,tbi->ti", INERTIA, found.spin)


@pytest.mark.long
@pytest.mark.parametrize("name", ["HERTZ", "LINEAR"])
def test_the_motion_is_that_of_plain_formulas(name):
    contact = {"HERTZ": HERTZ, "LINEAR": LINEAR}[name]
    found = collide(contact, accuracy=1e-9)
    lift_off, (velocity, spin) = after_contact(contact, float(found.contacts.touch_down[0]), 0.02)
    np.testing.assert_allclose(found.contacts.lift_off[0], lift_off, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.velocity[-1], velocity, rtol=0, atol=1e-6 * SPEED)
    size = RADIUS[:, None]
    np.testing.assert_allclose(size * found.spin[-1], size * spin, rtol=0, atol=1e-6 * SPEED)
    momentum, angular = momenta(found)
    np.testing.assert_allclose(momentum - momentum[0], 0.0, rtol=0, atol=1e-12)
    if contact.base.rolling_friction == 0.0:
        np.testing.assert_allclose(angular - angular[0], 0.0, rtol=0, atol=1e-12)


@pytest.mark.long
def test_rotations_that_end_are_held():
    """Spinning friction leaves both spheres one spin about the normal; rolling friction none. Both
    need the program that the motion above has compiled.
    """
    along = {
        "position": np.array([(0.0, 0.0, 0.0), (0.152, 0.0, 0.0)]),
        "velocity": np.array([(1.0, 0.0, 0.0), (-0.5, 0.0, 0.0)]),
        "spin": np.array([(2.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]),
        "accuracy": 1e-9,
    }
    free = HERTZ.replace(base=HERTZ.base.replace(rolling_friction=0.0))
    common = INERTIA @ along["spin"][:, 0] / INERTIA.sum()
    found = collide(free, **along)
    np.testing.assert_allclose(found.spin[-1, :, 0], common, rtol=0, atol=1e-5)
    rolls = HERTZ.replace(base=HERTZ.base.replace(rolling_friction=0.2))
    found = collide(rolls, **along)
    np.testing.assert_allclose(found.spin[-1], 0.0, rtol=0, atol=1e-5)


def stepped(contact, touch_down, steps, duration):
    """The package's own steps from touch-down on: velocities and spins a ``duration`` later."""
    x, v, w = START.values()
    step = duration / steps

    def one(carry, _):
        memory, x, v, w = carry
        bodies = [Motion(x[k], v[k], w[k]) for k in range(2)]
        forces, memory = edem.sphere_sphere(memory, contact, *bodies, time_step=step)
        on = forces.body1, forces.body2
        v = v + step * jnp.stack([wrench.force for wrench in on]) / MASS[:, None]
        w = w + step * jnp.stack([wrench.torque for wrench in on]) / INERTIA[:, None]
        return (memory, x + step * v, v, w), None

    memory = edem.new_memory()
    normal = x[1] + v[1] * touch_down - x[0] - v[0] * touch_down
    memory = memory._replace(normal=jnp.asarray(normal / np.linalg.norm(normal)))
    begin = memory, jnp.asarray(x + v * touch_down), jnp.asarray(v), jnp.asarray(w)
    (_, _, v, w), _ = jax.jit(lambda begin: jax.lax.scan(one, begin, None, length=steps))(begin)
    return np.concatenate([v, RADIUS[:, None] * w])


@pytest.mark.long
def test_the_motion_is_the_limit_of_the_steps_of_the_package():
    found = collide(HERTZ, accuracy=1e-9)
    touch_down, lift_off = found.contacts.touch_down[0], found.contacts.lift_off[0]
    coarse, fine = (
        stepped(HERTZ, float(touch_down), steps, 1.05 * float(lift_off - touch_down))
        for steps in (4000, 8000)
    )
    exact = np.concatenate([found.velocity[-1], RADIUS[:, None] * found.spin[-1]])
    errors = [np.max(np.abs(run - exact)) / SPEED for run in (coarse, fine, 2 * fine - coarse)]
    assert errors[0] < 2e-3
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 2e-5


OWN = ("youngs_modulus", "restitution", "static_friction", "rolling_friction", "spinning")


def by_logarithms(logarithms):
    e, r, s, m, p = jnp.exp(logarithms)
    solid = SOLID.replace(youngs_modulus=YOUNG * e)
    base = HERTZ.base.replace(
        solid1=solid,
        solid2=solid,
        coefficient_of_restitution=0.6 * r,
        static_friction=0.3 * s,
        rolling_friction=0.01 * m,
    )
    found = collide(HERTZ.replace(base=base, spinning=HERTZ.spinning.replace(mu=0.3 * p)))
    return jnp.concatenate([jnp.ravel(part[-1]) for part in (found.velocity, found.spin / 10)])


@pytest.mark.long
def test_derivatives_are_those_of_differences():
    run, zero, step = jax.jit(by_logarithms), jnp.zeros(len(OWN)), 2e-3
    columns = []
    for unit in np.eye(len(OWN)):
        near, far = (run(k * step * unit) - run(-k * step * unit) for k in (1, 2))
        columns.append((8 * near - far) / (12 * step))
    expected = np.stack(columns, axis=1)
    found = jax.jit(jax.jacfwd(by_logarithms))(zero)
    scale = np.max(np.abs(expected), axis=0)
    np.testing.assert_allclose(found / scale, expected / scale, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (HERTZ.replace(particle2=None), "Give one sphere, and one jc.Plane"),
        (
            HERTZ.replace(base=HERTZ.base.replace(coefficient_of_restitution=1.0)),
            "coefficient_of_restitution = 1 leaves no dashpot",
        ),
        (
            HERTZ.replace(
                spinning=edem.SpinningFriction(
                    mu=0.3,
                    w_reg=1.0,
                    limit="regularized",
                    regularization=jc.laws.REGULARIZATIONS["linear"],
                )
            ),
            "has corners",
        ),
    ],
)
def test_what_is_not_followed_is_said(changed, says):
    with pytest.raises(ValueError, match=says):
        collide(changed)
