"""What is said where a method that a user wrote cannot be compiled."""

import contextlib
from collections.abc import Iterator

import jax


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
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as error:
        said = str(error).split("\n", 1)[0].rstrip(".")
        raise AssertionError(
            f"{name} cannot be compiled ({type(error).__name__}: {said}). Use jax.numpy, and no "
            "Python if, float() or numpy on what depends on its arguments: jnp.where(condition, "
            "one, other)."
        ) from error
