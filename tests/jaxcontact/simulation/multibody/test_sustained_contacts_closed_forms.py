"""Sustained contacts on curved, several and moving surfaces, against closed forms of mechanics.

Where friction holds, a ball that rolls moves like a point under 5/7 of its weight; where there is
none, like a point. Every scene of one structure is compiled once: geometry, coefficients and
initial state are numbers.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipj

import jaxcontact as jc

G = 9.81
RADIUS, MASS = 0.02, 0.03
ROLLING = 7 / 5
"""Inertia of a ball that rolls over that of a ball that slides."""


def contact(friction, stiffness=1e9) -> jc.ContactModel:
    return jc.ContactModel(
        normal=jc.HuntCrossley(stiffness=stiffness, restitution=0.5),
        friction=jc.RegularizedCoulomb(coefficient=friction, slip_velocity=1e-7),
    )


def method(**changes) -> jc.EventAligned:
    return jc.EventAligned(**{"max_contacts": 8, "sustained_steps": 400, **changes})


def spheres(count: int = 1) -> jc.Spheres:
    return (
        jc.spheres(radius=np.full(count, RADIUS), mass=MASS)
        if count > 1
        else jc.spheres(radius=RADIUS, mass=MASS)
    )


# In a bowl: a pendulum, whose motion is an elliptic function.

BOWL = 0.3
LENGTH = BOWL - RADIUS
RIGID = 1e14
"""Stiffness of which the overlap does not lengthen the pendulum."""


@functools.cache
def in_bowl(shape: str):
    surface = {
        "sphere": jc.Sphere(center=(0.0, 0.0, 0.0), radius=BOWL, hollow=True),
        "cylinder": jc.Cylinder(
            start=(0.0, -1.0, 0.0), end=(0.0, 1.0, 0.0), radius=BOWL, hollow=True
        ),
    }[shape]

    def run(friction, angle, times) -> jc.Trajectory:
        scene = jc.Scene(bodies=spheres(), surfaces=(surface,), contact=contact(friction, RIGID))
        start = jc.state(
            position=LENGTH * jnp.stack([jnp.sin(angle), 0.0 * angle, -jnp.cos(angle)])
        )
        return jc.simulate(scene, start, times, method=jc.EventAligned(max_contacts=8), ledger=True)

    return jax.jit(run)


def pendulum(angle: float, times: np.ndarray, *, inertia: float) -> np.ndarray:
    """Angle of a pendulum released at rest."""
    modulus = np.sin(angle / 2) ** 2
    _, cosine, delta, _ = ellipj(np.sqrt(G / (inertia * LENGTH)) * times, modulus)
    return 2 * np.arcsin(np.sqrt(modulus) * cosine / delta)


@pytest.mark.long
@pytest.mark.parametrize("shape", ["sphere", pytest.param("cylinder", marks=pytest.mark.long)])
@pytest.mark.parametrize("friction", [1.0, 0.0])
def test_a_ball_in_a_bowl_swings_like_a_pendulum_however_long(shape, friction):
    """To a millionth of the swing, or with a status that says that it does not."""
    for angle, whole in ((0.02, 2.0), (0.7, 2.0), (0.7, 10.0), (0.7, 40.0)):
        times = np.linspace(0.0, whole, 17)
        found = in_bowl(shape)(friction, angle, times)
        succeeds = found.status == jc.Status.CAME_TO_REST
        assert succeeds == (whole <= 10.0)
        if not succeeds:
            continue
        wanted = pendulum(angle, times, inertia=ROLLING if friction else 1.0)
        np.testing.assert_allclose(
            np.arctan2(found.position[:, 0], -found.position[:, 2]), wanted, atol=1e-6 * angle
        )
        np.testing.assert_allclose(
            np.hypot(found.position[:, 0], found.position[:, 2]), LENGTH, rtol=1e-7
        )
        assert found.ledger.imbalance < 1e-8
    # Nothing of it depends on when the simulation ends.
    earlier, later = (
        in_bowl(shape)(friction, 0.7, np.append(np.linspace(0.0, 1.9, 16), last)).position[:-1]
        for last in (2.0, 7.0)
    )
    np.testing.assert_allclose(earlier, later, rtol=0, atol=1e-13)


def sliding(friction: float, angle: float, times: np.ndarray) -> np.ndarray:
    """Angle of a ball that always slides, released at rest: the slip turns round, but never stays
    zero.
    """

    def rates(_, now, sign):
        at, rate, _ = now
        force = -sign * friction * (G * np.cos(at) + LENGTH * rate**2)
        return rate, (force - G * np.sin(at)) / LENGTH, -2.5 * force

    def slip(_, now, sign):
        return LENGTH * now[1] - now[2]

    slip.terminal = True
    begin, now, sign, found = 0.0, (angle, 0.0, 0.0), -1.0, np.full(len(times), angle)
    while begin < times[-1]:
        slip.direction = -sign
        part = solve_ivp(
            rates, (begin, times[-1]), now, "DOP853", rtol=1e-12, atol=1e-14,
            events=slip, args=(sign,), dense_output=True,
        )  # fmt: skip
        within = (times > begin) & (times <= part.t[-1])
        found[within] = part.sol(times[within])[0]
        begin, now, sign = part.t[-1], part.y[:, -1], -sign
    return found


@pytest.mark.long
def test_a_slip_that_turns_round_within_a_step_is_seen():
    """In the first or last piece of a step, it was not."""
    times = np.linspace(0.0, 2.0, 17)
    for angle in (0.68, 0.69, 0.7):
        found = in_bowl("sphere")(0.05, angle, times)
        assert found.status == jc.Status.CAME_TO_REST
        np.testing.assert_allclose(
            np.arctan2(found.position[:, 0], -found.position[:, 2]),
            sliding(0.05, angle, times),
            atol=1e-6 * angle,
        )


def differences(function, at: float, step: float) -> np.ndarray:
    """Slope, of fourth order."""
    near, far = (function(at + k * step) - function(at - k * step) for k in (1, 2))
    return (8 * near - far) / (12 * step)


@pytest.mark.long
@pytest.mark.slow
def test_a_slip_that_turns_round_has_the_derivative_of_its_time():
    """It was silently wrong by up to 6 % however short the steps."""
    times = np.linspace(0.0, 2.0, 17)

    def angle_of(friction, slip_velocity):
        law = jc.RegularizedCoulomb(coefficient=friction, slip_velocity=slip_velocity)
        scene = jc.Scene(
            bodies=spheres(),
            surfaces=(jc.Sphere(center=(0.0, 0.0, 0.0), radius=BOWL, hollow=True),),
            contact=contact(friction, RIGID).replace(friction=law),
        )
        start = jc.state(position=LENGTH * jnp.stack([jnp.sin(0.7), 0.0, -jnp.cos(0.7)]))
        found = jc.simulate(scene, start, times, method=jc.EventAligned(max_contacts=8))
        return jnp.arctan2(found.position[:, 0], -found.position[:, 2])

    along = jax.jit(lambda mu, v: jax.jvp(lambda mu: angle_of(mu, v), (mu,), (1.0,)))
    wanted = differences(lambda mu: sliding(mu, 0.7, times), 0.05, 1e-4)
    for slip_velocity, within in ((1e-9, 1e-6), (1e-7, 1e-5)):
        angle, slope = along(0.05, slip_velocity)
        np.testing.assert_allclose(angle, sliding(0.05, 0.7, times), atol=1e-7)
        np.testing.assert_allclose(slope, wanted, atol=within * np.max(np.abs(wanted)))


# On a ball: it lifts off where the weight no longer holds it on its circle.

BALL = 0.1
REACH = BALL + RADIUS


@functools.cache
def on_ball():
    def run(friction, angle, times) -> jc.Trajectory:
        scene = jc.Scene(
            bodies=spheres(),
            surfaces=(jc.Sphere(center=(0.0, 0.0, 0.0), radius=BALL),),
            contact=contact(friction),
        )
        start = jc.state(position=REACH * jnp.stack([jnp.sin(angle), 0.0 * angle, jnp.cos(angle)]))
        return jc.simulate(scene, start, times, method=method(), ledger=True)

    return jax.jit(run)


def fallen_off(start: float, end: float, *, inertia: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Time [s], position and velocity in the plane of motion at lift-off."""

    def speed(angle: float) -> float:
        return np.sqrt(2 * G * REACH * (np.cos(start) - np.cos(angle)) / inertia)

    # The speed begins like a root: in its square, the integrand is smooth.
    time = quad(
        lambda s: 2 * s * REACH / speed(start + s * s), 0.0, np.sqrt(end - start), epsabs=1e-12
    )[0]
    position = REACH * np.array([np.sin(end), np.cos(end)])
    return time, position, speed(end) * np.array([np.cos(end), -np.sin(end)])


