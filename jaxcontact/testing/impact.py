"""One head-on impact under a normal law, by an adaptive method that knows nothing of the library's
coordinates.
"""

from collections.abc import Callable

import jax
import numpy as np

from jaxcontact.laws.core.branches import BranchedLaw
from jaxcontact.laws.core.normal_interfaces import CompliantLaw

# Dormand and Prince, J. Comput. Appl. Math. 6 (1980) 19-26, table 2: stages, and the difference of
# the solutions of order 5 and 4.
_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)

TOLERANCE = 1e-10
"""Error of one step, in units of the overlap scale and the impact speed."""

LARGEST_STEPS = 100_000
"""Steps after which a contact counts as one that does not end."""

Rates = Callable[[np.ndarray], np.ndarray]


def _step(rates: Rates, state: np.ndarray, length: float) -> tuple[np.ndarray, float]:
    """State after a step, and an estimate of its error."""
    slopes = [rates(state)]
    after = state
    for weights in _STAGES:
        change = sum(weight * slope for weight, slope in zip(weights, slopes, strict=True))
        after = state + length * change
        slopes.append(rates(after))
    difference = sum(weight * slope for weight, slope in zip(_ERROR, slopes, strict=True))
    return after, float(np.max(np.abs(length * difference)))


def _landed(rates: Rates, state: np.ndarray, end: float) -> np.ndarray:
    """The state at the overlap ``end``, in one step with the overlap as independent variable
    (Henon, Physica D 5 (1982) 412-414).
    """

    def by_overlap(at: np.ndarray) -> np.ndarray:
        slope = rates(at)
        return slope / slope[0]

    return _step(by_overlap, state, end - state[0])[0]


def obtained_by_integration(law: CompliantLaw, impact_speed: float, mass: float) -> float:
    """Restitution [-] of an impact under ``law.force``, until the overlap is gone or adhesion lets
    go.

    Args:
        law: with a force.
        impact_speed: [m/s].
        mass: effective mass [kg].

    Raises:
        AssertionError: the contact does not end.
    """
    end = 0.0
    if isinstance(law, BranchedLaw):
        end = float(law.end_overlap(law.begun(law.unloaded(1), np.zeros(1)))[0])
    length, time = (float(scale) for scale in law.scales(impact_speed=impact_speed, mass=mass))
    force = jax.jit(
        lambda overlap, rate: law.force(overlap, rate, impact_speed=impact_speed, mass=mass)
    )

    def rates(state: np.ndarray) -> np.ndarray:
        acceleration = -float(force(state[0] * length, state[1] * length / time)) / mass
        return np.array([state[1], acceleration * time * time / length])

    state = np.array([1e-12, impact_speed * time / length])
    start, step = state[1], 1e-4
    for _ in range(LARGEST_STEPS):
        after, error = _step(rates, state, step)
        if error <= TOLERANCE:
            if after[0] <= end / length and after[1] < 0.0:
                return float(-_landed(rates, state, end / length)[1] / start)
            state = after
        # The usual control of a step of order 5, held to a factor of 5.
        step *= min(5.0, max(0.2, 0.9 * (TOLERANCE / max(error, 1e-30)) ** 0.2))
    raise AssertionError(
        f"{type(law).__name__}: the contact of an impact at {impact_speed:g} m/s does not end."
    )
