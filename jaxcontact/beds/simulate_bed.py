"""``simulate_bed``: the motion of many spheres at given times, in steps of one length."""

import math
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from jaxcontact.beds.bed import Bed, check_bed, repetition_of
from jaxcontact.beds.components import (
    Components,
    cross,
    dot,
    each,
    from_last_axis,
    to_last_axis,
)
from jaxcontact.beds.contact_lists import BedSizes, enlarged, first_sizes
from jaxcontact.beds.contact_models import BedContact, BedPairContact, SphereContact
from jaxcontact.beds.periods import LEAST_CELLS, ROUNDING, are_long_enough, is_repeated
from jaxcontact.beds.steps import (
    BedState,
    Work,
    World,
    advanced,
    advanced_in_blocks,
    begun,
    forces_of,
    in_order,
    resumed,
    touching,
    world_of,
)
from jaxcontact.beds.trajectory import (
    COARSEST,
    DEEPEST,
    BedContacts,
    BedEnergy,
    BedError,
    BedStatus,
    BedTrajectory,
)
from jaxcontact.beds.walls import of_walls
from jaxcontact.laws.core.pair_contact import PairContact
from jaxcontact.parameters import is_concrete, is_whole
from jaxcontact.scene.scene import State
from jaxcontact.surfaces.base import walls_apart

MOST_RUNS = 12
"""How often lists are enlarged before something else is taken to be wrong."""


def simulate_bed(
    bed: Bed,
    start: State | BedState,
    times: ArrayLike,
    *,
    time_step: float | None = None,
    steps_per_list: int | None = None,
    sizes: BedSizes | None = None,
    ledger: bool = False,
    strict: bool = True,
) -> BedTrajectory:
    """Simulate a bed from ``times[0]`` on, in leapfrog steps of one length.

    Works under ``jit``, ``vmap`` and forward mode, with respect to every parameter of ``bed`` and
    every component of ``start``; with ``steps_per_list`` in reverse mode, too. Derivatives are
    those of the steps: true for contacts that last, wrong by their own size for stiff impacts (see
    ``simulate``, which follows few bodies exactly). Precision is that of JAX: enable float64.

    Args:
        bed: spheres, walls, contact model, gravity.
        start: state at ``times[0]`` with a body axis, its tangential springs without elongation; or
            ``end`` of a trajectory, which goes on with its springs.
        times: (n,) times of the output in increasing order [s], known before tracing.
        time_step: longest step [s]; each interval between output times is divided into equal
            steps of at most this length. ``None``: the least that the contact model gives for these
            spheres (``contact.time_step``).
        steps_per_list: make lists every so many steps, for reverse mode; ``None``: when needed.
        sizes: room of the lists; ``None``: found from the start, and enlarged where needed.
        ledger: whether to book the work in all contacts and of the walls, for ``ledger`` of the
            result. A step costs about twice as much.
        strict: whether to raise where the result is not to be trusted. Inside ``jit``, ``vmap`` and
            ``grad`` nothing can be raised: look at ``status``.

    Returns:
        Position, velocity, spin, energies, forces and torques on walls at ``times``, contacts at
        the last.

    Raises:
        ValueError, TypeError: before tracing, naming the argument and the remedy.
        BedError: with the advice as its text and the trajectory as an attribute.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.3, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.006), (0.0, 0.001, 0.017)])
        >>> result = jc.simulate_bed(bed, start, [0.0, 1.0])
        >>> print(result.position[-1, :, 2].round(4))
        [0.005 0.005]
    """
    instants = _checked_times(times)
    spheres = _checked_start(bed, start)
    check_bed(bed, spheres)
    if steps_per_list is not None and not (is_whole(steps_per_list) and steps_per_list >= 1):
        raise ValueError(
            f"simulate_bed: steps_per_list = {steps_per_list!r} is no whole number from 1 on."
        )
    longest = _checked_step(bed, time_step)
    steps = np.maximum(np.ceil(np.diff(instants) / longest - 1e-9), 1).astype(int)
    if steps_per_list is not None and steps.size:
        steps = np.full_like(steps, np.max(steps))  # one length of the scan for all intervals
    if sizes is not None and not isinstance(sizes, BedSizes):
        raise TypeError(
            f"simulate_bed: sizes = {type(sizes).__name__} is no BedSizes. Take result.sizes of a "
            "run, or leave it out to have them found."
        )
    found = _found_sizes(bed, start) if sizes is None else sizes
    _check_precision(bed, start)
    if isinstance(start, BedState):
        _check_past(bed, start)
        _check_same_periods(bed, start, instants[0])
    _check_period(bed, start, instants, found)

    def run(room: BedSizes) -> BedTrajectory:
        return _run(
            bed,
            start,
            instants,
            sizes=room,
            steps=steps,
            steps_per_list=steps_per_list,
            ledger=ledger,
        )

    result = run(found)
    if sizes is None:
        for _ in range(MOST_RUNS):
            if not is_concrete(result.status):
                break
            larger = enlarged(result.sizes, result.end.needs, spheres)
            if larger is None:
                break
            result = run(larger)
    if strict and is_concrete(result.status) and not np.all(result.succeeded):
        raise BedError(result)
    return result


