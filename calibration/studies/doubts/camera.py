"""What cameras do to positions, unknown within what they commonly do.

Rolling shutters read a picture in 5 to 30 ms, about a metre of height; lenses of phones and action
cameras distort by up to some per cent at the edge of the picture; pixels are square within the
error of a resized film; a ball that is thrown across the view leaves its plane by some degrees.
Each prior is normal, and about twice as wide as what is common: with heavy tails, effects that
stand for each other have minima of their own.
"""

from calibration.model.prior import LogNormal, Normal
from calibration.nuisances import (
    CameraDrift,
    DepthMotion,
    Exposure,
    LensDistortion,
    Perspective,
    PixelAspect,
    RollingShutter,
)
from calibration.results.numbers import value_and_sd
from calibration.studies.doubts.doubt import Doubt

READOUT = 0.01
"""Delay of a line over that of one a metre above it [s/m]."""

EDGE = 0.02
"""Distortion at the edge of what was recorded, relative to its distance from the centre."""

FAINT = 0.3
"""Part of that distortion below which it does not tell the centre of the picture."""

ASPECT = 0.01
"""Deviation of pixels from squares."""

APPROACH = 0.04
"""Velocity along the line of sight over the distance from the camera [1/s]."""

DRIFT = 0.01
"""Velocity of the picture over half its width [1/s]: twice that of a ball that comes nearer by two
per cent each second, a quarter of the picture beside the axis of the camera.
"""

SHARE, SHARE_FACTOR = 0.2, 2.5
"""Exposure over the time from one picture to the next, within a factor: from next to nothing in the
sun to all of it in a room.
"""

INCLINED = 0.04
"""Change of lengths over half the width [-]: that of a camera at twice this distance that looks
down, or from the side, by 5 degrees.
"""

AWAY = 1.0
"""Distance of a camera [m]: only velocity over distance shows."""


def doubt_shutter() -> Doubt:
    """Lines of a picture are read one after the other."""
    return Doubt(
        "rolling shutter",
        ("line_time",),
        _say_shutter,
        "--nuisance 'rolling shutter'",
        largest=0.1,
        nuisances=(RollingShutter(prior=Normal(0.0, READOUT)),),
    )


def doubt_pixels() -> Doubt:
    """Lengths along x differ from those along z."""
    return Doubt(
        "pixels that are not square",
        ("pixel_aspect",),
        _say_aspect,
        "--nuisance 'pixel aspect'",
        largest=0.3,
        nothing=1.0,
        nuisances=(PixelAspect(prior=Normal(1.0, ASPECT)),),
    )


def doubt_lens(middle: tuple[float, float], reach: float, *, flat: bool) -> Doubt:
    """Lengths depend on the distance from the centre of the picture.

    Args:
        middle: of what the camera saw (x, z) [m].
        reach: half of its width [m]; the centre of the picture may be as far away.
        flat: whether x and z were seen. Along z alone a centre that is off acts as perspective.
    """
    decentring = ("lens_decentring_x", "lens_decentring_z") if flat else ()
    return Doubt(
        "distortion of the lens",
        ("lens_distortion", *decentring),
        _say_lens,
        "--nuisance 'lens distortion'",
        largest=0.3 / reach**2,
        nuisances=(
            LensDistortion(
                centre=middle,
                prior=Normal(0.0, EDGE / reach**2),
                decentring=Normal(0.0, EDGE / reach) if flat else None,
                faint=FAINT * EDGE / reach**2,
            ),
        ),
    )


def doubt_depth(middle: tuple[float, float]) -> Doubt:
    """Each recording gets smaller or larger as the ball moves along the line of sight.

    Args:
        middle: of what the camera saw (x, z) [m].
    """
    return Doubt(
        "motion towards or away from the camera",
        ("depth_velocity",),
        _say_depth,
        "--nuisance 'depth motion: distance=1.5'",
        largest=0.5 * AWAY,
        nuisances=(DepthMotion(distance=AWAY, centre=middle, prior=Normal(0.0, APPROACH * AWAY)),),
    )


