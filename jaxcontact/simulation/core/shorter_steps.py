"""Steps towards a time at which a motion is to be seen.

Friction that holds by a small slip keeps that in balance with what pulls, within a time that may be
far shorter than a step. A step that lets friction and the rest act in turn ends with too small or
too large a slip. It costs the motion little, since what is forgotten soon does no harm for long,
but it is what one would see. So a time is reached in ever shorter steps, the last of which are
shorter than the memory of the slip.
"""

import jax
import jax.numpy as jnp

SHARES = 6
"""Number of steps. With two half steps and an extrapolation in each, a slip under a pull that lasts
is right to 2e-3 of itself whatever the steepness of the friction, beside up to 0.3 after one step
(worked out for friction in proportion to the slip).
"""


def shorter_and_shorter(begin: jax.Array, end: jax.Array) -> jax.Array:
    """Times from ``begin`` to ``end``, ``(SHARES + 1,)``: each step goes half of what is left, the
    last one all of it.
    """
    way = end - begin
    left = way * 0.5 ** jnp.arange(SHARES, dtype=way.dtype)
    return end - jnp.append(left, 0.0)
