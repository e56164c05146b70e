"""What a measurement is: the numbers that one instrument gave of one trial, and how that instrument
sees a motion.
"""

import abc
import enum

import jax
import numpy as np

from calibration.detection.detection import Detection
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from calibration.noise.models import NoiseModel
from jaxcontact import Scene, Trajectory


class Abscissa(enum.StrEnum):
    """What the rows of a measurement are numbered by. The value is the label in figures.

    Example:
        >>> cal.measurements.BounceTimes([0.3, 0.7, 1.0]).abscissa.value
        'impact'
    """

    TIME = "time [s]"
    """Each row has a time on the clock of the instrument, and neighbouring errors may be
    correlated.
    """
    IMPACT = "impact"
    """Row k is impact k of the motion."""
    NUMBER = "number"
    """The rows have no order that means anything."""


class Observation(abc.ABC):
    """How an instrument sees a motion, without the data.

    An observation is part of compiled code, so it must be hashable and equal to its copy: write a
    frozen dataclass with fields such as numbers, strings and tuples of them, and no arrays. What it
    needs of the data comes in ``samples``.

    See ``Measurement`` for how to write one.

    Example:
        >>> sounds = cal.measurements.BounceTimes([0.3, 0.7, 1.0])
        >>> sounds.observation() == cal.measurements.BounceTimes([0.4, 0.8]).observation()
        True
    """

    @abc.abstractmethod
    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """Times at which the motion must be known.

        Args:
            trial_state: scene, initial state and instruments at the parameters of the moment.
            samples: the data of this trial, padded: ``samples.times`` (n,) on the clock of the
                instrument; ``trial_state.trial_time(clock, samples.times)`` are those of the trial.

        Returns:
            times on the clock of the trial [s], (m,), in any order. An instrument that sees only
            impacts (``Abscissa.IMPACT``) returns one time by which they have all happened; a fit
            then asks for a simulation that succeeds up to the last impact that was measured, for
            others up to the last of these times.
        """

    @abc.abstractmethod
    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """What the instrument would show, without noise.

        Args:
            trial_state: as in ``times``.
            motion: position, velocity and spin (m, 3) at ``times``; ``motion.contacts`` are all
                contacts of the simulation, also those at other times.
            samples: as in ``times``.

        Returns:
            numbers (n, k) in the order and units of ``samples.measured``, a differentiable function
            of ``trial_state`` and ``motion``. Padded rows may hold any finite number.
        """


