"""The spinning laws that a study of a spin decay can name. A new one is an entry here, or in a
module that a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    import jaxcontact as jc


@dataclasses.dataclass(frozen=True)
class SpinningChoice:
    """A spinning law as a study names it.

    Attributes:
        name: in study files and on the command line.
        free: paths of the parameters that are found.
        make: the law with starting values, from the torque at first sight over the normal force [m]
            and the radius of the contact disk [m], ``None`` where it is not known.
        needs_disk: whether the radius of the contact must be known.

    Example:
        >>> import jaxcontact as jc
        >>> import calibration as cal
        >>> ring = cal.studies.SpinningChoice(
        ...     name="ring",
        ...     free=("contact.spinning.coefficient",),
        ...     make=lambda lever, disk: jc.SpinningFriction(
        ...         coefficient=lever / disk, pressure="ring"
        ...     ),
        ...     needs_disk=True,
        ... )
        >>> ring.make(2e-5, 1e-4).coefficient
        0.2
    """

    name: str
    free: tuple[str, ...]
    make: Callable[[float, float | None], Any]
    needs_disk: bool


SPINNING_LAWS: Registry[SpinningChoice] = Registry(SpinningChoice, "spinning law")
"""By name; study files choose one with ``spinning_law``.

Example:
    >>> import calibration as cal
    >>> cal.studies.SPINNING_LAWS.names
    ('lever', 'hertz', 'uniform')
"""


def _lever(lever: float, disk: float | None) -> "jc.laws.SpinningLaw":
    import jaxcontact as jc  # imports JAX, for which help texts do not wait

    Lever = jc.spinning_law(jc.laws.spinning.lever_spinning_torque)
    return Lever(spinning_lever=lever, spin_velocity=1e-3)


def _disk(pressure: str) -> Callable[[float, float | None], "jc.SpinningFriction"]:
    def make(lever: float, disk: float | None) -> "jc.SpinningFriction":
        import jaxcontact as jc

        assert disk is not None  # it needs one
        share = jc.laws.spinning.PRESSURES[pressure]
        return jc.SpinningFriction(coefficient=lever / (share * disk), pressure=pressure)

    return make


LEVER, HERTZ, UNIFORM = "lever", "hertz", "uniform"

SPINNING_LAWS.register(
    SpinningChoice(LEVER, ("contact.spinning.spinning_lever",), _lever, needs_disk=False)
)
for _pressure in (HERTZ, UNIFORM):
    SPINNING_LAWS.register(
        SpinningChoice(
            _pressure, ("contact.spinning.coefficient",), _disk(_pressure), needs_disk=True
        )
    )
