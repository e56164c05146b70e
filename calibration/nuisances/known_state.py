"""A state that is known."""

import dataclasses
from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.parameter import Unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class KnownState:
    """A state that is known: a ball released at a measured place. Nothing is to be found.

    Args:
        position: of the centre [m].
        velocity: [m/s].
        spin: [rad/s].
        time: at which it holds, on the clock of the recording [s].
    """

    shared: ClassVar[bool] = False
    position: tuple[float, float, float]
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    time: float = 0.0

    @staticmethod
    def concerns(trial: Any) -> bool:
        """Trials without a state of their own."""
        return trial.initial is None

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """None."""
        return ()

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """Nothing."""
        return np.zeros(0)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the state."""
        return experiment._replace(
            position=jnp.array(self.position),
            velocity=jnp.array(self.velocity),
            spin=jnp.array(self.spin),
            start=jnp.asarray(self.time),
        )
