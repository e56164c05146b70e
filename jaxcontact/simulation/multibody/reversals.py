"""Slip, rolling and spinning that begin, end or turn round in contacts that last, or pass a corner
of what resists them in any contact.

In contacts that last the force of friction, or the torque, has a corner or jumps. Values forgive a
step across it, as it is short; derivatives do not: they would miss how the time of the jump moves
with the parameters, however short the step is. So a step ends just before it, at a speed that is
fixed (or a share of what could still be held), with the derivative of its own time; what is left up
to the jump no longer depends on the parameters.

In any contact a step ends just beyond a corner of a resistance, of one that is linear up to some
velocity, say: the next one begins with the slope that it goes on with. So it does where a part of a
surface ends (``borders``).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.laws.core.friction_interfaces import SlipFriction
from jaxcontact.laws.core.rotation_interfaces import RollingFlow
from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.numerics.smooth import Real, safe_norm
from jaxcontact.scene.scene import State
from jaxcontact.simulation.multibody.borders import Border, borders
from jaxcontact.simulation.multibody.pairs import Geometry, World, contact_of_each_pair
from jaxcontact.simulation.multibody.step import rounding
from jaxcontact.simulation.multibody.sustained_contacts import (
    Sustained,
    has_torque,
    limits,
    relative,
)

SATURATED = 20.0
"""Speed from which on a regularised resistance hardly grows, in units of that at which it would be
full if it went on as it begins.
"""

JUST_HELD = 1e-5
"""Share of what can be held that is left where a step ends before a motion begins: then only the
change of forces jumps, so that less care is needed.
"""

JUST_BEFORE = 1e-9
"""Speed at which a step ends before a jump, in units of the fastest motion: less than what a step
may lack.
"""

SMALLEST_SPEED = 1e-12
"""At which a regularised resistance tells how it begins [m/s]."""

WAYS_APART = 4.0
"""How much faster a motion is where a step ends before a jump than the ways of the step are apart.
"""

BEYOND_CORNER = 1e-6
"""How far beyond a corner a step ends, in units of the velocity of the corner: derivatives are off
by some 1e-2 of that.
"""

MOST_TRIES = 30
"""Of the length of a step that is to end at a reversal."""


class Corner(NamedTuple):
    """Of what resists each motion, ``(kinds, pairs)``.

    Attributes:
        speed: at which it is [m/s], infinite where there is none, with its derivatives.
        side: of it at the start of a step, 1 above and -1 below, 0 where none is watched.
    """

    speed: jax.Array
    side: jax.Array


class Resisted(NamedTuple):
    """Motions that contacts resist, ``(kinds, pairs, ...)``: slip, rolling and spinning, the latter
    two times the effective radius.

    Attributes:
        direction: of each at the start of a step, a unit vector.
        speed: at which a step ends before it is zero [m/s].
        slides: whether it is faster than that at the start.
        holds: whether it is none, since the contact could hold more.
        excess: by how much it is faster [m/s], or how much more can be held than where a step ends.
        corner: ``None`` where no resistance has one.
    """

    direction: jax.Array
    speed: jax.Array
    slides: jax.Array
    holds: jax.Array
    excess: jax.Array
    corner: Corner | None = None

    @property
    def watched(self) -> jax.Array:
        """Motions whose change ends a step."""
        ends = self.slides | self.holds
        return ends if self.corner is None else ends | (self.corner.side != 0)


class Ahead(NamedTuple):
    """What ends a step: the motions that contacts resist, and the borders of surfaces (``None``
    where there are none), the last one of the rows ``(kinds, pairs)``.
    """

    resisted: Resisted
    border: Border | None

    def rows(self, kinds: jax.Array, border: Callable[[Border], jax.Array]) -> jax.Array:
        """Those of the motions and that of the ``border``."""
        if self.border is None:
            return kinds
        return jnp.concatenate([kinds, border(self.border)[None]])

    @property
    def excess(self) -> jax.Array:
        """As of ``Resisted``; of a border [m]."""
        return self.rows(self.resisted.excess, lambda border: border.excess)

    @property
    def speed(self) -> jax.Array:
        """As of ``Resisted``; of a border how near it a step ends [m]."""
        return self.rows(self.resisted.speed, lambda border: border.near)

    @property
    def continuous(self) -> jax.Array:
        """Whether what is watched passes a corner, or a border, and no jump."""
        corner = self.resisted.corner
        passes = jnp.zeros_like(self.resisted.slides) if corner is None else corner.side != 0
        return self.rows(passes, lambda border: border.watched)


class Bracket(NamedTuple):
    """Search for the length of a step that ends just before a reversal.

    Attributes:
        chosen: which motion, ``(kinds, pairs)``; none where nothing is searched.
        tries: how many; none where nothing was searched in this step.
        low: longest step so far that ends before it [s].
        high: shortest that does not.
        left: excess of the speed at the end of the former [m/s].
        speed: at which it should end [m/s].
        slope: its rate there, by the last two that end before it [m/s^2]; 0 after a try that does
            not, which that rate has led to and would lead to again.
        beyond: excess at the end of ``high`` [m/s].
    """

    chosen: jax.Array
    tries: jax.Array
    low: jax.Array
    high: jax.Array
    left: jax.Array
    speed: jax.Array
    slope: jax.Array
    beyond: jax.Array


def motions(world: World, at: Geometry, state: State) -> jax.Array:
    """Slip, and rolling and spinning times the effective radius where contacts resist rotations,
    ``(kinds, pairs, 3)`` [m/s].
    """
    moving = relative(world, at, state)
    _, slip = normal_and_tangential(moving.force, at.normal)
    if moving.torque is None:
        return slip[None]
    twist, bend = normal_and_tangential(moving.torque, at.normal)
    radius = world.effective_radius[:, None]
    return jnp.stack([slip, radius * bend, radius * twist[:, None] * at.normal])


def corners(world: World) -> jax.Array | None:
    """Speed at which each resistance without memory has a corner [m/s], ``(kinds, pairs)``,
    infinite where it has none; ``None`` where none of them has.
    """
    contact = contact_of_each_pair(world)
    slip = contact.friction.corner if isinstance(contact.friction, SlipFriction) else None
    rolls = isinstance(contact.rolling, RollingFlow)
    bend = contact.rolling_flow.corner if rolls else None
    twist = None if contact.spinning is None else contact.spinning.corner
    if world.rigid or (slip is None and bend is None and twist is None):
        return None
    one, radius = jnp.ones_like(world.effective_radius), world.effective_radius
    kinds = [(slip, one), (bend, radius), (twist, radius)] if has_torque(world) else [(slip, one)]
    return jnp.stack(
        [jnp.inf * one if corner is None else corner * lever for corner, lever in kinds]
    )


def resisted(
    world: World,
    at: Geometry,
    state: State,
    closed: jax.Array,
    lasting: jax.Array,
    fastest: jax.Array,
    margin: jax.Array,
) -> Resisted:
    """The motions at the start of a step that the ``closed`` contacts resist, and those of them
    that are ``lasting``, without derivatives; ``margin`` is what these could hold there beside what
    they do.
    """
    frozen = jax.lax.stop_gradient
    moving = frozen(motions(world, at, state))
    size = safe_norm(moving)
    speed = frozen(SATURATED * regularisation(world, at) + JUST_BEFORE * fastest)
    resists = lasting & jnp.isfinite(speed)
    slides = resists & (size > 2 * speed)
    holds = resists & ~slides & (margin > 2 * JUST_HELD)
    direction = moving / jnp.where(slides, size, 1.0)[..., None]
    speed = jnp.where(resists, speed, 0.0)
    excess = jnp.where(slides, size - speed, jnp.where(holds, margin - JUST_HELD, 0.0))
    corner = corners(world)
    if corner is None:
        return Resisted(direction, speed, slides, holds, excess)
    at_corner = frozen(corner)
    nearest = frozen(beyond_corner(at_corner, fastest))
    ends = closed & ~slides & ~holds & jnp.isfinite(at_corner)
    ends = ends & (jnp.abs(size - at_corner) > 2 * nearest)
    side = jnp.where(ends, jnp.where(size > at_corner, 1.0, -1.0), 0.0)
    way = jnp.where(ends, side * (size - at_corner), 0.0)
    return Resisted(
        direction,
        jnp.where(ends, nearest, speed),
        slides,
        holds,
        jnp.where(ends, way + nearest, excess),
        Corner(corner, side),
    )


def beyond_corner(corner: jax.Array, fastest: jax.Array) -> jax.Array:
    """How far beyond a ``corner`` [m/s] a step may end, by its size and by rounding [m/s]."""
    finite = jnp.where(jnp.isfinite(corner), corner, 0.0)
    return jnp.maximum(BEYOND_CORNER * finite, rounding(corner) * fastest)


def no_margin(world: World) -> jax.Array:
    """Nothing is known of what contacts could hold."""
    kinds = 3 if has_torque(world) else 1
    return jnp.zeros((kinds, *world.effective_radius.shape), world.effective_radius.dtype)


def regularisation(world: World, at: Geometry) -> jax.Array:
    """Speed at which each resistance would be full if it went on as it begins [m/s], ``(kinds,
    pairs)``: 0 of a law that jumps, infinite where nothing resists.
    """
    contact, radius = world.contact, world.effective_radius
    overlap = jnp.where(at.gap < 0, -at.gap, 0.0)
    bound = limits(world, overlap)
    one = jnp.ones_like(radius)
    smooth = isinstance(contact.friction, SlipFriction)
    along = jnp.stack([one, 0 * one, 0 * one], axis=-1)

    def full_at(largest: Any, begins: Any, scale: Any = 1.0) -> jax.Array:
        """By what resists at the smallest speed."""
        slope = safe_norm(begins)
        acts = slope > 0
        speed = SMALLEST_SPEED * largest / jnp.where(acts, slope, 1.0)
        return jnp.where(acts, speed * scale, jnp.inf)

    def jumps(largest: Real) -> jax.Array:
        return jnp.where(largest > 0, 0.0, jnp.inf)

    if isinstance(contact.friction, NoFriction):
        slip = jnp.inf * one
    elif smooth:
        force = contact.slip_friction.force(SMALLEST_SPEED * along, one)
        slip = full_at(bound.friction, force)
    else:
        slip = jumps(bound.friction)
    if not has_torque(world):
        return slip[None]
    rolling, spinning = jumps(bound.rolling), jumps(bound.spinning)
    if smooth and isinstance(contact.rolling, RollingFlow):
        torque = contact.rolling_flow.torque(SMALLEST_SPEED * along, one, effective_radius=radius)
        rolling = full_at(bound.rolling, torque, radius)
    if smooth and contact.spinning is not None:
        torque = contact.spinning.torque(
            SMALLEST_SPEED * along, one, effective_radius=radius, overlap=overlap
        )
        spinning = full_at(bound.spinning, torque, radius)
    return jnp.stack([slip, rolling, spinning])


class Left(NamedTuple):
    """At the end of a step, ``(kinds, pairs)``.

    Attributes:
        speed: at which it should end [m/s]: none of its ways has then passed the jump; or what
            could still be held.
        excess: by how much the motions along their directions at the start exceed that.
    """

    speed: jax.Array
    excess: jax.Array


def left_of(world: World, ahead: Ahead, at: Geometry, end: Sustained, time: jax.Array) -> Left:
    """What is left of what was ``ahead``, at the ``end`` of a step and that ``time``."""
    motions_left = left_of_motions(world, ahead.resisted, at, end)
    if ahead.border is None:
        return motions_left
    now = borders(world, at.centre, time)
    assert now is not None
    excess = ahead.border.left(now, end.apart)
    return Left(
        ahead.rows(motions_left.speed, lambda border: border.near),
        ahead.rows(motions_left.excess, lambda _: excess),
    )


def left_of_motions(world: World, before: Resisted, at: Geometry, end: Sustained) -> Left:
    """What is left of the motions ``before``, and of what could be held."""
    moving = motions(world, at, end.stepped.state)
    along = jnp.sum(moving * before.direction, axis=-1)
    speed = before.speed + WAYS_APART * jax.lax.stop_gradient(end.spread)
    speed = jnp.where(before.holds, JUST_HELD, speed)
    excess = jnp.where(before.holds, end.margin, along) - speed
    if before.corner is not None:
        ends = before.corner.side != 0
        way = before.corner.side * (safe_norm(moving) - jnp.where(ends, before.corner.speed, 0.0))
        excess = jnp.where(ends, way + before.speed, excess)
        speed = jnp.where(ends, before.speed, speed)
    return Left(speed, jnp.where(before.watched, excess, 1.0))


def searched(
    before: Ahead,
    bracket: Bracket,
    left: Left,
    length: jax.Array,
    *,
    first: jax.Array,
    too_long: jax.Array,
) -> tuple[Bracket, jax.Array]:
    """The search after a try of a step of some ``length``, and whether it goes on. It begins with a
    step in which a motion ends or begins, before other events are looked for (``first``), and ends
    with one that ends just before that, or that is ``too_long`` for other reasons.
    """
    goes_on = jnp.any(bracket.chosen)
    begins = first & ~goes_on & jnp.any(left.excess <= 0) & (bracket.tries == 0)
    narrower = narrowed(bracket, left, length)
    there = goes_on & (narrower.low == length) & (narrower.left <= narrower.speed)
    # What seemed to come first by mean rates may not have.
    earlier = there & jnp.any(left.excess <= 0)
    begins, there = begins | earlier, there & ~earlier
    goes_on = goes_on & ~earlier
    ends = goes_on & (there & too_long | ~there & (narrower.tries >= MOST_TRIES))
    fresh = begun(before, left, length)._replace(tries=jnp.where(earlier, narrower.tries, 0))
    now = jax.tree.map(
        lambda new, old, fresh: jnp.where(goes_on, new, jnp.where(begins, fresh, old)),
        narrower,
        bracket,
        fresh,
    )
    return now._replace(chosen=now.chosen & ~ends), begins | (goes_on & ~there & ~ends)


def no_bracket(before: Ahead, length: jax.Array) -> Bracket:
    """Nothing is searched for."""
    zero = jnp.zeros_like(length)
    nothing = jnp.zeros(before.excess.shape, dtype=bool)
    return Bracket(nothing, jnp.asarray(0), zero, length, zero, zero, zero, zero)


def begun(before: Ahead, left: Left, length: jax.Array) -> Bracket:
    """The search for the first of the reversals in a step of some ``length``, by their mean
    rates.
    """
    reverses = left.excess <= 0
    slower = jnp.where(reverses, before.excess - left.excess, 1.0)
    share = jnp.where(reverses, before.excess / slower, jnp.inf)
    first = jnp.arange(share.size).reshape(share.shape) == jnp.argmin(share)
    chosen = first & reverses
    excess, speed, beyond = (
        jnp.sum(jnp.where(chosen, column, 0.0))
        for column in (before.excess, before.speed, left.excess)
    )
    zero = jnp.zeros_like(length)
    return Bracket(chosen, jnp.asarray(0), zero, length, excess, speed, zero, beyond)


def to_corner(before: Ahead, bracket: Bracket) -> jax.Array:
    """Whether what is searched for is a corner, where speeds are continuous, and no jump."""
    return jnp.any(bracket.chosen & before.continuous)


def narrowed(bracket: Bracket, left: Left, length: jax.Array) -> Bracket:
    """After a try of a step of some ``length``."""
    excess, speed = (
        jnp.sum(jnp.where(bracket.chosen, column, 0.0)) for column in (left.excess, left.speed)
    )
    short = excess > 0
    since = jnp.where(short & (length > bracket.low), length - bracket.low, 1.0)
    slope = (excess - bracket.left) / since
    return Bracket(
        bracket.chosen,
        bracket.tries + 1,
        jnp.where(short, length, bracket.low),
        jnp.where(short, bracket.high, length),
        jnp.where(short, excess, bracket.left),
        jnp.where(short, speed, bracket.speed),
        jnp.where(short, jnp.where(slope < 0, slope, bracket.slope), 0.0),
        jnp.where(short, bracket.beyond, excess),
    )


def next_length(before: Ahead, bracket: Bracket) -> jax.Array:
    """Length of the next try [s]: by the slope to where half the speed is left, or into the middle;
    to a corner every second time by the chord, as the speed is continuous there: of the two, one
    falls short of it and one goes beyond.
    """
    lacks = bracket.speed / 2 - bracket.left
    width = bracket.high - bracket.low
    chord = (bracket.beyond - bracket.left) / jnp.where(width > 0, width, 1.0)
    by_chord = to_corner(before, bracket) & (bracket.tries % 2 == 0)
    slope = jnp.where(by_chord, chord, bracket.slope)
    falls = slope < 0
    further = lacks / jnp.where(falls, slope, -1.0)
    within = falls & (further > 0) & (further < width)
    return bracket.low + jnp.where(within, further, width / 2)