@pytest.mark.long("slides", "rolls")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("friction", "cosine", "inertia", "within"),
    [
        (0.0, 2 / 3, 1.0, 1e-4),
        (100.0, 10 / 17, ROLLING, 1e-3),  # so rough that it slides in the last instant only
    ],
    ids=["slides", "rolls"],
)
def test_a_ball_falls_off_a_ball_where_the_textbook_says(friction, cosine, inertia, within):
    """At ``cos = 2/3`` of that of the start, or ``10/17`` where it rolls."""
    start = 0.2
    time, position, velocity = fallen_off(start, np.arccos(cosine * np.cos(start)), inertia=inertia)
    times = np.array([0.0, 0.5 * time, time, time + 0.03, time + 0.06])
    found = on_ball()(friction, start, times)
    flown = (times[2:] - time)[:, None]
    gravity = np.array([0.0, -G])
    np.testing.assert_allclose(
        found.position[2:, [0, 2]],
        position + velocity * flown + gravity * flown**2 / 2,
        atol=within * REACH,
    )
    np.testing.assert_allclose(
        found.velocity[2:, [0, 2]], velocity + gravity * flown, atol=2 * within
    )
    assert np.hypot(*found.position[1, [0, 2]]) < REACH
    assert found.ledger.imbalance < 1e-6


