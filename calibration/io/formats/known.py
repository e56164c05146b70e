"""The formats that are known, and which of them a file has. A new one is a file with its class, and
a line here.
"""

from calibration.io.formats.audacity import AudacityLabels
from calibration.io.formats.deeplabcut import DeepLabCut
from calibration.io.formats.format import FileFormat
from calibration.io.formats.kinovea import KinoveaCSV, KinoveaText
from calibration.io.formats.motive import Motive
from calibration.io.formats.phyphox import Collision, Stopwatch, StopwatchInARow
from calibration.io.formats.qualisys import Qualisys
from calibration.io.formats.ros import ROS
from calibration.io.formats.sleap import SLEAP
from calibration.io.formats.trackmate import TrackMate
from calibration.io.formats.trackpy import Trackpy
from calibration.io.formats.trc import TRC
from calibration.io.formats.vicon import Vicon

FORMATS: tuple[FileFormat, ...] = (
    Collision(),
    Stopwatch(),
    StopwatchInARow(),
    Motive(),
    DeepLabCut(),
    SLEAP(),
    TRC(),
    Qualisys(),
    Vicon(),
    AudacityLabels(),
    Trackpy(),
    TrackMate(),
    ROS(),
    KinoveaCSV(),
    KinoveaText(),
)
"""All formats; no file has the marks of two."""


_RESEMBLING = 0.3
"""Share of its marks from which on a file resembles a format."""


def format_of(text: str) -> FileFormat | None:
    """The format whose marks a file has, if any."""
    return next((one for one in FORMATS if not one.lacking(text)), None)


def nearest_format(text: str) -> str:
    """A sentence on the format that a file has most marks of, a third of them at least, and what it
    lacks; else nothing.
    """
    shares = [(1 - len(one.lacking(text)) / len(one.marks), one) for one in FORMATS]
    share, nearest = max(shares, key=lambda pair: pair[0])
    if share < _RESEMBLING:
        return ""
    lacking = " and no ".join(mark.about for mark in nearest.lacking(text))
    return f"Nearest to it is {nearest.name}, but there is no {lacking}."
