"""Normal laws with a memory, as a simulation sees them: smooth branches, and where one gives way to
the next.

The force of a law with hysteresis is smooth on each of its *branches* (first loading, unloading,
adhesion ...) and has corners where they meet. A simulation that lands on these corners needs,
besides the force with its memory, the branch that a contact is on. A law has

- ``unloaded(contacts)``: the memory of contacts that begin;
- ``force_with_memory(memory, overlap)``: force [N] and new memory, for plain time steps;
- ``energy(memory, overlap)``: what the contact could give back [J];
- ``begun(memory, overlap)``: ``OnBranch`` of contacts that begin at ``overlap``;
- ``branch_force(on, overlap)``: force [N], smooth in the overlap, with ``on`` held fixed;
- ``reach(on)``: how far the branch goes;
- ``switched(on, overlap, falls)``: the next branch, and what is remembered of where the last one
  ended;
- ``end_overlap(on)``: overlap at which the contact ends: 0, or negative where adhesion draws the
  bodies out;
- ``scales(impact_speed, mass)`` as every normal law, ``restitution_at`` for rigid impacts;
- where it can come to rest: ``resting(on, load)``, overlap under a constant load, and ``rested(on,
  overlap)``, the memory there.

All are elementwise in the contacts.
"""

from typing import Any, NamedTuple

import jax

from jaxcontact.numerics.smooth import Real


class OnBranch(NamedTuple):
    """A contact with hysteresis.

    Attributes:
        branch: number of the branch, as the law counts them, ``(contacts,)`` of integers.
        memory: what the law remembers.
    """

    branch: jax.Array
    memory: Any


class Reach(NamedTuple):
    """How far a branch goes, ``(contacts,)`` each.

    Attributes:
        lower: overlap [m] at which it ends while the overlap falls; ``-inf`` where it ends with the
            contact.
        upper: overlap [m] at which it ends while the overlap grows; ``inf`` where it does not.
        turns: whether it ends where the overlap turns from growing to falling.
        onset: overlap [m] near which the force behaves like a broken power of the distance to it.
    """

    lower: Real
    upper: Real
    turns: Real
    onset: Real


def has_hysteresis(law: Any) -> bool:
    """Whether ``law`` has branches."""
    return hasattr(law, "branch_force")
