"""Times of impacts, as a microphone hears them."""

import copy
import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from calibration.detection.bounces import DetectedBounces
from calibration.detection.detection import Detection
from calibration.detection.impact_train import estimate_time_noise, find_impact_train
from calibration.detection.impacts import DetectedImpact, DetectedImpacts, height_at_impact
from calibration.detection.noise import rounding_step
from calibration.errors import InputError
from calibration.io.columns import TIME, read_columns
from calibration.io.interval import EVERYTHING, TimeInterval
from calibration.measurements.base import Abscissa, Measurement, Observation
from calibration.measurements.contact_sequence import take_impacts
from calibration.measurements.validation import check_deviations, check_increasing_times
from calibration.model.apparatus import MICROPHONE
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Scene, Trajectory

UNKNOWN_SIGMA = 1e-4
"""Standard deviation of a time [s] where there are too few to tell."""


@dataclasses.dataclass(frozen=True)
class SoundsOfImpacts(Observation):
    """When each impact of the motion is heard; row k is the k-th impact.

    Attributes:
        clock: of the microphone.
    """

    clock: str

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """A time by which all impacts have happened, also where the parameters of the moment make
        them late.
        """
        last = trial_state.trial_time(self.clock, samples.times[-1])
        return (last + jnp.abs(last - trial_state.start))[None]

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Times (n, 1) on the clock of the microphone."""
        heard = take_impacts(motion.contacts, samples.times.shape[0])
        return trial_state.shown_time(self.clock, heard.time)[:, None]


LEAST_TIMES = 2
"""Times that a measurement holds, at least."""

LONGEST_FLIGHT = 30.0
"""Time between two impacts [s] that no bouncing ball in a file takes; times in other units do."""


class BounceTimes(Measurement):
    """Times at which impacts of one bouncing body were heard or felt.

    Restitution follows from the ratio of neighbouring flights, whatever the height of the drop was.
    Impacts that were missed and clicks that are none are found from the times themselves, unless
    ``impacts`` tells.

    Args:
        times: of the sounds, increasing [s], (n,).
        sigma: standard deviation of a time [s], one or (n,); by default from the scatter of the
            flights about a smooth train.
        impacts: which impact of the motion each time is, (n,), from 1; 0 for a sound that is none.
        first: which impact of the motion the first time is, where ``impacts`` does not tell.
        clock: on which the times are, where there are several instruments.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: fewer than two times, times that do not increase, numbers of impacts that do not
            increase, a sigma that is not positive.

    Example:
        >>> law = jc.NewtonRestitution(restitution=0.7)
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.03), contact=jc.ContactModel(normal=law)
        ... )
        >>> sounds = cal.measurements.BounceTimes([0.32, 0.75, 0.91, 1.05, 1.26], sigma=1e-4)
        >>> detected = sounds.detect(scene)
        >>> detected.numbers, detected.left_out  # the third is no impact
        ((0, 1, 2, 3), (2,))
    """

    quantities = ("time of impact [s]",)
    abscissa = Abscissa.IMPACT
    clock: str

    def __init__(
        self,
        times: Any,
        *,
        sigma: Any = None,
        impacts: Any = None,
        first: int = 1,
        clock: str = MICROPHONE,
        name: str = "bounce times",
        path: str | None = None,
    ) -> None:
        check_no_intervals(times, path)
        self.time = check_increasing_times("BounceTimes", times, least=LEAST_TIMES)
        self.sigma = check_deviations("BounceTimes", sigma, self.time.shape, unit="s")
        if not (isinstance(first, int) and first >= 1):
            raise InputError(
                f"BounceTimes: first = {first!r} is not a whole number from 1.", path=path
            )
        self.first, self.clock, self.name, self.path = first, clock, name, path
        self.scatter: float | None = None
        self.impacts = None if impacts is None else self._checked(impacts)

    def with_scatter(self, scatter: float) -> "BounceTimes":
        """These times with another guess of their standard deviation [s], from a fit: what flights
        are smooth by themselves, the logarithm a parabola, is rougher than the motion of a ball.
        """
        found = copy.copy(self)
        found.scatter = scatter
        return found

    def _checked(self, given: Any) -> np.ndarray:
        """Numbers of the impacts, from 1, 0 for what is none."""
        found = np.asarray(given)
        kept = found[found > 0] if found.shape == self.time.shape else np.zeros(0)
        if len(kept) < 2 or np.any(found != np.round(found)) or np.any(np.diff(kept) <= 0):
            raise InputError(
                "BounceTimes: impacts is not one whole number for each time, increasing, at "
                "least two of them positive.",
                path=self.path,
                remedy="Count the impacts of the motion from 1; give 0 for a sound that is none.",
            )
        return found.astype(int)

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    @property
    def guessed(self) -> bool:
        """Whether no standard deviation was given, and there are too few flights to tell it."""
        if self.sigma is not None:
            return False
        places, numbers, _ = self.train()
        return not np.isfinite(estimate_time_noise(self.time[places], numbers))

    def train(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Places in the data of the impacts, their numbers from 0, and the standard deviation of
        one time [s].
        """
        resolution = max(rounding_step(self.time) / np.sqrt(12), 1e-12)
        rough = (
            float(np.median(self.sigma))
            if self.sigma is not None
            else max(resolution, UNKNOWN_SIGMA)
        )
        if self.impacts is not None:
            places = np.flatnonzero(self.impacts)
            found = self.impacts[places] - 1
        else:
            places, found = find_impact_train(self.time, noise=rough)
            found = found + self.first - 1
        scatter = (
            estimate_time_noise(self.time[places], found) if self.scatter is None else self.scatter
        )
        noise = (
            rough
            if self.sigma is not None
            else max(scatter if np.isfinite(scatter) else UNKNOWN_SIGMA, resolution)
        )
        return places, found, noise

    def detect(self, scene: Scene) -> DetectedImpacts:
        """Which sounds are impacts, and the speed of the first one."""
        places, found, noise = self.train()
        times = self.time[places]
        gravity = float(np.linalg.norm(np.asarray(scene.gravity, dtype=float)))
        neighbours = np.flatnonzero(np.diff(found) == 1)
        flights = np.diff(times)[neighbours]
        paired = np.diff(neighbours) == 1
        ratios = (flights[1:] / flights[:-1])[paired]
        restitution = float(np.median(ratios)) if ratios.size else np.nan
        ratio = min(restitution, 1.0) if np.isfinite(restitution) else 0.8
        # The flight after impact k lasts 2 v e^(k+1)/g.
        duration, k = (
            (float(flights[0]), int(found[neighbours[0]]))
            if flights.size
            else (float(times[1] - times[0]), int(found[0]))
        )
        return DetectedImpacts(
            bounces=tuple(DetectedImpact(float(time)) for time in times),
            numbers=tuple(int(number) for number in found),
            speed=gravity * duration / 2 / ratio ** (k + 1),
            restitution=ratio,
            noise=noise,
            left_out=tuple(int(place) for place in np.setdiff1d(np.arange(self.time.size), places)),
            height=height_at_impact(scene),
            remarks=tuple(self._remarks(places, found)),
        )

    def _remarks(self, places: np.ndarray, found: np.ndarray) -> list[str]:
        """What a person should know of the sounds that are none, and of impacts without a sound."""
        remarks = []
        extra = np.setdiff1d(np.arange(self.time.size), places)
        if extra.size:
            listed = ", ".join(f"{time:.4g} s" for time in self.time[extra][:8])
            remarks.append(
                f"{extra.size} sound{'s' if extra.size > 1 else ''} left out, which fit no "
                f"impact: {listed}"
            )
        gaps = np.flatnonzero(np.diff(found) > 1)
        for gap in gaps:
            missed = int(found[gap + 1] - found[gap] - 1)
            remarks.append(
                f"{missed} impact{'s' if missed > 1 else ''} without a sound after "
                f"{self.time[places[gap]]:.4g} s"
            )
        return remarks

    def observation(self) -> SoundsOfImpacts:
        """Impacts on the clock of the microphone."""
        return SoundsOfImpacts(self.clock)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """One row for each impact of the motion up to the last one that was heard; infinite
        deviations where none was heard.
        """
        places, found, noise = self.train()
        times = self.time[places]
        if isinstance(detected, DetectedBounces) and self.impacts is None:
            seen = np.asarray([bounce.time for bounce in detected.bounces])
            found = number_like_seen(times, found, seen)
            places, times, found = places[found >= 0], times[found >= 0], found[found >= 0]
        count = int(found[-1]) + 1
        measured, sigma = np.interp(np.arange(count), found, times), np.full(count, np.inf)
        measured[found] = times
        sigma[found] = noise if self.sigma is None else self.sigma[places]
        return MeasuredSamples(measured.copy(), measured[:, None], sigma[:, None])