def _checked_times(times: ArrayLike) -> np.ndarray:
    if not is_concrete(times):
        raise TypeError(
            "simulate_bed: times must be known before tracing, because the number of steps is "
            "fixed. Hand in numbers."
        )
    values = np.asarray(times, dtype=float)
    if values.ndim != 1 or not values.size or not np.all(np.isfinite(values)):
        raise ValueError(
            f"simulate_bed: times has shape {values.shape}, but must be a list of finite times, "
            "shape (n,) with n >= 1."
        )
    if np.any(np.diff(values) <= 0):
        raise ValueError("simulate_bed: times must increase from each to the next. Sort them.")
    return values


def _checked_start(bed: Bed, start: State | BedState) -> int:
    """Number of spheres."""
    if isinstance(start, BedState):
        return start.particles.radius.shape[0]
    if not isinstance(start, State):
        raise TypeError(
            f"simulate_bed: start = {type(start).__name__} is no State. Make one with "
            "state(position=...), or take end of a trajectory."
        )
    if start.position.ndim != 2:
        raise ValueError(
            f"simulate_bed: start.position has shape {start.position.shape}, but must be "
            "(spheres, 3)."
        )
    if start.orientation is not None:
        raise ValueError("simulate_bed: start.orientation is given, but spheres have none.")
    return start.position.shape[0]


def _checked_step(bed: Bed, time_step: float | None) -> float:
    if time_step is not None:
        if isinstance(time_step, bool) or not is_concrete(time_step) or np.ndim(time_step):
            raise TypeError(
                f"simulate_bed: time_step = {time_step!r} is no number known before tracing [s]. "
                "Give one for all spheres, or leave it out to have one found."
            )
        if not 0 < float(time_step) < math.inf:
            raise ValueError(
                f"simulate_bed: time_step = {time_step!r} s is outside (0, inf). Leave it out to "
                "have one found."
            )
        return float(time_step)
    contacts = (*bed.between, *bed.at_walls)
    if not all(isinstance(contact, SphereContact) for contact in contacts):
        raise ValueError(
            "simulate_bed: time_step must be given where a contact is neither a "
            "LinearSpringDashpot nor a HertzMindlin: laws have no one stiffness. A fiftieth of the "
            "duration of the shortest contact is usual."
        )
    found = [
        contact.time_step(radius=bed.spheres.radius, mass=bed.spheres.mass) for contact in contacts
    ]
    if not is_concrete(found):
        raise TypeError(
            "simulate_bed: time_step must be given where stiffness, radius or mass are traced, "
            "because the number of steps is fixed. Outside, "
            "float(numpy.min(bed.contact.time_step(radius=..., mass=...))) is what would be taken."
        )
    return min(float(np.min(np.asarray(step))) for step in found)


def _found_sizes(bed: Bed, start: State | BedState) -> BedSizes:
    radius = bed.spheres.radius
    if isinstance(start, BedState):
        position, count = to_last_axis(start.particles.position), start.particles.radius.shape[0]
    else:
        position, count = start.position, start.position.shape[0]
    periods = [length for length in bed.period if length is not None]
    if not is_concrete((position, radius, *periods)):
        raise TypeError(
            "simulate_bed: sizes must be given where start, radius or period are traced, because "
            "the room of lists is fixed. Run once outside and hand in sizes=result.sizes."
        )
    sizes = first_sizes(
        np.asarray(position, dtype=float),
        np.broadcast_to(np.asarray(radius, dtype=float), (count,)),
        len(walls_apart(bed.walls)[0]),
        period=bed.period,
    )
    if isinstance(start, BedState):
        return enlarged(sizes, start.needs, count) or sizes
    return sizes


