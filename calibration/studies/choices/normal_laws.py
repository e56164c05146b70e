"""The normal laws with a force that a study can name instead of rigid impacts. A new one is an
entry here, or in a module that a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    import jaxcontact as jc

HERTZ_TIME = 3.2181
"""Contact duration of Hertz's law in units of ``(m^2/(K^2 v))^(1/5)``."""

GUESSED_DURATION = 1e-4
"""Contact duration of the first guess, between those of glass and of rubber balls [s]."""


def hertz_stiffness(mass: float, speed: float, duration: float) -> float:
    """``K = m v^(-1/2) (HERTZ_TIME / duration)^(5/2)`` [N/m^1.5] of an impact without damping."""
    return mass / speed**0.5 * (HERTZ_TIME / duration) ** 2.5


@dataclasses.dataclass(frozen=True)
class NormalLawChoice:
    """A normal law with a force as a study names it.

    Attributes:
        name: in study files and on the command line.
        free: paths of the parameters that are found.
        make: the law with starting values, from the restitution at first sight, the speed at which
            it was seen [m/s] and the mass of the ball [kg].

    Example:
        >>> import jaxcontact as jc
        >>> import calibration as cal
        >>> stiff = cal.studies.NormalLawChoice(
        ...     name="stiff dashpot",
        ...     free=("contact.normal.restitution",),
        ...     make=lambda restitution, speed, mass: jc.LinearDashpot(
        ...         stiffness=1e6, restitution=restitution
        ...     ),
        ... )
        >>> stiff.make(0.9, 1.0, 0.01).stiffness
        1000000.0
    """

    name: str
    free: tuple[str, ...]
    make: Callable[[float, float, float], Any]


NORMAL_LAWS: Registry[NormalLawChoice] = Registry(NormalLawChoice, "normal law")
"""By name; study files choose one with ``normal_law``.

Example:
    >>> import calibration as cal
    >>> cal.studies.NORMAL_LAWS.names
    ('hunt-crossley',)
"""


def _hunt_crossley(restitution: float, speed: float, mass: float) -> "jc.HuntCrossley":
    import jaxcontact as jc  # imports JAX, for which help texts do not wait

    stiffness = hertz_stiffness(mass, speed, GUESSED_DURATION)
    return jc.HuntCrossley(stiffness=stiffness, restitution=restitution)


NORMAL_LAWS.register(
    NormalLawChoice(
        "hunt-crossley", ("contact.normal.stiffness", "contact.normal.restitution"), _hunt_crossley
    )
)
