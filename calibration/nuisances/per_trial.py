"""A parameter of the scene that differs from trial to trial."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.detection.bounces import DetectedBounces
from calibration.model.free import Free
from calibration.model.parameter import Parameter
from calibration.model.trial_state import TrialState
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class PerTrial:
    """A parameter of the scene that differs from trial to trial (``Free(..., each=True)``).

    Args:
        free: the parameter.
        unknown: its unknown.
    """

    shared: ClassVar[bool] = False
    free: Free
    parameter: Parameter

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The parameter."""
        return (self.parameter,)

    def start(self, detected: DetectedBounces, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """That of the scene, or where the parameter says."""
        return np.asarray([self.free.initial_value(scene)])

    def apply(self, trial_state: TrialState, values: Any, axes: tuple[int, ...]) -> TrialState:
        """Set it."""
        return trial_state._replace(scene=self.free.apply(trial_state.scene, values[0]))
