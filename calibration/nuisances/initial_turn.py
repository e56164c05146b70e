"""The orientation at first, which was measured no better than later ones."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene
from jaxcontact.geometry.rotation import quaternion_product, rotation_to_quaternion


@dataclasses.dataclass(frozen=True)
class InitialTurn:
    """Rotation from the first measured orientation to the true one at the start, of each trial with
    ``Orientations``.
    """

    shared: ClassVar[bool] = False

    @staticmethod
    def concerns(trial: Any) -> bool:
        """Trials with orientations."""
        return any(hasattr(item, "first_orientation") for item in trial.measured)

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without orientations."""
        if not any(self.concerns(trial) for trial in trials):
            raise InputError(
                "nuisance: InitialTurn() without Orientations.", remedy="Leave it out."
            )

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """Components of the rotation vector."""
        return tuple(
            nuisance_unknown(
                f"turn_{x}", unit="rad", label=f"initial rotation about {x}", symbol=f"r_{x}0"
            )
            for x in "xyz"
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """None."""
        return np.zeros(3)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Turn the body."""
        return experiment._replace(
            orientation=quaternion_product(rotation_to_quaternion(values), experiment.orientation)
        )
