"""A parameter of the scene that differs from trial to trial."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.free import Free
from calibration.model.parameter import Unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class OwnValue:
    """A parameter of the scene that differs from trial to trial (``Free(..., each=True)``).

    Args:
        free: the parameter.
        unknown: its unknown.
    """

    shared: ClassVar[bool] = False
    free: Free
    unknown: Unknown

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The parameter."""
        return (self.unknown,)

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """That of the scene, or where the parameter says."""
        return np.asarray([self.free.first(scene)])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set it."""
        return experiment._replace(scene=self.free.apply(experiment.scene, values[0]))