# In a groove of two planes that meet in a line.

SOFT = 1e6
"""Stiffness at which an overlap, and with it the load, is seen."""


def load_of(overlap) -> np.ndarray:
    """Of a contact of the stiffness ``SOFT``, at rest."""
    return SOFT * np.maximum(np.asarray(overlap), 0.0) ** 1.5


@functools.cache
def in_groove():
    def run(friction, sides, slope, stiffness, times) -> tuple[jc.Trajectory, jax.Array]:
        """``sides`` are the angles of the two planes to the ground, ``slope`` that of the
        groove.
        """
        left, right = jnp.stack([jnp.sin(sides), 0.0 * sides, jnp.cos(sides)], axis=-1) * jnp.array(
            [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]]
        )
        gravity = G * jnp.stack([0.0 * slope, jnp.sin(slope), -jnp.cos(slope)])
        scene = jc.Scene(
            bodies=spheres(),
            surfaces=(jc.Plane(normal=left), jc.Plane(normal=right)),
            contact=contact(friction, stiffness),
            gravity=gravity,
        )
        touching = jnp.linalg.solve(
            jnp.stack([left, right, jnp.array([0.0, 1.0, 0.0])]), jnp.array([RADIUS, RADIUS, 0.0])
        )
        found = jc.simulate(scene, jc.state(position=touching), times, method=method(), ledger=True)
        return found, RADIUS - found.position @ jnp.stack([left, right]).T

    return jax.jit(run)


