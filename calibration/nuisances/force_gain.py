"""A force sensor that shows too much or too little."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class ForceGain:
    """Shown force over true force, for all trials with a force trace.

    The impulse of an impact at a known speed tells it: with an unknown speed, gain and speed cannot
    be told apart.

    Args:
        prior: what is known of it beforehand.
    """

    shared: ClassVar[bool] = True
    prior: Prior | None = None

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without a force trace."""
        if not any(
            getattr(item, "needs_force", False) for trial in trials for item in trial.measured
        ):
            raise InputError("nuisance: ForceGain() without a ForceTrace.", remedy="Leave it out.")

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The factor."""
        return (
            nuisance_unknown(
                "force_gain",
                unit="-",
                label="shown over true force",
                symbol="G",
                transform="log",
                prior=self.prior,
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """One."""
        return np.ones(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the gain."""
        return experiment._replace(gain=values[0])
