"""Gravity and drag of each recording with what a camera may do to all lengths left open.

A camera that does not look at right angles at the plane of motion, a ball that comes nearer and a
lens change lengths along the path, so that one recording seems to fall faster than another, or to
be slowed more. They bend each of its flights, too; another frame rate or ruler does not.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from calibration.detection.drag import cumulative_simpson
from calibration.detection.flight_fit import UP
from calibration.studies.doubts.camera import APPROACH, AWAY, EDGE, INCLINED
from calibration.studies.plausibility.finding import Reading

SIDE = 0
"""Axis of the picture beside the vertical."""

COEFFICIENT = 0.2
"""Deceleration by drag over the square of the speed, as is common [1/m]."""

LEAST = 6
"""Samples of a flight from which on it bends."""


class Fall(NamedTuple):
    """How the balls of recordings fall, in lengths at one place of the picture.

    Attributes:
        gravity: (r,) [m/s^2], and its covariance (r, r).
        gravity_covariance: see there.
        drag: deceleration over the square of the speed (r,) [1/m], and its covariance (r, r).
        drag_covariance: see there.
    """

    gravity: np.ndarray
    gravity_covariance: np.ndarray
    drag: np.ndarray
    drag_covariance: np.ndarray


class _Flight(NamedTuple):
    """A flight without its noise.

    Attributes:
        number: of the recording.
        since: time from the release (n,), and ``tau`` from the middle of the flight [s].
        height: as it was recorded, from the middle of the picture (n,) [m].
        sd: of one height [m].
        x, z: smooth places, from the middle of the picture (n,) [m].
        drag: double integral of ``|v| v_z`` along it (n,) [m^2].
    """

    number: int
    since: np.ndarray
    tau: np.ndarray
    height: np.ndarray
    sd: float
    x: np.ndarray
    z: np.ndarray
    drag: np.ndarray


def fall_beside_camera(readings: Sequence[Reading], gravity: float) -> Fall:
    """Gravity and drag of each recording, whatever a camera does within what cameras do.

    Linear least squares for the heights of all flights,

    ``z = a + b tau - g tau^2/2 - k D - z (p_x x + p_z z + l (x^2 + z^2) + w t)``,

    with ``a, b`` of each flight, gravity ``g``, drag ``k`` and velocity away from the camera ``w``
    of each recording, perspective ``p`` and lens ``l`` of all. The places on the right are those of
    smooth flights: their noise would be that of the height on the left. Where ``x`` was not
    recorded, nothing of it is left open, and no ball comes nearer; several cameras, which show
    ``y``, leave nothing open.

    Args:
        readings: recordings and what was detected in them, each with a flight.
        gravity: expected [m/s^2].
    """
    count, axes = len(readings), {axis for recording, _ in readings for axis in recording.axes}
    middle, reach = _frame(readings)
    flights = [
        flight for number in range(count) for flight in _flights(number, readings[number], middle)
    ]
    known = np.concatenate(
        [
            np.tile([gravity, COEFFICIENT, APPROACH / AWAY], count),
            [INCLINED / reach, INCLINED / reach, EDGE / reach**2],
            np.full(2 * len(flights), np.inf),
        ]
    )
    fall, air, nearer = (np.arange(first, 3 * count, 3) for first in range(3))
    aside, upwards, lens = 3 * count + np.arange(3)
    open_ones = np.ones(known.size, dtype=bool)
    open_ones[[upwards, lens]] = "y" not in axes
    open_ones[[aside, *nearer]] = "x" in axes and "y" not in axes
    expected = np.zeros(known.size)
    expected[fall] = gravity
    rows = [_rows(flight, count, len(flights), place) for place, flight in enumerate(flights)]
    whitened = np.concatenate(
        [np.zeros((0, known.size)), *(row / one.sd for row, one in zip(rows, flights, strict=True))]
    )
    height = np.concatenate([np.zeros(0), *(flight.height / flight.sd for flight in flights)])
    away = height - whitened @ expected
    used = whitened[:, open_ones]
    covariance = np.zeros((known.size, known.size))
    covariance[np.ix_(open_ones, open_ones)] = np.linalg.inv(
        used.T @ used + np.diag(known[open_ones] ** -2.0)
    )
    step = covariance @ whitened.T @ away
    left = away - whitened @ step
    covariance *= max(float(left @ left) / max(away.size - used.shape[1], 1), 1.0)
    return Fall(
        gravity + step[fall],
        covariance[np.ix_(fall, fall)],
        step[air],
        covariance[np.ix_(air, air)],
    )


def _frame(readings: Sequence[Reading]) -> tuple[np.ndarray, float]:
    """Middle (x, z) of what the camera saw, and half its width [m]."""
    places = np.concatenate([recording.position[:, [SIDE, UP]] for recording, _ in readings])
    places = np.nan_to_num(places[np.isfinite(places[:, 1])])
    low, high = places.min(axis=0), places.max(axis=0)
    return (low + high) / 2, float(np.max(high - low)) / 2


def _flights(number: int, reading: Reading, middle: np.ndarray) -> Iterator[_Flight]:
    """The flights of a recording that are long enough to bend."""
    recording, detected = reading
    used = np.isfinite(recording.position[:, UP]) & ~detected.outliers
    for start, stop in detected.flights:
        inside = np.arange(start, stop)[used[start:stop]]
        if inside.size < LEAST:
            continue
        time = recording.time[inside]
        tau = time - time.mean()
        height = recording.position[inside, UP] - middle[1]
        x = _smooth(tau, np.nan_to_num(recording.position[inside, SIDE] - middle[0]), 2)
        z = _smooth(tau, height, 3)
        since = time - recording.time[detected.release]
        yield _Flight(
            number, since, tau, height, float(detected.scatter[UP]), x, z, _drag_path(tau, x, z)
        )


def _rows(flight: _Flight, recordings: int, flights: int, place: int) -> np.ndarray:
    """Derivatives (n, unknowns) of the heights of a flight: by gravity, drag and velocity of each
    recording, by what the camera does, and by the straight line of each flight.
    """
    rows = np.zeros((flight.tau.size, 3 * recordings + 3 + 2 * flights))
    own, camera = 3 * flight.number, 3 * recordings
    line = camera + 3 + 2 * place
    rows[:, own : own + 3] = -np.column_stack(
        [flight.tau**2 / 2, flight.drag, flight.z * flight.since]
    )
    rows[:, camera : camera + 3] = -flight.z[:, None] * np.column_stack(
        [flight.x, flight.z, flight.x**2 + flight.z**2]
    )
    rows[:, line : line + 2] = np.column_stack([np.ones_like(flight.tau), flight.tau])
    return rows


def _smooth(tau: np.ndarray, values: np.ndarray, degree: int) -> np.ndarray:
    """A path (n,) without its noise."""
    return np.polyval(np.polyfit(tau, values, degree), tau)


def _drag_path(tau: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Double integral (n,) of ``|v| v_z`` [m^2] along a flight, but for a straight line."""
    grid = np.linspace(tau[0], tau[-1], 2 * tau.size + 1)
    side = np.polyval(np.polyder(np.polyfit(tau, x, 1)), grid)
    fall = np.polyval(np.polyder(np.polyfit(tau, z, 2)), grid)
    step = grid[1] - grid[0]
    rate = np.hypot(side, fall) * fall
    twice = cumulative_simpson(cumulative_simpson(rate) * step) * step
    return np.interp(tau, grid, twice)
