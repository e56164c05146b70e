"""How far a body slid or rolled until it came to rest, and when."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.measurements.base import Measurement, Observation
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Trajectory
from jaxcontact.numerics.smooth import safe_norm

UNKNOWN_SIGMA = 0.02
"""Standard deviation of a distance or time whose noise is not given, relative to it."""

GRID = 64
"""Times at which the motion is looked at, to find when it ends."""

AT_REST = 1e-6
"""Speed [m/s], relative to the first one, at which a body has come to rest."""


@dataclasses.dataclass(frozen=True)
class Rest(Observation):
    """Distance along the surface from the start to where the body is at last, and the time from the
    start to its rest.

    Attributes:
        until: how long the motion is followed [s].
        timed: whether the time was measured, too.
    """

    until: float
    timed: bool

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """From the start to the end of the simulation."""
        return trial_state.start + jnp.linspace(0.0, self.until, GRID if self.timed else 2)

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Distance [m], and time [s], (rows, 1 or 2)."""
        horizontal = jnp.array([1.0, 1.0, 0.0])
        distance = safe_norm((motion.position[-1] - motion.position[0]) * horizontal)
        found = (
            [distance, find_time_of_rest(motion) - trial_state.start] if self.timed else [distance]
        )
        return jnp.broadcast_to(jnp.stack(found), (samples.times.shape[0], len(found)))


def find_time_of_rest(motion: Trajectory) -> jax.Array:
    """Where the straight line through the last two speeds of the moving body meets zero: exact for
    a steady deceleration.
    """
    speed = safe_norm(motion.velocity)
    moves = speed > AT_REST * speed[0]
    last = jnp.maximum(jnp.sum(moves) - 1, 1)
    late, early = speed[last], speed[last - 1]
    slower = jnp.where(early > late, early - late, 1.0)
    return motion.times[last] + late * (motion.times[last] - motion.times[last - 1]) / slower


class RestingDistance(Measurement):
    """Distance between where a body was released or launched and where it came to rest, of a trial
    with a known initial state.

    It tells sliding friction, or rolling resistance (in a scene with ``RollingResistance``).

    Args:
        distance: along the surface [m].
        sigma: its standard deviation [m]; by default 2 %.
        time: from the start until rest [s].
        time_sigma: its standard deviation [s]; by default 2 %.
        until: how long the motion is followed [s]; the body must be at rest by then, also with the
            parameters of the first guess.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: a number that is not positive.

    Example:
        >>> slid = cal.measurements.RestingDistance(0.42, sigma=5e-3)
        >>> slid.quantities, slid.until_rest
        (('resting distance [m]',), True)
    """

    until_rest = True

    def __init__(
        self,
        distance: float,
        *,
        sigma: float | None = None,
        time: float | None = None,
        time_sigma: float | None = None,
        until: float = 10.0,
        name: str = "resting distance",
        path: str | None = None,
    ) -> None:
        given = {
            "distance": distance,
            "sigma": sigma,
            "time": time,
            "time_sigma": time_sigma,
            "until": until,
        }
        for label, value in given.items():
            if value is not None and not 0 < value < np.inf:
                raise InputError(
                    f"RestingDistance: {label} = {value!r} is not a positive number.",
                    path=path,
                    remedy="Use m and s.",
                )
        self.distance, self.sigma, self.time, self.time_sigma = distance, sigma, time, time_sigma
        self.until, self.name, self.path = float(until), name, path

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit of each column."""
        return (
            ("resting distance [m]",)
            if self.time is None
            else ("resting distance [m]", "time of rest [s]")
        )

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    @property
    def guessed(self) -> bool:
        """Whether no standard deviation was given."""
        return self.sigma is None

    def observation(self) -> Rest:
        """The end of the motion."""
        return Rest(self.until, self.time is not None)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """One row."""
        pairs = [(self.distance, self.sigma)] + (
            [] if self.time is None else [(self.time, self.time_sigma)]
        )
        measured = np.asarray([[value for value, _ in pairs]])
        sigma = np.asarray(
            [[UNKNOWN_SIGMA * value if own is None else own for value, own in pairs]]
        )
        return MeasuredSamples(np.zeros(1), measured, sigma)