LEAST_DIGITS = 10.0
"""Rounding errors of a position that the overlap under a sphere's own weight must be worth."""


def _check_precision(bed: Bed, start: State | BedState) -> None:
    """Raises where positions have too few digits for the overlaps (single precision)."""
    position = (
        to_last_axis(start.particles.position) if isinstance(start, BedState) else start.position
    )
    known = (position, bed.spheres.mass, bed.spheres.radius, bed.gravity)
    contacts = (*bed.between, *bed.at_walls)
    known = (*known, *jax.tree.leaves(contacts))
    if not all(is_concrete(value) for value in known) or not np.any(np.asarray(bed.gravity)):
        return
    weight = np.asarray(bed.spheres.mass) * float(np.linalg.norm(np.asarray(bed.gravity)))
    overlap = min(static_overlap(contact, weight, bed.spheres.radius) for contact in contacts)
    rounding = float(jnp.finfo(position.dtype).eps) * float(np.max(np.abs(np.asarray(position))))
    if overlap < LEAST_DIGITS * rounding:
        raise ValueError(
            f"simulate_bed: overlaps of {overlap:.1e} m, those under the weight of one sphere, "
            f"are lost in positions that {position.dtype} rounds to {rounding:.1e} m. Enable "
            'float64 (jax.config.update("jax_enable_x64", True)), or lower the stiffness.'
        )


def _check_past(bed: Bed, start: BedState) -> None:
    """Raises where contacts remember what other laws than those of the bed ask for."""
    wanted = [forces.unloaded(1, start.particles.radius.dtype) for forces in forces_of(bed)]
    kept = (start.pairs.history, start.wall_contacts.history)
    for name, one, other in zip(("contact", "contact_on_walls"), wanted, kept, strict=True):
        kinds: list[Any] = [jax.tree.structure(history) for history in (one, other)]
        if kinds[0] != kinds[1]:
            raise ValueError(
                f"simulate_bed: start was made with another kind of bed.{name} than this, and its "
                "contacts remember something else. Go on with the same laws (their numbers may "
                "change), or begin anew with a state: state(position=result.position[-1], ...)."
            )


def _check_same_periods(bed: Bed, start: BedState, time: float) -> None:
    """Raises where repetitions would jump, as far as numbers are known."""
    if not is_concrete((start.periods, *jax.tree.leaves(repetition_of(bed)))):
        return
    with jax.ensure_compile_time_eval():
        now = np.asarray(repetition_of(bed).at(jnp.asarray(time)).numbers())
    were = np.asarray(start.periods)
    jump = np.where((now > 0.0) & (were > 0.0), now - were, 0.0)
    if now[2] > 0.0 and were[2] > 0.0 and now[0] > 0.0:
        jump[3] = now[3] - were[3]
        jump[3] -= now[0] * np.round(jump[3] / now[0])
    size = np.max(now)
    if np.any(np.abs(jump) > ROUNDING * size):
        raise ValueError(
            f"simulate_bed: start ended with the periods {tuple(were[:3].tolist())} m and a shift "
            f"of {were[3]:.9g} m, but bed.period and period_shift with their rates are "
            f"{tuple(now[:3].tolist())} m and {now[3]:.9g} m at {time:g} s: repetitions would "
            "jump. Both count from time 0: give times that begin at 0, with the periods and the "
            "shift that start ended with."
        )


def static_overlap(contact: Any, load: np.ndarray, radius: Any) -> float:
    """The smallest overlap [m] of spheres of these radii [m] that each carry a load [N]; infinite
    where the law tells none.
    """
    if isinstance(contact, (PairContact, BedPairContact)):
        return math.inf
    if isinstance(contact, SphereContact):
        return float(np.min(contact.static_overlap(load, radius=radius)))
    radius, load = np.broadcast_arrays(np.asarray(radius, float), load)
    smallest = np.argmin(radius)
    laws = contact
    if isinstance(contact, BedContact):
        laws = contact.of_pair(radius=jnp.asarray(radius.flat[smallest]))
    overlap = float(laws.normal.static_overlap(jnp.asarray(load.flat[smallest])))
    return overlap if overlap > 0.0 else math.inf


