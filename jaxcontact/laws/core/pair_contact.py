"""The interface of a contact between a sphere and another one, or a plane, that brings its own
kinematics: normal force, friction, torques and memory in one, as the programs have it that
``jaxcontact.systems`` reproduces.
"""

import abc
import math
from typing import Any, ClassVar, NamedTuple

import jax
import numpy as np

from jaxcontact.geometry.rigid_motion import Motion, Partner, Wrench
from jaxcontact.numerics.smooth import Real
from jaxcontact.parameters import Undecorated

SAME = 1e-6
"""Relative difference up to which a radius or mass of a contact is that of its sphere."""


def is_of_size(stated: Any, given: Any) -> bool:
    """Whether a radius or mass that a contact states is the one that its sphere has; numbers."""
    wanted, there = float(np.ravel(stated)[0]), float(np.ravel(given)[0])
    return math.isfinite(wanted) and abs(wanted - there) <= SAME * wanted


class PairMemory(NamedTuple):
    """What a contact remembers.

    Attributes:
        mode: integers that say which smooth branch of the law acts, ``(modes,)``.
        kept: numbers that only events change, as the approach speed at touch-down, ``(kept,)``.
        flow: numbers with a rate, as the elongation of a spring, ``(flow,)``.

    Example:
        >>> none = jnp.zeros(0)
        >>> jc.laws.PairMemory(mode=jnp.array([0]), kept=none, flow=none).mode
        Array([0], dtype=int64)
    """

    mode: jax.Array
    kept: jax.Array
    flow: jax.Array


class Action(NamedTuple):
    """What a contact does.

    Attributes:
        on_0: force and torque on body 0.
        on_1: on body 1.
        flow_rate: rate of what it remembers as ``flow``, ``(flow,)``.

    Example:
        >>> from jaxcontact.geometry.rigid_motion import Wrench
        >>> push = jnp.array([1.0, 0.0, 0.0])
        >>> action = jc.laws.Action(
        ...     Wrench(-push, jnp.zeros(3)), Wrench(push, jnp.zeros(3)), jnp.zeros(0)
        ... )
        >>> print(action.on_0.force + action.on_1.force)
        [0. 0. 0.]
    """

    on_0: Wrench
    on_1: Wrench
    flow_rate: jax.Array


class PairContact(Undecorated, abc.ABC):
    """A contact between two bodies, smooth piece by piece.

    **Implementing a contact.** Inherit from ``PairContact``, decorate the class with ``model``,
    declare the parameters, name the ``switches`` and define ``radii``, ``begun``, ``gap``, ``act``,
    ``signs`` and ``crossed``; ``check``, where something is not followed; and ``onset``, where the
    forces set in over a small overlap.

    ``act`` must follow the ``mode`` alone, never the present state: between two events, and a
    little beyond the one that ends a step, it is a smooth function of the motion. Where a branch of
    the law ends, one of the ``signs`` changes; then ``crossed`` says what the contact remembers
    from there on. The first switch is the ``gap``.

    Example:
        >>> from jaxcontact.systems import exudyn
        >>> issubclass(exudyn.ObjectContactSphereSphere, jc.laws.PairContact)
        True
    """

    switches: ClassVar[tuple[str, ...]]
    """Names of what ends a branch; the first is the gap, at which contacts begin and end."""

    on_a_plane: ClassVar[str] = ""
    """How to say that the partner of the first sphere is a plane; empty, where there is no way."""

    @property
    def grading(self) -> int:
        """Power ``p`` such that the motion after touch-down is smooth in ``time^(1/p)``: 1, 2 or 4.
        A force like the overlap to the power 3/2 has 2.
        """
        return 1

    @property
    def flow_scale(self) -> Any:
        """What counts as little of ``flow``."""
        return 1.0

    @property
    def punctual(self) -> tuple[int, ...]:
        """Numbers of the switches at which steps end always, by default all. A contact leaves out
        those on both sides of which ``act`` is smooth and goes over into itself, and which may come
        without end, as at rest: steps end there where that changes what acts by more than the
        accuracy lets pass.
        """
        return tuple(range(len(self.switches)))

    @property
    def onset(self) -> Real | None:
        """Overlap over which the forces of a smooth form set in [m], the place of another piece of
        it; ``None``, the default, where they are whole at once.
        """
        return None

    def check(self) -> None:
        """Raises ``ValueError`` where a simulation does not follow these parameters. Called before
        anything is compiled, so that numbers are seen as numbers.
        """

    @abc.abstractmethod
    def radii(self) -> tuple[Any, Any]:
        """Radii of the two spheres [m], those that the scene must have; ``None`` the second one of
        a contact with a plane, whose motion is then a ``PlaneMotion``.
        """

    def masses(self) -> tuple[Any, Any]:
        """Masses with which the contact computes its damping [kg], those that the scene must have;
        infinite that of a wall. By default it asks for none.
        """
        return None, None

    @property
    def encloses(self) -> bool:
        """Whether one of the spheres is hollow, with the other one in it; by default not."""
        return False

    @abc.abstractmethod
    def begun(self, body0: Motion, body1: Partner) -> PairMemory:
        """What is remembered at the start of a simulation."""

    @abc.abstractmethod
    def gap(self, body0: Motion, body1: Partner) -> jax.Array:
        """Gap [m], negative in overlap."""

    @abc.abstractmethod
    def act(self, memory: PairMemory, body0: Motion, body1: Partner) -> Action:
        """Forces and torques in the present mode."""

    @abc.abstractmethod
    def signs(self, memory: PairMemory, body0: Motion, body1: Partner) -> jax.Array:
        """``(switches,)``, positive while the mode lasts; 1 where a switch means nothing in it."""

    @abc.abstractmethod
    def crossed(
        self, switch: jax.Array, memory: PairMemory, body0: Motion, body1: Partner
    ) -> PairMemory:
        """What is remembered from the moment on at which the sign of a ``switch`` (its index)
        changes.
        """