class Measurement(abc.ABC):
    """The numbers that one instrument gave of one trial.

    **Implementing a measurement: inherit, define, implement.**

    1. *Inherit* from ``Measurement`` (the data) and from ``Observation`` (how a motion shows in
       them), a frozen dataclass.
    2. *Define* ``name`` and ``quantities``, and ``abscissa`` and ``clock`` where the rows are not
       just numbered. Every other attribute below has a default that suits most instruments.
    3. *Implement* ``samples`` and ``observation`` of the measurement, ``times`` and ``predict`` of
       the observation.

    Attributes may be class attributes, properties or, where the list says so, set in ``__init__``.
    ``calibration.testing.check_measurement`` tells whether everything fits together. After that,
    fits, tables, figures, profiles, bootstrap, prediction and design use the measurement.

    Attributes:
        name: what the measurement is called in tables; may be set in ``__init__``.
        path: the file it came from, which errors name, or ``None``; may be set in ``__init__``.
        clock: name of the clock on which its times are, ``None`` where it has no times; may be set
            in ``__init__``. Measurements with the same name of a clock are on one clock.
        noise: what is assumed of its errors, ``None`` to take what the problem says; may be set in
            ``__init__``.
        needs_force: whether it measures the force within a contact. Then contacts are followed from
            touch-down to lift-off, and rigid laws are refused.
        needs_duration: whether it measures how long a contact lasts. Then contacts are followed,
            unless the law tells the duration itself.
        until_rest: whether the motion is followed until the body rests, also while it rolls or
            slides on.
        body: which of several bodies it is of (``OfBody``), ``None`` where there is one.

    Example:
        Speeds after the first impacts, as a light gate shows them:

        >>> import dataclasses
        >>> @dataclasses.dataclass(frozen=True)
        ... class SpeedsAfterImpacts(cal.measurements.Observation):
        ...     def times(self, trial_state, samples):
        ...         return (trial_state.start + 60.0)[None]
        ...     def predict(self, trial_state, motion, samples):
        ...         count = samples.times.shape[0]
        ...         first = cal.measurements.take_impacts(motion.contacts, count)
        ...         return first.rebound_speed[:, None]
        >>> class ReboundSpeeds(cal.measurements.Measurement):
        ...     name = "rebound speeds"
        ...     quantities = ("rebound speed [m/s]",)
        ...     abscissa = cal.measurements.Abscissa.IMPACT
        ...     def __init__(self, speed, sigma):
        ...         self.speed, self.sigma = np.asarray(speed), sigma
        ...     def observation(self):
        ...         return SpeedsAfterImpacts()
        ...     def samples(self, detected=None):
        ...         measured = self.speed[:, None]
        ...         sigma = np.full(measured.shape, self.sigma)
        ...         times = np.zeros(len(measured))
        ...         return cal.measurements.MeasuredSamples(times, measured, sigma)
        >>> ReboundSpeeds([2.5, 2.0, 1.6], sigma=0.01).contacts
        3
    """

    name: str = "measurement"
    path: str | None = None
    clock: str | None = None
    noise: NoiseModel | None = None
    needs_force: bool = False
    needs_duration: bool = False
    until_rest: bool = False
    body: int | None = None

    @property
    def of_motion(self) -> bool:
        """Whether it is of a motion, not of single impacts or of forces."""
        of_impacts = self.abscissa is Abscissa.IMPACT or self.needs_duration
        return self.needs_motion and not of_impacts and not self.needs_force

    @abc.abstractmethod
    def observation(self) -> Observation:
        """How the instrument sees a motion. Measurements with equal observations share compiled
        code.
        """

    @abc.abstractmethod
    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """The measured numbers with their standard deviations.

        Args:
            detected: the first guess of the motion of the trial, where its measurements gave one.

        Returns:
            times (n,), numbers (n, k) and their standard deviations (n, k), infinite where a number
            is not used. ``times`` are zeros where the rows have none.
        """

    def given(self, detected: Detection | None = None) -> np.ndarray:
        """How many numbers of each quantity (k,) were measured, whether they are used or not. By
        default those of ``samples``.
        """
        return np.isfinite(self.samples(detected).measured).sum(axis=0)

    def drawn_from(self) -> np.ndarray:
        """What figures add to the measured and to the predicted numbers, (n, k) or a shape that
        broadcasts to it, where these are differences from what was measured. By default nothing.
        """
        return np.zeros((1, 1))

    def detect(self, scene: Scene) -> Detection | None:
        """A first guess of the motion from the data, where they show one; by default ``None``.

        Nuisances take their starting values from it. A measurement without one needs another in the
        same trial that has one, or a trial with a known initial state.

        Raises:
            InputError: data that show nothing that can be fitted.
        """
        return None

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit of each column, e.g. ``("rebound speed [m/s]",)``: the axes of figures,
        and the names under which the size of the noise is reported. By default the name of the
        measurement, numbered where there are several columns.
        """
        columns = np.shape(self.samples().measured)[1]
        if columns == 1:
            return (self.name,)
        return tuple(f"{self.name} {k + 1}" for k in range(columns))

    @property
    def abscissa(self) -> Abscissa:
        """What the rows are numbered by. By default times where there is a ``clock``, else nothing
        but their number.
        """
        return Abscissa.NUMBER if self.clock is None else Abscissa.TIME

    @property
    def contacts(self) -> int:
        """How many contacts of the motion it needs. A simulation has room for at least so many. By
        default as many as there are rows where these are impacts, else none.
        """
        return self.samples().times.size if self.abscissa is Abscissa.IMPACT else 0

    @property
    def stated(self) -> bool:
        """Whether the standard deviations are known. Those that are only guessed tell the ratios,
        and their size is found from the residuals. By default they are known.
        """
        return True

    @property
    def guessed(self) -> bool:
        """Whether the standard deviations are neither known nor found from the data. Their size may
        be wrong by a factor of three, and a misfit says little. By default they are not.
        """
        return False

    @property
    def needs_motion(self) -> bool:
        """Whether it sees the motion of the trial; by default it does. Impacts of known speeds,
        say, follow from the scene alone.
        """
        return True

    @property
    def axes(self) -> tuple[str, ...]:
        """Letters of the axes along which the columns are positions of the centre, in recorded
        lengths; by default none. Then there is an initial state to be found, and figures show the
        path with its bounces.
        """
        return ()

    @property
    def noise_classes(self) -> tuple[type, ...]:
        """Classes under which a table of noise models names the measurement,
        ``Problem(..., noise={BounceTimes: Known()})``; by default its own.
        """
        return (type(self),)

    @property
    def kind(self) -> str:
        """What it is in tables and remarks. Quantities of one name and kind share one size of their
        errors; by default the class of its observation.
        """
        return type(self.observation()).__name__

    @property
    def first_spin(self) -> np.ndarray | None:
        """The first measured angular velocity (3,) [rad/s], zero where a component was not
        measured: the start of ``InitialSpin``. By default ``None``.
        """
        return None

    @property
    def first_orientation(self) -> np.ndarray | None:
        """The first measured orientation (4,), a quaternion with the scalar first, from which
        ``InitialTurn`` turns the body. By default ``None``.
        """
        return None

    @property
    def first_angle(self) -> float | None:
        """The first measured angle of a marker [rad], with which ``MarkerStart`` starts. By default
        ``None``.
        """
        return None
