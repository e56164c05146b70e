"""The steps of a bed: sum the loads, kick, drift, evaluate loads (leapfrog).

Loads are carried from step to step. Summed in the step that makes them, the compiler would write
the whole law into each of the six sums, for each slot: seven times slower.
"""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.beds.bed import Bed
from jaxcontact.beds.components import Components, each, from_last_axis
from jaxcontact.beds.contact_forces import (
    Loads,
    Touch,
    at_rest,
    evaluated,
    lever_cut,
    of_pairs,
    of_wall_contacts,
)
from jaxcontact.beds.contact_lists import (
    BedSizes,
    Needs,
    Pairs,
    Particles,
    WallContacts,
    Walls,
    lever_sum,
    no_pairs,
    no_wall_contacts,
    rebuilt,
    signed_sum,
)
from jaxcontact.geometry.rotation import rotate
from jaxcontact.scene.scene import State


class BedState(NamedTuple):
    """Everything that goes on: to be continued by ``simulate_bed``.

    Attributes:
        time: [s].
        particles: sorted by cell.
        pairs: with the springs of their contacts.
        wall_contacts: likewise.
        loads: of pairs and of contacts with walls.
        listed: positions when the lists were made [m], and the time of it [s].
        needs: the most that was needed.
        rebuilds: how often the lists were made.
        outran: whether a sphere moved further than the lists reach.

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
    listed: tuple[Components, jax.Array]
    needs: Needs
    rebuilds: jax.Array
    outran: jax.Array


class World(NamedTuple):
    """What does not change in a simulation."""

    bed: Bed
    damping: jax.Array
    gravity: Components


def world_of(bed: Bed) -> World:
    """The bed, and what its laws need that no motion changes."""
    return World(bed, bed.contact.damping(), from_last_axis(bed.gravity_vector))


def walls_at(bed: Bed, time: jax.Array) -> Walls:
    """The walls at a time [s]."""
    planes = []
    for wall in bed.walls:
        normal = wall.unit_normal
        none = jnp.zeros(3, normal.dtype)
        if wall.motion is None:
            planes.append((normal, jnp.asarray(wall.offset, normal.dtype), none, none, none))
            continue
        motion = wall.motion
        pose, centre = motion.pose(time), jnp.asarray(motion.reference_point, dtype=float)
        distance = normal @ centre - wall.offset  # of the reference point, which the motion keeps
        now = rotate(normal, pose.rotation)
        velocity = motion.material_velocity(pose.position, time)
        spin = jnp.asarray(motion.angular_velocity, dtype=float)
        planes.append((now, now @ pose.position - distance, pose.position, velocity, spin))
    if not planes:
        none = jnp.zeros((0, 3))
        return Walls(none, none[:, 0], none, none, none)
    return Walls(*(jnp.stack(column) for column in zip(*planes, strict=True)))


def begun(world: World, start: State, time: jax.Array, h: jax.Array, sizes: BedSizes) -> BedState:
    """The state from which the first step starts, springs without elongation."""
    spheres = start.position.shape[0]
    real = start.position.dtype
    radius, mass, ratio = (
        jnp.broadcast_to(jnp.asarray(value, real), (spheres,))
        for value in (
            world.bed.spheres.radius,
            world.bed.spheres.mass,
            world.bed.spheres.inertia_ratio,
        )
    )
    particles = Particles(
        from_last_axis(start.position),
        from_last_axis(start.velocity),
        from_last_axis(start.spin),
        radius,
        mass,
        ratio * mass * radius**2,
        jnp.arange(spheres, dtype=jnp.int32),
    )
    none, no = jnp.zeros((), jnp.int32), jnp.zeros((), bool)
    pairs = no_pairs(sizes, spheres, real)
    contacts = no_wall_contacts(sizes, spheres, real)
    state = BedState(
        time,
        particles,
        pairs,
        contacts,
        (_unloaded(pairs.spring), _unloaded(contacts.spring)),
        (particles.position, time),
        Needs(jnp.zeros(5, jnp.int32), jnp.zeros(3, jnp.int32)),
        none,
        no,
    )
    state = relisted(world, state, sizes)
    touches = touching(world, state)
    state = state._replace(
        pairs=state.pairs._replace(spring=at_rest(touches[0], h)),
        wall_contacts=state.wall_contacts._replace(spring=at_rest(touches[1], h)),
    )
    return loaded(world, state, h)


def _unloaded(spring: Components) -> Loads:
    return Loads(spring, spring, spring[0])


def relisted(world: World, state: BedState, sizes: BedSizes) -> BedState:
    """With lists of what is near now; springs and loads of contacts that go on are kept."""
    listed = rebuilt(
        state.particles,
        state.pairs,
        state.wall_contacts,
        state.needs,
        walls_at(world.bed, state.time),
        sizes,
    )
    origins = (listed.origin, listed.wall_origin)
    between, at_walls = (
        Loads(
            origin.vector(loads.force),
            each(origin.even, loads.twist),
            origin.even(loads.overlap),
        )
        for origin, loads in zip(origins, state.loads, strict=True)
    )
    place = jax.lax.stop_gradient(listed.particles.position)
    return state._replace(
        particles=listed.particles,
        pairs=listed.pairs._replace(spring=listed.origin.vector(state.pairs.spring)),
        wall_contacts=listed.walls._replace(
            spring=listed.wall_origin.vector(state.wall_contacts.spring)
        ),
        loads=(between, at_walls),
        needs=listed.needs,
        listed=(place, state.time),
        rebuilds=state.rebuilds + 1,
    )


def checked(world: World, state: BedState, sizes: BedSizes) -> BedState:
    """With a note of whether the lists reached far enough until now."""
    too_far = excursion(world, state, 0.0) > 0.5 * sizes.skin
    return state._replace(outran=state.outran | too_far)


def excursion(world: World, state: BedState, ahead: jax.Array | float) -> jax.Array:
    """How far a sphere or a wall is from where it was when the lists were made [m], ``ahead``
    seconds from now.
    """
    particles, (listed, then) = jax.lax.stop_gradient((state.particles, state.listed))
    moved = each(
        lambda x, v, was: (x + ahead * v - was) ** 2,
        particles.position,
        particles.velocity,
        listed,
    )
    farthest = jnp.sqrt(jnp.max(moved[0] + moved[1] + moved[2]))
    if all(wall.motion is None for wall in world.bed.walls):
        return farthest
    before, now = (
        jax.lax.stop_gradient(walls_at(world.bed, time)) for time in (then, state.time + ahead)
    )
    place = jnp.stack(listed)
    gaps = [wall.normal @ place - wall.offset[:, None] for wall in (before, now)]
    return jnp.maximum(farthest, jnp.max(jnp.abs(gaps[1] - gaps[0])))


def touching(world: World, state: BedState) -> tuple[Touch, Touch]:
    """Contacts of the lists as they are now, of pairs and with walls."""
    convention = world.bed.contact.convention
    walls = walls_at(world.bed, state.time)
    at_walls = (
        of_wall_contacts(state.particles, state.wall_contacts, walls, convention)
        if world.bed.walls
        else _no_touch(state.wall_contacts)
    )
    return of_pairs(state.particles, state.pairs, convention), at_walls


def _no_touch(contacts: WallContacts) -> Touch:
    zero = contacts.spring[0]
    one = jnp.ones_like(zero)
    return Touch((one, zero, zero), -one, (zero, zero, zero), zero, one, one)


def loaded(world: World, state: BedState, h: jax.Array) -> BedState:
    """With the loads of the present motion, and the springs after the step that led to it."""
    contact = world.bed.contact
    of_spheres, of_walls = touching(world, state)
    between, pair_springs = evaluated(contact, world.damping, of_spheres, state.pairs.spring, h)
    if not world.bed.walls:
        return state._replace(
            pairs=state.pairs._replace(spring=pair_springs),
            loads=(between, _unloaded(state.wall_contacts.spring)),
        )
    at_walls, wall_springs = evaluated(
        contact, world.damping, of_walls, state.wall_contacts.spring, h
    )
    return state._replace(
        pairs=state.pairs._replace(spring=pair_springs),
        wall_contacts=state.wall_contacts._replace(spring=wall_springs),
        loads=(between, at_walls),
    )


def kicked(world: World, state: BedState, h: jax.Array) -> BedState:
    """With the velocities that the carried loads give in ``h`` seconds."""
    particles, pairs, contacts = state.particles, state.pairs, state.wall_contacts
    between, at_walls = state.loads
    walls = bool(world.bed.walls)

    def speeded(v: jax.Array, f: jax.Array, w: jax.Array, g: jax.Array) -> jax.Array:
        force = signed_sum(pairs, f) + (signed_sum(contacts, w) if walls else 0.0)
        return v + h * (force / particles.mass + g)

    cuts = [lever_cut(loads.overlap, world.bed.contact.convention) for loads in state.loads]

    def turned(spin: jax.Array, t: jax.Array, w: jax.Array) -> jax.Array:
        torque = lever_sum(pairs, t, cuts[0], particles.radius)
        if walls:
            torque = torque + lever_sum(contacts, w, cuts[1], particles.radius)
        return spin - h * torque / particles.inertia

    return state._replace(
        particles=particles._replace(
            velocity=each(
                speeded, particles.velocity, between.force, at_walls.force, world.gravity
            ),
            spin=each(turned, particles.spin, between.twist, at_walls.twist),
        )
    )


def moved(world: World, state: BedState, h: jax.Array) -> BedState:
    """Kicked and drifted; velocities are those half a step before."""
    state = kicked(world, state, h)
    particles = state.particles
    position = each(lambda x, v: x + h * v, particles.position, particles.velocity)
    return state._replace(time=state.time + h, particles=particles._replace(position=position))


def advanced(
    world: World, state: BedState, h: jax.Array, sizes: BedSizes, steps: jax.Array
) -> BedState:
    """After ``steps`` steps. Lists are made when needed: forward mode only."""
    state = kicked(world, state, -0.5 * h)  # velocities half a step before

    def block(carried: tuple[BedState, jax.Array]) -> tuple[BedState, jax.Array]:
        state, done = carried
        first = done

        def more(carried: tuple[BedState, jax.Array]) -> jax.Array:
            state, done = carried
            near = excursion(world, state, 1.05 * h) < 0.5 * sizes.skin
            return (done < steps) & (near | (done == first))

        def step(carried: tuple[BedState, jax.Array]) -> tuple[BedState, jax.Array]:
            state, done = carried
            return loaded(world, moved(world, state, h), h), done + 1

        state, done = jax.lax.while_loop(more, step, (relisted(world, state, sizes), done))
        return checked(world, state, sizes), done

    state, _ = jax.lax.while_loop(
        lambda carried: carried[1] < steps, block, (state, jnp.zeros((), jnp.int32))
    )
    return kicked(world, state, 0.5 * h)


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
    return kicked(world, state, 0.5 * h)


def in_order(particles: Particles, values: Components) -> jax.Array:
    """``(spheres, 3)`` in the order in which spheres were given."""
    place = jnp.argsort(particles.label)
    return jnp.stack([value[place] for value in values], axis=-1)