@pytest.mark.long
@pytest.mark.parametrize("sides", [(np.pi / 4, np.pi / 4), (1.2, 1.2), (0.3, 0.9)])
def test_the_sides_of_a_groove_share_the_weight(sides):
    """``N = W sin(other)/sin(sum)``, which is ``W/(2 cos)`` where both are as steep."""
    _, overlap = in_groove()(0.0, np.array(sides), 0.0, SOFT, np.linspace(0.0, 1.0, 5))
    wanted = MASS * G * np.sin(sides[::-1]) / np.sin(sum(sides))
    np.testing.assert_allclose(load_of(overlap[-1]), wanted, rtol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("side", [0.3, np.pi / 4, 1.0])
def test_a_ball_rolls_in_a_groove_on_a_smaller_radius(side):
    """``a = g sin(slope)/(1 + 2/(5 cos(side)^2))``: the faster it turns, the more of the fall is in
    the spin.
    """
    slope, times = 0.2, np.linspace(0.0, 1.0, 5)
    found, _ = in_groove()(1.0, np.array([side, side]), slope, 1e9, times)
    acceleration = G * np.sin(slope) / (1 + 0.4 / np.cos(side) ** 2)
    np.testing.assert_allclose(found.velocity[:, 1], acceleration * times, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(
        found.position[:, 1], acceleration * times**2 / 2, rtol=1e-5, atol=1e-8
    )
    np.testing.assert_allclose(
        -found.spin[1:, 0] * RADIUS * np.cos(side), found.velocity[1:, 1], rtol=1e-5
    )


@pytest.mark.long
@pytest.mark.parametrize("normal", [(-1.0, 0.0, 0.0), (-0.6, 0.0, 0.8)], ids=["wall", "slope"])
def test_a_ball_that_rolls_on_the_floor_does_not_roll_through_the_next_plane(normal):
    scene = jc.Scene(
        bodies=spheres(),
        surfaces=(jc.Plane(), jc.Plane(normal=normal, offset=-0.3)),
        contact=contact(0.3),
    )
    found = jc.simulate(
        scene,
        jc.state(position=(0.0, 0.0, RADIUS), velocity=(1.0, 0.0, 0.0)),
        np.linspace(0.0, 1.0, 5),
    )
    assert np.all(found.position @ np.array(normal) + 0.3 > RADIUS - 1e-4)


# Two balls in a box that is too narrow for them to lie side by side.


@functools.cache
def in_box():
    def run(width, times) -> jax.Array:
        surfaces = (
            jc.Plane(),
            jc.Plane(normal=(1.0, 0.0, 0.0)),
            jc.Plane(normal=(-1.0, 0.0, 0.0), offset=-width),
        )
        across = width - 2 * RADIUS
        up = jnp.sqrt(4 * RADIUS**2 - across**2)
        zero = jnp.zeros_like(width)
        start = jnp.stack(
            [
                jnp.stack([zero + RADIUS, zero, zero + RADIUS]),
                jnp.stack([width - RADIUS, zero, RADIUS + up]),
            ]
        )
        scene = jc.Scene(bodies=spheres(2), surfaces=surfaces, contact=contact(0.0, SOFT))
        (lower, upper) = jc.simulate(
            scene, jc.state(position=start), times, method=method()
        ).position[-1]
        between = 2 * RADIUS - jnp.linalg.norm(upper - lower)
        return jnp.stack(
            [RADIUS - lower[2], RADIUS - lower[0], RADIUS - (width - upper[0]), between]
        )

    return jax.jit(run)


@pytest.mark.long
@pytest.mark.slow
def test_two_balls_in_a_box_press_on_its_walls():
    """The floor carries both; with the line of centres at ``a`` to the vertical, walls carry ``W
    tan(a)`` and the balls ``W/cos(a)``.
    """
    for width in (2.6 * RADIUS, 3.4 * RADIUS):
        angle = np.arcsin((width - 2 * RADIUS) / (2 * RADIUS))
        weight = MASS * G
        wanted = [
            2 * weight,
            weight * np.tan(angle),
            weight * np.tan(angle),
            weight / np.cos(angle),
        ]
        found = load_of(in_box()(width, np.linspace(0.0, 1.0, 3)))
        # The line of centres turns a little while the contacts give way.
        np.testing.assert_allclose(found, wanted, rtol=2e-2)


# On a plate that moves.


@functools.cache
def on_plate():
    def run(
        friction, stiffness, plate: jc.PrescribedMotion, position, velocity, spin, times
    ) -> jc.Trajectory:
        scene = jc.Scene(
            bodies=spheres(),
            surfaces=(jc.Plane(motion=plate),),
            contact=contact(friction, stiffness),
        )
        return jc.simulate(
            scene,
            jc.state(position=position, velocity=velocity, spin=spin),
            times,
            method=method(),
            ledger=True,
        )

    return jax.jit(run)


def carried(
    times,
    *,
    plate,
    position=(0.0, 0.0),
    velocity=(0.0, 0.0, 0.0),
    spin=(0.0, 0.0, 0.0),
    friction=1.0,
    stiffness=1e9,
):
    """Starts on a plate that moves as ``plate`` says; nine times, so that all share the compiled
    code.
    """
    assert len(times) == 9
    still = {
        field.name: jnp.asarray(getattr(jc.PrescribedMotion(), field.name), float)
        for field in dataclasses.fields(jc.PrescribedMotion)
    }
    moving = jc.PrescribedMotion(
        **{**still, **{name: jnp.asarray(value, float) for name, value in plate.items()}}
    )
    start = (jnp.array(value, float) for value in ((*position, RADIUS), velocity, spin))
    return on_plate()(friction, stiffness, moving, *start, times)


@pytest.mark.long
@pytest.mark.slow
def test_a_ball_on_a_belt_slides_until_it_rolls_with_two_sevenths_of_its_speed():
    speed, friction = 1.0, 0.1
    rolls = 2 * speed / (7 * friction * G)
    times = np.linspace(0.0, 2.0 * rolls, 9)
    found = carried(times, friction=friction, plate={"velocity": (speed, 0.0, 0.0)})
    np.testing.assert_allclose(
        found.velocity[:, 0], np.minimum(friction * G * times, 2 / 7 * speed), rtol=1e-5, atol=1e-8
    )
    slid = np.minimum(times, rolls)
    wanted = friction * G * slid**2 / 2 + 2 / 7 * speed * (times - slid)
    np.testing.assert_allclose(found.position[:, 0], wanted, atol=1e-6)
    assert found.ledger.imbalance < 1e-9


@pytest.mark.long
def test_a_ball_on_a_shaken_plate_follows_with_two_sevenths_of_its_motion():
    times, amplitude, frequency = np.linspace(0.0, 1.0, 9), 0.05, 2.0
    found = carried(
        times,
        plate={"amplitude": (amplitude, 0.0, 0.0), "frequency": frequency, "phase": np.pi / 2},
    )
    moved = amplitude * (np.cos(2 * np.pi * frequency * times) - 1.0)
    np.testing.assert_allclose(found.position[:, 0], 2 / 7 * moved, atol=2e-4 * amplitude)


@pytest.mark.long
def test_a_ball_on_a_turntable_goes_round_in_two_sevenths_of_its_time():
    """In a circle anywhere on the table, ``v = 2/7 Omega x (r - centre)`` (Earnshaw; Burns, Am. J.
    Phys. 49 (1981) 56).
    """
    turning, speed, place = 3.0, 0.2, np.array([0.1, 0.0])
    times = np.linspace(0.0, 2 * np.pi / (2 / 7 * turning), 9)
    # Rolls at the start: the velocity of its lowest point, v + R (-spin_y, spin_x, 0), is that of
    # the table.
    table = turning * np.array([-place[1], place[0]])
    spin = np.array([table[1], speed - table[0], 0.0]) / RADIUS
    found = carried(
        times,
        position=place,
        velocity=(speed, 0.0, 0.0),
        spin=spin,
        plate={"angular_velocity": (0.0, 0.0, turning)},
    )
    rate = 2 / 7 * turning
    centre = place + np.array([0.0, speed / rate])
    wanted = centre + speed / rate * np.stack(
        [np.sin(rate * times), -np.cos(rate * times)], axis=-1
    )
    np.testing.assert_allclose(found.position[:, :2], wanted, atol=1e-3 * speed / rate)


@pytest.mark.long
def test_a_ball_rides_on_a_plate_and_leaves_it_where_the_plate_falls_faster():
    amplitude, frequency = 0.01, 6.0
    omega = 2 * np.pi * frequency
    leaves = np.arcsin(G / (amplitude * omega**2)) / omega
    times = np.concatenate(
        [np.linspace(0.0, 1.0, 5) * leaves, leaves + np.linspace(0.005, 0.02, 4)]
    )
    shaken = {
        "plate": {"amplitude": (0.0, 0.0, amplitude), "frequency": frequency},
        "velocity": (0.0, 0.0, amplitude * omega),
    }
    found = carried(times, **shaken)
    flown = np.maximum(times - leaves, 0.0)
    ridden = np.minimum(times, leaves)
    height = (
        amplitude * np.sin(omega * ridden)
        + amplitude * omega * np.cos(omega * leaves) * flown
        - G * flown**2 / 2
    )
    np.testing.assert_allclose(found.position[:, 2] - RADIUS, height, atol=5e-6)
    load = MASS * (G - amplitude * omega**2 * np.sin(omega * times[2]))
    soft = carried(times, stiffness=SOFT, **shaken)
    overlap = RADIUS + amplitude * np.sin(omega * times[2]) - soft.position[2, 2]
    assert load_of(overlap) == pytest.approx(load, rel=2e-2)
