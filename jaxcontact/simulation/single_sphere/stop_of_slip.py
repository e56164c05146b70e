"""Where friction stops the slip within a contact, and nodes about that place.

With a small slip velocity the friction falls from its full size to almost nothing within a
thousandth of the contact. The slip after any push has a closed form, but the way along the plane is
an integral over nodes, and needs some in that thousandth.
"""

import jax
import jax.numpy as jnp
import numpy as np

from jaxcontact.numerics.smooth import safe_norm

SHARP = 0.4
"""Change of the square of the friction between neighbouring nodes, in units of its largest, above
which it stops the slip between them.
"""

STOP_NODES, REACH, NEAREST = 32, 3.0, 1e-4
"""Nodes about a stop, how far they reach to both sides, and about how near the nearest are; in
units of the interval in which it lies.
"""


def stops_between(friction: jax.Array) -> jax.Array:
    """Whether the ``friction`` at the nodes, in units of the normal force, ``(nodes, 3)``, changes
    faster than they can follow.
    """
    square = jnp.sum(friction * friction, axis=1)
    return jnp.max(jnp.abs(jnp.diff(square))) > SHARP * jnp.max(square)


def nodes_about_stop(
    time: jax.Array, force: jax.Array, slip: jax.Array, friction: jax.Array
) -> jax.Array:
    """Times [s] ever closer towards the stop of a slip, ``(STOP_NODES,)``, without derivatives:
    they may stand still since touch-down.

    Args:
        time: of the nodes since touch-down [s], (nodes,).
        force: normal force at the nodes, over the mass against a slip [m/s^2], (nodes,).
        slip: at the nodes [m/s], (nodes, 3).
        friction: in units of the normal force, (nodes, 3).
    """
    time, force, slip, friction = jax.lax.stop_gradient((time, force, slip, friction))
    first = jnp.argmax(safe_norm(jnp.diff(friction, axis=0)))
    last = first + 1
    length = time[last] - time[first]
    slowing = safe_norm(friction[first]) * jnp.maximum(force[first], 0.0)
    slowing_later = safe_norm(friction[first]) * jnp.maximum(force[last], 0.0)
    # The slip falls like a parabola: its root, without cancellation.
    size = safe_norm(slip[first])
    bend = (slowing_later - slowing) * size / jnp.where(length > 0, length, jnp.inf)
    root = slowing + jnp.sqrt(jnp.maximum(slowing * slowing - 2 * bend, 0.0))
    share = 2 * size / jnp.where(root > 0, root * length, jnp.inf)
    at = time[first] + jnp.minimum(share, 1.0) * length
    farthest = float(np.arcsinh(REACH / NEAREST))
    away = NEAREST * np.sinh(farthest * np.linspace(-1.0, 1.0, STOP_NODES))
    return jnp.clip(at + length * jnp.asarray(away, time.dtype), 0.0, time[-1])
