"""The restitution laws that a study can name, as rigid impacts. A new one is an entry here, or in a
module that a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    import jaxcontact as jc

NORMAL = "contact.normal"
"""Path of the normal law in a scene."""


@dataclasses.dataclass(frozen=True)
class RestitutionChoice:
    """A law of rigid impacts as a study names it.

    Attributes:
        name: in study files, on the command line and in comparisons.
        free: paths of the parameters that are found.
        make: the law with starting values, from the restitution at first sight and the speed at
            which it was seen [m/s].

    Example:
        >>> import jaxcontact as jc
        >>> import calibration as cal
        >>> bouncy = cal.studies.RestitutionChoice(
        ...     name="bouncy",
        ...     free=("contact.normal.restitution",),
        ...     make=lambda restitution, speed: jc.NewtonRestitution(restitution=restitution),
        ... )
        >>> bouncy.make(0.9, 1.0).restitution
        0.9
    """

    name: str
    free: tuple[str, ...]
    make: Callable[[float, float], Any]


RESTITUTION_LAWS: Registry[RestitutionChoice] = Registry(RestitutionChoice, "restitution law")
"""By name; study files choose one with ``restitution_law``, ``compare`` fits all of them.

Example:
    >>> import calibration as cal
    >>> cal.studies.RESTITUTION_LAWS.names
    ('constant', 'viscoelastic', 'power law', 'plastic')
"""


def _constant(restitution: float, speed: float) -> "jc.NewtonRestitution":
    import jaxcontact as jc  # imports JAX, for which help texts do not wait

    return jc.NewtonRestitution(restitution=restitution)


def _viscoelastic(restitution: float, speed: float) -> "jc.ViscoelasticRestitution":
    import jaxcontact as jc

    return jc.ViscoelasticRestitution(restitution=restitution, reference_speed=speed)


def _power_law(restitution: float, speed: float) -> "jc.PowerLawRestitution":
    import jaxcontact as jc

    return jc.PowerLawRestitution(
        restitution=restitution, reference_speed=speed, velocity_exponent=0.05
    )


def _plastic(restitution: float, speed: float) -> "jc.ThorntonRestitution":
    import jaxcontact as jc

    return jc.ThorntonRestitution(yield_speed=speed * restitution**4 / 2)


RESTITUTION_LAWS.register(RestitutionChoice("constant", (f"{NORMAL}.restitution",), _constant))
RESTITUTION_LAWS.register(
    RestitutionChoice("viscoelastic", (f"{NORMAL}.restitution",), _viscoelastic)
)
RESTITUTION_LAWS.register(
    RestitutionChoice(
        "power law", (f"{NORMAL}.restitution", f"{NORMAL}.velocity_exponent"), _power_law
    )
)
RESTITUTION_LAWS.register(RestitutionChoice("plastic", (f"{NORMAL}.yield_speed",), _plastic))
