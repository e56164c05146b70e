"""Instruments of planned experiments: the measurement that each would make of a motion.

Example:
    >>> camera = cal.instruments.Film(rate=240.0, sigma=3e-4)
    >>> cal.Candidate(instruments=(camera,), height=0.5, duration=0.8).name
    'a drop from 0.5 m filmed at 240 pictures/s'
"""

import abc
import dataclasses
import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import jaxcontact as jc
from calibration.detection.bounces import DetectedBounces
from calibration.detection.impacts import DetectedImpact, height_at_impact
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.measurements.base import Measurement
from calibration.measurements.bounce_times import BounceTimes
from calibration.measurements.contact_durations import ContactDurations
from calibration.measurements.force_trace import ForceTrace
from calibration.measurements.positions import TrackedPositions
from calibration.model.samples import Samples

__all__ = ["ContactTimer", "Film", "ForceSensor", "Instrument", "PlannedMotion", "Sound"]

AXES = "xyz"

FEWEST_PICTURES = 5
"""A film has at least so many pictures, as a recording must."""

FEWEST_FORCE_SAMPLES = 5
"""A contact must last so many samples of a force, or its trace shows no pulse."""

MARGIN = 0.2
"""Part of a contact that a force is recorded before it and after it: it shows the zero."""


class PlannedMotion(NamedTuple):
    """A motion as it is expected: what an instrument is asked to watch.

    Attributes:
        scene: at the working point.
        start: state at time 0.
        duration: until when it is measured [s].
        touch_down: times (n,) of the impacts that happen until then [s].
        lift_off: ends (n,) of their contacts [s].
        impact_speed: speeds (n,) along the normal before them [m/s].
        rebound_speed: speeds (n,) along the normal after them [m/s].

    Example:
        >>> scene = jc.Scene(
        ...     bodies=jc.spheres(radius=0.02, mass=0.0027),
        ...     contact=jc.ContactModel(normal=jc.NewtonRestitution(restitution=0.8)),
        ... )
        >>> motion = cal.instruments.PlannedMotion(
        ...     scene=scene,
        ...     start=cal.Candidate(instruments=(cal.instruments.Sound(sigma=1e-4),)).start(scene),
        ...     duration=1.0,
        ...     touch_down=np.array([0.32, 0.83]),
        ...     lift_off=np.array([0.32, 0.83]),
        ...     impact_speed=np.array([3.13, 2.50]),
        ...     rebound_speed=np.array([2.50, 2.00]),
        ... )
        >>> cal.instruments.Sound(sigma=1e-4).plan_measurement(motion).time.tolist()
        [0.32, 0.83]
    """

    scene: jc.Scene
    start: jc.State
    duration: float
    touch_down: Annotated[np.ndarray, "impacts"]
    lift_off: Annotated[np.ndarray, "impacts"]
    impact_speed: Annotated[np.ndarray, "impacts"]
    rebound_speed: Annotated[np.ndarray, "impacts"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Instrument(abc.ABC):
    """What watches a planned experiment.

    Implementing an instrument: inherit as a frozen dataclass (an instrument is hashable; fields
    named in ``Candidate.vary`` are its continuous design variables), set the class attributes that
    differ, define ``plan_measurement`` and ``__str__``, and override ``move_samples`` where
    ``smooth`` is True and the samples depend on the design variables.

    Attributes:
        needs_force: whether contacts must be followed from touch-down to lift-off.
        smooth: whether ``move_samples`` can follow continuous design variables.
        shows_start: whether the motion is seen from its start, rather than from its first impact.

    Example:
        >>> isinstance(cal.instruments.Sound(sigma=1e-4), cal.instruments.Instrument)
        True
    """

    needs_force: ClassVar[bool] = False
    smooth: ClassVar[bool] = True
    shows_start: ClassVar[bool] = False

    @abc.abstractmethod
    def plan_measurement(self, motion: PlannedMotion) -> Measurement | None:
        """What the instrument would measure of a motion; ``None`` where it would see nothing of it.

        The measured numbers need not be true, the times and standard deviations must.
        """

    def move_samples(
        self, samples: Samples, variables: Mapping[str, jax.Array], duration: jax.Array | float
    ) -> Samples:
        """The samples of one trial at other values of the design variables; by default the same.

        Args:
            samples: as planned.
            variables: (traced) values of the design variables, by name.
            duration: (traced) time until which the motion is measured [s].
        """
        return samples

    @abc.abstractmethod
    def __str__(self) -> str:
        """How the instrument watches, after the name of the motion: ``with a microphone``."""


def _check_positive(owner: str, **values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not (isinstance(value, (int, float)) and 0 < value < math.inf):
            raise InputError(f"{owner}: {name} = {value!r} is not a positive number.")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Film(Instrument):
    """A camera that follows the centre of the sphere.

    Args:
        rate: pictures per second [1/s].
        sigma: standard deviation of a position [m].
        axes: measured axes, of ``"xyz"``.
        frames: largest number of pictures that the memory holds; a higher rate then means a shorter
            film. By default no limit.

    Raises:
        InputError: a number that is not positive, or another axis.

    Example:
        >>> print(cal.instruments.Film(rate=240.0, sigma=3e-4))
        filmed at 240 pictures/s
    """

    shows_start: ClassVar[bool] = True
    rate: float
    sigma: float
    axes: str = "xz"
    frames: int | None = None

    def __post_init__(self) -> None:
        _check_positive("Film", rate=self.rate, sigma=self.sigma, frames=self.frames)
        if not self.axes or any(axis not in AXES for axis in self.axes):
            raise InputError(f"Film: axes = {self.axes!r} are not of x, y, z.")

    def plan_measurement(self, motion: PlannedMotion) -> TrackedPositions:  # type: ignore[override]
        """Positions at the time of each picture."""
        count = math.floor(motion.duration * self.rate * (1 + 1e-9)) + 1
        count = max(count if self.frames is None else min(count, self.frames), FEWEST_PICTURES)
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
            tails=np.zeros(3),
            outliers=np.zeros(count, dtype=bool),
            position=np.asarray(start.position),
            velocity=np.asarray(start.velocity),
            remarks=(),
        )
        return TrackedPositions(
            Recording(name="planned film", time=time, position=position, sigma=sigma), detected
        )

    def move_samples(
        self, samples: Samples, variables: Mapping[str, jax.Array], duration: jax.Array | float
    ) -> Samples:
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
class Sound(Instrument):
    """A microphone that hears when impacts happen.

    Args:
        sigma: standard deviation of a time [s].

    Raises:
        InputError: a standard deviation that is not positive.

    Example:
        >>> print(cal.instruments.Sound(sigma=1e-4))
        with a microphone
    """

    sigma: float

    def __post_init__(self) -> None:
        _check_positive("Sound", sigma=self.sigma)

    def plan_measurement(self, motion: PlannedMotion) -> BounceTimes | None:
        """Times of impacts; ``None`` for fewer than two."""
        times = motion.touch_down
        if times.size < 2:
            return None
        return BounceTimes(
            times, sigma=self.sigma, impacts=np.arange(1, times.size + 1), name="planned sound"
        )

    def __str__(self) -> str:
        return "with a microphone"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ForceSensor(Instrument):
    """A sensor of the normal force below the surface. Needs a compliant law.

    Args:
        rate: samples per second [1/s]; at least five fall into a contact.
        sigma: standard deviation of a force [N].
        impacts: largest number of impacts of the motion that are recorded.

    Raises:
        InputError: a number that is not positive.

    Example:
        >>> print(cal.instruments.ForceSensor(rate=50e3, sigma=0.2))
        with a force sensor at 50000 Hz
    """

    needs_force: ClassVar[bool] = True
    smooth: ClassVar[bool] = False
    rate: float
    sigma: float
    impacts: int = 1

    def __post_init__(self) -> None:
        _check_positive("ForceSensor", rate=self.rate, sigma=self.sigma, impacts=self.impacts)

    def plan_measurement(self, motion: PlannedMotion) -> ForceTrace | None:
        """Forces from shortly before touch-down to shortly after lift-off; ``None`` where no
        contact lasts five samples.
        """
        mass = float(np.max(np.asarray(motion.scene.bodies.mass)))
        times, forces = [], []
        for i in range(min(self.impacts, motion.touch_down.size)):
            touch, lift = motion.touch_down[i], motion.lift_off[i]
            duration = lift - touch
            if duration * self.rate < FEWEST_FORCE_SAMPLES or not lift <= motion.duration:
                continue
            first = math.ceil((touch - MARGIN * duration) * self.rate)
            last = math.floor((lift + MARGIN * duration) * self.rate)
            time = np.arange(first, last + 1) / self.rate
            # Any pulse of the right impulse does, as the measured numbers do not matter: half a
            # sine F(t) = (pi/2) m (v + v') / t_c sin(pi t/t_c).
            momentum = mass * (motion.impact_speed[i] + motion.rebound_speed[i])
            pulse = math.pi / 2 * momentum / duration * np.sin(np.pi * (time - touch) / duration)
            inside = (time > touch) & (time < lift)
            times.append(time)
            forces.append(np.where(inside, pulse, 0.0))
        if not times:
            return None
        return ForceTrace(
            np.concatenate(times), np.concatenate(forces), sigma=self.sigma, name="planned force"
        )

    def __str__(self) -> str:
        return f"with a force sensor at {self.rate:g} Hz"


@dataclasses.dataclass(frozen=True, kw_only=True)
class ContactTimer(Instrument):
    """A closed circuit, or the like, that tells how long contacts last. Needs a compliant law.

    Args:
        sigma: standard deviation of a duration [s].
        impacts: largest number of impacts of the motion that are timed.

    Raises:
        InputError: a number that is not positive.

    Example:
        >>> print(cal.instruments.ContactTimer(sigma=1e-6, impacts=2))
        with the duration of 2 contacts
    """

    needs_force: ClassVar[bool] = True
    sigma: float
    impacts: int = 1

    def __post_init__(self) -> None:
        _check_positive("ContactTimer", sigma=self.sigma, impacts=self.impacts)

    def plan_measurement(self, motion: PlannedMotion) -> ContactDurations | None:  # type: ignore[override]
        """Durations of the first impacts; ``None`` where none of them lasts."""
        ended = motion.lift_off <= motion.duration
        durations = (motion.lift_off - motion.touch_down)[ended][: self.impacts]
        if durations.size == 0 or not np.all(durations > 0):
            return None
        return ContactDurations(durations, sigma=self.sigma, name="planned durations")

    def __str__(self) -> str:
        return f"with the duration of {self.impacts} contact{'s' if self.impacts > 1 else ''}"
