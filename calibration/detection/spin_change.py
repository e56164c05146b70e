"""What the velocities before and after a bounce say of the spin: the impulse that changes one
changes the other.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.detection.flight_fit import Bounce


def find_spin_change(bounce: Bounce, *, radius: float, inertia_ratio: float) -> NDArray[np.float64]:
    """Change (3,) of the spin of a sphere on a level surface, ``n x dv / (-k R)`` [rad/s]; zero
    about the vertical, NaN where the velocity that tells it was not measured.

    The friction impulse ``m dv`` acts at ``-R n`` from the centre, and the moment of inertia is ``k
    m R^2``.

    Args:
        bounce: with the velocities before and after it.
        radius: R of the sphere [m].
        inertia_ratio: k, 2/5 of a solid sphere, 2/3 of a thin shell [-].

    Example:
        A ball without spin that friction slows down rolls forwards afterwards:

        >>> slowed = cal.detection.Bounce(
        ...     time=0.3,
        ...     time_sd=1e-4,
        ...     height=0.02,
        ...     height_sd=1e-4,
        ...     velocity_before=np.array([1.0, np.nan, -2.0]),
        ...     velocity_after=np.array([0.6, np.nan, 1.6]),
        ...     restitution=0.8,
        ...     restitution_sd=2e-3,
        ... )
        >>> find_spin_change(slowed, radius=0.02, inertia_ratio=2 / 3).round(3)
        array([nan, 30.,  0.])
    """
    change = np.asarray(bounce.velocity_after) - np.asarray(bounce.velocity_before)
    return np.array([change[1], -change[0], 0.0]) / (inertia_ratio * radius)


def flight_of(times: NDArray[np.float64], bounces: Sequence[Bounce]) -> NDArray[np.intp]:
    """In which flight times (n,) are: after how many bounces.

    Args:
        times: on the clock of the recording [s].
        bounces: in their order.
    """
    return np.searchsorted([bounce.time for bounce in bounces], times)
