"""Orientations of a marked ball or of a clump at times."""

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
from calibration.io.columns import TIME, read_columns
from calibration.io.poses import QUATERNION
from calibration.measurements.base import Measurement, Observation
from calibration.measurements.rotation import integrate_orientation
from calibration.measurements.validation import check_deviations, check_increasing_times
from calibration.model.apparatus import CAMERA
from calibration.model.samples import MeasuredSamples, Samples
from calibration.model.trial_state import TrialState
from jaxcontact import Trajectory
from jaxcontact.geometry.rotation import quaternion_product

UNKNOWN_SIGMA = math.radians(1.0)
"""Standard deviation of a rotation [rad] whose noise is not given."""


@dataclasses.dataclass(frozen=True)
class Orientation(Observation):
    """The orientation of the body, as the rotation from a reference: the one that was measured.

    Attributes:
        clock: of the camera.
    """

    clock: str

    def times(self, trial_state: TrialState, samples: Samples) -> jax.Array:
        """The start of the motion and those of the pictures."""
        return jnp.concatenate(
            [trial_state.start[None], trial_state.trial_time(self.clock, samples.times)]
        )

    def predict(self, trial_state: TrialState, motion: Trajectory, samples: Samples) -> jax.Array:
        """Rotation vectors (n, 3) [rad], in axes of the scene, from the reference orientation to
        that of the motion.
        """
        turned = (
            integrate_orientation(motion, trial_state.orientation)
            if motion.orientation is None
            else motion.orientation
        )
        return to_rotation_vector(
            quaternion_product(turned[1:], samples.reference * jnp.array([1.0, -1.0, -1.0, -1.0]))
        )


def to_rotation_vector(quaternion: jax.Array) -> jax.Array:
    """The shortest rotation vector (..., 3) [rad] of a unit quaternion, analytic at no rotation."""
    sign = jnp.where(quaternion[..., :1] < 0, -1.0, 1.0)
    scalar, vector = sign * quaternion[..., :1], sign * quaternion[..., 1:]
    squared = jnp.sum(vector**2, axis=-1, keepdims=True)
    small = squared < 1e-8
    size = jnp.sqrt(jnp.where(small, 1.0, squared))
    return vector * jnp.where(small, 2.0 + squared / 3.0, 2.0 * jnp.arctan2(size, scalar) / size)


def continuous(rotation: np.ndarray) -> np.ndarray:
    """Rotation vectors (n, 3) [rad] with whole turns added, so that each is the nearest to the one
    before; NaN stays.
    """
    followed, last = rotation.copy(), np.zeros(3)
    for row in np.flatnonzero(np.isfinite(rotation).all(axis=1)):
        angle = np.linalg.norm(rotation[row])
        axis = rotation[row] / angle if angle > 0 else np.zeros(3)
        turns = np.round((last @ axis - angle) / (2 * np.pi))
        last = followed[row] = rotation[row] + 2 * np.pi * turns * axis
    return followed