def doubt_inclination(axes: str, middle: tuple[float, float], reach: float) -> Doubt:
    """The camera looks down at the plane of the motion, or from the side.

    Args:
        axes: along which lengths may change.
        middle: of what the camera saw (x, z) [m].
        reach: half of its width [m].
    """
    return Doubt(
        "perspective",
        tuple(f"perspective_{axis}" for axis in axes),
        _say_perspective,
        "--nuisance perspective",
        largest=0.3 / reach,
        nuisances=tuple(
            Perspective(axis, centre=middle, prior=Normal(0.0, INCLINED / reach)) for axis in axes
        ),
    )


def doubt_stillness(reach: float) -> Doubt:
    """The picture moves, as that of a camera on a hand; or the ball moves along the line of sight
    beside the axis of the camera, which may be anywhere in the picture.

    Args:
        reach: half of the width of what the camera saw [m].
    """
    return Doubt(
        "drift of the picture",
        ("drift_z",),
        _say_drift,
        "--nuisance 'camera drift'",
        largest=0.5 * reach,
        nuisances=(CameraDrift(prior=Normal(0.0, DRIFT * reach)),),
    )


def doubt_exposure(interval: float) -> Doubt:
    """Pictures take time: a place beside an impact is the middle of a streak that turns round.

    Args:
        interval: from one picture to the next [s].
    """
    return Doubt(
        "exposure",
        ("exposure",),
        _say_exposure,
        "--nuisance exposure",
        largest=1.5 * interval,
        nuisances=(
            Exposure(prior=LogNormal(SHARE * interval, SHARE_FACTOR), guess=SHARE * interval),
        ),
    )


def doubts_of_camera(
    axes: set[str], middle: tuple[float, float], reach: float, interval: float
) -> list[Doubt]:
    """All that a camera may do to what it shows.

    Args:
        axes: of the recordings.
        middle: of what the camera saw (x, z) [m].
        reach: half of its width [m].
        interval: from one picture to the next [s].
    """
    doubts, flat = [doubt_shutter(), doubt_exposure(interval)], {"x", "z"} <= axes
    if flat:
        doubts.append(doubt_pixels())
    if "y" not in axes:
        doubts.append(doubt_inclination("zx" if flat else "z", middle, reach))
        doubts.append(doubt_lens(middle, reach, flat=flat))
    if flat and "y" not in axes:
        doubts += [doubt_depth(middle), doubt_stillness(reach)]
    return doubts


def _sized(value: float, sd: float) -> str:
    """The size with its standard error, where a word says the sign."""
    return value_and_sd(abs(value), sd)


def _say_shutter(value: float, sd: float) -> str:
    return (
        f"a line of the picture is read {_sized(1e3 * value, 1e3 * sd)} ms "
        f"{'later' if value > 0 else 'earlier'} than one that lies a metre above it"
    )


def _say_exposure(value: float, sd: float) -> str:
    return f"a picture takes {value_and_sd(1e3 * value, 1e3 * sd)} ms"


def _say_aspect(value: float, sd: float) -> str:
    word = "short" if value > 1 else "long"
    size = f"{_sized(100 * (value - 1), 100 * sd)} %"
    return f"lengths along x are {size} too {word} beside those along z"


def _say_lens(value: float, sd: float) -> str:
    kind = "pincushion" if value > 0 else "barrel"
    return f"a {kind} of {_sized(value, sd)} per square metre"


def _say_perspective(value: float, sd: float) -> str:
    where = "higher up" if value > 0 else "lower down"
    size = f"{_sized(100 * value, 100 * sd)} %"
    return f"lengths are {size} smaller a metre {where}: the camera does not look straight ahead"


def _say_depth(value: float, sd: float) -> str:
    word = "smaller" if value > 0 else "larger"
    size = f"{_sized(100 * value / AWAY, 100 * sd / AWAY)} %"
    return f"in one recording lengths get {word} by {size} in each second"


def _say_drift(value: float, sd: float) -> str:
    word = "upwards" if value > 0 else "downwards"
    size = f"{_sized(1e3 * value, 1e3 * sd)} mm/s"
    return f"in one recording the picture moves {word} by {size}"