def check_no_intervals(times: ArrayLike, path: str | None) -> None:
    """Raise for times that only fall, as the flights between impacts become shorter.

    Raises:
        InputError: with what is meant instead.
    """
    values = np.asarray(times, dtype=float)
    if values.ndim == 1 and values.size > 1 and np.all(np.diff(values) < 0):
        raise InputError(
            f"BounceTimes: times fall from {values[0]:g} s to {values[-1]:g} s, as intervals "
            "between impacts do.",
            path=path,
            remedy="Give the time of each impact: 0 and the running sum of the intervals.",
        )


def number_like_seen(times: np.ndarray, found: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Numbers of impacts at ``times`` [s], so that the first of those ``seen`` by a camera is 0;
    the clocks may differ by an offset.
    """

    def spread(shift: int) -> float:
        place = found + shift
        both = (place >= 0) & (place < seen.size)
        if both.sum() < min(2, found.size, seen.size):
            return np.inf
        apart = times[both] - seen[place[both]]
        # Few in common must agree much better than many.
        return (np.std(apart) if both.sum() > 1 else abs(float(apart[0]))) / both.sum()

    best = min(range(-int(found[-1]), seen.size), key=spread)
    return found + best


def read_bounce_times(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    sigma: float | None = None,
    first: int = 1,
    clock: str = MICROPHONE,
    interval: TimeInterval = EVERYTHING,
) -> BounceTimes:
    """Bounce times from a text file with a column of times (``t (s)``, ``time_ms``, ``onset`` ...).

    Args:
        path: the file.
        columns: which header holds ``times`` (and ``sigma``), where they are not recognised.
        sigma: standard deviation of a time [s]; replaces a column of it.
        first: which impact of the motion the first time is.
        clock: name of the clock.
        interval: first and last time of the samples that are used [s], as the file has them.

    Raises:
        InputError: with the file, line and column, and what to do; times that are no seconds.

    Example:
        >>> rows = [320, 750, 1050]
        >>> np.savetxt("clicks.csv", rows, delimiter=",", header="t (ms)", comments="")
        >>> cal.measurements.read_bounce_times("clicks.csv").time
        array([0.32, 0.75, 1.05])
    """
    wanted = {"times": TIME, "sigma": TIME}
    found, name = read_columns(path, wanted, needed=("times",), columns=columns, interval=interval)
    kept = np.isfinite(found["times"])
    deviation = found["sigma"][kept] if "sigma" in found and sigma is None else sigma
    times = found["times"][kept]
    if times.size < LEAST_TIMES:
        raise InputError(
            f"{times.size} times of impacts; at least {LEAST_TIMES} are needed",
            remedy="Give a row for each impact.",
            path=str(path),
        )
    longest = np.max(np.diff(times), initial=0.0)
    if longest > LONGEST_FLIGHT:
        raise InputError(
            f"{longest:g} s pass between two impacts: on the Earth a ball that flies as long rises "
            f"{9.81 * longest**2 / 8e3:.2g} km",
            remedy="Name the unit in the header, for example 't (ms)', or leave out what lies "
            "apart.",
            path=str(path),
        )
    return BounceTimes(times, sigma=deviation, first=first, clock=clock, name=name, path=str(path))
