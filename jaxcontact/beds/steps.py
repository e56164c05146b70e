"""The steps of a bed: sum the loads, kick, drift, evaluate loads (leapfrog).

Loads are carried from step to step. Summed in the step that makes them, the compiler would write
the whole law into each of the six sums, for each slot: seven times slower.
"""

import functools
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.beds.bed import Bed, repetition_of
from jaxcontact.beds.components import Components, dot, each, from_last_axis
from jaxcontact.beds.contact_forces import ContactForces, Loads, power, table_of
from jaxcontact.beds.contact_lists import (
    BedSizes,
    History,
    Needs,
    Pairs,
    Particles,
    WallContacts,
    no_pairs,
    no_wall_contacts,
    rebuilt,
    signed_sum,
    sum_of_ends,
)
from jaxcontact.beds.contact_models import BedPairContact, SphereContact
from jaxcontact.beds.law_forces import LawForces
from jaxcontact.beds.pair_forces import PairForces
from jaxcontact.beds.periods import Repetition
from jaxcontact.beds.resolution import Push, coarseness, push_of
from jaxcontact.beds.spring_forces import SpringForces
from jaxcontact.beds.touch import Touch, no_touch, of_pairs, of_wall_contacts
from jaxcontact.beds.walls import Walls, distances, walls_at
from jaxcontact.laws.core.pair_contact import PairContact
from jaxcontact.scene.scene import State
from jaxcontact.surfaces.base import Surface, walls_apart

Kind = TypeVar("Kind")


class Work(NamedTuple):
    """Work since the first start [J].

    Attributes:
        normal: of the bodies on their contacts, along the normal.
        tangential: along the plane.
        rolling: of their rolling and spinning.
        walls: of moving walls and of periods that change on the bed.
    """

    normal: jax.Array
    tangential: jax.Array
    rolling: jax.Array
    walls: jax.Array


class BedState(NamedTuple):
    """Everything that goes on: to be continued by ``simulate_bed``.

    Attributes:
        time: [s].
        particles: sorted by cell.
        pairs: with the springs of their contacts.
        wall_contacts: likewise.
        loads: of pairs and of contacts with walls.
        pushes: forces and speeds along the normal, likewise.
        work: done so far, since the first start.
        listed: positions when the lists were made [m], distances from the walls, and when [s].
        needs: the most that was needed.
        rebuilds: how often the lists were made.
        outran: whether a sphere moved further than the lists reach.
        deepest: largest overlap over effective radius since the start [-].
        coarsest: likewise, the coarseness of the steps for a contact (``resolution``) [-].
        periods: lengths after which the bed repeats itself in x, y and z, and the shift of the
            repetition above ``(4,)`` [m]; 0 where there is none.

    Example:
        >>> bed = jc.Bed(
        ...     spheres=jc.spheres(radius=5e-3, density=2500.0),
        ...     contact=jc.LinearSpringDashpot(stiffness=1e4, restitution=0.8, coefficient=0.5),
        ...     walls=(jc.Plane(),),
        ... )
        >>> start = jc.state(position=[(0.0, 0.0, 0.006), (0.0, 0.001, 0.017)])
        >>> first = jc.simulate_bed(bed, start, [0.0, 0.01])
        >>> jc.simulate_bed(bed, first.end, [0.01, 0.02])
        <BedTrajectory: 2 times, 2 spheres, SUCCESS>
    """

    time: jax.Array
    particles: Particles
    pairs: Pairs
    wall_contacts: WallContacts
    loads: tuple[Loads, Loads]
    pushes: tuple[Push, Push]
    work: Work
    listed: tuple[Components, jax.Array, jax.Array]
    needs: Needs
    rebuilds: jax.Array
    outran: jax.Array
    deepest: jax.Array
    coarsest: jax.Array
    periods: jax.Array


