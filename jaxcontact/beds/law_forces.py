"""Forces of any law of ``laws`` in a bed: a ``ContactModel``, or a ``BedContact`` that gives one.

Laws are evaluated as they are, contact by contact, with what each remembers of its own past. Where
two surfaces have parted they forget.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.beds.components import Components, dot, each, from_last_axis, to_last_axis
from jaxcontact.beds.contact_forces import ContactForces, Loads, Stored, Table, torques
from jaxcontact.beds.contact_lists import History
from jaxcontact.beds.contact_models import BedContact
from jaxcontact.beds.touch import Touch, turned
from jaxcontact.laws.core.branches import BranchedLaw
from jaxcontact.laws.core.friction_interfaces import FrictionWithMemory
from jaxcontact.laws.core.rotation_interfaces import RollingWithMemory
from jaxcontact.laws.friction.mindlin import MindlinMemory
from jaxcontact.laws.friction.slider import SpringMemory
from jaxcontact.scene.contact_model import ContactModel
from jaxcontact.simulation.multibody.pairs import normal_force
from jaxcontact.simulation.multibody.step import damping_speed

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
"""For the work of a force along its overlap."""


class Memory(NamedTuple):
    """What each contact remembers ``(contacts, ...)``.

    Attributes:
        listed: whether the entry of the list was there before.
        touches: whether it was a contact.
        impact_speed: approach speed at touch-down [m/s].
        fastest: largest speed along the normal since [m/s].
        normal, friction, rolling: of the laws; ``None`` where they have none.
    """

    listed: jax.Array
    touches: jax.Array
    impact_speed: jax.Array
    fastest: jax.Array
    normal: Any
    friction: Any
    rolling: Any


class Seen(NamedTuple):
    """What laws see of a contact.

    Attributes:
        overlap: [m].
        rate: of the overlap [m/s].
        slip: velocity along the plane [m/s], ``(..., 3)``.
        rolling: spin of ``i`` against ``j`` across the normal [rad/s], ``(..., 3)``.
        spinning: along it [rad/s], ``(..., 3)``.
        mass, radius: effective [kg], [m].
    """

    overlap: jax.Array
    rate: jax.Array
    slip: jax.Array
    rolling: jax.Array
    spinning: jax.Array
    mass: jax.Array
    radius: jax.Array


class Answer(NamedTuple):
    """Normal force [N], friction on ``i`` [N], couple on ``i`` [N m], and the memory after."""

    normal: jax.Array
    friction: jax.Array
    couple: jax.Array
    touches: jax.Array
    memory: Memory


def is_vector(leaf: jax.Array) -> bool:
    """Whether what is remembered has a direction."""
    return leaf.ndim == 2


@dataclasses.dataclass(frozen=True)
class LawForces(ContactForces):
    """Of laws of one kind.

    Attributes:
        contacts: ``ContactModel`` or ``BedContact``.
        constants: what the normal forces need that no motion changes, where laws are the same for
            every size of spheres.
    """

    contacts: Table[Any]
    constants: Table[Any] | None = None

    def prepared(self) -> Self:
        models, several = self.contacts
        if self.by_radius:
            return self

        def constants(contact: ContactModel) -> Any:
            return contact.compliant.constants()

        found = jax.vmap(constants)(models) if several else constants(models)
        return dataclasses.replace(self, constants=None if found is None else Table(found, several))

    @property
    def by_radius(self) -> bool:
        """Whether laws depend on the size of the spheres."""
        return isinstance(self.contacts.models, BedContact)

    @property
    def kinds(self) -> ContactModel:
        """The laws of some contact: memories depend on their kinds alone."""
        return self._laws(self.contacts.first, jnp.asarray(1.0))

    @property
    def convention(self) -> str:
        return "contact_point"

    @property
    def turns(self) -> bool:
        return self.kinds.rolling is not None or self.kinds.spinning is not None

    def unloaded(self, room: int, real: Any) -> History:
        return self._history(self._unloaded(room, real))

    def elongation(self, history: History) -> Components:
        spring = self._memory(history).friction
        if isinstance(spring, (SpringMemory, MindlinMemory)):
            return from_last_axis(jnp.asarray(spring.elongation))
        zero = jnp.zeros_like(history.scalars[2])
        return (zero, zero, zero)

    def after_step(
        self, touch: Touch, history: History, which: jax.Array | None, time_step: jax.Array
    ) -> tuple[Loads, History]:
        memory = self._carried(touch, history, time_step)
        rate = -dot(touch.velocity, touch.normal)
        seen = Seen(
            touch.overlap,
            rate,
            to_last_axis(each(lambda v, n: v + rate * n, touch.velocity, touch.normal)),
            to_last_axis(touch.rolling),
            to_last_axis(each(lambda n: touch.twisting * n, touch.normal)),
            touch.mass,
            touch.radius,
        )

        def one(contact: Any, constants: Any, seen: Seen, memory: Memory) -> Answer:
            # Laws are elementwise in the contacts: here in one.
            seen, memory = jax.tree.map(lambda leaf: leaf[None], (seen, memory))
            answer = self._answer(contact, constants, seen, memory, time_step)
            return jax.tree.map(lambda leaf: leaf[0], answer)

        axis = self.contacts.axis
        constants = None if self.constants is None else self.constants.of(which)
        answer = jax.vmap(one, in_axes=(axis, axis, 0, 0))(
            self.contacts.of(which), constants, seen, memory
        )
        friction = from_last_axis(answer.friction)
        loads = Loads(
            each(lambda n, f: answer.normal * n + f, touch.normal, friction),
            torques(touch, friction, from_last_axis(answer.couple) if self.turns else None),
            jnp.where(answer.touches, touch.overlap, 0.0),
        )
        return loads, self._history(answer.memory)

    def stored(
        self, touch: Touch, history: History, overlap: jax.Array, which: jax.Array | None
    ) -> Stored:
        memory = self._memory(history)

        def one(contact: Any, constants: Any, *of_contact: Any) -> Stored:
            overlap, mass, radius, memory = jax.tree.map(lambda leaf: leaf[None], of_contact)
            laws = self._laws(contact, radius[0])
            if isinstance(laws.normal, BranchedLaw):
                normal = laws.normal.energy(memory.normal, overlap)
            else:
                normal = work_of_overlap(laws, constants, overlap, memory, mass)
            nothing = jnp.zeros_like(overlap)
            sheared, bent = nothing, nothing
            if isinstance(laws.friction, FrictionWithMemory):
                sheared = laws.friction.energy(
                    memory.friction, overlap=overlap, effective_radius=radius
                )
            if isinstance(laws.rolling, RollingWithMemory):
                bent = laws.rolling.energy(memory.rolling)
            return jax.tree.map(lambda leaf: leaf[0], Stored(normal, sheared, bent))

        axis = self.contacts.axis
        constants = None if self.constants is None else self.constants.of(which)
        return jax.vmap(one, in_axes=(axis, axis, 0, 0, 0, 0))(
            self.contacts.of(which), constants, overlap, touch.mass, touch.radius, memory
        )

    def _laws(self, contact: Any, radius: jax.Array) -> ContactModel:
        return contact.of_pair(radius=radius) if self.by_radius else contact

    def _unloaded(self, room: int, real: Any) -> Memory:
        laws = self.kinds
        zero, no = jnp.zeros(room, real), jnp.zeros(room, bool)
        memory = Memory(
            no,
            no,
            zero,
            zero,
            laws.normal.unloaded(room) if isinstance(laws.normal, BranchedLaw) else None,
            laws.friction.unloaded(room) if isinstance(laws.friction, FrictionWithMemory) else None,
            laws.rolling.unloaded(room) if isinstance(laws.rolling, RollingWithMemory) else None,
        )
        for part in (memory.normal, memory.friction, memory.rolling):
            _check_memory(part)
        return jax.tree.map(
            lambda leaf: leaf.astype(real) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf,
            memory,
        )

    def _history(self, memory: Memory) -> History:
        leaves = jax.tree.leaves(memory)
        kinds = [type(part) for part in (memory.normal, memory.friction, memory.rolling)]
        return History(
            tuple(from_last_axis(leaf) for leaf in leaves if is_vector(leaf)),
            tuple(leaf for leaf in leaves if not is_vector(leaf)),
            tuple(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds),
        )

    def _memory(self, history: History) -> Memory:
        """Of a history; entries that are new begin unloaded."""
        empty = self._unloaded(history.scalars[0].shape[0], history.scalars[2].dtype)
        vectors, scalars = iter(history.vectors), iter(history.scalars)
        kept = jax.tree.map(
            lambda leaf: to_last_axis(next(vectors)) if is_vector(leaf) else next(scalars), empty
        )
        return chosen(history.scalars[0], kept, empty)

    def _carried(self, touch: Touch, history: History, time_step: jax.Array) -> Memory:
        """Before the step, vectors turned with their contacts."""

        def one(leaf: jax.Array) -> jax.Array:
            if not is_vector(leaf):
                return leaf
            return to_last_axis(turned(from_last_axis(leaf), touch, time_step, self.convention))

        return jax.tree.map(one, self._memory(history))

    def _answer(
        self, contact: Any, constants: Any, seen: Seen, memory: Memory, time_step: jax.Array
    ) -> Answer:
        laws = self._laws(contact, seen.radius[0])
        inside = seen.overlap > 0.0
        begins = inside & ~memory.touches
        speed = jnp.where(begins, jnp.maximum(seen.rate, 0.0), memory.impact_speed)
        fastest = jnp.maximum(jnp.where(begins, 0.0, memory.fastest), jnp.abs(seen.rate))
        normal = memory.normal
        if isinstance(laws.normal, BranchedLaw):
            force, normal = laws.normal.force_with_memory(normal, seen.overlap)
        else:
            force = force_of(laws, constants)(
                seen.overlap,
                seen.rate,
                impact_speed=damping_speed(speed, fastest),
                mass=seen.mass,
            )
        touches = inside | (force != 0.0)
        friction, sheared = self._friction(laws, seen, force, memory, time_step)
        couple, bent = self._couple(laws, seen, force, memory, time_step)
        kept = Memory(jnp.ones_like(inside), touches, speed, fastest, normal, sheared, bent)
        empty = self._unloaded(1, seen.overlap.dtype)._replace(listed=jnp.ones_like(inside))
        return Answer(
            jnp.where(touches, force, 0.0),
            jnp.where(touches[:, None], friction, 0.0),
            jnp.where(touches[:, None], couple, 0.0),
            touches,
            chosen(touches, kept, empty),
        )

    def _friction(
        self, laws: ContactModel, seen: Seen, load: jax.Array, memory: Memory, h: jax.Array
    ) -> tuple[jax.Array, Any]:
        if not isinstance(laws.friction, FrictionWithMemory):
            return laws.slip_friction.force(seen.slip, load), None
        return laws.friction.after_step(
            memory.friction,
            h * seen.slip,
            normal_force=load,
            overlap=jnp.where(seen.overlap > 0.0, seen.overlap, 0.0),
            effective_radius=seen.radius,
            mass=seen.mass,
            time_step=h,
        )

    def _couple(
        self, laws: ContactModel, seen: Seen, load: jax.Array, memory: Memory, h: jax.Array
    ) -> tuple[jax.Array, Any]:
        """Of rolling and spinning."""
        couple, bent = jnp.zeros_like(seen.slip), None
        if isinstance(laws.rolling, RollingWithMemory):
            couple, bent = laws.rolling.after_step(
                memory.rolling,
                h * seen.rolling,
                normal_force=load,
                effective_radius=seen.radius,
                time_step=h,
            )
        elif laws.rolling is not None:
            couple = laws.rolling_flow.torque(seen.rolling, load, effective_radius=seen.radius)
        if laws.spinning is not None:
            couple = couple + laws.spinning.torque(
                seen.spinning,
                load,
                effective_radius=seen.radius,
                overlap=jnp.where(seen.overlap > 0.0, seen.overlap, 0.0),
            )
        return couple, bent


def _check_memory(memory: Any) -> None:
    """Raises where a law remembers what is neither a number nor a vector of each contact."""
    for leaf in jax.tree.leaves(memory):
        if leaf.shape[1:] not in ((), (3,)):
            shape = ", ".join(map(str, ("contacts", *leaf.shape[1:])))
            raise TypeError(
                f"simulate_bed: {type(memory).__name__} holds an array of shape ({shape}), but "
                "contacts of a bed remember numbers (contacts,) and vectors (contacts, 3). Give "
                "each number an entry of its own."
            )


def chosen(condition: jax.Array, one: Any, other: Any) -> Any:
    """Leaf by leaf ``(contacts, ...)``."""
    return jax.tree.map(
        lambda a, b: jnp.where(condition[:, None] if is_vector(a) else condition, a, b), one, other
    )


def force_of(laws: ContactModel, constants: Any) -> Callable[..., jax.Array]:
    """The normal force, with its constants: found here where they depend on the size of spheres."""
    found = laws.compliant.constants() if constants is None else constants
    return normal_force(laws, found)


def work_of_overlap(
    laws: ContactModel, constants: Any, overlap: jax.Array, memory: Memory, mass: jax.Array
) -> jax.Array:
    """What a slow unloading gives back [J]. With the square root of the overlap as its variable the
    integrand of Hertz's force is a polynomial.
    """
    force = force_of(laws, constants)
    speed = damping_speed(memory.impact_speed, memory.fastest)
    depth = jnp.where(overlap > 0.0, overlap, 0.0)
    shares = [
        weight * node * force(depth * node**2, jnp.zeros_like(depth), impact_speed=speed, mass=mass)
        for node, weight in zip(0.5 * (NODES + 1.0), WEIGHTS, strict=True)
    ]
    return depth * sum(shares)
