"""Where the marker of a spinning body is at first."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment


@dataclasses.dataclass(frozen=True)
class MarkerStart:
    """Angle of the marker at the start of each trial with ``MarkerAngles``.

    Args:
        prior: what is known of it beforehand.
    """

    shared: ClassVar[bool] = False
    prior: Prior | None = None

    @staticmethod
    def concerns(trial: Any) -> bool:
        """Trials with a marker."""
        return any(hasattr(item, "first_angle") for item in trial.measured)

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` without a marker."""
        if not any(self.concerns(trial) for trial in trials):
            raise InputError(
                "nuisance: MarkerStart() without MarkerAngles.", remedy="Leave it out."
            )

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The angle."""
        return (
            nuisance_unknown(
                "marker_angle",
                unit="rad",
                label="angle of the marker at first",
                symbol="a_0",
                prior=self.prior,
            ),
        )

    @staticmethod
    def start_of(trial: Any) -> np.ndarray:
        """From the first picture of the marker."""
        return np.asarray(
            [next(item.first_angle for item in trial.measured if hasattr(item, "first_angle"))]
        )

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the angle."""
        return experiment._replace(marker=values[0])
