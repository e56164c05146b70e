"""Second derivatives with several bodies, clumps, moving surfaces, sustained contacts: closed
forms, and differences of the first.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc
from jaxcontact.sensitivity import hessian

FAST = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})

pytestmark = pytest.mark.slow


# The time of a touch-down, in closed form.


def touch_down(p: jax.Array) -> jax.Array:
    """Of two balls, by the speed of the first and how far it is aside."""
    speed, aside = p
    zero = 0.0 * speed
    scene = jc.Scene(
        bodies=jc.spheres(radius=(0.02, 0.03), mass=(0.05, 0.1)),
        surfaces=(),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=jnp.stack(
            [jnp.stack([zero - 0.1, aside, zero]), jnp.stack([zero + 0.05, zero, zero])]
        ),
        velocity=jnp.stack(
            [jnp.stack([speed, zero, zero]), jnp.stack([zero - 0.5, zero + 0.1, zero])]
        ),
    )
    return jc.simulate(
        scene, start, jnp.array([0.0, 0.2]), method=jc.Impulse(max_contacts=2)
    ).contacts.touch_down[0]


def closed_touch_down(p: jax.Array) -> jax.Array:
    speed, aside = p
    way, rate = (
        jnp.stack([0.15 + 0.0 * aside, -aside]),
        jnp.stack([-0.5 - speed, 0.1 + 0.0 * speed]),
    )
    a, b, c = rate @ rate, way @ rate, way @ way - 0.05**2
    return (-b - jnp.sqrt(b * b - a * c)) / a


def bounced(p: jax.Array) -> jax.Array:
    """Height of a ball after one rigid bounce on a plate that rises steadily, by height, speed of
    the plate, restitution and gravity.
    """
    height, rise, restitution, gravity = p
    zero = 0.0 * height
    scene = jc.Scene(
        bodies=jc.spheres(radius=0.02, mass=0.05),
        surfaces=(jc.Plane(motion=jc.PrescribedMotion(velocity=jnp.stack([zero, zero, rise]))),),
        contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=restitution)),
        gravity=jnp.stack([zero, zero, -gravity]),
    )
    start = jc.state(position=jnp.stack([zero, zero, height]))
    return jc.simulate(
        scene, start, jnp.array([0.0, 0.3]), method=jc.Impulse(max_contacts=2, sustained_steps=0)
    ).position[-1, 2]


def closed_bounced(p: jax.Array) -> jax.Array:
    height, rise, restitution, gravity = p
    touch = (jnp.sqrt(rise**2 + 2 * gravity * (height - 0.02)) - rise) / gravity
    rebound = rise + restitution * (gravity * touch + rise)
    late = 0.3 - touch
    return 0.02 + rise * touch + rebound * late - gravity * late**2 / 2


@pytest.mark.long("two balls")
@pytest.mark.parametrize(
    ("simulated", "closed", "p"),
    [
        pytest.param(touch_down, closed_touch_down, (1.0, 0.012), id="two balls"),
        pytest.param(
            bounced,
            closed_bounced,
            (0.2, 0.3, 0.7, 9.81),
            id="moving plate",
            marks=pytest.mark.long,
        ),
    ],
)
def test_the_hessian_of_an_impact_equals_that_of_its_closed_form(simulated, closed, p):
    p = jnp.array(p)
    np.testing.assert_allclose(simulated(p), closed(p), rtol=1e-12)
    wanted = jax.hessian(closed)(p)
    np.testing.assert_allclose(
        FAST(hessian(simulated))(p), wanted, rtol=1e-8, atol=1e-9 * np.max(np.abs(wanted))
    )


# Through compliant contacts.


def colliding(p: jax.Array) -> jax.Array:
    """Two balls that collide with friction and spin."""
    stiffness, restitution, friction, speed, aside, mass = p
    zero = 0.0 * speed
    scene = jc.Scene(
        bodies=jc.spheres(radius=(0.02, 0.03), mass=jnp.stack([mass, zero + 0.1])),
        surfaces=(),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=stiffness, restitution=restitution),
            friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=0.05),
        ),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=jnp.stack(
            [jnp.stack([zero - 0.1, aside, zero]), jnp.stack([zero + 0.05, zero, zero])]
        ),
        velocity=jnp.stack(
            [jnp.stack([speed, zero, zero]), jnp.stack([zero - 0.5, zero + 0.1, zero])]
        ),
        spin=((5.0, -20.0, 30.0), (0.0, 10.0, -5.0)),
    )
    found = jc.simulate(scene, start, jnp.array([0.0, 0.2]), method=jc.EventAligned(max_contacts=2))
    return jnp.concatenate(
        [jnp.ravel(x) for x in (found.position[-1], found.velocity[-1], 0.02 * found.spin[-1])]
    )


def rolling(p: jax.Array) -> jax.Array:
    """A ball that slides, begins to roll, and is slowed down by rolling resistance; all the time on
    the plane.
    """
    friction, resistance, speed, spin = p
    zero = 0.0 * speed
    contact = jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e8, restitution=0.5),
        friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=0.05),
        rolling=jc.RollingResistance(rolling_coefficient=resistance, rolling_velocity=0.02),
    )
    scene = jc.Scene(bodies=jc.spheres(radius=0.02, mass=0.03), contact=contact)
    start = jc.state(
        position=(0.0, 0.0, 0.02),
        velocity=jnp.stack([speed, zero + 0.1, zero]),
        spin=jnp.stack([zero, spin, zero + 3.0]),
    )
    found = jc.simulate(
        scene,
        start,
        jnp.array([0.0, 0.5]),
        method=jc.EventAligned(max_contacts=2, sustained_steps=200),
    )
    return jnp.concatenate([found.position[-1], found.velocity[-1], 0.02 * found.spin[-1]])


def clump_impact(p: jax.Array) -> jax.Array:
    """A dumbbell that falls on one of its ends, without gravity."""
    restitution, friction, mass, speed, turning = p
    zero = 0.0 * speed
    inertia = mass * jnp.array([7.5e-4, 5e-4, 1e-3])
    scene = jc.Scene(
        bodies=jc.clump(
            offset=((-0.03, 0.0, 0.0), (0.03, 0.0, 0.01)),
            radius=(0.01, 0.012),
            mass=mass,
            inertia=inertia,
        ),
        contact=jc.ContactModel(
            normal=jc.HuntCrossley(stiffness=1e7, restitution=restitution),
            friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=0.05),
        ),
        gravity=(0.0, 0.0, 0.0),
    )
    start = jc.state(
        position=(0.0, 0.0, 0.06),
        velocity=jnp.stack([speed, zero + 0.1, zero - 1.0]),
        spin=jnp.stack([zero + 2.0, turning, zero + 5.0]),
        orientation=(0.9, 0.2, 0.5, -0.1),
    )
    method = jc.EventAligned(max_contacts=1, sustained_steps=0, max_steps=150)
    found = jc.simulate(scene, start, jnp.array([0.0, 0.045]), method=method)
    return jnp.concatenate(
        [found.position[-1], found.velocity[-1], 0.03 * found.spin[-1], found.orientation[-1]]
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("motion", "p"),
    [
        pytest.param(colliding, (1e6, 0.8, 0.3, 1.0, 0.012, 0.05), id="two balls"),
        pytest.param(rolling, (0.3, 0.01, 1.0, 20.0), id="rolling", marks=pytest.mark.long),
        pytest.param(clump_impact, (0.7, 0.3, 0.4, 0.3, -3.0), id="clump", marks=pytest.mark.long),
    ],
)
def test_second_derivatives_are_differences_of_the_first(motion, p):
    """By every pair of parameters, in units of their sizes; to 1e-6 of the largest."""

    @FAST
    def derivatives(p: jax.Array, first: jax.Array, second: jax.Array):
        """First derivative along ``first``, and its derivative along ``second``."""
        return jax.jvp(lambda p: jax.jvp(motion, (p,), (first,))[1], (p,), (second,))

    p, step = jnp.array(p), 1e-4
    units = jnp.diag(jnp.abs(p))
    found, wanted = [], []
    for one, other in itertools.combinations_with_replacement(units, 2):
        found.append(np.asarray(derivatives(p, one, other)[1]))
        sides = {
            h: np.asarray(derivatives(p + h * other, one, other)[0])
            for h in (-2 * step, -step, step, 2 * step)
        }
        near, far = ((sides[h] - sides[-h]) / (2 * h) for h in (step, 2 * step))
        wanted.append((4 * near - far) / 3)
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * np.max(np.abs(wanted)))
