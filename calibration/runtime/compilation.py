"""Compilation of fits: each program runs for milliseconds and compiles for seconds, so that the
faster compiler is the better one.
"""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

PLAIN_FUSIONS = {"xla_cpu_use_fusion_emitters": False}
"""On a CPU XLA then emits loops by its older, plainer way: half the time to compile, the same time
to run a fit.
"""


UNOPTIMISED = {"xla_backend_optimization_level": 0}
"""A third to a half of the time to compile, two to six times the time to run."""


@functools.cache
def find_compiler_options(*, once: bool = False) -> dict[str, bool | int]:
    """The options of the quicker compiler, of those that the installed XLA knows: newer ones do not
    know ``PLAIN_FUSIONS``, as they compile faster by themselves.

    Args:
        once: the program runs once or twice, so that nothing is won by optimising it.
    """
    wanted = [PLAIN_FUSIONS, UNOPTIMISED] if once else [PLAIN_FUSIONS]
    return {name: value for options in wanted if _knows(options) for name, value in options.items()}


def _knows(options: dict[str, Any]) -> bool:
    """Whether the installed XLA knows these options."""
    try:
        jax.jit(lambda: 0, compiler_options=options).lower().compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True


def quick_jit(
    function: Callable[Arguments, Result],
    *,
    static_argnames: tuple[str, ...],
    once: bool = False,
) -> Callable[Arguments, Result]:
    """``jax.jit`` of a function that is called from Python only, compiled with
    ``find_compiler_options``.
    """

    @functools.cache
    def compiled() -> Callable[Arguments, Result]:
        return jax.jit(
            function,
            static_argnames=static_argnames,
            compiler_options=find_compiler_options(once=once),
        )

    @functools.wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return compiled()(*args, **kwargs)

    return call
