"""A surface written outside the packages: checked, simulated, differentiated."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from tests.extending.torus import Torus

RING = Torus(center=(0.1, 0.0, 0.0), radius=0.3, tube_radius=0.1)


def test_it_is_a_surface():
    moving = RING.replace(motion=jc.PrescribedMotion(velocity=(0.1, 0.0, 0.2)))
    for surface in (RING, moving, RING.replace(hollow=True)):
        jc.testing.check_surface(surface)


@jc.model
class Flat(jc.surfaces.Surface):
    """A plane with a normal that is not the gradient of its distance."""

    height: float = jc.parameter(unit="m", label="height", symbol="h", default=0.0)

    def at_rest(self, center):
        return 0.9 * center[2] - self.height, jnp.array([0.0, 0.0, 1.0])


def test_a_wrong_gradient_is_found():
    with pytest.raises(AssertionError, match="Flat: the gradient of the distance"):
        jc.testing.check_surface(Flat())


@jc.model
class Pill(jc.surfaces.Surface):
    """Points at 0.2 m from a segment along the x axis, which ends at ``half_length``."""

    half_length: float = jc.parameter(unit="m", label="half length", symbol="l", default=0.4)

    def at_rest(self, center):
        end = jnp.clip(center[0], -self.half_length, self.half_length)
        apart = center - jnp.eye(3, dtype=center.dtype)[0] * end
        distance = jnp.sqrt(jnp.sum(apart**2))
        return distance - 0.2, apart / distance


@jc.model
class PillWithBorders(Pill):
    """The same, which says where its ends begin."""

    def borders_at_rest(self, center):
        return jc.surfaces.Borders.between_all(jnp.abs(center[0]) - self.half_length)


def test_a_jump_of_the_curvature_without_a_border_is_found():
    with pytest.raises(AssertionError, match=r"Pill: the curvature jumps .* borders_at_rest"):
        jc.testing.check_surface(Pill())
    jc.testing.check_surface(PillWithBorders())


@pytest.mark.slow
def test_a_ball_bounces_on_it():
    contact = jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8))
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.01), surfaces=[RING], contact=contact)
    fall = 0.05

    def touch_down(tube_radius):
        motion = jc.simulate(
            scene.replace(surfaces=(RING.replace(tube_radius=tube_radius),)),
            jc.state(position=(0.4, 0.0, 0.12 + fall)),
            jnp.linspace(0.0, 0.15, 4),
            method=jc.Impulse(max_contacts=2, sustained_steps=0),
        )
        return motion.contacts.touch_down[0]

    touch, slope = jax.value_and_grad(touch_down)(0.1)
    assert touch == pytest.approx(np.sqrt(2 * fall / 9.81), rel=1e-9)
    # A thicker tube is touched earlier: dt/dr = -1/(g t).
    assert slope == pytest.approx(-1.0 / (9.81 * np.sqrt(2 * fall / 9.81)), rel=1e-6)
