"""``accuracy``: what is asked for is kept, or said not to be."""

import jax
import jax.numpy as jnp
import pytest

import jaxcontact as jc

STIFFNESS, RADIUS, MASS = 1e5, 0.01, 0.02
START = jc.state(
    position=((0.0, 0.0, 0.0), (2 * RADIUS, 0.0, 0.0)),
    velocity=((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
)


def collision(method, restitution=0.5):
    scene = jc.Scene(
        bodies=jc.spheres(radius=RADIUS, mass=MASS),
        surfaces=(),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=STIFFNESS, restitution=restitution)
        ),
        gravity=(0.0, 0.0, 0.0),
    )
    return jc.simulate(scene, START, jnp.array([0.0, 0.02]), method=method, strict=False)


@pytest.mark.long
def test_finer_steps_are_taken_until_the_accuracy_is_reached():
    usual = collision(jc.EventAligned(max_contacts=4))
    fine = collision(jc.EventAligned(max_contacts=4, accuracy=1e-9))
    # The same law by the engine for one sphere, whose contacts are solved for at once: a sphere of
    # the reduced mass on a plane.
    alone = jc.simulate(
        jc.Scene(
            bodies=jc.spheres(radius=RADIUS, mass=MASS / 2),
            contact=jc.ContactModel(normal=jc.HuntCrossley(stiffness=STIFFNESS, restitution=0.5)),
            gravity=(0.0, 0.0, 0.0),
        ),
        jc.state(position=(0.0, 0.0, 2 * RADIUS), velocity=(0.0, 0.0, -1.0)),
        jnp.array([0.0, 0.02]),
    )
    rebound = alone.velocity[-1, 2]

    def error(found):
        return abs(found.velocity[-1, 1, 0] - found.velocity[-1, 0, 0] - rebound)

    assert 1e-9 < error(usual) < 1e-6
    assert error(fine) < 1e-9
    assert int(fine.status) == jc.Status.SUCCESS


@pytest.mark.parametrize("method", [jc.EventAligned, jc.Impulse])
@pytest.mark.parametrize("accuracy", [0.0, 1e-12, 0.5, "fine"])
def test_an_accuracy_that_cannot_be_had_is_refused(method, accuracy):
    with pytest.raises(ValueError, match="accuracy"):
        method(accuracy=accuracy)


@pytest.mark.long
def test_a_coarse_accuracy_lets_pass_what_the_usual_one_does_not():
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=2.7e-3),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.9)),
        drag=jc.QuadraticDrag(coefficient=1.0),
    )
    start = jc.state(position=(0.0, 0.0, 0.5), velocity=(5.0, 0.0, 0.0))
    times = jnp.linspace(0.0, 0.5, 3)

    def status(accuracy):
        method = jc.Impulse(max_contacts=30, flight_steps=4, accuracy=accuracy)
        return int(jax.jit(lambda t: jc.simulate(scene, start, t, method=method).status)(times))

    assert status(1e-6) == jc.Status.INEXACT_FLIGHT
    assert status(1e-2) <= jc.Status.CAME_TO_REST
