"""PFC's contact models: verification problems of the program, identities with the theory behind
them, energies.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcontact.geometry.contact_plane import ContactAxes
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.laws.core.damping_maps import zero_force_restitution, zero_overlap_restitution
from jaxcontact.laws.friction.mindlin import mindlin_stiffness
from jaxcontact.laws.friction.slider import smooth_coulomb_slider
from jaxcontact.laws.normal.elastic import hertz_force
from jaxcontact.materials import (
    Solid,
    effective_modulus,
    effective_radius,
    effective_shear_modulus,
    hertz_stiffness,
)
from jaxcontact.systems.pfc.contact_resolution import ball_ball_contact, ball_facet_contact
from jaxcontact.systems.pfc.hertz import (
    NEW_HERTZ_CONTACT,
    Hertz,
    hertz_contact,
    pair_elasticity,
    tangent_stiffnesses,
)
from jaxcontact.systems.pfc.linear import (
    NEW_LINEAR_CONTACT,
    Linear,
    LinearMemory,
    deformability_stiffness,
    linear_contact,
    pair_friction,
    series_stiffness,
)
from jaxcontact.systems.pfc.pieces import Facet, ball
from jaxcontact.systems.pfc.rolling_resistance_linear import (
    NEW_ROLLING_RESISTANCE_LINEAR_CONTACT,
    RollingResistanceLinear,
    rolling_resistance_linear_contact,
)
from jaxcontact.systems.pfc.state import ContactState, body_wrenches

GROUND = Motion(np.zeros(3), np.zeros(3), np.zeros(3))
FLOOR = Facet(
    vertices=np.array([(-9.0, -9.0, 0.0), (9.0, -9.0, 0.0), (0.0, 18.0, 0.0)]), motion=GROUND
)
RADIUS, MASS, GRAVITY = 5e-3, 2500.0 * 4.0 / 3.0 * np.pi * 5e-3**3, 9.81
INERTIA = 0.4 * MASS * RADIUS**2


def local_state(
    gap, *, normal=0.0, shear=(0.0, 0.0), bend=(0.0, 0.0), time_step=1.0, mass=1.0, radius=0.5
):
    """A contact with n, s, t along z, x, y that moves evenly by these increments."""
    normal, shear, bend = jnp.asarray(normal), jnp.asarray(shear), jnp.asarray(bend)
    axes = jnp.asarray([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    turn = jnp.append(bend, 0.0) / time_step
    return ContactState(
        mass,
        radius,
        jnp.zeros(3),
        *axes,
        gap,
        jnp.append(shear, normal) / time_step,
        turn,
        normal,
        shear,
        jnp.zeros(()),
        bend,
    )


def ball_on_floor(contact, memory, model, *, velocity, height, slope=0.0, time, steps):
    """A ball in the program's cycle: velocities at half steps, positions, contact resolution,
    contact model. All its motion.
    """
    time_step = time / steps
    weight = MASS * GRAVITY * jnp.asarray([np.sin(slope), 0.0, -np.cos(slope)])

    def cycle(carried, _):
        position, velocity, spin, wrench, axes, memory = carried
        velocity = velocity + time_step / MASS * (wrench[0] + weight)
        spin = spin + time_step / INERTIA * wrench[1]
        position = position + time_step * velocity
        motion = Motion(position, velocity, spin)
        state, axes = ball_facet_contact(
            axes, ball(motion, radius=RADIUS, mass=MASS), FLOOR, time_step=time_step
        )
        response, memory = contact(memory, state, model=model)
        first, _ = body_wrenches(
            state,
            force=response.force(state),
            moment=response.moment(state),
            reference1=position,
            reference2=jnp.zeros(3),
        )
        return (position, velocity, spin, tuple(first), axes, memory), (position, velocity, spin)

    start = (
        jnp.asarray([0.0, 0.0, height]),
        jnp.asarray(velocity),
        jnp.zeros(3),
        (jnp.zeros(3), jnp.zeros(3)),
    )
    axes = ContactAxes(*(jnp.zeros(3) for _ in range(3)))
    memory = jax.tree.map(jnp.asarray, memory)
    return jax.jit(lambda: jax.lax.scan(cycle, (*start, axes, memory), None, length=steps)[1])()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("beta", [0.2, 0.7])
def test_linear_drop_rebounds_with_the_restitution_of_the_damping_ratio(beta, mode):
    """The program's example on calibrating ``dp_nratio``; without tension (mode 1) the restitution
    is another one.
    """
    model = Linear(kn=1e8, dp_nratio=beta, dp_mode=mode)
    duration = 2.0 * np.pi * np.sqrt(MASS / 1e8) / np.sqrt(1 - beta**2)
    _, velocity, _ = ball_on_floor(
        linear_contact,
        NEW_LINEAR_CONTACT,
        model,
        velocity=(0.0, 0.0, -20.0),
        height=RADIUS,
        time=duration,
        steps=20_000,
    )
    expected = (zero_overlap_restitution if mode == 0 else zero_force_restitution)(beta)
    np.testing.assert_allclose(velocity[-1, 2] / 20.0, expected, rtol=2e-3)


def rolling_ball(rr_fric, *, velocity, slope=0.0, time, steps=60_000):
    """The program's example: one ball on a flat surface."""
    stiffness = float(deformability_stiffness(1e7, 1.0, radius=RADIUS)[0])
    linear = Linear(kn=stiffness, ks=stiffness, fric=0.8, dp_nratio=0.2, dp_sratio=0.2, dp_mode=3)
    model = RollingResistanceLinear(linear=linear, rr_fric=rr_fric)
    height = RADIUS - MASS * GRAVITY * np.cos(slope) / stiffness
    return ball_on_floor(
        rolling_resistance_linear_contact,
        NEW_ROLLING_RESISTANCE_LINEAR_CONTACT,
        model,
        velocity=(velocity, 0.0, 0.0),
        height=height,
        slope=slope,
        time=time,
        steps=steps,
    )


