"""Sustained contact: a sphere that has stopped bouncing slides, sticks or rolls on its plane.

The normal force is quasi-static (it balances gravity and fluid), so the cost does not depend on the
stiffness of the contact. Nor does it depend on how stiff friction is. On a level plane the slip
keeps its direction, and time and distance are integrals over its logarithm. Where gravity or a
fluid pulls along the plane, steps of a stiff method follow what friction leaves of that.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.vectors import cross
from jaxcontact.laws.core.friction_interfaces import SlipFriction
from jaxcontact.laws.friction.coulomb import RegularizedCoulomb
from jaxcontact.numerics.interpolation import Segments, accumulated, displacement
from jaxcontact.numerics.rosenbrock import rosenbrock_step
from jaxcontact.numerics.smooth import positive_part, safe_norm
from jaxcontact.parameters import put
from jaxcontact.scene.scene import Scene
from jaxcontact.simulation.core.lanes import anywhere
from jaxcontact.simulation.single_sphere.flight import SphereMotion
from jaxcontact.simulation.single_sphere.tangential_path import (
    after_friction,
    after_slip_change,
    slip_velocity,
    split,
)

LEAST_SLIP = 1e-13
"""Share of the first slip below which it counts as none, on a level plane."""

ENOUGH = 24
"""Pieces in which a slip that fades is followed."""

BEYOND = 50.0
"""Friction that takes longer than this many horizons to slow the sphere counts as that slow."""

RIGID = 1e-8
"""Slip velocity that regularises rigid friction, and the least slip over which any rises, in units
of the speeds of the motion.
"""

STEEPEST = 1e-8
"""Rise over which none is seen to happen, in units of ``RIGID``."""

STICKS = 0.1
"""Error of a step in units of the slip over which friction rises: more would tear a sticking
contact loose.
"""

SHARE, SAFETY, SMALLEST, LARGEST = 0.1, 0.9, 0.2, 6.0
"""Error of a step in units of the accuracy, and how much shorter or longer the next one may be."""

FIRST = 1e-7
"""First step that is tried, as a share of the time: at no slip friction looks as if it held
anything, and a long step would believe it.
"""

SEARCH = 6
"""Attempts for each of the steps in which the motion has to be followed."""


class Landed(NamedTuple):
    """A sphere on a plane of unit ``normal``: velocity along it [m/s], spin [rad/s], and the time
    that is left [s].
    """

    normal: jax.Array
    tangential: jax.Array
    spin: jax.Array
    horizon: jax.Array


class Sliding(NamedTuple):
    """Motion along the plane at the ends of its pieces, ``(pieces + 1, 3)``; times since the start
    [s], displacements [m]; ``reached`` says whether the last is not before the horizon.
    """

    time: jax.Array
    displacement: jax.Array
    velocity: jax.Array
    acceleration: jax.Array
    spin: jax.Array
    spin_rate: jax.Array
    reached: jax.Array


def static_overlap(scene: Scene, load: jax.Array) -> jax.Array:
    """Overlap under the normal force ``load`` [N]; zero for a rigid law."""
    return scene.contact.normal.static_overlap(load)


def pressed(
    scene: Scene, normal: jax.Array, tangential: jax.Array, spin: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Accelerations by gravity and fluid [m/s^2]: into the plane, and along it."""
    outside, sideways = split(scene.acceleration(tangential, spin), normal)
    return positive_part(-outside), sideways


def with_force(scene: Scene, scale: jax.Array) -> Scene:
    """The scene with a friction that has a force: rigid friction has it at every slip that counts,
    with ``scale`` the speeds of the motion [m/s].
    """
    friction = scene.contact.impulse_friction
    if isinstance(friction, SlipFriction):
        return scene
    steep = RegularizedCoulomb(coefficient=friction.coefficient, slip_velocity=RIGID * scale)
    return put(scene, "contact.friction", steep)


def slip_of_rise(scene: Scene, scale: jax.Array) -> jax.Array:
    """Slip over which friction would rise to what it is at a slip of ``scale``, at the rate at
    which it begins [m/s].
    """
    along = jnp.eye(3, dtype=scale.dtype)[0]

    def force(slip: jax.Array) -> jax.Array:
        return -scene.contact.slip_friction.force(slip * along, 1.0)[0]

    _, slope = jax.jvp(force, (jnp.zeros_like(scale),), (jnp.ones_like(scale),))
    return jnp.where(slope > 0, force(scale) / jnp.where(slope > 0, slope, 1.0), jnp.inf)


