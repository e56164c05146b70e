"""Bounce by bounce: steps end on touch-down and lift-off, and these boundaries move with the
parameters.

A scan over contacts; each entry is one flight to the next touch-down and the contact that follows,
compliant or rigid. Touch-downs are closed-form or exactly landed, contacts run in their own phase
coordinates, so no step ever straddles an event and every derivative inside a contact is of order
one (a fixed time grid differentiates into numbers of order 1e4 to 1e5 there, which cancel only by
accident).
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.geometry.rigid_motion import normal_and_tangential
from jaxcontact.laws.core.contact_phase import ContactPhase
from jaxcontact.laws.friction.coulomb import NoFriction
from jaxcontact.numerics.blocks import in_blocks
from jaxcontact.numerics.checkpointed_scan import block_length, checkpointed_scan
from jaxcontact.numerics.interpolation import Segments, accumulated, at_times
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import is_concrete
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.lanes import anywhere, everywhere
from jaxcontact.simulation.core.methods import EventAligned, Impulse
from jaxcontact.simulation.core.status import Status
from jaxcontact.simulation.core.trajectory import Contacts, Trajectory, span_on_path
from jaxcontact.simulation.single_sphere.contact import (
    ContactNodes,
    TouchDown,
    accelerations,
    contact_phase,
    external_load,
    goes_at_once,
    largest_lack,
    motion_at_nodes,
    normal_load,
    normal_path,
    prepared,
    touch_down,
)
from jaxcontact.simulation.single_sphere.flight import (
    Flight,
    SphereMotion,
    integrated,
    largest_flight_lack,
    parabola,
)
from jaxcontact.simulation.single_sphere.normal_path import NormalPath
from jaxcontact.simulation.single_sphere.sliding_distance import (
    distance_along_plane,
    have_sharp_corners,
)
from jaxcontact.simulation.single_sphere.sustained_contact import static_overlap, sustained_contact
from jaxcontact.simulation.single_sphere.tangential_path import (
    NormalHistory,
    PushNode,
    after_friction,
    slid_until,
    slip_velocity,
    split,
)


class BounceRecord(NamedTuple):
    """Everything one entry of the scan leaves behind; motions as rows of numbers (``row``), which
    take one memory access each.

    Attributes:
        happened: whether there was a contact.
        start: motion at the start of the flight, (10,).
        flight: motions along the flight, where there is a fluid.
        nodes: the contact at its nodes (``row_of_nodes``), (nodes, 12).
        impact_speed, rebound_speed: along the normal, before and after.
        lack_of_flight, lack_of_contact, lack_of_friction: errors, in units of the largest speed of
            the flight and of the impact speed, as far as they are estimated; infinite where the
            engine for several bodies is needed.
    """

    happened: jax.Array
    start: jax.Array
    flight: SphereMotion | None
    nodes: jax.Array
    impact_speed: jax.Array
    rebound_speed: jax.Array
    lack_of_flight: jax.Array
    lack_of_contact: jax.Array
    lack_of_friction: jax.Array


def row(motion: SphereMotion) -> jax.Array:
    """Time, position, velocity and spin in one array, (..., 10)."""
    return jnp.concatenate(
        [motion.time[..., None], motion.position, motion.velocity, motion.spin], axis=-1
    )


def motion_of(row: jax.Array) -> SphereMotion:
    """The motion in a ``row``."""
    return SphereMotion(row[..., 0], row[..., 1:4], row[..., 4:7], row[..., 7:10])


def row_of_nodes(nodes: ContactNodes) -> jax.Array:
    """Motion, normal acceleration and impulse in one array, (..., 12)."""
    beside = jnp.stack([nodes.acceleration, nodes.impulse], axis=-1)
    return jnp.concatenate([row(nodes.motion), beside], axis=-1)


def nodes_of(row: jax.Array) -> ContactNodes:
    """The nodes in a ``row_of_nodes``."""
    return ContactNodes(motion_of(row), row[..., 10], row[..., 11])


IN_TIME_AND_PLACE = np.array([1.0] * 4 + [0.0] * 8)
"""Times and positions in a ``row_of_nodes``."""


class BounceCarry(NamedTuple):
    """Where the simulation stands: the motion after the last of ``done`` contacts, and whether the
    sphere rests from there on or has passed the last time.
    """

    motion: SphereMotion
    done: jax.Array
    rests: jax.Array
    passed: jax.Array


def fly(
    scene: Scene, start: SphereMotion, horizon: jax.Array, method: EventAligned | Impulse
) -> Flight:
    """Free flight to the next touch-down."""
    return (
        integrated(scene, start, horizon, steps=method.flight_steps)
        if scene.has_fluid
        else parabola(scene, start, horizon)
    )


def rigid_impact(scene: Scene, touch: TouchDown, index: jax.Array) -> ContactNodes:
    """A rigid impact as a contact of two nodes: touch-down, and right after (later by the law's
    duration, if it has one).
    """
    bodies, law = scene.bodies, scene.contact.normal.of_impact(index)
    duration = law.duration_at(touch.impact_speed)
    restitution = law.restitution_at(touch.impact_speed, mass=bodies.mass)
    _, before = split(touch.motion.velocity, touch.normal)
    # While it lasts, a contact carries the weight, too.
    impulse = (1 + restitution) * touch.impact_speed
    impulse = impulse + duration * normal_load(
        scene, touch.normal, touch.motion.velocity, touch.motion.spin
    )
    tangential, spin = after_friction(scene, before, touch.motion.spin, touch.normal, impulse)
    velocity = tangential + restitution * touch.impact_speed * touch.normal
    position = touch.motion.position + duration * (before + tangential) / 2
    after = SphereMotion(touch.motion.time + duration, position, velocity, spin)
    nothing = jnp.zeros((2,), dtype=position.dtype)
    return ContactNodes(
        jax.tree.map(lambda first, last: jnp.stack([first, last]), touch.motion, after),
        nothing,
        nothing,
    )


def rigid_touch_down(motion: SphereMotion, normal: jax.Array, rest_speed: float) -> TouchDown:
    """What a touch-down leads to in the rigid limit."""
    speed = -(motion.velocity @ normal)
    rests = jax.lax.stop_gradient(speed <= rest_speed)
    safe_speed, zero = jnp.where(rests, 1.0, speed), jnp.zeros_like(speed)
    return TouchDown(motion, normal, safe_speed, rests, jnp.zeros_like(rests), zero)


def bounce(
    scene: Scene,
    progress: BounceCarry,
    horizon: jax.Array,
    method: EventAligned | Impulse,
    *,
    level: bool,
    constants: Real | None,
) -> tuple[BounceCarry, BounceRecord]:
    """One flight and the contact that ends it."""
    flight = fly(scene, progress.motion, horizon, method)
    happens = flight.touches & (flight.end.time <= horizon)
    normal = scene.surfaces[0].unit_normal
    if isinstance(method, Impulse):
        touch = rigid_touch_down(flight.end, normal, method.rest_speed)
        nodes = rigid_impact(scene, touch, progress.done)
        lack = lack_of_friction = jnp.zeros_like(touch.impact_speed)
    else:
        touch = touch_down(
            scene,
            flight.end,
            normal,
            constants=constants,
            steps=method.contact_steps,
            at_once=method.at_once,
            rest_overlap=method.rest_overlap,
        )
        phase = contact_phase(scene, touch, constants)
        load = external_load(scene, touch, phase)
        path = normal_path(
            scene,
            touch,
            phase,
            load=load,
            constants=constants,
            steps=method.contact_steps,
            at_once=method.at_once,
            in_time=method.in_time,
            accuracy=method.accuracy,
            happens=happens,
        )
        lack = lack_of_contact(touch, path, phase, method)
        nodes, lack_of_friction = motion_at_nodes(scene, touch, phase, path, load=load, level=level)
    after = jax.tree.map(lambda column: column[-1], nodes.motion)
    rests = happens & touch.rests
    after = jax.tree.map(
        lambda bounced, stopped: jnp.where(rests, stopped, bounced), after, flight.end
    )
    record = BounceRecord(
        happens & ~touch.rests,
        row(progress.motion),
        flight.nodes if scene.has_fluid else None,
        row_of_nodes(nodes),
        touch.impact_speed,
        nodes.motion.velocity[-1] @ normal,
        flight.lack,
        jnp.where(happens, lack, 0.0),
        jnp.where(happens & ~touch.rests, lack_of_friction, 0.0),
    )
    new = BounceCarry(after, progress.done + 1, rests, ~flight.touches | (after.time > horizon))
    return new, record


def lack_of_contact(
    touch: TouchDown, path: NormalPath, phase: ContactPhase, method: EventAligned
) -> jax.Array:
    """What a contact lacks, in units of its impact speed; infinite where this engine cannot do
    better: a rest that hides a motion, a contact in steps that is not exact.
    """
    lack = jnp.where(touch.rests, jnp.where(touch.hides, jnp.inf, 0.0), path.lack)
    if goes_at_once(phase, method.at_once):
        return lack
    largest = largest_lack(method.accuracy, method.contact_steps, lack.dtype)
    return jnp.where(lack > largest, jnp.inf, lack)


def bounces(
    scene: Scene,
    start: SphereMotion,
    horizon: jax.Array,
    method: EventAligned | Impulse,
    *,
    level: bool,
) -> tuple[BounceCarry, BounceRecord, jax.Array]:
    """All bounces up to the horizon; the last result is the index of the first unused entry."""
    first = BounceCarry(start, jnp.asarray(0), jnp.asarray(False), start.time > horizon)
    constants = None if isinstance(method, Impulse) else prepared(scene.contact.normal)

    # each transformation of a scan and of a branch traces what is in it several times, but a
    # compiled function once
    @jax.jit
    def next_bounce(progress: BounceCarry) -> tuple[BounceCarry, BounceRecord]:
        return bounce(scene, progress, horizon, method, level=level, constants=constants)

    def skipping(
        progress: BounceCarry, _: None
    ) -> tuple[BounceCarry, tuple[BounceRecord, jax.Array]]:
        idle = progress.rests | progress.passed | (progress.done >= method.contact_budget)
        shapes = jax.eval_shape(next_bounce, progress)[1]

        def waiting() -> tuple[BounceCarry, BounceRecord]:
            return progress, jax.tree.map(
                lambda shape: jnp.zeros(shape.shape, dtype=shape.dtype), shapes
            )

        after, record = jax.lax.cond(
            everywhere(idle, method.lanes), waiting, lambda: next_bounce(progress)
        )
        if method.lanes is not None:
            after = jax.tree.map(
                lambda stays, moves: jnp.where(idle, stays, moves), progress, after
            )
        return after, (record, idle)

    def selecting(
        progress: BounceCarry, _: None
    ) -> tuple[BounceCarry, tuple[BounceRecord, jax.Array]]:
        idle = progress.rests | progress.passed | (progress.done >= method.contact_budget)
        after, record = next_bounce(progress)
        return jax.tree.map(lambda stays, moves: jnp.where(idle, stays, moves), progress, after), (
            record,
            idle,
        )

    advance = skipping if method.skip_unused else selecting
    last, record = checkpointed_scan(
        advance, first, None, length=whole_blocks(method.contact_budget)
    )
    records, idle = jax.tree.map(lambda column: column[: method.contact_budget], record)
    return last, records, idle


def whole_blocks(contacts: int) -> int:
    """``contacts``, up to a multiple of about their square root: a checkpointed scan then compiles
    its body once.
    """
    length = block_length(contacts)
    return -(-contacts // length) * length


def falling(scene: Scene, start: SphereMotion, times: jax.Array) -> SphereMotion:
    """Motion at ``times`` under the acceleration at the ``start`` of a flight; all of shape (times,
    ...).
    """
    acceleration = scene.acceleration(start.velocity, start.spin)
    duration = (times - start.time)[:, None]
    position = start.position + duration * (start.velocity + duration / 2 * acceleration)
    return SphereMotion(times, position, start.velocity + duration * acceleration, start.spin)


def times_on_path(records: BounceRecord, *, rigid: bool) -> jax.Array:
    """Times of the nodes of all contacts (contacts, nodes), from where the path of the sphere
    enters each to where it leaves it; infinite for what did not happen.
    """
    times = records.nodes[..., 0]
    if rigid:  # other contacts have a duration that follows from their forces
        ends = span_on_path(times[:, 0], times[:, 1], records.impact_speed, records.rebound_speed)
        times = jnp.stack(ends, axis=1)
    return jax.lax.stop_gradient(jnp.where(records.happened[:, None], times, jnp.inf))


def in_flights(
    scene: Scene, records: BounceRecord, used: jax.Array, left: jax.Array, times: jax.Array
) -> SphereMotion:
    """Motion at ``times`` along the nodes of the flights that are ``used``, each after the time at
    which the contact before it was ``left``.
    """
    flight = records.flight
    assert flight is not None
    acceleration = scene.acceleration(flight.velocity, flight.spin)
    columns = (
        flight.time,
        flight.position,
        flight.velocity,
        acceleration,
        flight.spin,
        jnp.zeros_like(flight.spin),
    )
    sides = (side for column in columns for side in (column[:, :-1], column[:, 1:]))
    pieces = Segments(*(side.reshape((-1, *side.shape[2:])) for side in sides))
    # A flight from inside a plane leads back to a touch-down in the past.
    count = flight.time.shape[1] - 1
    used = jnp.repeat(used, count) & (pieces.end_time > pieces.start_time)
    began = jnp.concatenate([jnp.full(1, -jnp.inf), left[:-1]])
    starts = jnp.maximum(pieces.start_time, jnp.repeat(began, count))
    starts = jax.lax.cummin(jax.lax.stop_gradient(jnp.where(used, starts, jnp.inf)), reverse=True)
    index = jnp.maximum(jnp.searchsorted(starts, jax.lax.stop_gradient(times), side="right") - 1, 0)
    return SphereMotion(times, *at_times(jax.tree.map(lambda column: column[index], pieces), times))


def contact_segments(
    scene: Scene, ends: ContactNodes, normal: jax.Array, *, rigid: bool
) -> Segments:
    """Pieces between neighbouring nodes of contacts, ``ends`` with an axis of two in front. In a
    rigid impact that lasts, the sphere sinks in and comes out again along the quintic between its
    velocities before and after, without force at either end: where it loses nothing, by 0.31 of
    speed times duration, where a Hertzian contact sinks in by 0.34.
    """
    motion, velocity = ends.motion, ends.motion.velocity
    if rigid:
        acceleration = spin_rate = jnp.zeros_like(velocity)
    else:
        acceleration, spin_rate = accelerations(scene, ends, normal)
    columns = (motion.time, motion.position, velocity, acceleration, motion.spin, spin_rate)
    return Segments(*(side for column in columns for side in (column[0], column[1])))


def pushes_of(nodes: ContactNodes, normal: jax.Array) -> PushNode:
    """What friction feels of contacts at their ``nodes``."""
    motion = nodes.motion
    out, along = normal_and_tangential(motion.velocity, normal)
    return PushNode(
        (along, motion.spin),
        NormalHistory(motion.time, out, nodes.impulse),
        motion.position @ normal,
        nodes.acceleration,
    )


def moved_at_corners(
    scene: Scene, last: BounceCarry, records: BounceRecord, *, level: bool
) -> tuple[BounceCarry, BounceRecord]:
    """The bounces with what the nodes of contacts that begin to stick miss of the distance along
    the plane. Nothing else depends on where along the plane a sphere is.
    """
    normal = scene.surfaces[0].unit_normal
    slips = slip_velocity(scene, *pushes_of(nodes_of(records.nodes), normal).motion, normal)
    slips = jnp.where(records.happened[:, None, None], slips, 0.0)
    sharp = have_sharp_corners(*jax.lax.stop_gradient((scene, slips)))

    def missed(rows: jax.Array) -> jax.Array:
        nodes = nodes_of(rows - rows[0] * IN_TIME_AND_PLACE)
        _, acceleration = normal_and_tangential(accelerations(scene, nodes, normal)[0], normal)
        distance = distance_along_plane(
            scene, normal, pushes_of(nodes, normal), acceleration, level=level
        )
        return distance - normal_and_tangential(nodes.motion.position, normal)[1]

    def at_corners() -> jax.Array:
        some = jnp.argmax(sharp)  # stands in for those that are not
        rows = jnp.where(sharp[:, None, None], records.nodes, records.nodes[some])
        return jnp.where(sharp[:, None, None], jax.lax.map(missed, rows), 0.0)

    nothing = jnp.zeros_like(records.nodes[..., 1:4])
    found = jax.lax.cond(anywhere(jnp.any(sharp)), at_corners, lambda: nothing)
    until = accumulated(found[:, -1])
    along = found + until[:-1, None]
    flight = records.flight
    if flight is not None:
        flight = flight._replace(position=flight.position + until[:-1, None])
    records = records._replace(
        start=records.start.at[:, 1:4].add(until[:-1]),
        flight=flight,
        nodes=records.nodes.at[..., 1:4].add(along),
    )
    motion = last.motion._replace(position=last.motion.position + until[-1])
    return last._replace(motion=motion), records


def in_contacts(
    scene: Scene, nodes: ContactNodes, motion: SphereMotion, normal: jax.Array, *, level: bool
) -> SphereMotion:
    """``motion`` at some times in contacts, with the tangential velocity and spin that friction
    leaves then; ``nodes`` around each time and before it, (times, nodes, ...).
    """
    passed = pushes_of(nodes, normal)
    tangential, spin = jax.vmap(partial(slid_until, scene, normal, level=level))(
        passed, motion.time
    )
    velocity = tangential + (motion.velocity @ normal)[:, None] * normal
    return motion._replace(velocity=velocity, spin=spin)


def motion_at(
    scene: Scene,
    records: BounceRecord,
    used: jax.Array,
    last: BounceCarry,
    times: jax.Array,
    *,
    rigid: bool,
    rest_steps: int,
    accuracy: float,
    level: bool,
) -> tuple[SphereMotion, jax.Array]:
    """Motion at ``times``: each in a contact, in the flight after it, or in what follows the last
    one; and whether there were steps enough for the latter.
    """

    def choose(condition: jax.Array, first: Any, second: Any) -> Any:
        return jax.tree.map(
            lambda a, b: jnp.where(condition.reshape((-1,) + (1,) * (a.ndim - 1)), a, b),
            first,
            second,
        )

    count = records.nodes.shape[1]
    nodes = records.nodes.reshape((-1, records.nodes.shape[2]))
    known = times_on_path(records, rigid=rigid)
    (plane,) = scene.surfaces
    normal = plane.unit_normal
    # The gap is zero, unless the sphere started inside the plane.
    gap = plane.gap(last.motion.position, scene.bodies.radius)
    resting, reached = sustained_contact(
        scene,
        last.motion,
        normal,
        gap,
        times[-1],
        happens=last.rests,
        pieces=rest_steps,
        accuracy=accuracy,
        level=level,
    )

    def seen(times: jax.Array) -> SphereMotion:
        node = jnp.searchsorted(known.ravel(), jax.lax.stop_gradient(times), side="right") - 1
        contact = jnp.maximum(node, 0) // count
        inside = (node >= 0) & (node % count < count - 1)
        before = jnp.where(inside, node, 0)
        ends = nodes[jnp.stack([before, before + 1])]
        piece = contact_segments(scene, nodes_of(ends), normal, rigid=rigid)
        rests = last.rests & (times >= last.motion.time)
        index = jnp.sum(
            jax.lax.stop_gradient(times)[:, None] >= jax.lax.stop_gradient(resting.end_time), axis=1
        )
        index = jnp.minimum(index, resting.end_time.shape[0] - 1)
        rest_piece = jax.tree.map(lambda column: column[index], resting)
        motion = SphereMotion(times, *at_times(choose(rests, rest_piece, piece), times))
        if not rigid:
            # the slip at a node is right but for its memory: without a pull from the node before
            # the time on, else from the one before that
            first = before if level else jnp.where(before % count > 0, before - 1, before)
            passed = nodes[first[:, None] + np.arange(2 if level else 3)]
            slid = in_contacts(scene, nodes_of(passed), motion, normal, level=level)
            motion = choose(inside & ~rests, slid, motion)

        starts = jnp.concatenate([records.start, row(last.motion)[None]])
        start = motion_of(starts[jnp.where(node < 0, 0, contact + 1)])
        flight = falling(scene, start, times)
        if scene.has_fluid:
            flight = choose(
                (times >= last.motion.time) & ~last.passed,
                flight,
                in_flights(scene, records, used, known[:, -1], times),
            )
        return choose(inside | rests, motion, flight)

    return in_blocks(seen, times), reached | ~last.rests


def simulate_events(
    scene: Scene, start: State, times: jax.Array, method: EventAligned | Impulse, *, level: bool
) -> Trajectory:
    """Motion of one sphere above a plane at ``times``."""
    horizon = times[-1]
    beginning = SphereMotion(times[0], start.position, start.velocity, start.spin)
    last, records, idle = bounces(scene, beginning, horizon, method, level=level)
    records = records._replace(happened=records.happened & ~idle)
    if isinstance(method, EventAligned) and not isinstance(scene.contact.friction, NoFriction):
        last, records = moved_at_corners(scene, last, records, level=level)
    motion, reached = motion_at(
        scene,
        records,
        ~idle,
        last,
        times,
        rigid=isinstance(method, Impulse),
        rest_steps=method.rest_steps,
        accuracy=method.accuracy,
        level=level,
    )
    frozen, began, landed, end = jax.lax.stop_gradient((scene, start, last.motion, horizon))
    passed = last.passed
    if not scene.has_fluid:  # whose flights are part of the budget
        # After the last contact of the budget the sphere may fly to the end without another one.
        onwards = parabola(frozen, landed, end)
        passed = passed | ~(onwards.touches & (onwards.end.time <= end))
    status = jnp.where(
        last.rests,
        Status.CAME_TO_REST,
        jnp.where(passed, Status.SUCCESS, Status.TOO_FEW_CONTACTS),
    )
    followed = status <= Status.CAME_TO_REST
    inexact = followed & has_inexact_flight(records, ~idle, method.accuracy)
    status = jnp.where(inexact, Status.INEXACT_FLIGHT, status)
    status = jnp.where(reached, status, Status.INEXACT_STEPS)
    unresolved = starts_in_overlap(frozen, began)
    if isinstance(method, EventAligned):
        for lacks, code in (
            (records.lack_of_friction, Status.INEXACT_STEPS),
            (records.lack_of_contact, Status.INEXACT_CONTACT),
        ):
            inexact = followed & has_inexact_contact(records, lacks, ~idle, method)
            status = jnp.where(inexact, code, status)
        unresolved = unresolved | jnp.any(~idle & jnp.isinf(records.lack_of_contact))
        unresolved = unresolved | (last.rests & rests_deep(frozen, landed, method.rest_overlap))
    status = jnp.where(unresolved, Status.UNRESOLVED_CONTACT, status)
    only = jnp.zeros(records.happened.shape, dtype=int)
    contacts = Contacts(
        happened=records.happened,
        touch_down=records.nodes[:, 0, 0],
        lift_off=records.nodes[:, -1, 0],
        impact_speed=records.impact_speed,
        rebound_speed=records.rebound_speed,
        surface=only,
        body=only,
        partner=only - 1,
    )
    return Trajectory(times, motion.position, motion.velocity, motion.spin, contacts, status)


def has_inexact_flight(records: BounceRecord, used: jax.Array, accuracy: float) -> jax.Array:
    """Whether a flight that is ``used`` lacks more than it may."""
    lacks = jax.lax.stop_gradient(records.lack_of_flight)
    return jnp.any(used & (lacks > largest_flight_lack(accuracy, lacks.dtype)))


def has_inexact_contact(
    records: BounceRecord, lacks: jax.Array, used: jax.Array, method: EventAligned
) -> jax.Array:
    """Whether a contact that is ``used`` lacks more than it may, in units of the fastest impact."""
    happened, lacks, speeds = jax.lax.stop_gradient((records.happened, lacks, records.impact_speed))
    allowed = largest_lack(method.accuracy, method.contact_steps, lacks.dtype)
    largest = allowed * jnp.max(jnp.where(happened, speeds, 0.0))
    return jnp.any(used & (lacks * jnp.where(happened, speeds, 1.0) > largest))


def is_level(scene: Scene) -> bool:
    """Whether external forces are known, before tracing, to have no component in the plane during a
    contact.
    """
    if scene.has_fluid or not is_concrete(scene.gravity):
        return False
    gravity = np.asarray(scene.gravity, dtype=float)
    normal = scene.surfaces[0].normal
    return is_concrete(normal) and not np.any(np.cross(gravity, np.asarray(normal, dtype=float)))


TOUCHES = 1e-9
"""Overlap at the start that counts as rounding, in units of the radius."""


def starts_in_overlap(scene: Scene, start: State) -> jax.Array:
    """Whether the sphere overlaps the plane at the start by more than rounding."""
    radius = jnp.asarray(scene.bodies.radius)
    extent = jnp.max(jnp.abs(start.position)) + radius
    tolerance = TOUCHES * radius + 16 * jnp.finfo(extent.dtype).eps * extent
    return jnp.ravel(scene.surfaces[0].gap(start.position, radius) < -tolerance)[0]


def rests_deep(scene: Scene, motion: SphereMotion, largest: float) -> jax.Array:
    """Whether a sphere that came to rest sinks in by more than ``largest`` of its radius."""
    normal = scene.surfaces[0].unit_normal
    load = jnp.maximum(normal_load(scene, normal, motion.velocity, motion.spin), 0.0)
    deepest = static_overlap(scene, load * scene.bodies.mass)
    return jnp.ravel(deepest > largest * jnp.asarray(scene.bodies.radius))[0]
