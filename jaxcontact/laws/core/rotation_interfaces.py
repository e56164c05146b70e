"""The interfaces of laws that resist rotations: the ``rolling`` and ``spinning`` of a
``ContactModel``.
"""

import abc
from typing import Generic, TypeVar

import jax

from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Undecorated

Memory = TypeVar("Memory")
"""What a law remembers: a named tuple of arrays ``(contacts, ...)``."""


class RollingLaw(Undecorated, abc.ABC):
    """What every rolling law has. Do not inherit from it directly, but from one of the interfaces
    below it.

    Example:
        >>> issubclass(jc.RollingSpring, jc.laws.RollingLaw)
        True
    """

    @abc.abstractmethod
    def limit(self, *, effective_radius: Real) -> Real:
        """Largest torque over normal force [m] at an effective radius [m]."""


class RollingFlow(RollingLaw):
    """Rolling resistance that depends on the present rotation rate, and the closed flow of its
    torque.

    **Implementing rolling resistance.** Inherit from ``RollingFlow``, decorate the class with
    ``model``, declare the parameters, and define ``limit``, ``torque`` and ``rotation_after``;
    where the torque has a corner, ``corner``, too.

    Example:
        >>> issubclass(jc.RollingResistance, jc.laws.RollingFlow)
        True
    """

    @property
    def corner(self) -> Real | None:
        """Rotation rate [rad/s] at which the torque has a corner; ``None``, the default, if it has
        none.
        """
        return None

    @abc.abstractmethod
    def torque(
        self, rotation_rate: Real, normal_force: Real, *, effective_radius: Real
    ) -> jax.Array:
        """Torque ``(..., k)`` [N m] on the body that rolls at ``rotation_rate`` ``(..., k)``
        [rad/s] against its partner, under ``normal_force`` ``(...)`` [N].
        """

    @abc.abstractmethod
    def rotation_after(
        self, rotation_rate: Real, specific_impulse: Real, *, effective_radius: Real
    ) -> jax.Array:
        """Rotation rate ``(..., k)`` [rad/s] after a normal impulse over the inertia against
        rolling ``(...)`` [1/(m s)].
        """


class RollingWithMemory(RollingLaw, Generic[Memory]):
    """Rolling resistance that remembers, as a spring does: it holds a body on a slope.

    **Implementing rolling resistance with a memory.** Choose the memory, a named tuple of arrays
    ``(contacts, ...)``; vectors in it are carried with the contact plane. Inherit from
    ``RollingWithMemory``, decorate the class with ``model``, declare the parameters
    (``rolling_coefficient`` as a field is needed, to which the limit is proportional), and define
    ``limit`` and the five methods here. All are elementwise in the contacts.

    Example:
        >>> issubclass(jc.RollingSpring, jc.laws.RollingWithMemory)
        True
    """

    rolling_coefficient: Real

    @abc.abstractmethod
    def unloaded(self, contacts: int) -> Memory:
        """Memory of ``contacts`` contacts that begin."""

    @abc.abstractmethod
    def after_step(
        self,
        memory: Memory,
        rotation_increment: Real,
        *,
        normal_force: Real,
        effective_radius: Real,
        time_step: Real,
    ) -> tuple[jax.Array, Memory]:
        """Torque on the body that rolls ``(contacts, 3)`` [N m] at the end of a step, and the
        memory.

        Args:
            memory: before the step.
            rotation_increment: rolling in the step, ``(contacts, 3)`` [rad].
            normal_force: [N].
            effective_radius: [m].
            time_step: [s].
        """

    @abc.abstractmethod
    def overload(
        self,
        memory: Memory,
        rotation_rate: Real,
        *,
        normal_force: Real,
        effective_radius: Real,
    ) -> jax.Array:
        """What would act on the slider if it did not slide, less its limit [N m]: negative while it
        holds, ``(contacts,)``.
        """

    @abc.abstractmethod
    def holding(self, torque: Real) -> Memory:
        """Memory of contacts that hold ``torque`` on the body, ``(contacts, 3)`` [N m], at rest."""

    @abc.abstractmethod
    def energy(self, memory: Memory) -> jax.Array:
        """Energy stored in each contact [J], ``(contacts,)``."""


class SpinningLaw(Undecorated, abc.ABC):
    """Resistance to spinning about the normal of the contact.

    **Implementing spinning resistance.** Inherit from ``SpinningLaw``, decorate the class with
    ``model``, declare the parameters, and define the three methods; where the torque has a corner,
    ``corner``, too.

    Example:
        >>> issubclass(jc.SpinningFriction, jc.laws.SpinningLaw)
        True
    """

    @property
    def corner(self) -> Real | None:
        """Spin [rad/s] at which the torque has a corner; ``None``, the default, if it has none."""
        return None

    @abc.abstractmethod
    def limit(self, *, effective_radius: Real, overlap: Real) -> Real:
        """Largest torque over normal force [m] at an effective radius [m] and an overlap [m]."""

    @abc.abstractmethod
    def torque(
        self, rotation_rate: Real, normal_force: Real, *, effective_radius: Real, overlap: Real
    ) -> jax.Array:
        """Torque ``(..., k)`` [N m] on the body that spins at ``rotation_rate`` ``(..., k)``
        [rad/s] against its partner, under ``normal_force`` ``(...)`` [N].
        """

    @abc.abstractmethod
    def rotation_after(
        self, rotation_rate: Real, specific_impulse: Real, *, effective_radius: Real, overlap: Real
    ) -> jax.Array:
        """Spin ``(..., k)`` [rad/s] after a normal impulse over the inertia about the normal
        ``(...)`` [1/(m s)].
        """
