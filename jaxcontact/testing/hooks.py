"""What is said where a method that a user wrote cannot be compiled."""

import contextlib
from collections.abc import Iterator

from jaxcontact.numerics.untraceable import UNTRACEABLE, describe_untraceable


@contextlib.contextmanager
def refusing_untraceable(name: str) -> Iterator[None]:
    """Turn the error of JAX where Python asks a traced number for its value into that of a check.

    Args:
        name: of the class or the function that is checked.

    Raises:
        AssertionError: with the remedy.
    """
    try:
        yield
    except UNTRACEABLE as error:
        raise AssertionError(". ".join(describe_untraceable(name, error))) from error
