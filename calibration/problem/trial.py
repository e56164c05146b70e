"""One run of an experiment: a motion, and everything that was measured of it."""

from collections.abc import Mapping

import numpy as np

import jaxcontact as jc
from calibration.detection.detection import Detection
from calibration.detection.impacts import DetectedImpacts
from calibration.errors import InputError
from calibration.io.names import stem_of
from calibration.io.recording import Recording, without_still_axes
from calibration.measurements.base import Measurement
from calibration.measurements.positions import TrackedPositions
from calibration.model.trial_state import Initial


class Trial:
    """One run of an experiment.

    Args:
        measured: one or several measurements of the same motion: a ``Recording``, ``BounceTimes``,
            ``ForceTrace`` ...
        initial: its known initial state, where there is one; what a nuisance finds replaces it. Of
            several bodies ``(bodies, 3)``; then each measurement says of which (``OfBody``).
        time: at which ``initial`` holds, on the clock of the measurements [s]; by default that of
            the first sample.
        values: known values of scene parameters by path, where they differ between trials: a ball
            of another radius, another plane.
        name: what the trial is called in tables; by default the name of the first measurement, of
            several bodies that of its file, or "collision".

    Raises:
        InputError: nothing measured, something that is not a measurement, or measurements of bodies
            that the initial state does not have.
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
        self.initial, self.time = initial, time
        self._check_bodies()
        self.values: Mapping[str, float] = dict(sorted((values or {}).items()))
        self.name = name or self._name()

    def _name(self) -> str:
        if self.bodies == 1:
            return self.measured[0].name
        return "collision" if self.path is None else stem_of(self.path)

    def _check_bodies(self) -> None:
        for item in self.measured:
            if self.bodies > 1 and not item.of_motion:
                raise InputError(
                    f"Trial: {item.name!r} is of impacts or forces, and does not say between which "
                    f"of {self.bodies} bodies.",
                    path=item.path,
                    remedy="Give positions, spins or orientations of each body: "
                    "calibration.measurements.OfBody(0, ...).",
                )
            if self.bodies > 1 and item.body is None:
                raise InputError(
                    f"Trial: {item.name!r} does not say of which of {self.bodies} bodies it is.",
                    path=item.path,
                    remedy="Give calibration.measurements.OfBody(0, ...).",
                )
            if item.body is not None and (self.initial is None or item.body >= self.bodies):
                known = "none is given" if self.initial is None else f"it has {self.bodies}"
                raise InputError(
                    f"Trial: {item.name!r} is of a body of the initial state, and {known}.",
                    path=item.path,
                    remedy="Give initial=jaxcontact.state(position=...) with a row (3,) for each "
                    "body.",
                )

    def __repr__(self) -> str:
        """Its name and what was measured."""
        kinds = ", ".join(type(item).__name__ for item in self.measured)
        return f"<Trial {self.name!r}: {kinds}>"

    @property
    def bodies(self) -> int:
        """How many bodies move, as many as the initial state has."""
        return 1 if self.initial is None else np.size(self.initial.position) // 3

    @property
    def path(self) -> str | None:
        """The file of the first measurement."""
        return self.measured[0].path

    @property
    def alone(self) -> bool:
        """Whether there is one body, of which no measurement needs to say that it is."""
        return self.bodies == 1 and all(item.body is None for item in self.measured)

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
        of_each = () if self.alone else (self.bodies,)
        position, velocity, spin = (
            np.reshape(np.asarray(value, dtype=float), (*of_each, 3)) for value in self.initial[:3]
        )
        turned = np.broadcast_to(unturned, (*of_each, 4))
        if self.initial.orientation is not None:
            turned = np.reshape(np.asarray(self.initial.orientation, dtype=float), (*of_each, 4))
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
    """A recording as a measurement of positions, without coordinates that never vary; a
    measurement as it is.

    Raises:
        InputError: neither of them.
    """
    if isinstance(given, Recording):
        return TrackedPositions(without_still_axes(given))
    if not isinstance(given, Measurement):
        raise InputError(
            f"Trial: {type(given).__name__} is not a measurement",
            remedy="Give a Recording, one of calibration.measurements, or an instance of a class "
            "that inherits from calibration.measurements.Measurement.",
        )
    return given
