"""Poses of a rigid body in one file: where its centre is and how it is turned, and how it moves
where somebody found that out.
"""

import dataclasses
import os
from collections.abc import Mapping
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from calibration.errors import InputError
from calibration.io.columns import TIME, Column, read_columns
from calibration.io.interval import EVERYTHING, TimeInterval, within

QUATERNION = {
    "w": Column(("qw", "q_w", "q0", "q_0", "quaternion_w"), "ratio"),
    "x": Column(("qx", "q_x", "q1", "q_1", "quaternion_x"), "ratio"),
    "y": Column(("qy", "q_y", "q2", "q_2", "quaternion_y"), "ratio"),
    "z": Column(("qz", "q_z", "q3", "q_3", "quaternion_z"), "ratio"),
}
"""Columns of the parts of a quaternion, scalar first."""

LEAST = 3
"""Samples from which a motion can be told."""

AXES = "xyz"
POSITION = {axis: Column((axis, f"pos_{axis}", f"position_{axis}"), "length") for axis in AXES}
VELOCITY = {
    f"v{axis}": Column((f"v{axis}", f"v_{axis}", f"velocity_{axis}"), "speed") for axis in AXES
}
SPIN = {
    f"w{axis}": Column(
        (f"w{axis}", f"w_{axis}", f"omega_{axis}", f"spin_{axis}", f"angular_velocity_{axis}"),
        "angular velocity",
    )
    for axis in AXES
}
_TURNED = {f"q{part}": column for part, column in QUATERNION.items()}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class RecordedPoses:
    """Poses of a rigid body at times, z up.

    Attributes:
        name: of the file, without suffix.
        time: increasing [s].
        position: of the centre of mass [m], NaN where not measured.
        orientation: quaternions from body axes to those of the scene, scalar first, NaN where not
            measured.
        velocity: of the centre [m/s], or ``None``.
        spin: angular velocity in axes of the scene [rad/s], or ``None``.
        path: the file.
    """

    name: str
    time: Annotated[NDArray[np.float64], "n"]
    position: Annotated[NDArray[np.float64], "n 3"]
    orientation: Annotated[NDArray[np.float64], "n 4"]
    velocity: Annotated[NDArray[np.float64], "n 3"] | None
    spin: Annotated[NDArray[np.float64], "n 3"] | None
    path: str

    def until(self, last: float) -> "RecordedPoses":
        """The samples up to a time [s]."""
        return self._rows(self.time <= last)

    def since(self, first: float) -> "RecordedPoses":
        """The samples from a time on [s]."""
        return self._rows(self.time >= first)

    def _rows(self, kept: NDArray[np.bool_]) -> "RecordedPoses":
        return dataclasses.replace(
            self,
            time=self.time[kept],
            position=self.position[kept],
            orientation=self.orientation[kept],
            velocity=None if self.velocity is None else self.velocity[kept],
            spin=None if self.spin is None else self.spin[kept],
        )


def read_poses(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    interval: TimeInterval = EVERYTHING,
    spin_in_body_axes: bool = False,
) -> RecordedPoses:
    """Poses from a text file with columns ``t``, ``x``, ``y``, ``z``, ``qw``, ``qx``, ``qy``,
    ``qz``; velocities ``vx``, ``vy``, ``vz`` and spins ``wx``, ``wy``, ``wz`` where it has them.

    Args:
        path: the file.
        columns: which header holds ``t`` or one of the others, where they are not recognised.
        interval: first and last time of the samples that are used [s].
        spin_in_body_axes: whether spins are along the axes of the body.

    Raises:
        InputError: with the file, line and column, and what to do.
    """
    wanted = {"t": TIME, **POSITION, **_TURNED, **VELOCITY, **SPIN}
    needed = ("t", *POSITION, *_TURNED)
    found, name = read_columns(path, wanted, needed=needed, columns=columns)
    rows = within(found["t"], interval, path=os.fspath(path))
    if rows.sum() < LEAST:
        raise InputError(
            f"there are {rows.sum()} samples",
            remedy=f"Give a recording of at least {LEAST}, or a longer interval.",
            path=os.fspath(path),
        )
    time = found["t"][rows]
    if np.any(np.diff(time) <= 0):
        raise InputError(
            "the times do not increase", remedy="Sort the rows by time.", path=os.fspath(path)
        )

    def together(part: Mapping[str, Column]) -> NDArray[np.float64] | None:
        if not all(key in found for key in part):
            return None
        return np.stack([found[key][rows] for key in part], axis=1)

    position, turned = together(POSITION), together(_TURNED)
    assert position is not None
    assert turned is not None
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    if np.any(length == 0):
        raise InputError(
            "a quaternion of zeros is no orientation",
            remedy="Leave its cells empty where it was not measured.",
            path=os.fspath(path),
        )
    orientation, spin = turned / length, together(SPIN)
    if spin is not None and spin_in_body_axes:
        spin = in_scene(spin, orientation)
    return RecordedPoses(
        name=name,
        time=time,
        position=position,
        orientation=orientation,
        velocity=together(VELOCITY),
        spin=spin,
        path=os.fspath(path),
    )


def rotations(orientation: NDArray[np.float64]) -> Rotation:
    """Unit quaternions (n, 4), scalar first, as rotations."""
    return Rotation.from_quat(orientation, scalar_first=True)


def in_scene(vector: NDArray[np.float64], orientation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors (n, 3) in body axes in axes of the scene, NaN where the orientation is."""
    seen = np.isfinite(orientation).all(axis=1)
    turned = np.full_like(vector, np.nan)
    turned[seen] = rotations(orientation[seen]).apply(vector[seen])
    return turned
