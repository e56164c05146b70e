"""All quantities of the measurement that a fit can find beside the material constants, by name
(``calibration.nuisances``).
"""

from calibration.nuisances.base import AXES, Nuisance
from calibration.nuisances.camera import (
    CameraRoll,
    DepthMotion,
    Exposure,
    LengthScale,
    LensDistortion,
    PixelAspect,
)
from calibration.nuisances.clocks import ClockDrift, ClockOffset, TimeOffset
from calibration.nuisances.initial_state import (
    FirstImpact,
    InitialSpin,
    InitialState,
    InitialTurn,
    KnownState,
    MarkerStart,
)
from calibration.nuisances.per_trial import PerTrial
from calibration.nuisances.restitution import RestitutionScatter
from calibration.nuisances.setup import ForceGain, Gravity, GravityTilt, SurfaceHeight

__all__ = [
    "AXES",
    "CameraRoll",
    "ClockDrift",
    "ClockOffset",
    "DepthMotion",
    "Exposure",
    "FirstImpact",
    "ForceGain",
    "Gravity",
    "GravityTilt",
    "InitialSpin",
    "InitialState",
    "InitialTurn",
    "KnownState",
    "LengthScale",
    "LensDistortion",
    "MarkerStart",
    "Nuisance",
    "PerTrial",
    "PixelAspect",
    "RestitutionScatter",
    "SurfaceHeight",
    "TimeOffset",
]
