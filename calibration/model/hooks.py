"""Calls of what a user wrote: what cannot be compiled there is said in words, with the remedy."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import jax

from calibration.errors import InputError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

NOT_TRACED = (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)
"""What JAX raises where Python asks a traced number for its value."""


def call_hook(
    what: str, hook: Callable[Arguments, Result], *given: Arguments.args, **named: Arguments.kwargs
) -> Result:
    """The result of ``hook``, a method that a fit compiles and differentiates.

    Args:
        what: class and method, for the error.
        hook: the method.
        *given: its arguments.
        **named: its arguments.

    Raises:
        InputError: it asks a traced number for its value.
    """
    try:
        return hook(*given, **named)
    except NOT_TRACED as error:
        said = str(error).split("\n", 1)[0].rstrip(".")
        raise InputError(
            f"{what} cannot be compiled and differentiated ({type(error).__name__}: {said})",
            remedy="Use jax.numpy, and no Python if, float() or numpy on what depends on "
            "parameters: jnp.where(condition, one, other).",
        ) from error
