"""Two bodies, or one and a ball or plane that is held, whose contact brings its own kinematics.

First a search finds steps of high order that end exactly at every event of the contact, then these
steps are taken again with derivatives, those of the events included.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.laws.core.pair_contact import PairContact, is_of_size
from jaxcontact.parameters import is_concrete
from jaxcontact.scene.bodies import Spheres
from jaxcontact.scene.scene import Scene, State
from jaxcontact.simulation.core.methods import EventAligned
from jaxcontact.simulation.core.status import Status
from jaxcontact.simulation.core.trajectory import Contacts, Trajectory
from jaxcontact.simulation.pair.equations import System
from jaxcontact.simulation.pair.onset import with_onset_as_event
from jaxcontact.simulation.pair.replay import Replayed, motion_at, replayed
from jaxcontact.simulation.pair.search import Steps, found_steps, size_of
from jaxcontact.surfaces import Plane, Sphere

ROOM = 128
"""Steps for which there is room, unless the method says otherwise."""

TOLERANCE = 0.1
"""Largest last coefficient of a step, in units of the accuracy; the error at its end is far below
it.
"""


def check_pair(scene: Scene, initial: State, method: Any) -> None:
    """Raises where a contact with its own kinematics cannot be simulated as it is asked for."""
    contact = scene.contact
    name = type(contact).__name__
    if not isinstance(method, EventAligned):
        raise ValueError(
            f"simulate: {type(method).__name__} cannot follow {name}, which brings its own "
            "kinematics and memory. Use method=EventAligned()."
        )
    bodies = initial.position.size // 3
    on_plane = contact.radii()[1] is None
    between, remedy = (
        ("a sphere and a plane", "one sphere, and one jc.Plane at rest as surfaces")
        if on_plane
        else ("two spheres", "two spheres and surfaces=(), or one and a jc.Sphere at rest")
    )
    if not on_plane and any(isinstance(surface, Plane) for surface in scene.surfaces):
        remedy = f"{remedy}; on a plane: {contact.on_a_plane or 'a jc.ContactModel'}"
    kind = Plane if on_plane else Sphere
    held = [isinstance(surface, kind) and surface.motion is None for surface in scene.surfaces]
    spheres = isinstance(scene.bodies, Spheres)
    together = spheres and bodies <= (1 if on_plane else 2)
    if not together or held != [True] * (2 - bodies):
        raise ValueError(
            f"simulate: {name} is a contact between {between}, but the scene has {bodies} "
            f"{'spheres' if spheres else 'bodies of several spheres'} and "
            f"surfaces = {scene.surfaces!r}. Give {remedy}."
        )
    if scene.springs:
        raise ValueError(
            f"simulate: scene.springs are not followed together with {name}. Leave them out, or "
            "describe the contact by a ContactModel."
        )
    for surface in scene.surfaces:
        if isinstance(surface, Sphere) and surface.hollow != contact.encloses:
            raise ValueError(
                f"simulate: the surface has hollow = {surface.hollow}, but {name} is of a sphere "
                f"{'in' if contact.encloses else 'outside of'} the other. Let both say the same."
            )
    _check_agreement(scene, contact, bodies)


def _check_agreement(scene: Scene, contact: PairContact, bodies: int) -> None:
    """The contact knows the radii of its spheres, and mostly their masses; so does the scene, but
    of masses that are held.
    """
    surfaces = [surface.radius for surface in scene.surfaces if isinstance(surface, Sphere)]
    for quantity, unit, stated, given in (
        ("radius", "m", contact.radii(), (*_of_each(scene.bodies.radius, bodies), *surfaces)),
        ("mass", "kg", contact.masses(), _of_each(scene.bodies.mass, bodies)),
    ):
        for index, (own, of_scene) in enumerate(zip(stated, given, strict=False)):
            if own is None or not (is_concrete(own) and is_concrete(of_scene)):
                continue
            if not is_of_size(own, of_scene):
                wanted, there = float(np.ravel(own)[0]), float(np.ravel(of_scene)[0])
                whose = f"sphere {index}" if index < bodies else "the surface"
                raise ValueError(
                    f"simulate: {type(contact).__name__} is between spheres of which number "
                    f"{index} has the {quantity} {wanted:g} {unit}, but {whose} of the scene has "
                    f"{there:g} {unit}. Give the same."
                )


def _of_each(value: Any, bodies: int) -> tuple[Any, ...]:
    """What is known of each body; nothing of what is traced."""
    return tuple(np.broadcast_to(np.ravel(value), (bodies,))) if is_concrete(value) else ()


def simulate_pair(
    scene: Scene, initial: State, times: jax.Array, method: EventAligned, *, room: int
) -> Trajectory:
    """Motion at ``times``; states with a body axis. What is asked for must have been checked."""
    system = system_of(scene, initial)
    bodies = initial.position.shape[0]
    q, v, w = (
        _with_partner(scene, value, bodies, index) for index, value in enumerate(initial[:3])
    )
    memory = system.contact.begun(*system.motions(q, jnp.concatenate([v, w])))
    y = jnp.concatenate([v, w, memory.flow])
    turns = turns_at_once(system, q, y)
    begins = system.contact.crossed(jnp.asarray(0), memory, *system.motions(q, y))
    memory = jax.tree.map(lambda new, old: jnp.where(turns, new, old), begins, memory)
    y = y.at[12:].set(memory.flow)
    closed = (system.contact.gap(*system.motions(q, y)) < 0) ^ turns
    duration = times[-1] - times[0]
    frozen = jax.lax.stop_gradient((system, memory, q, y, duration))
    found = jax.lax.stop_gradient(
        found_steps(
            *frozen[:4],
            duration=frozen[4],
            room=method.max_steps or room,
            tolerance=TOLERANCE * method.accuracy,
        )
    )
    moved = replayed(system, memory, q, y, duration, found.steps)
    positions, velocities = motion_at(system, moved, found.steps, times - times[0])
    # the first output is the start, also where nothing was found
    positions = positions.at[0].set(q)
    velocities = velocities.at[0].set(y[:12])
    shape = (times.shape[0], 2, 3)
    position = positions.reshape(shape)[:, :bodies]
    velocity = velocities[:, :6].reshape(shape)[:, :bodies]
    spin = velocities[:, 6:].reshape(shape)[:, :bodies]
    contacts, more = contacts_of(
        system, moved, found.steps, times, closed, room=method.max_contacts or 1, bodies=bodies
    )
    status = jnp.where(found.ended, Status.SUCCESS, Status.TOO_FEW_STEPS)
    status = jnp.where(more, Status.TOO_FEW_CONTACTS, status)
    status = jnp.where(found.stuck, Status.UNSOLVED_STEP, status)
    inside = system.contact.gap(*system.motions(q, y)) <= -size_of(system)
    status = jnp.where(inside, Status.IMPOSSIBLE_START, status)
    return Trajectory(times, position, velocity, spin, contacts, status)


def system_of(scene: Scene, initial: State) -> System:
    """The two bodies, of which the second one may be a surface that is held."""
    bodies, dtype = initial.position.shape[0], initial.position.dtype
    moves = jnp.arange(2) < bodies

    def of_both(given: Any) -> jax.Array:
        return jnp.broadcast_to(jnp.ravel(jnp.asarray(given, dtype)), (bodies,))

    def inverse(given: jax.Array) -> jax.Array:
        return jnp.concatenate([1 / given, jnp.zeros(2 - bodies, dtype)])

    held = scene.surfaces[0] if scene.surfaces else None
    normal = jnp.asarray(held.unit_normal, dtype) if isinstance(held, Plane) else None
    gravity = jnp.broadcast_to(jnp.asarray(scene.gravity, dtype), (bodies, 3))
    gravity = jnp.where(moves[:, None], jnp.resize(gravity, (2, 3)), 0.0)
    mass, radius = of_both(scene.bodies.mass), of_both(scene.bodies.radius)
    inertia = of_both(scene.bodies.inertia_ratio) * mass * radius**2
    return System(
        contact=with_onset_as_event(scene.contact),
        radius=jnp.concatenate([radius, jnp.zeros(2 - bodies, dtype)]),
        inverse_mass=inverse(mass),
        inverse_inertia=inverse(inertia),
        gravity=gravity,
        drag=scene.drag,
        lift=scene.lift,
        normal=normal,
    )


def _with_partner(scene: Scene, value: jax.Array, bodies: int, part: int) -> jax.Array:
    """Positions, velocities or spins of two bodies, ``(6,)``."""
    if bodies == 2:
        return jnp.ravel(value)
    held = _place_of(scene.surfaces[0]) if part == 0 else jnp.zeros(3)
    return jnp.concatenate([value[0], jnp.asarray(held, value.dtype)])


def _place_of(held: Any) -> Any:
    """The centre of a sphere that is held, or the point of a plane next to the origin [m]."""
    return held.offset * held.unit_normal if isinstance(held, Plane) else held.center


def gap_change(system: System, q: jax.Array, y: jax.Array, along: jax.Array) -> jax.Array:
    """Derivative of the gap as the bodies move ``along`` (6,)."""

    def gap(q: jax.Array) -> jax.Array:
        return system.contact.gap(*system.motions(q, y))

    return jax.jvp(gap, (q,), (along,))[1]


def turns_at_once(system: System, q: jax.Array, y: jax.Array) -> jax.Array:
    """Whether the bodies touch but for rounding, and part or meet at once against what the sign of
    the gap says.
    """
    gap = system.contact.gap(*system.motions(q, y))
    rounding = 1e3 * jnp.finfo(q.dtype).eps
    touches = jnp.abs(gap) <= rounding * jnp.maximum(size_of(system), jnp.max(jnp.abs(q)))
    rate = gap_change(system, q, y, y[:6])
    pull = gap_change(system, q, y, jnp.ravel(system.gravity + system.by_fluid(y)))
    moves = jnp.abs(rate) > rounding * jnp.max(jnp.abs(y[:6]))
    meets = jnp.where(moves, rate, pull) < 0
    parts = jnp.where(moves, rate, pull) > 0
    return jax.lax.stop_gradient(touches & jnp.where(gap < 0, parts, meets))


def contacts_of(
    system: System,
    moved: Replayed,
    steps: Steps,
    times: jax.Array,
    overlaps: jax.Array,
    *,
    room: int,
    bodies: int,
) -> tuple[Contacts, jax.Array]:
    """Touch-downs and lift-offs, and whether there were more of them than there is room for;
    ``overlaps``: whether there is a contact at the start.
    """

    def gap_rate(q: jax.Array, y: jax.Array) -> jax.Array:
        return gap_change(system, q, y, y[:6])

    rate = jax.vmap(gap_rate)(moved.end_q, moved.end_y)
    begin = jax.tree.map(lambda column: column[0], moved.begin)
    at_gap = steps.used & (steps.event == 0)
    # A start in overlap is a touch-down at the start.
    is_touch = jnp.append(overlaps, at_gap & (rate < 0))
    is_lift = jnp.append(False, at_gap & (rate >= 0))
    time = times[0] + jnp.append(0.0, moved.end_time)
    speed = jnp.append(gap_rate(begin.q, begin.y), rate)

    def chosen(which: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        index = jnp.nonzero(which, size=room, fill_value=0)[0]
        return jnp.arange(room) < jnp.sum(which), time[index], speed[index]

    happened, touch_down, approach = chosen(is_touch)
    ended, lift_off, separation = chosen(is_lift)
    index = jnp.zeros(room, int)
    contacts = Contacts(
        happened=happened,
        touch_down=jnp.where(happened, touch_down, times[-1]),
        lift_off=jnp.where(ended, lift_off, times[-1]),
        impact_speed=jnp.where(happened, jnp.maximum(-approach, 0.0), 0.0),
        rebound_speed=jnp.where(ended, separation, 0.0),
        surface=index if bodies == 1 else index - 1,
        body=index,
        partner=index - 1 if bodies == 1 else index + 1,
    )
    return contacts, jnp.sum(is_touch) > room
