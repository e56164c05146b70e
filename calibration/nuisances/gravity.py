"""The acceleration of free fall."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene
from jaxcontact.field import put


@dataclasses.dataclass(frozen=True)
class Gravity:
    """The acceleration of free fall, downwards, one value for all recordings; excludes
    ``LengthScale``.
    """

    shared: ClassVar[bool] = True

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """Its magnitude."""
        return (
            nuisance_unknown(
                "gravity",
                unit="m/s^2",
                label="acceleration of free fall",
                symbol="g",
                transform="log",
            ),
        )

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """That of the scene."""
        return np.asarray([np.linalg.norm(np.asarray(scene.gravity, dtype=float))])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set its magnitude."""
        gravity = jnp.asarray(experiment.scene.gravity, dtype=float)
        return experiment._replace(
            scene=put(experiment.scene, "gravity", values[0] * gravity / jnp.linalg.norm(gravity))
        )
