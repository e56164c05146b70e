"""A pixel scale that was measured a few percent wrong."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from calibration.detection.bounces import Reading
from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.trial_state import Experiment
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class LengthScale:
    """One factor from recorded to true lengths, for all recordings: a pixel scale that was measured
    a few percent wrong.

    Gravity makes it visible. It excludes ``Gravity``, which has the same effect.
    """

    shared: ClassVar[bool] = True

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The factor."""
        return (
            nuisance_unknown(
                "length_scale",
                unit="-",
                label="true over recorded length",
                symbol="lambda",
                transform="log",
            ),
        )

    def start(self, reading: Reading, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """One."""
        return np.ones(1)

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Set the scale."""
        return experiment._replace(scale=values[0])
