"""Compilation of fits: each program runs for milliseconds and compiles for seconds, so that the
faster compiler is the better one.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax

PLAIN_FUSIONS = {"xla_cpu_use_fusion_emitters": False}
"""On a CPU XLA then emits loops by its older, plainer way: half the time to compile, the same time
to run a fit.
"""


@functools.cache
def find_compiler_options() -> dict[str, bool]:
    """``PLAIN_FUSIONS`` where the installed XLA knows it, which newer ones do not; they compile
    faster by themselves.
    """
    try:
        jax.jit(lambda: 0, compiler_options=PLAIN_FUSIONS).lower().compile()
    except jax.errors.JaxRuntimeError:
        return {}
    return PLAIN_FUSIONS


def quick_jit(
    function: Callable[..., Any], *, static_argnames: tuple[str, ...]
) -> Callable[..., Any]:
    """``jax.jit`` of a function that is called from Python only, compiled with
    ``find_compiler_options``.
    """

    @functools.cache
    def compiled() -> Callable[..., Any]:
        return jax.jit(
            function, static_argnames=static_argnames, compiler_options=find_compiler_options()
        )

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return compiled()(*args, **kwargs)

    return call
