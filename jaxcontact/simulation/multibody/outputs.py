"""Where the bodies are at the times that were asked for.

In flights that is between the ends of the step that a time falls into. In contacts, and where
clumps turn, the step is taken again up to the time.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.geometry.rotation import quaternion_rate
from jaxcontact.numerics.checkpointed_scan import checkpointed_scan
from jaxcontact.numerics.interpolation import ROUNDED, Segments, cubic, evaluate
from jaxcontact.numerics.smooth import safe_norm
from jaxcontact.scene.scene import State
from jaxcontact.simulation.core.lanes import when
from jaxcontact.simulation.multibody.energy import StepRecord
from jaxcontact.simulation.multibody.pairs import World, spin_rates
from jaxcontact.simulation.multibody.step import Active, contact_step
from jaxcontact.simulation.multibody.sustained_contacts import Slopes


class Again(NamedTuple):
    """A step to be taken again up to a time within.

    Attributes:
        active, before, time, repeats: columns of the ``StepRecord``.
        until: the time [s].
        between: where the bodies are by interpolation, if the step is not to be taken.
    """

    active: Active
    before: State
    time: jax.Array
    repeats: jax.Array
    until: jax.Array
    between: State


def seen_at(world: World, record: StepRecord, times: jax.Array) -> State:
    """The bodies at ``times``, ``(times, bodies, ...)``: in flights between the ends of the step
    that each falls into; in contacts, and where clumps turn, at the end of shorter steps.
    """
    at_times = jax.vmap(
        lambda *columns: evaluate(segments(record, *columns), times), in_axes=1, out_axes=1
    )
    before, after, shift = record.before, record.after, change_of_overlap(record)
    index = steps_of(record, times)
    duration = record.duration[index]
    theta = (times - record.time[index]) / jnp.where(duration > 0, duration, 1.0)
    position, velocity, spin = at_times(
        before.position,
        before.velocity,
        before.spin,
        after.position - shift,
        after.velocity,
        after.spin,
        gyration(world, record),
        record.slopes,
    )
    position = position + theta[:, None, None] * shift[index]
    between = State(position, velocity, spin, orientations(world, record, times))
    if world.rigid and not world.turns:
        return between
    columns = record.active, record.before, record.time, record.repeats
    active, begun, time, repeats = jax.tree.map(lambda column: column[index], columns)
    step = Again(active, begun, time, repeats, times, between)

    def at_time(_: None, step: Again) -> tuple[None, State]:
        def reached() -> State:
            duration = step.until - step.time
            return contact_step(world, step.active, step.before, step.time, duration).state

        goes = step.repeats & (step.until > step.time)
        return None, when(goes, reached, lambda: step.between)

    return checkpointed_scan(at_time, None, step)[1]


def change_of_overlap(record: StepRecord) -> jax.Array:
    """What bodies move in sustained contacts beside their velocities, to follow the static overlap
    [m], ``(steps, bodies, 3)``: evenly over a step.
    """
    if record.slopes is None:
        return jnp.zeros_like(record.before.position)
    before, after, h = record.before, record.after, record.duration[:, None, None]
    bend = record.slopes.start_acceleration - record.slopes.end_acceleration
    moved = h * ((before.velocity + after.velocity) / 2 + h / 12 * bend)
    shift = after.position - before.position - moved
    return jnp.where(record.rests[:, None, None], shift, 0.0)


def steps_of(record: StepRecord, times: jax.Array) -> jax.Array:
    """Index of the step that each time falls into."""
    order = jax.lax.stop_gradient(record.time)
    return jnp.clip(
        jnp.searchsorted(order, jax.lax.stop_gradient(times), side="right") - 1, 0, len(order) - 1
    )


def gyration(world: World, record: StepRecord) -> jax.Array:
    """Half of what the angular accelerations without a torque change by over each step,
    ``(steps, bodies, 3)``; none of spheres.
    """
    if not world.turns:
        return jnp.zeros_like(record.before.spin)

    def free(state: State) -> jax.Array:
        return spin_rates(world, state, jnp.zeros_like(state.spin))

    return (jax.vmap(free)(record.after) - jax.vmap(free)(record.before)) / 2


def segments(
    record: StepRecord,
    x0: jax.Array,
    v0: jax.Array,
    w0: jax.Array,
    x1: jax.Array,
    v1: jax.Array,
    w1: jax.Array,
    gyration: jax.Array,
    slopes: Slopes | None,
) -> Segments:
    """Pieces of one body's motion: cubics, exact for a parabola; quintics in sustained contact,
    whose steps tell their ``slopes``.
    """
    h = record.duration[:, None]
    moves = h > 0
    inverse = jnp.where(moves, 1 / jnp.where(moves, h, 1.0), 0.0)
    # In a very short step the difference of positions is rounding, which velocities are not.
    beside = x1 - x0 - h * (v0 + v1) / 2
    rounding = ROUNDED * jnp.finfo(x0.dtype).eps * jnp.maximum(jnp.abs(x0), jnp.abs(x1))
    mean = (v0 + v1) / 2 + jnp.where(jnp.abs(beside) > rounding, beside, 0.0) * inverse
    a0 = (6 * mean - 4 * v0 - 2 * v1) * inverse
    a1 = (2 * v0 + 4 * v1 - 6 * mean) * inverse
    # A torque counts as constant over a step.
    turn = (w1 - w0) * inverse
    told = Slopes(a0, a1, turn - gyration, turn + gyration)
    if slopes is not None:
        told = jax.tree.map(lambda own, of: jnp.where(record.rests[:, None], own, of), slopes, told)
    return Segments(
        record.time,
        record.time + record.duration,
        x0,
        x1,
        v0,
        v1,
        told.start_acceleration,
        told.end_acceleration,
        w0,
        w1,
        told.start_spin_rate,
        told.end_spin_rate,
    )


def orientations(world: World, record: StepRecord, times: jax.Array) -> jax.Array | None:
    """Orientation of the clumps at ``times``: cubics of the quaternions between the ends of the
    steps.
    """
    if not world.turns:
        return None
    index = steps_of(record, times)
    ends = [
        jax.tree.map(lambda column: column[index], end) for end in (record.before, record.after)
    ]
    h = record.duration[index]
    theta = (times - record.time[index]) / jnp.where(h > 0, h, 1.0)
    orientations = [end.orientation for end in ends]
    rates = [quaternion_rate(end.orientation, end.spin) for end in ends]
    turn = cubic(theta[:, None, None], h[:, None, None], *orientations, *rates)
    return turn / safe_norm(turn)[..., None]
