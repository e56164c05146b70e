"""Slip, tangential velocity and spin during a contact whose normal motion is known.

As a normal impulse acts, friction changes the slip in closed form (``laws.friction``), so that no
slip velocity of the regularisation is too small. Without external forces along the plane that is
all. With them, they and friction alternate in steps of three lengths, and extrapolation takes the
error away that the splitting leaves.

A contact that sticks lets go where the force fades: what the external forces add from there on is
the slip that it leaves with. The steps grow ever shorter towards this moment, to resolve it.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.vectors import cross
from jaxcontact.numerics.interpolation import ROUNDED
from jaxcontact.numerics.smooth import Real
from jaxcontact.scene.scene import Scene
from jaxcontact.simulation.core.shorter_steps import shorter_and_shorter

GRADING = 3
"""Power with which the steps grow shorter towards the end of the push."""

LINEAR, STEEPEST = 1.25, 8.0
"""Power of the time that is left, below which the force is taken to fade linearly at the end of the
push, and the largest one.
"""

STRIDES = (1, 2, 4)
"""Intervals that a step of each sweep takes."""

SPLITTINGS = ((0.0, 0.5, 1.0, 0.5), (0.5, 1.0, 0.5, 0.0))
"""Shares of a step that external forces and friction take in turn, twice each.

With friction last, a sticking contact has the little slip at the nodes that it has between them;
with the external force last, too much. So the true one lies between them, where steps are long.
"""


class TangentialPath(NamedTuple):
    """Tangential velocity and spin at the nodes of a contact, (nodes, 3) each, and the error of
    velocities at its end [m/s], as far as it is estimated.
    """

    velocity: jax.Array
    spin: jax.Array
    lack: jax.Array


class NormalHistory(NamedTuple):
    """What friction feels of the normal motion at the nodes of a contact, (nodes,) each: time since
    touch-down [s], velocity out of the plane [m/s], and the normal impulse of all pushes so far
    over the mass [m/s].
    """

    time: jax.Array
    velocity: jax.Array
    impulse: jax.Array


def split(vector: jax.Array, normal: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Component along ``normal`` (a scalar) and the vector in the plane."""
    along = vector @ normal
    return along, vector - along * normal


def slip_velocity(
    scene: Scene, tangential: jax.Array, spin: jax.Array, normal: jax.Array
) -> jax.Array:
    """Velocity of the sphere's surface at the contact, ``v_t - R spin x n`` [m/s]."""
    return tangential - scene.bodies.radius * cross(spin, normal)


