"""Whether the steps are short enough for the contacts: a measure that needs no derivative.

The velocity that a force is evaluated with is that of half a step before. So a dashpot ``c``
between bodies of the effective mass ``m`` takes ``c h/m`` of their speed in a step ``h``: from 1 on
it turns round what it should brake, from 2 on it makes it faster, without end. Whatever the law,
with ``k`` and ``c`` the steepest slopes of its normal force over the overlap ``d`` and its rate,
one step changes the force by::

    |F+ - F| <= k |d+ - d| + c (|d'| + |d'+|)

so that ``|F+ - F| h / (m u)``, the *coarseness*, with the larger of ``|d'| + |d'+|`` and ``|d+ -
d|/h`` as the speed ``u``, never exceeds ``k h^2/m + c h/m``. It is ``c h/m`` where a dashpot turns
the speed round. In the densest packing of equal spheres, each with twelve contacts, dashpots gain
energy from 0.5 on (``4 c h/m = 2``), springs from 1 on.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxcontact.beds.components import dot
from jaxcontact.beds.contact_forces import Loads
from jaxcontact.beds.touch import Touch


class Push(NamedTuple):
    """Of each contact along its normal; without contact it means nothing.

    Attributes:
        force: positive where it repels [N].
        rate: of the overlap [m/s].
    """

    force: jax.Array
    rate: jax.Array


def push_of(touch: Touch, loads: Loads) -> Push:
    """Of contacts with these loads."""
    passing = touch.velocity if touch.ends is None else touch.ends.passing  # the same along it
    return jax.lax.stop_gradient(Push(dot(loads.force, touch.normal), -dot(passing, touch.normal)))


def coarseness(
    before: Push,
    overlap_before: jax.Array,
    now: Push,
    overlap: jax.Array,
    *,
    mass: jax.Array,
    time_step: jax.Array,
    blur: jax.Array,
) -> jax.Array:
    """The largest of all contacts [-].

    Only forces that repel count: adhesion may jump where a contact begins, and falls the faster the
    nearer it is to its end.

    Args:
        before: at the end of the step before.
        overlap_before: of its loads [m].
        now: at the end of this step.
        overlap: of its loads [m].
        mass: effective [kg].
        time_step: ``h`` [s].
        blur: rounding of positions [m]; speeds below ``blur/h`` are none.
    """
    there, repels = overlap_before != 0.0, (overlap != 0.0) & (now.force > 0.0)
    was = Push(*(jnp.where(there, part, 0.0) for part in before))
    # where spheres roll about each other, overlaps change more than their rates tell
    moved = jnp.abs(overlap - overlap_before) / time_step
    speed = jnp.maximum(jnp.abs(was.rate) + jnp.abs(now.rate), moved) + blur / time_step
    found = jnp.abs(now.force - was.force) * time_step / (mass * speed)
    return jax.lax.stop_gradient(jnp.max(jnp.where(repels, found, 0.0), initial=0.0))
