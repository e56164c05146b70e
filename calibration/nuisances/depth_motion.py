"""A motion towards the camera or away from it: what comes nearer looks larger, and its path
longer.
"""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from calibration.nuisances.pixel_aspect import check_pictures
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class DepthMotion:
    """Velocity away from a (pinhole) camera in each recording: apparent lengths shrink in
    proportion to the distance.

    Recorded lengths are true in the plane in which the ball is at first. Only ``velocity/distance``
    shows, so the distance must be given.

    Args:
        distance: from the camera to the ball at first [m].
        centre: point of the picture on the axis of the camera, ``(x, z)`` in recorded lengths [m].
        prior: what is known of the velocity beforehand.
    """

    shared: ClassVar[bool] = False
    distance: float
    centre: tuple[float, float]
    prior: Prior | None = None

    def __post_init__(self) -> None:
        if not 0 < self.distance < np.inf:
            raise InputError(
                f"DepthMotion: distance = {self.distance!r} is not a positive number.",
                remedy="Give it in m.",
            )

    @staticmethod
    def concerns(trial: Any) -> bool:
        """Recordings of one camera."""
        return bool(trial.axes) and "y" not in trial.axes

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without pictures of one camera."""
        check_pictures("DepthMotion", trials, one_camera=True)

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The velocity."""
        label = "velocity away from the camera"
        return (
            nuisance_unknown(
                "depth_velocity",
                unit="m/s",
                label=label,
                symbol="v_y0",
                late=True,
                prior=self.prior,
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """None."""
        return np.zeros(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the velocity and the perspective."""
        centre = jnp.asarray([self.centre[0], 0.0, self.centre[1]])
        camera = experiment.camera._replace(nearness=1.0 / self.distance, centre=centre)
        return experiment._replace(velocity=experiment.velocity.at[1].set(values[0]), camera=camera)
