"""The recorded tosses: poses and velocities of the cube at 148 Hz."""

import csv
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

COLUMNS = ("t", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
RATE = 148.0
"""Samples in a second."""


class Cube(NamedTuple):
    """The body: ``half_width`` [m], ``mass`` [kg], ``inertia`` about any axis [kg m^2]; and nominal
    ``friction`` and ``restitution``.
    """

    half_width: float
    mass: float
    inertia: float
    friction: float
    restitution: float


class Toss(NamedTuple):
    """One recording, all of it in the frame of the scene.

    Attributes:
        name: of its file.
        times: [s], ``(samples,)``.
        position: of the centre [m], ``(samples, 3)``.
        orientation: unit quaternions from body axes to those of the scene, scalar first,
            ``(samples, 4)``.
        velocity: [m/s], ``(samples, 3)``.
        spin: angular velocity [rad/s], ``(samples, 3)``; the files have it in body axes.
    """

    name: str
    times: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


def rotated(vector: np.ndarray, quaternion: np.ndarray) -> np.ndarray:
    """Vectors ``(..., 3)`` turned by unit quaternions ``(..., 4)``, scalar first."""
    scalar, axis = quaternion[..., :1], quaternion[..., 1:]
    return vector + 2 * np.cross(axis, np.cross(axis, vector) + scalar * vector)


def read_toss(path: Path) -> Toss:
    """The toss in one file.

    Args:
        path: of a table with the columns ``COLUMNS``.
    """
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    if tuple(rows[0]) != COLUMNS:
        raise ValueError(f"{path.name}: the columns are {rows[0]}, but must be {list(COLUMNS)}.")
    table = np.array(rows[1:], dtype=float)
    orientation = table[:, 4:8] / np.linalg.norm(table[:, 4:8], axis=1, keepdims=True)
    return Toss(
        path.stem,
        table[:, 0],
        table[:, 1:4],
        orientation,
        table[:, 8:11],
        rotated(table[:, 11:14], orientation),
    )


def read_tosses(directory: Path) -> tuple[Cube, list[Toss]]:
    """The cube and its tosses, in order of their names.

    Args:
        directory: holds ``meta.json`` and ``csv/toss_*.csv``.
    """
    meta = json.loads((directory / "meta.json").read_text())
    nominal = meta["nominal"]
    cube = Cube(
        half_width=meta["half_width_m"],
        mass=meta["mass_kg"],
        inertia=meta["inertia_kg_m2"],
        friction=nominal["mu_contactnets_params"],
        restitution=nominal["restitution_contactnets_params"],
    )
    tosses = [read_toss(path) for path in sorted((directory / "csv").glob("toss_*.csv"))]
    if not tosses:
        raise FileNotFoundError(f"{directory}: no file csv/toss_*.csv.")
    return cube, tosses


def lowest_corner(toss: Toss, half_width: float) -> np.ndarray:
    """Height of the lowest corner above the plane ``z = 0`` [m], ``(samples,)``."""
    signs = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    corners = rotated(half_width * signs[None], toss.orientation[:, None])
    return toss.position[:, 2] + np.min(corners[..., 2], axis=1)
