"""The normal motion of one contact, however it was found."""

from collections.abc import Callable
from typing import NamedTuple

import jax

Load = Callable[[jax.Array], jax.Array]
"""The load of ``laws.core.contact_phase`` as a function of the reduced overlap rate."""


class NormalPath(NamedTuple):
    """Normal motion in the units of ``laws.core.contact_phase`` at the nodes of a contact, from
    touch-down to lift-off; each of shape (nodes,).

    ``tau_rate`` is the derivative of ``tau`` by the variable of ``collocation.graded_grid``, where
    the nodes are those. ``lack`` is the largest imbalance of the equations of motion at them, in
    the same units, ``inf`` where they are not solved, and 0 of a path in steps, which is not
    judged.
    """

    overlap: jax.Array
    rate: jax.Array
    force: jax.Array
    tau: jax.Array
    tau_rate: jax.Array | None
    lack: jax.Array