def test_ball_slides_into_rolling_at_five_sevenths():
    _, velocity, spin = rolling_ball(0.0, velocity=1.0, time=0.06)
    np.testing.assert_allclose(velocity[-1, 0], 5.0 / 7.0, rtol=2e-3)
    np.testing.assert_allclose(spin[-1, 1] * RADIUS, 5.0 / 7.0, rtol=2e-3)


def test_rolling_resistance_slows_a_rolling_ball_down():
    """By ``5/7 mu_r g`` once it rolls."""
    _, velocity, _ = rolling_ball(0.1, velocity=0.3, time=0.12)
    times = np.linspace(0.0, 0.12, 60_001)[1:]
    slope = np.polyfit(times[30_000:], np.asarray(velocity[30_000:, 0]), 1)[0]
    np.testing.assert_allclose(slope, -5.0 / 7.0 * 0.1 * GRAVITY, rtol=5e-3)


def test_ball_rests_on_a_slope_gentler_than_the_coefficient():
    position, velocity, _ = rolling_ball(0.2, velocity=0.0, slope=np.arctan(0.1), time=0.3)
    assert np.max(np.abs(position[-1000:, 0] - position[-1, 0])) < 1e-12
    assert abs(float(velocity[-1, 0])) < 1e-9


def test_increments_give_the_absolute_normal_force():
    """``lin_mode`` 1 at even approach and withdrawal, in which the first active step counts with
    the part spent in contact.
    """
    closing = jnp.concatenate([jnp.full(20, -1.3e-4), jnp.full(12, 0.9e-4)])
    gaps = 5e-4 + jnp.cumsum(closing)

    def step(memories, inputs):
        gap, increment = inputs
        state = local_state(gap, normal=increment)
        answers = [
            linear_contact(m, state, model=Linear(kn=1e6, lin_mode=mode))
            for mode, m in enumerate(memories)
        ]
        return tuple(m for _, m in answers), jnp.stack([r.normal_force for r, _ in answers])

    start = jax.tree.map(jnp.asarray, (NEW_LINEAR_CONTACT, NEW_LINEAR_CONTACT))
    forces = jax.lax.scan(step, start, (gaps, closing))[1]
    np.testing.assert_allclose(forces[:, 1], forces[:, 0], atol=1e-8)
    assert np.max(forces) > 1000.0


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_work_is_strain_slip_and_dashpot(mode):
    """Random paths in and out of contact: work of the contact force against the motion = gain of
    strain + losses, with the step to zero.
    """
    steps, time_step = 40_000, 2.5e-5
    time = np.arange(1, steps + 1) * time_step
    motion = np.stack(
        [0.02 * np.sin(23.0 * time + 1.0), 0.013 * np.sin(41.0 * time), 0.01 * np.cos(17.0 * time)],
        axis=1,
    )
    bend = np.stack([0.03 * np.sin(31.0 * time), 0.02 * np.cos(19.0 * time)], axis=1)
    increments, turns = (
        np.diff(motion, axis=0, prepend=motion[:1]),
        np.diff(bend, axis=0, prepend=bend[:1]),
    )
    model = RollingResistanceLinear(
        linear=Linear(kn=1e4, ks=5e3, fric=0.4, dp_nratio=0.05, dp_sratio=0.05, dp_mode=mode),
        rr_fric=0.02,
    )

    def step(memory, inputs):
        gap, moved, turn = inputs
        state = local_state(
            gap, normal=moved[2], shear=moved[:2], bend=turn, time_step=time_step, mass=0.1
        )
        response, memory = rolling_resistance_linear_contact(memory, state, model=model)
        force = jnp.append(response.shear_force, response.normal_force)
        dashpot = jnp.append(response.dashpot_shear_force, response.dashpot_normal_force)
        return memory, (force, dashpot, response.rolling_moment, jnp.stack(response.energies))

    start = jax.tree.map(jnp.asarray, NEW_ROLLING_RESISTANCE_LINEAR_CONTACT)
    inputs = jax.tree.map(jnp.asarray, (motion[:, 2] - 0.002, increments, turns))
    force, dashpot, moment, energies = (
        np.asarray(x) for x in jax.jit(lambda: jax.lax.scan(step, start, inputs)[1])()
    )
    mean = 0.5 * (force + np.concatenate([np.zeros((1, 3)), force[:-1]]))
    mean_moment = 0.5 * (moment + np.concatenate([np.zeros((1, 2)), moment[:-1]]))
    work = -np.sum((mean + dashpot) * increments) - np.sum(mean_moment * turns)
    strain, slip, damped, rolling_strain, rolling_slip = energies.T
    assert min(slip.min(), rolling_slip.min()) >= 0.0
    assert damped.min() >= -1e-15
    spent = strain[-1] + rolling_strain[-1] + slip.sum() + damped.sum() + rolling_slip.sum()
    assert min(slip.sum(), damped.sum(), rolling_slip.sum()) > 1e-3 * spent
    np.testing.assert_allclose(work, spent, rtol=2e-3)


