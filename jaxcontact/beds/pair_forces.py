"""Forces of a ``PairContact`` in a bed: of one for all pairs, or of a ``BedPairContact`` that gives
one for each.

A contact is smooth piece by piece; here it changes from one piece to the next at the end of the
step in which one of its signs has changed, each at most once in a step. What it remembers with a
rate is integrated by the linearly implicit Euler method: a sliding spring turns the faster the less
force it has. So steps are of first order, and their limit is the contact itself.
"""

import dataclasses
import re
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.beds.components import Components, each, from_last_axis, to_last_axis
from jaxcontact.beds.contact_forces import ContactForces, Loads, Stored, Table
from jaxcontact.beds.contact_lists import History
from jaxcontact.beds.contact_models import BedPairContact
from jaxcontact.beds.touch import AtWall, Touch
from jaxcontact.geometry.rigid_motion import Motion, Partner, PlaneMotion
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.numerics.smooth import positive_part

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
"""For the work of a force along its overlap."""


class Pair(NamedTuple):
    """Two spheres, first the one with the smaller number; or a sphere and a wall.

    Attributes:
        radius, mass: of the spheres [m], [kg].
        position: of the first from the second, or from the place of the wall nearest to it [m],
            ``(..., 3)``.
        velocity: likewise [m/s].
        spin: of both [rad/s], ``(..., 3)``.
        normal: of the wall there, ``(..., 3)``; ``None`` of two spheres.
    """

    radius: tuple[jax.Array, ...]
    mass: tuple[jax.Array, ...]
    position: jax.Array
    velocity: jax.Array
    spin: tuple[jax.Array, jax.Array]
    normal: jax.Array | None = None

    @property
    def motions(self) -> tuple[Motion, Partner]:
        """Of both, as the second sees them."""
        still = jnp.zeros_like(self.position)
        partner = Motion(still, still, self.spin[1])
        return (
            Motion(self.position, self.velocity, self.spin[0]),
            partner if self.normal is None else PlaneMotion(*partner, self.normal),
        )


def still_pair(
    radius: tuple[jax.Array, ...], mass: tuple[jax.Array, ...], gap: jax.Array, *, at_wall: bool
) -> Pair:
    """Two spheres, or the first of them and a wall, at rest with a ``gap`` [m] between them."""
    along, still = jnp.array([1.0, 0.0, 0.0]), jnp.zeros(3)
    if at_wall:
        place = (radius[0] + gap) * along
        return Pair(radius[:1], mass[:1], place, still, (still, still), along)
    return Pair(radius, mass, (radius[0] + radius[1] + gap) * along, still, (still, still))


class Answer(NamedTuple):
    """What a contact does, its overlap [m], and what it remembers."""

    action: Action
    overlap: jax.Array
    memory: PairMemory


