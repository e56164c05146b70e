"""Friction in a contact on which gravity pulls along the plane: a success is right, also where the
contact sticks and lets go while the force fades.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.simulation.single_sphere.tangential_path import Push, faded, pushes
from tests.jaxcontact.simulation import in_time, scenes
from tests.jaxcontact.simulation.multibody import spheres_in_time
from tests.jaxcontact.simulation.test_values import reference_law


def random_case(rng: np.random.Generator) -> dict:
    """One oblique impact on a tilted plane; from sliding throughout to sticking that begins and
    ends within a thousandth of the contact.
    """
    direction = np.append(0.6 * rng.normal(size=2), 1.0)
    normal = direction / np.linalg.norm(direction)
    velocity = rng.normal(size=3) * 10 ** rng.uniform(-1.0, 0.5)
    velocity -= (velocity @ normal + 10 ** rng.uniform(-0.8, 0.6)) * normal
    return {
        "restitution": rng.choice([0.35, 0.5, 0.7, 0.9, 0.97]),
        "exponent": 1.5,
        "stiffness": 10 ** rng.uniform(4.5, 8),
        "friction": 10 ** rng.uniform(-1.5, 0.2),
        "slip_velocity": 10 ** rng.uniform(-3.5, 0.0),
        "normal": tuple(direction),
        "position": (scenes.BASE["radius"] + 1e-4) * normal,
        "velocity": velocity,
        "spin": rng.normal(size=3) * 10 ** rng.uniform(0, 2),
        "duration": 0.1,
    }


@partial(jax.jit, static_argnames=("law", "method"))
def run(p: dict, times: jax.Array, *, law: str, method: jc.EventAligned) -> jc.Trajectory:
    return jc.simulate(scenes.scene(p, law=law), scenes.initial(p), times, method=method)


@pytest.mark.long
@pytest.mark.parametrize("law", ["hunt_crossley", "tsuji_zero_force", "linear_zero_overlap"])
def test_what_is_called_a_success_is_right(law):
    rng = np.random.default_rng(3)
    worst, inexact = 0.0, 0
    for _ in range(12):
        case = {**scenes.BASE, **random_case(rng)}
        p = {name: jnp.asarray(value, dtype=float) for name, value in case.items()}
        method = jc.EventAligned(max_contacts=1)
        first = run(p, np.array([0.0, case["duration"]]), law=law, method=method).contacts
        times = np.array([0.0, first.lift_off[0] + 1e-9])
        found = run(p, times, law=law, method=method)
        if found.status == jc.Status.INEXACT_STEPS:
            inexact += 1
            method = jc.EventAligned(max_contacts=1, contact_steps=80)
            found = run(p, times, law=law, method=method)
        assert found.status == jc.Status.SUCCESS
        sphere = in_time.Sphere(
            reference_law(law, case),
            planes=((case["normal"], 0.0),),
            friction=case["friction"],
            slip_velocity=case["slip_velocity"],
            phi=scenes.REGULARIZATION.get(law, "root"),
        )
        start = np.concatenate([case["position"], case["velocity"], case["spin"]])
        expected = in_time.integrate(sphere, start, times).states[-1]
        error = np.append(
            found.velocity[-1] - expected[3:6], 0.02 * (found.spin[-1] - expected[6:])
        )
        worst = max(worst, np.max(np.abs(error)) / found.contacts.impact_speed[0])
    assert worst < 2e-6
    assert inexact <= 3


@pytest.mark.parametrize(
    ("tilted", "within"), [(False, 1e-6), pytest.param(True, 5e-6, marks=pytest.mark.long)]
)
def test_what_is_seen_inside_a_contact_is_right(tilted, within):
    """Also where the sphere begins to stick between two nodes, and the little slip of one that
    sticks under a pull.
    """
    rng = np.random.default_rng(5)
    method = jc.EventAligned(max_contacts=1)
    worst, seen = 0.0, 0
    for slip_velocity in (1e-4, 1e-3, 1e-2, 1e-1):
        normal = np.append((0.4 if tilted else 0.0) * rng.normal(size=2), 1.0)
        normal /= np.linalg.norm(normal)
        velocity = rng.normal(size=3)
        velocity -= (velocity @ normal + 1.5) * normal
        case = {
            **scenes.BASE,
            "restitution": 0.8,
            "exponent": 1.5,
            "stiffness": 1e5,
            "friction": rng.uniform(0.3, 0.7),
            "slip_velocity": slip_velocity,
            "normal": tuple(normal),
            "position": (scenes.BASE["radius"] + 1e-4) * normal,
            "velocity": velocity,
            "spin": 20.0 * rng.normal(size=3),
        }
        p = {name: jnp.asarray(value, dtype=float) for name, value in case.items()}
        law = "hunt_crossley"
        contact = run(p, np.linspace(0.0, 0.1, 25), law=law, method=method).contacts
        inside = np.linspace(contact.touch_down[0], contact.lift_off[0], 26)[1:-1]
        times = np.append(0.0, inside)
        found = run(p, times, law=law, method=method)
        sphere = in_time.Sphere(
            reference_law(law, case),
            planes=((case["normal"], 0.0),),
            friction=case["friction"],
            slip_velocity=case["slip_velocity"],
        )
        start = np.concatenate([case["position"], case["velocity"], case["spin"]])
        expected = in_time.integrate(sphere, start, times).states
        error = np.append(found.velocity - expected[:, 3:6], 0.02 * (found.spin - expected[:, 6:]))
        seen += found.status == jc.Status.SUCCESS
        worst = max(worst, np.max(np.abs(error)) / np.linalg.norm(velocity))
    assert seen == 4
    assert worst < within


@pytest.mark.long
def test_what_is_seen_inside_a_contact_of_two_spheres_is_right():
    radius, mass = np.array([0.01, 0.015]), np.array([0.01, 0.03])
    position = np.array([[0.0, 0.0, 0.0], [0.0205, 0.0, 0.015]])
    velocity, spin = np.array([[2.0, 0.3, 0.0], [0.0, 0.0, 0.0]]), np.zeros((2, 3))
    spin[0] = 30.0, -150.0, 0.0

    @jax.jit
    def simulated(slip_velocity, times):
        contact = jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e5, restitution=0.9),
            friction=jc.RegularizedCoulomb(coefficient=0.4, slip_velocity=slip_velocity),
        )
        bodies = jc.spheres(radius=radius, mass=mass)
        scene = jc.Scene(bodies=bodies, surfaces=(), contact=contact, gravity=(0.0, 0.0, 0.0))
        start = jc.State(*(jnp.asarray(each) for each in (position, velocity, spin)))
        method = jc.EventAligned(max_contacts=2, sustained_steps=0)
        return jc.simulate(scene, start, times, method=method)

    for slip_velocity in (1e-3, 1e-2, 1e-1):
        spheres = spheres_in_time.Spheres(radius, mass, 1e5, 0.9, 0.4, slip_velocity)
        contact = simulated(slip_velocity, np.linspace(0.0, 0.02, 6)).contacts
        inside = np.linspace(contact.touch_down[0], contact.lift_off[0], 7)[1:-1]
        found = simulated(slip_velocity, np.append(0.0, inside))
        assert found.status == jc.Status.SUCCESS
        for row, time in enumerate(inside, start=1):
            start = np.hstack([position, velocity, spin])
            expected, _ = spheres_in_time.integrate(spheres, start, time)
            np.testing.assert_allclose(found.velocity[row], expected[:, 3:6], atol=2e-6)
            np.testing.assert_allclose(found.spin[row], expected[:, 6:], atol=2e-4)


@pytest.mark.parametrize("tilted", [False, pytest.param(True, marks=pytest.mark.long)])
def test_where_a_contact_that_begins_to_stick_leaves_the_sphere_is_right(tilted):
    """The slip has a corner there, which nodes of the normal motion do not resolve."""
    normal = np.array([0.1, 0.0, 1.0] if tilted else [0.0, 0.0, 1.0])
    normal /= np.linalg.norm(normal)
    case = {
        **scenes.BASE,
        "restitution": 0.8,
        "exponent": 1.5,
        "stiffness": 1e7,
        "friction": 0.15,
        "slip_velocity": 1e-3,
        "normal": tuple(normal),
        "position": scenes.BASE["radius"] * normal,
        "velocity": (0.5, 0.2, -1.0),
        "spin": np.zeros(3),
    }
    start = np.concatenate([case["position"], case["velocity"], case["spin"]])
    times = np.array([0.0, 1e-3])

    def simulated(friction):
        p = {name: jnp.asarray(value, dtype=float) for name, value in case.items()}
        method = jc.EventAligned(max_contacts=1)
        found = run({**p, "friction": friction}, times, law="hunt_crossley", method=method)
        return found.position[-1], found.status

    def integrated(friction):
        sphere = in_time.Sphere(
            reference_law("hunt_crossley", case),
            planes=((case["normal"], 0.0),),
            friction=friction,
            slip_velocity=case["slip_velocity"],
        )
        return in_time.integrate(sphere, start, times).states[-1, :3]

    position, slope, status = jax.jvp(simulated, (0.15,), (1.0,), has_aux=True)
    h = 1e-4
    difference = (integrated(0.15 + h) - integrated(0.15 - h)) / (2 * h)
    assert status == jc.Status.SUCCESS
    np.testing.assert_allclose(position, integrated(0.15), rtol=0, atol=1e-9)
    np.testing.assert_allclose(slope, difference, rtol=0, atol=1e-8)


def test_a_force_that_turns_pushes_until_its_root_and_no_longer():
    root, duration = np.array([1e-4, 0.3, 0.9]), 2.0
    force = np.array([np.polynomial.Polynomial.fromroots([at, -0.7]) for at in root]) * -5.0
    impulse = np.array([duration * (f.integ()(1.0) - f.integ()(0.0)) for f in force])
    before, after = (np.array([f(end) for f in force]) for end in (0.0, 1.0))
    pushed, share = pushes(impulse, np.full(3, duration), before, after)
    np.testing.assert_allclose(share, root, rtol=1e-12)
    expected = [
        duration * (f.integ()(x) - f.integ()(0.0)) for f, x in zip(force, root, strict=True)
    ]
    np.testing.assert_allclose(pushed, expected, rtol=1e-9)
    # one that does not turn pushes throughout, or never
    ones = np.ones(2)
    found = pushes(np.array([3.0, -3.0]), ones, np.array([1.0, -1.0]), np.array([2.0, -2.0]))
    np.testing.assert_array_equal(found, [[3.0, 0.0], [1.0, 0.0]])


def test_a_force_that_fades_gives_the_impulse_of_its_power_of_the_time_left():
    left, highest = np.array([0.0, 0.2, 0.7, 1.0]), 4.0
    for power in (1.0, 1.5, 2.0, 5.0):
        found = faded(left, np.full(4, highest), np.full(4, highest / (power + 1)))
        expected = highest * (1 - left ** (power + 1)) / (power + 1)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    # nearly linear: 4 s (1 + (1 - s)/5), of the share s that is left
    whole = np.polynomial.Polynomial([0.0, 4.8, -0.8]).integ()
    found = faded(left, np.full(4, highest), np.full(4, whole(1.0)))
    np.testing.assert_allclose(found, whole(1.0) - whole(left), rtol=1e-12, atol=1e-15)


def test_the_impulse_in_an_interval_is_the_integral_of_a_cubic_force():
    force = np.polynomial.Polynomial([2.0, 1.0, -4.0, 3.0])
    impulse, length = force.integ(), 0.5
    push = Push(
        length, force(0.0), force(1.0), length * impulse(1.0), length * impulse.integ()(1.0)
    )
    x = np.linspace(0.0, 1.0, 7)
    np.testing.assert_allclose(push.until(x), length * impulse(x), rtol=1e-12)
