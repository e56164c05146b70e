"""All quantities of the measurement that a fit can find beside the material constants, by name
(``calibration.nuisances``).
"""

from calibration.nuisances.camera_roll import CameraRoll
from calibration.nuisances.clock_drift import ClockDrift
from calibration.nuisances.clock_offset import ClockOffset
from calibration.nuisances.depth_motion import DepthMotion
from calibration.nuisances.exposure import Exposure
from calibration.nuisances.first_impact import FirstImpact
from calibration.nuisances.force_gain import ForceGain
from calibration.nuisances.gravity import Gravity
from calibration.nuisances.gravity_tilt import GravityTilt
from calibration.nuisances.initial_spin import InitialSpin
from calibration.nuisances.initial_state import InitialState
from calibration.nuisances.initial_turn import InitialTurn
from calibration.nuisances.known_state import KnownState
from calibration.nuisances.length_scale import LengthScale
from calibration.nuisances.lens_distortion import LensDistortion
from calibration.nuisances.marker_start import MarkerStart
from calibration.nuisances.nuisance import AXES, Nuisance
from calibration.nuisances.own_value import OwnValue
from calibration.nuisances.pixel_aspect import PixelAspect
from calibration.nuisances.restitution_scatter import RestitutionScatter
from calibration.nuisances.surface_height import SurfaceHeight
from calibration.nuisances.time_offset import TimeOffset

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
    "OwnValue",
    "PixelAspect",
    "RestitutionScatter",
    "SurfaceHeight",
    "TimeOffset",
]