class World(NamedTuple):
    """What does not change in a simulation.

    Attributes:
        bed: with each wall of its surfaces (``Surface.walls``) as a wall of its own.
        surfaces: the walls as they were given.
        owner: number of the surface to which each wall belongs ``(walls,)``.
        between: forces of pairs.
        at_walls: forces at walls.
        gravity: [m/s^2].
        ledger: whether work is booked.
    """

    bed: Bed
    surfaces: tuple[Surface, ...]
    owner: np.ndarray
    between: ContactForces
    at_walls: ContactForces
    gravity: Components
    ledger: bool

    def walls(self, time: jax.Array) -> Walls:
        """At a time [s]."""
        return walls_at(self.bed.walls, time)

    def repetition(self, time: jax.Array) -> Repetition:
        """At a time [s]."""
        return repetition_of(self.bed).at(time)

    def model_of_pairs(self, particles: Particles, pairs: Pairs) -> jax.Array:
        """Number of the contact of each pair in the table of the bed."""
        one, other = particles.kind[pairs.i], particles.kind[pairs.j]
        larger = jnp.maximum(one, other)
        return larger * (larger + 1) // 2 + jnp.minimum(one, other)

    def model_at_walls(self, particles: Particles, contacts: WallContacts) -> jax.Array:
        """Number of the contact of each sphere at a wall."""
        return contacts.wall * self.bed.kinds + particles.kind[contacts.sphere]


def forces_of(bed: Bed) -> tuple[ContactForces, ContactForces]:
    """Of pairs, and at walls."""

    def of(contacts: tuple[Any, ...], *, at_walls: bool = False) -> ContactForces:
        table = table_of(contacts)
        if isinstance(table.models, (PairContact, BedPairContact)):
            return PairForces(table, at_walls)
        return SpringForces(table) if isinstance(table.models, SphereContact) else LawForces(table)

    at_walls = of(bed.at_walls, at_walls=True) if bed.walls else of(bed.between[:1])
    return of(bed.between), at_walls


def world_of(bed: Bed, *, ledger: bool) -> World:
    """The bed, what its laws need that no motion changes, and whether work is booked."""
    walls, owner = walls_apart(bed.walls)
    on_walls = bed.contact_on_walls
    if isinstance(on_walls, (tuple, list)):
        on_walls = tuple(on_walls[index] for index in owner)
    apart = bed.replace(walls=walls, contact_on_walls=on_walls)
    gravity = from_last_axis(bed.gravity_vector)
    between, at_walls = forces_of(apart)
    return World(apart, bed.walls, owner, between.prepared(), at_walls.prepared(), gravity, ledger)


def begun(world: World, start: State, time: jax.Array, h: jax.Array, sizes: BedSizes) -> BedState:
    """The state from which the first step starts, springs without elongation."""
    spheres, real = start.position.shape[0], start.position.dtype
    label = jnp.arange(spheres, dtype=jnp.int32)
    particles = Particles(
        from_last_axis(start.position),
        from_last_axis(start.velocity),
        from_last_axis(start.spin),
        *bodies(world.bed, label, real),
        label,
    )
    none, no = jnp.zeros((), jnp.int32), jnp.zeros((), bool)
    pairs = no_pairs(sizes, spheres, world.between.unloaded(sizes.pairs, real))
    contacts = no_wall_contacts(sizes, spheres, world.at_walls.unloaded(sizes.wall_contacts, real))
    nothing = jnp.zeros((), real)
    state = BedState(
        time,
        particles,
        pairs,
        contacts,
        (_unloaded(sizes.pairs, real, ends=2), _unloaded(sizes.wall_contacts, real, ends=1)),
        (_unpushed(sizes.pairs, real), _unpushed(sizes.wall_contacts, real)),
        Work(nothing, nothing, nothing, nothing),
        (particles.position, jnp.zeros((len(world.bed.walls), spheres), real), time),
        Needs(jnp.zeros(5, jnp.int32), jnp.zeros(3, jnp.int32)),
        none,
        no,
        nothing,
        nothing,
        world.repetition(time).numbers(),
    )
    return loaded(world, relisted(world, state, sizes), h, begins=True)


