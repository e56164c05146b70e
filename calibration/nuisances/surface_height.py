"""Where the plane is in the picture."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene
from jaxcontact.field import put


@dataclasses.dataclass(frozen=True)
class SurfaceHeight:
    """Height of the (horizontal) plane in each recording, in recorded units: the origin of a camera
    is nobody's table top.
    """

    shared: ClassVar[bool] = False

    @staticmethod
    def concerns(trial: Any) -> bool:
        """Trials with heights."""
        return "z" in trial.axes

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The height."""
        return (
            nuisance_unknown("surface_height", unit="m", label="height of the surface", symbol="h"),
        )

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """From the height of the centre at the bounces."""
        return np.asarray([reading.height - float(scene.bodies.radius)])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Move the plane."""
        return experiment._replace(
            scene=put(experiment.scene, "surfaces.0.offset", values[0] * experiment.scale)
        )
