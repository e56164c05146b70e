"""A clock that runs fast or slow: a frame rate that is not what was set, a sound card beside a
camera.
"""

import dataclasses
from typing import Any

import numpy as np

from calibration.model.parameter import Unknown, nuisance_unknown
from calibration.model.prior import Prior
from calibration.model.trial_state import Experiment
from calibration.nuisances.clock_offset import check_clock
from jaxcontact import Scene


@dataclasses.dataclass(frozen=True)
class ClockDrift:
    """Relative error of the rate of one instrument's clock; positive where it shows too short
    times.

    Args:
        clock: of the instrument: ``"camera"``, ``"microphone"``, ``"force sensor"``, or the name
            given to its measurement.
        prior: what is known of it beforehand.
        shared: whether all trials have the same.
    """

    clock: str
    prior: Prior | None = None
    shared: bool = True

    def concerns(self, trial: Any) -> bool:
        """Trials with a measurement on this clock."""
        return self.clock in trial.clocks

    def check(self, trials: Any) -> None:
        """Raise ``InputError`` where no measurement is on this clock."""
        check_clock("ClockDrift", self.clock, trials)

    def unknowns(self, axes: tuple[int, ...]) -> tuple[Unknown, ...]:
        """The relative error."""
        name = f"drift_of_{self.clock.replace(' ', '_')}"
        return (
            nuisance_unknown(
                name,
                unit="-",
                label=f"drift of the clock of the {self.clock}",
                symbol="d_t",
                prior=self.prior,
            ),
        )

    def start(self, reading: Any, scene: Scene, axes: tuple[int, ...]) -> np.ndarray:
        """None, or the mean of what is known."""
        return np.asarray([getattr(self.prior, "mean", 0.0)])

    def apply(self, experiment: Experiment, values: Any, axes: tuple[int, ...]) -> Experiment:
        """Change the rate of the clock."""
        return experiment.with_clock(self.clock, drift=values[0])
