"""Calls of what a user wrote: what cannot be compiled there is said in words, with the remedy."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from calibration.errors import InputError
from jaxcontact.numerics.untraceable import UNTRACEABLE, describe_untraceable

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


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
    except UNTRACEABLE as error:
        problem, remedy = describe_untraceable(what, error)
        raise InputError(problem, remedy=remedy) from error
