"""Instruments that a planned experiment can use, and the measurement that each would make of a motion."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.errors import InputError
from calibration.first_guess import Reading
from calibration.observations.bounce_times import BounceTimes
from calibration.observations.impact_reading import ReadImpact, height_at_impact
from calibration.observations.positions import TrackedPositions
from calibration.recording import Recording
from calibration.samples import Samples

AXES = "xyz"


class PlannedMotion(NamedTuple):
    """A motion as it is expected.

    Attributes:
        scene: at the working point.
        start: state at time 0.
        duration: until when it is measured [s].
        touch_down, lift_off: of the impacts that happen until then (n,) [s].
    """

    scene: jc.Scene
    start: jc.State
    duration: float
    touch_down: np.ndarray
    lift_off: np.ndarray


class Instrument(Protocol):
    """What an instrument must offer. Hashable; attributes named in ``Candidate.vary`` are its continuous design variables."""

    def measurement(self, motion: PlannedMotion) -> Any:
        """What it would measure, or ``None`` where the motion shows it nothing. The measured numbers need not be true, the times must."""

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """The samples of one trial with continuous design variables and the duration at other (traced) values."""

    def __str__(self) -> str: ...


def _positive(owner: str, **values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not (isinstance(value, (int, float)) and 0 < value < math.inf):
            raise InputError(f"{owner}: {name} = {value!r} is not a positive number.")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Film:
    """A camera that follows the centre of the sphere.

    Args:
        rate: pictures per second [1/s].
        sigma: standard deviation of a position [m].
        axes: measured axes.
        frames: largest number of pictures that the memory holds; a higher rate then means a shorter film. By default no limit.
    """

    rate: float
    sigma: float
    axes: str = "xz"
    frames: int | None = None

    def __post_init__(self) -> None:
        _positive("Film", rate=self.rate, sigma=self.sigma, frames=self.frames)
        if not self.axes or any(axis not in AXES for axis in self.axes):
            raise InputError(f"Film: axes = {self.axes!r} are not of x, y, z.")

    def measurement(self, motion: PlannedMotion) -> TrackedPositions:
        """Positions at the time of each picture."""
        count = math.floor(motion.duration * self.rate * (1 + 1e-9)) + 1
        count = max(count if self.frames is None else min(count, self.frames), 5)
        time = np.arange(count) / self.rate
        seen = np.isin(list(AXES), list(self.axes))
        position = np.broadcast_to(np.where(seen, 0.0, np.nan), (count, 3))
        sigma = np.broadcast_to(np.where(seen, self.sigma, np.nan), (count, 3))
        start = motion.start
        nothing = np.full(3, np.nan)
        reading = Reading(
            release=0,
            stop=count,
            flights=((0, count),),
            bounces=tuple(ReadImpact(float(touch)) for touch in motion.touch_down if touch <= time[-1]),  # type: ignore[arg-type]
            height=height_at_impact(motion.scene),
            height_sd=np.nan,
            restitution=np.nan,
            restitution_sd=np.nan,
            gravity=np.nan,
            gravity_sd=np.nan,
            drag=0.0,
            drag_sd=np.nan,
            noise=nothing,
            scatter=nothing,
            correlation=np.zeros(3),
            outliers=np.zeros(count, dtype=bool),
            position=np.asarray(start.position),
            velocity=np.asarray(start.velocity),
            remarks=(),
        )
        return TrackedPositions(Recording(name="planned film", time=time, position=position, sigma=sigma), reading)

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """The same number of pictures over the duration, each weighing as many as there would be; a full memory ends the film earlier."""
        rate = variables.get("rate", self.rate)
        used = jnp.any(samples.weight > 0, axis=-1)
        count = jnp.sum(used)
        number = jnp.minimum(jnp.arange(used.size), count - 1)
        if self.frames is not None:
            return samples._replace(times=number / rate)
        weight = samples.weight * jnp.sqrt(rate * duration / (count - 1))
        return samples._replace(times=duration * number / (count - 1), weight=weight)

    def __str__(self) -> str:
        return f"filmed at {self.rate:g} pictures/s"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sound:
    """A microphone that hears when impacts happen.

    Args:
        sigma: standard deviation of a time [s].
    """

    sigma: float

    def __post_init__(self) -> None:
        _positive("Sound", sigma=self.sigma)

    def measurement(self, motion: PlannedMotion) -> BounceTimes | None:
        """Times of impacts; ``None`` for fewer than two."""
        times = motion.touch_down
        if times.size < 2:
            return None
        return BounceTimes(times, sigma=self.sigma, impacts=np.arange(1, times.size + 1), name="planned sound")

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """The same impacts."""
        return samples

    def __str__(self) -> str:
        return "with a microphone"
