"""Bounce by bounce: steps end on touch-down and lift-off, and these boundaries move with the parameters.

A scan over contacts; each entry is one flight to the next touch-down and the contact that follows, compliant or rigid. Touch-downs are
closed-form or exactly landed, contacts run in their own phase coordinates, so no step ever straddles an event and every derivative inside
a contact is of order one (a fixed time grid differentiates into numbers of order 1e4 to 1e5 there, which cancel only by accident).
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.field import is_concrete, model, static
from jaxcontact.scene import Scene, State
from jaxcontact.simulation.compliant_contact import (
    ContactNodes,
    TouchDown,
    after_friction,
    contact_phase,
    motion_at_nodes,
    normal_load,
    normal_path,
    segments,
    split,
    touch_down,
)
from jaxcontact.simulation.dense_output import Segments, evaluate
from jaxcontact.simulation.flight import Flight, Motion, integrated, parabola
from jaxcontact.simulation.lasting_contact import landed, lasting_contact
from jaxcontact.simulation.status import Status
from jaxcontact.simulation.trajectory import Contacts, Trajectory


def _whole(owner: str, name: str, value: Any, least: int, meaning: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{owner}: {name} = {value!r} is not a whole number >= {least} ({meaning}).")


@model
class EventAligned:
    """Compliant contacts, one at a time, resolved from touch-down to lift-off.

    Args:
        max_contacts: budget of contacts; ``Status.TOO_FEW_CONTACTS`` when it was too small. What is not used costs nothing in a single
            simulation and its share under ``vmap``.
        contact_steps: steps of order 8 in each contact. With 12, velocities after an impact are right to about 1e-8 of the impact speed for
            restitutions above 0.4, 1e-6 above 0.1, 1e-4 above 0.05.
        flight_steps: steps of order 4 in each flight with drag or lift.
        rest_steps: steps of the sliding or rolling after the last bounce.
        level: whether external forces have no component in the surface during a contact; ``None`` finds out where gravity and the normals
            are numbers, and takes ``False`` where they are traced. ``True`` is faster, and wrong on a tilted plane or in a fluid.
        skip_unused: branch around contacts that are not used. Under ``vmap`` a branch becomes a selection, so it saves nothing there and
            doubles the time of tracing: ``False`` gives the same result.
        graded_step: length of a step inside contacts of scenes with several spheres, where an impact has a length of about 3; the error
            falls with its power 3.7. ``contact_steps``, ``flight_steps``, ``rest_steps`` and ``level`` are for scenes with one sphere.
        lasting_steps: steps into which the whole time is divided where contacts last, in scenes with several bodies; 0 switches lasting
            contacts off (a scene that only bounces then costs less under ``vmap``).
        rest_overlap: static overlap, in units of the radius of the body (of a clump, that of the sphere around it), up to which a contact
            may settle: it then stays at its static overlap instead of oscillating about it. 0: contacts oscillate for ever.
        max_steps: budget of steps in scenes with several bodies; ``None`` takes one that follows from the other numbers.
    """

    max_contacts: int = static(default=50)
    contact_steps: int = static(default=12)
    level: bool | None = static(default=None)
    flight_steps: int = static(default=16)
    rest_steps: int = static(default=32)
    skip_unused: bool = static(default=True)
    graded_step: float = static(default=0.04)
    lasting_steps: int = static(default=500)
    rest_overlap: float = static(default=1e-2)
    max_steps: int | None = static(default=None)

    def __post_init__(self) -> None:
        if not (isinstance(self.graded_step, (int, float)) and 0 < self.graded_step <= 0.5):
            raise ValueError(f"EventAligned: graded_step = {self.graded_step!r} is outside (0, 0.5]. An impact has a length of about 3.")
        _whole("EventAligned", "max_contacts", self.max_contacts, 1, "budget of contacts")
        _whole("EventAligned", "contact_steps", self.contact_steps, 4, "steps in each contact")
        _whole("EventAligned", "flight_steps", self.flight_steps, 1, "steps in each flight with drag or lift")
        _whole("EventAligned", "rest_steps", self.rest_steps, 1, "steps of lasting contact")
        _whole("EventAligned", "lasting_steps", self.lasting_steps, 0, "steps of lasting contact, several bodies")
        if self.max_steps is not None:
            _whole("EventAligned", "max_steps", self.max_steps, 1, "budget of steps, several bodies")
        if not (isinstance(self.rest_overlap, (int, float)) and 0 <= self.rest_overlap < 1):
            raise ValueError(f"EventAligned: rest_overlap = {self.rest_overlap!r} is outside [0, 1). It is a fraction of the radius.")


@model
class Impulse:
    """Rigid impacts: the limit of infinite stiffness (Walton 1993).

    The normal velocity is reversed and multiplied by ``contact.normal.restitution_at(speed)``; the slip changes by the whole normal
    impulse at once, ``contact.friction.slip_after``. Works with every law, compliant or not.

    Args:
        max_contacts: budget of impacts.
        flight_steps: steps of order 4 in each flight with drag or lift.
        rest_speed: approach speed below which the sphere stays on the surface [m/s].
        rest_steps: steps of the sliding or rolling after the last bounce.
        skip_unused: branch around contacts that are not used. Under ``vmap`` a branch becomes a selection, so it saves nothing there and
            doubles the time of tracing: ``False`` gives the same result.
        lasting_steps: as for ``EventAligned``.
        max_steps: as for ``EventAligned``.
    """

    max_contacts: int = static(default=50)
    flight_steps: int = static(default=16)
    rest_speed: float = static(default=1e-3)
    rest_steps: int = static(default=32)
    skip_unused: bool = static(default=True)
    lasting_steps: int = static(default=500)
    max_steps: int | None = static(default=None)

    def __post_init__(self) -> None:
        _whole("Impulse", "lasting_steps", self.lasting_steps, 0, "steps of lasting contact, several bodies")
        if self.max_steps is not None:
            _whole("Impulse", "max_steps", self.max_steps, 1, "budget of steps, several bodies")
        _whole("Impulse", "max_contacts", self.max_contacts, 1, "budget of impacts")
        _whole("Impulse", "flight_steps", self.flight_steps, 1, "steps in each flight with drag or lift")
        _whole("Impulse", "rest_steps", self.rest_steps, 1, "steps of lasting contact")
        if not (isinstance(self.rest_speed, (int, float)) and 0 <= self.rest_speed < float("inf")):
            raise ValueError(f"Impulse: rest_speed = {self.rest_speed!r} m/s is outside [0, inf).")


class Bounce(NamedTuple):
    """Everything one entry of the scan leaves behind."""

    happened: jax.Array
    flight: Motion
    touch: TouchDown
    nodes: ContactNodes
    after: Motion
    surface: jax.Array


class Progress(NamedTuple):
    """Where the simulation stands: the motion after the last of ``done`` contacts, and whether it rests or has passed the last time."""

    motion: Motion
    done: jax.Array
    rests: jax.Array
    passed: jax.Array
    normal: jax.Array


def fly(scene: Scene, start: Motion, horizon: jax.Array, method: EventAligned | Impulse) -> Flight:
    """Free flight to the next touch-down."""
    return integrated(scene, start, horizon, steps=method.flight_steps) if scene.has_fluid else parabola(scene, start, horizon)


def rigid_impact(scene: Scene, touch: TouchDown, index: jax.Array) -> ContactNodes:
    """A rigid impact as a contact of two nodes: touch-down, and right after (later by the law's duration, if it has one)."""
    bodies, law = scene.bodies, scene.contact.normal
    law = law.of_impact(index) if hasattr(law, "of_impact") else law
    duration = law.duration_at(touch.impact_speed) if hasattr(law, "duration_at") else 0.0
    restitution = law.restitution_at(touch.impact_speed, mass=bodies.mass)
    _, before = split(touch.motion.velocity, touch.normal)
    # While it lasts, a contact carries the weight, too.
    impulse = (1 + restitution) * touch.impact_speed
    impulse = impulse + duration * normal_load(scene, touch.normal, touch.motion.velocity, touch.motion.spin)
    tangential, spin = after_friction(scene, before, touch.motion.spin, touch.normal, impulse)
    velocity = tangential + restitution * touch.impact_speed * touch.normal
    position = touch.motion.position + duration * (before + tangential) / 2
    after = Motion(touch.motion.time + duration, position, velocity, spin)
    zero = jnp.zeros((2, 3), dtype=position.dtype)
    return ContactNodes(jax.tree.map(lambda first, last: jnp.stack([first, last]), touch.motion, after), zero, zero)


def impact_segments(nodes: ContactNodes) -> Segments:
    """The time between touch-down and lift-off of a rigid impact: straight, at the mean velocity."""
    motion = nodes.motion
    duration = motion.time[1] - motion.time[0]
    mean = (motion.position[1] - motion.position[0]) / jnp.where(duration > 0, duration, 1.0)
    return segments(nodes._replace(motion=motion._replace(velocity=jnp.stack([mean, mean]))))


def rigid_touch_down(motion: Motion, normal: jax.Array, rest_speed: float) -> TouchDown:
    """What a touch-down leads to in the rigid limit."""
    speed = -(motion.velocity @ normal)
    rests = jax.lax.stop_gradient(speed <= rest_speed)
    return TouchDown(motion, normal, jnp.where(rests, 1.0, speed), rests, jnp.zeros_like(speed))


def bounce(scene: Scene, progress: Progress, horizon: jax.Array, method: EventAligned | Impulse, *, level: bool) -> tuple[Progress, Bounce]:
    """One flight and the contact that ends it."""
    flight = fly(scene, progress.motion, horizon, method)
    normal = jnp.stack([surface.unit_normal for surface in scene.surfaces])[flight.plane]
    if isinstance(method, Impulse):
        touch = rigid_touch_down(flight.end, normal, method.rest_speed)
        nodes = rigid_impact(scene, touch, progress.done)
    else:
        touch = touch_down(scene, flight.end, normal)
        phase = contact_phase(scene, touch)
        path = normal_path(scene, touch, phase, steps=method.contact_steps)
        nodes = motion_at_nodes(scene, touch, phase, path, level=level)
    after = jax.tree.map(lambda column: column[-1], nodes.motion)
    happens = flight.touches & (flight.end.time <= horizon)
    rests = happens & touch.rests
    # The gap is zero, unless the sphere started inside the plane.
    gap = jnp.stack([surface.gap(flight.end.position, scene.bodies.radius) for surface in scene.surfaces])[flight.plane]
    resting = landed(scene, flight.end, normal, gap)
    after = jax.tree.map(lambda bounced, stopped: jnp.where(rests, stopped, bounced), after, resting)
    new = Progress(after, progress.done + 1, rests, ~flight.touches | (after.time > horizon), normal)
    return new, Bounce(happens & ~touch.rests, flight.nodes, touch, nodes, after, flight.plane)


def bounces(
    scene: Scene, start: Motion, horizon: jax.Array, method: EventAligned | Impulse, *, level: bool
) -> tuple[Progress, Bounce, jax.Array]:
    """All bounces up to the horizon; the last result is the index of the first unused entry."""
    normal = jnp.zeros_like(start.position)
    first = Progress(start, jnp.asarray(0), jnp.asarray(False), start.time > horizon, normal)

    def next_bounce(progress: Progress) -> tuple[Progress, Bounce]:
        return bounce(scene, progress, horizon, method, level=level)

    def skipping(progress: Progress, _: None) -> tuple[Progress, tuple[Bounce, jax.Array]]:
        idle = progress.rests | progress.passed
        shapes = jax.eval_shape(next_bounce, progress)[1]

        def waiting() -> tuple[Progress, Bounce]:
            return progress, jax.tree.map(lambda shape: jnp.zeros(shape.shape, dtype=shape.dtype), shapes)

        after, record = jax.lax.cond(idle, waiting, lambda: next_bounce(progress))
        return after, (record, idle)

    def selecting(progress: Progress, _: None) -> tuple[Progress, tuple[Bounce, jax.Array]]:
        idle = progress.rests | progress.passed
        after, record = next_bounce(progress)
        return jax.tree.map(lambda stays, moves: jnp.where(idle, stays, moves), progress, after), (record, idle)

    advance = skipping if method.skip_unused else selecting
    last, (records, idle) = jax.lax.scan(advance, first, None, length=method.max_contacts)
    return last, records, idle


def flight_segments(scene: Scene, flight: Motion) -> Segments:
    """Pieces between the nodes (bounces, nodes, ...) of flights."""
    acceleration = scene.acceleration(flight.velocity, flight.spin)
    zero = jnp.zeros_like(flight.spin)
    columns = (flight.time, flight.position, flight.velocity, acceleration, flight.spin, zero)
    return Segments(*(side for column in columns for side in (column[:, :-1], column[:, 1:])))


def extrapolated(scene: Scene, start: Motion, horizon: jax.Array) -> Segments:
    """Free flight from ``start`` to ``horizon`` as if nothing were in the way, under the acceleration at the start: one piece."""
    acceleration = scene.acceleration(start.velocity, start.spin)
    duration = jnp.maximum(horizon - start.time, 0.0)
    zero = jnp.zeros_like(start.spin)
    piece = Segments(
        start.time,
        start.time + duration,
        start.position,
        start.position + duration * (start.velocity + duration / 2 * acceleration),
        start.velocity,
        start.velocity + duration * acceleration,
        acceleration,
        acceleration,
        start.spin,
        start.spin,
        zero,
        zero,
    )
    return jax.tree.map(lambda column: column[None], piece)


def starting_where(used: jax.Array, pieces: Segments) -> Segments:
    """``pieces``, those that are not ``used`` moved behind every time of interest."""
    return pieces._replace(start_time=jnp.where(used, pieces.start_time, jnp.inf))


def all_segments(
    scene: Scene, records: Bounce, idle: jax.Array, last: Progress, horizon: jax.Array, *, rigid: bool, rest_steps: int
) -> Segments:
    """Every piece of the motion in order of time: flight and contact of each bounce, then what follows the last one."""
    pieces = [flight_segments(scene, records.flight)]
    if records.nodes is not None:
        pieces.append(jax.vmap(segments)(records.nodes))
    # A flight from inside a plane leads back to a touch-down in the past; a touch-down that leads to rest has no contact of its own.
    used = [~idle[:, None] & (pieces[0].end_time > pieces[0].start_time)] + [records.happened[:, None]] * (len(pieces) - 1)
    pieces = [starting_where(mask, piece) for mask, piece in zip(used, pieces, strict=True)]
    joined = jax.tree.map(lambda *parts: jnp.concatenate(parts, axis=1), *pieces)
    flat = jax.tree.map(lambda column: column.reshape((-1, *column.shape[2:])), joined)
    rest = starting_where(last.rests, lasting_contact(scene, last.motion, last.normal, horizon, steps=rest_steps))
    beyond = starting_where(~(last.rests | last.passed), extrapolated(scene, last.motion, horizon))
    pieces = jax.tree.map(lambda *parts: jnp.concatenate(parts), flat, rest, beyond)
    order = jnp.argsort(jax.lax.stop_gradient(pieces.start_time), stable=True)
    return jax.tree.map(lambda column: column[order], pieces)


def simulate_events(scene: Scene, start: State, times: jax.Array, method: EventAligned | Impulse, *, level: bool) -> Trajectory:
    """Motion of one sphere above planes at ``times``."""
    horizon = times[-1]
    beginning = Motion(times[0], start.position, start.velocity, start.spin)
    last, records, idle = bounces(scene, beginning, horizon, method, level=level)
    pieces = all_segments(scene, records, idle, last, horizon, rigid=isinstance(method, Impulse), rest_steps=method.rest_steps)
    position, velocity, spin = evaluate(pieces, times)
    status = jnp.where(last.rests, Status.CAME_TO_REST, jnp.where(last.passed, Status.SUCCESS, Status.TOO_FEW_CONTACTS))
    rebound = jnp.einsum("ij,ij->i", records.after.velocity, records.touch.normal)
    contacts = Contacts(
        happened=records.happened & ~idle,
        touch_down=records.touch.motion.time,
        lift_off=records.after.time,
        impact_speed=records.touch.impact_speed,
        rebound_speed=rebound,
        surface=records.surface,
        body=jnp.zeros_like(records.surface),
        partner=jnp.full_like(records.surface, -1),
    )
    return Trajectory(times, position, velocity, spin, contacts, status)


def is_level(scene: Scene) -> bool:
    """Whether external forces are known, before tracing, to have no component in any surface during a contact."""
    if scene.has_fluid or not is_concrete(scene.gravity):
        return False
    gravity = np.asarray(scene.gravity, dtype=float)
    normals = [surface.normal for surface in scene.surfaces]
    return all(is_concrete(normal) and not np.any(np.cross(gravity, np.asarray(normal, dtype=float))) for normal in normals)
