"""A sphere in an edge or a corner of a room touches each of its walls."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jaxcontact as jc

HALF = np.array([0.1, 0.12, 0.09])
RADIUS, MASS, STIFFNESS = 0.02, 0.01, 1e6
SPUN = (1.0, 2.0, 3.0)
FRICTIONLESS = jc.ContactModel(normal=jc.HuntCrossley(stiffness=STIFFNESS, restitution=1.0))
REMEMBERING = jc.ContactModel(
    normal=jc.HuntCrossley(stiffness=STIFFNESS, restitution=0.7),
    friction=jc.CundallStrack(coefficient=0.3, tangential_stiffness=1e4),
)
INTO = {
    "face": ((0.05, 0.0, 0.0), (1.3, 0.1, 0.2)),
    "edge": ((0.05, 0.07, 0.0), (1.0, 1.05, 0.1)),
    "corner": ((0.05, 0.07, 0.04), (1.0, 1.02, 0.99)),
}


def _moved(surfaces, contact, start, method):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=surfaces,
        contact=contact,
        gravity=(0, 0, 0),
    )
    position, velocity = start
    state = jc.state(position=position, velocity=velocity, spin=SPUN)
    return jc.simulate(scene, state, jnp.array([0.0, 0.06]), method=method)


def _walls_of_box():
    return tuple(
        jc.Plane(normal=tuple(side * along), offset=-half)
        for along, half in zip(np.eye(3), HALF, strict=True)
        for side in (1.0, -1.0)
    )


@pytest.mark.parametrize("where", INTO)
@pytest.mark.parametrize(
    "method", [jc.EventAligned(), jc.FixedStep(step=1e-5)], ids=lambda method: type(method).__name__
)
def test_a_room_is_its_walls(method, where):
    room = _moved((jc.Box(lengths=2 * HALF, hollow=True),), REMEMBERING, INTO[where], method)
    walls = _moved(_walls_of_box(), REMEMBERING, INTO[where], method)
    assert np.allclose(room.velocity, walls.velocity, rtol=0, atol=1e-12)
    assert np.allclose(room.spin, walls.spin, rtol=0, atol=1e-10)


def test_walls_of_a_room_move_and_turn_with_it():
    motion = jc.PrescribedMotion(
        reference_point=(0.1, 0, 0), velocity=(1, 2, 3), angular_velocity=(0.2, -0.4, 1.0)
    )
    place = {"center": (0.3, 0.2, 0.1), "orientation": (0.4, -0.3, 0.9), "motion": motion}
    rooms = [
        jc.Box(lengths=2 * HALF, hollow=True, **place),
        jc.Cylinder(start=(0, 0, -0.2), end=(0.1, 0, 0.3), radius=0.2, hollow=True, motion=motion),
        jc.Cone(
            start=(0, 0, -0.2), end=(0.1, 0, 0.3), start_radius=0.2, end_radius=0.3, hollow=True,
            motion=motion,
        ),
    ]  # fmt: skip
    random = np.random.default_rng(0)
    for room in rooms:
        for time in (0.0, 0.3):
            origin = motion.pose(time).position
            for center in origin + random.uniform(-0.3, 0.5, (40, 3)):
                point = room.closest(center, time)
                if point.distance > 0:
                    walls = [wall.closest(center, time) for wall in room.walls()]
                    nearest = min(walls, key=lambda wall: float(wall.distance))
                    for found, wanted in zip(nearest, point, strict=True):
                        assert np.allclose(found, wanted, atol=1e-12)


def _truth(start, walls):
    """Without friction, ``m x'' = sum_i k (R - d_i)^(3/2) n_i``; ``walls(x)`` gives all ``d_i`` and
    ``n_i``."""

    def rate(_, y):
        distance, normal = walls(y[:3])
        force = STIFFNESS * np.maximum(RADIUS - distance, 0.0) ** 1.5 @ normal
        return np.concatenate([y[3:], force / MASS])

    begun = np.concatenate(start)
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14, "max_step": 1e-5}
    return solve_ivp(rate, (0.0, 0.06), begun, **options).y[3:, -1]


def _of_box(x):
    return np.concatenate([HALF - x, HALF + x]), np.concatenate([-np.eye(3), np.eye(3)])


def _of_hopper(x):
    """Ends at z = -0.09 and 0.09 m, where the wall has radii of 0.08 and 0.12 m."""
    slope = 0.04 / 0.18
    across = np.array([x[0], x[1], 0.0]) / np.hypot(x[0], x[1])
    up = np.array([0.0, 0.0, 1.0])
    over = (0.1 + slope * x[2] - np.hypot(x[0], x[1])) / np.hypot(1, slope)
    inwards = (slope * up - across) / np.hypot(1, slope)
    return np.array([over, 0.09 + x[2], 0.09 - x[2]]), np.array([inwards, up, -up])


HOPPER = jc.Cone(
    start=(0, 0, -0.09), end=(0, 0, 0.09), start_radius=0.08, end_radius=0.12, hollow=True
)


@pytest.mark.parametrize(
    ("room", "walls", "start"),
    [
        (jc.Box(lengths=2 * HALF, hollow=True), _of_box, INTO["edge"]),
        (jc.Box(lengths=2 * HALF, hollow=True), _of_box, INTO["corner"]),
        (HOPPER, _of_hopper, ((0.04, 0.01, -0.04), (1.0, 0.0, -1.3))),
        (HOPPER, _of_hopper, ((0.05, 0.01, 0.04), (1.3, 0.0, 0.865))),
    ],
    ids=["edge", "corner", "lower rim", "upper rim"],
)
def test_a_shot_where_walls_meet_follows_newtons_equations(room, walls, start):
    result = _moved((room,), FRICTIONLESS, start, jc.EventAligned())
    assert np.allclose(result.velocity[-1], _truth(start, walls), rtol=0, atol=3e-6)
    happened = np.asarray(result.contacts.happened)
    assert happened.sum() >= 2
    assert not np.any(np.asarray(result.contacts.surface)[happened])
