"""Measured motion in, parameters with uncertainty out: reading recordings, fitting them, and
reporting what was found.

The names in ``__all__`` are imported on first use, so that reading a file does not wait for the
optimiser or for the figures.
"""

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibration.automatic import fit_study as fit_study
    from calibration.bootstrap import bootstrap as bootstrap
    from calibration.candidate import Candidate as Candidate
    from calibration.checkpoint import Checkpoint as Checkpoint
    from calibration.compare import compare as compare
    from calibration.design import design as design
    from calibration.dropped_frames import DroppedFrames as DroppedFrames
    from calibration.dropped_frames import find_dropped_frames as find_dropped_frames
    from calibration.dropped_frames import with_missing_frames as with_missing_frames
    from calibration.errors import InputError as InputError
    from calibration.fitting import fit as fit
    from calibration.identifiability import identify as identify
    from calibration.impact_table import ImpactTable as ImpactTable
    from calibration.impact_table import read_impact_table as read_impact_table
    from calibration.inspection import check_study as check_study
    from calibration.instrument import ContactTimer as ContactTimer
    from calibration.instrument import Film as Film
    from calibration.instrument import ForceSensor as ForceSensor
    from calibration.instrument import Sound as Sound
    from calibration.long_sweep import run_sweep as run_sweep
    from calibration.multi_start import MultiStart as MultiStart
    from calibration.multi_start import multi_start as multi_start
    from calibration.noise_model import Automatic as Automatic
    from calibration.noise_model import Correlated as Correlated
    from calibration.noise_model import Estimated as Estimated
    from calibration.noise_model import Huber as Huber
    from calibration.noise_model import Known as Known
    from calibration.noise_model import StudentT as StudentT
    from calibration.nuisance import CameraRoll as CameraRoll
    from calibration.nuisance import ClockDrift as ClockDrift
    from calibration.nuisance import ClockOffset as ClockOffset
    from calibration.nuisance import DepthMotion as DepthMotion
    from calibration.nuisance import Exposure as Exposure
    from calibration.nuisance import FirstImpact as FirstImpact
    from calibration.nuisance import ForceGain as ForceGain
    from calibration.nuisance import Gravity as Gravity
    from calibration.nuisance import GravityTilt as GravityTilt
    from calibration.nuisance import InitialSpin as InitialSpin
    from calibration.nuisance import InitialState as InitialState
    from calibration.nuisance import InitialTurn as InitialTurn
    from calibration.nuisance import KnownState as KnownState
    from calibration.nuisance import LengthScale as LengthScale
    from calibration.nuisance import LensDistortion as LensDistortion
    from calibration.nuisance import MarkerStart as MarkerStart
    from calibration.nuisance import PixelAspect as PixelAspect
    from calibration.nuisance import RestitutionScatter as RestitutionScatter
    from calibration.nuisance import SurfaceHeight as SurfaceHeight
    from calibration.nuisance import TimeOffset as TimeOffset
    from calibration.observations.bounce_times import BounceTimes as BounceTimes
    from calibration.observations.bounce_times import read_bounce_times as read_bounce_times
    from calibration.observations.contact_durations import ContactDurations as ContactDurations
    from calibration.observations.contact_durations import (
        read_contact_durations as read_contact_durations,
    )
    from calibration.observations.force_trace import ForceTrace as ForceTrace
    from calibration.observations.force_trace import read_force_trace as read_force_trace
    from calibration.observations.marker_angles import MarkerAngles as MarkerAngles
    from calibration.observations.marker_angles import read_marker_angles as read_marker_angles
    from calibration.observations.orientations import Orientations as Orientations
    from calibration.observations.orientations import read_orientations as read_orientations
    from calibration.observations.positions import TrackedPositions as TrackedPositions
    from calibration.observations.resting_distance import RestingDistance as RestingDistance
    from calibration.observations.spins import Spins as Spins
    from calibration.observations.spins import read_spins as read_spins
    from calibration.physical_parameters import ContactDuration as ContactDuration
    from calibration.physical_parameters import DampingRatio as DampingRatio
    from calibration.physical_parameters import PoissonRatio as PoissonRatio
    from calibration.physical_parameters import YoungsModulus as YoungsModulus
    from calibration.posterior import posterior as posterior
    from calibration.prediction import prediction_band as prediction_band
    from calibration.prior import LogNormal as LogNormal
    from calibration.prior import Normal as Normal
    from calibration.problem import Problem as Problem
    from calibration.profile import profile as profile
    from calibration.profile import profile_2d as profile_2d
    from calibration.progress import Progress as Progress
    from calibration.promise import keep_promise as keep_promise
    from calibration.recording import Recording as Recording
    from calibration.recording import read_recordings as read_recordings
    from calibration.recording import read_trajectory as read_trajectory
    from calibration.report.figures import save_figure as save_figure
    from calibration.report.json_file import write_json as write_json
    from calibration.report.table import fit_text as fit_text
    from calibration.result import Fit as Fit
    from calibration.scene_parameter import Derived as Derived
    from calibration.scene_parameter import Free as Free
    from calibration.scene_parameter import Tied as Tied
    from calibration.study import Ball as Ball
    from calibration.study import FitOptions as FitOptions
    from calibration.study import ModelOptions as ModelOptions
    from calibration.study import ReadingOptions as ReadingOptions
    from calibration.study import Study as Study
    from calibration.study_file import read_study as read_study
    from calibration.study_file import write_study as write_study
    from calibration.trial import Trial as Trial

