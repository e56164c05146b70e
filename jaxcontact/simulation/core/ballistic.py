"""When something in free flight, under a constant acceleration, touches."""

import jax
import jax.numpy as jnp


def touch_time(gap: jax.Array, gap_rate: jax.Array, acceleration: jax.Array) -> jax.Array:
    """The time of ``gap + gap_rate t + acceleration t^2/2 = 0`` at which the gap closes; infinite
    when it never does.

    The form of the root is chosen by the sign of the rate, so that nothing cancels. The root may
    lie in the past (negative) when the gap is negative and closing. A sphere that lies on or in the
    plane and cannot leave it touches at once (zero).
    """
    discriminant = gap_rate * gap_rate - 2 * acceleration * gap
    closing = gap_rate < 0
    falls = acceleration < 0
    exists = (discriminant > 0) & (closing | falls)
    root = jnp.sqrt(jnp.where(exists, discriminant, 1.0))
    already_closing = 2 * gap / jnp.where(exists & closing, root - gap_rate, 1.0)
    turning_first = (gap_rate + root) / jnp.where(falls, -acceleration, 1.0)
    lies_there = falls & (gap <= 0) & (discriminant <= 0)
    return jnp.where(
        exists,
        jnp.where(closing, already_closing, turning_first),
        jnp.where(lies_there, 0.0, jnp.inf),
    )
