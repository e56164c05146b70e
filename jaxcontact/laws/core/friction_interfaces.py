"""The interfaces of friction laws: what a simulation asks of the ``friction`` of a
``ContactModel``.

======================  =====================================================================
interface               a law that ...
======================  =====================================================================
``ImpulseFriction``     gives the slip after an impulse, and has no force: rigid impacts only
``SlipFriction``        has a force that depends on the slip, and its closed flow
``FrictionWithMemory``  has a force that depends on the past, as a spring's does
======================  =====================================================================
"""

import abc
from typing import Generic, TypeVar

import jax

from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Undecorated

Memory = TypeVar("Memory")
"""What a law remembers: a named tuple of arrays ``(contacts, ...)``."""


class FrictionLaw(Undecorated):
    """What every friction law has. Do not inherit from it directly, but from one of the interfaces
    below it.

    Attributes:
        coefficient: largest friction force over the normal force [-]; 0 where there is no friction.

    Example:
        >>> issubclass(jc.RegularizedCoulomb, jc.laws.FrictionLaw)
        True
    """

    coefficient: Real = 0.0


class ImpulseFriction(FrictionLaw, abc.ABC):
    """Friction as an impulse. For the method ``Impulse``.

    **Implementing friction as an impulse.** Inherit from ``ImpulseFriction``, decorate the class
    with ``model``, declare the parameters (``coefficient`` among them), and define ``slip_after``.

    Example:
        >>> issubclass(jc.Coulomb, jc.laws.ImpulseFriction)
        True
    """

    @abc.abstractmethod
    def slip_after(self, slip: Real, specific_impulse: Real) -> jax.Array:
        """Slip ``(..., k)`` [m/s] after a normal impulse.

        Args:
            slip: before, ``(..., k)`` [m/s].
            specific_impulse: normal impulse over tangential mass, ``(...)`` [m/s].
        """

    def in_sustained_contact(self) -> "ImpulseFriction":
        """The law of a contact that does not bounce any more: without what rebounds in an impact.
        Default: the same law.
        """
        return self


class SlipFriction(ImpulseFriction):
    """Friction with a force that depends on the present slip, and the closed flow of that force.

    **Implementing friction that depends on the slip.** Inherit from ``SlipFriction``, decorate the
    class with ``model``, declare the parameters (``coefficient`` among them), and define ``force``
    and ``slip_after``. The latter is the exact solution of ``m_t ds/dt = force`` over the impulse:
    with it no regularisation is too stiff. Where the force has a corner, define ``corner``, too:
    derivatives are right only where no step of a simulation passes it.

    Example:
        >>> issubclass(jc.RegularizedCoulomb, jc.laws.SlipFriction)
        True
    """

    @property
    def corner(self) -> Real | None:
        """Slip [m/s] at which the force has a corner; ``None``, the default, if it has none."""
        return None

    @abc.abstractmethod
    def force(self, slip: Real, normal_force: Real) -> jax.Array:
        """Friction force ``(..., k)`` [N] on the body that slips.

        Args:
            slip: velocity of the body against its partner, ``(..., k)`` [m/s].
            normal_force: ``(...)`` [N]; tension counts as 0.
        """


class FrictionWithMemory(FrictionLaw, abc.ABC, Generic[Memory]):
    """Friction that remembers, as a tangential spring does: it holds a load without creep.

    **Implementing friction with a memory.** Choose the memory, a named tuple of arrays ``(contacts,
    ...)``; vectors in it are carried with the contact plane. Inherit from ``FrictionWithMemory``,
    decorate the class with ``model``, declare the parameters (``coefficient`` as a field is needed)
    and define the five methods. All are elementwise in the contacts.

    Example:
        >>> issubclass(jc.Mindlin, jc.laws.FrictionWithMemory)
        True
    """

    @abc.abstractmethod
    def unloaded(self, contacts: int) -> Memory:
        """Memory of ``contacts`` contacts that begin."""

    @abc.abstractmethod
    def after_step(
        self,
        memory: Memory,
        slip_increment: Real,
        *,
        normal_force: Real,
        overlap: Real,
        effective_radius: Real,
        mass: Real,
        time_step: Real,
    ) -> tuple[jax.Array, Memory]:
        """Force on the body that slips ``(contacts, 3)`` [N] at the end of a step, and the memory.

        Args:
            memory: before the step.
            slip_increment: slip in the step, ``(contacts, 3)`` [m].
            normal_force: [N].
            overlap: [m].
            effective_radius: [m].
            mass: effective mass of the pair [kg].
            time_step: [s].
        """

    @abc.abstractmethod
    def overload(
        self,
        memory: Memory,
        slip_rate: Real,
        *,
        normal_force: Real,
        overlap: Real,
        effective_radius: Real,
        mass: Real,
    ) -> jax.Array:
        """What would act on the slider if it did not slide, less its limit [N]: negative while it
        sticks, ``(contacts,)``.
        """

    @abc.abstractmethod
    def holding(self, force: Real, *, overlap: Real, effective_radius: Real) -> Memory:
        """Memory of contacts that hold ``force`` on the body, ``(contacts, 3)`` [N], at rest."""

    @abc.abstractmethod
    def energy(self, memory: Memory, *, overlap: Real, effective_radius: Real) -> jax.Array:
        """Energy stored in each contact [J], ``(contacts,)``."""
