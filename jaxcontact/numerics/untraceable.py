"""What is said where code that a user wrote asks a traced number for its value."""

import jax

UNTRACEABLE = (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)
"""What JAX raises there."""


def describe_untraceable(what: str, error: Exception) -> tuple[str, str]:
    """The problem and the remedy, for an error of ``UNTRACEABLE`` that ``what`` raised."""
    said = str(error).split("\n", 1)[0].rstrip(".")
    return (
        f"{what} cannot be compiled and differentiated ({type(error).__name__}: {said})",
        "Use jax.numpy, and no Python if, float() or numpy on what depends on parameters: "
        "jnp.where(condition, one, other).",
    )
