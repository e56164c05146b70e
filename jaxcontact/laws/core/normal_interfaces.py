"""The interfaces of normal laws: what a simulation asks of the ``normal`` of a ``ContactModel``.

====================  ==================================================================
interface             a law that ...
====================  ==================================================================
``RigidLaw``          gives the restitution of an impact, and has no force
``CompliantLaw``      has a force; only plain time steps can integrate it
``SmoothLaw``         has a force that is smooth in contact, and coordinates to prove it
``LawFromForce``      is a ``SmoothLaw`` of which only the force was written
``BranchedLaw``       has a force with hysteresis, smooth on each branch
====================  ==================================================================

``LawFromForce`` is in ``laws.coordinates.from_force``, ``BranchedLaw`` in ``laws.core.branches``.
"""

import abc

import jax
import jax.numpy as jnp

from jaxcontact.laws.core.contact_phase import ContactPhase
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Undecorated


class NormalLaw(Undecorated, abc.ABC):
    """What every normal law has. Do not inherit from it directly, but from one of the interfaces
    below it.

    Example:
        >>> issubclass(jc.NewtonRestitution, jc.laws.NormalLaw)
        True
    """

    @abc.abstractmethod
    def restitution_at(self, impact_speed: Real, *, mass: Real) -> jax.Array:
        """Restitution obtained [-], the speed after an impact over that before. Elementwise.

        Args:
            impact_speed: approach speed at touch-down, positive [m/s].
            mass: effective mass of the pair [kg].
        """

    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant ``load`` [N]. Default: 0, as of a rigid contact."""
        return jnp.zeros_like(load)

    def of_impact(self, index: jax.Array) -> "NormalLaw":
        """The law of one impact, counted from 0. Default: the same law in every impact."""
        return self

    def duration_at(self, impact_speed: Real) -> Real:
        """Time between touch-down and lift-off [s] where the impact is taken to be rigid. Default:
        0.
        """
        return 0.0


class RigidLaw(NormalLaw):
    """A law for rigid impacts: a restitution, and no force. For the method ``Impulse``.

    **Implementing a rigid law.** Inherit from ``RigidLaw``, decorate the class with ``model``,
    declare its parameters, and define ``restitution_at``. To let a fit have the duration of the
    contact and a deviation of each impact, inherit from ``laws.RigidImpact`` instead and declare
    its two fields, too.

    Example:
        >>> issubclass(jc.NewtonRestitution, jc.laws.RigidLaw)
        True
    """


class CompliantLaw(NormalLaw):
    """A law with a force.

    **Implementing a compliant law.** Most laws need no more than their force: inherit from
    ``LawFromForce``, decorate the class with ``model``, declare the parameters, and define
    ``force``. Coordinates, scales, restitution and static overlap are then found from the force.
    A law that knows these in closed form is faster as a ``SmoothLaw``; one with hysteresis is a
    ``BranchedLaw``. A law that is only a ``CompliantLaw`` runs with ``FixedStep`` alone.

    Example:
        >>> issubclass(jc.HuntCrossley, jc.laws.CompliantLaw)
        True
    """

    @abc.abstractmethod
    def force(
        self, overlap: Real, overlap_rate: Real, *, impact_speed: Real, mass: Real
    ) -> jax.Array:
        """Normal force [N], 0 where ``overlap <= 0``. Elementwise. If ``constants`` returns
        something, ``force`` also takes the keyword ``constants``.

        Args:
            overlap: [m].
            overlap_rate: positive while the overlap grows [m/s].
            impact_speed: approach speed at touch-down, positive; 0 of a contact that began at rest
                [m/s].
            mass: effective mass of the pair [kg].
        """

    @abc.abstractmethod
    def scales(self, *, impact_speed: Real, mass: Real) -> tuple[jax.Array, jax.Array]:
        """An overlap [m] and a time [s] with which an impact is of order one. Elementwise."""

    def constants(self) -> Real | None:
        """What ``force`` and ``phase`` need that no motion changes, e.g. the damping of a
        restitution: computed once in a simulation and handed to both as ``constants``. Default:
        nothing.
        """
        return None

    @property
    def ends_at_zero_force(self) -> bool:
        """Whether a contact ends where its force would begin to attract, so that the force has a
        corner there. Default: no.
        """
        return False

    @property
    def is_steep(self) -> bool:
        """Whether the force at a small overlap is no smooth function of the square root of it (but
        of the fourth root). Default: no.
        """
        return False


class SmoothLaw(CompliantLaw):
    """A law whose force is smooth from touch-down to lift-off, with coordinates in which it is.

    **Implementing a smooth law.** Inherit from ``SmoothLaw``, decorate the class with ``model``,
    declare the parameters, and define ``force``, ``scales``, ``phase``, ``restitution_at`` and
    ``static_overlap``; give ``constants`` where a part of the force is the solution of an equation.

    Example:
        >>> issubclass(jc.HuntCrossley, jc.laws.SmoothLaw)
        True
    """

    @abc.abstractmethod
    def phase(self, *, impact_speed: Real, mass: Real) -> ContactPhase:
        """Coordinates in which an impact at this speed is smooth. If ``constants`` returns
        something, ``phase`` also takes the keyword ``constants``.

        Args:
            impact_speed: approach speed at touch-down, positive [m/s], ``()``.
            mass: effective mass of the pair [kg], ``()``.
        """

    @abc.abstractmethod
    def static_overlap(self, load: Real) -> jax.Array:
        """Overlap [m] under a constant ``load`` [N], 0 for no load. Elementwise."""