def fading_slip(scene: Scene, start: Landed, *, pieces: int, accuracy: float) -> Sliding:
    """Nothing pulls along the plane: the slip falls to ``LEAST_SLIP`` of itself in ``pieces``, each
    by the same factor, and stays there in a last one.

    With ``r`` the rate at which friction makes the logarithm of the slip ``s`` fall, ``t`` is the
    integral of ``d(ln s)/r``, and the distance slipped that of ``s d(ln s)/r``.
    """
    normal, tangential, spin, horizon = start
    bodies = scene.bodies
    load, _ = pressed(scene, normal, tangential, spin)
    slip = slip_velocity(scene, tangential, spin, normal)
    span = -np.log(max(LEAST_SLIP, 1e-3 * float(jnp.finfo(slip.dtype).eps))) / pieces
    points, weights = np.polynomial.legendre.leggauss(8)
    depth = span * (np.arange(pieces)[:, None] + (points + 1) / 2)
    weights = span / 2 * weights
    # The rate at no slip is that at the least one: a direction is needed there, and any will do.
    size = safe_norm(slip)
    least = jnp.finfo(size.dtype).tiny ** 0.2
    some = size > least
    along = jnp.where(some, slip, least * jnp.eye(3, dtype=slip.dtype)[0])
    largest = jnp.where(some, size, least)
    scaled = with_force(scene, largest)

    def rate(depth: Any) -> jax.Array:
        left = jnp.asarray(np.exp(-depth), dtype=slip.dtype)
        force = scaled.contact.slip_friction.force(left[..., None] * along, bodies.mass * load)
        # Not over the square of the slip, nor over its product with what is left of it: these, or
        # their squares in the derivative, may be too small for a number.
        return -(force @ (along / largest)) / largest / (bodies.tangential_mass * left)

    slowest = 1 / (BEYOND * jnp.where(horizon > 0, horizon, 1.0))
    shares = 1 / jnp.maximum(rate(depth), slowest)
    time = accumulated(shares @ weights)
    slipped = accumulated((shares * np.exp(-depth)) @ weights)[:, None] * slip
    left = np.exp(-span * np.arange(pieces + 1))
    velocity, spins = after_slip_change(
        scene, tangential, spin, normal, jnp.asarray(left - 1, slip.dtype)[:, None] * slip
    )
    slowing = (-rate(span * np.arange(pieces + 1)) * left)[:, None] * slip
    acceleration, spin_rate = after_slip_change(scene, jnp.zeros(3), jnp.zeros(3), normal, slowing)
    # all of the way that a lasting slip would have gone, and what friction changes of it
    moved, _ = after_slip_change(
        scene, time[:, None] * tangential, spin, normal, slipped - time[:, None] * slip
    )
    last = jnp.maximum(horizon, time[-1]) - time[-1]

    def stays(column: jax.Array, more: jax.Array) -> jax.Array:
        return jnp.concatenate([column, (column[-1] + more)[None]])

    still = jnp.zeros_like(slip)
    speeds = safe_norm(tangential) + bodies.radius * safe_norm(spin)
    return Sliding(
        stays(time, last),
        stays(moved, last * velocity[-1]),
        stays(velocity, still),
        stays(acceleration.at[-1].set(0.0), still),
        stays(spins, still),
        stays(spin_rate.at[-1].set(0.0), still),
        jnp.asarray(pieces >= ENOUGH) | jax.lax.stop_gradient(size <= accuracy * speeds),
    )


def not_followed(start: Landed) -> Sliding:
    """What stands for a sliding that is not expected: a motion without friction."""
    both, spins = (jnp.stack([vector, vector]) for vector in (start.tangential, start.spin))
    still = jnp.zeros_like(both)
    time = jnp.stack([jnp.zeros_like(start.horizon), start.horizon])
    return Sliding(time, time[:, None] * both, both, still, spins, still, jnp.asarray(False))


def driven_slip(scene: Scene, start: Landed, *, pieces: int, accuracy: float) -> Sliding:
    """Gravity or a fluid pulls along the plane: ``pieces`` steps of a stiff method, whose lengths
    are found without derivatives.
    """
    normal, tangential, spin, horizon = start
    radius = scene.bodies.radius
    _, kick = pressed(scene, normal, tangential, spin)
    speeds = jnp.stack([safe_norm(tangential), radius * safe_norm(spin), safe_norm(kick) * horizon])
    scale = jax.lax.stop_gradient(jnp.max(speeds))
    scale = jnp.where(scale > 0, scale, 1.0)
    rise = jax.lax.stop_gradient(slip_of_rise(with_force(scene, scale), scale))
    steep = RIGID * scale
    slower = jnp.clip(rise / steep, STEEPEST, 1.0)
    begin = jnp.concatenate([tangential, radius * spin])

    def rates(scene: Scene, normal: jax.Array, state: jax.Array) -> jax.Array:
        """Accelerations of the centre and of the surface by the spin."""
        bodies, friction = scene.bodies, with_force(scene, scale).contact.slip_friction
        velocity, spin = state[:3], state[3:] / bodies.radius
        load, kick = pressed(scene, normal, velocity, spin)
        slip = slip_velocity(scene, velocity, spin, normal)
        # Friction that rises over less than rounding resolves rises over a slip that counts.
        # In units of that: the fourth power of its size is too small for single precision.
        relative = slip / steep
        square = relative @ relative
        slip = slip * ((square + 1) / (square + 1 / slower))
        force = friction.force(slip, bodies.mass * load) / bodies.mass
        return jnp.concatenate([kick + force, -cross(normal, force) / bodies.inertia_ratio])

    frozen, up, whole, first = jax.lax.stop_gradient((scene, normal, horizon, begin))
    shares, reached = step_ends(
        lambda state: whole * rates(frozen, up, state),
        first,
        allowed=jnp.minimum(SHARE * accuracy * scale, STICKS * jnp.maximum(rise, steep)),
        pieces=pieces,
    )

    def advance(state: jax.Array, length: jax.Array) -> tuple[jax.Array, jax.Array]:
        after, _ = rosenbrock_step(partial(rates, scene, normal), state, length)
        return after, after

    _, later = jax.lax.scan(advance, begin, horizon * jnp.diff(shares))
    states = jnp.concatenate([begin[None], later])
    slopes = jax.vmap(partial(rates, scene, normal))(states)
    time, velocity, acceleration = horizon * shares, states[:, :3], slopes[:, :3]
    return Sliding(
        time,
        displacement(time, velocity, acceleration),
        velocity,
        acceleration,
        states[:, 3:] / radius,
        slopes[:, 3:] / radius,
        reached,
    )


