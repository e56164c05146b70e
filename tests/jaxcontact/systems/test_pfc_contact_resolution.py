"""PFC's contact resolution: contact planes, axes with history, relative motion, pieces and bodies,
activity, time step.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jaxcontact.geometry.contact_plane import (
    ContactAxes,
    initial_axes,
    planar_axes,
    turn_axes,
    turn_axes_first_order,
)
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.systems.pfc.activity import activity
from jaxcontact.systems.pfc.contact_resolution import (
    NEW_CONTACT,
    ball_ball_contact,
    ball_facet_contact,
    ball_facet_plane,
    ball_wall_contact,
)
from jaxcontact.systems.pfc.pieces import Clump, Facet, Wall, ball, in_plane, planar_motion
from jaxcontact.systems.pfc.state import body_wrenches
from jaxcontact.systems.pfc.time_step import (
    highest_frequency,
    kinematic_rate,
    rotational_stiffness,
    stable_time_step,
    translational_stiffness,
)

RANDOM = np.random.default_rng(7)
STEP = 1e-3
compiled = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})

MOTION1 = Motion(np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.1, -0.3]), np.array([2.0, -3.0, 1.0]))
MOTION2 = Motion(np.array([0.5, 0.4, 0.9]), np.array([-0.2, 0.6, 0.1]), np.array([-1.0, 0.5, 4.0]))
TRIANGLE = np.array([[-1.0, -1.0, 0.7], [2.0, -1.0, 1.0], [0.0, 2.0, 0.8]])

pair = compiled(ball_ball_contact, static_argnames=("update", "dimension"))
facet_pair = compiled(ball_facet_contact, static_argnames=("update", "dimension"))


UNTURNED = Rotation.identity()


def balls(turn=UNTURNED, shift=(0.0, 0.0, 0.0)):
    motions = [
        Motion(
            turn.apply(m.position) + shift, turn.apply(m.velocity), turn.apply(m.angular_velocity)
        )
        for m in (MOTION1, MOTION2)
    ]
    return ball(motions[0], radius=0.6, mass=2.0), ball(motions[1], radius=0.4, mass=0.5)


def orthonormal(axes):
    matrix = np.stack([np.asarray(axis) for axis in axes], axis=-1)
    return np.max(np.abs(np.swapaxes(matrix, -1, -2) @ matrix - np.eye(3)))


NORMALS = np.concatenate(
    [
        RANDOM.normal(size=(50, 3)),
        np.eye(3),
        -np.eye(3),
        [[1.0, 1e-5, 0.0], [1.0, 1e-7, 0.0], [1.0, 0.0, -1e-9]],
    ]
)
NORMALS /= np.linalg.norm(NORMALS, axis=-1, keepdims=True)


@pytest.mark.long
def test_axes_are_right_handed_and_orthonormal_however_close_the_normal_is_to_x():
    axes = initial_axes(NORMALS)
    assert orthonormal(axes) < 1e-15
    np.testing.assert_allclose(np.cross(axes.s_axis, axes.t_axis), NORMALS, atol=1e-15)
    assert orthonormal(initial_axes(NORMALS.astype(np.float32))) < 1e-6
    np.testing.assert_array_equal(initial_axes([0.0, 0.0, 0.0]).s_axis, 0.0)


def test_exact_axes_stay_orthonormal_over_many_steps_and_documented_ones_do_not():
    def path(turn, angle, count):
        def step(axes, k):
            tilt, turned = 0.9 * k / count * angle, 2.3 * k / count * angle
            normal = jnp.stack(
                [jnp.sin(tilt) * jnp.cos(turned), jnp.sin(tilt) * jnp.sin(turned), jnp.cos(tilt)]
            )
            axes = turn(axes, normal, spin=0.7 * angle, time_step=1.0 / count)
            return axes, axes

        start = initial_axes(jnp.array([0.0, 0.0, 1.0]))
        return jax.lax.scan(step, start, jnp.arange(1.0, count + 1.0))[1]

    exact, documented = (
        compiled(functools.partial(path, turn, 1.0, 2000))()
        for turn in (turn_axes, turn_axes_first_order)
    )
    assert orthonormal(exact) < 1e-14
    assert 1e-9 < orthonormal(documented) < 1e-4
    np.testing.assert_allclose(documented.s_axis[-1], exact.s_axis[-1], atol=2e-4)


def test_a_pair_that_turns_as_one_body_carries_its_axes_along():
    """Whatever is marked on the plane turns with the rigid pair; both updates agree with that
    rotation in their order of the step.
    """
    total = Rotation.from_rotvec([0.3, 0.9, -0.4])
    first, _ = pair(NEW_CONTACT, *balls(), time_step=STEP)
    errors = {}
    for update in ("exact", "documented"):
        for steps in (20, 40):
            memory = ContactAxes(first.normal, first.s_axis, first.t_axis)
            rate = total.as_rotvec() / STEP / steps
            for k in range(1, steps + 1):
                turn = Rotation.from_rotvec(total.as_rotvec() * k / steps)
                pieces = [
                    piece.replace(motion=piece.motion._replace(angular_velocity=rate))
                    for piece in balls(turn)
                ]
                state, memory = pair(memory, *pieces, time_step=STEP, update=update)
            errors[update, steps] = np.max(
                np.abs(np.asarray(state.s_axis) - total.apply(np.array(first.s_axis)))
            )
    assert errors["exact", 20] / errors["exact", 40] > 3.5
    assert errors["exact", 40] < 2e-4
    assert errors["documented", 40] < errors["documented", 20] < 5e-2


def test_spin_about_the_normal_turns_the_axes_by_half_the_sum():
    normal = np.array([0.0, 0.0, 1.0])
    pieces = [
        ball(Motion(np.array([0.0, 0.0, z]), np.zeros(3), w * normal), radius=0.6, mass=1.0)
        for z, w in ((0.0, 300.0), (1.0, 100.0))
    ]
    memory = ContactAxes(normal, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    state, _ = pair(memory, *pieces, time_step=STEP, update="exact")
    np.testing.assert_allclose(state.s_axis, [math.cos(0.2), math.sin(0.2), 0.0], atol=1e-15)
    documented, _ = pair(memory, *pieces, time_step=STEP)  # the default
    np.testing.assert_allclose(
        documented.s_axis, np.array([1.0, 0.2, 0.0]) / math.hypot(1.0, 0.2), atol=1e-15
    )


def test_turning_and_moving_the_scene_changes_nothing_but_the_directions():
    turn, shift = Rotation.from_rotvec([1.1, -0.4, 0.8]), np.array([3.0, 1.0, -2.0])
    state, _ = pair(NEW_CONTACT, *balls(), time_step=STEP)
    turned, _ = pair(NEW_CONTACT, *balls(turn, shift), time_step=STEP)
    for name in ("contact_mass", "effective_radius", "gap", "normal_increment", "twist_increment"):
        np.testing.assert_allclose(
            getattr(turned, name), getattr(state, name), atol=1e-14, err_msg=name
        )
    for name in ("normal", "translational_velocity", "rotational_velocity"):
        np.testing.assert_allclose(
            getattr(turned, name),
            turn.apply(np.array(getattr(state, name))),
            atol=1e-14,
            err_msg=name,
        )
    np.testing.assert_allclose(
        turned.location, turn.apply(np.array(state.location)) + shift, atol=1e-14
    )
    for name in (
        "shear_increment",
        "bend_increment",
    ):  # the first axes hang on the global x direction: vectors turn, components do not
        shear, shear_turned = (np.array(s.in_space(0.0, getattr(s, name))) for s in (state, turned))
        np.testing.assert_allclose(shear_turned, turn.apply(shear), atol=1e-16)


def test_swapping_the_ends_mirrors_the_state():
    one, two = balls()
    state, _ = pair(NEW_CONTACT, one, two, time_step=STEP)
    swapped, _ = pair(NEW_CONTACT, two, one, time_step=STEP)
    np.testing.assert_allclose(swapped.location, state.location, atol=1e-15)
    np.testing.assert_allclose(swapped.normal, -state.normal, atol=1e-15)
    np.testing.assert_allclose(
        swapped.translational_velocity, -state.translational_velocity, atol=1e-15
    )
    np.testing.assert_allclose(swapped.normal_increment, state.normal_increment, atol=1e-17)


def test_velocities_are_the_sum_of_their_parts_and_the_gap_grows_with_the_normal_one():
    one, two = balls()
    state, _ = pair(NEW_CONTACT, one, two, time_step=STEP)
    np.testing.assert_allclose(
        state.in_space(state.normal_velocity, state.shear_velocity),
        state.translational_velocity,
        atol=1e-15,
    )
    np.testing.assert_allclose(
        state.in_space(state.twist_velocity, state.bend_velocity),
        state.rotational_velocity,
        atol=1e-14,
    )
    for name in ("normal", "shear", "twist", "bend"):
        np.testing.assert_allclose(
            getattr(state, f"{name}_increment"),
            STEP * getattr(state, f"{name}_velocity"),
            rtol=1e-13,
        )

    def gap(time):
        moved = [
            piece.replace(centre=piece.centre + piece.motion.velocity * time)
            for piece in (one, two)
        ]
        return ball_ball_contact(NEW_CONTACT, *moved, time_step=STEP)[0].gap

    np.testing.assert_allclose(jax.jvp(gap, (0.0,), (1.0,))[1], state.normal_velocity, rtol=1e-14)


def test_a_pair_that_moves_as_one_rigid_body_has_no_relative_motion():
    spin, drift = np.array([3.0, -1.0, 2.0]), np.array([0.3, 0.2, -0.1])
    pieces = [
        piece.replace(
            motion=Motion(
                piece.motion.position, drift + np.cross(spin, piece.motion.position), spin
            )
        )
        for piece in balls()
    ]
    state, _ = pair(NEW_CONTACT, *pieces, time_step=STEP)
    for name in (
        "translational_velocity",
        "rotational_velocity",
        "normal_increment",
        "shear_increment",
        "bend_increment",
    ):
        np.testing.assert_allclose(getattr(state, name), 0.0, atol=1e-15)


def test_contact_forces_conserve_both_momenta_and_take_the_power_of_the_relative_motion():
    one, two = balls()
    state, _ = pair(NEW_CONTACT, one, two, time_step=STEP)
    force, moment = RANDOM.normal(size=3), RANDOM.normal(size=3)
    on1, on2 = body_wrenches(
        state, force=force, moment=moment, reference1=one.centre, reference2=two.centre
    )
    np.testing.assert_allclose(on1.force + on2.force, 0.0, atol=1e-16)
    torque = (
        on1.torque + np.cross(one.centre, on1.force) + on2.torque + np.cross(two.centre, on2.force)
    )
    np.testing.assert_allclose(torque, 0.0, atol=1e-15)
    power = sum(
        np.dot(on.force, piece.motion.velocity) + np.dot(on.torque, piece.motion.angular_velocity)
        for on, piece in ((on1, one), (on2, two))
    )
    np.testing.assert_allclose(
        power, force @ state.translational_velocity + moment @ state.rotational_velocity, rtol=1e-13
    )


@pytest.mark.parametrize("with_facet", [False, True])
def test_two_dimensions_are_three_in_the_plane(with_facet):
    motions = [
        planar_motion(jnp.array([0.1, 0.2]), jnp.array([0.5, -0.3]), 2.0),
        planar_motion(jnp.array([0.6, 0.9]), jnp.array([-0.1, 0.4]), -5.0),
    ]
    one, two = (ball(motion, radius=0.5, mass=1.0) for motion in motions)
    if with_facet:
        segment = in_plane(jnp.array([[-1.0, 0.5], [2.0, 0.8]]))
        prism = jnp.concatenate([segment, segment[:1] - jnp.array([0.0, 0.0, 9.0])]) + jnp.array(
            [0.0, 0.0, 1.0]
        )
        flat, _ = facet_pair(
            NEW_CONTACT,
            one,
            Facet(vertices=segment, motion=motions[1]),
            time_step=STEP,
            dimension=2,
        )
        space, _ = facet_pair(
            NEW_CONTACT, one, Facet(vertices=prism, motion=motions[1]), time_step=STEP
        )
    else:
        flat, _ = pair(NEW_CONTACT, one, two, time_step=STEP, dimension=2)
        space, _ = pair(NEW_CONTACT, one, two, time_step=STEP)
    for name in (
        "location",
        "normal",
        "gap",
        "translational_velocity",
        "rotational_velocity",
        "normal_increment",
    ):
        np.testing.assert_allclose(
            getattr(flat, name), getattr(space, name), atol=1e-14, err_msg=name
        )
    np.testing.assert_allclose(np.cross(flat.s_axis, flat.t_axis), flat.normal, atol=1e-15)
    np.testing.assert_array_equal(flat.s_axis, [0.0, 0.0, -1.0])
    for increment in (flat.shear_increment[0], flat.twist_increment, flat.bend_increment[1]):
        assert increment == 0.0
    np.testing.assert_allclose(flat.bend_increment[0], -flat.rotational_velocity[2] * STEP)
    np.testing.assert_allclose(
        flat.in_space(0.0, flat.shear_increment),
        space.in_space(0.0, space.shear_increment),
        atol=1e-17,
    )


def test_axes_in_the_plane_follow_the_rule_of_the_two_dimensional_model():
    axes = planar_axes(jnp.array([0.6, 0.8, 0.0]))
    np.testing.assert_allclose(axes.t_axis, [-0.8, 0.6, 0.0])


def test_a_ball_on_a_facet_moves_against_the_wall_at_the_contact():
    wall = Motion(np.array([5.0, 0.0, 0.0]), np.array([0.1, 0.0, 0.2]), np.array([0.0, 3.0, 0.5]))
    piece, _ = balls()
    state, _ = facet_pair(NEW_CONTACT, piece, Facet(vertices=TRIANGLE, motion=wall), time_step=STEP)
    assert state.contact_mass == pytest.approx(2.0)
    assert state.effective_radius == pytest.approx(0.6)
    at = np.array(state.location)
    expected = (
        wall.velocity + np.cross(wall.angular_velocity, at - wall.position) - piece.motion.velocity
    )
    expected -= np.cross(piece.motion.angular_velocity, at - piece.centre)
    np.testing.assert_allclose(state.translational_velocity, expected, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(at - piece.centre), 0.6 + state.gap / 2, rtol=1e-14)


def test_a_facet_over_which_the_ball_stands_is_a_plane():
    piece, _ = balls()
    normal = np.cross(TRIANGLE[1] - TRIANGLE[0], TRIANGLE[2] - TRIANGLE[0])
    normal /= np.linalg.norm(normal)
    height = normal @ (piece.centre - TRIANGLE[0])
    plane = ball_facet_plane(piece, Facet(vertices=TRIANGLE, motion=MOTION2))
    np.testing.assert_allclose(plane.gap, abs(height) - 0.6, rtol=1e-13)
    np.testing.assert_allclose(plane.normal, -np.sign(height) * normal, atol=1e-15)


SQUARE = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])


def test_a_ball_rolls_over_the_common_edge_of_two_facets_as_on_a_plane():
    wall = Wall(vertices=SQUARE[np.array([[0, 1, 2], [0, 2, 3]])], motion=Motion(*np.zeros((3, 3))))
    resolve = compiled(ball_wall_contact)
    memory = NEW_CONTACT
    for x in np.linspace(0.2, 0.8, 7):
        motion = Motion(
            np.array([x, 0.5, 0.19]), np.array([0.6, 0.0, 0.0]), np.array([0.0, 3.0, 0.0])
        )
        state, memory = resolve(memory, ball(motion, radius=0.2, mass=1.0), wall, time_step=0.1)
        np.testing.assert_allclose(state.gap, -0.01, rtol=1e-12)
        np.testing.assert_allclose(state.normal, [0.0, 0.0, -1.0], atol=1e-14)
        np.testing.assert_allclose(state.s_axis, [1.0, 0.0, 0.0], atol=1e-14)


@pytest.mark.slow
def test_walls_and_clumps_move_rigidly():
    wall = Wall(vertices=TRIANGLE[None], motion=MOTION2)
    turn = Rotation.from_rotvec(MOTION2.angular_velocity * 0.3)
    moved = wall.moved(0.3)
    np.testing.assert_allclose(
        moved.vertices[0],
        turn.apply(TRIANGLE - MOTION2.position) + MOTION2.position + 0.3 * MOTION2.velocity,
        atol=1e-14,
    )
    _, velocities = jax.jvp(lambda t: wall.moved(t).vertices, (0.0,), (1.0,))
    np.testing.assert_allclose(velocities, wall.vertex_velocities, atol=1e-14)

    clump = dumbbell()
    later = clump.moved(0.3)
    turn = Rotation.from_rotvec(np.array(clump.motion.angular_velocity) * 0.3)
    np.testing.assert_allclose(later.arms, turn.apply(np.array(clump.arms)), atol=1e-14)
    np.testing.assert_allclose(
        later.global_inertia,
        turn.as_matrix() @ np.array(clump.inertia) @ turn.as_matrix().T,
        rtol=1e-12,
    )
    _, velocities = jax.jvp(lambda t: clump.moved(t).pebbles().centre, (0.0,), (1.0,))
    np.testing.assert_allclose(velocities, clump.pebble_velocities, atol=1e-14)


def dumbbell():
    centres = jnp.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
    return Clump.of_spheres(
        centres,
        radii=jnp.array([0.5, 0.3, 0.7]),
        density=jnp.array([1000.0, 2000.0, 500.0]),
        velocity=jnp.array([0.1, 0.2, 0.3]),
        angular_velocity=jnp.array([1.0, -2.0, 0.5]),
    )


def test_a_clump_has_the_mass_and_inertia_of_its_pebbles():
    clump = dumbbell()
    masses = 4 / 3 * np.pi * np.array([0.5, 0.3, 0.7]) ** 3 * np.array([1000.0, 2000.0, 500.0])
    np.testing.assert_allclose(clump.mass, masses.sum())
    np.testing.assert_allclose(masses @ clump.arms, 0.0, atol=1e-12)
    random = np.random.default_rng(3)
    directions, depths = (
        random.normal(size=(200000, 3)),
        random.uniform(size=(200000, 1)) ** (1 / 3),
    )
    inside = directions / np.linalg.norm(directions, axis=-1, keepdims=True) * depths
    inertia = np.zeros((3, 3))
    for mass, radius, arm in zip(masses, (0.5, 0.3, 0.7), np.array(clump.arms), strict=True):
        x = arm + radius * inside
        inertia += mass * (np.mean(np.sum(x * x, axis=-1)) * np.eye(3) - x.T @ x / len(x))
    np.testing.assert_allclose(clump.inertia, inertia, atol=3e-3 * inertia.max())


def test_pebbles_take_part_in_contacts_with_mass_and_motion_of_their_clump():
    clump = dumbbell()
    pebbles = clump.pebbles()
    assert pebbles.centre.shape == (3, 3)
    assert pebbles.radius.shape == (3,)
    other = ball(
        Motion(pebbles.centre[1] + jnp.array([0.5, 0.2, 0.1]), jnp.zeros(3), jnp.zeros(3)),
        radius=0.4,
        mass=100.0,
    )
    state, _ = pair(NEW_CONTACT, jax.tree.map(lambda x: x[1], pebbles), other, time_step=STEP)
    np.testing.assert_allclose(state.contact_mass, clump.mass * 100.0 / (clump.mass + 100.0))
    arm = state.location - clump.motion.position
    np.testing.assert_allclose(
        state.translational_velocity,
        -clump.motion.velocity - np.cross(clump.motion.angular_velocity, arm),
        atol=1e-14,
    )
    np.testing.assert_allclose(
        state.location, pebbles.centre[1] + (0.3 + state.gap / 2) * state.normal, atol=1e-15
    )


@pytest.mark.slow
def test_all_contacts_of_a_scene_are_resolved_at_once():
    one, two = balls()
    many = jax.tree.map(lambda x: np.stack([x] * 4), two)
    many = many.replace(centre=np.asarray(many.centre) + 0.1 * RANDOM.normal(size=(4, 3)))
    state, memory = jax.vmap(
        lambda other: ball_ball_contact(NEW_CONTACT, one, other, time_step=STEP)
    )(many)
    direct, _ = ball_ball_contact(
        NEW_CONTACT, jax.tree.map(lambda x: np.stack([x] * 4), one), many, time_step=STEP
    )
    jax.tree.map(functools.partial(np.testing.assert_allclose, atol=1e-14), state, direct)
    assert memory.s_axis.shape == (4, 3)


def test_contacts_are_active_when_the_surface_gap_is_not_positive():
    one, two = balls()
    state, _ = pair(NEW_CONTACT, one, two, time_step=STEP)
    gap = float(state.gap)
    closing = state._replace(translational_velocity=-2.0 * state.normal)
    leaving = state._replace(translational_velocity=2.0 * state.normal)
    at = functools.partial(activity, time_step=STEP)
    for reference_gap, moving, expected in (
        (gap, leaving, (True, False)),
        (gap + 1e-3, leaving, (True, False)),
        (gap - 0.015, closing, (False, True)),
        (gap - 0.015, leaving, (False, False)),
        (gap - 0.025, closing, (False, False)),
    ):
        found = at(moving, reference_gap=reference_gap)
        assert (bool(found.active), bool(found.could_be_active)) == expected
        assert bool(found.in_time_step_estimate) == any(expected)
    assert not at(closing, reference_gap=gap - 0.015, steps_ahead=0).could_be_active
    with pytest.raises(ValueError, match="steps_ahead = -1 is negative"):
        at(closing, steps_ahead=-1)


def test_the_kinematic_limit_allows_exactly_the_displacement():
    for speed, acceleration in ((0.3, 20.0), (0.0, 20.0), (0.3, 0.0), (5.0, 1e-12)):
        step = 1.0 / kinematic_rate(speed, body_acceleration=acceleration, displacement_limit=1e-3)
        assert acceleration * step**2 / 2 + speed * step == pytest.approx(1e-3, rel=1e-13)
    assert kinematic_rate(0.0, body_acceleration=0.0, displacement_limit=1e-3) == 0.0


def test_the_stiffness_limit_is_that_of_the_stiffest_axis():
    normal = jnp.array([0.0, 0.0, 1.0])
    translational = translational_stiffness(normal, normal_stiffness=4e6, shear_stiffness=1e6)
    rotational = rotational_stiffness(normal, arm=0.1, shear_stiffness=1e6)
    np.testing.assert_array_equal(translational, [1e6, 1e6, 4e6])
    np.testing.assert_allclose(rotational, [1e4, 1e4, 0.0])
    frequency = highest_frequency(
        mass=4.0, inertia=0.016, translational=translational, rotational=rotational
    )
    assert frequency == pytest.approx(1e3)
    clump = highest_frequency(
        mass=4.0,
        inertia=jnp.array([0.01, 0.002, 1.0]),
        translational=translational,
        rotational=rotational,
    )
    assert clump == pytest.approx(math.sqrt(1e4 / 0.002))
    free = jnp.zeros(3)
    assert highest_frequency(mass=4.0, inertia=0.016, translational=free, rotational=free) == 0.0

    def step(frequency):
        return stable_time_step(
            frequencies=frequency, kinematic_rates=jnp.array([1.0, 0.0]), maximum=10.0
        )

    assert step(jnp.array([frequency, 0.0])) == pytest.approx(0.8e-3)
    assert step(jnp.zeros(2)) == 1.0
    assert jax.grad(lambda w: step(w * jnp.ones(2)))(1e3) == 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: ball(MOTION1, radius=-0.1, mass=1.0),
            r"SphericalPiece: radius = -0.1 m is outside \(0, inf\)",
        ),
        (
            lambda: ball(MOTION1, radius=0.1, mass=0.0),
            r"SphericalPiece: mass = 0 kg is outside \(0, inf\)",
        ),
        (
            lambda: Facet(vertices=np.zeros((4, 3)), motion=MOTION1),
            r"Facet: vertices has shape \(4, 3\)",
        ),
        (
            lambda: ball_ball_contact(NEW_CONTACT, *balls(), time_step=0.0),
            r"time_step = 0 s is outside \(0, inf\)",
        ),
        (
            lambda: ball_ball_contact(NEW_CONTACT, *balls(), time_step=STEP, update="exacd"),
            "Did you mean 'exact'",
        ),
        (
            lambda: ball_ball_contact(NEW_CONTACT, *balls(), time_step=STEP, dimension=4),
            "dimension = 4 is neither 2 nor 3",
        ),
    ],
)
def test_bad_input_is_refused_with_argument_value_and_range(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.long("wall")
@pytest.mark.slow
@pytest.mark.parametrize("resolve", ["documented", "planar", "wall"])
def test_two_derivatives_are_finite_in_every_form(resolve):
    """In single precision, where overflow is near: the centre on a corner, an edge and the face of
    a facet, and a normal along x.
    """
    dtype = jnp.float32
    names = {"documented": {"update": "documented"}, "planar": {"dimension": 2}, "wall": {}}[
        resolve
    ]
    segment = in_plane(jnp.asarray([[[0.0, 0.0], [1.0, 0.0]]], dtype))
    shape = {
        "documented": jnp.asarray(TRIANGLE[None], dtype),
        "planar": segment,
        "wall": jnp.asarray(SQUARE[None, :3], dtype),
    }[resolve]

    def outputs(vector):
        motion = Motion(vector[:3], vector[3:6], vector[6:9])
        wall = Wall(vertices=shape, motion=Motion(*jnp.zeros((3, 3), dtype)))
        piece = ball(motion, radius=0.5, mass=1.0)
        if resolve == "wall":
            state, _ = ball_wall_contact(NEW_CONTACT, piece, wall, time_step=STEP, **names)
        else:
            state, _ = ball_facet_contact(
                NEW_CONTACT, piece, wall.facet(0), time_step=STEP, **names
            )
        return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(state)])

    centres = [
        *shape[0],
        (shape[0, 0] + shape[0, 1]) / 2,
        shape[0].mean(axis=0),
        shape[0, 0] + jnp.asarray([-0.3, 0.0, 0.0], dtype),
    ]
    points = jnp.stack(
        [
            jnp.concatenate([centre, velocity])
            for centre in centres
            for velocity in (jnp.zeros(6, dtype), jnp.ones(6, dtype))
        ]
    )
    results = compiled(
        jax.vmap(lambda x: (outputs(x), jax.jacfwd(outputs)(x), jax.jacfwd(jax.jacfwd(outputs))(x)))
    )(points)
    for result in results:
        assert result.dtype == dtype
        assert np.all(np.isfinite(result))