def bodies(
    bed: Bed, label: jax.Array, real: np.dtype
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Radius, mass, moment of inertia and kind of the spheres with these numbers."""
    radius, mass, ratio = (
        jnp.broadcast_to(jnp.asarray(value, real), label.shape)[label]
        for value in (bed.spheres.radius, bed.spheres.mass, bed.spheres.inertia_ratio)
    )
    kind = jnp.zeros_like(label) if bed.kind is None else jnp.asarray(bed.kind, jnp.int32)[label]
    return radius, mass, ratio * mass * radius**2, kind


def resumed(
    world: World, state: BedState, time: jax.Array, h: jax.Array, sizes: BedSizes
) -> BedState:
    """A state that goes on at a time [s], with lists of these sizes."""
    particles = state.particles
    radius, mass, inertia, kind = bodies(world.bed, particles.label, particles.radius.dtype)
    state = state._replace(
        time=time,
        particles=particles._replace(radius=radius, mass=mass, inertia=inertia, kind=kind),
        needs=jax.tree.map(jnp.zeros_like, state.needs),
        deepest=jnp.zeros_like(state.deepest),
        coarsest=jnp.zeros_like(state.coarsest),
        periods=world.repetition(time).numbers(),
    )
    # Walls and spheres may have been taken away since, and their contacts with them: a contact is
    # lost only where adhesion holds it beyond what these lists reach.
    held = zip(state.loads, (state.pairs.live, state.wall_contacts.live), strict=True)
    gaps = [jnp.max(jnp.where(live, -loads.overlap, 0.0)) for loads, live in held]
    state = relisted(world, state, sizes)._replace(outran=jnp.maximum(*gaps) > sizes.skin)
    return with_new_contacts(state, loaded(world, state, h, begins=True))


def with_new_contacts(state: BedState, begins: BedState) -> BedState:
    """With the loads and histories, from ``begins``, of what was no contact: spheres that came in
    may touch, and walls that were moved.
    """

    def joined(loads: Loads, new: Loads, old: Any, fresh: Any) -> Any:
        is_new = loads.overlap == 0.0
        return jax.tree.map(lambda a, b: jnp.where(is_new, b, a), (loads, old), (new, fresh))

    between, history = joined(
        state.loads[0], begins.loads[0], state.pairs.history, begins.pairs.history
    )
    at_walls, wall_history = joined(
        state.loads[1],
        begins.loads[1],
        state.wall_contacts.history,
        begins.wall_contacts.history,
    )
    return state._replace(
        pairs=state.pairs._replace(history=history),
        wall_contacts=state.wall_contacts._replace(history=wall_history),
        loads=(between, at_walls),
        pushes=begins.pushes,
        deepest=begins.deepest,
    )


def _unloaded(room: int, real: np.dtype, *, ends: int) -> Loads:
    zero = jnp.zeros(room, real)
    return Loads((zero, zero, zero), ((zero, zero, zero),) * ends, zero)


def _unpushed(room: int, real: np.dtype) -> Push:
    return Push(jnp.zeros(room, real), jnp.zeros(room, real))


def relisted(world: World, state: BedState, sizes: BedSizes) -> BedState:
    """With lists of what is near now; springs and loads of contacts that go on are kept."""
    place = jax.lax.stop_gradient(state.particles.position)
    far = jax.lax.stop_gradient(distances(world.walls(state.time), place))
    listed = rebuilt(
        state.particles,
        state.pairs,
        state.wall_contacts,
        state.needs,
        far,
        sizes,
        world.repetition(state.time),
    )
    between, at_walls = state.loads
    origin, wall_origin = listed.origin, listed.wall_origin
    kept = (origin.even(between.overlap), wall_origin.even(at_walls.overlap))
    had = jnp.count_nonzero(between.overlap) + jnp.count_nonzero(at_walls.overlap)
    lost = jnp.count_nonzero(kept[0]) + jnp.count_nonzero(kept[1]) < had
    place = jax.lax.stop_gradient(listed.particles.position)
    return state._replace(
        particles=listed.particles,
        pairs=listed.pairs,
        wall_contacts=listed.walls,
        loads=(
            Loads(
                origin.vector(between.force),
                origin.ends(*between.torques),
                kept[0],
            ),
            Loads(
                wall_origin.vector(at_walls.force),
                (wall_origin.vector(at_walls.torques[0]),),
                kept[1],
            ),
        ),
        pushes=(
            Push(*map(origin.even, state.pushes[0])),
            Push(*map(wall_origin.even, state.pushes[1])),
        ),
        needs=listed.needs,
        listed=(place, distances(world.walls(state.time), place), state.time),
        rebuilds=state.rebuilds + 1,
        outran=state.outran | lost,
    )


def checked(world: World, state: BedState, sizes: BedSizes) -> BedState:
    """With a note of whether the lists reached far enough until now."""
    too_far = excursion(world, state, sizes, 0.0) > 0.5 * sizes.skin
    return state._replace(outran=state.outran | too_far)


def excursion(
    world: World, state: BedState, sizes: BedSizes, ahead: jax.Array | float
) -> jax.Array:
    """How far a sphere or a wall is from where it was when the lists were made [m], ``ahead``
    seconds from now. What repetitions approach each other by is shared by both spheres of a pair.
    """
    particles, (listed, far, since) = jax.lax.stop_gradient((state.particles, state.listed))
    gone = each(
        lambda x, v, was: x + ahead * v - was, particles.position, particles.velocity, listed
    )
    strained = jnp.zeros(())
    if repetition_of(world.bed).changes:
        # With repetitions that move, every place is strained; what is beside that counts, without
        # what is common to all.
        rates, shear = jax.lax.stop_gradient(world.repetition(since).strain_rate())
        time = state.time + ahead - since
        dx, dy, dz = (time * rate * x for rate, x in zip(rates, listed, strict=True))
        gone = each(jnp.subtract, gone, (dx + time * shear * listed[2], dy, dz))
        gone = each(lambda part: part - jnp.mean(part), gone)
        reach = 2.0 * jax.lax.stop_gradient(jnp.max(particles.radius)) + sizes.skin
        strained = time * reach * jnp.linalg.norm(jnp.stack([*map(jnp.asarray, rates), shear]))
    farthest = jnp.sqrt(jnp.max(dot(gone, gone))) + 0.5 * strained
    moving = [index for index, wall in enumerate(world.bed.walls) if wall.motion is not None]
    if not moving:
        return farthest
    some = tuple(world.bed.walls[index] for index in moving)
    now = jax.lax.stop_gradient(distances(walls_at(some, state.time + ahead), listed))
    return jnp.maximum(farthest, jnp.max(jnp.abs(now - far[jnp.asarray(moving)])))


def touching(world: World, state: BedState) -> tuple[Touch, Touch]:
    """Contacts of the lists as they are now, of pairs and with walls."""
    particles = state.particles
    between = of_pairs(
        particles, state.pairs, world.between.convention, world.repetition(state.time)
    )
    if not world.bed.walls:
        return between, no_touch(state.wall_contacts)
    walls = world.walls(state.time)
    return between, of_wall_contacts(
        particles, state.wall_contacts, walls, world.at_walls.convention
    )


def loaded(world: World, state: BedState, h: jax.Array, *, begins: bool = False) -> BedState:
    """With the loads of the present motion, and what contacts remember after the step that led to
    it; ``begins``: of contacts without a past.
    """
    of_spheres, of_walls = touching(world, state)
    particles, pairs, contacts = state.particles, state.pairs, state.wall_contacts

    def evaluated(
        forces: ContactForces, touch: Touch, history: History, which: jax.Array
    ) -> tuple[Loads, History]:
        step = forces.begun if begins else forces.after_step
        return step(touch, history, which, h)

    between, history = evaluated(
        world.between, of_spheres, pairs.history, world.model_of_pairs(particles, pairs)
    )
    state = state._replace(pairs=pairs._replace(history=history))
    state = with_loads(world, state, 0, between, of_spheres, h, begins=begins)
    if not world.bed.walls:
        return state
    at_walls, history = evaluated(
        world.at_walls, of_walls, contacts.history, world.model_at_walls(particles, contacts)
    )
    state = state._replace(wall_contacts=contacts._replace(history=history))
    return with_loads(world, state, 1, at_walls, of_walls, h, begins=begins)


def with_loads(
    world: World,
    state: BedState,
    which: int,
    loads: Loads,
    touch: Touch,
    h: jax.Array,
    *,
    begins: bool,
) -> BedState:
    """With the loads of pairs (0) or at walls (1), and a note of the deepest contact and of the
    coarsest step.
    """
    deepest = jax.lax.stop_gradient(jnp.max(loads.overlap / touch.radius))
    push, coarsest = state.pushes[which], state.coarsest
    if (world.between, world.at_walls)[which].may_be_stiff:
        before, push = push, push_of(touch, loads)
        found = coarseness(
            before,
            state.loads[which].overlap,
            push,
            loads.overlap,
            mass=touch.mass,
            time_step=h,
            blur=rounding(state.particles),
        )
        coarsest = coarsest if begins else jnp.maximum(coarsest, found)
    return state._replace(
        loads=placed(state.loads, which, loads),
        pushes=placed(state.pushes, which, push),
        deepest=jnp.maximum(state.deepest, deepest),
        coarsest=coarsest,
    )


def placed(both: tuple[Kind, Kind], which: int, new: Kind) -> tuple[Kind, Kind]:
    """The one of both (0 or 1) replaced."""
    return (new, both[1]) if which == 0 else (both[0], new)


def rounding(particles: Particles) -> jax.Array:
    """Of the distance of two spheres [m]."""
    position = jnp.stack([jnp.max(jnp.abs(x)) for x in particles.position])
    return 4.0 * jnp.finfo(position.dtype).eps * jnp.max(position)


def kicked(world: World, state: BedState, h: jax.Array) -> BedState:
    """With the velocities that the carried loads give in ``h`` seconds."""
    particles, pairs, contacts = state.particles, state.pairs, state.wall_contacts
    between, at_walls = state.loads
    walls = bool(world.bed.walls)

    def speeded(v: jax.Array, f: jax.Array, w: jax.Array, g: jax.Array) -> jax.Array:
        force = signed_sum(pairs, f) + (signed_sum(contacts, w) if walls else 0.0)
        return v + h * (force / particles.mass + g)

    def turned(spin: jax.Array, t: jax.Array, u: jax.Array, w: jax.Array) -> jax.Array:
        torque = sum_of_ends(pairs, t, u) + (signed_sum(contacts, w) if walls else 0.0)
        return spin + h * torque / particles.inertia

    spin = each(turned, particles.spin, *between.torques, *at_walls.torques)
    velocity = each(speeded, particles.velocity, between.force, at_walls.force, world.gravity)
    if world.ledger:
        mean = particles._replace(
            velocity=each(lambda a, b: 0.5 * (a + b), particles.velocity, velocity),
            spin=each(lambda a, b: 0.5 * (a + b), particles.spin, spin),
        )
        state = booked(world, state, mean, h)
    return state._replace(particles=particles._replace(velocity=velocity, spin=spin))


def booked(world: World, state: BedState, mean: Particles, h: jax.Array) -> BedState:
    """With the work of the carried loads in ``h`` seconds at the mean velocities, which is what a
    kick changes the energies of motion by.
    """
    touches = touching(world, state._replace(particles=mean))
    turns = (world.between.turns, world.at_walls.turns)
    parts = [
        power(touch, loads, turns=turn)
        for touch, loads, turn in zip(touches, state.loads, turns, strict=True)
    ]
    normal, tangential, rolling = (a + b for a, b in zip(*parts, strict=True))
    nothing = each(jnp.zeros_like, mean.velocity)
    still = mean._replace(velocity=nothing, spin=nothing)
    outside = touching(world, state._replace(particles=still))
    at_ends = int(not repetition_of(world.bed).changes)  # pairs move only there
    walls = sum(
        sum(power(touch, loads, turns=turn))
        for touch, loads, turn in list(zip(outside, state.loads, turns, strict=True))[at_ends:]
    )
    work = state.work
    return state._replace(
        work=Work(
            work.normal - h * normal,
            work.tangential - h * tangential,
            work.rolling - h * rolling,
            work.walls - h * walls,
        )
    )


def moved(world: World, state: BedState, h: jax.Array) -> BedState:
    """Kicked and drifted; velocities are those half a step before."""
    state = kicked(world, state, h)
    particles = state.particles
    position = each(lambda x, v: x + h * v, particles.position, particles.velocity)
    return state._replace(time=state.time + h, particles=particles._replace(position=position))


def ended(world: World, state: BedState) -> BedState:
    """With the periods of its time."""
    return state._replace(periods=world.repetition(state.time).numbers())


def advanced(
    world: World, state: BedState, h: jax.Array, sizes: BedSizes, steps: jax.Array
) -> BedState:
    """After ``steps`` steps. Lists are made when needed: forward mode only. Once a list is full
    nothing moves any more: what is wrong from there on costs no time.
    """
    state = kicked(world, state, -0.5 * h)  # velocities half a step before

    def block(carried: tuple[BedState, jax.Array]) -> tuple[BedState, jax.Array]:
        state, done = carried
        first = done

        def more(carried: tuple[BedState, jax.Array]) -> jax.Array:
            state, done = carried
            near = excursion(world, state, sizes, 1.05 * h) < 0.5 * sizes.skin
            return (done < steps) & (near | (done == first))

        def step(carried: tuple[BedState, jax.Array]) -> tuple[BedState, jax.Array]:
            state, done = carried
            return loaded(world, moved(world, state, h), h), done + 1

        state, done = jax.lax.while_loop(more, step, (relisted(world, state, sizes), done))
        return checked(world, state, sizes), done

    def goes_on(carried: tuple[BedState, jax.Array]) -> jax.Array:
        state, done = carried
        return (done < steps) & ~jnp.any(state.needs.rooms > jnp.asarray(sizes.rooms))

    state, _ = jax.lax.while_loop(goes_on, block, (state, jnp.zeros((), jnp.int32)))
    return ended(world, kicked(world, state, 0.5 * h))


def advanced_in_blocks(
    world: World, state: BedState, h: jax.Array, sizes: BedSizes, steps: int, *, block: int
) -> BedState:
    """After ``steps`` steps, with lists made every ``block`` steps: also for reverse mode, which
    keeps one state for each block and runs the block again.
    """
    state = kicked(world, state, -0.5 * h)

    def step(state: BedState, _: None) -> tuple[BedState, None]:
        return loaded(world, moved(world, state, h), h), None

    @functools.partial(jax.checkpoint, prevent_cse=False, static_argnums=(1,))
    def several(state: BedState, count: int) -> BedState:
        state, _ = jax.lax.scan(step, relisted(world, state, sizes), None, length=count)
        return checked(world, state, sizes)

    blocks, rest = divmod(steps, block)
    state, _ = jax.lax.scan(lambda s, _: (several(s, block), None), state, None, length=blocks)
    if rest:
        state = several(state, rest)
    return ended(world, kicked(world, state, 0.5 * h))


def in_order(particles: Particles, values: Components) -> jax.Array:
    """``(spheres, 3)`` in the order in which spheres were given."""
    place = jnp.argsort(particles.label)
    return jnp.stack([value[place] for value in values], axis=-1)
