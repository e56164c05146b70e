"""How a run begins that rolls or spins to rest, and how level its track is."""

import dataclasses

import jax
import numpy as np

from calibration.errors import InputError
from calibration.measurements.rolling_decay import RollingDecay
from calibration.measurements.spin_decay import SpinDecay
from calibration.model.parameter import Parameter, nuisance_parameter
from calibration.model.prior import Normal
from calibration.model.trial_state import TrialState
from calibration.nuisances.base import MeasuredTrial, Nuisance, UnfittedTrial
from calibration.nuisances.setup import GravityTilt


@dataclasses.dataclass(frozen=True)
class RollingSpeed(Nuisance):
    """Speed along the track at the first sample of each ``RollingDecay``.

    Example:
        >>> times = np.linspace(0.0, 4.0, 9)
        >>> run = cal.measurements.RollingDecay(times, speed=0.5 - 0.07 * times, sigma=1e-3)
        >>> cal.nuisances.RollingSpeed().concerns(cal.Trial(run))
        True
    """

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with such a run."""
        return any(isinstance(item, RollingDecay) for item in trial.measured)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The speed."""
        return (
            nuisance_parameter(
                "rolling_speed", unit="m/s", label="initial speed along the track", symbol="v_0"
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """From the first samples."""
        return np.asarray([_rolling(trial).first_speed])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set it."""
        return trial_state._replace(velocity=trial_state.velocity.at[0].set(values[0]))


@dataclasses.dataclass(frozen=True)
class TrackPosition(Nuisance):
    """Position along the track at the first sample of each ``RollingDecay`` of positions.

    Example:
        >>> times = np.linspace(0.0, 4.0, 9)
        >>> run = cal.measurements.RollingDecay(times, speed=0.5 - 0.07 * times, sigma=1e-3)
        >>> cal.nuisances.TrackPosition().concerns(cal.Trial(run))
        False
    """

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with positions along the track."""
        runs = (item for item in trial.measured if isinstance(item, RollingDecay))
        return any(item.quantity == "position" for item in runs)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The position."""
        return (
            nuisance_parameter(
                "track_position", unit="m", label="initial position along the track", symbol="s_0"
            ),
        )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """The first position."""
        return np.asarray([_rolling(trial).first_position])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set it."""
        return trial_state._replace(position=trial_state.position.at[0].set(values[0]))


@dataclasses.dataclass(frozen=True)
class FirstSpin(Nuisance):
    """Spin about the normal at the first sample of each ``SpinDecay``.

    Example:
        >>> times = np.linspace(0.0, 4.0, 9)
        >>> top = cal.measurements.SpinDecay(times, 100.0 - 8.0 * times, sigma=0.1)
        >>> cal.nuisances.FirstSpin().concerns(cal.Trial(top))
        True
    """

    def concerns(self, trial: MeasuredTrial) -> bool:
        """Trials with such a run."""
        return any(isinstance(item, SpinDecay) for item in trial.measured)

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The spin."""
        return (nuisance_parameter("first_spin", unit="rad/s", label="initial spin", symbol="w_0"),)

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """From the first samples."""
        (run,) = (item for item in trial.measured if isinstance(item, SpinDecay))
        return np.asarray([run.first_rate])

    def apply(
        self, trial_state: TrialState, values: jax.Array, axes: tuple[int, ...]
    ) -> TrialState:
        """Set it."""
        return trial_state._replace(spin=trial_state.spin.at[2].set(values[0]))


@dataclasses.dataclass(frozen=True)
class TrackSlope(GravityTilt):
    """Slope of the track, positive where it goes down in the direction of growing positions; one
    value for all runs.

    It slows down in one direction what it speeds up in the other, as no resistance does. Where all
    runs go in the same direction, it acts like a part of a constant rolling resistance, and that
    they come to rest bounds it on one side only: then it needs a ``prior``.

    Args:
        prior: what is known of it beforehand, e.g. from a spirit level [rad].

    Example:
        >>> slope = cal.nuisances.TrackSlope(prior=cal.Normal(0.0, 1e-3))
        >>> slope.parameters(())[0].name
        'track_slope'
    """

    def check(self, trials: tuple[MeasuredTrial, ...]) -> None:  # type: ignore[override]
        """Raise ``InputError`` where nothing rolls along a track, or all in one direction and
        nothing is known of the slope.
        """
        measured = (item for trial in trials for item in trial.measured)
        runs = [item for item in measured if isinstance(item, RollingDecay)]
        if not runs:
            raise InputError(
                "nuisance: TrackSlope() without a RollingDecay.", remedy="Leave it out."
            )
        if self.prior is None and len(set().union(*(run.directions for run in runs))) < 2:
            raise InputError(
                "nuisance: TrackSlope() of runs in one direction, in which a slope acts like "
                "rolling resistance.",
                remedy="Add runs in the other direction, or what is known of the slope: "
                "TrackSlope(prior=cal.Normal(0.0, 1e-3)) [rad].",
            )

    def start(self, trial: UnfittedTrial) -> np.ndarray:
        """What is known of it, else level."""
        return np.asarray([self.prior.mean if isinstance(self.prior, Normal) else 0.0])

    def parameters(self, axes: tuple[int, ...]) -> tuple[Parameter, ...]:
        """The angle."""
        return (
            nuisance_parameter(
                "track_slope",
                unit="rad",
                label="slope of the track",
                symbol="alpha",
                prior=self.prior,
            ),
        )


def _rolling(trial: UnfittedTrial) -> RollingDecay:
    (run,) = (item for item in trial.measured if isinstance(item, RollingDecay))
    return run
