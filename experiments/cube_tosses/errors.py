"""How far a simulated toss is from the recorded one."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import jaxcontact as jc
from experiments.cube_tosses.simulated import Parameters, simulate
from experiments.cube_tosses.tosses import Cube, Toss

CLOSED = 1e-4
"""Largest imbalance of the energy ledger of a simulation that is to be believed."""


class Errors(NamedTuple):
    """One toss.

    Attributes:
        name: of the toss.
        position: distance between the centres at every sample [m].
        rotation: angle between the orientations at every sample [degrees].
        imbalance: of the energy ledger [-].
        contacts: number of touch-downs of corners.
        steps: of the simulation.
        seconds: that the simulation took, without compilation.
        status: of the simulation.
    """

    name: str
    position: np.ndarray
    rotation: np.ndarray
    imbalance: float
    contacts: int
    steps: int
    seconds: float
    status: jc.Status

    @property
    def believed(self) -> bool:
        """Whether the simulation reached the end of the toss, and its ledger closes."""
        return self.imbalance < CLOSED and self.status <= jc.Status.SIMULTANEOUS_IMPACTS


def angle_between(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Angle of the rotation from one orientation to the other [degrees], ``(...)``; unit
    quaternions ``(..., 4)``.
    """
    # Accurate for small angles, where the arc cosine is not: both differ by sign.
    nearer = np.where(np.sum(first * second, axis=-1, keepdims=True) < 0, -second, second)
    chord = np.linalg.norm(first - nearer, axis=-1)
    return np.degrees(4 * np.arcsin(np.clip(chord / 2, 0.0, 1.0)))


def errors_of(toss: Toss, found: jc.Trajectory, seconds: float) -> Errors:
    """Errors of one simulation.

    Args:
        toss: the recording.
        found: its simulation, perhaps padded.
        seconds: it took.
    """
    count = len(toss.times)
    assert found.contacts is not None
    assert found.ledger is not None
    return Errors(
        name=toss.name,
        position=np.linalg.norm(np.asarray(found.position)[:count] - toss.position, axis=-1),
        rotation=angle_between(np.asarray(found.orientation)[:count], toss.orientation),
        imbalance=float(found.ledger.imbalance),
        contacts=int(np.sum(found.contacts.happened)),
        steps=int(np.sum(np.diff(found.ledger.times) > 0)),
        seconds=seconds,
        status=jc.Status(int(found.status)),
    )


def errors_over(
    cube: Cube, given: Parameters, tosses: Sequence[Toss], *, method: str, length: int
) -> list[Errors]:
    """Errors of several tosses.

    Args:
        cube: the body.
        given: parameters.
        tosses: recordings.
        method: ``"compliant"`` or ``"rigid"``.
        length: number of samples to which the times are padded.
    """
    simulate(
        cube, given, tosses[0], method=method, length=length
    )  # compiles, where it has not been
    every = []
    for toss in tosses:
        began = time.perf_counter()
        found = simulate(cube, given, toss, method=method, length=length)
        every.append(errors_of(toss, found, time.perf_counter() - began))
    return every


class Summary(NamedTuple):
    """Over tosses, of the mean error over each: ``position`` in percent of the width, ``rotation``
    in degrees.
    """

    position: float
    position_deviation: float
    rotation: float
    rotation_deviation: float
    rotation_median: float


def summary(every: Sequence[Errors], width: float) -> Summary:
    """Over the tosses.

    Args:
        every: errors of each.
        width: of the cube [m].
    """
    position = [100 * np.mean(errors.position) / width for errors in every]
    rotation = [np.mean(errors.rotation) for errors in every]
    return Summary(
        position=float(np.mean(position)),
        position_deviation=float(np.std(position)),
        rotation=float(np.mean(rotation)),
        rotation_deviation=float(np.std(rotation)),
        rotation_median=float(np.median(rotation)),
    )
