"""One head-on impact under a normal law, by an adaptive method that knows nothing of the library's
coordinates.
"""

from typing import Any

import jax
import numpy as np
from scipy.integrate import solve_ivp


def obtained_by_integration(law: Any, impact_speed: float, mass: float) -> float:
    """Restitution of an impact of ``law.force`` at ``impact_speed`` [m/s], ``mass`` [kg] the
    effective mass.
    """
    end = (
        float(law.end_overlap(law.begun(law.unloaded(1), np.zeros(1)))[0])
        if hasattr(law, "end_overlap")
        else 0.0
    )
    length, time = (float(scale) for scale in law.scales(impact_speed=impact_speed, mass=mass))
    force = jax.jit(
        lambda overlap, rate: law.force(overlap, rate, impact_speed=impact_speed, mass=mass)
    )

    def rates(_: float, state: np.ndarray) -> list[float]:
        acceleration = -float(force(state[0] * length, state[1] * length / time)) / mass
        return [state[1], acceleration * time * time / length]

    def parts(_: float, state: np.ndarray) -> float:
        return state[0] - end / length

    parts.terminal, parts.direction = True, -1  # type: ignore[attr-defined]
    start = [1e-12, impact_speed * time / length]
    motion = solve_ivp(
        rates, (0.0, 1e4), start, method="DOP853", rtol=1e-11, atol=1e-14, events=parts
    )
    return float(-motion.y[1, -1] / start[1])
