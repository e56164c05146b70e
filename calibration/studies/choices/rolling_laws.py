"""The rolling laws that a study of a rolling decay can name. A new one is an entry here, or in a
module that a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    import jaxcontact as jc


@dataclasses.dataclass(frozen=True)
class RollingChoice:
    """A rolling law as a study names it.

    Attributes:
        name: in study files and on the command line.
        free: paths of the parameters that are found.
        make: the law with starting values, from the torque at first sight over normal force and
            radius [-], and the speed at which it was seen [m/s].

    Example:
        >>> import jaxcontact as jc
        >>> import calibration as cal
        >>> sharp = cal.studies.RollingChoice(
        ...     name="sharp",
        ...     free=("contact.rolling.rolling_coefficient",),
        ...     make=lambda coefficient, speed: jc.RollingResistance(
        ...         rolling_coefficient=coefficient, rolling_velocity=1e-6
        ...     ),
        ... )
        >>> sharp.make(0.01, 0.5).rolling_coefficient
        0.01
    """

    name: str
    free: tuple[str, ...]
    make: Callable[[float, float], Any]


ROLLING_LAWS: Registry[RollingChoice] = Registry(RollingChoice, "rolling law")
"""By name; study files choose one with ``rolling_law``.

Example:
    >>> import calibration as cal
    >>> cal.studies.ROLLING_LAWS.names
    ('constant', 'viscous')
"""


def _constant(coefficient: float, speed: float) -> "jc.RollingResistance":
    import jaxcontact as jc  # imports JAX, for which help texts do not wait

    return jc.RollingResistance(rolling_coefficient=coefficient)


def _viscous(coefficient: float, speed: float) -> "jc.laws.RollingFlow":
    import jaxcontact as jc

    Viscous = jc.rolling_law(jc.laws.rolling.viscous_rolling_torque)
    return Viscous(viscous_coefficient=coefficient / speed)


ROLLING_LAWS.register(
    RollingChoice("constant", ("contact.rolling.rolling_coefficient",), _constant)
)
ROLLING_LAWS.register(RollingChoice("viscous", ("contact.rolling.viscous_coefficient",), _viscous))
