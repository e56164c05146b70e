"""What acts in the contacts of a bed: the interface of their laws, and the power of their loads."""

import abc
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, Self, TypeVar

import jax
import jax.numpy as jnp

from jaxcontact.beds.components import Components, cross, dot, each
from jaxcontact.beds.contact_lists import History
from jaxcontact.beds.touch import Touch

INSTANT = 1e-6
"""Time step, in units of the first, at whose end contacts are that begin without a past."""

Model = TypeVar("Model")
"""Of one contact, with numbers as its leaves."""


class Loads(NamedTuple):
    """What acts in each contact, carried from step to step.

    Attributes:
        force: on ``i`` [N].
        torques: of friction and of resistance to rolling and spinning on ``i`` and on ``j``, at
            walls on ``i`` [N m].
        overlap: [m]; 0 where there is no contact, negative where adhesion holds one.
    """

    force: Components
    torques: tuple[Components, ...]
    overlap: jax.Array


class Stored(NamedTuple):
    """What contacts store ``(contacts,)`` [J]: in overlaps, along the plane, in springs of rolling.

    Where there is no contact it means nothing.
    """

    normal: jax.Array
    tangential: jax.Array
    rolling: jax.Array


class Table(NamedTuple, Generic[Model]):
    """The models of all contacts of a list.

    Attributes:
        models: one model; of several of one kind, its leaves ``(models, ...)``.
        several: whether there are several.
    """

    models: Model
    several: bool

    @property
    def axis(self) -> int | None:
        """Of contacts in what ``of`` gives; ``None`` where all are alike."""
        return 0 if self.several else None

    @property
    def first(self) -> Model:
        """One of the models."""
        if not self.several:
            return self.models
        return jax.tree.map(lambda leaf: leaf[0], self.models)

    def of(self, which: jax.Array | None) -> Model:
        """The model of each contact, by its number in the table; leaves ``(contacts, ...)`` where
        there are several.
        """
        if not self.several:
            return self.models
        return jax.tree.map(lambda leaf: leaf[which], self.models)


def table_of(models: Sequence[Model]) -> Table[Model]:
    """Of models of one kind, of which only the numbers differ."""
    if len(models) == 1:
        return Table(models[0], several=False)
    stacked = jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(x) for x in leaves]), *models)
    return Table(stacked, several=True)


class ContactForces(abc.ABC):
    """The laws of all contacts of a list, with what they remember."""

    @abc.abstractmethod
    def prepared(self) -> Self:
        """With what no motion changes, often the solutions of equations."""

    @property
    @abc.abstractmethod
    def convention(self) -> str:
        """Where forces act (``CONVENTIONS``)."""

    @property
    @abc.abstractmethod
    def turns(self) -> bool:
        """Whether there are torques beside that of friction."""

    @property
    def may_be_stiff(self) -> bool:
        """Whether damping and stiffness know no bound, so that each step is looked at
        (``resolution``).
        """
        return True

    @abc.abstractmethod
    def unloaded(self, room: int, real: Any) -> History:
        """Of as many contacts that begin."""

    def begun(
        self, touch: Touch, history: History, which: jax.Array | None, time_step: jax.Array
    ) -> tuple[Loads, History]:
        """Loads and histories of contacts that are there at the start, springs without
        elongation.
        """
        return self.after_step(touch, history, which, INSTANT * time_step)

    @abc.abstractmethod
    def after_step(
        self, touch: Touch, history: History, which: jax.Array | None, time_step: jax.Array
    ) -> tuple[Loads, History]:
        """Loads of contacts, and their history after the step that ends now; ``which`` is the
        number of the model of each contact.
        """

    @abc.abstractmethod
    def stored(
        self, touch: Touch, history: History, overlap: jax.Array, which: jax.Array | None
    ) -> Stored:
        """Of contacts with the overlap of their loads [m]."""

    def acts_beyond(self, skin: float, radius: jax.Array, mass: jax.Array) -> jax.Array:
        """Whether two spheres that are further than the skin [m] apart begin to act on each other,
        of which lists know nothing; some radii ``(n,)`` [m] and masses [kg].
        """
        return jnp.zeros((), bool)

    @abc.abstractmethod
    def elongation(self, history: History) -> Components:
        """Of tangential springs [m]; 0 where the law remembers something else."""


def torques(
    touch: Touch, friction: Components, couple: Components | None
) -> tuple[Components, ...]:
    """On ``i`` and on ``j``, at walls on ``i`` [N m], from the friction on ``i`` [N] and the couple
    of rolling resistance on ``i`` [N m].
    """
    twist = cross(touch.normal, friction)
    found = [each(lambda t, b=lever: -b * t, twist) for lever in touch.levers]
    if couple is not None:
        signs = (1.0, -1.0)[: len(found)]
        found = [
            each(lambda t, c, s=sign: t + s * c, torque, couple)
            for sign, torque in zip(signs, found, strict=True)
        ]
    return tuple(found)


def couples(touch: Touch, loads: Loads) -> tuple[Components, ...]:
    """On ``i`` and on ``j``, at walls on ``i`` [N m]: what of the torques is not that of the force
    in the contact, as of resistance to rolling and spinning.
    """
    twist = cross(touch.normal, loads.force)
    return tuple(
        each(lambda t, q, b=lever: t + b * q, torque, twist)
        for lever, torque in zip(touch.levers, loads.torques, strict=True)
    )


def power(touch: Touch, loads: Loads, *, turns: bool) -> tuple[jax.Array, jax.Array, jax.Array]:
    """What all contacts together give to their bodies along the normal, along the plane, and by
    torques beside that of friction, if there are any [W].
    """
    along = dot(loads.force, touch.normal)
    approach = -dot(touch.velocity, touch.normal)
    whole = dot(loads.force, touch.velocity)
    turned = jnp.zeros(())
    if turns:
        for couple, spin in zip(couples(touch, loads), touch.spins, strict=True):
            turned = turned + jnp.sum(dot(couple, spin))
    return -jnp.sum(along * approach), jnp.sum(whole + along * approach), turned