def _check_period(bed: Bed, start: State | BedState, times: np.ndarray, sizes: BedSizes) -> None:
    """Raises where a bed cannot repeat itself as asked for, as far as numbers are known."""
    lengths = [length for length in bed.period if length is not None]
    if not lengths:
        return
    position = start.particles.position if isinstance(start, BedState) else start.position
    real = jax.tree.leaves(position)[0].dtype
    if real != np.float64:
        raise TypeError(
            f"simulate_bed: bed.period is given, but positions are {real}. They go on beyond the "
            'period, and lose their digits. Enable float64 (jax.config.update("jax_enable_x64", '
            "True))."
        )
    for axis, length, cells in zip("xyz", bed.period, sizes.cells, strict=True):
        if length is not None and cells < LEAST_CELLS:
            raise ValueError(
                f"simulate_bed: sizes.cells = {sizes.cells} has {cells} in {axis}, where the bed "
                f"repeats itself. Give at least {LEAST_CELLS}: with fewer, spheres would meet each "
                "other twice. Leave sizes out to have them found."
            )
    rates = [rate for rate in bed.period_rate if rate is not None]
    if is_concrete((*lengths, *rates, bed.spheres.radius)):
        edge = 2.0 * float(np.max(np.asarray(bed.spheres.radius))) + sizes.skin
        for time in (times[0], times[-1]):
            with jax.ensure_compile_time_eval():
                fits = are_long_enough(repetition_of(bed).at(jnp.asarray(time)).lengths, edge)
            if not fits:
                raise ValueError(
                    f"simulate_bed: bed.period = {bed.period} m, with bed.period_rate = "
                    f"{bed.period_rate} m/s, but each must be at least {LEAST_CELLS * edge:.6g} m "
                    f"from {times[0]:g} s to {times[-1]:g} s: {LEAST_CELLS} times the largest "
                    "diameter and sizes.skin. Take more spheres and a longer period."
                )
    known = (*jax.tree.leaves(bed.walls), *lengths, *jax.tree.leaves(position))
    if is_concrete(known):
        with jax.ensure_compile_time_eval():
            place = position if isinstance(position, tuple) else from_last_axis(position)
            first = jnp.asarray(times[0])
            repeated = [bool(_is_repeated(wall, place, first, bed.period)) for wall in bed.walls]
        for index, (wall, same) in enumerate(zip(bed.walls, repeated, strict=True)):
            if not same:
                raise ValueError(
                    f"simulate_bed: bed.walls[{index}] = {type(wall).__name__} is not the same one "
                    f"bed.period = {bed.period} m further on, or turns about another axis. Give "
                    "None along the directions in which a wall ends."
                )


_is_repeated = jax.jit(is_repeated)
"""Operation by operation it would take longer than many steps."""


class _Output(NamedTuple):
    """What is kept at one time."""

    position: jax.Array
    velocity: jax.Array
    spin: jax.Array
    energy: BedEnergy
    work: Work
    wall_force: jax.Array
    wall_torque: jax.Array
    virial: jax.Array


def _run(
    bed: Bed,
    start: State | BedState,
    times: np.ndarray,
    *,
    sizes: BedSizes,
    steps: np.ndarray,
    steps_per_list: int | None,
    ledger: bool,
) -> BedTrajectory:
    counts = np.concatenate([[0], steps])
    lengths = np.diff(times, prepend=times[:1]) / np.maximum(counts, 1)
    first = lengths[1] if len(times) > 1 else 1.0
    if isinstance(start, BedState):
        state = _resumed(bed, start, times[0], first, sizes=sizes)
    else:
        state = _begun(bed, start, times[0], first, sizes=sizes)
    if steps_per_list is None:
        result = _simulated(bed, state, lengths, counts, sizes=sizes, ledger=ledger)
    else:
        result = _simulated_in_blocks(
            bed,
            state,
            lengths,
            sizes=sizes,
            steps=int(counts[-1]),
            steps_per_list=steps_per_list,
            ledger=ledger,
        )
    outputs, contacts, end, status = result
    return BedTrajectory(
        jnp.asarray(times),
        outputs.position,
        outputs.velocity,
        outputs.spin,
        outputs.energy,
        outputs.work if ledger else None,
        outputs.wall_force,
        outputs.wall_torque,
        outputs.virial,
        contacts,
        end,
        status,
        steps,
        sizes,
    )