def test_momentum_and_angular_momentum_of_a_pair_are_conserved():
    motion1 = Motion(
        *(jnp.asarray(x) for x in ((0.1, -0.2, 0.3), (0.5, 0.3, 0.9), (3.0, -5.0, 2.0)))
    )
    motion2 = Motion(
        *(jnp.asarray(x) for x in ((0.4, 0.3, 1.1), (-0.4, 0.1, -0.6), (-1.0, 4.0, 6.0)))
    )
    axes = ContactAxes(*(jnp.zeros(3) for _ in range(3)))
    state, _ = ball_ball_contact(
        axes,
        ball(motion1, radius=0.6, mass=1.0),
        ball(motion2, radius=0.5, mass=2.0),
        time_step=1e-3,
    )
    model = RollingResistanceLinear(
        linear=Linear(kn=1e4, ks=5e3, fric=0.4, dp_nratio=0.2, dp_sratio=0.3), rr_fric=0.1
    )
    response, _ = rolling_resistance_linear_contact(
        NEW_ROLLING_RESISTANCE_LINEAR_CONTACT, state, model=model
    )
    one, two = body_wrenches(
        state,
        force=response.force(state),
        moment=response.moment(state),
        reference1=motion1.position,
        reference2=motion2.position,
    )
    assert bool(response.active)
    np.testing.assert_allclose(one.force + two.force, 0.0, atol=1e-12)
    total = (
        jnp.cross(motion1.position, one.force)
        + one.torque
        + jnp.cross(motion2.position, two.force)
        + two.torque
    )
    np.testing.assert_allclose(total, 0.0, atol=1e-11)


def test_hertz_is_hertz_and_mindlin():
    solid = Solid(youngs_modulus=2e9, poisson_ratio=0.3)
    radius = float(effective_radius(0.02, 0.05))
    G, nu = pair_elasticity(solid, solid)
    np.testing.assert_allclose([G, nu], [solid.shear_modulus, 0.3], rtol=1e-12)
    overlap = 1e-5
    response, memory = hertz_contact(
        NEW_HERTZ_CONTACT,
        local_state(-overlap, radius=radius),
        model=Hertz(hz_shear=G, hz_poiss=nu),
    )
    expected = hertz_force(
        overlap, stiffness=hertz_stiffness(effective_modulus(solid, solid), radius)
    )
    np.testing.assert_allclose(response.normal_force, expected, rtol=1e-12)
    stiffness = mindlin_stiffness(
        overlap,
        effective_radius=radius,
        effective_shear_modulus=effective_shear_modulus(solid, solid),
    )
    np.testing.assert_allclose(memory.shear_stiffness, stiffness, rtol=1e-12)

    def force(d):
        return hertz_contact(
            NEW_HERTZ_CONTACT, local_state(-d, radius=radius), model=Hertz(hz_shear=G, hz_poiss=nu)
        )[0].normal_force

    tangent, _ = tangent_stiffnesses(
        overlap, h_n=force(overlap) / overlap**1.5, hz_poiss=nu, hz_alpha=1.5
    )
    np.testing.assert_allclose(jax.jit(jax.grad(force))(overlap), tangent, rtol=1e-12)


