"""Instruments that a planned experiment can use, and the measurement that each would make of a
motion.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Protocol

import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.detection.bounces import DetectedBounces
from calibration.detection.impacts import DetectedImpact, height_at_impact
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.measurements.bounce_times import BounceTimes
from calibration.measurements.contact_durations import ContactDurations
from calibration.measurements.force_trace import ForceTrace
from calibration.measurements.positions import TrackedPositions
from calibration.model.samples import Samples

AXES = "xyz"


class PlannedMotion(NamedTuple):
    """A motion as it is expected.

    Attributes:
        scene: at the working point.
        start: state at time 0.
        duration: until when it is measured [s].
        touch_down, lift_off: of the impacts that happen until then (n,) [s].
        impact_speed, rebound_speed: of these, along the normal (n,) [m/s].
    """

    scene: jc.Scene
    start: jc.State
    duration: float
    touch_down: np.ndarray
    lift_off: np.ndarray
    impact_speed: np.ndarray
    rebound_speed: np.ndarray


class Instrument(Protocol):
    """What an instrument must offer. Hashable; attributes named in ``Candidate.vary`` are its
    continuous design variables.

    Attributes:
        needs_force: whether contacts must be followed from touch-down to lift-off.
        smooth: whether ``at`` can follow continuous design variables.
    """

    needs_force: ClassVar[bool]
    smooth: ClassVar[bool]

    def measurement(self, motion: PlannedMotion) -> Any:
        """What it would measure, or ``None`` where the motion shows it nothing. The measured
        numbers need not be true, the times must.
        """

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """The samples of one trial with continuous design variables and the duration at other
        (traced) values.
        """

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
        frames: largest number of pictures that the memory holds; a higher rate then means a shorter
            film. By default no limit.
    """

    needs_force: ClassVar[bool] = False
    smooth: ClassVar[bool] = True
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
        detected = DetectedBounces(
            release=0,
            stop=count,
            flights=((0, count),),
            bounces=tuple(
                DetectedImpact(float(touch))  # type: ignore[misc]
                for touch in motion.touch_down
                if touch <= time[-1]
            ),
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
        return TrackedPositions(
            Recording(name="planned film", time=time, position=position, sigma=sigma), detected
        )

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """The same number of pictures over the duration, each weighing as many as there would be; a
        full memory ends the film earlier.
        """
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

    needs_force: ClassVar[bool] = False
    smooth: ClassVar[bool] = True
    sigma: float

    def __post_init__(self) -> None:
        _positive("Sound", sigma=self.sigma)

    def measurement(self, motion: PlannedMotion) -> BounceTimes | None:
        """Times of impacts; ``None`` for fewer than two."""
        times = motion.touch_down
        if times.size < 2:
            return None
        return BounceTimes(
            times, sigma=self.sigma, impacts=np.arange(1, times.size + 1), name="planned sound"
        )

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """The same impacts."""
        return samples

    def __str__(self) -> str:
        return "with a microphone"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ForceSensor:
    """A sensor of the normal force below the surface. Needs a compliant law.

    Args:
        rate: samples per second [1/s]; at least five fall into a contact.
        sigma: standard deviation of a force [N].
        impacts: at most so many impacts of the motion are recorded.
    """

    needs_force: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    rate: float
    sigma: float
    impacts: int = 1

    def __post_init__(self) -> None:
        _positive("ForceSensor", rate=self.rate, sigma=self.sigma, impacts=self.impacts)

    def measurement(self, motion: PlannedMotion) -> ForceTrace | None:
        """Forces from shortly before touch-down to shortly after lift-off; ``None`` where no
        contact lasts five samples.
        """
        mass = float(np.max(np.asarray(motion.scene.bodies.mass)))
        times, forces = [], []
        for touch, lift, before, after in list(zip(*motion[3:], strict=True))[: self.impacts]:
            lasts = lift - touch
            if lasts * self.rate < LEAST_SAMPLES or not lift <= motion.duration:
                continue
            first = math.ceil((touch - MARGIN * lasts) * self.rate)
            time = np.arange(first, math.floor((lift + MARGIN * lasts) * self.rate) + 1) / self.rate
            # Any pulse of the right impulse does: the measured numbers do not matter.
            peak = math.pi / 2 * mass * (before + after) / lasts
            inside = (time > touch) & (time < lift)
            times.append(time)
            forces.append(np.where(inside, peak * np.sin(np.pi * (time - touch) / lasts), 0.0))
        if not times:
            return None
        return ForceTrace(
            np.concatenate(times), np.concatenate(forces), sigma=self.sigma, name="planned force"
        )

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """Not possible: the samples follow the contact."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"with a force sensor at {self.rate:g} Hz"


LEAST_SAMPLES = 5
"""Samples of a force that a contact must last."""

MARGIN = 0.2
"""Part of a contact that is recorded before it and after it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ContactTimer:
    """A closed circuit, or the like, that tells how long contacts last. Needs a compliant law.

    Args:
        sigma: standard deviation of a duration [s].
        impacts: at most so many impacts of the motion are timed.
    """

    needs_force: ClassVar[bool] = True
    smooth: ClassVar[bool] = True
    sigma: float
    impacts: int = 1

    def __post_init__(self) -> None:
        _positive("ContactTimer", sigma=self.sigma, impacts=self.impacts)

    def measurement(self, motion: PlannedMotion) -> ContactDurations | None:
        """Durations of the first impacts; ``None`` where none of them lasts."""
        lasts = (motion.lift_off - motion.touch_down)[motion.lift_off <= motion.duration][
            : self.impacts
        ]
        return (
            ContactDurations(lasts, sigma=self.sigma, name="planned durations")
            if lasts.size and np.all(lasts > 0)
            else None
        )

    def at(self, samples: Samples, variables: Mapping[str, Any], duration: Any) -> Samples:
        """The same impacts."""
        return samples

    def __str__(self) -> str:
        return f"with the duration of {self.impacts} contact{'s' if self.impacts > 1 else ''}"
