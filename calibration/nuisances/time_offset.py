"""When a known motion began."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class TimeOffset:
    """Time between the state that starts the motion and the first sample, for a known initial state
    (a ball released from rest).
    """

    shared: ClassVar[bool] = False

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The offset."""
        return (
            nuisance_unknown(
                "time_offset",
                unit="s",
                label="time of the first sample after release",
                symbol="t_0",
            ),
        )

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """Zero, or the time that the first impact takes."""
        return np.asarray([getattr(reading, "since_release", 0.0)])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Move the start before the first sample."""
        return experiment._replace(start=experiment.start - values[0])