_NAMES = {
    "automatic": ("fit_study",),
    "bootstrap": ("bootstrap",),
    "candidate": ("Candidate",),
    "checkpoint": ("Checkpoint",),
    "compare": ("compare",),
    "design": ("design",),
    "dropped_frames": ("DroppedFrames", "find_dropped_frames", "with_missing_frames"),
    "errors": ("InputError",),
    "fitting": ("fit",),
    "identifiability": ("identify",),
    "impact_table": ("ImpactTable", "read_impact_table"),
    "inspection": ("check_study",),
    "instrument": ("ContactTimer", "Film", "ForceSensor", "Sound"),
    "long_sweep": ("run_sweep",),
    "multi_start": ("MultiStart", "multi_start"),
    "noise_model": ("Automatic", "Correlated", "Estimated", "Huber", "Known", "StudentT"),
    "nuisance": (
        *(
            "CameraRoll",
            "ClockDrift",
            "ClockOffset",
            "DepthMotion",
            "Exposure",
            "FirstImpact",
            "ForceGain",
            "Gravity",
            "GravityTilt",
        ),
        *(
            "InitialSpin",
            "InitialState",
            "InitialTurn",
            "KnownState",
            "LengthScale",
            "LensDistortion",
            "MarkerStart",
            "PixelAspect",
        ),
        *("RestitutionScatter", "SurfaceHeight", "TimeOffset"),
    ),
    "observations.bounce_times": ("BounceTimes", "read_bounce_times"),
    "observations.contact_durations": ("ContactDurations", "read_contact_durations"),
    "observations.force_trace": ("ForceTrace", "read_force_trace"),
    "observations.marker_angles": ("MarkerAngles", "read_marker_angles"),
    "observations.orientations": ("Orientations", "read_orientations"),
    "observations.positions": ("TrackedPositions",),
    "observations.resting_distance": ("RestingDistance",),
    "observations.spins": ("Spins", "read_spins"),
    "physical_parameters": ("ContactDuration", "DampingRatio", "PoissonRatio", "YoungsModulus"),
    "posterior": ("posterior",),
    "prediction": ("prediction_band",),
    "prior": ("LogNormal", "Normal"),
    "problem": ("Problem",),
    "profile": ("profile", "profile_2d"),
    "progress": ("Progress",),
    "promise": ("keep_promise",),
    "recording": ("Recording", "read_recordings", "read_trajectory"),
    "report.figures": ("save_figure",),
    "report.json_file": ("write_json",),
    "report.table": ("fit_text",),
    "result": ("Fit",),
    "scene_parameter": ("Derived", "Free", "Tied"),
    "study": ("Ball", "FitOptions", "ModelOptions", "ReadingOptions", "Study"),
    "study_file": ("read_study", "write_study"),
    "trial": ("Trial",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
__all__ = sorted(_HOME)


class _Package(types.ModuleType):
    """``calibration.profile`` is the function, also after the file of that name was imported, which
    Python would put in its place.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
