"""After the last bounce a sphere slides and rolls as an independent integration says: on a level
plane, down an incline, in a fluid, with every friction, and so do its derivatives.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc
from tests.jaxcontact.simulation.in_time import PHI

RADIUS, MASS, SHARE = 0.02, 0.03, 0.4


def scene(p: dict, *, rigid: bool, regularization: str, fluid: bool) -> jc.Scene:
    friction = (
        jc.Coulomb(coefficient=p["friction"])
        if rigid
        else jc.RegularizedCoulomb(
            coefficient=p["friction"],
            slip_velocity=p["slip_velocity"],
            regularization=jc.laws.REGULARIZATIONS[regularization],
        )
    )
    air = {"drag": jc.QuadraticDrag(coefficient=0.5, fluid_density=20.0)} if fluid else {}
    return jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=[jc.Plane(normal=p["normal"])],
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e6, restitution=0.3), friction=friction
        ),
        **air,
    )


@partial(jax.jit, static_argnames=("rigid", "regularization", "fluid", "accuracy"))
def motion(p: dict, times: jax.Array, *, accuracy: float = 1e-6, **kind) -> jc.Trajectory:
    start = jc.State(RADIUS * p["normal"], p["velocity"], p["spin"])
    steps = 400 if accuracy >= 1e-6 else 2000
    kinds = {True: jc.Impulse, False: jc.EventAligned}
    method = kinds[kind["rigid"]](max_contacts=2, rest_steps=steps, accuracy=accuracy)
    return jc.simulate(scene(p, **kind), start, times, method=method)


def reference(p: dict, times: np.ndarray, *, rigid: bool, regularization: str, fluid: bool):
    """Displacement along the plane, velocity and spin, from scipy."""
    n = p["normal"]
    # rigid friction: steeper than what counts, and not so steep that scipy stops
    speeds = np.linalg.norm(p["velocity"]) + RADIUS * np.linalg.norm(p["spin"])
    scale = 1e-7 * speeds if rigid else p["slip_velocity"]
    area = np.pi * RADIUS**2

    def rates(_, y):
        v, w = y[3:6], y[6:]
        drag = 0.5 * 20.0 * 0.5 * area * np.linalg.norm(v) * v if fluid else np.zeros(3)
        outside = np.array([0.0, 0.0, -9.81]) - drag / MASS
        load = max(-(outside @ n), 0.0)
        slip = v - (v @ n) * n + RADIUS * np.cross(n, w)
        size = np.linalg.norm(slip) + 1e-300
        force = -p["friction"] * load * PHI[regularization](size / scale) * slip / size
        sideways = outside - (outside @ n) * n + force
        return np.concatenate([v, sideways, np.cross(-n, force) / (SHARE * RADIUS)])

    start = np.concatenate([np.zeros(3), p["velocity"], p["spin"]])
    found = solve_ivp(
        rates, (0.0, times[-1]), start, method="LSODA", rtol=1e-11, atol=1e-12, t_eval=times
    )
    assert found.success
    return found.y.T


def random_case(rng: np.random.Generator, *, tilt: float) -> dict:
    slope, way = tilt * rng.uniform(0.1, 1.0), rng.uniform(0, 2 * np.pi)
    n = np.array([np.sin(slope) * np.cos(way), np.sin(slope) * np.sin(way), np.cos(slope)])
    velocity = rng.normal(size=3) * 10 ** rng.uniform(-1, 0.5)
    return {
        "normal": n,
        "velocity": velocity - (velocity @ n) * n,
        "spin": rng.normal(size=3) * 10 ** rng.uniform(0, 2),
        "friction": 10 ** rng.uniform(-1.5, 0.0),
        "slip_velocity": 10 ** rng.uniform(-3.0, -0.3),
    }


@pytest.mark.long("level", "level rigid", "tilted", "tilted in a fluid")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("tilt", "kind"),
    [
        (0.0, {"rigid": False, "regularization": "root", "fluid": False}),
        (0.0, {"rigid": True, "regularization": "root", "fluid": False}),
        (0.6, {"rigid": False, "regularization": "root", "fluid": False}),
        (0.6, {"rigid": False, "regularization": "linear", "fluid": True}),
        (0.6, {"rigid": True, "regularization": "root", "fluid": False}),
    ],
    ids=["level", "level rigid", "tilted", "tilted in a fluid", "tilted rigid"],
)
def test_it_moves_as_an_independent_integration_says(tilt, kind):
    rng = np.random.default_rng(4)
    for _ in range(4):
        p = random_case(rng, tilt=tilt)
        times = np.linspace(0.0, 10 ** rng.uniform(-1, 0.5), 9)
        found = motion(p, times, **kind)
        assert found.status == jc.Status.CAME_TO_REST
        expected = reference(p, times, **kind)
        n = p["normal"]
        speed = np.max(np.linalg.norm(expected[:, 3:6], axis=1))
        speed = max(speed, RADIUS * np.max(np.abs(expected[:, 6:])))
        moved = found.position - found.position[0]
        moved = moved - np.outer(moved @ n, n)
        velocity = found.velocity - np.outer(found.velocity @ n, n)
        np.testing.assert_allclose(moved, expected[:, :3], rtol=0, atol=1e-6 * speed)
        np.testing.assert_allclose(velocity, expected[:, 3:6], rtol=0, atol=1e-6 * speed)
        spin = RADIUS * (found.spin - expected[:, 6:])
        np.testing.assert_allclose(spin, 0.0, atol=1e-6 * speed)


@pytest.mark.long
@pytest.mark.slow
def test_the_engine_for_several_bodies_says_the_same_also_where_the_last_step_is_rounding():
    """2000 steps of a thousandth of a second add up to the last time but for their rounding."""
    rng = np.random.default_rng(6)
    times = np.linspace(0.0, 2.0, 6)
    kind = {"rigid": False, "regularization": "root", "fluid": False}
    method = jc.EventAligned(general=True, max_contacts=2, sustained_steps=2000)
    for _ in range(2):
        p = random_case(rng, tilt=0.3)
        start = jc.State(RADIUS * p["normal"], p["velocity"], p["spin"])
        found = jc.simulate(scene(p, **kind), start, times, method=method)
        expected = motion(p, times, **kind)
        scale = np.max(np.linalg.norm(expected.velocity, axis=1))
        np.testing.assert_allclose(found.position, expected.position, atol=1e-6 * scale)
        np.testing.assert_allclose(found.velocity, expected.velocity, atol=5e-6 * scale)


def test_on_a_level_plane_it_rolls_where_the_closed_form_says():
    """Sliding for ``2 v / (7 mu g)``, rolling with ``5 v / 7`` afterwards."""
    speed, friction = 1.0, 0.05
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.5), friction=jc.Coulomb(coefficient=friction)
    )
    on_plane = jc.Scene(bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact)
    start = jc.state(position=(0.0, 0.0, RADIUS), velocity=(speed, 0.0, 0.0))
    times = np.array([0.0, 0.1, 0.3, 0.6, 1.7, 20.0])
    found = jc.simulate(on_plane, start, times, method=jc.Impulse())
    slides = 2 * speed / (7 * friction * 9.81)
    sliding = np.minimum(times, slides)
    expected = (
        speed * sliding - friction * 9.81 * sliding**2 / 2 + 5 / 7 * speed * (times - sliding)
    )
    np.testing.assert_allclose(found.position[:, 0], expected, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.88, 0.99])
def test_a_ball_that_rolls_onto_too_steep_a_slope_slides_at_once(share):
    """Friction has only a ``share`` of what holds a rolling ball on the slope."""
    angle, speed = 0.16, 0.07
    friction = share * 2 / 7 * np.tan(angle)
    contact = jc.ContactModel(
        normal=jc.NewtonRestitution(restitution=0.5), friction=jc.Coulomb(coefficient=friction)
    )
    down, up = 9.81 * np.sin(angle), 9.81 * np.cos(angle)
    slope = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS), contact=contact, gravity=(down, 0.0, -up)
    )
    start = jc.state(
        position=(0.0, 0.0, RADIUS), velocity=(speed, 0.0, 0.0), spin=(0.0, speed / RADIUS, 0.0)
    )
    times = np.array([0.0, 1e-3, 0.1, 0.5])
    found = jc.simulate(slope, start, times, method=jc.Impulse())
    velocity = speed + (down - friction * up) * times
    surface = speed + 2.5 * friction * up * times
    np.testing.assert_allclose(found.velocity[:, 0], velocity, atol=1e-6 * velocity[-1])
    np.testing.assert_allclose(RADIUS * found.spin[:, 1], surface, atol=1e-6 * velocity[-1])


@pytest.mark.long
def test_a_ball_that_touches_but_for_rounding_does_not_leave():
    """Gap and normal velocity of a start on the plane are rounding, of either sign; in a fluid the
    flight to the touch-down, of nanoseconds, is integrated.
    """
    kind = {"rigid": True, "regularization": "root", "fluid": True}
    rng = np.random.default_rng(7)
    for size in (1e-17, 1e-15, 1e-12):
        for gap, outwards in rng.choice([-size, 0.0, size], size=(4, 2)):
            p = random_case(rng, tilt=1e-6)
            start = jc.State(
                (RADIUS + gap) * p["normal"], p["velocity"] + outwards * p["normal"], p["spin"]
            )
            found = jc.simulate(
                scene(p, **kind), start, np.array([0.0, 4.0, 60.0]), method=jc.Impulse()
            )
            assert found.status == jc.Status.CAME_TO_REST
            height = found.position @ p["normal"] - RADIUS
            assert np.max(np.abs(height)) < 1e-4  # the static overlap is 4e-5


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_derivatives_are_those_of_differences(tilt):
    kind = {"rigid": False, "regularization": "root", "fluid": False}
    p = random_case(np.random.default_rng(5), tilt=tilt)
    times = np.array([0.0, 0.2, 0.7])

    @partial(jax.jit, static_argnums=4)
    def end(friction, slip_velocity, speed, rise, accuracy=1e-6):
        normal = jnp.asarray(p["normal"]) + rise * jnp.array([0.1, 0.2, 0.0])
        changed = p | {
            "friction": friction,
            "slip_velocity": slip_velocity,
            "velocity": speed * jnp.asarray(p["velocity"]),
            "normal": normal / jnp.linalg.norm(normal),
        }
        found = motion(changed, times, accuracy=accuracy, **kind)
        return jnp.concatenate([found.position[-1], found.velocity[-1], RADIUS * found.spin[-1]])

    at = (p["friction"], p["slip_velocity"], 1.0, 0.0)
    slopes = np.stack(jax.jit(jax.jacfwd(end, argnums=(0, 1, 2, 3)))(*at), axis=1)
    for number, value in enumerate(at):
        step = 1e-2 * (abs(value) or 0.1)

        def shifted(steps, number=number, step=step):
            moved = [v + steps * step * (i == number) for i, v in enumerate(at)]
            # whose steps are other ones in each motion: finer, so that their errors do not count
            return np.asarray(end(*moved, 1e-9))

        differences = (8 * (shifted(1) - shifted(-1)) - (shifted(2) - shifted(-2))) / (12 * step)
        # what a parameter hardly changes is known as well as the motion, not better
        scale = np.max(np.abs(differences)) + 0.05 * np.max(np.abs(end(*at))) / (abs(value) or 1.0)
        np.testing.assert_allclose(slopes[:, number], differences, rtol=0, atol=2e-5 * scale)