@partial(jax.jit, static_argnames="sizes")
def _begun(bed: Bed, start: State, time: jax.Array, h: jax.Array, *, sizes: BedSizes) -> BedState:
    return begun(world_of(bed, ledger=False), start, time, h, sizes)


@partial(jax.jit, static_argnames="sizes")
def _resumed(
    bed: Bed, state: BedState, time: jax.Array, h: jax.Array, *, sizes: BedSizes
) -> BedState:
    return resumed(world_of(bed, ledger=False), state, time, h, sizes)


_Simulated = tuple["_Output", BedContacts, BedState, jax.Array]


@partial(jax.jit, static_argnames=("sizes", "ledger"))
def _simulated(
    bed: Bed,
    state: BedState,
    lengths: jax.Array,
    counts: jax.Array,
    *,
    sizes: BedSizes,
    ledger: bool,
) -> _Simulated:
    world = world_of(bed, ledger=ledger)

    def interval(state: BedState, now: tuple[jax.Array, jax.Array]) -> tuple[BedState, "_Output"]:
        state = advanced(world, state, now[0], sizes, now[1])
        return state, _output(world, state)

    first_time = state.time
    state, outputs = jax.lax.scan(interval, state, (lengths, counts))
    return (
        outputs,
        _contacts(world, state),
        state,
        _status(world, first_time, state, outputs, sizes),
    )


@partial(jax.jit, static_argnames=("sizes", "steps", "steps_per_list", "ledger"))
def _simulated_in_blocks(
    bed: Bed,
    state: BedState,
    lengths: jax.Array,
    *,
    sizes: BedSizes,
    steps: int,
    steps_per_list: int,
    ledger: bool,
) -> _Simulated:
    world = world_of(bed, ledger=ledger)

    def interval(state: BedState, h: jax.Array) -> tuple[BedState, "_Output"]:
        state = advanced_in_blocks(world, state, h, sizes, steps, block=steps_per_list)
        return state, _output(world, state)

    first_time, first = state.time, _output(world, state)
    state, later = jax.lax.scan(interval, state, lengths[1:])
    outputs = jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, later)
    return (
        outputs,
        _contacts(world, state),
        state,
        _status(world, first_time, state, outputs, sizes),
    )


def _output(world: World, state: BedState) -> _Output:
    particles, pairs, at_walls = state.particles, state.pairs, state.wall_contacts
    touches = touching(world, state)
    lists = (
        (world.between, pairs.history, world.model_of_pairs(particles, pairs)),
        (world.at_walls, at_walls.history, world.model_at_walls(particles, at_walls)),
    )
    stored = []
    for (forces, history, which), touch, loads in zip(lists, touches, state.loads, strict=True):
        found = forces.stored(touch, history, loads.overlap, which)
        stored.append([jnp.sum(jnp.where(loads.overlap != 0.0, part, 0.0)) for part in found])
    pull = sum(
        g * jnp.sum(particles.mass * x)
        for g, x in zip(world.gravity, particles.position, strict=True)
    )
    energy = BedEnergy(
        0.5 * jnp.sum(particles.mass * dot(particles.velocity, particles.velocity)),
        0.5 * jnp.sum(particles.inertia * dot(particles.spin, particles.spin)),
        -jnp.asarray(pull),
        *(a + b for a, b in zip(*stored, strict=True)),
    )
    force, torque = _on_walls(world, state)
    return _Output(
        in_order(particles, particles.position),
        in_order(particles, particles.velocity),
        in_order(particles, particles.spin),
        energy,
        state.work,
        force,
        torque,
        _virial(world, state),
    )


def _on_walls(world: World, state: BedState) -> tuple[jax.Array, jax.Array]:
    """Force [N] and torque [N m] of all spheres on each wall ``(walls, 3)``, the torque about the
    point about which the wall turns.
    """
    contacts, loads = state.wall_contacts, state.loads[1]
    if not world.bed.walls:
        return jnp.zeros((0, 3)), jnp.zeros((0, 3))
    centre = of_walls(world.walls(state.time).centre, contacts.wall)
    arm = each(lambda x, c: x[contacts.sphere] - c, state.particles.position, centre)
    torque = each(jnp.add, cross(arm, loads.force), loads.torques[0])
    number = jnp.arange(len(world.surfaces))[:, None]
    here = (number == jnp.asarray(world.owner)[contacts.wall]) & contacts.live

    def summed(vector: Components) -> jax.Array:
        return -to_last_axis(each(lambda x: jnp.sum(jnp.where(here, x, 0.0), axis=-1), vector))

    return summed(loads.force), summed(torque)


