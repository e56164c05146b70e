"""Progress of compiled code, reported while it runs."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap


def make_reporter(say: Callable[[int], None]) -> Callable[[jax.Array], jax.Array]:
    """Make a function that compiled code calls with the number of steps it has done, and goes on
    with what it returns.

    ``steps = report(steps)`` calls ``say(steps)`` while the code runs, under ``jit``, in loops and
    under ``vmap``, where the lane that is furthest behind counts. Code with it is compiled anew in
    each process. ``jax.effects_barrier()`` waits for the last call.

    Args:
        say: called with a whole number, e.g. ``Progress(...).advance``.

    Example:
        >>> from calibration.runtime.callbacks import make_reporter
        >>> reported = []
        >>> report = make_reporter(reported.append)
        >>> steps = jax.jit(lambda count: report(count) + 1)(2)
        >>> jax.effects_barrier()
        >>> reported
        [2]
    """

    @custom_vmap
    def report(steps: jax.Array) -> jax.Array:
        jax.debug.callback(lambda count: say(int(count)), steps)
        return steps

    @report.def_vmap
    def slowest(size: int, batched: list[bool], steps: jax.Array) -> tuple[jax.Array, bool]:
        report(jnp.min(steps))
        return steps, batched[0]

    return report