class Orientations(Measurement):
    """Orientation at times, as quaternions from body axes to those of the scene. ``InitialTurn()``
    leaves the first one open.

    The first guess must be within half a turn at every picture: whole turns cannot be seen.

    Args:
        times: increasing [s], (n,).
        quaternion: scalar first, (n, 4), of any length; NaN where not measured. Either sign will
            do.
        sigma: standard deviation of the rotation about each axis [rad], one or (n,); by default 1
            degree.
        clock: on which the times are, where there are several instruments.
        name: what the measurement is called in tables.
        path: the file it came from.

    Raises:
        InputError: times that do not increase, another shape, quaternions of zeros, a sigma that is
            not positive.

    Example:
        >>> turned = cal.measurements.Orientations([0.0, 0.01], [[1, 0, 0, 0], [1, 0, 1, 0]])
        >>> turned.quaternion[1].round(4)
        array([0.7071, 0.    , 0.7071, 0.    ])
    """

    clock: str
    quantities = tuple(f"rotation about {axis} [rad]" for axis in "xyz")

    def __init__(
        self,
        times: Any,
        quaternion: Any,
        *,
        sigma: Any = None,
        clock: str = CAMERA,
        name: str = "orientations",
        path: str | None = None,
    ) -> None:
        self.time = check_increasing_times("Orientations", times)
        given = np.asarray(quaternion, dtype=float)
        if given.shape != (self.time.size, 4):
            raise InputError(
                f"Orientations: quaternion has shape {given.shape}, not ({self.time.size}, 4).",
                path=path,
            )
        length = np.linalg.norm(given, axis=1, keepdims=True)
        if np.any(length == 0) or not np.any(np.isfinite(length)):
            raise InputError(
                "Orientations: a quaternion of zeros is no orientation.",
                path=path,
                remedy="Write NaN where not measured.",
            )
        self.quaternion = given / length
        self.sigma = check_deviations("Orientations", sigma, self.time.shape, unit="rad")
        self.clock, self.name, self.path = clock, name, path

    @property
    def stated(self) -> bool:
        """Whether the standard deviation was given."""
        return self.sigma is not None

    @property
    def guessed(self) -> bool:
        """Whether no standard deviation was given."""
        return self.sigma is None

    @property
    def first_orientation(self) -> np.ndarray:
        """The first complete one, (4,)."""
        return self.quaternion[np.isfinite(self.quaternion).all(axis=1)][0]

    def drawn_from(self) -> np.ndarray:
        """Rotation vectors from the first measured orientation to each, (n, 3) [rad]; NaN where
        not measured.
        """
        back = self.first_orientation * np.array([1.0, -1.0, -1.0, -1.0])
        return continuous(np.asarray(to_rotation_vector(quaternion_product(self.quaternion, back))))

    def observation(self) -> Orientation:
        """Orientations on the clock of the camera."""
        return Orientation(self.clock)

    def samples(self, detected: Detection | None = None) -> MeasuredSamples:
        """Rotations from the measured orientations, which are zero; the reference is these
        orientations.
        """
        seen = np.isfinite(self.quaternion).all(axis=1)
        sigma = np.full(self.time.shape, UNKNOWN_SIGMA) if self.sigma is None else self.sigma
        deviation = np.repeat(np.where(seen, sigma, np.inf)[:, None], 3, axis=1)
        reference = np.where(seen[:, None], self.quaternion, self.first_orientation)
        return MeasuredSamples(self.time, np.zeros((self.time.size, 3)), deviation, reference)


def read_orientations(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    sigma: float | None = None,
    clock: str = CAMERA,
) -> Orientations:
    """Orientations from a text file with columns ``t``, ``qw``, ``qx``, ``qy``, ``qz``.

    Args:
        path: the file.
        columns: which header holds ``times``, ``w``, ``x``, ``y`` or ``z``, where they are not
            recognised.
        sigma: standard deviation of the rotation about each axis [rad].
        clock: name of the clock.

    Raises:
        InputError: with the file, line and column, and what to do.

    Example:
        >>> rows = [[0, 1, 0, 0, 0], [0.01, 0.8, 0, 0.6, 0]]
        >>> np.savetxt("pose.csv", rows, delimiter=",", header="t,qw,qx,qy,qz", comments="")
        >>> cal.measurements.read_orientations("pose.csv").quaternion[1]
        array([0.8, 0. , 0.6, 0. ])
    """
    found, name = read_columns(
        path, {"times": TIME, **QUATERNION}, needed=("times", *QUATERNION), columns=columns
    )
    kept = np.isfinite(found["times"])
    quaternion = np.stack([found[part] for part in QUATERNION], axis=-1)
    return Orientations(
        found["times"][kept], quaternion[kept], sigma=sigma, clock=clock, name=name, path=str(path)
    )
