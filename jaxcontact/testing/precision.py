"""Conformance checks compare with differences: they need double precision."""

import jax


def require_double_precision(owner: str) -> None:
    """Raise ``RuntimeError`` unless JAX computes in double precision."""
    if not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise RuntimeError(
            f"{owner} compares with finite differences and needs double precision. Put "
            'jax.config.update("jax_enable_x64", True) in front of your program.'
        )
