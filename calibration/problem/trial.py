"""One run of an experiment: a motion, and everything that was measured of it."""

from collections.abc import Mapping

import numpy as np

import jaxcontact as jc
from calibration.detection.detection import Detection
from calibration.detection.impacts import DetectedImpacts
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.measurements.base import Measurement
from calibration.measurements.positions import TrackedPositions
from calibration.model.trial_state import Initial


class Trial:
    """One run of an experiment.

    Args:
        measured: one or several measurements of the same motion: a ``Recording``, ``BounceTimes``,
            ``ForceTrace`` ...
        initial: its known initial state, where there is one; what a nuisance finds replaces it.
        time: at which ``initial`` holds, on the clock of the measurements [s]; by default that of
            the first sample.
        values: known values of scene parameters by path, where they differ between trials: a ball
            of another radius, another plane.
        name: what the trial is called in tables; by default the name of the first measurement.

    Raises:
        InputError: nothing measured, something that is not a measurement, or an initial state that
            is not one of a single sphere.
    """

    def __init__(
        self,
        *measured: Recording | Measurement,
        initial: jc.State | None = None,
        time: float | None = None,
        values: Mapping[str, float] | None = None,
        name: str | None = None,
    ) -> None:
        if not measured:
            raise InputError(
                "A trial without a measurement.", remedy="Give at least one, e.g. Trial(recording)."
            )
        self.measured: tuple[Measurement, ...] = tuple(map(as_measurement, measured))
        if initial is not None and np.size(initial.position) != 3:
            raise InputError(
                f"initial.position has shape {np.shape(initial.position)}; a trial is of one "
                "body, (3,)."
            )
        self.initial, self.time = initial, time
        self.values: Mapping[str, float] = dict(sorted((values or {}).items()))
        self.name = name or self.measured[0].name

    @property
    def path(self) -> str | None:
        """The file of the first measurement."""
        return self.measured[0].path

    @property
    def axes(self) -> tuple[str, ...]:
        """All measured axes."""
        return tuple(axis for axis in "xyz" if any(axis in item.axes for item in self.measured))

    def known_state(self, first: float) -> Initial:
        """The known initial state at its time (default ``first``), zeros where nothing is known."""
        time = first if self.time is None else self.time
        seen = [
            orientation
            for orientation in (item.first_orientation for item in self.measured)
            if orientation is not None
        ]
        unturned = seen[0] if seen else np.array([1.0, 0.0, 0.0, 0.0])
        if self.initial is None:
            return Initial(
                np.zeros(3), np.zeros(3), np.zeros(3), np.asarray(time, dtype=float), unturned
            )
        position, velocity, spin = (
            np.reshape(np.asarray(value, dtype=float), 3) for value in self.initial[:3]
        )
        turned = (
            unturned
            if self.initial.orientation is None
            else np.reshape(np.asarray(self.initial.orientation, dtype=float), 4)
        )
        return Initial(position, velocity, spin, np.asarray(time, dtype=float), turned)

    @property
    def clocks(self) -> tuple[str, ...]:
        """Names of the clocks of the measurements."""
        clocks = [item.clock for item in self.measured if item.clock is not None]
        return tuple(dict.fromkeys(clocks))

    def detect(self, scene: jc.Scene) -> Detection | None:
        """The first guess of the motion: from positions, else from the first measurement that gives
        one, else ``None``.
        """
        for measurement in sorted(self.measured, key=lambda measurement: not measurement.axes):
            detected = measurement.detect(scene)
            if isinstance(detected, DetectedImpacts) and self.initial is not None:
                return detected.with_initial_state(self.initial, scene)
            if detected is not None:
                return detected
        return None


def as_measurement(given: Recording | Measurement) -> Measurement:
    """A recording as a measurement of positions, a measurement as it is.

    Raises:
        InputError: neither of them.
    """
    if isinstance(given, Recording):
        return TrackedPositions(given)
    if not isinstance(given, Measurement):
        raise InputError(
            f"Trial: {type(given).__name__} is not a measurement",
            remedy="Give a Recording, one of calibration.measurements, or an instance of a class "
            "that inherits from calibration.measurements.Measurement.",
        )
    return given
