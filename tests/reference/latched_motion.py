"""Motion with contacts that remember the speed at which they started, as Modia3D integrates it:
SciPy with located starts and ends.

Independent of ``jaxcontact.simulation.simulate``: only the forces are those of the library.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp


class Motion(NamedTuple):
    """The final state, and how often contacts started."""

    state: np.ndarray
    starts: int


def latched_motion(
    rate: Callable[[np.ndarray, np.ndarray], Any],
    contacts: Callable[[np.ndarray], tuple[Any, Any]],
    start: np.ndarray,
    duration: float,
    jacobian: Callable[[np.ndarray, np.ndarray], Any] | None = None,
    **solver: Any,
) -> Motion:
    """Integrate ``y' = rate(y, impact_speeds)`` over ``duration``.

    Args:
        rate: impact speeds ``(k,)``, one for each contact, negative where there is none: such a
            contact must not exert a force.
        contacts: overlap and magnitude of the normal velocity of each contact, ``(k,)`` each, as
            functions of ``y``.
        start: ``y`` at first.
        duration: [s].
        jacobian: of ``rate`` by ``y``, for an implicit method.
        solver: arguments of ``scipy.integrate.solve_ivp``.
    """
    time, state, starts = 0.0, np.asarray(start, float), 0
    overlap, speed = (np.asarray(value) for value in contacts(state))
    memory = np.where(overlap >= 0.0, speed, -1.0)

    def crossing(index: int, direction: float) -> Callable[[float, np.ndarray], float]:
        def event(_: float, y: np.ndarray) -> float:
            return float(contacts(y)[0][index])

        event.terminal, event.direction = True, direction
        return event

    while time < duration:
        if jacobian is not None:
            solver["jac"] = lambda _, y, memory=memory: np.asarray(jacobian(y, memory))
        events = [
            crossing(index, -1.0 if remembered >= 0.0 else 1.0)
            for index, remembered in enumerate(memory)
        ]
        found = solve_ivp(
            lambda _, y, memory=memory: np.asarray(rate(y, memory)),
            (time, duration),
            state,
            events=events,
            **solver,
        )
        assert found.success, found.message
        time, state = found.t[-1], found.y[:, -1]
        speed = np.asarray(contacts(state)[1])
        for index, times in enumerate(found.t_events):
            if times.size:
                starts += memory[index] < 0.0
                memory[index] = speed[index] if memory[index] < 0.0 else -1.0
    return Motion(state, starts)
