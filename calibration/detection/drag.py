"""Drag of flights: the double integral of -|v| v along each of them."""

import dataclasses

import numpy as np
import numpy.typing as npt


@dataclasses.dataclass(frozen=True, eq=False)
class DragCurves:
    """Displacement of each flight by unit drag, with value and slope zero in its middle; cubic
    polynomials between the points of a grid.

    Attributes:
        start: first time (flights,) of the grid of each flight [s].
        step: spacing (flights,) of the grid of each flight [s].
        shift: (axes, flights, points) displacement over k [m^2].
        slope: (axes, flights, points) its derivative [m^2/s].
    """

    start: np.ndarray
    step: np.ndarray
    shift: np.ndarray
    slope: np.ndarray

    def __call__(
        self, flights: npt.ArrayLike, time: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and its derivative, each (axes, ...), at times (...) of flights (...), also
        beyond the grid.
        """
        flight = np.asarray(flights)
        step = self.step[flight]
        place = (time - self.start[flight]) / step
        left = np.minimum(np.maximum(place, 0), self.shift.shape[-1] - 2).astype(int)
        part = place - left
        # Cubic Hermite polynomial from values and slopes at both ends of a step.
        begin = self.shift[:, flight, left]
        change = self.shift[:, flight, left + 1] - begin
        first, last = step * self.slope[:, flight, left], step * self.slope[:, flight, left + 1]
        square, cube = 3 * change - 2 * first - last, first + last - 2 * change
        shift = begin + part * (first + part * (square + part * cube))
        slope = (first + part * (2 * square + 3 * part * cube)) / step
        return shift, slope


def no_drag(centres: np.ndarray, *, axes: int) -> DragCurves:
    """Curves that are zero everywhere."""
    zero = np.zeros((axes, len(centres), 2))
    return DragCurves(centres, np.ones(len(centres)), zero, zero)


def drag_curves(grid: np.ndarray, velocity: np.ndarray) -> DragCurves:
    """Curves from velocities (axes, flights, points) on evenly spaced times (flights, points),
    whose middle is a point of the grid.
    """
    step, middle = grid[:, 1] - grid[:, 0], grid.shape[1] // 2

    def from_middle(rate: np.ndarray) -> np.ndarray:
        integral = cumulative_simpson(rate) * step[:, None]
        return integral - integral[..., middle, None]

    slope = from_middle(-np.linalg.norm(velocity, axis=0) * velocity)
    return DragCurves(grid[:, 0], step, from_middle(slope), slope)


def cumulative_simpson(values: np.ndarray) -> np.ndarray:
    """Integral, from the first to each of an odd number of values at unit distance, of the
    parabolas through three of them in turn.
    """
    # As scipy.integrate.cumulative_simpson, whose checks of its arguments take four times as long
    # as the sums.
    first, middle, last = values[..., :-2:2], values[..., 1::2], values[..., 2::2]
    areas = np.zeros_like(values)
    areas[..., 1::2] = (5 * first + 8 * middle - last) / 12
    areas[..., 2::2] = (5 * last + 8 * middle - first) / 12
    return np.cumsum(areas, axis=-1)