@dataclasses.dataclass(frozen=True)
class PairForces(ContactForces):
    """Of contacts of one kind.

    Attributes:
        contacts: ``PairContact`` or ``BedPairContact``.
        at_walls: whether they are of spheres and walls.
    """

    contacts: Table[Any]
    at_walls: bool

    def prepared(self) -> Self:
        return self

    @property
    def convention(self) -> str:
        return "contact_point"

    @property
    def turns(self) -> bool:
        return True

    def unloaded(self, room: int, real: Any) -> History:
        contact, memory = self._example()
        columns = [jnp.zeros((room,), bool)]
        for part in memory:
            whole = jnp.issubdtype(part.dtype, jnp.integer)
            column = jnp.zeros((room,), part.dtype if whole else real)
            columns += [column] * part.shape[0]
        return History((), tuple(columns), (kind_of(contact),))

    def acts_beyond(self, skin: float, radius: jax.Array, mass: jax.Array) -> jax.Array:
        models, several = self.contacts
        ends = jnp.meshgrid(jnp.arange(radius.size), jnp.arange(radius.size))
        one, other = (end.ravel() for end in ends)

        def acts(contact: Any) -> jax.Array:
            def gap(i: jax.Array, j: jax.Array) -> jax.Array:
                sizes = (radius[i], radius[j]), (mass[i], mass[j])
                pair = still_pair(*sizes, jnp.asarray(skin), at_wall=self.at_walls)
                return of(contact, pair).gap(*pair.motions)

            return jnp.any(jax.vmap(gap)(one, other) < 0.0)

        return jnp.any(jax.vmap(acts)(models)) if several else acts(models)

    def elongation(self, history: History) -> Components:
        zero = jnp.zeros(history.scalars[0].shape)
        return (zero, zero, zero)

    def after_step(
        self, touch: Touch, history: History, which: jax.Array | None, time_step: jax.Array
    ) -> tuple[Loads, History]:
        listed, memory = self._memory(history)

        def one(contact: Any, listed: jax.Array, memory: PairMemory, pair: Pair) -> Answer:
            return stepped(of(contact, pair), listed, memory, pair, time_step)

        axis = self.contacts.axis
        answer = jax.vmap(one, in_axes=(axis, 0, 0, 0))(
            self.contacts.of(which), listed, memory, ordered(touch)
        )
        loads = Loads(*acting_on(touch, answer.action), positive_part(answer.overlap))
        columns = [column for part in answer.memory for column in jnp.moveaxis(part, -1, 0)]
        after = dataclasses.replace(history, scalars=(jnp.ones_like(listed), *columns))
        return loads, after

    def stored(
        self, touch: Touch, history: History, overlap: jax.Array, which: jax.Array | None
    ) -> Stored:
        """In overlaps; what springs along the plane store, a contact does not tell."""
        if touch.ends is None:  # there are no walls
            nothing = jnp.zeros_like(overlap)
            return Stored(nothing, nothing, nothing)
        _, memory = self._memory(history)

        def one(contact: Any, memory: PairMemory, pair: Pair, depth: jax.Array) -> jax.Array:
            return work_of_overlap(of(contact, pair), memory, pair, depth)

        axis = self.contacts.axis
        normal = jax.vmap(one, in_axes=(axis, 0, 0, 0))(
            self.contacts.of(which), memory, ordered(touch), overlap
        )
        nothing = jnp.zeros_like(normal)
        return Stored(normal, nothing, nothing)

    def _example(self) -> tuple[Any, PairMemory]:
        """The contact of some pair, and what it remembers: shapes and types."""

        def begun(contact: Any) -> tuple[PairContact, PairMemory]:
            one = jnp.ones(())
            pair = still_pair((one, one), (one, one), one, at_wall=self.at_walls)
            found = of(contact, pair)
            return found, found.begun(*pair.motions)

        example: tuple[Any, PairMemory] = jax.eval_shape(begun, self.contacts.first)
        return example

    def _memory(self, history: History) -> tuple[jax.Array, PairMemory]:
        """Whether entries were there before, and what they remember."""
        listed, *columns = history.scalars
        parts = []
        for part in self._example()[1]:
            mine, columns = columns[: part.shape[0]], columns[part.shape[0] :]
            none = jnp.zeros((*listed.shape, 0), part.dtype)
            parts.append(jnp.stack(mine, axis=-1) if mine else none)
        return listed, PairMemory(*parts)


