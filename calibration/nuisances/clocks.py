"""What a clock does to times: its start, its distance from another clock, its rate."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import jax
import numpy as np

from calibration.errors import InputError
from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.prior import Normal, Prior
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import MeasuredTrial, Nuisance, UnfittedTrial
from calibration.nuisances.initial_state import InitialState
from jaxcontact.parameters import nearest


@dataclasses.dataclass(frozen=True)
class TimeOffset(Nuisance):
    """Time between the state that starts the motion and the first sample, for a known initial state
    (a ball released from rest).

    It excludes ``InitialState``: an unknown state at an unknown time.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> nothing = cal.nuisances.UnfittedTrial((), None, None, scene, ())
        >>> cal.nuisances.TimeOffset().start(nothing)
        array([0.])
    """

    same_effect_as: ClassVar[tuple[type[Nuisance], ...]] = (InitialState,)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The offset."""
        return (
            nuisance_parameter(
                "time_offset",
                unit="s",
                label="time of the first sample after release",
                symbol="t_0",
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """Zero, or the time that the first impact takes."""
        detected = trial.detected
        return np.asarray([0.0 if detected is None else detected.since_release])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Move the start before the first sample."""
        return trial_state._replace(start=trial_state.start - values[0])


@dataclasses.dataclass(frozen=True)
class ClockOffset(Nuisance):
    """Time to be added to one instrument's clock to get that of the trial.

    Args:
        clock: of the instrument: ``"camera"``, ``"microphone"``, ``"force sensor"``, or the name
            given to its measurement.
        prior: what is known of it beforehand.
        shared: whether all trials have the same.

    Example:
        >>> offset = cal.nuisances.ClockOffset("microphone", prior=cal.Normal(0.02, 0.01))
        >>> [parameter.name for parameter in offset.parameters(())]
        ['offset_of_microphone']
    """

    clock: str
    prior: Prior | None = None
    shared: bool = False

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with a measurement on this clock, in which its offset is not the same as the time
        of an unknown start.
        """
        told = len(trial.clocks) > 1 or trial.initial is not None or self.prior is not None
        return self.clock in trial.clocks and told

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` where no measurement is on this clock, or where it is the only one
        beside an unknown start.
        """
        check_clock("ClockOffset", self.clock, trials)
        if not any(self.concerns(trial) for trial in trials):
            raise InputError(
                f"nuisance: ClockOffset({self.clock!r}) has the same effect as the time of "
                "the start, which is unknown.",
                remedy="Leave it out; it is for trials with two clocks, or with a known initial "
                "state.",
            )

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The offset."""
        name = f"offset_of_{self.clock.replace(' ', '_')}"
        return (
            nuisance_parameter(
                name,
                unit="s",
                label=f"offset of the clock of the {self.clock}",
                symbol="t_off",
                prior=self.prior,
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """Zero, or the mean of what is known."""
        return start_at_mean(self.prior)

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Shift the clock."""
        return trial_state.with_clock(self.clock, offset=values[0])


def start_at_mean(prior: Prior | None) -> np.ndarray:
    """Zero, or the mean of what is known, (1,)."""
    return np.asarray([prior.mean if isinstance(prior, Normal) else 0.0])


def check_clock(owner: str, clock: str, trials: Sequence[MeasuredTrial]) -> None:
    """Raise ``InputError`` where no measurement is on a clock."""
    known = tuple(dict.fromkeys(name for trial in trials for name in trial.clocks))
    if clock not in known:
        raise InputError(
            f"nuisance: {owner}({clock!r}), but no measurement is on that "
            f"clock.{nearest(clock, known)}"
        )


@dataclasses.dataclass(frozen=True)
class ClockDrift(Nuisance):
    """Relative error of the rate of one instrument's clock; positive where it shows too short
    times.

    Args:
        clock: of the instrument: ``"camera"``, ``"microphone"``, ``"force sensor"``, or the name
            given to its measurement.
        prior: what is known of it beforehand.
        shared: whether all trials have the same.

    Example:
        >>> sounds = cal.Trial(cal.measurements.BounceTimes([0.3, 0.7, 1.0]))
        >>> cal.nuisances.ClockDrift("microphone").concerns(sounds)
        True
    """

    clock: str
    prior: Prior | None = None
    shared: bool = True

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with a measurement on this clock."""
        return self.clock in trial.clocks

    def check(self, trials: Sequence[MeasuredTrial]) -> None:
        """Raise ``InputError`` where no measurement is on this clock."""
        check_clock("ClockDrift", self.clock, trials)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The relative error."""
        name = f"drift_of_{self.clock.replace(' ', '_')}"
        return (
            nuisance_parameter(
                name,
                unit="-",
                label=f"drift of the clock of the {self.clock}",
                symbol="d_t",
                prior=self.prior,
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """Zero, or the mean of what is known."""
        return start_at_mean(self.prior)

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Change the rate of the clock."""
        return trial_state.with_clock(self.clock, drift=values[0])
