"""Angle of a marker on a body that turns about one axis, as a camera along that axis sees it."""

import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from calibration.detection.detection import Detection
from calibration.errors import InputError
from calibration.io.columns import TIME, Column, read_columns
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.rotation import integrate_angle
from calibration.measurements.validation import (
    check_deviations,
    check_increasing_times,
    check_numbers,
)
from calibration.model.apparatus import CAMERA
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Trajectory
from jaxcontact.parameters import nearest

UNKNOWN_SIGMA = math.radians(2.0)
"""Standard deviation of an angle [rad] whose noise is not given."""


TURNS = ("followed", "counted", "open")
"""What can be known of whole turns."""


@dataclasses.dataclass(frozen=True)
class MarkerAngle(Observation):
    """The angle of a marker.

    Attributes:
        axis: index of the axis of rotation.
        counted: whether whole turns are counted.
        clock: of the camera.
    """

    axis: int
    counted: bool
    clock: str

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """The start of the motion and those of the pictures."""
        return jnp.concatenate(
            [trial_state.start[None], trial_state.trial_time(self.clock, samples.times)]
        )

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Angles (n, 1) [rad]; where turns are not counted, in the turn of the measured ones."""
        angle = (trial_state.marker + integrate_angle(motion, self.axis)[1:])[:, None]
        if self.counted:
            return angle
        return angle + 2 * math.pi * jnp.round(
            jax.lax.stop_gradient(samples.measured - angle) / (2 * math.pi)
        )


class MarkerAngles(Measurement):
    """Angle of a marker in the picture at times; the body turns about one axis only. With
    ``MarkerStart()``, its first angle is unknown.

    Args:
        times: increasing [s], (n,).
        angle: [rad], (n,), NaN where not measured; right-handed about ``axis`` as spin is
            (clockwise in a picture of x and z).
        axis: of rotation: ``"y"`` for pictures of x and z, ``"z"`` from above.
        turns: what is known of whole turns. ``"followed"``: the marker turns less than half a turn
            from one picture to the next, so that jumps of a turn are none; ``"counted"``: the
            angles count them; ``"open"``: nothing is known. The first guess must then be within
            half a turn at every picture.
        sigma: standard deviation [rad], one or (n,); by default 2 degrees.
        clock: on which the times are, where there are several instruments.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: times that do not increase, another shape, an axis that is none, a sigma that is
            not positive.

    Example:
        Jumps of a whole turn are taken out where the marker is followed:

        >>> marker = cal.measurements.MarkerAngles([0.0, 0.01, 0.02], [2.8, -3.0, -2.5])
        >>> marker.angle.round(2)
        array([2.8 , 3.28, 3.78])
    """

    clock: str

    def __init__(
        self,
        times: Any,
        angle: Any,
        *,
        axis: str = "y",
        turns: str = "followed",
        sigma: Any = None,
        clock: str = CAMERA,
        name: str = "marker angles",
        path: str | None = None,
    ) -> None:
        if axis not in ("x", "y", "z"):
            raise InputError(f"MarkerAngles: axis = {axis!r} is not 'x', 'y' or 'z'.", path=path)
        if turns not in TURNS:
            raise InputError(
                f"MarkerAngles: turns = {turns!r} is not known.{nearest(turns, TURNS)}", path=path
            )
        self.time = check_increasing_times("MarkerAngles", times)
        self.angle = check_numbers("MarkerAngles", "angle", angle, self.time.shape).copy()
        self.sigma = check_deviations("MarkerAngles", sigma, self.time.shape, unit="rad")
        if turns == "followed":
            seen = np.isfinite(self.angle)
            self.angle[seen] = np.unwrap(self.angle[seen])
        self.axis, self.turns, self.clock, self.name, self.path = axis, turns, clock, name, path

    @property
    def quantities(self) -> tuple[str, ...]:
        """Label and unit of each column."""
        return (f"angle of the marker about {self.axis} [rad]",)

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    @property
    def guessed(self) -> bool:
        """Whether no standard deviation was given."""
        return self.sigma is None

    @property
    def first_angle(self) -> float:
        """The first measured angle [rad]."""
        return float(self.angle[np.isfinite(self.angle)][0])

    def observation(self) -> MarkerAngle:
        """The marker on the clock of the camera."""
        return MarkerAngle("xyz".index(self.axis), self.turns != "open", self.clock)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """All of them."""
        sigma = np.full(self.time.shape, UNKNOWN_SIGMA) if self.sigma is None else self.sigma
        return MeasuredSamples(
            self.time,
            self.angle[:, None],
            np.where(np.isfinite(self.angle), sigma, np.inf)[:, None],
        )


ANGLE = Column(
    ("angle", "theta", "phi", "alpha", "marker", "marker_angle", "rotation", "winkel"),
    "angle",
    math.pi / 180,
)


def read_marker_angles(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    axis: str = "y",
    turns: str = "followed",
    sigma: float | None = None,
    clock: str = CAMERA,
) -> MarkerAngles:
    """Marker angles from a text file with columns ``t`` and ``angle`` (``theta_deg``, ``phi
    (rad)``; radians without a unit).

    Args:
        path: the file.
        columns: which header holds ``times`` or ``angle``, where they are not recognised.
        axis: as in ``MarkerAngles``.
        turns: as in ``MarkerAngles``.
        sigma: standard deviation [rad].
        clock: name of the clock.

    Raises:
        InputError: with the file, line and column, and what to do.

    Example:
        >>> rows = [[0, 0], [0.01, 90]]
        >>> np.savetxt("marker.csv", rows, delimiter=",", header="t (s),angle (deg)", comments="")
        >>> cal.measurements.read_marker_angles("marker.csv").angle.round(4)
        array([0.    , 1.5708])
    """
    found, name = read_columns(
        path, {"times": TIME, "angle": ANGLE}, needed=("times", "angle"), columns=columns
    )
    kept = np.isfinite(found["times"])
    times, angle = found["times"][kept], found["angle"][kept]
    return MarkerAngles(
        times, angle, axis=axis, turns=turns, sigma=sigma, clock=clock, name=name, path=str(path)
    )
