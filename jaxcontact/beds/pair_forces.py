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
from jaxcontact.beds.touch import Ends, Touch
from jaxcontact.geometry.rigid_motion import Motion
from jaxcontact.laws.core.pair_contact import Action, PairContact, PairMemory
from jaxcontact.numerics.smooth import positive_part

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
"""For the work of a force along its overlap."""


class Pair(NamedTuple):
    """Two spheres; of both first the one with the smaller number.

    Attributes:
        radius, mass: of both [m], [kg].
        position: of the first from the second [m], ``(..., 3)``.
        velocity: likewise [m/s].
        spin: of both [rad/s], ``(..., 3)``.
    """

    radius: tuple[jax.Array, jax.Array]
    mass: tuple[jax.Array, jax.Array]
    position: jax.Array
    velocity: jax.Array
    spin: tuple[jax.Array, jax.Array]

    @property
    def motions(self) -> tuple[Motion, Motion]:
        """Of both, as the second sees them."""
        still = jnp.zeros_like(self.position)
        return (
            Motion(self.position, self.velocity, self.spin[0]),
            Motion(still, still, self.spin[1]),
        )


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
    """

    contacts: Table[Any]

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
                still = jnp.zeros(3)
                away = (radius[i] + radius[j] + skin) * jnp.array([1.0, 0.0, 0.0])
                pair = Pair((radius[i], radius[j]), (mass[i], mass[j]), away, still, (still, still))
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

        assert touch.ends is not None  # a PairContact at a wall is refused
        axis = self.contacts.axis
        answer = jax.vmap(one, in_axes=(axis, 0, 0, 0))(
            self.contacts.of(which), listed, memory, ordered(touch, touch.ends)
        )
        first = touch.ends.i_first[:, None]
        on_0, on_1, _ = answer.action
        loads = Loads(
            from_last_axis(jnp.where(first, on_0.force, on_1.force)),
            (
                from_last_axis(jnp.where(first, on_0.torque, on_1.torque)),
                from_last_axis(jnp.where(first, on_1.torque, on_0.torque)),
            ),
            positive_part(answer.overlap),
        )
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
            self.contacts.of(which), memory, ordered(touch, touch.ends), overlap
        )
        nothing = jnp.zeros_like(normal)
        return Stored(normal, nothing, nothing)

    def _example(self) -> tuple[Any, PairMemory]:
        """The contact of some pair, and what it remembers: shapes and types."""

        def begun(contact: Any) -> tuple[PairContact, PairMemory]:
            one = jnp.ones(())
            place, still = jnp.array([4.0, 0.0, 0.0]), jnp.zeros(3)
            pair = Pair((one, one), (one, one), place, still, (still, still))
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
    if isinstance(contact, BedPairContact):
        return contact.of_spheres(radius=pair.radius, mass=pair.mass)
    found: PairContact = contact
    return found


def ordered(touch: Touch, ends: Ends) -> Pair:
    """Pairs ``(contacts, ...)``, the sphere with the smaller number first."""
    first = ends.i_first

    def both(of_i: jax.Array, of_j: jax.Array) -> tuple[jax.Array, jax.Array]:
        swap = first if of_i.ndim == 1 else first[:, None]
        return jnp.where(swap, of_i, of_j), jnp.where(swap, of_j, of_i)

    sign = jnp.where(first, 1.0, -1.0)
    spins = [to_last_axis(spin) for spin in touch.spins]
    return Pair(
        both(*ends.radius),
        both(*ends.mass),
        to_last_axis(each(lambda x: sign * x, ends.apart)),
        to_last_axis(each(lambda v: sign * v, ends.passing)),
        both(*spins),
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
    motions: tuple[Motion, Motion],
    time_step: jax.Array,
) -> jax.Array:
    """What is remembered with a rate, after a step of the linearly implicit Euler method."""

    def rate(flow: jax.Array) -> tuple[jax.Array, jax.Array]:
        found = contact.act(memory._replace(flow=flow), *motions).flow_rate
        return found, found

    slope, now = jax.jacfwd(rate, has_aux=True)(memory.flow)
    matrix = jnp.eye(memory.flow.size, dtype=slope.dtype) - time_step * slope
    return memory.flow + jnp.linalg.solve(matrix, time_step * now)


def crossed(contact: PairContact, memory: PairMemory, motions: tuple[Motion, Motion]) -> PairMemory:
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
