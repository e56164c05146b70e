"""A camera that was not held level."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from calibration.nuisances.pixel_aspect import check_pictures
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class CameraRoll:
    """Angle by which the camera was turned about its axis, for all recordings: surface and gravity
    appear tilted alike.

    Args:
        prior: what is known of it beforehand.
    """

    shared: ClassVar[bool] = True
    prior: Prior | None = None

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without pictures."""
        check_pictures("CameraRoll", trials, one_camera=True)

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The angle."""
        return (
            nuisance_unknown(
                "camera_roll",
                unit="rad",
                label="roll of the camera",
                symbol="phi",
                late=True,
                prior=self.prior,
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """Level."""
        return np.zeros(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Turn the camera."""
        return experiment._replace(camera=experiment.camera._replace(roll=values[0]))
