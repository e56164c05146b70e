"""How many programs are compiled while something runs."""

from collections.abc import Callable

import jax


def compilations(work: Callable[[], object]) -> int:
    """Programs that XLA compiles while ``work()`` runs."""
    counted = []

    def count(event: str, seconds: float, **_: object) -> None:
        if event.endswith("backend_compile_duration"):
            counted.append(event)

    jax.monitoring.register_event_duration_secs_listener(count)
    try:
        work()
    finally:
        jax.monitoring.unregister_event_duration_listener(count)
    return len(counted)
