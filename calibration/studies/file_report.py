"""What is in one data file, before anything is fitted."""

import dataclasses

from calibration.detection.bounces import DetectedBounces
from calibration.detection.collision import DetectedCollision
from calibration.detection.impacts import DetectedImpacts
from calibration.errors import InputError
from calibration.io.impact_table import ImpactTable
from calibration.io.recording import Recording
from calibration.measurements.bounce_times import BounceTimes
from calibration.measurements.force_trace import ForceTrace
from calibration.measurements.rolling_decay import RollingDecay
from calibration.measurements.spin_decay import SpinDecay


@dataclasses.dataclass(frozen=True)
class FileReport:
    """What is in one file: a recording with its detected bounces, a table of impacts, sounds, a
    force; or what is wrong with it.

    Attributes:
        path: the file.
        name: what it is called in tables.
        recording, reading: of a trajectory, with its bounces.
        table: of a table of impacts.
        sounds, force: of times of impacts, of a force trace.
        bodies, collision: of two bodies, with what they show of their collision;
            ``spins`` says whether those of both were measured.
        impacts: of sounds and forces, a first guess.
        decay: of a body that rolls or spins to rest.
        problem: why the file cannot be fitted.
        remarks: plain sentences.

    Example:
        >>> import calibration as cal
        >>> cal.studies.FileReport(path="drop.csv", name="drop").problem is None
        True
    """

    path: str
    name: str
    recording: Recording | None = None
    reading: DetectedBounces | None = None
    table: ImpactTable | None = None
    sounds: BounceTimes | None = None
    impacts: DetectedImpacts | None = None
    force: ForceTrace | None = None
    bodies: tuple[Recording, ...] = ()
    collision: DetectedCollision | None = None
    spins: bool = False
    decay: RollingDecay | SpinDecay | None = None
    problem: InputError | None = None
    remarks: tuple[str, ...] = ()
