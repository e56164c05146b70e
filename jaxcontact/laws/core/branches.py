"""The interface of normal laws with hysteresis: smooth branches, and where one gives way to the
next.

The force of a law with hysteresis is smooth on each of its *branches* (first loading, unloading,
adhesion ...) and has corners where they meet. A simulation that lands on these corners needs,
besides the force with its memory, the branch that a contact is on.
"""

import abc
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import jax

from jaxcontact.laws.core.normal_interfaces import CompliantLaw
from jaxcontact.numerics.smooth import Real

Memory = TypeVar("Memory")
"""What a law remembers: a named tuple of arrays ``(contacts, ...)``."""


class OnBranch(NamedTuple):
    """A contact with hysteresis.

    Attributes:
        branch: number of the branch, as the law counts them, ``(contacts,)`` of integers.
        memory: what the law remembers.

    Example:
        >>> zero = jnp.zeros(1)
        >>> contact = jc.laws.OnBranch(branch=jnp.zeros(1, int), memory=(zero,))
        >>> contact.branch
        Array([0], dtype=int64)
    """

    branch: Annotated[jax.Array, "contacts"]
    memory: Any


class Reach(NamedTuple):
    """How far a branch goes, ``(contacts,)`` each.

    Attributes:
        lower: overlap [m] at which it ends while the overlap falls; ``-inf`` where it ends with the
            contact.
        upper: overlap [m] at which it ends while the overlap grows; ``inf`` where it does not.
        turns: whether it ends where the overlap turns from growing to falling.
        onset: overlap [m] near which the force behaves like a broken power of the distance to it,
            on either side; steps are short there. 0 where the branch has no such place.

    Example:
        A branch that ends with the contact, or where the overlap turns:

        >>> reach = jc.laws.Reach(lower=-jnp.inf, upper=jnp.inf, turns=True, onset=0.0)
        >>> reach.turns
        True
    """

    lower: Real
    upper: Real
    turns: jax.Array | bool
    onset: Real


class BranchedLaw(CompliantLaw, Generic[Memory]):
    """A normal law with a memory. All methods are elementwise in the contacts.

    **Implementing a law with branches.** Choose the memory, a named tuple of arrays
    ``(contacts,)``. Inherit from ``BranchedLaw``, decorate the class with ``model``, declare the
    parameters, and define every abstract method of this class, besides ``force`` (the force in one
    impact on virgin surfaces), ``scales`` and ``restitution_at``. Let a branch end where its force
    changes its sign, too: friction begins and ends there, and springs with it at an instant that
    moves with the parameters.

    Example:
        >>> issubclass(jc.WaltonBraun, jc.laws.BranchedLaw)
        True
    """

    @abc.abstractmethod
    def unloaded(self, contacts: int) -> Memory:
        """Memory of ``contacts`` contacts that begin."""

    @abc.abstractmethod
    def force_with_memory(self, memory: Memory, overlap: Real) -> tuple[jax.Array, Memory]:
        """Force [N] at ``overlap`` [m] and the new memory, for plain time steps."""

    @abc.abstractmethod
    def energy(self, memory: Memory, overlap: Real) -> jax.Array:
        """What the contact could give back from ``overlap`` [m] on [J]."""

    @abc.abstractmethod
    def begun(self, memory: Memory, overlap: Real) -> OnBranch:
        """Contacts that begin at ``overlap`` [m]."""

    @abc.abstractmethod
    def branch_force(self, on: OnBranch, overlap: Real) -> jax.Array:
        """Force [N], smooth in ``overlap`` [m], with branch and memory held fixed."""

    @abc.abstractmethod
    def reach(self, on: OnBranch) -> Reach:
        """How far the present branch goes."""

    @abc.abstractmethod
    def switched(self, on: OnBranch, overlap: Real, falls: Real) -> OnBranch:
        """The branch after the present one has ended at ``overlap`` [m], with what is remembered of
        its end. ``falls``: whether the overlap falls there.
        """

    @abc.abstractmethod
    def end_overlap(self, on: OnBranch) -> jax.Array:
        """Overlap [m] at which the contact ends: 0, or negative where adhesion draws the bodies
        out.
        """

    @abc.abstractmethod
    def resting(self, on: OnBranch, load: Real) -> jax.Array:
        """Overlap [m] of a contact that has come to rest under a constant ``load`` [N]."""

    @abc.abstractmethod
    def rested(self, on: OnBranch, overlap: Real) -> OnBranch:
        """Branch and memory of a contact that has come to rest at ``overlap`` [m]."""
