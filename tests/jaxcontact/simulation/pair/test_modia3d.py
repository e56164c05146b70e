"""Modia3D's contact between two spheres, through ``simulate``: against plain formulas that SciPy
integrates, the package's own steps, and a final state that the program has stored.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import jaxcontact as jc
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.systems import modia3d

RADIUS, MASS = np.array([0.03, 0.05]), np.array([0.2, 0.5])
POISSON = np.array([0.3, 0.4])
PARAMETERS = {
    "E": 1e8,
    "cor": 0.7,
    "mu": 0.3,
    "mu_r": 0.02,
    "k_red": 1.0,
    "vsmall": 0.01,
    "epsilon": 0.0,
}
AWAY = [(0.0, 0.0, 0.0), (0.079, 0.03, 0.005)]
NEAR = [(0.0, 0.0, 0.0), (0.081, 0.0, 0.0)]
NEARER = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0799)]
ASIDE = [(0.0, 0.0, 0.0), (0.079, 0.23, 0.005)]
FAST = [(1.0, 0.2, 0.0), (-0.5, 0.0, 0.1)]
DOWN = [(0.2, 0.0, 1.0), (0.0, 0.1, -0.5)]
SPINS = [(0.0, 3.0, 20.0), (5.0, 0.0, -10.0)]
REST = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]
TURNS = [(0.0, 0.3, 0.2), (0.5, 0.0, -0.1)]
SLOW = [(0.005, 0.002, 0.0), (-0.004, 0.0, 0.0)]
FASTER = [(0.02, 0.002, 0.0), (-0.004, 0.0, 0.0)]

CASES = {
    "head-on": (NEAR, [(1.0, 0.0, 0.0), (-0.5, 0.0, 0.0)], REST, 0.02, {}),
    "oblique": (AWAY, FAST, SPINS, 0.02, {}),
    "soft": (AWAY, FAST, SPINS, 0.04, {"k_red": 1e-2, "epsilon": 1e-4}),
    "below vsmall": (NEAR, SLOW, TURNS, 0.25, {}),
    "above vsmall": (NEAR, FASTER, TURNS, 0.15, {}),
    "begins in overlap": (NEARER, DOWN, SPINS, 0.02, {}),
    "cor = 0, cut": (AWAY, FAST, SPINS, 0.03, {"cor": 0.0}),
    "cor = 0, head-on": (NEAR, [(1.0, 0.0, 0.0), (-0.5, 0.0, 0.0)], REST, 0.2, {"cor": 0.0}),
}


def contact(parameters, radius=RADIUS, poisson=POISSON, **options):
    one, two = (
        modia3d.Solid(shape=modia3d.Sphere(diameter=2 * r), solidMaterial="Steel") for r in radius
    )
    materials = [
        modia3d.SolidMaterial(density=1.0, YoungsModulus=parameters["E"], PoissonsRatio=nu)
        for nu in poisson
    ]
    pair = modia3d.ElasticContactPairMaterial(
        coefficientOfRestitution=parameters["cor"],
        slidingFrictionCoefficient=parameters["mu"],
        rotationalResistanceCoefficient=parameters["mu_r"],
        vsmall=parameters["vsmall"],
    )
    return modia3d.ElasticContact(
        solid1=one,
        solid2=two,
        solidMaterial1=materials[0],
        solidMaterial2=materials[1],
        pairMaterial=pair,
        elasticContactReductionFactor=parameters["k_red"],
        contactEpsilon=parameters["epsilon"],
        **options,
    )


def collide(parameters, start, duration, **options):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=(),
        contact=contact(parameters, **options),
        gravity=(0, 0, 0),
    )
    position, velocity, spin = start
    return jc.simulate(
        scene,
        jc.state(position=position, velocity=velocity, spin=spin),
        jnp.stack([jnp.zeros_like(duration), duration]),
        method=jc.EventAligned(accuracy=1e-9, max_contacts=1, max_steps=256),
        strict=False,
    )


together = jax.jit(jax.vmap(collide))


def given(name):
    """Parameters, start and duration of a case."""
    *start, duration, changes = CASES[name]
    parameters = {**PARAMETERS, **changes}
    return jax.tree.map(np.float64, parameters), np.array(start), np.float64(duration)


@functools.cache
def all_cases():
    return together(*jax.tree.map(lambda *parts: jnp.stack(parts), *map(given, CASES)))


def cross(a, b):
    return a[[1, 2, 0]] * b[[2, 0, 1]] - a[[2, 0, 1]] * b[[1, 2, 0]]


def reg(a, small):
    return a if a >= small else a * a / small * (1 - a / (3 * small)) + small / 3


class Formulas:
    """Modia3D's law, of two spheres, the second of which may be held; it pulls as that of the
    program, or not, as that of its documentation.
    """

    def __init__(self, parameters, radius=RADIUS, mass=MASS, gravity=0.0, pulls=False):
        moduli = parameters["E"] / (1 - POISSON**2)
        effective_modulus = moduli.prod() / moduli.sum()
        self.radius, self.gravity, self.pulls = np.asarray(radius), gravity, pulls
        self.effective_radius = self.radius.prod() / self.radius.sum()
        self.stiffness = (
            parameters["k_red"] * effective_modulus * 4 / 3 * np.sqrt(self.effective_radius)
        )
        self.given = parameters
        self.shares = 1 / np.asarray(mass), 2.5 / (np.asarray(mass) * self.radius**2)

    def kinematics(self, y):
        x, v, w = y.reshape(3, 2, 3)
        apart = x[1] - x[0]
        distance = np.sqrt(apart @ apart)
        n, overlap = apart / distance, self.radius.sum() - distance
        arms = (self.radius[0] - overlap / 2) * n, -(self.radius[1] - overlap / 2) * n
        overlap = overlap + self.given["epsilon"]
        relative = v[1] + cross(w[1], arms[1]) - v[0] - cross(w[0], arms[0])
        return n, overlap, arms, relative @ n, w[1] - w[0], relative - (relative @ n) * n

    def damping(self, y):
        speed = abs(self.kinematics(y)[3])
        cor = self.given["cor"] if speed > self.given["vsmall"] else 0.0
        return 2000.0 if cor == 0.0 else min(2000.0, 8 * (1 - cor) / (5 * cor * speed))

    def rates(self, _, y, damping):
        v = y[6:12].reshape(2, 3)
        pull = np.array([(0, 0, -self.gravity), (0, 0, 0)])
        if damping is None:
            return np.concatenate([v, pull, np.zeros((2, 3))]).ravel()
        n, overlap, arms, opening, turning, slip = self.kinematics(y)
        load = self.stiffness * overlap * np.sqrt(abs(overlap)) * (1 - damping * opening)
        load = load if self.pulls else max(0.0, load)
        force = load * n
        force = force - self.given["mu"] * load * slip / reg(
            np.sqrt(slip @ slip), self.given["vsmall"]
        )
        torque = -self.given["mu_r"] * self.effective_radius * load * turning
        torque = torque / reg(np.sqrt(turning @ turning), 0.01)
        forces = np.stack([-force, force]) * self.shares[0][:, None]
        torques = np.stack([cross(arms[0], -force) - torque, cross(arms[1], force) + torque])
        return np.concatenate([v, forces + pull, torques * self.shares[1][:, None]]).ravel()

    def moved(self, start, duration):
        """Position, velocity and spin after the ``duration``; times of touch-down and lift-off."""

        def gap(_, y, __):
            return -self.kinematics(y)[1]

        gap.terminal = True
        time, y, damping, events = 0.0, np.ravel(start), None, []
        if self.kinematics(y)[1] > 0:
            damping, events = self.damping(y), [0.0]
        while time < duration:
            gap.direction = -1 if damping is None else 1
            stiff = damping is not None and damping > 100.0
            run = solve_ivp(
                self.rates,
                (time, duration),
                y,
                "Radau" if stiff else "DOP853",
                args=(damping,),
                events=gap,
                rtol=1e-10 if stiff else 1e-12,
                atol=1e-15,
            )
            time, y = run.t[-1], run.y[:, -1]
            if run.status == 1:
                events.append(time)
                damping = self.damping(y) if damping is None else None
        return y.reshape(3, 2, 3), events


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in CASES if name != "cor = 0, head-on"])
def test_the_motion_is_that_of_plain_formulas(name):
    found = jax.tree.map(lambda part: part[list(CASES).index(name)], all_cases())
    parameters, start, duration = given(name)
    (position, velocity, spin), events = Formulas(parameters).moved(start, duration)
    assert found.status == jc.Status.SUCCESS
    speed = np.linalg.norm(start[1][1] - start[1][0])
    np.testing.assert_allclose(
        [found.contacts.touch_down[0], found.contacts.lift_off[0]],
        events,
        rtol=0,
        atol=1e-7 * duration,
    )
    np.testing.assert_allclose(found.position[-1], position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.velocity[-1], velocity, rtol=0, atol=1e-8 * speed)
    size = RADIUS[:, None]
    np.testing.assert_allclose(size * found.spin[-1], size * spin, rtol=0, atol=1e-8 * speed)


@pytest.mark.long
@pytest.mark.parametrize("name", ["head-on", "cor = 0, head-on"])
def test_the_restitution_is_that_of_the_law(name):
    """With ``a`` the damping times the impact speed, ``a (1 + e) = ln((1 + a)/(1 - a e))``. Where
    the damping is at its limit, ``e`` is ``1/a`` but for rounding.
    """
    contacts = jax.tree.map(lambda part: part[list(CASES).index(name), 0], all_cases().contacts)
    speed, cor = 1.5, given(name)[0]["cor"]
    expected = 1 / (2000 * speed)
    if cor > 0:
        a = 8 * (1 - cor) / (5 * cor)
        expected = brentq(lambda e: a * (1 + e) - np.log((1 + a) / (1 - a * e)), 0, 1, xtol=1e-15)
    np.testing.assert_allclose(contacts.impact_speed, speed, rtol=1e-12)
    np.testing.assert_allclose(contacts.rebound_speed, expected * speed, rtol=1e-8)


@pytest.mark.long
def test_momenta_are_conserved():
    found = all_cases()
    starts = np.stack([given(name)[1] for name in CASES])
    moved = np.stack([part[:, -1] for part in (found.position, found.velocity, found.spin)], 1)

    def momenta(state):
        x, v, w = np.moveaxis(state, 1, 0)
        orbit = np.cross(x, MASS[:, None] * v) + (0.4 * MASS * RADIUS**2)[:, None] * w
        return np.einsum("b,kbi->ki", MASS, v), orbit.sum(axis=1)

    for before, after in zip(momenta(starts), momenta(moved), strict=True):
        np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)


def last(parameters, start, duration):
    """How the spheres move at the end, and how they have moved, as speeds [m/s]."""
    found = collide(parameters, start, duration)
    moved = (found.position[-1] - start[0]) / duration
    return jnp.stack([moved, found.velocity[-1], RADIUS[:, None] * found.spin[-1]])


@jax.jit
def by_logarithms(parameters, start, duration):
    """``last``, and its derivatives by the logarithms of the parameters."""

    def both(logarithms):
        changed = {key: parameters[key] * jnp.exp(logarithms[key]) for key in parameters}
        value = last(changed, start, duration)
        return value, value

    by_each, value = jax.jacfwd(both, has_aux=True)(dict.fromkeys(parameters, 0.0))
    return value, by_each


@pytest.mark.long
@pytest.mark.parametrize("name", ["oblique", "below vsmall", "cor = 0, cut"])
def test_derivatives_are_those_of_differences(name):
    parameters, start, duration = given(name)
    (_, velocity, _), found = by_logarithms(parameters, start, duration)
    alike = all_cases().velocity[list(CASES).index(name), -1]
    np.testing.assert_allclose(velocity, alike, rtol=0, atol=1e-9)
    step = 2e-3
    for changed, value in parameters.items():
        before, after = (
            [
                by_logarithms({**parameters, changed: value * np.exp(k * side)}, start, duration)[0]
                for k in (step, 2 * step)
            ]
            for side in (-1, 1)
        )
        expected = (8 * (after[0] - before[0]) - (after[1] - before[1])) / (12 * step)
        error = 1e-5 * np.max(np.abs(expected))
        np.testing.assert_allclose(found[changed], expected, rtol=0, atol=error)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("absent", [("mu",), ("mu_r",), ("mu", "mu_r", "cor"), ("k_red",)])
@pytest.mark.parametrize("name", ["head-on", "oblique", "missed"])
def test_derivatives_are_finite_where_something_is_absent(name, absent):
    parameters, start, duration = given("oblique" if name == "missed" else name)
    if name == "missed":
        start = np.stack([ASIDE, *start[1:]])
    parameters = {**parameters, **dict.fromkeys(absent, np.float64(0.0))}
    for part in jax.tree.leaves(by_logarithms(parameters, start, duration)):
        assert np.all(np.isfinite(part))


@pytest.mark.long
@pytest.mark.slow
def test_reverse_derivatives_are_those_of_forward_ones():
    parameters, start, duration = given("oblique")
    weights = np.cos(np.arange(18.0)).reshape(3, 2, 3)
    reverse = jax.jit(jax.grad(lambda *given: jnp.sum(weights * last(*given))))
    found = reverse(parameters, start, duration)
    _, expected = by_logarithms(parameters, start, duration)
    for changed, value in parameters.items():
        size = np.max(np.abs(expected[changed]))
        error = value * found[changed] - np.sum(weights * expected[changed])
        np.testing.assert_allclose(error, 0.0, rtol=0, atol=1e-9 * size)


def stepped(start, touch_down, steps, duration):
    """The package's own steps from touch-down on: velocities and surface speeds after it."""
    law, step = contact(PARAMETERS), duration / steps
    x, v, w = start
    mass, inertia = MASS[:, None], (0.4 * MASS * RADIUS**2)[:, None]

    def one(carry, _):
        memory, x, v, w = carry
        bodies = [Motion(x[k], v[k], w[k]) for k in range(2)]
        response, memory = modia3d.sphere_sphere_response(memory, law, *bodies)
        on = response.wrench1, response.wrench2
        v = v + step * jnp.stack([wrench.force for wrench in on]) / mass
        w = w + step * jnp.stack([wrench.torque for wrench in on]) / inertia
        return (memory, x + step * v, v, w), None

    memory = modia3d.ContactMemory(jnp.asarray(-1.0))
    begin = memory, *(jnp.asarray(part) for part in (x + v * touch_down, v, w))
    (_, _, v, w), _ = jax.jit(lambda begin: jax.lax.scan(one, begin, None, length=steps))(begin)
    return np.stack([v, RADIUS[:, None] * w])


