"""The interface of phase coordinates, in which a contact is smooth from touch-down to lift-off.

In time a contact starts like ``t^(n+1)`` with ``n`` often 3/2, and heavy damping makes it stiff:
both cost a Runge-Kutta method its order. Here a contact is written with::

    s = overlap/overlap_scale,  u = overlap rate/impact speed,  tau = time/time_scale,  ds/dtau = u,

a *phase coordinate* ``X = s^p`` that makes the force a polynomial, a *rate coordinate* ``w`` of
``u`` in which damping is not stiff, and an independent variable ``sigma`` in which the whole
contact has a length of about 2 to 3, whatever the parameters. ``load`` is the acceleration by
everything but the contact, towards the surface, times ``time_scale/impact_speed``.
"""

import abc
from typing import NamedTuple

import jax
import jax.numpy as jnp


class ContactPhase(abc.ABC):
    """Phase coordinates of one impact, for an integrator that goes in steps.

    **Implementing phase coordinates.** Inherit from ``ContactPhase``, make the class a frozen
    dataclass with the fields ``overlap_scale`` [m] and ``time_scale`` [s], and define what is
    abstract here. If the whole contact can be solved for at once, inherit from ``ClosedPhase``.

    Attributes:
        overlap_scale: overlap [m] with which the impact is of order one.
        time_scale: ``overlap_scale`` over the impact speed [s].

    Example:
        >>> law = jc.HuntCrossley(stiffness=1e8, restitution=0.8)
        >>> isinstance(law.phase(mass=0.01, impact_speed=1.0), jc.laws.ContactPhase)
        True
    """

    overlap_scale: jax.Array
    time_scale: jax.Array

    @property
    @abc.abstractmethod
    def start(self) -> jax.Array:
        """``w`` at touch-down, where ``X = 0`` and ``u = 1``."""

    @property
    @abc.abstractmethod
    def length(self) -> jax.Array:
        """Estimated length of the contact in ``sigma`` without load; it need not be exact."""

    @abc.abstractmethod
    def derivative(
        self, position: jax.Array, w: jax.Array, load: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """``(X', w', tau')``, derivatives by ``sigma`` at ``X = position``."""

    @abc.abstractmethod
    def rate(self, w: jax.Array) -> jax.Array:
        """``u`` of ``w``."""

    @abc.abstractmethod
    def reduced_overlap(self, position: jax.Array) -> jax.Array:
        """``s`` of ``X``."""

    @abc.abstractmethod
    def reduced_force(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """Force over ``mass * impact_speed / time_scale``."""

    @abc.abstractmethod
    def event(self, position: jax.Array, w: jax.Array) -> jax.Array:
        """A function that falls through zero where the contact ends."""

    @abc.abstractmethod
    def event_rate(
        self, position: jax.Array, w: jax.Array, position_rate: jax.Array, w_rate: jax.Array
    ) -> jax.Array:
        """Rate of ``event`` at given rates of its arguments."""

    @property
    def solved_at_once(self) -> bool:
        """Whether the whole contact can be solved for at once. By default no; only a
        ``ClosedPhase`` may say yes.
        """
        return False

    @property
    def ends_at_zero_force(self) -> bool:
        """Whether the contact ends where its force would begin to attract. By default no."""
        return False

    @property
    def in_steps(self) -> "ContactPhase":
        """The coordinates to use where the contact goes in steps. By default these."""
        return self


class Similarity(NamedTuple):
    """Factors between two contacts of the same law: of ``load``, from this one to the similar one;
    of ``overlap`` and of the ``rate`` on the way out, back.
    """

    load: jax.Array
    overlap: jax.Array
    rate: jax.Array


class ClosedPhase(ContactPhase):
    """Phase coordinates of a contact that ends at zero overlap and can be solved for at all its
    nodes at once (``simulation.single_sphere.contact.orbit``, and ``contact_in_time``).

    Example:
        >>> law = jc.HuntCrossley(stiffness=1e8, restitution=0.8)
        >>> phase = law.phase(mass=0.01, impact_speed=1.0)
        >>> isinstance(phase, jc.laws.ClosedPhase), round(float(phase.restitution), 2)
        (True, 0.79)
    """

    @property
    @abc.abstractmethod
    def nodes_per_step(self) -> int:
        """Nodes that give what one step of order 8 would give."""

    @property
    @abc.abstractmethod
    def largest_load(self) -> jax.Array:
        """Load from which on there is no lift-off."""

    @property
    @abc.abstractmethod
    def restitution(self) -> jax.Array:
        """Estimated restitution without load [-]."""

    @abc.abstractmethod
    def largest_overlap(self, load: jax.Array) -> jax.Array:
        """Estimated largest ``s`` under ``load``."""

    @property
    @abc.abstractmethod
    def duration(self) -> jax.Array:
        """Estimated duration without load."""

    @abc.abstractmethod
    def swing(self, load: jax.Array) -> jax.Array:
        """Root of what ``load`` adds to the square of ``u`` until it is in balance, without
        damping.
        """

    @property
    @abc.abstractmethod
    def beginning(self) -> jax.Array:
        """Estimated share of the duration in which the motion turns round."""

    @abc.abstractmethod
    def force_at(self, overlap: jax.Array, rate: jax.Array) -> jax.Array:
        """``reduced_force`` of ``s`` and ``u``."""

    @abc.abstractmethod
    def slowing(self, height: jax.Array, load: jax.Array) -> jax.Array:
        """Factor of the speed of the way out at ``height`` times the largest ``s`` of an orbit: 1
        where the orbit has the load in it.
        """

    @property
    def similar(self) -> tuple["ClosedPhase", "Similarity"]:
        """A contact that nodes in time resolve, and how this one follows from it. By default
        itself.
        """
        one = jnp.ones_like(self.start)
        return self, Similarity(one, one, one)

    @abc.abstractmethod
    def position_at(self, overlap: jax.Array) -> jax.Array:
        """``X`` of ``s``, a power."""

    @abc.abstractmethod
    def w_rate(
        self, position: jax.Array, w: jax.Array, load: jax.Array, largest_overlap: jax.Array
    ) -> jax.Array:
        """``dw/dtau``."""
