"""Several contacts at the same instant: symmetric scenes stay symmetric, whatever the numbers of
the bodies, no impact creates energy, and what has no derivative says so.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxcontact as jc

METHODS = {
    "rigid": jc.Impulse(max_contacts=60),
    "soft": jc.EventAligned(max_contacts=60),
    # Where a cube falls on an edge usual steps are INEXACT_STEPS: 4e-5 m/s, and 6e-6 with these.
    "soft, short steps": jc.EventAligned(max_contacts=60, graded_step=0.02),
}
EVERY = pytest.mark.parametrize("name", ["rigid", "soft"])
CUBE = jc.cube(half_width=0.05, mass=0.37, inertia=8.1e-4)
ROUNDING = 1e-12


def contact(name: str, restitution, friction) -> jc.ContactModel:
    if name == "rigid":
        return jc.ContactModel(
            normal=jc.NewtonRestitution(restitution=restitution),
            friction=jc.Coulomb(coefficient=friction),
        )
    return jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=1e7, restitution=restitution),
        friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=1e-2),
    )


def turned(axis: tuple, degrees: float) -> np.ndarray:
    half = np.radians(degrees) / 2
    return np.append(np.cos(half), np.sin(half) * np.array(axis))


def start(*, velocity=(0.0, 0.0, 0.0), orientation=(1.0, 0.0, 0.0, 0.0)) -> jc.State:
    return jc.State(
        jnp.array([0.0, 0.0, 0.2]), jnp.array(velocity), jnp.zeros(3), jnp.array(orientation)
    )


@functools.cache
def dropped(name: str):
    """A cube above a table, as a function of the initial state and gravity."""

    def run(initial: jc.State, gravity: jax.Array) -> jc.Trajectory:
        scene = jc.Scene(bodies=CUBE, contact=contact(name, 0.3, 0.3), gravity=gravity)
        return jc.simulate(
            scene, initial, jnp.linspace(0.0, 1.0, 11), method=METHODS[name], ledger=True
        )

    return jax.jit(run)


EARTH, MOON = jnp.array([0.0, 0.0, -9.81]), jnp.array([0.0, 0.0, -2.0])


def is_sound(found: jc.Trajectory, name: str) -> None:
    rigid = name == "rigid"
    ends = {jc.Status.CAME_TO_REST, jc.Status.SUCCESS}
    assert jc.Status(int(found.status)) in ({jc.Status.SIMULTANEOUS_IMPACTS} if rigid else ends)
    assert found.ledger is not None
    assert found.ledger.imbalance < (1e-13 if rigid else 1e-5)
    mechanical = np.asarray(found.ledger.kinetic + found.ledger.potential)
    if rigid:
        assert np.max(np.diff(mechanical)) < 1e-14


@pytest.mark.long("is thrown-soft", "falls-rigid")
@pytest.mark.long("falls-soft", "is thrown-rigid")
@EVERY
@pytest.mark.slow
@pytest.mark.parametrize(
    ("initial", "gravity"),
    [(start(), EARTH), (start(velocity=(0.0, 0.0, -2.0)), MOON)],
    ids=["falls", "is thrown"],
)
def test_a_flat_cube_falls_straight(name, initial, gravity):
    found = dropped(name)(initial, gravity)
    is_sound(found, name)
    np.testing.assert_allclose(found.position[:, :2], 0.0, atol=ROUNDING)
    np.testing.assert_allclose(found.spin, 0.0, atol=1e-9)


@pytest.mark.long("rigid")
@pytest.mark.long("soft, short steps")
@pytest.mark.parametrize("name", ["rigid", "soft, short steps"])
@pytest.mark.slow
def test_a_cube_on_an_edge_stays_in_its_plane(name):
    found = dropped(name)(start(orientation=turned((0.0, 1.0, 0.0), 60.0)), EARTH)
    is_sound(found, name)
    assert np.max(np.abs(found.spin[:, 1])) > 1.0
    np.testing.assert_allclose(found.position[:, 1], 0.0, atol=ROUNDING)
    np.testing.assert_allclose(found.spin[:, [0, 2]], 0.0, atol=ROUNDING)
    # Turned by a right angle about the vertical, other corners take their places.
    quarter = dropped(name)(start(orientation=turned((1.0, 0.0, 0.0), -60.0)), EARTH)
    for value in ("position", "velocity", "spin"):
        one, other = (np.asarray(getattr(each, value)) for each in (found, quarter))
        rotated = np.stack([-one[:, 1], one[:, 0], one[:, 2]], axis=1)
        np.testing.assert_allclose(other, rotated, atol=1e-9, err_msg=value)


@pytest.mark.long("soft")
@pytest.mark.long("rigid")
@EVERY
@pytest.mark.slow
def test_a_dumbbell_that_lands_on_both_balls_does_not_turn(name):
    bar = jc.clump(
        offset=((-0.05, 0.0, 0.0), (0.05, 0.0, 0.0)), radius=0.01, mass=0.1, inertia=1e-4
    )
    scene = jc.Scene(bodies=bar, contact=contact(name, 0.8, 0.3))
    found = jc.simulate(
        scene,
        jc.state(position=(0.0, 0.0, 0.1)),
        jnp.linspace(0.0, 0.2, 3),
        method=METHODS[name],
        ledger=True,
    )
    is_sound(found, name)
    assert found.velocity[-1, 2] > 0.1
    np.testing.assert_allclose(found.spin, 0.0, atol=ROUNDING)
    np.testing.assert_allclose(found.position[:, :2], 0.0, atol=ROUNDING)
    assert found.contacts is not None
    np.testing.assert_array_equal(np.asarray(found.contacts.happened)[:3], [True, True, False])
    if name == "rigid":
        np.testing.assert_allclose(found.contacts.rebound_speed[:2], 0.8 * np.sqrt(2 * 9.81 * 0.09))


# Balls in a row.


@functools.cache
def row(name: str):
    def run(places: jax.Array, velocities: jax.Array) -> jc.Trajectory:
        scene = jc.Scene(
            bodies=jc.spheres(radius=0.02, mass=0.03),
            surfaces=(),
            gravity=(0.0, 0.0, 0.0),
            contact=contact(name, 0.9, 0.3),
        )
        along = jnp.array([1.0, 0.0, 0.0])
        begin = jc.state(position=places[:, None] * along, velocity=velocities[:, None] * along)
        method = jc.Impulse(max_contacts=12) if name == "rigid" else jc.EventAligned(max_contacts=8)
        return jc.simulate(scene, begin, jnp.array([0.0, 0.2]), method=method)

    return jax.jit(run)


@pytest.mark.long("soft")
@EVERY
@pytest.mark.slow
def test_balls_that_hit_a_third_from_both_sides_leave_alike(name):
    """With the restitution, the third at rest; whatever their numbers are."""
    places, velocities = np.array([-0.1, 0.0, 0.1]), np.array([1.0, 0.0, -1.0])
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        found = row(name)(places[order], velocities[order])
        speeds = np.asarray(found.velocity)[-1, np.argsort(order), 0]
        assert speeds[0] == pytest.approx(-0.9, abs=1e-13 if name == "rigid" else 1e-5)
        np.testing.assert_allclose(speeds[1:], [0.0, -speeds[0]], atol=ROUNDING)


@pytest.mark.long
@EVERY
def test_balls_that_touch_move_as_those_that_nearly_do(name):
    touching, nearly = (
        row(name)(np.array([-0.1, 0.0, 0.04 + gap]), np.array([1.0, 0.0, 0.0]))
        for gap in (0.0, 1e-12)
    )
    assert int(touching.status) == int(nearly.status) == jc.Status.SUCCESS
    np.testing.assert_allclose(
        touching.velocity, nearly.velocity, atol=1e-10 if name == "rigid" else 1e-3
    )


# No impact creates energy.


@pytest.mark.long
@pytest.mark.slow
def test_an_impact_with_friction_creates_no_energy():
    """A rod that lands on one end, elastic and rough: Newton's restitution and Coulomb's friction
    alone would create energy (Kane's paradox).
    """
    length, mass, inertia, radius, friction = 0.1, 0.2, 2e-4, 1e-3, 0.6
    rod = jc.clump(
        offset=((-length, 0.0, 0.0), (length, 0.0, 0.0)),
        radius=radius,
        mass=mass,
        inertia=inertia,
    )
    angles = np.radians(np.linspace(15.0, 75.0, 13))
    speeds = np.linspace(-2.0, 2.0, 9)

    @jax.jit
    @functools.partial(jax.vmap, in_axes=(0, None))
    @functools.partial(jax.vmap, in_axes=(None, 0))
    def kinetic(angle: jax.Array, speed: jax.Array) -> jax.Array:
        scene = jc.Scene(bodies=rod, contact=contact("rigid", 1.0, friction), gravity=(0, 0, 0))
        height = length * jnp.sin(angle) + radius + 1e-3
        zero = jnp.zeros_like(angle)
        begin = jc.State(
            jnp.stack([zero, zero, height]),
            jnp.stack([speed, zero, zero - 1.0]),
            jnp.zeros(3),
            jnp.stack([jnp.cos(angle / 2), zero, jnp.sin(angle / 2), zero]),
        )
        method = jc.Impulse(max_contacts=1, max_steps=40)
        found = jc.simulate(scene, begin, jnp.array([0.0, 1.5e-3]), method=method, ledger=True)
        return found.ledger.kinetic

    energy = np.asarray(kinetic(angles, speeds))
    ratio = energy[..., -1] / energy[..., 0]
    assert np.max(ratio) < 1 + 1e-12

    def created(angle: float, speed: float) -> float:
        """By the law alone: it slides throughout, or sticks."""
        arm = np.array([length * np.cos(angle), -length * np.sin(angle) - radius])
        turn = np.array([-arm[1], arm[0]])
        mobility = np.eye(2) / mass + np.outer(turn, turn) / inertia
        before = np.array([speed, -1.0])
        stick = np.linalg.solve(mobility, np.array([-speed, 2.0]))
        found = [stick] if abs(stick[0]) <= friction * stick[1] else []
        for side in (-1.0, 1.0):
            slides = np.array([side * friction, 1.0])
            slides = slides * 2.0 / (mobility[1] @ slides)
            if slides[1] > 0 and side * (before + mobility @ slides)[0] <= 0:
                found.append(slides)
        return max(push @ (before + mobility @ push / 2) for push in found)

    by_law = np.array([[created(angle, speed) for speed in speeds] for angle in angles])
    assert np.max(by_law) > 1e-3
    np.testing.assert_allclose(ratio[by_law > 1e-6], 1.0, atol=1e-12)


# Derivatives.


@pytest.mark.long
@pytest.mark.slow
def test_derivatives_of_a_cube_that_lands_on_an_edge_are_those_of_differences():
    """Of the compliant method, also across the plane of symmetry."""

    def end(tilt: jax.Array, roll: jax.Array, speed: jax.Array) -> jax.Array:
        scene = jc.Scene(bodies=CUBE, contact=contact("soft", 0.5, 0.3))
        turn = jnp.stack([jnp.cos(tilt / 2), roll, jnp.sin(tilt / 2), 0.0 * roll])
        begin = jc.State(
            jnp.array([0.0, 0.0, 0.075]),
            jnp.stack([0.5 + 0.0 * speed, 0.0 * speed, -speed]),
            jnp.array([0.0, 3.0, 0.0]),
            turn / jnp.linalg.norm(turn),
        )
        # At the tie of both touch-downs the derivative is that of one order of them: it differs by
        # the error of the integration, 2e-6 at the usual step.
        method = jc.EventAligned(
            max_contacts=3, sustained_steps=0, max_steps=1600, graded_step=0.015
        )
        found = jc.simulate(scene, begin, jnp.array([0.0, 0.012]), method=method)
        return jnp.concatenate([found.velocity[-1], 0.05 * found.spin[-1]])

    at = (jnp.radians(20.0), jnp.asarray(0.0), jnp.asarray(1.5))
    along = jax.jit(lambda point, direction: jax.jvp(end, point, direction))
    for which in range(3):
        direction = tuple(jnp.asarray(float(which == other)) for other in range(3))
        slope = along(at, direction)[1]
        near, far = (
            (
                along(tuple(a + h * d for a, d in zip(at, direction, strict=True)), direction)[0]
                - along(tuple(a - h * d for a, d in zip(at, direction, strict=True)), direction)[0]
            )
            / (2 * h)
            for h in (1e-5, 2e-5)
        )
        np.testing.assert_allclose(
            slope, (4 * near - far) / 3, rtol=0, atol=1e-6 * np.max(np.abs(slope))
        )


STEEP = {
    "Tsuji": jc.TsujiDashpot(stiffness=1e7, restitution=0.7),
    "Tsuji to zero force": jc.TsujiDashpot(stiffness=1e7, restitution=0.7, end="zero_force"),
    "Kuwabara and Kono": jc.KuwabaraKono(stiffness=1e7, dissipation_time=2e-6),
}


@pytest.mark.slow
@pytest.mark.parametrize("law", STEEP)
def test_derivatives_of_a_ball_that_touches_both_sides_of_a_groove_at_once(law):
    """Whose damping rises like a root of the overlap: it has no derivative where a contact begins.

    The sides are at right angles, so the ball meets each as if it were alone: it leaves with
    ``-e`` times the velocity towards it, and its place changes by ``-e`` times what its start does.
    At the same instant, or one after the other by less than a step.
    """
    normal, radius, mass = STEEP[law], 0.01, 0.01
    sides = tuple(jc.Plane(normal=(x, 0.0, 1.0)) for x in (-1.0, 1.0))

    def end(aside: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        scene = jc.Scene(
            bodies=jc.spheres(radius=radius, mass=mass),
            surfaces=sides,
            contact=jc.ContactModel(normal=normal),
            gravity=(0.0, 0.0, 0.0),
        )
        begin = jc.state(
            position=jnp.stack([aside, 0.0 * aside, 1.5 * radius + 0.0 * aside]),
            velocity=(0.0, 0.0, -1.0),
        )
        method = jc.EventAligned(max_contacts=2, sustained_steps=0, max_steps=700)
        found = jc.simulate(scene, begin, jnp.array([0.0, 0.01]), method=method, strict=False)
        motion = jnp.stack([found.position[-1], radius * found.velocity[-1]])
        return motion, (found.velocity[-1], found.status)

    along = jax.jit(lambda aside: jax.jvp(end, (aside,), (1.0,), has_aux=True))
    restitution = normal.restitution_at(np.sqrt(0.5), mass=mass)
    expected = np.array([[-restitution, 0.0, 0.0], [0.0, 0.0, 0.0]])
    for aside in (0.0, 1e-13, 1e-10, 1e-8, 1e-6):
        _, slope, (velocity, status) = along(aside)
        assert jc.Status(int(status)) == jc.Status.SUCCESS
        np.testing.assert_allclose(velocity, [0.0, 0.0, restitution], atol=1e-6)
        np.testing.assert_allclose(slope, expected, atol=3e-4)


@pytest.mark.slow
def test_balls_that_part_where_they_touched_do_not_touch_again_by_rounding():
    """A ball falls between two that touch, and drives them apart: steps are short there."""
    bodies = jc.spheres(radius=0.01 * jnp.ones(3), mass=0.01 * jnp.ones(3))
    contact = jc.ContactModel(normal=STEEP["Tsuji"])
    scene = jc.Scene(bodies=bodies, surfaces=(), contact=contact, gravity=(0.0, 0.0, 0.0))
    position = jnp.array([[-0.01, 0.0, 0.0], [0.01, 0.0, 0.0], [0.0, 0.0, 0.018]])
    velocity = jnp.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    method = jc.EventAligned(max_contacts=4, sustained_steps=0, max_steps=700)

    @jax.jit
    def end(aside):
        begin = jc.State(position.at[2, 0].add(aside), velocity, jnp.zeros((3, 3)))
        return jc.simulate(scene, begin, jnp.array([0.0, 0.002]), method=method, strict=False)

    for aside in (0.0, 1e-13, 1e-10):
        motion = end(aside)
        assert motion.status == jc.Status.SUCCESS
        momentum = jnp.sum(motion.velocity[-1], axis=0)
        np.testing.assert_allclose(momentum, [0.0, 0.0, -1.0], atol=1e-9)


@pytest.mark.long
@pytest.mark.slow
def test_simultaneous_rigid_impacts_have_the_derivative_along_which_they_stay_simultaneous():
    def height(fall: jax.Array) -> jax.Array:
        scene = jc.Scene(bodies=CUBE, contact=contact("rigid", 0.5, 0.3))
        begin = jc.state(position=jnp.stack([0.0 * fall, 0.0 * fall, 0.05 + fall]))
        method = jc.Impulse(max_contacts=4, sustained_steps=0, max_steps=200)
        return jc.simulate(scene, begin, jnp.array([0.0, 0.25]), method=method).position[-1, 2]

    fall, gravity, time = 0.1, 9.81, 0.25

    def exact(fall: float) -> float:
        left = time - np.sqrt(2 * fall / gravity)
        return 0.05 + 0.5 * np.sqrt(2 * gravity * fall) * left - gravity / 2 * left**2

    value, found = jax.jit(jax.value_and_grad(height))(fall)
    assert value == pytest.approx(exact(fall), abs=1e-12)
    assert found == pytest.approx((exact(fall + 1e-6) - exact(fall - 1e-6)) / 2e-6, rel=1e-7)
