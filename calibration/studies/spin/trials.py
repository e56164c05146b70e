"""A recording and its measured spin as one trial."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.detection.bounces import DetectedBounces
from calibration.detection.spin_change import flight_of
from calibration.errors import InputError
from calibration.io.recording import Recording
from calibration.io.spin_columns import RecordedSpin
from calibration.measurements import Spins
from calibration.measurements.positions import TrackedPositions
from calibration.measurements.spins import AXES
from calibration.problem.trial import Trial

LEAST_LEFT = 3
"""Deviations from the means of the flights, less one for each mean, from which on their scatter is
an error.
"""

LEAST_SCATTER = 1e-3
"""Scatter of spins, relative to the largest, below which none is believed."""


def make_trial(
    recording: Recording, detected: DetectedBounces, *, values: Mapping[str, float] | None = None
) -> Trial:
    """The positions of a recording as a trial, with the spin where it was measured.

    Args:
        recording: positions and spin.
        detected: its bounces.
        values: known values of parameters of the scene, by path.

    Raises:
        InputError: no spin was measured while the ball flew.
    """
    tracked = TrackedPositions(recording, detected)
    spins = measured_spins(recording, detected)
    measured = [tracked] if spins is None else [tracked, spins]
    return Trial(*measured, values=values, name=recording.name)


def acting_axes(recording: Recording) -> str:
    """The axes about which spin acts on what was recorded: of a motion in a plane its normal."""
    if "x" not in recording.axes:
        return ""
    return AXES if "y" in recording.axes else "y"


def shows_spin(recording: Recording) -> bool:
    """Whether a spin was measured that acts on the recorded motion."""
    axes = [AXES.index(axis) for axis in acting_axes(recording)]
    return recording.spin is not None and bool(np.isfinite(recording.spin.spin[:, axes]).any())


def measured_spins(recording: Recording, detected: DetectedBounces) -> Spins | None:
    """The spins from the first used sample to the last, with their errors: those that were stated,
    else the scatter about the mean of each flight, during which spin hardly changes. ``None`` where
    nothing that acts was measured.

    Args:
        recording: positions and spin.
        detected: its bounces.

    Raises:
        InputError: no spin was measured while the ball flew.
    """
    given = recording.spin
    axes = [AXES.index(axis) for axis in acting_axes(recording)]
    if given is None or not np.isfinite(given.spin[:, axes]).any():
        return None
    first, last = (float(recording.time[i]) for i in (detected.release, detected.stop - 1))
    spin = np.full_like(given.spin, np.nan)
    spin[:, axes] = given.spin[:, axes]
    time = np.full_like(given.time, first) if given.once else given.time
    flown = (time >= first) & (time <= last) & np.isfinite(spin).any(axis=1)
    if not np.any(flown):
        raise InputError(
            f"no spin was measured while the ball flew, from {first:.4g} to {last:.4g} s, but from "
            f"{given.time[0]:.4g} to {given.time[-1]:.4g} s",
            remedy="Give the times of the spins on the clock of the positions, or state one spin "
            "for the whole file: a line '# wy = -150 rad/s' above the columns.",
            path=given.path,
        )
    time, spin = time[flown], spin[flown]
    sigma = given.sigma[flown] if given.sigma is not None else _scatter(time, spin, detected)
    return Spins(
        time,
        spin,
        sigma=None if sigma is None else np.where(np.isfinite(spin), sigma, 1.0),
        path=given.path,
    )


def errors_known(given: RecordedSpin, detected: DetectedBounces) -> bool:
    """Whether the errors of spins were stated, or their scatter tells them."""
    return given.sigma is not None or (
        not given.once and _scatter(given.time, given.spin, detected) is not None
    )


def _scatter(
    time: NDArray[np.float64], spin: NDArray[np.float64], detected: DetectedBounces
) -> NDArray[np.float64] | None:
    """Standard deviation of the spins about the means of the flights, over all components; ``None``
    where there are too few.
    """
    flight = flight_of(time, detected.bounces)
    squares, left = 0.0, 0
    for part in (spin[flight == k] for k in np.unique(flight)):
        for column in part.T:
            seen = column[np.isfinite(column)]
            if seen.size > 1:
                squares += float(np.sum((seen - np.mean(seen)) ** 2))
                left += seen.size - 1
    if left < LEAST_LEFT:
        return None
    least = LEAST_SCATTER * float(np.nanmax(np.abs(spin)))
    return np.full_like(spin, max(np.sqrt(squares / left), least, 1e-6))
