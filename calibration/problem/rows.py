"""Where the numbers of each measurement are in the stacked residual of a trial.

The residual of a trial is one vector of N numbers: those of each measurement in turn, an (n, k)
table row by row, and at last what is known beforehand of the parameters of the trial.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calibration.model.samples import Samples


class Rows(NamedTuple):
    """Rows of one measurement in the stacked residual.

    Attributes:
        first: the first of them.
        shape: (n, k) of the table of numbers.
    """

    first: int
    shape: tuple[int, int]

    @property
    def part(self) -> slice:
        """The rows, as an index."""
        return slice(self.first, self.first + self.shape[0] * self.shape[1])

    def take(self, stacked: np.ndarray, axis: int = 1) -> np.ndarray:
        """The numbers of this measurement.

        Args:
            stacked: residuals, or their derivatives, with N rows along ``axis``.
            axis: of the rows.

        Returns:
            The same with (n, k) in place of the rows.
        """
        before, after = stacked.shape[:axis], stacked.shape[axis + 1 :]
        return stacked[(*(slice(None),) * axis, self.part)].reshape(*before, *self.shape, *after)

    def put(self, stacked: np.ndarray, numbers: np.ndarray, axis: int = 1) -> None:
        """Write the numbers of this measurement into ``stacked``, the inverse of ``take``."""
        before, after = stacked.shape[:axis], stacked.shape[axis + 1 :]
        count = self.shape[0] * self.shape[1]
        stacked[(*(slice(None),) * axis, self.part)] = numbers.reshape(*before, count, *after)


def stack_rows(samples: Sequence[Samples]) -> tuple[Rows, ...]:
    """Rows of each measurement of the trials of a batch.

    Args:
        samples: of each measurement, with weights (..., n, k).
    """
    found, first = [], 0
    for own in samples:
        count, columns = np.shape(own.weight)[-2:]
        found.append(Rows(first, (count, columns)))
        first += count * columns
    return tuple(found)


def count_rows(samples: Sequence[Samples]) -> int:
    """Number of rows that are measured; those behind them are known beforehand."""
    return sum(int(np.prod(np.shape(own.weight)[-2:])) for own in samples)


def label_rows(rows: Sequence[Rows], labels: Sequence[Any], total: int) -> np.ndarray:
    """An integer for each row of the stacked residual, (total,): that of its column, else -1.

    Args:
        rows: of each measurement.
        labels: integers (k,) of the columns of each measurement.
        total: number of rows N.
    """
    found = np.full(total, -1)
    for own, label in zip(rows, labels, strict=True):
        found[own.part] = np.tile(label, own.shape[0])
    return found
