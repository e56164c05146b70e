"""The quantities of the measurement that a study can name, beside those that are always found.
A new one is an entry here, or in a module that a study names in its extensions.
"""

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import calibration.nuisances as nuisances
from calibration.runtime.registry import Registry
from calibration.studies.choices.named_tables import Choice
from calibration.studies.option import (
    FLAG,
    NUMBER,
    PLACE,
    POSITIVE,
    TEXT,
    VECTOR,
    Option,
    one_of,
)

if TYPE_CHECKING:
    from calibration.nuisances import Nuisance


@dataclasses.dataclass(frozen=True)
class NuisanceChoice(Choice):
    """A quantity of the measurement as a study names it.

    What is known of its parameters, a prior, bounds or a fixed value, a study says below
    ``parameters``, by their names.

    Attributes:
        name: in study files and on the command line.
        make: the nuisance, from its values as keyword arguments.
        values: that it takes, by key.
        needs: keys that must be given.

    Example:
        >>> import calibration as cal
        >>> tilt = cal.studies.NuisanceChoice(
        ...     name="tilt to y", make=lambda: cal.nuisances.GravityTilt("y")
        ... )
        >>> tilt.make().towards
        'y'
    """

    make: Callable[..., "Nuisance"]


NUISANCES: Registry[NuisanceChoice] = Registry(NuisanceChoice, "nuisance")
"""By name; study files choose some with ``nuisances``.

Example:
    >>> import calibration as cal
    >>> cal.studies.NUISANCES["gravity tilt"].make(towards="y")
    GravityTilt(towards='y', prior=None)
"""

_TOWARDS = {
    "towards": Option("axis of the recording towards which it tilts", one_of("x", "y"), default="x")
}
_CLOCK = Option(
    "clock of the instrument: camera, microphone, force sensor, or the name of its measurement",
    TEXT,
)
_CENTRE = "point of the picture on the axis of the camera (x, z) [m]"


def _register(
    name: str,
    make: Callable[..., "Nuisance"],
    values: Mapping[str, Option] | None = None,
    needs: tuple[str, ...] = (),
) -> None:
    NUISANCES.register(NuisanceChoice(name, make, values or {}, needs))


def _lens(
    centre: tuple[float, float] = (0.0, 0.0), decentring: float = 0.05
) -> "nuisances.LensDistortion":
    from calibration.model.prior import Normal  # imports JAX

    return nuisances.LensDistortion(centre, decentring=Normal(0.0, decentring))


# Each class is looked up when it is made: it imports JAX, for which help texts do not wait.
_register("gravity", lambda: nuisances.Gravity())
_register("gravity tilt", lambda **given: nuisances.GravityTilt(**given), _TOWARDS)
_register("surface tilt", lambda **given: nuisances.SurfaceTilt(**given), _TOWARDS)
_register("camera roll", lambda: nuisances.CameraRoll())
_register("pixel aspect", lambda: nuisances.PixelAspect())
_register("rolling shutter", lambda: nuisances.RollingShutter())
_register(
    "lens distortion",
    _lens,
    {
        "centre": Option(_CENTRE, PLACE, default=(0.0, 0.0)),
        "decentring": Option(
            "standard deviation of what a lens that is not centred there adds [1/m]",
            POSITIVE,
            default=0.05,
        ),
    },
)
_register(
    "depth motion",
    lambda distance, centre=(0.0, 0.0): nuisances.DepthMotion(distance, centre),
    {
        "distance": Option("from the camera to the ball at first [m]", POSITIVE),
        "centre": Option(_CENTRE, PLACE, default=(0.0, 0.0)),
    },
    ("distance",),
)
_register(
    "perspective",
    lambda **given: nuisances.Perspective(**given),
    {
        "towards": Option(
            "axis of the picture along which lengths get smaller", one_of("x", "z"), default="z"
        ),
        "centre": Option(_CENTRE, PLACE, default=(0.0, 0.0)),
    },
)
_register("camera drift", lambda: nuisances.CameraDrift())
_register(
    "exposure",
    lambda **given: nuisances.Exposure(**given),
    {
        "known": Option("the exposure time [s]; found when left out", POSITIVE),
        "guess": Option("where the search begins [s]", POSITIVE, default=2e-3),
    },
)
_register("force gain", lambda: nuisances.ForceGain())
_register(
    "clock drift",
    lambda **given: nuisances.ClockDrift(**given),
    {"clock": _CLOCK, "shared": Option("whether all recordings have the same", FLAG, default=True)},
    ("clock",),
)
_register(
    "clock offset",
    lambda **given: nuisances.ClockOffset(**given),
    {
        "clock": _CLOCK,
        "shared": Option("whether all recordings have the same", FLAG, default=False),
    },
    ("clock",),
)
_register("length scale", lambda: nuisances.LengthScale())
_register("surface height", lambda: nuisances.SurfaceHeight())
_register("initial state", lambda: nuisances.InitialState())
_register("first impact", lambda: nuisances.FirstImpact())
_register("initial turn", lambda: nuisances.InitialTurn())
_register("marker start", lambda: nuisances.MarkerStart())
_register("time offset", lambda: nuisances.TimeOffset())
_register(
    "initial spin",
    lambda **given: nuisances.InitialSpin(**given),
    {"components": Option("axes about which the ball may spin, such as xy", TEXT, default="y")},
)
_register(
    "known state",
    lambda **given: nuisances.KnownState(**given),
    {
        "position": Option("of the centre at the start [m]", VECTOR),
        "velocity": Option("at the start [m/s]", VECTOR, default=(0.0, 0.0, 0.0)),
        "spin": Option("at the start [rad/s]", VECTOR, default=(0.0, 0.0, 0.0)),
        "time": Option("of the start [s]", NUMBER, default=0.0),
    },
    ("position",),
)
