"""EDEM's spinning friction on its base models: restitution, conservation, history, spin-down,
degenerate points.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from jaxcontact.geometry.contact_disk import largest_section_area
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.geometry.rotation import rotate
from jaxcontact.laws.friction.slider import SpringMemory
from jaxcontact.materials import Solid, effective_mass, effective_radius, effective_shear_modulus
from jaxcontact.systems.edem import (
    Contact,
    ContactMemory,
    HertzMindlin,
    LinearSpring,
    Particle,
    SpinningFriction,
    new_memory,
    sphere_geometry,
    sphere_sphere,
    spinning_friction_torque,
)
from jaxcontact.systems.edem.base import EffectivePair

SOLID = Solid(youngs_modulus=1e7, poisson_ratio=0.25)
BASE = {"solid1": SOLID, "solid2": SOLID, "static_friction": 0.5}
SMALL, LARGE = Particle(radius=0.05, mass=0.1), Particle(radius=0.1, mass=0.4)
PAIR = EffectivePair(effective_radius(0.05, 0.1), effective_mass(0.1, 0.4))


def base(kind, restitution, **more):
    extra = {"characteristic_velocity": 1.0} if kind is LinearSpring else {}
    return kind(coefficient_of_restitution=restitution, **BASE, **extra, **more)


def contact(model, **more):
    return Contact(particle1=SMALL, particle2=LARGE, base=model, **more)


CONTACT = contact(base(HertzMindlin, 0.6, rolling_friction=0.01), spinning=SpinningFriction(mu=0.3))
ONE = Motion(
    jnp.array([0.02, -0.01, 0.03]), jnp.array([0.3, 0.2, -0.1]), jnp.array([1.0, -2.0, 3.0])
)
TWO = Motion(
    jnp.array([0.169, -0.006, 0.027]), jnp.array([-0.4, 0.1, 0.3]), jnp.array([-2.0, 0.5, 1.0])
)


def rebound(model, speed, cut=False):
    """Restitution of a free impact along the normal, by integration."""
    force = jax.jit(lambda d, rate: model.normal(d, rate, PAIR).force)
    held = (lambda f: max(f, 0.0)) if cut else (lambda f: f)
    lifts = lambda t, y: y[0]  # noqa: E731
    lifts.terminal, lifts.direction = True, -1
    overlap = float(
        (PAIR.mass * speed**2 / model.stiffness(PAIR))
        ** (0.5 if isinstance(model, LinearSpring) else 0.4)
    )
    motion = lambda t, y: [y[1], -held(float(force(y[0], y[1]))) / PAIR.mass]  # noqa: E731
    unit = overlap / speed
    run = solve_ivp(
        motion,
        (0, 60 * unit),
        [1e-13 * overlap, speed],
        events=lifts,
        rtol=1e-8,
        atol=1e-12 * overlap,
        max_step=0.1 * unit,
    )
    return -run.y_events[0][0][1] / speed


@pytest.mark.slow
@pytest.mark.parametrize("kind", [HertzMindlin, LinearSpring])
@pytest.mark.parametrize("end", ["zero_overlap", "zero_force"])
@pytest.mark.parametrize(("restitution", "speed"), [(0.3, 0.01), (0.9, 2.0)])
def test_a_free_impact_rebounds_with_the_coefficient_of_restitution_at_every_speed(
    kind, end, restitution, speed
):
    assert rebound(base(kind, restitution, end=end), speed) == pytest.approx(restitution, rel=1e-5)


@pytest.mark.parametrize(("restitution", "cut"), [(0.2, 0.3249), (0.5, 0.5503), (0.8, 0.8081)])
def test_the_documented_damping_gives_more_when_the_force_is_cut_at_zero(restitution, cut):
    assert rebound(base(HertzMindlin, restitution), 1.0, cut=True) == pytest.approx(cut, abs=1e-4)


def test_the_linear_spring_has_the_stiffness_of_the_documented_example():
    """Two equal particles of 7.63 g and 9 mm at 3 m/s: 2.0e5 N/m, as printed."""
    solid = Solid(youngs_modulus=2.6e8, poisson_ratio=0.25)
    model = LinearSpring(
        solid1=solid,
        solid2=solid,
        characteristic_velocity=3.0,
        coefficient_of_restitution=0.5,
        static_friction=0.0,
    )
    assert model.stiffness(EffectivePair(9e-3 / 2, 7.63e-3 / 2)) == pytest.approx(2.016e5, rel=5e-4)


def moment_about_origin(motion, wrench):
    return jnp.cross(motion.position, wrench.force) + wrench.torque


@pytest.mark.parametrize("disk", ["overlap", "hertz"])
def test_forces_are_opposite_and_angular_momentum_is_kept_but_for_standard_rolling_friction(disk):
    parameters = CONTACT.replace(spinning=SpinningFriction(mu=0.3, disk=disk))
    memory = ContactMemory(SpringMemory(jnp.array([0.0, 1e-5, 2e-5])), jnp.array([1.0, 0.0, 0.0]))
    found, _ = sphere_sphere(memory, parameters, ONE, TWO, time_step=1e-5)
    np.testing.assert_allclose(found.body1.force, -found.body2.force, rtol=1e-15)
    net = moment_about_origin(ONE, found.body1) + moment_about_origin(TWO, found.body2)
    rolling = found.rolling_torque1 + found.rolling_torque2
    size = float(jnp.linalg.norm(jnp.cross(ONE.position, found.body1.force)))
    np.testing.assert_allclose(net, rolling, atol=1e-14 * size)
    assert jnp.linalg.norm(rolling) > 1e-6 * size
    smooth, _ = sphere_sphere(
        memory, parameters.replace(base=base(HertzMindlin, 0.6)), ONE, TWO, time_step=1e-5
    )
    net = moment_about_origin(ONE, smooth.body1) + moment_about_origin(TWO, smooth.body2)
    np.testing.assert_allclose(net, 0.0, atol=1e-14 * size)


def test_each_torque_opposes_its_motion_and_has_its_documented_size():
    found, _ = sphere_sphere(new_memory(), CONTACT, ONE, TWO, time_step=1e-5)
    n, rotation = found.normal, ONE.angular_velocity - TWO.angular_velocity
    area = largest_section_area(found.overlap, radius1=0.05, radius2=0.1)
    normal = CONTACT.base.normal(found.overlap, -(TWO.velocity - ONE.velocity) @ n, PAIR)
    spin = rotation @ n
    np.testing.assert_allclose(
        found.spinning_torque,
        -2 / 3 * 0.3 * normal.load * np.sqrt(area / np.pi) * np.sign(spin) * n,
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        found.rocking_torque, -normal.damping / 4 * area / np.pi * (rotation - spin * n), rtol=1e-12
    )
    for torque, motion, radius in (
        (found.rolling_torque1, ONE, 0.05),
        (found.rolling_torque2, TWO, 0.1),
    ):
        direction = motion.angular_velocity / jnp.linalg.norm(motion.angular_velocity)
        np.testing.assert_allclose(torque, -0.01 * normal.load * radius * direction, rtol=1e-12)


def test_the_tangential_spring_has_mindlins_stiffness_and_turns_with_the_bodies():
    parameters = contact(base(HertzMindlin, 1.0))
    dt, slip = 1e-4, jnp.array([0.0, 0.02, -0.01])
    one = Motion(jnp.zeros(3), slip, jnp.zeros(3))
    two = Motion(jnp.array([0.148, 0.0, 0.0]), jnp.zeros(3), jnp.zeros(3))
    found, memory = sphere_sphere(new_memory(), parameters, one, two, time_step=dt)
    stiffness = 8 * effective_shear_modulus(SOLID, SOLID) * np.sqrt(PAIR.radius * 2e-3)
    np.testing.assert_allclose(found.tangential_force, -stiffness * slip * dt, rtol=1e-12)
    turn = jnp.array(
        [0.3, -0.2, 0.5]
    )  # both bodies turn as one; the step leads to the new position
    step = 1e-3
    turned = Motion(
        rotate(two.position, turn), jnp.cross(turn / step, rotate(two.position, turn)), turn / step
    )
    found_after, _ = sphere_sphere(
        memory, parameters, Motion(jnp.zeros(3), jnp.zeros(3), turn / step), turned, time_step=step
    )
    assert jnp.linalg.norm(found_after.tangential_force) == pytest.approx(
        float(jnp.linalg.norm(found.tangential_force)), rel=1e-10
    )
    small = 1e-4 * turn
    turned = Motion(
        rotate(two.position, small),
        jnp.cross(small / step, rotate(two.position, small)),
        small / step,
    )
    found_after, _ = sphere_sphere(
        memory, parameters, Motion(jnp.zeros(3), jnp.zeros(3), small / step), turned, time_step=step
    )
    expected = rotate(found.tangential_force, small)
    np.testing.assert_allclose(
        found_after.tangential_force, expected, atol=1e-7 * float(jnp.linalg.norm(expected))
    )


def test_friction_reaches_coulombs_limit_and_the_spring_lets_go_without_contact():
    parameters, memory = contact(base(HertzMindlin, 0.6)), new_memory()
    for _ in range(3):
        found, memory = sphere_sphere(memory, parameters, ONE, TWO, time_step=1e-2)
    load = parameters.base.normal(found.overlap, 0.0, PAIR).load
    assert jnp.linalg.norm(found.tangential_force) == pytest.approx(0.5 * float(load), rel=1e-12)
    apart, memory = sphere_sphere(
        memory, parameters, ONE, TWO._replace(position=jnp.array([0.3, 0.0, 0.0])), time_step=1e-2
    )
    for value in (*apart.body1, *apart.body2, memory.spring.elongation):
        np.testing.assert_array_equal(value, 0.0)


def test_a_very_large_and_heavy_partner_is_a_geometry():
    height, radius = 0.0495, 1e6
    parameters = Contact(
        particle1=SMALL, base=CONTACT.base.replace(rolling_friction=0.02), spinning=CONTACT.spinning
    )
    plane = Motion(jnp.zeros(3), jnp.array([0.1, 0.2, 0.0]), jnp.zeros(3))
    one = Motion(jnp.array([0.0, 0.0, height]), ONE.velocity, ONE.angular_velocity)
    found, memory = sphere_geometry(
        new_memory(), parameters, one, plane, normal=jnp.array([0.0, 0.0, 1.0]), time_step=1e-5
    )
    partner = Particle(radius=radius, mass=1e20, inertia=1e30)
    two = Motion(jnp.array([0.0, 0.0, -radius]), plane.velocity, jnp.zeros(3))
    like, same = sphere_sphere(
        new_memory(), parameters.replace(particle2=partner), one, two, time_step=1e-5
    )
    for value, expected in (
        (found.body1, like.body1),
        (found.spinning_torque, like.spinning_torque),
        (memory, same),
    ):
        for a, b in zip(jax.tree.leaves(value), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5 * float(np.max(np.abs(b))))
    np.testing.assert_array_equal(found.rolling_torque2, 0.0)


def test_the_smaller_inertia_limits_the_torque_and_a_geometry_does_not_count():
    friction, slow = SpinningFriction(mu=0.3), 1e-6
    torque = {
        other: float(
            spinning_friction_torque(
                friction, slow, 10.0, area=1e-4, inertia1=2e-4, inertia2=other, time_step=1e-4
            )
        )
        for other in (1e-4, 3e-4, np.inf)
    }
    assert torque[1e-4] == pytest.approx(-0.125 * slow * 1e-4 / 1e-4)
    assert torque[3e-4] == torque[np.inf] == pytest.approx(-0.125 * slow * 2e-4 / 1e-4)


def spin_down(friction, steps, duration=0.3):
    """Spin after this time of a sphere that turns on a plane under constant load, by explicit
    steps.
    """
    dt, inertia = duration / steps, SMALL.smallest_inertia

    def step(_, spin):
        return spin + dt / inertia * spinning_friction_torque(
            friction, spin, 1.0, area=1e-5, inertia1=inertia, time_step=dt
        )

    return jax.lax.fori_loop(0, steps, step, 4.0)


def test_the_flow_form_gives_the_same_spin_down_with_any_step_and_the_documented_one_does_not():
    flow = SpinningFriction(mu=0.3, limit="flow", w_reg=1e-4)
    np.testing.assert_allclose(
        [spin_down(flow, n, 0.3) for n in (1, 7, 400)], spin_down(flow, 3, 0.3), rtol=1e-9
    )
    documented = SpinningFriction(mu=0.3)
    late = [float(spin_down(documented, n, 2.0)) for n in (40, 400)]
    assert late[1] < 1e-3 * late[0]  # what is left is a matter of the number of steps
    regularized = SpinningFriction(mu=0.3, limit="regularized", w_reg=0.5)
    np.testing.assert_allclose(
        spin_down(regularized, 4000), spin_down(regularized.replace(limit="flow"), 1), rtol=1e-3
    )


FORMS = {
    "Hertz-Mindlin, time step": CONTACT,
    "linear spring, flow, Hertz's disk": contact(
        base(LinearSpring, 0.6, end="zero_force", rolling_friction=0.01),
        spinning=SpinningFriction(mu=0.3, limit="flow", w_reg=0.5, disk="hertz"),
    ),
}


@pytest.mark.long("Hertz-Mindlin, time step-float64")
@pytest.mark.long(
    "linear spring, flow, Hertz's disk-float32",
    "Hertz-Mindlin, time step-float32",
    "linear spring, flow, Hertz's disk-float64",
)
@pytest.mark.slow
@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float32])
@pytest.mark.parametrize("form", FORMS)
def test_values_and_two_derivatives_are_finite_at_degenerate_points_and_the_first_is_right(
    form, dtype
):
    still = jnp.zeros(3)
    pairs = [
        (ONE, TWO),
        (ONE, TWO._replace(position=ONE.position)),
        (ONE, TWO._replace(position=ONE.position + jnp.array([0.0, 0.15, 0.0]))),
        (ONE, TWO._replace(position=ONE.position + jnp.array([0.0, 0.03, 0.0]))),
        (ONE, TWO._replace(position=ONE.position + jnp.array([0.0, 0.3, 0.0]))),
        (Motion(ONE.position, still, still), Motion(TWO.position, still, still)),
        (
            Motion(ONE.position, still, TWO.angular_velocity),
            Motion(TWO.position, still, TWO.angular_velocity),
        ),
        (
            Motion(still, still, jnp.array([0.0, 0.0, 2.0])),
            Motion(jnp.array([0.0, 0.0, 0.14]), still, jnp.array([0.0, 0.0, 1.0])),
        ),
    ]
    points = jnp.stack(
        [jnp.concatenate([jnp.stack(one).ravel(), jnp.stack(two).ravel()]) for one, two in pairs]
    ).astype(dtype)
    parameters = jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype), FORMS[form])

    def sum_of_forces(x):
        memory = jax.tree.map(lambda leaf: leaf.astype(dtype), new_memory())
        found, after = sphere_sphere(
            memory,
            parameters,
            Motion(*x[:9].reshape(3, 3)),
            Motion(*x[9:].reshape(3, 3)),
            time_step=jnp.asarray(1e-4, dtype),
        )
        parts = jnp.concatenate([*found.body1, *found.body2, 1e3 * after.spring.elongation])
        return parts @ jnp.linspace(0.3, 1.0, parts.size, dtype=dtype)

    if dtype == jnp.float64:
        offsets, weights = np.array([-3, -2, -1, 1, 2, 3]), np.array([-1, 9, -45, 45, -9, 1]) / 60
        shifted = points[0] + 1e-5 * offsets[:, None, None] * np.eye(18)
        differences = (
            np.tensordot(weights, jax.jit(jax.vmap(jax.vmap(sum_of_forces)))(shifted), 1) / 1e-5
        )
        slope = np.asarray(jax.grad(sum_of_forces)(points[0]))
        assert np.all(
            np.abs(differences - slope) <= 1e-7 * np.abs(slope) + 1e-9 * np.max(np.abs(slope))
        )
    orders = jax.jit(
        jax.vmap(
            lambda x: (
                sum_of_forces(x),
                jax.grad(sum_of_forces)(x),
                jax.jacfwd(jax.grad(sum_of_forces))(x),
            )
        ),
        compiler_options={"xla_backend_optimization_level": 0},
    )(points)
    for order in orders:
        assert order.dtype == dtype
        assert np.all(np.isfinite(order))


def test_bad_parameters_are_rejected_with_the_remedy():
    for build, message in (
        (
            lambda: SpinningFriction(mu=0.3, disk="herz"),
            "disk = 'herz' is not known. Did you mean 'hertz'",
        ),
        (lambda: SpinningFriction(mu=0.3, limit="flow"), "w_reg is missing"),
        (
            lambda: SpinningFriction(mu=0.3, C_safety=0.0),
            "C_safety = 0 - is outside .* EDEM takes 0.125",
        ),
        (lambda: base(HertzMindlin, 0.0), "coefficient_of_restitution = 0 - is outside"),
        (
            lambda: base(HertzMindlin, 0.5, end="never"),
            "end = 'never' is not a way to end a contact",
        ),
        (
            lambda: sphere_sphere(
                new_memory(), Contact(particle1=SMALL, base=CONTACT.base), ONE, TWO, time_step=1e-5
            ),
            "call sphere_geometry",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            build()
