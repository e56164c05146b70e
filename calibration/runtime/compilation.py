"""Compilation of fits: each program runs for milliseconds and compiles for seconds, so that the
faster compiler is the better one.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import jax

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

PLAIN_FUSIONS = {"xla_cpu_use_fusion_emitters": False}
"""On a CPU XLA then emits loops by its older, plainer way: half the time to compile, the same time
to run a fit.
"""


@functools.cache
def find_compiler_options() -> dict[str, bool]:
    """The options of the quicker compiler: ``PLAIN_FUSIONS`` where the installed XLA knows it.

    Newer ones do not know it; they compile faster by themselves.
    """
    try:
        jax.jit(lambda: 0, compiler_options=PLAIN_FUSIONS).lower().compile()
    except jax.errors.JaxRuntimeError:
        return {}
    return PLAIN_FUSIONS


def quick_jit(
    function: Callable[Arguments, Result], *, static_argnames: tuple[str, ...]
) -> Callable[Arguments, Result]:
    """``jax.jit`` of a function that is called from Python only, compiled with
    ``find_compiler_options``.
    """

    @functools.cache
    def compiled() -> Callable[Arguments, Result]:
        return jax.jit(
            function, static_argnames=static_argnames, compiler_options=find_compiler_options()
        )

    @functools.wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return compiled()(*args, **kwargs)

    return call
