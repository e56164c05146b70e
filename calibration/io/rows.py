"""The rows of a table: text where a cell may be anything, numbers where all of them are."""

import abc
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_GAPS = frozenset({"", "-", "--", "nan", "-nan", "na", "n/a", "#n/a", "#na", "#nv", "null", "none"})


def is_gap(cell: str) -> bool:
    """Whether a cell says that nothing was measured."""
    return cell.lower() in _GAPS


class Rows(abc.ABC):
    """Neighbouring rows of a table."""

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @abc.abstractmethod
    def column(self, index: int, value: Callable[[int, str], float]) -> NDArray[np.float64]:
        """The numbers (rows,) of a column, NaN for gaps.

        Args:
            index: of the column.
            value: the number in a cell, from the place of the row among these, and the text.
        """

    @abc.abstractmethod
    def is_empty(self, index: int) -> bool:
        """Whether a column holds nothing but gaps."""

    @abc.abstractmethod
    def texts(self) -> Iterator[tuple[str, ...]]:
        """The cells of each row; numbers as Python writes them, or as they stand in the file."""


@dataclass(frozen=True, eq=False)
class TextRows(Rows):
    """Rows as they stand in the file.

    Attributes:
        cells: (rows, columns) text.
    """

    cells: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.cells)

    def column(self, index: int, value: Callable[[int, str], float]) -> NDArray[np.float64]:
        """The numbers in the cells, one by one."""
        values = (value(place, row[index]) for place, row in enumerate(self.cells))
        return np.fromiter(values, float, count=len(self.cells))

    def is_empty(self, index: int) -> bool:
        """Whether all cells are gaps."""
        return all(is_gap(row[index]) for row in self.cells)

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The cells."""
        return iter(self.cells)


@dataclass(frozen=True, eq=False)
class NumberRows(Rows):
    """Rows of numbers, finite or NaN for an empty cell.

    Attributes:
        values: (rows, columns).
    """

    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    def column(self, index: int, value: Callable[[int, str], float]) -> NDArray[np.float64]:
        """The numbers as they are."""
        return self.values[:, index]

    def is_empty(self, index: int) -> bool:
        """Whether all are NaN."""
        return bool(np.isnan(self.values[:, index]).all())

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The numbers with all their digits, empty cells as such."""
        for row in self.values.tolist():
            yield tuple("" if value != value else repr(value) for value in row)