def after_slip_change(
    scene: Scene, tangential: jax.Array, spin: jax.Array, normal: jax.Array, change: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Tangential velocity and spin after friction has changed the slip by ``change`` (..., 3)."""
    bodies = scene.bodies
    share = bodies.inertia_ratio / (1 + bodies.inertia_ratio)
    return tangential + share * change, spin - cross(normal, change) / (
        bodies.radius * (1 + bodies.inertia_ratio)
    )


def after_friction(
    scene: Scene, tangential: jax.Array, spin: jax.Array, normal: jax.Array, impulse: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Tangential velocity and spin after a normal ``impulse`` over the mass [m/s] has acted on a
    slipping contact, a number or (nodes,).
    """
    bodies = scene.bodies
    slip = slip_velocity(scene, tangential, spin, normal)
    after = scene.contact.impulse_friction.slip_after(
        slip, impulse * bodies.mass / bodies.tangential_mass
    )
    after = jnp.broadcast_to(after, (*jnp.shape(impulse), 3))  # a frictionless one is one for all
    return after_slip_change(scene, tangential, spin, normal, after - slip)


def pushes(
    impulse: jax.Array, duration: jax.Array, force_before: jax.Array, force_after: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Impulse of the part of a contact force that pushes, over intervals with given total impulse
    and forces at both ends, and the share of the duration that it takes.

    A pull carries no friction. Where the force changes from push to pull, it is the parabola with
    these ends and this impulse: an error of fourth order in the duration.
    """
    turns = (force_before > 0) & (force_after < 0)
    pulls = (force_before <= 0) & (force_after < 0)
    # f(x) = before + slope x + bend x^2 over 0 < x < 1; its only root there, without cancellation
    before, after = jnp.where(turns, force_before, 1.0), jnp.where(turns, force_after, -1.0)
    mean = jnp.where(turns, impulse / jnp.where(turns, duration, 1.0), 0.0)
    bend = 3 * (before + after) - 6 * mean
    slope = after - before - bend
    root = 2 * before / (jnp.sqrt(slope * slope - 4 * bend * before) - slope)
    pushed = duration * root * (before + root * (slope / 2 + root * bend / 3))
    share = jnp.where(turns, root, jnp.where(pulls, 0.0, 1.0))
    return jnp.where(turns, pushed, jnp.where(pulls, 0.0, impulse)), share


def faded(left: jax.Array, highest: jax.Array, impulse: jax.Array) -> jax.Array:
    """Impulse until the share ``left`` of an interval is left, at whose end the force vanishes;
    ``highest`` is that of the force at its beginning, if it lasted.

    The force is in proportion to ``left^p (1 + c (1 - left))``: with the power that the impulse
    says and ``c = 0``; or, where that is nearly 1, with ``p = 1`` and the ``c`` that it says.
    """
    some = (impulse > 0) & (highest > 0)
    mean = jnp.where(some, impulse, 1.0) / jnp.where(some, highest, 2.0)
    power = jnp.clip(1 / mean - 1, 1.0, STEEPEST)
    power = jnp.where(power < LINEAR, 1.0, power)
    bend = (mean - 1 / (power + 1)) * (power + 1) * (power + 2)
    gained = (1 + bend) * -jnp.expm1((power + 1) * jnp.log(left)) / (power + 1)
    gained = gained + bend * jnp.expm1((power + 2) * jnp.log(left)) / (power + 2)
    return jnp.where(some, highest * gained, 0.0)


class Push(NamedTuple):
    """An interval in which a contact pushes: its length [s], forces over the mass at both ends,
    impulse of the push and the mean of what it is so far [m/s].
    """

    length: jax.Array
    force_before: jax.Array
    force_after: jax.Array
    impulse: jax.Array
    mean: jax.Array

    def until(self, x: jax.Array) -> jax.Array:
        """Impulse until the share ``x`` of the interval: the quartic with these ends and this
        mean.
        """
        before = self.length * jnp.maximum(self.force_before, 0.0)
        after = self.length * jnp.maximum(self.force_after, 0.0)
        cubic = before + x * (3 * self.impulse - 2 * before - after)
        cubic = x * (cubic + x * x * (before + after - 2 * self.impulse))
        of_cubic = self.impulse / 2 + (before - after) / 12
        throughout = (self.force_before >= 0) & (self.force_after >= 0)
        beside = jnp.where(throughout, 30 * (self.mean - of_cubic), 0.0)
        return cubic + beside * (x * (1 - x)) ** 2


def mean_impulse(
    length: jax.Array,
    heights: tuple[jax.Array, jax.Array],
    velocities: tuple[jax.Array, jax.Array],
    impulse: jax.Array,
) -> jax.Array:
    """Mean of the impulse of a push so far [m/s], from ``heights`` and ``velocities`` out of the
    plane at both ends of an interval, whose external force lasts; that of half the ``impulse``
    where the heights are rounded.
    """
    (low, high), (first, last) = heights, velocities
    advance = high - low - length * (first + last) / 2
    rounding = ROUNDED * jnp.finfo(advance.dtype).eps * jnp.maximum(jnp.abs(low), jnp.abs(high))
    told = (jnp.abs(advance) > rounding) & (length > 0)
    return impulse / 2 + jnp.where(told, advance / jnp.where(told, length, 1.0), 0.0)


def push_between(
    history: NormalHistory,
    height: jax.Array,
    force: jax.Array,
    first: jax.Array,
    length: jax.Array,
) -> Push:
    """The push from the node ``first`` to the next one, over the ``length`` in which it lasts."""
    last = first + 1
    impulse = history.impulse[last] - history.impulse[first]
    heights, velocities = ((column[first], column[last]) for column in (height, history.velocity))
    mean = mean_impulse(length, heights, velocities, impulse)
    return Push(length, force[first], force[last], impulse, mean)


def towards_release(
    history: NormalHistory, share: jax.Array, height: jax.Array, force: jax.Array
) -> NormalHistory:
    """``history`` at about as many nodes, from touch-down to where the contact ceases to push:
    after the ``share`` of the last interval in which it does.

    In this interval the force fades (``faded``); before, the impulse is a quartic in each.
    """
    time, velocity, impulse = history
    pushed, duration = jnp.diff(impulse), jnp.diff(time)
    last = jnp.max(jnp.where(jax.lax.stop_gradient(pushed) > 0, jnp.arange(len(pushed)), 0))
    length = share[last] * duration[last]
    count = -(-len(pushed) // STRIDES[-1]) * STRIDES[-1]
    eased = 1 - (1 - np.arange(count + 1) / count) ** GRADING
    nodes = (time[last] + length) * jnp.asarray(eased, dtype=time.dtype)
    known = jax.lax.stop_gradient(
        jnp.minimum(jnp.searchsorted(time, nodes, side="right") - 1, last)
    )
    h = jnp.where(known == last, length, duration[known])
    x = (nodes - time[known]) / jnp.where(h > 0, h, 1.0)
    gained = push_between(history, height, force, known, h).until(x)
    inside = (known == last) & (x < 1)
    left = jnp.where(inside, 1 - x, 1.0)
    fading = jnp.where(inside, faded(left, force[last] * length, pushed[last]), pushed[last])
    return NormalHistory(
        nodes,
        velocity[known] + x * (velocity[known + 1] - velocity[known]),
        impulse[known] + jnp.where(known == last, fading, gained),
    )


def strides_over(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes where the steps of each sweep begin and end, (nodes - 1, sweeps): a sweep waits until
    its stride is full, or all nodes are passed.
    """
    stride = np.asarray(STRIDES)
    end = np.arange(1, nodes)[:, None] + np.zeros_like(stride)
    begin = (end - 1) // stride * stride
    return np.where((end % stride == 0) | (end == nodes - 1), begin, end), end


def extrapolated(swept: jax.Array) -> tuple[jax.Array, jax.Array]:
    """What three sweeps with steps of ``STRIDES`` intervals, each of second order, say together:
    Romberg's extrapolation at all nodes, (nodes, ...), and how much its last stage changes.

    ``swept`` has the axes (nodes, sweeps, ...). Errors at nodes that a sweep leaves out are
    interpolated.
    """
    nodes = len(swept)
    every = np.arange(nodes)
    half, quarter = (np.unique(np.append(every[::stride], nodes - 1)) for stride in STRIDES[1:])

    def at_all(error: jax.Array, known: np.ndarray) -> jax.Array:
        share = np.interp(every, known, np.arange(len(known)))
        below = np.minimum(share.astype(int), len(known) - 2)
        above = jnp.asarray(share - below, error.dtype)[:, None]
        return (1 - above) * error[below] + above * error[below + 1]

    fine, middle, rough = swept[:, 0], swept[:, 1], swept[:, 2]
    better = fine + at_all((fine - middle)[half] / 3, half)
    coarse = middle + (middle - rough) / 3
    change = (better - coarse)[quarter] / 15
    return better + at_all(change, quarter), change[-1]


def pulled_and_rubbed(
    scene: Scene,
    normal: jax.Array,
    motion: tuple[jax.Array, jax.Array],
    interval: NormalHistory,
    kick: Real,
    push: Real,
) -> tuple[jax.Array, jax.Array]:
    """Tangential velocity and spin after external forces for the share ``kick`` of an interval of
    some duration, mean velocity and impulse, and then friction for the share ``push``.
    """
    (tangential, spin), (duration, out, impulse) = motion, interval
    outside = scene.acceleration(tangential + out * normal, spin)
    tangential = tangential + kick * duration * split(outside, normal)[1]
    return after_friction(scene, tangential, spin, normal, jnp.multiply(push, impulse))


def between(begin: NormalHistory, end: NormalHistory) -> NormalHistory:
    """Duration, mean velocity and impulse of intervals."""
    return NormalHistory(
        end.time - begin.time, (begin.velocity + end.velocity) / 2, end.impulse - begin.impulse
    )


def pulled_between_rubs(
    scene: Scene,
    normal: jax.Array,
    motion: tuple[jax.Array, jax.Array],
    interval: NormalHistory,
) -> tuple[jax.Array, jax.Array]:
    """Tangential velocity and spin after an interval: external forces between two halves of
    friction, which is right to second order.
    """
    eased = pulled_and_rubbed(scene, normal, motion, interval, 0.0, 0.5)
    return pulled_and_rubbed(scene, normal, eased, interval, 1.0, 0.5)


def alternating(
    scene: Scene, normal: jax.Array, first: tuple[jax.Array, jax.Array], history: NormalHistory
) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
    """Tangential velocities and spins at the nodes where friction and external forces along the
    plane act, from the ``first`` on, and their error at the end [m/s].
    """
    shares = np.repeat(SPLITTINGS, len(STRIDES), axis=0).T.reshape((2, 2, -1))
    lanes = shares.shape[-1]
    part = jax.vmap(partial(pulled_and_rubbed, scene, normal))

    def step(moving: Any, item: Any) -> tuple:
        interval, kick, push = item
        interval = jax.tree.map(lambda column: jnp.tile(column, len(SPLITTINGS)), interval)
        moving = part(moving, interval, kick, push)
        return moving, moving

    first_nodes, last_nodes = strides_over(len(history.time))
    begin = jax.tree.map(lambda column: column[first_nodes], history)
    end = jax.tree.map(lambda column: column[last_nodes], history)
    halves = len(shares)
    intervals = jax.tree.map(lambda column: jnp.repeat(column, halves, 0), between(begin, end))
    kick, push = (
        jnp.asarray(np.tile(column, (len(first_nodes), 1)), first[0].dtype)
        for column in shares.transpose(1, 0, 2)
    )
    start = tuple(jnp.broadcast_to(vector, (lanes, 3)) for vector in first)
    later: Any
    _, later = jax.lax.scan(step, start, (intervals, kick, push))
    swept = jnp.concatenate(
        [
            jnp.concatenate([a[None], b[halves - 1 :: halves]])
            for a, b in zip(start, later, strict=True)
        ],
        axis=-1,
    )
    found, missed = extrapolated(swept[:, : len(STRIDES)])
    other, _ = extrapolated(swept[:, len(STRIDES) :])
    errors = jnp.abs(missed) + jnp.abs(found[-1] - other[-1])
    lack = jnp.max(jnp.append(errors[:3], scene.bodies.radius * errors[3:]))
    return (found[:, :3], found[:, 3:]), jax.lax.stop_gradient(lack)


def tangential_path(
    scene: Scene,
    normal: jax.Array,
    velocity: jax.Array,
    spin: jax.Array,
    history: NormalHistory,
    *,
    share: jax.Array,
    height: jax.Array,
    force: jax.Array,
    level: bool,
) -> TangentialPath:
    """The path from ``velocity`` and ``spin`` at touch-down on.

    With ``level`` no external force has a tangential component, and the slip is a closed function
    of the normal impulse. Otherwise friction (exact in the impulse of each step) and the external
    tangential acceleration alternate: of sixth order after extrapolation.

    Args:
        scene: sphere, friction and external forces.
        normal: unit normal of the plane, (3,).
        velocity: of the centre at touch-down, (3,).
        spin: at touch-down, (3,).
        history: normal motion at the nodes.
        share: of each interval in which the contact pushes, (nodes - 1,).
        height: of the centre over where it touched down, at the nodes [m].
        force: contact force over the mass at the nodes [m/s^2].
        level: whether no external force has a component along the plane.
    """
    _, tangential = split(velocity, normal)
    if level:
        path = after_friction(scene, tangential, spin, normal, history.impulse)
        return TangentialPath(*path, jnp.zeros_like(history.time[0]))
    steps = towards_release(history, share, height, force)
    found, lack = alternating(scene, normal, (tangential, spin), steps)
    # from the last step before each node on: friction comes last, which keeps what sticks
    before = jax.lax.stop_gradient(jnp.searchsorted(steps.time, history.time, side="right") - 1)
    known, moving = jax.tree.map(lambda column: column[before], (steps, found))
    onwards = jax.vmap(partial(pulled_between_rubs, scene, normal))
    return TangentialPath(*onwards(moving, between(known, history)), lack)


class PushNode(NamedTuple):
    """Nodes of a contact, (..., nodes): tangential velocity and spin (..., nodes, 3), what friction
    feels of the normal motion, position along the normal [m], and the contact force over the mass
    [m/s^2].
    """

    motion: tuple[jax.Array, jax.Array]
    history: NormalHistory
    height: jax.Array
    force: jax.Array


def impulse_after(nodes: PushNode, first: jax.Array, time: jax.Array) -> jax.Array:
    """Normal impulse over the mass at each ``time`` between the node ``first`` and the next one."""
    before, after = nodes.force[first], nodes.force[first + 1]
    turns = (before > 0) & (after < 0)
    share = jnp.where(turns, before / jnp.where(turns, before - after, 1.0), 1.0)
    begin = nodes.history.time[first]
    length = share * (nodes.history.time[first + 1] - begin)
    x = (time - begin) / jnp.where(length > 0, length, 1.0)
    push = push_between(nodes.history, nodes.height, nodes.force, first, length)
    return nodes.history.impulse[first] + push.until(jnp.minimum(x, 1.0))


def history_at(nodes: PushNode, time: jax.Array) -> NormalHistory:
    """What friction feels at ``time``, a number, between neighbouring ``nodes``."""
    count = len(nodes.history.time)
    first = jnp.searchsorted(jax.lax.stop_gradient(nodes.history.time), time, side="right") - 1
    first = jax.lax.stop_gradient(jnp.clip(first, 0, count - 2))
    begin = NormalHistory(*(column[first] for column in nodes.history))
    length = nodes.history.time[first + 1] - begin.time
    x = (time - begin.time) / jnp.where(length > 0, length, 1.0)
    velocity = begin.velocity + x * (nodes.history.velocity[first + 1] - begin.velocity)
    return NormalHistory(time, velocity, impulse_after(nodes, first, time))


def slid_until(
    scene: Scene, normal: jax.Array, nodes: PushNode, time: jax.Array, *, level: bool
) -> tuple[jax.Array, jax.Array]:
    """Tangential velocity and spin at ``time``, a number, from the first of some neighbouring
    ``nodes`` on.

    A polynomial between nodes does not know where a contact begins to stick. On a ``level`` plane
    the slip is a closed function of the impulse; else it is reached in ever shorter steps, each
    with a half of friction before and after the external forces, and extrapolated.
    """
    begin: Any = jax.tree.map(lambda column: column[0], nodes)
    if level:
        gained = history_at(nodes, time).impulse - begin.history.impulse
        tangential, spin = begin.motion
        return after_friction(scene, tangential, spin, normal, gained)

    step = partial(pulled_between_rubs, scene, normal)

    def share(
        motion: tuple[jax.Array, jax.Array], span: tuple[jax.Array, jax.Array]
    ) -> tuple[tuple[jax.Array, jax.Array], None]:
        middle = (span[0] + span[1]) / 2
        first, half, last = (history_at(nodes, end) for end in (span[0], middle, span[1]))
        whole = step(motion, between(first, last))
        fine = step(step(motion, between(first, half)), between(half, last))
        return jax.tree.map(lambda fine, whole: fine + (fine - whole) / 3, fine, whole), None

    ends = shorter_and_shorter(begin.history.time, time)
    return jax.lax.scan(share, begin.motion, (ends[:-1], ends[1:]))[0]
