"""Spheres against curved surfaces: the same methods, derivatives and conservation as over
planes.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

RADIUS, MASS, GRAVITY = 0.01, 0.0113, 9.81
UNOPTIMIZED = {"xla_backend_optimization_level": 0}
TIMES = jnp.linspace(0.0, 0.6, 31)


def scene(*surfaces, restitution=1.0, friction=0.0, **bodies):
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e7, restitution=restitution),
        friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=0.01),
    )
    return jc.Scene(
        bodies=jc.spheres(**({"radius": RADIUS, "mass": MASS} | bodies)),
        surfaces=surfaces,
        contact=contact,
    )


SURFACES = {
    "inside a sphere": (
        jc.Sphere(center=(0.0, 0.0, 0.0), radius=0.1, hollow=True),
        (0.05, 0.02, 0.0),
        (0.3, 0.1, 0.0),
    ),
    "in a drum": (
        jc.Cylinder(start=(0.0, 0.0, -0.3), end=(0.0, 0.0, 0.3), radius=0.1, hollow=True),
        (0.02, 0.01, 0.0),
        (0.5, 0.1, 0.0),
    ),
    "on a ball": (
        jc.Sphere(center=(0.0, 0.0, 0.0), radius=0.1),
        (0.005, 0.003, 0.2),
        (0.0, 0.0, 0.0),
    ),
    "on an ellipsoid": (
        jc.Ellipsoid(center=(0.0, 0.0, 0.0), semi_axes=(0.2, 0.2, 0.1)),
        (0.02, 0.0, 0.2),
        (0.0, 0.1, 0.0),
    ),
}


# Nothing stays on a surface here: without sustained contacts it compiles in half the time.
COMPLIANT, RIGID = (
    jc.EventAligned(max_contacts=10, sustained_steps=0),
    jc.Impulse(max_contacts=10, sustained_steps=0),
)


CASES = [*((name, COMPLIANT) for name in SURFACES), ("in a drum", RIGID), ("on a ball", RIGID)]
QUICK = [("inside a sphere", COMPLIANT), ("on a ball", RIGID)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "method"),
    [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in CASES],
)
def test_an_elastic_frictionless_motion_keeps_its_energy(name, method):
    surface, position, velocity = SURFACES[name]
    found = jc.simulate(
        scene(surface), jc.state(position=position, velocity=velocity), TIMES, method=method
    )
    assert found.status == jc.Status.SUCCESS
    assert np.sum(found.contacts.happened) >= 1
    energy = np.asarray(jnp.sum(found.velocity**2, axis=-1) / 2 + GRAVITY * found.position[:, 2])
    assert energy[-1] == pytest.approx(
        energy[0], abs=2e-5 if isinstance(method, jc.EventAligned) else 1e-9
    )


@pytest.mark.parametrize("method", [COMPLIANT, pytest.param(RIGID, marks=pytest.mark.long)])
def test_what_has_just_left_a_wall_of_a_room_meets_the_next_one(method):
    # The gap to the room grows from nothing, and falls again within the same step of the flight.
    room = jc.Box(lengths=(0.2, 0.2, 0.2), hollow=True)
    balls = scene(room).replace(gravity=(0.0, 0.0, 0.0))
    for later in (1e-5, 3e-4):
        lift_off = 1.3072e-3 if isinstance(method, jc.EventAligned) else 1e-5 / 0.15
        start = jc.state(
            position=(0.09 - 3.0 * (lift_off + later), 0.0, -0.09 + 1e-5),
            velocity=(3.0, 0.0, -0.15),
        )
        found = jc.simulate(balls, start, [0.0, 3e-3], method=method)
        assert found.velocity[-1] == pytest.approx([-3.0, 0.0, 0.15], abs=1e-6)
        assert found.contacts.touch_down[1] == pytest.approx(lift_off + later, abs=1e-9)


@pytest.mark.long
@pytest.mark.slow
def test_a_box_is_a_plane_on_its_face():
    start = jc.state(position=(0.05, 0.0, 0.3), velocity=(0.1, 0.0, 0.0), spin=(0.0, 20.0, 0.0))
    box = jc.Box(center=(0.0, 0.0, 0.0), lengths=(1.0, 1.0, 0.2))
    on_box, on_plane = (
        jc.simulate(scene(surface, restitution=0.8, friction=0.3), start, TIMES, method=COMPLIANT)
        for surface in (box, jc.Plane(offset=0.1))
    )
    np.testing.assert_allclose(on_box.position, on_plane.position, atol=2e-6)


@pytest.mark.long
@pytest.mark.slow
def test_a_fixed_ball_is_a_very_heavy_sphere():
    start = np.array([0.02, 0.01, 0.2])
    fixed = jc.simulate(
        scene(jc.Sphere(center=(0.0, 0.0, 0.0), radius=0.1), restitution=0.8, friction=0.3),
        jc.state(position=start),
        TIMES,
        method=COMPLIANT,
    )
    both = scene(
        restitution=0.8, friction=0.3, radius=jnp.array([RADIUS, 0.1]), mass=jnp.array([MASS, 1e12])
    )
    both = both.replace(gravity=((0.0, 0.0, -GRAVITY), (0.0, 0.0, 0.0)))
    heavy = jc.simulate(
        both, jc.state(position=np.stack([start, np.zeros(3)])), TIMES, method=COMPLIANT
    )
    np.testing.assert_allclose(fixed.position, heavy.position[:, 0], atol=1e-6)
    assert fixed.contacts.surface[0] == 0
    assert heavy.contacts.partner[0] == 1


@pytest.mark.long
def test_derivatives_by_start_and_shape_equal_differences():
    def end(inputs, graded_step=0.1):
        surface = jc.Sphere(center=(0.0, 0.0, 0.0), radius=inputs[3])
        moves, method = (
            scene(surface, restitution=0.9, friction=0.2),
            jc.EventAligned(max_contacts=3, graded_step=graded_step, sustained_steps=0),
        )
        return jc.simulate(
            moves, jc.state(position=inputs[:3]), jnp.array([0.0, 0.6]), method=method
        ).position[-1]

    # Steps in contacts are halved for one input and not for the next, by which values jump a
    # little: so differences of order 4, of finer steps.
    inputs, h = jnp.array([0.02, 0.01, 0.3, 0.1]), 3e-5
    found = jax.jit(jax.jacfwd(end), compiler_options=UNOPTIMIZED)(inputs)
    finer = jax.vmap(lambda inputs: end(inputs, graded_step=0.05))
    moved = jax.jit(finer, compiler_options=UNOPTIMIZED)(
        jnp.concatenate([inputs + k * h * jnp.eye(4) for k in (-2, -1, 1, 2)])
    )
    before2, before, after, after2 = jnp.split(moved, 4)
    differences = (8 * (after - before) - (after2 - before2)).T / (12 * h)
    np.testing.assert_allclose(found, differences, atol=1e-6 * np.max(np.abs(differences)))
