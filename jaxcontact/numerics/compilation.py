"""Compilers' options for programs that are compiled for seconds and then run for milliseconds."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import jax

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

PLAIN_FUSIONS = {"xla_cpu_use_fusion_emitters": False}
"""On a CPU XLA then emits loops by its older, plainer way: half the time to compile, the same time
to run.
"""

OPTIMISED = {"xla_backend_optimization_level": 1}
"""Runs as fast as with the highest level, whatever level the environment asks of other programs."""

UNOPTIMISED = {"xla_backend_optimization_level": 0}
"""A third to a half of the time to compile, two to six times the time to run."""


@functools.cache
def find_compiler_options(*, optimised: bool) -> dict[str, bool | int]:
    """The options of a quicker compiler, of those that the installed XLA knows: newer ones do not
    know ``PLAIN_FUSIONS``, as they compile faster by themselves.

    Args:
        optimised: whether the program is to run as fast as it can; not, where it runs a few times.
    """
    wanted: list[dict[str, Any]] = [PLAIN_FUSIONS, OPTIMISED if optimised else UNOPTIMISED]
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
    static_argnames: Sequence[str] = (),
    optimised: bool = True,
) -> Callable[Arguments, Result]:
    """``jax.jit`` of a function that is called from Python only, compiled with
    ``find_compiler_options``.
    """

    @functools.cache
    def compiled() -> Callable[Arguments, Result]:
        return jax.jit(
            function,
            static_argnames=static_argnames,
            compiler_options=find_compiler_options(optimised=optimised),
        )

    @functools.wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        return compiled()(*args, **kwargs)

    return call
