"""A contact that passes from one part of a surface to the next, where the curvature jumps, against
an independent integration in time: values, and derivatives by what shifts the border.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.jaxcontact.simulation.multibody.borders import sphere_over_parts
from tests.jaxcontact.simulation.multibody.borders.sphere_over_parts import Ball, integrate

pytestmark = pytest.mark.slow

SIXTH_ORDER = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


def capsule(end):
    return jc.Capsule(start=(-0.3, 0.0, 0.0), end=jnp.array([1.0, 0.0, 0.0]) * end, radius=0.05)


def block(end):
    return jc.Box(center=jnp.array([1.0, 0.0, 0.0]) * (end - 0.5), lengths=(1.0, 1.0, 0.1))


def triangles(end):
    """The same block."""
    corners = jnp.array([[x, y, z] for x in (-1, 0) for y in (-0.5, 0.5) for z in (-0.05, 0.05)])
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return jc.Mesh(vertices=corners + jnp.array([1.0, 0.0, 0.0]) * end, faces=faces)


def frustum(end):
    foot, top = (0.0, 0.0, 0.0), (0.0, 0.0, 0.05)
    return jc.Cone(start=foot, end=top, start_radius=0.15, end_radius=end)


def moved(ball, surface, end, method):
    """Position, velocity and spin at the ``end``, its derivative by the place of the border, and
    the status, as a function of that place and the start.
    """
    friction = jc.RegularizedCoulomb(coefficient=ball.friction, slip_velocity=ball.slip_velocity)
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=ball.stiffness, restitution=ball.restitution),
        friction=friction if ball.friction else jc.NoFriction(),
    )

    def at_end(place, start):
        position, velocity, spin = start[:3], start[3:6], start[6:]
        scene = jc.Scene(
            bodies=jc.spheres(radius=ball.radius, mass=ball.mass),
            surfaces=[surface(place)],
            contact=contact,
            gravity=(0.0, 0.0, -ball.gravity),
        )
        first = jc.state(position=position, velocity=velocity, spin=spin)
        motion = jc.simulate(scene, first, jnp.array([0.0, end]), method=method, strict=False)
        last = (motion.position[-1], motion.velocity[-1], motion.spin[-1])
        return jnp.concatenate(last), motion.status

    def along_place(place, start):
        return jax.jvp(lambda place: at_end(place, start), (place,), (1.0,), has_aux=True)

    return jax.jit(along_place)


def expected(ball, parts, place, start, end, *, closed):
    """The same by the independent integration, and how many borders are passed in contact."""

    def at_end(place):
        return integrate(ball, parts, place, start, end, closed=closed)

    shift = 2e-5
    slope = sum(
        weight * (at_end(place + n * shift)[0] - at_end(place - n * shift)[0])
        for n, weight in SIXTH_ORDER.items()
    )
    return at_end(place)[0], slope / shift, at_end(place)[1]


def assert_right(ball, found, truth, *, value, slope):
    """Errors of velocities (and of spins times the radius) in units of the largest number."""
    sizes = np.array([1.0] * 6 + [ball.radius] * 3)
    for what, (got, wanted, tolerance) in {
        "value": (found[0], truth[0], value),
        "slope": (found[1], truth[1], slope),
    }.items():
        error = np.max(np.abs((got - wanted) * sizes)) / np.max(np.abs(wanted[3:] * sizes[3:]))
        assert error < tolerance, f"{what} off by {error:.1e}"


IMPACTS = {
    "capsule, friction": (capsule, sphere_over_parts.capsule, 0.0, 0.3),
    "capsule": (capsule, sphere_over_parts.capsule, 0.0, 0.0),
    "box": (block, sphere_over_parts.block, 0.0, 0.3),
    "mesh": (triangles, sphere_over_parts.block, 0.0, 0.3),
    "cone": (frustum, sphere_over_parts.frustum, 0.03, 0.0),
}


@pytest.mark.long("capsule", "box", "mesh", "cone")
@pytest.mark.parametrize("name", IMPACTS)
def test_an_impact_that_passes_a_border_has_true_derivatives(name):
    surface, parts, place, friction = IMPACTS[name]
    ball = Ball(0.02, 0.03, 1e7, 0.7, friction, 1e-2, 9.81)
    start = np.array([place - 0.0015, 0.003, 0.0702, 2.0, 0.1, -0.5, 0.0, 10.0, 3.0])
    if name == "cone":
        start[1] = 0.001
    truth = expected(ball, parts, place, start, 0.004, closed=False)
    assert truth[2] == 1
    method = jc.EventAligned(max_contacts=2, max_steps=400)
    value, slope, status = moved(ball, surface, 0.004, method)(place, start)
    assert status == jc.Status.SUCCESS
    assert_right(ball, (value, slope), truth, value=1e-7, slope=3e-6)


@pytest.mark.long
def test_a_settled_contact_oscillates_where_its_load_jumps():
    ball = Ball(0.02, 0.03, 1e7, 1.0, 0.3, 1e-2, 9.81)
    start = np.zeros(9)
    start[:4] = -0.005, 0.0, 0.07 - ball.static_overlap, 0.3
    start[7] = 0.3 / ball.radius
    truth = expected(ball, sphere_over_parts.capsule, 0.0, start, 0.03, closed=True)
    assert truth[2] == 1
    method = jc.EventAligned(max_contacts=2, max_steps=1500)
    value, slope, status = moved(ball, capsule, 0.03, method)(0.0, start)
    assert status == jc.Status.CAME_TO_REST
    assert_right(ball, (value, slope), truth, value=1e-7, slope=3e-6)


@pytest.mark.long
def test_a_settled_contact_just_before_a_border_is_woken_or_left_alone():
    """What passes oscillates from there on, however near it starts; what goes along a border at any
    distance takes no more steps for it.
    """
    ball = Ball(0.02, 0.03, 1e7, 1.0, 0.3, 1e-2, 9.81)
    method = jc.EventAligned(max_contacts=2, max_steps=400)
    at_end = moved(ball, block, 0.01, method)

    def start(before, across, along):
        spin = along / ball.radius, across / ball.radius, 0.0
        height = 0.07 - ball.static_overlap
        return np.array([-before * ball.radius, 0.0, height, across, -along, 0.0, *spin])

    for before in (1e-7, 1e-6, 9e-6, 1e-5, 1.5e-5, 2e-5, 3e-5, 1e-3):
        passing = start(before, 0.1, 0.4)
        truth = integrate(ball, sphere_over_parts.block, 0.0, passing, 0.01, closed=True)
        value, _, status = at_end(0.0, passing)
        assert status in (jc.Status.SUCCESS, jc.Status.CAME_TO_REST)
        assert_right(ball, (value, 0 * value), (truth[0], 0 * truth[0] + 1.0), value=1e-7, slope=2)
        value, _, status = at_end(0.0, start(before, 0.0, 0.4))
        assert status in (jc.Status.SUCCESS, jc.Status.CAME_TO_REST)
        assert value[4] == pytest.approx(-0.4, abs=1e-9)
