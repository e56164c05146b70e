r"""How wrong the derivative of a fixed time step is.

On a grid that does not move with the parameters, the derivative of the velocity inside a contact is
the shift of the arrival time times the acceleration of the contact, ``v/T`` in order of magnitude;
what the discretised contact does not cancel of it stays. Measured over one bounce with
semi-implicit Euler and velocity Verlet, stiffnesses of 1e5 to 1e9 N/m^1.5 and steps of 1e-5 and
1e-6 s, the relative error of the derivative by the height of the drop is ``0.2 v/(g T)
(dt/T)^1.5``, with a factor of 0.14 to 0.24 (0.06 to 0.13 with RK4), for the impact speed ``v`` and
the time scale ``T`` of the contact, ``(m^2/(k^2 v))^(1/5)`` for Hertz.

The shift of the arrival by the height is ``1/v`` and the wanted derivative ``g/v``, so the rule
says that the derivative of the velocity after a contact has an error of ``0.2 (v/T) (dt/T)^1.5``
times the shift of its arrival, by whatever parameter.
"""

from typing import Any

import numpy as np

FACTOR = 0.2
TOO_COARSE = 0.1
"""Relative error of a derivative from which a fixed step is too coarse for it."""


def uncancelled(step: Any, duration: Any) -> Any:
    """Part of the large derivative inside a contact that stays after it, ``0.2 (dt/T)^1.5`` [-]."""
    return FACTOR * (step / np.asarray(duration)) ** 1.5


def relative_error(step: Any, *, impact_speed: Any, duration: Any, gravity: Any) -> Any:
    """Relative error of a derivative over one bounce under ``gravity`` [m/s^2], ``0.2 v/(g T)
    (dt/T)^1.5`` [-].
    """
    return uncancelled(step, duration) * impact_speed / (gravity * np.asarray(duration))


def velocity_error(step: Any, *, impact_speed: Any, duration: Any, arrival_shift: Any) -> Any:
    """Error of the derivative of the velocity after a contact, for the derivative of its
    touch-down, ``arrival_shift``.
    """
    return uncancelled(step, duration) * impact_speed / np.asarray(duration) * np.abs(arrival_shift)