def kind_of(contact: Any) -> str:
    """Models and options of a contact, without its numbers and addresses in memory."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(jax.tree.structure(contact)))


def of(contact: Any, pair: Pair) -> PairContact:
    """The contact of a pair."""
    if not isinstance(contact, BedPairContact):
        found: PairContact = contact
        return found
    if pair.normal is not None:
        return contact.of_wall(radius=pair.radius[0], mass=pair.mass[0])
    (radius, other), (mass, of_other) = pair.radius, pair.mass
    return contact.of_spheres(radius=(radius, other), mass=(mass, of_other))


def ordered(touch: Touch) -> Pair:
    """Pairs ``(contacts, ...)``: the sphere with the smaller number first, or that at a wall."""
    ends = touch.ends
    assert ends is not None  # nothing is evaluated of a list without walls
    if isinstance(ends, AtWall):
        spins = to_last_axis(ends.spins[0]), to_last_axis(ends.spins[1])
        place, velocity = to_last_axis(ends.apart), to_last_axis(ends.passing)
        normal = to_last_axis(touch.normal)
        return Pair((ends.radius,), (ends.mass,), place, velocity, spins, normal)
    first = ends.i_first

    def both(of_i: jax.Array, of_j: jax.Array) -> tuple[jax.Array, jax.Array]:
        swap = first if of_i.ndim == 1 else first[:, None]
        return jnp.where(swap, of_i, of_j), jnp.where(swap, of_j, of_i)

    sign = jnp.where(first, 1.0, -1.0)
    of_i, of_j = touch.spins
    return Pair(
        both(*ends.radius),
        both(*ends.mass),
        to_last_axis(each(lambda x: sign * x, ends.apart)),
        to_last_axis(each(lambda v: sign * v, ends.passing)),
        both(to_last_axis(of_i), to_last_axis(of_j)),
    )


def acting_on(touch: Touch, action: Action) -> tuple[Components, tuple[Components, ...]]:
    """The force on ``i`` [N], and the torques on ``i`` and ``j``, at walls on ``i`` [N m]."""
    on_0, on_1, _ = action
    if isinstance(touch.ends, AtWall):
        return from_last_axis(on_0.force), (from_last_axis(on_0.torque),)
    assert touch.ends is not None
    first = touch.ends.i_first[:, None]
    return from_last_axis(jnp.where(first, on_0.force, on_1.force)), (
        from_last_axis(jnp.where(first, on_0.torque, on_1.torque)),
        from_last_axis(jnp.where(first, on_1.torque, on_0.torque)),
    )


def stepped(
    contact: PairContact, listed: jax.Array, memory: PairMemory, pair: Pair, time_step: jax.Array
) -> Answer:
    """A contact at the end of a step that led to this motion."""
    motions = pair.motions
    new = contact.begun(*motions)
    memory = jax.tree.map(lambda kept, begun: jnp.where(listed, kept, begun), memory, new)
    if memory.flow.size:
        memory = memory._replace(flow=flowed(contact, memory, motions, time_step))
    memory = crossed(contact, memory, motions)
    return Answer(contact.act(memory, *motions), -contact.gap(*motions), memory)


def flowed(
    contact: PairContact,
    memory: PairMemory,
    motions: tuple[Motion, Partner],
    time_step: jax.Array,
) -> jax.Array:
    """What is remembered with a rate, after a step of the linearly implicit Euler method."""

    def rate(flow: jax.Array) -> tuple[jax.Array, jax.Array]:
        found = contact.act(memory._replace(flow=flow), *motions).flow_rate
        return found, found

    slope, now = jax.jacfwd(rate, has_aux=True)(memory.flow)
    matrix = jnp.eye(memory.flow.size, dtype=slope.dtype) - time_step * slope
    return memory.flow + jnp.linalg.solve(matrix, time_step * now)


def crossed(
    contact: PairContact, memory: PairMemory, motions: tuple[Motion, Partner]
) -> PairMemory:
    """In the piece in which the motion is, in the order of the switches, each at most once."""
    switches = len(contact.switches)

    def next_piece(
        carried: tuple[PairMemory, jax.Array], _: None
    ) -> tuple[tuple[PairMemory, jax.Array], None]:
        memory, open_ = carried
        changed = open_ & (contact.signs(memory, *motions) < 0.0)
        switch = jnp.argmax(changed)
        after = contact.crossed(switch, memory, *motions)
        memory = jax.tree.map(lambda new, old: jnp.where(changed[switch], new, old), after, memory)
        return (memory, open_ & (jnp.arange(switches) != switch)), None

    (memory, _), _ = jax.lax.scan(
        next_piece, (memory, jnp.ones(switches, bool)), None, length=switches
    )
    return memory


def work_of_overlap(
    contact: PairContact, memory: PairMemory, pair: Pair, depth: jax.Array
) -> jax.Array:
    """What a slow unloading in the present piece gives back [J]."""
    distance = jnp.sqrt(jnp.sum(pair.position**2))
    normal, still = pair.position / distance, jnp.zeros_like(pair.position)

    def push(share: jax.Array) -> jax.Array:
        place = pair.position + depth * (1.0 - share) * normal
        first, second = pair._replace(position=place, velocity=still, spin=(still, still)).motions
        return contact.act(memory, first, second).on_0.force @ normal

    nodes = jnp.asarray(0.5 * (NODES + 1.0))
    pushes = jax.vmap(push)(nodes**2)
    return depth * jnp.sum(jnp.asarray(WEIGHTS) * nodes * pushes)
