"""The quantities of the measurement that a study can name, beside those that are always found.
A new one is an entry here, or in a module that a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import calibration.nuisances as nuisances
from calibration.runtime.registry import Registry

if TYPE_CHECKING:
    from calibration.nuisances import Nuisance


@dataclasses.dataclass(frozen=True)
class NuisanceChoice:
    """A quantity of the measurement as a study names it.

    Attributes:
        name: in study files and on the command line.
        make: the nuisance.

    Example:
        >>> import calibration as cal
        >>> tilt = cal.studies.NuisanceChoice(
        ...     name="tilt to y", make=lambda: cal.nuisances.GravityTilt("y")
        ... )
        >>> tilt.make().towards
        'y'
    """

    name: str
    make: Callable[[], "Nuisance"]


NUISANCES: Registry[NuisanceChoice] = Registry(NuisanceChoice, "nuisance")
"""By name; study files choose some with ``nuisances``.

Example:
    >>> import calibration as cal
    >>> cal.studies.NUISANCES["gravity tilt"].make()
    GravityTilt(towards='x', prior=None)
"""

NUISANCES.register(NuisanceChoice("gravity", lambda: nuisances.Gravity()))
NUISANCES.register(NuisanceChoice("gravity tilt", lambda: nuisances.GravityTilt()))
NUISANCES.register(NuisanceChoice("camera roll", lambda: nuisances.CameraRoll()))
NUISANCES.register(NuisanceChoice("pixel aspect", lambda: nuisances.PixelAspect()))
NUISANCES.register(NuisanceChoice("surface tilt", lambda: nuisances.SurfaceTilt()))
NUISANCES.register(NuisanceChoice("rolling shutter", lambda: nuisances.RollingShutter()))
NUISANCES.register(
    NuisanceChoice(
        "lens distortion", lambda: nuisances.LensDistortion(centre=(0.0, 0.0), centre_sd=1.0)
    )
)
NUISANCES.register(NuisanceChoice("exposure", lambda: nuisances.Exposure()))
NUISANCES.register(NuisanceChoice("force gain", lambda: nuisances.ForceGain()))