def step_ends(
    rates: Any, start: jax.Array, *, allowed: jax.Array, pieces: int
) -> tuple[jax.Array, jax.Array]:
    """Where the steps over [0, 1] end whose errors are as ``allowed``, ``(pieces + 1,)``, and
    whether they reach 1; those that are not needed have no length.
    """

    def going(carry: tuple) -> jax.Array:
        ends, _, _, count, tries = carry
        return (ends[count] < 1) & (count < pieces) & (tries < SEARCH * pieces)

    def attempt(carry: tuple) -> tuple:
        ends, state, length, count, tries = carry
        length = jnp.minimum(length, 1 - ends[count])
        after, error = rosenbrock_step(rates, state, length)
        size = jnp.max(jnp.abs(error)) / allowed
        size = jnp.where(jnp.isfinite(size), size, jnp.inf)
        accepted = size <= 1
        end = jnp.where(length >= 1 - ends[count], 1.0, ends[count] + length)
        later = jnp.arange(pieces + 1) > count
        factor = SAFETY * jnp.maximum(size, 1e-12) ** -0.25
        return (
            jnp.where(accepted & later, end, ends),
            jnp.where(accepted, after, state),
            length * jnp.clip(factor, SMALLEST, LARGEST),
            count + accepted,
            tries + 1,
        )

    none = jnp.zeros(pieces + 1, dtype=start.dtype)
    begin = (none, start, jnp.asarray(FIRST, start.dtype), jnp.asarray(0), jnp.asarray(0))
    ends, *_ = jax.lax.while_loop(going, attempt, begin)
    return ends.at[-1].set(1.0), ends[-1] >= 1


def sustained_contact(
    scene: Scene,
    start: SphereMotion,
    normal: jax.Array,
    gap: jax.Array,
    horizon: jax.Array,
    *,
    happens: jax.Array,
    pieces: int,
    accuracy: float,
    level: bool,
) -> tuple[Segments, jax.Array]:
    """Motion from ``start`` (at touch-down) to ``horizon`` in contact with the plane of unit
    ``normal``, in about as many ``pieces``, and whether these sufficed.

    The sphere is put on the plane at its static overlap, its approach speed spent, and the friction
    of that impulse included. With ``level`` nothing pulls it along the plane.
    """
    along, tangential = split(start.velocity, normal)
    tangential, spin = after_friction(scene, tangential, start.spin, normal, positive_part(-along))
    # What rebounds in an impact does not in a sustained contact.
    friction = scene.contact.impulse_friction.in_sustained_contact()
    resting = put(scene, "contact.friction", friction)
    duration = jnp.where(happens, jnp.maximum(horizon - start.time, 0.0), 0.0)
    landed = Landed(normal, tangential, spin, duration)
    if pieces == 1 and not level:
        sliding = not_followed(landed)
    else:

        def followed() -> Sliding:
            follow = fading_slip if level else driven_slip
            return follow(resting, landed, pieces=pieces, accuracy=accuracy)

        shapes = jax.eval_shape(followed)
        sliding = jax.lax.cond(
            anywhere(happens),
            followed,
            lambda: jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes),
        )
    loads, _ = jax.vmap(lambda velocity, spin: pressed(scene, normal, velocity, spin))(
        sliding.velocity, sliding.spin
    )
    depth = gap + static_overlap(scene, scene.bodies.mass * loads)
    position = start.position + sliding.displacement - depth[:, None] * normal
    moved = sliding._replace(time=start.time + sliding.time, displacement=position)
    ends = (side for column in moved[:-1] for side in (column[:-1], column[1:]))
    return Segments(*ends), sliding.reached