@pytest.mark.long
@pytest.mark.slow
def test_the_motion_is_the_limit_of_the_steps_of_the_package():
    place = list(CASES).index("oblique")
    found = jax.tree.map(lambda part: part[place], all_cases())
    start, speed = given("oblique")[1], 1.5
    touch_down, lift_off = found.contacts.touch_down[0], found.contacts.lift_off[0]
    coarse, fine = (
        stepped(start, float(touch_down), steps, 1.05 * float(lift_off - touch_down))
        for steps in (4000, 8000)
    )
    exact = np.stack([found.velocity[-1], RADIUS[:, None] * found.spin[-1]])
    errors = [np.max(np.abs(run - exact)) / speed for run in (coarse, fine, 2 * fine - coarse)]
    assert errors[0] < 1e-5
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 1e-8


def on_a_held_sphere(parameters, start, times, *, radius, mass, poisson=POISSON):
    """Of a sphere, solid 1, that meets a held one about the origin, solid 2, as in the program."""
    scene = jc.Scene(
        bodies=jc.spheres(radius=radius[0], mass=mass),
        surfaces=(jc.Sphere(center=(0.0, 0.0, 0.0), radius=radius[1]),),
        contact=contact(parameters, radius=radius, poisson=poisson, tension=True),
        gravity=(0.0, 0.0, -9.81),
    )
    position, velocity, spin = start
    return jc.simulate(
        scene,
        jc.state(position=position, velocity=velocity, spin=spin),
        times,
        method=jc.EventAligned(accuracy=1e-9, max_contacts=8, max_steps=1024),
    )


@pytest.mark.long
@pytest.mark.parametrize("cor", [0.7, 0.0])
def test_a_sphere_rebounds_from_a_held_one(cor):
    """With ``cor = 0`` it hangs on to it: the law of the program pulls."""
    start = np.array([(0.03, 0.01, 0.078), (0.2, 0.0, -1.0), (5.0, -10.0, 3.0)])
    parameters = {**PARAMETERS, "cor": cor}
    found = on_a_held_sphere(parameters, start, (0.0, 0.03), radius=RADIUS, mass=0.2)
    held = np.stack([start, np.zeros((3, 3))], axis=1)
    formulas = Formulas(parameters, mass=(0.2, np.inf), gravity=9.81, pulls=True)
    ((position, _), (velocity, _), (spin, _)), events = formulas.moved(held, 0.03)
    times = [found.contacts.touch_down[0], found.contacts.lift_off[0]]
    np.testing.assert_allclose(times[: len(events)], events, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.position[-1], position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.velocity[-1], velocity, rtol=0, atol=1e-8)
    np.testing.assert_allclose(0.03 * found.spin[-1], 0.03 * spin, rtol=0, atol=1e-8)