def _virial(world: World, state: BedState) -> jax.Array:
    """Sum over contacts of the force on ``i`` times the way to its centre from that of ``j``, or
    from a wall ``(3, 3)`` [N m].
    """
    particles, pairs, at_walls = state.particles, state.pairs, state.wall_contacts
    reach = (
        particles.radius[pairs.i] + particles.radius[pairs.j],
        particles.radius[at_walls.sphere],
    )
    parts = []
    for touch, loads, radii in zip(touching(world, state), state.loads, reach, strict=True):
        way = each(lambda n, length=radii - touch.overlap: length * n, touch.normal)
        parts.append(to_last_axis(loads.force).T @ to_last_axis(way))
    return parts[0] + parts[1]


def _contacts(world: World, state: BedState) -> BedContacts:
    label = state.particles.label
    spheres, walls = state.pairs, state.wall_contacts
    between, at_walls = state.loads
    none = jnp.full_like(walls.sphere, -1)
    wall = jnp.asarray(world.owner)[walls.wall] if world.surfaces else walls.wall
    both = (
        (
            between.overlap != 0.0,
            label[spheres.i],
            label[spheres.j],
            jnp.full_like(spheres.i, -1),
            between.overlap,
        ),
        (at_walls.overlap != 0.0, label[walls.sphere], none, wall, at_walls.overlap),
    )
    columns = [jnp.concatenate(column) for column in zip(*both, strict=True)]
    vectors = [
        jnp.concatenate([to_last_axis(a), to_last_axis(b)])
        for a, b in (
            (between.force, at_walls.force),
            (
                world.between.elongation(spheres.history),
                world.at_walls.elongation(walls.history),
            ),
        )
    ]
    return BedContacts(*columns, *vectors)


def _status(
    world: World, first_time: jax.Array, state: BedState, outputs: _Output, sizes: BedSizes
) -> jax.Array:
    total = jnp.sum(outputs.position) + jnp.sum(outputs.velocity) + jnp.sum(outputs.spin)
    finite = jnp.isfinite(jax.lax.stop_gradient(total))
    full = jnp.any(state.needs.rooms > jnp.asarray(sizes.rooms))
    deep = state.deepest > DEEPEST
    radius, mass = state.particles.radius, state.particles.mass
    ends = [jnp.stack([jnp.min(value), jnp.max(value)]) for value in (radius, mass)]
    outran = state.outran | world.between.acts_beyond(sizes.skin, *ends)
    if world.bed.walls:
        outran |= world.at_walls.acts_beyond(sizes.skin, *ends)
    status = jnp.asarray(BedStatus.SUCCESS)
    for code, happened in (
        (BedStatus.DEEP_OVERLAP, deep),
        (BedStatus.COARSE_STEPS, state.coarsest > COARSEST),
        (BedStatus.LISTS_OUTRUN, outran),
        (BedStatus.LISTS_FULL, full),
        (BedStatus.NOT_FINITE, ~finite),
        (BedStatus.NOT_REPEATED, ~_repeats(world, first_time, state, sizes)),
    ):
        status = jnp.where(happened, code, status)
    return status.astype(jnp.int32)


def _repeats(world: World, first_time: jax.Array, state: BedState, sizes: BedSizes) -> jax.Array:
    """Whether the bed can repeat itself as asked for, from its first time on."""
    bed, particles = world.bed, state.particles
    if all(length is None for length in bed.period):
        return jnp.ones((), bool)
    edge = 2.0 * jnp.max(particles.radius) + sizes.skin
    before, now = (world.repetition(time).lengths for time in (first_time, state.time))
    same = [is_repeated(wall, particles.position, state.time, now) for wall in world.surfaces]
    long_enough = are_long_enough(before, edge) & are_long_enough(now, edge)
    return long_enough & jnp.all(jnp.asarray(same, bool))
