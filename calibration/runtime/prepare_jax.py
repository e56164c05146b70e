"""How a program of ours, which owns its process, sets JAX up."""

from calibration.runtime.compilation_cache import enable_compilation_cache


def prepare_jax() -> None:
    """Double precision, and compiled code kept for the next run."""
    enable_compilation_cache()
    import jax

    jax.config.update("jax_enable_x64", True)