def test_hertz_shear_force_falls_with_the_stiffness_on_unloading():
    deep, shallow = local_state(-4e-5, shear=(1e-7, 0.0)), local_state(-1e-5)
    held = []
    for mode in (0, 1):
        model = Hertz(hz_shear=1e9, hz_poiss=0.25, fric=10.0, hz_mode=mode)
        first, memory = hertz_contact(NEW_HERTZ_CONTACT, deep, model=model)
        second, _ = hertz_contact(memory, shallow, model=model)
        held.append(float(second.shear_force[0] / first.shear_force[0]))
    np.testing.assert_allclose(held, [1.0, 0.5], rtol=1e-12)


def test_twist_meets_no_resistance():
    state = local_state(-1e-3, bend=(0.1, 0.2))._replace(twist_increment=1.0)
    for contact, memory, model in (
        (linear_contact, NEW_LINEAR_CONTACT, Linear(kn=1e4, ks=1e4, fric=0.5)),
        (hertz_contact, NEW_HERTZ_CONTACT, Hertz(hz_shear=1e9, hz_poiss=0.25, fric=0.5)),
    ):
        response, _ = contact(memory, state, model=model)
        assert np.all(response.moment(state) == 0.0)


@pytest.mark.slow
def test_rounded_slider_stays_within_its_bound():
    hard = Linear(kn=1e4, ks=1e4, fric=0.5)
    smooth = hard.replace(
        slider=lambda force, *, limit: smooth_coulomb_slider(force, limit=limit, smoothing=0.2)
    )
    memory = LinearMemory(jnp.asarray(10.0), jnp.zeros(2), jnp.asarray(True))

    def difference(slid):
        state = local_state(-1e-3, shear=jnp.stack([slid, 0.3 * slid]))
        forces = [
            linear_contact(memory, state, model=model)[0].shear_force for model in (hard, smooth)
        ]
        return jnp.linalg.norm(forces[0] - forces[1])

    differences = jax.vmap(difference)(jnp.linspace(-1e-3, 1e-3, 1001))
    assert 0.1 < np.max(differences) <= 3.0 / 16.0 * 0.2 * 5.0 * (1 + 1e-12)


def test_properties_of_pairs():
    np.testing.assert_allclose(
        series_stiffness(jnp.asarray([2.0, 0.0, 3.0, 0.0]), jnp.asarray([2.0, 3.0, 0.0, 0.0])),
        [1.0, 3.0, 3.0, 0.0],
    )
    assert pair_friction(0.3, 0.2) == 0.2
    kn, ks = deformability_stiffness(1e7, 2.0, radius=0.02, partner=0.03)
    np.testing.assert_allclose(
        [kn, ks], [np.pi * 4e-4 * 1e7 / 0.05, np.pi * 4e-4 * 1e7 / 0.1], rtol=1e-14
    )
    np.testing.assert_allclose(
        deformability_stiffness(1e7, 1.0, radius=0.02)[0], np.pi * 0.02 * 1e7, rtol=1e-14
    )
    np.testing.assert_allclose(
        deformability_stiffness(1e7, 1.0, radius=0.02, dimension=2)[0], 2e7, rtol=1e-14
    )


def test_bad_properties_are_named():
    with pytest.raises(ValueError, match="Linear: dp_mode = 4 is not one of 0, 1, 2, 3"):
        Linear(kn=1.0, dp_mode=4)
    with pytest.raises(ValueError, match="Linear: lin_mode = 2 is not one of 0, 1"):
        Linear(kn=1.0, lin_mode=2)
    with pytest.raises(ValueError, match=r"Linear: fric = -0.1 - is outside \[0, inf\)"):
        Linear(kn=1.0, fric=-0.1)
    with pytest.raises(ValueError, match=r"Hertz: hz_poiss = 0.7 - is outside \(-1, 0.5\]"):
        Hertz(hz_shear=1.0, hz_poiss=0.7)
    with pytest.raises(ValueError, match="dimension = 4 is neither 2 nor 3"):
        deformability_stiffness(1.0, 1.0, radius=1.0, dimension=4)
